"""Weighted scoring: candidates, the rules they are weighed by, scores, order, ties, and the rule that decided (004-21 to 004-25)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from troly_rag.config import FACTORS

Recency = Literal["within_30_days", "within_90_days", "older"]


@dataclass(frozen=True, slots=True)
class Rules:
    """The weights of 004-21 to 004-24 and 004-41.

    `domains` names the agent of each domain. `match` scores an answer of the domain's own agent and of another one.
    `weights` are shares of the four factors, equal unless configured (004 C3). Two answers closer than `threshold`
    are a tie.
    """

    domains: Mapping[str, str]
    scopes: Mapping[str, float]
    recency: Mapping[str, float]
    match: Mapping[str, float] = dataclasses.field(default_factory=lambda: {"perfect": 0.9, "general": 0.5})
    weights: Mapping[str, float] = dataclasses.field(default_factory=lambda: dict.fromkeys(FACTORS, 0.25))
    threshold: float = 0.1


@dataclass(frozen=True, slots=True)
class Candidate:
    """One answer to weigh: who gives it, for which domain, from which scope, of which moment, how relevant (0 to 1).

    `created_at` is aware, None where the document has no date, which counts as old. `superseded` says that a newer
    version of the same document is there: it never wins against one that is not.
    """

    agent: str
    text: str
    domain: str = ""
    scope: str = "public"
    created_at: datetime | None = None
    relevance: float = 0.0
    title: str = ""
    url: str = ""
    superseded: bool = False
    id: str = ""


@dataclass(frozen=True, slots=True)
class ScoredCandidate:
    """A candidate with its four scores and their weighted sum, all from 0 to 1."""

    candidate: Candidate
    scores: Mapping[str, float]
    total: float
    age: Recency


@dataclass(frozen=True, slots=True)
class Resolution:
    """What was decided: all candidates best first, who won, and by which rule.

    `winners` holds one candidate, or all that tie (004-41). `policy` is the rule in a word, as `prefer_hr_if_internal`;
    `decided_by` the factor that made the difference, "" for a tie or a single candidate.
    """

    ranked: tuple[ScoredCandidate, ...]
    winners: tuple[ScoredCandidate, ...]
    tie: bool
    policy: str
    decided_by: str


# --- Scoring (004-24, 004-25)

_EDGE = 1e-9


def resolve(candidates: Sequence[Candidate], rules: Rules, now: datetime, domain: str = "") -> Resolution:
    """Weigh `candidates` for a question of `domain` ("" when it is not known). Raises ValueError when there is none.

    The order does not depend on the order of `candidates`, but for answers that score the same in everything.
    """
    if not candidates:
        raise ValueError("nothing to resolve")
    scored = [score(candidate, rules, now, domain) for candidate in candidates]
    ranked = sorted(scored, key=lambda one: (one.candidate.superseded, -one.total, *_tie_break(one)))
    best = ranked[0]
    near = [one for one in ranked if _is_near(best, one, rules)]
    tie = len(near) > 1
    second = next((one for one in ranked[1:] if one not in near), None)
    decided = "" if tie else _decided_by(best, second, rules)
    return Resolution(tuple(ranked), tuple(near), tie, _policy(best, tie=tie, decided=decided), decided)


def score(candidate: Candidate, rules: Rules, now: datetime, domain: str = "") -> ScoredCandidate:
    """The four scores of one candidate and their weighted sum, rounded to four places."""
    age = age_of(candidate.created_at, now)
    scores = {
        "domain": rules.match["perfect" if _is_own(candidate, rules, domain) else "general"],
        "scope": rules.scopes.get(candidate.scope, min(rules.scopes.values(), default=0.0)),
        "recency": rules.recency[age],
        "relevance": min(1.0, max(0.0, candidate.relevance)),
    }
    whole = sum(rules.weights.get(factor, 0.0) for factor in FACTORS) or 1.0
    total = sum(scores[factor] * rules.weights.get(factor, 0.0) for factor in FACTORS) / whole
    return ScoredCandidate(candidate, scores, round(total, 4), age)


def age_of(moment: datetime | None, now: datetime) -> Recency:
    """How old a document is: at most 30 days, at most 90, or older (004 C6). One of tomorrow is as new as today's."""
    if moment is None:
        return "older"
    age = now - moment
    if age <= timedelta(days=30):
        return "within_30_days"
    return "within_90_days" if age <= timedelta(days=90) else "older"


def _is_own(candidate: Candidate, rules: Rules, domain: str) -> bool:
    """Whether the agent that answers is the one of the question's domain; keys are written with `_agent` or without."""
    wanted = domain or candidate.domain
    owner = rules.domains.get(wanted)
    if owner is None:
        return bool(domain) and candidate.domain == domain
    return _bare(candidate.agent) == _bare(owner) and candidate.domain in ("", wanted)


def _bare(agent: str) -> str:
    return agent.removesuffix("_agent")


def _is_near(best: ScoredCandidate, one: ScoredCandidate, rules: Rules) -> bool:
    """A tie: closer than the threshold, from the same kind of version, and not saying the same in the same words."""
    if one is best:
        return True
    same_kind = one.candidate.superseded == best.candidate.superseded
    return same_kind and best.total - one.total < rules.threshold - _EDGE


def _tie_break(one: ScoredCandidate) -> tuple[float, ...]:
    """Among equal sums the order of the process: domain, scope, recency, relevance (004-25); then the newer one."""
    moment = one.candidate.created_at
    return (*(-one.scores[factor] for factor in FACTORS), -(moment.timestamp() if moment else 0.0))


def _decided_by(best: ScoredCandidate, second: ScoredCandidate | None, rules: Rules) -> str:
    if second is None:
        return ""
    if second.candidate.superseded and not best.candidate.superseded:
        return "version"
    gains: Mapping[str, float] = {
        factor: (best.scores[factor] - second.scores[factor]) * rules.weights.get(factor, 0.0)
        for factor in FACTORS
    }
    return max(FACTORS, key=lambda factor: gains[factor])


_POLICIES = {
    "version": "prefer_current_version", "recency": "prefer_newer", "relevance": "prefer_more_relevant", "": "single_source",
}  # fmt: skip


def _policy(best: ScoredCandidate, *, tie: bool, decided: str) -> str:
    """The rule in a word (004-31): `prefer_hr_if_internal` where the domain's own agent won with an inner source."""
    if tie:
        return "tie_show_all"
    agent = _bare(best.candidate.agent) or "source"
    if decided in ("domain", "scope") and best.candidate.scope in ("private", "internal"):
        return f"prefer_{agent}_if_internal"
    return _POLICIES.get(decided, f"prefer_{agent}")
