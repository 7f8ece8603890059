"""Decides what a message asks of the goods: a new search, a change of the last one, or something of what was shown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from troly.plugin.context import TurnContext
from troly.plugin.focus import Focus, FocusRow, Reference, find_reference
from troly.text.fold import fold, fold_in_place, folded_words, nfc, span_in_place, tokens
from troly.text.language import is_syllable
from troly.text.match import PhraseHit, blank_out, spans_of
from troly.text.numbers import counting_words
from troly_shopping.products import offers
from troly_shopping.products.offers import Offer
from troly_shopping.products.order import (
    BUILD,
    COMPUTERS,
    COUNTED,
    OrderChange,
    change_order,
    further_than,
    step_of,
    things,
)
from troly_shopping.products.query import (
    FIGURE,
    MEASURED,
    METRES,
    MILLION,
    TO_A_PLACE,
    USES,
    VARIANTS,
    WISHED,
    ProductQuery,
    asks_which,
    is_code,
    is_comparative,
    opens_on,
    parse_price_limits,
    parse_product_query,
    place_words,
    refine,
)
from troly_shopping.products.store import PARTS, Order, Product, ProductStore, SearchCriteria
from troly_shopping.wordlists import lexicon, word_lists

# Kinds of the shared focus.
PRODUCTS, PAGES = "products", "pages"
MAX_SHOWN, MAX_COMPARED = 12, 4
# Kept with the conversation: the names of the goods shown last.
GOODS = "goods_shown"
Scope = Literal["none", "search", "rows", "order"]
SIZES = r"[0-9]+ ?[GT]B(?:/[0-9]+ ?[GT]B)*"
_SIZE = re.compile(rf"(?<!\w){SIZES}(?!\w)", re.IGNORECASE)
# "hơn bản 16GB bao nhiêu tiền", but not "hơn 20 triệu".
_BY_HOW_MUCH = re.compile(
    r"\b(hon|kem)\s+(?!\d[\d.,]*\s*(?:tr|trieu|k|nghin|ngan|cu)\b).*\b(?:bao nhieu|bn|nhieu|may) ?(?:tien)?"
)
_KIND = 500
_NUMBER = re.compile(r"\d+")
# A number that counts nothing and is no part of another.
_BARE = re.compile(
    r"\s+(\d{1,5})(?![\w.,%/-])(?!\s*(?:tr|triệu|trieu|k|nghìn|nghin|ngàn|ngan|củ|cu|million|thousand)(?!\w))"
)
_ENDS = {"cheapest", "dearest"}
_CLAUSES = re.compile(r"[,.;?!\n]|(?<!\w)(?:với lại|voi lai|còn nữa|ngoài ra)(?!\w)", re.IGNORECASE)
# "những con rẻ nhất": no one of them is spoken of.
_SEVERAL = re.compile(
    r"(?<!\w)(?:nhung|may(?= (?:con|cai|mau|loai|em|bo|chiec))|cac|vai|ones|some|list|\d+ (?:con|cai|mau|loai|may))(?!\w)"
)
# "2 em đó" of goods.
_CALLED = re.compile(r"(?<=\d )(?:em|e|bé|be)(?= (?:đó|do|này|nay|kia|ấy|trên)(?!\w))", re.IGNORECASE)
# "co them con nao": more of them, no English "them".
_MORE = re.compile(r"them (?:may )?(?:con|cai|mau|loai|may|lua chon|gi|nao|dc|duoc|ko|k|khong|hong|hk)(?!\w)")
# "rẻ thứ hai", "the second cheapest".
_NTH = re.compile(
    r"(?<!\w)(?:(?:re|(?P<dear>dat|mac)) thu (?P<vi>nhi|hai|ba|tu|[2-4])|(?P<en>second|third|2nd|3rd)[ -](?:cheapest|(?P<most>most expensive)))(?!\w)"
)
_PLACES = {
    "nhi": 2, "hai": 2, "2": 2, "second": 2, "2nd": 2, "ba": 3, "3": 3, "third": 3, "3rd": 3, "tu": 4, "4": 4,
}  # fmt: skip
# The other of two: "con kia".
_REST = ("kia", "còn lại", "other one")
_SO_MANY = {"hai": 2, "2": 2, "two": 2, "both": 2, "ba": 3, "3": 3, "three": 3}
_COUNTERS = {"cai", "con", "chiec", "mau", "loai", "em", "ban", "mon", "cay", "bo"}
# What is asked of goods without naming any: said of what was shown.
_OF_ROWS = {"difference", "compare"}


@dataclass(frozen=True, slots=True)
class ShopRequest:
    """What a message asks: goods by `query`, of `rows` that were shown ("rows") or of all ("search"), and service topics.

    `current` is what was spoken of last among what was `shown`; `extreme` asks for the first of a search alone. `own` is what the message itself says where `query` goes on from the last search. `missing` is a number that the list shown does not reach. `earlier` are the
    topics before, which "còn chuyển khoản?" may go on with. `typed` is the message.
    """

    typed: str
    query: ProductQuery
    scope: Scope = "none"
    rows: tuple[FocusRow, ...] = ()
    shown: tuple[FocusRow, ...] = ()
    pointed: bool = False
    missing: int = 0
    topics: tuple[str, ...] = ()
    current: tuple[FocusRow, ...] = ()
    extreme: bool = False
    own: ProductQuery | None = None
    earlier: tuple[str, ...] = ()
    order: OrderChange | None = None

    @property
    def asks(self) -> bool:
        """Whether anything of goods or service was understood."""
        return self.scope != "none" or bool(self.topics) or "kinds asked" in self.query.moves

    @property
    def certain(self) -> bool:
        """Whether all of it was."""
        return self.asks and not self.query.unread and not self.missing


def _with_units(text: str, focus: Focus, store: ProductStore) -> str:
    """`text` where a bare number after a word for goods has the unit that goods of the kind shown have it with.

    "bản 32" after a laptop is "bản 32GB", "the 256 one" "the 256GB one", "loại 10000" of power banks "loại 10000mAh".
    """
    kinds = tuple({str(row.values.get("kind")): None for row in focus.rows})
    for hit in reversed(lexicon("catalogue", "size of").find(text)):
        bare = _BARE.match(text, hit.end)
        if bare is None or int(bare[1]) <= len(focus.rows) or FIGURE.match(text, bare.start(1)):
            continue
        names = [one.name for one in store.search(SearchCriteria(kinds=kinds, count=_KIND))]
        if any(bare[1] in folded_words(FIGURE.sub("", name)) for name in names):
            continue  # "con 5600" is called so, though there is a "5600G"
        units = {m[2].lower() for name in names for m in FIGURE.finditer(name) if m[1] == bare[1]}
        if len(units) == 1:
            text = f"{text[: bare.end(1)]}{units.pop()}{text[bare.end(1) :]}"
    return text


def spoken_of(turn: TurnContext) -> Focus | None:
    """The focus of the conversation; one of the first edition kept names and kinds as `shown`."""
    shown = turn.conversation_metadata.get("shown")
    if turn.focus is not None or not isinstance(shown, Mapping):
        return turn.focus
    kinds = [str(kind) for kind in shown.get("kinds", ())]
    kind = kinds[0] if len(kinds) == 1 else ""
    rows = tuple(FocusRow(str(name), str(name), {"kind": kind}) for name in shown.get("names", ()))
    return Focus(PRODUCTS, "", rows, {"kinds": kinds})


def is_of_order(focus: Focus | None) -> bool:
    """Whether the page told last is about an order: a code that follows is its number, no serial."""
    topics = focus.query.get("topics", ()) if focus is not None and focus.kind == PAGES else ()
    return bool({"order status", "cancel order"} & {*topics})


def goods_looked_up(names: Sequence[str], store: ProductStore) -> Focus | None:
    """The goods of the catalogue that a machine whose warranty was looked up is one of; None where there are none."""
    [name] = names if len(names) == 1 else [""]
    found = store.holding(folded_words(name), MAX_SHOWN) if name else []
    rows = focus_rows(store.named([title for title, _ in found]))
    return Focus(PRODUCTS, "", tuple(rows), {"total": len(rows)}) if rows else None


def goods_shown(turn: TurnContext) -> tuple[FocusRow, ...]:
    """The rows shown last; after an answer from the pages the goods before it, by their names alone."""
    if turn.focus is not None and turn.focus.rows:
        return turn.focus.rows
    names = turn.conversation_metadata.get(GOODS)
    return tuple(FocusRow(str(name), str(name)) for name in names) if isinstance(names, list) else ()


def parse_request(  # noqa: C901 (one case a kind of request)
    text: str, focus: Focus | None, store: ProductStore
) -> ShopRequest:
    """What `text` asks after what was shown. Blocking; raises StoreError."""
    goods = focus if focus is not None and focus.kind in {PRODUCTS, BUILD} else None
    typed = _CALLED.sub("con", nfc(text)[:2_000])
    typed = _with_units(typed, goods, store) if goods else typed
    refused = _refused(typed, goods, store) if goods else None
    if refused:
        # "không phải con đó, con Ergo 2": what follows is meant, not what is pointed at before it.
        typed = " " * refused.end + typed[refused.end :]
    if goods and goods.kind != BUILD and (taken := _taken_back(typed, goods, store)):
        typed = " " * taken + typed[taken:]
    pointed = _pointing(typed, goods) if goods else None
    limited = goods and {"low", "high"} & goods.query.keys() and parse_price_limits(typed).places
    moved = lexicon("catalogue", "limit moved").find(typed) if limited else []
    typed = blank_out(typed, spans_of(moved))
    if moved and pointed and pointed.kind in {"this", "these"}:
        # "raise it to 22 million": the limit, not what was shown.
        typed, pointed = blank_out(typed, pointed.spans), None
    kinds = tuple(dict.fromkeys(str(row.values.get("kind")) for row in goods.rows)) if goods else ()
    # "three of those": what is counted stays in sight.
    told = pointed.spans if pointed else ()
    spans = [(at + 3 * (typed[at : at + 3].lower() == "of "), end) for at, end in told]
    rest = blank_out(typed, spans)
    corrected = lexicon("dialogue", "correction").find(rest) if focus else []
    corrected = [refused] if refused else corrected
    rest = blank_out(
        rest, [*spans_of(corrected), *(each.span() for each in _INSTEAD.finditer(rest) if corrected)]
    )
    spoken = kinds[0] if len(kinds) == 1 else ""
    query = _corrected(rest, store) or parse_product_query(rest, store, whole=spoken)
    query = _of_months(query, typed, goods)
    narrows = query.details or query.brands or query.words or query.stocked
    narrows = narrows or query.excludes
    yes_or_no = _YES_OR_NO.search(fold(typed)) and not _OTHERS.search(fold(typed))
    if pointed and pointed.kind == "extreme" and narrows and not (yes_or_no and query.facts):
        # "loại 1TB nào rẻ nhất": the cheapest of those that fit, not whether the cheapest fits.
        pointed, query = None, parse_product_query(typed, store, whole=spoken)
    query = _of_certain_goods(query, pointed)
    if pointed is None and query.details and lexicon("catalogue", "gift").find(typed):
        goods = None  # a new wish
    last = goods.query.get("current", ()) if goods else ()
    request = ShopRequest(
        typed,
        query,
        topics=query.topics,
        shown=goods.rows if goods else (),
        current=tuple(row for row in goods.rows if row.id in last) if goods else (),
    )
    if so_many := _so_many_called(request, goods):
        return so_many
    if put_together := _than_named(request, store) or _put_together(request, goods, pointed, store):
        return put_together
    if goods is None:
        return _of_no_goods(request, focus, store, corrects=bool(corrected))
    if pointed is None and (paged := _of_page(request, goods, corrects=bool(corrected))):
        return paged
    if corrected and (query.words or query.brands) and pointed is None:
        return replace(request, scope="search", query=_in_place(query, goods, kinds))
    found = _cheaper(request, goods, pointed, store) or _beside(request, goods, pointed, store)
    found = found or _after(request, goods, pointed, kinds, store)
    if found.scope == "rows" and "warranty period" in found.topics:
        asks = tuple(dict.fromkeys((*found.query.asks, "warranty")))
        topics = tuple(topic for topic in found.topics if topic != "warranty period")
        found = replace(found, topics=topics, query=replace(found.query, asks=asks))
    if "fee" in found.query.shows and found.scope == "rows" and not found.topics:
        found = replace(found, topics=tuple(map(str, goods.query.get("topics", ()))))
    found = _of_same_maker(_of_family(found, store), query, store)
    return _still_open(found, goods, pointed)


def _of_certain_goods(query: ProductQuery, pointed: Reference | None) -> ProductQuery:
    """What the catalogue says of certain goods is asked of it, not of a page: their warranty, the memory that they take."""
    shown = bool(pointed and pointed.rows)
    if "warranty period" in query.topics and (query.words or query.brands or shown):
        topics = tuple(topic for topic in query.topics if topic != "warranty period")
        return replace(query, topics=topics, asks=tuple(dict.fromkeys((*query.asks, "warranty"))))
    takes = shown and not query.shows and any(word.startswith("ddr") for word in query.words)
    return replace(query, topics=()) if takes and query.topics == ("upgrade",) else query


def _of_months(query: ProductQuery, text: str, goods: Focus | None) -> ProductQuery:
    """ "còn bản 8GB, góp y vậy": an instalment over as many months as the one told before."""
    again = opens_on(text) or lexicon("catalogue", "alike").find(text)
    if goods is None or not again or "instalment" not in query.topics or query.months:
        return query
    return replace(query, months=int(goods.query.get("months", 0)))


def _still_open(request: ShopRequest, focus: Focus, pointed: Reference | None) -> ShopRequest:
    """What was not understood of a list is still open where a message narrows it or asks for its cheapest."""
    ranks = request.query.order in {"cheapest", "dearest"} or bool(request.query.compared)
    ranks = request.scope == "rows" and (ranks or (pointed is not None and pointed.kind == "extreme"))
    open_ = tuple(focus.query.get("unread", ()))
    if not open_ or not (request.own or request.extreme or ranks):
        return request
    unread = tuple(dict.fromkeys((*open_, *request.query.unread)))
    return replace(request, query=replace(request.query, unread=unread))


def _cheaper(
    request: ShopRequest, focus: Focus, pointed: Reference | None, store: ProductStore
) -> ShopRequest | None:
    """ "còn con nào rẻ hơn không", "có con nào rẻ hơn con này": others than those shown, each cheaper."""
    rows = pointed.rows if pointed and pointed.rows else request.current or focus.rows
    if same := _cheaper_alike(request, rows, store) or _stronger(request, rows, store):
        return same
    hits = lexicon("catalogue", "cheaper others").find(request.typed)
    this = pointed is not None and pointed.kind == "this" and len(focus.rows) == 1
    if this and not hits:
        hits = [hit for hit in lexicon("catalogue", "cheapest").find(request.typed) if is_comparative([hit])]
    prices = [price for row in rows if isinstance(price := row.values.get("price"), int)]
    if not hits or not prices or focus.kind == BUILD or _by_how_much(request):
        return None
    spans = [*spans_of(hits), *(pointed.spans if pointed else ())]
    query = parse_product_query(blank_out(request.typed, spans), store)
    named = [word for word in query.words if f"kind word {word}" not in query.said]  # no "phím cơ"
    if query.brands or named or query.topics or query.priced or query.action != "find":
        return None  # "rẻ hơn 15 triệu" is a limit
    old = _before(query, focus, [str(row.values.get("kind")) for row in rows])
    if len(rows) == 1 and old.words:
        # Cheaper than one that was named: any of its kind.
        old = ProductQuery(kinds=old.kinds or (str(rows[0].values.get("kind")),))
    whole = refine(old, query)
    whole = replace(whole, low=None, high=min(prices) - MILLION // 1_000, about=None, order="nearest")
    whole = replace(whole, moves=("cheaper",))
    return replace(request, scope="search", query=whole, own=query, topics=())


def _cheaper_alike(request: ShopRequest, rows: Sequence[FocusRow], store: ProductStore) -> ShopRequest | None:
    """ "có con nào cùng dpi mà rẻ hơn": others of its kind that cost less and of which the catalogue says the same."""
    ends, same = (lexicon("catalogue", name).find(request.typed) for name in ("cheapest", "alike"))
    query, one = request.query, store.named([row.id for row in rows])
    if len(one) != 1 or not (same and query.asks and is_comparative(ends)) or query.names:
        return None
    kind = store.search(SearchCriteria(kinds=(one[0].kind,), order="dearest", count=_KIND))
    tell = {True: offers.measure_of, False: offers.value_of}
    said = {p: [tell[name in MEASURED](p, name) for name in query.asks] for p in (one[0], *kind)}
    told = said[one[0]]
    found = focus_rows([p for p in kind if p.price < one[0].price and said[p] == told and all(told)])
    if not found:
        return replace(request, query=replace(query, unread=query.unread or (same[0].phrase,)))
    query = ProductQuery(asks=query.asks)
    return replace(request, scope="rows", rows=tuple(found), pointed=True, query=query, topics=())


def _than_named(request: ShopRequest, store: ProductStore) -> ShopRequest | None:
    """ "chuột nào rẻ hơn G304": goods of its kind that cost less, or more, than the one that is named behind the comparison."""
    text, query = request.typed, request.query
    hits = [hit for hit in lexicon("catalogue", "cheapest", "dearest").find(text) if is_comparative([hit])]
    if len(hits) != 1 or query.topics or _by_how_much(request):
        return None
    sides = (text[: hits[0].start], text[hits[0].end :])
    before, after = (parse_product_query(side, store) for side in sides)
    asks = (before.kinds or _OTHERS.search(fold(text))) and not before.words
    if not (asks and after.words) or before.unread or after.unread:
        return None
    found = offers.find_offer(store, replace(after, kinds=after.kinds or before.kinds, order=""))
    if found is None or found.unmet or not 0 < len(found.products) == found.total <= MAX_COMPARED:
        return None
    kinds = before.kinds or tuple({one.kind: None for one in found.products})
    prices = [one.price for one in found.products]
    query = replace(before, kinds=kinds, order="nearest", high=min(prices) - MILLION // 1_000)
    if hits[0].label == "dearest":
        query = replace(before, kinds=kinds, order="cheapest", low=max(prices) + MILLION // 1_000)
    return replace(request, scope="search", query=query, topics=())


def _stronger(request: ShopRequest, rows: Sequence[FocusRow], store: ProductStore) -> ShopRequest | None:
    """ "có con nào mạnh hơn không" of the one part spoken of: others of its kind with more of what counts."""
    one, step, query = store.named([row.id for row in rows]), step_of(request.typed), request.query
    others = query.brands or query.words or query.priced or query.topics
    if not step or others or not _OTHERS.search(fold(request.typed)):
        return None
    if len(one) != 1 or one[0].kind not in COUNTED:
        return None
    kind = store.search(SearchCriteria(kinds=(one[0].kind,), order="cheapest", count=_KIND))
    found = tuple(focus_rows(further_than(one[0], kind, step)))
    query = ProductQuery(asks=query.asks)
    return replace(request, scope="rows", rows=found, pointed=True, query=query) if found else None


def _beside(
    request: ShopRequest, focus: Focus, pointed: Reference | None, store: ProductStore
) -> ShopRequest | None:
    """Goods that the message names, held against the one spoken of: "nó với SN580 con nào bảo hành lâu hơn".

    A size alone names another of its line, else of its maker: "bản 16GB đắt hơn nó bao nhiêu".
    """
    query = request.query
    this = pointed.rows if pointed and pointed.kind == "this" else ()
    this = _pointed_rows(request.typed, pointed, focus) if pointed and this else request.current or focus.rows
    # "con đó với con Dell con nào rẻ hơn"
    names = (*query.words, *query.brands)
    ends = lexicon("catalogue", "cheapest", "dearest").find(request.typed)
    held = names and is_comparative(ends) and lexicon("catalogue", "against").find(request.typed)
    more = bool(_by_how_much(request) or set(query.moves) & _OF_ROWS or held)
    opening, _, ending = request.typed.partition(",")
    asked = parse_product_query(opening, store)
    # "còn mấy cái, còn bản 1TB nhiêu": asked of the one shown and of another.
    also = bool(asked.asks or asked.shows) and opens_on(ending.rpartition(",")[2])
    also = also and not (more or asked.names or asked.figures or asked.priced)
    more = more or also
    if not (more or query.compared) or len(this) >= MAX_COMPARED or query.excludes or query.unread:
        return None
    one = store.named([row.id for row in this])
    named = replace(
        query, kinds=query.kinds or tuple(p.kind for p in one), order="", compared=(), asks=(), stocked=False
    )
    found, others = None, []
    if query.words or query.brands or query.figures:
        # Another of its line; where a name is told too, any other.
        found = offers.narrow(_family(one[0], store), named) if len(one) == 1 else None
        others = [p for p in found.products if p not in one] if found and not found.unmet else []
        looked = store.named(list(map(str, focus.query.get("beside", ())))) if names else []
        looked = [p for p in looked if p not in one and all(offers.title_says(p.name, n) for n in names)]
        others = looked if len(looked) == 1 else others  # "con Dell hồi nãy"
    elif more and not pointed and len(focus.rows) == 1:
        # "chênh bao nhiêu" of two that were looked at one after the other.
        last = store.named(list(map(str, focus.query.get("beside", ())))[:1])
        others = [p for p in last if one and p.kind == one[0].kind and p not in one]
    sized = bool(query.figures and not names and len(one) == 1 and one[0].brand)
    called = any(len(word) > len("512") or not word.isdigit() for word in query.words)
    if not others and (sized or query.brands or called):
        named = replace(named, brands=(one[0].brand,)) if sized else named
        found = offers.find_offer(store, replace(named, action="find", parts=(), moves=()))
        others = [p for p in found.products if p not in one] if found and not found.unmet else []
        plain = [p for p in others if not (VARIANTS - {*query.words}) & {*folded_words(p.name)}]
        others = plain or others
    if not one or not 0 < len(others) <= MAX_COMPARED - len(one):
        return None
    pair = [*one, *others] if len(one) == 1 else [*others, *one]
    query = replace(query, kinds=(), words=(), brands=(), figures=())
    query = query if also else replace(query, action="compare", shows=(), moves=("compare",))
    return replace(request, scope="rows", rows=tuple(focus_rows(pair)), pointed=True, query=query)


def _pointing(text: str, focus: Focus) -> Reference | None:
    """What of the goods shown a message points at."""
    pointed = find_reference(text, focus, things=things(), fields={"price": "price"})
    if pointed and pointed.kind == "extreme" and _kinds_in(text, pointed):
        # "laptop rẻ nhất" asks the whole catalogue, "con rẻ nhất" those shown.
        pointed = find_reference(text, focus, things=things())
    pointed = _nth(text, focus) or pointed
    if pointed and pointed.kind == "ordinal" and len(focus.rows) == 1 and focus.query.get("beside"):
        # "the first one" of things that were looked at one by one.
        earlier = tuple(FocusRow(str(name), str(name)) for name in reversed(focus.query["beside"]))
        one_by_one = replace(focus, rows=(*earlier, *focus.rows))
        pointed = find_reference(text, one_by_one, things=things()) or pointed
    if pointed and pointed.kind == "these" and len(focus.rows) == 1 and focus.query.get("beside"):
        # "the two", "hai con đó" of things that were looked at one by one; "mua hai con đó" are pieces of one.
        said = {int(one.value) for start, end in pointed.spans for one in counting_words(text[start:end])}
        name = str(focus.query["beside"][0])
        if pointed.missing == 2 or (said <= {2} and lexicon("catalogue", *_OF_ROWS).find(text)):
            pointed = replace(pointed, rows=(FocusRow(name, name), *focus.rows), missing=0)
    others = [hit for hit in lexicon("dialogue", "other").find(text) if hit.phrase.endswith(_REST)]
    last = [row for row in focus.rows if row.id in focus.query.get("current", ())]
    if others and len(last) == 1 and (pointed is None or pointed.kind == "this"):
        # "con kia" of two that were shown, or of two that were looked at one after the other.
        names = [str(name) for name in focus.query.get("beside", ())[:1]] if len(focus.rows) == 1 else []
        left = [row for row in focus.rows if row not in last] or [FocusRow(name, name) for name in names]
        pointed = Reference("ordinal", tuple(left), tuple(spans_of(others))) if len(left) == 1 else pointed
    if pointed and any(_MORE.match(fold(text[start:])) for start, _ in pointed.spans):
        return None
    numbers = (m for span in (pointed.spans if pointed else ()) for m in _NUMBER.finditer(text, *span))
    if any(FIGURE.match(text, at.start()) or METRES.match(text, at.end()) for at in numbers):
        return None  # "con 27 inch" is no 27th
    return pointed


def _nth(text: str, focus: Focus) -> Reference | None:
    """The one of a list shown whole, or of its cheap or dear end, that comes so far from that end: "rẻ thứ hai"."""
    plain, places = fold_in_place(nfc(text))
    if (said := _NTH.search(plain)) is None:
        return None
    number, dear = _PLACES[said["vi"] or said["en"]], bool(said["dear"] or said["most"])
    prices = {row.id: price for row in focus.rows if isinstance(price := row.values.get("price"), int)}
    whole = int(focus.query.get("total", 0)) <= len(focus.rows)
    whole = whole or focus.query.get("order") == ("dearest" if dear else "cheapest")
    if not whole or len(prices) < len(focus.rows):
        return None
    # What is sold out comes last, as in a list by price.
    sign = -1 if dear else 1
    ordered = sorted(focus.rows, key=lambda row: (row.values.get("stock") == 0, prices[row.id] * sign))
    rows = tuple(ordered[number - 1 : number])
    spans = (span_in_place(places, len(text), *said.span()),)
    return Reference("ordinal", rows, spans, missing=0 if rows else number)


def _put_together(
    request: ShopRequest, focus: Focus | None, pointed: Reference | None, store: ProductStore
) -> ShopRequest | None:
    """The request of a message that asks what goes with a part, or adds to an order; None for any other."""
    query = request.query
    if which := _which_fits(request, focus, store):
        return which
    whole = _of_part(request.typed, query, focus, pointed, store) or _of_computer(
        query, focus, pointed, store
    )
    if whole:
        return replace(request, scope="search", query=whole)
    order = change_order(request.typed, query, focus, store) if query.action == "find" or focus else None
    held = {row.values.get("kind") for row in focus.rows} if focus and focus.kind == BUILD else set()
    if order is None:
        # A change of a part that is not understood is no search for such parts: the order stays what is spoken of.
        changed = lexicon("order", "swap", "drop").find(request.typed)
        changed = changed or (lexicon("dialogue", "correction").find(request.typed) if query.count else [])
        if not (changed and held & set(query.kinds)) or query.topics:
            return None
        if query.words or query.brands or query.figures or query.priced:
            return None
        order = OrderChange((), unsure=request.typed.strip())
    if order.unsure:
        query = replace(query, unread=query.unread or (order.unsure,))
        return replace(request, query=query, scope="rows" if held else "none", rows=request.shown)
    asked = ProductQuery(moves=("total",), topics=query.topics)
    return replace(request, scope="order", query=asked, order=order)


def _of_part(
    text: str, query: ProductQuery, focus: Focus | None, pointed: Reference | None, store: ProductStore
) -> ProductQuery | None:
    """What goes with the part spoken of ("main nào lắp được cho CPU đó", "con PF400 có đủ không"), by the name of that part."""
    last = focus.query.get("current", ()) if focus else ()
    rows = tuple(row for row in focus.rows if row.id in last) if focus else ()
    if focus and pointed and pointed.kind == "extreme":
        ends = [hit.label for hit in lexicon("catalogue", *_ENDS).find(text)]
        order: Order = "dearest" if "dearest" in ends else "cheapest" if ends else ""
        query = replace(query, order=query.order or order)
        pointed = find_reference(text, focus, things=things())  # "main nào rẻ nhất mà gắn được con cpu đó"
    rows = _pointed_rows(text, pointed, focus) if pointed and focus else rows
    meant = [
        row for row in rows if row.values.get("kind") in PARTS and row.values.get("kind") not in query.kinds
    ]
    # "cần main nào" after a CPU: one that goes with it.
    fits = query.fits or (asks_which(text, query.kinds) and _NEEDS.search(fold(text)) and not query.details)
    if pointed and not (fits or query.names or query.topics):
        # "shop có nguồn đó ko" of a card: one that goes with it.
        others = {*PARTS} & _kinds_in(text, pointed) - {row.values.get("kind") for row in rows}
        fits, query = len(others) == 1, replace(query, kinds=tuple(others))
    if not fits or len({row.values.get("kind") for row in meant}) != 1:
        return None
    query = replace(query, fits=True)
    # Of several what goes with all that are called so.
    name, kinds = meant[0].title, lexicon("kinds").find(meant[0].title)
    called = tokens(name[max((hit.end for hit in kinds if hit.start == 0), default=0) :])
    shared = {
        one.folded: one.text
        for one in called
        if all(offers.title_has(row.title, one.folded) for row in meant)
    }
    words, said = (*query.words, *shared), {**query.said, **shared}
    whole = replace(query, words=words, said=said, brands=(), owned=())
    return whole if offers.together(store, whole) else None


def _which_fits(request: ShopRequest, focus: Focus | None, store: ProductStore) -> ShopRequest | None:
    """ "cpu nào vừa main này mà rẻ nhất còn hàng": the first by price of those that fit the part pointed at.

    Where the catalogue does not tell what fits, nothing is told but that part.
    """
    text, ends = request.typed, lexicon("catalogue", *_ENDS).find(request.typed)
    wanted = {hit.label for hit in lexicon("kinds", *PARTS).find(text) if asks_which(text, [hit.label])}
    plain = blank_out(text, spans_of(ends))
    pointed = find_reference(plain, focus, things=things()) if focus and len(wanted) == 1 else None
    if focus is None or pointed is None or pointed.kind not in {"this", "these"}:
        return None
    kinds = {*PARTS} & _kinds_in(plain, pointed) - wanted
    # "vừa mua main này" is no fit.
    suits = [one.span() for one in _SUITS.finditer(nfc(plain).lower())]
    suits = [span for span in suits if any(0 <= start - span[1] <= 1 for start, _ in pointed.spans)]
    if len(kinds) != 1 or not (request.query.fits or suits):
        return None
    # The one spoken of last may stand beside what was shown.
    beside = focus_rows(store.named(list(map(str, focus.query.get("beside", ())))))
    rows = [row for row in (*focus.rows, *beside[:MAX_SHOWN]) if row.values.get("kind") in kinds]
    last = [row for row in rows if row.id in focus.query.get("current", ())]
    shown = [row for row in focus.rows if row in rows]
    meant = tuple(last or shown or rows[:1])
    if not meant:
        return None
    asked = parse_product_query(blank_out(plain, [*suits, *pointed.spans]), store)
    order: Order = "" if not ends else "dearest" if ends[0].label == "dearest" else "cheapest"
    more = asked.brands or asked.excludes or asked.priced
    if asked.topics or asked.words or (more and not ends):
        return None
    asked = replace(asked, kinds=tuple(wanted), asks=(), moves=(), fits=True, order=order)
    whole = _of_part(
        text, asked, replace(focus, rows=meant, query={"current": [row.id for row in meant]}), None, store
    )
    if whole and not more:
        return replace(request, scope="search", query=whole)
    told = ProductQuery(fits=True, unread=asked.unread)
    return replace(request, scope="rows", query=told, rows=meant, pointed=True, topics=())


def _of_computer(
    query: ProductQuery, focus: Focus | None, pointed: Reference | None, store: ProductStore
) -> ProductQuery | None:
    """Memory for the computer spoken of ("thêm thanh RAM 16GB gắn vào nó") is of the kind that it takes."""
    last = focus.query.get("current", ()) if focus else ()
    rows = [row.id for row in focus.rows if row.id in last or len(focus.rows) == 1] if focus else []
    if query.kinds != ("ram",) or not query.fits or len(rows) != 1 or (pointed and pointed.kind != "this"):
        return None
    found = [re.search("ddr[345]", fold(one.specs)) for one in store.named(rows) if one.kind in COMPUTERS]
    words = (*query.words, *(one[0] for one in found if one))
    return (
        replace(query, words=words, fits=False, moves=(), order=query.order or "cheapest")
        if any(found)
        else None
    )


def _of_same_maker(request: ShopRequest, query: ProductQuery, store: ProductStore) -> ShopRequest:
    """ "cùng hãng có loại nào" searches what the maker of all that was shown has."""
    if query.brands or not lexicon("catalogue", "same brand").find(request.typed):
        return request
    shown = store.named([row.id for row in request.shown])
    makers, kinds = {one.brand for one in shown}, tuple({one.kind: None for one in shown})
    if len(makers) != 1:
        return request
    query = replace(query, brands=tuple(makers), kinds=query.kinds or kinds)
    return ShopRequest(request.typed, query, scope="search", topics=query.topics, shown=request.shown)


def _corrected(text: str, store: ProductStore) -> ProductQuery | None:
    """What a message asks that takes a part of itself back ("laptop Dell dưới 20tr, í nhầm, HP chứ"); None for any other."""
    hits = [
        hit
        for hit in lexicon("dialogue", "correction").find(text)
        if tokens(text[: hit.start]) and tokens(text[hit.end :])
    ]
    if not hits:
        return None
    before = parse_product_query(text[: hits[0].start], store)
    after = parse_product_query(text[hits[-1].end :], store)
    if not ((before.narrows or before.excludes) and (after.narrows or after.priced)):
        return None
    return replace(refine(before, after), unread=(*before.unread, *after.unread))


def _taken_back(text: str, focus: Focus, store: ProductStore) -> int:
    """Where what is meant begins, after goods shown that the message itself takes back: "cái thứ nhất, à nhầm, cái mắc hơn"."""
    hits = lexicon("dialogue", "correction").find(text)
    if not hits:
        return 0
    end = hits[-1].end
    meant, after = _pointing(text[end:], focus), parse_product_query(text[end:], store)
    if not (after.words or after.order or (meant and meant.kind not in {"this", "these"})):
        return 0
    before = parse_product_query(text[: hits[-1].start], store)
    told = _pointing(text[: hits[-1].start], focus) or before.order in _ENDS
    return end if told or (before.words and _named_rows(before, focus)) else 0


def _refused(text: str, focus: Focus, store: ProductStore) -> PhraseHit | None:
    """The denial of what was shown that opens a message and is followed by the name of another: "không phải, Ergo 2"."""
    hit = next(
        (hit for hit in lexicon("dialogue", "not this").find(text) if not tokens(text[: hit.start])), None
    )
    if hit is None:
        return None
    clause, comma, _ = text[hit.end :].partition(",")
    if comma:
        pointed = find_reference(clause, focus, things=things())
        left = blank_out(clause, pointed.spans) if pointed else clause
        return replace(hit, end=hit.end + len(clause) + 1) if not tokens(left) else None
    words = parse_product_query(text[hit.end :], store).words
    shown = any(all(offers.title_says(row.title, word) for word in words) for row in focus.rows)
    return hit if any(not word.isalpha() for word in words) and not shown else None


def _of_family(request: ShopRequest, store: ProductStore) -> ShopRequest:
    """ "bản rẻ nhất của dòng đó" asks of all that differ from the one shown in nothing but their sizes.

    Where there is no other, it is not known what is meant.
    """
    ends = lexicon("catalogue", "cheapest", "dearest").find(request.typed)
    line = lexicon("dialogue", "family").find(request.typed)
    if request.scope != "rows" or len(request.rows) != 1 or not ends or not line:
        return request
    family = [other for one in store.named([request.rows[0].id]) for other in _family(one, store)]
    if len(family) < 2:
        unread = request.query.unread or (line[0].phrase,)
        return replace(request, scope="none", rows=(), query=replace(request.query, unread=unread))
    pick = max if ends[0].label == "dearest" else min
    price = pick(one.price for one in family)
    best = focus_rows([one for one in family if one.price == price])
    return replace(request, rows=tuple(best), pointed=True, query=replace(request.query, order=""))


def _family(one: Product, store: ProductStore) -> list[Product]:
    """`one` and all that differ from it in nothing but their sizes."""
    kind = store.search(SearchCriteria(kinds=(one.kind,), count=_KIND))
    return [other for other in kind if line_of(other.name) == line_of(one.name)]


def line_of(name: str) -> str:
    """A product's name without its sizes ("16GB/512GB")."""
    return " ".join(_SIZE.sub(" ", name).lower().split())


