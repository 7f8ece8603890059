"""Loads what the first answer would wait for, on a thread, when the assistant is shown."""

from __future__ import annotations


def warm() -> None:
    """Learn the examples and read the lists once: a quarter of a second that the first answer does not wait for."""
    from troly_shopping import schemas  # noqa: F401 (its models are built when it is imported)
    from troly_shopping.dialogue import is_correction
    from troly_shopping.scoring import weigh

    weigh("shop có bán laptop không")
    is_correction("")
