"""The documents' five nodes (001-03): each reads the state, speaks through the turn, and returns what changed (001-05)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any, Literal

import sqlglot
from pydantic import BaseModel, TypeAdapter, ValidationError

from troly.errors import ModelError
from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Computation, Notice, Source, Suggestions
from troly.plugin.focus import KEY as FOCUS
from troly.plugin.focus import FocusRow
from troly.text.catalogue import Lang
from troly.text.dates import system_clock
from troly.text.fold import accents_agree, fold, words
from troly.text.language import is_foreign
from troly.text.numbers import find_amounts
from troly_analysis import talk
from troly_analysis.agent.loop import AgentRun, canonical, run_agent
from troly_analysis.agent.messages import SAID_TOKENS, last_turns, name_text, result_message, who_and_when
from troly_analysis.agent.tools import call_tool, is_typed, read_typed, run_tool, sheet_of
from troly_analysis.answer.cards import chart_of, computations, table_of
from troly_analysis.answer.figures import (
    Days,
    Ground,
    Rows,
    codes_in,
    columns_of,
    count_figures,
    ground,
    grounded_part,
    rows_of,
    says_done,
    says_lack,
    strangers,
    tells,
)
from troly_analysis.answer.sentences import (
    AnswerContext,
    as_told,
    cell_text,
    day_of,
    days_of,
    house_numbers,
    is_currency,
    is_empty,
    leaving_out,
    moved,
    notes,
    of_one_row,
    other_figures,
    periods_of,
    render_answers,
    rows_are,
    says_days,
    value_text,
    with_changes,
)
from troly_analysis.answer.sentences import title as title_of
from troly_analysis.planner import (
    DataQuery,
    Intent,
    Plan,
    QuestionAnalysis,
    Suggestion,
    analyse_question,
    classify,
    first_suggestions,
    lost_values,
    splits_of,
    suggest_questions,
    title,
)
from troly_analysis.planner.calls import alone
from troly_analysis.planner.periods import period_of_key
from troly_analysis.planner.schema import concept_of
from troly_analysis.planner.types import FOCUS_ROWS, Ref, averaged
from troly_analysis.query.aggregates import as_comparison
from troly_analysis.query.service import DEADLINE_SECONDS, DataQueryService
from troly_analysis.settings import AnalysisSettings
from troly_analysis.sheets.store import SheetStore
from troly_analysis.sheets.value_lookup import value_lookup
from troly_analysis.strings import prompts, say
from troly_analysis.talk import UNCLEAR
from troly_analysis.types import (
    Result,
    Run,
    Sheet,
    ToolCall,
    ToolRecord,
    connections_json,
    is_number,
    plain,
    record_json,
    result_json,
)

PLAN, SUGGESTED = "analysis_plan", "analysis_suggestions"
HISTORY, BEFORE_ROWS = 40, 2


def sheets_of(turn: TurnContext) -> tuple[Sheet, ...]:
    """The sheets of the one who asks (001-38). Blocking; raises StoreError."""
    return SheetStore(turn.services).sheets(turn.profile.login)


def service_of(turn: TurnContext) -> DataQueryService:
    """The queries of the one who asks, at the turn's own time."""
    most = turn.services.settings.of(AnalysisSettings).max_rows
    return DataQueryService(
        SheetStore(turn.services), turn.profile.login, clock=lambda: turn.now, max_rows=most
    )


def full_history(turn: TurnContext) -> list[dict[str, str]]:
    """The whole conversation as `{role, content}`, the message being answered last (001-41). Blocking when it is long."""
    if len(turn.history) < HISTORY:
        return turn.chat_history()
    store, roles = turn.services.conversations, {"user": "user", "assistant": "assistant"}
    found = list(turn.history)
    while page := store.messages(turn.profile.login, turn.conversation.id, limit=500, before=found[0].id):
        found = [*page, *found]
    past = [{"role": roles[m.sender], "content": m.text} for m in found if m.sender in roles]
    return [*past, {"role": "user", "content": turn.text}]


# --- the plan of the turn before


def previous_plan(turn: TurnContext) -> Plan | None:
    """The plan that the conversation's last data question led to; None when there is none or it cannot be read."""
    saved = turn.conversation_metadata.get(PLAN)
    if not saved:
        return None
    try:
        return _adapter(Plan).validate_python(saved)  # type: ignore[no-any-return]
    except ValidationError:
        # Written by another version.
        return None


def keep_plan(turn: TurnContext, plan: Plan) -> None:
    """Keep `plan` for the next message of the conversation."""
    turn.conversation_metadata[PLAN] = _adapter(Plan).dump_python(plan, mode="json")


def standing(previous: Plan | None, lang: Lang) -> str:
    """What was shown last, and the question after it that was not read, for an answer that has no figure either; "" for neither."""
    if previous is None:
        return ""
    told = []
    if previous.ask is not None:
        told.append(say("answer.shown_before", lang, what=title(previous, lang)))
    if not previous.calls and not previous.refusal:
        told.append(say("answer.still_unread", lang, said=previous.text))
    return " ".join(told)


def chosen_option(turn: TurnContext, previous: Plan | None) -> str:
    """What the message chooses of the options that were offered: by its number or its words; "" when it chooses none."""
    if previous is None or not previous.options or previous.question is None:
        return ""
    said = fold(turn.text).strip(" .)!")
    if said.isdecimal() and 1 <= int(said) <= len(previous.options):
        return previous.options[int(said) - 1]
    return next((option for option in previous.options if fold(option) == said), "")


