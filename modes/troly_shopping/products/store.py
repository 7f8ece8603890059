"""The product catalogue: its tables, and the search by words within filters that nothing but the database answers."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from troly.plugin.mentioning import hint_language, ranked
from troly.text.fold import accents, fold, folded_words, tokens
from troly.text.language import is_syllable
from troly.text.numbers import format_number
from troly_shopping.datasets import DatasetInfo, dataset_info, fetch_rows

if TYPE_CHECKING:
    from troly.config.users import Profile
    from troly.plugin.services import Services
    from troly.stores.published import Datasets

DATASET = "products"
# Parts of a computer in the order of a list of parts.
PARTS = ("cpu", "mainboard", "ram", "vga", "ssd", "psu", "case")
Order = Literal["", "cheapest", "dearest", "nearest"]

CREATE = (
    """
    create table products (
        id integer not null, key varchar not null, name varchar not null, price bigint not null, stock integer,
        specs varchar not null, url varchar not null, brand varchar not null, category varchar not null,
        kind varchar not null, maker varchar not null
    )
    """,
    # In the order of the terms, so that zone maps find a term's rows.
    "create table terms (term varchar not null, id integer not null, weight float not null)",
)

_COLUMNS = "id, name, price, stock, specs, url, brand, category, kind"
_WEIGHTS = "select term, max(weight) from terms where term in (select unnest($terms)) group by term"
_BRANDS = "select distinct brand from products where brand <> '' and (len($kinds) = 0 or kind in (select unnest($kinds)))"
_KINDS = "select kind from products where kind <> '' group by kind order by count(*) desc, kind"
_BEGINS = "select 1 from terms where starts_with(term, ?) limit 1"
_LONGER = "select distinct term from terms where starts_with(term, ?) order by term limit 20"
_NAMED = "select name from products where id in (select id from terms where term = ?) limit 200"
_NARROWING = """
    select count(*) between 1 and (select count(*) - 1 from products where kind = $kind) from (
        select id from terms join products using (id) where kind = $kind and weight <> $maker and term in (select unnest($terms))
        group by id having count(*) = $count
    )
"""
# A code of so many characters may be the beginning of a longer one: "b760" of "b760m".
_SHORTEST_CODE = 3
# What a term weighs that stands in a product's name; in its category or its maker's.
NAME_WEIGHT, MAKER_WEIGHT = 3.0, 2.0
_FREQUENCY = "select term, count(*) from terms where term in (select unnest($terms)) group by term"
_SEARCH = f"""
    with wanted as (select unnest($terms) as term, unnest($idf) as idf),
    score as (
        select id, sum(idf * weight) as score, sum(idf) as cover
        from terms join wanted using (term) where term in (select unnest($terms)) group by id
    )
    select {_COLUMNS}
    from products left join score using (id)
    where (len($kinds) = 0 or kind in (select unnest($kinds)))
        and price between $low and $high and (not $stocked or stock is null or stock > 0)
        and coalesce(cover, 0) >= $cover
    order by {{order}}, id limit $count
