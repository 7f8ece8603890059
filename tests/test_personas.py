"""The voices: the ones that ship, where they are looked for, and what is said of a wrong file."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.config.settings import PersonaSettings, Settings
from troly.errors import ConfigError
from troly.paths import Paths
from troly.personas import Persona, Personas
from troly.text.catalogue import LANGS, Lang
from troly.text.sanitize import sanitize

STEMS = ("shopping", "analysis", "rental", "dental", "rag")
GOOD = "# Voice\n\nSpeaks kindly.\n\nGreeting: Hello\nFollowUp: More?\nHotline: 1\n"


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    found = Paths.resolve({"TROLY_HOME": str(tmp_path)})
    found.ensure()
    found.user_personas.mkdir()
    return found


def refused(
    paths: Paths, settings: Settings | None = None, stem: str = "own", lang: Lang = "en"
) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        Personas(paths, settings or Settings(), "shopping").load(stem, lang)
    for each in LANGS:
        text = caught.value.render(each)
        assert text.title
        assert text.message
        assert text.remedy
        assert "{" not in text.line()
    return caught.value


@pytest.mark.parametrize("stem", STEMS)
@pytest.mark.parametrize("lang", LANGS)
def test_the_voices_that_ship(paths: Paths, stem: str, lang: Lang) -> None:
    persona = Personas(paths, Settings()).load(stem, lang)
    assert (persona.stem, persona.lang) == (stem, lang)
    assert "AI" in persona.text
    assert "AI" in persona.greeting
    assert persona.follow_up.endswith("?")
    assert any(letter.isdigit() for letter in persona.hotline)
    assert "<!--" not in persona.text
    assert "Greeting:" not in persona.text
    assert persona.prompt(Settings().persona.max_chars) == persona.text
    for text in (persona.text, persona.greeting, persona.follow_up, persona.hotline):
        assert text == sanitize(text).strip()


def test_the_shop_speaks_as_the_document_says(paths: Paths) -> None:
    persona = Personas(paths, Settings()).load("shopping", "vi")
    assert persona.greeting.startswith("Chào quý khách! Em là nhân viên SSTC, rất vui được hỗ trợ quý khách")
    assert persona.follow_up == (
        "Em còn có thể hỗ trợ tư vấn mua hàng, kiểm tra bảo hành hoặc trò chuyện cùng quý khách"
        " — quý khách muốn em giúp gì thêm không ạ?"
    )


def test_this_installations_own_voice_wins_and_edits_show_at_once(paths: Paths) -> None:
    personas = Personas(paths, Settings())
    own = paths.user_personas / "dental_en.md"
    own.write_text(GOOD)
    assert personas.load("dental", "en") == Persona(
        "dental", "en", "# Voice\n\nSpeaks kindly.", "Hello", "More?", "1"
    )
    own.write_text(GOOD.replace("Hello", "Hi"))
    assert personas.load("dental", "en").greeting == "Hi"
    assert personas.load("dental", "vi").greeting != "Hi"


@pytest.mark.parametrize(("name", "lang"), [("shop.md", "vi"), ("shop_vi.md", "vi"), ("shop_en.md", "en")])
def test_the_file_of_persona_path_is_the_shops(paths: Paths, tmp_path: Path, name: str, lang: Lang) -> None:
    file = tmp_path / name
    file.write_text("Nói ngắn.\nGreeting: Chào\nFollowUp: Gì nữa ạ?\n", encoding="utf-8")
    personas = Personas(paths, Settings(persona=PersonaSettings(path=file)), "shopping")
    standard = Personas(paths, Settings())
    persona = personas.load("shopping", lang)
    assert (persona.greeting, persona.follow_up) == ("Chào", "Gì nữa ạ?")
    assert persona.hotline == standard.load("shopping", lang).hotline
    other: Lang = "en" if lang == "vi" else "vi"
    assert personas.load("shopping", other) == standard.load("shopping", other)
    assert personas.load("rag", lang) == standard.load("rag", lang)


def test_a_persona_path_that_leads_nowhere(paths: Paths, tmp_path: Path) -> None:
    settings = Settings(persona=PersonaSettings(path=tmp_path / "none.md"))
    assert "PERSONA_PATH" in str(refused(paths, settings, "shopping", "vi"))
    folder = Settings(persona=PersonaSettings(path=tmp_path))
    assert refused(paths, folder, "shopping", "vi").key == "persona.unreadable"


@pytest.mark.parametrize(
    ("data", "key", "line"),
    [
        (b"", "persona.empty", 1),
        (b"\n \n", "persona.empty", 1),
        (b"Greeting: a\nFollowUp: b\nHotline: c\n", "persona.empty", 1),
        (b"<!-- only a comment -->\n", "persona.empty", 1),
        (GOOD.replace("Greeting:", "Hello:").encode(), "persona.line", 8),
        (GOOD.replace("FollowUp:", "followup").encode(), "persona.line", 8),
        (GOOD.replace("Hotline: 1\n", "").encode(), "persona.line", 7),
        (GOOD.replace("More?", "").encode(), "persona.blank", 6),
        (GOOD.replace("Hotline: 1", "Hotline: \x1b\u202e").encode(), "persona.blank", 7),
        ((GOOD + "Hotline: 2\n").encode(), "persona.twice", 8),
        (b"one\ntwo \xff\n", "persona.encoding", 2),
        (GOOD.encode("utf-16"), "persona.encoding", 1),
        (b"x" * 70_000, "persona.large", 0),
    ],
)
def test_wrong_files(paths: Paths, data: bytes, key: str, line: int) -> None:
    file = paths.user_personas / "own_en.md"
    file.write_bytes(data)
    error = refused(paths)
    assert error.key == key
    assert str(file) in str(error)
    if line:
        assert f"line {line}" in str(error)


def test_a_folder_in_place_of_the_file(paths: Paths) -> None:
    (paths.user_personas / "own_en.md").mkdir()
    assert refused(paths).key == "persona.unreadable"


@pytest.mark.parametrize("stem", ["own", "../shopping", "", "a/b"])
def test_a_voice_that_is_nowhere(paths: Paths, stem: str) -> None:
    error = refused(paths, stem=stem)
    assert error.key == "persona.missing"
    assert str(paths.user_personas) in str(error)


def test_line_ends_marks_and_control_characters_do_no_harm(paths: Paths) -> None:
    text = "\ufeff<!-- a\nb -->\nVoi\u0323ce\x1b[31m red\n\n\n\nGreeting:\tHi \x07there\nFollowUp : ?\nHotline: 1"
    (paths.user_personas / "own_en.md").write_bytes(text.replace("\n", "\r\n").encode())
    persona = Personas(paths, Settings()).load("own", "en")
    assert persona.text == "Vo\u1ecbce red"
    assert (persona.greeting, persona.follow_up) == ("Hi there", "?")


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("stem", ["shopping", "dental", "rag", "analysis"])
@given(limit=st.integers(150, 2_000))
def test_a_prompt_ends_with_a_sentence_or_a_line(stem: str, lang: Lang, limit: int) -> None:
    persona = Persona(stem, lang, _shipped(stem, lang), "", "", "")
    cut = persona.prompt(limit)
    assert len(cut) <= limit
    rest = persona.text[len(cut) :]
    assert not rest or rest[0] == "\n" or (rest[0] == " " and cut.endswith((".", "?", "!")))


@cache
def _shipped(stem: str, lang: Lang) -> str:
    found = next((Path(__file__).parents[1] / "personas").glob(f"{stem}*_{lang}.md"))
    return re.split(r"^Greeting:", found.read_text("utf-8").split("-->")[-1], flags=re.MULTILINE)[0].strip()


@given(st.text(alphabet="ab ế\n", max_size=60).map(str.strip), st.integers(-2, 70))
def test_a_prompt_is_cut_between_words(text: str, limit: int) -> None:
    cut = Persona("x", "vi", text, "", "", "").prompt(limit)
    assert len(cut) <= max(limit, 0)
    assert text.startswith(cut)
    assert cut == cut.rstrip()
    if cut and any(letter.isspace() for letter in cut):
        rest = text[len(cut) :]
        assert not rest or rest[0].isspace()
