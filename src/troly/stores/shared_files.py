"""Files that several machines share, each named by the SHA-256 of its content and never changed."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from troly.errors import StoreError
from troly.stores.connections import os_error

# A file that no row names is kept so long: its row may be about to be written, by a machine with another clock.
SPARED = 86_400.0


class SharedFolder:
    """Files in a folder that all machines reach, whole or not at all; it is never made, since it may not be mounted.

    Methods raise StoreError `files.place` (no such folder), `store.full`, `store.denied`, `store.io`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, path: Path) -> str:
        """Keep the content of `path`; returns its SHA-256 in hex."""
        sha, target = sha256_of(path), self._there()
        self._copy(path, target / sha)
        return sha

    def get(self, sha: str, path: Path) -> bool:
        """Write the file of that name to `path`, whole; False where it is not there.

        StoreError `files.damaged` where its content is another, and `path` is left alone.
        """
        source = self._there() / sha
        if not source.exists():
            return False
        self._copy(source, path, sha)
        return True

    def sweep(self, known: Collection[str]) -> int:
        """Delete what is not `known` and older than a day; how many files went."""
        gone, before = 0, time.time() - SPARED
        for file in self._there().iterdir():
            with suppress(OSError):
                if file.name not in known and file.is_file() and file.stat().st_mtime < before:
                    file.unlink()
                    gone += 1
        return gone

    def probe(self) -> float:
        """The milliseconds of writing, reading and deleting a small file."""
        began = time.perf_counter()
        file = self._there() / f".{secrets.token_hex(8)}"
        try:
            file.write_bytes(b"troly")
            file.read_bytes()
            file.unlink()
        except OSError as error:
            raise os_error(error, self.folder) from error
        return (time.perf_counter() - began) * 1000

    def _there(self) -> Path:
        if not self.folder.is_dir():
            raise StoreError("files.place", path=self.folder)
        return self.folder

    def _copy(self, source: Path, target: Path, sha: str = "") -> None:
        fresh = target.with_name(f".{target.name}.{secrets.token_hex(6)}")
        try:
            shutil.copyfile(source, fresh)
            with fresh.open("rb+") as file:
                os.fsync(file.fileno())
            if sha and sha256_of(fresh) != sha:
                raise StoreError("files.damaged", path=source)
            fresh.replace(target)
        except OSError as error:
            raise os_error(error, target) from error
        finally:
            with suppress(OSError):
                fresh.unlink(missing_ok=True)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hex. Raises StoreError."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise os_error(error, path) from error
