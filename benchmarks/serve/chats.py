"""Concurrent streaming chats (tokens/s, time to the first token), and what a shared prefix saves.

  python3 benchmarks/serve/chats.py --clients 16 --prompt 64 --new 128 --server './prpf serve --reasoner MODEL --port 0 --json'
Compare it with `benchmarks/run reasoner/SequencesCommand.java --reasoner MODEL --scheduler` and, with --url, with llama-server -np 16.
"""
import asyncio
import random
import re
import statistics
import time

from client import Client, Server, by_workers, options, tell, times

WORDS = "time year people way day man thing woman life child world school state family student group country problem hand part".split()


class Chats:
    """Asks one model, streaming, greedily, for exactly as many tokens as said."""

    def __init__(self, client, model, draw):
        self.client, self.model, self.draw = client, model, draw

    def words(self, count):
        return " ".join(self.draw.choice(WORDS) for _ in range(count))

    async def chat(self, text, new):
        body = {"model": self.model, "messages": [{"role": "user", "content": text}], "max_tokens": new, "temperature": 0,
                "ignore_eos": True, "stream": True, "stream_options": {"include_usage": True}}
        answer = await self.client.post("/v1/chat/completions", body)
        assert answer.status == 200, (answer.status, answer.body[:500])
        events = answer.events()
        assert events[-1] is None, "no [DONE]"
        usage = next(event["usage"] for event in reversed(events[:-1]) if event.get("usage"))
        return answer.first_text(), answer.whole, usage

    async def of_tokens(self, tokens, begin=""):
        """A text whose prompt has about so many tokens, found by asking."""
        count = max(1, tokens // 8)  # from below: a guess above the context is refused
        for _ in range(8):
            text = begin + self.words(count)
            _, _, usage = await self.chat(text, 1)
            if abs(usage["prompt_tokens"] - tokens) <= max(1, tokens // 50):
                break
            count = max(1, round(count * tokens / usage["prompt_tokens"]))
        return count

    async def prefix(self, tokens):
        """First and second time to the first token of prompts that share all but their end."""
        count = await self.of_tokens(tokens)
        shared = self.words(count)
        first, _, _ = await self.chat(shared + " one", 2)
        second, _, usage = await self.chat(shared + " two", 2)
        return {"prompt_tokens": usage["prompt_tokens"], "first_ms": round(1000 * first, 1),
                "second_ms": round(1000 * second, 1), "of_first": round(second / first, 3)}


async def first_tokens(client):
    """The server's own times to the first token: a bound for 99 % of them (a model of random weights may write no text for long)."""
    text = (await client.get("/metrics")).body.decode()
    name = "prpf_time_to_first_token_seconds"
    buckets = [(float(bound), float(count)) for bound, count in re.findall(name + r'_bucket\{.*?le="([\d.]+)"\} ([\d.]+)', text)]
    return next((bound for bound, count in buckets if count >= 0.99 * buckets[-1][1]), None)


async def main(given):
    with Server(given) as server:
        client = Client(server.url, given.key, timeout=600)
        model = (await client.get("/v1/models")).json()["data"][0]["id"]
        chats = Chats(client, model, random.Random(given.seed))
        count = await chats.of_tokens(given.prompt)
        rounds = []
        for _ in range(given.rounds):
            texts = [chats.words(count) for _ in range(given.clients * given.each)]
            begin = time.perf_counter()
            answers = await by_workers(given.clients, len(texts), lambda i: chats.chat(texts[i], given.new))
            seconds = time.perf_counter() - begin
            wrong = sum(usage["completion_tokens"] != given.new for _, _, usage in answers)
            tokens = sum(usage["completion_tokens"] for _, _, usage in answers)
            prompt = sum(usage["prompt_tokens"] for _, _, usage in answers)
            rounds.append({"tok_s": round(tokens / seconds, 1), "prompt_tokens": prompt / len(texts), "wrong": wrong,
                           "first_token_ms": times([first for first, _, _ in answers])})
        first = await first_tokens(client)
        prefixes = [await chats.prefix(given.prefix) for _ in range(3)] if given.prefix else []
        tell({"scenario": "chats", "model": model, "clients": given.clients, "new": given.new,
              "tok_s": statistics.median(r["tok_s"] for r in rounds), "rounds": rounds, "first_token_p99_at_most_s": first,
              "prefix": prefixes})


if __name__ == "__main__":
    asyncio.run(main(options(__doc__, ("--clients", 16, "at once"), ("--prompt", 64, "tokens of a prompt"), ("--new", 128, "tokens"),
                             ("--each", 2, "chats a client"), ("--rounds", 3, "of all"), ("--prefix", 1500, "tokens; 0 for none"))))
