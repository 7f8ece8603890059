"""Wrong settings: every mistake ends in a sentence that names the place, the key and the way out."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support.modes.made import SECTIONS
from tests.support.process.unprivileged import run_unprivileged
from troly.config import load, schema
from troly.config.problems import ConfigProblem, SettingsError
from troly.config.schema import env_name
from troly.config.template import write_default
from troly.errors import ConfigError
from troly.paths import Paths
from troly.text.catalogue import LANGS, core_catalogue

# With the tables of the assistants that ship.
check_settings = partial(load.check_settings, sections=SECTIONS)
load_settings = partial(load.load_settings, sections=SECTIONS)
specs = partial(schema.specs, SECTIONS)

KEYS = sorted(specs())
PREPARE = """
from troly.config.problems import ConfigProblem, Origin
ConfigProblem("unreadable", Origin("file", "x")).render("en")
"""


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    found = Paths.resolve({"TROLY_HOME": str(tmp_path)})
    found.ensure()
    return found


def only(paths: Paths, text: str | bytes) -> ConfigProblem:
    paths.config_file.write_bytes(text if isinstance(text, bytes) else text.encode())
    (problem,) = check_settings(paths, {})
    for lang in LANGS:
        rendered = problem.render(lang)
        assert str(paths.config_file) in rendered.message
        assert rendered.title
        assert rendered.remedy
        assert "{" not in rendered.line().replace("{…}", "").replace("{}", "")
        assert "\n" not in rendered.line()
    return problem


@pytest.mark.parametrize(
    ("text", "key", "nearest", "line"),
    [
        ('langage = "vi"', "langage", "language", 1),
        ('[ollama]\nulr = "x"', "ollama.ulr", "ollama.url", 2),
        ('# head\n\n[olama]\nurl = "x"', "olama", "ollama", 3),
        ('chat = "x"', "chat", "models.chat", 1),
        ('[models.shopping]\nchta = "x"', "models.shopping.chta", "models.shopping.chat", 2),
        ('[models.shopping]\nembed = "x"', "models.shopping.embed", "", 2),
        ("[zzzzzzzz]", "zzzzzzzz", "", 1),
        ("zzzzzzzz = 1", "zzzzzzzz", "", 1),
        ('Language = "vi"', "Language", "language", 1),
    ],
)
def test_unknown_keys(paths: Paths, text: str, key: str, nearest: str, line: int) -> None:
    problem = only(paths, text)
    assert (problem.key, problem.line) == (key, line)
    if nearest:
        assert problem.nearest == nearest
    assert problem.code == ("misspelt" if problem.nearest else "unknown")


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("language = 1", "language", "auto, vi, en"),
        ('language = "fr"', "language", "fr"),
        ("[language]", "language", "auto, vi, en"),
        ('ollama = "x"', "ollama", "table"),
        ("ollama = [1]", "ollama", "table"),
        ('[ollama]\nurl = "ftp://x"', "ollama.url", "ftp://x"),
        ("[ollama]\nfallback_model = 1", "ollama.fallback_model", "true or false"),
        ('[ollama]\ncontext_tokens = "many"', "ollama.context_tokens", "whole number"),
        ("[ollama]\ncontext_tokens = 2.5", "ollama.context_tokens", "2.5"),
        ("[ollama]\ncontext_tokens = true", "ollama.context_tokens", "true"),
        ("[ollama]\nconnect_timeout = nan", "ollama.connect_timeout", "nan"),
        ("[ollama]\nread_timeout = -1", "ollama.read_timeout", "0.1"),
        ('[ollama]\nkeep_alive = "soon"', "ollama.keep_alive", "15m"),
        ("[budget]\ncalls = 0", "budget.calls", "from 1 to 100"),
        ("[intent]\nconfidence_threshold = 1.5", "intent.confidence_threshold", "from 0 to 1"),
        ('[chroma]\ncollection = "a b"', "chroma.collection", "512"),
        ('timezone = "Mars/Base"', "timezone", "Asia/Ho_Chi_Minh"),
        ('timezone = "../../etc/passwd"', "timezone", "time zone"),
        ('[models]\nchat = ""', "models.chat", "one line"),
        ("[models.chat]\nx = 1", "models.chat", "one line"),
        ('[models]\nchat = "a\\u001b[31mb"', "models.chat", "one line"),
        ("[models.shopping]\nchat = 1", "models.shopping.chat", "one line"),
        ('theme = "Night Sky"', "theme", "lower-case"),
        ("[persona]\npath = 3", "persona.path", "file"),
        ("mode = {a = 1}", "mode", "{…}"),
        ("mode = 1979-05-27", "mode", "1979-05-27"),
    ],
)
def test_wrong_values(paths: Paths, text: str, key: str, words: str) -> None:
    problem = only(paths, text)
    assert (problem.code, problem.key) == ("value", key)
    english = problem.render("en")
    assert words in english.message
    assert f"`{key}`" in english.message
    assert key.rpartition(".")[2] in english.remedy
    assert f"`{key}`" in problem.render("vi").message


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ('language = "vi"\nmode shopping\n', "syntax", 2),
        ('language = "vi\n', "syntax", 1),
        ("[ollama\n", "syntax", 1),
        ('x = """\n\n', "syntax", 2),
        ("mode = 9\nmode = 9\n", "duplicate", 2),
        ("[ollama]\n[ollama]\n", "duplicate", 2),
        (f"mode = {'9' * 5000}\n", "syntax", 1),
        ("x = " + "[" * 20000, "deep", 0),
        ("# tiếng Việt\n".encode() + b'theme = "\xff"\n', "encoding", 2),
        ('theme = "tối"'.encode("utf-16"), "encoding", 1),
        (bytes(range(256)) * 8, "encoding", 0),
        (b"#" * 1_000_001, "large", 0),
    ],
)
def test_files_that_cannot_be_read(paths: Paths, text: str | bytes, code: str, line: int) -> None:
    problem = only(paths, text)
    assert problem.code == code
    if line:
        assert problem.line == line
        assert f"line {line}" in problem.render("en").message
        assert f"dòng {line}" in problem.render("vi").message