def understand(
    turn: TurnContext, text: str, sheets: tuple[Sheet, ...], previous: Plan | None
) -> QuestionAnalysis:
    """The message understood, once a turn. Blocking: values of long columns are looked up; raises StoreError."""
    look = value_lookup(turn.services, turn.profile.login)
    suggested = _suggested(turn)
    if previous is not None and turn.focus is None and FOCUS in turn.conversation_metadata:
        previous = replace(previous, ask=None)  # what was shown too long ago is no longer meant
    rows = turn.focus.rows if turn.focus is not None else ()
    shown = [row.id for row in rows]
    numbers = [list(filter(is_number, row.values.values())) for row in rows]
    figures = {row.id: found[0] for row, found in zip(rows, numbers, strict=True) if found}
    known: dict[str, Any] = {"values": look, "suggested": suggested, "shown": shown, "figures": figures}
    return analyse_question(text, sheets, turn.now, previous=previous, **known)


def show_focus(turn: TurnContext, told: DataAnswer) -> None:
    """Keep what was shown, so that the next message can point at it: the calls, those before, and the rows by their first column."""
    if not told.findings:
        return
    result = (told.last or told.findings)[-1].result
    rows = [
        FocusRow(
            name,
            cell_text(row[0], result.columns[0], "", turn.language),
            dict(zip(result.columns[1:], map(plain, row[1:]), strict=False)),
        )
        for row in result.rows[:FOCUS_ROWS]
        if row[0] is not None
        for name in [value_text(row[0], "", turn.language) if isinstance(row[0], Mapping) else str(row[0])]
    ]
    calls = [{"tool": each.call.tool, "arguments": plain(each.call.arguments)} for each in told.findings]
    last = turn.focus
    before = None
    if last:
        first = [[row.title, *row.values.values()] for row in last.rows[:BEFORE_ROWS]]
        before = {"question": last.question, "name": last.query.get("name", ""), "rows": first}
        before |= {name: last.query.get(name, []) for name in ("values", "calls")}
    plainly = AnswerContext("", turn.language, turn.now.date())
    name = "; ".join(title_of(each.call, each.sheet, plainly) for each in told.findings)
    alone = ("value", "period1_value", "period2_value")
    figures = [getattr(each.result, one) for each in told.findings if not each.result.rows for one in alone]
    values = [plain(figure) for figure in figures if figure is not None]
    turn.show("figures", turn.text, rows, {"calls": calls, "name": name, "values": values, "before": before})


def offer(turn: TurnContext, suggestions: tuple[Suggestion, ...]) -> None:
    """Offer questions, and keep their queries: one that is sent as it stands is answered by its query."""
    if suggestions:
        turn.emit(Suggestions(tuple(each.text for each in suggestions)))
        turn.conversation_metadata[SUGGESTED] = _adapter(tuple[Suggestion, ...]).dump_python(
            suggestions, mode="json"
        )


def _suggested(turn: TurnContext) -> dict[str, DataQuery]:
    """The queries of the questions that were offered last, by their folded text."""
    try:
        kept = _adapter(tuple[Suggestion, ...]).validate_python(
            turn.conversation_metadata.get(SUGGESTED) or ()
        )
    except ValidationError:
        # Written by another version.
        return {}
    return {fold(each.text).strip(): each.query for each in kept if each.query is not None}


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


# --- data: by the model's tool calls, else by the plan of the rules, else by asking back


SHEET_COMMAND = "app ingest sheet FILE"
LAST_SHEET = "analysis_sheet"
FIELDS_SHOWN, FEW_NAMES = 12, 10


@dataclass(frozen=True, slots=True)
class ComputedResult:
    """One result with the call that it came from, its sheet, and how it was computed."""

    call: ToolCall
    result: Result
    sheet: Sheet | None
    run: Run | None


@dataclass(frozen=True, slots=True)
class Job:
    """One question to be answered: in which turn, over which sheets, and the step that tells of it in the trace."""

    turn: TurnContext
    sheets: tuple[Sheet, ...]
    asked: AnswerContext
    step: Step
    standing: str = ""
    """What was shown before, and what was not read since."""

    @property
    def lang(self) -> Lang:
        """The language of the answer."""
        return self.turn.language

    def note(self, key: str, source: Source, **params: object) -> None:
        """What the trace says of this step."""
        self.step.note(say(key, self.lang, **params), source)


@dataclass(slots=True)
class DataAnswer:
    """What the data agent hands to the formatter: `prose` is True where a model wrote the `text`."""

    text: str
    records: Sequence[ToolRecord] = ()
    findings: list[ComputedResult] = field(default_factory=list)
    prose: bool = False
    remarks: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    chart: str | None = None
    plan: Plan | None = None
    splits: tuple[Suggestion, ...] = ()
    error: str | None = None
    last: Sequence[ComputedResult] = ()
    """What the last of several questions was answered with, which the next message points at."""

    def state(self) -> dict[str, Any]:
        """The part of the graph's state that the data agent fills."""
        return {
            "agent_response": self.text,
            "tool_calls": [record_json(record) for record in self.records],
            "error": self.error,
            "answered": self,
        }


