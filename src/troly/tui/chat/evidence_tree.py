"""How an answer came about as a tree of entries: steps, their calls, queries and passages, from a trace or as they run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, assert_never

from troly.conversation.recorder import clean
from troly.errors import TrolyError
from troly.plugin.events import (
    Chart,
    Computation,
    Conflict,
    Evidence,
    Handoff,
    ItemList,
    Notice,
    Plan,
    Side,
    Sources,
    Suggestions,
    Table,
    Task,
)
from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui.chat.history import card_from
from troly.tui.chat.view import MessageView, StepView, TurnEvidence
from troly.tui.render.figures import duration, number, step_title


class EvidenceText(NamedTuple):
    """Text with the style of its lines; `code` keeps its line ends and blanks."""

    text: str
    style: str = "dim"


class EvidenceNode(NamedTuple):
    """`key` stays the same while the turn does; `right` stands at the end of the line.

    `name` is what a step is called in the records, where `title` says it in plain words.
    """

    key: str
    title: str
    right: str = ""
    tone: str = ""
    body: tuple[EvidenceText, ...] = ()
    children: tuple[EvidenceNode, ...] = ()
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


def fact(name: str, value: str) -> EvidenceText:
    """A name and its value on one line."""
    return EvidenceText(f"{name}: {value}")


_ERROR_KEY = re.compile(r"\b[a-z_]+\.[a-z_]+\b")


def with_titles(value: Any, lang: Lang) -> str:
    """`value` as text with the titles of errors in place of their keys: why no model was asked, in people's words."""
    return _ERROR_KEY.sub(lambda found: TrolyError(found[0]).render(lang).title, text_of(value))


def text_of(value: Any) -> str:
    """A saved value as safe text; "" for none."""
    return "" if value is None else sanitize(str(value))


def content_node(  # noqa: C901, PLR0911 (one case a kind)
    key: str, saved: Mapping[str, Any], lang: Lang
) -> EvidenceNode | None:
    """The entry of one saved card; None for what says nothing of how the answer came about."""
    card = clean(card_from(saved, lang))
    match card:
        case Computation():
            name = "sql" if card.code and card.kind == "sql" else "pipeline"
            # The query first, then what it does, then facts.
            query = [EvidenceText(card.code, "code")] if card.code else []
            does = [EvidenceText(f"{at}. {text}") for at, text in enumerate(card.explained, 1)]
            known = (fact(*pair) for pair in card.facts)
            return EvidenceNode(key, tr(f"ui.evidence.{name}", lang), body=(*query, *does, *known))
        case Sources():
            return EvidenceNode(
                key,
                tr("ui.evidence.passages", lang),
                number(len(card.items), lang),
                children=tuple(_passage(f"{key}.{at}", item, lang) for at, item in enumerate(card.items)),
            )
        case Conflict():
            sides = tuple(_side(f"{key}.{at}", side, lang) for at, side in enumerate(card.sides))
            rule = (EvidenceText(card.rule),)
            return EvidenceNode(key, tr("ui.evidence.conflict", lang), body=rule, children=sides)
        case Plan():
            body = tuple(_task(task, lang) for task in card.tasks)
            return EvidenceNode(key, tr("ui.evidence.plan", lang), number(len(body), lang), body=body)
        case Notice():
            body = tuple(EvidenceText(text) for text in (card.message, card.remedy) if text)
            return EvidenceNode(key, card.title, tone="dim", body=body)
        case Table():
            return _counted(key, card.title, len(card.rows) if card.total is None else card.total, lang)
        case ItemList():
            return _counted(key, card.title, len(card.items) if card.total is None else card.total, lang)
        case Chart():
            return _counted(key, card.title, len(card.labels), lang)
        case Handoff():
            return EvidenceNode(key, tr("ui.evidence.handoff", lang), body=(EvidenceText(card.reason),))
        case Suggestions():
            return None
    assert_never(card)


