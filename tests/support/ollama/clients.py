"""Clients and sessions for tests that talk to the Ollama double."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from troly.config.settings import OllamaSettings
from troly.llm.client import OllamaClient
from troly.llm.hosts import ModelHosts
from troly.llm.session import Budget, ModelSession

MODELS = {
    "chat": "gpt-oss",
    "small": "qwen2.5:7b-instruct",
    "guard": "qwen2.5:3b-instruct",
    "embed": "bge-m3",
}
HELLO = [{"role": "user", "content": "Xin chào"}]


def settings_for(url: str, **changes: Any) -> OllamaSettings:
    """Settings for one server, with waits short enough for tests that provoke them."""
    return OllamaSettings(**{"url": url, "first_token_timeout": 5.0, "read_timeout": 5.0, **changes})


@asynccontextmanager
async def client_for(url: str, **changes: Any) -> AsyncIterator[OllamaClient]:
    client = OllamaClient(settings_for(url, **changes))
    try:
        yield client
    finally:
        await client.aclose()


@asynccontextmanager
async def session_for(
    url: str, budget: Budget | None = None, *, offline: bool = False, **changes: Any
) -> AsyncIterator[ModelSession]:
    async with client_for(url, **changes) as client:
        yield ModelSession(client, MODELS.__getitem__, budget, offline=offline)


async def open_session(
    client: OllamaClient | ModelHosts, budget: Budget | None = None, **given: Any
) -> ModelSession:
    """The session of one turn: the server is looked at first."""
    session = ModelSession(client, MODELS.__getitem__, budget, **given)
    await session.look()
    return session


async def whole(pieces: AsyncIterator[Any]) -> str:
    """All text of a stream of chunks or strings."""
    return "".join([piece if isinstance(piece, str) else piece.text async for piece in pieces])
