"""Files that several machines share, each named by the SHA-256 of its content and never changed: in a folder or an S3 bucket.

Buckets are asked through `obstore` (`troly[s3]`): one wheel of 16 MB that needs nothing else, imported in 0.02 s where a bucket is
configured; s3fs brings 19 packages (45 MB, 0.29 s), boto3 six (33 MB, 0.16 s).
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from troly.errors import StoreError
from troly.stores.connections import os_error

if TYPE_CHECKING:
    from obstore.store import S3Store

# A file that no row names is kept so long: its row may be about to be written, by a machine with another clock.
SPARED = 86_400.0
BUCKET = "s3://"
# Seconds that a bucket may be silent: each request, and all tries of one together.
WAIT = 20.0
_PART = 8 * 1024 * 1024
# What says that an access key may be had without asking anybody whom nobody named.
_KEYS = frozenset({"AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
                   "AWS_CONTAINER_CREDENTIALS_FULL_URI"})  # fmt: skip


class SharedFiles(ABC):
    """A place of files, which `place` names to people: each is there whole or not at all.

    Methods raise StoreError `files.*` (the place), `store.full`, `store.denied`, `store.io` (this machine's disk).
    """

    place: str

    def put(self, path: Path) -> str:
        """Keep the content of `path`; returns its SHA-256 in hex."""
        sha = sha256_of(path)
        self._write(path, sha)
        return sha

    def get(self, sha: str, path: Path) -> bool:
        """Write the file of that name to `path`, whole; False where it is not there.

        StoreError `files.damaged` where its content is another, and `path` is left alone.
        """
        with _whole(path) as fresh:
            if not self._read(sha, fresh):
                return False
            if sha256_of(fresh) != sha:
                raise StoreError("files.damaged", path=f"{self.place}/{sha}")
        return True

    def sweep(self, known: Collection[str]) -> int:
        """Delete what is not `known` and older than a day; how many files went."""
        before = time.time() - SPARED
        unknown = [name for name, changed in self._files() if name not in known and changed < before]
        for name in unknown:
            self._delete(name)
        return len(unknown)

    def probe(self) -> float:
        """The milliseconds of writing, reading and deleting a small file."""
        began, name = time.perf_counter(), f".{secrets.token_hex(8)}"
        with tempfile.TemporaryDirectory(prefix="troly-") as folder:
            sent, got = Path(folder, "sent"), Path(folder, "got")
            sent.write_bytes(b"troly")
            self._write(sent, name)
            self._read(name, got)
            self._delete(name)
            if got.read_bytes() != b"troly":
                raise StoreError("files.damaged", path=f"{self.place}/{name}")
        return (time.perf_counter() - began) * 1000

    @abstractmethod
    def _write(self, source: Path, name: str) -> None: ...

    @abstractmethod
    def _read(self, name: str, target: Path) -> bool:
        """Write the file of that name to `target`; False where it is not there."""

    @abstractmethod
    def _files(self) -> Iterator[tuple[str, float]]:
        """All names, and when each was written (seconds since 1970, by the place's clock)."""

    @abstractmethod
    def _delete(self, name: str) -> None: ...


class SharedFolder(SharedFiles):
    """Files in a folder that all machines reach; it is never made, since it may not be mounted (`files.place`)."""

    def __init__(self, folder: Path) -> None:
        self.place = str(folder)

    def _write(self, source: Path, name: str) -> None:
        with _whole(self._folder() / name) as fresh:
            shutil.copyfile(source, fresh)

    def _read(self, name: str, target: Path) -> bool:
        source = self._folder() / name
        if source.exists():
            shutil.copyfile(source, target)
        return target.exists()

    def _files(self) -> Iterator[tuple[str, float]]:
        for file in self._folder().iterdir():
            with suppress(OSError):
                if file.is_file():
                    yield file.name, file.stat().st_mtime

    def _delete(self, name: str) -> None:
        with suppress(OSError):
            (self._folder() / name).unlink()

    def _folder(self) -> Path:
        folder = Path(self.place)
        try:
            there = folder.is_dir()
        except OSError as error:
            raise os_error(error, folder) from error
        if not there:
            raise StoreError("files.place", path=folder)
        return folder


class Bucket(SharedFiles):
    """Files in a bucket, `s3://bucket/prefix`, at `endpoint` (none is Amazon's). Keys come from the environment (`AWS_ACCESS_KEY_ID`, …).

    StoreError `files.driver`, `files.keys`, `files.bucket` (it does not exist), `files.denied`, `files.silent` (no answer, or
    another server's).
    """

    def __init__(self, url: str, endpoint: str | None = None) -> None:
        self.place = BUCKET + url.removeprefix(BUCKET).strip("/")
        self._endpoint = endpoint

    @cached_property
    def _store(self) -> S3Store:
        from obstore.store import S3Store

        if not _KEYS & os.environ.keys():
            raise StoreError("files.keys", path=self.place)
        bucket, _, prefix = self.place.removeprefix(BUCKET).partition("/")
        if not bucket:
            raise StoreError("files.bucket", path=self.place, endpoint=self._endpoint or "Amazon S3")
        wait = timedelta(seconds=WAIT)
        return S3Store(
            bucket,
            prefix=prefix or None,
            client_options={"allow_http": True, "connect_timeout": wait / 4, "timeout": wait},
            retry_config={"max_retries": 3, "retry_timeout": wait},
            config={"endpoint": self._endpoint} if self._endpoint else None,
        )

    def _write(self, source: Path, name: str) -> None:
        with self._asked() as (obstore, store):
            obstore.put(store, name, source, chunk_size=_PART, max_concurrency=4)

    def _read(self, name: str, target: Path) -> bool:
        with self._asked() as (obstore, store):
            try:
                size = obstore.head(store, name)["size"]
            except FileNotFoundError:
                # This is also said where there is no bucket; a list tells it.
                next(iter(obstore.list(store, chunk_size=1)), None)
                return False
            with target.open("wb") as file:
                # In parts, each a request of its own: how long a whole file may take has no bound.
                for start in range(0, size, _PART):
                    file.write(obstore.get_range(store, name, start=start, end=min(start + _PART, size)))
        return True

    def _files(self) -> Iterator[tuple[str, float]]:
        with self._asked() as (obstore, store):
            for some in obstore.list(store):
                yield from ((one["path"], one["last_modified"].timestamp()) for one in some)

    def _delete(self, name: str) -> None:
        with self._asked() as (obstore, store):
            obstore.delete(store, name)

    @contextmanager
    def _asked(self) -> Iterator[tuple[Any, S3Store]]:
        """The library and the bucket in it; what they raise inside is a StoreError."""
        try:
            import obstore
            from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
        except ImportError as error:
            raise StoreError("files.driver", reason=error) from error
        try:
            yield obstore, self._store
        except (BaseError, FileNotFoundError) as error:
            said = str(error)
            # S3's own code, else how the connection failed, else what was said last.
            code = re.search(r"<Code>(\w+)</Code>", said) or re.search(r"\bkind: (\w+)", said)
            reason = code[1] if code else said.partition("\n")[0].rpartition(" - ")[2][:200]
            denied = isinstance(error, PermissionDeniedError | UnauthenticatedError)
            key = "files.denied" if denied else "files.bucket" if reason == "NoSuchBucket" else "files.silent"
            where = self._endpoint or "Amazon S3"
            raise StoreError(key, path=self.place, endpoint=where, reason=reason) from error


def open_files(url: str, endpoint: str | None = None) -> SharedFiles:
    """The place that the setting `files.url` names; it is not asked yet."""
    return Bucket(url, endpoint) if url.startswith(BUCKET) else SharedFolder(Path(url))


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """A fresh file beside `path` that takes its place at the end, on the disk whole, and is gone after an exception."""
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        yield fresh
        if fresh.exists():
            with fresh.open("rb+") as file:
                os.fsync(file.fileno())
            fresh.replace(path)
    except OSError as error:
        raise os_error(error, path) from error
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
