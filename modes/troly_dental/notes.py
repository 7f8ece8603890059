"""The dental notes that answer without the web: found by words and by meaning, read out sentence by sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from troly.plugin.events import Evidence
from troly.text import fold
from troly.text.catalogue import Lang
from troly.text.everyday import without_everyday
from troly.text.fold import WordToken
from troly.text.language import detect
from troly.text.match import Lexicon, spans_of, words_outside
from troly.text.wordlist import read_lists
from troly_dental.guard.rules import names_mouth, telling_words
from troly_dental.guard.spelling import LEXICONS, spellings_of
from troly_dental.memory.facts import find_facts
from troly_dental.memory.types import Fact
from troly_dental.output_rail import doses
from troly_dental.safety import conditions_of, medicines, stated
from troly_dental.samples import COLLECTION, NoteFile, note_files
from troly_dental.search.pages import Page
from troly_dental.sentences import (
    KINDS,
    PART,
    asked_lexicon,
    best_sentences,
    concept_words,
    count_told,
    general_lexicon,
    general_words,
    ruling_lines,
    sentences_of,
    share_told,
    subject_words,
    tells,
    units_beside,
)
from troly_dental.strings import say

if TYPE_CHECKING:
    from troly.plugin.services import Services
    from troly.retrieval.search.knowledge import Embed, Passage


# -- What a question is about: the topics that it names, and its words without politeness.

# How many other words may stand between the words of a name.
_SCATTER = 4
PRICE = "cost"
_DENIED = re.compile(
    r"(?:^|(?<=[,.;]))\s*(?:(?:(?:tôi|toi|em|mình|minh|tui|con|cháu|chau|bé|be|nó|i|he|she|we)(?:['’](?:m|s|re)|\s+(?:am|is|are))?\s+(?!.{0,8}(?:muốn|muon|biết|biet|dám|dam|chịu|chiu|thể|the|được|duoc|có tiền|co tien|want|know|like|afford|can)\b))?"
    r"(?:(?:\w+\s+){1,3}(?:cũng|cung|vẫn|van)\s+)?(?:không|khong|ko|k|hông|chưa|chua|no|not|nothing|without|don'?t|doesn'?t|never)\b(?:(?!\b(?:thì|thi|mà|ma|sao|so why)\b)[^,.;?])*"
    r"|[^,.;?]*\b(?:bình thường|binh thuong|cũng được|như thường|is fine|are fine|is normal|isn'?t \w+|aren'?t \w+)\b)(?=[,.;]|(?:thì|thi|mà|ma|sao|so why)\b)",
    re.IGNORECASE,
)
_MAY = re.compile(r"\bduoc\b|\b(?:can|may|could) (?:i|we|he|she|they)\b")
_WHY = re.compile(r"(?<!\bthi )\bsao (?!khong\b|ko\b)\w|\b(?:why|how come)\b")
# What does something, before what it does: "cạo vôi có làm mòn men", "does scaling damage enamel".
_ACTS = re.compile(
    r"^(.+?)\s(?:(?:co|bi|de|lieu|thi)\s)+(?:the\s)?(?:lam|gay|khien|hai)\b|^(?:does|do|can|could|will|would)\s(.+?)\s(?:damage|cause|make|wear|harm|hurt|weaken|loosen|ruin)s?\b"
)
# What is not wanted: "trừ implant ra", "ngoài implant ra", "other than implants".
_EXCLUDED = re.compile(
    r"\b(?:(?:trừ|tru|không tính|chừa|except(?: for)?|other than|apart from|besides|excluding)\s+((?:(?!ra\b)[^,.;?\s]+\s*){1,4})(?:ra\b)?"
    r"|(?:ngoài|ngoai)\s+((?:[^,.;?\s]+\s+){1,4}?)ra\b)",
    re.IGNORECASE,
)

# What was taken as it should be: "đúng như nhãn ghi", "không uống quá", "as directed".
_IN_MEASURE = re.compile(
    r"\b(?:(?:dung|theo)\s+(?:(?:dung|nhu|theo)\s+)?(?:nhan|lieu|toa|don|chi dinh|huong dan)"
    r"|(?:khong|ko|chua|k)\s+(?:(?:co|he|uong|dung)\s+){0,2}(?:qua|vuot|lo|du)(?:\s+(?:lieu|nhan))?(?!\s+\w+\s+(?:khong|ko)\b)"
    r"|(?:as|like)\s+(?:directed|the label says|it says|prescribed)|within the (?:dose|label|limit)|not? (?:over|above) the (?:dose|label|limit))\b"
)
_OVERDOSE = "painkiller-overdose"


# Notes of what is felt, and of what is done: what is felt after a treatment is told in its note.
_LISTS = read_lists(Path(__file__).parent / "lexicons" / "notes_lists.txt")
_FELT = frozenset(_LISTS["felt"])
_TREATMENTS = frozenset(_LISTS["treatments"])
# What one heals from: the notes that say when something may be done again.
_HEALING = _TREATMENTS.union(*read_lists(LEXICONS / "aftercare.txt").values())
# "Giờ đánh răng được chưa", "can I brush yet": it is asked of what was done or happened.
_AGAIN = re.compile(
    r"\b(?:duoc|dc) (?:roi )?(?:chua|chx)\b|\b(?:gio|nay|mai|ngay)\b.*\b(?:duoc|dc) (?:khong|ko|k|hong)\b"
    r"|\b(?:can|may|could) (?:i|we|he|she|they)\b.*\b(?:yet|now|again|already|today|tonight|tomorrow)\b"
)


class _Name(NamedTuple):
    """One name of a topic by its telling words."""

    topic: str
    words: tuple[WordToken, ...]
    folded: frozenset[str]


def subjects(question: str) -> dict[str, int]:
    """The topics whose subject `question` names, with the number of words that name it.

    A name is found as a phrase, or, where it has two telling words or more, by those words close together in any order
    ("răng hàm bị sâu" names "răng sâu").
    """
    return dict(_subjects(question))


@lru_cache(maxsize=64)
def _subjects(question: str) -> Mapping[str, int]:
    """One turn asks of one question and of its parts from many sides."""
    found: Counter[str] = Counter()
    for text in spellings_of(question):
        for hit in _phrases().find(text):
            found[hit.label] = max(found[hit.label], len(fold.words(hit.phrase)))
        typed = fold.tokens(text)
        places: dict[str, list[int]] = {}
        for at, token in enumerate(typed):
            places.setdefault(token.folded, []).append(at)
        for name in _names():
            if places.keys() >= name.folded and _stand_together(name.words, typed, places):
                found[name.topic] = max(found[name.topic], len(name.words))
    return found


def just_done(question: str) -> frozenset[str]:
    """The treatments that `question` tells of as done, where it tells what is felt or asks when something may be done: that
    comes of them before anything else ("mới trám răng hôm qua, uống lạnh thấy ê")."""
    asked = spellings_of(question)[-1]
    felt = asked_lexicon().has(asked, "felt") or _asks_when(asked)
    return _TREATMENTS & _done(question) if felt else frozenset()


def _done(question: str) -> frozenset[str]:
    """The topics of the parts of `question` that tell what was done."""
    done = [part for part in PART.split(spellings_of(question)[-1]) if asked_lexicon().has(part, "just done")]
    return frozenset(topic for part in done for topic in subjects(part))


def _asks_when(text: str) -> bool:
    """Whether it is asked when something may be done: "khi nào được súc miệng"."""
    return asked_lexicon().has(text, "how long asked") and bool(_MAY.search(fold.fold(text)))


def asks_again(question: str) -> bool:
    """Whether it is asked if or when something may be done again: "giờ đánh răng được chưa", "khi nào được súc miệng"."""
    asked = spellings_of(question)[-1]
    return bool(_AGAIN.search(fold.fold(question))) or _asks_when(asked)


def names_subject(question: str) -> bool:
    """Whether `question` names what a note is about; the price of something may be that of anything."""
    return bool(subjects(question).keys() - {PRICE})


# What of a question one note must answer that no word of teeth stands in: of any note, and of one that answered before.
_MANY = 3
_SWALLOWED = frozenset({"choking", "swallowed-object"})
_ANSWERED, _ANSWERED_BEFORE, _OF_FIRST_AID = (
    0.75,
    0.35,
    frozenset({"choking", "stroke-signs", "swallowed-object"}),
)


def is_answered(question: str, before: Sequence[str] = ()) -> bool:
    """Whether a note, one of the topics `before` sooner, has so much of `question` that it is asked of it, or first aid is."""
    if subjects(question).keys() & _OF_FIRST_AID or _only_a_name(question):
        return True
    shares, words = shares_of(question), count_told(question)
    return (words >= _MANY and max(shares.values()) >= _ANSWERED) or (
        words > 1 and any(shares.get(one, 0.0) >= _ANSWERED_BEFORE for one in before)
    )


def _only_a_name(question: str) -> bool:
    """Whether `question` has no word but a name of a note of two words or more, and what asks: "sâu kẽ là gì"."""
    hits = [hit for hit in _phrases().find(question) if " " in hit.phrase]
    asked = [hit for hit in asked_lexicon().find(question) if hit.label.endswith(" asked")]
    return bool(hits) and not without_everyday(
        question, spans_of((*hits, *asked, *general_lexicon().find(question)))
    )


def shares_of(question: str) -> dict[str, float]:
    """For each topic what share of `question` one sentence of its note has, in the language that is asked in."""
    lang = detect(question)
    notes = [langs.get(lang) or next(iter(langs.values())) for langs in _by_topic().values()]
    return {
        note.topic: share_told(question, sentences_of(note.text), " ".join((note.title, *note.also)))
        for note in notes
    }


def _without_denied(question: str) -> str:
    """`question` without the parts that only say what is not so: "có mụn mủ, không sưng mặt"."""
    left = _EXCLUDED.sub(
        lambda told: " " if subjects(told[1] or told[2]) else told[0], _DENIED.sub("", question)
    )
    left = left.strip(" ,.;")
    told = names_mouth(left) or asked_lexicon().has(left, "felt")
    return left if left and (told or not subjects(question) or _excluded(question)) else question


def _excluded(question: str) -> frozenset[str]:
    """The topics that `question` names only to leave them out, and the treatments that were not done where it is asked why
    something is so: "em không niềng răng, sao răng lệch"."""
    left_out = {topic for told in _EXCLUDED.finditer(question) for topic in subjects(told[1] or told[2])}
    if _WHY.search(fold.fold(_DENIED.sub("", question))):
        left_out |= {
            topic for told in _DENIED.finditer(question) for topic in subjects(told[0])
        } & _TREATMENTS
    measured = _IN_MEASURE.sub("", fold.fold(question))
    if measured != fold.fold(question) and _OVERDOSE not in subjects(measured):
        left_out.add(_OVERDOSE)
    return frozenset(left_out)


@cache
def _phrases() -> Lexicon:
    named: dict[str, list[str]] = {}
    for note in note_files():
        named.setdefault(note.topic, []).extend((note.title, *note.also))
    return Lexicon(named)


@cache
def _names() -> tuple[_Name, ...]:
    """Titles and other names of every topic, in both languages."""
    names = []
    for note in note_files():
        for alias in (note.title, *note.also):
            words = {token.folded: token for token in fold.tokens(subject_words(alias))}
            if len(words) > 1:
                names.append(_Name(note.topic, tuple(words.values()), frozenset(words)))
    return tuple(names)


def _stand_together(
    words: Sequence[WordToken], typed: Sequence[WordToken], places: Mapping[str, Sequence[int]]
) -> bool:
    """Whether `words`, with the accents that were typed, stand within a few words of one another."""
    marked = fold.has_marks(word.text for word in typed)
    fitting = [
        [
            at
            for at in places.get(word.folded, ())
            if fold.accents_agree(typed[at].text, word.text)
            # Among words with accents "tay" is no "tẩy".
            and (not marked or fold.accents(typed[at].text) or not fold.accents(word.text))
            # "e" is who writes; "ê" has its accent where it stands alone.
            and (len(word.text) > 1 or typed[at].text.lower() == word.text.lower())
        ]
        for word in words
    ]
    if not all(fitting):
        return False
    for start in fitting[0]:
        nearest = [min((abs(at - start), at) for at in others)[1] for others in fitting]
        if max(nearest) - min(nearest) < len(words) + _SCATTER:
            return True
    return False


# -- Which notes fit, and what they say.

_CANDIDATES = 30
# A note fits when the question names its subject, when it holds this share of what the question's words tell, or
# when the vectors are this much alike (below that an embedder finds everything a little alike).
FITTING, ALIKE = 0.8, 0.65
# A find that is this much weaker than the best one is about something else.
_BESIDE_BEST = 0.6
_SUBJECT, _WHOLE_SUBJECT = 1.0, 4
_SENTENCES, _MORE = 3, 2
# One sentence more of a note that has no more than these.
_SHORT = 7
# What a note of which one sentence has the question's words gains: that it was found, that it answered before; and the shares
# that one must have that was not found, of any and of those before.
_SOUGHT, _GOES_ON, _UNSOUGHT, _FOLLOWED, _NOTES = 0.5, 0.5, 0.6, 0.3, 2
# The share of one that was not found, where it is so far ahead of the next one.
_AHEAD, _LEADS, _AS_MUCH = 0.3, 1.25, 0.95
# How alike two notes are that are both read out, whatever the second one adds.
_TIE = 0.85
# What a note gains that is about the person who asks.
_PERSON = 0.5
# How many words that the notes do not have are named.
_NAMED = 4
# What every medicine of its group is called, and any week of it.
_ANAESTHETIC, _PREGNANT = "thuốc tê", "mang thai"
# How near to the first note the second one must be to be read out as well.
_SECOND = 0.8


@dataclass(frozen=True, slots=True)
class Note:
    """A note that fits: `date` is YYYY-MM-DD, `source` the public sources it rests on by their plain names.

    `score` is from 0 to 1 and orders one list. `topic` is the same in both languages.
    """

    title: str
    text: str
    date: str
    source: str
    score: float
    lang: Lang = "vi"
    topic: str = ""


async def find_in(
    services: Services,
    question: str,
    k: int,
    lang: Lang,
    *,
    permissions: frozenset[str] = frozenset(),
    embed: Embed | None = None,
    embedder: str = "",
) -> tuple[Note, ...]:
    """Up to `k` notes that fit `question`, best first, in `lang`; empty when nothing fits.

    Words and, where an `embed` is given, vectors are searched. Raises StoreError, InputError (`samples.missing`).
    """
    excluded, question = _excluded(question), _without_denied(question)
    named = subjects(question)
    # "vang" is "vâng", but in "vang cai rang" it names a subject.
    names = {word.folded for name in _names() if name.topic in named for word in name.words}
    asked = subject_words(question)
    asked += "".join(
        f" {word.text}"
        for word in fold.tokens(question)
        if word.folded in names and word.text not in asked.lower().split()
    )
    result = await services.knowledge.search(
        asked,
        collection=COLLECTION,
        permissions=permissions,
        k=_CANDIDATES,
        embed=embed,
        embedder=embedder,
        lang=lang,
    )
    best: dict[str, Note] = {}
    for passage in result.passages:
        note = _note(passage, lang)
        subject = _named(note.topic, named)
        alike = (passage.similarity or 0.0) >= ALIKE
        if note.topic in excluded or (not subject and not alike and passage.coverage < FITTING):
            continue
        score = round((passage.score + _SUBJECT * subject) / (1 + _SUBJECT), 4)
        if note.topic not in best or score > best[note.topic].score:
            best[note.topic] = replace(note, score=score)
    ranked = sorted(best.values(), key=lambda note: (-note.score, note.lang != lang, note.topic))
    top = ranked[0].score if ranked else 0.0
    return tuple(note for note in ranked if note.score >= _BESIDE_BEST * top)[: max(0, k)]


def ranked(notes: Sequence[Note], question: str, lang: Lang, before: Sequence[str] = ()) -> tuple[Note, ...]:
    """`notes` and others that ship, by how much of `question` one of their sentences has; of alike ones those of the topics
    `before` first. A note that was not found has to have more of it than half."""
    excluded, question = _excluded(question), _without_denied(question)
    named = {topic: words for topic, words in subjects(question).items() if topic not in excluded}
    if excluded and not named:
        return ()  # all that is named is not wanted
    healing = [topic for topic in before if topic in _HEALING]
    if healing and asks_again(question) and not _TREATMENTS & named.keys():
        told = shares_of(question)
        return of_topics([max(healing, key=lambda topic: told[topic])], lang)
    back = {"see asked", *(["why asked"] if count_told(question) <= 1 else [])}
    if before and not named and back & set(asked_lexicon().labels_in(question)):
        return of_topics(before, lang)  # "khi nào phải đi khám": each ends with it; "tại sao bị vậy"
    # What names nothing of a mouth by itself goes on about what was spoken of: "does it hurt".
    follows = bool(before) and not named and not (names_mouth(question) or _own_words(question))
    found = {note.topic: note.score for note in notes}
    points: dict[str, float] = {}
    shares = shares_of(question)
    just = just_done(question) if PRICE not in named else frozenset()
    others = {topic: share for topic, share in shares.items() if not just or topic not in _done(question)}
    first, second = sorted(others.values(), reverse=True)[:2]
    leads = first >= _LEADS * second
    # What one says of oneself is a subject of its own where no note has more of the question: "mang thai, nướu hay chảy máu".
    whole = {
        topic
        for topic, words in named.items()
        if words >= _WHOLE_SUBJECT or topic in _SWALLOWED or (_of_a_person(topic) and shares[topic] >= first)
    }
    # What alone is named is what it is about ("cách chăm sóc hàm giả"), unless a price is asked for, or what was spoken of has
    # all of it or is pointed at ("dùng kem đánh răng chải nó").
    theirs = _of_the_person(question, named, before)
    back_to = (
        theirs or _POINTS_BACK.search(question) or any(shares.get(topic, 0.0) >= first for topic in before)
    )
    sole = named if len(named) == 1 and first > shares[PRICE] and not (before and back_to) else {}
    unsought = 1.1 if count_told(question) < 2 else _AHEAD if leads else _UNSOUGHT
    # What came of what was done has far more of it than that: "nhổ răng hôm kia, chỗ nhổ trống hoác, đau lan lên tai".
    came = {topic for topic, share in others.items() if just and leads and share == first >= _UNSOUGHT}
    found |= dict.fromkeys(came, 1.0)
    # Beside a subject of its own what was done only counts too.
    beside = named.keys() - just - _FELT and not _asks_when(question)
    since = _SOUGHT if beside or came else 2 * _SOUGHT
    for topic, share in shares.items():
        if topic not in excluded and (
            topic in {*found, *whole, *just, *sole}
            or (topic in before and share >= _FOLLOWED)
            or (follows and topic == before[0])
            or share >= max(first, unsought)
        ):
            points[topic] = share + max(_SOUGHT * found.get(topic, 0.0), _GOES_ON * (topic in before))
            points[topic] += _SOUGHT * (
                (topic in whole) + (topic in whole & _SWALLOWED) + min(2, sole.get(topic, 0))
            )
            points[topic] += since * (topic in just)
    # What the sentence that asks names by itself comes before what is only told beside it.
    asked = _asked_by_itself(question) & points.keys() if len(named) > 1 else set()
    for topic in asked:
        points[topic] += 2 * _SOUGHT
    for topic in _acting(question) & points.keys() if len(named) > 1 else ():
        points[topic] += _SOUGHT * (shares[topic] >= _ANSWERED)
    for topic in theirs:
        points[topic] = shares[topic] + 2 * _GOES_ON
    own = [note for note in notes if note.topic not in points]
    best = sorted(
        points, key=lambda topic: (follows and topic != before[0], -points[topic], topic not in before)
    )
    kept = best[: max(len(notes), _NOTES) - len(own)]
    # One more that has as much of the question as any, whatever its subject is named like.
    most = [topic for topic in best if shares[topic] >= max(_AS_MUCH * first, _UNSOUGHT)]
    best = [*kept, *[topic for topic in most if topic not in kept][:1]]
    top = points[best[0]] if best else 1.0
    shipped = (replace(note, score=round(points[note.topic] / top, 4)) for note in of_topics(best, lang))
    return tuple(
        sorted((*own, *shipped), key=lambda note: (follows and note.topic != before[0], -note.score))
    )


def _asked_by_itself(question: str) -> set[str]:
    """The topic that the sentence which asks names whole and alone, where others only tell of theirs."""
    asked = asking(question)
    named = subjects(asked) if asked != question else {}
    return {topic for topic, words in named.items() if len(named) == 1 and words >= _WHOLE_SUBJECT}


def _acting(question: str) -> set[str]:
    """The topics of what is asked whether it does something: that is told in their notes, not in those of what it may do."""
    found = _ACTS.search(fold.fold(question))
    return set(subjects(found[1] or found[2])) if found else set()


def _of_the_person(question: str, named: Mapping[str, int], before: Sequence[str]) -> list[str]:
    """Those of the topics `before` that speak of what `question` states, where it names nothing else: "mình hút thuốc thì có
    khác không" is asked of what was spoken of."""
    facts = [fact for fact in find_facts(question) if fact.kind in {"disease", "pregnancy", "medicine"}]
    if not facts or named.keys() - subjects(", ".join(fact.value for fact in facts)).keys():
        return []
    about = [one.words for one in conditions_of(facts)]
    pairs = {pair for fact in facts for pair in fold.bigrams(fold.folded_words(fact.value))}
    return [
        one.topic
        for one in of_topics(before, "vi")
        if any(words.find(one.text) for words in about)
        or pairs & set(fold.bigrams(fold.folded_words(one.text)))
    ]


