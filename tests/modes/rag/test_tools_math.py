"""math_tool: a safe grammar, units that are kept apart, rules worked out with the asker's figures."""

from __future__ import annotations

import operator
import re
from contextlib import suppress
from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.text.dates import add_months, format_date
from troly.text.numbers import format_number
from troly_rag.routing.questions import is_arithmetic
from troly_rag.tools.arithmetic import (
    CalculationError,
    Quantity,
    Sign,
    Token,
    answer,
    evaluate,
    expression_in,
)
from troly_rag.tools.calculator import (
    asks_for_grade,
    date_sum,
    figures_of,
    hours_in_full,
    missing_for,
    on_calendar,
    work_out,
)
from troly_rag.tools.deadlines import due

NUMBERS = st.integers(-10_000, 10_000).map(Decimal)


def number(value: Decimal | int) -> Quantity:
    return Quantity(Decimal(value))


@given(NUMBERS, NUMBERS, NUMBERS, st.sampled_from("+-*"), st.sampled_from("+-*"))
def test_products_bind_before_sums(a: Decimal, b: Decimal, c: Decimal, first: str, second: str) -> None:
    apply = {"+": operator.add, "-": operator.sub, "*": operator.mul}
    if second == "*" and first != "*":
        expected = apply[first](a, b * c)
    else:
        expected = apply[second](apply[first](a, b), c)
    tokens: list[Token] = [number(a), Sign(first), number(b), Sign(second), number(c)]
    assert evaluate(tokens).value == expected


@given(st.lists(st.one_of(NUMBERS.map(number), st.sampled_from([Sign(s) for s in "+-*/^()%"])), max_size=30))
def test_any_tokens_give_a_value_or_one_error(tokens: list[Token]) -> None:
    kind, value = "", Decimal(0)
    try:
        value = evaluate(tokens).value
    except CalculationError as error:
        kind = error.kind
    assert value.is_finite()
    assert kind in {"", "syntax", "zero", "power", "large", "units", "long"}


@given(st.text(max_size=120))
def test_any_text_is_answered(text: str) -> None:
    with suppress(CalculationError):
        assert isinstance(answer(text, "vi"), str)


@pytest.mark.parametrize(
    ("question", "result"),
    [
        ("20% của 15tr", "3.000.000 VND"),
        ("tính giúp 3.000.000 x 12", "36.000.000"),
        ("(2+3)*4 bằng mấy", "20"),
        ("what is 2 plus 3 times 4", "14"),
        ("15tr - 20%", "12.000.000 VND"),
        ("lương 15 triệu chia 26 nhân 3 ngày", "1.730.769 VND"),
        ("2^10", "1.024"),
        ("(1.500.000 + 500k) / 4", "500.000 VND"),
    ],
)
def test_expressions_in_sentences(question: str, result: str) -> None:
    assert answer(question, "vi").endswith(f"= {result}")


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("5 / 0", "zero"),
        ("9^999", "power"),
        ("10 triệu + 3 ngày", "units"),
        ("2^100 * 2^100", "large"),
        ("(" * 80 + "1+1" + ")" * 80, "long"),
        (" + ".join(["1"] * 300), "long"),
    ],
)
def test_what_cannot_be_worked_out_says_why(question: str, kind: str) -> None:
    with pytest.raises(CalculationError) as error:
        answer(question, "vi")
    assert error.value.kind == kind


LATE = "Nhân viên đi muộn quá 3 lần trong một tháng bị trừ 200.000 VND cho mỗi lần tiếp theo."
TERM = "Xin quyền trên cổng dịch vụ. Quyền vào sổ kế toán có hạn {count} {unit}."


@given(
    st.integers(1, 40),
    st.sampled_from(["ngày", "tuần", "tháng", "năm"]),
    st.dates(date(2027, 1, 1), date(2027, 12, 31)),
)
def test_what_holds_for_a_term_ends_that_long_after_its_day(count: int, unit: str, day: date) -> None:
    rule, today = TERM.format(count=count, unit=unit), date(2026, 11, 23)
    ends = {
        "ngày": day + timedelta(days=count),
        "tuần": day + timedelta(days=7 * count),
        "tháng": add_months(day, count),
        "năm": add_months(day, 12 * count),
    }[unit]
    named = f"{day.day}/{day.month}/{day.year}"
    for asked in (f"cấp ngày {named} thì khi nào hết hạn", f"cấp từ {named} đến ngày nào hết hạn"):
        told = due(f"quyền vào sổ kế toán {asked}", "", rule, today, "vi", heading="Cấp quyền")
        assert f" {format_date(ends)}." in told
        assert not due(f"quyền vào máy chủ {asked}", "", rule, today, "vi", heading="Cấp quyền")
    # Several terms, and a day that is not said.
    two = rule.replace(".", f", lần hai {count + 1} {unit}.")
    assert not due(
        f"quyền vào sổ kế toán cấp ngày {named} thì khi nào hết hạn",
        "",
        two,
        today,
        "vi",
        heading="Cấp quyền",
    )
    assert not due("quyền vào sổ kế toán khi nào hết hạn", "", rule, today, "vi", heading="Cấp quyền")


