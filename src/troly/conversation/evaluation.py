"""Evaluation: cases from JSON lines, run as whole turns in stores of their own, and what came out as expected.

A case expects state fields of its last turn (`expect`), or is a conversation that expects of each answer what it says
(`troly.conversation.verdicts`).
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

from troly.config.settings import Settings
from troly.config.users import STAFF_PERMISSIONS, Profile, load_profile
from troly.conversation.session import Session
from troly.conversation.turn import TurnRequest, run_turn
from troly.conversation.verdicts import Expectation, Judgement, Renderer, Verdict, judge
from troly.errors import InputError
from troly.paths import Paths
from troly.plugin import samples
from troly.plugin.contract import Mode
from troly.plugin.events import Content, TurnCompleted, TurnFailed
from troly.plugin.registry import Registry
from troly.plugin.services import Services, open_services
from troly.text.catalogue import LANGS, Lang
from troly.text.dates import parse_now
from troly.text.fold import fold

FIELDS = frozenset({"id", "mode", "text", "turns", "expect", "lang", "form", "now", "user", "role", "asker"})
ASKER_FIELDS = frozenset({"user", "role", "permissions", "department"})
# What a case made of a wrong answer says besides (`troly.conversation.wrong_answers`); it is for people.
REMARKS = frozenset({"state", "reason", "note"})
TURN_FIELDS = frozenset({"say", "right", "wrong", "plain", "urgent", "note"})
NO_FORM = "-"


@dataclass(frozen=True, slots=True)
class Case:
    """One conversation: `turns` are the user's messages in order.

    `expect` maps a state field of the last turn (nested ones with dots, `text` for the whole answer) to its value, to
    the list of accepted values, or to `{"not": value}`. `answers` has one expectation a turn instead. `mode` is ""
    where the line names none; `line` is where the case stands in its file.
    """

    id: str
    turns: tuple[str, ...]
    expect: Mapping[str, Any] = field(default_factory=dict)
    forms: tuple[str, ...] = (NO_FORM,)
    lang: Lang | None = None
    now: datetime | None = None
    user: str = ""
    role: str = ""
    line: int = 0
    mode: str = ""
    answers: tuple[Expectation, ...] = ()
    permissions: frozenset[str] | None = None
    department: str = ""

    @property
    def text(self) -> str:
        return self.turns[-1]

    @property
    def form(self) -> str:
        return self.forms[0]


@dataclass(frozen=True, slots=True)
class CaseProblem:
    """A line that is no case: its number from 1, and why as an error of the catalogue."""

    line: int
    error: InputError


@dataclass(slots=True)
class CaseFile:
    cases: list[Case] = field(default_factory=list)
    problems: list[CaseProblem] = field(default_factory=list)


def read_case_file(path: Path) -> CaseFile:
    """The cases of the file `path`; raises InputError `eval.file` when it cannot be read."""
    try:
        with path.open("rb") as stream:
            return read_cases(stream)
    except OSError as error:
        raise InputError("eval.file", file=path, reason=error.strerror or error) from error


def read_cases(lines: Iterable[bytes]) -> CaseFile:
    """The cases of JSON lines; empty lines are left out, of two cases with one id the second is a problem."""
    found = CaseFile()
    seen: set[str] = set()
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        try:
            case = parse_case(raw, number)
        except InputError as error:
            found.problems.append(CaseProblem(number, error))
            continue
        if case.id in seen:
            found.problems.append(CaseProblem(number, InputError("eval.twice", id=case.id)))
            continue
        seen.add(case.id)
        found.cases.append(case)
    return found


def parse_case(raw: bytes, line: int) -> Case:
    """The case of one line; one without an id is named by its line. Raises InputError `eval.*`."""
    fields = _object(raw)
    _only(fields, FIELDS, REMARKS)
    turns, answers = _turns(fields)
    expect = fields.get("expect", {})
    if not isinstance(expect, dict) or bool(expect) == bool(answers):
        raise InputError("eval.expect")
    tag = fields.get("id", line)
    if isinstance(tag, bool) or not isinstance(tag, (str, int)) or not str(tag).strip():
        raise InputError("eval.type", field="id")
    asker = fields.get("asker") or {}
    if not isinstance(asker, dict):
        raise InputError("eval.type", field="asker")
    _only(asker, ASKER_FIELDS)
    return Case(
        id=str(tag),
        turns=turns,
        expect=expect,
        forms=_forms(fields.get("form")),
        lang=_language(fields),
        now=_moment(fields),
        user=_word(fields, "user") or _word(asker, "user"),
        role=_word(fields, "role") or _word(asker, "role"),
        permissions=_permissions(asker),
        department=_word(asker, "department"),
        line=line,
        mode=_word(fields, "mode"),
        answers=answers,
    )


def _only(fields: Mapping[str, Any], known: frozenset[str], remarks: frozenset[str] = frozenset()) -> None:
    unknown = sorted(set(fields) - known - remarks)
    if unknown:
        raise InputError("eval.unknown", field=unknown[0], known=", ".join(sorted(known)))


def _object(raw: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError("eval.encoding", byte=error.start + 1) from error
    except (ValueError, RecursionError) as error:
        raise InputError("eval.not_json", reason=str(error)[:120]) from error
    if not isinstance(fields, dict):
        raise InputError("eval.object")
    return fields


def _turns(fields: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[Expectation, ...]]:
    """The messages, and what is expected of each answer where `turns` are objects: `text` or `turns`, exactly one."""
    text, turns = fields.get("text"), fields.get("turns")
    if (text is None) == (turns is None):
        raise InputError("eval.text")
    said = [text] if turns is None else turns
    if isinstance(said, list) and said and all(isinstance(one, str) for one in said):
        return tuple(said), ()
    if not isinstance(turns, list) or not turns or not all(isinstance(one, dict) for one in turns):
        raise InputError("eval.text")
    messages, answers = [], []
    for turn in turns:
        _only(turn, TURN_FIELDS)
        if not isinstance(turn.get("say"), str):
            raise InputError("eval.text")
        messages.append(turn["say"])
        answers.append(_expectation(turn))
    return tuple(messages), tuple(answers)


def _expectation(turn: Mapping[str, Any]) -> Expectation:
    for name in ("plain", "urgent"):
        if not isinstance(turn.get(name), bool | None):
            raise InputError("eval.answer", field=name)
    right, wrong = turn.get("right") or [], turn.get("wrong") or []
    if not isinstance(right, list) or not isinstance(wrong, list):
        raise InputError("eval.answer", field="right" if isinstance(wrong, list) else "wrong")
    alternatives = [tuple(map(_string, one if isinstance(one, list) else [one])) for one in right]
    return Expectation(
        right=tuple(one for one in alternatives if one),
        wrong=tuple(map(_string, wrong)),
        plain=bool(turn.get("plain")),
        urgent=turn.get("urgent"),
        note=str(turn.get("note") or ""),
    )


def _string(value: Any) -> str:
    """A string to look for; a number stands for its digits."""
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).strip():
        raise InputError("eval.answer", field="right, wrong")
    return str(value)


def _forms(value: Any) -> tuple[str, ...]:
    forms = [value] if isinstance(value, str) else value or [NO_FORM]
    if not isinstance(forms, list) or not all(isinstance(one, str) and one.strip() for one in forms):
        raise InputError("eval.type", field="form")
    return tuple(one.strip() for one in forms)


def _word(fields: Mapping[str, Any], key: str) -> str:
    value = fields.get(key)
    if value in (None, ""):
        return ""
    if not isinstance(value, str) or not value.strip():
        raise InputError("eval.type", field=key)
    return value.strip()


def _permissions(asker: Mapping[str, Any]) -> frozenset[str] | None:
    given = asker.get("permissions")
    if given is None:
        return None
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise InputError("eval.type", field="permissions")
    return frozenset(given)


def _language(fields: Mapping[str, Any]) -> Lang | None:
    value = _word(fields, "lang")
    found = next((lang for lang in LANGS if lang == value), None)
    if value and found is None:
        raise InputError("eval.lang", value=value)
    return found


def _moment(fields: Mapping[str, Any]) -> datetime | None:
    value = _word(fields, "now")
    try:
        return parse_now(value) if value else None
    except ValueError as error:
        raise InputError("eval.now", value=value) from error


MISSING = "(missing)"
TEXT, NOT = "text", "not"
Seed = Callable[[Services, Mode], None]
ProgressCallback = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class FieldMiss:
    """A field that came out otherwise: what was accepted, and what was got."""

    field: str
    expected: Any
    got: Any


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case: which fields were missed, or the judgement on each answer of a conversation.

    `failed` is the code of a last turn that failed, else "".
    """

    case: Case
    misses: tuple[FieldMiss, ...] = ()
    failed: str = ""
    ms: float = 0.0
    judgements: tuple[Judgement, ...] = ()


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How many of `total` were `right`."""

    right: int = 0
    total: int = 0

    @property
    def share(self) -> float:
        """The accuracy, 0 to 1; 1 where nothing was asked."""
        return self.right / self.total if self.total else 1.0


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """One answer of a conversation: the case, which turn from 0, and the judgement."""

    case: Case
    index: int
    judgement: Judgement

    @property
    def expected(self) -> Expectation:
        return self.case.answers[self.index]


@dataclass(slots=True)
class EvaluationReport:
    mode: str
    results: list[CaseResult] = field(default_factory=list)

    @property
    def fields(self) -> tuple[str, ...]:
        """The state fields that were asked for, in the order of the cases."""
        return tuple(dict.fromkeys(name for result in self.results for name in result.case.expect))

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms of the cases that expect state fields, in their order."""
        return tuple(
            dict.fromkeys(form for result in self.results if result.case.expect for form in result.case.forms)
        )

    @property
    def failures(self) -> list[CaseResult]:
        return [result for result in self.results if result.misses]

    def count(self, name: str | None = None, form: str | None = None) -> Accuracy:
        """Of the field `name` in the cases of `form`; without a name, whole cases; without a form, all of them."""
        judged = [result for result in self.results if result.case.expect]
        chosen = [result for result in judged if form is None or form in result.case.forms]
        if name is None:
            return Accuracy(sum(not result.misses for result in chosen), len(chosen))
        asked = [result for result in chosen if name in result.case.expect]
        missed = sum(any(miss.field == name for miss in result.misses) for result in asked)
        return Accuracy(len(asked) - missed, len(asked))

    def missed(self, least: float) -> list[str]:
        """The fields whose accuracy over all cases is below `least`, 0 to 1; `right` where too few answers are."""
        names = [name for name in self.fields if self.count(name).share < least]
        verdicts = self.verdicts()
        answered = Accuracy(verdicts["right"], verdicts.total() - verdicts["unjudged"])
        return [*names, "right"] if answered.share < least else names

    @property
    def turns(self) -> list[JudgedTurn]:
        """Every answer of the conversations, in order."""
        return [
            JudgedTurn(result.case, index, judgement)
            for result in self.results
            for index, judgement in enumerate(result.judgements)
        ]

    def verdicts(self, turns: Iterable[JudgedTurn] | None = None) -> Counter[Verdict]:
        """How many answers of the conversations (or of `turns`) were right, honest, wrong, or not judged."""
        return Counter(turn.judgement.verdict for turn in (self.turns if turns is None else turns))

    @property
    def plain(self) -> list[JudgedTurn]:
        """The answers to questions that code must answer by itself."""
        return [turn for turn in self.turns if turn.expected.plain]

    def by_form(self) -> dict[str, list[JudgedTurn]]:
        """The answers of each form; a conversation may have several."""
        groups: dict[str, list[JudgedTurn]] = {}
        for turn in self.turns:
            for form in turn.case.forms:
                groups.setdefault(form, []).append(turn)
        return groups


