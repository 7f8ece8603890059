"""`app agents check`, `app agents list` and `app ingest policies`: declared cheaply, run when they are called."""

from __future__ import annotations

from pathlib import Path

from troly.plugin.contract import (
    ByLang,
    Command,
    CommandRequest,
    CommandResult,
    Ingest,
    IngestOutcome,
    IngestRequest,
    Parameter,
)
from troly.plugin.events import Table
from troly.text.catalogue import LANGS
from troly_rag.strings import say


def _in_words(key: str) -> ByLang:
    return {lang: say(key, lang) for lang in LANGS}


def check_agents(request: CommandRequest) -> CommandResult:
    """Whether the configuration can be used; every problem is a line with file, line and key. Exit code 6 if not."""
    from troly.config.problems import SettingsError, clean
    from troly_rag.config import own_file, read

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
    from troly.plugin.events import Table
    from troly_rag.config import load
    from troly_rag.corpus.cards import Cards
    from troly_rag.samples import counted

    services, lang = request.services, request.language
    config = load(services.paths)
    counts = dict(counted(services, Cards(services.state).all()))
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


def _ingest(request: IngestRequest) -> IngestOutcome:
    from troly_rag.corpus.ingest import run

    return run(request)


def _parameter(name: str, metavar: str) -> Parameter:
    return Parameter(name, _in_words(f"documents.{name.lstrip('-')}_help"), metavar)


COMMANDS = (
    Command(
        path=("agents", "check"),
        help=_in_words("agents.check_help"),
        example="app agents check\napp agents check --json",
        run=check_agents,
    ),
    Command(
        path=("agents", "list"),
        help=_in_words("agents.list_help"),
        example="app agents list\napp agents list --json",
        run=list_agents,
        takes=("csv",),
    ),
)
INGESTS = (
    Ingest(
        name="policies",
        help=_in_words("documents.help"),
        example="app ingest policies quy-dinh/\napp ingest policies nghi-phep.md --agent hr --scope internal",
        run=_ingest,
        parameters=(
            _parameter("--agent", "NAME"),
            _parameter("--scope", "SCOPE"),
            _parameter("--department", "NAMES"),
            _parameter("--effective", "DATE"),
            _parameter("--supersedes", "NAME"),
        ),
        takes=("user",),
        merges=False,
    ),
)


# `app agents resolve FILE.json`: weighs candidates of a file by the configured rules, without a question.


COLUMNS = ("candidate", "agent", "domain", "scope", "recency", "relevance", "combined")


def resolve_candidates(request: CommandRequest) -> CommandResult:
    """The scores as a table, winner first, and who won by which rule; `--json` gives all of it as one object.

    Raises InputError for a wrong file, SettingsError for a wrong agents.toml.
    """
    from troly_rag.config import load
    from troly_rag.conflicts.candidate_file import read_candidates, resolution_record, score_rows
    from troly_rag.conflicts.contradictions import rule_words, rules_of
    from troly_rag.conflicts.scoring import resolve

    lang = request.language
    candidates, moment, domain = read_candidates(Path(request.text("file")))
    rules = rules_of(load(request.services.paths))
    found = resolve(candidates, rules, moment or request.now, domain)
    record = resolution_record(found)
    names = " / ".join(str(one.get("title") or one.get("id")) for one in record["winners"])
    key = "resolve.tie" if found.tie else "resolve.winner"
    summary = say(key, lang, names=names, policy=found.policy, rule=rule_words(found, found.winners[0], lang))
    columns = tuple(say(f"resolve.{name}", lang) for name in COLUMNS)
    return CommandResult(
        table=Table(columns, tuple(score_rows(found)), numeric=(2, 3, 4, 5, 6)),
        records=(record,),
        summary=summary,
    )


RESOLVE_COMMANDS = (
    Command(
        path=("agents", "resolve"),
        help={lang: say("resolve.help", lang) for lang in LANGS},
        example="app agents resolve ung-vien.json --json",
        run=resolve_candidates,
        parameters=(
            Parameter("FILE", {lang: say("resolve.file_help", lang) for lang in LANGS}, required=True),
        ),
        takes=("now",),
    ),
)
