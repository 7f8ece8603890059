"""The head of a stranger's document: fields in every usual spelling, and who may see it never guessed."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from tests.support.modes.rag_company import Company, company_at
from troly_rag.corpus.front_matter import Front, fields_of_html, read_front

BODY = "\nNội dung.\n"


def head(text: str) -> Front:
    return read_front(text + BODY)


VIETNAMESE = """---
Tên văn bản: Quy chế nghỉ phép
Số hiệu: QC-01/2026
Ngày ban hành: ngày 20 tháng 10 năm 2026
Có hiệu lực từ: 01/11/2026
Mức độ mật: Nội bộ
Phòng/ban: Nhân sự và Kế toán
Lần ban hành: 2.0
Thay thế văn bản: QC-01/2025; nghi-phep-v1.md
Đường dẫn: https://intra/nghi-phep
Phạm vi áp dụng: toàn thể nhân viên
---
"""


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_vietnamese_names_of_the_fields(form: str) -> None:
    found = head(unicodedata.normalize(form, VIETNAMESE))  # type: ignore[arg-type]
    assert found == Front(
        id="QC-01/2026",
        title="Quy chế nghỉ phép",
        created_at="2026-10-20T00:00:00+00:00",
        effective="2026-11-01",
        scope="internal",
        departments=("Nhân sự", "Kế toán"),
        version="2.0",
        supersedes=("QC-01/2025", "nghi-phep-v1.md"),
        url="https://intra/nghi-phep",
    )


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: A\nscope: private\ndepartment: hr, it\n---",
        "---\nTITLE: A\nScope: PRIVATE\nDepartments: [hr, 'it']\n---",
        "---\ntitle: >\n  A\nclassification: Confidential\nteams:\n  - hr\n  - it\n---",
        '+++\ntitle = "A"\nscope = "private"\ndepartments = ["hr", "it"]\n+++',
        "\ufeff---\r\ntitle: A\r\nĐộ mật: Mật\r\ndept: hr & it\r\n---\r\n",
        " \n---  \n**title**: A\n**access-level**: restricted\n*dept*: hr/it\n ---",
        "---\ntitle：A\nscope：riêng tư\ndepartment：hr+it\n---",
    ],
)
def test_one_head_in_many_forms(text: str) -> None:
    assert head(text) == Front(title="A", scope="private", departments=("hr", "it"))


@pytest.mark.parametrize(
    "day",
    [
        "20/10/2026",
        "20-10-2026",
        "20.10.2026",
        "2026-10-20",
        "2026/10/20",
        "'2026-10-20'",
        "20 October 2026",
        "Oct 20, 2026",
        "ngày 20 tháng 10 năm 2026",
        "2026-10-20T08:30:00+07:00",
        "2026-10-20 # ngày ký",
    ],
)
def test_a_day_in_every_form(day: str) -> None:
    found = head(f"---\nissued: {day}\nvalid from: {day}\n---")
    assert (found.created_at[:10], found.effective, found.faults) == ("2026-10-20", "2026-10-20", ())


@pytest.mark.parametrize(
    ("text", "code", "line", "fatal"),
    [
        ("---\ntitle: A\nscope: internl\n---", "scope", 3, True),
        ("---\ntitle: A\nscope: public, private\ndate: 1/1/2026\n---", "scope", 3, True),
        # A slip in the name of the field must not open a document to everybody.
        ("---\nscoppe: private\n---", "closed", 2, True),
        ("---\ndeparment: hr\n---", "closed", 2, True),
        ("---\nscope: public\nscope: private\n---", "twice", 3, True),
        ("title: A\nscope: private\n\n", "bare", 2, True),
        ("Mức độ mật: Mật\n", "bare", 1, True),
        ("---\ntitle: A\n\n", "open", 1, True),
        ("---\ntitle: A\ndate: 31/02/2026\n---", "date", 3, False),
        ("---\ndate: 10/2026\n---", "date", 2, False),
        ("---\nefective: 1/1/2026\n---", "near", 2, False),
        ("---\nfoo: 1\n---", "key", 2, False),
        ("---\njust words\n---", "line", 2, False),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, code: str, line: int, *, fatal: bool) -> None:
    fault = head(text).faults[0]
    assert (fault.code, fault.line, fault.fatal) == (code, line, fatal)


@pytest.mark.parametrize(
    "text",
    ["Ghi chú: họp lúc 9 giờ.\n", "Phạm vi: toàn bộ chi nhánh phía Nam.\n", "---\n\nMột đoạn văn.\n", ""],
)
def test_plain_text_is_no_head(text: str) -> None:
    assert head(text) == Front()


def test_a_page_may_say_it_in_its_meta_tags() -> None:
    page = """<html><head><meta name="Phạm vi" content="Mật"><meta property="og:title" content="A">
    <meta name="DC.date" content="20/10/2026"><meta name="viewport" content="width=1"></head><body>x</body></html>"""
    found = fields_of_html(page)
    assert (found.scope, found.title, found.created_at[:10], found.faults) == (
        "private",
        "A",
        "2026-10-20",
        (),
    )


@pytest.mark.parametrize(
    "reference",
    [
        "quy-dinh/nghi-phep-v1.md",
        "./nghi-phep-v1.md",
        "nghi-phep-v1",
        "Quy chế nghỉ phép cũ",
        "quy che nghi phep cu",
        "http://www.intra.vn/nghi-phep/1.0/",
        "https://intra.vn/nghi-phep/1.0",
        "[nghi-phep-v1.md]",
    ],
)
def test_what_is_replaced_may_be_named_by_path_title_or_address(tmp_path: Path, reference: str) -> None:
    with company_at(tmp_path) as company:
        old = {"title": "Quy chế nghỉ phép cũ", "date": "1/1/2025", "url": "https://intra.vn/nghi-phep/1.0"}
        company.write("quy-dinh/nghi-phep-v1.md", "Nghỉ 12 ngày.", scope="public", **old)
        company.write(
            "quy-dinh/v2.md", "Nghỉ 14 ngày.", title="Nghỉ phép", date="1/1/2026", supersedes=reference
        )
        company.ingest()
        assert standing(company)["nghi-phep-v1.md"] == "superseded"
        assert standing(company)["v2.md"] == "current"


@pytest.mark.parametrize("day", ["1/1/2026", ""])
def test_documents_that_replace_each_other_replace_nobody(tmp_path: Path, day: str) -> None:
    with company_at(tmp_path) as company:
        for name, other in (("a", "b"), ("b", "a"), ("c", "c")):
            company.write(
                f"{name}.md", f"Nghỉ {name} ngày.", scope="public", date=day, supersedes=f"{other}.md"
            )
        company.ingest()
        assert set(standing(company).values()) == {"current"}


def standing(company: Company) -> dict[str, str]:
    """How each document stands, by its file's name."""
    from troly_rag.corpus.cards import Cards

    cards = {card.path: card for card in company.services_cards()}
    found = Cards(company.services.state).standing("rag_general", cards, company.services.clock())
    return {Path(path).name: status for path, status in found.items()}


def test_a_document_whose_access_is_unclear_is_not_loaded(tmp_path: Path) -> None:
    with company_at(tmp_path) as company:
        company.write("a.md", "Lương giám đốc là 90 triệu.", scoppe="private")
        company.write("b.md", "Gửi xe ở hầm.", scope="công khai")
        outcome = company.ingest()
        assert [card.title for card in company.services_cards()] == ["b"]
        assert "a.md:2" in outcome.problems[0]
        assert "scope" in outcome.problems[0]
