"""One API key attacks, another key's requests are measured next to it: python3 benchmarks/serve/tenants.py --help

The victim sends each of its requests at a fixed rate, in turn without an attack and during one, then during all attacks at once (--minutes).
The result has the victim's times and refusals, and for each attack the ratios of its median and p99 to those without an attack right before.
"""
import asyncio
import base64
import json
import multiprocessing
import os
import pathlib
import signal
import struct
import time
import zlib

import client

FUNCTION = '{"name": "start_workout", "parameters": {"workout_type": "x"}}'
FAILED = (OSError, EOFError, asyncio.TimeoutError, asyncio.IncompleteReadError)
numbers = iter(range(10 ** 9))


def fresh(length):
    """A text of Chinese characters that was not sent before."""
    return "".join(chr(0x4E00 + (next(numbers) * 7919 + i * 31) % 20000) for i in range(length))


def moment(characters, steps=1, image=None):
    trace = [fresh(characters // steps) for _ in range(steps)]
    return {"profile": "profile", "phone": "phone", "world": "world",
            "trace": trace if image is None else [{"source": "picture", "picture": image}]}


def chat(tokens, **more):
    return {"messages": [{"role": "user", "content": f"hello {next(numbers)}"}], "max_tokens": tokens, **more}


def schema(pattern):
    value = {"type": "object", "properties": {f"x{next(numbers)}": {"type": "string", "pattern": pattern}}}
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": value}}}


def nested(inner, wrap):
    pattern = inner
    while len(wrap % pattern) <= 480 and pattern.count("(") < 31:
        pattern = wrap % pattern
    return "^x" + pattern + "$"


def png(content):
    """8 x 8 pixels and a private chunk."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    rows = zlib.compress(b"\0" * (8 * 25))
    png = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0))
           + chunk(b"prPf", content) + chunk(b"IDAT", rows) + chunk(b"IEND", b""))
    return "data:image/png;base64," + base64.b64encode(png).decode()


class Attacks:
    """The attacks of a key. Large bodies are made once, before the attacking processes start."""

    def __init__(self, url, options, encoder):
        self.url, self.key, self.encoder, self.function, self.counts = url, options.key, encoder, json.loads(options.function), {}
        data = pathlib.Path(options.image).read_bytes() if options.image else None
        self.image = data and "data:image/jpeg;base64," + base64.b64encode(data).decode()
        unit = "[" * 900 + "]" * 900 + ","
        self.deep = json.dumps(chat(4, structured_outputs={"json": "[" + unit * 17222 + "0]"})).encode()
        flat = {"json": "[" + "{}," * 40_000 + "0]"}
        self.long = json.dumps({**chat(4, structured_outputs=flat), "user": "x" * 30_000_000}).encode()
        self.values = json.dumps({"x": [str(i) for i in range(28_000)], "prompt": "hi"}).encode()
        self.pictures = [json.dumps(moment(10, image=png(bytes([i]) * 12_000_000))).encode() for i in range(4)]
        self.frame = json.dumps({"image": png(bytes(5_900_000))}).encode()

    def note(self, name, status):
        counts = self.counts.setdefault(name, {})
        counts[status] = counts.get(status, 0) + 1

    async def repeat(self, name, workers, path, body):
        """Requests one after the other on a number of connections; body is made for each."""
        async def work():
            own = client.Client(self.url, self.key, 60)
            while True:
                try:
                    self.note(name, (await own.post(path, body())).status)
                except FAILED as fault:
                    self.note(name, type(fault).__name__)
                    await asyncio.sleep(0.2)
        await asyncio.gather(*(work() for _ in range(workers)))

    async def slow_bodies(self):
        """248 bodies of 1,150 bytes/s."""
        async def one():
            own = client.Client(self.url, self.key)
            while True:
                reader, writer = await asyncio.open_connection(own.host, own.port)
                try:
                    writer.write(f"POST /v1/perceive HTTP/1.1\r\n{own.head}Content-Length: 30000000\r\n\r\n{{".encode())
                    answer = asyncio.create_task(reader.readline())
                    while not answer.done():
                        writer.write(b" " * 1150)
                        await asyncio.sleep(1)
                    self.note("slow_bodies", answer.result()[9:12].decode())
                except FAILED as fault:
                    self.note("slow_bodies", type(fault).__name__)
                finally:
                    writer.close()
        await asyncio.gather(*(one() for _ in range(248)))

    async def patterns(self):
        """Patterns whose derivatives grow."""
        bad = [nested(".", "(%s.{0,99}.?){0,99}"), nested(".{0,999}", "(%s.?){0,9}"), nested(".*", "(%s.*.?)*")]
        await self.repeat("patterns", 16, "/v1/chat/completions", lambda: chat(100, **schema(bad[next(numbers) % 3])))

    async def deep_bodies(self):
        """31 MB of JSON in a text, and a body of 30 MB."""
        await asyncio.gather(self.repeat("deep_bodies", 2, "/v1/chat/completions", lambda: self.deep),
                             self.repeat("deep_bodies", 2, "/v1/chat/completions", lambda: self.long))

    async def images(self):
        """Images that take long to decode."""
        await self.repeat("images", 8, "/v1/perceive", lambda: moment(10, image=self.image))

    async def moments(self):
        """More moments than the perceiver's queue takes, each as long as it may be."""
        await self.repeat("moments", 80, "/v1/perceive", lambda: moment(19_000, 100))

    async def sessions(self):
        """Sessions whose frames fill the memory of all sessions."""
        async def one():
            own = client.Client(self.url, self.key, 60)
            while True:
                try:
                    opened = await own.post("/v1/sessions", {"profile": "p", "phone": "p", "world": "w"})
                    self.note("sessions", opened.status)
                    if opened.status == 200:
                        path = f"/v1/sessions/{opened.json()['id']}/frames"
                        while (await own.post(path, self.frame)).status != 404:
                            await asyncio.sleep(5)
                    await asyncio.sleep(1)
                except FAILED as fault:
                    self.note("sessions", type(fault).__name__)
        await asyncio.gather(*(one() for _ in range(40)))

    def said(self, image):
        return {"moment": moment(10, image=image), "accepted": True,
                "recommendation": {"instruction": "x", "functions": [self.function]}}

    async def feedback(self):
        """Feedback with images of 9 MB, each for another user (a server with --policy)."""
        async def one():
            own = client.Client(self.url, self.key, 60)
            while True:
                try:
                    said = self.said(png(next(numbers).to_bytes(8, "big") * 1_125_000))
                    self.note("feedback", (await own.post(f"/v1/users/large{next(numbers)}/feedback", said)).status)
                except FAILED as fault:
                    self.note("feedback", type(fault).__name__)
        await asyncio.gather(*(one() for _ in range(3)))

    async def large_images(self):
        """Bodies of 16 MB, each with an image."""
        await self.repeat("large_images", 4, "/v1/perceive", lambda: self.pictures[next(numbers) % 4])

    async def many_values(self):
        """Bodies of almost as many values as a request may have."""
        await self.repeat("many_values", 4, "/tokenize", lambda: self.values)

    async def accounts(self):
        """Users with large records, each erased again (a server with --policy)."""
        image = png(bytes(5_900_000))
        said = self.said(image)

        async def one(user):
            own = client.Client(self.url, self.key, 60)
            while True:
                try:
                    for _ in range(300):
                        self.note("accounts", (await own.post("/v1/perceive", {**moment(300), "user": user})).status)
                    self.note("accounts", (await own.post(f"/v1/users/{user}/feedback", said)).status)
                    erased = await own.ask("DELETE", f"/v1/users/{user}/data", b"", None)
                    self.note("accounts", f"erased {erased.status}")
                except FAILED as fault:
                    self.note("accounts", type(fault).__name__)
        await asyncio.gather(*(one(f"user{i}") for i in range(8)))

    async def embeddings(self):
        """More requests for embeddings than run at once."""
        await self.repeat("embeddings", 32, "/v1/embeddings",
                          lambda: {"model": self.encoder, "input": [fresh(120) for _ in range(512)]})

    async def long_texts(self):
        """Texts of one window, and requests of many windows."""
        def texts(count, length):
            return lambda: {"model": self.encoder, "input": [fresh(length) for _ in range(count)]}
        await asyncio.gather(self.repeat("long_texts", 8, "/v1/embeddings", texts(1, 500)),
                             self.repeat("long_texts", 8, "/v1/embeddings", texts(4, 16_000)))

    async def generations(self):
        """More long generations than run and wait."""
        await self.repeat("generations", 96, "/v1/chat/completions", lambda: chat(400))

    async def schemas(self):
        """Schemas that each must be compiled."""
        await self.repeat("schemas", 16, "/v1/chat/completions", lambda: chat(8, response_format={
            "type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object", "properties": {
                f"k{i}": {"enum": [f"{next(numbers)} {j}" for j in range(20)]} for i in range(50)}}}}))


