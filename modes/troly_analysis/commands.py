"""`app sheets …`: the person's sheets listed, shown and removed, their metrics, a pipeline run without chat."""

from __future__ import annotations

from collections.abc import Callable

from troly.plugin.contract import ByLang, Command, CommandRequest, CommandResult, Parameter
from troly.text.catalogue import LANGS
from troly_analysis.strings import say


def _in_words(key: str) -> ByLang:
    return {lang: say(f"sheets.{key}", lang) for lang in LANGS}


def _lazy(name: str) -> Callable[[CommandRequest], CommandResult]:
    """The function of `commands_run`, which is imported when it is called."""

    def run(request: CommandRequest) -> CommandResult:
        from troly_analysis import commands_run

        found: Callable[[CommandRequest], CommandResult] = getattr(commands_run, name)
        return found(request)

    return run


def _operators(request: CommandRequest) -> CommandResult:
    from troly_analysis.tools_operators import operators

    return operators(request)


_SHEET = Parameter("sheet", _in_words("sheet_help"), "SHEET", required=True)

COMMANDS = (
    Command(
        path=("sheets", "list"),
        help=_in_words("list_help"),
        example="app sheets list\napp sheets list --json",
        run=_lazy("list_sheets"),
        takes=("csv", "user"),
    ),
    Command(
        path=("sheets", "show"),
        help=_in_words("show_help"),
        example='app sheets show "Đơn hàng"',
        run=_lazy("show_sheet"),
        parameters=(_SHEET,),
        takes=("csv", "user"),
    ),
    Command(
        path=("sheets", "remove"),
        help=_in_words("remove_help"),
        example='app sheets remove "Đơn hàng"',
        run=_lazy("remove_sheet"),
        parameters=(_SHEET,),
        takes=("user",),
    ),
    Command(
        path=("sheets", "metric"),
        help=_in_words("metric_help"),
        example=(
            'app sheets metric "Đơn hàng" "doanh thu thuần = sum(Doanh thu) where Trạng thái = \'Hoàn thành\'"\n'
            'app sheets metric "Đơn hàng"\n'
            'app sheets metric "Đơn hàng" --remove "doanh thu thuần"'
        ),
        run=_lazy("metric"),
        parameters=(
            _SHEET,
            Parameter("definition", _in_words("definition_help"), "DEFINITION"),
            Parameter("--remove", _in_words("remove_metric_help"), "NAME"),
        ),
        takes=("user",),
    ),
    Command(
        path=("sheets", "pipeline"),
        help=_in_words("pipeline_help"),
        example='app sheets pipeline "Đơn hàng" pipeline.json\napp sheets pipeline "Đơn hàng" pipeline.json --json',
        run=_lazy("pipeline"),
        parameters=(_SHEET, Parameter("file", _in_words("pipeline_file_help"), "FILE", required=True)),
        takes=("csv", "now", "user"),
    ),
    Command(
        path=("sheets", "operators"),
        help={lang: say("query.operators_help", lang) for lang in LANGS},
        example="app sheets operators\napp sheets operators --json",
        run=_operators,
        takes=("csv",),
    ),
)
