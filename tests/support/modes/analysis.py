"""The data analyst on a data directory of its own: services, the mode alone in a registry, and a sheet of orders."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.modes.desk import Desk
from tests.support.modes.made import registry_of
from tests.support.modes.sheets import load_text
from tests.support.stores.prepared import prepared_services
from troly.plugin.services import Services
from troly_analysis import MODE
from troly_analysis.sheets.store import SheetStore

# One for all tests: its graph is built once a run.
_REGISTRY = registry_of(analysis=MODE)

# The clock of the session stands on Sunday 22/11/2026.
ORDERS = """Mã đơn,Ngày đặt,Sàn,Sản phẩm,Số lượng,Doanh thu,Trạng thái
D001,05/01/2024,Shopee,Áo thun,200,100.000.000,Hoàn thành
D002,20/01/2024,Lazada,Quần jean,150,50.000.000,Hoàn thành
D003,10/11/2026,Shopee,Áo thun,3,20.000.000,Hoàn thành
D004,11/11/2026,Lazada,Giày sneaker,1,30.000.000,Hoàn thành
D005,17/11/2026,TikTok,Áo thun,2,27.750.000,Hoàn thành
D006,20/11/2026,Shopee,Quần jean,1,30.000.000,Đã hủy
D007,02/10/2026,Shopee,Giày sneaker,4,8.000.000,Hoàn thành
D008,03/10/2026,Website,Mũ len,5,1.500.000,Hoàn thành
"""


class Analyst(Desk):
    """One person with sheets."""

    mode = MODE


@contextmanager
def analyst_at(
    home: Path, *texts: str, names: tuple[str, ...] = ("Đơn hàng",), **env: str
) -> Iterator[Analyst]:
    """An analyst under `home` with the orders above, or these CSV texts under these names; "" for no sheet at all."""
    sheets = [(name, text) for name, text in zip(names, texts or (ORDERS,), strict=True) if text]

    def fill(services: Services) -> None:
        for name, text in sheets:
            load_text(services, text, name)
        SheetStore(services).close()

    content = ("analyst", *(part for sheet in sheets for part in sheet))
    with prepared_services(home, _REGISTRY, content, fill, **env) as services:
        try:
            yield Analyst(services, _REGISTRY)
        finally:
            SheetStore(services).close()
