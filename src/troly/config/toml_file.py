"""Reading a TOML file that a person wrote: every way it can be unreadable becomes one problem with its place."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from troly.config.problems import ConfigProblem, Origin, shown

LARGEST = 1_000_000
# Patterns stay text until a file needs them: compiling them would be paid at every start.
_PLACE = r"\(at line (\d+), column (\d+)\)"
_TABLE = r"\s*\[+\s*([^\]]+?)\s*\]+"
_KEY = r"""\s*([A-Za-z0-9_."'-]+?)\s*="""


class TomlFile(NamedTuple):
    """What a file holds: its tables, its text for finding lines, and what is wrong with it."""

    path: Path
    tables: Mapping[str, Any] = MappingProxyType({})
    text: str = ""
    problems: tuple[ConfigProblem, ...] = ()

    @property
    def origin(self) -> Origin:
        """The file as the place of a value."""
        return Origin("file", str(self.path))

    def line_of(self, key: str) -> int:
        """The line (1-based) where the dotted `key` or its table is written, or 0.

        The parser does not keep places, so the text is looked through line by line; the first match is taken.
        """
        table = ""
        for number, line in enumerate(self.text.splitlines(), 1):
            if opened := re.match(_TABLE, line):
                table = _bare(opened[1])
                written = table
            elif named := re.match(_KEY, line):
                written = _bare(f"{table}.{named[1]}" if table else named[1])
            else:
                continue
            if written == key or written.startswith(f"{key}."):
                return number
        return 0


def read_toml(path: Path) -> TomlFile:
    """The file's tables; a file that is not there is empty. Never raises for what the file holds."""
    origin = Origin("file", str(path))
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return TomlFile(path)
    except (OSError, ValueError) as error:
        code = "folder" if isinstance(error, IsADirectoryError) else "unreadable"
        return TomlFile(path, problems=(ConfigProblem(code, origin),))
    if len(data) > LARGEST:
        too_large = ConfigProblem("large", origin, found=f"{LARGEST // 1_000_000} MB")
        return TomlFile(path, problems=(too_large,))
    return _parse(path, origin, data)


def with_value(text: str, key: str, value: object) -> str:
    """`text` with the dotted `key` set to a text, number or truth, None to take its line away; all else stays as written.

    Raises ValueError where the text would not say that afterwards (an inline table, a value over several lines).
    """
    table, _, name = key.rpartition(".")
    lines, at = text.splitlines(), TomlFile(Path(), text=text).line_of(key)
    written = [] if value is None else [f"{name} = {json.dumps(value, ensure_ascii=False)}"]
    if at:
        lines[at - 1 : at] = written
    else:
        heads = (
            number
            for number, line in enumerate(lines)
            if (head := re.match(_TABLE, line)) and (not table or _bare(head[1]) == table)
        )
        place = next(heads, None)
        if place is None and table and written:
            written = ["", f"[{table}]", *written]
        place = len(lines) if place is None else place + bool(table)
        lines[place:place] = [*written, ""] if written and not table else written
    changed = "\n".join(lines).strip("\n") + "\n"
    found: Any = tomllib.loads(changed)
    for part in key.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    if found != (list(value) if isinstance(value, tuple) else value):
        raise ValueError(key)
    return changed


def _parse(path: Path, origin: Origin, data: bytes) -> TomlFile:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return TomlFile(path, problems=(ConfigProblem("encoding", origin, line=line),))
    try:
        return TomlFile(path, tomllib.loads(text), text)
    except RecursionError:
        problem = ConfigProblem("deep", origin)
    except ValueError as error:  # the decoder's own error, and numbers too long for Python
        problem = _syntax(origin, text, str(error))
    return TomlFile(path, problems=(problem,))


def _syntax(origin: Origin, text: str, message: str) -> ConfigProblem:
    """The parser's complaint as a place and the line that stands there."""
    lines = text.splitlines() or [""]
    place = re.search(_PLACE, message)
    line, column = (int(place[1]), int(place[2])) if place else (len(lines), len(lines[-1]) + 1)
    found = shown(lines[line - 1].strip()) if line <= len(lines) else ""
    code = "duplicate" if any(word in message for word in ("overwrite", "declare", "twice")) else "syntax"
    return ConfigProblem(code, origin, line=line, column=column, found=found)


def _bare(key: str) -> str:
    return key.replace('"', "").replace("'", "").replace(" ", "")
