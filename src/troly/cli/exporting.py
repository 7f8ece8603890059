"""A conversation as Markdown, JSON or CSV."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from troly.cli.invocation import Invocation
from troly.cli.output import clean
from troly.errors import InputError
from troly.stores.conversations import ConversationExport
from troly.text.csv_text import csv_text
from troly.text.sanitize import sanitize


def rendered(whole: ConversationExport, form: str, invocation: Invocation) -> str:
    """The conversation as text in `form` (`md`, `json`, `csv`), ending in a line end."""
    makers: Mapping[str, Callable[[], str]] = {
        "md": lambda: _markdown(whole, invocation),
        "json": lambda: (
            json.dumps(clean(as_json_value(whole)), ensure_ascii=False, indent=2, default=str) + "\n"
        ),
        "csv": lambda: _csv(whole),
    }
    return makers[form]()


def as_json_value(whole: ConversationExport) -> dict[str, Any]:
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
        "turns": [
            {
                "id": turn.id,
                "status": turn.status,
                "source": turn.source,
                "calls": turn.calls,
                "ms": turn.ms,
                "state": turn.state,
                "trace": turn.trace,
                "error": turn.error,
            }
            for turn in whole.turns
        ],
    }


def write_file(path: Path, text: str, form: str, *, replace: bool) -> None:
    """Write an export, private to its owner; spreadsheets get the mark that tells them it is UTF-8.

    Raises InputError when the file is there (unless `replace`) or cannot be written.
    """
    raw = text.encode("utf-8-sig" if form == "csv" else "utf-8")
    flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if replace else os.O_EXCL)
    try:
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            file.write(raw)
    except FileExistsError as error:
        raise InputError("cli.output_exists", file=path) from error
    except OSError as error:
        raise InputError("cli.output", file=path, reason=error.strerror or error) from error


def _markdown(whole: ConversationExport, invocation: Invocation) -> str:
    from troly.cli.conversations import ending_mark, local

    one = whole.conversation
    parts = [
        f"# {sanitize(one.title, keep_newlines=False) or one.id}",
        f"{one.mode} · {local(invocation, one.created_at)}",
    ]
    for number, message in enumerate(whole.messages):
        who = invocation.say(f"conversations.sender.{message.sender}")
        parts.append(f"## {who} · {local(invocation, message.created_at)}")
        parts.append(sanitize(message.text).strip())
        if mark := ending_mark(invocation, whole, number):
            parts.append(f"*{mark}*")
    return "\n\n".join(parts) + "\n"


def _csv(whole: ConversationExport) -> str:
    """One line a message."""
    rows = ((m.created_at.isoformat(), m.sender, m.type, m.text) for m in whole.messages)
    return csv_text(("time", "sender", "type", "text"), rows)
