"""Finds what a user states of himself that must not be forgotten (C5): rules over word lists, in both languages."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from troly.text.fold import (
    accents_agree,
    fold,
    fold_in_place,
    folded_words,
    has_marks,
    nfc,
    span_in_place,
    tokens,
    words,
)
from troly.text.language import is_syllable
from troly.text.match import Lexicon, PhraseHit, words_outside
from troly.text.wordlist import read_lists
from troly_dental.memory.types import KINDS, Fact, FactKind
from troly_dental.redaction import find

_KIN, _BARE_DIGITS, _PARTICLES = "kin ", 2, 2
# Among how many words from what says that something is taken its kind stands.
_KIND = 6
_CHILD = f"{_KIN}child"
# Something is got for somebody, whoever that is.
_GIVEN = re.compile(
    r"\b(?:cho(?!\s+(?:toi|tui|minh|hoi)\b)|mua|bon|giv\w+|for(?!\s+(?:me|myself)\b)|him|her|them)\b"
)
# A message longer than this is a pasted text, not something that a person says of himself.
LONGEST_READ, MOST_FACTS, LONGEST_TEXT, LONGEST_VALUE = 8_000, 40, 120, 80
_PARTS = re.compile(
    r"[;!\n]+|(?<!\d)[.,](?!\d)|(?<=\d)[.,](?=\s|$)|(?<=\D)[.,](?=\d)|(?<=\d)[.,](?=[^\d\s])|\?+"
    r"|\s(?:à|a|í|i|ý|y|ấy|ay|á)\s(?=(?:nhầm|nham|lộn|lon)\b)|\s(?=(?:nhầm|nham)\s+\d)"
    r"|\s(?:and|và|va|nhưng|nhung|but)\s(?=(?:i|i'm|my|take|takes|taking|needs?|use|using|uống|uong|dùng|dung|tôi|toi|em|mình|minh|đang|dang|bị|bi|cháu|chau|con)\b)",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"\b(?:co\s+(?:\w+\s+){0,12}?(?:khong|ko|hong|hok|chua)\b(?=[\s?.!]*$|\s+(?:a|vay|bac|ban|nhi|the)\b)"
    r"|thi\s+(?:sao|co|nen|phai|lam)|(?<!\bem )(?<!\btoi )(?<!\bminh )(?<!\btui )thi\s+(?:uong|dung)|lieu\s+co|co\s+(?:nen|duoc|the)\b|(?:phai\s+)?lam\s+(?:sao|gi|the\s+nao)"
    r"|bao\s+(?:nhieu|lau|gio)|may\s+(?:gio|tieng|ngay|tuan|thang|lan|tuoi|nam)\b|may\s+(?:vien|lieu|goi|ong)\b(?!\s+(?:roi|nay|lien|qua)\b)|khi\s+nao|(?:nhu\s+)?the\s+nao|uong\s+(?:thuoc\s+)?gi|dung\s+(?:thuoc\s+)?gi|tai\s+sao|vi\s+sao"
    r"|(?:can|could|should|may|must|do|does|is|are|will|would)\s+(?:i|it|we|my|she|he|this|that|you|there)\b"
    r"|what|how|which|why|where|when\s+(?:can|should|do)|is\s+\w+\s+safe)\b.*",
    re.DOTALL,
)
# A clause that begins as a question is one: "is allergy to an anaesthetic common?".
_INVERTED = re.compile(
    r"^(?:(?:and|so|but|also|then|ok|hi|hello|please)\s+)*(?:is|are|was|were|does|did|isn't|aren't|doesn't)\s"
    r"(?!(?:allergic|on|taking|also|pregnant|diabetic)\b)"
)
# What is only supposed or heard of states nothing of anybody.
_SUPPOSED = re.compile(
    r"\b(?:neu|gia su|gia du|vi du|chang han|truong hop|nghe noi|nghe don|doc thay|if|suppose|supposing|imagine|in case|hypothetically"
    r"|i heard|i read|heard that|read that)\b"
)
_LISTED = {
    name: frozenset(words)
    for name, words in read_lists(Path(__file__).parents[1] / "lexicons" / "facts_lists.txt").items()
}
# A number as it is written or said: "20", "hai mươi lăm", "twenty".
_ONE = r"(?:mot|hai|ba|bon|tu|nam|lam|sau|bay|tam|chin|muoi|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty)"
_SINCE = re.compile(r"\b\d{1,2} (?:nam|thang|years?|months?)\b")
_COUNT = rf"(?:\d{{1,3}}|{_ONE}(?:[ -]{_ONE}){{0,2}})"
# A child right before its months or years: "bé nhà em: 8 tháng", "con gái được 5t", "my baby is 8 months".
_CHILD_IS = (
    r"\b(?:be|chau|con|nhoc|baby|toddler|infant|kid|child|son|daughter|nha (?=em|minh))(?:\s*(?:nha|em|toi|tui|minh|gai|trai|nho|ut|cua|is)\b)*"
    r"\W+(?:(?:duoc|dc|moi|gan|hon|khoang|tam|gio|da|only|about|almost|just)\s+)*"
)
_AGE = re.compile(
    rf"(?<!\bcon so )(?<!\bcon so: )\b{_COUNT}[\s-]*(?:tuoi|thang tuoi|years?[ -]old|yo)\b"
    rf"|{_CHILD_IS}(?P<child>{_COUNT}\s*(?:thang(?: tuoi)?|tuoi|t|months?(?:[ -]old)?|years?[ -]old|yo)\b)(?!\s+(?:truoc|nay|sau(?! rang)|lien|qua|ago)\b)"
    r"|\b\d{1,2}[- ]months?[- ]old\b|\b(?:aged?|age of)\s+\d{1,3}\b"
)
# How far it is: "mang thai 20 tuần", "20 weeks pregnant".
_WEEKS = re.compile(
    r"\W+(?:(?:duoc|toi|den|hon|gan|khoang|tam|about)\s+)*"
    rf"(?:{_COUNT}\s*(?:tuan|thang|w|weeks?|months?)\b|(?:tuan |thang )?thu {_COUNT}\b)"
)
# Whom its weeks make one: "thai 32 tuần".
_UNBORN = re.compile(rf"\bthai(?: nhi)?{_WEEKS.pattern}")
_WEEKS_BEFORE = re.compile(rf"\b{_COUNT}[\s-]*(?:weeks?|months?)\s*$")
# A pressure that is high, as it was measured.
_PRESSURE = re.compile(
    r"\b(?:huyet ap|ha|bp|blood pressure)\b(?:\W+(?!duoi|under|below|nho hon)[a-z]+){0,3}?\W+(?P<measured>(?:1[4-9]|2\d)\d(?:\s*(?:/|tren|over)\s*\d{2,3})?)\b"
)
# A medicine that is asked about is not one that is taken.
_PERMISSION = re.compile(
    r"\b(?:duoc|dc|an toan|sao|hai|on|ok|oke|okay)\s+(?:khong|ko|k|hong|hok|hem|chua|chu)\b|\b(?:can|nen|phai|bat buoc)\b.*\b(?:khong|ko|k|hong|hok)\W*$|\b(?:is|are)\b.*\b(?:ok|okay|fine|safe)\b|\b(?:gi|nao)\b|\bthi sao\b|\b(?:can|should|may|could)\s+i\b|\bis it\b|\bsafe\b|\bwhat\b"
)
# Nor is one of which the dose is asked; how much went in already is told.
_HOW_MUCH = re.compile(
    r"\b(?:(?:may|bao\s+nhieu)\s+(?:vien|goi|ong|lieu|mg|ml)|(?:uong|dung|lieu|la)\s+bao\s+nhieu|how\s+(?:many|much|often))\b(?!\s+(?:roi|nay|lien|qua)\b)"
)
# A clause that ends with what makes a question in Vietnamese asks, without a question mark too: "cần uống kháng sinh trước không".
_ENDS_ASKING = re.compile(
    r"\b(?:khong|ko|k|hong|hok|hem|hum|khum|chua|duoc chu|on chu|ha|ta)\s*(?:a|vay|bac|ban|nhi|the|z|v|bs|bac si)?\W*$"
)
# What is asked to be told is not stated: "dị ứng của bé là gì".
_DEFINED = re.compile(r"\bla\s+(?:\w+\s+){0,2}(?:gi|j|nao|sao)\b")
# An animal has no facts of its own here, nor is it the one who writes: "my dog takes aspirin".
_ANIMAL = re.compile(
    r"^\W*(?:(?:and|but|còn|thế|mà|hôm nay)\s+)?(?:(?:my|our|the|his|her)\s+(?:\w+\s+)?(?:dogs?|cats?|pupp(?:y|ies)|kittens?|pets?|rabbits?|hamsters?|horses?)\b"
    r"|(?:(?:con|bé|em|đàn|bầy)\s+)?(?:chó|mèo|cún|thú cưng|thỏ|hamster)\b|con (?:meo|cun)\b|con cho (?:nha|cua)\b|thu cung\b)",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"^s?he\b.*")
_ASKS_WHAT = frozenset({"gi", "j", "nao", "what", "which"})
# What somebody thinks of taking is not taken either: "hay mình uống tạm kháng sinh", "định uống aspirin".
_PROPOSED = re.compile(
    r"^(?:hay\s+(?:la|minh|em|toi|tui|anh|chi|con|cho)|hoac|or|maybe|perhaps|co\s+le)\b(?!.*\b(?:nen|vi|tai|do|because|since)\b)|\bnhi$"
    # "còn kháng sinh thì sao", "kê cho tôi amoxicillin": asked about, asked for.
    r"|^(?:(?:the|vay|roi)\s+)?con\s+(?!uong|dung|xai|dang|bi|phai|toi|em|minh|nha|trai|gai|ut)|^(?:and\s+)?(?:what|how)\s+about\b|\bprescribe me\b"
    r"|(?<!si )(?<!bs )(?<!duoc )(?<!da )(?<!y )\bke\s+(?:don\s+|toa\s+)?(?:cho|giup|gium)\b"
    # Left over from somebody.
    r"|\bcon (?:thua|du|sot)\b|\bthua (?:lai )?(?:\w+ )?(?:vien|vi|hop|it|lieu)\b|\bleft ?overs?\b"
    # Long ago: what was taken as a child is not taken now.
    r"|\b(?:tu|hoi|luc|thuo)\s+(?:nho|be|con nho|con be)\b|\b(?:as a|when i was a)\s+(?:kid|child|baby)\b"
)
_INTENDED = re.compile(
    r"\b(?:(?:(?<!.)|(?<=\bem )|(?<=\btoi )|(?<=\bminh )|(?<=\btui )|(?<=\bchau )|(?<=\bdang ))(?:dinh|tinh)|muon|se|going\s+to|want\s+to|thinking\s+of|plan\s+to)\s+(?:uong|dung|mua|xin|take|taking|use|using|buy)\b"
)
# An illness that is only said to tell how great a fright was.
_FRIGHT = re.compile(
    r"\b(?:nearly|almost|practically|gave me|giving me|nhu|suyt|muon|tuong)\b(?:\W+\w+){0,3}?\W*$"
)
# Before a medicine: that the body reacted to it.
_REACTED = re.compile(
    r"\b(?:soc|shock|phan ung|reacted|reaction)\s+(?:(?:phan|ve|voi|do|vi|sau|khi|uong|tiem|chich|to|from|with|after)\s+){0,3}$"
)
# What is taken out, off or along is no medicine: "I take my trays out".
_NOT_TAKEN_IN = re.compile(
    r"\b(?:tak(?:e|ing)|use)\b.*\b(?:out|off|away|along|care|tray|trays|retainer|denture|aligners?)\b"
)
# Between an illness and the medicine that it comes of: "hen do aspirin", "aspirin-induced asthma"; none that is taken for it.
_OF_IT = re.compile(
    r"\W+(?:(?:nang|nhe|man|cap|phe quan|suyen|is|was|gets|nay|bi)\W+)*(?:do|vi|tai|boi|(?:(?:moi|sau) )?khi(?! \w+ \w+ thi do)|after|when|from|(?:due|thanks) to|because of|(?:caused|induced|triggered|provoked) by)\W+"
    r"(?:(?:thuoc|uong|dung|tac dung phu cua|taking|the|an|a)\W+)*"
)
_BRINGS = re.compile(
    r"(?=.*\b(?:gay|lam|khien|kich|g[ia]ve|ma[dk]e|caus|trigger|bring|induced|sensitive|exacerbated))"
    r"\W*(?:(?:da|se|hay|lam|gay|gay ra|khien|len|kich|bi|con|cho|toi|em|minh|can|gives?|gave|makes?|made|caus\w+|trigger\w*|bring\w*|on|induced|sensitive|exacerbated|me|my|an|a|attack|of)\W+)+"
)
# Between a reaction and a medicine: that the one came of the other; right before a reaction: that it is taken against it.
_CAUSED = re.compile(r"\b(?:sau|khi|do|vi|tai|boi|after|from|to|when|due|because)\b")
_AGAINST = re.compile(
    r"\b(?:tri|chua|de|cho|vi|do|for|against|because of|ma van|van|not?|khong|ko|k|chua)\s+(?:\w+\s+){0,2}$"
)
_INJECTED = re.compile(r"\b(?:tiem|chich|shots?|inject\w*|needle|numb\w*)\b")
_CANNOT_TAKE = re.compile(
    r"\b(?:khong|ko|k|hong|cannot|can'?t|can not)\s+(?:uong|dung|xai|chiu|hop|take|tolerate)\b"
)
# A clause that mends what was said before; and what it takes back.
_CORRECTS = re.compile(
    r"^(?:(?:a|u|ua|i|y|ay|oi|ui|chet|xin loi|da|oh|uh|um|sorry|oops)\s+)*"
    r"(?:nham|lon|noi lai|sua lai|dinh chinh|viet sai|go sai|sorry|xin loi|oops|actually|i mean|i meant|correction|no wait|wait|my bad)\b"
)
_TAKEN_BACK = re.compile(
    r"\b(?:chu\s+)?(?:khong|ko|k|hong|dau)\s*phai\s+(?:la\s+)?((?:(?!ma\b|chu\b)\w+\s*){1,5})|\bnot\s+((?:(?!but\b|i\b|it\b)\w+\s*){1,4})"
)
_COURTESY = re.compile(
    r"\b(?:(?:cho|xin)\s+)?(?:em|toi|minh|con|chau|tui)\s+(?:(?:muon|xin|can|dang|tinh)\s+)*hoi\b"
    r"|\b(?:i|a|y|ay|da)\s+(?:nham|lon)\b"
    r"|\b(?:bac si|anh|chi|em|co|chu|ban)\s+oi\b|\b(?:can|may|could)\s+i\s+ask\b|\bi\s+(?:want|need|would\s+like)\s+to\s+ask\b"
    # Who says something, or is told it, need not be whom it is said of: "remind me what I said she takes".
    r"|\b(?:remind|tell)\s+me\b|\bi\s+(?:(?:just|already)\s+)*(?:say|said|tell|told|mention(?:ed)?)\b(?:\s+you\b)?"
    r"|\b(?:em|toi|minh|con|chau|tui)\s+(?:(?:da|vua|moi|co|tung)\s+)*(?:noi|ke|khai|nhac)\b"
    r"|\bnhac\s+(?:lai\s+)?(?:(?:cho|giup|gium|dum)\s+)*(?:em|toi|minh|con|chau|tui)\b"
)
_MEASURED = re.compile(r"\b\d+(?:[.,]\d+)?\s*(tuoi|thang|tuan|mg|years?|months?|weeks?)\b")
# Who gave it is no medicine, nor are the words for taking.
_CLINICIAN = re.compile(r"(?:nha si|nha khoa|bac si|duoc si|bs|dentist|doctor)\b")
# What is taken, used or drunk is a medicine only by its name or by its kind: "đang uống trà" tells of none.
_A_MEDICINE = re.compile(
    r"\b(?:thuoc|toa|tiem|chich|ke|prescribed|thinners?|pills?|tablets?|capsules?|medic(?:ation|ine)s?|meds|drugs?|shots?|injections?|inhalers?|patch(?:es)?|vien|siro|vitamin\w*"
    r"|steroids?|hormones?|chemo\w*|\w*killers?|\w*blockers?|statins?|anti(?:biot|depress|coag|platelet|vir|histamin|epilep|convuls|psychot)\w*|immunosuppress\w*)\b"
)
_TAKES = re.compile(
    r"\b(?:dang|i take|i'm on|(?:am|is|are|he's|she's) on|taking|takes|prescribed|duoc ke|hang ngay|moi ngay|every day|daily)\b"
)
# A word where only the name of a medicine may stand: behind what says that it is taken, before an end or what goes on of it.
_CALLED = re.compile(
    r"\b(?:take|takes|taking|(?:am|is|are|been|'m|'s|'re) on|uong|dung|xai|dieu tri bang)\s+(?:(?:thuoc|ten(?: la)?)\s+)*(?P<name>[a-z][a-z-]{3,}[a-z])"
    r"(?=\W*$|\W*[,.;:(-]|\s+(?:\d|and|for|so|but|now|in|at|with|last|years|months|weeks|daily|every|each|once|twice|before|after|because|since|should|do|does|can|may|is|hang|hom|ngay|moi|de|cho|tri|vi|do|ma|co|thi|xong|roi|lau|nen|nhung|nho|rang|tram|gio|sang|toi|trua|duoc|khong|va)\b)"
)
_OF_ANOTHER = re.compile(r"takes|is on|'s on")
_AROUND = re.compile(r"\b(?:truoc|sau|khi|luc|de|cho|before|after|for|when|while)\b")
_IS_SO = re.compile(r"\b(?:bi|dang|moi|vua|hen|dau|nhuc|lich|toi|em|minh|hurts|hurt|my|since|i)\b")
_TOOTH = re.compile(
    r"\b(?:rang|tooth|teeth|r|cai\s+rang)\s*(?:so\s*|number\s*|no\.?\s*|#\s*|:\s*)?"
    r"(?:[1-8][1-8]|[1-8]|3[0-2]|2[0-9]|1[0-9]|9)(?:\s*(?:,|va|and|-|&|\s)\s*[1-8][1-8](?!\d))*\b(?![.,]\d|\s*(?:trieu|tr|cu|ty|nghin|ngan|k|dong|vnd|usd|dollars?|million|phan tram|%|phut|gio|tieng|ngay|tuan|thang|nam|tuoi|lan|cai|rang|chiec|day|week|month|year))"
    r"|#\s?\d{1,2}\b"
)
# In a question without a subject these still speak of a person: "đang mang thai", "bị tiểu đường", "bầu 3 tháng".
_STATE = re.compile(r"\d|\b(?:đang|dang|bị|bi|mới|moi|vừa|vua)\b", re.IGNORECASE)
_SIDE = re.compile(
    r"\s+(?:ham\s+)?(?:tren|duoi)(?:\s+ben)?(?:\s+(?:trai|phai))?|\s+ben\s+(?:trai|phai)|\s+(?:trai|phai)\b"
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*"
_DATE = re.compile(
    r"\b(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}(?:[/\-]\d{1,2}(?:[/\-]\d{2,4})?|\.\d{1,2}\.\d{2,4})(?![\d/.,]|\s*(?:mmhg|%))"
    r"|(?:ngay|mung|mong)\s+\d{1,2}(?:\s*(?:thang|/)\s*\d{1,2})?(?:\s*(?:nam|/)\s*\d{4})?(?!\d|\s*(?:lan|vien|goi|ong|bua|cu|mg|ml|tieng|gio)\b)"
    r"|thang\s+\d{1,2}(?:\s*(?:nam|/|-)\s*\d{4})?(?!\d|\s*(?:lan|vien|mui)\b)|nam\s+(?:19|20)\d\d"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:,?\s+\d{{4}})?|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?"
    r"|thu\s+(?:hai|ba|tu|nam|sau|bay|[2-7])(?:\s+tuan\s+(?:nay|sau|toi))?|chu\s+nhat(?:\s+(?:nay|tuan\s+sau))?"
    r"|(?:next\s+|this\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)
_NUMBER = re.compile(r"(?<![\w.,])\+?\d[\d.,]*(?:\s?(?:/|-|x)\s?\d[\d.,]*)*(?:\s*%|\s*[^\W\d_]+)?")


class _Part(NamedTuple):
    """One clause as written, folded, how much of it is stated rather than asked, and whether a question mark ends it."""

    text: str
    folded: str
    offsets: list[int]
    stated: int
    asks: bool

    def written(self, start: int, end: int) -> str:
        """The words that folded characters `start:end` came from."""
        first, last = span_in_place(self.offsets, len(self.text), start, end)
        return " ".join(self.text[first:last].split())


class Revision(NamedTuple):
    """What a message changes in what is known: the facts to keep from now on, and those to drop."""

    facts: tuple[Fact, ...] = ()
    dropped: tuple[Fact, ...] = ()

    def of(self, known: Sequence[Fact]) -> tuple[Fact, ...]:
        """All that is known after the message."""
        again = {_key(fact) for fact in self.facts}
        kept = (fact for fact in known if fact not in self.dropped and _key(fact) not in again)
        return (*kept, *self.facts)


def find_facts(text: str) -> tuple[Fact, ...]:
    """The facts that a message states, each once: allergies, medicines, pregnancy, chronic diseases, names, teeth,
    dates, measured amounts.

    What is only asked about ("bà bầu có nhổ răng được không?", "can I take ibuprofen?") is none. The text of a fact is
    the clause as it was said.
    """
    return revise(text).facts


def revise(text: str, known: Sequence[Fact] = (), before: str = "") -> Revision:
    """The facts that a message states, and what it corrects in those `known`; `before` is the person's last message.

    "Nhầm, 3 tuổi" replaces an age, "không phải penicillin mà là ibuprofen" a medicine, "con mình chứ không phải mình"
    the person.
    """
    return _revised(nfc(text[:LONGEST_READ]), tuple(known), before)


@lru_cache(maxsize=64)
def _revised(text: str, known: tuple[Fact, ...], before: str) -> Revision:
    """One turn asks of one message from many sides."""
    dropped: list[Fact] = []
    found, corrects = _stated(text, known, dropped)
    back = [" ".join((match[1] or match[2]).split()) for match in _TAKEN_BACK.finditer(fold(text))]
    for one in back:
        found = _instead(one, text, known, found, dropped)
    if corrects or back:
        _of_somebody_else(text, known, before, found, dropped)
    _deny(found, known, dropped)
    found = {key: fact for key, fact in found.items() if not _told_more_closely(fact, known, dropped)}
    for fact in _names(text):
        found.setdefault(_key(fact), fact)
    kept = tuple(fact for fact in found.values() if not (fact in dropped or _only_numbed(fact)))
    return Revision(kept[:MOST_FACTS], tuple(fact for fact in dropped if fact in known))


def _only_numbed(fact: Fact) -> bool:
    """Whether a medicine is what a clinic injects to treat: it wears off in hours and is none that is taken."""
    given = fact.kind == "medicine" and _lexicon("given").find(fact.value)
    return bool(given and _INJECTED.search(fold(fact.text)))


def _stated(
    text: str, known: Sequence[Fact], dropped: list[Fact]
) -> tuple[dict[tuple[str, str], Fact], bool]:
    """What the clauses of `text` state, and whether one of them corrects what was said."""
    found: dict[tuple[str, str], Fact] = {}
    last: Fact | None = None
    person, corrects, animal = "", False, False
    told_of_nobody = bool(_lexicon("fiction").find(text))
    for part in _parts(text):
        # A clause without a subject goes on about whom the one before it named.
        person = person_of(part.text) or ("" if _names_oneself(part.text) else person)
        other = _PRONOUN.sub("", person_of(part.text))
        animal = bool(_ANIMAL.match(part.text)) or (animal and not (other or _names_oneself(part.text)))
        allergens = _more_allergens(last, part)
        facts = [allergens] if allergens else list(_facts(part))
        if last is None:
            _reacted_after(found, part)
        _ends_pregnancy(part, known, dropped)
        _given_up(found, part)
        if (
            animal
            or _lexicon("fiction").find(part.text)
            or (told_of_nobody and not (person or _names_oneself(part.text)))
        ):
            facts = []
        if person and not person_of(part.text):
            facts = [replace(fact, text=f"{person}: {fact.text}"[:LONGEST_TEXT]) for fact in facts]
        corrects = corrects or bool(_CORRECTS.search(part.folded))
        if corrects:
            facts = _replaced(facts, part, [*known, *found.values()], dropped)
        found |= {_key(fact): fact for fact in facts}
        if allergens and last is not None:
            found.pop(_key(last), None)
        last = facts[0] if facts and facts[0].kind == "allergy" else None
        if _names_oneself(part.text) and not person_of(part.text):
            # What a relative's body once did is theirs: the question is about oneself.
            for kept, fact in [*found.items()]:
                if _family_history(fact) and not _kin(part.text) & _kin(fact.text):
                    del found[kept]
    return found, corrects


def key_of(fact: Fact) -> str:
    """What a fact is about and of whom, folded: two persons may have the same allergy."""
    person = person_of(fact.text)
    return fold(fact.value) + (f" ({min(_kin(person), default=fold(person))})" if person else "")


def _key(fact: Fact) -> tuple[str, str]:
    return fact.kind, " ".join(folded_words(key_of(fact)))


def _reacted_after(found: dict[tuple[str, str], Fact], part: _Part) -> None:
    """A medicine of the clauses before is an allergy where this one tells what it did: "uống amox xong, nổi mề đay"."""
    hit = next(iter(_lexicon("reaction").find(part.text)), None)
    if hit is None or not found:
        return
    place = _folded_at(part, hit.start)
    if (
        hit.start >= part.stated
        or _AGAINST.search(part.folded[:place])
        or _lexicon("medicine").find(part.text)
    ):
        return
    for key, fact in [*found.items()]:
        if fact.kind == "medicine" and not _lexicon("medicine cue").find(fact.value):
            new = replace(fact, kind="allergy", text=f"{fact.text}, {part.text}"[:LONGEST_TEXT])
            del found[key]
            found[_key(new)] = new


def _given_up(found: dict[tuple[str, str], Fact], part: _Part) -> None:
    """What was named before is not taken any more where this clause says so."""
    if _NOT_ANY_MORE.search(part.folded):
        for key, fact in found.items():
            if fact.kind == "medicine":
                found[key] = replace(fact, text=f"{fact.text}, {part.text}"[:LONGEST_TEXT])


def _deny(found: dict[tuple[str, str], Fact], known: Sequence[Fact], dropped: list[Fact]) -> None:
    """What `found` denies is dropped from what is `known` of the same person; the others of a list stay."""
    for fact in filter(is_denied, [*found.values()]):
        for old in known:
            same = old.kind == fact.kind and same_person(person_of(old.text), person_of(fact.text))
            if same and old not in dropped and not is_denied(old) and _takes_back(fact, old):
                dropped.append(old)
                rest = [one for one in old.value.split(", ") if not mentions(one, fact.value)]
                if rest and len(rest) < len(old.value.split(", ")):
                    new = _fact(old.kind, ", ".join(rest), old.text.replace(old.value, ", ".join(rest)))
                    found[_key(new)] = new


def _told_more_closely(fact: Fact, known: Sequence[Fact], dropped: Sequence[Fact]) -> bool:
    """Whether `known` has more of the same: "có thai" once three months of it are known."""
    return not is_denied(fact) and any(
        old.kind == fact.kind
        and fold(old.value) != fold(fact.value)
        and mentions(old.value, fact.value)
        and person_of(old.text) == person_of(fact.text)
        and not (old.earlier or old in dropped or is_denied(old))
        for old in known
    )


def _takes_back(denial: Fact, old: Fact) -> bool:
    """Whether a denial is of what was said: the same, any allergy of one who has none, or a pregnancy by another word."""
    if denial.kind == "pregnancy":
        return bool(_NURSES.search(fold(denial.value))) == bool(_NURSES.search(fold(old.value)))
    if denial.kind == "allergy" and _of_anything(denial):
        return denies_all(denial)
    return mentions(old.value, denial.value)


def _ends_pregnancy(part: _Part, known: Sequence[Fact], dropped: list[Fact]) -> None:
    """A birth or a loss ends the pregnancy that was told of the same person."""
    if not part.asks and part.stated == len(part.text) and _BORN.search(part.folded):
        whose = person_of(part.text)
        dropped += [
            old
            for old in known
            if old.kind == "pregnancy"
            and same_person(person_of(old.text), whose)
            and not _NURSES.search(fold(old.value))
        ]


def _replaced(facts: list[Fact], part: _Part, pool: Sequence[Fact], dropped: list[Fact]) -> list[Fact]:
    """`facts` of a correcting clause, in the place of the last ones of `pool` that measured the same."""
    measured = _MEASURED.search(part.folded)
    if measured is None:
        return facts
    for old in reversed(pool):
        same = next(
            (one for one in _MEASURED.finditer(fold(old.text)) if one[1][:4] == measured[1][:4]), None
        )
        if same is not None and old not in dropped and old.kind in {"age", "pregnancy", "medicine", "number"}:
            _folded, offsets = fold_in_place(old.text)
            start, end = span_in_place(offsets, len(old.text), *same.span())
            told = part.written(*measured.span())
            value = told if old.kind in {"age", "number"} else old.value
            new = _fact(old.kind, value, f"{old.text[:start]}{told}{old.text[end:]}")
            dropped += [old, *(one for one in pool if one.kind == "number" and mentions(old.text, one.value))]
            return [*(one for one in facts if one.kind not in {old.kind, "number"}), new]
    return facts


def _instead(
    taken_back: str, text: str, known: Sequence[Fact], found: dict[tuple[str, str], Fact], dropped: list[Fact]
) -> dict[tuple[str, str], Fact]:
    """`found` with what is said in the place of `taken_back` ("không phải A mà là B"), which leaves what is known."""
    old = next((fact for fact in reversed(known) if mentions(taken_back, fact.value)), None)
    named = ("medicine", "allergen", "disease")
    new = [
        hit
        for label in named
        for hit in _lexicon(label).find(text)
        if not mentions(taken_back, text[hit.start : hit.end])
    ]
    if old is None:
        return found
    dropped.append(old)
    found = {key: fact for key, fact in found.items() if not mentions(taken_back, fact.value)}
    for hit in new:
        value = text[hit.start : hit.end]
        found = {key: fact for key, fact in found.items() if not mentions(fact.value, value)}
        fact = _fact(old.kind, value, re.sub(re.escape(old.value), value, old.text, flags=re.IGNORECASE))
        found[_key(fact)] = fact
    return found


def _of_somebody_else(
    text: str, known: Sequence[Fact], before: str, found: dict[tuple[str, str], Fact], dropped: list[Fact]
) -> None:
    """What the last message stated of the wrong person is of the one that the correction names, and not of the one it takes back."""
    folded, offsets = fold_in_place(text)
    spans = [span_in_place(offsets, len(text), *match.span()) for match in _TAKEN_BACK.finditer(folded)]
    said = "".join(char for at, char in enumerate(text) if not any(a <= at < b for a, b in spans))
    person, oneself = person_of(said), _names_oneself(said)
    denied = [text[a:b] for a, b in spans]
    if not person and not (oneself and any(map(person_of, denied))):
        return
    if not any(person_of(one) or _lexicon("oneself").find(one) for one in denied) and (found or not before):
        return
    stated_before = {_key(fact) for fact in find_facts(before)} if before else set()
    for old in known:
        if _key(old) in stated_before and old not in dropped and not same_person(person_of(old.text), person):
            whose = person_of(old.text)
            own = _lexicon("oneself").find(old.text)
            bare = old.text.replace(whose, "", 1) if whose else old.text[own[0].end :] if own else old.text
            new = _fact(
                old.kind, old.value, f"{person}: {bare.strip(' :')}" if person else f"tôi {bare.strip(' :')}"
            )
            dropped.append(old)
            found[_key(new)] = new


# What denies what stands after it, unless one of the others follows at once: "không ngưng warfarin".
_NOT_ENDED = frozenset({"ngung", "bo", "quen", "chi", "stop", "stopped", "quit", "forget", "only"})
_CANNOT = frozenset({"uong", "dung", "xai", "chiu", "hop", "take", "tolerate"})
_DOES, _BEFORE = frozenset({"dang", "bi", "co", "uong", "di", "dung", "cung"}), 4


# What is left out once is no end of a medicine.
_TODAY = re.compile(
    r"\b(?:hom nay|bua nay|sang nay|trua nay|chieu nay|toi nay|hom qua|toi qua|hom truoc|lan nay|today|tonight|yet|this (?:morning|evening)|yesterday|last night)\b"
)


# What ends a medicine for good, a while ago at the least: who left it off for some days has it in the blood still.
_STOPPED = re.compile(
    r"(?<!khong )(?<!tu )(?<!nen )(?<!phai )(?<!can )(?<!tam )(?<!muon )(?<!dinh )(?<!bao )\b(?:bo|ngung|ngung han|ngung luon|nghi|dung(?= (?:han|luon|uong|xai)\b)|thoi|cai|het)\s+(?:han\s+|luon\s+)?(?:(?:uong|dung|xai)\s+)?(?:thuoc\s+)?(?P<vi>.*)"
    r"|\b(?:i|i've|he|she|have|has)\s+(?:already\s+)?(?:stopped|quit|came off|been off|went off|finished)\s+(?:taking\s+|using\s+)?(?P<en>.*)|\bno longer\s+(?:on|take|takes|taking|use|using)\s+(?P<no>.*)"
)
# "Dùng" is to take and "dừng" to stop: without accents it is what is safe to believe, that it is taken.
_TO_TAKE, _TO_STOP = re.compile(r"\bdùng\b", re.IGNORECASE), re.compile(r"\bdừng\b", re.IGNORECASE)
_FOR_GOOD = re.compile(
    r"\b(?:nam|thang|lau|han|luon|hoi|years?|months?|ago|long|anymore|any more|for good|last (?:year|month|spring|summer|winter)|no longer)\b|\b(?:khong|ko|k|het)\b.*\bnua\b"
)
# That it is not taken any more, of the medicine named before.
_NOT_ANY_MORE = re.compile(
    r"^(?:(?:gio|nay|bay gio|em|toi|minh|now|i)\s+)*(?:khong|ko|k|het)\s+(?:con\s+)?(?:uong|dung|xai)\b.*\bnua\b|^(?:(?:now|i|i'm|am)\s+)*(?:not|don't)\s+(?:on|tak\w+|us\w+)\s+(?:it|them|that)\s+any ?more\b"
)
# A birth or a loss that has been; feeding a child is none and no pregnancy.
_BORN = re.compile(
    r"\b(?:(?:da|vua|moi)\s+(?:sinh|de|sanh)(?:\s+(?:em be|be|con|xong|mo|thuong|roi))?|(?:sinh|de|sanh)\s+(?:em be\s+|be\s+|con\s+|mo\s+|thuong\s+)?(?:roi|xong)|say thai|sẩy thai|hu thai|pha thai|bo thai|thai luu|het bau|het co thai"
    r"|gave birth|had (?:the|my|our|a) baby|baby (?:was|is|has been) born|delivered (?:the|my|our) baby|miscarr\w+|postpartum)\b"
)
_NURSES = re.compile(r"\b(?:bu|sua me|breast|nurs\w+|lactating|sau sinh|moi sinh|postpartum|gave birth)")


def _stopped(text: str) -> re.Match[str] | None:
    """Where `text` says that something is not taken any more, folded."""
    return _STOPPED.search(fold(_TO_STOP.sub("ngừng", _TO_TAKE.sub("xài", nfc(text)))))


def _of_anything(fact: Fact) -> bool:
    """Whether an allergy is of nothing that is named: "tôi không dị ứng gì"."""
    value = [word for word in folded_words(fact.value) if word != "bi"]
    return bool(value) and value[0] in {"di", "allergy", "allergies", "allergic"} and len(value) <= 2


# All that a clause says is that there is nothing: no medicine, no illness. "Đau răng mà không uống thuốc gì" says more.
_NONE_AT_ALL = re.compile(
    r"(?:(?:da|vang|a|khong|no|cung|va|also|and|hien|tai|nay|gio|bay|thi|toi|tui|em|minh|con|chau|i|i'm|im|am|have|currently|at present)\s+)*"
    r"(?:(?:khong|ko|k|hong|chang)\s+(?:(?:co|bi|mac|he|dang)\s+)*"
    r"(?:(?:uong|dung|xai)\s+(?:(?:bat|ky|ki|loai)\s+)*(?P<medicine>thuoc)(?:\s+men)?|(?P<disease>benh(?:\s+(?:nen|ly|tat))?))"
    r"|(?:(?:do not|don.?t|not|take|taking|on|use|using|have|any|no|other)\s+)+"
    r"(?:(?P<medicine_en>medicines?|medications?|meds|drugs)|(?P<disease_en>(?:medical |health |chronic )?(?:conditions?|illness(?:es)?|diseases?|problems?))))"
    r"(?:\s+(?:gi|nao|het|ca|luon|dau|khac|a|at all|currently|now|regularly))*\W*"
)


def denies_all(fact: Fact) -> bool:
    """Whether a fact says that there is none of its kind: "tôi không dị ứng gì", "I take no medicine"."""
    if fact.kind == "allergy" and _of_anything(fact):
        before = fold(fact.text).partition(fold(fact.value))[0]
        return bool(_LISTED["no"] & set(folded_words(before)[-_BEFORE:]))
    return fact.kind in {"medicine", "disease"} and bool(_NONE_AT_ALL.fullmatch(fold(fact.text)))


def without(text: str, facts: Iterable[Fact]) -> str:
    """`text` without the clauses that state `facts`."""
    for fact in facts:
        # Whom a clause before named stands before it: "my mom: takes metformin".
        clause = fact.text if fact.text in text else fact.text.partition(": ")[2]
        text = text.replace(clause, " ") if clause else text
    return text


def short(fact: Fact) -> str:
    """A fact in few words, with whose it is: "con tôi: 7 tuổi"; the clause as it was said where that denies it."""
    person = person_of(fact.text)
    value = fact.value if not person or mentions(fact.value, person) else f"{person}: {fact.value}"
    return fact.text if is_denied(fact) else value


def is_denied(fact: Fact) -> bool:
    """Whether the clause says that it is not so: "tôi không dị ứng gì", "not pregnant", "stopped taking it years ago"."""
    said, value = folded_words(fact.text), folded_words(fact.value)
    if fact.kind == "allergy" and _of_anything(fact):
        return True
    over = _stopped(fact.text) if fact.kind == "medicine" else None
    if (
        over
        and mentions("".join(one or "" for one in over.groups()), fact.value)
        and _FOR_GOOD.search(fold(fact.text))
    ):
        return True
    if fact.kind == "medicine" and (_TODAY.search(fold(fact.text)) or "chua" in said):
        return False  # "tôi chưa uống warfarin hôm nay" is on it all the same
    at = next((n for n in range(len(said)) if said[n : n + len(value)] == value), 0)
    typed = [word.text for word in tokens(fact.text)]
    return any(
        said[n] in _LISTED["no"]
        and said[n + 1] not in _NOT_ENDED
        # "Nó đang uống" names somebody.
        and not (said[n] == "no" and (typed[n] != "no" or said[n + 1] in _DOES))
        # Who cannot take it has the allergy.
        and not (fact.kind == "allergy" and said[n + 1] in _CANNOT)
        for n in range(max(0, at - _BEFORE), at)
    )


def _family_history(fact: Fact) -> bool:
    """Whether a fact only says that somebody else once reacted to a medicine."""
    before = fold(fact.text).partition(fold(fact.value))[0]
    return fact.kind == "allergy" and bool(person_of(fact.text)) and bool(_REACTED.search(before))


def person_of(text: str) -> str:
    """Who a clause speaks of in place of the one who writes ("ba tôi", "my son"); "" where it is oneself or nobody."""
    text = _described().sub(r"\1 ", _without_courtesy(text))
    hit = next(_others(text), None)
    if hit is None or _names_oneself(text[: hit.start]):
        return ""
    return text[hit.start : hit.end]


def _others(text: str) -> Iterator[PhraseHit]:
    """Where `text` names others than the one who writes; "mẹ e" is "mẹ em" among words with accents only, "co e" is "có ê" and "me to" English."""
    marked = has_marks(words(text))
    return (
        hit
        for hit in _lexicon("other").find(text)
        if not hit.phrase.endswith((" e", " tớ"))
        or (marked and text[hit.start : hit.end].lower() == hit.phrase)
    )


@cache
def _described() -> re.Pattern[str]:
    """The "my" of a relative with what is said of them between: "my diabetic mum"."""
    named = sorted(map(fold, _lists()["relative in english"]))
    return re.compile(
        rf"\b(my)\s+(?:[\w-]+\s+){{1,2}}(?=(?:{'|'.join(map(re.escape, named))})\b)", re.IGNORECASE
    )


def patient_of(messages: Sequence[str]) -> str:
    """Whom a conversation is about, by the last message that names anybody; "" is the one who writes."""
    for message in reversed(messages):
        if person := person_of(message):
            return person
        if _names_oneself(message):
            break
    return ""


def same_person(one: str, other: str) -> bool:
    """Whether two names of a person may be the same one: "con trai" and "bé", "chồng tôi" and "ông xã"."""
    return fold(one) == fold(other) or bool(_kin(one) & _kin(other))


def is_another(one: str, other: str) -> bool:
    """Whether two names are surely those of two relatives: "mẹ tôi" and "ba tôi"."""
    return bool(_kin(one) and _kin(other)) and not same_person(one, other)


def _kin(person: str) -> frozenset[str]:
    """The kinds of relatives that `person` may be."""
    typed = {word.text for word in tokens(person)}
    # Accents that are written count: "bả" is no "ba".
    return frozenset(
        label
        for label, named in _lists().items()
        if label.startswith(_KIN)
        and any(
            typed >= {word.text for word in tokens(name)} or typed >= set(folded_words(name))
            for name in named
        )
    )


def about_the_same(facts: Sequence[Fact], text: str) -> tuple[Fact, ...]:
    """`facts` of the person that `text` asks for: all of them where that is open.

    Of a relative those of other relatives stay too: one person has many names ("ba tôi", "ông cụ"), but no child is grown up.
    """
    asked = _asked_for(text)
    if asked is None:
        return tuple(facts)
    if not asked:
        return tuple(fact for fact in facts if not person_of(fact.text))
    return tuple(fact for fact in facts if _may_be_of(fact, asked))


def _may_be_of(fact: Fact, asked: str) -> bool:
    if not (person := person_of(fact.text)):
        return not _names_oneself(fact.text)
    one, other = _kin(person), _kin(asked)
    return not (one and other) or (_CHILD in one) == (_CHILD in other)


def _asked_for(text: str) -> str | None:
    """Whom the last clause of `text` that names anybody speaks of, "" for the one who writes; None where that is open."""
    for part in reversed([*_parts(text[:LONGEST_READ])]):
        if person := person_of(part.text):
            return person
        if _names_oneself(part.text):
            # "Tôi cho bé uống", "I give him": it is not said to be for the writer.
            return None if any(_others(part.text)) or _GIVEN.search(part.folded) else ""
    return None


@lru_cache(maxsize=256)
def _without_courtesy(text: str) -> str:
    """`text` with blanks for the person who only asks or says it: "cho em hỏi", "I told you"; not for "mẹ em nói"."""
    folded, offsets = fold_in_place(text)
    others = [range(hit.start, hit.end) for hit in _others(text)]
    for match in _COURTESY.finditer(folded):
        start, end = span_in_place(offsets, len(text), *match.span())
        if not any(start in span for span in others):
            text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def _names_oneself(text: str) -> bool:
    text = _without_courtesy(text)
    # "To" is English without its accent.
    said = (hit for hit in _lexicon("oneself").find(text) if text[hit.start : hit.end].lower() != "to")
    first = next(said, None)
    other = next(_others(text), None)
    return first is not None and (other is None or first.start < other.start)


def mentions(text: str, value: str) -> bool:
    """Whether `text` has the words of `value`, in their order, with or without accents."""
    wanted = " ".join(folded_words(value))
    return bool(wanted) and f" {wanted} " in f" {' '.join(folded_words(text))} "


def _parts(text: str) -> Iterator[_Part]:
    start = 0
    for end, after, mark in [
        *((cut.start(), cut.end(), cut[0]) for cut in _PARTS.finditer(text)),
        (len(text), 0, ""),
    ]:
        clause = " ".join(text[start:end].split())
        start = after
        if clause:
            folded, offsets = fold_in_place(clause)
            asked = _INVERTED.search(folded) or _ASKED.search(folded)
            stated = offsets[asked.start()] if asked else len(clause)
            yield _Part(clause, folded, offsets, stated, "?" in mark or bool(_ENDS_ASKING.search(folded)))


def _facts(part: _Part) -> Iterator[Fact]:
    hits = [hit for hit in _lexicon().find(part.text) if hit.start < part.stated]
    labels = {hit.label for hit in hits}
    told = part.text[: part.stated].strip(" -:") if part.stated else part.text
    kept = False
    asks = part.stated < len(part.text) or (part.asks and _PERMISSION.search(part.folded))
    general = "general" in labels or (asks and not _STATE.search(told))
    supposed = _SUPPOSED.search(part.folded)
    hits = [hit for hit in hits if not _only_of(part, hit)]
    if supposed:
        before = span_in_place(part.offsets, len(part.text), *supposed.span())[0]
        hits = [hit for hit in hits if hit.start < before]
        labels = {hit.label for hit in hits}
    defined = _DEFINED.search(part.folded) and not _STATE.search(told)
    if not defined and (not general or _speaks_of_self(part, hits) or _NONE_AT_ALL.fullmatch(part.folded)):
        for fact in _health(part, hits, labels, told):
            kept = True
            yield fact
    if (part.asks or part.stated < len(part.text)) and not _speaks_of_now(part):
        return  # "răng khôn thường mọc ở độ tuổi nào?"
    spoken = [(_folded_at(part, h.start), _folded_at(part, h.end)) for h in hits if h.label == "tooth"]
    for start, end in [*(match.span() for match in _TOOTH.finditer(part.folded)), *spoken]:
        side = _SIDE.match(part.folded, end)
        yield _fact("tooth", part.written(start, side.end() if side else end), part.text)
    for start, end in _dates(part):
        yield _fact("date", part.written(start, end), part.text)
    if not kept:
        yield from _numbers(part)


def _dates(part: _Part) -> Iterator[tuple[int, int]]:
    """Where a date stands; "thứ năm" after the name of a thing is its place in a row, not a Thursday."""
    for match in _DATE.finditer(part.folded):
        before = next(reversed(tokens(part.written(0, match.start()))), None) if match.start() else None
        if (
            before is None
            or not match[0].startswith("thu ")
            or "tuan" in match[0]
            or any(
                accents_agree(before.text, word)
                for word in _lists()["before a weekday"]
                if fold(word) == before.folded
            )
        ):
            yield match.span()


def _speaks_of_now(part: _Part) -> bool:
    """Whether a clause that also asks says how it is: "răng 36 bị sâu thì sao", not "implant 1 cái bao nhiêu"."""
    return bool(_IS_SO.search(part.folded)) or any(hit.label == "self" for hit in _lexicon().find(part.text))


def _health(part: _Part, hits: list[PhraseHit], labels: set[str], told: str) -> Iterator[Fact]:
    if "allergy" in labels:
        cue = max((hit for hit in hits if hit.label == "allergy"), key=lambda hit: hit.end)
        named = [hit for hit in hits if hit.label in {"medicine", "allergen"}]
        value = ", ".join(part.text[hit.start : hit.end] for hit in named) or _after(part, cue)
        said = set(folded_words(value))
        if not named and (_NO_ALLERGEN.match(fold(value)) or said & _ASKS_WHAT or said <= _function_words()):
            # "sốc phản vệ trên ghế nha khoa" says where, "dị ứng của bé nhà tôi" whose, "dị ứng thuốc gì ấy nhỉ" asks.
            value = ""
        if not named and said & _ASKS_WHAT and not _LISTED["no"] & set(folded_words(told)):
            return  # "bé dị ứng gì vậy" asks, "không dị ứng gì" tells
        if not value and cue.phrase.startswith(("gives", "gave", "makes")):
            return  # of what, the clause before says: "I took amoxicillin, it gave me hives"
        nothing = value and all(word in _folds("nothing") for word in folded_words(value))
        yield _fact("allergy", cue.phrase if nothing or not value else value, told)
    else:
        yield from _medicines(part, hits, told)
    yield from _states(part, hits, told)
    if none := _NONE_AT_ALL.fullmatch(part.folded):
        kind, at = next((name, none.span(name)) for name, one in none.groupdict().items() if one)
        yield _fact("medicine" if kind.startswith("medicine") else "disease", part.written(*at), part.text)
    weeks = part.written(*found.span()) if (found := _UNBORN.search(part.folded)) else ""
    if "pregnancy" not in labels and weeks.lower().startswith("thai"):
        yield _fact("pregnancy", weeks, told)  # not "Thái 32 tuần"
    if high := _PRESSURE.search(part.folded):
        cause = "high blood pressure" if re.search("bp|blood", high[0]) else "huyết áp cao"
        yield _fact("disease", f"{cause} {high['measured']}", told)
    if age := _AGE.search(part.folded):
        yield _fact("age", part.written(*age.span("child" if age["child"] else 0)), told)


def _states(part: _Part, hits: list[PhraseHit], told: str) -> Iterator[Fact]:
    """The pregnancies and the illnesses that are named."""
    kinds: tuple[FactKind, ...] = ("pregnancy", "disease")
    for kind in kinds:
        for hit in hits:
            if hit.label == kind and not (
                kind == "disease"
                and (
                    _of_a_specialist(part, hit) or _FRIGHT.search(part.folded[: _folded_at(part, hit.start)])
                )
            ):
                # "Hen" alone may be "hẹn": it is listed with what goes before it.
                start, end = _folded_at(part, hit.start), _folded_at(part, hit.end)
                if kind == "pregnancy":
                    before, after = _WEEKS_BEFORE.search(part.folded[:start]), _WEEKS.match(part.folded, end)
                    start, end = before.start() if before else start, after.end() if after else end
                yield _fact(kind, re.sub("^b[iị] ", "", part.written(start, end)), told)


_NO_ALLERGEN = re.compile(
    r"\W*(?:(?:tren|trong|o|tai|luc|khi|on|in|at|during|while)\b|(?:(?:voi|cai|thuoc|mon)\s+)*(?:gi|nao|j|what|which)\b)"
)


def _only_of(part: _Part, hit: PhraseHit) -> bool:
    """Whether a "cua" written without accents only says whose it is: "di ung cua be"."""
    following = next(iter(tokens(part.text[hit.end :])), None)
    return (
        part.folded[_folded_at(part, hit.start) : _folded_at(part, hit.end)] == "cua"
        and fold(part.text) == part.text.lower()
        and following is not None
        and following.folded in _persons()
    )


def _medicines(part: _Part, hits: list[PhraseHit], told: str) -> Iterator[Fact]:
    """What is taken, and what the body reacted to; none that is asked about, proposed or only intended."""
    whose = _speaks_of_self(part, hits) or bool(person_of(part.text))
    asks = part.asks or part.stated < len(part.text)
    drugs = [hit for hit in hits if hit.label == "medicine"]
    reacted = [
        hit
        for hit in drugs
        if _REACTED.search(part.folded[: _folded_at(part, hit.start)]) or _harmed(part, hit)
    ]
    if reacted and (whose or not asks or any(_harmed(part, hit) for hit in reacted)):
        yield _fact("allergy", ", ".join(part.text[hit.start : hit.end] for hit in reacted), told)
    asked = any(one.search(part.folded) for one in (_PERMISSION, _PROPOSED, _HOW_MUCH))
    # "uống ibuprofen hả bác?" asks about the medicine, "uống warfarin nhổ răng sao?" about something else.
    after = folded_words(part.text[max((hit.end for hit in drugs), default=0) :])
    unsaid = part.asks and not whose and not _STATE.search(told) and len(after) <= _PARTICLES
    intended = _INTENDED.search(part.folded)
    before = intended.start() if intended else len(part.folded)
    taken = [hit for hit in drugs if hit not in reacted and _folded_at(part, hit.start) < before]
    end = max((hit.end for hit in taken), default=0)
    doubted = (asked or unsaid) and not (_TAKES.search(part.folded) or _asks_beside(part.text[end:]))
    if doubted or not _is_taking(part, hits):
        taken = []  # "uống ibuprofen được không" asks, "đang uống warfarin, nhổ được không" states
    for hit in taken:
        yield _fact("medicine", part.text[hit.start : hit.end], told)
    cues = [hit for hit in hits if hit.label == "medicine cue" and _folded_at(part, hit.start) < before]
    named = drugs and not intended
    if called := "" if reacted else _called(part, hits):
        yield _fact("medicine", called, told)
    elif cues and not (taken or reacted or asked or named or _NOT_TAKEN_IN.search(part.folded)):
        value = _after(part, cues[0])
        if not value and _A_MEDICINE.search(fold(cues[0].phrase)):
            value = cues[0].phrase
        kind = _A_MEDICINE.search(" ".join(folded_words(part.text[cues[0].start :])[:_KIND]))
        if value and kind and not _CLINICIAN.match(fold(value)):
            yield _fact("medicine", value, told)


def _called(part: _Part, hits: list[PhraseHit]) -> str:
    """The medicine that a clause says somebody takes, by a name that no list has; "" for none.

    It is spelt like no Vietnamese word; and it is asked about itself where nothing else is said behind it.
    """
    from troly_dental.guard.spelling import is_known  # which reads facts too

    found = _CALLED.search(part.folded[: _folded_at(part, part.stated)])
    doubted = _PROPOSED.search(part.folded) or _HOW_MUCH.search(part.folded) or _INTENDED.search(part.folded)
    if found is None or doubted:
        return ""
    # Nobody says "takes" of oneself; "… and takes it" goes on about whom the clause before named.
    if _OF_ANOTHER.match(found[0]):
        whose = found.start() == 0 or bool(person_of(part.text))
    else:
        whose = _speaks_of_self(part, hits) or bool(person_of(part.text))
    if not whose:
        return ""
    name, asks = found["name"], part.asks or part.stated < len(part.text)
    about_it = asks and not _TAKES.search(part.folded) and not _asks_beside(part.folded[found.end() :])
    if (
        about_it
        or any(name in folded_words(hit.phrase) for hit in hits)
        or is_known(name)
        or is_syllable(name)
        or name in _folds("end") | _folds("nothing")
    ):
        return ""
    return part.written(*found.span("name"))


def _asks_beside(rest: str) -> bool:
    """Whether what stands behind a medicine asks about a treatment: "(uống warfarin) có nhổ răng được không", which "before" or
    "for" make a question about the medicine.
    """
    hit = next(iter(_treatments().find(rest)), None)
    return hit is not None and not _AROUND.search(fold(rest[: hit.start]))


def _is_taking(part: _Part, hits: list[PhraseHit]) -> bool:
    """Whether a clause says that what it names is taken, or is nothing but a list of medicines: "aspirin và metformin"."""
    read = [(hit.start, hit.end) for hit in hits if hit.label in {"medicine", "medicine cue", "disease"}]
    rest = {word.folded for word in words_outside(tokens(part.text), read) if word.folded.isalpha()}
    listed = rest <= _folds("filler") | _folds("measure") | _folds("end")
    stopped = _stopped(part.text) and re.search(rf"{_FOR_GOOD.pattern}|\broi\b", part.folded)
    return (listed and not part.asks) or bool(
        stopped
        or _lexicon("taking").find(part.text[: part.stated])
        or any(hit.label == "medicine cue" for hit in hits)
    )


def _harmed(part: _Part, drug: PhraseHit) -> bool:
    """Whether the clause tells what the body did after `drug`: "uống amoxicillin bị nổi mẩn", "hives after ibuprofen"."""
    ill = [hit for hit in _lexicon().find(part.text) if hit.label == "disease"]
    upset = _lexicon("upset").find(part.text)
    for hit in (*_lexicon("reaction").find(part.text), *upset, *ill):
        if hit.start >= part.stated or (hit.start < drug.end and drug.start < hit.end):
            continue
        between = part.folded[
            _folded_at(part, min(hit.end, drug.end)) : _folded_at(part, max(hit.start, drug.start))
        ]
        if hit.label != "reaction":
            # What may come of anything comes of the medicine where that is said: "codeine makes me throw up".
            caused = (_OF_IT if hit.end <= drug.start else _BRINGS).fullmatch(between)
            taken = _TAKES.search(part.folded) or _lexicon("side effect").find(hit.phrase)
            if caused and (hit.label == "upset" or not taken):
                return True
            continue
        if hit.start > drug.start and (_CANNOT_TAKE.search(part.folded) or not _AGAINST.search(between)):
            return True
        if hit.end <= drug.start and _CAUSED.search(between):
            return True
    return False


def _of_a_specialist(part: _Part, hit: PhraseHit) -> bool:
    """Whether an illness only says what somebody treats: "bác sĩ tim mạch", "cancer clinic"."""
    return any(
        not part.text[min(one.end, hit.end) : max(one.start, hit.start)].strip()
        for one in _lexicon("specialist").find(part.text)
    )


def _numbers(part: _Part) -> Iterator[Fact]:
    """What is measured or taken, and how many teeth; no other count ("2 môi", "5 cái") is about the patient."""
    taken = [*(match.span() for match in _TOOTH.finditer(part.folded)), *_dates(part)]
    for match in _NUMBER.finditer(part.folded):
        # A small bare number, an hour or minutes say nothing that holds tomorrow.
        unit = folded_words(match[0].lstrip("+0123456789.,/-x% "))
        beside = {
            *folded_words(part.folded[: match.start()])[-2:],
            *unit,
            *folded_words(part.folded[match.end() :])[:2],
        }
        if part.folded[: match.start()].rstrip(" :").endswith("con so"):
            continue
        kept = len(match[0]) > _BARE_DIGITS if match[0].isdigit() else not _lexicon("moment").find(match[0])
        if unit and not (set(unit) & _folds("measure") or beside & _folds("counted")):
            continue
        if kept and not any(start < match.end() and match.start() < end for start, end in taken):
            yield _fact("number", part.written(*match.span()), part.text)


def _names(text: str) -> Iterator[Fact]:
    for found in find(text):
        if found.kind == "name" and found.cue < found.start:
            yield _fact("name", text[found.start : found.end], text[found.cue : found.end])


_TAKEN_TOO = ("take ", "takes ", "taking ", "use ", "using ", "uong ", "dung ")


def _more_allergens(last: Fact | None, part: _Part) -> Fact | None:
    """A list goes on after its comma: "dị ứng penicillin, hải sản"."""
    long = len(folded_words(part.text)) > 4
    if last is None or long or part.stated < len(part.text) or part.folded.startswith(_TAKEN_TOO):
        return None
    hits = _lexicon().find(part.text)
    if not hits or {hit.label for hit in hits} - {"medicine", "allergen", "end", "filler"}:
        return None
    return _fact("allergy", f"{last.value}, {part.text}", f"{last.text}, {part.text}")


def _after(part: _Part, cue: PhraseHit) -> str:
    """The few words after a cue that say what it is about."""
    said: list[str] = []
    rest = part.text[cue.end : part.stated]
    for token in tokens(rest):
        if token.folded in _folds("filler") and not said:
            continue
        if token.folded in _folds("end") or len(said) == 4:
            break
        said.append(rest[token.start : token.end])
    return " ".join(said)


def _speaks_of_self(part: _Part, hits: list[PhraseHit]) -> bool:
    """Whether somebody is named outside the words that speak of people in general."""
    general = [range(hit.start, hit.end) for hit in hits if hit.label == "general"]
    return any(
        not any(hit.start in span for span in general)
        for hit in _lexicon("self").find(_without_courtesy(part.text))
    )


def _fact(kind: FactKind, value: str, text: str) -> Fact:
    return Fact(kind, " ".join(value.split())[:LONGEST_VALUE], " ".join(text.split())[:LONGEST_TEXT])


def _folded_at(part: _Part, place: int) -> int:
    return bisect_left(part.offsets, place)


@cache
def contraindications() -> Mapping[str, Any]:
    """The table of medicines by group, and of what speaks against each (`contraindications.toml`)."""
    return tomllib.loads((Path(__file__).parents[1] / "contraindications.toml").read_text("utf-8"))


@cache
def _lists() -> dict[str, tuple[str, ...]]:
    lists = read_lists(Path(__file__).parents[1] / "lexicons" / "facts.txt")
    # "Anh em", "chị em", "em em" are no relatives of hers.
    theirs = (
        f"{one} {whose}"
        for one in lists["relative"]
        for whose in _LISTED["whose"]
        if one not in {"anh", "chị", "em"} or whose not in {"em", "e"}
    )
    in_english = (f"{whose} {one}" for one in lists["relative in english"] for whose in ("my", "our"))
    # What the table knows is found wherever it is told.
    table = contraindications()
    taken = [one for row in table["condition"] for one in row.get("taken", ())]
    lists["medicine"] = (
        *lists["medicine"],
        *(one for group in table["groups"].values() for one in group),
        *taken,
    )
    lists["given"] = tuple(one for group in table["given"]["groups"] for one in table["groups"][group])
    for kind in ("disease", "pregnancy"):
        known = (one for row in table["condition"] if kind in row["kinds"] for one in row["words"])
        lists[kind] = (*lists[kind], *known)
    unique = {label: tuple(dict.fromkeys(listed)) for label, listed in lists.items()}
    return {**unique, "other": (*lists["other"], *theirs, *in_english)}


@cache
def _lexicon(only: str = "") -> Lexicon:
    """What facts are made of, or the words of the list `only`."""
    if only:
        return Lexicon({only: _lists()[only]})
    return Lexicon(
        {
            label: phrases
            for label, phrases in _lists().items()
            if label not in _LISTED["words only"] and not label.startswith(_KIN)
        }
    )


@cache
def _treatments() -> Lexicon:
    """What is done in a mouth."""
    named = read_lists(Path(__file__).parents[1] / "lexicons" / "treatments.txt")["treatment"]
    return Lexicon({"treatment": named})


def only_states(text: str) -> bool:
    """Whether `text` says nothing but which medicine known by its name or use somebody who is no child takes, and for what: "ba em
    uống thuốc tim". An amount, a slip or what came of it is something else."""
    facts = [fact for fact in find_facts(text) if not is_denied(fact)]
    person = person_of(text)
    known = [
        hit.phrase
        for fact in facts
        for label in ("medicine", "medicine cue", "disease")
        for hit in _lexicon(label).find(f"{fact.value} . thuốc {fact.value}")
    ]
    rest = folded_words(_SINCE.sub("", fold(text)))
    return (
        {"medicine"} <= {fact.kind for fact in facts} <= {"medicine", "disease"}
        and _CHILD not in _kin(person)
        and set(rest) <= _LISTED["beside what is taken"].union(*map(folded_words, (person, *known)))
    )


