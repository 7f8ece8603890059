"""What can be done with one message and with what is pressed in it: copy, save, quote, ask again, open, mark as wrong."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from troly.plugin.events import Chart, Computation, ItemList, Plan, Sources, Suggestions, Table
from troly.text.catalogue import tr
from troly.tui import operations
from troly.tui.chat.view import (
    BranchView,
    MessageView,
    ModelsView,
    Pane,
    Part,
    ReadingPlace,
    TextPart,
    WrongReport,
)
from troly.tui.dialogs.choose import Choice, ChooseScreen, filtered_choices
from troly.tui.dialogs.grid import GridScreen
from troly.tui.dialogs.message_menu import MessageMenu
from troly.tui.dialogs.wrong import WrongScreen
from troly.tui.render.markdown import code_blocks
from troly.tui.render.message import message_text, plotted_tables, quoted, read_parts, reading_order
from troly.tui.terminal import may_be_refused

if TYPE_CHECKING:
    from troly.tui.app import TrolyApp

# For how many seconds a short and a longer remark stand.
SHORT, LONG = 3, 8
LONGEST_TITLE = 60


class MessageActions:
    """Acts on the message meant: the one pressed or chosen, else the last answer."""

    def __init__(self, app: TrolyApp) -> None:
        self._app = app
        self._controller = app.controller
        self._last_code = (0, -1)

    def act(self, what: str, key: int = 0) -> None:
        """Do `what` with the message `key`: menu, copy, save, quote, edit, again, continue, code, wrong, open, large, values or fold."""
        acts: Mapping[str, Callable[[MessageView], None]] = {
            "menu": self._open_menu, "copy": self._copy, "save": self._save, "quote": self._quote,
            "edit": self._edit, "again": self._again, "continue": self._continue, "code": self._copy_next_code,
            "branch": self._branch, "compare": self._compare, "wrong": self.mark_wrong, "open": self._open_block, "large": self._open_large, "values": self._open_values,
            "fold": self._fold_block,
        }  # fmt: skip
        view = self._meant(key)
        if view is not None and what in acts:
            acts[what](view)

    def press(self, kind: str, rest: str) -> bool:
        """Do what a click on `kind:rest` in the lines means; False when it is not part of a message."""
        acts: Mapping[str, Callable[[str], None]] = {
            "open": self._open, "ask": self._ask_first_question, "suggest": self._ask_suggestion,
            "source": self._open_source, "rerun": self._rerun, "grid": self._open_grid, "code": self._copy_pressed_code,
            "again": lambda key: self.act("again", int(key)), "edit": lambda key: self.act("edit", int(key)),
            "menu": lambda key: self.act("menu", int(key)), "continue": lambda key: self.act("continue", int(key)),
        }  # fmt: skip
        if kind not in acts:
            return False
        acts[kind](rest)
        return True

    def _meant(self, key: int) -> MessageView | None:
        pane = self._controller.pane
        if key:
            return self._message(key)
        last = pane.last_answer or (pane.messages[-1] if pane.messages else None)
        return self._app.chat.transcript.chosen_view or last

    def _message(self, key: int) -> MessageView | None:
        return next((view for view in self._controller.pane.messages if view.key == key), None)

    def _open_menu(self, view: MessageView) -> None:
        app, transcript = self._app, self._app.chat.transcript
        if app.screen is not app.chat:
            return
        transcript.choose(view.key)

        def chosen(what: str | None) -> None:
            if not transcript.has_focus:
                transcript.choose(0)
            if what == "find":
                app.action_find()
            elif what:
                self.act(what, view.key)

        app.push_screen(MessageMenu(view, app.keymap, self._controller.language), chosen)

    # Copying and saving.

    def copy_text(self, text: str, remark: str) -> None:
        """Copy `text` and say so; where the terminal may not take it, say what does."""
        self._app.copy_to_clipboard(text)
        if may_be_refused(text, os.environ):
            key = self._app.keymap.press("transcript_save")
            remark = f"{remark} {tr('ui.act.may_be_refused', self._controller.language, key=key)}"
        self._app.say(remark, SHORT)

    def _text(self, view: MessageView) -> str:
        """The text of what is meant: of the chosen block where one of several is chosen, else of the message."""
        chat = self._app.chat
        part = chat.transcript.chosen_part if self._app.screen is chat and self._chosen(view) else None
        return message_text(view, self._controller.language, part)

    def _chosen(self, view: MessageView) -> bool:
        return self._app.chat.transcript.chosen == view.key

    def _copy(self, view: MessageView) -> None:
        self._copy_given(view, self._text(view))

    def _copy_given(self, _view: MessageView, text: str) -> None:
        lang = self._controller.language
        if text:
            self.copy_text(text, tr("ui.act.copied", lang))
        else:
            self._app.say(tr("ui.act.nothing", lang), SHORT)

    def _save(self, view: MessageView) -> None:
        self._save_given(view, self._text(view))

    def _save_given(self, view: MessageView, text: str) -> None:
        lang = self._controller.language
        if text:
            title = view.text.strip().partition("\n")[0][:LONGEST_TITLE] or tr("ui.act.file", lang)
            self._save_text(text + "\n", title, "ui.act.saved")
        else:
            self._app.say(tr("ui.act.nothing", lang), SHORT)

    def _save_text(self, text: str, title: str, remark: str) -> None:
        def saved(path: str | Exception) -> None:
            if isinstance(path, Exception):
                self._app.say_error(path)
            else:
                self._app.say(tr(remark, self._controller.language, file=path), LONG)

        self._controller.backend.call(operations.save_text, saved, text, title)

    def _copy_next_code(self, view: MessageView) -> None:
        """Copy a block of code of the message; each time the next one."""
        key, last = self._last_code
        self._copy_code(view, last + 1 if key == view.key else 0)

    def _copy_pressed_code(self, name: str) -> None:
        key, part, number = (int(piece) for piece in name.split("."))
        if (view := self._message(key)) is not None:
            self._copy_code(view, number, part)

    def _copy_code(self, view: MessageView, number: int, part: int | None = None) -> None:
        """Copy the block of code `number` from 0, of one part where given."""
        lang = self._controller.language
        parts = view.parts if part is None else view.parts[part : part + 1]
        blocks = [code for p in parts if isinstance(p, TextPart) for _, code in code_blocks(p.text)]
        if not blocks:
            self._app.say(tr("ui.code.none", lang), SHORT)
            return
        number %= len(blocks)
        self._last_code = (view.key, number)
        self.copy_text(blocks[number], tr("ui.code.copied", lang, number=number + 1, count=len(blocks)))

    # Asking on.

    def _quote(self, view: MessageView) -> None:
        prompt = self._app.chat.prompt
        text = quoted(self._app.screen.get_selected_text() or self._text(view))
        above = f"{prompt.text.rstrip()}\n" if prompt.text.strip() else ""
        prompt.put(f"{above}{text}\n")
        prompt.focus()

    def _edit(self, view: MessageView) -> None:
        prompt, before = self._app.chat.prompt, self._app.chat.prompt.text
        if not self._controller.edit(view.key):
            self._app.say(tr("ui.act.no_question", self._controller.language), SHORT)
            return
        if before.strip() and before != prompt.text:
            prompt.earlier = [*prompt.earlier, before]
            self._app.say(tr("ui.act.kept_draft", self._controller.language), LONG)
        prompt.focus()

    def _again(self, view: MessageView) -> None:
        if not self._controller.again(view.key):
            self._app.say(tr("ui.act.no_question", self._controller.language), SHORT)
            return
        self._follow_answer()

    def _continue(self, view: MessageView) -> None:
        """Let a model write on where the answer stands; where no model wrote or none is there, ask the question again."""
        lang, keymap = self._controller.language, self._app.keymap
        if view.state not in ("stopped", "failed") and not view.cut:
            name = "transcript_again" if self._app.chat.transcript.has_focus else "again"
            self._app.say(tr("ui.act.whole", lang, key=keymap.press(name) or "/again"), SHORT)
        elif view.calls and self._controller.health.up and self._controller.go_on(view):
            self._app.chat.transcript.choose(0)
            self._app.chat.prompt.focus()
        else:
            self._again(view)

    def _follow_answer(self) -> None:
        chat = self._app.chat
        chat.transcript.choose(0)
        chat.transcript.to_answer()
        chat.prompt.focus()

    # Branches.

    def _branch(self, view: MessageView) -> None:
        """Go on elsewhere: after an answer with the history up to it, before a question with it in the input."""
        question = view.text if view.who == "user" else ""
        self._branch_off(
            view, "ui.branch.title", lambda made: self._show_branch(made, question), after=not question
        )

    def _branch_off(
        self,
        view: MessageView,
        title: str,
        done: Callable[[BranchView], None],
        *,
        after: bool,
        model: str = "",
    ) -> None:
        app, lang, pane = self._app, self._controller.language, self._controller.pane
        # A question that was put just now knows no turn: it is that of its answer.
        since = pane.messages[pane.messages.index(view) :] if view in pane.messages else []
        turn = next((one.turn for one in since if one.turn), "")
        if not (turn and pane.conversation) or pane.running:
            app.say(tr("ui.branch.none", lang), SHORT)
            return

        def made(found: BranchView | Exception) -> None:
            if isinstance(found, Exception):
                app.say_error(found)
            else:
                done(found)

        named = tr(title, lang, title="{title}", model=model)
        self._controller.backend.call(
            operations.branch_conversation,
            made,
            pane.conversation,
            turn,
            named,
            after=after,
            model=model,
        )

    def _show_branch(self, made: BranchView, question: str = "") -> None:
        app, lang = self._app, self._controller.language
        pane = Pane(made.mode, made.conversation, made.title, unloaded=True, draft=question)
        self._controller.show(pane)
        app.chat.prompt.focus()
        app.say(tr("ui.branch.made", lang, key=app.keymap.press("origin") or "/origin"), LONG)

    def show_origin(self) -> None:
        """Go back to where the shown conversation was branched from."""
        app, lang, conversation = self._app, self._controller.language, self._controller.pane.conversation

        def found(origin: BranchView | Exception | None) -> None:
            if isinstance(origin, Exception):
                app.say_error(origin)
            elif origin is None:
                app.say(tr("ui.branch.no_origin", lang), SHORT)
            else:
                self._controller.open(origin.conversation, ReadingPlace("assistant", origin.turn, 0))

        if conversation:
            self._controller.backend.call(operations.branch_origin, found, conversation)
        else:
            found(None)

    def _compare(self, view: MessageView) -> None:
        """Ask the question of an answer of another model too, and show both beside each other."""
        app, lang, question = self._app, self._controller.language, self._controller.question_before(view.key)
        if view.who != "assistant" or question is None or not (view.turn and view.finished):
            app.say(tr("ui.branch.none", lang), SHORT)
        elif not self._controller.health.up:
            app.say(tr("ui.branch.no_model", lang), SHORT)
        else:
            self._controller.backend.call(
                operations.read_models, lambda found: self._ask_model(view, question.text, found), lang
            )

    def _ask_model(self, view: MessageView, question: str, found: ModelsView | Exception) -> None:
        lang = self._controller.language
        if self._app.screen is not self._app.chat:
            return  # something else was opened meanwhile
        installed = () if isinstance(found, Exception) else found.installed
        able = [one.name for one in installed if "completion" in (one.capabilities or ("completion",))]
        dialog = ChooseScreen(
            tr("ui.branch.which", lang),
            tr("ui.work.model", lang),
            filtered_choices([Choice(one, one) for one in able]),
            free=True,
        )

        def compare(made: BranchView, model: str) -> None:
            from troly.tui.dialogs.compare import CompareScreen

            self._app.push_screen(CompareScreen(self._app, view, question, made, model))

        def chosen(model: str | None) -> None:
            if model:
                done = partial(compare, model=model)
                self._branch_off(view, "ui.branch.title_model", done, after=False, model=model)

        self._app.push_screen(dialog, chosen)

    def ask_suggested(self, index: int) -> None:
        """Ask one of the questions that the last answer offers."""
        offered = self._controller.suggested
        if index < len(offered):
            self._app.send(offered[index])

    def _ask_first_question(self, index: str) -> None:
        mode = self._controller.modes[self._controller.pane.mode]
        self._app.send(mode.questions[self._controller.language][int(index)])

    def _ask_suggestion(self, name: str) -> None:
        card, _, index = name.rpartition(".")
        part = self._part(card)
        if isinstance(part, Suggestions):
            self._app.send(part.questions[int(index)])

    # Typed content.

    def _open_block(self, view: MessageView) -> None:
        """Open what is chosen: a query, steps and sources where they stand, all else large; the menu of a question."""
        place = self._chosen_place(view)
        part = view.parts[place] if place is not None else None
        if isinstance(part, Computation | Plan):
            self._open(f"{view.key}.{place}")
        elif isinstance(part, Sources | ItemList):
            names = {f"{view.key}.{place}.{at}" for at in range(len(part.items))}
            view.opened = view.opened - names if names <= view.opened else view.opened | names
            view.touch()
            self._controller.changed("pane", self._controller.pane)
        elif isinstance(part, Suggestions):
            self._app.send(part.questions[0])
        elif view.who == "user":
            self._open_menu(view)
        else:
            self._open_large(view)

    def _open_values(self, view: MessageView) -> None:
        """Show the table or the values behind the chosen plot, or no longer."""
        place, behind = self._chosen_place(view), plotted_tables(view.parts)
        if place is not None and isinstance(view.parts[place], Chart):
            self._open(f"{view.key}.{behind.get(place, place)}")

    def _chosen_place(self, view: MessageView) -> int | None:
        """The place of the chosen part, that of the first where none is chosen; None where the message has no parts."""
        chosen = self._app.chat.transcript.chosen_part if self._chosen(view) else None
        return chosen if chosen is not None else next(iter(reading_order(view)), None)

    def _fold_block(self, view: MessageView) -> None:
        """Fold what is chosen to its first line, or open it again."""
        transcript = self._app.chat.transcript
        place = transcript.chosen_part or 0
        if self._chosen(view) and view.parts:
            self._open(f"{view.key}.{place}.fold")
            transcript.show_part(place)

    def open_number(self, number: int) -> None:
        """Open entry `number` of the chosen list or sources, or ask that question; of a text, the source it names."""
        transcript = self._app.chat.transcript
        view, place = transcript.chosen_view, transcript.chosen_part
        if view is None:
            return
        parts = [place] if place is not None else []
        for at in [*parts, *(at for at, part in enumerate(view.parts) if isinstance(part, Sources))]:
            part = view.parts[at]
            if isinstance(part, Suggestions) and number <= len(part.questions):
                self._app.send(part.questions[number - 1])
                return
            if isinstance(part, ItemList) and number <= len(part.items):
                self._open(f"{view.key}.{at}.{number - 1}")
                return
            if isinstance(part, Sources):
                found = (n for n, item in enumerate(part.items) if item.number == number)
                if (index := next(found, None)) is not None:
                    self._open(f"{view.key}.{at}.{index}")
                    transcript.show_part(at)
                    return

    def _open_source(self, name: str) -> None:
        """Open the passage of a number in the text, `<message>.<number>`, where its card stands."""
        key, _, number = name.partition(".")
        self._app.chat.transcript.choose(int(key))
        self.open_number(int(number))

    def _open(self, name: str) -> None:
        view = self._message(int(name.partition(".")[0]))
        if view is not None:
            view.opened ^= {name}
            view.touch()
            self._controller.changed("pane", self._controller.pane)

    def _rerun(self, name: str) -> None:
        part = self._part(name)
        if isinstance(part, Computation):
            self._controller.pane.draft = f"{part.rerun}{part.code}"
            self._controller.changed("draft", self._controller.pane)
            self._app.chat.prompt.focus()

    def _open_grid(self, name: str) -> None:
        part = self._part(name)
        if isinstance(part, Table):
            self._show_grid(part)

    def query_text(self, language: str) -> str:
        """The query behind the chosen answer, or the last one; "" where there is none in this language."""
        view = self._meant(0)
        found = [part for part in view.parts if isinstance(part, Computation)] if view else []
        return next((part.code for part in found if part.kind == language), "")

    def _tables(self) -> list[Table]:
        """All tables of the conversation, oldest first."""
        parts = (part for view in self._controller.pane.messages for part in view.parts)
        return [part for part in parts if isinstance(part, Table) and part.rows]

    def _open_large(self, view: MessageView, place: int | None = None) -> None:
        """Show the chosen part on the whole screen: a table as a grid, all else to be read."""
        place = self._chosen_place(view) if place is None else place
        part = view.parts[place] if place is not None else None
        if isinstance(part, Table):
            self._show_grid(part)
        elif place is not None and place in read_parts(view):
            from troly.tui.dialogs.read import ReadScreen

            act = partial(self._act_on_part, view)
            self._app.push_screen(
                ReadScreen(view, place, self._app.mode_palette(), self._controller.language, act)
            )

    def _act_on_part(self, view: MessageView, what: str, at: int) -> None:
        """Copy or save one part."""
        text = message_text(view, self._controller.language, at)
        (self._copy_given if what == "copy" else self._save_given)(view, text)

    def open_last(self) -> None:
        """Show the newest table of the conversation as a grid, else the list or the text of the last answer."""
        found, last = self._tables(), self._controller.pane.last_answer
        if found:
            self._show_grid(found[-1])
        elif last is not None and last.parts:
            shown = (at for at, part in enumerate(last.parts) if isinstance(part, ItemList | Chart))
            self._open_large(last, next(shown, None))
        else:
            self._app.say(tr("ui.grid.none", self._controller.language), SHORT)

    def _show_grid(self, table: Table) -> None:
        found = self._tables()
        at = next((place for place, one in enumerate(found) if one is table), 0)
        self._app.push_screen(GridScreen(found, at, self._controller.language, self._controller.backend))

    def _part(self, name: str) -> Part | None:
        key, _, index = name.partition(".")
        view = self._message(int(key))
        at = int(index.partition(".")[0])
        return view.parts[at] if view is not None and at < len(view.parts) else None

    # Marking as wrong.

    def mark_wrong(self, answer: MessageView | None) -> None:
        """Ask what is wrong with an answer, mark it, or take the mark back."""
        app, lang = self._app, self._controller.language
        if app.screen is not app.chat:
            return
        if answer is None or not answer.turn:
            app.say(tr("ui.wrong.none", lang), 5)
        elif not answer.finished:
            app.say(tr("ui.wrong.running", lang), 5)
        else:
            app.push_screen(
                WrongScreen(app.chat.palette, lang, answer.wrong), lambda mark: self._mark(answer, mark)
            )

    def _mark(self, answer: MessageView, mark: WrongReport | None) -> None:
        if mark is None:
            return
        kept = mark if mark.reason else None

        def done(found: object) -> None:
            app, lang = self._app, self._controller.language
            if isinstance(found, Exception):
                app.say_error(found)
                return
            answer.wrong = kept
            answer.touch()
            self._controller.changed("pane", self._controller.pane)
            app.chat.evidence.rebuild()
            app.say(tr("ui.wrong.done", lang, file=found) if kept else tr("ui.wrong.taken_back", lang), 5)

        if kept is not None:
            self._controller.backend.call(operations.mark_wrong, done, answer.turn, kept)
        else:
            self._controller.backend.call(operations.take_back_mark, done, answer.turn)
