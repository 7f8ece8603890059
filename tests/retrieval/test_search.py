"""Searching by words: who sees what, what ranks first, and any string being a question."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.retrieval.knowledge import Corpus, passages_and_questions
from troly.retrieval.search.knowledge import Knowledge
from troly.retrieval.search.terms import match_expression, query_terms
from troly.text.fold import fold, nfc


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Corpus]:
    opened = Corpus(tmp_path)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    opened = Corpus(tmp_path_factory.mktemp("library"))
    for number, passage in enumerate(passages_and_questions()[0]):
        opened.put(str(number), passage, title="Tài liệu")
    yield opened
    opened.close()


async def ranked(knowledge: Knowledge, question: str) -> list[str]:
    found = await knowledge.search(question, collection="docs", k=5)
    return [passage.document for passage in found.passages]


@pytest.mark.parametrize("form", ["typed", "no marks", "capitals", "decomposed"])
async def test_our_own_questions_find_their_passage(library: Corpus, form: str) -> None:
    forms: dict[str, Callable[[str], str]] = {
        "typed": str,
        "no marks": fold,
        "capitals": str.upper,
        "decomposed": lambda text: unicodedata.normalize("NFD", text),
    }
    questions = passages_and_questions()[1]
    first = fifth = 0
    for number, question in enumerate(questions):
        found = await ranked(library.knowledge, forms[form](question))
        first += found[:1] == [str(number)]
        fifth += str(number) in found
    assert len(questions) >= 60
    assert first / len(questions) >= 0.94
    assert fifth / len(questions) >= 0.99


@given(question=st.text(max_size=200))
async def test_any_string_is_a_question(library: Corpus, question: str) -> None:
    found = await library.knowledge.search(question, collection="docs", k=3)
    assert len(found.passages) <= 3


@pytest.mark.parametrize(
    "question",
    [
        '"',
        "a* OR b",
        "NEAR(a b)",
        "folded:x",
        "{",
        "(",
        "-phép",
        "a AND NOT b",
        "^",
        "\x00",
        "\ud800",
        "?" * 9,
        "",
        "' ; --",
    ],
)
async def test_search_syntax_is_only_text(library: Corpus, question: str) -> None:
    await library.knowledge.search(question, collection="docs")
    with library.db.read() as connection:
        if expression := match_expression(query_terms(question)):
            connection.execute(
                "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?", (expression,)
            ).fetchall()


async def test_a_pasted_page_is_a_question(library: Corpus) -> None:
    assert await ranked(library.knowledge, "nghỉ phép năm mười hai ngày " * 5000)


async def test_marks_decide_when_typed_and_do_not_matter_when_not(corpus: Corpus) -> None:
    for key, text in {
        "ban": "bạn bè thân",
        "bàn": "cái bàn gỗ",
        "bán": "bán hàng giảm giá",
        "dien": "tiền điện",
    }.items():
        corpus.put(key, text, title="x")
    for word in ("bàn", "bán"):
        assert (await ranked(corpus.knowledge, word))[0] == word
    assert set(await ranked(corpus.knowledge, "ban")) == {"ban", "bàn", "bán"}
    assert await ranked(corpus.knowledge, "dien") == ["dien"]
    assert await ranked(corpus.knowledge, "ĐIỆN") == ["dien"]


async def test_both_ways_of_placing_a_tone_are_one(corpus: Corpus) -> None:
    corpus.put("a", "hòa giải tranh chấp")
    corpus.put("b", "hoạ sĩ vẽ tranh")
    assert (await ranked(corpus.knowledge, "hoà"))[0] == "a"
    assert (await ranked(corpus.knowledge, "họa"))[0] == "b"


async def test_a_passage_tells_where_it_stands(corpus: Corpus, tmp_path: Path) -> None:
    from troly.retrieval.documents.files import Document, TextBlock

    document = Document("Sổ tay", (TextBlock("Nghỉ phép mười hai ngày", ("Chương I",), "page:3"),), "pdf")
    corpus.knowledge.put(
        document, collection="docs", key="/so\x1b[31m-tay.pdf", ingested_at="2026-01-01T00:00:00+07:00"
    )
    vi = (await corpus.knowledge.search("nghi phep", collection="docs")).passages[0]
    en = (await corpus.knowledge.search("nghi phep", collection="docs", lang="en")).passages[0]
    assert (vi.title, vi.heading, vi.where, en.where) == ("Sổ tay", "Chương I", "trang 3", "page 3")
    assert (vi.bm25_rank, vi.vector_rank, vi.similarity) == (1, None, None)
    assert "\x1b" not in vi.document
    assert 0 < vi.score <= 1
    assert vi.coverage == pytest.approx(1)
    assert nfc(vi.text) == vi.text


async def test_scores_fall_and_ties_do_not_move(library: Corpus) -> None:
    results = [await library.knowledge.search("bảo hành bao lâu", collection="docs", k=20) for _ in range(3)]
    scores = [passage.score for passage in results[0].passages]
    assert scores == sorted(scores, reverse=True)
    assert results[0] == results[1] == results[2]


async def test_permissions_filter_before_ranking(corpus: Corpus) -> None:
    for number in range(60):
        corpus.put(f"mat-{number}", f"lương giám đốc {number}", permission="private")
    corpus.put("chung", "bảng lương chung của công ty có rất nhiều chữ khác nữa để xếp sau", title="x")
    shut = await corpus.knowledge.search("lương giám đốc", collection="docs")
    assert [passage.document for passage in shut.passages] == ["chung"]
    wide = await corpus.knowledge.search(
        "lương giám đốc", collection="docs", permissions=frozenset({"private"})
    )
    assert all(passage.permission == "private" for passage in wide.passages)


owners = st.sampled_from([None, "an", "binh", "cuong'; --"])


@given(st.lists(st.tuples(owners, st.sampled_from([None, "private", "hr"])), max_size=8), owners, st.data())
async def test_nobody_finds_what_is_somebody_elses(
    tmp_path_factory: pytest.TempPathFactory,
    documents: list[tuple[str | None, str | None]],
    asker: str | None,
    data: st.DataObject,
) -> None:
    granted = frozenset(data.draw(st.sets(st.sampled_from(["private", "hr"]))))
    corpus = Corpus(tmp_path_factory.mktemp("owners"))
    try:
        may = set()
        for number, (owner, permission) in enumerate(documents):
            more = {"permission": permission} if permission else {}
            corpus.put(str(number), "cùng một câu hỏi", owner=owner, **more)
            if owner in (None, asker) and (permission is None or permission in granted):
                may.add(str(number))
        result = await corpus.knowledge.search(
            "cùng một câu hỏi", collection="docs", owner=asker, permissions=granted, k=20
        )
        assert {passage.document for passage in result.passages} == may
        assert not (await corpus.knowledge.search("câu hỏi", collection="khác", owner=asker)).passages
    finally:
        corpus.close()


def test_an_empty_owner_is_refused(corpus: Corpus) -> None:
    with pytest.raises(ValueError, match="owner"):
        corpus.put("a", "b", owner="")


@pytest.mark.parametrize(
    "question",
    [
        "bảo hnàh điện thoại",
        "bao hanhh",
        "cong trinh cua ghandi",
        "Ghandi",
        "chính sách bảo hành của Ghandhi",
    ],
)
async def test_a_slip_in_a_word_that_nobody_wrote_finds_what_was_meant(corpus: Corpus, question: str) -> None:
    corpus.put("a", "Chính sách bảo hành điện thoại và công trình của Gandhi.")
    corpus.put("b", "Quy trình nghỉ phép của nhân viên mới và điện nước.")
    assert (await ranked(corpus.knowledge, question))[:1] == ["a"]


@pytest.mark.parametrize("question", ["RTX4091", "404O", "xyzzy", "abc"])
async def test_codes_and_strange_words_are_not_read_as_others(corpus: Corpus, question: str) -> None:
    corpus.put("a", "Card RTX4090 lỗi 4040, đọc abd để biết thêm.")
    assert await ranked(corpus.knowledge, question) == []


async def test_a_known_word_is_never_read_as_another(corpus: Corpus) -> None:
    corpus.put("a", "kênh bán hàng")
    corpus.put("b", "kinh bán hàng")
    assert (await ranked(corpus.knowledge, "kenh"))[:1] == ["a"]
    assert "b" not in await ranked(corpus.knowledge, "kenh")
