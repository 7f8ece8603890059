"""The one catalogue of interface sentences, in Vietnamese and English, one TOML file an area."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

Lang = Literal["vi", "en"]
LANGS: tuple[Lang, Lang] = ("vi", "en")
STRINGS = Path(__file__).parent / "strings"


class Catalogue:
    """Sentences by dotted key, each in both languages.

    A file holds tables whose leaves are `{vi = "...", en = "..."}`; `folder/area.toml` (and `area_*.toml`) answers
    keys that begin with `area.`. Files are read when an area is first asked for; `area_first.toml` comes before all
    others, which are only read for a key that is not in it: the first frame of the screen does not wait for them.
    Areas of other folders may be joined; a sentence of the catalogue's own folder is never replaced.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._joined: dict[Path, frozenset[str]] = {}
        self._areas: dict[str, Mapping[str, Mapping[str, str]]] = {}
        self._first: dict[str, Mapping[str, Mapping[str, str]]] = {}

    def __call__(self, key: str, lang: Lang, /, **params: object) -> str:
        """The sentence `key` in `lang` with `{name}` places filled; raises KeyError for an unknown key."""
        text = self.entry(key)[lang]
        return text.format(**params) if params else text

    def entry(self, key: str) -> Mapping[str, str]:
        """Both languages of `key`; raises KeyError."""
        area, _, rest = key.partition(".")
        if area not in self._areas:
            if area not in self._first:
                self._first[area] = _read(self._folder / f"{area}_first.toml")
            if rest in self._first[area]:
                return self._first[area][rest]
            self._areas[area] = self._load(area)
        return self._areas[area][rest]

    def join(self, folder: Path, areas: Iterable[str]) -> None:
        """Answer keys of `areas` also from the files in `folder`."""
        self._joined[folder] = frozenset(areas)
        for area in areas:
            self._areas.pop(area, None)

    def keys(self, area: str) -> frozenset[str]:
        """All keys of an area, without the area's name."""
        if area not in self._areas:
            self._areas[area] = self._load(area)
        return frozenset(self._areas[area])

    def _load(self, area: str) -> Mapping[str, Mapping[str, str]]:
        found: dict[str, Mapping[str, str]] = {}
        folders = [folder for folder, areas in self._joined.items() if area in areas]
        for folder in (*folders, self._folder):
            for path in sorted({folder / f"{area}.toml", *folder.glob(f"{area}_*.toml")}):
                found |= _read(path)
        return found


def _read(path: Path) -> dict[str, Mapping[str, str]]:
    """The sentences of one file; none when there is no such file."""
    found: dict[str, Mapping[str, str]] = {}
    if path.exists():
        _flatten("", tomllib.loads(path.read_text(encoding="utf-8")), found)
    return found


def _flatten(prefix: str, node: Mapping[str, object], into: dict[str, Mapping[str, str]]) -> None:
    if set(node) == set(LANGS) and all(isinstance(value, str) for value in node.values()):
        into[prefix] = {lang: str(node[lang]) for lang in LANGS}
        return
    for name, value in node.items():
        if not isinstance(value, Mapping):
            raise TypeError(f"{prefix or 'catalogue'}.{name} must be a table with vi and en")
        _flatten(f"{prefix}.{name}" if prefix else name, value, into)


@cache
def core_catalogue() -> Catalogue:
    """The catalogue of the program itself; a mode keeps one of its own beside its code."""
    return Catalogue(STRINGS)


def tr(key: str, lang: Lang, /, **params: object) -> str:
    """The interface sentence `key` (`area.name`) in `lang`; raises KeyError for an unknown key."""
    return core_catalogue()(key, lang, **params)


def interface_language(setting: str, env: Mapping[str, str]) -> Lang:
    """The setting where it names a language, else Vietnamese where the locale begins with vi, else English."""
    for lang in LANGS:
        if setting == lang:
            return lang
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if env.get(name):
            return "vi" if env[name].lower().startswith("vi") else "en"
    import locale

    return "vi" if (locale.getlocale()[0] or "").lower().startswith("vi") else "en"
