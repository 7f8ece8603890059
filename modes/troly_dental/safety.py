"""What a person has stated and what it speaks against, and what they wish for that is not given.

The table is `contraindications.toml`, with its sources. It knows nothing of doses and recommends nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from troly.text.catalogue import Lang
from troly.text.everyday import without_everyday
from troly.text.fold import fold, folded_words
from troly.text.match import Lexicon, blank_out, spans_of
from troly_dental.memory.facts import (
    contraindications,
    denies_all,
    find_facts,
    is_denied,
    only_states,
    person_of,
    same_person,
    without,
)
from troly_dental.memory.types import Fact
from troly_dental.strings import say

_MEDICINE = re.compile(r"\b(?:thuoc|khang sinh|medicines?|medication|drugs?|antibiotics?|painkillers?)\b")
_A_MEDICINE = re.compile(r"^thu[oố]c\s+", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_MONTHS = re.compile(r"\b(?:thang|months?)\b")


@dataclass(frozen=True, slots=True)
class Condition:
    """What a fact means: `care` in each language, the groups of medicines it speaks against, and who says so."""

    name: str
    kinds: frozenset[str]
    words: Lexicon
    care: Mapping[Lang, str]
    avoid: frozenset[str]
    source: str
    under: int = 0

    def fits(self, fact: Fact) -> bool:
        """Whether `fact` states this condition."""
        if fact.kind not in self.kinds:
            return False
        if self.under:
            return _years(fact) < self.under
        return bool(self.words.find(fact.value) or (fact.kind == "pregnancy" and self.words.find(fact.text)))


@dataclass(frozen=True, slots=True)
class Conflict:
    """A medicine that is named, the stated facts that speak against it, and who says so."""

    medicine: str
    facts: tuple[Fact, ...]
    source: str

    def told(self, lang: Lang) -> str:
        """One sentence of warning."""
        stated = told(self.facts, lang)
        return say("safety.conflict", lang, medicine=self.medicine, stated=stated, source=self.source)


# No child that is younger writes of itself.
_WRITES_FROM = 7


def _years(fact: Fact) -> int:
    """The years of an age; more than any that a rule is about where it has no number."""
    told = _NUMBER.search(fact.value)
    return int(told.group()) // (12 if _MONTHS.search(fold(fact.value)) else 1) if told else 999


def stated(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """The facts about health that hold: none that the person denied."""
    health = ("allergy", "medicine", "pregnancy", "disease", "age")
    return tuple(fact for fact in facts if fact.kind in health and not is_denied(fact))


def taken_back(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """The allergies, medicines and illnesses by name of which a message says that they are not so, and a pregnancy."""
    kinds = {"allergy", "medicine", "pregnancy", "disease"}
    return tuple(
        fact
        for fact in facts
        if fact.kind in kinds
        and is_denied(fact)
        and not (denies_all(fact) or _ALLERGY.match(fold(fact.value)))
    )


def none_known(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """The facts that say that there is no allergy, medicine or illness, where none of the same person is stated."""
    held = {(fact.kind, person_of(fact.text)) for fact in stated(facts)}
    return tuple(fact for fact in facts if denies_all(fact) and (fact.kind, person_of(fact.text)) not in held)


# What is told of an earlier conversation too, beside allergies.
_BLEEDS = frozenset({"blood thinner", "bleeding disorder"})


def for_helpers(facts: Sequence[Fact], patient: str) -> tuple[Fact, ...]:
    """What whoever helps must hear of `patient` ("" is the one who writes): nobody else's facts, and of earlier
    conversations only what makes treatment dangerous."""
    return tuple(
        fact
        for fact in stated(facts)
        if same_person(person_of(fact.text), patient)
        and (
            not fact.earlier
            or fact.kind == "allergy"
            or any(one.fits(fact) for one in conditions() if one.name in _BLEEDS)
        )
    )


def told(facts: Sequence[Fact], lang: Lang) -> str:
    """Facts about health as a person would say them, each once: "dị ứng penicillin, đang dùng thuốc warfarin"."""
    said: dict[str, None] = {}
    for fact in facts:
        value = _A_MEDICINE.sub("", fact.value) if fact.kind == "medicine" else fact.value
        phrase = say(f"safety.{'none' if denies_all(fact) else 'fact'}_{fact.kind}", lang, value=value)
        small = say("safety.small_child", lang) if fact.kind == "age" and _years(fact) < _WRITES_FROM else ""
        whose = f"{person} {phrase}" if (person := person_of(fact.text) or small) else phrase
        said[say("safety.earlier", lang, fact=whose) if fact.earlier else whose] = None
    return ", ".join(said)


def what_they_mean(facts: Sequence[Fact], lang: Lang) -> tuple[str, ...]:
    """What each stated fact means for dental care, each once, with its source."""
    lines: dict[str, str] = {}
    for fact in stated(facts):
        if fact.kind == "allergy":
            person = person_of(fact.text)
            what = f"{fact.value} ({person})" if person else fact.value
            medicine = medicines().find(fact.value) or _MEDICINE.search(fold(fact.value))
            lines[what.lower()] = say(f"safety.allergy{'' if medicine else '_other'}", lang, what=what)
        for condition in conditions():
            if condition.fits(fact):
                lines[condition.name] = say(
                    "safety.care", lang, care=condition.care[lang], source=condition.source
                )
    return tuple(lines.values())


def conditions_of(facts: Sequence[Fact]) -> list[Condition]:
    """The conditions of the table that one of the stated `facts` states, in its order."""
    held = stated(facts)
    return [condition for condition in conditions() if any(map(condition.fits, held))]


def conflicts(text: str, facts: Sequence[Fact]) -> tuple[Conflict, ...]:
    """The medicines named in `text` that a stated fact speaks against."""
    named = [(hit.phrase, hit.label) for hit in medicines().find(text)]
    if not named:
        return ()
    # Who was told to take it for what is stated (aspirin after a stent) takes it on no decision of their own.
    taken = {word for fact in stated(facts) if fact.kind == "medicine" for word in folded_words(fact.value)}
    found: dict[str, Conflict] = {}
    for fact in stated(facts):
        held = conditions_of([fact]) if fact.kind != "allergy" else []
        allergic = {hit.label for hit in medicines().find(fact.value)} if fact.kind == "allergy" else set()
        allergic |= {other for group in allergic for other in contraindications()["cross"].get(group, ())}
        for phrase, group in named:
            own = phrase in folded_words(fact.value)
            avoided = any(
                group in one.avoid and not (fold(phrase) in taken and one.words.find(phrase)) for one in held
            )
            if group in allergic or (avoided and not own):
                source = held[0].source if held else "BNF"
                before = found.get(phrase.lower(), Conflict(phrase, (), source))
                found[phrase.lower()] = Conflict(phrase, (*before.facts, fact), before.source)
    return tuple(found.values())


# A case that is only asked about: "nếu tôi dị ứng penicillin thì …", "người đang uống warfarin có …".
_CASE = re.compile(
    r"(?<!\w)(?:nếu|neu|giả sử|gia su|lỡ|người|nguoi|ai|if|someone|people)\s+(.+?)"
    r"(?=\s(?:thì|thi|có|co|then|can|could|may|should)\s|(?<!đang)(?<!dang)\s(?:uống|uong|dùng|dung|xài|xai)\s|[,?]|$)",
    re.IGNORECASE,
)


def supposed_conflicts(question: str) -> tuple[Conflict, ...]:
    """The medicines that `question` names beside a case that it only supposes, and that speaks against them."""
    facts = [fact for case in _CASE.findall(question) for fact in find_facts(case)]
    return conflicts(_CASE.sub(" ", question), facts) if facts else ()


def names_group(text: str, table: Literal["prescription", "given"]) -> bool:
    """Whether `text` names a medicine that only a prescription, or a clinic itself, gives (`contraindications.toml`)."""
    return not set(medicines().labels_in(text)).isdisjoint(contraindications()[table]["groups"])


@cache
def conditions() -> tuple[Condition, ...]:
    """The conditions of the table, in its order."""
    return tuple(
        Condition(
            row["name"],
            frozenset(row["kinds"]),
            Lexicon({"word": (*row["words"], *row.get("taken", ()), *row.get("within", ()))}),
            {"vi": row["vi"], "en": row["en"]},
            frozenset(row["avoid"]),
            row["source"],
            row.get("under", 0),
        )
        for row in contraindications()["condition"]
    )


@cache
def medicines() -> Lexicon:
    """The medicines of the table by group."""
    return Lexicon(contraindications()["groups"])


# -- What a person wants that no note gives: a dose, a prescription, a diagnosis, an appointment, a price.

_LEXICONS = Path(__file__).parent / "lexicons"
Wish = Literal[
    "forget", "recall", "declare", "dose", "prescription", "medicine", "diagnosis", "booking", "clinic", "hours", "price",
]  # fmt: skip


# What is wished for is anything else, tobacco is none; and how long something lasts, which is no dose.
_BESIDES = re.compile(
    r"\b(?:ngưng|ngừng|dừng|nghỉ|ngung|ngừng|dung han|stop|stopping)\s+(?:(?:uống|dùng|uong|dung|taking)\s+)?(?:thuốc|thuoc|medicines?|medication|them|it)\b"
    # What is left over is no amount that is asked for.
    r"|\b(?:thừa|dư|thua|sót lại|còn lại)\s+(?:\w+\s+){0,2}?(?:viên|vien|vỉ|gói|liều)\b"
    r"|\b(?:thèm|them|rít|rit|điếu|dieu|lên cơn|len con)\s+thu[oố]c\b|\bthuốc lào\b|\b(?:thu[oố]c|tiêm|tiem|chích|chich) (?:tê|mê|te|me|\w+ca\w*n)\b|\bnumbing (?:shots?|injections?)\b|\b(?:dị ứng|di ung)(?: với| voi)? thu[oố]c\b"
    # What something came of was taken once.
    r"|\b(?:do|vì|vi|tại|tai|bởi|boi|because of|from)\s+(?:\w+\s+){0,2}?(?:uống|uong|dùng|dung|tiêm|tiem|chích|chich|taking)\s+(?:thuốc|thuoc|kháng sinh|khang sinh|\w+cillin|tetra\w+|antibiotics?|medicines?)\b"
    r"|\b(?:hút|hut|bỏ|bo|cai)\s+thuốc\b(?:\s+lá\b)?|\b(?:hut|cai)\s+thuoc\b|\bthuốc lá\b|\b(?:ngoài|ngoai|(?:không|khong|ko|k|khỏi|khoi) (?:dùng|dung|uống|uong|cần|can|mua|xin)|other than|apart from|besides|without|no|no more)\s+(?:thuốc|thuoc|medicine|medication|painkillers|pills)\b(?:\s+ra\b)?",
    re.IGNORECASE,
)
# What touches whoever is treated, beside medicines.
_HANDLED = re.compile(
    r"\b(?:thuoc|te|latex|cao su|kim loai|niken|nickel|acrylic|nhua|metal|resin|an[ae]+sthe\w+)\b"
)
_ALLERGY = re.compile(r"\b(?:di ung|allerg\w+)\b")
# What somebody else was heard to name is not asked for, nor what it is that nobody has.
_HEARD = re.compile(
    r"\b(?:không|chưa|chẳng|khong|chua|chang|ko)\s+(?:có\s+|co\s+)?(?:ai\s+)?(?:bị|bi)\s+(?:gì|gi)\b|"
    r"\b(?:nghe|coi|xem|thấy|thay|nhìn|nhin)\s+(?:\w+\s+){0,2}?giá\b|\b(?:nghe|coi|xem|thay|nhin)\s+(?:bao |cai |cai bang )?gia\b"
    r"|\b(?:saw|heard|got|read|seen)\s+(?:\w+\s+){0,2}(?:prices?|quotes?|costs?)\b",
    re.IGNORECASE,
)
# What eases a pain is a medicine, whatever it is called.
_RELIEF = re.compile(
    r"\b(?:uong|xai|dung)\s+(?:cai\s+|thu\s+)?(?:gi|j)\b[^.?!]*\b(?:cho|de)\s+(?:do|het|khoi|bot|giam)\b"
    r"|\b(?:dau|nhuc|buot|sung)\b[^.?!]*(?<!an )\buong\s+(?:cai\s+|duoc\s+|dc\s+)?(?:gi|j)\b"
    r"|\bwhat\s+(?:can|should|do|to|could)\b[^.?!]*\b(?:take|give)\b"
)
_PAIN = re.compile(r"\b(?:dau|nhuc|buot|thon|e|sung|pain|painful|ache|aches|toothache|hurts?|sore|swollen)\b")
_COSTS = re.compile(r"\b(?:nhieu|may|bao) (?:\w+ )?tien\b")
# How long something lasts or is left off is no dose.
_ENDS = re.compile(
    r"\b(?:ngung|nghi|ngung han|dung|bo|stop(?:ping)?)\s+(?:uong\s+|dung\s+|taking\s+)?(?:thuoc|khang sinh|them|it|med\w*)\b[^.?!]*\b(?:may|bao|how)\b|\bmay (?:gio|tieng|ngay) (?:thi |la |moi )?(?:het|tan|khoi)\b"
)


# That what is noted be deleted, no scar and no stain.
_FORGET = re.compile(
    r"\b(?:xoa(?:\s+bo)?\s+(?:giup|gium|dum|ho|di|het|khoi|luon|tat ca|ghi nho|thong tin|du lieu|dieu|nhung gi|may cai)|(?:dung|bo)\s+ghi nho)\b"
    r"(?!.*\b(?:seo|vet|dau|kem|gel|nuou|o vang)\b)"
    r"|\b(?:delete|erase|forget)\s+(?:it|that|this|everything|all|what (?:i|you)|(?:about )?my (?:note|fact|allerg|medic|data|info)\w*)"
)
# When it is best to come is asked for advice.
_WHEN_BEST = re.compile(
    r"\b(?:when|what time|how (?:soon|early|often))\b.*\bshould\b"
    r"|\b(?:khi|luc|buoi|gio|ngay|bao (?:gio|lau)|may gio)(?: nao)?\b.*\bnen\b|\bnen\b.*\b(?:(?:khi|luc|buoi|gio|ngay) nao|may gio|bao (?:gio|lau))\b"
)
# What of one's own one has told, asked by nothing else: "dị ứng của bé là gì", "tôi đang uống thuốc gì".
_OWN = re.compile(
    r"\bdi ung\s+(?:thuoc\s+)?cua\s+(?:\w+\s+){1,4}la\s+(?:\w+\s+)?(?:gi|j|nao)\b"
    r"|^(?:vay\s+|the\s+)?(?:toi|em|minh|tui|be|con|chau|vo|chong|me|ba|bo|ma)\s+(?:(?:nha|trai|gai)\s+)?(?:(?:toi|em|minh|tui)\s+)?"
    r"(?:(?:co|bi|dang)\s+)*(?:di ung\s+(?:voi\s+|thuoc\s+|cai\s+)*|(?<=dang )(?:uong|dung)\s+(?:nhung\s+)?thuoc\s+)(?:gi|j|nao)\s*(?:vay|the|nhi|a|ha|nhe)?\W*$"
    r"|^(?:(?:vay|the|toi|em|minh|tui|vo|co|dang|mang)\s+)*(?:thai|bau)\s+(?:duoc\s+)?(?:may|bao nhieu)\s+(?:thang|tuan)(?:\s+(?:roi|vay|the|nhi|a|ha))*\W*$"
    r"|\bthuoc\s+(?:ma\s+)?(?:(?:toi|em|minh|tui|be|con|chau|vo|chong|me|ba|bo|ma|ong)\s+){1,3}(?:(?:da|vua|moi|dang|co)\s+)*"
    r"(?:noi|ke|khai|nhac|uong|dung)\b[^.?!]{0,20}\b(?:la|ten)\s+(?:\w+\s+)?(?:gi|j|nao)\b"
    r"|\bwhat did i (?:say|tell you|mention)\b[^.?!]*\b(?:takes?|taking|on|allergic)\W*$"
    r"|\bwhat(?:'s|\s+(?:is|are|am))\s+(?:(?:i|he|she|my\s+\w+)\s+(?:allergic|on(?! about\b)|taking)\b|(?:my|his|her)\s+(?:\w+'?s\s+)?allerg)"
    r"|\b(?:what|which)\s+(?:medicines?|medications?|drugs?|pills?)\s+(?:am i|is (?:he|she|my \w+))\s+(?:on|taking)\b"
)


def wishes(question: str) -> tuple[Wish, ...]:
    """What is wished for, the most telling first; a medicine that is asked about by name is "medicine"."""
    if (kept := _of_what_is_noted(question)) or only_states(question):
        return (kept,) if kept else ()
    said = _HEARD.sub("", _BESIDES.sub("", question))
    question = _without_own(said)
    labels = set(_wishes().labels_in(question))
    drug = (
        "medicine" in labels
        or bool(medicines().find(question))
        or (said != question and {"take", "may"} <= labels)
        or bool(_RELIEF.search(fold(question)) and _PAIN.search(fold(question)))
    )
    found: list[Wish] = []
    if (
        "amount" in labels
        and not _ENDS.search(fold(question))
        and (drug or "strength" in labels)
        and (drug or "take" in labels or "mg" in question.lower())
    ):
        found.append("dose")
    if "prescribe" in labels:
        found.append("prescription")
    if not found and drug and labels & {"which", "may", "take"}:
        found.append("medicine")
    if "diagnose" in labels:
        found.append("diagnosis")
    if "book" in labels and not _WHEN_BEST.search(fold(question)):
        found.append("booking")
    elif "hours" in labels:
        found.append("hours")
    elif "clinic" in labels:
        found.append("clinic")
    if "price" in labels or _COSTS.search(fold(question)):
        found.append("price")
    return tuple(found)


def _without_own(text: str) -> str:
    """`text` without what it tells of as taken, or as what one is allergic to: beside that another may be asked for."""
    own = find_facts(text)
    text = without(text, (one for one in own if one.kind == "medicine" and not person_of(one.text)))
    for one in own:
        text = text.replace(one.value, " ", 1) if one.kind == "allergy" else text
    return text


def _of_what_is_noted(question: str) -> Wish | None:
    """What is wished of what was told before, if anything."""
    if _FORGET.search(fold(question)):
        return "forget"
    before = set(_wishes("told_before").labels_in(question))
    if "declare" in before:
        return "declare"
    return "recall" if {"recall", "told"} <= before or _OWN.search(fold(question)) else None


def without_price(question: str) -> str:
    """`question` without the words that ask for a price."""
    said = _COSTS.sub(" ", fold(question)) if _COSTS.search(fold(question)) else question
    hits = [hit for hit in _wishes().find(said) if hit.label == "price"]
    return " ".join(blank_out(said, spans_of(hits)).replace("?", " ").split()).strip(" ,.;")


def asks_of_allergies(question: str) -> bool:
    """Whether the question names allergies, and no medicine that it could be about."""
    return bool(_ALLERGY.search(fold(question))) and not medicines().find(question)


def names_treatment(question: str) -> bool:
    """Whether the question is about something that is done in a mouth."""
    return _wishes("treatments").has(question, "treatment")


def bearing_on_treatment(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """The stated `facts` that whoever treats a mouth has to know of: no age, no allergy to a food."""
    return tuple(
        fact
        for fact in stated(facts)
        if fact.kind != "age"
        and (fact.kind != "allergy" or medicines().find(fact.value) or _HANDLED.search(fold(fact.value)))
    )


_AT_THE_CLINIC = frozenset({"booking", "clinic", "hours"})


def asks_of_clinic(question: str) -> bool:
    """Whether a visit, a clinic or its hours are wished for, and nothing is named that could be another one's: "đặt lịch 9h mai"."""
    hits = _wishes().find(question)
    if not _AT_THE_CLINIC & set(wishes(question)):
        return False
    left = [word for word in without_everyday(question, spans_of(hits)) if word.folded.isalpha()]
    return not left or bool(_wishes("treatments").has(question, "treated at"))


def thanks(question: str) -> bool:
    """Whether the message thanks or takes leave."""
    return _wishes().has(question, "thanks")


@cache
def _wishes(name: str = "asked_for") -> Lexicon:
    return Lexicon.load(_LEXICONS / f"{name}.txt")
