"""A landlord's tenants by their names: whoever speaks is none of them, however it is typed."""

from __future__ import annotations

import pytest

from troly_rental.question.names import Names

NAMES = Names(tenants=["Trần Văn Minh", "Lê Ngọc Ánh"])


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
