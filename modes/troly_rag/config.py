"""The agents, their tools, the rules of conflicts and the limits, from `agents.toml` and the person's own file over it.

First what may stand in such a file (kinds of values are those of the settings), then reading, merging and checking it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from glob import glob
from pathlib import Path
from typing import Any, Literal

from troly.config import kinds
from troly.config.kinds import RefusedError, SettingKind, choice, collection, flag, number, whole, words
from troly.config.problems import ConfigProblem, SettingsError, nearest, shown
from troly.config.toml_file import TomlFile, read_toml
from troly.errors import InputError
from troly.paths import Paths
from troly.plugin.contract import ByLang
from troly.plugin.samples import shipped
from troly.text.catalogue import LANGS
from troly.text.fold import fold

# --- What may stand in `agents.toml`

SCOPES = ("public", "internal", "private")
RECENCIES = ("within_30_days", "within_90_days", "older")
FACTORS = ("domain", "scope", "recency", "relevance")
TOOLS = ("rag_tool", "summary_tool", "math_tool", "log_tool")
ANY = "*"
_LONGEST_LIST = 200

SHIPPED = Path(__file__).parent / "agents.toml"
Table = Mapping[str, Any]


def _both(accept: Callable[[object], object]) -> Callable[[object], Mapping[str, Any]]:
    """A value that is given once for both languages, or as `{vi, en}`."""

    def read(raw: object) -> Mapping[str, Any]:
        if isinstance(raw, Mapping):
            if set(raw) != set(LANGS):
                raise RefusedError
            return {lang: accept(raw[lang]) for lang in LANGS}
        return dict.fromkeys(LANGS, accept(raw))

    return read


def _lines(raw: object) -> tuple[str, ...]:
    if not isinstance(raw, list) or len(raw) > _LONGEST_LIST:
        raise RefusedError
    line = words().accept
    return tuple(str(line(item)) for item in raw)


TEXT = SettingKind("rag_text", _both(words().accept))
LINES = SettingKind("list", _lines)
EXAMPLES = SettingKind("rag_lines", _both(_lines))
PERMISSIONS = SettingKind(
    "rag_scopes",
    lambda raw: tuple(map(choice(*SCOPES).accept, _lines(raw))),
    limits={"options": ", ".join(SCOPES)},
)
_TOOLS_EXAMPLE = 'tools = [{ name = "rag_tool" }]'
_SHARE, _MILLISECONDS = number(0, 1), whole(1, 3_600_000)

TOOL: Table = {"name": choice(*TOOLS), "description": TEXT, "files": LINES}
SCHEMA: Table = {
    "agents": {
        ANY: {
            "desc": TEXT,
            "domain": kinds.name(),
            "corpus": collection(),
            "tools": [TOOL],
            "examples": EXAMPLES,
            "timeout_ms": _MILLISECONDS,
            "max_queries": whole(1, 100),
            "enabled": flag(),
        }
    },
    "conflict_resolution_rules": {
        "priority_by_domain": {ANY: kinds.name()},
        "priority_by_scope": dict.fromkeys(SCOPES, _SHARE),
        "priority_by_recency": dict.fromkeys(RECENCIES, _SHARE),
        "weights": dict.fromkeys(FACTORS, _SHARE),
        "resolution_strategy": choice("weighted_scoring"),
    },
    "workflow_config": {
        "max_concurrent_agents": whole(1, 5),
        "timeout_per_agent_ms": _MILLISECONDS,
        "max_retries": whole(0, 10),
        "enable_caching": flag(),
        "cache_ttl_seconds": whole(0, 31_536_000),
        "conflict_resolution_threshold": _SHARE,
        "min_relevance_score": _SHARE,
        "enable_follow_up_questions": flag(),
        "max_follow_up_questions": whole(0, 20),
    },
    "agent_configs": {
        "default_timeout_ms": _MILLISECONDS,
        "max_queries_per_agent": whole(1, 100),
        "enable_parallel_execution": flag(),
        "tool_selection_strategy": choice("relevance_based", "all"),
        "output_format": choice("structured_json", "text"),
    },
    "access": {
        "default_permissions": PERMISSIONS,
        "common_departments": LINES,
        "internal_only": LINES,
        "tenant_id": kinds.name(),
        "departments": {ANY: LINES},
        "department_names": {ANY: LINES},
    },
}


def problems(file: TomlFile) -> Iterator[ConfigProblem]:
    """Everything in `file` that the schema does not take: unknown keys (with the nearest) and wrong values."""
    yield from _table(file, file.tables, SCHEMA, "")


def _table(file: TomlFile, node: object, schema: Table, prefix: str) -> Iterator[ConfigProblem]:
    if not isinstance(node, Mapping):
        yield wrong(file, prefix, "table", node, f"[{prefix}]")
        return
    for key, value in node.items():
        full = f"{prefix}.{key}" if prefix else key
        expected = schema.get(key, schema.get(ANY))
        if expected is None:
            close = nearest(key, list(schema))
            known = close or ", ".join(schema)
            yield problem(file, "misspelt" if close else "rag_unknown", full, nearest=known)
        elif ANY in schema and not name_ok(key):
            yield wrong(file, full, "name", key, f"[{prefix}.kho]")
        else:
            yield from _value(file, value, expected, full)


def _value(file: TomlFile, value: object, expected: object, full: str) -> Iterator[ConfigProblem]:
    if isinstance(expected, Mapping):
        yield from _table(file, value, expected, full)
    elif isinstance(expected, list):
        if not isinstance(value, list) or not all(isinstance(item, Mapping | str) for item in value):
            yield wrong(file, full, "rag_tools", value, _TOOLS_EXAMPLE)
            return
        for number_, item in enumerate(value, 1):
            node = {"name": item} if isinstance(item, str) else item
            if "name" not in node:
                yield wrong(file, f"{full}.{number_}.name", "rag_tools", node, _TOOLS_EXAMPLE)
            yield from _table(file, node, expected[0], f"{full}.{number_}")
    elif isinstance(expected, SettingKind):
        try:
            expected.accept(value)
        except RefusedError:
            yield wrong(file, full, expected.name, value, _example(full), **expected.limits)


def name_ok(key: str) -> bool:
    """Whether `key` can be the name of an agent, a domain or a department."""
    try:
        kinds.name().accept(key)
    except RefusedError:
        return False
    return True


def _example(full: str) -> str:
    """How a right line looks: as the shipped file writes it, shortened."""
    key = full.rpartition(".")[2]
    lines = SHIPPED.read_text(encoding="utf-8").splitlines()
    return shown(next((line for line in lines if line.startswith(f"{key} =")), f"{key} = …"))


def problem(file: TomlFile, code: str, key: str, **details: Any) -> ConfigProblem:
    """A problem with `key` of `file`, and the line where it or its table stands."""
    line = 0
    written = key
    while written and not line:
        line = file.line_of(written)
        written = written.rpartition(".")[0]
    return ConfigProblem(code, file.origin, shown(key), line=line, **details)


def wrong(
    file: TomlFile, key: str, expects: str, found: object, example: str, **limits: object
) -> ConfigProblem:
    """A value that is not what `expects` (`setting.expects.<expects>`) says."""
    return problem(file, "value", key, expects=expects, limits=limits, found=shown(found), example=example)


NAME = "agents.toml"
CONDUCTOR = "orchestrator"
"""The name that acts in plans without being an agent of its own (C2); no agent may take it."""


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent (004-04): `tools` by name in order, `collection` its corpus, `examples` in both languages together.

    `tool_descriptions` are the tools' own words for this agent; `log_files` are the files of its log_tool, as
    absolute patterns. `timeout_ms` is for all its tools together, `call_timeout_ms` for one call of a tool: the agent's
    own limit for both, else `timeout_per_agent_ms` and `default_timeout_ms`. `max_queries` is its own or the default
    (004-43).
    """

    name: str
    description: ByLang
    domain: str
    tools: tuple[str, ...]
    collection: str
    timeout_ms: int
    call_timeout_ms: int
    max_queries: int
    examples: tuple[str, ...] = ()
    tool_descriptions: Mapping[str, ByLang] = field(default_factory=dict)
    log_files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """The workflow's and the agents' limits (004-39 … 004-43), under the documents' names.

    `tool_selection_strategy` is relevance_based (a tool where the question calls for it) or all (every tool of the
    agent); `output_format` is that of the agents' outputs: structured_json (004-19) or text.
    """

    max_concurrent_agents: int
    timeout_per_agent_ms: int
    max_retries: int
    enable_caching: bool
    cache_ttl_seconds: int
    conflict_resolution_threshold: float
    min_relevance_score: float
    enable_follow_up_questions: bool
    max_follow_up_questions: int
    default_timeout_ms: int
    max_queries_per_agent: int
    enable_parallel_execution: bool
    tool_selection_strategy: Literal["relevance_based", "all"]
    output_format: Literal["structured_json", "text"]


