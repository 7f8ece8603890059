"""What the screen knows of its terminal: whether it takes a copy, whether it is still there, and a shell behind it."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import threading
from collections.abc import Callable, Mapping

# Terminals and tmux drop longer ones; the limit is on the encoded text, four characters for three bytes.
LONGEST = 74_000
# How long the app may take to end in order after its terminal is gone (seconds).
HANG_UP_PATIENCE = 4.0


def may_be_refused(text: str, env: Mapping[str, str]) -> bool:
    """Whether the terminal that `env` tells of may not put `text` on the clipboard (OSC 52).

    Known: the console of Linux and Apple's Terminal never do, terminals on VTE and GNU screen do not, tmux does only
    when it was told to; long texts are dropped by most.
    """
    if len(text.encode("utf-8", "replace")) * 4 // 3 > LONGEST:
        return True
    term, program = env.get("TERM", ""), env.get("TERM_PROGRAM", "")
    known = program in ("Apple_Terminal", "tmux") or "TMUX" in env or "VTE_VERSION" in env
    return known or term in ("", "dumb", "linux") or term.startswith("screen")


def has_braille() -> bool:
    """Whether the terminal shows Braille: the console of Linux and other encodings do not."""
    env = os.environ
    language = env.get("LC_ALL") or env.get("LC_CTYPE") or env.get("LANG") or "UTF-8"
    return env.get("TERM") != "linux" and "utf" in language.lower()


def has_colours(env: Mapping[str, str]) -> bool:
    """Whether the terminal that `env` tells of shows colours: a "dumb" one and the old ones of DEC do not."""
    term = env.get("TERM", "")
    return term not in ("dumb", "unknown") and not re.fullmatch(r"vt\d+|.*-m(ono)?", term)


def is_there() -> bool:
    """Whether the terminal still answers."""
    import termios

    try:
        termios.tcgetattr(0)
    except (termios.error, OSError):
        return False
    return True


def has_job_control() -> bool:
    """Whether a shell put this program in a group of its own, and so can take it up again."""
    return hasattr(os, "getsid") and os.getpgrp() != os.getsid(0)


def on_hang_up(
    loop: asyncio.AbstractEventLoop, leave: Callable[[int], None], save: Callable[[], object]
) -> None:
    """Let `leave` end the app, with exit code 129, when the terminal is closed; the signal may also come from a person.

    The framework's writer dies of its first write to a terminal that is gone, and its queue is bounded: whoever writes
    next waits for ever. So the terminal's files become the empty device, and where the end does not come all the
    same, `save` is called on a thread of its own before the process ends.
    """
    code = 128 + signal.SIGHUP
    told = threading.Event()

    def end_anyway() -> None:
        threading.Event().wait(HANG_UP_PATIENCE)
        save()
        os._exit(code)

    def gone(*_: object) -> None:
        if not told.is_set() and not is_there():
            nowhere = os.open(os.devnull, os.O_RDWR)
            for number in (0, 1, 2):
                os.dup2(nowhere, number)
            threading.Thread(target=end_anyway, name="troly-hang-up", daemon=True).start()
        told.set()
        loop.call_soon_threadsafe(leave, code)

    signal.signal(signal.SIGHUP, gone)
