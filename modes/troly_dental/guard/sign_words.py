"""The words of red_flags.txt as lexicons: one for each sign of danger, and one for each mark that takes it away."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import product
from pathlib import Path

from troly.text.match import Lexicon
from troly.text.wordlist import read_lists

FILE = Path(__file__).parent / "lexicons" / "red_flags.txt"
MARKS = (
    "no",
    "eased",
    "filler",
    "gone",
    "supposed",
    "in_doubt",
    "past",
    "past_exact",
    "now",
    "break",
    "animal",
    "unreal",
    "mild",
)


@cache
def flag_lists() -> dict[str, tuple[str, ...]]:
    """The entries of red_flags.txt by section, with all spellings of each."""
    lists = read_lists(FILE)
    spelt = {label: [one for phrase in listed for one in _choices(phrase)] for label, listed in lists.items()}
    return {
        label: tuple(dict.fromkeys([*listed, *_without_apostrophes(listed), *_southern(listed)]))
        for label, listed in spelt.items()
    }


def _choices(phrase: str) -> list[str]:
    """The entries that a phrase with slashes stands for."""
    return [
        " ".join(words).replace("_", " ") for words in product(*(word.split("/") for word in phrase.split()))
    ]


def _southern(listed: Iterable[str]) -> list[str]:
    """What the south says for "vào": "đập vô mặt"."""
    return [phrase.replace("vào", "vô") for phrase in listed if " vào" in phrase]


def _without_apostrophes(listed: Iterable[str]) -> list[str]:
    """What hurried people write: "cant" for "can't"."""
    return [phrase.replace("'", "") for phrase in listed if "'" in phrase]


@cache
def marks() -> tuple[Lexicon, ...]:
    """One lexicon a mark: "không còn" is a "no" wherever it stands, whatever longer phrase is listed elsewhere."""
    return tuple(Lexicon({label: flag_lists()[label]}) for label in MARKS)


@cache
def signs() -> tuple[Lexicon, ...]:
    """One lexicon a sign, for the same words may be part of several: "mặt" is a place and a face."""
    return tuple(Lexicon({label: listed}) for label, listed in flag_lists().items() if label not in MARKS)
