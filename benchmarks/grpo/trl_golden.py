"""Loss, gradient and metrics of TRL's own GRPOTrainer._compute_loss on made numbers, for GrpoLossTest.

    python3 -m venv --system-site-packages .venv && .venv/bin/pip install --no-deps trl==1.9.0
    .venv/bin/python benchmarks/grpo/trl_golden.py > par-serve/src/test/resources/dev/prpf/par/grpo/trl_golden.json

Needs torch. The method's text is taken out of the installed file and run with a stand-in for the trainer, so that neither
transformers nor accelerate is needed; float64 throughout.
"""
import ast
import importlib.metadata
import json
import pathlib
import sys
import sysconfig
import types
from collections import defaultdict

import torch

SOURCE = pathlib.Path(sysconfig.get_paths()["purelib"]) / "trl/trainer/grpo_trainer.py"


def method(name):
    trainer = next(n for n in ast.parse(SOURCE.read_text()).body if isinstance(n, ast.ClassDef) and n.name == "GRPOTrainer")
    function = next(n for n in trainer.body if isinstance(n, ast.FunctionDef) and n.name == name)
    function.decorator_list = []
    names = {
        "torch": torch,
        "nanmin": lambda x: x[~x.isnan()].min(),
        "nanmax": lambda x: x[~x.isnan()].max(),
    }
    exec(compile(ast.Module([function], []), str(SOURCE), "exec"), names)
    return names[name]


def numbers(seed):
    g = torch.Generator().manual_seed(seed)
    lengths = [6, 3, 1, 5]
    mask = torch.tensor([[1.0 if t < n else 0.0 for t in range(6)] for n in lengths], dtype=torch.float64)
    old = -3 * torch.rand(4, 6, generator=g, dtype=torch.float64)
    now = old + 0.4 * torch.randn(4, 6, generator=g, dtype=torch.float64)
    ref = now + 0.3 * torch.randn(4, 6, generator=g, dtype=torch.float64)
    entropies = 2 * torch.rand(4, 6, generator=g, dtype=torch.float64)
    advantages = torch.tensor([1.2, -0.7, 0.3, -0.8], dtype=torch.float64)
    return mask, old, now, ref, entropies, advantages


def case(seed, loss_type, level, low, high, beta):
    mask, old, now, ref, entropies, advantages = numbers(seed)
    leaf = now.clone().requires_grad_(True)
    metrics = defaultdict(list)
    trainer = types.SimpleNamespace(
        _get_per_token_logps_and_entropies=lambda *a, **k: (leaf, entropies, None),
        accelerator=types.SimpleNamespace(
            num_processes=1, sync_gradients=True, gather=lambda x: x, reduce=lambda x, reduction: x
        ),
        args=types.SimpleNamespace(delta=None, use_bias_correction_kl=False),
        model=types.SimpleNamespace(training=True),
        _metrics=defaultdict(lambda: metrics),
        aux_loss_enabled=False,
        top_entropy_quantile=1.0,
        off_policy_mask_threshold=None,
        use_vllm=False,
        vllm_importance_sampling_correction=False,
        _entropy_bonus_enabled=False,
        current_gradient_accumulation_steps=1,
        max_completion_length=8,
        importance_sampling_level=level,
        loss_type=loss_type,
        epsilon_low=low,
        epsilon_high=high,
        beta=beta,
    )
    inputs = {
        "prompt_ids": torch.zeros(4, 1, dtype=torch.long),
        "prompt_mask": torch.ones(4, 1, dtype=torch.long),
        "completion_ids": torch.zeros(4, 6, dtype=torch.long),
        "completion_mask": mask,
        "advantages": advantages,
        "old_per_token_logps": old,
        "ref_per_token_logps": ref,
        "num_items_in_batch": mask.sum(),
    }
    loss = method("_compute_loss")(trainer, None, inputs)
    loss.backward()
    return {
        "loss_type": loss_type,
        "level": level,
        "low": low,
        "high": high,
        "beta": beta,
        "mask": mask.tolist(),
        "old": old.tolist(),
        "now": now.tolist(),
        "ref": ref.tolist(),
        "entropies": entropies.tolist(),
        "advantages": advantages.tolist(),
        "loss": loss.item(),
        "gradient": leaf.grad.tolist(),
        "metrics": {name: values[0] for name, values in metrics.items()},
    }


cases = [
    case(1, "grpo", "token", 0.2, 0.2, 0.05),
    case(2, "grpo", "token", 0.2, 0.2, 0.04),
    case(3, "dr_grpo", "token", 0.2, 0.2, 0.0),
    case(4, "dapo", "token", 0.2, 0.28, 0.0),
    case(5, "dapo", "token", 0.2, 0.2, 0.0),
    case(6, "dapo", "token", 0.2, 0.2, 0.04),
    case(7, "grpo", "sequence", 3e-4, 4e-4, 0.0),
    case(8, "grpo", "sequence", 0.1, 0.2, 0.04),
]
json.dump({"trl": importlib.metadata.version("trl"), "torch": torch.__version__, "cases": cases}, sys.stdout, indent=1)
print()
