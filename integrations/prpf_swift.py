"""PRPF's structured reward for ms-swift 4: asks the reward service as prpf_reward.py beside it does.

    swift rlhf --rlhf_type grpo --external_plugins integrations/prpf_swift.py --reward_funcs prpf \\
        --dataset runs/trl-grpo/train.jsonl --columns '{"prompt": "messages"}' …

The set is an export for TRL; its column ground_truth names the sample.
"""
from prpf_reward import structured_reward
from swift.rewards import ORM, orms


class StructuredReward(ORM):
    """The totals of a batch."""

    def __call__(self, completions, ground_truth, **columns):
        return structured_reward(None, completions, ground_truth)


orms["prpf"] = StructuredReward
