"""What is said about a warranty: the documents' sentences to the letter, and the days in words."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.stores.records import StoredMessage
from troly.text.catalogue import LANGS, Lang
from troly_shopping.dialogue import awaiting_serial
from troly_shopping.warranty.rendering import WarrantyText, ask_for_serial, render_records
from troly_shopping.warranty.store import WarrantyRecord

TODAY = date(2026, 11, 22)
LAPTOP = WarrantyRecord("ABC123", "Laptop Dell", date(2027, 1, 6))


def told(record: WarrantyRecord | None, lang: Lang = "vi", today: date = TODAY) -> WarrantyText:
    return render_records({"abc123": record}, today, lang, "1900 0000", loaded=True)


def test_found_in_the_documents_words() -> None:
    answer = told(LAPTOP)
    wanted = "Thông tin bảo hành: Sản phẩm 'Laptop Dell', Serial 'ABC123', hết bảo hành vào ngày 6/1/2027"
    assert answer.text.startswith(wanted)
    assert answer.text.removeprefix(wanted) == ". Sản phẩm còn 45 ngày bảo hành ạ."
    assert answer.message_type == "warranty_result"
    assert answer.meta == {"kind": "result", "found": True, "serial": "ABC123"}


@pytest.mark.parametrize(
    ("days", "vi", "en"),
    [
        (1200, "còn 1.200 ngày", "covered for 1,200 days"),
        (1, "còn 1 ngày", "covered for 1 day"),
        (0, "ngày bảo hành cuối cùng", "last day"),
        (-1, "đã hết hạn bảo hành 1 ngày", "expired 1 day ago"),
        (-691, "đã hết hạn bảo hành 691 ngày", "expired 691 days ago"),
    ],
)
def test_days_in_words(days: int, vi: str, en: str) -> None:
    record = WarrantyRecord("A1B", "x", TODAY + timedelta(days))
    assert vi in told(record).text
    assert en in told(record, "en").text


def test_not_found_leads_to_another_try_or_the_hotline() -> None:
    wanted: dict[Lang, tuple[str, ...]] = {
        "vi": ("nhập lại", "1900 0000"),
        "en": ("enter the serial again", "1900 0000"),
    }
    for lang, words in wanted.items():
        answer = told(None, lang)
        assert all(word in answer.text for word in ("abc123", *words))
        assert answer.meta == {"kind": "result", "found": False, "serial": "abc123"}


def test_prompts_begin_as_the_documents_do() -> None:
    prompt, invalid = ask_for_serial("vi", attempted=False), ask_for_serial("vi", attempted=True)
    assert prompt.text.startswith("Quý khách vui lòng cung cấp số serial")
    assert invalid.text.startswith("Em chưa nhận diện được số serial hợp lệ")
    assert (prompt.message_type, invalid.message_type) == ("warranty_prompt", "warranty_prompt_invalid")
    assert prompt.meta == invalid.meta == {"kind": "prompt", "found": False, "serial": None}


def test_several_serials_give_a_table_and_a_line_each() -> None:
    records = {"abc123": LAPTOP, "old1": WarrantyRecord("OLD1", "Chuột", date(2024, 12, 31)), "no1": None}
    answer = render_records(records, TODAY, "vi", "1900 0000", loaded=True)
    assert answer.table is not None
    assert [row[0] for row in answer.table.rows] == ["ABC123", "OLD1", "no1"]
    assert [row[3] for row in answer.table.rows] == ["45", "-691", ""]
    assert all(len(row) == len(answer.table.columns) for row in answer.table.rows)
    assert answer.text.count("Thông tin bảo hành: ") == 2
    assert "Serial 'no1'" in answer.text
    assert answer.meta["found"] is False
    assert answer.meta["serial"] == ["ABC123", "OLD1", "no1"]


def test_a_long_list_is_cut_in_words_only() -> None:
    answer = render_records({f"A{n}": None for n in range(100)}, TODAY, "en", "1", loaded=True)
    assert answer.table is not None
    assert len(answer.table.rows) == 100
    assert "80 more serials" in answer.text


@given(st.text(max_size=50), st.dates(), st.dates(), st.sampled_from(LANGS))
def test_any_product_name_and_date_can_be_told(name: str, end: date, today: date, lang: Lang) -> None:
    answer = told(WarrantyRecord("A1B", name, end), lang, today)
    assert f"'{name}'" in answer.text
    assert f"{end.day}/{end.month}/{end.year}" in answer.text


def message(text: str, kind: str = "", sender: str = "assistant", **metadata: object) -> StoredMessage:
    return StoredMessage("1", "c", None, sender, text, kind, datetime.now(UTC), metadata)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("history", "awaiting"),
    [
        ([], False),
        ([message("Chào", "greeting")], False),
        ([message("x", "warranty_prompt")], True),
        ([message("x", "warranty_prompt_invalid"), message("abc", sender="user")], True),
        ([message("x", "", type="warranty_prompt")], True),
        ([message("x", "warranty_prompt"), message("y", "answer")], False),
        ([message("x", "warranty_result", warranty_meta={"found": False})], True),
        ([message("x", "warranty_result", warranty_meta={"found": True})], False),
        ([message(ask_for_serial("vi", attempted=False).text)], True),
        ([message(ask_for_serial("vi", attempted=True).text)], True),
        ([message(ask_for_serial("en", attempted=False).text)], True),
        ([message(ask_for_serial("en", attempted=True).text)], True),
        ([message("Dạ em nghe ạ")], False),
    ],
)
def test_awaiting_a_serial_by_metadata_then_by_words(history: list[StoredMessage], awaiting: bool) -> None:
    assert awaiting_serial(history) is awaiting
