"""The part of TRL 1.16 that trl_step.py uses: GRPOTrainer passes all columns of the rows to the reward, by name."""
import statistics
import types

from torch import Tensor

COMPLETIONS = ("无推荐", "oops")


class GRPOConfig(types.SimpleNamespace):
    pass


class GRPOTrainer:
    def __init__(self, model, args, reward_funcs, train_dataset, processing_class):
        assert processing_class.chat_template, "the export's template"
        self.model, self.args, self.reward, self.rows = model, args, reward_funcs, train_dataset
        self.state = types.SimpleNamespace(log_history=[])

    def train(self):
        logged = {}
        rows = [row for row in self.rows for _ in range(self.args.num_generations)]
        texts = [COMPLETIONS[i % len(COMPLETIONS)] for i in range(len(rows))]
        columns = {name: [row[name] for row in rows] for name in rows[0] if name != "prompt"}
        rewards = self.reward(prompts=[row["prompt"] for row in rows], completions=texts, completion_ids=[[1]] * len(rows),
                              trainer_state=self.state, log_extra=logged.setdefault, log_metric=logged.__setitem__, **columns)
        self.model.weight = Tensor(0.5 + self.args.learning_rate)
        self.state.log_history.append({"reward": statistics.mean(rewards), "reward_std": statistics.stdev(rewards), "loss": 0.0, **logged})
