"""Prefill and decode of a GGUF by llama.cpp, measured as ./prpf reasoner bench does: prompts of --prompt tokens, --new greedy tokens after each.

usage: bench_llama_cpp.py MODEL.gguf [--threads 2] [--batch 1,8] [--prompt 512] [--new 64] [--rounds 3] [--plain-weights]
"""
import argparse
import ctypes
import json
import statistics
import time

import llama_cpp as L
import numpy as np


class Session:
    """One context that holds `rows` sequences."""

    def __init__(self, model, rows, args):
        self.rows, self.prompt = rows, args.prompt
        self.vocabulary = L.llama_vocab_n_tokens(L.llama_model_get_vocab(model))
        settings = L.llama_context_default_params()
        settings.n_ctx = rows * (args.prompt + args.new + 8)
        settings.n_batch = max(args.prompt, rows)
        settings.n_seq_max = rows
        settings.n_threads = settings.n_threads_batch = args.threads
        self.context = L.llama_init_from_model(model, settings)
        self.batch = L.llama_batch_init(settings.n_batch, 0, rows)

    def run(self, tokens, positions, rows, wanted):
        batch = self.batch
        batch.n_tokens = len(tokens)
        for i, (token, position, row) in enumerate(zip(tokens, positions, rows)):
            batch.token[i], batch.pos[i], batch.n_seq_id[i] = int(token), position, 1
            batch.seq_id[i][0] = row
            batch.logits[i] = i in wanted
        if L.llama_decode(self.context, batch) != 0:
            raise RuntimeError("llama_decode failed")

    def best(self, i):
        logits = L.llama_get_logits_ith(self.context, i)
        return int(np.argmax(np.ctypeslib.as_array(logits, shape=(self.vocabulary,))))

    def generate(self, new):
        """Seconds of reading the prompts and of writing what follows."""
        L.llama_memory_clear(L.llama_get_memory(self.context), True)
        start = time.perf_counter()
        next_tokens = []
        for row in range(self.rows):
            ids = [(7 * i + 31 * row) % self.vocabulary for i in range(self.prompt)]
            self.run(ids, range(self.prompt), [row] * self.prompt, {self.prompt - 1})
            next_tokens.append(self.best(self.prompt - 1))
        read = time.perf_counter()
        for step in range(new):
            self.run(next_tokens, [self.prompt + step] * self.rows, range(self.rows), set(range(self.rows)))
            next_tokens = [self.best(i) for i in range(self.rows)]
        return read - start, time.perf_counter() - read

    def close(self):
        L.llama_batch_free(self.batch)
        L.llama_free(self.context)


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", default="1,8")
    parser.add_argument("--prompt", type=int, default=512)
    parser.add_argument("--new", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--plain-weights", action="store_true", help="without AMX layouts, which 0.3.36 crashes with on Q8_0")
    args = parser.parse_args()
    quiet = L.llama_log_callback(lambda level, text, data: None)
    L.llama_log_set(quiet, ctypes.c_void_p(0))
    settings = L.llama_model_default_params()
    settings.use_extra_bufts = not args.plain_weights
    model = L.llama_model_load_from_file(args.model.encode(), settings)
    for rows in map(int, args.batch.split(",")):
        session = Session(model, rows, args)
        session.generate(4)
        times = [session.generate(args.new) for _ in range(args.rounds)]
        session.close()
        print(json.dumps({
            "system": "llama.cpp",
            "model": args.model,
            "batch": rows,
            "prefill_tok_s": spread([rows * args.prompt / read for read, _ in times]),
            "decode_tok_s": spread([rows * args.new / written for _, written in times]),
        }), flush=True)


main()
