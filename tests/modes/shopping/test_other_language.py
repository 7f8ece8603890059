"""The shop desk asked in one language about documents in the other, without a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.modes.shopping import Shop, shop_at
from troly.retrieval.documents.files import load_bytes, parse_document

DATA = Path(__file__).parents[3] / "data" / "knowledge"
QUOTED_EN = "(Some of it is quoted from documents in Vietnamese, word for word.)"
QUOTED_VI = "(Có đoạn trích từ tài liệu tiếng Anh, em để nguyên văn ạ.)"


def load(shop: Shop, *, english: bool) -> None:
    for file in sorted(DATA.glob("*.md")):
        if file.stem.endswith("-en") == english:
            shop.services.knowledge.put(
                parse_document(file, load_bytes(file)),
                collection=shop.services.settings.chroma.collection,
                key=file.name,
                ingested_at="2026-11-22T09:00:00+07:00",
            )


@pytest.fixture
def shop(own_home: Path) -> Iterator[Shop]:
    with shop_at(own_home, warranties=None) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("May I open the parcel before I pay?", "mở hộp kiểm tra ngoại quan trước khi thanh toán"),
        ("What is your refund policy?", "Tiền được hoàn theo đúng hình thức"),
        ("How much is the delivery fee?", "Đơn từ 2.000.000 VND được miễn phí giao hàng toàn quốc"),
    ],
)
async def test_an_english_question_is_answered_from_vietnamese_pages(
    shop: Shop, question: str, sentence: str
) -> None:
    load(shop, english=False)
    told = await shop.ask(question, offline=True)
    assert sentence in told.answer
    assert QUOTED_EN in told.answer


async def test_a_vietnamese_question_is_answered_from_an_english_page(shop: Shop) -> None:
    load(shop, english=True)
    told = await shop.ask("Chính sách bảo hành như thế nào?", offline=True)
    assert "The warranty runs from the date of the invoice" in told.answer
    assert QUOTED_VI in told.answer


async def test_nothing_is_said_of_the_language_where_it_is_the_one_asked_in(shop: Shop) -> None:
    load(shop, english=False)
    told = await shop.ask("Chính sách hoàn tiền như thế nào?", offline=True)
    assert "Tiền được hoàn theo đúng hình thức" in told.answer
    assert QUOTED_EN not in told.answer
    assert QUOTED_VI not in told.answer


async def test_what_the_pages_do_not_say_is_not_found(shop: Shop) -> None:
    load(shop, english=False)
    told = await shop.ask("Do you sell airplane tickets?", offline=True)
    assert "I found nothing about this" in told.answer
    assert QUOTED_EN not in told.answer
