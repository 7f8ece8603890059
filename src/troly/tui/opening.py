"""What is known before the first frame (mode, language, theme), and how the services are opened after it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import ModuleType
from typing import TYPE_CHECKING, cast

from troly.config import Settings
from troly.errors import TrolyError
from troly.paths import Paths
from troly.text.catalogue import Lang
from troly.text.interface import interface_language
from troly.tui.look import Look, language_of, read_look, theme_of

if TYPE_CHECKING:
    from troly.tui.opened import OpenedHouse

FIRST_MODE = "shopping"


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the first frame needs; `open` is called on the house's thread."""

    mode: str
    language: Lang
    theme: str
    keys: Mapping[str, str]
    open: Callable[[], OpenedHouse]

    @staticmethod
    def now() -> datetime:
        """The time that messages carry, in the zone of this machine."""
        return datetime.now().astimezone()


def prepare(
    paths: Paths | None,
    settings: Settings | Callable[[], Settings] | None,
    mode: str | None,
    language: Lang | None,
    env: Mapping[str, str] | None = None,
) -> Prepared:
    """Read the settings; when they are wrong, everything else still stands and opening tells the reason."""
    env = os.environ if env is None else env
    trouble: TrolyError | None = None
    known: Settings | None = None
    try:
        paths = paths or Paths.resolve(env)
        known = _settings(paths, settings, env)
    except TrolyError as error:
        trouble = error

    def open_house() -> OpenedHouse:
        if trouble is not None or paths is None or known is None:
            raise trouble or TrolyError("config.unknown")
        return open_all(paths, known, mode or known.mode, env)

    look = read_look(paths) if paths is not None and known is not None else Look()
    chosen = language_of(look, known) if known else None
    return Prepared(
        mode=mode or (known.mode if known else FIRST_MODE),
        language=language or chosen or interface_language(known.language if known else "auto", env),
        theme=theme_of(look, known) if known else "dark",
        keys=known.keys if known else {},
        open=open_house,
    )


def open_all(paths: Paths, settings: Settings, mode: str, env: Mapping[str, str]) -> OpenedHouse:
    """Open the stores and find the modes; raises TrolyError. Imports what is heavy: not before the first frame."""
    # Its command line, which httpx imports with colours and progress bars when it can: 4 MB that nobody uses here.
    sys.modules.setdefault("httpx._main", cast("ModuleType", None))
    from troly.config import load_profile
    from troly.plugin.registry import Registry
    from troly.plugin.samples import open_stocked
    from troly.tui.opened import OpenedHouse

    registry = Registry()
    profile = load_profile(paths, settings, env=env)
    services = open_stocked(paths, settings, registry, interface_language(settings.language, env))
    return OpenedHouse(services, registry, profile, first_mode=mode)


def _settings(
    paths: Paths, given: Settings | Callable[[], Settings] | None, env: Mapping[str, str]
) -> Settings:
    if given is None:
        from troly.config import load_settings

        return load_settings(paths, env)
    return given if isinstance(given, Settings) else given()
