"""Understands a message once a turn: what it answers, and its parse over every sheet that it may be about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from troly.text.fold import fold, tokens
from troly_analysis.planner.draft import ParsedQuestion
from troly_analysis.planner.parser import parse_question
from troly_analysis.planner.schema import schema_of
from troly_analysis.planner.types import DataQuery, Lookup, Plan
from troly_analysis.planner.wording import without_sheet
from troly_analysis.types import Sheet

_IGNORE = ("bo qua", "ignore", "khong can", "skip")


@dataclass(frozen=True, slots=True)
class QuestionAnalysis:
    """What a message was understood as; the classifier and the planner both work on this, so that it is parsed once.

    `parses` holds one for each sheet that the message may be about, the best first. Where the message only answers
    what was asked back, `text` is the question before, `choices` what was chosen, and `previous` is None. `query` is
    the query of a suggestion that was sent as it stands; then nothing is parsed.
    """

    text: str
    today: date
    sheets: tuple[Sheet, ...]
    parses: tuple[ParsedQuestion, ...] = ()
    previous: Plan | None = None
    choices: Mapping[str, str] = field(default_factory=dict)
    query: DataQuery | None = None

    @property
    def answered(self) -> bool:
        """Whether the message is an answer to what was asked back."""
        return bool(self.choices)


def analyse_question(
    text: str,
    sheets: Sequence[Sheet],
    now: datetime,
    *,
    previous: Plan | None = None,
    values: Lookup | None = None,
    suggested: Mapping[str, DataQuery] | None = None,
) -> QuestionAnalysis:
    """Understand `text`, asked at `now` over these sheets.

    `previous` is the plan of the question before, which a follow-up changes and an option answers. `values` looks up
    values of columns too long for `Field.examples`. `suggested` are the queries of the suggestions that were shown,
    by their folded text.
    """
    choices: dict[str, str] = {}
    if previous is not None and previous.question is not None:
        answer = _answer(text, previous)
        if answer is not None:
            choices = {**previous.choices, **answer}
            text, previous = previous.text, None
    today, known = now.date(), tuple(sheets)
    query = (suggested or {}).get(fold(text).strip())
    if query is not None and any(sheet.name == query.sheet for sheet in known):
        return QuestionAnalysis(text, today, known, query=query)
    asked, named = without_sheet(text, known)
    chosen = choices.get("sheet") or named
    found = []
    for sheet in [sheet for sheet in known if sheet.name == chosen] or known:
        parsed = parse_question(asked, schema_of(sheet, known), today, choices, values)
        parsed.score = _score(parsed, sheet, previous)
        found.append(parsed)
    ranked = sorted(found, key=lambda parsed: -parsed.score)
    return QuestionAnalysis(text, today, known, tuple(ranked), previous, choices)


def _answer(text: str, previous: Plan) -> dict[str, str] | None:
    """What an answer to the open question chooses; None when it is no answer."""
    said = " ".join(token.folded for token in tokens(text))
    if previous.pending == "ignore":
        return {"ignore": "1"} if any(said.startswith(word) for word in _IGNORE) else None
    for nth, option in enumerate(previous.options, 1):
        name = " ".join(token.folded for token in tokens(option))
        if said in {name, str(nth), f"so {nth}", f"option {nth}"} or (
            name and said.endswith(f" {name}") and len(said) < len(name) + 12
        ):
            return {previous.pending: option}
    return None


def _score(parsed: ParsedQuestion, sheet: Sheet, previous: Plan | None) -> float:
    """How well a sheet fits the message: what of it is named, less what is not found."""
    draft = parsed.draft
    score = parsed.confidence
    for mention in draft.mentions:
        if mention.values and mention.used:
            score += mention.values[0].weight
        elif mention.targets:
            rows = mention.targets[0].ref is None and mention.targets[0].metric is None
            score += mention.targets[0].weight * (1.15 if rows else 1.0)
    score -= 1.0 * len(draft.missing)
    foreign = {c.ref.sheet for c in draft.conditions} | {g.ref.sheet for g in draft.groups}
    foreign |= {m.ref.sheet for m in draft.measures if m.ref}
    score -= 0.2 * len(foreign - {""})
    if any(m.ref and m.ref.sheet for m in draft.said):
        score -= 0.5
    if draft.period and draft.date_ref is None:
        score -= 1.0
    sold = draft.any("seller", "slow seller", "sold", "bought")
    if sold and parsed.draft.schema.of("quantity", "revenue") is None:
        score -= 1.0
    if fold(sheet.name) in fold(draft.wording.text):
        score += 0.5
    if previous is not None and previous.sheet == sheet.name:
        score += 0.6
    return score
