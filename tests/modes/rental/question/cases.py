"""The shipped rental questions and a short way to read a message, for the tests of reading."""

from __future__ import annotations

import json
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from troly.plugin.focus import Focus, FocusRow
from troly.text.dates import HCM
from troly_rental.question.parser import parse_question
from troly_rental.question.types import ParsedQuestion
from troly_rental.roles import Role

CASES = Path(__file__).parents[4] / "data" / "eval" / "rental.jsonl"
NOW = datetime(2026, 11, 22, 9, 0, tzinfo=HCM)


def cases() -> list[dict[str, Any]]:
    """The cases of the file."""
    return [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


def turns_of(case: dict[str, Any]) -> list[str]:
    """The messages of a case."""
    return case.get("turns") or [case["text"]]


def role_of(case: dict[str, Any]) -> Role:
    """What the sample users are."""
    roles: dict[str, Role] = {"lan": "LANDLORD", "minh": "TENANT"}
    return roles.get(case.get("user", ""), "GUEST")


def ask(*messages: str, role: Role = "LANDLORD", rows: tuple[FocusRow, ...] = ()) -> ParsedQuestion:
    """The reading of the last of `messages`, each after the one before it, which showed `rows`."""
    focus, parsed = None, None
    for at, message in enumerate(messages, 1):
        # Without rows tests of one process ask the same again and again.
        parsed = (
            parse_question(message, "vi", NOW, focus, role=role) if rows else _read(messages[:at], role)[0]
        )
        focus = shown(parsed, rows) if parsed.ready else focus
    assert parsed is not None
    return parsed


@cache
def _read(messages: tuple[str, ...], role: Role) -> tuple[ParsedQuestion, Focus | None]:
    """The reading of the last message, and what it leaves for the next."""
    focus = _read(messages[:-1], role)[1] if len(messages) > 1 else None
    parsed = parse_question(messages[-1], "vi", NOW, focus, role=role)
    return parsed, shown(parsed) if parsed.ready else focus


def shown(parsed: ParsedQuestion, rows: tuple[FocusRow, ...] = ()) -> Focus:
    """What an answer to `parsed` leaves for the next question."""
    return Focus(parsed.entity, parsed.question, rows, {**parsed.to_dict(), "total": len(rows)})


def told(parsed: ParsedQuestion) -> set[str]:
    """The filters of a reading as short texts."""
    return {f"{one.field}{one.op}{','.join(one.values)}" for one in parsed.filters}
