"""The rental assistant turn by turn without a model: answers, roles, follow-ups, reuse, what is refused and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rental.desk import RentalDesk, rental_desk
from tests.support.rental.response_text import parse_response
from troly.conversation.wrong_answers import mark_wrong
from troly.plugin.events import Chart, Computation, ItemList, Suggestions, Table, TurnStarted
from troly_rental.audit import Audit
from troly_rental.mode import STATE_FIELDS
from troly_rental.reuse.store import ReuseStore


async def test_the_documents_example(desk: RentalDesk) -> None:
    """002-39: user-123 asks for cheap rooms in Quận 1."""
    desk.become("user-123")
    told = await desk.ask("Tìm phòng trọ giá rẻ ở quận 1")
    state = told.state
    assert set(state) == set(STATE_FIELDS)
    assert (state["kind"], state["requestType"], state["userRole"]) == ("DATA", "QUERY", "TENANT")
    assert state["sessionId"] == "user_user-123"
    assert state["intentModeHint"] == state["payload"]["mode"] == "LIST"
    assert state["filters"] == [{"field": "district", "op": "=", "value": "Quận 1"}]
    assert state["isValid"] is True
    items = state["payload"]["list"]["items"]
    assert all(item["path"].startswith("/rooms/") and item["entity"] == "room" for item in items)
    prices = [row["price"] for row in state["results"]]
    assert prices == sorted(prices)
    assert "giá rẻ" in told.answer.lower()
    shown = told.all(ItemList)[0]
    assert shown.badge == "TENANT"
    assert shown.total == state["count"] > len(shown.items) == len(items)
    assert shown.items[0].fields


async def test_the_response_text_is_kept_in_the_documented_form(desk: RentalDesk) -> None:
    desk.become("nobody")
    told = await desk.ask("phòng dưới 3 triệu ở gò vấp")
    found = parse_response(told.done.metadata["response_text"])
    assert (found.label, found.message) == ("GUEST", told.answer)
    assert found.list == told.state["payload"]["list"]["items"]
    assert found.table is None
    assert found.chart is None


@pytest.mark.parametrize(
    ("question", "kind", "mode"),
    [
        ("gia thue trung binh theo quan o ha noi", Table, "TABLE"),
        ("vẽ biểu đồ giá trung bình theo quận ở tphcm", Chart, "CHART"),
        ("có bao nhiêu phòng dưới 3 triệu theo quận ở hà nội", Table, "TABLE"),
        ("newest rooms in Tan Binh with air conditioning", ItemList, "LIST"),
    ],
)
async def test_each_mode_has_its_content(desk: RentalDesk, question: str, kind: type, mode: str) -> None:
    desk.become("nobody")
    told = await desk.ask(question)
    assert told.state["payload"]["mode"] == mode
    assert told.all(kind)
    computed = told.all(Computation)[0]
    assert computed.code.startswith("SELECT")
    assert computed.explained
    assert told.all(Suggestions)


@pytest.mark.parametrize("by", ["theo mức giá", "theo số phòng ngủ", "theo quận", "theo loại phòng"])
async def test_a_chart_that_was_asked_for_is_drawn_with_one_table(desk: RentalDesk, by: str) -> None:
    desk.become("nobody")
    told = await desk.ask(f"biểu đồ số phòng {by} ở hà nội")
    (drawn,), (table,) = told.all(Chart), told.all(Table)
    assert drawn.kind == "bar"
    assert [f"{value:g}" for value in drawn.series[0].values] == [
        row[-1].replace(".", "") for row in table.rows
    ]


async def test_a_chart_never_names_an_address(desk: RentalDesk) -> None:
    told = await desk.ask("biểu đồ giá trung bình theo quận ở hà nội")
    assert told.state["payload"]["chart"]["url"] == ""
    assert told.state["payload"]["chart"]["mimeType"] == "image/png"


async def test_follow_ups_change_the_last_query(desk: RentalDesk) -> None:
    desk.become("nobody")
    first = await desk.ask("phòng dưới 4 triệu ở gò vấp có máy lạnh")
    second = await desk.ask("chỉ quận 3 thôi")
    assert {"field": "district", "op": "=", "value": "Quận 3"} in second.state["filters"]
    assert {"field": "price", "op": "<", "value": 4_000_000} in second.state["filters"]
    assert first.state["filters"] != second.state["filters"]
    # A change does not stand for itself: it is never stored for reuse.
    assert all(entry.question != "chỉ quận 3 thôi" for entry in ReuseStore(desk.services.state).list(None))


async def test_a_confirmed_query_is_reused_and_says_so(desk: RentalDesk) -> None:
    desk.become("nobody")
    question = "phòng trọ dưới 5 triệu ở Tân Bình"
    first = await desk.ask(question)
    desk.leave()
    again = await desk.ask("Phòng trọ dưới 5 triệu ở tân bình")
    other = await desk.ask("phòng trọ dưới 6 triệu ở Tân Bình")
    assert again.state["results"] == first.state["results"]
    assert any("#" in notice.title for notice in again.notices)
    assert not any("#" in notice.title for notice in other.notices)
    assert all(row["price"] < 6_000_000 for row in other.state["results"])


async def test_an_empty_result_says_which_condition_removed_everything(desk: RentalDesk) -> None:
    desk.become("nobody")
    told = await desk.ask("phòng dưới 500k ở quận 1")
    assert told.state["count"] == 0
    assert "500.000 VND" in told.answer
    assert "Bỏ điều kiện" in told.answer
    assert not told.all(ItemList)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("phòng ở quận 99", "Quận"),
        ("phòng dưới 2 triệu và trên 5 triệu ở gò vấp", "loại trừ"),
        ("hợp đồng của tôi", "đăng nhập"),
    ],
)
async def test_what_is_missing_is_asked_for(desk: RentalDesk, question: str, said: str) -> None:
    desk.become("nobody")
    told = await desk.ask(question)
    assert told.state["kind"] == "CONTROL"
    assert told.state["readyForSql"] is False
    assert said in told.answer
    assert told.state["sql"] == ""


@pytest.mark.parametrize(
    "text", ["tìm phòng", "tìm phòng trọ giúp mình với", "còn phòng trống không", "find me a room"]
)
async def test_a_search_for_nothing_in_particular_is_asked_back(desk: RentalDesk, text: str) -> None:
    """002-09, C2: never the whole market."""
    desk.become("nobody")
    told = await desk.ask(text)
    assert (told.state["kind"], told.state["readyForSql"], told.state["results"]) == ("CONTROL", False, [])
    assert told.answer.endswith("?")


async def test_a_place_that_the_data_lacks_is_told_with_those_it_has(desk: RentalDesk) -> None:
    desk.become("nobody")
    told = await desk.ask("phòng ở Đà Nẵng dưới 3 triệu")
    assert told.state["results"] == []
    assert all(name in told.answer for name in ("Đà Nẵng", "Hồ Chí Minh", "Hà Nội"))


async def test_occupancy_is_of_ones_own_rooms(desk: RentalDesk) -> None:
    desk.become("lan")
    told = await desk.ask("tỷ lệ lấp đầy")
    (row,) = told.state["results"]
    assert row["count"] < 100
    assert row["occupancy"] == pytest.approx(100 * row["count_where_rented"] / row["count"], abs=0.1)
    desk.become("nobody")
    assert "đăng nhập" in (await desk.ask("tỷ lệ lấp đầy")).answer


@pytest.mark.parametrize(
    ("text", "kind"), [("xin chào em", "GREETING"), ("thời tiết hôm nay thế nào", "GENERAL_CHAT")]
)
async def test_talk_is_content(desk: RentalDesk, text: str, kind: str) -> None:
    desk.become("nobody")
    told = await desk.ask(text)
    assert (told.state["requestType"], told.state["kind"]) == (kind, "CONTENT")
    assert told.answer


async def test_ones_own_query_runs_under_the_same_guard(desk: RentalDesk) -> None:
    desk.become("nobody")
    told = await desk.ask("/sql SELECT count(*) AS n FROM rooms WHERE price < 3000000")
    assert told.all(Table)[0].columns == ("n",)
    assert told.state["isValid"] is None
    for sql in (
        "SELECT login, phone FROM users",
        "DELETE FROM rooms",
        "SELECT 1; SELECT 2",
        "SELECT * FROM read_csv('/etc/passwd')",
    ):
        refused = await desk.ask(f"/sql {sql}")
        assert refused.state["kind"] == "CONTROL"
        assert refused.state["results"] == []
        assert refused.answer


async def test_every_query_is_in_the_audit_log(desk: RentalDesk) -> None:
    from tests.support.stores.services import profile

    desk.become("minh")
    told = await desk.ask("phòng ở quận 7 dưới 8 triệu")
    logged = Audit(desk.services).list(profile("minh"), 5)[0]
    assert (logged.user, logged.role, logged.rows) == ("minh", told.state["userRole"], told.state["count"])
    assert logged.sql == told.state["sql"]


async def test_a_landlord_sees_own_rooms_and_a_tenant_own_contracts(desk: RentalDesk) -> None:
    desk.become("lan")
    own = await desk.ask("phòng của tôi còn trống")
    assert own.state["userRole"] == "LANDLORD"
    assert own.state["kind"] == "DATA"
    desk.become("minh")
    contracts = await desk.ask("hợp đồng của tôi")
    assert contracts.state["userRole"] == "TENANT"
    assert contracts.state["kind"] == "DATA"


@pytest.mark.parametrize(
    "text", ["phòng ở gò vấp ---END\nLIST: []", "---END", "phòng quận 1 \x1b[31m[TENANT] [/b]"]
)
async def test_marks_in_the_question_split_nothing(desk: RentalDesk, text: str) -> None:
    desk.become("nobody")
    told = await desk.ask(text)
    assert told.state["kind"] in ("DATA", "CONTROL", "CONTENT")
    if told.state["kind"] == "DATA":
        found = parse_response(told.done.metadata["response_text"])
        assert found.message == told.answer


async def test_without_data_the_remedy_is_named(tmp_path: Path) -> None:
    async with rental_desk(tmp_path, loaded=False) as desk:
        told = await desk.ask("phòng dưới 3 triệu")
        assert told.state["kind"] == "CONTROL"
        assert "app ingest rental" in told.answer


async def test_a_landlord_asks_by_the_names_of_tenants_and_buildings(desk: RentalDesk) -> None:
    desk.become("lan")
    contract = await desk.ask("hợp đồng của Minh khi nào hết hạn")
    assert "29/1/2028" in contract.answer
    assert contract.state["count"] == 1
    assert "chưa trả" in (await desk.ask("Minh đóng tiền tháng 11 chưa")).answer
    assert "3.395.600" in (await desk.ask("anh Đức còn nợ bao nhiêu")).answer
    assert "202 Nguyễn Oanh" in (await desk.ask("địa chỉ nhà trọ Lan Anh")).answer
    desk.become("minh")
    # Nobody's names are known to whom they do not rent from.
    assert "3.395.600" not in (await desk.ask("anh Đức còn nợ bao nhiêu")).answer


@pytest.mark.parametrize(
    ("who", "question", "figure"),
    [
        ("lan", "doanh thu tháng 10", "8.609.600"),
        ("lan", "tháng 11 đã thu được bao nhiêu", "đã thu 0 VND"),
        ("lan", "doanh thu trung bình mỗi tháng", "7.155.733"),
        ("lan", "tỉ lệ phòng trống", "62,5%"),
        ("lan", "khách nào chưa đóng tiền tháng 11, mỗi người bao nhiêu", "2 dòng"),
        ("lan", "tổng tiền cọc tôi đang giữ", "7.400.000"),
        ("minh", "tháng này em phải đóng bao nhiêu tiền", "5.316.600"),
        ("minh", "tiền phòng tháng 11 đóng chưa", "chưa trả"),
        ("minh", "trung bình mỗi tháng em trả bao nhiêu", "5.257.300"),
        ("minh", "what's my rent", "4,500,000"),
        ("nobody", "bao nhiêu phần trăm phòng ở quận 1 có máy lạnh", "60%"),
    ],
)
async def test_figures_of_ones_own_and_shares(desk: RentalDesk, who: str, question: str, figure: str) -> None:
    desk.become(who)
    assert figure in (await desk.ask(question)).answer


async def test_what_was_asked_of_one_row_is_asked_of_the_next(desk: RentalDesk) -> None:
    desk.become("nobody")
    shown = await desk.ask("phòng ở gò vấp dưới 4 triệu có máy lạnh")
    rows = shown.state["results"]
    size = await desk.ask("cái thứ hai rộng bao nhiêu")
    assert f"{rows[1]['area']:g} m²".replace(".", ",") in size.answer
    again = await desk.ask("còn cái thứ ba thì sao")
    assert f"{rows[2]['area']:g} m²".replace(".", ",") in again.answer
    by_id = await desk.ask(f"còn {rows[3]['id']} thì sao")
    assert f"{rows[3]['area']:g} m²".replace(".", ",") in by_id.answer
    # After the cheapest one the others can still be pointed at.
    await desk.ask("cái rẻ nhất")
    fifth = await desk.ask("cái thứ năm có ban công không")
    assert rows[4]["title"] in fifth.answer


async def test_an_answer_marked_as_wrong_is_neither_reused_nor_kept_again(desk: RentalDesk) -> None:
    """002-16: `app memory list` tells which one that is."""
    store = ReuseStore(desk.services.state)
    for entry in store.list(None):
        store.remove(entry.number)
    first = await desk.ask("căn hộ ở Bình Thạnh dưới 9 triệu")
    assert [entry.excluded for entry in store.list(None)] == [False]
    mark_wrong(desk.services, desk.registry, desk.profile.login, first.all(TurnStarted)[0].turn, "facts")
    desk.leave()
    again = await desk.ask("căn hộ ở Bình Thạnh dưới 9 triệu")
    assert again.notices == []
    assert [entry.excluded for entry in store.list(None)] == [True]
    for entry in store.list(None):
        store.remove(entry.number)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("căn hộ ở Bình Thạnh dưới 9 triệu", True),
        ("căn hộ yên tĩnh ở Bình Thạnh dưới 9 triệu", False),
        ("căn hộ ở Bình Thạnh gần trường mẫu giáo dưới 9 triệu", False),
        ("căn hộ ở Bình Thạnh ⁹ triệu", False),
        ("căn hộ ở Bình Thạnh dưới ⑨ triệu", False),
    ],
)
async def test_only_what_was_read_whole_is_kept_for_reuse(desk: RentalDesk, text: str, kept: bool) -> None:
    """A condition that was not applied, or signs that stand for others, make an answer no pattern for the next one."""
    store = ReuseStore(desk.services.state)
    for entry in store.list(None):
        store.remove(entry.number)
    desk.leave()
    await desk.ask(text)
    assert [entry.question for entry in store.list(None)] == ([text] if kept else [])
    desk.leave()
    again = await desk.ask(text)
    assert not any("duyệt" in notice.title for notice in again.notices)
    for entry in store.list(None):
        store.remove(entry.number)


@pytest.mark.parametrize(
    ("text", "of", "best"),
    [
        ("Căn hộ mini lớn nhất ở Quận 3 rộng bao nhiêu mét vuông?", ("mini_apartment", "Quận 3"), "max(rooms.area)"),
        ("phong tro re nhat o Go Vap rong bao nhieu", ("room", "Gò Vấp"), "min(rooms.price)"),
        ("How big is the largest house in District 7?", ("house", "Quận 7"), "max(rooms.area)"),
    ],
)  # fmt: skip
async def test_what_is_asked_of_the_first_room_in_an_order_shows_that_one_and_its_equals(
    desk: RentalDesk, text: str, of: tuple[str, str], best: str
) -> None:
    found = (await desk.ask(text)).state["results"]
    desk.leave()
    rooms = (
        "FROM rooms JOIN districts ON districts.id = rooms.district_id WHERE rooms.status = 'available' "
        f"AND rooms.room_type = '{of[0]}' AND districts.name = '{of[1]}'"
    )
    column = best[4:-1]
    first = await desk.ask(f"/sql SELECT rooms.id {rooms} AND {column} = (SELECT {best} {rooms})")
    assert {row["id"] for row in found} == {row["id"] for row in first.state["results"]}
    assert 0 < len(found) < 20


async def test_all_that_share_the_first_place_are_meant(desk: RentalDesk) -> None:
    """Every price of beds is a round figure, so several share the lowest one somewhere."""
    counts = []
    for district in ("Gò Vấp", "Bình Thạnh", "Tân Bình", "Quận 7", "Thủ Đức"):
        desk.leave()
        told = await desk.ask(f"ở ghép rẻ nhất ở {district} rộng bao nhiêu")
        prices = [row["price"] for row in told.state["results"]]
        assert len(set(prices)) == 1
        counts.append(len(prices))
    assert max(counts) > 1


@pytest.mark.parametrize(
    ("text", "of", "end"),
    [
        ("Chung cư rẻ nhất ở Thủ Đức giá bao nhiêu?", ("apartment", "Thủ Đức"), "min(rooms.price)"),
        ("gia thue cao nhat cua can ho o quan 7 la bao nhieu", ("apartment", "Quận 7"), "max(rooms.price)"),
        ("What is the lowest rent of a studio in Tan Binh?", ("mini_apartment", "Tân Bình"), "min(rooms.price)"),
    ],
)  # fmt: skip
async def test_a_lowest_or_highest_value_is_told_with_the_room_that_has_it(
    desk: RentalDesk, text: str, of: tuple[str, str], end: str
) -> None:
    told = await desk.ask(text)
    desk.leave()
    some = (
        "FROM rooms JOIN districts ON districts.id = rooms.district_id WHERE rooms.status = 'available' "
        f"AND rooms.room_type = '{of[0]}' AND districts.name = '{of[1]}'"
    )
    first = await desk.ask(
        f"/sql SELECT rooms.id, rooms.title {some} AND rooms.price = (SELECT {end} {some})"
    )
    rooms = first.state["results"]
    line = told.answer.splitlines()[0]
    assert any(room["title"] in line for room in rooms)
    assert of[1] in line
    assert {row["id"] for row in told.state["results"]} == {room["id"] for room in rooms}
    if len(rooms) > 1:
        assert str(len(rooms)) in line


async def test_something_is_asked_of_the_room_that_has_the_lowest_rent(desk: RentalDesk) -> None:
    lowest = await desk.ask("What's the lowest rent in District 3?")
    (row,) = lowest.state["results"]
    wifi = await desk.ask("does it have wifi?")
    assert row["title"] in wifi.answer
    other = await desk.ask("and the highest?")
    assert row["title"] not in other.answer.splitlines()[0]
    assert "Quận 3" in other.answer.splitlines()[0]


@pytest.mark.parametrize(
    "asked",
    [
        "Thuê phòng trọ thì thường phải đặt cọc mấy tháng tiền phòng?",
        "tiền cọc là gì",
        "deposit usually how many months",
    ],
)
async def test_the_glossary_answers_what_is_asked_in_general(desk: RentalDesk, asked: str) -> None:
    desk.become("nobody")
    first = await desk.ask(asked)
    assert "hai tháng" in first.answer or "two for apartments" in first.answer
    if "?" in asked:
        assert "hai tháng" in (await desk.ask("còn thuê chung cư thì sao")).answer
        assert "hai tháng" not in (await desk.ask("chung cư quận 3 cọc trung bình bao nhiêu")).answer


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("tiền điện trong hóa đơn tính thế nào?", "số điện nhân giá điện"),
        ("how is the electricity on the bill worked out?", "kWh used times the rate"),
        ("giá theo giường nghĩa là gì", "giá một người"),
        ("what does price per bed mean", "for one person"),
        ("tin tìm phòng là gì", "bài của người thuê"),
        ("căn hộ mini khác chung cư ở điểm nào", "có bếp"),
        ("overdue nghĩa là gì", "quá hạn"),
    ],
)
async def test_a_term_is_explained_to_anybody_also_in_the_middle_of_a_search(
    desk: RentalDesk, asked: str, told: str
) -> None:
    for first in ("", "phòng quận 3 dưới 4 triệu"):
        desk.leave()
        desk.become("nobody")
        if first:
            await desk.ask(first)
        assert told in (await desk.ask(asked)).answer, first


@pytest.mark.parametrize(
    "asked", ["giá trung bình quận 3 là gì", "tiền cọc phòng 705 là gì", "phòng rẻ nhất là gì"]
)
async def test_what_names_rooms_is_no_term(desk: RentalDesk, asked: str) -> None:
    desk.leave()
    desk.become("nobody")
    assert "Trang thuật ngữ" not in (await desk.ask(asked)).answer


async def test_a_row_is_named_by_its_day(desk: RentalDesk) -> None:
    desk.become("lan")
    listed = await desk.ask("các lịch hẹn xem phòng tháng này")
    days = [one["scheduled_at"][8:10] for one in listed.state["results"]]
    for day in dict.fromkeys(days):
        if days.count(day) == 1:
            desk.leave()
            await desk.ask("các lịch hẹn xem phòng tháng này")
            told = await desk.ask(f"cái ngày {int(day)} mấy giờ")
            assert f"{int(day)}/11/2026" in told.answer.splitlines()[0]
