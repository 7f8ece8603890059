"""What can be loaded from within the app, and which models the settings name that are not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly.errors import ConfigError
from troly.text.catalogue import LANGS, tr
from troly.tui.jobs import KNOWLEDGE, Offer

if TYPE_CHECKING:
    from troly.config import Settings
    from troly.tui.opened import OpenedHouse

ROLES = ("chat", "small", "guard", "embed")


def offers(house: OpenedHouse) -> list[Offer]:
    """Missing models first (their name in `mode`, `ingest` ""), then the ingests of the modes, then documents."""
    found = [
        Offer(
            name, "", {lang: tr("ui.work.missing", lang, name=name, roles=", ".join(roles)) for lang in LANGS}
        )
        for name, roles in _wanted(house.services.settings).items()
        if not _here(house, name)
    ]
    for mode in house.registry.names:
        try:
            ingests = house.registry.get(mode).ingests
        except ConfigError:
            continue
        found += [Offer(mode, one.name, one.help) for one in ingests]
    documents = {lang: tr("ui.work.documents", lang) for lang in LANGS}
    return [*found, Offer("", KNOWLEDGE, documents)]


def _wanted(settings: Settings) -> dict[str, list[str]]:
    """The models that the settings name, with their roles."""
    wanted: dict[str, list[str]] = {}
    for role in ROLES:
        wanted.setdefault(getattr(settings.models, role), []).append(role)
    for mode, chosen in settings.models.modes.items():
        for role, name in chosen.items():
            wanted.setdefault(name, []).append(f"{mode}.{role}")
    return wanted


def _here(house: OpenedHouse, name: str) -> bool:
    """Whether the server had the model when it was last looked at."""
    from troly.llm import installed

    health = house.services.llm.last_health
    return health is not None and installed.find(name, health.models) is not None
