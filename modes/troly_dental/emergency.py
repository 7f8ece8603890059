"""An emergency in a conversation: its card, what follow-ups hear until it is over, and when it is over."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Self

from troly.text.catalogue import Lang
from troly.text.fold import fold, folded_words
from troly.text.match import Lexicon
from troly.text.wordlist import read_lists
from troly_dental.guard import Danger, advice, danger, follow_up, is_severe
from troly_dental.guard.danger import CLAUSE, LEAVES, NAMES, cooled_down, probability, tells_amount
from troly_dental.guard.rules import ASKS_AT_END, names_mouth
from troly_dental.guard.spelling import LEXICONS, spellings_of
from troly_dental.guard.verdict import last_question
from troly_dental.memory.facts import find_facts, is_another, only_states, patient_of, person_of
from troly_dental.notes import asks, asks_again, asks_leave, of_topics, subjects
from troly_dental.safety import stated, wishes
from troly_dental.sentences import best_lines, ruling_lines, sentences_of
from troly_dental.strings import say

# Kept in the conversation's metadata.
KEPT = "dental_emergency"
# After so long the person has gone, or the next message tells of it again.
_LASTS = timedelta(hours=12)
_CARDS = read_lists(LEXICONS / "cards.txt")
# These cannot wait for anything; the others have to be seen today.
_NOW = frozenset(_CARDS["now"])
# Whoever thinks of dying hears no list of orders first.
_GENTLE = "self_harm"
# Whose card says that nothing may be eaten.
_FASTING = frozenset(_CARDS["fasting"])
# A blow may have knocked a tooth out too: what is done with it is told beside the card.
_AFTER_A_FALL = frozenset({"unconscious", "breathing", "bleeding", "trauma"})
# Worse signs of the same thing, of which its own card speaks.
_COVERED = read_lists(LEXICONS / "covered.txt")
# The notes that say more of it than its card.
_FIRST_AID = read_lists(LEXICONS / "first_aid.txt")
_AFTERCARE = read_lists(LEXICONS / "aftercare.txt")
# What a note advises that whoever may be operated on does not do.
_FED = re.compile(r", (?:uống đủ nước|ăn mềm|drink enough|eat soft food)\b(?: và)?", re.IGNORECASE)
_FEEDS = re.compile(r"- (?:ăn|uống|eat|drink)\b", re.IGNORECASE)
# A sign that is gone, or a person who feels well, ends none of these: a doctor does.
_UNTIL_SEEN = _NOW.union(_CARDS["until seen"])
# An emergency is left only where a message hardly tells of a danger.
_CALM = 0.3
# This is over once what was choked on is out.
_OUT = "choking"
_LINES, _TOLD = 3, 3
# How many messages before say what an emergency is; how many words say no more than that nobody is ill.
_REMEMBERED, _SHORT = 3, 8
# What asks of something else, whatever it says of the emergency.
_ASIDE = LEAVES | {"aside"}
# A "no" by itself, and what was done.
_TOLD_SO = re.compile(
    r"^(?:(?:da|a|ok|oke|khong|ko|k|hong)\s*)+$|\b(?:roi|r|da \w+)(?:\s+(?:a|nhe|nha|em|ban|bac si))*$"
)
# What is asked for beside what was taken already, or that it was too much or a mistake.
_TAKEN = re.compile(
    r"\b(?:roi|r|nham|lo|qua|het|them|nua|tu y|len|da|vua|already|more|again|another|some|too|swallow\w*|took|drank|had|ate|got|accident\w*|wrong|by mistake)\b"
)
# What a temperature is told with; where a message turns to something beside it.
_FEVERISH = re.compile(r"\b(?:sot|fever\w*)\b")
_TURNS = re.compile(r"(?<=[,.;!?\n])\s+|\s+(?=(?:nhưng|nhung|mà|ma|but|though)\s)", re.IGNORECASE)
# One of two is asked for: "nằm hay ngồi".
_EITHER = re.compile(r"\w (?:hay|or) \w")
# What asks of the way or of waiting is asked of the emergency, whatever else it names.
_ON_THE_WAY = frozenset({"far", "meanwhile", "wait", "way"})
# What a card says is to be written where it is none; nothing less ends one of who thinks of dying.
_CALLED_OFF = re.compile(r"\b(?:khong|ko|k) ai bi gi\b|\bnobody is ill\b")
# Where no danger was told of before it, that nobody has one is said in so many words.
_NOBODY = re.compile(r"\b(?:khong|ko|k|chang|chua) (?:co )?ai\b|\b(?:nobody|no one|noone)\b")
_HEADLINE = "🚨"
_DURATION = re.compile(r"\d ?(?:phút|giờ|tiếng|minutes?|hours?)\b")


@dataclass(frozen=True, slots=True)
class Emergency:
    """The emergency that a conversation is in: the danger's name, when it was told, of whom ("" is the one who writes), and
    whether a sign beside it makes it one that is not waited with."""

    name: str
    since: datetime
    patient: str = ""
    severe: bool = False

    @property
    def until_seen(self) -> bool:
        """Whether a sign that is gone does not end it: a doctor does."""
        return self.name in _UNTIL_SEEN - {_OUT}

    @classmethod
    def of(cls, metadata: Mapping[str, Any], now: datetime) -> Self | None:
        """The one that `kept` saved, unless it is long ago; None for anything else."""
        saved = metadata.get(KEPT)
        if not isinstance(saved, Mapping):
            return None
        try:
            since = datetime.fromisoformat(str(saved.get("since")))
            return (
                cls(str(saved["name"]), since, str(saved.get("patient", "")), saved.get("severe") is True)
                if now - since < _LASTS
                else None
            )
        except (KeyError, TypeError, ValueError):
            return None

    def kept(self) -> dict[str, Any]:
        """Plain values for the conversation's metadata."""
        return {**asdict(self), "since": self.since.isoformat()}


