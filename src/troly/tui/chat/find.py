"""Finds words in the messages of one conversation, marks them in its lines, and steps from match to match."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import pairwise
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.widgets import Input, Static

from troly.text.catalogue import Lang, tr
from troly.text.fold import fold, fold_in_place, span_in_place
from troly.tui.chat.bars import FIND
from troly.tui.chat.transcript import Transcript
from troly.tui.chat.view import MessageView, TextPart
from troly.tui.render.message import opened_names
from troly.tui.render.spans import Line, plain
from troly.tui.widgets.text_input import TypingInput

if TYPE_CHECKING:
    from troly.tui.app import TrolyApp
    from troly.tui.chat.controller import OlderMessages
    from troly.tui.render.layout import ConversationLayout


# Signs that are only drawn (of Markdown in a source, of frames in a line) part no words that are looked for.
_DRAWN = str.maketrans(dict.fromkeys("*_`~#|>▌│•▸▾─●○◐■"))


def search_form(text: str) -> str:
    """`text` as it is compared: folded, without drawn signs, with single blanks."""
    return " ".join(fold(text).translate(_DRAWN).split())


class MatchSpan(NamedTuple):
    """A piece of a match: characters `start:end` of line `row`; `number` counts the matches of a message from 0."""

    row: int
    start: int
    end: int
    number: int


def find_in_lines(lines: Sequence[Line], wanted: str, first: int = 0) -> list[MatchSpan]:
    """Where `wanted` (see `looked_for`) stands in the lines from row `first` on, also across two lines."""
    letters: list[str] = []
    places: list[tuple[int, int, int]] = []
    for row in range(first, len(lines)):
        text = plain(lines[row])
        folded, offsets = fold_in_place(text)
        for at, letter in enumerate(folded):
            kept = " " if letter.isspace() else letter.translate(_DRAWN)
            if kept and not (kept == " " and letters and letters[-1] == " "):
                letters.append(kept)
                places.append((row, *span_in_place(offsets, len(text), at, at + 1)))
        if letters and letters[-1] != " ":
            letters.append(" ")
            places.append((row, len(text), len(text)))
    joined, found, at = "".join(letters), [], 0
    number = 0
    while wanted and (at := joined.find(wanted, at)) >= 0:
        found += _pieces(places[at : at + len(wanted)], number)
        at, number = at + len(wanted), number + 1
    return found


def _pieces(places: Sequence[tuple[int, int, int]], number: int) -> list[MatchSpan]:
    """One piece for each line that a match stands in."""
    rows: dict[int, tuple[int, int]] = {}
    for row, start, end in places:
        begun = rows.get(row)
        rows[row] = (begun[0], max(begun[1], end)) if begun else (start, end)
    return [MatchSpan(row, start, end, number) for row, (start, end) in rows.items() if end > start]


def styled_line(spans: Line, start: int, end: int, style: str) -> Line:
    """The line with `style` on its characters `start:end`."""
    found, at = [], 0
    for span in spans:
        cuts = [0, *sorted({max(0, min(len(span.text), cut - at)) for cut in (start, end)}), len(span.text)]
        for left, right in pairwise(cuts):
            if right > left:
                inside = start <= at + left and at + right <= end
                piece = span._replace(text=span.text[left:right])
                found.append(piece._replace(style=f"{span.style} {style}".strip()) if inside else piece)
        at += len(span.text)
    return tuple(found)


class MatchMarks:
    """The matches of `wanted` in what is painted; `current` is the message and the number of the chosen match."""

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted
        self.current = (0, -1)
        self._found: dict[int, tuple[object, list[MatchSpan]]] = {}

    def of(self, ledger: ConversationLayout, key: int) -> list[MatchSpan]:
        """The matches in one message; rows count from its first line."""
        lines = ledger.lines_of(key)
        kept = self._found.get(key)
        if kept is None or kept[0] is not lines:
            index = ledger.index_of(key)
            head = 0 if index is None else ledger.head(index) - ledger.first_row(key)
            kept = self._found[key] = (lines, find_in_lines(lines, self.wanted, head + 1))
        return kept[1]

    def paint(self, ledger: ConversationLayout, row: int, text: Line) -> Line:
        """The line of `row` with its matches marked."""
        view = ledger.message_at(row)
        if view is None:
            return text
        mine = row - ledger.first_row(view.key)
        for piece in self.of(ledger, view.key):
            if piece.row == mine:
                chosen = (view.key, piece.number) == self.current
                text = styled_line(text, piece.start, piece.end, "found-here" if chosen else "found")
        return text


class Match(NamedTuple):
    """One match: the message, and the number of the match in it from 0."""

    key: int
    number: int


class Finder:
    """The matches in `messages()`, which may grow at both ends; they count from the newest, 1 is the last one."""

    def __init__(self, messages: Callable[[], Sequence[MessageView]]) -> None:
        self._messages = messages
        self._texts: dict[int, tuple[int, str]] = {}
        self._counts: dict[int, tuple[int, int]] = {}
        self._hits: list[Match] = []
        self.wanted = ""
        self.current: Match | None = None

    def look_for(self, text: str) -> None:
        """Begin anew with other words; nothing is found before `work`."""
        self.wanted = search_form(text)
        self._counts, self._hits, self.current = {}, [], None

    def work(self, seconds: float) -> bool:
        """Look through messages that were not looked at, or have changed, for so long; True when none is left."""
        end, messages = monotonic() + seconds, self._messages()
        changed = False
        for view in reversed(messages) if self.wanted else ():
            known = self._counts.get(view.key)
            if known is not None and known[0] == view.revision:
                continue
            self._counts[view.key] = (view.revision, self._text(view).count(self.wanted))
            changed = True
            if monotonic() >= end:
                self._collect(messages)
                return False
        if changed:
            self._collect(messages)
        return True

    @property
    def count(self) -> int:
        """How many matches are known."""
        return len(self._hits)

    @property
    def at(self) -> int:
        """Which of them is the current one, 1 for the newest; 0 for none."""
        return self._hits.index(self.current) + 1 if self.current in self._hits else 0

    def begin(self, newest: Sequence[int]) -> Match | None:
        """Make the first match current that is in one of the messages `newest` (keys, newest first), else the newest."""
        order = {key: place for place, key in enumerate(newest)}
        self.current = next((hit for hit in self._hits if hit.key in order), None) or (
            self._hits[0] if self._hits else None
        )
        return self.current

    def step(self, by: int) -> Match | None:
        """Make the match `by` places older current, from the oldest on to the newest."""
        if self._hits:
            self.current = self._hits[(self.at - 1 + by) % len(self._hits)]
        return self.current

    def _collect(self, messages: Sequence[MessageView]) -> None:
        found: list[Match] = []
        for view in reversed(messages):
            count = self._counts.get(view.key, (0, 0))[1]
            found += [Match(view.key, number) for number in range(count - 1, -1, -1)]
        self._hits = found

    def _text(self, view: MessageView) -> str:
        kept = self._texts.get(view.key)
        if kept is None or kept[0] != view.revision:
            said = (
                part.text if isinstance(part, TextPart) else "\n".join(texts_in(part)) for part in view.parts
            )
            kept = self._texts[view.key] = (view.revision, search_form("\n".join(said)))
        return kept[1]


def texts_in(value: object) -> Iterator[str]:
    """All texts inside typed content, in the order of its fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from texts_in(item)
    elif is_dataclass(value) and not isinstance(value, type):
        for one in fields(value):
            yield from texts_in(getattr(value, one.name))


