"""Picks the sentences of long passages that answer a question, for answering without a model: nothing is worded anew."""

from __future__ import annotations

from collections.abc import Sequence

from troly.text.fold import fold
from troly_rag.answer.grounding import Claim, claims_of, is_listed
from troly_rag.corpus.coverage import figure_request, question_of, text_of

# What is told beside the best sentence says at least this share of what that one says.
_BESIDE = 0.45
# What the sentence itself counts beside the headings above it; what a sentence without the figure asked for is worth, and
# one in another language.
_OWN, _NO_FIGURE, _OTHER_LANGUAGE = 0.7, 0.6, 0.4


def extract(
    question: str, passages: Sequence[str], headings: Sequence[str] = (), *, most: int = 3
) -> tuple[Claim, ...]:
    """The sentences of `passages` (best first) that answer `question` best, at most `most`, in the order they stand.

    A sentence is judged by what it and the `headings` above it hold of the question's telling words, and by the kind of
    figure that is asked for. One that opens a list is told with its items, which do not count.
    """
    found = [
        (place, sentence.strip()) for place, passage in enumerate(passages) for sentence in claims_of(passage)
    ]
    scores = [
        _score(question, text, headings[place] if place < len(headings) else "") for place, text in found
    ]
    best = max(scores, default=0.0)
    ranked = sorted(range(len(found)), key=lambda at: -scores[at])[:most]
    chosen = {at for at in ranked if scores[at] > 0 and scores[at] >= _BESIDE * best}
    for at in sorted(chosen):
        item = at + 1 if found[at][1].endswith(":") else len(found)
        while item < len(found) and is_listed(found[item][1]):
            chosen.add(item)
            item += 1
    return tuple(Claim(found[at][1], found[at][0], round(scores[at], 4)) for at in sorted(chosen))


def _score(question: str, sentence: str, heading: str) -> float:
    """From 0; what has nothing of the question is 0, whatever figures it holds."""
    asked, figures = question_of(question), figure_request(question)
    own = asked.coverage(text_of(sentence)).share
    held = _OWN * own + (1 - _OWN) * asked.coverage(text_of(f"{heading}\n{sentence}")).share
    if asked.language != text_of(sentence).language:
        held *= _OTHER_LANGUAGE
    bonus = figures.bonus(fold(sentence))
    return (held if bonus or not figures.figure else held * _NO_FIGURE) + (bonus if held else 0.0)
