"""Compares `data export --to parquet` of records with the JSON that it was made of, as datasets reads it.

    python3 check_parquet.py runs/dataset train.json test.json        (datasets 5.2.0, pyarrow 26.0.1, pandas 3.1.1)

Writes what datasets and pandas make of the training split beside it, to be read by prpf again: DIR-datasets.parquet, DIR-pandas.parquet.
"""

import glob
import json
import sys

import datasets
import pandas


def step(item):
    item = {"source": "text", "text": item} if isinstance(item, str) else item
    return {key: item.get(key) for key in ("source", "text", "picture")}


def row(record):
    """A record as a row: all keys, steps as objects, parameters as JSON text."""
    for key in ("split", "scenario"):
        record["benchmark_metadata"].setdefault(key, None)
    record["reference_information"]["trace"] = [step(item) for item in record["reference_information"]["trace"]]
    record.setdefault("recommendations", None)
    for answer in record["recommendations"] or []:
        for call in answer["functions"]:
            call["parameters"] = json.dumps(call["parameters"], ensure_ascii=False, separators=(",", ":"))
    return record


def main(folder, **files):
    ways = {
        "folder": datasets.load_dataset(folder),
        "parquet": datasets.load_dataset("parquet", data_files={s: f"{folder}/{s}-*.parquet" for s in files}),
    }
    for split, file in files.items():
        with open(file) as source:
            expected = [row(record) for record in json.load(source)]
        for way, loaded in ways.items():
            assert loaded[split].to_list() == expected, (way, split)
        print(split, len(expected), "equal rows")
    ways["folder"]["train"].to_parquet(f"{folder}-datasets.parquet")
    pandas.concat([pandas.read_parquet(f) for f in sorted(glob.glob(f"{folder}/train-*.parquet"))]).to_parquet(f"{folder}-pandas.parquet")


if __name__ == "__main__":
    main(sys.argv[1], train=sys.argv[2], **({"test": sys.argv[3]} if len(sys.argv) > 3 else {}))
