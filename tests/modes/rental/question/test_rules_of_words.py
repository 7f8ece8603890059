"""Rules of single words: what a slip, a name, a number or a kind is read as, and what it must not be read as."""

from __future__ import annotations

import re

import pytest

from tests.modes.rental.question.cases import ask, told
from troly.plugin.focus import FocusRow
from troly.text.catalogue import Lang
from troly.text.fold import fold
from troly_rental.answer.sentences import condition_text
from troly_rental.answer.values import column_label
from troly_rental.data.places import places
from troly_rental.question.names import Names
from troly_rental.question.spelling import correct_spelling
from troly_rental.question.types import Filter, Op
from troly_rental.question.vocabulary import lists

_NASAL = re.compile(r"n(?=[gh](?!\w))")
DISTRICTS = [one.name for one in places().of("district") if " " in one.name and _NASAL.search(fold(one.name))]
AMENITIES = ("máy lạnh", "gác lửng", "thang máy", "ban công")
KINDS = {"chung cư": "apartment", "căn hộ mini": "mini_apartment", "nhà nguyên căn": "house"}


@pytest.mark.parametrize("name", DISTRICTS)
@pytest.mark.parametrize("folded", [False, True])
def test_a_name_that_lost_its_n_is_that_place(name: str, folded: bool) -> None:
    typed = fold(name) if folded else name
    slip = _NASAL.sub("", typed, count=1) if folded else re.sub(r"n(?=[gh](?!\w))", "", typed, count=1)
    assert slip != typed
    assert f"district={name}" in told(ask(f"{'phong o' if folded else 'phòng ở'} {slip}"))


@pytest.mark.parametrize(
    "text", ["phòng cho nuôi dog ở quận 3", "room for my dog in district 3", "phòng nuôi được dog"]
)
def test_a_dog_is_no_place(text: str) -> None:
    assert "amenity=pets" in told(ask(text))


@pytest.mark.parametrize(
    ("typed", "meant"), [("mìh", "mình"), ("đag", "đang"), ("rộg", "rộng"), ("thág", "tháng")]
)
def test_no_syllable_ends_in_a_vowel_and_g_or_h(typed: str, meant: str) -> None:
    assert correct_spelling(f"phòng {typed} ở quận 3").split()[1] in {meant, fold(meant)}


@pytest.mark.parametrize("given", ["Bình", "Anh", "Phát", "Hân"])
@pytest.mark.parametrize("led", ["bên ", "nhà ", ""])
def test_what_is_part_of_a_longer_name_is_that_name_s(given: str, led: str) -> None:
    house = f"Nhà trọ An {given}"
    names = Names(buildings=[house], tenants=[f"Trần Văn {given}"])
    text = f"phòng mới {led}An {given}" if led else f"phòng mới {house}"
    found = names.find(text)
    assert {(one.field, *one.values) for one in found.filters} == {("building", house)}
    assert {one.field for one in names.find(f"hóa đơn của {given}").filters} == {"tenant"}


@pytest.mark.parametrize("all_kinds", ["(mọi loại)", "loại nào cũng được", "bất kể loại nào", "all kinds"])
def test_any_kind_narrows_nothing(all_kinds: str) -> None:
    parsed = ask(f"giá trung bình phòng trọ ở quận 3 {all_kinds}")
    assert parsed.ready
    assert told(parsed) == {"district=Quận 3"}
    assert not parsed.group


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("amenity", AMENITIES)
@pytest.mark.parametrize("has", ["có", "không có"])
def test_a_kind_with_a_property_left_out_is_not_read_as_both_left_out(
    kind: str, amenity: str, has: str
) -> None:
    led = "phòng ở Gò Vấp, loại trừ"
    assert ask(f"{led} {kind} {has} {amenity}").unread
    apart = ask(f"{led} {kind}, {has} {amenity}")
    assert apart.ready
    assert not apart.unread
    assert f"type!={KINDS[kind]}" in told(apart)


@pytest.mark.parametrize("amenity", AMENITIES)
@pytest.mark.parametrize("refusal", ["không lấy phòng có", "ko lấy căn có", "khong lay phong co"])
def test_what_is_not_taken_is_left_out(amenity: str, refusal: str) -> None:
    text = f"phòng quận 3 {refusal} {amenity}"
    parsed = ask(fold(text) if refusal.isascii() else text)
    assert not parsed.unread
    assert any(one.startswith("amenity!=") for one in told(parsed))


