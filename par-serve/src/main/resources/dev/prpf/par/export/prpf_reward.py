"""PRPF's structured reward for TRL and verl: asks `prpf par reward` and changes nothing in its answers.

TRL calls `structured_reward` with a batch, verl calls `compute_score` for each response. Each process of the trainer starts one
`prpf par reward --responses -` and keeps it; a response goes to it as a line and comes back as a line. The samples, the pool, and the
constants lie beside this file. The launcher is $PRPF, else `prpf` on the PATH. Nothing but Python's own library is needed here.

A response that is not well formed has a low reward, as in training with prpf. Whatever else fails ends the trainer with prpf's own message:
a reward that is made up would train a wrong model.
"""
import atexit
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading

FOLDER = pathlib.Path(__file__).resolve().parent
TERMS = ("trig", "func", "args", "schema", "tn", "fp", "cov", "over")

_lock = threading.Lock()
_rewarder = None


class _Rewarder:
    def __init__(self):
        launcher = os.environ.get("PRPF") or shutil.which("prpf")
        if launcher is None:
            raise RuntimeError("no prpf found; set PRPF to the path of its launcher, as in PRPF=/path/to/prpf")
        reasoning = json.loads((FOLDER / "export.json").read_text(encoding="utf-8"))["reasoning"]
        command = [launcher, "par", "reward", "--responses", "-", "--json", "--reasoning", reasoning]
        for option, name in (("--gold", "gold.json"), ("--pool", "function_pool.json"), ("--config", "reward.yaml")):
            command += [option, str(FOLDER / name)]
        self.pid = os.getpid()
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            env={"PRPF_HEAP": "512m", "OMP_NUM_THREADS": "1", **os.environ},
        )

    def reward(self, sample, response):
        line = json.dumps({"id": sample, "response": response}).encode("ascii") + b"\n"
        answer = b""
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            pass  # it has ended; why stands in its log
        if not answer.endswith(b"\n"):
            raise RuntimeError(self.failure())
        return json.loads(answer)

    def failure(self):
        try:
            status = self.process.wait(10)
        except subprocess.TimeoutExpired:
            status = "none yet"
        self.log.seek(0)
        said = self.log.read().decode("utf-8", "replace").strip()
        return f"prpf par reward ended with status {status}: {said[-2000:]}"

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:  # a forked child of the trainer still holds the pipe
            self.process.terminate()
            self.process.wait()
        self.process.stdout.close()
        self.log.close()


def _reward(sample, response):
    global _rewarder
    with _lock:
        # A process that was forked must not share its parent's pipes.
        if _rewarder is None or _rewarder.pid != os.getpid():
            _rewarder = _Rewarder()
        return _rewarder.reward(sample, response)


@atexit.register
def close():
    """Ends this process's `prpf par reward`; the next response starts another."""
    global _rewarder
    with _lock:
        if _rewarder is not None and _rewarder.pid == os.getpid():
            _rewarder.close()
        _rewarder = None


def _sample(ground_truth):
    return json.loads(ground_truth)["id"]


def _text(completion):
    if isinstance(completion, str):
        return completion
    if len(completion) != 1 or completion[0]["role"] != "assistant":
        raise ValueError(f"a completion must be one assistant message, is {completion!r}")
    return completion[0]["content"]


def structured_reward(prompts, completions, ground_truth, log_metric=None, **columns):
    """TRL: `reward_funcs: [prpf_reward.structured_reward]`. The totals; means of the terms go to the metrics."""
    rewards = [_reward(_sample(truth), _text(said)) for truth, said in zip(ground_truth, completions, strict=True)]
    if log_metric is not None and rewards:
        for term in TERMS:
            log_metric(f"terms/{term}", sum(reward["terms"][term] for reward in rewards) / len(rewards))
        malformed = sum(reward["quadrant"] is None for reward in rewards)
        log_metric("terms/malformed", malformed / len(rewards))
    return [reward["total"] for reward in rewards]


def compute_score(data_source, solution_str, ground_truth, extra_info=None, **settings):
    """verl: `reward.custom_reward_function.path`. The total as `score`, the terms beside it."""
    if data_source != "prpf":
        raise ValueError(f"data_source = {data_source!r}, this function rewards the set that lies beside it: prpf")
    reward = _reward(_sample(ground_truth), solution_str)
    terms = {f"terms/{term}": reward["terms"][term] for term in TERMS}
    return {"score": reward["total"], **terms, "malformed": float(reward["quadrant"] is None)}
