"""Puts a computer together from the catalogue within a budget: parts that fit each other, or the honest contrary."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from troly.text.fold import fold
from troly_shopping.products.store import PARTS, Product, ProductStore

_SOCKET = re.compile(r"lga ?\d{3,4}|am[345](?!\d)")
_MEMORY = re.compile(r"ddr ?[345]")
_SIZE = re.compile(r"(\d+) ?(gb|tb)")
_WATTS = re.compile(r"(\d{3,4}) ?w(?!\w)")
# Parts looked at of each kind, spread over its prices: the search tries every pair of processor and card.
_CHOICES = 24
_LEAST_RAM, _LEAST_SSD = 16, 240
_LEAST_WATTS, _WATTS_WITH_CARD = 350, 500


@dataclass(frozen=True, slots=True)
class PcBuild:
    """Parts in the order of `PARTS`, what they cost together, and the kinds that the catalogue lacks.

    `unmet` are the wishes that no part meets, as typed.
    """

    parts: tuple[Product, ...] = ()
    missing: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """The sum of the prices in VND."""
        return sum(part.price for part in self.parts)


@dataclass(frozen=True, slots=True)
class _Part:
    """A product, and what decides whether it fits the others, read once."""

    product: Product
    sockets: frozenset[str]
    memory: frozenset[str]
    gigabytes: int
    watts: int
    draws: bool

    @property
    def price(self) -> int:
        return self.product.price


_Stock = Mapping[str, Sequence[_Part]]


Wish = tuple[str, Callable[[Product], bool]]


def build_pc(
    store: ProductStore, budget: int | None, use: str, wishes: Sequence[Wish] = (), kinds: Sequence[str] = ()
) -> PcBuild:
    """The best computer within `budget`, else the cheapest there is; `missing` where there is none at all.

    For games and graphics most of the money goes into the card, then the processor; else there is no card when the
    processor draws pictures itself. Each of the `wishes` (as typed, and what it asks of a part) holds for all parts of
    a kind where it can: of the `kinds` named, else of any. Raises StoreError.
    """
    stock = {kind: [_part(one) for one in found] for kind, found in store.spread(PARTS, _CHOICES).items()}
    unmet = []
    for said, holds in wishes:
        meeting = {kind: [one for one in stock[kind] if holds(one.product)] for kind in kinds or PARTS}
        stock |= {kind: found for kind, found in meeting.items() if found}
        unmet += [] if any(meeting.values()) else [said]
    card = use in {"gaming", "graphics"}
    needed = [kind for kind in PARTS if kind != "vga" or card]
    missing = tuple(kind for kind in needed if not stock[kind])
    if missing:
        return PcBuild(missing=missing)
    made = _computers(stock, card=card)
    if not made:
        return PcBuild(missing=("mainboard", "ram"))
    fitting = [parts for parts in made if budget is None or _total(parts) <= budget]
    best = max(fitting, key=_worth) if budget is not None and fitting else min(made, key=_total)
    return PcBuild(tuple(part.product for part in best), unmet=tuple(unmet))


def _computers(stock: _Stock, *, card: bool) -> list[tuple[_Part, ...]]:
    """Every processor with every card, and the cheapest other parts that fit."""
    case = stock["case"][0]
    ssd = next((one for one in stock["ssd"] if one.gigabytes >= _LEAST_SSD), None)
    cards: list[_Part | None] = [*stock["vga"]] if card else [None]
    power = [(vga, _power(vga, stock["psu"])) for vga in cards]
    boards = _boards(stock)
    made = []
    for cpu in stock["cpu"]:
        pair = _board_and_memory(cpu, boards)
        if ssd is None or pair is None or not (card or cpu.draws):
            continue
        for vga, psu in power:
            if psu is not None:
                parts = (cpu, *pair, vga, ssd, psu, case)
                made.append(tuple(part for part in parts if part is not None))
    return made


def _total(parts: Sequence[_Part]) -> int:
    return sum(part.price for part in parts)


def _worth(parts: Sequence[_Part]) -> tuple[int, int]:
    """Money in the card counts most, then in the processor; a dear processor beside a weak card counts little."""
    by_kind = {part.product.kind: part.price for part in parts}
    card, cpu = by_kind.get("vga", 0), by_kind["cpu"]
    return card * 2 + min(cpu, card or cpu) * 2, -_total(parts)


def _boards(stock: _Stock) -> list[tuple[_Part, _Part]]:
    """Every board with the cheapest memory for it, cheapest first."""
    enough = [ram for ram in stock["ram"] if ram.gigabytes >= _LEAST_RAM]
    pairs = [
        (board, ram)
        for board in stock["mainboard"]
        for ram in [next((one for one in enough if one.memory & board.memory), None)]
        if ram is not None
    ]
    return sorted(pairs, key=_total)


def _board_and_memory(cpu: _Part, boards: Sequence[tuple[_Part, _Part]]) -> tuple[_Part, _Part] | None:
    """The cheapest pair that fits the processor."""
    return next((pair for pair in boards if _fits(cpu, pair[0])), None)


def _fits(cpu: _Part, board: _Part) -> bool:
    return bool(cpu.sockets & board.sockets) and (not cpu.memory or bool(cpu.memory & board.memory))


def go_together(one: Product, other: Product) -> bool | None:
    """Whether two parts fit by socket, kind of memory and watts; None where the catalogue says too little of both."""
    by_kind = {part.product.kind: part for part in (_part(one), _part(other))}
    if by_kind.keys() == {"vga", "psu"}:
        card, supply = by_kind["vga"].watts, by_kind["psu"].watts
        return card <= supply if card and supply else None
    if len(by_kind) < 2 or not by_kind.keys() <= {"cpu", "mainboard", "ram"}:
        return None
    first, second = by_kind.values()
    marks = [(first.memory, second.memory)]
    marks += [] if "ram" in by_kind else [(first.sockets, second.sockets)]
    if any(not (mine and theirs) for mine, theirs in marks):
        return None
    return all(mine & theirs for mine, theirs in marks)


def _power(vga: _Part | None, supplies: Sequence[_Part]) -> _Part | None:
    watts = max(_WATTS_WITH_CARD, vga.watts) if vga is not None else _LEAST_WATTS
    return next((supply for supply in supplies if supply.watts >= watts), None)


def _part(product: Product) -> _Part:
    text = fold(f"{product.name} {product.specs}")
    sizes = [int(n) * (1024 if unit == "tb" else 1) for n, unit in _SIZE.findall(text)]
    return _Part(
        product,
        sockets=_marks(_SOCKET, text),
        memory=_marks(_MEMORY, text),
        gigabytes=max(sizes, default=0),
        watts=max((int(n) for n in _WATTS.findall(text)), default=0),
        draws=_draws(fold(product.name), text),
    )


def _marks(expression: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(mark.replace(" ", "") for mark in expression.findall(text))


def _draws(name: str, text: str) -> bool:
    """Whether a processor has graphics of its own: Intel without F, AMD with G or of the socket AM5."""
    if "intel" in name:
        return not re.search(r"\d{4,5}k?f\b", name)
    return bool(re.search(r"\d{4}g\b", name)) or ("am5" in text and not re.search(r"\d{4}f\b", name))
