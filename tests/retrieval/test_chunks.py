"""Chunks: nothing lost, sizes bounded, rows and items whole, the same every time."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from troly.retrieval.documents.chunks import LARGEST, TARGET, chunk_blocks, describe_place, join_places
from troly.retrieval.documents.files import TextBlock

words = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=12)
sentences = st.lists(words, min_size=1, max_size=30).map(lambda parts: " ".join(parts) + ".")
texts = st.one_of(
    st.lists(sentences, min_size=1, max_size=12).map(" ".join),
    st.text(min_size=1, max_size=300),
    st.integers(900, 4000).map(lambda size: "x" * size),
)
blocks = st.lists(
    st.builds(
        TextBlock,
        texts,
        st.sampled_from([(), ("A",), ("A", "B")]),
        st.sampled_from(["", "page:1", "page:2", "row:7"]),
        st.sampled_from(["prose", "item", "row"]),
    ),
    max_size=8,
)


def squeezed(text: str) -> str:
    return "".join(text.split())


@given(blocks)
def test_no_text_is_lost_and_sizes_are_bounded(given_blocks: list[TextBlock]) -> None:
    chunks = chunk_blocks(given_blocks)
    assert chunks == chunk_blocks(given_blocks)
    assert [chunk.position for chunk in chunks] == list(range(len(chunks)))
    # Without the repeated sentences the chunks hold the blocks, character by character and in order.
    at, everything = 0, squeezed("".join(block.text for block in given_blocks))
    for chunk in chunks:
        assert 0 < len(chunk.text) <= LARGEST
        text = squeezed(chunk.text)
        repeated = (
            next(
                cut
                for cut in range(len(text) + 1)
                if everything.startswith(text[cut:], at) and cut <= len(text) - 1
            )
            if text
            else 0
        )
        assert everything[:at].endswith(text[:repeated])
        at += len(text) - repeated
    assert at == len(everything)


@given(blocks)
def test_chunks_do_not_cross_headings_and_keep_rows_whole(given_blocks: list[TextBlock]) -> None:
    chunks = chunk_blocks(given_blocks)
    for block in given_blocks:
        text = block.text.strip()
        if text and block.unit != "prose" and len(text) <= LARGEST:
            assert any(text in chunk.text and chunk.heading == " › ".join(block.heading) for chunk in chunks)


def test_prose_repeats_a_sentence_and_fills_chunks() -> None:
    text = " ".join(f"Câu số {number} nói về quy định nghỉ phép của công ty." for number in range(60))
    chunks = chunk_blocks([TextBlock(text, ("Nội quy",), "line:1")])
    assert len(chunks) > 2
    for before, after in pairwise(chunks):
        assert TARGET * 0.6 < len(before.text) <= TARGET
        sentence = after.text.split(". ")[0].split("\n")[0].rstrip(".")
        assert sentence in before.text
        assert after.heading == "Nội quy"


def test_rows_share_small_chunks_and_tell_their_place() -> None:
    rows = [
        TextBlock(f"Mã: SP{number}; Giá: {number}000; Ghi chú: {'x' * 60}", (), f"row:{number}", "row")
        for number in range(2, 12)
    ]
    chunks = chunk_blocks(rows)
    assert all(len(chunk.text) <= 300 for chunk in chunks)
    assert chunks[0].where == "row:2-4"


def test_places_are_told_in_both_languages() -> None:
    assert join_places(["page:3", "page:3", ""]) == "page:3"
    assert join_places(["row:2", "row:4-6"]) == "row:2-6"
    assert join_places(["page:1", "row:2"]) == "page:1"
    assert describe_place("page:3", "vi") == "trang 3"
    assert describe_place("row:2-4", "en") == "row 2-4"
    assert describe_place("điều 4", "vi") == "điều 4"