# How long one slice of the search may take, and how often one begins: typing is echoed in between.
SLICE, EVERY = 0.015, 0.025
# A long text may take several slices to be rendered to its end.
MOST_SLICES = 60


class FindBar(Horizontal):
    """An input, what was found, and keys; closed with Esc."""

    DEFAULT_CSS = """
    FindBar { height: 1; margin: 0 2; }
    FindBar TypingInput { width: 1fr; height: 1; border: none; padding: 0 1; background: $panel; }
    FindBar TypingInput:focus { border: none; background-tint: transparent 0%; }
    FindBar Static { width: auto; height: 1; padding: 0 1; background: $panel; color: $quiet; }
    """
    BINDINGS = [  # noqa: RUF012 (as the framework declares it)
        Binding("escape", "leave", show=False),
        Binding("up,enter", "step(1)", show=False, priority=True),
        Binding("down,shift+enter", "step(-1)", show=False, priority=True),
    ]

    def __init__(
        self, transcript: Transcript, paging: OlderMessages, lang: Lang, back: Callable[[], object]
    ) -> None:
        super().__init__()
        self._back = back
        self.transcript = transcript
        self.pane = transcript.pane
        self.finder = Finder(lambda: self.pane.messages)
        self._paging = paging
        self._lang: Lang = lang
        self._begun = self._whole = False
        self._looked_at = (0, 0, 0)

    def compose(self) -> ComposeResult:
        """One line."""
        yield TypingInput(placeholder=tr("ui.find.hint", self._lang), compact=True, id=FIND)
        yield Static(tr("ui.find.keys", self._lang), markup=False)

    def on_mount(self) -> None:
        """The keys come here."""
        self.query_one(TypingInput).focus()
        self.set_interval(EVERY, self._work)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look for what is written now."""
        self.finder.look_for(event.value)
        self._begun = False
        wanted = self.finder.wanted
        self.transcript.marks = MatchMarks(wanted) if wanted else None
        self.transcript.refresh()
        self._whole = False
        self._work()

    def _work(self) -> None:
        if self.transcript.pane is not self.pane:
            self.action_leave()
            return
        last = self.pane.messages[-1]
        state = (len(self.pane.messages), last.key, last.revision)
        if self._whole and state == self._looked_at:
            return
        self._looked_at = state
        whole = self.finder.work(SLICE)
        if not self._begun and self.finder.count:
            self._begun = True
            self._show(self.finder.begin(self._newest_seen()))
        if whole and self.finder.wanted:
            whole = not self.pane.messages[0].before or self._paging.failed(self.pane)
            if not whole:
                self._paging.fetch(self.pane)
        self._whole = whole
        self._say(whole)

    def _newest_seen(self) -> list[int]:
        """The messages from the last one in view upwards."""
        last = self.transcript.ledger.message_at(self.transcript.bottom)
        keys = [view.key for view in reversed(self.pane.messages)]
        return keys[keys.index(last.key) :] if last is not None and last.key in keys else keys

    def _say(self, whole: bool) -> None:
        lang, count = self._lang, self.finder.count
        if not self.finder.wanted:
            said = tr("ui.find.keys", lang)
        elif whole and not count:
            said = tr("ui.find.none", lang)
        else:
            said = tr("ui.find.count" if whole else "ui.find.looking", lang, at=self.finder.at, count=count)
        self.query_one(Static).update(said)

    def action_step(self, by: int) -> None:
        """Show the next match, older for 1 and newer for -1."""
        self._show(self.finder.step(by))
        self._say(self._whole)

    def _show(self, hit: Match | None) -> None:
        marks, ledger = self.transcript.marks, self.transcript.ledger
        if hit is None or marks is None:
            return
        if ledger.index_of(hit.key) is None:  # older messages that have just come in and are not laid out yet
            self.transcript.rebuild()
        pieces = self._pieces(hit, marks)
        piece = next((p for p in pieces if p.number == hit.number), pieces[-1] if pieces else None)
        marks.current = (hit.key, piece.number if piece is not None else -1)
        row = ledger.first_row(hit.key) + (piece.row if piece is not None else 0)
        self.transcript.bring(row)

    def _pieces(self, hit: Match, marks: MatchMarks) -> list[MatchSpan]:
        """The matches in the lines of the message, all of which is rendered; what hides them is opened."""
        ledger = self.transcript.ledger
        pieces: list[MatchSpan] = []
        for _ in range(MOST_SLICES):
            ledger.measured(hit.key)
            pieces = marks.of(ledger, hit.key)
            if len({piece.number for piece in pieces}) > hit.number or not ledger.behind:
                break
        index = ledger.index_of(hit.key)
        if pieces or index is None:
            return pieces
        view = ledger.views[index]
        for at, part in enumerate(view.parts):
            if not isinstance(part, TextPart):
                view.opened |= set(opened_names(part, f"{view.key}.{at}"))
        view.touch()
        self.transcript.rebuild()
        return marks.of(ledger, hit.key)

    def action_leave(self) -> None:
        """Close; the messages stay where they are."""
        self.transcript.marks = None
        self.transcript.refresh()
        self.remove()
        self._back()


def open_find_bar(app: TrolyApp) -> None:
    """Show the line below the messages of the pane with the input, or give it the keys again."""
    transcript = app.chat.transcript
    bars = [bar for bar in app.chat.query(FindBar) if bar.transcript is transcript]
    if bars and bars[0].query_one(TypingInput).has_focus:
        bars[0].action_leave()  # the key that opened it
    elif bars:
        bars[0].query_one(TypingInput).focus()
    elif transcript.parent is not None:
        back = app.chat.prompt.focus
        bar = FindBar(transcript, app.older, app.controller.language, back)
        bar.styles.margin = (0, 2 + transcript.indent)
        app.chat.mount(bar, after=transcript)