LEAVE = "Nhân viên chính thức có 14 ngày phép năm hưởng nguyên lương, thêm 1 ngày cho mỗi 5 năm làm việc."
UNUSED = "Phần còn lại được quy đổi theo lương cơ bản chia 26 ngày công."
OVERTIME_EN = "Overtime is paid at 150% on working days, 200% on weekly days off and 300% on public holidays, with prior approval."
CARRIED = (
    "Phép chưa dùng được chuyển tối đa 5 ngày sang năm sau, dùng trước ngày 31 tháng 3. Phần còn lại được quy đổi theo "
    "lương cơ bản chia 26 ngày công."
)
OVERTIME = "Làm thêm ngày thường được trả 150% lương giờ, ngày nghỉ hằng tuần 200%, ngày lễ 300%."
TRAVEL = "Công tác trong nước được chi khách sạn tối đa 900.000 VND mỗi đêm, phụ cấp 250.000 VND mỗi ngày."


@pytest.mark.parametrize(
    ("rule", "question", "result"),
    [
        (LATE, "đi muộn 6 lần thì bị trừ bao nhiêu tiền?", "600.000 VND"),
        (LATE, "đi muộn 3 lần thì bị trừ bao nhiêu tiền?", "0 VND"),
        (LEAVE, "làm 11 năm được mấy ngày phép?", "16 ngày"),
        (LEAVE, "làm 4 năm được mấy ngày phép?", "14 ngày"),
        (UNUSED, "lương 13tr, còn 2 ngày thì đổi được bao nhiêu?", "1.000.000 VND"),
        (OVERTIME, "tăng ca 10 giờ ngày chủ nhật lương 20 triệu được bao nhiêu?", "1.923.077 VND"),
        (OVERTIME, "tăng ca 10 giờ ngày lễ lương 20 triệu được bao nhiêu?", "2.884.615 VND"),
        (OVERTIME, "tăng ca 10 giờ hệ số 200% lương 20 triệu được bao nhiêu?", "1.923.077 VND"),
        (OVERTIME, "lương giờ 50k, làm ngày thường 6 tiếng được bao nhiêu?", "450.000 VND"),
        (TRAVEL, "đi công tác 3 đêm 4 ngày được chi bao nhiêu?", "3.700.000 VND"),
    ],
)
def test_a_rule_comes_to_what_it_says_and_the_sum_is_shown(rule: str, question: str, result: str) -> None:
    said = work_out(question, "", rule, "vi")
    assert result in said
    assert "Theo quy định" in said


def test_without_the_kind_of_day_every_kind_is_told() -> None:
    said = work_out("tăng ca 10 giờ lương 20 triệu được bao nhiêu?", "", OVERTIME, "vi")
    assert all(value in said for value in ("1.442.308", "1.923.077", "2.884.615"))


def test_figures_said_before_are_kept_and_nothing_is_guessed() -> None:
    before = "lương giờ mình 50k, chủ nhật làm 6 tiếng được bao nhiêu tiền"
    assert "900.000 VND" in work_out("nếu trùng ngày lễ?", before, OVERTIME, "vi")
    assert work_out("sếp chưa duyệt thì sao?", before, OVERTIME, "vi") == ""
    for rule in (LATE, LEAVE, UNUSED, OVERTIME, TRAVEL):
        assert work_out("được bao nhiêu?", "", rule, "vi") == ""


@given(st.text(max_size=80), st.sampled_from([LATE, LEAVE, UNUSED, OVERTIME, TRAVEL]))
def test_any_question_is_held_against_a_rule(question: str, rule: str) -> None:
    assert isinstance(work_out(question, "", rule, "vi"), str)


def test_what_is_missing_is_named() -> None:
    """004-44: the salary was not said."""
    text = missing_for("Tính toán chi phí nghỉ phép và so sánh với chính sách công ty", "vi")
    assert "lương tháng" in text
    assert "VND" not in text


def test_words_that_compute_nothing_are_no_expression() -> None:
    for text in ("xin chào", "đi muộn 3 lần", "ngày 12/11/2026", "phòng 301", ""):
        assert expression_in(text) == []


@pytest.mark.parametrize("text", ["máy cấp tháng 3/2023", "12/2026", "ngày 2/9", "since 03-2024"])
def test_a_month_of_a_year_is_no_division(text: str) -> None:
    assert not is_arithmetic(text)


