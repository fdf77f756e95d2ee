"""Whether the vectors of a job are those of one process, in their order: vectors.py FILE.safetensors FOLDER"""

import hashlib
import json
import pathlib
import struct
import sys

import numpy as np
import pyarrow.parquet as parquet


def main():
    content = open(sys.argv[1], "rb").read()
    length = struct.unpack("<Q", content[:8])[0]
    entry = json.loads(content[8 : 8 + length])["embeddings"]
    begin, end = entry["data_offsets"]
    expected = np.frombuffer(content, "<f4", count=(end - begin) // 4, offset=8 + length + begin).reshape(entry["shape"])
    files = sorted(pathlib.Path(sys.argv[2]).glob("part-*.parquet"))
    index, found = [], []
    for file in files:
        table = parquet.read_table(file)
        index += table["index"].to_pylist()
        found.append(table["embedding"].combine_chunks().flatten().to_numpy().reshape(-1, expected.shape[1]))
    found = np.concatenate(found)
    assert index == list(range(len(expected))), "rows are missing, stand twice or are out of order"
    sums = [hashlib.sha256(np.ascontiguousarray(v).tobytes()).hexdigest()[:16] for v in (expected, found)]
    print(f"vectors: {len(found)}, largest difference {np.abs(expected - found).max():.2g}, sha256 {sums[0]} and {sums[1]}")
    assert np.allclose(expected, found, atol=1e-5)


main()
