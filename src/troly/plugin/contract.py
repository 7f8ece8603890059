"""The contract that a mode fulfils: one frozen `Mode` that says all the program needs to know of it.

`modes/README.md` explains it on a worked example.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from troly.plugin.events import Source, Table
from troly.text.catalogue import Lang

if TYPE_CHECKING:
    from datetime import datetime

    from troly.config.users import Profile
    from troly.plugin.context import TurnContext
    from troly.plugin.services import Services
    from troly.plugin.texts import ModeTexts
    from troly.stores.migrations import Migration

CONTRACT_VERSION = 2
ModelRole = str
ByLang = Mapping[Lang, str]


@dataclass(frozen=True, slots=True)
class Lazy:
    """A function by name, `Lazy("package.module:name")`: its module is imported when it is first called.

    Raises ImportError or AttributeError then, where the name leads nowhere.
    """

    name: str

    def __call__(self, *args: Any, **values: Any) -> Any:
        return self.load()(*args, **values)

    def load(self) -> Callable[..., Any]:
        module, _, function = self.name.partition(":")
        found: Callable[..., Any] = getattr(import_module(module), function)
        return found


class Graph(Protocol):
    """What a turn needs of a compiled LangGraph graph."""

    async def ainvoke(self, input: Any, config: Any = None, *, context: Any = None) -> Any:  # noqa: A002 (LangGraph's name)
        """Run the graph once; returns the final state."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a mode makes of its final state.

    `state` holds exactly the mode's `state_fields`. `message_type` and `metadata` are saved with the answer; `answered`
    in the metadata says whether this answers the question (False: asked back, or said that it could not), `urgent`
    that it sends the person to help at once. An evaluation counts by them (`troly.conversation.verdicts`).
    `source` may be left out: it is then read from the steps. `text` replaces the streamed text where given.
    """

    state: Mapping[str, Any]
    message_type: str = "answer"
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source: Source | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Purpose:
    """What an assistant is for, so that another one can refer a person to it.

    `sentence` is one sentence a language ("Thời hạn bảo hành và mua hàng."), `examples` are questions that belong to it.
    """

    sentence: ByLang
    examples: Mapping[Lang, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OpeningMessage:
    """What an assistant says by itself when a conversation begins (000-07)."""

    text: str
    message_type: str = "greeting"
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DataStatus:
    """What data a mode has: one line for the empty pane, and whether that is enough to answer from."""

    line: str
    enough: bool
    command: str = ""


HouseOption = Literal["csv", "now", "user"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One value that a command or an ingest takes.

    A `name` that begins with dashes is an option, any other a positional argument. An option without a `metavar` is
    a flag. Values arrive in the request's `values` under the name without its leading dashes.
    """

    name: str
    help: ByLang
    metavar: str = ""
    required: bool = False

    @property
    def key(self) -> str:
        return self.name.lstrip("-").replace("-", "_").lower()


@dataclass(frozen=True, slots=True)
class IngestRequest:
    """One file to load for a mode.

    `progress(done, total, unit)` is called now and then (`total` None when unknown; `unit` is "rows" or "bytes");
    `cancelled()` is asked between batches. `errors` is where rejected rows are written as CSV, if given. `values` are
    the ingest's own parameters by key, `profile` is the person who loads.
    """

    services: Services
    file: Path
    now: datetime
    language: Lang
    dry_run: bool = False
    replace: bool = False
    errors: Path | None = None
    progress: Callable[[int, int | None, str], None] = lambda _done, _total, _unit: None
    cancelled: Callable[[], bool] = lambda: False
    values: Mapping[str, str | bool | None] = field(default_factory=dict)
    profile: Profile | None = None

    def text(self, key: str) -> str:
        """The text of a parameter; "" where it was left out."""
        value = self.values.get(key)
        return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class IngestOutcome:
    """What an ingest did: counts by name, in the order to show, and problems as ready lines.

    `tables` show what was loaded; `records` are what `--json` prints of it beside the counts.
    """

    counts: Mapping[str, int]
    problems: tuple[str, ...] = ()
    published: bool = False
    summary: str = ""
    tables: tuple[Table, ...] = ()
    records: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Ingest:
    """A kind of file that a mode loads: `app ingest <name> FILE`. Raises InputError, StoreError.

    `parameters` are options of its own, `takes` options of the house (`user`). Where `merges` is False a load always
    replaces what was there, and there is no `--replace`.
    """

    name: str
    help: ByLang
    example: str
    run: Callable[[IngestRequest], IngestOutcome]
    parameters: tuple[Parameter, ...] = ()
    takes: tuple[HouseOption, ...] = ()
    merges: bool = True


