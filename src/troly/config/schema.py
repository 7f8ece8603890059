"""The settings model as a flat list: one entry a dotted key, and the way back from values to `Settings`.

`sections` are the tables that assistants bring: a frozen dataclass by table name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any, NamedTuple

from troly.config import kinds
from troly.config.actions import ACTIONS, Action
from troly.config.kinds import SettingKind
from troly.config.settings import MODE_ROLES, About, Settings
from troly.text.catalogue import Lang, tr

PREFIX = "TROLY_"
KEYS = "keys."
_MODE_KEY = r"models\.([a-z][a-z0-9_-]*)\.([a-z]+)"
Sections = Mapping[str, type]
NO_SECTIONS: Sections = MappingProxyType({})


class Spec(NamedTuple):
    """One setting: its dotted key, what it takes and what it is when nobody says."""

    key: str
    default: object
    about: About

    @property
    def kind(self) -> SettingKind:
        """What values it takes."""
        return self.about.kind

    @property
    def env(self) -> tuple[str, ...]:
        """The environment variables that set it: Troly's own name first."""
        return (env_name(self.key), *self.about.env)

    def describe(self, lang: Lang) -> str:
        if self.key.startswith(KEYS):
            does = tr(f"ui.command.{self.key.removeprefix(KEYS)}", lang)
            return tr("setting.about_keys", lang, action=does)
        return tr(f"setting.about.{self.key}", lang)


def env_name(key: str) -> str:
    """`ollama.url` as TROLY_OLLAMA__URL: two underscores stand between table and key."""
    return PREFIX + key.replace(".", "__").replace("-", "_").upper()


def key_of(env: str) -> str:
    """TROLY_OLLAMA__URL as `ollama.url`."""
    return env[len(PREFIX) :].lower().replace("__", ".")


def specs(sections: Sections = NO_SECTIONS) -> dict[str, Spec]:
    """Every setting by key, in the order of the model; the per-mode models are not among them."""
    found = {
        entry.name: Spec(entry.name, entry.default, entry.metadata["about"])
        for entry in fields(Settings)
        if "about" in entry.metadata
    }
    for table, kind in (_core_tables() | dict(sections)).items():
        for entry in fields(kind):
            if "about" in entry.metadata:
                key = f"{table}.{entry.name}"
                found[key] = Spec(key, entry.default, entry.metadata["about"])
    return found | {f"{KEYS}{action.name}": _key_spec(action) for action in ACTIONS if not action.fixed}


def tables(sections: Sections = NO_SECTIONS) -> tuple[str, ...]:
    """The names of the tables, those of the program first."""
    return (*_core_tables(), KEYS.rstrip("."), *sections)


def mode_model(key: str, known: Mapping[str, Spec]) -> Spec | None:
    """The setting behind `models.<mode>.<role>`, or None when `key` is not of that form."""
    found = re.fullmatch(_MODE_KEY, key)
    if not found or found[2] not in MODE_ROLES:
        return None
    general = known[f"models.{found[2]}"]
    return Spec(key, general.default, About(general.kind, general.about.example))


def build(values: Mapping[str, object], sections: Sections = NO_SECTIONS) -> Settings:
    """`Settings` from accepted values by key; what is missing keeps its default."""
    top: dict[str, Any] = {}
    nested: dict[str, dict[str, Any]] = {}
    modes: dict[str, dict[str, str]] = {}
    for key, value in values.items():
        table, _, rest = key.partition(".")
        mode, _, role = rest.rpartition(".")
        if not rest:
            top[key] = value
        elif mode:
            modes.setdefault(mode, {})[role] = str(value)
        else:
            nested.setdefault(table, {})[rest] = value
    if modes:
        frozen = {mode: MappingProxyType(roles) for mode, roles in modes.items()}
        nested.setdefault("models", {})["modes"] = MappingProxyType(frozen)
    if "keys" in nested:
        top["keys"] = MappingProxyType(nested.pop("keys"))
    for table, kind in _core_tables().items():
        if table in nested:
            top[table] = kind(**nested[table])
    found = {table: kind(**nested[table]) for table, kind in sections.items() if table in nested}
    return Settings(**top | {"sections": MappingProxyType(found)})


def _key_spec(action: Action) -> Spec:
    keys = ", ".join(action.keys)
    kind = kinds.keys(typing=action.place in ("chat", "prompt"), needed=action.needed)
    return Spec(f"{KEYS}{action.name}", keys, About(kind, f'"{keys or "f8"}"'))


def _core_tables() -> dict[str, Any]:
    """The class of each table of the program's own."""
    names = (KEYS.rstrip("."), "sections")
    return {
        entry.name: entry.default_factory
        for entry in fields(Settings)
        if "about" not in entry.metadata and entry.name not in names
    }
