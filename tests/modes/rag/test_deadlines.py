"""By which day or hour something is due: counted from the day or hour that was said, where the rule counts from that."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.modes.rag import RagDesk
from troly.text.dates import format_date
from troly_rag.routing.correction import corrected
from troly_rag.tools.calculator import on_calendar
from troly_rag.tools.deadlines import due

TODAY = date(2026, 11, 24)
LEAVE = "Nghỉ từ 3 ngày trở lên phải xin trước {count} ngày làm việc và được quản lý duyệt."
RESIGN = (
    "Nhân viên báo trước {count} ngày với hợp đồng không xác định thời hạn, 30 ngày với hợp đồng có thời hạn."
)
TRIP = "Nộp chứng từ trong {count} ngày sau chuyến đi, kế toán chi trả trong 7 ngày."
LOST = "Mất laptop phải báo IT trong {count} giờ để khóa, sau đó nộp đơn trình báo công an trong 3 ngày."
ROOM = "Không dùng phòng họp thì hủy trước {count} phút."
DAYS = st.dates(date(2026, 7, 1), date(2027, 3, 1))


def written(day: date) -> str:
    return f"{day.day}/{day.month}/{day.year}"


@given(st.integers(1, 60), DAYS)
def test_a_day_of_return_leads_to_the_day_papers_are_due(count: int, day: date) -> None:
    page, title = TRIP.format(count=count), "Công tác phí"
    for asked in (
        "về ngày {} thì hạn nộp chứng từ là ngày nào",
        "đi công tác về ngày {} thì chậm nhất ngày nào phải nộp chứng từ",
    ):
        told = due(asked.format(written(day)), "", page, TODAY, "vi", heading=title)
        assert f" {format_date(day + timedelta(days=count))}." in told
    paid = due(
        f"nộp chứng từ ngày {written(day)} thì khi nào được chi trả", "", page, TODAY, "vi", heading=title
    )
    assert f" {format_date(day + timedelta(days=7))}." in paid
    # The day on which one leaves is not its end, and money is not paid so long after the trip.
    assert not due(
        f"đi công tác ngày {written(day)} thì hạn nộp chứng từ là ngày nào",
        "",
        page,
        TODAY,
        "vi",
        heading=title,
    )
    assert not due(
        f"công tác về ngày {written(day)} thì khi nào được chi trả", "", page, TODAY, "vi", heading=title
    )


@given(st.integers(1, 15), DAYS, st.integers(1, 9))
def test_working_days_before_a_day_that_was_told_before(count: int, day: date, days: int) -> None:
    before = f"e tinh nghi {days} ngay tu {written(day)}, phai xin truoc bao lau"
    page, title = LEAVE.format(count=count), "Chính sách nghỉ phép năm"
    told = due(
        "Chinh sach nghi phep nam: vay tre nhat la ngay may phai gui don",
        before,
        page,
        TODAY,
        "vi",
        heading=title,
    )
    # A rule for three days or more is none for fewer.
    assert bool(told) == (days >= 3)
    then, left = day, count
    while left:
        then -= timedelta(days=1)
        left -= then.weekday() < 5
    assert f" {format_date(then)}." in told or not told


@given(st.integers(31, 90), DAYS)
def test_a_notice_of_a_day_leads_to_the_day_it_is_given_for(count: int, day: date) -> None:
    page, title = RESIGN.format(count=count), "Thôi việc"
    asked = f"Thôi việc: ngày {written(day)} em nộp đơn thì sớm nhất ngày nào được nghỉ"
    told = due(asked, "", page, TODAY, "vi", heading=title)
    assert format_date(day + timedelta(days=count)) in told
    assert format_date(day + timedelta(days=30)) in told
    named = due(
        asked, "Hợp đồng không xác định thời hạn thì báo trước mấy ngày", page, TODAY, "vi", heading=title
    )
    assert format_date(day + timedelta(days=count)) in named
    assert format_date(day + timedelta(days=30)) not in named
    back = due(
        f"thôi việc ngày {written(day)} thì phải báo trước ngày nào", "", page, TODAY, "vi", heading=title
    )
    assert format_date(day - timedelta(days=count)) in back


@given(st.integers(1, 5), st.integers(0, 23))
def test_hours_after_a_time_of_day(count: int, hour: int) -> None:
    told = due(
        f"mất laptop lúc {hour}h thì trễ nhất mấy giờ phải báo IT", "", LOST.format(count=count), TODAY, "vi"
    )
    assert f"= {(hour + count) % 24} giờ" in told
    assert ("hôm sau" in told) == (hour + count >= 24)
    assert not due(f"mất laptop lúc {hour}h thì trễ nhất mấy giờ phải báo IT", "", LOST.format(count=count).replace("giờ", "giờ làm việc"), TODAY, "vi")  # fmt: skip


@pytest.mark.parametrize("minutes", [15, 30, 45])
def test_minutes_before_a_time_of_day(minutes: int) -> None:
    told = due(
        "họp lúc 14h thì phải hủy trước mấy giờ",
        "",
        ROOM.format(count=minutes),
        TODAY,
        "vi",
        heading="Đặt phòng họp",
    )
    assert f"= 13 giờ {60 - minutes}" in told


@pytest.mark.parametrize(
    "asked",
    [
        "nghỉ phép 4 ngày từ thứ ba 7/12 thì chậm nhất ngày nào phải gửi đơn",
        "nghỉ phép 4 ngày từ 7/12 đến 10/12 thì chậm nhất ngày nào phải gửi đơn",
        "nghỉ phép 4 ngày ngày 7/12 hoặc 9/12 thì chậm nhất ngày nào phải gửi đơn",
        "cưới ngày 7/12 thì chậm nhất ngày nào phải gửi đơn",
        "nghỉ phép ngày 7/12 có phải gửi đơn không",
        "chậm nhất ngày nào phải gửi đơn",
    ],
)
def test_a_day_that_is_not_certain_leads_to_none(asked: str) -> None:
    assert not due(asked, "", LEAVE.format(count=5), TODAY, "vi", heading="Chính sách nghỉ phép năm")


@given(st.text(max_size=80), st.sampled_from([LEAVE, RESIGN, TRIP, LOST, ROOM]))
def test_any_text_is_held_against_a_deadline(text: str, page: str) -> None:
    assert isinstance(due(text, text, page.format(count=4), TODAY, "vi"), str)


@pytest.mark.parametrize(
    ("weekday", "told"), [("thứ bảy", True), ("thu bay", True), ("thứ sáu", False), ("chủ nhật", False)]
)
def test_the_day_of_a_rule_may_be_told_again_as_it_falls(weekday: str, *, told: bool) -> None:
    page = "Lương được trả vào ngày 5 hằng tháng. Trùng ngày nghỉ thì trả vào ngày làm việc liền trước."
    asked = f"Tháng 12 này mùng 5 rơi vào {weekday}, vậy lương trả ngày nào"
    assert ("4/12/2026" in on_calendar(asked, page, TODAY, "vi")) == told
    assert not on_calendar(asked.replace("mùng 5", "mùng 6"), page, TODAY, "vi")


@pytest.mark.parametrize(
    "turn", ["lần bảo trì sắp tới", "lần bảo trì kế tiếp", "bảo trì lần tới", "đợt bảo trì tiếp theo"]
)
def test_the_turn_that_comes_is_the_next(turn: str) -> None:
    page = "Bảo trì vào tối chủ nhật đầu tháng từ 22 giờ đến 24 giờ."
    assert "6/12/2026" in on_calendar(f"{turn} là ngày mấy", page, TODAY, "vi")


BEFORE = "Lương giờ 80.000 đồng, chủ nhật làm thêm 6 tiếng thì được bao nhiêu?"


@pytest.mark.parametrize(
    ("said", "day", "hours"),
    [
        ("à nhầm, sếp bảo làm tối thứ sáu chứ không phải chủ nhật, cũng 6 tiếng", "thứ sáu", 6),
        ("nhầm, thứ ba 4 tiếng", "thứ ba", 4),
        ("nham, khong phai chu nhat ma thu bay", "thu bay", 6),
        ("à quên, ngày lễ 2 tiếng", "ngày lễ", 2),
    ],
)
def test_a_day_that_is_corrected_takes_the_place_of_the_one_before(said: str, day: str, hours: int) -> None:
    told = corrected(said, BEFORE)
    assert day in told
    assert f"{hours} tiếng" in told
    assert "80.000" in told
    assert "chủ nhật" not in told


@pytest.mark.parametrize("said", ["thứ sáu thì sao", "à nhầm, nghỉ ốm thứ sáu", "à nhầm, tối chủ nhật", "không phải thứ bảy, thứ sáu", "à nhầm", "nhầm, thứ ba 4 tiếng và thứ tư 2 tiếng"])  # fmt: skip
def test_what_corrects_no_day_is_read_as_it_stands(said: str) -> None:
    assert corrected(said, BEFORE) == ""


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        (["e tinh nghi 4 ngay tu thu hai 7/12, phai xin truoc bao lau a", "vay tre nhat la ngay may phai gui don?"], "30/11/2026"),
        (["đi công tác khách sạn được bao nhiêu một đêm", "Về ngày 27/11/2026 thì hạn nộp chứng từ là ngày nào?"], "7/12/2026"),
        (["mất laptop lúc 9h sáng nay thì trễ nhất mấy giờ phải báo IT"], "= 11 giờ"),
    ],
)  # fmt: skip
async def test_a_deadline_is_told_as_a_day_in_a_conversation(
    desk: RagDesk, turns: list[str], said: str
) -> None:
    for question in turns[:-1]:
        await desk.ask(question, offline=True)
    told = await desk.ask(turns[-1], offline=True)
    assert said in told.answer
    assert told.done.metadata.get("answered") is not False
