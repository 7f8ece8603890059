"""Which panes are open: their order, the one or two that are shown, where one came from, what was closed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from troly.tui.chat.view import Pane, ReadingPlace

# So many closed panes can be opened again, and so many panes keep their messages in memory without being shown.
CLOSED, AWAKE = 20, 12
# So many tabs come back with the next start.
MOST_KEPT = 20


class Tabs:
    """The open panes in order.

    `sides` are the panes that are shown, one or two; `focus` says which of them the input belongs to. `recent` has
    all open panes, the one that was shown last first. `closed` are panes to open again, newest last.
    """

    def __init__(self, first: Pane) -> None:
        self.panes = [first]
        self.sides = [first]
        self.focus = 0
        self.recent = [first]
        self.closed: list[Pane] = []

    @property
    def shown(self) -> Pane:
        """The pane that the input belongs to."""
        return self.sides[self.focus]

    @property
    def everywhere(self) -> list[Pane]:
        """Open and closed panes."""
        return [*self.panes, *self.closed]

    def last(self, mode: str) -> Pane | None:
        """The pane of `mode` that was shown last."""
        return next((pane for pane in self.recent if pane.mode == mode), None)

    def of(self, conversation: str) -> Pane | None:
        """The pane of a conversation, open or closed."""
        return next((pane for pane in self.everywhere if pane.conversation == conversation), None)

    def beside(self, by: int, mode: str = "") -> Pane:
        """The pane `by` places further, round the end; only those of `mode` when one is given."""
        row = [pane for pane in self.panes if not mode or pane.mode == mode]
        at = row.index(self.shown) if self.shown in row else -1
        return row[(at + by) % len(row)] if row else self.shown

    def add(self, pane: Pane) -> Pane:
        """Put a pane at the end of the row; a closed one is open again."""
        if pane in self.closed:
            self.closed.remove(pane)
        if pane not in self.panes:
            self.panes.append(pane)
            self.recent.append(pane)
        return pane

    def show(self, pane: Pane) -> None:
        """Give the input to `pane`: on the side where it is, else on the side that has the input now.

        A pane that is left without a message or a draft goes.
        """
        self.add(pane)
        left = self.shown
        if pane in self.sides:
            self.focus = self.sides.index(pane)
        else:
            self.sides[self.focus] = pane
        self._came(pane)
        if left not in self.sides and left.empty:
            self.drop(left)

    def split(self, beside: Pane) -> None:
        """Show `beside` on the right of the pane that is shown, and give it the input."""
        self.add(beside)
        self.sides = [self.shown, beside]
        self.focus = 1
        self._came(beside)

    def unsplit(self) -> None:
        """Show the pane with the input alone."""
        other = self.sides[1 - self.focus] if len(self.sides) > 1 else None
        self.sides, self.focus = [self.shown], 0
        if other is not None and other.empty:
            self.drop(other)

    def turn(self) -> None:
        """Give the input to the other side."""
        self.focus = (self.focus + 1) % len(self.sides)
        self._came(self.shown)

    def drop(self, pane: Pane, instead: Pane | None = None) -> None:
        """Take a pane away; where it was shown comes `instead`, or the other side, or the one shown before it."""
        if pane in self.sides and len(self.sides) > 1:
            self.sides.remove(pane)
            self.focus = 0
        elif pane in self.sides:
            before = next((other for other in self.recent if other is not pane), None)
            found = instead or before or Pane(pane.mode)
            self.add(found)
            self.sides = [found]
        for row in (self.panes, self.recent, self.closed):
            if pane in row:
                row.remove(pane)
        self._came(self.shown)

    def close(self, pane: Pane) -> None:
        """Take a pane away so that it can be opened again; one without content is not worth that."""
        self.drop(pane)
        if not pane.empty:
            self.closed.append(pane)
        idle = [one for one in self.closed if not one.running]
        for one in idle[: max(0, len(self.closed) - CLOSED)]:
            self.closed.remove(one)

    def sleepers(self) -> list[Pane]:
        """Panes whose messages need not be in memory: saved, idle, and not shown for long, or closed."""
        away = [pane for pane in self.recent[AWAKE:] if pane not in self.sides] + self.closed
        return [pane for pane in away if pane.saved and not pane.unloaded]

    def _came(self, pane: Pane) -> None:
        self.recent.remove(pane)
        self.recent.insert(0, pane)

    # Kept for the next start.

    def kept(self) -> dict[str, Any]:
        """The open conversations as JSON values: `shown` holds numbers of `panes`, `focus` the one with the input."""
        panes = [pane for pane in self.panes if pane.conversation or pane in self.sides][-MOST_KEPT:]
        shown = [panes.index(pane) for pane in self.sides if pane in panes]
        return {
            "panes": [
                {"mode": pane.mode, "conversation": pane.conversation, "place": pane.place} for pane in panes
            ],
            "shown": shown,
            "focus": min(self.focus, len(shown) - 1),
        }


def restored_tabs(kept: Mapping[str, Any], titles: Mapping[str, str], modes: Collection[str]) -> Tabs | None:
    """What `Tabs.kept` gave, without unknown `modes` and conversations without a title; None where nothing is left.

    Raises what a damaged record raises (ValueError, TypeError, KeyError, IndexError).
    """
    found: dict[int, Pane] = {}
    shown = [int(number) for number in kept["shown"]][:2]
    for number, one in enumerate(kept["panes"]):
        mode, conversation, place = one["mode"], one["conversation"], one["place"]
        if mode not in modes:
            continue
        if conversation in titles:
            left = ReadingPlace(str(place[0]), str(place[1]), int(place[2])) if place else None
            found[number] = Pane(mode, conversation, titles[conversation], unloaded=True, place=left)
        elif conversation is None and number in shown:
            found[number] = Pane(mode)
    if not found:
        return None
    sides = [found[number] for number in dict.fromkeys(shown) if number in found] or [
        next(iter(found.values()))
    ]
    tabs = Tabs(sides[0])
    tabs.panes = list(found.values())
    tabs.sides, tabs.focus = sides, max(0, min(int(kept["focus"]), len(sides) - 1))
    tabs.recent = [tabs.shown, *(pane for pane in tabs.panes if pane is not tabs.shown)]
    return tabs
