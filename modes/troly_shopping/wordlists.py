"""The word lists of this assistant, as lists and as lexicons, each read once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from troly.text.match import Lexicon
from troly.text.wordlist import read_lists

LEXICONS = Path(__file__).parent / "lexicons"


@cache
def word_lists(name: str) -> dict[str, tuple[str, ...]]:
    """The sections of `lexicons/<name>.txt`, each with its entries; "don't" stands for "dont" too."""
    lists = read_lists(LEXICONS / f"{name}.txt")
    return {
        label: tuple(dict.fromkeys(one for entry in entries for one in (entry, entry.replace("n't", "nt"))))
        for label, entries in lists.items()
    }


@cache
def lexicon(name: str, *sections: str, without: str = "") -> Lexicon:
    """The phrases of some sections of a list, which compete among themselves only; without any named, of all but one."""
    lists = word_lists(name)
    return Lexicon({label: lists[label] for label in sections or lists if label != without})
