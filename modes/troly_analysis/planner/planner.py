"""Understands a message once a turn: over which sheet, alone or as a change to the question before, what it wants, what to do for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cache, partial, reduce

from troly.text.everyday import small_talk, thanks_only, without_background, without_pleasantries
from troly.text.fold import fold, folded_words, tokens
from troly_analysis.planner.builder import (
    ENDS_IN_TIME,
    MOST,
    BuiltQuery,
    asks_again,
    asks_alone,
    asks_columns,
    asks_number,
    asks_share_alone,
    asks_stock_alone,
    asks_total_alone,
    build_query,
    hold_pieces,
    in_context,
    is_bare,
    is_followup,
    leans,
    leaves_rest,
    names_figure_alone,
    of_any_state,
    of_every,
    of_that_year,
    only_leaves_out,
    points_by_weekday,
    refine_query,
    row_of,
    takes_in,
)
from troly_analysis.planner.calls import compose, out_of_reach
from troly_analysis.planner.lexicon import Phrases, concept, concepts, is_noun, nouns, says, turn_words, words
from troly_analysis.planner.mentions import find_mentions, is_same_days, read_wording, without_sheet
from troly_analysis.planner.periods import (
    When,
    following,
    is_ahead,
    is_partial,
    of_the_year_before,
    preceding,
    same_days,
    span_of,
)
from troly_analysis.planner.pointing import (
    another_place,
    ends_apart,
    figure_alone,
    nothing_named,
    pointed_query,
    points_at_days,
    shown_in,
    two_periods_shown,
    widened,
)
from troly_analysis.planner.reader import GOODS, PLACES, STATES, Parts, Pointer, read_question
from troly_analysis.planner.schema import Schema, code_name, each_once, is_any_of, schema_of
from troly_analysis.planner.types import (
    Condition,
    DataQuery,
    Group,
    Intent,
    Lookup,
    Measure,
    Note,
    Period,
    Plan,
    Ref,
    averaged,
    values_of,
)
from troly_analysis.types import Sheet

_TIE = 0.12
_OWN = 0.3
"""What the sheet's own main money weighs where nothing but a day or a verb of selling names it."""
_LONG = 7
"""Most words of a question that names its days and may still go on from the one before."""
_HARMLESS = frozenset(
    {"date_field", "outside", "limit", "derived", "filled_groups", "year_of_data", "averaged", "background"}
)
"""What is said of an answer without being a guess at what was meant."""
REFUSED = ("forecast", "cause")
_SINGLE_FORMS = frozenset({"scalar", "groups", "top", "rows", "distinct", "schema"})
_LEANING = (
    "follow", "again", "only", "correction", "not this", "pointer", "one", "among", "which one", "preceding",
    "deny",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class QuestionAnalysis:
    """What a message was understood as; the classifier and the answer both work on this, so that it is read once.

    `evidence` says how much it speaks of the sheets' data. Where the message only answers what was asked back, `text` is
    the question before, and `answered` True.
    """

    text: str
    plan: Plan
    previous: Plan | None = None
    answered: bool = False
    suggested: bool = False
    evidence: float = 0.0
    certain: bool = False
    """Whether no model need be asked (`is_certain`)."""
    changes: bool = False
    """Whether it says of itself that it goes on from the question before ("còn …", "chỉ …")."""
    alters: bool = False
    """Whether it corrects the question before or holds days, a value or a number, read or not."""


@cache
def _purpose() -> re.Pattern[str]:
    """What is said last of what the figure is for: "… để đối chiếu công nợ"."""
    return re.compile(rf"\s(?:{'|'.join(turn_words('purpose'))})\s+([^.?!;\n]+)[.?!;]*$", re.IGNORECASE)


_SAYS_NOTHING = frozenset(
    {"new", "usual", "filler", "verb", "greeting", "thing", "people", "per", "high", "low"}
)
_BOUNDS_NOTHING = frozenset({
    "gt", "lt", "gte", "lte", "eq", "sorted", "number", "preceding", "following", "filled", "plural", "foremost", "about", "unit day",
    "unit week", "unit month", "unit year", "list", "top", "pointer", "one", "several",
})  # fmt: skip
"""What bounds and orders nothing where nothing of a sheet stands beside it: "anh sắp vô họp", "mình gọi xin số trước"."""
_NAMES = 0.5
_MOST_TOLD, _FEW_TOLD = 20, 5


def _holds(
    piece: str, schemas: Sequence[Schema], today: date, idle: AbstractSet[str] = _SAYS_NOTHING
) -> bool:
    """Whether words name, bound, deny or point at anything that a sheet holds."""
    if set(turn_words("wish")).isdisjoint(folded_words(piece)):
        idle |= _BOUNDS_NOTHING
    for schema in schemas:
        wording = read_wording(piece, schema.names, schema.values)
        for each in find_mentions(wording, schema, today):
            values = any(value.whole or (value.weight >= _NAMES and not each.labels) for value in each.values)
            named = values or any(target.weight >= _NAMES for target in each.targets)
            if named or each.period or each.amount or each.labels - idle:
                return True
    return False


def _without_purpose(text: str, schemas: Sequence[Schema], today: date) -> tuple[str, tuple[str, ...]]:
    """`text` without what it says last of what the figure is for, where that names and bounds nothing that a sheet holds."""
    found = _purpose().search(text)
    idle = _SAYS_NOTHING | {"compare", "about"}
    if found is None or not tokens(text[: found.start()]) or _holds(found[1], schemas, today, idle):
        return text, ()
    return text[: found.start()], (found[0].strip(" ,.;!?"),)


@dataclass(slots=True)
class _Candidate:
    """The message over one sheet: what its words say and the query that they make."""

    schema: Schema
    parts: Parts
    built: BuiltQuery
    followed: bool
    unheard: bool = False
    """Whether it goes on from a question that was not understood."""

    @property
    def left(self) -> int:
        """How many words were not understood, or are not in the query."""
        return sum(len(tokens(each)) for each in self.parts.unread) + len(self.built.unmet)

    @property
    def works(self) -> bool:
        """Whether every word was understood and the query can be run."""
        return not self.left and self.built.complete

    @property
    def fit(self) -> tuple[float, ...]:
        """For ordering, the best first."""
        works = self.built.query is not None and self.built.question is None
        left = self.left + (0 if works else 2)
        return (left, not self.dated, self.outside, self.joined, self.distinct, -self.parts.weight)

    @property
    def dated(self) -> bool:
        """Whether what was done names the date of the sheet: "đăng ký" of "Ngày tham gia"."""
        ref = self.parts.when.date_ref
        about = concept(ref.concept) if ref is not None else None
        names = [ref.name, *(about.phrases if about else ())] if ref is not None else []
        verbs = tokens(self.parts.spoken.get("verb", ""))
        said = f" {' '.join(word.folded for word in verbs)} "
        return bool(verbs) and any(said in f" {' '.join(folded_words(name))} " for name in names)

    @property
    def outside(self) -> bool:
        """Whether the sheet knows nothing of the days that are asked for."""
        query, span = self.built.query, self.schema.sheet.span
        of_past = any(note.key == "year_of_data" for note in self.parts.notes)
        days = query.period if query is not None else None
        return of_past or bool(days and span and (days.start > span[1] or days.end < span[0]))

    @property
    def distinct(self) -> int:
        """Whether different values are counted, which another sheet may have as its rows."""
        query = self.built.query
        return int(query is not None and any(each.distinct for each in query.measures))

    @property
    def joined(self) -> int:
        """How many columns are another sheet's, which is asked for them first."""
        query = self.built.query
        return sum(bool(ref.sheet) for ref in query.refs) if query is not None else 0


def analyse_question(
    text: str,
    sheets: Sequence[Sheet],
    now: datetime,
    *,
    previous: Plan | None = None,
    values: Lookup | None = None,
    suggested: Mapping[str, DataQuery] | None = None,
    shown: Sequence[str] = (),
    figures: Mapping[str, float] | None = None,
    whole: bool = False,
) -> QuestionAnalysis:
    """Understand `text`, asked at `now` over these sheets.

    `previous` is the plan of the question before, which a follow-up changes and an option answers. `values` looks up
    values of columns too long for `Field.examples`. `suggested` are the queries of the suggestions that were shown,
    by their folded text. `shown` is the first cell of each row of the last answer, which words can point at, `figures` the figure of each. With `whole`
    the message is one question; else one that asks several things is answered part by part, each a question of its own.
    """

    def after(last: Plan | None, rows: Sequence[str]) -> QuestionAnalysis:
        given = {"suggested": suggested or {}, "figures": figures or {}, "values": values, "whole": whole}
        return _analyse(text, tuple(sheets), now, last, rows, **given)  # type: ignore[arg-type]

    if previous is not None and previous.more:
        return _of_each(previous, after, shown)
    return after(previous, shown)


def _analyse(
    text: str,
    known: tuple[Sheet, ...],
    now: datetime,
    previous: Plan | None,
    shown: Sequence[str],
    *,
    values: Lookup | None,
    suggested: Mapping[str, DataQuery],
    figures: Mapping[str, float],
    whole: bool,
) -> QuestionAnalysis:
    """The message after one question, or after none."""
    today, choices = now.date(), dict[str, str]()
    answer = _answer(text, previous) if previous is not None and previous.question is not None else None
    if previous is not None and answer is not None:
        choices, text = {**previous.choices, **answer}, previous.text
    query = suggested.get(fold(text).strip())
    if query is not None and any(sheet.name == query.sheet for sheet in known):
        return QuestionAnalysis(text, _of_suggestion(text, query, known), previous, False, True, certain=True)
    if not known or not tokens(text):
        missing = (text,) if text.strip() else ()
        return QuestionAnalysis(text, Plan(text, missing=missing), previous)
    schemas = {sheet.name: schema_of(sheet, known) for sheet in known}
    every = tuple(schemas.values())
    said, aside = without_background(without_pleasantries(text), lambda piece: _holds(piece, every, today))
    said, meant_for = _without_purpose(said, every, today)
    aside = (*aside, *meant_for)
    asked, named = without_sheet(said, known)
    chosen = choices.get("sheet") or named
    keys = {name: schema.row_ref for name, schema in schemas.items()}
    question = _Question(asked, today, previous, choices, values, tuple(shown), figures, keys)
    held = [sheet for sheet in known if sheet.name == chosen] or known
    fitting = sorted((question.over(schemas[sheet.name]) for sheet in held), key=lambda each: each.fit)
    here = [
        each for each in fitting if previous and previous.ask and each.schema.sheet.name == previous.sheet
    ]
    found = here if here and not _names_sheet(fitting[0].parts) else fitting
    best, evidence = found[0], max(each.parts.evidence for each in found)
    keyed = (each for each in found if each.parts.row_key and each.works)
    row = next((each for each in keyed if _is_row(each.built.query)), None)
    if row is not None:
        best = row
    elif previous and previous.sheet:
        best = _going_on(found, previous.sheet)
    before = previous.ask if previous else None
    rival = None if row or best.followed or choices.get("sheet") or named else _rival(found, before)
    made = _plan(text, best, before, today, choices, found=fitting, lookup=values)
    made = _which_sheet(text, best, rival, choices) if rival else made
    if best.unheard and previous is not None and not made.question:
        made = _asks_what_was_meant(made, previous)
    if aside and made.calls:
        made = replace(made, shown=(*made.shown, Note("background", {"said": "; ".join(aside)})))
    asks = partial(analyse_question, sheets=known, now=now, values=values, whole=True)
    made = _at_its_price(_with_before(made, before, previous, best.parts), best.parts, schemas, asks)
    twice = len(best.parts.kept) > 1  # "hôm đó …, năm ngoái cũng ngày đó thì sao"
    inside = bool((best.parts.pointer or best.parts.kept) and best.parts.conditions)
    split = not made.calls or twice or inside or _loses_one(made.ask, best.parts.asks)
    if split and not (whole or choices):

        def plan_of(part: str, last: Plan | None) -> Plan:
            own, rows = last is not previous, () if last is not previous else shown
            one = {"previous": last, "values": values, "whole": own, "shown": rows}
            return analyse_question(part, known, now, **one).plan  # type: ignore[arg-type]

        made = _by_parts(asked, made, plan_of, schemas, previous, inside=inside)
    changes = any(leans(each.parts) for each in found)
    certain = not (choices or made.more) and is_certain(made, best)
    alters = (
        best.unheard or changes or bool(best.parts.facts or best.parts.numbers or re.search("[0-9]", text))
    )
    return QuestionAnalysis(
        text, made, previous, answer is not None, False, evidence, certain, changes, alters
    )


def _at_its_price(
    made: Plan, parts: Parts, schemas: Mapping[str, Schema], asks: Callable[[str], QuestionAnalysis]
) -> Plan:
    """The price that the one row of a thing says, where one that was shown is asked for its price and orders hold only a mean."""
    query = made.ask if made.calls and parts.pointer is not None and parts.pointer.place else None
    ref = query.measures[0].ref if query is not None and len(query.measures) == 1 else None
    if query is None or ref is None or ref.concept != "price" or query.groups or not query.conditions:
        return made
    listed = asks(f"{parts.spoken.get(ref.name, ref.name)} {query.conditions[-1].value}").plan
    held = listed.ask.conditions if listed.ask is not None and listed.calls else ()
    told = len(held) == 1 and each_once(held[0].ref, schemas[listed.sheet])
    return replace(listed, text=made.text, before=made.before) if told else made


def _going_on(found: Sequence[_Candidate], before: str) -> _Candidate:
    """The best of what goes on from a question of the sheet `before`; words of another sheet alone lead there."""
    own = (each for each in found if each.followed and (each.works or each.schema.sheet.name == before))
    again = next(own, found[0])
    return found[0] if again.parts.unread else again


def _of_each(
    previous: Plan, go_on: Callable[[Plan, Sequence[str]], QuestionAnalysis], shown: Sequence[str]
) -> QuestionAnalysis:
    """What follows a message of several questions: other days or rows are those of each, all else is asked of the last, whose rows
    were `shown`.
    """
    found = go_on(previous.more[-1], shown)
    parts = [go_on(each, ()) for each in (replace(previous, more=()), *previous.more[:-1])]
    each = [*(one.plan for one in parts), found.plan]

    def keeps(made: Plan, before: Plan) -> bool:
        one, two = made.ask, before.ask
        alike = one is not None and two is not None and (one.measures, one.form) == (two.measures, two.form)
        return alike and made.followed and bool(made.calls)

    if not all(map(keeps, each, (previous, *previous.more))):
        return found
    return replace(found, plan=replace(each[0], more=tuple(each[1:])), certain=False)


@cache
def _joints() -> re.Pattern[str]:
    """Where a message may be cut into two questions: at the end of a sentence, a comma, "và"."""
    after, alone, left = ("|".join(turn_words(each)) for each in ("joint after comma", "joint", "left"))
    comma = rf",\s*(?:(?:{after})(?! (?:{left})\b)\s+)?"
    return re.compile(rf"(?<=[.?!;])\s+|{comma}|\s+(?:{alone})\s+", re.IGNORECASE)


def _with_before(made: Plan, before: DataQuery | None, previous: Plan | None, parts: Parts) -> Plan:
    """`made` with the query before it; where it goes on from that one past a question that was not read, that is said or asked."""
    chosen = previous is not None and previous.options
    if made.calls and not (before or chosen) and parts.chart and nothing_named(replace(parts, groups=[])):
        return replace(made, calls=(), ask=None, question=Note("which_drawn"))  # of what, nothing says
    days = DataQuery(made.ask.sheet, date_ref=made.ask.date_ref, period=made.ask.period) if made.ask else None
    days = days if days and days.period else None
    moved = previous if previous is not None and previous.sheet != made.sheet else None
    made = replace(made, scope=days or (moved.scope if moved else None))
    if not made.calls or before is None or previous is None:
        return made
    made = replace(made, before=before) if before.sheet == made.sheet else made
    if previous.calls or not _keeps(made.ask, before, parts):
        return made
    drawn = parts.chart and nothing_named(parts)  # what was shown, with no more than a chart
    if _has_unread(previous) and not drawn:
        return _asks_what_was_meant(replace(made, calls=(), ask=before, also=None, also_calls=()), previous)
    return replace(made, shown=(Note("unread_before", {"said": previous.text}), *made.shown))


def _has_unread(previous: Plan) -> bool:
    """Whether words of the message before were not read, in a correction or beside days, a value or a number."""
    text, asked = fold(previous.text), previous.question
    if asked is not None and asked.key == "unheard":
        return True
    held = previous.facts or re.search(r"[0-9]", text) or "correction" in _meanings(previous.text)
    return bool(held) and any(fold(each) in text for each in previous.missing)


def _asks_what_was_meant(made: Plan, previous: Plan) -> Plan:
    """`made` as the question what the words not read before it mean, which it goes on from."""
    typed = [each for each in previous.missing if each in _OWN_WORDS or fold(each) in fold(previous.text)]
    said = _each_once([_in_words(each, Parts()) for one in typed for each in _parts_of(one, Parts())])
    question = Note("unheard", {"said": tuple(said) or previous.text})
    return replace(made, question=question, missing=previous.missing)


def _keeps(ask: DataQuery | None, before: DataQuery, parts: Parts) -> bool:
    """Whether a query has days or conditions of the one before that the message does not name."""
    held = [each for each in before.conditions if each not in parts.conditions]
    days = before.period is not None and parts.when.period is None
    kept = ask is not None and any(each in ask.conditions for each in held)
    return kept or (ask is not None and days and ask.period == before.period)


def _loses_one(query: DataQuery | None, asks: int) -> bool:
    """Whether of two things that may be asked one only is shown: a ranking after a figure, one figure where "how many" is asked
    twice, the conditions of the second on the first; or things are counted that other sheets may list ("mấy khách, mấy mã").
    """
    if query is None or query.form != "scalar":
        return query is not None and query.form in {"top", "rows", "share"}
    things = len(query.measures) > 1 and all(each.distinct for each in query.measures)
    return 1 == len(query.measures) < asks or (things and not (query.conditions or query.period))


def _ranks_two(query: DataQuery | None) -> bool:
    """Whether two things are ranked together, of which each may be asked for by itself: "kênh nào …, sản phẩm nào bán chạy nhất"."""
    return query is not None and query.form == "top" and len(query.groups) == 2 and not query.within


def _by_parts(
    text: str,
    made: Plan,
    plan_of: Callable[[str, Plan | None], Plan],
    schemas: Mapping[str, Schema],
    previous: Plan | None,
    *,
    inside: bool,
) -> Plan:
    """`made`, or where a message asks two things the plan of both."""

    def dated(plan: Plan) -> Plan:
        calls = compose(plan.ask, schemas[plan.sheet], plan.text) if plan.ask else plan.calls
        return replace(plan, calls=calls)

    forms = {"scalar", "share"} if made.calls and not (inside or _ranks_two(made.ask)) else _PLAIN
    parts = _part_by_part(text, plan_of, dated, previous, forms, inside=inside and bool(made.calls))
    notes = (note for note in made.shown if note.key == "background")
    return replace(parts, shown=(*parts.shown, *notes)) if parts is not None else made


def _part_by_part(
    text: str,
    plan_of: Callable[[str, Plan | None], Plan],
    dated: Callable[[Plan], Plan],
    previous: Plan | None,
    forms: AbstractSet[str],
    *,
    inside: bool = False,
) -> Plan | None:
    """The plan of a message whose two halves each ask something whole, the second of the days of the first; None for others.

    `plan_of` is the plan of one half, `dated` a plan with the calls of its query, `forms` are those that the first half may have.
    With `inside` only the second half may point, which is then at what the first names, whatever was shown before.
    """
    for joint in reversed(list(_joints().finditer(text))):
        head, tail = text[: joint.start()], text[joint.end() :]
        back = not _POINTS.isdisjoint(_meanings(tail) - _meanings(head))
        asks = back or (_asks(head, "number") and _asks(tail, "follow") and not inside)
        if min(len(tokens(head)), len(tokens(tail))) < _LEAST_WORDS or not asks:
            continue
        first = plan_of(head, previous)
        fits = first.ask is None or first.ask.form in forms or _of_values(first.ask)
        if not first.calls or first.missing or not fits:
            continue
        second = plan_of(tail, first)
        if second.also is not None and second.ask is not None:
            query = max(second.also, second.ask, key=lambda each: len(each.conditions) + bool(each.period))
            calls = second.also_calls if query is second.also else second.calls
            second = replace(second, ask=query, calls=calls, also=None, also_calls=())
        one, two = first.ask, second.ask
        if not second.calls or second.missing or one is None or two is None or one == two:
            continue
        alike = one.form == two.form == "top" and any(each not in one.conditions for each in two.conditions)
        later = one.period is None and two.period is not None  # "… và … thấp nhất tháng 10": of both
        if alike or (later and (first.sheet != second.sheet or first.more)):
            continue
        if later:
            first = dated(replace(first, ask=replace(one, period=two.period)))
        return replace(first, text=text, more=(*first.more, second))
    return None


def _of_values(query: DataQuery) -> bool:
    """Whether a figure is asked of values that are named, each for itself: "số đơn hoàn trả với số đơn hủy"."""
    named = {each.ref for each in query.conditions if each.op == "in"}
    return query.form == "groups" and named.issuperset(each.ref for each in query.groups)


_LEAST_WORDS = 3
_POINTS = frozenset({"pointer", "several", "among"})
_PLAIN = frozenset({"scalar", "top", "rows", "groups"})


def _asks(text: str, *more: str) -> bool:
    """Whether words ask for a figure or for which one, or mean one of `more`."""
    return not _meanings(text).isdisjoint({
        "which", "count", "how much", "much", "who", "which one", "max", "min", "superlative", "place", *more,
    })  # fmt: skip


def _meanings(text: str) -> AbstractSet[str]:
    """What the words of the list that stand in a text mean."""
    wording = read_wording(text)
    return {hit.payload for hit in words().find(wording.text, wording.words, careful=False)}


def _is_row(query: DataQuery | None) -> bool:
    """Whether one row is asked for."""
    return query is not None and query.form == "rows" and query.limit == 1 and not query.order


def is_certain(made: Plan, best: _Candidate) -> bool:
    """Whether code alone answers, also where a model is connected.

    One result of one figure, or a list of one; every word read and nothing assumed; and the message stands on its own: it
    points at nothing that was shown, corrects and leaves out nothing, compares nothing and wants no second thing.
    """
    query, parts = made.ask, best.parts
    if len(made.calls) != 1 or query is None or best.followed or made.also or len(query.measures) > 1:
        return False
    if {note.key for note in made.shown} - _HARMLESS or query.form not in _SINGLE_FORMS:
        return False
    more = (query.versus, query.gap, query.growth, query.rank, query.within, query.having, query.count_groups)
    left_out = any(each.op in {"ne", "nin"} and each.value is not None for each in query.conditions)
    leaning = parts.corrects or parts.has(*_LEANING)
    nameless = bool(parts.extremes) and not (query.groups or query.entity)
    return not (any(more) or left_out or leaning or nameless)


# Meanings that have no words of the message, and a name in the catalogue.
_OWN_WORDS = {
    each: each
    for each in ("max", "min", "latest", "top", "avg", "median", "compare", "gap", "count", "figure", "per", "now", "not", "aov", "each")
} | {"±": "compare", "…": "pointed", "%": "share", "mua/bán": "sold", "tồn kho": "left", "how much": "amount"}  # fmt: skip
_OWN_WORDS |= {f"rank {place}": "rank" for place in range(1, MOST)}
_OWN_LABELS = {"±": "compare", "mua/bán": "sold", "…": "pointer", "%": "share", "tồn kho": "left"}
_POINTERS = ("among", "then", "both", "one", "follow", "only", "correction", "again")


@dataclass(frozen=True, slots=True)
class _Question:
    """What is the same for every sheet that a message is held against."""

    text: str
    today: date
    previous: Plan | None
    choices: Mapping[str, str]
    values: Lookup | None
    shown: tuple[str, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict)
    """The figure of each row that was shown."""
    keys: Mapping[str, Ref | None] = field(default_factory=dict)
    """The column that names the rows of each sheet."""

    def over(self, schema: Schema) -> _Candidate:
        """The message over one sheet."""
        last = self.previous
        asked = last.ask if last is not None else None
        before = asked if asked is not None and asked.sheet == schema.sheet.name else None
        parts = self._read(before, schema)
        before, asked = (of_any_state(parts, each) if each is not None else None for each in (before, asked))
        target = self._pointed_at(parts, asked)
        anew = target is not None and parts.pointer is None
        if before is None and self._rows_pointed_at(parts, asked, schema):
            lost, target = False, asked
        elif before is None and target is not None and parts.pointer is not None:
            lost = not _carry_over(parts, target, schema)
        else:
            joined = _join_pointed(parts, target)
            lost = parts.pointer is not None and not joined and (target is None or _renames(parts, target))
            lost = lost or (parts.several and _is_row(before))  # "5 đơn đó" after one
            tied = before is not None and bool(before.order) and before.limit == 1 < len(self.shown)
            lost = lost or (tied and not parts.pointer and asks_columns(parts))  # whose, of several
        built = build_query(parts, schema, self.today, self.choices)
        known = (
            self._drawn(parts, schema)
            or ends_apart(parts, before, self.figures)
            or another_place(parts, before, last.before if last else None)
            or two_periods_shown(parts, before, last.before if last else None)
            or _number_of(parts, before, schema)
            or _listed_of(parts, before, schema)
            or (None if lost or before is None else _row_asked(parts, target, schema))
        )
        if told := takes_in(parts, before) or (BuiltQuery(known) if known else None):
            return _Candidate(schema, parts, told, followed=True)
        pointed = before is None and target is not None and parts.pointer is not None
        followed = pointed or is_followup(parts, before)
        # After a comparison "số đơn tăng bao nhiêu" is of its periods: a course over time is named, or is none.
        supposed = bool(before and before.versus and built.query and built.query.growth and not parts.groups)
        whole = anew and built.complete and _has_shape(parts, built.query) and not supposed
        picked = parts.picks == "thing" and bool(parts.pointer or parts.kept)
        own = (whole or picked) and before is not None and not asks_again(parts, before)
        bare = (asked is None and _names_no_rows(parts, last)) or asks_stock_alone(parts)
        unheard = self._goes_on_unheard(parts, before, followed=followed)
        if unheard:
            followed, built = False, BuiltQuery(None)
        elif lost or (last and not last.calls and bare) or self._names_rows_alone(parts, followed):
            built.unmet += self._lacks(parts, built, bare=bare and not lost)
        elif followed and before is not None and target is not None and not own:
            built = self._changed(parts, target, built, schema)
        elif found_in := self._asked_of(parts, built, target, before, picked=picked):
            query = in_context(built.query or found_in, found_in, schema, chosen=picked)
            built.query = of_that_year(parts, found_in, query)[0]
        elif built.query is not None and (parts.kept or (before and points_by_weekday(parts, before))):
            built.unmet = (*built.unmet, "/".join(parts.extremes) or "…")
        elif built.complete and not parts.has("ever", "now"):
            held = (target or before) if before is not None else self._moved(parts, asked, schema)
            self._held_against(parts, held, built, schema, sure=followed)
        built.also = self._total_otherwise(parts, before, built.query) or built.also
        hold_pieces(built, before, schema)
        built.unmet += _contacts_of(built.query, schema, followed=followed)
        built.query = _as_judged(parts, built.query)
        parts.weight += _extra_weight(parts, built, schema, followed=before is not None)
        return _Candidate(schema, parts, built, followed, unheard)

    def _total_otherwise(
        self, parts: Parts, before: DataQuery | None, query: DataQuery | None
    ) -> DataQuery | None:
        """A total after the one thing that was found, of all that were ranked where `query` is of that thing, else of it; None for
        others.
        """
        found = before is not None and bool(before.order) and before.limit == 1 == len(self.shown)
        alone = replace(parts, pointer=Pointer())
        key = self.keys.get(before.sheet) if before else None
        summed = found and parts.has("sum")
        one = pointed_query(alone, before, None, self.shown, key) if before and summed else None
        thing = one.conditions[len(before.conditions) :] if before and one is not None else ()
        if query is None or query.form != "scalar" or not thing or (parts.conditions or parts.when.period):
            return None
        rest = tuple(each for each in query.conditions if each not in thing)
        return replace(query, conditions=rest if len(rest) < len(query.conditions) else (*rest, *thing))

    def _asked_of(
        self,
        parts: Parts,
        built: BuiltQuery,
        target: DataQuery | None,
        before: DataQuery | None,
        *,
        picked: bool,
    ) -> DataQuery | None:
        """What was shown, where a whole question is asked of it or of its days; None for others."""
        asked = built.complete and before is not None and (picked or any(parts.kept))
        shown = shown_in(target, self.shown) if asked and target is not None else None
        return shown if shown is not None and points_at_days(parts, shown) else None

    def _lacks(self, parts: Parts, built: BuiltQuery, *, bare: bool) -> tuple[str, ...]:
        """What a figure alone lacks after a question that was asked back: nothing where that one named its days."""
        last, query = self.previous, built.query
        held = last.open if last is not None and query is not None and bare and parts.measures else None
        plain = held is not None and held.form == "scalar" and last is not None and last.pending == "ignore"
        if not (plain and last and query and held and held.period and held.sheet == query.sheet):
            return ("…",)
        built.query = replace(query, period=held.period)
        built.notes.append(Note("days_of_unread", {"said": last.text}))
        return ()

    def _names_rows_alone(self, parts: Parts, followed: bool) -> bool:
        """Whether no more is said than which rows are meant, after a message, where that changes nothing: "ở Hà Nội thì sao"."""
        rest = replace(parts, conditions=[], unread=(), when=When())
        asked = parts.has("count", "sold", "bought", "how much", "much", "list", "which", "people")
        other = asked or followed or self.choices or parts.pointer or parts.row_key or parts.chart
        return bool(parts.conditions) and nothing_named(rest) and self.previous is not None and not other

    def _drawn(self, parts: Parts, schema: Schema) -> DataQuery | None:
        """What was shown last with the chart that is asked for, after a question that was not answered; None for others."""
        last = self.previous
        query = last.before or last.ask if last is not None and not last.calls else None
        if query is None or query.sheet != schema.sheet.name or not (parts.chart and nothing_named(parts)):
            return None
        if query.form == "top" and query.limit == 1:  # of one row nothing can be drawn
            query = replace(query, form="groups", limit=0, order="")
        return replace(query, chart=parts.chart)

    def _read(self, before: DataQuery | None, schema: Schema) -> Parts:
        """The words of the message, with what it points at by naming nothing else."""
        about = _spoken_of(before) if before is not None else None
        parts = read_question(self.text, schema, self.today, self.choices, self.values, about=about)
        last = self.previous.ask if self.previous is not None else None
        self._of_listed(parts, before)
        if before is None:
            named = last.refs if last is not None else ()
            stock = asks_stock_alone(parts) and any(_own_column(ref, schema) for ref in named)
            found = last is not None and last.form == "top" and len(self.shown) == 1
            own = found and asks_columns(parts) and _asks_each_own(parts, schema)
            parts.kept = [] if stock and parts.kept == [""] else parts.kept  # "how many of those"
            ever = parts.labels - {"all", "ever"}  # "từ trước tới giờ mua mấy đơn"
            plain = is_bare(replace(parts, when=When(), labels=ever)) or asks_alone(parts)
            bought = parts.has("bought") and plain
            if not parts.pointer and ((_is_row(last) and (bought or is_bare(parts))) or stock or own):
                parts.pointer = Pointer()  # "đã mua bao nhiêu đơn rồi?" after the row of a customer
            return parts
        if of_the_year_before(parts.when, before.period, self.today) != parts.when:  # of which year is open
            bare = f"“{parts.when.yearless}” = "
            parts.facts = [fact for fact in parts.facts if not fact.startswith(bare)]
        listed = before.form == "groups" or (before.form == "top" and before.limit == 1)
        if parts.pointer and parts.pointer.end and listed and not (parts.pointer.ref or parts.extremes):
            parts.extremes.append(parts.pointer.end)  # "and the worst one?": the other end of what was ranked
            parts.pointer = None
        self._go_on(parts, before)
        self._nth_of_rows(parts, before)
        if parts.pointer or parts.kept:
            _hold_against_days(parts)
            return parts
        if asks_total_alone(parts) and before.form == "scalar" and self.previous and self.previous.before:
            parts.pointer = Pointer(count=2)  # "cộng lại là bao nhiêu?"
            return parts
        one = before.limit == 1 == len(self.shown)  # whose total is asked for
        alone = names_figure_alone(parts, before) and (one or parts.op != "sum")
        alone = alone and not parts.has("by", "sorted")
        found = before.form in {"top", "rows"} and (alone or asks_alone(parts))
        row = before.form == "rows" and one and asks_columns(parts, of_row=True)
        if found or row:
            parts.pointer = Pointer()
        return parts

    def _of_listed(self, parts: Parts, before: DataQuery | None) -> None:
        """Point at the things that were listed: "trong đó …", "cái rẻ nhất còn mấy cái"."""
        last, listed = self.previous.ask if self.previous is not None else None, len(self.shown) > 1
        if last is None or self.previous is None or parts.pointer:
            return
        if parts.picks == "thing" and self.previous.calls:
            parts.kept += [""] if listed else []
            one = last.limit == 1 and bool(last.order)  # of one thing there is no cheapest
            parts.pointer = None if listed or before or one else Pointer(count=0)
        several = listed or any(each.op == "in" and not each.unit for each in last.conditions)
        if parts.each and several and not (parts.groups or parts.per or parts.kept):
            parts.pointer = Pointer(count=0)  # "how many of each", "mỗi cái bao nhiêu"
            return
        chosen = last.form == "top" or (last.form == "rows" and bool(last.order))
        chosen = chosen or (before is None and last.form in {"groups", "rows", "distinct"})
        if listed and chosen and "" in parts.kept:
            parts.kept.remove("")
            parts.pointer = Pointer(count=0)

    def _nth_of_rows(self, parts: Parts, before: DataQuery) -> None:
        """Point at a row by its place, which "đơn thứ hai" is after a list of orders, and no Monday."""
        days = (each for each in parts.conditions if each.unit == "weekday")
        named = [each for each in days if fold(each.said).startswith("thu ")]
        other = parts.pointer or parts.measures or parts.when.period or parts.has("count", "number")
        if before.form == "rows" and parts.rows and len(named) == 1 and not other:
            place = named[0].value[0] + 1
            parts.conditions.remove(named[0])
            parts.rows, parts.pointer = "", Pointer(place)

    def _go_on(self, parts: Parts, before: DataQuery) -> None:
        """Read "tháng sau" and "tháng trước" beside the month that was shown, a place behind the first, and a share of what was
        found.
        """
        days, shown = parts.when.period, before.period
        alone = nothing_named(replace(parts, when=When())) and not parts.chart
        if days is not None and shown is not None and alone:
            said = set(folded_words(days.label))
            ahead = days.start > self.today and not said.isdisjoint(turn_words("next"))
            same = (days.start, days.end) == (shown.start, shown.end)
            again = same and not said.isdisjoint(turn_words("last"))
            if ahead or again:  # no other days than those that were shown, or than there are
                parts.when = replace(parts.when, period=following(shown) if ahead else preceding(shown))
                parts.notes = [note for note in parts.notes if note.key != "year_of_data"]
        listed = before.form == "top" or (before.form == "rows" and bool(before.order))
        ranked = before.limit == 1 and listed
        if parts.pointer and ranked and parts.pointer.place > len(self.shown):
            parts.rank, parts.pointer = parts.pointer.place, None  # "kênh đứng thứ hai" after the first
        if not parts.pointer and points_at_days(parts, before) and asks_share_alone(parts, before):
            parts.pointer = Pointer()

    def _changed(self, parts: Parts, target: DataQuery, alone: BuiltQuery, schema: Schema) -> BuiltQuery:
        """The question before with what the message changes; a question with a shape of its own is asked of the same days and rows."""
        parts.when = of_the_year_before(parts.when, target.period, self.today)
        built, query = refine_query(parts, target, alone), alone.query
        if parts.when.same_days and built.query and built.query.period and built.query.versus:
            last = min(self.today, schema.sheet.span[1]) if schema.sheet.span else self.today
            period, versus = same_days(built.query.period, built.query.versus, last)
            built.query = replace(built.query, period=period, versus=versus)
        shaped = query is not None and bool(query.gap)
        days = points_at_days(parts, target) and not points_by_weekday(parts, target)
        told = target.form in _FIGURED and len(target.measures) == 1 and _figure_is_assumed(parts, alone)
        if told and alone.pending == "figure":
            alone.question, alone.options, alone.pending = None, (), ""
        if not (alone.complete and query is not None and days and (shaped or built.unmet)):
            return built
        if parts.has("now", "whole", "all", "again") or "not" in built.unmet:
            return built
        query = replace(query, period=parts.when.period) if query.versus is None else query
        chosen = (parts.pointer is not None and parts.pointer.count != 1) or parts.picks == "thing"
        if told:
            query = replace(query, measures=target.measures)  # what was counted or summed is meant still
            alone.notes = [note for note in alone.notes if note.key not in _ASSUMED]
        return replace(alone, query=in_context(query, target, schema, chosen=chosen))

    def _held_against(
        self, parts: Parts, before: DataQuery | None, built: BuiltQuery, schema: Schema, *, sure: bool
    ) -> None:
        """Where a whole question could go on from the one before as well, both readings are told, unless it is `sure` to. Words of
        one that was asked back are no filters of what names a figure of its own.

        What names a figure, a dimension and an end of it is more likely asked of everything, where only rows differ.
        """
        query, asked_back = built.query, self.previous.open if self.previous is not None else None
        own = parts.measures or parts.rows or parts.has("seller", "slow seller", "sold", "bought", "count")
        before = before if asked_back is None or (own and parts.picks != "thing") else asked_back
        if query is None or before is None or before.sheet != schema.sheet.name or before.gap:
            return
        general = query.form == "distinct" and not parts.has("sold", "bought")  # "có những kênh nào"
        if parts.row_key is not None or query.form == "schema" or general:
            return
        one = any(each.op == "eq" and each.ref.concept == "product" for each in before.conditions)
        built.unmet += (
            ("…",) if one and parts.adjectives and not parts.measures else ()
        )  # of one thing: the dearest
        if parts.has("whole"):  # "cả nước mấy đơn": of any place, of the same days or of all
            before = replace(before, conditions=(), part=())
        total = parts.has("sum") and parts.has("which", "count", "much") and not parts.when.yearless
        goods = any(each.ref.concept in GOODS for each in before.conditions)
        about = [each.ref.concept for each in query.measures if each.ref]
        pieces = about == ["quantity"] and not query.conditions
        if query.period is not None and (parts.words > _LONG or total) and not (goods and pieces):
            return
        when = of_the_year_before(parts.when, before.period, self.today)
        dated = replace(query, period=when.period) if query.versus is None and query.period else query
        within = of_every(parts, in_context(dated, before, schema, chosen=parts.picks == "thing"))
        if parts.has("all"):  # "bao nhiêu đơn tất cả": of those days and that place, or of the whole sheet
            place = [each for each in within.conditions if each.ref.concept in PLACES]
            rest = (each for each in query.conditions if each not in place)
            within = replace(within, conditions=(*place, *rest))
        if within == query:
            return
        if built.also is not None and any(each.ref.concept in GOODS for each in within.conditions):
            # What is sold of the goods spoken of before is counted in pieces.
            query, built.also = replace(query, measures=built.also.measures), None
            within = replace(within, measures=query.measures)
        if built.also is not None:
            built.query, built.also = within, in_context(built.also, before, schema)
            return
        whole = bool(parts.measures and parts.extremes and query.form in {"top", "rows"})
        declined = self.previous is not None and bool(self.previous.refusal)
        dates_kept = (within.period, within.versus) == (query.period, query.versus)
        if parts.picks != "thing" and (asked_back or declined or (whole and dates_kept)):
            built.also = within
        else:
            built.query, built.also = within, None if sure else query

    def _goes_on_unheard(self, parts: Parts, before: DataQuery | None, *, followed: bool) -> bool:
        """Whether the message goes on from a question that was not understood."""
        if self.previous is None or not self.previous.missing:
            return False
        rest = only_leaves_out(parts) or leaves_rest(parts)
        alone = not (parts.pointer or parts.kept) and (rest or not self.previous.understood)
        columns = asks_columns(parts) and not (parts.pointer or parts.kept)
        deals = parts.has("bought", "sold")
        if before is not None and alone and not (columns and deals) and not _has_unread(self.previous):
            return False  # the answer says that it goes on from what was shown
        if parts.rank and before is not None and before.form == "top":
            return False  # of the list that was shown
        told = parts.conditions or parts.numbers or parts.groups or parts.measures or parts.when.period
        whole = parts.extremes or parts.chart or parts.has("columns", "all", "ever", *_WHOLE)
        whole = whole or not (self.previous.understood or deals)
        if not whole and (columns or not (before or told or parts.unread)):
            return True  # "ở tỉnh nào", "lần cuối là khi nào"
        against = parts.when.versus_only
        free = self.previous.open is None or not self.previous.open.conditions
        named = parts.when.period and (parts.measures or parts.rows)
        if free and named and not (parts.pointer or parts.kept):
            return bool(against)  # its own figure and days: nothing of the question before is meant
        bare = before is not None and names_figure_alone(parts, before)
        goes_on = bare or parts.has("follow", "only") or parts.pointer or parts.kept or rest or against
        # "à nhầm, Hải Phòng" of what was not read
        goes_on = goes_on or (before is None and parts.has("correction"))
        pointed = parts.pointer is not None and _has_unread(self.previous)
        leaning = followed or leans(parts) or pointed or rest or against
        return bool(leaning and (goes_on or not told))

    def _rows_pointed_at(self, parts: Parts, asked: DataQuery | None, schema: Schema) -> bool:
        """Take what rows of another sheet that were counted have in common, as this sheet joins them: "cả nhóm đó mua bao nhiêu"."""
        pointer, key = parts.pointer, self.keys.get(asked.sheet) if asked is not None else None
        among = pointer is None and "" in parts.kept  # "trong đó ai chi nhiều nhất"
        pointer = Pointer(count=0) if among else pointer
        if asked is None or pointer is None or asked.form != "scalar" or any(m.ref for m in asked.measures):
            return False
        fits = pointer.ref is None or not pointer.ref.name
        fits = fits or (key is not None and pointer.ref is not None and pointer.ref.concept == key.concept)
        names = (each.ref.name for each in asked.conditions if not each.ref.sheet)
        refs = [schema.refs.get(f"{asked.sheet}:{name}") for name in names]
        own = [(each, ref) for each, ref in zip(asked.conditions, refs, strict=False) if ref is not None]
        if not own or not fits or pointer.place or len(own) < len(asked.conditions):
            return False
        parts.conditions += [replace(each, ref=ref) for each, ref in own]
        one = _own_column(key, schema) if among and key else None
        if one is not None and parts.has("which one", "who"):
            parts.groups, parts.loose = [Group(one)], []
        parts.kept = [each for each in parts.kept if each]
        return True

    def _moved(self, parts: Parts, asked: DataQuery | None, schema: Schema) -> DataQuery | None:
        """The one thing that a question of another sheet was about, as rows of this sheet, in the days of the question before it."""
        if asked is None or self.previous is None:
            return None
        key = self.keys.get(asked.sheet)
        one = pointed_query(replace(parts, pointer=Pointer()), asked, self.previous.before, self.shown, key)
        thing = _thing_on(one, schema) if not parts.picks else None  # "cái rẻ nhất" is another
        scope = self.previous.scope
        dated = scope is not None and scope.sheet == schema.sheet.name
        kept = scope if scope is not None and dated else DataQuery(schema.sheet.name)
        return replace(kept, conditions=(thing,) if thing else ()) if thing or dated else None

    def _pointed_at(self, parts: Parts, asked: DataQuery | None) -> DataQuery | None:
        """The query before as far as the message points at it, None where nothing was asked or it is not clear what is meant."""
        if asked is None or self.previous is None:
            return None
        if any(parts.kept):
            asked = widened(shown_in(asked, self.shown), parts.kept)
        return pointed_query(parts, asked, self.previous.before, self.shown, self.keys.get(asked.sheet))


def _names_no_rows(parts: Parts, last: Plan | None) -> bool:
    """Whether a figure is named, or how many persons, and no rows that it is of ("năm nay được mấy người"), or after a question that
    names days their state alone ("hủy mấy đơn").
    """
    people = parts.has("people") and is_bare(replace(parts, when=When()))
    if last is not None and last.open is not None and last.open.period:
        stateless = [each for each in parts.conditions if each.ref.concept not in STATES]
        parts = replace(parts, conditions=stateless)
    return people or is_bare(parts)


_FIGURED = frozenset({"scalar", "share", "groups", "top"})
_ASSUMED = frozenset({"measure", "counted_rows"})
_WHOLE = ("whole", "seller", "slow seller", "top", "running out", "sold out", "in stock", "left", "aov")
_TRADED = ("sold", "bought", "how much", "seller", "slow seller")


def _figure_is_assumed(parts: Parts, alone: BuiltQuery) -> bool:
    """Whether a ranking names no figure, so that the one it is made by is a guess: "kênh nào dính nhiều nhất"."""
    said = parts.measures or parts.rows or parts.adjectives or parts.has(*_TRADED)
    if said or alone.query is None or alone.query.form != "top":
        return False
    return alone.pending == "figure" or any(note.key in _ASSUMED for note in alone.notes)


def _asks_each_own(parts: Parts, schema: Schema) -> bool:
    """Whether the columns asked for have a value of its own for nearly each row, as telephone numbers: they break nothing down."""
    refs = [each.ref for each in (*parts.groups, *parts.loose)]
    return all(not ref.sheet and 2 * schema.key(ref).distinct > schema.sheet.rows for ref in refs)


def _as_judged(parts: Parts, query: DataQuery | None) -> DataQuery | None:
    """The query with what is worst first where it counts what nobody wants: the most returns are the worst, the fewest the best."""
    ends = [parts.spoken.get(end, "") for end in ("min", "max")]
    if (
        query is None
        or len(parts.extremes) != 1
        or not any(says("judges").search(fold(each)) for each in ends)
    ):
        return query
    held = [
        each for each in (*query.part, *query.conditions) if each.op == "eq" and each.ref.concept in STATES
    ]
    bad = held and all(is_any_of(str(each.value), *_UNWANTED) for each in held)
    if not bad:
        return query
    return replace(query, order="desc" if parts.extremes == ["min"] else "asc")


_UNWANTED = ("huy", "hoan tra", "di muon", "vang", "chua thanh toan")


def _contacts_of(query: DataQuery | None, schema: Schema, *, followed: bool) -> tuple[str, ...]:
    """The columns of telephone numbers, of another sheet or in a comparison, that a query breaks down by: they are of one thing, not
    of a figure.
    """
    compared = query is not None and query.form in {"compare", "share"}
    groups = query.groups if query is not None and (followed or compared) else ()
    named = [each.ref for each in groups if each.ref.sheet or compared]
    return tuple(ref.name for ref in named if schema.key(ref).is_contact)


def _join_pointed(parts: Parts, target: DataQuery | None) -> bool:
    """Ask of both where a value is named beside one of its column that is pointed at: "ở đó, cả Hải Phòng nữa"."""
    if target is None or parts.pointer is None or parts.pointer.out:
        return False
    for at, each in enumerate(parts.conditions):
        one = next((held for held in target.conditions if held.ref == each.ref), None)
        if one is None or {one.op, each.op} != {"eq"} or one.value == each.value:
            continue
        two = [one.value, each.value]
        parts.conditions[at] = replace(each, op="in", value=two, said=", ".join(two))
        if not (parts.has("sum", "gap", "gt", "lt") or parts.op == "sum"):
            parts.groups.append(Group(each.ref))
        return True
    return False


def _hold_against_days(parts: Parts) -> None:
    """Read the days that are named as those to compare with, where others are pointed at: "hôm đó hơn 11/11 năm ngoái không"."""
    days = parts.when.period
    if any(parts.kept) and days and not parts.when.versus and parts.has("gt", "lt", "compare"):
        parts.when = replace(parts.when, period=None, versus=days, versus_only=True)


def _number_of(parts: Parts, before: DataQuery | None, schema: Schema) -> DataQuery | None:
    """How many there are of all the rows or things that were listed, where no more is asked; None for others."""
    if before is None or not asks_number(parts):
        return None
    if before.form == "rows" and before.limit == MOST:
        return replace(figure_alone(before), measures=(Measure("count", noun=before.entity),))
    one = before.groups[0].ref if len(before.groups) == 1 and not before.groups[0].unit else None
    counted = [each.ref.concept for each in parts.measures if each.ref]
    counted += [schema.row_concept] if parts.rows else []
    if one is None or before.form not in {"groups", "distinct"} or counted != [one.concept]:
        return None
    return replace(figure_alone(before), measures=(Measure("count", one, distinct=True),))


def _listed_of(parts: Parts, before: DataQuery | None, schema: Schema) -> DataQuery | None:
    """The rows or the things that were counted, where no more is said than to list them: "liệt kê ra", "là những mẫu nào"."""
    one = before.measures[0] if before and before.form == "scalar" and len(before.measures) == 1 else None
    asked = parts.has("list") or (parts.rows and parts.has("which"))
    if before is None or one is None or one.op != "count":
        return None
    if not (asked and nothing_named(replace(parts, rows=""))) or parts.has(
        "count", "how much", *ENDS_IN_TIME
    ):
        return None
    if one.distinct and one.ref:
        return replace(before, form="distinct", groups=(Group(one.ref),), measures=())
    by = before.date_ref or schema.main_measure() or next(iter(schema.refs.values()))
    return replace(before, form="rows", measures=(Measure("max", by),), limit=MOST, entity=one.noun)


def _row_asked(parts: Parts, target: DataQuery | None, schema: Schema) -> DataQuery | None:
    """The one row that was asked about, where no more than columns of it are asked for; None for others."""
    held = [] if target is None else target.conditions
    key = next((each for each in held if each.op == "eq" and each.ref == schema.row_ref), None)
    return row_of(key, parts, schema) if key is not None and asks_columns(parts, of_row=True) else None


def _names_sheet(parts: Parts) -> bool:
    """Whether words name something of a sheet itself, and no more than days, ends of a ranking or how a figure is asked for."""
    dimensions = [each for each in (*parts.groups, *parts.loose, *parts.per) if not each.unit]
    conditions = [each for each in parts.conditions if each.unit != "weekday"]
    other = parts.rows or parts.measures or conditions or parts.numbers or dimensions or parts.unread
    return bool(other or parts.has("columns", "left", "seller", "slow seller", "sold", "bought", "aov"))


def _spoken_of(before: DataQuery) -> Ref | None:
    """The column whose values were shown or named last; of a state that was named no other is asked for."""
    shown = [each.ref for each in before.groups if not each.unit]
    named = [each.ref for each in before.conditions if each.op in {"eq", "in"} and each.ref.kind == "text"]
    named = [each for each in named if each.concept not in STATES]
    return next(iter([*shown, *reversed(named)]), None)


def _has_shape(parts: Parts, query: DataQuery | None) -> bool:
    """Whether a question has a form of its own and says what of: "sản phẩm nào doanh thu cao nhất", no "còn theo tỉnh?"."""
    listed = parts.rows and parts.has("which", "list") and (parts.conditions or parts.numbers)
    return query is not None and query.form not in {"scalar", "schema"} and bool(parts.measures or listed)


def _extra_weight(parts: Parts, built: BuiltQuery, schema: Schema, *, followed: bool) -> float:
    """What speaks for a sheet beside its words: it was asked before, it holds the row that is named, what is sold, or each
    thing once whose price is asked for.
    """
    trades = parts.has("sold", "bought", "seller", "slow seller", "how much", "count", "aov")
    query = built.query
    own = query and trades and not (parts.measures or parts.adjectives) and schema.of("revenue", "quantity")
    figures = {each.ref for each in query.measures} if query is not None else set()
    named = [ref for ref in query.refs if ref.kind == "text" and not ref.sheet] if query is not None else []
    once = any(schema.key(ref).distinct == schema.sheet.rows for ref in named)
    listed = query is not None and (query.form == "rows" or bool(parts.picks))
    once = once or (listed and schema.row_concept in GOODS)
    priced = bool(figures) and all(ref is not None and averaged(ref) for ref in figures)
    return _OWN * bool(own or (once and priced)) + 0.6 * (followed or parts.row_key is not None)


def _renames(parts: Parts, target: DataQuery) -> bool:
    """Whether a part of a value is read in the column of what is pointed at, which it must not replace."""
    pointed = {each.ref.name for each in target.conditions if each.ref.kind == "text"}
    return any(note.key == "values_meant" and note.params["field"] in pointed for note in parts.notes)


def _own_column(ref: Ref, schema: Schema) -> Ref | None:
    """This sheet's column of the things that a column of another sheet names; None for none, or where several could be."""
    own = [each for each in schema.refs.values() if each.kind == ref.kind == "text" and not each.sheet]
    same = [each for each in own if each.name == ref.name]
    alike = [each for each in own if ref.concept and each.concept == ref.concept and not code_name(each)]
    return next(iter(same or (alike if len(alike) == 1 and not code_name(ref) else [])), None)


def _thing_on(query: DataQuery | None, schema: Schema) -> Condition | None:
    """The last thing that a query of another sheet names, on this sheet's column of it; None where it has none."""
    named = [(each, f"{query.sheet}:{each.ref.name}") for each in query.conditions] if query else []
    for each, key in reversed(named):
        ref = _own_column(each.ref, schema) or schema.refs.get(key)
        if ref is not None and each.op in {"eq", "in"}:
            return replace(each, ref=ref)
    return None


def _carry_over(parts: Parts, target: DataQuery, schema: Schema) -> bool:
    """Put the thing pointed at, which another sheet showed, on this sheet's column of that name; False where it has none."""
    thing = _thing_on(target, schema)
    if thing is None:
        return False
    parts.conditions.append(thing)
    if thing.op == "eq" and thing.ref == schema.row_ref:
        parts.row_key = thing
        said = {word for each in schema.sheet.fields for word in folded_words(each.name)}
        said |= {"gi", "nao", "what"}
        parts.unread = tuple(each for each in parts.unread if not said.issuperset(folded_words(each)))
    if thing.op == "in" and not (parts.has("sum") or parts.groups):
        parts.groups.append(Group(thing.ref))
    return True


def _rival(found: Sequence[_Candidate], before: DataQuery | None) -> _Candidate | None:
    """Another sheet that the message fits as well; None where one is clearly meant."""
    if len(found) < 2 or (before is not None and found[0].schema.sheet.name == before.sheet):
        return None
    first, second = found[:2]
    same = first.fit[:5] == second.fit[:5] and (first.built.query is None) == (second.built.query is None)
    close = first.parts.weight - second.parts.weight <= _TIE
    return second if same and close and first.built.query is not None and not first.left else None


def _which_sheet(text: str, best: _Candidate, rival: _Candidate, choices: Mapping[str, str]) -> Plan:
    names = (best.schema.sheet.name, rival.schema.sheet.name)
    question = Note("which_sheet", {"options": names})
    return Plan(text, sheet=names[0], question=question, options=names, pending="sheet", choices=choices)


def _of_suggestion(text: str, query: DataQuery, sheets: Sequence[Sheet]) -> Plan:
    """The plan of a suggestion: its query is known, nothing is assumed and nothing can be missing."""
    sheet = next(sheet for sheet in sheets if sheet.name == query.sheet)
    calls = compose(query, schema_of(sheet, sheets), text)
    return Plan(text, calls, sheet.name, query, tuple(_made_notes(query)), chart=query.chart or None)


def _facts(parts: Parts, query: DataQuery | None, before: DataQuery | None) -> tuple[str, ...]:
    """What a model is told of the words; "cùng kỳ" is of the days asked about, which the question before may have named."""
    told = []
    for fact in parts.facts:
        said, days, _ = fact.partition("” = ")
        versus = query.versus if days and is_same_days(said) and query else None
        if versus:
            told.append(f"{said}” = {versus.start} .. {versus.end}")
        elif not (days and is_same_days(said) and before and before.period and len(parts.facts) == 1):
            told.append(fact)
    return tuple(dict.fromkeys(told))


def _of_every_sheet(facts: tuple[str, ...], best: _Candidate, found: Sequence[_Candidate]) -> tuple[str, ...]:
    """The facts, with every column of a value that stands in several sheets: "(Sản phẩm: Tên sản phẩm; Đơn hàng: Sản phẩm)"."""
    for value, column, sheet in best.parts.stands_in:
        every = [each.parts.stands_in for each in found if each is not best]
        places = [(of, name) for held in every for one, name, of in held if one == value]
        if places or sheet != best.schema.sheet.name:
            named = dict.fromkeys(f"{of}: {name}" for of, name in [(sheet, column), *places])
            all_of_them = f"{value} ({'; '.join(named)})"
            facts = tuple(fact.replace(f"{value} ({column})", all_of_them) for fact in facts)
    return facts


def _plan(
    text: str,
    best: _Candidate,
    before: DataQuery | None,
    today: date,
    choices: Mapping[str, str],
    *,
    found: Sequence[_Candidate],
    lookup: Lookup | None = None,
) -> Plan:
    """What to do for a message over the sheet it fits best; no figure beside a word that was not understood."""
    parts, built, sheet = best.parts, best.built, best.schema.sheet
    plan = Plan(
        text,
        sheet=sheet.name,
        ask=before,
        understood=parts.understood,
        facts=_of_every_sheet(_facts(parts, built.query, before), best, found),
        choices=choices,
        followed=best.followed,
    )
    left = () if "ignore" in choices else tuple(dict.fromkeys([*parts.unread, *built.unmet]))
    left = (*left, *_not_left_out(best, before))
    if left and built.complete and built.query and set(left) <= set(parts.figures_unread):
        built.notes, left = [Note("figures_unread", {"said": left, "sheet": sheet.name}), *built.notes], ()
    last = span_of(best.schema, built.query.date_ref) if built.query else None
    open_ = built.query and (parts.when.yearless or parts.when.coming)
    ahead = open_ and built.query and is_ahead(built.query.period, last[1] if last else None, today)
    ahead = ahead or (parts.has("when") and parts.has("sold out", "running out", "left"))
    refused = "change" if _alters(text, parts) else "forecast" if ahead else ""
    if refused := next((kind for kind in REFUSED if parts.has(kind)), refused):
        # A figure that nobody named, or asked for, is none to go on from.
        figure = (parts.measures or parts.rows) and refused != "change"
        return replace(plan, refusal=refused, ask=(figure and built.query) or before, before=before)
    if lacking := _lacking(left, best, lookup):
        return replace(plan, question=lacking, missing=left, pending="ignore", open=built.query)
    if left and (built.query is not None or parts.understood or not _OWN_LABELS.keys().isdisjoint(left)):
        # A mean of what is not there adds nothing.
        unmet = [each for each in left if each != "avg"] or left
        said = [_in_words(each, parts) for one in unmet for each in _parts_of(one, parts)]
        known = dict.fromkeys(map(parts.own_words, parts.understood))
        read = ", ".join(each for each in known if each not in said)
        key = "unknown" if read else "unknown_all"
        filled = {"said": tuple(_each_once(said)), "sheet": sheet.name, "read": read}
        heads = [_lacking_column(each, best.schema) for each in said]
        if all(heads):
            fields = tuple(each.name for each in sheet.fields[:_MOST_TOLD])
            key, filled = "no_column", {"said": tuple(heads), "sheet": sheet.name, "fields": fields}
        question = Note(key, filled)
        return replace(plan, question=question, missing=left, pending="ignore", open=built.query)
    if built.question is not None:
        plan = replace(plan, options=built.options, pending=built.pending, open=built.query)
        return replace(plan, question=built.question)
    left = tuple(map(parts.own_words, left))
    return replace(plan, missing=left) if built.query is None else _answered(plan, best, built.query, today)


def _alters(text: str, parts: Parts) -> bool:
    """Whether a row is to be changed or taken out, which no tool does: "hủy giúp mình đơn DH20384", "set the price of A to 5".

    "Đổi sang tháng 9" changes a question, and "đơn DH1 đã chuyển chưa" asks.
    """
    typed = fold(text)
    verb = says("alter", "take away").search(typed)
    if verb is None or not all(words().listed((each.folded,)) for each in tokens(typed[: verb.start()])):
        return False
    if "?" in text or says("asks", "asks whether").search(text) or parts.has("count", "how much", "which"):
        return False
    states = [said for each in parts.conditions if verb[0] in (said := folded_words(each.said))]
    if says("take away").match(typed, verb.start()) and _rows_alone(typed[verb.end() :], states, parts):
        # "Hủy đơn tháng 10" may be those that were cancelled, "hủy hết đơn tháng 10 đi" is not.
        return not states or bool(says("ordered").search(typed, verb.end()))
    if parts.when.period is not None:
        return False
    if any(each.op == "eq" and code_name(each.ref) for each in parts.conditions):
        return True
    to = says("become").search(typed, verb.end()) if parts.measures else None
    return to is not None and bool(
        typed[verb.end() : to.start()].strip() and re.search("[0-9]", typed[to.end() :])
    )


def _rows_alone(told: str, states: list[list[str]], parts: Parts) -> bool:
    """Whether `told`, folded, names rows and nothing that is reckoned of them; `states` are conditions in the verb's own words."""
    rows = parts.rows or any(len(said) > 1 for said in states)
    rows = rows or not {each.folded for each in tokens(told)} - {*turn_words("ordered")}
    return rows and not (parts.measures or parts.groups or parts.extremes)


def _not_left_out(best: _Candidate, before: DataQuery | None) -> list[str]:
    """The values that the message leaves out, or goes on leaving out, and that a query of it would count."""
    parts, out = best.parts, [(ref, value) for ref, value in best.parts.denied if ref.kind == "text"]
    anew = parts.corrects or parts.has("only", "correction", "not this")
    if best.followed and before is not None and not anew:
        held = [each for each in before.conditions if each.op in {"ne", "nin"} and each.value is not None]
        out += [(each.ref, value) for each in held if each.ref in dict(out) for value in values_of(each)]
    again = [(each.ref, value) for each in parts.added for value in values_of(each)]
    out = [each for each in out if each not in again]
    queries = [each for each in (best.built.query, best.built.also) if each is not None]
    kept = (value for ref, value in out if not all(_is_out(ref, value, each) for each in queries))
    return list(dict.fromkeys(kept))


def _is_out(ref: Ref, value: str, query: DataQuery) -> bool:
    """Whether the rows of a value are in no figure of a query."""
    only = [each for measure in query.measures for each in measure.only]
    held = [each for each in (*query.conditions, *query.part, *query.gap, *only) if each.ref == ref]
    return any((value in values_of(each)) == (each.op in {"ne", "nin"}) for each in held)


def _names_of(query: DataQuery, schema: Schema) -> tuple[str, str, str] | None:
    """Where the names stand of the codes that a query lists: in the sheet that has a row for each."""
    one = query.groups[0].ref if query.form in {"top", "groups"} and len(query.groups) == 1 else None
    if one is None or one.sheet or not code_name(one):
        return None
    alike = (each for each in schema.by_concept.get(one.concept, ()) if each.kind == "text")
    named = [each for each in alike if not code_name(each)]
    joined = next((each for each in named if each.sheet and schema.joins[each.sheet][0] == one.name), None)
    own = any(not each.sheet for each in named)
    return (joined.sheet, schema.joins[joined.sheet][1], joined.name) if joined and not own else None


def _in_words(unmet: str, parts: Parts) -> str | Note:
    """What is not held, in the person's own words where it had any."""
    label = _OWN_LABELS.get(unmet, unmet)
    labels = (label, *(_POINTERS if label == "pointer" else ()))
    typed = next((parts.spoken[each] for each in labels if each in parts.spoken), "")
    if typed or unmet not in _OWN_WORDS:
        unit = unmet.removeprefix("unit ")
        return parts.own_words(typed or unmet) if typed or unit == unmet else Note(f"unit_{unit}")
    return Note(f"unmet_{_OWN_WORDS[unmet]}")


def _lacking_column(said: str | Note, schema: Schema) -> str:
    """What words name, with no more than words of questions behind it, where no column of the sheet or of one joined to it is
    about that; "" for others.
    """
    typed = [token.text for token in tokens(said)] if isinstance(said, str) else []
    while typed and not is_noun(" ".join(typed)) and words().listed((fold(typed[-1]),)):
        typed.pop()
    head = " ".join(typed)
    return (
        head if is_noun(head) and not any(name in schema.by_concept for name in nouns()[fold(head)]) else ""
    )


def _each_once(said: Sequence[str | Note]) -> list[str | Note]:
    """What is not held, without what stands in another: "tháng" beside "tháng 13"."""
    runs = [" ".join(folded_words(each)) if isinstance(each, str) else "" for each in said]

    def inside(run: str) -> bool:
        return bool(run) and any(run != other and f" {run} " in f" {other} " for other in runs)

    return [each for at, each in enumerate(said) if each not in said[:at] and not inside(runs[at])]


def _lacking(left: Sequence[str], best: _Candidate, lookup: Lookup | None) -> Note | None:
    """That names are not in the data, with the values that there are of their columns, where nothing else was not understood."""
    parts, schema = best.parts, best.schema
    refs = list(dict.fromkeys(ref for _, found in parts.absent.values() for ref in found))
    if not (left and refs) or not set(left) <= {*parts.absent, *(ref.name for ref in refs)}:
        return None
    from rapidfuzz import process  # 50 ms, which only a name that the data lack needs

    said, held = tuple(parts.own_words(name) for name, _ in parts.absent.values()), list[Note]()
    for ref in refs:
        column = schema.key(ref)
        long = lookup is not None and len(column.examples) < column.distinct
        values = (lookup(schema.sheet, column, "") if lookup and long else ()) or column.examples
        short = len(values) == column.distinct <= _MOST_TOLD
        near = tuple(each[0] for each in process.extract(said[0], values, processor=fold, limit=_FEW_TOLD))
        key = "values_held" if short else "values_near"
        held.append(Note(key, {"field": ref.name, "values": values if short else near}))
    told = reduce(lambda one, two: Note("values_two", {"one": one, "two": two}), held)
    return Note("absent", {"said": said, "sheet": schema.sheet.name, "held": told})


def _parts_of(unmet: str, parts: Parts) -> list[str]:
    """One unmet meaning, or of the two of "max/min" those that have words of the message, both where none has."""
    two = unmet.split("/") if all(each in _OWN_WORDS for each in unmet.split("/")) else [unmet]
    return [each for each in two if each in parts.spoken] or two


def _answered(plan: Plan, best: _Candidate, query: DataQuery, today: date) -> Plan:
    """The plan with the calls of its query, and what is to be said of them."""
    if unreachable := out_of_reach(query):
        return replace(plan, missing=unreachable)
    ways = {
        part for each in query.measures if each.ref and each.ref.concept == "left" for part in each.ref.parts
    }
    if ways and not ways & {
        each.ref for each in query.groups
    }:  # what came in beside what went out is of its own days
        days = [each.label for each in (query.period, query.versus) if each]
        if any(each.unit for each in query.groups) or any(says("opening").match(fold(each)) for each in days):
            # What came in less what went out of a month is no stock.
            return replace(plan, missing=(plan.text,))
        query = _since_the_first(query, best.schema)
    notes = (*_span_notes(query, best.schema.sheet), *_made_notes(query), *_join_notes(query))
    also = best.built.also
    return replace(
        plan,
        names=_names_of(query, best.schema),
        calls=compose(query, best.schema, plan.text),
        ask=query,
        also=also,
        also_calls=compose(also, best.schema, plan.text) if also is not None else (),
        shown=(*best.built.notes, *notes),
        chart=query.chart or None,
        partial_period=is_partial(query.period, today) or is_partial(query.versus, today),
    )


def _since_the_first(query: DataQuery, schema: Schema) -> DataQuery:
    """The query over all days up to the end of its periods: what is left at an end came in and went out since the first day."""
    span = span_of(schema, query.date_ref)
    period, versus = (
        Period(min(span[0], each.start), each.end) if each and span else each
        for each in (query.period, query.versus)
    )
    return replace(query, period=period, versus=versus)


def _answer(text: str, previous: Plan) -> dict[str, str] | None:
    """What an answer to the open question chooses; None when it is no answer."""
    said = " ".join(token.folded for token in tokens(text))
    if previous.pending == "ignore":
        return {"ignore": "1"} if any(said.startswith(word) for word in turn_words("ignore")) else None
    for nth, option in enumerate(previous.options, 1):
        name = " ".join(token.folded for token in tokens(option))
        ends = name and said.endswith(f" {name}") and len(said) < len(name) + 12
        if ends or said in {name, str(nth), f"so {nth}", f"option {nth}"}:
            return {previous.pending: option}
    return None


def _span_notes(query: DataQuery, sheet: Sheet) -> list[Note]:
    """What to say when the data do not cover the days asked for."""
    if sheet.span is None or query.date_ref is None or query.date_ref.name != sheet.date_field:
        return []
    first, last = sheet.span
    for period in (query.period, query.versus):
        if period and (period.start > last or period.end < first):
            return [Note("outside", {"start": period.start, "end": period.end, "first": first, "last": last})]
    return []


def _made_notes(query: DataQuery) -> list[Note]:
    """What to say of figures that no column holds."""
    return [Note("derived", {"figure": ref.name}) for ref in query.refs if ref.parts]


def _join_notes(query: DataQuery) -> list[Note]:
    """Which other sheet a column was taken from."""
    sheets = dict.fromkeys(ref.sheet for ref in query.refs if ref.sheet)
    return [Note("joined", {"sheet": name}) for name in sheets]


_SPOKEN, _SURE, _CERTAIN = 1.0, 2.0, 2.5


def classify(question: QuestionAnalysis, history: Sequence[object] = ()) -> Intent:
    """Exactly one of data_query, chat and unclear, for any message; `history` are the messages before it.

    With the plan of the question before, "còn tháng trước?" is a question about data.
    """
    if not tokens(question.text):
        return Intent("unclear", 1.0, "empty")
    if question.answered or question.suggested:
        return Intent("data_query", 0.99, "offered")
    business = any(_concepts().find(question.text, tokens(question.text), careful=False))
    evidence, made = max(question.evidence, 1.2 * business), question.plan
    chats = (small_talk(question.text).kind is not None or thanks_only(question.text)) and evidence < _CERTAIN
    asked = bool(made.calls) or (bool(made.refusal) and evidence >= _SPOKEN)
    goes_on = made.followed or (bool(history) and question.changes and evidence >= _SPOKEN)
    signs = (
        (chats and not (made.calls and evidence >= _SPOKEN), Intent("chat", 0.95, "words of chats")),
        (goes_on, Intent("data_query", 0.95, "follow-up")),
        (asked, Intent("data_query", 0.99, "every word read")),
        (evidence >= _SURE, Intent("data_query", min(0.9, 0.6 + 0.1 * evidence), "words of the sheet")),
        (evidence >= _SPOKEN, Intent("data_query", 0.6, "words of figures")),
    )
    return next((intent for holds, intent in signs if holds), Intent("unclear", 0.5, "no word of the sheet"))


@cache
def _concepts() -> Phrases[str]:
    """The words of business figures, whatever the sheets."""
    found: Phrases[str] = Phrases()
    for each in concepts():
        for phrase in each.phrases:
            if len(tokens(phrase)) > 1 or len(phrase) > 5:
                found.add(phrase, each.name)
    return found
