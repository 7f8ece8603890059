"""What the model is asked for in JSON by the four agents."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class OrchestratorReply(BaseModel):
    """Agent 1 (002-10)."""

    requestType: Literal["QUERY", "GREETING", "CLARIFICATION", "GENERAL_CHAT"]  # noqa: N815 (the document's name)
    readyForSql: bool = False  # noqa: N815
    intentModeHint: Literal["LIST", "TABLE", "CHART"] | None = None  # noqa: N815
    entityHint: Literal["room", "post", "room_seeking_post"] | None = None  # noqa: N815
    filtersHint: str = Field(default="", max_length=500)  # noqa: N815
    message: str = Field(default="", max_length=600)


class SqlReply(BaseModel):
    """Agent 2 (002-13)."""

    sql: str = Field(min_length=1, max_length=8000)


class ValidatorReply(BaseModel):
    """Agent 4 (002-28)."""

    isValid: bool  # noqa: N815
    reason: str = Field(default="", max_length=300)
