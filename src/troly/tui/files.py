"""Files that the screen writes for the user: each new, named after its content and the moment."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from itertools import count
from pathlib import Path

from troly.text.fold import fold

LONGEST_NAME = 40


def new_file(folder: Path, when: datetime, title: str, kind: str, text: str) -> Path:
    """Write `text` to a new file in `folder` (made if it is not there), ending in `.kind`. Raises OSError.

    A second file of the same moment and title gets a number; nothing is ever written over.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = "-".join(fold(title).split())
    kept = "".join(letter for letter in name if letter.isalnum() or letter == "-")[:LONGEST_NAME] or kind
    stem = f"{when:%Y%m%d-%H%M%S}-{kept}"
    # Spreadsheets need the mark to read a CSV file as UTF-8.
    encoding = "utf-8-sig" if kind == "csv" else "utf-8"
    for number in count(1):
        path = folder / (f"{stem}.{kind}" if number == 1 else f"{stem}-{number}.{kind}")
        with suppress(FileExistsError):
            with path.open("x", encoding=encoding, newline="") as file:
                file.write(text)
            return path
    raise AssertionError("unreachable")
