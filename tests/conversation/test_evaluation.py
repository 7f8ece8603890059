"""Judging an assistant by cases: whole turns in stores of their own, counted by field and form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.modes.made import BUILT_IN, registry_of
from troly.config.load import load_settings
from troly.conversation.evaluation import (
    MISSING,
    NO_FORM,
    Accuracy,
    Case,
    EvaluationReport,
    accepts,
    evaluate,
    look_up,
    parse_case,
    practice_session,
    read_case_file,
    read_cases,
    shipped_cases,
)
from troly.conversation.verdicts import Expectation
from troly.errors import InputError
from troly.paths import Paths
from troly.text.catalogue import LANGS
from troly_shopping import MODE

SHIPPED = Path(__file__).parents[2] / "data" / "eval" / "conversations"


def _case(name: str, *turns: str, form: str = "accented", **expect: Any) -> Case:
    return Case(name, turns, {key.replace("__", "."): value for key, value in expect.items()}, (form,))


async def _judged(home: Path, *cases: Case) -> EvaluationReport:
    paths = Paths.resolve({"TROLY_HOME": str(home)})
    registry = registry_of(shopping=MODE)
    with practice_session(load_settings(paths, {}), paths, registry, MODE) as session:
        return await evaluate(session, "shopping", cases)


def test_who_asks_is_staff_as_without_a_users_file(own_home: Path) -> None:
    paths = Paths.resolve({"TROLY_HOME": str(own_home)})
    paths.users_file.parent.mkdir(parents=True, exist_ok=True)
    paths.users_file.write_text('[users.an]\npermissions = ["private"]\n', "utf-8")
    with practice_session(load_settings(paths, {}), paths, registry_of(shopping=MODE), MODE) as session:
        assert session.profile.permissions == {"internal"}


async def test_cases_run_in_order_and_the_last_turn_is_judged(own_home: Path) -> None:
    seen: list[tuple[int, int]] = []
    paths = Paths.resolve({"TROLY_HOME": str(own_home)})
    registry = registry_of(shopping=MODE)
    cases = [
        _case("1", "kiểm tra bảo hành", "ABC123", warranty_meta__serial="ABC123", intent="warranty"),
        _case("2", "giá laptop bao nhiêu", intent=["shopping", "unknown"], form="other"),
        _case("3", "is ABC123 under warranty", preferred_language="vi", intent="warranty", form="other"),
        _case("4", "xin chào", no_such_field=1),
    ]
    with practice_session(load_settings(paths, {}), paths, registry, MODE) as session:
        report = await evaluate(
            session, "shopping", cases, progress=lambda done, total: seen.append((done, total))
        )
        folder = session.services.paths.data
        assert folder.exists()
    assert not folder.exists()
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert report.fields == ("warranty_meta.serial", "intent", "preferred_language", "no_such_field")
    assert report.forms == ("accented", "other")
    assert report.count("intent") == Accuracy(3, 3)
    assert report.count("intent", "other") == Accuracy(2, 2)
    assert report.count() == Accuracy(2, 4)
    assert [(result.case.id, result.misses[0].field, result.misses[0].got) for result in report.failures] == [
        ("3", "preferred_language", "en"),
        ("4", "no_such_field", MISSING),
    ]
    assert report.missed(0.9) == ["preferred_language", "no_such_field"]
    assert report.missed(0.0) == []


async def test_the_stores_of_the_user_are_not_opened(own_home: Path) -> None:
    await _judged(own_home, _case("1", "xin chào", intent="unknown"))
    assert not (own_home / "data").exists()


async def test_a_turn_that_fails_misses_all_its_fields(own_home: Path) -> None:
    report = await _judged(own_home, _case("1", "  ", intent="unknown", message_type="clarify"))
    assert report.count("intent") == Accuracy(0, 1)
    assert report.results[0].failed == "turn.empty"


async def test_a_language_in_the_settings_does_not_hide_what_is_detected(own_home: Path) -> None:
    paths = Paths.resolve({"TROLY_HOME": str(own_home)})
    settings = load_settings(paths, {"TROLY_LANGUAGE": "vi"})
    registry = registry_of(shopping=MODE)
    with practice_session(settings, paths, registry, MODE, seed=lambda _services, _mode: None) as session:
        report = await evaluate(session, "shopping", [_case("1", "how much is it", preferred_language="en")])
    assert report.count().share == 1


def test_cases_ship_for_the_shop_alone() -> None:
    assert shipped_cases("shopping") is not None
    assert shipped_cases("nothing") is None


@pytest.mark.parametrize(
    ("name", "value"),
    [("a", 1), ("b.c", 2), ("b.d.1", "y"), ("x.y", 3), ("b.d.9", MISSING), ("a.b", MISSING), ("", MISSING)],
)
def test_nested_fields(name: str, value: object) -> None:
    assert look_up({"a": 1, "b": {"c": 2, "d": ["x", "y"]}, "x.y": 3}, name) == value


@pytest.mark.parametrize(
    ("want", "got", "right"),
    [
        ("a", "a", True),
        (["a", "b"], "b", True),
        (["a", "b"], "c", False),
        (["a", None], None, True),
        (["a"], ["a"], True),
        (["a"], ("a",), True),
        ([], [], True),
        ([[]], [], True),
        (True, 1, False),
        (1, True, False),
        (0, False, False),
        (1, 1.0, True),
        (None, "", False),
    ],
)
def test_what_is_accepted(want: object, got: object, right: bool) -> None:
    assert accepts(want, got) is right


@given(st.integers(0, 50), st.integers(0, 50))
def test_a_share_is_between_0_and_1(right: int, wrong: int) -> None:
    assert 0 <= Accuracy(right, right + wrong).share <= 1


# Reading evaluation cases: what a line may say, and what is wrong with the others.


def _line(**fields: Any) -> bytes:
    return json.dumps(fields, ensure_ascii=False).encode()


def test_a_whole_case() -> None:
    line = _line(
        id="w1",
        turns=["bảo hành", "ABC123"],
        expect={"warranty_meta.serial": ["ABC123", None]},
        lang="vi",
        form="accented",
        now="2026-11-22",
        user="an",
        role="staff",
    )
    case = parse_case(line, 7)
    assert (case.id, case.turns, case.text, case.line) == ("w1", ("bảo hành", "ABC123"), "ABC123", 7)
    assert (case.lang, case.form, case.user, case.role) == ("vi", "accented", "an", "staff")
    assert case.now is not None
    assert case.now.isoformat() == "2026-11-22T00:00:00+07:00"


def test_the_least_case_is_named_by_its_line() -> None:
    case = parse_case(_line(text="xin chào", expect={"intent": "unknown"}), 3)
    assert (case.id, case.form, case.lang, case.now) == ("3", NO_FORM, None, None)


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        (b"{", "eval.not_json"),
        (b"[]", "eval.object"),
        (b"\xff{}", "eval.encoding"),
        (_line(text="x"), "eval.expect"),
        (_line(text="x", expect={}), "eval.expect"),
        (_line(text="x", expect=["intent"]), "eval.expect"),
        (_line(expect={"a": 1}), "eval.text"),
        (_line(text="x", turns=["y"], expect={"a": 1}), "eval.text"),
        (_line(turns=[], expect={"a": 1}), "eval.text"),
        (_line(turns=["x", 1], expect={"a": 1}), "eval.text"),
        (_line(text="x", expect={"a": 1}, expected={}), "eval.unknown"),
        (_line(text="x", expect={"a": 1}, lang="fr"), "eval.lang"),
        (_line(text="x", expect={"a": 1}, now="mai"), "eval.now"),
        (_line(text="x", expect={"a": 1}, role=3), "eval.type"),
        (_line(text="x", expect={"a": 1}, id=True), "eval.type"),
        (_line(turns=[{"say": "x"}], expect={"a": 1}), "eval.expect"),
        (_line(turns=["x"]), "eval.expect"),
        (_line(turns=[{"right": ["1"]}]), "eval.text"),
        (_line(turns=[{"say": "x"}, "y"]), "eval.text"),
        (_line(turns=[{"say": "x", "right": "1"}]), "eval.answer"),
        (_line(turns=[{"say": "x", "wrong": [True]}]), "eval.answer"),
        (_line(turns=[{"say": "x", "plain": "yes"}]), "eval.answer"),
        (_line(turns=[{"say": "x", "rigth": []}]), "eval.unknown"),
        (_line(turns=[{"say": "x"}], form=[3]), "eval.type"),
        (b"[" * 100_000, "eval.not_json"),
    ],
)
def test_a_bad_line_says_what_is_wrong(raw: bytes, key: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_case(raw, 1)
    assert caught.value.key == key
    for lang in LANGS:
        assert caught.value.render(lang).message


def test_a_case_says_who_asks() -> None:
    case = parse_case(
        _line(turns=[{"say": "x"}], asker={"permissions": ["hr"], "department": "Kho", "user": "an", "role": "staff"}), 1
    )  # fmt: skip
    assert (case.user, case.role, case.permissions, case.department) == (
        "an",
        "staff",
        frozenset({"hr"}),
        "Kho",
    )
    bad: tuple[Any, ...] = ({"permission": []}, {"permissions": "hr"}, ["an"])
    for asker in bad:
        with pytest.raises(InputError):
            parse_case(_line(turns=[{"say": "x"}], asker=asker), 1)


def test_a_conversation_expects_something_of_each_answer() -> None:
    line = _line(
        id="c1",
        mode="shopping",
        role="landlord",
        form=["follow-up", "unaccented"],
        turns=[{"say": "bảo hành ABC123", "right": [["15/03/2027", "15-3-2027"], 12], "plain": True}, {"say": "còn gì nữa", "wrong": ["hết hạn"], "note": "x"}],
    )  # fmt: skip
    case = parse_case(line, 1)
    assert (case.mode, case.turns, case.forms) == (
        "shopping",
        ("bảo hành ABC123", "còn gì nữa"),
        ("follow-up", "unaccented"),
    )
    assert case.answers == (
        Expectation(right=(("15/03/2027", "15-3-2027"), ("12",)), plain=True),
        Expectation(wrong=("hết hạn",), note="x"),
    )


async def test_conversations_are_counted_by_verdict_and_form(own_home: Path) -> None:
    cases = [
        Case(
            "c1",
            ("kiểm tra bảo hành ABC123", "xzqv wkjh", "bảo hành ABC123 đến khi nào", "ABC123"),
            forms=("plain", "vi"),
            answers=(
                Expectation(right=(("ABC123",),), plain=True),
                Expectation(right=(("19 triệu",),)),
                Expectation(right=(("XYZ789",),)),
                Expectation(),
            ),
        ),
        Case("c2", ("ABC123",), forms=("vi",), answers=(Expectation(wrong=("abc123",)),)),
    ]
    report = await _judged(own_home, *cases)
    assert [turn.judgement.verdict for turn in report.turns] == [
        "right",
        "honest",
        "wrong",
        "unjudged",
        "wrong",
    ]
    assert report.verdicts() == {"right": 1, "honest": 1, "wrong": 2, "unjudged": 1}
    assert report.verdicts(report.plain) == {"right": 1}
    assert {form: dict(report.verdicts(turns)) for form, turns in report.by_form().items()} == {
        "plain": {"right": 1, "honest": 1, "wrong": 1, "unjudged": 1},
        "vi": {"right": 1, "honest": 1, "wrong": 2, "unjudged": 1},
    }
    assert report.missed(0.26) == ["right"]
    assert report.missed(0.25) == []


def test_good_lines_are_kept_and_bad_ones_numbered() -> None:
    good = _line(id="a", text="x", expect={"a": 1})
    found = read_cases([good, b"\n", b"nothing\n", good, _line(id="b", text="y", expect={"a": 1})])
    assert [case.id for case in found.cases] == ["a", "b"]
    assert [(problem.line, problem.error.key) for problem in found.problems] == [
        (3, "eval.not_json"),
        (4, "eval.twice"),
    ]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_case_file(tmp_path / "none.jsonl")
    assert caught.value.key == "eval.file"


@given(st.lists(st.binary(max_size=60), max_size=5))
def test_any_bytes_are_cases_or_problems(lines: list[bytes]) -> None:
    found = read_cases(lines)
    assert len(found.cases) + len(found.problems) == sum(bool(line.strip()) for line in lines)


@pytest.mark.parametrize("mode", BUILT_IN)
def test_the_conversations_that_ship_are_whole_and_have_a_name_each(mode: str) -> None:
    found = read_case_file(SHIPPED / f"{mode}.jsonl")
    assert found.problems == []
    assert len({case.id for case in found.cases}) == len(found.cases) >= 50
    for case in found.cases:
        assert case.mode == mode
        assert len(case.answers) == len(case.turns)
        assert case.forms
