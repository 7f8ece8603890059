"""Pointing at what was shown: by number, from either end, by the most of something, by "that one"; and for how long."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.plugin.focus import Focus, FocusRow, Reference, find_reference
from troly.text.fold import fold, nfc

NOW = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)
PRICES = (3_000_000, 2_000_000, 5_000_000, 2_500_000, 9_000_000)
ROWS = tuple(FocusRow(f"r{at}", f"Phòng {at}", {"price": price}) for at, price in enumerate(PRICES, 1))
FOCUS = Focus("room", "phòng quận 3", ROWS, {"district": "3"}, "t1", NOW)
THINGS = ("phòng", "căn", "room")
NUMBERS = {
    1: ("nhất", "first"),
    2: ("hai", "second"),
    3: ("ba", "third"),
    4: ("tư", "fourth"),
    5: ("năm", "fifth"),
}
ASKED = ("", "bao nhiêu tiền", "có máy lạnh không", "còn trống không ạ", "how much", "is it free")


def reference(text: str) -> Reference | None:
    return find_reference(text, FOCUS, things=THINGS, fields={"price": "price"})


def ids(text: str) -> list[str] | None:
    found = reference(text)
    return None if found is None else [row.id for row in found.rows]


@given(
    number=st.sampled_from(sorted(NUMBERS)),
    thing=st.sampled_from(["cái", "con", "mẫu", "phòng", "căn"]),
    shape=st.sampled_from(
        ["{thing} thứ {word}", "{thing} thứ {digit}", "{thing} số {digit}", "#{digit}", "the {nth} one"]
    ),
    asked=st.sampled_from(ASKED),
    bare=st.booleans(),
)
def test_a_row_is_found_by_its_number_in_every_form(
    number: int, thing: str, shape: str, asked: str, bare: bool
) -> None:
    word, nth = NUMBERS[number]
    pointer = shape.format(thing=thing, word=word, digit=number, nth=nth)
    text = f"{pointer} {asked}".strip()
    text = fold(text) if bare else text
    found = reference(text)
    assert found is not None
    assert (found.kind, [row.id for row in found.rows], found.missing) == ("ordinal", [f"r{number}"], 0)
    start, end = found.spans[0]
    rest = (text[:start] + text[end:]).replace("#", "").replace("the ", "").strip()
    assert rest == (fold(asked) if bare else asked)


@given(
    meant=st.sampled_from(sorted(NUMBERS)),
    other=st.sampled_from(sorted(NUMBERS)),
    denial=st.sampled_from(["không phải", "ko phải", "chứ không phải", "đâu phải", "not", "rather than"]),
    first=st.booleans(),
    bare=st.booleans(),
)
def test_one_that_is_denied_beside_one_that_is_meant_is_not(
    meant: int, other: int, denial: str, *, first: bool, bare: bool
) -> None:
    wanted, denied = f"con thứ {NUMBERS[meant][0]}", f"{denial} con thứ {NUMBERS[other][0]}"
    text = f"{denied} mà là {wanted}" if first else f"{wanted}, {denied}"
    if meant != other:
        assert ids(fold(text) if bare else text) == [f"r{meant}"]
    assert ids(denied) == [f"r{other}"]  # who asks decides what becomes of it


@given(
    count=st.integers(2, 5), bare=st.booleans(), end=st.sampled_from(["đầu", "đầu tiên", "cuối", "cuối cùng"])
)
def test_the_first_or_last_few(count: int, bare: bool, end: str) -> None:
    text = f"{count} phòng {end}"
    wanted = [row.id for row in (ROWS[:count] if end.startswith("đầu") else ROWS[-count:])]
    assert ids(fold(text) if bare else text) == wanted


@given(number=st.integers(6, 20))
def test_a_number_that_the_list_does_not_reach_is_missing(number: int) -> None:
    found = reference(f"cái thứ {number}")
    assert found is not None
    assert (found.rows, found.missing) == ((), number)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("con rẻ nhất", ["r2"]),
        ("phòng nào đắt nhất trong mấy phòng đó", ["r5"]),
        ("the cheapest one please", ["r2"]),
        ("the most expensive room", ["r5"]),
        ("so sánh phòng 1 với phòng 3", ["r1", "r3"]),
        ("cái 1 và 3", ["r1", "r3"]),
        ("the third and the first one", ["r3", "r1"]),
        ("compare 2 and 5", ["r2", "r5"]),
        ("compare the second and the fifth", ["r2", "r5"]),
        ("so sánh số 1 với số 4 giúp mình", ["r1", "r4"]),
        ("cái cuối", ["r5"]),
        ("compare the first two", ["r1", "r2"]),
        ("cả hai", ["r1", "r2"]),
    ],
)
def test_other_ways_to_point(text: str, wanted: list[str]) -> None:
    assert ids(text) == wanted


@pytest.mark.parametrize(
    "text", ["cái này có loa không", "mấy phòng đó", "that one", "is it still free", "chúng nó"]
)
def test_what_was_shown_is_meant_as_a_whole(text: str) -> None:
    assert ids(text) == [row.id for row in ROWS]


@pytest.mark.parametrize(
    "text",
    [
        "phòng 2 ngủ giá rẻ", "doanh thu thứ hai tuần này bao nhiêu", "con 2 triệu", "laptop rẻ nhất ở quận 3 dưới 5 triệu",
        "phòng quận 3", "doanh thu tháng 2", "", "!!!", "rẻ hơn nữa", "one that has wifi", "ones that are new", "cheapest first",
        "rẻ nhất xếp trước",
    ],
)  # fmt: skip
def test_amounts_weekdays_and_new_searches_point_at_nothing(text: str) -> None:
    assert reference(text) is None


@given(text=st.text(max_size=60))
def test_any_text_is_read_and_spans_lie_inside(text: str) -> None:
    found = reference(text)
    for start, end in found.spans if found else ():
        assert 0 <= start < end <= len(nfc(text))


def test_ties_are_all_meant() -> None:
    rows = (
        *ROWS,
        FocusRow("r6", "Phòng 6", {"price": 2_000_000}),
        FocusRow("r7", "Phòng 7", {"price": None}),
    )
    found = find_reference("cái rẻ nhất", Focus("room", "", rows), fields={"price": "price"})
    assert found is not None
    assert [row.id for row in found.rows] == ["r2", "r6"]


def test_a_focus_is_saved_and_read() -> None:
    assert Focus.from_json(FOCUS.to_json()) == FOCUS


@pytest.mark.parametrize("saved", [None, 3, [], {}, {"kind": "x"}, {**FOCUS.to_json(), "at": "soon"}])
def test_something_else_is_no_focus(saved: object) -> None:
    assert Focus.from_json(saved) is None


def test_a_focus_ends_after_half_an_hour_or_twenty_messages() -> None:
    def current(minutes: int, *turns: str) -> bool:
        return FOCUS.is_current(NOW + timedelta(minutes=minutes), turns, minutes=30, messages=20)

    assert current(29, "t0", "t1")
    assert not current(31, "t0", "t1")
    assert current(1, "t1", *["t2"] * 19)
    assert not current(1, "t1", *["t2"] * 20)
