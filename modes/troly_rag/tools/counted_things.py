"""Counts of persons and things that are no unit ("3 ứng viên", "2 nhân viên và 1 quản lý"), and what a rule pays for each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from troly.text.fold import fold, nfc
from troly.text.numbers import Amount, find_amounts
from troly_rag.corpus.coverage import LEAST_PAY, NUMBERS, UNITS, question_of, text_of

# What stands before a number that counts nothing: a day, an hour, the name of something.
NO_COUNT = r"(?<!thu )(?<!thang )(?<!ngay )(?<!quy )(?<!nam )(?<!luc )(?<!gio )(?<![\w/.,-])"
_NO_NAME = "".join(
    rf"(?<!\b{one} )"
    for one in ("mung", "mong", "tang", "bac", "so", "ma", "loai", "hang", "tuan", "ca", "dot")
)
_PERSON = r"(?:nguoi|nhan vien|nhan su|dong nghiep|ban|em|people|persons?|employees?|staff|colleagues?|members?|friends?)"
_OF_KIND = r"(?:ban|em|anh|chi|vi tri|chuc|cai|chiec)"
# "Nam" is a year and a man too.
_SPELT = [one for one in NUMBERS if one != "nam"]
_SPELT_OUT = frozenset(["một", "hai", "ba", "bốn", "sáu", "bảy", "tám", "chín", "mười", *NUMBERS[10:]])
_COUNT = re.compile(
    rf"{NO_COUNT}{_NO_NAME}(?P<many>\d{{1,3}}|{'|'.join(_SPELT)}) (?P<label>(?:(?P<kind>{_OF_KIND}) )?(?P<thing>{_PERSON}|[a-z]+))\b"
)
_UNIT = re.compile("|".join(words for unit, words in UNITS.items() if unit != "person"))
EVERY = r"(?:cho\s+)?(?:moi|tung|per|an?|each|every|for every|for each)"
_ALL = re.compile(rf"\b(?:ca|all) (\d{{1,3}}|{'|'.join(_SPELT)})\b")
# Of no other kind than the common one; all do as the rule asks of each ("đậu hết" where it says "trúng tuyển").
_COMMON = re.compile(r"\b(?:binh thuong|thuong|ordinary|regular)\b")
_SUCCEED = r"(?:dau|trung tuyen|qua|dat|pass(?:e[sd])?)"
_ALL_PASS = re.compile(
    rf"(\b(?:khong|ko|chua|not) )?\b(?:(?:deu |all )+{_SUCCEED}|{_SUCCEED} (?:het|ca|all))\b"
)
# Whoever does as the words before it say is paid, or pays, what stands behind it.
_PAID = re.compile(r"\b(?:duoc|bi|gets?|receives?|earns?|is paid|are paid|is given|are given)\b")
_BOUND = re.compile(r"\b(?:toi da|toi thieu|tren|duoi|khong qua|den|tu|up to|over|at most|at least|from)\b")
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class Count:
    """So many of something: `told` is "3 ứng viên", `text` that with all up to the next count; a `person` is a count of people."""

    value: Decimal
    told: str
    text: str
    start: int
    person: bool
    spelt: bool


def things_in(text: str) -> list[Count]:
    """The counts of persons and things in `text`, in order."""
    text = nfc(text)
    telling = {token.start: token.end for token in question_of(text).tokens}
    found: list[tuple[int, int, int, int, bool]] = []
    for one in _COUNT.finditer(fold(text)):
        many = text[slice(*one.span("many"))].lower()
        if many.isalpha() and many not in _SPELT_OUT:
            continue  # "tạm" is no "tám"
        person = bool(re.fullmatch(_PERSON, one["thing"]))
        start, end = one.span("thing")
        if not person and start in telling:
            # Most Vietnamese words are two syllables.
            end = telling.get(end + 1, end)
        elif not person and one["kind"] in ("ban", "em"):
            person, end = True, one.end("kind")
        elif not person:
            continue
        if not _UNIT.fullmatch(one["thing"]):
            value = _value(one["many"])
            found.append(
                (one.start(), value, one.start("label"), end, person or one["kind"] in ("ban", "em"))
            )
    ends = [*(one[0] for one in found[1:]), len(text)]
    return [
        Count(
            Decimal(value),
            f"{value} {text[label:end]}",
            text[label:last],
            start,
            person,
            not text[start].isdigit(),
        )
        for (start, value, label, end, person), last in zip(found, ends if found else [], strict=True)
    ]


def _value(number: str) -> int:
    return int(number) if number.isdigit() else NUMBERS.index(number) % 10 + 1


def paid_for_each(sentence: str, question: str) -> list[tuple[Count, Amount]]:
    """What `sentence` pays for each thing that `question` counts, of several kinds for each its own; [] where that cannot be
    said of all of them, or the sentence does not speak of all else that is asked."""
    # What goes on with a question stands before it.
    newest = next((one for one in re.split(r":(?!\d)", question) if things_in(one)), "")
    counts, clauses = things_in(newest), list(_clauses_of(sentence))
    asked = question_of(question)
    several = len(counts) > 1 or any(one.value > 1 for one in counts)
    if not several or not clauses or not asked.keeps_denials(sentence):
        return []
    chosen: list[tuple[str, Amount]] = []
    for count in counts:
        kind = next((one for one in clauses if _is_for(count, *one, clauses)), None)
        if kind is None or kind in chosen:
            return []
        chosen.append(kind)
    said = things_in(question)
    named = {fold(word) for one in said for word in one.told.split() if one.person or word.isdigit()}
    named |= {NUMBERS[int(one.value) - 1] for one in said if one.spelt}
    if (whole := _ALL.search(fold(question))) and _value(whole[1]) == sum(one.value for one in counts):
        named |= set(whole[0].split())
    # Their kind stands in what is said of the counts, that all passed in the newest message.
    read = [_COMMON.search(fold(one.text)) for one in counts if one.person]
    passed = _ALL_PASS.search(fold(newest))
    if passed and passed[1]:
        return []
    read.append(passed if re.search(rf"\b{_SUCCEED}\b", fold(sentence)) else None)
    named |= {word for one in read if one for word in one[0].split()}
    unread = {fold(word) for word in asked.coverage(text_of(sentence)).unread} - named
    # The question names no other case more than those.
    shares = {one: question_of(one[0][: one[1].start]).coverage(text_of(question)).share for one in clauses}
    least = min(shares[one] for one in chosen)
    other = any(shares[one] >= least and _verb(one) is None for one in clauses if one not in chosen)
    return [] if unread or other else [(one, amount) for one, (_, amount) in zip(counts, chosen, strict=True)]


def _clauses_of(sentence: str) -> Iterator[tuple[str, Amount]]:
    """The clauses of a sentence that name a sum of money, each with the first."""
    for clause in re.split(r",(?!\d)|;", sentence):
        paid = [one for one in find_amounts(clause) if one.value >= LEAST_PAY]
        if paid:
            yield clause, paid[0]


def _is_for(count: Count, clause: str, paid: Amount, clauses: Sequence[tuple[str, Amount]]) -> bool:
    """Whether the money of `clause` is for each of what is counted: it is said to be for it, it is paid to who does something
    with it, or the clause only names the kind that is counted, beside one that says so."""
    folded = fold(clause)
    before, after = folded[: paid.start], re.sub(r"^\s*(?:vnd|dong)\b", "", folded[paid.end :])
    if each := re.match(rf"\s*(?:{EVERY}|cho|for) (.+)", after):
        return _speaks_of(clause[len(clause) - len(each[1]) :], count)
    verb, head = _PAID.search(before), next((one for one in clauses if _verb(one)), None)
    if verb is None:
        return head is not None and _is_kind(count, clause[: paid.start], head[0])
    if _BOUND.search(before, verb.end()):
        return False
    of_kind = any(_is_kind(count, one[0][: one[1].start], clause) for one in clauses if not _verb(one))
    return not of_kind and (count.person or _speaks_of(clause[: verb.start()], count))


def _verb(clause: tuple[str, Amount]) -> re.Match[str] | None:
    return _PAID.search(fold(clause[0][: clause[1].start]))


def _is_kind(count: Count, name: str, head: str) -> bool:
    """Whether what is counted is said to be of the kind `name`, by most of what that says beyond the clause `head`."""
    own = " ".join(question_of(name).coverage(text_of(head)).unread)
    return bool(own) and question_of(own).coverage(text_of(count.text)).share >= _HALF


def _speaks_of(text: str, count: Count) -> bool:
    """Whether what is counted stands in `text`: its first two words side by side, in English the first."""
    held, said = text_of(text), text_of(count.text)
    alone = said.language == "en" and said.keys[0] in held.free
    return alone or said.keys[:2] in held.pairs