@dataclass(frozen=True, slots=True)
class AccessRules:
    """Who reaches what: departments by department, what everybody reaches, other names of departments (folded),
    and whose internal documents are for them alone."""

    default_permissions: frozenset[str]
    common_departments: frozenset[str]
    departments: Mapping[str, frozenset[str]]
    names: Mapping[str, str]
    internal_only: frozenset[str] = frozenset()
    tenant_id: str = "local"

    def department(self, text: str) -> str:
        """The department that `text` names, as everywhere in the configuration; "" stays ""."""
        folded = " ".join(fold(text).split())
        return self.names.get(folded, folded)


@dataclass(frozen=True, slots=True)
class RagConfig:
    """All of `agents.toml`: `priority_by_domain` gives the agent's key (hr), not the document's `hr_agent` (C3)."""

    agents: Mapping[str, Agent]
    priority_by_domain: Mapping[str, str]
    priority_by_scope: Mapping[str, float]
    priority_by_recency: Mapping[str, float]
    weights: Mapping[str, float]
    limits: Limits
    access: AccessRules


def own_file(paths: Paths) -> Path:
    """The person's own `agents.toml`, whether it is there or not."""
    return paths.config / NAME


def load(paths: Paths) -> RagConfig:
    """The configuration, read again when a file changed.

    Raises SettingsError (a ConfigError) that names file, line, key and the nearest valid key of each problem.
    """
    own = own_file(paths)
    try:
        status = own.stat()
        stamp = (status.st_mtime_ns, status.st_size)
    except OSError:
        stamp = (0, -1)
    return _load(own, stamp)


