"""Runs the engine's TorchScript text on the decoders' golden checkpoints in plain Python torch, on any device.

usage: run_goldens.py [--device cpu|cuda|meta] [--dtype fp32|fp32-onednn|bf16|int8] [--only NAME …] [--golden DIR] [--scripts DIR] [--threads 2]

One line of JSON for each checkpoint: the largest difference of a logit over its cases, of whole sequences and through caches (one token at a time, several
at once, rows of several lengths, rows that were copied or kept and put back); the smallest cosine of a case's logits; in how many cases the greedy tokens,
written alone and with the others in one cache, are the reference's own; the case with the largest difference, and the difference that its whole sequence
has without a cache; and the median time in which a row gets a token more. Ends with 1 if the text refuses a checkpoint, or if in fp32 a logit differs by
more than 1e-3 or a token is another; bf16 and int8 are reported only. On "meta", which needs no hardware, tensors have
shapes and a device but no values: nothing is compared, but an operator that takes or makes a tensor on another device ends the run of the checkpoint.
"""
import argparse
import itertools
import json
import pathlib
import statistics
import sys
import time

import torch
from safetensors.torch import load_file
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from engine import FORMATS, Cache, Model, archive, checkpoint

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "par-serve/src/test/resources/golden"
SCRIPTS = ROOT / "par-serve/src/main/resources/dev/prpf/par/engine"
TOLERANCE = 1e-3


class OnMetaOnly(TorchDispatchMode):
    """Sees every operator that the text calls, and refuses tensors that are elsewhere."""

    refusal = ""

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        if operator is torch.ops.aten.item.default:
            return 0  # a number that the text reads, and that is nowhere here
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


def sequence(model, golden, name):
    """A case's embeddings (1, T, D), images' rows where its image tokens are, its positions (axes, 1, T), and the position of the token behind it."""
    if f"{name}.embeddings" in golden:
        positions = model.longs(golden[f"{name}.position_ids"].tolist())
        return golden[f"{name}.embeddings"][None].to(model.like.device), positions[:, None], positions.max().item() + 1
    ids = golden[f"{name}.input_ids"].long()
    x = model.embed(model.longs(ids.tolist())[None])
    if f"{name}.position_ids" not in golden:
        return x, model.longs(range(len(ids))).view(1, 1, -1), len(ids)
    here = ids == model.config["image_token_id"]
    images = {len(rows): rows for key, rows in golden.items() if key.endswith(".embeds")}  # their numbers of rows differ
    runs = [len(list(run)) for image, run in itertools.groupby(here.tolist()) if image]
    rows = torch.cat([images[run] for run in runs]).to(x.device)
    x = x.index_copy(1, model.longs(here.nonzero()[:, 0].tolist()), rows[None])
    return x, model.longs(golden[f"{name}.position_ids"].tolist())[:, None], len(ids) + golden[f"{name}.rope_delta"].item()


def choose(model, logits):
    """The likeliest tokens (rows, 1)."""
    u = torch.full([len(logits), 1], 0.5, dtype=torch.float64, device=logits.device)
    return model.script.chosen(logits, logits, u, True, True, 1.0, 0, 1.0, 0.0)[:, :1].long()


