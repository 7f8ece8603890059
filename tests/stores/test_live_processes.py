"""Telling a process that runs from one that is gone and from another that has its number now."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.support.process.waiting import wait_until
from troly.stores.processes import is_alive, process_start


def test_this_process_is_alive_and_keeps_its_beginning() -> None:
    started = process_start(os.getpid())
    assert started is not None
    assert started == process_start(os.getpid())
    assert is_alive(os.getpid(), started)


def test_another_process_with_the_same_number_is_not_it() -> None:
    started = process_start(os.getpid())
    assert started
    assert not is_alive(os.getpid(), started - 1)


def test_numbers_that_no_process_has() -> None:
    for pid in (0, -1, 2**22 + 1):
        assert not is_alive(pid, 1.0)


def test_a_killed_process_is_gone_also_while_nobody_has_waited_for_it() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        started = process_start(child.pid)
        assert started
        assert is_alive(child.pid, started)
        child.kill()
        wait_until(lambda: not is_alive(child.pid, started))
    assert not is_alive(child.pid, started)


def test_an_unknown_beginning_takes_no_turn_away() -> None:
    assert is_alive(os.getpid(), 0.0)
