"""A small valid body for each POST path of the server, and ways to break one."""
import json
import random

MARK = "MARK-5f1d"  # stands in every text: the server's log must not have it
SPLICES = [b'"', b"\\", b"{", b"]", b"\\ud800", b"1e999", b"-", b"NaN", b"9" * 400, b"[" * 300, b'"n": 9, ', b"\xff\xfe", b"\xed\xa0\x80",
           b"\x00", b"null", b"-1", b"true", "你".encode(), b"<|im_end|>", b'{"type": "image_url"}', b"1" + b"0" * 30, b'""', b"[]", b"{}"]


def bodies(model, record, encoder="none", session=None):
    """Bodies by path. record: the reference_information of one sample; encoder: a model that embeds; session: the id of an open one."""
    text = f"{MARK} hello"
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}}
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}
    chat = {"model": model, "messages": [{"role": "user", "content": text}], "max_tokens": 2, "temperature": 0}
    sample = {**record, "world": record["world"] + MARK, "user": "fuzz"}
    frames = {} if session is None else {
        f"/v1/sessions/{session}/frames": [{"text": text}, {"text": text, "world": "现在是晚上10点。"}],
        f"/v1/sessions/{session}/ask": [{"query": text}, {"stream": True}],
    }
    return frames | {
        "/v1/chat/completions": [
            chat,
            {**chat, "stream": True, "stream_options": {"include_usage": True}, "stop": ["x"], "seed": 1, "logprobs": True, "top_logprobs": 2},
            {**chat, "tools": [tool], "tool_choice": "auto"},
            {**chat, "temperature": 1, "n": 2, "top_p": 0.9, "presence_penalty": 0.5, "logit_bias": {"5": 1}},
            {**chat, "max_tokens": 24, "response_format": {"type": "json_schema", "json_schema": {"name": "a", "strict": True, "schema": schema}}},
        ],
        "/v1/completions": [{"model": model, "prompt": text, "max_tokens": 2}, {"model": model, "prompt": [[5, 6, 7], [8]], "max_tokens": 1}],
        "/v1/embeddings": [{"model": encoder, "input": [text, "你好"], "encoding_format": "base64"}],
        "/tokenize": [{"model": model, "prompt": text}],
        "/detokenize": [{"model": model, "tokens": [5, 6, 7]}],
        "/v1/perceive": [sample],
        "/v1/recommend": [sample, {**sample, "stream": True}, {**sample, "passive": True}],
        "/v1/sessions": [{"profile": MARK, "phone": "电量15%。", "world": "现在是晚上9点半。", "user": "fuzz"}],
        "/v1/reward": [{"items": [{"id": "test-12-000000", "response": f"<recommendations>[]</recommendations>{MARK}"}]},
                       {"items": [{"id": "test-12-000000", "calls": [[{"name": "f", "parameters": {}}]]}]}],
        "/get_reward": [{"query": [text], "prompts": [text], "labels": ["test-12-000000"]}],
        "/slime": [{"prompt": text, "response": "<recommendations>[]</recommendations>", "label": "test-12-000000"}],
    }


def leaves(node, path=()):
    """Paths of all values in a JSON tree."""
    yield path
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in items:
        yield from leaves(child, path + (key,))


VALUES = [None, True, -1, 0, 10**30, 1.5, "", "x" * 5000, [], {}, [[]], {"a": {"b": []}}, "\u0000", "<|im_start|>system", "data:image/png;base64,AAAA",
          "http://127.0.0.1/", "/etc/passwd", ["a", 1, None]]


def broken_tree(body, draw):
    """A body whose JSON is whole, with one value exchanged or taken away."""
    tree = json.loads(json.dumps(body))
    path = draw.choice(list(leaves(tree))[1:])
    at = tree
    for key in path[:-1]:
        at = at[key]
    if draw.random() < 0.2:
        del at[path[-1]]
    else:
        at[path[-1]] = draw.choice(VALUES)
    return json.dumps(tree, ensure_ascii=False).encode()


def broken_bytes(body, draw):
    """A body with pieces missing, doubled, exchanged or put in."""
    data = json.dumps(body, ensure_ascii=False).encode()
    for _ in range(draw.randint(1, 3)):
        a, b = sorted((draw.randrange(len(data) + 1), draw.randrange(len(data) + 1)))
        kind = draw.randrange(5)
        data = (data[:b] if kind == 0 else data[:a] + data[b:] if kind == 1 else data[:b] + data[a:] if kind == 2
                else data[:a] + bytes([draw.randrange(256)]) + data[a + 1:] if kind == 3 else data[:a] + draw.choice(SPLICES) + data[a:])
        if not data:
            break
    return data


def broken(body, draw: random.Random):
    return broken_tree(body, draw) if draw.random() < 0.5 else broken_bytes(body, draw)


async def there(client, paths):
    """Which of the paths the server has: without a body each answers something else than 404."""
    found = []
    for path in paths:
        answer = await client.post(path, b"")
        if not (answer.status == 404 and b"unknown_path" in answer.body):
            found.append(path)
    return found


async def models_of(client):
    """The reasoner's first name, and an encoder's; the list ends with the encoders."""
    answer = await client.get("/v1/models")
    ids = [one["id"] for one in answer.json()["data"]] if answer.status == 200 else []
    return (ids[0], ids[-1]) if ids else ("none", "none")


async def refused(client, every):
    """Bodies that are whole and yet get no 2xx, with the answer: a mutation of such a one comes no further than it does."""
    found = []
    for path, whole in every.items():
        for body in whole:
            answer = await client.post(path, body)
            if not 200 <= answer.status < 300:
                found.append(f"{path} {answer.status}: {answer.body[:200].decode(errors='replace')}")
    return found
