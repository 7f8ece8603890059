"""Follow-ups by their kind, without a model: what is kept is said in the first line, and an open question is no ground."""

from __future__ import annotations

import pytest

from tests.support.rental.desk import RentalDesk

PLACE = "có mấy phòng trọ ở quận 7"


async def _asked(desk: RentalDesk, who: str, *turns: str) -> list[str]:
    desk.leave()
    desk.become(who)
    return [(await desk.ask(turn)).answer for turn in turns]


async def test_the_place_is_kept_and_said(desk: RentalDesk) -> None:
    for turn in (
        "có thang máy nữa thì còn mấy phòng",
        "bên đó rẻ nhất là bao nhiêu",
        "trong mấy căn đó rẻ nhất bao nhiêu",
    ):
        told = await _asked(desk, "nobody", PLACE, turn)
        assert "Quận 7" in told[-1].splitlines()[0], turn
    told = await _asked(
        desk, "nobody", PLACE, "à không, nói lộn, quận 8 mới đúng", "rẻ nhất bên đó nhiêu tiền"
    )
    assert "Quận 8" in told[-1].splitlines()[0]
    assert "Quận 7" not in told[-1]


@pytest.mark.parametrize(
    "turn",
    [
        "có thang máy nữa thì còn mấy căn",
        "bên đó rẻ nhất là bao nhiêu",
        "trong mấy căn đó có mấy phòng có máy lạnh",
    ],
)
async def test_nothing_is_counted_elsewhere_after_a_question_that_stands_open(
    desk: RentalDesk, turn: str
) -> None:
    desk.become("nobody")
    for first in ("quận 7 có mấy phòng xyzt", PLACE):
        desk.leave()
        await desk.ask(first)
        await desk.ask("quận 8 thì được mấy phòng xyzt")
        told = await desk.ask(turn)
        assert told.done.metadata["answered"] is False, first
    for place in ("Quận 8", "Quận 9"):
        said_again = await desk.ask(f"{place.lower()} thì được mấy phòng")
        assert place in said_again.answer.splitlines()[0]


async def test_what_was_understood_of_a_question_can_be_gone_on_from_and_what_was_not_is_said(
    desk: RentalDesk,
) -> None:
    desk.become("nobody")
    await desk.ask("quận 7 có mấy phòng trọ xyzt có máy lạnh")
    told = await desk.ask("căn nào rẻ nhất")
    for said in ("Quận 7", "máy lạnh", "«xyzt»"):
        assert said in told.answer
    assert told.done.metadata["answered"] is False


@pytest.mark.parametrize(
    ("wish", "condition"),
    [
        ("không lấy loại đầy đủ nội thất", "không phải đầy đủ nội thất"),
        ("không có nội thất", "không nội thất"),
        ("đừng đưa mấy căn trên 5 triệu", "giá tối đa 5.000.000"),
        ("không lấy phòng dưới 20m2", "diện tích từ 20 m²"),
        ("không quá 5 triệu", "giá tối đa 5.000.000"),
        ("không có máy lạnh, dưới 5 triệu", "giá dưới 5.000.000"),
    ],
)
async def test_what_is_refused_leaves_the_rest(desk: RentalDesk, wish: str, condition: str) -> None:
    (told,) = await _asked(desk, "nobody", f"phòng ở quận 7, {wish}")
    assert condition in told.splitlines()[0]


async def test_a_value_of_the_row_spoken_of(desk: RentalDesk) -> None:
    told = await _asked(desk, "nobody", "phòng rộng nhất quận 7 là bao nhiêu mét vuông", "cọc bao nhiêu vậy")
    mean = await _asked(
        desk, "nobody", "phòng rộng nhất quận 7 là bao nhiêu mét vuông", "giá trung bình bao nhiêu"
    )
    beds = await _asked(
        desk, "nobody", "chung cư rộng nhất quận 7 là bao nhiêu mét vuông", "căn đó mấy phòng ngủ"
    )
    assert "phòng ngủ" in beds[-1].splitlines()[0]
    assert "Số phòng" not in beds[-1]
    assert "tiền cọc" in told[-1]
    assert "Quận 7" in mean[-1]


