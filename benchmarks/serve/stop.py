"""SIGTERM while chats stream and texts are embedded: what was under way ends, what is new is refused, the process ends with 0 and leaves no crash log.

  python3 benchmarks/serve/stop.py --server './prpf serve --gate RUN/gate --reasoner RUN/reasoner-grpo/model --port 0 --json'
  python3 benchmarks/serve/stop.py --cut 1 --server '… --set http.drain-timeout=1'      (work that takes longer is cut off)
"""
import asyncio
import json
import pathlib
import random
import signal
import time

from client import Client, Server, options, tell

TEXTS, CHARACTERS = 8, 1500  # of one request for embeddings: seconds of work


async def chat(client, model, new):
    body = {"model": model, "messages": [{"role": "user", "content": "Tell me."}], "max_tokens": new, "ignore_eos": True, "stream": True}
    try:
        answer = await client.post("/v1/chat/completions", body)
        return "whole" if answer.status == 200 and answer.events()[-1] is None else str(answer.status)
    except (asyncio.IncompleteReadError, ConnectionError):
        return "cut"


async def embed(client, model, draw):
    texts = ["".join(chr(draw.randrange(0x4e00, 0x9fa5)) for _ in range(CHARACTERS)) for _ in range(TEXTS)]
    try:
        return str((await client.post("/v1/embeddings", {"model": model, "input": texts})).status)
    except (asyncio.IncompleteReadError, ConnectionError):
        return "cut"


async def main(given):
    draw = random.Random(given.seed)
    before = set(pathlib.Path.cwd().glob("hs_err*"))
    with Server(given) as server:
        client = Client(server.url, given.key, timeout=300)
        models = [model["id"] for model in (await client.get("/v1/models")).json()["data"]]
        await embed(client, models[-1], draw)  # loads the encoder
        work = [asyncio.create_task(chat(client, models[0], given.new)) for _ in range(given.chats)]
        work += [asyncio.create_task(embed(client, models[-1], draw)) for _ in range(given.embeddings)]
        await asyncio.sleep(given.wait)
        begun = sum(not task.done() for task in work)
        server.process.send_signal(signal.SIGTERM)
        start = time.perf_counter()
        await asyncio.sleep(0.5)
        try:
            late = (await Client(server.url, given.key).get("/v1/models")).status
        except ConnectionError:
            late = None  # it listens no more
        ended = await asyncio.gather(*work)
        code = await asyncio.to_thread(server.process.wait, 300)
        result = {"scenario": "stop", "under_way": begun, "ended": {word: ended.count(word) for word in sorted(set(ended))}, "late": late,
                  "exit": code, "seconds": round(time.perf_counter() - start, 2),
                  "crash_logs": [str(log) for log in set(pathlib.Path.cwd().glob("hs_err*")) - before]}
    tell(result)
    whole = given.cut or set(ended) <= {"whole", "200"}
    if code != 0 or result["crash_logs"] or not begun or not whole or late not in (503, None):
        raise SystemExit(f"not as it should be: {json.dumps(result)}")


if __name__ == "__main__":
    asyncio.run(main(options(__doc__, ("--chats", 4, "streams"), ("--embeddings", 2, "requests for embeddings"), ("--new", 300, "tokens a chat"),
                             ("--wait", 1.0, "seconds before the signal"), ("--cut", 0, "1: work may be cut off"))))
