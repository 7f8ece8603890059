"""List, table or chart; figures that are asked for in other words; what these records cannot answer."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.modes.rental.question.cases import ask, told
from troly.sandbox import check
from troly_rental.question.output import PRICES
from troly_rental.question.parser import check_readiness
from troly_rental.question.types import Measure, Order, ParsedQuestion
from troly_rental.roles import ROLES, Role, relations_of
from troly_rental.sql.builder import build_count, build_query
from troly_rental.sql.explanation import explain_query
from troly_rental.sql.relations import entities

FIELDS = ("price", "area", "deposit", "electricity_price", "water_price", "views", "price_m2")
GROUPS = (
    "district", "city", "ward", "type", "month", "week", "day", "furnished", "bedrooms", "status", "amenity",
    "building", "room",
)  # fmt: skip
ORDERS = ("price", "area", "posted_at", "views", "deposit", "bedrooms", "people", "scheduled_at", "end_date")


@pytest.mark.parametrize(
    ("text", "mode", "entity"),
    [
        ("hợp đồng của tôi", "LIST", "contract"),
        ("show my unpaid invoices", "LIST", "invoice"),
        ("lịch xem phòng của tôi", "LIST", "viewing"),
        ("các tòa nhà của tôi", "LIST", "building"),
        ("bảng hợp đồng của tôi", "TABLE", "contract"),
        ("tôi còn nợ bao nhiêu tiền", "TABLE", "invoice"),
        ("hóa đơn tháng này của tôi bao nhiêu", "TABLE", "invoice"),
        ("doanh thu tháng này", "TABLE", "invoice"),
        ("list cho anh mấy căn ở quận 7 dưới 5tr", "LIST", "room"),
        ("cho xem mấy phòng ở Gò Vấp", "LIST", "room"),
        ("quận 7 có mấy căn dưới 5tr", "TABLE", "room"),
        ("còn mấy phòng trống ở quận 5", "TABLE", "room"),
    ],
)
def test_things_are_listed_and_figures_are_a_table(text: str, mode: str, entity: str) -> None:
    parsed = ask(text)
    assert (parsed.mode, parsed.entity) == (mode, entity)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("giá cao nhất và thấp nhất của phòng trọ quận 10", ["max", "min"]),
        ("giá phòng thấp nhất và cao nhất ở Thủ Đức là bao nhiêu", ["min", "max"]),
        ("highest and lowest rent in Tan Binh", ["max", "min"]),
        ("giá thấp nhất của căn hộ mini Bình Thạnh", ["min"]),
        ("chỗ ở ghép tại Bình Thạnh thấp nhất và cao nhất bao nhiêu tiền", ["min", "max"]),
        ("phòng nào rẻ nhất quận 1, giá bao nhiêu", []),
        ("phòng giá thấp nhất ở quận 1", []),
        ("sắp xếp từ rẻ nhất đến đắt nhất phòng ở quận 3", []),
    ],
)
def test_the_ends_of_a_price_are_figures(text: str, kinds: list[str]) -> None:
    parsed = ask(text)
    assert [one.kind for one in parsed.measures] == kinds
    assert parsed.mode == ("TABLE" if kinds else "LIST")


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("hóa đơn chưa thanh toán của tôi", "unpaid"),
        ("hoa don chua dong", "unpaid"),
        ("my unpaid invoices", "unpaid"),
        ("hóa đơn quá hạn của tôi", "overdue"),
        ("hóa đơn quá hạn chưa đóng", "overdue"),
    ],
)
def test_what_is_not_paid_is_one_state_that_the_query_widens(text: str, state: str) -> None:
    parsed = ask(text)
    assert told(parsed) == {f"status={state}"}
    tree = build_query(parsed, "LANDLORD")
    assert ("'unpaid'" in tree.sql()) == (state == "unpaid")
    assert "'overdue'" in tree.sql()


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("quan 7 xa qua, tim phong o quan 3", {"district=Quận 3"}),
        ("quận 1 mắc quá nên kiếm phòng bình thạnh", {"district=Bình Thạnh"}),
        ("district 2 is too far, find rooms in Binh Thanh", {"district=Bình Thạnh"}),
        ("phòng quận 1 và quận 3", {"districtinQuận 1,Quận 3"}),
        ("phòng trọ quậ 5 dưới 3 triệu", {"district=Quận 5", "price<3000000"}),
    ],
)
def test_a_place_complained_of_is_not_wanted(text: str, filters: set[str]) -> None:
    assert told(ask(text)) == filters


@pytest.mark.parametrize(
    ("text", "limit"), [("top 5 quận đắt nhất hà nội", 5), ("3 cheapest districts in Hanoi", 3)]
)
def test_the_first_groups_only(text: str, limit: int) -> None:
    parsed = ask(text)
    assert (parsed.group, parsed.limit, parsed.mode) == (("district",), limit, "TABLE")


def test_amenities_are_groups_too() -> None:
    parsed = ask("số phòng theo tiện ích")
    assert "room_amenities.amenity_id" in build_query(parsed).sql()


@given(
    role=st.sampled_from(ROLES),
    entity=st.tuples(st.sampled_from(sorted(entities())), st.booleans()),
    group=st.lists(st.sampled_from(GROUPS), max_size=2, unique=True),
    measure=st.none()
    | st.tuples(st.sampled_from(("count", "avg", "median", "min", "max", "sum")), st.sampled_from(FIELDS)),
    order=st.none() | st.sampled_from(ORDERS),
)
@settings(max_examples=150, deadline=None)
def test_whatever_is_ready_becomes_a_query_and_the_rest_is_told(
    role: str, entity: tuple[str, bool], group: list[str], measure: tuple[str, str] | None, order: str | None
) -> None:
    """No combination of record, figure, group and order raises; one that cannot be answered has its reason."""
    told_role = cast("Role", role)
    parsed = ParsedQuestion(entity=entity[0], own=entity[1], order=(Order(order),) if order else ())
    if measure:
        measured = Measure(measure[0], "" if measure[0] == "count" else measure[1])
        parsed = replace(parsed, mode="TABLE", measures=(measured,), group=tuple(group))
    ready = check_readiness(parsed, told_role)
    if not ready.ready:
        assert ready.missing
        return
    columns = {one.name: one.columns for one in relations_of(told_role, None if role == "GUEST" else 1)}
    for tree in (build_query(ready, told_role), build_count(ready, told_role)):
        assert check(tree.sql(dialect="duckdb"), columns, max_rows=100).tables
        assert explain_query(tree, "vi")


@pytest.mark.parametrize(
    "text", ["diện tích trung bình hợp đồng của tôi", "bao nhiêu hợp đồng theo nội thất"]
)
def test_figures_that_the_records_lack_are_told(text: str) -> None:
    assert [one.key for one in ask(text).missing] == ["missing.no_figure"]


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("1 căn hộ rẻ nhất quận 7", 1), ("3 can ho dat nhat", 3), ("the 2 cheapest apartments in district 7", 2),
        ("tìm 1 phòng giá rẻ", None), ("căn hộ 1 phòng ngủ rẻ nhất", None), ("nhà 2 lầu rẻ nhất", None),
    ],
)  # fmt: skip
def test_a_number_before_a_dwelling_is_how_many_are_shown(text: str, limit: int | None) -> None:
    """ "1 phòng" alone is a way of speaking; with "nhất" it is a number."""
    assert ask(text).limit == limit


@pytest.mark.parametrize(
    ("text", "district"),
    [
        ("t.bình có phòng nào không", "Tân Bình"), ("tbinh duoi 4tr", "Tân Bình"), ("phong t.binh", "Tân Bình"),
        ("b.thạnh có phòng không", "Bình Thạnh"), ("ở C. Giấy có căn hộ nào", "Cầu Giấy"),
    ],
)  # fmt: skip
def test_a_district_with_its_first_word_as_a_letter(text: str, district: str) -> None:
    assert f"district={district}" in told(ask(text))


@pytest.mark.parametrize(
    ("text", "descending"),
    [
        ("quan 3 xep theo dien tich lon nhat", True), ("phòng quận 3 sắp theo diện tích nhỏ nhất", False),
        ("rooms in district 3 sort by price low to high", False), ("phòng quận 3 sắp theo giá cao nhất", True),
    ],
)  # fmt: skip
def test_the_side_named_after_the_order_is_first(text: str, descending: bool) -> None:
    assert [order.descending for order in ask(text).order] == [descending]


@pytest.mark.parametrize("thing", ["nhà nguyên căn", "phòng trọ", "căn hộ mini"])
@pytest.mark.parametrize(("most", "field"), [("rẻ nhất", "price"), ("rộng nhất", "area")])
def test_where_one_thing_is_is_no_figure_by_district(thing: str, most: str, field: str) -> None:
    parsed = ask(f"{thing} {most} ở Hà Nội nằm ở quận nào")
    assert (parsed.measures, parsed.group, parsed.limit) == ((), (), 1)
    assert (parsed.order[0].field, parsed.details) == (field, ("district",))
    assert parsed.certain
    assert ask(f"quận nào ở Hà Nội có {thing} {most}").group == ("district",)
    assert ask(f"giá {thing} {most} ở mỗi quận").group == ("district",)


@pytest.mark.parametrize(
    "message", ["Ai nợ tiền nhiều nhất?", "người nợ nhiều nhất tên gì", "khách nào nợ nhiều nhất"]
)
def test_who_owes_most_is_asked_of_all_that_each_owes(message: str) -> None:
    found = ask(message)
    assert found.certain
    assert ([one.kind for one in found.measures], found.group) == (["sum"], ("tenant",))
    assert [(one.field, one.descending) for one in found.order] == [("figure", True)]


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("tiền điện bao nhiêu 1 số ở quận 7", ["electricity_price"]), ("nuoc bn 1 khoi o quan 7", ["water_price"]),
        ("cọc phòng trọ quận 5 bao nhiêu", ["deposit"]), ("ở quận 7 điện nước tính sao", ["electricity_price", "water_price"]),
    ],
)  # fmt: skip
def test_rates_of_several_rooms_are_their_average_and_ends(text: str, figures: list[str]) -> None:
    parsed = ask(text, role="GUEST")
    assert [(one.kind, one.field) for one in parsed.measures] == [
        (kind, name) for name in figures for kind in ("avg", "min", "max")
    ]
    assert parsed.certain
    assert not any("price" in one for one in told(parsed))


@pytest.mark.parametrize(
    ("text", "order", "details"),
    [
        ("căn hộ rẻ nhất quận 7 bao nhiêu tiền, rộng mấy mét", "price", "area"),
        ("phòng trọ rẻ nhất quận 5 cọc bao nhiêu", "price", "deposit"),
    ],
)
def test_an_end_of_the_prices_has_what_else_is_asked_of_it(text: str, order: str, details: str) -> None:
    parsed = ask(text, role="GUEST")
    assert (parsed.order[0].field, parsed.limit, details in parsed.details) == (order, 1, True)


@pytest.mark.parametrize("text", ["giá điện rẻ nhất ở quận 5 là bao nhiêu", "quận 5 cọc thấp nhất bao nhiêu"])
def test_a_superlative_belongs_to_the_figure_before_it(text: str) -> None:
    assert ask(text, role="GUEST").measures[0].kind == "min"
    assert ask(text, role="GUEST").measures[0].field != "price"


@pytest.mark.parametrize(
    "text",
    ["phòng trọ rẻ nhất ở quận 3 và quận 5 là bao nhiêu", "quận 3 với quận 5 bên nào có phòng trọ rẻ nhất"],
)
def test_the_cheapest_of_two_places_is_the_least_of_each(text: str) -> None:
    parsed = ask(text, role="GUEST")
    assert (parsed.group, [(one.kind, one.field) for one in parsed.measures]) == (
        ("district",),
        [("min", "price")],
    )
    assert "ARG_MIN(rooms.title" in build_query(parsed).sql(dialect="duckdb").upper().replace(
        "ROOMS.TITLE", "rooms.title"
    )


@pytest.mark.parametrize(
    "text",
    [
        "giá thuê có bao gồm điện nước không",
        "does the rent include electricity?",
        "tiền phòng gồm nước chưa",
        "is water included?",
        "are the utilities covered?",
        "is everything included?",
    ],
)
def test_no_rent_includes_electricity_or_water(text: str) -> None:
    assert "said.metered" in {one.key for one in ask(text, role="GUEST").remarks}


@pytest.mark.parametrize(
    ("text", "limit"),
    [("năm quận đắt nhất hà nội", 5), ("ba quận rẻ nhất", 3), ("phòng rẻ nhất nằm quận nào", 1)],
)
def test_a_number_in_words_counts_groups(text: str, limit: int) -> None:
    assert ask(text, role="GUEST").limit == limit


@pytest.mark.parametrize(
    "text",
    [
        "căn rộng nhất ở quận 7 bao nhiêu mét vuông, giá thế nào?",
        "nhà nguyên căn rộng nhất ở Gò Vấp rộng bao nhiêu và giá bao nhiêu?",
        "phong nho nhat o go vap may met vuong, gia sao",
        "studio bé nhất quận 3 diện tích và giá thuê bao nhiêu?",
        "how big is the largest apartment in district 7 and what is the price?",
    ],
)
def test_a_superlative_of_a_room_asks_for_that_room(text: str) -> None:
    asked = ask(text)
    assert (asked.measures, asked.mode, asked.order[0].field) == ((), "LIST", "area")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("tui kiếm phòng trọ bên Gò Vấp, phòng nào bự nhứt", True),
        ("tìm nhà trọ bên Bình Tân, chỗ nào nhỏ nhất", True),
        ("phong tro o quan 7 can nao dat nhat", True),
        ("need a boarding room in Gò Vấp, which one is the largest", True),
        ("phòng nào lớn nhất ở Gò Vấp", False),
        ("phòng trọ mới nhất quận 7", False),
        ("phòng trọ giá rẻ quận 7", False),
    ],
)
def test_the_largest_boarding_room_is_no_house(text: str, *, kind: bool) -> None:
    assert ("type=room" in told(ask(text, role="GUEST"))) is kind


@pytest.mark.parametrize(
    ("message", "kinds"),
    [
        ("đã thu theo tháng", ["paid", "sum"]),
        ("tiền đã thu", ["paid", "sum"]),
        ("doanh thu thực thu", ["paid", "sum"]),
        ("thuc thu thang 9 la bao nhieu", ["paid", "sum"]),
        ("mỗi tháng thu về được bao nhiêu", ["paid", "sum"]),
        ("how much rent was collected each month", ["paid", "sum"]),
        ("đã thu bao nhiêu, còn bao nhiêu chưa thu", ["paid", "owed", "sum"]),
        ("số tiền chưa thu được tháng này", ["sum", "paid", "owed"]),
        ("doanh thu tháng này", ["sum", "paid"]),
        ("doanh thu theo tháng", ["sum"]),
    ],
)
def test_what_was_paid_is_told_apart_from_what_was_billed(message: str, kinds: list[str]) -> None:
    parsed = ask(message, role="LANDLORD")
    assert parsed.certain
    assert [one.kind for one in parsed.measures] == kinds


def test_the_average_of_what_was_paid_is_of_paid_bills() -> None:
    assert told(ask("trung bình mỗi tháng đã thu bao nhiêu", role="LANDLORD")) == {"status=paid"}
    assert told(ask("doanh thu trung bình mỗi tháng", role="LANDLORD")) == set()


@pytest.mark.parametrize(
    "message",
    [
        "tiền cọc của tôi", "cọc của mình", "tien coc cua toi", "tiền thế chân của tui", "my deposit", "show me my deposit",
        "tiền cọc phòng của tôi là bao nhiêu",
    ],
)  # fmt: skip
def test_ones_own_deposit_is_the_sum_that_is_held(message: str) -> None:
    parsed = ask(message, role="TENANT")
    assert parsed.certain
    assert (parsed.entity, parsed.own, parsed.measures) == ("contract", True, (Measure("sum", "deposit"),))


@pytest.mark.parametrize(
    "message",
    [
        "histogram giá phòng ở Gò Vấp", "giá phòng theo khoảng ở Gò Vấp", "phân bố giá phòng ở Gò Vấp",
        "gia phong theo tung muc o go vap", "giá thuê ở Gò Vấp chia theo nhóm", "số phòng theo từng mức giá ở Gò Vấp",
        "phan bo gia o go vap", "phan bo gia cac phong go vap", "rents in Gò Vấp by band", "price histogram in Gò Vấp", "biểu đồ giá theo từng khoảng ở Gò Vấp",
    ],
)  # fmt: skip
def test_prices_by_band_are_the_number_in_each(message: str) -> None:
    parsed = ask(message)
    assert parsed.certain
    assert (parsed.group, parsed.measures) == (("price_band",), (Measure("count"),))
    assert told(parsed) == {"district=Gò Vấp"}


def test_bands_of_anything_but_prices_are_not_read() -> None:
    assert not ask("diện tích phòng theo từng mức ở Gò Vấp").certain


@pytest.mark.parametrize(
    "message",
    ["giá phòng ở quận 3 bao nhiêu", "giá thuê ở quận 3 khoảng bao nhiêu?", "gia phong quan 3 bao nhieu", "tiền thuê phòng quận 3 là nhiêu"],
)  # fmt: skip
def test_a_price_named_first_and_asked_for_at_the_end_is_the_usual_figures(message: str) -> None:
    parsed = ask(message, role="GUEST")
    assert (parsed.certain, parsed.measures) == (True, PRICES)
    assert told(parsed) == {"district=Quận 3"}


def test_the_amount_of_another_figure_is_no_rent() -> None:
    assert {one.field for one in ask("phòng quận 3 giá điện bao nhiêu", role="GUEST").measures} == {
        "electricity_price"
    }
    assert ask("phòng quận 3 giá rẻ có bao nhiêu", role="GUEST").measures != PRICES


@pytest.mark.parametrize("charge", ["tiền điện", "tiền nước"])
@pytest.mark.parametrize("role", ["TENANT", "LANDLORD"])
@pytest.mark.parametrize("said", ["trung bình mỗi phòng", "trung bình", "trung bình một phòng"])
def test_what_was_charged_in_a_month_is_of_bills(charge: str, role: Role, said: str) -> None:
    """What rooms ask for a unit is of no month; of one month the mean is that of the bills, one a room."""
    parsed = ask(f"{charge} {said} tháng 10", role=role)
    field = {"tiền điện": "electricity", "tiền nước": "water"}[charge]
    assert (parsed.entity, parsed.measures, parsed.unread) == ("invoice", (Measure("avg", field),), ())
    assert not parsed.group


@pytest.mark.parametrize("who", ["chủ nhà khác", "các chủ trọ", "tất cả chủ nhà", "mọi chủ phòng"])
@pytest.mark.parametrize("what", ["hóa đơn", "doanh thu", "tổng doanh thu", "hợp đồng", "tiền đã thu"])
def test_what_other_landlords_have_is_refused(what: str, who: str) -> None:
    assert ask(f"{what} của {who}").refused
    assert not ask(f"{what} của tôi").refused
    assert not ask(f"giá phòng của {who} ở quận 7").refused


@pytest.mark.parametrize("post", ["tin đăng", "bài đăng", "posts", "listings"])
@pytest.mark.parametrize("form", ["xu hướng", "biểu đồ", "trend"])
def test_advertisements_are_counted_unless_a_figure_is_named(post: str, form: str) -> None:
    assert ask(f"{form} {post} theo tháng", role="GUEST").measures == (Measure("count"),)
    assert ask(f"{form} giá {post} theo tháng", role="GUEST").measures[0].kind == "avg"


@pytest.mark.parametrize("group", ["room", "tenant", "building"])
def test_things_that_are_called_alike_are_told_apart(group: str) -> None:
    entity = "room" if group == "building" else "invoice"
    parsed = ParsedQuestion(
        mode="TABLE", entity=entity, group=(group,), measures=(Measure("count"),), own=True
    )
    sql = build_query(parsed, "LANDLORD").sql(dialect="duckdb")
    assert ".id" in sql.partition("GROUP BY")[2].partition("ORDER BY")[0]


@pytest.mark.parametrize("figure", ["giá", "giá thuê", "giá thuê trung bình", "giá trung bình", "tiền thuê"])
@pytest.mark.parametrize("unit", ["mỗi m2", "mỗi mét vuông"])
def test_the_rent_of_a_square_metre_is_a_figure(figure: str, unit: str) -> None:
    parsed = ask(f"{figure} {unit} quận 1", role="GUEST")
    assert (parsed.measures, parsed.unread) == ((Measure("avg", "price_m2"),), ())
    assert not ask("phòng trên 20 m2 quận 1", role="GUEST").measures