TET = (
    "Nhân viên làm đủ 12 tháng được thưởng Tết bằng 1 tháng lương cơ bản, làm chưa đủ được tính theo tháng. "
    "Người xếp loại A được thêm 0,5 tháng, loại D không có thưởng năm."
)
KPI = (
    "Điểm chuyên cần chiếm 10%, kết quả công việc 70%, tinh thần hợp tác 20%. "
    "Xếp loại A từ 90 điểm, B từ 75, C từ 60, dưới 60 là D."
)
BIRTH = "Lao động nữ sinh con được nghỉ 6 tháng, sinh đôi thêm 1 tháng cho mỗi con từ con thứ hai. Hỗ trợ 5.000.000 VND cho mỗi bé."
PAYDAY = "Lương được trả vào ngày 5 hằng tháng. Trùng ngày nghỉ thì trả vào ngày làm việc liền trước."
SERVERS = "Bảo trì vào tối chủ nhật đầu tháng từ 22 giờ đến 24 giờ."


@pytest.mark.parametrize(
    ("rule", "question", "result"),
    [
        (TET, "làm được 8 tháng, lương cơ bản 12 triệu thì thưởng Tết bao nhiêu", "= 8.000.000 VND"),
        (TET, "làm 3 năm lương 10tr thưởng tết bao nhiêu", "= 10.000.000 VND"),
        (TET, "đủ 12 tháng, lương 12 triệu, xếp loại A thì thưởng bao nhiêu", "18.000.000 VND"),
        (TET, "lương 12 triệu, xếp loại D thì thưởng Tết bao nhiêu", ""),
        (KPI, "chuyên cần 80, kết quả 90, hợp tác 70 thì tổng mấy điểm", "= 85 điểm; 85 điểm là loại B"),
        (
            KPI,
            "hợp tác 50, chuyên cần 100, kết quả công việc 60 được bao nhiêu điểm",
            "= 62 điểm; 62 điểm là loại C",
        ),
        (KPI, "chuyên cần 80 và kết quả 90 thì mấy điểm", ""),
        (KPI, "72 điểm thì xếp loại gì", "72 điểm là loại C"),
        (KPI, "59 diem xep loai gi", "59 điểm là loại D"),
        (BIRTH, "sinh đôi được nghỉ mấy tháng", "= 7 tháng"),
        (BIRTH, "sinh ba thì được nghỉ bao nhiêu tháng", "= 8 tháng"),
        (BIRTH, "vợ sinh đôi thì công ty hỗ trợ bao nhiêu tiền", "= 10.000.000 VND"),
    ],
)
def test_a_rule_of_months_parts_and_children_is_worked_out(rule: str, question: str, result: str) -> None:
    told = work_out(question, "", rule, "vi")
    assert result in told if result else not told


@pytest.mark.parametrize(
    ("rule", "question", "day"),
    [
        (PAYDAY, "tháng 12 năm 2026 trả lương ngày nào", "thứ sáu 4/12/2026"),
        (PAYDAY, "tháng 1 năm 2027 trả lương ngày nào", "thứ ba 5/1/2027"),
        (PAYDAY, "tháng sau trả lương ngày mấy", "thứ sáu 4/12/2026"),
        (PAYDAY, "trả lương ngày nào", ""),
        (PAYDAY, "tháng sau em cưới thì nghỉ mấy ngày", ""),
        (SERVERS, "bảo trì lần tới là ngày nào", "chủ nhật 6/12/2026"),
        (SERVERS, "tháng 3 năm 2027 bảo trì ngày nào", "chủ nhật 7/3/2027"),
    ],
)
def test_a_rule_of_every_month_falls_on_a_day(rule: str, question: str, day: str) -> None:
    told = on_calendar(question, rule, date(2026, 11, 23), "vi")
    assert told.startswith(day[:1].upper() + day[1:]) if day else not told


