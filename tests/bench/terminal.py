"""A program in a terminal of our own for benchmarks: what is on its screen and since when, what it costs.

A thread stamps every piece as it leaves the terminal; the screen is worked out afterwards, so that a slow emulator
does not show up in the times.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pyte

PATIENCE = 60.0
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
# The emulator knows no private sequences with other marks than "?".
PRIVATE = re.compile(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]|\x1b\[\?[0-9;]*\$p")
PARTIAL = re.compile(rb"\x1b(?:\[[0-9;?<>=]*\$?)?$")


class Terminal:
    """`args` are given to this Python; times are seconds of `time.monotonic`."""

    def __init__(
        self, args: Sequence[str], env: Mapping[str, str], *, columns: int = 120, rows: int = 40
    ) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._pieces: deque[tuple[float, bytes]] = deque()
        self._rest = b""
        self._ended = False
        self.began = time.monotonic()
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.execve(sys.executable, [sys.executable, *args], dict(env))
        self.resize(columns, rows)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def text(self) -> str:
        """The screen."""
        return "\n".join(self._screen.display)

    def until(self, seen: Callable[[str], bool], seconds: float = PATIENCE) -> float:
        """When the screen satisfied `seen` for the first time. Raises TimeoutError."""
        end = time.monotonic() + seconds
        if seen(self.text):
            return time.monotonic()
        while time.monotonic() < end:
            if not self._pieces:
                time.sleep(0.0005)
                continue
            stamp = self._feed()
            if seen(self.text):
                return stamp
        raise TimeoutError(self.text)

    def rest(self, seconds: float) -> None:
        """Let the program work while the screen is read."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self._pieces:
                self._feed()
            else:
                time.sleep(0.002)

    def resize(self, columns: int, rows: int) -> None:
        """Another size; the program is told by the kernel."""
        self._screen.resize(rows, columns)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text: str) -> float:
        """Send keys; returns when."""
        sent = time.monotonic()
        os.write(self._fd, text.encode())
        return sent

    def cpu(self) -> float:
        """CPU seconds that the program and its threads used so far."""
        fields = self._stat()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self) -> float:
        """Resident memory in MB."""
        return int(self._stat()[21]) * PAGE / 2**20

    def ended(self, seconds: float) -> bool:
        """Whether the program ends by itself within `seconds`; `close` is called all the same."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            # The program stays to be waited for.
            if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return True
            self.rest(0.05)
        return False

    def close(self) -> None:
        """End the program."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        self._ended = True
        self._reader.join(2)
        os.close(self._fd)

    def _stat(self) -> list[str]:
        stat = Path(f"/proc/{self.pid}/stat").read_text("ascii", errors="replace")
        return stat.rpartition(")")[2].split()

    def _feed(self) -> float:
        stamp, data = self._pieces.popleft()
        data = self._rest + data
        cut = PARTIAL.search(data)
        data, self._rest = (data[: cut.start()], data[cut.start() :]) if cut else (data, b"")
        self._stream.feed(PRIVATE.sub(b"", data))
        return stamp

    def _read(self) -> None:
        while not self._ended:
            if not select.select([self._fd], [], [], 0.1)[0]:
                continue
            try:
                data = os.read(self._fd, 65536)
            except OSError:
                return
            if not data:
                return
            self._pieces.append((time.monotonic(), data))
