"""Tells what the catalogue has in the persona's voice: a sentence, lines with price and source, and a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from troly.plugin.events import Table
from troly.text.catalogue import Lang
from troly.text.numbers import format_money, format_number
from troly_shopping.offers import Offer
from troly_shopping.products_store import Product
from troly_shopping.strings import catalogue, say
from troly_shopping.wish import Wish

LINES = 5
SPECS_CHARS = 600


@dataclass(frozen=True, slots=True)
class Told:
    """The words of an answer and the table beside them."""

    text: str
    table: Table | None


def tell(offer: Offer, lang: Lang, hotline: str) -> Told:
    """The answer to a question about goods."""
    if offer.kind == "follow":
        from troly_shopping.follow_words import tell_again

        return tell_again(offer, lang)
    kinds = {"list": _list, "compare": _compare, "build": _build}
    return kinds[offer.kind](offer, lang, hotline)


def passages(offer: Offer, lang: Lang) -> list[dict[str, Any]]:
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


def facts(offer: Offer, lang: Lang) -> list[str]:
    """Figures that were worked out from the rows: the total of a computer, the difference between two prices."""
    told = tell(offer, lang, "").text if offer.products else ""
    return [told] if told else []


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


def _list(offer: Offer, lang: Lang, hotline: str) -> Told:
    wish, products = offer.wish, offer.products
    limits = _limits(wish, lang)
    if not products:
        text = say("offer.nothing", lang, what=_what(wish, lang), limits=limits, hotline=hotline)
        return Told(text, None)
    if offer.near:
        intro = say("offer.instead", lang, what=_what(wish, lang), limits=limits)
    elif wish.order in {"cheapest", "dearest"} and len(products) > 1:
        intro = say(f"offer.{wish.order}", lang, limits=limits)
    else:
        key = "found_one" if len(products) == 1 else "found" if len(products) <= LINES else "first"
        intro = say(f"offer.{key}", lang, count=len(products), limits=limits)
    lines = [intro, *product_lines(products[:LINES], lang)]
    if len(products) > LINES:
        lines.append(say("offer.more", lang))
    return Told("\n".join(lines), products_table(products, lang))


def _what(wish: Wish, lang: Lang) -> str:
    kind = kind_name(wish.kinds[0], lang) if wish.kinds else ""
    codes = " ".join(code.upper() for code in wish.words if code in wish.codes or not kind)
    said = [kind, *wish.brands, codes] if lang == "vi" else [*wish.brands, codes, kind]
    return " ".join(part for part in said if part) or say("offer.goods", lang)


def _limits(wish: Wish, lang: Lang) -> str:
    if wish.about:
        return say("offer.around", lang, about=format_money(wish.about, lang))
    low, high = (format_money(value or 0, lang) for value in (wish.low, wish.high))
    if wish.low is not None and wish.high is not None:
        return say("offer.between", lang, low=low, high=high)
    if wish.high is not None:
        return say("offer.below", lang, high=high)
    return say("offer.above", lang, low=low) if wish.low is not None else ""


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


def _compare(offer: Offer, lang: Lang, hotline: str) -> Told:
    missing = [say("compare.missing", lang, what=side) for side in offer.missing]
    products = offer.products
    if len(products) < 2:
        if not missing:
            nothing = say("offer.nothing", lang, what=say("offer.goods", lang), limits="", hotline=hotline)
            return Told(nothing, None)
        return Told(
            "\n".join([*missing, *product_lines(products, lang)]),
            products_table(products, lang) if products else None,
        )
    names = say("compare.join", lang).join(product.name for product in products)
    lines = [say("compare.intro", lang, names=names), *product_lines(products, lang), *missing]
    if len(products) == 2 and products[0].price != products[1].price:
        low, high = sorted(products, key=lambda product: product.price)
        difference = format_money(high.price - low.price, lang)
        lines.append(say("compare.cheaper", lang, name=low.name, difference=difference))
    return Told("\n".join(lines), side_by_side(products, lang))


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


def _build(offer: Offer, lang: Lang, hotline: str) -> Told:
    computer, wish = offer.computer, offer.wish
    if computer is None or not computer.parts:
        kinds = ", ".join(kind_name(kind, lang) for kind in (computer.missing if computer else ()))
        return Told(say("build.missing", lang, parts=kinds, hotline=hotline), None)
    budget, total = wish.about or wish.high or wish.low, format_money(computer.total, lang)
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
    return Told("\n".join(lines), Table(columns, tuple(rows), title=say("build.title", lang), numeric=(2,)))
