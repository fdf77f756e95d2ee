"""Makes the Parquet files of src/test/resources/golden/parquet from records.json, as pandas, datasets and the hub's converter do.

    python3 make_parquet.py ../resources/golden/parquet        (pyarrow 26.0.1)
"""

import copy
import datetime
import json
import pathlib
import sys

import pyarrow as pa
import pyarrow.parquet as pq


def steps(record):
    """A trace with strings and objects has no Arrow type: all become objects."""
    record = copy.deepcopy(record)
    reference = record["reference_information"]
    reference["trace"] = [{"source": "text", "text": s} if isinstance(s, str) else s for s in reference["trace"]]
    return record


def exported(record):
    """Parameters as JSON text, as prpf writes them."""
    record = steps(record)
    for answer in record.get("recommendations") or []:
        for call in answer["functions"]:
            call["parameters"] = json.dumps(call["parameters"], ensure_ascii=False)
    return record


def texts(record):
    """Whole objects as JSON text."""
    return {key: json.dumps(value, ensure_ascii=False) for key, value in record.items()}


def main(folder):
    records = json.loads((folder / "records.json").read_text())
    text = pa.string()
    call = pa.struct([("name", text), ("parameters", text)])
    answer = pa.struct([("instruction", text), ("functions", pa.list_(call))])
    step = pa.struct([("source", text), ("text", text), ("picture", text)])
    schema = pa.schema([
        ("benchmark_metadata", pa.struct([("id", text), ("difficulty_level", pa.int64()), ("split", text), ("scenario", text)])),
        ("reference_information", pa.struct([("profile", text), ("phone", text), ("world", text), ("trace", pa.list_(step))])),
        ("recommendations", pa.list_(answer)),
    ])
    pq.write_table(pa.Table.from_pylist([exported(r) for r in records], schema=schema), folder / "exported.parquet")

    # Types found in the data; second version of pages; a row group for two rows; all codecs; columns that no record has.
    found = pa.Table.from_pylist([steps(r) for r in records])
    found = found.append_column("seen", pa.array([datetime.datetime(2026, 1, 1)] * len(records)))
    found = found.append_column("remark", pa.nulls(len(records)))
    leaves = [c.path for c in pq.ParquetFile(folder / "exported.parquet").schema]
    pq.write_table(found, folder / "converted.parquet", row_group_size=2, data_page_version="2.0", write_page_checksum=True,
                   compression={leaf: ["zstd", "gzip", "lz4", "snappy", "none"][i % 5] for i, leaf in enumerate(leaves)})

    shards = [records[:2], records[2:]]
    for i, shard in enumerate(shards):
        name = f"texts-{i:05d}-of-{len(shards):05d}.parquet"
        pq.write_table(pa.Table.from_pylist([texts(r) for r in shard]), folder / name, use_dictionary=False,
                       column_encoding="DELTA_BYTE_ARRAY", compression="gzip")

    strings = [r for r in records if r["benchmark_metadata"]["id"] != "screens"]
    pq.write_table(pa.Table.from_pylist(strings), folder / "captions.parquet")

    other = copy.deepcopy([steps(r) for r in records])
    for record in other:
        record["benchmark_metadata"]["difficulty_level"] = float(record["benchmark_metadata"]["difficulty_level"])
        record["reference_information"]["world"] = datetime.date(2026, 1, 1)
        record["recommendations"] = [b"bytes"]
    pq.write_table(pa.Table.from_pylist(other), folder / "other.parquet")
    pq.write_table(pa.table({"benchmark_metadata": ["{}"]}), folder / "brotli.parquet", compression="brotli")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