@pytest.mark.parametrize("city", ["Hà Nội", "Hồ Chí Minh"])
def test_out_there_in_a_city_leaves_it_not_out(city: str) -> None:
    district = next(
        one.name
        for one in places().of("district")
        if places().by_id[one.city_id].name == city and " " in one.name
    )
    assert f"city!={city}" not in told(ask(f"phòng ở {district} ngoài {city}"))
    assert f"city!={city}" in told(ask(f"phòng ngoài {city} dưới 3 triệu"))


@pytest.mark.parametrize("number", [705, 1200, 64001])
def test_a_number_behind_a_room_is_its_own_unless_it_counts(number: int) -> None:
    assert f"id={number}" in told(ask(f"phòng {number} giá bao nhiêu"))
    assert f"id={number}" in told(ask(f"how much is room {number} and how large is it"))
    for unit in ("k", " nghìn", " tr", " m2", " người"):
        assert f"id={number}" not in told(ask(f"phòng {number}{unit} ở quận 3"))


@pytest.mark.parametrize("end", ["rẻ nhất", "đắt nhất"])
def test_the_same_end_of_two_kinds_is_told_of_each(end: str) -> None:
    parsed = ask(f"phòng trọ {end} quận 3 với căn hộ mini {end} quận 3 giá bao nhiêu", role="GUEST")
    assert parsed.group == ("type",)
    assert "typeinmini_apartment,room" in told(parsed)


@pytest.mark.parametrize("word", ["kiem", "tim", "giup minh"])
def test_an_everyday_word_may_lack_its_accents_beside_others(word: str) -> None:
    assert not ask(f"{word} phòng ở ghép quận 10 giá rẻ nhất").unread
    assert ask(
        "phòng ở ghép quận 10 khong máy lạnh giá trung bình"
    ).unread or "amenity!=air_conditioner" in told(ask("phòng ở ghép quận 10 khong máy lạnh giá trung bình"))


@pytest.mark.parametrize("month", range(2, 12))
@pytest.mark.parametrize(
    "before", ["tháng trước đó thì sao", "and the month before?", "tháng liền trước bao nhiêu"]
)
def test_the_month_before_is_that_of_the_month_told(month: int, before: str) -> None:
    parsed = ask(f"tiền điện tháng {month} của tôi bao nhiêu", before, role="TENANT")
    assert f"month>=2026-{month - 1:02}-01" in told(parsed)


@pytest.mark.parametrize("added", ["tính luôn tháng này chưa đóng", "cộng thêm hóa đơn tháng 11 nữa"])
def test_this_month_added_to_what_is_overdue_is_all_that_is_not_paid(added: str) -> None:
    parsed = ask("hóa đơn nào của tôi quá hạn", "cộng lại bao nhiêu", added, role="TENANT")
    assert told(parsed) == {"month<=2026-11-30", "statusinoverdue,unpaid"}
    other = ask(
        "hóa đơn nào của tôi quá hạn",
        "cộng lại bao nhiêu",
        added.replace("này", "8").replace("11", "8"),
        role="TENANT",
    )
    assert not other.ready or "statusinoverdue,unpaid" not in told(other)


@pytest.mark.parametrize("asked", ["rẻ nhất là bao nhiêu", "căn rẻ nhất giá bao nhiêu"])
def test_after_nothing_was_found_the_end_is_of_all(asked: str) -> None:
    parsed = ask("có nhà nguyên căn nào ở quận 1 dưới 5 triệu không", asked, role="GUEST")
    assert told(parsed) == {"district=Quận 1", "type=house"}
    row = FocusRow("1", "Nhà", values={"price": 4e6})
    found = ask("có nhà nguyên căn nào ở quận 1 dưới 5 triệu không", asked, role="GUEST", rows=(row, row))
    assert "price<5000000" in told(found)


@pytest.mark.parametrize("amenity", AMENITIES)
def test_what_is_asked_of_the_one_room_shown_is_asked_of_it(amenity: str) -> None:
    row = FocusRow("12", "Phòng", values={"price": 4e6})
    asked = ask("phòng 12345", f"có {amenity} không", role="GUEST", rows=(row,))
    assert asked.picked == 1
    for others in (
        f"có cái nào có {amenity} không",
        f"thêm {amenity} nữa được không",
        f"is there one with {amenity}",
    ):
        assert not ask("phòng ở quận 3", others, role="GUEST", rows=(row,)).picked


OCCUPANCY = [one for one in lists("asks")["occupancy"] if not one.isascii()]


@pytest.mark.parametrize("phrase", OCCUPANCY)
@pytest.mark.parametrize("frame", ["{}", "{} của tôi", "{} ở quận 3"])
def test_what_is_understood_with_accents_is_on_topic_without_them(phrase: str, frame: str) -> None:
    typed = frame.format(phrase)
    meant, bare = (ask(text, role="LANDLORD") for text in (typed, fold(typed)))
    assert (bare.request_type, bare.measures) == (meant.request_type, meant.measures)


