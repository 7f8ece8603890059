"""What the last or the running answer cost, as many figures as fit on the status line."""

from __future__ import annotations

from datetime import datetime

from rich.cells import cell_len

from troly.text.catalogue import Lang, tr
from troly.tui.render.figures import counted, duration, number
from troly.tui.view import HealthView, MessageView

GAP = "   "


def status_figures(
    answer: MessageView | None,
    health: HealthView,
    lang: Lang,
    width: int,
    now: datetime | None = None,
) -> str:
    """Calls and time, tokens a second, context used, time to the first token, tokens; the last ones go first.

    `now` gives the rate of an answer that is being written. `health` tells whether an answer without calls was by rules
    because no model is there.
    """
    if answer is None:
        return ""
    parts: list[str] = []
    for part in _parts(answer, health, lang, now):
        if cell_len(GAP.join([*parts, part])) > width:
            break
        parts.append(part)
    return GAP.join(parts)


def _parts(answer: MessageView, health: HealthView, lang: Lang, now: datetime | None) -> list[str]:
    spent = answer.spent
    parts = []
    if answer.finished:
        if answer.ms is None:
            return []
        parts += [counted("ui.status.calls", answer.calls, lang), duration(answer.ms, lang)]
        if not answer.calls and health.known and not health.up:
            parts.append(tr("ui.status.no_model", lang))
    if spent is None:
        return parts
    rate = spent.rate if answer.finished or now is None else spent.running_rate(now) or spent.rate
    if rate is not None:
        parts.append(tr("ui.status.rate", lang, rate=number(rate, lang, 0 if rate >= 10 else 1)))
    if spent.window and spent.used:
        parts.append(
            tr("ui.status.context", lang, used=_kilo(spent.used, lang), window=_kilo(spent.window, lang))
        )
    if spent.ttft_ms is not None:
        parts.append(tr("ui.status.first", lang, time=duration(spent.ttft_ms, lang)))
    if spent.prompt_tokens or spent.completion_tokens:
        asked, said = _kilo(spent.prompt_tokens, lang), _kilo(spent.completion_tokens, lang)
        parts.append(tr("ui.status.tokens", lang, asked=asked, said=said))
    return parts


def _kilo(tokens: int, lang: Lang) -> str:
    return f"{number(tokens / 1000, lang, 1)}k" if tokens >= 1000 else number(tokens, lang)
