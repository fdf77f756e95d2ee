"""What the load scripts share: HTTP/1.1 on asyncio streams, requests at a fixed rate, quantiles, the server's process, the machine.

Latency counts from when a request was due, not from when it was sent, so that a slow server cannot hide by holding the client back.
Standard library only; Python 3.9 or newer.
"""
import argparse
import asyncio
import json
import os
import pathlib
import shlex
import signal
import subprocess
import time
import urllib.parse


class Answer:
    """A status, headers in lower case, a body, seconds to its end; of a chunked body also (seconds, its length so far) a chunk."""

    def __init__(self, status, headers, body, whole, marks):
        self.status, self.headers, self.body, self.whole, self.marks = status, headers, body, whole, marks

    def json(self):
        return json.loads(self.body)

    def events(self):
        """The JSON objects of server-sent events; [DONE] is None."""
        return [None if data == "[DONE]" else json.loads(data) for _, data in self._datas()]

    def first_text(self):
        """Seconds to the first event of a chat that has text; to the end where none has."""
        for end, data in self._datas():
            if data != "[DONE]":
                choices = json.loads(data).get("choices")
                if choices and choices[0].get("delta", {}).get("content"):
                    return next(at for at, length in self.marks if length >= end)
        return self.whole

    def _datas(self):
        """Of each event its end in the body and its data."""
        end = 0
        for line in self.body.split(b"\n"):
            end += len(line) + 1
            if line.startswith(b"data: "):
                yield min(end, len(self.body)), line[6:].decode()


class Stale(Exception):
    """A kept connection had been closed before a byte of an answer came."""


class Client:
    """Connections to one server, kept open and used again."""

    def __init__(self, url, key=None, timeout=60):
        parts = urllib.parse.urlsplit(url)
        self.host, self.port, self.timeout = parts.hostname, parts.port or 80, timeout
        self.head = f"Host: {parts.netloc}\r\nContent-Type: application/json\r\n"
        if key:
            self.head += f"Authorization: Bearer {key}\r\n"
        self.free = []

    async def post(self, path, body, due=None):
        data = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
        return await self.ask("POST", path, data, due)

    async def get(self, path):
        return await self.ask("GET", path, b"", None)

    async def ask(self, method, path, data, due):
        head = f"{method} {path} HTTP/1.1\r\n{self.head}Content-Length: {len(data)}\r\n\r\n"
        return await asyncio.wait_for(self._ask(head.encode() + data, due or time.perf_counter()), self.timeout)

    async def _ask(self, request, due):
        while True:
            used = bool(self.free)
            reader, writer = self.free.pop() if used else await asyncio.open_connection(self.host, self.port)
            try:
                writer.write(request)
                answer, keep = await self._read(reader, due)
            except Stale as stale:
                writer.close()
                if used:  # the server had closed it meanwhile: nothing of this request was answered
                    continue
                raise ConnectionError("closed without an answer") from stale
            except BaseException:
                writer.close()
                raise
            if keep:
                self.free.append((reader, writer))
            else:
                writer.close()
            return answer

    @staticmethod
    async def _read(reader, due):
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        except ConnectionError as error:
            raise Stale() from error
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise
            raise Stale() from error
        status = int(head[0].split()[1])
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:-2])}
        marks, length = [], 0
        if headers.get("transfer-encoding") == "chunked":
            chunks = []
            while True:
                size = int(await reader.readuntil(b"\r\n"), 16)
                chunk = await reader.readexactly(size + 2)
                if size == 0:
                    break
                length += size
                marks.append((time.perf_counter() - due, length))
                chunks.append(chunk[:-2])
            body = b"".join(chunks)
        else:
            body = await reader.readexactly(int(headers.get("content-length", 0)))
        whole = time.perf_counter() - due
        keep = headers.get("connection", "").lower() != "close"
        return Answer(status, headers, body, whole, marks), keep

    def close(self):
        for _, writer in self.free:
            writer.close()
        self.free.clear()


async def at_rate(rate, seconds, ask):
    """Calls ask(i, due) for request i when it is due, whether or not earlier ones have come back; returns what they returned."""
    begin = time.perf_counter()
    tasks = []
    for i in range(int(rate * seconds)):
        due = begin + i / rate
        wait = due - time.perf_counter()
        if wait > 0:
            await asyncio.sleep(wait)
        tasks.append(asyncio.create_task(ask(i, due)))
    return await asyncio.gather(*tasks)


async def by_workers(workers, count, ask):
    """Calls ask(i) for i below count, so many at a time; returns what they returned, in order."""
    results, numbers = [None] * count, iter(range(count))

    async def work():
        for i in numbers:
            results[i] = await ask(i)

    await asyncio.gather(*(work() for _ in range(workers)))
    return results


def quantile(values, q):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))] if ordered else None


def times(seconds):
    """Milliseconds of a list of seconds."""
    ms = {name: quantile(seconds, q) for name, q in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1.0))}
    return {"n": len(seconds), **{name: None if value is None else round(1000 * value, 2) for name, value in ms.items()}}


def machine():
    info = pathlib.Path("/proc/cpuinfo").read_text()
    flags = next((line.split(":")[1].split() for line in info.splitlines() if line.startswith("flags")), [])
    name = next((line.split(":")[1].strip() for line in info.splitlines() if line.startswith("model name")), "unknown")
    sets = [flag for flag in ("avx2", "avx512f", "avx512_bf16", "avx512_vnni", "amx_bf16") if flag in flags]
    return {"processor": name, "cores": os.cpu_count(), "sets": sets, "load": os.getloadavg()[0]}


def resident_mb(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return round(int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024, 1)


class Server:
    """A server that runs already (--url, --pid), or one that is started here and stopped at the end (--server 'COMMAND')."""

    def __init__(self, options):
        self.process, self.url, self.pid, self.log = None, options.url, options.pid, None
        if options.server:
            self.log = open(options.log, "w+b")
            self.process = subprocess.Popen(shlex.split(options.server), stdout=subprocess.PIPE, stderr=self.log)
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"the server ended before it listened; see {options.log}")
            self.url, self.pid = json.loads(line)["listening"], self.process.pid
        if not self.url:
            raise SystemExit("--url URL or --server 'COMMAND' is needed")

    def __enter__(self):
        return self

    def __exit__(self, *fault):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()

    def logged(self, text):
        """Lines of the log that hold a text; None where the log is not ours."""
        if self.log is None:
            return None
        self.log.flush()
        return sum(text.encode() in line for line in open(self.log.name, "rb"))


def options(about, *more):
    """The command line that all scripts share; more: (name, default, help)."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--url", help="of a server that runs")
    parser.add_argument("--pid", type=int, help="of its process, for its memory")
    parser.add_argument("--server", help="the command that starts one: ./prpf serve … --port 0 --json")
    parser.add_argument("--log", default="serve.log", help="where a server that is started here writes its log")
    parser.add_argument("--key", help="an API key")
    parser.add_argument("--seed", type=int, default=1)
    for name, default, told in more:
        parser.add_argument(name, default=default, type=type(default), help=f"{told} (default: %(default)s)")
    return parser.parse_args()


def tell(result):
    print(json.dumps({**result, "machine": machine()}, ensure_ascii=False))


def records(path):
    return json.loads(pathlib.Path(path).read_text())


def texts_only(all_records):
    """Records whose trajectory is text."""
    return [record for record in all_records if all(isinstance(step, str) and not step.startswith("images/")
                                                    for step in record["reference_information"].get("trace", [0]))]
