"""tests/features.md: every row of the documents is there once, with a test that exists or the issue that brings it."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COUNTS = {"000": 64, "001": 49, "002": 41, "003": 46, "004": 49}
ROWS: list[tuple[str, str, str]] = re.findall(
    r"^\| (\d{3}-\d{2}) \| (.*) \| ([^|]*) \|$", (ROOT / "tests/features.md").read_text("utf-8"), re.MULTILINE
)


def test_all_rows_are_there_once() -> None:
    wanted = [f"{document}-{row:02}" for document, rows in COUNTS.items() for row in range(1, rows + 1)]
    assert [ident for ident, _, _ in ROWS] == wanted


def test_no_row_is_empty() -> None:
    assert [ident for ident, requirement, shown in ROWS if not (requirement.strip() and shown.strip())] == []


@pytest.mark.parametrize("document", COUNTS)
def test_each_row_names_a_test_that_exists_or_an_issue(document: str) -> None:
    wrong = []
    for ident, _, shown in ROWS:
        named = re.fullmatch(r"`(tests/[\w/]+\.py)::(test_\w+)`", shown)
        there = named is not None and named[2] in functions(named[1])
        if ident.startswith(document) and not there and not re.fullmatch(r"not yet: issue \d+", shown):
            wrong.append(f"{ident}: {shown}")
    assert wrong == []


@cache
def functions(file: str) -> frozenset[str]:
    """The functions of a file of tests; none where there is no such file."""
    path = ROOT / file
    tree = ast.parse(path.read_text("utf-8")) if path.is_file() else ast.Module([], [])
    return frozenset(
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
