"""log_tool: reads the agent's configured log files by time, level and words; large files by their end of the range."""

from __future__ import annotations

import asyncio
import glob
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from math import ceil, isinf
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

from troly.plugin.context import TurnContext
from troly.text.catalogue import Lang
from troly.text.dates import HCM, days_in_full, format_date
from troly.text.fold import fold
from troly.text.match import blank_out, spans_of
from troly.text.sanitize import sanitize
from troly_rag.answer.evidence import SourceEvidence
from troly_rag.corpus.coverage import names_in, phrases_of, question_of, text_of
from troly_rag.routing.lexicons import corrections, neighbours, tool_words
from troly_rag.routing.questions import asks, wants_log
from troly_rag.strings import say
from troly_rag.tools.interface import ToolError, ToolInputs, ToolResult
from troly_rag.tools.log_query import (
    EVER,
    LEVELS,
    LogQuery,
    Stretch,
    added_in,
    code_asked_about,
    codes_in,
    parse_log_query,
    systems_in,
    without_codes,
)

_SAME = {"WARN": "WARNING", "FATAL": "CRITICAL", "ERR": "ERROR"}
_STAMP = re.compile(rb"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:[.,]\d+)?(Z|[+-]\d{2}:?\d{2})?")
_LEVEL = re.compile(rb"\b(CRITICAL|FATAL|ERROR|ERR|WARNING|WARN|INFO|DEBUG)\b")
_SYSTEM = re.compile(
    rb"\b(?:CRITICAL|FATAL|ERROR|ERR|WARNING|WARN|INFO|DEBUG)\b[\s\]:|-]+([A-Za-z][\w.-]{0,40}):\s"
)
_NUMBER = re.compile(r"\b(?:0x[0-9a-f]+|\d[\d.:]*)\b", re.IGNORECASE)
_ACTOR = re.compile(rb"\b(?:user(?:name)?|account|login|uid)[\s=:]+['\"]?([\w.@\\-]{1,40})", re.IGNORECASE)
# How long something took, as a line tells it.
_MEASURE = re.compile(r"(?<![\w.])(\d{1,15}(?:\.\d+)?) ?(ms|s)\b")
# Who may read the logs: those who may read what is internal.
SCOPE = "internal"
_UNDATED = datetime.min.replace(tzinfo=UTC)
_MOST_SYSTEMS = 200
MAX_LINE = 4000
KEPT = 5
_SHOWN, _MIDNIGHT = 8, 24 * 60
_OF_LOGS = ("of_log", "log_who", "log_without", "log_also", "log_among", "explain")
SLICE = 20_000
PIECE = 1 << 20
_Line = tuple[tuple[datetime, int], str]
# Different messages that are counted apart; a log of nothing but different ones fills no memory.
MOST_MESSAGES = 20_000


class LineKind(NamedTuple):
    """Lines of a file that differ in numbers alone; the message is "" for those beyond `MOST_MESSAGES`."""

    system: str
    level: str
    message: str
    file: str = ""


class _Seen(NamedTuple):
    """How many lines of a kind there are, and the `recent` of them, by their place.

    A place is the time, then which line it is of all that are read. `first` is the first with its place, `largest` the one with the largest number in its message, `days` how many of each
    day, `actors` how many of each user that they name, `codes` how many hold each of several numbers that are asked for.
    """

    times: int
    recent: tuple[_Line, ...]
    first: _Line
    largest: tuple[float, str]
    days: Counter[date]
    actors: Counter[str]
    codes: Counter[str]


