"""Memory over 10,000 decode steps of the engine's TorchScript: 8 rows that are cleared after 500 tokens each, as a server's are.

A line every 1,000 steps, then the growth since step 1,000. On a card the bytes of all tensors and what the allocator holds must not grow at all; on
the processor resident memory may grow by 16 MB. Ends with 1 where they grow more.
"""
import sys

import torch

import device
from speed import Engine

STEPS, EVERY, LENGTH, ROWS = 10_000, 1_000, 500, 8


def figures():
    """MB by name."""
    if not device.CUDA:
        return {"resident_mb": round(device.resident_mb(), 1)}
    return {"allocated_mb": torch.cuda.memory_allocated() / 1e6, "reserved_mb": torch.cuda.memory_reserved() / 1e6}


def main():
    device.start()
    torch.set_num_threads(1)  # of the processor: the shape is too small for more
    shape = device.SHAPES["tiny"]
    dtype = "bf16" if device.CUDA else "fp32"
    engine = Engine(device.engine_model(device.script(), device.random_model("tiny", dtype), dtype))
    tokens, first = torch.zeros(ROWS, 1, dtype=torch.long, device=device.DEVICE), None
    engine.begin(tokens, LENGTH)
    for step in range(1, STEPS + 1):
        tokens = engine.step(tokens)
        tokens.tolist()
        if engine.cache.lengths[0] == LENGTH:
            for row in range(ROWS):
                engine.cache.clear(row)
        if step % EVERY == 0:
            seen = figures()
            first = first or seen
            device.line(step=step, **seen)
        if device.left() < 2:
            sys.exit(f"stopped after {step} of {STEPS} steps: the part's time is over")
    grown = {name: seen[name] - first[name] for name in seen}
    flat = all(growth <= (0 if device.CUDA else 16) for growth in grown.values())
    device.line(steps=STEPS, rows=ROWS, dtype=dtype, layers=shape.num_hidden_layers, grown_since_step=EVERY, grown=grown, flat=flat)
    sys.exit(0 if flat else 1)


with torch.inference_mode():
    main()