@dataclass(frozen=True, slots=True)
class EmergencyReply:
    """What is said at once; `emergency` is the one to keep, None when it is over; `first` where the card is new.

    `aside`: `text` only reminds of it, before the answer to a question of another matter. `topics`: the notes for what is asked after one
    that is over. `sure` is False where a model that
    answers is to say whether it is so, True where the person called it off.
    """

    text: str
    emergency: Emergency | None
    first: bool = False
    aside: bool = False
    sure: bool = False
    topics: tuple[str, ...] = ()


def reply(
    text: str, earlier: Sequence[str], present: Emergency | None, now: datetime, lang: Lang
) -> EmergencyReply | None:
    """The answer to `text` where it tells of a danger or goes on about one; None where there is none."""
    if present is not None:
        return _go_on(text, earlier, present, now, lang)
    found = danger(text, earlier)
    # Who asks what was noted, or wants it deleted, tells of no danger that is only guessed.
    noted = found is not None and not found.sure and not {"recall", "forget"}.isdisjoint(wishes(text))
    if found is not None and not (noted or only_states(text) or (not found.sure and _asks_dose(found, text))):
        return _card(found, now, patient_of([*earlier, text]), lang)
    # What the card says is to be written is heard though it is over already.
    short = len(folded_words(text)) <= _SHORT and not names_mouth(text) and _says_nobody(text)
    off = short and (_NOBODY.search(fold(text)) or any(map(danger, earlier[-_REMEMBERED:])))
    return EmergencyReply(say("guard.still.nobody", lang), None, sure=True) if off else None


def _asks_dose(found: Danger, text: str) -> bool:
    """Whether `text` only asks how much of a medicine is given: beside that it tells of no amount, of none that was taken already,
    and of no danger."""
    if found.name != "poisoning" or "dose" not in wishes(text) or tells_amount(text):
        return False
    told = [part for part in CLAUSE.split(spellings_of(text)[-1]) if not asks(part)]
    return not _TAKEN.search(fold(text)) and all(probability(part) < _CALM for part in told)


def _says_nobody(text: str) -> bool:
    """Whether `text` says that nobody is ill; who tells what they have or take does not: "bé nhà tôi dị ứng cua"."""
    return follow_up(text) == "nobody" and all(fact.kind == "age" for fact in stated(find_facts(text)))