async def evaluate(
    session: Session,
    mode_id: str,
    cases: Sequence[Case],
    *,
    offline: bool = True,
    now: datetime | None = None,
    render: Renderer = lambda _content, _brief: "",
    progress: ProgressCallback = lambda _done, _total: None,
) -> EvaluationReport:
    """Run every case in a new conversation of `session` and judge its last turn, or each of its answers.

    The session should be one of `practice_session`: the conversations are kept where it says, in the bin. `now` is the clock of cases
    that have none; `render` writes typed content as text. Raises ConfigError for a mode that cannot be used; a turn that fails is a miss of all its fields.
    """
    mode = session.registry.get(mode_id)
    report = EvaluationReport(mode_id)
    for done, case in enumerate(cases, 1):
        person = replace(session, profile=_person(session.profile, mode, case))
        dated = replace(case, now=case.now or now)
        report.results.append(await _run_case(person, mode_id, dated, offline, render))
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
            if seed is None:
                samples.load(services, mode, "vi")
            else:
                seed(services, mode)
            # Samples may belong to the person at the keyboard; of that person nothing but the name is taken. Who asks is staff
            # as in an installation without users, where a line does not say otherwise.
            login = load_profile(own, settings).login
            yield Session(services, registry, Profile(login, login, permissions=STAFF_PERMISSIONS))
        finally:
            services.close()


