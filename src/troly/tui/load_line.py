"""What can come next in a line that loads data, `KIND FILE --option value`, while one writes it; no screen in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from troly.plugin.ingest_arguments import quoted, words, written
from troly.text.catalogue import Lang, tr
from troly.text.fold import fold
from troly.text.sanitize import sanitize
from troly.tui.completing import Offer

if TYPE_CHECKING:
    from troly.plugin.contract import Parameter
    from troly.plugin.ingest_arguments import Kind
    from troly.tui.screens.choose import Choice


What: TypeAlias = Literal["kind", "path", "option", "value", "nothing"]


class Part(NamedTuple):
    """What is written at the end of a line: where it begins, what there is of it, the kind, options still free.

    `ready` when the line could be sent as it is.
    """

    what: What
    start: int
    typed: str = ""
    kind: Kind | None = None
    free: tuple[Parameter, ...] = ()
    ready: bool = False


def part_of(line: str, kinds: Sequence[Kind]) -> Part:
    """The part at the end of `line`."""
    *done, last = words(line)
    if not done:
        return Part("kind", last.start, last.text)
    kind = next((one for one in kinds if one.name == done[0].text.casefold()), None)
    if kind is None:
        return Part("nothing", last.start)
    used, files, before = _before(kind, [word.text for word in done[1:]])
    free = tuple(one for one in kind.parameters if one.name not in used)
    what: What = "nothing"
    if before is not None:
        what = "path" if before.metavar == "FILE" else "value"
    elif last.text.startswith("-") or (files and not last.text):
        what = "option"
    elif not files or kind.many:
        what = "path"
    ready = what == "option" and not last.text
    return Part(what, last.start, last.text, kind, free, ready)


def _before(kind: Kind, given: Sequence[str]) -> tuple[set[str], int, Parameter | None]:
    """The options in `given`, how many files there are, and the option that still waits for its value."""
    by_name = {one.name: one for one in kind.parameters}
    used, files, waits = set[str](), 0, None
    for word in given:
        if waits is not None:
            waits = None
            continue
        name, equals, _ = word.partition("=")
        found = by_name.get(name)
        waits = found if found is not None and found.metavar and not equals else None
        used |= {name} & set(by_name)
        files += not word.startswith("-")
    return used, files, waits


def part_offers(part: Part, kinds: Sequence[Kind], lang: Lang) -> list[Offer]:
    """Kinds or options that fit; with a file the first offer loads it as it stands."""
    if part.what == "kind":
        wanted = fold(part.typed)
        return [
            Offer(one.name, sanitize(one.help[lang], keep_newlines=False), f"{one.name} ")
            for one in kinds
            if wanted in fold(one.name) or (wanted and wanted in fold(one.help[lang]))
        ]
    if part.what != "option":
        return []
    now = [Offer(tr("ui.work.now", lang), "", "", whole=True)] if part.ready else []
    return now + [
        Offer(written(one), sanitize(one.help[lang], keep_newlines=False), f"{one.name} ")
        for one in part.free
        if one.name.startswith(part.typed)
    ]


def option_choices(head: str, kind: Kind, lang: Lang) -> Callable[[str], list[Choice]]:
    """Offers for the options alone, after `head` (kind and file): to load now, or an option to write on."""
    from troly.tui.screens.choose import Choice

    def offers(typed: str) -> list[Choice]:
        part = part_of(head + typed, (kind,))
        begun = typed[: part.start - len(head)]
        now = (
            [Choice(tr("ui.work.now", lang), typed.strip() or " ")]
            if part.what != "option" or part.ready
            else []
        )
        return now + [
            Choice(f"{one.title} · {one.hint}", f"{begun}{one.text}", further=True)
            for one in part_offers(part, (kind,), lang)
            if not one.whole
        ]

    return offers


def path_offers(part: Part, found: Sequence[Choice]) -> list[Offer]:
    """Files and folders as they stand in the line; a folder is written on, a file that is whole can be sent."""
    offers = []
    for one in found:
        whole = quoted(one.value)
        if one.further:
            text = whole[:-1] if whole != one.value and whole[0] in "\"'" else whole
        else:
            text = f"{whole} "
        offers.append(Offer(one.title, "", text, whole=one.value == part.typed))
    return offers
