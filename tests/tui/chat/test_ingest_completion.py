"""Loading data with options from the screen: `/ingest KIND FILE --option value`, completed while one types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from tests.support.process.waiting import until
from tests.support.screen.screens import Scene, begin, settle
from tests.tui.chat.test_jobs import typed, working
from troly.errors import InputError
from troly.plugin.ingest_arguments import kinds, quoted, read_order, words
from troly.plugin.registry import Registry
from troly.text.catalogue import LANGS
from troly.tui.chat.completion import line_part, part_completions
from troly.tui.dialogs.choose import ChooseScreen, path_choices
from troly.tui.operations import complete_path

KINDS = kinds(Registry())
SHEET = "Ngày,Doanh thu\n2026-11-02,100\n2026-11-03,hai\n"


# --- the line


@given(
    st.lists(
        st.text(min_size=1, max_size=12).filter(lambda word: word.strip() == word and word.isprintable())
    )
)
def test_words_are_read_as_they_are_written(given: list[str]) -> None:
    line = " ".join(quoted(word) for word in given)
    assert [word.text for word in words(line) if word.text] == given


@given(st.text())
def test_any_line_is_an_order_or_a_sentence(line: str) -> None:
    for lang in LANGS:
        try:
            read_order(line, KINDS, lang)
        except InputError as error:
            text = error.render(lang)
            assert text.title
            assert text.message
            assert text.remedy
    for offer in part_completions(line_part(line, KINDS), KINDS, "vi"):
        assert offer.whole or offer.text


def test_options_are_those_of_the_command_line() -> None:
    order = read_order('sheet "đơn hàng.csv" --name "Đơn hàng" -n --errors=lỗi.csv', KINDS, "vi")
    assert order.files == ("đơn hàng.csv",)
    assert order.values == {"name": "Đơn hàng", "dry_run": True, "errors": "lỗi.csv"}
    policies = read_order("policies docs/ --agent hr --scope internal --department hr", KINDS, "vi")
    assert policies.values == {"agent": "hr", "scope": "internal", "department": "hr"}
    assert read_order("warranty a.csv --replace", KINDS, "vi").values == {"replace": True}
    assert read_order("knowledge a.md b/ -c x", KINDS, "vi").files == ("a.md", "b/")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "warranty, products"),
        ("warantee a.csv", "warranty, products"),
        ('sheet "a.csv', '"a.csv'),
        ("sheet a.csv --nmae x", "[--name NAME]"),
        ("sheet a.csv --name", "--name NAME"),
        ("sheet a.csv --name --dry-run", "--name NAME"),
        ("sheet a.csv --dry-run=yes", "--dry-run"),
        ("sheet a.csv --replace", "--replace"),
        ("sheet a.csv b.csv", "a.csv, b.csv"),
    ],
)
def test_what_cannot_be_read_is_a_sentence_with_what_to_write(line: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        read_order(line, KINDS, "vi")
    assert says in caught.value.render("vi").line()


@pytest.mark.parametrize(
    ("line", "what", "offered"),
    [
        ("", "kind", "warranty"),
        ("bao hanh", "nothing", ""),
        ("shee", "kind", "sheet"),
        ("sheet ", "path", ""),
        ("sheet a.csv", "path", ""),
        ("sheet a.csv ", "option", "Nạp ngay"),
        ("sheet a.csv --na", "option", "--name NAME"),
        ("sheet a.csv --name ", "value", ""),
        ("sheet a.csv --errors x", "path", ""),
        ("sheet a.csv --name x ", "option", "Nạp ngay"),
    ],
)
def test_what_comes_next(line: str, what: str, offered: str) -> None:
    part = line_part(line, KINDS)
    offers = part_completions(part, KINDS, "vi")
    assert part.what == what
    assert (offers[0].title if offers else "") == offered
    if "--name x" in line:
        assert "--name NAME" not in [one.title for one in offers]


# --- on the screen


async def write(app: Scene, pilot: Pilot[Any], text: str) -> None:
    """Type into the input."""
    app.chat.prompt.put(text)
    await settle(app, pilot)


async def test_a_sheet_is_loaded_under_a_name_while_one_types(own_home: Path, tmp_path: Path) -> None:
    (tmp_path / "đơn hàng.csv").write_text(SHEET, "utf-8")
    async with working(own_home) as (app, pilot, jobs):
        app.fake.results["complete_path"] = path_choices("folder")(f"{tmp_path}/don")
        await write(app, pilot, "/ingest she")
        await pilot.press("tab")
        assert app.chat.prompt.text == "/ingest sheet "
        await write(app, pilot, f"/ingest sheet {tmp_path}/don")
        await until(lambda: app.chat.offers.shown)
        await pilot.press("tab")
        assert app.chat.prompt.text == f'/ingest sheet "{tmp_path}/đơn hàng.csv" '
        # What is typed is kept as a draft now and then.
        assert [name for name, _ in app.fake.calls if name != "save_input"][-1] == "complete_path"
        assert [one.title for one in app.chat.offers.offers][:2] == ["Load now", "--name NAME"]
        await pilot.press("down", "tab")
        await pilot.press(*"Don", "enter")
        await until(lambda: bool(jobs.ended))
        await settle(app, pilot)
        assert "đơn hàng.csv: done." in app.shown
        assert "“Don”" in app.shown
        # What was doubtful in it is named.
        assert "kept as text" in app.shown
        assert app.chat.prompt.text == ""


async def test_enter_loads_what_is_written_and_a_dry_run_changes_nothing(
    own_home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "list.csv"
    file.write_text("serial,product_name,warranty_end_date\nQQ9911,Loa,2027-01-31\n", "utf-8")
    async with working(own_home) as (app, pilot, jobs):
        await write(app, pilot, f"/ingest warranty {file} --dry-run")
        await pilot.press("escape", "enter")
        await until(lambda: bool(jobs.ended))
        await settle(app, pilot)
        assert "nothing was changed" in app.shown
        assert jobs.ended[0].changed is False


@pytest.mark.parametrize(
    "line", ["/ingest sheet x.csv --colour red", "/ingest nothing x.csv", '/ingest sheet "x']
)
async def test_what_cannot_be_loaded_is_a_card(own_home: Path, line: str) -> None:
    async with working(own_home) as (app, pilot, jobs):
        await write(app, pilot, line)
        await pilot.press("escape", "enter")
        await until(lambda: bool(app.controller.pane.messages))
        await settle(app, pilot)
        assert "×" in app.shown
        assert "ask again" not in app.shown
        assert not jobs.ended


async def test_the_dialogs_offer_the_options_too(own_home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(SHEET, "utf-8")
    async with working(own_home) as (app, pilot, jobs):
        await app.run_action("ingest('sheet')")
        await typed(app, pilot, "", f"{tmp_path}/a.csv")
        await until(lambda: isinstance(app.screen, ChooseScreen) and "a.csv" in str(app.screen._title))
        await pilot.press(*"--na", "enter", *"Thu", "enter")
        await until(lambda: bool(jobs.ended))
        assert jobs.ended[0].error is None
        await settle(app, pilot)
        assert "Thu" in app.shown


async def test_a_model_is_pulled_by_name() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        app.chat.prompt.put("/pull llama3:8b")
        await pilot.press("escape", "enter")
        await until(lambda: bool(app.fake.jobs))
        assert app.fake.jobs[0][0].model == "llama3:8b"  # type: ignore[union-attr]
        await pilot.pause()
        await pilot.click(app.chat.status, offset=(3, 0))
        await until(lambda: bool(app.fake.cancelled))


def test_folders_are_read_for_the_line(tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    found = complete_path(None, f"{tmp_path}/a", "vi")  # type: ignore[arg-type]
    assert [one.title for one in found] == ["a b/"]


def test_paths_are_completed_without_diacritics_and_folders_go_further(tmp_path: Path) -> None:
    (tmp_path / "Dữ liệu").mkdir()
    (tmp_path / "dữ.csv").write_text("")
    (tmp_path / ".kín").write_text("")
    offered = path_choices("this folder")(f"{tmp_path}/du")
    assert [(one.title, one.further) for one in offered] == [("Dữ liệu/", True), ("dữ.csv", False)]
    inside = path_choices("this folder")(f"{tmp_path}/")
    assert inside[0].title == "this folder"
    assert ".kín" not in [one.title for one in inside]
    assert path_choices("x")(f"{tmp_path}/none/at/all") == []