def shipped_cases(mode_id: str) -> Path | None:
    """The cases that ship for a mode, or None."""
    try:
        return samples.shipped(f"eval/{mode_id}.jsonl")
    except InputError:
        return None


def _person(profile: Profile, mode: Mode, case: Case) -> Profile:
    """Who asks: the case's user, else the person whose samples belong to its role, else the session's."""
    people = mode.samples.people if mode.samples else {}
    login = case.user or people.get(fold(case.role), "")
    person = replace(profile, login=login or profile.login, name=login or profile.name)
    return person.with_claims(case.role or None, case.permissions, case.department or None)


async def _run_case(
    session: Session, mode_id: str, case: Case, offline: bool, render: Renderer
) -> CaseResult:
    conversation: str | None = None
    end: TurnCompleted | TurnFailed | None = None
    judgements = []
    for index, text in enumerate(case.turns):
        request = TurnRequest(
            mode_id, text, conversation=conversation, language=case.lang, now=case.now, offline=offline
        )
        turn = run_turn(session, request)
        content: list[Content] = []
        async for event in turn.events():
            if isinstance(event, TurnCompleted | TurnFailed):
                end = event
            elif isinstance(event, get_args(Content)):
                content.append(event)
        conversation = turn.conversation_id or conversation
        if case.answers:
            judgements.append(judge(case.answers[index], end, content, render))
    if conversation is not None:
        # The next case is somebody else's: what an assistant remembers of a person is none of theirs.
        session.services.conversations.delete(session.profile.login, conversation)
    if case.answers:
        return CaseResult(case, judgements=tuple(judgements), ms=end.ms if end else 0.0)
    return _compare(case, end)


def _compare(case: Case, end: TurnCompleted | TurnFailed | None) -> CaseResult:
    if not isinstance(end, TurnCompleted):
        code = end.code if end else "turn.failed"
        return CaseResult(
            case, tuple(FieldMiss(name, want, code) for name, want in case.expect.items()), failed=code
        )
    misses = []
    for name, want in case.expect.items():
        got = end.text if name == TEXT and TEXT not in end.state else look_up(end.state, name)
        if not accepts(want, got):
            misses.append(FieldMiss(name, want, got))
    return CaseResult(case, tuple(misses), ms=end.ms)


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
