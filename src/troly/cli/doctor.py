"""`app doctor`: looks at everything that Troly stands on; each line is ok, a warning or a failure with its remedy."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from troly.cli.invocation import Invocation
from troly.cli.output import Look, data, data_json, note, paint
from troly.presentation.text import GAP, cells

if TYPE_CHECKING:
    from troly.cli.findings import Finding, Level

LOOKS: dict[Level, Look] = {"ok": "good", "warning": "warn", "failure": "bad"}


def doctor(
    ctx: typer.Context, as_json: Annotated[bool, typer.Option("--json", help="common.json")] = False
) -> None:
    """See `cli.doctor.help`."""
    from troly.cli.checks import all_checks

    invocation: Invocation = ctx.obj
    found: list[Finding] = []
    for finding in _told(all_checks(invocation), found):
        if not as_json:
            _show(invocation, finding)
    failed = any(finding.level == "failure" for finding in found)
    if as_json:
        checks = [{"level": f.level, "name": f.name, "message": f.message, "remedy": f.remedy} for f in found]
        data_json({"ok": not failed, "checks": checks})
    else:
        counts = {level: sum(finding.level == level for finding in found) for level in LOOKS}
        note(invocation.say("doctor.summary", **counts))
    raise typer.Exit(int(failed))


def _told(findings: Iterator[Finding], into: list[Finding]) -> Iterator[Finding]:
    for finding in findings:
        into.append(finding)
        yield finding


def _show(invocation: Invocation, finding: Finding) -> None:
    words = {level: invocation.say(f"doctor.level.{level}") for level in LOOKS}
    width = max(cells(word) for word in words.values())
    word = words[finding.level]
    mark = paint(word, LOOKS[finding.level]) + " " * (width - cells(word))
    data(f"{mark}{GAP}{paint(finding.name, 'quiet')}: {_one_line(finding.message)}", painted=True)
    if finding.remedy:
        data(f"{' ' * (width + len(GAP))}→ {_one_line(finding.remedy)}")
    sys.stdout.flush()


def _one_line(text: str) -> str:
    from troly.text.sanitize import sanitize

    return sanitize(text, keep_newlines=False)
