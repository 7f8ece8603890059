"""Tells a mouth's word from the same word of another trade: "niềng" beside "xe", "braces" beside "CSS" (003-07)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from troly.text.fold import accents, fold, nfc, tokens
from troly.text.language import is_syllable
from troly.text.match import Lexicon, PhraseHit
from troly.text.wordlist import read_lists
from troly_dental.guard.reading import LEXICONS

# What a trade's word takes a mouth's word for, and what it is when it takes none.
TRADE, ASIDE = "trade", "aside"
# Pain is felt in mouths, not in gears: beside it one word of a trade proves nothing. Other parts of the body do hurt.
_BODY = "body elsewhere"
_SHARED_BY_ANY_WORD = frozenset({"bare", "weak"})
_MOUTH = frozenset({"dental", *_SHARED_BY_ANY_WORD})


def told_apart(text: str, hits: Sequence[PhraseHit], *, hurts: bool) -> list[PhraseHit]:
    """`hits` without the words that belong to a trade named in `text`, and with that trade's words.

    Those are labelled `trade` where they took a word away, else `aside`. `hurts` says that pain is told of.
    """
    careful = _with_accents(text)
    named = [hit for hit in _trades().find(text) if not _by_chance(text, hit, careful=careful)]
    named = [
        hit for hit in named if not any(_gives_way(hit, mouth) for mouth in hits if mouth.label in _MOUTH)
    ]
    if not named:
        return list(hits)
    sections = {hit.label for hit in named}
    if hurts and len({(hit.start, hit.end) for hit in named}) == 1:
        sections &= {_BODY}
    kept = [hit for hit in hits if not (_covered(hit, named) or _shared_with(hit) & sections)]
    label = TRADE if len(kept) < len(hits) else ASIDE
    return kept + [PhraseHit(label, hit.phrase, hit.start, hit.end, hit.exact) for hit in _once(named)]


def _gives_way(hit: PhraseHit, mouth: PhraseHit) -> bool:
    """Whether a trade's word is a part of the mouth's longer phrase, or stands on it by its letters alone."""
    if hit.end <= mouth.start or mouth.end <= hit.start:
        return False
    if not hit.exact:
        return _words(hit.phrase) <= _words(mouth.phrase)
    return mouth.start <= hit.start and hit.end <= mouth.end and mouth.end - mouth.start > hit.end - hit.start


def _covered(hit: PhraseHit, named: Iterable[PhraseHit]) -> bool:
    """Whether `hit` is nothing but a part of a trade's phrase: the "răng" of "bánh răng"."""
    return hit.label in _MOUTH and any(one.start <= hit.start and hit.end <= one.end for one in named)


def _shared_with(hit: PhraseHit) -> frozenset[str]:
    """The trades that use the word too."""
    if hit.label not in _MOUTH:
        return frozenset()
    shared = _shared()
    phrase = hit.phrase.lower()
    found = shared.get(phrase) or shared.get(phrase.removesuffix("s")) or frozenset()
    if hit.label in _SHARED_BY_ANY_WORD:
        for word in tokens(hit.phrase):
            found |= shared.get(word.text, frozenset())
    return found


def _with_accents(text: str) -> bool:
    """Whether the message is typed with accents: there "do niềng" is not "độ niềng"."""
    typed = tokens(text)
    return 3 * sum(1 for word in typed if accents(word.text)) >= max(len(typed), 3)


def _by_chance(text: str, hit: PhraseHit, *, careful: bool) -> bool:
    """Whether a single word may as well be another one that was typed without its accents: "hat" is also "hạt"."""
    if careful and not hit.exact:
        return True
    if _words(hit.phrase) > 1:
        return False
    if not hit.exact:
        return True
    bare = not accents(hit.phrase) and is_syllable(fold(hit.phrase))
    return bare and not accents(text) and not _english(text)


def _english(text: str) -> bool:
    from troly.text.language import detect

    return detect(text) == "en"


def _once(named: Iterable[PhraseHit]) -> list[PhraseHit]:
    """One hit for each place: a word may be of several trades."""
    return list({(hit.start, hit.end): hit for hit in named}.values())


def _words(phrase: str) -> int:
    return len(tokens(phrase))


@cache
def _trades() -> Lexicon:
    return Lexicon.load(LEXICONS / "trades.txt")


@cache
def _shared() -> Mapping[str, frozenset[str]]:
    """The trades of each shared word; raises ValueError for one that trades.txt does not have."""
    known = frozenset(read_lists(LEXICONS / "trades.txt"))
    found: dict[str, frozenset[str]] = {}
    for word, trades in read_lists(LEXICONS / "shared.txt").items():
        if strange := set(trades) - known:
            raise ValueError(f"shared.txt: {word}: no such trade: {', '.join(sorted(strange))}")
        found[nfc(word.lower())] = frozenset(trades)
    return found
