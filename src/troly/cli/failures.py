"""The one place where a failure becomes a sentence on stderr and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from troly.cli.output import note, paint
from troly.errors import ErrorText, TrolyError
from troly.text.sanitize import sanitize

if TYPE_CHECKING:
    from troly.cli.invocation import Invocation


STOPPED, PIPE_CLOSED, UNEXPECTED, USAGE = 130, 141, 70, 2
KEPT_LOGS = 20


class UsageError(TrolyError):
    """The command line itself cannot be understood."""

    exit_code = USAGE


class PipeClosed(Exception):  # noqa: N818 (not an error: the reader of stdout has seen enough)
    """Nobody reads stdout any more."""


def report(error: BaseException, invocation: Invocation) -> int:
    """Say what `error` means on stderr and return the exit code."""
    kind = type(error).__name__
    match error:
        case SystemExit():
            return error.code if isinstance(error.code, int) else int(error.code is not None)
        case PipeClosed() | BrokenPipeError():
            # stdout goes somewhere, so that the interpreter's last flush says nothing.
            with suppress(OSError, ValueError):  # not a real file, as under a test
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return PIPE_CLOSED
        case TrolyError():
            say_error(error.render(invocation.lang))
            return error.exit_code
        case _ if isinstance(error, KeyboardInterrupt) or kind == "Abort":
            note(invocation.say("stopped"))
            return STOPPED
        case _ if hasattr(error, "format_message"):  # the usage errors of typer, whose classes are not public
            return _report_usage(error, invocation)
    return _report_unexpected(error, invocation)


def say_error(text: ErrorText) -> None:
    """One error as one line on stderr, its title standing out."""
    rest = " ".join(part for part in (text.message, text.remedy) if part)
    note(f"{paint(text.title + ':', 'bad', sys.stderr)} {sanitize(rest)}", painted=True)


def _report_usage(error: BaseException, invocation: Invocation) -> int:
    kind, ctx, param = type(error).__name__, getattr(error, "ctx", None), getattr(error, "param", None)
    if kind == "NoArgsIsHelpError":
        note(getattr(error, "message", ""), painted=True)
        return USAGE
    what = getattr(error, "param_hint", None) or (param.get_error_hint() if param else "")
    near = ", ".join(sorted(getattr(error, "possibilities", None) or ()))
    if kind == "NoSuchOption":
        key = "usage.option_near" if near else "usage.option"
    elif kind == "MissingParameter":
        key = "usage.missing"
    else:
        key = "usage.other" if param is None else "usage.value"
    fault = UsageError(
        key,
        command=ctx.command_path if ctx else invocation.program,
        option=getattr(error, "option_name", ""),
        near=near,
        what=what,
        reason=getattr(error, "message", ""),
    )
    say_error(fault.render(invocation.lang))
    return USAGE


def _report_unexpected(error: BaseException, invocation: Invocation) -> int:
    text = "".join(traceback.format_exception(error))
    log = _write_log(invocation.paths.cache / "logs", text)
    key = "unexpected.logged" if log else "unexpected.lost"
    say_error(TrolyError(key, kind=type(error).__name__, log=log or "").render(invocation.lang))
    return UNEXPECTED


def _write_log(folder: Path, text: str) -> Path | None:
    """Keep a traceback where the person can find it, and only the latest few; None where nothing can be written."""
    from datetime import UTC, datetime

    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for old in sorted(folder.glob("crash-*.log"))[: -(KEPT_LOGS - 1)]:
            old.unlink(missing_ok=True)
        path = folder / f"crash-{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid()}.log"
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError:
        return None
    return path


BYTES = 1_000_000


@contextmanager
def log_file(folder: Path) -> Iterator[None]:
    """Until the end of the block, warnings are written to `troly.log` in `folder`; where that fails they are dropped.

    The file is made when there is something to write; one that has grown large becomes `troly.log.1` first.
    """
    import logging

    class Quiet(logging.FileHandler):
        """A log that cannot be written is no reason to disturb anybody: stderr is for people."""

        def handle(self, record: logging.LogRecord) -> bool:
            with suppress(OSError):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                return super().handle(record)
            return False

        def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (logging's name)
            """Say nothing."""

    file = folder / "troly.log"
    with suppress(OSError):
        if file.stat().st_size > BYTES:
            file.replace(file.with_suffix(".log.1"))
    handler = Quiet(file, encoding="utf-8", delay=True)
    handler.setLevel(logging.WARNING)
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(name)s %(levelname)s %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
        handler.close()
