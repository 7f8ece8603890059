"""log_tool: reads the agent's configured log files by time, level and words; large files by their end of the range."""

from __future__ import annotations

import asyncio
import glob
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

from troly.text.catalogue import Lang
from troly.text.dates import HCM, find_ranges, format_date
from troly.text.fold import fold
from troly.text.match import blank_out, spans_of
from troly.text.sanitize import sanitize
from troly_rag.answer.evidence import SourceEvidence
from troly_rag.corpus.coverage import phrases_of, question_of, text_of
from troly_rag.routing.lexicons import corrections, neighbours, tool_words
from troly_rag.routing.questions import asks
from troly_rag.strings import say
from troly_rag.tools.interface import ToolError, ToolInputs, ToolResult

LEVELS = ("CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG")
# Words of a question, folded, and the level they mean.
_LEVEL_WORDS = {
    "loi": "ERROR", "error": "ERROR", "errors": "ERROR", "su co": "ERROR", "incident": "ERROR", "nghiem trong": "CRITICAL",
    "critical": "CRITICAL", "canh bao": "WARNING", "warning": "WARNING", "warnings": "WARNING", "warn": "WARNING",
    "info": "INFO", "debug": "DEBUG",
}  # fmt: skip
_FAULT_OF_LEVEL = re.compile(
    r"\b(?:loi|su co)(?: muc)? (nghiem trong|critical)\b|\b(critical) (?:errors?|incidents?)\b"
)
_SAME = {"WARN": "WARNING", "FATAL": "CRITICAL", "ERR": "ERROR"}
_STAMP = re.compile(rb"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:[.,]\d+)?(Z|[+-]\d{2}:?\d{2})?")
_LEVEL = re.compile(rb"\b(CRITICAL|FATAL|ERROR|ERR|WARNING|WARN|INFO|DEBUG)\b")
_SYSTEM = re.compile(
    rb"\b(?:CRITICAL|FATAL|ERROR|ERR|WARNING|WARN|INFO|DEBUG)\b[\s\]:|-]+([A-Za-z][\w.-]{0,40}):\s"
)
_NUMBER = re.compile(r"\b(?:0x[0-9a-f]+|\d[\d.:]*)\b", re.IGNORECASE)
# A number that counts nothing is a code.
_BARE_CODE = re.compile(
    r"(?<![\d/:.,-])\d{3,6}(?![\d/:-]|[.,]\d)(?!\s*(?:ngay|lan|dong|gio|phut|days?|times|lines?|hours?)\b)"
)
# Where what is left out of a count ends.
_LEFT_OUT_ENDS = re.compile(r"[,;.?!](?=\s|$)|\b(?:thì|thi|còn|con|then|how|what)\b", re.IGNORECASE)
_ACTOR = re.compile(rb"\b(?:user(?:name)?|account|login|uid)[\s=:]+['\"]?([\w.@\\-]{1,40})", re.IGNORECASE)
_FROM_TO = re.compile(
    r"(?:tu|from|between)?\s*(\d{1,2})\s*(?:h|gio|:)\s*(\d{2})?\s*(?:den|toi|-|to|and)\s*(\d{1,2})\s*(?:h|gio|:)\s*(\d{2})?"
)
# Who may read the logs: those who may read what is internal.
SCOPE = "internal"
_MOST_SYSTEMS = 200
MAX_LINE = 4000
KEPT = 5
_SHOWN = 8
_OF_LOGS = ("of_log", "log_who", "log_without", "log_among", "explain")
SLICE = 20_000
PIECE = 1 << 20
# Different messages that are counted apart; a log of nothing but different ones fills no memory.
MOST_MESSAGES = 20_000


@dataclass(frozen=True, slots=True)
class LogQuery:
    """What lines are asked for: a time range (aware, end excluded), levels, and words that a line must or must not hold (folded)."""

    start: datetime | None = None
    end: datetime | None = None
    levels: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    @property
    def numbers(self) -> tuple[str, ...]:
        """The codes that are bare numbers: a line holds one of them."""
        return tuple(word for word in self.words if word.isdigit())


class LineKind(NamedTuple):
    """Lines that differ in numbers alone; the message is "" for those beyond `MOST_MESSAGES`."""

    system: str
    level: str
    message: str


