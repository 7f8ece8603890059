"""Listed phrases are found however they are typed, and not where other accents say something else."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.vietnamese import anything, decomposed, plain
from troly.text.match import Lexicon

FILE = """
# what customers ask for
warranty: bảo hành, warranty, check warranty
promotion: khuyến mãi, giảm giá
[buying]
mua, mua hàng
đặt hàng
[season]
mùa
[people]
bạn
[selling]
bán, mua hàng
"""


@pytest.fixture
def lexicon(tmp_path: Path) -> Lexicon:
    file = tmp_path / "lexicon.txt"
    file.write_text(FILE, encoding="utf-8")
    return Lexicon.load(file)


@pytest.mark.parametrize(
    "typed",
    ["bảo hành", "BẢO HÀNH", "bao hanh", "Bao  Hành", "bảo-hành", "baohanh", "bão hành", "bảo hànhhhh"],
)
def test_a_phrase_however_it_is_typed(lexicon: Lexicon, typed: str) -> None:
    for text in (f"cho hỏi {typed} laptop", decomposed(f"cho hỏi {typed} laptop")):
        (hit,) = lexicon.find(text)
        assert (hit.label, hit.phrase) == ("warranty", "bảo hành")
        assert text[hit.start : hit.end] in {typed, decomposed(typed)}


def test_typed_accents_decide(lexicon: Lexicon) -> None:
    assert lexicon.labels_in("bán") == ["selling"]
    assert lexicon.labels_in("bạn") == ["people"]
    assert sorted(lexicon.labels_in("ban")) == ["people", "selling"]
    assert lexicon.labels_in("bàn") == []


def test_one_bare_word_in_an_accented_message_means_itself(lexicon: Lexicon) -> None:
    assert lexicon.labels_in("tôi muốn mua áo này") == ["buying"]
    assert sorted(lexicon.labels_in("mua he")) == ["buying"]


def test_the_longest_phrase_wins_and_may_have_two_labels(lexicon: Lexicon) -> None:
    assert [hit.phrase for hit in lexicon.find("check warranty")] == ["check warranty"]
    assert [(hit.label, hit.phrase) for hit in lexicon.find("muốn mua hàng")] == [
        ("buying", "mua hàng"),
        ("selling", "mua hàng"),
    ]


@pytest.mark.parametrize("text", ["", "bảo, hành", "bảohànhlang", "bao. hanh", "warrantyless", "😀"])
def test_phrases_do_not_cross_words_or_sentences(lexicon: Lexicon, text: str) -> None:
    assert lexicon.find(text) == []
    assert not lexicon.has(text, "warranty")


def test_a_phrase_without_a_word_is_refused() -> None:
    with pytest.raises(ValueError, match="no word"):
        Lexicon({"a": ["!!"]})


@given(anything)
def test_hits_lie_in_the_text_in_order(s: str) -> None:
    lexicon = Lexicon({"a": ["a", "b c", "đá"], "b": ["ba", "1 2"]})
    hits = lexicon.find(s)
    assert all(0 <= hit.start < hit.end <= len(s) for hit in hits)
    assert all(a.end <= b.start or (a.start, a.end) == (b.start, b.end) for a, b in pairwise(hits))


@given(st.lists(st.sampled_from(["bảo hành", "khuyến mãi", "mua", "đặt hàng"]), min_size=1, max_size=5))
def test_every_listed_phrase_is_found_with_and_without_accents(phrases: list[str]) -> None:
    lexicon = Lexicon({phrase: [phrase] for phrase in phrases})
    text = ", ".join(phrases)
    for typed in (text, plain(text), text.upper(), decomposed(text)):
        assert [hit.label for hit in lexicon.find(typed)] == phrases


def test_a_long_text_takes_its_time_once(lexicon: Lexicon) -> None:
    text = "tôi muốn mua hàng còn bảo hành " * 3000
    start = time.perf_counter()
    assert len(lexicon.find(text)) == 9000
    assert time.perf_counter() - start < 5
