"""Runs the parts of the kit, each in a process of its own under a time limit, and writes what they print to one JSON file.

usage: kit.py [PART …]      environment: DEVICE (cuda or cpu), SHAPE, RESULTS, PYTORCH_LIBRARY_PATH (another libtorch for the Java parts)

Needs Python's standard library only, so that a part that cannot load PyTorch, hangs or crashes costs nothing but its own time. The file is written
again after every part. Ends with 0 if every part is done, 1 if one is not, 2 for a wrong argument and 69 without the device.
"""
import datetime
import glob
import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DEVICE = os.environ.get("DEVICE", "cuda")
TOTAL = 590  # seconds on a card
PATIENCE = 1 if DEVICE == "cuda" else 6  # limits on the processor, times those of a card
LINES = 20
COSINE, COSINE_OF_DELTA_NETS = 0.999, 0.98  # smallest of a bf16 golden, as DecoderGoldenTest asks of kernel linear
DELTA_NETS = ("qwen3_5", "qwen3_5_vl")


class Part:
    """A command, the seconds that it may take on a card, and the part without which it cannot run."""

    def __init__(self, name, limit, command, needs=None, check=None):
        self.name, self.limit, self.command, self.needs, self.check = name, limit * PATIENCE, command, needs, check


def goldens(dtype):
    command = [sys.executable, ROOT / "benchmarks/torchscript/run_goldens.py", "--device", DEVICE, "--dtype", dtype]
    return command + (["--threads", "1"] if DEVICE == "cpu" else [])


def bf16_goldens(lines):
    """Yields a message for each bf16 golden below the rule; run_goldens.py itself judges those in fp32."""
    for line in lines:
        least = COSINE_OF_DELTA_NETS if line["checkpoint"] in DELTA_NETS else COSINE
        if not line.get("smallest_cosine", 0) >= least:
            yield f"{line['checkpoint']}: smallest_cosine = {line.get('smallest_cosine')}, must be at least {least}"


def parts(java):
    """All parts in order. java: the arguments of prpf -> a command"""
    tiny = os.environ.get("SHAPE") == "tiny"
    configs, data, quick = ROOT / "configs", "data/benchmark_zh.json", ["--set", "training.dev-share=0", "--set", "training.selection=last"]
    subject = ["--reasoner", "base", "--prompt", "32", "--new", "8"] if tiny else ["--shape", "135m", "--prompt", "128", "--new", "32"]
    batches = "1,8" if DEVICE == "cpu" else "1,8,64"
    return [
        Part("goldens-fp32", 40, goldens("fp32")),
        Part("goldens-bf16", 60, goldens("bf16"), check=bf16_goldens),
        Part("speed", 120, [sys.executable, HERE / "speed.py"]),
        Part("training", 70, [sys.executable, HERE / "training.py"]),
        Part("memory", 115, [sys.executable, HERE / "memory.py"]),
        Part("java-data", 15, java("data", "synth", "--out", "data", "--count", "24", "--multimodal-share", "0", "--json")),
        Part("java-load", 20, java(
            "reasoner", "init", "--config", configs / "reasoner-init.yaml", "--text", data, "--out", "base", "--set", "model.hidden-size=64",
            "--set", "model.intermediate-size=128", "--set", "model.layers=2", "--json"), needs="java-data"),
        Part("java-sft", 25, java(
            "reasoner", "sft", "--config", configs / "reasoner-sft.yaml", "--reasoner", "base", "--data", data, "--run-dir", "sft", "--json",
            "--set", "training.batch-size=4", "--set", "training.epochs=1", "--set", "training.samples=0", *quick), needs="java-load"),
        Part("java-grpo", 30, java(
            "reasoner", "grpo", "--config", configs / "reasoner-grpo.yaml", "--reasoner", "sft/model", "--data", data, "--run-dir", "grpo", "--json",
            "--set", "training.max-steps=3", "--set", "training.prompts-per-step=2", "--set", "rollouts.group-size=4",
            "--set", "rollouts.max-new-tokens=16", *quick), needs="java-sft"),
        Part("java-eval", 25, java(
            "eval", "run", "--data", data, "--gating", "off", "--compress", "off", "--reasoner", "sft/model", "--out", "eval/predictions.jsonl",
            "--max-new", "16", "--json"), needs="java-sft"),
        Part("java-bench", 60, java("reasoner", "bench", *subject, "--dtype", "fp32,bf16", "--batch", batches, "--rounds", "1", "--json"), needs="java-load"),
    ]


