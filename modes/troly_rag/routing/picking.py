"""Chooses the agent of a question from the agents' descriptions, their examples, and what their corpora hold (004-08)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from troly.text.catalogue import LANGS
from troly.text.match import UNKNOWN, ExampleClassifier
from troly_rag.config import Agent, RagConfig
from troly_rag.routing.words import ENOUGH, read_examples

GENERAL_DOMAIN = "general_knowledge"
# How much the corpora count beside the likeness to examples, when the best find is at least `_GOOD_FIND`; less below.
# Measured on the cases of data/eval and the questions of tests/modes/rag: any share from 0.5 to 0.8 does as well.
_CORPUS_SHARE, _GOOD_FIND = 0.6, 0.7
# Finds are held against each other after this power: 0.85 beside 0.75 is a difference, 0.3 beside 0.2 none.
_CONTRAST = 5
_UNKNOWN_TO_GENERAL = 0.3
# What neither examples nor any one corpus knows is for the general agent.
_NOWHERE_TO_GENERAL = 2.0
_PHRASES = re.compile(r"[,;:.…]+")


@dataclass(frozen=True, slots=True)
class Picked:
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


class Picker:
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

    def pick(self, text: str, held: Mapping[str, float] | None = None) -> Picked:
        """The agent for `text`; `held` is how well the best passage of each agent's corpus fits, 0 to 1."""
        scores, known = dict.fromkeys(self._names, 0.0), 1.0
        for scored in self._known.classify(text[:ENOUGH]):
            if scored.label == UNKNOWN:
                known = round(1.0 - scored.confidence, 4)
                scores[self.default] += scored.confidence * _UNKNOWN_TO_GENERAL
            else:
                scores[scored.label] += scored.confidence
        if held:
            scores = self._with_corpora(scores, known, held)
        total = sum(scores.values()) or 1.0
        ranked = sorted(scores.items(), key=lambda pair: (-pair[1], self._names.index(pair[0])))
        return Picked(tuple((name, round(value / total, 4)) for name, value in ranked), known)

    def _with_corpora(
        self, scores: Mapping[str, float], known: float, held: Mapping[str, float]
    ) -> dict[str, float]:
        """`scores` by examples and what the corpora hold, as one: a stranger's documents outweigh our examples."""
        good = min(1.0, max(held.values()) / _GOOD_FIND)
        share = _CORPUS_SHARE * good
        fits = {name: held.get(name, 0.0) ** _CONTRAST for name in scores}
        whole, told = sum(fits.values()) or 1.0, sum(scores.values()) or 1.0
        joined = {
            name: (1 - share) * value / told + share * fits[name] / whole for name, value in scores.items()
        }
        best, second = sorted([*held.values(), 0.0, 0.0], reverse=True)[:2]
        alike = second / best if best else 1.0
        joined[self.default] += _NOWHERE_TO_GENERAL * (1 - known) * (1 - good) * alike
        return joined


def picker_of(config: RagConfig) -> Picker:
    """The picker of a configuration, kept while the configuration stays the same."""
    return _built(_Key(config.agents))


class _Key:
    """The agents as a key: equal when all that teaches the picker is equal."""

    def __init__(self, agents: Mapping[str, Agent]) -> None:
        self.agents = agents
        self._told = tuple(
            (name, agent.domain, agent.examples, *(agent.description[lang] for lang in LANGS))
            for name, agent in agents.items()
        )

    def __hash__(self) -> int:
        return hash(self._told)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._told == other._told


@lru_cache(maxsize=4)
def _built(key: _Key) -> Picker:
    return Picker(key.agents)


def _lessons(agent: Agent, topics: Mapping[str, list[str]]) -> list[str]:
    """Everything that tells what an agent is for, one line each."""
    described = [
        phrase.strip()
        for lang in LANGS
        for phrase in _PHRASES.split(agent.description[lang])
        if phrase.strip()
    ]
    return list(dict.fromkeys([*agent.examples, *described, *topics.get(agent.domain, ())]))
