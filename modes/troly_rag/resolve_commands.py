"""`app agents resolve FILE.json`: weighs candidates of a file by the configured rules, without a question."""

from __future__ import annotations

from pathlib import Path

from troly.plugin.contract import Command, CommandRequest, CommandResult, Parameter
from troly.plugin.events import Table
from troly.text.catalogue import LANGS
from troly_rag.strings import say

COLUMNS = ("candidate", "agent", "domain", "scope", "recency", "relevance", "combined")


def run(request: CommandRequest) -> CommandResult:
    """The scores as a table, winner first, and who won by which rule; `--json` gives all of it as one object.

    Raises InputError for a wrong file, SettingsError for a wrong agents.toml.
    """
    from troly_rag.config import load
    from troly_rag.conflicts import resolve
    from troly_rag.conflicts.reading import as_json, read_candidates, shown
    from troly_rag.settling import rule_words, rules_of

    lang = request.language
    candidates, moment, domain = read_candidates(Path(request.text("file")))
    rules = rules_of(load(request.services.paths))
    found = resolve(candidates, rules, moment or request.now, domain)
    record = as_json(found)
    names = " / ".join(str(one.get("title") or one.get("id")) for one in record["winners"])
    key = "resolve.tie" if found.tie else "resolve.winner"
    summary = say(key, lang, names=names, policy=found.policy, rule=rule_words(found, found.winners[0], lang))
    columns = tuple(say(f"resolve.{name}", lang) for name in COLUMNS)
    return CommandResult(
        table=Table(columns, tuple(shown(found)), numeric=(2, 3, 4, 5, 6)), records=(record,), summary=summary
    )


COMMANDS = (
    Command(
        path=("agents", "resolve"),
        help={lang: say("resolve.help", lang) for lang in LANGS},
        example="app agents resolve ung-vien.json --json",
        run=run,
        parameters=(
            Parameter("FILE", {lang: say("resolve.file_help", lang) for lang in LANGS}, required=True),
        ),
        takes=("now",),
    ),
)
