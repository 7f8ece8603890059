"""The catalogue answers in both languages, with the same places to fill."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from troly.errors import InputError, ModelError, TrolyError
from troly.plugin.registry import Registry
from troly.text.catalogue import LANGS, STRINGS, Catalogue, core_catalogue, tr

ROOT = Path(__file__).parents[1]


def _places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("area", sorted({path.stem.partition("_")[0] for path in STRINGS.glob("*.toml")}))
def test_both_languages_have_the_same_places(area: str) -> None:
    catalogue = core_catalogue()
    keys = catalogue.keys(area)
    assert keys
    for key in keys:
        entry = catalogue.entry(f"{area}.{key}")
        assert all(entry[lang].strip() for lang in LANGS) or key.endswith(".remedy"), key
        assert _places(entry["vi"]) == _places(entry["en"]), key


def test_unknown_key_is_an_error() -> None:
    with pytest.raises(KeyError):
        tr("mode.no_such_sentence", "vi")


def test_a_leaf_that_is_no_pair_is_refused(tmp_path: Path) -> None:
    (tmp_path / "odd.toml").write_text('[a]\nvi = "x"\n', encoding="utf-8")
    with pytest.raises(TypeError):
        Catalogue(tmp_path)("odd.a", "vi")


def test_the_first_file_of_an_area_is_read_without_the_others(tmp_path: Path) -> None:
    (tmp_path / "odd.toml").write_text("not toml", encoding="utf-8")
    (tmp_path / "odd_first.toml").write_text('[a]\nb = { vi = "x", en = "y" }\n', encoding="utf-8")
    assert Catalogue(tmp_path)("odd.a.b", "en") == "y"
    with pytest.raises(ValueError, match="Expected"):
        Catalogue(tmp_path)("odd.a.c", "en")


def test_error_renders_in_both_languages_and_as_a_line() -> None:
    error = InputError("turn.long", size=300_000, limit=200_000)
    assert "300000" in error.render("vi").message
    assert error.render("vi").title != error.render("en").title
    assert str(error).startswith("Message too long: ")
    assert (InputError.exit_code, ModelError.exit_code, TrolyError.exit_code) == (3, 5, 1)


def test_an_example_in_an_error_is_shown_as_it_is_typed() -> None:
    assert InputError("jsonl.object").render("en").remedy == 'Write it like {"id": 1, "text": "hello"}.'


def test_every_error_raised_in_the_code_has_its_sentences() -> None:
    raised = re.compile(r"(?:Input|Store|Model|Config|Access|Stopped|Troly)Error\(\s*\"([a-z_]+\.[a-z_.]+)\"")
    assert list(Registry())  # every assistant brings the texts of its own errors
    known = core_catalogue().keys("errors")
    missing = {
        key
        for folder in ("src", "modes")
        for path in (ROOT / folder).rglob("*.py")
        for key in raised.findall(path.read_text("utf-8"))
        if f"{key}.title" not in known and path.name != "errors.py"
    }
    assert not missing
