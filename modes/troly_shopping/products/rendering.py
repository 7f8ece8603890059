"""Renders what the catalogue has in the persona's voice: a sentence, lines with price and source, and a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from troly.plugin.events import Table
from troly.text.catalogue import Lang
from troly.text.fold import fold
from troly.text.numbers import format_money, format_number
from troly_shopping.products.follow_up import FollowUp
from troly_shopping.products.offers import Offer
from troly_shopping.products.query import ProductQuery
from troly_shopping.products.store import Product
from troly_shopping.strings import catalogue, say
from troly_shopping.wordlists import word_lists

LINES = 5
SPECS_CHARS = 600
_VALUE = re.compile(r"(\d+(?:[.,]\d+)?) ?([a-z]+)?")
# Units of one attribute in one measure; any other unit counts as it is.
_UNITS = {"tb": 1024, "kg": 1000, "nam": 12, "year": 12, "years": 12}


@dataclass(frozen=True, slots=True)
class OfferText:
    """The words of an answer and the table beside them."""

    text: str
    table: Table | None


def render_offer(offer: Offer, lang: Lang, hotline: str) -> OfferText:
    """The answer to a question about goods."""
    if offer.kind == "follow":
        return render_follow_up(offer, lang)
    kinds = {"list": _list, "compare": _compare, "build": _build}
    return kinds[offer.kind](offer, lang, hotline)


def product_passages(offer: Offer, lang: Lang) -> list[dict[str, Any]]:
    """The rows as retrieved context (000-54): title, text, where, score, and that they are products."""
    found = []
    for product in offer.products:
        parts = [price(product, lang), stock(product, lang), product.specs[:SPECS_CHARS]]
        text = f"{product.name} | " + " | ".join(part for part in parts if part)
        found.append(
            {
                "title": say("offer.source", lang),
                "text": text,
                "where": product.url,
                "score": 1.0,
                "coverage": 1.0,
                "product": product.name,
                "price": product.price,
                "stock": product.stock,
            }
        )
    return found


def price(product: Product, lang: Lang) -> str:
    """The price as shown (001-27)."""
    return format_money(product.price, lang)


def stock(product: Product, lang: Lang) -> str:
    """How many there are, in words."""
    if product.stock is None:
        return say("offer.ask_stock", lang)
    if product.stock == 0:
        return say("offer.sold_out", lang)
    return say("offer.in_stock", lang, count=format_number(product.stock, lang))


def kind_name(kind: str, lang: Lang) -> str:
    """What a kind is called; one of the shop's own as it stands in the list."""
    known = f"kind.{kind}" in catalogue().keys("strings")
    return say(f"kind.{kind}", lang) if known else kind


def _list(offer: Offer, lang: Lang, hotline: str) -> OfferText:
    query, products = offer.query, offer.products
    limits = _limits(query, lang)
    if not products:
        text = say("offer.nothing", lang, what=_what(query, lang), limits=limits, hotline=hotline)
        return OfferText(text, None)
    if offer.near:
        intro = say("offer.instead", lang, what=_what(query, lang), limits=limits)
    elif query.order in {"cheapest", "dearest"} and len(products) > 1:
        intro = say(f"offer.{query.order}", lang, limits=limits)
    else:
        key = "found_one" if len(products) == 1 else "found" if len(products) <= LINES else "first"
        intro = say(f"offer.{key}", lang, count=len(products), limits=limits)
    lines = [intro, *product_lines(products[:LINES], lang)]
    if len(products) > LINES:
        lines.append(say("offer.more", lang))
    return OfferText("\n".join(lines), products_table(products, lang))


def _what(query: ProductQuery, lang: Lang) -> str:
    kind = kind_name(query.kinds[0], lang) if query.kinds else ""
    codes = " ".join(code.upper() for code in query.words if code in query.codes or not kind)
    said = [kind, *query.brands, codes] if lang == "vi" else [*query.brands, codes, kind]
    return " ".join(part for part in said if part) or say("offer.goods", lang)


