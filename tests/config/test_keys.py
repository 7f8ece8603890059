"""The `[keys]` table: what is taken, in which spellings, and what each mistake is told as."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.config.actions import ACTIONS, PLACES, together
from troly.config.key_names import MARKS, key_label, key_name, types_text
from troly.config.load import check_settings, explain, load_settings
from troly.config.problems import ConfigProblem
from troly.paths import Paths
from troly.text.catalogue import LANGS, core_catalogue


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    found = Paths.resolve({"TROLY_HOME": str(tmp_path)})
    found.ensure()
    return found


def problems(paths: Paths, text: str) -> list[ConfigProblem]:
    paths.config_file.write_text(f"[keys]\n{text}\n", encoding="utf-8")
    return check_settings(paths, {})


@pytest.mark.parametrize(
    ("said", "keys"),
    [
        ('"shift+f10"', "shift+f10"),
        ('"Shift+F10, Shift+F9"', "shift+f10, shift+f9"),
        ('"shift+f9 alt+f11"', "shift+f9, alt+f11"),
        ('["shift+f9", "alt+pgup"]', "shift+f9, alt+pageup"),
        ('"Control + F10"', ""),
        ('["control+f10"]', "ctrl+f10"),
        ('["shift+ctrl+left"]', "ctrl+shift+left"),
        ('""', ""),
        ("[]", ""),
    ],
)
def test_keys_in_several_spellings(paths: Paths, said: str, keys: str) -> None:
    found = problems(paths, f"search = {said}")
    if said == '"Control + F10"':  # blanks part keys
        assert found
        return
    assert found == []
    assert load_settings(paths, {}).keys == {"search": keys}
    shown = {row.key: (row.value, row.origin) for row in explain(paths, {})}
    assert shown["keys.search"] == (keys, "file")
    assert shown["keys.evidence"] == ("f3", "default")


def test_the_environment_sets_keys_too(paths: Paths) -> None:
    settings = load_settings(paths, {"TROLY_KEYS__SEARCH": "shift+f10, shift+f9"})
    assert settings.keys == {"search": "shift+f10, shift+f9"}


@pytest.mark.parametrize(
    ("said", "key", "nearest"),
    [("serach", "keys.serach", "keys.search"), ("evidnce", "keys.evidnce", "keys.evidence")],
)
def test_an_unknown_action_finds_its_name(paths: Paths, said: str, key: str, nearest: str) -> None:
    (problem,) = problems(paths, f'{said} = "shift+f9"')
    assert (problem.code, problem.key, problem.nearest, problem.line) == ("misspelt", key, nearest, 2)


def test_fixed_keys_cannot_be_changed(paths: Paths) -> None:
    (problem,) = problems(paths, 'interrupt = "shift+f9"')
    assert problem.code in ("unknown", "misspelt")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("search", '"ctrl+1"'),
        ("search", '"ctrl+shift+a"'),
        ("search", '"super+k"'),
        ("search", '"ctrl+i"'),
        ("search", '"f13"'),
        ("search", '"hello"'),
        ("search", '"shift+f9, ctrl+m"'),
        ("search", "7"),
        ("search", '["shift+f9", 8]'),
        ("search", '"s"'),
        ("search", '"/"'),
        ("newline", '"space"'),
        ("search", '"đ"'),
        ("send", '""'),
        ("grid_close", "[]"),
    ],
)
def test_what_a_terminal_cannot_send_or_would_type(paths: Paths, name: str, said: str) -> None:
    (problem,) = problems(paths, f"{name} = {said}")
    assert (problem.code, problem.key, problem.line) == ("value", f"keys.{name}", 2)
    for lang in LANGS:
        told = problem.render(lang)
        assert str(paths.config_file) in told.message
        assert "F12" in told.message
        assert f"{name} = " in told.remedy


def test_letters_are_keys_where_nothing_is_typed(paths: Paths) -> None:
    assert problems(paths, 'list_pin = "g"\ngrid_sort = ["o", "/", "R"]') == []


def test_two_actions_on_one_key(paths: Paths) -> None:
    (problem,) = problems(paths, 'search = "f3"')
    assert (problem.code, problem.nearest, problem.found, problem.line) == ("key_twice", "evidence", "F3", 2)
    for lang in LANGS:
        assert "keys.evidence" in problem.render(lang).line()
    (problem,) = problems(paths, 'new = "shift+f9"\nsearch = "shift+f9"')
    assert {problem.key.removeprefix("keys."), problem.nearest} == {"new", "search"}
    (problem,) = problems(paths, 'list_pin = "alt+r"')
    assert problem.nearest == "list_rename"
    # Another place, or a key that moved away.
    assert problems(paths, 'list_pin = "s"') == []
    assert problems(paths, 'search = "f3"\nevidence = "ctrl+f"') == []
    assert problems(paths, 'send = "ctrl+s"\nnewline = "enter"') == []


def test_the_shipped_keys_do_not_clash_and_can_be_sent() -> None:
    for number, action in enumerate(ACTIONS):
        for key in action.keys:
            assert key_name(key) == key, action
        for other in ACTIONS[:number]:
            if together(action.place, other.place):
                assert not set(action.keys) & set(other.keys), (action.name, other.name)


def test_every_action_has_its_sentences() -> None:
    known = core_catalogue().keys("ui")
    for action in ACTIONS:
        assert action.place in PLACES
        assert f"help.{action.group}" in known
        assert {f"command.{action.name}", f"help.{action.name}"} & known, action.name
        if action.palette or not action.fixed:
            assert f"command.{action.name}" in known, action.name


@given(
    st.text(max_size=12)
    | st.sampled_from(["ctrl+", "alt+", "shift+"]).flatmap(lambda m: st.text(max_size=4).map(lambda t: m + t))
)
def test_any_text_is_a_key_or_none(text: str) -> None:
    key = key_name(text)
    if key:
        assert key_name(key) == key
        assert (
            key_name(key_label(key)) == key or key in MARKS.values() or "↑↓←→".find(key_label(key)[-1]) >= 0
        )
        assert not types_text(key) or "+" not in key
