#!/usr/bin/env python3
"""Compares a gate with rules and with a random gate on synthetic days that it did not train on.

For each seed: play train days with a random assistant, train a gate on the user's replies, then play test days. All
assistants take the content of their offers from the expected run. A random gate is played 20 times at each of several
probabilities. At the gate's disturbance it is the mixture of two neighbours, so its expected values are interpolated.
Needs: the build.   benchmarks/worlds/days.py --out runs/days
"""
import argparse
import json
import pathlib
import random
import shlex
import subprocess

THRESHOLDS = [0.1, 0.3, 0.5, 0.7, 0.8, 0.9]
PROBABILITIES = [0.05, 0.15, 0.3, 0.5]
RULES = ["cues", "backoff", "always", "silent"]
DRAWS = 2000


class Experiment:
    def __init__(self, args, seed):
        self.args, self.seed, self.folder = args, seed, pathlib.Path(args.out) / str(seed)
        self.folder.mkdir(parents=True, exist_ok=True)

    def prpf(self, *words):
        command = shlex.split(self.args.prpf) + [str(word) for word in words]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    def gate(self):
        records, gate = self.folder / "records.json", self.folder / "gate"
        if not records.exists():
            self.prpf("eval", "world", "run", "--days", self.args.train_days, "--days-seed", self.seed, "--split",
                      "train", "--turns", "day", "--user", "rules", "--agent", "random", "--probability", 0.4, "--out",
                      self.folder / "train.jsonl", "--records", records)
        if not (gate / "best").exists():
            self.prpf("gate", "train", "--config", "configs/quickstart/gate.yaml", "--set", f"seed={self.seed}",
                      "--data", records, "--store", self.folder / "store", "--run-dir", gate)
        return gate

    def play(self, name, *options):
        """Returns helped, goals, disturbed, hours, false triggers and quiet samples of each day, summed over its runs."""
        score = self.folder / (name + ".json")
        if not score.exists():
            episodes = self.folder / (name + ".jsonl")
            self.prpf("eval", "world", "run", "--days", self.args.days, "--days-seed", self.seed, "--split", "test",
                      "--turns", "day", "--user", "rules", "--seed", 1000, "--out", episodes, *options)
            score.write_text(self.prpf("eval", "episodes", "score", episodes, "--json"))
            episodes.unlink()
        each = json.loads(score.read_text())["day"]["each"]
        keys = ["helped", "goals", "disturbed", "hours", "false_triggers", "quiet"]
        runs = len(each) // self.args.days
        return [[sum(day[key] for day in each[i:i + runs]) for key in keys] for i in range(0, len(each), runs)]

    def run(self):
        gate = self.gate()
        rules = {rule: self.play(rule, "--agent", rule) for rule in RULES}
        chance = [self.play(f"random-{p}", "--agent", "random", "--probability", p, "--runs", 20) for p in PROBABILITIES]
        chance = [rules["silent"]] + chance + [rules["always"]]
        gates = {tau: self.play(f"gate-{tau}", "--agent", "gate", "--gate", gate, "--threshold", tau, "--store",
                                self.folder / "store") for tau in THRESHOLDS}
        rows = [self.row(f"gate, τ {tau}", days, chance) for tau, days in gates.items()]
        rows += [self.row(rule, days, chance) for rule, days in rules.items()]
        curve = [rules["silent"]] + [gates[tau] for tau in reversed(THRESHOLDS)] + [rules["always"]]
        return rows + [self.row(f"{rule} against the gate", rules[rule], curve) for rule in ("cues", "backoff")]

    def row(self, name, days, controls):
        """Compares with a control at equal disturbance; both share the days, and each draw interpolates again."""
        dice = random.Random(42)
        draws = [dice.choices(range(len(days)), k=len(days)) for _ in range(DRAWS)]
        differences = sorted(difference(days, controls, draw) for draw in draws)
        low, high = differences[round(0.025 * (DRAWS - 1))], differences[round(0.975 * (DRAWS - 1))]
        return [self.seed, name, *figures(days, range(len(days))), difference(days, controls, range(len(days))), low, high]


def figures(days, draw):
    helped, goals, disturbed, hours, false, quiet = (sum(days[i][k] for i in draw) for k in range(6))
    return 100 * helped / goals, disturbed / hours, 100 * false / quiet


def difference(days, controls, draw):
    """Returns the percentage of goals helped, minus that of the controls' curve at equal disturbance."""
    helped, disturbed, _ = figures(days, draw)
    points = sorted((point[1], point[0]) for point in (figures(control, draw) for control in controls))
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x0 <= disturbed <= x1:
            return helped - (y0 + (y1 - y0) * (disturbed - x0) / (x1 - x0) if x1 > x0 else max(y0, y1))
    return helped - points[-1][1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="runs/days")
    parser.add_argument("--prpf", default="./prpf")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--days", type=int, default=100)
    parser.add_argument("--train-days", type=int, default=400)
    args = parser.parse_args()
    print("| seed | assistant | helped, % of goals | disturbed an hour | FTR, % | minus control, points | 95 % interval |")
    print("| --: | --- | --: | --: | --: | --: | --- |")
    for seed in args.seeds:
        for seed, name, helped, disturbed, ftr, minus, low, high in Experiment(args, seed).run():
            print(f"| {seed} | {name} | {helped:.1f} | {disturbed:.2f} | {ftr:.1f} | {minus:+.1f} | {low:+.1f} to {high:+.1f} |",
                  flush=True)


if __name__ == "__main__":
    main()
