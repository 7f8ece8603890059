"""What the danger classifiers make of messages by writers whom they did not learn from, and of those that they did."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from troly.text.fold import fold
from troly_dental.guard import danger, follow_up
from troly_dental.guard.danger import NAMES

FOLDER = Path(__file__).parents[4] / "data" / "urgent"
LEAVES = {"eased", "seen", "helped", "nobody"}


def labelled(name: str) -> list[dict[str, Any]]:
    lines = (FOLDER / f"{name}.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def share(found: list[bool]) -> float:
    return sum(found) / len(found)


def test_strangers_in_danger_are_heard_and_others_raise_no_alarm() -> None:
    """98 of 100 dangers, and 2 of 100 others at most."""
    messages = labelled("unread-messages")
    assert len(messages) >= 400
    assert share([danger(one["text"]) is not None for one in messages if one["danger"]]) >= 0.98
    assert share([danger(one["text"]) is not None for one in messages if not one["danger"]]) <= 0.02


STATED = (
    (
        ("tôi dị ứng {}", "mình dị ứng với {}", "tôi có tiền sử dị ứng {}", "con tôi dị ứng {}"),
        ("penicillin", "thuốc tê", "thuốc tê lidocain", "ibuprofen", "latex", "hải sản", "augmentin", "codein"),
    ),
    (
        ("tôi đang uống {}", "mẹ tôi uống {} mỗi ngày", "em đang dùng {} hằng ngày", "ba em đang xài {}"),
        ("warfarin", "thuốc chống đông máu xarelto", "thuốc tim", "insulin", "plavix", "thuốc huyết áp", "amlodipin"),
    ),
    (
        ("tôi bị {}", "tôi mắc {}", "mẹ tôi bị {}", "mình bị {} 5 năm rồi"),
        ("tiểu đường", "máu khó đông", "hen suyễn", "suy tim", "viêm gan B", "thiếu máu", "HIV", "tiểu cầu thấp"),
    ),
    (
        ("I'm allergic to {}", "I take {} every day", "my dad is on {}", "currently taking {}"),
        ("penicillin", "aspirin", "blood thinners", "insulin", "prednisone", "Xarelto"),
    ),
)  # fmt: skip


def test_what_a_person_has_and_takes_raises_no_alarm() -> None:
    """2 of 100 at most, with accents and without."""
    told = [form.format(value) for forms, values in STATED for form, value in product(forms, values)]
    found = [one for one in {*told, *map(fold, told)} if danger(one)]
    assert len(found) <= 0.02 * len({*told, *map(fold, told)}), found


def test_an_emergency_of_strangers_is_left_where_it_is_over_and_not_before() -> None:
    said = [(one["label"], follow_up(one["text"])) for one in labelled("unread-follow-ups")]
    assert share([read in LEAVES for label, read in said if label in {"goes_on", "aside"}]) <= 0.03
    assert share([read == label for label, read in said if label in LEAVES]) >= 0.7


def test_what_is_shipped_was_learnt_from_what_is_shipped() -> None:
    messages = [one for one in labelled("messages") if one["by"] != "composed"][::25]
    read = [danger(one["text"]) is not None for one in messages]
    assert (
        share([found is (one["sign"] is not None) for found, one in zip(read, messages, strict=True)]) >= 0.99
    )


def test_the_card_is_of_the_sign_that_was_told() -> None:
    told = [one for one in labelled("messages") if one["sign"] in NAMES and one["by"] != "composed"][::10]
    found = [(danger(one["text"]), one["sign"]) for one in told]
    assert share([one is not None and one.name == sign for one, sign in found]) >= 0.9


@given(st.text(max_size=500), st.lists(st.text(max_size=80), max_size=4))
def test_any_text_is_read(text: str, before: list[str]) -> None:
    found = danger(text, before)
    assert found is None or found.name in NAMES
    assert follow_up(text) in {*LEAVES, "goes_on", "aside"}
