"""Theme and interface language as they were chosen on the screen, kept beside the data: the settings file is never touched."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from troly.paths import write_whole
from troly.text.catalogue import LANGS, Lang

if TYPE_CHECKING:
    from troly.config import Settings
    from troly.paths import Paths

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