def draw(model, logits):
    """Refuses what sampling draws where it can draw the likeliest tokens alone."""
    sets = torch.full([len(logits), (logits.shape[1] + 7) // 8], 255, dtype=torch.uint8, device=logits.device)
    powers = (2 ** model.longs(range(8))).to(torch.uint8)
    left = model.script.penalised(model.script.masked(logits, sets, powers), sets, powers, 1.0)
    u = torch.full([len(logits), 1], 0.5, dtype=torch.float64, device=logits.device)
    drawn = model.script.chosen(logits, left, u, False, True, 0.7, 1, 0.9, 0.05)[:, :1].long()
    if not drawn.is_meta and not torch.equal(logits.gather(1, drawn), logits.amax(1, True)):
        raise ValueError(f"{drawn.tolist()} were drawn from the likeliest tokens alone")


def greedy(model, sequences, count):
    """Of each sequence the tokens (count) that follow it and the logits (1, V) of the first; and the seconds of passes in which every row has one token. All
    are in one cache; they come in two pieces, while those before them write on."""
    wait = torch.cuda.synchronize if model.like.is_cuda else lambda: None
    cache = Cache(model, len(sequences), max(x.shape[1] for x, _, _ in sequences) + count + 2 * len(sequences))
    written, firsts, seconds = [], [], []

    def feed(piece=None, more=False):
        """piece: what the next row reads; more: whether it reads on after that"""
        fed = [(model.embed(row[-1]), model.longs([[[after + len(row) - 1]]])) for row, (_, _, after) in zip(written, sequences)]
        fed += [piece] if piece else []
        ends = [sum(x.shape[1] for x, _ in fed[:row + 1]) - 1 for row in range(len(fed))]
        logits = cache.forward(fed, ends[:len(ends) - more])
        if piece and not more:
            written.append([])
            firsts.append(logits[-1:])
        if written:
            for row, token in zip(written, choose(model, logits)):
                row.append(token[None])

    for x, positions, _ in sequences:
        half = x.shape[1] // 2
        if half:
            feed((x[:, :half], positions[..., :half]), True)
        feed((x[:, half:], positions[..., half:]))
    while len(written[-1]) < count:
        wait()
        start = time.perf_counter()
        feed()
        wait()
        seconds.append(time.perf_counter() - start)
    return [(torch.cat(row[:count], 1)[0], first) for row, first in zip(written, firsts)], seconds


def cached(model, x, positions):
    """Logits through a cache, and the places that they belong to: half of the tokens in one pass and the others one by one; and again of rows that were
    copied, or kept and put back, whole and half of them."""
    before = x.shape[1] - 1
    if not before:
        return model.logits(x, positions), [0]
    cache, half, logits = Cache(model, 4, before + 1), (before + 1) // 2, []

    def feed(rows, *parts):
        for begin, end in parts:
            logits.append(cache.forward([(x[:, begin:end], positions[..., begin:end])] * rows, list(range(rows * (end - begin)))))

    feed(1, (0, half))
    first = cache.save(0, 0, half)
    feed(1, *((at, at + 1) for at in range(half, before)))
    cache.copy(0, 1)
    for row, parts in ((2, (first, cache.save(0, half, before))), (3, (first,))):
        cache.clear(row)
        for part in parts:
            cache.load(row, part)
    places = [before] * 3 + [half]
    logits.append(cache.forward([(x[:, at:at + 1], positions[..., at:at + 1]) for at in places], [0, 1, 2, 3]))
    draw(model, logits[-1])
    return torch.cat(logits), [*range(before), *places]


def compare(model, golden, device):
    """All cases of a checkpoint."""
    cases = sorted(key.removesuffix(".logits") for key in golden if key.endswith(".logits"))
    sequences = [sequence(model, golden, name) for name in cases]
    count = 2 if device == "meta" else min(len(value) for key, value in golden.items() if key.endswith(".greedy"))
    together, _ = greedy(model, sequences, count)
    differences, wholes, cosines, same, times = [], [], [], 0, []
    for name, (x, positions, after), in_company in zip(cases, sequences, together):
        (alone,), seconds = greedy(model, [(x, positions, after)], count)
        times += seconds
        expected, whole, (others, places) = golden[f"{name}.logits"], model.logits(x, positions), cached(model, x, positions)
        expected = torch.cat([expected, expected[places + [-1, -1]]])
        found = torch.cat([whole, others, alone[1], in_company[1]])
        if not found.device == alone[0].device == in_company[0].device == model.like.device:
            raise ValueError(f"weights on {model.like.device}, logits on {found.device}, tokens on {alone[0].device} and {in_company[0].device}")
        if found.shape != expected.shape:
            raise ValueError(f"{name} has logits of shape {list(found.shape)} for {list(expected.shape)}")
        if device != "meta":
            differences.append((found.cpu() - expected).abs().max())
            wholes.append((whole.cpu() - expected[:len(whole)]).abs().max().item())
            cosines.append(torch.cosine_similarity(whole.double().cpu().flatten(), expected[:len(whole)].double().flatten(), 0))
            written = golden.get(f"{name}.greedy", alone[0].cpu())[:count].long()
            same += all(torch.equal(tokens.cpu(), written) for tokens, _ in (alone, in_company))
    if device == "meta":
        return {"cases": len(cases)}
    differences = torch.stack(differences)  # since Python's max may lose a NaN
    worst = differences.argmax().item()
    return {"cases": len(cases), "largest_difference": differences[worst].item(), "worst_case": cases[worst], "its_whole_sequence": wholes[worst],
            "smallest_cosine": torch.stack(cosines).min().item(), "greedy_same": same, "step_ms": round(statistics.median(times) * 1e3, 3)}


def run(script, folder, args):
    """The line of a checkpoint, and whether it passed."""
    line = {"checkpoint": folder.name, "device": args.device, "dtype": args.dtype, "torch": torch.__version__}
    try:
        with torch.inference_mode():
            model = Model(Watched(script) if args.device == "meta" else script, *checkpoint(folder, args.device), args.dtype)
            line |= compare(model, load_file(folder / "golden.safetensors"), args.device)
    except (ValueError, KeyError, OSError, RuntimeError) as error:
        return line | {"error": f"{type(error).__name__}: {error}"}, False
    must_agree = args.dtype.startswith("fp32") and args.device != "meta"
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
