"""The page of those who wait for a person: who, since when, who answers them, and what was said; Enter answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from troly.text.catalogue import tr
from troly.tui import operations
from troly.tui.chat.evidence_tree import EvidenceText
from troly.tui.chat.view import WaitingView
from troly.tui.dialogs.browse import BrowseScreen, Entry, Page
from troly.tui.dialogs.choose import Choice, ChooseScreen, filtered_choices
from troly.tui.render.figures import day_name

if TYPE_CHECKING:
    from troly.tui.app import TrolyApp

# The store is read again after so many looks at the page: colleagues take and answer too.
EVERY = 4
NOBODY = "nobody"


class WaitingPage(Page):
    """Conversations that wait for a person, those that wait longest first."""

    hints = ("browse_take", "browse_remove", "browse_close")
    words: Mapping[str, str] = MappingProxyType(
        {"browse_take": "waiting_answer", "browse_remove": "waiting_close"}
    )
    reading = True

    def __init__(self, app: TrolyApp, title: str) -> None:
        super().__init__(app, title)
        self._found: dict[str, WaitingView] | None = None
        self._looks = 0

    def load(self) -> None:
        """Ask who waits."""
        self.app.backend.call(operations.read_waiting, self._take_waiting)

    def _take_waiting(self, found: list[WaitingView] | Exception) -> None:
        if isinstance(found, Exception):
            self.app.say_error(found)
        else:
            self._found = {one.id: one for one in found}

    def entries(self) -> Sequence[Entry]:
        """Who waits, since when, and for whom."""
        self._looks += 1
        if self._looks % EVERY == 0:
            self.load()
        if self._found is None:
            return []
        lang = self.app.controller.language
        return [self._entry(one) for one in self._found.values()] or [
            Entry(NOBODY, tr("ui.waiting.none", lang))
        ]

    def _entry(self, one: WaitingView) -> Entry:
        controller = self.app.controller
        lang, mode = controller.language, controller.modes.get(one.mode)
        time, day = f"{one.since:%H:%M}", day_name(one.since.date(), controller.now().date(), lang)
        who = tr("ui.waiting.taken" if one.taken_by else "ui.waiting.free", lang, who=one.taken_by)
        about = (f"{day} {time}", who, mode.names[lang] if mode else one.mode, one.reason)
        said = [
            EvidenceText(f"{view.colleague or self._speaker(view.who, one)}: {view.text}", "")
            for view in one.said
        ]
        told = (
            EvidenceText(" · ".join(part for part in about if part)),
            EvidenceText(tr("ui.waiting.newest", lang)),
        )
        right = f"{one.taken_by or who} · {time}"
        return Entry(one.id, one.customer, right, (*told, *said[::-1]))

    def _speaker(self, who: str, one: WaitingView) -> str:
        return one.customer if who == "user" else tr("ui.message.assistant", self.app.controller.language)

    def take(self, key: str) -> None:
        """Ask what to write to the customer; who writes has taken the conversation."""
        one, lang = self._of(key), self.app.controller.language
        if one is not None:
            title = tr("ui.waiting.answer", lang, who=one.customer)
            dialog = ChooseScreen(title, "", lambda _typed: (), free=True)
            self.app.push_screen(
                dialog,
                lambda text: (
                    self._do("answered", one, operations.answer_customer, one.id, text) if text else None
                ),
            )

    def remove(self, key: str) -> None:
        """Nobody is needed there any more, once that was said twice."""
        one, lang = self._of(key), self.app.controller.language
        if one is not None:
            choices = [Choice(tr(f"ui.waiting.{name}", lang), name) for name in ("keep", "close")]
            dialog = ChooseScreen(
                tr("ui.waiting.close_ask", lang, who=one.customer), "", filtered_choices(choices)
            )
            self.app.push_screen(
                dialog,
                lambda what: (
                    self._do("closed", one, operations.close_handover, one.id) if what == "close" else None
                ),
            )

    def _of(self, key: str) -> WaitingView | None:
        return (self._found or {}).get(key)

    def _do(self, done: str, one: WaitingView, operation: Callable[..., None], *args: Any) -> None:
        app = self.app

        def told(found: object) -> None:
            if isinstance(found, Exception):
                app.say_error(found)
            else:
                app.say(tr(f"ui.waiting.{done}", app.controller.language, who=one.customer), 4)
            self.load()

        app.backend.call(operation, told, *args)


def waiting_screen(app: TrolyApp) -> BrowseScreen:
    """Who waits for a person."""
    lang = app.controller.language
    return BrowseScreen(
        app.mode_palette(), [WaitingPage(app, tr("ui.waiting.title", lang))], tr("ui.browse.hint", lang)
    )