async def answer(job: Job, question: QuestionAnalysis | None) -> DataAnswer:
    """The answer to a question from the user's own sheets (001-45 when there are none)."""
    turn, sheets, asked = job.turn, job.sheets, job.asked
    if not sheets:
        job.note("step.no_sheets", "rules")
        return DataAnswer(say("answer.no_sheets", job.lang, command=SHEET_COMMAND))
    if question is None:
        return await _typed(job)
    made = question.plan
    keep_plan(turn, made)
    if turn.model.reason_unavailable is not None or question.certain:
        return await _by_plan(job, made, None)

    def stands(words: str) -> bool:
        return bool(_words_alone(job, made, words))

    run = await run_agent(turn, service_of(turn), sheets, asked, made.facts, stands=stands)
    return await _by_model(job, made, run) or await _by_plan(job, made, run)


async def _by_model(job: Job, plan: Plan, run: AgentRun) -> DataAnswer | None:
    """What the model found and said; None when the rules are to answer in its place."""
    called = {"count": len(run.records), "tools": ", ".join(record.tool_name for record in run.records)}
    findings = findings_of(run.found, job.sheets)
    if run.stopped == "no_calls" and (said := _words_alone(job, plan, run.prose)):
        job.note("step.agent", "model", **called)
        # Figures that were shown answer again; without any it asks back, or says what the data lack.
        job.turn.answered = count_figures(said) > 0 and not said.endswith("?")
        return DataAnswer(said, run.records)
    failed = run.stopped in {"model", "no_calls"} or not findings
    if failed or (run.stopped == "retries" and plan.calls):
        return None
    job.note("step.agent", "model", **called)
    _remember(job.turn, findings)
    text = _told(findings, job.asked)
    remarks = (*_means_of(findings, job.lang), *await _without_lost(job, findings))
    chart = run.chart or None
    said = " ".join(run.prose.split())
    if run.stopped not in {"", "repeated"}:
        _tell_why(job, run)
    if run.stopped or said in " ".join(text.split()) or all(is_empty(each.result) for each in findings):
        return DataAnswer(text, run.records, findings, remarks=remarks, chart=chart)
    return DataAnswer(run.prose, run.records, findings, prose=True, remarks=remarks, chart=chart)


def _words_alone(job: Job, plan: Plan, prose: str) -> str:
    """What a model says without a query: it asks back, names what the data lack, or answers from what was shown or how the
    sheets are made; "" where it claims anything else, or a figure is made up.

    Where the rules know no answer either, its sentences without such a figure stand.
    """
    meant = [] if plan.ask is None else [each for each in (plan.ask.period, plan.ask.versus) if each]
    spans = [(each.start, each.end) for each in meant] + [each.span for each in job.sheets if each.span]
    known = _ground_of([], job.sheets, job.asked, spans)
    known = _with_shown(known, job.turn)
    if strangers(prose, known):
        kept = "" if plan.calls else grounded_part(prose, known)
        prose = kept if says_lack(kept) or not says_lack(prose) else ""
    rows = job.turn.focus.rows if job.turn.focus is not None else ()
    columns = {name for sheet in job.sheets for name in (sheet.name, *(each.name for each in sheet.fields))}
    named = sum(_names(prose, name) for name in columns) > 1 or any(_names(prose, row.title) for row in rows)
    told = (tells(prose, known) or named) and not says_done(prose)
    return prose if says_lack(prose) or told else ""


def _names(text: str, name: str) -> bool:
    """Whether `text` has the words of `name`, by their accents where it has any: "đơn hàng" does not name "Hạng"."""
    said, wanted = words(text), words(name)
    return any(
        all(map(_agree, said[at : at + len(wanted)], wanted)) for at in range(len(said) - len(wanted) + 1)
    )


def _agree(said: str, wanted: str) -> bool:
    return fold(said) == fold(wanted) and accents_agree(said, wanted)


def _with_shown(known: Ground, turn: TurnContext) -> Ground:
    """`known` with the figures of the last messages, and the figures, days and names of the rows that were shown last."""
    texts = [item["content"] for item in turn.chat_history()[-EARLIER - 1 : -1]]
    rows = turn.focus.rows if turn.focus is not None else ()
    cells = [cell for row in rows for cell in (row.id, *row.values.values())]
    names = [cell for cell in cells if isinstance(cell, str)]
    codes = set().union(*map(codes_in, texts))
    said = {amount.value for text in (*texts, *names) for amount in find_amounts(text)}
    said |= {abs(Decimal(str(cell))) for cell in filter(is_number, cells)}
    days = [day for cell in names if (day := day_of(cell))]
    shown = Days.of([*known.days.exact, *days])
    names_of = ("", *(rows[0].values if rows else ()))
    table = Result("rows", columns=names_of, rows=tuple((row.title, *row.values.values()) for row in rows))
    return replace(
        known,
        said=known.said | said,
        columns=(*known.columns, *columns_of(table)),
        rows=Rows((*known.rows.all, *(row for row in rows_of(table, -1) if row.keys)), known.rows.tables),
        texts=tuple(
            sorted({*known.texts, *codes, *filter(re.compile(r"\d").search, names)}, key=len, reverse=True)
        ),
        days=Days(shown.exact, shown.months | known.days.months),
    )


