"""The router without a model: questions split, understood in full, given to agents with tools and a plan (004-08, 004-11)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from troly.text.catalogue import Lang
from troly.text.fold import fold
from troly_rag.config import RagConfig
from troly_rag.routing.aspects import queries_for
from troly_rag.routing.following import Understood, understand
from troly_rag.routing.picking import Picked, picker_of
from troly_rag.routing.planning import plan
from troly_rag.routing.splitting import split
from troly_rag.routing.talking import listen, reply
from troly_rag.routing.tooling import is_arithmetic, tools_for, wants_log, wants_math
from troly_rag.routing.topics import is_elliptical, normal, sentence, subject
from troly_rag.routing.types import LOG, MATH, RAG, AgentPart, Complexity, Routing
from troly_rag.routing.words import label
from troly_rag.strings import say

HR_DOMAIN = "hr_policies"
# Below this share the agent of a question is not sure enough to go without reflection.
SURE = 0.5
CERTAIN = 0.75
_MOST_TEXT = 600
Held = Callable[[str], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Question:
    """One question of the message in full, with the agents for it."""

    text: str
    picked: Picked


@dataclass(frozen=True, slots=True)
class Reading:
    """What the orchestrator makes of a message: small talk, or questions with how hard they are (004-07)."""

    original: str
    questions: tuple[Question, ...] = ()
    refined: str = ""
    leaned: bool = False
    kind: str = ""
    small: bool = False

    @property
    def sure(self) -> bool:
        """Whether no model need be asked: only pleasantries, or one question clearly for one agent."""
        if self.kind:
            return self.small
        first = self.questions[0].picked
        known = first.confidence >= CERTAIN and first.known >= SURE
        return len(self.questions) == 1 and not self.leaned and known


def read(message: str, before: str, config: RagConfig, lang: Lang) -> Reading:
    """Small talk or the questions of `message`; `before` is the conversation's last question in full."""
    heard = listen(message)
    if heard.kind:
        return Reading(message, kind=heard.kind, small=heard.sure)
    picker = picker_of(config)
    understood = understand(heard.text, before, lang)
    if understood.about and _far_apart(picker.pick(understood.about), picker.pick(before)):
        # Another department's matter: what was asked before does not fit it.
        understood = Understood(say("refine.rules_about", lang, topic=understood.about), leaned=True)
    texts = _with_subjects(split(understood.text, picker.pick), lang)
    questions = tuple(Question(text, picker.pick(text)) for text in texts)
    return Reading(message, questions, refine(texts, lang), understood.leaned)


def refine(texts: Sequence[str], lang: Lang) -> str:
    """The questions as one full sentence (004-12)."""
    if len(texts) == 1:
        return sentence(normal(texts[0], lang), lang)[:_MOST_TEXT]
    shown = [_clause(text, lang) for text in texts]
    joined = shown[0] + "".join(say("refine.and", lang) + _small(text) for text in shown[1:])
    asked = any(sentence(text, lang).endswith("?") for text in texts)
    return (joined + ("?" if asked else "."))[:_MOST_TEXT]


def weighed(reading: Reading, held: Sequence[Mapping[str, float]], config: RagConfig) -> Reading:
    """The reading with what the corpora hold for each question taken into account."""
    picker = picker_of(config)
    found = tuple(
        Question(question.text, picker.pick(question.text, fits))
        for question, fits in zip(reading.questions, held, strict=True)
    )
    return Reading(reading.original, found, reading.refined, reading.leaned, reading.kind)


def route(reading: Reading, config: RagConfig, access: tuple[str, ...], lang: Lang, now: datetime) -> Routing:
    """The whole routing structure by rules."""
    if reading.kind:
        return Routing(reading.original, complexity="chitchat", response=reply(reading.kind, lang))
    parts = _parts(reading, config, lang, now)
    tasks = plan(parts, lang, reading.original)
    return Routing(
        original_query=reading.original,
        refined_query=reading.refined,
        parts=parts,
        tasks=tasks,
        access=access,
        policy=policy_words(tuple(part.agent for part in parts), config, lang),
        complexity=complexity(reading, parts),
    )


def complexity(reading: Reading, parts: Sequence[AgentPart]) -> Complexity:
    """Simple: one question, one agent that is sure, one search. Everything else is reflected on (004-07)."""
    alone = len(parts) == 1 and len(parts[0].queries) == 1 and parts[0].tools == (RAG,)
    sure = len(reading.questions) == 1 and reading.questions[0].picked.confidence >= SURE
    return "simple" if alone and sure and not reading.leaned else "complex"


def policy_words(agents: Sequence[str], config: RagConfig, lang: Lang) -> str:
    """How conflicts will be settled, in plain words: HR goes first for internal rules, else the best result (004-16)."""
    owner = config.priority_by_domain.get(HR_DOMAIN, "")
    if len(agents) > 1 and owner in agents:
        return say("policy.prefer", lang, agent=owner.upper())
    return say("policy.most_reliable", lang)


def _parts(reading: Reading, config: RagConfig, lang: Lang, now: datetime) -> tuple[AgentPart, ...]:
    """The questions by agent, in the order in which the agents are first needed."""
    queries: dict[str, list[str]] = {}
    asked: dict[str, list[str]] = {}
    texts = [question.text for question in reading.questions]
    for number, question in enumerate(reading.questions):
        agent = _able(question, config, now)
        asked.setdefault(agent, []).append(question.text)
        known = queries.setdefault(agent, [])
        for query in queries_for(question.text, tuple(texts[:number]), lang):
            if fold(query) not in {fold(other) for other in known}:
                known.append(query)
    return tuple(
        AgentPart(
            agent,
            tuple(query[:_MOST_TEXT] for query in found[: config.agents[agent].max_queries]),
            tools_for(config.agents[agent], tuple(asked[agent]), len(found), now),
        )
        for agent, found in queries.items()
    )


def _able(question: Question, config: RagConfig, now: datetime) -> str:
    """The agent of a question; where it calls for a tool that this one lacks, the likeliest that has it."""
    first = question.picked.agent
    wanted = {
        tool
        for tool, needed in ((MATH, wants_math(question.text)), (LOG, wants_log(question.text, now)))
        if needed
    }
    sure = question.picked.confidence >= CERTAIN and not is_arithmetic(question.text)
    if sure or not wanted or wanted & set(config.agents[first].tools):
        return first
    able = (name for name, _ in question.picked.ranked if wanted & set(config.agents[name].tools))
    return next(able, first)


def _with_subjects(texts: Sequence[str], lang: Lang) -> tuple[str, ...]:
    """A question that leaves its subject to the one before it gets that subject."""
    found: list[str] = []
    for text in texts:
        full = text
        if found and is_elliptical(text) and (topic := subject(found[-1], lang)):
            full = f"{topic} {text}" if lang == "vi" else say("refine.about", lang, topic=topic, before=text)
        found.append(full)
    return tuple(found)


def _far_apart(one: Picked, other: Picked) -> bool:
    return one.agent != other.agent and min(one.confidence, other.confidence) >= SURE


def _clause(text: str, lang: Lang) -> str:
    """A question as a clause of a longer sentence."""
    bare = sentence(normal(text, lang), lang).rstrip("?. ")
    first = bare.split()[0] if bare.split() else ""
    acts = lang == "vi" and bool(label("action").find(first)) and bool(label("effect").find(bare))
    return say("refine.act", lang, text=_small(bare)) if acts else bare


def _small(text: str) -> str:
    return text if text[:2].isupper() else text[:1].lower() + text[1:]
