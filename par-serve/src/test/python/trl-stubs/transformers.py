"""The part of transformers that trl_step.py uses: a model of one weight."""
from torch import Tensor


class AutoModelForCausalLM:
    weight = Tensor(0.5)

    @classmethod
    def from_pretrained(cls, folder, dtype):
        return cls()

    def named_parameters(self):
        return [("weight", self.weight)]


class AutoTokenizer:
    @classmethod
    def from_pretrained(cls, folder):
        return cls()
