"""The pages of models, settings and what is remembered: everything that a person may want to change, with its explanation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from troly.config.problems import SettingsError
from troly.text.catalogue import tr
from troly.text.sanitize import sanitize
from troly.tui import operations
from troly.tui.chat.evidence_tree import EvidenceText, fact
from troly.tui.chat.view import MemoryView, ModelsView, ModelView, SettingView, trouble_from
from troly.tui.dialogs.browse import BrowseScreen, Entry, Page
from troly.tui.dialogs.choose import Choice, ChooseScreen, filtered_choices
from troly.tui.render.figures import number
from troly.tui.theme import NAMES

if TYPE_CHECKING:
    from troly.config.settings import Settings
    from troly.tui.app import TrolyApp

# The usual model, as a choice.
USUAL = "-"
# Models are looked at again after so many looks at the page.
EVERY = 8
# Settings that stand beside the models.
BESIDE = ("ollama.context_tokens", "ollama.keep_alive", "ollama.url", "ollama.fallback_model")
# What is read only when the program starts.
AT_START = ("ollama.urls", "server.", "database.", "files.", "chroma.", "mode", "timezone", "models.embed")


class SettingsPage(Page):
    """Every setting; what is changed goes into the settings file and holds at once."""

    hints = ("browse_take", "browse_remove", "browse_close")

    def __init__(self, app: TrolyApp, title: str) -> None:
        super().__init__(app, title)
        self.known: dict[str, SettingView] = {}

    def load(self) -> None:
        self.app.backend.call(operations.read_settings, self._take_settings, self.app.controller.language)

    def _take_settings(self, found: list[SettingView] | Exception) -> None:
        if not isinstance(found, Exception):
            self.known = {one.key: one for one in found}

    def entries(self) -> Sequence[Entry]:
        found, table = [], ""
        for key in self.known:
            head, _, _ = key.rpartition(".")
            if head != table:
                table = head
                found.append(Entry("", f"[{head}]"))
            found.append(self.setting(key))
        return found

    def setting(self, key: str, title: str = "") -> Entry:
        """One setting: what it is, and all that is to be known of it."""
        one, lang = self.known[key], self.app.controller.language
        said = one.origin.partition(" ")[0]
        origin = tr(f"ui.settings.from_{said}", lang, name=one.origin.partition(" ")[2])
        told = [
            EvidenceText(one.about, ""),
            EvidenceText(key, "strong"),
            fact(tr("ui.settings.takes", lang), one.takes),
        ]
        told += [fact(tr("ui.settings.default", lang), one.default or "-"), EvidenceText(origin)]
        told += [fact(tr("ui.settings.env", lang), ", ".join(one.env))]
        if key.startswith(AT_START):
            told.append(EvidenceText(tr("ui.settings.at_start", lang)))
        mark = "" if said == "default" else "• "
        return Entry(key, title or key.rpartition(".")[2], f"{mark}{one.value or '-'}", tuple(told))

    def take(self, key: str) -> None:
        one, lang = self.known[key], self.app.controller.language
        if one.origin.startswith("env"):
            name = one.origin.partition(" ")[2]
            self.app.say(tr("ui.settings.env_wins", lang, name=name), 6)
            return
        options = (*NAMES,) if key == "theme" else one.choices
        self.ask(
            f"{key}: {one.about}",
            one.takes,
            [Choice(option, option) for option in options],
            lambda text: self.change(key, text),
            typed="" if options else one.value,
        )

    def remove(self, key: str) -> None:
        if self.known[key].origin == "file":
            self.change(key, None)

    def ask(
        self,
        title: str,
        hint: str,
        choices: Sequence[Choice],
        chosen: Callable[[str], None],
        *,
        typed: str = "",
        free: bool = False,
    ) -> None:
        """Ask for one of `choices`, or for what is typed where there are none or it is `free`."""
        dialog = ChooseScreen(title, hint, filtered_choices(choices), free=free or not choices, typed=typed)
        self.app.push_screen(dialog, lambda value: chosen(value) if value else None)

    def change(self, key: str, text: str | None) -> None:
        app, lang = self.app, self.app.controller.language

        def done(found: Settings | Exception) -> None:
            if isinstance(found, SettingsError):
                app.say(found.problems[0].render(lang).line(), 8)
            elif isinstance(found, Exception):
                app.say_error(found)
            else:
                app.apply_setting(key, found)
                app.say(tr("ui.settings.saved", lang, key=key), 3)
            if isinstance(app.screen, BrowseScreen):
                app.screen.load()

        app.backend.call(operations.change_setting, done, key, text)


class ModelsPage(SettingsPage):
    """Which model answers: in this conversation, for each assistant, for all; what the server has, and what can be had."""

    def __init__(self, app: TrolyApp, title: str) -> None:
        super().__init__(app, title)
        self.models = ModelsView()
        self.chosen: dict[str, str] = {}
        self._looks = 0

    def load(self) -> None:
        super().load()
        lang = self.app.controller.language
        self.app.backend.call(operations.model_choices, self._take_choices)
        self.app.backend.call(operations.read_models, self._take_models, lang)

    def _take_choices(self, found: object) -> None:
        self.chosen = dict(found) if isinstance(found, dict) else self.chosen

    def _take_models(self, found: ModelsView | Exception) -> None:
        lang = self.app.controller.language
        self.models = ModelsView(trouble=trouble_from(found, lang)) if isinstance(found, Exception) else found

    def entries(self) -> Sequence[Entry]:
        self._looks += 1
        if self._looks % EVERY == 0:
            self.app.backend.call(operations.read_models, self._take_models, self.app.controller.language)
        return [*self._choices(), *self._server()] if self.chosen and self.known else []

    def _choices(self) -> Iterator[Entry]:
        controller, lang = self.app.controller, self.app.controller.language
        pane = controller.pane
        usual = self.chosen.get(f"{pane.mode}.chat") or self.chosen["chat"]
        yield Entry("", tr("ui.settings.models_here", lang))
        right = pane.model or tr("ui.settings.usual", lang, name=usual)
        about = EvidenceText(tr("ui.settings.here_about", lang), "")
        yield Entry(
            "here", pane.title or tr("ui.pane.untitled", lang), right, (about, *self._of(pane.model or usual))
        )
        yield Entry("", tr("ui.settings.models_all", lang))
        for role in operations.MODEL_ROLES:
            yield self._role(role, tr(f"ui.settings.role_{role}", lang))
        yield Entry("", tr("ui.settings.models_each", lang))
        for mode in controller.modes.values():
            for role in mode.roles:
                title = f"{mode.icon} {mode.names[lang]} · {tr(f'ui.settings.role_{role}', lang)}"
                yield self._role(f"{mode.id}.{role}", title)

    def _role(self, key: str, title: str) -> Entry:
        lang, role = self.app.controller.language, key.rpartition(".")[2]
        own = self.chosen.get(key)
        name = own or self.chosen[role]
        right = name if own else tr("ui.settings.as_all", lang, name=name)
        about = EvidenceText(tr(f"setting.about.models.{role}", lang), "")
        return Entry(f"role:{key}", title, right, (about, *self._of(name)))

    def _server(self) -> Iterator[Entry]:
        lang, running = self.app.controller.language, self.app.jobs.running
        yield Entry("", tr("ui.settings.server", lang, version=self.models.version))
        if running is not None:
            yield Entry(
                "job",
                running.line(self.app.controller.now(), 60, lang),
                "",
                (EvidenceText(tr("ui.settings.job", lang), ""),),
            )
        if (trouble := self.models.trouble) is not None:
            told = tuple(EvidenceText(text, "") for text in (trouble.message, trouble.remedy) if text)
            yield Entry("trouble", f"× {trouble.title}", "", told)
        for model in self.models.installed:
            size = f"{number(model.size / 1e9, lang, 1)} GB" if model.size else ""
            right = " · ".join(part for part in (model.parameters, size) if part)
            yield Entry(
                f"model:{model.name}",
                f"{'●' if model.loaded else '○'} {model.name}",
                right,
                self._of(model.name),
            )
        missing = dict.fromkeys(name for name in self.chosen.values() if self._model(name) is None)
        for name in missing:
            told = (EvidenceText(tr("ui.settings.missing_about", lang), ""),)
            yield Entry(f"pull:{name}", f"↓ {name}", tr("ui.settings.missing", lang), told)
        yield Entry(
            "pull:", tr("ui.settings.pull", lang), "", (EvidenceText(tr("ui.settings.pull_about", lang), ""),)
        )
        for key in BESIDE:
            yield self.setting(key, key)

    def _model(self, name: str) -> ModelView | None:
        return next((one for one in self.models.installed if one.name in (name, f"{name}:latest")), None)

    def _of(self, name: str) -> tuple[EvidenceText, ...]:
        """What a model can do, how much it reads, and whether it is in memory."""
        lang, model = self.app.controller.language, self._model(name)
        if model is None:
            key = "server_down" if self.models.trouble else "missing"
            return (EvidenceText(f"{name}: {tr(f'ui.settings.{key}', lang)}", "error"),)
        loaded = tr("ui.settings.loaded" if model.loaded else "ui.settings.not_loaded", lang)
        until = f" {tr('ui.settings.until', lang, time=f'{model.until:%H:%M}')}" if model.until else ""
        context = number(model.context, lang) if model.context else "?"
        used = self.known["ollama.context_tokens"].value
        return (
            EvidenceText(model.name, "strong"),
            fact(tr("ui.settings.able", lang), ", ".join(model.capabilities) or "?"),
            fact(
                tr("ui.settings.context", lang), tr("ui.settings.context_used", lang, most=context, used=used)
            ),
            fact(tr("ui.settings.memory", lang), loaded + until),
        )

    def take(self, key: str) -> None:
        """Choose a model for what is chosen, pull one, or change the setting."""
        lang, (kind, _, rest) = self.app.controller.language, key.partition(":")
        if key == "here":
            self._ask_model(tr("ui.settings.here_about", lang), self._choose_here)
        elif kind == "role":
            self._ask_model(tr("ui.settings.role_ask", lang), lambda name: self._choose_role(rest, name))
        elif kind == "model":
            self._choose_here(rest)
        elif kind == "pull" and rest:
            self.app.jobs.pull(rest)
        elif kind == "pull":
            self.ask(tr("ui.settings.pull", lang), tr("ui.work.model", lang), [], self.app.jobs.pull)
        elif key in self.known:
            super().take(key)

    def remove(self, key: str) -> None:
        """Back to the usual model; a pull is stopped."""
        kind, _, rest = key.partition(":")
        if key == "here":
            self._choose_here(USUAL)
        elif key == "job":
            self.app.jobs.cancel()
        elif kind == "role":
            self._choose_role(rest, USUAL)
        elif key in self.known:
            super().remove(key)

    def _ask_model(self, title: str, chosen: Callable[[str], None]) -> None:
        lang = self.app.controller.language
        able = [one for one in self.models.installed if "completion" in (one.capabilities or ("completion",))]
        choices = [
            Choice(tr("ui.settings.usual_choice", lang), USUAL),
            *(Choice(one.name, one.name) for one in able),
        ]
        self.ask(title, tr("ui.work.model", lang), choices, chosen, free=True)

    def _choose_here(self, name: str) -> None:
        lang = self.app.controller.language
        self.app.controller.choose_model("" if name == USUAL else name)
        key = "here_usual" if name == USUAL else "here_chosen"
        self.app.say(tr(f"ui.settings.{key}", lang, name=name), 4)

    def _choose_role(self, role: str, name: str) -> None:
        if name != USUAL or role in self.chosen:
            self.change(f"models.{role}", None if name == USUAL else name)


class MemoriesPage(Page):
    hints = ("browse_take", "browse_remove", "browse_close")

    def __init__(self, app: TrolyApp, title: str) -> None:
        super().__init__(app, title)
        self._found: dict[str, MemoryView] = {}

    def load(self) -> None:
        self.app.backend.call(operations.read_memories, self._take_memories, self.app.controller.language)

    def _take_memories(self, found: list[MemoryView] | Exception) -> None:
        if not isinstance(found, Exception):
            self._found = {f"{one.mode}:{one.id}": one for one in found}

    def entries(self) -> Sequence[Entry]:
        found, mode, lang = [], "", self.app.controller.language
        for key, one in self._found.items():
            if one.mode != mode:
                mode, view = one.mode, self.app.controller.modes.get(one.mode)
                found.append(Entry("", f"{view.icon} {view.names[lang]}" if view else mode))
            told = (EvidenceText(one.text, ""), EvidenceText(one.kind))
            found.append(
                Entry(
                    key,
                    one.text,
                    one.kind,
                    told + ((EvidenceText(one.detail, "code"),) if one.detail else ()),
                )
            )
        return found or [Entry("none", tr("ui.settings.no_memories", lang))]

    def take(self, key: str) -> None:
        one, lang = self._found.get(key), self.app.controller.language
        if one is not None and one.editable:
            title = tr("ui.settings.correct", lang)
            dialog = ChooseScreen(title, "", lambda _typed: (), free=True, typed=one.text)
            self.app.push_screen(dialog, lambda text: self._change(one, text) if text else None)
        elif one is not None:
            self.app.say(tr("ui.settings.not_editable", lang), 4)

    def remove(self, key: str) -> None:
        """Forget it, once that was said twice."""
        one, lang = self._found.get(key), self.app.controller.language
        if one is not None:
            choices = [Choice(tr(f"ui.settings.{name}", lang), name) for name in ("keep", "forget")]
            title = tr("ui.settings.forget_ask", lang, text=sanitize(one.text, keep_newlines=False))
            dialog = ChooseScreen(title, "", filtered_choices(choices))
            self.app.push_screen(dialog, lambda what: self._change(one, None) if what == "forget" else None)

    def _change(self, one: MemoryView, text: str | None) -> None:
        app, lang = self.app, self.app.controller.language

        def done(found: object) -> None:
            if isinstance(found, Exception):
                app.say_error(found)
            else:
                app.say(tr("ui.settings.forgotten" if text is None else "ui.settings.corrected", lang), 3)
            self.load()

        app.backend.call(operations.change_memory, done, one.mode, one.id, text, lang)


def settings_screen(app: TrolyApp) -> BrowseScreen:
    lang = app.controller.language
    pages = [
        kind(app, tr(f"ui.settings.{name}", lang))
        for name, kind in (("models", ModelsPage), ("all", SettingsPage), ("memories", MemoriesPage))
    ]
    return BrowseScreen(app.mode_palette(), pages, tr("ui.browse.hint", lang))