async def test_ones_own_papers(desk: RentalDesk) -> None:
    bill = await _asked(desk, "minh", "hóa đơn tháng này tổng bao nhiêu và tôi trả chưa")
    power = await _asked(
        desk, "minh", "tháng nào tôi dùng điện nhiều nhất", "tháng đó hết bao nhiêu tiền điện"
    )
    units = await _asked(
        desk, "minh", "hóa đơn tháng 9 của tôi bao nhiêu", "tháng đó tôi xài bao nhiêu số điện"
    )
    months = await _asked(desk, "minh", "tiền điện của tôi theo tháng", "tháng đó hết bao nhiêu tiền điện")
    deposit = await _asked(desk, "minh", "tôi đã đặt cọc bao nhiêu")
    states = await _asked(desk, "lan", "có mấy phòng đang cho thuê và mấy phòng còn trống của tôi")
    assert "5.316.600" in bill[-1]
    assert "chưa trả" in bill[-1]
    assert "8/2026" in power[-1]
    assert "718.200" in power[-1]
    assert "121 kWh" in units[-1]
    assert "718.200" not in months[-1].splitlines()[0]
    assert "4.500.000" in deposit[-1]
    assert "đã cho thuê 2" in states[-1]
    assert "còn trống 5" in states[-1]


async def test_which_of_both_is_cheaper_after_figures_of_both(desk: RentalDesk) -> None:
    told = await _asked(
        desk, "nobody", "so sánh giá thuê trung bình ở quận 1 và quận 7", "vậy bên nào rẻ hơn"
    )
    counted = await _asked(desk, "nobody", "có mấy phòng trọ ở quận 1", "còn quận 7", "cái nào rẻ nhất")
    assert "thấp nhất: Quận 7" in told[-1]
    assert "Số phòng theo" not in counted[-1]


async def test_another_one_is_asked_for_by_what_it_has(desk: RentalDesk) -> None:
    for turn in ("is there one that allows pets?", "any ones that allow pets?"):
        told = await _asked(desk, "nobody", "cheapest apartment in District 7", turn)
        assert "Quận 7, with pets allowed, type apartment" in told[-1].splitlines()[0]


@pytest.mark.parametrize(
    ("turn", "order"),
    [
        ("xếp rẻ trước, đừng lấy ở ghép", "giá tăng dần"),
        ("rẻ nhất xếp trước, bỏ ở ghép", "giá tăng dần"),
        ("cheapest first, no dorms please", "lowest first"),
        ("xep rong truoc, khong lay o ghep", "diện tích giảm dần"),
    ],
)
async def test_what_comes_first_is_an_order_of_all(desk: RentalDesk, turn: str, order: str) -> None:
    told = await _asked(desk, "nobody", "phòng dưới 4 triệu ở Bình Thạnh", turn)
    line = told[-1].splitlines()[0]
    assert order in line
    assert "dormitory or shared room" in line or "không phải ký túc xá, ở ghép" in line
    assert "20" in line


@pytest.mark.parametrize(
    "turn", ["bỏ luôn mấy căn không có máy lạnh", "loại hết mấy phòng không có máy lạnh đi"]
)
async def test_rooms_that_are_left_out_are_not_counted(desk: RentalDesk, turn: str) -> None:
    told = await _asked(desk, "nobody", "phòng ở quận 7 dưới 5 triệu", turn)
    kept = await _asked(desk, "nobody", "phòng ở quận 7 dưới 5 triệu", "bỏ hết mấy phòng ở ghép")
    unknown = await _asked(desk, "nobody", "phòng ở quận 7 dưới 5 triệu", "bỏ hết mấy phòng chung chủ")
    assert told[-1].startswith("Đây là")
    for line in (told[-1].splitlines()[0], kept[-1].splitlines()[0], unknown[-1].splitlines()[0]):
        assert "Quận 7" in line
        assert "5.000.000" in line
    assert "có máy lạnh" in told[-1].splitlines()[0]
    assert "không phải ký túc xá" in kept[-1].splitlines()[0]
    assert "chưa hiểu" in unknown[-1]


@pytest.mark.parametrize("turn", ["giá đó có mấy phòng", "how many at that price"])
async def test_a_rent_that_was_told_is_not_dropped_from_a_count(desk: RentalDesk, turn: str) -> None:
    told = await _asked(desk, "nobody", "phòng trọ ở gò vấp", "căn nào giá thấp nhất", turn)
    assert "264" not in told[-1]


@pytest.mark.parametrize(
    ("who", "text", "paper"),
    [
        ("minh", "hđ tháng 10 của tôi bao nhiêu", "5.064.600"),
        ("minh", "tôi còn hđ nào chưa trả không", "hóa đơn chưa trả"),
        ("minh", "hđ của tôi khi nào hết hạn", "29/1/2028"),
        ("lan", "mấy hđ đang hiệu lực", "2 hợp đồng"),
        ("minh", "cho xem hđ của tôi", "hợp đồng hay hóa đơn?"),
        ("minh", "hđ của tôi bao nhiêu", "hợp đồng hay hóa đơn?"),
    ],
)
async def test_a_paper_in_short_is_what_the_other_words_make_of_it(
    desk: RentalDesk, who: str, text: str, paper: str
) -> None:
    (told,) = await _asked(desk, who, text)
    assert paper in told


