"""Checks what a model writes, sentence by sentence: no price, specification or product that nothing holds is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache, lru_cache
from itertools import combinations
from math import inf

from troly.plugin.focus import Focus, FocusRow, find_reference
from troly.text.arithmetic import derived_figures
from troly.text.fold import fold, fold_in_place, folded_words, span_in_place
from troly.text.language import is_syllable
from troly.text.match import Lexicon, PhraseHit, spans_of
from troly.text.numbers import Amount, find_amounts
from troly_shopping.products.offers import SOFT
from troly_shopping.products.order import things
from troly_shopping.products.query import FIGURE, is_code
from troly_shopping.products.request import SIZES
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
# The code of a model within a name, no size: "G304", "520BT", "U2724D", "32UN650-W", "15s-fq5229TU".
_CODE = re.compile(r"(?<![\w-])(?!\d+m+\b)(?=[\w-]*[A-Za-z])(?=[\w-]*\d)[\w-]{2,}(?![\w-])")
# In a name ("Z313 2.1", "WiFi 6 (2 cái)") what phrases are not found across.
_INNER = re.compile(r"(?<=\d)\.(?=\d)|(?<=\w )\((?=\d)")
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
    name of one of `products` (row texts by name) in its sentence it must be that product's, and so must measures and terms of
    warranty, unless a page among the sources has them or they are denied, compared or wished for. A sentence that names none
    and points at one ("máy này") or leaves it out is about those named last before it, else about those `shown`. What the `customer` wrote
    may be worked with and repeated, but is nobody's price. Other measures must stand in either, and so must every word of a
    name after one of `makers`. A discount or a gift must stand in `sources`, a row or what was `said`.
    """

    def __init__(
        self,
        sources: Iterable[str],
        makers: Iterable[str] = (),
        customer: Iterable[str] = (),
        products: Mapping[str, str] | None = None,
        *,
        said: Iterable[str] = (),
        compared: Iterable[Decimal] = (),
        shown: Iterable[str] = (),
    ) -> None:
        pages, shop, own = "\n".join(sources), "\n".join(said), "\n".join(customer)
        self._rows = dict(products or {})
        held = "\n".join([pages, *self._rows.values()])
        self._folded_rows = {name: f" {' '.join(folded_words(row))} " for name, row in self._rows.items()}
        self._of = {name: amounts_in([row]) for name, row in self._rows.items()}
        self._compared, self._shown = frozenset(compared), [name for name in shown if name in self._rows]
        self._differences = frozenset(abs(a - b) for a, b in combinations(sorted(self._compared), 2))
        makers = list(makers)
        self._name_words = {name: frozenset(folded_words(name)) for name in self._of}
        self._names = Lexicon(
            {name: short_names(name, makers) for name, own in self._name_words.items() if own}
        )
        self._prices = {price for prices in self._of.values() for price in prices}
        known = amounts_in([held]) | self._prices
        self._own = amounts_in([own]) - known
        # What the shop repeated of the customer's figures is still the customer's.
        self._known = known | (amounts_in([shop]) - self._own)
        text = f"{held}\n{shop}\n{own}"
        self._only_own = _measures(own) - _measures(f"{held}\n{shop}")
        self._measures, self._pages = _measures(text), _measures(pages)
        told = [one for one in _SENTENCES.split(f"{held}\n{shop}") if one.strip()]
        offered = lexicon("claims", "discount", "gift", "plain")
        self._discounts = [one for one in told if "discount" in offered.labels_in(one)]
        self._gifts = [one for one in told if "gift" in offered.labels_in(one)]
        self._told = [_rules_in(one) for one in _SENTENCES.split(f"{pages}\n{shop}") if one.strip()]
        self._words = {part for word in folded_words(text) for part in (word, *_SPLIT.split(word))}
        self._makers = Lexicon({maker: [maker] for maker in makers if folded_words(maker)})

    def refused(self, sentence: str, before: str = "") -> list[str]:
        """The claims of `sentence`, which follows `before` in the answer, that nothing holds, as written."""
        plain = _plain(sentence)
        hits = self._named(plain)
        hits = [*self._spoken_of(plain, hits, before), *hits]
        worked_out = derived_figures(_plain(before) + plain, self._known | self._own) | self._differences
        # The sum of what was told, and what is left of the customer's own figure.
        told = [
            amount.value
            for amount in find_amounts(_plain(before) + plain)
            if amount.value in self._known and amount.value >= _SMALLEST_PRICE
        ]
        sums = {*told, sum(told, Decimal(0)), sum(dict.fromkeys(told), Decimal(0))} if told else set()
        worked_out |= sums | {abs(own - one) for own in self._own for one in sums}
        # So many pieces of what is named or was retrieved: "đơn 2 màn hình là 21.980.000".
        named = {price for hit in hits for price in self._of[hit.label]} or self._compared
        worked_out |= {int(count) * price for count in _PIECES.findall(plain) for price in named}
        held = self._known | worked_out
        spans = [(a.start, a.end) for a in find_amounts(plain) if self._is_doubtful(sentence, a, held, hits)]
        spans += [*self._unknown(plain, worked_out, hits), *self._not_listed(plain, hits)]
        spans += [*self._not_offered(plain), *self._not_ruled(plain)]
        return [sentence[start:end].strip() for start, end in sorted(spans)]

    def rows_meant(self, sentence: str, before: str = "") -> list[str]:
        """The rows of the products that `sentence`, which follows `before` in the answer, is about."""
        plain = _plain(sentence)
        hits = self._named(plain)
        hits = [*self._spoken_of(plain, hits, before), *hits]
        return [self._rows[name] for name in dict.fromkeys(hit.label for hit in hits)]

    def _is_doubtful(
        self, text: str, amount: Amount, held: frozenset[Decimal], hits: Sequence[PhraseHit]
    ) -> bool:
        """Whether `amount` is a price that nothing holds, or that of another product than the one named."""
        if amount.value in held and not self._is_anothers(text, amount, hits):
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

    def _is_anothers(self, text: str, amount: Amount, hits: Sequence[PhraseHit]) -> bool:
        """Whether the sentence names products before `amount` and none of those named last has it.

        Names with no figure between them are named together: "A và B lần lượt giá 10 và 12 triệu".
        """
        if amount.value not in self._prices:
            return False
        told = [(one.start, one.end) for one in find_amounts(_plain(text)) if one.value in self._prices]
        # "8.490.000 VND của B" has its name behind it.
        owners = [
            hit for hit in hits if _OWNED.fullmatch(fold(text[amount.end : max(amount.end, hit.start)]))
        ]
        if owners:
            return not any(amount.value in self._of[hit.label] for hit in owners)
        last = _last_named(hits, told, amount.start)
        if not last:
            return False
        # What is reckoned with may be any of theirs: "B đắt hơn A là 4.290.000 − 2.490.000".
        reckoned = _OPERATOR.match(fold(text[amount.end :])) or _OPERATOR_BEFORE.search(
            fold(text[: amount.start])
        )
        named = {hit.label for hit in (hits if reckoned else last) if hit.end <= amount.start}
        # A word of another's name that is not called by it ("XA") may stand since the last figure.
        since = max((end for _, end in told if end <= amount.start), default=0)
        words = {*folded_words(text[since : amount.start])} - _ordinary()
        words -= {
            word for name in named for word in (*self._folded_rows[name].split(), *self._name_words[name])
        }
        named |= {name for name, own in self._name_words.items() if words & own}
        return not any(amount.value in self._of[name] for name in named)

    def _unknown(
        self, text: str, worked_out: frozenset[Decimal], hits: list[PhraseHit]
    ) -> list[tuple[int, int]]:
        """Where measures stand that nothing holds, and names after a maker with a word that nothing has."""
        measured = {at: (value, one) for at, value, one in _claimed(text) if not _within(at[0], hits)}
        found = [
            at
            for at, (value, one) in measured.items()
            if (one not in self._measures and value not in worked_out)
            or self._is_of_another(text, one, at, (hits, _last_named(hits, measured, at[0])))
        ]
        for hit in self._makers.find(text):
            name = _model_after(text, hit.end)
            if any(word not in self._words and word not in _ordinary() for word in folded_words(name)):
                found.append((hit.start, hit.end + len(name)))
        return found

    def _not_listed(self, text: str, hits: Sequence[PhraseHit]) -> Iterator[tuple[int, int]]:
        """Where a part, a property or a stock is claimed of a product named that its row does not have."""
        if not hits or text.rstrip().endswith("?"):
            return
        listed, stocks = [*_listed_claims(text)], lexicon("claims", "stocked", "sold out").find(text)
        told = [(one.start, one.end) for one in find_amounts(text) if one.value in self._prices]
        told += [*((start, end) for start, end, *_ in listed), *spans_of(stocks)]
        for start, end, *claim in listed:
            if _is_doubted(text, start, end, hits) or _within(start, hits):
                continue
            if not any(_has(row, *claim) for row in self._rows_of(text, hits, told, start)):
                yield start, end
        for hit in stocks:
            rows = [fold(row) for row in self._rows_of(text, hits, told, hit.start)]
            stocked = [bool(_stocks(row)) for row in rows if _stocks(row) or _sold_out(row)]
            asked = lexicon("claims", "asked").find(_clause(text, hit.start))
            every = all if _of_all(text, hit.start) else any
            if stocked and not asked and not every(one == (hit.label == "stocked") for one in stocked):
                yield hit.start, hit.end

    def _not_ruled(self, text: str) -> Iterator[tuple[int, int]]:
        """Where a rule of the shop is told with a term, not a figure, that no page has of it: "trả hàng miễn phí"."""
        rules, _ = _rules_in(text)
        if text.rstrip().endswith("?") or not rules:
            return
        hits = lexicon("claims", "denied", *_TERMS).find(text)
        for hit in [one for one in hits if one.label in _TERMS]:
            near = _rules_in(_clause(text, hit.start))[0] or rules
            denied = any(one.label == "denied" and 0 <= hit.start - one.end <= _NEAR for one in hits)
            if not denied and not any(hit.label in terms and near & told for told, terms in self._told):
                yield hit.start, hit.end

    def _rows_of(
        self, text: str, hits: Sequence[PhraseHit], told: Sequence[tuple[int, int]], at: int
    ) -> list[str]:
        """The rows of the products that what stands at a place may be said of: those named last before it, else all.

        What those named last are held against ("rẻ hơn B") may be spoken of still.
        """
        last = _last_named(hits, told, at)
        if last and not {"each", "all of"} & {*lexicon("claims", "each", "all of").labels_in(text)}:
            held = _THAN.search(fold(text[: last[0].start]))
            last = [*(_last_named(hits, told, last[0].start) if held else ()), *last]
        else:
            last = [hit for hit in hits if hit.end <= at] or [*hits]
        return [self._rows[hit.label] for hit in last]

    def _spoken_of(self, text: str, hits: Sequence[PhraseHit], before: str) -> list[PhraseHit]:
        """The products that `text` goes on about without a name ("máy này", "it", "Bảo hành 24 tháng ạ"), where it does so."""
        told = (self._named(one) for one in reversed(_SENTENCES.split(_plain(before))))
        names = dict.fromkeys(hit.label for hit in next(filter(None, told), ())) or self._shown
        if not names or (hits and hits[0].start == 0):
            return []
        short = [hit for hit in self._in_short(text, names, hits) if not hits or hit.start < hits[0].start]
        if short:
            return short
        goods = Focus("", "", tuple(FocusRow(name, name) for name in names))
        pointed = find_reference(text, goods, things=(*things(), *word_lists("claims")["thing"]))
        spans = [*pointed.spans] if pointed and pointed.kind in {"this", "these"} else []
        if not (spans or hits or self._makers.find(text)):
            listed = [*lexicon("attributes").find(text), *lexicon("kinds").find(text)]
            # "Thời gian bảo hành là 24 tháng" is of goods; what is said of "pin" or "laptop" may be a rule of the shop.
            near = inf if {hit.label for hit in listed} == {"warranty"} else _NEAR
            opening = [*listed, *lexicon("claims", "thing").find(text)]
            spans = [(hit.start, hit.start) for hit in opening if hit.start <= near]
        if not spans or any(hit.end <= spans[0][0] for hit in hits):
            return []
        return [PhraseHit(name, text[slice(*spans[0])], *spans[0], exact=True) for name in names]

    def _named(self, text: str) -> list[PhraseHit]:
        """The products that `text` names; no part of another that is named ("PC … CPU Intel Core i3"), and none whose name
        goes on with a word of another model ("990 EVO" in "990 EVO Plus").
        """
        hits = self._names.find(_INNER.sub("-", text))
        rows = {hit.label: self._folded_rows[hit.label] for hit in hits}
        whole = [
            hit
            for hit in hits
            if not any(
                f" {' '.join(folded_words(hit.phrase))} " in rows[one.label]
                for one in hits
                if one.label != hit.label and one.phrase != hit.phrase
            )
            and {*folded_words(_model_after(text, hit.end))} <= {*rows[hit.label].split()}
        ]
        short = self._in_short(text, [hit.label for hit in whole], whole) if whole else []
        return sorted([*whole, *short], key=lambda hit: hit.start)

    def _in_short(self, text: str, labels: Iterable[str], taken: Sequence[PhraseHit] = ()) -> list[PhraseHit]:
        """The goods that stand in short beside those of `labels`: the version that has this size or word in its name ("bản
        16GB", "con Trắng"), or "the other"; nothing that begins within what is `taken`.
        """
        labels = [*labels]
        lines, found = {_line(label) for label in labels}, []
        for match in _IN_SHORT.finditer(text):
            if _within(match.start(), taken):
                continue
            short = " ".join(filter(None, match.groups()))
            # Its versions: names that differ from theirs in sizes, or in one word.
            near = [name for name in self._rows if short and any(are_versions(name, one) for one in labels)]
            if sizes := _sizes(short):
                # Of the same colour, where there is one.
                meant = [name for name in near if sizes <= _sizes(name)]
                meant = [name for name in meant if _line(name) in lines] or meant
            elif short:
                word = fold(short)
                meant = [name for name in near if word in self._name_words[name]]
                meant = [] if len(meant) == len(near) else meant
            else:
                meant = [name for name, own in self._of.items() if own & self._compared]
            found += [PhraseHit(name, match[0], *match.span(), exact=True) for name in meant]
        return found

    def _is_of_another(
        self,
        text: str,
        measure: tuple[Decimal, str],
        at: tuple[int, int],
        named: tuple[list[PhraseHit], list[PhraseHit]],
    ) -> bool:
        """Whether a specification, term of warranty or discount `at` a place is claimed that its product does not have.

        `named` are all products of the sentence and those named last before it.
        """
        start, end = at
        clause = _clause(text, start)
        labels = {*lexicon("claims", "warranty", "discount", "denied", "plain").labels_in(clause)}
        if measure in self._only_own and measure[1] in {"day", "hour", "month"} and "denied" not in labels:
            # "30 ngày" that the customer said is no rule of the shop.
            ruled = {*lexicon("claims", *_RULES, "asked").labels_in(clause)}
            return bool(ruled) and "asked" not in ruled and not text.rstrip().endswith("?")
        hits, last = named
        # Where none is named before it, all may be meant; "8GB của B" has its name behind it.
        each = bool(lexicon("claims", "each", "all of").find(text))
        meant = [*(hits if each else last or hits), *(hit for hit in hits if end <= hit.start <= end + _NEAR)]
        owns = [_measures(self._rows[hit.label]) for hit in meant]
        own = set[tuple[Decimal, str]]().union(*owns)
        if owns and measure[1] == "month" and _of_all(text, start):
            own = set.intersection(*owns)
        if measure[1] == "%":
            offered = _measures("\n".join(self._discounts)) | own
            # A discount under a condition ("nếu chuyển khoản") is one too.
            asked = lexicon("claims", "asked of").find(text[:start])
            return "discount" in labels and "denied" not in labels and not asked and measure not in offered
        if not meant or measure in own or measure[1] not in _TIED or _is_doubted(text, start, end, hits):
            return False
        if last and _JOINED.fullmatch(text, last[-1].end, start):
            return False  # "… 16GB/32GB" names two versions
        term = measure[1] == "month"
        if term and "warranty" not in labels:
            return False
        return measure not in self._pages or (term and any(unit == "month" for _, unit in own))

    def _not_offered(self, text: str) -> list[tuple[int, int]]:
        """Where it is said that there is a discount or a gift now which no source tells of."""
        hits = lexicon("claims", "discount now", "gift now", "denied", "plain").find(text)
        if text.rstrip().endswith("?") or any(hit.label == "denied" for hit in hits):
            return []
        found = []
        for hit in hits:
            if hit.label == "discount now" and not self._discounts:
                found.append((hit.start, hit.end))
            elif hit.label == "gift now":
                rest = re.split(r"[.,;:!()\n]", text[hit.start :], maxsplit=1)[0]
                given = [word for word in folded_words(rest) if word not in _GIVING]
                told = {word for one in self._gifts for word in folded_words(one)}
                if not told or (given and not told & set(given)):
                    found.append((hit.start, hit.start + len(rest)))
        return found


