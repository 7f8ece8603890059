"""Agent 3: builds LIST, TABLE or CHART and a friendly message, always in the documented form (002-20 to 002-24)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice
from typing import Any

from sqlglot import exp

from troly.errors import ModelError
from troly.llm.replies import repeats
from troly.llm.source import LENGTH
from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Chart, Computation, Notice, Suggestions
from troly.sandbox import SandboxError, check
from troly.text.arithmetic import derived_figures
from troly.text.catalogue import LANGS, Lang
from troly.text.fold import fold
from troly.text.language import is_foreign, is_mixed
from troly.text.numbers import find_amounts, format_number
from troly_rental.agents.conversation import days_of, task_messages, unused_text
from troly_rental.agents.sql_generation import count_found, count_rows
from troly_rental.agents.state import QueryExecution, RentalQuestion, Verdict
from troly_rental.agents.validator import found_for_model
from troly_rental.answer import payload, sentences
from troly_rental.answer.payload import ResultSet
from troly_rental.answer.response_text import MARK, ResponseText, render_response, split_label
from troly_rental.answer.values import is_day, measured_of
from troly_rental.data.places import places
from troly_rental.question.coverage import is_pointed, is_sharp
from troly_rental.question.spelling import correct_spelling
from troly_rental.question.types import Filter, Remark, relaxations
from troly_rental.sessions import within
from troly_rental.settings import RentalSettings
from troly_rental.sql.builder import build_count, build_query
from troly_rental.sql.columns import conjuncts, named_in, outer_select
from troly_rental.sql.explanation import explain_condition, explain_query
from troly_rental.strings import say

State = Mapping[str, Any]
RERUN = "/sql "
# Conditions that are left out in turn when nothing was found, and the time that each count may take.
MOST_RELAXATIONS = 6
COUNT_SECONDS = 2.0
# A rounded amount (`khoảng 2,3 triệu`) may be this far from the figure it stands for.
ROUNDING = Decimal("0.01")
MOST_CHARS = 1500
AGAIN = 3
OWN_ROWS, FEW_ROWS = 8, 3
"""Most rows that are told beside their number: of the asker's own, and of others."""
_BEYOND = frozenset({"price", "area"})
BEFORE = 6
"""Messages whose figures a sentence may take up."""
_UNREAD = frozenset({"said.unread", "said.unread_before", "said.unread_of_one"})
_UNTOLD = _UNREAD | {"said.apart", "refused.contact"}
_DATA = re.compile(r"\s*(?:\{|\[\s*[{\"\[\d])")
"""The beginning of a reply that is no sentence."""
_MISSED = re.compile(r"\s*\W{0,2}MISSED\b[\s:*]*")
# A day or month as the query writes it.
_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}(?:-\d{2})?(?!\d)")
_NOTHING = re.compile(
    r"^\W*(?:rat tiec|tiec la|sorry|unfortunately|hien(?: tai)?)?\W*(?:khong|chua|no|none|nothing)(?!\w)|(?<!\w)(?:(?:khong|chua)(?: con)? (?:co|tim|thay|ai)|(?:is|are|was|were|found|have|has|had) (?:no|none|nothing|not)|(?:did|do|could|can) ?(?:not|n't) find)(?!\w)"
)
"""What says that nothing was found."""
_ADVISES = re.compile(
    r"(?<!\w)(?:thu|nen|co the|muon|vui long|please|try|could|can|would|may want)(?!\w)|^\W*hay(?!\w)"
)
"""What advises: "bạn thử nâng mức giá"."""
_END = re.compile(r"(?<=[.!?…])\s+|\n+")