@lru_cache(maxsize=16)
def _load(own: Path, _stamp: tuple[int, int]) -> RagConfig:
    found, config = read(own)
    if config is None:
        raise SettingsError(found)
    return config


def read(own: Path) -> tuple[list[ConfigProblem], RagConfig | None]:
    """What is wrong with the shipped file and `own` together, and the configuration when nothing is."""
    files = [read_toml(SHIPPED), read_toml(own)]
    found = [one for file in files for one in (*file.problems, *problems(file))]
    if found:
        return found, None
    merged = _merged(*(file.tables for file in files))
    found = list(_relations(files[1], merged))
    return found, None if found else _built(merged, own)


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """`above` over `below`, table by table."""
    result = dict(below)
    for key, value in above.items():
        under = result.get(key)
        both = isinstance(under, Mapping) and isinstance(value, Mapping) and not set(under) <= set(LANGS)
        result[key] = _merged(under, value) if both and isinstance(under, Mapping) else value
    return result


def _relations(file: TomlFile, tables: Mapping[str, Any]) -> Iterator[ConfigProblem]:
    """Names that must fit together: domains to agents, two agents with one corpus, weights that are all nothing."""
    agents = _enabled(tables)
    if not agents:
        yield problem(file, "rag_no_agents", "agents")
    for name, node in agents.items():
        if "desc" not in node:
            yield problem(file, "rag_no_desc", f"agents.{name}")
        if name == CONDUCTOR:
            yield problem(file, "rag_reserved", f"agents.{name}")
    rules = tables["conflict_resolution_rules"]
    for domain, owner in rules["priority_by_domain"].items():
        known = tables["agents"]
        if owner.removesuffix("_agent") not in known:
            close = nearest(owner, [f"{name}_agent" for name in known]) or ", ".join(known)
            key = f"conflict_resolution_rules.priority_by_domain.{domain}"
            yield problem(file, "rag_agent", key, found=owner, nearest=close)
    if not sum(rules["weights"].values()):
        yield problem(file, "rag_weights", "conflict_resolution_rules.weights")


