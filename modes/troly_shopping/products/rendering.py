"""Renders what the catalogue has in the persona's voice: a sentence, and a line a product; tables side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from troly.plugin.events import Table
from troly.text.catalogue import Lang
from troly.text.fold import fold
from troly.text.numbers import format_money, format_number
from troly_shopping.products.offers import Offer, fact_of, has_figure, measure_of, ranked, shows, value_of
from troly_shopping.products.pc_build import go_together
from troly_shopping.products.query import STRENGTH, ProductQuery, is_code
from troly_shopping.products.store import Product
from troly_shopping.strings import catalogue, say

SPECS_CHARS = 600
# Of so many products found the price of several pieces is told.
_COUNTED = 3
# Lengths of time as catalogues write them.
_LENGTHS = {"nam": "year", "thang": "month", "tuan": "week", "ngay": "day", "gio": "hour", "phut": "minute"}
_LENGTH = re.compile(r"(?<![\w.,])(\d+(?:[.,]\d+)?) (năm|tháng|tuần|ngày|giờ|phút)(?!\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OfferText:
    """The words of an answer, a table beside them where things stand side by side, and whether it answers the whole question."""

    text: str
    table: Table | None = None
    answered: bool = True


def render_offer(offer: Offer, lang: Lang, hotline: str) -> OfferText:
    """The answer to a question about goods; it claims to be one only where nothing of the question is left open."""
    if offer.kind == "rows":
        told = _rows(offer, lang)
    else:
        drawn = {"list": _list, "compare": _compare, "build": _build, "order": _order, "fit": _fit}
        told = drawn[offer.kind](offer, lang, hotline)
    if _lacks_sum(offer):
        told = replace(told, text=f"{told.text}\n{say('follow.no_sum', lang)}")
    return replace(told, answered=_is_answer(offer))


def _lacks_sum(offer: Offer) -> bool:
    """Whether a sum is asked for and not told: it is not known of what."""
    summed = offer.kind in {"order", "build"} or (offer.kind == "rows" and len(offer.products) > 1)
    return bool("total" in offer.query.moves and offer.products and not (summed or [*_sums(offer, "vi")]))


def _lacks_strength(offer: Offer) -> bool:
    """Whether it is asked which is the stronger, and no figure tells it."""
    return not (offer.query.compared or set(STRENGTH).isdisjoint(offer.query.moves))


def _is_answer(offer: Offer) -> bool:
    """Whether every part of the question was looked up, and something was found for it."""
    query = offer.query
    if offer.note == "not sold":
        return not query.unread
    untold = (
        []
        if offer.kind == "fit"
        else [name for name in query.asks if not any(value_of(product, name) for product in offer.products)]
    )
    if offer.note == "named":
        untold += [fact for fact in query.facts for one in offer.products if shows(one, fact) is None]
    unsure = (
        _lacks_sum(offer) or _lacks_strength(offer) or (offer.kind == "compare" and len(offer.products) < 2)
    )
    known = bool(offer.products) and not (offer.unmet or offer.silent or offer.missing or untold or unsure)
    return known and not query.unread and (not query.fits or offer.kind == "fit")


def product_passages(products: Sequence[Product], lang: Lang, *, links: bool = False) -> list[dict[str, Any]]:
    """Rows as retrieved context (000-54): title, text with `links` where they are asked for, where, score, and that they are products."""
    found = []
    for product in products:
        parts = [price(product, lang), stock(product, lang), product.specs[:SPECS_CHARS]]
        parts += [product.url] if links else []
        text = f"{product.name} | " + " | ".join(part for part in parts if part)
        title = say("offer.source", lang)
        entry = {"title": title, "text": text, "where": product.url, "score": 1.0, "coverage": 1.0}
        found.append({**entry, "product": product.name, "price": product.price, "stock": product.stock})
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


def quoted(parts: Sequence[str]) -> str:
    """What the customer typed, as it was typed."""
    return ", ".join(f"«{part}»" for part in parts)


def _list(offer: Offer, lang: Lang, hotline: str) -> OfferText:
    query, products = offer.query, offer.products
    what, limits = what_is_wanted(query, lang), _limits(query, lang)
    missing = [say("compare.not_there", lang, what=side) for side in offer.missing]
    missing += [say("offer.unsold", lang, what=kind) for kind in offer.unsold]
    if not products:
        key = "not_sold_kind" if offer.note == "not sold" else "nothing"
        nothing = say(f"offer.{key}", lang, what=what, limits=limits, hotline=hotline)
        return OfferText("\n".join(missing) or nothing)
    listed = numbered(product_lines(products, lang, query), products)
    lines = [_intro(offer, lang), *listed, *missing, *_sums(offer, lang)]
    if offer.total > len(products) and not offer.unmet:
        lines.append(say("offer.more", lang, count=format_number(offer.total - len(products), lang)))
    if offer.unmet:
        lines += _caveats(offer, lang)
    return OfferText("\n".join(lines))


def numbered(lines: Iterator[str], products: Sequence[Product]) -> Iterator[str]:
    """The lines of several products with their numbers: people say "cái thứ hai"."""
    return (f"{number}. {line[2:]}" for number, line in enumerate(lines, 1)) if len(products) > 1 else lines


def _intro(offer: Offer, lang: Lang) -> str:
    """What the list is: what fits, the nearest, or what fits apart from what the catalogue does not tell."""
    query, limits, count = offer.query, _limits(offer.query, lang), format_number(offer.total, lang)
    if query.fits:
        names = " ".join(dict.fromkeys(query.said.get(one, one) for one in query.wearers))
        return say(f"offer.{'wearer' if names else 'fit'}_unknown", lang, what=quoted((names,)))
    if offer.note == "named" and not query.unread:
        return say("follow.each", lang)
    if offer.unmet:
        key = "none_cheaper" if "cheaper" in query.moves else "instead"
        return say(f"offer.{key}", lang, what=what_is_wanted(query, lang), limits=limits)
    if open_part := query.unread or offer.silent:
        key = (
            "offer.not_understood"
            if query.unread
            else f"offer.{'either' if offer.note == 'either' else 'partly'}"
        )
        return say(key, lang, what=quoted(open_part), count=count, limits=limits)
    if offer.note in {"most", "least"}:
        return say(f"offer.{offer.note}", lang, what=attribute_name(query, lang), limits=limits)
    ordered = query.order in {"cheapest", "dearest"} and len(offer.products) > 1
    key = query.order if ordered else "found_one" if offer.total == 1 else "found"
    return say(f"offer.{key}", lang, count=count, limits=limits)


def _sums(offer: Offer, lang: Lang) -> Iterator[str]:
    """So many pieces of the one product, or the sum of those that were named."""
    query, products = offer.query, offer.products
    if "total" in query.moves and len(products) > 1 and offer.total == len(products) == len(query.parts):
        total = format_money(sum(product.price for product in products), lang)
        yield say("follow.sum", lang, count=len(products), total=total)
    if query.count > 1 and offer.total <= _COUNTED and not {"difference", "compare"} & set(query.moves):
        for product in products:
            total = format_money(product.price * query.count, lang)
            yield say("follow.times", lang, count=query.count, price=price(product, lang), total=total)
            if product.stock is not None and product.stock < query.count:
                yield say("order.too_few", lang, name=product.name, stock=product.stock)


def _caveats(offer: Offer, lang: Lang) -> Iterator[str]:
    """What was asked and could not be looked up: properties that the catalogue does not give, words that were not read."""
    if offer.silent:
        yield say("offer.not_told", lang, what=quoted(offer.silent))
    if offer.query.unread:
        yield say("offer.unread", lang, what=quoted(offer.query.unread))


def what_is_wanted(query: ProductQuery, lang: Lang) -> str:
    """What was looked for, with the names and figures as they were typed."""
    if query.apart:
        return query.apart
    kind = " / ".join(kind_name(kind, lang) for kind in query.kinds)
    said = query.said
    words = list(dict.fromkeys(said.get(word, word) for word in query.words))
    kind = "" if any(fold(kind) in fold(word) for word in words) else kind
    facts = [one for fact in query.facts if fold(one := said.get(fact, fact)) not in fold(" ".join(words))]
    more = [*facts, *(figure.said for figure in query.figures)]
    names = [kind, *query.brands, *words] if lang == "vi" else [*query.brands, *words, kind]
    text = " ".join(part for part in dict.fromkeys((*names, *more)) if part)
    without = [*query.no_brands, *(said.get(one, one) for one in (*query.no_words, *query.no_facts))]
    if without:
        text = f"{text or say('offer.goods', lang)} {say('offer.without', lang, what=', '.join(without))}"
    return text or say("offer.goods", lang)


def _limits(query: ProductQuery, lang: Lang) -> str:
    if query.about:
        return say("offer.around", lang, about=format_money(query.about, lang))
    low, high = (format_money(value or 0, lang) for value in (query.low, query.high))
    if query.low is not None and query.high is not None:
        return say("offer.between", lang, low=low, high=high)
    if query.high is not None:
        return say("offer.below", lang, high=high)
    return say("offer.above", lang, low=low) if query.low is not None else ""


def product_lines(products: Sequence[Product], lang: Lang, query: ProductQuery) -> Iterator[str]:
    """A line a product: name, price, stock, what was asked of it, where to see it."""
    for product in products:
        told = "; ".join(dict.fromkeys(filter(None, _told(product, query, lang))))
        line = say(
            "offer.line", lang, name=product.name, price=price(product, lang), stock=stock(product, lang)
        )
        line += f"; {told}" if told else ""
        yield f"{line} ({product.url})" if product.url else line


def _told(product: Product, query: ProductQuery, lang: Lang) -> Iterator[str]:
    """What the catalogue says of each thing that was asked."""
    for name in dict.fromkeys(query.asks):
        if name.startswith("word "):
            word = name[5:]
            said = fold(word) in fold(f"{product.name} {product.specs}")
            yield _value(product, name, lang) or (word if said else say("follow.not_given", lang, what=word))
            continue
        if name.startswith("unit "):
            yield _value(product, name, lang) or say("follow.not_given", lang, what=name[5:])
            continue
        value = _value(product, name, lang)
        what = say(f"attribute.{name.replace(' ', '_')}", lang)
        yield f"{what} {value}" if value else say("follow.not_given", lang, what=what)
    called = (
        any(map(is_code, query.words)) or "told" in query.moves
    )  # of certain goods what is asked is told, not only sought
    whole = product.specs if "specs" in query.shows or query.fits or _is_open(query, product) else ""
    for fact in query.facts:
        known, what = shows(product, fact), query.said.get(fact, fact)
        if known is None and query.action == "find" and (query.asks or called):
            yield say("follow.not_given", lang, what=what)
        elif called and known is not None:
            told = fact_of(product, fact) if known else say("follow.denied", lang, what=what)
            if told not in whole:
                yield told
    for figure in query.figures:
        if called and figure.narrows and not has_figure(product, figure):
            yield say("follow.denied", lang, what=figure.said)
    yield whole


def _value(product: Product, attribute: str, lang: Lang) -> str:
    """What the catalogue says of an attribute, lengths of time in the words of the answer."""
    if attribute == "kind":
        return kind_name(product.kind, lang)
    return _in_language(value_of(product, attribute), lang)


def _in_language(value: str, lang: Lang) -> str:
    if lang == "vi":
        return value
    return _LENGTH.sub(lambda one: f"{one[1]} {_LENGTHS[fold(one[2])]}{'s' if one[1] != '1' else ''}", value)


def _is_open(query: ProductQuery, product: Product) -> bool:
    """Whether something is asked of certain goods that is not so: what is listed is told."""
    called = any(map(is_code, query.words))
    lacks = any(not shows(product, fact) for fact in query.facts)
    return called and (lacks or any(one.narrows and not has_figure(product, one) for one in query.figures))


def _compare(offer: Offer, lang: Lang, hotline: str) -> OfferText:
    missing = [say("compare.missing", lang, what=side) for side in offer.missing]
    products = offer.products
    if len(products) < 2:
        if not (missing or products):
            return OfferText(
                say("offer.nothing", lang, what=say("offer.goods", lang), limits="", hotline=hotline)
            )
        return OfferText("\n".join([*missing, *product_lines(products, lang, offer.query)]))
    names = say("compare.join", lang).join(product.name for product in products)
    lines = [say("compare.intro", lang, names=names), *product_lines(products, lang, offer.query), *missing]
    lines += [_most(products, offer.query, lang)] if offer.query.compared else []
    # What costs less is not the stronger.
    told = differences(products, lang) if not _lacks_strength(offer) else [say("compare.no_strength", lang)]
    lines += [*told, *_sums(offer, lang), *_caveats(offer, lang)]
    return OfferText("\n".join(lines), side_by_side(products, lang))


def differences(products: Sequence[Product], lang: Lang) -> Iterator[str]:
    """By how much the first of the products costs more or less than each of the others."""
    for other in products[1:]:
        low, high = sorted((products[0], other), key=lambda product: product.price)
        difference = format_money(high.price - low.price, lang)
        key = "same_price" if low.price == high.price else "cheaper" if len(products) == 2 else "cheaper_than"
        yield say(f"compare.{key}", lang, name=low.name, other=high.name, difference=difference)


def _most(products: Sequence[Product], query: ProductQuery, lang: Lang) -> str:
    """Which of them has most or least of what is compared, or that they have as much, or that it is not known."""
    [attribute, order], what = query.compared, attribute_name(query, lang)
    best = ranked(products, query)
    if not best or any(measure_of(one, attribute) is None for one in products):
        return say("compare.unknown", lang, what=what)
    key = "as_much" if len(best) == len(products) else order
    return say(
        f"compare.{key}", lang, names=say("compare.join", lang).join(one.name for one in best), what=what
    )


def attribute_name(query: ProductQuery, lang: Lang) -> str:
    """What the attribute that is compared is called."""
    return say(f"attribute.{query.compared[0].replace(' ', '_')}", lang)


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
        (
            name or say("column.specs", lang),
            *(_in_language(found.get(name, empty), lang) for found in details),
        )
        for name in names
    ]
    return Table(("", *(p.name for p in products)), tuple(rows), title=say("compare.title", lang))


def _build(offer: Offer, lang: Lang, hotline: str) -> OfferText:
    computer, query = offer.computer, offer.query
    if computer is None or not computer.parts:
        kinds = ", ".join(kind_name(kind, lang) for kind in (computer.missing if computer else ()))
        return OfferText(say("build.missing", lang, parts=kinds, hotline=hotline))
    budget, total = query.about or query.high or query.low, format_money(computer.total, lang)
    shown = format_money(budget or 0, lang)
    if budget is None:
        intro = say("build.cheapest", lang, total=total)
    else:
        key = "build.intro" if computer.total <= budget else "build.too_little"
        intro = say(key, lang, budget=shown, total=total)
    lines = [intro, *(f"- {kind_name(p.kind, lang)}: {p.name}, {price(p, lang)}" for p in computer.parts)]
    lines += _caveats(offer, lang)
    return OfferText("\n".join(lines))


def _order(offer: Offer, lang: Lang, _hotline: str) -> OfferText:
    """Goods to be bought: what each comes to, whether there are enough, what does not fit, and the sum."""
    if offer.note in {"within", "beyond"}:
        lines = [say(f"order.{offer.note}", lang, limits=_limits(offer.query, lang))]
    else:
        lacking = say("order.none", lang, kind=kind_name(offer.note, lang)) if offer.note else ""
        lines = [lacking or say("order.intro", lang)]
    for one, count in zip(offer.products, offer.counts, strict=True):
        line = say("offer.line", lang, name=one.name, price=price(one, lang), stock=stock(one, lang))
        cost = format_money(one.price * count, lang)
        more = say("follow.times", lang, count=count, price=price(one, lang), total=cost) if count > 1 else ""
        lines.append(f"{line}; {more}" if more else line)
        if count > 1 and one.stock is not None and one.stock < count:
            lines.append(say("order.too_few", lang, name=one.name, stock=one.stock))
    for one, other in combinations(offer.products, 2):
        if go_together(one, other) is False:
            lines.append(say("order.apart", lang, one=one.name, other=other.name))
    total = sum(one.price * count for one, count in zip(offer.products, offer.counts, strict=True))
    lines.append(say("follow.sum", lang, count=sum(offer.counts), total=format_money(total, lang)))
    return OfferText("\n".join(lines))


def _fit(offer: Offer, lang: Lang, _hotline: str) -> OfferText:
    """What goes with a part, or whether two go together, with what the catalogue says of them."""
    query, products = replace(offer.query, asks=(), facts=(), figures=(), fits=True), offer.products
    names = say("compare.join", lang).join(one.name for one in offer.beside[:2])
    if len(offer.beside) > 2:
        names = " ".join(
            (kind_name(offer.beside[0].kind, lang), *(query.said.get(word, word) for word in query.words))
        )
    intro = say(f"fit.{offer.note}", lang, names=names)
    lines = [intro, *numbered(product_lines(products, lang, query), products), *_caveats(offer, lang)]
    if offer.total > len(products):
        lines.append(say("offer.more", lang, count=format_number(offer.total - len(products), lang)))
    return OfferText("\n".join(lines))


def _rows(offer: Offer, lang: Lang) -> OfferText:
    """The answer about products that were shown before."""
    query, products = offer.query, offer.products
    if not products:
        return OfferText(say(f"follow.{offer.note.replace(' ', '_')}", lang, count=offer.total))
    lines = list(product_lines(products, lang, query))
    if offer.note in {"most", "least"}:
        lines = [say(f"follow.{offer.note}", lang, what=attribute_name(query, lang)), *lines]
    elif offer.note in {"cheapest", "dearest"} and len(products) < offer.total:
        lines = [say(f"follow.{offer.note}", lang), *lines]
    elif query.fits:
        lines = [say("offer.fit_unknown", lang), *lines]
    elif offer.unmet:
        lines = [say("follow.none_of_them", lang, what=quoted(offer.unmet)), *lines]
    else:
        lines = [say("follow.each", lang), *lines]
    lines += _sums(offer, lang)
    if "total" in query.moves and len(products) > 1:
        total = format_money(sum(product.price for product in products), lang)
        lines.append(say("follow.sum", lang, count=len(products), total=total))
    lines += _caveats(offer, lang)
    return OfferText("\n".join(lines))