def _of_no_goods(
    request: ShopRequest, focus: Focus | None, store: ProductStore, *, corrects: bool
) -> ShopRequest:
    """The request of a message before which no goods were shown."""
    query = request.query
    before = (
        tuple(map(str, focus.query.get("topics", ()))) if focus is not None and focus.kind == PAGES else ()
    )
    if before and query.names and "fee" in query.shows and not query.topics:
        # "con MX Master thì phí đó bao nhiêu" asks what the page's share of its price comes to.
        return replace(request, scope="search", topics=before)
    if focus is not None and (paged := _of_page(request, focus, corrects=corrects)):
        return paged
    if focus and before and (query.details or query.excludes) and not (query.kinds or query.topics):
        # "có con nào dưới 11 triệu", "đừng Dell" after what is given with a laptop: of those.
        query = replace(query, kinds=tuple(map(str, focus.query.get("kinds", ()))))
        request = replace(request, query=query)
    # "mua laptop có được tặng gì không" asks for the service, not for every laptop.
    served = query.topics and _kind_alone(query) and not _asked_apart(request.typed, store)
    # "lol that's funny", "em học trường nào ra": of a use, or of one syllable of a name, nobody says that it is one of goods.
    one = len(query.words) <= 1 and all(map(is_syllable, query.words))
    more = (
        query.kinds
        or query.brands
        or query.priced
        or query.figures
        or query.shows
        or query.asks
        or query.order
    )
    chat = query.unread and one and {*query.facts} <= {*USES} and not (more or query.excludes)
    chat = chat and not {*WISHED, "may"} & {*folded_words(request.typed)}
    searched = query.action != "find" or ((query.narrows or query.excludes) and not (served or chat))
    return replace(request, scope="search" if searched else "none")


