"""Finds what needs help now, before anything else is asked: combinations of concepts, in any spelling, in both languages.

A danger is never a listed sentence: it is a finding at a place (swelling x face), what was taken and how much (medicine x
twelve), an object and the airway. What is denied, only supposed, long past or a figure of speech is none.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from troly.text.everyday import everyday_phrases, is_laughter
from troly.text.fold import WordToken, accents, accents_agree, fold, has_marks, tokens
from troly.text.language import detect
from troly.text.match import blank_out
from troly.text.wordlist import read_lists
from troly_dental.guard.spelling import LEXICONS, spellings_of

# How many earlier messages of the person may say what this one is about.
_EARLIER = 12
# How many of them may say that it is asked for an exam or a story.
_STUDIED = 3
_FILE = LEXICONS / "danger.txt"
_DEGREES = re.compile(
    r"(?<![\d.,])(?:(?:38|39|40|41)(?:[.,]\d)?\s*(?:độ|do(?!\w)|do(?=\d)|°|o?c\b|celsius)"
    r"|(?:temp\w*|sốt|sot|nhiệt|nhiet)\D{0,20}(?:3[89]|4[01]|10[0-5])(?!\d)"
    r"|10[0-5](?:[.,]\d)?\s*(?:°|f\b|degrees|fahrenheit)|(?:38|39|40)[.,]\d(?!\d))",
    re.IGNORECASE,
)
# A temperature that is none.
_NO_FEVER = re.compile(r"\D{0,12}(?:36|37)(?:[.,]\d)?(?![\d.,]\d|\s*tuoi\b)(?!.*\b(?:38|39|40|41)\b)")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_NUMBERS = {word: int(value) for value, said in read_lists(LEXICONS / "numbers.txt").items() for word in said}
_GROUPS = read_lists(LEXICONS / "groups.txt")
# More pills than any label allows in a day, than any allows at one time, and than a child may have in a day; the milligrams
# of paracetamol of a day.
_PILLS_A_DAY, _PILLS_AT_ONCE, _PILLS_OF_A_CHILD, _MILLIGRAMS = 8, 4, 4, 4000
# Hours between two doses: "cứ 2 tiếng", "every 2 hours", "2 tiếng một lần".
_HOURS = r"(\d{1,2}(?:\.\d)?|mot|hai|ba|bon|one|two|three|four)\s*(?:tieng|gio|h|hrs?|hours?)"
_EVERY = re.compile(
    rf"\b(?:cu|moi|cach|every|each)\s+(?:(?:nhau|tam|khoang|chung|gan|about)\s+)?(?:{_HOURS}|(?:tieng|gio|hours?))\b(?!\s*an\b)|\b{_HOURS}\s*(?:/|(?:\w+\s+){{0,2}}lai\b|(?:\w+\s+){{0,2}}(?:1|mot)\s+(?:lan|lieu)\b"
    r"|\d+\s*(?:v|vien)\b)"
)
# "5 cữ, mỗi cữ 3 viên".
_TIMES = re.compile(r"\b(\d{1,2})\s*(?:lan|cu|times|doses)\b\W*(?:\w+\s+){0,2}(?:moi|each)\b")
_STRENGTH = 200
_WEIGHT = re.compile(r"(?<![\d.,])(\d+(?:[.,]\d+)?)\s*(mg|milligrams?|g|gr|gams?|grams?)\b")
_PILLS_SHORT = re.compile(r"\b(\d{1,3})\s?v\b")
_SEVERE = read_lists(LEXICONS / "severe.txt")
_SPREADS = frozenset({"swelling", "fever", "nerve"})
# Signs that are never waited with, however the rest is said.
_CERTAIN = frozenset({"choking", "breathing", "unconscious", "poisoning", "allergy", "object"})


@dataclass(frozen=True, slots=True)
class Danger:
    """What needs help now; `name` is the card that says what to do.

    `sure` is False where something else in the message (a denied or past sign, a joke, money, a general question) may mean
    that nothing is happening: a model that answers is asked then. `severe` where a sign stands beside it of which the card says
    that it is not waited with.
    """

    name: str
    sure: bool = True
    severe: bool = False


def danger(text: str, previous: Sequence[str] = (), *, present: str | None = None) -> Danger | None:
    """The most urgent danger of `text`, or None; never raises.

    `previous` are the person's earlier messages, oldest first: "giờ khó thở nữa" after a toothache is a danger, "I have a
    fever" four messages after an extraction is one. `present` names the emergency that the conversation is in.
    """
    earlier = [_read(message) for message in list(previous)[-_EARLIER:]]
    read = _read(text)
    name = None if read.for_study(earlier[-_STUDIED:]) else _danger_of(read, earlier, present)
    if name is None or (name != "self_harm" and _asks_of_other(read)):
        return None
    sure = not read.joking and (name in _CERTAIN or not read.doubtful)
    return Danger(name, sure, any(_is_severe(one, name) for one in (read, *earlier)))


def grows_worse(text: str, name: str) -> bool:
    """Whether `text` tells of a sign that makes the danger `name` one that is not waited with."""
    return _is_severe(_read(text), name)


def _is_severe(read: _Reading, name: str) -> bool:
    signs = _SEVERE.get(name, ())
    worse = read.has(*signs) or ("fever" in signs and read.measured) or (name in _SPREADS and read.deep)
    return worse or (name == "nerve" and _limb_fails(read))


def _asks_of_other(read: _Reading) -> bool:
    """Whether no sign is told of as now, and the message ends with a question of its own about teeth, in which nothing of it
    stands: "cười tắt thở luôn. Răng khôn là răng số mấy?"
    """
    asked = "" if read.tells_of_now else read.last_question
    # "giữ chiếc răng đó thế nào" asks of what was told.
    return bool(asked) and not _read(asked).has("pointing") and _danger_of(_read(asked), [], None) is None


def asks_in_general(text: str) -> bool:
    """Whether `text` is a question about teeth that names nobody and no time, and is not what to do now."""
    return _read(text).general_question


def is_over(text: str, *, until_seen: bool = False, choked: bool = False) -> bool:
    """Whether the person says that an emergency told before is over, or that a doctor has seen to it; only this where it
    lasts `until_seen`, as that of what went down the throat does though the cough has eased. Of who `choked`, that it is
    out and the breath is back.
    """
    read = _read(text)
    if choked and read.stands("spat_out") and read.stands("breathes_well"):
        return True
    if choked and read.came_out and not read.goes_on:
        return True
    if (until_seen and _UNSEEN.search(fold(text))) or read.goes_on:
        return False  # "em đi viện rồi, bác sĩ chưa khám", "khâu rồi mà máu vẫn ra"
    signs = ("seen",) if until_seen else ("seen", "calm")
    return read.stands(*signs) or read.seen_to or read.passed_well or read.home_again


def is_helped(text: str) -> bool:
    """Whether the person says that the ambulance has come, or that they are at the hospital."""
    return _read(text).helped


def is_called_off(text: str, earlier: Sequence[str] | None = None) -> bool:
    """Whether the person says in so many words that nobody has what an emergency was raised for, or takes back what
    `earlier` messages told, where these are given."""
    parts = [part for part in _PART.split(text) if part and not _UNSURE.search(fold(_POLITE.sub("", part)))]
    said = [_read(part) for part in parts]
    if earlier is None or any(one.stands("nobody_ill") for one in said):
        return any(one.stands("nobody_ill") for one in said)
    read = _read(text)
    if read.was_an_animal:
        return True
    told = [one for one in said if not _asks(one.text.strip(" ,.!;\n"))]
    there = (*_EVENTS, *_GROUPS["goes on"])
    if any(one.has("ache", "harm") or any(one.outside(sign, "taken_back") for sign in there) for one in told):
        return False
    before = [_read(message) for message in earlier]
    signs = {sign for sign in _DENIABLE if any(one.has(sign) for one in before)}
    signs = signs - {"taken"} | ({"gulp"} if "taken" in signs else set())
    denied = read.denied_of(signs)
    left = [_without(message, denied) for message in earlier] if denied else []
    if left and any(danger(one, left[:at]) for at, one in enumerate([*left, text])):
        return False  # "không phải khó thở mà là khó nuốt": the fever and the swelling are still there
    return any(one.stands("taken_back") for one in said) or read.retracts(signs)


def _without(message: str, signs: Collection[str]) -> str:
    """`message` without the words of these signs."""
    read = _read(message)
    return blank_out(read.text, [span for sign in signs for span in read.spans_of(sign)])


def _danger_of(read: _Reading, earlier: Sequence[_Reading], present: str | None) -> str | None:
    if read.nobody:
        return None
    case = _Case(read, earlier, present)
    return next((name for name, told in _TESTS if told(case)), None)


# -- The dangers, each as its concepts; the most urgent first.


class _Case:
    """One message and what the conversation says around it."""

    def __init__(self, read: _Reading, earlier: Sequence[_Reading], present: str | None) -> None:
        self.read = read
        self.before = [one for one in earlier if not one.nobody]
        self.present = present
        self.mouth = bool(present) or any(
            one.mouth or one.has("drawn", "mouth", "gauze") for one in (read, *self.before)
        )

    @property
    def hurt_before(self) -> bool:
        """Whether one of the last messages tells of a blow and teeth are spoken of, and none says that it is over."""
        last = self.before[-_STUDIED:]
        return (
            self.mouth
            and any(one.hit for one in last)
            and not any(one.stands("seen", "calm", "gone") or one.seen_to for one in (*last, self.read))
        )

    def told_before(self, *concepts: str) -> bool:
        """Whether an earlier message has one of `concepts`."""
        return any(one.has(*concepts) for one in self.before)

    def told(self, *concepts: str) -> bool:
        """Whether this message or an earlier one has one of `concepts`."""
        return self.read.has(*concepts) or self.told_before(*concepts)


def _choking(case: _Case) -> bool:
    """Whether something eaten or put into the mouth lets no breath or voice through; a child that has neither, with no other
    cause told, is helped in the same way."""
    read = case.read
    if case.told("swell", "infected", "fever", "trismus", "hives", "injection") or read.seen_to:
        return False
    if _face_hangs(read) and not read.has("choked_on"):
        return False  # a stroke at table
    blocked = read.has("no_air") or read.cannot("breathe", 2)
    if read.has("choked_on") and (blocked or read.has("breathless", "speechless")):
        return True
    # Who chokes at table and has no voice: "đang ăn xôi thì nghẹn, không nói được".
    if read.then("taken", "choked", 4) and read.has("speechless"):
        return True
    bitten = read.has("taken") and not read.has("drug", "pill", "chemical", "mild_chemical")
    held = bitten or read.has("into", "gulp") or (read.has("eaten") and not read.has("swallow"))
    return blocked and (held or (read.has("child") and not read.elsewhere))


def _anaphylaxis(case: _Case) -> bool:
    """Whether an allergic reaction reaches the breath or the mind: its own card speaks of both."""
    return _allergy(case) and (_breathing(case) or _unconscious(case))


def _breathing(case: _Case) -> bool:
    read = case.read
    breath = read.has("breathless") or any(read.near(how, "breathe", 2) for how in ("hard", "stridor"))
    breath = breath or read.cannot("breathe", 2)
    swallow = read.near("hard", "swallow", 4) or read.cannot("swallow", 2)
    # "không nuốt trôi cái giá này" is a saying.
    swallow = swallow and not read.then("swallow", "price", 3)
    # It is the pill that is too big, or pills as such.
    pills = ("pill", "drug")
    pill = any(
        read.then("swallow", one, 1) or (read.has("big") and read.near("swallow", one, 3)) for one in pills
    )
    if pill and not case.told("swell", "infected", "fever", "trismus", "injection"):
        swallow = False
    swallow = swallow or (read.has("drool") and case.told("swell", "infected", "trismus"))
    hurts = read.near("sore", "swallow", 4) and not (
        read.cannot("swallow", 2) or read.near("tough", "swallow", 4)
    )
    worn = read.has("new_fit") and not read.has("missing", "into", "throat")
    if (hurts or worn or read.has("dry")) and not case.told("swell", "infected", "fever", "trismus"):
        swallow = False
    shut = (
        (read.cannot("open", 2) and not (read.has("eye") or read.then("open", "for_long", 4)))
        or read.has("trismus")
        or read.near("tough", "open", 2, parted=False)
        or any(
            read.near(*one) for one in (("jaw", "locked", 2), ("open", "finger", 5), ("tough", "finger", 4))
        )
        or (read.has("jaw", "mouth") and read.does_not_fit("finger", 4))
    ) and not read.cannot("close", 2)
    if read.has("tired") and not case.told("swell", "infected", "fever", "drawn", "injection", "throat"):
        shut = False
    choked = read.near("voice", "choked", 4) and case.told("injection", "drug", "swell", "infected", "hives")
    throat = choked or read.then("throat", "closing", 4) or read.then("squeezes", "throat", 2)
    # Whoever cannot swallow what is in the mouth anyway, or cannot breathe, is in danger whatever it comes from.
    breath = breath or (read.near("saliva", "swallow", 3) and read.cannot("swallow", 3))
    if breath and not case.mouth and read.elsewhere:
        return read.has("person", "now", "injection", "drug")
    about = (
        case.mouth
        or (read.has("swell") and not read.elsewhere)
        or read.has("trismus", "injection", "drug", "infected")
    )
    return breath or (about and (swallow or shut or throat))


def _unconscious(case: _Case) -> bool:
    read = case.read
    if read.has("droop", "sinks") and not read.outside("unconscious", "speechless"):
        # Slurred speech beside a face that hangs is a stroke's.
        return False
    # A body that fails after what was done to it.
    failing = (
        read.has("shock") and read.has("racing") and read.has("just") and not read.has("dreaded", "fear")
    )
    return read.has("unconscious") or (failing and case.told("drawn", "injection"))


def _chest(case: _Case) -> bool:
    arm = any(case.read.near(felt, "limb", 3) for felt in ("pressing", "numb")) and case.read.has("shock")
    muscle = case.read.has("strain") and not case.told("shock", "breathless", "racing", "limb", "grow")
    return case.mouth and (arm or (case.read.near("chest", "pressing", 5) and not muscle))


def _allergy(case: _Case) -> bool:
    read = case.read
    given = (
        case.told("injection", "drug", "drawn")
        or (case.mouth and read.has("clinician") and read.has("lip", "now"))
        or case.told("artificial", "procedure", "paste", "mild_chemical", "allergen")
        or read.near("taken", "pill", 1)
        or case.present == "allergy"
    )
    just = read.has("now", "just", "lasting", "days") or read.near("taken", "drug", 1)
    just = just or bool(case.before) or case.present is not None
    if read.has("allergic") and not read.has("just"):
        return False
    # What comes up on the skin is told behind what was done: "nhổ răng về bị nổi mẩn".
    done = ("drawn", "procedure", "injection", "drug", "artificial", "care")
    given = given or case.told("care")
    behind = any(read.then(one, "hives", _ANY) for one in done) and not read.has("price", "laugh")
    just = just or behind
    lips = read.near("lip", "swell", 2) or read.near("lip", "taut", 2)
    of_it = read.has("injection", "drug") or (case.told("injection", "drug") and read.has("spots"))
    spots = read.near("skin", "spots", 4) and not (
        read.denies("hives") and not read.outside("spots", "hives")
    )
    skin = read.has("hives") or spots or (lips and of_it)
    heart = read.has("racing", "shock") and case.told("injection", "hives")
    return given and just and (skin or heart)


def _poisoning(case: _Case) -> bool:
    read = case.read
    where = ("mouth", "soft", "face")
    burnt = any(read.near("burnt", at, 3) for at in where)
    hurt = burnt or any(read.near("splashed", at, 5) for at in where) or read.near("slipped", "eye", 2)
    strong = read.has("essence", "alcohol") and burnt and not read.has("slight", "mild")
    if strong or (read.has("chemical") and hurt) or (read.has("glue") and read.near("glued", "soft", 4)):
        return True
    # "How much I took" is asked of nobody by who lost count.
    uncounted = read.has("uncounted") and read.has("hours", "lasting", "now")
    if (read.denies("taken") and not uncounted) or read.used_up:
        return False
    child, many = case.told("child"), _many_pills(case)
    took_it = read.has("grabbed") or read.near("grabbed", "drug", 2)
    took_it = took_it or (child and read.near("missing", "pill", 2))
    # What it left of a bottle, or on its lips: nobody saw it drink.
    held = read.has("container", "drug", "pill", "chemical", "mild_chemical")
    left = child and held and read.has("traces") and not read.asks_leave
    if left and (read.has("person", "relative", "now") or read.has("unwell", "unconscious")):
        return True
    if read.has("forgot") and read.near("taken", "over_again", 4) and read.has("drug", "thinner"):
        return True
    took_it = took_it or (
        read.has("owner") and (read.taken_by_mouth or read.has("by_mistake", "missing", "empty", "unwell"))
    )
    near = any(read.near("taken", what, 2) for what in ("drug", "pill", "chemical", "mild_chemical"))
    strip = read.near("empty", "strip", 8)
    if not any((took_it, near, child, strip, many, uncounted, read.has("taken", "gulp", "too_much"))):
        return False
    asked = read.asks_leave
    by_mouth = read.taken_by_mouth or read.has("by_mistake")
    chemical = read.near("taken", "chemical", 6, parted=False) and by_mouth and not asked
    chemical = chemical or read.near("by_mistake", "chemical", 3)
    all_of_it = read.has("too_much") or read.near("whole", "container", 1)
    mild = read.near("taken", "mild_chemical", 6) and (all_of_it or read.has("flood"))
    # "cả gói" alone may be of cigarettes.
    drug = read.has("drug", "thinner") or (read.has("pill") and read.has("taken", "gulp", "by_mistake"))
    # "Lọ thuốc hết hạn uống có sao không" only asks.
    bottle = (drug or read.has("mild_chemical")) and (
        read.then("taken", "container", 4) or (read.near("taken", "container", 4) and not asked)
    )
    # "nuốt hết nguyên tuýp": of what was spoken of, unless what it held is eaten anyway: "hũ kẹo".
    held = read.has("container") and not read.near("container", "eaten", 2)
    emptied = all_of_it and read.near("taken", "container", 4) and held
    bottle = bottle or (emptied and case.told("drug", "mild_chemical", "chemical"))
    # "lỡ uống 2 viên": the amount tells; "uống nhầm" does not need one.
    slip = 0 < _pills(read) < _PILLS_AT_ONCE and not read.has("wrong_one", "child", "owner")
    wrong = (drug or read.has("container")) and read.has("by_mistake") and not slip
    # "Lỡ uống kháng sinh lúc đói có sao không" asks of when.
    slip = slip or (
        read.has("may_i")
        and not read.outside("by_mistake", "mishap")
        and not read.has("child", "owner", "unwell", "too_much", "whole", "container", "hours")
    )
    wrong = read.has("taken") and not (asked or slip) and wrong
    wrong = wrong or (child and drug and read.has("taken") and read.has("adult") and not asked)
    # Whether it does harm is asked once it has been taken, or should not be.
    leave = asked and not (read.has("harm_asked") and many)
    kept = read.has("left_over", "bought") and not read.has("taken")
    much = (many or (drug and (uncounted or (read.has("too_much") and not kept)))) and not leave
    ill = read.has("unwell") and (
        read.near("taken", "mild_chemical", 6) or (read.has("grabbed") and not read.has("gauze"))
    )
    ill = ill or (child and read.has("unwell") and (case.told("chemical") or read.near("taken", "pill", 2)))
    ill = ill or (read.has("unwell") and drug and (read.has("alcohol") or _pills(read) >= _PILLS_AT_ONCE))
    gone = read.near("empty", "strip", 8 if read.has("child") else 3)
    # Paste that is only played with is none.
    played = not (drug or read.taken_by_mouth or read.has("unwell", "by_mistake", "empty", "missing"))
    played = played and read.has("paste", "mild_chemical")
    somebodys = (
        child and took_it and not played and (drug or held or read.has("pill", "chemical", "mild_chemical"))
    )
    return any((chemical, mild, wrong, much, bottle and not slip, somebodys, (ill or gone) and not asked))


def _pills(read: _Reading, *, understood: bool = False) -> float:
    """The most pills that are named, also by a number alone where it is `understood` of what: "had like ten since lunch"."""
    short = [float(amount) for amount in _PILLS_SHORT.findall(fold(read.text))]
    # "panadol 500 2 viên": a strength is no count.
    told = [
        amount
        for amount, at in read.numbers
        if read.follows(at, ("pill", "drug"), 2 if amount < _STRENGTH else 1)
        or read.follows(at, ("pill", "drug"), 4, over="strong")
        # "Tylenol … 20 extra strength": how strong they are names the pills.
        or (amount < _STRENGTH and read.has("drug", "pill") and read.follows(at, ("extra_strong",), 1))
        or (understood and read.counts_alone(at))
    ]
    counts = [*short, *told]
    # "Trưa 6 viên, chiều uống thêm 6 viên".
    again = read.has("over_again", "any_more") and not read.has("course")
    return sum(counts) if again else max(counts, default=0.0)


def _many_pills(case: _Case) -> bool:
    """Whether more was taken than any label allows, at one time or in one day, of the medicine that is spoken of."""
    read, drug = case.read, case.told("drug", "thinner")
    every = _EVERY.search(fold(read.text))
    hours = (every and (every[1] or every[2])) or "1"
    times = _TIMES.search(fold(read.text))
    understood = case.told_before("drug", "pill") and read.has("taken") and not read.has("drug", "pill")
    took = every or read.has("ache", "harm", "taken", "harm_asked") or read.happened
    took = took or read.near("taken", "pill", 2) or (read.has("lasting") and read.has("done"))
    if (
        (read.asks_leave and not read.has("harm_asked"))
        or read.has("price", "bought", "left_over")
        or not (drug or read.has("pill"))
        or not (took or case.told_before("taken"))
    ):
        return False
    most = _pills(read, understood=understood) * (float(times[1]) if times else 1)
    strength = max(
        (
            float(amount.replace(",", ".")) * (1 if unit[0] == "m" else 1000)
            for amount, unit in _WEIGHT.findall(fold(read.text))
        ),
        default=0.0,
    )
    strips = any(amount >= 1 and read.follows(at, ("strip",), 1) for amount, at in read.numbers)
    if drug and ((strips and not read.has("course")) or strength >= _MILLIGRAMS):
        return True
    if most >= _PILLS_AT_ONCE - case.told("child") and read.has("at_once"):
        return True
    if every and max(most, 1) * 24 / max(float(_NUMBERS.get(hours, hours)), 1.0) > _PILLS_A_DAY and drug:
        return True
    days = max((amount for amount, at in read.numbers if read.follows(at, ("day",), 2)), default=1.0)
    allowed = _PILLS_OF_A_CHILD if drug and case.told("child") else _PILLS_A_DAY
    return most / max(days, 1.0) > allowed and not read.has("course")


def _self_harm(case: _Case) -> bool:
    read = case.read
    # "tự sát ví tiền" is done to a purse.
    meant = (
        any(
            not (read.follows(place.last, ("price",), 2) or read.taken_back_after(place))
            for place in read.places("suicide")
        )
        and not read.jests
    )
    taken_leave = any(
        not read.follows(one.last, ("tooth", "artificial"), 4) for one in read.places("farewell")
    )
    if meant or taken_leave or (read.near("cannot", "alive", 4) and read.near("reason", "alive", 3)):
        return True
    means = any(not read.framed(_FEARED, place) for place in read.places("means"))
    if (means and read.has("end_it")) or (read.has("brink") and read.has("weary")):
        return True
    if _prepares_the_end(read, means=means):
        return True
    leaving = (
        read.has("gone_for_good")
        and not read.has("moves")
        and read.has("apology", "ache", "person_first", "weary")
    )
    ready = read.near("gather", "sleeping_pill", 3)
    # What is only laid out may be a week's.
    ready = ready or (
        any(read.near("laid_out", what, 3) for what in ("pill", "drug"))
        and (read.has("end_it") or (read.has("weary") and read.has("any_more")))
        and not (read.has("course", "clinician", "injection") or 0 < _pills(read) <= _PILLS_A_DAY)
    )
    # A few at hand are for the pain.
    ready = ready or (
        read.near("gather", "pill", 3) and not (0 < _pills(read) <= _PILLS_A_DAY or _asks(read.text))
    )
    asleep = read.has("reason", "think", "sleeping_pill") and any(
        not read.framed(_FEARED, place) for place in read.places("no_waking")
    )
    # "ước đừng bao giờ dậy nữa"
    asleep = asleep or any(
        read.then_at("never", place, 2)
        and read.then_at("think", place, 12)
        and not read.framed(_FEARED, place)
        for place in read.places("wake")
    )
    if leaving or ready or asleep or read.near("no_reason", "go_on", 6):
        return True
    return any(
        read.then_at("think", place, 3)
        and not (read.figure(place) or read.gone_by(place) or read.jests or read.laughs_off(place))
        for place in read.places("death")
    )


def _prepares_the_end(read: _Reading, *, means: bool) -> bool:
    """Whether a thing for it is at hand, a door is locked, all of a medicine is gone or an end is named of no thing, beside what
    one tells who takes leave or is weary."""
    leaves = read.has("weary", "apology", "goodbye", "unanswered", "locked_in", "letter")
    held = any(read.near("at_hand", what, 4) for what in ("means", "sleeping_pill"))
    locked = read.has("locked_in") and (means or read.near("at_hand", "drug", 4))
    drug = read.has("drug", "sleeping_pill")
    all_of_it = (read.has("goodbye", "unanswered") and read.near("taken", "drug", 6)) or (
        read.has("letter") and drug and read.has("empty", "whole", "missing")
    )
    if locked or all_of_it or (leaves and held and not read.jests):
        return True
    sad = read.has("weary", "grief") and not read.jests
    soon = read.has("locked_in", "think") and read.has("tonight")
    asks_how = read.has("letter") or read.near("how_much", "death", 8)
    return (read.ends_nothing and (sad or soon)) or (sad and asks_how)


def _object(case: _Case) -> bool:
    read = case.read
    ill = read.has("drool", "cough", "unwell", "breathless", "refuses")
    well = read.has("well", "laugh", "breathes_well") or read.denies("cough") or read.denies("breathless")
    # What is small and smooth, in whom is told to be well, the note answers.
    worse = ill or read.has("into", "no_air", "choked_on", "battery")
    out = read.stands("taken_out") or (read.came_out and not read.has("shock", "blood", "breathless", "ache"))
    if (read.seen_to and not read.goes_on) or out or (read.has("baby_tooth") and well and not worse):
        return False
    # Whoever has something stuck in the throat now, whether or not it shows yet.
    stuck = any(not read.is_no_event("choked_on", place) for place in read.places("choked_on"))
    now = read.has("person", "child", "relative", "now") or ill or read.cannot("swallow", 2)
    if stuck and now and not read.stands("spat_out", "calm"):
        return True
    # What burns or pinches from inside is looked for in the child that had it, before anything shows.
    burning = read.near("battery", "missing", 7) and case.told("child")
    burning = burning or (ill and read.near("battery", "mouth", 4))
    went_in = read.has("into") and (read.has("device") and read.has("cough", "breathless", "out"))
    went_in = went_in or (read.near("breathed_in", "device", 6) and read.has("cough", "breathless"))
    went_in = went_in or (read.has("into") and read.has("cough") and read.has("slipped", "out"))
    blocks = read.near("cough", "device", 5) and read.has("speechless", "breathless")
    if burning or went_in or blocks or (read.near("device", "missing", 4) and ill):
        return True
    if read.near("device", "into", 6) and (read.has("out", "gulp", "by_mistake", "slipped") or case.mouth):
        return True
    eaten = read.has("device") and not read.has("drug", "pill") and read.has("ate_it")
    return eaten or any(
        read.follows(at.last, ("device",), 5, over="gulp_filler")
        or (read.follows(at.last + 1, ("it",), 0) and read.has("device") and not read.has("drug"))
        or read.swallows_thing(at)
        for at in read.places("gulp")
    )


def _bleeding(case: _Case) -> bool:
    read = case.read
    # Gums that bleed when they are brushed are no bleeding that has to stop.
    told = any(one.has("blood") and not one.beside("mild", "blood", 4) for one in case.before)
    goes_on = read.short and told and not read.has("how_long", "supposed")
    if read.cannot("stop", 2) and ((read.has("blood") and not read.elsewhere) or (goes_on and case.mouth)):
        return True
    mild = read.beside("mild", "blood", 4) or (read.has("mild") and not read.has("blood"))
    faint = not read.elsewhere and read.has("shock", "racing", "unconscious", "unwell")
    # What is told at a dentist's of nowhere else is of a mouth.
    faint = faint or (
        not (read.elsewhere or read.has("limb"))
        and read.near("blood", "lasting", 4)
        and read.has("hours", "flood")
    )
    if not (case.mouth or faint or case.told("thinner")) or mild:
        return False
    lasting = read.near("blood", "lasting", 8) or (goes_on and read.has("lasting"))
    beside = {"flood": 8, "head": 3, "hours": 8, "bruised": 12, "drawn": 12, "procedure": 12}
    return (
        any(read.near("blood", other, gap) for other, gap in beside.items())
        or any(read.near("gauze", other, 6) for other in ("flood", "leaks", "no_use"))
        or read.near("cloth", "wet", 4)
        # A gauze that was changed and is red still, hours later or in somebody who grows faint.
        or (
            read.has("gauze")
            and read.has("flood", "leaks")
            and read.has("hours", "shock", "racing", "unconscious")
        )
        or (read.has("shock") and (read.has("blood") or case.told("thinner")))
        or (read.has("gauze") and read.near("drawn", "flood", 3))
        or (lasting and (faint or case.told("drawn", "procedure", "thinner", "gauze")))
    )


def _knocked_out(case: _Case) -> bool:
    read = case.read
    hit = read.hit or read.has("play") or any(one.hit for one in case.before)
    shed = read.has("baby_tooth") and read.has("sheds") and not read.has("blood")
    if (read.has("artificial") or shed) and not hit:
        return False
    if read.near("tooth", "knocked", 8) and (hit or read.has("knocked")):
        return True
    # "Hũ kẹo rớt": it is the jar that fell.
    jar = read.has("container") and read.near("container", "out", 1)
    return hit and not jar and read.near("tooth", "out", 4) and not read.near("tooth", "broken", 0)


def _impaled(case: _Case) -> bool:
    """Whether a thing sticks in the mouth: what is bitten on or pulled out then does harm."""
    read = case.read
    return read.near("lodged", "palate", 3) and (read.hit or read.has("blood", "ache"))


def _torn(case: _Case) -> bool:
    """Whether a lip, a tongue or a cheek is torn off, or bleeds where it is torn, or an animal bit it."""
    read = case.read
    torn = read.near("soft", "torn", 5) and read.has("blood", "beast")
    return torn or read.near("soft", "torn_off", 3) or (read.attacked and case.mouth)


def _scalded(case: _Case) -> bool:
    """Whether fire, or what is hot and was spilt, reaches a face or a mouth; not what was only eaten too hot."""
    read = case.read
    parts = ("mouth", "soft", "face")
    if any(read.beside(how, "burnt", 2) for how in ("slight", "mild")):
        return False
    burnt = any(read.near("burnt", at, 4) for at in parts)
    if read.has("heat") and read.near("burnt", "throat", 4):
        return True
    spilt = read.has("heat", "hot") and any(read.near("splashed", at, 6) for at in parts)
    return spilt or (burnt and read.has("fire", "splashed"))


def _trauma(case: _Case) -> bool:
    read = case.read
    shocked = read.near("live", "mouthed", 4) or read.has("electric")
    if (shocked and (read.has("child", "head", "unwell", "burnt") or read.mouth)) or (
        read.near("jaw", "broken", 3) and not read.near("tooth", "broken", 1)
    ):
        return True
    if (
        read.cannot("close", 2)
        and (case.mouth or read.has("jaw"))
        and not (read.has("droop", "born") or read.near("eye", "close", 3))
    ):
        return True
    hit = read.hit
    if (hit or any(one.hit for one in case.before)) and (
        read.near("jaw", "skewed", 3)
        or read.near("bite", "skewed", 2)
        or any(read.near(part, "unmet", 3) for part in ("tooth", "jaw", "bite", "close"))
    ):
        return True
    body = read.has("face", "jaw", "mouth", "tooth", "throat", "into")
    trifle = read.slightly_hurt and not read.has("head", "blood", "swell")
    struck = any(read.near("accident", at, 4) for at in ("face", "mouth")) or read.met_missile
    struck = struck and not read.denies("blood")
    if hit and body and not trifle and (read.has("harm", "head", "burnt") or struck):
        return True
    # Whoever fell a message ago, and tells now what came of it.
    if case.hurt_before and read.has("head"):
        return True
    return read.near("tooth", "broken", 2) and read.has("blood")


def _swelling(case: _Case) -> bool:
    read = case.read
    if read.near("swell", "grow", 4) and read.near("grow", "face", 2):
        return True
    mouth = case.mouth or read.has("infected")
    if read.elsewhere and not (mouth or read.has("eye")):
        return False
    if mouth and read.has("vision") and (case.told("infected", "swell", "fever") or read.has("ache", "harm")):
        return True
    told = read.has("infected", "swell", "drawn", "procedure", "ache", "sudden")
    # A face that is round as a fruit may be born so, but not one side of it, nor one that has become so.
    became = read.has("one_side", "now", "sudden") and not read.has("price", "laugh")
    if (
        read.near("swell", "face", 8 if mouth else 4)
        or (mouth and told and read.near("face", "taut", 6))
        or (became and read.near("face", "likened", 4))
    ):
        return True
    if mouth and case.told("infected", "swell") and read.beside("neck", "locked", 1):
        return True
    tongue = any(read.near("tongue", how, 3) for how in ("taut", "thick", "big")) and read.has("speechless")
    return tongue or (mouth and (read.near("swell", "grow", 6) or read.beside("grow", "neck", 4)))


def _face_hangs(read: _Reading) -> bool:
    """Whether a face or a mouth hangs or has gone askew."""
    sides = (("sinks", 3), ("skewed", 2))
    return any(read.near(part, how, gap) for part in ("face", "mouth") for how, gap in sides)


def _limb_fails(read: _Reading) -> bool:
    """Whether an arm or a leg does not do what it should."""
    drops = read.then("holds", "out", 3) or read.then("holds", "fails", 3)
    return drops or read.has("lets_fall") or any(read.near("limb", how, 4) for how in ("fails", "numb"))


def _nerve(case: _Case) -> bool:
    read, numbed = case.read, case.told("injection")
    if read.near("after_stroke", "past", 4) and not read.has("sudden", "limb", "grow"):
        return False
    # What an injection does, and of which is only asked when it ends.
    wears_off = numbed and read.has("how_long")
    hangs = _face_hangs(read)
    limb = _limb_fails(read)
    sinks = read.has("spills") or hangs
    at_once = limb or read.near("numb", "face", 4) or read.near("sudden", "speechless", 3)
    at_once = at_once or (sinks and not read.hit)
    # A stroke: a face that hangs, an arm or speech that fails, at once.
    stroke = (
        (limb and (sinks or read.has("drool", "droop", "speechless") or read.near("numb", "face", 2)))
        or (not wears_off and hangs and read.has("speechless") and not read.hit)
        or (not numbed and read.has("sudden") and at_once)
    )
    if stroke or (numbed and read.near("eye", "unseeing", 5)):
        return True
    if read.has("droop") or (
        read.cannot("close", 2) and read.near("eye", "close", 3) and not read.has("swell")
    ):
        return not wears_off and (case.mouth or numbed or read.has("numb", "now", "face"))
    long = any(count >= 2 and read.follows(at, ("day",), 1) for count, at in read.numbers)
    short = not long and any(read.follows(at, ("hour",), 1) for _, at in read.numbers)
    return (
        read.near("numb", "face", 4)
        and (long or read.has("days", "lasting") or case.told_before("drawn", "injection"))
        and (long or case.told("drawn", "procedure", "days"))
        and (long or not (short or read.has("hours_ago")))
        and not read.has("how_long")
    )


def _fever(case: _Case) -> bool:
    about = case.mouth or (case.told("infected") and not case.read.elsewhere)
    if case.read.has("teething") and case.read.has("slight", "may_i") and not case.read.measured:
        return False
    hot = case.read.near("blanket", "shiver", 4) or case.read.near("brow", "hot", 2)
    return about and (case.read.has("fever") or case.read.measured or hot)


_TESTS: tuple[tuple[str, Callable[[_Case], bool]], ...] = (
    ("self_harm", _self_harm), ("trauma", _impaled), ("choking", _choking), ("object", _object), ("allergy", _anaphylaxis),
    ("breathing", _breathing), ("unconscious", _unconscious), ("chest", _chest), ("poisoning", _poisoning), ("allergy", _allergy),
    ("bleeding", _bleeding), ("knocked_out", _knocked_out), ("trauma", _torn), ("trauma", _scalded), ("trauma", _trauma), ("swelling", _swelling), ("nerve", _nerve),
    ("fever", _fever),
)  # fmt: skip
NAMES = tuple(dict.fromkeys(name for name, _ in _TESTS))


# -- The concepts that stand in one spelling of a message, without those that do not count.


_ANY = 99
_REACH = {"": _ANY, "!": 2, "!!": 0, "~": -1}


class _Entry(NamedTuple):
    """One listed name of a concept; `reach` is how far from its partner it counts without its accents, -1 for not at all."""

    concept: str
    words: tuple[WordToken, ...]
    folded: tuple[str, ...]
    reach: int


class _Place(NamedTuple):
    """Words `first` to `last` (both counted) that name a concept, and how far away its partner may stand."""

    first: int
    last: int
    reach: int

    @property
    def sure(self) -> bool:
        """Whether the words can hardly be other ones."""
        return self.reach == _ANY


@cache
def _entries() -> dict[str, tuple[_Entry, ...]]:
    """All entries by their first folded word."""
    found: dict[str, list[_Entry]] = defaultdict(list)
    for concept, listed in read_lists(_FILE).items():
        for one in listed:
            spelt = {one, one.replace("'", ""), one.replace("vào", "vô")}
            for each in spelt:
                mark = each[len(each.rstrip("!~")) :]
                words = tuple(tokens(each.rstrip("!~")))
                folded = tuple(word.folded for word in words)
                found[folded[0]].append(_Entry(concept, words, folded, _REACH[mark]))
    return {first: tuple(entries) for first, entries in found.items()}


@cache
def _words(kind: str) -> frozenset[str]:
    """The folded entries of a list of words that change what stands beside them."""
    return frozenset(fold(one) for one in read_lists(LEXICONS / "beside.txt")[kind])


@cache
def _said(kind: str) -> re.Pattern[str]:
    """The entries of such a list as whole words of a folded text."""
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(_words(kind), key=len, reverse=True)))})\b")


_DENIABLE = frozenset(_GROUPS["deniable"])
_EVENTS = _GROUPS["events"]
_SIGNS = _GROUPS["signs"]
# How near it stands where a word may be another one.
_NEAR_STUCK = 6
_STOP = re.compile(r"[.!?;\n:…]|\s-\s")
_LIST = re.compile(r"[,/]")
_STOP_OR_LIST = re.compile(rf"{_STOP.pattern}|{_LIST.pattern}")
_HOURS_AGO = re.compile(
    r"cach (?:day|nay)\s+(?:chung |khoang |hon |gan )?(?:\d+|mot|hai|ba|bon|nam|nua|may|vai)\s*(?:phut|tieng|gio|h|p)\b"
)
# "when she was two", "hồi bé 3 tuổi".
_YOUNG = re.compile(
    r"when (?:\w+ )?\w+ (?:was|were) (?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|little|small|young|a (?:kid|child|baby|boy|girl|teen))\b"
    r"|(?:hoi|luc) (?:\w+ ){0,2}(?:\d+|mot|hai|ba|bon|nam|sau|bay|tam|chin|muoi) tuoi\b|hoi (?:no|do|ay|xua)\b(?!.*\b(?:hom qua|sang nay|hoi nay)\b)"
)
_YEAR = re.compile(r"(?:19|20)\d\d|(?:19|20)?\d0s?")
_GAP = re.compile(r"[\s\-_'’/]*")
_ASKED = re.compile(
    r"\s*(?:\S+\s+){0,3}?(?:không|khong|ko|k|hông|hong|hok)\b\s*(?:ạ|a|vậy|vay|bác sĩ|bac si|bs|nhỉ|nhi|ta)?\s*(?:[.,!?;]|$)",
    re.IGNORECASE,
)
# What a question asks with at its end or in it; what it asks of where it is about going for help.
ASKS_AT_END = re.compile(
    r"\b(?:gi|j|sao|(?:the|cach|buoc|loai|luc|khi|cho|cai|co|kieu|hang|ben|ngay|buoi|tuoi|mau|muc) nao|bao (?:nhieu|lau|gio)|o dau|cho nao"
    r"|(?:nhung|cac) \w+ nao|may (?:do|ngay|tuoi|tieng|lan|hom|gio|thang|tuan|cai|vien|phut|nam))\b"
    r"|^\W*(?:(?:and|so|also|anyway|but|then|ok|okay)\W+)*(?P<english>what|which|why|when|how|where|do|does|can|could|is|are|should|will|would)\b(?!')"
    r"|\b(?:khong|ko|k|kg|(?P<spoken>hong|hon)|hok|hem|chua)\b\W*(?:(?:a|ah|vay|v|z|the|nhi|bs|bac si|ta|ban|em|anh|chi|ha|shop|ad|dc|duoc|nua|ne|nha)\W*){0,2}$|\?"
)


def _asks(text: str) -> bool:
    """Whether `text` asks something at its end, or opens as an English question: "cắn" is no "can", "họng" no "hông"."""
    found = ASKS_AT_END.search(fold(text))
    if found and found["english"] == "do" and detect(text) != "en":
        found = ASKS_AT_END.search(fold(text), found.end())  # "do cái nhọt dưới hàm" tells why
    if found is None:
        return False
    opener, spoken = (text[slice(*found.span(name))] for name in ("english", "spoken"))
    return not has_marks([opener]) and (not has_marks([spoken]) or spoken.lower() in {"hông", "hổng", "hôn"})


_CARE = re.compile(
    r"\b(?:cap cuu|vien|di kham|gap bac si|cho|doi|(?:phai|nen|can|gio|thi) lam (?:gi|sao)|(?<!thi )(?:ngam|cam|rua|boc|dap) (?:nuoc |vao |trong |bang |kieu )?(?:gi|j|sao|dau|nao)|lam (?:gi|sao)(?= (?:gio|day|bay gio|a|vay|bac si|bs)\b|\W*$)|hospital|er|emergency|wait|what (?:do|should) i do)\b"
)
_IF = re.compile(r"\b(?:neu|gia nhu|(?:cho )?(?:den|toi) khi|if|whether|until|unless)\b")
# "My dog's face" names the dog.
_POSSESSIVE = re.compile(r"\b((?:my|our|his|her|their|the) \w+)['’]s\b", re.IGNORECASE)
_ASKER = re.compile(
    r"(?:cho|giup|chi|bao) \w+ (?:xin|hoi|biet|hieu|y kien)\b|(?:help|tell|let) me (?:know|understand|ask)\b"
)
# What asks nothing: "không sao", "không bị gì".
_NOT_ASKED = re.compile(r"\b(?:khong|ko|k|hong|chang|cha)(?: (?!biet|hieu|ro)\w+){0,2} (?:sao|gi|j|dau)$")
# How many words may stand between the wish and what is wished, and between what is felt and the wish.
_WISH_REACH = {"think": 3, "wish": 1}
_FELT_REACH = {"felt": 1, "liked": 6, "sensed": 6}
# "muốn chết cho rồi", "chết quách": it is meant.
_FOR_GOOD = re.compile(r"\s+(?:quach\b|(?:di\s+)?cho\s+(?:roi|xong|khoe|nhe)\b)")
# A part of a message with the sign that ends it; what makes that part no statement.
_PART = re.compile(r"(?<=[,.!?;\n])")
_UNSEEN = re.compile(
    r"\bchua\s+(?:duoc\s+|co\s+)?(?:bac si\s+|bs\s+|nha si\s+|ai\s+)?(?:kham|gap|xem|toi|den)\b(?!\s+lai)"
    r"|\b(?:hasn'?t|haven'?t|has not|have not|not)\s+(?:yet\s+)?(?:been\s+)?(?:seen|examined|looked at)\b"
)
# "Ạ" is polite where "à" asks.
_POLITE = re.compile(r"\bạ\b", re.IGNORECASE)
_UNSURE = re.compile(r"\?|\b(?:ha|a|chac|chang|co le|hay la|could|maybe|probably|perhaps)\b")
_LAUGHING_FACE = re.compile(r"[=:]\)\)+|[=:]D+\b|x[dD]\b|[\U0001F602\U0001F923\U0001F606]")
_NOT_WISHED = re.compile(
    r"\b(?:khong|ko|k|chang|cha|dau|co)(?: phai| co| he)?(?: noi| bao| keu)?(?: la)?(?: \w+)? (?:muon|dinh|doi|tinh)\s*$"
)
_STILL_WISHES = re.compile(
    r"\b(?:em|e|toi|minh|con|tui|i) (?:cung|van|that su|thuc su|gio|lai|still|also|really) (?:(?:\w+ )?(?:muon|want)|(?:vua|da|moi) uong)\b"
)
# Where a fear ends: with the next of a list, or what one did of it.
_FEAR_ENDS = re.compile(
    r"[,/]|\b(?:nên|nen|so)\s+(?:em|e|tôi|toi|mình|con|bé|cháu|mẹ|i|he|she)\b", re.IGNORECASE
)
_RATHER = re.compile(r"\s+than\s+(?!live\b|liv|go|keep|continue|be\b|face\b|wake)")
_ENDS_ALL = re.compile(
    r"\s*(?:(?:it|this|ngay|tat ca|het|moi thu|moi chuyen|everything|all|now|here|luon|thoi|roi|di|nay|tai day|o day|(?:toi|dem|hom) nay|tonight|today)\s*)*(?:$|[.,!?;\n])"
)
_TO_DEATH = re.compile(r"\s+(?:di\s+)?duoc\b")
# "Mới 15 phút": what has happened is of now, wherever this is told.
_MINUTES = re.compile(
    r"\b(?:moi|vua|cach day|cach nay)\s+(?:\w+\s+){0,2}\d+\s*(?:phut|p)\b|\b\d+\s*(?:minutes|mins?)\s+ago\b|\b\d+\s*phut truoc\b"
)
_TAKEN_BACK = re.compile(r"(?:^|[,.;:!?]\s*|\s)(?:a|i|y|ay|ua|oi|sorry|oops|xin loi)\s+(?:quen\s+)?$|^\s*$")
# What asks whether a thing that is often so is right.
_RIGHT = re.compile(
    r"\b(?:dung|phai|that|thiet)\s+(?:vay\s+|the\s+)?(?:khong|ko|k|hong|hok|hem|chu|ha)\b|\b(?:right|is (?:that|it) (?:true|normal))\b"
)
_QUESTION = re.compile(r"\b(?:gi|may|j|khong|ko|k|sao|nao|bao)\b|\?")
# The end of a question that is quoted and not answered with a yes; what a prescription says to take in a case.
_ASKED_OF = re.compile(
    r"\b(?:khong|ko|k|not|no|never|don'?t|doesn'?t|didn'?t|haven'?t)\b(?!.*\b(?:(?:thi|la|da) co|yes|i do)\b)"
)
_THEN_TAKEN = re.compile(
    r"^\s*(?:\w+\s+){0,3}(?:thi|then|:)\s*(?:moi\s+)?(?:cho|uong|dung|dat|nhet|give|take)\b"
)
# What stands between a condition and the treatment of which it is asked.
_MAY_HAVE = re.compile(
    r"\W*(?:\d\d(?:[.,]\d)?\s*(?:do|c)?\s+)?(?:(?:nhe|cao|thi|ma|co|nen|duoc|dc|the|di|lam|bi)\W+)*"
)
# "Đang soạn giáo án thì té", "my homework partner": what happened meanwhile, and whom one learns with.
_NO_LESSON = re.compile(r"\s+(?:thì|mà|ma|partner|buddy|mate|friend)\s", re.IGNORECASE)
_GOING_ON = "going on"
# "Nằm một tuần": where a hospital is named, there; what says that it was not so; what a lesson, and what is told, is for.
_STAYED = re.compile(
    r"nam (?:\w+ )?(?:\d+|mot|hai|ba|bon|may|vai|nua) ?(?:ngay|hom|bua|dem|tuan|thang|days?|nights?|weeks?)\b"
)


_NEAR = ("person_first", "child", "relative")
# What says that somebody has it, where another prepares to teach it.
_HAPPENING = (*_NEAR, "pupil", "now", "lasting", "days", "hours", "hours_ago")


class _Frame(NamedTuple):
    """Words that take back what stands `ahead` of or `back` from them, at so many words at most, in one such `part`.

    Not where somebody `near` stands between, a comma where the `list_ends`, or nothing follows that `asks`, or ends what is
    asked where it has to be `closed`; `unless` is what else speaks against it.
    """

    concepts: tuple[str, ...]
    ahead: int
    back: int = -1
    unless: str = ""
    near: tuple[str, ...] = ()
    asks: re.Pattern[str] | None = None
    closed: bool = False
    list_ends: bool = False
    part: Literal["clause", "sentence", "message"] = "clause"


_TOLD_OF_OTHERS = _Frame(("news", "shown"), _ANY, near=_NEAR, part="sentence")
_PAST = _Frame(("past",), _ANY, 8, part="sentence")
_MISSED = _Frame(("almost",), 2)
_FEARED = _Frame(("fear",), _ANY, unless=_GOING_ON, list_ends=True)
_DREADED = _Frame(("dreaded",), _ANY, 2, unless="now")
_CHRONIC = _Frame(("chronic",), 6, 6, unless=_GOING_ON)
_THE_OTHER_DAY = _Frame(("the_other_day",), _ANY, 8, unless="now", part="sentence")
_FRAMES = (
    _TOLD_OF_OTHERS,
    _Frame(("supposed",), _ANY, unless="now"),
    _Frame(("habit",), 2, 3, unless="now"),
    _Frame(("general",), _ANY, _ANY, unless=_GOING_ON),
    _FEARED,
    _Frame(("may_come",), _ANY, unless="now", list_ends=True),
    _Frame(("study", "nobody_ill"), _ANY, _ANY, unless=_GOING_ON, near=_NEAR, part="message"),
    _Frame(("anybody",), _ANY, unless=_GOING_ON, near=_NEAR, asks=_QUESTION),
    _Frame(("guard",), 0, unless="now"),
    _Frame(("recounted",), _ANY, unless=_GOING_ON, near=("person_first",)),
    _Frame(("some",), _ANY, unless=_GOING_ON, near=_NEAR),
    _Frame(("turned_out",), -1, _ANY, unless="now", part="sentence"),
    _Frame(("how_much",), 2, 0, unless="now"),
    _Frame(("whether",), 4, unless="now", closed=True),
    # "Bảo hiểm có chi trả gãy răng do té xe".
    _Frame(("covers",), 8, unless=_GOING_ON),
    _Frame(("often",), 1, unless="now", asks=_RIGHT),
    _Frame(("hearsay",), _ANY, unless="now", asks=_RIGHT),
    # "Bác hỏi em có khó thở không thì em không bị".
    _Frame(("was_asked",), _ANY, asks=_ASKED_OF),
    # "Nha sĩ bảo nuốt mảnh nhỏ không sao".
    _Frame(("reassured",), -1),
    # "Bs kê hapacol, sốt thì cho 1 gói".
    _Frame(("course",), _ANY, unless=_GOING_ON, asks=_THEN_TAKEN),
    _Frame(("why", "when"), _ANY, unless=_GOING_ON, near=_NEAR),
)
_SHOWN_REACH, _ONLINE_REACH, _NEAR_GONE, _SUPPOSED_REACH, _COMING_REACH, _SHORT = 3, 8, 8, 12, 5, 60
# Within how many words of a sign the question of it ends.
_CLOSES = 6


class _Reading:
    """Which concepts stand where in a message as it is meant: chat spellings written out, slips put right."""

    def __init__(self, typed: str) -> None:
        from troly_dental.guard.rules import names_illness, names_mouth

        self.text = text = _POSSESSIVE.sub(r"\1", spellings_of(typed)[-1])
        self.mouth = names_mouth(text)
        self.elsewhere = names_illness(text)
        self.short = len(text) < _SHORT
        self._words = tokens(text)
        # A word without accents, of who types them, has none.
        self._careful = 3 * sum(1 for word in tokens(typed) if accents(word.text)) >= len(self._words)
        self._english = detect(text) == "en"
        self._clauses = sorted({0, *(match.end() for match in _STOP.finditer(text))})
        self._all = self._find()
        self._all["joking"] += [
            _Place(at, at, _ANY) for at, word in enumerate(self._words) if is_laughter(word.text)
        ]
        if self._words and _LAUGHING_FACE.search(text):
            self._all["joking"].append(_Place(len(self._words) - 1, len(self._words) - 1, _ANY))
        self._all["shown"] = [
            _Place(verb.first, medium.last, _ANY)
            for seen, where, reach in (
                ("watched", "medium", _SHOWN_REACH),
                ("noticed", "online", _ONLINE_REACH),
            )
            for medium in self._sure(where)
            for verb in self._sure(seen)
            if 0 <= medium.first - verb.last - 1 <= reach
            # "Đang coi phim thì": meanwhile.
            and not (self._at(verb.first - 1, "now") and _NO_LESSON.match(self.text, self._end(medium)))
        ]
        self._all["taut"] += self._all["likened"]
        self._all["speechless"] += [
            _Place(voice.first, how.last, _ANY)
            for voice in self._sure("voice")
            for how in self._sure("unclear")
            if 0 <= how.first - voice.last - 1 <= _SHOWN_REACH
        ]
        # The "me" of "noi me day" is nobody.
        skin = self._words_of("hives")
        for one in ("person", "person_first", "relative"):
            self._all[one] = [place for place in self._all[one] if place.first not in skin]
        # The "phong" of "phong kham" is no "phồng".
        clinic = self._words_of("clinician")
        self._all["swell"] = [place for place in self._all["swell"] if place.first not in clinic]
        self._all["into"] = [place for place in self._all["into"] if not self._spreads_to(place)]
        # Who collides in play does not joke.
        blows = self._words_of("accident")
        self._all["laugh"] = [place for place in self._all["laugh"] if place.first not in blows]
        self._all["declared"] += [
            well
            for well in self._all.get("well", ())
            if any(
                0 <= well.first - said.last - 1 <= _SHOWN_REACH and not self._hidden(said)
                for said in self._sure("says")
            )
        ]
        self._all["reassured"] = [
            _Place(says.first, well.last, _ANY)
            for says in self._sure("says")
            for well in self._sure("well")
            if 0 <= well.first - says.last - 1 <= _NEAR_GONE and self._clause(says) == self._clause(well)
            if any(0 <= says.first - one.last - 1 <= 1 for one in self._sure("clinician"))
            if not self._sure("now", "grow", "lasting")  # "mà giờ nó lan xuống cổ"
        ]
        if self._sure("clinician"):
            self._all["ward"] += [
                _Place(at, at + 2, _ANY)
                for at, word in enumerate(self._words)
                if _STAYED.match(" ".join(each.folded for each in self._words[at : at + 4]))
            ]
        breaks = {self._start(place) for place in self._all.get("break", ())}
        self._sentences = sorted({*self._clauses, *breaks})
        causes = {
            self._start(place)
            for place in self._all.get("cause", ())
            if place.first and _LIST.search(self.text, self._words[place.first - 1].end, self._start(place))
        }
        self._clauses = sorted({*self._sentences, *causes})
        self._live = {
            concept: [
                place
                for place in places
                if not self._hidden(place)
                and not (concept in _DENIABLE and self.is_no_event(concept, place))
                and not (concept in {"choked_on", "no_air"} and self._long_ago(place))
                and not (concept == "choked_on" and self._of_a_thing(place))
                and not (concept == "grabbed" and self._denied(place))
                and not (concept == "by_mistake" and (self._corrects(place) or self._denied(place)))
                and not (concept in _GROUPS["injury"] and self._of_care(place))
                and not (concept == "gather" and self.framed(_TOLD_OF_OTHERS, place))
            ]
            for concept, places in self._all.items()
        }

    def _of_care(self, place: _Place) -> bool:
        """Whether one syllable without accents, of who tells that a doctor has seen to it, is more likely of that, of the child
        or of thanks: "bac si cam lai cho be xong roi, cam on"."""
        if (
            place.first != place.last
            or not self._all.get("seen")
            or has_marks(word.text for word in self._words)
        ):
            return False
        thanked = [(hit.start, hit.end) for hit in everyday_phrases(self.text) if hit.label == "thanks"]
        told = [one for concept in ("seen", "child") for one in self._all.get(concept, ())]
        return any(start <= self._start(place) < end for start, end in thanked) or any(
            one.first <= place.first <= one.last for one in told
        )

    @property
    def nobody(self) -> bool:
        """Whether no person is ill: an animal that bit nobody, a dream, a film."""
        woken = [each.first for each in self._sure("woken")]
        # What is there on waking is no dream.
        real = any(
            place.first > up
            for up in woken
            for sign in _EVENTS
            for place in self.places(sign)
            if sign != "racing"
        )
        real = real or bool(_STILL_WISHES.search(fold(self.text)))
        return any(not (real or self._hidden(place)) for place in self._all["unreal"]) or bool(
            any(not self._hidden(one) for one in self._all["animal"])
            and not (self.has("by_mistake", "beast") or self.attacked or self._child_after_animal)
        )

    @property
    def _child_after_animal(self) -> bool:
        """Whether a child comes after the animal, and then what it did: "con chó gặm vỉ thuốc rồi con em ăn theo"."""
        last = max(each.last for each in self._all["animal"])
        return any(
            last < child.first < act.first and self._clause(child) == self._clause(act)
            for child in self._sure("child")
            for act in self._sure("taken", "gulp", "choked_on", "breathless", "unconscious", "swell", "blood")
        )

    @property
    def asks_leave(self) -> bool:
        """Whether it is asked if something may be taken, before it is."""
        return self.has("may_i") and not self.has("by_mistake", "just", "lasting", "days")

    @property
    def tells_of_now(self) -> bool:
        """Whether a sign is told of as one that goes on or has just come."""
        return bool(_MINUTES.search(fold(self.text))) or any(
            (sign in _GROUPS["no relief"] and self._sure("gone"))
            or self._going_on(place)
            or self._is_now(place, self._clause(place, self._sentences))
            for sign in _DENIABLE
            for place in self._live.get(sign, ())
        )

    def for_study(self, earlier: Sequence[_Reading]) -> bool:
        """Whether the message goes on asking for the exam or the story of one before, and names nobody who is near."""
        return (
            any(
                one.has("study") or (one.has("prepares") and not self._sure("now", "pupil"))
                for one in earlier
            )
            and _asks(self.text)
            and not _said("here").search(fold(self.text).replace("roi thi", ""))
            and not any(self._near_persons(concept) for concept in _NEAR)
        )

    def _near_persons(self, concept: str) -> list[_Place]:
        """Where somebody is named who is near: "trẻ" alone is any child, unless it is told of as now."""
        anybody = [] if self._sure("now") else self._sure("anybody")
        return [
            each
            for each in self._all.get(concept, ())
            if not any(one.first <= each.first and each.last <= one.last for one in anybody)
        ]

    @property
    def general_question(self) -> bool:
        """Whether the whole message only asks about teeth, of nobody and of no time."""
        return (
            self.mouth
            and _asks(self.text)
            and not _CARE.search(fold(self.text))
            and not any(
                self._all.get(concept) for concept in ("person_first", "relative", "now", "just", "pointing")
            )
            and not any(self._live.get(sign) for sign in _GROUPS["told"])
        )

    @property
    def last_question(self) -> str:
        """The part of the message that asks about teeth at its end; "" where none does, or where it is of the signs."""
        from troly_dental.guard.rules import names_mouth

        signs = [self._start(place) for sign in _GROUPS["told"] for place in self._sure(sign)]
        for parts in (_STOP, _LIST):
            starts = [
                each.end() for each in parts.finditer(self.text) if self.text[each.end() :].strip(" .!?…")
            ]
            start = max(starts, default=0)
            last = self.text[start:]
            if start and not any(sign >= start for sign in signs):
                asks = _asks(last) and names_mouth(last) and not _CARE.search(fold(last))
                return last if asks else ""
        return ""

    @property
    def joking(self) -> bool:
        return bool(self._sure("joking"))

    @property
    def jests(self) -> bool:
        """Whether who writes laughs about what they would do to themselves at a price or if something came, wishes nothing but
        that for its price, and names nothing they suffer from."""
        suffers = self._sure("weary", "ache", "grief")
        return self.joking and not suffers and (self._stated("price") or not self._sure("think"))

    @property
    def doubtful(self) -> bool:
        """Whether a sign of the message does not count, or words stand there that make signs mean something else."""
        return any(self.denies(sign) for sign in _DENIABLE) or bool(self._sure(*_GROUPS["doubts"]))

    def denies(self, concept: str) -> bool:
        """Whether a place of `concept` is denied, over, supposed or past, while none counts."""
        return bool(self._sure(concept)) and not self._live.get(concept)

    @property
    def measured(self) -> bool:
        """Whether a temperature is told that is a fever."""
        return bool(_DEGREES.search(self.text)) and not self.denies("fever")

    @property
    def hit(self) -> bool:
        """Whether a blow or a fall is told of."""
        if self.has("price", "laugh") and not self.has("blood", "broken", "knocked", "swell"):
            return False
        passive = self.then("passive", "into_body", 4) or self.then("passive", "crush", 4)
        if passive and self.has("harm", "out"):
            return True
        # What moves hard, and the part or the thing that it meets: "quất ngang hàm", "dập mồm vào tay nắm cửa".
        met = self.then("impact", "obstacle", 3) or any(
            self.then(what, "onto_body", 3) for what in ("impact", "impact_of_thing")
        )
        return (
            self.has("accident", "beast")
            or met
            or self.met_missile
            or self.attacked
            or any(self.near("accident", body, 2) for body in ("face", "mouth", "tooth"))
        )

    @property
    def met_missile(self) -> bool:
        """Whether a thing is told to have hit a face or a mouth: "a ball square in the teeth"."""
        return self.then("missile", "onto_body", 2)

    @property
    def attacked(self) -> bool:
        """Whether an animal is told to have bitten somebody: "con chó nhà hàng xóm cắn vô má con em"."""
        whom = self._firsts("person_first", "relative", "child")
        return any(
            0 < bite.first - beast.last <= 5 and whom & set(range(bite.last + 1, bite.last + 5))
            for beast in self._sure("animal")
            for bite in self._all.get("bite", ())
            if not self.is_no_event("beast", bite)
        )

    @property
    def slightly_hurt(self) -> bool:
        """Whether all that came of a blow is slight: "răng hơi mẻ"."""
        slight = self._sure("slight")
        places = self.places("harm")
        if places and not (self.denies("blood") or self.has("well", "laugh")):
            return False
        return bool(slight) and all(
            any(0 <= place.first - one.last - 1 <= 1 for one in slight) for place in places
        )

    @property
    def numbers(self) -> list[tuple[float, int]]:
        """The numbers of the message, each with the place of its word."""
        found = []
        for at, word in enumerate(self._words):
            if match := _NUMBER.match(word.folded):
                found.append((float(match.group().replace(",", ".")), at))
            elif word.folded in _NUMBERS and not (at and self._words[at - 1].folded == "cua"):
                found.append((float(_NUMBERS[word.folded]), at))
        return found

    def counts_alone(self, at: int) -> bool:
        """Whether nothing follows the number `at` that it counts or measures: only a stop, or since when."""
        after = self._words[at + 1].folded if at + 1 < len(self._words) else ""
        stop = _STOP_OR_LIST.match(self.text, self._words[at].end)
        return not after or after in _words("counted alone") or bool(stop and not after.isdigit())

    def places(self, concept: str) -> list[_Place]:
        """Where `concept` stands for sure."""
        return [place for place in self._live.get(concept, ()) if place.sure]

    def outside(self, concept: str, other: str) -> list[_Place]:
        """Where `concept` stands for sure, in no words that also name `other`."""
        return [
            place
            for place in self.places(concept)
            if not any(each.first <= place.last and place.first <= each.last for each in self._sure(other))
        ]

    def has(self, *concepts: str) -> bool:
        """Whether one of `concepts` stands for sure."""
        return any(self.places(concept) for concept in concepts)

    def stands(self, *concepts: str) -> bool:
        """Whether one of `concepts` stands, with no "no" right before it and not as a question."""
        return any(
            not (
                self._hidden(place)
                or self._at(place.first - 1, "no")
                or _ASKED.match(self.text, self._end(place))
                or self._asked_about(place)
            )
            for concept in concepts
            for place in self._sure(concept)
        )

    def _asked_about(self, place: _Place) -> bool:
        """Whether `place` stands in what a part of the message asks or supposes: "bao lâu thì còn cắm lại được", "can it still be put back";
        not what is told as done before the question: "khâu xong rồi ăn gì được"."""
        ends = [0, *(one.end() for one in _STOP_OR_LIST.finditer(self.text)), len(self.text)]
        start = max(one for one in ends if one <= self._start(place))
        end = min(one for one in ends if one >= self._end(place))
        part = fold(self.text[start:end])
        if _IF.search(part[: self._start(place) - start]):
            return True
        asks = [
            start + one.start()
            for one in ASKS_AT_END.finditer(part)
            if not _NOT_ASKED.search(part[: one.end()])
            and not self._start(place) <= start + one.start() < self._end(place)
        ]
        done = [self._start(one) for one in self._sure("done")]
        return bool(asks) and (
            asks[0] < self._start(place) or not any(self._start(place) <= one < asks[0] for one in done)
        )

    def near(self, one: str, other: str, gap: int, *, parted: bool = True) -> bool:
        """Whether the two stand with at most `gap` words between, nearer where a word may be another one; a comma
        may stand between where they may be `parted`.
        """
        return any(
            first != second
            and (self._close(first, second, gap) or self._close(second, first, gap))
            and (parted or not _LIST.search(self._between(first, second)))
            for first in self._live.get(one, ())
            for second in self._live.get(other, ())
        )

    def beside(self, one: str, other: str, gap: int) -> bool:
        """Whether the two stand for sure with at most `gap` words and no comma between."""
        return any(
            max(first.first - second.last, second.first - first.last) - 1 <= gap
            and not _LIST.search(self._between(first, second))
            for first in self.places(one)
            for second in self.places(other)
        )

    def _close(self, first: _Place, second: _Place, gap: int) -> bool:
        """Whether `second` overlaps `first` or follows it within `gap` and what both allow."""
        if second.first > first.last:
            if second.first - first.last - 1 > min(gap, first.reach, second.reach):
                return False
            return (first.sure and second.sure) or not _LIST.search(self._between(first, second))
        return first.first <= second.first

    def then(self, one: str, other: str, gap: int) -> bool:
        """As `near`, with `one` before `other`."""
        return any(
            second.first > first.last and self._close(first, second, gap)
            for first in self._live.get(one, ())
            for second in self._live.get(other, ())
        )

    def _hidden(self, place: _Place) -> bool:
        """Whether `place` is a part of a longer name of something else: the "sốt" of "sốt ruột"."""
        spans = [range(each.first, each.last + 1) for each in self._sure("hidden")]
        return any(
            len(span) > place.last - place.first + 1 and (place.first in span or place.last in span)
            for span in spans
        )

    def is_no_event(self, concept: str, place: _Place) -> bool:
        """Whether a sign is denied, over, supposed, asked of in general, long past, a figure of speech or a trifle."""
        return (
            self._denied(place)
            or (concept not in _GROUPS["done"] and self._over(place, concept))
            or self._cleared(place)
            or (
                self.framed(_TOLD_OF_OTHERS, place) or self._a_topic(place)
                if concept == "suicide"
                else self._only_supposed(place)
            )
            or self._only_to_come(place)
            or self._long_ago(place)
            or self._for_a_lesson(place)
            or (concept in _GROUPS["deeds"] and self.framed(_MISSED, place))
            or (concept == "fever" and self._is_no_fever(place))
            or any(each.last == place.first - 1 for each in self._sure("while"))
            or (concept in _GROUPS["figures"] and self._exaggerated(place))
            or (concept in {"breathless", "hard"} and self.framed(_CHRONIC, place))
            or (concept not in {"accident", "beast", "taken"} and self._of_a_thing(place))
            # "Cười muốn sái quai hàm".
            or (
                concept == "broken"
                and self._sure("laugh")
                and any(0 <= place.first - each.last - 1 <= 1 for each in self._sure("think", "laugh"))
            )
            or (concept in {"swell", "trismus"} and self._trifling(place, concept))
            # The "tê" of "thuốc tê" numbs nobody.
            or (concept == "numb" and any(one.last == place.last for one in self._sure("injection")))
            # The "cứng" of "tê cứng" is how much is numb.
            or (concept in {"taut", "hard"} and any(one.last == place.last for one in self._sure("numb")))
            or (concept in {"choked_on", "into"} and self._ashamed(place))
            or (concept == "blood" and self._to_be_stopped(place))
            # "Đi thử máu không".
            or (
                concept == "blood"
                and any(each.first < place.first == each.last for each in self._sure("hidden"))
            )
            or (concept in _GROUPS["falls"] and self.framed(_THE_OTHER_DAY, place))
            or (concept == "accident" and (self._of_a_limb(place) or self._withstood(place)))
            or (
                concept == "accident"
                and not self._stated("blood", "head")
                and any(
                    0 <= place.first - each.last - 1 <= _SHOWN_REACH + 3 for each in self._sure("artificial")
                )
            )
        )

    def _a_topic(self, place: _Place) -> bool:
        """Whether suicide is only named, as what a paper is about or what is done against it."""
        named = self._said_before(place, 3) & _words("topic")
        return bool(named) and self._stated("study") and not self._sure("weary", "grief", "think", "ache")

    def _is_no_fever(self, place: _Place) -> bool:
        """Whether a fever is a medicine's name, is asked of for a treatment, or was measured and is none: "sốt nhẹ 37.5"."""
        measured = _NO_FEVER.match(fold(self.text[self._end(place) :])) and not _DEGREES.search(self.text)
        return bool(measured) or self._of_a_medicine(place) or self._asks_of_a_treatment(place)

    def _spreads_to(self, place: _Place) -> bool:
        """Whether it is a swelling that goes down a throat: "cằm sưng cứng xuống cổ"."""
        return any(
            0 <= place.first - each.last - 1 <= 2 and not _LIST.search(self._between(each, place))
            for each in self._sure("swell", "taut", "grow")
        )

    def _of_a_thing(self, place: _Place) -> bool:
        """Whether the part of the message where a sign stands opens with a thing that is no body, and names no one and no part of one before the sign:
        "xe em ngất giữa đường", but not "xe em tông, em ngất", "đèn rơi trúng mặt chảy máu"."""
        before = [0, *(one.end() for one in _STOP_OR_LIST.finditer(self.text[: self._start(place)]))]
        return not self._sure("accident", "electric") and any(
            before[-1] <= self._start(each) and self._names_only(before[-1], each)
            and not self._words_of("person", "child", "relative", *_GROUPS["body"]) & set(range(each.last + 1, place.first))
            for each in self._all.get("thing", ())
            if each.reach == _ANY and each.last < place.first <= each.last + _SHOWN_REACH + 2
        )  # fmt: skip

    def _names_only(self, start: int, thing: _Place) -> bool:
        """Whether one word at most stands from `start` to `thing`, or two in English that name it and nobody: "your booking app"."""
        before = tokens(self.text[start : self._start(thing)])
        named = range(thing.first - len(before), thing.first)
        somebody = self._words_of("person", "child", "relative") & set(named)
        return len(before) <= 1 or (
            self._english
            and len(before) == 2
            and not somebody
            and not {each.folded for each in before} & _words("purpose")
        )

    def _burdened(self, place: _Place) -> bool:
        """Whether one chokes, or wants to die, of work, of love, of a match or of the traffic, with nothing told of a body."""
        own = "kho" in {word.folded for word in self._words[place.first - 1 : place.last + 1]}
        body = (
            "cough",
            "swell",
            "throat",
            "fever",
            "blood",
            "hives",
            "no_air",
            "drug",
            "injection",
            "ache",
            "child",
            "weary",
            "grief",
            "racing",
        )
        return not (own or self._stated(*body)) and any(
            self._clause(each) == self._clause(place)
            and (0 <= place.first - each.last - 1 <= _CLOSES or 0 <= each.first - place.last - 1 <= 2)
            and not (_LIST.search(self._between(each, place)) and self._words_of("person") & set(range(each.last, place.first)))
            for each in self._sure("burden")
        )  # fmt: skip

    def _of_a_medicine(self, place: _Place) -> bool:
        """Whether a fever is only named by what is good for it, and no word says that this was taken and it goes on all the
        same: "mang thuốc hạ sốt về", "fever medicine"."""
        named = self._at(place.first, "drug") or (
            self._at(place.last + 1, "drug")
            and bool(_GAP.fullmatch(self.text, self._end(place), self._words[place.last + 1].start))
        )
        ailing = self._stated("lasting", "hours", "days") or any(
            self._at(each.first - 1, "no") for each in self._sure("eased")
        )
        return named and not (ailing and self._stated("taken") and not self._stated("may_i"))

    def _of_a_limb(self, blow: _Place) -> bool:
        """Whether what was hit is a hand or a foot, and no mouth follows: "rớt trúng chân", but not "đập tay vào răng"."""
        mouth = self._sure("mouth", "face", "tooth", "jaw")
        return self._at(blow.last + 1, "limb") and not any(
            1 < each.first - blow.last < 5 and not _STOP_OR_LIST.search(self._between(blow, each))
            for each in mouth
        )

    def _withstood(self, blow: _Place) -> bool:
        """Whether a blow breaks nothing and is told to have hit nobody: "răng chắc như thép, đấm không gãy"."""
        part = fold(_STOP_OR_LIST.split(self.text[: self._start(blow)])[-1])
        return (
            self._words[blow.last].folded in _words("blows")
            and self._at(blow.last + 1, "no")
            and any(self._at(blow.last + 2, one) for one in ("harm", "broken", "out"))
            and not _said("told of").search(part)
            and not self._stated("blood", "swell", "head")
        )

    def _to_be_stopped(self, place: _Place) -> bool:
        """Whether one asks leave for something so that blood stops, and tells of none that goes on: "cho chóng cầm máu"."""
        stops = self._at(place.first, "stop") or self._at(place.first - 1, "stop")
        return stops and self._stated("may_i") and not self._stated("lasting", "hours", "flood")

    def _ashamed(self, place: _Place) -> bool:
        """Whether "mac co" without its accents is "mắc cỡ": it names what one is ashamed of or does not dare, and nothing is
        told near that may be stuck, nor any sign of it."""
        own = range(place.first, place.last + 1)
        said = [self._words[at].text.lower() for at in own]
        near = {at for at in self._words_of(*_GROUPS["of stuck"]) if abs(at - place.last) <= _NEAR_STUCK}
        return said == ["mac", "co"] and bool(self._sure("ashamed")) and near <= set(own)

    def _corrects(self, place: _Place) -> bool:
        """Whether one takes back what one has just said: "type 1, à nhầm, type 2", not "uống nhầm"."""
        before = fold(self.text[: self._start(place)])
        after = self.text[self._end(place) :]
        return bool(_TAKEN_BACK.search(before)) and bool(re.match(r"\s*(?:[,.;:]|-\s|$)", after))

    def figure(self, place: _Place) -> bool:
        """Whether one "wants" what `place` says only as a figure of speech: "đau răng muốn chết", "ghiền trà sữa muốn chết".

        What is felt or liked so much stands before the wish and nobody is named between: "đau quá, tôi muốn chết" is meant.
        Parts of the mouth are no distance. Who wants it over for good means it: "đau răng muốn chết cho rồi".
        """
        after = fold(self.text[self._end(place) :])
        if _FOR_GOOD.match(after):
            return False
        wishes = (
            each.first
            for concept, reach in _WISH_REACH.items()
            for each in self._sure(concept)
            if 0 <= place.first - each.last - 1 <= reach and not _LIST.search(self._between(each, place))
        )
        wish = max(wishes, default=-1)
        # What a thing costs is no suffering, whoever is named; what one owes is: "giá sốc quá em muốn chết luôn".
        suffers = self._sure("weary", "ache", "felt", "grief")
        dear = [one for one in self._sure("dear") if one.last < wish and not suffers]
        # "Sao người ta đau răng tới mức muốn chết", but not "tôi muốn chết".
        mine = self._firsts("person_first", "relative") - self._words_of("anybody", "some")
        people = [
            one
            for one in self._sure("anybody", "some")
            if one.last < wish and not mine & set(range(one.first, wish)) and _asks(self.text)
        ]
        if any(not _STOP_OR_LIST.search(self._between(one, place)) for one in (*dear, *people)):
            return True
        # "Em đâu phải muốn chết gì đâu"; or no body is burdened.
        not_so = _NOT_WISHED.search(fold(self.text[: self._start(place)])) and re.match(
            r"\s+(?:gi|dau)\b", after
        )
        own = wish < 0 or wish - 1 in self._words_of("person")
        if not_so or (not own and self._burdened(place)):
            return True
        persons, parts = self._words_of("person"), self._words_of("tooth", "mouth", "jaw", "face")
        if (
            wish < 0
            or wish - 1 in persons
            or (wish and _LIST.search(self.text, self._words[wish - 1].end, self._words[wish].start))
        ):
            return False
        # Pain that is told at length wears out; what is liked or hated is no suffering.
        return bool(_TO_DEATH.match(after) or _RATHER.match(after)) or any(
            each.last < wish and len(between - parts) <= reach and not persons & between
            for concept, reach in _FELT_REACH.items()
            for each in self._all.get(concept, ())
            if not self._hidden(each)
            for between in (set(range(each.last + 1, wish)),)
        )

    @property
    def ends_nothing(self) -> bool:
        """Whether one speaks of an end and names nothing that it is of, as a treatment or a call is: "muốn kết thúc đêm nay"."""
        return any(
            _ENDS_ALL.match(fold(self.text[self._end(place) :])) and not self._hidden(place)
            for place in self.places("ending")
        )

    def laughs_off(self, place: _Place) -> bool:
        """Whether who laughs says only how much they want to die of work or an exam: "thi rớt, muốn chết quá haha"."""
        much = self._at(place.last + 1, "intense")
        return (
            much
            and self.joking
            and self._stated("burden")
            and not self._sure("weary", "ache", "grief", "means", "drug", "pill")
        )

    def gone_by(self, place: _Place) -> bool:
        """Whether a wish is told of as one of long ago, by somebody who is happy now."""
        return self._long_ago(place) and any(one.first > place.last for one in self._sure("happy"))

    def taken_back_after(self, place: _Place) -> bool:
        """Whether the message goes on that this was a slip, and what was meant: "à gõ nhầm, ý là"."""
        return bool(self._sure("taken_back")) and any(one.first > place.last for one in self._sure("meant"))

    def _dreaded(self, place: _Place) -> bool:
        """Whether `place` comes from a sound, a sight or a thought; where something was given it may come from that."""
        thoughts = [each.last for each in self._sure("dreaded")]
        return self.framed(_DREADED, place) and not any(
            # "Thinking of the needle": it was not given.
            not (self.framed(_PAST, each) or any(0 < each.first - one <= 2 for one in thoughts))
            and not _ASKED.match(self.text, self._end(each))
            for each in self._sure("injection", "drug")
        )

    def _exaggerated(self, place: _Place) -> bool:
        """Whether `place` says how much is felt, what one fears or bargains about, or laughs till then."""
        if self.figure(place) or self._dreaded(place) or self._burdened(place):
            return True
        if any(0 < each.first - place.last <= 2 for each in self._sure("only_fear")):
            return True
        wished = any(0 <= place.first - each.last - 1 <= 1 for each in self._all.get("wish", ()))
        admired = any(
            each.last < place.first
            and self._clause(each) == self._clause(place)
            and not _LIST.search(self._between(each, place))
            for each in self._sure("liked")
        ) and not self._sure("choked_on", "cough", "into")
        return (wished or admired or self._stated("laugh", "price", "joking")) and not any(
            (each.first > place.last or each.last < place.first)
            and not (self._hidden(each) or self._denied(each))
            for each in self._sure(*_GROUPS["sick"])
        )

    def _trifling(self, place: _Place, concept: str) -> bool:
        """Whether a swelling, or a stiff jaw that nothing swells beside, is a slight one, or comes from crying, from what was eaten or is how a numb lip feels; not where it grows."""
        jaw = concept == "trismus"
        if self._stated("grow", "fever", *(("swell", "infected") if jaw else ("taut",))):
            return False
        if any(each.last == place.first - 1 for each in self._sure("wept")):
            parts = (*self._all.get("eye", ()), *self._all.get("throat", ()))
            return any(0 < each.first - place.last <= 2 for each in parts)
        slight = any(
            0 <= place.first - each.last - 1 <= 1
            or (each.last > place.last and place.first <= each.first <= place.last + 1 + min(1, each.reach))
            for each in self._all.get("slight", ())
        )
        numbed = (
            (self._at(place.first, "thick") or self._at(place.first - 1, "numb"))
            and self._stated("injection")
            and self._stated("how_long", "mild")
        )
        asked = self._sure("is_it_normal") and self._stated("drawn", "procedure")
        return slight or (not jaw and bool(numbed or asked))

    def _stated(self, *concepts: str) -> bool:
        """Whether one of `concepts` is named and not denied, whatever else is said of it."""
        return any(
            not (self._hidden(place) or self._denied(place))
            for concept in concepts
            for place in self._sure(concept)
        )

    @property
    def happened(self) -> bool:
        """Whether something is told of as done: "10 viên rồi", "already"."""
        return self._stated("now") and self._stated("done")

    @property
    def used_up(self) -> bool:
        """Whether toothpaste or mouthwash was used, and no word says that anything went down somebody's throat."""
        told = self.has("gulp", "child", "drug", "chemical", "by_mistake", "unwell")
        return not (told or self.taken_by_mouth) and self.near("used", "mild_chemical", 6)

    @property
    def taken_by_mouth(self) -> bool:
        """Whether a word says that something was taken, other than "dùng" and "xài", which also use it up, and the name of a thing ("viên ngậm")."""
        named = self._words_of("chemical", "mild_chemical")
        return bool(self._firsts("taken") - self._firsts("used") - named)

    @property
    def seen_to(self) -> bool:
        """Whether somebody who can help has already done so: a clinician, what was done, and that it is done, in one clause."""
        return any(
            any(
                self._clause(care) == self._clause(helper) and not self._at(care.first, "clinician")
                for care in self._sure("treated")
            )
            and (
                self._clause_has("done", helper)
                or self._words[min(helper.last + 1, len(self._words) - 1)].folded.endswith("ed")
            )
            and not any(self._clause(each) == self._clause(helper) for each in self._not_yet())
            and not self._asked_about(helper)
            for helper in self._sure("clinician")
        )

    @property
    def passed_well(self) -> bool:
        """Whether a clinician is told to have said that all is well."""
        return (
            any(
                self._clause_has("clinician", one) and not self._asked_about(one)
                for one in self._sure("declared")
            )
            and not self._not_yet()
        )

    @property
    def goes_on(self) -> bool:
        """Whether a sign is told to be there or to last, and its own part of the message goes on with nothing that ends it:
        "hết sốt nhưng mặt to hơn", "khám rồi, giờ ói"."""
        ended = self._sure(*_GROUPS["ended"])
        told = {*_EVENTS, "grow", "no_air", "leaks", *(sign for signs in _SEVERE.values() for sign in signs)}
        if not (self.stands("seen") or self.seen_to or self.passed_well or self.home_again):
            told |= {*_GROUPS["goes on"]}  # who was seen may still ask of what is left
        return self.deep or any(
            not any(
                each.last >= place.first
                and self._clause(each) == self._clause(place)
                and not _LIST.search(self._between(place, each))
                for each in ended
            )
            for sign in told - {"frail"}
            for place in self.places(sign)
        )

    @property
    def deep(self) -> bool:
        """Whether what swells or spreads reaches the neck or an eye, or the neck is stiff."""
        reached = any(self.near(how, part, 4) for how in ("swell", "grow") for part in ("neck", "eye"))
        return reached or any(self.beside("neck", how, 2) for how in ("locked", "taut"))

    @property
    def came_out(self) -> bool:
        """Whether what was swallowed is told to have come out at the other end, and is not only waited for."""
        return self.stands("passed") and not (self._not_yet() or self._sure("supposed"))

    @property
    def helped(self) -> bool:
        """Whether those who were called are told to be there, or to have taken the ill person along."""
        return self.stands("helped") and not (self._not_yet() or self.goes_on)

    @property
    def was_an_animal(self) -> bool:
        """Whether the message takes back whom it was told of, and it is an animal."""
        return self.nobody and any(each.first == 0 for each in self._sure("retracts", "meant"))

    @property
    def home_again(self) -> bool:
        """Whether it is told that somebody lay in hospital or was operated on, and then came home or is well."""
        cared, home = (
            [
                each
                for each in self._sure(concept)
                if not (
                    self._said_before(each, 3) & _words("not so")
                    or _ASKED.match(self.text, self._end(each))
                    or self._asked_about(each)
                )
            ]
            for concept in ("ward", "home")
        )
        return any(
            one.first < each.last or self._said_before(one, 4) & {"after", "sau"}
            for one in cared
            for each in home
        )

    def retracts(self, signs: Collection[str]) -> bool:
        """Whether the message opens by taking back what was said and goes on with how it was meant, that none of `signs` was
        there, or when it was: "không, ý tôi là…", "no wait, he didn't swallow it"."""
        opens = [each for each in self._sure("retracts", "meant") if each.first == 0]
        return bool(opens) and (
            any(each.first > 0 for each in self._sure("meant"))
            or any(
                self._denied(place)
                and any(place.first > each.last + (each.first == each.last) for each in opens)
                and not (self._clause_has("any_more", place) or self._at(place.last + 1, "able"))
                for sign in signs
                for place in self._sure(sign)
            )
            or (
                bool(self._sure("past"))
                and not (self._sure("also") or any(each.first > opens[0].last for each in self._sure("no")))
            )
        )

    def denied_of(self, signs: Collection[str]) -> set[str]:
        """Those of `signs` that the message denies."""
        return {sign for sign in signs if any(self._denied(place) for place in self._sure(sign))}

    def spans_of(self, concept: str) -> list[tuple[int, int]]:
        """Where `concept` stands in the text."""
        return [(self._words[one.first].start, self._words[one.last].end) for one in self._sure(concept)]

    def _not_yet(self) -> list[_Place]:
        """What says that something is not so yet, without the "không" of "không sao", the "định" of "cố định"."""
        within = self._sure("calm", "gone", "declared", "treated")
        return [
            each
            for each in self._sure("not_yet")
            if not any(one.first <= each.first <= one.last for one in within)
        ]

    def _clause_has(self, concept: str, place: _Place) -> bool:
        return any(
            self._clause(each) == self._clause(place) and not self._hidden(each)
            for each in self._sure(concept)
        )

    def then_at(self, concept: str, place: _Place, gap: int) -> bool:
        """Whether `concept` stands at most `gap` words before `place`, or in it."""
        return any(place.first - gap - 1 <= each.last < place.first for each in self.places(concept))

    def _words_of(self, *concepts: str) -> set[int]:
        """The numbers of the words that name one of `concepts`."""
        return {
            at
            for concept in concepts
            for each in self._all.get(concept, ())
            for at in range(each.first, each.last + 1)
        }

    def cannot(self, act: str, gap: int) -> bool:
        """Whether `act` cannot be done: "không thở được", "thở không nổi", "can't really breathe"."""
        able, signs = (
            self._live.get("able", ()),
            self._firsts("swell", "fever", "infected", "hard", "pressing", "ache"),
        )
        for no in self._live.get("cannot", ()):
            for verb in self._live.get(act, ()):
                between = range(min(no.last, verb.last) + 1, max(no.first, verb.first))
                if len(between) > min(gap, verb.reach) or signs & set(between):
                    continue
                if self._clause(no) != self._clause(verb) or _LIST.search(self._between(no, verb)):
                    continue
                # "làm sao để bé không nuốt"
                if any(0 <= no.first - each.last - 1 <= 2 for each in self._sure("aim")):
                    continue
                if no.first > verb.last:
                    # "thở không được"; "thở không?" only asks.
                    if any(0 < each.first - no.last <= 2 for each in able):
                        return True
                elif (
                    self._english
                    or any(
                        0 < each.first - verb.last <= 3 and not _LIST.search(self._between(verb, each))
                        for each in able
                    )
                    or (verb.sure and self._plain_no(no, verb))
                ):
                    return True
        return False

    def does_not_fit(self, thing: str, gap: int) -> bool:
        """Whether `thing` is told to find no room: "không lọt ngón tay", "muỗng vô không vừa"; not "không dùng ống hút"."""
        return any(
            self._close(min(no, what), max(no, what), gap)
            and not _LIST.search(self._between(no, what))
            and not self._firsts("used") & set(range(no.last + 1, what.first))
            and any(min(no, what).first < able.first <= max(no, what).last + 2 for able in self._sure("able"))
            for no in self._live.get("cannot", ())
            for what in self._live.get(thing, ())
        )

    def _firsts(self, *concepts: str) -> set[int]:
        return {place.first for concept in concepts for place in self._all.get(concept, ())}

    def follows(self, at: int, concepts: Sequence[str], gap: int, over: str = "") -> bool:
        """Whether one of `concepts` comes at most `gap` words after word `at`; with `over`, only such words between."""
        for concept in concepts:
            for place in self._live.get(concept, ()):
                if 0 <= place.first - at - (0 if over == "" else 1) <= gap and (
                    place.sure or place.first - at <= 1
                ):
                    between = range(at + 1, place.first)
                    if not over or all(
                        self._at(step, over) or (over == "gulp_filler" and self._counts(step))
                        for step in between
                    ):
                        return True
        return False

    def _counts(self, step: int) -> bool:
        """Whether a word is a number or what is counted with it: the "5 viên" of "nuốt 5 viên nam châm"."""
        word = self._words[step].folded
        return word.isdigit() or word in _NUMBERS or word == "vien"

    def swallows_thing(self, verb: _Place) -> bool:
        """Whether what was swallowed is told as a thing, and is nothing that one eats, drinks or takes; "cây kim bé ngậm xong
        nuốt" tells of it before the verb.
        """
        at = verb.last + 1
        while at < len(self._words) and any(
            self._at(at, one) for one in ("gulp_filler", "by_mistake", "done")
        ):
            at += 1
        done = self._words[verb.first].folded.endswith("ed") or any(
            self._words[step].folded in _words("happened") for step in range(verb.last + 1, at)[:1]
        )
        if at == len(self._words) or _STOP_OR_LIST.search(self.text, self._end(verb), self._words[at].start):
            before = {word.folded for word in self._words[max(verb.first - 3, 0) : verb.first]}
            # "As I swallow" tells of a habit.
            tells = () if self._words[verb.first].folded.startswith("swallow") else _GROUPS["does"]
            done = done or any(self._at(verb.first - 1, one) for one in tells)
            return (
                done
                and not before & _words("as often")
                and any(each.last < verb.first for each in self.outside("device", "tooth"))
            )
        if not (done or any(self._clause_has(one, verb) for one in ("done", "by_mistake", "now"))):
            return False
        a_thing = any(self._words[step].folded in _words("counted") for step in range(verb.last + 1, at + 1))
        return a_thing and not any(
            each.first <= at + 3 and each.last >= verb.last + 1
            for each in self._sure("eaten", "drug", "pill", "chemical", "mild_chemical", "blood", "container")
        )

    def _at(self, step: int, concept: str) -> bool:
        return any(place.first <= step <= place.last for place in self._all.get(concept, ()))

    def _plain_no(self, no: _Place, verb: _Place) -> bool:
        """ "không nuốt", "máu không cầm": nothing is asked."""
        after = self._words[verb.last + 1].folded if verb.last + 1 < len(self._words) else ""
        return (
            no.last + 1 == verb.first
            and not (self._at(verb.first, "gulp") and self._sure("device"))
            and after not in _words("nothing")
            and not _ASKED.match(self.text, self._end(verb))
        )

    def _between(self, one: _Place, other: _Place) -> str:
        first, second = sorted((one, other))
        return self.text[self._end(first) : self._start(second)]

    def _find(self) -> dict[str, list[_Place]]:
        found: dict[str, list[_Place]] = defaultdict(list)
        entries = _entries()
        folded = tuple(word.folded for word in self._words)
        for at, word in enumerate(self._words):
            if place := self._past_at(at):
                found["past"].append(place)
            for entry in entries.get(word.folded, ()):
                if folded[at : at + len(entry.words)] != entry.folded:
                    continue
                span = self._words[at : at + len(entry.words)]
                if entry.concept == "past" and _HOURS_AGO.match(fold(self.text[word.start :])):
                    continue
                if not all(_GAP.fullmatch(self.text, a.end, b.start) for a, b in pairwise(span)):
                    continue
                exact = all(
                    accents(a.text) == accents(b.text) for a, b in zip(span, entry.words, strict=True)
                )
                if not exact and not all(
                    accents_agree(a.text, b.text) or _same_by_ear(a.text, b.text)
                    for a, b in zip(span, entry.words, strict=True)
                ):
                    continue
                if not exact and self._careful and (len(span) == 1 or len(span[-1].folded) == 2):
                    continue
                # Words without accents prove nothing in a message that is typed without them.
                told = exact and (self._careful or self._english or any(accents(each.text) for each in span))
                reach = _ANY if told else entry.reach
                if reach >= 0:
                    found[entry.concept].append(_Place(at, at + len(span) - 1, reach))
        return found

    def _past_at(self, at: int) -> _Place | None:
        """The words at `at` that name a year or an earlier time: "lần ... trước", "năm 1998"."""
        word = self._words[at]
        if young := _YOUNG.match(fold(self.text[word.start :])):
            return _Place(at, at + len(young[0].split()) - 1, _ANY)
        if word.folded == "truoc" and any(each.folded == "lan" for each in self._words[max(at - 3, 0) : at]):
            return _Place(at, at, _ANY)
        if at and _YEAR.fullmatch(word.folded) and self._words[at - 1].folded in _words("in a year"):
            return _Place(at - 1, at, _ANY)
        return None

    def _start(self, place: _Place) -> int:
        return self._words[place.first].start

    def _end(self, place: _Place) -> int:
        return self._words[place.last].end

    def _clause(self, place: _Place, among: Sequence[int] = ()) -> int:
        clauses = among or self._clauses
        return clauses[max(bisect_left(clauses, self._start(place) + 1) - 1, 0)]

    def _denied(self, place: _Place) -> bool:
        """Whether a "no" stands before, with nothing but filling words and other signs between."""
        start, at, crossed = self._clause(place), place.first - 1, self._start(place)
        while at >= 0 and self._words[at].start >= start:
            if _LIST.search(self.text, self._words[at].end, crossed):
                return False
            crossed = self._words[at].start
            # "con em no nuot": "no" is whom it is told of; "hong rat kho nuot": "hong" is a throat.
            # Before an English word it is the English one, "hơi ê, no fever", unless the fever is measured.
            english = detect(f"no {self._words[at + 1].text}") == "en" and not _DEGREES.search(self.text)
            he = self._words[at].text == "no" and not (self._english or english)
            if self._at(at, "no") and not (he or self._within("throat", _Place(at, at, _ANY), 0)):
                return True
            if self._at(at, "eased") and not self._at(at, "drug"):
                return not (self._at(at - 1, "no") or self._at(at - 2, "no"))
            # "không nuốt khó", but not "không nuốt được".
            act = at == place.first - 1 and any(self._at(at, one) for one in ("swallow", "breathe", "open"))
            if not (act or self._at(at, "filler") or any(self._at(at, sign) for sign in _SIGNS)):
                return False
            at -= 1
        return False

    def _over(self, place: _Place, concept: str) -> bool:
        """Whether the message goes on that this sign, and no other one between, is over; of one that no relief ends, only
        where a treatment that was told before explains it, or a faint was at a clinic or on another day."""
        faint = ("clinician", "days", "the_other_day") if concept == "unconscious" else ()
        explained = self._sure("drawn", "procedure", "injection", *faint)
        for gone in sorted(self._all.get("gone", ())):
            grown = any(
                each.first <= gone.last and gone.first <= each.last for each in self._all.get("grow", ())
            )
            # "38 do roi" are degrees.
            if grown or (gone.first and self._words[gone.first - 1].folded.isdigit()):
                continue
            if concept in _GROUPS["no relief"] and not any(each.last < gone.first for each in explained):
                continue
            healed = self._at(gone.first, "healed")
            if 0 < gone.first - place.last <= _NEAR_GONE * (1 + healed):
                between = self.text[self._end(place) : self._start(gone)]
                signs = sorted(each for sign in _SIGNS[:-1] for each in self._all.get(sign, ()))
                end = place.last
                for each in signs:
                    # "ngất xỉu", "sốt cao" are one sign.
                    if place.first <= each.first <= end + 1:
                        end = max(end, each.last)
                # Who is healed is healed of all that was told before, but for "áp xe, sưng thì khỏi rồi".
                start = gone.first - 1 - (self._words[gone.first - 1].folded == "thi") if healed else 0
                other = any(start <= each.last < gone.first and end < each.first for each in signs)
                return not (other or _STOP.search(between) or self._at(gone.first - 1, "no"))
        return False

    def _cleared(self, place: _Place) -> bool:
        """Whether somebody who can help has looked at it since: "bác sĩ nói ổn rồi", "nha sĩ khâu xong"; and no sign comes after."""
        helped = [
            each
            for each in self._sure("clinician", "seen")
            if each.first > place.last and not self._hidden(each)
        ]
        well = [
            each
            for each in self._sure("calm", "gone", "declared")
            if not (self._at(each.first - 1, "no") or _ASKED.match(self.text, self._end(each)))
        ]
        care = [each for each in self._sure("treated") if self._clause_has("done", each)]
        words = (*self._sure("lasting"), *self._not_yet())
        signs = [each for sign in _EVENTS for each in self._sure(sign)]
        return any(
            one.first < each.first
            and not any(one.last < word.first for word in words)
            and (
                each in well
                or (
                    self._clause(one) == self._clause(each)
                    and not any(one.last < sign.first for sign in signs)
                    and not self._said_before(one, 2) & {"since"}
                )
            )
            for one in helped
            for each in (*well, *care)
        )

    def _only_supposed(self, place: _Place) -> bool:
        """Whether `place` is told of nobody who is near and of no time that is now: a condition, a habit, a fear, a story, what a
        question in general is about.
        """
        if self._within("in_doubt", place, _SUPPOSED_REACH):
            return self.framed(_TOLD_OF_OTHERS, place)
        if any(self.framed(frame, place) for frame in _FRAMES):
            return True
        return not self._is_now(place, self._clause(place)) and (self._impersonal(place))

    def framed(self, frame: _Frame, place: _Place) -> bool:
        """Whether a word of `frame` reaches `place`, and nothing says that it is there all the same."""
        if frame.unless == _GOING_ON and self._going_on(place):
            return False
        parts = {"clause": self._clauses, "sentence": self._sentences, "message": (0,)}[frame.part]
        last = place.last - (place.first < place.last and self._at(place.last, "no"))
        if frame.asks and not frame.asks.search(fold(self.text[self._words[last].end :])):
            return False
        if frame.closed and not self._closed_after(last):
            return False
        return any(
            self._clause(word, parts) == self._clause(place, parts)
            and (
                (word.first <= place.first and place.first - word.last - 1 <= frame.ahead)
                or (word.first > place.first and word.first - place.last - 1 <= frame.back)
            )
            and (
                (frame.part == "message" and ":" in self._between(word, place))
                or not self._named_between(frame.near, word, place)
            )
            and not (
                frame.unless
                and self._is_now(
                    place, max(self._clause(place), self._start(word) if word.first < place.first else 0)
                )
            )
            and not (frame.list_ends and _FEAR_ENDS.search(self._between(word, place)))
            for word in self._sure(*frame.concepts)
            if not ({"study", "general"} & set(frame.concepts) and self._own_act(word, place))
            and not (frame.part == "message" and word.first > place.first and self._told_of_own(place))
            and not (self._hidden(word) or place.first <= word.first <= word.last <= place.last)
        )

    def _closed_after(self, last: int) -> bool:
        """Whether a "no" ends soon after the word `last` the question that a "có" opened: "có làm lệch mặt không", but not
        "có sưng mặt, có sao không"; "có máu hoài không ngừng" asks nothing."""
        opened = {at for at, word in enumerate(self._words) if word.folded in _words("opens")}
        longer = {each.first for each in self._sure("cannot") if each.last > each.first}  # "không chịu"
        return any(
            0 < no.first - last <= _CLOSES
            and not opened & set(range(last + 1, no.first))
            and not re.search(r"[^\w\s]", self.text[self._words[last].end : self._start(no)])
            and not (no.first in longer or self._at(no.last + 1, "stop") or self._at(no.last + 1, "eased"))
            for no in self._sure("no")
        )

    def _own_act(self, word: _Place, place: _Place) -> bool:
        """Whether who learns tells what they did meanwhile: "em ôn thi khuya uống nhầm 20 viên"."""
        between = fold(self._between(word, place))
        doer = self._said_before(word, 4) & _words("learner")
        learns = doer and _said("learnt").match(fold(self.text[self._start(word) :]))
        about = set(":?") & set(between) or _said("about").search(between)
        return bool(learns) and not about

    def _named_between(self, persons: Sequence[str], word: _Place, place: _Place) -> bool:
        """Whether one of `persons` is named between `word` and `place`, but for "có bé", "một ông" and who only asks: "cho em xin"."""
        return any(
            word.last < each.first <= place.first
            and self._words[each.first - 1].folded not in _words("some")
            and not self._asks_only(each)
            for concept in persons
            for each in self._near_persons(concept)
            if each.sure
        )

    def _told_of_own(self, place: _Place) -> bool:
        """Whether the sentence names before `place` who writes, or somebody of theirs: "em uống 20 viên, em đang ôn thi"."""
        start = self._clause(place, self._sentences)
        return any(
            start <= self._start(each) and each.first < place.first and not self._asks_only(each)
            for each in self._sure("person_first", "relative")
        )

    def _asks_only(self, person: _Place) -> bool:
        return bool(_ASKER.match(fold(self.text[self._words[max(person.first - 1, 0)].start :])))

    def _impersonal(self, place: _Place) -> bool:
        """Whether the sentence only asks what such a thing is like: nobody is named, no time, not what to do."""
        start = self._clause(place, self._sentences)
        end = next((one for one in self._sentences if one > start), len(self.text))
        sentence = self.text[start:end].rstrip(" .!…")
        asked = fold(sentence)
        return (
            _asks(sentence)
            and not (_CARE.search(asked) or _MINUTES.search(asked))
            and not _ASKED.match(self.text, self._end(place))
            and not any(
                start <= self._start(each) < end and (each.last < place.first or each.first > place.last)
                for concept in _GROUPS["somebodys"]
                for each in self._all.get(concept, ())
            )
        )

    def _only_to_come(self, place: _Place) -> bool:
        """Whether it is asked what to do if it should come to this: "lỡ nhổ xong bị sốt thì sao", "tuần sau nhổ răng, sốt thì sao"."""
        asked = any(0 < each.first - place.last <= _SUPPOSED_REACH for each in self._sure("what_if"))
        feared = asked or any(0 < place.first - each.last <= 2 for each in self._all.get("fear", ()))
        mishap = asked and not (self.happened or self._going_on(place))
        return (
            mishap
            and any(
                self._clause(each) == self._clause(place) and each.first < place.first
                for each in self._all.get("mishap", ())
            )
        ) or (
            feared
            and any(
                0 <= what.first - when.last - 1 <= _COMING_REACH
                and not any(what.last < each.first <= place.first for each in self._sure("now"))
                for when in self._sure("upcoming")
                for what in self._all.get("drawn", [])
            )
        )

    def _for_a_lesson(self, place: _Place) -> bool:
        """Whether a sentence only asks for who prepares to teach it: nobody is named but whom it is taught, and no time."""
        start = self._clause(place, self._sentences)
        end = next((one for one in self._sentences if one > start), len(self.text))
        lessons = self._sure("prepares")
        return (
            _asks(self.text[start:end].strip())
            and any(
                self._clause(one, self._sentences) != start or self._said_before(one, 3) & _words("purpose")
                for one in lessons
            )
            and not any(
                self._clause(each, self._sentences) == start
                or not any(
                    self._clause(each, self._sentences) == self._clause(one, self._sentences)
                    and (each.first <= one.first or self._said_before(each, 2) & _words("purpose"))
                    for one in lessons
                )
                for concept in _HAPPENING
                for each in self._near_persons(concept)
                # "gặp người bị hóc mà vẫn còn ho": how the case that is taught goes on.
                if not (concept == "lasting" and self._stated("anybody", "supposed"))
                # The English "be" is no "bé", and what a tooth is kept in goes on for nobody.
                if not (self._english and self._words[each.last].folded in {"be", "keep", "kept"})
                and not (concept == "pupil" and self._said_before(each, 2) & _words("purpose"))
            )
        )

    def _said_before(self, place: _Place, count: int) -> set[str]:
        """The `count` folded words before `place`."""
        return {word.folded for word in self._words[max(place.first - count, 0) : place.first]}

    def _asks_of_a_treatment(self, place: _Place) -> bool:
        """Whether it is asked if a treatment is right for who has it, and none was: "sốt có nên đi cạo vôi không"."""
        treatments = self._sure("drawn", "procedure")
        return any(
            place.last < each.first and _MAY_HAVE.fullmatch(fold(self._between(place, each)))
            for each in treatments
        ) and not (
            any(each.first < place.first for each in treatments)
            or self._stated("now", "lasting", "days", "infected")
        )

    def _long_ago(self, place: _Place) -> bool:
        # When a thing was tells when its cause was.
        return not self._is_now(place, self._clause(place, self._sentences)) and self.framed(_PAST, place)

    def _going_on(self, place: _Place) -> bool:
        """Whether the clause of `place` says that it happens or has happened, with a time or how it goes on."""
        end = next((one for one in self._clauses if one > self._start(place)), len(self.text))
        return (
            self._is_now(place, self._clause(place))
            # "Lớp học bài thì trẻ nuốt pin": meanwhile.
            or any(
                one.last < place.first and _NO_LESSON.match(self.text, self._end(one))
                for one in self._sure("study")
            )
            or bool(_said("around").search(fold(self.text[self._clause(place) : end])))
            or any(
                self._clause(each) == self._clause(place)
                and not (self._hidden(each) or self._of_a_frame(each))
                for each in self._sure("lasting", "hours", "days")
            )
            or any(
                # "heavy bleeding" only names it.
                self._clause(each) == self._clause(place) and each.last > place.last
                for each in self._sure("flood")
                # "took too much" is how much, not how it goes on.
                if not (self._at(each.first, "too_much") and self._sure("drug", "pill"))
            )
        )

    def _is_now(self, place: _Place, start: int) -> bool:
        return any(
            start <= self._start(each)
            and each.first <= place.first
            and not (self._hidden(each) or self._of_a_frame(each))
            for each in self._sure("now")
        )

    def _of_a_frame(self, time: _Place) -> bool:
        """Whether it is the learning or the fear that goes on: "em đang ôn thi, trẻ bị hóc thì sao", "cứ sợ nuốt phải"."""
        return time.last + 1 in self._firsts("study", "prepares", "fear")

    def _within(self, concept: str, place: _Place, reach: int) -> bool:
        return any(each.first <= place.first <= each.last + reach for each in self._sure(concept))

    def _sure(self, *concepts: str) -> list[_Place]:
        return [place for concept in concepts for place in self._all.get(concept, ()) if place.sure]


def _same_by_ear(typed: str, listed: str) -> bool:
    """The same word but for hỏi and ngã, which half the country says alike."""

    def plain(word: str) -> str:
        shape, bar, tones = accents(word).partition("|")
        return shape + bar + tones.replace("r", "x")

    return bool(accents(typed)) and plain(typed) == plain(listed)


_read = lru_cache(maxsize=64)(_Reading)
