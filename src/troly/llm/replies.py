"""From a model's reply to a checked value: find the JSON, clean its strings, validate it, ask for one repair."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from troly.llm.prompts import PromptFolder
from troly.llm.types import Message
from troly.text.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import BaseModel

M = TypeVar("M", bound="BaseModel")
PROBLEMS = 5
BAD_REPLY_LIMIT = 4_000
_THOUGHTS = re.compile(r"<think>.*?</think>", re.DOTALL)


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

    opening = "[" if schema.model_json_schema().get("type") == "array" else "{"
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


def repair_messages(
    messages: Sequence[Message], bad: str, problem: str, schema: type[BaseModel]
) -> list[Message]:
    """The prompt that shows a model its bad reply and what was wrong with it."""
    prompts = PromptFolder(Path(__file__).parent / "prompts")
    wanted = json.dumps(schema.model_json_schema(), ensure_ascii=False)
    asked = prompts.render("repair", "en", problem=problem, schema=wanted)
    return [
        *messages,
        {"role": "assistant", "content": bad[:BAD_REPLY_LIMIT]},
        {"role": "user", "content": asked},
    ]
