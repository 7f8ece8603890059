"""Declares the commands about sheets, `app sheets …` and `app ingest sheet`; what they do is imported when they run."""

from __future__ import annotations

from typing import Literal

from troly.plugin.contract import Command, Ingest, Lazy, Memories, Parameter, QueryEditor, TalkCommand
from troly_analysis.strings import TEXTS

Takes = Literal["csv", "now", "user"]


def _lazy(target: str) -> Lazy:
    return Lazy(f"troly_analysis.sheets.{target}")


_SHEET = Parameter("sheet", TEXTS.both("sheets.sheet_help"), "SHEET", required=True)


def _command(
    name: str, text: str, example: str, run: str, *parameters: Parameter, takes: tuple[Takes, ...] = ("user",)
) -> Command:
    """`app sheets NAME`, with the key of its help and the function that runs it."""
    path = ("sheets", name)
    return Command(
        path=path, help=TEXTS.both(text), example=example, run=_lazy(run), parameters=parameters, takes=takes
    )


COMMANDS = (
    _command(
        "list", "sheets.list_help", "app sheets list\napp sheets list --json", "command_handlers:list_sheets",
        takes=("csv", "user"),
    ),
    _command(
        "show", "sheets.show_help", 'app sheets show "Đơn hàng"', "command_handlers:show_sheet", _SHEET,
        takes=("csv", "user"),
    ),
    _command(
        "remove", "sheets.remove_help", 'app sheets remove "Đơn hàng"', "command_handlers:remove_sheet", _SHEET,
    ),
    _command(
        "metric", "sheets.metric_help",
        'app sheets metric "Đơn hàng" "doanh thu thuần = sum(Doanh thu) where Trạng thái = \'Hoàn thành\'"\n'
        'app sheets metric "Đơn hàng"\n'
        'app sheets metric "Đơn hàng" --remove "doanh thu thuần"',
        "command_handlers:metric", _SHEET,
        Parameter("definition", TEXTS.both("sheets.definition_help"), "DEFINITION"),
        Parameter("--remove", TEXTS.both("sheets.remove_metric_help"), "NAME"),
    ),
    _command(
        "pipeline", "sheets.pipeline_help",
        'app sheets pipeline "Đơn hàng" pipeline.json\napp sheets pipeline "Đơn hàng" pipeline.json --json',
        "command_handlers:pipeline", _SHEET,
        Parameter("file", TEXTS.both("sheets.pipeline_file_help"), "FILE", required=True),
        takes=("csv", "now", "user"),
    ),
    _command(
        "operators", "query.operators_help", "app sheets operators\napp sheets operators --json",
        "command_handlers:operators", takes=("csv",),
    ),
    _command(
        "export", "export.help", "app sheets export --to ket-qua.xlsx\napp sheets export ID --to bieu-do.svg",
        "export:export_result",
        Parameter("conversation", TEXTS.both("export.conversation"), "ID"),
        Parameter("--to", TEXTS.both("export.to"), "FILE", required=True),
        Parameter("--replace", TEXTS.both("export.replace")),
    ),
)  # fmt: skip

_CHANGE = _lazy("command_handlers:change_metric")
MEMORIES = Memories(_lazy("command_handlers:remembered"), _CHANGE, _CHANGE)

QUERIES = QueryEditor(
    "json",
    _lazy("command_handlers:own_tables"),
    _lazy("command_handlers:run_own"),
    _lazy("command_handlers:own_example"),
    _lazy("command_handlers:own_operators"),
)

INGESTS = (
    Ingest(
        name="sheet",
        help=TEXTS.both("sheets.ingest_help"),
        example='app ingest sheet data/sheets/don-hang.csv --name "Đơn hàng"\napp ingest sheet bao-cao.xlsx --worksheet 1 --dry-run',
        run=_lazy("ingest:ingest_sheet"),
        parameters=(
            Parameter("--name", TEXTS.both("sheets.name_help"), "NAME"),
            Parameter("--worksheet", TEXTS.both("sheets.worksheet_help"), "NAME"),
        ),
        takes=("user",),
        merges=False,
    ),
)

TALK = (TalkCommand("pipeline", TEXTS.both("mentions.pipeline"), "[{…}]"),)
