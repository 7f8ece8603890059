"""A message as the planner reads it: short spellings written out, slips of the finger put right, cut into words."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from rapidfuzz.distance import OSA

from troly.text.fold import WordToken, accents, nfc, tokens
from troly.text.language import is_syllable
from troly_analysis.planner.lexicon import common, spellings

_LONGEST = 600
# "theo tháng năm 2023" is by month in that year, not by May.
_PERCENT = re.compile(r"(?<![0-9])(?<![0-9] )%")
_MONTHS_OF = re.compile(
    r"((?:theo|từng|tung|mỗi|moi|các|cac|hàng|hang|hằng) (?:tháng|thang))(?= n[ăa]m (?:(?:19|20)[0-9]{2}|nay|ngoái|ngoai|trước|truoc|này|nay|qua|rồi|roi))",
    re.IGNORECASE,
)
_LISTED = (
    r"(?=\s*(?:$|[.?!,;]|n[ăa]m\b|c[ủu]a\b|theo\b|[ởo]\b|t[ạa]i\b|l[àa]\b|th[ìi]\b|c[óo]\b|bao\b|m[ỗo]i\b))"
)
_SINCE = r"\b(?:(?:từ|tu|kể từ|ke tu|tính từ|tinh tu) )?"
_UNTIL = r"(?:đến|den|tới|toi) (?:(?:hết|het|cuối|cuoi) )?(?:tháng|thang) ([0-9]{1,2})(?![0-9/])"
_REWRITES = tuple(
    (re.compile(pattern, re.IGNORECASE), written)
    for pattern, written in (
        # "1-15/10": both days are of that month
        (
            r"(?:\b(?:từ|tu|from) )?(?<![0-9/.-])([0-9]{1,2})\s*[-–]\s*([0-9]{1,2})/([0-9]{1,2})(?![0-9])",
            r"từ \1/\3 đến \2/\3",
        ),
        # "by Tân or over 60": two conditions, where "60 or over" is one
        (r"\bor (over|above|under|below|more than|less than|at least) (?=[0-9])", r"or, \1 "),
        # "từ đầu năm 2026 đến hết tháng 6": the end is of that year too
        (
            rf"{_SINCE}(?:đầu|dau) (?:năm|nam) (20[0-9]{{2}}) {_UNTIL}",
            r"từ tháng 1/\1 đến tháng \2/\1",
        ),
        (
            rf"{_SINCE}(?:đầu|dau) (?:năm|nam)(?: nay)? {_UNTIL}",
            r"từ tháng 1 đến tháng \1",
        ),
        (r"(?<![0-9/.-])(20[0-9]{2})-(0[1-9]|1[0-2])(?![0-9-])", r"\2/\1"),
        (
            rf"\b(tháng|thang) ([0-9]{{1,2}}), ?([0-9]{{1,2}})(?:,| và| va|, và) ?([0-9]{{1,2}}){_LISTED}",
            r"\1 \2, \1 \3 và \1 \4",
        ),
        (
            rf"\b(tháng|thang|quý|quy) ([0-9]{{1,2}})(?: và| va|,| hoặc| &) ?([0-9]{{1,2}}){_LISTED}",
            r"\1 \2 và \1 \3",
        ),
        (r"\b(tháng|thang|quý|quy) ([0-9]{1,2}) (đến|den|tới|toi) ([0-9]{1,2})(?![0-9/])", r"\1 \2 \3 \1 \4"),
        (
            r"\b(?:ngày|ngay) ([0-9]{1,2})(?: và| va|,) ([0-9]{1,2}) (?:tháng|thang) ([0-9]{1,2})\b",
            r"ngày \1/\3 và ngày \2/\3",
        ),
        (
            r"\b(?:ngày|ngay) ([0-9]{1,2})(?: và| va|,) ([0-9]{1,2})/([0-9]{1,2})\b",
            r"ngày \1/\3 và ngày \2/\3",
        ),
        (r"(?<=[0-9])(km|kg|lít|phút|giờ|ngày|cái|đơn|sao|người|suất|ly|bao|thùng)\b", r" \1"),
        *(
            (
                rf"\b({name})[a-z]*\.? ([0-9]{{1,2}})(?:st|nd|rd|th)?\b(?![/:.]?[0-9])(?:, (?=20[0-9]{{2}}))?",
                r"\2 \1 ",
            )
            for name in ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        ),
    )
)
_MARKED = 0.4


@dataclass(frozen=True, slots=True)
class Wording:
    """`text` is the message put right, `words` its words; `repairs` what was changed, as (typed, read as)."""

    text: str
    words: tuple[WordToken, ...]
    careful: bool
    repairs: tuple[tuple[str, str], ...] = ()


def read_wording(message: str, vocabulary: AbstractSet[str]) -> Wording:
    """Read `message`; `vocabulary` are the folded words of the sheet, which are never changed.

    Only the first 600 characters are read: a question is shorter.
    """
    text = _PERCENT.sub(" phần trăm", message)
    text = _MONTHS_OF.sub(r"\1,", nfc(text)[:_LONGEST])
    for pattern, written in _REWRITES:
        text = pattern.sub(written, text)
    typed = tokens(text)
    marked = sum(1 for token in typed if accents(token.text))
    careful = marked >= 2 and marked >= _MARKED * sum(1 for token in typed if token.folded.isalpha())
    parts: list[str] = []
    repairs: list[tuple[str, str]] = []
    at = 0
    for nth, token in enumerate(typed):
        meant = _meant(typed, nth, vocabulary, shouted=text.isupper())
        if meant is None:
            continue
        parts += [text[at : token.start], meant]
        at = token.end
        if token.folded not in spellings():
            repairs.append((text[token.start : token.end], meant))
    read = "".join([*parts, text[at:]])
    return Wording(read, tuple(tokens(read)), careful, tuple(repairs))


def _meant(typed: list[WordToken], nth: int, vocabulary: AbstractSet[str], *, shouted: bool) -> str | None:
    """What a word stands for; None when it stands for itself."""
    token = typed[nth]
    word = token.folded
    if word in vocabulary or not word.isalpha():
        return None
    after_number = len(word) == 1 and nth > 0 and typed[nth - 1].folded[-1:].isdigit()
    if word in spellings() and not after_number and not (accents(token.text) and len(word) > 2):
        return spellings()[word]
    if word in common() or len(word) < 4 or is_syllable(word) or (token.text.isupper() and not shouted):
        return None
    return _nearest(word, vocabulary | common())


def _nearest(word: str, known: AbstractSet[str]) -> str | None:
    """The one known word a slip away: one letter, or two in a long word; None when there is none or several."""
    most = 2 if len(word) >= 8 else 1
    best: list[str] = []
    least = most + 1
    for other in known:
        if len(other) < 4 or abs(len(other) - len(word)) > most or not other.isalpha():
            continue
        if other[0] != word[0] and other[:2] != word[1::-1]:
            continue
        distance = OSA.distance(word, other, score_cutoff=most)
        if distance < least:
            best, least = [other], distance
        elif distance == least <= most:
            best.append(other)
    if len(best) > 1 or len(word) == 4:
        best = [other for other in best if sorted(other) == sorted(word)]
    return best[0] if len(best) == 1 else None
