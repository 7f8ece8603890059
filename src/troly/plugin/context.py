"""What a node is given during one turn, and the wrapper that turns a node into a traced LangGraph node."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from troly import recording
from troly.errors import ConfigError
from troly.plugin.events import Event, Notice, Source, StepFinished, StepStarted, Token
from troly.plugin.focus import KEY as FOCUS
from troly.plugin.focus import Focus, FocusRow
from troly.text.catalogue import Lang

if TYPE_CHECKING:
    from datetime import datetime

    from troly.config.users import Profile
    from troly.llm.session import ModelSession
    from troly.personas import Persona, Personas
    from troly.plugin.contract import Mode
    from troly.plugin.services import Services
    from troly.stores.records import Conversation, StoredMessage


# A persona, and the error that the installation's own gave where it is the one that ships.
Voice: TypeAlias = "tuple[Persona, ConfigError | None]"


def read_voice(personas: Personas, mode: Mode, language: Lang) -> Voice:
    """The voice of `mode` in `language`; blocking. Raises ConfigError where there is not even one that ships."""
    try:
        return personas.load(mode.persona, language), None
    except ConfigError as error:
        return personas.shipped(mode.persona, language), error


@dataclass(slots=True)
class TurnContext:
    """One turn as its nodes see it.

    `history` holds the conversation's earlier messages, oldest first, without the message being answered (`text`).
    `text` is what is left of it when a request for another language was granted; `language` is the language to answer
    in. `emit` takes events in order; `conversation_metadata` is saved with the conversation when the turn ends. A node
    that asks back, or says that it cannot answer, sets `answered` to False; it goes into the answer's metadata.
    `others` are all assistants of this installation, to refer a person to one by its `about`; they load when looked at.
    `voices` are the personas read so far, by language.
    """

    services: Services
    mode: Mode
    conversation: Conversation
    profile: Profile
    text: str
    language: Lang
    now: datetime
    history: tuple[StoredMessage, ...]
    model: ModelSession
    emit: Callable[[Event], None]
    turn_id: str = ""
    conversation_metadata: dict[str, Any] = field(default_factory=dict)
    answered: bool | None = None
    others: Iterable[Mode] = ()
    voices: dict[Lang, Voice] = field(default_factory=dict)
    _persona_told: bool = False

    def say(self, text: str) -> None:
        if text:
            self.emit(Token(text))

    @property
    def focus(self) -> Focus | None:
        """What the last answers showed, while people may still mean it (`[focus]` in the settings)."""
        limits = self.services.settings.focus
        found = Focus.from_json(self.conversation_metadata.get(FOCUS))
        if found is None:
            return None
        turns = [message.turn_id for message in self.history]
        current = found.is_current(self.now, turns, minutes=limits.minutes, messages=limits.messages)
        return found if current else None

    def show(
        self, kind: str, question: str, rows: Sequence[FocusRow], query: Mapping[str, Any] | None = None
    ) -> None:
        """Make `rows`, in the order shown, what the next messages can point at; saved when the turn ends."""
        focus = Focus(kind, question, tuple(rows), query or {}, self.turn_id, self.now)
        self.conversation_metadata[FOCUS] = focus.to_json()

    def persona(self) -> Persona:
        """The voice of the mode in the language of the turn.

        One of the installation's own that cannot be used is told once a turn, and the one that ships speaks. Raises
        ConfigError when there is none either.
        """
        if self.language not in self.voices:
            self.voices[self.language] = read_voice(self.services.personas, self.mode, self.language)
        voice, error = self.voices[self.language]
        if error is not None and not self._persona_told:
            self._persona_told = True
            told = error.render(self.language)
            self.emit(Notice("warning", told.title, told.message, told.remedy))
        return voice

    def chat_history(self) -> list[dict[str, str]]:
        """Earlier messages and the one being answered as `{role, content}` (000-63)."""
        roles = {"user": "user", "assistant": "assistant"}
        past = [{"role": roles[m.sender], "content": m.text} for m in self.history if m.sender in roles]
        return [*past, {"role": "user", "content": self.text}]


@dataclass(slots=True)
class Step:
    """What a node says of itself for the trace: who decided and why, in one line."""

    source: Source | None = None
    detail: str = ""

    def note(self, detail: str, source: Source | None = None) -> None:
        """Set the line shown in the evidence view, and who decided."""
        self.detail = detail
        self.source = source or self.source


Node = Callable[[Mapping[str, Any], TurnContext, Step], Awaitable[Mapping[str, Any]]]


async def chosen_route(state: Any) -> str:
    """The node that the last one named as `route`; LangGraph would run a plain function on a thread of its own."""
    route: str = state["route"]
    return route


def traced(name: str, node: Node, *, agent: str = "", tool: str = "") -> Callable[..., Awaitable[Any]]:
    """`node(state, turn, step)` as a LangGraph node that reports StepStarted and StepFinished.

    The graph must be built with `context_schema=TurnContext`. StepFinished is sent also when the node raises or is
    cancelled.
    """
    from langgraph.runtime import Runtime

    async def run(state: Any, runtime: Any) -> Any:
        turn: TurnContext = runtime.context
        step, began, ok = Step(), time.perf_counter(), False
        turn.emit(StepStarted(name, agent, tool))
        try:
            with recording.at_node(name):
                update = await node(state, turn, step)
            ok = True
            return update
        finally:
            ms = recording.duration(f"step:{name}", (time.perf_counter() - began) * 1000)
            turn.emit(StepFinished(name, round(ms, 3), step.source, step.detail, agent, tool, failed=not ok))

    # LangGraph looks at the annotations to know that a node takes the runtime.
    run.__annotations__ = {"state": Any, "runtime": Runtime[TurnContext], "return": Any}
    run.__name__ = name
    return run