class Libtorch:
    """The libtorch of Python's PyTorch, or of PYTORCH_LIBRARY_PATH, for DJL."""

    def __init__(self, work):
        named = os.environ.get("PYTORCH_LIBRARY_PATH")
        found = importlib.util.find_spec("torch")  # does not import it
        self.folder = pathlib.Path(named) if named else pathlib.Path(found.origin).parent / "lib" if found and found.origin else None
        self.source, self.view, self.djl = "PYTORCH_LIBRARY_PATH" if named else "PyTorch", work / "libtorch", {}

    def version(self):
        file = self.folder.parent / "version.py"
        match = re.search(r"__version__ = '([^']+)'", file.read_text()) if file.exists() else None
        return match[1] if match else None

    def prepare(self, runtime):
        """Makes a folder of links to the libraries that DJL loads, with its JNI next to them; returns their facts."""
        self.view.mkdir()
        cuda = ["libc10_cuda.so", "libtorch_cuda.so", "libtorch_cuda_linalg.so"] if DEVICE == "cuda" else []
        for pattern in ["libc10.so", "libtorch_cpu.so", "libtorch.so", "libgomp*", *cuda]:
            for file in glob.glob(str(self.folder / pattern)):
                (self.view / pathlib.Path(file).name).symlink_to(file)
        (engine,), (jni,) = runtime.glob("jars/pytorch-engine-*.jar"), runtime.glob("jars/pytorch-jni-*.jar")
        version = engine.stem.removeprefix("pytorch-engine-")
        library = self.view / f"{version}-libdjl_torch.so"
        with zipfile.ZipFile(jni) as jar:
            flavors = [name.split("/")[2] for name in jar.namelist() if re.fullmatch(r"jnilib/linux-x86_64/\w+/libdjl_torch\.so", name)]
            flavor = max(flavor for flavor in flavors if (flavor == "cpu") == (DEVICE == "cpu"))
            library.write_bytes(jar.read(f"jnilib/linux-x86_64/{flavor}/libdjl_torch.so"))
        self.djl = {"PYTORCH_VERSION": jni.stem.split("-")[2], "PYTORCH_FLAVOR": flavor}
        return {"source": self.source, "version": self.version(), "jni": jni.name, "flavor": flavor, "undefined_symbols": self.undefined(library)}

    def undefined(self, library):
        """Mangled symbols of the JNI that the libraries do not define; null if ldd cannot be run."""
        try:
            ldd = subprocess.run(["ldd", "-r", library], capture_output=True, text=True, timeout=30, env={**os.environ, "LD_LIBRARY_PATH": str(self.folder)})
        except (OSError, subprocess.TimeoutExpired):
            return None
        return sorted(set(re.findall(r"undefined symbol: (\S+)", ldd.stdout + ldd.stderr)))

    def environment(self):
        """The environment variables of DJL, which finds a card by a libcudart.so without a version in its name."""
        extra = {"PYTORCH_LIBRARY_PATH": str(self.view), **self.djl}
        places = [str(self.folder)]
        runtimes = glob.glob(str(self.folder.parents[1] / "nvidia/*/lib/libcudart.so.*")) if DEVICE == "cuda" else []
        if runtimes:
            link = self.view.parent / "cuda/libcudart.so"
            link.parent.mkdir(exist_ok=True)
            link.unlink(missing_ok=True)
            link.symlink_to(runtimes[0])
            places = [str(link.parent), str(pathlib.Path(runtimes[0]).parent), *places]
        extra["LD_LIBRARY_PATH"] = ":".join([*places, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])])
        return extra


