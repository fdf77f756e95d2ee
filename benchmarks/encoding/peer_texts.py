"""Texts through BGE-small-zh-v1.5 by onnxruntime from Python: tokenize, run, take [CLS], normalise. Prints one JSON line.

usage: peer_texts.py MODEL.onnx TOKENIZER.json TEXTS.json THREADS BATCH
BATCH texts a run, sorted by length and padded to the longest; 1 = every text alone. Loading of the model and the tokenizer is counted, as `data encode` counts its own; imports are not, nor is a JVM's start.
"""
import json, sys, time
import numpy as np, onnxruntime as ort
from tokenizers import Tokenizer

model, tokenizer_file, texts_file, threads, size = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5])
start = time.perf_counter()
options = ort.SessionOptions()
options.intra_op_num_threads = threads
session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
tokenizer = Tokenizer.from_file(tokenizer_file)
tokenizer.enable_truncation(512)
tokenizer.no_padding()
texts = json.load(open(texts_file, encoding="utf-8"))


def vectors(ids):
    longest = max(map(len, ids))
    batch = np.zeros((len(ids), longest), np.int64)
    mask = np.zeros_like(batch)
    for row, one in enumerate(ids):
        batch[row, : len(one)], mask[row, : len(one)] = one, 1
    feed = {"input_ids": batch, "attention_mask": mask, "token_type_ids": np.zeros_like(batch)}
    first = session.run(None, feed)[0][:, 0]
    return first / np.linalg.norm(first, axis=1, keepdims=True)


ids = [e.ids for e in tokenizer.encode_batch(texts)]
order = sorted(range(len(ids)), key=lambda i: len(ids[i])) if size > 1 else list(range(len(ids)))
rows = np.empty((len(ids), 512), np.float32)
for at in range(0, len(order), size):
    part = order[at : at + size]
    rows[part] = vectors([ids[i] for i in part])
seconds = time.perf_counter() - start
print(json.dumps({"texts": len(texts), "tokens": sum(map(len, ids)), "seconds": round(seconds, 3)}))
