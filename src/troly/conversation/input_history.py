"""What a person typed and had open, kept across restarts: messages, drafts, tabs, in files of their own in the data folder.

Several programs may write at once, and one may be killed at any time: a message is one appended line, the drafts are
replaced as a whole.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from troly.paths import write_whole
from troly.stores.processes import FileLock

# Messages recalled; the file is shortened to them when it has grown to `LONGEST_FILE` bytes.
RECALLED = 500
LONGEST_FILE = 2_000_000
# A longer message is in its conversation, and is not recalled.
LONGEST_MESSAGE = 64_000
MOST_DRAFTS = 200
MOST_QUERIES = 50
PATIENCE = 1.0


class Draft(NamedTuple):
    """What stood in the input: its text, and the pasted texts by their token."""

    text: str
    pasted: Mapping[str, str] = {}


class InputHistory(NamedTuple):
    """Messages of earlier sessions, newest last, and drafts by pane (a conversation's id, or `new:<mode>`)."""

    earlier: tuple[str, ...] = ()
    drafts: Mapping[str, Draft] = {}


class Queries(NamedTuple):
    """The queries of one assistant: those that were given a name, and those that were run, newest first."""

    named: Mapping[str, str] = {}
    recent: tuple[str, ...] = ()


class InputHistoryStore:
    """The files of one login in `folder`. All methods block and raise OSError."""

    def __init__(self, folder: Path, login: str) -> None:
        name = sha256(login.encode("utf-8", "replace")).hexdigest()[:16]
        self._folder = folder
        self._messages = folder / f"{name}.jsonl"
        self._drafts = folder / f"{name}.drafts.json"
        self._screen = folder / f"{name}.screen.json"
        self._queries = folder / f"{name}.queries.json"
        self._lock = FileLock(folder / f"{name}.lock")

    def load(self) -> InputHistory:
        """What is kept; a damaged line or file is passed over."""
        return InputHistory(tuple(self._read_messages()), self._read_drafts())

    def add(self, message: str) -> None:
        if not message.strip() or len(message) > LONGEST_MESSAGE:
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        line = json.dumps(message, ensure_ascii=False) + "\n"
        handle = os.open(self._messages, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, line.encode("utf-8", "surrogatepass"))
        finally:
            os.close(handle)
        if self._messages.stat().st_size > LONGEST_FILE:
            with self._locked() as held:
                if held:
                    lines = [json.dumps(message, ensure_ascii=False) for message in self._read_messages()]
                    write_whole(self._messages, "\n".join(lines) + "\n")

    def keep(self, changes: Mapping[str, Draft | None]) -> None:
        """Change drafts by pane; None takes one away."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._locked():
            drafts = {**self._read_drafts(), **changes}
            kept = {key: draft for key, draft in drafts.items() if draft is not None and draft.text.strip()}
            newest = {key: draft._asdict() for key, draft in list(kept.items())[-MOST_DRAFTS:]}
            write_whole(self._drafts, json.dumps(newest, ensure_ascii=False))

    def load_screen(self) -> Any:
        """What `keep_screen` kept last; None where that is not there or damaged."""
        with suppress(OSError, ValueError, RecursionError):
            return json.loads(self._screen.read_text(encoding="utf-8"))
        return None

    def keep_screen(self, state: Mapping[str, Any]) -> None:
        """Keep which conversations are open, as JSON values."""
        write_whole(self._screen, json.dumps(state, ensure_ascii=False))

    def queries(self, mode: str) -> Queries:
        """The queries of an assistant; what is damaged is passed over."""
        one = _object(_read_object(self._queries).get(mode))
        named = {name: text for name, text in _object(one.get("named")).items() if isinstance(text, str)}
        recent = one.get("recent")
        kept = [text for text in recent if isinstance(text, str)] if isinstance(recent, list) else []
        return Queries(named, tuple(kept))

    def keep_query(self, mode: str, text: str, name: str = "") -> None:
        """Keep a query that was run, or under a `name`; a name with the text "" is forgotten, its query is recent again."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._locked():
            named, recent = self.queries(mode)
            newest = text or named.get(name, "")
            if name:
                named = {one: kept for one, kept in named.items() if one != name}
                named |= {name: text} if text else {}
            if newest and len(newest) <= LONGEST_MESSAGE and not (name and text):
                recent = (newest, *(one for one in recent if one != newest))[:MOST_QUERIES]
            whole = {**_read_object(self._queries), mode: {"named": dict(named), "recent": list(recent)}}
            write_whole(self._queries, json.dumps(whole, ensure_ascii=False))

    @contextmanager
    def _locked(self) -> Iterator[bool]:
        """Yields whether the lock could be had; the file is replaced as a whole either way."""
        held = self._lock.acquire(PATIENCE)
        try:
            yield held
        finally:
            if held:
                self._lock.release()

    def _read_messages(self) -> list[str]:
        with suppress(FileNotFoundError), self._messages.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - LONGEST_FILE))
            found = [_message(line) for line in file.read().splitlines()[-RECALLED:]]
            return [message for message in found if message]
        return []

    def _read_drafts(self) -> dict[str, Draft]:
        found = {key: _draft(value) for key, value in _read_object(self._drafts).items()}
        return {key: draft for key, draft in found.items() if draft is not None}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _read_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file; an absent or damaged one is empty."""
    try:
        return _object(json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}


def _message(line: bytes) -> str:
    try:
        read = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return ""
    return read if isinstance(read, str) else ""


def _draft(value: Any) -> Draft | None:
    if not isinstance(value, dict):
        return None
    text, pasted = value.get("text"), value.get("pasted", {})
    if not isinstance(text, str) or not isinstance(pasted, dict):
        return None
    return Draft(text, {str(key): one for key, one in pasted.items() if isinstance(one, str)})