class Run:
    """One run of the kit and its result file."""

    def __init__(self, results, work):
        self.work, self.begin = work, time.monotonic()
        card = card_name()
        self.result = {"card": card, "device": DEVICE, "shape": os.environ.get("SHAPE"), "begun": datetime.datetime.now().isoformat(timespec="seconds"),
                       "python": sys.version.split()[0], "cores": os.cpu_count(), "load_average": os.getloadavg()[0], "kit": packed(), "libtorch": None,
                       "seconds": 0, "parts": {}}
        slug = re.sub(r"[^a-z0-9]+", "-", card.lower()).strip("-")
        self.file = results / f"{slug}-{time.strftime('%Y%m%dT%H%M%S')}.json"
        self.runtime, self.missing = unpacked(work)
        self.libtorch = Libtorch(work)
        if self.runtime and self.libtorch.folder is None:
            self.missing = "no libtorch found: install PyTorch, or name a folder in PYTORCH_LIBRARY_PATH"
        elif self.runtime and not (self.libtorch.folder / "libtorch_cpu.so").exists():
            self.missing = f"{self.libtorch.folder} has no libtorch_cpu.so: name a folder of libtorch in PYTORCH_LIBRARY_PATH"

    def java(self, *arguments):
        options = ["-Xmx2g", "-Dfile.encoding=UTF-8", "-Djava.awt.headless=true", "-Dai.djl.offline=true", "-Dai.djl.pytorch.num_threads=2",
                   f"-XX:ErrorFile={self.work}/crash.log", f"-Dprpf.root={ROOT}"]
        runtime = self.runtime or pathlib.Path("java")
        return [runtime / "bin/java", *options, "-cp", f"{runtime}/jars/*", "dev.prpf.cli.Main", *arguments]

    def run(self, wanted):
        if not self.missing and any(name.startswith("java") for name in wanted):
            self.result["libtorch"] = self.libtorch.prepare(self.runtime)
        for part in parts(self.java):
            if part.name in wanted:
                self.result["parts"][part.name] = outcome = self.part(part)
                self.result["seconds"] = round(time.monotonic() - self.begin, 1)
                self.write()
                print(f"{part.name}: {outcome['status']} in {outcome['seconds']} s", file=sys.stderr, flush=True)
        return all(outcome["status"] == "done" for outcome in self.result["parts"].values())

    def part(self, part):
        of_java, rest = part.name.startswith("java"), TOTAL * PATIENCE - (time.monotonic() - self.begin)
        limit = min(part.limit, rest)
        before = self.result["parts"].get(part.needs, {"status": "done"})
        if of_java and self.missing:
            return skipped(self.missing)
        if before["status"] != "done":
            return skipped(f"{part.needs} was not done")
        if rest < 5:
            return skipped("the time of the whole kit is over")
        environment = {**os.environ, "DEVICE": DEVICE, "KIT_DEADLINE": str(time.time() + limit - 5), "HF_HUB_OFFLINE": "1",
                       "PYTHONFAULTHANDLER": "1", "OMP_WAIT_POLICY": "passive", "MALLOC_ARENA_MAX": "1"}
        if of_java:
            environment |= {"OMP_NUM_THREADS": "2", "GOMP_SPINCOUNT": "5000", "DJL_CACHE_DIR": str(self.work / "djl"), **self.libtorch.environment()}
        if DEVICE == "cpu":
            environment["CUDA_VISIBLE_DEVICES"] = ""
        return self.outcome(part, *execute(part.command, environment, limit, self.work))

    def outcome(self, part, status, seconds, out, err):
        """The entry of a part in the result."""
        lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        wrong = list(part.check(lines)) if part.check and status == 0 else []
        word = "timed out" if status is None else "failed" if status or wrong else "done"
        outcome = {"status": word, "seconds": round(seconds, 1), "exit": status, "lines": lines}
        if word != "done":
            crash = self.work / "crash.log"
            errors = wrong or [line.rstrip().replace(str(ROOT), ".") for line in err.splitlines() if line.strip()]
            errors = errors[:LINES] if part.name.startswith("java") else errors[-LINES:]  # a traceback's cause is at its end
            if crash.exists():
                errors += crash.read_text(errors="replace").splitlines()[:LINES]
                crash.unlink()
            outcome["error"] = errors
        return outcome

    def write(self):
        self.file.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.file.with_suffix(".tmp")
        temporary.write_text(json.dumps(self.result, indent=1, ensure_ascii=False) + "\n")
        temporary.replace(self.file)


