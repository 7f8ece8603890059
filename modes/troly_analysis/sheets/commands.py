"""Declares the commands about sheets, `app sheets …` and `app ingest sheet`; what they do is imported when they run."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from troly.plugin.contract import ByLang, Command, Ingest, Parameter, TalkCommand
from troly.text.catalogue import LANGS
from troly_analysis.strings import catalogue, say


def _in_words(key: str) -> ByLang:
    return {lang: say(key, lang) for lang in LANGS}


def _lazy(target: str) -> Callable[[Any], Any]:
    """The function `module:name` of this package, imported when it is called."""

    def run(request: Any) -> Any:
        module, _, name = target.partition(":")
        return getattr(import_module(f"troly_analysis.sheets.{module}"), name)(request)

    return run


_SHEET = Parameter("sheet", _in_words("sheets.sheet_help"), "SHEET", required=True)

COMMANDS = (
    Command(
        path=("sheets", "list"),
        help=_in_words("sheets.list_help"),
        example="app sheets list\napp sheets list --json",
        run=_lazy("command_handlers:list_sheets"),
        takes=("csv", "user"),
    ),
    Command(
        path=("sheets", "show"),
        help=_in_words("sheets.show_help"),
        example='app sheets show "Đơn hàng"',
        run=_lazy("command_handlers:show_sheet"),
        parameters=(_SHEET,),
        takes=("csv", "user"),
    ),
    Command(
        path=("sheets", "remove"),
        help=_in_words("sheets.remove_help"),
        example='app sheets remove "Đơn hàng"',
        run=_lazy("command_handlers:remove_sheet"),
        parameters=(_SHEET,),
        takes=("user",),
    ),
    Command(
        path=("sheets", "metric"),
        help=_in_words("sheets.metric_help"),
        example=(
            'app sheets metric "Đơn hàng" "doanh thu thuần = sum(Doanh thu) where Trạng thái = \'Hoàn thành\'"\n'
            'app sheets metric "Đơn hàng"\n'
            'app sheets metric "Đơn hàng" --remove "doanh thu thuần"'
        ),
        run=_lazy("command_handlers:metric"),
        parameters=(
            _SHEET,
            Parameter("definition", _in_words("sheets.definition_help"), "DEFINITION"),
            Parameter("--remove", _in_words("sheets.remove_metric_help"), "NAME"),
        ),
        takes=("user",),
    ),
    Command(
        path=("sheets", "pipeline"),
        help=_in_words("sheets.pipeline_help"),
        example='app sheets pipeline "Đơn hàng" pipeline.json\napp sheets pipeline "Đơn hàng" pipeline.json --json',
        run=_lazy("command_handlers:pipeline"),
        parameters=(_SHEET, Parameter("file", _in_words("sheets.pipeline_file_help"), "FILE", required=True)),
        takes=("csv", "now", "user"),
    ),
    Command(
        path=("sheets", "operators"),
        help=_in_words("query.operators_help"),
        example="app sheets operators\napp sheets operators --json",
        run=_lazy("command_handlers:operators"),
        takes=("csv",),
    ),
    Command(
        path=("sheets", "export"),
        help=_in_words("export.help"),
        example="app sheets export --to ket-qua.xlsx\napp sheets export ID --to bieu-do.svg",
        run=_lazy("export:export_result"),
        parameters=(
            Parameter("conversation", _in_words("export.conversation"), "ID"),
            Parameter("--to", _in_words("export.to"), "FILE", required=True),
            Parameter("--replace", _in_words("export.replace")),
        ),
        takes=("user",),
    ),
)

INGESTS = (
    Ingest(
        name="sheet",
        help=_in_words("sheets.ingest_help"),
        example='app ingest sheet data/sheets/don-hang.csv --name "Đơn hàng"\napp ingest sheet bao-cao.xlsx --worksheet 1 --dry-run',
        run=_lazy("ingest:ingest_sheet"),
        parameters=(
            Parameter("--name", _in_words("sheets.name_help"), "NAME"),
            Parameter("--worksheet", _in_words("sheets.worksheet_help"), "NAME"),
        ),
        takes=("user",),
        merges=False,
    ),
)

TALK = (
    TalkCommand(
        "pipeline",
        catalogue().entry("strings.mentions.pipeline"),  # type: ignore[arg-type]
        "[{…}]",
    ),
)
