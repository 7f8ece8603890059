"""The shopping and warranty desk of a computer shop."""

from troly_shopping.mode import MODE

__all__ = ["MODE"]
