"""Sheets of several users in one DuckDB in memory, built from Python rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import Any
from weakref import finalize

import duckdb

from troly.errors import InputError
from troly_analysis.query.fields import same_name
from troly_analysis.types import Field, Kind, Metric, Sheet

SQL: Mapping[str, str] = {
    "integer": "BIGINT", "number": "DOUBLE", "money": "DOUBLE", "percent": "DOUBLE", "date": "DATE",
    "datetime": "TIMESTAMP", "text": "VARCHAR", "boolean": "BOOLEAN", "list": "VARCHAR[]",
}  # fmt: skip
Columns = Mapping[str, Kind]
Rows = Sequence[Sequence[Any]]
_EMPTY: list[duckdb.DuckDBPyConnection] = []


def _empty(sheets: Mapping[str, Sequence[Sheet]], databases: Mapping[str, duckdb.DuckDBPyConnection]) -> None:
    for owner, database in databases.items():
        for sheet in sheets[owner]:
            database.execute(f'drop table "{sheet.table}"')
        _EMPTY.append(database)


class MemorySheets:
    """Keeps each owner's sheets in a database of their own, so that a query can reach no other's."""

    def __init__(self) -> None:
        self._sheets: dict[str, list[Sheet]] = {}
        self._databases: dict[str, duckdb.DuckDBPyConnection] = {}

        # An emptied database is used again: opening one takes longer than most of what is asked of it.
        finalize(self, _empty, self._sheets, self._databases).atexit = False

    def add(
        self, owner: str, name: str, columns: Columns, rows: Rows, metrics: Sequence[Metric] = ()
    ) -> Sheet:
        """A new sheet with these typed columns."""
        mine = self._sheets.setdefault(owner, [])
        database = self._database(owner)
        table = f"{owner}_{len(mine)}"
        written = ", ".join(
            '"{}" {}'.format(each.replace('"', '""'), SQL[kind]) for each, kind in columns.items()
        )
        database.execute(f'create table "{table}" ({written})')
        if rows:  # one statement for all: one a row takes ten times as long
            row = f"({', '.join(f'?::{SQL[kind]}' for kind in columns.values())})"
            cells = [cell for each in rows for cell in each]
            database.execute(f'insert into "{table}" values {", ".join([row] * len(rows))}', cells)
        fields = tuple(
            Field(each, kind, unit="VND" if kind == "money" else "") for each, kind in columns.items()
        )
        dates = [at for at, kind in enumerate(columns.values()) if kind in ("date", "datetime")]
        days = sorted(_day(row[dates[0]]) for row in rows if row[dates[0]] is not None) if dates else []
        sheet = Sheet(
            id=f"id-{table}", owner=owner, name=name, table=table, fields=fields, rows=len(rows),
            imported_at=datetime(2024, 1, 1, tzinfo=UTC), metrics=tuple(metrics),
            date_field=list(columns)[dates[0]] if dates else "", span=(days[0], days[-1]) if days else None,
        )  # fmt: skip
        mine.append(sheet)
        return sheet

    def sheets(self, owner: str) -> tuple[Sheet, ...]:
        return tuple(self._sheets.get(owner, ()))

    def sheet(self, owner: str, name: str) -> Sheet:
        found = same_name(name, self.sheets(owner))
        if found is None:
            raise InputError("sheets.unknown", name=name, near="")
        return found

    @contextmanager
    def connect(self, owner: str) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._database(owner).cursor() as cursor:
            yield cursor

    def _database(self, owner: str) -> duckdb.DuckDBPyConnection:
        if owner not in self._databases:
            self._databases[owner] = (
                _EMPTY.pop() if _EMPTY else duckdb.connect(":memory:", config={"threads": "1"})
            )
        return self._databases[owner]


def _day(value: date) -> date:
    return value.date() if isinstance(value, datetime) else value


at = datetime.fromisoformat
ORDERS: Columns = {
    "Mã đơn": "text", "Ngày đặt": "date", "Nền tảng": "text", "Sản phẩm": "text", "Số lượng": "integer",
    "Doanh thu": "money", "Giao lúc": "datetime", "Đã giao": "boolean", "Nhãn": "list", "Ghi chú": "text",
}  # fmt: skip
ORDER_ROWS: Rows = [
    ("D01", date(2024, 1, 5), "Shopee", "Áo thun", 2, 300_000.0, at("2024-01-06 09:30:00"), True, ["mới", "hè"], None),
    ("D02", date(2024, 1, 20), "Lazada", "Quần jean", 1, 450_000.0, at("2024-01-22 14:00:00"), True, [], "gấp"),
    ("D03", date(2024, 1, 31), "Shopee", "Giày sneaker", 1, 900_000.0, None, False, ["mới"], "  "),
    ("D04", date(2024, 2, 1), "TikTok Shop", "Áo thun", 3, 450_000.0, at("2024-02-03 23:59:59"), True, None, None),
    ("D05", date(2024, 2, 14), "Shopee", "Quần jean", None, None, None, None, ["hè", "hè", "sale"], "khách quen"),
    ("D06", date(2024, 2, 29), "shopee", "Áo thun", 5, 750_000.0, at("2024-03-01 00:00:00"), False, ["sale"], "O'Hara"),
    ("D07", date(2024, 12, 30), None, "Mũ len", 0, 0.0, at("2024-12-31 12:00:00"), True, None, "100%"),
    ("D08", None, "Lazada", None, 4, 1_234_567.5, None, False, ["mới"], None),
]  # fmt: skip
PRODUCTS: Columns = {"Tên": "text", "Loại": "text", "Giá": "money", "Tồn": "integer"}
PRODUCT_ROWS: Rows = [
    ("Áo thun", "Áo", 150_000.0, 10),
    ("Quần jean", "Quần", 450_000.0, 0),
    ("Giày sneaker", "Giày", 900_000.0, None),
    ("Nón lá", "Phụ kiện", 50_000.0, 7),
    (None, "Khác", None, 1),
]


def shop() -> MemorySheets:
    """Lan has orders and products, Minh has orders of his own that nobody else may see."""
    found = MemorySheets()
    net = Metric(
        "Doanh thu thuần", "sum", "Doanh thu", {"Đã giao": True}, "sum(Doanh thu) where Đã giao = true"
    )
    found.add("lan", "Đơn hàng", ORDERS, ORDER_ROWS, [net])
    found.add("lan", "Sản phẩm", PRODUCTS, PRODUCT_ROWS)
    found.add(
        "minh",
        "Đơn bí mật",
        ORDERS,
        [("BÍ MẬT", date(2024, 1, 1), "Kín", "Kín", 99, 99.0, None, True, ["kín"], "kín")],
    )
    return found