def _of_page(request: ShopRequest, focus: Focus, *, corrects: bool = False) -> ShopRequest | None:
    """What goes on from the page that was told last: its topics, or one that takes a part of the question before back."""
    query, before = request.query, tuple(map(str, focus.query.get("topics", ())))
    another = bool(focus.kind == PAGES and _costly(before) and _GOES_ON.search(fold(request.typed)))
    another = another and query.priced and not (query.names or focus.query.get("kinds"))
    if (_ORDER_OF.search(fold(request.typed)) or another) and not query.topics:
        # "còn đơn 1tr5", "lên 2 triệu thì sao": what an order comes to is no price of goods.
        unread = tuple(words for words in query.unread if fold(words) != "don")
        query = replace(query, low=None, high=None, about=None, unread=unread, shows=("fee",))
        request = replace(request, query=query)
    codes = all(is_code(word) for word in query.words) and not (query.kinds or query.brands)
    if query.words and codes and is_of_order(focus):
        # "mã DH12345" after where an order is.
        return replace(request, scope="none", topics=before, query=ProductQuery(said=query.said))
    of_goods = query.names or query.figures or query.compared or query.action != "find"
    of_goods = bool(of_goods or (query.excludes and focus.query.get("kinds")))
    if not before or of_goods or (query.details and "fee" not in query.shows):
        return None
    if query.topics:
        goes_on = corrects or opens_on(request.typed) or (query.unread and focus.kind == PAGES)
        query = replace(query, unread=() if corrects else query.unread)
        return replace(request, scope="none", query=query, earlier=before) if goes_on else None
    if "place" in query.moves and {*before} & {*word_lists("topic_rules")["warranty place after"]}:
        before = ("warranty place",)
    costs = {"price", "fee"} & set(query.shows)
    if costs:
        # "bao nhiêu tiền" after how long a repair takes asks what it costs.
        before = tuple(
            dict.fromkeys(word_lists("topic_rules").get(f"cost of {topic}", (topic,))[0] for topic in before)
        )
    placed = place_words(request.typed) if {f"topic {topic}" for topic in before} & TO_A_PLACE else set()
    if focus.kind != PAGES and not ("distance" in query.moves or placed or (costs and _costly(before))):
        return None
    # "còn Huế?" after what is told of delivery.
    named = {one.folded for one in tokens(request.typed) if one.start in placed}
    unread = tuple(words for words in query.unread if not named.issuperset(folded_words(words)))
    return replace(request, scope="none", topics=before, query=replace(query, unread=unread))


