"""The entry of `app`, `troly` and `python -m troly`: opens the screen at once, or hands the command line to typer.

The one module that knows all faces.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, NoReturn

    from troly.cli.invocation import Invocation
    from troly.conversation.session import Session

STOPPED = 130


def console() -> NoReturn:
    """What the installed commands call: `main`, then the end of the process with its exit code."""
    # Modules and lists of words, a million objects that stay: looking through them for garbage is a fifth of a start.
    gc.set_threshold(50_000, 20, 50)
    leave(main())


def leave(code: int) -> NoReturn:
    """End the process with `code`, at once when a thread of ours is still at work.

    A thread that waits for the interpreter while it shuts down is ended inside native code, which aborts the process:
    a person who quits while the engines are still being imported would see a crash. What must be saved is saved by now.
    """
    import threading

    if threading.active_count() == 1:
        sys.exit(code)
    import logging
    from contextlib import suppress

    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # closed by whoever read it
            stream.flush()
    os._exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line (`sys.argv` without the program when None) and return its exit code."""
    try:
        return _main(argv)
    except KeyboardInterrupt:  # so early, or for the second time, that there is nothing to say
        return STOPPED


def _main(argv: Sequence[str] | None) -> int:
    # Imported here, where a Ctrl-C is caught.
    from troly.cli.invocation import Invocation, take_language
    from troly.cli.output import prepare_streams

    if argv is None and not sys.warnoptions:
        import warnings

        warnings.simplefilter("ignore")
    prepare_streams()
    invocation = Invocation(program_name(sys.argv[0]), os.environ, open_screen, run_server)
    try:
        args, given = take_language(sys.argv[1:] if argv is None else argv)
        invocation.speak(given)
        return _run(invocation, args)
    except BaseException as error:  # noqa: BLE001 (the one place where every failure becomes a sentence and a code)
        from troly.cli.failures import report

        return report(error, invocation)


def program_name(command: str) -> str:
    """The name the person typed: `app`, `troly`, or `python -m troly`."""
    from pathlib import Path

    name = Path(command).name.removesuffix(".exe").removesuffix(".py").removesuffix("-script")
    return name if name in {"app", "troly"} else "python -m troly"


def screen_mode(args: Sequence[str], env: Mapping[str, str], program: str) -> tuple[bool, str | None]:
    """Whether `args` ask for the screen alone, and for which mode; typer is not needed then.

    A shell that asks for completions runs the program without arguments, so its variable is looked at too.
    """
    if f"_{program}_COMPLETE".upper() in env:
        return False, None
    match list(args):
        case []:
            return True, None
        case ["--mode", mode]:
            return True, mode
        case [option] if option.startswith("--mode="):
            return True, option.removeprefix("--mode=")
    return False, None


def open_screen(invocation: Invocation, mode: str | None) -> int:
    """Open the terminal screen; raises UsageError when there is no terminal to paint on."""
    # Textual paints on stderr; a driver of another kind (`app serve --web`) paints elsewhere.
    if "TEXTUAL_DRIVER" not in os.environ and not (
        sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()
    ):
        from troly.cli.failures import UsageError

        raise UsageError("screen.no_terminal", app=invocation.program)
    from troly.cli.failures import log_file
    from troly.tui.app import run

    with log_file(invocation.paths.cache / "logs"):
        return run(paths=invocation.paths, mode=mode, language=invocation.given)


def run_server(session: Session, *, stdio: bool = False, **options: Any) -> None:
    """Serve over HTTP (see `troly.server.run.serve`), or as MCP tools to the program that started this one."""
    if stdio:
        from troly.server.mcp import serve_stdio

        serve_stdio(session)
    else:
        from troly.server.run import serve

        serve(session, **options)


def _run(invocation: Invocation, args: Sequence[str]) -> int:
    wanted, mode = screen_mode(args, invocation.env, invocation.program)
    if wanted:
        return open_screen(invocation, mode)
    from troly.cli.program import build

    command = build(invocation)
    code = command.main(args=list(args), prog_name=invocation.program, standalone_mode=False, obj=invocation)
    sys.stdout.flush()
    return code if isinstance(code, int) else 0


if __name__ == "__main__":
    console()
