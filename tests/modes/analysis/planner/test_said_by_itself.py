"""What a question says on its own: the part and the whole of a share, ends of rows, wishes beside each other, margins."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from tests.modes.analysis.planner.planner_sheets import CUSTOMERS, NOW, ORDERS, column, plan
from troly_analysis.planner.suggestions import suggest_questions
from troly_analysis.types import Sheet

GOODS = Sheet(
    "6", "lan", "Sản phẩm", "t6",
    (
        column("Mã SP", "text", ("SP001", "SP002", "SP003")),
        column("Tên sản phẩm", "text", ("Áo thun basic", "Quần jean", "Giày sneaker")),
        column("Nhóm hàng", "text", ("Thời trang", "Phụ kiện")),
        column("Giá bán", "money", (), 3),
        column("Giá vốn", "money", (), 3),
        column("Tồn kho", "integer", (), 3),
    ),
    3, NOW,
)  # fmt: skip
SHOP = (ORDERS, GOODS)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Ở Cần Thơ, bao nhiêu phần trăm số đơn thanh toán COD?", "COD"),
        ("COD chiếm bao nhiêu % số đơn ở Cần Thơ?", "COD"),
        ("Ở Cần Thơ, COD chiếm bao nhiêu phần trăm số đơn?", "COD"),
        ("bao nhieu phan tram don Shopee bi huy", "Đã hủy"),
        ("Đơn Shopee chiếm bao nhiêu phần trăm đơn hủy?", "Shopee"),
        ("tỷ lệ hủy của Shopee", "Đã hủy"),
        ("What share of COD orders is in Can Tho?", "Cần Thơ"),
    ],
)
def test_part_and_whole_of_a_share(text: str, part: str) -> None:
    ask = plan(text, [ORDERS]).ask
    assert ask is not None
    assert ask.form == "share"
    assert [each.value for each in ask.part] == [part]
    assert len(ask.conditions) == 1


@pytest.mark.parametrize(
    "text",
    ["đơn to nhất hôm qua của khách nào", "don bu nhat hom qua la cua ai", "who placed the biggest order yesterday"],
)  # fmt: skip
def test_the_largest_order_is_an_order(text: str) -> None:
    ask = plan(text, [ORDERS]).ask
    assert ask is not None
    assert (ask.form, ask.limit) == ("rows", 1)
    assert [each.ref and each.ref.name for each in ask.measures] == ["Doanh thu"]


@pytest.mark.parametrize(
    "text", ["khách Vàng nào mua nhiều đơn nhất", "khach hang vang nao mua nhieu don nhat"]
)
def test_a_value_before_which_keeps_the_group(text: str) -> None:
    ask = plan(text, [ORDERS, CUSTOMERS]).ask
    assert ask is not None
    assert ask.form == "top"
    assert [each.ref.name for each in ask.groups] == ["Mã khách hàng"]


@pytest.mark.parametrize("text", ["đơn DH00001 mua gì, hết bao nhiêu", "don DH00001 cua ai, bao nhieu tien"])
def test_a_row_of_which_more_is_asked_is_shown(text: str) -> None:
    ask = plan(text, [ORDERS]).ask
    assert ask is not None
    assert (ask.form, ask.limit) == ("rows", 1)


@pytest.mark.parametrize(
    "text", ["hôm nay tính từ đầu tháng được mấy đơn", "bữa ni từ đầu tháng doanh thu bao nhiêu"]
)
def test_a_range_that_ends_today_is_meant(text: str) -> None:
    ask = plan(text, [ORDERS]).ask
    assert ask is not None
    assert ask.period is not None
    assert (ask.period.start, ask.period.end) == (date(2024, 6, 1), NOW.date())


@pytest.mark.parametrize(
    "text",
    ["món nào lãi nhiều nhất mỗi cái", "mon nao lai nhieu nhat moi cai", "which product has the highest margin per piece"],
)  # fmt: skip
def test_margin_of_a_piece_is_of_goods(text: str) -> None:
    ask = plan(text, SHOP).ask
    assert ask is not None
    assert (ask.sheet, ask.form) == ("Sản phẩm", "top")
    assert [each.ref and each.ref.sign for each in ask.measures] == ["-"]


@pytest.mark.parametrize("text", ["thang nay lai bao nhieu", "mon nao loi nhieu nhat thang nay"])
def test_a_figure_typed_bare_is_not_dropped(text: str) -> None:
    assert not plan(text, [ORDERS]).calls


@pytest.mark.parametrize(
    "text", ["quần jean giá bao nhiêu, còn hàng không", "quan jean gia nhieu va con may cai"]
)
def test_price_and_stock_are_both_told(text: str) -> None:
    found = plan(text, SHOP)
    asked = [each.ask for each in (found, *found.more) if each.ask]
    assert [each.ref and each.ref.name for ask in asked for each in ask.measures] == ["Giá bán", "Tồn kho"]


def test_prices_bound_goods_of_which_nothing_was_done() -> None:
    ask = plan("có áo nào dưới 200k không", SHOP).ask
    assert ask is not None
    assert ask.sheet == "Sản phẩm"
    assert [each.ref.name for each in ask.conditions if each.op == "lt"] == ["Giá bán"]


def test_no_sum_of_unit_costs_is_offered() -> None:
    assert not any("Giá vốn" in each.text for each in suggest_questions(GOODS, None, "vi"))


@pytest.mark.parametrize(
    ("text", "op"),
    [
        ("tháng ni ngoài Cần Thơ có mấy đơn rứa", "eq"),
        ("ngoài Đà Nẵng chừ bán được mấy đơn tháng ni", "eq"),
        ("các tỉnh ngoài Hà Nội tháng 5 có mấy đơn", "ne"),
        ("ngoài Hà Nội ra thì tỉnh nào nhiều đơn nhất", "ne"),
        ("nỏ tính Hà Nội thì tỉnh mô nhiều đơn nhất", "ne"),
    ],
)
def test_outside_a_place_or_in_it(text: str, op: str) -> None:
    ask = plan(text, [ORDERS]).ask
    assert ask is not None
    assert [each.op for each in ask.conditions] == [op]


@pytest.mark.parametrize(("answer", "op"), [("ở Hà Nội", "eq"), ("2", "ne")])
def test_outside_a_place_is_asked_where_nothing_tells(answer: str, op: str) -> None:
    asked = plan("tháng này ngoài Hà Nội có mấy đơn", [ORDERS])
    assert not asked.calls
    ask = plan(answer, [ORDERS], previous=asked).ask
    assert ask is not None
    assert [each.op for each in ask.conditions] == [op]


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("can u pull revenue n orders last week", 2), ("orders and revenue by platform in May 2024", 2),
        ("doanh thu với đơn tháng 5", 2), ("doanh thu và đơn lớn nhất tháng 5", 1),
    ],
)  # fmt: skip
def test_rows_beside_a_figure_are_counted(text: str, figures: int) -> None:
    ask = plan(text, [ORDERS]).ask
    assert ask is not None
    assert len(ask.measures) == figures


@pytest.mark.parametrize(
    "text", ["last month vs the month before revenue", "tháng trước so với tháng trước đó doanh thu thế nào"]
)
def test_the_period_before_the_one_that_is_named(text: str) -> None:
    ask = plan(text, [ORDERS]).ask
    assert ask is not None
    assert ask.period is not None
    assert ask.versus is not None
    assert (ask.period.start, ask.versus.start) == (date(2024, 5, 1), date(2024, 4, 1))


@pytest.mark.parametrize("text", ["mấy món sắp hết, dưới 5 cái", "may mon het hang roi"])
def test_a_few_that_run_out_are_listed(text: str) -> None:
    ask = plan(text, SHOP).ask
    assert ask is not None
    assert ask.form == "rows"


@pytest.mark.parametrize(
    "text", ["tháng 5 bán gì chạy nhất", "khach mua gi nhieu nhat thang 5", "khách mua món chi nhiều cái nhứt tháng 5 rứa"]
)  # fmt: skip
def test_what_is_sold_or_bought_is_goods(text: str) -> None:
    ask = plan(text, [ORDERS]).ask
    assert ask is not None
    assert [each.ref.name for each in ask.groups] == ["Sản phẩm"]
    assert [each.ref and each.ref.name for each in ask.measures] == ["Số lượng"]


@pytest.mark.parametrize(
    "text", ["quần jean hết hàng chưa", "quan jean het hang chua", "is Quần jean sold out?"]
)
def test_whether_one_thing_is_sold_out_is_its_stock(text: str) -> None:
    ask = plan(text, SHOP).ask
    assert ask is not None
    assert [each.ref and each.ref.name for each in ask.measures] == ["Tồn kho"]
    assert [each.op for each in ask.conditions] == ["eq"]


@pytest.mark.parametrize(
    "text", ["nền tảng nào hủy nhiều nhất, chiếm bao nhiêu phần trăm", "shop có bán ở Nha Trang không"]
)
def test_another_question_is_not_answered_instead(text: str) -> None:
    assert not plan(text, SHOP).calls


def test_wishes_in_short_spelling_are_each_answered() -> None:
    found = plan("hqua bán dc bn đơn, tổng bn tiền, món nào chạy nhất", [ORDERS])
    assert len((found, *found.more)) + len(found.ask.measures if found.ask else ()) == 3 + 1


@pytest.mark.parametrize(
    "text",
    [
        "tồn kho từng mặt hàng", "tồn kho theo từng sản phẩm", "tồn kho mỗi món", "ton kho tung mon", "mỗi mặt hàng còn bao nhiêu",
        "stock per item", "stock for each product", "tồn kho mỗi cái", "giá vốn từng sản phẩm",
    ],
)  # fmt: skip
def test_each_thing_that_a_row_is_has_a_figure_of_its_own(text: str) -> None:
    ask = plan(text, SHOP).ask
    assert ask is not None
    assert [group.ref.name for group in ask.groups] == ["Tên sản phẩm"]


@pytest.mark.parametrize("text", ["tồn kho trung bình mỗi món", "average stock per product"])
def test_a_mean_over_things_is_one_figure_and_no_order_value(text: str) -> None:
    made = plan(text, SHOP)
    assert made.ask is not None
    assert (made.ask.form, made.ask.measures[0].op) == ("scalar", "avg")
    assert not made.shown


@pytest.mark.parametrize(
    "text",
    ["khi nào hết hàng áo thun basic", "bao giờ quần jean hết hàng", "when will Quần jean be sold out"],
)
def test_when_goods_run_out_is_a_forecast(text: str) -> None:
    made = plan(text, SHOP)
    assert made.refusal == "forecast"
    assert not made.calls


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("bao nhiêu đơn không phải Shopee mà bị hoàn trả", {"Nền tảng": "ne", "Trạng thái": "eq"}),
        ("so don khong COD va bi huy", {"Thanh toán": "ne", "Trạng thái": "eq"}),
        ("how many orders were not COD and were cancelled", {"Thanh toán": "ne", "Trạng thái": "eq"}),
        ("bao nhiêu đơn không phải COD của Shopee", {"Thanh toán": "ne", "Nền tảng": "eq"}),
        ("số đơn không ở Hà Nội và Đà Nẵng", {"Tỉnh thành": "nin"}),
        ("doanh thu trừ Shopee và đơn hủy", {"Nền tảng": "ne", "Trạng thái": "ne"}),
    ],
)
def test_what_is_denied_ends_at_another_column(text: str, held: dict[str, str]) -> None:
    made = plan(text, [ORDERS]).ask
    assert made is not None
    assert {each.ref.name: each.op for each in made.conditions} == held


@pytest.mark.parametrize(("end", "way"), [("thấp nhất", 1), ("cao nhất", -1), ("ít nhất", 1)])
@pytest.mark.parametrize(
    "asked", ["tỉnh nào tỷ lệ hủy", "tháng nào tỷ lệ hủy", "kênh nào tỷ trọng doanh thu"]
)
def test_the_end_of_a_share_that_is_asked_for_is_first(asked: str, end: str, way: int) -> None:
    stages = plan(f"{asked} {end}", [ORDERS]).calls[0].arguments["pipeline"]
    assert [next(iter(each["$sort"].items())) for each in stages if "$sort" in each] == [("share", way)]


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("doanh thu, số đơn, số đơn hủy và phí vận chuyển tháng 5/2024", ["", "", "Đã hủy", ""]),
        ("số đơn và số đơn hủy tháng 5/2024", ["", "Đã hủy"]),
        ("so don huy va doanh thu thang 5/2024", ["Đã hủy", ""]),
        ("revenue, orders and cancelled orders in May 2024", ["", "", "Đã hủy"]),
        ("doanh thu tháng 5/2024 và doanh thu của riêng Shopee", ["", "Shopee"]),
        ("doanh thu của Shopee và số đơn của Lazada", ["Shopee", "Lazada"]),
        ("số đơn Shopee, số đơn Lazada và tổng số đơn", ["Shopee", "Lazada", ""]),
        ("tổng đơn, đơn hủy, đơn hoàn trả của Shopee", ["", "Đã hủy", "Hoàn trả"]),
        ("số đơn và số đơn trên 1 triệu", ["", "1000000"]),
        ("doanh thu và số đơn của Shopee", ["", ""]),
        ("doanh thu của đơn hủy và đơn hoàn trả", [""]),
        ("doanh thu và tỷ lệ hủy tháng 5/2024", ["", "Đã hủy %"]),
        ("cancellation rate and return rate in May 2024", ["Đã hủy %", "Hoàn trả %"]),
    ],
)
def test_a_filter_in_a_list_of_figures_is_of_the_one_it_stands_in(text: str, own: list[str]) -> None:
    made = plan(text, [ORDERS]).ask
    assert made is not None
    held = [(each.only or each.part, " %" if each.part else "") for each in made.measures]
    assert [", ".join(str(one.value) for one in only) + sign for only, sign in held] == own


@pytest.mark.parametrize(
    ("text", "outer", "inner", "limit"),
    [
        ("mỗi nền tảng, sản phẩm nào bán chạy nhất", "Nền tảng", "Sản phẩm", 1),
        ("sản phẩm bán chạy nhất ở từng tỉnh", "Tỉnh thành", "Sản phẩm", 1),
        ("top 2 sản phẩm của mỗi nền tảng theo doanh thu", "Nền tảng", "Sản phẩm", 2),
        ("theo từng tháng, tỉnh nào doanh thu thấp nhất", "Ngày đặt", "Tỉnh thành", 1),
        ("best selling product in each platform", "Nền tảng", "Sản phẩm", 1),
    ],
)
def test_each_group_has_a_ranking_of_its_own(text: str, outer: str, inner: str, limit: int) -> None:
    made = plan(text, [ORDERS])
    assert made.ask is not None
    assert [each.ref.name for each in made.ask.within] == [outer]
    assert [each.ref.name for each in made.ask.groups] == [outer, inner]
    assert {"$slice": ["$all", limit]} in [
        each["$project"].get("all") for each in made.calls[0].arguments["pipeline"] if "$project" in each
    ]


@pytest.mark.parametrize("text", ["đơn lớn nhất của mỗi nền tảng", "đánh giá cao nhất của từng nền tảng"])
def test_the_end_of_a_figure_in_each_group_ranks_no_groups(text: str) -> None:
    made = plan(text, [ORDERS]).ask
    assert made is not None
    assert (made.form, [each.op for each in made.measures]) == ("groups", ["max"])


@pytest.mark.parametrize(
    ("text", "form", "turn"),
    [
        ("sản phẩm nào bán giảm tháng 5/2024 so với tháng 4/2024", "compare", "asc"),
        ("tinh nao so don tang thang 5/2024 so voi thang 4/2024", "compare", "desc"),
        ("which product sold less in May 2024 than in April 2024", "compare", "asc"),
        ("những tháng nào năm 2023 số đơn giảm", "groups", "asc"),
        ("quý nào năm 2023 doanh thu tăng so với quý trước", "groups", "desc"),
        ("doanh thu từng nền tảng tháng 5/2024 so với tháng 4/2024 tăng hay giảm", "compare", ""),
        ("tháng nào năm 2023 doanh thu tăng mạnh nhất so với tháng trước", "groups", "desc"),
    ],
)
def test_which_fell_is_those_that_fell(text: str, form: str, turn: str) -> None:
    made = plan(text, [ORDERS]).ask
    assert made is not None
    assert (made.form, made.turn) == (form, turn)
    assert made.growth is (form == "groups")


@pytest.mark.parametrize(
    ("text", "form", "by"),
    [
        ("doanh thu của Shopee, Lazada và Website tháng 5/2024", "groups", ["Nền tảng"]),
        ("so don cua Ha Noi, Da Nang va Can Tho", "groups", ["Tỉnh thành"]),
        ("doanh thu và số đơn của Hà Nội và Đà Nẵng", "groups", ["Tỉnh thành"]),
        ("doanh thu Hà Nội và Đà Nẵng tháng 4/2024 và tháng 5/2024", "compare", ["Tỉnh thành"]),
        ("số đơn của Shopee hoặc Lazada", "scalar", []),
        ("doanh thu không gồm Shopee và Lazada", "scalar", []),
        ("bao nhiêu khách khác nhau mua ở Shopee và Lazada", "scalar", []),
    ],
)
def test_values_that_are_named_apart_are_told_each(text: str, form: str, by: list[str]) -> None:
    made = plan(text, [ORDERS]).ask
    assert made is not None
    assert (made.form, [each.ref.name for each in made.groups]) == (form, by)


RANKED = Sheet("7", "lan", "Đơn", "t7", (*ORDERS.fields, column("Hạng", "text", ("Thường", "Bạc", "Vàng"))), 20_000, NOW, date_field="Ngày đặt", span=ORDERS.span)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "form", "tiers"),
    [
        ("khách thường mua sản phẩm nào", "top", []),
        ("khách hay đặt hàng ở nền tảng nào", "top", []),
        ("khách hạng Thường thường mua nền tảng nào", "top", ["Thường"]),
        ("doanh thu của khách hạng thường", "scalar", ["Thường"]),
        ("doanh thu khách thường tháng 5/2024", "scalar", ["Thường"]),
    ],
)
def test_usually_before_a_verb_is_no_tier(text: str, form: str, tiers: list[str]) -> None:
    made = plan(text, [RANKED]).ask
    assert made is not None
    assert (made.form, [each.value for each in made.conditions]) == (form, tiers)


@pytest.mark.parametrize(
    ("text", "op", "times"),
    [
        ("bao nhiêu khách chỉ mua đúng một lần", "eq", 1),
        ("có mấy khách mua một lần duy nhất", "eq", 1),
        ("bao nhiêu khách mua hai lần trong tháng 5/2024", "eq", 2),
        ("khách mua đúng 1 lần có bao nhiêu", "eq", 1),
        ("how many customers bought more than twice", "gt", 2),
        ("how many customers bought exactly once", "eq", 1),
    ],
)
def test_how_often_is_a_bound(text: str, op: str, times: int) -> None:
    made = plan(text, [ORDERS]).ask
    assert made is not None
    assert made.count_groups
    assert [(each.op, each.value) for each in made.having] == [(op, times)]


def test_days_that_are_listed_are_each_a_day() -> None:
    made = plan("doanh thu ngày 1/5, 2/5 và 3/5/2024", [ORDERS]).ask
    assert made is not None
    assert [each.unit for each in made.groups] == ["day"]


@pytest.mark.parametrize(
    "text",
    [
        "sản phẩm nào bán nhiều nhất và bán ít nhất tháng 5/2024",
        "tỉnh nào bán được nhiều nhất và tỉnh nào ít nhất tháng 5/2024",
        "sản phẩm nào bán chạy nhất và tỉnh nào nhiều đơn nhất tháng 5/2024",
        "which product sold the most and the least in May 2024",
    ],
)
def test_two_ends_are_two_answers(text: str) -> None:
    made = plan(text, [ORDERS])
    assert [each.ask.form for each in (made, *made.more) if each.ask] == ["top", "top"]
    assert all(len(each.ask.groups) == 1 for each in (made, *made.more) if each.ask)


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("phí vận chuyển cao nhất, thấp nhất và trung bình", [("max", "Phí vận chuyển"), ("min", "Phí vận chuyển"), ("avg", "Phí vận chuyển")]),
        ("đơn đang giao lâu nhất", [("max", "Ngày đặt")]),
        ("KH001 mua lần đầu khi nào", [("min", "Ngày đặt")]),
        ("Quần jean đắt hơn Giày sneaker bao nhiêu tiền", [("max", "Giá bán")]),
        ("Quần jean còn nhiều hơn Giày sneaker bao nhiêu cái", [("sum", "Tồn kho")]),
    ],
)  # fmt: skip
def test_the_word_says_which_figure_is_meant(text: str, figures: list[tuple[str, str]]) -> None:
    made = plan(text, SHOP).ask
    assert made is not None
    assert [(each.op, each.ref.name) for each in made.measures if each.ref] == figures


@pytest.mark.parametrize(
    ("text", "form", "having", "by"),
    [
        ("sản phẩm nào bán được hơn 100 cái", "groups", [100], "Sản phẩm"),
        ("tháng 5/2024 có bao nhiêu ngày doanh thu vượt 20 triệu", "groups", [20_000_000], "Ngày đặt"),
        ("khách nào chi trên 20 triệu", "groups", [20_000_000], "Mã khách hàng"),
        ("có bao nhiêu khách tiêu trên 5 triệu", "groups", [5_000_000], "Mã khách hàng"),
        ("khách ở tỉnh nào mua nhiều nhất", "top", [], "Tỉnh thành"),
        ("trung bình mỗi nền tảng bao nhiêu đơn", "per", [], ""),
        ("tỷ lệ COD", "share", [], ""),
        ("phân bổ đơn hàng theo tỉnh", "share", [], "Tỉnh thành"),
    ],
)
def test_everyday_ways_to_ask_are_read(text: str, form: str, having: list[int], by: str) -> None:
    made = plan(text, [ORDERS]).ask
    assert made is not None
    assert (made.form, [each.value for each in made.having]) == (form, having)
    assert ", ".join(each.ref.name for each in made.groups) == by


@pytest.mark.parametrize(
    ("text", "values"),
    [("Hà Nội có bao nhiêu đơn qua Shopee hoặc Lazada", 2), ("bao nhiêu đơn ở Hà Nội hoặc Shopee", 0)],
)
def test_or_stands_between_values_of_one_column(text: str, values: int) -> None:
    made = plan(text, [ORDERS])
    listed = [each for each in made.ask.conditions if each.op == "in"] if made.ask else []
    assert sum(len(each.value) for each in listed) == values
    assert bool(made.missing) is (not values)


MEMBERS = replace(CUSTOMERS, fields=(*CUSTOMERS.fields, column("Ngày tham gia", "date", (), 300)), date_field="Ngày tham gia", span=ORDERS.span)  # fmt: skip


@pytest.mark.parametrize("text", ["bao nhiêu khách mới tháng 5/2024", "how many new customers in May 2024"])
def test_new_customers_are_those_who_joined(text: str) -> None:
    made = plan(text, [ORDERS, MEMBERS])
    assert made.sheet == MEMBERS.name
    assert made.ask is not None
    assert made.ask.date_ref is not None
    assert made.ask.date_ref.name == "Ngày tham gia"
    assert plan(text, [ORDERS]).missing  # a sheet that does not say who is new


def test_which_passed_the_bound_is_asked_after_their_number() -> None:
    counted = plan("tháng 5/2024 có bao nhiêu ngày doanh thu vượt 20 triệu", [ORDERS])
    listed = plan("là những ngày nào?", [ORDERS], previous=counted)
    assert counted.ask is not None
    assert listed.ask == replace(counted.ask, count_groups=False)