@dataclass(frozen=True, slots=True)
class NoteAnswer:
    """What the notes say to a question: `whole` where every word that tells is covered, `about` where any is."""

    text: str = ""
    notes: tuple[Note, ...] = ()
    whole: bool = False
    about: bool = False


def answer(
    notes: Sequence[Note], question: str, query: str, lang: Lang, facts: Sequence[Fact] = ()
) -> NoteAnswer:
    """The sentences of `notes` that say most about `question`, each note named with its date and its sources.

    `query` is the question with what it follows up, `facts` what the person stated: a sentence about one of them is read
    out too. A note is read out whole where a word of the question tells nothing in the chosen sentences. What the notes do
    not speak of is named before them. A sentence with a dose is never read out, whatever a note says.
    """
    named = subjects(question)
    compared = (
        named
        if asked_lexicon().has(question, "choice asked") or _COMPARES.search(fold.fold(question))
        else {}
    )
    chosen = [
        (note, [each for each in sentences_of(note.text) if not doses(each)])
        for note in notes[:2]
        if note.score >= _SECOND * notes[0].score or note.topic in compared
    ]
    chosen = [(note, sentences) for note, sentences in chosen if sentences]
    if len(chosen) > 1 and not _adds(chosen[1][0], chosen[0][0], question):
        chosen = chosen[:1]
    if not chosen:
        return NoteAnswer()
    query = spellings_of(query)[-1]
    parts: list[str] = []
    read: dict[str, str] = {}
    for place, (note, sentences) in enumerate(chosen):
        # A note ends with when to see a dentist.
        body, advice = (sentences[:-1], sentences[-1:]) if place == 0 else (sentences[:-1], [])
        count = _MORE if place else _SENTENCES + (len(body) <= _SHORT)
        best = best_sentences(body, question, count, query, _twins(note, len(sentences))[: len(body)])
        best = _with_all_words(best, body, question, facts)
        if place == 0 and _is_elsewhere(question, note, [*best, *advice]):
            best = body
        if note.topic in named or chosen[0][0].topic not in named:
            read |= {sentence: _in_both(note).get(sentence, sentence) for sentence in (*best, *advice)}
        parts.append(_read_out(note, best, advice, lang))
    covered, missing = _coverage(question, [note for note, _ in chosen], read, lang)
    asked = asking(question)
    # "What should I keep it in?" is asked of what was named before it.
    of = subjects(asked) or (named if _POINTS_BACK.search(asked) else {})
    if missing and asked != question and chosen[0][0].topic in of:
        # What is told beside a question that the notes answer changes nothing in what they say.
        beside, missing = missing, _coverage(asked, [note for note, _ in chosen], read, lang)[1]
        if not missing:
            parts.append(say("notes.beside", lang, words=", ".join(f"“{word}”" for word in beside[:_NAMED])))
    if missing:
        words = ", ".join(f"“{word}”" for word in missing[:_NAMED])
        parts.insert(0, say("notes.partly", lang, words=words))
    held = tuple(note for note, _ in chosen)
    return NoteAnswer("\n\n".join(parts), held, not missing, covered)