async def response_generator(state: State, turn: TurnContext, step: Step) -> State:
    """The answer of a query: the message, the typed content, how it came about (DATA, 002-33)."""
    question: RentalQuestion = state["question"]
    execution: QueryExecution | None = state["execution"]
    lang = turn.language
    if execution is None:
        return _failed(question, state.get("error") or "", turn, step)
    told = await _told_by_model(question, execution, turn)
    limits = turn.services.settings.of(RentalSettings)
    if told.missed and not state.get("returned") and execution.attempts < limits.attempts:
        step.note(told.missed, "model")
        open_question = replace(question, decided=True, parsed=question.parsed.as_form())
        return {"question": open_question, "reason": told.missed, "again": True, "returned": True}
    verdict: Verdict = state.get("verdict") or Verdict("unchecked")
    if told.missed:
        verdict = Verdict("invalid", told.missed)
    elif told.text and told.whole and execution.origin == "model" and not execution.result.empty:
        verdict = Verdict("valid")  # whoever told the rows has examined them
    result, parsed = execution.result, question.parsed
    mode = payload.mode_of(parsed.mode, result) if question.decided else parsed.mode
    title = _title(question, execution, lang)
    step.note(told.note or say("step.template", lang), "model" if told.text else "rules")
    message = " ".join(
        part for part in (told.text, *await _around(question, execution, told.text, turn)) if part
    )
    turn.say(message.removeprefix(told.text))
    if any(one.key in _UNTOLD for one in parsed.remarks):
        turn.answered = False
    _notify(mode, execution, verdict, turn)
    single = mode == "TABLE" and len(result.rows) == 1 and not parsed.group and not question.sql
    if not result.empty and not (
        single and (parsed.end or len(result.columns) == len(parsed.measures))
    ):  # figures that the sentence has
        told_as = payload.result_content(mode, result, title, question.who.role, lang, kind=question.chart)
        turn.emit(told_as)
        if isinstance(told_as, Chart):
            turn.emit(payload.table_content(result, title, "", lang))
    turn.emit(_computation(question, execution, lang))
    if not question.sql and not question.decided:
        suggestions = sentences.suggestions(parsed, result, lang)
        if suggestions:
            turn.emit(Suggestions(suggestions))
    data = payload.data_payload(mode, result, title, lang)
    text = render_response(
        ResponseText(
            message,
            question.who.role,
            list=data["list"]["items"] if mode == "LIST" else None,
            table=data.get("table") if mode == "TABLE" else None,
            chart=data.get("chart"),
        )
    )
    checked = {"isValid": verdict.known, "reason": verdict.reason or None}
    answer = {"kind": "DATA", "message": message, "payload": data, "response_text": text}
    return {**answer, **checked, "verdict": verdict, "again": False}


def _failed(question: RentalQuestion, error: str, turn: TurnContext, step: Step) -> State:
    """No query could be run: why, in one sentence, and what to do."""
    lang = turn.language
    parts = [say("answer.failed", lang, reason=error).strip()]
    parts += [say("answer.rephrase", lang)] if question.decided else []
    text = " ".join(parts)
    turn.say(text)
    turn.answered = False
    step.note(error, "rules")
    return {"kind": "CONTROL", "message": text, "payload": {"missing": []}}


async def control(state: State, turn: TurnContext, step: Step) -> State:
    """Asks for what is missing (002-12, 002 C2), or says that no data is loaded."""
    question: RentalQuestion = state["question"]
    lang, missing = turn.language, question.parsed.missing
    turn.answered = False
    if question.scope is None:
        text = say("control.no_data", lang)
    elif missing:
        text = " ".join(sentences.remark_texts(missing, lang))
        if any(one.key == "missing.unread" for one in missing):
            understood = sentences.understood(question.parsed, lang)
            text = " ".join(part for part in (text, understood, say("missing.ask", lang)) if part)
            _keep_open(question, turn)
    else:
        text = state.get("message") or say("control.ask", lang)
    if explained := state.get("explanation"):
        turn.answered, text, missing = True, say("control.glossary", lang, text=explained), ()
    turn.say(text)
    step.note(say("step.control", lang), "rules")
    return {"kind": "CONTROL", "message": text, "payload": {"missing": [one.key for one in missing]}}


def _keep_open(question: RentalQuestion, turn: TurnContext) -> None:
    """Remember that a question stands open, so that the next message is not taken for a change of an older answer."""
    parsed, old = question.parsed, turn.focus
    unread = [correct_spelling(run, turn.language) for run in parsed.unread]
    if not (is_pointed(unread) or is_sharp(unread)):  # what was understood of it can be gone on from
        turn.show(
            parsed.entity, question.text, [], replace(parsed, open=(*parsed.open, *parsed.unread)).to_dict()
        )
        return
    pointed = [{"field": "pointed", "op": "=", "value": run} for run in unread if is_pointed((run,))]
    unanswered = {"unanswered": [*parsed.state_filters(), *pointed]}
    if old is None:
        turn.show(parsed.entity, question.text, [], unanswered)
    else:
        turn.show(old.kind, old.question, old.rows, {**old.query, **unanswered})


