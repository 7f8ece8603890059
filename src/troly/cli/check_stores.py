"""Doctor's look at the stores: they open, nothing was damaged, and what data each mode has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from troly.cli.findings import Finding, from_error
from troly.cli.invocation import Invocation
from troly.errors import StoreError, TrolyError
from troly.plugin.registry import Registry
from troly.plugin.services import Services, open_services


def check_stores(invocation: Invocation) -> Iterator[Finding]:
    """Open the stores as every command does; a store that cannot be opened is a failure."""
    if invocation.settings_are_wrong:
        return
    registry = Registry()
    try:
        services = open_services(invocation.paths, invocation.settings, registry)
    except TrolyError as error:
        yield from_error("failure", "state.db", error.render(invocation.lang))
        return
    try:
        yield from _state(invocation, services)
        yield from _vectors(invocation)
        yield from _holdings(invocation, services, registry)
        yield from _damaged(invocation, services)
    finally:
        services.close()


def _state(invocation: Invocation, services: Services) -> Iterator[Finding]:
    say = invocation.say
    path = invocation.paths.state_db
    size = path.stat().st_size / 1e6 if path.exists() else 0.0
    yield Finding("ok", "state.db", say("doctor.stores.state", path=path, size=f"{size:.1f}"))
    if services.interrupted:
        yield Finding("ok", "state.db", say("doctor.stores.interrupted", count=len(services.interrupted)))


def _damaged(invocation: Invocation, services: Services) -> Iterator[Finding]:
    """What was found damaged, now that everything was looked at, and where it was put."""
    for store in (services.knowledge, services.memory):
        # That the vectors are damaged is told below, by where they were put.
        with suppress(StoreError, ImportError):
            store.check()
    for damaged in (
        *services.set_aside,
        *services.datasets.damaged,
        *services.knowledge.set_aside,
        *services.memory.set_aside,
    ):
        said = {"file": damaged.original, "kept": damaged.moved_to, "reason": damaged.reason}
        text = invocation.say("doctor.stores.aside", **said)
        yield Finding("warning", damaged.original.name, text, invocation.say("doctor.stores.aside_remedy"))


def _vectors(invocation: Invocation) -> Iterator[Finding]:
    """Whether Chroma loads, and where its vectors are; search by words works without it."""
    try:
        from chromadb import __version__ as version
    except Exception as error:  # noqa: BLE001 (a broken binary wheel raises anything)
        reason = f"{type(error).__name__}: {error}"[:200]
        text = invocation.say("doctor.stores.no_chroma", reason=reason)
        yield Finding("warning", "chroma", text, invocation.say("doctor.stores.no_chroma_remedy"))
        return
    path = invocation.paths.chroma
    key = "doctor.stores.vectors" if path.exists() else "doctor.stores.no_vectors"
    yield Finding("ok", "chroma", invocation.say(key, path=path, version=version))


def _holdings(invocation: Invocation, services: Services, registry: Registry) -> Iterator[Finding]:
    for mode in registry:
        try:
            holdings = mode.data_status(services, invocation.lang)
        except TrolyError as error:
            yield from_error("failure", f"data {mode.id}", error.render(invocation.lang))
            continue
        if mode.samples is not None and mode.samples.loaded(services):
            text = invocation.say("doctor.stores.samples", mode=mode.names[invocation.lang])
            yield Finding("ok", f"data {mode.id}", text)
        if holdings is not None:
            yield Finding(
                "ok" if holdings.enough else "warning",
                f"data {mode.id}",
                holdings.line,
                "" if holdings.enough else holdings.command,
            )
