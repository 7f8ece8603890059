"""What is left of a limit or beyond it: one figure of a rule against those of the asker, in its unit and period."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.modes.rag import RagDesk
from troly.text.numbers import find_amounts, format_number
from troly_rag.tools.calculator import hours_in_full
from troly_rag.tools.limits import asks_left_or_over, left_or_over, with_cost

OVERTIME = "Làm thêm ngày thường được trả 150% lương giờ. Không quá {limit} giờ mỗi tháng và phải được duyệt."
INSURANCE = "Nhân viên có bảo hiểm sức khỏe với hạn mức nội trú {other}.000.000 VND mỗi năm, nha khoa {limit}.000.000 VND."
TRAINING = "Công ty chi tối đa {limit}.000.000 VND mỗi người mỗi năm cho khóa học đúng chuyên môn."
HOTEL = (
    "Công tác được chi khách sạn tối đa {limit}00.000 VND mỗi đêm, phụ cấp 250.000 VND mỗi ngày. "
    "Nộp chứng từ trong 10 ngày sau chuyến đi."
)
LEAVE = (
    "Nhân viên có {limit} ngày phép năm, thêm 1 ngày cho mỗi 5 năm làm việc. Phép chưa dùng được chuyển tối đa 5 ngày. "
    "Nghỉ từ 3 ngày trở lên phải xin trước 5 ngày làm việc."
)


def millions(count: int) -> str:
    return f"{format_number(Decimal(count) * 1_000_000, 'vi', 0)} VND"


@pytest.mark.parametrize(
    "asked",
    [
        "tháng này tăng ca {used} tiếng rồi, còn được làm thêm mấy tiếng nữa",
        "thang nay tang ca {used} tieng roi con duoc may tieng",
        "em đã làm thêm {used} giờ, còn lại bao nhiêu giờ",
        "I did {used} hours of overtime this month, how many hours are left",
    ],
)
@pytest.mark.parametrize(("limit", "used"), [(40, 34), (40, 40), (30, 46), (200, 3)])
def test_what_is_left_is_the_limit_less_what_was_used(asked: str, limit: int, used: int) -> None:
    told = left_or_over(asked.format(used=used), "", OVERTIME.format(limit=limit), "vi", "Làm thêm giờ")
    assert f"{limit} − {used}" in told
    assert f"{max(0, limit - used)} giờ" in told
    assert ("đã vượt" in told) == (used > limit)


@given(st.integers(1, 60), st.integers(1, 60))
def test_what_is_beyond_is_nothing_below_the_limit(limit: int, used: int) -> None:
    asked = f"tháng này tăng ca {used} tiếng thì vượt mấy tiếng"
    told = left_or_over(asked, "", OVERTIME.format(limit=limit), "vi", "Làm thêm giờ")
    assert (f"= {used - limit} giờ" in told) == (used > limit)
    assert ("→ 0 giờ" in told) == (used <= limit)


@given(st.integers(2, 90), st.integers(2, 90))
def test_a_cost_beyond_a_limit_is_paid_by_oneself(limit: int, cost: int) -> None:
    page = INSURANCE.format(limit=limit, other=500)
    asked = f"nha khoa hết {cost} triệu thì phải tự trả bao nhiêu"
    assert f"{millions(max(0, cost - limit))}." in left_or_over(asked, "", page, "vi", "Bảo hiểm sức khỏe")
    # Of two limits that are not named none is the one that is meant, but by what was said before.
    bare = f"Bảo hiểm sức khỏe: hết {cost} triệu thì phải tự trả bao nhiêu"
    assert not left_or_over(bare, "", page, "vi", "Bảo hiểm sức khỏe")
    before = "hạn mức nha khoa là bao nhiêu"
    assert f"{millions(max(0, cost - limit))}." in left_or_over(bare, before, page, "vi", "Bảo hiểm sức khỏe")


@given(st.integers(2, 30), st.integers(1, 30), st.integers(2, 60))
def test_what_was_used_before_is_taken_from_the_limit_first(limit: int, used: int, cost: int) -> None:
    page, beyond = TRAINING.format(limit=limit), max(0, cost - max(0, limit - used))
    now = f"mình đã được chi {used} triệu rồi, khóa này {cost} triệu thì phải bù bao nhiêu"
    assert f"{millions(beyond)}." in left_or_over(now, "", page, "vi", "Đào tạo")
    then = f"khóa học: đầu năm mình đã được chi {used} triệu rồi, vậy khóa này phải bù bao nhiêu"
    assert f"{millions(beyond)}." in left_or_over(
        then, f"mình định học khóa {cost} triệu", page, "vi", "Đào tạo"
    )


@pytest.mark.parametrize("nights", [2, 3, 7])
@pytest.mark.parametrize("price", [700, 900, 1200])
def test_a_limit_for_each_is_that_often_a_limit(nights: int, price: int) -> None:
    page, beyond = HOTEL.format(limit=9), max(0, price - 900) * nights
    each = f"khách sạn {price}k một đêm, ở {nights} đêm thì phải tự trả bao nhiêu"
    whole = f"khách sạn {nights} đêm hết {price * nights}k thì phải tự trả bao nhiêu"
    for asked in (each, whole):
        told = left_or_over(asked, "", page, "vi", "Công tác phí")
        assert f"{format_number(Decimal(beyond) * 1000, 'vi', 0)} VND." in told
    # A price without what it is for may be that of each or of all.
    assert not left_or_over(
        f"khách sạn {price}k, ở {nights} đêm thì tự trả bao nhiêu", "", page, "vi", "Công tác phí"
    )


@pytest.mark.parametrize(
    "asked",
    [
        "tuần này tăng ca 30 tiếng rồi, còn được mấy tiếng",
        "hôm qua tăng ca 3 tiếng rồi, còn được mấy tiếng",
        "tháng trước tăng ca 30 tiếng, tháng này còn được mấy tiếng",
        "còn dư 30 tiếng tăng ca, còn được mấy tiếng",
        "tăng ca 30 tiếng thì được trả bao nhiêu",
        "tăng ca bao nhiêu tiếng",
        "đã họp 30 tiếng, còn được họp mấy tiếng",
        "tăng ca 3 ngày rồi, còn được mấy tiếng",
    ],
)
def test_another_period_unit_or_matter_is_no_limit_of_this(asked: str) -> None:
    assert not left_or_over(asked, "", OVERTIME.format(limit=40), "vi", "Làm thêm giờ")


@pytest.mark.parametrize("used", [1, 5, 14])
def test_what_is_granted_is_no_notice_and_nothing_else_that_is_granted(used: int) -> None:
    page, title = LEAVE.format(limit=14), "Chính sách nghỉ phép năm"
    assert f"14 − {used} = {14 - used} ngày" in left_or_over(
        f"em đã nghỉ {used} ngày phép rồi, còn mấy ngày", "", page, "vi", title
    )
    assert not left_or_over(f"còn nghỉ {used} ngày phải báo trước mấy ngày", "", page, "vi", title)
    assert not left_or_over(f"em đã nghỉ {used} ngày phép, còn nghỉ ốm được mấy ngày", "", page, "vi", title)
    assert not left_or_over(f"em làm 6 năm, đã nghỉ {used} ngày phép, còn mấy ngày", "", page, "vi", title)
    assert asks_left_or_over(f"em làm 6 năm, đã nghỉ {used} ngày phép, còn mấy ngày")


@pytest.mark.parametrize("asked", ["còn chủ nhật được bao nhiêu", "còn làm 7 năm thì được mấy ngày", "thiếu mấy điểm lên A, em được 70 điểm", "mật khẩu tối thiểu mấy ký tự, bây giờ là 9 ký tự"])  # fmt: skip
def test_another_case_is_no_rest(asked: str) -> None:
    assert not asks_left_or_over(asked)


@pytest.mark.parametrize(
    ("case", "limit"),
    [
        ("hợp đồng không xác định thời hạn", 45),
        ("hợp đồng có thời hạn", 30),
        ("hop dong co thoi han", 30),
        ("hợp đồng", 0),
        ("", 0),
    ],
)
def test_of_several_cases_the_one_that_is_named_is_the_limit(case: str, limit: int) -> None:
    page = (
        "Nhân viên báo trước 45 ngày với hợp đồng không xác định thời hạn, 30 ngày với hợp đồng có thời hạn."
    )
    told = left_or_over(f"đã báo 20 ngày, {case}, còn mấy ngày nữa", "", page, "vi", "Thôi việc")
    assert f"{limit} − 20 = {limit - 20} ngày" in told if limit else not told


@given(st.text(max_size=80), st.sampled_from([OVERTIME, INSURANCE, TRAINING, HOTEL, LEAVE]))
def test_any_text_is_held_against_a_limit(text: str, page: str) -> None:
    assert isinstance(left_or_over(text, text, page.format(limit=4, other=9), "vi", ""), str)


@pytest.mark.parametrize("tail", ["thì", "mỗi đêm", "một đêm", "rồi", ""])
def test_a_tail_of_millions_goes_on_before_what_no_number_counts(tail: str) -> None:
    assert [one.value for one in find_amounts(f"hết 4 triệu 2 {tail}")] == [4_200_000]
    assert [one.value for one in find_amounts("2 triệu 5 người")] == [2_000_000, 5]


@pytest.mark.parametrize(("first", "second"), [("3 hours on Monday", "and 4 on Sunday"), ("3 tiếng thứ hai", "và 4 chủ nhật"), ("3 tieng thu hai", ", 4 toi chu nhat")])  # fmt: skip
def test_a_bare_count_before_a_day_is_of_hours_too(first: str, second: str) -> None:
    told = hours_in_full(f"overtime, làm thêm {first} {second}")
    assert (
        len(
            [
                one
                for one in ("3 ", "4 ")
                if any(f"{one}{unit}" in told for unit in ("hours", "tiếng", "tieng"))
            ]
        )
        == 2
    )
    assert "4 ngày" in hours_in_full("làm thêm 3 giờ thứ hai, 4 ngày lễ")


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        (["tháng này mk tăng ca 34 tiếng r, còn dc làm thêm tối đa mấy tiếng nữa z"], "= 6 giờ"),
        (["ăn trưa tháng này hết 900k thì tự trả bao nhiêu"], "= 170.000 VND"),
        (["nghỉ phép năm được mấy ngày", "em nghỉ 5 ngày rồi, còn mấy ngày"], "14 − 5 = 9 ngày"),
        (["phụ cấp điện thoại bao nhiêu", "tháng này em xài hết 410k thì tự trả bao nhiêu"], "= 110.000 VND"),
        (["Hạn mức nha khoa một năm là bao nhiêu?", "nhổ răng khôn hết 5 triệu 4 thì tự trả bao nhiêu"], "= 2.400.000 VND"),
        (["My hotel was 1.3 million a night for 2 nights. How much do I pay out of my own pocket?"], "= 800,000 VND"),
        (["lương chính thức 15 triệu thì thử việc được bao nhiêu, và thử việc bao lâu"], "60 ngày"),
        (["lương giờ 80k, chủ nhật làm thêm 6 tiếng được bao nhiêu", "à nhầm, sếp bảo làm tối thứ sáu chứ không phải chủ nhật, cũng 6 tiếng"], "= 720.000 VND"),
        (["lương giờ 80k, chủ nhật làm thêm 6 tiếng được bao nhiêu", "nhầm, thứ ba 4 tiếng"], "= 480.000 VND"),
    ],
)  # fmt: skip
async def test_what_is_left_beyond_or_taken_back_is_worked_out_in_a_conversation(
    desk: RagDesk, turns: list[str], said: str
) -> None:
    for question in turns[:-1]:
        await desk.ask(question, offline=True)
    told = await desk.ask(turns[-1], offline=True)
    assert said in told.answer
    assert told.done.metadata.get("answered") is not False


async def test_a_part_that_asks_something_else_than_the_sum_is_named(desk: RagDesk) -> None:
    told = await desk.ask(
        "làm thêm 3 tiếng chủ nhật, lương giờ 80k được bao nhiêu, và hoa hồng mấy phần trăm", offline=True
    )
    assert "480.000" in told.answer
    assert "oa hồng" in told.answer
    assert told.done.metadata["answered"] is False


@pytest.mark.parametrize("left", ["còn dư mấy triệu", "còn thừa mấy triệu", "còn mấy triệu nữa"])
@pytest.mark.parametrize("next_one", ["", " cho khóa khác", " để học khóa nữa"])
@pytest.mark.parametrize("cost", [3, 7])
def test_what_is_left_is_counted_with_the_cost_of_the_part_before(
    left: str, next_one: str, cost: int
) -> None:
    parts = [f"em muốn học khóa {cost} triệu, có phải cam kết gì không?"]
    asked = with_cost(f"học xong {left}{next_one}?", parts)
    told = left_or_over(asked, "", TRAINING.format(limit=10), "vi", "Đào tạo và học phí")
    assert f"{millions(10)} − {millions(cost)} = {millions(10 - cost)}" in told
    # Of two figures it is not known which is meant, nor of those that count another thing.
    assert not with_cost(f"{left}{next_one}", [*parts, "khóa kia 2 triệu"])
    assert not with_cost(f"{left}{next_one}", ["em nghỉ 3 ngày"])
    assert not with_cost(f"khóa 2 triệu thì {left}", parts)
    assert not with_cost("có phải cam kết gì không", parts)


@pytest.mark.parametrize("word", ["dư", "thừa"])
@pytest.mark.parametrize("unit", ["ngày", "giờ"])
def test_days_left_over_are_not_what_is_left_of_a_limit(word: str, unit: str) -> None:
    """They may be those that are carried over."""
    asked = f"em nghỉ 9 {unit} phép rồi còn {word} mấy {unit}"
    assert not left_or_over(asked, "", LEAVE.format(limit=14), "vi", "Nghỉ phép năm")


@pytest.mark.parametrize("years", [2, 3, 11])
async def test_years_worked_are_a_whole_one_and_years_of_a_bonus_are_not_passed_over(
    desk: RagDesk, years: int
) -> None:
    told = await desk.ask(
        f"em làm {years} năm, lương cơ bản 10tr, xếp loại A, tết thưởng bao nhiêu", offline=True
    )
    assert "15.000.000 VND" in told.answer
    assert told.done.metadata.get("answered") is not False
    told = await desk.ask(f"thưởng tết {years} năm được bao nhiêu, lương 10tr", offline=True)
    assert f"“{years} năm”" in told.answer
    assert told.done.metadata["answered"] is False


async def test_what_must_be_is_told_beside_the_sum_by_the_same_page_once(desk: RagDesk) -> None:
    await desk.ask("mỗi năm công ty chi tối đa bao nhiêu tiền học phí cho một người?", offline=True)
    told = await desk.ask(
        "em muốn học khóa 7 triệu, có phải cam kết gì không, học xong còn dư mấy triệu cho khóa khác",
        offline=True,
    )
    assert "= 3.000.000 VND" in told.answer
    assert told.answer.count("cam kết làm việc thêm 12 tháng") == 1


async def test_support_is_of_the_thing_just_named(desk: RagDesk) -> None:
    told = await desk.ask(
        "vợ em sắp sinh đôi, được nghỉ mấy tháng và công ty hỗ trợ tổng bao nhiêu", offline=True
    )
    assert "7 tháng" in told.answer
    assert "= 10.000.000 VND" in told.answer
    assert "IT" not in told.answer