@pytest.mark.parametrize(
    ("question", "rule", "said"),
    [
        ("làm thêm 3 giờ ngày thường và 2 giờ chủ nhật, lương 15 triệu được bao nhiêu", OVERTIME, "612.981"),
        ("em tang ca 5 tieng chu nhat 3 tieng ngay thuong luong 12tr duoc nhieu", OVERTIME, "836.538"),
        ("ngày thường 3 tiếng, ngày lễ 4 tiếng tăng ca, lương 15tr được nhiêu", OVERTIME, "1.189.904"),
        ("I worked 10 hours of overtime on Sunday, salary 20 million", OVERTIME_EN, "1.923.077"),
        ("còn dư 8 ngày, lương 13tr, quy đổi được bao nhiêu", CARRIED, "1.500.000"),
        ("phần còn lại là 3 ngày, lương 13tr, quy đổi được bao nhiêu", CARRIED, "1.500.000"),
        ("còn 9 ngày, chuyển hết mức đó thì phần dư quy ra tiền bao nhiêu, lương 13tr", CARRIED, "2.000.000"),
        ("còn 8 ngày phép, chuyển hết mức rồi phần còn lại được mấy tiền, lương 26tr", CARRIED, "3.000.000"),
    ],
)
def test_each_count_is_of_its_own_kind_of_day(question: str, rule: str, said: str) -> None:
    told = work_out(question, "", rule, "vi")
    assert said in told
    assert ("300% =" in told) == ("ngày lễ" in question)


def test_counts_without_a_kind_and_other_figures_are_no_sum() -> None:
    before = "làm thêm 10 giờ chủ nhật, lương 20 triệu được bao nhiêu"
    assert work_out("làm thêm 4 giờ và 6 giờ, lương 15 triệu được bao nhiêu", "", OVERTIME, "vi") == ""
    assert work_out("nếu làm 10 năm thì được mấy ngày", before, OVERTIME, "vi") == ""


@pytest.mark.parametrize(
    ("rule", "question", "before", "said"),
    [
        (
            BIRTH,
            "hai bé là bao nhiêu, có hỗ trợ tiền không",
            "sinh đôi được nghỉ mấy tháng",
            "= 10.000.000 VND",
        ),
        (BIRTH, "công ty hỗ trợ hai bé tất cả bao nhiêu", "sinh đôi được nghỉ mấy tháng", "= 10.000.000 VND"),
        (BIRTH, "sinh ba thì sao", "sinh đôi được nghỉ mấy tháng", "= 8 tháng"),
        (CARRIED, "chuyển 8 ngày sang năm sau được mấy ngày", "làm 6 năm", ""),
    ],
)
def test_the_sentence_that_holds_the_question_is_the_rule(
    rule: str, question: str, before: str, said: str
) -> None:
    told = work_out(question, before, rule, "vi", typed=question)
    assert said in told if said else not told


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9))
def test_hours_of_one_kind_that_are_only_stated_are_put_into_the_sum_of_all(
    weekday: int, sunday: int, stated: int
) -> None:
    rule = "Làm thêm ngày thường được trả 150% lương giờ, ngày nghỉ hằng tuần 200%, ngày lễ 300%."
    before = f"lương giờ 60k, làm thêm {weekday} tiếng ngày thường với {sunday} tiếng chủ nhật được bao nhiêu"
    said = work_out(f"chủ nhật em làm có {stated} tiếng thôi", before, rule, "vi")
    assert f"{weekday} × 60.000 VND × 150%" in said
    assert f"{stated} × 60.000 VND × 200%" in said
    asked = work_out(f"chủ nhật {stated} tiếng thì bao nhiêu", before, rule, "vi")
    assert "× 150%" not in asked.partition("Theo quy định")[0]


def test_a_date_tells_the_kind_of_day() -> None:
    told = work_out("tăng ca 5 tiếng, lương giờ 80k được bao nhiêu", "", OVERTIME, "vi", day="ngày thường")
    assert "150%" in told.partition("Theo quy định")[0]
    assert "200%" not in told.partition("Theo quy định")[0]


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("tăng ca 2 giờ rưỡi", "2.5"),
        ("2 tiếng 30 phút chủ nhật", "2.5"),
        ("hai tiếng mỗi ngày trong 5 ngày thường", "10"),
        ("5 ngày thường mỗi ngày tăng ca 3 tiếng", "15"),
        ("overtime 2 hours a day for 5 working days", "10"),
        ("two and a half hours", "2.5"),
        ("một tiếng rưỡi", "1.5"),
        ("tăng ca 90 phút", "1.5"),
        ("tăng ca từ 18h đến 20h30", "2.5"),
        ("OT 4h", "4"),
    ],
)
def test_a_length_of_time_is_one_count_of_hours(text: str, hours: str) -> None:
    assert figures_of(hours_in_full(text)).counted["hour"] == Decimal(hours)


@given(
    st.integers(1, 12),
    st.integers(1, 12),
    st.sampled_from(
        [
            "{} tiếng thứ tư và {} vào chủ nhật",
            "{} giờ thứ ba, {} hôm chủ nhật",
            "{} hours on Monday and {} on Sunday",
        ]
    ),
)
def test_a_count_without_its_unit_has_that_of_the_hours_before(first: int, second: int, form: str) -> None:
    told = hours_in_full(f"tăng ca {form.format(first, second)}")
    assert [figures_of(one).counted.get("hour") for one in re.split(r",|\b(?:and|và)\b", told)] == [
        first,
        second,
    ]


