"""The rental-market SQL assistant."""

from troly_rental.mode import MODE

__all__ = ["MODE"]
