"""An entry of the evidence drawer: a line that opens to paragraphs and to entries of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from troly.text.catalogue import Lang, core_catalogue, tr
from troly.text.sanitize import sanitize
from troly.tui.chat.view import MessageView, StepView
from troly.tui.render.figures import duration, number


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


# Typed content of a turn as entries of the evidence drawer: queries, passages, conflicts, plans; the rest by its size.


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


# The steps of an answer that is not read from the store (yet), as entries of the evidence drawer.


def live_nodes(answer: MessageView, lang: Lang) -> list[Node]:
    """One entry a step, in order."""
    return [_node(at, step, lang) for at, step in enumerate(answer.steps)]


def _node(at: int, step: StepView, lang: Lang) -> Node:
    title, name = step_title(text_of(step.node), text_of(step.agent), text_of(step.tool), lang)
    if step.ms is not None:
        took = duration(step.ms, lang)
    else:
        took = tr("ui.evidence.failed" if step.failed else "ui.evidence.running", lang)
    body = [Para(text_of(step.detail))] if step.detail else []
    if step.failed and step.ms is not None:
        body.insert(0, Para(tr("ui.evidence.failed", lang), "error"))
    tone = "error" if step.failed else "strong"
    return Node(f"s{at}", title, f"{text_of(step.source)}  {took}".strip(), tone, tuple(body), name=name)


# What a saved turn says of how its answer came about, as a tree: steps, and under each its calls, queries and passages.


Trace = Mapping[str, Any]


class Evidence(NamedTuple):
    """A saved turn as the drawer shows it: its trace, and who asked as which role."""

    turn: str
    trace: Trace
    source: str = ""
    calls: int = 0


def tree(found: Evidence, lang: Lang) -> list[Node]:
    """The steps in the order in which they began, then what the turn was given and what was left out."""
    trace = found.trace
    whole = _Whole(trace, lang)
    nodes = [whole.step(index) for index in range(len(whole.steps))]
    rest = list(whole.rest())
    if rest:
        nodes.append(Node("rest", tr("ui.evidence.also", lang), children=tuple(rest)))
    given = _given(trace.get("given") or {}, lang)
    if given is not None:
        nodes.append(given)
    if trace.get("skipped"):
        nodes.append(_skipped(trace["skipped"], lang))
    if trace.get("cut"):
        said = [Para(tr(f"ui.evidence.cut_{name}", lang)) for name in trace["cut"]]
        nodes.append(Node("cut", tr("ui.evidence.cut", lang), tone="dim", body=tuple(said)))
    return nodes


@dataclass(slots=True)
class _Whole:
    """The trace with its content and calls given out to the steps that they belong to."""

    trace: Trace
    lang: Lang

    @property
    def steps(self) -> Sequence[Mapping[str, Any]]:
        found: Sequence[Mapping[str, Any]] = self.trace.get("steps") or ()
        return found

    def step(self, index: int) -> Node:
        step = self.steps[index]
        words = {key: text_of(step.get(key)) for key in ("node", "agent", "tool")}
        title, name = step_title(**words, lang=self.lang)
        took = duration(float(step.get("ms") or 0.0), self.lang)
        source = text_of(step.get("source"))
        body = [Para(text_of(step["detail"]))] if step.get("detail") else []
        if step.get("failed"):
            body.insert(0, Para(tr("ui.evidence.failed", self.lang), "error"))
        children = [
            *(self.call(at, call) for at, call in self._calls() if _belongs(call, step, index, self.steps)),
            *(node for at in self._owned(index) if (node := self.card(at)) is not None),
        ]
        tone = "error" if step.get("failed") else "strong"
        right = f"{source}  {took}".strip()
        return Node(f"s{index}", title, right, tone, tuple(body), tuple(children), name)

    def rest(self) -> Iterator[Node]:
        """Content and calls that no step stands for."""
        owned = {at for index in range(len(self.steps)) for at in self._owned(index)}
        names = {text_of(step.get("node")) for step in self.steps}
        for at, call in self._calls():
            if text_of(call.get("node")) not in names:
                yield self.call(at, call)
        for at in range(len(self.trace.get("content") or ())):
            if at not in owned and (node := self.card(at)) is not None:
                yield node

    def card(self, at: int) -> Node | None:
        return card_node(f"c{at}", self.trace["content"][at], self.lang)

    def call(self, at: int, call: Mapping[str, Any]) -> Node:
        lang = self.lang
        title = f"{text_of(call.get('task'))} · {text_of(call.get('model')) or text_of(call.get('kind'))}"
        tokens = [call.get("prompt_tokens"), call.get("completion_tokens")]
        counted = "→".join("?" if one is None else number(one, lang) for one in tokens) if any(tokens) else ""
        right = "  ".join(part for part in (counted, duration(float(call.get("ms") or 0.0), lang)) if part)
        failed = bool(call.get("error"))
        return Node(
            f"m{at}",
            title,
            right,
            "error" if failed else "",
            tuple(_figures(call, lang)),
            tuple(self._texts(at, call)),
        )

    def _texts(self, at: int, call: Mapping[str, Any]) -> Iterator[Node]:
        lang = self.lang
        prompt: Sequence[Mapping[str, Any]] = call.get("prompt") or ()
        said = []
        for message in prompt:
            said += [Para(text_of(message.get("role")), "dim"), Para(text_of(message.get("content")), "code")]
        if call.get("cut"):
            said.append(Para(tr("ui.evidence.cut_prompt", lang, count=number(call["cut"], lang)), "dim"))
        if said:
            yield Node(f"m{at}p", tr("ui.evidence.prompt", lang), number(len(prompt), lang), body=tuple(said))
        reply = text_of(call.get("reply"))
        asked = call.get("tool_calls") or ()
        if asked:
            reply = f"{reply}\n{json.dumps(asked, ensure_ascii=False, indent=1)}".strip()
        if reply:
            yield Node(f"m{at}r", tr("ui.evidence.reply", lang), body=(Para(sanitize(reply), "code"),))

    def _calls(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        yield from enumerate(self.trace.get("calls") or ())

    def _owned(self, index: int) -> list[int]:
        """The numbers of the content told between the beginning and the end of step `index`."""
        return _owners(self.trace).get(index, [])


def _belongs(
    call: Mapping[str, Any], step: Mapping[str, Any], index: int, steps: Sequence[Mapping[str, Any]]
) -> bool:
    """A call belongs to the first step of the node that asked."""
    node = text_of(call.get("node"))
    return (
        bool(node)
        and node == text_of(step.get("node"))
        and all(text_of(s.get("node")) != node for s in steps[:index])
    )


def _owners(trace: Trace) -> dict[int, list[int]]:
    """Content by the step that was open when it was told; steps are known by the number in which they ended."""
    found: dict[int, list[int]] = {}
    waiting: list[int] = []
    for entry in trace.get("events") or ():
        if entry[0] == "c":
            waiting.append(entry[1])
        elif entry[0] == "s":
            found[entry[1]], waiting = waiting, []
    return found


def _figures(call: Mapping[str, Any], lang: Lang) -> Iterator[Para]:
    if call.get("error"):
        yield Para(text_of(call["error"]), "error")
    if call.get("wanted"):
        yield fact(tr("ui.evidence.instead", lang), text_of(call["wanted"]))
    said, asked = call.get("completion_tokens"), call.get("prompt_tokens")
    if said is not None or asked is not None:
        yield fact(tr("ui.evidence.tokens", lang), f"{number(asked or 0, lang)} → {number(said or 0, lang)}")
    window = call.get("window") or 0
    if window and (asked or said):
        used = (asked or 0) + (said or 0)
        share = number(used * 100 / window, lang, 0)
        yield fact(
            tr("ui.evidence.context", lang), f"{number(used, lang)} / {number(window, lang)} ({share} %)"
        )
    first, ms = call.get("ttft_ms"), float(call.get("ms") or 0.0)
    if first is not None:
        yield fact(tr("ui.evidence.first", lang), duration(float(first), lang))
        if said and ms > first:
            yield fact(tr("ui.evidence.rate", lang), number(said * 1000 / (ms - first), lang, 1))
    if call.get("dropped"):
        yield fact(tr("ui.evidence.dropped", lang), number(call["dropped"], lang))


def _given(given: Mapping[str, Any], lang: Lang) -> Node | None:
    """Who asked with which rights, when, and of which data."""
    who = given.get("profile") or {}
    if not who:
        return None
    rights = ", ".join(map(text_of, who.get("permissions") or ())) or "-"
    data = (given.get("data") or {}).get("datasets") or {}
    rows = (
        ("user", text_of(who.get("login"))),
        ("role", text_of(who.get("role"))),
        ("rights", rights),
        ("department", text_of(who.get("department"))),
        ("clock", text_of(given.get("now"))),
        ("language", text_of(given.get("language"))),
        ("data", ", ".join(f"{text_of(name)} v{version}" for name, version in data.items())),
    )
    body = tuple(fact(tr(f"ui.evidence.given_{name}", lang), value) for name, value in rows if value)
    return Node("given", tr("ui.evidence.given", lang), text_of(who.get("role")), body=body)


def _skipped(pairs: Sequence[Sequence[str]], lang: Lang) -> Node:
    body = tuple(fact(text_of(task), text_of(reason)) for task, reason in pairs)
    return Node("skipped", tr("ui.evidence.skipped", lang), number(len(pairs), lang), body=body)
