"""What was asked before is kept by what goes on from it, or said to be left: subject, part of a share, a turn that was not read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.modes.analysis.planner.planner_sheets import CUSTOMERS, NOW, ORDERS, column, plan
from tests.support.modes.analysis import Analyst, analyst_at
from troly.plugin.events import Computation
from troly_analysis.planner import Plan, analyse_question

STAFF = """Mã NV,Họ tên,Phòng ban,Ngày tham gia
NV1,An Nguyễn,Kho,05/01/2024
NV2,Bình Trần,Kho,20/03/2024
NV3,Chi Lê,Quầy,01/07/2024
"""


def after(*texts: str) -> Plan:
    """The plan of the last of these messages."""
    made: Plan | None = None
    for text in texts:
        made = plan(text, (ORDERS, CUSTOMERS), NOW, made)
    assert made is not None
    return made


@pytest.mark.parametrize(
    "ask", ["khách nào nhiều nhất", "tên khách hàng nào nhiều nhất", "which customer is most frequent"]
)
def test_nothing_is_ranked_by_a_count_that_each_thing_has_once(ask: str) -> None:
    assert not plan(ask, (CUSTOMERS,), NOW, None).calls


@pytest.mark.parametrize("share", ["chiếm mấy % tổng đơn", "bằng bao nhiêu phần trăm tất cả đơn"])
@pytest.mark.parametrize(
    "last", ["kênh nào dính nhiều nhất", "sản phẩm nào bị nhiều nhất", "tinh nao nhieu nhat"]
)
@pytest.mark.parametrize(("said", "state"), [("bị hủy", "Đã hủy"), ("hoàn trả", "Hoàn trả")])
def test_the_part_of_a_share_and_what_was_counted_are_meant_still(
    said: str, state: str, share: str, last: str
) -> None:
    made = after(f"tháng 3/2024 có bao nhiêu đơn {said}?", share, last)
    assert made.ask is not None
    assert [(each.ref.name, each.value) for each in made.ask.conditions if each.value] == [
        ("Trạng thái", state)
    ]
    assert [(each.op, each.ref) for each in made.ask.measures] == [("count", None)]
    assert str(made.ask.period.start) == "2024-03-01" if made.ask.period else False


@pytest.mark.parametrize("typed", ["nền tảnng", "tỉnh thànhh"])
def test_a_slip_is_put_right_with_the_accents_of_the_sheet(typed: str) -> None:
    made = plan(f"doanh thu tháng 3/2024 theo {typed}", (ORDERS,), NOW, None)
    assert made.calls
    assert not made.missing


@pytest.mark.parametrize(
    "ask",
    ["trong đó ai chi nhiều nhất", "trong số họ người nào mua nhiều nhất", "who of them bought the most"],
)
def test_among_those_of_another_sheet_keeps_what_they_have_in_common(ask: str) -> None:
    made = after("có bao nhiêu khách hạng Vàng?", ask)
    held = [each.value for each in made.ask.conditions] if made.ask else []
    assert (made.sheet, held) == ("Đơn hàng", ["Vàng"]) or not made.calls


async def test_after_what_was_not_read_the_answer_says_what_stands(analyst: Analyst) -> None:
    asked = (
        "doanh thu tháng 11/2026 của Shopee",
        "khúc đó lạ ghê tính sao cho gọn ha",
        "còn tháng 10",
        "sản phẩm nào cao nhất",
    )
    told = [(await analyst.ask(text)).answer for text in asked]
    assert "Kết quả xem gần nhất là: Tổng doanh thu, Shopee" in told[1]
    assert "Câu trước («khúc đó lạ ghê tính sao cho gọn ha») tôi chưa đọc được" in told[2]
    assert "chưa đọc được" not in told[3]


async def test_after_a_correction_that_was_not_read_what_stands_is_said_and_no_figure(
    analyst: Analyst,
) -> None:
    asked = ("doanh thu tháng 11/2026 của Shopee", "à nhầm, thxyzs 9 cơ", "sản phẩm nào cao nhất")
    told = [(await analyst.ask(text)).answer for text in asked]
    assert "Kết quả xem gần nhất là: Tổng doanh thu, Shopee" in told[2]
    assert "thxyzs 9" in told[2]
    assert "Top 1" not in told[2]


@pytest.mark.parametrize(
    "ask", ["năm 2024 có bao nhiêu người tham gia", "có mấy nhân viên tham gia năm 2024"]
)
async def test_a_verb_that_names_the_date_of_a_sheet_is_asked_of_that_sheet(own_home: Path, ask: str) -> None:
    with analyst_at(own_home, STAFF, names=("Nhân viên",)) as analyst:
        assert "3" in (await analyst.ask(ask)).answer


@pytest.mark.parametrize("wrong", ["à nhầm, thxyzs 2 cơ", "nham roi thxnga 2", "oops the mnxth 2"])
@pytest.mark.parametrize(
    "last", ["tỉnh nào trong số đó cao nhất", "kenh nao nhieu nhat", "which channel of those is highest"]
)
def test_what_goes_on_from_a_correction_that_was_not_read_is_asked_back(wrong: str, last: str) -> None:
    made = after("doanh thu tháng 3/2024", wrong, last, "san pham nao cao nhat")
    assert not made.calls
    assert made.question is not None
    assert made.question.key == "unheard"


@pytest.mark.parametrize("typed", ["thagns 2", "thnág 2", "thnag 2", "htang 2", "tahngs 2", "thág 2"])
def test_a_slip_in_the_word_month_before_its_number_is_read(typed: str) -> None:
    made = after("doanh thu tháng 3/2024", f"à nhầm, {typed} cơ")
    assert made.ask is not None
    assert made.ask.period is not None
    assert str(made.ask.period.start) == "2024-02-01"
    assert not plan("doanh thu thanks 2", (ORDERS,), NOW, None).calls


@pytest.mark.parametrize(
    ("more", "value"),
    [
        ("khong tinh ca lazada nua", "Lazada"), ("không tính luôn cả Lazada", "Lazada"), ("khong lay ca website", "Website"),
        ("bỏ luôn TikTok Shop nữa", "TikTok Shop"), ("ko tinh luon website", "Website"), ("not including Lazada either", "Lazada"),
        ("không tính Lazada thì doanh thu bao nhiêu", "Lazada"),
    ],
)  # fmt: skip
def test_what_is_left_out_is_in_no_figure_and_stays_out(more: str, value: str) -> None:
    made = after("thang 3 khong tinh shopee thi doanh thu con bao nhieu", more)
    held = made.ask.conditions if made.ask else ()
    assert not made.calls or [(each.op, each.value) for each in held] == [("nin", ["Shopee", value])]


PHONED = replace(CUSTOMERS, fields=(*CUSTOMERS.fields, column("Số điện thoại", "text", ("0901234567",), 880)))


@pytest.mark.parametrize(
    ("ask", "code"),
    [
        ("cho e xin sđt bn đứng đầu", "KH001"), ("sđt người thứ 2", "KH002"), ("so dien thoai cua khach dung dau", "KH001"),
        ("sđt bạn thứ 3", "KH003"), ("so dien thoai ban dau tien", "KH001"), ("phone number of the second one", "KH002"),
        ("hạng của bạn đứng đầu", "KH001"),
    ],
)  # fmt: skip
def test_a_column_of_one_of_a_list_is_looked_up_for_it(ask: str, code: str) -> None:
    sheets = (ORDERS, PHONED)
    first = plan("top 3 khách hàng mua nhiều tiền nhất năm 2024", sheets, NOW)
    made = analyse_question(ask, sheets, NOW, previous=first, shown=["KH001", "KH002", "KH003"]).plan
    held = [each.value for each in made.ask.conditions] if made.ask and made.calls else []
    assert not made.calls or (made.sheet, held) == ("Khách hàng", [code])
    assert made.calls or ask.isascii()
    assert not analyse_question(
        "sđt bạn đứng đầu",
        sheets,
        NOW,
        previous=plan("top 3 kênh theo doanh thu", sheets, NOW),
        shown=["Shopee", "Lazada", "Website"],
    ).plan.calls


@pytest.mark.parametrize(
    "tail", ["kem ten", "kem gioi tinh", "kem ten khach hang", "kem san pham", "kèm tên", "kem tinh thanh"]
)
def test_a_word_that_compares_nothing_is_no_comparison(tail: str) -> None:
    made = plan(f"top 5 khach hang nam 2024 theo doanh thu {tail}", (ORDERS, CUSTOMERS), NOW)
    asked = made.open or made.ask
    assert not made.calls or asked is None or not asked.having
    assert "kem" not in " ".join(made.understood)


async def test_what_was_sold_in_fact_is_told_with_the_other_figure(analyst: Analyst) -> None:
    told = (await analyst.ask("doanh thu thực tế tháng 11/2026")).answer
    assert "77.750.000" in told
    assert "tính cả các đơn đó: 107.750.000 VND" in told


async def test_that_nothing_fell_is_said_with_what_rose_least(analyst: Analyst) -> None:
    fell = await analyst.ask("kênh nào giảm doanh thu nhiều nhất tháng 10/2026 so với tháng 9/2026")
    assert "Không có mục nào giảm; Website tăng ít nhất." in fell.answer
    assert len(fell.all(Computation)) == 1


@pytest.mark.parametrize("text", ["how many units of the second", "how many units of the second one?"])
def test_the_second_of_a_list_is_meant_without_a_noun(text: str) -> None:
    first = plan("top 3 customers by revenue in 2024", (ORDERS,), NOW)
    ask = analyse_question(text, (ORDERS,), NOW, previous=first, shown=["KH001", "KH002", "KH003"]).plan.ask
    assert ask is not None
    assert [each.value for each in ask.conditions] == ["KH002"]


@pytest.mark.parametrize(("out", "state"), [("đơn hủy", "Đã hủy"), ("đơn hoàn thành", "Hoàn thành")])
@pytest.mark.parametrize(
    "keeps", ["vẫn giữ", "vẫn tính", "nhưng vẫn lấy", "giữ lại", "but keep", "still count"]
)
def test_what_is_kept_is_not_left_out(out: str, state: str, keeps: str) -> None:
    left = [("Trạng thái", "ne", state)]
    alone = plan(f"doanh thu năm 2024 bỏ {out}, {keeps} đơn hoàn trả", (ORDERS,), NOW, None)
    again = after("doanh thu năm 2024 trừ đơn hoàn trả", f"bỏ {out} thôi, {keeps} đơn hoàn trả")
    ended = after(f"doanh thu năm 2024 trừ {out} và đơn hoàn trả", f"{keeps} đơn hoàn trả")
    for made in (alone, again, ended):
        assert made.ask is not None
        assert not made.missing
        assert [(each.ref.name, each.op, each.value) for each in made.ask.conditions] == left
        assert not any("Hoàn trả" in fact and "left out" in fact for fact in made.facts)


@pytest.mark.parametrize(
    ("said", "op", "value"),
    [
        ("doanh thu năm 2024 chỉ giữ lại đơn hoàn trả", "eq", "Hoàn trả"),
        ("doanh thu năm 2024, giữ lại đơn hoàn trả", "eq", "Hoàn trả"),
        ("doanh thu năm 2024 bỏ đơn hủy, không giữ lại đơn hoàn trả", "nin", ["Đã hủy", "Hoàn trả"]),
        ("doanh thu năm 2024 bỏ đơn hủy, bao gồm cả đơn hoàn trả", "ne", "Đã hủy"),
    ],
)
def test_a_bare_word_of_keeping_asks_for_those_alone_and_a_denied_one_keeps_nothing(
    said: str, op: str, value: object
) -> None:
    made = plan(said, (ORDERS,), NOW, None)
    assert made.ask is not None
    assert [(each.op, each.value) for each in made.ask.conditions] == [(op, value)]


@pytest.mark.parametrize("day", ["đặt hôm nào", "ngày nào", "mua hôm nào"])
@pytest.mark.parametrize("end", ["để lâu nhất", "mới nhất", "cũ nhất"])
@pytest.mark.parametrize("state", ["", "đang giao "])
def test_of_the_row_at_an_end_in_time_the_day_is_told_and_ranks_nothing(
    state: str, end: str, day: str
) -> None:
    for made in (
        plan(f"đơn {state}{end} là đơn nào, {day}?", (ORDERS,), NOW, None),
        after("có bao nhiêu đơn đang giao", f"đơn {state}{end} là đơn nào, {day}?"),
    ):
        assert made.ask is None or (made.ask.form, made.ask.groups) == ("rows", ())


def test_what_leaves_rows_out_is_never_swallowed_by_an_end_in_time() -> None:
    made = plan("đơn chờ lâu nhất là đơn nào", (ORDERS,), NOW, None)
    assert not made.calls


def test_facts_are_said_once_and_name_the_sheet_that_has_the_column() -> None:
    made = plan("doanh thu khách hạng Vàng hôm qua so với hôm qua nữa kìa", (ORDERS, CUSTOMERS), NOW, None)
    assert len(made.facts) == len(set(made.facts))
    assert any("Vàng (Khách hàng: Hạng)" in fact for fact in made.facts), made.facts


@pytest.mark.parametrize("asks", ["mua những gì", "đã mua gì", "mua cái gì"])
def test_what_one_bought_is_in_no_sheet_of_customers(asks: str) -> None:
    assert not plan(f"khách KH001 {asks}", (CUSTOMERS,), NOW, None).calls
    made = plan("khách KH001 hạng gì", (CUSTOMERS,), NOW, None)
    assert made.ask is not None
    assert made.ask.form == "rows"
