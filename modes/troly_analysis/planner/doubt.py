"""Weighs how much of a message was understood; what looks like a condition and was not goes to `missing`."""

from __future__ import annotations

from troly_analysis.planner.state import State, is_link, is_rows


def measure_doubt(state: State, left: list[tuple[int, int, str]]) -> tuple[float, float]:
    """How much of the message was understood; words nothing was found for go to `missing`."""
    total = sum(1 for token in state.wording.words) or 1
    unknown = 0
    for start, end, text in left:
        words = [token.folded for token in state.wording.words[start:end]]
        unknown += end - start
        if any(len(word) > 1 or word.isdigit() for word in words):
            state.missing.append(text)
    for mention in state.mentions:
        if mention.used or is_link(mention):
            continue
        if (
            (mention.amount and not mention.period)
            or mention.labels == {"not"}
            or (mention.values and not mention.targets and not mention.labels)
        ):
            state.missing.append(mention.text)
        elif (
            mention.targets
            and not mention.labels
            and not is_rows(mention)
            and mention.targets[0].weight >= 0.6
        ):
            state.doubt += 0.4 if not state.said else 0.15
    state.missing.extend(_unknown_names(state))
    covered = 1.0 - unknown / total
    confidence = max(0.0, min(1.0, covered - state.doubt - 0.25 * len(state.missing)))
    return confidence, covered


def _unknown_names(state: State) -> list[str]:
    """Words inside a sentence written like a name ("Can Tho") that were taken for everyday ones."""
    text = state.wording.text
    words = [text[token.start : token.end] for token in state.wording.words]
    if sum(word[:1].isupper() for word in words) > 0.5 * len(words):
        return []
    found = []
    for mention in state.mentions:
        inside = (
            mention.start > 0 and text[: state.wording.words[mention.start].start].rstrip()[-1:] not in ".!?:"
        )
        if mention.used or not inside or not mention.text[:1].isupper() or mention.text == "I":
            continue
        if mention.amount or mention.period or (mention.targets and mention.targets[0].weight >= 0.9):
            continue
        if is_link(mention) or (mention.targets and not mention.labels):
            found.append(mention.text)
    return found
