"""Reads evaluation cases: one JSON object a line, checked, every bad line named with its number."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from troly.errors import InputError
from troly.text.catalogue import LANGS, Lang
from troly.text.dates import parse_now

FIELDS = frozenset({"id", "text", "turns", "expect", "lang", "form", "now", "user", "role"})
# What a case made of a wrong answer says besides (`troly.conversation.wrong`); it is for people.
REMARKS = frozenset({"mode", "state", "reason", "note"})
NO_FORM = "-"


@dataclass(frozen=True, slots=True)
class Case:
    """One conversation whose last turn is judged.

    `turns` are the user's messages in order; `expect` maps a state field (nested ones with dots, `text` for the whole
    answer) to its value, to the list of accepted values, or to `{"not": value}`. `line` is where the case stands in
    its file.
    """

    id: str
    turns: tuple[str, ...]
    expect: Mapping[str, Any]
    form: str = NO_FORM
    lang: Lang | None = None
    now: datetime | None = None
    user: str = ""
    role: str = ""
    line: int = 0

    @property
    def text(self) -> str:
        """The message that is judged."""
        return self.turns[-1]


@dataclass(frozen=True, slots=True)
class CaseProblem:
    """A line that is no case: its number from 1, and why as an error of the catalogue."""

    line: int
    error: InputError


@dataclass(slots=True)
class CaseFile:
    """The cases of a file and its bad lines."""

    cases: list[Case] = field(default_factory=list)
    problems: list[CaseProblem] = field(default_factory=list)


def read_case_file(path: Path) -> CaseFile:
    """The cases of the file `path`; raises InputError `eval.file` when it cannot be read."""
    try:
        with path.open("rb") as stream:
            return read_cases(stream)
    except OSError as error:
        raise InputError("eval.file", file=path, reason=error.strerror or error) from error


def read_cases(lines: Iterable[bytes]) -> CaseFile:
    """The cases of JSON lines; empty lines are left out, of two cases with one id the second is a problem."""
    found = CaseFile()
    seen: set[str] = set()
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        try:
            case = parse_case(raw, number)
        except InputError as error:
            found.problems.append(CaseProblem(number, error))
            continue
        if case.id in seen:
            found.problems.append(CaseProblem(number, InputError("eval.twice", id=case.id)))
            continue
        seen.add(case.id)
        found.cases.append(case)
    return found


def parse_case(raw: bytes, line: int) -> Case:
    """The case of one line; one without an id is named by its line. Raises InputError `eval.*`."""
    fields = _object(raw)
    unknown = sorted(set(fields) - FIELDS - REMARKS)
    if unknown:
        raise InputError("eval.unknown", field=unknown[0], known=", ".join(sorted(FIELDS)))
    expect = fields.get("expect")
    if not isinstance(expect, dict) or not expect:
        raise InputError("eval.expect")
    tag = fields.get("id", line)
    if isinstance(tag, bool) or not isinstance(tag, (str, int)) or not str(tag).strip():
        raise InputError("eval.type", field="id")
    return Case(
        id=str(tag),
        turns=_turns(fields),
        expect=expect,
        form=_word(fields, "form") or NO_FORM,
        lang=_language(fields),
        now=_moment(fields),
        user=_word(fields, "user"),
        role=_word(fields, "role"),
        line=line,
    )


def _object(raw: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError("eval.encoding", byte=error.start + 1) from error
    except (ValueError, RecursionError) as error:
        raise InputError("eval.not_json", reason=str(error)[:120]) from error
    if not isinstance(fields, dict):
        raise InputError("eval.object")
    return fields


def _turns(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """The messages: `text` alone, or `turns`; exactly one of them."""
    text, turns = fields.get("text"), fields.get("turns")
    if (text is None) == (turns is None):
        raise InputError("eval.text")
    said = [text] if turns is None else turns
    if not isinstance(said, list) or not said or not all(isinstance(one, str) for one in said):
        raise InputError("eval.text")
    return tuple(said)


def _word(fields: Mapping[str, Any], key: str) -> str:
    value = fields.get(key)
    if value is None:
        return ""
    if not isinstance(value, str) or not value.strip():
        raise InputError("eval.type", field=key)
    return value.strip()


def _language(fields: Mapping[str, Any]) -> Lang | None:
    value = _word(fields, "lang")
    found = next((lang for lang in LANGS if lang == value), None)
    if value and found is None:
        raise InputError("eval.lang", value=value)
    return found


def _moment(fields: Mapping[str, Any]) -> datetime | None:
    value = _word(fields, "now")
    try:
        return parse_now(value) if value else None
    except ValueError as error:
        raise InputError("eval.now", value=value) from error
