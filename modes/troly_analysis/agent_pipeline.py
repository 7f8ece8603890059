"""Pipelines that a person types after `/pipeline`: read, given a sheet, and run under the same guard as a model's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from troly.text.catalogue import Lang
from troly_analysis.answer_how import RERUN
from troly_analysis.service_fields import same_name
from troly_analysis.strings import say
from troly_analysis.types import Sheet, ToolCall

COMMAND = RERUN.strip()


@dataclass(frozen=True, slots=True)
class Typed:
    """A typed pipeline as a call, or the sentence that says what is wrong with it."""

    call: ToolCall | None = None
    problem: str = ""


def is_typed(text: str) -> bool:
    """Whether a message is a pipeline to be run rather than a question."""
    head = text.lstrip()[: len(COMMAND) + 1].lower()
    return head.startswith(COMMAND) and (len(head) == len(COMMAND) or head[-1].isspace() or head[-1] in "[{")


def read_typed(text: str, sheets: Sequence[Sheet], last: str, lang: Lang) -> Typed:
    """`/pipeline {"sheet": …, "pipeline": […]}`, or `/pipeline NAME […]`, or `/pipeline […]` on the sheet used last."""
    body = text.strip()[len(COMMAND) :].strip()
    at = min((place for mark in "[{" if (place := body.find(mark)) >= 0), default=len(body))
    name, code = body[:at].strip(), body[at:]
    try:
        value: Any = json.loads(code)
    except json.JSONDecodeError as error:
        lines = code[: error.pos].count("\n") + 1
        return Typed(problem=say("pipeline.bad_json", lang, line=lines, column=error.colno, detail=error.msg))
    except RecursionError:
        return Typed(problem=say("pipeline.bad_shape", lang))
    if isinstance(value, dict) and "pipeline" in value:
        name = str(value.get("sheet") or value.get("connection_name") or name)
        value = value["pipeline"]
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        return Typed(problem=say("pipeline.bad_shape", lang))
    sheet = _sheet(name, sheets, last)
    if sheet is None and not name:
        names = ", ".join(each.name for each in sheets)
        return Typed(problem=say("pipeline.which", lang, names=names))
    target = sheet.name if sheet else name
    return Typed(
        ToolCall("execute_aggregation", {"connection_name": target, "pipeline": value, "description": ""})
    )


def _sheet(name: str, sheets: Sequence[Sheet], last: str) -> Sheet | None:
    if name:
        return same_name(name, sheets)
    if len(sheets) == 1:
        return sheets[0]
    return same_name(last, sheets) if last else None
