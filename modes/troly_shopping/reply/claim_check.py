"""Checks what a model writes, sentence by sentence: no price, specification or product that nothing holds is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import cache
from itertools import combinations

from troly.text.arithmetic import derived_figures
from troly.text.fold import fold, fold_in_place, folded_words, span_in_place
from troly.text.match import Lexicon
from troly.text.numbers import Amount, find_amounts
from troly_shopping.wordlists import lexicon, word_lists

_SMALLEST_PRICE = 10_000
_END = re.compile(r"\n|[.!?…](?=[\s*_)\"”»]*\s)")
# What opens an entry of a numbered list is no sentence of its own.
_LIST_NUMBER = re.compile(r"\s*[*_]*\d{1,3}\.")
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_CLOSED_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_BEFORE = 24
_MARKS = "*_`~"
_AFTER_PRICE = re.compile(r"(?:gia|price|cost|costs)\W*(?:la|chi|con|tu|khoang|is|only|of|from|at)?\W*$")
# A model that is one word: "G304".
_CODE = re.compile(r"[A-Za-z]+\d[\w-]{2,}")
_MEASURED = re.compile(r"(?<!\w)(?:dpi|mah|rpm|hz)\W*$")
_CLOSING = re.compile(r"\s*(?:[.,;:!?)\n*|]|$)")


def amounts_in(texts: Iterable[str]) -> frozenset[Decimal]:
    """Every amount that stands in `texts`."""
    return frozenset(amount.value for text in texts for amount in find_amounts(text))


def without_thoughts(text: str) -> str:
    """`text` without what a model thinks aloud between `<think>` and `</think>`; an opening that never closes ends it."""
    return _THOUGHT.sub("", text)


class SentenceReader:
    """Puts the pieces of an answer together to sentences, without what a model thinks aloud."""

    def __init__(self) -> None:
        self._text = ""

    def add(self, piece: str) -> list[str]:
        """Take the next piece; returns the sentences that are whole now, with the blanks between them."""
        self._text = _CLOSED_THOUGHT.sub("", self._text + piece)
        found = []
        while end := _sentence_end(without_thoughts(self._text)):
            found.append(self._text[:end])
            self._text = self._text[end:]
        return found

    def finish(self) -> str:
        """The answer is over: all the rest."""
        rest, self._text = without_thoughts(self._text), ""
        return rest


def _sentence_end(text: str) -> int:
    """Where the first sentence of `text` ends; 0 where it goes on."""
    ends = (match.end() for match in _END.finditer(text))
    return next((end for end in ends if not _LIST_NUMBER.fullmatch(text[:end])), 0)


class ClaimCheck:
    """Says which claims of a sentence nothing holds.

    A price is held where one of `sources` or of what the shop has `said` has it, where it follows from figures of the answer
    that are held, or where it is the difference of two prices that are `compared`; after the
    name of one of `products` in its sentence it must be that product's. What the `customer` wrote may be worked with and
    repeated, but is nobody's price. Measures must stand in either, and so must every word of a name after one of `makers`.
    """

    def __init__(
        self,
        sources: Iterable[str],
        makers: Iterable[str] = (),
        customer: Iterable[str] = (),
        products: Mapping[str, frozenset[Decimal]] | None = None,
        *,
        said: Iterable[str] = (),
        compared: Iterable[Decimal] = (),
    ) -> None:
        held, shop, own = "\n".join(sources), "\n".join(said), "\n".join(customer)
        self._of = products or {}
        self._differences = frozenset(abs(a - b) for a, b in combinations(sorted(set(compared)), 2))
        makers = list(makers)
        self._names = Lexicon({name: short_names(name, makers) for name in self._of if folded_words(name)})
        self._prices = {price for prices in self._of.values() for price in prices}
        known = amounts_in([held]) | self._prices
        self._own = amounts_in([own]) - known
        # What the shop repeated of the customer's figures is still the customer's.
        self._known = known | (amounts_in([shop]) - self._own)
        text = f"{held}\n{shop}\n{own}"
        self._measures = {_measure(match) for match in _CLAIMED.finditer(fold(text))}
        self._words = {part for word in folded_words(text) for part in (word, *_SPLIT.split(word))}
        self._makers = Lexicon({maker: [maker] for maker in makers if folded_words(maker)})

    def refused(self, sentence: str, before: str = "") -> list[str]:
        """The claims of `sentence`, which follows `before` in the answer, that nothing holds, as written."""
        plain = _plain(sentence)
        worked_out = derived_figures(_plain(before) + plain, self._known | self._own) | self._differences
        # The sum of what was told, and what is left of the customer's own figure.
        told = [
            amount.value for amount in find_amounts(_plain(before) + plain) if amount.value in self._prices
        ]
        sums = {*told, sum(told, Decimal(0)), sum(dict.fromkeys(told), Decimal(0))} if told else set()
        worked_out |= sums | {abs(own - one) for own in self._own for one in sums}
        held = self._known | worked_out
        spans = [(a.start, a.end) for a in find_amounts(plain) if self._is_doubtful(sentence, a, held)]
        spans += self._unknown(plain, worked_out)
        return [sentence[start:end].strip() for start, end in sorted(spans)]

    def _is_doubtful(self, text: str, amount: Amount, held: frozenset[Decimal]) -> bool:
        """Whether `amount` is a price that nothing holds, or that of another product than the one named."""
        if amount.value in held and not self._is_anothers(text, amount):
            return False
        before, after = text[max(0, amount.start - _BEFORE) : amount.start], text[amount.end :]
        if not _is_price(amount, before, after):
            return False
        if amount.value not in self._own:
            return True
        limits = lexicon("catalogue", "at most", "at least", "about", "budget").find(before)
        near = any(len(before) - hit.end <= 3 for hit in limits) or bool(_RANGE.search(fold(before)))
        more = lexicon("catalogue", "or less", "or more").find(after[:20])
        if near or any(hit.start <= 2 for hit in more):
            return False
        named = self._names.find(text[: amount.start]) or self._makers.find(text[: amount.start])
        return bool(named or _AFTER_PRICE.search(fold(before)))

    def _is_anothers(self, text: str, amount: Amount) -> bool:
        """Whether the sentence names products before `amount` and none of those named last has it.

        Names with no figure between them are named together: "A và B lần lượt giá 10 và 12 triệu".
        """
        others = frozenset(price for prices in self._of.values() for price in prices)
        hits = self._names.find(text[: amount.start]) if amount.value in others else []
        if not hits:
            return False
        told = [found for found in find_amounts(_plain(text[: amount.start])) if found.value in others]
        last = max(hit.start for hit in hits)
        since = max((found.end for found in told if found.end <= last), default=0)
        # What is reckoned with may be any of theirs: "B đắt hơn A là 4.290.000 − 2.490.000".
        reckoned = _OPERATOR.match(fold(text[amount.end :])) or _OPERATOR_BEFORE.search(
            fold(text[: amount.start])
        )
        named = {hit.label for hit in hits if reckoned or hit.start >= since}
        return not any(amount.value in self._of[name] for name in named)

    def _unknown(self, text: str, worked_out: frozenset[Decimal]) -> list[tuple[int, int]]:
        """Where measures stand that nothing holds, and names after a maker with a word that nothing has."""
        folded, places = fold_in_place(text)
        found = [
            span_in_place(places, len(text), *match.span())
            for match in _CLAIMED.finditer(folded)
            if _measure(match) not in self._measures and Decimal(match[1].replace(",", ".")) not in worked_out
        ]
        for hit in self._makers.find(text):
            name = _MODEL.match(text, hit.end)
            words = folded_words(name[0]) if name else []
            if any(word not in self._words and word not in _ordinary() for word in words):
                found.append((hit.start, hit.end + len(name[0].rstrip()) if name else hit.end))
        return found


# A figure of a specification, a term or a discount.
_CLAIMED = re.compile(
    r"(?<![\w.,:])(\d+(?:[.,]\d+)?)\s*(gb|tb|inch|hz|kg|mah|w|%|thang|nam|month|year|gio|hour|ngay|day)s?(?![^\W_])"
)
_SPLIT = re.compile(r"(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])")
# What follows a maker as the name of a model: words that begin with a capital or hold a digit.
_MODEL = re.compile(r"(?:[ -](?:[A-Z]|[a-z]*\d)[\w-]*)+")
# "từ 15 đến": the second end of a range.
_RANGE = re.compile(r"\d[^.;!?]{0,16}(?:-|–|den|toi|to)\s*$")
_OPERATOR = re.compile(r"\s*(?:vnd|d|₫)?\s*[−–+×*=-]\s*\d")
_OPERATOR_BEFORE = re.compile(r"\d\s*(?:vnd|d|₫)?\s*[−–+×*=-]\s*$")
_SAME = {"tb": "gb", "nam": "month", "year": "month", "thang": "month", "gio": "hour", "ngay": "day"}


def _measure(match: re.Match[str]) -> tuple[Decimal, str]:
    value, unit = Decimal(match[1].replace(",", ".")), match[2]
    factor = {"tb": 1024, "nam": 12, "year": 12}.get(unit, 1)
    return value * factor, _SAME.get(unit, unit)


@cache
def _ordinary() -> frozenset[str]:
    """Words that may begin a sentence or stand beside a maker."""
    lists = [*word_lists("catalogue").values(), *word_lists("kinds").values(), *word_lists("facts").values()]
    return frozenset(word for entries in lists for entry in entries for word in folded_words(entry))


def short_names(name: str, makers: Iterable[str] = ()) -> list[str]:
    """A product's name, the same without the kind that it begins with ("ASUS TUF A15"), and without the maker ("TUF A15")."""
    begins = [hit.end for hit in lexicon("kinds").find(name) if hit.start == 0]
    short = name[max(begins) :].strip() if begins else ""
    places = {maker: fold(f" {name} ").find(f" {fold(maker)} ") for maker in makers}
    bare = next((name[at + len(maker) :].strip() for maker, at in places.items() if at >= 0), "")
    return [name, *(one for one in (short, bare) if len(folded_words(one)) > 1 or _CODE.fullmatch(one))]


def _is_price(amount: Amount, before: str, after: str) -> bool:
    if amount.unit in {"VND", "USD", "EUR"}:
        return True
    if amount.unit or _MEASURED.search(fold(before)):
        return False
    if _AFTER_PRICE.search(fold(before)) and (amount.value >= _SMALLEST_PRICE or _CLOSING.match(after)):
        return True
    counted = lexicon("catalogue", "not money").find(after[:24])
    if counted and not after[: counted[0].start].strip(_MARKS + " "):
        return False
    return amount.value >= _SMALLEST_PRICE


def _plain(text: str) -> str:
    """Emphasis between a number and its unit hides nothing; offsets stay."""
    return re.sub(r"[*`]", " ", text)
