"""The official OpenAI client for Python, unmodified, against a running server: models, chat, stream, tool call, JSON schema, completions, embeddings.

  pip install openai && python3 benchmarks/serve/clients.py http://127.0.0.1:8080 [KEY]

Prints one JSON object: what each call gave, or the error; ends with 1 if any failed.
"""
import json
import sys

import openai

TOOL = {"type": "function", "function": {"name": "set_alarm", "description": "Sets an alarm.", "parameters": {
    "type": "object", "properties": {"hour": {"type": "integer"}}, "required": ["hour"], "additionalProperties": False}}}
SCHEMA = {"type": "object", "properties": {"city": {"enum": ["Paris", "Rome"]}, "days": {"type": "integer"}}, "required": ["city", "days"],
          "additionalProperties": False}


def main(url, key="none"):
    client = openai.OpenAI(base_url=url.rstrip("/") + "/v1", api_key=key, max_retries=0, timeout=120)
    models = [found.id for found in client.models.list().data]
    model, encoder = models[0], models[-1]  # the reasoner's names, then the encoders'
    ask = {"model": model, "messages": [{"role": "user", "content": "Wake me at seven."}], "max_tokens": 24, "temperature": 0}

    def chat():
        answer = client.chat.completions.create(**ask)
        assert answer.usage.completion_tokens <= 24 and answer.choices[0].finish_reason in ("stop", "length"), answer
        return answer.choices[0].message.content

    def stream():
        events = list(client.chat.completions.create(**ask, stream=True, stream_options={"include_usage": True}))
        text = "".join(event.choices[0].delta.content or "" for event in events if event.choices)
        assert text == chat(), f"streamed {text!r}"
        assert events[-1].usage.completion_tokens > 0
        return len(events)

    def tool():
        call = client.chat.completions.create(**{**ask, "max_tokens": 96}, tools=[TOOL], tool_choice="required").choices[0].message.tool_calls[0]
        assert call.function.name == "set_alarm" and isinstance(json.loads(call.function.arguments)["hour"], int), call
        return call.function.arguments

    def schema():
        form = {"type": "json_schema", "json_schema": {"name": "trip", "strict": True, "schema": SCHEMA}}
        value = json.loads(client.chat.completions.create(**{**ask, "max_tokens": 96}, response_format=form).choices[0].message.content)
        assert value["city"] in ("Paris", "Rome") and isinstance(value["days"], int) and len(value) == 2, value
        return value

    def samples():
        answer = client.chat.completions.create(**{**ask, "temperature": 1, "seed": 7}, n=3, logprobs=True, top_logprobs=2, stop=["\n"])
        assert len(answer.choices) == 3 and answer.choices[2].logprobs.content[0].logprob <= 0
        return [choice.finish_reason for choice in answer.choices]

    def completion():
        answer = client.completions.create(model=model, prompt=["one", "two"], max_tokens=3)
        assert [choice.index for choice in answer.choices] == [0, 1]
        return answer.usage.total_tokens

    def embeddings():
        vectors = client.embeddings.create(model=encoder, input=["hello", "你好"]).data
        assert len(vectors) == 2 and len(vectors[0].embedding) == len(vectors[1].embedding) > 0
        return len(vectors[0].embedding)

    def unknown_model():
        try:
            client.chat.completions.create(**{**ask, "model": "no-such-model"})
        except openai.NotFoundError as e:
            return e.code
        raise AssertionError("no 404")

    def too_long():
        try:
            client.chat.completions.create(**{**ask, "messages": [{"role": "user", "content": "word " * 20_000}]})
        except openai.BadRequestError as e:
            return e.code
        raise AssertionError("no 400")

    results, failed = {}, False
    for call in (chat, stream, tool, schema, samples, completion, embeddings, unknown_model, too_long):
        try:
            results[call.__name__] = call()
        except Exception as e:  # each call is told, whatever the others did
            failed, results[call.__name__] = True, f"FAILED: {e!r}"[:500]
    print(json.dumps({"client": f"openai {openai.__version__}", "model": model, "results": results}, ensure_ascii=False, indent=1))
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
