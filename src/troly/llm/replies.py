"""From a model's reply to a checked value: find the JSON, clean its strings, validate it, ask for one repair."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from troly.llm.prompts import PromptFolder
from troly.llm.types import Message
from troly.text.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import BaseModel

M = TypeVar("M", bound="BaseModel")
PROBLEMS = 5
BAD_REPLY_LIMIT = 4_000
# Grammars of llama.cpp refuse a repetition of 2,000 and more, and one that multiplies with another to that.
MOST_REPEATED = 1_000
# Tokens of a structured reply: what a short value takes, the least and the most that is asked for.
_SHORT, _LEAST, _MOST = 16, 256, 1_024
# Characters of a text and items of a list where the schema sets no limit.
_USUAL_TEXT, _USUAL_ITEMS = 300, 6
_THOUGHTS = re.compile(r"<think>.*?</think>", re.DOTALL)


@lru_cache(maxsize=64)
def _schema_of(schema: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of `schema`; pydantic builds it anew for every call."""
    return schema.model_json_schema()


def sent_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema as a server's grammar takes it: without limits too large for it, which the check keeps."""
    return {key: _bounded(value) for key, value in _schema_of(schema).items()}


def _bounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_bounded(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _bounded(item)
        for key, item in value.items()
        if not (key in ("maxLength", "minLength", "maxItems", "minItems") and isinstance(item, int) and item > MOST_REPEATED)
    }  # fmt: skip


def reply_tokens(schema: type[BaseModel]) -> int:
    """The tokens that a reply of this shape needs at most: about one for two characters of its texts."""
    whole = _schema_of(schema)
    return max(_LEAST, min(_MOST, _tokens_of(whole, whole, 0)))


def _tokens_of(part: dict[str, Any], whole: dict[str, Any], depth: int) -> int:
    inner = [whole["$defs"][part["$ref"].rpartition("/")[2]]] if "$ref" in part else part.get("anyOf") or []
    if inner and depth < 8:
        return max(_tokens_of(one, whole, depth + 1) for one in inner)
    if part.get("type") == "object":
        fields = part.get("properties", {}).values()
        return sum(_SHORT + _tokens_of(one, whole, depth + 1) for one in fields)
    if part.get("type") == "array":
        items: int = min(part.get("maxItems", _USUAL_ITEMS), _USUAL_ITEMS)
        return items * _tokens_of(part.get("items", {}), whole, depth + 1)
    if part.get("type") == "string" and "enum" not in part:
        longest: int = part.get("maxLength", _USUAL_TEXT)
        return longest // 2
    return _SHORT


def repeats(text: str) -> bool:
    """Whether `text` ends with one piece of at most 120 characters said eight times, 400 characters in all."""
    for length in range(1, 121):
        said = max(8, -(-400 // length))
        if len(text) >= length * said and text.endswith(text[-length:] * said):
            return True
    return False


def no_value(text: str) -> bool:
    """Whether what was said so far holds no beginning of a JSON value, nor thoughts that may come before one."""
    return not any(mark in text for mark in ("{", "[", "<think>"))


class BadReplyError(Exception):
    """A reply that is not the asked value; `problem` says why in words a model understands."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


def parse(reply: str, schema: type[M]) -> M:
    """The value in a model's reply, its strings sanitised; raises BadReplyError.

    Text around the JSON (a code fence, thoughts, a sentence) is passed over.
    """
    from pydantic import ValidationError

    opening = "[" if _schema_of(schema).get("type") == "array" else "{"
    try:
        return schema.model_validate_json(json.dumps(_clean(_find(reply, opening)), ensure_ascii=False))
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)[:PROBLEMS]
        raise BadReplyError(
            "; ".join(f"{'.'.join(str(part) for part in e['loc']) or 'value'}: {e['msg']}" for e in found)
        ) from error


def _find(reply: str, opening: str) -> Any:
    text = _THOUGHTS.sub("", reply)
    start = text.find(opening)
    if start < 0:
        raise BadReplyError("there is no JSON in it")
    try:
        return json.JSONDecoder(strict=False).raw_decode(text, start)[0]
    except (ValueError, RecursionError) as error:
        raise BadReplyError(f"the JSON is broken ({error})") from error


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return sanitize(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {sanitize(key): _clean(item) for key, item in value.items()}
    return value


def with_schema(messages: Sequence[Message], schema: Mapping[str, Any]) -> list[Message]:
    """The prompt for a server that takes no schema: the model is told it in words."""
    told = PromptFolder(Path(__file__).parent / "prompts").render(
        "schema", "en", schema=json.dumps(schema, ensure_ascii=False)
    )
    return [*messages[:-1], {**messages[-1], "content": f"{messages[-1]['content']}\n\n{told}"}]


def repair_messages(
    messages: Sequence[Message], bad: str, problem: str, schema: type[BaseModel]
) -> list[Message]:
    """The prompt that shows a model its bad reply and what was wrong with it."""
    prompts = PromptFolder(Path(__file__).parent / "prompts")
    wanted = json.dumps(_schema_of(schema), ensure_ascii=False)
    asked = prompts.render("repair", "en", problem=problem, schema=wanted)
    return [
        *messages,
        {"role": "assistant", "content": bad[:BAD_REPLY_LIMIT]},
        {"role": "user", "content": asked},
    ]
