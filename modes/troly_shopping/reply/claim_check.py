"""Lets no price, specification or product through that was not retrieved: checks what a model writes while it streams."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import cache

from troly.text.fold import fold, fold_in_place, folded_words, span_in_place
from troly.text.match import Lexicon
from troly.text.numbers import Amount, find_amounts
from troly.text.wordlist import LEXICONS, read_lists
from troly_shopping.wordlists import lexicon, word_lists

_SMALLEST_PRICE = 10_000
_TOKEN = re.compile(r"\S+")
_END = re.compile(r"\n|[.!?…](?=[\s*_)\"”»]*\s)")
_JOINERS = frozenset({"-", "–", "—", "~", "den", "toi", "to", "va", "and", "|"})
# Words of two letters and more after a figure before it can be judged: "18 đến 20 triệu" is one figure.
_SETTLED = 2
_LONGEST = 4_000
_BEFORE = 24
_MARKS = "*_`~"
_AFTER_PRICE = re.compile(r"(?:gia|price|cost|costs)\W*(?:la|chi|con|tu|khoang|is|only|of|from|at)?\W*$")
_MEASURED = re.compile(r"(?<!\w)(?:dpi|mah|rpm|hz)\W*$")
_CLOSING = re.compile(r"\s*(?:[.,;:!?)\n*|]|$)")


def amounts_in(texts: Iterable[str]) -> frozenset[Decimal]:
    """Every amount that stands in `texts`."""
    return frozenset(amount.value for text in texts for amount in find_amounts(text))


class ClaimCheck:
    """Takes pieces of an answer and gives on what may be shown, at once unless a figure is being written.

    A price is shown only when `known` has it, and after the name of one of the `products` in its sentence only when
    that product has it; `budgets` are the customer's own limits, which may be said again after
    "dưới", "tầm" and the like. Any other is replaced by `instead`. `withheld` says that this happened.
    """

    def __init__(
        self,
        known: frozenset[Decimal],
        budgets: frozenset[Decimal],
        instead: str,
        products: Mapping[str, frozenset[Decimal]] | None = None,
        *,
        facts: Iterable[str] | None = None,
        makers: Iterable[str] = (),
    ) -> None:
        """`facts` are the texts that measures and names may come from (None: they are not checked); `makers` begin names."""
        self.withheld = False
        self._of = products or {}
        self._names = Lexicon({name: short_names(name) for name in self._of if folded_words(name)})
        self._known = known
        self._budgets = budgets
        self._instead = instead
        self._text = ""
        self._shown = 0
        self._thought = ThoughtCut()
        self._claims = None if facts is None else _KnownClaims(facts, makers)

    def add(self, piece: str) -> str:
        """Take the next piece; returns what can be shown now."""
        self._text += self._thought.add(piece)
        out = ""
        while end := _END.search(self._text, self._shown):
            out += self._release(end.end())
            self._text, self._shown = self._text[end.end() :], 0
        if len(self._text) > _LONGEST:
            return out + self._cut()
        until = _settled(self._text)
        return out + self._release(until if self._claims is None else min(until, _name_at_end(self._text)))

    def finish(self) -> str:
        """The answer is over: all the rest."""
        self._text += self._thought.finish()
        return self._release(len(self._text))

    def _cut(self) -> str:
        """A sentence without end is judged as far as it goes."""
        out = self._release(len(self._text))
        self._text, self._shown = "", 0
        return out

    def _release(self, until: int) -> str:
        """What stands between what was shown and `until`, prices that nobody retrieved replaced."""
        if until <= self._shown:
            return ""
        text = self._text[:until]
        out, at = "", self._shown
        wrong = [
            (a.start, a.end) for a in find_amounts(_plain(text)) if a.end > at and self._doubtful(text, a)
        ]
        if self._claims is not None:
            wrong += [span for span in self._claims.unknown(_plain(text)) if span[1] > at]
        for start, end in sorted(wrong):
            if end <= at:
                continue
            out += text[at : max(at, start)] + self._instead
            at = end
            self.withheld = True
        self._shown = until
        return out + text[at:]

    def _doubtful(self, text: str, amount: Amount) -> bool:
        """Whether `amount` is a price that was not retrieved, or that of another product than the one named."""
        if amount.value in self._known and not self._is_anothers(text, amount):
            return False
        before, after = text[max(0, amount.start - _BEFORE) : amount.start], text[amount.end :]
        if not _is_price(amount, before, after, self._text[amount.end :]):
            return False
        limits = lexicon("catalogue", "at most", "at least", "about", "budget").find(before)
        near = any(len(before) - hit.end <= 3 for hit in limits)
        more = lexicon("catalogue", "or less", "or more").find(after[:20])
        return not (amount.value in self._budgets and (near or any(hit.start <= 2 for hit in more)))

    def _is_anothers(self, text: str, amount: Amount) -> bool:
        """Whether the sentence names products before `amount` and none of those named last has it.

        Names with no figure between them are named together: "A và B lần lượt giá 10 và 12 triệu".
        """
        hits = self._names.find(text[: amount.start]) if self._of else []
        if not hits or amount.value in self._budgets:
            return False
        prices = [
            found for found in find_amounts(_plain(text[: amount.start])) if found.value in self._prices
        ]
        last = max(hit.start for hit in hits)
        since = max((found.end for found in prices if found.end <= last), default=0)
        named = {hit.label for hit in hits if hit.start >= since}
        return not any(amount.value in self._of[name] for name in named)

    @property
    def _prices(self) -> frozenset[Decimal]:
        """Figures large enough to be prices among those of the products."""
        return frozenset(
            value for values in self._of.values() for value in values if value >= _SMALLEST_PRICE
        )


class ThoughtCut:
    """Leaves out what a model thinks aloud between `<think>` and `</think>`; an opening that never closes ends the text."""

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False

    def add(self, piece: str) -> str:
        """Take the next piece; returns what is no thought."""
        self._held += piece
        out = ""
        while True:
            mark = "</think>" if self._thinking else "<think>"
            at = self._held.casefold().find(mark)
            if at < 0:
                break
            out += "" if self._thinking else self._held[:at]
            self._held = self._held[at + len(mark) :]
            self._thinking = not self._thinking
        keep = next((n for n in range(len(mark) - 1, 0, -1) if self._held.casefold().endswith(mark[:n])), 0)
        ready, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return out if self._thinking else out + ready

    def finish(self) -> str:
        """The text is over: the beginning of a mark that was none."""
        held, self._held = self._held, ""
        return "" if self._thinking else held


_CAPITALS = re.compile(r"(?:(?:^|(?<=\s))[^\s]*[A-Z0-9][^\s]*\s*)*[^\s]*$")


def _name_at_end(text: str) -> int:
    """Where a name begins that may go on after `text`."""
    found = _CAPITALS.search(text[-200:])
    return len(text) - len(found[0]) if found else len(text)


class _KnownClaims:
    """Measures and names of goods that may be said."""

    def __init__(self, facts: Iterable[str], makers: Iterable[str]) -> None:
        text = "\n".join(facts)
        self._measures = {_measure(match) for match in CLAIMED.finditer(fold(text))}
        self._words = {part for word in folded_words(text) for part in (word, *_SPLIT.split(word))}
        self._makers = Lexicon({maker: [maker] for maker in makers if folded_words(maker)})

    def unknown(self, text: str) -> list[tuple[int, int]]:
        """Where measures stand that no fact has, and names after a maker with a word that no fact has."""
        folded, places = fold_in_place(text)
        found = [
            span_in_place(places, len(text), *match.span())
            for match in CLAIMED.finditer(folded)
            if _measure(match) not in self._measures
        ]
        for hit in self._makers.find(text):
            name = _MODEL.match(text, hit.end)
            words = folded_words(name[0]) if name else []
            if any(word not in self._words and not is_listed(word) for word in words):
                found.append((hit.start, hit.end + len(name[0].rstrip()) if name else hit.end))
        return found


# A figure of a specification, a term or a discount.
CLAIMED = re.compile(
    r"(?<![\w.,])(\d+(?:[.,]\d+)?)\s*(gb|tb|inch|hz|kg|mah|w|%|thang|nam|month|year|gio|hour|ngay|day)s?(?![^\W_])"
)
_SPLIT = re.compile(r"(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])")
# What follows a maker as the name of a model: words that begin with a capital or hold a digit.
_MODEL = re.compile(r"(?:[ -](?:[A-Z]|[a-z]*\d)[\w-]*)+")


def _measure(match: re.Match[str]) -> tuple[Decimal, str]:
    value, unit = Decimal(match[1].replace(",", ".")), match[2]
    factor = {"tb": 1024, "nam": 12, "year": 12}.get(unit, 1)
    return value * factor, _SAME.get(unit, unit)


_SAME = {"tb": "gb", "nam": "month", "year": "month", "thang": "month", "gio": "hour", "ngay": "day"}


def is_listed(word: str) -> bool:
    """Whether a word is an ordinary one that may begin a sentence or stand beside a maker."""
    return word in _ordinary()


@cache
def _ordinary() -> frozenset[str]:
    lists = [*word_lists("catalogue").values(), *word_lists("kinds").values(), *word_lists("facts").values()]
    return frozenset(word for entries in lists for entry in entries for word in folded_words(entry))


def short_names(name: str) -> list[str]:
    """A product's name, and the same without the kind that it begins with: "ASUS TUF A15" for the laptop."""
    begins = [hit.end for hit in lexicon("kinds").find(name) if hit.start == 0]
    short = name[max(begins) :].strip() if begins else ""
    return [name, short] if len(folded_words(short)) > 1 else [name]


