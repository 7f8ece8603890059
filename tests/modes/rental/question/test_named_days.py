"""Days as facts and queries read them alike: of appointments the coming ones, of a month the day alone, never a vague period."""

from __future__ import annotations

from datetime import date

import pytest

from tests.modes.rental.question.cases import NOW, ask, told
from troly_rental.question.dates import day_too, is_vague, named_days

TODAY = NOW.date()


@pytest.mark.parametrize("day", [23, 25, 30])
@pytest.mark.parametrize("form", ["ngày {}/11", "ngày {} này", "hôm {}", "bua {}", "the {}th"])
def test_a_day_of_an_appointment_lies_ahead(form: str, day: int) -> None:
    found = named_days(f"lịch xem phòng {form.format(day)}", "viewing", TODAY)
    if form.startswith("the") and day == 23:
        return  # "23th" is no English
    assert [(one.start, one.end) for one in found] == [(date(2026, 11, day),) * 2]


@pytest.mark.parametrize("day", [1, 5, 20])
def test_a_day_that_is_over_is_the_next_months_unless_it_is_told_as_over(day: int) -> None:
    ahead = named_days(f"lịch xem phòng ngày {day}", "viewing", TODAY)
    assert [one.start for one in ahead] == [date(2026, 12, day)]
    over = named_days(f"đã xem phòng ngày {day}", "viewing", TODAY)
    assert [one.start for one in over] == [date(2026, 11, day)]
    assert not named_days(f"hóa đơn ngày {day}", "invoice", TODAY)


@pytest.mark.parametrize(
    "text", ["ở 3 ngày 25 phòng", "ngày 25 hàng tháng", "ngày 31", "ngày 40", "25 phòng", "trong 25 ngày"]
)
def test_no_day_is_made_of_what_is_none(text: str) -> None:
    assert not [one for one in named_days(text, "viewing", TODAY) if one.start == one.end]


@pytest.mark.parametrize("unit", ["tháng", "tuần", "ngày"])
@pytest.mark.parametrize("many", ["mấy", "vài"])
def test_some_time_ago_is_no_day(many: str, unit: str) -> None:
    assert not named_days(f"nợ từ {many} {unit} trước", "invoice", TODAY)
    for one in named_days(f"{many} {unit} gần đây", "invoice", TODAY):
        assert is_vague(f"{many} {unit} gần đây", one)
    assert named_days(f"nợ từ 3 {unit} trước", "invoice", TODAY)


@pytest.mark.parametrize("form", ["{} thì có mấy cuộc", "còn {}?", "thế ngày {} thì sao"])
@pytest.mark.parametrize("day", [24, 26, 30])
def test_a_day_beside_the_one_that_was_asked_about_is_of_its_month(form: str, day: int) -> None:
    assert day_too(form.format(day), date(2026, 11, 25)).start == date(2026, 11, day)  # type: ignore[union-attr]
    asked = told(ask("ngày 25/11 có ai hẹn xem phòng không", form.format(day)))
    assert {f"scheduled_at>=2026-11-{day}", f"scheduled_at<=2026-11-{day}"} <= asked


@pytest.mark.parametrize(
    "text", ["26 triệu thì có mấy phòng", "2 phòng đầu", "lấy cái 2", "26 phòng thì sao", "99 thì sao"]
)
def test_other_numbers_are_no_days_beside(text: str) -> None:
    assert day_too(text, date(2026, 11, 25)) is None


@pytest.mark.parametrize("word", ["tính hết", "tính cả", "kể hết", "gộp chung"])
def test_all_kinds_counted_together_are_one_number(word: str) -> None:
    parsed = ask(f"tôi còn bao nhiêu phòng trống, {word} các loại?")
    assert parsed.ready
    assert (parsed.group, told(parsed)) == ((), {"status=available"})
    assert ask("tôi còn bao nhiêu phòng trống theo các loại").group == ("type",)


@pytest.mark.parametrize("thing", ["mèo", "chó", "thú cưng"])
@pytest.mark.parametrize("who", ["chủ nhà tôi", "chủ trọ của em", "chu nha minh"])
def test_what_ones_own_room_has_is_not_told_of_all_rooms(who: str, thing: str) -> None:
    text = f"{who} có cho nuôi {thing} không"
    tenant = ask(text, role="TENANT")
    assert not tenant.ready
    assert [one.key for one in tenant.missing] == ["missing.tenant_room"]
    assert ask(text, role="LANDLORD").own
    assert ask(f"phòng có cho nuôi {thing} không", role="TENANT").ready


@pytest.mark.parametrize(
    ("field", "unit"), [("điện", "số"), ("điện", "ký"), ("nước", "khối"), ("nước", "m3")]
)
def test_one_of_a_unit_is_no_price(field: str, unit: str) -> None:
    asked = told(ask(f"phòng ở quận 3 {field} 1 {unit} bao nhiêu", role="GUEST"))
    assert asked == {"district=Quận 3"}


@pytest.mark.parametrize("near", ["gần", "gan", "cạnh", "ở", "quanh"])
@pytest.mark.parametrize("short", ["đh", "dh", "ĐH"])
def test_a_place_is_near_a_university_and_has_an_air_conditioner(near: str, short: str) -> None:
    assert "amenity=air_conditioner" not in told(ask(f"phòng {near} {short} hutech"))
    assert "amenity=air_conditioner" in told(ask("phòng ở quận 3 có đh"))
