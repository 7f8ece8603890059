"""Finds what the catalogue has for a question: a list, a comparison, the parts of a computer, or what was shown before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from troly.stores.published import Datasets
from troly_shopping.products.follow_up import FollowUp
from troly_shopping.products.pc_build import PcBuild, build_pc
from troly_shopping.products.query import ProductQuery, parse_product_query
from troly_shopping.products.store import Product, ProductStore, ScoredProduct, SearchCriteria, index_terms

ROWS = 8
# How many cheaper ones are offered beside products that were shown.
_CHEAPER = 8
# The share of what a question's words tell that a product must hold when nothing else narrows the catalogue down.
_FITTING = 0.5
_SIDES = 4


@dataclass(frozen=True, slots=True)
class Offer:
    """What was found. `near`: none is quite what was wanted; `missing`: sides of a comparison that are not there."""

    kind: Literal["list", "compare", "build", "follow"]
    query: ProductQuery
    products: tuple[Product, ...] = ()
    near: bool = False
    missing: tuple[str, ...] = ()
    computer: PcBuild | None = None
    follow: FollowUp | None = None


def find_offer(datasets: Datasets, question: str, kinds: tuple[str, ...] = ()) -> Offer | None:
    """What the catalogue has for `question`; None when none is loaded or the question is about something else.

    `kinds` were shown just before: "có con nào dưới 15 triệu không" means those.

    Blocking; raises StoreError.
    """
    store = ProductStore(datasets)
    if store.loaded() is None:
        return None
    makers = store.brands()
    query = parse_product_query(question, makers)
    if (
        kinds
        and not (query.kinds or query.brands or query.words)
        and query.action == "find"
        and query.filtered
    ):
        query = replace(query, kinds=kinds)
    if query.terms and query.action == "find" and not (query.priced or query.order or query.codes):
        return None
    if query.action == "build":
        budget = query.about or query.high or query.low
        computer = build_pc(store, budget, query.use or "gaming")
        return Offer("build", query, computer.parts, computer=computer)
    if query.action == "compare":
        return _compare(store, query, makers)
    return _list(store, query)


def _criteria(query: ProductQuery, **other: object) -> SearchCriteria:
    criteria = SearchCriteria(
        terms=query.words,
        kinds=query.kinds,
        brands=query.brands,
        low=query.low,
        high=query.high,
        target=query.about or query.high or query.low,
        stocked=query.stocked,
        order=query.order,
        least=0.0 if query.filtered else _FITTING,
        count=ROWS,
    )
    return replace(criteria, **other)  # type: ignore[arg-type]


def _list(store: ProductStore, query: ProductQuery) -> Offer | None:
    if not (query.words or query.filtered):
        return None
    found = [item.product for item in store.search(_criteria(query))]
    exact = [product for product in found if _has(product, query)]
    if exact:
        return Offer("list", query, tuple(exact))
    for looser in _looser(query):
        near = store.search(looser)
        if near:
            return Offer("list", query, tuple(item.product for item in near), near=True)
    known = query.kinds or query.brands or query.codes
    return Offer("list", query, near=True) if known else None


def _has(product: Product, query: ProductQuery) -> bool:
    """Whether all words with digits ("4060", "16gb") are in the product; without any, it is what was found."""
    if not query.codes:
        return True
    held = set(index_terms(f"{product.name}\n{product.specs}"))
    return all(code in held for code in query.codes)


def _looser(query: ProductQuery) -> list[SearchCriteria]:
    """What to look for when there is nothing: without the words, the maker, the price; the nearest price first."""
    if not (query.kinds or query.brands or query.codes):
        return []
    plain = _criteria(query, least=0.0)
    queries = [plain] if query.kinds or query.brands else []
    if query.brands and query.kinds:
        queries.append(replace(plain, brands=(), terms=(*query.words, *index_terms(" ".join(query.brands)))))
    if query.priced and (query.kinds or query.brands):
        free = replace(plain, low=None, high=None, terms=(), order="nearest", count=3)
        queries += [free, replace(free, brands=())] if query.kinds else [free]
    if query.codes and not query.filtered:
        queries.append(replace(plain, least=0.2, count=3))
    return queries


def _compare(store: ProductStore, query: ProductQuery, makers: list[str]) -> Offer:
    chosen: list[Product] = []
    missing: list[str] = []
    kinds = query.kinds
    for side in query.parts[:_SIDES]:
        wanted = parse_product_query(side, makers)
        criteria = _criteria(
            wanted, kinds=wanted.kinds or kinds, order="", count=4, least=_FITTING if wanted.words else 0.0
        )
        found = [item for item in store.search(criteria) if _fits(item, wanted)]
        fresh = [item.product for item in found if item.product not in chosen]
        if fresh:
            chosen.append(fresh[0])
            kinds = kinds or (fresh[0].kind,)
        else:
            missing.append(side)
    return Offer("compare", query, tuple(chosen), missing=tuple(missing))


def _fits(found: ScoredProduct, side: ProductQuery) -> bool:
    return bool(side.words or side.brands or side.kinds) and _has(found.product, side)


def find_again(datasets: Datasets, asked: FollowUp) -> Offer:
    """The products meant, as the catalogue has them now; raises StoreError. Blocking."""
    store = ProductStore(datasets)
    products = store.named(asked.names)
    if asked.kind == "others":
        return _others(store, asked, products)
    return Offer("follow", ProductQuery(), tuple(_meant(products, asked)), follow=asked)


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
        return Offer("follow", ProductQuery(), follow=asked)
    high = min(product.price for product in products) - 1
    query = SearchCriteria(kinds=kinds, high=high, order="dearest", count=_CHEAPER)
    found = [item.product for item in store.search(query)]
    cheapest = min(products, key=lambda product: product.price)
    return Offer("follow", ProductQuery(), tuple(found) or (cheapest,), near=not found, follow=asked)
