"""Declares the commands of the dental adviser: its MCP servers, and what it remembers of a person."""

from __future__ import annotations

from troly.plugin.contract import ByLang, Command, CommandRequest, CommandResult, Parameter
from troly.text.catalogue import LANGS
from troly_dental.strings import say


def _serve(request: CommandRequest) -> CommandResult:
    from troly_dental.commands_mcp import serve

    return serve(request)


def _facts(request: CommandRequest) -> CommandResult:
    from troly_dental.commands_memory import facts

    return facts(request)


def _correct(request: CommandRequest) -> CommandResult:
    from troly_dental.commands_memory import correct

    return correct(request)


def _forget(request: CommandRequest) -> CommandResult:
    from troly_dental.commands_memory import forget

    return forget(request)


def _words(key: str) -> ByLang:
    return {lang: say(key, lang) for lang in LANGS}


_ID = Parameter("id", _words("memory.id_help"), "ID", required=True)
COMMANDS = (
    Command(
        path=("mcp", "serve"),
        help=_words("mcp.help"),
        example="app mcp serve memory\napp mcp serve tools --http --port 8002",
        run=_serve,
        parameters=(
            Parameter("server", _words("mcp.server"), "SERVER", required=True),
            Parameter("--http", _words("mcp.http")),
            Parameter("--port", _words("mcp.port"), "PORT"),
            Parameter("--token", _words("mcp.token_help"), "TOKEN"),
        ),
        takes=("user",),
    ),
    Command(
        path=("dental", "facts"),
        help=_words("memory.facts_help"),
        example="app dental facts\napp dental facts --json",
        run=_facts,
        parameters=(Parameter("--conversation", _words("memory.one_help"), "ID"),),
        takes=("csv", "user"),
    ),
    Command(
        path=("dental", "correct"),
        help=_words("memory.correct_help"),
        example='app dental correct 3 "dị ứng ibuprofen"',
        run=_correct,
        parameters=(_ID, Parameter("text", _words("memory.text_help"), "TEXT", required=True)),
        takes=("user",),
    ),
    Command(
        path=("dental", "forget"),
        help=_words("memory.forget_help"),
        example="app dental forget 3",
        run=_forget,
        parameters=(_ID,),
        takes=("user",),
    ),
)
