"""The kinds of values a setting can have: how each is read from TOML or from text, and what it accepts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from troly.config import address
from troly.config.key_names import key_name, types_text

LONGEST = 300
# A number of seconds, or a span as Go writes it.
_DURATION = r"[+-]?(?:[0-9]{1,9}(?:\.[0-9]{0,9})?|(?:(?:[0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})(?:ns|us|µs|μs|ms|s|m|h)){1,9})"
_NAME = r"[a-z][a-z0-9_-]*"
_COLLECTION = r"[A-Za-z0-9][A-Za-z0-9._-]{1,510}[A-Za-z0-9]"
_WHOLE = r"[+-]?[0-9]{1,18}"
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
DEFAULT_ZONE = "Asia/Ho_Chi_Minh"


class RefusedError(ValueError):
    """The value is not one that the setting takes."""


class SettingKind(NamedTuple):
    """One kind of value.

    `name` is the catalogue's sentence part (`setting.expects.<name>`), filled from `limits`. `options` are all values, where
    they are few. `accept` turns a TOML
    value into the setting's value; `read` turns text (an environment variable) into a TOML value first. Both raise
    RefusedError. A `secret` is not shown where settings are listed or refused.
    """

    name: str
    accept: Callable[[object], object]
    read: Callable[[str], object] = str.strip
    limits: Mapping[str, object] = MappingProxyType({})
    secret: bool = False
    options: tuple[str, ...] = ()


def _taking(
    good: Callable[[Any], bool], made: Callable[[Any], object] = lambda raw: raw
) -> Callable[[object], object]:
    """Accepts what is `good`, as `made` of it; a ValueError of `made` refuses too."""

    def accept(raw: object) -> object:
        try:
            if good(raw):
                return made(raw)
        except ValueError as cause:
            raise RefusedError from cause
        raise RefusedError

    return accept


def choice(*options: str) -> SettingKind:
    accept = _taking(lambda raw: isinstance(raw, str) and raw in options)
    limits = {"options": ", ".join(options)}
    return SettingKind("choice", accept, lambda text: text.strip().casefold(), limits, options=options)


def whole(low: int, high: int) -> SettingKind:
    """A whole number from `low` to `high`."""

    def read(text: str) -> object:
        return int(text) if re.fullmatch(_WHOLE, text.strip()) else text

    accept = _taking(lambda raw: isinstance(raw, int) and not isinstance(raw, bool) and low <= raw <= high)
    return SettingKind("whole", accept, read, {"low": low, "high": high})


def number(low: float, high: float) -> SettingKind:
    """A number from `low` to `high`; a whole one is taken as well."""

    def good(raw: Any) -> bool:
        return isinstance(raw, int | float) and not isinstance(raw, bool) and low <= raw <= high

    def read(text: str) -> object:
        try:
            return float(text)
        except ValueError:
            return text

    return SettingKind("number", _taking(good, float), read, {"low": f"{low:g}", "high": f"{high:g}"})


def flag() -> SettingKind:
    """true or false; as text also 1/0, yes/no, on/off."""

    def read(text: str) -> object:
        word = text.strip().casefold()
        return True if word in _TRUE else False if word in _FALSE else text

    return SettingKind("flag", _taking(lambda raw: isinstance(raw, bool)), read, options=("true", "false"))


def words() -> SettingKind:
    """One line of text without control characters."""
    return SettingKind("words", _line, limits={"longest": LONGEST})


def secret() -> SettingKind:
    """One line of text that is never printed."""
    return words()._replace(secret=True)


def name() -> SettingKind:
    """A lower-case word, as the names of modes and themes are."""
    return SettingKind("name", _matching(_NAME))


def duration() -> SettingKind:
    """A span as Go writes it: 90s, 1h30m, 300ms, or a number of seconds; a negative one is without end."""
    return SettingKind("duration", _matching(_DURATION))


def collection() -> SettingKind:
    """A name that the vector store accepts."""
    return SettingKind("collection", _matching(_COLLECTION))


def file() -> SettingKind:
    """The place of a file; `~` is the home folder."""

    def accept(raw: object) -> Path:
        path = Path(_line(raw))
        try:
            return path.expanduser()
        except RuntimeError as cause:
            raise RefusedError from cause

    return SettingKind("file", accept)


def url() -> SettingKind:
    """The address of an Ollama server."""
    return SettingKind("url", _taking(lambda _raw: True, lambda raw: address.normalise(_line(raw))))


def urls() -> SettingKind:
    """Addresses of Ollama servers: a list, or a text with commas between them."""

    def accept(raw: object) -> tuple[str, ...]:
        written = raw if isinstance(raw, list | tuple) else _line(raw).split(",") if raw != "" else []
        return tuple(dict.fromkeys(str(url().accept(one)) for one in written))

    return SettingKind("urls", accept)


def keys(*, typing: bool, needed: bool = False) -> SettingKind:
    """Keys of the screen: one text or a list of them, as "ctrl+f" or "ctrl+f, f7"; "" for none unless `needed`.

    With `typing` the input has the focus there: a key that writes a character is refused.
    """

    def accept(raw: object) -> str:
        if isinstance(raw, list):
            written = raw
        elif isinstance(raw, str) and len(raw) <= LONGEST:
            # Between commas or blanks; a comma or a blank alone is that key.
            written = [raw] if raw in (",", " ") else raw.replace(",", " ").split()
        else:
            raise RefusedError
        found = [key_name(one) if isinstance(one, str) and len(one) <= LONGEST else "" for one in written]
        if not all(found) or (needed and not found) or (typing and any(types_text(key) for key in found)):
            raise RefusedError
        return ", ".join(dict.fromkeys(found))

    return SettingKind("keys_typing" if typing else "keys", accept)


def zone() -> SettingKind:
    """A time zone's name."""

    def accept(raw: object) -> str:
        text = _line(raw)
        if text == DEFAULT_ZONE:  # the usual case must not pay for reading the zone files
            return text
        from zoneinfo import ZoneInfo

        try:
            return ZoneInfo(text).key
        except (KeyError, ValueError, OSError) as cause:
            raise RefusedError from cause

    return SettingKind("zone", accept)


def _line(raw: object) -> str:
    if not isinstance(raw, str) or not raw.strip() or len(raw) > LONGEST:
        raise RefusedError
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") for letter in raw):
        raise RefusedError
    return unicodedata.normalize("NFC", raw.strip())


def _matching(pattern: str) -> Callable[[object], object]:
    return _taking(lambda raw: re.fullmatch(pattern, _line(raw)) is not None, _line)
