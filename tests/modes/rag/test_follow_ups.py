"""Messages that go on with an answer: another year for a sum, a point of the page shown, a question made clearer."""

from __future__ import annotations

from datetime import datetime

import pytest

from tests.support.modes.rag import RagDesk
from troly.text.dates import HCM

LATE = "Đi muộn {} lần thì bị trừ bao nhiêu tiền?"
VALUES = ("Khách hàng trước tiên", "Chính trực", "Hợp tác", "Kỷ luật")


@pytest.mark.parametrize("times", [6, 9, 14])
@pytest.mark.parametrize(
    "then", ["năm 2024 thì sao", "nếu tính theo quy định đi muộn 2024 thì sao", "còn quy định 2024"]
)
async def test_a_sum_is_worked_out_anew_by_the_rule_of_another_year(
    desk: RagDesk, times: int, then: str
) -> None:
    desk.become("public", "internal", "private", department="hr")
    now, before = (f"{(times - free) * rate // 1000}.000" for free, rate in ((3, 200_000), (5, 100_000)))
    now, before = (one if len(one) < 8 else f"{one[0]}.{one[1:]}" for one in (now, before))
    assert f"= {now} VND" in (await desk.ask(LATE.format(times), offline=True)).answer
    told = await desk.ask(then, offline=True)
    assert f"= {before} VND" in told.answer
    assert told.done.metadata["answered"] is True


@pytest.mark.parametrize("then", ["mật khẩu năm 2024 thế nào", "năm 2024 mấy giờ thì tính là đi muộn"])
async def test_what_asks_more_than_the_year_is_no_sum_anew(desk: RagDesk, then: str) -> None:
    desk.become("public", "internal", "private", department="hr")
    await desk.ask(LATE.format(9), offline=True)
    assert "400.000" not in (await desk.ask(then, offline=True)).answer


@pytest.mark.parametrize(
    "pointer", ["cái thứ {} là gì", "mục {}", "ý thứ {} thì sao", "giá trị thứ {}", "y thu {}"]
)
@pytest.mark.parametrize("place", [1, 2, 3, 4, 5])
async def test_an_item_of_a_list_is_pointed_at_by_its_place(desk: RagDesk, pointer: str, place: int) -> None:
    await desk.ask("Công ty có những giá trị cốt lõi nào?", offline=True)
    told = (await desk.ask(pointer.format(place), offline=True)).answer
    assert [one in told for one in VALUES] == [at == place for at in range(1, 5)]
    assert ("không rõ" in told) is (place > len(VALUES))


@pytest.mark.parametrize(
    ("page", "sentences"),
    [
        ("Quy định mật khẩu", ["ít nhất 14 ký tự", "đổi định kỳ", "chia sẻ mật khẩu"]),
        ("Thử việc", ["60 ngày", "85%", "không được làm việc từ xa"]),
    ],
)
@pytest.mark.parametrize("thing", ["điều thứ", "câu", "ý thứ"])
async def test_a_page_without_a_list_is_told_by_the_sentence(
    desk: RagDesk, page: str, sentences: list[str], thing: str
) -> None:
    await desk.ask(page, offline=True)
    for place, _ in enumerate(sentences, 1):
        told = (await desk.ask(f"{thing} {place}", offline=True)).answer
        assert [one in told for one in sentences] == [at == place for at in range(1, len(sentences) + 1)]


@pytest.mark.parametrize("no_pointer", ["con thứ hai thì sao", "lần thứ hai thì sao", "ngày thứ hai thì sao"])
async def test_what_is_counted_is_no_point(desk: RagDesk, no_pointer: str) -> None:
    await desk.ask("Sinh con được nghỉ mấy tháng?", offline=True)
    assert "Câu thứ" not in (await desk.ask(no_pointer, offline=True)).answer


@pytest.mark.parametrize("opening", ["ý tôi là", "ý mình là", "ý em là", "à nhầm,"])
@pytest.mark.parametrize(
    ("before", "asked", "told"),
    [
        ("Thử việc bao lâu?", "lương bao nhiêu phần trăm", ("85%", "tạm ứng")),
        ("Nghỉ ốm thế nào?", "cần giấy tờ gì", ("giấy của cơ sở y tế", "VPN")),
        ("Nghỉ ốm thế nào?", "lương có bị trừ không", ("trả đủ lương 5 ngày ốm", "Kết hôn")),
        ("Nghỉ ốm thế nào?", "gửi xe ở đâu", ("hầm B1", "giấy của cơ sở y tế")),
        ("Nghỉ phép năm thế nào?", "nghỉ ốm được mấy ngày", ("5 ngày ốm", "14 ngày")),
    ],
)
async def test_a_question_made_clearer_keeps_what_it_is_of(
    desk: RagDesk, opening: str, before: str, asked: str, told: tuple[str, str]
) -> None:
    """But for one that names another page."""
    await desk.ask(before, offline=True)
    answer = (await desk.ask(f"{opening} {asked}", offline=True)).answer
    assert [one in answer for one in told] == [True, False]


@pytest.mark.parametrize("who", ["của ai", "của người nào", "do ai", "whose are they"])
@pytest.mark.parametrize(("code", "said"), [("777", "0 dòng"), ("691", "u892")])
async def test_who_is_in_lines_that_are_none_is_nobody(desk: RagDesk, who: str, code: str, said: str) -> None:
    desk.become("public", "internal", "private", department="it")
    now = datetime(2026, 11, 23, 10, tzinfo=HCM)
    await desk.ask(f"tuần trước có bao nhiêu lỗi {code}", offline=True, now=now)
    told = await desk.ask(who, offline=True, now=now, language="vi")
    assert said in told.answer
    assert "không thấy dòng nhật ký nào nói đến" not in told.answer


@pytest.mark.parametrize("other", ["Quên mật khẩu thì sao", "Mất laptop thì báo ai", "Cài phần mềm thế nào"])
@pytest.mark.parametrize("first", [False, True])
async def test_what_is_asked_beside_a_log_does_not_keep_it_from_being_read(
    desk: RagDesk, other: str, first: bool
) -> None:
    desk.become("public", "internal", "private", department="it")
    asked = [other, "tuần trước có bao nhiêu lỗi 691"]
    told = await desk.ask("? ".join(asked if first else asked[::-1]) + "?", offline=True, now=datetime(2026, 11, 23, 10, tzinfo=HCM))  # fmt: skip
    assert "mã 691 có 4 dòng" in told.answer
    assert "chưa đọc được" not in told.answer


@pytest.mark.parametrize("asked", ["ai là {}", "{} là ai"])
@pytest.mark.parametrize("name", ["tổng giám đốc", "sếp tổng", "giám đốc điều hành"])
async def test_a_name_that_says_total_adds_up_nothing(desk: RagDesk, asked: str, name: str) -> None:
    told = await desk.ask(asked.format(name), offline=True)
    assert "Trần Thu Hà" in told.answer
    assert told.done.metadata["answered"] is True
    summed = await desk.ask("tổng phụ cấp ăn trưa và gửi xe là bao nhiêu", offline=True)
    assert summed.done.metadata["answered"] is False