class Victim:
    """A key's usual requests, each kind at a rate of its own."""

    def __init__(self, url, key, encoder, rate):
        self.api, self.encoder, self.rate, self.session = client.Client(url, key, 60), encoder, rate, None
        self.seconds = {}  # of the last measurement, by kind
        self.kinds = {
            "models": lambda: self.api.get("/v1/models"),
            "completion": lambda: self.api.post("/v1/completions", {"prompt": "hi", "max_tokens": 4}),
            "schema": lambda: self.api.post("/v1/chat/completions", chat(8, response_format={"type": "json_object"})),
            "perceive": lambda: self.api.post("/v1/perceive", moment(30)),
            "frame": self.frame,
            "embedding": lambda: self.api.post("/v1/embeddings", {"model": encoder, "input": [fresh(30)]})}

    async def frame(self):
        if self.session is None:
            opened = await self.api.post("/v1/sessions", {"profile": "p", "phone": "p", "world": "w"})
            if opened.status != 200:
                return opened
            self.session = opened.json()["id"]
        return await self.api.post(f"/v1/sessions/{self.session}/frames", {"text": fresh(30)})

    async def measure(self, seconds):
        taken = {kind: [] for kind in self.kinds}
        refused = {}

        async def ask(kind):
            begin = time.perf_counter()
            try:
                status = (await self.kinds[kind]()).status
            except FAILED as fault:
                status = type(fault).__name__
            taken[kind].append(time.perf_counter() - begin)
            if status != 200 and not (kind == "frame" and status == 409):
                refused[f"{kind} {status}"] = refused.get(f"{kind} {status}", 0) + 1
        kinds = list(self.kinds)
        await client.at_rate(self.rate * len(kinds), seconds, lambda i, due: ask(kinds[i % len(kinds)]))
        self.seconds = taken
        return {"refused": refused, "ms": {kind: client.times(list_) for kind, list_ in taken.items()}}


