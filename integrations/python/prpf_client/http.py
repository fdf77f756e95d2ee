"""Sends requests to PRPF's server and turns its refusals into exceptions."""
import json
from collections.abc import Iterator
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar, cast
from urllib.parse import quote

import httpx

T = TypeVar("T")


class PrpfError(Exception):
    """The server refused a request. Holds the status (200 for a failure within a stream), the message, and the field at fault or None."""

    def __init__(self, status: int, message: str, param: str | None) -> None:
        super().__init__(f"{status}: {message}")
        self.status, self.message, self.param = status, message, param


class Event(NamedTuple):
    """One event of a stream: perception, delta or result, with its data."""

    name: str
    data: dict[str, Any]


class Http:
    """A connection to a server. Close it, or use it in a `with`. httpx raises its own errors if no answer comes."""

    def __init__(self, url: str = "http://127.0.0.1:8080", key: str | None = None, timeout: float = 60.0) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=timeout)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _json(self, kind: type[T], method: str, path: str, **fields: dict[str, Any]) -> T:
        answer = self._send(method, path, **fields)
        try:
            return cast(T, answer.json())
        except ValueError:
            raise PrpfError(answer.status_code, f"not JSON: {answer.text[:2000]}", None) from None

    def _text(self, method: str, path: str, **fields: dict[str, Any]) -> str:
        return self._send(method, path, **fields).text

    def _bytes(self, method: str, path: str, **fields: dict[str, Any]) -> bytes:
        return self._send(method, path, **fields).content

    def _events(self, method: str, path: str, *, body: dict[str, Any]) -> Iterator[Event]:
        with self._http.stream(method, path, json=_given(body)) as answer:
            if answer.is_error:
                answer.read()
                raise _refusal(answer.status_code, answer.text)
            name = ""
            for line in _lines(answer.iter_text()):
                field, _, value = line.rstrip("\r").partition(": ")
                if field == "event":
                    name = value
                elif field == "data" and name == "error":
                    raise _refusal(answer.status_code, value)
                elif field == "data":
                    yield Event(name, json.loads(value))

    def _send(
        self, method: str, path: str, *, body: dict[str, Any] | None = None, query: dict[str, Any] | None = None
    ) -> httpx.Response:
        sent = None if body is None else _given(body)
        answer = self._http.request(method, path, json=sent, params=_given(query or {}))
        if answer.is_error:
            raise _refusal(answer.status_code, answer.text)
        return answer


def _lines(pieces: Iterator[str]) -> Iterator[str]:
    """Splits at line feeds alone: httpx's iter_lines also splits at U+2028 and U+0085, which JSON may contain."""
    rest = ""
    for piece in pieces:
        *whole, rest = (rest + piece).split("\n")
        yield from whole
    yield rest


def part(name: str) -> str:
    """One part of a path: a slash in it begins no other part."""
    return quote(name, safe="")


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _refusal(status: int, text: str) -> PrpfError:
    try:
        error = json.loads(text)["error"]
        return PrpfError(status, error["message"], error.get("param"))
    except (ValueError, KeyError, TypeError, AttributeError):  # a proxy's page
        return PrpfError(status, text[:2000], None)
