"""Answers a question about the products that were just shown, from the catalogue as it is now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from troly.stores.published import Datasets
from troly.text.catalogue import Lang
from troly.text.fold import fold
from troly_shopping.follow_up import FollowUp, called
from troly_shopping.offer_words import Told, price, product_lines, products_table, side_by_side, stock
from troly_shopping.offers import Offer
from troly_shopping.products_store import Product, ProductStore, Query
from troly_shopping.strings import say
from troly_shopping.wish import Wish

_VALUE = re.compile(r"(\d+(?:[.,]\d+)?) ?([a-z]+)?")
# Units of one attribute in one measure; any other unit counts as it is.
_UNITS = {"tb": 1024, "kg": 1000, "nam": 12, "year": 12, "years": 12}
_OTHERS = 8


def look_again(datasets: Datasets, asked: FollowUp) -> Offer:
    """The products meant, as the catalogue has them now; raises StoreError. Blocking."""
    store = ProductStore(datasets)
    products = store.named(asked.names)
    if asked.kind == "others":
        return _others(store, asked, products)
    return Offer("follow", Wish(), tuple(_meant(products, asked)), follow=asked)


def _meant(products: Sequence[Product], asked: FollowUp) -> Sequence[Product]:
    if not asked.places:
        return products
    by_name = {product.name: product for product in products}
    places = [place - 1 if place > 0 else len(asked.names) - 1 for place in asked.places]
    chosen = [asked.names[place] for place in places if place < len(asked.names)]
    return [by_name[name] for name in dict.fromkeys(chosen) if name in by_name]


def _others(store: ProductStore, asked: FollowUp, products: Sequence[Product]) -> Offer:
    """Cheaper ones of the same kinds."""
    kinds = tuple(dict.fromkeys(product.kind for product in products))
    if not kinds:
        return Offer("follow", Wish(), follow=asked)
    high = min(product.price for product in products) - 1
    query = Query(kinds=kinds, high=high, order="dearest", count=_OTHERS)
    found = [item.product for item in store.search(query)]
    cheapest = min(products, key=lambda product: product.price)
    return Offer("follow", Wish(), tuple(found) or (cheapest,), near=not found, follow=asked)


def tell_again(offer: Offer, lang: Lang) -> Told:
    """The answer to `offer.follow`."""
    asked, products = offer.follow or FollowUp("each", ()), offer.products
    if not products:
        key = "follow.no_such" if asked.places else "follow.gone"
        return Told(say(key, lang, count=len(asked.names)), None)
    if asked.kind == "others":
        key = "follow.no_cheaper" if offer.near else "follow.cheaper"
        intro = say(key, lang, name=products[0].name, price=price(products[0], lang))
        table = None if offer.near else products_table(products, lang)
        return Told("\n".join([intro, *(() if offer.near else product_lines(products, lang))]), table)
    if asked.kind == "extreme":
        return _extreme(asked, products, lang)
    if asked.kind == "attribute":
        return _attribute(asked, products, lang)
    if asked.kind == "compare" and len(products) > 1:
        names = say("compare.join", lang).join(product.name for product in products)
        intro = say("compare.intro", lang, names=names)
        return Told("\n".join([intro, *product_lines(products, lang)]), side_by_side(products, lang))
    told = [*product_lines(products, lang)]
    if "specs" in asked.asked:
        told += [say("follow.specs", lang, name=p.name, specs=p.specs) for p in products if p.specs]
    return Told("\n".join([say("follow.each", lang), *told]), products_table(products, lang))


def _extreme(asked: FollowUp, products: Sequence[Product], lang: Lang) -> Told:
    ranked = sorted(products, key=lambda product: product.price, reverse=asked.by == "dearest")
    best = [product for product in ranked if product.price == ranked[0].price]
    if len(best) == len(products) > 1:
        intro = say("follow.same_price", lang, price=price(best[0], lang))
        return Told("\n".join([intro, *product_lines(products, lang)]), products_table(products, lang))
    names = say("compare.join", lang).join(product.name for product in best)
    text = say(f"follow.{asked.by}", lang, name=names, price=price(best[0], lang), stock=stock(best[0], lang))
    return Told(text, products_table(ranked, lang))


def _attribute(asked: FollowUp, products: Sequence[Product], lang: Lang) -> Told:
    name, most = asked.by[:-2], asked.by.endswith("+")
    names = [fold(one) for one in called(name)]
    what = say(f"attribute.{name}", lang)
    said = {product: found for product in products if (found := _said(product, names))}
    measured = {product: _measure(text) for product, text in said.items()}
    known = {product: value for product, value in measured.items() if value is not None}
    if not known:
        text = say("follow.not_said", lang, what=what)
        return Told("\n".join([text, *product_lines(products, lang)]), products_table(products, lang))
    wanted = max(known.values()) if most else min(known.values())
    best = [product for product, value in known.items() if value == wanted]
    values = [
        say("follow.value", lang, name=product.name, value=said.get(product) or say("column.none", lang))
        for product in products
    ]
    key = "follow.same" if len(best) == len(products) > 1 else "follow.best"
    joined = say("compare.join", lang).join(product.name for product in best)
    intro = say(key, lang, what=what, name=joined, value=said[best[0]])
    return Told("\n".join([intro, *values]), side_by_side(products, lang) if len(products) > 1 else None)


def _said(product: Product, names: Sequence[str]) -> str:
    """What the catalogue says of the attribute called one of `names`."""
    details = {fold(name): value for name, value in product.details().items()}
    return next((details[name] for name in names if name in details), "")


def _measure(text: str) -> Decimal | None:
    found = _VALUE.search(fold(text))
    if not found:
        return None
    return Decimal(found[1].replace(",", ".")) * _UNITS.get(found[2] or "", 1)
