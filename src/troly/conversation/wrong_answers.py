"""Marks an answer as wrong: what was kept of it is excluded from reuse, and it becomes a case for `app eval`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from troly.errors import InputError, TrolyError
from troly.paths import write_whole
from troly.plugin.registry import Registry
from troly.plugin.services import Services
from troly.recording import keys_of
from troly.stores.records import StoredTurn, dump
from troly.stores.wrong_answers import WrongAnswer, WrongAnswers
from troly.text.sanitize import sanitize

# The usual reasons, in the order in which they are offered; the last one needs words.
REASONS = ("facts", "figures", "question", "missing", "tone", "other")
NOTE_CHARS = 2_000
CASE_ID = "wrong-{}"
# Longer lists of a state are for the trace, not for a case.
STATE_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class WrongMark:
    """A mark, the file its case went to, and the case's id."""

    answer: WrongAnswer
    file: Path
    case: str


def mark_wrong(
    services: Services, registry: Registry, owner: str, turn_id: str, reason: str, *, note: str = ""
) -> WrongMark:
    """Mark the owner's turn; what it kept and what it reused is not reused again. Blocking.

    Raises AccessError for somebody else's turn, InputError `wrong.*` (running, unknown reason, the case's file cannot be
    written: the mark stands all the same), StoreError.
    """
    if reason not in REASONS:
        raise InputError("wrong.reason", reason=sanitize(reason)[:60], known=", ".join(REASONS))
    turn = services.conversations.turn(owner, turn_id)
    if turn.status == "running":
        raise InputError("wrong.unfinished", turn=turn_id)
    trace = services.conversations.recording(owner, turn_id)
    keys = [f"turn:{turn_id}", *keys_of(trace)]
    note = sanitize(note).strip()[:NOTE_CHARS]
    answer = WrongAnswers(services.conversations).mark(owner, turn_id, reason, note, keys)
    case = _case_of(services, registry, owner, turn, answer)
    return WrongMark(answer, _replace_case(services, turn.mode, str(case["id"]), case), str(case["id"]))


def unmark_wrong(services: Services, owner: str, turn_id: str) -> bool:
    """The answer was right after all: mark, exclusions and case go; whether there was a mark. Blocking; raises as above."""
    turn = services.conversations.turn(owner, turn_id)
    found = WrongAnswers(services.conversations).take_back(owner, turn_id)
    if found:
        _replace_case(services, turn.mode, CASE_ID.format(turn_id), None)
    return found


def _case_of(
    services: Services, registry: Registry, owner: str, turn: StoredTurn, answer: WrongAnswer
) -> dict[str, Any]:
    """The conversation up to the turn as a case: its last answer may say anything but what it said."""
    given = services.conversations.recording(owner, turn.id).get("given") or {}
    shown = _shareable(services, registry, turn.mode)
    whole = services.conversations.export(owner, turn.conversation_id)
    said = []
    for message in whole.messages:
        if message.sender == "user":
            said.append(shown(message.text))
        if message.id == turn.question_message_id:
            break
    texts = [one.text for one in whole.messages if one.turn_id == turn.id and one.sender == "assistant"]
    who = given.get("profile") or {}
    state = turn.state if len(dump(turn.state)) <= STATE_CHARS else None
    answer_text = shown("\n\n".join(texts)).strip()
    turns: list[dict[str, Any]] = [{"say": text} for text in said]
    turns[-1] |= {"wrong": [answer_text] if answer_text else [], "note": shown(answer.note)}
    fields = {
        "id": CASE_ID.format(turn.id),
        "mode": turn.mode,
        "turns": turns,
        "lang": given.get("language"),
        "now": given.get("now"),
        "user": who.get("login") or owner,
        "role": who.get("role"),
        "reason": answer.reason,
        "state": _each(state, shown),
    }
    return {name: value for name, value in fields.items() if value not in (None, "")}


def _each(value: Any, shown: Callable[[str], str]) -> Any:
    """`value` with every text in it as `shown` lets it out."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, Mapping):
        return {key: _each(item, shown) for key, item in value.items()}
    if isinstance(value, list):
        return [_each(item, shown) for item in value]
    return value


def _shareable(services: Services, registry: Registry, mode: str) -> Callable[[str], str]:
    """What the mode lets out of a text: an assistant that hears personal things masks them."""
    try:
        found = registry.get(mode).shareable
    except TrolyError:
        return lambda text: text
    return lambda text: found(services, text)


def _replace_case(services: Services, mode: str, case: str, fields: Mapping[str, Any] | None) -> Path:
    """The file of the mode's cases with this one as `fields`, or without it; the others stay as they are."""
    file = services.paths.cases / f"{mode}.jsonl"
    try:
        lines = file.read_text(encoding="utf-8").split("\n") if file.exists() else []
        kept = [line for line in lines if line.strip() and not _is(line, case)]
        if fields is not None:
            kept.append(json.dumps(fields, ensure_ascii=False))
        write_whole(file, "".join(f"{line}\n" for line in kept))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("wrong.file", file=file, reason=getattr(error, "strerror", "") or error) from error
    return file


def _is(line: str, case: str) -> bool:
    try:
        fields = json.loads(line)
    except ValueError:
        return False
    return isinstance(fields, dict) and fields.get("id") == case
