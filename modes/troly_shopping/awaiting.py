"""Whether the assistant has just asked for a serial (000-48)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from troly.text.fold import fold
from troly_shopping.warranty import INVALID, PROMPT, RESULT

if TYPE_CHECKING:
    from troly.stores.records import StoredMessage

# The wording that asks for one, for messages saved without a type; folded, both languages.
_WORDINGS = (
    "vui long cung cap so serial",
    "chua nhan dien duoc so serial",
    "nhap lai so serial",
    "send me the serial number",
    "could not recognise a valid serial",
    "enter the serial again",
)


def awaiting_serial(history: Iterable[StoredMessage]) -> bool:
    """Whether the assistant's last message asks for a serial: by its metadata, else by its words."""
    last = next((message for message in reversed(list(history)) if message.sender == "assistant"), None)
    if last is None:
        return False
    kind = last.type or str(last.metadata.get("type", ""))
    if kind in {PROMPT, INVALID}:
        return True
    if kind == RESULT:
        return last.metadata.get("warranty_meta", {}).get("found") is False
    return not kind and any(wording in fold(last.text) for wording in _WORDINGS)