def _is_price(amount: Amount, before: str, after: str, following: str) -> bool:
    if amount.unit in {"VND", "USD", "EUR"}:
        return True
    if amount.unit or _MEASURED.search(fold(before)):
        return False
    if _AFTER_PRICE.search(fold(before)) and (amount.value >= _SMALLEST_PRICE or _CLOSING.match(following)):
        return True
    counted = lexicon("catalogue", "not money").find(after[:24])
    if counted and not after[: counted[0].start].strip(_MARKS + " "):
        return False
    return amount.value >= _SMALLEST_PRICE


def _settled(text: str) -> int:
    """How far an unfinished sentence can be judged: to before a figure, or the beginning of one, that may go on."""
    found = list(_TOKEN.finditer(text))
    at, plain, until = len(found), 0, len(text)
    if at and not text[-1].isspace() and _may_become_one(_core(found[-1].group())):
        at -= 1
        until = found[at].start()
    whole = at < len(found) or text[-1:].isspace()
    while at > 0 and plain < _SETTLED:
        word = _core(found[at - 1].group())
        if _is_figure(found[at - 1].group(), word):
            break
        plain += whole and word not in _JOINERS and len(word) > 1
        whole = True
        at -= 1
    if at == 0 or plain >= _SETTLED:
        return until
    while at > 0 and (
        _is_figure(found[at - 1].group(), _core(found[at - 1].group())) or _is_joint(found, at)
    ):
        at -= 1
    return found[at].start()


