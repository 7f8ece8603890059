"""Completion in the input: commands, names after `@`, lines that load data; what is offered and what is put in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from troly.config.actions import ACTIONS
from troly.conversation.commands import (
    EXPORT_FORMS,
    MARK,
    TYPED,
    ArgumentChoice,
    ChatCommand,
    argument_of,
    matching_choices,
    matching_commands,
)
from troly.plugin.ingest_arguments import quoted, words, written
from troly.text.catalogue import LANGS, Lang, tr
from troly.text.fold import fold
from troly.text.sanitize import sanitize
from troly.tui import operations
from troly.tui.render.spans import Line, Span, clip, line, pad, width_of
from troly.tui.theme import THEMES, Palette
from troly.tui.widgets.lines import LinesView

if TYPE_CHECKING:
    from troly.plugin.contract import Parameter
    from troly.plugin.ingest_arguments import IngestKind
    from troly.tui.chat.controller import Controller
    from troly.tui.chat.prompt import Prompt
    from troly.tui.dialogs.choose import Choice


# What these actions do is a command with an argument.
_INSTEAD = ("language_", "theme_")
# Offered before the rest.
_FIRST = ("new", "mode", "search", "help", "again", "copy", "export", "language", "theme")


def chat_commands(controller: Controller) -> list[ChatCommand]:
    """All commands that can be typed now: the mode's own, those of the list, then every action of the palette."""
    lang = controller.language
    mode = controller.modes.get(controller.pane.mode)
    own = [
        ChatCommand(one.name, one.help[lang], argument=one.argument) for one in (mode.talk if mode else ())
    ]
    found: list[ChatCommand] = []
    for one in TYPED:
        argument = argument_of(one.name, lang) if one.screen in ("may", "must") else ""
        needed, by_words = one.screen == "must", one.name == "ingest"
        help_ = tr(f"ui.{'slash' if argument else 'command'}.{one.name}{'.help' if argument else ''}", lang)
        choices = _choices(one.name, controller)
        found.append(ChatCommand(one.name, help_, one.action, argument, needed, choices, by_words))
    taken = {one.name for one in found}
    for action in ACTIONS:
        name = action.name.replace("_", "-")
        if action.palette and name not in taken and not action.name.startswith(_INSTEAD):
            found.append(ChatCommand(name, tr(f"ui.command.{action.name}", lang), action.run))
    order = {name: place for place, name in enumerate(_FIRST)}
    known = {one.name for one in own}
    rest = [one for one in found if one.name not in known]
    return [*own, *sorted(rest, key=lambda one: order.get(one.name, len(order)))]


def _choices(name: str, controller: Controller) -> tuple[ArgumentChoice, ...]:
    lang = controller.language
    match name:
        case "mode":
            return tuple(ArgumentChoice(mode.id, mode.names[lang]) for mode in controller.modes.values())
        case "language":
            return tuple(ArgumentChoice(one, tr(f"ui.command.language_{one}", lang)) for one in LANGS)
        case "theme":
            short = (theme.name.rpartition("-")[2] for theme in THEMES)
            return tuple(ArgumentChoice(one, tr(f"ui.command.theme_{one}", lang)) for one in short)
        case "export":
            return tuple(ArgumentChoice(one, tr(f"ui.slash.export.{one}", lang)) for one in EXPORT_FORMS)
    return ()


AT = "@"
MOST = 8
# Names have blanks, so what follows @ may have some; further words are the message again.
MOST_WORDS = 5
LONGEST = 60
LONGEST_COMMAND = 600
# A mention begins a word: "an@sstc.vn" is an address.
BEFORE = " \t\n([{\"'“‘,;:"


class CompletionTarget(NamedTuple):
    """What stands at the cursor: its kind, where it begins in the text, and what was typed of it."""

    kind: Literal["command", "choice", "mention", "load"]
    start: int
    typed: str
    command: str = ""


class Completion(NamedTuple):
    """One entry of the list: what is shown, what is put in place of what was typed, whether that can be sent as it is."""

    title: str
    hint: str
    text: str
    whole: bool = False