@pytest.mark.parametrize("digit", "¹²³⁴⁹")
def test_a_raised_digit_is_no_number(digit: str) -> None:
    found = ask(f"phòng {digit} triệu")
    assert not found.ready
    assert digit in found.unread[0]
    assert "area>20" in told(ask("phòng trên 20 m²"))


@pytest.mark.parametrize("whom", ["sinh viên", "gia đình", "người đi làm", "vợ chồng trẻ"])
@pytest.mark.parametrize("led", ["cho", "dành cho", "phù hợp với"])
def test_for_whom_a_room_is_is_named_as_not_recorded(whom: str, led: str) -> None:
    found = ask(f"phòng {led} {whom} quận 10")
    assert [one.key for one in found.remarks] == ["said.unrecorded"]
    assert not ask(f"có bao nhiêu phòng {led} {whom} quận 10").ready
    told_of_self = ask(f"mình là {whom}, tìm phòng quận 10").remarks
    assert "said.unrecorded" not in [one.key for one in told_of_self]


@pytest.mark.parametrize("noun", ["phòng", "căn", "phòng trọ", "rooms"])
@pytest.mark.parametrize("shared", ["", "ở ghép ", "dorm "])
def test_the_cheapest_rooms_are_no_beds_unless_they_are_named(noun: str, shared: str) -> None:
    text = (
        f"5 cheapest {shared or 'rooms'}in Quận 3"
        if noun == "rooms"
        else f"5 {noun} {shared}rẻ nhất ở quận 3"
    )
    parsed = ask(text, role="GUEST")
    assert parsed.without_beds is not bool(shared), text
    assert ("said.without_beds" in [one.key for one in parsed.remarks]) is parsed.without_beds


@pytest.mark.parametrize(
    "text", ["phòng đắt nhất ở quận 3", "phòng rộng nhất quận 3", "giá trung bình phòng ở quận 3"]
)
def test_beds_count_where_the_cheapest_is_not_asked_for(text: str) -> None:
    assert not ask(text, role="GUEST").without_beds


@pytest.mark.parametrize("amenity", AMENITIES)
@pytest.mark.parametrize("kind", [*KINDS, "phòng trọ còn trống", "phòng còn trống"])
def test_a_share_is_of_the_kind_and_the_state_that_are_named(kind: str, amenity: str) -> None:
    parsed = ask(f"bao nhiêu phần trăm {kind} ở quận 3 có {amenity}", role="GUEST")
    assert {one.field for one in parsed.filters if parsed.is_part(one)} == {"amenity"}
    alone = ask("bao nhiêu phần trăm phòng ở quận 3 còn trống", role="GUEST")
    assert [one.field for one in alone.filters if alone.is_part(one)] in ([], ["status"])


@pytest.mark.parametrize("kind", ["ở ghép", "ký túc xá", "chung cư"])
@pytest.mark.parametrize("mark", [":", ",", ".", ";"])
def test_a_refusal_ends_with_its_clause(kind: str, mark: str) -> None:
    found = told(ask(f"quận 3, không {kind}{mark} phòng trọ nào rộng nhất", role="GUEST"))
    assert not any(one.startswith("type!=") and "room" in one for one in found), found


@pytest.mark.parametrize("unit", ["một kWh", "1 số", "mỗi khối", "một khối"])
@pytest.mark.parametrize("mine", ["phòng tôi", "phòng của tôi", "phòng tôi đang thuê"])
def test_what_one_unit_costs_is_a_rate_and_no_use(unit: str, mine: str) -> None:
    charge, field = ("nước", "water_price") if "khối" in unit else ("điện", "electricity_price")
    parsed = ask(f"giá {charge} {mine} bao nhiêu {unit}", role="TENANT")
    assert parsed.certain, parsed.unread
    assert parsed.entity == "room"
    assert parsed.own
    assert field in parsed.details


def test_a_district_takes_in_its_ward_and_no_other() -> None:
    for name in ("Cầu Giấy", "Gò Vấp"):
        parsed = ask("phòng ở phường Dịch Vọng", f"ở {name} nữa", role="GUEST")
        assert told(parsed) == {f"district={name}"} if name == "Cầu Giấy" else parsed.missing


