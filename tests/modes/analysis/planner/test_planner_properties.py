"""Rules that hold for every message and every sheet."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.modes.analysis.planner.planner_sheets import ALL, NOW, ORDERS, classify, column, plan
from troly.text.fold import fold
from troly_analysis.agent.tools import TOOLS
from troly_analysis.planner import Plan, Suggestion, analyse_question, suggest_questions, title
from troly_analysis.types import Kind, Sheet

WORDS = [
    "tổng",
    "doanh",
    "thu",
    "theo",
    "tháng",
    "trước",
    "top",
    "5",
    "nhất",
    "sản",
    "phẩm",
    "tỉnh",
    "nào",
    "bao",
    "nhiêu",
    "đơn",
    "Shopee",
    "không",
    "trừ",
    "trên",
    "5",
    "triệu",
    "so",
    "với",
    "trung",
    "bình",
    "mỗi",
    "và",
    "còn",
    "chỉ",
    "tỷ",
    "lệ",
    "hủy",
    "quý",
    "2",
    "năm",
    "2023",
    "revenue",
    "by",
    "how",
    "many",
    "last",
    "week",
    "between",
    "1",
    "and",
    "3",
    "ai",
    "who",
    "%",
    ",",
    "?",
]
MESSAGES = st.one_of(st.text(max_size=80), st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join))
HEADERS = st.lists(
    st.sampled_from(
        [
            "Doanh thu",
            "Chi phí",
            "Tỉnh",
            "Khách hàng",
            "Mã đơn",
            "Số lượng",
            "Ngày bán",
            "Loại",
            "Điểm",
            "orderDate",
            "unit_price",
            "Region",
            "Giá.bán",
            "$x",
            "A,B",
        ]
    ),
    min_size=1,
    max_size=8,
    unique=True,
)
KINDS: list[Kind] = ["integer", "number", "money", "percent", "date", "datetime", "text", "boolean"]
SPECS = {tool.name: tool for tool in TOOLS}


@st.composite
def sheets(draw: st.DrawFn) -> Sheet:
    """A sheet with random columns of random kinds."""
    fields = []
    for name in draw(HEADERS):
        kind = draw(st.sampled_from(KINDS))
        examples = tuple(
            draw(st.lists(st.sampled_from(["Bắc", "Nam", "A 1", "mới", "Có"]), unique=True, max_size=4))
        )
        fields.append(column(name, kind, examples if kind == "text" else (), draw(st.integers(1, 200))))
    dates = [field.name for field in fields if field.kind in {"date", "datetime"}]
    held = "-".join(f"{field.name}{field.kind}" for field in fields)
    return dataclasses.replace(
        ORDERS,
        id=held,
        name="Bảng kê",
        fields=tuple(fields),
        rows=500,
        date_field=dates[0] if dates else "",
        span=ORDERS.span if dates else None,
        metrics=(),
    )


def names_in(value: Any) -> list[str]:
    """The columns that simple arguments name."""
    names = [value[key] for key in ("field", "date_field", "aggregate_field") if key in value]
    names += [value["sort_field"]] if value.get("sort_field", "count") != "count" else []
    return [*names, *value.get("filters", {})]


@settings(max_examples=80, deadline=None)
@given(MESSAGES, st.sampled_from(ALL), MESSAGES)
def test_any_message_gives_a_plan_that_keeps_its_promises(first: str, sheet: Sheet, second: str) -> None:
    previous = plan(first, (sheet,), NOW)
    for made in (previous, plan(second, (sheet,), NOW, previous)):
        assert not (made.calls and made.question)
        title(made, "vi")
        for note in (*made.shown, *([made.question] if made.question else [])):
            assert note.say("vi")
            assert note.say("en")
        for call in made.calls:
            spec = SPECS[call.tool]
            assert set(call.arguments) <= {*spec.parameters, *spec.extras}
            assert set(spec.required) <= set(call.arguments)
            known = {field.name for field in sheet.fields} | {metric.name for metric in sheet.metrics}
            assert set(names_in(call.arguments)) <= known


@settings(max_examples=50, deadline=None)
@given(sheets(), MESSAGES)
def test_any_sheet_can_be_asked_anything(sheet: Sheet, text: str) -> None:
    made = plan(text, (sheet,), NOW)
    assert not (made.calls and made.question)
    for call in made.calls:
        assert set(names_in(call.arguments)) <= {field.name for field in sheet.fields}


def sent(sheet: Sheet, suggestion: Suggestion) -> Plan:
    """The plan of a suggestion that is sent as it stands."""
    assert suggestion.query is not None
    known = {fold(suggestion.text).strip(): suggestion.query}
    return analyse_question(suggestion.text, (sheet,), NOW, suggested=known).plan


@settings(max_examples=50, deadline=None)
@given(sheets(), st.sampled_from(["vi", "en"]))
def test_every_suggestion_can_be_answered(sheet: Sheet, lang: Any) -> None:
    for each in suggest_questions(sheet, None, lang):
        made = sent(sheet, each)
        assert made.calls
        assert not made.missing
        for call in made.calls:
            known = {field.name for field in sheet.fields} | {metric.name for metric in sheet.metrics}
            assert set(names_in(call.arguments)) <= known


@pytest.mark.parametrize("sheet", ALL, ids=lambda sheet: sheet.name)
@pytest.mark.parametrize("lang", ["vi", "en"])
def test_three_suggestions_that_differ_from_the_question(sheet: Sheet, lang: Any) -> None:
    made = sent(sheet, suggest_questions(sheet, None, lang)[0])
    texts = [each.text for each in suggest_questions(sheet, made, lang)]
    assert len(set(texts)) == 3
    assert made.text not in texts


@pytest.mark.parametrize("sheet", ALL, ids=lambda sheet: sheet.name)
@pytest.mark.parametrize("lang", ["vi", "en"])
def test_a_suggestion_that_is_typed_means_what_it_stands_for(sheet: Sheet, lang: Any) -> None:
    for each in suggest_questions(sheet, None, lang):
        typed = plan(each.text, (sheet,), NOW)
        assert not typed.missing
        assert typed.calls == sent(sheet, each).calls


# Feature: ai-chat-agent, Property 1: Intent Classification Completeness
@settings(max_examples=80, deadline=None)
@given(MESSAGES, st.sampled_from([(), (ORDERS,), ALL]))
def test_intent_is_exactly_one_of_three(text: str, known: tuple[Sheet, ...]) -> None:
    found = classify(text, (), known)
    assert found.label in {"data_query", "chat", "unclear"}
    assert 0.0 <= found.score <= 1.0
    assert found.reason
