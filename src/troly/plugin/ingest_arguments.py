"""What can be loaded, and how it is asked for in one line (`KIND FILE --option value`): the same on every face."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from troly.errors import InputError
from troly.plugin.contract import ByLang, Ingest, Mode, Parameter
from troly.text.catalogue import LANGS, Lang, core_catalogue, tr

KNOWLEDGE = "knowledge"
QUOTES = "\"'"
# Options of every load of a file; where a load always replaces what was there, the last one is not among them.
DRY_RUN, ERRORS, REPLACE = "dry_run", "errors", "replace"


@dataclass(frozen=True, slots=True)
class IngestKind:
    """A kind of file that can be loaded; `mode` "" is the search of all, which takes several files."""

    name: str
    mode: str
    help: ByLang
    parameters: tuple[Parameter, ...]
    ingest: str = KNOWLEDGE

    @property
    def many(self) -> bool:
        """Whether it takes several files at once."""
        return not self.mode

    def example(self, lang: Lang) -> str:
        """How it is written: the name, FILE, and the options in brackets."""
        options = " ".join(f"[{written(one)}]" for one in self.parameters)
        return f"{self.name} {tr('ui.work.file', lang)} {options}".rstrip()


class Order(NamedTuple):
    """A load as it was asked for; `values` by the key of the parameter."""

    kind: IngestKind
    files: tuple[str, ...]
    values: Mapping[str, str | bool | None]


class Word(NamedTuple):
    """One word of a line without its quotes; `start` is where it begins, `open` whether its quotes are not closed."""

    text: str
    start: int
    open: bool = False


def written(parameter: Parameter) -> str:
    """An option as it is written: `--name NAME`."""
    return f"{parameter.name} {parameter.metavar}".rstrip()


def ingests_by_name(modes: Iterable[Mode], taken: Iterable[str]) -> dict[str, tuple[Mode, Ingest]]:
    """The modes' ingests by name; a name that is taken already is written `<mode>-<name>`."""
    taken, found = set(taken), dict[str, tuple[Mode, Ingest]]()
    for mode in modes:
        for one in mode.ingests:
            name = f"{mode.id}-{one.name}" if one.name in found or one.name in taken else one.name
            found[name] = (mode, one)
    return found


def kinds(modes: Iterable[Mode]) -> tuple[IngestKind, ...]:
    """All that can be loaded, documents for the search of all last."""
    found = [
        IngestKind(name, mode.id, one.help, (*one.parameters, *_house(one)), one.name)
        for name, (mode, one) in ingests_by_name(modes, (KNOWLEDGE,)).items()
    ]
    collection = Parameter("--collection", core_catalogue().entry("cli.ingest.collection"), "NAME")  # type: ignore[arg-type]
    documents = {lang: tr("ui.work.documents", lang) for lang in LANGS}
    return (*found, IngestKind(KNOWLEDGE, "", documents, (collection,)))


def _house(ingest: Ingest) -> Iterable[Parameter]:
    """The options that every load of a file has."""
    names = {DRY_RUN: "", ERRORS: "FILE"} | ({REPLACE: ""} if ingest.merges else {})
    for name, metavar in names.items():
        yield Parameter(
            f"--{name.replace('_', '-')}",
            core_catalogue().entry(f"cli.ingest.{name}"),  # type: ignore[arg-type]
            metavar,
        )


def words(line: str) -> list[Word]:
    """The words of a line: between blanks, quotes keep blanks together, and so does a backslash before a blank.

    A line that ends in a blank ends in an empty word: one that is about to be written.
    """
    found: list[Word] = []
    text, start, quote = "", -1, ""
    at = 0
    while at < len(line):
        char = line[at]
        if quote:
            quote, text = ("", text) if char == quote else (quote, text + char)
        elif char in QUOTES and not text:
            quote, start = char, at if start < 0 else start
        elif char == "\\" and line[at + 1 : at + 2] in (" ", *QUOTES):
            at += 1
            text, start = text + line[at], at - 1 if start < 0 else start
        elif char.isspace():
            if start >= 0:
                found.append(Word(text, start))
            text, start = "", -1
        else:
            text, start = text + char, at if start < 0 else start
        at += 1
    return [*found, Word(text, start if start >= 0 else len(line), bool(quote))]


def quoted(word: str) -> str:
    """A word as it is written in a line: in quotes where it holds blanks or quotes."""
    if word and not any(char.isspace() or char in QUOTES or char == "\\" for char in word):
        return word
    if '"' not in word:
        return f'"{word}"'
    return f"'{word}'" if "'" not in word else word.replace('"', '\\"').replace(" ", "\\ ")


def read_order(line: str, known: Sequence[IngestKind], lang: Lang) -> Order:
    """What `line` asks to load. Raises InputError `work.*`, a sentence that says what to write instead."""
    *done, last = words(line)
    if last.open:
        raise InputError("work.quote", text=line[last.start :][:60])
    given = [*done, last] if last.text else done
    kind = next((one for one in known if given and one.name == given[0].text.casefold()), None)
    if kind is None:
        name = given[0].text if given else ""
        raise InputError("work.no_kind", name=name, known=", ".join(one.name for one in known))
    files, values = _values(kind, [word.text for word in given[1:]], lang)
    for one in kind.parameters:
        if one.required and not values.get(one.key):
            raise InputError("work.option_missing", option=written(one), example=kind.example(lang))
    if len(files) > 1 and not kind.many:
        raise InputError("work.one_file", files=", ".join(files), kind=kind.name)
    return Order(kind, tuple(files), values)


def _values(kind: IngestKind, given: list[str], lang: Lang) -> tuple[list[str], dict[str, str | bool | None]]:
    files: list[str] = []
    values: dict[str, str | bool | None] = {}
    only_files = False
    while given:
        word = given.pop(0)
        if only_files or not word.startswith("-") or word == "-":
            files.append(word)
        elif word == "--":
            only_files = True
        else:
            name, equals, value = word.partition("=")
            one = _option(kind, name, lang)
            if not one.metavar and equals:
                raise InputError("work.option_alone", option=one.name)
            if one.metavar and not equals:
                value = given.pop(0) if given and not given[0].startswith("--") else ""
            if one.metavar and not value:
                raise InputError("work.option_value", option=written(one))
            values[one.key] = value if one.metavar else True
    return files, values


def _option(kind: IngestKind, name: str, lang: Lang) -> Parameter:
    short = {"-n": "--dry-run", "-c": "--collection"}
    by_name = {one.name: one for one in kind.parameters}
    found = by_name.get(short.get(name, name))
    if found is None:
        raise InputError("work.option", option=name, kind=kind.name, example=kind.example(lang))
    return found