def _read_out(note: Note, sentences: Sequence[str], advice: Sequence[str], lang: Lang) -> str:
    head = say("notes.head", lang, title=note.title, date=shown_date(note.date, lang))
    source = say("notes.source", lang, source=note.source)
    return "\n".join([head, *(f"- {sentence}" for sentence in sentences), *advice, source])


def ruling(notes: Sequence[Note], question: str, lang: Lang) -> NoteAnswer:
    """What the first of `notes` says that forbids or allows the very thing that `question` asks for."""
    for note in notes:
        sentences = [one for one in sentences_of(note.text) if not doses(one)]
        if lines := ruling_lines(sentences, question, _twins(note, len(sentences))):
            return NoteAnswer(_read_out(note, lines, [], lang), (note,), True, True)
    return NoteAnswer()


def _with_all_words(
    chosen: Sequence[str], sentences: Sequence[str], question: str, facts: Sequence[Fact]
) -> list[str]:
    """`chosen` and, in their order, the sentences with a telling word of `question` that none of them has or about `facts`."""
    asked, about = _telling_words(question), [one.words for one in conditions_of(facts)]
    added = [*chosen]
    for sentence in sentences:
        held = {word for one in added for word in fold.folded_words(one)}
        if asked & (set(fold.folded_words(sentence)) - held) or any(one.find(sentence) for one in about):
            added.append(sentence)
    return [sentence for sentence in sentences if sentence in added]