def _go_on(
    text: str, earlier: Sequence[str], present: Emergency, now: datetime, lang: Lang
) -> EmergencyReply:
    """What a message in an emergency hears: that it is over, the card of a worse sign, or what answers it."""
    found, said = danger(text), follow_up(text)
    sure = found is not None and found.sure
    cooled = cooled_down(text)
    eased = _only_cooler(text, present) if cooled else said == "eased"
    over = said == "seen" or (eased and not present.until_seen)
    called_off = _says_nobody(text) if present.name != _GENTLE else bool(_CALLED_OFF.search(fold(text)))
    calm = probability(spellings_of(text)[-1] if cooled and eased else text) < _CALM
    if called_off and calm:
        return EmergencyReply(say("guard.still.off", lang), None, sure=True)
    # Who waits for the ambulance, or asks on the way, hears what to do.
    helped = said == "helped" and not (asks_beside(text) or "meanwhile" in _lexicon().labels_in(text))
    if calm and (helped or (over and not is_another(person_of(text), present.patient))):
        told = "helped" if helped else "seen" if said == "seen" else "over"
        return EmergencyReply(say(f"guard.still.{told}", lang), None, topics=topics_of(present.name))
    if found is not None and sure and found.name not in {present.name, *_COVERED.get(present.name, ())}:
        return _card(found, now, patient_of([*earlier, text]), lang)
    if _grows_worse(text, earlier):
        present = replace(present, severe=True)
    tooth = present.name in _AFTER_A_FALL and _keeps_tooth(text, earlier)
    if found is None and not tooth and _is_aside(text, present, lang):
        return EmergencyReply(_reminder(present, lang), present, aside=True)
    lines = of_topics(("avulsed-tooth",), lang)[0].text.splitlines() if tooth else ()
    told = still("" if tooth else text, present, lang)
    return EmergencyReply("\n".join([told, *(f"- {line}" for line in lines)]), present)


def _only_cooler(text: str, present: Emergency) -> bool:
    """Whether a temperature that is no fever (any more) ends the emergency: a fever by itself where nothing beside it is a danger, any
    other only by what is told beside it."""
    parts = [part for part in _TURNS.split(spellings_of(text)[-1]) if part.strip()]
    beside = [part for part in parts if not (_FEVERISH.search(fold(part)) or cooled_down(part))]
    if present.name != "fever":
        return any(follow_up(part) == "eased" for part in beside)
    sure = (found.sure for part in beside if (found := danger(part)))
    return not any(sure) and (not beside or probability(" ".join(beside)) < _CALM)


def _grows_worse(text: str, earlier: Sequence[str]) -> bool:
    """Whether minutes count by what `text` adds to what was told."""
    before = "\n".join(earlier[-_REMEMBERED:])
    return is_severe(f"{before}\n{text}") and not is_severe(before)


def asks_beside(text: str) -> bool:
    """Whether something is asked beside what says that nobody is ill or that it is over; what was done ("rồi") is told."""
    parts = [part.strip(" ,.;!\n") for part in CLAUSE.split(text)]
    return any(asks(part) or _EITHER.search(part) for part in parts if "?" in part or not _is_told(part))


def topics_of(name: str) -> tuple[str, ...]:
    """The topics of the notes for what is asked once the danger `name` is over, the nearest first."""
    return tuple(_AFTERCARE.get(name, ()))


def _is_told(part: str) -> bool:
    """Whether a clause says what was done or that it is over; who is on the way may ask with the same words."""
    said = follow_up(part)
    asks_on_the_way = said == "helped" and ASKS_AT_END.search(fold(part))
    return bool(_TOLD_SO.search(fold(part))) or (said in LEAVES and not asks_on_the_way)


def _keeps_tooth(text: str, earlier: Sequence[str]) -> bool:
    """Whether `text` speaks of a tooth that was picked up, or asks what to do with one that came out."""
    said, *before = (set(_lexicon("tooth").labels_in(one)) for one in (text, *earlier))
    return {"tooth", "kept"} <= said and any({"tooth", "out"} <= one for one in (said, *before))


def _card(found: Danger, now: datetime, patient: str, lang: Lang) -> EmergencyReply:
    severe = found.severe and found.name not in _NOW
    emergency = Emergency(found.name, now, patient, severe)
    first = f"{say('guard.still.at_once', lang)}\n\n" if severe else ""
    text = f"{first}{advice(found.name, lang).strip()}\n\n{say('guard.still.leave', lang)}"
    return EmergencyReply(text, emergency, first=True, sure=found.sure)


# -- What a model says of it, in the first line of its answer.

NONE, OVER = "none", "over"
_LONGEST_LINE = 80
_URGENT = re.compile(r"\W*URGENT\W*?[:=]\W*([a-z_]+)[^\w\n]*\n*", re.IGNORECASE)


def split_first_line(raw: str, *, whole: bool) -> tuple[str, str] | None:
    """The sign that the line `URGENT: <sign>` names before an answer and the text behind it; "" where the line is missing.

    None where `raw`, unless it is the `whole` answer, is still too short to tell.
    """
    begun = raw.lstrip()
    if not whole and "\n" not in begun and len(begun) < _LONGEST_LINE:
        return None
    found = _URGENT.match(begun)
    sign = found[1].lower() if found else ""
    return (sign if sign in {*NAMES, NONE, OVER} else ""), begun[found.end() :] if found else raw


