"""The actions of the app that have to do with the shell it was started from; the app is one of these."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.app import App

from troly.text.catalogue import tr
from troly.tui.keymap import keymap_of

if TYPE_CHECKING:
    from troly.tui.controller import Controller


class ShellActions(App[int]):
    """Go to the shell for a while: answers stop being written until `fg`, nothing is lost."""

    controller: Controller

    def repaint_when_back(self) -> None:
        """Paint everything once the shell gives the terminal back: it painted over it, or forgot it."""
        self.app_resume_signal.subscribe(self, lambda _app: self.refresh())
        before = getattr(self._driver, "_sigcont_application", None)
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGCONT, lambda *_: self._back(before))

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


def job_control() -> bool:
    """Whether a shell put this program in a group of its own, and so can take it up again."""
    return hasattr(os, "getsid") and os.getpgrp() != os.getsid(0)