@dataclass(slots=True)
class LogTally:
    """What was read: `lines` looked at, those that match by their kind, the systems `named` in any; `file` is being read."""

    lines: int = 0
    kinds: dict[LineKind, _Seen] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    file: str = ""

    @property
    def matched(self) -> int:
        return sum(seen.times for seen in self.kinds.values())

    @property
    def newest(self) -> datetime | None:
        times = (seen.recent[-1][0][0] for seen in self.kinds.values())
        return max((moment for moment in times if moment > _UNDATED), default=None)

    @property
    def last(self) -> list[str]:
        """The last lines by time."""
        lines = sorted(one for seen in self.kinds.values() for one in seen.recent)
        return [text for _, text in lines[-KEPT:]]

    @property
    def first(self) -> str:
        """The first line by time."""
        return min(seen.first for seen in self.kinds.values())[1]

    @property
    def largest(self) -> str:
        """The line with the largest number in its message, of kinds that tell one; "" where none does."""
        return max(
            (seen.largest for kind, seen in self.kinds.items() if "#" in kind.message), default=(0.0, "")
        )[1]

    def of(self, part: Literal["actors", "codes", "days"]) -> Counter[Any]:
        """How many lines there are of each user that they name, of each of the numbers that are asked for, or of each day."""
        return sum((getattr(seen, part) for seen in self.kinds.values()), Counter[Any]())

    def by(self, part: Literal["system", "level", "message", "file"]) -> Counter[str]:
        """How many lines there are of each system, level, message or file; those that have none are left out."""
        found: Counter[str] = Counter()
        for kind, seen in self.kinds.items():
            if name := getattr(kind, part):
                found[name] += seen.times
        return found

    def only(self, meant: Callable[[LineKind], bool]) -> LogTally:
        """The lines of the kinds that are meant."""
        kinds = {kind: seen for kind, seen in self.kinds.items() if meant(kind)}
        return LogTally(self.lines, kinds, self.named)


async def run_log(given: ToolInputs) -> ToolResult:
    """How many lines match, of which levels, what is said most often, and the last line; "" for what asks no log, where every
    tool is used on every question (004-43).

    Raises ToolError `no_log_files`, `log_unreadable`.
    """
    lang = given.turn.language
    files = log_files(given.agent.log_files)
    if not files:
        raise ToolError("no_log_files", say("log.no_files", lang, agent=given.agent.name))
    if SCOPE not in given.user.permissions:
        return ToolResult("", denied=given.user.may_know_of(len(files)))
    every_tool = given.config.limits.tool_selection_strategy == "all"
    if every_tool and not (is_for_log(given.query) or wants_log(given.query, given.turn.now)):
        return ToolResult("")
    query = days_in_full(given.query, given.turn.now.astimezone(HCM).date())
    said = [one for one in (_with_code(query, given), *given.before.split("\n")) if one]
    every = files
    files = next(
        filter(None, (_named_files(every, one) for one in (query, *given.before.split("\n")))), every
    )
    stop = [False]
    try:
        found = await asyncio.to_thread(_read_all, files, said, given.turn.now, stop, lang)
    except asyncio.CancelledError:
        stop[0] = True
        raise
    tally, phrases = found.tally, phrases_of(query, found.unread)
    # What is known here may be a system that no log is kept of.
    bounded = found.wanted.times or found.wanted.measure
    unread = tuple(one for one in phrases if not (bounded or question_of(one).names_something))
    narrowed = (*found.wanted.unread, *(one for one in phrases if one not in unread))
    if tally.matched and not tally.of("actors"):
        # Lines that name nobody do not tell who; where there are none, nobody is in them.
        unread += tuple(query[hit.start : hit.end] for hit in tool_words("log_who").find(query))
    unread += tuple(query[hit.start : hit.end] for hit in tool_words("explain").find(query))
    unread += tuple(query[start:end] for start, end in code_asked_about(query))
    evidence = SourceEvidence(
        url=", ".join(file.name for file in files),
        created_at=tally.newest,
        scope=SCOPE,
        relevance_score=1.0 if tally.matched else 0.0,
        source_type="log",
        title=", ".join(file.name for file in files),
        text="\n".join(tally.last),
        agent=given.agent.name,
    )
    context = say("log.context", lang, files=len(files), lines=tally.lines)
    systems = ", ".join(sorted(tally.named)) or "-"
    held = say("log.holds", lang, systems=systems, period=_told(found.first, found.last, lang))
    left = ", ".join(file.name for file in every if file not in files)
    only = f"\n{say('log.only', lang, files=evidence.title, left=left)}" if left else ""
    if narrowed:
        # A count beside what would change it is another one.
        words = ", ".join(f"“{words}”" for words in dict.fromkeys(narrowed))
        return ToolResult(f"{say('log.narrowed', lang, words=words)} {held}{only}", context, unread=narrowed)
    shown = render_tally(tally, found.wanted, lang, found.named, asked=query)
    if unread:
        words = ", ".join(f"“{words}”" for words in phrases_of(query, unread))
        shown = f"{say('log.unread', lang, words=words)} {shown}"
    elif not tally.matched or not all(count for _, count in _by_period(tally, found.wanted)):
        outside = [one for one in _periods(found.wanted) if one[0] < found.first or one[1] > found.last]
        shown = f"{shown} {held}" if outside or not tally.matched else shown
    shown += only
    return ToolResult(shown, context, (evidence,) if tally.matched else (), covered=not unread, unread=unread)


