"""Whether a terminal can be trusted to take what is copied; what it may not take is written to a file as well."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from textual.app import App
from textual.drivers._writer_thread import WriterThread

from troly.text.catalogue import tr
from troly.tui.keymap import keymap_of

if TYPE_CHECKING:
    from troly.tui.chat.controller import Controller


# Terminals and tmux drop longer ones; the limit is on the encoded text, four characters for three bytes.
LONGEST = 74_000


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


# The actions of the app that have to do with the shell it was started from; the app is one of these.


# So often, twenty times a second, the writer of a terminal that is gone is looked after.
REVIVALS = 100


class ShellActions(App[int]):
    """Go to the shell for a while: answers stop being written until `fg`, nothing is lost."""

    controller: Controller
    _hung_up = False

    def repaint_when_back(self) -> None:
        """Paint everything once the shell gives the terminal back: it painted over it, or forgot it."""
        self.app_resume_signal.subscribe(self, lambda _app: self.refresh())
        before = getattr(self._driver, "_sigcont_application", None)
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGCONT, lambda *_: self._back(before))

    def leave_when_hung_up(self, loop: asyncio.AbstractEventLoop) -> None:
        """End in order when the terminal is closed, with exit code 129.

        The framework's writer dies of its first write to a terminal that is gone, and its queue is bounded: whoever
        writes next would wait for ever. So its files become the empty device first, and a writer is there again.
        """
        number = signal.SIGHUP

        def gone(*_: object) -> None:
            if not terminal_there():
                self._write_nowhere()
            if not self._hung_up:
                # A terminal that closes sends the signal more than once: two writers would take each other's end.
                self._hung_up = True
                threading.Thread(target=self._keep_writer, name="troly-hang-up", daemon=True).start()
            loop.call_soon_threadsafe(self.exit, 128 + number)

        signal.signal(number, gone)

    def _write_nowhere(self) -> None:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nowhere, number)

    def _keep_writer(self) -> None:
        pause = threading.Event()
        for _ in range(REVIVALS):
            driver = self._driver
            writer = getattr(driver, "_writer_thread", None)
            if isinstance(writer, WriterThread) and not writer.is_alive() and not pause.wait(0.05):
                again = WriterThread(writer._file)  # noqa: SLF001 (there is no other way to give it its queue)
                again._queue = writer._queue  # noqa: SLF001
                driver._writer_thread = again  # type: ignore[union-attr] # noqa: SLF001
                again.start()
            pause.wait(0.05)

    def _back(self, resume: Callable[[], None]) -> None:
        """Take the terminal up again.

        Whoever was stopped from outside (`kill -STOP`) had no chance to put it in order before: the framework would
        begin to read it a second time, and at the end leave it as the shell does not want it.
        """
        driver = self._driver
        reader = getattr(driver, "_key_thread", None)
        if driver is not None and reader is not None and reader.is_alive():
            driver.suspend_application_mode()
            self.call_later(self.refresh)
        resume()

    def action_suspend(self) -> None:
        """Ctrl+Z: stop like any other program of a shell; without a shell behind it, say so."""
        if not job_control():
            self.notify(
                tr("ui.trouble.no_shell", self.controller.language, key=keymap_of(self).press("quit")),
                markup=False,
                timeout=4,
            )
            return
        self._suspend_signal()
        # The whole group as the terminal itself would: whoever waits for us (`uv run`) gives way to the shell too.
        os.kill(0, signal.SIGTSTP)


def terminal_there() -> bool:
    """Whether the terminal still answers; the signal may also come from a person."""
    import termios

    try:
        termios.tcgetattr(0)
    except (termios.error, OSError):
        return False
    return True


def job_control() -> bool:
    """Whether a shell put this program in a group of its own, and so can take it up again."""
    return hasattr(os, "getsid") and os.getpgrp() != os.getsid(0)
