"""Everyday words that all assistants read alike: what asks for nothing in a message, and what is small talk.

The words stand in `lexicons/everyday.txt`. An assistant finds the words of its own subject first; of the rest, those with a role
here say nothing more, and any other word was not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from troly.text.fold import WordToken, accents, has_marks, tokens
from troly.text.match import Lexicon, PhraseHit, spans_of, words_outside
from troly.text.spelling import chat_spellings
from troly.text.wordlist import LEXICONS, read_lists

Role = Literal[
    "person", "particle", "polite", "request", "question", "link", "auxiliary", "degree", "now", "classifier"
]
"""What a word does in a sentence that names nothing of its subject."""

Kind = Literal["ability", "identity", "chat", "bye", "thanks", "greeting", "ack"]
"""What small talk is about, the most telling kind first."""

ROLES: frozenset[Role] = frozenset(get_args(Role))
_KINDS: tuple[Kind, ...] = get_args(Kind)
# Said before or after a question, these are no part of it.
_WRAPPING = frozenset({"greeting", "thanks", "bye", "ack"})
# What may stand around small talk.
_AROUND = frozenset({"person", "particle", "polite", "degree", "link", "auxiliary", "now", "around"})
_ENOUGH = 400
_RUN = re.compile(r"([^\W\d_])\1+")
_LAUGHTER = re.compile(r"k{2,}|h{3,}|[hk]+([aeiou])\1*(?:[hk]+\1+)+[hk]*")


@dataclass(frozen=True, slots=True)
class SmallTalk:
    """A message without its pleasantries.

    `kind` is None where something is asked; `rest` is then the question in the words typed. `rest` is "" where a message
    is nothing but small talk, or has no word at all.
    """

    kind: Kind | None
    rest: str


def everyday_phrases(text: str) -> list[PhraseHit]:
    """The everyday words and phrases of `text`, left to right, labelled by role or kind; the longest wins."""
    return _lexicon().find(text)


def is_laughter(word: str) -> bool:
    """Whether a word is written laughter, one syllable or letter over and over: "haha", "hihihi", "kkk", "keke"."""
    return bool(_LAUGHTER.fullmatch(word.lower()))


def without_everyday(
    text: str, spans: Iterable[tuple[int, int]] = (), roles: frozenset[Role] = ROLES
) -> list[WordToken]:
    """The words of `text` outside `spans`, which an assistant has read, that are none of these everyday `roles`.

    A phrase that was partly read counts for the words that are left of it only if each has a role of its own.
    """
    read = tuple(spans)
    typed = tokens(text)
    marked = any(accents(word.text) for word in typed)
    hits = [
        hit
        for hit in everyday_phrases(text)
        if hit.label in roles | _WRAPPING and (hit.exact or not marked or " " in hit.phrase)
    ]
    whole = [
        (hit.start, hit.end)
        for hit in hits
        if not any(start < hit.end and hit.start < end for start, end in read)
    ]
    return [word for word in words_outside(typed, (*read, *whole)) if not _plain(word, roles, marked=marked)]


def small_talk(text: str) -> SmallTalk:
    """What kind of small talk a message is, or the question in it (000-21, 001-28, 002-07, 004-18)."""
    head = text[:_ENOUGH]
    words = tokens(head)
    if not words:
        return SmallTalk("greeting", "")
    hits = everyday_phrases(head)
    kinds = [hit for hit in hits if hit.label in _KINDS]
    idle = [hit for hit in hits if hit.label in _AROUND or hit.label in _KINDS]
    if kinds and not words_outside(words, spans_of(idle)) and len(text) <= _ENOUGH:
        labels = {hit.label for hit in kinds}
        if labels == {"ack"} and _may_ask(words, hits):
            return SmallTalk(None, text)
        return SmallTalk(next(kind for kind in _KINDS if kind in labels), "")
    return SmallTalk(None, _unwrapped(text, head, hits))


def _may_ask(words: list[WordToken], hits: list[PhraseHit]) -> bool:
    """Whether more words of a message without accents could be others than say yes: "duoc nghi may ngay" asks how many days."""
    said = [hit for hit in hits if hit.label in ("ack", "person", "particle")]
    doubtful = words_outside(words, spans_of(said))
    agreeing = len(words) - len(words_outside(words, spans_of(hit for hit in hits if hit.label == "ack")))
    unmarked = not (has_marks(word.text for word in words) or all(hit.exact for hit in hits))
    return unmarked and len(doubtful) > agreeing


def without_pleasantries(text: str) -> str:
    """`text` without what politeness puts before and behind its question: "dạ chị cho em hỏi trong đó mấy phòng vậy ạ".

    Before it that is a greeting, a call ("ad ơi") and an asking phrase with whom they are said to; behind it, sentence
    particles. What asks by itself ("can I …") stays, and a message that is nothing else stays whole.
    """
    head = text[:_ENOUGH]
    words, hits = tokens(head), everyday_phrases(head)
    start = _asking_phrase(head, hits)
    end = len(text)
    marked = any(accents(word.text) for word in words)  # without accents "nha" may be a house, "vay" a loan
    behind = [hit for hit in hits if hit.label in _BEHIND and hit.exact and marked]
    while behind and len(head) == len(text) and not tokens(text[behind[-1].end : end]):
        last = behind.pop()
        before = (hit for hit in behind if hit.label == "closing" and not tokens(text[hit.end : last.start]))
        if last.label == "closing" or any(before):  # "vậy em", but "của em"
            end = last.start
    asked = text[start:end].strip(_EDGES)
    return asked + ("?" if text.rstrip().endswith("?") else "") if tokens(asked) else text


_EDGES = " \t\r\n,.;:!–—-~?"
_CALLS = frozenset({"ơi", "oi"})
_BEFORE = frozenset({"greeting", "person", "particle", "polite"})
_BEHIND = frozenset({"closing", "person"})


def _asking_phrase(text: str, hits: list[PhraseHit]) -> int:
    """Where the question begins behind its last asking phrase, greeting or call; 0 where none stands before it."""
    start = at = 0
    for hit in hits:
        if hit.start < at or hit.label not in _BEFORE:
            continue
        if tokens(text[at : hit.start]):
            break
        at = hit.end
        asks = hit.label == "polite" and " " in hit.phrase and hit.phrase.split()[0] not in _MODALS
        if (
            asks
            or hit.label == "greeting"
            or any(word.text in _CALLS for word in tokens(text[hit.start : at]))
        ):
            start = at
    behind = [
        hit
        for hit in hits
        if hit.label == "degree" and hit.start >= start and not tokens(text[start : hit.start])
    ]
    if start and behind and text[behind[0].end :].lstrip().startswith((",", ":")):
        start = behind[0].end  # "cho em hỏi xíu, …"
    return start


_MODALS = frozenset({"can", "could", "would", "may", "do"})


def thanks_only(text: str) -> bool:
    """Whether a message thanks or says goodbye, with no more than a remark that asks nothing: "ok chị ghi rồi, cảm ơn em"."""
    said = {hit.label for hit in everyday_phrases(text[:_ENOUGH])}
    asks = said & {"question", "request"} or text.rstrip().endswith("?")
    return (
        bool(said & {"thanks", "bye"})
        and not asks
        and not any(map(str.isdigit, text))
        and len(text) <= _ENOUGH
    )


def without_background(text: str, holds: Callable[[str], bool]) -> tuple[str, tuple[str, ...]]:
    """`text` without its small talk and what is told beside the question of the one who asks, and those remarks.

    A remark is a sentence or a clause of its own that has the speaker, or somebody who waits for the answer ("khách đang
    gọi"), as its subject, asks nothing, and names nothing that the assistant's data hold: `holds` says of the rest of a piece
    whether it names, bounds or denies anything there. A name or a number that nobody knows could be meant to narrow the
    question, so it stays, unless it introduces the speaker.
    """
    pieces = [piece for piece in _PIECES.split(text.strip()) if tokens(piece)]
    talk = [small_talk(piece).kind is not None for piece in pieces]
    told = list[bool]()
    for at, (idle, piece) in enumerate(zip(talk, pieces, strict=True)):
        goes_on = at > 0 and told[-1] and not talk[at - 1] and pieces[at - 1].endswith(",")
        told.append(idle or _is_remark(piece, holds, goes_on=goes_on))
    if not any(told) or all(told):
        return text, ()
    asked = " ".join(piece for piece, left_out in zip(pieces, told, strict=True) if not left_out)
    remarks = (piece for piece, idle, left_out in zip(pieces, talk, told, strict=True) if left_out > idle)
    return asked, tuple(piece.strip(" ,.;:!()") for piece in remarks)


_PIECES = re.compile(r"(?<=[.?!…;:])\s+|(?<=,)\s+|\s+(?=\()|(?<=\))\s*(?![,.;])|\n+")
_DOINGS = frozenset(
    {"moving", "relocating", "coming", "arriving", "working", "studying", "living", "staying"}
)
"""What begins a sentence of the speaker without "I"."""
_INTRODUCES = frozenset({"là", "la", "tên", "ten", "am", "m", "is", "are", "re"})
_URGES = frozenset(
    {
        "đang", "dang", "vừa", "vua", "mới", "moi", "cứ", "cu", "sắp", "sap", "hỏi", "hoi", "hối", "giục", "giuc", "đợi", "doi", "chờ",
        "cho", "gọi", "goi", "nhắn", "nhan", "bắt", "đòi", "kêu", "keu", "is", "are", "s", "just", "keeps", "keep", "wants", "needs", "asked",
    }
)  # fmt: skip
"""What somebody does who waits for an answer."""
_OTHERS = frozenset({"one", "ones", "it", "its", "they", "them", "their", "he", "she", "his", "him", "her"})
"""What points at others, who are rather what is asked about."""
_BEFORE_SUBJECT = 2
_ASKING = frozenset(
    {"nhiêu", "nhieu", "mấy", "nào", "gì", "đâu", "what", "which", "who", "how", "where", "when"}
)
_IDLE: frozenset[str] = frozenset({"particle", "polite", "greeting", "thanks", "ack", "degree"})


def _is_remark(piece: str, holds: Callable[[str], bool], *, goes_on: bool) -> bool:
    """Whether a piece says no more than something of who speaks, is spoken to or waits: "em là kế toán mới", "I'm new here";
    a clause without a subject that `goes_on` from such a one has the same: "tôi có tuổi rồi, không rành điện thoại".
    """
    words, hits = tokens(piece), everyday_phrases(piece)
    if piece.rstrip().endswith("?") or not _ASKING.isdisjoint(word.text for word in words):
        return False
    rest = words_outside(words, spans_of(hit for hit in hits if hit.label in _IDLE))
    if not rest or rest[0].text in _DOINGS:
        return not holds(piece)
    reach = rest[min(_BEFORE_SUBJECT, len(rest) - 1)].start
    who = [
        hit
        for hit in hits
        if hit.label in {"person", "waiting"}
        and hit.phrase not in _OTHERS
        and rest[0].start < hit.end
        and hit.start <= reach
    ]
    for at, hit in enumerate(who):  # "mẹ chị", "my boss"
        if at and tokens(piece[who[at - 1].end : hit.start]):
            who = who[:at]
            break
    last = who[-1].end if who else 0
    behind = [word for word in rest if (who or goes_on) and word.start >= last]
    waits = any(hit.label == "waiting" for hit in who)
    if not behind or (waits and behind[0].text not in _URGES):
        return False
    named = (piece[word.start : word.end] for word in behind)
    if behind[0].text not in _INTRODUCES and any(
        word[:1].isupper() or any(map(str.isdigit, word)) for word in named
    ):
        return False
    if not waits:
        return not holds(piece)
    # Who waits and that they do may be words of the data ("khách").
    said = [word for word in behind if word.text not in _URGES]
    return not said or not holds(piece[: who[0].start] + piece[said[0].start :])


@cache
def correction_phrases() -> tuple[str, ...]:
    """What people say to take back what they said before: "à nhầm", "ý mình là", "xin lỗi"."""
    return read_lists(LEXICONS / "corrections.txt")[""]


def _unwrapped(text: str, head: str, hits: list[PhraseHit]) -> str:
    """`text` without the greetings and thanks before and behind its question, and who they are said to."""
    labels: dict[tuple[int, int], set[str]] = {}
    for hit in hits:
        labels.setdefault((hit.start, hit.end), set()).add(hit.label)
    start, end, opened = 0, len(text), False
    for (begins, ends), said in labels.items():
        wraps = bool(said & _WRAPPING)
        if tokens(head[start:begins]) or not (wraps or (opened and said & {"person", "particle"})):
            break
        start, opened = ends, opened or wraps
    at = end
    for (begins, ends), said in reversed(labels.items()) if head == text else ():
        if begins < start or tokens(text[ends:at]) or not said & (_WRAPPING | _AROUND):
            break
        at = begins
        if said & (_WRAPPING - {"ack"}):
            end = begins
    return text[start:end].strip(" \t\r\n,.;:!–—-~") or text.strip()


def _plain(word: WordToken, roles: frozenset[Role], *, marked: bool) -> bool:
    """Whether a word alone, or what it is a chat spelling or a drawn-out form of, has one of `roles`.

    In a message typed with accents (`marked`) a word without any has none: "thu" is not "thứ".
    """
    if is_laughter(word.text):
        return "particle" in roles
    forms = {word.text, _chat().get(word.text, ""), _RUN.sub(r"\1", word.text)}
    single = _single_words(folded=not marked)
    return any(role in roles for form in forms for role in single.get(form, ()))


@cache
def _single_words(*, folded: bool) -> dict[str, tuple[str, ...]]:
    """Each everyday word of one syllable with its roles: as written, and without accents where `folded`."""
    found: dict[str, list[str]] = {}
    for role, phrases in read_lists(LEXICONS / "everyday.txt").items():
        for phrase in phrases:
            words = tokens(phrase)
            if role in ROLES and len(words) == 1:
                for form in {words[0].text, words[0].folded if folded else words[0].text}:
                    found.setdefault(form, []).append(role)
    return {form: tuple(roles) for form, roles in found.items()}


@cache
def _chat() -> dict[str, str]:
    return chat_spellings()


@cache
def _lexicon() -> Lexicon:
    return Lexicon(read_lists(LEXICONS / "everyday.txt"))
