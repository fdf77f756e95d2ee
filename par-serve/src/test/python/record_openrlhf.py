"""Records what OpenRLHF's own code sends to a reward server: the requests of OpenRlhfProtocolTest.

    python3 -m venv venv && venv/bin/pip install aiohttp transformers==5.24.0 && venv/bin/pip install --no-deps openrlhf==0.11.2     (or 0.10.4)
    venv/bin/python par-serve/src/test/python/record_openrlhf.py MODEL OUT.json

MODEL is a directory of `reasoner init` or later with a tokenizer in ChatML. Its executor of single turns runs unchanged; only the engine that would
write the responses is ours, and of its package it needs a logger alone, without which torch, ray and vLLM would be imported.
"""
import asyncio
import importlib.metadata
import importlib.util
import json
import logging
import sys
import threading
import types
from http.server import BaseHTTPRequestHandler, HTTPServer

from transformers import AutoTokenizer

SPEECH = "<recommendations>[{\"instruction\": \"早起\", \"function\": [{\"name\": \"ring_alarm\", \"parameters\": {\"time\": \"08:30\"}}]}]</recommendations>"
CASES = [("acts", SPEECH), ("silent", "无推荐"), ("acts", "<thinking>🎷"), (json.dumps({"id": "silent", "recommendations": []}), SPEECH)]


def executors(version):
    package = importlib.metadata.distribution("openrlhf")
    for name in ("openrlhf", "openrlhf.utils"):
        sys.modules[name] = types.ModuleType(name)
    log = types.ModuleType("openrlhf.utils.logging_utils")
    log.init_logger = logging.getLogger
    sys.modules[log.__name__] = log
    spec = importlib.util.spec_from_file_location("openrlhf.utils.agent", package.locate_file("openrlhf/utils/agent.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.SingleTurnAgentExecutor


class Engine:
    """Writes the response it is given, as vLLM's engine returns one."""

    def __init__(self, tokens):
        self.tokens = tokens

    async def generate(self, prompt, params, multi_modal_data=None):
        return types.SimpleNamespace(outputs=[types.SimpleNamespace(token_ids=self.tokens, finish_reason="stop", logprobs=None)])


def main(model, out):
    seen = []

    class Recorder(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            seen.append({"path": self.path, "content_type": self.headers["Content-Type"], "body": body})
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b'{"rewards": [0.5], "scores": [0.5], "extra_logs": {}}')

        def log_message(self, *what):
            pass

    server = HTTPServer(("127.0.0.1", 0), Recorder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    tokenizer = AutoTokenizer.from_pretrained(model)
    version = importlib.metadata.version("openrlhf")
    make = executors(version)

    async def ask():
        for urls, cases in (([url + "/get_reward"], CASES), ([url + "/first", url + "/second"], CASES[:1])):
            executor = make(urls)
            for label, response in cases:
                messages = [{"role": "user", "content": "明早八点半有会"}]
                prompt = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
                engine = Engine(tokenizer(response + "<|im_end|>", add_special_tokens=False)["input_ids"])
                params = types.SimpleNamespace(max_tokens=64, logprobs=None)
                answer = await executor.execute(prompt, label, params, 4096, tokenizer, engine)
                assert answer["reward"] == [0.5] and answer["scores"] == [0.5], answer

    asyncio.run(ask())
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"openrlhf": version, "requests": seen}, file, indent=1, ensure_ascii=False)
        file.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
