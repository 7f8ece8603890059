"""Rules by word lists for whether a message is about dental care (003-07), with a score and the reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import exp

from troly.text.fold import accents, accents_agree, fold, nfc, tokens
from troly.text.language import detect, is_syllable
from troly.text.match import Lexicon, PhraseHit, blank_out, spans_of
from troly.text.wordlist import read_lists
from troly_dental.guard.spelling import LEXICONS, spellings_of

# What a question asks with at its end or in it; what it asks of where it is about going for help.
ASKS_AT_END = re.compile(
    r"\b(?:gi|j|sao|(?:the|cach|buoc|loai|luc|khi|cho|cai|co|kieu|hang|ben|ngay|buoi|tuoi|mau|muc) nao|bao (?:nhieu|lau|gio)|o dau|cho nao"
    r"|(?:nhung|cac) \w+ nao|may (?:do|ngay|tuoi|tieng|lan|hom|gio|thang|tuan|cai|vien|phut|nam))\b"
    r"|^\W*(?:(?:and|so|also|anyway|but|then|ok|okay)\W+)*(?P<english>what|which|why|when|how|where|do|does|can|could|is|are|should|will|would)\b(?!')"
    r"|\b(?:khong|ko|k|kg|(?P<spoken>hong|hon)|hok|hem|chua)\b\W*(?:(?:a|ah|vay|v|z|the|nhi|bs|bac si|ta|ban|em|anh|chi|ha|shop|ad|dc|duoc|nua|ne|nha)\W*){0,2}$|\?"
)

# -- Words of other trades: "niềng" beside "xe", "braces" beside "CSS" (003-07).

# What a trade's word takes a mouth's word for, and what it is when it takes none.
TRADE, ASIDE = "trade", "aside"
# Pain is felt in mouths, not in gears: beside it one word of a trade proves nothing. Other parts of the body do hurt.
_BODY = "body elsewhere"
_SHARED_BY_ANY_WORD = frozenset({"bare", "weak"})
_MOUTH = frozenset({"dental", *_SHARED_BY_ANY_WORD})


def separate_trades(text: str, hits: Sequence[PhraseHit], *, hurts: bool) -> list[PhraseHit]:
    """`hits` without the words that belong to a trade named in `text`, and with that trade's words.

    Those are labelled `trade` where they took a word away, else `aside`. `hurts` says that pain is told of.
    """
    mouths = [hit for hit in hits if hit.label in _MOUTH]
    bare = not accents(text)
    syllables = bare and detect(text) != "en"

    def is_other(hit: PhraseHit) -> bool:
        """Whether the word may as well be another one typed without its accents, or is a part of a mouth's phrase."""
        within = any(
            mouth.start <= hit.start
            and hit.end <= mouth.end
            and (mouth.end - mouth.start > hit.end - hit.start or not hit.exact)
            for mouth in mouths
        )
        one_word = " " not in hit.phrase
        doubtful = not hit.exact or (syllables and is_syllable(fold(hit.phrase)))
        return within or (one_word and doubtful) or not (hit.exact or bare)

    named = list({(hit.start, hit.end): hit for hit in _trades().find(text) if not is_other(hit)}.values())
    sections = {hit.label for hit in _trades().find(text) if not is_other(hit)}
    if hurts and len(named) == 1:
        sections &= {_BODY}
    kept = [
        hit
        for hit in hits
        # The "răng" of "bánh răng" is nothing but a part of a trade's phrase.
        if hit.label not in _MOUTH
        or not (
            any(one.start <= hit.start and hit.end <= one.end for one in named)
            or _shared_with(hit) & sections
        )
    ]
    label = TRADE if len(kept) < len(hits) else ASIDE
    return kept + [PhraseHit(label, hit.phrase, hit.start, hit.end, hit.exact) for hit in named]


def _shared_with(hit: PhraseHit) -> frozenset[str]:
    """The trades that use a mouth's word too."""
    shared = _shared()
    phrase = hit.phrase.lower()
    found = shared.get(phrase) or shared.get(phrase.removesuffix("s")) or frozenset()
    if hit.label in _SHARED_BY_ANY_WORD:
        for word in tokens(hit.phrase):
            found |= shared.get(word.text, frozenset())
    return found


@cache
def _trades() -> Lexicon:
    return Lexicon.load(LEXICONS / "trades.txt")


@cache
def _shared() -> Mapping[str, frozenset[str]]:
    """The trades of each shared word; raises ValueError for one that trades.txt does not have."""
    known = frozenset(read_lists(LEXICONS / "trades.txt"))
    found: dict[str, frozenset[str]] = {}
    for word, trades in read_lists(LEXICONS / "shared.txt").items():
        if strange := set(trades) - known:
            raise ValueError(f"shared.txt: {word}: no such trade: {', '.join(sorted(strange))}")
        found[nfc(word.lower())] = frozenset(trades)
    return found


