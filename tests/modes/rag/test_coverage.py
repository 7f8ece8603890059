"""How much of a question a text speaks of: words by any name, what is not read is named, titles name documents."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.modes.rag_company import company_at
from troly_rag.corpus.coverage import question_of, text_of, title_subject

LATE = (
    "Quy định đi muộn\nNhân viên đi muộn quá 3 lần trong một tháng bị trừ 200.000 VND cho mỗi lần tiếp theo."
)
WORDS = st.sampled_from(["đi muộn", "trễ giờ", "bị trừ", "bao nhiêu", "xyzzyx", "quầy bar", "6 lần", "không"])


@pytest.mark.parametrize(
    "question",
    [
        "đi muộn bị trừ bao nhiêu?",
        "di muon bi tru bao nhieu",
        "đi làm trễ 6 lần thì bị trừ mấy?",
        "ĐI MUỘN BỊ TRỪ",
    ],
)
def test_a_question_in_any_wording_is_read_whole(question: str) -> None:
    assert question_of(question).coverage(text_of(LATE)).share == 1
    assert question_of(question).coverage(text_of(LATE)).unread == ()


@given(st.lists(WORDS, min_size=1, max_size=6))
def test_a_word_that_is_not_read_is_named(words: list[str]) -> None:
    covered = question_of(" ".join(words)).coverage(text_of(LATE))
    for strange in ("xyzzyx", "quầy bar"):
        assert (strange in words) == all(part in covered.unread for part in strange.split())
    assert (covered.share < 1) == bool(covered.unread) or not question_of(" ".join(words)).words


def test_accents_that_were_typed_count() -> None:
    assert question_of("bán hàng").coverage(text_of("Bàn ghế hàng ngày")).unread == ("bán",)


@given(st.text(max_size=120), st.text(max_size=120))
def test_any_text_is_held_against_any_other(question: str, text: str) -> None:
    covered = question_of(question).coverage(text_of(text))
    assert 0 <= covered.share <= 1
    assert 0 <= covered.closeness <= 1
    assert set(covered.unread) <= set(question_of(question).words)
    assert 0 <= question_of(question).named_by(text) <= 1


@pytest.mark.parametrize(
    ("title", "subject"),
    [
        ("Quy định làm thêm giờ", "lam them gio"),
        ("Chính sách mật khẩu 2024", "mat khau"),
        ("Remote Work Policy", "remote work"),
        ("Nghỉ phép năm (sửa đổi 2026)", "nghi phep nam"),
        ("2024", ""),
        ("Policy", ""),
    ],
)
def test_the_subject_of_a_title(title: str, subject: str) -> None:
    assert title_subject(title) == subject


async def test_a_document_is_found_by_its_title(tmp_path: Path) -> None:
    with company_at(tmp_path) as company:
        company.write("a.md", "Văn phòng mở cửa từ 8 giờ.", title="Giờ làm việc", scope="public")
        company.write(
            "b.md", "Năm 2009 công ty bắt đầu với 12 người lúc khó khăn.", title="Lịch sử", scope="public"
        )
        company.ingest()
        found = await company.find("giờ làm việc bắt đầu lúc mấy giờ?", company.person("public"))
        assert found.passages[0].title == "Giờ làm việc"