def _telling_words(question: str) -> set[str]:
    """The folded words of `question` that tell what is asked."""
    return telling_words(subject_words(question)) - general_words()


def _is_elsewhere(question: str, note: Note, quoted: Sequence[str]) -> bool:
    """Whether a word of `question` that the note knows by another name only stands in none of the sentences `quoted`."""
    names = [one.title for one in _by_topic().get(note.topic, {}).values()]
    names += [hit.phrase for hit in _phrases().find(question) if hit.label == note.topic]
    told = {word for one in (*names, *quoted) for word in fold.folded_words(one)}
    return bool((_telling_words(question) & folded_words_of(note)) - told)


def asks(text: str) -> bool:
    """Whether `text` asks something."""
    text = spellings_of(text)[-1]
    return (
        "?" in text
        or any(label.endswith(" asked") for label in asked_lexicon().labels_in(text) if label != "see asked")
        or any(word in _LISTS["question words"] for word in fold.folded_words(text))
    )


def asks_leave(text: str) -> bool:
    """Whether `text` asks if something may be done or does harm."""
    return "may i asked" in asked_lexicon().labels_in(spellings_of(text)[-1])


def asking(text: str) -> str:
    """The sentences of `text` that ask something, those with a question mark before any; all of it where none does."""
    sentences = sentences_of(text)
    marked = [one for one in sentences if one.rstrip().endswith("?")]
    return " ".join(marked or filter(asks, sentences)) or text