def completion_target(line: str, column: int, *, first: bool) -> CompletionTarget | None:
    """What can be completed after `column` characters of `line`; `first` when the message begins with the line."""
    if first and line.startswith(MARK) and column <= LONGEST_COMMAND:
        name, blank, rest = line[1:column].partition(" ")
        if not column:
            return None
        if not blank:
            return CompletionTarget("command", 0, name) if MARK not in name else None
        return CompletionTarget("choice", len(name) + 2, rest, name)
    begin = max(0, column - LONGEST - 1)
    place = line.rfind(AT, begin, column)
    if place < 0 or (place and line[place - 1] not in BEFORE):
        return None
    typed = line[place + 1 : column]
    if '"' in typed or typed[:1] == " " or len(typed.split(" ")) > MOST_WORDS:
        return None
    return CompletionTarget("mention", place, typed)


def command_completions(wanted: CompletionTarget, commands: Sequence[ChatCommand]) -> list[Completion]:
    """The commands, or the values of one, that fit."""
    if wanted.kind == "command":
        return [
            Completion(
                f"{MARK}{one.name}" + (f" {one.argument}" if one.argument else ""),
                one.help,
                f"{MARK}{one.name}" + (" " if one.argument else ""),
                whole=bool(one.action) and not one.needed,
            )
            for one in matching_commands(commands, wanted.typed)
        ]
    command = next((one for one in commands if one.name == wanted.command), None)
    choices = matching_choices(command.choices, wanted.typed) if command else []
    return [Completion(one.value, one.title, one.value, whole=True) for one in choices]


def mention_completions(found: Sequence[tuple[str, str]]) -> list[Completion]:
    """Names of things, put into the message in quotes."""
    return [Completion(name, hint, f"{mention(name)} ") for name, hint in found[:MOST]]


def mention(name: str) -> str:
    """A name as it stands in a message: in quotes, without any of its own."""
    inside = " ".join(name.replace('"', " ").split())
    return f'"{inside}"'


What: TypeAlias = Literal["kind", "path", "option", "value", "nothing"]


class LinePart(NamedTuple):
    """What is written at the end of a line: where it begins, what there is of it, the kind, options still free.

    `ready` when the line could be sent as it is.
    """

    what: What
    start: int
    typed: str = ""
    kind: IngestKind | None = None
    free: tuple[Parameter, ...] = ()
    ready: bool = False


def line_part(line: str, kinds: Sequence[IngestKind]) -> LinePart:
    """The part at the end of `line`."""
    *done, last = words(line)
    if not done:
        return LinePart("kind", last.start, last.text)
    kind = next((one for one in kinds if one.name == done[0].text.casefold()), None)
    if kind is None:
        return LinePart("nothing", last.start)
    used, files, before = _before(kind, [word.text for word in done[1:]])
    free = tuple(one for one in kind.parameters if one.name not in used)
    what: What = "nothing"
    if before is not None:
        what = "path" if before.metavar == "FILE" else "value"
    elif last.text.startswith("-") or (files and not last.text):
        what = "option"
    elif not files or kind.many:
        what = "path"
    ready = what == "option" and not last.text
    return LinePart(what, last.start, last.text, kind, free, ready)


def _before(kind: IngestKind, given: Sequence[str]) -> tuple[set[str], int, Parameter | None]:
    """The options in `given`, how many files there are, and the option that still waits for its value."""
    by_name = {one.name: one for one in kind.parameters}
    used, files, waits = set[str](), 0, None
    for word in given:
        if waits is not None:
            waits = None
            continue
        name, equals, _ = word.partition("=")
        found = by_name.get(name)
        waits = found if found is not None and found.metavar and not equals else None
        used |= {name} & set(by_name)
        files += not word.startswith("-")
    return used, files, waits


def part_completions(part: LinePart, kinds: Sequence[IngestKind], lang: Lang) -> list[Completion]:
    """Kinds or options that fit; with a file the first offer loads it as it stands."""
    if part.what == "kind":
        wanted = fold(part.typed)
        return [
            Completion(one.name, sanitize(one.help[lang], keep_newlines=False), f"{one.name} ")
            for one in kinds
            if wanted in fold(one.name) or (wanted and wanted in fold(one.help[lang]))
        ]
    if part.what != "option":
        return []
    now = [Completion(tr("ui.work.now", lang), "", "", whole=True)] if part.ready else []
    return now + [
        Completion(written(one), sanitize(one.help[lang], keep_newlines=False), f"{one.name} ")
        for one in part.free
        if one.name.startswith(part.typed)
    ]


