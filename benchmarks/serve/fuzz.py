"""Mutated bodies over all POST paths: every answer must be 2xx or 4xx (429, 503 too) in JSON or events, in time; the server lives on.

  python3 benchmarks/serve/fuzz.py --data RUN/data/test/benchmark_zh.json --requests 200000 --server './prpf serve --gate … --reasoner … --gold … --pool … --port 0 --json'
"""
import asyncio
import collections
import json
import random
import time

from client import Client, Server, by_workers, options, records, resident_mb, tell, texts_only, times
from bodies import MARK, bodies, broken, models_of, refused, there


def fault(answer):
    """What is wrong with an answer; None where it is as it must be."""
    if answer.status >= 500 and answer.status not in (503, 504) or answer.status < 200 or 300 <= answer.status < 400:
        return f"status {answer.status}"
    kind = answer.headers.get("content-type", "")
    try:
        if kind.startswith("text/event-stream"):
            return None if answer.events() else "no event"
        if answer.status == 204:
            return None
        body = answer.json()
        if answer.status >= 400 and not body["error"]["message"]:
            return "no message"
        return None
    except (ValueError, KeyError, TypeError) as e:
        return f"not as said: {kind} {e!r}"[:200]


async def main(given):
    with Server(given) as server:
        client = Client(server.url, given.key, timeout=given.limit)
        record = texts_only(records(given.data))[0]["reference_information"]
        model, encoder = await models_of(client)
        opened = await client.post("/v1/sessions", {"profile": MARK, "phone": "电量15%。", "world": "现在是晚上9点半。"})
        every = bodies(model, record, encoder, opened.json()["id"] if opened.status == 200 else None)
        whole = await refused(client, every)
        paths = await there(client, every)
        statuses, faults, slow, latencies = collections.Counter(), [], 0, collections.defaultdict(list)

        async def ask(i):
            draw = random.Random(given.seed * 1_000_003 + i)
            path = paths[i % len(paths)]
            body = broken(draw.choice(every[path]), draw)
            try:
                answer = await client.post(path, body)
                statuses[f"{path} {answer.status}"] += 1
                latencies[path].append(answer.whole)
                wrong = fault(answer)
            except Exception as e:  # what the client saw instead of an answer is the finding
                wrong = repr(e)
            if wrong:
                faults.append({"request": i, "path": path, "fault": wrong, "body": body.decode(errors="backslashreplace")[:2000]})

        before, begin = resident_mb(server.pid) if server.pid else None, time.perf_counter()
        await by_workers(given.clients, given.requests, ask)
        seconds = time.perf_counter() - begin
        alive = (await client.get("/health")).status == 200 and (await client.get("/ready")).status == 200
        tell({"scenario": "fuzz", "requests": given.requests, "seconds": round(seconds, 1), "faults": len(faults), "alive": alive,
              "refused_whole": whole, "absent": sorted(set(every) - set(paths)), "statuses": dict(sorted(statuses.items())),
              "ms": {path: times(latencies[path]) for path in paths}, "log_lines_with_content": server.logged(MARK),
              "resident_mb": [before, resident_mb(server.pid) if server.pid else None]})
        with open(given.faults, "w") as out:
            out.writelines(json.dumps(f, ensure_ascii=False) + "\n" for f in faults)


if __name__ == "__main__":
    asyncio.run(main(options(__doc__, ("--data", "", "records"), ("--requests", 200_000, "bodies"), ("--clients", 16, "at once"),
                             ("--limit", 60.0, "seconds an answer may take"), ("--faults", "fuzz-faults.jsonl", "where faults are written"))))
