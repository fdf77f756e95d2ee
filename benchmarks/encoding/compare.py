"""`data encode` beside Python on the same models, inputs and threads, one after the other, several times; medians and ratios.

usage: compare.py texts TEXTS.json THREADS TIMES MODEL.onnx TOKENIZER.json
       compare.py ocr IMAGES.json THREADS TIMES DET.onnx REC.onnx KEYS.txt
Run it with the Python that has the peers' packages, from anywhere. Both sides count from when they begin to load the models,
ours with its first, interpreted seconds. CPU is user + system time of the whole process, start and loading included.
"""
import json, os, statistics, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
kind, inputs, threads, times = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
count = len(json.load(open(inputs, encoding="utf-8")))


def run(command):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")], usage.ru_utime + usage.ru_stime


def ours(scratch):
    option = "--texts" if kind == "texts" else "--image-paths"
    lines, cpu = run([os.path.join(here, "..", "..", "prpf"), "data", "encode", option, inputs, "--threads", threads,
                      "--out", os.path.join(scratch, "ours.safetensors"), "--json"])
    return {"ours": (lines[0]["seconds"], cpu)}


def peer(scratch):
    if kind == "texts":
        settings = {f"onnxruntime {way}": [os.path.join(here, "peer_texts.py"), *sys.argv[5:7], inputs, threads, way]
                    for way in ("1", "8", "32")}
    else:
        settings = {f"rapidocr {way}": [os.path.join(here, "peer_ocr.py"), inputs, threads, way, *sys.argv[5:8]]
                    for way in ("default", "matched")}
    seen = {}
    for name, command in settings.items():
        lines, cpu = run([sys.executable, *command])
        seen[name] = (lines[0]["seconds"], cpu)
    return seen


rounds = []
with tempfile.TemporaryDirectory() as scratch:
    for i in range(times):
        rounds.append({**peer(scratch), **ours(scratch)} if i % 2 else {**ours(scratch), **peer(scratch)})
        print(json.dumps(rounds[-1]), file=sys.stderr, flush=True)
for name in sorted(rounds[0]):
    wall = statistics.median(r[name][0] for r in rounds)
    cpu = statistics.median(r[name][1] for r in rounds)
    ratio = statistics.median(r[name][0] / r["ours"][0] for r in rounds)
    cpu_ratio = statistics.median(r[name][1] / r["ours"][1] for r in rounds)
    print(f"{name:24} {count / wall:8.2f} a second   {1000 * cpu / count:7.1f} CPU ms each   "
          f"ours is {ratio:.2f} times as fast, {cpu_ratio:.2f} by CPU time")
