"""Prefill and decode of the engine's TorchScript compared with transformers on the same weights and device.

A line for each shape, format, batch and system: tokens a second of the prefill, up to the first token on the host, and of the decode, where each
step's tokens are copied to the host as the scheduler does. The engine and transformers take turns; medians of the rounds.
"""
import statistics

import torch
from transformers import DynamicCache

import device
from engine import Cache
from run_goldens import choose

# (batch, prompt, new)
LOADS = [(1, 512, 64), (8, 512, 64), (64, 128, 64)] if device.CUDA else [(1, 512, 16), (8, 32, 16), (64, 8, 8)]
ROUNDS = 3 if device.CUDA else 1


class Engine:
    """The engine's decoder, which computes the rows of a batch in one cache."""

    name = "engine"

    def __init__(self, model):
        self.model = model

    def begin(self, ids, new):
        rows, length = ids.shape
        self.cache, self.rows = Cache(self.model, rows, length + new), rows
        return self.step(ids, self.model.longs(range(length)).view(1, 1, -1))

    def step(self, ids, positions=None):
        """ids (B, T) -> the likeliest next tokens (B, 1)"""
        if positions is None:
            positions = self.model.longs([[[self.cache.lengths[0]]]])
        x, length = self.model.embed(ids), ids.shape[1]
        fed = [(x[row:row + 1], positions) for row in range(self.rows)]
        return choose(self.model, self.cache.forward(fed, [(row + 1) * length - 1 for row in range(self.rows)]))


class Transformers:
    """transformers' model with its dynamic cache."""

    name = "transformers"

    def __init__(self, model):
        self.model = model

    def begin(self, ids, new):
        self.cache = DynamicCache(config=self.model.config)
        return self.step(ids)

    def step(self, ids):
        return self.model(ids, past_key_values=self.cache, use_cache=True, logits_to_keep=1).logits[:, -1:].argmax(-1)


def generate(system, rows, prompt, new):
    """Seconds of the prefill and of the decode, and the tokens (B, new + 1)."""
    vocabulary = system.model.config["vocab_size"] if isinstance(system, Engine) else system.model.config.vocab_size
    ids = ((7 * torch.arange(prompt)[None] + 31 * torch.arange(rows)[:, None]) % vocabulary).to(device.DEVICE)
    begin = device.now()
    tokens = system.begin(ids, new)
    written = [tokens.tolist()]
    read = device.now()
    for _ in range(new):
        tokens = system.step(tokens)
        written.append(tokens.tolist())
    return read - begin, device.now() - read, torch.tensor(written)[..., 0].T


def measure(shape, dtype, systems):
    """The lines of a shape in one format."""
    for rows, prompt, new in LOADS:
        times, tokens, peaks = {system.name: [] for system in systems}, {}, {}
        for round in range(ROUNDS + 1):
            for system in systems:
                if device.left() < 15:
                    return
                system.cache = None
                device.watch_peak()
                *seconds, tokens[system.name] = generate(system, rows, *((min(prompt, 32), 2) if round == 0 else (prompt, new)))
                peaks[system.name] = device.peak_mb()
                times[system.name] += [seconds] * (round > 0)
        same = (tokens["engine"] == tokens["transformers"]).double().mean().item()
        for system in systems:
            reading, writing = (statistics.median(column) for column in zip(*times[system.name]))
            device.line(system=system.name, shape=shape, dtype=dtype, batch=rows, prompt=prompt, new=new, rounds=ROUNDS,
                        prefill_tok_s=round_to(rows * prompt / reading), decode_tok_s=round_to(rows * new / writing),
                        decode_step_ms=round_to(1e3 * writing / new), device_peak_mb=peaks[system.name], same_tokens=round_to(same))


def round_to(value):
    """Four digits."""
    return float(f"{value:.4g}")


def main():
    device.start()
    decoder = device.script()
    with torch.inference_mode():
        for shape in device.shapes():
            for dtype in ("bf16", "fp32"):
                hf = device.random_model(shape, dtype).eval()
                measure(shape, dtype, [Engine(device.engine_model(decoder, hf, dtype)), Transformers(hf)])
                if device.left() < 15:
                    device.line(stopped=f"after {shape} in {dtype}: the part's time is over")
                    return


if __name__ == "__main__":
    main()
