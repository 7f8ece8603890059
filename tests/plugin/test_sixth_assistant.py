"""A sixth assistant, built and installed as a distribution of its own, uses every door; nothing else of the program changes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = Path(__file__).parent / "sixth"
SCREEN = """
import asyncio
from datetime import datetime
from tests.support.process.waiting import until
from tests.support.screen.screens import text_of
from troly.tui.app import TrolyApp
from troly.tui.backend import SessionBackend
from troly.tui.startup import prepare_start

async def main():
    start = prepare_start(None, None, "weather", "vi")
    app = TrolyApp(
        lambda deliver: SessionBackend(start.open_session, deliver),
        mode=start.mode, language="vi", theme="dark", now=lambda: datetime.now().astimezone(), keys=start.keys,
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: app.chat.prompt.has_focus and app.controller.opened, 60)
        app.chat.prompt.put("Nhiệt độ ở Huế?")
        await pilot.press("enter")
        await until(lambda: "Huế: 29°C." in text_of(app.chat.transcript), 60)
    await asyncio.to_thread(app.close_backend)
    print("shown")

asyncio.run(main())
"""
CONFORMS = """
import asyncio
from pathlib import Path
from tests.support.stores.services import profile, services_at
from troly.conversation.conformance import check_mode
from troly.conversation.session import Session
from troly.plugin.registry import Registry
registry = Registry()
with services_at(Path("conforms"), registry) as services:
    print(asyncio.run(check_mode(registry.get("weather"), Session(services, registry, profile()))))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the distribution is installed from its wheel."""
    folder = tmp_path_factory.mktemp("sixth")
    offline = ("--offline", "--quiet")
    subprocess.run(["uv", "build", "--wheel", *offline, "--out-dir", folder, SOURCE], check=True)
    [wheel] = folder.glob("*.whl")
    target = folder / "site"
    install = ["uv", "pip", "install", *offline, "--python", sys.executable, "--no-deps"]
    subprocess.run([*install, "--target", target, wheel], check=True)
    return target


class Person:
    """Somebody with that installation and a home of their own."""

    def __init__(self, installed: Path, home: Path) -> None:
        path = os.pathsep.join((str(installed), str(ROOT)))
        self.home = home
        self.env = {
            **os.environ,
            "PYTHONPATH": path,
            "TROLY_HOME": str(home / "home"),
            "TROLY_LANGUAGE": "vi",
        }
        home.mkdir(exist_ok=True)

    def run(self, *args: str, code: int = 0, env: Mapping[str, str] | None = None) -> str:
        done = subprocess.run(
            [sys.executable, *args], cwd=self.home, env={**self.env, **(env or {})},
            capture_output=True, text=True, timeout=110, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def app(self, *args: str, code: int = 0, **env: str) -> str:
        return self.run("-m", "troly", *args, code=code, env=env)


@pytest.fixture
def person(installed: Path, tmp_path: Path) -> Person:
    return Person(installed, tmp_path / "person")


def test_the_command_line_uses_every_door(person: Person) -> None:
    assert "Thời tiết" in person.app("modes")
    assert "Huế: 29°C." in person.app("ask", "--mode", "weather", "--offline", "Nhiệt độ ở Huế?")
    assert "84.2°F" in person.app(
        "ask", "--mode", "weather", "--offline", "Nhiệt độ ở Huế?", TROLY_WEATHER__UNIT="f"
    )
    file = person.home / "do.csv"
    file.write_text("Vinh,31\n", encoding="utf-8")
    person.app("ingest", "weather", str(file))
    assert "Vinh" in person.app("weather", "cities")
    file.write_text("nothing\n", encoding="utf-8")
    refused = person.app("ingest", "weather", str(file), code=3)
    assert "Không có số đo nào" in refused


def test_its_settings_are_checked_and_shown_as_the_programs_own(person: Person) -> None:
    assert "weather.unit" in person.app("config", "show")
    told = person.app("config", "check", code=6, TROLY_WEATHER__UNIT="kelvin")
    assert "c, f" in told
    assert "TROLY_WEATHER__UNIT" in person.app("config", "check", code=6, TROLY_WEATHER__UNTI="f")


def test_the_screen_answers_with_it(person: Person) -> None:
    assert "shown" in person.run("-c", SCREEN)


def test_it_conforms(person: Person) -> None:
    assert person.run("-c", CONFORMS).strip().splitlines()[-1] == "[]"


def test_the_page_about_writing_one_shows_this_one() -> None:
    page = (ROOT / "modes" / "README.md").read_text("utf-8")
    blocks = [part.split("\n", 1)[1].strip() for part in page.split("```")[1::2]]
    files = [path.read_text("utf-8") for path in SOURCE.rglob("*") if path.suffix in (".py", ".toml")]
    assert len(blocks) == 5
    assert not [block for block in blocks if not any(block in file for file in files)]