def _adds(second: Note, first: Note, question: str) -> bool:
    """Whether `second` speaks of a word of `question` that `first` does not have."""
    words = telling_words(subject_words(question))
    return (
        second.score >= _TIE
        or second.topic in subjects(question)
        or bool(words & folded_words_of(second) - folded_words_of(first))
    )


_COMPARES = re.compile(r"\b(?:hon|than|more|less)\b")
_POINTS_BACK = re.compile(r"\b(?:it|they|them|nó|chúng|mấy cái đó)\b", re.IGNORECASE)


def _own_words(question: str) -> bool:
    """Whether a question has a word of its own beside what asks: "does it hurt" has none, "it" and "nó" stand for one."""
    asked = spellings_of(question)[-1]
    kinds = [hit for hit in asked_lexicon().find(asked) if hit.label.endswith(" asked")]
    words = without_everyday(asked, spans_of((*kinds, *general_lexicon().find(asked))))
    return bool(words) and not _POINTS_BACK.search(asked)


# What is left of a word behind its apostrophe.
_REST = re.compile(r"(?:['’]\w+)?")
# Whether something may be done, whatever that is.
_ASKS_LEAVE = re.compile(
    r"\bduoc\b.*\b(?:khong|ko|k|hong|hok|chua)\W*$|\bthi sao\W*$|^(?:and |so |but |ok )*(?:can|may|could|should) i\b"
)


