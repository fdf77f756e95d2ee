"""Mixed load with broken requests for some minutes. No 5xx but deliberate 503 and 429, no lost or foreign answer, memory flat after warm-up.

  python3 benchmarks/serve/soak.py --data RUN/data/test/benchmark_zh.json --predictions RUN/cascade/predictions.jsonl --minutes 20 --server './prpf serve … --port 0 --json'

What an answer must say is known beforehand: a perception its record's p_trigger, a reward its ids and totals, a chat as many tokens as this
request alone asked for and its prompt's length.
"""
import asyncio
import collections
import json
import pathlib
import random
import time

from client import Client, Server, options, quantile, records, resident_mb, tell, texts_only, times
from bodies import MARK, bodies, broken, models_of, there


class Mix:
    """Kinds of request, each with a check of its answer; kind(draw) returns None or what was wrong."""

    def __init__(self, client, model, sources, items):
        self.client, self.model, self.sources, self.items = client, model, sources, items
        self.perceived, self.rewards, self.lengths = {}, {}, {}
        self.statuses, self.latencies = collections.Counter(), collections.defaultdict(list)

    async def post(self, kind, path, body):
        answer = await self.client.post(path, body)
        self.statuses[f"{kind} {answer.status}"] += 1
        self.latencies[kind].append(answer.whole)
        return answer

    async def learn(self):
        """Asks the quiet server for what it will be held to."""
        for i, record in enumerate(self.sources):
            answer = await self.client.post("/v1/perceive", record["reference_information"])
            if answer.status == 200:
                self.perceived[i] = answer.json()["p_trigger"]
        for i, item in enumerate(self.items):
            answer = await self.client.post("/v1/reward", {"items": [item]})
            if answer.status == 200:
                self.rewards[i] = answer.json()["items"][0]["total"]
        for words in range(1, 40):
            answer = await self.client.post("/v1/chat/completions", self.chat_body(words, 1))
            if answer.status == 200:
                self.lengths[words] = answer.json()["usage"]["prompt_tokens"]

    def chat_body(self, words, new, **more):
        return {"model": self.model, "messages": [{"role": "user", "content": "word " * words + MARK}], "max_tokens": new,
                "temperature": 0, "ignore_eos": True, **more}

    @staticmethod
    def deliberate(answer):
        """Overload is told, with when to come again; so is a part that was not loaded."""
        return answer.status in (429, 503) and ("retry-after" in answer.headers or b"was started without" in answer.body)

    async def perceive(self, draw):
        i = draw.choice(list(self.perceived))
        answer = await self.post("perceive", "/v1/perceive", self.sources[i]["reference_information"])
        if self.deliberate(answer):
            return None
        if answer.status != 200:
            return f"perceive {answer.status}"
        return None if abs(answer.json()["p_trigger"] - self.perceived[i]) < 1e-5 else "perceive: another record's answer"

    async def reward(self, draw):
        chosen = draw.sample(sorted(self.rewards), 8)
        answer = await self.post("reward", "/v1/reward", {"items": [self.items[i] for i in chosen]})
        if self.deliberate(answer):
            return None
        if answer.status != 200:
            return f"reward {answer.status}"
        got = [(item["id"], item["total"]) for item in answer.json()["items"]]
        return None if got == [(self.items[i]["id"], self.rewards[i]) for i in chosen] else "reward: other items"

    async def chat(self, draw):
        words, new, stream = draw.choice(list(self.lengths)), draw.randint(1, 24), draw.random() < 0.5
        more = {"stream": True, "stream_options": {"include_usage": True}} if stream else {}
        answer = await self.post("chat", "/v1/chat/completions", self.chat_body(words, new, **more))
        if self.deliberate(answer):
            return None
        if answer.status != 200:
            return f"chat {answer.status}"
        if stream and answer.events()[-1] is not None:
            return "chat: the stream was cut"
        usage = next(e["usage"] for e in reversed(answer.events()[:-1]) if e.get("usage")) if stream else answer.json()["usage"]
        right = usage["completion_tokens"] == new and usage["prompt_tokens"] == self.lengths[words]
        return None if right else f"chat: {usage} for {new} tokens and a prompt of {self.lengths[words]}"

    async def hang_up(self, draw):
        """Goes away in the middle of a stream."""
        reader, writer = await asyncio.open_connection(self.client.host, self.client.port)
        body = json.dumps(self.chat_body(3, 400, stream=True)).encode()
        writer.write(f"POST /v1/chat/completions HTTP/1.1\r\n{self.client.head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await reader.read(draw.randint(1, 2000))
        writer.close()
        self.statuses["hang_up"] += 1

    async def cut_off(self, draw):
        """Goes away in the middle of a body."""
        _, writer = await asyncio.open_connection(self.client.host, self.client.port)
        path = draw.choice(["/v1/reward", "/v1/perceive", "/v1/chat/completions"])
        writer.write(f"POST {path} HTTP/1.1\r\n{self.client.head}Content-Length: 1000\r\n\r\n{{".encode())
        await writer.drain()
        writer.close()
        self.statuses["cut_off"] += 1


async def main(given):
    with Server(given) as server:
        client = Client(server.url, given.key, timeout=120)
        sources = texts_only(records(given.data))[:60]
        lines = [json.loads(line) for line in pathlib.Path(given.predictions).read_text().splitlines()]
        mix = Mix(client, (await models_of(client))[0], sources, [{"id": p["id"], "response": p["response"]} for p in lines if p["response"]][:200])
        await mix.learn()
        every = bodies(mix.model, sources[0]["reference_information"])
        paths = await there(client, every)
        kinds = [kind for kind, known in ((mix.perceive, mix.perceived), (mix.reward, mix.rewards), (mix.chat, mix.lengths)) if known]
        faults, memory, end = collections.Counter(), [], time.monotonic() + 60 * given.minutes

        async def broken_request(draw):
            path = draw.choice(paths)
            answer = await mix.post("broken", path, broken(draw.choice(every[path]), draw))
            return f"broken {path} {answer.status}" if answer.status >= 500 and not mix.deliberate(answer) else None

        async def work(number):
            draw = random.Random(given.seed * 1009 + number)
            while time.monotonic() < end:
                wrong = draw.random() < given.broken
                kind = draw.choice([broken_request, broken_request, mix.hang_up, mix.cut_off] if wrong else kinds)
                try:
                    fault = await kind(draw)
                except Exception as e:
                    fault = f"{kind.__name__}: {e!r}"[:200]
                if fault:
                    faults[fault] += 1
                await asyncio.sleep(draw.expovariate(given.rate / given.clients))

        async def watch():
            while server.pid and time.monotonic() < end:
                memory.append(resident_mb(server.pid))
                await asyncio.sleep(min(5, given.minutes))

        await asyncio.gather(watch(), *(work(number) for number in range(given.clients)))
        alive = (await client.get("/health")).status == 200 and (await client.get("/ready")).status == 200
        fifth = max(1, len(memory) // 5)
        early, late = quantile(memory[fifth:2 * fifth], 0.5), quantile(memory[-fifth:], 0.5)
        tell({"scenario": "soak", "minutes": given.minutes, "requests": sum(mix.statuses.values()), "faults": dict(faults), "alive": alive,
              "kinds": [kind.__name__ for kind in kinds], "statuses": dict(sorted(mix.statuses.items())),
              "ms": {kind: times(values) for kind, values in mix.latencies.items()}, "log_lines_with_content": server.logged(MARK),
              "resident_mb": {"after_warm_up": early, "end": late, "change": round(late / early - 1, 4) if early else None}})


if __name__ == "__main__":
    asyncio.run(main(options(__doc__, ("--data", "", "records"), ("--predictions", "", "lines with id and response"),
                             ("--minutes", 20.0, "of load"), ("--clients", 16, "at once"), ("--rate", 60.0, "requests/s, at most"),
                             ("--broken", 0.05, "share of broken requests"))))
