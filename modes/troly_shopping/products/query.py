"""Parses which goods a message asks for: kind, maker, price limits, order, comparison, a computer to build."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Literal

from troly.text.fold import fold, folded_words, nfc, tokens
from troly.text.match import PhraseHit, blank_out, spans_of
from troly.text.numbers import Amount, find_amounts
from troly_shopping.products.store import Order
from troly_shopping.wordlists import lexicon, word_lists

Action = Literal["find", "compare", "build"]

MILLION, THOUSAND = 1_000_000, 1_000
# "tầm 500k" means this share more or less.
_LEEWAY = 0.2
_SMALLEST_PRICE = 10_000
# Money that the catalogue has no prices in; nothing here knows a rate of exchange.
_FOREIGN = ("USD", "EUR")
_NEAR = 14
_BETWEEN = re.compile(r"\s*(?:-|~|den|toi|to|and|va|—|–)\s*")
# How the catalogue writes what a computer is for.
_USES = {"gaming": "gaming", "graphics": "dohoa", "office": "vanphong"}
_LIMITS = ("at most", "at least", "about", "budget", "or less", "or more")


@dataclass(frozen=True, slots=True)
class ProductQuery:
    """What is wanted. Prices in VND; `words` are what is left to search for, `codes` those of them with digits.

    `terms` says that it is about delivery, returns and the like. `use` is what a computer is to be built for.
    """

    action: Action = "find"
    kinds: tuple[str, ...] = ()
    brands: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    about: int | None = None
    order: Order = ""
    stocked: bool = False
    words: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    terms: bool = False
    use: str = ""

    @property
    def filtered(self) -> bool:
        """Whether something narrows the catalogue down apart from words."""
        return bool(self.kinds or self.brands or self.priced or self.order in {"cheapest", "dearest"})

    @property
    def priced(self) -> bool:
        """Whether there is a limit of price."""
        return self.low is not None or self.high is not None


@dataclass(frozen=True, slots=True)
class PriceLimits:
    """Price limits in VND and where in the message they stand; `foreign` are amounts of other money, as written."""

    low: int | None
    high: int | None
    about: int | None
    places: tuple[tuple[int, int], ...]
    foreign: tuple[str, ...] = ()


def parse_product_query(message: str, makers: Sequence[str]) -> ProductQuery:
    """What `message` asks for, in both languages, with or without accents; `makers` are those of the catalogue."""
    text = nfc(message)
    limits = parse_price_limits(text)
    rest = blank_out(text, limits.places)
    asked = {
        hit.label
        for hit in lexicon("catalogue", "compare", "build", "cheapest", "dearest", "cheap", "in stock").find(
            rest
        )
    }
    uses = [hit.label for hit in lexicon("catalogue", "gaming", "graphics", "office").find(rest)]
    brands, rest_of_brands = _brands(rest, makers)
    named = _kinds(rest)
    order: Order = "cheapest" if "cheapest" in asked or ("cheap" in asked and not limits.about) else ""
    order = "dearest" if "dearest" in asked else order or ("nearest" if limits.about or limits.high else "")
    parts = _sides(rest) if "compare" in asked else ()
    action: Action = (
        "compare" if len(parts) > 1 else "build" if "build" in asked and _builds(named) else "find"
    )
    left = blank_out(rest_of_brands, spans_of(lexicon("kinds").find(rest_of_brands)))
    left = blank_out(
        left,
        spans_of(
            lexicon("catalogue", "cheapest", "dearest", "cheap", "in stock", "compare", "build").find(left)
        ),
    )
    left = blank_out(left, spans_of(lexicon("catalogue", "gaming", "graphics", "office").find(left)))
    words = _words(left, uses)
    return ProductQuery(
        action=action,
        kinds=named,
        brands=brands,
        low=limits.low,
        high=limits.high,
        about=limits.about,
        order=order,
        stocked="in stock" in asked,
        words=words,
        codes=tuple(word for word in words if any(char.isdigit() for char in word)),
        parts=parts,
        terms=bool(lexicon("catalogue", "terms").find(rest)),
        use=uses[0] if uses else "",
    )


def parse_price_limits(text: str) -> PriceLimits:
    """The price limits in `text`: "dưới 20 triệu", "from 10 to 15 million", "tầm 500k"."""
    amounts = _prices(text)
    hits = lexicon("catalogue", *_LIMITS).find(text)
    places, written = _foreign(text, hits)
    low = high = about = None
    for nth, amount in enumerate(amounts):
        begin = amounts[nth - 1].end if nth else 0
        before = [
            h for h in hits if begin <= h.start and h.end <= amount.start and amount.start - h.end <= _NEAR
        ]
        before = [h for h in before if h.label in {"at most", "at least", "about", "budget"}]
        after = [
            h for h in hits if amount.end <= h.start <= amount.end + 3 and h.label in {"or less", "or more"}
        ]
        joined = nth > 0 and _BETWEEN.fullmatch(fold(text[amounts[nth - 1].end : amount.start]))
        said = after[0].label if after else before[-1].label if before else ""
        if len(before) > 1 and before[-1].label == "about":
            said = before[-2].label if before[-2].label != "budget" else "about"
        value = int(amount.value)
        if joined:
            low, high, about = about or low or high, value, None
        elif said in {"at most", "or less"}:
            high = value
        elif said in {"at least", "or more"}:
            low = value
        else:
            about = value
        places += [(amount.start, amount.end), *((h.start, h.end) for h in (*before, *after))]
    if about is not None and low is None and high is None:
        low, high = int(about * (1 - _LEEWAY)), int(about * (1 + _LEEWAY))
    else:
        about = None
    if low is not None and high is not None and low > high:
        low, high = high, low
    return PriceLimits(low, high, about, tuple(places), written)


def _foreign(text: str, hits: Sequence[PhraseHit]) -> tuple[list[tuple[int, int]], tuple[str, ...]]:
    """Where amounts of other money stand, with the words of limit beside them, and how they are written."""
    amounts = [amount for amount in find_amounts(text) if amount.unit in _FOREIGN]
    places = [(amount.start, amount.end) for amount in amounts]
    places += [
        (hit.start, hit.end)
        for amount in amounts
        for hit in hits
        if 0 <= amount.start - hit.end <= 2 or 0 <= hit.start - amount.end <= 2
    ]
    return places, tuple(text[amount.start : amount.end] for amount in amounts)


def _prices(text: str) -> list[Amount]:
    """The amounts that are prices in VND; "dưới 20" and "10 to 15 million" mean millions."""
    found = find_amounts(text)
    limits = lexicon("catalogue", *_LIMITS[:4]).find(text)
    prices: list[Amount] = []
    for nth, amount in enumerate(found):
        value = amount.value
        following = found[nth + 1] if nth + 1 < len(found) else None
        between = text[amount.end : following.start] if following else ""
        if following and value < THOUSAND <= following.value and not amount.unit and len(between) <= 12:
            scale = MILLION if following.value >= MILLION else THOUSAND
            if value * scale <= following.value and (
                _BETWEEN.fullmatch(fold(between)) or lexicon("catalogue", *_LIMITS).find(between)
            ):
                value *= scale
        bare = (
            amount.unit == "" and 1 <= value < THOUSAND and not re.match(r"\s*[^\W\d_]", text[amount.end :])
        )
        if bare and any(0 <= amount.start - h.end <= 2 and h.label != "budget" for h in limits):
            value *= MILLION if value <= 200 else THOUSAND
        counted = lexicon("catalogue", "not money").find(text[amount.end : amount.end + 20])
        if counted and not text[amount.end : amount.end + counted[0].start].strip():
            continue
        if amount.unit in {"", "VND"} and value >= _SMALLEST_PRICE:
            prices.append(Amount(value, amount.start, amount.end, "VND"))
    return prices


def _kinds(text: str) -> tuple[str, ...]:
    """The first kind named, and others that are listed with it ("chuột và bàn phím")."""
    hits = lexicon("kinds").find(text)
    named = [hit.label for hit in hits[:1]]
    for before, after in pairwise(hits):
        if not re.fullmatch(r"\s*(?:,|&|va|and|hoac|or|hay)\s*", fold(text[before.end : after.start])):
            break
        named.append(after.label)
    return tuple(dict.fromkeys(named))


def _builds(named: Sequence[str]) -> bool:
    """A computer is built from parts: "ráp máy in" or a laptop is not."""
    return not named or named[0] in {"pc", "case", "mainboard", "cpu", "vga"}


def _brands(text: str, makers: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """The makers named, in their order, and the text without them."""
    typed = tokens(text)
    by_words = {tuple(folded_words(maker)): maker for maker in makers if folded_words(maker)}
    found: list[str] = []
    places: list[tuple[int, int]] = []
    for at in range(len(typed)):
        for length in (3, 2, 1):
            span = typed[at : at + length]
            maker = by_words.get(tuple(token.folded for token in span))
            if maker and len(span) == length:
                found.append(maker)
                places.append((span[0].start, span[-1].end))
                break
    return tuple(dict.fromkeys(found)), blank_out(text, places)


def _sides(text: str) -> tuple[str, ...]:
    """The things to compare, as they were written."""
    cut = blank_out(text, spans_of(lexicon("catalogue", "compare").find(text)))
    verbs = {"vs", "versus"}
    marks = lexicon("catalogue", "against").find(text)
    places = sorted({(hit.start, hit.end) for hit in marks})
    sides, begin = [], 0
    for start, end in places:
        sides.append(cut[begin:start])
        begin = end
    sides.append(cut[begin:])
    sides = [piece for side in sides for piece in re.split(r"[,;?!]|\s/\s", side)]
    return tuple(side.strip() for side in sides if set(folded_words(side)) - idle_words() - verbs)


def _words(text: str, uses: Sequence[str]) -> tuple[str, ...]:
    """What is left to search for, neighbours with a digit also joined ("rtx 4060", "rtx4060")."""
    idle = idle_words()
    said = folded_words(text)
    found = dict.fromkeys(word for word in said if word not in idle and (len(word) > 1 or word.isdigit()))
    for before, after in pairwise(said):
        if before in found and after in found and (before + after).isalnum() and after[0].isdigit():
            found[before + after] = None
    found.update(dict.fromkeys(_USES[use] for use in uses))
    return tuple(found)


@cache
def idle_words() -> frozenset[str]:
    """Folded words that say nothing of the goods."""
    return frozenset(word for entry in word_lists("catalogue")["idle"] for word in folded_words(entry))