def _limits(query: ProductQuery, lang: Lang) -> str:
    if query.about:
        return say("offer.around", lang, about=format_money(query.about, lang))
    low, high = (format_money(value or 0, lang) for value in (query.low, query.high))
    if query.low is not None and query.high is not None:
        return say("offer.between", lang, low=low, high=high)
    if query.high is not None:
        return say("offer.below", lang, high=high)
    return say("offer.above", lang, low=low) if query.low is not None else ""


def product_lines(products: Sequence[Product], lang: Lang) -> Iterator[str]:
    """A line a product: name, price, stock, where to see it."""
    for product in products:
        key = "offer.line_url" if product.url else "offer.line"
        yield say(
            key,
            lang,
            name=product.name,
            price=price(product, lang),
            stock=stock(product, lang),
            url=product.url,
        )


def products_table(products: Sequence[Product], lang: Lang) -> Table:
    """A row a product."""
    columns = tuple(say(f"column.{name}", lang) for name in ("product", "price", "stock", "link"))
    rows = tuple((p.name, price(p, lang), stock(p, lang), p.url) for p in products)
    return Table(columns, rows, title=say("offer.source", lang).capitalize(), numeric=(1,))


def _compare(offer: Offer, lang: Lang, hotline: str) -> OfferText:
    missing = [say("compare.missing", lang, what=side) for side in offer.missing]
    products = offer.products
    if len(products) < 2:
        if not missing:
            nothing = say("offer.nothing", lang, what=say("offer.goods", lang), limits="", hotline=hotline)
            return OfferText(nothing, None)
        return OfferText(
            "\n".join([*missing, *product_lines(products, lang)]),
            products_table(products, lang) if products else None,
        )
    names = say("compare.join", lang).join(product.name for product in products)
    lines = [say("compare.intro", lang, names=names), *product_lines(products, lang), *missing]
    if len(products) == 2 and products[0].price != products[1].price:
        low, high = sorted(products, key=lambda product: product.price)
        difference = format_money(high.price - low.price, lang)
        lines.append(say("compare.cheaper", lang, name=low.name, difference=difference))
    return OfferText("\n".join(lines), side_by_side(products, lang))


def side_by_side(products: Sequence[Product], lang: Lang) -> Table:
    """A column a product, a row for each thing that the catalogue says of them."""
    empty = say("column.none", lang)
    details = [product.details() for product in products]
    names = dict.fromkeys(name for found in details for name in found)
    rows: list[tuple[str, ...]] = [
        (say("column.price", lang), *(price(p, lang) for p in products)),
        (say("column.stock", lang), *(stock(p, lang) for p in products)),
        (say("column.brand", lang), *(p.brand or empty for p in products)),
    ]
    rows += [
        (name or say("column.specs", lang), *(found.get(name, empty) for found in details)) for name in names
    ]
    rows.append((say("column.link", lang), *(p.url or empty for p in products)))
    return Table(("", *(p.name for p in products)), tuple(rows), title=say("compare.title", lang))


def _build(offer: Offer, lang: Lang, hotline: str) -> OfferText:
    computer, query = offer.computer, offer.query
    if computer is None or not computer.parts:
        kinds = ", ".join(kind_name(kind, lang) for kind in (computer.missing if computer else ()))
        return OfferText(say("build.missing", lang, parts=kinds, hotline=hotline), None)
    budget, total = query.about or query.high or query.low, format_money(computer.total, lang)
    shown = format_money(budget or 0, lang)
    if budget is None:
        intro = say("build.cheapest", lang, total=total)
    else:
        key = "build.intro" if computer.total <= budget else "build.too_little"
        intro = say(key, lang, budget=shown, total=total)
    lines = [intro, *(f"- {kind_name(p.kind, lang)}: {p.name}, {price(p, lang)}" for p in computer.parts)]
    columns = tuple(say(f"column.{name}", lang) for name in ("part", "product", "price", "stock", "link"))
    rows = [(kind_name(p.kind, lang), p.name, price(p, lang), stock(p, lang), p.url) for p in computer.parts]
    rows.append((say("build.total", lang), "", total, "", ""))
    return OfferText(
        "\n".join(lines), Table(columns, tuple(rows), title=say("build.title", lang), numeric=(2,))
    )


