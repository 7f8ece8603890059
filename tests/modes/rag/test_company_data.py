"""The sample company: enough documents for every agent, all of their heads in order, logs as their seed makes them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.support.modes.rag_logs import FILES
from tests.support.modes.rag_logs import FOLDER as LOGS

FOLDER = Path(__file__).parents[3] / "data" / "rag"
PAGES = sorted(FOLDER.rglob("*.md"))


def head(path: Path) -> dict[str, str]:
    _, front, _ = path.read_text(encoding="utf-8").split("---\n", 2)
    return dict(line.split(": ", 1) for line in front.strip().splitlines())


def test_every_agent_has_documents_of_several_scopes() -> None:
    assert len(PAGES) >= 60
    found = Counter((path.parent.name, head(path)["scope"]) for path in PAGES)
    for agent in ("hr", "it"):
        assert all(found[agent, scope] >= 2 for scope in ("public", "internal", "private"))
    assert found["general", "public"] >= 10


def test_every_document_has_its_head_and_an_address_of_its_own() -> None:
    heads = [head(path) for path in PAGES]
    assert all({"id", "title", "date", "scope", "version", "url"} <= set(one) for one in heads)
    assert len({one["url"] for one in heads}) == len(heads)
    assert len({one["id"] for one in heads}) == len(heads)


def test_replaced_versions_are_there() -> None:
    known = {head(path)["id"] for path in PAGES}
    replaced = {head(path)["supersedes"] for path in PAGES if "supersedes" in head(path)}
    assert len(replaced) >= 4
    assert replaced <= known


@pytest.mark.parametrize("name", sorted(FILES))
def test_logs_are_what_the_seed_makes(name: str) -> None:
    assert (LOGS / name).read_text(encoding="utf-8") == FILES[name]()


def test_what_is_for_all_of_the_company_names_no_department() -> None:
    """004 C4: a document of the whole company is open to staff of any department; the others are denied by default."""
    inner = [head(path) for path in PAGES if head(path)["scope"] != "public"]
    assert sum("department" not in one for one in inner) >= 20
    assert {one["department"] for one in inner if "department" in one} == {"hr", "it"}
