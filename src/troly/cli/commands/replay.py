"""`app replay`: runs what was recorded of a conversation again and says whether the same events come out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from troly.cli.command import Json, User
from troly.cli.invocation import IdentityClaim, Invocation, profile_for
from troly.cli.output import data, data_json, note, one_line
from troly.errors import InputError
from troly.presentation.text import grid

if TYPE_CHECKING:
    from troly.conversation.replay import ReplayResult
    from troly.stores.records import StoredTurn


Id = Annotated[str, typer.Argument(metavar="CONVERSATION", help="conversations.id", show_default=False)]
TurnArgument = Annotated[str | None, typer.Argument(metavar="[TURN]", help="replay.turn", show_default=False)]


def replay(
    ctx: typer.Context, conversation: Id, turn: TurnArgument = None, user: User = None, as_json: Json = False
) -> None:

    invocation: Invocation = ctx.obj
    raise typer.Exit(run_replay(invocation, conversation, turn, user, as_json=as_json))


DIFFERENT = 1
SHOWN, WIDTH = 20, 60


@dataclass(frozen=True, slots=True)
class TurnReplay:
    """What came of one turn: a replay, or why there is none."""

    number: int
    turn: str
    replayed: ReplayResult | None = None
    problem: InputError | None = None


def run_replay(
    invocation: Invocation, conversation: str, turn: str | None, user: str | None, *, as_json: bool
) -> int:
    """Replay and tell; returns the exit code: 1 for a difference, 3 for a turn that cannot be run again.

    Raises AccessError for somebody else's conversation, InputError `replay.no_turn`, StoreError.
    """
    with invocation.open_session() as session:
        owner = profile_for(invocation, session, IdentityClaim(user=user)).login
        turns = session.services.conversations.turns(owner, conversation)
    chosen = choose_turns(turns, turn)
    found = asyncio.run(_replay(invocation, owner, chosen))
    if not found:
        note(invocation.say("replay.none"))
    for one in found:
        if as_json:
            data_json(_as_json(invocation, one))
        else:
            _print_replay(invocation, one)
    if any(one.replayed is not None and not one.replayed.same for one in found):
        return DIFFERENT
    return InputError.exit_code if any(one.problem for one in found) else 0


def choose_turns(turns: Sequence[StoredTurn], wanted: str | None) -> list[tuple[int, StoredTurn]]:
    """The turns meant, with their numbers from 1; raises InputError `replay.no_turn`."""
    numbered = list(enumerate(turns, 1))
    if wanted is None:
        return numbered
    found = [(number, turn) for number, turn in numbered if wanted in (str(number), turn.id)]
    if not found:
        raise InputError("replay.no_turn", turn=wanted, count=len(turns))
    return found


async def _replay(
    invocation: Invocation, owner: str, turns: Sequence[tuple[int, StoredTurn]]
) -> list[TurnReplay]:
    from troly.conversation.replay import replay, temporary_copy
    from troly.plugin.registry import Registry

    found = []
    with temporary_copy(invocation.paths, invocation.settings, Registry()) as services:
        for number, turn in turns:
            try:
                # Modes that remember nothing: what a turn reused is run before it.
                again = await replay(services, Registry(), owner, turn.id)
                found.append(TurnReplay(number, turn.id, again))
            except InputError as error:
                found.append(TurnReplay(number, turn.id, problem=error))
        await services.llm.aclose()
    return found


def _print_replay(invocation: Invocation, one: TurnReplay) -> None:
    say, again = invocation.say, one.replayed
    if again is None:
        problem = one.problem.render(invocation.lang).line() if one.problem else ""
        note(say("replay.refused", number=one.number, problem=problem))
        return
    question = one_line(again.recording.question.text, WIDTH)
    if again.same:
        data(say("replay.same", number=one.number, count=again.events, question=question))
        return
    data(say("replay.different", number=one.number, count=len(again.different), question=question))
    columns = ["#", *(say(f"replay.column.{name}") for name in ("event", "field", "recorded", "replayed"))]
    rows = [
        [str(each.number), each.event, path]
        + [say("replay.missing") if value is None else one_line(value, WIDTH) for value in (was, now)]
        for each in again.different[:SHOWN]
        for path, was, now in each.changes
    ]
    data(grid(columns, rows))
    if len(again.different) > SHOWN:
        data(say("replay.more", count=len(again.different) - SHOWN))
    for key, names in (("changed", again.data), ("unrecorded", again.missed)):
        if names:
            note(say(f"replay.{key}", names=", ".join(names)))


def _as_json(invocation: Invocation, one: TurnReplay) -> dict[str, Any]:
    again, head = one.replayed, {"number": one.number, "turn": one.turn}
    if again is None:
        text = one.problem.render(invocation.lang) if one.problem else None
        return {
            **head,
            "same": False,
            "problem": one.problem.key if one.problem else "",
            "message": text.line() if text else "",
        }
    differences = [
        {
            "number": each.number,
            "event": each.event,
            "changes": [{"field": path, "recorded": was, "replayed": now} for path, was, now in each.changes],
        }
        for each in again.different
    ]
    return {
        **head,
        "same": again.same,
        "events": again.events,
        "differences": differences,
        "data_changed": list(again.data),
        "unrecorded": list(again.missed),
        "replayed_first": list(again.replayed_first),
    }
