"""A whole installation moved to a PostgreSQL server: the same rows, the same answers, the same replays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.modes.made import BUILT_IN
from tests.support.modes.replays import person_at
from tests.support.stores.postgres import PostgresServer, needs_postgres
from troly.conversation.replay import replay, temporary_copy
from troly.plugin.registry import Registry
from troly.plugin.services import migrations_of
from troly.stores.move import move
from troly.stores.postgres import PostgresDb

pytestmark = needs_postgres


def moved(home: Path, mode: str, server: PostgresServer) -> str:
    """The address of a database with all rows of the data directory."""
    url = server.database()
    with person_at(home, mode, loaded=False) as person:
        target = PostgresDb.at(url)
        target.migrate(migrations_of(Registry()), moving=True)
        move(person.services.state, target, migrations_of(Registry()))
        target.close()
    return url


def plain(events: list[Any]) -> list[str]:
    """What was told, without the ids and times of this one turn."""
    return [event.text for event in events if getattr(event, "text", "")]


@pytest.mark.parametrize("mode", BUILT_IN)
async def test_every_assistant_answers_the_same_on_both(
    mode: str, tmp_path: Path, postgres: PostgresServer
) -> None:
    """Conversations begun in the file go on on the server; what was said is found, and replays to the byte."""
    home = tmp_path / "home"
    with person_at(home, mode) as person:
        questions = person.questions()
        await person.ask(questions[0])
        conversation = person.conversation
        await person.services.llm.aclose()
    url = moved(home, mode, postgres)
    told = {}
    for name, env in (("file", {}), ("server", {"TROLY_DATABASE__URL": url})):
        with person_at(home, mode, loaded=False, **env) as person:
            person.conversation = conversation
            told[name] = [plain((await person.ask(text)).events) for text in questions[1:]]
            services, login = person.services, person.profile.login
            export = services.conversations.export(login, str(conversation))
            assert questions[0] in [one.text for one in export.messages]
            assert services.conversations.search(login, questions[-1])
            if env:
                with temporary_copy(services.paths, services.settings, person.registry) as copy:
                    for turn in person.turns():
                        assert (await replay(copy, person.registry, login, turn)).same
            await services.llm.aclose()
    assert told["server"] == told["file"]
