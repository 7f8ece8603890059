"""A question that names a document by its title finds it, whatever else it says; words of every title name none."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.modes.rag_company import company_at
from troly_rag.corpus.wordings import core_of, title_matcher


@pytest.mark.parametrize(
    ("title", "core"),
    [
        ("Quy định làm thêm giờ", "lam them gio"),
        ("Chính sách mật khẩu 2024", "mat khau"),
        ("Remote Work Policy", "remote work"),
        ("Nghỉ phép năm (sửa đổi 2026)", "nghi phep nam"),
        ("2024", ""),
        ("Policy", ""),
    ],
)
def test_the_subject_of_a_title(title: str, core: str) -> None:
    assert core_of(title) == core


@pytest.mark.parametrize(
    ("question", "title", "named"),
    [
        ("giờ làm việc bắt đầu lúc mấy giờ?", "Giờ làm việc", True),
        ("GIO LAM VIEC?", "Giờ làm việc", True),
        ("làm việc từ giờ nào?", "Giờ làm việc", False),
        ("nhân viên có nhà trẻ không?", "Quy định nhân viên", False),
        ("lương bao nhiêu?", "Lương", False),
    ],
)
def test_titles_in_questions(question: str, title: str, *, named: bool) -> None:
    assert title_matcher([question])(title) is named


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_title_is_named_or_not(question: str, title: str) -> None:
    assert title_matcher([question])(title) in (True, False)


async def test_a_document_is_found_by_its_title(tmp_path: Path) -> None:
    with company_at(tmp_path) as company:
        company.write("a.md", "Văn phòng mở cửa từ 8 giờ.", title="Giờ làm việc", scope="public")
        company.write(
            "b.md", "Năm 2009 công ty bắt đầu với 12 người lúc khó khăn.", title="Lịch sử", scope="public"
        )
        company.ingest()
        found = await company.find("giờ làm việc bắt đầu lúc mấy giờ?", company.person("public"))
        assert {p.title: p.relevance >= 0.7 for p in found.passages}["Giờ làm việc"]
