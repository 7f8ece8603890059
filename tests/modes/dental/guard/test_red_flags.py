"""Red flags: none missed on the messages written for them, none where it is denied, supposed, long past or no person."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.modes.dental.guard.written_messages import WrittenMessage, flag_of, written
from troly.text.catalogue import LANGS, Lang
from troly.text.fold import fold
from troly_dental.guard import advice, red_flag

MESSAGES = written("red_flag_messages")
NAMES = ("breathing", "unconscious", "chest", "bleeding", "knocked_out", "trauma", "swelling", "fever")


def test_no_red_flag_is_missed() -> None:
    flags = [one for one in MESSAGES if one.wanted != "-"]
    assert len(flags) >= 280
    assert [one.text for one in flags if flag_of(one) is None] == []
    assert sum(flag_of(one) == one.wanted for one in flags) / len(flags) >= 0.95


def test_few_alarms_are_false() -> None:
    quiet = [one for one in MESSAGES if one.wanted == "-"]
    assert len(quiet) >= 90
    assert sum(flag_of(one) is not None for one in quiet) <= 1


@pytest.mark.parametrize(
    ("before", "text", "name"),
    [
        (["đau răng ba hôm nay"], "giờ khó thở nữa", "breathing"),
        (["dau rang", "uong thuoc giam dau roi"], "gio kho tho nua", "breathing"),
        (["my molar hurts"], "now I can't swallow", "breathing"),
        (["mới nhổ răng khôn"], "máu chảy hoài không cầm", "bleeding"),
        ([], "giờ khó thở nữa", None),
        (["bài hát nào hay"], "khó thở là của ca sĩ nào", None),
    ],
)
def test_earlier_messages_say_what_it_is_about(before: list[str], text: str, name: str | None) -> None:
    found = red_flag(text, before)
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("text", "flagged"),
    [
        ("đau răng nhưng không bị sốt", False),
        ("đau răng, uống thuốc rồi mà vẫn chưa hết sốt", True),
        ("sưng mặt do răng nay đã xẹp", False),
        ("uống kháng sinh mà mặt không đỡ sưng, răng vẫn đau", True),
        ("nếu sau nhổ răng bị sốt thì sao", False),
        ("nếu bị sốt thì sao, vì giờ em đang sốt và đau răng", True),
        ("năm ngoái em bị sưng mặt do răng khôn", False),
        ("năm ngoái em trám răng, giờ mặt sưng to", True),
        ("con mèo nhà tôi gãy răng, chảy máu không cầm", False),
        ("tôi bị chó cắn vào mặt, máu chảy không ngừng, gãy răng", True),
        ("thở bằng bụng khi tập yoga", False),
        ("máu chảy về tim theo tĩnh mạch", False),
        ("not sure if it is infected but my face is swollen, tooth hurts", True),
        ("I have no fever or swelling, only a chipped tooth", False),
    ],
)
def test_denied_supposed_and_past_signs_are_no_flags(text: str, flagged: bool) -> None:
    assert (red_flag(text) is not None) is flagged


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lang", LANGS)
def test_every_flag_has_advice_that_says_where_to_go(name: str, lang: Lang) -> None:
    said = advice(name, lang)
    assert "115" in said
    assert ("cấp cứu" in said.lower()) if lang == "vi" else ("emergency" in said)
    assert " mg" not in said


def test_the_advice_for_a_knocked_out_tooth_names_crown_milk_and_time() -> None:
    assert all(word in advice("knocked_out", "vi") for word in ("thân răng", "sữa", "nước bọt", "30-60 phút"))
    assert all(word in advice("knocked_out", "en") for word in ("crown", "milk", "saliva", "30-60 minutes"))


@given(st.text(max_size=300), st.lists(st.text(max_size=60), max_size=3))
@settings(max_examples=150, deadline=None)
def test_any_text_is_read(text: str, before: list[str]) -> None:
    found = red_flag(text, before)
    assert found is None or found.name in NAMES


@given(st.sampled_from(MESSAGES))
@settings(max_examples=80, deadline=None)
def test_normal_form_does_not_change_a_flag(one: object) -> None:
    text: str = one.text  # type: ignore[attr-defined]
    before: list[str] = [one.before] if one.before else []  # type: ignore[attr-defined]
    assert red_flag(unicodedata.normalize("NFD", text), before) == red_flag(text, before)


def test_a_flag_in_a_long_story_is_found() -> None:
    story = "Em kể thêm cho rõ. " * 2600
    assert red_flag(f"Mặt em sưng to do răng. {story}") is not None
    assert red_flag(f"{story} Giờ mặt em sưng to do răng.") is not None


def test_without_accents_few_flags_are_missed_and_few_are_false() -> None:
    flags = [one for one in MESSAGES if one.wanted != "-"]
    missed = [one.text for one in flags if flag_of(bare(one)) is None]
    assert len(missed) / len(flags) <= 0.012
    quiet = [one for one in (*MESSAGES, *written("guard_messages")) if one.wanted in {"-", "none", "dental"}]
    false = [one.text for one in quiet if flag_of(bare(one)) is not None and flag_of(one) is None]
    assert len(quiet) >= 900
    assert len(false) / len(quiet) <= 0.01


def bare(one: WrittenMessage) -> WrittenMessage:
    """The message as one writes who types no accents."""
    return WrittenMessage(one.wanted, fold(one.before) if one.before else None, fold(one.text))
