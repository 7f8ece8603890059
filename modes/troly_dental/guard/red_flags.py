"""Finds what needs a doctor now, before anything else is asked: from words near each other, in any spelling."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from troly_dental.guard.rules import names_illness, names_mouth
from troly_dental.guard.signs import DangerSigns
from troly_dental.guard.spelling import spellings_of

# How many earlier messages may say that it is about the mouth.
_EARLIER = 6
_DEGREES = re.compile(
    r"(?<![\d.,])(?:(?:38|39|40|41)(?:[.,]\d)?\s*(?:độ|do\b|°|o?c\b|celsius)"
    r"|10[0-5](?:[.,]\d)?\s*(?:°|f\b|degrees|fahrenheit)|(?:38|39|40)[.,]\d(?!\d))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RedFlag:
    """What needs a doctor now; `advice(name)` tells what to do."""

    name: str


def red_flag(text: str, previous: Sequence[str] = ()) -> RedFlag | None:
    """The most urgent red flag of `text`, or None; never raises.

    `previous` are the user's earlier messages, oldest first: "giờ khó thở nữa" after a toothache is one.
    """
    earlier = [reading for message in list(previous)[-_EARLIER:] for reading in spellings_of(message)]
    before = any(names_mouth(reading) or _told(reading, "drawn") for reading in earlier)
    for reading in spellings_of(text):
        name = _flag(reading, before, earlier)
        if name:
            return RedFlag(name)
    return None


def _flag(text: str, before: bool, earlier: Sequence[str]) -> str | None:
    signs = DangerSigns(text)
    if signs.nobody:
        return None
    signs.exact("place_exact")
    mouth = before or names_mouth(text) or signs.has("drawn")
    for name, told in _TESTS:
        if told(signs, mouth):
            return name if mouth or name == "trauma" or not names_illness(text) else None
    if mouth and signs.has("lasting", "unstoppable") and _bleeding_before(text, signs, earlier):
        return "bleeding"
    if mouth and _DEGREES.search(text):
        return "fever"
    return None


def _breathing(signs: DangerSigns, mouth: bool) -> bool:
    swollen = signs.has("swell", "spread", "fever")
    breath = signs.has("no_breath") or signs.near("hard", "breathe", 3) or signs.cannot("breathe", 2)
    throat = (
        signs.has("no_swallow")
        or signs.near("hard", "swallow", 4)
        or (signs.near("pained", "swallow", 3) and (swollen or signs.has("infected")))
        or signs.cannot("swallow", 2)
        or (signs.has("sore_swallow") and swollen)
    )
    shut = (
        signs.has("no_open")
        or signs.near("jaw", "locked", 2)
        or signs.cannot("open", 2)
        or signs.near("hard", "open", 2)
    )
    throat = throat or signs.near("throat", "closing", 4)
    return (mouth or (swollen and signs.has("place", "place_exact"))) and (breath or throat or shut)


def _unconscious(signs: DangerSigns, mouth: bool) -> bool:
    return mouth and signs.has("faint")


def _chest(signs: DangerSigns, mouth: bool) -> bool:
    return mouth and (signs.has("chest") or signs.near("chest_place", "chest_pain", 3))


def _bleeding(signs: DangerSigns, mouth: bool) -> bool:
    stuck = signs.near("blood", "unstoppable", 7) or (signs.near("blood", "hours", 7) and not signs.mild)
    lasting = signs.near("blood", "lasting", 8) and signs.has("extraction", "unstoppable")
    drawn = signs.near("blood", "drawn", 12) and not signs.mild
    return mouth and (stuck or lasting or drawn)


def _knocked_out(signs: DangerSigns, _mouth: bool) -> bool:
    if signs.near("tooth", "knocked", 6) and not (signs.has("part") and not _accident(signs)):
        return True
    hit = _accident(signs) or signs.has("activity")
    return hit and signs.near("tooth", "out", 4) and not signs.has("part")


@lru_cache(maxsize=64)
def _told(text: str, sign: str) -> bool:
    """Whether an earlier message tells of `sign`; asked again at every turn that follows."""
    return DangerSigns(text).has(sign)


def _accident(signs: DangerSigns) -> bool:
    return signs.has("accident") or signs.near("passive", "struck", 2)


def _trauma(signs: DangerSigns, mouth: bool) -> bool:
    if signs.has("jaw_broken") or signs.near("jaw", "broken", 3):
        return True
    hit = _accident(signs) or (signs.has("activity") and signs.has("harm", "out"))
    if hit and (signs.has("face") or mouth):
        return True
    return (signs.has("tooth_broken") or signs.near("tooth", "broken", 1)) and signs.has("blood")


def _swelling(signs: DangerSigns, mouth: bool) -> bool:
    aches_only = signs.near("aches", "spread", 1) and not signs.has("swell")
    if signs.has("spread") and not aches_only and (mouth or signs.has("place", "place_exact")):
        return True
    near = signs.near("swell", "place", 8) or signs.near("swell", "place_exact", 4)
    if mouth and (signs.near("cheek", "taut", 4) or signs.near("cheek", "size_like", 6)):
        return True
    if mouth and (signs.near("jaw", "size_like", 8) or signs.near("lump", "growth", 4)):
        return True
    if mouth and signs.near("cheek", "skewed", 3) and signs.has("infected"):
        return True
    return near and (mouth or signs.near("swell", "face", 5))


def _fever(signs: DangerSigns, mouth: bool) -> bool:
    return mouth and signs.has("fever")


def _bleeding_before(text: str, signs: DangerSigns, earlier: Sequence[str]) -> bool:
    """Whether a short message says of the bleeding told before that it goes on."""
    return len(text) < 60 and not signs.has("swell") and any(_told(one, "blood") for one in earlier)


# The most urgent first.
_TESTS: tuple[tuple[str, Callable[[DangerSigns, bool], bool]], ...] = (
    ("breathing", _breathing),
    ("unconscious", _unconscious),
    ("chest", _chest),
    ("bleeding", _bleeding),
    ("knocked_out", _knocked_out),
    ("trauma", _trauma),
    ("swelling", _swelling),
    ("fever", _fever),
)