def is_habit(value: str) -> bool:
    """Whether what was stated as of one's health is something that one does: smoking."""
    return _lexicon("habit").has(value, "habit")


@cache
def _folds(section: str) -> frozenset[str]:
    return frozenset(fold(word) for word in _lists()[section])


@cache
def _persons() -> frozenset[str]:
    """The folded first words of those who may have something."""
    named = (label for label in _lists() if label in {"self", "other", "relative"} or label.startswith(_KIN))
    return frozenset(folded_words(one)[0] for label in named for one in _lists()[label])


@cache
def _function_words() -> frozenset[str]:
    """The folded words that name nothing by themselves."""
    return frozenset({*_persons(), *_folds("filler"), *_folds("end"), *_folds("nothing"), "cua", "nha", "of"})


# -- The facts that a prompt has room for.

FACT_TOKENS = 1200
_NEVER_LEFT_OUT = frozenset(KINDS[:5])


def facts_for_prompt(facts: Sequence[Fact], tokens: int = FACT_TOKENS) -> tuple[Fact, ...]:
    """Facts of at most `tokens` tokens, in their order.

    Allergies, medicines, pregnancy and diseases are never left out; of names, teeth, dates and numbers the newest
    stay. A clause that several facts were found in counts once.
    """
    from troly.llm.prompts import estimate

    kept = {fact for fact in facts if fact.kind in _NEVER_LEFT_OUT}
    texts = {fact.text for fact in kept}
    room = tokens - sum(map(estimate, texts))
    for fact in sorted((fact for fact in facts if fact not in kept), key=lambda fact: -fact.id):
        if fact.text not in texts:
            room -= estimate(fact.text)
            if room < 0:
                break
            texts.add(fact.text)
        kept.add(fact)
    return tuple(fact for fact in facts if fact in kept)
