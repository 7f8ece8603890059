"""Long work beside the chat, one job at a time: pulling a model, loading data; what is asked for it, how far it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from troly.conversation.jobs import Job, JobProgress, JobResult, LoadFiles, MissingModel, PullModel
from troly.errors import InputError
from troly.plugin.events import Notice
from troly.plugin.ingest_arguments import DRY_RUN, IngestKind, quoted, read_order
from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui import operations
from troly.tui.chat.completion import option_choices
from troly.tui.chat.view import Pane, trouble_from
from troly.tui.dialogs.choose import Choice, Choices, ChooseScreen, filtered_choices, path_choices
from troly.tui.render.figures import duration, number
from troly.tui.render.spans import clip

if TYPE_CHECKING:
    from troly.tui.app import TrolyApp

# So many problems of a load are named.
SHOWN = 10
# A rate is told after so many seconds.
_SOON = 1.0
# What is counted, as the sources of progress name it.
UNITS = ("rows", "files", "read", "embed")


@dataclass(slots=True)
class RunningJob:
    """One job that runs: its name, since when, its last step, and the pane that it was asked in; `cancel` ends it."""

    name: str
    began: datetime
    cancel: Callable[[], None]
    done: int = 0
    total: int | None = None
    unit: str = ""
    pane: Pane | None = None

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


class JobActions:
    """One job at a time; how far it is stands on the status line, its end is a message or a card."""

    def __init__(self, app: TrolyApp) -> None:
        self._app = app
        self._controller = app.controller
        self.running: RunningJob | None = None

    def pull(self, name: str) -> None:
        """Pull a model; without a name ask which."""
        if self._may_begin(asks=not name):
            if name:
                self._begin(PullModel(name), tr("ui.work.pulling", self._controller.language, name=name))
            else:
                self._controller.backend.call(operations.missing_models, self._ask_model)

    def ingest(self, line: str) -> None:
        """Load what `line` asks for (`KIND FILE --option value`); what is missing is asked for."""
        if not self._may_begin():
            return
        if not line:
            self._ask_kind()
            return
        try:
            order = read_order(line, self._controller.kinds, self._controller.language)
        except InputError as error:
            self._show_error(error)
            if not self._app.chat.prompt.text:  # to be corrected
                self._app.chat.prompt.put(f"/ingest {line}")
            return
        if not order.files:
            self._ask_path(order.kind)
            return
        lang, kind = self._controller.language, order.kind
        name = ", ".join(file.rstrip("/").rpartition("/")[2] for file in order.files)
        job = LoadFiles(kind.mode, kind.ingest, order.files, lang, order.values)
        named = tr("ui.work.loading", lang, name=name)
        found = any(Path(file).expanduser().exists() for file in order.files)
        if not found or not kind.mode or order.values.get(DRY_RUN):
            self._begin(job, named)
        else:
            self._controller.backend.call(
                operations.samples_loaded, partial(self._ask_samples, job, named), kind.mode
            )

    def _ask_samples(self, job: LoadFiles, name: str, loaded: bool | Exception) -> None:
        """Sample data is not replaced unasked; what cannot be looked up is told by the load itself."""
        if loaded is not True:
            self._begin(job, name)
            return
        lang = self._controller.language
        choices = [Choice(tr(f"ui.work.samples_{one}", lang), one) for one in ("try", "replace")]

        def chosen(how: str) -> None:
            values = {**job.values, DRY_RUN: True} if how == "try" else job.values
            self._begin(job._replace(values=values), name)

        title = tr("ui.work.samples", lang, name=name)
        self._ask(title, "samples_hint", filtered_choices(choices), chosen, free=False)

    def cancel(self) -> None:
        """Stop the job."""
        if self.running is not None:
            self.running.cancel()
        else:
            self._app.say(tr("ui.work.none", self._controller.language), 4)

    def _may_begin(self, *, asks: bool = True) -> bool:
        """Whether a job can begin here and now, on the chat where something `asks`; that another runs is said."""
        if self.running is not None:
            self._app.say(tr("ui.work.busy", self._controller.language), 4)
            return False
        return self._controller.opened and (not asks or self._app.screen is self._app.chat)

    # What is missing is asked for.

    def _ask_model(self, missing: list[MissingModel] | Exception) -> None:
        if isinstance(missing, Exception):
            self._show_error(missing)
            return
        lang = self._controller.language
        choices = [Choice(one.help[lang], one.model) for one in missing]
        self._ask(tr("ui.work.pull", lang), "model", filtered_choices(choices), self.pull)

    def _ask_kind(self) -> None:
        lang = self._controller.language
        by_name = {one.name: one for one in self._controller.kinds}
        choices = [
            Choice(f"{one.name} · {sanitize(one.help[lang], keep_newlines=False)}", one.name)
            for one in by_name.values()
        ]
        self._ask(
            tr("ui.work.ingest", lang),
            "kind",
            filtered_choices(choices),
            lambda name: self._ask_path(by_name[name]),
            free=False,
        )

    def _ask_path(self, kind: IngestKind) -> None:
        lang = self._controller.language
        self._ask(
            f"{tr('ui.work.ingest', lang)} · {kind.name}",
            "path",
            path_choices(tr("ui.work.folder", lang)),
            lambda path: self._ask_options(kind, path),
        )

    def _ask_options(self, kind: IngestKind, path: str) -> None:
        """Offer the options of the kind; Enter loads without any."""
        lang = self._controller.language
        head = f"{kind.name} {quoted(path)} "
        title = f"{tr('ui.work.ingest', lang)} · {kind.name} · {sanitize(path, keep_newlines=False)}"
        self._ask(
            title, "options", option_choices(head, kind, lang), lambda options: self.ingest(head + options)
        )

    def _ask(
        self, title: str, hint: str, choices: Choices, chosen: Callable[[str], None], *, free: bool = True
    ) -> None:
        hint = tr(f"ui.work.{hint}", self._controller.language)
        dialog = ChooseScreen(title, hint, choices, free=free)
        self._app.push_screen(dialog, lambda value: chosen(value) if value else None)

    # The job.

    def _begin(self, job: Job, name: str) -> None:
        cancel = self._controller.backend.run(job, partial(self._take, name))
        named = sanitize(name, keep_newlines=False)
        self.running = RunningJob(named, self._controller.now(), cancel, pane=self._controller.pane)
        self._app.chat.status.rebuild()

    def _take(self, name: str, news: JobProgress | JobResult) -> None:
        if isinstance(news, JobResult):
            asked, self.running = self.running, None
            self._end(name, news, (asked and asked.pane) or self._controller.pane)
        elif self.running is not None:
            self.running.done, self.running.total, self.running.unit = news
        self._app.chat.status.rebuild()

    def _end(self, name: str, end: JobResult, pane: Pane) -> None:
        if end.error is not None:
            self._show_error(end.error, pane)
            return
        lang = self._controller.language
        title = tr("ui.work.done" if end.changed else "ui.work.unchanged", lang, name=name)
        lines = [sanitize(line) for line in (*end.summary.splitlines(), *end.problems[:SHOWN])]
        if len(end.problems) > SHOWN:
            lines.append(tr("ui.work.more", lang, count=len(end.problems) - SHOWN))
        self._controller.show_notice(
            pane, Notice("warning" if end.problems else "info", title, "\n".join(lines))
        )
        self._reported(pane)
        self._controller.refresh()

    def _show_error(self, error: Exception, pane: Pane | None = None) -> None:
        pane = pane or self._controller.pane
        self._controller.show_trouble(pane, trouble_from(error, self._controller.language))
        self._reported(pane)

    def _reported(self, pane: Pane) -> None:
        """Bring what is said at the end of `pane` into view; where it is not shown, say that there is something new."""
        self._controller.changed("pane", pane)
        for side in self._app.chat.sides:
            if side.transcript.pane is pane:
                self._app.chat.call_after_refresh(side.transcript.to_end)
        if pane not in self._controller.tabs.sides:
            self._controller.ended(pane)
