"""The guard refuses every known attack and every half-written statement, and says which part it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sandbox.scene import BUILDINGS, CANARY, ROOMS
from troly.sandbox import CheckedQuery, SandboxError, check
from troly.text.catalogue import LANGS

LISTED = {"rooms": ROOMS, "buildings": BUILDINGS}
ATTACKS = Path(__file__).with_name("attacks.txt")


def _attacks() -> Iterator[tuple[str, str, str]]:
    for line in ATTACKS.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            key, part, sql = (piece.strip() for piece in line.split("|", maxsplit=2))
            yield key, part, sql


@pytest.mark.parametrize(("key", "part", "sql"), list(_attacks()))
def test_an_attack_is_refused_and_named(key: str, part: str, sql: str) -> None:
    with pytest.raises(SandboxError) as caught:
        check(sql, LISTED, max_rows=10)
    assert caught.value.key == key, str(caught.value)
    assert part in str(caught.value.params.get("part", "")).lower()
    for lang in LANGS:
        told = caught.value.render(lang)
        assert told.title
        assert told.message
        assert told.remedy


_SPELLINGS = st.sampled_from(
    [
        "users",
        "USERS",
        '"users"',
        '"Users"',
        "users u",
        "users AS rooms",
        "(users)",
        "((SELECT * FROM users))",
    ]
)
_HOLES = (
    "SELECT * FROM {}", "SELECT * FROM rooms JOIN {} ON true", "SELECT * FROM rooms NATURAL JOIN {}",
    "SELECT (SELECT 1 FROM {} LIMIT 1)", "WITH a AS (SELECT * FROM {}) SELECT * FROM rooms",
    "WITH rooms AS (SELECT * FROM {}) SELECT * FROM rooms", "SELECT 1 FROM rooms WHERE id = ANY (SELECT 1 FROM {})",
    "SELECT * FROM rooms EXCEPT SELECT * FROM {}", "SELECT count(*) FILTER (WHERE id IN (SELECT 1 FROM {})) FROM rooms",
    "SELECT 1 FROM rooms WINDOW w AS (ORDER BY (SELECT 1 FROM {}))",
    "SELECT 1 FROM (SELECT 1 FROM (SELECT 1 FROM {}) b) a", "SELECT DISTINCT ON ((SELECT 1 FROM {})) id FROM rooms",
)  # fmt: skip


@given(st.sampled_from(_HOLES), _SPELLINGS)
def test_an_unlisted_table_is_refused_in_every_place_and_spelling(hole: str, spelling: str) -> None:
    with pytest.raises(SandboxError) as caught:
        check(hole.format(spelling), LISTED, max_rows=10)
    assert caught.value.key in {"sandbox.table", "sandbox.parse"}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "(" * 3000 + "1" + ")" * 3000,
        "SELECT * FROM " + "(" * 3000 + "rooms" + ")" * 3000,
        "SELECT " + "[" * 3000,
        "SELECT " + "not " * 3000 + "true",
        "SELECT " + "- " * 3000 + "1",
        "SELECT " + "case when true then 1 else " * 600 + "1" + " end" * 600,
        "SELECT 1 " + "+ 1" * 6000,
        "SELECT 1 " + "union select 1 " * 1200,
        "SELECT 1" + "::int" * 3500,
        "SELECT true " + "and true " * 2000,
        "SELECT " + "abs(" * 2000,
        "SELECT " + ", ".join(["price"] * 4000),
        "SELECT '" + "x" * 30_000 + "'",
        "(" * 20_000,
    ],
    ids=lambda sql: sql[7:20],
)
def test_deep_and_large_statements_end_in_a_sentence(sql: str) -> None:
    with pytest.raises(SandboxError) as caught:
        check(sql, LISTED, max_rows=10)
    assert caught.value.key in {f"sandbox.{name}" for name in ("depth", "long", "size", "joins", "parse")}


def test_brackets_inside_texts_and_comments_do_not_count() -> None:
    sql = f"SELECT '{'(' * 100}' AS a, \"id\" /* {'(' * 100} */ FROM rooms -- {'(' * 100}"
    assert check(sql, LISTED, max_rows=10).tables == ("rooms",)


_PIECES = """
    SELECT FROM WHERE rooms users ( ) , * 'x' price district union all with as lateral join on group by order limit 5
    ; -- /* */ " ' $$ [ ] { } : :: -> ? $1 read_csv count ( 1 . = < in not null case when then end over
"""
_WORDS = st.lists(st.sampled_from(sorted(set(_PIECES.split()))), max_size=25).map(" ".join)


@given(_WORDS | st.text(max_size=60) | st.text().map("SELECT {}".format))
def test_anything_typed_is_either_checked_or_refused(sql: str) -> None:
    refused: str = ""
    tables: tuple[str, ...] = ()
    try:
        tables = check(sql, LISTED, max_rows=10).tables
    except SandboxError as error:
        refused = error.render("vi").line()
    assert refused or set(tables) <= set(LISTED)


def test_what_runs_is_written_anew_without_comments() -> None:
    checked = check(f"SELECT id /* {CANARY} */ FROM rooms -- {CANARY}\n;", LISTED, max_rows=10)
    assert isinstance(checked, CheckedQuery)
    assert checked.sql == "SELECT id FROM rooms LIMIT 11"


@pytest.mark.parametrize(
    "sql", ["SELECT * FROM (1)", "EXPORT x", "SELECT to_char(posted, 'YYYY') FROM rooms"]
)
def test_the_parser_warns_nobody(sql: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(SandboxError):
        check(sql, LISTED, max_rows=10)
    assert not caplog.records


def test_nothing_listed_means_nothing_readable() -> None:
    with pytest.raises(SandboxError) as caught:
        check("SELECT * FROM rooms", {}, max_rows=10)
    assert caught.value.key == "sandbox.table"
