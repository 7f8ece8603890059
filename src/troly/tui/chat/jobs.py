"""How far the work beside the chat is, as a line: amount, rate and time left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from textual.app import App

from troly.errors import InputError
from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui.chat.view import trouble_of
from troly.tui.render.figures import duration, number
from troly.tui.render.spans import clip

# A rate is told after so many seconds.
_SOON = 1.0
# What is counted, as the sources of progress name it.
UNITS = ("rows", "files", "read", "embed")


@dataclass(slots=True)
class Working:
    """One job that runs: its name, since when, and its last step; `cancel` ends it."""

    name: str
    began: datetime
    cancel: Callable[[], None]
    done: int = 0
    total: int | None = None
    unit: str = ""

    def line(self, now: datetime, width: int, lang: Lang) -> str:
        """As much as fits in `width` cells; the name and the share come first."""
        parts = [clip(self.name, max(8, width - 8))]
        if self.total:
            parts.append(f"{min(100, self.done * 100 // self.total)} %")
        seconds = (now - self.began).total_seconds()
        rate = self.done / seconds if seconds >= _SOON else 0.0
        if rate:
            parts.append(f"{_amount(rate, self.unit, lang)}/s")
            if self.total and self.done < self.total:
                left = duration((self.total - self.done) / rate * 1000, lang)
                parts.append(tr("ui.work.left", lang, time=left))
        elif self.done:
            parts.append(_amount(self.done, self.unit, lang))
        while len(parts) > 1 and len("  ".join(parts)) > width:
            parts.pop()
        return "  ".join(parts)


def _amount(value: float, unit: str, lang: Lang) -> str:
    if unit != "bytes":
        named = tr(f"ui.work.unit_{unit}", lang) if unit in UNITS else sanitize(unit, keep_newlines=False)
        return f"{number(round(value), lang)} {named}".strip()
    return f"{number(value / 1e9, lang, 2)} GB" if value >= 1e9 else f"{number(value / 1e6, lang, 1)} MB"


# The actions of the app that pull a model and load data while the chat goes on.


if TYPE_CHECKING:
    from troly.conversation.jobs import Job, JobProgress, JobResult, MissingModel
    from troly.plugin.ingest_arguments import Kind, Order
    from troly.tui.chat.controller import Controller
    from troly.tui.chat.screen import ChatScreen
    from troly.tui.chat.view import Trouble


SHOWN = 10


class WorkActions(App[int]):
    """One job at a time; how far it is stands on the status line, its end is a message or a card."""

    controller: Controller
    chat: ChatScreen
    working: Working | None = None

    def action_pull(self, name: str = "") -> None:
        """Pull a model; without a name ask which."""
        if not self._free():
            return
        from troly.tui.errands import WorkOffers

        if name:
            self._pull(name)
        else:
            self.controller.house.errand(WorkOffers(), self._ask_model)

    def action_ingest(self, line: str = "") -> None:
        """Load what `line` asks for (`KIND FILE --option value`); what is missing is asked for."""
        from troly.plugin.ingest_arguments import read_order

        if not self._free():
            return
        if not line:
            self._ask_kind()
            return
        try:
            order = read_order(line, self.controller.kinds, self.controller.language)
        except InputError as error:
            self._fail(error)
            if not self.chat.prompt.text:  # to be corrected
                self.chat.prompt.put(f"/ingest {line}")
            return
        if order.files:
            self._load(order)
        else:
            self._ask_path(order.kind)

    def action_cancel_work(self) -> None:
        """Stop the job."""
        if self.working is not None:
            self.working.cancel()
        else:
            self._tell_work("none")

    def _free(self) -> bool:
        """Whether a job can begin here and now; why not is said."""
        if self.working is not None:
            self._tell_work("busy")
        return self.screen is self.chat and self.controller.opened and self.working is None

    def _ask_model(self, missing: list[MissingModel] | Exception) -> None:
        from troly.tui.dialogs.choose import Choice, ChooseScreen, among

        if isinstance(missing, Exception):
            self._fail(missing)
            return
        lang = self.controller.language
        choices = [Choice(one.help[lang], one.model) for one in missing]
        title, hint = tr("ui.work.pull", lang), tr("ui.work.model", lang)
        self.push_screen(
            ChooseScreen(title, hint, among(choices), free=True),
            lambda name: self._pull(name) if name else None,
        )

    def _pull(self, name: str) -> None:
        from troly.conversation.jobs import PullModel

        self._begin(PullModel(name), tr("ui.work.pulling", self.controller.language, name=name))

    def _ask_kind(self) -> None:
        from troly.tui.dialogs.choose import Choice, ChooseScreen, among

        lang = self.controller.language
        choices = [
            Choice(f"{one.name} · {sanitize(one.help[lang], keep_newlines=False)}", one.name)
            for one in self.controller.kinds
        ]
        by_name = {one.name: one for one in self.controller.kinds}
        shown = ChooseScreen(tr("ui.work.ingest", lang), tr("ui.work.kind", lang), among(choices))
        self.push_screen(shown, lambda name: self._ask_path(by_name[name]) if name else None)

    def _ask_path(self, kind: Kind) -> None:
        from troly.tui.dialogs.choose import ChooseScreen, paths

        lang = self.controller.language
        title = f"{tr('ui.work.ingest', lang)} · {kind.name}"
        shown = ChooseScreen(title, tr("ui.work.path", lang), paths(tr("ui.work.folder", lang)), free=True)
        self.push_screen(shown, lambda path: self._ask_options(kind, path) if path else None)

    def _ask_options(self, kind: Kind, path: str) -> None:
        """Offer the options of the kind; Enter loads without any."""
        from troly.plugin.ingest_arguments import quoted
        from troly.tui.chat.completion import option_choices
        from troly.tui.dialogs.choose import ChooseScreen

        lang = self.controller.language
        head = f"{kind.name} {quoted(path)} "
        title = f"{tr('ui.work.ingest', lang)} · {kind.name} · {sanitize(path, keep_newlines=False)}"
        shown = ChooseScreen(title, tr("ui.work.options", lang), option_choices(head, kind, lang), free=True)
        self.push_screen(shown, lambda options: self.action_ingest(head + options) if options else None)

    def _load(self, order: Order) -> None:
        from troly.conversation.jobs import LoadFiles

        lang, kind = self.controller.language, order.kind
        name = ", ".join(file.rstrip("/").rpartition("/")[2] for file in order.files)
        job = LoadFiles(kind.mode, kind.ingest, order.files, lang, order.values)
        self._begin(job, tr("ui.work.loading", lang, name=name))

    def _begin(self, job: Job, name: str) -> None:

        cancel = self.controller.house.job(job, partial(self._heard, name))
        self.working = Working(sanitize(name, keep_newlines=False), self.controller.now(), cancel)
        self.chat.status.relay()

    def _heard(self, name: str, news: JobProgress | JobResult) -> None:
        from troly.conversation.jobs import JobResult

        if isinstance(news, JobResult):
            self.working = None
            self._ended(name, news)
        elif self.working is not None:
            self.working.done, self.working.total, self.working.unit = news
        self.chat.status.relay()

    def _ended(self, name: str, end: JobResult) -> None:
        if end.error is not None:
            self._fail(end.error)
            return
        from troly.plugin.events import Notice

        lang = self.controller.language
        told = tr("ui.work.done" if end.changed else "ui.work.unchanged", lang, name=name)
        lines = [sanitize(line) for line in (*end.summary.splitlines(), *end.problems[:SHOWN])]
        if len(end.problems) > SHOWN:
            lines.append(tr("ui.work.more", lang, count=len(end.problems) - SHOWN))
        self.controller.note(
            self.controller.pane, Notice("warning" if end.problems else "info", told, "\n".join(lines))
        )
        self.controller.changed("pane", self.controller.pane)
        self.controller.look_up()

    def _fail(self, error: Exception) -> None:
        self._card(trouble_of(error, self.controller.language))

    def _card(self, trouble: Trouble) -> None:
        self.controller.tell(self.controller.pane, trouble)
        self.controller.changed("pane", self.controller.pane)

    def _tell_work(self, name: str) -> None:
        self.notify(tr(f"ui.work.{name}", self.controller.language), markup=False, timeout=4)
