"""Every error of the stores has its sentences in both languages, and no sentence waits for a value it is not given."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from string import Formatter

import pytest

import troly.stores
from troly.text.catalogue import LANGS, Lang, core_catalogue

SOURCES = sorted(Path(troly.stores.__file__).parent.glob("*.py"))
KEY = re.compile(r"store\.[a-z_]+")
# Keys that are looked up in a table are raised with these.
TABLE_PARAMS = {"path", "reason"}


@cache
def raised() -> dict[str, set[str]]:
    """The parameters that each key is given everywhere it is raised."""
    found: dict[str, set[str]] = {}
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("StoreError", "AccessError"):
                first = node.args[0]
                names = [c.value for c in ast.walk(first) if isinstance(c, ast.Constant)]
                given = {keyword.arg or "" for keyword in node.keywords}
                for key in names:
                    if isinstance(key, str) and KEY.fullmatch(key):
                        found[key] = found.get(key, given) & given
            elif isinstance(node, ast.Dict):
                for value in node.values:
                    if isinstance(value, ast.Constant) and KEY.fullmatch(str(value.value)):
                        found.setdefault(str(value.value), set(TABLE_PARAMS))
    return found


def in_catalogue() -> set[str]:
    names = {key.rpartition(".")[0] for key in core_catalogue().keys("errors")}
    return {name for name in names if KEY.fullmatch(name)}


def test_every_key_that_is_raised_is_written_and_none_is_left_over() -> None:
    assert set(raised()) == in_catalogue()


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("key", sorted(raised()))
def test_sentences_ask_only_for_what_they_are_given(key: str, lang: Lang) -> None:
    for part in ("title", "message", "remedy"):
        text = core_catalogue().entry(f"errors.{key}.{part}")[lang]
        assert text
        places = {name for _, name, _, _ in Formatter().parse(text) if name}
        assert places <= raised()[key]
