"""Finds what the catalogue has for a query: a list, a comparison, a computer, or what is to be said of products shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from typing import Literal, NamedTuple

from troly.text.fold import fold, folded_words
from troly.text.match import Lexicon
from troly_shopping.products.pc_build import PcBuild, Wish, build_pc, go_together
from troly_shopping.products.query import (
    FIGURE,
    MEASURED,
    STRENGTH,
    UNITS,
    USES,
    VARIANTS,
    FigureFact,
    ProductQuery,
    is_code,
    parse_product_query,
    refine,
)
from troly_shopping.products.store import PARTS, Product, ProductStore, SearchCriteria, index_terms, key_of
from troly_shopping.wordlists import word_lists

ROWS = 8
# Properties that are liked rather than demanded: they put goods first.
SOFT = frozenset({"light", "silent", "premium"})
# Products that are looked at one by one for their properties.
_LOOKED_AT = 5_000
_SIDES = 4
_DRIVES = {"ssd", "hdd", "usb"}


@dataclass(frozen=True, slots=True)
class Offer:
    """What was found: `products` to be shown, `total` how many there are in all.

    `unmet` are the parts of the question that none of them meets, as typed; `silent` the properties of which the catalogue
    says nothing. `kind` "rows": said of products that were shown before; "order": goods to be bought, `counts` of each; "fit": what goes with the parts
    `beside` (`note` "list"), or whether two parts go together ("yes", "no"). `unsold` are kinds that the shop does not have, as typed.
    """

    kind: Literal["list", "compare", "build", "rows", "order", "fit"]
    query: ProductQuery
    products: tuple[Product, ...] = ()
    total: int = 0
    unmet: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    computer: PcBuild | None = None
    note: str = ""
    counts: tuple[int, ...] = ()
    beside: tuple[Product, ...] = ()
    unsold: tuple[str, ...] = ()


class _Test(NamedTuple):
    """One part of a question: as typed, and what it asks of a product (None: the catalogue does not say).

    `open`: the catalogue may be silent of it for all goods, `doubted`: for some, of which it may be so or not; `firm`: goods
    that fail it are never shown. `use`: one of several may do.
    """

    said: str
    holds: Callable[[Product], bool | None]
    open: bool = False
    firm: bool = False
    doubted: bool = False
    use: bool = False

    def may_hold(self, product: Product) -> bool:
        """Whether it holds as far as the catalogue tells."""
        holds = self.holds(product)
        return bool(holds) or (holds is None and self.doubted)


def find_offer(store: ProductStore, query: ProductQuery) -> Offer | None:
    """What the catalogue has for `query`; None where it asks for no goods. Blocking; raises StoreError."""
    if query.apart:
        return Offer("list", query, note="not sold")
    if query.action == "build":
        return _built(store, query)
    if query.action == "compare" and not query.fits:
        return _compare(store, query)
    if (fitting := together(store, query)) is not None:
        return fitting
    if "within" in query.moves and (cheapest := _within(store, query)) is not None:
        return cheapest
    query = _for_others(store, query)
    found = _several(store, query) if query.parts else _found(store, _of_whole(store, query))
    unsold = tuple(query.said.get(f"kind {one}", one) for one in query.kinds if one not in store.kinds())
    return replace(found, unsold=unsold) if found and found.products else found


def _for_others(store: ProductStore, query: ProductQuery) -> ProductQuery:
    """ "chuột cho macbook air m2" is no mouse of that name: nothing is known of what goes with it, and none is denied for it."""
    names = {*query.wearers}
    held = any(
        all(_says(one, word) or _made_by(one, word) for word in names)
        for kind in query.kinds
        for one in _of_kind(store, kind)
    )
    if not names or held or not query.kinds:
        return query
    words, brands = (tuple(one for one in all_ if one not in names) for all_ in (query.words, query.brands))
    return replace(query, words=words, brands=brands, fits=True)


def _within(store: ProductStore, query: ProductQuery) -> Offer | None:
    """The cheapest of each of several goods with their sum, for which there is a limit; None where one of them is not found."""
    sides = [parse_product_query(side, store) for side in query.parts]
    if {kind for side in sides for kind in side.kinds} != {*query.kinds}:
        sides = [replace(query, kinds=(kind,)) for kind in query.kinds]
        if query.count > 1:
            return None  # of which of them so many are wanted is not known
    chosen: list[Product] = []
    for side in sides:
        wanted = replace(
            side, low=None, high=None, about=None, moves=(), parts=(), order="cheapest", stocked=True
        )
        offer = _list(store, wanted)
        if offer is None or offer.unmet or offer.silent or not offer.products:
            return None
        chosen.append(offer.products[0])
    counts = tuple(max(1, side.count) for side in sides)
    total = sum(one.price * count for one, count in zip(chosen, counts, strict=True))
    if total < (query.low or 0):
        return None
    note = "within" if total <= (query.high or total) else "beyond"
    return Offer("order", replace(query, parts=()), tuple(chosen), len(chosen), counts=counts, note=note)


def _found(store: ProductStore, query: ProductQuery) -> Offer | None:
    """The list of what is wanted; of few that it is asked of how far they are apart, side by side."""
    unknown = query.unread and not (query.kinds or query.words or query.details)
    unknown = unknown or query.doubtful
    unknown = unknown or (query.fits and not (query.words or query.brands or query.wearers))
    # A maker beside a word that is not read: what is wanted of it is not known.
    found = _list(store, query) if query.narrows and not unknown else None
    if found and "difference" in query.moves and 1 < found.total <= _SIDES and not found.unmet:
        return replace(found, kind="compare")
    return found


# The kinds of goods that are parts of a computer, and what they are called of one.
_OF_COMPUTER = {"cpu": "cpu", "ram": "ram", "ssd": "storage", "vga": "graphics card", "monitor": "screen"}


def _of_whole(store: ProductStore, query: ProductQuery) -> ProductQuery:
    """ "CPU của Legion 5 là gì" asks what a computer has: no goods of that kind are called so."""
    part = _OF_COMPUTER.get(query.kinds[0], "") if len(query.kinds) == 1 else ""
    if not part or not query.words or query.fits or query.excludes:
        return query
    if any(all(_says(one, word) for word in query.words) for one in _of_kind(store, query.kinds[0])):
        return query
    computers = [one for kind in ("laptop", "pc") for one in _of_kind(store, kind)]
    meant = dict.fromkeys(
        one.kind for one in computers if all(title_says(one.name, word) for word in query.words)
    )
    asks = tuple(dict.fromkeys(name for name in (part, *query.asks) if not name.startswith("unit ")))
    return replace(query, kinds=tuple(meant), asks=asks) if meant else query


def _built(store: ProductStore, query: ProductQuery) -> Offer:
    """A computer of parts as wished: a wish that no part meets, or that is not looked at, is named."""
    said = query.said
    wishes: list[Wish] = [(brand, partial(_made_by, brand=brand)) for brand in query.brands]
    wishes += [(said.get(word, word), partial(_says, word=word)) for word in query.words]
    if query.excludes:
        wishes.append(("", lambda product: not is_excluded(product, query)))
    budget = query.about or query.high or query.low
    computer = build_pc(store, budget, query.use or "gaming", wishes, query.parts)
    open_ = [*computer.unmet, *(figure.said for figure in query.figures if figure.narrows)]
    open_ += [said.get(fact, fact) for fact in query.facts if fact not in USES]
    several = [*query.brands, *query.words] if len(query.brands) > 1 else []
    return Offer(
        "build", query, computer.parts, silent=tuple(filter(None, [*open_, *several])), computer=computer
    )


def narrow(products: Sequence[Product], query: ProductQuery) -> Offer:
    """Those of `products`, which were shown before, that `query` means."""
    tests = tests_of(query)
    if query.priced and not query.topics:
        limit = f"{query.about or query.high or query.low:,} VND".replace(",", ".")
        tests.append(_Test(limit, partial(_in_price, query=query)))
    exact = _fitting(products, tests)
    if exact and query.compared and (best := ranked(exact, query)):
        return Offer("rows", query, best, len(best), note=query.compared[1])
    if exact or not tests:
        return Offer("rows", query, tuple(exact or products), len(exact or products))
    unmet = [test.said for test in tests if not any(test.holds(one) for one in products)]
    unmet = unmet or [test.said for test in tests]  # each holds of some, all of none
    return Offer("rows", query, tuple(products), len(products), unmet=tuple(unmet))


def _list(store: ProductStore, query: ProductQuery) -> Offer | None:
    """What fits; where nothing does, goods of the kind, and the parts of the question that they do not meet.

    What is not wanted is never among it.
    """
    tests = tests_of(query)
    everything = _rows(store, query)
    silent = [
        test
        for test in tests
        if test.open and everything and all(test.holds(row) is None for row in everything)
    ]
    unknown = tuple(test.said for test in silent)
    if "total" in query.moves and query.priced and len(query.kinds) > 1:
        # A limit of the sum of several goods: each was held against it alone.
        unknown += (query.said["total"],)
    live = [test for test in tests if test not in silent]
    exact = _fitting([row for row in everything if _in_price(row, query)], live)
    if exact and query.compared:
        best = ranked([row for row in exact if row.stock or not query.stocked], query)
        return replace(_shown(query, best or exact, silent=unknown), note=query.compared[1] if best else "")
    if exact:
        return _shown(query, exact, silent=unknown)
    near_to_it = _by_name(query, everything) or _of_some_use(query, everything, live, unknown)
    if near_to_it is not None:
        return near_to_it
    may = [row for row in everything if _in_price(row, query) and all(test.may_hold(row) for test in live)]
    cheaper = "cheaper" in query.moves
    if may and not cheaper:
        return _shown(query, may, silent=(*unknown, *(test.said for test in live if test.doubted)))
    # What is to be cheaper keeps all that was asked before.
    near = _fitting(everything, [test for test in live if test.firm or cheaper]) if query.kinds else []
    near = sorted(near, key=lambda row: row.price)[:1] if cheaper else near
    met = {row: sum(test.holds(row) is True for test in live) for row in near}
    near.sort(key=lambda row: -met[row] - _in_price(row, query))
    if near and not any(_in_price(row, query) for row in near):
        # Nothing costs that little or much: what else is like what is wanted.
        near = [row for row in near if met[row] == met[near[0]]]
    unmet = tuple(test.said for test in live if not test.firm) or ("",)
    if near:
        return _shown(query, near, unmet=unmet, silent=unknown)
    known = store.kinds()
    unsold = bool(query.kinds) and not any(kind in known for kind in query.kinds)
    return Offer("list", query, unmet=unmet, note="not sold" if unsold else "")


def _by_name(query: ProductQuery, rows: Sequence[Product]) -> Offer | None:
    """The products that are called so though not all that is asked is true of them: "WH-CH520 có dây không", "L3250 có wifi không"."""
    codes = [word for word in query.words if is_code(word)]
    codes = [one for one in codes if not query.fits or any(title_has(row.name, one) for row in rows)]
    if not codes or query.excludes or query.sold_out:
        return None
    called = [
        one for one in rows if all(title_has(one.name, code) for code in codes) and _in_price(one, query)
    ]
    makers = query.brands
    called = [one for one in called if not makers or any(_made_by(one, maker) for maker in makers)]
    others = [word for word in query.words if not any(_says(one, word) for one in called)]
    meant = [one for one in called if all(_says(one, word) for word in query.words if word not in others)]
    if not 0 < len(meant) <= ROWS:
        return None
    asks = tuple(dict.fromkeys((*query.asks, *(f"word {query.said.get(word, word)}" for word in others))))
    words = tuple(word for word in query.words if word not in others)
    return Offer("list", replace(query, words=words, asks=asks), tuple(meant), len(meant), note="named")


def _of_some_use(
    query: ProductQuery, rows: Sequence[Product], live: Sequence[_Test], silent: tuple[str, ...]
) -> Offer | None:
    """Of several uses ("laptop học tập và chơi game") that no product is listed with at once, those listed with most of them."""
    uses = [test for test in live if test.use]
    some = _fitting([row for row in rows if _in_price(row, query)], [test for test in live if not test.use])
    told = {row: sum(test.holds(row) is True for test in uses) for row in some}
    most = max(told.values(), default=0)
    if len(uses) < 2 or not most:
        return None
    said = tuple(test.said for test in uses)
    return replace(
        _shown(query, [row for row in some if told[row] == most], silent=(*silent, *said)), note="either"
    )


def fact_of(product: Product, fact: str) -> str:
    """What the catalogue says that shows a property, with its name: "Kết nối: USB, Bluetooth"; "" where its name shows it."""
    told = product.details().items()
    return next((f"{name}: {value}" for name, value in told if _told(value, f"{fact} shown")), "")


def _shown(
    query: ProductQuery, rows: Sequence[Product], *, unmet: tuple[str, ...] = (), silent: tuple[str, ...] = ()
) -> Offer:
    """The first rows: of each kind that was asked for as many; those first that are listed with what is liked ("nhẹ")."""
    soft = [fact for fact in query.facts if fact in SOFT]
    silent += tuple(query.said.get(fact, fact) for fact in soft if not any(shows(row, fact) for row in rows))
    rows = sorted(rows, key=lambda row: -sum(shows(row, fact) is True for fact in soft)) if soft else rows
    if len(query.kinds) > 1:
        each = max(2, ROWS // len(query.kinds))
        first = [
            product for kind_ in query.kinds for product in [row for row in rows if row.kind == kind_][:each]
        ]
    else:
        first = list(rows[:ROWS])
    target = query.about or query.high
    if unmet and target and not any(_in_price(row, query) for row in rows):
        first = sorted(rows, key=lambda row: abs(row.price - target))[:3]
    return Offer("list", query, tuple(first), len(rows), unmet=unmet, silent=silent)


def _rows(store: ProductStore, query: ProductQuery) -> list[Product]:
    """The products of the kinds; by their words where no kind is named."""
    terms = (
        ()
        if query.kinds
        else (*query.words, *(word for brand in query.brands for word in folded_words(brand)))
    )
    criteria = SearchCriteria(
        terms=tuple(term for word in terms for term in store.terms_from(word)),
        kinds=query.kinds,
        target=query.about or query.high or query.low,
        stocked=query.stocked,
        order=query.order,
        least=0.01 if terms else 0.0,
        count=_LOOKED_AT,
    )
    return store.search(criteria)


def _fitting(rows: Sequence[Product], tests: Sequence[_Test]) -> list[Product]:
    return [row for row in rows if all(test.holds(row) for test in tests)]


def tests_of(query: ProductQuery) -> list[_Test]:
    """The parts of `query` that are looked up product by product."""
    said = query.said
    # Of what the catalogue can deny too, nothing is known of goods of which it says neither.
    known = {name.removesuffix(" denied") for name in _signs() if name.endswith(" denied")}
    asked = [(fact, True) for fact in query.facts if fact not in SOFT]
    asked += [(fact, False) for fact in query.no_facts if fact in known]
    tests = [
        _Test(
            said.get(fact, fact),
            partial(shows, fact=fact, wanted=wanted),
            open=True,
            doubted=fact in known,
            use=fact in USES,
        )
        for fact, wanted in asked
    ]
    tests += [
        _Test(figure.said, partial(has_figure, fact=figure), open=True)
        for figure in query.figures
        if figure.narrows
    ]
    narrower = [word for word in query.words if f"kind word {word}" in said]
    tests += [
        _Test(said[word], lambda product, word=word: _says(product, word) or None, open=True)  # type: ignore[misc]
        for word in narrower
    ]
    if words := [word for word in query.words if word not in narrower]:
        whole = " ".join(dict.fromkeys(said.get(word, word) for word in words))
        tests.append(_Test(whole, lambda product: all(_says(product, word) for word in words)))
    if query.brands:
        makers = ", ".join(query.brands)
        tests.append(_Test(makers, lambda product: any(_made_by(product, one) for one in query.brands)))
    if query.sold_out:
        tests.append(_Test(said.get("sold out", ""), lambda product: product.stock == 0, firm=True))
    if query.excludes:
        tests.append(_Test("", lambda product: not is_excluded(product, query), firm=True))
    return tests


def is_excluded(product: Product, query: ProductQuery) -> bool:
    """Whether a product is one of those that are not wanted."""
    return (
        any(_made_by(product, brand) for brand in query.no_brands)
        or any(all(_says(product, word) for word in name.split()) for name in query.no_words)
        or any(shows(product, fact) for fact in query.no_facts)
    )


def _in_price(product: Product, query: ProductQuery) -> bool:
    return (query.low or 0) <= product.price <= (query.high or product.price)


@cache
def _signs() -> dict[str, Lexicon]:
    """What of the catalogue shows or denies a property, by section; each alone, so that none hides another."""
    lists = word_lists("facts")
    return {
        name: Lexicon({name: entries})
        for name, entries in lists.items()
        if name.endswith((" shown", " denied"))
    }


@lru_cache(maxsize=20_000)
def _told(text: str, section: str) -> bool:
    listed = _signs().get(section)
    return listed is not None and listed.has(text, section)


# "JBL Tune 520BT": behind a model's number BT is Bluetooth.
_BT = re.compile(r"(?<=\d)BT(?!\w)")


def shows(product: Product, fact: str, *, wanted: bool = True) -> bool | None:
    """Whether the catalogue shows that the product has a property, or has it not where that is `wanted`; None where it says neither."""
    text = f"{_BT.sub(' Bluetooth', product.name)}; {product.specs}"
    if _told(text, f"{fact} shown"):
        return wanted
    return not wanted if _told(text, f"{fact} denied") else None


def has_figure(product: Product, fact: FigureFact) -> bool | None:
    """Whether a product has a figure: that of the attribute where the catalogue names it, else any with its unit."""
    attribute = fact.attribute
    if not attribute and fact.unit == "gb" and fact.value <= 64:
        attribute = "ram"
        anything = [
            figure for text in (product.name, *product.details().values()) for figure in _figures(text, "gb")
        ]
        if fact.sign == "=":
            return fact.value in anything
    named = [
        value for name, value in product.details().items() if attribute and fold(name) in _called(attribute)
    ]
    figures = [figure for text in named for figure in _figures(text, fact.unit)]
    both = _figures(product.details().get("Bộ nhớ", ""), "gb")
    if both and attribute in {"ram", "storage"}:
        figures = [both[-1 if attribute == "storage" else 0]]
    if not figures:
        figures = _figures(f"{product.name}; {product.specs}", fact.unit)
        if not figures:
            return None
        if fact.sign != "=":
            figures = [max(figures)]
    if fact.sign != "=":
        far = max(figures) if fact.sign[0] == ">" else min(figures)
        return (far - fact.value) * (1 if fact.sign[0] == ">" else -1) > 0 or (
            far == fact.value and "=" in fact.sign
        )
    whole = fact.unit == "inch" and fact.value == int(fact.value)
    return any(int(figure) == fact.value if whole else figure == fact.value for figure in figures)


def _figures(text: str, unit: str) -> list[float]:
    found = []
    for match in FIGURE.finditer(text):
        measure, factor = UNITS[match[2].lower()]
        if measure == unit:
            found.append(float(match[1].replace(",", ".")) * factor)
    return found


@cache
def _called(attribute: str) -> frozenset[str]:
    return frozenset(fold(entry) for entry in word_lists("attributes").get(attribute, ()))


def value_of(product: Product, attribute: str) -> str:
    """What the catalogue says of an attribute, of what is called X ("word X") or counted so ("unit w"); "" for nothing."""
    by, _, sought = attribute.partition(" ")
    if attribute == "kind":
        return product.kind
    if by in {"word", "unit"}:
        told = product.details().items()
        if "/" in sought:  # "nvme hay sata"
            either = {fold(one) for one in sought.split("/")}
            shown = [f"{name} {value}" for name, value in told if either & {*folded_words(value)}]
            return ", ".join(shown or sorted(either & {*folded_words(product.name)}))
        unit = UNITS.get(sought, ("", 1))[0]
        named = [
            m[0] for m in FIGURE.finditer(product.name) if by == "unit" and UNITS[m[2].lower()][0] == unit
        ]
        shown = [
            f"{name} {value}"
            for name, value in told
            if (fold(sought) in fold(name) if by == "word" else bool(_figures(value, unit)))
        ]
        return ", ".join(shown or named)
    called = _called("ram" if attribute == "memory type" else attribute)
    found = next((value for name, value in product.details().items() if fold(name) in called), "")
    if not found and attribute in {"ram", "storage"}:
        found = product.details().get("Bộ nhớ") or ""
    measure = MEASURED.get(attribute)
    if found or not measure or (measure == "gb" and (attribute == "ram" or product.kind not in _DRIVES)):
        return found
    # "Màn hình LG 24MR400-B 24 inch": some figures stand in the name alone.
    return next((m[0] for m in FIGURE.finditer(product.name) if UNITS[m[2].lower()][0] == measure), "")


def measure_of(product: Product, attribute: str) -> float | None:
    """The figure that the catalogue gives of an attribute of `MEASURED`; None where it gives none."""
    unit, told = MEASURED[attribute], value_of(product, attribute)
    if not unit:
        number = re.search(r"\d+", told)
        return float(number[0]) if number else None
    figures = _figures(told, unit)
    # "8GB/256GB": memory stands first, storage last.
    return figures[-1 if attribute == "storage" else 0] if figures else None


def ranked(products: Sequence[Product], query: ProductQuery) -> tuple[Product, ...]:
    """Those of `products` with most or least of what is compared; none where the catalogue gives it of none."""
    [attribute, order] = query.compared
    told = {one: figure for one in products if (figure := measure_of(one, attribute)) is not None}
    best = (max if order == "most" else min)(told.values(), default=None)
    return tuple(one for one, figure in told.items() if figure == best)


def _says(product: Product, word: str) -> bool:
    terms = _terms(f"{product.name}\n{product.specs}\n{product.brand}")
    if step := _STEP.fullmatch(word):
        # "i7>=": the same family's i7 and i9.
        steps = [
            int(term[len(step[1]) :])
            for term in terms
            if re.fullmatch(f"{step[1]}\\d{{{len(step[2])}}}", term)
        ]
        return any(one >= int(step[2]) if step[3] == ">=" else one <= int(step[2]) for one in steps)
    return word in terms or (
        len(word) >= 3
        and not word.isdigit()
        and any(char.isdigit() for char in word)
        # "XM5" of "WH-1000XM5"
        and any(term.startswith(word) or (word[0].isalpha() and term.endswith(word)) for term in terms)
    )


# The step of a family, or more or less than it.
_STEP = re.compile(r"(\D*)(\d+)([<>]=)")


@lru_cache(maxsize=20_000)
def _terms(text: str) -> frozenset[str]:
    return frozenset(index_terms(text))


def _made_by(product: Product, brand: str) -> bool:
    words = folded_words(brand)
    return key_of(product.brand) == key_of(brand) or set(words) <= _terms(f"{product.name}\n{product.specs}")


# What an attribute that is asked of a part is a part itself.
_AS_PART = {"ram": "ram", "memory type": "ram", "cpu": "cpu", "graphics card": "vga", "power": "psu"}


def together(store: ProductStore, query: ProductQuery) -> Offer | None:
    """Whether parts that are named go together, or which of a kind go with one; None where nothing of it is asked."""
    memory = [word for word in query.words if word.startswith("ddr")]
    memory_said = bool(memory) or "ram" in query.kinds
    named = _parts_named(store, [word for word in query.words if word not in memory], memory=memory_said)
    asked = dict.fromkeys((*query.kinds, *query.owned, *(_AS_PART.get(name, "") for name in query.asks)))
    others = [kind for kind in asked if kind in PARTS and kind not in named]
    if query.fits and memory and "ram" in others and len(others) == 2 and not named:
        # "ram ddr5 gắn được main nào": all of it.
        named = {"ram": _fitting(_of_kind(store, "ram"), tests_of(ProductQuery(words=tuple(memory))))}
        others.remove("ram")
    for_one = len(named) == len(others) == 1 and (query.fits or named.keys().isdisjoint(query.kinds))
    if for_one and all(named.values()):
        [(kind, parts)] = named.items()
        if kind in query.owned:
            # "đang xài main B760M DDR4": what is said of the memory is said of the board.
            parts = [part for part in parts if all(title_has(part.name, word) for word in memory)] or parts
        memory = [word for word in memory if not all(title_has(part.name, word) for part in parts)]
        told = tests_of(replace(query, words=tuple(memory), brands=()))
        rest = _fitting(_of_kind(store, others[0]), told)
        fits = {one: {go_together(one, part) for part in parts} for one in rest}
        good = [one for one, verdict in fits.items() if verdict == {True}]
        if query.stocked:
            good = [one for one in good if one.stock] or good
        if query.order == "dearest":
            good = sorted(good, key=lambda one: (one.stock == 0, -one.price))
        if not good and any(verdict != {False} for verdict in fits.values()):
            return None  # of several that are called so some may
        if good and not (query.fits and (memory or query.figures)):
            return Offer("fit", query, tuple(good[:ROWS]), len(good), note="list", beside=tuple(parts))
        shown = (parts[0], *(good or rest)[:1])
        return Offer("fit", query, shown, 2, note="yes" if good else "no") if rest else None
    if len(named) == 2 and (query.fits or not (query.shows or query.asks or query.moves)):
        first, second = named.values()
        verdicts = {go_together(one, other) for one in first for other in second}
        if len(verdicts) == 1 and None not in verdicts:
            return Offer("fit", query, (first[0], second[0]), 2, note="yes" if True in verdicts else "no")
    return None


_SPEED = re.compile(r"(?<=DDR\d) \d{4,}")


def _parts_named(store: ProductStore, words: Sequence[str], *, memory: bool) -> dict[str, list[Product]]:
    """The parts of a computer that are named by a model's number, by kind; of two kinds that a number fits that which more words fit."""
    if not any(char.isdigit() for word in words for char in word):
        return {}
    found: dict[str, tuple[set[str], list[Product]]] = {}
    for kind in PARTS:
        # The 5600 of "DDR5 5600" is a speed, no model, where nothing else is said of the memory.
        called = {one: one.name if memory else _SPEED.sub("", one.name) for one in _of_kind(store, kind)}
        says = {one: {word for word in words if title_has(name, word)} for one, name in called.items()}
        best = max(says.values(), key=len, default=set())
        if any(char.isdigit() for word in best for char in word):
            found[kind] = best, [one for one, told in says.items() if len(told) == len(best)]
    met = {word for best, _ in found.values() for word in best}
    if any(re.search(r"\d{3}", word) and word not in met for word in words):
        return {}  # "i7 13700K" is no other i7
    return {
        kind: rows
        for kind, (best, rows) in found.items()
        if not any(best < other for other, _ in found.values())
    }


