"""No text that can be typed makes a turn of an assistant fail, alone or after another question."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.modes.analysis import analyst_at
from tests.support.modes.dental import clinic_at
from tests.support.modes.desk import Desk, Told
from tests.support.modes.made import BUILT_IN
from tests.support.modes.rag import rag_desk
from tests.support.modes.shopping import shop_at
from tests.support.rental.desk import rental_desk
from troly.plugin.events import TurnCompleted

QUESTIONS = (
    "kiểm tra bảo hành ABC123",
    "doanh thu tháng này theo kênh",
    "phòng dưới 3 triệu ở Gò Vấp",
    "nhổ răng khôn xong nên ăn gì",
    "nghỉ phép năm được mấy ngày",
    "cái thứ hai thì sao",
)
# Whole sentences with anything in them, and anything alone; a message of blanks is refused before a turn begins.
MESSAGES = st.one_of(
    st.text(min_size=1, max_size=60),
    st.tuples(st.sampled_from(QUESTIONS), st.text(max_size=20), st.booleans()).map(
        lambda said: f"{said[1]} {said[0]}" if said[2] else f"{said[0]} {said[1]}"
    ),
)


# A run of digits before what it may count, in a question; and questions that are said over and over.
UNITS = (
    "",
    " triệu",
    "tr",
    "%",
    " tháng",
    " năm",
    " ngày",
    "gb",
    " cái",
    " mg",
    " m2",
    " giờ",
    " tuổi",
    " USD",
)
DIGITS = st.tuples(
    st.sampled_from(("laptop dưới {}", "bảo hành {}", "rẻ hơn {}", "{} phòng", "nghỉ {}", "top {}", "lương {}", "uống {}", "năm {}", "từ 1 đến {}")),
    st.sampled_from("19"), st.integers(min_value=5, max_value=5_000), st.sampled_from(UNITS),
).map(lambda said: said[0].format(said[1] * said[2] + said[3]))  # fmt: skip
LONG = st.tuples(st.sampled_from((*QUESTIONS, "a1", "không phải ")), st.integers(20, 300)).map(
    lambda said: said[0] * said[1]
)


@asynccontextmanager
async def opened(mode: str, home: Path) -> AsyncIterator[Desk]:
    """A desk of `mode` with its data under `home`."""
    if mode == "rag":
        async with rag_desk(home) as desk:
            yield desk
    elif mode == "rental":
        async with rental_desk(home) as desk:
            yield desk
    elif mode == "shopping":
        with shop_at(home) as desk:
            yield desk
    elif mode == "analysis":
        with analyst_at(home) as desk:
            yield desk
    else:
        with clinic_at(home) as desk:
            yield desk


@contextmanager
def running(mode: str, home: Path) -> Iterator[Callable[[str], Told]]:
    """Asks one person's desk in a loop of its own."""
    with asyncio.Runner() as runner:
        context = opened(mode, home)
        desk = runner.run(context.__aenter__())
        try:
            yield lambda text: runner.run(desk.ask(text, offline=True))
        finally:
            runner.run(context.__aexit__(None, None, None))


@pytest.fixture(scope="module", params=BUILT_IN)
def ask(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Told]]:
    with running(str(request.param), tmp_path_factory.mktemp("any")) as asked:
        yield asked


def is_answered(told: Told) -> None:
    """Something is said, whatever was typed; only blanks are refused before a turn begins."""
    end = told.events[-1]
    blank = getattr(end, "code", "") == "turn.empty"
    assert blank or (isinstance(end, TurnCompleted) and told.answer.strip()), end


@settings(max_examples=8)
@given(MESSAGES)
def test_a_turn_of_any_text_is_answered(ask: Callable[[str], Told], text: str) -> None:
    is_answered(ask(text))


@settings(max_examples=10)
@given(st.one_of(DIGITS, LONG))
def test_a_turn_of_any_length_is_answered(ask: Callable[[str], Told], text: str) -> None:
    is_answered(ask(text))
