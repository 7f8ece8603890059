"""A landlord's tenants by their names: whoever speaks is none of them, however it is typed."""

from __future__ import annotations

import pytest

from troly_rental.data.places import places
from troly_rental.question.names import Names

NAMES = Names(
    buildings=["Nhà trọ Thanh Xuân", "Nhà trọ Lan Anh"],
    tenants=["Trần Văn Minh", "Lê Ngọc Ánh", "Nguyễn Đức"],
)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("cac hop dong cua minh", False),
        ("phong cua anh con trong khong", False),
        ("hợp đồng của mình", False),
        ("hợp đồng của Minh", True),
        ("chi minh tra tien chua", True),
        ("hoa don cua tran van minh", True),
        ("phòng của Ánh", True),
    ],
)
def test_one_s_own_is_no_tenant_s(text: str, named: bool) -> None:
    assert NAMES.find(text).tenants is named


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("bên Thanh Xuân thì sao", set()),
        ("nha tro thanh xuan con phong nao", set()),
        ("bên Lan Anh thì sao", {"Nhà trọ Lan Anh"}),
        ("phong cua duc thang nay dung may ky dien", {"Nguyễn Đức"}),
        ("phòng ở Đức Thắng", set()),
        ("phong phuong duc thang", set()),
        ("phòng của Thủ Đức", set()),
    ],
)
def test_a_place_is_no_house_and_no_tenant_s(text: str, named: set[str]) -> None:
    found = NAMES.find(text, places().find(text))
    assert {value for one in found.filters for value in one.values} == named