def option_choices(head: str, kind: IngestKind, lang: Lang) -> Callable[[str], list[Choice]]:
    """Offers for the options alone, after `head` (kind and file): to load now, or an option to write on."""
    from troly.tui.dialogs.choose import Choice

    def offers(typed: str) -> list[Choice]:
        part = line_part(head + typed, (kind,))
        begun = typed[: part.start - len(head)]
        now = (
            [Choice(tr("ui.work.now", lang), typed.strip() or " ")]
            if part.what != "option" or part.ready
            else []
        )
        return now + [
            Choice(f"{one.title} · {one.hint}", f"{begun}{one.text}", further=True)
            for one in part_completions(part, (kind,), lang)
            if not one.whole
        ]

    return offers


def path_completions(part: LinePart, found: Sequence[Choice]) -> list[Completion]:
    """Files and folders as they stand in the line; a folder is written on, a file that is whole can be sent."""
    offers = []
    for one in found:
        whole = quoted(one.value)
        if one.further:
            text = whole[:-1] if whole != one.value and whole[0] in "\"'" else whole
        else:
            text = f"{whole} "
        offers.append(Completion(one.title, "", text, whole=one.value == part.typed))
    return offers


ACTION = "complete"
WIDEST_TITLE = 40


class CompletionList(LinesView):
    """Hidden while there is nothing to offer; the keys stay in the input."""

    def __init__(self, palette: Palette) -> None:
        super().__init__(palette)
        self.pick: Callable[[int], None] = lambda _place: None
        self.offers: list[Completion] = []
        self.chosen = 0
        self.display = False

    @property
    def shown(self) -> bool:
        """Whether something is offered."""
        return bool(self.offers)

    def show(self, offers: Sequence[Completion]) -> None:
        """Offer these; the first is chosen."""
        offers = list(offers)
        if offers == self.offers:
            return
        self.offers, self.chosen = offers, 0
        self.display = bool(offers)
        status = getattr(self.screen, "status", None)
        if status is not None:
            status.rebuild()
        if offers:
            self.styles.height = min(MOST, len(offers), max(1, self.app.size.height // 3))
            self.scroll_to(y=0, immediate=True, force=True)
            # While it was hidden it had no width to lay the lines out for.
            self._laid_width = 0
            self.rebuild()

    def move(self, by: int) -> None:
        """Choose another one."""
        if self.offers:
            self.chosen = (self.chosen + by) % len(self.offers)
            self.rebuild()
            if not self.scroll_y <= self.chosen < self.scroll_y + self.size.height:
                above = self.chosen - (self.size.height - 1 if by > 0 else 0)
                self.scroll_to(y=max(0, above), immediate=True, force=True)

    def take(self) -> Completion | None:
        """What is chosen."""
        return self.offers[self.chosen] if self.offers else None

    def on_lines_view_pressed(self, event: LinesView.Pressed) -> None:
        """An offer was clicked."""
        event.stop()
        self.pick(int(event.action.rpartition(":")[2]))

    def build(self, width: int) -> list[Line]:
        """One line an offer: what it is, and a hint beside it."""
        titles = [
            clip(sanitize(offer.title, keep_newlines=False), min(WIDEST_TITLE, max(8, width // 2)))
            for offer in self.offers
        ]
        column = max((width_of(line(Span(title))) for title in titles), default=0) + 2
        lines: list[Line] = []
        for place, (offer, title) in enumerate(zip(self.offers, titles, strict=True)):
            here = place == self.chosen
            action = f"{ACTION}:{place}"
            left = pad(line(Span(title, "strong" if here else "", action)), column)
            mark = Span("▌ " if here else "  ", "accent", action)
            hint = Span(
                clip(sanitize(offer.hint, keep_newlines=False), max(0, width - column - 3)), "dim", action
            )
            lines.append(line(mark, *left, hint))
        return lines


class Completer:
    """Serves one input. It never holds up a key: names are looked up by the backend and shown when they come."""

    def __init__(self, controller: Controller, prompt: Prompt, offers: CompletionList) -> None:
        self._controller = controller
        self._prompt = prompt
        self._offers = offers
        self._wanted: CompletionTarget | None = None
        self._closed: tuple[str, int, int] | None = None
        self._asking = False

    def commands(self) -> list[ChatCommand]:
        """What can be typed after a slash."""
        return chat_commands(self._controller)

    def changed(self) -> None:
        """The text or the cursor is another."""
        row, _ = self._prompt.cursor_location
        wanted = self._at_cursor() if self._prompt.selection.is_empty else None
        if wanted == self._wanted:
            return
        self._wanted = wanted
        if wanted is None:
            self._closed = None
            self._offers.show(())
        elif self._closed == (wanted.kind, row, wanted.start):
            self._offers.show(())
        elif wanted.kind == "mention":
            self._look_up()
        elif wanted.kind == "load":
            self._offer_load(wanted)
        else:
            self._offers.show(command_completions(wanted, self.commands()))

    def renew(self) -> None:
        """Look again: what can be offered is another."""
        self._wanted = self._closed = None
        self.changed()

    def _at_cursor(self) -> CompletionTarget | None:
        row, column = self._prompt.cursor_location
        wanted = completion_target(self._prompt.document[row], column, first=row == 0)
        if wanted is not None and wanted.kind == "choice":
            known = {one.name: one for one in self.commands()}
            if wanted.command not in known:  # still words of what a command does: "/giao dien"
                return CompletionTarget("command", 0, f"{wanted.command} {wanted.typed}")
            if known[wanted.command].by_words:
                return wanted._replace(kind="load", start=wanted.start + self._part(wanted).start)
        return wanted

    def _offer_load(self, wanted: CompletionTarget) -> None:
        """Offer what can come next in a line that loads data."""
        part = self._part(wanted)
        if part.what == "path":
            self._look_up()
        else:
            self._offers.show(part_completions(part, self._controller.kinds, self._controller.language))

    def _look_up(self) -> None:
        """Ask for names or files; while one question is open the next one waits for its answer."""
        controller, wanted = self._controller, self._wanted
        if self._asking or wanted is None or wanted.kind not in ("mention", "load") or not controller.opened:
            return
        part = self._part(wanted) if wanted.kind == "load" else None
        if part is not None and part.what != "path":
            return
        self._asking = True

        def done(found: Any) -> None:
            self._asking = False
            if self._wanted != wanted:
                self._look_up()
            elif self._closed is None:
                self._offers.show(self._found(part, found))

        if part is None:
            mode, lang = controller.pane.mode, controller.language
            controller.backend.call(operations.find_mentions, done, mode, wanted.typed, MOST, lang)
        else:
            controller.backend.call(operations.complete_path, done, part.typed, controller.language)

    def _part(self, wanted: CompletionTarget) -> LinePart:
        return line_part(wanted.typed, self._controller.kinds)

    def _found(self, part: LinePart | None, found: Any) -> list[Completion]:
        """What was looked up, as offers; a failure offers nothing."""
        if isinstance(found, Exception):
            return []
        if part is None:
            return mention_completions(found)
        return path_completions(part, found or ())

    def key(self, key: str, *, sends: bool) -> bool:
        """Let the list have a key; True when it took it. `sends` marks the key that sends a message."""
        if key == "tab" and not self._offers.shown:
            self.renew()
            if self._wanted is not None and not self._offers.shown:
                return True  # what fits is being looked up, or nothing does: the keys stay here
        if not self._offers.shown or self._wanted is None:
            return False
        if key in ("up", "down"):
            self._offers.move(-1 if key == "up" else 1)
        elif key == "escape":
            self._closed = (self._wanted.kind, self._prompt.cursor_location[0], self._wanted.start)
            self._offers.show(())
        elif key == "tab" or sends:
            self.take(send=sends)
        else:
            return False
        return True

    def take(self, place: int | None = None, *, send: bool = False) -> None:
        """Put the chosen offer (or the one at `place`) where it was wanted; `send` sends what is whole then."""
        if place is not None and place < len(self._offers.offers):
            self._offers.chosen = place
        offer, wanted = self._offers.take(), self._wanted
        if offer is None or wanted is None:
            return
        row, column = self._prompt.cursor_location
        # Keys of the same read may have moved the cursor on.
        current = self._at_cursor()
        if current is not None and (current.kind, current.start) == (wanted.kind, wanted.start):
            self._put(offer, row, wanted.start, column)
            if send and offer.whole:
                self._prompt.action_send()
        self.changed()

    def _put(self, offer: Completion, row: int, start: int, end: int) -> None:
        prompt = self._prompt
        after = prompt.document[row][end : end + 1]
        text = offer.text.rstrip() if after.isspace() else offer.text
        prompt.replace(text, (row, start), (row, end), maintain_selection_offset=False)
        prompt.move_cursor((row, start + len(text)))
