"""PRPF's structured reward for ms-swift 4: asks the reward service as prpf_reward.py beside it does.

    configs/launch/with-reward.sh runs/ms-swift-grpo swift rlhf configs/launch/ms-swift-grpo.yaml …

`prpf data export --to ms-swift` puts both files into the export; the column ground_truth names the sample.
"""
from prpf_reward import structured_reward
from swift.rewards import ORM, orms


class StructuredReward(ORM):
    """The totals of a batch."""

    def __call__(self, completions, ground_truth, **columns):
        return structured_reward(None, completions, ground_truth)


orms["prpf"] = StructuredReward
