"""Settings from their sources, later ones winning: defaults, the file, the environment, the command line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from troly.config import address
from troly.config.actions import clashes
from troly.config.key_names import key_label
from troly.config.kinds import RefusedError
from troly.config.problems import ConfigProblem, Origin, SettingsError, nearest, shown
from troly.config.schema import (
    KEYS,
    NO_SECTIONS,
    PREFIX,
    Sections,
    Spec,
    build,
    env_name,
    key_of,
    mode_model,
    specs,
    tables,
)
from troly.config.settings import MODE_ROLES, Settings
from troly.config.toml_file import TomlFile, read_toml, with_value
from troly.errors import ConfigError
from troly.paths import HOME_VARIABLE, Paths, write_whole

Env = Mapping[str, str]
# Ollama's address has three variables and is put together of them.
URL = "ollama.url"
# What is shown of a secret.
HIDDEN = "******"


class SettingValue(NamedTuple):
    """What a setting is now; `origin` is "default", "file", "env NAME" or "option"."""

    key: str
    value: object
    origin: str


class SettingClaim(NamedTuple):
    """One source's word on one key.

    `text` says that the value is text still to be read; `expects` is set where the source was refused already.
    """

    key: str
    raw: object
    origin: Origin
    text: bool = False
    line: int = 0
    expects: str = ""


class SettingValues(NamedTuple):
    """The accepted values with where they come from, and everything that was refused."""

    values: dict[str, tuple[object, Origin]]
    problems: list[ConfigProblem]


def load_settings(
    paths: Paths,
    env: Env | None = None,
    overrides: Mapping[str, object] | None = None,
    sections: Sections | None = NO_SECTIONS,
) -> Settings:
    """The settings in force.

    `overrides` are the command line's, by dotted key; None values are left out. `sections` are the assistants' tables
    (`Registry.sections`); None where the assistants are not known yet: tables that are none of the program's are then
    left unread. Raises SettingsError (a ConfigError) that tells everything that is wrong at once.
    """
    gathered = _gather(paths, env, overrides, sections)
    if gathered.problems:
        raise SettingsError(gathered.problems)
    return build({key: value for key, (value, _origin) in gathered.values.items()}, sections or NO_SECTIONS)


def check_settings(
    paths: Paths,
    env: Env | None = None,
    overrides: Mapping[str, object] | None = None,
    modes: Iterable[str] | None = None,
    sections: Sections = NO_SECTIONS,
) -> list[ConfigProblem]:
    """Everything that is wrong; with `modes` (the installed ones) also modes that are named but not there."""
    gathered = _gather(paths, env, overrides, sections)
    known = tuple(modes or ())
    return gathered.problems + (list(_absent_modes(gathered, known)) if known else [])


def explain(
    paths: Paths,
    env: Env | None = None,
    overrides: Mapping[str, object] | None = None,
    sections: Sections = NO_SECTIONS,
) -> list[SettingValue]:
    """Every setting with its value and where that was said; values that were refused are left out."""
    gathered = _gather(paths, env, overrides, sections)
    known = specs(sections)
    defaults = {key: (spec.default, Origin("default")) for key, spec in known.items()}
    merged = {**defaults, **gathered.values}
    hidden = {key for key, spec in known.items() if spec.kind.secret}
    return [
        SettingValue(key, HIDDEN if value and key in hidden else value, str(origin))
        for key, (value, origin) in merged.items()
    ]


def write_setting(
    paths: Paths, key: str, text: str | None, sections: Sections = NO_SECTIONS, env: Env | None = None
) -> Settings:
    """Write what a person typed for `key` into the settings file, None for its default; returns what is in force then.

    The rest of the file stays as it is. Raises SettingsError for a value that is refused, ConfigError `config.not_written`
    where the file holds the key in a form that only a person can change, KeyError for an unknown key, OSError.
    """
    known = specs(sections)
    spec = known.get(key) or mode_model(key, known)
    if spec is None:
        raise KeyError(key)
    claim = SettingClaim(key, text, Origin("file", str(paths.config_file)))
    value = None
    if text is not None:
        try:
            value = spec.kind.read(text)
            spec.kind.accept(value)
        except RefusedError:
            raise SettingsError([_refused(claim, spec)]) from None
    file = read_toml(paths.config_file)
    if file.problems:
        raise SettingsError(file.problems)
    try:
        changed = with_value(file.text, key, value)
    except ValueError:
        raise ConfigError("config.not_written", file=paths.config_file, key=key) from None
    write_whole(paths.config_file.resolve(), changed)
    return load_settings(paths, env, sections=sections)


def _gather(
    paths: Paths, env: Env | None, overrides: Mapping[str, object] | None, sections: Sections | None
) -> SettingValues:
    env = os.environ if env is None else env
    known, names = specs(sections or NO_SECTIONS), tables(sections or NO_SECTIONS)
    file = read_toml(paths.config_file)
    gathered = SettingValues({}, list(file.problems))
    sources = (
        _from_file(file, known, names),
        _from_documents(env, known),
        _from_env(env),
        _from_overrides(overrides or {}),
    )
    for claim in chain.from_iterable(sources):
        spec = known.get(claim.key) or mode_model(claim.key, known)
        if spec and claim.expects:
            gathered.problems.append(_refused(claim, spec))
        elif spec is None:
            table = claim.key.partition(".")[0]
            foreign = table not in names and (table != claim.key or isinstance(claim.raw, Mapping))
            if not (foreign and sections is None):
                gathered.problems.append(_unknown(claim, known, names))
        else:
            _accept(gathered, claim, spec, paths)
    gathered.problems.extend(_keys_said_twice(gathered, file))
    return gathered


def _from_file(file: TomlFile, known: Mapping[str, Spec], names: tuple[str, ...]) -> Iterator[SettingClaim]:
    def walk(node: Mapping[str, Any], prefix: str) -> Iterator[SettingClaim]:
        for name, value in node.items():
            key = f"{prefix}{name}"
            inside = key not in known and (key in names or prefix == "models.")
            if inside and isinstance(value, Mapping):
                yield from walk(value, f"{key}.")
            else:
                yield SettingClaim(key, value, file.origin, line=file.line_of(key))

    return walk(file.tables, "")


def _from_env(env: Env) -> Iterator[SettingClaim]:
    for name in sorted(env):
        if name.startswith(PREFIX) and name != HOME_VARIABLE and env[name].strip():
            yield SettingClaim(key_of(name), env[name], Origin("env", name), text=True)


def _from_documents(env: Env, known: Mapping[str, Spec]) -> list[SettingClaim]:
    """The variables that the documents name (000-64, 003-43); OLLAMA_BASE_URL wins over OLLAMA_HOST."""
    said = {name: value.strip() for name, value in env.items() if value.strip()}
    claims = [
        SettingClaim(spec.key, said[name], Origin("env", name), text=True)
        for spec in known.values()
        for name in spec.about.env
        if name in said and spec.key != URL
    ]
    if "OLLAMA_BASE_URL" in said:
        claims.append(SettingClaim(URL, said["OLLAMA_BASE_URL"], Origin("env", "OLLAMA_BASE_URL"), text=True))
    elif "OLLAMA_HOST" in said or "OLLAMA_PORT" in said:
        claims.append(_host_and_port(said))
    return claims


def _host_and_port(said: Env) -> SettingClaim:
    port = said.get("OLLAMA_PORT", "")
    if port and not (port.isascii() and port.isdecimal() and 1 <= int(port[:6]) <= address.HIGHEST_PORT):
        return SettingClaim(URL, port, Origin("env", "OLLAMA_PORT"), expects="port")
    name = "OLLAMA_HOST" if "OLLAMA_HOST" in said else "OLLAMA_PORT"
    host = said.get("OLLAMA_HOST", address.DEFAULT_HOST)
    claim = SettingClaim(URL, host, Origin("env", name), text=True)
    try:
        return claim._replace(raw=address.normalise(host, int(port) if port else None))
    except ValueError:
        return claim  # refused with everything else, in the same words


def _from_overrides(overrides: Mapping[str, object]) -> Iterator[SettingClaim]:
    for key, value in overrides.items():
        if value is not None:
            raw = str(value) if isinstance(value, Path) else value
            yield SettingClaim(key, raw, Origin("option"), text=isinstance(raw, str))


def _accept(gathered: SettingValues, claim: SettingClaim, spec: Spec, paths: Paths) -> None:
    try:
        raw = spec.kind.read(claim.raw) if claim.text and isinstance(claim.raw, str) else claim.raw
        value = spec.kind.accept(raw)
    except RefusedError:
        gathered.problems.append(_refused(claim, spec))
        return
    if isinstance(value, Path):
        value = (paths.config if claim.origin.kind == "file" else Path.cwd()) / value
    before = gathered.values.get(claim.key, (spec.default, Origin("default")))[0]
    order = spec.about.strictness
    if order and claim.origin.kind == "env" and order.index(str(value)) < order.index(str(before)):
        gathered.problems.append(
            ConfigProblem("locked", claim.origin, claim.key, found=shown(value), nearest=shown(before))
        )
        return
    gathered.values[claim.key] = (value, claim.origin)


def _refused(claim: SettingClaim, spec: Spec) -> ConfigProblem:
    return ConfigProblem(
        "value",
        claim.origin,
        claim.key,
        line=claim.line,
        expects=claim.expects or spec.kind.name,
        limits=spec.kind.limits,
        found=HIDDEN if spec.kind.secret else shown(claim.raw),
        example=_example(claim, spec),
    )


def _example(claim: SettingClaim, spec: Spec) -> str:
    if claim.origin.kind == "env":
        value = str(address.DEFAULT_PORT) if claim.expects == "port" else spec.about.example.strip('"')
        return f"{claim.origin.name}={value}"
    # Inside its table in the file a key stands without the table's name.
    name = claim.key.rpartition(".")[2] if claim.origin.kind == "file" else claim.key
    return f"{name} = {spec.about.example}"


def _unknown(claim: SettingClaim, known: Mapping[str, Spec], names: tuple[str, ...]) -> ConfigProblem:
    key = claim.key
    if claim.origin.kind == "file" and key in names:
        return ConfigProblem(
            "value",
            claim.origin,
            key,
            line=claim.line,
            expects="table",
            found=shown(claim.raw),
            example=f"[{key}]",
        )
    valid = [*known]
    if key.startswith("models.") and key.count(".") > 1:
        mode = key.rpartition(".")[0].lower()
        valid += [f"{mode}.{role}" for role in MODE_ROLES]
    elif isinstance(claim.raw, Mapping):
        valid = [*names, *known]
    close = nearest(key, valid)
    if claim.origin.kind == "env":
        # HOME_VARIABLE is no setting, but a likely target of a slip of the fingers.
        close = nearest(claim.origin.name, [HOME_VARIABLE, *(env_name(name) for name in valid)])
        key = claim.origin.name
    return ConfigProblem("misspelt" if close else "unknown", claim.origin, shown(key), close, claim.line)


def _keys_said_twice(gathered: SettingValues, file: TomlFile) -> Iterator[ConfigProblem]:
    """A key that was given to an action although another one has it where both hold."""
    changed = {key: value for key, value in gathered.values.items() if key.startswith(KEYS)}
    if not changed:
        return
    said = {key.removeprefix(KEYS): str(value) for key, (value, _origin) in changed.items()}
    for name, other, pressed in clashes(said):
        key = f"{KEYS}{name}"
        origin = changed[key][1]
        line = file.line_of(key) if origin.kind == "file" else 0
        yield ConfigProblem("key_twice", origin, key, other, line, found=key_label(pressed))


def _absent_modes(gathered: SettingValues, installed: tuple[str, ...]) -> Iterator[ConfigProblem]:
    for key, (value, origin) in gathered.values.items():
        named = str(value) if key == "mode" else key.split(".")[1] if key.count(".") == 2 else ""
        if named and named not in installed:
            close = nearest(named, installed) or ", ".join(installed)
            yield ConfigProblem("mode", origin, key, close, found=shown(named))
