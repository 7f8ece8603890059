"""Questions in one language find pages in the other, plain words find formal ones, and nothing else is found for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.retrieval.cross_language import library, questions, ranked
from tests.support.retrieval.knowledge import Corpus
from troly.retrieval.search.glossary import named_elsewise

# The share from which the shop quotes a passage as an answer.
QUOTED = 0.4


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Corpus]:
    opened = Corpus(tmp_path)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def vietnamese(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    opened = library(tmp_path_factory.mktemp("vietnamese"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    opened = library(tmp_path_factory.mktemp("english"), english=True)
    yield opened
    opened.close()


async def recall(corpus: Corpus, section: str) -> tuple[float, float]:
    asked = questions(section)
    found = [(page, await ranked(corpus, question)) for page, question in asked]
    first = sum(pages[:1] == [page] for page, pages in found)
    return first / len(asked), sum(page in pages[:5] for page, pages in found) / len(asked)


@pytest.mark.parametrize(
    ("section", "least_first", "least_fifth"),
    [
        ("english one", 0.8, 0.96),
        ("english two", 0.8, 0.96),
        ("colloquial one", 0.75, 0.9),
        ("colloquial two", 0.75, 0.9),
    ],
)
async def test_vietnamese_pages_are_found(
    vietnamese: Corpus, section: str, least_first: float, least_fifth: float
) -> None:
    first, fifth = await recall(vietnamese, section)
    assert first >= least_first
    assert fifth >= least_fifth


async def test_english_pages_are_found_by_vietnamese_questions(english: Corpus) -> None:
    first, fifth = await recall(english, "vietnamese over english")
    assert first >= 0.85
    assert fifth >= 0.93


async def test_what_no_page_answers_stays_below_what_is_quoted(vietnamese: Corpus) -> None:
    for _, question in questions("unanswered"):
        found = await vietnamese.knowledge.search(question, collection="docs", k=20)
        assert max((passage.coverage for passage in found.passages), default=0.0) <= QUOTED, question


@pytest.mark.parametrize("question", ["refund", "refunds", "hoan tien", "HOÀN TIỀN", "money back"])
async def test_any_wording_of_a_concept_covers_it_whole(corpus: Corpus, question: str) -> None:
    for key, text in {
        "vi": "Tiền được trả theo lịch, hoàn tiền trong bảy ngày.",
        "en": "The refund takes seven days.",
        "other": "Bàn phím cơ có đèn nền.",
    }.items():
        corpus.put(key, text)
    found = await corpus.knowledge.search(question, collection="docs")
    covered = {passage.document: passage.coverage for passage in found.passages}
    assert covered["vi"] == pytest.approx(1)
    assert covered["en"] == pytest.approx(1)
    assert "other" not in covered


async def test_a_known_word_is_kept_beside_its_translation(corpus: Corpus) -> None:
    corpus.put("en", "Warranty terms of the shop")
    corpus.put("vi", "Điều khoản bảo hành của cửa hàng")
    for question in ("warranty", "bảo hành"):
        assert set(await ranked(corpus, question)) == {"en", "vi"}
    assert (await ranked(corpus, "warranty"))[0] == "en"
    assert (await ranked(corpus, "bảo hành"))[0] == "vi"


async def test_an_unknown_word_with_a_translation_is_not_read_as_its_neighbour(corpus: Corpus) -> None:
    corpus.put("vi", "Hoàn tiền trong bảy ngày")
    corpus.put("near", "The refuse is collected on Monday, refunt.")
    assert await ranked(corpus, "refund") == ["vi"]


async def test_half_a_question_covers_half_of_it(corpus: Corpus) -> None:
    corpus.put("vi", "Máy in ở mỗi tầng")
    found = await corpus.knowledge.search("Does the printer explode?", collection="docs")
    assert 0 < found.passages[0].coverage < 0.6


async def test_the_same_question_finds_the_same(vietnamese: Corpus) -> None:
    question = "How many days of annual leave do I get?"
    first = await vietnamese.knowledge.search(question, collection="docs", k=20)
    assert first == await vietnamese.knowledge.search(question, collection="docs", k=20)


def test_words_of_a_question_are_seen_in_a_text_that_names_them_otherwise() -> None:
    look = named_elsewise("Where do employees park their motorbikes?")
    assert look("Nhân viên gửi xe máy ở hầm B1") == {"employees", "park", "motorbikes"}
    assert look("Bàn phím cơ") == frozenset()
    assert look("") == frozenset()
    assert named_elsewise("")("Nhân viên") == frozenset()
