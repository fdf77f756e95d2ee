"""Runs the engine's TorchScript text on the decoders' golden checkpoints in plain Python torch, on any device.

usage: run_goldens.py [--device cpu|cuda|meta] [--dtype fp32|bf16|int8] [--only NAME …] [--golden DIR] [--scripts DIR] [--threads 2]

One line of JSON for each checkpoint: the largest difference of a logit and the smallest cosine over its cases, in how many of them the greedy tokens,
written with the cache, are the reference's own, and the median time of a decoding step. Ends with 1 if the text refuses a checkpoint, or if in fp32 a
logit differs by more than 1e-3 or a token is another; bf16 and int8 are reported only. On "meta", which needs no hardware, tensors have shapes and a
device but no values: nothing is compared, but an operator that takes or makes a tensor on another device ends the run of the checkpoint.
"""
import argparse
import json
import pathlib
import statistics
import sys
import time

import torch
from safetensors.torch import load_file
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from engine import FORMATS, Model, archive, checkpoint

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "par-serve/src/test/resources/golden"
SCRIPTS = ROOT / "par-serve/src/main/resources/dev/prpf/par/engine"
TOLERANCE = 1e-3


class OnMetaOnly(TorchDispatchMode):
    """Sees every operator that the text calls, and refuses tensors that are elsewhere."""

    refusal = ""

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        made = operator(*args, **(kwargs or {}))
        elsewhere = {x.device.type for x in tree_leaves((args, kwargs, made)) if isinstance(x, torch.Tensor)} - {"meta"}
        if elsewhere:
            self.refusal = f"{operator} takes or makes a tensor on {sorted(elsewhere)}; "
            raise ValueError(self.refusal)
        return made


class Watched:
    """The text, watched while one of its methods runs."""

    def __init__(self, script):
        self.script = script

    def __getattr__(self, method):
        def call(*args):
            watch = OnMetaOnly()
            try:
                with watch:
                    return getattr(self.script, method)(*args)
            except RuntimeError as error:  # TorchScript's, which says where but not why
                raise RuntimeError(f"{watch.refusal}{error}") from error
        return call


def greedy(model, ids, count):
    """The tokens that follow (count), and the seconds of each step but the first, which reads."""
    wait = torch.cuda.synchronize if ids.is_cuda else lambda: None
    length, seconds = ids.shape[1], []
    cache = model.cache(length + count)
    written = [model.step(ids, 0, cache).argmax(1, True)]
    for at in range(length, length + count - 1):
        wait()
        start = time.perf_counter()
        written.append(model.step(written[-1], at, cache).argmax(1, True))
        wait()
        seconds.append(time.perf_counter() - start)
    return torch.cat(written, 1)[0], seconds


def compare(model, golden, device):
    """All cases of a checkpoint."""
    cases = sorted(key.removesuffix(".logits") for key in golden if key.endswith(".logits"))
    differences, cosines, same, times = [], [], 0, []
    for name in cases:
        ids = golden[f"{name}.input_ids"].long().to(device)[None]
        expected, continued = golden[f"{name}.logits"], golden[f"{name}.greedy"].long()
        found = model.logits(ids)
        written, seconds = greedy(model, ids, 2 if device == "meta" else len(continued))
        if not found.device == written.device == ids.device:
            raise ValueError(f"ids on {ids.device}, logits on {found.device}, tokens on {written.device}")
        if found.shape != expected.shape:
            raise ValueError(f"{name} has logits of shape {list(found.shape)} for {list(expected.shape)}")
        times += seconds
        if device != "meta":
            differences.append((found.cpu() - expected).abs().max())
            cosines.append(torch.cosine_similarity(found.double().cpu().flatten(), expected.double().flatten(), 0))
            same += torch.equal(written.cpu(), continued)
    if device == "meta":
        return {"cases": len(cases)}
    # of tensors, since Python's max may lose a NaN
    return {"cases": len(cases), "largest_difference": torch.stack(differences).max().item(), "smallest_cosine": torch.stack(cosines).min().item(),
            "greedy_same": same, "step_ms": round(statistics.median(times) * 1e3, 3)}


def run(script, folder, args):
    """The line of a checkpoint, and whether it passed."""
    line = {"checkpoint": folder.name, "device": args.device, "dtype": args.dtype, "torch": torch.__version__}
    try:
        with torch.inference_mode():
            model = Model(Watched(script) if args.device == "meta" else script, *checkpoint(folder, args.device), args.dtype)
            line |= compare(model, load_file(folder / "golden.safetensors"), args.device)
    except (ValueError, KeyError, OSError, RuntimeError) as error:
        return line | {"error": f"{type(error).__name__}: {error}"}, False
    must_agree = args.dtype == "fp32" and args.device != "meta"
    return line, not must_agree or (line["largest_difference"] <= TOLERANCE and line["greedy_same"] == line["cases"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", choices=list(FORMATS), default="fp32")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--golden", type=pathlib.Path, default=GOLDEN)
    parser.add_argument("--scripts", type=pathlib.Path, default=SCRIPTS)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    if not list(args.scripts.glob("*.torchscript")):
        parser.error(f"{args.scripts} holds no .torchscript file")
    torch.set_num_threads(args.threads)
    torch._C._set_graph_executor_optimize(False)  # as TorchRuntime does
    script = torch.jit.load(archive(args.scripts))
    decoders = (file.parent for file in args.golden.glob("*/golden.safetensors") if list(file.parent.glob("model*.safetensors")))
    passed = []
    for folder in [args.golden / name for name in args.only] if args.only else sorted(decoders):
        line, good = run(script, folder, args)
        print(json.dumps(line, ensure_ascii=False), flush=True)
        passed.append(good)
    sys.exit(0 if passed and all(passed) else 1)


if __name__ == "__main__":
    main()
