"""Company documents as names after @: never one that the person may not see; a title in quotes leads to it."""

from __future__ import annotations

from pathlib import Path

from tests.support.modes.rag_company import company_at
from troly_rag import MODE


def test_only_documents_that_may_be_seen(tmp_path: Path) -> None:
    with company_at(tmp_path) as company:
        company.write("leave.md", "# Quy định nghỉ phép\nMỗi năm 12 ngày.", agent="hr", scope="internal")
        company.write(
            "pay.md", "# Bảng lương giám đốc\nMật.", agent="hr", scope="private", department="board"
        )
        company.write("open.md", "# Quy định gửi xe\nMiễn phí.", agent="general", scope="public")
        company.ingest()
        titles = {card.title for card in company.services_cards()}
        assert len(titles) == 3
        staff = MODE.mentions(company.services, company.member("internal"), "quy dinh", 8)
        assert {name for name, _ in staff} <= titles
        assert any("nghỉ phép" in name for name, _ in staff)
        assert MODE.mentions(company.services, company.member("internal"), "luong", 8) == []
        guest = MODE.mentions(company.services, company.member("public"), "", 8)
        assert [name for name, _ in guest if "phép" in name or "lương" in name] == []


async def test_the_quoted_title_finds_the_document(tmp_path: Path) -> None:
    with company_at(tmp_path) as company:
        company.write("leave.md", "# Quy định nghỉ phép\nMỗi năm 12 ngày.", agent="hr", scope="public")
        company.write("late.md", "# Quy định đi muộn\nPhạt 50.000 đồng.", agent="hr", scope="public")
        company.ingest()
        ((title, _),) = MODE.mentions(company.services, company.member("public"), "nghi phep", 8)
        found = await company.find(f'"{title}"', company.person("public"), agent="hr")
        assert found.passages[0].title == title
