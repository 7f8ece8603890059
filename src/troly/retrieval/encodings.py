"""Turning the bytes of a text file into characters, with the encodings that Vietnamese files come in."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import NamedTuple

from troly.errors import InputError
from troly.retrieval.documents import show

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# A text file may hold a stray control character; more than one in a hundred is no text.
_MAX_CONTROL = 0.01


class Decoded(NamedTuple):
    """Characters, the encoding they were read with, and whether that encoding was only guessed."""

    text: str
    encoding: str
    guessed: bool


def decode(path: Path, data: bytes, declared: str = "") -> Decoded:
    """`data` as characters: a byte order mark decides, then UTF-8, then `declared`, then windows-1258.

    Line ends become `\\n`. Raises InputError `knowledge.binary` or `knowledge.encoding`; `path` is for the message.
    """
    decoded = _decode(data, declared)
    if decoded is None:
        raise InputError("knowledge.binary" if b"\0" in data else "knowledge.encoding", path=show(path))
    if len(_CONTROL.findall(decoded.text)) > _MAX_CONTROL * len(decoded.text):
        raise InputError("knowledge.binary", path=show(path))
    return decoded._replace(text=decoded.text.replace("\r\n", "\n").replace("\r", "\n"))


def _decode(data: bytes, declared: str) -> Decoded | None:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _try(data, encoding, guessed=False)
    if b"\0" in data:
        return None
    return (
        _try(data, "utf-8", guessed=False)
        or (_try(data, declared, guessed=False) if declared else None)
        or _try(data, "windows-1258", guessed=True)
    )


def _try(data: bytes, encoding: str, *, guessed: bool) -> Decoded | None:
    try:
        return Decoded(data.decode(encoding), encoding, guessed)
    except (UnicodeError, LookupError):
        return None
