"""The one spelling corrector: chat spellings written out, slips of the finger put right, over word lists passed in.

What a person typed is never rewritten in what is shown or searched: a `Correction` says how the text is read, and keeps the
text as it was typed with the place of each change.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from troly.text.catalogue import Lang
from troly.text.fold import WordToken, accents, fold, folded_word, nfc, tokens, typed_words, vocabulary
from troly.text.language import detect_score, is_syllable
from troly.text.wordlist import LEXICONS, read_lists

CHAT = LEXICONS / "chat.txt"
# A chat spelling takes at most so many words ("bn ơi").
_CHAT_WORDS = 3
# A chat spelling that is longer needs the accents it is listed with where others were typed.
_SHORT_CHAT = 2
_TELEX_TONE = re.compile(r"^([a-z]*[aeiouy]+w?[a-z]*)[fsrxj]([a-z]*)$")
_TELEX_MARK = re.compile(r"(a|e|o|d)\1|([uoa])w")

Repair = Callable[[WordToken], str | None]
"""What a mode knows besides of a word that no list spells: the word that is meant, or None."""


@dataclass(frozen=True, slots=True)
class Change:
    """`typed` stands at `start:end` of the text and is read as `meant`."""

    start: int
    end: int
    typed: str
    meant: str
    kind: Literal["chat", "slip"]


@dataclass(frozen=True, slots=True)
class Correction:
    """A text as it was typed, and the changes that make of it the text as it is read, left to right."""

    typed: str
    changes: tuple[Change, ...] = ()

    @property
    def text(self) -> str:
        """The text as it is read; all that was not changed stands as it was typed."""
        parts, at = [], 0
        for change in self.changes:
            parts += [self.typed[at : change.start], change.meant]
            at = change.end
        return "".join([*parts, self.typed[at:]])


@dataclass(frozen=True, slots=True)
class SpellingRules:
    """How far a word may be from what is meant; lengths in folded letters.

    A word of `shortest_typed` letters (0: `shortest_word`) or more may be a slip of a listed word of `shortest_word`, up to
    `most_words` words together one of a phrase of `shortest_phrase`. One slip is a letter more, less or changed, or two
    neighbours swapped; two are allowed from `two_slips_from` letters on (0: never). `same_start`: the first letter is right, or
    swapped with the second. `unique`: of several equally near words none is meant, unless one has the same letters; up to
    `same_letters_up_to` letters only such a one. `long_syllables`: a syllable of `shortest_word` letters that no list has, typed
    without accents, may be a slip too; otherwise syllables never are. `same_language`: nothing Vietnamese is meant in an English
    message. Chat spellings of `chat_anywhere_from` letters (0: none) count in English messages too; `chat_by_fold` says that
    their accents need not be typed. Of a text of more than `most_tokens` words only the chat spellings are read.
    """

    shortest_word: int = 5
    shortest_typed: int = 0
    shortest_phrase: int = 6
    longest: int = 24
    most_words: int = 4
    two_slips_from: int = 0
    same_start: bool = False
    unique: bool = False
    same_letters_up_to: int = 0
    long_syllables: bool = False
    same_language: bool = False
    chat_anywhere_from: int = 0
    chat_by_fold: bool = False
    most_tokens: int = 120


class Corrector:
    """Knows the phrases that may be meant, the words that are no slips, and what chat spellings stand for."""

    def __init__(
        self,
        phrases: Iterable[str],
        known: Iterable[str] = (),
        chat: Mapping[str, str] | None = None,
        rules: SpellingRules = SpellingRules(),
        *,
        short_words: Iterable[str] = (),
        repair: Repair | None = None,
    ) -> None:
        """`phrases` may be meant, with their accents; the words of `known` and of the phrases are never slips.

        `chat` is what `chat_spellings` reads (None: the list of all assistants). A word one letter shorter than the rules allow
        may still be one of `short_words`. `repair` is asked first for each word that is no chat spelling.
        """
        self._rules = rules
        self._chat = chat_spellings() if chat is None else chat
        self._folded_chat = (
            {fold(key): meant for key, meant in self._chat.items()} if rules.chat_by_fold else {}
        )
        self._repair = repair
        self._phrases: dict[str, str] = {}
        self._known = vocabulary((*known, *self._chat))
        slips: list[str] = []
        for phrase in phrases:
            listed = typed_words(phrase)
            folded = [folded_word(word) for word in listed]
            self._known.update(folded)
            letters = "".join(folded)
            if letters.isalpha() and rules.shortest_word <= len(letters) <= rules.longest:
                # A short phrase may be written together ("govap"), but a slip of it is too much like other words.
                self._phrases.setdefault(letters, " ".join(listed))
                if len(listed) == 1 or len(letters) >= rules.shortest_phrase:
                    slips.append(letters)
        self._index = WordIndex(slips)
        self._short = WordIndex(fold(word) for word in short_words)

    def is_known(self, word: str) -> bool:
        return word in self._known

    def correct(
        self,
        text: str,
        *,
        lang: Lang = "vi",
        protected: Collection[tuple[int, int]] = (),
        vocabulary: AbstractSet[str] = frozenset(),
    ) -> Correction:
        """How `text` is read. `lang` is the language of the conversation, for a text that shows none.

        Nothing that touches a `protected` span is changed. `vocabulary` are folded words of this one question (of a sheet, say):
        they are no slips, and may be meant. A text without accents stays without: its other words would be taken for ones that
        have none.
        """
        typed = tokens(text)
        words = _Words(text, typed, (detect_score(text) or (lang == "vi")) > 0, protected, vocabulary)
        slips = len(typed) <= self._rules.most_tokens
        plain = text.isascii()
        changes: list[Change] = []
        at = 0
        while at < len(typed):
            found = self._chat_spelling(words, at) or (self._slip(words, at) if slips else None)
            if found is None:
                at += 1
                continue
            start, end = typed[at].start, typed[found.end - 1].end
            meant = fold(found.meant) if plain else found.meant
            if meant.lower() != text[start:end].lower():
                changes.append(Change(start, end, text[start:end], meant, found.kind))
            at = found.end
        return Correction(text, tuple(changes))

    def _chat_spelling(self, words: _Words, at: int) -> _Reading | None:
        for length in range(min(_CHAT_WORDS, len(words.typed) - at), 0, -1):
            span = words.typed[at : at + length]
            key = " ".join(token.text for token in span)
            meant = self._chat.get(key)
            if meant is None and not (accents(key) and len(key) > _SHORT_CHAT):
                meant = self._folded_chat.get(" ".join(token.folded for token in span))
            anywhere = 0 < self._rules.chat_anywhere_from <= len(key)
            if meant is None or not (words.vietnamese or anywhere) or not words.free(at, at + length):
                continue
            # After a number a letter is a unit: "500 k".
            unit = len(key) == 1 and at > 0 and words.typed[at - 1].folded[-1:].isdigit()
            if not unit and key not in words.vocabulary and not words.begun(at, meant):
                return _Reading(at + length, meant, "chat")
        return None

    def _slip(self, words: _Words, at: int) -> _Reading | None:
        """The longest phrase that the words from `at` on spell with a slip."""
        rules = self._rules
        first = words.typed[at]
        if not words.free(at, at + 1) or first.folded in words.vocabulary:
            return None
        if self._repair is not None and (meant := self._repair(first)) is not None:
            return _Reading(at + 1, meant, "slip")
        joined, strange, best = "", False, None
        for end in range(at, min(at + rules.most_words, len(words.typed))):
            word = words.typed[end].folded
            joined += word
            if not word.isalpha() or len(joined) > rules.longest or not words.together(at, end + 1):
                break
            strange = strange or self._is_strange(words.typed[end], words)
            if strange and (meant := self._meant(joined, words, alone=end == at)):
                best = _Reading(end + 1, meant, "slip")
        return best

    def _is_strange(self, token: WordToken, words: _Words) -> bool:
        word = token.folded
        if word in self._known or word in words.vocabulary:
            return False
        if not is_syllable(word):
            return True
        return (
            self._rules.long_syllables and len(word) >= self._rules.shortest_word and not accents(token.text)
        )

    def _meant(self, letters: str, words: _Words, *, alone: bool) -> str | None:
        """What `letters`, of one word or of several, are meant for."""
        rules = self._rules
        shortest = (rules.shortest_typed or rules.shortest_word) if alone else rules.shortest_phrase
        if len(letters) < shortest:
            if not (alone and self._short and len(letters) == shortest - 1):
                return None
            near = self._near(letters, self._short)
        else:
            if letters in self._phrases:
                return self._phrases[letters]
            near = self._near(letters, self._index, words.vocabulary if alone else ())
        same = [other for other in near if sorted(other) == sorted(letters)]
        if (rules.unique and len(near) > 1) or len(letters) <= rules.same_letters_up_to:
            near = same if len(same) == 1 else []
        if not near:
            return None
        meant = (same or near)[0]
        meant = self._phrases.get(meant, meant)
        return None if rules.same_language and not words.vietnamese and not meant.isascii() else meant

    def _near(self, letters: str, listed: WordIndex, more: Collection[str] = ()) -> list[str]:
        rules = self._rules
        most = 2 if 0 < rules.two_slips_from <= len(letters) else 1
        starts = (letters[0], letters[1::-1]) if rules.same_start else ("",)
        choices = listed.candidates(len(letters), most, starts)
        choices += [
            other
            for other in more
            if abs(len(other) - len(letters)) <= most
            and len(other) >= rules.shortest_word
            and other.isalpha()
            and other.startswith(starts)
        ]
        return nearest(letters, choices, most)


class _Words(NamedTuple):
    text: str
    typed: list[WordToken]
    vietnamese: bool
    protected: Collection[tuple[int, int]]
    vocabulary: AbstractSet[str]

    def together(self, first: int, end: int) -> bool:
        """Whether words `first:end` may be changed, and nothing but blanks and hyphens stands before the last."""
        gap = self.text[self.typed[end - 2].end : self.typed[end - 1].start] if end - first > 1 else ""
        return not gap.strip(" \t\u00a0-") and self.free(first, end)

    def free(self, first: int, end: int) -> bool:
        """Whether words `first:end` touch no protected span."""
        a, b = self.typed[first].start, self.typed[end - 1].end
        return not any(start < b and a < stop for start, stop in self.protected)

    def begun(self, at: int, meant: str) -> bool:
        """Whether the words before `at` are the beginning of `meant` already: "bao nhiêu" is no "bao bao nhiêu"."""
        said = [token.folded for token in self.typed[:at]]
        full = [token.folded for token in tokens(meant)]
        return any(said[-count:] == full[:count] for count in range(1, min(len(full), at + 1)))


class _Reading(NamedTuple):
    """What is meant by the words up to `end`."""

    end: int
    meant: str
    kind: Literal["chat", "slip"]


class WordIndex:
    """Folded words by length and beginning, so that few are compared with a word that may be a slip of one."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words: dict[tuple[str, int], list[str]] = defaultdict(list)
        for word in dict.fromkeys(words):
            for start in {"", word[:1], word[:2]}:
                self._words[start, len(word)].append(word)

    def __bool__(self) -> bool:
        return bool(self._words)

    def candidates(self, length: int, most: int, starts: Sequence[str] = ("",)) -> list[str]:
        """The words that begin with one of `starts` and whose length allows at most `most` slips."""
        lengths = range(length - most, length + most + 1)
        return [other for start in starts for near in lengths for other in self._words.get((start, near), ())]


