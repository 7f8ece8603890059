"""A failure as styled lines."""

from __future__ import annotations

from troly.text.sanitize import sanitize
from troly.tui.render.spans import Line, Span, wrap
from troly.tui.view import Trouble


def trouble_lines(trouble: Trouble, width: int, mark: str = "× ") -> list[Line]:
    """What went wrong, why, and the remedy on a line of its own."""
    reason = [Span(sanitize(trouble.title), "error")]
    if trouble.message:
        reason.append(Span(f"  {sanitize(trouble.message)}", "dim"))
    lines = [
        (Span(mark if row == 0 else "  ", "error"), *text) for row, text in enumerate(wrap(reason, width - 2))
    ]
    if trouble.remedy:
        lines += [(Span("  "), *text) for text in wrap([Span(sanitize(trouble.remedy))], width - 2)]
    return lines
