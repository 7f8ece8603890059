"""Text from models, files, pages and logs made safe to show: no terminal commands, no hidden reordering."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

# A control string (OSC, DCS, SOS, PM, APC) runs to BEL or ST. It must end on its own line: one that does not is no
# control string but damage, and only its introducer is dropped, so that a stray byte cannot hide the rest of a text.
# The payload may hold no other introducer, which keeps the scan linear.
_STRING = r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])(?:[^\x07\x1b\x80-\x9f\n\r]*+(?:\x07|\x1b\\|\x9c))?"
_CSI = r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]?"
_ESCAPE = r"\x1b[ -/]*+[0-~]?"
_RUN = r"[\x1b\x80-\x9f]+(?=[\x1b\x80-\x9f])"
# C0 but \n and \t, DEL, C1, bidi marks, embeddings, isolates and their deprecated kin, surrogates, BOM.
_HARMFUL = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ud800-\udfff\ufeff"  # nothing visible
# The look-ahead lets clean characters be passed over with one test each.
_SEQUENCE = f"(?=[{_HARMFUL}])(?:{_RUN}|{_STRING}|{_CSI}|{_ESCAPE}|[{_HARMFUL}]+)"
_DIRTY = re.compile(f"[{_HARMFUL}\u2028\u2029]")
_BREAKS = re.compile("[\x0b\x0c\u2028\u2029]")


def sanitize(s: str, *, keep_newlines: bool = True) -> str:
    """`s` without anything that drives a terminal, reorders or hides text.

    Removed: ANSI sequences (CSI, OSC, DCS, SOS, PM, APC and plain escapes, in 7-bit and 8-bit form), C0 but newline
    and tab, DEL, C1, bidi controls, lone surrogates, U+FEFF. Every way to break a line (\\r\\n, \\r, VT, FF, U+2028,
    U+2029) becomes \\n. Joiners stay: emoji need them. A control string without an end on its line loses only its
    introducer. With `keep_newlines=False` each newline and tab is a space, for labels of one line.
    """
    if _DIRTY.search(s):
        s = _BREAKS.sub("\n", s.replace("\r\n", "\n").replace("\r", "\n"))
        s = _sequences().sub("", s)
    return s if keep_newlines else s.replace("\n", " ").replace("\t", " ")


def sanitize_json(value: Any) -> Any:
    """A JSON value with every string sanitised, and None for a number that JSON cannot write (NaN, infinity)."""
    if isinstance(value, str):
        return sanitize(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (int, float)):
        return value
    if isinstance(value, Mapping):
        return {sanitize(str(key)): sanitize_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [sanitize_json(item) for item in value]
    return value


@cache
def _sequences() -> re.Pattern[str]:
    """Compiled for the first text that needs it: that takes longer than the rest of this module."""
    return re.compile(_SEQUENCE)
