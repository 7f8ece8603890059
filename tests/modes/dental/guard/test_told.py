"""Whether a sign is told as one that happens: of all signs alike, in both languages, with and without accents."""

from __future__ import annotations

import pytest

from troly.text.fold import fold
from troly_dental.guard import danger


@pytest.mark.parametrize(
    "lesson", ["em đang làm bài thuyết trình về", "viết bài luận về", "cho em xin tài liệu về"]
)
@pytest.mark.parametrize(
    "course", ["áp xe lan xuống cổ", "nhiễm trùng răng lan lên mắt", "sưng hàm lan xuống họng"]
)
def test_how_an_illness_spreads_says_nothing_of_now(lesson: str, course: str) -> None:
    assert danger(f"{lesson} {course}") is None
    assert danger(f"mặt em sưng, {course} rồi") is not None


@pytest.mark.parametrize(
    ("almost", "done"),
    [
        ("bé suýt nuốt cái răng nhưng nhả ra rồi", "bé nuốt mất cái răng rồi"),
        ("con em xém nuốt cái mắc cài", "con em nuốt cái mắc cài"),
        ("he almost swallowed the crown", "he swallowed the crown"),
        ("she nearly swallowed her bracket", "she swallowed her bracket"),
    ],
)
def test_what_almost_was_done_was_not(almost: str, done: str) -> None:
    assert danger(almost) is None
    assert danger(done) is not None


@pytest.mark.parametrize("owner", ["my", "our", "their"])
@pytest.mark.parametrize("beast", ["dog", "cat", "rabbit"])
def test_an_animal_is_one_as_an_owner_too(owner: str, beast: str) -> None:
    assert danger(f"{owner} {beast}'s face is swollen, tooth abscess maybe") is None
    assert danger("my son's face is swollen, tooth abscess maybe") is not None


def test_it_is_the_fear_that_goes_on() -> None:
    assert danger("cứ sợ nuốt phải cái răng giả lúc ngủ, có sao không") is None
    assert danger("em cứ ho hoài từ lúc nuốt phải cái răng giả") is not None


@pytest.mark.parametrize(
    "told",
    [
        "tai nạn xe máy đập cằm xuống đường, cắn hai hàm không khớp",
        "bàn chải kẽ gãy rồi trôi xuống họng",
        "cấy implant mà máu dồn đầy họng",
    ],
)
def test_a_word_that_only_looks_like_a_question_asks_nothing(told: str) -> None:
    found = danger(told)
    assert found is not None
    assert found.sure


@pytest.mark.parametrize(
    ("jest", "meant"),
    [
        ("implant so expensive I want to die lol", "I lost my job and want to die lol"),
        ("xấu là em đi tự tử á haha", "em mệt mỏi muốn tự tử haha"),
        ("scared of the knife, i want it to be over", "i have the knife here, i want it to be over"),
    ],
)
def test_who_laughs_at_a_price_or_fears_a_knife_means_no_harm(jest: str, meant: str) -> None:
    assert danger(jest) is None
    found = danger(meant)
    assert found is not None
    assert found.name == "self_harm"


@pytest.mark.parametrize(
    "asked",
    [
        "bọc sứ có bị điện giật khi ăn kim loại không",
        "what counts as too much paracetamol",
        "bị áp xe răng lan xuống cổ thì nguy hiểm cỡ nào",
    ],
)
def test_what_is_asked_of_nobody_and_no_time_is_no_event(asked: str) -> None:
    assert danger(asked) is None
    assert danger(fold(asked)) is None
