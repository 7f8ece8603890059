"""Settles what contradicts itself: weighted scoring by domain, scope, recency and relevance (004-21 to 004-25)."""

from troly_rag.conflicts.resolving import resolve
from troly_rag.conflicts.types import Candidate, Resolution, Rules, Scored

__all__ = ["Candidate", "Resolution", "Rules", "Scored", "resolve"]