def _after(
    request: ShopRequest, focus: Focus, pointed: Reference | None, kinds: Sequence[str], store: ProductStore
) -> ShopRequest:
    """The request of a message after `focus` showed goods of `kinds`."""
    query = request.query
    total = int(focus.query.get("total", 0))
    if query.count and query.count in {total, len(focus.rows)} and not (query.brands or query.words):
        if "total" in query.moves and len(request.current) == 1 < query.count:
            # So many pieces of the one spoken of, or all that were shown: not known.
            return replace(request, query=replace(query, unread=query.unread or (str(query.count),)))
        # "con nào rẻ nhất trong 22 con đó": how many there are, no wish for so many.
        counted = "total" in query.moves and total == len(focus.rows) and not (query.names or query.details)
        query = replace(query, count=0)
        request = replace(request, query=query)
        focus = replace(focus, kind=BUILD) if counted else focus  # "tổng 2 món": all of them
    if whole := _extreme_of_all(request, focus, pointed, kinds):
        return replace(request, scope="search", query=whole, extreme=True)
    new_kinds = [kind for kind in query.kinds if kind not in kinds]
    rows = replace(request, scope="rows", rows=focus.rows)
    if confirmed := _confirmed(rows, focus, pointed, new_kinds, store):
        return confirmed
    compares_others = query.action == "compare" and query.names and query.parts
    if pointed is not None and query.action != "build":
        return _pointed(rows, focus, pointed, new_kinds)
    if query.action == "build" or new_kinds or compares_others:
        return replace(request, scope="search")
    return _sized(rows, focus, store) or _changed(request, rows, focus, kinds)