@pytest.mark.parametrize(("word", "sign"), [("trước", "before"), ("sau", "after")])
def test_days_are_before_and_after_never_below(word: str, sign: str) -> None:
    spoken: tuple[tuple[Lang, str], ...] = (("vi", word), ("en", sign))
    op: Op = "<" if word == "trước" else ">"
    for lang, said in spoken:
        for field in ("month", "due_date", "end_date"):
            text = condition_text(Filter(field, op, "2026-11-01"), "invoice", lang)
            assert said in text, text
            assert "dưới" not in text
            assert "below" not in text


@pytest.mark.parametrize("name", ["pets_allowed", "has_wifi", "balcony", "air_conditioner"])
def test_an_amenity_that_a_query_names_is_called_by_its_name(name: str) -> None:
    label = column_label(name, "room", "vi")
    assert label != name.replace("_", " ")
    assert column_label("foo_count", "room", "vi") == "foo count"


@pytest.mark.parametrize("many", ["mấy", "bao nhiêu"])
@pytest.mark.parametrize("has", ["còn", "đang có", "hiện còn", "có"])
def test_rooms_that_i_still_have_are_mine_and_money_is_no_room(has: str, many: str) -> None:
    assert ask(f"tôi {has} {many} phòng trống", role="GUEST").own
    assert not ask(f"tôi {has} 4 triệu thuê được {many} phòng ở Gò Vấp", role="GUEST").own


@pytest.mark.parametrize("place", ["District 2", "District 9", "Go Vap"])
@pytest.mark.parametrize("was", ["old ", "the old ", "former ", "in the former ", "in old "])
def test_what_a_place_was_before_is_that_place(was: str, place: str) -> None:
    led = "" if was.startswith("in ") else "in "
    plain, former = (ask(f"rooms {lead}{place} under 3 million") for lead in ("in ", f"{led}{was}"))
    assert (former.certain, told(former)) == (True, told(plain))
    assert ask(f"is there an old house in {place}").unread


@pytest.mark.parametrize("including", ["kể cả", "gồm cả", "bao gồm cả", "bao gồm", "tính luôn", "including"])
@pytest.mark.parametrize("parts", ["quận 9", "quận 9 và quận 2", "bình thạnh, quận 3"])
def test_a_part_that_is_included_narrows_not_its_whole(including: str, parts: str) -> None:
    assert told(ask(f"phòng ở hcm {including} {parts}")) == {"city=Hồ Chí Minh"}
    assert "city=Hồ Chí Minh" not in told(ask(f"phòng ở gò vấp {including} {parts}"))
    left_out = ask(f"phòng ở hcm không {including} quận 9")
    assert told(left_out) == {"city=Hồ Chí Minh", "district!=Quận 9"} or not left_out.certain


@pytest.mark.parametrize("one", ["single room", "single rooms", "boarding rooms", "phòng trọ"])
def test_a_single_room_is_no_flat(one: str) -> None:
    of_kind = ask(f"average rent of {one} in Hanoi", role="GUEST")
    assert (of_kind.certain, told(of_kind)) == (True, {"city=Hà Nội", "type=room"})
    assert ask(f"{one} in Binh Thanh under 3 million", role="GUEST").certain


@pytest.mark.parametrize("month", ["tháng 10", "từng tháng"])
def test_electricity_and_water_said_together_are_both(month: str) -> None:
    fields = {one.field for one in ask(f"tiền điện nước {month} của tôi", role="TENANT").measures}
    assert fields == {"electricity", "water"}
    alone = ask(f"tiền điện {month} của tôi", role="TENANT").measures
    assert {one.field for one in alone} == {"electricity"}


@pytest.mark.parametrize(
    ("whole", "plain"),
    [("the whole of Hanoi", "Hanoi"), ("all of Hanoi", "Hanoi"), ("across Hanoi", "Hanoi"),
     ("the entire Go Vap", "Go Vap"), ("toàn Hà Nội", "Hà Nội"), ("khắp Gò Vấp", "Gò Vấp")],
)  # fmt: skip
@pytest.mark.parametrize("asked", ["how many flats are there in {}", "phòng rẻ nhất ở {} bao nhiêu"])
def test_all_of_a_place_is_that_place(asked: str, whole: str, plain: str) -> None:
    found = ask(asked.format(whole), role="GUEST")
    assert (found.certain, told(found)) == (True, told(ask(asked.format(plain), role="GUEST")))


@pytest.mark.parametrize("included", ["including District 2", "including Binh Thanh"])
@pytest.mark.parametrize("asked", ["are on offer", "do you have"])
def test_a_place_that_is_included_is_no_charge(asked: str, included: str) -> None:
    found = ask(f"how many flats {asked} in Ho Chi Minh City {included}", role="GUEST")
    assert (found.certain, found.remarks, "city=Hồ Chí Minh" in told(found)) == (True, (), True)
