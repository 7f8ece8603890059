"""What happens during a turn, as frozen dataclasses that every face consumes and `ask --json` prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any, Literal, cast, get_args, get_type_hints

Source = Literal["model", "rules", "mixed"]
Level = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class ModelCalled:
    """A call of a model ended, well or not (`error` is its key, else "").

    `kind` is `stream`, `decide`, `tools` or `embed`; `node` the step that asked. Tokens are None where the server did
    not say; `window` is the context window in tokens, 0 where there is none; `ttft_ms` is until the first token.
    `wanted` is the configured model where another one stood in, `finish` the server's reason for the end (`length`:
    the reply reached its limit), `host` the address of the server that answered where there are several.
    """

    task: str
    kind: str
    model: str
    node: str
    ms: float
    ttft_ms: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    window: int = 0
    error: str = ""
    wanted: str = ""
    finish: str = ""
    host: str = ""


@dataclass(frozen=True, slots=True)
class ModelLoading:
    """The server is loading `model` into memory; until its first word this may take minutes.

    Where `ahead` is a number every server is busy, and so many questions come before this one.
    """

    model: str
    ahead: int | None = None


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The user's message is saved under these ids; nothing was asked of a model yet."""

    text: str
    language: str
    conversation: str = ""
    turn: str = ""


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A node begins; `agent` and `tool` are empty where they do not apply."""

    node: str
    agent: str = ""
    tool: str = ""


@dataclass(frozen=True, slots=True)
class StepFinished:
    """A node ended after `ms` milliseconds; `detail` is one line for the evidence view."""

    node: str
    ms: float
    source: Source | None = None
    detail: str = ""
    agent: str = ""
    tool: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Token:
    """The next piece of the answer that is being written; pieces join without a separator."""

    text: str


@dataclass(frozen=True, slots=True)
class Say:
    """A whole short message of its own before the answer (acknowledgement, greeting); saved as one message."""

    text: str
    message_type: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Progress:
    """Long work: `percent` 0-100 or None when the end is not known.

    `node` and `output` are the record that an assistant's document gives to programs for this point (004-45).
    """

    message: str
    percent: float | None = None
    node: str = ""
    output: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows to show: `rows` has one tuple a row, as long as `columns`; `numeric` are right-aligned columns.

    `badge` is a short label shown beside the title, as in all typed content (002-37). `total` is the number of rows
    there are when more were found than are carried.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    numeric: tuple[int, ...] = ()
    badge: str = ""
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a list that opens: a line, a quieter line, and the whole.

    `fields` are names and values shown when it is open; `path` is its address in the data, as `/rooms/123`.
    """

    title: str
    subtitle: str = ""
    detail: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    path: str = ""


@dataclass(frozen=True, slots=True)
class ItemList:
    """A list of things a person can open; `total` is how many there are when more were found than are carried."""

    items: tuple[Item, ...]
    title: str = ""
    badge: str = ""
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """One named line or set of bars: `values` has one number a label."""

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Numbers to plot; the exact values are shown beside the plot, as `language` writes numbers ("" as the interface's)."""

    kind: Literal["bar", "line", "share"]
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    title: str = ""
    unit: str = ""
    badge: str = ""
    language: Literal["vi", "en", ""] = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One passage or page that an answer rests on; `score` is comparable within one list only.

    `where` is short (a host, a file and section), `url` the full link that is shown on a key only. `facts` are names
    and values for its card: scope, date, age.
    """

    number: int
    title: str
    text: str
    where: str = ""
    score: float = 0.0
    url: str = ""
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Sources:
    """The passages behind the answer, best first."""

    items: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Computation:
    """How an answer was computed: the query as text, what it does line by line, and facts about its run.

    `kind` names the language for highlighting. `facts` are names and values (tool, rows read, dates meant).
    `rerun` is what a person types before the edited `code` to run it again, as `/sql `; empty where that is not possible.
    """

    kind: Literal["sql", "json"]
    code: str
    explained: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    rerun: str = ""


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Questions that a person may want to ask next, ready to be sent as they stand."""

    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """One step of a plan; `step` counts from 1."""

    step: int
    agent: str
    tool: str
    purpose: str
    status: Literal["waiting", "running", "done", "failed", "denied"] = "waiting"
    ms: float | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be done, task by task; a later Plan of the same turn takes the place of the earlier one."""

    tasks: tuple[Task, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One of two or more answers that contradict each other; `scores` are names and values from 0 to 1."""

    title: str
    text: str
    scores: tuple[tuple[str, float], ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    wins: bool = False


@dataclass(frozen=True, slots=True)
class Conflict:
    """Contradicting answers side by side, and the rule that decided; no side wins a tie."""

    sides: tuple[Side, ...]
    rule: str
    tie: bool = False


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing the person should know: a fallback that was taken, a part that was skipped."""

    level: Level
    title: str
    message: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Handoff:
    """A person is to take over: why in one line, what was said so far (`who: text` lines), and where to call.

    `code` names the reason for programs.
    """

    reason: str
    transcript_lines: tuple[str, ...]
    hotline: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class TurnCompleted:
    """The one good end of a turn: `text` is the whole answer as shown, `state` the mode's documented fields."""

    text: str
    state: Mapping[str, Any]
    source: Source
    calls: int
    ms: float
    message_type: str = "answer"
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TurnFailed:
    """The other end of a turn: why, what to do, and `text`, all that had been said until then."""

    title: str
    message: str
    remedy: str
    code: str
    text: str = ""
    calls: int = 0
    ms: float = 0.0


Content = Table | ItemList | Chart | Sources | Computation | Suggestions | Plan | Conflict | Notice | Handoff
Terminal = TurnCompleted | TurnFailed
Event = (
    TurnStarted
    | StepStarted
    | StepFinished
    | ModelLoading
    | ModelCalled
    | Token
    | Say
    | Progress
    | Content
    | Terminal
)

# All of them by name, as `to_json` writes it.
EVENTS: Mapping[str, type[Event]] = {kind.__name__: kind for kind in get_args(Event)}


def to_json(event: Event) -> dict[str, Any]:
    """The event as JSON values, with its type name under `event`."""
    return {"event": type(event).__name__, **_plain(event)}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (str, int, float)):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        # A set has another order in every process.
        return [_plain(item) for item in sorted(value, key=str)]
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def from_json(line: Mapping[str, Any]) -> Event:
    """The inverse of `to_json`; fields that this version does not know are left out.

    Raises ValueError for a line that is no event of this version.
    """
    kind = EVENTS.get(str(line.get("event", "")))
    if kind is None:
        raise ValueError(f"no event: {line.get('event')!r}")
    try:
        return cast("Event", _record(kind, line))
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"no {kind.__name__}: {error}") from error


def _record(kind: Any, saved: Mapping[str, Any]) -> Any:
    hints = _hints(kind)
    return kind(**{name: _typed(hint, saved[name]) for name, hint in hints.items() if name in saved})


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _typed(hint: Any, value: Any) -> Any:
    """`value` of JSON as a field of the type `hint` holds it: lists as tuples, records as their dataclass."""
    if isinstance(value, list):
        inner = get_args(hint)
        # `tuple[X, ...]` has one type for all, `tuple[X, Y]` one for each.
        kinds = inner[:1] * len(value) if inner[1:] in ((), (...,)) else inner
        return tuple(_typed(*pair) for pair in zip(kinds, value, strict=True))
    return _record(hint, value) if is_dataclass(hint) and isinstance(hint, type) else value