def _passage(key: str, item: Evidence, lang: Lang) -> EvidenceNode:
    body = [EvidenceText(text) for text in (item.where, item.url) if text]
    body += [EvidenceText(item.text, ""), *(fact(*pair) for pair in item.facts)]
    return EvidenceNode(key, f"[{item.number}] {item.title}", number(item.score, lang, 2), body=tuple(body))


def _side(key: str, side: Side, lang: Lang) -> EvidenceNode:
    scores = ", ".join(f"{name} {number(value, lang, 2)}" for name, value in side.scores)
    body = (EvidenceText(side.text, ""), *(fact(*pair) for pair in side.facts))
    return EvidenceNode(key, f"{'● ' if side.wins else '○ '}{side.title}", scores, body=body)


def _task(task: Task, lang: Lang) -> EvidenceText:
    took = duration(task.ms, lang) if task.ms is not None else ""
    parts = (f"{task.step}.", task.agent, task.tool, task.purpose, task.status, took)
    return EvidenceText(" · ".join(part for part in parts if part))


def _counted(key: str, title: str, rows: int, lang: Lang) -> EvidenceNode:
    count = tr("ui.evidence.row_count", lang, count=number(rows, lang))
    return EvidenceNode(key, title or tr("ui.evidence.rows", lang), count, tone="dim")


def live_nodes(answer: MessageView, lang: Lang) -> list[EvidenceNode]:
    """One entry a step, in order."""
    return [_node(at, step, lang) for at, step in enumerate(answer.steps)]


def _node(at: int, step: StepView, lang: Lang) -> EvidenceNode:
    title, name = step_title(text_of(step.node), text_of(step.agent), text_of(step.tool), lang)
    if step.ms is not None:
        took = duration(step.ms, lang)
    else:
        took = tr("ui.evidence.failed" if step.failed else "ui.evidence.running", lang)
    body = [EvidenceText(with_titles(step.detail, lang))] if step.detail else []
    if step.failed and step.ms is not None:
        body.insert(0, EvidenceText(tr("ui.evidence.failed", lang), "error"))
    tone = "error" if step.failed else "strong"
    return EvidenceNode(
        f"s{at}", title, f"{text_of(step.source)}  {took}".strip(), tone, tuple(body), name=name
    )


Trace = Mapping[str, Any]


def evidence_nodes(found: TurnEvidence, lang: Lang) -> list[EvidenceNode]:
    """The steps in the order in which they began, then what the turn was given and what was left out."""
    trace = found.trace
    whole = TraceTree(trace, lang)
    nodes = [whole.step(index) for index in range(len(whole.steps))]
    rest = list(whole.rest())
    if rest:
        nodes.append(EvidenceNode("rest", tr("ui.evidence.also", lang), children=tuple(rest)))
    given = _given(trace.get("given") or {}, lang)
    if given is not None:
        nodes.append(given)
    if trace.get("skipped"):
        nodes.append(_skipped(trace["skipped"], lang))
    if trace.get("cut"):
        said = [EvidenceText(tr(f"ui.evidence.cut_{name}", lang)) for name in trace["cut"]]
        nodes.append(EvidenceNode("cut", tr("ui.evidence.cut", lang), tone="dim", body=tuple(said)))
    return nodes