def skipped(why):
    return {"status": "skipped", "seconds": 0.0, "error": [why]}


def execute(command, environment, limit, work):
    """Status (null when the limit ended it), seconds, standard output and error of a command and all that it starts."""
    begin = time.monotonic()
    with open(work / "out", "w+b") as out, open(work / "err", "w+b") as err:
        process = subprocess.Popen([str(word) for word in command], cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   start_new_session=True)
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
            os.killpg(process.pid, signal.SIGABRT)  # Python's faulthandler writes where it stood
            time.sleep(1)
            os.killpg(process.pid, signal.SIGKILL)
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                pass  # a process that waits for a driver that hangs cannot be killed: the next part begins without it
        return status, time.monotonic() - begin, *(pathlib.Path(file.name).read_text(errors="replace") for file in (out, err))


def unpacked(work):
    """The folder of the Java runtime and the jars, and null; or null and the reason why it is missing."""
    archive = ROOT / "java.tar.xz"
    if not archive.exists():
        return None, "java.tar.xz is missing: pack.sh makes it"
    try:
        with tarfile.open(archive) as tar:
            tar.extractall(work / "java", **({"filter": "tar"} if hasattr(tarfile, "tar_filter") else {}))
    except (tarfile.TarError, OSError, EOFError) as error:
        return None, f"java.tar.xz cannot be unpacked: {error}"
    return work / "java", None


def packed():
    """The facts that pack.sh recorded; null in a checkout."""
    file = ROOT / "kit.json"
    return json.loads(file.read_text()) if file.exists() else None


def card_name():
    """The card's name by nvidia-smi, else by PyTorch; the processor's with DEVICE=cpu. Ends with 69 without a card."""
    if DEVICE == "cpu":
        return next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "cpu")
    for command in (["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"],
                    [sys.executable, "-c", "import torch; print(torch.cuda.get_device_name())"]):
        try:
            named = subprocess.run(command, capture_output=True, text=True, timeout=40)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if named.returncode == 0 and named.stdout.strip():
            return named.stdout.splitlines()[0].strip()
    fail(69, "no NVIDIA card found: nvidia-smi and PyTorch name none; DEVICE=cpu ./run.sh measures the processor")


def fail(status, message):
    print(f"error: {message}", file=sys.stderr)
    sys.exit(status)


def main():
    needs = {part.name: part.needs for part in parts(lambda *arguments: arguments)}
    wanted = set(sys.argv[1:] or needs)
    if DEVICE not in ("cuda", "cpu"):
        fail(2, f"DEVICE = {DEVICE} must be cuda or cpu")
    for name in sys.argv[1:]:
        if name not in needs:
            fail(2, f"no part is named {name}; parts are {', '.join(needs)}")
        while needs[name]:
            name = needs[name]
            wanted.add(name)
    work = pathlib.Path(tempfile.mkdtemp(prefix="prpf-gpu-kit-"))
    try:
        run = Run(pathlib.Path(os.environ.get("RESULTS") or HERE / "results"), work)
        done = run.run(wanted)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(run.file)
    sys.exit(0 if done else 1)


if __name__ == "__main__":
    main()
