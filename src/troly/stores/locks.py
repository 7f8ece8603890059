"""A lock between processes that the operating system releases by itself when its holder dies."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

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


class FileLock:
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

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
