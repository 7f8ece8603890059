"""`app agents resolve FILE.json`: candidates of a file weighed by the configured rules, without a question."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from troly.errors import InputError
from troly.plugin.contract import CommandRequest, CommandResult
from troly.plugin.events import Table
from troly.text.dates import HCM, parse_now
from troly_rag.config import load
from troly_rag.conflicts.contradictions import rule_words, rules_of
from troly_rag.conflicts.scoring import Candidate, Resolution, ScoredCandidate, resolve
from troly_rag.strings import say

RESOLVE_COLUMNS = ("candidate", "agent", "domain", "scope", "recency", "relevance", "combined")
MOST_BYTES = 4 * 1024 * 1024
MOST = 1000
# What the documents and people call the same thing.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "agent": ("agent", "source_agent"),
    "text": ("text", "answer", "content"),
    "domain": ("domain",),
    "scope": ("scope",),
    "created_at": ("created_at", "date", "effective", "effective_date"),
    "relevance": ("relevance", "relevance_score", "score"),
    "title": ("title", "document"),
    "url": ("url",),
    "id": ("id", "name"),
    "superseded": ("superseded",),
}


def resolve_candidates(request: CommandRequest) -> CommandResult:
    """The scores as a table, winner first, and who won by which rule; `--json` gives all of it as one object.

    Raises InputError for a wrong file, SettingsError for a wrong agents.toml.
    """
    lang = request.language
    candidates, moment, domain = read_candidates(Path(request.text("file")))
    rules = rules_of(load(request.services.paths))
    found = resolve(candidates, rules, moment or request.now, domain)
    record = resolution_record(found)
    names = " / ".join(str(one.get("title") or one.get("id")) for one in record["winners"])
    key = "resolve.tie" if found.tie else "resolve.winner"
    summary = say(key, lang, names=names, policy=found.policy, rule=rule_words(found, found.winners[0], lang))
    columns = tuple(say(f"resolve.{name}", lang) for name in RESOLVE_COLUMNS)
    return CommandResult(
        table=Table(columns, tuple(score_rows(found)), numeric=(2, 3, 4, 5, 6)),
        records=(record,),
        summary=summary,
    )


def read_candidates(path: Path) -> tuple[tuple[Candidate, ...], datetime | None, str]:
    """The candidates of a file, its moment and the question's domain where it names them.

    The file holds a list of candidates, or an object with `candidates`, `now` and `domain`. Raises InputError
    `resolve.*`, naming the candidate (from 1) and the field.
    """
    raw = _load(path)
    whole = raw if isinstance(raw, Mapping) else {"candidates": raw}
    entries = whole.get("candidates")
    if not isinstance(entries, list) or not entries:
        raise InputError("resolve.candidates", path=path)
    if len(entries) > MOST:
        raise InputError("resolve.many", path=path, count=len(entries), most=MOST)
    found = tuple(_candidate(entry, number, path) for number, entry in enumerate(entries, 1))
    now = whole.get("now")
    moment = _moment(now, path, 0, "now") if now is not None else None
    domain = whole.get("domain") or ""
    if not isinstance(domain, str):
        raise InputError("resolve.field", path=path, number=0, field="domain", value=domain)
    return found, moment, domain


def resolution_record(found: Resolution) -> dict[str, Any]:
    """What was decided as plain values: winner (null for a tie), winners, scores of all, policy."""
    winners = [_named(one) for one in found.winners]
    return {
        "winner": None if found.tie else winners[0],
        "winners": winners,
        "tie": found.tie,
        "policy": found.policy,
        "decided_by": found.decided_by or None,
        "scores": [
            {
                **_named(one),
                **{name: round(value, 4) for name, value in one.scores.items()},
                "combined": one.total,
                "age": one.age,
            }
            for one in found.ranked
        ],
    }


def _named(one: ScoredCandidate) -> dict[str, Any]:
    candidate = one.candidate
    named = {"id": candidate.id, "agent": candidate.agent, "title": candidate.title, "text": candidate.text}
    return {name: value for name, value in named.items() if value}


def _load(path: Path) -> Any:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError("resolve.unreadable", path=path, reason=error.strerror or error) from error
    if len(data) > MOST_BYTES:
        raise InputError("resolve.large", path=path, size=len(data), most=MOST_BYTES)
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError("resolve.encoding", path=path, byte=error.start + 1) from error
    except json.JSONDecodeError as error:
        raise InputError(
            "resolve.json", path=path, line=error.lineno, column=error.colno, reason=error.msg
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError("resolve.json", path=path, line=1, column=1, reason=error) from error


def _candidate(entry: Any, number: int, path: Path) -> Candidate:
    if not isinstance(entry, Mapping):
        raise InputError("resolve.object", path=path, number=number)
    given = {
        field: next((entry[name] for name in names if entry.get(name) is not None), None)
        for field, names in _NAMES.items()
    }
    values: dict[str, Any] = {"id": str(number)}
    for field in ("agent", "text", "domain", "scope", "title", "url", "id"):
        value = given[field]
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            values[field] = str(value)
        elif value is not None:
            raise InputError("resolve.field", path=path, number=number, field=field, value=value)
    values["scope"] = values.get("scope", "public").lower()
    values.setdefault("agent", "")
    values.setdefault("text", "")
    values["relevance"] = _relevance(given["relevance"], number, path)
    values["superseded"] = given["superseded"] is True
    if given["created_at"] is not None:
        values["created_at"] = _moment(given["created_at"], path, number, "created_at")
    return Candidate(**values)


def _relevance(value: Any, number: int, path: Path) -> float:
    if value is None:
        return 0.0
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise InputError("resolve.relevance", path=path, number=number, value=value)


def _moment(value: Any, path: Path, number: int, field: str) -> datetime:
    try:
        moment = parse_now(str(value))
    except ValueError as error:
        raise InputError("resolve.field", path=path, number=number, field=field, value=value) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=HCM)


def score_rows(found: Resolution) -> Sequence[tuple[str, ...]]:
    """The scores as rows of a table, best first."""
    return [
        (
            one.candidate.title or one.candidate.id or one.candidate.agent,
            one.candidate.agent,
            *(f"{one.scores[name]:.2f}" for name in ("domain", "scope", "recency", "relevance")),
            f"{one.total:.3f}",
        )
        for one in found.ranked
    ]