class _Seen(NamedTuple):
    """How many lines of a kind there are, and the last of them: which line it is, its text, its time.

    `first` is the first with its place, `largest` the one with the largest number in its message, `days` how many of each
    day, `actors` how many of each user that they name, `codes` how many hold each of several numbers that are asked for.
    """

    times: int
    place: int
    text: str
    moment: datetime | None
    first: tuple[int, str]
    largest: tuple[float, str]
    days: Counter[date]
    actors: Counter[str]
    codes: Counter[str]


@dataclass(slots=True)
class LogTally:
    """What was read: `lines` looked at, those that match by their kind, and the systems `named` in any."""

    lines: int = 0
    kinds: dict[LineKind, _Seen] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)

    @property
    def matched(self) -> int:
        return sum(seen.times for seen in self.kinds.values())

    @property
    def newest(self) -> datetime | None:
        return max((seen.moment for seen in self.kinds.values() if seen.moment), default=None)

    @property
    def last(self) -> list[str]:
        """The last lines, one of a kind."""
        return [seen.text for seen in sorted(self.kinds.values(), key=lambda seen: seen.place)[-KEPT:]]

    @property
    def first(self) -> str:
        """The first line."""
        return min(seen.first for seen in self.kinds.values())[1]

    @property
    def largest(self) -> str:
        """The line with the largest number in its message, of kinds that tell one; "" where none does."""
        return max(
            (seen.largest for kind, seen in self.kinds.items() if "#" in kind.message), default=(0.0, "")
        )[1]

    @property
    def days(self) -> Counter[date]:
        """How many lines there are of each day."""
        return sum((seen.days for seen in self.kinds.values()), Counter[date]())

    @property
    def actors(self) -> Counter[str]:
        """How many lines there are of each user that they name."""
        return sum((seen.actors for seen in self.kinds.values()), Counter[str]())

    @property
    def codes(self) -> Counter[str]:
        """How many lines hold each of the numbers that are asked for."""
        return sum((seen.codes for seen in self.kinds.values()), Counter[str]())

    def by(self, part: Literal["system", "level", "message"]) -> Counter[str]:
        """How many lines there are of each system, level or message; those that have none are left out."""
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
    """How many lines match, of which levels, what is said most often, and the last line.

    Raises ToolError `no_log_files`, `log_unreadable`.
    """
    lang = given.turn.language
    files = log_files(given.agent.log_files)
    if not files:
        raise ToolError("no_log_files", say("log.no_files", lang, agent=given.agent.name))
    if SCOPE not in given.user.permissions:
        return ToolResult("", denied=len(files))
    named_files = _named_files(files, given.query)
    said = [one for one in (given.query, *given.before.split("\n")) if one]
    files = named_files or _named_files(files, given.before) or files
    stop = [False]
    try:
        wanted, named, tally, unread = await asyncio.to_thread(
            _read_all, files, said, given.turn.now, stop, lang
        )
    except asyncio.CancelledError:
        stop[0] = True
        raise
    if not tally.actors:
        # Lines that name nobody do not tell who.
        unread += tuple(given.query[hit.start : hit.end] for hit in tool_words("log_who").find(given.query))
    unread += tuple(given.query[hit.start : hit.end] for hit in tool_words("explain").find(given.query))
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
    shown = render_tally(tally, wanted, lang, named, asked=given.query)
    if unread:
        words = ", ".join(f"“{words}”" for words in phrases_of(given.query, unread))
        shown = f"{say('log.unread', lang, words=words)} {shown}"
    return ToolResult(shown, context, (evidence,) if tally.matched else (), covered=not unread, unread=unread)


def _strange_words(query: str, asked: LogQuery, systems: Iterable[str], now: datetime) -> tuple[str, ...]:
    """The telling words of a question that are no system, level, period or code: what the lines must say."""
    rest = without_log_words(
        blank_out(query, [one.span for one in find_ranges(query, now.astimezone(HCM).date())])
    )
    names = (*systems, *asked.words, *asked.without)
    known = {part for name in names for part in re.findall(r"[a-z0-9]+", fold(name))}
    return tuple(word for word in question_of(rest).words if fold(word) not in known and not word.isdigit())


