"""What stands around a question, and several questions in one message: read for themselves, none changes another."""

from dataclasses import replace
from itertools import product

import pytest

from tests.modes.analysis.planner.planner_sheets import NOW, ORDERS, column, plan
from troly_analysis.types import Sheet

QUESTIONS = (
    "doanh thu tháng 5/2024 là bao nhiêu?",
    "how many orders in May 2024?",
    "tháng 5/2024 tỉnh nào nhiều đơn nhất",
)
ASIDES = (
    "Em là kế toán mới.",
    "Dạ em là con gái chị chủ, em phụ mẹ coi sổ.",
    "I'm an exchange student.",
    "Mình mới vào làm,",
)


@pytest.mark.parametrize(("aside", "question"), list(product(ASIDES, QUESTIONS)))
def test_what_people_tell_of_themselves_changes_no_figure_and_is_named(aside: str, question: str) -> None:
    alone, told = plan(question, [ORDERS]), plan(f"{aside} {question}", [ORDERS])
    assert told.ask == alone.ask is not None
    assert not told.missing
    assert [note.params for note in told.shown if note.key == "background"]


@pytest.mark.parametrize(
    "aside", ["Em không tính đơn hủy.", "Em chỉ coi Shopee.", "Mình ở chi nhánh Gò Vấp 3.", "I only do COD."]
)
def test_what_could_narrow_the_question_is_no_background(aside: str) -> None:
    alone, told = plan(QUESTIONS[0], [ORDERS]), plan(f"{aside} {QUESTIONS[0]}", [ORDERS])
    assert told.missing or told.ask != alone.ask


@pytest.mark.parametrize(
    ("twice", "once"),
    [
        ("hôm kia (13/6)", "ngày 13/6/2024"), ("thứ hai vừa rồi 10/6", "ngày 10/6/2024"),
        ("tuần trước (3 đến 9/6)", "từ 3/6/2024 đến 9/6/2024"),
        ("last week (3 to 9 June 2024)", "từ 3/6/2024 đến 9/6/2024"),
        ("tháng 5 năm hai nghìn không trăm hai mươi bốn", "tháng 5/2024"),
    ],
)  # fmt: skip
def test_days_that_are_given_twice_are_the_same_days(twice: str, once: str) -> None:
    asked, meant = plan(f"doanh thu {twice}", [ORDERS]).ask, plan(f"doanh thu {once}", [ORDERS]).ask
    assert asked is not None
    assert meant is not None
    assert asked.period is not None
    assert meant.period is not None
    assert (asked.period.start, asked.period.end) == (meant.period.start, meant.period.end)


def test_a_state_of_the_second_question_is_not_of_the_first() -> None:
    made = plan("tháng 5/2024 doanh thu Shopee bao nhiêu, và có bao nhiêu đơn hủy?", [ORDERS])
    alone = plan("tháng 5/2024 doanh thu Shopee bao nhiêu", [ORDERS]).ask
    assert made.ask is not None
    assert alone is not None
    assert replace(made.ask, measures=alone.measures, entity="") == alone
    assert [(each.op, [one.value for one in each.only]) for each in made.ask.measures] == [
        ("sum", []),
        ("count", ["Đã hủy"]),
    ]


def test_days_that_differ_are_named() -> None:
    assert "restated" in {note.key for note in plan("doanh thu hôm qua (20/5/2024)", [ORDERS]).shown}


@pytest.mark.parametrize("days", ["tháng 5/2024", "quý 1 năm 2024", "tuần trước"])
@pytest.mark.parametrize("joint", [" và ", ", ", "; ", ", và "])
def test_each_of_two_questions_is_answered_for_the_same_days(days: str, joint: str) -> None:
    first, second = "có bao nhiêu đơn", "tỉnh nào doanh thu cao nhất"
    made = plan(f"{days} {first}{joint}{second}", [ORDERS])
    asked = plan(f"{days} {first}", [ORDERS]).ask
    assert made.ask == asked is not None
    ranked = [each.ask for each in made.more]
    assert [each.form for each in ranked if each] == ["top"]
    assert [each.period for each in ranked if each] == [asked.period]


