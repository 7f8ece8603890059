"""The written messages of the guard and how often it is right on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from troly_dental.guard import danger, judge

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class WrittenMessage:
    """One written message: what is wanted of it, the message before, and the message."""

    wanted: str
    before: str | None
    text: str


def written(name: str) -> list[WrittenMessage]:
    """The messages of `<name>.txt`."""
    found = []
    for line in (FOLDER / f"{name}.txt").read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            wanted, said = line.split(" | ", 1)
            before, _, text = said.rpartition(" >> ")
            found.append(WrittenMessage(wanted.strip(), before or None, text))
    return found


@cache
def is_dental(one: WrittenMessage) -> bool:
    """What the rules decide, as when no model answers."""
    about_teeth = one.before is not None and judge(one.before).score >= 0.5
    return judge(one.text, one.before, about_teeth).score >= 0.5


@cache
def flag_of(one: WrittenMessage) -> str | None:
    found = danger(one.text, [one.before] if one.before else [])
    return found.name if found else None
