"""An entry of the evidence drawer: a line that opens to paragraphs and to entries of its own."""

from __future__ import annotations

from typing import Any, NamedTuple

from troly.text.catalogue import Lang, core_catalogue, tr
from troly.text.sanitize import sanitize


class Para(NamedTuple):
    """Text with the style of its lines; `code` keeps its line ends and blanks."""

    text: str
    style: str = "dim"


class Node(NamedTuple):
    """`key` stays the same while the turn does; `right` stands at the end of the line.

    `name` is what a step is called in the records, where `title` says it in plain words.
    """

    key: str
    title: str
    right: str = ""
    tone: str = ""
    body: tuple[Para, ...] = ()
    children: tuple[Node, ...] = ()
    name: str = ""

    @property
    def opens(self) -> bool:
        """Whether there is more than the line."""
        return bool(self.body or self.children)

    def copied(self) -> str:
        """All of it as text."""
        own = "\n".join(para.text for para in self.body)
        return "\n\n".join(
            part
            for part in (
                " · ".join(filter(None, (self.title, self.name))),
                own,
                *(one.copied() for one in self.children),
            )
            if part
        )


def step_title(node: str, agent: str, tool: str, lang: Lang) -> tuple[str, str]:
    """A step in plain words, and what it is called in the records; only that where there are no words for it."""
    name = " · ".join(part for part in (agent, tool, node) if part)
    known = core_catalogue().keys("ui")
    found = next((word for word in (tool, node) if f"step.{word}" in known), "")
    if not found:
        return name, ""
    # A team does the same step as others do; the node of its own name says nothing in plain words.
    who = f"{agent}: " if agent and f"step.{node}" not in known else ""
    return f"{who}{tr(f'ui.step.{found}', lang)}", name


def fact(name: str, value: str) -> Para:
    """A name and its value on one line."""
    return Para(f"{name}: {value}")


def text_of(value: Any) -> str:
    """A saved value as safe text; "" for none."""
    return "" if value is None else sanitize(str(value))
