"""Weighs how much of a message was understood; what looks like a condition and was not goes to `missing`."""

from __future__ import annotations

from collections.abc import Iterable

from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.state import LEAVING_OUT, State, is_link, is_rows

_SURE = 0.6


def measure_doubt(state: State, left: list[tuple[int, int, str]]) -> tuple[float, float]:
    """How much of the message was understood; words nothing was found for go to `missing`."""
    total = len(state.wording.words) or 1
    unknown = sum(end - start for start, end, _ in left)
    spans = [(start, end) for start, end, _ in left if _telling(state, start, end)]
    for mention in state.mentions:
        if mention.used or is_link(mention):
            continue
        if _unmet(mention):
            spans.append((mention.start, mention.end))
        elif (
            mention.targets
            and not mention.labels
            and not is_rows(mention)
            and mention.targets[0].weight >= _SURE
        ):
            state.doubt += 0.15 if state.said else 0.4
    state.missing.extend(texts(state, {*spans, *_unknown_names(state)}))
    covered = 1.0 - unknown / total
    confidence = max(0.0, min(1.0, covered - state.doubt - 0.25 * len(state.missing)))
    return confidence, covered


def _telling(state: State, start: int, end: int) -> bool:
    words = [token.folded for token in state.wording.words[start:end]]
    return any(len(word) > 1 or word.isdigit() for word in words)


def _unmet(mention: Mention) -> bool:
    """Whether a number, a word of leaving out or a value was said and nothing came of it."""
    number = mention.amount is not None and mention.period is None
    value = bool(mention.values) and not mention.targets and not mention.labels
    return number or value or _leaves_out(mention)


def _leaves_out(mention: Mention) -> bool:
    """Whether the words do nothing but leave something out, or ask for empty cells."""
    return mention.has("not", "empty", "blank") and mention.labels <= {*LEAVING_OUT, "empty", "filled"}


def texts(state: State, spans: Iterable[tuple[int, int]]) -> list[str]:
    """The words of the spans (first, after the last), neighbours as one."""
    joined: list[list[int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(end, joined[-1][1])
        else:
            joined.append([start, end])
    words, text = state.wording.words, state.wording.text
    return [text[words[start].start : words[end - 1].end] for start, end in joined]


def _unknown_names(state: State) -> list[tuple[int, int]]:
    """Words inside a sentence written like a name ("Can Tho") that were taken for everyday ones."""
    text = state.wording.text
    words = [text[token.start : token.end] for token in state.wording.words]
    if sum(word[:1].isupper() for word in words) > 0.5 * len(words):
        return []
    return [(mention.start, mention.end) for mention in state.mentions if _like_a_name(state, mention)]


def _like_a_name(state: State, mention: Mention) -> bool:
    before = state.wording.text[: state.wording.words[mention.start].start].rstrip()
    inside = mention.start > 0 and before[-1:] not in ".!?:"
    if mention.used or not inside or not mention.text[:1].isupper() or mention.text == "I":
        return False
    if mention.amount or mention.period or (mention.targets and mention.targets[0].weight >= 0.9):
        return False
    return is_link(mention) or (bool(mention.targets) and not mention.labels)
