"""Districts and tables as names after @: what the role may see, and a name in quotes is understood."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rental.desk import rental_desk
from tests.support.stores.services import profile
from troly_rental import MODE
from troly_rental.data.schema import tables
from troly_rental.roles import grants


@pytest.mark.parametrize(
    ("prefix", "name"), [("binh th", "Bình Thạnh"), ("GO V", "Gò Vấp"), ("quan 7", "Quận 7")]
)
async def test_a_quoted_district_is_the_district(tmp_path: Path, prefix: str, name: str) -> None:
    async with rental_desk(tmp_path) as desk:
        offered = MODE.mentions(desk.services, profile("nobody"), prefix, 8)
        assert offered[0][0] == name
        quoted = await desk.ask(f'Phòng trọ ở "{name}" dưới 5 triệu', offline=True)
        desk.leave()
        plain = await desk.ask(f"Phòng trọ ở {name} dưới 5 triệu", offline=True)
        assert quoted.state["sql"] == plain.state["sql"] != ""


async def test_tables_follow_the_role(tmp_path: Path) -> None:
    async with rental_desk(tmp_path) as desk:
        offered = {hint.split()[-1] for _, hint in MODE.mentions(desk.services, profile("nobody"), "", 500)}
        hidden = set(tables()) - set(grants()["GUEST"])
        assert hidden
        assert not hidden & offered
        assert set(grants()["GUEST"]) <= offered


def test_sql_is_a_command_of_the_input() -> None:
    assert [one.name for one in MODE.talk] == ["sql"]
