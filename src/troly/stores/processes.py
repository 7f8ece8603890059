"""Whether the process that began something is still there, told apart from another that got its number later."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

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