def _coverage(
    question: str, notes: Sequence[Note], quoted: Mapping[str, str], lang: Lang
) -> tuple[bool, list[str]]:
    """Whether the notes speak of any word of `question`, and the words, or the kind of answer, that they do not have.

    `quoted` are the sentences of those that are named, each with the same in the other language.
    """
    texts = [text for note in notes for text in _texts_of(note)]
    known: dict[str, set[str]] = {}
    for word in (word for text in texts for word in fold.words(text)):
        known.setdefault(fold.fold(word), set()).add(word)
    pairs = {pair for text in texts for pair in fold.bigrams(fold.folded_words(text))}
    asked = spellings_of(_without_denied(question))[-1]
    kinds = [hit for hit in asked_lexicon().find(asked) if hit.label.endswith(" asked")]
    general = general_lexicon().find(asked)
    read = [(hit.start, hit.end) for hit in (*kinds, *general)]
    words = [token for token in without_everyday(asked, read) if not token.folded.isdigit()]
    # What one is allergic to is noted, whatever the notes say of it.
    own = [one.value for one in stated(find_facts(asked)) if one.kind == "allergy"]
    noted = {word for value in own for word in (*fold.folded_words(value), "ung", "allergic", "allergy")}
    words = [token for token in words if token.folded not in noted]
    if not words and _ASKS_LEAVE.search(fold.fold(asked)):
        # What may be done is told by plain words too: "chơi thể thao được không", "can i still go to work".
        phrases = spans_of((*kinds, *(hit for hit in general if " " in hit.phrase)))
        telling = telling_words(asked)
        words = [
            one
            for one in words_outside(fold.tokens(asked), phrases)
            if one.folded in telling - {*_LISTS["question words"]}
        ]
    meant = concept_words(asked, texts)
    unread = [
        word
        for word in words
        if word.start not in meant
        and not any(fold.accents_agree(word.text, each) for each in known.get(word.folded, ()))
    ]
    covered = len(unread) < len(words) or not words
    missing = _as_written(asked, words, unread, pairs)
    asks = {hit.label for hit in kinds}
    shipped = [one for note in notes for one in _by_topic().get(note.topic, {}).values()]
    names = " . ".join(name for one in shipped for name in (one.title, *one.also))
    missing += [
        say(f"notes.no_{kind.replace(' ', '_')}", lang)
        for kind in KINDS
        if f"{kind} asked" in asks
        and not any(tells(kind, one, units_beside(kind, asked, names), both) for one, both in quoted.items())
    ]
    if (
        not missing
        and asks_again(question)
        and all(shares_of(question).get(note.topic, 1.0) < _FOLLOWED for note in notes)
    ):
        missing.append(say("notes.no_again", lang))
    if "choice asked" in asks and len(notes) == 1 and subjects(question).keys() > {notes[0].topic}:
        missing.append(say("notes.no_choice", lang))
    return covered, missing


