"""Settings from their sources: who wins, what the documents' names do, and what is said of each value."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.modes.made import SECTIONS
from troly.config import load, schema, template
from troly.config.problems import SettingsError
from troly.config.schema import env_name, key_of
from troly.config.settings import Settings
from troly.paths import Paths
from troly.text.catalogue import LANGS, Lang, tr
from troly_dental.settings import DentalSettings
from troly_shopping.settings import GreetingSettings, IntentSettings

# With the tables of the assistants that ship.
check_settings = partial(load.check_settings, sections=SECTIONS)
explain = partial(load.explain, sections=SECTIONS)
load_settings = partial(load.load_settings, sections=SECTIONS)
write_default = partial(template.write_default, sections=SECTIONS)
specs = partial(schema.specs, SECTIONS)


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    found = Paths.resolve({"TROLY_HOME": str(tmp_path)})
    found.ensure()
    return found


def test_defaults_are_the_documents(paths: Paths) -> None:
    settings = load_settings(paths, {})
    assert settings == Settings()
    assert settings.ollama.url == "http://127.0.0.1:11434"
    assert (settings.models.chat, settings.models.small) == ("gpt-oss", "qwen2.5:7b-instruct")
    assert (settings.models.guard, settings.models.embed) == ("qwen2.5:3b-instruct", "bge-m3")
    assert settings.chroma.collection == "conversations_dev"
    assert settings.of(GreetingSettings).cute == "once"


def test_every_default_and_example_is_taken() -> None:
    for spec in specs().values():
        if spec.default is not None:
            assert spec.kind.accept(spec.default) == spec.default
        assert spec.kind.accept(json.loads(spec.about.example)) is not None


def test_later_sources_win(paths: Paths) -> None:
    paths.config_file.write_text('language = "vi"\n[budget]\ncalls = 2\n[chroma]\ncollection = "from-file"\n')
    env = {
        "TROLY_BUDGET__CALLS": "3",
        "TROLY_CHROMA__COLLECTION": "from-env",
        "CHROMA_COLLECTION": "from-document",
    }
    settings = load_settings(paths, env, {"budget.calls": 4, "mode": None})
    assert (settings.language, settings.budget.calls, settings.chroma.collection) == (
        "vi",
        4,
        "from-env",
    )
    said = {row.key: row.origin for row in explain(paths, env, {"budget.calls": 4})}
    assert said["language"] == "file"
    assert said["chroma.collection"] == "env TROLY_CHROMA__COLLECTION"
    assert said["budget.calls"] == "option"
    assert said["theme"] == "default"


def test_the_documents_names(paths: Paths, tmp_path: Path) -> None:
    env = {
        "PERSONA_PATH": str(tmp_path / "voice.md"),
        "PERSONA_MAX_CHARS": "1200",
        "INTENT_CONFIDENCE_THRESHOLD": "0.75",
        "CHROMA_COLLECTION": "shop",
    }
    settings = load_settings(paths, env)
    assert settings.persona.path == tmp_path / "voice.md"
    assert (settings.persona.max_chars, settings.of(IntentSettings).confidence_threshold) == (1200, 0.75)
    assert settings.chroma.collection == "shop"


@pytest.mark.parametrize(
    ("env", "url"),
    [
        ({"OLLAMA_HOST": "box"}, "http://box:11434"),
        ({"OLLAMA_HOST": "0.0.0.0"}, "http://127.0.0.1:11434"),
        ({"OLLAMA_HOST": "box", "OLLAMA_PORT": "99"}, "http://box:99"),
        ({"OLLAMA_HOST": "box:1", "OLLAMA_PORT": "99"}, "http://box:1"),
        ({"OLLAMA_PORT": "99"}, "http://127.0.0.1:99"),
        ({"OLLAMA_HOST": "box", "OLLAMA_BASE_URL": "http://other:5/"}, "http://other:5"),
        ({"OLLAMA_HOST": ""}, "http://127.0.0.1:11434"),
    ],
)
def test_the_address_of_ollama(paths: Paths, env: dict[str, str], url: str) -> None:
    assert load_settings(paths, env).ollama.url == url


def test_models_of_one_mode(paths: Paths) -> None:
    paths.config_file.write_text('[models]\nchat = "big"\n[models.shopping]\nchat = "tiny"\n')
    settings = load_settings(paths, {"TROLY_MODELS__DENTAL__GUARD": "watch"}, {"models.rag.small": "little"})
    models = settings.models
    assert [models.for_mode(mode, "chat") for mode in ("shopping", "rag")] == ["tiny", "big"]
    assert models.for_mode("dental", "guard") == "watch"
    assert models.for_mode("rag", "small") == "little"
    assert models.for_mode("rag", "embed") == "bge-m3"
    with pytest.raises(KeyError):
        models.for_mode("rag", "singer")
    assert "models.shopping.chat" in {row.key for row in explain(paths, {})}


def test_a_persona_path_in_the_file_is_beside_it(paths: Paths) -> None:
    paths.config_file.write_text('[persona]\npath = "voices/shop_vi.md"\n')
    assert load_settings(paths, {}).persona.path == paths.config / "voices" / "shop_vi.md"


def test_a_file_with_a_byte_order_mark_is_read(paths: Paths) -> None:
    paths.config_file.write_bytes(b'\xef\xbb\xbflanguage = "en"\r\n')
    assert load_settings(paths, {}).language == "en"


@pytest.mark.parametrize(("text", "value"), [("1", True), ("NO", False), ("off", False), ("True", True)])
def test_flags_as_text(paths: Paths, text: str, value: bool) -> None:
    assert load_settings(paths, {"TROLY_OLLAMA__FALLBACK_MODEL": text}).ollama.fallback_model is value


def test_the_environment_can_only_tighten_impersonation(paths: Paths) -> None:
    name = "TROLY_IDENTITY__IMPERSONATION"
    assert load_settings(paths, {name: "no"}).identity.impersonation == "no"
    with pytest.raises(SettingsError, match=name):
        load_settings(paths, {name: "yes"})
    paths.config_file.write_text('[identity]\nimpersonation = "yes"\n')
    assert load_settings(paths, {name: "yes"}).identity.impersonation == "yes"


@given(st.sampled_from(sorted(specs())))
def test_names_of_variables_lead_back_to_their_key(key: str) -> None:
    assert key_of(env_name(key)) == key
    assert env_name(key) in specs()[key].env


@given(st.integers(1, 100), st.floats(1, 3600), st.booleans(), st.sampled_from(["once", "always", "never"]))
def test_file_and_environment_say_the_same(calls: int, seconds: float, fallback: bool, cute: str) -> None:
    said: dict[str, Any] = {
        "budget.calls": calls,
        "budget.seconds": seconds,
        "ollama.fallback_model": fallback,
        "greeting.cute": cute,
    }
    nowhere = Paths(Path("/nowhere"), Path("/nowhere"), Path("/nowhere"))
    env = {env_name(key): str(value) for key, value in said.items()}
    assert load_settings(nowhere, env) == load_settings(nowhere, {}, said)


@pytest.mark.parametrize("lang", LANGS)
def test_the_template_is_right_as_it_stands_and_uncommented(paths: Paths, lang: Lang) -> None:
    path = write_default(paths, lang)
    assert load_settings(paths, {}) == Settings()
    text = path.read_text(encoding="utf-8")
    assert all(key.rpartition(".")[2] in text for key in specs())
    path.write_text("\n".join(line.removeprefix("# ") for line in text.splitlines()), encoding="utf-8")
    assert check_settings(paths, {}) == []
    assert load_settings(paths, {}).models.for_mode("my-assistant", "chat") == "gpt-oss:20b"
    kept = path.read_text(encoding="utf-8")
    assert write_default(paths, lang) == path
    assert path.read_text(encoding="utf-8") == kept


@pytest.mark.parametrize("lang", LANGS)
def test_every_setting_describes_itself(lang: Lang) -> None:
    for spec in specs().values():
        assert spec.describe(lang).endswith(".")
        type_ = tr(f"setting.expects.{spec.kind.name}", lang, **spec.kind.limits)
        assert type_
        assert "{" not in type_
        assert spec.env[0].startswith("TROLY_")


def test_modes_that_are_not_installed_are_told_when_asked(paths: Paths) -> None:
    paths.config_file.write_text('mode = "shoping"\n[models.rga]\nchat = "x"\n')
    assert check_settings(paths, {}) == []
    problems = check_settings(paths, {}, modes=["shopping", "rag"])
    assert [(problem.key, problem.nearest) for problem in problems] == [
        ("mode", "shopping"),
        ("models.rga.chat", "rag"),
    ]


def test_a_secret_is_never_listed_nor_told_when_it_is_refused(paths: Paths) -> None:
    env = {"MCP_SERVER_TOKEN": "rat-bi-mat", "MCP_SERVER_URL": "http://127.0.0.1:8001"}
    assert load_settings(paths, env).of(DentalSettings).mcp_server_token == "rat-bi-mat"
    assert "rat-bi-mat" not in str(explain(paths, env))
    problems = check_settings(paths, {"MCP_SERVER_TOKEN": "rat-bi-mat\x07"})
    assert [problem.key for problem in problems] == ["dental.mcp_server_token"]
    assert "rat-bi-mat" not in str(problems)