async def _by_plan(job: Job, plan: Plan, run: AgentRun | None) -> DataAnswer:
    """Run the calls of the plan, or ask back, or say what is missing; tools run by the model stay in the record."""
    before = list(run.records) if run else []
    _explain(job, plan, run)
    if plan.refusal or plan.question is not None or not plan.calls:
        job.turn.answered = False
    if run is not None and run.stopped == "retries" and not plan.calls:
        return _missing(job, plan, before, run)
    if plan.refusal:
        return DataAnswer(say(f"answer.no_{plan.refusal}", job.lang), before)
    if plan.question is not None:
        options = [f"{number}. {option}" for number, option in enumerate(plan.options, 1)]
        asked = plan.question.say(job.lang)
        if plan.question.key.startswith("unknown") and run is None:
            asked = f"{asked} {say('planner.unknown_alone', job.lang)}"
        lines = [asked, *options] if plan.options else [asked, *filter(None, [job.standing])]
        return DataAnswer("\n".join(lines), before, options=plan.options)
    if not plan.calls:
        return _missing(job, plan, before, run)
    service = service_of(job.turn)
    calls = {canonical(call): call for call in plan.calls}.values()
    numbered = enumerate(calls, len(before) + 1)
    records = [await run_tool(job.turn, service, call, number) for number, call in numbered]
    findings = _as_asked(plan, findings_of(records, job.sheets))
    if not findings:
        reason = records[-1].error or ""
        text = say("answer.failed", job.lang, count=len(records), reason=reason)
        return DataAnswer(text, [*before, *records], error=reason)
    _remember(job.turn, findings)
    single = all(of_one_row(each.call, each.sheet) for each in findings)
    few = plan.ask is not None and all(len(each.result.rows) < plan.ask.limit for each in findings)
    needless = {"averaged": single, "limit": few}
    shown = [note for note in plan.shown if not needless.get(note.key)]
    remarks = [note.say(job.lang) for note in shown] + values_read(findings, job.lang)
    if plan.missing:
        remarks.insert(0, say("answer.ignored", job.lang, missing=", ".join(plan.missing)))
    remarks += _means_of(findings, job.lang)
    remarks += _blank_first(plan, findings[0].result, job.lang)
    remarks += await _without_lost(job, findings, plan)
    remarks += await _named(job, plan, findings[0].result)
    remarks += await _read_otherwise(job, plan, findings)
    told = _none_moved(plan, findings[0].result, job.lang)
    told.append(_told(findings, asked_by(plan, job.asked, findings)))
    last: Sequence[ComputedResult] = ()
    for each in plan.more:
        other = await _by_plan(job, each, None)
        last = other.last or other.findings
        told.append(other.text)
        records += other.records
        remarks += [remark for remark in other.remarks if remark not in remarks]
    answered = DataAnswer("\n\n".join(told), [*before, *records], findings, remarks=tuple(remarks))
    return replace(answered, chart=plan.chart, plan=plan, last=last)


def _none_moved(plan: Plan, result: Result, lang: Lang) -> list[str]:
    """That nothing fell where what fell is asked for, or nothing rose, with what came nearest to it."""
    turn = plan.ask.turn if plan.ask else ""
    if not turn or "difference" not in result.columns or moved(result, turn):
        return []
    end, key, at = *((min, "fell") if turn == "asc" else (max, "rose")), result.columns.index("difference")
    nearest = end(result.rows, key=lambda row: row[at] or 0)
    return [say(f"answer.none_{key}", lang, name=nearest[0])]


def _means_of(findings: Sequence[ComputedResult], lang: Lang) -> list[str]:
    """What means over the rows of a sheet are the quotients of: "= 69.500.000 VND / 150 đơn"."""
    said = []
    for each in findings:
        given, value = each.call.arguments, each.result.value
        column = each.sheet.field(str(given.get("field") or "")) if each.sheet else None
        mean = given.get("operation") == "avg" and isinstance(value, int | float) and each.run
        if not mean or column is None or column.blanks:
            continue
        if averaged(Ref("", column.kind, concept_of(column)[0])):
            continue
        total = value_text(round(value * mean.rows_read, 2), each.result.unit, lang)
        rows = value_text(mean.rows_read, rows_are(each.sheet, lang), lang)
        said.append(say("answer.mean_of", lang, total=total, count=rows))
    return said


def _as_asked(plan: Plan, findings: list[ComputedResult]) -> list[ComputedResult]:
    """The results with the change of each period, or in the unit of a difference, where that was asked for."""
    return [replace(each, result=_told_as(plan.ask, each.result)) for each in findings]


def _told_as(ask: DataQuery | None, result: Result) -> Result:
    if ask is None:
        return result
    if ask.form == "compare" and ask.groups and ask.turn:
        return replace(result, rows=moved(result, ask.turn) or result.rows)
    if ask.growth:
        return with_changes(result, ask.order, ask.turn)
    if ask.form == "compare" and not ask.groups and len(ask.measures) == 1:
        return as_comparison(result, _unit_of(ask))
    unit = _unit_of(ask) if ask.gap or (ask.form == "compare" and ask.worked) else ""
    units = ("",) * len(ask.groups) + (unit,) * len(result.columns)
    return replace(result, units=units) if unit else result


def _unit_of(ask: DataQuery) -> str:
    """The unit of the one figure of a query: per cent where it is a share."""
    return "%" if ask.part else ask.measures[0].ref.unit if ask.measures[0].ref else ""


