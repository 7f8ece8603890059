"""Parses what is asked of the products that were just shown: "con nào rẻ hơn?", "cái thứ hai bao nhiêu?"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from troly.text.fold import fold, folded_words, nfc, tokens
from troly.text.match import PhraseHit, spans_of, words_outside
from troly_shopping.products.query import parse_price_limits
from troly_shopping.products.store import Product
from troly_shopping.wordlists import lexicon, word_lists

# Kept in the conversation's metadata: the names and the kinds that were shown last, and how many messages there were.
SHOWN = "shown"
# So many messages later nobody means them any more.
_REMEMBERED = 16
MAX_SHOWN = 8
# Longer messages ask for more than this.
_MAX_CHARS = 120
# The list names the first ones; a number may say any.
_NUMBERED = re.compile(r"(?:thu|so|number|no\.?|#) ?(\d{1,2})(?!\w)")
_ASKED = ("price", "stock", "specs", "link")

Kind = Literal["extreme", "attribute", "each", "compare", "others"]


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question about what was shown.

    `names` are the products in the order shown. `places` are those meant, counted from 1, -1 for the last; empty for
    all. `by` is "cheapest" or "dearest", or for an attribute its name with "+" or "-". `asked` is what is to be told.
    """

    kind: Kind
    names: tuple[str, ...]
    places: tuple[int, ...] = ()
    by: str = ""
    asked: tuple[str, ...] = ()


def shown_in(metadata: Mapping[str, Any], messages: int) -> tuple[str, ...]:
    """The names of the products that were shown in the last few of `messages`."""
    shown = metadata.get(SHOWN)
    if not isinstance(shown, Mapping) or messages - int(shown.get("at", 0)) > _REMEMBERED:
        return ()
    return tuple(str(name) for name in shown.get("names", ()))


def shown_kinds(metadata: Mapping[str, Any], messages: int) -> tuple[str, ...]:
    """Their kinds."""
    return tuple(metadata[SHOWN].get("kinds", ())) if shown_in(metadata, messages) else ()


def remember(metadata: dict[str, Any], products: Sequence[Product], messages: int) -> None:
    """Keep what is shown now in the conversation's metadata."""
    first = products[:MAX_SHOWN]
    names = [product.name for product in first]
    metadata[SHOWN] = {
        "names": names,
        "kinds": list(dict.fromkeys(product.kind for product in first)),
        "at": messages,
    }


def touch(metadata: dict[str, Any], messages: int) -> None:
    """What is asked about again is still meant later."""
    metadata[SHOWN] = {**metadata.get(SHOWN, {}), "at": messages}


def parse_follow_up(text: str, names: tuple[str, ...], shown: Sequence[str]) -> FollowUp | None:
    """The question that `text` asks of the products `names` (of the kinds `shown`); None where it asks for others.

    Anything that narrows the catalogue down anew (another kind, a limit, a word of its own) makes it another question.
    """
    if not names or len(text) > _MAX_CHARS or parse_price_limits(text).places:
        return None
    text = nfc(text)
    sections = [name for name in word_lists("attributes") if name[-1] in "+-"]
    hits = [*lexicon("follow_up", without="filler").find(text), *lexicon("attributes", *sections).find(text)]
    hits += [
        PhraseHit(match[1], match[0], *match.span(), exact=True) for match in _NUMBERED.finditer(fold(text))
    ]
    labels = {hit.label for hit in hits}
    if not labels or not _only(text, hits, shown) or _is_anew(text, labels):
        return None
    return _question(names, hits, labels)


def _question(names: tuple[str, ...], hits: Sequence[PhraseHit], labels: set[str]) -> FollowUp | None:
    places = tuple(sorted({int(label) for label in labels if label.isdigit()} - {0}))
    places += (-1,) if "last" in labels else ()
    asked = tuple(name for name in _ASKED if name in labels)
    attribute = next((hit.label for hit in hits if hit.label[-1] in "+-"), "")
    found: FollowUp | None = None
    if "cheaper others" in labels:
        found = FollowUp("others", names)
    elif attribute:
        found = FollowUp("attribute", names, places, attribute)
    elif labels & {"cheapest", "dearest"}:
        by = "cheapest" if "cheapest" in labels else "dearest"
        found = FollowUp("extreme", names, places, by, asked)
    elif "compare" in labels:
        found = FollowUp("compare", names, places)
    elif places or asked:
        found = FollowUp("each", names, places, asked=asked)
    return found


def _only(text: str, hits: Sequence[PhraseHit], shown: Sequence[str]) -> bool:
    """Whether every word belongs to such a question, or to the kind of goods that was shown."""
    kinds = [hit for hit in lexicon("kinds").find(text) if hit.label in shown]
    fillers = lexicon("follow_up", "filler").find(text)
    return not words_outside(tokens(text), spans_of([*hits, *kinds, *fillers]))


def _is_anew(text: str, labels: set[str]) -> bool:
    """Whether a kind is named and nothing points back or compares: "laptop rẻ nhất" asks the whole catalogue."""
    back = "those" in labels or any(label.isdigit() for label in labels)
    compares = any(word == "hon" or word.endswith("er") for word in folded_words(text))
    return not back and not compares and bool(lexicon("kinds").find(text))
