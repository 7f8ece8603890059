"""The delimiter of a CSV is found outside quotes only; cells that a spreadsheet would run are made harmless."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from troly.text.csv_text import DELIMITERS, csv_text, find_delimiter, guarded

CELLS = st.text(st.sampled_from("ABé1 ,;|\t\"'\nộđ0-/="), max_size=8)


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ('mã,ghi chú\n1,"a;b;c;d"\n2,"e;f;g;h"\n', ","),
        ('mã\tghi chú\n1\t"x|y|z\nx|y|z"\n', "\t"),
        ('a|"he said ""no;no;no"", twice"\nb|"c;d;e"\n', "|"),
        ('a,b\n"never closed;x;y;z\n1,2\n3,4\n', ","),
        ("one column\n1\n2\n", ","),
        ("", ","),
    ],
)
def test_what_stands_in_quotes_parts_nothing(text: str, delimiter: str) -> None:
    assert find_delimiter(text) == delimiter


@example([["", ";;;"], [",", '"|"']], ",")
@given(
    st.integers(2, 4).flatmap(
        lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=8)
    ),
    st.sampled_from(DELIMITERS),
)
def test_of_well_quoted_rows_the_delimiter_is_always_found(rows: list[list[str]], delimiter: str) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    assert find_delimiter(text.getvalue()) == delimiter


@pytest.mark.parametrize(
    ("cell", "safe"), [("=1+1", "'=1+1"), ("-5", "-5"), ("@a", "'@a"), ("+5,5%", "+5,5%")]
)
def test_a_formula_is_no_formula_any_more(cell: str, safe: str) -> None:
    assert guarded(cell) == safe
    assert csv_text(["a"], [[cell]]).splitlines()[0] == "a"
