"""What people may call a column: its header and parts of it, and the words of what it is about."""

from __future__ import annotations

import re
from collections.abc import Iterable

from troly.text.fold import Token, accents_agree, fold, tokens
from troly_analysis.planner.lexicon import concepts, marks, words
from troly_analysis.types import NUMERIC, TEMPORAL, Field

_NOTE = re.compile(r"\([^)]*\)|\[[^\]]*\]")


def plain(name: str) -> str:
    """A header without notes in brackets, its camel case and underscores as words."""
    bare = _NOTE.sub(" ", name).replace("_", " ")
    humps = [
        f" {char}" if nth and char.isupper() and bare[nth - 1].islower() else char
        for nth, char in enumerate(bare)
    ]
    return "".join(humps).strip() or name


def concept_of(found: Field) -> tuple[str, float]:
    """The concept a header speaks of and how much of the header says so, ("", 0) for none."""
    typed = tokens(plain(found.name))
    header = tuple(token.folded for token in typed)
    best, share = "", 0.0
    for concept in concepts():
        if not _fits(concept.nature, found.kind):
            continue
        for phrase in concept.phrases:
            meant = tokens(phrase)
            said = tuple(token.folded for token in meant)
            at = next((at for at in range(len(header)) if header[at : at + len(said)] == said), None)
            if at is None or not all(map(_agree, typed[at:], meant)):
                continue
            rest = [word for word in header[:at] + header[at + len(said) :] if word not in marks("generic")]
            here = len(said) / (len(said) + len(rest)) + 0.01 * len(said) - (0.005 if rest else 0)
            if here > share:
                best, share = concept.name, here
    return (best, min(share, 1.0)) if share >= 0.5 else ("", 0.0)


def _agree(typed: Token, meant: Token) -> bool:
    return accents_agree(typed.text, meant.text)


def _fits(nature: str, kind: str) -> bool:
    if kind in TEMPORAL:
        return nature == "date"
    if kind in NUMERIC:
        return nature == "number" or (nature == "category" and kind == "integer")
    return nature == "category"


def aliases(found: Field, concept: str, share: float) -> Iterable[tuple[str, float]]:
    """What people may call a column, with how surely they mean it."""
    name = plain(found.name)
    yield name, 1.0
    typed = tokens(name)
    header = [token.text for token in typed]
    for part in re.split(r"[/,|]", name):
        yield part, 0.95
    meaning = [token.text for token in typed if token.folded not in marks("generic")]
    coded = bool(typed) and typed[0].folded in marks("id marks")
    if meaning and len(meaning) < len(header) and header[-len(meaning) :] == meaning:
        yield " ".join(meaning), 0.84 if coded else 0.6 if found.kind in TEMPORAL else 0.93
    known = next((each for each in concepts() if each.name == concept), None)
    said = {fold(value) for value in found.examples}
    if known:
        for nth, phrase in enumerate(known.phrases):
            if "sum" in words().listed(tuple(token.folded for token in tokens(phrase))):
                continue  # "total" is what is done, not what it is done to
            if any(fold(phrase).endswith(f" {value}") for value in said):
                continue  # "phiếu nhập" names a column and one of its values
            yield phrase, (0.78 if coded else 0.9) * (1.0 if share >= 0.95 else 0.8) - 0.004 * nth
    yield from _parts(header, [token.folded for token in typed])


def _parts(header: list[str], folded: list[str]) -> Iterable[tuple[str, float]]:
    """Runs of a header's words that say something on their own."""
    for length in range(len(header) - 1, 0, -1):
        for at in range(len(header) - length + 1):
            part_words = folded[at : at + length]
            if all(word in marks("generic") or word in marks("short") for word in part_words):
                continue
            if length == 1 and (words().listed(tuple(part_words)) or len(part_words[0]) < 3):
                continue
            yield " ".join(header[at : at + length]), 0.5 + 0.03 * length


def telling(phrase: str) -> bool:
    """Whether a part of a value says anything on its own."""
    said = [token.folded for token in tokens(phrase)]
    if len(said) == 1:
        name = phrase[:1].isupper() or not words().listed((said[0],))
        return len(said[0]) >= 2 and name and not said[0].isdigit() and said[0] not in marks("generic")
    return not all(words().listed((word,)) or word in marks("generic") for word in said)