def _confirmed(
    rows: ShopRequest,
    focus: Focus,
    pointed: Reference | None,
    new_kinds: Sequence[str],
    store: ProductStore,
) -> ShopRequest | None:
    """The request of a figure that is put to confirmation after one product was spoken of: what its row says of it."""
    query = rows.query
    meant = rows.current or focus.rows
    if pointed is not None:
        meant = _pointed_rows(rows.typed, pointed, focus)
    others = query.brands or query.words or query.excludes
    figures = [one for one in query.figures if one.narrows]
    if len(meant) != 1 or others or new_kinds or not (figures or query.priced):
        return None
    if _OTHERS.search(fold(rows.typed)) or {*query.topics} - {"warranty period"}:
        return None
    if not _CONFIRMS.search(nfc(rows.typed).lower()):
        return None
    if _HAS_VERSION.search(fold(rows.typed)):
        return None  # "có bản 4TB đúng không" asks for another
    # Of a bare figure what the row has in its unit: "144hz".
    one = store.named([meant[0].id])
    bare = {figure.unit for figure in figures if not figure.attribute}
    asked = [figure.attribute for figure in figures if figure.attribute]
    asked += [
        name for name, unit in MEASURED.items() if unit in bare and any(offers.value_of(p, name) for p in one)
    ]
    asks = tuple(dict.fromkeys((*query.asks, *asked)))
    query = replace(query, kinds=(), figures=(), asks=asks, low=None, high=None, about=None, order="")
    return replace(rows, query=query, rows=meant, pointed=True)