def _as_written(
    text: str, words: Sequence[WordToken], unread: Sequence[WordToken], pairs: Collection[str]
) -> list[str]:
    """The `unread` words as `text` has them, whole: all of "don't", and with the one beside that makes no pair of words of the
    notes: of "bản đồ" one half alone says nothing."""
    links = [(a, b, f"{a.folded}_{b.folded}" in pairs) for a, b in pairwise(words) if b.start - a.end <= 1]
    paired = {word.start for a, b, known in links if known for word in (a, b)}
    loose = {word.start for a, b, _ in links if {*unread} & {a, b} for word in (a, b)} - paired
    named = [word for word in words if word in unread or word.start in loose]
    spans: list[str] = []
    for before, word in zip([None, *named], named, strict=False):
        whole = word.text + _REST.findall(text[word.end :])[0]
        beside = before is not None and word.start - before.end <= 1
        spans[-1:] = [f"{spans[-1]} {whole}"] if beside else [*spans[-1:], whole]
    return spans


@cache
def folded_words_of(note: Note) -> frozenset[str]:
    """The folded words of a note, its other names and the same note in the other language among them."""
    return frozenset(word for text in _texts_of(note) for word in fold.folded_words(text))


def _texts_of(note: Note) -> list[str]:
    """The texts of a note, its other names and the same note in the other language among them."""
    shipped = _by_topic().get(note.topic, {}).values()
    return [f"{note.title} {note.text}", *(f"{one.title} {one.text} {' '.join(one.also)}" for one in shipped)]


