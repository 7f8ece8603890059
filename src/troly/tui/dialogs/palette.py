"""The command palette: type a piece of a name, with or without diacritics, and press Enter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from troly.config.actions import ACTIONS
from troly.config.key_names import key_label
from troly.text.catalogue import Lang, tr
from troly.text.fold import fold
from troly.text.sanitize import sanitize
from troly.tui.chat.bars import activity_mark, mode_icon, pane_title, tab_panes
from troly.tui.chat.controller import Controller
from troly.tui.keymap import Keymap, bindings, keymap_of, title
from troly.tui.widgets.dialog import ListDialog, ShortList
from troly.tui.widgets.text_input import TypingInput

# All commands by name, for the palette, the status line and clicks; found without regard to diacritics.


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """One entry of the palette: what it is called, the action it runs, the key that does the same, and its heading."""

    title: str
    action: str
    key: str = ""
    group: str = ""


def commands(controller: Controller, keymap: Keymap) -> list[PaletteEntry]:
    """What can be done now: questions that the last answer offers, modes, then the rest."""
    lang = controller.language
    found = [
        PaletteEntry(
            tr("ui.command.suggested", lang, question=sanitize(question, keep_newlines=False)),
            f"suggested({index})",
            group=tr("ui.card.next", lang),
        )
        for index, question in enumerate(controller.suggested)
    ]
    keys = keymap.keys("assistants")
    for place, mode in enumerate(controller.modes.values()):
        press = key_label(keys[place]) if place < len(keys) else ""
        found.append(
            PaletteEntry(
                tr("ui.command.mode", lang, name=mode.names[lang]),
                f"mode('{mode.id}')",
                press,
                tr("ui.palette.assistants", lang),
            )
        )
    return [
        *found,
        *(
            PaletteEntry(title(one, lang), one.run, keymap.press(one.name), tr(f"ui.help.{one.group}", lang))
            for one in ACTIONS
            if one.palette
        ),
    ]


def matching(offered: Sequence[PaletteEntry], wanted: str) -> list[PaletteEntry]:
    """The commands whose title holds all words of `wanted`, diacritics or not; beginnings of words come first."""
    words = fold(wanted).split()
    ranked: list[tuple[int, int, PaletteEntry]] = []
    for place, command in enumerate(offered):
        name = fold(command.title)
        if all(word in name for word in words):
            starts = sum(any(part.startswith(word) for part in name.split()) for word in words)
            ranked.append((-starts, place, command))
    return [command for _, _, command in sorted(ranked, key=lambda entry: entry[:2])]


# As in the style sheet: the box and what its frame and the scrollbar take.
WIDTH = 66
FRAME = 5


class PaletteScreen(ListDialog[str]):
    """Gives back the action of what is chosen among `offered`, or the empty string; `what` names the sentences of it."""

    LEFT = ""
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("dialog"), Binding("escape", "leave", show=False)]

    def __init__(
        self, offered: Sequence[PaletteEntry], lang: Lang, what: Literal["palette", "pane"] = "palette"
    ) -> None:
        super().__init__()
        self._what = what
        self._offered = offered
        self._shown: list[PaletteEntry] = []
        self._lang: Lang = lang

    def compose(self) -> ComposeResult:
        with Vertical(id="palette"):
            yield TypingInput(placeholder=tr(f"ui.{self._what}.hint", self._lang), compact=True)
            yield ShortList()
            yield Static(tr(f"ui.{self._what}.none", self._lang), id="none", markup=False)
            yield Static(tr("ui.palette.keys", self._lang), id="keys", markup=False)

    def on_mount(self) -> None:
        self._offer("")

    def _offer(self, wanted: str) -> None:
        self._shown = matching(self._offered, wanted)
        options = self.query_one(OptionList)
        options.clear_options()
        heading = ""
        # What is known before the first layout is the size of the screen.
        width = min(WIDTH, self.app.size.width * 96 // 100) - FRAME
        for number, command in enumerate(self._shown):
            # Headings order what is offered at first; what was looked for stands in the order of its fitness.
            if not wanted and command.group != heading:
                heading = command.group
                options.add_option(Option(Content.styled(f" {heading}", "dim"), disabled=True))
            options.add_option(Option(_row(command, width), id=str(number)))
        self.query_one("#palette").set_class(not self._shown, "-none")
        if self._shown:
            options.highlighted = options.get_option_index("0")

    def on_input_changed(self, event: Input.Changed) -> None:
        self._offer(event.value)

    def on_input_submitted(self) -> None:
        if (option := self.query_one(OptionList).highlighted_option) is not None:
            self._run(option)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self._run(event.option)

    def _run(self, option: Option) -> None:
        self.dismiss(self._shown[int(option.id or 0)].action)

    def on_key(self, event: events.Key) -> None:
        """The key that opened it closes it too."""
        if event.key in keymap_of(self).keys("palette"):
            event.stop()
            self.action_leave()


def _row(command: PaletteEntry, width: int) -> Content:
    left, right = Content(f" {command.title}"), Content.styled(f"{command.key} ", "dim")
    gap = width - left.cell_length - right.cell_length
    return Content.assemble(left, " " * gap, right) if gap > 0 else left


def pane_commands(controller: Controller) -> list[PaletteEntry]:
    """All open conversations in the order of the row; what is written or not read yet is marked."""
    lang = controller.language
    found = []
    for number, pane in enumerate(tab_panes(controller), start=1):
        title = tr(
            "ui.command.pane",
            lang,
            number=number,
            sign=mode_icon(controller, pane),
            title=sanitize(pane_title(pane, lang)),
        )
        mode = controller.modes.get(pane.mode)
        name = mode.names[lang] if mode else pane.mode
        mark = activity_mark([pane])
        found.append(PaletteEntry(title, f"pane({pane.key})", f"{mark} {name}".strip()))
    return found