async def _without_lost(job: Job, findings: Sequence[ComputedResult], plan: Plan | None = None) -> list[str]:
    """For money over cancelled or returned orders too: one line that says so, with the same figures without them.

    With a `plan` each further query is shown as a step; the steps of a model are the calls that it made.
    """
    service, lost, unknown, key = service_of(job.turn), "", False, "answer.lost"
    told: list[str] = []
    for number, each in enumerate(findings, len(findings) + 1):
        column, values = lost_values(each.sheet) if each.sheet else ("", ())
        given = each.call.arguments
        units, fields = (each.result.unit, *each.result.units), each.sheet.fields if each.sheet else ()
        paid = [f"${one.name}'" for one in fields if one.kind == "money" and "share" in each.result.columns]
        money = any(map(is_currency, units)) or any(one in str(given) for one in paid)
        left_out = (given.get("filters") or {}).get(column) == {"nin": list(values)}
        named = not left_out and (column in str(given) or column in each.result.columns)
        if not values or not money or named:
            continue
        key = "answer.lost_out" if left_out else key
        call, lost = leaving_out(each.call, column, values), ", ".join(values)
        if plan is not None:
            record = await run_tool(job.turn, service, call, number)
        else:
            record = await call_tool(service, call, "call_lost", DEADLINE_SECONDS, job.lang)
        found = findings_of([record], job.sheets)
        found = _as_asked(plan, found) if plan else found
        unknown = unknown or not found
        figures = (other_figures(each.result, one.result, each.sheet, job.lang) for one in found)
        name = f"{title_of(each.call, each.sheet, job.asked)}: " if len(findings) > 1 else ""
        told += [name + figure for figure in figures if figure]
    rest = "; ".join(filter(None, told))
    if rest:
        return [say(key, job.lang, values=lost, rest=rest)]
    return [say("answer.lost_too", job.lang, values=lost)] if unknown else []


def _blank_first(plan: Plan, result: Result, lang: Lang) -> list[str]:
    """That rows which leave a column blank are no item of a ranking."""
    if plan.ask is None or plan.ask.form != "top" or all(row[0] not in {None, ""} for row in result.rows):
        return []
    return [say("answer.blank_ranked", lang, field=plan.ask.groups[0].ref.name)]


async def _named(job: Job, plan: Plan, result: Result) -> list[str]:
    """Whom the codes of a ranking name, where another sheet says so: "KH0001: Trần Thu Chi"."""
    codes = [str(row[0]) for row in result.rows[:FEW_NAMES]]
    if plan.names is None or not codes:
        return []
    sheet, code, name = plan.names
    stages = [{"$match": {code: {"$in": codes}}}, {"$project": {"_id": 0, code: 1, name: 1}}]
    call = ToolCall(
        "execute_aggregation", {"connection_name": sheet, "pipeline": stages, "description": name}
    )
    found = (await call_tool(service_of(job.turn), call, "call_names", DEADLINE_SECONDS, job.lang)).result
    known = {str(row[0]): row[1] for row in found.rows if row[1]} if found else {}
    said = "; ".join(f"{each}: {known[each]}" for each in codes if each in known)
    return [say("answer.names", job.lang, name=name, names=said)] if said else []


async def _read_otherwise(job: Job, plan: Plan, findings: Sequence[ComputedResult]) -> list[str]:
    """What the question is answered with where it is meant in the other way that it can be read, if that differs."""
    if plan.also is None:
        return []
    service, first = service_of(job.turn), len(findings) + 1
    records = [
        await run_tool(job.turn, service, call, number) for number, call in enumerate(plan.also_calls, first)
    ]
    other = replace(plan, ask=plan.also)
    found = _as_asked(other, findings_of(records, job.sheets))
    same = [each.result.rows for each in found] == [each.result.rows for each in findings]
    same = same and [each.result.value for each in found] == [each.result.value for each in findings]
    if not found or same:
        return []
    ask = plan.ask or plan.also
    narrower, wider = (len(each.conditions) + bool(each.period) for each in (plan.also, ask))
    key = "within" if narrower > wider else "otherwise"
    rows = any(each.ref is None for each in plan.also.measures)
    key = key if plan.also.measures == ask.measures else "counted" if rows else "figured"
    return [say(f"answer.{key}", job.lang, answer=_told(found, asked_by(other, job.asked, found)))]


def asked_by(plan: Plan, asked: AnswerContext, findings: Sequence[ComputedResult] = ()) -> AnswerContext:
    """The question with what its plan knows: how to name the answer, and the days a query's arguments do not show."""
    rows = len(findings[0].result.rows) if len(findings) == 1 else 0
    ask = plan.ask
    days = [(each.start, each.end) if each else None for each in ((ask.period, ask.versus) if ask else ())]
    span, versus = days or (None, None)
    each = [one for measure in ask.measures for one in alone(ask, measure)] if ask is not None else []
    changes = ask is not None and ask.growth and bool(ask.order or ask.turn)
    named = [_named_query(plan, one, asked.lang) for one in each] if len(each) == len(plan.calls) else []
    own = zip(plan.calls, named, strict=False)
    piped = len(each) > 1 and "execute_aggregation"
    headings = tuple((call, name) for call, name in own if changes or call.tool == piped)
    heading = _named_query(plan, ask, asked.lang, rows)
    told = {"heading": heading, "headings": headings, "columns": ask.columns if ask else ()}
    return replace(asked, span=span, versus=versus, **told)  # type: ignore[arg-type]


def _named_query(plan: Plan, ask: DataQuery | None, lang: Lang, rows: int = 0) -> str:
    """What a query of a plan is called; of two periods its sentence names the days."""
    if ask is not None and ask.form == "compare" and not ask.groups:
        ask = replace(ask, form=ask.worked or "groups", period=None, versus=None)
    return title(replace(plan, ask=ask), lang, rows)


def _explain(job: Job, plan: Plan, run: AgentRun | None) -> None:
    """Say in the trace, and on a model's failure to the reader, who answers and why."""
    if run is None:
        if plan.question is not None:
            job.note("step.asked_back", "rules")
        else:
            job.note("step.planned", "rules", tools=", ".join(call.tool for call in plan.calls) or "-")
        return
    more = {"reason": run.error.key} if run.error else {}
    reason = say(f"stopped.{run.stopped or 'no_calls'}", job.lang, **more)
    job.note("step.agent_stopped", "rules", reason=reason)
    _tell_why(job, run)