# Above and below these a score is clear, and no model is asked.
SURE, SURE_NOT = 0.68, 0.32

# What the lists weigh for (above 0) or against dental care: the first phrase found, and every further one.
_WEIGHTS: Mapping[str, tuple[float, float]] = {
    "dental": (4.0, 0.6),
    "field": (2.2, 0.3),
    "other": (-1.6, -0.2),
    "medical": (-2.0, -0.3),
    "off": (-2.0, -0.4),
    "elsewhere": (-3.0, -0.8),
    "social": (-1.2, -0.2),
    # A word of another trade that took a mouth's word away (shared.txt).
    TRADE: (-2.6, -0.5),
}
_ABOUT_MOUTHS = ("dental", "bare", "field", "weak")
_AGAINST = ("other", "medical", "off", "elsewhere", TRADE)
_WEAK, _WEAK_WITH_CARE, _WEAK_BESIDE_OTHERS = 0.9, 2.4, 0.2
_BARE, _BARE_BESIDE_OTHERS = 3.2, 0.8
# Other trades' words beside nothing but a word that also means something else.
_WEAK_ASIDE = -0.9
_NOTHING_LISTED = -1.2
_SHARPNESS, _LONE_WEAK = 0.9, 0.6
# A follow-up names no subject of its own; after a matter that was refused it is hardly about teeth.
_FOLLOWS, _HARDLY = 0.86, 0.42
# What one may eat and drink is asked of any treatment, whatever the food.
_EATS = re.compile(
    r"\b(?:ăn|uống|hút|uong|nhai|eat|drink|chew)\b|\b(?:tô|bát|chén|dĩa|đĩa|ly|cốc|lon|chen|bowl of|cup of|glass of) \w|\ban (?!toan\b|ninh\b|tam\b)(?=[a-z ]*\b(?:dc|duoc|khong|ko|gi|chua)\b)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.!?;\n:]+|,\s")
