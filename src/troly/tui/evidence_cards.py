"""Typed content of a turn as entries of the evidence drawer: queries, passages, conflicts, plans; the rest by its size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from troly.text.catalogue import Lang, tr
from troly.tui.evidence_node import Node, Para, fact, text_of
from troly.tui.render.figures import duration, number

Card = Mapping[str, Any]


def card_node(key: str, card: Card, lang: Lang) -> Node | None:
    """The entry of one saved card; None for what says nothing of how the answer came about."""
    make = _MAKERS.get(text_of(card.get("event")))
    return make(key, card, lang) if make else None


def _computation(key: str, card: Card, lang: Lang) -> Node:
    name = "sql" if card.get("kind") == "sql" else "pipeline"
    body = [Para(text_of(card.get("code")), "code")]
    body += [Para(f"{at}. {text_of(said)}") for at, said in enumerate(card.get("explained") or (), 1)]
    body += [fact(text_of(one), text_of(value)) for one, value in card.get("facts") or ()]
    return Node(key, tr(f"ui.evidence.{name}", lang), body=tuple(body))


def _sources(key: str, card: Card, lang: Lang) -> Node:
    items = card.get("items") or ()
    children = [
        Node(
            f"{key}.{at}",
            f"[{text_of(item.get('number'))}] {text_of(item.get('title'))}",
            number(float(item.get("score") or 0.0), lang, 2),
            body=tuple(_passage(item)),
        )
        for at, item in enumerate(items)
    ]
    return Node(key, tr("ui.evidence.passages", lang), number(len(items), lang), children=tuple(children))


def _passage(item: Card) -> Iterator[Para]:
    for name in ("where", "url"):
        if item.get(name):
            yield Para(text_of(item[name]))
    yield Para(text_of(item.get("text")), "")
    for name, value in item.get("facts") or ():
        yield fact(text_of(name), text_of(value))


def _conflict(key: str, card: Card, lang: Lang) -> Node:
    children = []
    for at, side in enumerate(card.get("sides") or ()):
        scores = ", ".join(
            f"{text_of(name)} {number(float(value), lang, 2)}" for name, value in side.get("scores") or ()
        )
        body = [Para(text_of(side.get("text")), "")]
        body += [fact(text_of(name), text_of(value)) for name, value in side.get("facts") or ()]
        mark = "● " if side.get("wins") else "○ "
        children.append(Node(f"{key}.{at}", f"{mark}{text_of(side.get('title'))}", scores, body=tuple(body)))
    return Node(
        key,
        tr("ui.evidence.conflict", lang),
        body=(Para(text_of(card.get("rule"))),),
        children=tuple(children),
    )


def _plan(key: str, card: Card, lang: Lang) -> Node:
    tasks = card.get("tasks") or ()
    body = []
    for task in tasks:
        took = duration(float(task["ms"]), lang) if task.get("ms") is not None else ""
        parts = (
            f"{text_of(task.get('step'))}.",
            text_of(task.get("agent")),
            text_of(task.get("tool")),
            text_of(task.get("purpose")),
            text_of(task.get("status")),
            took,
        )
        body.append(Para(" · ".join(part for part in parts if part)))
    return Node(key, tr("ui.evidence.plan", lang), number(len(tasks), lang), body=tuple(body))


def _notice(key: str, card: Card, lang: Lang) -> Node:  # noqa: ARG001 (as the others)
    body = tuple(Para(text_of(card[name])) for name in ("message", "remedy") if card.get(name))
    return Node(key, text_of(card.get("title")), tone="dim", body=body)


def _rows(key: str, card: Card, lang: Lang) -> Node:
    rows = card.get("rows") or card.get("items") or card.get("labels") or ()
    total = card.get("total")
    count = number(total if total is not None else len(rows), lang)
    title = text_of(card.get("title")) or tr("ui.evidence.rows", lang)
    return Node(key, title, tr("ui.evidence.row_count", lang, count=count), tone="dim")


def _handoff(key: str, card: Card, lang: Lang) -> Node:
    return Node(key, tr("ui.evidence.handoff", lang), body=(Para(text_of(card.get("reason"))),))


_MAKERS: Mapping[str, Callable[[str, Card, Lang], Node]] = {
    "Computation": _computation,
    "Sources": _sources,
    "Conflict": _conflict,
    "Plan": _plan,
    "Notice": _notice,
    "Table": _rows,
    "ItemList": _rows,
    "Chart": _rows,
    "Handoff": _handoff,
}
