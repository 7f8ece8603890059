"""Every row of the sample catalogue: true sentences of each form pass, the same with one figure or version swapped do not."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest

from troly_shopping.reply.claim_check import ClaimCheck, are_versions

DATA = Path(__file__).parents[4] / "data"
with (DATA / "products.csv").open(encoding="utf-8", newline="") as file:
    GOODS = {row["name"]: row for row in csv.DictReader(file)}


def price(row: Mapping[str, str]) -> str:
    return f"{int(row['price']):,} VND".replace(",", ".")


def stock(row: Mapping[str, str]) -> str:
    return f"còn {row['stock']} chiếc" if row["stock"] != "0" else "tạm hết hàng"


def term(row: Mapping[str, str]) -> str:
    return row["specs"].rpartition("Bảo hành: ")[2]


@cache
def desk() -> ClaimCheck:
    pages = [page.read_text("utf-8") for page in sorted((DATA / "knowledge").glob("*.md"))]
    rows = {
        name: f"{name} | {price(row)} | {stock(row).removesuffix(' chiếc')} | {row['specs']}"
        for name, row in GOODS.items()
    }
    return ClaimCheck(pages, sorted({row["brand"] for row in GOODS.values()}), (), rows)


def own_words(name: str, other: str) -> str:
    """What one version's name has that the other's has not."""
    words, others = (one.replace(" inch", "inch").split() for one in (name, other))
    return " ".join(word for word in words if word not in others)


def versions() -> Iterator[tuple[str, str, str, str]]:
    """Two goods that are versions of each other, and what each is called in short; both called by one word or size."""
    for one, other in permutations(GOODS, 2):
        short = own_words(one, other), own_words(other, one)
        if are_versions(one, other) and all(short):
            yield one, other, *short


VERSIONS = [*versions()]
CALLED = ("bản {}", "con {}", "loại {}", "mẫu {}")
FACTS = {"price": (price, "giá {}"), "stock": (stock, "{}"), "term": (term, "bảo hành {}")}


@pytest.mark.parametrize("fact", FACTS)
@pytest.mark.parametrize("form", [0, 1, 2, 3])
def test_a_short_name_means_the_version_of_that_name(fact: str, form: int) -> None:
    """In the sentence of the whole name and in the one after it; with the other's fact it is caught."""
    value, phrase = FACTS[fact]
    for at, (one, other, *short) in enumerate(VERSIONS[form::4]):
        a, b = (CALLED[(at + form) % len(CALLED)].format(name) for name in short)
        told = [phrase.format(value(GOODS[name])) for name in (one, other)]
        named = f"Dạ hai bản chỉ khác nhau vậy thôi ạ: {one} và {other}. "
        text, before = (
            (f"{a.capitalize()} {{}}, {b} {{}} ạ.", named),
            (f"Hiện tại {a} {{}}, còn {b} {{}} ạ.", f"{one} ạ. "),
            (f"{one} {{}}, {b} {{}} ạ.", ""),
            (f"{one} {{}}, còn {b} thì {{}} ạ.", ""),
        )[form]
        assert desk().refused(text.format(*told), before) == [], text.format(*told)
        if told[0] != told[1]:
            assert desk().refused(text.format(*reversed(told)), before), text.format(*reversed(told))


STATED = (
    "{name} {fact} ạ.",
    "Dạ, {name} hiện {fact} cho khách thanh toán chuyển khoản.",
    "{name} {fact}, dùng rất bền ạ.",
    "Khách thanh toán ngay thì {name} {fact} ạ.",
)


@pytest.mark.parametrize("fact", FACTS)
@pytest.mark.parametrize("form", STATED)
def test_a_fact_of_another_row_is_caught_in_every_form(fact: str, form: str) -> None:
    value, phrase = FACTS[fact]
    rows = [*GOODS.values()]
    for at, row in enumerate(rows[STATED.index(form) :: 4]):
        other = rows[(at * 5 + 7) % len(rows)]
        name = row["name"]
        true, false = (phrase.format(value(one)) for one in (row, other))
        assert desk().refused(form.format(name=name, fact=true)) == [], form.format(name=name, fact=true)
        if true != false:
            assert desk().refused(form.format(name=name, fact=false)), form.format(name=name, fact=false)


DISCOUNTS = (
    "đang được giảm giá 10%", "giảm thêm 10%", "được giảm 10% đến hết tháng", "đang giảm giá 10% khi thanh toán chuyển khoản",
    "mua kèm thanh RAM được giảm 10%", "dùng mã thì giảm 10%", "được giảm 10% nếu thanh toán bằng thẻ",
)  # fmt: skip


@pytest.mark.parametrize("claim", DISCOUNTS)
def test_a_discount_is_one_whatever_stands_beside_it(claim: str) -> None:
    for name in [*GOODS][DISCOUNTS.index(claim) :: 7]:
        assert "10%" in desk().refused(f"{name} {claim} ạ."), name
        assert "10%" in desk().refused(f"Mẫu này {claim} ạ.", f"{name} ạ. "), name
        assert desk().refused(f"{name} chưa có thông tin {claim} ạ.") == [], name


PLAIN = ("Máy này {verb} RAM {size} ạ.", "Dạ máy này {verb} RAM {size} DDR, thanh toán sao cũng được ạ.")
OPEN = (
    "Máy này nâng cấp RAM tối đa {size} ạ.", "Nếu cần RAM {size} thì em tìm máy khác ạ.", "Quý khách lắp thêm thanh {size} ạ.",
    "Máy này không có RAM {size} ạ.", "Bản {size} của máy này em chưa thấy ạ.", "RAM {size} trở lên thì hợp hơn ạ.",
)  # fmt: skip


@pytest.mark.parametrize("verb", ["có", "dùng", "được trang bị", "đi kèm"])
def test_what_is_stated_is_held_against_the_row_and_what_is_left_open_is_not(verb: str) -> None:
    computers = [row for row in GOODS.values() if "RAM: " in row["specs"] and row["category"] == "Laptop"]
    for row in computers[len(verb) % 5 :: 5]:
        before = f"{row['name']} giá {price(row)} ạ. "
        for size in ("8GB", "16GB", "32GB", "64GB"):
            false = size not in f"{row['specs']} {row['name']}"
            for form in PLAIN:
                assert bool(desk().refused(form.format(verb=verb, size=size), before)) is false
            for form in OPEN:
                assert desk().refused(form.format(size=size), before) == [], (form, size, row["name"])
