"""Several Ollama hosts behind one name: each question goes to the least busy host that holds the model.

A conversation stays with the host that has its prompt's prefix evaluated, unless that one is busier than others by more
than `SLACK` answers. A host that fails before the first word is told and the question is asked elsewhere; after the
first word the failure is the answer's. Where every host writes as many answers as `ollama.parallel` allows, questions
wait, and a free place goes to the person with the fewest answers running, to who got one longest ago among those.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from troly.errors import ModelError
from troly.llm import models
from troly.llm.client import ModelClient, OllamaClient
from troly.llm.types import ChatChunk, Health, Message, ModelDetails, PullProgress

if TYPE_CHECKING:
    from troly.config.settings import OllamaSettings

# Answers by which the host of a conversation may be busier than the idlest one before the conversation moves.
SLACK = 1
# Seconds for which what a host holds in memory is believed; conversations and people that are remembered.
LOADED_AGE, REMEMBERED = 5.0, 2_000
# Seconds after which a waiting question looks for hosts that came up.
LOOK_AGAIN = 5.0
# What a host is to blame for; everything else would go wrong on each of them.
OF_THE_HOST = frozenset(
    {"ollama.down", "ollama.proxy", "ollama.cut", "ollama.junk", "ollama.not_ollama", "ollama.server_error",
     "ollama.timeout_first", "ollama.out_of_memory", "ollama.stream_error", "ollama.model_missing"}
)  # fmt: skip


@dataclass(slots=True)
class Host:
    """One server: its client, how many answers it is writing, and what it was seen to hold in memory."""

    client: OllamaClient
    running: int = 0
    loaded: frozenset[str] = frozenset()
    looked: float = -LOADED_AGE

    async def holds(self, model: str) -> bool:
        """Whether `model` is in the host's memory, as it said within the last seconds."""
        if time.monotonic() - self.looked > LOADED_AGE:
            self.loaded, self.looked = frozenset(await self.client.running() or ()), time.monotonic()
        return model in self.loaded


@dataclass(eq=False, slots=True)
class WaitingQuestion:
    """A question of `user` for which none of the `hosts` has a place; `place` becomes the host that got free."""

    user: str
    hosts: Collection[Host]
    place: asyncio.Future[Host]


@dataclass(frozen=True, slots=True)
class HostStatus:
    """A host as it may be shown: whether it answers, and what it has in memory."""

    url: str
    health: Health
    loaded: tuple[str, ...]


