"""The guarded dental adviser."""

from troly_dental.mode import MODE

__all__ = ["MODE"]
