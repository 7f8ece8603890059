"""`app eval`: how often an assistant does what its cases expect, in stores of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from troly.cli.command import Now, known_modes
from troly.cli.failures import UsageError
from troly.cli.invocation import Invocation, parse_moment
from troly.cli.output import data, data_json, data_table, note, one_line, progress
from troly.errors import InputError
from troly.presentation.text import content_text, grid
from troly.text.sanitize import sanitize_json

if TYPE_CHECKING:
    from troly.conversation.evaluation import Accuracy, Case, CaseResult, EvaluationReport, JudgedTurn
    from troly.conversation.verdicts import Verdict
    from troly.plugin.registry import Registry


Mode = Annotated[
    str | None,
    typer.Argument(metavar="[MODE]", help="eval.mode", show_default=False, autocompletion=known_modes),
]
File = Annotated[
    list[Path] | None, typer.Option("--file", "-f", metavar="FILE", help="eval.file", show_default=False)
]
Failures = Annotated[Path | None, typer.Option("--failures", metavar="FILE", help="eval.failures")]
Least = Annotated[str | None, typer.Option("--min", metavar="SHARE", help="eval.min")]
Model = Annotated[bool, typer.Option("--model", help="eval.model")]
AsJson = Annotated[bool, typer.Option("--json", help="eval.json")]


def evaluate(
    ctx: typer.Context,
    mode: Mode = None,
    *,
    file: File = None,
    as_json: AsJson = False,
    failures: Failures = None,
    least: Least = None,
    model: Model = False,
    now: Now = None,
) -> None:
    """See `cli.eval.help`.

    Without a mode the lines of the files name it; `now` is the clock of lines without one. The exit code is 1 when
    `least` is missed, 3 when a line of a file is bad.
    """
    from troly.plugin.registry import Registry

    invocation: Invocation = ctx.obj
    share = share_of(least) if least is not None else None
    clock = parse_moment(now) if now is not None else None
    registry = Registry()
    if mode is not None:
        registry.get(mode)
    by_mode, bad = _read_cases(invocation, mode, file or ())
    reports = [
        _report(invocation, registry, name, cases, offline=not model, now=clock)
        for name, cases in by_mode.items()
    ]
    if failures is not None:
        _write_failures(invocation, failures, reports)
    if as_json:
        for report in reports:
            data_json(_as_json(report, offline=not model))
    else:
        _print_reports(invocation, reports, offline=not model, misses=failures is None)
    missed = [name for report in reports for name in report.missed(share)] if share is not None else []
    if share is not None and missed:
        note(invocation.say("eval.missed", fields=", ".join(missed), least=_percent(share)))
        raise typer.Exit(MISSED)
    if bad:
        raise typer.Exit(InputError.exit_code)


MISSED = 1
VERDICTS: tuple[Verdict, ...] = ("right", "honest", "wrong")
# Characters of a wrong answer that are printed; the file of failures has all of them.
ANSWER_CHARS = 1_200


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


def _read_cases(
    invocation: Invocation, mode: str | None, files: Sequence[Path]
) -> tuple[dict[str, list[Case]], bool]:
    """The cases by their mode, and whether a line was bad. Raises InputError, UsageError where there is no case to run."""
    from troly.conversation.evaluation import read_case_file, shipped_cases

    if not files and mode is None:
        raise UsageError("eval.nothing")
    paths: Sequence[Path | None] = files or [shipped_cases(mode or "")]
    by_mode: dict[str, list[Case]] = {}
    bad = False
    for path in paths:
        if path is None:
            raise InputError("eval.none", mode=mode)
        found = read_case_file(path)
        for problem in found.problems:
            bad = True
            text = problem.error.render(invocation.lang)
            note(invocation.say("eval.bad_line", line=problem.line, problem=f"{text.message} {text.remedy}"))
        for case in found.cases:
            if mode is None or case.mode in ("", mode):
                by_mode.setdefault(case.mode or mode or "", []).append(case)
    if not by_mode:
        raise InputError("eval.empty", file=", ".join(map(str, files)) or mode)
    if "" in by_mode:
        raise UsageError("eval.which", id=by_mode[""][0].id)
    return by_mode, bad


def _report(
    invocation: Invocation,
    registry: Registry,
    mode: str,
    cases: list[Case],
    *,
    offline: bool,
    now: datetime | None,
) -> EvaluationReport:
    from troly.conversation.evaluation import evaluate, practice_session

    with (
        practice_session(invocation.settings, invocation.paths, registry, registry.get(mode)) as session,
        progress(mode) as update,
        asyncio.Runner() as runner,
    ):
        unit = invocation.say("eval.unit")
        try:
            return runner.run(
                evaluate(
                    session,
                    mode,
                    cases,
                    offline=offline,
                    now=now,
                    render=lambda content, brief: content_text(content, invocation.lang, brief=brief),
                    progress=lambda done, total: update(done, total, unit),
                )
            )
        finally:
            runner.run(session.services.llm.aclose())


def _write_failures(invocation: Invocation, file: Path, reports: list[EvaluationReport]) -> None:
    from troly.conversation.export import write_export

    failures = [
        failure
        for report in reports
        for failure in (*map(_failure, report.failures), *map(_judged, _of(report, "wrong", "honest")))
    ]
    lines = (json.dumps(sanitize_json(one), ensure_ascii=False, default=str) + "\n" for one in failures)
    write_export(file, "".join(lines), "jsonl", replace=True)
    note(invocation.say("eval.written", count=len(failures), file=file))


def _print_reports(
    invocation: Invocation, reports: list[EvaluationReport], *, offline: bool, misses: bool
) -> None:
    for report in reports:
        if report.fields:
            _print_table(invocation, report)
    if any(report.turns for report in reports):
        data(invocation.say("eval.without_model" if offline else "eval.with_model"))
        _print_verdicts(invocation, reports)
    for report in reports if misses else ():
        if report.failures:
            data()
            rows = [
                [result.case.id, one_line(result.case.text, 100), miss.field]
                + [one_line(value, 60) for value in (miss.expected, miss.got)]
                for result in report.failures
                for miss in result.misses
            ]
            data_table(invocation.say, "eval.column", ("id", "text", "field", "expected", "got"), rows)
        for turn in _of(report, "wrong"):
            data()
            data(_wrong_answer(invocation, turn))


def _of(report: EvaluationReport, *verdicts: str) -> list[JudgedTurn]:
    return [turn for turn in report.turns if turn.judgement.verdict in verdicts]


def _print_verdicts(invocation: Invocation, reports: list[EvaluationReport]) -> None:
    """A row for all answers of an assistant, one for the plain ones and one a form: right, honest, wrong."""
    say = invocation.say
    rows = []
    for report in reports:
        groups = [
            (say("eval.all"), report.turns),
            (say("eval.plain"), report.plain),
            *report.by_form().items(),
        ]
        for name, turns in groups:
            counts = report.verdicts(turns)
            judged = counts.total() - counts["unjudged"]
            cells = [_share(counts[one], judged) for one in VERDICTS]
            rows.append([report.mode, name, *cells, str(counts["unjudged"])])
    names = ("mode", "form", *VERDICTS, "unjudged")
    data_table(say, "eval.column", names, rows, numeric=range(2, len(names)))


def _wrong_answer(invocation: Invocation, turn: JudgedTurn) -> str:
    """A wrong answer as lines: its case, what was said up to it, why it is wrong, and what it says."""
    say, judgement = invocation.say, turn.judgement
    why = [say("eval.occurred", text=one) for one in judgement.occurred]
    why += [say("eval.lacking", text=" | ".join(one)) for one in judgement.missing]
    why += [judgement.failed] if judgement.failed else []
    heads = [f"{turn.case.id} #{turn.index + 1} ({'; '.join(why)})"]
    heads += [f"> {text}" for text in turn.case.turns[: turn.index + 1]]
    answer = (
        judgement.answer if len(judgement.answer) <= ANSWER_CHARS else judgement.answer[:ANSWER_CHARS] + "…"
    )
    return "\n".join([*heads, *(f"  {line}" for line in answer.splitlines())])


def _print_table(invocation: Invocation, report: EvaluationReport) -> None:
    """A row for all cases and one a form; a column a field and one for whole cases; share and counts in each cell."""
    say = invocation.say
    forms: list[str | None] = [None, *(report.forms if len(report.forms) > 1 else ())]
    columns = [say("eval.column.form"), *report.fields, say("eval.column.cases")]
    rows = []
    for form in forms:
        counts = [report.count(name, form) for name in (*report.fields, None)]
        rows.append([form or say("eval.all"), *(_share(count.right, count.total) for count in counts)])
    data(grid(columns, rows, numeric=range(1, len(columns))))


def _share(count: int, total: int) -> str:
    return f"{_percent(count / total)} {count}/{total}" if total else "-"


def _percent(share: float) -> str:
    """Rounded down, so that 100 % is said only of all."""
    return f"{int(share * 1000 + 1e-9) / 10:.1f}%"


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


def _judged(turn: JudgedTurn) -> dict[str, Any]:
    judgement = turn.judgement
    return {
        "id": turn.case.id,
        "turn": turn.index + 1,
        "verdict": judgement.verdict,
        "turns": list(turn.case.turns[: turn.index + 1]),
        "plain": turn.expected.plain,
        "form": list(turn.case.forms),
        "missing": [list(one) for one in judgement.missing],
        "occurred": list(judgement.occurred),
        "failed": judgement.failed,
        "answer": judgement.answer,
        "note": turn.expected.note,
    }


def _as_json(report: EvaluationReport, *, offline: bool) -> dict[str, Any]:
    def counts(form: str | None) -> dict[str, Any]:
        return {name: _count(report.count(name, form)) for name in report.fields}

    found: dict[str, Any] = {
        "mode": report.mode,
        "cases": _count(report.count()),
        "fields": counts(None),
        "forms": {form: counts(form) for form in report.forms},
        "failures": [_failure(result) for result in report.failures],
    }
    if report.turns:
        found["model"] = not offline
        found["verdicts"] = {
            "all": _verdicts(report, report.turns),
            "plain": _verdicts(report, report.plain),
            "forms": {form: _verdicts(report, turns) for form, turns in report.by_form().items()},
        }
        found["wrong"] = [_judged(turn) for turn in _of(report, "wrong")]
    return found


def _verdicts(report: EvaluationReport, turns: list[JudgedTurn]) -> dict[str, int]:
    counts = report.verdicts(turns)
    return {name: counts[name] for name in (*VERDICTS, "unjudged")}


def _count(count: Accuracy) -> dict[str, Any]:
    return {"right": count.right, "total": count.total, "accuracy": round(count.share, 4)}
