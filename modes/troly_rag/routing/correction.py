"""A question whose day or figures are taken back: what is corrected stands in the place of what it corrects, the rest stays."""

from __future__ import annotations

import re

from troly.text.fold import fold, nfc
from troly.text.match import blank_out, spans_of
from troly_rag.corpus.coverage import question_of
from troly_rag.routing.lexicons import corrections
from troly_rag.routing.questions import WEEKDAY
from troly_rag.tools.limits import counts_in

_NOT = re.compile(
    r"\b(?:chu )?(?:khong|ko|k|hong|dau) (?:phai |phai la )?(?:vao |ngay |hom )?$|\b(?:and )?not (?:on )?$"
)
_TIME = r"(?:(?:sang|trua|chieu|toi|dem|buoi) )*"
_KIND = re.compile(
    rf"\b{_TIME}(?:{WEEKDAY.pattern})|\b(?:ngay (?:le|thuong|nghi)|public holidays?|working days?|days? off)\b"
)
# Who it was that said so.
_SAID_BY = re.compile(r"\b\w+ (?:bao|noi|keu|dan|yeu cau|xep|said|says|told me|wants me)\b")


def corrected(text: str, before: str) -> str:
    """The question `before` with the day, and the counts beside it, that `text` names in the place of its own; "" where `text`
    corrects none, or it is not certain which."""
    text, before = nfc(text), nfc(before)
    days = [(hit, bool(_NOT.search(fold(text)[: hit.start()]))) for hit in _KIND.finditer(fold(text))]
    meant, rejected = [hit for hit, no in days if not no], [hit[0] for hit, no in days if no]
    asked = list(_KIND.finditer(fold(before)))
    if len(meant) != 1 or len(asked) != 1 or any(_bare(one) != _bare(asked[0][0]) for one in rejected):
        return ""
    if not (rejected or corrections().find(text)) or _bare(meant[0][0]) == _bare(asked[0][0]):
        return ""
    here, there = counts_in(text), counts_in(before)
    places = [(asked[0].span(), text[slice(*meant[0].span())])]
    for count in here:
        same = [one for one in there if one.unit == count.unit]
        if len(same) != 1 or [one.unit for one in here].count(count.unit) > 1:
            return ""
        places.append(((same[0].start, same[0].end), text[count.start : count.end]))
    told = [
        *(hit.span() for hit in _SAID_BY.finditer(fold(text))),
        *(hit.span() for hit, _ in days),
        *((one.start, one.end) for one in here),
        *spans_of(corrections().find(text)),
    ]
    if question_of(blank_out(text, told)).names_something:
        return ""
    for (start, end), new in sorted(places, reverse=True):
        before = f"{before[:start]}{new}{before[end:]}"
    return before


def _bare(day: str) -> str:
    """A day without the word that only leads to it."""
    return re.sub(rf"^{_TIME}(?:(?:on|hom|ngay) (?=thu|chu|\w+day))?", "", day)
