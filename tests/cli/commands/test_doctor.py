"""`app doctor`, `app config` and `app modes`: what is well, what is not, and what to do about it."""

from __future__ import annotations

import json
import sqlite3
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

from tests.support.ollama.double import OllamaDouble
from tests.support.process.command_line import CommandLine
from tests.support.stores.s3 import S3Server
from troly.config.load import load_settings
from troly.paths import Paths
from troly.stores.shared_files import open_files


def test_without_ollama_there_are_warnings_and_no_failure(app: CommandLine) -> None:
    ran = app.run("doctor", "--json")
    assert ran.code == 0
    report = json.loads(ran.out)
    assert report["ok"] is True
    checks = {check["name"]: check for check in report["checks"]}
    assert {
        "python",
        "disk",
        "settings",
        "identity",
        "state.db",
        "chroma",
        "ollama",
        "mode shopping",
        "terminal",
    } <= set(checks)
    assert checks["ollama"]["level"] == "warning"
    assert checks["ollama"]["remedy"]
    text = app.run("doctor", "--lang", "vi")
    assert text.code == 0
    assert "cảnh báo  ollama" in text.out
    assert "cảnh báo" in text.err.splitlines()[-1]
    assert "\x1b" not in text.out


def test_each_wanted_model_has_its_line(app: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    with OllamaDouble() as server:
        del server.models["bge-m3:latest"]
        server.models["qwen2.5:7b-instruct"] = ["embedding"]
        server.context = 2048
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        checks = {check["name"]: check for check in json.loads(app.run("doctor", "--json").out)["checks"]}
    assert checks["ollama"]["level"] == "ok"
    assert checks["model gpt-oss"]["level"] == "ok"
    assert all(fact in checks["model gpt-oss"]["message"] for fact in ("chat", "thinking", "2048", "8192"))
    assert checks["model qwen2.5:7b-instruct"]["level"] == "warning"
    assert "completion" in checks["model qwen2.5:7b-instruct"]["remedy"]
    assert (checks["model bge-m3"]["level"], checks["model bge-m3"]["remedy"]) == (
        "warning",
        "Get it with `app models pull bge-m3`.",
    )


def test_wrong_settings_fail_and_the_rest_is_still_looked_at(app: CommandLine, own_home: Path) -> None:
    (own_home / "config").mkdir(parents=True)
    (own_home / "config" / "config.toml").write_text(
        'langauge = "vi"\n[ollama]\nread_timeout = "long"\n', encoding="utf-8"
    )
    ran = app.run("doctor", "--json")
    assert ran.code == 1
    levels = [(check["name"], check["level"]) for check in json.loads(ran.out)["checks"]]
    assert levels.count(("settings", "failure")) == 2
    assert ("mode shopping", "ok") in levels
    checked = app.run("config", "check")
    assert (checked.code, checked.out) == (6, "")
    assert len(checked.err.splitlines()) == 2
    assert app.run("config", "show").code == 6


def test_a_damaged_database_is_set_aside_and_named(app: CommandLine, own_home: Path) -> None:
    (own_home / "data").mkdir(parents=True, mode=0o700)
    (own_home / "data" / "state.db").write_bytes(b"this is no database" * 500)
    ran = app.run("doctor", "--json")
    assert ran.code == 0
    warned = [
        check
        for check in json.loads(ran.out)["checks"]
        if check["name"] == "state.db" and check["level"] == "warning"
    ]
    assert "set-aside" in warned[0]["message"]
    assert len(list((own_home / "data" / "set-aside").iterdir())) == 1


@pytest.mark.parametrize("folder", ["chroma", "memory"])
def test_damaged_vectors_are_set_aside_and_named(app: CommandLine, own_home: Path, folder: str) -> None:
    assert app.run("conversations", "list").code == 0
    damaged = getattr(Paths.resolve({"TROLY_HOME": str(own_home)}), folder)
    damaged.mkdir(parents=True)
    (damaged / "chroma.sqlite3").write_bytes(b"this is no database" * 500)
    ran = app.run("doctor", "--json")
    checks = [check for check in json.loads(ran.out)["checks"] if check["name"] == damaged.name]
    warned = [check for check in checks if check["level"] == "warning"]
    assert len(warned) == 1
    assert "set-aside" in warned[0]["message"]
    assert not (damaged / "chroma.sqlite3").exists()
    later = json.loads(app.run("doctor", "--json").out)["checks"]
    assert not [check for check in later if check["name"] == damaged.name and check["level"] == "warning"]


def test_a_database_of_a_newer_version_is_a_failure(app: CommandLine, own_home: Path) -> None:
    assert app.run("conversations", "list").code == 0
    with sqlite3.connect(own_home / "data" / "state.db") as connection:
        connection.execute("INSERT INTO migrations VALUES ('9999_later', '2030-01-01', 'x')")
    connection.close()
    ran = app.run("doctor", "--json")
    assert ran.code == 1
    assert app.run("conversations", "list").code == 4


def test_a_broken_third_party_mode_is_a_warning_and_harms_nobody(app: CommandLine, third_party: Path) -> None:
    checks = {check["name"]: check for check in json.loads(app.run("doctor", "--json").out)["checks"]}
    assert checks["mode torn"]["level"] == "warning"
    assert "torn apart" in checks["mode torn"]["message"]
    rows = {row["id"]: row for row in app.run("modes", "--json").events}
    assert rows["torn"]["broken"]
    assert rows["slow"]["ready"]
    table = app.run("modes", "--lang", "vi").out
    assert "hỏng" in table
    assert "Chậm" in table


def test_config_show_tells_where_the_environment_puts_vectors_and_database(
    app: CommandLine, own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """000-64."""
    names = ("CHROMA_PATH", "DATABASE_URL")
    shown = {line["key"]: line for line in app.run("config", "show", "--json").events}
    assert [shown[name]["origin"] for name in names] == ["default", "default"]
    said = (str(tmp_path / "vectors"), f"sqlite:///{tmp_path / 'db' / 'app.db'}")
    for name, value in zip(names, said, strict=True):
        monkeypatch.setenv(name, value)
    shown = {line["key"]: line for line in app.run("config", "show", "--json").events}
    assert tuple(shown[name]["value"] for name in names) == said
    assert [shown[name]["origin"] for name in names] == [f"env {name}" for name in names]


def test_config_show_path_and_init(app: CommandLine, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TROLY_MODE", "rag")
    shown = {line["key"]: line for line in app.run("config", "show", "--json").events}
    assert (shown["mode"]["value"], shown["mode"]["origin"]) == ("rag", "env TROLY_MODE")
    assert "ollama.url" in app.run("config", "show").out
    places = json.loads(app.run("config", "path", "--json").out)
    assert places["state"] == str(own_home / "data" / "state.db")
    file = own_home / "config" / "config.toml"
    assert app.run("config", "init").out.strip() == str(file)
    assert file.exists()
    assert app.run("config", "init").err == ""
    right = app.run("config", "check")
    assert (right.code, right.out) == (0, "")


def test_the_compose_file_is_whole_and_its_settings_are_known(app: CommandLine, tmp_path: Path) -> None:
    written = app.run("deploy", "compose")
    assert written.code == 0
    found = yaml.safe_load(written.out)
    services = found["services"]
    assert set(services) == {"troly1", "troly2", "postgres", "chroma", "s3", "ollama"}
    assert services["chroma"]["image"] == f"chromadb/chroma:{version('chromadb')}"
    for server in (services["troly1"], services["troly2"]):
        env = {**server["environment"], "TROLY_HOME": str(tmp_path)}
        assert load_settings(Paths.resolve(env), env).server.host == "0.0.0.0"
        assert {name.partition(":")[0] for name in server["volumes"]} <= set(found["volumes"])
        assert set(server["depends_on"]) <= set(services)
        assert all(port.startswith("127.0.0.1:") for port in server["ports"])


def test_the_shared_folder_is_written_and_one_that_is_not_there_is_told(
    app: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    monkeypatch.setenv("TROLY_FILES__URL", str(shared))
    missing = app.run("deploy", "check")
    assert missing.code == 1
    assert str(shared) in missing.out
    assert not shared.exists()
    shared.mkdir()
    assert f"files: {shared}" in app.run("deploy", "check").out
    assert list(shared.iterdir()) == []


@pytest.mark.usefixtures("s3_keys")
def test_the_bucket_is_written_and_one_that_is_not_there_is_told(
    app: CommandLine, s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TROLY_FILES__ENDPOINT", s3.url)
    monkeypatch.setenv("TROLY_FILES__URL", "s3://not-there/files")
    missing = app.run("deploy", "check")
    assert missing.code == 1
    assert "s3://not-there/files" in missing.out
    url = f"s3://{s3.bucket()}/files"
    monkeypatch.setenv("TROLY_FILES__URL", url)
    assert f"files: {url}" in app.run("deploy", "check").out
    assert open_files(url, s3.url).sweep(()) == 0