def _with_code(query: str, given: ToolInputs) -> str:
    """The question with the code that "this error" was told by last."""
    this, code = tool_words("log_this").find(query), code_told(given.turn)
    if not (this and code) or any(one.isdigit() for one in codes_in(query)):
        return query
    return f"{query[: this[0].end]} {code}{query[this[0].end :]}"


def code_told(turn: TurnContext) -> str:
    """The last number that a message before this one names as a code; "" for none."""
    earlier = (one.text for one in reversed(turn.history) if one.sender == "user")
    return next((found for one in earlier for found in codes_in(one) if found.isdigit()), "")


def _strange_words(asked: LogQuery, systems: Iterable[str]) -> tuple[str, ...]:
    """The telling words of a question that are no system, level, period or code: what the lines must say."""
    names = (*systems, *asked.words, *asked.without, *asked.unread)
    known = {part for name in names for part in re.findall(r"[a-z0-9]+", fold(name))}
    words = question_of(without_log_words(asked.rest)).words
    return tuple(word for word in words if fold(word) not in known and not word[:1].isdigit())


def without_log_words(query: str) -> str:
    """The question without what any question about a log may be made of, and words that take back what was said; a word of
    a longer name stays ("máy in")."""
    lists = (*(tool_words(name) for name in _OF_LOGS), corrections(), neighbours())
    spans = spans_of(hit for words in lists for hit in words.find(query))
    left = blank_out(query, spans)
    names = [span for span in names_in(query) if left[slice(*span)].strip()]
    return blank_out(query, [one for one in spans if not any(start <= one[0] < end for start, end in names)])


def is_for_log(query: str) -> bool:
    """Whether a query beside one of a log is of the same lines: it asks of faults, or says nothing else."""
    rules = any(tool_words(name).find(query) for name in ("rules", "explain"))
    return is_of_log(query) or (bool(tool_words("fault").find(query)) and not rules)


def is_of_log(query: str) -> bool:
    """Whether it says nothing but what a question about a log is made of, numbers and names of machines."""
    return all(word.isdigit() for word in question_of(without_log_words(without_codes(query))).words)


def _left_of(query: str, kind: str) -> tuple[str, ...]:
    """The words of `query` that a kind of line does not say."""
    return question_of(query).coverage(text_of(kind)).unread


def log_files(patterns: Sequence[str]) -> list[Path]:
    """The files that the configured patterns name, each once, in order."""
    found = [Path(path) for pattern in patterns for path in sorted(glob.glob(pattern, recursive=True))]  # noqa: PTH207 (absolute patterns)
    return [path for path in dict.fromkeys(found) if path.is_file()]


def _named_files(files: Sequence[Path], query: str) -> list[Path]:
    """The files that a question names, to the letter or by a name that is no everyday word for logs ("log vpn"), with the
    others that it then speaks of too; all where it speaks of "log hệ thống" or the like or of what it counts too, and none
    where it says no name.
    """
    spans = added_in(query)
    text = fold(query := blank_out(query, spans))
    exact, own = list[Path](), dict[Path, str]()
    for file in files:
        stem = fold(file.stem)
        joined = not stem.isalnum() and re.search(rf"\b(?:logs?|nhat ky) (?:cua )?{re.escape(stem)}\b", text)
        exact += [file] if fold(file.name) in text or joined else []
        if without_log_words(re.sub(r"[\W_]+", " ", file.stem)).strip():
            own[file] = re.escape(stem).replace(r"\-", "[ -]")
    if not exact and tool_words("log_all").find(query):
        return list(files)
    named = exact or any(re.search(rf"\b(?:logs?|nhat ky) (?:cua )?{stem}\b", text) for stem in own.values())
    spoken = [file for file, stem in own.items() if re.search(rf"\b{stem}\b", text)]
    named_files = [file for file in files if named and (file in exact or file in spoken)]
    return named_files or (list(files) if spans else [])