def _sized(rows: ShopRequest, focus: Focus, store: ProductStore) -> ShopRequest | None:
    """The one of those shown that has the size named: "bản 32GB trả góp mỗi tháng bao nhiêu" after two of a line."""
    query, total = rows.query, int(focus.query.get("total", 0))
    others = query.names or query.facts or query.priced or query.excludes or query.compared
    if others or not any(one.narrows for one in query.figures) or not 1 < total <= len(focus.rows):
        return None
    if _OTHERS.search(fold(rows.typed)):
        return None
    fits = offers.narrow(store.named([row.id for row in focus.rows]), query)
    if fits.unmet or len(fits.products) != 1:
        return None
    meant = tuple(row for row in focus.rows if row.id == fits.products[0].name)
    figures = tuple(one for one in query.figures if not one.narrows)
    return replace(rows, query=replace(query, figures=figures), rows=meant, pointed=True)


def _extreme_of_all(
    request: ShopRequest, focus: Focus, pointed: Reference | None, kinds: Sequence[str]
) -> ProductQuery | None:
    """The query of an extreme that is not one of those shown: more were found, none is in stock, or only one was shown."""
    query, total = request.query, int(focus.query.get("total", 0))
    extreme = query.order in {"cheapest", "dearest"} or (pointed is not None and pointed.kind == "extreme")
    if not extreme or query.names:
        return None
    if query.stocked and not any(row.values.get("stock") != 0 for row in focus.rows):
        # The first of its kind that is in stock, whatever it costs.
        return replace(refine(ProductQuery.from_json(focus.query), query), low=None, high=None, about=None)
    if total > len(focus.rows) and not (query.details or query.moves):
        order: Order = "dearest" if lexicon("catalogue", "dearest").find(request.typed) else "cheapest"
        return refine(ProductQuery.from_json(focus.query), replace(query, order=order))
    alone = len(focus.rows) == 1 and not (pointed or query.details or query.asks)
    if alone and query.order == "dearest":
        # The dearest of one is no question: the dearest of its kind.
        return ProductQuery(kinds=tuple(kinds), order="dearest", unread=query.unread, shows=query.shows)
    return None


def _changed(  # noqa: C901, PLR0911 (one case a kind of change)
    request: ShopRequest, rows: ShopRequest, focus: Focus, kinds: Sequence[str]
) -> ShopRequest:
    """The request of a message that names no other goods: of the rows shown, or the last search with a change."""
    query = request.query
    named = bool(query.words or query.brands)
    # "giao hàng cod đơn 25 triệu" is no search for what costs that much.
    narrowed = query.excludes or (query.details and not (query.topics and _kind_alone(query)))
    if narrowed and not (named or query.kinds or query.excludes) and _is_of_few(rows):
        return _current(rows)  # "có bluetooth không" of one or two
    more = _by_how_much(rows)
    held = _named_rows(query, focus) if named and ((more and not query.figures) or not narrowed) else ()
    if held and more:
        return _held_against(rows, held, more)
    if query.kinds:
        asks = query.asks and not (named or narrowed or query.compared)
        return _current(rows) if asks else replace(request, scope="search")
    if query.asks and query.words and not narrowed and all(word.startswith("ddr") for word in query.words):
        # "ram thì ddr4 hay ddr5" asks which of them it is.
        return replace(_current(rows), query=replace(query, words=()))
    if named or narrowed:
        if held:
            return replace(rows, query=replace(query, words=(), brands=()), rows=held, pointed=True)
        old = _before(query, focus, kinds)
        others = _OTHERS.search(fold(rows.typed)) and not lexicon("dialogue", "version").find(rows.typed)
        if others and len(focus.rows) == 1 and any(map(str.isdigit, "".join(old.words))):
            # "có con nào từ 650W trở lên" after a model that was named: any of its kind.
            old = ProductQuery(kinds=tuple(kinds))
        query = _going_on(query, rows.typed, focus)
        if more and (rows.current or len(focus.rows) == 1):
            query = replace(query, unread=query.unread or more)  # nothing stands beside the one spoken of
        return replace(request, scope="search", query=refine(old, query), own=query)
    # The sum of a list to choose from is no order.
    summed = "total" in query.moves and (focus.kind == BUILD or focus.query.get("total") == 1)
    if query.count > 1 and "total" in query.moves and not summed:  # "mua 2 con hết bao nhiêu"
        unknown = replace(query, unread=query.unread or (str(query.count),))
        return _current(rows) if len(rows.current) == 1 else replace(request, query=unknown)
    if more and len(focus.rows) > MAX_COMPARED // 2 and focus.kind != BUILD:
        return replace(request, query=replace(query, unread=query.unread or more))  # of which of them
    if query.order in {"cheapest", "dearest"} or summed or query.compared or set(query.moves) & _OF_ROWS:
        return rows
    monthly = "instalment" in query.topics and query.months
    asked = query.asks or monthly or "warranty period" in query.topics or (query.shows and not query.topics)
    stocked = query.stocked and _YES_OR_NO.search(fold(rows.typed))  # "có sẵn ở cửa hàng không"
    return _current(rows) if asked or stocked else request


_ORDER_OF = re.compile(
    r"(?<!\w)(?:don|order)(?: hang)? (?:(?:duoi|tren|tam|khoang|tu|gia tri|of|under|over) )*\d"
)
# "chuyển khoản chứ không quẹt thẻ": what is taken back.
_INSTEAD = re.compile(r"(?<!\w)ch[ứu] (?:không|khong|ko|k|hông|hong|hem|đâu) .*$", re.IGNORECASE | re.DOTALL)
# The same asked of another.
_GOES_ON = re.compile(r"(?<!\w)(?:thi sao|thi the nao|what about|how about)(?!\w)")
# Asks for others than the one spoken of.
_OTHERS = re.compile(r"(?<!\w)(?:nao|khac|any|which|other|others)(?!\w)")
# Which part is needed beside the one spoken of.
_NEEDS = re.compile(r"(?<!\w)(?:can|needs?|require[ds]?)(?!\w)")
# Said of a part that goes with another: "vừa main này".
_SUITS = re.compile(
    r"(?<=\s)(?:vừa|vua|hợp|hop|khớp|khop|ăn|fits?|suits?)(?: (?:với|voi|vào|vao|khít|in|with))?(?=\s)"
)
_DO_YOU_SELL = re.compile(r"(?<!\w)do you (?:sell|have|carry|stock)(?!\w)")
_YES_OR_NO = re.compile(r"(?<!\w)(?:khong|ko|k|hong|hok)(?: (?:a|vay|shop|em|ban|nhi|ta))*\W*$")

