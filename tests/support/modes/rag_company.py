"""A company's documents in a folder, loaded and searched as the commands and the tools of the assistant do it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support.stores.services import profile, services_at
from troly.config.users import Profile
from troly.plugin.contract import IngestOutcome, IngestRequest
from troly.plugin.services import Services
from troly.retrieval.search.knowledge import Embed
from troly_rag.config import RagConfig, load
from troly_rag.corpus.access import UserContext, user_context
from troly_rag.corpus.cards import MIGRATION, Card, Cards
from troly_rag.corpus.ingest import run
from troly_rag.corpus.search import CorpusResult, CorpusSearch


class Company:
    """Services, a folder `docs` for documents, and what people of it can find."""

    def __init__(self, services: Services, home: Path) -> None:
        self.services = services
        self.docs = home / "docs"
        self.docs.mkdir()
        services.state.migrate([MIGRATION])

    @property
    def config(self) -> RagConfig:
        return load(self.services.paths)

    def write(self, name: str, body: str, **front: str) -> Path:
        """A document `name` with its front matter; a front value of "" is left out."""
        path = self.docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"{key}: {value}" for key, value in front.items() if value]
        head = ["---", *lines, "---", ""] if lines else []
        path.write_text("\n".join([*head, body, ""]), encoding="utf-8")
        return path

    def ingest(
        self, path: Path | None = None, *, dry_run: bool = False, errors: Path | None = None, **values: Any
    ) -> IngestOutcome:
        """`app ingest policies PATH`; without a path the whole folder."""
        request = IngestRequest(
            self.services,
            path or self.docs,
            self.services.clock(),
            "en",
            dry_run=dry_run,
            errors=errors,
            values=values,
        )
        return run(request)

    def person(self, *permissions: str, department: str = "") -> UserContext:
        """A member of staff with these permissions."""
        return user_context(self.member(*permissions, department=department), self.config)

    def services_cards(self) -> list[Card]:
        """The cards of all documents."""
        return Cards(self.services.state).all()

    def member(self, *permissions: str, department: str = "") -> Profile:
        return replace(profile(), permissions=frozenset(permissions), department=department)

    async def find(
        self, query: str, user: UserContext, agent: str = "general", k: int = 10, embed: Embed | None = None
    ) -> CorpusResult:
        """What `user` finds in the corpus of `agent`."""
        desk = CorpusSearch(
            self.services.knowledge, Cards(self.services.state), embed=embed, embedder="hashing"
        )
        return await desk.search(
            self.config.agents[agent].collection, query, user, k, now=self.services.clock()
        )


@contextmanager
def company_at(home: Path) -> Iterator[Company]:
    """A company without documents under `home`."""
    with services_at(home) as services:
        yield Company(services, home)