def read(file: BinaryIO, wanted: LogQuery, tally: LogTally, stop: Sequence[bool]) -> None:
    """Add the lines of one log to `tally`; the beginning of the range is looked up, not read to."""
    if wanted.start is not None:
        file.seek(_place_of(file, wanted.start))
    moment: datetime | None = None
    for raw in _lines(file, stop):
        tally.lines += 1
        if tally.lines % SLICE == 0 and stop[0]:
            return
        moment = stamp(raw) or moment
        if moment is not None and wanted.end is not None and moment >= wanted.end:
            return
        if _matches(raw, moment, wanted):
            _keep(raw, moment, tally, wanted.counted)


def stamp(line: bytes) -> datetime | None:
    """The moment at the beginning of a line; without a zone it is local (Ho Chi Minh City)."""
    found = _STAMP.search(line[:40])
    if found is None:
        return None
    day, clock, zone = (part.decode() if part else "" for part in found.groups())
    try:
        moment = datetime.fromisoformat(f"{day}T{clock}{zone.replace('Z', '+00:00')}")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=HCM)


def render_tally(
    tally: LogTally, wanted: LogQuery, lang: Lang, named: Sequence[str] = (), *, asked: str = ""
) -> str:
    """The tally in sentences; `named` are the systems that were asked for, `asked` may want the first line or such."""
    period = "".join(
        say("log.and" if at else "log.in", lang, period=_told(*one, lang))
        for at, one in enumerate(_periods(wanted))
    )
    if wanted.hours:
        first, last = (
            f"{minute // 60 - 24 * (minute > _MIDNIGHT)}:{minute % 60:02}" for minute in wanted.hours
        )
        period += say("log.hours", lang, first=first, last=last)
    if wanted.measure:
        period += say("log.measure", lang, bounds=_bounds(wanted.measure))
    of = f" {', '.join(named)}" if named else ""
    no_levels = [level for level in LEVELS if "" in wanted.levels and level not in wanted.levels]
    names = ", ".join((*wanted.without, *no_levels))
    of += say("log.without", lang, names=names) if names else ""
    if not tally.matched:
        return say("log.none", lang, period=period, of=of)
    levels = _levels(tally) or "-"
    parts = [say("log.summary", lang, count=tally.matched, period=period, levels=levels, of=of)]
    parts += _by_part(tally, wanted, named, lang)
    if tool_words("log_days").find(asked) and (days := tally.of("days")):
        # Of days with as many the first.
        day, count = min(days.items(), key=lambda one: (-one[1], one[0]))
        parts.append(say("log.day_most", lang, day=format_date(day), count=count))
    actors = tally.of("actors")
    if wanted.times:
        least, most = wanted.times
        actors = Counter({name: count for name, count in actors.items() if least <= count <= most})
        parts.append(say("log.who_times", lang, bounds=_bounds(wanted.times), count=len(actors)))
    if tool_words("log_who").find(asked) and actors:
        shown = ", ".join(f"{name} ({count})" for name, count in actors.most_common(_SHOWN))
        more = say("log.more", lang, count=len(actors) - _SHOWN) if len(actors) > _SHOWN else ""
        parts.append(say("log.who", lang, count=len(actors), names=shown + more))
    if tool_words("log_first").find(asked):
        parts.append(say("log.first", lang, line=tally.first))
    if tool_words("log_largest").find(asked) and tally.largest:
        parts.append(say("log.largest", lang, line=tally.largest))
    few = 1 < tally.matched <= KEPT
    lines = "".join(f"\n- {line}" for line in tally.last) if few else tally.last[-1]
    parts.append(say("log.every" if few else "log.last", lang, lines=lines))
    return " ".join(parts)


def _levels(tally: LogTally, file: str = "") -> str:
    """How many lines there are of each level, in words, of all files or one."""
    own = tally.only(lambda kind: not file or kind.file == file)
    return ", ".join(f"{level} {count}" for level, count in own.by("level").items())


def _periods(wanted: LogQuery) -> tuple[Stretch, ...]:
    if wanted.periods or wanted.start is None or wanted.end is None:
        return wanted.periods
    return ((wanted.start, wanted.end),)


def _by_period(tally: LogTally, wanted: LogQuery) -> list[tuple[Stretch, int]]:
    """How many lines there are of each of several periods, which are whole days."""
    days = tally.of("days")
    return [
        (one, sum(count for day, count in days.items() if one[0].date() <= day < one[1].date()))
        for one in wanted.periods
    ]