def without_log_words(query: str) -> str:
    """The question without what any question about a log may be made of, and words that take back what was said."""
    lists = (*(tool_words(name) for name in _OF_LOGS), corrections(), neighbours())
    return blank_out(query, spans_of(hit for words in lists for hit in words.find(query)))


def is_of_log(query: str) -> bool:
    """Whether it says nothing but what a question about a log is made of, and numbers."""
    return all(word.isdigit() for word in question_of(without_log_words(query)).words)


def _left_of(query: str, kind: str) -> tuple[str, ...]:
    """The words of `query` that a kind of line does not say."""
    return question_of(query).coverage(text_of(kind)).unread


def log_files(patterns: Sequence[str]) -> list[Path]:
    """The files that the configured patterns name, each once, in order."""
    found = [Path(path) for pattern in patterns for path in sorted(glob.glob(pattern, recursive=True))]  # noqa: PTH207 (absolute patterns)
    return [path for path in dict.fromkeys(found) if path.is_file()]


def _named_files(files: Sequence[Path], query: str) -> list[Path]:
    """The files that a question names: by their names, or by what they are logs of ("log hệ thống"), with the others
    that it then speaks of too.
    """
    text = fold(query)
    stems = {file: re.escape(fold(file.stem)).replace(r"\-", "[ -]") for file in files}
    named = [
        file
        for file, stem in stems.items()
        if fold(file.name) in text or re.search(rf"\b(?:logs?|nhat ky) (?:cua )?{stem}\b", text)
    ]
    return (
        [file for file, stem in stems.items() if file in named or re.search(rf"\b{stem}\b", text)]
        if named
        else []
    )


def parse_log_query(query: str, now: datetime, known: Iterable[str] = ()) -> LogQuery:
    """What a question asks of a log: its period, its levels, quoted words or codes, and which of those or of the systems
    `known` it leaves out."""
    ranges = find_ranges(query, now.astimezone(HCM).date())
    period = ranges[0] if ranges else None
    query, without = _left_out(query, known)
    text = fold(query)
    # A level in capitals is meant to the letter; "lỗi" is every line that is no less than an error.
    levels = {level for level in LEVELS if re.search(rf"\b{level}\b", query)}
    if not levels:
        # In "lỗi nghiêm trọng" the fault is only what is serious.
        text_of_levels = _FAULT_OF_LEVEL.sub(r"\1\2", text)
        levels = {level for word, level in _LEVEL_WORDS.items() if re.search(rf"\b{word}\b", text_of_levels)}
        levels |= {"CRITICAL"} if "ERROR" in levels else set()
    words = tuple(fold(quoted) for quoted in re.findall(r"[\"“']([^\"”']{2,60})[\"”']", query))
    start = datetime.combine(period.start, datetime.min.time(), HCM) if period else None
    end = datetime.combine(period.end, datetime.min.time(), HCM) + timedelta(days=1) if period else None
    hours = _FROM_TO.search(text)
    if hours is not None and start is not None and end is not None and end - start == timedelta(days=1):
        first, last = (
            timedelta(hours=int(h), minutes=int(m or 0))
            for h, m in ((hours[1], hours[2]), (hours[3], hours[4]))
        )
        start, end = (start + first, start + last) if first < last <= timedelta(days=1) else (start, end)
    # The period of a question holds numbers that are no codes.
    codes = _codes(blank_out(query, [one.span for one in find_ranges(query, now.astimezone(HCM).date())]))
    return LogQuery(start, end, frozenset(levels), words or codes, without)


