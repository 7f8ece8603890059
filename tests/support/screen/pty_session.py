"""A program on a terminal of its own, as a test drives it: keys in, what was painted out, sizes, signals, the end."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

PATIENCE = 30.0
_SEQUENCE = re.compile(r"\x1b(?:\[[0-9;?<>=]*[$ ]?[a-zA-Z]|\][^\x07]*\x07|[=>()][0-9A-B]?)")


class PtySession:
    """`args` run as the leader of a session of their own; `painted` is the text since the last `clear`."""

    def __init__(
        self, args: Sequence[str], env: Mapping[str, str], *, columns: int = 80, rows: int = 24
    ) -> None:
        self.pid, self._master = pty.fork()
        if self.pid == 0:
            os.execvpe(args[0], list(args), {**os.environ, **env})
        self.raw = b""
        self._code: int | None = None
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        """Another size; the program is told by the kernel."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text: str | bytes) -> None:
        """Press keys."""
        os.write(self._master, text.encode() if isinstance(text, str) else text)

    def clear(self) -> None:
        """Forget what was painted so far."""
        self.raw = b""

    @property
    def painted(self) -> str:
        """What was painted, without colours and moves of the cursor."""
        return _SEQUENCE.sub("", self.raw.decode("utf-8", "replace"))

    def until(self, wanted: str | bytes, seconds: float = PATIENCE) -> None:
        """Read until `wanted` was painted (bytes: was sent). Raises AssertionError with what was there instead."""
        end = time.monotonic() + seconds
        while wanted not in (self.raw if isinstance(wanted, bytes) else self.painted):  # type: ignore[operator]
            assert time.monotonic() < end, self.painted[-2000:]
            assert self.read() or self._code is None, self.painted[-2000:]

    def read(self) -> bool:
        """Take what is there; False when nobody can write any more."""
        if not select.select([self._master], [], [], 0.1)[0]:
            return True
        with suppress(OSError):
            data = os.read(self._master, 65536)
            self.raw += data
            return bool(data)
        return False

    @property
    def cooked(self) -> bool:
        """Whether the terminal edits lines and echoes again, as a shell wants it."""
        flags = termios.tcgetattr(self._master)[3]
        return bool(flags & termios.ICANON and flags & termios.ECHO)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        os.kill(self.pid, number)

    def hang_up(self) -> None:
        """Close the terminal as a window that is closed does."""
        os.close(self._master)
        self._master = -1

    def code(self, seconds: float = PATIENCE) -> int:
        """The exit code of the program, once it has ended."""
        end = time.monotonic() + seconds
        while self._code is None:
            assert time.monotonic() < end, "the program does not end"
            if self._master >= 0:
                self.read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code

    def end(self) -> None:
        """End the program, whatever it does."""
        if self._code is None:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(self.pid, 0)
        if self._master >= 0:
            os.close(self._master)