_HAS_VERSION = re.compile(
    r"(?<!\w)(?:co|con) (?:ban|loai|mau|con|cai|phien ban)(?!\w)|(?<!\w)(?:version|one with)(?!\w)"
)
# Puts what is said before it to confirmation; "dùng không" does not.
_CONFIRMS = re.compile(
    r"(?<!\w)(?:(?:đúng|dung|phải|phai|chuẩn|chuan)(?: (?:là|la|thế|the|vậy|vay|rồi|roi))?(?: (?:không|khong|ko|k|kg|hông|hong|hok|hem|hk|chưa|chua|hả|ha)|\s*\?)|right|correct|(?:is|does|has)n['’]?t it)(?: (?:ạ|a|vậy|vay|shop|em|bạn|ban|nhỉ|nhi|ta|vậy em|ad))*\W*$"
    r"|(?<!\w)có phải(?: là)? .*(?<!\w)(?:không|ko|k|hông|hong)\W*$"
)


def _is_of_few(rows: ShopRequest) -> bool:
    """Whether it is asked if one or two that were shown have a property: no "nào" asks for others."""
    query, plain = rows.query, fold(rows.typed)
    few = len(rows.shown) <= MAX_COMPARED // 2 and query.facts and not (query.priced or query.figures)
    return bool(few and _YES_OR_NO.search(plain) and not _OTHERS.search(plain))


def _by_how_much(request: ShopRequest) -> tuple[str, ...]:
    """The words that ask by how much one costs more or less than another; () for none."""
    differs = tuple(hit.phrase for hit in lexicon("catalogue", "difference").find(request.typed))
    if differs:
        return differs
    hits = lexicon("catalogue", "cheapest", "dearest").find(request.typed)
    more = tuple(hit.phrase for hit in hits if is_comparative([hit]))
    more = more if "price" in request.query.shows else ()
    return more or tuple(_BY_HOW_MUCH.findall(fold(request.typed))[:1])


def _held_against(request: ShopRequest, meant: tuple[FocusRow, ...], more: tuple[str, ...]) -> ShopRequest:
    """One of those shown that is named, beside the one spoken of or the other of two; else it is not known beside which."""
    shown, query = request.rows, request.query
    pair = shown if len(shown) == 2 else tuple({row.id: row for row in (*request.current, *meant)}.values())
    if len(pair) == 2:
        query = replace(query, action="compare", words=(), brands=(), shows=(), moves=())
        return replace(request, query=query, rows=pair, pointed=True)
    return replace(request, scope="none", rows=(), query=replace(query, unread=query.unread or more))


def _so_many_called(request: ShopRequest, focus: Focus | None) -> ShopRequest | None:
    """ "hai cái Ergo hơn kém nhau bao nhiêu": as many of a list as are counted, by the words of their names behind the number.

    Where more or fewer are called so, it is not known which are meant.
    """
    query, rows = request.query, focus.rows if focus else ()
    beside = query.action == "compare" or {*query.moves} & _OF_ROWS or _by_how_much(request)
    if len(rows) <= MAX_COMPARED // 2 or not beside or query.topics or query.excludes:
        return None
    words = [one.folded for one in tokens(request.typed)]
    titles = {row.id: {*folded_words(row.title)} for row in rows}
    for at, word in enumerate(words):
        count = _SO_MANY.get(word, 0)
        behind = words[at + 1 :]
        behind = behind[1:] if behind[:1] and behind[0] in _COUNTERS else behind
        called, names = rows, list[str]()
        while behind and (left := tuple(row for row in called if behind[0] in titles[row.id])):
            called, names = left, [*names, behind.pop(0)]
        said = {one for name in (*query.words, *query.brands) for one in folded_words(name)}
        if not count or not names or len(called) == len(rows) or not said <= {*names}:
            continue
        if len(called) != count:
            unread = query.unread or (" ".join(query.said.get(name, name) for name in names),)
            return replace(request, scope="none", rows=(), query=replace(query, unread=unread))
        asked = ProductQuery(action="compare", moves=("compare",), asks=query.asks)
        return replace(request, scope="rows", rows=called, pointed=True, query=asked)
    return None


def _named_rows(query: ProductQuery, focus: Focus) -> tuple[FocusRow, ...]:
    """The rows shown that are named, where something is asked of them: "con vivobook còn hàng không"."""
    if query.brands and not (query.shows or query.asks or query.order or query.moves):
        return ()
    names = (*query.words, *query.brands)
    others = VARIANTS - set(folded_words(" ".join(names))) if query.words else set()
    called = [row for row in focus.rows if all(offers.title_says(row.title, name) for name in names)]
    return tuple(row for row in called if not others & set(folded_words(row.title))) or tuple(called)


def _before(query: ProductQuery, focus: Focus, kinds: Sequence[str]) -> ProductQuery:
    """The last search as far as `query` leaves it: another model's number takes the place of the one before."""
    old = ProductQuery.from_json(focus.query)
    fresh = any(any(char.isdigit() for char in word) for word in query.words)
    whole = query.brands and query.words  # another name altogether
    left = tuple(word for word in old.words if word.isalpha() and not whole)
    kept = replace(old, words=left) if fresh or whole else old
    return kept if kept.kinds or old.words else replace(kept, kinds=tuple(kinds))


def _going_on(query: ProductQuery, text: str, focus: Focus) -> ProductQuery:
    """Of another that is named the same is asked as before: "SN580 thì sao"."""
    if not _GOES_ON.search(fold(text)) or query.asks or query.shows or query.order:
        return query
    return replace(query, asks=tuple(map(str, focus.query.get("asks", ()))))


def _in_place(query: ProductQuery, focus: Focus, kinds: Sequence[str]) -> ProductQuery:
    """The corrected search: another maker takes the place of the one before, the rest stays."""
    maker = query.brands and not (query.words or query.kinds)
    whole = refine(_before(query, focus, kinds), query) if maker else query
    return replace(whole, kinds=whole.kinds or tuple(kinds))


def _kinds_in(text: str, pointed: Reference) -> set[str]:
    """The kinds that the words which point name: "main đó"."""
    return {hit.label for start, end in pointed.spans for hit in lexicon("kinds").find(text[start:end])}


def _pointed_rows(text: str, pointed: Reference, focus: Focus) -> tuple[FocusRow, ...]:
    """The rows meant: of "main đó" those of that kind; of "cái này" the one spoken of last."""
    if pointed.kind not in {"this", "these"}:
        return pointed.rows
    kinds = _kinds_in(text, pointed)
    of_kind = tuple(row for row in pointed.rows if row.values.get("kind") in kinds)
    last = focus.query.get("current", ())
    shown = of_kind or pointed.rows
    return tuple(row for row in shown if row.id in last and pointed.kind == "this") or shown


def _current(rows: ShopRequest) -> ShopRequest:
    """The request of the product that was spoken of last, where it was one of the list."""
    return replace(rows, rows=rows.current, pointed=True) if rows.current else rows


def _pointed(request: ShopRequest, focus: Focus, pointed: Reference, new_kinds: Sequence[str]) -> ShopRequest:
    """The request of a message that points at rows of `focus`."""
    query, shown = request.query, _pointed_rows(request.typed, pointed, focus)
    if new_kinds and query.words:
        return replace(request, scope="search", rows=())
    if pointed.kind == "this" and query.action == "compare":
        shown = focus.rows
    beside = _OF_ROWS & {*query.moves} or _by_how_much(request)
    if pointed.kind in {"ordinal", "extreme"} and len(shown) == len(request.current) == 1 and beside:
        # "so với con thứ hai", "con đắt nhất hơn nó bao nhiêu": the one spoken of beside it.
        shown = tuple({row.id: row for row in (*request.current, *shown)}.values())
        again = {word: find_reference(word, focus, things=things()) for word in query.unread}
        unread = tuple(word for word, one in again.items() if one is None or one.kind != "this")
        query = replace(query, unread=unread)
    said = [int(one[0]) for span in pointed.spans for one in _NUMBER.finditer(request.typed, *span)]
    if "total" in query.moves and pointed.kind == "these" and said and 1 < len(shown) != said[0]:
        return replace(request, rows=(), missing=said[0])  # "3 con đó" of two: so many pieces of which
    if query.topics and not (query.asks or query.shows or query.order or query.moves or new_kinds):
        return replace(request, scope="none", rows=())  # "can I return it" asks for the service
    if query.kinds and asks_which(request.typed, ()) and not _is_of(shown, query.kinds):
        # "main nào gắn được con cpu đó" asks for boards: nothing of the CPU answers it.
        unread = query.unread or tuple(query.said.get(f"kind {kind}", kind) for kind in query.kinds)
        return replace(request, scope="none", rows=(), query=replace(query, unread=unread))
    if len(shown) == MAX_COMPARED // 2 and _by_how_much(request):
        query = replace(query, action="compare", shows=(), order="")
    extra = tuple(f"word {query.said.get(f'kind {kind}', kind)}" for kind in new_kinds)
    query = _going_on(query, request.typed, focus)
    query = replace(query, kinds=(), asks=(*query.asks, *extra))
    return replace(request, query=query, rows=shown, pointed=True, missing=0 if shown else pointed.missing)


