"""The business data analyst."""

from troly_analysis.mode import MODE

__all__ = ["MODE"]
