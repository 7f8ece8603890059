"""A few examples a label teach the classifier messages that nobody listed."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.vietnamese import anything, plain, slip
from troly.text.match import UNKNOWN, ExampleClassifier

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


def test_explanation_names_the_parts_and_the_nearest_example(classifier: ExampleClassifier) -> None:
    why = classifier.explain("kiem tra bao hanh giup em")
    assert why.label == "warranty"
    assert why.nearest == "kiểm tra bảo hành serial ABC123"
    assert {"kiem", "hanh"} <= {name for name, weight in why.features if weight > 0}
    assert classifier.explain("zzz").label == UNKNOWN
    assert classifier.explain("zzz").features == ()


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
    start = time.perf_counter()
    classifier.classify("x" * 100_000 + " bảo hành " * 5_000)
    assert time.perf_counter() - start < 10
