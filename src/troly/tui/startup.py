"""Theme and interface language as they were chosen on the screen, kept beside the data: the settings file is never touched."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, cast

from troly.errors import TrolyError
from troly.paths import HOME_VARIABLE, Paths, write_whole
from troly.text.catalogue import LANGS, Lang, interface_language

if TYPE_CHECKING:
    from troly.config import Settings
    from troly.plugin.registry import Registry
    from troly.tui.opened import OpenedHouse


FILE = "look.toml"
_LARGEST = 4_000
_HEAD = "# What was chosen on the screen. A value in the settings that changes afterwards wins over it.\n"


class Look(NamedTuple):
    """What was chosen, "" for nothing; `theme_over` and `language_over` are what the settings said then."""

    theme: str = ""
    theme_over: str = ""
    language: str = ""
    language_over: str = ""


class Said(Protocol):
    """What of the settings counts here."""

    @property
    def theme(self) -> str: ...
    @property
    def language(self) -> str: ...


def read_look(paths: Paths) -> Look:
    """What was kept; a file that cannot be read or holds something else counts for nothing."""
    try:
        with (paths.data / FILE).open("rb") as file:
            found = tomllib.loads(file.read(_LARGEST).decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return Look()
    return Look(**{name: value for name in Look._fields if isinstance(value := found.get(name), str)})


def theme_of(look: Look, settings: Said) -> str:
    """The chosen theme, unless the settings say another one than when it was chosen."""
    return look.theme if look.theme and look.theme_over == settings.theme else settings.theme


def language_of(look: Look, settings: Said) -> Lang | None:
    """The chosen language of the interface, on the same condition; None where none was chosen."""
    if look.language_over != settings.language:
        return None
    return next((lang for lang in LANGS if lang == look.language), None)


def keep_look(paths: Paths, settings: Settings, theme: str | None, language: str | None) -> Path:
    """Keep what is given beside what was kept; returns the file. Raises OSError."""
    look = read_look(paths)
    if theme is not None:
        look = look._replace(theme=theme, theme_over=settings.theme)
    if language is not None:
        look = look._replace(language=language, language_over=settings.language)
    lines = (f'{name} = "{_quoted(value)}"\n' for name, value in look._asdict().items() if value)
    path = paths.data / FILE
    write_whole(path, _HEAD + "".join(lines))
    return path


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


# What is known before the first frame (mode, language, theme), and how the services are opened after it.


class Usual(NamedTuple):
    """What the first frame needs of the settings where nobody set anything: reading them costs as much as painting."""

    mode: str | None = None
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
        known = (
            Usual()
            if settings is None and _nothing_set(paths, env)
            else _settings(paths, settings, env, None)
        )
    except TrolyError as error:
        trouble = error

    def open_house() -> OpenedHouse:
        if trouble is not None or paths is None or known is None:
            raise trouble or TrolyError("config.unknown")
        from troly.plugin.registry import Registry

        registry = Registry()
        whole = _settings(paths, settings, env, registry.sections())
        return open_all(paths, whole, registry, mode, env)

    look = read_look(paths) if paths is not None and known is not None else Look()
    chosen = language_of(look, known) if known else None
    return Prepared(
        mode=mode or (known.mode if known else None) or "",
        language=language or chosen or interface_language(known.language if known else "auto", env),
        theme=theme_of(look, known) if known else "dark",
        keys=known.keys if known else {},
        open=open_house,
    )


def open_all(
    paths: Paths, settings: Settings, registry: Registry, mode: str | None, env: Mapping[str, str]
) -> OpenedHouse:
    """Open the stores for the modes of `registry`; raises TrolyError. Imports what is heavy: not before the first frame."""
    # Its command line, which httpx imports with colours and progress bars when it can: 4 MB that nobody uses here.
    sys.modules.setdefault("httpx._main", cast("ModuleType", None))
    from troly.conversation.session import Session
    from troly.plugin.sample_loading import SampleLoader
    from troly.tui.opened import OpenedHouse

    session = Session.open(paths, settings, registry, env)
    first = registry.first(mode or settings.mode)
    return OpenedHouse(session, first, SampleLoader(session.services, registry))


def _nothing_set(paths: Paths, env: Mapping[str, str]) -> bool:
    """Whether no setting can come from anywhere: no file, and nothing of ours in the environment but the folder."""
    ours = (name for name, value in env.items() if name.startswith("TROLY_") and value.strip())
    return all(name == HOME_VARIABLE for name in ours) and not paths.config_file.exists()


def _settings(
    paths: Paths,
    given: Settings | Callable[[], Settings] | None,
    env: Mapping[str, str],
    sections: Mapping[str, type] | None,
) -> Settings:
    if given is None:
        from troly.config import load_settings

        return load_settings(paths, env, sections=sections)
    return given() if callable(given) else given
