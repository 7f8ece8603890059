"""The same queries over really published sheets: views in a locked-down database, several threads, two owners."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.modes.analysis_sheets import ORDER_ROWS, ORDERS, PRODUCT_ROWS, PRODUCTS, SQL, Columns, Rows
from tests.support.stores.services import services_at
from troly.errors import InputError
from troly.plugin.services import Services
from troly_analysis.query.service import DataQueryService
from troly_analysis.sheets.metrics import MIGRATION
from troly_analysis.sheets.records import dataset_of, id_of, info_of, key_of
from troly_analysis.sheets.store import SheetStore
from troly_analysis.types import Field, Sheet


def publish(services: Services, owner: str, name: str, columns: Columns, rows: Rows) -> None:
    """A sheet as an import publishes it."""
    table = key_of(name)
    fields = tuple(Field(each, kind, unit="VND" if kind == "money" else "") for each, kind in columns.items())
    sheet = Sheet(
        id=id_of(owner, name), owner=owner, name=name, table=table, fields=fields, rows=len(rows),
        imported_at=datetime.now(UTC), date_field=next((each.name for each in fields if each.kind == "date"), ""),
    )  # fmt: skip
    with services.datasets.build(dataset_of(owner, name)) as build:
        with duckdb.connect(str(build.path)) as making:
            written = ", ".join(f'"{each}" {SQL[kind]}' for each, kind in columns.items())
            making.execute(f'create table "{table}" ({written})')
            making.executemany(f'insert into "{table}" values ({", ".join("?" * len(columns))})', rows)
        build.publish(info_of(sheet))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SheetStore]:
    with services_at(tmp_path / "home") as services:
        services.state.migrate([MIGRATION])
        publish(services, "lan", "Đơn hàng", ORDERS, ORDER_ROWS)
        publish(services, "lan", "Sản phẩm", PRODUCTS, PRODUCT_ROWS)
        publish(services, "minh", "Đơn bí mật", ORDERS, ORDER_ROWS[:1])
        found = SheetStore(services)
        yield found
        found.close()


def test_tools_and_pipelines_over_published_sheets(store: SheetStore) -> None:
    service = DataQueryService(store, "lan")
    assert service.aggregate("don hang", "sum", field="doanh thu").result.value == 4_084_567.5
    top = service.top_items("Đơn hàng", "count", group_by="Sản phẩm", limit=1).result
    assert top.rows == (("Áo thun", 3),)
    stages: list[dict[str, Any]] = [
        {"$sort": {"Doanh thu": -1}},
        {"$lookup": {"from": "san pham", "localField": "Sản phẩm", "foreignField": "Tên", "as": "sp"}},
        {"$unwind": "$sp"},
        {"$group": {"_id": "$sp.Loại", "đơn": {"$push": "$Mã đơn"}, "đầu": {"$first": "$Mã đơn"}}},
    ]
    rows = service.execute_pipeline("Đơn hàng", stages).result.rows
    assert rows[-1] == ("Áo", ["D06", "D04", "D01"], "D06")
    metric = store.set_metric("lan", "Đơn hàng", "doanh thu thuần = sum(Doanh thu) where Đã giao = true")
    assert service.aggregate("Đơn hàng", "sum", field=metric.name).result.value == 1_200_000


def test_the_file_s_order_is_kept_where_nothing_else_orders(store: SheetStore) -> None:
    service = DataQueryService(store, "lan")
    several: list[list[dict[str, Any]]] = [
        [],
        [{"$match": {}}],
        [{"$limit": 8}],
        [{"$match": {}}, {"$limit": 8}, {"$project": {"Mã đơn": 1}}],
    ]
    for stages in several:
        rows = service.execute_pipeline("Đơn hàng", stages).result.rows
        assert [row[0] for row in rows] == [row[0] for row in ORDER_ROWS]


def test_nothing_of_another_owner_is_there(store: SheetStore) -> None:
    service = DataQueryService(store, "lan")
    assert [sheet.name for sheet in service.get_user_connections()] == ["Đơn hàng", "Sản phẩm"]
    for name in ("Đơn bí mật", "don_bi_mat", id_of("minh", "Đơn bí mật"), "sheet_0.main.don_bi_mat"):
        with pytest.raises(InputError):
            service.aggregate(name, "count")
        with pytest.raises(InputError):
            service.execute_pipeline("Đơn hàng", [{"$lookup": {"from": name, "pipeline": [], "as": "x"}}])


def test_rows_that_tie_are_listed_by_their_other_columns(tmp_path: Path) -> None:
    rows: Rows = [(f"D{nth * 37 % 1000:03}", 5) for nth in range(1000)]
    with services_at(tmp_path / "home") as services:
        services.state.migrate([MIGRATION])
        publish(services, "lan", "Phiếu", {"Mã": "text", "Tiền": "integer"}, rows)
        found = SheetStore(services)
        top = DataQueryService(found, "lan").top_items("Phiếu", "Tiền", limit=3).result
        found.close()
    assert [row[0] for row in top.rows] == ["D000", "D001", "D002"]