def _of_kind(store: ProductStore, kind: str) -> list[Product]:
    return store.search(SearchCriteria(kinds=(kind,), order="cheapest", count=_LOOKED_AT))


def title_has(title: str, word: str) -> bool:
    """Whether a product's name has this word or a longer code that begins with it ("b760" of "B760M")."""
    words = folded_words(title)
    return word in words or (
        not word.isdigit() and any(one.startswith(word) for one in words) and any(map(str.isdigit, word))
    )


def _several(store: ProductStore, query: ProductQuery) -> Offer:
    """Each of several goods that one message names."""
    found: list[Product] = []
    missing: list[str] = []
    counts: list[int] = []
    single, total = True, 0
    silent: dict[str, None] = {}  # of what the catalogue says nothing, of any of them
    sides = [parse_product_query(side, store) for side in query.parts]
    for side, wanted in zip(query.parts, sides, strict=True):
        offer = _list(store, wanted) if wanted.names else None
        rows = (
            offer.products[: 1 if wanted.order in {"cheapest", "dearest"} else ROWS // 2]
            if offer and not offer.unmet
            else ()
        )
        counts.append(max(1, wanted.count))
        silent |= dict.fromkeys(offer.silent if offer else ())
        total += offer.total if offer and len(rows) > 1 else len(rows)
        single = single and len(rows) == 1
        found += [row for row in rows if row not in found]
        missing += [] if rows or (offer and offer.note == "not sold") else [side]
    moves = query.moves if single and not missing else tuple(move for move in query.moves if move != "total")
    wanted = replace(query, moves=moves, kinds=(), words=(), brands=(), facts=(), figures=(), asks=())
    wanted = replace(wanted, low=None, high=None, about=None)  # each has its own
    ordered = "total" in query.moves or any(parse.count for parse in sides)
    if ordered and single and not missing and len(found) == len(counts) and not query.fits:
        return Offer("order", replace(wanted, parts=()), tuple(found), len(found), counts=tuple(counts))
    total = max(total, len(found))
    return Offer("list", wanted, tuple(found), total, missing=tuple(missing), silent=tuple(silent))


def _compare(store: ProductStore, query: ProductQuery) -> Offer | None:
    """The sides of a comparison, the first that fits each; None of makers alone, of which no goods are named."""
    chosen: list[Product] = []
    missing: list[str] = []
    kinds = query.kinds
    sides = [(side, parse_product_query(side, store)) for side in query.parts[:_SIDES]]
    if not (kinds or any(read.kinds or read.words for _, read in sides)):
        return None
    first = next(read for _, read in sides if read.names)
    for at, (side, read) in enumerate(sides):
        if read.names:
            first = read
        elif not read.unread and (read.figures or _takes_place(read, first)):
            # "Nitro V bản 8gb với 16gb", "G102 đen với trắng": the same with another size or colour.
            sides[at] = (side, refine(first, read))
    named = [side for side in sides if side[1].names]
    # "which is better for work, A or B": beside two names what names nothing is no third.
    for side, read in (
        named if len(named) > 1 else [side for side in sides if side[1].names or side[1].unread]
    ):
        wanted = replace(read, action="find", kinds=read.kinds or kinds, order="")
        found = _list(store, wanted) if read.names else None
        fresh = (
            [product for product in found.products if product not in chosen]
            if found and not found.unmet
            else []
        )
        fresh.sort(key=partial(_otherwise_called, side=side, words=read.words))
        if fresh and (not wanted.unread or any(map(is_code, wanted.words))):
            chosen.append(fresh[0])
            kinds = kinds or (fresh[0].kind,)
        else:
            missing.append(side)
    return Offer("compare", by_strength(query, chosen), tuple(chosen), len(chosen), missing=tuple(missing))


def _otherwise_called(product: Product, side: str, words: Sequence[str]) -> tuple[int, int]:
    """How far a product's name is from what is said: a variant not named, a code that only begins so ("12400" of "12400F")."""
    called = set(folded_words(product.name))
    return len((VARIANTS - set(folded_words(side))) & called), -len(called & set(words))


# What of a kind of goods tells how much it does: a figure that ranks them, or what of them has to be weighed.
_RANKS, _WEIGHED = {"psu": "power"}, dict.fromkeys(("laptop", "pc"), ("cpu", "ram", "graphics card"))


def by_strength(query: ProductQuery, products: Sequence[Product]) -> ProductQuery:
    """`query` where it asks which of `products` is the stronger: by the figure that tells it, else with what bears on it."""
    asked = [move for move in query.moves if move in STRENGTH]
    kinds = {one.kind for one in products}
    if not asked or len(kinds) != 1:
        return query
    [kind] = kinds
    if kind in _RANKS:
        return replace(query, compared=(_RANKS[kind], "most" if asked[0] == STRENGTH[0] else "least"))
    return replace(query, asks=tuple(dict.fromkeys((*_WEIGHED.get(kind, ()), *query.asks))))


def _takes_place(read: ProductQuery, first: ProductQuery) -> bool:
    """Whether what is read names a property in the place of the one that was said first: "trắng" after "đen"."""
    others = set(read.facts) - set(first.facts)
    return bool(others) and len(refine(first, read).facts) == len(first.facts)


def title_says(title: str, name: str) -> bool:
    """Whether a product's name holds all words of `name`."""
    return set(folded_words(name)) <= _terms(title)
