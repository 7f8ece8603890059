"""Reading evaluation cases: what a line may say, and what is wrong with the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.conversation.evaluation import NO_FORM, parse_case, read_case_file, read_cases
from troly.errors import InputError
from troly.text.catalogue import LANGS


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
        (b"[" * 100_000, "eval.not_json"),
    ],
)
def test_a_bad_line_says_what_is_wrong(raw: bytes, key: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_case(raw, 1)
    assert caught.value.key == key
    for lang in LANGS:
        assert caught.value.render(lang).message


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
