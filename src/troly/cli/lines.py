"""Reads one line of `ask --jsonl` into a checked request, or says what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from troly.cli.identity import Claim
from troly.errors import InputError
from troly.text.catalogue import LANGS, Lang
from troly.text.dates import parse_now

MAX_NAME = 200


@dataclass(frozen=True, slots=True)
class JsonlQuestion:
    """One question of a JSON line; `conversation` is an id or a label of this run."""

    text: str
    tag: str | float | None = None
    claim: Claim = field(default_factory=Claim)
    now: datetime | None = None
    conversation: str = ""
    mode: str = ""
    lang: Lang | None = None


def parse_line(raw: bytes) -> JsonlQuestion:
    """The request that a line stands for. Raises InputError `jsonl.*`; fields that are not known are ignored."""
    fields = _object(raw)
    text = fields.get("text")
    if not isinstance(text, str) or not text.strip():
        raise InputError("jsonl.text")
    return JsonlQuestion(
        text=text,
        tag=tag_of(fields),
        claim=Claim(
            user=_name(fields, "user"),
            role=_name(fields, "role"),
            permissions=_names(fields, "permissions"),
            department=_name(fields, "department"),
        ),
        now=_moment(fields),
        conversation=_name(fields, "conversation") or "",
        mode=_name(fields, "mode") or "",
        lang=_language(fields),
    )


def tag_of_line(raw: bytes) -> str | float | None:
    """The `id` of a line that may be wrong otherwise, so that its failure can be tagged."""
    try:
        fields = _object(raw)
        return tag_of(fields)
    except InputError:
        return None


def tag_of(fields: Mapping[str, Any]) -> str | float | None:
    """The `id` of a line: text or a number, or none; raises InputError for anything else."""
    tag = fields.get("id")
    if tag is None or (isinstance(tag, (str, int, float)) and not isinstance(tag, bool)):
        return tag
    raise InputError("jsonl.type", field="id")


def _object(raw: bytes) -> Mapping[str, Any]:
    try:
        fields = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError("jsonl.encoding", byte=error.start + 1) from error
    except (ValueError, RecursionError) as error:
        raise InputError("jsonl.not_json", reason=str(error)[:120]) from error
    if not isinstance(fields, dict):
        raise InputError("jsonl.object")
    return fields


def _name(fields: Mapping[str, Any], key: str) -> str | None:
    value = fields.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > MAX_NAME:
        raise InputError("jsonl.type", field=key)
    return value.strip() or None


def _names(fields: Mapping[str, Any], key: str) -> frozenset[str] | None:
    value = fields.get(key)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError("jsonl.names", field=key)
    return frozenset(value)


def _moment(fields: Mapping[str, Any]) -> datetime | None:
    value = _name(fields, "now")
    return moment(value) if value else None


def moment(value: str) -> datetime:
    """The instant that `--now` or `now` names (Asia/Ho_Chi_Minh without an offset); raises InputError."""
    try:
        return parse_now(value)
    except ValueError as error:
        raise InputError("cli.now", value=value) from error


def _language(fields: Mapping[str, Any]) -> Lang | None:
    value = _name(fields, "lang")
    for lang in LANGS:
        if value == lang:
            return lang
    if value is None:
        return None
    raise InputError("jsonl.lang", value=value)
