"""Chooses the agent of a question from the agents' descriptions, their examples, and what their corpora hold (004-08)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from troly.errors import StoreError
from troly.plugin.context import TurnContext
from troly.text.catalogue import LANGS
from troly.text.match import UNKNOWN, ExampleClassifier
from troly_rag.config import Agent, RagConfig
from troly_rag.corpus.access import UserContext
from troly_rag.corpus.coverage import figure_request
from troly_rag.corpus.search import CorpusResult, CorpusSearch, answers
from troly_rag.routing.lexicons import ENOUGH, read_examples
from troly_rag.tools.limits import without_asking

GENERAL_DOMAIN = "general_knowledge"
# How much the corpora count beside the likeness to examples, when the best find is at least `_GOOD_FIND`; less below.
# Measured on the cases of data/eval and the questions of tests/modes/rag: any share from 0.5 to 0.8 does as well.
_CORPUS_SHARE, _GOOD_FIND = 0.6, 0.7
# Finds are held against each other after this power: 0.85 beside 0.75 is a difference, 0.3 beside 0.2 none; more so
# where each speaks of all that is asked.
_CONTRAST, _CONTRAST_OF_ANSWERS = 5, 15
_UNKNOWN_TO_GENERAL = 0.3
# What neither examples nor any one corpus knows is for the general agent.
_NOWHERE_TO_GENERAL = 2.0
# The value of a passage that holds all words side by side in a document of that title; what one without the figure asked is worth.
_BEST, _NO_FIGURE = 1.35, 0.8
_PHRASES = re.compile(r"[,;:.…]+")


@dataclass(frozen=True, slots=True)
class AgentChoice:
    """The agents for a text, likeliest first, with shares that add up to 1; `known` is how near it is to anything taught."""

    ranked: tuple[tuple[str, float], ...]
    known: float = 1.0

    @property
    def agent(self) -> str:
        return self.ranked[0][0]

    @property
    def confidence(self) -> float:
        return self.ranked[0][1]

    @property
    def margin(self) -> float:
        """How far the first is before the second."""
        return self.confidence - (self.ranked[1][1] if len(self.ranked) > 1 else 0.0)


class Fit(NamedTuple):
    """How well the best page of an agent fits a question, 0 to 1; whether it speaks of all that is asked, or a closed one does."""

    value: float
    answers: bool = False
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """One question of the message in full, with the agents for it."""

    text: str
    choice: AgentChoice


class AgentPicker:
    """Knows the agents of one configuration; built once for it."""

    def __init__(self, agents: Mapping[str, Agent]) -> None:
        topics: dict[str, list[str]] = {}
        for domain, line in read_examples("domains.txt"):
            topics.setdefault(domain, []).append(line)
        taught = [(name, line) for name, agent in agents.items() for line in _lessons(agent, topics)]
        self._known = ExampleClassifier(taught)
        self._names = tuple(agents)
        self.default = next(
            (name for name, agent in agents.items() if agent.domain == GENERAL_DOMAIN), self._names[-1]
        )

    def pick(self, text: str) -> AgentChoice:
        """The agent for `text` by its wording alone."""
        scores, known = dict.fromkeys(self._names, 0.0), 1.0
        for scored in self._known.classify(text[:ENOUGH]):
            if scored.label == UNKNOWN:
                known = round(1.0 - scored.confidence, 4)
                scores[self.default] += scored.confidence * _UNKNOWN_TO_GENERAL
            else:
                scores[scored.label] += scored.confidence
        return self._choice(scores, known)

    def with_corpora(self, choice: AgentChoice, fits: Mapping[str, Fit]) -> AgentChoice:
        """The choice by wording and what the corpora hold, as one: a stranger's documents outweigh our examples.

        Where pages of some agents speak of all that is asked, it is one of theirs, unless a closed page of the likeliest
        does too. No `fits` leave the choice as it is.
        """
        if not fits:
            return choice
        answering = {name for name, fit in fits.items() if fit.answers}
        if answering and not fits[choice.agent].closed:
            ranked = [(name, value if name in answering else 0.0) for name, value in choice.ranked]
            contrast, good, strange = _CONTRAST_OF_ANSWERS, 1.0, 0.0
        else:
            ranked, contrast = list(choice.ranked), _CONTRAST
            best, second = sorted([*(fit.value for fit in fits.values()), 0.0, 0.0], reverse=True)[:2]
            good = min(1.0, best / _GOOD_FIND)
            strange = _NOWHERE_TO_GENERAL * (1 - good) * (second / best if best else 1.0)
            answering = set(fits)
        share = _CORPUS_SHARE * good
        powers = {name: fits[name].value ** contrast if name in answering else 0.0 for name in self._names}
        whole = sum(powers.values()) or 1.0
        joined = {name: (1 - share) * value + share * powers[name] / whole for name, value in ranked}
        joined[self.default] += strange * (1 - choice.known)
        return self._choice(joined, choice.known)

    def _choice(self, scores: Mapping[str, float], known: float) -> AgentChoice:
        total = sum(scores.values()) or 1.0
        ranked = sorted(scores.items(), key=lambda pair: (-pair[1], self._names.index(pair[0])))
        return AgentChoice(tuple((name, round(value / total, 4)) for name, value in ranked), known)


def picker_of(config: RagConfig) -> AgentPicker:
    """The picker of a configuration, kept while what teaches it stays the same."""
    key = tuple(
        (name, agent.domain, agent.examples, *agent.description.values())
        for name, agent in config.agents.items()
    )
    if key not in _PICKERS:
        _PICKERS.clear()
        _PICKERS[key] = AgentPicker(config.agents)
    return _PICKERS[key]


_PICKERS: dict[tuple[object, ...], AgentPicker] = {}


def _lessons(agent: Agent, topics: Mapping[str, list[str]]) -> list[str]:
    """Everything that tells what an agent is for, one line each."""
    described = [
        phrase.strip()
        for lang in LANGS
        for phrase in _PHRASES.split(agent.description[lang])
        if phrase.strip()
    ]
    return list(dict.fromkeys([*agent.examples, *described, *topics.get(agent.domain, ())]))


async def corpus_fits(
    turn: TurnContext,
    corpora: CorpusSearch,
    questions: Sequence[Question],
    config: RagConfig,
    user: UserContext,
) -> list[Mapping[str, Fit]]:
    """For each question how well the best passage of each agent that `user` may see answers it, 0 to 1.

    Of what is closed only what the answer tells anyway counts: that there is a relevant document, not how relevant.
    Else a question about pay would go to whoever has any open page with its words, and never be told of as closed.
    """
    closed = config.limits.min_relevance_score

    async def fits(text: str) -> Mapping[str, Fit]:
        search = corpora.search
        try:
            found = [
                await search(agent.collection, text, user, 1, now=turn.now, lang=turn.language, least=closed)
                for agent in config.agents.values()
            ]
        except StoreError:
            return {}
        return {name: _fit(text, each, closed) for name, each in zip(config.agents, found, strict=True)}

    # What is left of a limit is worked out by the agent whose pages speak of what the limit is of.
    texts = [without_asking(question.text) or question.text for question in questions]
    return [await fits(text) if len(config.agents) > 1 else {} for text in texts]


def _fit(text: str, found: CorpusResult, closed: float) -> Fit:
    """How well the best page answers: less where it does not hold the kind of figure that is asked for."""
    denied = closed if found.denied else 0.0
    best = next(iter(found.passages), None)
    if best is None:
        return Fit(denied, closed=found.closed >= 1)
    met = figure_request(text).is_met(best.text)
    value = min(1.0, best.value / _BEST) * (1.0 if met else _NO_FIGURE)
    whole = not best.outdated and answers(text, best, best.text)
    return Fit(max(denied, value), whole, closed=found.closed >= 1)
