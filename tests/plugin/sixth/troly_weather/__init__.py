"""The weather that was measured in each city."""

from .mode import MODE

__all__ = ["MODE"]
