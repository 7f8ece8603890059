"""What the screen starts with: settings, and theme and language as they were chosen on the screen before.

That choice is kept beside the data: the settings file is never touched.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from troly.config.load import load_settings
from troly.config.settings import Settings
from troly.errors import TrolyError
from troly.paths import Paths, write_whole
from troly.text.catalogue import LANGS, Lang, interface_language

if TYPE_CHECKING:
    from troly.conversation.session import Session

FILE = "look.toml"
_LARGEST = 4_000
_HEAD = "# What was chosen on the screen. A value in the settings that changes afterwards wins over it.\n"


class Appearance(NamedTuple):
    """What was chosen, "" for nothing; `theme_over` and `language_over` are what the settings said then."""

    theme: str = ""
    theme_over: str = ""
    language: str = ""
    language_over: str = ""


def read_appearance(paths: Paths) -> Appearance:
    """What was kept; a file that cannot be read or holds something else counts for nothing."""
    try:
        with (paths.data / FILE).open("rb") as file:
            found = tomllib.loads(file.read(_LARGEST).decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return Appearance()
    return Appearance(
        **{name: value for name in Appearance._fields if isinstance(value := found.get(name), str)}
    )


def chosen_theme(look: Appearance, settings: Settings) -> str:
    """The chosen theme, unless the settings say another one than when it was chosen."""
    return look.theme if look.theme and look.theme_over == settings.theme else settings.theme


def chosen_language(look: Appearance, settings: Settings) -> Lang | None:
    """The chosen language of the interface, on the same condition; None where none was chosen."""
    if look.language_over != settings.language:
        return None
    return next((lang for lang in LANGS if lang == look.language), None)


def write_appearance(paths: Paths, settings: Settings, theme: str | None, language: str | None) -> Path:
    """Keep what is given beside what was kept; returns the file. Raises OSError."""
    look = read_appearance(paths)
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


@dataclass(frozen=True, slots=True)
class Start:
    """What the first frame needs; `open_session` imports what is heavy and is called on the backend's thread."""

    mode: str
    language: Lang
    theme: str
    keys: Mapping[str, str]
    open_session: Callable[[], Session]


def prepare_start(
    paths: Paths | None = None,
    settings: Settings | Callable[[], Settings] | None = None,
    mode: str | None = None,
    language: Lang | None = None,
    env: Mapping[str, str] | None = None,
) -> Start:
    """Read the settings; when they are wrong the screen starts with the usual ones and opening tells the reason.

    `settings` may be what loads them; `mode` and `language` win over them.
    """
    env = os.environ if env is None else env
    trouble: TrolyError | None = None
    look = Appearance()
    try:
        paths = paths or Paths.resolve(env)
        # Those of the assistants are not checked before the first frame: that imports all of them.
        known = settings() if callable(settings) else settings or load_settings(paths, env, sections=None)
        look = read_appearance(paths)
    except TrolyError as error:
        trouble, known = error, Settings()

    def open_session() -> Session:
        from troly.conversation.session import Session
        from troly.plugin.registry import Registry

        if trouble is not None or paths is None:
            raise trouble or TrolyError("config.unknown")
        registry = Registry()
        whole = known if settings is not None else load_settings(paths, env, sections=registry.sections())
        return Session.open(paths, whole, registry, env, least_rights=True)

    return Start(
        mode=mode or known.mode or "",
        language=language or chosen_language(look, known) or interface_language(known.language, env),
        theme=chosen_theme(look, known),
        keys=known.keys,
        open_session=open_session,
    )