# What makes a clause a question, unless it is denied: "không hỏi gì nữa".
_ASKING = re.compile(
    r"(?:(?!\b(?:khong|ko|k|chua|hong|hok|het|no|not|nothing)\b).)*?"
    r"(?:\b(?:gi|nao|sao|may|bao (?:nhieu|lau|gio)|o dau|what|how|when|where|which|why|can i|should i|do i)\b|\w\W+(?:khong|ko|k|hong|hok|hem|chua)\W*$)"
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the rules make of a message.

    `dental` is None in the grey band; `score` 0 to 1, at least 0.5 leaning towards dental; `reason` names the words
    that told; `social` marks greetings and thanks, `refused` an attempt to give the assistant another job.
    """

    dental: bool | None
    score: float
    reason: str
    social: bool = False
    refused: bool = False


def judge(text: str, previous_question: str | None = None, previous_dental: bool = False) -> Judgement:
    """Whether `text` is about dental care, by rules alone (003-07, C1); never raises.

    `previous_question` is the message before, `previous_dental` whether it was about dental care: a message that names
    no subject of its own goes on about the same.
    """
    best = _judged(spellings_of(text)[-1])
    eats = previous_dental and _EATS.search(text) and not best.judgement.refused
    before = previous_dental or _judged(spellings_of(previous_question or "")[-1]).judgement.score >= 0.5
    if (best.own_subject and not eats) or (best.judgement.social and not (before and _asks_besides(text))):
        return best.judgement
    if before:
        # It names no subject of its own, so it goes on about the same (C1).
        return Judgement(True, max(_FOLLOWS, best.judgement.score), f"follow-up; {best.judgement.reason}")
    if previous_question and best.judgement.dental is not False:
        return Judgement(None, min(best.judgement.score, _HARDLY), f"follow-up; {best.judgement.reason}")
    return best.judgement


def _asks_besides(text: str) -> bool:
    """Whether a message asks something of its own beside its small talk: "ok, đem theo cái gì"."""
    rest = blank_out(text, spans_of(hit for hit in _hits(text) if hit.label == "social"))
    return any(
        len(telling_words(clause)) > 1 and bool(_ASKING.match(fold(clause))) for clause in _CLAUSE.split(rest)
    )


@dataclass(frozen=True, slots=True)
class _ScoredSpelling:
    judgement: Judgement
    own_subject: bool


@lru_cache(maxsize=64)
def _judged(text: str) -> _ScoredSpelling:
    hits = _hits(text)
    count = Counter(hit.label for hit in hits)
    words = ", ".join(dict.fromkeys(hit.phrase for hit in hits if hit.label != "follow"))
    if count["jailbreak"] and not _asked_beside(text):
        return _ScoredSpelling(Judgement(False, 0.03, words, refused=True), True)
    points = _points(count)
    told = any(count[label] for label in (*_WEIGHTS, *_ABOUT_MOUTHS))
    if not told:
        points += _NOTHING_LISTED
    score = 1 / (1 + exp(-_SHARPNESS * points))
    if count["weak"] == 1 and not any(count[one] for one in ("dental", "bare", "field", "care")):
        # One word that also means something else is never sure.
        score = min(score, _LONE_WEAK)
    against = any(count[label] for label in _AGAINST)
    only_social = count["social"] and not (against or any(count[one] for one in _ABOUT_MOUTHS))
    asked = {hit.phrase for hit in hits if hit.label == "follow"} - {
        hit.phrase for hit in hits if hit.label == "care"
    }
    social = bool(only_social) and not asked
    # Another illness or another use of a word may be part of a follow-up ("bị tiểu đường thì sao"); other topics not.
    foreign = any(count[one] for one in ("off", TRADE, "elsewhere")) or (
        count["other"] and not count["follow"]
    )
    subject = bool(count["dental"] or count["bare"] or count["field"] or foreign)
    dental = True if score >= SURE else False if score <= SURE_NOT else None
    return _ScoredSpelling(
        Judgement(dental, round(score, 3), words or "-", social),
        subject,
    )


def _points(count: Mapping[str, int]) -> float:
    points = 0.0
    for label, (first, further) in _WEIGHTS.items():
        if number := count.get(label, 0):
            points += first + further * min(number - 1, 4)
    if count.get("social") and any(count.get(label) for label in _ABOUT_MOUTHS):
        points -= _WEIGHTS["social"][0]
    against = any(count.get(label) for label in _AGAINST)
    if count.get("bare"):
        foreign = any(count.get(label) for label in _AGAINST if label != "medical")
        cared = count.get("care") or count.get("dental")
        points += _BARE_BESIDE_OTHERS if foreign and not cared else _BARE
    if count.get("weak") and not count.get("dental"):
        weak = _WEAK_WITH_CARE if count.get("care") or count["weak"] > 1 else _WEAK
        points += _WEAK_BESIDE_OTHERS if against else weak
        if count.get(ASIDE) and not count.get("bare") and not count.get("field"):
            points += _WEAK_ASIDE
    return points


def _asked_beside(text: str) -> bool:
    """Whether a part of the message without the attempt asks about teeth, and about nothing else."""
    for clause in _CLAUSE.split(text):
        labels = {hit.label for hit in _hits(clause)}
        if "dental" in labels and not labels & {"jailbreak", *_AGAINST}:
            return True
    return False


def _hits(text: str) -> list[PhraseHit]:
    """The phrases found; words without accents that may mean a tooth do not also mean something else."""
    hits = _topics().find(text)
    sure = {(hit.start, hit.end) for hit in hits if hit.label in ("dental", "bare", "field")}
    # Without its accents one syllable may as well be another, and what has the same letters as a tooth's is that.
    by_chance = {
        hit for hit in hits if not hit.exact and (" " not in hit.phrase or (hit.start, hit.end) in sure)
    }
    kept = [hit for hit in hits if not (hit.label in _AGAINST and hit in by_chance)]
    return separate_trades(text, kept, hurts=any(hit.label == "pain" for hit in kept))


def telling_words(text: str) -> set[str]:
    """The folded words of `text` without those that say nothing about a subject: "vâng", but not "vàng"."""
    return {
        word.folded
        for word in tokens(text)
        if not any(accents_agree(word.text, listed) for listed in _stop_words().get(word.folded, ()))
    }


@cache
def _stop_words() -> Mapping[str, Sequence[str]]:
    """The entries of stop.txt by their folded form."""
    found: dict[str, list[str]] = {}
    for listed in read_lists(LEXICONS / "stop.txt").values():
        for entry in listed:
            found.setdefault(fold(entry), []).append(entry)
    return found


def _plurals(phrases: Iterable[str]) -> list[str]:
    """English plurals: "night guards" for "night guard"."""
    return [f"{one}s" for one in phrases if one.isascii() and one[-1:].isalpha() and not one.endswith("s")]


def _listed(labels: Iterable[str]) -> dict[str, Sequence[str]]:
    lists = read_lists(LEXICONS / "topics.txt")
    return {label: (*lists[label], *_plurals(lists[label])) for label in labels}


@cache
def _topics() -> Lexicon:
    against = [label for label in _AGAINST if label != TRADE]
    return Lexicon(_listed((*_ABOUT_MOUTHS, "care", "pain", *against, "social", "jailbreak", "follow")))


@lru_cache(maxsize=64)
def names_mouth(text: str) -> bool:
    """Whether a word for teeth, mouth or dental care stands in `text`, also one that may mean something else."""
    return any(hit.label in _ABOUT_MOUTHS for hit in _hits(text))
