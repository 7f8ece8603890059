"""Which models the settings name that are not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly.conversation.jobs import MissingModel
from troly.text.catalogue import LANGS, tr

if TYPE_CHECKING:
    from troly.config import Settings
    from troly.tui.opened import OpenedHouse

ROLES = ("chat", "small", "guard", "embed")


def offers(house: OpenedHouse) -> list[MissingModel]:
    """Models that the settings name and that the server did not have when it was last looked at."""
    return [
        MissingModel(
            name, {lang: tr("ui.work.missing", lang, name=name, roles=", ".join(roles)) for lang in LANGS}
        )
        for name, roles in _wanted(house.services.settings).items()
        if not _here(house, name)
    ]


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
    from troly.llm import models

    health = house.services.llm.last_health
    return health is not None and models.find(name, health.models) is not None
