"""The list above the input of what can be completed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from troly.text.sanitize import sanitize
from troly.tui.completing import MOST, Offer
from troly.tui.render.spans import Line, Span, clip, line, pad, width_of
from troly.tui.theme import Palette
from troly.tui.widgets.lines import LinesView

ACTION = "complete"
WIDEST_TITLE = 40


class Offers(LinesView):
    """Hidden while there is nothing to offer; the keys stay in the input."""

    def __init__(self, palette: Palette) -> None:
        super().__init__(palette)
        self.pick: Callable[[int], None] = lambda _place: None
        self.offers: list[Offer] = []
        self.chosen = 0
        self.display = False

    @property
    def shown(self) -> bool:
        """Whether something is offered."""
        return bool(self.offers)

    def show(self, offers: Sequence[Offer]) -> None:
        """Offer these; the first is chosen."""
        offers = list(offers)
        if offers == self.offers:
            return
        self.offers, self.chosen = offers, 0
        self.display = bool(offers)
        status = getattr(self.screen, "status", None)
        if status is not None:
            status.relay()
        if offers:
            self.styles.height = min(MOST, len(offers), max(1, self.app.size.height // 3))
            self.scroll_to(y=0, animate=False, immediate=True, force=True)
            # While it was hidden it had no width to lay the lines out for.
            self._laid_width = 0
            self.relay()

    def move(self, by: int) -> None:
        """Choose another one."""
        if self.offers:
            self.chosen = (self.chosen + by) % len(self.offers)
            self.relay()
            if not self.scroll_y <= self.chosen < self.scroll_y + self.size.height:
                above = self.chosen - (self.size.height - 1 if by > 0 else 0)
                self.scroll_to(y=max(0, above), animate=False, immediate=True, force=True)

    def take(self) -> Offer | None:
        """What is chosen."""
        return self.offers[self.chosen] if self.offers else None

    def on_lines_view_pressed(self, event: LinesView.Pressed) -> None:
        """An offer was clicked."""
        event.stop()
        self.pick(int(event.action.rpartition(":")[2]))

    def build(self, width: int) -> list[Line]:
        """One line an offer: what it is, and a hint beside it."""
        titles = [
            clip(sanitize(offer.title, keep_newlines=False), min(WIDEST_TITLE, max(8, width // 2)))
            for offer in self.offers
        ]
        column = max((width_of(line(Span(title))) for title in titles), default=0) + 2
        lines: list[Line] = []
        for place, (offer, title) in enumerate(zip(self.offers, titles, strict=True)):
            here = place == self.chosen
            action = f"{ACTION}:{place}"
            left = pad(line(Span(title, "strong" if here else "", action)), column)
            mark = Span("▌ " if here else "  ", "accent", action)
            hint = Span(
                clip(sanitize(offer.hint, keep_newlines=False), max(0, width - column - 3)), "dim", action
            )
            lines.append(line(mark, *left, hint))
        return lines
