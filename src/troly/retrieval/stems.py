"""English words without their endings, for comparing: "refunds", "refunded" and "refund" are one."""

from __future__ import annotations

from functools import lru_cache

_VOWELS = frozenset("aeiouy")
_SHORTEST = 3


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A folded `word` without plural, -ed and -ing; no word to show, only a key that its forms share."""
    if len(word) <= _SHORTEST or not word.isascii() or not word.isalpha():
        return word
    bare = word
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        bare = word[:-1]
    else:
        for ending in ("ing", "ed"):
            rest = word.removesuffix(ending)
            if rest != word and len(rest) >= _SHORTEST - 1 and _VOWELS & set(rest):
                bare = rest
    return _closed(bare)


def _closed(bare: str) -> str:
    """The end of a word as it is the same for "policy" and "policie", "stop" and "stopp", "close" and "clos"."""
    bare = bare[:-1] if len(bare) > _SHORTEST and bare.endswith("e") else bare
    if len(bare) > _SHORTEST and bare[-1] == bare[-2] and bare[-1] not in _VOWELS:
        bare = bare[:-1]
    return f"{bare[:-1]}i" if len(bare) > _SHORTEST and bare.endswith("y") else bare


def forms(word: str) -> tuple[str, ...]:
    """`word` as texts write it: itself, its plural, past and -ing form, built by rule whether they exist or not."""
    if not word.isascii() or not word.isalpha() or len(word) < _SHORTEST:
        return (word,)
    if word.endswith("y") and word[-2] not in _VOWELS:
        found = (word, f"{word[:-1]}ies", f"{word[:-1]}ied", f"{word}ing")
    elif word.endswith("e"):
        found = (word, f"{word}s", f"{word}d", f"{word[:-1]}ing")
    else:
        plural = f"{word}es" if word.endswith(("s", "x", "z", "ch", "sh")) else f"{word}s"
        doubled = word + word[-1] if _doubles(word) else word
        found = (word, plural, f"{doubled}ed", f"{doubled}ing")
    return found


def _doubles(word: str) -> bool:
    """Whether the last letter is written twice before an ending: "plan", "stop", but "order", "repair"."""
    first, middle, last = list(word[-3:])
    short = sum(letter in _VOWELS for letter in word) == 1
    return short and first not in _VOWELS and middle in _VOWELS and last not in {*_VOWELS, "w", "x"}
