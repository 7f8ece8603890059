"""Names after @ are ranked alike in all modes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from troly.plugin.mentioning import ranked
from troly.text.fold import fold

NAMES = [("Bảng lương", "a"), ("Doanh thu", "b"), ("Thu chi quý 3", "c"), ("Doanh Thu", "again")]


def test_beginnings_come_first_and_each_name_once() -> None:
    assert [name for name, _ in ranked(NAMES, "thu", 8)] == ["Thu chi quý 3", "Doanh thu"]
    assert [name for name, _ in ranked(NAMES, "DOANH", 8)] == ["Doanh thu"]
    assert [name for name, _ in ranked(NAMES, "qui", 8)] == []
    assert len(ranked(NAMES, "", 2)) == 2


@given(
    st.lists(st.tuples(st.text(max_size=12), st.text(max_size=4)), max_size=8),
    st.text(max_size=6),
    st.integers(-1, 9),
)
def test_what_is_offered_fits(names: list[tuple[str, str]], prefix: str, limit: int) -> None:
    offered = ranked(names, prefix, limit)
    assert len(offered) <= max(0, limit)
    assert all(one in names for one in offered)
    assert all(word in fold(name) for name, _ in offered for word in fold(prefix).split())