def evidence(notes: Sequence[Note], lang: Lang, first: int = 1) -> tuple[Evidence, ...]:
    """`notes` as the evidence of an answer, marked as notes of the program's own."""
    return tuple(
        Evidence(
            number,
            note.title,
            note.text,
            say("notes.where", lang),
            note.score,
            facts=(
                (say("notes.date", lang), shown_date(note.date, lang)),
                (say("notes.rests_on", lang), note.source),
            ),
        )
        for number, note in enumerate(notes, first)
    )


def as_pages(notes: Sequence[Note], lang: Lang) -> tuple[Page, ...]:
    """`notes` as entries of the list of sources: marked as notes, dated, without a link."""
    return tuple(
        Page(say("notes.entry", lang, title=note.title, date=shown_date(note.date, lang)), note.text, "")
        for note in notes
    )


def _note(passage: Passage, lang: Lang) -> Note:
    """The note that `passage` is of; of one that ships, its version in `lang`."""
    own = next((one for one in note_files() if one.key == passage.document), None)
    if own is None:
        # A document that somebody added to the corpus: named by itself, dated by when it was loaded.
        day, spoken = passage.ingested_at[:10], detect(passage.text)
        return Note(
            passage.title, passage.text, day, passage.title, 0.0, spoken, passage.document or passage.title
        )
    return replace(_shipped(_by_topic()[own.topic].get(lang, own)), score=0.0)


def of_topics(topics: Sequence[str], lang: Lang) -> tuple[Note, ...]:
    """The notes that ship of `topics`, in `lang`; a topic that none has is left out."""
    found = [_by_topic()[topic] for topic in topics if topic in _by_topic()]
    return tuple(_shipped(langs.get(lang) or next(iter(langs.values()))) for langs in found)


def about(facts: Sequence[Fact], lang: Lang) -> tuple[Note, ...]:
    """The notes on what somebody stated of themselves: an allergy, an illness, a pregnancy."""
    named = [_called(fact) for fact in stated(facts) if fact.kind in {"allergy", "disease", "pregnancy"}]
    return of_topics(list(dict.fromkeys(topic for one in named for topic in subjects(one))), lang)


def _called(fact: Fact) -> str:
    """What is stated by the name that notes have for it, whatever its words: any anaesthetic, any week of a pregnancy."""
    if fact.kind == "allergy":
        return f"dị ứng {_ANAESTHETIC if 'anaesthetic' in medicines().labels_in(fact.value) else fact.value}"
    return _PREGNANT if any(one.name == "pregnancy" for one in conditions_of([fact])) else fact.value


def _shipped(note: NoteFile) -> Note:
    return Note(note.title, note.text, note.date, "; ".join(note.sources), 1.0, note.lang, note.topic)


def _named(topic: str, named: Mapping[str, int]) -> float:
    """How much the question names `topic`, 0-1; what it says of the person comes first."""
    words = named.get(topic, 0)
    return min(1.0, words / _WHOLE_SUBJECT + (_PERSON if words and _of_a_person(topic) else 0.0))


def _of_a_person(topic: str) -> bool:
    """Whether the notes of `topic` are about what somebody has."""
    return any(note.person for note in _by_topic().get(topic, {}).values())


def shown_date(date: str, lang: Lang) -> str:
    """YYYY-MM-DD as people write it: D/M/YYYY in Vietnamese."""
    year, *rest = date.split("-")
    return "/".join([*(str(int(part)) for part in reversed(rest)), year]) if lang == "vi" and rest else date


@cache
def _in_both(note: Note) -> Mapping[str, str]:
    """Each sentence of `note` with the same in the other language behind it."""
    sentences = sentences_of(note.text)
    return {one: f"{one} {twin}" for one, twin in zip(sentences, _twins(note, len(sentences)), strict=False)}


def _twins(note: Note, count: int) -> Sequence[str]:
    """The `count` sentences of `note` in the other language; none where it has another number of them."""
    other = _by_topic().get(note.topic, {}).get("en" if note.lang == "vi" else "vi")
    found = sentences_of(other.text) if other else []
    return found if len(found) == count else ()


@cache
def _by_topic() -> Mapping[str, Mapping[Lang, NoteFile]]:
    found: dict[str, dict[Lang, NoteFile]] = {}
    for note in note_files():
        found.setdefault(note.topic, {})[note.lang] = note
    return found
