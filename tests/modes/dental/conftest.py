"""A model server, a search engine and a clinic over both, for the turns that need them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.support.modes.dental import Clinic, WebDouble, clinic_at
from tests.support.ollama.double import OllamaDouble


@pytest.fixture
def server() -> Iterator[OllamaDouble]:
    with OllamaDouble() as double:
        yield double


@pytest.fixture
def web() -> Iterator[WebDouble]:
    double = WebDouble()
    yield double
    double.close()


@pytest.fixture
async def clinic(own_home: Path, server: OllamaDouble, web: WebDouble) -> AsyncIterator[Clinic]:
    with clinic_at(own_home, OLLAMA_HOST=server.url, SEARXNG_URL=web.url) as opened:
        yield opened
        await opened.services.llm.aclose()
