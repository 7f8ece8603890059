"""Loading a product catalogue: what is taken, what is kept out with its line, all or nothing."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.modes.warranty_files import write
from tests.support.stores.services import services_at
from troly.errors import InputError, StoppedError
from troly.plugin.contract import IngestOutcome, IngestRequest
from troly.plugin.services import Services
from troly.text.numbers import format_money
from troly_shopping.products.load import ingest_products, read_price
from troly_shopping.products.store import Product, ProductStore, SearchCriteria

HEADER = "name,price,stock,specs,url,brand,category\n"


@pytest.fixture
def services(own_home: Path) -> Iterator[Services]:
    with services_at(own_home) as opened:
        yield opened


def load(services: Services, path: Path, **more: Any) -> IngestOutcome:
    return ingest_products(IngestRequest(services, path, services.clock(), "en", **more))


def stored(services: Services) -> list[Product]:
    return ProductStore(services.datasets).search(SearchCriteria(count=1_000))


def test_a_row_is_stored_as_it_is_meant(services: Services, tmp_path: Path) -> None:
    row = '"Chuột Logitech M331","350.000 đ",12,"DPI: 1000; Kết nối: USB",https://x.example/m331,Logitech,Chuột\n'
    outcome = load(services, write(tmp_path, HEADER + row))
    assert (outcome.published, outcome.counts["loaded"]) == (True, 1)
    [found] = stored(services)
    assert (found.name, found.price, found.stock, found.kind) == ("Chuột Logitech M331", 350_000, 12, "mouse")
    assert found.details() == {"DPI": "1000", "Kết nối": "USB"}
    assert found.url == "https://x.example/m331"


@pytest.mark.parametrize(
    "content",
    [
        "name,price\nLaptop A,12000000\n",
        "Tên sản phẩm;Giá bán\r\nLaptop A;12.000.000\r\n",
        "ghi chú\tPrice\tNAME\nx\t12tr\tLaptop A\n",
        '\n"name","price","specs"\n"Laptop A","12,000,000 VND","dòng một\ndòng hai"\n',
    ],
)
def test_the_same_product_in_every_dress(services: Services, tmp_path: Path, content: str) -> None:
    load(services, write(tmp_path, content))
    [found] = stored(services)
    assert (found.name, found.price, found.kind) == ("Laptop A", 12_000_000, "laptop")


def test_bad_rows_are_kept_out_with_line_and_reason(services: Services, tmp_path: Path) -> None:
    bad = [
        (",5000000,1,,,,", "name"),
        ("A,miễn phí,1,,,,", "price"),
        ("B,-5000000,1,,,,", "price"),
        ("C,$500,1,,,,", "price"),
        ("D,12,1,,,,", "price"),
        ("E,5000000,vài,,,,", "stock"),
        ("F,5000000,-1,,,,", "stock"),
        ("G,5000000,1,,javascript:alert(1),,", "http"),
        ("H,5000000", "columns"),
    ]
    content = HEADER + "Good,5000000,1,,,,\n" + "\n".join(line for line, _ in bad) + "\nGood 2,6000000,,,,,\n"
    errors = tmp_path / "errors.csv"
    outcome = load(services, write(tmp_path, content), errors=errors)
    assert {found.name for found in stored(services)} == {"Good", "Good 2"}
    assert outcome.counts["rejected"] == len(bad)
    with errors.open(encoding="utf-8", newline="") as file:
        told = list(csv.reader(file))[1:]
    assert [int(line) for line, _, _ in told] == list(range(3, 3 + len(bad)))
    for (raw, reason), (_, said, shown) in zip(bad, told, strict=True):
        assert reason in said
        assert shown == raw


def test_known_names_are_replaced_and_others_stay(services: Services, tmp_path: Path) -> None:
    load(services, write(tmp_path, HEADER + "Laptop A,5000000,1,,,,\nLaptop B,6000000,1,,,,\n"))
    outcome = load(services, write(tmp_path, HEADER + "LAPTOP  a,5500000,2,,,,\nLaptop C,7000000,1,,,,\n"))
    assert (outcome.counts["updated"], outcome.counts["total"]) == (1, 3)
    assert {found.name: found.price for found in stored(services)} == {
        "LAPTOP  a": 5_500_000, "Laptop B": 6_000_000, "Laptop C": 7_000_000,
    }  # fmt: skip
    load(services, write(tmp_path, HEADER + "Laptop D,8000000,1,,,,\n"), replace=True)
    assert [found.name for found in stored(services)] == ["Laptop D"]


def test_the_last_row_of_a_name_wins_and_both_lines_are_named(services: Services, tmp_path: Path) -> None:
    outcome = load(
        services, write(tmp_path, HEADER + "A1,5000000,1,,,,\nB,6000000,1,,,,\na1,7000000,1,,,,\n")
    )
    assert outcome.counts["duplicates"] == 1
    assert "Line 2" in outcome.problems[0]
    assert "line 4" in outcome.problems[0]
    assert {found.price for found in stored(services)} == {6_000_000, 7_000_000}


@pytest.mark.parametrize(
    ("content", "key"),
    [
        ("name\nLaptop\n", "csv.one_column"),
        ("name,cost\nLaptop,1\n", "csv.columns"),
        ("Laptop A,12000000,3\nLaptop B,13000000,4\n", "csv.no_header"),
        (HEADER, "products.no_rows"),
        (HEADER + "A,x,1,,,,\n", "products.no_rows"),
    ],
)
def test_a_file_that_is_no_catalogue_changes_nothing(
    services: Services, tmp_path: Path, content: str, key: str
) -> None:
    load(services, write(tmp_path, HEADER + "Laptop A,5000000,1,,,,\n"))
    with pytest.raises(InputError) as caught:
        load(services, write(tmp_path, content))
    assert caught.value.key == key
    assert len(stored(services)) == 1


def test_stopping_and_dry_runs_change_nothing(services: Services, tmp_path: Path) -> None:
    path = write(tmp_path, HEADER + "Laptop A,5000000,1,,,,\n")
    assert load(services, path, dry_run=True).counts["valid"] == 1
    with pytest.raises(StoppedError):
        load(services, path, cancelled=lambda: True)
    assert stored(services) == []


def test_hostile_text_is_stored_without_its_power(services: Services, tmp_path: Path) -> None:
    name = "Laptop \x1b]52;c;x\x07[/b] [@click=app.quit]A[/]"
    load(services, write(tmp_path, f'{HEADER}"{name}",5000000,1,"\x1b[31mignore the rules",,,\n'))
    [found] = stored(services)
    assert "\x1b" not in found.name + found.specs
    assert "[/b]" in found.name


@given(st.integers(1_000, 10**12), st.sampled_from(["vi", "en"]))
def test_a_price_is_read_back_as_it_is_shown(value: int, lang: Any) -> None:
    assert read_price(format_money(value, lang)) == value
    assert read_price(str(value)) == value


@given(st.text(max_size=20))
def test_any_cell_is_a_price_or_none(text: str) -> None:
    price = read_price(text)
    assert price is None or Decimal(1_000) <= price <= Decimal(10**12)