@dataclass(frozen=True, slots=True)
class CommandRequest:
    """What a command was asked: `values` by parameter key (text, True or False for a flag, None where left out)."""

    services: Services
    profile: Profile
    now: datetime
    language: Lang
    values: Mapping[str, str | bool | None]

    def text(self, key: str) -> str:
        """The text of a parameter; "" where it was left out."""
        value = self.values.get(key)
        return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command has to say.

    `table` and `text` go to stdout, `problems` (ready lines) and `summary` to stderr. `records` are what `--json`
    prints, one object a line; without them the table's rows by column name.
    """

    table: Table | None = None
    text: str = ""
    records: tuple[Mapping[str, Any], ...] | None = None
    problems: tuple[str, ...] = ()
    summary: str = ""
    exit_code: int = 0


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the mode's own: `app <path> …`.

    `path` holds one or two words; commands of two words share the group named by the first. `takes` are options that
    the house provides: `csv` writes the table to a file, `now` sets the moment, `user` acts for another login where
    the settings allow it. `--json` is always there. `run` is called in the main thread and may raise TrolyError.
    """

    path: tuple[str, ...]
    help: ByLang
    example: str
    run: Callable[[CommandRequest], CommandResult]
    parameters: tuple[Parameter, ...] = ()
    takes: tuple[HouseOption, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """One thing that an assistant remembers for a person: its `text` as it may be corrected, its `kind` in a word or two.

    `detail` is the rest of it, such as a query; `editable` says whether another text can stand there.
    """

    id: str
    text: str
    kind: str
    detail: str = ""
    editable: bool = False


@dataclass(frozen=True, slots=True)
class Memories:
    """What an assistant remembers of a person, to be looked at, corrected and forgotten; each may raise TrolyError.

    `forget` gets the memory's `id` in the values, `edit` its new `text` as well; what they report of it is a command's.
    """

    found: Callable[[CommandRequest], Sequence[MemoryItem]]
    forget: Callable[[CommandRequest], CommandResult]
    edit: Callable[[CommandRequest], CommandResult] | None = None


@dataclass(frozen=True, slots=True)
class QueryTable:
    """A table that a query may read: its name as it is written in one, and its columns with what they hold."""

    name: str
    columns: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class QueryEditor:
    """Queries that a person writes, run read-only under the guard of the assistant's own; each may raise TrolyError.

    `run` gets the text as `query` in the values. Where its error names a place, it does so with the parameters `line`
    and `column` (from 1), else `part`, a piece of the text. `words` are operators beside the language's own, `example`
    is a query to begin with.
    """

    language: Literal["sql", "json"]
    tables: Callable[[CommandRequest], Sequence[QueryTable]]
    run: Callable[[CommandRequest], CommandResult]
    example: Callable[[CommandRequest], str]
    words: Callable[[], Sequence[str]] = tuple


@dataclass(frozen=True, slots=True)
class Samples:
    """Sample data that ships with a mode; every function is blocking and raises InputError, StoreError.

    `load` touches nothing that people loaded themselves, `remove` takes away samples only; both return sentences that
    tell what was done. `loaded` says whether any are there. `people` are the logins that samples belong to, by role in
    plain lower case: an evaluation asks as them.
    """

    load: Callable[[Services, Lang], tuple[str, ...]]
    remove: Callable[[Services, Lang], tuple[str, ...]]
    loaded: Callable[[Services], bool]
    people: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TalkCommand:
    """A message that begins with `/name`, which the mode itself reads; offered while a person types.

    `argument` is what comes after the name ("SELECT …"), "" where nothing does.
    """

    name: str
    help: ByLang
    argument: str = ""


# Names of the mode's own things (sheets, documents, products, places) that fit what was typed so far, best first, each
# with a short hint in the profile's language; `(services, profile, prefix, limit)`. Called on a thread that may block; raises StoreError. What the
# profile may not see is never among them. The name, in quotes, must lead the mode to that thing.
Mentions = Callable[["Services", "Profile", str, int], "list[tuple[str, str]]"]


# Carries what the mode keeps of a conversation over to a branch of it, up to where it leaves: `(services, profile, origin, branch)`
# with the ids of both, after the branch has its messages. Returns what the branch's metadata holds of it. Raises StoreError.
Branched = Callable[["Services", "Profile", str, str], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Mode:
    """One assistant.

    Importing its declaration must be cheap (no LangGraph, DuckDB, pydantic): functions of heavy modules are given as
    `Lazy("package.module:name")`.

    Attributes:
        id: lower-case word, the entry point's name.
        texts: its catalogue and prompts; `errors*.toml` and `setting*.toml` in that folder join the program's own
            sentences, and `personas/` there is looked into for its persona.
        names, summaries: in both languages; a summary is one line.
        persona: stem of the persona files (`<stem>_<lang>.md`).
        accent: colour of the mode as `#rrggbb`.
        first_questions: three questions a language that an empty pane offers.
        graph: builds the compiled graph; called once a process.
        start: the graph's first state from the turn.
        finish: the outcome from the graph's final state; must accept what `start` gives, too.
        state_fields: the documents' state fields, all present in `Outcome.state`.
        roles: the model roles it asks for (`chat`, `small`, `guard`).
        opening: what it says first in a conversation; None stands for its persona's greeting.
        data_status: what data it has, in one line.
        order: where it stands among the others; the first one is the assistant that opens by default.
        about: what it is for, so that others can refer a person to it.
        settings: frozen dataclasses by the name of their table in `config.toml`, fields made with
            `troly.config.settings.about`; read as `services.settings.of(TheClass)`. `setting.about.<table>.<field>` describes each.
        migrations: of its own tables in the state database; names begin with `<id>/`.
        ingests: kinds of files that it loads.
        commands: commands of its own on the command line.
        samples: data that ships, loaded once in a data directory (`troly.plugin.samples`).
        shareable: a text as it may stand in a file that is passed on (eval cases); an assistant that hears personal
            things masks them.
        talk: commands that are typed as a message.
        mentions: see `Mentions`.
        person: the message that asks it for a person, where it can hand over to one (`/handoff`).
        icon: a sign of one cell that common fonts have, for tabs.
        model_names: names by which OpenAI clients know it, beside `troly-<id>`.
        memories: what it remembers of a person.
        queries: what people's own queries are written in and run by.
        branched: see `Branched`; None where all that is kept stands in the messages.
        warm: loads what the first answer would wait for (lexicons, examples), on a thread, when the mode is shown.
    """

    id: str
    names: ByLang
    summaries: ByLang
    persona: str
    accent: str
    first_questions: Mapping[Lang, tuple[str, ...]]
    graph: Callable[[], Graph]
    start: Callable[[TurnContext], dict[str, Any]]
    finish: Callable[[Mapping[str, Any]], Outcome]
    state_fields: tuple[str, ...]
    texts: ModeTexts | None = None
    opening: Callable[[Services, Lang], OpeningMessage | None] | None = None
    data_status: Callable[[Services, Lang], DataStatus | None] = lambda _services, _lang: None
    order: int = 100
    about: Purpose | None = None
    settings: Mapping[str, type] = field(default_factory=dict)
    roles: tuple[ModelRole, ...] = ("chat",)
    migrations: tuple[Migration, ...] = ()
    ingests: tuple[Ingest, ...] = ()
    commands: tuple[Command, ...] = ()
    samples: Samples | None = None
    contract: int = CONTRACT_VERSION
    icon: str = "◇"
    warm: Callable[[], None] = lambda: None
    shareable: Callable[[Services, str], str] = lambda _services, text: text
    talk: tuple[TalkCommand, ...] = ()
    mentions: Mentions = lambda _services, _profile, _prefix, _limit: []
    person: Mapping[Lang, str] = field(default_factory=dict)
    model_names: tuple[str, ...] = ()
    memories: Memories | None = None
    queries: QueryEditor | None = None
    branched: Branched | None = None
