"""Moves a damaged file out of the way, whole and under a name with the time, so that nothing is ever deleted."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from troly.errors import StoreError


@dataclass(frozen=True, slots=True)
class QuarantinedFile:
    """A damaged file: where it was, where it is now, and what was wrong with it."""

    original: Path
    moved_to: Path
    reason: str


def quarantine(path: Path, folder: Path, reason: str, companions: Iterable[str] = ()) -> QuarantinedFile:
    """Move `path` into `folder`, with the files beside it whose names end in one of `companions`.

    The companions go first: a move that is cut short leaves the damaged file in place, to be found again.
    Raises StoreError `store.set_aside_failed`.
    """
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    target = folder / f"{path.stem}-{stamp}-{uuid.uuid4().hex[:6]}{path.suffix}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for suffix in companions:
            beside = path.with_name(path.name + suffix)
            if beside.exists():
                shutil.move(beside, target.with_name(target.name + suffix))
        shutil.move(path, target)
    except OSError as error:
        raise StoreError("store.set_aside_failed", path=path, folder=folder, reason=error) from error
    return QuarantinedFile(path, target, reason)
