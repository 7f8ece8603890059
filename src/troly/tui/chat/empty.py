"""What an empty pane shows: a welcome to somebody new, what the assistant does, questions to press, and its data."""

from __future__ import annotations

from collections.abc import Sequence

from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui.chat.controller import Controller
from troly.tui.chat.view import ModeView, Pane, Trouble
from troly.tui.keymap import Keymap
from troly.tui.render.message import trouble_lines
from troly.tui.render.spans import BLANK, Line, Span, clip, line, width_of, with_commands, wrap

FIRST_FIVE = tuple(f"alt+{number}" for number in range(1, 6))


def welcome_lines(keymap: Keymap, width: int, lang: Lang) -> list[Line]:
    """What to do, where to look, and where everything else is; each on one line, what does not fit is left out."""
    return [
        line(Span("▌ ", "accent"), Span(clip(tr("ui.welcome.ask", lang), width - 2), "strong")),
        _keys(keymap, ("assistants", "list", "evidence"), width, lang),
        _keys(keymap, ("palette", "help", "mouse"), width, lang),
        line(Span("▌ ", "accent"), *_commands(width - 2, lang)),
    ]


def _commands(width: int, lang: Lang) -> list[Span]:
    """How one's own data and a model come in."""
    spans: list[Span] = []
    for name in ("ingest", "pull"):
        more = [
            Span("   " if spans else ""),
            Span(f"/{name}", "strong"),
            Span(f" {tr(f'ui.welcome.{name}', lang)}"),
        ]
        if width_of(line(*spans, *more)) <= width:
            spans += more
    return spans


def _keys(keymap: Keymap, names: Sequence[str], width: int, lang: Lang) -> Line:
    shown: Line = (Span("▌ ", "accent"),)
    for name in names:
        press = "Alt+1…5" if keymap.keys(name)[:5] == FIRST_FIVE else keymap.press(name)
        does = tr(f"ui.welcome.{name}", lang)
        more = (*shown, *line(Span(press, "strong"), f" {does}" if press else does, "   "))
        if (press or name == "mouse") and width_of(more) <= width + 3:
            shown = more
    return shown


WIDEST = 72
Block = list[Line]


def empty_lines(
    controller: Controller, pane: Pane, width: int, height: int, keymap: Keymap | None = None
) -> list[Line]:
    """The pane without messages, a third down in `height` rows (0 for no limit)."""
    lang = controller.language
    room = min(width, WIDEST)
    mode = controller.modes.get(pane.mode)
    if controller.trouble is not None:
        lines = _closed(controller.trouble, room, lang, keymap or Keymap())
    elif mode is None:
        return []
    elif mode.broken:
        lines = trouble_lines(Trouble(tr("ui.empty.broken", lang), mode.broken), room)
    else:
        lines = _fitting(_blocks(controller, mode, room, keymap or Keymap()), height)
    above = max(0 if height and len(lines) >= height else 1, (height - len(lines)) // 3)
    return [*[BLANK] * above, *lines]


def _fitting(blocks: Sequence[Block], height: int) -> list[Line]:
    """The blocks with a blank line between them; where they do not fit, the last ones are left out."""
    kept = [block for block in blocks if block]
    while len(kept) > 2 and height and sum(map(len, kept)) + len(kept) > height:
        kept = kept[:-1]
    return [line for index, block in enumerate(kept) for line in ([BLANK] if index else []) + block]


def _closed(trouble: Trouble, room: int, lang: Lang, keymap: Keymap) -> list[Line]:
    head = Trouble(tr("ui.trouble.cannot_open", lang))
    return [
        *trouble_lines(head, room),
        BLANK,
        *wrap([Span(sanitize(trouble.title), "strong")], room),
        *wrap(with_commands(sanitize(trouble.message), "dim"), room),
        *wrap(with_commands(sanitize(trouble.remedy)), room),
        BLANK,
        *wrap([Span(tr("ui.trouble.quit", lang, key=keymap.press("quit")), "dim")], room),
    ]


def _blocks(controller: Controller, mode: ModeView, room: int, keymap: Keymap) -> list[Block]:
    """The most useful first."""
    lang = controller.language
    notices = [
        line
        for file in controller.notices
        for line in wrap([Span(tr("ui.trouble.aside", lang, file=sanitize(file)), "error")], room)
    ]
    return [
        [*wrap([Span(sanitize(mode.names[lang]), "who")], room), *wrap([Span(sanitize(_greeting(mode, lang)))], room)],
        _questions(mode, room, lang),
        welcome_lines(keymap, room, lang) if controller.new_here else [],
        notices,
        _held(controller, mode, room),
        _without_model(controller, room, lang) if controller.health.known and not controller.health.up else [],
    ]  # fmt: skip


def _greeting(mode: ModeView, lang: Lang) -> str:
    """What the assistant says first (000-07); what it is for, where it says nothing."""
    return mode.greetings.get(lang) or mode.summaries[lang]


def _questions(mode: ModeView, room: int, lang: Lang) -> Block:
    """Three questions to press; ↑ in the empty input brings the same."""
    questions = mode.questions.get(lang, ())[:3]
    lines: Block = [(Span(tr("ui.empty.ask", lang), "dim"),)] if questions else []
    for index, question in enumerate(questions):
        for row, text in enumerate(wrap([Span(sanitize(question), "", f"ask:{index}")], room - 2)):
            lines.append((Span("› " if row == 0 else "  ", "accent", f"ask:{index}"), *text))
    return lines


def _held(controller: Controller, mode: ModeView, room: int) -> Block:
    lang = controller.language
    if mode.id in controller.loading_samples:
        return wrap([Span(tr("ui.empty.stocking", lang), "dim")], room)
    held = controller.data_status.get((mode.id, lang))
    if held is None:
        return []
    lines = wrap([Span(sanitize(held.line), "dim")], room)
    if held.command and not held.enough:
        lines += wrap([Span(tr("ui.empty.load", lang, command=sanitize(held.command)))], room)
    return lines


def _without_model(controller: Controller, room: int, lang: Lang) -> Block:
    """No model is no error: how one gets it stands here in one sentence."""
    lines = wrap(with_commands(tr("ui.empty.rules", lang), "dim"), room)
    trouble = controller.health.trouble
    if trouble is not None and trouble.remedy:
        lines += wrap(with_commands(sanitize(trouble.remedy), "dim"), room)
    return lines
