"""Plain word-list files that a person who is no programmer can extend: sections, entries, comments."""

from __future__ import annotations

import re
from pathlib import Path

LEXICONS = Path(__file__).parent / "lexicons"


def read_lists(path: Path) -> dict[str, tuple[str, ...]]:
    """The entries of a word-list file by section, in the file's order; see `parse_lists`. Raises OSError, ValueError."""
    return parse_lists(path.read_text(encoding="utf-8-sig"))


def parse_lists(text: str) -> dict[str, tuple[str, ...]]:
    """Sections of comma-separated entries.

    `[name]` opens a section, `name: entry, entry` is a section on one line, every other line holds entries. A section
    may come several times; entries before the first one belong to "". `{a|b}` in an entry stands for either: "{xài|dùng} điện"
    are two entries. `#` begins a comment at the start of a line or after a blank. Raises ValueError for a section without a name.
    """
    found: dict[str, list[str]] = {}
    current = ""
    for number, raw in enumerate(text.splitlines(), 1):
        line = "" if raw.lstrip().startswith("#") else raw.split(" #", 1)[0].strip()
        if header := section_name(line, number):
            current = header
            found.setdefault(current, [])
            continue
        label, colon, rest = line.partition(":")
        target, entries = (label.strip(), rest) if colon else (current, line)
        if colon and not target:
            raise ValueError(f"line {number}: a section without a name")
        wanted = [entry for part in entries.split(",") if part.strip() for entry in _each(part.strip())]
        if wanted or colon:
            found.setdefault(target, []).extend(wanted)
    return {name: tuple(dict.fromkeys(entries)) for name, entries in found.items()}


def _each(entry: str) -> list[str]:
    """The entries that one with `{a|b}` stands for."""
    found = _EITHER.search(entry)
    if found is None:
        return [" ".join(entry.split())]
    return [
        one
        for side in found[1].split("|")
        for one in _each(f"{entry[: found.start()]}{side}{entry[found.end() :]}")
    ]


_EITHER = re.compile(r"\{([^{}]*\|[^{}]*)\}")


def section_name(line: str, number: int) -> str | None:
    """The name in `[name]`, None for any other line; raises ValueError naming line `number` when it is empty."""
    line = line.strip()
    if not (line.startswith("[") and line.endswith("]")):
        return None
    name = line[1:-1].strip()
    if not name:
        raise ValueError(f"line {number}: a section without a name")
    return name
