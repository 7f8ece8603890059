"""An entry of the evidence drawer: a line that opens to paragraphs and to entries of its own."""

from __future__ import annotations

from typing import Any, NamedTuple

from troly.text.sanitize import sanitize


class Para(NamedTuple):
    """Text with the style of its lines; `code` keeps its line ends and blanks."""

    text: str
    style: str = "dim"


class Node(NamedTuple):
    """`key` stays the same while the turn does; `right` stands at the end of the line."""

    key: str
    title: str
    right: str = ""
    tone: str = ""
    body: tuple[Para, ...] = ()
    children: tuple[Node, ...] = ()

    @property
    def opens(self) -> bool:
        """Whether there is more than the line."""
        return bool(self.body or self.children)

    def copied(self) -> str:
        """All of it as text."""
        own = "\n".join(para.text for para in self.body)
        return "\n\n".join(
            part for part in (self.title, own, *(one.copied() for one in self.children)) if part
        )


def fact(name: str, value: str) -> Para:
    """A name and its value on one line."""
    return Para(f"{name}: {value}")


def text_of(value: Any) -> str:
    """A saved value as safe text; "" for none."""
    return "" if value is None else sanitize(str(value))
