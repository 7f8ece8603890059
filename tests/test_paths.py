"""The folders: where they are, that they are private, and what is said when they cannot be had."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.process.unprivileged import run_unprivileged
from troly.errors import ConfigError, StoreError
from troly.paths import Paths
from troly.text.catalogue import LANGS


def home(folder: Path) -> Paths:
    return Paths.resolve({"TROLY_HOME": str(folder)})


def test_one_folder_holds_everything(tmp_path: Path) -> None:
    paths = home(tmp_path)
    assert (paths.data, paths.config, paths.cache) == (
        tmp_path / "data",
        tmp_path / "config",
        tmp_path / "cache",
    )
    assert paths.state_db == tmp_path / "data" / "state.db"
    assert paths.config_file == tmp_path / "config" / "config.toml"
    assert paths.users_file == tmp_path / "config" / "users.toml"
    inside = (paths.datasets, paths.chroma, paths.set_aside, paths.history)
    assert all(path.parent == paths.data for path in inside)
    assert paths.user_personas.parent == paths.config


def test_relative_and_home_folders_become_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Paths.resolve({"TROLY_HOME": "here"}).data == tmp_path / "here" / "data"
    assert Paths.resolve({"TROLY_HOME": "~/troly"}).data == tmp_path / "troly" / "data"


@pytest.mark.parametrize("env", [{}, {"TROLY_HOME": "  "}])
def test_without_it_the_platform_decides(env: dict[str, str]) -> None:
    paths = Paths.resolve(env)
    assert "troly" in str(paths.data)
    assert paths.data.is_absolute()


def test_ensure_makes_private_folders(tmp_path: Path) -> None:
    paths = home(tmp_path / "new" / "place")
    before = os.umask(0)
    try:
        paths.ensure()
    finally:
        os.umask(before)
    assert [folder.stat().st_mode & 0o777 for folder in (paths.data, paths.config, paths.cache)] == [
        0o700
    ] * 3
    paths.ensure()


def test_ensure_leaves_a_shared_folder_shared(tmp_path: Path) -> None:
    paths = home(tmp_path)
    paths.data.mkdir()
    paths.data.chmod(0o770)
    paths.ensure()
    assert paths.data.stat().st_mode & 0o777 == 0o770


@pytest.mark.parametrize("name", ["data", "cache"])
def test_a_file_in_the_way_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("x")
    with pytest.raises(StoreError) as caught:
        home(tmp_path).ensure()
    for lang in LANGS:
        text = caught.value.render(lang)
        assert str(tmp_path / name) in text.message
        assert "TROLY_HOME" in text.remedy


def test_a_file_instead_of_the_settings_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("x")
    with pytest.raises(ConfigError, match="TROLY_HOME"):
        home(tmp_path).ensure()


def test_a_file_as_home_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="TROLY_HOME"):
        home(tmp_path / "file").ensure()


def test_a_place_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="TROLY_HOME"):
        home(tmp_path / ("x" * 300)).ensure()


PREPARE = """
from troly.errors import StoreError
from troly.paths import Paths
StoreError("paths.create", path="", variable="").render("vi")
"""
ENSURE = """
try:
    Paths.resolve({"TROLY_HOME": str(folder)}).ensure()
except StoreError as error:
    print(error.key, error.render("vi").remedy, sep="|")
"""


@pytest.mark.parametrize(("made", "key"), [(True, "paths.read_only"), (False, "paths.create")])
def test_no_right_to_write_is_told(tmp_path: Path, made: bool, key: str) -> None:
    place = tmp_path / "closed"
    place.mkdir()
    if made:
        (place / "data").mkdir()
        (place / "data").chmod(0o555)
    place.chmod(0o555)
    told = run_unprivileged(PREPARE, ENSURE, place)
    place.chmod(0o755)
    assert told.startswith(f"{key}|")
    assert "TROLY_HOME" in told


def test_the_documents_names_put_vectors_and_database_elsewhere(tmp_path: Path) -> None:
    """000-64."""
    env = {
        "TROLY_HOME": str(tmp_path / "home"),
        "CHROMA_PATH": str(tmp_path / "vectors"),
        "DATABASE_URL": f"sqlite:///{tmp_path / 'db' / 'app.db'}",
    }
    paths = Paths.resolve(env)
    paths.ensure()
    assert (paths.chroma, paths.state_db) == (tmp_path / "vectors", tmp_path / "db" / "app.db")
    assert paths.chroma.is_dir()
    assert paths.state_db.parent.is_dir()
    assert paths.datasets == tmp_path / "home" / "data" / "datasets"


@pytest.mark.parametrize("url", ["postgresql://host/db", "mysql://x", "sqlite:///", "nonsense"])
def test_a_database_without_a_driver_is_named(tmp_path: Path, url: str) -> None:
    paths = Paths.resolve({"TROLY_HOME": str(tmp_path), "DATABASE_URL": url})
    with pytest.raises(ConfigError) as raised:
        paths.ensure()
    assert raised.value.key == "paths.database_url"
    for lang in LANGS:
        assert "DATABASE_URL" in raised.value.render(lang).message
