"""The architecture's own rules: every module says what it is for, the start is light, packaging lists agree."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

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
