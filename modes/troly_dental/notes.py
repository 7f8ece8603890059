"""The dental notes that answer without the web: found by words and by meaning, read out sentence by sentence."""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from troly.plugin.events import Evidence
from troly.text import fold
from troly.text.catalogue import Lang
from troly.text.language import detect
from troly.text.match import Lexicon
from troly_dental.answer_rail import doses
from troly_dental.samples import COLLECTION, NoteFile, note_files
from troly_dental.strings import say

if TYPE_CHECKING:
    from troly.plugin.context import TurnContext
    from troly.plugin.services import Services
    from troly.retrieval.hybrid import Embed, Passage

_IDLE = Path(__file__).parent / "lexicons" / "notes_idle.txt"
_CANDIDATES = 30
# A note fits when the question names its subject, when it holds this share of what the question's words tell, or
# when the vectors are this much alike (below that an embedder finds everything a little alike).
FITTING, ALIKE = 0.55, 0.65
# A find that is this much weaker than the best one is about something else.
_BESIDE_BEST = 0.6
_SUBJECT, _WHOLE_SUBJECT = 1.0, 3
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
_SENTENCES, _MORE = 3, 2


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


async def find(turn: TurnContext, question: str, k: int = 3) -> tuple[Note, ...]:
    """Up to `k` notes that fit `question`, best first, in the language of the turn; empty when nothing fits.

    Words and, where the embedder answers, vectors are searched. Raises StoreError.
    """
    services = turn.services
    return await find_in(
        services,
        question,
        k,
        turn.language,
        permissions=turn.profile.permissions,
        embed=turn.model.embed if turn.model.reason_unavailable is None else None,
        embedder=services.settings.models.for_mode(turn.mode.id, "embed"),
    )


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
    """As `find`, without a turn. Raises StoreError."""
    result = await services.knowledge.search(
        subject_words(question),
        collection=COLLECTION,
        permissions=permissions,
        k=_CANDIDATES,
        embed=embed,
        embedder=embedder,
        lang=lang,
    )
    named = subjects(question)
    best: dict[str, Note] = {}
    for passage in result.passages:
        note = _note(passage, lang)
        subject = min(1.0, named.get(note.topic, 0) / _WHOLE_SUBJECT)
        if not subject and passage.coverage < FITTING and (passage.similarity or 0.0) < ALIKE:
            continue
        score = round((passage.score + _SUBJECT * subject) / (1 + _SUBJECT), 4)
        if note.topic not in best or score > best[note.topic].score:
            best[note.topic] = replace(note, score=score)
    ranked = sorted(best.values(), key=lambda note: (-note.score, note.lang != lang, note.topic))
    top = ranked[0].score if ranked else 0.0
    return tuple(note for note in ranked if note.score >= _BESIDE_BEST * top)[: max(0, k)]


def subjects(question: str) -> dict[str, int]:
    """The topics whose subject `question` names, with the number of words that name it."""
    found: Counter[str] = Counter()
    for hit in _subject_lexicon().find(question):
        found[hit.label] = max(found[hit.label], len(fold.words(hit.phrase)))
    return dict(found)


def subject_words(question: str) -> str:
    """`question` without politeness and question words, unless nothing else is left."""
    rest, at = [], 0
    for hit in _idle_lexicon().find(question):
        rest.append(question[at : max(at, hit.start)])
        at = max(at, hit.end)
    rest.append(question[at:])
    text = " ".join(" ".join(rest).split())
    return text if fold.words(text) else question


def answer(notes: Sequence[Note], question: str, lang: Lang) -> str:
    """The sentences of `notes` that say most about `question`, each note named with its date and its sources.

    "" without notes. A sentence with a dose is never read out, whatever a note says.
    """
    wanted = Counter(fold.folded_words(subject_words(question)))
    parts = []
    for place, note in enumerate(notes[:2]):
        sentences = [each for each in _sentences(note.text) if not doses(each)]
        if not sentences:
            continue
        body, advice = (sentences[:-1], sentences[-1]) if place == 0 else (sentences, "")
        chosen = _best(body, wanted, _MORE if place else _SENTENCES)
        head = say("notes.head", lang, title=note.title, date=_shown(note.date, lang))
        lines = [head, *(f"- {sentence}" for sentence in chosen), *([advice] if advice else [])]
        lines.append(say("notes.source", lang, source=note.source))
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


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
                (say("notes.date", lang), _shown(note.date, lang)),
                (say("notes.rests_on", lang), note.source),
            ),
        )
        for number, note in enumerate(notes, first)
    )


def _note(passage: Passage, lang: Lang) -> Note:
    """The note that `passage` is of; of one that ships, its version in `lang`."""
    own = _by_key().get(passage.document)
    if own is None:
        # A document that somebody added to the corpus: named by itself, dated by when it was loaded.
        day, spoken = passage.ingested_at[:10], detect(passage.text)
        return Note(
            passage.title, passage.text, day, passage.title, 0.0, spoken, passage.document or passage.title
        )
    told = _by_topic()[own.topic].get(lang, own)
    return Note(told.title, told.text, told.date, "; ".join(told.sources), 0.0, told.lang, told.topic)


def _best(sentences: Sequence[str], wanted: Mapping[str, int], count: int) -> list[str]:
    """The `count` sentences that share most with `wanted`, in their own order; the first ones where none does."""
    ranked = sorted(range(len(sentences)), key=lambda at: (-_points(sentences[at], wanted), at))
    return [sentences[at] for at in sorted(ranked[:count])]


def _points(sentence: str, wanted: Mapping[str, int]) -> float:
    words = fold.folded_words(sentence)
    shared = set(words) & set(wanted)
    pairs = set(fold.bigrams(words)) & set(fold.bigrams(list(wanted)))
    told = sum(_tells(word) for word in shared) + sum(max(map(_tells, pair.split("_"))) for pair in pairs)
    return told / math.sqrt(4 + len(words))


def _tells(word: str) -> float:
    """How much `word` tells among the sentences of all notes (inverse document frequency)."""
    counts, total = _frequencies()
    return math.log((total + 1) / (counts.get(word, 0) + 0.5))


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


def _shown(date: str, lang: Lang) -> str:
    """YYYY-MM-DD as people write it: D/M/YYYY in Vietnamese."""
    year, *rest = date.split("-")
    return "/".join([*(str(int(part)) for part in reversed(rest)), year]) if lang == "vi" and rest else date


@cache
def _frequencies() -> tuple[Mapping[str, int], int]:
    sentences = [each for note in note_files() for each in _sentences(note.text)]
    return Counter(word for each in sentences for word in set(fold.folded_words(each))), len(sentences)


@cache
def _by_key() -> Mapping[str, NoteFile]:
    return {note.key: note for note in note_files()}


@cache
def _by_topic() -> Mapping[str, Mapping[Lang, NoteFile]]:
    found: dict[str, dict[Lang, NoteFile]] = {}
    for note in note_files():
        found.setdefault(note.topic, {})[note.lang] = note
    return found


@cache
def _subject_lexicon() -> Lexicon:
    """Titles and other names of every topic, in both languages."""
    named: dict[str, list[str]] = {}
    for note in note_files():
        named.setdefault(note.topic, []).extend((note.title, *note.also))
    return Lexicon(named)


@cache
def _idle_lexicon() -> Lexicon:
    return Lexicon.load(_IDLE)
