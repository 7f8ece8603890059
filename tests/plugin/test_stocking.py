"""The samples of a mode come in a process of their own, when it is first needed: whole, once, and again after a cut."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import entry_points
from pathlib import Path

import psutil
import pytest

from tests.support.modes.made import BUILT_IN
from tests.support.process.waiting import wait_until
from tests.support.stores.services import services_at
from troly.plugin.registry import GROUP, Registry
from troly.plugin.sample_loading import SampleLoader
from troly.plugin.samples import had_samples, load, load_once
from troly.plugin.services import Services

# A page that ships and the corpus it belongs to, by mode.
PAGES = {"shopping": "troly", "rental": "rental", "dental": "dental"}


@pytest.fixture
def registry() -> Registry:
    return Registry(point for point in entry_points(group=GROUP) if point.name in BUILT_IN)


@pytest.fixture
def services(own_home: Path, registry: Registry) -> Iterator[Services]:
    with services_at(own_home, registry) as opened:
        yield opened


def children() -> list[psutil.Process]:
    found = []
    for one in psutil.Process().children():
        with suppress(psutil.Error):  # it ends just now
            found += [one] if "troly.plugin.sample_loading" in one.cmdline() else []
    return found


def pages(services: Services, mode: str) -> list[str]:
    collection = services.settings.chroma.collection if mode == "shopping" else PAGES[mode]
    return [document.path for document in services.knowledge.list_documents(collection)]


def test_only_what_is_asked_for_is_loaded(services: Services, registry: Registry) -> None:
    stocker = SampleLoader(services, registry)
    assert stocker.lacking() == set(BUILT_IN)
    stocker.stock("dental", "vi")
    assert stocker.lacking() == set(BUILT_IN) - {"dental"}
    assert len(pages(services, "dental")) > 10
    assert not services.paths.datasets.exists()
    assert not children()


def test_two_at_once_load_them_once(services: Services, registry: Registry, own_home: Path) -> None:
    with services_at(own_home, registry) as other:
        both = [SampleLoader(one, registry) for one in (services, other)]
        threads = [threading.Thread(target=one.stock, args=("dental", "vi")) for one in both]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    loaded = pages(services, "dental")
    assert len(loaded) == len(set(loaded)) > 10
    assert had_samples(services, "dental")


def test_what_was_killed_is_loaded_by_the_next(services: Services, registry: Registry) -> None:
    stocker = SampleLoader(services, registry)
    thread = threading.Thread(target=stocker.stock, args=("dental", "vi"))
    thread.start()
    wait_until(children, 30)
    for child in children():
        child.kill()
    thread.join(30)
    assert not thread.is_alive()
    SampleLoader(services, registry).stock("dental", "vi")
    assert not SampleLoader(services, registry).lacking() & {"dental"}
    whole = pages(services, "dental")
    load(services, registry.get("dental"), "vi")
    assert pages(services, "dental") == whole


@pytest.mark.parametrize("mode", sorted(PAGES))
def test_a_load_that_was_cut_off_is_completed(services: Services, registry: Registry, mode: str) -> None:
    load_once(services, [registry.get(mode)], "vi")
    whole = pages(services, mode)
    collection = services.settings.chroma.collection if mode == "shopping" else PAGES[mode]
    for path in whole[::2]:
        assert services.knowledge.remove_document(collection, path)
    with services.state.write() as connection:
        connection.execute("DELETE FROM samples")
    load_once(services, [registry.get(mode)], "vi")
    assert sorted(pages(services, mode)) == sorted(whole)


def test_leaving_does_not_wait_for_it(services: Services, registry: Registry) -> None:
    stocker = SampleLoader(services, registry)
    thread = threading.Thread(target=stocker.stock, args=("analysis", "vi"))
    thread.start()
    wait_until(children, 30)
    stocker.close()
    thread.join(10)
    assert not thread.is_alive()
    assert not children()
    stocker.stock("dental", "vi")
    assert "dental" in stocker.lacking()


def test_where_no_process_can_be_started_they_are_loaded_here(
    services: Services, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(OSError, match="nowhere"):
        subprocess.run([sys.executable], check=False)
    SampleLoader(services, registry).stock("dental", "vi")
    assert len(pages(services, "dental")) > 10
