"""`app agents resolve FILE.json`: candidates of a file weighed by the configured rules, without a question."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from troly.errors import InputError
from troly.plugin.contract import CommandRequest, CommandResult
from troly.plugin.events import Table
from troly.text.dates import HCM, parse_now
from troly_rag.config import FACTORS, load
from troly_rag.conflicts.contradictions import rule_words, rules_of
from troly_rag.conflicts.scoring import Candidate, Resolution, ScoredCandidate, resolve
from troly_rag.strings import say

RESOLVE_COLUMNS = ("candidate", "agent", "domain", "scope", "recency", "relevance", "combined")
MOST_BYTES = 4 * 1024 * 1024
MOST = 1000


def _moment(value: Any) -> datetime:
    moment = parse_now(str(value))
    return moment if moment.tzinfo else moment.replace(tzinfo=HCM)


def _named_as(*names: str, default: Any = "", **bounds: Any) -> Any:
    """A field by any of the names that the documents and people give it."""
    return Field(default, validation_alias=AliasChoices(*names), **bounds)


class _CandidateEntry(BaseModel):
    """A candidate as a file holds it."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    agent: str = _named_as("agent", "source_agent")
    text: str = _named_as("text", "answer", "content")
    domain: str = ""
    scope: Annotated[
        str, BeforeValidator(lambda value: value.lower() if isinstance(value, str) else value)
    ] = "public"
    created_at: Annotated[datetime | None, BeforeValidator(_moment)] = _named_as(
        "created_at", "date", "effective", "effective_date", default=None
    )
    relevance: float = _named_as(
        "relevance", "relevance_score", "score", default=0.0, ge=0, le=1, strict=True
    )
    title: str = _named_as("title", "document")
    url: str = ""
    id: str = _named_as("id", "name")
    superseded: bool = False


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
        table=Table(columns, tuple(map(_row, found.ranked)), numeric=(2, 3, 4, 5, 6)),
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
    domain = whole.get("domain") or ""
    if not isinstance(domain, str):
        raise InputError("resolve.field", path=path, number=0, field="domain", value=domain)
    try:
        return found, None if now is None else _moment(now), domain
    except ValueError as error:
        raise InputError("resolve.field", path=path, number=0, field="now", value=now) from error


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
    given = {"id": str(number), **{name: value for name, value in entry.items() if value is not None}}
    try:
        return Candidate(**_CandidateEntry.model_validate(given).model_dump())
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        if name in {"relevance", "relevance_score", "score"}:
            raise InputError("resolve.relevance", path=path, number=number, value=given[name]) from error
        raise InputError("resolve.field", path=path, number=number, field=name, value=given[name]) from error


def _row(one: ScoredCandidate) -> tuple[str, ...]:
    """The scores of a candidate as a row of the table."""
    name = one.candidate.title or one.candidate.id or one.candidate.agent
    return name, one.candidate.agent, *(f"{one.scores[factor]:.2f}" for factor in FACTORS), f"{one.total:.3f}"
