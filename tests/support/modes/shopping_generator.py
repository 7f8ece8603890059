"""Makes the sample lists in `data/` from a seed: `python -m tests.support.modes.shopping_generator` writes them anew."""

from __future__ import annotations

import csv
import io
import random
import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from troly.text.fold import folded_words
from troly.text.wordlist import section_name

DATA = Path(__file__).parents[3] / "data"
GOODS = Path(__file__).parent / "sample_goods.txt"
FIRST = Path(__file__).parent / "first_warranties.csv"
SEED = 2026
WARRANTIES = 5_000
SHOP = "https://sstc.example/san-pham"
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_FROM, _DAYS = date(2024, 6, 1), 1_900


class Good(NamedTuple):
    """One product of the list of goods; `price` in VND."""

    name: str
    price: int
    specs: str
    brand: str
    category: str


def goods() -> Iterator[Good]:
    """Every product of `sample_goods.txt`, alternatives spelled out."""
    category = ""
    for number, line in enumerate(GOODS.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        if header := section_name(line, number):
            category = header
            continue
        brand, name, price, specs = (part.strip() for part in line.split(";"))
        for said, more in _alternatives(name):
            whole = re.sub(r"\{.*\}", said, name)
            told = specs.replace("{}", said).replace(" | ", "; ")
            yield Good(whole, (int(price) + more) * 1_000, told, brand, category)


def _alternatives(name: str) -> list[tuple[str, int]]:
    """What stands in braces, and the price that each adds."""
    braces = re.search(r"\{(.*)\}", name)
    if not braces:
        return [("", 0)]
    found = []
    for part in braces[1].split(","):
        match = re.fullmatch(r"(.*?)([+-]\d{2,})?", part)
        assert match
        found.append((match[1], int(match[2] or 0)))
    return found


def products_csv() -> str:
    """The catalogue: name, price, stock, specs, url, brand, category."""
    pick = random.Random(SEED)
    rows = []
    for good in goods():
        stock = pick.choice((0, 2, 3, 5, 8, 12, 15, 20, 30))
        url = f"{SHOP}/{'-'.join(folded_words(good.name))}"
        rows.append((good.name, good.price, stock, good.specs, url, good.brand, good.category))
    return _csv(("name", "price", "stock", "specs", "url", "brand", "category"), rows)


def warranty_csv() -> str:
    """The warranty list: the documents' rows and some by hand first, then sold products with made-up serials."""
    pick = random.Random(SEED)
    names = [good.name for good in goods()]
    first = FIRST.read_text(encoding="utf-8")
    rows: dict[str, tuple[str, str, str]] = {}
    while len(rows) < WARRANTIES - len(first.splitlines()) + 1:
        serial = _serial(pick)
        day = _FROM + timedelta(days=pick.randrange(_DAYS))
        end = day.isoformat() if pick.random() < 0.5 else f"{day:%d/%m/%Y}"
        rows.setdefault(serial, (serial, pick.choice(names), end))
    return first + _csv(None, list(rows.values()))


def _serial(pick: random.Random) -> str:
    """Ten to fourteen characters in one of the shapes that makers use."""
    pattern = pick.choice(("AA99A9AA9999", "9AA9999AAA9", "AA-9999-99999", "A9A9AAA99999", "AAA99-9999-999"))
    return "".join(
        pick.choice(_LETTERS) if sign == "A" else str(pick.randrange(10)) if sign == "9" else sign
        for sign in pattern
    )


def _csv(header: tuple[str, ...] | None, rows: Sequence[tuple[object, ...]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    if header:
        writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def main() -> None:
    """Write the lists."""
    (DATA / "products.csv").write_text(products_csv(), encoding="utf-8", newline="\n")
    (DATA / "warranty.csv").write_text(warranty_csv(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
