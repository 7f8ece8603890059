"""Asks for one thing by typing: a name, a path, a kind of file; what fits is offered below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from troly.text.catalogue import tr
from troly.text.fold import fold
from troly.text.sanitize import sanitize
from troly.tui.keymap import bindings, language_of
from troly.tui.widgets.dialog import ListDialog, ShortList
from troly.tui.widgets.text_input import TypingInput

MOST = 40


class Choice(NamedTuple):
    """One offer: its line, what it stands for, and whether taking it only goes on typing (a folder)."""

    title: str
    value: str
    further: bool = False


Choices = Callable[[str], Sequence[Choice]]


class ChooseScreen(ListDialog[str]):
    """Gives back the value, "" when it was left. `free` also takes what is typed as it stands."""

    LEFT = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("dialog"),
        Binding("escape", "leave", show=False),
        Binding("tab", "complete", show=False, priority=True),
    ]

    def __init__(
        self, title: str, hint: str, choices: Choices, *, free: bool = False, typed: str = ""
    ) -> None:
        super().__init__()
        self._title = title
        self._hint = hint
        self._choices = choices
        self._free = free
        self._typed = typed
        self._shown: Sequence[Choice] = ()

    def compose(self) -> ComposeResult:
        with Vertical(id="palette"):
            yield Static(sanitize(self._title, keep_newlines=False), classes="title", markup=False)
            yield TypingInput(
                self._typed, placeholder=self._hint, compact=True, select_on_focus=bool(self._typed)
            )
            yield ShortList()
            yield Static(tr("ui.choose.keys", language_of(self)), id="keys", markup=False)

    def on_mount(self) -> None:
        self._offer(self._typed)

    def _offer(self, typed: str) -> None:
        self._shown = self._choices(typed)[:MOST]
        options = self.query_one(OptionList)
        options.clear_options()
        options.display = bool(self._shown)
        options.add_options(
            [Option(Content(f" {sanitize(choice.title, keep_newlines=False)}")) for choice in self._shown]
        )
        if self._shown:
            options.highlighted = 0

    @property
    def _highlighted(self) -> Choice | None:
        index = self.query_one(OptionList).highlighted
        return self._shown[index] if index is not None and index < len(self._shown) else None

    def on_input_changed(self, event: Input.Changed) -> None:
        self._offer(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self._take(self._highlighted, event.value.strip())

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self._take(self._shown[event.option_index], "")

    def _take(self, choice: Choice | None, typed: str) -> None:
        if choice is not None and choice.further:
            self._put(choice.value)
        elif choice is not None:
            self.dismiss(choice.value)
        elif self._free and typed:
            self.dismiss(typed)

    def _put(self, text: str) -> None:
        field = self.query_one(TypingInput)
        field.value = text
        field.cursor_position = len(text)

    def action_complete(self) -> None:
        if (choice := self._highlighted) is not None:
            self._put(choice.value)


def filtered_choices(choices: Sequence[Choice]) -> Choices:
    """Offers the choices whose line holds every typed word, diacritics or not."""

    def offers(typed: str) -> list[Choice]:
        words = fold(typed).split()
        return [choice for choice in choices if all(word in fold(choice.title) for word in words)]

    return offers


def path_choices(this_folder: str) -> Choices:
    """Offers what is in the folder that was typed; a folder itself can be taken (`this_folder` names that)."""

    def offers(typed: str) -> list[Choice]:
        whole = Path(typed or ".").expanduser()
        inside = typed == "" or typed.endswith("/")
        folder, begun = (whole, "") if inside else (whole.parent, whole.name)
        head = typed if inside else typed[: len(typed) - len(begun)]
        try:
            entries = sorted(folder.iterdir(), key=lambda one: (not one.is_dir(), one.name.lower()))
        except OSError:
            return []
        wanted = fold(begun)
        found = [
            Choice(
                f"{one.name}/" if one.is_dir() else one.name,
                f"{head}{one.name}{'/' if one.is_dir() else ''}",
                one.is_dir(),
            )
            for one in entries
            if fold(one.name).startswith(wanted) and (begun.startswith(".") or not one.name.startswith("."))
        ]
        return [Choice(this_folder, typed), *found] if inside and typed else found

    return offers