def _told(start: datetime, end: datetime, lang: Lang) -> str:
    """A period in words: a day, days from one to another, with the hours where they are not whole."""
    start, end = start.astimezone(HCM), end.astimezone(HCM)
    first, last = format_date(start.date()), format_date((end - timedelta(microseconds=1)).date())
    if start.time() == end.time() == time():
        key = "log.day" if first == last else "log.until" if start.date() == EVER else "log.period"
        return say(key, lang, start=first, end=last)
    opens, closes = (f"{one.hour}:{one.minute:02}" for one in (start, end))
    if first == last:
        closes = closes if end.date() == start.date() else "24:00"
        return say("log.hours_of_day", lang, first=opens, last=closes, start=first)
    return say("log.period", lang, start=f"{opens} {first}", end=f"{closes} {format_date(end.date())}")


def _bounds(bounds: tuple[float, float]) -> str:
    """Bounds as signs: "> 500", "200-500"."""
    least, most = bounds
    if isinf(most):
        return f"≥ {least:g}" if least == int(least) else f"> {int(least)}"
    if isinf(least):
        return f"≤ {most:g}" if most == int(most) else f"< {ceil(most)}"
    return f"{least:g}-{most:g}"


def _by_part(tally: LogTally, wanted: LogQuery, named: Sequence[str], lang: Lang) -> Iterator[str]:
    """How many lines there are of each of several periods, codes and systems, and of the message that comes most often."""
    if counts := _by_period(tally, wanted):
        shown = "; ".join(f"{_told(*one, lang)}: {count}" for one, count in counts)
        yield say("log.by_period", lang, periods=shown)
    if len(wanted.counted) > 1:
        held = tally.of("codes")
        codes = ", ".join(f"{code}: {held[code]}" for code in wanted.counted)
        yield say("log.by_code", lang, codes=codes)
    systems = tally.by("system")
    # One that was asked for and wrote nothing is told too.
    systems.update({name: 0 for name in named if name in tally.named})
    if len(files := tally.by("file")) > 1:
        told = (
            f"{name} {say('log.lines', lang, count=count)} ({_levels(tally, name)})"
            for name, count in files.items()
        )
        yield say("log.by_file", lang, files="; ".join(told))
    if len(systems) > 1:
        most = sorted(systems.items(), key=lambda one: (-one[1], one[0]))[:_SHOWN]
        yield say("log.by_system", lang, systems=", ".join(f"{name} {count}" for name, count in most))
    for message, count in tally.by("message").most_common(1):
        if count > 1:
            yield say("log.most", lang, message=message, count=count)


@dataclass(slots=True)
class _Reading:
    """What was asked of a log and read: the `named` systems (and words, for the answer), the `terms` that lines must say with the
    texts they stand in, the words of the newest question that no line says, the lines, the `first` and `last` moment of the logs."""

    wanted: LogQuery
    first: datetime
    last: datetime
    named: list[str] = field(default_factory=list)
    terms: list[tuple[str, list[str]]] = field(default_factory=list)
    unread: tuple[str, ...] = ()
    tally: LogTally = field(default_factory=LogTally)


def _read_all(
    files: Sequence[Path], said: Sequence[str], now: datetime, stop: Sequence[bool], lang: Lang
) -> _Reading:
    """What the questions `said`, newest first, ask of the files, and the lines read."""
    systems, moments = set[str](), list[datetime]()

    @cache
    def lines_of(asked: LogQuery) -> LogTally:
        tally = LogTally(named=set(systems))
        for path in files:
            tally.file = path.name
            with path.open("rb", buffering=PIECE) as file:
                read(file, asked, tally, stop)
        return tally

    try:
        for path in files:
            with path.open("rb") as file:
                beginning = list(_some(file))
                file.seek(max(0, file.seek(0, 2) - SLICE))
                ending = file.read(SLICE).splitlines()
                moments += [moment for raw in (*beginning, *ending) if (moment := stamp(raw))]
            systems |= {name for raw in beginning if (name := _system_of(raw))}
        asked = _asked_of(said, systems, lines_of, now)
        tally = lines_of(asked.wanted)
    except OSError as error:
        name = Path(error.filename or "").name
        message = say("log.unreadable", lang, file=name, reason=error.strerror or error)
        raise ToolError("log_unreadable", message) from error
    named, without, terms = asked.named, asked.wanted.without, asked.terms
    tally = tally.only(
        lambda kind: (
            (not named or kind.system in named)
            and fold(kind.system) not in without
            and not any(set(words).intersection(_left_of(text, kind.message)) for text, words in terms)
        )
    )
    said_of = [*asked.wanted.words, *(one for text, words in terms for one in phrases_of(text, words))]
    held = [
        say("log.code", lang, code=word) if word.isdigit() else f"“{word}”"
        for word in dict.fromkeys(said_of)
        if word not in map(fold, named)
    ]
    first, last = min(moments, default=now), max(moments, default=now)
    return replace(asked, named=[*named, *held], tally=tally, first=first, last=last)


