"""Products of matrices as MatmulKernel makes them, in plain Python torch: milliseconds for all matrices of the layers of SmolLM2-135M's shape, weights cold.

usage: products.py [rows …]      (torch 2.7.1, as par-serve's libtorch; --threads through OMP_NUM_THREADS)
"""
import statistics
import sys
import time

import torch

LAYERS, MATRICES = 30, [(960, 576), (576, 576), (3072, 576), (576, 1536)]
ROWS = [int(rows) for rows in sys.argv[1:]] or [1, 8, 16, 80, 512]


def onednn(x, w):
    return torch.ops.mkldnn._linear_pointwise(x, w, None, "none", [], "")


def laid_out(w):
    return torch.ops.mkldnn._reorder_linear_weight(w, None)


def vector(x, w):
    """As MatmulKernel's "mv, linear": mv where there is one row."""
    return torch.mv(w, x.flatten()) if x.numel() == x.shape[-1] else torch.nn.functional.linear(x, w)


KERNELS = {
    "fp32 mv, linear": (lambda w: w, vector, torch.float32),
    "fp32 onednn": (laid_out, onednn, torch.float32),
    "fbgemm float16": (lambda w: torch.ops.quantized.linear_prepack_fp16(w, None), torch.ops.quantized.linear_dynamic_fp16, torch.float32),
    "bf16 onednn": (lambda w: laid_out(w.bfloat16()), onednn, torch.bfloat16),
}

with torch.inference_mode():
    weights = [torch.randn(shape) for _ in range(LAYERS) for shape in MATRICES]
    for name, (pack, product, dtype) in KERNELS.items():
        try:
            packed = [pack(w) for w in weights]
        except RuntimeError as e:  # this processor lacks the instructions
            print(name, "-", str(e).splitlines()[0])
            continue
        for rows in ROWS:
            x = {width: torch.randn(1, rows, width).to(dtype) for _, width in MATRICES}
            seconds = []
            for _ in range(8):
                start = time.perf_counter()
                for w, p in zip(weights, packed):
                    product(x[w.shape[1]], p)
                seconds.append(time.perf_counter() - start)
            flops = 2 * rows * sum(w.numel() for w in weights)
            median = statistics.median(seconds[1:])
            print(f"{name}, {rows} rows: {median * 1e3:.1f} ms, {flops / median / 1e9:.0f} GFLOP/s", flush=True)
