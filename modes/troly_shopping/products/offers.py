"""Finds what the catalogue has for a question: a list, a comparison or the parts of a computer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from troly.stores.published import Datasets
from troly_shopping.products.follow_up import FollowUp
from troly_shopping.products.pc_build import PcBuild, build_pc
from troly_shopping.products.query import ProductQuery, parse_product_query, terms
from troly_shopping.products.store import Product, ProductStore, ScoredProduct, SearchCriteria

ROWS = 8
# The share of what a question's words tell that a product must hold when nothing else narrows the catalogue down.
_FITTING = 0.5
_SIDES = 4


@dataclass(frozen=True, slots=True)
class Offer:
    """What was found. `near`: none is quite what was wanted; `missing`: sides of a comparison that are not there."""

    kind: Literal["list", "compare", "build", "follow"]
    wish: ProductQuery
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
    wish = parse_product_query(question, makers)
    if kinds and not (wish.kinds or wish.brands or wish.words) and wish.action == "find" and wish.filtered:
        wish = replace(wish, kinds=kinds)
    if wish.terms and wish.action == "find" and not (wish.priced or wish.order or wish.codes):
        return None
    if wish.action == "build":
        budget = wish.about or wish.high or wish.low
        computer = build_pc(store, budget, wish.use or "gaming")
        return Offer("build", wish, computer.parts, computer=computer)
    if wish.action == "compare":
        return _compare(store, wish, makers)
    return _list(store, wish)


def _query(wish: ProductQuery, **other: object) -> SearchCriteria:
    query = SearchCriteria(
        terms=wish.words,
        kinds=wish.kinds,
        brands=wish.brands,
        low=wish.low,
        high=wish.high,
        target=wish.about or wish.high or wish.low,
        stocked=wish.stocked,
        order=wish.order,
        least=0.0 if wish.filtered else _FITTING,
        count=ROWS,
    )
    return replace(query, **other)  # type: ignore[arg-type]


def _list(store: ProductStore, wish: ProductQuery) -> Offer | None:
    if not (wish.words or wish.filtered):
        return None
    found = [item.product for item in store.search(_query(wish))]
    exact = [product for product in found if _has(product, wish)]
    if exact:
        return Offer("list", wish, tuple(exact))
    for looser in _looser(wish):
        near = store.search(looser)
        if near:
            return Offer("list", wish, tuple(item.product for item in near), near=True)
    known = wish.kinds or wish.brands or wish.codes
    return Offer("list", wish, near=True) if known else None


def _has(product: Product, wish: ProductQuery) -> bool:
    """Whether all words with digits ("4060", "16gb") are in the product; without any, it is what was found."""
    if not wish.codes:
        return True
    held = set(terms(f"{product.name}\n{product.specs}"))
    return all(code in held for code in wish.codes)


def _looser(wish: ProductQuery) -> list[SearchCriteria]:
    """What to look for when there is nothing: without the words, the maker, the price; the nearest price first."""
    if not (wish.kinds or wish.brands or wish.codes):
        return []
    plain = _query(wish, least=0.0)
    queries = [plain] if wish.kinds or wish.brands else []
    if wish.brands and wish.kinds:
        queries.append(replace(plain, brands=(), terms=(*wish.words, *terms(" ".join(wish.brands)))))
    if wish.priced and (wish.kinds or wish.brands):
        free = replace(plain, low=None, high=None, terms=(), order="nearest", count=3)
        queries += [free, replace(free, brands=())] if wish.kinds else [free]
    if wish.codes and not wish.filtered:
        queries.append(replace(plain, least=0.2, count=3))
    return queries


def _compare(store: ProductStore, wish: ProductQuery, makers: list[str]) -> Offer:
    chosen: list[Product] = []
    missing: list[str] = []
    kinds = wish.kinds
    for side in wish.parts[:_SIDES]:
        said = parse_product_query(side, makers)
        side_kinds = said.kinds or kinds
        query = _query(said, kinds=side_kinds, order="", count=4, least=0.0 if not said.words else _FITTING)
        found = [item for item in store.search(query) if _fits(item, said)]
        fresh = [item.product for item in found if item.product not in chosen]
        if fresh:
            chosen.append(fresh[0])
            kinds = kinds or (fresh[0].kind,)
        else:
            missing.append(side)
    return Offer("compare", wish, tuple(chosen), missing=tuple(missing))


def _fits(found: ScoredProduct, side: ProductQuery) -> bool:
    if not (side.words or side.brands or side.kinds):
        return False
    return _has(found.product, side)