def _left_out(query: str, known: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """The question without what it leaves out ("không tính db-02"), and the codes and systems of that, which alone can be."""
    for hit in tool_words("log_without").find(query):
        ends = _LEFT_OUT_ENDS.search(query, hit.end)
        end = ends.start() if ends else len(query)
        part = query[hit.end : end]
        if names := tuple(dict.fromkeys((*_codes(part), *map(fold, _systems_in(part, known))))):
            return f"{query[: hit.start]} {query[end:]}", names
    return query, ()


def _codes(query: str) -> tuple[str, ...]:
    """Names of machines and codes in a question without its period: words with a digit or a hyphen inside letters
    (`db-01`, `E1042`), and numbers that count nothing."""
    found = re.findall(r"\b[A-Za-z]+[-_]?[0-9][\w-]*\b", query)
    text = fold(query)
    codes = re.findall(r"\b(?:loi|ma|error|code)\s+(?:so\s+)?(\d{2})\b(?!\s*(?:ngay|lan|dong|gio))", text)
    named = (fold(word) for word in found if not re.fullmatch(r"[hH]\d{1,2}|\d+", word))
    return (*named, *codes, *_BARE_CODE.findall(text))


def _systems_in(text: str, known: Iterable[str]) -> list[str]:
    """The systems of the log that `text` names: by their name, or by what their numbered names begin with."""
    said = set(re.findall(r"[\w.-]+", fold(text)))
    names = sorted(known)
    whole = [name for name in names if fold(name) in said]
    return whole or [name for name in names if re.sub(r"[-_]?\d+$", "", fold(name)) in said]


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
            _keep(raw, moment, tally, wanted.numbers)


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
    period = ""
    if wanted.start is not None and wanted.end is not None:
        last = wanted.end - timedelta(days=1)
        same = wanted.end - wanted.start <= timedelta(days=1)
        start, end = format_date(wanted.start.date()), format_date(last.date())
        period = say("log.day" if same else "log.period", lang, start=start, end=end)
    of = f" {', '.join(named)}" if named else ""
    of += say("log.without", lang, names=", ".join(wanted.without)) if wanted.without else ""
    if not tally.matched:
        return say("log.none", lang, period=period, of=of)
    levels = ", ".join(f"{level} {count}" for level, count in tally.by("level").items())
    parts = [say("log.summary", lang, count=tally.matched, period=period, levels=levels or "-", of=of)]
    parts += _by_part(tally, wanted, lang)
    if tool_words("log_days").find(asked) and tally.days:
        # Of days with as many the first.
        day, count = min(tally.days.items(), key=lambda one: (-one[1], one[0]))
        parts.append(say("log.day_most", lang, day=format_date(day), count=count))
    if tool_words("log_who").find(asked) and (actors := tally.actors):
        shown = ", ".join(f"{name} ({count})" for name, count in actors.most_common(_SHOWN))
        more = say("log.more", lang, count=len(actors) - _SHOWN) if len(actors) > _SHOWN else ""
        parts.append(say("log.who", lang, count=len(actors), names=shown + more))
    if tool_words("log_first").find(asked):
        parts.append(say("log.first", lang, line=tally.first))
    if tool_words("log_largest").find(asked) and tally.largest:
        parts.append(say("log.largest", lang, line=tally.largest))
    parts.append(say("log.last", lang, line=tally.last[-1]))
    return " ".join(parts)


def _by_part(tally: LogTally, wanted: LogQuery, lang: Lang) -> Iterator[str]:
    """How many lines there are of each of several codes and systems, and of the message that comes most often."""
    if len(wanted.numbers) > 1:
        codes = ", ".join(f"{code}: {tally.codes[code]}" for code in wanted.numbers)
        yield say("log.by_code", lang, codes=codes)
    systems = sorted(tally.by("system").items(), key=lambda one: (-one[1], one[0]))
    if len(systems) > 1:
        shown = ", ".join(f"{name} {count}" for name, count in systems[:_SHOWN])
        yield say("log.by_system", lang, systems=shown)
    for message, count in tally.by("message").most_common(1):
        if count > 1:
            yield say("log.most", lang, message=message, count=count)


def _read_all(
    files: Sequence[Path], said: Sequence[str], now: datetime, stop: Sequence[bool], lang: Lang
) -> tuple[LogQuery, list[str], LogTally, tuple[str, ...]]:
    """What the questions `said`, newest first, ask of the files, what is named of those, the lines read, and the words of the
    newest that no line says."""
    systems = set[str]()

    @cache
    def lines_of(asked: LogQuery) -> LogTally:
        tally = LogTally(named=set(systems))
        for path in files:
            with path.open("rb", buffering=PIECE) as file:
                read(file, asked, tally, stop)
        return tally

    try:
        for path in files:
            with path.open("rb") as file:
                systems |= {name for raw in _some(file) if (name := _system_of(raw))}
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
    held = [f"“{word}”" for word in dict.fromkeys(said_of) if word not in map(fold, named)]
    return asked.wanted, [*named, *held], tally, asked.unread


@dataclass(slots=True)
class _Asked:
    """What is asked of a log: the `named` systems, the `terms` that lines must say with the texts they stand in, and
    the words of the newest that no line says."""

    wanted: LogQuery
    named: list[str] = field(default_factory=list)
    terms: list[tuple[str, list[str]]] = field(default_factory=list)
    unread: tuple[str, ...] = ()


def _asked_of(
    said: Sequence[str], systems: Iterable[str], lines_of: Callable[[LogQuery], LogTally], now: datetime
) -> _Asked:
    """What the questions `said`, newest first, ask together.

    One that names a machine, a system or a code goes on with nothing that was named before; one that says words of lines
    with system and period, and only where it points at what was counted ("trong đó") with the rest.
    """
    queries, start, end = list[LogQuery](), None, None
    for text in reversed(said):
        asked = parse_log_query(text, now, systems)
        start, end = (asked.start, asked.end) if asked.start or asked.end else (start, end)
        queries.append(replace(asked, start=start, end=end))
    found, is_open, is_bare, is_named = _Asked(LogQuery(start, end)), True, True, False
    for text, asked in zip(said, reversed(queries), strict=True):
        wanted = found.wanted
        strange = _strange_words(text, asked, systems, now) if is_open and is_bare else ()
        kinds = lines_of(asked).by("message") if strange else ()
        spoken = set(strange) - set(strange).intersection(*(_left_of(text, kind) for kind in kinds))
        if text is said[0]:
            found.unread = tuple(word for word in strange if word not in spoken)
        elif 2 * len(spoken) < len(strange):
            # Not of the lines.
            spoken = set()
        if not is_named:
            found.named = _systems_in(_left_out(text, systems)[0], systems)
            words = asked.words if is_open else ()
            is_named = bool(found.named or words)
            wanted = replace(wanted, without=wanted.without or asked.without)
            # What is left out now is not what was asked for before.
            wanted = replace(wanted, words=tuple(word for word in words if word not in wanted.without))
            is_bare = not (is_named and (asks(text) or asked.levels))
        found.wanted = replace(wanted, levels=wanted.levels or asked.levels) if is_open else wanted
        if spoken:
            found.terms.append((text, [word for word in strange if word in spoken]))
            is_open = bool(tool_words("log_among").find(text))
    return found


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
    if wanted.start is not None and (moment is None or moment < wanted.start):
        return False
    if not raw.strip(b"\0 \t\r\n"):
        return False
    if wanted.levels and level_of(raw) not in wanted.levels:
        return False
    # A system that is left out is so by the lines that it wrote, a code by the lines that hold it.
    without = [word for word in wanted.without if word.isdigit()]
    if not (wanted.words or without):
        return True
    text = fold(raw.decode("utf-8", "replace"))
    numbers = wanted.numbers
    return (
        all(_holds(text, word) for word in wanted.words if word not in numbers)
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
    kind = LineKind(name if name in tally.named else "", level_of(raw), message)
    if kind not in tally.kinds and len(tally.kinds) >= MOST_MESSAGES:
        kind = kind._replace(message="")
    text = sanitize(raw.decode("utf-8", "replace"), keep_newlines=False).strip()[:300]
    moment = moment.astimezone(UTC) if moment else None
    number = max(map(float, re.findall(r"(?<![\w.])\d{1,15}(?:\.\d+)?(?![\w.:])", rest)), default=0.0)
    seen = tally.kinds.get(kind) or _Seen(
        0, 0, "", None, (tally.lines, text), (number, text), Counter(), Counter(), Counter()
    )
    seen.codes.update(code for code in numbers if _holds(fold(rest), code))
    largest = seen.largest if seen.largest[0] >= number else (number, text)
    if moment:
        seen.days[moment.astimezone(HCM).date()] += 1
    if (actor := _ACTOR.search(raw[:400])) is not None and len(seen.actors) < MOST_MESSAGES:
        seen.actors[sanitize(actor[1].decode("utf-8", "replace"), keep_newlines=False)] += 1
    tally.kinds[kind] = seen._replace(
        times=seen.times + 1, place=tally.lines, text=text, moment=moment, largest=largest
    )