def _enabled(tables: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {name: node for name, node in tables["agents"].items() if node.get("enabled", True)}


def _built(tables: Mapping[str, Any], own: Path) -> RagConfig:
    rules, limits = (
        tables["conflict_resolution_rules"],
        {**tables["workflow_config"], **tables["agent_configs"]},
    )
    nodes = _enabled(tables)
    agents = {name: _agent(name, node, limits, own.parent) for name, node in nodes.items()}
    domains = {domain: owner.removesuffix("_agent") for domain, owner in rules["priority_by_domain"].items()}
    for agent in agents.values():
        domains.setdefault(agent.domain, agent.name)
    total = sum(rules["weights"].values())
    return RagConfig(
        agents=agents,
        priority_by_domain={domain: owner for domain, owner in domains.items() if owner in agents},
        priority_by_scope=rules["priority_by_scope"],
        priority_by_recency=rules["priority_by_recency"],
        weights={factor: weight / total for factor, weight in rules["weights"].items()},
        limits=Limits(**limits),
        access=_access(tables["access"]),
    )


def _agent(name: str, node: Mapping[str, Any], limits: Mapping[str, Any], folder: Path) -> Agent:
    tools = [{"name": tool} if isinstance(tool, str) else tool for tool in node.get("tools", ["rag_tool"])]
    description: Any = TEXT.accept(node["desc"])
    examples: Any = EXAMPLES.accept(node.get("examples", []))
    told: Any = {tool["name"]: TEXT.accept(tool.get("description", tool["name"])) for tool in tools}
    patterns = (pattern for tool in tools for pattern in tool.get("files", ()))
    return Agent(
        name=name,
        description=description,
        domain=node.get("domain", name),
        tools=tuple(tool["name"] for tool in tools),
        collection=node.get("corpus", f"rag_{name}"),
        timeout_ms=node.get("timeout_ms", limits["timeout_per_agent_ms"]),
        call_timeout_ms=node.get("timeout_ms", limits["default_timeout_ms"]),
        max_queries=node.get("max_queries", limits["max_queries_per_agent"]),
        examples=tuple(dict.fromkeys(line for lang in LANGS for line in examples[lang])),
        tool_descriptions={tool: told[tool] for tool in TOOLS if tool in told},
        log_files=tuple(_place(pattern, folder) for pattern in patterns),
    )


def _place(pattern: str, folder: Path) -> str:
    """A pattern of files as an absolute one: under the folder of the settings, else under the data that ships."""
    path = Path(os.path.expanduser(pattern))  # noqa: PTH111 (an account that is not there is no error here)
    own = str(folder / path)
    if path.is_absolute() or glob(own):  # noqa: PTH207 (Path.glob raises for some patterns)
        return own
    try:
        return str(shipped(Path(pattern).parts[0]) / Path(*Path(pattern).parts[1:]))
    except InputError:
        return own


def _access(node: Mapping[str, Any]) -> AccessRules:
    names = {
        " ".join(fold(text).split()): department
        for department, others in node["department_names"].items()
        for text in (department, *others)
    }

    def known(texts: Any) -> frozenset[str]:
        return frozenset(
            names.get(folded, folded) for folded in (" ".join(fold(text).split()) for text in texts)
        )

    return AccessRules(
        default_permissions=frozenset(node["default_permissions"]),
        common_departments=known(node["common_departments"]),
        departments={name: known(others) for name, others in node["departments"].items()},
        names=names,
        internal_only=known(node["internal_only"]),
        tenant_id=node["tenant_id"],
    )
