"""The architecture's own rules: no import cycle, arrows that only go down, names that say what they are, a light start."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
RUNTIME = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "modes").rglob("*.py")])
HEAVY = (
    "langgraph",
    "langchain_core",
    "chromadb",
    "duckdb",
    "ollama",
    "httpx",
    "pydantic",
    "sqlglot",
    "numpy",
    "textual",
)
# Nouns that look like participles.
NOUNS = frozenset(
    [
        "Binding",
        "Building",
        "Embedding",
        "Greeting",
        "Heading",
        "Mapping",
        "Meaning",
        "Padding",
        "Pricing",
        "Ranking",
        "Recording",
        "Routing",
        "Setting",
        "Spelling",
        "String",
        "Timing",
        "Warning",
    ]
)
IRREGULAR = frozenset(
    [
        "Built",
        "Chosen",
        "Drawn",
        "Found",
        "Given",
        "Heard",
        "Held",
        "Kept",
        "Known",
        "Left",
        "Made",
        "Meant",
        "Put",
        "Read",
        "Said",
        "Sent",
        "Shown",
        "Spent",
        "Spoken",
        "Taken",
        "Told",
        "Written",
    ]
)


@cache
def modules() -> dict[str, ast.Module]:
    """The syntax tree of each module by its dotted name; a package is named by its folder."""
    found = {}
    for path in RUNTIME:
        parts = path.relative_to(ROOT).with_suffix("").parts[1:]
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text("utf-8"))
    return found


@cache
def packages() -> frozenset[str]:
    return frozenset(
        ".".join(path.parent.relative_to(ROOT).parts[1:]) for path in RUNTIME if path.name == "__init__.py"
    )


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements below `node`, without what stands under `if TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            for other in child.orelse:
                yield other
                yield from statements(other)
        else:
            yield child
            yield from statements(child)


@cache
def imports() -> dict[str, frozenset[str]]:
    """Which of our modules each one imports, also inside functions."""
    return {name: frozenset(_imports(name, tree)) for name, tree in modules().items()}


def _imports(name: str, tree: ast.Module) -> Iterator[str]:
    known = modules()
    package = name if name in packages() else name.rpartition(".")[0]
    for node in statements(tree):
        targets: list[str] = []
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            whole = [f"{base}.{alias.name}" for alias in node.names]
            targets = [one if one in known else base for one in whole]
        yield from (one for one in targets if one in known and one != name)


def cycles() -> list[frozenset[str]]:
    """The sets of modules that import each other in a circle."""
    graph = imports()
    reached = {name: _reached(name, graph) for name in graph}
    groups = {
        frozenset(other for other in reached[name] if name in reached[other])
        for name in graph
        if name in reached[name]
    }
    return sorted(groups, key=sorted)


def _reached(start: str, graph: dict[str, frozenset[str]]) -> frozenset[str]:
    waiting, seen = list(graph[start]), set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += graph[name]
    return frozenset(seen)


def classes() -> dict[str, list[str]]:
    """The public classes of modules by name, each with where it stands."""
    found = defaultdict(list)
    for name, tree in modules().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(name)
    return found


def settings_of(table: str) -> Any:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"][table]


def test_no_module_imports_itself_through_others() -> None:
    """Deferred imports count: they hide a cycle, they do not break it."""
    assert [sorted(one) for one in cycles()] == []


def test_imports_go_only_down_the_floors() -> None:
    """Also those inside functions; the floors are those of the import contracts."""
    contracts = settings_of("importlinter")["contracts"]
    layers = next(one["layers"] for one in contracts if one["type"] == "layers")
    floors = {
        part.strip(" ()"): height
        for height, layer in enumerate(reversed(layers))
        for part in layer.split("|")
    }
    upwards = []
    for name, targets in imports().items():
        for target in targets:
            here, there = (
                [*one.split("."), ""][1] if one.startswith("troly.") else "" for one in (name, target)
            )
            if here in floors and there in floors and here != there and floors[there] >= floors[here]:
                upwards.append(f"{name} -> {target}")
    assert upwards == []


def test_the_core_and_the_modes_do_not_know_each_other() -> None:
    """Neither does any mode another one, nor the faces and what is above the plugin floor."""
    wrong = []
    for name, targets in imports().items():
        for target in targets:
            mine, theirs = name.split(".")[0], target.split(".")[0]
            above = target.startswith(("troly.tui", "troly.cli", "troly.conversation", "troly.presentation"))
            if theirs not in (mine, "troly") or (mine != "troly" and above):
                wrong.append(f"{name} -> {target}")
    assert wrong == []


def test_classes_are_nouns() -> None:
    """A class says what it is; a bare participle (`Found`, `Listed`) says nothing that can be searched for."""
    bare = {
        name
        for name in classes()
        if name not in NOUNS and (name in IRREGULAR or re.fullmatch(r"[A-Z][a-z]+(ed|ing)", name))
    }
    assert sorted(bare) == []


def test_no_two_classes_of_the_core_share_a_name() -> None:
    shared = {
        name: [place for place in places if place.startswith("troly.")] for name, places in classes().items()
    }
    assert {name: places for name, places in shared.items() if len(places) > 1} == {}


def test_the_core_names_no_assistant() -> None:
    """An assistant that is not of this project has the same rights: no literal with the name of one in the core."""
    names = {path.name.removeprefix("troly_") for path in (ROOT / "modes").iterdir() if path.is_dir()}
    named = {
        f"{name}: {node.value}"
        for name, tree in modules().items()
        if name.split(".")[0] == "troly"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in names
    }
    assert sorted(named) == []


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in RUNTIME
        if not ast.get_docstring(ast.parse(path.read_text("utf-8")))
    ]
    assert not silent


def test_modes_packages_and_entry_points_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    folders = {path.name for path in (ROOT / "modes").iterdir() if (path / "__init__.py").exists()}
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    points = project["project"]["entry-points"]["troly.modes"]
    assert {Path(path).name for path in packages if path.startswith("modes/")} == folders
    assert {value.split(":")[0] for value in points.values()} == folders
    assert project["tool"]["importlinter"]["root_packages"][1:] == [
        value.split(":")[0] for value in points.values()
    ]


@pytest.mark.parametrize(
    ("module", "allowed"),
    [
        ("troly.__main__", ()),
        ("troly.plugin.registry", ()),
        ("troly.config", ()),
        ("troly.tui.app", ("textual",)),
        ("troly_shopping", ()),
        ("troly_dental", ()),
        ("troly_rag", ()),
    ],
)
def test_start_imports_nothing_heavy(module: str, allowed: tuple[str, ...]) -> None:
    code = f"import sys, {module}; print(*[m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= set(allowed)


def test_the_slow_files_exist() -> None:
    lines = (ROOT / "tests" / "slow.txt").read_text("utf-8").splitlines()
    assert [line for line in lines if not line.startswith("#") and not (ROOT / line).is_file()] == []
