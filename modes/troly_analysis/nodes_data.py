"""Answers a question about data: by the model's tool calls, else by the plan of the rules, else by asking back."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Notice, Source
from troly.text.catalogue import Lang
from troly_analysis.agent import RETRIES, AgentRun, run_agent
from troly_analysis.agent_calls import canonical
from troly_analysis.agent_pipeline import is_typed, read_typed
from troly_analysis.agent_tools import run_tool, sheet_of
from troly_analysis.agent_words import name_text
from troly_analysis.answer import tell
from troly_analysis.answer_data import record_json
from troly_analysis.answer_names import Asked, with_units
from troly_analysis.figures import ground, strangers
from troly_analysis.figures_dates import Days
from troly_analysis.nodes_memory import keep_plan, service_of
from troly_analysis.nodes_values import value_lookup
from troly_analysis.strings import say
from troly_analysis.types import Result, Run, Sheet, ToolCall, ToolRecord

if TYPE_CHECKING:
    from troly_analysis.planner import Plan

SHEET_COMMAND = "app ingest sheet FILE"
LAST_SHEET = "analysis_sheet"
FIELDS_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Finding:
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
    asked: Asked
    step: Step

    @property
    def lang(self) -> Lang:
        """The language of the answer."""
        return self.turn.language

    def note(self, key: str, source: Source, **params: object) -> None:
        """What the trace says of this step."""
        self.step.note(say(key, self.lang, **params), source)


@dataclass(slots=True)
class Answered:
    """What the data agent hands to the formatter: `prose` is True where a model wrote the `text`."""

    text: str
    records: Sequence[ToolRecord] = ()
    findings: list[Finding] = field(default_factory=list)
    prose: bool = False
    remarks: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    chart: str | None = None
    plan: Plan | None = None
    error: str | None = None

    def state(self) -> dict[str, Any]:
        """The part of the graph's state that the data agent fills."""
        return {
            "agent_response": self.text,
            "tool_calls": [record_json(record) for record in self.records],
            "error": self.error,
            "answered": self,
        }


async def answer(job: Job, previous: Plan | None) -> Answered:
    """The answer to a question from the user's own sheets (001-45 when there are none)."""
    turn, sheets, asked = job.turn, job.sheets, job.asked
    if not sheets:
        job.note("step.no_sheets", "rules")
        return Answered(say("answer.no_sheets", job.lang, command=SHEET_COMMAND))
    if is_typed(asked.text):
        return await _typed(job)
    plan = await asyncio.to_thread(_plan, job, previous)
    keep_plan(turn, plan)
    if turn.model.reason_unavailable is not None:
        return await _by_plan(job, plan, None)
    run = await run_agent(turn, service_of(turn), sheets, asked, plan.calls)
    return _by_model(job, plan, run) or await _by_plan(job, plan, run)


def _plan(job: Job, previous: Plan | None) -> Plan:
    from troly_analysis import planner

    look = value_lookup(job.turn.services, job.turn.profile.login)
    return planner.plan(job.asked.text, job.sheets, job.turn.now, previous, look)


def _by_model(job: Job, plan: Plan, run: AgentRun) -> Answered | None:
    """What the model found and said; None when the rules are to answer in its place."""
    called = {"count": len(run.records), "tools": ", ".join(record.tool_name for record in run.records)}
    findings = findings_of(run.found, job.sheets)
    if run.stopped == "no_calls" and run.prose and not plan.calls and plan.question is None:
        known = ground(job.asked.text, [], job.sheets, Days.of([job.asked.today]))
        if not strangers(run.prose, known):
            job.note("step.agent", "model", **called)
            return Answered(run.prose, run.records)
    failed = run.stopped in {"model", "no_calls"} or not findings
    if failed or (run.stopped == "retries" and plan.calls):
        return None
    job.note("step.agent", "model", **called)
    _remember(job.turn, findings)
    if run.stopped or not run.prose:
        return Answered(_told(findings, job.asked), run.records, findings, chart=plan.chart)
    return Answered(run.prose, run.records, findings, prose=True, chart=plan.chart)


