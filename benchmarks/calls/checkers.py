"""The leaderboards' own checkers beside ours, on answers that were changed at random.

Needs Python 3.10 with bfcl-eval 2026.3.23 and evalscope 1.14.1 on its path (pip download --no-deps, unzip; nothing else of them is
needed), and the suites' data (docs/SUITES.md).

    python3 benchmarks/calls/checkers.py make --data DATA --out OUT        writes OUT/SUITE-k.jsonl and OUT/SUITE-k.expected.json
    for f in OUT/*-?.jsonl; do s=$(basename $f .jsonl); ./prpf eval suite ${s%-*} --data DATA --responses $f --run-dir OUT/run-$s; done
    python3 benchmarks/calls/checkers.py compare --out OUT                 counts of agreement and every kind of dissent
"""

import argparse
import collections
import copy
import glob
import importlib.util
import json
import os
import random
import sys
import types

ROUNDS = 8


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def bfcl_checker():
    stub = types.ModuleType("bfcl_eval.constants.model_config")  # it would import every provider's client
    stub.MODEL_CONFIG_MAPPING = collections.defaultdict(lambda: types.SimpleNamespace(underscore_to_dot=False))
    sys.modules["bfcl_eval.constants.model_config"] = stub
    from bfcl_eval.constants.enums import Language
    from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker

    return lambda record, calls: ast_checker(
        record["function"],
        [{call["name"]: call["parameters"]} for call in calls],
        record["truth"],
        Language.PYTHON,
        record["category"],
        "none",
    )["valid"]


def bfcl(data):
    for category in ("simple_python", "multiple", "parallel"):
        name = f"BFCL_v4_{category}.json"
        truths = {row["id"]: row["ground_truth"] for row in lines(f"{data}/possible_answer/{name}")}
        for row in lines(f"{data}/{name}"):
            calls = [{"name": f, "parameters": chosen(p)} for call in truths[row["id"]] for f, p in call.items()]
            yield {**row, "category": category, "truth": truths[row["id"]], "calls": calls}
    for row in lines(f"{data}/BFCL_v4_irrelevance.json"):
        yield {**row, "category": "irrelevance", "truth": None, "calls": []}


def chosen(parameters):
    """One accepted value of each; those of dicts field by field."""
    values = {}
    for name, accepted in parameters.items():
        value = random.choice(accepted)
        if value != "":
            values[name] = inside(value)
    return values


def inside(value):
    if isinstance(value, dict):
        return chosen(value)
    return [inside(one) if isinstance(one, dict) else one for one in value] if isinstance(value, list) else value


def acebench_checker():
    spec = importlib.util.find_spec("evalscope")
    path = os.path.join(spec.submodule_search_locations[0], "benchmarks", "acebench", "checker.py")
    spec = importlib.util.spec_from_file_location("acebench_checker", path)
    checker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(checker)
    checker.PYTHON_TYPE_MAPPING["bool"] = bool

    def valid(record, calls):
        calls = [{call["name"]: call["parameters"]} for call in calls]
        return checker.check_normal_answer(record["function"], calls, record["truth"], record["category"])["valid"]

    return valid


def acebench(data):
    for path in sorted(glob.glob(f"{data}/data_normal_*.json")):
        truths = {row["id"]: row["ground_truth"] for row in lines(f"{data}/possible_answer/{os.path.basename(path)}")}
        for row in lines(path):
            for function in row["function"]:
                for key in ("arguments", "_arguments"):
                    if key in function:
                        function["parameters"] = function.pop(key)
                function["parameters"].setdefault("required", [])
            truth = truths[row["id"]]
            first = truth[0] if isinstance(truth, list) else truth
            names = [function["name"] for function in row["function"]]
            calls = [
                {"name": name if name in names else name.rsplit("_", 1)[0], "parameters": copy.deepcopy(parameters)}
                for name, parameters in first.items()
            ]
            yield {**row, "category": "normal", "truth": truth, "calls": calls}


def changed(value):
    if isinstance(value, bool):
        return random.choice([not value, str(value).lower()])
    if isinstance(value, (int, float)):
        return random.choice([value + 1, float(value), int(value), str(value)])
    if isinstance(value, str):
        return random.choice([value.upper(), value.replace(" ", "-"), value + "!", value[1:], "see " + value, 3])
    if isinstance(value, list) and value:
        copied = list(value)
        at = random.randrange(len(copied))
        copied[at] = changed(copied[at])
        return random.choice([copied, list(reversed(value)), value[1:], value[0]])
    if isinstance(value, dict) and value:
        name = random.choice(list(value))
        return random.choice([{**value, name: changed(value[name])}, {k: v for k, v in value.items() if k != name}])
    return "x"


def mutated(record):
    calls = copy.deepcopy(record["calls"])
    for _ in range(random.choice([0, 1, 1, 1, 2])):
        what = random.random()
        if not calls or what < 0.05:
            calls.append({"name": random.choice(record["function"])["name"], "parameters": {}})
            continue
        call = random.choice(calls)
        if what < 0.1:
            calls.remove(call)
        elif what < 0.2:
            random.shuffle(calls)
        elif what < 0.25:
            call["name"] = random.choice(record["function"])["name"]
        elif call["parameters"]:
            name = random.choice(list(call["parameters"]))
            if what < 0.35:
                del call["parameters"][name]
            elif what < 0.4:
                call["parameters"][name + "_x"] = 1
            else:
                call["parameters"][name] = changed(call["parameters"][name])
    return calls


def make(data, out):
    random.seed(42)
    for suite, folder, records, checker in (
        ("bfcl", "bfcl", bfcl, bfcl_checker()),
        ("acebench", "acebench-zh", acebench, acebench_checker()),
    ):
        tasks = list(records(f"{data}/function-calling/{folder}"))
        for k in range(ROUNDS):
            expected = {}
            with open(f"{out}/{suite}-{k}.jsonl", "w", encoding="utf-8") as file:
                for record in tasks:
                    calls = mutated(record)
                    file.write(json.dumps({"id": record["id"], "calls": [calls] if calls else []}) + "\n")
                    irrelevant = record["truth"] is None
                    try:
                        right = not calls if irrelevant else bool(checker(record, calls))
                    except Exception as error:  # some schemas break the source's checker
                        right = f"{type(error).__name__}"
                    expected[record["id"]] = {"right": right, "calls": calls, "wanted": record["calls"]}
            with open(f"{out}/{suite}-{k}.expected.json", "w", encoding="utf-8") as file:
                json.dump(expected, file, ensure_ascii=False)


def compare(out):
    for suite in ("bfcl", "acebench"):
        counts = collections.Counter()
        for k in range(ROUNDS):
            with open(f"{out}/{suite}-{k}.expected.json", encoding="utf-8") as file:
                expected = json.load(file)
            for verdict in lines(f"{out}/run-{suite}-{k}/verdicts.jsonl"):
                theirs = expected[verdict["id"]]
                counts[(theirs["right"], verdict["right"])] += 1
                if theirs["right"] != verdict["right"]:
                    print(json.dumps({"verdict": verdict, **theirs}, ensure_ascii=False))
        print(suite, {f"theirs {theirs}, ours {ours}": n for (theirs, ours), n in sorted(counts.items(), key=str)})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["make", "compare"])
    parser.add_argument("--data")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    make(options.data, options.out) if options.what == "make" else compare(options.out)
