"""Every word counts: signs, negations and words that are not understood are never dropped."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.modes.rental.question.cases import ask, cases, told, turns_of
from troly.plugin.focus import FocusRow
from troly.text.fold import fold, nfc, tokens
from troly_rental.question.spelling import as_typed
from troly_rental.roles import Role

_WORDS = st.text(alphabet="bcdghklmnpqrstvx", min_size=4, max_size=8)
"""Words of no language: consonants only."""
_PLACES = st.sampled_from(["quận 7", "Gò Vấp", "Tân Bình", "Cầu Giấy"])
_SIGNS = {"<": "<", "<=": "<=", "=<": "<=", "≤": "<=", ">": ">", ">=": ">=", "≥": ">=", "≠": "!="}


@settings(max_examples=25, deadline=None)
@given(sign=st.sampled_from(sorted(_SIGNS)), millions=st.integers(2, 30), space=st.sampled_from(["", " "]))
def test_a_comparison_sign_is_never_dropped(sign: str, millions: int, space: str) -> None:
    for unit in ("tr", " triệu"):
        parsed = ask(f"phòng quận 7 giá {sign}{space}{millions}{unit}")
        assert told(parsed) == {"district=Quận 7", f"price{_SIGNS[sign]}{millions}000000"}


@settings(max_examples=30, deadline=None)
@given(
    word=_WORDS,
    place=_PLACES,
    form=st.sampled_from(["phòng {p} {w}", "{w} phòng ở {p}", "phòng ở {p} có {w}"]),
)
def test_a_word_that_is_not_read_is_named(word: str, place: str, form: str) -> None:
    parsed = ask(form.format(w=word, p=place))
    assert not parsed.certain
    assert any(word in run for run in parsed.unread)


@settings(max_examples=20, deadline=None)
@given(word=_WORDS, place=_PLACES)
def test_no_figure_stands_beside_a_word_that_is_not_read(word: str, place: str) -> None:
    for text in (f"có bao nhiêu phòng ở {place} {word}", f"giá trung bình {word} ở {place}"):
        assert not ask(text).ready


@pytest.mark.parametrize(
    "wish", ["máy lạnh", "ban công", "thang máy", "cửa sổ", "ở ghép", "chung cư", "nội thất", "chỗ để xe"]
)
@pytest.mark.parametrize("negation", ["không có", "không", "trừ", "không lấy"])
def test_a_negation_is_never_lost(negation: str, wish: str) -> None:
    for text in (f"phòng quận 7 {negation} {wish}", fold(f"phòng quận 7 {negation} {wish}")):
        parsed = ask(text)
        wanted = told(ask(f"phòng quận 7 có {wish}"))
        assert told(parsed) != wanted or not parsed.ready, text


@pytest.mark.parametrize(
    "text",
    [
        "phòng quận 1 hoặc dưới 2 triệu",
        "rooms under $200",
        "phòng giá gấp đôi quận 7",
        "giá quận 7 kém quận 1 bao nhiêu lần",
    ],
)
def test_what_the_rules_cannot_say_is_not_answered(text: str) -> None:
    assert not ask(text).ready


def test_the_shipped_cases_are_understood_to_the_last_word() -> None:
    read = [ask(*turns_of(case)) for case in cases()]
    asked = [parsed for parsed in read if parsed.request_type == "QUERY"]
    assert sum(parsed.ready and bool(parsed.unread) for parsed in asked) <= 0.05 * len(asked)


@pytest.mark.parametrize("wish", ["hồ bơi", "phòng gym", "khóa vân tay", "cho nữ"])
def test_no_figure_is_given_of_what_is_not_recorded(wish: str) -> None:
    assert ask(f"phòng {wish} ở quận 7").ready
    assert not ask(f"có bao nhiêu phòng {wish} ở quận 7").ready


@pytest.mark.parametrize(
    "spoken", ["ơi", "nghen", "nè", "ad ơi", "cho em hỏi xíu", "trời ơi", "hic", "check giúp mình"]
)
def test_manners_of_speaking_change_nothing(spoken: str) -> None:
    plain = "có bao nhiêu phòng ở quận 7 dưới 4 triệu"
    for text in (f"{spoken} {plain}", f"{plain} {spoken}", fold(f"{plain} {spoken}")):
        assert (told(ask(text)), ask(text).certain) == (told(ask(plain)), True), text


@pytest.mark.parametrize(
    ("message", "read"),
    [
        ("mình làm ở Mỹ Đình, tìm chung cư ở Cầu Giấy", {"district=Cầu Giấy", "type=apartment"}),
        ("em hoc o quan 5, kiem phong o quan 10 duoi 3tr", {"district=Quận 10", "price<3000000"}),
        ("tụi em 3 đứa share phòng, cần căn hộ mini ở quận 7", {"district=Quận 7", "people>=3", "type=mini_apartment"}),
        ("tìm chỗ làm việc ở quận 1", {"district=Quận 1"}),
    ],
)  # fmt: skip
def test_what_is_told_of_the_asker_bounds_nothing_where_a_room_is_described(
    message: str, read: set[str]
) -> None:
    assert told(ask(message, role="GUEST")) == read


@pytest.mark.parametrize("asked", ["cọc bao nhiêu", "đặt cọc mấy", "tiền cọc là bao nhiêu"])
def test_a_sum_asked_for_is_no_name_of_the_amount_before_it(asked: str) -> None:
    assert not any(one.field == "deposit" for one in ask(f"căn 6tr5 ở Gò Vấp {asked}", role="GUEST").filters)


@pytest.mark.parametrize(
    ("period", "last", "missing"),
    [
        ("từ ngày mai đến hết chủ nhật này", "2026-11-22", ["missing.contradiction"]),  # today is that Sunday
        ("từ nay đến hết ngày 30/11", "2026-11-30", ["missing.unread"]),
        ("from tomorrow until 27/11/2026", "2026-11-27", []),
    ],
)
def test_the_day_up_to_which_is_asked_is_meant(period: str, last: str, missing: list[str]) -> None:
    parsed = ask(f"{period} tôi có bao nhiêu lịch hẹn xem phòng")
    assert f"scheduled_at<={last}" in told(parsed)
    assert [one.key for one in parsed.missing] == missing


@pytest.mark.parametrize(
    ("asked", "field"),
    [("tiền điện tăng bao nhiêu", "electricity"), ("xài thêm bao nhiêu số điện", "electricity_kwh")],
)
def test_months_are_set_side_by_side_by_the_charge_that_is_named(asked: str, field: str) -> None:
    parsed = ask("hóa đơn tháng 11 của tôi hết bao nhiêu tiền", f"so với tháng 10 thì {asked}", role="TENANT")
    assert not parsed.missing
    assert [one.field for one in parsed.measures] == [field]


def test_an_end_that_is_not_told_is_named() -> None:
    both = ask("căn hộ mini ở quận 7 giá thấp nhất với cao nhất bao nhiêu", role="GUEST")
    assert not both.missing
    assert {one.kind for one in both.measures} == {"min", "max"}


@pytest.mark.parametrize("role", ["GUEST", "LANDLORD"])
def test_a_rent_of_the_market_is_of_rooms_to_let(role: Role) -> None:
    parsed = ask("giá phòng trọ trung bình đang cho thuê ở Gò Vấp là bao nhiêu", role=role)
    assert not parsed.own
    assert "status=rented" not in told(parsed)


@pytest.mark.parametrize(
    ("wish", "own"),
    [
        ("my budget is 7 million max, any mini apartment in District 4", False),
        ("my office is in District 2, which mini apartments in District 2 have a lift", False),
        ("any flat in District 2 where I can keep my dog", False),
        ("ngân sách của em 5 triệu, tìm phòng trọ quận 7", False),
        ("phòng quận 3 cho con của tôi ở", False),
        ("how many rooms in District 7 can I rent", False),
        ("my unpaid bills", True),
        ("when does my lease end", True),
        ("phòng trống của tôi", True),
    ],
)
def test_only_records_are_owned(wish: str, own: bool) -> None:
    assert ask(wish, role="TENANT").own is own


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ("mình học ở Bách Khoa, tìm phòng quận 10", "Quận 10"),
        ("Con tôi sắp vào đại học ở Thủ Đức. Giá ở ghép trung bình ở Gò Vấp là bao nhiêu", "Gò Vấp"),
        (
            "I just moved to Hanoi for a job. How many mini apartments in Tay Ho have a washing machine?",
            "Tây Hồ",
        ),
        ("minh la y ta sap ra ha noi lam, can tim can ho mini o thanh xuan", "Thanh Xuân"),
        ("we're relocating to Saigon next month. What's the cheapest apartment in District 1?", "Quận 1"),
        ("em làm ở quận 1, tìm phòng dưới 5 triệu", "Quận 1"),
        ("I'm an intern and my office is in District 2. Which mini apartments there have a lift?", "Quận 2"),
    ],
)
def test_where_somebody_lives_or_works_is_where_they_look_unless_a_place_is_named(
    message: str, place: str
) -> None:
    parsed = ask(message, role="GUEST")
    assert {
        value for one in parsed.filters if one.field in {"district", "ward", "city"} for value in one.values
    } == {place}
    assert not parsed.unread


@pytest.mark.parametrize(
    ("role", "message", "kinds"),
    [
        ("GUEST", "quận 7 còn mấy phòng trọ, phòng rẻ nhất giá bao nhiêu", [("count", ""), ("min", "price")]),
        (
            "GUEST",
            "how many flats in District 7 and what does the cheapest cost",
            [("count", ""), ("min", "price")],
        ),
        ("GUEST", "quận 7 còn mấy phòng trọ, căn nào rẻ nhất", []),
        (
            "TENANT",
            "tháng 10 tôi xài hết mấy số điện, bao nhiêu tiền",
            [("sum", "electricity_kwh"), ("sum", "electricity")],
        ),
        ("TENANT", "tháng 10 tôi xài mấy số điện", [("sum", "electricity_kwh")]),
        (
            "LANDLORD",
            "tháng 11 này tôi đã thu được bao nhiêu tiền, còn bao nhiêu chưa thu",
            [("paid", "total"), ("owed", "total"), ("sum", "total")],
        ),
        ("LANDLORD", "tháng 11 này tôi thu được bao nhiêu", [("paid", "total"), ("sum", "total")]),
    ],
)
def test_each_figure_of_a_message_is_told(role: Role, message: str, kinds: list[tuple[str, str]]) -> None:
    parsed = ask(message, role=role)
    assert parsed.certain
    assert [(one.kind, one.field) for one in parsed.measures] == kinds


@pytest.mark.parametrize(
    ("message", "conditions"),
    [
        (
            "không lấy mấy phòng không có máy lạnh, còn mấy phòng ở quận 7",
            {"amenity=air_conditioner", "district=Quận 7"},
        ),
        ("còn bao nhiêu phòng trống đang cho thuê", {"status=available"}),
        ("nhà nguyên căn Bình Tân dưới chục triệu", {"district=Bình Tân", "price<10000000", "type=house"}),
        ("phòng trọ Thủ Đưc dưới 3 triệu", {"district=Thủ Đức", "price<3000000"}),
        ("tụi em hay về khuya, tìm phòng giờ giấc tự do quận 10", {"amenity=free_hours", "district=Quận 10"}),
    ],
)
def test_what_is_meant_is_read(message: str, conditions: set[str]) -> None:
    parsed = ask(message)
    assert parsed.certain
    assert told(parsed) == conditions


@pytest.mark.parametrize("said", ["tiền cọc bao nhiêu", "tính giá điện bao nhiêu", "ở tối đa mấy người"])
def test_no_place_is_made_of_other_words(said: str) -> None:
    assert not any(
        one.key == "missing.area" for one in ask(f"phòng tôi đang thuê {said}", role="TENANT").missing
    )


@pytest.mark.parametrize(
    ("message", "word"),
    [
        ("phòng nào được hẹn xem nhiều nhất", "nhiều nhất"),
        ("khách nào xem phòng nhiều nhất", "nhiều nhất"),
        ("who viewed the most rooms", "viewed the most"),
    ],
)
def test_a_rank_that_the_answer_does_not_hold_is_named(message: str, word: str) -> None:
    assert word in ask(message).unread
    assert ask("how much power was used last month").unread == ()


@pytest.mark.parametrize(
    ("message", "apart"),
    [
        ("căn hộ mini rẻ nhất q3 bao nhiêu, với lại căn hộ mini rộng nhất q1 bao nhiêu m2", True),
        ("cheapest studio in District 1, and the largest studio in District 3?", True),
        ("Cầu Giấy có mấy phòng trọ, Đống Đa thì căn hộ mini rẻ nhất bao nhiêu", True),
        ("phòng trọ rẻ nhất quận 9, rộng nhất bao nhiêu m2", True),
        ("phòng trọ quận 9 rẻ nhất bao nhiêu và quận 2 đắt nhất bao nhiêu", False),
        ("có phòng trọ nào ở quận 9 có máy lạnh không, con rẻ nhất bao nhiêu", False),
        ("số phòng ở quận 1 và quận 3", False),
    ],
)
def test_two_questions_are_not_answered_as_one(message: str, *, apart: bool) -> None:
    assert ask(message, role="GUEST").ready is not apart


@pytest.mark.parametrize("message", ["nội thất sao", "căn đó nội thất thế nào", "how is it furnished"])
def test_how_it_is_furnished_is_asked_of_one_and_wishes_nothing(message: str) -> None:
    row = FocusRow("1", "A", {"price": 3000000})
    parsed = ask("phòng trọ rẻ nhất quận 7", message, rows=(row,))
    assert (parsed.details, told(parsed)) == (("furnished",), {"id=1"})
    assert not parsed.unread


@pytest.mark.parametrize(
    "text",
    [
        "im moving to hanoi next month.. whats the newest mini apartment listed in thanh xuan?",
        "I'm relocating next week. What's the newest mini apartment posted in Thanh Xuan?",
        "tháng sau em chuyển ra Hà Nội, căn hộ mini mới đăng nhất ở Thanh Xuân là căn nào",
        "tuần tới mình dọn, căn hộ mini mới nhất ở Thanh Xuân",
        "căn hộ mini đăng tháng sau ở Thanh Xuân",
        "mini apartments posted next month in Thanh Xuan",
    ],
)
def test_nothing_was_posted_in_days_to_come(text: str) -> None:
    assert {one.field for one in ask(text, role="GUEST").filters} <= {"type", "district", "city"}


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("lịch hẹn ở Gò Vấp đã được xác nhận chưa", set()),
        ("lịch xem phòng ở Gò Vấp duyệt chưa vậy em", set()),
        ("lich hen o go vap co bi huy khong", set()),
        ("has my viewing in Go Vap been confirmed yet?", set()),
        ("is my viewing in Go Vap confirmed", set()),
        ("lịch xem phòng nào ở Gò Vấp đã được xác nhận", {"confirmed"}),
        ("có lịch hẹn nào ở Gò Vấp được xác nhận chưa", {"confirmed"}),
        ("are any of my viewings in Go Vap confirmed?", {"confirmed"}),
    ],
)
def test_whether_an_appointment_is_confirmed_chooses_none_by_its_state(text: str, states: set[str]) -> None:
    for parsed in (
        ask(text, role="TENANT"),
        ask("lịch hẹn sắp tới đã xác nhận của tôi", text, role="TENANT"),
    ):
        assert {one.value for one in parsed.filters if one.field == "status"} == states
        assert (parsed.entity, parsed.unread) == ("viewing", ())
        assert states or {one.field for one in parsed.filters} == {"district"}


@pytest.mark.parametrize(
    ("message", "figure", "later"),
    [
        ("giá trung bình phòng ở gò vấp và có mấy phòng có máy lạnh", "avg", "có mấy phòng có máy lạnh"),
        ("go vap gia trung binh bao nhieu, may phong duoi 3 trieu", "avg", "may phong duoi 3 trieu"),
        ("gò vấp có bao nhiêu phòng, giá trung bình căn hộ mini bao nhiêu", "count", "giá trung bình căn hộ mini bao nhiêu"),
        ("average rent in Go Vap and how many rooms have a balcony?", "avg", "how many rooms have a balcony"),
    ],
)  # fmt: skip
def test_a_condition_said_later_is_not_of_the_figure_before_it(message: str, figure: str, later: str) -> None:
    parsed = ask(message)
    assert told(parsed) == {"district=Gò Vấp"}
    assert [one.kind for one in parsed.measures] == [figure]
    assert (parsed.ready, dict(parsed.remarks[-1].params)) == (True, {"words": later})
    assert parsed.leans  # a model, where one answers, may do both


def test_a_change_or_a_sum_of_nothing_is_no_figure_that_is_narrowed_later() -> None:
    dropped = ask("phòng thủ đức dưới 3 triệu", "bỏ cái mức giá đi, chỉ cần có wifi thì được mấy phòng")
    assert told(dropped) == {"district=Thủ Đức", "amenity=wifi"}
    counted = ask("phòng ở thủ đức rẻ nhất giá bao nhiêu", "tổng cộng còn mấy chỗ ở ghép bên đó")
    assert (told(counted), counted.remarks) == ({"district=Thủ Đức", "type=dormitory"}, ())


def test_a_condition_said_first_is_of_all_figures() -> None:
    parsed = ask("gò vấp có mấy phòng có máy lạnh, giá trung bình bao nhiêu")
    assert told(parsed) == {"district=Gò Vấp", "amenity=air_conditioner"}
    assert [one.kind for one in parsed.measures] == ["count", "avg"]


@pytest.mark.parametrize(
    "form", ["phòng {w} dưới 3 triệu", "phong quan 7 ko {w}", "{w} co phong nao duoi 3tr"]
)
@pytest.mark.parametrize("word", ["thủ đứt", "cầu giất", "thagn máy", "mni", "hokk bnn"])
def test_what_was_not_read_is_named_as_it_was_written(form: str, word: str) -> None:
    message = form.format(w=word)
    parsed = ask(message, role="GUEST")
    assert parsed.unread
    assert all(run in message for run in parsed.unread)
    quoted = [value for one in parsed.missing + parsed.remarks for _, value in one.params]
    assert all(run in message for text in quoted for run in re.findall("«(.*?)»", text))


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=20))
def test_any_words_are_found_as_written_or_stay(text: str, typed: str, run: str) -> None:
    assert as_typed(run, text, typed) in {run, *_pieces(typed)}
    assert as_typed(run, run, run) == run or as_typed(run, run, run) in nfc(run)


def _pieces(text: str) -> set[str]:
    places = tokens(nfc(text))
    return {nfc(text)[a.start : b.end] for at, a in enumerate(places) for b in places[at:]}


@pytest.mark.parametrize("led", ["ở", "bên", "chỗ", "khu"])
def test_there_is_the_one_place_that_is_named_before_it(led: str) -> None:
    asked = "với căn hộ mini rẻ nhất " + led + " đó bao nhiêu"
    one = ask(f"phòng trọ rẻ nhất ở Tân Phú bao nhiêu, {asked}", role="GUEST")
    assert (one.certain, one.group, "district=Tân Phú" in told(one)) == (True, ("type",), True)
    assert not ask(asked, role="GUEST").ready
    assert not ask(f"phòng ở Tân Phú và Gò Vấp, {asked}", role="GUEST").ready
    added = ask("phòng ở Tân Phú", f"thêm Gò Vấp, rẻ nhất {led} đó bao nhiêu", role="GUEST")
    assert not added.ready
