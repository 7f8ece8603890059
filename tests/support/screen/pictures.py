"""Every screen and every assistant as scenes by name: the snapshot tests and the README's pictures are made of these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tests.support.scenes import base as chat
from tests.support.scenes import boxes, cards, evidence, panes, transcript
from tests.support.scenes import input as typing
from tests.support.scenes.base import HITS, LISTED, Before
from tests.support.screen.fake_backend import MODES
from tests.support.screen.screens import Scene
from troly.errors import StoreError
from troly.text.catalogue import Lang
from troly.tui.chat.view import HealthView, SessionInfo, Trouble


class Look(NamedTuple):
    """What happens before the picture, in which assistant, in what backend (made anew for each picture).

    `whole` is False for what is a variant of another scene: fewer pictures tell what there is to tell.
    """

    before: Before
    mode: str = "shopping"
    backend: Callable[[Lang], Mapping[str, Any]] = lambda _lang: {"listed": LISTED}
    whole: bool = True


def _plain(_lang: Lang) -> Mapping[str, Any]:
    return {}


def _without_model(lang: Lang) -> Mapping[str, Any]:
    remedy = {"vi": "Cài Ollama, rồi chạy `ollama serve`.", "en": "Install Ollama, then run `ollama serve`."}
    title = {"vi": "Không thấy Ollama", "en": "Ollama is not there"}
    return {
        "health": HealthView(known=True, trouble=Trouble(title[lang], "", remedy[lang])),
        "listed": LISTED,
    }


def _damaged(_lang: Lang) -> Mapping[str, Any]:
    broken = MODES[0]._replace(broken="ImportError: no module named x", ready=False)
    return {"info": SessionInfo((broken, *MODES[1:]), "an", ("/data/state.db",))}


def _closed(_lang: Lang) -> Mapping[str, Any]:
    return {"info": StoreError("paths.read_only", path="/data", variable="TROLY_HOME")}


def _desk(_lang: Lang) -> Mapping[str, Any]:
    return {"info": SessionInfo(MODES, "lan@sstc", answers_customers=True), "waiting": 1}


LOOKS: Mapping[str, Look] = {
    "welcome": Look(chat.empty, backend=lambda _lang: {"info": SessionInfo(MODES, "an@sstc", (), True)}),
    **{f"empty-{mode.id}": Look(chat.empty, mode.id, whole=False) for mode in MODES},
    **{f"real-{mode.id}": Look(cards.real, mode.id, whole=False) for mode in MODES},
    **{f"real-end-{mode.id}": Look(cards.real_end, mode.id, whole=False) for mode in MODES},
    **{f"real-evidence-{mode.id}": Look(cards.real_evidence, mode.id, whole=False) for mode in MODES},
    "without-model": Look(chat.empty, backend=_without_model),
    "opening": Look(transcript.opening, backend=lambda _lang: {"info": None}, whole=False),
    "closed": Look(chat.empty, backend=_closed, whole=False),
    "damaged": Look(chat.empty, backend=_damaged, whole=False),
    "talk": Look(chat.talk),
    "stream": Look(chat.stream),
    "failed": Look(chat.failed),
    "stopped": Look(transcript.stopped, backend=_plain, whole=False),
    "figures": Look(chat.figures, "analysis", whole=False),
    "rooms": Look(chat.rooms, "rental", whole=False),
    "company": Look(chat.company, "rag", whole=False),
    "typed": Look(cards.typed, whole=False),
    "long-table": Look(cards.long_table),
    "handed-over": Look(cards.handed_over, whole=False),
    "grid": Look(chat.grid),
    "found": Look(chat.found, backend=lambda _lang: {"listed": LISTED, "hits": HITS}),
    "searching": Look(boxes.searching, whole=False),
    "list": Look(boxes.listed),
    "renaming": Look(boxes.renaming),
    "palette": Look(boxes.palette),
    "palette-found": Look(boxes.palette_found, whole=False),
    "palette-none": Look(boxes.palette_none, whole=False),
    "help": Look(boxes.helped),
    "help-of-list": Look(typing.keys, whole=False),
    "pulling": Look(boxes.pulling, "rag", _plain, whole=False),
    "kinds": Look(evidence.kinds, "rag", _plain),
    "working": Look(evidence.working, "rag", whole=False),
    "commands": Look(typing.commands),
    "names": Look(typing.names, whole=False),
    "pasted": Look(typing.pasted, whole=False),
    "unfolded": Look(typing.unfolded),
    "days": Look(transcript.days, whole=False),
    "chosen": Look(transcript.chosen),
    "menu": Look(transcript.menu),
    "find": Look(transcript.find),
    "evidence": Look(evidence.drawer, "rag", whole=False),
    "evidence-prompt": Look(evidence.opened, "rag"),
    "evidence-passages": Look(evidence.passages, "rag", whole=False),
    "marking": Look(evidence.marking, "rag"),
    "marked": Look(evidence.marked, "rag", whole=False),
    "tabs": Look(panes.several),
    "two-sides": Look(panes.beside),
    "hundred-tabs": Look(panes.many, whole=False),
    "spoken": Look(cards.spoken, whole=False),
    "urgent": Look(cards.urgent, "dental", whole=False),
    # New scenes come last: a picture's language and theme follow from its place.
    "models": Look(boxes.models),
    "settings": Look(boxes.settings, whole=False),
    "memories": Look(boxes.memories, "dental", whole=False),
    "query": Look(boxes.query, "rental"),
    "evidence-full": Look(evidence.full, "rag", whole=False),
    "comparing": Look(boxes.comparing, "rag"),
    "large": Look(boxes.large, "analysis"),
    "waiting": Look(boxes.waiting, backend=_desk, whole=False),
    "colleague": Look(boxes.colleague, whole=False),
}


def staged(name: str, lang: Lang, theme: str) -> tuple[Scene, Before]:
    """The app of a scene, and what happens in it."""
    look = LOOKS[name]
    return Scene(lang, mode=look.mode, theme=theme, **look.backend(lang)), look.before
