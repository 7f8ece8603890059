"""Questions about the sample company, each with the documents that answer it, from the files of tests/modes/rag."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parents[2] / "modes" / "rag"


def pairs_of(name: str) -> list[tuple[str, str]]:
    """The lines of a file as (documents divided by commas, or "-", and question)."""
    lines = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
    return [(one[0], one[2]) for line in lines if not line.startswith("#") and (one := line.partition(" | "))]
