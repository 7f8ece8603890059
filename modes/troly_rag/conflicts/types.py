"""What is weighed against what: candidates, the rules they are weighed by, and what came of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Recency = Literal["within_30_days", "within_90_days", "older"]
FACTORS = ("domain", "scope", "recency", "relevance")


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
class Scored:
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

    ranked: tuple[Scored, ...]
    winners: tuple[Scored, ...]
    tie: bool
    policy: str
    decided_by: str
