"""Everything a node or a face may call, built once and passed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from troly.text.dates import Clock, system_clock

if TYPE_CHECKING:
    from troly.config.settings import Settings
    from troly.config.users import Entries
    from troly.llm.client import OllamaClient
    from troly.llm.hosts import ModelHosts
    from troly.paths import Paths
    from troly.personas import Personas
    from troly.plugin.contract import Mode
    from troly.retrieval.memory import Memory
    from troly.retrieval.search.knowledge import Knowledge
    from troly.retrieval.search.vectors import ChromaServer
    from troly.sandbox import Sandbox
    from troly.stores.conversations import Conversations
    from troly.stores.jobs import Jobs
    from troly.stores.migrations import Migration
    from troly.stores.published import Datasets
    from troly.stores.quarantine import QuarantinedFile
    from troly.stores.records import StoredTurn
    from troly.stores.state import StateDb


class Closable(Protocol):
    """Something that is ended by `close`."""

    def close(self) -> None:
        """End it; blocking, and never raising."""
        ...


Kept = TypeVar("Kept", bound=Closable)


@dataclass(slots=True)
class Services:
    """The opened stores and servers.

    `index` holds documents and their words: the file beside the data, also where `state` is a PostgreSQL server (kept like
    those of other machines by `retrieval.documents.shared`).
    `set_aside` names damaged files that were moved away at start; `interrupted` the turns that a crash cut off.
    `temporary` says that the stores are a copy that is gone at the end: nothing is written beside them.
    Documents are written inside of `publishing`, so that all machines get them where they share them.
    """

    paths: Paths
    settings: Settings
    clock: Clock
    state: StateDb
    index: StateDb
    conversations: Conversations
    datasets: Datasets
    jobs: Jobs
    knowledge: Knowledge
    memory: Memory
    personas: Personas
    llm: OllamaClient | ModelHosts
    sandbox: Sandbox
    set_aside: tuple[QuarantinedFile, ...] = ()
    interrupted: tuple[StoredTurn, ...] = field(default=())
    kept: dict[str, Closable] = field(default_factory=dict)
    temporary: bool = False
    publishing: Callable[[], AbstractContextManager[None]] = nullcontext

    def keep(self, name: str, make: Callable[[], Kept]) -> Kept:
        """What a mode holds open as long as the services: `make` is called once a `name`, and must be cheap."""
        # setdefault is one step to other threads.
        return cast("Kept", self.kept.get(name) or self.kept.setdefault(name, make()))

    def people(self) -> Entries | None:
        """What the shared database says of each login; None where the users file of this machine does. Raises StoreError."""
        from troly.stores.users import Users

        return None if self.state is self.index else Users(self.state).entries()

    def close(self) -> None:
        """End what modes keep, the last first, then the sandbox's workers, then the stores that both may be using.

        The model client is closed by the loop that used it.
        """
        for one in reversed(self.kept.values()):
            one.close()
        self.sandbox.close()
        self.memory.close()
        self.datasets.close()
        self.knowledge.close()
        self.state.close()
        self.index.close()


def open_services(
    paths: Paths,
    settings: Settings,
    modes: Iterable[Mode] = (),
    clock: Clock = system_clock,
    *,
    temporary: bool = False,
) -> Services:
    """Open the stores under `paths` and build the services; turns of a process that died are marked interrupted.

    `modes` (a `Registry`) bring their tables and voices.

    Damaged files are set aside, never deleted. Raises StoreError (newer version, no permission, full disk).
    """
    from troly.llm.hosts import open_client
    from troly.personas import Personas
    from troly.retrieval.search.knowledge import Knowledge
    from troly.sandbox import Sandbox
    from troly.stores.conversations import Conversations
    from troly.stores.jobs import Jobs
    from troly.stores.published import Datasets
    from troly.stores.shared_files import open_files
    from troly.stores.state import StateDb

    modes = tuple(modes)
    folders = [mode.texts.folder / "personas" for mode in modes if mode.texts]
    paths.ensure()
    shared = settings.files.url if not temporary else None
    documents = None
    index: StateDb
    if shared and settings.database.url:
        from troly.retrieval.documents.shared import SharedDocuments

        documents, set_aside = SharedDocuments.open(paths.state_db, paths.set_aside)
        index = documents
    else:
        index, set_aside = StateDb.open(paths.state_db, paths.set_aside)
    state = index
    try:
        if settings.database.url and not temporary:
            from troly.stores.postgres import PostgresDb

            state = PostgresDb.at(settings.database.url)
        for db in dict.fromkeys((index, state)):
            db.migrate(migrations_of(modes))
        conversations = Conversations(state, clock)
        interrupted = tuple(conversations.recover())
    except BaseException:
        state.close()
        index.close()
        raise
    files = open_files(shared, settings.files.endpoint) if shared else None
    llm = open_client(settings.ollama)
    knowledge = Knowledge(index, paths.chroma, paths.set_aside, chroma_server(settings))
    datasets = Datasets(
        state, paths.datasets, paths.set_aside, files, settings.files.cache_megabytes * 1_000_000
    )
    publishing = documents.changing if documents else nullcontext
    if documents:
        documents.follow(
            datasets,
            migrations_of(modes),
            paths.set_aside,
            vectors=bool(settings.chroma.url),
            changed=knowledge.refresh,
        )
    return Services(
        paths=paths,
        settings=settings,
        clock=clock,
        state=state,
        index=index,
        conversations=conversations,
        datasets=datasets,
        jobs=Jobs(state, paths.data / "jobs", publishing),
        knowledge=knowledge,
        memory=_memory(paths, settings, state, llm, knowledge),
        personas=Personas(paths, settings, modes[0].persona if modes else "", folders),
        llm=llm,
        sandbox=Sandbox(),
        set_aside=tuple(set_aside),
        interrupted=interrupted,
        temporary=temporary,
        publishing=publishing,
    )


def migrations_of(modes: Iterable[Mode]) -> list[Migration]:
    """What the database must have besides the core's tables."""
    from troly.retrieval.search.knowledge import Knowledge

    return [*Knowledge.migrations(), *(one for mode in modes for one in mode.migrations)]


def _memory(
    paths: Paths, settings: Settings, state: StateDb, llm: OllamaClient | ModelHosts, knowledge: Knowledge
) -> Memory:
    from troly.retrieval.memory import Memory

    async def embed(embedder: str, texts: list[str]) -> list[list[float]]:
        return await (await llm.embedder(embedder))(texts)

    return Memory(
        state,
        paths.memory,
        paths.set_aside,
        collection=settings.chroma.collection,
        embedder_of=lambda mode: settings.models.for_mode(mode, "embed"),
        embed=embed,
        end=llm.aclose,
        embed_pages=knowledge.embed_wanted,
        server=chroma_server(settings),
    )


def chroma_server(settings: Settings) -> ChromaServer | None:
    """The Chroma server of the settings; None where vectors lie in the data folder."""
    from troly.retrieval.search.vectors import ChromaServer

    url = settings.chroma.url
    return ChromaServer(url, settings.chroma.token or "") if url else None
