"""Reads a bracketed paste in one piece; the framework looks at each of its characters, which takes seconds for 1 MB."""

from __future__ import annotations

from collections.abc import Iterable

from textual import events
from textual._xterm_parser import XTermParser
from textual.message import Message

BEGIN, END = "\x1b[200~", "\x1b[201~"


class PasteReader(XTermParser):
    """The framework's reader of the terminal, with a shorter way from the beginning of a paste to its end.

    A beginning that is torn apart between two reads is left to the framework, which knows it as well.
    """

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._pieces: list[str] | None = None
        self._tail = ""

    def feed(self, data: str) -> Iterable[Message]:
        """The messages that `data` makes whole; "" is the end of all reading."""
        if not data:
            yield from super().feed(data)
        while data:
            if self._pieces is None:
                before, begin, data = data.partition(BEGIN)
                if before:
                    yield from super().feed(before)
                if begin:
                    self._pieces, self._tail = [], ""
                continue
            # The end may be torn apart between two reads.
            place = (self._tail + data).find(END)
            if place < 0:
                self._pieces.append(data)
                self._tail = (self._tail + data)[1 - len(END) :]
                return
            after = place + len(END) - len(self._tail)
            text = ("".join(self._pieces) + data[:after])[: -len(END)]
            self._pieces, data = None, data[after:]
            yield events.Paste(text.replace("\x00", ""))


def teach_paste() -> None:
    """Let the drivers of the framework read with `PasteReader`."""
    import sys

    for name in ("linux_driver", "linux_inline_driver"):
        driver = sys.modules.get(f"textual.drivers.{name}")
        if driver is not None:
            driver.XTermParser = PasteReader  # type: ignore[attr-defined]
