"""The multi-agent assistant over company policies."""

from troly_rag.mode import MODE

__all__ = ["MODE"]
