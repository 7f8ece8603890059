"""Puts a computer together from the catalogue within a budget: parts that fit each other, or the honest contrary."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from troly.text.fold import fold
from troly_shopping.goods import PARTS
from troly_shopping.products_store import Product, ProductStore, Query

_SOCKET = re.compile(r"lga ?\d{3,4}|am[345](?!\d)")
_MEMORY = re.compile(r"ddr ?[345]")
_SIZE = re.compile(r"(\d+) ?(gb|tb)")
_WATTS = re.compile(r"(\d{3,4}) ?w(?!\w)")
# Parts looked at of each kind, spread over its prices: the search tries every pair of processor and card.
_CHOICES = 24
_LEAST_RAM, _LEAST_SSD = 16, 240
_LEAST_WATTS, _WATTS_WITH_CARD = 350, 500


@dataclass(frozen=True, slots=True)
class Computer:
    """Parts in the order of `PARTS`, what they cost together, and the kinds that the catalogue lacks."""

    parts: tuple[Product, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """The sum of the prices in VND."""
        return sum(part.price for part in self.parts)


def build(store: ProductStore, budget: int | None, use: str) -> Computer:
    """The best computer within `budget`, else the cheapest there is; `missing` where there is none at all.

    For games and graphics most of the money goes into the card, then the processor; else there is no card when the
    processor draws pictures itself. Raises StoreError.
    """
    stock = {kind: _stock(store, kind) for kind in PARTS}
    card = use in {"gaming", "graphics"}
    needed = [kind for kind in PARTS if kind != "vga" or card]
    missing = tuple(kind for kind in needed if not stock[kind])
    if missing:
        return Computer(missing=missing)
    made = _computers(stock, card=card)
    if not made:
        return Computer(missing=("mainboard", "ram"))
    fitting = [computer for computer in made if budget is None or computer.total <= budget]
    if budget is None or not fitting:
        return min(made, key=lambda computer: computer.total)
    return max(fitting, key=_worth)


def _computers(stock: dict[str, list[Product]], *, card: bool) -> list[Computer]:
    """Every processor with every card, and the cheapest other parts that fit."""
    case = stock["case"][0]
    ssd = next((s for s in stock["ssd"] if _gigabytes(s) >= _LEAST_SSD), None)
    cards: list[Product | None] = [*stock["vga"]] if card else [None]
    power = [(vga, _power(vga, stock["psu"])) for vga in cards]
    made = []
    for cpu in stock["cpu"]:
        pair = _board_and_memory(cpu, stock)
        if ssd is None or pair is None or not (card or _draws(cpu)):
            continue
        for vga, psu in power:
            if psu is not None:
                parts = (cpu, *pair, vga, ssd, psu, case)
                made.append(Computer(tuple(part for part in parts if part is not None)))
    return made


def _stock(store: ProductStore, kind: str) -> list[Product]:
    found = store.search(Query(kinds=(kind,), stocked=True, order="cheapest", count=2_000))
    products = [item.product for item in found]
    step = max(1, len(products) // _CHOICES)
    return products[::step]


def _worth(computer: Computer) -> tuple[int, int]:
    """Money in the card counts most, then in the processor; a dear processor beside a weak card counts little."""
    by_kind = {part.kind: part.price for part in computer.parts}
    card, cpu = by_kind.get("vga", 0), by_kind["cpu"]
    return card * 2 + min(cpu, card or cpu) * 2, -computer.total


def _board_and_memory(cpu: Product, stock: dict[str, list[Product]]) -> tuple[Product, Product] | None:
    """The cheapest board for the processor with the cheapest memory for the board."""
    pairs = [
        (board, ram)
        for board in stock["mainboard"]
        if _fits(cpu, board)
        for ram in [next((r for r in stock["ram"] if _fits_memory(board, r)), None)]
        if ram is not None
    ]
    return min(pairs, key=lambda pair: pair[0].price + pair[1].price, default=None)


def _power(vga: Product | None, supplies: list[Product]) -> Product | None:
    watts = max(_WATTS_WITH_CARD, _watts(vga)) if vga is not None else _LEAST_WATTS
    return next((supply for supply in supplies if _watts(supply) >= watts), None)


def _text(product: Product) -> str:
    return fold(f"{product.name} {product.specs}")


@lru_cache(maxsize=4_000)
def _marks(expression: re.Pattern[str], product: Product) -> frozenset[str]:
    return frozenset(mark.replace(" ", "") for mark in expression.findall(_text(product)))


def _fits(cpu: Product, board: Product) -> bool:
    sockets = _marks(_SOCKET, cpu)
    memory = _marks(_MEMORY, cpu)
    return bool(sockets & _marks(_SOCKET, board)) and (not memory or bool(memory & _marks(_MEMORY, board)))


def _fits_memory(board: Product, ram: Product) -> bool:
    return _gigabytes(ram) >= _LEAST_RAM and bool(_marks(_MEMORY, board) & _marks(_MEMORY, ram))


def _draws(cpu: Product) -> bool:
    """Whether a processor has graphics of its own: Intel without F, AMD with G or of the socket AM5."""
    name = fold(cpu.name)
    if "intel" in name:
        return not re.search(r"\d{4,5}k?f\b", name)
    return bool(re.search(r"\d{4}g\b", name)) or ("am5" in _text(cpu) and not re.search(r"\d{4}f\b", name))


def _gigabytes(product: Product) -> int:
    sizes = [int(n) * (1024 if unit == "tb" else 1) for n, unit in _SIZE.findall(_text(product))]
    return max(sizes, default=0)


def _watts(product: Product | None) -> int:
    return max((int(n) for n in _WATTS.findall(_text(product))), default=0) if product else 0