async def _by_plan(job: Job, plan: Plan, run: AgentRun | None) -> Answered:
    """Run the calls of the plan, or ask back, or say what is missing; tools run by the model stay in the record."""
    before = list(run.records) if run else []
    _explain(job, plan, run)
    if plan.question is not None:
        options = [f"{number}. {option}" for number, option in enumerate(plan.options, 1)]
        return Answered("\n".join([plan.question.say(job.lang), *options]), before, options=plan.options)
    if not plan.calls:
        return _missing(job, plan, before, run)
    service = service_of(job.turn)
    calls = {canonical(call): call for call in plan.calls}.values()
    numbered = enumerate(calls, len(before) + 1)
    records = [await run_tool(job.turn, service, call, number) for number, call in numbered]
    findings = findings_of(records, job.sheets)
    if not findings:
        reason = records[-1].error or ""
        text = say("answer.failed", job.lang, count=len(records), reason=reason)
        return Answered(text, [*before, *records], error=reason)
    _remember(job.turn, findings)
    remarks = [note.say(job.lang) for note in plan.shown] + values_read(findings, job.lang)
    if plan.missing:
        remarks.insert(0, say("answer.ignored", job.lang, missing=", ".join(plan.missing)))
    told = _told(findings, asked_by(plan, job.asked))
    return Answered(told, [*before, *records], findings, remarks=tuple(remarks), chart=plan.chart, plan=plan)


def asked_by(plan: Plan, asked: Asked) -> Asked:
    """The question with what its plan knows: how to name the answer, and the days a query's arguments do not show."""
    from troly_analysis.planner import title

    period = plan.ask.period if plan.ask else None
    span = (period.start, period.end) if period else None
    return dataclasses.replace(asked, heading=title(plan, asked.lang), span=span)


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
    if run.error is not None:
        shown = run.error.render(job.lang)
        message = say("fallback.message", job.lang, detail=shown.line())
        job.turn.emit(Notice("warning", say("fallback.title", job.lang), message, shown.remedy))


def _missing(job: Job, plan: Plan, before: list[ToolRecord], run: AgentRun | None) -> Answered:
    """Nothing could be made of the question: what was not found, and what there is."""
    errors = [record.error for record in before if record.error]
    if run is not None and run.stopped == "retries" and errors:
        text = say("answer.failed", job.lang, count=RETRIES, reason=errors[-1])
        return Answered(text, before, error=errors[-1])
    missing = ", ".join(plan.missing)
    said = [
        say("answer.missing", job.lang, missing=missing)
        if missing
        else say("answer.not_understood", job.lang)
    ]
    known = [sheet for sheet in job.sheets if sheet.name == plan.sheet] or list(job.sheets[:3])
    for sheet in known:
        names = ", ".join(name_text(each.name) for each in sheet.fields[:FIELDS_SHOWN])
        said.append(say("answer.fields", job.lang, sheet=name_text(sheet.name), fields=names))
    return Answered("\n".join(said), before)


async def _typed(job: Job) -> Answered:
    """A pipeline that the person typed."""
    job.note("step.by_hand", "rules")
    last = str(job.turn.conversation_metadata.get(LAST_SHEET, ""))
    typed = read_typed(job.asked.text, job.sheets, last, job.lang)
    if typed.call is None:
        return Answered(typed.problem, error=typed.problem)
    record = await run_tool(job.turn, service_of(job.turn), typed.call, 1)
    if record.result is None:
        text = say("pipeline.refused", job.lang, error=record.error or "")
        return Answered(text, [record], error=record.error)
    findings = findings_of([record], job.sheets)
    _remember(job.turn, findings)
    return Answered(_told(findings, job.asked), [record], findings)


def findings_of(records: Sequence[ToolRecord], sheets: tuple[Sheet, ...]) -> list[Finding]:
    """The records that hold a result, each with its sheet."""
    found = []
    for record in records:
        if record.result is not None:
            call = ToolCall(record.tool_name, record.arguments)
            sheet = sheet_of(call, sheets)
            found.append(Finding(call, with_units(record.result, sheet), sheet, record.run))
    return found


def values_read(findings: Sequence[Finding], lang: Lang) -> list[str]:
    """What a filter's values were taken for, where the sheet spells them otherwise or does not have them."""
    said = []
    for run in (each.run for each in findings if each.run is not None):
        for key, found in (("matched", run.matched), ("nearest", run.nearest)):
            for name, value, near in found:
                if near:
                    said.append(say(f"answer.{key}", lang, field=name, value=value, near=", ".join(near)))
    return said


def _told(findings: Sequence[Finding], asked: Asked) -> str:
    return "\n\n".join(dict.fromkeys(tell(each.call, each.result, each.sheet, asked) for each in findings))


def _remember(turn: TurnContext, findings: Sequence[Finding]) -> None:
    if findings and findings[-1].sheet is not None:
        turn.conversation_metadata[LAST_SHEET] = findings[-1].sheet.name


def answered_in(state: Mapping[str, Any]) -> Answered | None:
    """What the data agent left in the state; None when another node answered."""
    found = state.get("answered")
    return found if isinstance(found, Answered) else None
