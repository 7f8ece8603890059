"""Weighs how much of a message was understood; what looks like a condition and was not goes to `missing`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from troly.text.fold import fold, tokens
from troly.text.wordlist import read_lists
from troly_analysis.planner.draft import LEAVING_OUT, ParsedQuestion, QueryDraft, is_link, is_rows, named
from troly_analysis.planner.lexicon import FOLDER, words
from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.types import DataQuery

_SURE = 0.6


def measure_doubt(draft: QueryDraft, left: list[tuple[int, int, str]]) -> float:
    """How much of the message was understood, 0 to 1; words nothing was found for go to `missing`."""
    total = len(draft.wording.words) or 1
    unknown = sum(end - start for start, end, _ in left)
    spans = [(start, end) for start, end, _ in left if _telling(draft, start, end)]
    for mention in draft.mentions:
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
            draft.doubt += 0.15 if draft.said else 0.4
    draft.missing.extend(texts(draft, {*spans, *_unknown_names(draft)}))
    covered = 1.0 - unknown / total
    return max(0.0, min(1.0, covered - draft.doubt - 0.25 * len(draft.missing)))


def _telling(draft: QueryDraft, start: int, end: int) -> bool:
    words = [token.folded for token in draft.wording.words[start:end]]
    return any(len(word) > 1 or word.isdigit() for word in words)


def _unmet(mention: Mention) -> bool:
    """Whether a number, a word of leaving out or a value was said and nothing came of it."""
    number = mention.amount is not None and mention.period is None
    value = bool(mention.values) and not mention.targets and not mention.labels
    return number or value or _leaves_out(mention)


def _leaves_out(mention: Mention) -> bool:
    """Whether the words do nothing but leave something out, or ask for empty cells."""
    return mention.has("not", "empty", "blank") and mention.labels <= {*LEAVING_OUT, "empty", "filled"}


def texts(draft: QueryDraft, spans: Iterable[tuple[int, int]]) -> list[str]:
    """The words of the spans (first, after the last), neighbours as one."""
    joined: list[list[int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(end, joined[-1][1])
        else:
            joined.append([start, end])
    words, text = draft.wording.words, draft.wording.text
    return [text[words[start].start : words[end - 1].end] for start, end in joined]


def _unknown_names(draft: QueryDraft) -> list[tuple[int, int]]:
    """Words inside a sentence written like a name ("Can Tho") that were taken for everyday ones."""
    text = draft.wording.text
    words = [text[token.start : token.end] for token in draft.wording.words]
    if sum(word[:1].isupper() for word in words) > 0.5 * len(words):
        return []
    return [(mention.start, mention.end) for mention in draft.mentions if _like_a_name(draft, mention)]


def _like_a_name(draft: QueryDraft, mention: Mention) -> bool:
    before = draft.wording.text[: draft.wording.words[mention.start].start].rstrip()
    inside = mention.start > 0 and before[-1:] not in ".!?:"
    if mention.used or not inside or not mention.text[:1].isupper() or mention.text == "I":
        return False
    if mention.amount or mention.period or (mention.targets and mention.targets[0].weight >= 0.9):
        return False
    return is_link(mention) or (bool(mention.targets) and not mention.labels)


# Checks that an answer does all that the words of its question ask for; what it does not do is said to be missing.


_NAMED_SURELY = 0.75
_ENDS = frozenset({"max", "min", "superlative", "top", "bottom", "latest", "earliest", "fast", "slow"})


def broken(draft: QueryDraft, ask: DataQuery) -> list[tuple[int, int]]:
    """The words (first, after the last) whose meaning `ask` leaves out."""
    if ask.form == "schema":
        return []
    found = [mention for nth, mention in enumerate(draft.mentions) if _broken(draft, ask, nth, mention)]
    return [(mention.start, mention.end) for mention in found]


def _broken(draft: QueryDraft, ask: DataQuery, nth: int, mention: Mention) -> bool:
    if mention.used or mention.period or mention.amount:
        return False
    if mention.has("about") or _denied(draft, nth, mention):
        return True
    if mention.targets or mention.values:
        return _unread(mention) and not _beside_value(draft, nth)
    if mention.has("filler") or named(mention):
        return False
    wanted = [kept for label, kept in _KEPT.items() if mention.has(label)]
    return bool(wanted) and not any(kept(draft, ask, mention) for kept in wanted)


def _unread(mention: Mention) -> bool:
    """Whether a column or value was named for certain and nothing came of it."""
    if mention.labels or is_rows(mention):
        return False
    value = bool(mention.values) and mention.values[0].whole
    return value or (bool(mention.targets) and mention.targets[0].weight >= _NAMED_SURELY)


def _beside_value(draft: QueryDraft, nth: int) -> bool:
    """Whether the words only say what kind of thing the value next to them is ("món tráng miệng")."""
    near = (next(draft.before(nth, 1), None), next(draft.after(nth, 1), None))
    flags = (each for each in near if each is not None and each.used and each.targets and each.targets[0].ref)
    flagged = any(each.targets[0].ref and each.targets[0].ref.kind == "boolean" for each in flags)
    return flagged or any(each is not None and each.used and bool(each.values) for each in near)


def _denied(draft: QueryDraft, nth: int, mention: Mention) -> bool:
    """Whether a word that may leave something out stands before other words: at the end it only asks."""
    if not mention.has("not") or mention.targets:
        return False
    after = next((each for each in draft.mentions[nth + 1 :] if not is_link(each)), None)
    return after is not None and not (after.period or after.has("which", "count", "much", "by", "compare"))


def _extreme(_draft: QueryDraft, ask: DataQuery, _mention: Mention) -> bool:
    return bool(ask.order) or any(measure.op in {"max", "min"} for measure in ask.measures)


def _mean(_draft: QueryDraft, ask: DataQuery, _mention: Mention) -> bool:
    return ask.form == "per" or any(measure.op == "avg" or measure.metric for measure in ask.measures)


def _shared(_draft: QueryDraft, ask: DataQuery, _mention: Mention) -> bool:
    return ask.form == "share" or any(
        measure.ref and measure.ref.kind == "percent" for measure in ask.measures
    )


def _different(_draft: QueryDraft, ask: DataQuery, _mention: Mention) -> bool:
    return ask.form == "distinct" or ask.count_groups or any(measure.distinct for measure in ask.measures)


def _compared(_draft: QueryDraft, ask: DataQuery, _mention: Mention) -> bool:
    return ask.versus is not None or bool(ask.groups)


def _grown(_draft: QueryDraft, ask: DataQuery, _mention: Mention) -> bool:
    return ask.versus is not None or any(group.unit for group in ask.groups)


def _by_time(draft: QueryDraft, ask: DataQuery, mention: Mention) -> bool:
    groups = [*ask.groups, *([draft.per] if draft.per and ask.form == "per" else [])]
    return any(group.unit == mention.unit or group.unit for group in groups) and not mention.has("about")


def _grouped(_draft: QueryDraft, ask: DataQuery, _mention: Mention) -> bool:
    return bool(ask.groups) or ask.form in {"distinct", "rows"}


def _never(_draft: QueryDraft, _ask: DataQuery, _mention: Mention) -> bool:
    return False


def _of_two(_draft: QueryDraft, ask: DataQuery, mention: Mention) -> bool:
    """ "Bên nào cao hơn": the figures of the values that are compared stand side by side."""
    return not mention.has("gt", "lt") or any(
        each.op == "in" and any(group.ref == each.ref for group in ask.groups) for each in ask.conditions
    )


_KEPT: dict[str, Callable[[QueryDraft, DataQuery, Mention], bool]] = {
    **dict.fromkeys(_ENDS, _extreme),
    "seller": _extreme,
    "slow seller": _extreme,
    "avg": _mean,
    "share": _shared,
    "distinct": _different,
    "compare": _compared,
    "growth": _grown,
    "trend": _by_time,
    "who": _grouped,
    "gap": lambda _draft, ask, _mention: bool(ask.gap or ask.versus),
    **dict.fromkeys(["gt", "lt", "high", "low"], _of_two),
    **dict.fromkeys(["gte", "lte", "between", "upward", "downward", "ordinal"], _never),
    **dict.fromkeys([f"day {days}" for days in ("1", "2", "3", "4", "5", "6", "7", "67", "12345")], _never),
    **dict.fromkeys(
        ["unit day", "unit week", "unit month", "unit quarter", "unit year", "unit weekday", "unit hour"],
        _by_time,
    ),
}


# Which words that nothing was found for must be asked about: an answer without them would be another answer.


_PREPOSITIONS = frozenset(
    [
        "cua",
        "tu",
        "o",
        "tai",
        "cho",
        "qua",
        "tren",
        "voi",
        "in",
        "from",
        "at",
        "for",
        "by",
        "of",
        "thuoc",
        "theo",
        "ten",
        "la",
        "tru",
        "bang",
        "nhom",
    ]
)


def essential_word(missing: Sequence[str], parsed: ParsedQuestion, *, answered: bool) -> str:
    """The first of `missing` that an answer cannot do without, "" for none: what looks like a condition goes first.

    Where nothing would be `answered`, or a follow-up is told by words of its own, only a condition is asked about.
    """
    return _condition_like(missing, parsed) or (_content(missing, parsed) if answered else "")


def _condition_like(missing: Sequence[str], parsed: ParsedQuestion) -> str:
    """The first of the words nothing was found for that looks like a condition, "" for none."""
    draft = parsed.draft
    for text in missing:
        bare = text.strip()
        if any(char.isdigit() for char in bare):
            return bare
        at = draft.wording.text.find(bare)
        if "not" in words().listed(tuple(token.folded for token in tokens(bare))):
            return bare
        before = tokens(draft.wording.text[:at])[-1:] if at > 0 else []
        if at > 0 and bare[:1].isupper():
            return bare
        if before and (before[0].folded in _PREPOSITIONS or _after_name(parsed, at)):
            return bare
    return ""


def _content(missing: Sequence[str], parsed: ParsedQuestion) -> str:
    """The first of those words that says something: no word that everybody's questions have, no noun that is counted."""
    text = parsed.draft.wording.text
    for bare in missing:
        said = [token.folded for token in tokens(bare)]
        before = [token.folded for token in tokens(text[: max(0, text.find(bare))])]
        if " ".join(said) in _light() or _light().issuperset(said) or (len(said) == 1 and _counts(before)):
            continue
        # One word at the beginning is what the message is about: "tuyến từ Hà Nội có bao nhiêu vé".
        if not before and len(said) == 1 and (parsed.ask.conditions or parsed.draft.said):
            continue
        return bare
    return ""


def _counts(before: Sequence[str]) -> bool:
    """Whether the words before end in one of counting: what follows is what the rows are called."""
    ends = {" ".join(before[-size:]) for size in (1, 2, 3) if len(before) >= size}
    return any(
        "count" in words().listed(tuple(end.split())) or "per" in words().listed(tuple(end.split()))
        for end in ends
    )


def _after_name(parsed: ParsedQuestion, at: int) -> bool:
    typed = parsed.draft.wording.words
    nth = next((n for n, word in enumerate(typed) if word.start >= at), len(typed))
    before = next((m for m in parsed.draft.mentions if m.end == nth), None)
    return before is not None and (bool(before.targets) or before.has("not", "only", "by"))


@cache
def _light() -> frozenset[str]:
    """Words that may be left out of any question (lexicons/light.txt)."""
    return frozenset(fold(word) for word in read_lists(FOLDER / "light.txt")["light"])