def _is_joint(found: list[re.Match[str]], at: int) -> bool:
    """Whether the token before `at` joins two figures."""
    if at < 2 or _core(found[at - 1].group()) not in _JOINERS:
        return False
    earlier = found[at - 2].group()
    return _is_figure(earlier, _core(earlier))


def _is_figure(token: str, word: str) -> bool:
    return any(char.isdigit() for char in token) or word in _number_words() or bool(set(token) & set("$₫€"))


def _may_become_one(beginning: str) -> bool:
    """Whether a word that is still being written may be a number word."""
    return any(word.startswith(beginning) for word in _number_words())


def _core(token: str) -> str:
    return fold(token).strip(_MARKS + ".,;:!?()\"'“”«»[]")


def _plain(text: str) -> str:
    """Emphasis between a number and its unit hides nothing; offsets stay."""
    return re.sub(r"[*`]", " ", text)


@cache
def _number_words() -> frozenset[str]:
    """Folded words that numbers are made of, and the currencies; single letters only count against digits."""
    lists = read_lists(LEXICONS / "amounts.txt")
    return frozenset(
        folded
        for section, entries in lists.items()
        if section != "unit %"
        for entry in entries
        for word in entry.split()
        if len(folded := fold(word.removesuffix("!"))) > 1
    )
