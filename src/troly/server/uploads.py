"""Files that are uploaded and loaded with an ingest of an assistant, with progress, beside the answers."""

from __future__ import annotations

import asyncio
import re
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from troly.conversation.jobs import JobResult, LoadFiles, run_job
from troly.errors import AccessError, StoppedError, TrolyError
from troly.text.sanitize import sanitize

if TYPE_CHECKING:
    from troly.conversation.session import Session
    from troly.server.access import Caller
    from troly.text.catalogue import Lang

KEPT = 3600.0
LONGEST = 100
_PIECE = 1024 * 1024


class Upload:
    """One upload: `state` is what is known of it now (`running`, `done`, `failed`, `stopped`)."""

    def __init__(self, owner: str, language: Lang) -> None:
        self.id = secrets.token_hex(8)
        self.owner = owner
        self.state: dict[str, Any] = {
            "id": self.id,
            "status": "running",
            "done": 0,
            "total": None,
            "unit": "",
        }
        self.stop = threading.Event()
        self.ended_at: float | None = None
        self._language = language
        self._changed: set[asyncio.Event] = set()

    def progress(self, done: int, total: int | None, unit: str) -> None:
        """News of the work; on the loop."""
        self._put(status="running", done=done, total=total, unit=unit)

    def end(self, result: JobResult) -> None:
        self.ended_at = time.monotonic()
        error = result.error
        if error is None:
            self._put(
                status="done", summary=result.summary, problems=list(result.problems), changed=result.changed
            )
            return
        if not isinstance(error, TrolyError):
            error = TrolyError("turn.failed", mode="", reason=sanitize(type(error).__name__))
        said = error.render(self._language)
        status = "stopped" if isinstance(error, StoppedError) else "failed"
        self._put(status=status, code=error.key, title=said.title, message=said.message, remedy=said.remedy)

    def _put(self, **news: Any) -> None:
        self.state = {**self.state, **news}
        for one in self._changed:
            one.set()

    async def states(self) -> AsyncGenerator[dict[str, Any]]:
        """Each state that the reader has time for, last the one that ends it."""
        wake = asyncio.Event()
        self._changed.add(wake)
        try:
            while True:
                wake.clear()
                state = self.state
                yield state
                if state["status"] != "running":
                    return
                if state is self.state:
                    await wake.wait()
        finally:
            self._changed.discard(wake)


class Uploads:
    """All uploads of the server."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._uploads: dict[str, Upload] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def get(self, owner: str, upload: str) -> Upload:
        """The owner's upload; raises AccessError `store.not_yours`."""
        found = self._uploads.get(upload)
        if found is None or found.owner != owner:
            raise AccessError("store.not_yours")
        return found

    async def begin(self, caller: Caller, job: LoadFiles, name: str, content: BinaryIO) -> Upload:
        """Load `content`, a file that the client calls `name`, as `job` says. Raises OSError."""
        now = time.monotonic()
        for old in [one for one in self._uploads.values() if one.ended_at and now - one.ended_at > KEPT]:
            del self._uploads[old.id]
        upload = Upload(caller.profile.login, job.language)
        # Documents are known by their file, so theirs stay; tables are read and gone.
        base = self._session.services.paths.data / "uploads"
        keep = base / safe_name(caller.profile.login) if not job.mode else None
        folder = keep or Path(tempfile.mkdtemp(prefix="troly-upload-"))
        file = await asyncio.to_thread(_write, folder, safe_name(name), content)
        self._uploads[upload.id] = upload
        session = replace(self._session, profile=caller.profile)
        work = self._run(session, upload, job._replace(files=(str(file),)), None if keep else folder)
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return upload

    async def _run(self, session: Session, upload: Upload, job: LoadFiles, folder: Path | None) -> None:
        loop = asyncio.get_running_loop()

        def report(done: int, total: int | None, unit: str) -> None:
            loop.call_soon_threadsafe(upload.progress, done, total, unit)

        try:
            result = await run_job(session, job, report, upload.stop)
        except Exception as error:  # noqa: BLE001 (whatever a reader raises ends the upload, with its reason)
            result = JobResult(error=error)
        if folder is not None:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        loop.call_soon(upload.end, result)

    async def close(self) -> None:
        """Stop what runs: a load ends between two batches and leaves the old data whole."""
        for upload in self._uploads.values():
            upload.stop.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(10):
                await asyncio.gather(*self._tasks, return_exceptions=True)


def safe_name(name: str) -> str:
    """A file name for what a client calls its file: no path, no hidden file, nothing but letters, digits, `.`, `-`, `_`."""
    last = re.split(r"[\\/]", sanitize(name, keep_newlines=False))[-1]
    kept = re.sub(r"[^\w.-]+", "_", last).lstrip(".")
    stem, dot, kind = kept.rpartition(".")
    return f"{stem[:LONGEST]}{dot}{kind[:20]}" if stem.strip("._") else f"upload.{kind[:20] or 'txt'}"


def _write(folder: Path, name: str, content: BinaryIO) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = folder / name
    content.seek(0)
    with file.open("wb") as target:
        shutil.copyfileobj(content, target, _PIECE)
    return file


def flags(values: Mapping[str, str]) -> dict[str, str | bool | None]:
    """Form fields as an ingest's values: `true` and `false` are flags."""
    words: Mapping[str, bool] = {"true": True, "false": False}
    return {key: words.get(value, value) for key, value in values.items()}
