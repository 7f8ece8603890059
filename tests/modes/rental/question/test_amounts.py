"""Amounts, areas and places: all spellings of one thing give the same condition."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.modes.rental.question.cases import ask, told
from troly.text.fold import fold
from troly_rental.data.places import places
from troly_rental.question.amounts import parse_quantities
from troly_rental.question.vocabulary import Vocabulary

_TENTHS = st.integers(min_value=5, max_value=300)
"""Rents in hundreds of thousands: 0.5 to 30 million."""
_LIMITS = {
    "<": ["dưới {}", "thấp hơn {}", "under {}", "below {}", "chưa tới {}"],
    "<=": ["không quá {}", "tối đa {}", "{} trở xuống", "{} đổ lại", "up to {}", "at most {}"],
    ">": ["trên {}", "hơn {}", "cao hơn {}", "more than {}", "over {}"],
    ">=": ["từ {}", "ít nhất {}", "tối thiểu {}", "{} trở lên", "at least {}", "không dưới {}"],
    "=": ["{}", "giá {}", "đúng {}"],
}


def _spellings(tenths: int) -> list[str]:
    """The ways to write a rent of `tenths` hundred thousand."""
    whole, rest = divmod(tenths, 10)
    dong = tenths * 100_000
    point = f"{Decimal(tenths) / 10:f}".rstrip("0").rstrip(".") if rest else str(whole)
    ways = [
        f"{point}tr",
        f"{point} triệu",
        f"{point.replace('.', ',')} triệu",
        f"{point} củ",
        f"{point} million",
    ]
    ways += [f"{dong:,}đ", f"{dong:,}".replace(",", ".") + " đồng", f"{dong // 1000}k", f"{dong} vnd"]
    if rest and whole:
        ways += [f"{whole}tr{rest}", f"{whole} triệu {rest}00 nghìn"]
    if rest == 5 and whole:
        ways += [f"{whole} triệu rưỡi", f"{whole}tr rưỡi"]
    return ways


@settings(max_examples=15, deadline=None)
@given(tenths=_TENTHS, op=st.sampled_from(sorted(_LIMITS)), data=st.data())
def test_every_spelling_of_a_rent_is_the_same_limit(tenths: int, op: str, data: st.DataObject) -> None:
    limit = data.draw(st.sampled_from(_LIMITS[op]))
    for said in _spellings(tenths):
        text = f"phòng {limit.format(said)}"
        for form in (text, fold(text), text.upper()):
            assert told(ask(form)) == {f"price{op}{tenths * 100_000}"}, form


@settings(max_examples=12, deadline=None)
@given(low=st.integers(1, 15), more=st.integers(1, 10))
def test_every_spelling_of_a_range_of_rents(low: int, more: int) -> None:
    high = low + more
    want = {f"price>={low}000000", f"price<={high}000000"}
    for text in (
        f"phòng từ {low} đến {high} triệu",
        f"phòng {low}-{high}tr",
        f"phòng {low}tr - {high}tr",
        f"phòng giá {low} tới {high} củ",
        f"rooms between {low} and {high} million",
        f"phong tu {low} den {high} trieu",
        f"rooms from {low}m to {high}m",
        f"phòng từ {low} triệu đến {high} triệu",
    ):
        assert told(ask(text)) == want, text


@settings(max_examples=12, deadline=None)
@given(metres=st.integers(12, 120))
def test_every_spelling_of_an_area(metres: int) -> None:
    for unit in ("m2", "m²", " m2", " mét vuông", " met vuong", " sqm", "m", " m vuông"):
        for limit, op in (("trên", ">"), ("tối thiểu", ">="), ("rộng", "=")):
            assert told(ask(f"phòng {limit} {metres}{unit}")) == {f"area{op}{metres}"}, unit


@settings(max_examples=20, deadline=None)
@given(count=st.integers(2, 9), noun=st.sampled_from(["người", "ng", "nguoi", "people", "bạn"]))
def test_people_are_at_least_so_many(count: int, noun: str) -> None:
    assert told(ask(f"phòng cho {count} {noun} ở")) == {f"people>={count}"}


@settings(max_examples=20, deadline=None)
@given(count=st.integers(1, 5), noun=st.sampled_from(["pn", " phòng ngủ", " ngủ", " bedrooms", "br"]))
def test_bedrooms(count: int, noun: str) -> None:
    assert told(ask(f"chung cư {count}{noun}")) == {f"bedrooms={count}", "type=apartment"}


@settings(deadline=None)
@given(text=st.text(max_size=120))
def test_no_text_breaks_the_reading_of_amounts(text: str) -> None:
    for one in parse_quantities(Vocabulary(text), text):
        assert 0 <= one.start < one.end <= len(text)


@settings(max_examples=15, deadline=None)
@given(text=st.text(alphabet="phòngquận 1234567890trđm2-.,()';\"\u0300\u0301\u200b", max_size=80))
def test_no_text_breaks_a_reading(text: str) -> None:
    assert ask(text).request_type in {"QUERY", "GREETING", "CLARIFICATION", "GENERAL_CHAT"}


@settings(max_examples=40, deadline=None)
@given(name=st.sampled_from([place.name for place in places().of("district")]), data=st.data())
def test_every_district_is_found_by_its_name(name: str, data: st.DataObject) -> None:
    said = data.draw(
        st.sampled_from(["phòng ở {}", "phòng tại {} dưới 3tr", "{} có phòng nào không", "rooms in {}"])
    )
    for form in (said.format(name), fold(said.format(name)), said.format(name).upper()):
        assert f"district={name}" in told(ask(form)), form


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("phòng q1", {"district=Quận 1"}),
        ("phòng Q.1", {"district=Quận 1"}),
        ("phòng quận nhất", {"district=Quận 1"}),
        ("phòng D1", {"district=Quận 1"}),
        ("phòng ở GV", {"district=Gò Vấp"}),
        ("phong go vap", {"district=Gò Vấp"}),
        ("phòng govap", {"district=Gò Vấp"}),
        ("phòng quận 1, 3 và 5", {"districtinQuận 1,Quận 3,Quận 5"}),
        ("trong các quận 1, 3, 5 quận nào có nhiều phòng nhất", {"districtinQuận 1,Quận 3,Quận 5"}),
        ("trong cac quan 1, 3, 5 quan nao re nhat", {"districtinQuận 1,Quận 3,Quận 5"}),
        ("phòng quận 1, 2 phòng ngủ", {"district=Quận 1", "bedrooms=2"}),
        ("I'm after a fully furnished 2-bedroom place", {"furnished=full", "bedrooms=2"}),
        ("phòng ít nhất có wifi 25m2", {"amenity=wifi", "area=25"}),
        ("căn hộ ít nhất phải có 2 phòng ngủ", {"bedrooms>=2", "type=apartment"}),
        ("phòng trừ quận 7", {"district!=Quận 7"}),
        ("phòng không phải quận 7 và quận 8", {"districtnot_inQuận 7,Quận 8"}),
        ("rooms except district 7", {"district!=Quận 7"}),
        ("phòng quận 7, trừ chung cư", {"district=Quận 7", "type!=apartment"}),
        ("phòng ở Sài Gòn", {"city=Hồ Chí Minh"}),
    ],
)
def test_names_of_places(text: str, want: set[str]) -> None:
    assert told(ask(text)) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("phòng có máy lạnh và ban công", {"amenity=air_conditioner", "amenity=balcony"}),
        ("phòng không có máy lạnh", {"amenity!=air_conditioner"}),
        ("phòng không có máy lạnh và ban công", {"amenity!=air_conditioner", "amenity!=balcony"}),
        ("phòng không cần máy lạnh, có wifi", {"amenity=wifi"}),
        ("phòng có wifi không", {"amenity=wifi"}),
        ("rooms without a balcony but with wifi", {"amenity!=balcony", "amenity=wifi"}),
        ("phòng full nội thất", {"furnished=full"}),
        ("trừ phòng trọ không có nội thất", {"furnished!=none"}),
        ("phong tru may phong khong co may lanh", {"amenity=air_conditioner"}),
        ("rooms, exclude the ones without wifi", {"amenity=wifi"}),
        ("bỏ mấy phòng có ban công", {"amenity!=balcony"}),
        ("phòng ngoài wifi còn cần máy lạnh", {"amenity=wifi", "amenity=air_conditioner"}),
        ("phòng không nội thất", {"furnished=none"}),
        ("căn hộ mini hoặc chung cư", {"typeinapartment,mini_apartment"}),
        ("phòng trọ", set()),
    ],
)
def test_traits(text: str, want: set[str]) -> None:
    assert told(ask(text)) == want


@pytest.mark.parametrize("text", ["{} 30 sqm and under 8 million", "{} 30 sqm or more and under 8 million"])
def test_a_limit_right_before_an_amount_belongs_to_it(text: str) -> None:
    assert "price<8000000" in told(ask(text.format("rooms")))
