"""What needs help now, before anything else is asked: learnt from labelled messages of patients, parents and clinics.

Four linear classifiers (`troly.text.classifier`) read a message: whether it tells of a danger, of which one, whether minutes
count, and, in an emergency, whether it goes on. They are learnt by `python -m troly_dental.guard.train` from `data/urgent`;
what they have learnt stands in `danger.npz`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from troly.text.classifier import Classifier, load
from troly.text.fold import fold
from troly.text.match import Lexicon
from troly.text.numbers import counting_words
from troly_dental.guard.spelling import LEXICONS

FILE = Path(__file__).parent / "danger.npz"
# The most urgent first.
NAMES = (
    "self_harm", "choking", "object", "allergy", "breathing", "unconscious", "chest", "poisoning", "bleeding", "knocked_out",
    "trauma", "swelling", "nerve", "fever",
)  # fmt: skip
# What says that an emergency is left.
LEAVES = frozenset({"eased", "seen", "helped", "nobody"})
FollowUp = Literal["goes_on", "eased", "seen", "helped", "nobody", "aside"]
# Where a message is a danger: 98 of 100 that strangers wrote lie above it. Above the other it is sure without a model.
_RAISED, _SURE = 0.4, 0.8
# What was told before makes a message a danger that is none by itself, if it says at least so much of it.
_TOGETHER, _ALONE = 0.5, 0.08
_MINUTES_COUNT = 0.4
# What is of no sign is hardly a danger: few words that were never met.
_OF_A_SIGN = 0.25
# Of signs of which none is much likelier the most urgent counts.
_BESIDE = 0.6
# An emergency is left only where this is likely.
_LEFT, _LEFT_IN_PART = 0.6, 0.8
# How many earlier messages are read with one.
_EARLIER = 3
# A longer text is read in parts too: one sentence of a story may hold the danger.
_LONG, _PART = 450, 80
CLAUSE = re.compile(r"(?<=[,.;!?\n])")
_DOUBT = re.compile(r"\b(?:chac|co le|hinh nhu|maybe|probably|perhaps|i think|i guess)\b")
SENTENCE = re.compile(r"(?<=[.!?…;\n])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Danger:
    """What needs help now; `name` is the card that says what to do.

    `sure` is False where a model that answers is asked first. `severe` where minutes count.
    """

    name: str
    sure: bool = True
    severe: bool = False


def danger(text: str, previous: Sequence[str] = ()) -> Danger | None:
    """The danger that `text` tells of, or None; never raises.

    `previous` are the person's earlier messages, oldest first: "sốt 39 độ rồi" after an extraction is one.
    """
    told, likely = text, probability(text)
    if likely < _RAISED and likely >= _ALONE and previous:
        before = list(previous)[-_EARLIER:]
        together = "\n".join([*before, text])
        if probability(together) >= _TOGETHER > probability("\n".join(before)):
            told, likely = together, probability(together)
    if likely < _RAISED:
        return None
    signs = _classifier("sign").probabilities(marked(told))
    best = max(signs.values())
    if best < _OF_A_SIGN and likely < _SURE:
        return None
    name = next(name for name in NAMES if signs[name] >= _BESIDE * best)
    if name == "knocked_out" and _only_broken(told):
        name = "trauma"
    return Danger(name, likely >= _SURE, is_severe(told))


def _only_broken(text: str) -> bool:
    """Whether `text` tells of a tooth that broke, of which a piece may be kept, or says that it did not come out, and of none that came out."""
    found = _tooth().find(text)
    hits = [hit for hit in found if hit.label != "out" or not _DENIED.search(fold(text[: hit.start]))]
    # "Máu không cầm" speaks of no tooth.
    if any(hit.phrase != "cầm" for hit in found if hit not in hits):
        return all(hit.label != "out" or hit.phrase == "cầm" for hit in hits)
    labels = {hit.label for hit in hits if hit.label != "broken" or hit.exact or fold(hit.phrase) == "gay"}
    return "broken" in labels and not labels & ({"out"} if "piece" in labels else {"out", "kept"})


# What stands before what is denied: "không rớt", "chưa bị văng", "didn't come out".
_DENIED = re.compile(
    r"(?:\b(?:khong|ko|k|kg|hong|hok|hem|chua|chang|cha|not|never|didnt|hasnt|isnt)|n't)\s+(?:(?:bi|co|he|phai|toi muc|den noi|been|completely|quite)\s+)*$"
)


@cache
def _tooth() -> Lexicon:
    return Lexicon.load(LEXICONS / "tooth.txt")


@lru_cache(maxsize=64)
def probability(text: str) -> float:
    """How likely `text` tells of a danger, 0 to 1."""
    return max(_classifier("danger").probabilities(marked(part))["danger"] for part in _parts(text))


def is_severe(text: str) -> bool:
    """Whether minutes count in what `text` tells."""
    return _classifier("level").probabilities(marked(text))["now"] >= _MINUTES_COUNT


def follow_up(text: str) -> FollowUp:
    """What a message in an emergency says of it: that it goes on where nothing else is likely."""
    # Who only asks or guesses that it is over says nothing of it.
    told = "".join(part for part in CLAUSE.split(text) if not part.rstrip().endswith("?")).strip()
    if _likeliest(told or text)[0] == "aside":
        return "aside"
    for part in (told, *SENTENCE.split(told)) if told and not _DOUBT.search(fold(told)) else ():
        label, likely = _likeliest(part)
        rest = told.replace(part, "")
        if label in LEAVES and likely >= (_LEFT if part == told else _LEFT_IN_PART) and not _goes_on(rest):
            return label
    return "goes_on"


def _likeliest(text: str) -> tuple[FollowUp, float]:
    found = _classifier("follow_up").probabilities(marked(text))
    label = max(found, key=lambda name: found[name])
    return label, found[label]  # type: ignore[return-value]


def _goes_on(text: str) -> bool:
    return bool(text.strip()) and probability(text) >= _RAISED


@cache
def _learnt() -> dict[str, Classifier]:
    return load(FILE)


def _classifier(name: str) -> Classifier:
    return _learnt()[name]


def _parts(text: str) -> Iterator[str]:
    """`text`, and of a long one its sentences, joined to parts of about 80 characters."""
    yield text
    if len(text) <= _LONG:
        return
    part = ""
    for sentence in SENTENCE.split(text):
        if part and len(part) + len(sentence) > _PART:
            yield part
            part = ""
        part = f"{part} {sentence}".strip()
    yield part


# -- How much, how hot and how often: numbers that no message had before mean what they say.

_NUMBER = r"(\d{1,3})"
_HOT = re.compile(
    r"(?P<near>(?:sot|temp\w*|nhiet\w*|fever)\D{0,20})?(?<![\d.,])(?P<value>(?:3[5-9]|4[0-2]|9[6-9]|10[0-6])(?:[.,]\d)?)(?![\d.,]?\d)"
    r"\s*(?P<unit>do\b|°|o?c\b|f\b|degrees)?"
)
_TAKEN = re.compile(rf"\b{_NUMBER}\s*(vien|v|pills?|tablets?|tabs?|capsules?|goi|lieu|ong|cuc|vi|hop)\b")
_EVERY = re.compile(
    rf"\b(?:cu|moi|cach|every|each)\s+(?:\w+\s+){{0,2}}?{_NUMBER}\s*(?:tieng|gio|h|hrs?|hours?)\b"
    rf"|\b{_NUMBER}\s*(?:tieng|gio|h|hrs?|hours?)\s*(?:/|(?:\w+\s+){{0,2}})(?:1|mot)\s+(?:lan|lieu)\b"
)
_WEIGHT = re.compile(r"(?<![\d.,])(\d+(?:[.,]\d+)?)\s*(mg|milligrams?|g|gr|gams?|grams?)\b")
_FEVER, _WARM = 38, 37.5
# Of paracetamol in a day, milligrams.
_MOST = 4000
# A blister of pills or a box of them.
_PACKED, _PACK = frozenset({"vi", "hop"}), 10
# Of pills: what is usual at one time, what a label still allows in a few doses, what it may in a day, and more.
_PILLS = ((2, "few"), (4, "some"), (7, "several"))
# Doses come no nearer, hours.
_APART = 4


def cooled_down(text: str) -> bool:
    """Whether the last of the temperatures that `text` tells is no fever: "lúc nãy 39, giờ đo lại 36,9"."""
    hot = [mark for mark in _amounts(fold(_in_digits(text))) if mark in {"fever", "warm", "cool"}]
    return bool(hot) and hot[-1] != "fever"


def tells_amount(text: str) -> bool:
    """Whether `text` tells how much or how often something was taken."""
    return not {*_amounts(fold(_in_digits(text)))} <= {"fever", "warm", "cool"}


def marked(text: str) -> str:
    """`text` with a word for each amount in it."""
    return " ".join([text, "\n", *(f"zz{mark}" for mark in _amounts(fold(_in_digits(text))))])


def _amounts(text: str) -> Iterator[str]:
    for found in _HOT.finditer(text):
        value = float(found["value"].replace(",", "."))
        if found["near"] or found["unit"] or "." in found["value"] or "," in found["value"]:
            celsius = value if value < 90 else (value - 32) / 1.8
            yield "fever" if celsius >= _FEVER else "warm" if celsius >= _WARM else "cool"
    for found in _TAKEN.finditer(text):
        number = int(found[1]) * (_PACK if found[2] in _PACKED else 1)
        yield next((name for most, name in _PILLS if number <= most), "many")
    for found in _EVERY.finditer(text):
        yield "often" if int(found[1] or found[2]) < _APART else "apart"
    for found in _WEIGHT.finditer(text):
        milligrams = float(found[1].replace(",", ".")) * (1 if found[2].startswith("m") else 1000)
        yield "many" if milligrams > _MOST else "dose"


def _in_digits(text: str) -> str:
    """`text` with the numbers written in words as digits: "mười hai viên"."""
    for number in reversed(counting_words(text)):
        text = f"{text[: number.start]}{int(number.value)}{text[number.end :]}"
    return text