async def run(options, server):
    models = (await client.Client(server.url, options.victim).get("/v1/models")).json()
    encoder = models["data"][-1]["id"]
    victim = Victim(server.url, options.victim, encoder, options.rate)
    await victim.measure(5)  # loads encoders
    wanted = [name for name in options.attacks.split(",") if name]
    attacks = Attacks(server.url, options, encoder)
    phases = [([name], options.seconds) for name in wanted if options.alone]
    if options.minutes:
        phases.append((wanted, 60 * options.minutes))
    calm, attacked = {kind: [] for kind in victim.kinds}, {}
    for names, seconds in phases:
        idle = await victim.measure(options.seconds)
        for kind, taken in victim.seconds.items():
            calm[kind] += taken
        told = multiprocessing.Queue()
        attacker = multiprocessing.Process(target=attack, args=(attacks, names, told), daemon=True)
        attacker.start()
        told.get(timeout=60)  # it has begun
        await asyncio.sleep(3)
        result = await victim.measure(seconds)
        attacker.terminate()
        counts = told.get(timeout=60)
        attacker.kill()
        attacker.join()
        name = names[0] if len(names) == 1 else "all"
        attacked[name] = victim.seconds
        print(json.dumps({"attack": name, "idle": idle, "victim": result, "attacker": counts,
                          "resident_mb": server.pid and client.resident_mb(server.pid)}), flush=True)
        await asyncio.sleep(options.pause)
    for name, taken in attacked.items():
        print(json.dumps({name: {kind: ratios(taken[kind], calm[kind]) for kind in victim.kinds}}), flush=True)


def ratios(attacked, calm):
    """Median and p99 under attack, as ratios to those of all calm phases; with few requests the p99 is the slowest."""
    return [round(client.quantile(attacked, q) / client.quantile(calm, q), 2) for q in (0.5, 0.99)]


def attack(attacks, names, told):
    """Runs attacks in a separate process of low priority, like a client on another machine."""
    os.nice(19)

    async def all_of_them():
        task = asyncio.gather(*(getattr(attacks, name)() for name in names))
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        told.put("begun")
        try:
            await task
        except asyncio.CancelledError:
            told.put(attacks.counts)
    asyncio.run(all_of_them())


def main():
    options = client.options(
        __doc__.splitlines()[0], ("--victim", "", "the other API key"), ("--rate", 2.0, "requests/s of each kind"),
        ("--seconds", 20.0, "of each attack"), ("--minutes", 0.0, "of all attacks at once"), ("--image", "", "a JPEG"),
        ("--function", FUNCTION, "a call of the server's pool"),
        ("--alone", 1, "0: not each attack by itself"),
        ("--pause", 5.0, "seconds between attacks"),
        ("--attacks", "slow_bodies,patterns,deep_bodies,images,moments,sessions,embeddings,generations,schemas",
         "names, with commas"))
    with client.Server(options) as server:
        asyncio.run(run(options, server))
    client.tell({})


if __name__ == "__main__":
    main()
