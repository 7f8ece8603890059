"""What an empty pane shows: what this assistant does, three questions to press, and the data it has."""

from __future__ import annotations

from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui.controller import Controller
from troly.tui.render.spans import BLANK, Line, Span, wrap
from troly.tui.render.trouble import trouble_lines
from troly.tui.view import HoldingsView, ModeView, Pane, Trouble

WIDEST = 72


def empty_lines(controller: Controller, pane: Pane, width: int, height: int) -> list[Line]:
    """The pane without messages, in the middle of `height` rows."""
    lang = controller.language
    room = min(width, WIDEST)
    mode = controller.modes.get(pane.mode)
    if controller.trouble is not None:
        lines = _closed(controller.trouble, room, lang)
    elif mode is None:
        return []
    elif mode.broken:
        lines = trouble_lines(Trouble(tr("ui.empty.broken", lang), mode.broken), room)
    else:
        lines = _welcome(controller, mode, room, lang)
    above = max(1, (height - len(lines)) // 3)
    return [*[BLANK] * above, *lines]


def _closed(trouble: Trouble, room: int, lang: Lang) -> list[Line]:
    head = Trouble(tr("ui.trouble.cannot_open", lang))
    return [
        *trouble_lines(head, room),
        BLANK,
        *wrap([Span(sanitize(trouble.title), "strong")], room),
        *wrap([Span(sanitize(trouble.message), "dim")], room),
        *wrap([Span(sanitize(trouble.remedy))], room),
        BLANK,
        *wrap([Span(tr("ui.trouble.quit", lang), "dim")], room),
    ]


def _welcome(controller: Controller, mode: ModeView, room: int, lang: Lang) -> list[Line]:
    lines = [
        *wrap([Span(sanitize(mode.names[lang]), "who")], room),
        *wrap([Span(sanitize(mode.summaries[lang]))], room),
        BLANK,
    ]
    questions = mode.questions.get(lang, ())[:3]
    if questions:
        lines.append((Span(tr("ui.empty.ask", lang), "dim"),))
    for index, question in enumerate(questions):
        for row, text in enumerate(wrap([Span(sanitize(question), "", f"ask:{index}")], room - 2)):
            lines.append((Span("› " if row == 0 else "  ", "accent", f"ask:{index}"), *text))
    lines += _held(controller.holdings.get((mode.id, lang)), room, lang)
    if controller.health.known and not controller.health.up:
        lines += _without_model(controller, room, lang)
    for file in controller.notices:
        lines += [BLANK, *wrap([Span(tr("ui.trouble.aside", lang, file=sanitize(file)), "error")], room)]
    return lines


def _held(held: HoldingsView | None, room: int, lang: Lang) -> list[Line]:
    if held is None:
        return []
    lines = [BLANK, *wrap([Span(sanitize(held.line), "dim")], room)]
    if held.command and not held.enough:
        lines += wrap([Span(tr("ui.empty.load", lang, command=sanitize(held.command)))], room)
    return lines


def _without_model(controller: Controller, room: int, lang: Lang) -> list[Line]:
    """No model is no error: how one gets it stands here in one sentence."""
    lines = [BLANK, *wrap([Span(tr("ui.empty.rules", lang), "dim")], room)]
    trouble = controller.health.trouble
    if trouble is not None and trouble.remedy:
        lines += wrap([Span(sanitize(trouble.remedy), "dim")], room)
    return lines
