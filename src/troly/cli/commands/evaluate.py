"""`app eval`: how often an assistant does what its cases expect, in stores of its own."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from troly.cli.command import known_modes
from troly.cli.failures import UsageError
from troly.cli.invocation import Invocation
from troly.cli.output import data, data_json, note, progress
from troly.errors import InputError
from troly.presentation.text import grid
from troly.text.sanitize import sanitize_json

if TYPE_CHECKING:
    from troly.conversation.evaluation import Accuracy, Case, CaseFile, CaseResult, EvaluationReport


Mode = Annotated[
    str, typer.Argument(metavar="MODE", help="eval.mode", show_default=False, autocompletion=known_modes)
]
File = Annotated[Path | None, typer.Option("--file", "-f", metavar="FILE", help="eval.file")]
Failures = Annotated[Path | None, typer.Option("--failures", metavar="FILE", help="eval.failures")]
Least = Annotated[str | None, typer.Option("--min", metavar="SHARE", help="eval.min")]
Model = Annotated[bool, typer.Option("--model", help="eval.model")]
Json = Annotated[bool, typer.Option("--json", help="eval.json")]


def evaluate(
    ctx: typer.Context,
    mode: Mode,
    *,
    file: File = None,
    as_json: Json = False,
    failures: Failures = None,
    least: Least = None,
    model: Model = False,
) -> None:
    """See `cli.eval.help`."""
    # REFACTOR: emptied import

    invocation: Invocation = ctx.obj
    asked = EvalOptions(
        mode=mode,
        file=file,
        as_json=as_json,
        failures=failures,
        least=share_of(least) if least is not None else None,
        offline=not model,
    )
    raise typer.Exit(run_evaluation(invocation, asked))


MISSED = 1


@dataclass(frozen=True, slots=True)
class EvalOptions:
    """What the options of `eval` say; `least` is a share, 0 to 1."""

    mode: str
    file: Path | None
    as_json: bool
    failures: Path | None
    least: float | None
    offline: bool


def share_of(value: str) -> float:
    """The share that `--min` names: 0.92, 92 or 92%. Raises UsageError."""
    try:
        share = float(value.strip().removesuffix("%").replace(",", "."))
    except ValueError as error:
        raise UsageError("eval.least", value=value) from error
    share = share if share <= 1 and not value.strip().endswith("%") else share / 100
    if not 0 <= share <= 1:
        raise UsageError("eval.least", value=value)
    return share


def run_evaluation(invocation: Invocation, asked: EvalOptions) -> int:
    """Judge the cases and tell; returns the exit code: 1 when `least` is missed, 3 when a line of the file is bad.

    Raises InputError when there is no case to run, ConfigError for a mode that cannot be used.
    """
    from troly.plugin.registry import Registry

    registry = Registry()
    registry.get(asked.mode)
    found = _cases(asked)
    for problem in found.problems:
        text = problem.error.render(invocation.lang)
        note(invocation.say("eval.bad_line", line=problem.line, problem=f"{text.message} {text.remedy}"))
    if not found.cases:
        raise InputError("eval.empty", file=asked.file or asked.mode)
    report = _report(invocation, registry, asked, found.cases)
    _print_report(invocation, asked, report)
    if asked.least is not None and (names := report.missed(asked.least)):
        note(invocation.say("eval.missed", fields=", ".join(names), least=_percent(asked.least)))
        return MISSED
    return InputError.exit_code if found.problems else 0


def _cases(asked: EvalOptions) -> CaseFile:
    from troly.conversation.evaluation import read_case_file, shipped_cases

    file = asked.file or shipped_cases(asked.mode)
    if file is None:
        raise InputError("eval.none", mode=asked.mode)
    return read_case_file(file)


def _report(invocation: Invocation, registry: Any, asked: EvalOptions, cases: list[Case]) -> EvaluationReport:
    from troly.conversation.evaluation import evaluate, practice_session

    mode = registry.get(asked.mode)
    with (
        practice_session(invocation.settings, invocation.paths, registry, mode) as session,
        progress(asked.mode) as update,
        asyncio.Runner() as runner,
    ):
        unit = invocation.say("eval.unit")
        try:
            return runner.run(
                evaluate(
                    session,
                    asked.mode,
                    cases,
                    offline=asked.offline,
                    progress=lambda done, total: update(done, total, unit),
                )
            )
        finally:
            runner.run(session.services.llm.aclose())


def _print_report(invocation: Invocation, asked: EvalOptions, report: EvaluationReport) -> None:
    failures = [_failure(result) for result in report.failures]
    if asked.failures is not None:
        from troly.conversation.export import write_export

        lines = "".join(
            json.dumps(sanitize_json(one), ensure_ascii=False, default=str) + "\n" for one in failures
        )
        write_export(asked.failures, lines, "jsonl", replace=True)
        note(invocation.say("eval.written", count=len(failures), file=asked.failures))
    if asked.as_json:
        data_json(_as_json(report, failures))
        return
    data(_table(invocation, report))
    if failures and asked.failures is None:
        data()
        data(_listed(invocation, report.failures))


def _table(invocation: Invocation, report: EvaluationReport) -> str:
    """A row for all cases and one a form; a column a field and one for whole cases; share and counts in each cell."""
    say = invocation.say
    forms: list[str | None] = [None, *(report.forms if len(report.forms) > 1 else ())]
    columns = [say("eval.column.form"), *report.fields, say("eval.column.cases")]
    names: list[str | None] = [*report.fields, None]
    rows = [[form or say("eval.all"), *(_cell(report.count(name, form)) for name in names)] for form in forms]
    return grid(columns, rows, numeric=range(1, len(columns)))


def _cell(count: Accuracy) -> str:
    return f"{_percent(count.share)} {count.right}/{count.total}" if count.total else "-"


def _percent(share: float) -> str:
    """Rounded down, so that 100 % is said only of all."""
    return f"{int(share * 1000 + 1e-9) / 10:.1f}%"


def _listed(invocation: Invocation, failures: list[CaseResult]) -> str:
    say = invocation.say
    columns = [say(f"eval.column.{name}") for name in ("id", "text", "field", "expected", "got")]
    rows = [
        [result.case.id, _short(result.case.text), miss.field, _value(miss.expected), _value(miss.got)]
        for result in failures
        for miss in result.misses
    ]
    return grid(columns, rows)


def _short(text: str, most: int = 100) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _value(value: Any) -> str:
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return _short(shown, 60)


def _failure(result: CaseResult) -> dict[str, Any]:
    return {
        "id": result.case.id,
        "text": result.case.text,
        "turns": list(result.case.turns),
        "form": result.case.form,
        "failed": result.failed,
        "misses": [
            {"field": miss.field, "expected": miss.expected, "got": miss.got} for miss in result.misses
        ],
    }


def _as_json(report: EvaluationReport, failures: list[dict[str, Any]]) -> dict[str, Any]:
    def counts(form: str | None) -> dict[str, Any]:
        return {name: _count(report.count(name, form)) for name in report.fields}

    return {
        "mode": report.mode,
        "cases": _count(report.count()),
        "fields": counts(None),
        "forms": {form: counts(form) for form in report.forms},
        "failures": failures,
    }


def _count(count: Accuracy) -> dict[str, Any]:
    return {"right": count.right, "total": count.total, "accuracy": round(count.share, 4)}