def _tell_why(job: Job, run: AgentRun) -> None:
    """One line for the reader on why a model's words are not the answer."""
    remedy = ""
    errors = [record.error for record in run.records if record.error]
    if run.error is not None:
        shown = run.error.render(job.lang)
        detail, remedy = shown.line(), shown.remedy
    elif errors and not run.found:
        detail = say("why.errors", job.lang, reason=errors[-1])
    else:
        detail = say(f"why.{run.stopped or 'no_calls'}", job.lang)
    message = say("fallback.message", job.lang, detail=detail)
    job.turn.emit(Notice("warning", say("fallback.title", job.lang), message, remedy))


def _missing(job: Job, plan: Plan, before: list[ToolRecord], run: AgentRun | None) -> DataAnswer:
    """Nothing could be made of the question: what was not found, and what there is."""
    errors = [record.error for record in before if record.error]
    if run is not None and run.stopped == "retries" and errors:
        text = say("answer.failed", job.lang, count=len(errors), reason=errors[-1])
        return DataAnswer(text, before, error=errors[-1])
    missing = ", ".join(plan.missing)
    key = "answer.missing" if missing else "answer.not_understood"
    said = [say(key, job.lang, **({"missing": missing} if missing else {}))]
    known = [sheet for sheet in job.sheets if sheet.name == plan.sheet] or list(job.sheets[:3])
    for sheet in known:
        names = ", ".join(name_text(each.name) for each in sheet.fields[:FIELDS_SHOWN])
        said.append(say("answer.fields", job.lang, sheet=name_text(sheet.name), fields=names))
    return DataAnswer("\n".join([*said, *filter(None, [job.standing])]), before)


async def _typed(job: Job) -> DataAnswer:
    """A pipeline that the person typed."""
    job.note("step.by_hand", "rules")
    last = str(job.turn.conversation_metadata.get(LAST_SHEET, ""))
    typed = read_typed(job.asked.text, job.sheets, last, job.lang)
    if typed.call is None:
        return DataAnswer(typed.problem, error=typed.problem)
    record = await run_tool(job.turn, service_of(job.turn), typed.call, 1)
    if record.result is None:
        text = say("pipeline.refused", job.lang, error=record.error or "")
        return DataAnswer(text, [record], error=record.error)
    findings = findings_of([record], job.sheets)
    _remember(job.turn, findings)
    return DataAnswer(_told(findings, job.asked), [record], findings)


def findings_of(records: Sequence[ToolRecord], sheets: tuple[Sheet, ...]) -> list[ComputedResult]:
    """The records that hold a result, each with its sheet."""
    found = []
    for record in records:
        if record.result is not None:
            call = ToolCall(record.tool_name, record.arguments)
            sheet = sheet_of(call, sheets)
            found.append(ComputedResult(call, as_told(call, record.result, sheet), sheet, record.run))
    return found


def values_read(findings: Sequence[ComputedResult], lang: Lang) -> list[str]:
    """What a filter's values were taken for, where the sheet spells them otherwise or does not have them."""
    said = []
    for run in (each.run for each in findings if each.run is not None):
        for key, found in (("matched", run.matched), ("nearest", run.nearest)):
            for name, value, near in found:
                if near:
                    said.append(say(f"answer.{key}", lang, field=name, value=value, near=", ".join(near)))
    return said


def _told(findings: Sequence[ComputedResult], asked: AnswerContext) -> str:
    return render_answers([(each.call, each.result, each.sheet) for each in findings], asked)


def _remember(turn: TurnContext, findings: Sequence[ComputedResult]) -> None:
    if findings and findings[-1].sheet is not None:
        turn.conversation_metadata[LAST_SHEET] = findings[-1].sheet.name


# --- the form of an answer: figures checked and written the documents' way, then table, chart and computation


async def checked(
    turn: TurnContext, told: DataAnswer, sheets: tuple[Sheet, ...], asked: AnswerContext, step: Step
) -> str:
    """The model's words where every figure in them is in a result, else its second try, else the template (001-27 on)."""
    known, lang = _with_shown(_ground_of(told.findings, sheets, asked), turn), turn.language
    wrong = strangers(told.text, known)
    figures = ", ".join(wrong[:5])
    kept = grounded_part(told.text, known) if wrong else told.text
    if _tells_result(kept, told.findings, known, lang):
        if wrong:
            step.note(say("step.prose_cut", lang, figures=figures), "model")
            message = say("refused.cut", lang, figures=figures)
            turn.emit(Notice("info", say("refused.title", lang), message))
        else:
            step.note(say("step.prose_kept", lang, count=count_figures(kept)), "model")
        return kept
    if not wrong:
        step.note(say("step.prose_empty", lang), "rules")
        return _told(told.findings, asked)
    again = await _second_try(turn, told, asked, figures)
    kept = grounded_part(again, known)
    if _tells_result(kept, told.findings, known, lang) and not is_foreign(kept, lang, known.texts):
        step.note(say("step.prose_second", lang, figures=figures), "model")
        return kept
    step.note(say("step.prose_refused", lang, figures=figures), "rules")
    message = say("refused.message", lang, figures=figures)
    turn.emit(Notice("warning", say("refused.title", lang), message))
    return _told(told.findings, asked)


