"""Writes train.parquet and test.parquet beside the JSON Lines of an export, for verl; images stand in them. Needs pyarrow.

    python to_parquet.py [FOLDER]        (default: where this file lies)
"""
import json
import os
import pathlib
import sys

import pyarrow
import pyarrow.parquet


def image(path):
    return {"bytes": path.read_bytes(), "path": path.name}


def convert(lines):
    with open(lines, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for row in rows:
        if "images" in row:
            row["images"] = [image(lines.parent / name) for name in row["images"]]
    target = lines.with_suffix(".parquet")
    partial = target.with_name("." + target.name + ".partial")
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), partial)
    os.replace(partial, target)
    print(f"{target}: {len(rows)} rows")


def main(folder):
    found = [folder / name for name in ("train.jsonl", "test.jsonl") if (folder / name).exists()]
    if not found:
        sys.exit(f"error: {folder}: has no train.jsonl; name the folder of an export")
    for lines in found:
        convert(lines)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent)
