"""Single questions of the screen to the services beside the chat, and how the opened house answers them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from troly.conversation.export import write_new_file
from troly.text.catalogue import tr
from troly.tui.chat.evidence_tree import Evidence
from troly.tui.chat.view import Wrong
from troly.tui.work_offers import offers

if TYPE_CHECKING:
    from troly.text.catalogue import Lang
    from troly.tui.dialogs.choose import Choice
    from troly.tui.opened import OpenedHouse


class EvidenceOf(NamedTuple):
    """How the answer of a turn came about; answered with an `Evidence`."""

    turn: str


class MarkWrong(NamedTuple):
    """Mark the answer of a turn as wrong; answered with the file of its eval case."""

    turn: str
    wrong: Wrong


class TakeBack(NamedTuple):
    """The answer of a turn was right after all; answered with whether it was marked."""

    turn: str


class KeepLook(NamedTuple):
    """Remember a theme or a language that was chosen on the screen (None: as it is); answered with the file."""

    theme: str | None = None
    language: str | None = None


class WorkOffers(NamedTuple):
    """Which models are missing; answered with a list of `troly.conversation.jobs.MissingModel`."""


class PathsOf(NamedTuple):
    """What a path that is being typed may become; answered with `troly.tui.screens.choose.Choice` entries."""

    typed: str
    language: Lang


class ExportConversation(NamedTuple):
    """Write a conversation as a file (`md`, `json`, `csv`); answered with its path."""

    conversation: str
    form: str
    language: Lang


Errand: TypeAlias = "ExportConversation | EvidenceOf | MarkWrong | TakeBack | KeepLook | WorkOffers | PathsOf"


def run(house: OpenedHouse, errand: Errand) -> Any:
    """Answer an errand on a thread that may block; raises what the stores raise."""
    return _DOERS[type(errand)](house, errand)


def _export(house: OpenedHouse, errand: ExportConversation) -> str:
    from troly.conversation.export import render_conversation

    services = house.services
    whole = services.conversations.export(house.profile.login, errand.conversation)
    text = render_conversation(whole, errand.form, errand.language, house.session.zone)
    return str(
        write_new_file(services.paths.exports, services.clock(), whole.conversation.title, errand.form, text)
    )


def _evidence(house: OpenedHouse, errand: EvidenceOf) -> Evidence:
    store, login = house.services.conversations, house.profile.login
    turn = store.turn(login, errand.turn)
    return Evidence(turn.id, store.recording(login, turn.id), turn.source or "", turn.calls)


def _mark(house: OpenedHouse, errand: MarkWrong) -> str:
    from troly.conversation.wrong_answers import mark_wrong

    wrong, login = errand.wrong, house.profile.login
    marked = mark_wrong(house.services, house.registry, login, errand.turn, wrong.reason, note=wrong.note)
    return str(marked.file)


def _take_back(house: OpenedHouse, errand: TakeBack) -> bool:
    from troly.conversation.wrong_answers import unmark_wrong

    return unmark_wrong(house.services, house.profile.login, errand.turn)


def _keep_look(house: OpenedHouse, errand: KeepLook) -> str:
    from troly.tui.startup import keep_look

    services = house.services
    return str(keep_look(services.paths, services.settings, errand.theme, errand.language))


def _paths(errand: PathsOf) -> Sequence[Choice]:
    from troly.tui.dialogs.choose import MOST, paths

    return paths(tr("ui.work.folder", errand.language))(errand.typed)[:MOST]


_DOERS: Mapping[type, Callable[[OpenedHouse, Any], Any]] = {
    ExportConversation: _export,
    EvidenceOf: _evidence,
    MarkWrong: _mark,
    TakeBack: _take_back,
    KeepLook: _keep_look,
    WorkOffers: lambda house, _errand: offers(house),
    PathsOf: lambda _house, errand: _paths(errand),
}
