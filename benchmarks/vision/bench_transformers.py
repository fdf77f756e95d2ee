"""transformers' Qwen3.5 vision tower (sdpa) with random weights of a published shape over one image a pass.

    .venv/bin/python benchmarks/vision/bench_transformers.py --dtype fp32 --image 448x448 [--rounds 3] [--threads 2]

Prints one JSON object: seconds of each round, and how much the process' peak grew over what it was with the weights alone. As transformers does
when it runs a model, without gradients; the first pass is not counted.
"""
import argparse
import json
import resource
import time

import torch
import transformers
from transformers.models.qwen3_5.configuration_qwen3_5 import Qwen3_5VisionConfig
from transformers.models.qwen3_5.modeling_qwen3_5 import Qwen3_5VisionModel

SHAPES = {"0.8b": dict(depth=12, hidden_size=768, intermediate_size=3072, num_heads=12, out_hidden_size=1024),
          "4b": dict(depth=24, hidden_size=1024, intermediate_size=4096, num_heads=16, out_hidden_size=2560)}


def present_kb():
    """What the process takes now."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shape", choices=list(SHAPES), default="0.8b")
    parser.add_argument("--dtype", choices=["fp32", "bf16"], default="fp32")
    parser.add_argument("--image", default="448x448", help="width x height in pixels")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[arguments.dtype]
    config = Qwen3_5VisionConfig(**SHAPES[arguments.shape])
    config._attn_implementation = "sdpa"
    tower = Qwen3_5VisionModel._from_config(config, dtype=dtype).eval()
    columns, rows = (2 * max(1, round(int(side) / 32)) for side in arguments.image.split("x"))
    patches = torch.rand(rows * columns, 3 * 2 * 16 * 16) * 2 - 1
    grid = torch.tensor([[1, rows, columns]])
    before = present_kb()  # not the peak so far, which building the weights may have raised
    seconds = []
    with torch.no_grad():
        for _ in range(1 + arguments.rounds):
            start = time.perf_counter()
            tower(patches, grid_thw=grid)
            seconds.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"transformers": transformers.__version__, "torch": torch.__version__, "shape": arguments.shape, "dtype": arguments.dtype,
                      "image": arguments.image, "patches": rows * columns, "threads": arguments.threads,
                      "seconds": [round(s, 3) for s in seconds[1:]], "peak_mb": round((peak - before) * 1024 / 1e6)}))


main()