def render_follow_up(offer: Offer, lang: Lang) -> OfferText:
    """The answer to `offer.follow`."""
    asked, products = offer.follow or FollowUp("each", ()), offer.products
    if not products:
        key = "follow.no_such" if asked.places else "follow.gone"
        return OfferText(say(key, lang, count=len(asked.names)), None)
    if asked.kind == "others":
        key = "follow.no_cheaper" if offer.near else "follow.cheaper"
        intro = say(key, lang, name=products[0].name, price=price(products[0], lang))
        table = None if offer.near else products_table(products, lang)
        return OfferText("\n".join([intro, *(() if offer.near else product_lines(products, lang))]), table)
    if asked.kind == "extreme":
        return _extreme(asked, products, lang)
    if asked.kind == "attribute":
        return _attribute(asked, products, lang)
    if asked.kind == "compare" and len(products) > 1:
        names = say("compare.join", lang).join(product.name for product in products)
        intro = say("compare.intro", lang, names=names)
        return OfferText("\n".join([intro, *product_lines(products, lang)]), side_by_side(products, lang))
    told = [*product_lines(products, lang)]
    if "specs" in asked.asked:
        told += [say("follow.specs", lang, name=p.name, specs=p.specs) for p in products if p.specs]
    return OfferText("\n".join([say("follow.each", lang), *told]), products_table(products, lang))


def _extreme(asked: FollowUp, products: Sequence[Product], lang: Lang) -> OfferText:
    ranked = sorted(products, key=lambda product: product.price, reverse=asked.by == "dearest")
    best = [product for product in ranked if product.price == ranked[0].price]
    if len(best) == len(products) > 1:
        intro = say("follow.same_price", lang, price=price(best[0], lang))
        return OfferText("\n".join([intro, *product_lines(products, lang)]), products_table(products, lang))
    names = say("compare.join", lang).join(product.name for product in best)
    text = say(f"follow.{asked.by}", lang, name=names, price=price(best[0], lang), stock=stock(best[0], lang))
    return OfferText(text, products_table(ranked, lang))


def _attribute(asked: FollowUp, products: Sequence[Product], lang: Lang) -> OfferText:
    name, most = asked.by[:-2], asked.by.endswith("+")
    names = [fold(one) for one in word_lists("attributes")[f"{name} called"]]
    what = say(f"attribute.{name}", lang)
    said = {product: found for product in products if (found := _value_of(product, names))}
    measured = {product: _measure(text) for product, text in said.items()}
    known = {product: value for product, value in measured.items() if value is not None}
    if not known:
        text = say("follow.not_said", lang, what=what)
        return OfferText("\n".join([text, *product_lines(products, lang)]), products_table(products, lang))
    wanted = max(known.values()) if most else min(known.values())
    best = [product for product, value in known.items() if value == wanted]
    values = [
        say("follow.value", lang, name=product.name, value=said.get(product) or say("column.none", lang))
        for product in products
    ]
    key = "follow.same" if len(best) == len(products) > 1 else "follow.best"
    joined = say("compare.join", lang).join(product.name for product in best)
    intro = say(key, lang, what=what, name=joined, value=said[best[0]])
    return OfferText("\n".join([intro, *values]), side_by_side(products, lang) if len(products) > 1 else None)


def _value_of(product: Product, names: Sequence[str]) -> str:
    """What the catalogue says of the attribute called one of `names`."""
    details = {fold(name): value for name, value in product.details().items()}
    return next((details[name] for name in names if name in details), "")


def _measure(text: str) -> Decimal | None:
    found = _VALUE.search(fold(text))
    if not found:
        return None
    return Decimal(found[1].replace(",", ".")) * _UNITS.get(found[2] or "", 1)
