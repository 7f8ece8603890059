"""The actions of the app that pull a model and load data while the chat goes on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.app import App

from troly.text.catalogue import tr
from troly.text.sanitize import sanitize
from troly.tui.troubles import trouble_of

if TYPE_CHECKING:
    from troly.tui.controller import Controller
    from troly.tui.jobs import Done, Job, Offer, Step
    from troly.tui.screens.chat import ChatScreen
    from troly.tui.view import Trouble
    from troly.tui.working import Working

SHOWN = 5


class WorkActions(App[int]):
    """One job at a time; how far it is stands on the status line, its end is a message or a card."""

    controller: Controller
    chat: ChatScreen
    working: Working | None = None

    def action_pull(self) -> None:
        """Ask which model."""
        self._offered(lambda found: self._ask_model([one for one in found if not one.ingest]))

    def action_ingest(self) -> None:
        """Ask what kind of data, then for the file."""
        self._offered(lambda found: self._ask_kind([one for one in found if one.ingest]))

    def action_cancel_work(self) -> None:
        """Stop the job."""
        if self.working is not None:
            self.working.cancel()
        else:
            self._tell_work("none")

    def _offered(self, ask: object) -> None:
        from troly.tui.errands import WorkOffers

        if self.screen is not self.chat or not self.controller.opened:
            return
        if self.working is not None:
            self._tell_work("busy")
            return

        def take(found: object) -> None:
            if isinstance(found, Exception):
                self._fail(found)
            elif callable(ask):
                ask(found)

        self.controller.house.errand(WorkOffers(), take)

    def _ask_model(self, missing: list[Offer]) -> None:
        from troly.tui.jobs import Pull
        from troly.tui.screens.choose import Choice, ChooseScreen, among

        lang = self.controller.language
        choices = [Choice(one.help[lang], one.mode) for one in missing]
        title, hint = tr("ui.work.pull", lang), tr("ui.work.model", lang)
        self.push_screen(
            ChooseScreen(title, hint, among(choices), free=True),
            lambda name: self._begin(Pull(name), tr("ui.work.pulling", lang, name=name)) if name else None,
        )

    def _ask_kind(self, kinds: list[Offer]) -> None:
        from troly.tui.screens.choose import Choice, ChooseScreen, among

        lang = self.controller.language
        choices = [
            Choice(f"{one.ingest} · {sanitize(one.help[lang], keep_newlines=False)}", str(at))
            for at, one in enumerate(kinds)
        ]
        shown = ChooseScreen(tr("ui.work.ingest", lang), tr("ui.work.kind", lang), among(choices))
        self.push_screen(shown, lambda at: self._ask_path(kinds[int(at)]) if at else None)

    def _ask_path(self, kind: Offer) -> None:
        from troly.tui.jobs import Load
        from troly.tui.screens.choose import ChooseScreen, paths

        lang = self.controller.language
        title = f"{tr('ui.work.ingest', lang)} · {kind.ingest}"
        shown = ChooseScreen(title, tr("ui.work.path", lang), paths(tr("ui.work.folder", lang)), free=True)

        def chosen(path: str | None) -> None:
            if path:
                name = tr("ui.work.loading", lang, name=path.rstrip("/").rpartition("/")[2])
                self._begin(Load(kind.mode, kind.ingest, path, lang), name)

        self.push_screen(shown, chosen)

    def _begin(self, job: Job, name: str) -> None:
        from troly.tui.working import Working

        cancel = self.controller.house.job(job, partial(self._heard, name))
        self.working = Working(sanitize(name, keep_newlines=False), self.controller.now(), cancel)
        self.chat.status.relay()

    def _heard(self, name: str, news: Step | Done) -> None:
        from troly.tui.jobs import Done

        if isinstance(news, Done):
            self.working = None
            self._ended(name, news)
        elif self.working is not None:
            self.working.done, self.working.total, self.working.unit = news
        self.chat.status.relay()

    def _ended(self, name: str, end: Done) -> None:
        lang = self.controller.language
        if end.error is not None:
            self._fail(end.error)
            return
        if end.problems:
            from troly.tui.view import Trouble

            shown = [sanitize(problem) for problem in end.problems[:SHOWN]]
            if len(end.problems) > SHOWN:
                shown.append(tr("ui.work.more", lang, count=len(end.problems) - SHOWN))
            trouble = Trouble(
                tr("ui.work.problems", lang, name=name, count=len(end.problems)), "\n".join(shown)
            )
            self._card(trouble)
        else:
            said = tr("ui.work.done", lang, name=name, summary=sanitize(end.summary))
            self.notify(said, markup=False, timeout=8)
        self.controller.look_up()

    def _fail(self, error: Exception) -> None:
        self._card(trouble_of(error, self.controller.language))

    def _card(self, trouble: Trouble) -> None:
        self.controller.tell(self.controller.pane, trouble)
        self.controller.changed("pane", self.controller.pane)

    def _tell_work(self, name: str) -> None:
        self.notify(tr(f"ui.work.{name}", self.controller.language), markup=False, timeout=4)
