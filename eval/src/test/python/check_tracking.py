"""Compares what MLflow and TensorBoard have of a run with its metrics.jsonl, read by their own code.

    python3 -m venv venv && venv/bin/pip install mlflow==3.17.2 tensorboard==2.21.0
    venv/bin/mlflow server --backend-store-uri sqlite:///mlflow.db --host 127.0.0.1 --port 5000 &
    MLFLOW_TRACKING_URI=http://127.0.0.1:5000 venv/bin/python eval/src/test/python/check_tracking.py RUN…

RUN is the folder of a run that was made with `--track mlflow,tensorboard`, or sent by `runs track`. Of each name every value must be there, at its step
and in the order of the file, and nothing else but what the result gives. Leaves with 0 if all is equal, else with the first that is not.
"""
import json
import math
import pathlib
import struct
import sys

from mlflow.tracking import MlflowClient
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator


def numbers(line):
    return {name: float(value) for name, value in line.items() if name != "step" and isinstance(value, (bool, int, float))}


def written(run):
    """(step, value) of each name, as metrics.jsonl has them."""
    values = {}
    for line in map(json.loads, (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()):
        for name, value in numbers(line).items():
            values.setdefault(name, []).append((line["step"], value))
    return values


def at_24_bits(values):
    return [(step, struct.unpack("f", struct.pack("f", value))[0]) for step, value in values]


def same(what, seen, expected):
    equal = len(seen) == len(expected) and all(
        a[0] == b[0] and (a[1] == b[1] or math.isnan(a[1]) and math.isnan(b[1])) for a, b in zip(seen, expected))
    if not equal:
        different = [pair for pair in zip(seen, expected) if pair[0] != pair[1]][:3]
        sys.exit(f"FAIL {what}: {len(seen)} values, {len(expected)} written; the first that differ: {different}")


def only_results(what, names, known):
    others = sorted(name for name in names if name not in known and not name.startswith(("result/", "overall/", "gate/")))
    if others:
        sys.exit(f"FAIL {what}: has {others}, which metrics.jsonl does not")


def check_tensorboard(run, values):
    events = EventAccumulator(str(run / "tensorboard"), size_guidance={"scalars": 0})
    events.Reload()
    names = events.Tags()["scalars"]
    only_results("TensorBoard", names, values)
    for name, expected in values.items():
        same(f"TensorBoard {name}", [(event.step, event.value) for event in events.Scalars(name)], at_24_bits(expected))
    return len(names)


def check_mlflow(run, values):
    client = MlflowClient()
    mine = client.get_run(json.loads((run / "tracking" / "mlflow.json").read_text(encoding="utf-8"))["run_id"])
    names = mine.data.metrics
    only_results("MLflow", names, values)
    for name, expected in values.items():
        history = sorted(client.get_metric_history(mine.info.run_id, name), key=lambda metric: (metric.step, metric.timestamp))
        seen = [(metric.step, metric.value) for metric in history]
        same(f"MLflow {name}", list(dict.fromkeys(seen)), list(dict.fromkeys(expected)))  # its database keeps one of two that are equal
    artifacts = {file.path for file in client.list_artifacts(mine.info.run_id)}
    if mine.info.status != "FINISHED" or not {"run.json", "config.resolved.yaml"} <= artifacts:
        sys.exit(f"FAIL MLflow: the run is {mine.info.status} and has the artifacts {sorted(artifacts)}")
    return len(names), len(mine.data.params), len(mine.data.tags)


for folder in map(pathlib.Path, sys.argv[1:]):
    lines = written(folder)
    count = sum(map(len, lines.values()))
    scalars = check_tensorboard(folder, lines)
    metrics, parameters, tags = check_mlflow(folder, lines)
    print(f"ok   {folder}: {count} values of {len(lines)} names; TensorBoard has {scalars} scalars, MLflow {metrics} metrics, {parameters} parameters, {tags} tags")
