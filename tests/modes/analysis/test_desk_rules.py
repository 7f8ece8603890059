"""The data analyst without any model: answers to the letter, follow-ups, asking back, languages, what is shown beside."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.modes.analysis import ORDERS, Analyst, analyst_at
from tests.support.stores.services import profile
from troly.conversation.conformance import check_mode
from troly.conversation.session import Session
from troly.plugin.events import Chart, Computation, Suggestions
from troly.text.catalogue import LANGS
from troly_analysis import MODE


async def test_the_mode_conforms_with_and_without_sheets(own_home: Path) -> None:
    for number, text in enumerate(("", "Ngày,Doanh thu\n1/11/2026,5\n")):
        with analyst_at(own_home / str(number), text) as analyst:
            session = Session(analyst.services, analyst.registry, profile())
            assert await check_mode(MODE, session) == []


@pytest.mark.parametrize("day", [20, 21, 23, 24, 30])
async def test_the_first_questions_have_figures_on_a_day_without_orders_too(
    analyst: Analyst, day: int
) -> None:
    for lang in LANGS:
        for question in MODE.first_questions[lang]:
            analyst.leave()
            told = await analyst.ask(question, now=datetime(2026, 11, day, 9, tzinfo=UTC))
            found = told.state["result"]
            assert found, question
            assert found["kind"] != "empty", question
            assert found.get("period2_value", 1) is not None, question


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Tổng doanh thu tháng 1/2024", "Tổng doanh thu tháng 1/2024: 150.000.000 VND"),
        ("tong doanh thu thang 1/2024 la bao nhieu", "Tổng doanh thu tháng 1/2024: 150.000.000 VND"),
        ("Có bao nhiêu đơn hàng từ Shopee?", "Số đơn (Sàn: Shopee): 4 đơn"),
        ("Total revenue in 1/2024?", "Total revenue 1/2024: 150,000,000 VND"),
        (
            "Có những sàn nào?",
            "Số đơn theo sàn:\n1. Shopee - 4 đơn\n2. Lazada - 2 đơn\n3. TikTok - 1 đơn\n4. Website - 1 đơn",
        ),
    ],
)
async def test_figures_are_told_to_the_letter(analyst: Analyst, question: str, answer: str) -> None:
    told = await analyst.ask(question)
    assert told.done.text == answer
    assert told.done.source == "rules"


async def test_a_comparison_is_told_as_in_the_document(analyst: Analyst) -> None:
    told = await analyst.ask("So sánh doanh thu tuần này với tuần trước")
    drawn = await analyst.ask("vẽ biểu đồ")
    first = told.done.text.splitlines()[0]
    assert first == "Doanh thu tuần này tăng 15,5% so với tuần trước (từ 50.000.000 lên 57.750.000 VND)"
    assert "Tuần này: 16/11/2026 - 22/11/2026." in told.done.text
    result = told.state["result"]
    assert (result["period1_value"], result["period2_value"]) == (50_000_000, 57_750_000)
    assert (result["difference"], result["percentage_change"]) == (7_750_000, 15.5)
    assert told.all(Chart) == told.tables == []
    (chart,) = drawn.all(Chart)
    assert chart.labels == ("9/11/2026 - 15/11/2026", "16/11/2026 - 22/11/2026")


async def test_a_top_list_is_numbered(analyst: Analyst) -> None:
    told = await analyst.ask("Top 2 sản phẩm theo số lượng")
    lines = told.done.text.splitlines()
    assert lines[0].startswith("Top 2 ")
    assert lines[1:3] == ["1. Áo thun - 205 sản phẩm", "2. Quần jean - 151 sản phẩm"]
    assert told.tables == []


async def test_no_data_and_no_period_before_are_said_in_words(analyst: Analyst) -> None:
    empty = await analyst.ask("Tổng doanh thu tháng 9/2026")
    zero = await analyst.ask("So sánh doanh thu tháng 10/2026 với tháng 9/2026")
    assert empty.state["result"] == {"kind": "empty"}
    assert empty.done.text.startswith("Không có dữ liệu cho tổng doanh thu tháng 9/2026.")
    assert "không có số liệu kỳ trước" in zero.done.text
    assert zero.state["result"]["percentage_change"] is None


async def test_the_days_meant_and_an_unfinished_month_are_said(analyst: Analyst) -> None:
    told = await analyst.ask("Tổng doanh thu tháng này là bao nhiêu?")
    assert told.done.text.startswith("Tổng doanh thu tháng này: 107.750.000 VND")
    assert "Tháng này: 1/11/2026 - 30/11/2026." in told.done.text
    assert "tháng này chưa kết thúc" in told.done.text


async def test_without_sheets_the_way_to_set_up_data_is_told(own_home: Path) -> None:
    with analyst_at(own_home, "") as analyst:
        told = await analyst.ask("Tổng doanh thu tháng này là bao nhiêu?")
    assert "app ingest sheet FILE" in told.done.text
    assert told.state["user_connections"] == []
    assert told.state["result"] is None


async def test_a_follow_up_changes_the_question_before(analyst: Analyst) -> None:
    await analyst.ask("Tổng doanh thu tháng này là bao nhiêu?")
    month = await analyst.ask("còn tháng trước?")
    channel = await analyst.ask("chỉ Shopee thôi")
    assert month.state["result"] == {"kind": "scalar", "value": 9_500_000}
    assert channel.state["result"] == {"kind": "scalar", "value": 8_000_000}


async def test_the_plan_survives_a_restart_of_the_program(own_home: Path) -> None:
    with analyst_at(own_home) as analyst:
        await analyst.ask("Tổng doanh thu tháng này là bao nhiêu?")
        conversation = analyst.conversation
    with analyst_at(own_home) as again:
        again.conversation = conversation
        told = await again.ask("còn tháng trước?")
    assert told.state["result"] == {"kind": "scalar", "value": 9_500_000}


TWICE = "Ngày đặt,Tỉnh giao,Tỉnh kho,Doanh thu\n" + "".join(
    f"{day}/11/2026,{to},{store},{day}0\n"
    for day, to, store in [
        (1, "Hà Nội", "Huế"),
        (2, "Huế", "Hà Nội"),
        (3, "Hà Nội", "Hà Nội"),
        (4, "Huế", "Huế"),
    ]
)


async def test_two_equal_readings_are_asked_about_and_a_number_chooses(own_home: Path) -> None:
    with analyst_at(own_home, TWICE) as analyst:
        asked = await analyst.ask("tổng doanh thu ở Hà Nội")
        chosen = await analyst.ask("2")
    assert asked.state["result"] is None
    options = asked.all(Suggestions)[-1].questions
    assert set(options) == {"Tỉnh giao", "Tỉnh kho"}
    assert all(option in asked.done.text for option in options)
    expected = {"Tỉnh giao": 40, "Tỉnh kho": 50}[options[1]]
    assert chosen.state["result"] == {"kind": "scalar", "value": expected}


async def test_how_it_was_computed_can_be_read(analyst: Analyst) -> None:
    told = await analyst.ask("Tổng doanh thu tháng 1/2024")
    (shown,) = told.all(Computation)
    assert shown.kind == "sql"
    assert "Chỉ giữ các dòng có Ngày đặt từ 1/1/2024 đến 31/1/2024 (tính cả hai ngày)." in shown.explained
    facts = dict(shown.facts)
    assert facts["Công cụ"] == "aggregate_data"
    assert facts["Số dòng đã đọc"] == "2"
    # From the first day of the data to the last day asked for.
    assert facts["Khoảng ngày đã đọc"] == "5/1/2024 - 31/1/2024"


async def test_every_suggestion_can_be_answered(analyst: Analyst) -> None:
    told = await analyst.ask("Tổng doanh thu tháng này là bao nhiêu?")
    for question in told.all(Suggestions)[-1].questions:
        analyst.leave()
        again = await analyst.ask(question)
        assert again.state["result"]["kind"] != "empty", question


async def test_small_talk_and_unclear_words(analyst: Analyst) -> None:
    hello = await analyst.ask("Xin chào")
    able = await analyst.ask("Bạn có thể làm gì?")
    thanks = await analyst.ask("Cảm ơn bạn")
    unclear = await analyst.ask("Cái đó")
    again = await analyst.ask("Hơn")
    assert [each.state["intent"] for each in (hello, able, thanks, unclear)] == ["chat"] * 3 + ["unclear"]
    assert hello.done.text.startswith("Xin chào!")
    assert "So sánh số liệu giữa các khoảng thời gian" in able.done.text
    assert "Shopee" in able.done.text
    assert thanks.done.text == "Rất vui được giúp bạn! Cần xem số liệu gì nữa, bạn cứ hỏi nhé."
    assert unclear.done.text != again.done.text
    assert unclear.done.message_type == "clarify"


async def test_the_answer_is_in_the_language_of_the_question(analyst: Analyst) -> None:
    await analyst.ask("Tổng doanh thu tháng này là bao nhiêu?")
    english = await analyst.ask("What is the total revenue last month?")
    back = await analyst.ask("Tổng doanh thu tháng này là bao nhiêu?")
    await analyst.ask("please answer in English")
    kept = await analyst.ask("Tổng doanh thu tháng này là bao nhiêu?")
    assert english.done.text.startswith("Total revenue last month: 9,500,000 VND")
    assert back.done.text.startswith("Tổng doanh thu")
    assert kept.done.text.startswith("Total revenue")


async def test_a_switch_of_language_alone_is_acknowledged(analyst: Analyst) -> None:
    told = await analyst.ask("nói tiếng Anh nhé")
    assert told.done.text == "sure, you can speak english with me"


async def test_a_typed_pipeline_runs_under_the_same_guard(analyst: Analyst) -> None:
    count = '/pipeline [{"$match": {"Sàn": "Shopee"}}, {"$count": "n"}]'
    good = await analyst.ask(count)
    named = await analyst.ask('/pipeline {"sheet": "don hang", "pipeline": [{"$count": "n"}]}')
    out = await analyst.ask('/pipeline [{"$out": "x"}]')
    broken = await analyst.ask('/pipeline [{"$match": }]', language="vi")
    shape = await analyst.ask("/pipeline")
    assert good.state["result"]["rows"] == [[4]]
    assert named.state["result"]["rows"] == [[8]]
    shown = good.all(Computation)[0]
    assert (shown.kind, shown.rerun) == ("json", "/pipeline ")
    assert '"$match"' in shown.code
    assert out.state["result"] is None
    assert "$out" in out.done.text
    assert "dòng 1, cột 13" in broken.done.text
    assert shape.state["error"]


async def test_a_shown_pipeline_can_be_sent_back_as_it_stands(analyst: Analyst) -> None:
    first = await analyst.ask(
        '/pipeline [{"$group": {"_id": "$Sàn", "n": {"$sum": 1}}}, {"$sort": {"n": -1}}]'
    )
    shown = first.all(Computation)[0]
    again = await analyst.ask(shown.rerun + shown.code)
    assert again.state["result"] == first.state["result"]
    assert again.state["result"]["kind"] == "rows"


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("", "nhân viên zwquản nào chốt nhiều đơn nhất tháng trước"),
        ("So sánh doanh thu tháng này với tháng trước", "What is the total revenue this month?"),
        ("Top 5 sản phẩm bán chạy nhất?", "cái cao nhất và thấp nhất theo sàn"),
        ("tăng trưởng doanh thu theo tháng", "chỉ Shopee thôi"),
    ],
)
async def test_what_is_not_understood_is_told_in_words(analyst: Analyst, before: str, question: str) -> None:
    if before:
        await analyst.ask(before)
    told = await analyst.ask(question)
    unclear = told.done.text.partition("“" if "“" in told.done.text else "«")[2]
    said = unclear.partition("”" if "”" in unclear.split("»")[0] else "»")[0]
    assert not {"max", "min", "max/min", "±", "…", "top"} & set(said.split(", "))


@pytest.mark.parametrize("thing", ["kênh nào", "tỉnh nào", "sản phẩm nào"])
@pytest.mark.parametrize("ends", ["cao nhất, và {} thấp nhất", "nhiều nhất và {} ít nhất"])
async def test_both_ends_of_a_ranking_are_no_single_list(analyst: Analyst, thing: str, ends: str) -> None:
    """Each end is a list of its own, of the same days; never one tried with an order that no tool knows."""
    told = await analyst.ask(f"{thing} doanh thu {ends.format(thing)} tháng 10/2026?", language="vi")
    two = told.answer.count("tháng 10/2026") == 2 and "thấp nhất" in told.answer
    assert two or "chưa hiểu" in told.answer
    assert "lần thử" not in told.answer


async def test_one_row_is_told_by_its_code_with_the_columns_asked_for_or_all(analyst: Analyst) -> None:
    told = await analyst.ask("Đơn D005 mua món gì, trạng thái thế nào?")
    other = await analyst.ask("đơn D999 trạng thái gì?")
    analyst.leave()
    whole = await analyst.ask("đơn D005")
    assert "Áo thun" in told.done.text
    assert "Hoàn thành" in told.done.text
    assert "27.750.000" not in told.done.text
    assert "27.750.000" in whole.done.text
    assert "D999" in other.done.text
    assert other.done.metadata["answered"] is False


async def test_the_same_figure_of_another_value_keeps_the_days(analyst: Analyst) -> None:
    await analyst.ask("Shopee có bao nhiêu đơn trong tháng 1/2024?")
    told = await analyst.ask("Lazada thì được mấy đơn?")
    two = await analyst.ask("sàn nào nhiều hơn?")
    assert told.done.text.splitlines()[0] == "Số đơn tháng 1/2024 (Sàn: Lazada): 1 đơn"
    assert two.done.text.splitlines()[0] == "Số đơn theo sàn, tháng 1/2024 (Sàn: Shopee, Lazada):"


@pytest.mark.parametrize(
    "question", ["Năm 2024 tháng 1 có bao nhiêu đơn?", "Tháng 1 năm 2024 có bao nhiêu đơn?"]
)
async def test_a_month_after_its_year_is_no_comparison(analyst: Analyst, question: str) -> None:
    told = await analyst.ask(question)
    assert ": 2 đơn" in told.done.text.splitlines()[0]


BARE = (
    "vẽ biểu đồ",
    "ve bieu do",
    "biểu đồ tròn",
    "vẽ biểu đồ theo tháng",
    "draw a chart",
    "cho tôi biểu đồ cột",
)


@pytest.mark.parametrize("text", BARE)
async def test_a_chart_of_nothing_draws_what_was_shown_else_asks_of_what(analyst: Analyst, text: str) -> None:
    fresh = await analyst.ask(text)
    chosen = await analyst.ask("1")
    analyst.leave()
    await analyst.ask("doanh thu theo sàn")
    after = await analyst.ask(text)
    named = await analyst.ask(f"{text} doanh thu")
    assert not fresh.all(Chart)
    assert "?" in fresh.done.text
    assert not fresh.all(Computation)
    assert chosen.all(Chart)
    assert after.all(Chart)
    assert named.all(Chart)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("doanh thu từ đầu tháng 11 đến nay so với tháng 10", True),
        ("doanh thu tháng 11 tới nay so với tháng trước", True),
        ("doanh thu tháng 10/2026 so với tháng 1/2024", False),
        ("so sánh doanh thu tuần này với tuần trước", False),
        ("doanh thu tháng này so với cùng kỳ tháng trước", False),
    ],
)
async def test_a_period_that_runs_to_today_is_not_held_against_a_longer_one_unsaid(
    analyst: Analyst, question: str, said: bool
) -> None:
    told = await analyst.ask(question)
    assert ("ngày (đến" in told.done.text) is said, told.done.text


async def test_shares_are_drawn_of_a_year_of_months_and_never_of_means(own_home: Path) -> None:
    rows = "".join(f"05/{month:02}/2026,{month}000000\n" for month in range(1, 12))
    with analyst_at(own_home, "Ngày,Doanh thu\n" + rows) as analyst:
        summed = await analyst.ask("biểu đồ tròn doanh thu theo tháng năm 2026")
        mean = await analyst.ask("biểu đồ tròn doanh thu trung bình theo tháng năm 2026")
    assert [each.kind for each in summed.all(Chart)] == ["share"]
    assert "share" not in [each.kind for each in mean.all(Chart)]


async def test_spellings_that_count_as_one_are_said_where_they_are_shown(own_home: Path) -> None:
    sheet = "Ngày,Món,Thành tiền\n" + "".join(
        f"0{day}/11/2026,{name},{day}0000\n"
        for day, name in enumerate(("Latte", "latte", "Cà phê sữa đá", "Ca phe sua da", "Trà đào"), 1)
    )
    with analyst_at(own_home, sheet) as analyst:
        by = (await analyst.ask("thành tiền theo món")).done.text
        one = (await analyst.ask("thành tiền của trà đào")).done.text
        whole = (await analyst.ask("tổng thành tiền")).done.text
    assert "“Ca phe sua da” = “Cà phê sữa đá”" in by
    assert "atte” = “" in by
    assert "“ = “" not in one + whole
    assert "tính là một" not in one + whole


async def test_a_chart_of_several_sheets_is_asked_of_which_figure(own_home: Path) -> None:
    other = "Mã khách,Ngày đăng ký\nK1,05/01/2026\nK2,06/02/2026\n"
    with analyst_at(own_home, ORDERS, other, names=("Đơn hàng", "Khách hàng")) as analyst:
        for text in BARE:
            told = await analyst.ask(text)
            assert not told.all(Chart)
            assert not told.all(Computation)
            assert "?" in told.done.text
            analyst.leave()
        assert (await analyst.ask("vẽ biểu đồ doanh thu theo sàn")).all(Chart)