def _tells_result(text: str, findings: Sequence[ComputedResult], known: Ground, lang: Lang) -> bool:
    """Whether a model's words say a figure of the results, or name a cell of their rows."""
    if tells(text, replace(known, said=frozenset())):
        return True
    return any(
        _names(text, shown)
        for each in findings
        for row in each.result.rows[:FOCUS_ROWS] or ((each.result.value,),)
        for cell, column in zip(row, each.result.columns or ("",), strict=False)
        if isinstance(cell, (str, date)) and (shown := cell_text(cell, column, "", lang)).strip()
    )


async def _second_try(turn: TurnContext, told: DataAnswer, asked: AnswerContext, wrong: str) -> str:
    """The refused draft goes back once, with the reason and the results; "" when no model answers."""
    found = ((ToolRecord(e.call.tool, "", e.call.arguments, e.result), e.sheet) for e in told.findings)
    results = "\n".join(str(result_message(*each, asked)["content"]) for each in found)
    given = {"question": asked.text, "results": results, "draft": told.text, "wrong": wrong}
    messages = prompts().messages("response_formatter", turn.language, **given)
    said = ""
    try:
        async with aclosing(turn.model.stream("response_formatter", messages)) as pieces:
            async for piece in pieces:
                said += piece
    except ModelError:
        return ""
    return said.strip()


def with_notes(text: str, told: DataAnswer, asked: AnswerContext) -> str:
    """`text` with the days that were meant, unfinished periods and other remarks it does not have yet."""
    lines = [line for each in told.findings for line in notes(each.call, each.result, asked, each.sheet)]
    lines = [line for line in lines if not (told.prose and says_days(text, line))] + [*told.remarks]
    missing = [line for line in dict.fromkeys(lines) if line and line not in text]
    return "\n\n".join(part for part in (text, "\n".join(missing)) if part)


def _undrawn(told: DataAnswer, asked: AnswerContext) -> DataAnswer:
    """The answer that says so where a chart was asked for and none can be drawn, with what one figure can be split by."""
    results = [(each.call, each.result, each.sheet) for each in told.findings]
    empty = all(is_empty(result) for _, result, _ in results)
    if not told.chart or empty or any(chart_of(*each, asked, told.chart) for each in results):
        return told
    sheet = told.findings[-1].sheet
    splits = splits_of(sheet, told.plan, asked.lang) if sheet else ()
    one = all(len(result.rows) < 2 for _, result, _ in results)
    said = say("answer.no_chart_of_one" if one else "answer.no_chart", asked.lang)
    if one and splits:
        by = "; ".join(f"“{each.text}”" for each in splits)
        said = f"{said} {say('answer.chart_splits', asked.lang, splits=by)}"
    return replace(told, remarks=(*told.remarks, said), splits=splits if one else ())


def show_cards(turn: TurnContext, told: DataAnswer, asked: AnswerContext) -> None:
    """Table, chart and computation of each result, then what to ask next."""
    for each in told.findings:
        table = table_of(each.call, each.result, each.sheet, asked)
        if table is not None:
            turn.emit(table)
        chart = chart_of(each.call, each.result, each.sheet, asked, told.chart)
        if chart is not None:
            turn.emit(chart)
    shown: list[Computation] = []
    for each in told.findings:
        record = ToolRecord(each.call.tool, "", each.call.arguments, each.result, run=each.run)
        shown += computations(record, each.sheet, asked)
    if shown:  # one for an answer: what ran behind the first query stands with what that does
        more = [line for each in shown[1:] for line in (*each.explained, each.code)]
        facts = dict.fromkeys(fact for each in shown for fact in each.facts)
        first = replace(shown[0], facts=tuple(facts), explained=(*shown[0].explained, *more))
        turn.emit(first)
    if told.options:
        turn.emit(Suggestions(told.options))
    elif told.findings and (sheet := told.findings[-1].sheet) is not None:
        offer(turn, told.splits or suggest_questions(sheet, told.plan, turn.language))


def _ground_of(
    findings: Iterable[ComputedResult],
    sheets: tuple[Sheet, ...],
    asked: AnswerContext,
    spans: Sequence[tuple[date, date]] = (),
) -> Ground:
    found = list(findings)
    periods = [*spans, *((each.start, each.end) for each in asked.periods)]
    days: list[date] = [asked.today, *(day for each in sheets for day in each.span or ())]
    for each in found:
        periods += [(start, end) for start, end in periods_of(each.call, asked) if start and end]
        days += (limits := days_of(each.call.arguments))
        periods += [(min(limits), max(limits))] if limits else []
        cells = [cell for row in each.result.rows for cell in row] + [each.result.value]
        days += [day for cell in cells if isinstance(cell, (date, str)) and (day := day_of(cell))]
        periods += [span for cell in cells if isinstance(cell, str) and (span := period_of_key(cell))]
        if each.sheet and each.sheet.span:
            last = each.sheet.span[1]
            periods += [(start, last) for start, end in periods if start <= last < end]
    return ground(asked.text, [(each.call, each.result) for each in found], sheets, Days.of(days, periods))


GraphState = Mapping[str, Any]
EARLIER, SURE = 6, 0.8


