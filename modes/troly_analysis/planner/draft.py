"""A question while it is read: its mentions, what was understood so far, and how to move among the words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from troly.text.fold import fold
from troly_analysis.planner.lexicon import concept
from troly_analysis.planner.mentions import Mention, best_targets
from troly_analysis.planner.schema import Schema, Target, is_code
from troly_analysis.planner.types import Condition, DataQuery, Group, Measure, Note, Period, Ref
from troly_analysis.planner.wording import CorrectedText
from troly_analysis.types import NUMERIC, TEMPORAL

LINKS = frozenset({"filler", "and", "only", "all", "follow", "filled", "either", "done", "deny"})
LEAVING_OUT = frozenset({"not", "blank", "minus", "deny"})
"""The labels of words that may leave something out."""
SUPERLATIVE = (
    "max", "min", "top", "bottom", "seller", "slow seller", "latest", "earliest", "superlative", "fast", "slow",
)  # fmt: skip
"""The labels of words that rank."""
PERSONS = (
    "employee", "driver", "doctor", "teacher", "trainer", "student", "customer", "patient", "reader", "pet owner", "author",
)  # fmt: skip
"""The concepts of columns that hold persons."""


@dataclass(slots=True)
class QueryDraft:
    """What has been made of a message so far; the reading steps fill it one after the other."""

    wording: CorrectedText
    schema: Schema
    mentions: list[Mention]
    today: date
    choices: Mapping[str, str]
    period: Period | None = None
    versus: Period | None = None
    versus_only: bool = False
    """Whether only the period to compare with was named ("so với tháng trước")."""
    date_ref: Ref | None = None
    conditions: list[Condition] = field(default_factory=list)
    having: list[Condition] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    measures: list[Measure] = field(default_factory=list)
    said: tuple[Measure, ...] = ()
    """The figures that were named, before any was assumed."""
    per: Group | None = None
    limit: int = 0
    rank: int = 0
    rank_said: str = ""
    """The one place of a ranking that is asked for, 0 for none, and its words."""
    order: Literal["asc", "desc", ""] = ""
    entity: str = ""
    notes: list[Note] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    question: Note | None = None
    options: tuple[str, ...] = ()
    pending: str = ""
    doubt: float = 0.0

    def note(self, key: str, **params: Any) -> None:
        """Add an assumption to be shown, once."""
        found = Note(key, params)
        if found not in self.notes:
            self.notes.append(found)

    def ask(self, key: str, pending: str, options: tuple[str, ...], **params: Any) -> None:
        """Put a question to the user, unless one is put already."""
        if self.question is None:
            self.question, self.options = Note(key, {**params, "options": options}), options
            self.pending = fold(pending)

    def any(self, *labels: str) -> bool:
        """Whether any word of the message that is not spoken for can mean one of `labels`."""
        return any(mention.has(*labels) and not named(mention) for mention in self.mentions)

    def before(self, at: int, reach: int = 3) -> Iterator[Mention]:
        """The mentions before number `at`, nearest first, links left out; it stops where words are not covered."""
        yield from self._walk(at, -1, reach)

    def after(self, at: int, reach: int = 3) -> Iterator[Mention]:
        """The mentions after number `at`, nearest first, links left out."""
        yield from self._walk(at, 1, reach)

    def _walk(self, at: int, step: int, reach: int) -> Iterator[Mention]:
        nth, seen = at + step, 0
        while 0 <= nth < len(self.mentions) and seen < reach:
            mention = self.mentions[nth]
            if not is_link(mention):
                seen += 1
                yield mention
            nth += step


@dataclass(slots=True)
class ParsedQuestion:
    """A message over one sheet: the draft it left, the question made of it, and how much was understood (0 to 1)."""

    draft: QueryDraft
    ask: DataQuery
    confidence: float
    score: float = 0.0
    """How well the sheet fits the message: what of it is named, less what is not found."""


def is_link(mention: Mention) -> bool:
    """Whether a mention only ties others together."""
    meaning = mention.targets or mention.values or mention.period or mention.amount
    return not meaning and bool(mention.labels) and mention.labels <= LINKS


def named(mention: Mention) -> bool:
    """Whether the mention names a column, a value, a period or an amount for certain, whatever its words mean else."""
    if mention.period or mention.amount:
        return True
    if mention.values and mention.values[0].whole and mention.values[0].weight >= 0.95:
        return True
    return bool(mention.targets) and mention.targets[0].weight >= 0.95


def chosen(draft: QueryDraft, mention: Mention, wanted: frozenset[str] | None = None) -> Target | None:
    """The target a mention means, of the kinds `wanted`; asks when several are equally good. None when none fits."""
    fitting = [target for target in mention.targets if _fits(target, wanted)]
    if not fitting:
        return None
    top = fitting[0].weight
    best = [target for target in fitting if top - target.weight < 0.035]
    # "Khách" is a person before it is a "Khách quen" of yes or no.
    best = [each for each in best if not (each.ref and each.ref.kind == "boolean")] or best
    picked = draft.choices.get(fold(mention.text))
    if picked:
        best = [target for target in fitting if target.ref and target.ref.name == picked] or best
    names = tuple(dict.fromkeys(target.ref.name for target in best if target.ref))
    things = {
        target.concept if target.concept and target.ref and target.ref.kind not in NUMERIC else target.key
        for target in best
    }
    if len(names) > 1 and len(best) == len(names) and len(things) > 1:
        draft.ask("which_field", mention.text, names[:4], said=mention.text)
    return best[0]


def _fits(target: Target, wanted: frozenset[str] | None) -> bool:
    if wanted is None:
        return True
    if target.metric:
        return "metric" in wanted
    return target.ref.kind in wanted if target.ref else "rows" in wanted


FIGURES = frozenset({*NUMERIC, "metric"})
NAMES = frozenset({"text", "boolean", "list", "date", "datetime"})


def figure(draft: QueryDraft, mention: Mention) -> Target | None:
    """The number column or metric a mention means; None when its best reading is none."""
    if not mention.targets:
        return None
    best = best_targets(mention)
    if any(_fits(target, FIGURES) and not _code(draft, target) for target in best):
        return chosen(draft, mention, FIGURES)
    return None


def _code(draft: QueryDraft, target: Target) -> bool:
    return target.ref is not None and is_code(target.ref, draft.schema.key(target.ref), draft.schema.sheet)


def is_rows(mention: Mention) -> bool:
    """Whether the mention names what a row of the sheet is."""
    rows = next((target for target in mention.targets if target.ref is None and target.metric is None), None)
    if rows is None:
        return not mention.targets and mention.has("rows")
    return rows.weight >= mention.targets[0].weight - 0.08


def dimension(draft: QueryDraft, mention: Mention) -> Target | None:
    """The column of names a mention means: text, yes or no, a date, or a number with few values that names things."""
    best = best_targets(mention)
    names = [t for t in best if t.ref and (t.ref.kind in NAMES or _names_things(draft, t.ref))]
    if not names:
        return None
    picked = chosen(draft, mention, NAMES)
    return picked if picked and picked.ref else names[0]


def _names_things(draft: QueryDraft, ref: Ref) -> bool:
    found = draft.schema.key(ref)
    about = concept(ref.concept)
    return (
        ref.kind == "integer"
        and ((about is not None and about.nature == "category") or _coded(draft, ref))
        and found.distinct > 0
    )


def _coded(draft: QueryDraft, ref: Ref) -> bool:
    return is_code(ref, draft.schema.key(ref), draft.schema.sheet)


def is_time(ref: Ref) -> bool:
    """Whether a column holds dates."""
    return ref.kind in TEMPORAL
