"""`app eval`: how often an assistant does what its cases expect, in stores of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from troly.cli.commands import known_modes
from troly.cli.invocation import Invocation

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
    from troly.cli.evaluating import EvalOptions, run_evaluation, share_of

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
