"""Works out an order: goods with how many of each, changed by what a message adds, swaps or leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from troly.plugin.focus import Focus, Reference, find_reference
from troly.text.everyday import without_everyday
from troly.text.fold import fold, folded_words
from troly.text.match import PhraseHit, blank_out, spans_of
from troly.text.numbers import counting_words
from troly_shopping.products import offers
from troly_shopping.products.pc_build import go_together
from troly_shopping.products.query import VARIANTS, ProductQuery, is_comparative, parse_product_query
from troly_shopping.products.store import Product, ProductStore, SearchCriteria
from troly_shopping.wordlists import lexicon, word_lists

# The kind of the shared focus: rows are the parts of a computer, or other goods of one order.
BUILD = "build"
_LOOKED_AT = 200
COMPUTERS = ("pc", "laptop")
_ALL = {"ca", "both", "all", "two", "three"}
# Counts things of an order, no pieces of one.
_THINGS_OF_ONE = {"mon", "thu", "items", "things"}
# One of each thing of an order; who says how many are to be taken.
_SETS = {"bo", "set", "sets"}
_TAKES = {"lay", "mua", "dat", "thoi", "take", "buy", "get", "make", "just", "only"}
# What a computer is called among things of an order.
_WHOLE = {"bo", "may", "dan", "cay", "computer", "machine", "build"}
_REST = re.compile(r"(?<!\w)(?:còn lại|con lai|the rest|remaining|others|the other)(?!\w)", re.IGNORECASE)
_END = re.compile(r"[,;+?!\n]")


@dataclass(frozen=True, slots=True)
class OrderLine:
    """So many pieces of one product."""

    product: Product
    count: int = 1


@dataclass(frozen=True, slots=True)
class OrderChange:
    """The lines of an order; `lacking` is the kind of which nothing like what was wished goes with the rest.

    `unsure` is the part of a sum that names no certain goods; `part`: it is the sum of some of an order, which stays.
    """

    lines: tuple[OrderLine, ...]
    lacking: str = ""
    unsure: str = ""
    part: bool = False


class _UncertainError(Exception):
    """A part of the message names no certain goods."""


class _LackingError(Exception):
    """Nothing of the kind that is named goes with the rest of the order."""


@cache
def things() -> tuple[str, ...]:
    """What goods that were shown are called when they are pointed at."""
    named = (name for entries in word_lists("kinds").values() for name in entries)
    return ("máy", "sản phẩm", "hàng", "thằng", "ổ", "bộ", *named)


def change_order(  # noqa: C901 (one case a kind of change)
    text: str, query: ProductQuery, focus: Focus | None, store: ProductStore
) -> OrderChange | None:
    """The order after `text`; None where it is about no order, or not every part of it is certain. Raises StoreError."""
    held = focus is not None and focus.kind == BUILD
    corrections = spans_of(lexicon("dialogue", "correction").find(text)) if held else []
    text = blank_out(text, corrections)
    hits = [hit for hit in _changes(text) if hit.label != "joint"]
    asked = _asks_both(text, query, focus, store) or _asks_pieces(text, query, focus, store)
    summed = "total" in query.moves or asked
    of_held = focus is not None and {row.values.get("kind") for row in focus.rows} & {*query.kinds}
    compares = is_comparative(lexicon("catalogue", "cheapest", "dearest").find(text)) or (
        of_held and step_of(text)
    )
    counted = bool(held and not (hits or summed) and _takes(text, query, of_held=bool(of_held)))
    changes = held and (hits or corrections or compares or counted)
    # So many pieces of one are an order that has begun.
    before = _before(focus, store) if focus else []
    begun = bool(before) and before[0].count > 1
    changes = changes or (begun and {hit.label for hit in hits} == {"add"})
    if query.priced or (query.fits and not (summed and hits)) or not (summed or changes):
        return None
    kinds = [row.values.get("kind") for row in focus.rows] if focus else []
    if focus and not held and summed and int(focus.query.get("total", 0)) == len(kinds) > 1:
        labels = {hit.label for hit in hits}
        if "drop" in labels or ("swap" in labels and len(set(kinds)) == len(kinds)):
            focus, held = replace(focus, kind=BUILD), True  # all that was shown, but for what goes
    rest = blank_out(text, spans_of(lexicon("catalogue", "price asked").find(text)))
    for start, end in spans_of(lexicon("catalogue", "total").find(text)):
        rest = f"{rest[:start]};{' ' * (end - start - 1)}{rest[end:]}"  # "cpu cộng main"
    for start, end in spans_of(lexicon("catalogue", "each").find(text)):
        rest = rest[:start] + "each".ljust(end - start) + rest[end:]  # "moi bo" drops nothing
    pieces = list(_pieces(rest))
    pointed = any(find_reference(piece, focus, things=things()) for _, piece in pieces)
    before = _before(focus, store) if focus else []  # of all that was shown, where that is an order now
    if focus and focus.rows and not before and pieces and pieces[0][0] == "add":
        return OrderChange((), unsure=pieces[0][1].strip())  # to which of those shown
    lines = list(before) if hits or held or begun else []
    summands: set[str] = set()
    change = piece = ""
    parts = [
        _Part(
            change or ("more" if summed else ""),
            piece,
            focus,
            store,
            corrects=counted or bool(corrections and not change),
        )
        for change, piece in pieces
    ]
    marked = [at for at, part in enumerate(parts) if part.each]
    named = [at for at, part in enumerate(parts) if part.named]
    # "mỗi bộ | 2 màn AOC", "add one AOC | each"
    each = next((at for at in named if marked and at >= marked[0]), named[-1] if named and marked else -1)
    try:
        for at, ((change, piece), part) in enumerate(zip(pieces, parts, strict=True)):  # noqa: B007 (told below)
            lines = part.applied(lines, last=at == len(pieces) - 1, each=at == each)
            if at == 0 and part.named and not (change or held):
                # "lấy bộ V2, thêm…" in the place of the one spoken of.
                lines = [
                    one for one in lines if one is lines[-1] or one.product.kind != lines[-1].product.kind
                ]
            summands |= set() if change else part.kinds
    except _LackingError as error:
        return OrderChange(tuple(before), str(error))
    except _UncertainError as error:
        goods = [one for _, one in pieces if _Part("", one, focus, store).tells]
        # What is to be added to the one spoken of and is not certain is no search.
        adds = change == "add" and before and goods
        several = summed and (len(goods) > 1 or adds)
        unsure = several or ((summed or counted or corrections) and str(error))
        return OrderChange((), unsure=piece.strip()) if unsure and focus and not query.parts else None
    if held and summed and not corrections and len(summands) > 1:
        # "cpu với main cộng lại" of a whole order: the sum of these, and of what the message changes.
        some = [one for one in lines if one.product.kind in summands or one not in before]
        return OrderChange(tuple(some), part=lines == before)
    told = query.names or hits or pointed or held or begun or len(lines) > 1
    return OrderChange(tuple(lines)) if lines and told else None


def _asks_both(text: str, query: ProductQuery, focus: Focus | None, store: ProductStore) -> bool:
    """ "chuột với tai nghe thì bao nhiêu": whether goods of each kind that is named were looked at, one of each."""
    kinds = sorted({hit.label for hit in lexicon("kinds").find(text)})
    asks = "price" in query.shows and not (query.details or query.fits)
    if focus is None or focus.kind == BUILD or len(kinds) < 2 or not asks:
        return False
    return sorted(one.kind for one in _spoken(focus, store, kinds)) == kinds


def _asks_pieces(text: str, query: ProductQuery, focus: Focus | None, store: ProductStore) -> bool:
    """ "mua 2 con đó thì bao nhiêu tiền": whether the price of several pieces of the only one shown is asked."""
    if focus is None or focus.kind == BUILD or "price" not in query.shows or len(_in_question(focus)) != 1:
        return False
    pointed, count = find_reference(text, focus, things=things()), parse_product_query(text, store).count
    return bool(pointed and pointed.kind == "these" and count > 1 and count != len(focus.rows))


def _in_question(focus: Focus) -> list[str]:
    """What is spoken of of the goods shown: the only one, or the first of a ranked list."""
    last = focus.query.get("current", ()) if focus.query.get("order") else ()
    return [row.id for row in focus.rows if row.id in last or len(focus.rows) == 1]


def _before(focus: Focus, store: ProductStore) -> list[OrderLine]:
    """What was ordered so far, else the one product spoken of."""
    current = focus.query.get("current", ())
    rows = [row for row in focus.rows if focus.kind == BUILD or row.id in current or len(focus.rows) == 1]
    alone = focus.query.get("count", 1)
    counts = {row.id: int(row.values.get("count") or alone) for row in rows}
    found = store.named(list(counts))
    return (
        [OrderLine(one, counts[one.name]) for one in found] if focus.kind == BUILD or len(found) == 1 else []
    )


def _changes(text: str) -> list[PhraseHit]:
    """The words that change an order or join its things; "1 thanh" counts and is no "thành", "6 bo" no "bỏ"."""
    return [
        hit
        for hit in lexicon("order").find(text)
        if hit.phrase not in {"thành", "bỏ"} or not text[: hit.start].rstrip()[-1:].isdigit()
    ]


def _takes(text: str, query: ProductQuery, *, of_held: bool) -> bool:
    """Whether so many of an order are taken, whatever was said before, and nothing else is said: "lấy 6 bộ thôi"."""
    unread = set(folded_words(" ".join(query.unread))) - _TAKES - _SETS
    others = query.words or query.brands or (query.kinds and not of_held)
    says = others or query.topics or query.shows or query.asks or query.details or unread
    return bool(query.count and _TAKES & set(folded_words(text)) and not says)


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """The parts of a message that each name one thing, with the change that is said before them."""
    change, begin = "", 0
    hits = _changes(text)
    for hit in [*hits, None]:
        end = hit.start if hit else len(text)
        for part in _END.split(text[begin:end]):
            if folded_words(part):
                yield change, part
                change = "more" if change == "add" else change  # "thêm RAM, tổng CPU + main + RAM"
        if hit:
            change, begin = change if hit.label == "joint" else hit.label, hit.end


class _Part:
    """A part of a message that names one thing: `change` is what is done with it ("" where that is not said)."""

    def __init__(
        self, change: str, text: str, focus: Focus | None, store: ProductStore, *, corrects: bool = False
    ) -> None:
        self._change, self._text, self._focus, self._store = change, text, focus, store
        self._corrects = corrects
        self._reference = find_reference(text, focus, things=things())
        self._read = read = parse_product_query(text, store)
        self._kinds, self._named = read.kinds or read.parts, bool(read.words or read.brands or read.figures)
        # "ghế gaming", "2 con trắng"
        counted = read.count and self._reference is None
        self._named = self._named or bool(read.facts and (read.kinds or counted))
        if corrects and self._named:
            self._change = "swap"
        self.each = "each" in read.moves  # so many for each piece that is ordered
        whole = not (self._kinds or self._named or self._reference or self.each)
        whole = whole and bool(_WHOLE & set(folded_words(text)))
        if whole and focus and focus.kind != BUILD:
            # "tổng cả bộ với ram": the computer that was spoken of.
            self._kinds = tuple(kind for kind in COMPUTERS if _spoken(focus, store, (kind,)))
            self._read = replace(read, kinds=self._kinds)
        self.named = bool(self._kinds or self._named)

    @property
    def tells(self) -> bool:
        """Whether it names or points at goods."""
        return bool(self._kinds or self._named or self._reference)

    @property
    def kinds(self) -> set[str]:
        """The kinds of goods that it names."""
        return set(self._kinds)

    def applied(  # noqa: PLR0911 (one case a change)
        self, lines: list[OrderLine], *, last: bool, each: bool
    ) -> list[OrderLine]:
        """The lines after it; `last`: nothing more is said; `each`: for each piece that is ordered."""
        if not (self._kinds or self._named):
            return self._pointed(lines)
        if self._change == "drop":
            return self._without(lines)
        at = [one.product for one in lines if one.product.kind in self._kinds]
        meant = [one for one in lines if _is_meant(one.product, self._read, self._kinds)]
        if len(meant) == 1 and self._counts_anew:
            return [replace(one, count=self._read.count) if one in meant else one for one in lines]
        if at and not self._named:
            if len(at) == 1 and (self._read.order or step_of(self._text)) and self._change != "add":
                return _swapped(lines, _next(at[0], self._read, self._text, lines, self._store))
            listed = self._change == "more" and not (self._read.count or self._read.order)
            if self._reference is not None or listed or (self._change == "swap" and not last):
                return lines  # "đổi main | sang B760M": what takes its place comes after
        if not self._change or (self._change == "swap" and not self._named and not self._read.order):
            raise _UncertainError
        # What takes the place of a part is none that is there: "đổi sang 4060" of a 4060 Ti.
        there = [one.product for one in lines] if self._change == "swap" else []
        chosen = _chosen(self._text, self._read, self._focus, self._store, but=there)
        if self._change == "swap":
            return _swapped(lines, chosen)
        count = sum(one.count for one in lines if one.product == chosen) if self._change == "add" else 0
        pieces = {one.count for one in lines} if each else {1}
        if len(pieces) != 1:
            raise _UncertainError  # for each of which
        return _added(lines, [OrderLine(chosen, count + max(1, self._read.count) * pieces.pop())])

    def _pointed(self, lines: list[OrderLine]) -> list[OrderLine]:  # noqa: C901, PLR0911 (one case a kind)
        """With what is pointed at without its name."""
        reference, read = self._reference, self._read
        if self._change == "more" and (several := self._one_by_one()):
            return several
        if self._change == "drop":
            return self._dropped(lines)
        of_sets = self._corrects and _SETS & set(folded_words(self._text))  # "make it 4 sets"
        if reference is None or of_sets:
            if read.order in {"cheapest", "dearest"} and self._focus and self._change in {"more", "add"}:
                return _added(lines, [OrderLine(_chosen(self._text, read, self._focus, self._store))])
            if read.count and len(lines) == 1:
                there = lines[0].count if self._change == "add" else 0
                return [replace(lines[0], count=there + read.count)]  # "chốt con Dell, lấy 2 cái"
            if read.count and len(lines) > 1:
                return self._so_many(lines)
            if read.unread and without_everyday(self._text, []):
                raise _UncertainError
            return lines
        if self._change == "more" and not lines and self._counts_all(reference):
            return [OrderLine(one) for one in self._store.named([row.id for row in reference.rows])]
        if reference.kind == "these" and not (read.count and len(lines) <= 1):
            if not lines:
                raise _UncertainError(self._text)  # how many of those shown, and which
            return lines
        ranked = self._focus and self._focus.query.get("order") in {"cheapest", "dearest"}
        listed = ranked and self._focus and len(self._focus.rows) > 1
        pieces = self._focus and len(_in_question(self._focus)) == 1 < read.count != len(self._focus.rows)
        if not self._change or (reference.kind == "these" and listed and not pieces):
            raise _UncertainError
        if reference.kind in {"this", "these"}:
            meant = _before(self._focus, self._store) if self._focus else []
            counted = [replace(one, count=read.count or one.count) for one in meant[:1]]
            return _added(lines, counted if len(meant) == 1 else meant)
        rows = self._store.named([row.id for row in reference.rows])
        return _added(lines, [OrderLine(one, max(1, read.count)) for one in rows])

    @property
    def _counts_anew(self) -> bool:
        """Whether it tells how many of the one it names are taken: "phím lấy 6 cái thôi"."""
        told = self._read.count and not self._read.figures and (self._corrects or not self._named)
        return bool(told and self._change in {"", "swap"})

    def _so_many(self, lines: list[OrderLine]) -> list[OrderLine]:
        """So many of each line where they are as many: "6 bộ" of 10 mice and 10 keyboards; "tổng 2 món" counts the lines."""
        words, number, counts = set(folded_words(self._text)), self._read.count, {one.count for one in lines}
        sets = bool(_SETS & words)
        computers = sum(one.product.kind in COMPUTERS for one in lines)  # "bộ" is one of these, too
        if self._change == "add":
            raise _UncertainError  # of which
        of_lines = counts == {1} and number == (computers if sets else len(lines))
        if of_lines or not (self.each or sets or self._corrects):
            return lines
        apart = (_THINGS_OF_ONE & words and not self.each) or (sets and computers)
        if len(counts) > 1 or apart or not (self.each or sets or counts != {1}):
            raise _UncertainError(self._text)
        return [replace(one, count=number) for one in lines]

    def _counts_all(self, reference: Reference) -> bool:
        """Whether all goods that were shown are meant, so many as the message counts: "hai món đó thêm thanh RAM"."""
        shown = len(self._focus.rows) if self._focus and not self._focus.query.get("current") else 0
        said = [int(one.value) for one in counting_words(self._text)] or [self._read.count]
        return reference.kind == "these" and len(reference.rows) == shown and said[0] == shown > 1

    def _dropped(self, lines: list[OrderLine]) -> list[OrderLine]:
        """Without the one that is pointed at, or the cheapest or dearest: "bỏ con đắt nhất, hai con còn lại"."""
        if _REST.search(self._text):
            return lines
        gone = {row.id for row in self._reference.rows} if self._reference else set()
        if self._read.order in {"cheapest", "dearest"} and len(lines) > 1:
            end = min if self._read.order == "cheapest" else max
            gone = {end(lines, key=lambda one: one.product.price).product.name}
        if not gone:
            raise _UncertainError
        return [one for one in lines if one.product.name not in gone]

    def _one_by_one(self) -> list[OrderLine]:
        """All that was looked at one by one ("cả ba món", "both"); none where it is not asked for."""
        focus, words = self._focus, set(folded_words(self._text))
        these = self._reference is not None and self._reference.kind == "these"  # "2 con đó"
        apart = bool(words & _THINGS_OF_ONE)
        if focus is None or focus.kind == BUILD or not (these or apart or words & _ALL):
            return []
        lead = _in_question(focus)
        number = self._read.count or (2 if self._reference and self._reference.missing else 0)
        if number <= 1 or len(lead) != 1:
            return []
        found = self._store.named([*lead, *map(str, focus.query.get("beside", ()))])
        if not words & _ALL and len(found) == len(focus.rows) == 1:
            return []
        if not (apart or words & _ALL):
            found = found[:number] if len(found) >= number else []  # so many pieces of the only one
        elif len(found) != number:
            raise _UncertainError(self._text)
        return [OrderLine(one) for one in found]

    def _without(self, lines: list[OrderLine]) -> list[OrderLine]:
        gone = [one for one in lines if _is_meant(one.product, self._read, self._kinds)]
        if not gone:
            raise _UncertainError
        return [one for one in lines if one not in gone]


def _is_meant(product: Product, read: ProductQuery, kinds: Sequence[str]) -> bool:
    named = (*read.words, *read.brands)
    return all(offers.title_says(product.name, one) for one in named) if named else product.kind in kinds


def _chosen(
    piece: str, read: ProductQuery, focus: Focus | None, store: ProductStore, *, but: Sequence[Product] = ()
) -> Product:
    """The one product that a part of the message names, none of `but`."""
    kinds = read.kinds or read.parts
    names = (*read.words, *read.brands)
    rows = _spoken(focus, store, kinds, ranked=bool(read.order)) if focus else []
    # One that was spoken of, else one of all that were shown: "lấy bộ V2" after the cheapest.
    listed = _spoken(focus, store, kinds, ranked=True) if focus and names else []
    rows, listed = ([one for one in shown if one not in but] for shown in (rows, listed))
    titled = [one for one in rows if all(offers.title_says(one.name, name) for name in names)]
    titled = titled or [one for one in listed if all(offers.title_says(one.name, name) for name in names)]
    # "con i5": what is shown is also told apart by what it has.
    rows = titled or [one for one in rows if all(offers.title_says(one.specs, name) for name in names)]
    told = [one for one in rows if all(offers.shows(one, fact) for fact in read.facts)]
    if read.facts and len(told) == 1 and not read.figures:
        return told[0]
    if not rows or read.figures or read.facts or not (read.order or len(rows) == 1):
        wanted = replace(read, action="find", kinds=kinds, parts=(), moves=(), count=0, shows=())
        found = offers.find_offer(store, wanted)
        rows = list(found.products) if found and not (found.unmet or found.silent or read.unread) else []
    others = VARIANTS - set(folded_words(piece)) if read.words else set()
    rows = [one for one in rows if not others & set(folded_words(one.name))] or rows
    # "5600" is no "5600G", and a computer that has an i5-12400F is none.
    rows = [
        one
        for one in rows
        if {word for word in map(fold, names) if word[-3:].isdigit() or word[:1].isdigit()}
        <= set(folded_words(one.name))
    ] or rows
    if read.order in {"cheapest", "dearest"} and rows:
        return (min if read.order == "cheapest" else max)(rows, key=lambda one: one.price)
    if len(rows) != 1:
        raise _UncertainError
    return rows[0]


def _spoken(
    focus: Focus, store: ProductStore, kinds: Sequence[str], *, ranked: bool = False
) -> list[Product]:
    """What was spoken of that is of these kinds: the one in question, else the list shown last, else what came before.

    `ranked`: the first or last of those shown is asked for, whichever was in question.
    """
    near = store.named([row.id for row in focus.rows])
    last = focus.query.get("current", ())
    if not ranked:
        meant = {one.kind for one in near if one.name in last}
        near = [one for one in near if one.name in last or one.kind not in meant]
    far = store.named(list(focus.query.get("beside", ())))
    shown = [*near, *(one for one in far if one.kind not in {other.kind for other in near})]
    return [one for one in shown if not kinds or one.kind in kinds]


def _next(
    product: Product, read: ProductQuery, text: str, lines: Sequence[OrderLine], store: ProductStore
) -> Product:
    """The nearest of its kind that is cheaper or dearer, weaker or stronger, or the first or last, and goes with the rest of the order."""
    others = [one.product for one in lines if one.product != product]
    kind = store.search(SearchCriteria(kinds=(product.kind,), stocked=True, count=_LOOKED_AT))
    sign = -1 if read.order == "cheapest" else 1
    further = [one for one in kind if (one.price - product.price) * sign > 0]
    step = 0 if read.order else step_of(text)
    further = further_than(product, kind, step) if step else further
    fitting = [one for one in further if all(go_together(one, other) is not False for other in others)]
    if not fitting:
        raise _LackingError(product.kind)
    compares = step or is_comparative(lexicon("catalogue", "cheapest", "dearest").find(text))
    near = min if compares else max
    return near(fitting, key=lambda one: abs(one.price - product.price))


def step_of(text: str) -> int:
    """1 where a part with more of what counts is asked for ("mạnh hơn", "dung lượng lớn hơn"), -1 with less, else 0."""
    more, less = (
        lexicon("catalogue", *names).find(text)
        for names in (("stronger", "better", "most"), ("weaker", "worse", "least"))
    )
    said = [hit for hit in (*more, *less) if hit.phrase.endswith(("hơn", "er", "more", "less", "powerful"))]
    return (1 if said[0] in more else -1) if said else 0


def further_than(product: Product, kind: Sequence[Product], step: int) -> list[Product]:
    """Those of a kind with more (`step` 1) or less (-1) of what counts of it: its figure, else its price with another chip."""
    attribute = COUNTED.get(product.kind, "")
    told = offers.measure_of(product, attribute) if attribute else None
    if told is not None:
        figures = {one: offers.measure_of(one, attribute) for one in kind}
        return [one for one, figure in figures.items() if figure is not None and (figure - told) * step > 0]
    return [one for one in kind if (one.price - product.price) * step > 0 and _chip(one) != _chip(product)]


# What counts of a kind of parts: what the catalogue measures of it, "" for the chip.
COUNTED = {"psu": "power", "ram": "storage", "ssd": "storage", "hdd": "storage", "cpu": "", "vga": ""}


def _chip(product: Product) -> frozenset[str]:
    """The number of a processor or a card, and what tells its variant: of "i5-12400F" as of "i5-12400" the 12400."""
    words = folded_words(product.name)
    numbers = {number for word in words for number in re.findall(r"\d{4,}", word)}
    return frozenset(numbers | (VARIANTS & set(words)))


def _swapped(lines: list[OrderLine], product: Product) -> list[OrderLine]:
    """`product` in the place of the one of its kind."""
    at = [one for one in lines if one.product.kind == product.kind]
    if len(at) != 1:
        raise _UncertainError
    return [replace(one, product=product) if one is at[0] else one for one in lines]


def _added(lines: list[OrderLine], more: Sequence[OrderLine]) -> list[OrderLine]:
    """`more` of what is there already takes its number."""
    fresh = {one.product.name: one for one in more}
    kept = [fresh.pop(one.product.name, one) for one in lines]
    return [*kept, *fresh.values()]
