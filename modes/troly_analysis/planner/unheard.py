"""Which words that nothing was found for must be asked about: an answer without them would be another answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from troly.text.fold import fold, tokens
from troly.text.wordlist import read_lists
from troly_analysis.planner.lexicon import FOLDER, words
from troly_analysis.planner.understand import Heard

_PREPOSITIONS = frozenset(
    [
        "cua",
        "tu",
        "o",
        "tai",
        "cho",
        "qua",
        "tren",
        "voi",
        "in",
        "from",
        "at",
        "for",
        "by",
        "of",
        "thuoc",
        "theo",
        "ten",
        "la",
        "tru",
        "bang",
        "nhom",
    ]
)


def unheard(missing: Sequence[str], heard: Heard, *, answered: bool) -> str:
    """The first of `missing` that an answer cannot do without, "" for none: what looks like a condition goes first.

    Where nothing would be `answered`, or a follow-up is told by words of its own, only a condition is asked about.
    """
    return _condition_like(missing, heard) or (_content(missing, heard) if answered else "")


def _condition_like(missing: Sequence[str], heard: Heard) -> str:
    """The first of the words nothing was found for that looks like a condition, "" for none."""
    state = heard.state
    for text in missing:
        bare = text.strip()
        if any(char.isdigit() for char in bare):
            return bare
        at = state.wording.text.find(bare)
        if "not" in words().listed(tuple(token.folded for token in tokens(bare))):
            return bare
        before = tokens(state.wording.text[:at])[-1:] if at > 0 else []
        if at > 0 and bare[:1].isupper():
            return bare
        if before and (before[0].folded in _PREPOSITIONS or _after_name(heard, at)):
            return bare
    return ""


def _content(missing: Sequence[str], heard: Heard) -> str:
    """The first of those words that says something: no word that everybody's questions have, no noun that is counted."""
    text = heard.state.wording.text
    for bare in missing:
        said = [token.folded for token in tokens(bare)]
        before = [token.folded for token in tokens(text[: max(0, text.find(bare))])]
        if " ".join(said) in _light() or _light().issuperset(said) or (len(said) == 1 and _counts(before)):
            continue
        # One word at the beginning is what the message is about: "tuyến từ Hà Nội có bao nhiêu vé".
        if not before and len(said) == 1 and (heard.ask.conditions or heard.state.said):
            continue
        return bare
    return ""


def _counts(before: Sequence[str]) -> bool:
    """Whether the words before end in one of counting: what follows is what the rows are called."""
    ends = {" ".join(before[-size:]) for size in (1, 2, 3) if len(before) >= size}
    return any(
        "count" in words().listed(tuple(end.split())) or "per" in words().listed(tuple(end.split()))
        for end in ends
    )


def _after_name(heard: Heard, at: int) -> bool:
    typed = heard.state.wording.words
    nth = next((n for n, word in enumerate(typed) if word.start >= at), len(typed))
    before = next((m for m in heard.state.mentions if m.end == nth), None)
    return before is not None and (bool(before.targets) or before.has("not", "only", "by"))


@cache
def _light() -> frozenset[str]:
    """Words that may be left out of any question (lexicons/light.txt)."""
    return frozenset(fold(word) for word in read_lists(FOLDER / "light.txt")["light"])
