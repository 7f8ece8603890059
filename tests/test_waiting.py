"""A limit for each of many waits: the one that is too long ends, the task and its other waits go on."""

from __future__ import annotations

import asyncio

import pytest

from troly.waiting import Watchdog


async def never() -> None:
    await asyncio.Event().wait()


async def soon(value: int) -> int:
    await asyncio.sleep(0)
    return value


async def test_only_the_wait_that_is_too_long_ends() -> None:
    watchdog = Watchdog()
    for limit in (0.0, -1.0, 0.01):
        assert [await watchdog.wait(soon(n), 60.0) for n in range(3)] == [0, 1, 2]
        with pytest.raises(TimeoutError):
            await watchdog.wait(never(), limit)
    task = asyncio.current_task()
    assert task is not None
    assert not task.cancelling()
    watchdog.close()
    assert await watchdog.wait(soon(5), 60.0) == 5
    watchdog.close()


async def test_who_is_stopped_is_stopped_and_not_late() -> None:
    async def follow(inner: float) -> None:
        outer, first = Watchdog(), Watchdog()
        try:
            await outer.wait(first.wait(never(), inner), 60.0)
        finally:
            first.close()
            outer.close()

    stopped = asyncio.create_task(follow(60.0))
    await asyncio.sleep(0)
    stopped.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopped
    with pytest.raises(TimeoutError):
        await follow(0.01)


async def test_the_limit_around_a_wait_ends_it_too() -> None:
    outer, inner = Watchdog(), Watchdog()
    with pytest.raises(TimeoutError):
        await outer.wait(inner.wait(never(), 60.0), 0.01)
    with pytest.raises(TimeoutError):
        await outer.wait(inner.wait(never(), 0.01), 0.01)
    outer.close()
    inner.close()
