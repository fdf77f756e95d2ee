"""An hour of attacks by one API key: python3 benchmarks/serve/hour.py --help

Single attacks of tenants.py and all of them at once alternate, while another key sends its usual requests. The output has one JSON object a phase:
the other key's times and failures, the attacker's statuses, memory. With --pid or --server, at each minute of --dumps a full collection and the
classes that take most of the heap. The attacks `accounts` and `feedback` need a server with --policy.
"""
import asyncio
import json
import multiprocessing
import queue
import subprocess
import time

import client
import tenants

ATTACKS = ("slow_bodies", "patterns", "deep_bodies", "large_images", "many_values", "images", "moments", "sessions", "embeddings",
           "long_texts", "generations", "schemas", "accounts", "feedback")


def say(kind, value):
    print(json.dumps({"at": time.strftime("%T"), kind: value}), flush=True)


def jcmd(pid, command):
    return subprocess.run(["jcmd", str(pid), command], capture_output=True, text=True).stdout.splitlines()


def heap(pid):
    """Megabytes of live objects after a full collection, in all and of the largest classes."""
    lines = [line.split() for line in jcmd(pid, "GC.class_histogram")]
    rows = [(line[3], int(line[2])) for line in lines if len(line) >= 4 and line[0].endswith(":")]
    return {"live_mb": round(sum(size for _, size in rows) / 2**20, 1), "resident_mb": client.resident_mb(pid),
            "classes": {name: round(size / 2**20, 1) for name, size in rows[:6]}}


async def phase(attacks, victim, names, seconds):
    told = multiprocessing.Queue()
    attacker = multiprocessing.Process(target=tenants.attack, args=(attacks, names, told), daemon=True)
    attacker.start()
    told.get(timeout=120)
    result = await victim.measure(seconds)
    attacker.terminate()
    try:
        counts = told.get(timeout=60)
    except queue.Empty:
        counts = "unknown: the attacker did not stop in time"
    attacker.kill()
    attacker.join()
    return {"attack": names[0] if len(names) == 1 else "all", "refused": result["refused"], "attacker": counts,
            "sent": sum(times["n"] for times in result["ms"].values()),
            "p50_max": {kind: [times["p50"], times["max"]] for kind, times in result["ms"].items()}}


async def run(options, server):
    models = (await client.Client(server.url, options.victim).get("/v1/models")).json()
    encoder = models["data"][-1]["id"]
    victim = tenants.Victim(server.url, options.victim, encoder, options.rate)
    await victim.measure(5)  # loads encoders
    say("idle", await victim.measure(30))
    attacks = tenants.Attacks(server.url, options, encoder)
    dumps = [float(minute) for minute in options.dumps.split(",") if minute]
    names = [name for name in options.attacks.split(",") if name]
    begin, count, refused, sent = time.time(), 0, {}, 0
    while time.time() - begin < 60 * options.minutes:
        chosen = [names[count // 2 % len(names)]] if count % 2 else names
        result = await phase(attacks, victim, chosen, options.seconds)
        count, sent = count + 1, sent + result["sent"]
        minute = (time.time() - begin) / 60
        say("phase", {"minute": round(minute, 1), **result})
        for kind, number in result["refused"].items():
            refused[kind] = refused.get(kind, 0) + number
        if server.pid and dumps and minute >= dumps[0]:
            say("heap", {"minute": dumps.pop(0), **heap(server.pid)})
    say("total", {"sent": sent, "refused": refused})
    await asyncio.sleep(20)
    say("idle", await victim.measure(30))
    if server.pid:
        say("heap", {"minute": "one after the end", **heap(server.pid)})


def main():
    options = client.options(
        __doc__.splitlines()[0], ("--victim", "", "the other API key"), ("--rate", 0.5, "requests/s of each kind"),
        ("--seconds", 55.0, "of each phase"), ("--minutes", 60.0, "in all"), ("--image", "", "a JPEG"),
        ("--dumps", "5,15,25,60", "minutes at which the heap is counted"), ("--function", tenants.FUNCTION, "a call of the server's pool"),
        ("--attacks", ",".join(ATTACKS), "names, with commas"))
    with client.Server(options) as server:
        asyncio.run(run(options, server))
    client.tell({})


if __name__ == "__main__":
    main()
