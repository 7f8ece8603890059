"""A conversation as Markdown, JSON or CSV, and the files that exports are written to."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import datetime, tzinfo
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from troly.errors import InputError
from troly.stores.handovers import colleague_of
from troly.text.catalogue import Lang, tr
from troly.text.csv_text import csv_text
from troly.text.fold import fold
from troly.text.sanitize import sanitize, sanitize_json

if TYPE_CHECKING:
    from troly.stores.records import ConversationExport

UNFINISHED = ("stopped", "failed", "interrupted")
TURN_FIELDS = ("id", "status", "source", "calls", "ms", "state", "trace", "error")
LONGEST_NAME = 40


def render_conversation(whole: ConversationExport, form: str, lang: Lang, zone: tzinfo | None) -> str:
    """The conversation as text in `form` (`md`, `json`, `csv`), ending in a line end; times for people in `zone`."""
    match form:
        case "json":
            value = sanitize_json(conversation_json(whole))
            return json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n"
        case "csv":  # one line a message
            rows = ((m.created_at.isoformat(), m.sender, m.type, m.text) for m in whole.messages)
            return csv_text(("time", "sender", "type", "text"), rows)
    return _markdown(whole, lang, zone)


def conversation_json(whole: ConversationExport) -> dict[str, Any]:
    """Conversation, messages, and turns with their traces, times in ISO 8601."""
    one = whole.conversation
    return {
        "id": one.id,
        "owner": one.owner,
        "mode": one.mode,
        "title": one.title,
        "language": one.language,
        "created_at": one.created_at.isoformat(),
        "updated_at": one.updated_at.isoformat(),
        "metadata": dict(one.metadata),
        "messages": [
            {
                "id": message.id,
                "turn": message.turn_id,
                "sender": message.sender,
                "type": message.type,
                "text": message.text,
                "created_at": message.created_at.isoformat(),
                "metadata": dict(message.metadata),
                "status": message.status,
            }
            for message in whole.messages
        ],
        "turns": [{name: getattr(turn, name) for name in TURN_FIELDS} for turn in whole.turns],
    }


def _markdown(whole: ConversationExport, lang: Lang, zone: tzinfo | None) -> str:
    one = whole.conversation
    parts = [
        f"# {sanitize(one.title, keep_newlines=False) or one.id}",
        f"{one.mode} · {local_minute(one.created_at, zone)}",
    ]
    for number, message in enumerate(whole.messages):
        who = colleague_of(message) or tr(f"cli.conversations.sender.{message.sender}", lang)
        parts.append(f"## {who} · {local_minute(message.created_at, zone)}")
        parts.append(sanitize(message.text).strip())
        if mark := ending_mark(whole, number, lang):
            parts.append(f"*{mark}*")
    return "\n\n".join(parts) + "\n"


def ending_mark(whole: ConversationExport, number: int, lang: Lang) -> str:
    """What is to be said after message `number`: that its turn was stopped, failed or cut off; else ""."""
    message = whole.messages[number]
    last = all(later.turn_id != message.turn_id for later in whole.messages[number + 1 :])
    status = next((turn.status for turn in whole.turns if turn.id == message.turn_id), "")
    if not last or status not in UNFINISHED:
        return ""
    return f"[{tr(f'cli.conversations.ended.{status}', lang)}]"


def local_minute(moment: datetime, zone: tzinfo | None) -> str:
    """`moment` in `zone` to the minute: `2026-11-22 17:05`."""
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M}"


def write_export(path: Path, text: str, form: str, *, replace: bool) -> None:
    """Write an export to `path`, private to its owner; spreadsheets get the mark that tells them it is UTF-8.

    Raises InputError when the file is there (unless `replace`) or cannot be written.
    """
    flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if replace else os.O_EXCL)
    try:
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            file.write(text.encode(_encoding(form)))
    except FileExistsError as error:
        raise InputError("cli.output_exists", file=path) from error
    except OSError as error:
        raise InputError("cli.output", file=path, reason=error.strerror or error) from error


def write_new_file(folder: Path, when: datetime, title: str, form: str, text: str | bytes) -> Path:
    """Write `text` to a new file in `folder` (made if it is not there), named after moment and title, ending in `.form`.

    A second file of the same moment and title gets a number; nothing is ever written over. Raises OSError.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = "-".join(fold(title).split())
    kept = "".join(letter for letter in name if letter.isalnum() or letter == "-")[:LONGEST_NAME] or form
    stem = f"{when:%Y%m%d-%H%M%S}-{kept}"
    for number in count(1):
        path = folder / (f"{stem}.{form}" if number == 1 else f"{stem}-{number}.{form}")
        with suppress(FileExistsError):
            with path.open("xb") as file:
                file.write(text if isinstance(text, bytes) else text.encode(_encoding(form)))
            return path
    raise AssertionError("unreachable")


def _encoding(form: str) -> str:
    """Spreadsheets need the mark to read a CSV file as UTF-8."""
    return "utf-8-sig" if form == "csv" else "utf-8"
