"""The router: small talk told apart, questions split and given to agents with tools and a plan (004-08, 004-11, 004-18).

By rules, or by one question to a model, which is given facts and never the rules' guesses; the code builds plan, ids and
tools from its choices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from troly.plugin.context import TurnContext
from troly.plugin.events import Source
from troly.text.catalogue import Lang
from troly.text.dates import find_ranges
from troly.text.everyday import Role, SmallTalk, everyday_phrases, small_talk, without_everyday
from troly.text.fold import fold, tokens
from troly.text.match import blank_out, spans_of
from troly.text.numbers import find_amounts
from troly_rag.answer.written import asked_by
from troly_rag.config import Agent, RagConfig
from troly_rag.corpus.coverage import figure_request, question_of
from troly_rag.routing.agent_choice import AgentChoice, Fit, Question, picker_of
from troly_rag.routing.follow_up import FullQuestion
from troly_rag.routing.lexicons import label, tool_words
from troly_rag.routing.plan import LOG, MATH, RAG, SUMMARY, AgentPart, Complexity, Routing, plan
from troly_rag.routing.questions import (
    asks,
    is_arithmetic,
    lowered,
    normal,
    queries_for,
    sentence,
    split,
    wants_log,
    wants_math,
    wants_summary,
)
from troly_rag.strings import prompts, say
from troly_rag.tools.calculator import figures_of
from troly_rag.tools.counted_things import things_in
from troly_rag.tools.deadlines import asks_when
from troly_rag.tools.limits import asks_left_or_over

_PARTICLE: frozenset[Role] = frozenset({"particle"})
HR_DOMAIN = "hr_policies"
# Below this share the agent of a question is not sure enough to go without reflection.
SURE = 0.5
_CERTAIN = 0.75
_MOST_TEXT = 600
_CLOCK = re.compile(r"\b\d{1,2}(?:\s*(?:gio|h)\s*|:)\d{2}\b|\bluc \d{1,2}\s*(?:gio|h)\b")

_DAY = re.compile(r"(?<![\w/.,-])\d{1,2}[/-]\d{1,2}(?![\w/.,-])")
_GRADE_ASKED = re.compile(r"\b(?:(?:loai|hang) (?:gi|nao|may)|(?:what|which) grade)\b")

# Kinds that are answered in words of their own; the others with the document's sentence.
_OWN_WORDS = {
    "thanks": "thanks",
    "bye": "bye",
    "identity": "self",
    "ability": "self",
    "chat": "other",
    "ack": "more",
}


def check_small_talk(message: str) -> SmallTalk:
    """What kind of small talk `message` is, or the question in it; what is worked out or known here is none.

    A greeting with words behind it that ask nothing and name nothing known here is one too; they are its `rest`.
    """
    talk, asked, hits = small_talk(message), question_of(message), everyday_phrases(message)
    if asked.names_something or asked.own_figures:
        return talk if talk.kind is None else SmallTalk(None, message.strip())
    if talk.kind is None and tokens(message) and not without_everyday(message, roles=_PARTICLE):
        # "Haha", "ừm": nothing but a sound.
        return SmallTalk("ack", "")
    said = [hit for hit in hits if hit.label == "chat"]
    if talk.kind is None and said and not question_of(blank_out(message, spans_of(said))).tokens:
        return SmallTalk("chat", "")
    greeted = talk.rest != message.strip() and any(hit.label == "greeting" for hit in hits)
    if talk.kind is None and greeted and not asks(talk.rest):
        return SmallTalk("greeting", talk.rest)
    return talk


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    """What the orchestrator makes of a message: small talk of a `kind`, or questions (004-07)."""

    original: str
    questions: tuple[Question, ...] = ()
    refined: str = ""
    leaned: bool = False
    kind: str = ""
    before: str = ""


def parse_questions(
    message: str, full: FullQuestion, before: str, config: RagConfig, lang: Lang
) -> ParsedMessage:
    """The questions of `message`, which is `full` with what it leaves to the one `before`."""
    picker = picker_of(config)
    if full.about and _far_apart(picker.pick(full.about), picker.pick(before)):
        # Another department's matter: what was asked before does not fit it.
        full = FullQuestion(say("refine.rules_about", lang, topic=full.about), leaned=True)
    texts = split(full.text, picker.pick)
    questions = tuple(Question(text, picker.pick(text)) for text in texts)
    return ParsedMessage(message, questions, refine(texts, lang), full.leaned)


def refine(texts: Sequence[str], lang: Lang) -> str:
    """The questions as one full sentence (004-12)."""
    if len(texts) == 1:
        return sentence(normal(texts[0], lang), lang)[:_MOST_TEXT]
    shown = [_clause(text, lang) for text in texts]
    joined = shown[0] + "".join(say("refine.and", lang) + lowered(text) for text in shown[1:])
    asked = any(sentence(text, lang).endswith("?") for text in texts)
    return (joined + ("?" if asked else "."))[:_MOST_TEXT]


def with_corpus_fits(
    message: ParsedMessage, fits_of_questions: Sequence[Mapping[str, Fit]], config: RagConfig
) -> ParsedMessage:
    """The message with what the corpora hold for each question taken into account."""
    picker = picker_of(config)
    questions = tuple(
        Question(question.text, picker.with_corpora(question.choice, fits))
        for question, fits in zip(message.questions, fits_of_questions, strict=True)
    )
    return replace(message, questions=questions)


def route(
    message: ParsedMessage, config: RagConfig, access: tuple[str, ...], lang: Lang, now: datetime
) -> Routing:
    """The whole routing structure by rules."""
    if message.kind:
        response = say(f"chitchat.{_OWN_WORDS.get(message.kind, 'greeting')}", lang)
        return Routing(message.original, complexity="chitchat", response=response)
    parts, left = _within(_parts(message, config, lang, now), config)
    tasks = plan(parts, lang, message.original)
    return Routing(
        left=left,
        original_query=message.original,
        refined_query=message.refined,
        parts=parts,
        tasks=tasks,
        access=access,
        policy=policy_words(tuple(part.agent for part in parts), config, lang),
        complexity=complexity(message, parts),
    )


def complexity(message: ParsedMessage, parts: Sequence[AgentPart]) -> Complexity:
    """Simple: one question, one agent that is sure, one search. Everything else is reflected on (004-07)."""
    alone = len(parts) == 1 and len(parts[0].queries) == 1 and parts[0].tools == (RAG,)
    sure = len(message.questions) == 1 and message.questions[0].choice.confidence >= SURE
    return "simple" if alone and sure and not message.leaned else "complex"


def policy_words(agents: Sequence[str], config: RagConfig, lang: Lang) -> str:
    """How conflicts will be settled, in plain words: HR goes first for internal rules, else the best result (004-16)."""
    owner = config.priority_by_domain.get(HR_DOMAIN, "")
    if len(agents) > 1 and owner in agents:
        return say("policy.prefer", lang, agent=owner.upper())
    return say("policy.most_reliable", lang)


def _parts(message: ParsedMessage, config: RagConfig, lang: Lang, now: datetime) -> tuple[AgentPart, ...]:
    """The questions by agent, in the order in which the agents are first needed."""
    queries: dict[str, list[str]] = {}
    asked: dict[str, list[str]] = {}
    texts = [question.text for question in message.questions]
    for number, question in enumerate(message.questions):
        agent = _able(question, config, now)
        asked.setdefault(agent, []).append(question.text)
        known = queries.setdefault(agent, [])
        for query in queries_for(question.text, tuple(texts[:number]), lang):
            if fold(query) not in {fold(other) for other in known}:
                known.append(query)
    parts = tuple(
        AgentPart(
            agent,
            tuple(query[:_MOST_TEXT] for query in found),
            tools_for(config.agents[agent], asked[agent], len(found), config, now=now, before=message.before),
        )
        for agent, found in queries.items()
    )
    computed = [text for text in texts if _computes(text, message.before, now) and not wants_log(text, now)]
    return with_calculator(parts, computed[:1], config) if computed else parts


def _within(parts: Sequence[AgentPart], config: RagConfig) -> tuple[tuple[AgentPart, ...], tuple[str, ...]]:
    """The parts with no more queries than each agent is given, and the queries that are left (004-43)."""
    most = {part.agent: config.agents[part.agent].max_queries for part in parts}
    left = tuple(query for part in parts for query in part.queries[most[part.agent] :])
    return tuple(replace(part, queries=part.queries[: most[part.agent]]) for part in parts), left


def with_calculator(
    parts: Sequence[AgentPart], texts: Sequence[str], config: RagConfig
) -> tuple[AgentPart, ...]:
    """The parts, and where none of their agents computes the first that can, for `texts`: it uses what they find."""
    if any(MATH in part.tools for part in parts):
        return tuple(parts)
    able = next((agent for agent in config.agents.values() if MATH in agent.tools), None)
    if able is None:
        return tuple(parts)
    if any(part.agent == able.name for part in parts):
        return tuple(
            replace(part, tools=(*part.tools, MATH)) if part.agent == able.name else part for part in parts
        )
    return (*parts, AgentPart(able.name, tuple(texts), (MATH,)))


def tools_for(
    agent: Agent, texts: Sequence[str], searches: int, config: RagConfig, *, now: datetime, before: str = ""
) -> tuple[str, ...]:
    """The tools of `agent` for the questions `texts`, in order; `searches` is how many queries it has.

    The search always, the others when the questions call for them, or all of them, as configured (004-43).
    """
    if config.limits.tool_selection_strategy == "all":
        return agent.tools
    text = " ".join(texts)
    wanted = [RAG]
    if any(wants_log(one, now) for one in (text, *texts)):
        wanted.append(LOG)
    if wants_summary(text) or searches > 1:
        wanted.append(SUMMARY)
    if wants_math(text) or (LOG not in wanted and _computes(text, before, now)):
        wanted.append(MATH)
    return tuple(tool for tool in wanted if tool in agent.tools) or agent.tools[:1]


def _computes(text: str, before: str, now: datetime) -> bool:
    """Whether figures of the asker are to be put into a rule: said now with a figure asked for, or said before."""
    here, then = figures_of(text), figures_of(before)
    own = bool(here.counted or here.money or here.hourly or find_ranges(text, now.date()))
    own = own or bool(things_in(text)) or len(find_amounts(text)) > 1 or bool(tool_words("coming").find(text))
    if len(_CLOCK.findall(fold(text))) == 1 and not (here.money or here.hourly):
        # What a rule says of one time of day is read, not worked out with what was told before, but for another time of day.
        return asks_when(text)
    # By which day something is due may be counted from a day that was told before.
    dated = bool(find_ranges(before, now.date()) or _DAY.search(f"{text}\n{before}"))
    own = own or (dated and asks_when(text))
    beyond = asks_left_or_over(text)
    own = own or beyond
    asks = (
        figure_request(text).figure
        or asks_when(text)
        or beyond
        or _GRADE_ASKED.search(fold(text)) is not None
    )
    asks = asks or bool(here.counted and (here.money or here.hourly or "point" in here.counted))
    if tool_words("limit").find(text) and not (here.counted or here.money or here.hourly):
        # How much there may be at all is a rule, whatever was worked out before.
        return False
    return (own and asks) or bool(then.money or then.hourly or (then.counted and own))


def _able(question: Question, config: RagConfig, now: datetime) -> str:
    """The agent of a question; where it calls for a tool that this one lacks, the likeliest that has it."""
    first = question.choice.agent
    wanted = {
        tool
        for tool, needed in ((MATH, wants_math(question.text)), (LOG, wants_log(question.text, now)))
        if needed
    }
    # Counts that go on with a page are put into its rules, which another agent that computes is then given.
    of_page = ": " in question.text and bool(figures_of(question.text).counted)
    sure = question.choice.confidence >= _CERTAIN or of_page
    sure = sure and LOG not in wanted and not is_arithmetic(question.text)
    if sure or not wanted or wanted & set(config.agents[first].tools):
        return first
    able = (name for name, _ in question.choice.ranked if wanted & set(config.agents[name].tools))
    return next(able, first)


def _far_apart(one: AgentChoice, other: AgentChoice) -> bool:
    return one.agent != other.agent and min(one.confidence, other.confidence) >= SURE


def _clause(text: str, lang: Lang) -> str:
    """A question as a clause of a longer sentence."""
    bare = sentence(normal(text, lang), lang).rstrip("?. ")
    first = bare.split()[0] if bare.split() else ""
    acts = lang == "vi" and bool(label("action").find(first)) and bool(label("effect").find(bare))
    return say("refine.act", lang, text=lowered(bare)) if acts else bare


# --- The model's choices: what does not hold against the configuration is dropped and said (004-07, 004-08)

_LONGEST_REPLY = 400
_LONGEST_NAME = 60
_MOST_QUESTIONS = 6


class RoutedQuestion(BaseModel):
    """One question for one agent, and what it takes beside the documents."""

    agent: str = Field(max_length=80)
    query: str = Field(max_length=_LONGEST_REPLY)
    tool: Literal["documents", "calculation", "logs"] = "documents"


class RouterReply(BaseModel):
    """What the message is and who is asked: `small_talk` needs no document and is answered by `reply`."""

    small_talk: bool = False
    reply: str = Field(default="", max_length=_LONGEST_REPLY)
    refined_query: str = Field(default="", max_length=800)
    questions: list[RoutedQuestion] = Field(default_factory=list, max_length=_MOST_QUESTIONS)


async def route_with_model(
    turn: TurnContext, draft: Routing, config: RagConfig
) -> tuple[Routing, Source, str]:
    """The model's routing where it can be used, else the rules' draft, with who decided and why not the model."""
    messages = prompts().messages(
        "router", turn.language, agents=describe_agents(config), **asked_by(turn, "en")
    )
    decision = await turn.model.decide("reflection_router", RouterReply, messages, RouterReply)
    if decision.source == "rules":
        return draft, "rules", decision.reason
    found = merge_reply(draft, decision.value, config, turn.language, turn.now)
    if found is not None:
        return found, "model", ""
    return replace(draft, remarks=(*draft.remarks, say("remark.nothing", turn.language))), "rules", ""


def merge_reply(
    draft: Routing, reply: RouterReply, config: RagConfig, lang: Lang, now: datetime
) -> Routing | None:
    """The routing as the model wants it; None where nothing of the reply can be used.

    What brings figures of the asker's to a rule is worked out, whether or not the model asked for it.
    """
    if reply.small_talk and not reply.questions:
        said = " ".join(reply.reply.split()) or say("chitchat.greeting", lang)
        return Routing(draft.original_query, complexity="chitchat", response=said)
    remarks: list[str] = []
    parts, over = _within(tuple(_chosen_parts(reply.questions, config, lang, remarks)), config)
    if not parts:
        return None
    asked = {" ".join(one.query.split()): one.tool for one in reply.questions if one.tool != "logs"}
    computed = tuple(one for one in asked if asked[one] == "calculation" or _computes(one, "", now))
    if computed:
        parts = with_calculator(parts, computed, config)
        able = [part for part in parts if MATH in part.tools]
        # What an agent is asked that does not compute goes to the first that does.
        left = [one for one in computed if all(one not in part.queries for part in able)]
        more = {part.agent: replace(part, queries=(*part.queries, *left)) for part in able[:1]}
        parts = tuple(more.get(part.agent, part) for part in parts)
    refined = " ".join(reply.refined_query.split())[:_LONGEST_REPLY] or parts[0].queries[0]
    if lang != "vi" and len(parts) == 1 and len(parts[0].queries) == 1:
        # Some documents are written in the language of the message.
        parts = (replace(parts[0], queries=tuple(dict.fromkeys([*parts[0].queries, refined]))),)
    return replace(
        draft,
        refined_query=refined,
        parts=parts,
        tasks=plan(parts, lang, draft.original_query),
        complexity="complex",
        response="",
        left=over,
        certain=False,
        # What no model asked to be worked out need not be: it reads the rule itself.
        computed=tuple(one for one in computed if asked[one] == "calculation"),
        remarks=tuple(dict.fromkeys(remarks)),
    )


def _chosen_parts(
    questions: Sequence[RoutedQuestion], config: RagConfig, lang: Lang, remarks: list[str]
) -> Iterator[AgentPart]:
    """The questions by agent, each with the tools that its questions call for."""
    tools = {"calculation": MATH, "logs": LOG}
    queries: dict[str, list[str]] = {}
    wanted: dict[str, set[str]] = {}
    for question in questions:
        text = " ".join(question.query.split())
        name = question.agent.strip().lower()
        if name not in config.agents:
            known = ", ".join(config.agents)
            remarks.append(say("remark.agent", lang, agent=question.agent[:_LONGEST_NAME], known=known))
        elif text and text not in queries.setdefault(name, []):
            queries[name].append(text)
            wanted.setdefault(name, set()).update({tools[question.tool]} if question.tool in tools else ())
    every = config.limits.tool_selection_strategy == "all"
    for name, texts in queries.items():
        agent = config.agents[name]
        asked = {RAG, *wanted.get(name, ()), *((SUMMARY,) if len(texts) > 1 else ())}
        kept = tuple(tool for tool in agent.tools if every or tool in asked)
        if texts:
            yield AgentPart(name, tuple(texts), kept or agent.tools[:1])


def describe_agents(config: RagConfig) -> str:
    """The agents with what they are for and what they can do beside looking into documents, one line each.

    A sum over what one agent finds is worked out by another where it has no calculator of its own.
    """
    computes = any(MATH in agent.tools for agent in config.agents.values())
    can = {
        name: ["documents", *["calculation"] * computes, *["logs"] * (LOG in agent.tools)]
        for name, agent in config.agents.items()
    }
    return "\n".join(
        f"- {name}: {agent.description['en']}. Tools: {', '.join(can[name])}"
        for name, agent in config.agents.items()
    )
