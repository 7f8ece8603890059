"""Finds serials of the table that one mistyped may have meant; they are offered, never used by themselves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, product
from math import prod
from unicodedata import normalize

from troly_shopping.wordlists import word_lists

# Upper-case serials of those given that the table has, with the form in which it has them.
Known = Callable[[Sequence[str]], Mapping[str, str]]

OFFERED = 3
MAX_VARIANTS = 1024
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"
# One edit away from something this short is half the table.
_SHORTEST_EDITED = 5
_PIECE = re.compile(r"[A-Za-z0-9]+")
_BETWEEN = re.compile(r"[\s._/\\:|·-]{1,3}")
_MAX_PIECES, _MAX_JOINED = 6, 400
_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")


def similar_serials(serial: str, known: Known) -> tuple[str, ...]:
    """Up to three serials of the table that `serial`, which it has not, may stand for.

    Look-alikes first, then two characters swapped, then one character too many, missing or wrong. Where more than
    three are as near, none is: that would be a guess.
    """
    word = plain_characters(serial).upper()
    alike = _found(variants(word), known)
    if alike:
        return alike[:OFFERED]
    if len(word) < _SHORTEST_EDITED or len(word) > 32:
        return ()
    for tier in (_swapped(word), _edited(word)):
        found = _found(tier, known)
        if found:
            return found if len(found) <= OFFERED else ()
    return ()


def serials_written_apart(text: str, known: Known) -> tuple[str, ...]:
    """Serials of the table that stand in `text` with blanks or dots inside, in full width or in another script."""
    text = plain_characters(text)
    found = _found(dict.fromkeys(_runs(text)), known)
    longest = sorted(found, key=len, reverse=True)
    return tuple(one for one in longest if not any(one != other and one in other for other in longest))[
        :OFFERED
    ]


def plain_characters(text: str) -> str:
    """`text` in half width, without invisible characters, letters of other scripts as those they look like."""
    return _INVISIBLE.sub("", normalize("NFKC", text)).translate(_foreign())


def variants(word: str) -> list[str]:
    """`word` with look-alikes exchanged, hyphens left out too; the most likely ones where there are too many."""
    out: dict[str, None] = {}
    for base in dict.fromkeys((word, word.replace("-", ""))):
        options = [_alike().get(char, char) for char in base]
        if prod(len(option) for option in options) <= MAX_VARIANTS:
            out |= dict.fromkeys("".join(chars) for chars in product(*options))
        else:
            out |= dict.fromkeys(_few_changes(base, options))
    return list(out)


def _few_changes(word: str, options: Sequence[str]) -> Iterator[str]:
    """At most two places changed."""
    places = [at for at, option in enumerate(options) if len(option) > 1]
    for count in (1, 2):
        for chosen in combinations(places, count):
            for chars in product(*(options[at] for at in chosen)):
                letters = list(word)
                for at, char in zip(chosen, chars, strict=True):
                    letters[at] = char
                yield "".join(letters)


def _swapped(word: str) -> list[str]:
    return [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)]


def _edited(word: str) -> list[str]:
    out: dict[str, None] = {}
    for at in range(len(word) + 1):
        head, tail = word[:at], word[at:]
        if tail:
            out[head + tail[1:]] = None
            out |= dict.fromkeys(head + char + tail[1:] for char in _LETTERS)
        out |= dict.fromkeys(head + char + tail for char in _LETTERS)
    out.pop(word, None)
    return list(out)


def _runs(text: str) -> Iterator[str]:
    """Neighbouring pieces of `text` written together, and with hyphens; at least one digit in each."""
    pieces = list(_PIECE.finditer(text))[:_MAX_JOINED]
    for first, piece in enumerate(pieces):
        words = [piece.group()]
        yield from _writings(words)
        for before, after in zip(pieces[first:], pieces[first + 1 : first + _MAX_PIECES], strict=False):
            if not _BETWEEN.fullmatch(text, before.end(), after.start()):
                break
            words.append(after.group())
            yield from _writings(words)


def _writings(words: Sequence[str]) -> Iterator[str]:
    together = "".join(words).upper()
    if 3 <= len(together) <= 32 and any(char.isdigit() for char in together):
        yield together
        if len(words) > 1:
            yield "-".join(words).upper()


def _found(wanted: Iterable[str], known: Known) -> tuple[str, ...]:
    wanted = list(wanted)
    table = known(wanted)
    return tuple(dict.fromkeys(table[word] for word in wanted if word in table))


@cache
def _alike() -> dict[str, str]:
    return {char: group for group in word_lists("lookalikes")["alike"] for char in group}


@cache
def _foreign() -> dict[int, str]:
    return {ord(pair[0]): pair[1] for pair in word_lists("lookalikes")["foreign"]}
