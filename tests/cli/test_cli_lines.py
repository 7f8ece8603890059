"""Lines of `ask --jsonl`: whatever bytes come, a line is a checked question or one refusal that says why."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.cli.commands.ask import JsonlQuestion, parse_line, tag_of_line
from troly.errors import InputError
from troly.text.catalogue import LANGS

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
