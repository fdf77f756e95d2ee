"""The part of torch that trl_step.py uses: a tensor is one number."""
float32 = "float32"


def manual_seed(seed):
    pass


class Tensor(float):
    def detach(self):
        return self

    clone = max = detach

    def abs(self):
        return Tensor(abs(float(self)))

    def __sub__(self, other):
        return Tensor(float(self) - float(other))

    def item(self):
        return float(self)