def _is_of(rows: Sequence[FocusRow], kinds: Sequence[str]) -> bool:
    """Whether one of the rows is of one of the kinds."""
    return any(row.values.get("kind") in kinds for row in rows)


def _costly(topics: Sequence[str]) -> set[str]:
    """Those of the topics that cost something."""
    return {*topics} & {*word_lists("topic_rules")["costly"]}


def _asked_apart(text: str, store: ProductStore) -> bool:
    """Whether goods are asked for in a clause of their own beside a question of service: "có bán ghế không, mấy giờ đóng cửa"."""
    clauses = [one for one in _CLAUSES.split(text) if lexicon("kinds").find(one)]
    asking = [one for one in clauses if _YES_OR_NO.search(fold(one)) or _DO_YOU_SELL.search(fold(one))]
    asking += [one for one in clauses if asks_which(one, word_lists("kinds"))]
    return any(not parse_product_query(clause, store).topics for clause in asking)


def _kind_alone(query: ProductQuery) -> bool:
    """Whether nothing but a kind, or nothing but a price, is said of goods."""
    costs = _costly(query.topics)
    told = bool(query.brands or query.words or query.figures or (query.excludes and not query.topics))
    told = told or any(not (query.topics and fact in USES) for fact in query.facts)
    if not (query.kinds or told):
        return True
    # What a repair or a delivery costs is no price of goods.
    shows = set(query.shows) - ({"fee", "price"} if costs else {"fee"})
    return not (told or (query.details and not costs) or query.order or shows or query.asks)


def answer_request(store: ProductStore, request: ShopRequest) -> Offer | None:
    """What the catalogue has for `request`; None where it asks for no goods. Blocking; raises StoreError."""
    if request.scope == "none" or (store.loaded() is None and request.scope == "search"):
        return None
    if request.scope == "search":
        found = offers.find_offer(store, request.query)
        elsewhere = request.own is not None and "cheaper" not in request.query.moves
        if elsewhere and found is not None and (found.unmet or found.note == "named"):
            # Nearest is what costs more or less, then what the message names itself.
            own = replace(request.own or request.query, kinds=request.query.kinds)
            for near in (replace(request.query, low=None, high=None, about=None), own):
                alone = offers.find_offer(store, near)
                if alone is not None and not (alone.unmet or alone.note == "named"):
                    nearest = replace(found, products=alone.products, total=alone.total)
                    found = nearest if found.unmet else alone
                    break
        if found is not None and request.extreme and found.products and not found.unmet:
            best = tuple(one for one in found.products if one.price == found.products[0].price)
            return replace(found, kind="rows", products=best, note=request.query.order)
        return found
    if request.order is not None:
        lines, lacking = request.order.lines, request.order.lacking
        goods, counts = tuple(one.product for one in lines), tuple(one.count for one in lines)
        return Offer("order", request.query, goods, len(lines), counts=counts, note=lacking)
    products = store.named([row.id for row in request.rows])
    if request.missing or not products:
        note = "no such" if request.missing else "gone"
        return Offer("rows", request.query, (), len(request.shown), note=note)
    found = _compared(products, request) or _of_rows(products, request)
    if found.unmet and len(products) == 1:
        # "bản 16GB của nó" is another of its line.
        others = offers.narrow(_family(products[0], store), request.query)
        found = found if others.unmet else others
    return found


def _compared(products: Sequence[Product], request: ShopRequest) -> Offer | None:
    """Several of those shown side by side; nothing where it is not known which ones are meant."""
    query = request.query
    if not ({"compare", "difference"} & set(query.moves) or query.action == "compare"):
        return None
    if len(request.shown) == 1 and (query.asks or query.shows):
        return None  # "cpu vs vga gì" of the only one
    if len(products) < 2 or query.count not in {0, len(products)}:
        note = "other of two" if len(products) == 1 < len(request.shown) else "no such"
        return Offer("rows", query, (), len(request.shown), note=note)
    query = offers.by_strength(query, products)
    return Offer("compare", query, tuple(products[:MAX_COMPARED]), len(products))


def _of_rows(products: Sequence[Product], request: ShopRequest) -> Offer:
    query = request.query
    # "cái rẻ nhất có bluetooth không": what is asked of certain goods is told.
    found = offers.narrow(products, replace(query, moves=(*query.moves, *["told"] * request.pointed)))
    rows = found.products
    # "con rẻ hơn có sẵn để chiều lấy không" asks of that one, and leaves none out.
    plain = fold(request.typed)
    stocked = query.stocked and not (_YES_OR_NO.search(plain) and "nao" not in plain.split())
    of_all = not request.pointed or (1 < len(request.rows) == len(request.shown))
    if query.order in {"cheapest", "dearest"} and of_all:
        pick = min if query.order == "cheapest" else max
        rows = tuple(row for row in rows if row.stock or not stocked) or rows
        price = pick(row.price for row in rows)
        return replace(
            found,
            products=tuple(row for row in rows if row.price == price),
            total=len(rows),
            note=query.order,
        )
    return found


def focus_rows(products: Sequence[Product], counts: Sequence[int] = ()) -> list[FocusRow]:
    """The products, with how many of each are ordered, as rows of the shared focus."""
    rows = []
    for at, one in enumerate(products[:MAX_SHOWN]):
        values = {"price": one.price, "stock": one.stock, "kind": one.kind}
        rows.append(FocusRow(one.name, one.name, values | ({"count": counts[at]} if counts else {})))
    return rows


def show_offer(turn: TurnContext, offer: Offer, request: ShopRequest) -> None:
    """Make what is shown what a later message means; of a list shown before it keeps the order and marks who was spoken of."""
    if not offer.products:
        return
    before = spoken_of(turn)
    if before is not None and request.order is not None and request.order.part:
        turn.show(before.kind, before.question, before.rows, before.query)
        return
    months = request.query.months if "instalment" in request.topics else 0
    current = [product.name for product in offer.products]
    turn.conversation_metadata[GOODS] = current[:MAX_SHOWN]
    if before is not None and offer.kind == "rows" and {row.id for row in before.rows}.issuperset(current):
        query = {
            **before.query,
            "topics": list(request.topics),
            "months": months or before.query.get("months", 0),
            "count": request.query.count or before.query.get("count", 1),
            "asks": [name for name in offer.query.asks if name in MEASURED],
            "current": current if len(current) < len(before.rows) or len(current) == 1 else [],
        }
        turn.show(before.kind, before.question, before.rows, query)
        return
    kinds = list(dict.fromkeys(product.kind for product in offer.products))
    query = offer.query.to_json() if offer.kind in {"list", "build"} or request.extreme else {"kinds": kinds}
    if request.extreme:
        query.pop("order", None)
    first = len(offer.products) == 1 or (
        _ENDS & {offer.query.order} and not _SEVERAL.search(fold(request.typed))
    )
    query["current"] = [offer.products[0].name] if first else []
    query["topics"], query["total"] = list(request.topics), offer.total
    query |= {"count": request.query.count} if request.query.count > 1 and offer.total == 1 else {}
    query["asks"] = [name for name in offer.query.asks if name in MEASURED]
    query["unread"] = list(request.query.unread)
    query |= {"months": months} if months else {}
    # What was spoken of before stays in reach of an order: "tổng CPU đó với main".
    # What is ruled out now is spoken of no more.
    earlier = [*before.query.get("current", ()), *before.query.get("beside", ())] if before else []
    ruled_out = (*request.query.no_brands, *request.query.no_words)
    earlier = [name for name in earlier if not any(offers.title_says(name, no) for no in ruled_out)]
    query["beside"] = [*(product.name for product in offer.beside), *earlier][:MAX_SHOWN]
    kind = BUILD if offer.kind in {"build", "order"} else PRODUCTS
    turn.show(kind, request.typed, focus_rows(offer.products, offer.counts), query)