def nearest(word: str, choices: Iterable[str], most: int = 1) -> list[str]:
    """Those of `choices` with the fewest slips to `word`, at most `most`, in alphabetical order; none is [].

    A slip is a letter more, less or changed, or two neighbours swapped (optimal string alignment).
    """
    from rapidfuzz import process  # 50 ms, which only a message with a slip in it needs
    from rapidfuzz.distance import OSA

    near = process.extract(
        word, list(dict.fromkeys(choices)), scorer=OSA.distance, score_cutoff=most, limit=None
    )
    fewest = min((distance for _, distance, _ in near), default=0)
    return sorted(other for other, distance, _ in near if distance == fewest)


def chat_spellings(*paths: Path) -> dict[str, str]:
    """Chat spellings, in lower case with the accents they are typed with, to what they stand for.

    Of one spelling in several files (all assistants' list where none is named) the last counts. "hông" may stand for "không"
    where "hỏng" does not. Raises OSError, ValueError.
    """
    return {
        nfc(spelling.lower()): meant
        for path in paths or (CHAT,)
        for meant, spellings in read_lists(path).items()
        for spelling in spellings
    }


def without_telex(word: str) -> str:
    """The fold of a word typed with telex keys that no editor turned into accents: "quaanj" is "quan"."""
    match = _TELEX_TONE.match(word)
    bare = match[1] + match[2] if match else word
    return _TELEX_MARK.sub(lambda found: found[1] or found[2], bare).replace("uow", "uo")
