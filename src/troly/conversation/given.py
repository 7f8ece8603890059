"""What a turn was given to work with, as it is kept in the trace for a replay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from troly.config import Profile
from troly.text.catalogue import Lang


@dataclass(frozen=True, slots=True)
class Given:
    """The inputs of one turn beside its text and history.

    `metadata` is the conversation's before the turn, `begun` says that the question began the conversation and was
    greeted, `data` names the data as it stood (see `troly.conversation.holdings`).
    """

    now: datetime
    language: Lang
    profile: Profile
    offline: bool = False
    model: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    begun: bool = False
    data: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """For the trace."""
        who = self.profile
        return {
            "now": self.now.isoformat(),
            "language": self.language,
            "offline": self.offline,
            "model": self.model,
            "metadata": dict(self.metadata),
            "begun": self.begun,
            "data": dict(self.data),
            "profile": {
                "login": who.login,
                "name": who.name,
                "role": who.role,
                "permissions": sorted(who.permissions),
                "department": who.department,
                "language": who.language,
            },
        }

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> Given:
        """The inverse of `as_json`; raises KeyError, TypeError, ValueError for what is none."""
        who = dict(saved["profile"])
        who["permissions"] = frozenset(who["permissions"])
        return cls(
            now=datetime.fromisoformat(saved["now"]),
            language="en" if saved["language"] == "en" else "vi",
            profile=Profile(**who),
            offline=bool(saved["offline"]),
            model=saved["model"],
            metadata=dict(saved["metadata"]),
            begun=bool(saved["begun"]),
            data=dict(saved.get("data") or {}),
        )
