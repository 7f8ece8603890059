"""Gives memory back to the system that the C library keeps for later: imports and answers leave megabytes of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache


def give_back() -> None:
    """Let go of what is free; milliseconds, during which other threads run. Nothing where the C library cannot."""
    _trim()(0)


@cache
def _trim() -> Callable[[int], object]:
    try:
        import ctypes

        trim: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (ImportError, OSError, TypeError, AttributeError):  # Windows, macOS, musl
        return lambda _pad: None
    return trim