def test_a_day_that_is_no_such_weekday_is_asked_about() -> None:
    assert plan("thứ bảy hôm qua bao nhiêu đơn", [ORDERS]).missing


@pytest.mark.parametrize(
    "pointed",
    [
        "which of those two made more revenue?",
        "hai kênh đó kênh nào doanh thu cao hơn?",
        "kênh nào nhiều đơn hơn?",
    ],
)
def test_two_that_were_asked_about_are_held_against_each_other(pointed: str) -> None:
    first = plan("doanh thu Shopee tháng 5/2024", [ORDERS])
    second = plan("còn Lazada?", [ORDERS], previous=first)
    both = plan(pointed, [ORDERS], previous=second).ask
    assert both is not None
    assert [each.value for each in both.conditions] == [["Shopee", "Lazada"]]
    assert both.period == first.ask.period if first.ask else None


@pytest.mark.parametrize(
    ("question", "other"), [("kênh nào doanh thu cao nhất tháng 5/2024", "and the worst one?")]
)
def test_the_other_end_of_a_ranking_keeps_its_days(question: str, other: str) -> None:
    first = plan(question, [ORDERS])
    turned = plan(other, [ORDERS], previous=first).ask
    assert first.ask is not None
    assert turned is not None
    assert (turned.order, turned.period, turned.groups) == ("asc", first.ask.period, first.ask.groups)


@pytest.mark.parametrize(
    "text",
    [
        "Có bao nhiêu đơn bị hủy và tổng tiền của các đơn đó", "tháng 5 có mấy đơn shopee, tổng doanh thu của các đơn đó là bao nhiêu",
        "Đơn COD ở Hà Nội có bao nhiêu đơn và tổng doanh thu của những đơn đó?", "tim cac don bi huy tren lazada va tinh tong doanh thu cua cac don do",
        "how many cancelled orders and what is the total value of those orders",
    ],
)  # fmt: skip
@pytest.mark.parametrize("before", ["", "top 3 sản phẩm bán chạy nhất", "doanh thu theo nền tảng tháng 4"])
def test_what_points_inside_a_message_is_of_the_rows_that_it_names(before: str, text: str) -> None:
    """And not of what was shown before it."""
    made = plan(text, [ORDERS], previous=plan(before, [ORDERS]) if before else None)
    (second,) = made.more
    assert made.ask is not None
    assert second.ask is not None
    assert made.ask.conditions == second.ask.conditions
    assert "Doanh thu" in {each.ref.name for each in second.ask.measures if each.ref}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("báo cáo tháng 5: doanh thu, mức độ phủ", "mức độ phủ"), ("Báo cáo tháng 5 gồm doanh thu, số đơn và tỷ lệ chuyển đổi", "tỷ lệ chuyển đổi"),
        ("tóm tắt tháng 5: doanh thu, lợi nhuận, số đơn", "lợi nhuận"), ("quick report for May 2024: revenue, orders, footfall", "footfall"),
    ],
)  # fmt: skip
def test_a_listed_figure_that_is_not_read_is_named_and_the_others_told(text: str, said: str) -> None:
    made = plan(text, [ORDERS])
    assert made.calls
    assert [each.params["said"] for each in made.shown if each.key == "figures_unread"] == [(said,)]


@pytest.mark.parametrize("text", ["doanh thu Shopee và Tiki", "doanh thu tháng 5, trừ phí sàn", "doanh thu tháng 5 và nhân viên xuất sắc"])  # fmt: skip
def test_what_bounds_a_figure_is_no_figure_of_a_list(text: str) -> None:
    assert not plan(text, [ORDERS]).calls


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("số lượng đơn hủy tháng 5", 1), ("so luong don hoan tra thang 5", 1), ("số lượng các đơn hoàn trả", 1),
        ("số lượng bán ra tháng 5", 0), ("số lượng áo thun basic tháng 5", 0),
    ],
)  # fmt: skip
def test_what_stands_behind_how_many_is_counted(text: str, counts: int) -> None:
    ask = plan(text, [ORDERS]).ask
    assert ask is not None
    assert [each.op for each in ask.measures].count("count") == counts


