"""Declares the commands about sheets, `app sheets …` and `app ingest sheet`; what they do is imported when they run."""

from __future__ import annotations

from troly.plugin.contract import Command, Ingest, Lazy, Memories, Parameter, QueryEditor, TalkCommand
from troly_analysis.strings import TEXTS


def _lazy(target: str) -> Lazy:
    return Lazy(f"troly_analysis.sheets.{target}")


_SHEET = Parameter("sheet", TEXTS.both("sheets.sheet_help"), "SHEET", required=True)

COMMANDS = (
    Command(
        path=("sheets", "list"),
        help=TEXTS.both("sheets.list_help"),
        example="app sheets list\napp sheets list --json",
        run=_lazy("command_handlers:list_sheets"),
        takes=("csv", "user"),
    ),
    Command(
        path=("sheets", "show"),
        help=TEXTS.both("sheets.show_help"),
        example='app sheets show "Đơn hàng"',
        run=_lazy("command_handlers:show_sheet"),
        parameters=(_SHEET,),
        takes=("csv", "user"),
    ),
    Command(
        path=("sheets", "remove"),
        help=TEXTS.both("sheets.remove_help"),
        example='app sheets remove "Đơn hàng"',
        run=_lazy("command_handlers:remove_sheet"),
        parameters=(_SHEET,),
        takes=("user",),
    ),
    Command(
        path=("sheets", "metric"),
        help=TEXTS.both("sheets.metric_help"),
        example=(
            'app sheets metric "Đơn hàng" "doanh thu thuần = sum(Doanh thu) where Trạng thái = \'Hoàn thành\'"\n'
            'app sheets metric "Đơn hàng"\n'
            'app sheets metric "Đơn hàng" --remove "doanh thu thuần"'
        ),
        run=_lazy("command_handlers:metric"),
        parameters=(
            _SHEET,
            Parameter("definition", TEXTS.both("sheets.definition_help"), "DEFINITION"),
            Parameter("--remove", TEXTS.both("sheets.remove_metric_help"), "NAME"),
        ),
        takes=("user",),
    ),
    Command(
        path=("sheets", "pipeline"),
        help=TEXTS.both("sheets.pipeline_help"),
        example='app sheets pipeline "Đơn hàng" pipeline.json\napp sheets pipeline "Đơn hàng" pipeline.json --json',
        run=_lazy("command_handlers:pipeline"),
        parameters=(
            _SHEET,
            Parameter("file", TEXTS.both("sheets.pipeline_file_help"), "FILE", required=True),
        ),
        takes=("csv", "now", "user"),
    ),
    Command(
        path=("sheets", "operators"),
        help=TEXTS.both("query.operators_help"),
        example="app sheets operators\napp sheets operators --json",
        run=_lazy("command_handlers:operators"),
        takes=("csv",),
    ),
    Command(
        path=("sheets", "export"),
        help=TEXTS.both("export.help"),
        example="app sheets export --to ket-qua.xlsx\napp sheets export ID --to bieu-do.svg",
        run=_lazy("export:export_result"),
        parameters=(
            Parameter("conversation", TEXTS.both("export.conversation"), "ID"),
            Parameter("--to", TEXTS.both("export.to"), "FILE", required=True),
            Parameter("--replace", TEXTS.both("export.replace")),
        ),
        takes=("user",),
    ),
)

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
