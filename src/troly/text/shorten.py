"""Cuts a text that is longer than there is room for where a reader would: between lines, else between words."""

from __future__ import annotations


def shortened(text: str, most: int) -> str:
    """`text` in at most `most` characters, the "…" of a cut one included; a word is cut only where it fills half of them."""
    if len(text) <= most:
        return text
    room = max(0, most - 1)
    for end in ("\n", " "):
        at = text.rfind(end, room // 2, room + 1)
        if at > 0:
            return f"{text[:at].rstrip()}…"
    return f"{text[:room]}…"[:most]


def one_line(text: str, most: int) -> str:
    """`text` without line breaks and double blanks, `shortened` to `most` characters."""
    return shortened(" ".join(text.split()), most)
