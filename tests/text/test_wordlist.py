"""Word-list files are read as a person writes them, and the ones that ship are well formed."""

from __future__ import annotations

from pathlib import Path

import pytest

from troly.text.fold import nfc
from troly.text.wordlist import LEXICONS, parse_lists, read_lists


def test_sections_lines_and_comments() -> None:
    text = "# words\nalone\n[a]\none, two  # not this\n\n[b c]\nbảo hành\nx: y, z\n[a]\nthree, one\n"
    assert parse_lists(text) == {
        "": ("alone",),
        "a": ("one", "two", "three"),
        "b c": ("bảo hành",),
        "x": ("y", "z"),
    }


@pytest.mark.parametrize("text", ["[]\na", "a\n: b"])
def test_a_section_needs_a_name(text: str) -> None:
    with pytest.raises(ValueError, match="line"):
        parse_lists(text)


def test_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_text("[a]\nb", encoding="utf-8-sig")
    assert read_lists(file) == {"a": ("b",)}


@pytest.mark.parametrize("path", sorted(LEXICONS.glob("*.txt")), ids=lambda path: path.name)
def test_shipped_lists(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text == nfc(text)
    assert text.startswith("#")
    assert all(read_lists(path).values())