async def content(state: State, turn: TurnContext, step: Step) -> State:
    """Ordinary talk (002-12): a greeting or a remark, and what can be asked here."""
    question: RentalQuestion = state["question"]
    lang, parsed = turn.language, question.parsed
    greets = parsed.request_type == "GREETING"
    key = f"content.greeting_{question.who.role.lower()}" if greets else "content.chat"
    explained = "" if parsed.remarks else state.get("explanation")
    if parsed.remarks:
        text = " ".join(sentences.remark_texts(parsed.remarks, lang))
    elif explained:
        text = say("control.glossary", lang, text=explained)
    else:
        text = state.get("message") or say(key, lang)
    told = bool(parsed.remarks or explained) and not parsed.refused
    turn.answered = parsed.request_type == "GREETING" or told
    turn.say(text)
    step.note(say("step.content", lang), "rules")
    return {"kind": "CONTENT", "message": text, "payload": {"text": text}}


def _title(question: RentalQuestion, execution: QueryExecution, lang: Lang) -> str:
    if question.sql:
        return say("answer.own_sql", lang)
    if question.decided:
        entity = execution.result.entity
        named = named_in(execution.checked.tree, entity)
        where = sentences.filters_text(named, entity, lang)
        return f"{sentences.records_title(entity, lang)} {where}".strip()
    return sentences.title_of(question.parsed, lang)


async def _around(
    question: RentalQuestion, execution: QueryExecution, written: str, turn: TurnContext
) -> list[str]:
    """What stands around the model's sentences: the assumptions made, and how many of how many are shown in which order (C9).
    Without such sentences, the template's answer (002-31).
    """
    lang, result, parsed = turn.language, execution.result, question.parsed
    told = _assumed(question, execution, lang)
    if written and result.empty:
        return [await _emptying_condition(question, execution, turn), *told]
    if written:
        return [*told, *_shown(execution, written, lang)]
    if question.sql:
        return [say("answer.own_rows", lang, count=result.total)]
    if question.decided:
        why = await _emptying_condition(question, execution, turn) if result.empty else ""
        return [sentences.rows_text(result, _title(question, execution, lang), lang), why, *told]
    unread = tuple(one for one in parsed.remarks if one.key in _UNREAD)
    before = sentences.remark_texts(unread, lang)
    after = [text for text in told if text not in before]
    why = "" if result.rows or parsed.skip else await _empty_result_reason(question, turn)
    rows = await _counted_rows(question, execution, turn)
    return [*before, sentences.answer_text(parsed, result, lang), rows, why, *after]


async def _counted_rows(question: RentalQuestion, execution: QueryExecution, turn: TurnContext) -> str:
    """What is counted, where it is few rows, of the asker's own some more; "" for others."""
    parsed, result, scope = question.parsed, execution.result, question.scope
    counts = not parsed.group and [one.kind for one in parsed.measures] == ["count"]
    count = result.rows[0][0] if counts and result.rows else 0
    if scope is None or not isinstance(count, int) or not 0 < count <= (OWN_ROWS if parsed.own else FEW_ROWS):
        return ""
    listed = replace(parsed, measures=(), mode="LIST", limit=None)
    sql = build_query(listed, question.who.role).sql(dialect="duckdb")
    try:
        checked = check(sql, scope.columns(), max_rows=OWN_ROWS, now=turn.now)
        rows = await turn.services.sandbox.run(scope, checked, seconds=COUNT_SECONDS, max_rows=OWN_ROWS)
    except SandboxError:
        return ""
    found = ResultSet(rows.columns, rows.rows, count, parsed.entity)
    return sentences.counted_rows(found, listed, turn.language)


def _assumed(question: RentalQuestion, execution: QueryExecution, lang: Lang) -> list[str]:
    """The assumptions of the query, as sentences."""
    remarks = question.parsed.remarks
    if execution.result.empty:  # "all are cheaper than those" is said of rows
        remarks = tuple(one for one in remarks if not one.key.startswith("said.beyond_"))
    kept = (one for one in remarks if one.key != "said.cheap" or _is_cheapest_first(execution))
    return sentences.remark_texts(tuple(kept), lang)


