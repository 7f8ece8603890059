"""Ranks the names that a mode offers after `@`, for all modes alike: folded, beginnings of words first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from troly.text.fold import fold

if TYPE_CHECKING:
    from troly.config.users import Profile
    from troly.plugin.services import Services
    from troly.text.catalogue import Lang


def ranked(names: Iterable[tuple[str, str]], prefix: str, limit: int) -> list[tuple[str, str]]:
    """Those of `names` (name, hint) in whose name every word of `prefix` begins or stands, best first, each name once."""
    wanted = fold(prefix).split()
    found: dict[str, tuple[int, int, tuple[str, str]]] = {}
    for place, (name, hint) in enumerate(names):
        score = _score(fold(name), wanted)
        if score is not None and fold(name) not in found:
            found[fold(name)] = (score, place, (name, hint))
    return [one for _, _, one in sorted(found.values(), key=lambda entry: entry[:2])][: max(0, limit)]


def hint_language(services: Services, profile: Profile) -> Lang:
    """The language of hints: that of the profile, else of the settings, Vietnamese where both leave it open."""
    said = (one for one in (profile.language, services.settings.language) if one != "auto")
    return "en" if next(said, "vi") == "en" else "vi"


def _score(name: str, wanted: list[str]) -> int | None:
    if not wanted or name.startswith(" ".join(wanted)):
        return 0
    parts = name.replace("-", " ").replace("(", " ").split()
    if all(any(part.startswith(word) for part in parts) for word in wanted):
        return 1
    return 2 if all(word in name for word in wanted) else None
