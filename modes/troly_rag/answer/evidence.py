"""Evidence as documented (004-20), and as the numbered cards that the screen shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from troly.plugin.events import Evidence, Sources
from troly.text.catalogue import Lang
from troly.text.dates import HCM, format_date
from troly_rag.strings import say


@dataclass(frozen=True, slots=True)
class SourceEvidence:
    """One source of an answer. `created_at` is aware, None for a document without a date.

    What follows `source_type` is for the card and the answer only; these are no documented fields.
    """

    url: str
    created_at: datetime | None
    scope: str
    relevance_score: float
    source_type: str = "rag"
    title: str = ""
    text: str = ""
    section: str = ""
    agent: str = ""
    superseded: bool = False
    document: str = ""
    department: str = ""
    version: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The five documented fields; the time in UTC with a Z, null where there is none."""
        moment = self.created_at.astimezone(UTC) if self.created_at else None
        return {
            "url": self.url,
            "created_at": f"{moment:%Y-%m-%dT%H:%M:%SZ}" if moment else None,
            "source_type": self.source_type,
            "scope": self.scope,
            "relevance_score": round(self.relevance_score, 2),
        }


def cards(evidence: Sequence[SourceEvidence], now: datetime, lang: Lang) -> Sources:
    """The sources as numbered cards with their scope, date and age."""
    return Sources(tuple(_card(number, one, now, lang) for number, one in enumerate(evidence, 1)))


def dated(evidence: SourceEvidence, now: datetime, lang: Lang) -> str:
    """`theo văn bản ngày 1/11/2026, 20 ngày trước`; "" for a document without a date."""
    if evidence.created_at is None:
        return ""
    return say(
        "evidence.dated", lang, date=_day(evidence.created_at), age=age_words(evidence.created_at, now, lang)
    )


def age_words(moment: datetime, now: datetime, lang: Lang) -> str:
    """How long ago `moment` was, in whole local days."""
    days = max(0, (now.astimezone(HCM).date() - moment.astimezone(HCM).date()).days)
    return say(
        ("evidence.today", "evidence.yesterday")[days] if days < 2 else "evidence.days", lang, days=days
    )


def _card(number: int, one: SourceEvidence, now: datetime, lang: Lang) -> Evidence:
    facts = [(say("evidence.scope", lang), one.scope)]
    if one.created_at is not None:
        facts.append((say("evidence.date", lang), _day(one.created_at)))
        facts.append((say("evidence.age", lang), age_words(one.created_at, now, lang)))
    if one.superseded:
        facts.append((say("evidence.version", lang), say("evidence.superseded", lang)))
    where = " · ".join(part for part in (one.section, one.agent) if part)
    return Evidence(
        number, one.title or one.url, one.text, where, round(one.relevance_score, 2), one.url, tuple(facts)
    )


def _day(moment: datetime) -> str:
    return format_date(moment.astimezone(HCM).date())
