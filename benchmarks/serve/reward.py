"""/v1/reward at a fixed rate, eight responses a request; every total is compared with the one of a quiet server.

  python3 benchmarks/serve/reward.py --predictions RUN/cascade/predictions.jsonl --server './prpf serve --gold G --pool P --port 0 --json'
"""
import asyncio
import json
import pathlib
import random

from client import Client, Server, at_rate, options, tell, times


async def main(given):
    lines = [json.loads(line) for line in pathlib.Path(given.predictions).read_text().splitlines()]
    items = [{"id": line["id"], "response": line["response"]} for line in lines if line["response"]]
    draw = random.Random(given.seed)
    groups = [draw.sample(items, given.responses) for _ in range(200)]
    bodies = [json.dumps({"items": group}, ensure_ascii=False).encode() for group in groups]
    with Server(given) as server:
        client = Client(server.url, given.key)
        expected = []
        for body in bodies:
            answer = await client.post("/v1/reward", body)
            assert answer.status == 200, answer.body
            expected.append([(item["id"], item["total"]) for item in answer.json()["items"]])

        async def ask(i, due):
            answer = await client.post("/v1/reward", bodies[i % len(bodies)], due)
            if answer.status != 200:
                return answer.status, answer.whole, True
            got = [(item["id"], item["total"]) for item in answer.json()["items"]]
            return 200, answer.whole, got == expected[i % len(bodies)]

        await at_rate(given.rate, given.warm, ask)
        answers = await at_rate(given.rate, given.seconds, ask)
        good = [seconds for status, seconds, _ in answers if status == 200]
        tell({"scenario": "reward", "rate": given.rate, "responses": given.responses, "seconds": given.seconds,
              "refused": len(answers) - len(good), "wrong": sum(not right for _, _, right in answers), "ms": times(good),
              "body_bytes": sum(map(len, bodies)) // len(bodies)})


if __name__ == "__main__":
    asyncio.run(main(options(__doc__, ("--predictions", "", "lines with id and response"), ("--rate", 1000.0, "requests/s"),
                             ("--responses", 8, "a request"), ("--seconds", 20.0, "measured"), ("--warm", 15.0, "seconds before"))))
