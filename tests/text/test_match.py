"""Listed phrases are found however they are typed, and not where other accents say something else."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.vietnamese import anything, decomposed, plain, slip
from troly.text.match import UNKNOWN, ExampleClassifier, Lexicon

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
    start = time.thread_time()
    assert len(lexicon.find(text)) == 9000
    assert time.thread_time() - start < 5


# A few examples a label teach the classifier messages that nobody listed.


EXAMPLES = """# five lines teach a label
[warranty]
bảo hành máy của tôi còn không
kiểm tra bảo hành serial ABC123
máy này hết hạn bảo hành chưa
check warranty
is my laptop still under warranty
when does my warranty expire

[shopping]
tư vấn laptop tầm 20 triệu
shop còn iphone 15 không
giá bàn phím cơ bao nhiêu
có khuyến mãi gì không
mua chuột không dây
how much is the wireless mouse
I want to buy a gaming monitor

[social]
em khỏe không
đi chơi không
tên gì
có bạn trai không
can you hangout with me
what's your name
"""


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> ExampleClassifier:
    file = tmp_path_factory.mktemp("examples") / "intents.txt"
    file.write_text(EXAMPLES, encoding="utf-8")
    return ExampleClassifier.load(file)


@pytest.mark.parametrize(
    ("message", "label"),
    [
        ("cho minh kiem tra bao hanh voi", "warranty"),
        ("máy còn bh ko shop", "warranty"),
        ("chek waranty pls", "warranty"),
        ("bảo hnàh còn không", "warranty"),
        ("has the warranty expired", "warranty"),
        ("tu van lap gaming 25tr", "shopping"),
        ("mua chuột gaming", "shopping"),
        ("km gi ko", "shopping"),
        ("buying a mouse, how much", "shopping"),
        ("e khoe k", "social"),
        ("di choi voi anh ko", "social"),
        ("do you want to hangout", "social"),
    ],
)
def test_messages_nobody_listed(classifier: ExampleClassifier, message: str, label: str) -> None:
    best = classifier.best(message)
    assert best.label == label
    assert best.confidence >= 0.4


@pytest.mark.parametrize(
    "message",
    [
        "",
        "asdf qwer",
        "1+1",
        "python list comprehension",
        "viết bài thơ lục bát",
        "😀",
        "who won the world cup",
    ],
)
def test_unknown_when_nothing_is_near(classifier: ExampleClassifier, message: str) -> None:
    assert classifier.best(message).label == UNKNOWN


def test_every_example_is_known_with_and_without_accents(classifier: ExampleClassifier) -> None:
    for label, text in classifier.examples:
        for typed in (text, plain(text), text.upper()):
            best = classifier.best(typed)
            assert best.label == label, typed
            assert best.confidence >= 0.7, typed


@given(st.data())
def test_a_slip_of_the_finger_does_not_make_it_another_label(data: st.DataObject) -> None:
    classifier = ExampleClassifier(
        [("a", "kiểm tra bảo hành laptop"), ("b", "what time does the office open")]
    )
    label, text = data.draw(st.sampled_from(classifier.examples))
    at = data.draw(st.integers(0, len(text) - 2))
    ranked = [scored.label for scored in classifier.classify(slip(text, at)) if scored.label != UNKNOWN]
    assert ranked[0] == label


@given(anything)
def test_confidences_are_shares_of_one(s: str) -> None:
    classifier = ExampleClassifier(
        [("a", "bảo hành máy"), ("b", "mua hàng"), ("b", "a b c"), (UNKNOWN, "thời tiết")]
    )
    scored = classifier.classify(s)
    assert {each.label for each in scored} == {"a", "b", UNKNOWN}
    assert abs(sum(each.confidence for each in scored) - 1) < 1e-9
    assert [each.confidence for each in scored] == sorted((each.confidence for each in scored), reverse=True)
    assert classifier.classify(s) == scored


def test_prior_tips_the_balance() -> None:
    examples = [("a", "mua laptop"), ("b", "mua chuột")]
    even = ExampleClassifier(examples).classify("mua")
    tipped = ExampleClassifier(examples, prior={"b": 5.0}).classify("mua")
    share = {each.label: each.confidence for each in even}
    assert abs(share["a"] - share["b"]) < 0.05
    assert next(each.label for each in tipped if each.label != UNKNOWN) == "b"


def test_no_examples_know_nothing() -> None:
    assert ExampleClassifier([]).best("bảo hành").label == UNKNOWN
    one = ExampleClassifier([("only", "bảo hành")])
    assert one.best("bảo hành").label == "only"
    assert one.best("zzz").label == UNKNOWN


@pytest.mark.parametrize("text", ["bảo hành\n", "[]\nbảo hành\n"])
def test_a_file_must_name_its_labels(tmp_path: Path, text: str) -> None:
    file = tmp_path / "bad.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="line 1"):
        ExampleClassifier.load(file)


def test_several_files_make_one_classifier(tmp_path: Path) -> None:
    for name, text in (("vi.txt", "[a]\nbảo hành, sửa chữa\n"), ("en.txt", "[a]\nwarranty\n[b]\nprice\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    classifier = ExampleClassifier.load(tmp_path / "vi.txt", tmp_path / "en.txt")
    assert classifier.labels == ("a", "b")
    assert classifier.examples[0] == ("a", "bảo hành, sửa chữa")


def test_a_very_long_message_is_classified(classifier: ExampleClassifier) -> None:
    start = time.thread_time()
    classifier.classify("x" * 100_000 + " bảo hành " * 5_000)
    assert time.thread_time() - start < 10