def test_an_empty_file_is_fine(paths: Paths) -> None:
    paths.config_file.write_text("")
    assert check_settings(paths, {}) == []


def test_a_folder_in_place_of_the_file(paths: Paths) -> None:
    paths.config_file.mkdir()
    (problem,) = check_settings(paths, {})
    assert problem.code == "folder"
    with pytest.raises(ConfigError, match=r"cannot be made"):
        write_default(paths)


def test_a_file_without_the_right_to_read(paths: Paths) -> None:
    paths.config_file.write_text("")
    paths.config_file.chmod(0)
    paths.config.chmod(0o711)
    prepare = "from troly.config.toml_file import read_toml\nread_toml(folder / 'none')\n" + PREPARE
    body = "print(read_toml(folder / 'config.toml').problems[0].render('en').line())"
    assert "cannot be opened for reading" in run_unprivileged(prepare, body, paths.config)


@pytest.mark.parametrize(
    ("env", "name", "words"),
    [
        ({"TROLY_OLAMA__URL": "x"}, "TROLY_OLAMA__URL", "TROLY_OLLAMA__URL"),
        ({"TROLY_HOEM": "x"}, "TROLY_HOEM", "TROLY_HOME"),
        ({"TROLY_MODELS__RAG__CHTA": "x"}, "TROLY_MODELS__RAG__CHTA", "TROLY_MODELS__RAG__CHAT"),
        ({"TROLY_BUDGET__CALLS": "many"}, "TROLY_BUDGET__CALLS", "TROLY_BUDGET__CALLS=4"),
        ({"TROLY_LANGUAGE": "fr"}, "TROLY_LANGUAGE", "TROLY_LANGUAGE=vi"),
        ({"OLLAMA_HOST": "a b"}, "OLLAMA_HOST", "http://"),
        ({"OLLAMA_BASE_URL": "ftp://x"}, "OLLAMA_BASE_URL", "http://"),
        ({"OLLAMA_PORT": "70000"}, "OLLAMA_PORT", "65535"),
        ({"OLLAMA_PORT": "1234567890123"}, "OLLAMA_PORT", "65535"),
        ({"PERSONA_MAX_CHARS": "-5"}, "PERSONA_MAX_CHARS", "from 1"),
        ({"INTENT_CONFIDENCE_THRESHOLD": "high"}, "INTENT_CONFIDENCE_THRESHOLD", "from 0 to 1"),
        ({"CHROMA_COLLECTION": "x"}, "CHROMA_COLLECTION", "512"),
    ],
)
def test_wrong_variables(paths: Paths, env: dict[str, str], name: str, words: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(paths, env)
    text = caught.value.render("en")
    assert f"Environment variable {name}" in text.message
    assert words in text.message + text.remedy
    assert f"Biến môi trường {name}" in caught.value.render("vi").message
    assert caught.value.exit_code == 6


def test_home_and_empty_variables_are_no_mistake(paths: Paths) -> None:
    env = {"TROLY_HOME": "x", "TROLY_LANGUAGE": " ", "OLLAMA_PORT": "", "TROLYX": "1"}
    assert check_settings(paths, env) == []


def test_wrong_options(paths: Paths) -> None:
    problems = check_settings(paths, {}, {"budget.cals": 1, "budget.calls": "x", "theme": 3})
    assert [problem.render("en").message.split(":")[0] for problem in problems] == ["Command line"] * 3


def test_all_mistakes_are_told_together(paths: Paths) -> None:
    paths.config_file.write_text('langage = "vi"\n[budget]\ncalls = 0\n')
    with pytest.raises(SettingsError) as caught:
        load_settings(paths, {"TROLY_LANGUAGE": "fr"})
    assert len(caught.value.problems) == 3
    for lang in LANGS:
        line = caught.value.render(lang).line()
        for part in ("3", "(1)", "(2)", "(3)", "langage", "language", "budget.calls", "TROLY_LANGUAGE"):
            assert part in line
        assert "\n" not in line


def test_control_characters_of_a_file_are_not_repeated(paths: Paths) -> None:
    problem = only(paths, '"\\u001b]0;x\\u0007\\u202ebad" = 1\n')
    assert not any(letter in problem.render("en").line() for letter in "\x1b\x07\u202e")


@given(st.sampled_from(KEYS), st.data())
def test_a_slip_of_the_finger_finds_its_key(paths: Paths, key: str, data: st.DataObject) -> None:
    table, _, name = key.rpartition(".")
    place = data.draw(st.integers(0, len(name) - 1))
    slip = data.draw(st.sampled_from([name[:place] + name[place + 1 :], f"{name[:place]}x{name[place:]}"]))
    wrong = f"{table}.{slip}" if table else slip
    assume(slip and wrong not in specs())
    problem = only(paths, f"[{table}]\n{slip} = 1" if table else f"{slip} = 1")
    assert problem.key == wrong
    assert problem.nearest == key
    (told,) = check_settings(paths.__class__(paths.data, paths.data, paths.cache), {env_name(wrong): "1"})
    assert told.nearest == env_name(key)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_file_breaks_the_check(paths: Paths, data: bytes) -> None:
    paths.config_file.write_bytes(data)
    for problem in check_settings(paths, {}):
        for lang in LANGS:
            assert problem.render(lang).line()


def test_every_sentence_has_its_three_parts() -> None:
    areas = ("paths", "config", "identity", "access", "persona")
    keys = [key for key in core_catalogue().keys("errors") if key.split(".")[0] in areas]
    names = {key.rpartition(".")[0] for key in keys}
    assert len(keys) == 3 * len(names)