def _asked_of(
    said: Sequence[str], systems: Iterable[str], lines_of: Callable[[LogQuery], LogTally], now: datetime
) -> _Reading:
    """What the questions `said`, newest first, ask together.

    One that names a machine, a system or a code goes on with nothing that was named before; one that says words of lines
    with system and period, and only where it points at what was counted ("trong đó") with the rest.
    """
    queries, added, added_levels = [LogQuery()], tuple[str, ...](), frozenset[str]()
    for text in reversed(said):
        queries.append(parse_log_query(text, now, systems).after(queries[-1]))
    newest = queries[-1]
    if tool_words("log_among").find(said[0]):
        # What was not read of the lines that it points at was not counted.
        newest = replace(newest, unread=(*newest.unread, *queries[-2].unread))
    found, is_open, is_bare, is_named = (
        _Reading(replace(newest, levels=frozenset(), words=(), without=()), now, now),
        True,
        True,
        False,
    )
    for text, asked in zip(said, reversed(queries[1:]), strict=True):
        wanted = found.wanted
        strange = _strange_words(asked, systems) if is_open and is_bare else ()
        kinds = lines_of(asked).by("message") if strange else ()
        spoken = set(strange) - set(strange).intersection(*(_left_of(text, kind) for kind in kinds))
        if text is said[0]:
            found.unread = tuple(word for word in strange if word not in spoken)
        elif 2 * len(spoken) < len(strange):
            # Not of the lines.
            spoken = set()
        if not is_named:
            found.named = systems_in(asked.rest, systems)
            added += asked.added
            words = asked.words if is_open else ()
            is_named = bool(found.named or words or tool_words("log_all").find(text))
            wanted = replace(wanted, without=wanted.without or asked.without)
            # What is left out now is not what was asked for before.
            words = tuple(word for word in words if word not in wanted.without)
            wanted = replace(wanted, words=words, either=asked.either)
            is_bare = not (is_named and (asks(text) or asked.levels))
        if is_open and not wanted.levels:
            added_levels |= asked.added_levels
            wanted = replace(wanted, levels=asked.levels)
        found.wanted = wanted
        if spoken:
            found.terms.append((text, [word for word in strange if word in spoken]))
            # What it points at after it named lines are those lines.
            first = min(text.find(word) for word in spoken)
            is_open = any(hit.start < first for hit in tool_words("log_among").find(text))
    return _with_added(found, systems, added, added_levels)


def _with_added(
    found: _Reading, systems: Iterable[str], added: Sequence[str], levels: frozenset[str]
) -> _Reading:
    """The same with what is counted too: where nothing was named that is counted already."""
    known, wanted, named = set(map(fold, systems)), found.wanted, found.named
    wanted = replace(wanted, without=tuple(name for name in wanted.without if name not in added))
    if more := [name for name in systems if fold(name) in added and named]:
        named = list(dict.fromkeys([*named, *more]))
        wanted = replace(wanted, words=tuple(word for word in wanted.words if word not in known))
    if wanted.numbers:
        wanted = replace(wanted, words=tuple(dict.fromkeys((*wanted.words, *filter(str.isdigit, added)))))
    levels = wanted.levels and wanted.levels | levels
    return replace(found, named=named, wanted=replace(wanted, levels=levels))


def _lines(file: BinaryIO, stop: Sequence[bool]) -> Iterator[bytes]:
    """Lines, of an endless one the beginning; the rest of it is passed over in large pieces."""
    while line := file.readline(MAX_LINE):
        yield line
        size = MAX_LINE
        while line and not line.endswith(b"\n") and len(line) == size:
            if stop[0]:
                return
            size = PIECE
            line = file.readline(size)