@dataclass(slots=True)
class TraceTree:
    """The trace with its content and calls given out to the steps that they belong to."""

    trace: Trace
    lang: Lang

    @property
    def steps(self) -> Sequence[Mapping[str, Any]]:
        found: Sequence[Mapping[str, Any]] = self.trace.get("steps") or ()
        return found

    def step(self, index: int) -> EvidenceNode:
        step = self.steps[index]
        words = {key: text_of(step.get(key)) for key in ("node", "agent", "tool")}
        title, name = step_title(**words, lang=self.lang)
        took = duration(float(step.get("ms") or 0.0), self.lang)
        source = text_of(step.get("source"))
        body = [EvidenceText(with_titles(step["detail"], self.lang))] if step.get("detail") else []
        if step.get("failed"):
            body.insert(0, EvidenceText(tr("ui.evidence.failed", self.lang), "error"))
        children = [
            *(self.call(at, call) for at, call in self._calls() if _belongs(call, step, index, self.steps)),
            *(node for at in self._owned(index) if (node := self.card(at)) is not None),
        ]
        tone = "error" if step.get("failed") else "strong"
        right = f"{source}  {took}".strip()
        return EvidenceNode(f"s{index}", title, right, tone, tuple(body), tuple(children), name)

    def rest(self) -> Iterator[EvidenceNode]:
        """Content and calls that no step stands for."""
        owned = {at for index in range(len(self.steps)) for at in self._owned(index)}
        names = {text_of(step.get("node")) for step in self.steps}
        for at, call in self._calls():
            if text_of(call.get("node")) not in names:
                yield self.call(at, call)
        for at in range(len(self.trace.get("content") or ())):
            if at not in owned and (node := self.card(at)) is not None:
                yield node

    def card(self, at: int) -> EvidenceNode | None:
        return content_node(f"c{at}", self.trace["content"][at], self.lang)

    def call(self, at: int, call: Mapping[str, Any]) -> EvidenceNode:
        lang = self.lang
        title = f"{text_of(call.get('task'))} · {text_of(call.get('model')) or text_of(call.get('kind'))}"
        tokens = [call.get("prompt_tokens"), call.get("completion_tokens")]
        counted = "→".join("?" if one is None else number(one, lang) for one in tokens) if any(tokens) else ""
        right = "  ".join(part for part in (counted, duration(float(call.get("ms") or 0.0), lang)) if part)
        failed = bool(call.get("error"))
        return EvidenceNode(
            f"m{at}",
            title,
            right,
            "error" if failed else "",
            tuple(_figures(call, lang)),
            tuple(self._texts(at, call)),
        )

    def _texts(self, at: int, call: Mapping[str, Any]) -> Iterator[EvidenceNode]:
        lang = self.lang
        prompt: Sequence[Mapping[str, Any]] = call.get("prompt") or ()
        said = []
        for message in prompt:
            said += [
                EvidenceText(text_of(message.get("role")), "dim"),
                EvidenceText(text_of(message.get("content")), "code"),
            ]
        if call.get("cut"):
            said.append(
                EvidenceText(tr("ui.evidence.cut_prompt", lang, count=number(call["cut"], lang)), "dim")
            )
        if said:
            yield EvidenceNode(
                f"m{at}p", tr("ui.evidence.prompt", lang), number(len(prompt), lang), body=tuple(said)
            )
        reply = text_of(call.get("reply"))
        asked = call.get("tool_calls") or ()
        if asked:
            reply = f"{reply}\n{json.dumps(asked, ensure_ascii=False, indent=1)}".strip()
        if reply:
            yield EvidenceNode(
                f"m{at}r", tr("ui.evidence.reply", lang), body=(EvidenceText(sanitize(reply), "code"),)
            )

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


def _figures(call: Mapping[str, Any], lang: Lang) -> Iterator[EvidenceText]:
    if call.get("error"):
        yield EvidenceText(with_titles(call["error"], lang), "error")
    if call.get("wanted"):
        yield fact(tr("ui.evidence.instead", lang), text_of(call["wanted"]))
    if call.get("host"):
        yield fact(tr("ui.evidence.host", lang), text_of(call["host"]))
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


def _given(given: Mapping[str, Any], lang: Lang) -> EvidenceNode | None:
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
    return EvidenceNode("given", tr("ui.evidence.given", lang), text_of(who.get("role")), body=body)


def _skipped(pairs: Sequence[Sequence[str]], lang: Lang) -> EvidenceNode:
    body = tuple(fact(text_of(task), with_titles(reason, lang)) for task, reason in pairs)
    return EvidenceNode("skipped", tr("ui.evidence.skipped", lang), number(len(pairs), lang), body=body)
