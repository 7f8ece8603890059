"""What a message goes on from: the thing that was shown, rows in any state, a question that was not read, the whole again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.modes.analysis.planner.planner_sheets import CUSTOMERS, NOW, ORDERS, column, plan
from troly_analysis.planner import Plan, analyse_question
from troly_analysis.planner.types import DataQuery

CARRIERS = ("GHN", "GHTK", "SPX Express")
SENT = replace(ORDERS, fields=(*ORDERS.fields, column("Đơn vị giao hàng", "text", CARRIERS)))
PLACES = "3 tỉnh doanh thu thấp nhất tháng 5/2024"


def after(texts: Sequence[str], shown: Sequence[str] = ()) -> DataQuery:
    """The query of the last of several messages, after the rows that the one before it showed."""
    made: Plan | None = None
    for text in texts:
        rows = shown if text == texts[-1] else ()
        made = analyse_question(text, (SENT,), NOW, previous=made, shown=rows).plan
    assert made is not None
    assert made.calls
    assert made.ask is not None
    return made.ask


def held(query: DataQuery) -> dict[str, object]:
    """The conditions of a query by their columns."""
    return {each.ref.name: each.value for each in query.conditions}


@pytest.mark.parametrize("figure", ["được mấy đơn", "bao nhiêu đơn", "phí vận chuyển bao nhiêu"])
@pytest.mark.parametrize(
    ("asked", "end"), [(PLACES, "thấp nhất"), ("doanh thu theo tỉnh tháng 5/2024", "cao nhất")]
)
def test_an_end_is_of_what_was_shown_where_another_figure_is_asked_for(
    asked: str, end: str, figure: str
) -> None:
    query = after((asked, f"tỉnh {end} {figure}"), ("Cần Thơ", "Đà Nẵng", "Hà Nội"))
    assert held(query) == {"Tỉnh thành": "Cần Thơ"}


@pytest.mark.parametrize("figure", ["được mấy đơn", "bao nhiêu đơn"])
def test_an_end_is_ranked_anew_where_which_one_is_asked(figure: str) -> None:
    assert after((PLACES, f"tỉnh nào ít nhất, {figure}"), ("Cần Thơ", "Đà Nẵng")).form == "top"


@pytest.mark.parametrize(
    "then", ["sản phẩm nào bán chạy nhất", "sản phẩm nào bán nhiều nhất", "ai mua nhiều nhất"]
)
@pytest.mark.parametrize("state", ["hủy", "hoàn trả"])
def test_what_sold_best_is_of_no_lost_state(state: str, then: str) -> None:
    query = after((f"đơn {state} tháng 5/2024 bao nhiêu", then))
    assert not held(query)
    assert query.period is not None


@pytest.mark.parametrize("state", ["hủy", "hoàn trả"])
def test_the_total_of_a_month_is_of_any_state(state: str) -> None:
    query = after((f"tháng nào có nhiều đơn {state} nhất", "tháng đó tổng bao nhiêu đơn"), ("2024-05",))
    assert not held(query)
    assert query.period is not None
    assert query.period.start.month == 5


@pytest.mark.parametrize("then", ["cả nước mấy đơn", "toàn shop bao nhiêu đơn"])
def test_the_whole_is_of_the_same_days(then: str) -> None:
    query = after(("doanh thu ở Hà Nội tháng 5/2024", then))
    assert not held(query)
    assert query.period is not None


@pytest.mark.parametrize("noun", ["bên nào", "hang nao", "hãng nào"])
@pytest.mark.parametrize("verb", ["giao", "giao di Ha Noi"])
def test_who_delivers_is_a_carrier(noun: str, verb: str) -> None:
    query = after((f"{noun} {verb} nhieu don nhat",))
    assert [each.ref.name for each in query.groups] == ["Đơn vị giao hàng"]


@pytest.mark.parametrize(("text", "counts"), [
    ("đơn đang giao có mấy cái", True), ("đơn hủy ở Hà Nội có mấy cái", True), ("đơn hủy bán được mấy cái", False),
    ("đơn áo thun basic có mấy cái", False), ("mỗi đơn hủy mấy cái", False),
])  # fmt: skip
def test_a_word_for_pieces_counts_the_rows_that_are_spoken_of(text: str, *, counts: bool) -> None:
    made = plan(text, (SENT,), NOW)
    assert counts == bool(made.ask and made.calls and [each.op for each in made.ask.measures] == ["count"])


@pytest.mark.parametrize(
    "asked", ["đơn DH00001 của ai, mua gì, mấy cái", "đơn DH00001 mua gì, mấy cái, ở đâu"]
)
def test_pieces_are_a_column_of_one_row(asked: str) -> None:
    query = after((asked,))
    assert query.form == "rows"
    assert "Sản phẩm" in query.columns or not query.columns


@pytest.mark.parametrize("then", ["lần cuối mua là khi nào", "mua món gì", "ở tỉnh nào"])
def test_what_names_nothing_of_its_own_goes_on_from_what_was_not_read(then: str) -> None:
    assert not plan(then, (SENT,), NOW, plan("khách tên Bùi Xuyến có bao nhiêu đơn", (SENT,), NOW)).calls


@pytest.mark.parametrize("then", ["đó là những đơn nào", "là những đơn nào", "liệt kê ra"])
def test_what_was_counted_is_listed(then: str) -> None:
    query = after(("bao nhiêu đơn hủy tháng 5/2024", then))
    assert query.form == "rows"
    assert held(query) == {"Trạng thái": "Đã hủy"}


@pytest.mark.parametrize("each", ["mỗi người", "mỗi khách"])
def test_a_mean_of_each_person_is_one_over_persons(each: str) -> None:
    query = after((f"doanh thu bình quân {each} tháng 5/2024",))
    assert [group.ref.name for group in query.per] == ["Mã khách hàng"]


def test_things_that_are_counted_alone_are_those_of_their_own_sheets() -> None:
    made = plan("shop có bao nhiêu khách hàng và bao nhiêu sản phẩm", (SENT, CUSTOMERS), NOW)
    assert made.sheet == CUSTOMERS.name
    assert [each.sheet for each in made.more] == [SENT.name]


@pytest.mark.parametrize("text", ["khách lấy 3 cái thì hết bao nhiêu tiền", "mua 5 cái hết bao nhiêu tiền"])
def test_the_price_of_several_is_no_sum_of_orders(text: str) -> None:
    assert not plan(text, (SENT,), NOW).calls


@pytest.mark.parametrize("what", ["mua gì", "mua những gì", "đặt mua những gì"])
def test_what_was_bought_is_goods(what: str) -> None:
    query = after((f"khách KH001 {what} trong tháng 5/2024",))
    assert [each.ref.name for each in query.groups] == ["Sản phẩm"]
    assert held(query) == {"Mã khách hàng": "KH001"}


@pytest.mark.parametrize("then", ["mua nền tảng nào", "mua ở những tỉnh nào"])
def test_where_was_bought_is_of_who_was_spoken_of(then: str) -> None:
    assert held(after(("khách KH001 có bao nhiêu đơn", then))) == {"Mã khách hàng": "KH001"}


@pytest.mark.parametrize("state", ["hoàn", "hủy"])
def test_the_rate_of_a_state_is_of_what_is_pointed_at(state: str) -> None:
    query = after((f"nền tảng nào bị {state} nhiều nhất", f"tỉ lệ {state} của nền tảng đó"), ("Shopee",))
    assert [each.ref.name for each in query.part] == ["Trạng thái"]
    assert held(query) == {"Nền tảng": "Shopee"}


@pytest.mark.parametrize(("end", "order"), [("lâu nhất", "asc"), ("cũ nhất", "asc"), ("gần nhất", "desc")])
def test_an_end_in_time_is_one_of_the_rows_that_were_counted(end: str, order: str) -> None:
    query = after(("bao nhiêu đơn hủy tháng 5/2024", f"{end} là đơn nào"))
    assert (query.form, query.limit, query.order) == ("rows", 1, order)
    assert held(query) == {"Trạng thái": "Đã hủy"}


@pytest.mark.parametrize(("nth", "place"), [("thứ hai", 1), ("thứ ba", 2), ("đầu tiên", 0)])
@pytest.mark.parametrize("frame", ["cái {} thì sao", "cái {} là bao nhiêu", "còn cái {} thì sao"])
def test_one_of_what_was_compared_is_compared_alone(frame: str, nth: str, place: int) -> None:
    shown = ("Lazada", "Shopee", "TikTok Shop")
    before = analyse_question("so sánh doanh thu theo nền tảng tháng 5 với tháng 4", (ORDERS,), NOW).plan
    made = analyse_question(frame.format(nth), (ORDERS,), NOW, previous=before, shown=shown).plan.ask
    assert made is not None
    assert before.ask is not None
    assert (made.form, made.groups, made.versus) == ("compare", (), before.ask.versus)
    assert [each.value for each in made.conditions] == [shown[place]]
    none = analyse_question("cái thứ năm thì sao", (ORDERS,), NOW, previous=before, shown=shown).plan
    assert not none.calls


def test_what_is_alone_at_its_place_is_not_the_first() -> None:
    ranked = plan("doanh thu theo nền tảng tháng 5", (ORDERS,), NOW)
    shown = ("Shopee", "Lazada", "Website")
    second = analyse_question("cái thứ hai thì sao", (ORDERS,), NOW, previous=ranked, shown=shown).plan
    third = analyse_question("cái thứ ba thì sao", (ORDERS,), NOW, previous=second, shown=("Lazada",)).plan
    first = analyse_question(
        "cái đầu tiên là bao nhiêu", (ORDERS,), NOW, previous=third, shown=("Website",)
    ).plan
    assert third.ask is not None
    assert not first.calls or (
        first.ask is not None and "Website" not in [each.value for each in first.ask.conditions]
    )
