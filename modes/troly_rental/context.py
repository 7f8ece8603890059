"""The RAG context of 002-08, 002-16 and 002-38: business terms and the schema that the asker may see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly_rental.data.schema import describe

if TYPE_CHECKING:
    from troly.plugin.context import TurnContext
    from troly.sandbox import Scope

# The corpus of this assistant; other assistants' documents are never searched.
COLLECTION = "rental"
PASSAGES = 3
CHARS = 1600


async def business(turn: TurnContext, question: str) -> str:
    """The best passages of the business glossary for `question`, one after another; "" where nothing is loaded."""
    result = await turn.services.knowledge.search(
        question,
        collection=COLLECTION,
        permissions=turn.profile.permissions,
        k=PASSAGES,
        embed=turn.model.embed if turn.model.reason_unavailable is None else None,
        embedder=turn.services.settings.models.for_mode(turn.mode.id, "embed"),
        lang=turn.language,
    )
    return "\n\n".join(f"{found.title}: {found.text}" for found in result.passages)[:CHARS]


def schema(turn: TurnContext, scope: Scope) -> str:
    """The tables and columns that the asker's queries can reach."""
    return describe(turn.language, scope.columns())
