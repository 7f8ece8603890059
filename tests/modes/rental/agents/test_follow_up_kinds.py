"""Follow-ups by their kind, without a model: what is kept is said in the first line, and an open question is no ground."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rental.desk import RentalDesk, rental_desk

PLACE = "có mấy phòng trọ ở quận 7"


async def _asked(desk: RentalDesk, who: str, *turns: str) -> list[str]:
    desk.leave()
    desk.become(who)
    return [(await desk.ask(turn)).answer for turn in turns]


async def test_the_place_is_kept_and_said(own_home: Path) -> None:
    async with rental_desk(own_home) as desk:
        for turn in (
            "có thang máy nữa thì còn mấy phòng",
            "bên đó rẻ nhất là bao nhiêu",
            "trong mấy căn đó rẻ nhất bao nhiêu",
        ):
            told = await _asked(desk, "nobody", PLACE, turn)
            assert "Quận 7" in told[-1].splitlines()[0], turn
        told = await _asked(
            desk, "nobody", PLACE, "à không, nói lộn, quận 8 mới đúng", "rẻ nhất bên đó nhiêu tiền"
        )
        assert "Quận 8" in told[-1].splitlines()[0]
        assert "Quận 7" not in told[-1]


@pytest.mark.parametrize(
    "turn",
    [
        "có thang máy nữa thì còn mấy căn",
        "bên đó rẻ nhất là bao nhiêu",
        "trong mấy căn đó có mấy phòng có máy lạnh",
    ],
)
async def test_nothing_is_counted_elsewhere_after_a_question_that_stands_open(
    own_home: Path, turn: str
) -> None:
    async with rental_desk(own_home) as desk:
        desk.become("nobody")
        for first in ("quận 7 có mấy phòng xyzt", PLACE):
            desk.leave()
            await desk.ask(first)
            await desk.ask("quận 8 thì được mấy phòng xyzt")
            told = await desk.ask(turn)
            assert told.done.metadata["answered"] is False, first
        for place in ("Quận 8", "Quận 9"):
            said_again = await desk.ask(f"{place.lower()} thì được mấy phòng")
            assert place in said_again.answer.splitlines()[0]


@pytest.mark.parametrize(
    ("wish", "condition"),
    [
        ("không lấy loại đầy đủ nội thất", "không phải đầy đủ nội thất"),
        ("không có nội thất", "không nội thất"),
        ("đừng đưa mấy căn trên 5 triệu", "giá tối đa 5.000.000"),
        ("không lấy phòng dưới 20m2", "diện tích từ 20 m²"),
        ("không quá 5 triệu", "giá tối đa 5.000.000"),
        ("không có máy lạnh, dưới 5 triệu", "giá dưới 5.000.000"),
    ],
)
async def test_what_is_refused_leaves_the_rest(own_home: Path, wish: str, condition: str) -> None:
    async with rental_desk(own_home) as desk:
        (told,) = await _asked(desk, "nobody", f"phòng ở quận 7, {wish}")
    assert condition in told.splitlines()[0]


async def test_a_value_of_the_row_spoken_of(own_home: Path) -> None:
    async with rental_desk(own_home) as desk:
        told = await _asked(
            desk, "nobody", "phòng rộng nhất quận 7 là bao nhiêu mét vuông", "cọc bao nhiêu vậy"
        )
        mean = await _asked(
            desk, "nobody", "phòng rộng nhất quận 7 là bao nhiêu mét vuông", "giá trung bình bao nhiêu"
        )
        beds = await _asked(
            desk, "nobody", "chung cư rộng nhất quận 7 là bao nhiêu mét vuông", "căn đó mấy phòng ngủ"
        )
    assert "phòng ngủ" in beds[-1].splitlines()[0]
    assert "Số phòng" not in beds[-1]
    assert "tiền cọc" in told[-1]
    assert "Quận 7" in mean[-1]


async def test_ones_own_papers(own_home: Path) -> None:
    async with rental_desk(own_home) as desk:
        bill = await _asked(desk, "minh", "hóa đơn tháng này tổng bao nhiêu và tôi trả chưa")
        power = await _asked(
            desk, "minh", "tháng nào tôi dùng điện nhiều nhất", "tháng đó hết bao nhiêu tiền điện"
        )
        units = await _asked(
            desk, "minh", "hóa đơn tháng 9 của tôi bao nhiêu", "tháng đó tôi xài bao nhiêu số điện"
        )
        months = await _asked(
            desk, "minh", "tiền điện của tôi theo tháng", "tháng đó hết bao nhiêu tiền điện"
        )
        deposit = await _asked(desk, "minh", "tôi đã đặt cọc bao nhiêu")
        states = await _asked(desk, "lan", "có mấy phòng đang cho thuê và mấy phòng còn trống của tôi")
    assert "5.316.600" in bill[-1]
    assert "chưa trả" in bill[-1]
    assert "8/2026" in power[-1]
    assert "718.200" in power[-1]
    assert "121 kWh" in units[-1]
    assert "718.200" not in months[-1].splitlines()[0]
    assert "4.500.000" in deposit[-1]
    assert "đã cho thuê 2" in states[-1]
    assert "còn trống 5" in states[-1]


async def test_which_of_both_is_cheaper_after_figures_of_both(own_home: Path) -> None:
    async with rental_desk(own_home) as desk:
        told = await _asked(
            desk, "nobody", "so sánh giá thuê trung bình ở quận 1 và quận 7", "vậy bên nào rẻ hơn"
        )
        counted = await _asked(desk, "nobody", "có mấy phòng trọ ở quận 1", "còn quận 7", "cái nào rẻ nhất")
    assert "thấp nhất: Quận 7" in told[-1]
    assert "Số phòng theo" not in counted[-1]