@pytest.mark.parametrize(
    "text", ["tăng ca 3 tiếng, 4 ngày", "tăng ca 3 tiếng và 2 tối", "tăng ca ngày 3 và 4 vào chủ nhật"]
)
def test_what_has_another_unit_or_stands_behind_no_hours_is_none(text: str) -> None:
    assert hours_in_full(text) == text


def test_what_is_done_then_is_done_to_all_before() -> None:
    assert answer("20% của 15tr rồi cộng thêm 500k", "vi").endswith("= 3.500.000 VND")
    assert answer("100 cộng 50 rồi nhân 2", "vi").endswith("= 300")
    assert answer("trừ 45k", "vi", "15% của 2tr3").endswith("= 300.000 VND")
    assert answer("cộng thêm 45k", "vi", "lương tháng bao nhiêu") == ""


@given(
    st.dates(date(2000, 1, 1), date(2090, 1, 1)),
    st.integers(0, 999),
    st.sampled_from(["+", "cộng", "plus", "-"]),
)
def test_days_are_added_to_a_day_and_nothing_else_is(day: date, count: int, sign: str) -> None:
    asked = f"{day:%d/%m/%Y} {sign} {count} {'days' if sign == 'plus' else 'ngày'}"
    then = day + timedelta(days=-count if sign == "-" else count)
    assert f"= {format_date(then)} (" in date_sum(asked, day, "vi")
    assert date_sum(f"{asked[:5]}{asked[10:]}", day, "vi") == date_sum(asked, day, "vi")
    assert date_sum(f"{asked} là ngày mấy?", day, "vi") == date_sum(asked, day, "vi")
    for other in (
        f"{asked} làm việc",
        f"{asked} + 2 ngày",
        f"31/11 {sign} 3 ngày",
    ):
        with pytest.raises(CalculationError):
            date_sum(other, day, "vi")
    assert date_sum(f"{count} x 3", day, "vi") == ""


@given(st.dates(date(2000, 1, 1), date(2090, 1, 1)), st.integers(1, 999))
def test_days_from_a_day_are_counted_however_that_is_put(day: date, count: int) -> None:
    today, written = date(2026, 11, 23), f"{day:%d/%m/%Y}"
    for back, forms in (
        (1, ("{} ngày kể từ {}", "{} ngày sau ngày {} là hôm nào", "{} days from {} is what date?")),
        (-1, ("{} ngày trước {} là ngày nào", "{} days before {}")),
    ):
        then = format_date(day + timedelta(days=back * count))
        assert all(f"= {then} (" in date_sum(one.format(count, written), today, "vi") for one in forms)
    then = format_date(today + timedelta(days=count))
    for one in (
        "{} ngày nữa là ngày nào",
        "{} ngày kể từ hôm nay",
        "hôm nay cộng {} ngày",
        "{} days from now",
    ):
        assert f"= {then} (" in date_sum(one.format(count), today, "vi")
    weeks = format_date(today + timedelta(weeks=count))
    assert f"= {weeks} (" in date_sum(f"{count} tuần nữa là ngày mấy", today, "vi")
    assert format_date(day) in date_sum(f"{written} là thứ mấy", today, "vi")
    for other in (f"còn {count} ngày nữa hết hạn", f"{count} ngày trước có lỗi gì", f"nghỉ {count} ngày từ {written}", f"{count} ngày làm việc kể từ hôm nay"):  # fmt: skip
        assert date_sum(other, today, "vi") == ""


SHARES = "Điểm chuyên cần chiếm 10%, kết quả công việc 70%, tinh thần hợp tác 20%. Loại A từ 90 điểm, B từ 75, dưới 75 là C."


@pytest.mark.parametrize(
    "names",
    [("chuyên cần", "công việc", "hợp tác"), ("chuyên cần", "kết quả", "tinh thần"), ("chuyen can", "cong viec", "hop tac"), ("điểm chuyên cần", "kết quả công việc", "tinh thần hợp tác")],
)  # fmt: skip
@pytest.mark.parametrize("join", [", ", " ", " và "])
@pytest.mark.parametrize("points", [(80, 90, 70), (100, 55, 60)])
def test_parts_are_named_by_what_no_other_part_is_called(
    names: tuple[str, ...], join: str, points: tuple[int, ...]
) -> None:
    asked = join.join(f"{name} {point}" for name, point in zip(names, points, strict=True))
    total = sum(point * share for point, share in zip(points, (10, 70, 20), strict=True)) / 100
    assert f"= {total:g} điểm".replace(".", ",") in work_out(f"{asked} thì xếp loại gì", "", SHARES, "vi")
    other = asked.replace(names[1], "kỷ luật")
    assert work_out(f"{other} thì xếp loại gì", "", SHARES, "vi") == ""


