"""What may stand in `agents.toml`: the tables and keys, and the kind of value that each takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from troly.config.kinds import Kind, RefusedError, choice, collection, flag, name, number, whole, words
from troly.config.problems import ConfigProblem, nearest, shown
from troly.config.toml_file import TomlFile
from troly.text.catalogue import LANGS

SCOPES = ("public", "internal", "private")
RECENCIES = ("within_30_days", "within_90_days", "older")
FACTORS = ("domain", "scope", "recency", "relevance")
TOOLS = ("rag_tool", "summary_tool", "math_tool", "log_tool")
ANY = "*"
_LONGEST_LIST = 200

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


def _scopes(raw: object) -> tuple[str, ...]:
    found = _lines(raw)
    if not set(found) <= set(SCOPES):
        raise RefusedError
    return found


TEXT = Kind("rag_text", _both(words().accept))
LINES = Kind("list", _lines)
EXAMPLES = Kind("rag_lines", _both(_lines))
PERMISSIONS = Kind("rag_scopes", _scopes, limits={"options": ", ".join(SCOPES)})
_SHARE, _MILLISECONDS = number(0, 1), whole(1, 3_600_000)

TOOL: Table = {"name": choice(*TOOLS), "description": TEXT, "files": LINES}
SCHEMA: Table = {
    "agents": {
        ANY: {
            "desc": TEXT,
            "domain": name(),
            "corpus": collection(),
            "tools": [TOOL],
            "examples": EXAMPLES,
            "timeout_ms": _MILLISECONDS,
            "max_queries": whole(1, 100),
            "enabled": flag(),
        }
    },
    "conflict_resolution_rules": {
        "priority_by_domain": {ANY: name()},
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
        "tool_selection_strategy": choice("relevance_based"),
        "output_format": choice("structured_json"),
    },
    "access": {
        "default_permissions": PERMISSIONS,
        "common_departments": LINES,
        "departments": {ANY: LINES},
        "department_names": {ANY: LINES},
    },
}
_EXAMPLES = {
    "desc": 'desc = { vi = "kho hàng", en = "the warehouse" }',
    "tools": 'tools = [{ name = "rag_tool" }]',
    "examples": 'examples = { vi = ["Kho ở đâu?"], en = ["Where is the warehouse?"] }',
    "corpus": 'corpus = "rag_kho"',
    "default_permissions": 'default_permissions = ["public"]',
    "hr_policies": 'hr_policies = "hr_agent"',
    "domain": 'domain = "warehouse"',
    "name": 'name = "rag_tool"',
}
_BY_KIND = {
    "number": "0.5",
    "whole": "5",
    "flag": "true",
    "list": '["hr", "general"]',
    "choice": '"weighted_scoring"',
    "name": '"hr_agent"',
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
            yield wrong(file, full, "rag_tools", value, _EXAMPLES["tools"])
            return
        for number_, item in enumerate(value, 1):
            node = {"name": item} if isinstance(item, str) else item
            if "name" not in node:
                yield wrong(file, f"{full}.{number_}.name", "rag_tools", node, _EXAMPLES["tools"])
            yield from _table(file, node, expected[0], f"{full}.{number_}")
    elif isinstance(expected, Kind):
        try:
            expected.accept(value)
        except RefusedError:
            yield wrong(file, full, expected.name, value, _example(full, expected), **expected.limits)


def name_ok(key: str) -> bool:
    """Whether `key` can be the name of an agent, a domain or a department."""
    try:
        name().accept(key)
    except RefusedError:
        return False
    return True


def _example(full: str, kind: Kind) -> str:
    key = full.rpartition(".")[2]
    return _EXAMPLES.get(key, f"{key} = {_BY_KIND.get(kind.name, '…')}")


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