def _shown(execution: QueryExecution, written: str, lang: Lang) -> list[str]:
    """That more was found than is shown, where the sentence does not say so."""
    total, shown = execution.result.total, len(execution.result.rows)
    if total <= shown or format_number(total, lang) in written:
        return []
    order = execution.checked.tree.args.get("order")
    first = order.expressions[0].this if order is not None and order.expressions else None
    if not isinstance(first, exp.Column):
        return [say("notice.more", lang, shown=shown, total=format_number(total, lang))]
    down = order is not None and bool(order.expressions[0].args.get("desc"))
    ordered = say("order.down" if down else "order.up", lang, name=sentences.column_name(first.name, lang))
    return [say("answer.first_of", lang, shown=shown, total=format_number(total, lang), order=ordered)]


def _is_cheapest_first(execution: QueryExecution) -> bool:
    order = execution.checked.tree.args.get("order")
    first = order.expressions[0] if order is not None and order.expressions else None
    # "giá điện" is no rent
    return first is not None and measured_of(first.this.name) == "price" and not first.args.get("desc")


class _SentenceStream:
    """Says what a model writes sentence by sentence, each once it is whole, checked, and followed by another one.

    A sentence with a figure that is nowhere, or in another language, is left out; a text that finds no end is broken off.
    Where nothing was found, only a first sentence that says so is said. `said` is what was said, `missed` what the query lacks, where the
    text says so at once instead; `dropped` are figures, `foreign` says that a sentence was in another language.
    """

    def __init__(self, question: RentalQuestion, execution: QueryExecution, turn: TurnContext) -> None:
        self.said, self.missed, self.dropped, self.foreign, self.wrong = "", "", list[str](), False, ""
        self._figures, self._turn = FigureCheck(question, execution, turn), turn
        self._empty, self._heard = execution.result.empty, False
        # A message in both languages may be answered in either.
        self._langs = LANGS if is_mixed(question.text) else (turn.language,)
        # The names and values of the rows are in no language.
        self._names = [one for one in payload.cell_texts(execution.result, turn.language) if len(one) > 3]
        self._held, self._rest, self._all = "", "", ""
        asked = f"{question.text} {execution.checked.lasting}"
        self._asked_places = {one.name for found in places().find(asked) for one in found.places}

    async def take(self, pieces: AsyncIterator[str]) -> bool:
        """Say what comes; whether the text came to an end of its own."""
        async for piece in pieces:
            self._rest += piece
            self._all += piece
            if MARK in self._all:
                self._rest = self._rest.partition(MARK)[0]
                break
            if is_rambling(self._all):
                return False
            if _MISSED.match(self._all) or _DATA.match(self._all):
                continue
            *whole, self._rest = _END.split(self._rest)
            for sentence in whole:
                self._tell(sentence)
        if is_rambling(self._all):
            return False
        if found := _MISSED.match(self._all):
            self.missed = " ".join(self._all[found.end() :].split()) or found[0]
            return True
        if _DATA.match(self._all):
            self.wrong = "shape"
            return True
        self._tell(self._rest)
        self._tell("")
        return True

    def break_off(self) -> None:
        """Mark what was said as cut, before code says more."""
        if self.said[-1].isalnum() or self.said[-1] in ",;:":
            self.said += "…"
            self._turn.say("…")

    def _tell(self, sentence: str) -> None:
        """Say the sentence that was held, and hold this one."""
        held = split_label(self._held.strip())[1]
        if held and held == sentence.strip():
            return  # perhaps the beginning of an endless one
        self._held = sentence
        if not held or _MISSED.match(held):
            return  # after sentences that answer, no more than an aside
        self._heard = self._heard or not self._empty or bool(_NOTHING.search(fold(held)))
        if not self._heard or (self._empty and not self._is_of_nothing(held)):
            return
        if all(is_foreign(held, lang, self._names) for lang in self._langs):
            self.foreign = True
        elif wrong := self._figures.wrong(held, self.said):
            self.dropped += wrong
        elif not self.dropped or self._tells(held):
            text = f" {held}" if self.said else held
            self.said += text
            self._turn.say(text)

    def _tells(self, sentence: str) -> bool:
        """Whether what is left of a reply still answers: with a figure, or a name of a row, where nothing was said before."""
        told = self.said or find_amounts(sentence) or any(name in sentence for name in self._names)
        return bool(told) and len(sentence.split()) > 2

    def _is_of_nothing(self, sentence: str) -> bool:
        """Whether a sentence says that nothing was found, asks or advises, of no place that was not asked about: where no row was
        found nothing else is known.
        """
        named = {one.name for found in places().find(sentence) for one in found.places}
        plain = fold(sentence)
        asks = "?" in sentence or _NOTHING.search(plain) or _ADVISES.search(plain)
        return bool(asks) and named <= self._asked_places