NOTICE = "Nhân viên báo trước {count} ngày{working}. Lương cuối trả trong 14 ngày."


@given(st.integers(1, 60), st.dates(date(2027, 1, 1), date(2027, 12, 31)))
def test_a_day_of_notice_is_so_many_days_before(count: int, day: date) -> None:
    asked = f"nghỉ việc ngày {day.day}/{day.month}/{day.year} thì báo trước ngày nào"
    told = due(
        asked, "", NOTICE.format(count=count, working=""), date(2026, 11, 23), "vi", heading="Nghỉ việc"
    )
    assert f" {format_date(day - timedelta(days=count))}." in told
    working = NOTICE.format(count=count, working=" làm việc")
    told = due(asked, "", working, date(2026, 11, 23), "vi", heading="Nghỉ việc")
    at = next(
        then for back in range(200) if f" {format_date(then := day - timedelta(days=back + 1))}." in told
    )
    assert sum((at + timedelta(days=one)).weekday() < 5 for one in range((day - at).days)) == count


@pytest.mark.parametrize(
    "asked",
    [
        "nghỉ việc ngày 15/12 thì lương cuối trả khi nào",
        "nghỉ việc thì báo trước ngày nào",
        "nghỉ việc ngày 15/12 hay 20/12 thì báo trước ngày nào",
        "nghỉ việc ngày 15/12 có phải báo trước không",
        "cưới ngày 15/12 thì báo trước ngày nào",
    ],
)
def test_no_day_is_counted_for_another_question(asked: str) -> None:
    rule = NOTICE.format(count=30, working="")
    assert due(asked, "", rule, date(2026, 11, 23), "vi", heading="Nghỉ việc") == ""


LEAVE = "Nhân viên chính thức có 14 ngày phép năm hưởng nguyên lương, thêm 1 ngày cho mỗi 5 năm làm việc."
TRIP = "Công tác được chi khách sạn tối đa 900.000 VND mỗi đêm, phụ cấp 250.000 VND mỗi ngày."
ALLOWANCES = "Phụ cấp ăn trưa 730.000 VND mỗi tháng, gửi xe 150.000 VND, điện thoại 300.000 VND."


@pytest.mark.parametrize("years", [5, 12, 30])
@pytest.mark.parametrize(
    ("asked", "counts"),
    [
        ("được mấy ngày phép?", True),
        ("thế thì mấy ngày", True),
        ("Phép không dùng hết thì được chuyển sang năm sau mấy ngày?", False),
        ("xin phép phải báo quản lý trước mấy ngày", False),
    ],
)
def test_a_count_said_before_is_not_that_of_another_matter(years: int, asked: str, counts: bool) -> None:
    assert bool(work_out(asked, f"tôi làm {years} năm rồi", LEAVE, "vi", typed=asked)) is counts


@pytest.mark.parametrize("days", [2, 3, 9])
def test_a_clause_that_is_named_is_counted_alone(days: int) -> None:
    before = f"đi công tác {days} đêm thì khách sạn được bao nhiêu"
    own = work_out(asked := f"phụ cấp {days} ngày là bao nhiêu", before, TRIP, "vi", typed=asked)
    assert "250.000" in own
    assert f"{days} × 900.000" not in own
    whole = work_out(asked := f"công tác {days} ngày {days} đêm được bao nhiêu", "", TRIP, "vi", typed=asked)
    assert f"{days} × 900.000" in whole
    assert f"{days} × 250.000" in whole


@pytest.mark.parametrize("months", [2, 6, 12])
def test_a_sum_without_its_period_is_not_multiplied(months: int) -> None:
    assert not work_out(f"{months} tháng gửi xe là bao nhiêu", "", ALLOWANCES, "vi")
    assert f"{months} × 730.000" in work_out(f"ăn trưa {months} tháng là bao nhiêu", "", ALLOWANCES, "vi")


@given(st.dates(date(2024, 1, 1), date(2030, 12, 1)), st.integers(1, 12))
def test_a_month_without_a_year_is_the_nearest(today: date, month: int) -> None:
    told = on_calendar(f"tháng {month} lương trả ngày nào", "Lương trả vào ngày 5 hằng tháng.", today, "vi")
    day, _, year = told.partition(". ")[0].rpartition(" ")[2].partition("/")[2].partition("/")
    assert int(day) == month
    assert abs((date(int(year), month, 1) - today).days) <= 184


@pytest.mark.parametrize("said", ["đủ năm", "trọn năm", "du mot nam", "a full year", "a whole year"])
def test_a_full_year_is_twelve_months(said: str) -> None:
    assert figures_of(hours_in_full(f"nếu làm {said} thì sao")).counted == {"month": 12}


