"""agents.toml: the documents' names and defaults, a person's own file over them, every fault with file, line and key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.modes.rag_company import company_at
from tests.support.stores.services import profile
from troly.config.problems import SettingsError
from troly.paths import Paths
from troly.plugin.contract import CommandRequest, CommandResult
from troly.text.catalogue import LANGS
from troly_rag.agents import check_agents, list_agents
from troly_rag.config import NAME, RagConfig, load, own_file, read

OWN_AGENT = """
[agents.kho]
desc = { vi = "kho hàng, nhập xuất, kiểm kê", en = "the warehouse" }
domain = "warehouse"
corpus = "rag_kho"
tools = ["rag_tool", { name = "log_tool", files = ["/var/log/kho/*.log"] }]
examples = ["Kiểm kê kho khi nào?"]
timeout_ms = 1500
max_queries = 3
"""


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    found = Paths.resolve({"TROLY_HOME": str(tmp_path)})
    found.ensure()
    return found


def own(paths: Paths, text: str) -> RagConfig:
    own_file(paths).write_text(text, encoding="utf-8")
    return load(paths)


def faults(paths: Paths, text: str) -> list[str]:
    own_file(paths).write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load(paths)
    return [problem.render("en").line() for problem in caught.value.problems]


def test_the_documents_agents_and_tools(paths: Paths) -> None:
    config = load(paths)
    assert {name: agent.tools for name, agent in config.agents.items()} == {
        "hr": ("rag_tool", "summary_tool", "math_tool"),
        "it": ("rag_tool", "log_tool", "math_tool"),
        "general": ("rag_tool",),
    }
    hr, it = config.agents["hr"], config.agents["it"]
    assert hr.description["vi"].startswith("chuyên lĩnh vực chấm công, đi muộn, tiền lương")
    assert it.description["vi"].startswith("chuyên lĩnh vực xử lý lỗi, sự cố bảo mật")
    assert it.tool_descriptions["log_tool"]["vi"] == "tổng hợp thông tin log của công ty"
    assert all(agent.examples for agent in config.agents.values())


def test_the_documents_rules_and_limits(paths: Paths) -> None:
    config = load(paths)
    assert config.priority_by_domain == {
        "hr_policies": "hr",
        "it_security": "it",
        "general_knowledge": "general",
    }
    assert config.priority_by_scope == {"private": 0.9, "internal": 0.7, "public": 0.5}
    assert config.priority_by_recency == {"within_30_days": 0.9, "within_90_days": 0.7, "older": 0.5}
    assert set(config.weights.values()) == {0.25}
    limits = config.limits
    assert (limits.max_concurrent_agents, limits.timeout_per_agent_ms, limits.max_retries) == (5, 30000, 3)
    assert (limits.enable_caching, limits.cache_ttl_seconds) == (True, 3600)
    assert (limits.conflict_resolution_threshold, limits.min_relevance_score) == (0.1, 0.7)
    assert (limits.enable_follow_up_questions, limits.max_follow_up_questions) == (True, 5)
    assert (limits.default_timeout_ms, limits.max_queries_per_agent) == (30000, 10)
    assert limits.enable_parallel_execution
    assert (limits.tool_selection_strategy, limits.output_format) == ("relevance_based", "structured_json")


def test_an_agent_of_ones_own_needs_no_code(paths: Paths) -> None:
    config = own(paths, OWN_AGENT)
    kho = config.agents["kho"]
    assert (kho.collection, kho.timeout_ms, kho.max_queries) == ("rag_kho", 1500, 3)
    assert (kho.tools, kho.log_files) == (("rag_tool", "log_tool"), ("/var/log/kho/*.log",))
    assert kho.description["en"] == "the warehouse"
    assert config.priority_by_domain["warehouse"] == "kho"
    assert set(config.agents) == {"hr", "it", "general", "kho"}


@pytest.mark.parametrize(
    "pattern", ["~nobody-here/x.log", "**x/*.log", "[", "logs/*.log", "rag/logs/*.log", "../x.log"]
)
def test_places_of_logs_are_absolute_whatever_is_written(paths: Paths, pattern: str) -> None:
    tool = f'{{ name = "log_tool", files = ["{pattern}"] }}'
    (found,) = own(paths, f"[agents.kho]\ndesc = 'kho'\ntools = [{tool}]\n").agents["kho"].log_files
    assert Path(found).is_absolute()
    assert found.endswith(Path(pattern).name)
    assert "data/rag/logs" in load(paths).agents["it"].log_files[0]


def test_own_values_win_and_the_rest_stays(paths: Paths) -> None:
    config = own(
        paths,
        "[workflow_config]\nmax_retries = 0\n[agents.it]\nenabled = false\n"
        "[conflict_resolution_rules.weights]\ndomain = 1\nscope = 0\nrecency = 0\nrelevance = 1\n",
    )
    assert (config.limits.max_retries, config.limits.cache_ttl_seconds) == (0, 3600)
    assert set(config.agents) == {"hr", "general"}
    assert "it_security" not in config.priority_by_domain
    assert config.weights == {"domain": 0.5, "scope": 0, "recency": 0, "relevance": 0.5}


def test_a_changed_file_is_read_again(paths: Paths) -> None:
    assert own(paths, "[workflow_config]\nmax_retries = 1\n").limits.max_retries == 1
    assert own(paths, "[workflow_config]\nmax_retries = 2 # more\n").limits.max_retries == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[workflow_config]\n\nmax_retry = 3\n", ["line 3", "max_retry", "max_retries"]),
        ("[workflow_confg]\nmax_retries = 3\n", ["workflow_confg", "workflow_config"]),
        ("[workflow_config]\nzzz = 3\n", ["zzz", "max_retries", "cache_ttl_seconds"]),
        ("[agents.hr]\ndescr = 'x'\n", ["agents.hr.descr", "desc"]),
        ("[workflow_config]\nmax_concurrent_agents = 6\n", ["line 2", "from 1 to 5", "6"]),
        ("[workflow_config]\nmin_relevance_score = 'high'\n", ["from 0 to 1", "high"]),
        ("[workflow_config]\nenable_caching = 1\n", ["true or false"]),
        ("[agents.kho]\ndomain = 'kho'\n", ["agents.kho", "desc"]),
        ("[agents.kho]\ndesc = 'kho'\ntools = ['rag_tol']\n", ["agents.kho.tools.1.name", "rag_tol"]),
        ("[agents.kho]\ndesc = 'kho'\ntools = 'rag_tool'\n", ["agents.kho.tools", "rag_tool"]),
        ("[agents.kho]\ndesc = { vi = 'kho' }\n", ["agents.kho.desc"]),
        ("[agents.'Kho hàng']\ndesc = 'kho'\n", ["lower-case name"]),
        ("[agents.orchestrator]\ndesc = 'x'\n", ["orchestrator", "conductor"]),
        ("[conflict_resolution_rules.priority_by_domain]\nkho = 'hrr_agent'\n", ["hrr_agent", "hr_agent"]),
        ("[conflict_resolution_rules.priority_by_scope]\nprivat = 1\n", ["privat", "private"]),
        ("[access]\ndefault_permissions = ['all']\n", ["public, internal, private"]),
        ("agents = 3\n", ["agents"]),
        ("[agents\n", ["line 1"]),
    ],
)
def test_every_fault_names_file_key_and_the_way_out(paths: Paths, text: str, told: list[str]) -> None:
    lines = faults(paths, text)
    assert len(lines) == 1
    assert all(part in lines[0] for part in [*told, NAME])


def test_switching_all_off_or_weighing_by_nothing_is_refused(paths: Paths) -> None:
    off = "".join(f"[agents.{name}]\nenabled = false\n" for name in ("hr", "it", "general"))
    assert "every agent" in faults(paths, off)[0]
    zero = "".join(f"{factor} = 0\n" for factor in ("domain", "scope", "recency", "relevance"))
    assert "weights" in faults(paths, f"[conflict_resolution_rules.weights]\n{zero}")[0]


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["vi", "en", "name", "x"]), inner),
    max_leaves=5,
)  # fmt: skip


@given(
    table=st.sampled_from(["agents", "workflow_config", "access", "conflict_resolution_rules", "odd"]),
    key=st.sampled_from(["hr", "tools", "max_retries", "weights", "departments", "zzz"]),
    value=_VALUES,
)
def test_any_value_is_taken_or_explained(tmp_path: Path, table: str, key: str, value: Any) -> None:
    file = tmp_path / NAME
    file.write_text(f"[{table}]\n{key} = {_toml(value)}\n", encoding="utf-8")
    found, config = read(file)
    assert (config is None) == bool(found)
    for problem in found:
        assert all(problem.render(lang).message and NAME in problem.render(lang).message for lang in LANGS)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return "''" if value is None else json.dumps(value)


def test_the_commands_check_and_list(tmp_path: Path) -> None:
    with company_at(tmp_path) as company:

        def ask(run: Any) -> CommandResult:
            request = CommandRequest(company.services, profile(), company.services.clock(), "en", {})
            result: CommandResult = run(request)
            return result

        fine = ask(check_agents)
        assert (fine.exit_code, fine.records) == (0, ({"ok": True, "agents": ["hr", "it", "general"]},))
        table = ask(list_agents).table
        assert table is not None
        assert [row[0] for row in table.rows] == ["hr", "it", "general"]
        own_file(company.services.paths).write_text("[workflow_config]\nmax_retry = 3\n", encoding="utf-8")
        wrong = ask(check_agents)
        assert wrong.exit_code == 6
        assert "max_retries" in wrong.problems[0]
