"""Whether the process that began something is still there, told apart from another that got its number later."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import Self

_DEAD_STATES = {"Z", "X", "x"}


def is_alive(pid: int, started: float) -> bool:
    """Whether process `pid` runs and is the one that began at `started` (as told by `process_start`).

    When the system does not say when a process began, one with that number counts as alive: nobody's running turn
    is taken away.
    """
    if pid <= 0:
        return False
    now = process_start(pid)
    if now is None:
        return False
    return now == started or 0.0 in (now, started)


def process_start(pid: int) -> float | None:
    """When process `pid` began, in seconds of a scale of the system's own; None when there is no such process.

    Comparable only with other values of the same machine. 0.0 means that it runs, its beginning is not known.
    """
    if sys.platform == "win32":
        return _windows_start(pid)
    proc = Path("/proc/self/stat")
    return _linux_start(pid) if proc.exists() else _posix_start(pid)


def _linux_start(pid: int) -> float | None:
    """Seconds since boot: unlike the time of day they do not move when the clock is set."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return None
    except OSError:
        return 0.0
    # The program's name, in brackets, may itself hold blanks and brackets.
    fields = stat[stat.rindex(b")") + 2 :].split()
    if fields[0].decode() in _DEAD_STATES:
        return None
    return int(fields[19]) / os.sysconf("SC_CLK_TCK")


def _posix_start(pid: int) -> float | None:
    """macOS and the BSDs have no /proc; `ps` tells the beginning to the second."""
    command = ["ps", "-o", "stat=,lstart=", "-p", str(pid)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=5, env={**os.environ, "LC_ALL": "C"}
        )
    except (OSError, subprocess.TimeoutExpired):
        return 0.0 if _exists(pid) else None
    state, _, began = done.stdout.strip().partition(" ")
    if not state or state[0] in _DEAD_STATES:
        return None
    try:
        return time.mktime(time.strptime(" ".join(began.split()), "%a %b %d %H:%M:%S %Y"))
    except ValueError:
        return 0.0


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _windows_start(pid: int) -> float | None:
    """From the kernel; `os.kill(pid, 0)` would end the process there."""
    if sys.platform != "win32":
        return None
    import ctypes
    from ctypes import wintypes

    query_limited, invalid_parameter, still_active = 0x1000, 87, 259
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    kernel.OpenProcess.restype = wintypes.HANDLE
    handle = kernel.OpenProcess(query_limited, False, pid)
    if not handle:
        return None if ctypes.get_last_error() == invalid_parameter else 0.0
    try:
        code = wintypes.DWORD()
        if (
            kernel.GetExitCodeProcess(wintypes.HANDLE(handle), ctypes.byref(code))
            and code.value != still_active
        ):
            return None
        times = [wintypes.FILETIME() for _ in range(4)]
        if not kernel.GetProcessTimes(wintypes.HANDLE(handle), *(ctypes.byref(moment) for moment in times)):
            return 0.0
        return ((times[0].dwHighDateTime << 32) + times[0].dwLowDateTime) / 1e7
    finally:
        kernel.CloseHandle(wintypes.HANDLE(handle))


# A lock between processes that the operating system releases by itself when its holder dies.


# The locked byte lies beyond the holder's note, because Windows denies reading a locked range.
_LOCKED_BYTE = 1 << 20
_POLL_SECONDS = 0.02

if sys.platform == "win32":
    import msvcrt

    def _try(handle: int) -> bool:
        os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class Lock(ABC):
    """An exclusive lock, held from `acquire` to `release` or to the death of its process or machine; a context ends it."""

    @abstractmethod
    def acquire(self, wait: float = 0.0, *, named: bool = False) -> bool:
        """Try for `wait` seconds; `named` tells others who holds it."""

    @abstractmethod
    def held(self) -> bool:
        """Whether it is still this process's: a connection to a server may have been lost meanwhile."""

    @abstractmethod
    def holder(self) -> str:
        """The last named holder; empty if there was none."""

    @abstractmethod
    def release(self) -> None:
        """Give the lock back."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class FileLock(Lock):
    """An exclusive lock on `path`, held from `acquire` to `release` or to the end of the process.

    The file stays: removing it would let two processes each lock a file of that name. `holder` in it is the pid of
    the last process that asked to be named.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None

    def acquire(self, wait: float = 0.0, *, named: bool = False) -> bool:
        """Try for `wait` seconds; `named` leaves this process's pid in the file. Raises OSError."""
        deadline = time.monotonic() + wait
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            while not _try(handle):
                if time.monotonic() >= deadline:
                    os.close(handle)
                    return False
                time.sleep(_POLL_SECONDS)
            if named:
                os.ftruncate(handle, 0)
                os.lseek(handle, 0, os.SEEK_SET)
                os.write(handle, str(os.getpid()).encode())
        except BaseException:
            os.close(handle)
            raise
        self._handle = handle
        return True

    def held(self) -> bool:
        return self._handle is not None

    def holder(self) -> str:
        """The pid written by the last named holder; empty if there was none."""
        try:
            return self.path.read_text(encoding="ascii", errors="replace")[:20].strip("\0 \n")
        except OSError:
            return ""

    def release(self) -> None:
        """Give the lock back; closing the handle does it on every system."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
