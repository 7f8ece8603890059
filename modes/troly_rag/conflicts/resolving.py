"""The weighted scoring itself: scores, order, ties, and the name of the rule that decided (004-24, 004-25)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from troly_rag.conflicts.types import FACTORS, Candidate, Recency, Resolution, Rules, Scored

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


def score(candidate: Candidate, rules: Rules, now: datetime, domain: str = "") -> Scored:
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
    return Scored(candidate, scores, round(total, 4), age)


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


def _is_near(best: Scored, one: Scored, rules: Rules) -> bool:
    """A tie: closer than the threshold, from the same kind of version, and not saying the same in the same words."""
    if one is best:
        return True
    same_kind = one.candidate.superseded == best.candidate.superseded
    return same_kind and best.total - one.total < rules.threshold - _EDGE


def _tie_break(one: Scored) -> tuple[float, ...]:
    """Among equal sums the order of the process: domain, scope, recency, relevance (004-25); then the newer one."""
    moment = one.candidate.created_at
    return (*(-one.scores[factor] for factor in FACTORS), -(moment.timestamp() if moment else 0.0))


def _decided_by(best: Scored, second: Scored | None, rules: Rules) -> str:
    if second is None:
        return ""
    if second.candidate.superseded and not best.candidate.superseded:
        return "version"
    gains: Mapping[str, float] = {
        factor: (best.scores[factor] - second.scores[factor]) * rules.weights.get(factor, 0.0)
        for factor in FACTORS
    }
    return max(FACTORS, key=lambda factor: gains[factor])


def _policy(best: Scored, *, tie: bool, decided: str) -> str:
    """The rule in a word (004-31): `prefer_hr_if_internal` where the domain's own agent won with an inner source."""
    if tie:
        return "tie_show_all"
    agent = _bare(best.candidate.agent) or "source"
    if decided in ("domain", "scope") and best.candidate.scope in ("private", "internal"):
        return f"prefer_{agent}_if_internal"
    if decided == "version":
        return "prefer_current_version"
    if decided == "recency":
        return "prefer_newer"
    if decided == "relevance":
        return "prefer_more_relevant"
    return f"prefer_{agent}" if decided else "single_source"
