"""A turn's budget of calls and seconds."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from troly.errors import ModelError
from troly.llm.session import Budget


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_calls_run_out() -> None:
    budget = Budget(calls=2, seconds=10)
    for _ in range(2):
        with budget.call():
            pass
    with pytest.raises(ModelError) as caught, budget.call():
        pass
    assert caught.value.key == "ollama.budget"
    assert "2" in caught.value.render("en").message
    assert budget.calls == 2


def test_only_seconds_with_a_running_call_count_and_parallel_ones_count_once() -> None:
    clock = Clock()
    budget = Budget(calls=9, seconds=10, clock=clock)
    clock.now = 100.0
    with ExitStack() as both:
        both.enter_context(budget.call())
        both.enter_context(budget.call())
        clock.now = 104.0
        assert budget.seconds == 4.0
    clock.now = 200.0
    assert (budget.seconds, budget.seconds_left) == (4.0, 6.0)
    with budget.call():
        clock.now = 207.0
    assert budget.exhausted()
    with pytest.raises(ModelError):
        budget.check()


def test_an_embedding_takes_time_and_no_call() -> None:
    clock = Clock()
    budget = Budget(calls=1, seconds=10, clock=clock)
    with budget.call():
        pass
    for _ in range(3):
        with budget.call(counted=False):
            clock.now += 3.0
    assert (budget.calls, budget.seconds) == (1, 9.0)
    with budget.call(counted=False):
        clock.now += 1.0
    with pytest.raises(ModelError):
        budget.check(counted=False)


def test_a_call_that_fails_still_counts() -> None:
    clock = Clock()
    budget = Budget(calls=1, seconds=10, clock=clock)
    call = budget.call()
    call.__enter__()
    clock.now = 1.0
    assert not call.__exit__(ValueError, ValueError("x"), None)
    assert (budget.calls, budget.seconds, budget.exhausted()) == (1, 1.0, True)
