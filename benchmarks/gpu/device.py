"""The device that the kit measures: its clock, its memory, and random weights of known shapes made on it."""
import json
import os
import pathlib
import sys
import time

import torch
import transformers
from transformers import AutoModelForCausalLM, LlamaConfig, Qwen3Config

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks/torchscript"))
RESOURCES = ROOT / "par-serve/src/main/resources/dev/prpf/par"

from engine import Model, archive  # noqa: E402

DEVICE = os.environ.get("DEVICE", "cuda")
CUDA = DEVICE == "cuda"
DTYPES = {"bf16": torch.bfloat16, "fp32": torch.float32}
SHAPES = {
    "tiny": LlamaConfig(
        vocab_size=512, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=16,
        max_position_embeddings=2048, tie_word_embeddings=True),
    "135m": LlamaConfig(  # SmolLM2-135M, the shape of ./prpf reasoner bench
        vocab_size=49152, hidden_size=576, intermediate_size=1536, num_hidden_layers=30, num_attention_heads=9, num_key_value_heads=3, head_dim=64,
        max_position_embeddings=2048, tie_word_embeddings=True, rope_parameters={"rope_type": "default", "rope_theta": 100000.0}),
    "1.7b": Qwen3Config(  # Qwen3-1.7B
        vocab_size=151936, hidden_size=2048, intermediate_size=6144, num_hidden_layers=28, num_attention_heads=16, num_key_value_heads=8, head_dim=128,
        max_position_embeddings=2048, tie_word_embeddings=True, rope_parameters={"rope_type": "default", "rope_theta": 1000000.0}),
}
_held = 0


def shapes():
    """The names of the shapes to measure, the smallest first."""
    names = os.environ.get("SHAPE", "135m,1.7b" if CUDA else "135m").split(",")
    unknown = [name for name in names if name not in SHAPES]
    if unknown:
        sys.exit(f"error: SHAPE = {','.join(names)} names {unknown[0]}; shapes are {', '.join(SHAPES)}")
    return names


def left():
    """Seconds until this part should end, just before the kit kills it."""
    return float(os.environ.get("KIT_DEADLINE", "inf")) - time.time()


def line(**figures):
    """Prints a line of the result."""
    print(json.dumps(figures), flush=True)


def now():
    """The time in seconds, once the device has done all queued work."""
    if CUDA:
        torch.cuda.synchronize()
    return time.perf_counter()


def resident_mb():
    """Resident memory of this process in MB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def watch_peak():
    """Begins a measurement of peak_mb."""
    global _held
    if CUDA:
        torch.cuda.reset_peak_memory_stats()
        _held = torch.cuda.memory_allocated()


def peak_mb():
    """The most device memory that tensors took since watch_peak beyond what they held then, in MB; null on the processor."""
    return round((torch.cuda.max_memory_allocated() - _held) / 1e6, 1) if CUDA else None


def script(*files):
    """The TorchScript text of these resources as one module; the decoder's without any."""
    if not files:
        return torch.jit.load(archive(RESOURCES / "engine"), map_location="cpu")
    (file,) = files
    return torch.jit.load(archive((RESOURCES / file).parent), map_location="cpu")


def random_model(shape, dtype):
    """transformers' model of a shape with the same random weights on every call."""
    torch.manual_seed(1)
    with torch.device(DEVICE):
        return AutoModelForCausalLM.from_config(SHAPES[shape], dtype=DTYPES[dtype], attn_implementation="sdpa")


def engine_model(decoder, hf, dtype):
    """The engine's decoder over the weights of transformers' model."""
    weights = {name: value.detach() for name, value in hf.state_dict().items() if name != "lm_head.weight"}
    return Model(decoder, hf.config.to_dict(), weights, dtype)


def start():
    """Sets threads and the executor as par-serve does, and prints the device and the versions."""
    torch._C._set_graph_executor_optimize(False)  # as TorchRuntime does
    if not CUDA:
        torch.set_num_threads(min(2, os.cpu_count()))
    line(device=torch.cuda.get_device_name() if CUDA else "cpu", torch=torch.__version__, transformers=transformers.__version__)
