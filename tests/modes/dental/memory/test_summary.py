"""The rolling summary: appended per answer, shortened past its budget, one model call at most."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.ollama.clients import session_for
from tests.support.ollama.double import OllamaDouble
from troly.llm.prompts import estimate
from troly.llm.session import ModelSession
from troly.text.catalogue import Lang
from troly_dental.memory.summary import fitted, joined, rule_summary, summarise

LANGUAGES: tuple[Lang, Lang] = ("vi", "en")


def test_summaries_are_joined_as_the_documents_say() -> None:
    """003-30."""
    first = joined("", "Summary 1")
    assert first == "Summary 1"
    assert joined(joined(first, "Summary 2"), "Summary 3") == "Summary 1\n\nSummary 2\n\nSummary 3"


def test_the_rules_keep_the_question_the_first_sentence_and_numbers_and_leave_the_sources() -> None:
    answer = (
        "**Ăn đồ mềm** trước đã [1]. Nói chung là vậy. Tránh nhai 3 ngày.\n\nNguồn tham khảo:\n\n1. Trang 99"
    )
    told = rule_summary("Nhổ răng khôn  xong\năn gì?", answer, "vi")
    assert told == "Hỏi: Nhổ răng khôn xong ăn gì? Đáp: Ăn đồ mềm trước đã . Tránh nhai 3 ngày."
    assert rule_summary("Why?", "Because.", "en") == "Asked: Why? Answered: Because."


@given(
    parts=st.lists(st.tuples(st.text(max_size=300), st.text(max_size=500)), max_size=15),
    tokens=st.integers(100, 1500),
    lang=st.sampled_from(LANGUAGES),
)
def test_a_summary_never_passes_its_budget_and_the_newest_part_goes_last(
    parts: list[tuple[str, str]], tokens: int, lang: Lang
) -> None:
    summary = ""
    for question, answer in parts:
        new = rule_summary(question, answer, lang)
        summary = fitted(joined(summary, new), tokens)
        assert estimate(summary) <= tokens


def test_old_parts_go_first() -> None:
    summary = ""
    for n in range(12):
        summary = fitted(
            joined(summary, rule_summary(f"Hỏi về răng {n}?", "Nên đi khám sớm. " * 6, "vi")), 300
        )
    assert "Hỏi về răng 0?" not in summary
    assert "Hỏi về răng 11?" in summary.split("\n\n")[-1]


def test_a_short_summary_stays_as_it_is() -> None:
    assert fitted("Summary 1\n\nSummary 2", 900) == "Summary 1\n\nSummary 2"


@pytest.mark.parametrize("lang", LANGUAGES)
async def test_without_a_model_the_rules_sum_up(lang: Lang) -> None:
    session = ModelSession(None, lambda _role: "m", offline=True)
    summary, source = await summarise(session, "Q?", "A.", existing="Old", tokens=900, lang=lang)
    assert source == "rules"
    assert summary == joined("Old", rule_summary("Q?", "A.", lang))
    assert session.calls == []


async def test_one_call_sums_up_the_new_answer() -> None:
    with OllamaDouble() as server:
        server.script({"summary": "Hỏi ăn gì;\n\nkhuyên ăn mềm."})
        async with session_for(server.url) as session:
            summary, source = await summarise(
                session, "Ăn gì?", "Ăn mềm.\n\nNguồn tham khảo:\n\n1. X", existing="Cũ", tokens=900, lang="vi"
            )
        assert (summary, source) == ("Cũ\n\nHỏi ăn gì; khuyên ăn mềm.", "model")
        assert len(server.chats) == 1
        asked = server.chats[0].body["messages"][-1]["content"]
        assert "Ăn mềm." in asked
        assert "Nguồn tham khảo" not in asked


async def test_past_the_budget_the_one_call_writes_the_whole_anew() -> None:
    existing = "\n\n".join(rule_summary(f"Hỏi {n}", "Đáp rất dài. " * 20, "vi") for n in range(12))
    with OllamaDouble() as server:
        server.script({"summary": "Ý một.\nÝ hai."})
        async with session_for(server.url) as session:
            summary, source = await summarise(session, "Q", "A", existing=existing, tokens=200, lang="vi")
        assert (summary, source) == ("Ý một.\n\nÝ hai.", "model")
        assert len(server.chats) == 1
        assert "Hỏi 0" in server.chats[0].body["messages"][-1]["content"]


@pytest.mark.parametrize("reply", [{"summary": ""}, {"summary": "   "}])
async def test_an_empty_summary_of_the_model_is_replaced_by_the_rules(reply: dict[str, str]) -> None:
    with OllamaDouble() as server:
        server.script(reply)
        async with session_for(server.url) as session:
            summary, source = await summarise(session, "Q?", "A.", existing="", tokens=900, lang="en")
    assert (summary, source) == (rule_summary("Q?", "A.", "en"), "rules")


async def test_a_summary_without_end_is_cut_to_the_budget() -> None:
    with OllamaDouble() as server:
        server.script({"summary": "dài " * 1500})
        async with session_for(server.url) as session:
            summary, _ = await summarise(session, "Q?", "A.", existing="Cũ", tokens=200, lang="vi")
    assert estimate(summary) <= 200