async def intent_classifier(_state: GraphState, turn: TurnContext, step: Step) -> GraphState:
    """Load the sheets and the whole conversation, then decide between the three intents (001-06, 001-37)."""
    sheets = await asyncio.to_thread(sheets_of, turn)
    messages = await asyncio.to_thread(full_history, turn)
    known = {"sheets": sheets, "messages": messages, "user_connections": connections_json(sheets)}
    question = turn.text
    previous = await asyncio.to_thread(previous_plan, turn)
    option = chosen_option(turn, previous)
    question = option or question
    understood = None
    if not is_typed(question):
        understood = await asyncio.to_thread(understand, turn, question, sheets, previous)
    if option or understood is None:
        step.note(say("step.intent", turn.language, intent="data_query", reason="-"), "rules")
        intent = "data_query"
    else:
        intent = await _classify(turn, question, classify(understood, messages[:-1]), step)
    if intent != "unclear":
        turn.conversation_metadata[UNCLEAR] = 0
    return {**known, "question": question, "understood": understood, "intent": intent}


async def _classify(turn: TurnContext, question: str, hint: Intent, step: Step) -> str:
    """Exactly one of the three values: the rules' where they are sure, else the model's; "unclear" where it fails (001-45).

    What has words of figures goes to the data agent, whose model asks back where it is not clear: no call of its own.
    """
    if hint.score >= SURE or hint.label == "data_query" or turn.model.reason_unavailable is not None:
        note = say("step.intent", turn.language, intent=hint.label, reason=f"{hint.score:.2f}, {hint.reason}")
        step.note(note, "rules")
        return hint.label
    given = {"earlier": last_turns(turn, SAID_TOKENS), "message": question, **who_and_when(turn)}
    asked = prompts().messages("intent_classifier", turn.language, **given)
    found = await turn.model.decide(
        "intent_classifier", Classification, asked, lambda: Classification(intent="unclear")
    )
    note = say("step.intent", turn.language, intent=found.value.intent, reason=found.reason or "-")
    step.note(note, found.source)
    return found.value.intent


def route_by_intent(state: GraphState) -> str:
    """The value the edges are chosen by; whatever is none of the three is unclear (001-37, 001-45)."""
    intent = state.get("intent")
    return intent if intent in {"chat", "data_query"} else "unclear"


async def chat_node(state: GraphState, turn: TurnContext, step: Step) -> GraphState:
    """Small talk, what the assistant can do, and how to ask (001-28, 001-29)."""
    text, spoken = await talk.chat(turn, state["messages"], state["sheets"], step)
    return {"agent_response": text, "spoken": spoken}


async def data_agent_node(state: GraphState, turn: TurnContext, step: Step) -> GraphState:
    """Figures, by the model's tool calls or the rules' plan (001-09 to 001-26)."""
    asked = AnswerContext.of(state["question"], turn.language, turn.now)
    understood: QuestionAnalysis | None = state["understood"]
    held = standing(understood.previous, turn.language) if understood else ""
    job = Job(turn, state["sheets"], asked, step, held)
    told = await answer(job, state["understood"])
    return told.state()


async def clarify_node(state: GraphState, turn: TurnContext, step: Step) -> GraphState:
    """One question back, with examples from the person's own sheets."""
    text = await asyncio.to_thread(talk.clarify, turn, state["sheets"])
    understood: QuestionAnalysis | None = state["understood"]
    previous = understood.previous if understood else None
    text = "\n".join(filter(None, [text, standing(previous, turn.language)]))
    if previous is not None and previous.ask is not None:  # what is next goes on past this message
        missing = understood.plan.missing if understood and understood.alters else ()
        unread = replace(previous, text=turn.text, calls=(), question=None, options=())
        keep_plan(turn, replace(unread, missing=missing, before=None))
    turn.answered = False
    step.note(say("step.intent", turn.language, intent="unclear", reason="-"), "rules")
    return {"agent_response": text, "spoken": False}


async def response_formatter(state: GraphState, turn: TurnContext, step: Step) -> GraphState:
    """The answer as it is shown (001-30 to 001-36); where all three ways meet (001-01)."""
    told = state.get("answered")  # by the data agent
    if told is None or not told.findings:
        text = state["agent_response"] if state.get("spoken") else None
        if text is None:
            step.note(say("step.passed", turn.language), "rules")
            text = house_numbers(state["agent_response"], turn.language)  # C1
            turn.say(text)
        else:
            step.note(say("step.passed", turn.language))
        _offer(state, turn, told)
        return {"final_response": text}
    asked = AnswerContext.of(state["question"], turn.language, turn.now)
    if told.prose:
        text = await checked(turn, told, state["sheets"], asked, step)
        text = house_numbers(text, turn.language)
    else:
        text = told.text
        step.note(say("step.template", turn.language), "rules")
    if told.plan is not None and not told.prose:
        asked = asked_by(told.plan, asked, told.findings)
    told = _undrawn(told, asked)
    text = with_notes(text, told, asked)
    turn.say(text)
    show_cards(turn, told, asked)
    show_focus(turn, told)
    return {"final_response": text, "result": result_json(told.findings[-1].result)}


def _offer(state: GraphState, turn: TurnContext, told: DataAnswer | None) -> None:
    """What to ask next where nothing was computed: the options of a question, else first questions."""
    if told is not None:
        if told.options:
            turn.emit(Suggestions(told.options))
        return
    if state["sheets"]:
        offer(turn, first_suggestions(state["sheets"], turn.language))


# --- what the model returns when it classifies


class Classification(BaseModel):
    """What a message wants: exactly one of the three values (001-06, 001-37)."""

    intent: Literal["data_query", "chat", "unclear"]


# --- before the first question


def warm() -> None:
    """Load what the first answer would wait for, on a thread, when the assistant is shown."""
    sqlglot.parse_one("select 1", read="duckdb").sql(dialect="duckdb")
    for text in ("xin chào", "tổng doanh thu tháng này là bao nhiêu?"):
        classify(analyse_question(text, (), system_clock()))