@pytest.mark.parametrize(
    "text",
    [
        "doanh thu tháng 4 tới tháng 5 tăng bao nhiêu", "so sánh doanh thu từ tháng 4 sang tháng 5", "tu thang 4 qua thang 5 doanh thu tang hay giam",
        "how did revenue change from April to May", "tăng trưởng doanh thu từ tháng 4 đến tháng 5",
    ],
)  # fmt: skip
def test_a_change_from_one_month_to_another_is_between_the_two(text: str) -> None:
    ask = plan(text, [ORDERS]).ask
    assert ask is not None
    assert [(each.start.month, each.end.month) for each in (ask.versus, ask.period) if each] == [
        (4, 4),
        (5, 5),
    ]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("Shopee và Lazada mỗi kênh bán được bao nhiêu", "Nền tảng"), ("COD và chuyển khoản mỗi loại bao nhiêu đơn", "Thanh toán"),
        ("ha noi va da nang moi noi ban duoc may don", "Tỉnh thành"), ("Shopee and Lazada: revenue of each", "Nền tảng"),
    ],
)  # fmt: skip
def test_each_of_named_values_is_shown_by_itself(text: str, column: str) -> None:
    ask = plan(text, [ORDERS]).ask
    assert ask is not None
    assert [each.ref.name for each in ask.groups] == [column]
    assert [(each.ref.name, len(each.value)) for each in ask.conditions] == [(column, 2)]


@pytest.mark.parametrize("first", ["doanh thu tháng 4 của đội alpha", "so don thang 4 cua nhom khach ruot", "báo cáo tháng 4: mức độ phủ"])  # fmt: skip
def test_a_figure_alone_after_one_word_was_asked_about_is_of_the_days_that_were_named(first: str) -> None:
    asked = plan(first, [ORDERS])
    ask = plan("doanh thu thôi", [ORDERS], previous=asked)
    assert not asked.calls
    assert not ask.calls or (ask.ask is not None and ask.ask.period and ask.ask.period.start.month == 4)


def test_profit_goes_by_the_cost_of_a_piece_in_the_sheet_of_goods() -> None:
    goods = Sheet(
        "6", "lan", "Sản phẩm", "t6",
        (column("Sản phẩm", "text", ("Áo thun basic", "Quần jean"), 2), column("Giá vốn", "money", (), 2)), 2, NOW,
    )  # fmt: skip
    made = plan("lợi nhuận gộp tháng 5", [ORDERS, goods])
    assert made.calls
    assert "$multiply" in str(made.calls[0].arguments)
    assert not plan("lợi nhuận gộp tháng 5", [ORDERS]).calls


@pytest.mark.parametrize("text", ["báo cáo tháng 5", "tổng quan tình hình kinh doanh tháng 5", "bao cao thang 5", "sales report for May 2024"])  # fmt: skip
def test_a_report_without_a_figure_tells_what_was_made_and_of_how_many(text: str) -> None:
    ask = plan(text, [ORDERS]).ask
    assert ask is not None
    assert [each.op for each in ask.measures] == ["sum", "count", "avg"]


@pytest.mark.parametrize("text", ["Liệt kê ra giúp tôi", "kể tên ra", "liet ke ra di", "list them"])
def test_what_was_counted_is_listed(text: str) -> None:
    before = plan("số đơn hủy tháng 5", [ORDERS])
    ask = plan(text, [ORDERS], previous=before).ask
    assert ask is not None
    assert before.ask is not None
    assert ask.form == "rows"
    assert ask.conditions == before.ask.conditions


@pytest.mark.parametrize("text", ["so sánh doanh thu 3 tháng 3, 4, 5", "so sánh quý 1, quý 2 và quý 3 năm 2023 về doanh thu"])  # fmt: skip
def test_three_periods_stand_side_by_side(text: str) -> None:
    ask = plan(text, [ORDERS]).ask
    assert ask is not None
    assert ask.form == "groups"
