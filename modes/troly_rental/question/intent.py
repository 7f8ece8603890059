"""The intent of a message (002-07): a query, a greeting, something unclear, or other talk."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from troly.text.everyday import everyday_phrases
from troly.text.fold import fold, folded_words
from troly_rental.question.vocabulary import Vocabulary

Intent = Literal["QUERY", "GREETING", "CLARIFICATION", "GENERAL_CHAT", "REFUSED"]
_FEW = 4


@dataclass(frozen=True, slots=True)
class IntentSigns:
    """What was found in a message.

    `slots` is the number of conditions, `firm` of those that are more than a kind of dwelling; `telling` says that one
    is nobody's small talk, `entity` that a thing to look for is named, `asked` that figures or an order are asked for,
    `sure` that figures of rooms or one's own records are, `housed` that a house of the asker's own is named.
    """

    slots: int
    firm: int
    telling: bool
    entity: bool
    asked: bool
    sure: bool
    housed: bool = False


def is_sql(text: str) -> bool:
    """Whether `text` holds a statement of SQL, which runs only as one's own query after /sql."""
    return _SQL.search(text) is not None


_SQL = re.compile(
    r"(?is)(?<!\w)(?:"
    r"select\b[^\n]{0,400}?\bfrom\s+(?:users|rooms|contracts|invoices|posts|viewings|buildings|cities|districts|wards"
    r"|amenities|room_\w+|\w+\s*\(|'|\w+\s*(?:;|$|,|where\b|limit\b|order\b|\)))"
    r"|select\s*[(*']|select\s+\w+\s*\(|select\s+\d|union\s+(?:all\s+)?select\b|with\s+recursive\b"
    r"|copy\s+(?:\(|\w+\s+to\b)|attach\s+'|install\s+\w+\s*;|export\s+database|grant\s+(?:all|select)"
    r"|insert\s+into|delete\s+from|update\s+\w+\s+set\b|drop\s+(?:table|database|view)|alter\s+table|create\s+table"
    r"|truncate\s+table|set\s+\w+\s*=|pragma\s+\w+)"
)


_PRIVATE = ("invoice", "contract", "revenue", "collected", "debt")
"""What of all or of other landlords is theirs; what their rooms cost is told to everybody."""


def is_forbidden(vocabulary: Vocabulary, text: str, *, own: bool = False) -> bool:
    """Whether data is to be changed, or what belongs to others is to be shown; a filter may be deleted. Who lives in a house
    of their `own` may be asked by a landlord.
    """
    if vocabulary.find(text, "talk", "forbidden", "contact") or is_sql(text):
        return True
    if any(_is_order(text, hit.start) for hit in vocabulary.find(text, "talk", "change")):
        return True
    if vocabulary.find(text, "talk", "landlords") and vocabulary.find(text, "asks", *_PRIVATE):
        return True
    vacant = vocabulary.find(text, "asks", "status room available")  # "chưa ai thuê"
    others = [
        hit
        for hit in vocabulary.find(text, "talk", "others")
        if not any(one.start <= hit.start and hit.end <= one.end for one in vacant)
    ]
    if others and not (own or vocabulary.owned(text)):
        return True
    writes = [hit for hit in vocabulary.find(text, "talk", "write") if _is_order(text, hit.start)]
    return bool(
        writes and vocabulary.find(text, "talk", "records") and not vocabulary.find(text, "talk", "filters")
    )


_ASKS_BEFORE = re.compile(
    r"(?<!\w)(?:nao|ai|bao nhieu|lam sao|lam the nao|tai sao|vi sao|khi nao|which|what|who|how|why|when|any)(?!\w)"
    r"|^\W*(?:is|are|do|does|did|can (?!you)|could (?!you)|may|should|will (?!you))"
)
_ASKS_AFTER = re.compile(
    r"(?<!\w)(?:khong|ko|chua|bao nhieu|bao lau|lam sao|the nao|ra sao)\W*(?:nhi|a|vay|the)?\W*$"
)
_BEGS = re.compile(r"(?<!\w)(?:giup|gium|dum|hay|please|for me|cho (?:toi|minh|em|anh|chi))(?!\w)")


def _is_order(text: str, at: int) -> bool:
    """Whether the words at `at` are ordered to be done, not asked about: "giảm giá phòng 3 đi", not "chỗ nào giảm giá phòng"."""
    before, after = fold(text[:at]), fold(text[at:])
    if _ASKS_BEFORE.search(before):
        return False
    return not _ASKS_AFTER.search(after) or bool(_BEGS.search(f"{before} {after}"))


def classify_intent(vocabulary: Vocabulary, text: str, signs: IntentSigns) -> Intent:
    """The kind of `text`, by what stands in it. "REFUSED" is a wish to change data or to see what belongs to others."""
    if is_forbidden(vocabulary, text, own=signs.housed):
        return "REFUSED"
    hits = {hit.label for hit in vocabulary.find(text, "talk")}
    few = len(folded_words(text)) <= _FEW
    chat = "you" in hits and not signs.entity and signs.slots <= 1
    if not signs.sure and (chat or ("how to" in hits and not signs.firm)):
        return "GENERAL_CHAT"
    sought = signs.slots and (signs.entity or signs.asked or few or "find" in hits)
    if signs.sure or signs.slots > 1 or signs.telling or sought:
        return "QUERY"
    talk = {hit.label for hit in everyday_phrases(text)}
    if "greeting" in talk and (few or not signs.entity):
        return "GREETING"
    if signs.entity or {"thanks", "bye"} & talk:
        return "GENERAL_CHAT" if {"thanks", "bye"} & talk else "QUERY"
    return "CLARIFICATION" if signs.asked or signs.slots or {"find", "vague"} & hits else "GENERAL_CHAT"
