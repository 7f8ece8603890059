"""What the command line says of itself: help with examples in both languages, usage errors, the way to the screen."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.process.command_line import CommandLine
from troly.__main__ import program_name, screen_mode
from troly.cli.failures import UsageError
from troly.cli.invocation import Invocation
from troly.cli.program import EXIT_CODES, build
from troly.errors import TrolyError
from troly.text.catalogue import LANGS, Lang, core_catalogue, interface_language


def _tree(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    if hasattr(command, "list_commands"):
        for name in command.list_commands(None):
            yield from _tree(command.get_command(None, name), (*path, name))


def _built(lang: Lang) -> Any:
    invocation = Invocation("app", os.environ)
    invocation.speak(lang)
    return build(invocation)


@pytest.mark.parametrize("lang", LANGS)
def test_every_command_has_help_an_example_and_words_for_its_parameters(lang: Lang, third_party: Any) -> None:
    paths = []
    for path, command in _tree(_built(lang)):
        paths.append(" ".join(path))
        assert command.help, path
        assert re.search(r"(^|\s)app($|\s)", command.epilog or ""), path
        for param in command.params:
            assert param.help, (path, param.name)
            assert param.metavar or param.is_flag or param.name.endswith("_completion"), (path, param.name)
    assert {
        "ask",
        "modes",
        "doctor",
        "ingest knowledge",
        "ingest slowrows",
        "conversations export",
        "models hosts",
        "models pull",
    } <= set(paths)


def test_help_is_shown_in_the_language_asked_for_before_or_after_the_command(app: CommandLine) -> None:
    english = app.run("conversations", "export", "--help")
    assert (english.code, english.err) == (0, "")
    assert "Usage: app conversations export" in english.out
    assert "Examples:" in english.out
    assert app.run("ask", "-h", "--lang", "vi").out == app.run("--lang=vi", "ask", "--help").out
    assert "Cách dùng: app ask" in app.run("ask", "--help", "--lang", "vi").out


def test_the_root_help_lists_every_exit_code(app: CommandLine) -> None:
    shown = app.run("--help").out.partition("Exit codes:")[2]
    codes = {int(code) for code in re.findall(r"^  (\d+) ", shown, re.MULTILINE)}
    classes: list[type[TrolyError]] = [TrolyError, *TrolyError.__subclasses__()]
    assert UsageError in classes
    assert {kind.exit_code for kind in classes} <= codes
    assert codes == {int(code) for code in EXIT_CODES}


def test_both_names_show_themselves() -> None:
    assert [program_name(name) for name in ("/x/bin/app", "troly", "C\\troly.exe", "/y/__main__.py")][:2] == [
        "app",
        "troly",
    ]
    assert program_name("/x/troly.exe") == "troly"
    assert program_name("/x/troly/__main__.py") == "python -m troly"


def test_version_is_data(app: CommandLine) -> None:
    assert re.fullmatch(r"troly \d+\.\d+\.\d+\n", app.run("-V").out)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["conv"], "config"),
        (["conversations", "lst"], "list"),
        (["ask", "--jsno"], "--json"),
        (["conversations", "show"], "ID"),
        (["conversations", "list", "--limit", "many"], "--limit"),
        (["--lang", "fr", "modes"], "fr"),
        (["--mode", "rag", "ask", "x"], "app ask --mode rag"),
        (["ask", "x", "--jsonl", "-"], "TEXT"),
        (["--mode"], "--mode"),
    ],
)
def test_a_wrong_command_line_is_one_sentence_and_exit_2(
    app: CommandLine, args: list[str], said: str
) -> None:
    for lang in LANGS:
        ran = app.run(*args, *(() if "--lang" in args or args == ["--mode"] else ("--lang", lang)))
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err
        assert len(ran.err.splitlines()) == 1


def test_a_group_alone_shows_its_help_on_stderr(app: CommandLine) -> None:
    ran = app.run("models")
    assert (ran.code, ran.out) == (2, "")
    assert "models pull" in ran.err


@pytest.mark.parametrize("args", [[], ["--mode", "shopping"], ["--mode=shopping"], ["--lang", "vi"]])
def test_without_a_terminal_the_screen_points_at_ask(app: CommandLine, args: list[str]) -> None:
    ran = app.run(*args)
    assert (ran.code, ran.out) == (2, "")
    assert "app ask" in ran.err
    assert len(ran.err.splitlines()) == 1


def test_only_the_bare_screen_goes_round_typer() -> None:
    assert screen_mode([], {}, "app") == (True, None)
    assert screen_mode(["--mode", "rag"], {}, "app") == (True, "rag")
    assert screen_mode([], {"_APP_COMPLETE": "complete_bash"}, "app") == (False, None)
    assert screen_mode(["--help"], {}, "app") == (False, None)
    code = "import sys, troly.__main__ as m; m.main([]); print(*[n for n in ('typer', 'rich', 'asyncio') if n in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
    )
    assert done.stdout.split() == []


def test_completion_answers_with_commands_and_modes() -> None:
    asked = {"_APP_COMPLETE": "complete_bash", "COMP_CWORD": "1"}
    code = "import sys; sys.argv = ['app']; from troly.__main__ import main; sys.exit(main())"

    def complete(words: str, at: int) -> str:
        env = {**os.environ, **asked, "COMP_WORDS": words, "COMP_CWORD": str(at)}
        return subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=env, check=False
        ).stdout

    assert complete("app conv", 1).split() == ["conversations"]
    assert "shopping" in complete("app ask --mode sh", 3).split()


@pytest.mark.parametrize(
    ("setting", "env", "lang"),
    [
        ("vi", {"LANG": "en_US.UTF-8"}, "vi"),
        ("en", {"LANG": "vi_VN.UTF-8"}, "en"),
        ("auto", {"LANG": "vi_VN.UTF-8"}, "vi"),
        ("auto", {"LANG": "vi_VN.UTF-8", "LC_ALL": "C"}, "en"),
        ("auto", {"LC_ALL": "", "LANG": "vi"}, "vi"),
        ("auto", {"LANG": "fr_FR.UTF-8"}, "en"),
    ],
)
def test_language_of_the_interface(setting: str, env: dict[str, str], lang: Lang) -> None:
    assert interface_language(setting, env) == lang


def test_every_sentence_of_the_command_line_can_be_filled() -> None:
    for key in core_catalogue().keys("cli"):
        for lang in LANGS:
            assert core_catalogue().entry(f"cli.{key}")[lang].strip(), key