"""  # noqa: S608 (our names)
# Of each kind the products in stock by price, every so many of them, so that the whole range is there.
_SPREAD = f"""
    select {_COLUMNS} from (
        select *, row_number() over (partition by kind order by price, id) - 1 as place,
            count(*) over (partition by kind) as total
        from products where kind in (select unnest($kinds)) and (stock is null or stock > 0)
    )
    where place % greatest(1, total // $count) = 0 order by kind, price, id
"""  # noqa: S608 (our names)
_BEST = "round(coalesce(score, 0), 2) desc, (stock is not null and stock = 0)"
_ORDERS = {
    "": f"{_BEST}, price",
    "cheapest": "(stock is not null and stock = 0), price",
    "dearest": "(stock is not null and stock = 0), price desc",
    "nearest": f"{_BEST}, abs(price - $target)",
}
HIGHEST = 10**15
# The share of what a text's words tell that a product must hold to be like it.
_ALIKE = 0.1
_SPLIT = re.compile(r"(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])")


@dataclass(frozen=True, slots=True)
class Product:
    """One row of the catalogue; `price` in VND, `stock` None when the list does not say."""

    id: int
    name: str
    price: int
    stock: int | None
    specs: str
    url: str
    brand: str
    category: str
    kind: str

    def details(self) -> dict[str, str]:
        """The specifications by name: "CPU: i5; RAM: 16GB" is two; text without names stands under ""."""
        found: dict[str, str] = {}
        for part in self.specs.replace("|", ";").split(";"):
            name, colon, value = part.partition(":")
            if colon and len(name) <= 40 and value.strip():
                found[name.strip()] = value.strip()
            elif part.strip():
                found[""] = "; ".join(filter(None, (found.get("", ""), part.strip())))
        return found


@dataclass(frozen=True, slots=True)
class SearchCriteria:
    """What to look for: `terms` rank, all else filters; `least` is the coverage that a row must have."""

    terms: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    target: int | None = None
    stocked: bool = False
    order: Order = ""
    least: float = 0.0
    count: int = 8


def index_terms(text: str) -> list[str]:
    """The index terms of `text`, each once: folded words, their letters and digits apart, neighbours joined.

    "RTX 4060", "rtx4060" and "RTX-4060" share "rtx4060"; "bàn phím" and "banphim" share "banphim".
    """
    words = folded_words(text)
    found = dict.fromkeys(words)
    for word in words:
        found.update(dict.fromkeys(_SPLIT.split(word)))
    found.update(dict.fromkeys(a + b for a, b in pairwise(words)))
    return [term for term in found if term]


def model_terms(code: str) -> list[str]:
    """The index terms that an entry with the model `code` has: neighbouring pieces joined, or the one piece."""
    pieces = folded_words(code)
    return [a + b for a, b in pairwise(pieces)] or pieces


def key_of(name: str) -> str:
    """What two rows for the same product have in common."""
    return " ".join(fold(name).split())


class ProductStore:
    """Read access to the published catalogue; all methods raise StoreError."""

    def __init__(self, datasets: Datasets) -> None:
        self._datasets = datasets

    def loaded(self) -> DatasetInfo | None:
        """What is loaded; None when nothing is."""
        return dataset_info(self._datasets, DATASET)

    def brands(self, kinds: Sequence[str] = ()) -> list[str]:
        """The makers in the catalogue, or those of `kinds`."""
        return [row[0] for row in self._fetch(_BRANDS, {"kinds": list(kinds)})]

    def spoken(self, words: Sequence[str]) -> frozenset[str]:
        """Those of `words`, as typed, that stand in products: codes whole or as a beginning, syllables only in names, with
        the accents typed.
        """
        by_fold = {word: "".join(folded_words(word)) for word in words}
        weights = dict(self._fetch(_WEIGHTS, {"terms": list(by_fold.values()) or [""]}))
        marked = any(accents(word) for word in words)
        return frozenset(
            word
            for word, folded in by_fold.items()
            if self._is_spoken(word, folded, weights.get(folded), marked=marked)
        )

    def _is_spoken(self, word: str, folded: str, weight: float | None, *, marked: bool) -> bool:
        if any(char.isdigit() for char in folded):
            if weight is not None:
                return True
            long = len(folded) >= _SHORTEST_CODE and not folded.isdigit()
            return long and bool(self._fetch(_BEGINS, [folded]))
        if weight is None or len(folded) < 2:
            return False
        if not is_syllable(folded):
            return True
        names = self._fetch(_NAMED, [folded]) if weight >= NAME_WEIGHT else []
        return any(
            token.folded == folded and accents(token.text) == accents(word)
            for (name,) in names
            for token in tokens(name)
        ) or (
            not (marked or accents(word))
            and any(token.folded == folded for (name,) in names for token in tokens(name))
            and len(folded) > 3
        )

    def terms_from(self, word: str) -> list[str]:
        """The index terms that a word stands for: itself, or the longer codes that it begins."""
        if self._fetch(_WEIGHTS, {"terms": [word]}):
            return [word]
        return [row[0] for row in self._fetch(_LONGER, [word])]

    def narrowing(self, kind: str, phrase: str) -> bool:
        """Whether some products of `kind`, not all, have the folded `phrase` in their names or specifications."""
        words = folded_words(phrase)
        terms = {*words, *(a + b for a, b in pairwise(words))}
        asked = {"kind": kind, "terms": list(terms), "count": len(terms), "maker": MAKER_WEIGHT}
        return any(some for (some,) in self._fetch(_NARROWING, asked))

    def holds(self, kind: str, words: Sequence[str]) -> bool:
        """Whether the name of a product of `kind` has all of these words."""
        names = self._fetch("select key from products where kind = ?", [kind])
        wanted = {term for word in words for term in index_terms(word)}
        return any(wanted.issubset(index_terms(name)) for (name,) in names)

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many products each term stands; terms of none are left out."""
        return dict(self._fetch(_FREQUENCY, {"terms": list(terms)})) if terms else {}

    def holding(self, words: Sequence[str], count: int) -> list[tuple[str, int]]:
        """Name and price of products whose name holds every one of these folded words, by name."""
        wanted = " and ".join(["contains(key, ?)"] * len(words)) or "true"
        sql = f"select name, price from products where {wanted} order by not starts_with(key, ?), key limit ?"  # noqa: S608 (our names)
        return self._fetch(sql, [*words, " ".join(words), count])

    def named(self, names: Sequence[str]) -> list[Product]:
        """The products of these names, in their order; those that are gone are left out."""
        wanted = {key_of(name): None for name in names}
        sql = f"select key, {_COLUMNS} from products where key in (select unnest($keys))"  # noqa: S608 (our names)
        found = {row[0]: Product(*row[1:]) for row in self._fetch(sql, {"keys": list(wanted)})}
        return [found[key] for key in wanted if key in found]

    def kinds(self) -> list[str]:
        """The kinds of goods, those with most products first."""
        return [row[0] for row in self._fetch(_KINDS)]

    def alike(self, text: str, kinds: Sequence[str], count: int) -> list[Product]:
        """The products that share most words with `text`, of `kinds` where any is named."""
        least = 0.0 if kinds else _ALIKE
        criteria = SearchCriteria(
            terms=tuple(index_terms(text)), kinds=tuple(kinds), least=least, count=count
        )
        return self.search(criteria)

    def spread(self, kinds: Sequence[str], count: int) -> dict[str, list[Product]]:
        """About `count` products in stock of each kind, cheapest first, spread over its prices."""
        found: dict[str, list[Product]] = {kind: [] for kind in kinds}
        for row in self._fetch(_SPREAD, {"kinds": list(kinds), "count": count}):
            product = Product(*row)
            found[product.kind].append(product)
        return found

    def codes(self, codes: Sequence[str]) -> frozenset[str]:
        """Those of `codes`, in capitals, that stand in the catalogue as names of models or parts."""
        parts = {code.upper(): model_terms(code) for code in codes if not code.isdigit()}
        wanted = sorted({term for found in parts.values() for term in found})
        there = self.frequencies(wanted)
        return frozenset(
            code for code, found in parts.items() if found and all(term in there for term in found)
        )

    def search(self, query: SearchCriteria) -> list[Product]:
        """The best products for `query`."""
        info = self.loaded()
        if info is None:
            return []
        total = max(1, info.rows)
        known = self.frequencies(query.terms)
        weights = {term: math.log(1 + total / (1 + known.get(term, 0))) for term in query.terms}
        whole = sum(weights.values())
        parameters: dict[str, object] = {
            "terms": list(weights) or [""],
            "idf": list(weights.values()) or [0.0],
            "kinds": list(query.kinds),
            "low": query.low or 0,
            "high": HIGHEST if query.high is None else query.high,
            "stocked": query.stocked,
            "cover": query.least * whole - 1e-6 if query.least else -1.0,
            "count": query.count,
        }
        if query.order == "nearest":
            parameters["target"] = query.target or 0
        rows = self._fetch(_SEARCH.format(order=_ORDERS[query.order]), parameters)
        return [Product(*row) for row in rows]

    def _fetch(self, sql: str, parameters: dict[str, object] | list[object] | None = None) -> list[tuple]:  # type: ignore[type-arg]
        return fetch_rows(self._datasets, DATASET, sql, parameters or {})


# So many rows are ranked; a longer prefix finds the rest.
_RANKED = 200


def mentions(services: Services, profile: Profile, prefix: str, limit: int) -> list[tuple[str, str]]:
    """Products whose name holds the words of `prefix`, with their price. Raises StoreError."""
    lang = hint_language(services, profile)
    found = ProductStore(services.datasets).holding(key_of(prefix).split(), _RANKED)
    return ranked([(name, f"{format_number(price, lang)} VND") for name, price in found], prefix, limit)
