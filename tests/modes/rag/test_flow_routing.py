"""The router without a model: small talk, questions split and understood, agents and tools chosen, the plan laid out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.modes.rag import routed
from tests.support.vietnamese import decomposed, plain
from troly.paths import Paths
from troly_rag.config import RagConfig, load

VALUES = "giá trị cốt lõi, muộn có ảnh hưởng đến giá trị nào không"
LEAVE = "Tính toán chi phí nghỉ phép và so sánh với chính sách công ty"


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> RagConfig:
    return load(Paths.resolve({"TROLY_HOME": str(tmp_path_factory.mktemp("rag"))}))


def test_the_first_example_of_the_documents(config: RagConfig) -> None:
    """004-12: one question for general, two for hr, one full sentence."""
    found = routed(config, VALUES)
    assert found.refined_query == (
        "Giá trị cốt lõi của công ty là gì, và việc đi muộn có ảnh hưởng đến giá trị nào không?"
    )
    whole = found.as_dict()
    assert whole["agents"] == {
        "general": {"queries": [{"1": "Giá trị cốt lõi của công ty là gì?"}], "tools": ["rag_tool"]},
        "hr": {
            "queries": [
                {"1": "Đi muộn có những ảnh hưởng gì đến công việc và quy định công ty?"},
                {"2": "Hậu quả hoặc vấn đề khi nhân viên đi muộn"},
            ],
            "tools": ["rag_tool", "summary_tool"],
        },
    }
    assert whole["permission"] == {"user_access": ["public", "private"]}
    groups = [
        {name: [(task["agent"], task["tool"]) for task in tasks] for name, tasks in group.items()}
        for group in whole["execution_flow"]["planning"]["tasks"]
    ]
    assert groups == [
        {"1": [("general", "rag_tool"), ("hr", "rag_tool")]},
        {"2": [("hr", "rag_tool"), ("hr", "summary_tool")]},
        {"3": [("orchestrator", "summary_tool")]},
    ]
    assert found.policy == "So sánh kết quả giữa agents; ưu tiên HR khi liên quan quy định nội bộ"


def test_the_second_example_of_the_documents(config: RagConfig) -> None:
    """004-44, 9.1: purposes and messages to the letter, three tools one after another."""
    found = routed(config, LEAVE)
    assert found.refined_query == LEAVE
    whole = found.as_dict()["agents"]["hr"]
    assert whole["queries"] == [
        {"1": "Tìm chính sách nghỉ phép của công ty"},
        {"2": "Tính toán chi phí nghỉ phép dựa trên lương cơ bản"},
    ]
    assert whole["sequential_tools"] == ["rag_tool", "summary_tool", "math_tool"]
    assert [(task.group, task.purpose, task.message) for task in found.tasks] == [
        (
            1,
            "Tìm kiếm và thu thập thông tin về chính sách nghỉ phép từ cơ sở dữ liệu công ty",
            "Tìm kiếm chính sách nghỉ phép, quyền lợi và quy định liên quan",
        ),
        (
            2,
            "Phân tích và tóm tắt các chính sách đã tìm được để hiểu rõ quyền lợi",
            "Tóm tắt các chính sách nghỉ phép quan trọng và quyền lợi liên quan",
        ),
        (
            3,
            "Tính toán chi phí nghỉ phép dựa trên lương và số ngày nghỉ",
            "Tính toán chi phí nghỉ phép dựa trên lương cơ bản và số ngày nghỉ",
        ),
    ]
    assert found.policy == "Chọn kết quả có độ tin cậy cao nhất và thông tin đầy đủ nhất"


@pytest.mark.parametrize("form", [str, plain, decomposed, str.upper])
def test_the_first_example_in_every_way_of_typing(config: RagConfig, form: Callable[[str], str]) -> None:
    found = routed(config, form(VALUES))
    assert {part.agent: len(part.queries) for part in found.parts} == {"general": 1, "hr": 2}


@pytest.mark.parametrize(
    "text",
    ["xin chào", "Hello!", "alo ad ơi", "CHÀO BẠN", "chao buoi sang nha", "🙂🙂🙂"],
)
def test_small_talk_is_answered_at_once(config: RagConfig, text: str) -> None:
    """004-18."""
    assert routed(config, text).as_dict() == {
        "refined_query": "",
        "is_chitchat": True,
        "chitchat_response": "Xin chào! Tôi có thể giúp gì cho bạn?",
    }


@pytest.mark.parametrize("text", ["haha", "hihihi", "kkk", "ừm", "hmm", "ôi trời"])
def test_a_bare_sound_is_no_question(config: RagConfig, text: str) -> None:
    assert routed(config, text).is_chitchat
    assert not routed(config, f"{text} nghỉ phép mấy ngày").is_chitchat


@pytest.mark.parametrize("text", ["bạn ăn cơm chưa?", "thời tiết hôm nay thế nào"])
def test_what_is_no_matter_of_the_company_is_said_to_be_none(config: RagConfig, text: str) -> None:
    found = routed(config, text)
    assert found.is_chitchat
    assert "ngoài tài liệu của công ty" in found.response


@pytest.mark.parametrize(
    ("text", "agent"),
    [
        ("chào bạn, đi làm trễ thì bị phạt thế nào ạ?", "hr"),
        ("alo ad ơi cho em hỏi quen mat khau thi lam sao", "it"),
        ("cảm ơn, vậy trụ sở chính ở đâu?", "general"),
    ],
)
def test_a_greeting_before_a_question_is_no_small_talk(config: RagConfig, text: str, agent: str) -> None:
    found = routed(config, text)
    assert [part.agent for part in found.parts] == [agent]
    assert "chào" not in found.refined_query.lower()


@pytest.mark.parametrize(
    ("text", "agents"),
    [
        ("Quên mật khẩu email và xin nghỉ phép thế nào?", ["it", "hr"]),
        ("Sứ mệnh của công ty là gì? Thử việc mấy tháng?", ["general", "hr"]),
        ("Lương tháng 13 và thưởng Tết tính thế nào?", ["hr"]),
        ("bao hiem cho con nho the nao", ["hr"]),
        ("How do I reset my password and when is payday?", ["it", "hr"]),
    ],
)
def test_questions_are_split_where_they_are_two(config: RagConfig, text: str, agents: list[str]) -> None:
    lang: Any = "en" if text.startswith("How") else "vi"
    assert [part.agent for part in routed(config, text, lang=lang).parts] == agents


@pytest.mark.parametrize(
    ("before", "text", "refined", "lang"),
    [
        ("Nghỉ phép năm được bao nhiêu ngày?", "còn nghỉ ốm thì sao?", "Nghỉ ốm được bao nhiêu ngày?", "vi"),
        ("Nghỉ phép năm được bao nhiêu ngày?", "cái đó ai duyệt?", "Cái đó ai duyệt?", "vi"),
        (
            "How many days of annual leave do I get?",
            "what about sick leave?",
            "How many days of sick leave do I get?",
            "en",
        ),
        ("Quên mật khẩu thì đặt lại ở đâu?", "còn nghỉ ốm thì sao?", "Nghỉ ốm được quy định thế nào?", "vi"),
        ("Nghỉ phép năm được bao nhiêu ngày?", "Lương trả ngày nào?", "Lương trả ngày nào?", "vi"),
    ],
)
def test_a_question_that_leans_on_the_last_one(
    config: RagConfig, before: str, text: str, refined: str, lang: Any
) -> None:
    assert routed(config, text, before, lang).refined_query == refined


@pytest.mark.parametrize(
    ("text", "agent", "tools"),
    [
        ("Đi muộn có bị trừ lương không?", "hr", ("rag_tool",)),
        ("Lương 20 triệu nghỉ không lương 3 ngày thì mất bao nhiêu tiền?", "hr", ("rag_tool", "math_tool")),
        ("15% của 18 triệu là bao nhiêu", "hr", ("rag_tool", "math_tool")),
        ("Tóm tắt quy định nghỉ phép", "hr", ("rag_tool", "summary_tool")),
        ("Hôm qua có bao nhiêu lỗi VPN?", "it", ("rag_tool", "log_tool")),
        ("Có sự cố thì quy trình xử lý hôm nay ra sao?", "it", ("rag_tool",)),
        ("Giá trị cốt lõi của công ty là gì?", "general", ("rag_tool",)),
    ],
)
def test_tools_are_chosen_by_what_is_asked(
    config: RagConfig, text: str, agent: str, tools: tuple[str, ...]
) -> None:
    part = routed(config, text).parts[0]
    assert (part.agent, part.tools) == (agent, tools)


def test_simple_and_complex_are_told_apart(config: RagConfig) -> None:
    """004-07."""
    assert routed(config, "Đi muộn có bị trừ lương không?").complexity == "simple"
    assert routed(config, VALUES).complexity == "complex"
    assert routed(config, "còn nghỉ ốm?", "Nghỉ phép năm được bao nhiêu ngày?").complexity == "complex"


@pytest.mark.parametrize(
    "text", ["x" * 20_000, "{} {0} {{stub}} %s", "\x1b[31mđỏ\u202eoder", "?", ", , và ,", "và"]
)
def test_strange_text_is_routed_somewhere(config: RagConfig, text: str) -> None:
    found = routed(config, text)
    assert found.is_chitchat or (found.parts and found.tasks)


def test_an_agent_of_ones_own_is_found_by_its_description_and_examples(own_home: Path) -> None:
    paths = Paths.resolve({"TROLY_HOME": str(own_home)})
    paths.config.mkdir(parents=True, exist_ok=True)
    (paths.config / "agents.toml").write_text(
        '[agents.kho]\ndesc = { vi = "kho hàng, tồn kho, xuất nhập", en = "warehouse and stock" }\n'
        'tools = [{ name = "rag_tool" }]\n[agents.kho.examples]\nvi = ["Tồn kho mặt hàng A còn bao nhiêu?"]\nen = []\n',
        encoding="utf-8",
    )
    found = routed(load(paths), "ton kho con bao nhieu thung?")
    assert [part.agent for part in found.parts] == ["kho"]