@given(st.integers(6, 30), st.sampled_from(["phần còn lại", "còn lại", "phần dư"]))
def test_of_days_left_over_that_are_asked_how_many_may_move_the_rest_alone_is_paid(
    days: int, rest: str
) -> None:
    page = "Phép chưa dùng được chuyển tối đa 5 ngày. Phần còn lại được quy đổi theo lương chia 26 ngày công."
    asked = f"lương 26 triệu, dư {days} ngày phép thì chuyển được mấy ngày và {rest} được bao nhiêu tiền"
    told = work_out(asked, "", page, "vi")
    assert f"({days} − 5)" in told
    assert format_number(Decimal(days - 5) * 1_000_000, "vi", 0) in told
    assert "chuyển tối đa 5 ngày" in told


OVERTIME = "Làm thêm ngày thường được trả 150% lương giờ, ngày nghỉ hằng tuần 200%, ngày lễ 300%."


@given(st.lists(st.integers(10, 900), min_size=2, max_size=4))
def test_a_wage_that_was_said_last_is_the_wage(thousands: list[int]) -> None:
    said = [f"lương giờ {wage} nghìn" for wage in thousands]
    assert figures_of("\n".join(said)).hourly == thousands[0] * 1000
    told = work_out("còn chủ nhật", "\n".join([*said, "làm thêm 4 tiếng"]), OVERTIME, "vi")
    assert format_number(Decimal(thousands[0] * 8000), "vi", 0) in told


@pytest.mark.parametrize("month", range(1, 13))
def test_a_month_of_a_year_and_a_day_of_a_month_count_nothing(month: int) -> None:
    assert figures_of(f"vào làm tháng {month} năm nay thì được mấy ngày").counted == {}
    assert figures_of(f"nghỉ từ ngày {month} tháng 12").counted == {}
    assert figures_of(f"làm {month} năm, mỗi tháng {month} ngày").counted == {"year": month, "day": month}


@given(
    st.integers(2, 60), st.sampled_from(["bữa", "suất"]), st.sampled_from(["suất ăn", "mỗi suất", "một suất"])
)
def test_a_price_behind_what_it_is_of_is_for_each(count: int, unit: str, thing: str) -> None:
    page = f"Căng tin ở tầng 6, {thing} 35.000 VND, có món chay thứ hai."
    told = work_out(f"ăn {count} {unit} hết bao nhiêu tiền", "", page, "vi")
    assert format_number(Decimal(count * 35_000), "vi", 0) in told
    assert not work_out(f"ăn {count} {unit} hết bao nhiêu tiền", "", "Phạt 35.000 VND khi mất thẻ.", "vi")


@pytest.mark.parametrize(
    ("births", "months", "money"),
    [("sinh đôi", "7 tháng", "10.000.000"), ("sinh ba", "8 tháng", "15.000.000")],
)
def test_days_and_money_of_one_message_are_both_worked_out(births: str, months: str, money: str) -> None:
    page = "Sinh con được nghỉ 6 tháng, sinh đôi thêm 1 tháng cho mỗi con từ con thứ hai. Công ty hỗ trợ thêm 5.000.000 VND cho mỗi bé."
    told = work_out(f"{births} được nghỉ mấy tháng, hỗ trợ bao nhiêu tiền", "", page, "vi")
    assert months in told
    assert money in told
    assert money not in work_out(f"{births} được nghỉ mấy tháng", "", page, "vi")


@pytest.mark.parametrize("grade", ["nếu xếp loại A", "loại A thì sao", "còn loại A"])
def test_a_grade_after_a_bonus_is_worked_out_and_one_without_bonus_is_not(grade: str) -> None:
    page = "Làm đủ 12 tháng được thưởng Tết bằng 1 tháng lương cơ bản. Người xếp loại A được thêm 0,5 tháng, loại D không có thưởng năm."
    before = "Làm 8 tháng thì thưởng Tết bao nhiêu, lương cơ bản 12 triệu?"
    assert "14.000.000" in work_out(grade, before, page, "vi")
    assert not work_out(grade.replace("A", "D"), before, page, "vi")
    assert not work_out("ai duyệt", before, page, "vi")


@given(st.integers(6, 20), st.integers(6, 20))
def test_days_that_were_carried_over_already_are_those_of_the_rule(days: int, other: int) -> None:
    page = "Phép chưa dùng được chuyển tối đa 5 ngày. Phần còn lại được quy đổi theo lương chia 26 ngày công."
    told = work_out(
        f"còn {days} ngày phép, chuyển 5 ngày rồi, lương 26 triệu, phần còn lại quy ra bao nhiêu tiền",
        "",
        page,
        "vi",
    )
    assert f"({days} − 5)" in told
    # What goes on with a question stands before it.
    asked = f"còn {days} ngày phép, lương 26 triệu, không dùng hết quy ra bao nhiêu tiền"
    assert f"({other} − 5)" in work_out(f"nếu còn {other} ngày: {asked}", "", page, "vi")


