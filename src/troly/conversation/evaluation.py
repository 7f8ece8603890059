"""Runs evaluation cases through whole turns in stores of their own, and counts what came out as expected."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from troly.config import Profile, Settings, load_profile
from troly.conversation.eval_cases import Case
from troly.conversation.session import Session
from troly.conversation.turn import TurnRequest, run_turn
from troly.errors import InputError
from troly.paths import Paths
from troly.plugin import samples
from troly.plugin.contract import Mode
from troly.plugin.events import TurnCompleted, TurnFailed
from troly.plugin.registry import Registry
from troly.plugin.services import Services, open_services

MISSING = "(missing)"
TEXT, NOT = "text", "not"
Seed = Callable[[Services, Mode], None]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Miss:
    """A field that came out otherwise: what was accepted, and what was got."""

    field: str
    expected: Any
    got: Any


@dataclass(frozen=True, slots=True)
class Result:
    """One case: which fields were right, and the misses; `failed` is the code of a turn that failed, else ""."""

    case: Case
    misses: tuple[Miss, ...]
    failed: str = ""
    ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Count:
    """How many of `total` were `right`."""

    right: int = 0
    total: int = 0

    @property
    def share(self) -> float:
        """The accuracy, 0 to 1; 1 where nothing was asked."""
        return self.right / self.total if self.total else 1.0


@dataclass(slots=True)
class Report:
    """The results of a run."""

    mode: str
    results: list[Result] = field(default_factory=list)

    @property
    def fields(self) -> tuple[str, ...]:
        """The state fields that were asked for, in the order of the cases."""
        return tuple(dict.fromkeys(name for result in self.results for name in result.case.expect))

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms of the cases, in their order."""
        return tuple(dict.fromkeys(result.case.form for result in self.results))

    @property
    def failures(self) -> list[Result]:
        """The cases with a miss."""
        return [result for result in self.results if result.misses]

    def count(self, name: str | None = None, form: str | None = None) -> Count:
        """Of the field `name` in the cases of `form`; without a name, whole cases; without a form, all of them."""
        chosen = [result for result in self.results if form is None or result.case.form == form]
        if name is None:
            return Count(sum(not result.misses for result in chosen), len(chosen))
        asked = [result for result in chosen if name in result.case.expect]
        missed = sum(any(miss.field == name for miss in result.misses) for result in asked)
        return Count(len(asked) - missed, len(asked))

    def missed(self, least: float) -> list[str]:
        """The fields whose accuracy over all cases is below `least`, 0 to 1."""
        return [name for name in self.fields if self.count(name).share < least]


async def evaluate(
    session: Session,
    mode_id: str,
    cases: Sequence[Case],
    *,
    offline: bool = True,
    progress: Progress = lambda _done, _total: None,
) -> Report:
    """Run every case in a new conversation of `session` and judge its last turn.

    The session should be one of `practice_session`: the conversations are kept where it says. Raises ConfigError for a
    mode that cannot be used; a turn that fails is a miss of all its fields.
    """
    session.registry.get(mode_id)
    report = Report(mode_id)
    for done, case in enumerate(cases, 1):
        report.results.append(await _run(session, mode_id, case, offline=offline))
        progress(done, len(cases))
    return report


@contextmanager
def practice_session(
    settings: Settings, paths: Paths, registry: Registry, mode: Mode, seed: Seed | None = None
) -> Iterator[Session]:
    """Services in a temporary folder with the shipped sample data, gone at the end.

    Settings and personas are the installation's (`paths.config` is read); its stores are never opened. The language
    follows the messages, whatever the settings say. Raises what the stores and `seed` raise.
    """
    with tempfile.TemporaryDirectory(prefix="troly-eval-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        own = Paths(data=folder / "data", config=paths.config, cache=folder / "cache")
        services = open_services(own, replace(settings, language="auto"), registry)
        try:
            (seed or load_samples)(services, mode)
            # Samples may belong to the person at the keyboard; of that person nothing but the name is taken.
            login = load_profile(own, settings).login
            yield Session(services, registry, Profile(login, login))
        finally:
            services.close()


def load_samples(services: Services, mode: Mode) -> None:
    """Load the sample data that ships with `mode`; raises InputError, StoreError."""
    samples.load(services, mode, "vi")


def shipped_cases(mode_id: str) -> Path | None:
    """The cases that ship for a mode, or None."""
    try:
        return samples.shipped(f"eval/{mode_id}.jsonl")
    except InputError:
        return None


async def _run(session: Session, mode_id: str, case: Case, *, offline: bool) -> Result:
    conversation: str | None = None
    profile = session.profile
    if case.user or case.role:
        profile = replace(
            profile,
            login=case.user or profile.login,
            name=case.user or profile.name,
            role=case.role or profile.role,
        )
    end: TurnCompleted | TurnFailed | None = None
    for text in case.turns:
        request = TurnRequest(
            mode_id, text, conversation=conversation, language=case.lang, now=case.now, offline=offline
        )
        turn = run_turn(replace(session, profile=profile), request)
        async for event in turn.events():
            if isinstance(event, TurnCompleted | TurnFailed):
                end = event
        conversation = turn.conversation_id or conversation
    return _judged(case, end)


def _judged(case: Case, end: TurnCompleted | TurnFailed | None) -> Result:
    if not isinstance(end, TurnCompleted):
        code = end.code if end else "turn.failed"
        return Result(case, tuple(Miss(name, want, code) for name, want in case.expect.items()), failed=code)
    misses = []
    for name, want in case.expect.items():
        got = end.text if name == TEXT and TEXT not in end.state else look_up(end.state, name)
        if not accepts(want, got):
            misses.append(Miss(name, want, got))
    return Result(case, tuple(misses), ms=end.ms)


def look_up(state: Mapping[str, Any], name: str) -> Any:
    """The value of a state field; `a.b` is `b` in the mapping `a`, a number an item of a list; MISSING for none."""
    if name in state:
        return state[name]
    value: Any = state
    for part in name.split("."):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list | tuple) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return MISSING
    return value


def accepts(want: Any, got: Any) -> bool:
    """Whether `got` is the value wanted, or one of a list of accepted ones; `{"not": value}` is any other."""
    if isinstance(got, tuple):
        got = list(got)
    if isinstance(want, Mapping) and set(want) == {NOT}:
        return not accepts(want[NOT], got)
    if isinstance(want, list):
        return got == want or any(_same(one, got) for one in want)
    return _same(want, got)


def _same(want: Any, got: Any) -> bool:
    """Equality that does not take 1 for true."""
    return bool(want == got) and isinstance(want, bool) == isinstance(got, bool)
