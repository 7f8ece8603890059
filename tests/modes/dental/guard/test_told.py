"""Whether a sign is told as one that happens: of all signs alike, in both languages, with and without accents."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from troly.text.fold import fold
from troly_dental.emergency import Emergency, reply
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


@pytest.mark.parametrize("thing", ["xe em", "điện thoại em", "laptop của em", "loa nhà em", "my phone"])
def test_a_thing_is_no_body(thing: str) -> None:
    assert danger(f"{thing} co giật rồi ngất luôn, răng thì ổn") is None
    assert danger(f"{thing} vừa hỏng, con em co giật rồi ngất luôn") is not None


@pytest.mark.parametrize("burden", ["deadline", "kẹt xe", "công việc", "thi cử", "chứng khoán"])
def test_what_burdens_takes_nobodys_breath(burden: str) -> None:
    assert danger(f"{burden} ngộp thở luôn, dời lịch cạo vôi giúp em") is None
    assert danger(f"{burden} dí quá, em uống 30 viên thuốc ngủ rồi") is not None
    assert danger(f"{burden} xong thì con em hóc cái mắc cài, ngộp thở luôn") is not None


@pytest.mark.parametrize(
    "frame", ["hỏi chơi chứ", "haha", "đọc báo xong thì", "đang ôn thi thì", "deadline xong thì"]
)
@pytest.mark.parametrize(
    "real", ["con em đang nuốt cục pin", "con em vừa uống nhầm nước tẩy", "em vừa uống 25 viên panadol"]
)
def test_no_frame_hides_what_is_told_beside_it(frame: str, real: str) -> None:
    assert danger(f"{frame} {real}") is not None


@pytest.mark.parametrize("bottle", ["chai nước súc miệng", "lọ siro hạ sốt", "hộp thuốc của bà"])
@pytest.mark.parametrize("trace", ["vơi quá nửa", "nắp mở", "đổ ra sàn"])
def test_a_bottle_that_a_child_got_at_is_told_by_what_is_left(bottle: str, trace: str) -> None:
    assert danger(f"cháu 2 tuổi nhà tôi cầm {bottle}, {trace}, cháu đang lả đi") is not None
    assert danger(f"{bottle} {trace}, mua ở đâu") is None


@pytest.mark.parametrize("end", ["kết thúc đêm nay", "chấm dứt tất cả", "end it tonight"])
def test_an_end_that_is_of_no_thing_is_of_a_life(end: str) -> None:
    assert danger(f"em mệt mỏi lắm rồi, em muốn {end}") is not None
    assert danger("em mệt mỏi lắm rồi, em muốn kết thúc điều trị sớm") is None


@pytest.mark.parametrize("grams", ["6g", "6 g", "6000mg", "6 gram"])
def test_a_weight_is_read_with_and_without_a_space(grams: str) -> None:
    assert danger(f"tôi uống {grams} paracetamol trong hôm nay rồi") is not None
    assert danger("tôi uống 1g paracetamol trong hôm nay rồi") is None


@pytest.mark.parametrize("told", ["Mẹ em đỡ méo hơn rồi ạ.", "Mẹ em vẫn vậy ạ."])
def test_a_question_of_another_matter_behind_what_is_told_is_answered_beside_the_reminder(told: str) -> None:
    now = datetime(2026, 11, 23, 10, tzinfo=UTC)
    present = Emergency("nerve", now, "mẹ e", severe=True)
    other = "Cho em hỏi hàm giả của mẹ chà bằng kem đánh răng được không?"
    said = reply(f"{told} {other}", [], present, now, "vi")
    assert said is not None
    assert said.aside
    assert said.emergency == present
    # What is asked of the danger itself is none of another matter.
    same = reply(f"{told} Giờ mẹ em phải làm gì?", [], present, now, "vi")
    assert same is not None
    assert not same.aside