_UNUSED_DAYS = "Phép chưa dùng được chuyển tối đa 5 ngày sang năm sau. Phần còn lại được quy đổi theo lương cơ bản chia 26 ngày công."


@pytest.mark.parametrize("days", [6, 8, 11])
@pytest.mark.parametrize("word", ["dư", "còn lại", "thừa"])
def test_the_count_that_is_left_of_the_one_before_is_the_rest_itself(days: int, word: str) -> None:
    before = f"tôi dư {days} ngày phép thì chuyển được mấy ngày"
    asked = f"vậy {days - 5} ngày {word} đổi ra tiền được bao nhiêu, lương cơ bản 13 triệu"
    told = work_out(asked, before, _UNUSED_DAYS, "vi")
    assert told.startswith(f"13.000.000 VND / 26 × {days - 5} =")
    alone = work_out(
        f"{days} ngày phép {word} đổi ra tiền được bao nhiêu, lương cơ bản 13 triệu", "", _UNUSED_DAYS, "vi"
    )
    assert f"({days} − 5)" in alone


@pytest.mark.parametrize("points", [61, 78, 89])
@pytest.mark.parametrize(
    "asked",
    ["thiếu mấy điểm lên A", "còn thiếu bao nhiêu điểm nữa để lên loại A", "cần mấy điểm nữa lên hạng A"],
)
def test_how_far_it_is_to_a_grade(points: int, asked: str) -> None:
    grades = "Xếp loại A từ 90 điểm, B từ 75, C từ 60, dưới 60 là D."
    assert f"90 − {points} = {90 - points} điểm" in work_out(
        f"tôi được {points} điểm, {asked}", "", grades, "vi"
    )
    assert asks_for_grade(asked, f"tôi được {points} điểm", grades, "vi")
    assert "−" not in work_out(f"tôi được 95 điểm, {asked}", "", grades, "vi")


@pytest.mark.parametrize("rest", ["phần không chuyển", "phần không được chuyển", "phần còn lại", "phần dư"])
@pytest.mark.parametrize(("days", "carried"), [(8, 5), (12, 4), (5, 5)])
def test_the_rest_alone_is_counted_of_the_days_told_before(rest: str, days: int, carried: int) -> None:
    rule = f"Phép chưa dùng được chuyển tối đa {carried} ngày sang năm sau. Phần còn lại được quy đổi theo lương cơ bản chia 26 ngày công."
    before = f"bạn em còn dư {days} ngày phép, được chuyển mấy ngày"
    told = work_out(f"lương cơ bản 13 triệu, {rest} được quy ra tiền là bao nhiêu", before, rule, "vi")
    assert f"13.000.000 VND / 26 × ({days} − {carried})" in told
    # A count of days that were not left over, and another question, are none.
    other = f"bạn em xin nghỉ {days} ngày phép"
    assert not work_out(f"lương cơ bản 13 triệu, {rest} được quy ra tiền là bao nhiêu", other, rule, "vi")
    assert not work_out("lương cơ bản 13 triệu, đi muộn bị trừ bao nhiêu tiền", before, rule, "vi")


@pytest.mark.parametrize("support", ["hỗ trợ bao nhiêu", "hỗ trợ tổng bao nhiêu", "trợ cấp cho bao nhiêu"])
@pytest.mark.parametrize(("births", "many"), [("sinh đôi", 2), ("sinh ba", 3)])
def test_support_without_a_unit_is_money(support: str, births: str, many: int) -> None:
    rule = "Lao động nữ sinh con được nghỉ 6 tháng, sinh đôi thêm 1 tháng cho mỗi con từ con thứ hai. Công ty hỗ trợ thêm 5.000.000 VND cho mỗi bé."
    asked = f"{births} công ty {support}"
    alone = work_out(asked, "", rule, "vi", typed=asked)
    assert f"{many} × 5.000.000 VND" in alone
    assert " tháng." not in alone.partition("Theo quy định")[0]
    both = f"{births} được nghỉ mấy tháng và công ty {support}"
    told = work_out(both, "", rule, "vi", typed=both)
    assert f"{many} × 5.000.000 VND" in told
    assert f"{5 + many} tháng" in told
    months = f"{births} công ty hỗ trợ bao nhiêu tháng"
    assert "VND" not in work_out(months, "", rule, "vi", typed=months)
