"""The last word on an answer: figures checked and written the documents' way, then table, chart and computation."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import aclosing
from datetime import date

from troly.errors import ModelError
from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Notice, Suggestions
from troly.text.dates import find_ranges
from troly_analysis.agent_words import result_message
from troly_analysis.answer import notes, periods_of, tell
from troly_analysis.answer_cards import chart_of, table_of
from troly_analysis.answer_how import computations
from troly_analysis.answer_names import Asked, day_of
from troly_analysis.answer_numbers import house_numbers
from troly_analysis.figures import Ground, count_figures, ground, strangers
from troly_analysis.figures_dates import Days
from troly_analysis.nodes_data import Answered, Finding
from troly_analysis.strings import prompts, say
from troly_analysis.suggest import next_questions
from troly_analysis.types import Sheet, ToolRecord


async def checked(
    turn: TurnContext, told: Answered, sheets: tuple[Sheet, ...], asked: Asked, step: Step
) -> str:
    """The model's words where every figure in them is in a result, else its second try, else the template (001-27 on)."""
    known = _ground(told.findings, sheets, asked)
    wrong = strangers(told.text, known)
    if not wrong:
        count = count_figures(told.text)
        step.note(say("step.prose_kept", turn.language, count=count), "model")
        return told.text
    figures = ", ".join(wrong[:5])
    again = await _second_try(turn, told, asked)
    if again and not strangers(again, known):
        step.note(say("step.prose_second", turn.language, figures=figures), "model")
        return again
    step.note(say("step.prose_refused", turn.language, figures=figures), "rules")
    keys = [say("refused.title", turn.language), say("refused.message", turn.language, figures=figures)]
    turn.emit(Notice("info", *keys))
    return "\n\n".join(tell(each.call, each.result, each.sheet, asked) for each in told.findings)


async def _second_try(turn: TurnContext, told: Answered, asked: Asked) -> str:
    """The formatter's prompt on the results alone; "" when no model answers."""
    results = "\n".join(
        str(
            result_message(
                ToolRecord(each.call.tool, "", each.call.arguments, each.result), each.sheet, asked
            )["content"]
        )
        for each in told.findings
    )
    messages = prompts().messages("response_formatter", turn.language, question=asked.text, results=results)
    said = ""
    try:
        async with aclosing(turn.model.stream("response_formatter", messages)) as pieces:
            async for piece in pieces:
                said += piece
    except ModelError:
        return ""
    return said.strip()


def with_notes(text: str, told: Answered, asked: Asked) -> str:
    """`text` with the days that were meant, unfinished periods and other remarks it does not have yet."""
    lines = [line for each in told.findings for line in notes(each.call, each.result, asked)]
    lines += told.remarks
    missing = [line for line in dict.fromkeys(lines) if line and line not in text]
    return "\n\n".join(part for part in (text, "\n".join(missing)) if part)


def show_cards(turn: TurnContext, told: Answered, asked: Asked) -> None:
    """Table, chart and computation of each result, then what to ask next."""
    for each in told.findings:
        table = table_of(each.call, each.result, each.sheet, asked)
        if table is not None:
            turn.emit(table)
        chart = chart_of(each.call, each.result, each.sheet, asked, told.chart)
        if chart is not None:
            turn.emit(chart)
    for each in told.findings:
        record = ToolRecord(each.call.tool, "", each.call.arguments, each.result, run=each.run)
        for shown in computations(record, each.sheet, asked):
            turn.emit(shown)
    if told.options:
        turn.emit(Suggestions(told.options))
    elif told.findings and (sheet := told.findings[-1].sheet) is not None:
        questions = next_questions(sheet, told.plan, turn.language)
        if questions:
            turn.emit(Suggestions(questions))


def plain_words(text: str, turn: TurnContext, step: Step) -> str:
    """Chat and questions back pass through, only their numbers are put into form (C1)."""
    step.note(say("step.passed", turn.language), "rules")
    return house_numbers(text, turn.language)


def _ground(findings: Iterable[Finding], sheets: tuple[Sheet, ...], asked: Asked) -> Ground:
    found = list(findings)
    periods: list[tuple[date, date]] = [
        (each.start, each.end) for each in find_ranges(asked.text, asked.today)
    ]
    days: list[date] = [asked.today]
    for each in found:
        for start, end in periods_of(each.call):
            days += [day for day in (start, end) if day]
            periods += [(start, end)] if start and end else []
        cells = [cell for row in each.result.rows for cell in row] + [each.result.value]
        days += [day for cell in cells if isinstance(cell, (date, str)) and (day := day_of(cell))]
        if each.sheet and each.sheet.span:
            days += each.sheet.span
    return ground(asked.text, [(each.call, each.result) for each in found], sheets, Days.of(days, periods))
