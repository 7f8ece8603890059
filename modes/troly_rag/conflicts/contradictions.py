"""Finds where agents' sources contradict each other, weighs them, and shows the sides (004-16, 004-25 to 004-27, 004-31)."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import combinations

from troly.plugin.events import Conflict, Side
from troly.recording import duration
from troly.text.catalogue import Lang
from troly.text.fold import fold
from troly.text.numbers import find_amounts
from troly_rag.answer.evidence import SourceEvidence, age_words
from troly_rag.answer.grounding import claims_of, is_negative, telling
from troly_rag.config import FACTORS, RagConfig
from troly_rag.conflicts.scoring import Candidate, Resolution, Rules, ScoredCandidate, resolve
from troly_rag.strings import say

# Two sentences speak of the same thing when this share of the shorter one's telling words stands in the other. Yes and
# no contradict each other only where more of the words are the same, for a "không" may belong to another thing.
SAME_THING, SAME_CLAIM = 0.6, 0.75
FEWEST_WORDS, FEWEST_CLAIMED = 3, 4


@dataclass(frozen=True, slots=True)
class ConflictReport:
    """What was weighed: the conflicts with their outcome, and how long that took in ms.

    `losers` are the sources whose contradicting sentences are not told; in a tie nobody loses.
    """

    conflicts: tuple[Resolution, ...] = ()
    losers: frozenset[str] = frozenset()
    policy: str = "single_source"
    duration_ms: float = 0.0

    @property
    def decided(self) -> int:
        """`resolved_conflicts` (004-31): those that were not left as a tie."""
        return sum(not found.tie for found in self.conflicts)


def rules_of(config: RagConfig) -> Rules:
    """The weights of the configuration."""
    return Rules(
        domains=config.priority_by_domain,
        scopes=config.priority_by_scope,
        recency=config.priority_by_recency,
        weights=config.weights,
        threshold=config.limits.conflict_resolution_threshold,
    )


def find_conflicts(
    evidence: Sequence[SourceEvidence], config: RagConfig, now: datetime, domain: str = ""
) -> ConflictReport:
    """Weigh every pair of sources that say different figures, or yes and no, of the same thing.

    `domain` is that of the question ("" when several are asked about). Sources are told apart by their address.
    """
    began = time.perf_counter()
    rules = rules_of(config)
    found: list[Resolution] = []
    losers: set[str] = set()
    for one, other, said in _contradictions(evidence):
        resolution = resolve(
            [_candidate(one, said[0], config), _candidate(other, said[1], config)], rules, now, domain
        )
        found.append(resolution)
        if not resolution.tie:
            losers.update(scored.candidate.id for scored in resolution.ranked[1:])
    policy = next((one.policy for one in found if not one.tie), found[0].policy if found else "single_source")
    ms = duration("rag.settle", (time.perf_counter() - began) * 1000)
    return ConflictReport(tuple(found), frozenset(losers), policy, round(ms, 3))


def conflict_card(resolution: Resolution, now: datetime, lang: Lang) -> Conflict:
    """The sides of one conflict with their scores, and the rule in words."""
    best = resolution.winners[0]
    sides = tuple(
        _side(one, one in resolution.winners and not resolution.tie, now, lang) for one in resolution.ranked
    )
    return Conflict(sides, rule_words(resolution, best, lang), resolution.tie)


def rule_words(resolution: Resolution, best: ScoredCandidate, lang: Lang) -> str:
    """Why one side won, or that none did (004-27)."""
    if resolution.tie:
        return say("conflict.tie", lang)
    return say(
        f"conflict.{resolution.decided_by or 'domain'}",
        lang,
        agent=best.candidate.agent,
        scope=best.candidate.scope,
    )


def reasons(resolution: Resolution, lang: Lang) -> str:
    """Everything that spoke for the side that won, in words (004-27): its domain, its scope, its age, its version."""
    best = resolution.winners[0]
    if resolution.tie or len(resolution.ranked) < 2:
        return rule_words(resolution, best, lang)
    second = next(one for one in resolution.ranked if one is not best)
    names = ["version"] if second.candidate.superseded and not best.candidate.superseded else []
    names += [name for name in FACTORS if best.scores[name] > second.scores[name]]
    told = [say(f"reason.{name}", lang, scope=best.candidate.scope) for name in names]
    agent = best.candidate.agent.upper() or best.candidate.title
    return (
        say("reason.won", lang, agent=agent, reasons=", ".join(told))
        if told
        else rule_words(resolution, best, lang)
    )


def key_of(evidence: SourceEvidence) -> str:
    """What tells one source from another: address, section and agent."""
    return f"{evidence.url or evidence.title}#{evidence.section}#{evidence.agent}"


def _contradictions(
    evidence: Sequence[SourceEvidence],
) -> Iterator[tuple[SourceEvidence, SourceEvidence, tuple[str, str]]]:
    sentences = {key_of(one): [_Statement(text) for text in claims_of(one.text)] for one in evidence}
    for one, other in combinations(evidence, 2):
        if key_of(one) == key_of(other):
            continue
        for mine in sentences[key_of(one)]:
            against = next((theirs for theirs in sentences[key_of(other)] if mine.contradicts(theirs)), None)
            if against is not None:
                yield one, other, (mine.text, against.text)
                break


class _Statement:
    """One sentence: its telling words without figures, its figures, and whether it is turned round."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        self.words = frozenset(word for word in telling(text) if not word[0].isdigit())
        self.figures: dict[str, set[Decimal]] = {}
        for amount in find_amounts(text):
            unit = amount.unit or next(iter(re.findall(r"^\s*([^\W\d]+)", fold(text[amount.end :]))), "")
            self.figures.setdefault(unit, set()).add(amount.value.normalize())
        self.negative = is_negative(text)

    def contradicts(self, other: _Statement) -> bool:
        """Speaks of the same thing, and says another figure of it or the opposite."""
        least, shared = min(len(self.words), len(other.words)), len(self.words & other.words)
        if least < FEWEST_WORDS or shared / least < SAME_THING:
            return False
        shared_units = self.figures.keys() & other.figures.keys()
        if self.figures and other.figures:
            # Figures of different things do not contradict each other: 420 employees, 2 days.
            return bool(shared_units) and all(
                not self.figures[unit] & other.figures[unit] for unit in shared_units
            )
        same = shared >= FEWEST_CLAIMED and shared / least >= SAME_CLAIM
        return same and self.negative != other.negative


def _candidate(one: SourceEvidence, said: str, config: RagConfig) -> Candidate:
    agent = config.agents.get(one.agent)
    return Candidate(
        agent=one.agent,
        text=said,
        domain=agent.domain if agent else "",
        scope=one.scope,
        created_at=one.created_at,
        relevance=one.relevance_score,
        title=one.title,
        url=one.url,
        superseded=one.superseded,
        id=key_of(one),
    )


def _side(one: ScoredCandidate, wins: bool, now: datetime, lang: Lang) -> Side:
    candidate = one.candidate
    facts = [(say("evidence.scope", lang), candidate.scope)]
    if candidate.created_at is not None:
        facts.append((say("evidence.age", lang), age_words(candidate.created_at, now, lang)))
    scores = tuple((say(f"factor.{name}", lang), one.scores[name]) for name in FACTORS)
    total = ((say("factor.total", lang), one.total),)
    # What was replaced is no rule of today: that it is there is told, and its text where versions are compared.
    text = say("evidence.superseded", lang) if candidate.superseded and not wins else candidate.text
    return Side(candidate.title or candidate.agent, text, (*scores, *total), tuple(facts), wins)