@pytest.mark.parametrize(
    "turn", ["Tôi đã xem xong phòng nào", "tôi đã coi những phòng nào", "which rooms have I viewed?"]
)
async def test_what_was_seen_is_asked_of_all_days(desk: RentalDesk, turn: str) -> None:
    told = await _asked(desk, "minh", "Tuần này tôi có lịch xem phòng nào không?", turn)
    assert "15/11/2026" in told[-1]


@pytest.mark.parametrize(
    "text",
    [
        "Tôi đang thuê phòng nào, bao nhiêu tiền một tháng?", "mình đang thuê phòng nào, bao nhiêu",
        "which room do I rent and how much", "toi dang o phong nao vay, gia bao nhieu",
    ],
)  # fmt: skip
async def test_ones_own_room_and_its_rent_are_those_of_the_contract(desk: RentalDesk, text: str) -> None:
    (told,) = await _asked(desk, "minh", text)
    assert "Phòng trọ Lan Anh" in told.splitlines()[0]
    assert told.replace(",", ".").count("4.500.000") >= 1
    assert "trung bình" not in told
    assert "average" not in told


async def test_a_place_is_no_tenant_who_is_called_like_it(desk: RentalDesk) -> None:
    owed, rooms, seekers = [
        (await _asked(desk, "lan", text))[0]
        for text in (
            "Đức còn nợ bao nhiêu",
            "Có bao nhiêu phòng ở Thủ Đức",
            "Có ai tìm phòng ở Thủ Đức không",
        )
    ]
    assert "Nguyễn Quang Đức" in owed
    assert rooms.startswith("Số phòng ở Thủ Đức: ")
    assert "bài tìm phòng ở Thủ Đức" in seekers


async def test_the_budgets_of_those_who_seek_are_told(desk: RentalDesk) -> None:
    (listed,) = await _asked(desk, "lan", "Ai đang tìm phòng ở Gò Vấp, ngân sách bao nhiêu?")
    (mean,) = await _asked(desk, "lan", "ngân sách trung bình của người tìm phòng ở Gò Vấp")
    ordered = await _asked(desk, "lan", "bài tìm phòng ở quận 10", "xếp theo ngân sách từ cao xuống")
    assert listed.startswith("Đây là 18 bài tìm phòng ở Gò Vấp")
    assert mean.startswith("Ngân sách trung bình ở Gò Vấp: ")
    assert "ngân sách giảm dần" in ordered[-1].splitlines()[0]


@pytest.mark.parametrize(
    ("turns", "line"),
    [
        (
            ("so sánh giá trung bình ở Quận 12 và Gò Vấp", "bên nào nhiều phòng hơn"),
            "Số phòng theo quận/huyện",
        ),
        (("how many rooms does Hanoi have vs Saigon", "which has more studios"), "Number of rooms by city"),
        (("so sanh gia trung binh o quan 12 va go vap", "ben nao it can ho mini hon"), "loại căn hộ mini"),
    ],
)
async def test_which_of_both_has_more_is_counted(desk: RentalDesk, turns: tuple[str, ...], line: str) -> None:
    told = await _asked(desk, "nobody", *turns)
    assert line in told[-1].splitlines()[0]
    assert "trung bình" not in told[-1].splitlines()[0]


async def test_a_limit_gives_way_to_one_that_excludes_it(desk: RentalDesk) -> None:
    told = await _asked(desk, "nobody", "quận 4 có bao nhiêu phòng trên 25m2", "dưới 20m2 thì sao")
    within = await _asked(desk, "nobody", "phòng trên 5 triệu ở quận 4", "dưới 7 triệu")
    assert "diện tích dưới 20 m²" in told[-1]
    assert "25" not in told[-1].splitlines()[0]
    assert "trên 5.000.000" in within[-1].splitlines()[0]


async def test_all_rooms_of_a_place_keep_no_condition_of_before(desk: RentalDesk) -> None:
    whole = await _asked(desk, "nobody", "có bao nhiêu phòng ở hà đông")
    told = await _asked(
        desk, "nobody", "co bao nhieu phong o ha dong co ban cong", "tat ca bao nhieu phong o ha dong"
    )
    assert told[-1].splitlines()[0] == whole[-1].splitlines()[0]


