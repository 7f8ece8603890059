"""One worker process as the app sees it: started, asked one thing at a time, killed by its own number."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from troly.sandbox.protocol import read_frame, write_frame

# What a Python needs to start; the app's other variables are nobody's business in there.
_KEPT = (
    "PATH", "SYSTEMROOT", "TEMP", "TMP", "HOME", "USERPROFILE", "LD_LIBRARY_PATH", "PYTHONPATH",
    "VIRTUAL_ENV",
)  # fmt: skip
_REAP_SECONDS = 5.0


class WorkerDiedError(Exception):
    """The process ended while it owed an answer; `code` is its exit code, None when it is not known yet."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


class Worker:
    """A process that answers one frame for each frame; its answers are read by a thread of its own."""

    def __init__(self, command: Sequence[str]) -> None:
        # One arena: what other threads of the worker reserve would count against its address space.
        env = {name: os.environ[name] for name in _KEPT if name in os.environ}
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**env, "MALLOC_ARENA_MAX": "1", "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"},
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0) if sys.platform == "win32" else 0,
        )
        self._lock = threading.Lock()
        self._owed: Future[dict[str, Any]] | None = None
        self._ended = False
        self._reader = threading.Thread(target=self._read, name="sandbox-reader", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def alive(self) -> bool:
        """Whether it can still be asked."""
        # In this order: while the reader waits for the end, `poll` does not know of it.
        return self._process.poll() is None and not self._ended

    async def ask(self, message: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer to `message`. Raises TimeoutError after `seconds`, WorkerDiedError.

        After an exception, cancellation too, the worker must be killed: an answer may still be on its way.
        """
        import asyncio

        future: Future[dict[str, Any]] = Future()
        with self._lock:
            ended, self._owed = self._ended, future
        try:
            if ended:
                raise BrokenPipeError
            assert self._process.stdin is not None  # noqa: S101  opened as a pipe above
            write_frame(self._process.stdin, message)
        except (OSError, ValueError):
            # The code it ended with is known once its reader has waited for it.
            await asyncio.to_thread(self._reader.join, _REAP_SECONDS)
            raise WorkerDiedError(self._process.poll()) from None
        async with asyncio.timeout(seconds):
            return await asyncio.wrap_future(future)

    def kill(self) -> None:
        """End the process now; harmless when it is gone. Its reader lets the system forget it."""
        with suppress(OSError):
            self._process.kill()

    def wait(self) -> None:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_REAP_SECONDS)

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None  # noqa: S101  opened as a pipe above
        with stream:
            while (reply := read_frame(stream)) is not None:
                self._settle(reply)
        with self._lock:
            self._ended = True
        # Its output is closed: it has ended, or it talks nonsense and is of no use any more.
        self.kill()
        self.wait()
        with suppress(OSError, ValueError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._settle(None)

    def _settle(self, reply: dict[str, Any] | None) -> None:
        with self._lock:
            future, self._owed = self._owed, None
        if future is None or not future.set_running_or_notify_cancel():
            return
        if reply is None:
            future.set_exception(WorkerDiedError(self._process.poll()))
        else:
            future.set_result(reply)