def decided(
    sign: str,
    rules: EmergencyReply | None,
    present: Emergency | None,
    messages: Sequence[str],
    at: tuple[datetime, Lang],
) -> EmergencyReply | None:
    """What is said `at` a time in a language before the answer of a model that named `sign` of the person's `messages`; None where nothing is urgent.

    A model that did not say leaves it to the rules, but never to their guess that an emergency is over.
    """
    now, lang = at
    if sign in NAMES and (present is None or present.name != sign):
        severe = rules is not None and rules.emergency is not None and rules.emergency.severe
        return _card(Danger(sign, severe=severe), now, patient_of(messages), lang)
    if not sign and rules and rules.first:
        return rules
    if present is None or sign == OVER:
        return None
    return EmergencyReply(_reminder(present, lang), present, aside=sign == NONE)


# The sentences of a text with what stands between them; the parts of one; what turns round what follows it, and what ends that.
_SENTENCE = re.compile(r"((?<=[.!?])\s+|\n+)")
_PARTS = re.compile(r"(?<=[,;:])\s+|\s+(?=(?:nhưng|but|however)\s)")
_NO = re.compile(
    r"\b(?:không|đừng|chưa|chẳng|tránh|cấm|ngưng|thay vì|never|not|no|nor|don'?t|cannot|can'?t|avoid|without|stop|instead of)\b"
    r"(?:\s+(?:nên|được|thể|phải|tự)\b)?"
)
# What is brought to be looked at; what one waits for.
_BROUGHT = re.compile(r"\b(?:mang|đem|đưa|chụp)\b")
_PASSES = re.compile(
    r"\W*$|.*(?:\b(?:đỡ|(?<!ra )hết|giảm|bớt|tự|khỏi|lành|xẹp|cầm|ổn|sao|thế nào|thêm|vài|mấy|mai|hôm|ngày|giờ|lát|tuần|đêm)\b|đã\W*$)"
)
_YES = re.compile(r"\b(?:cứ|hãy|nên|có thể|chỉ cần|nhưng|but|can|should|may|please)\b")


def without_contrary(text: str, name: str, lang: Lang) -> str:
    """`text` of a model without what speaks against the card of the emergency `name`: to wait, not to be seen, or what that
    card forbids. Of a sentence that also sends for help only these parts go."""
    forbidden = {"wait", "unseen", *_lexicon("contrary").labels_in(advice(name, lang))} - {"help"}
    pieces = _SENTENCE.split(text)
    kept = [_without_contrary(one, forbidden) for one in pieces[::2]]
    gaps = [*pieces[1::2], ""]
    return "".join(one + gap for one, was, gap in zip(kept, pieces[::2], gaps, strict=True) if one or not was)


def plays_down(sentence: str) -> bool:
    """Whether a sentence says that it is rare, harmless or can wait, and sends for no help: "dị ứng thật rất hiếm", but not
    "không tự khỏi"."""
    hits = _lexicon("contrary").find(sentence)
    told = (hit for hit in hits if hit.label in {"wait", "unseen"})
    return not any(hit.label == "help" for hit in hits) and any(
        not re.search(r"\b(?:không|chẳng|not|never)\s+$", sentence[: hit.start].lower()) for hit in told
    )


def _looks(sentence: str, start: int, end: int) -> bool:
    """Whether "để xem" says what somebody who helps, or a thing that is brought, is to look for: not whether it passes."""
    parts = [one for one in _PARTS.split(sentence[:start].lower()) if not _NO.search(one)]
    looked = any(_BROUGHT.search(one) or _lexicon("contrary").has(one, "help") for one in parts)
    return looked and not _PASSES.match(_PARTS.split(sentence[end:].lower(), 1)[0])


def _without_contrary(sentence: str, forbidden: set[str]) -> str:
    found = _lexicon("contrary").find(sentence)
    hits = [hit for hit in found if not (hit.phrase == "để xem" and _looks(sentence, hit.start, hit.end))]
    unseen = [range(hit.start, hit.end) for hit in hits if hit.label == "unseen"]
    against, helps = set[int](), set[int]()
    for hit in hits:
        before = sentence[: hit.start].lower()
        no = max((one.end() for one in _NO.finditer(before)), default=-1)
        told = hit.label == "unseen" or no < 0 or bool(_YES.search(before, no))
        if told and hit.label in forbidden:
            against.add(hit.start)
        elif told and hit.label == "help" and not any(hit.start in span for span in unseen):
            helps.add(hit.start)
    if not against or not helps:
        return "" if against else sentence
    ends = [*(one.start() for one in _PARTS.finditer(sentence)), len(sentence)]
    parts, start = [], 0
    for end in ends:
        if not any(start <= at < end for at in against) or any(start <= at < end for at in helps):
            parts.append(sentence[start:end].strip())
        start = end
    shown = " ".join(parts).rstrip(" ,;:")
    shown = shown[:1].upper() + shown[1:] if sentence[:1].isupper() else shown
    return shown + ("" if parts[-1:] and parts[-1][-1:] in ".!?" else ".")


