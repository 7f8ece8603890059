"""What a mistyped serial may have meant: look-alikes, blanks inside, other scripts, one edit; never more than offered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly_shopping.lookalikes import OFFERED, serials_written_apart, similar_serials, variants


class Records:
    """A warranty table that says which of some serials it has."""

    def __init__(self, *serials: str) -> None:
        self._serials = {serial.upper(): serial for serial in serials}

    def __call__(self, wanted: Sequence[str]) -> Mapping[str, str]:
        return {serial: self._serials[serial] for serial in wanted if serial in self._serials}


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("ABCI23", "ABC123"),
        ("abcl23", "ABC123"),
        ("PF0XK9", "PFOXK9"),
        ("8KQ5M1A", "BKQSM1A"),
        ("ZZ90", "2Z9O"),
        ("AB-C123", "ABC123"),
        ("ABC132", "ABC123"),
        ("ABC1234", "ABC123"),
        ("ABC12", "ABC123"),
        ("ABX123", "ABC123"),
        ("ＡＢＣ１２З", "ABC123"),
    ],
)
def test_a_near_serial_is_offered(typed: str, stored: str) -> None:
    assert similar_serials(typed, Records(stored, "ZZZ999XYZ")) == (stored,)


def test_look_alikes_come_before_other_edits() -> None:
    assert similar_serials("ABCI23", Records("ABCX23", "ABC123")) == ("ABC123",)


def test_many_neighbours_are_no_suggestion() -> None:
    assert similar_serials("SN-00010", Records(*(f"SN-0001{n}" for n in range(1, 9)))) == ()


@pytest.mark.parametrize("typed", ["", "A", "7", "-", "🙂", "x" * 20_000, "O" * 32, "[/b]", "\x1b[31m"])
def test_odd_input_suggests_nothing(typed: str) -> None:
    assert similar_serials(typed, Records("ABC123")) == ()
    assert serials_written_apart(typed, Records("ABC123")) == ()


@pytest.mark.parametrize(
    "text",
    [
        "ABC 123", "bảo hành ABC.123", "A B C 1 2 3", "so may abc-123 nha", "ＡＢＣ１２３", "ＡＢＣ 123",
        "serial АВС123", "ABC\u200b123", "ABC_123", "abc / 123",
    ],
)  # fmt: skip
def test_blanks_and_other_scripts_inside_a_serial(text: str) -> None:
    assert serials_written_apart(text, Records("ABC123", "XYZ789")) == ("ABC123",)


def test_a_hyphen_may_have_been_left_out() -> None:
    assert serials_written_apart("AB 12 99", Records("AB-12-99")) == ("AB-12-99",)


@given(st.text(alphabet="ABO0I1LZ2S5B8-Q", min_size=1, max_size=40))
def test_variants_stay_few_and_keep_their_length_without_hyphens(word: str) -> None:
    found = variants(word)
    assert len(found) <= 5_000
    assert {len(one.replace("-", "")) for one in found} == {len(word.replace("-", ""))}


@given(st.from_regex(r"[A-Z]{2}[0-9]{3,6}[A-Z]?", fullmatch=True), st.data())
def test_one_wrong_character_finds_the_only_near_serial(serial: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(serial) - 1))
    wrong = serial[:at] + data.draw(st.sampled_from("ABCDEFGHJKMN3467")) + serial[at + 1 :]
    assert similar_serials(wrong, Records(serial)) == (serial,)
    assert len(similar_serials(wrong, Records(serial, "QQ0000000001"))) <= OFFERED
