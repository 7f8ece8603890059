"""The sample data: made by the seeded script, loaded once, never mixed with the shop's own, gone when it is not wanted."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.modes import shopping_generator as script
from tests.support.modes.made import registry_of
from tests.support.modes.shopping import Shop
from tests.support.modes.warranty_files import HEADER, load, rows, write
from tests.support.stores.services import services_at
from troly.errors import InputError
from troly.plugin.contract import IngestRequest
from troly.plugin.samples import load_once, remove
from troly.plugin.services import Services
from troly.retrieval.documents.ingest import ingest_paths
from troly_shopping import MODE
from troly_shopping.products.load import ingest_products as load_products
from troly_shopping.products.store import ProductStore
from troly_shopping.warranty.store import WarrantyStore


@pytest.fixture
def services(own_home: Path) -> Iterator[Services]:
    with services_at(own_home, registry_of(shopping=MODE)) as opened:
        yield opened


def test_the_shipped_lists_are_what_the_script_makes() -> None:
    assert (script.DATA / "products.csv").read_bytes() == script.products_csv().encode()
    assert (script.DATA / "warranty.csv").read_bytes() == script.warranty_csv().encode()


def test_the_shipped_lists_are_of_the_promised_size() -> None:
    with (script.DATA / "products.csv").open(encoding="utf-8", newline="") as file:
        goods = list(csv.DictReader(file))
    assert len(goods) >= 200
    assert len({good["name"] for good in goods}) == len(goods)
    lines = (script.DATA / "warranty.csv").read_text("utf-8").splitlines()
    assert lines[1:3] == ["ABC123,Laptop Dell,2024-12-31", "XYZ789,Mouse Logitech,30/06/2025"]
    assert len(lines) > 5_000
    assert sum(path.stat().st_size for path in script.DATA.rglob("*") if path.is_file()) < 10_000_000


async def test_a_fresh_desk_answers_from_the_samples(services: Services) -> None:
    load_once(services, [MODE], "vi")
    shop = Shop(services, registry_of(shopping=MODE))
    assert "Laptop Dell" in (await shop.ask("bảo hành ABC123")).answer
    assert "VND" in (await shop.ask("laptop dưới 20 triệu")).answer
    assert "7 ngày" in (await shop.ask("Chính sách đổi trả như thế nào?")).answer
    assert "15:00" in (await shop.ask("what is your delivery policy", language="en")).answer


def test_they_are_marked_where_the_holdings_are_told(services: Services) -> None:
    load_once(services, [MODE], "vi")
    holdings = MODE.data_status(services, "vi")
    assert holdings is not None
    assert holdings.line.count("(mẫu)") == 2


def test_they_come_once_and_do_not_come_back(services: Services) -> None:
    load_once(services, [MODE], "vi")
    told = remove(services, MODE, "vi")
    assert len(told) == 3
    assert MODE.samples is not None
    assert not MODE.samples.loaded(services)
    load_once(services, [MODE], "vi")
    assert not MODE.samples.loaded(services)
    assert rows(services) == []
    assert MODE.samples.remove(services, "en") == ("There is no sample data.",)


def test_the_shops_own_lists_stay_and_are_not_mixed(services: Services, tmp_path: Path) -> None:
    load(services, write(tmp_path, f"{HEADER}OWN1,Laptop,2027-01-01\n"))
    load_once(services, [MODE], "vi")
    assert [row[0] for row in rows(services)] == ["OWN1"]
    assert ProductStore(services.datasets).loaded() is not None
    remove(services, MODE, "vi")
    assert [row[0] for row in rows(services)] == ["OWN1"]


def test_a_real_list_takes_the_place_of_the_samples(services: Services, tmp_path: Path) -> None:
    load_once(services, [MODE], "vi")
    outcome = load(services, write(tmp_path, f"{HEADER}OWN1,Laptop,2027-01-01\n"))
    assert "sample data" in outcome.summary
    assert outcome.counts["total"] == 1
    assert WarrantyStore(services.datasets).find("ABC123") is None
    catalogue = write(tmp_path, "name,price\nLaptop A,12.000.000\n", "goods.csv")
    goods = load_products(IngestRequest(services, catalogue, services.clock(), "en"))
    assert "sample data" in goods.summary
    loaded = ProductStore(services.datasets).loaded()
    assert loaded is not None
    assert (loaded.rows, loaded.samples) == (1, False)
    again = load(services, write(tmp_path, f"{HEADER}OWN2,Laptop,2027-01-01\n"))
    assert (again.counts["total"], "sample data" in again.summary) == (2, False)


def test_a_dry_run_leaves_the_samples(services: Services, tmp_path: Path) -> None:
    load_once(services, [MODE], "vi")
    load(services, write(tmp_path, f"{HEADER}OWN1,Laptop,2027-01-01\n"), dry_run=True)
    assert WarrantyStore(services.datasets).find("ABC123") is not None


def test_a_failed_load_leaves_the_samples(services: Services, tmp_path: Path) -> None:
    load_once(services, [MODE], "vi")
    with pytest.raises(InputError, match="No usable row"):
        load(services, write(tmp_path, f"{HEADER}bad,Laptop,2027-01-01\n"))
    assert WarrantyStore(services.datasets).find("ABC123") is not None


async def test_pages_of_ones_own_take_the_place_of_the_samples(services: Services, tmp_path: Path) -> None:
    load_once(services, [MODE], "vi")
    collection = services.settings.chroma.collection
    page = tmp_path / "doi-tra.md"
    page.write_text("# Đổi trả\n\nChính sách đổi trả hàng: trong 40 ngày.\n", encoding="utf-8")
    first = await ingest_paths(services.knowledge, [page], collection=collection)
    assert len(first.samples) >= 3
    assert [one.path for one in services.knowledge.list_documents(collection)] == [str(page)]
    answer = (await Shop(services, registry_of(shopping=MODE)).ask("chính sách đổi trả thế nào")).answer
    assert "40 ngày" in answer
    assert "3 ngày nếu" not in answer
    again = await ingest_paths(services.knowledge, [page], collection=collection)
    assert (again.samples, len(again.unchanged)) == ((), 1)


async def test_nothing_of_ones_own_leaves_the_sample_pages(services: Services, tmp_path: Path) -> None:
    load_once(services, [MODE], "vi")
    collection = services.settings.chroma.collection
    before = services.knowledge.list_documents(collection)
    report = await ingest_paths(services.knowledge, [tmp_path / "none.md"], collection=collection)
    assert (len(report.failed), report.samples) == (1, ())
    assert services.knowledge.list_documents(collection) == before
