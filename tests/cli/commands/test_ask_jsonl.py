"""`app ask --jsonl`: many questions in one process, every line answered or refused, labels that join lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.process.command_line import CommandLine, json_line, of_type
from troly.cli.commands.ask import JsonlQuestion, parse_line, tag_of_line
from troly.errors import InputError
from troly.text.catalogue import LANGS

TERMINAL = ("TurnCompleted", "TurnFailed")


def test_every_line_ends_once_and_is_tagged(app: CommandLine, third_party: Path) -> None:
    lines = [
        json_line(id="a", text="x"),
        "no json\n",
        "\n",
        json_line(id="b", text=""),
        json_line(id="c", text="break"),
        json_line(id=7, text="y", role="lead", user="binh", permissions=["public"], now="2026-11-22T10:00"),
        json_line(id="d", text="z", mode="nowhere"),
        json_line(text="untagged", lang="en", extra=[1]),
    ]
    ran = app.run("ask", "--mode", "slow", "--jsonl", "-", stdin="".join(lines))
    assert ran.code == 1
    ends = [event for event in ran.events if event["event"] in TERMINAL]
    assert [(end.get("id"), end["event"][4:]) for end in ends] == [
        ("a", "Completed"),
        (None, "Failed"),
        ("b", "Failed"),
        ("c", "Failed"),
        (7, "Completed"),
        ("d", "Failed"),
        (None, "Completed"),
    ]
    assert [end["line"] for end in ends if end["event"] == "TurnFailed"] == [2, 4, 5, 7]
    assert all({"mode", "conversation", "turn"} <= set(event) for event in ran.events)
    assert "binh/lead" in ends[4]["text"]


def test_all_answered_is_exit_0_from_a_file_too(app: CommandLine, third_party: Path, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(
        json_line(id=1, text="một", mode="slow") + json_line(id=2, text="hai", mode="slow"), "utf-8-sig"
    )
    ran = app.run("ask", "--mode", "nowhere", "--jsonl", str(file))
    assert ran.code == 0
    done = of_type(ran.events, "TurnCompleted")
    assert [(event["id"], event["mode"]) for event in done] == [(1, "slow"), (2, "slow")]
    assert done[0]["conversation"] != done[1]["conversation"]


def test_a_label_joins_lines_and_an_id_goes_on(app: CommandLine, third_party: Path) -> None:
    lines = [("day", "an"), ("day", "an"), ("day", "binh"), ("night", "an"), (None, "an")]
    stdin = "".join(json_line(text="x", conversation=label, user=user) for label, user in lines)
    done = of_type(app.run("ask", "--mode", "slow", "--jsonl", "-", stdin=stdin).events, "TurnCompleted")
    first, second, of_binh, night, alone = (event["conversation"] for event in done)
    assert first == second
    assert len({first, of_binh, night, alone}) == 4
    again = app.run("ask", "--mode", "slow", "--jsonl", "-", stdin=json_line(text="y", conversation=first))
    assert again.events[-1]["conversation"] == first
    fresh = app.run("ask", "--mode", "slow", "--jsonl", "-", stdin=json_line(text="y", conversation="day"))
    assert fresh.events[-1]["conversation"] != first


def test_a_file_that_cannot_be_read_is_exit_3(app: CommandLine, third_party: Path, tmp_path: Path) -> None:
    for path in (tmp_path / "absent.jsonl", tmp_path):
        ran = app.run("ask", "--mode", "slow", "--jsonl", str(path))
        assert (ran.code, ran.out) == (3, "")
        assert str(path) in ran.err


def test_no_lines_at_all_is_fine(app: CommandLine, third_party: Path) -> None:
    ran = app.run("ask", "--mode", "slow", "--jsonl", "-", stdin="")
    assert (ran.code, ran.out) == (0, "")


# Lines of `ask --jsonl`: whatever bytes come, a line is a checked question or one refusal that says why.


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
FIELDS = ("id", "text", "user", "role", "permissions", "department", "now", "conversation", "mode", "lang")
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).filter(str.strip)


@given(
    st.binary(max_size=60)
    | st.dictionaries(st.sampled_from(FIELDS), VALUES).map(lambda d: json.dumps(d).encode())
)
def test_any_line_is_a_question_or_a_refusal_with_words(raw: bytes) -> None:
    outcome: JsonlQuestion | InputError
    try:
        outcome = parse_line(raw)
    except InputError as refused:
        outcome = refused
    if isinstance(outcome, JsonlQuestion):
        assert outcome.text.strip()
    else:
        assert all(outcome.render(lang).message for lang in LANGS)
        tag_of_line(raw)


@given(
    NAMES,
    st.none() | NAMES | st.integers(),
    NAMES,
    st.none() | st.lists(NAMES, max_size=3),
    st.sampled_from([None, "vi", "en"]),
)
def test_what_is_written_is_what_is_read(
    text: str, tag: Any, name: str, permissions: list[str] | None, lang: str | None
) -> None:
    fields = {
        "id": tag,
        "text": text,
        "user": name,
        "department": name,
        "conversation": name,
        "permissions": permissions,
    }
    line = parse_line(json.dumps({**fields, "lang": lang, "now": "2026-11-22", "more": [1]}).encode())
    assert (line.text, line.tag, line.lang) == (text, tag, lang)
    assert (line.claim.user, line.claim.department, line.conversation) == (name.strip(),) * 3
    assert line.claim.permissions == (None if permissions is None else frozenset(permissions))
    assert line.now is not None
    assert line.now.isoformat() == "2026-11-22T00:00:00+07:00"


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        (b"no json", "jsonl.not_json"),
        (b"[" * 100_000, "jsonl.not_json"),
        (b"[1]", "jsonl.object"),
        (b"\xff\xfe{", "jsonl.encoding"),
        (b"{}", "jsonl.text"),
        (b'{"text": "  "}', "jsonl.text"),
        (b'{"text": 5}', "jsonl.text"),
        (b'{"text": "x", "id": [1]}', "jsonl.type"),
        (b'{"text": "x", "id": true}', "jsonl.type"),
        (b'{"text": "x", "user": 5}', "jsonl.type"),
        (b'{"text": "x", "permissions": "public"}', "jsonl.names"),
        (b'{"text": "x", "now": "soon"}', "cli.now"),
        (b'{"text": "x", "lang": "fr"}', "jsonl.lang"),
    ],
)
def test_each_mistake_has_its_own_sentence(raw: bytes, key: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_line(raw)
    assert caught.value.key == key


def test_a_bad_line_keeps_its_id_where_it_has_one() -> None:
    assert tag_of_line(b'{"id": "q7", "text": ""}') == "q7"
    assert tag_of_line(b"junk") is None
    assert parse_line(b'\xef\xbb\xbf{"text": "BOM"}').text == "BOM"