@pytest.mark.parametrize("turn", ["loại ở ghép ra", "loai o ghep ra nhe", "gạt ở ghép ra đi"])
async def test_a_kind_that_is_taken_out_is_not_asked_for(desk: RentalDesk, turn: str) -> None:
    told = await _asked(desk, "nobody", "phòng dưới 3 triệu quận 12", turn)
    assert "không phải ký túc xá, ở ghép" in told[-1].splitlines()[0]


async def test_papers_that_are_named_with_their_month_keep_no_state_of_before(desk: RentalDesk) -> None:
    told = await _asked(
        desk, "minh", "Tôi có bao nhiêu hóa đơn quá hạn?", "Còn hóa đơn tháng 11 thì bao nhiêu?"
    )
    assert "quá hạn" not in told[-1].splitlines()[0]
    assert "5.316.600" in told[-1]


async def test_the_same_figure_is_asked_of_another_tenant(desk: RentalDesk) -> None:
    told = await _asked(desk, "lan", "Minh trả tiền tháng 11 chưa", "bao nhiêu", "còn Đức")
    assert told[-1].startswith("Tổng tiền hóa đơn tháng 11/2026, người thuê Nguyễn Quang Đức")


@pytest.mark.parametrize(
    ("bill", "power"),
    [("my last bill", "how much electricity"), ("hóa đơn mới nhất của tôi", "tiền điện bao nhiêu")],
)
async def test_the_newest_bill_is_one_and_can_be_spoken_of(desk: RentalDesk, bill: str, power: str) -> None:
    newest = await _asked(desk, "minh", bill, "đóng chưa", power)
    several = await _asked(desk, "minh", "2 hóa đơn mới nhất của tôi")
    all_of_them = await _asked(desk, "minh", "my latest invoices")
    assert "11/2026" in newest[0].splitlines()[0]
    assert "10/2026" not in newest[0]
    assert "unpaid" in newest[1] or "chưa trả" in newest[1]
    assert "2.219.200" not in newest[2].replace(",", ".")
    assert "596.600" in newest[2].replace(",", ".")
    assert "electricity" in newest[2] or "tiền điện" in newest[2]
    assert "Đây là 2 hóa đơn" in several[0]
    assert all_of_them[0].startswith("Here are 4 of your invoices")


@pytest.mark.parametrize(
    "text",
    ["is my november bill paid?", "hóa đơn tháng 11 của tôi đóng chưa", "is my bill for november paid"],
)
async def test_whether_a_bill_is_paid_chooses_none(desk: RentalDesk, text: str) -> None:
    (told,) = await _asked(desk, "minh", text)
    assert "11/2026" in told
    assert "unpaid" in told or "chưa trả" in told


async def test_rooms_are_counted_of_ones_own_house_or_not_at_all(desk: RentalDesk) -> None:
    told = await _asked(desk, "lan", "nhà trọ của tôi ở đâu", "có mấy phòng", "còn trống mấy phòng")
    market = await _asked(desk, "lan", "có bao nhiêu phòng ở Gò Vấp")
    assert "chưa hiểu" in told[1]
    assert "5 phòng" in told[2]
    assert "Số phòng ở Gò Vấp" in market[0]


async def test_the_figure_of_another_amenity_takes_its_place(desk: RentalDesk) -> None:
    other = await _asked(desk, "nobody", "tỉ lệ phòng có máy lạnh ở quận 5", "còn wifi")
    both = await _asked(desk, "nobody", "có bao nhiêu phòng có máy lạnh ở quận 5", "có wifi nữa thì sao")
    assert "máy lạnh" not in other[-1].splitlines()[0]
    assert "có máy lạnh, có wifi" in both[-1].splitlines()[0]


async def test_figures_by_group_stay_figures_in_their_order(desk: RentalDesk) -> None:
    kinds = await _asked(desk, "nobody", "biểu đồ số phòng theo loại ở Gò Vấp", "bỏ ở ghép đi")
    most = await _asked(desk, "nobody", "which district in Hanoi has the most apartments", "how many")
    first = await _asked(
        desk,
        "nobody",
        "top 3 quận nhiều phòng trọ nhất Sài Gòn",
        "quận đứng đầu giá trung bình bao nhiêu",
    )
    apart = await _asked(desk, "nobody", "chung cư quận 7 hay quận 2 rẻ hơn", "rẻ hơn bao nhiêu")
    listed = await _asked(desk, "nobody", "average rent in D3", "any under 3m?")
    assert kinds[-1].startswith("Số phòng theo loại phòng ở Gò Vấp")
    assert most[-1].splitlines()[0] == most[0].splitlines()[0]
    assert first[-1].startswith("Giá trung bình ở Hồ Chí Minh, ở ")
    assert "Chênh nhau" in apart[-1]
    assert listed[-1].startswith("Here are 4 rooms in Quận 3, rent below")
