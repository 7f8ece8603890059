"""Tells words that only look like a value of the sheet from those that mean it: "tra" (pay) is no "Trà" (tea)."""

from __future__ import annotations

from troly.text.fold import accents, fold, nfc
from troly.text.language import detect_score
from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.read_groups import PERSONS
from troly_analysis.planner.schema import Value
from troly_analysis.planner.state import State

_TITLES = frozenset(
    [
        "cua",
        "anh",
        "chi",
        "em",
        "ban",
        "ong",
        "ba",
        "co",
        "chu",
        "bac",
        "thay",
        "by",
        "of",
        "from",
        "mr",
        "ms",
    ]
)


def looks_alike(state: State, nth: int, value: Value) -> bool:
    """Whether the words at `nth` only look like `value`; what may be one in spite of that is said to be missing."""
    mention = state.mentions[nth]
    if _is_everyday(state, mention, value) or _inside_name(state, mention, value):
        return True
    verb = _is_verb(state, nth, value)
    if verb:
        mention.values = ()
    return verb


def _is_verb(state: State, nth: int, value: Value) -> bool:
    """Whether a small word that could be somebody's name is what was done ("chưa phát" where a postman is called Phát)."""
    mention = state.mentions[nth]
    known = bool(mention.targets) or bool(mention.labels)
    small = mention.text.islower() and len(mention.text.split()) == 1 and not state.wording.text.islower()
    named = nth > 0 and fold(state.mentions[nth - 1].text) in _TITLES
    after_verb = nth > 0 and state.mentions[nth - 1].has("deny", "filled", "per")
    return (
        value.ref.concept in PERSONS
        and known
        and not named
        and (small or after_verb or bool(mention.targets))
    )


def _inside_name(state: State, mention: Mention, value: Value) -> bool:
    """Whether one small word is only a syllable inside longer names ("gia hạn" is no "Trần Gia Bảo")."""
    if value.whole or len(mention.text.split()) > 1 or mention.text[:1].isupper():
        return False
    said = fold(mention.text)
    names = [fold(each).split() for each in value.values]
    titled = all(len(each.split()) > 1 and each.istitle() for each in value.values)
    inside = all(said in name[1 if not titled else 0 : -1] and len(name) > 2 for name in names)
    if inside:
        mention.values = ()
        state.missing.append(mention.text)
    return inside


def _is_everyday(state: State, mention: Mention, value: Value) -> bool:
    """Whether the words are those of any question and only look like a value; where it could be one that is said."""
    if _only_looks_alike(state, mention, value):
        if value.whole and not state.wording.careful:
            state.missing.append(mention.text)
        mention.values = ()
        return True
    return mention.has("filler") and _is_english_word(state, mention, value)


def _is_english_word(state: State, mention: Mention, value: Value) -> bool:
    """Whether the words only look like a value without its marks: "the" in an English question is no "Thẻ"."""
    spelled = any(nfc(each).lower() == nfc(mention.text).lower() for each in value.values)
    return not spelled and detect_score(state.wording.text) < 0


def _only_looks_alike(state: State, mention: Mention, value: Value) -> bool:
    """Whether one word without its accents is first of all an everyday one: "tra" (pay) in a sheet with "Trà" (tea)."""
    bare = mention.text
    if len(bare.split()) > 1 or accents(bare) or capital(state, mention) or not mention.labels:
        return False
    return state.schema.bare or any(accents(each) for each in value.values)


def capital(state: State, mention: Mention) -> bool:
    """Whether the words are written as a name inside the sentence."""
    shouted = state.wording.text.isupper()
    return mention.start > 0 and mention.text[:1].isupper() and not shouted
