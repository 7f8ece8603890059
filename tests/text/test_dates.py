"""Dates as written, the clock of Ho Chi Minh City, and spoken periods seen from a given day."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.vietnamese import anything, decomposed, plain
from troly.text.dates import (
    HCM,
    days_in_full,
    find_ranges,
    fixed_clock,
    format_date,
    parse_date,
    parse_now,
    system_clock,
)

TODAY = date(2024, 5, 15)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-12-31", date(2024, 12, 31)),
        ("2024/12/31", date(2024, 12, 31)),
        ("30/06/2025", date(2025, 6, 30)),
        ("1/6/2025", date(2025, 6, 1)),
        ("1-6-2025", date(2025, 6, 1)),
        ("01.06.2025", date(2025, 6, 1)),
        (" 2024-12-31 00:00:00 ", date(2024, 12, 31)),
        ("2024-12-31T08:15:00+07:00", date(2024, 12, 31)),
        ("ngày 31 tháng 12 năm 2024", date(2024, 12, 31)),
        ("31 thang 12/2024", date(2024, 12, 31)),
        ("31 Dec 2024", date(2024, 12, 31)),
        ("December 31st, 2024", date(2024, 12, 31)),
        ("29/2/2024", date(2024, 2, 29)),
        ("31/02/2024", None),
        ("29/2/2023", None),
        ("12/31/2024", None),
        ("1/6/25", None),
        ("2024", None),
        ("0/1/2024", None),
        ("1/6-2025", None),
        ("hôm nay", None),
        ("", None),
    ],
)
def test_reading_a_date(text: str, day: date | None) -> None:
    assert parse_date(text) == day


@given(st.dates(min_value=date(1000, 1, 1)))
def test_every_way_to_write_a_date_reads_back(day: date) -> None:
    for text in (
        day.isoformat(),
        format_date(day),
        f"{day:%d/%m/%Y}",
        f"ngày {day.day} tháng {day.month} năm {day.year}",
    ):
        assert parse_date(text) == day


def test_dates_are_shown_without_padding() -> None:
    assert format_date(date(2025, 6, 1)) == "1/6/2025"
    assert format_date(date(2027, 12, 31)) == "31/12/2027"


def test_now_is_local_unless_it_says_otherwise() -> None:
    assert parse_now("2024-05-15T09:30") == datetime(2024, 5, 15, 9, 30, tzinfo=HCM)
    assert parse_now("2024-05-15T23:30:00Z") == datetime(2024, 5, 16, 6, 30, tzinfo=HCM)
    assert parse_now("2024-05-15") == parse_now("15/5/2024") == datetime(2024, 5, 15, tzinfo=HCM)
    assert parse_now("15/5/2024 9:30") == datetime(2024, 5, 15, 9, 30, tzinfo=HCM)
    assert fixed_clock("2024-05-15")() == fixed_clock("2024-05-15")()
    now = system_clock()
    assert now.utcoffset() == timedelta(hours=7)
    assert abs(now - datetime.now(UTC)) < timedelta(minutes=1)


@pytest.mark.parametrize(
    "text", ["", "soon", "31/02/2024", "2024-13-01", "15/5/2024 25:00", "9999-12-31T23:59:59-12:00"]
)
def test_what_is_no_moment(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_now(text)


def spans(text: str, today: date = TODAY) -> list[tuple[str, str]]:
    return [(found.start.isoformat(), found.end.isoformat()) for found in find_ranges(text, today)]


@pytest.mark.parametrize(
    ("texts", "start", "end"),
    [
        ("hôm nay|today", "2024-05-15", "2024-05-15"),
        ("hôm qua|yesterday", "2024-05-14", "2024-05-14"),
        ("hôm kia|the day before yesterday", "2024-05-13", "2024-05-13"),
        ("ngày mai|tomorrow", "2024-05-16", "2024-05-16"),
        ("tuần này|this week", "2024-05-13", "2024-05-19"),
        ("tuần trước|tuần rồi|last week", "2024-05-06", "2024-05-12"),
        ("tuần sau|next week", "2024-05-20", "2024-05-26"),
        ("tháng này|this month", "2024-05-01", "2024-05-31"),
        ("tháng trước|last month", "2024-04-01", "2024-04-30"),
        ("tháng 1/2024|tháng 1 năm 2024|T1/2024|January 2024|jan 2024|1/2024", "2024-01-01", "2024-01-31"),
        ("tháng 3|tháng ba|in March", "2024-03-01", "2024-03-31"),
        ("tháng 12|in december", "2023-12-01", "2023-12-31"),
        ("tháng 3 năm ngoái|march last year", "2023-03-01", "2023-03-31"),
        ("quý 1 2024|quý 1/2024|quý I năm 2024|Q1 2024|first quarter of 2024", "2024-01-01", "2024-03-31"),
        ("quý 4|q4", "2023-10-01", "2023-12-31"),
        ("quý trước|last quarter", "2024-01-01", "2024-03-31"),
        ("tháng 3 năm sau|tháng 3 năm tới|thang 3 sang nam|march next year", "2025-03-01", "2025-03-31"),
        ("quý 4 năm sau|quý 4 sang năm|q4 next year", "2025-10-01", "2025-12-31"),
        ("ngày 5/1 năm sau|5/1 năm tới|5 January next year", "2025-01-05", "2025-01-05"),
        ("tháng 3|tháng 3 năm nay", "2024-03-01", "2024-03-31"),
        ("năm nay|this year", "2024-01-01", "2024-12-31"),
        ("năm ngoái|năm 2023|last year|in 2023", "2023-01-01", "2023-12-31"),
        ("7 ngày qua|bảy ngày gần đây|last 7 days|past seven days", "2024-05-09", "2024-05-15"),
        ("3 tháng gần đây|ba tháng qua|last 3 months", "2024-02-16", "2024-05-15"),
        (
            "từ 1/1/2024 đến 31/3/2024|từ ngày 1/1 đến ngày 31/3/2024|from 1/1/2024 to 31/3/2024",
            "2024-01-01",
            "2024-03-31",
        ),
        ("between January 1, 2024 and March 31, 2024|2024-01-01 - 2024-03-31", "2024-01-01", "2024-03-31"),
        (
            "từ 31/3/2024 đến 1/1/2024|từ tháng 1 đến tháng 3|from January to March",
            "2024-01-01",
            "2024-03-31",
        ),
        ("từ tháng 11 đến tháng 2", "2023-11-01", "2024-02-29"),
        ("đầu tháng đến nay|từ đầu tháng|month to date", "2024-05-01", "2024-05-15"),
        ("từ đầu năm đến nay|ytd|từ tháng 1 đến nay|since January", "2024-01-01", "2024-05-15"),
        ("6 tháng đầu năm 2023|nửa đầu năm 2023|first half of 2023", "2023-01-01", "2023-06-30"),
        ("2 tháng trước|2 months ago", "2024-03-01", "2024-03-31"),
        ("3 ngày trước|ba ngày trước|3 days ago", "2024-05-12", "2024-05-12"),
        ("thứ 2 tuần trước|thứ hai tuần trước|monday last week", "2024-05-06", "2024-05-06"),
        ("cuối tuần qua|last weekend", "2024-05-11", "2024-05-12"),
        ("ngày 20/12/2023|20 tháng 12|on 20 December 2023", "2023-12-20", "2023-12-20"),
        (
            "ngày 11/11 năm ngoái|11/11 năm ngoái|ngày 11 tháng 11 năm ngoái|11 November last year",
            "2023-11-11",
            "2023-11-11",
        ),
        ("ngày 11/11 năm nay|11/11 this year", "2024-11-11", "2024-11-11"),
        ("hôm nay năm ngoái|today last year", "2023-05-15", "2023-05-15"),
    ],
)
def test_spoken_periods(texts: str, start: str, end: str) -> None:
    for text in texts.split("|"):
        sentence = f"doanh thu {text} của shop"
        assert spans(sentence) == [(start, end)], text
        assert spans(decomposed(sentence)) == [(start, end)], text
        if "tháng ba" not in text and "thứ hai" not in text:
            assert spans(plain(sentence).upper()) == [(start, end)], text


def test_two_periods_and_the_same_one_a_year_before() -> None:
    assert spans("So sánh doanh thu tuần này với tuần trước") == [
        ("2024-05-13", "2024-05-19"),
        ("2024-05-06", "2024-05-12"),
    ]
    assert spans("tháng 4 so với cùng kỳ năm ngoái") == [
        ("2024-04-01", "2024-04-30"),
        ("2023-04-01", "2023-04-30"),
    ]


def test_label_has_accents_and_span_is_what_was_typed() -> None:
    text = "tong doanh thu thang 1/2024 la bao nhieu"
    (found,) = find_ranges(text, TODAY)
    assert found.label == "tháng 1/2024"
    assert text[slice(*found.span)] == "thang 1/2024"


@pytest.mark.parametrize(
    "text",
    [
        "31/02/2024", "từ 31/02/2024 đến 31/3/2024", "tháng 13/2024", "bảo hành 12 tháng", "thuê tháng 3 triệu", "đơn 1/2",
        "máy 2024 cái", "march on", "i5-12400", "ngày 1.000.000", "năm người", "bán hàng",
    ],
)  # fmt: skip
def test_what_is_no_period(text: str) -> None:
    assert spans(text) == []


@given(st.dates(date(1950, 1, 1), date(2090, 1, 1)))
def test_whole_units_around_any_day(today: date) -> None:
    (week,) = find_ranges("tuần này", today)
    (before,) = find_ranges("tuần trước", today)
    (month,) = find_ranges("tháng này", today)
    assert week.start <= today <= week.end
    assert week.start.weekday() == 0
    assert week.end - week.start == timedelta(days=6)
    assert before.end + timedelta(days=1) == week.start
    assert month.start.day == 1
    assert (month.end + timedelta(days=1)).day == 1
    assert month.start <= today <= month.end


@given(anything, st.dates())
def test_any_text_on_any_day_gives_ordered_periods_inside_it(s: str, today: date) -> None:
    found = find_ranges(s, today)
    assert all(each.start <= each.end for each in found)
    assert all(0 <= each.span[0] < each.span[1] <= len(s) for each in found)


@given(
    st.lists(
        st.sampled_from(
            [
                "từ",
                "đến",
                "tháng",
                "quý",
                "năm",
                "1",
                "3",
                "12",
                "31/12",
                "2024",
                "nay",
                "trước",
                "này",
                "qua",
                "ngày",
                "last",
                "7",
                "days",
                "to",
                "in",
                "may",
            ]
        ),
        max_size=9,
    ),
    st.dates(),
)
def test_any_mixture_of_date_words_is_read_without_error(parts: list[str], today: date) -> None:
    assert all(each.start <= each.end for each in find_ranges(" ".join(parts), today))


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("20/4", ["20/4"]),
        ("và 21/4 nữa", ["21/4"]),
        ("20-04", ["20/4"]),
        ("18, 19 và 20/4", ["18/4", "19/4", "20/4"]),
        ("18 and 20 April", ["18/4", "20/4"]),
        ("từ 16 đến 20/4", ["16/4-20/4"]),
        ("ngày 2-5/5", ["2/5-5/5"]),
        ("ngày 3", ["3/5"]),
        ("hôm 25", ["25/4"]),
        ("the 9th", ["9/5"]),
        ("thứ 2 và thứ 4 tuần trước", ["6/5", "8/5"]),
        ("10 ngày đầu tháng 4", ["1/4-10/4"]),
        ("5 ngay cuoi thang 4", ["26/4-30/4"]),
        ("first half of last month", ["1/4-15/4"]),
        ("từ đầu tháng 4 đến giờ", ["1/4-15/5"]),
        ("errors april", ["1/4-30/4"]),
        ("db-02 tháng 4", ["1/4-30/4"]),
        ("3 ngày, 1-2 lần, lỗi 691, 8-10 giờ", []),
    ],
)
def test_days_as_figures_and_parts_of_months(text: str, days: list[str]) -> None:
    found = find_ranges(days_in_full(text, TODAY), TODAY)
    ends = [(f"{one.start.day}/{one.start.month}", f"{one.end.day}/{one.end.month}") for one in found]
    assert [first if first == last else f"{first}-{last}" for first, last in ends] == days


@given(anything)
def test_any_text_keeps_its_other_words(text: str) -> None:
    assert isinstance(days_in_full(text, TODAY), str)


@pytest.mark.parametrize("year", ["", " 2024", ", 2024"])
@pytest.mark.parametrize("last", range(2, 15))
def test_english_days_share_their_month_with_or_without_a_year(year: str, last: int) -> None:
    found = find_ranges(days_in_full(f"from 1 to {last} April{year}", TODAY), TODAY)
    assert [(one.start, one.end) for one in found[:1]] == [(date(2024, 4, 1), date(2024, 4, last))]


@pytest.mark.parametrize(
    "income", ["doanh thu", "tổng thu", "tiền thu", "khoản thu", "nguồn thu", "đã thu", "thực thu"]
)
@pytest.mark.parametrize("count", ["2", "3", "4"])
@pytest.mark.parametrize("last", ["qua", "trước", "vừa rồi"])
def test_what_comes_in_is_no_weekday(income: str, count: str, last: str) -> None:
    days = spans(f"tính {count} tuần {last}")
    assert spans(f"{income} {count} tuần {last}") == days
    assert spans(plain(f"{income} {count} tuần {last}")) == days


@pytest.mark.parametrize("count", ["2", "3", "4"])
@pytest.mark.parametrize("before", ["số đơn", "chi phí", "doanh thu", "tiền", ""])
def test_a_weekday_behind_a_figure_is_one(before: str, count: str) -> None:
    (day,) = spans(f"{before} thứ {count} tuần trước")
    assert day[0] == day[1]
    if before != "tiền":  # "tien thu 2 tuan truoc"
        assert spans(plain(f"{before} thứ {count} tuần trước")) == [day]