# What a computer or a screen has, as catalogues write it.
_PART = re.compile(
    r"(?<!\w)(?:(?:rtx|gtx|rx)\s?\d{3,4}(?:\s?ti)?|i[3579](?:-\w+)?|ryzen\s?[3579]|(?:am)?oled|ips|ddr[345])(?!\w)"
)
# How many there are: "còn 5 chiếc", "5 in stock".
_LEFT = re.compile(
    r"(?<!\w)(?:con (?:lai )?(\d+) (?:chiec|cai|con|san pham|may|bo|hang)(?!\w)|(\d+) (?:units? )?(?:left|in stock))"
)
_LISTED = re.compile(r"(?<!\w)(?:con (\d+)|(\d+) in stock)(?!\w)")
# A figure of a specification, a term or a discount.
_UNIT = r"(gb|tb|inch|hz|kg|mah|w|%|phan tram|percent|thang|nam|month|year|gio|hour|ngay|day)s?(?![^\W_])"
_CLAIMED = re.compile(rf"(?<![\w.,:])(\d+(?:[.,]\d+)?)\s*{_UNIT}")
_IN_WORDS = re.compile(rf"(?<!\w)((?:[^\W\d_]+[ -]){{1,4}}){_UNIT}")
# A size or a word that names a version, or the other one of two, beside a name in full; a bare one where a claim follows.
_SIZE = rf"{SIZES}|[0-9]+(?:[.,][0-9]+)? ?(?:inch|mAh|W|m|Hz)"
_CALLED = r"bản|phiên bản|mẫu|con|loại|máy|cái|chiếc|màu"
_IN_SHORT = re.compile(
    rf"(?<!\w)(?:(?:{_CALLED}) (?:kia|còn lại)|the other(?: one)?|(?:{_CALLED})(?: có| màu| RAM| SSD)* ({_SIZE}|[^\W\d_]+)|({_SIZE}|[^\W\d_]+) (?:version|model|one)|(?:(?<=[,;:] )|(?<=^)|(?<=và )|(?<=còn ))({_SIZE}|[^\W\d_]+)(?= (?:giá|còn|thì|tạm|hết)(?!\w)))(?!\w)",
    re.IGNORECASE,
)
_ONE_SIZE = re.compile(r"(?<![\w.,])[0-9]+(?:[.,][0-9]+)? ?(?:[GT]B|inch|mAh|W|m|Hz)(?!\w)", re.IGNORECASE)
# Right before a name that others are held against.
_THAN = re.compile(r"(?<!\w)(?:hon|kem|thua|bang|so voi|than|to|with|as)(?: so voi)?\s*$")
# What belongs to one product, where a row has it.
_TIED = frozenset({"gb", "inch", "hz", "kg", "mah", "w", "month"})
_JOINED = re.compile(r"\s*(?:[/,-]|và|hoặc|hay|and|or)\s*")
_NEAR = 12
_PIECES = re.compile(r"(?<![\w.,])([2-9]|[1-9]\d)(?= [^\W\d])")
_SENTENCES = re.compile(r"[\n;|]|[.!?](?=\s|$)")
_CLAUSES = re.compile(r"[,;()|\n]|\s(?:và|and|nhưng|but|còn|while)\s")
_GIVING = frozenset(folded_words("tặng kèm được thêm ngay miễn phí quà một cái chiếc with a free gift comes"))
_SPLIT = re.compile(r"(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])")
# What follows a maker as the name of a model: words that begin with a capital or hold a digit.
_MODEL = re.compile(r"(?:[ -](?:[A-Z]|[a-z]*\d)[\w-]*)+")
# "từ 15 đến": the second end of a range.
_RANGE = re.compile(r"\d[^.;!?]{0,16}(?:-|–|den|toi|to)\s*$")
_OPERATOR = re.compile(r"\s*(?:vnd|d|₫)?\s*[−–+×*=-]\s*\d")
_OPERATOR_BEFORE = re.compile(r"\d\s*(?:vnd|d|₫)?\s*[−–+×*=-]\s*$")
_OWNED = re.compile(r"\s*(?:vnd|d|₫)?\W{0,3}(?:cua|of|for)\s*(?:con |mau |ban |the )?")
_SAME = {"tb": "gb", "nam": "month", "year": "month", "thang": "month", "gio": "hour", "ngay": "day"}


