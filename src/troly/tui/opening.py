"""What is known before the first frame (mode, language, theme), and how the services are opened after it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from troly.errors import TrolyError
from troly.paths import HOME_VARIABLE, Paths
from troly.text.catalogue import Lang
from troly.text.interface import interface_language
from troly.tui.look import Look, language_of, read_look, theme_of

if TYPE_CHECKING:
    from troly.config import Settings
    from troly.tui.opened import OpenedHouse

FIRST_MODE = "shopping"


class Usual(NamedTuple):
    """What the first frame needs of the settings where nobody set anything: reading them costs as much as painting."""

    mode: str = FIRST_MODE
    language: Literal["auto"] = "auto"
    theme: str = "dark"
    keys: Mapping[str, str] = MappingProxyType({})


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
    known: Settings | Usual | None = None
    try:
        paths = paths or Paths.resolve(env)
        known = Usual() if settings is None and _nothing_set(paths, env) else _settings(paths, settings, env)
    except TrolyError as error:
        trouble = error

    def open_house() -> OpenedHouse:
        if trouble is not None or paths is None or known is None:
            raise trouble or TrolyError("config.unknown")
        whole = _settings(paths, settings, env) if isinstance(known, Usual) else known
        return open_all(paths, whole, mode or whole.mode, env)

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
    from troly.conversation.session import Session
    from troly.plugin.sample_loading import SampleLoader
    from troly.tui.opened import OpenedHouse

    session = Session.open(paths, settings, env)
    return OpenedHouse(session, mode, SampleLoader(session.services, session.registry))


def _nothing_set(paths: Paths, env: Mapping[str, str]) -> bool:
    """Whether no setting can come from anywhere: no file, and nothing of ours in the environment but the folder."""
    ours = (name for name, value in env.items() if name.startswith("TROLY_") and value.strip())
    return all(name == HOME_VARIABLE for name in ours) and not paths.config_file.exists()


def _settings(
    paths: Paths, given: Settings | Callable[[], Settings] | None, env: Mapping[str, str]
) -> Settings:
    if given is None:
        from troly.config import load_settings

        return load_settings(paths, env)
    return given() if callable(given) else given