def _place_of(file: BinaryIO, start: datetime) -> int:
    """An offset at or before the first line of `start`, by halving; 0 where the file has no times."""
    low, high = 0, file.seek(0, 2)
    while high - low > 1 << 16:
        middle = (low + high) // 2
        file.seek(middle)
        file.readline(MAX_LINE)
        moment = next((found for raw in _some(file) if (found := stamp(raw)) is not None), None)
        # A stretch without times tells nothing: what is before it is never passed over for that.
        low, high = (middle, high) if moment is not None and moment < start else (low, middle)
    if low:
        file.seek(low)
        file.readline(MAX_LINE)
        return file.tell()
    return 0


def _some(file: BinaryIO) -> Iterator[bytes]:
    for _ in range(200):
        line = file.readline(MAX_LINE)
        if not line:
            return
        yield line


def _matches(raw: bytes, moment: datetime | None, wanted: LogQuery) -> bool:
    timed = wanted.start is not None or wanted.hours is not None
    if timed and (moment is None or not wanted.in_period(moment)):
        return False
    if not raw.strip(b"\0 \t\r\n"):
        return False
    if wanted.levels and level_of(raw) not in wanted.levels:
        return False
    # A system that is left out is so by the lines that it wrote, a code by the lines that hold it.
    without = [word for word in wanted.without if word.isdigit()]
    if not (wanted.words or without or wanted.measure):
        return True
    text = fold(raw.decode("utf-8", "replace"))
    if wanted.measure is not None:
        least, most = wanted.measure
        told = (float(value) * (1 if unit == "ms" else 1000) for value, unit in _MEASURE.findall(text))
        if not any(least <= value <= most for value in told):
            return False
    numbers = wanted.numbers
    held = (_holds(text, word) for word in wanted.words if word not in numbers)
    return (
        ((wanted.either and any(held)) or (not wanted.either and all(held)))
        and (not numbers or any(_holds(text, word) for word in numbers))
        and not any(_holds(text, word) for word in without)
    )


def _holds(text: str, word: str) -> bool:
    return re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", text) is not None


def level_of(raw: bytes) -> str:
    """The level of a line by its usual name; "" for a line without one."""
    found = _LEVEL.search(raw[:200])
    name = found[1].decode() if found else ""
    return _SAME.get(name, name)


def _system_of(raw: bytes) -> str:
    """The system that wrote a line; "" where it does not say."""
    found = _SYSTEM.search(raw[:200])
    return found[1].decode() if found else ""


def _keep(raw: bytes, moment: datetime | None, tally: LogTally, numbers: Sequence[str]) -> None:
    name = _system_of(raw)
    tally.named |= {name} if name and len(tally.named) < _MOST_SYSTEMS else set()
    # Numbers in the message are left out, so that the same fault counts once; the system's own name stays.
    said = _STAMP.sub(b"", raw[:400], count=1).decode("utf-8", "replace").strip()
    head, mark, rest = said.partition(f"{name}:") if name else ("", "", said)
    message = f"{head}{mark}{_NUMBER.sub('#', rest)}"[:160]
    kind = LineKind(name if name in tally.named else "", level_of(raw), message, tally.file)
    if kind not in tally.kinds and len(tally.kinds) >= MOST_MESSAGES:
        kind = kind._replace(message="")
    text = sanitize(raw.decode("utf-8", "replace"), keep_newlines=False).strip()[:300]
    place = (moment.astimezone(UTC) if moment else _UNDATED, tally.lines)
    number = max(map(float, re.findall(r"(?<![\w.])\d{1,15}(?:\.\d+)?(?![\w.:])", rest)), default=0.0)
    seen = tally.kinds.get(kind) or _Seen(
        0, (), (place, text), (number, text), Counter(), Counter(), Counter()
    )
    seen.codes.update(code for code in numbers if _holds(fold(rest), code))
    largest = seen.largest if seen.largest[0] >= number else (number, text)
    if moment:
        seen.days[moment.astimezone(HCM).date()] += 1
    if (actor := _ACTOR.search(raw[:400])) is not None and len(seen.actors) < MOST_MESSAGES:
        seen.actors[sanitize(actor[1].decode("utf-8", "replace"), keep_newlines=False)] += 1
    recent = tuple(sorted((*seen.recent, (place, text)))[-KEPT:])
    first = min(seen.first, (place, text))
    tally.kinds[kind] = seen._replace(times=seen.times + 1, recent=recent, first=first, largest=largest)