_RULES = tuple(
    f"rule {one}" for one in ("exchange", "return", "warranty", "delivery", "repair", "instalment")
)
_TERMS = ("term free", "term any time", "term any reason", "term needless")


@lru_cache(maxsize=2_000)
def _rules_in(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a sentence rules on, and its terms without figures."""
    return frozenset(lexicon("claims", *_RULES).labels_in(text)), frozenset(
        lexicon("claims", *_TERMS).labels_in(text)
    )


def _listed_claims(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Where a part, how many there are ("left") or a property is told, which of these it is, and what is told."""
    folded, places = fold_in_place(text)
    for match in _PART.finditer(folded):
        yield *span_in_place(places, len(text), *match.span()), "part", _joined(match[0])
    for match in _LEFT.finditer(folded):
        yield *span_in_place(places, len(text), *match.span()), "left", match[match.lastindex or 0]
    kinds = {one.end: fold(one.phrase) for one in lexicon("kinds").find(text)}
    for hit in filter(lambda one: one.label, _properties().find(text)):
        yield hit.start, hit.end, f"{hit.label} shown", kinds.get(hit.start - 1, "")


def _has(row: str, kind: str, told: str) -> bool:
    """Whether a product's row has what is told of it by `_listed_claims`."""
    if kind in {"part", "left"}:
        return told in (_joined(fold(row)) if kind == "part" else _stocks(fold(row)))
    # "tặng chuột không dây" says nothing of the laptop.
    return bool(lexicon("facts", kind).find(row)) or told not in fold(row)


def _joined(text: str) -> str:
    return "".join(text.split())


def _stocks(row: str) -> set[str]:
    """How many of a product its folded row says there are."""
    return {one for match in _LISTED.finditer(row) for one in match.groups() if one}


def _sold_out(row: str) -> bool:
    return "het hang" in row or "out of stock" in row


def _last_named(hits: Sequence[PhraseHit], told: Iterable[tuple[int, int]], at: int) -> list[PhraseHit]:
    """The names last before place `at`: those between which none of the figures at the places `told` stands."""
    before = [hit for hit in hits if hit.end <= at]
    ends = [end for start, end in told if before and end <= before[-1].start and not _within(start, hits)]
    return [hit for hit in before if hit.start >= max(ends, default=0)]


def _of_all(text: str, at: int) -> bool:
    """Whether what stands at a place is said of every one of the goods named: "cả hai đều còn hàng"."""
    return bool(lexicon("claims", "all of").find(_clause(text, at)))


def are_versions(one: str, other: str) -> bool:
    """Whether goods differ in their names by sizes alone, or by one word of each that is no code: "… Đen", "… Trắng"."""
    a, b = _line(one), _line(other)
    if abs(len(a) - len(b)) > 1:
        return False
    return _differ_little(a, b) and _differ_little(b, a)


def _differ_little(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether at most one of `words`, and no code, is not among `others` as often."""
    left, own = [*others], ""
    for word in words:
        if word in left:
            left.remove(word)
        elif own or not word.isalpha():
            return False
        else:
            own = word
    return True


@lru_cache(maxsize=2_000)
def _line(name: str) -> tuple[str, ...]:
    """The words of a name that are no sizes."""
    return tuple(folded_words(FIGURE.sub(" ", name)))


def _model_after(text: str, at: int) -> str:
    """What stands at a place as the name of a model, up to a price: "A rẻ hơn B 2.500.000 VND"."""
    prices = (one.start for one in find_amounts(text) if one.start >= at and one.value >= _SMALLEST_PRICE)
    name = _MODEL.match(text, at, min(prices, default=len(text)))
    return name[0] if name else ""


def _sizes(text: str) -> set[str]:
    """The sizes of a name, each as one word: "16gb", "27inch"."""
    return {_joined(match[0]).lower() for match in _ONE_SIZE.finditer(text)}


def _within(at: int, hits: Iterable[PhraseHit]) -> bool:
    return any(hit.start <= at < hit.end for hit in hits)


def _clause(text: str, at: int) -> str:
    """The clause of `text` that place `at` is in."""
    return text[slice(*_clause_span(text, at))]


def _clause_span(text: str, at: int) -> tuple[int, int]:
    cuts = [(cut.start(), cut.end()) for cut in _CLAUSES.finditer(text)]
    since = max((end for _, end in cuts if end <= at), default=0)
    return since, min((start for start, _ in cuts if start >= at), default=len(text))


def _is_doubted(text: str, start: int, end: int, named: Sequence[PhraseHit]) -> bool:
    """Whether a claim at a place is denied or left open: by what denies it in its clause, by what opens it before it, or
    right beside it with nothing stated between ("thêm thanh 16GB", but not "thêm nữa, máy có 16GB"). What is part of a
    name of the goods `named` ("bản 16GB") opens nothing.
    """
    since, until = _clause_span(text, start)
    clause, start, end = text[since:until], start - since, end - since
    hits = lexicon("claims", "denied", "open", "near", "behind", "stated", "plain").find(clause)
    stated = max((hit.end for hit in hits if hit.label == "stated" and hit.end <= start), default=0)
    return any(
        hit.label == "denied"
        or (hit.label == "open" and hit.end <= start)
        or (
            hit.label == "near"
            and not _within(hit.start + since, named)
            and max(stated, start - _BEFORE) <= hit.end <= start
        )
        or (hit.label == "behind" and end <= hit.start <= end + _NEAR)
        for hit in hits
    )


def _measures(text: str) -> set[tuple[Decimal, str]]:
    return {measure for _, _, measure in _claimed(text)}


@lru_cache(maxsize=4_000)
def _claimed(text: str) -> list[tuple[tuple[int, int], Decimal, tuple[Decimal, str]]]:
    """The figures with a unit of `text`, in digits or words: where each stands, its value, and the measure that it is."""
    folded, places = fold_in_place(text)
    found = []
    for match in (*_CLAIMED.finditer(folded), *_IN_WORDS.finditer(folded)):
        start, end = span_in_place(places, len(text), *match.span())
        if match.re is _IN_WORDS:
            said = text[start : span_in_place(places, len(text), *match.span(1))[1]]
            # A word alone is a number only beside a unit.
            amounts = find_amounts(f"{said.replace('-', ' ')}%")
            if not amounts or amounts[-1].end <= len(said):
                continue
            start, value = start + amounts[-1].start, amounts[-1].value
            if value == 1 and match[2] in {"ngay", "day", "gio", "hour"}:
                continue  # "chúc anh một ngày vui"
        else:
            value = Decimal(match[1].replace(",", "."))
        unit = re.sub("phan tram|percent", "%", match[2])
        factor = {"tb": 1024, "nam": 12, "year": 12}.get(unit, 1)
        found.append(((start, end), value, (value * factor, _SAME.get(unit, unit))))
    half = lexicon("claims", "half").find(text)
    return [*found, *(((one.start, one.end), Decimal(50), (Decimal(50), "%")) for one in half)]


@cache
def _properties() -> Lexicon:
    """How properties are called that goods have or have not; what one may call any goods ("cao cấp") claims nothing."""
    lists = word_lists("facts")
    named = {name: listed for name, listed in lists.items() if name not in SOFT and f"{name} shown" in lists}
    named[""] = ("Intel UHD", "UHD Graphics")  # no screen
    return Lexicon(named)


@cache
def _ordinary() -> frozenset[str]:
    """Words that may begin a sentence or stand beside a maker."""
    lists = [*word_lists("catalogue").values(), *word_lists("kinds").values(), *word_lists("facts").values()]
    return frozenset(word for entries in lists for entry in entries for word in folded_words(entry))


def short_names(name: str, makers: Iterable[str] = ()) -> list[str]:
    """A product's name, the same without the kind that it begins with ("ASUS TUF A15"), and without the maker ("TUF A15").

    So does each of its codes alone ("U2724D", "G102").
    """
    begins = [hit.end for hit in lexicon("kinds").find(name) if hit.start == 0]
    short = name[max(begins) :].strip() if begins else ""
    places = {maker: fold(f" {name} ").find(f" {fold(maker)} ") for maker in makers}
    bare = next((name[at + len(maker) :].strip() for maker, at in places.items() if at >= 0), "")
    forms = [name, *(one for one in (short, bare) if one)]
    codes = [
        one for one in _CODE.findall(name) if not FIGURE.match(one) and any(map(is_code, folded_words(one)))
    ]
    return list(dict.fromkeys([*(one for one in forms if len(folded_words(one)) > 1), *codes]))


def called_so(name: str, makers: Iterable[str], catalogue: Iterable[str]) -> list[str]:
    """`short_names`, and the beginnings of the name, with its codes or without, that fit no other name of the `catalogue`.

    "IdeaPad Slim 3 8GB" where one model has that memory, "Cloud Stinger".
    """
    known = short_names(name, makers)
    others = [{*folded_words(one)} for one in catalogue if one != name]
    found: list[str] = []
    for form in known:
        words = form.split()
        found += [" ".join(words[:count]) for count in range(1, len(words) + 1)]
        plain = [word for word in words if not _CODE.fullmatch(word) or FIGURE.match(word)]
        found += [" ".join(plain)] if len(plain) > len(("maker", "size")) else []
    return known + [
        one
        for one in dict.fromkeys(found)
        if one not in known
        and _is_telling(one)
        and not any({*folded_words(one)} <= other for other in others)
    ]


def _is_telling(words: str) -> bool:
    """Whether it is no plain speech: a long word that is no syllable, or such a word with others."""
    own = [word for word in folded_words(words) if word.isalpha() and not is_syllable(word)]
    return any(len(word) > len("gaming") for word in own) or bool(own and " " in words)


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