@dataclass(frozen=True, slots=True)
class _Told:
    """What a model said of the rows, with a note for the trace; `missed` is what it found the query to lack, `whole` that it
    came to its end.
    """

    text: str = ""
    note: str = ""
    missed: str = ""
    whole: bool = False


async def _told_by_model(question: RentalQuestion, execution: QueryExecution, turn: TurnContext) -> _Told:
    """What a model says of the rows, said as it comes; nothing where the template answers, and why nothing of it can be shown."""
    lang, limits = turn.language, turn.services.settings.of(RentalSettings)
    asks = question.decided or (execution.result.rows and question.parsed.certain)
    if question.sql or not asks or turn.model.reason_unavailable is not None:
        return _Told()
    stream = _SentenceStream(question, execution, turn)
    given = found_for_model(question, execution)
    given["Told besides"] = " ".join(_assumed(question, execution, lang))
    pieces = turn.model.stream(
        "response_generator",
        task_messages("TELL", question, turn, given),
        tokens=limits.max_tokens,
        temperature=limits.temperature,
    )
    try:
        async with aclosing(pieces):
            ended = await stream.take(pieces)
    except ModelError as error:
        _tell_unused(error.key, stream, turn)
        return _Told(stream.said, unused_text(error.key, lang))
    figures = ", ".join(stream.dropped)
    wrong = "rambles" if not ended else "language" if stream.foreign else "figures" if figures else ""
    wrong = wrong or stream.wrong
    if stream.said and turn.model.calls[-1].finish == LENGTH:
        stream.break_off()
    if wrong and not (stream.missed or execution.result.empty):
        _tell_unused(wrong, stream, turn)
    note = unused_text(wrong, lang) if wrong else say("step.checked", lang)
    note = say("step.refused", lang, figures=figures) if wrong == "figures" else note
    return _Told(stream.said, note, stream.missed, ended)


def _tell_unused(why: str, stream: _SentenceStream, turn: TurnContext) -> None:
    """Say why nothing of what a model told is shown, where nothing is."""
    if not stream.said:
        turn.emit(Notice("info", unused_text(why, turn.language)))


async def _emptying_condition(question: RentalQuestion, execution: QueryExecution, turn: TurnContext) -> str:
    """One sentence on the condition of a model's query without which most is found; "" where it has none."""
    tree, lang = execution.checked.tree.copy(), turn.language
    select = outer_select(tree)
    where = select.args.get("where") if select is not None else None
    if select is None or where is None or question.scope is None:
        return ""
    conditions = conjuncts(where.this)
    select.set("expressions", [exp.Literal.number(1)])
    for part in ("group", "having", "qualify", "distinct"):
        select.set(part, None)
    best, most = "", 0
    for at, condition in enumerate(conditions[:MOST_RELAXATIONS]):
        rest = [one for other, one in enumerate(conditions) if other != at]
        select.set("where", exp.Where(this=exp.and_(*rest)) if rest else None)
        count = await count_found(tree, question.scope, turn, COUNT_SECONDS) or 0
        if count > most:
            best, most = explain_condition(condition, lang), count
    if not best:
        return say("answer.nothing_helps", lang)
    return say("answer.without", lang, condition=best, count=format_number(most, lang))


async def _empty_result_reason(question: RentalQuestion, turn: TurnContext) -> str:
    """One sentence on the condition without which most is found; "" where no single one is to blame."""
    parsed, lang = question.parsed, turn.language
    if any(one.key.startswith("said.already_") for one in parsed.remarks):
        return ""
    beyond = next((one.key for one in parsed.remarks if one.key.startswith("said.beyond_")), "")
    if beyond and (limit := next((one for one in parsed.filters if one.field in _BEYOND), None)):
        # What was shown ends there; without the limit there would be all that was not shown.
        key = beyond.replace("beyond", "already")
        told = Remark.of(key, value=str(limit.value), field=limit.field)
        return " ".join(sentences.remark_texts((told,), lang))
    best: tuple[Filter, ...] = ()
    most = 0
    for dropped, rest in islice(relaxations(parsed), MOST_RELAXATIONS):
        if question.scope is None:
            break
        sql = build_count(rest, question.who.role).sql(dialect="duckdb")
        count = await count_rows(sql, question.scope, turn, COUNT_SECONDS) or 0
        if count > most:
            best, most = dropped, count
    if not best:
        return say("answer.nothing_helps", lang) if parsed.filters else ""
    condition = sentences.filters_text(best, parsed.entity, lang)
    return say("answer.without", lang, condition=condition, count=format_number(most, lang))