def _is_aside(text: str, present: Emergency, lang: Lang) -> bool:
    """Whether `text` asks of another dental matter, which neither the card nor what follows from it answers, or of somebody else."""
    name = present.name
    another = is_another(person_of(text), present.patient)
    asked = last_question(text) or text
    return bool(
        name != _GENTLE
        and (another or not _ruled(asked, name, lang))
        # When one may brush again is asked of what happened.
        and not asks_again(text)
        # "vo lung 5 cai roi" names no wife.
        and (name not in _NOW or names_mouth(text))
        and not _ON_THE_WAY & set(_lexicon().labels_in(text))
        and (follow_up(asked) in _ASIDE or another)
        and set(subjects(text)) - {*subjects(advice(name, lang)), *_FIRST_AID.get(name, ())}
    )


def _ruled(text: str, name: str, lang: Lang) -> bool:
    """Whether it is asked if something may be done that the card of the danger forbids or allows by its name."""
    card = [line for line in advice(name, lang).splitlines() if line.startswith("- ")]
    return asks_leave(text) and bool(ruling_lines(card, text, [""] * len(card)))


def _reminder(present: Emergency, lang: Lang) -> str:
    now = present.severe or present.name in _NOW
    return say(f"guard.still.{present.name if present.name == _GENTLE else 'now' if now else 'today'}", lang)


def still(text: str, present: Emergency, lang: Lang) -> str:
    """What a follow-up hears: that it is still urgent, then what answers it, all of the card where nothing does."""
    head, name = _reminder(present, lang), present.name
    card = [line for line in advice(name, lang).splitlines() if line.startswith("- ")]
    if name == _GENTLE:
        return "\n".join([head, "", *card])
    # How long there is stands in the card.
    silent = {"time", "meanwhile"} if name in _FASTING else {"time", "meanwhile", "food"}
    labels = _lexicon().labels_in(text)
    # Who waits for the ambulance hears what to do, not to hurry.
    wanted = [] if "meanwhile" in labels else [label for label in labels if label not in silent]
    told, more = _told_lines(text, name, lang), [say(f"guard.still.{label}", lang) for label in wanted]
    lines = [*told, *more[: _LINES - min(len(told), 2)]]
    if lines and ("meanwhile" in _lexicon().labels_in(text) or not ASKS_AT_END.search(fold(text))):
        # Who tells how it goes may need the next step, whichever it is.
        lines = list(dict.fromkeys([*lines, *card]))
    lines = lines or [say("guard.still.more", lang), *card]
    return "\n".join([head, "", *lines])


def _told_lines(text: str, name: str, lang: Lang) -> list[str]:
    """The lines of the card and the sentences of the first-aid notes that speak of what is asked or done, the best first;
    of how long, those of the card that name a time."""
    card = [line for line in advice(name, lang).splitlines() if line.startswith(("- ", _HEADLINE))]
    if "time" in _lexicon().labels_in(text) and (timed := [line for line in card if _DURATION.search(line)]):
        return ["- " + line.removeprefix("- ").removeprefix(_HEADLINE).strip() for line in timed[:2]]
    lines = [line for line in card if line.startswith("- ")]
    other: Lang = "en" if lang == "vi" else "vi"
    notes, foreign = (of_topics(_FIRST_AID.get(name, ()), each) for each in (lang, other))
    twins = [""] * len(lines)
    for note, twin in zip(notes, foreign, strict=True):
        own, theirs = sentences_of(note.text), sentences_of(twin.text)
        twins += theirs if len(own) == len(theirs) else [""] * len(own)
        lines += [f"- {_FED.sub('', one) if name in _FASTING else one}" for one in own]
    # What a note says for calm days may speak against the card.
    kept = [
        at
        for at, pair in enumerate(zip(lines, twins, strict=True))
        if at < len(card)
        or not (any(map(plays_down, pair)) or (name in _FASTING and any(map(_FEEDS.match, pair))))
    ]
    lines, twins = [lines[at] for at in kept], [twins[at] for at in kept]
    return best_lines(lines, text, _TOLD, twins)


@cache
def _lexicon(name: str = "emergency") -> Lexicon:
    return Lexicon.load(LEXICONS / f"{name}.txt")
