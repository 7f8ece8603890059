"""The JSON that the model returns when it classifies; importing this costs pydantic, so nodes import it when they run."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel


class Classification(BaseModel):
    """What a message wants: exactly one of the three values (001-06, 001-37)."""

    intent: Literal["data_query", "chat", "unclear"]
