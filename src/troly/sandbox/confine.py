"""Limits that the operating system holds for the worker, as far as this system has them."""

from __future__ import annotations

import sys
from pathlib import Path

# Seconds above a query's own deadline; the app has killed the worker long before.
_CPU_SPARE = 5


def begin() -> None:
    """No core files, no writing of files: from the start, also while the relations are built."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def close_up(memory: int) -> dict[str, object]:
    """Limit the address space to what is in use now plus `memory` bytes, and open nothing from now on.

    Returns the fields of `Limits`: what this system really holds. Windows has none of them; macOS takes the address
    limit and ignores it, so it is not claimed there.
    """
    if sys.platform == "win32":
        return {"address_space": 0, "cpu": False, "files": False}
    import resource

    held = 0
    used = _address_space()
    if used:
        resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))
        held = memory
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    return {"address_space": held, "cpu": True, "files": True}


def allow_cpu(seconds: float) -> None:
    """Let the process use `seconds` of processor time from now on, and a little more."""
    if sys.platform == "win32":
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime + seconds) + _CPU_SPARE
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def _address_space() -> int:
    """Bytes of address space in use; 0 where the system does not say (all but Linux)."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return 0
    import resource

    return pages * resource.getpagesize()
