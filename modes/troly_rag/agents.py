"""`app agents check` and `app agents list`: whether the agents' configuration can be used, and who they are."""

from __future__ import annotations

from troly.config.problems import SettingsError, clean
from troly.plugin.contract import CommandRequest, CommandResult
from troly.plugin.events import Table
from troly_rag.config import load, own_file, read
from troly_rag.corpus.cards import Cards
from troly_rag.samples import counted
from troly_rag.strings import say


def check_agents(request: CommandRequest) -> CommandResult:
    """Whether the configuration can be used; every problem is a line with file, line and key. Exit code 6 if not."""
    lang, own = request.language, own_file(request.services.paths)
    found, config = read(own)
    if config is None:
        lines = tuple(problem.render(lang).line() for problem in found)
        records = tuple({"ok": False, "problem": line} for line in lines)
        return CommandResult(problems=lines, records=records, exit_code=SettingsError.exit_code)
    names = ", ".join(config.agents)
    key = "check_own" if own.exists() else "check_shipped"
    text = say("agents.check_fine", lang, count=len(config.agents), names=names)
    where = say(f"agents.{key}", lang, file=clean(own))
    return CommandResult(text=text, summary=where, records=({"ok": True, "agents": list(config.agents)},))


def list_agents(request: CommandRequest) -> CommandResult:
    """The agents as a table; raises SettingsError, StoreError."""
    services, lang = request.services, request.language
    config = load(services.paths)
    counts = dict(counted(services, Cards(services.index).all()))
    names = ("agent", "domain", "tools", "corpus", "documents", "about")
    rows = [
        (
            agent.name,
            agent.domain,
            ", ".join(agent.tools),
            agent.collection,
            str(counts[agent.name]),
            agent.description[lang],
        )
        for agent in config.agents.values()
    ]
    columns = tuple(say(f"agents.column_{name}", lang) for name in names)
    records = tuple(dict(zip(names, row, strict=True)) for row in rows)
    return CommandResult(Table(columns, tuple(rows), title=say("agents.list_title", lang)), records=records)
