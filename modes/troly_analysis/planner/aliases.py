"""What people may call a column: its header and parts of it, and the words of what it is about."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from troly.text.fold import WordToken, accents_agree, fold, nfc, tokens
from troly.text.language import is_syllable
from troly_analysis.planner.lexicon import (
    Concept,
    concept_words,
    concepts,
    header_words,
    is_short,
    marks,
    words,
)
from troly_analysis.types import NUMERIC, TEMPORAL, Field, Kind

_NOTE = re.compile(r"\([^)]*\)|\[[^\]]*\]")


def plain(name: str) -> str:
    """A header without notes in brackets, its camel case and underscores as words."""
    bare = _NOTE.sub(" ", name).replace("_", " ")
    humps = [
        f" {char}" if nth and char.isupper() and bare[nth - 1].islower() else char
        for nth, char in enumerate(bare)
    ]
    return "".join(humps).strip() or name


def spelled(name: str) -> str:
    """A header with its short words written out and without a unit at its end ("T.gian chờ" is "thời gian chờ")."""
    typed = [token.text for token in tokens(plain(name))]
    folded = [token.folded for token in tokens(plain(name))]
    while not marks("generic").issuperset(folded[:-1]) and folded[-1] in marks("unit marks"):
        typed.pop(), folded.pop()
    parts: list[str] = []
    at = 0
    while at < len(folded):
        for length in (2, 1):
            if meant := header_words().get(tuple(folded[at : at + length])):
                parts.append(meant)
                at += length
                break
        else:
            parts.append(typed[at])
            at += 1
    return " ".join(parts)


def concept_of(found: Field) -> tuple[str, float]:
    """The concept a header speaks of and how much of the header says so, ("", 0) for none."""
    names, share = concepts_of(found)
    return (names[0], share) if names else ("", 0.0)


def concepts_of(found: Field) -> tuple[tuple[str, ...], float]:
    """The concepts a header speaks of equally well ("HĐ" is a bill or a contract), the likeliest first."""
    return _concepts_of(found.name, found.kind)


@lru_cache(maxsize=4096)
def _concepts_of(name: str, kind: Kind) -> tuple[tuple[str, ...], float]:
    typed = tokens(spelled(name))
    header = tuple(token.folded for token in typed)
    best: list[str] = []
    share = 0.0
    for concept, meanings in _meanings():
        if not _fits(concept.nature, kind):
            continue
        for meant, said in meanings:
            at = next((at for at in range(len(header)) if header[at : at + len(said)] == said), None)
            if at is None or not all(map(_agree, typed[at:], meant)):
                continue
            if len(said) < len(header) and all(is_short(typed[at + n].text) for n in range(len(said))):
                continue  # "tiền dầu" is not all money
            rest = [word for word in header[:at] + header[at + len(said) :] if word not in marks("generic")]
            here = len(said) / (len(said) + len(rest)) + 0.01 * len(said) - (0.005 if rest else 0)
            if here > share:
                best, share = [concept.name], here
            elif here == share and concept.name not in best:
                best.append(concept.name)
    # "Tái khám" is no visit: of a yes or no all of the header must say it.
    least = 0.9 if kind == "boolean" else 0.5
    return (tuple(best), min(share, 1.0)) if share >= least else ((), 0.0)


@cache
def _meanings() -> tuple[tuple[Concept, tuple[tuple[list[WordToken], tuple[str, ...]], ...]], ...]:
    """The phrases of every concept, cut into words once."""
    found = []
    for concept in concepts():
        cut = [tokens(phrase) for phrase in concept.phrases]
        found.append((concept, tuple((each, tuple(token.folded for token in each)) for each in cut)))
    return tuple(found)


def _agree(typed: WordToken, meant: WordToken) -> bool:
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
    if spelled(found.name) != name:
        yield spelled(found.name), 0.96
    typed = tokens(name)
    header = [token.text for token in typed]
    for nth, part in enumerate(re.split(r"[/,|]", name)):
        if not nth or found.kind not in NUMERIC:  # "giá phòng/đêm" is no number of nights
            yield part, 0.95
    meaning = [token.text for token in typed if token.folded not in marks("generic")]
    coded = bool(typed) and typed[0].folded in marks("id marks")
    kind_of = len(typed) > 1 and typed[0].folded in marks("kind marks")
    if meaning and len(meaning) < len(header) and header[-len(meaning) :] == meaning:
        yield " ".join(meaning), 0.84 if coded else 0.6 if found.kind in TEMPORAL or kind_of else 0.93
    said = {fold(value) for value in found.examples}
    for name_of in (concept, *concepts_of(found)[0][1:]) if concept else ():
        known = next(each for each in concepts() if each.name == name_of)
        for nth, phrase in enumerate(known.phrases):
            if "sum" in words().listed(tuple(token.folded for token in tokens(phrase))):
                continue  # "total" is what is done, not what it is done to
            if any(fold(phrase).endswith(f" {value}") for value in said):
                continue  # "phiếu nhập" names a column and one of its values
            loss = 0.75 if kind_of and fold(phrase) != fold(name) else 1.0
            yield phrase, loss * (0.78 if coded else 0.9) * (1.0 if share >= 0.95 else 0.8) - 0.004 * nth
    ahead = len(tokens(name.split("/")[0])) if found.kind in NUMERIC else len(typed)
    yield from _parts(header[:ahead], [token.folded for token in typed[:ahead]])


def _parts(header: list[str], folded: list[str]) -> Iterable[tuple[str, float]]:
    """Runs of a header's words that say something on their own."""
    for length in range(len(header) - 1, 0, -1):
        for at in range(len(header) - length + 1):
            part_words = folded[at : at + length]
            said = zip(header[at : at + length], part_words, strict=True)
            if all(word in marks("generic") or is_short(typed) for typed, word in said):
                continue
            if length == 1 and (words().listed(tuple(part_words)) or len(part_words[0]) < 3):
                continue
            yield " ".join(header[at : at + length]), 0.5 + 0.03 * length


def telling(phrase: str) -> bool:
    """Whether a part of a value says anything on its own."""
    said = [token.folded for token in tokens(phrase)]
    common = all(is_short(token.text) or token.folded in marks("generic") for token in tokens(phrase))
    if common or nfc(phrase).lower() in concept_words():
        return False  # "tiền" is no "Tiền mặt"
    if len(said) == 1:
        name = phrase[:1].isupper() or not words().listed((said[0],))
        return len(said[0]) >= 2 and name and not said[0].isdigit() and said[0] not in marks("generic")
    if all(word[:1].isupper() for word in phrase.split()):
        return True  # "Hà Nội"
    return not all(words().listed((word,)) or word in marks("generic") for word in said)


def in_number(phrase: str) -> tuple[str, ...]:
    """An English word or phrase in the other number: "companies" for "Company", "receipt" for "Receipts"."""
    last = phrase.rsplit(maxsplit=1)[-1] if phrase.split() else ""
    if not (last.isascii() and last.isalpha() and len(last) > 3) or is_syllable(last.lower()):
        return ()
    ahead, word = phrase[: len(phrase) - len(last)], last.lower()
    if word.endswith("ies"):
        return (f"{ahead}{last[:-3]}y",)
    if word.endswith("s") and not word.endswith("ss"):
        return (f"{ahead}{last[:-1]}",)
    if word.endswith("y") and word[-2] not in "aeiou":
        return (f"{ahead}{last[:-1]}ies",)
    return (f"{ahead}{last}es" if word.endswith(("s", "x", "z", "ch", "sh")) else f"{ahead}{last}s",)
