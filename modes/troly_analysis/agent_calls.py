"""Reads the tool calls in a model's reply and mends what small models commonly get wrong about their form."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from troly.llm.types import ToolReply
from troly.text.sanitize import sanitize
from troly_analysis.tools_specs import TOOLS
from troly_analysis.types import ToolCall

NAMES = tuple(tool.name for tool in TOOLS)
_STRUCTURED = frozenset({"filters", "pipeline"})
_NAME_KEYS, _ARGUMENT_KEYS = (
    ("name", "tool", "tool_name", "function"),
    ("arguments", "parameters", "args", "input"),
)
_MARKUP = re.compile(
    r"</?tool_calls?>|```(?:json|tool_call)?|\[TOOL_CALLS\]|<think>.*?</think>", re.DOTALL | re.IGNORECASE
)
_ABSENT = frozenset({"", "null", "none", "n/a"})
_LONGEST, _CLOSE = 100_000, 0.75


def read_reply(reply: ToolReply) -> tuple[list[ToolCall], str]:
    """The calls that a reply asks for, also those written into its text, and what else it says."""
    if reply.calls:
        return [_mended(call.get("name"), call.get("arguments")) for call in reply.calls], _bare(reply.text)
    calls, spans = [], []
    for start, end, value in _objects(reply.text[:_LONGEST]):
        call = _written_call(value)
        if call is not None:
            calls.append(call)
            spans.append((start, end))
    text = reply.text
    for start, end in reversed(spans):
        text = text[:start] + text[end:]
    return calls, _bare(text)


def canonical(call: ToolCall) -> str:
    """The same text for the same call, whatever the order of its arguments."""
    return json.dumps([call.tool, dict(call.arguments)], sort_keys=True, ensure_ascii=False, default=str)


def _mended(name: object, arguments: object) -> ToolCall:
    given = _object(arguments)
    for key in _ARGUMENT_KEYS:
        # Some models wrap the arguments once more.
        if set(given) == {key} and isinstance(_object(given[key]), dict) and _object(given[key]):
            given = _object(given[key])
    kept = {str(key): _argument(str(key), value) for key, value in given.items() if not _is_absent(value)}
    return ToolCall(_name(name), kept)


def _name(name: object) -> str:
    """The tool that is meant; an unknown name stays, so that the tools can say so."""
    given = sanitize(str(name or ""), keep_newlines=False).strip()[:80]
    bare = given.rpartition(".")[2].strip("`'\" ()")
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", bare).replace("-", "_").lower()
    if snake in NAMES:
        return snake
    near = difflib.get_close_matches(snake, NAMES, n=1, cutoff=_CLOSE)
    return near[0] if near else given


def _argument(key: str, value: Any) -> Any:
    if key in _STRUCTURED and isinstance(value, str):
        return _json(value, value)
    if key == "limit" and isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    if key == "limit" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value.strip() if isinstance(value, str) else value


def _is_absent(value: object) -> bool:
    return value is None or (isinstance(value, str) and value.strip().lower() in _ABSENT)


def _object(value: object) -> dict[str, Any]:
    """`value` as an object, read from its text where a model wrote it as a string."""
    if isinstance(value, str):
        value = _json(value, {})
    return dict(value) if isinstance(value, Mapping) else {}


def _json(text: str, otherwise: Any) -> Any:
    try:
        return json.loads(text[:_LONGEST], strict=False)
    except (ValueError, RecursionError):
        return otherwise


def _written_call(value: object) -> ToolCall | None:
    """A call written as JSON in the text; None for JSON that is none."""
    if not isinstance(value, Mapping):
        return None
    inner = value.get("function")
    body: Mapping[str, Any] = inner if isinstance(inner, Mapping) else value
    name = next((body[key] for key in _NAME_KEYS if isinstance(body.get(key), str)), None)
    if name is None or _name(name) not in NAMES:
        return None
    return _mended(name, next((body[key] for key in _ARGUMENT_KEYS if key in body), {}))


def _objects(text: str) -> Iterator[tuple[int, int, Any]]:
    """Every JSON object that stands in the text by itself, with its place."""
    decoder, at = json.JSONDecoder(strict=False), 0
    while (start := text.find("{", at)) >= 0:
        try:
            value, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
            continue
        yield start, at, value


def _bare(text: str) -> str:
    """What is left of a text without the marks that models put around calls and thoughts."""
    return sanitize(_MARKUP.sub("", text)).strip(" \n\t[],")
