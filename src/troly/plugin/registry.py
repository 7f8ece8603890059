"""Finds modes by entry point; one that cannot be loaded is kept as broken, with its reason, and harms nobody."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from unicodedata import east_asian_width

from troly.config.schema import tables
from troly.errors import ConfigError
from troly.plugin.contract import CONTRACT_VERSION, Graph, Mode
from troly.text.catalogue import LANGS
from troly.text.sanitize import sanitize

GROUP = "troly.modes"
_TRACING = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")


class Registry:
    """The modes of this installation, in the order that they declare, then by name; broken ones last."""

    def __init__(self, points: Iterable[EntryPoint] | None = None) -> None:
        found = list(points) if points is not None else list(entry_points(group=GROUP))
        found.sort(key=lambda point: point.name)
        self._points = {point.name: point for point in reversed(found)}
        self._names: tuple[str, ...] | None = None
        self._modes: dict[str, Mode] = {}
        self._broken: dict[str, str] = {}
        self._graphs: dict[str, Graph] = {}
        self._building = threading.Lock()

    @property
    def names(self) -> tuple[str, ...]:
        """All registered names, also those of broken modes, in the order to show. Loads the declarations."""
        if self._names is None:
            for name in self._points:
                self._load(name)
            good = sorted(self._modes.values(), key=lambda mode: (mode.order, mode.id))
            self._names = (*(mode.id for mode in good), *sorted(self._broken))
        return self._names

    def ships(self, name: str) -> bool:
        """Whether the mode `name` is part of this program's own distribution."""
        return (dist := getattr(self._points[name], "dist", None)) is not None and dist.name == "troly"

    def get(self, name: str) -> Mode:
        """The mode `name`; raises ConfigError `mode.unknown` or `mode.broken`."""
        if name not in self._points:
            raise ConfigError("mode.unknown", mode=name, known=", ".join(self.names))
        self._load(name)
        if name in self._broken:
            raise ConfigError("mode.broken", mode=name, reason=self._broken[name])
        return self._modes[name]

    def __iter__(self) -> Iterator[Mode]:
        for name in self.names:
            if name in self._modes:
                yield self._modes[name]

    def first(self, asked: str | None = None) -> str:
        """The mode `asked` for by the settings, else the first of all; "" where there is none."""
        return asked or next(iter(self.names), "")

    def broken(self) -> Mapping[str, str]:
        """Name and reason of each mode that cannot be used."""
        return dict(self._broken) if self.names else {}

    def graph(self, name: str) -> Graph:
        """The compiled graph of mode `name`, built the first time (that imports LangGraph: call it on a thread).

        Nothing may leave the machine, so tracing is switched off first: LangGraph would post every input to
        LangSmith if the user's shell says so. Raises ConfigError like `get`.
        """
        mode = self.get(name)
        with self._building:
            if name not in self._graphs:
                for variable in _TRACING:
                    os.environ[variable] = "false"
                self._graphs[name] = mode.graph()
            return self._graphs[name]

    def built(self, name: str) -> Graph | None:
        """The graph of mode `name` where it has been built; never blocks."""
        return self._graphs.get(name)

    def sections(self) -> Mapping[str, type]:
        """The settings of all usable modes by their table in the settings file."""
        return {table: kind for mode in reversed(list(self)) for table, kind in mode.settings.items()}

    def _load(self, name: str) -> None:
        if name in self._modes or name in self._broken:
            return
        try:
            mode = self._points[name].load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 (somebody else's code: what it raises is its trouble)
            self._broken[name] = sanitize(f"{type(error).__name__}: {error}", keep_newlines=False)[:300]
            return
        problems = contract_problems(name, mode)
        if problems:
            self._broken[name] = "; ".join(problems)
        else:
            self._modes[name] = mode


def contract_problems(name: str, mode: object) -> list[str]:
    """What is wrong with a declared mode, one sentence each; empty when it keeps the contract."""
    if not isinstance(mode, Mode):
        return [f"the entry point gives a {type(mode).__name__}, not a troly.plugin.contract.Mode"]
    problems = []
    if mode.contract != CONTRACT_VERSION:
        problems.append(f"it is written for contract {mode.contract}, this is {CONTRACT_VERSION}")
    if mode.id != name:
        problems.append(f"its id is {mode.id!r}, its entry point {name!r}")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", mode.id):
        problems.append(f"its id {mode.id!r} is not a lower-case word")
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", mode.accent):
        problems.append(f"its accent {mode.accent!r} is not #rrggbb")
    sign = mode.icon
    # One visible character of one terminal cell.
    if len(sign) != 1 or not sign.isprintable() or sign.isspace() or east_asian_width(sign) in "WF":
        problems.append(f"its icon {mode.icon!r} is not one cell wide")
    for field_name in ("names", "summaries", "first_questions"):
        missing = [lang for lang in LANGS if not getattr(mode, field_name).get(lang)]
        if missing:
            problems.append(f"its {field_name} lack {', '.join(missing)}")
    problems += [
        f"its settings cannot be the table [{table}], which is the program's own"
        for table in mode.settings
        if table in tables() or not re.fullmatch(r"[a-z][a-z0-9_]*", table)
    ]
    prefix = f"{mode.id}/"
    problems += [
        f"its migration {m.name!r} must begin with {prefix!r}"
        for m in mode.migrations
        if not m.name.startswith(prefix)
    ]
    problems += [
        f"its command {' '.join(c.path)!r} must be one or two lower-case words with help in every language"
        for c in mode.commands
        if len(c.path) not in (1, 2)
        or not all(re.fullmatch(r"[a-z][a-z0-9-]*", word) for word in c.path)
        or any(not c.help.get(lang) for lang in LANGS)
    ]
    return problems
