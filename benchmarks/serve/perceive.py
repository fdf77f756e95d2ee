"""/v1/perceive at a fixed rate: the context was seen before, one frame of about 64 tokens is new, or one as long as --characters says.

  python3 benchmarks/serve/perceive.py --data RUN/data/test/benchmark_zh.json --rate 15 --seconds 30 --server './prpf serve --gate RUN/gate --port 0 --json'
"""
import asyncio
import random

from client import Client, Server, at_rate, options, records, tell, texts_only, times


async def main(given):
    sources = texts_only(records(given.data))[:given.contexts]
    letters = sorted({c for r in sources for step in r["reference_information"]["trace"] for c in step if "\u4e00" <= c <= "\u9fff"})
    draw = random.Random(given.seed)
    with Server(given) as server:
        client = Client(server.url, given.key)
        for _ in range(3):  # contexts and earlier frames are encoded, the JIT has seen the code
            for record in sources:
                answer = await client.post("/v1/perceive", record["reference_information"])
                assert answer.status == 200, answer.body

        async def ask(i, due):
            known = sources[i % len(sources)]["reference_information"]
            frame = "".join(draw.choice(letters) for _ in range(given.characters))
            answer = await client.post("/v1/perceive", {**known, "trace": known["trace"] + [frame]}, due)
            return answer.status, answer.whole

        await at_rate(given.rate, given.warm, ask)
        answers = await at_rate(given.rate, given.seconds, ask)
        good = [seconds for status, seconds in answers if status == 200]
        tell({"scenario": "perceive", "rate": given.rate, "characters": given.characters, "seconds": given.seconds, "refused": len(answers) - len(good),
              "ms": times(good)})


if __name__ == "__main__":
    asyncio.run(main(options(__doc__, ("--data", "", "records"), ("--rate", 15.0, "requests/s"), ("--seconds", 30.0, "measured"),
                             ("--warm", 10.0, "seconds before"), ("--contexts", 40, "different contexts"),
                             ("--characters", 62, "of the new frame, Chinese, a token each; [CLS] and [SEP] make 64"))))
