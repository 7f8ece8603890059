"""A sheet's name in quotes inside a message: it says which sheet is meant, and nothing of what is asked of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from troly.text.fold import fold
from troly_analysis.types import Sheet

# The quotes that people and completion put around a name; an apostrophe is too often something else.
_QUOTED = re.compile(r'"([^"\n]{1,200})"|“([^”\n]{1,200})”|«([^»\n]{1,200})»')
_BEFORE = re.compile(
    r"(?:^|(?<=\s))(?:trong |của |từ |ở |of |in |from )?(?:bảng|bang|sheet|table)\s+$", re.IGNORECASE
)


def without_sheet(text: str, sheets: Sequence[Sheet]) -> tuple[str, str]:
    """`text` with blanks in place of the one sheet that it names in quotes, and that sheet's name ("" for none).

    Offsets stay as they were. Two different sheets in quotes are left to whoever reads the message.
    """
    names = {fold(sheet.name): sheet.name for sheet in sheets}
    hits = [match for match in _QUOTED.finditer(text) if _key(match) in names]
    if len({_key(match) for match in hits}) != 1:
        return text, ""
    for match in hits:
        before = _BEFORE.search(text[: match.start()])
        start = before.start() if before else match.start()
        text = text[:start] + " " * (match.end() - start) + text[match.end() :]
    return text, names[_key(hits[0])]


def _key(match: re.Match[str]) -> str:
    return fold(" ".join(next(group for group in match.groups() if group is not None).split()))