class ModelHosts(ModelClient):
    """The hosts of `settings.urls`, with the methods of `OllamaClient`. Raises ModelError as a single host would."""

    def __init__(self, settings: OllamaSettings) -> None:
        self.settings = settings
        urls = dict.fromkeys([settings.url, *settings.urls])
        self.hosts = [Host(OllamaClient(replace(settings, url=url, urls=()))) for url in urls]
        # The host of a conversation, the one used last at the end.
        self._homes: OrderedDict[str, Host] = OrderedDict()
        # Who waits for a place, who came first at the front; how many answers each person has running, and people in
        # the order in which they last got a place.
        self._waiting: list[WaitingQuestion] = []
        self._answers: Counter[str] = Counter()
        self._served: OrderedDict[str, None] = OrderedDict()

    @property
    def url(self) -> str:
        return ", ".join(host.client.url for host in self.hosts)

    @property
    def last_health(self) -> Health | None:
        """What was found when the hosts were last looked at; None before the first look."""
        seen = [host.client.last_health for host in self.hosts]
        found = [health for health in seen if health is not None]
        return _together(found) if found else None

    async def aclose(self) -> None:
        await asyncio.gather(*(host.client.aclose() for host in self.hosts))

    async def statuses(self) -> list[HostStatus]:
        healths = await asyncio.gather(*(host.client.health(max_age=0.0) for host in self.hosts))
        loaded = await asyncio.gather(*(host.client.running() for host in self.hosts))
        return [
            HostStatus(host.client.url, health, tuple(sorted(names or ())))
            for host, health, names in zip(self.hosts, healths, loaded, strict=True)
        ]

    async def running(self) -> dict[str, datetime | None]:
        """The models in the memory of any host, each with a moment at which it is let go."""
        found = await asyncio.gather(*(host.client.running() for host in self.hosts))
        return {name: until for one in found for name, until in (one or {}).items()}

    def configure(self, settings: OllamaSettings) -> None:
        self.settings = settings
        for host in self.hosts:
            host.client.configure(replace(settings, url=host.client.settings.url, urls=()))
            self._give_places(host)

    async def health(self, max_age: float = 5.0) -> Health:
        """Up where one host is; the models of all that are. Never raises."""
        return _together(await asyncio.gather(*(host.client.health(max_age) for host in self.hosts)))

    def known_down(self) -> ModelError | None:
        """Why no host answers, if all were down when last looked at."""
        errors = [host.client.known_down() for host in self.hosts]
        return errors[0] if all(errors) else None

    async def details(self, model: str) -> ModelDetails:
        """What the first host that has it says of a model."""
        having = await self._having(model)
        return await having[0].client.details(model) if having else ModelDetails(model)

    async def window(self, model: str) -> int:
        """The smallest window of the hosts that have `model`: any of them may answer."""
        having = await self._having(model)
        return min([await host.client.window(model) for host in having], default=self.settings.context_tokens)

    def refused(self, key: str, model: str) -> bool:
        """Whether any host refused a call of `model` with the error `key`."""
        return any(host.client.refused(key, model) for host in self.hosts)

    async def loaded(self, model: str) -> bool:
        """Whether a host holds `model` in memory."""
        return any([await host.holds(model) for host in await self._having(model)])

    async def chat(
        self,
        model: str,
        messages: Sequence[Message],
        *,
        conversation: str = "",
        user: str = "",
        **fields: Any,
    ) -> AsyncGenerator[ChatChunk, None]:
        """Stream one answer of one host, see `OllamaClient.chat`; another host is asked where one fails before a word.

        The first piece names the host. Where all are busy a piece before it says how many questions come first.
        """
        failed: list[Host] = []
        while True:
            having = await self._left(model, failed)
            ready = [host for host in having if await host.holds(model)]
            host = self._choose(having, ready, conversation, user)
            if host is None:
                yield ChatChunk(ahead=len(self._waiting))
                host = self._choose(having, ready, conversation, user)
                host = host or await self._wait(having, user, partial(self._left, model, failed))
            begun = False
            try:
                async with aclosing(host.client.chat(model, messages, **fields)) as stream:
                    async for chunk in stream:
                        yield chunk if begun else replace(chunk, host=host.client.url)
                        begun = True
                return
            except ModelError as error:
                if begun or not await self._elsewhere(error, host, model, failed):
                    raise
            finally:
                self._release(host, user)

    async def embed(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text, from one host, or from another where that fails."""
        failed: list[Host] = []
        while True:
            host = min(await self._left(model, failed), key=lambda host: host.running)
            try:
                return await host.client.embed(model, texts)
            except ModelError as error:
                if not await self._elsewhere(error, host, model, failed):
                    raise

    async def pull(self, model: str) -> AsyncGenerator[PullProgress, None]:
        """Download a model to the first host that answers."""
        async with aclosing((await self._answering())[0].client.pull(model)) as steps:
            async for step in steps:
                yield step

    async def _answering(self) -> list[Host]:
        health = await self.health()
        if health.error is not None:
            raise health.error
        return [host for host in self.hosts if (host.client.last_health or health).up]

    async def _having(self, model: str) -> list[Host]:
        return [
            host
            for host in await self._answering()
            if models.find(model, (host.client.last_health or Health(up=False)).models)
        ]

    async def _left(self, model: str, failed: Collection[Host]) -> list[Host]:
        """The hosts that have `model` and did not fail; raises ModelError where there is none."""
        left = [host for host in await self._having(model) if host not in failed]
        if not left:
            raise ModelError("ollama.model_missing", url=self.url, model=model, detail="")
        return left

    async def _elsewhere(self, error: ModelError, host: Host, model: str, failed: list[Host]) -> bool:
        """Whether what `host` failed with may be asked of another host; `host` is among the `failed` then."""
        failed.append(host)
        if error.key not in OF_THE_HOST:
            return False
        try:
            return bool(await self._left(model, failed))
        except ModelError:
            return False

    def _choose(
        self, having: Sequence[Host], ready: Sequence[Host], conversation: str, user: str
    ) -> Host | None:
        """Take a place on the home of the conversation, or on the idlest of `ready` or else of `having`; None without one."""
        free = [host for host in having if not self._full(host)]
        if not free:
            return None
        best = [host for host in free if host in ready] or free
        idlest = min(best, key=lambda host: host.running)
        home = self._homes.pop(conversation, None)
        stays = home is not None and home in best and home.running <= idlest.running + SLACK
        chosen = home if home is not None and stays else idlest
        if conversation:
            self._homes[conversation] = chosen
            if len(self._homes) > REMEMBERED:
                self._homes.popitem(last=False)
        self._occupy(chosen, user)
        return chosen

    def _full(self, host: Host) -> bool:
        return 0 < self.settings.parallel <= host.running

    def _occupy(self, host: Host, user: str) -> None:
        host.running += 1
        self._answers[user] += 1
        self._served[user] = None
        self._served.move_to_end(user)
        if len(self._served) > REMEMBERED:
            self._served.popitem(last=False)

    def _release(self, host: Host, user: str) -> None:
        host.running -= 1
        self._answers[user] -= 1
        if not self._answers[user]:
            del self._answers[user]
        self._give_places(host)

    def _give_places(self, host: Host) -> None:
        """Give the free places of `host` to those who wait for it."""
        while not self._full(host) and (waiting := [one for one in self._waiting if host in one.hosts]):
            served = {user: at for at, user in enumerate(self._served)}
            first = min(waiting, key=lambda one: (self._answers[one.user], served.get(one.user, -1)))
            self._waiting.remove(first)
            self._occupy(host, first.user)
            first.place.set_result(host)

    async def _wait(
        self, hosts: Collection[Host], user: str, look: Callable[[], Awaitable[list[Host]]]
    ) -> Host:
        """Wait for a place on one of `hosts`, or of those that `look` finds later; it is taken already when it is given."""
        question = WaitingQuestion(user, hosts, asyncio.get_running_loop().create_future())
        self._waiting.append(question)
        try:
            while not (await asyncio.wait([question.place], timeout=LOOK_AGAIN))[0]:
                with suppress(ModelError):
                    question.hosts = await look()
                for host in question.hosts:
                    self._give_places(host)
            return question.place.result()
        except asyncio.CancelledError:
            if question in self._waiting:
                self._waiting.remove(question)
            else:
                self._release(question.place.result(), user)
            raise


def open_client(settings: OllamaSettings) -> OllamaClient | ModelHosts:
    """The client of the one server, or of all where `ollama.urls` names more or `ollama.parallel` lets questions wait."""
    several = settings.parallel or set(settings.urls) - {settings.url}
    return ModelHosts(settings) if several else OllamaClient(settings)


def _together(healths: Sequence[Health]) -> Health:
    """One health of several hosts: each model once, the first error where none answers."""
    up = [health for health in healths if health.up]
    if not up:
        return healths[0]
    found = {model.name: model for health in reversed(up) for model in health.models}
    return Health(up=True, version=up[0].version, models=tuple(found.values()))
