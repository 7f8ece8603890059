"""Messages that go on with an answer: another year for a sum, a point of the page shown, a question made clearer."""

from __future__ import annotations

import pytest

from tests.support.modes.rag import RagDesk

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
