"""Prefill and decode of a Hugging Face directory by transformers, measured as ./prpf reasoner bench does.

usage: bench_transformers.py HF_DIR [--dtype bfloat16,float32] [--threads 2] [--batch 1,8] [--prompt 512] [--new 64] [--rounds 3]
"""
import argparse
import json
import statistics
import time

import torch
from transformers import AutoModelForCausalLM, DynamicCache


def generate(model, rows, prompt, new):
    """Seconds of reading the prompts and of writing what follows, greedily."""
    vocabulary = model.config.vocab_size
    ids = (7 * torch.arange(prompt)[None] + 31 * torch.arange(rows)[:, None]) % vocabulary
    cache = DynamicCache(config=model.config)
    start = time.perf_counter()
    out = model(ids, past_key_values=cache, use_cache=True, logits_to_keep=1)
    ids = out.logits[:, -1:].argmax(-1)
    read = time.perf_counter()
    for _ in range(new):
        out = model(ids, past_key_values=cache, use_cache=True, logits_to_keep=1)
        ids = out.logits[:, -1:].argmax(-1)
    return read - start, time.perf_counter() - read


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--dtype", default="bfloat16,float32")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", default="1,8")
    parser.add_argument("--prompt", type=int, default=512)
    parser.add_argument("--new", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    for dtype in args.dtype.split(","):
        model = AutoModelForCausalLM.from_pretrained(args.model, dtype=getattr(torch, dtype)).eval()
        for rows in map(int, args.batch.split(",")):
            with torch.inference_mode():
                generate(model, rows, min(args.prompt, 32), 2)
                times = [generate(model, rows, args.prompt, args.new) for _ in range(args.rounds)]
            print(json.dumps({
                "system": "transformers",
                "dtype": dtype,
                "batch": rows,
                "prefill_tok_s": spread([rows * args.prompt / read for read, _ in times]),
                "decode_tok_s": spread([rows * args.new / written for _, written in times]),
            }), flush=True)


main()