class FigureCheck:
    """Which figures a sentence about rows may name: those of the cells, of the question and the query, and what follows from
    them; and those of the conversation.
    """

    def __init__(self, question: RentalQuestion, execution: QueryExecution, turn: TurnContext) -> None:
        result, focus = execution.result, turn.focus
        values = [result.total, len(result.rows), *(value for row in result.rows for value in row)]
        values += [one.value for one in question.parsed.filters]
        # What was said and shown before can be compared with.
        shown = [value for row in (focus.rows if focus else ()) for value in row.values.values()]
        values += shown
        before = (one.text for one in within(turn.history, question.session, BEFORE))
        known = _decimals(values)
        texts = (
            question.text,
            execution.checked.lasting,
            *before,
            *payload.cell_texts(result, turn.language),
        )
        known += [amount.value for text in texts for amount in find_amounts(text)]
        # A day of a row, of the query or of the question may be told by its parts: "October" of 2026-10-01.
        days = [str(value)[:10] for row in result.rows for value in row if is_day(value)]
        days += _DAY.findall(execution.checked.lasting)
        days += [str(day) for one in days_of(question, question.text, turn) for day in (one.start, one.end)]
        known += [Decimal(part) for day in days for part in day.split("-") if part.isdigit()]
        known += [Decimal(at) for at in range(1, min(len(result.rows), 20) + 1)]
        self._known, self._before = frozenset(known), _decimals(shown)

    def wrong(self, sentence: str, before: str = "") -> list[str]:
        """The figures of `sentence` that nothing holds and that follow from none here or `before`, as they are written."""
        amounts = find_amounts(sentence)
        near = {
            one.value
            for one in amounts
            if any(
                abs(one.value - known) <= ROUNDING * max(abs(known), abs(one.value)) for known in self._known
            )
        }
        derived = derived_figures(f"{before} {sentence}", self._known | near, before=self._before)
        return [
            sentence[one.start : one.end]
            for one in amounts
            if one.value not in near and abs(one.value) not in derived
        ]


def _decimals(values: Iterable[object]) -> list[Decimal]:
    return [Decimal(str(one)) for one in values if isinstance(one, int | float) and not isinstance(one, bool)]


def is_rambling(message: str) -> bool:
    """Whether a message is far too long, or says one thing again and again: a model that does not find its end."""
    said = Counter(sentence.strip() for sentence in _END.split(message) if len(sentence.split()) > 2)
    words = message.split()
    same = any(len(set(words[at : at + AGAIN + 1])) == 1 for at in range(len(words) - AGAIN))
    return len(message) > MOST_CHARS or repeats(message) or same or max(said.values(), default=0) >= AGAIN


def _notify(mode: str, execution: QueryExecution, verdict: Verdict, turn: TurnContext) -> None:
    """What the reader must know of the answer: that it was reused, that it may not fit, that there is more."""
    lang, result = turn.language, execution.result
    entry = execution.match.entry if execution.match is not None else None
    if entry is not None:
        text = say("notice.reused", lang, number=entry.number, age=entry.age(turn.now, lang))
        turn.emit(Notice("info", text))
    if verdict.state == "invalid":
        remedy = say("notice.invalid_remedy", lang)
        turn.emit(Notice("warning", say("notice.invalid", lang), verdict.reason, remedy))
    if result.total > len(result.rows) and mode != "LIST":
        turn.emit(Notice("info", say("notice.more", lang, shown=len(result.rows), total=result.total)))


def _computation(question: RentalQuestion, execution: QueryExecution, lang: Lang) -> Computation:
    tree = execution.checked.tree
    facts = (
        (say("fact.origin", lang), say(f"origin.{execution.origin}", lang)),
        (say("fact.rows", lang), str(execution.result.total)),
        (say("fact.role", lang), question.who.role),
        (say("fact.time", lang), f"{execution.ms:.0f} ms"),
    )
    return Computation(
        "sql", tree.sql(dialect="duckdb", pretty=True), explain_query(tree, lang), facts, RERUN
    )
