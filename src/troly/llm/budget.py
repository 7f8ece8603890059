"""What one turn may ask of models: a number of calls and a number of seconds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from troly.errors import ModelError


class Budget:
    """Counts calls, and the seconds during which at least one call was running (parallel calls count once)."""

    def __init__(
        self, calls: int = 8, seconds: float = 180.0, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.calls_allowed = calls
        self.seconds_allowed = seconds
        self.calls = 0
        self._clock = clock
        self._spent = 0.0
        self._running = 0
        self._since = 0.0

    @property
    def seconds(self) -> float:
        """Seconds spent so far, running calls included."""
        return self._spent + (self._clock() - self._since if self._running else 0.0)

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.seconds_allowed - self.seconds)

    @property
    def exhausted(self) -> bool:
        return self.calls >= self.calls_allowed or self.seconds_left <= 0.0

    def error(self) -> ModelError:
        """The error that says what the limit was."""
        return ModelError("ollama.budget", calls=self.calls_allowed, seconds=math.ceil(self.seconds_allowed))

    def check(self) -> None:
        """Raises ModelError `ollama.budget` when nothing is left."""
        if self.exhausted:
            raise self.error()

    @contextmanager
    def call(self) -> Iterator[None]:
        """Count one call for as long as the block runs; raises ModelError `ollama.budget` when nothing is left."""
        self.check()
        self.calls += 1
        if not self._running:
            self._since = self._clock()
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1
            if not self._running:
                self._spent += self._clock() - self._since
