"""What the command line offers for this assistant; the functions are imported when they are called."""

from __future__ import annotations

from troly.plugin.contract import Command, Ingest, Lazy, Parameter
from troly_rag.strings import TEXTS


def _parameter(name: str, metavar: str) -> Parameter:
    return Parameter(name, TEXTS.both(f"documents.{name.lstrip('-')}_help"), metavar)


COMMANDS = (
    Command(
        path=("agents", "check"),
        help=TEXTS.both("agents.check_help"),
        example="app agents check\napp agents check --json",
        run=Lazy("troly_rag.agents:check_agents"),
    ),
    Command(
        path=("agents", "list"),
        help=TEXTS.both("agents.list_help"),
        example="app agents list\napp agents list --json",
        run=Lazy("troly_rag.agents:list_agents"),
        takes=("csv",),
    ),
    Command(
        path=("agents", "resolve"),
        help=TEXTS.both("resolve.help"),
        example="app agents resolve ung-vien.json --json",
        run=Lazy("troly_rag.conflicts.candidate_file:resolve_candidates"),
        parameters=(Parameter("FILE", TEXTS.both("resolve.file_help"), required=True),),
        takes=("now",),
    ),
)
INGESTS = (
    Ingest(
        name="policies",
        help=TEXTS.both("documents.help"),
        example="app ingest policies quy-dinh/\napp ingest policies nghi-phep.md --agent hr --scope internal",
        run=Lazy("troly_rag.corpus.ingest:run"),
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
