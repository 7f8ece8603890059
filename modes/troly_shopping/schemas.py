"""The JSON that the model returns (000-20); importing this costs pydantic, so nodes import it when they run."""

from __future__ import annotations

from pydantic import BaseModel, Field

from troly_shopping.scoring import Intent


class Classification(BaseModel):
    """What a message wants, as the documents name the fields."""

    intent: Intent
    confidence: float = Field(ge=0.0, le=1.0)
    need_retrieval: bool = False
    clarify_needed: bool = False
    clarify_questions: list[str] = Field(default_factory=list, max_length=5)
    rationale: str = Field(default="", max_length=1000)
