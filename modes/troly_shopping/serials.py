"""Finds serials in a message by evidence: what stands near, what they are made of, and what the table knows."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from math import inf

from troly.text.catalogue import Lang
from troly.text.fold import WordToken, fold, nfc, tokens
from troly.text.match import Lexicon, PhraseHit, spans_of, words_outside
from troly.text.spelling import Corrector
from troly_shopping.strings import say
from troly_shopping.wordlists import lexicon, word_lists

# The documents' expression (000-39) with one boundary more: no letter of any script may touch a serial (C5).
SERIAL = re.compile(
    r"(?<![\w\u0300-\u036f-])(?=[A-Za-z0-9-]*[0-9][A-Za-z0-9-]*)([A-Za-z0-9-]{3,32})(?![\w\u0300-\u036f-])"
)
# A pasted list may be long, a pasted page must not cost seconds: `SerialParse.cut` says where reading stopped short.
MAX_CANDIDATES = 2_000
MAX_TEXT = 40_000
# Codes this short are rarely serials unless something says so.
_SHORT = 5
# Bounded, so that a long run without blanks is read once and not once for each of its characters.
_ADDRESS = re.compile(r"[^\s@]{1,64}@\S{1,255}|(?:https?://|www\.)\S+")
_CODE = re.compile(r"[^\s,;:]+")
# What is said to be the serial that was asked for: "số của nó là abc".
_SAID_TO_BE = re.compile(
    r"(?:serial|seri|số|so|mã|ma|number|code)\b[^,.;?!]{0,16}?\b(?:là|la|is)\s+([A-Za-z][A-Za-z-]{2,31})[\s.!]*$",
    re.IGNORECASE,
)
# What the evidence for a candidate must weigh.
ENOUGH = 3.0


@dataclass(slots=True)
class SerialCandidate:
    """A token that the documents' expression accepts, and the evidence for (+) and against (-) it."""

    text: str
    start: int
    end: int
    evidence: list[tuple[str, float]] = field(default_factory=list)
    known: bool = False

    @property
    def score(self) -> float:
        return sum(weight for _, weight in self.evidence)

    @property
    def labelled(self) -> bool:
        return any(name in {"label", "list"} for name, _ in self.evidence)

    @property
    def lettered(self) -> bool:
        return any(char.isalpha() for char in self.text)

    @property
    def shaped(self) -> bool:
        """Whether it has the shape of a model's name."""
        return any(name == "maybe_model" for name, _ in self.evidence)

    @property
    def brief(self) -> bool:
        """Whether it is as short as a model's name without hyphens: AX1800, G531GT."""
        return len(self.text) <= _BRIEF and _BRIEF_SHAPE.fullmatch(self.text) is not None

    @property
    def chosen(self) -> bool:
        return self.known or self.score >= ENOUGH


@dataclass(frozen=True, slots=True)
class SerialParse:
    """What a message says of serials.

    `serials` are as typed, each once, in order; `sure` when one is known or stands beside a word for serial;
    `attempted` when something was offered as a serial that cannot be one; `bare` when the message is nothing else;
    `cut` when the message was too long to be read whole.
    """

    serials: tuple[str, ...] = ()
    candidates: tuple[SerialCandidate, ...] = ()
    sure: bool = False
    attempted: bool = False
    bare: bool = False
    cut: bool = False

    def reason(self, lang: Lang) -> str:
        """The evidence in one line, for the trace."""
        told = []
        for item in self.candidates[:8]:
            why = ", ".join(say(f"evidence.{name}", lang) for name, _ in item.evidence) or "-"
            told.append(f"{item.text} {'✓' if item.chosen else '✗'} ({why})")
        return "; ".join(told)


def parse_serials(
    text: str,
    *,
    known: Callable[[str], bool],
    modelled: Callable[[str], bool] = lambda _code: False,
    context: bool = False,
    awaiting: bool = False,
) -> SerialParse:
    """The serials of a message (000-39, 000-40, C5).

    `known` says whether the table has a serial, `modelled` whether the catalogue has a product with that code;
    `context` that the message is about a warranty, `awaiting` that a serial was asked for.
    """
    text, cut = nfc(text[:MAX_TEXT]), len(text) > MAX_TEXT
    typed = tokens(text)
    candidates = _candidates(text)
    for item in candidates:
        item.known = known(item.text)
    bare = _is_bare(text, typed, candidates)
    _weigh(text, typed, candidates, bare=bare, modelled=modelled, context=context, awaiting=awaiting)
    chosen = _chosen(text, candidates)
    serials = _each_once(_with_digitless(text, chosen))
    sure = any(item.known or item.labelled for item in chosen)
    attempted = not serials and _attempted(text, typed, awaiting=awaiting)
    cut = cut or len(candidates) == MAX_CANDIDATES
    return SerialParse(serials, tuple(candidates), sure, attempted, bare and bool(serials), cut)


def known_serials(text: str, candidates: Sequence[SerialCandidate]) -> SerialParse:
    """The parse of a message whose `serial_candidates` all stand in the table: they are serials, whatever else it says."""
    for item in candidates:
        item.known = True
        item.evidence.append(("known", 10.0))
    cut = len(text) > MAX_TEXT or len(candidates) == MAX_CANDIDATES
    serials = _each_once(_with_digitless(nfc(text[:MAX_TEXT]), candidates))
    return SerialParse(serials, tuple(candidates), sure=True, cut=cut)


def _each_once(candidates: Sequence[SerialCandidate]) -> tuple[str, ...]:
    """Their texts in order; of one serial in several cases the last stands where the last one does."""
    return tuple({item.text.upper(): item.text for item in reversed(candidates)}.values())[::-1]


def _weigh(
    text: str,
    typed: Sequence[WordToken],
    candidates: Sequence[SerialCandidate],
    *,
    bare: bool,
    modelled: Callable[[str], bool],
    context: bool,
    awaiting: bool,
) -> None:
    """Gather the evidence for and against each candidate."""
    alone = context and _is_alone(text, typed, candidates)
    for item in candidates:
        reason = _judge(text, item, context=context, awaiting=awaiting)
        if bare:
            item.evidence.append(("bare", 2.0 if awaiting else 1.0))
        elif alone and reason in {"", "maybe_model"}:
            item.evidence.append(("alone", 3.0))
        elif len(item.text) <= _SHORT and not awaiting:
            item.evidence.append(("short", -2.0))
        if item.lettered and modelled(item.text):
            item.evidence.append(("modelled", -5.0))
    _judge_neighbours(text, typed, candidates)
    _judge_question(text, candidates)
    _judge_lists(text, candidates)


def _judge(text: str, item: SerialCandidate, *, context: bool, awaiting: bool) -> str:
    """The evidence in the candidate itself; returns what ordinary code it may be, "" if none."""
    reason = ordinary_reason(text, item.start, item.end)
    if item.known:
        item.evidence.append(("known", 10.0))
    _judge_shape(item, shaped=reason == "maybe_model", awaiting=awaiting)
    if context or awaiting:
        item.evidence.append(("awaiting" if awaiting else "context", 2.0))
    if reason:
        item.evidence.append((reason, -2.5 if reason == "maybe_model" else -6.0))
    return reason


def serial_candidates(text: str) -> list[SerialCandidate]:
    """What the documents' expression accepts in `text`, which `parse_serials` will ask `known` for."""
    return _candidates(nfc(text[:MAX_TEXT]))


def _candidates(text: str) -> list[SerialCandidate]:
    addresses = [match.span() for match in _ADDRESS.finditer(text)]
    found = []
    for match in SERIAL.finditer(text):
        start, end = match.span()
        if any(begin <= start < stop for begin, stop in addresses):
            continue
        serial = match.group().strip("-")
        if len(serial) >= 3:
            found.append(SerialCandidate(serial, start, end))
        if len(found) == MAX_CANDIDATES:
            break
    return found


def _chosen(text: str, candidates: Sequence[SerialCandidate]) -> list[SerialCandidate]:
    """A code beside a word for serial outdoes codes that only stand in the same message."""
    chosen = [item for item in candidates if item.chosen]
    if any(item.labelled for item in chosen):
        chosen = [item for item in chosen if item.known or item.labelled]
    return [item for item in chosen if item.known or not _is_split(text, item)]


def _with_digitless(text: str, chosen: Sequence[SerialCandidate]) -> list[SerialCandidate]:
    """`chosen` and what is listed beside a known one and written so, but without a digit: "… và MACBOOK-XX" is not found."""
    without = (SerialCandidate(match[0], *match.span()) for match in _DIGITLESS.finditer(text))
    row = sorted([*chosen, *without], key=lambda item: item.start)
    listed = [pair for pair in pairwise(row) if JOINT.fullmatch(text, pair[0].end, pair[1].start)]
    beside = {item.start for pair in listed if pair[0].known or pair[1].known for item in pair}
    return [item for item in row if any(map(str.isdigit, item.text)) or item.start in beside]


def _is_split(text: str, item: SerialCandidate) -> bool:
    """Whether digits follow capitals apart from them ("ABC 123"): no space is inside a serial, so nothing is guessed."""
    before = re.search(r"(?<![\w-])([A-Z]{2,6})[ _]$", text[max(0, item.start - 9) : item.start])
    lone = before is not None and not _label_lexicon().has(before.group(1), "label")
    return item.text.isdigit() and lone


def _is_bare(text: str, typed: Sequence[WordToken], candidates: Sequence[SerialCandidate]) -> bool:
    """Whether the message is candidates and words that mean nothing more, or that only ask to look them up."""
    spans = [*((item.start, item.end) for item in candidates), *_fillers(text)]
    spans += spans_of(lexicon("serials", "look up").find(text))
    return bool(candidates) and not words_outside(typed, spans)


def _is_alone(text: str, typed: Sequence[WordToken], candidates: Sequence[SerialCandidate]) -> bool:
    """Whether the message asks for the warranty of its one candidate and says nothing else."""
    spans = [*((item.start, item.end) for item in candidates), *_fillers(text)]
    spans += spans_of(_request_lexicon().find(text))
    return len(candidates) == 1 and not words_outside(typed, spans)


def _attempted(text: str, typed: Sequence[WordToken], *, awaiting: bool) -> bool:
    """Whether something that cannot be a serial was offered as one."""
    rest = words_outside(typed, _fillers(text))
    starts = [word.start for word in rest]
    for hit in _label_lexicon().find(text):
        if hit.label == "label":
            at = bisect_left(starts, hit.end)
            if at < len(rest) and _is_code(_chunk_at(text, starts[at])):
                return True
    if awaiting and (said := _SAID_TO_BE.search(text)) and not _fillers(said[1]):
        return True
    return awaiting and 0 < len(rest) <= 3 and any(_is_code(_chunk_at(text, word.start)) for word in rest)


def _chunk_at(text: str, start: int) -> str:
    """The run of characters without spaces or commas around `start`."""
    while start > 0 and not text[start - 1].isspace() and text[start - 1] not in ",;:":
        start -= 1
    match = _CODE.match(text, start)
    return match.group().rstrip(".!?)") if match else ""


def _is_code(chunk: str) -> bool:
    if any(char.isdigit() for char in chunk):
        return True
    letters = [char for char in chunk if char.isalpha()]
    return len(letters) >= 2 and chunk.isascii() and chunk.upper() == chunk


# -- Evidence for a serial and against it: its shape, the words around it, the list it stands in.

# Codes this long are rarely anything but serials.
_LONG = 10
_NEAR_AFTER, _NEAR_BEFORE = 6, 3
_SECTIONS = ("label", "strict label", "no label", "other", "other beside", "other number", "bank", "maker")
_NEAR_OWN, _NEAR_OTHER = 2, 3
# So many phrases and characters around a code can say something of it.
_FEW, _NEARBY = 8, 24
# What says of a labelled code that it is the serial.
_IS = re.compile(r"(?:\blà|\bla|\bis|\bare|[:=])\s*[\"'“(\[]*$", re.IGNORECASE)
_BRIEF, _BRIEF_SHAPE = 6, re.compile(r"[A-Za-z]{1,3}[1-9]\d{1,3}[A-Za-z]{0,3}")
_DIGITLESS = re.compile(r"(?<![\w-])[A-Z]{2,}(?:-[A-Z]{2,})+(?![\w-])")
_NAME = re.compile(r"\s+[^\W\d_]{2,12}\s+")
# Between a family and its model may stand a size or a number: "Nitro 5 AN515-58".
_NUMBERED = re.compile(r"[\s-]*(?:\d{1,2}\s+)?")
# What may stand between two entries of one list: punctuation, "và", a number of the list.
JOINT = re.compile(
    r"[\s,;:|/&+\"'()\[\].-]*(?:(?:và|va|and|với|voi)[\s,;:]+|(?<=\s)\d{1,4}[.)]\s*|[•*#]\s*)?[\s,;]*"
)


def _judge_shape(item: SerialCandidate, *, shaped: bool, awaiting: bool) -> None:
    """Evidence from what the candidate is made of; the length of what is `shaped` as a model says nothing."""
    if item.lettered:
        item.evidence.append(("letters_digits", 2.0))
        if not shaped and len(item.text) >= _LONG and sum(char.isdigit() for char in item.text) >= 3:
            item.evidence.append(("long", 2.0))
    elif len(item.text.replace("-", "")) >= 6:
        item.evidence.append(("digits", 1.0 if awaiting else 0.5))
    else:
        item.evidence.append(("few_digits", -1.0))


def _judge_neighbours(text: str, typed: Sequence[WordToken], candidates: Sequence[SerialCandidate]) -> None:
    """Evidence from the words before and after: labels, other labels, makers."""
    starts = [word.start for word in typed]
    near: dict[str, list[PhraseHit]] = defaultdict(list)
    for hit in _label_lexicon().find(text):
        near[hit.label].append(hit)
    labels, taken = near["label"], _LabelOwners(starts, near["label"], candidates)
    before: SerialCandidate | None = None
    for item in candidates:
        # A question ends what was labelled before it.
        asked = text.rfind("?", 0, item.start)
        near["label"] = [hit for hit in _around(labels, item) if hit.start > asked]
        if before is not None and JOINT.fullmatch(text, before.end, item.start):
            # The next one of a list is what the one before it is.
            item.evidence += [piece for piece in before.evidence if piece[0] in {"label", "other"}]
        else:
            item.evidence += _from_words(text, starts, near, item, taken)
        if _is_made(text, _around(near["maker"], item), item):
            item.evidence.append(("maker", -3.0))
        elif (item.shaped or item.brief) and _distance(starts, near["kind"], item) == 0:
            item.evidence.append(("kind", -3.0 if item.brief else -1.5))
        before = item


def _around(hits: Sequence[PhraseHit], item: SerialCandidate) -> Sequence[PhraseHit]:
    """The few of `hits`, which are in order, that stand nearest `item` on either side."""
    at = bisect_left(hits, item.start, key=lambda hit: hit.start)
    return hits[max(0, at - _FEW) : at + _FEW]


def _is_made(text: str, makers: Sequence[PhraseHit], item: SerialCandidate) -> bool:
    """Whether a maker or a family stands right before it; before what looks like a model, with a name between."""
    for hit in makers:
        between = text[hit.end : item.start] if hit.end <= item.start else "?"
        if _NUMBERED.fullmatch(between):
            return True
        if (item.shaped or item.brief) and _NAME.fullmatch(between) and not _fillers(between):
            return True
    return False


def _judge_question(text: str, candidates: Sequence[SerialCandidate]) -> None:
    """What is asked of a model ("bảo hành mấy năm") is not asked of one machine ("còn bảo hành không").

    Comes after `_judge_neighbours`: of what stands beside a word for serial the question says nothing.
    """
    doubtful = [item for item in candidates if not item.labelled]
    if not doubtful:
        return
    plain = _question_spelling().correct(text).text
    for name, weight in (("of one", 1.5), ("of all", -4.0)):
        if any(lexicon("serials", name).find(said) for said in (text, plain)):
            for item in doubtful:
                item.evidence.append((name.replace(" ", "_"), weight))
            return


class _LabelOwners:
    """Which words for serial have their own code right after them: those say nothing of other codes."""

    def __init__(
        self, starts: Sequence[int], labels: Sequence[PhraseHit], candidates: Sequence[SerialCandidate]
    ) -> None:
        self.by: dict[int, SerialCandidate] = {}
        for item in candidates:
            before = [hit for hit in _around(labels, item) if hit.end <= item.start]
            nearest = max(before, key=lambda hit: hit.end, default=None)
            if nearest is not None and _distance(starts, [nearest], item) <= _NEAR_OWN:
                self.by.setdefault(nearest.start, item)

    def free(self, hit: PhraseHit, item: SerialCandidate) -> bool:
        return self.by.get(hit.start, item) is item


def _from_words(
    text: str,
    starts: Sequence[int],
    near: Mapping[str, Sequence[PhraseHit]],
    item: SerialCandidate,
    taken: _LabelOwners,
) -> list[tuple[str, float]]:
    label, other = _distance(starts, near["label"], item), _distance(starts, near["other"], item)
    if not item.lettered:
        other = min(other, _distance(starts, near["other number"], item))
        other = min(other, _distance(starts, near["bank"], item))
    beside = _distance(starts, near["other beside"], item) == 0
    beside = beside or (not item.lettered and _distance_after(starts, near["bank"], item) <= 1)
    if (other <= _NEAR_OTHER and other < label) or (beside and label > 0):
        return [("other", -6.0)]
    free = [hit for hit in near["label"] if taken.free(hit, item)]
    if (own := _distance(starts, free, item)) <= _NEAR_AFTER:
        found = [("label", 4.0 if own <= _NEAR_OWN else 3.0)]
        strict = _distance(starts, near["strict label"], item) == 0 or _IS.search(
            text[max(0, item.start - _NEARBY) : item.start]
        )
        if strict and not any(name in {"phone", "price", "number"} for name, _ in item.evidence):
            found.append(("strict", 6.0))
        return found
    if _distance_after(starts, free, item) <= _NEAR_BEFORE:
        return [("label", 2.0)]
    if label <= _NEAR_AFTER:
        return [("label", 1.0)]
    return []


def _judge_lists(text: str, candidates: Sequence[SerialCandidate]) -> None:
    """One that stands in a list with a known serial is meant as one, known or not: it must not vanish silently."""
    groups: list[list[SerialCandidate]] = []
    for item in candidates:
        if groups and JOINT.fullmatch(text, groups[-1][-1].end, item.start):
            groups[-1].append(item)
        else:
            groups.append([item])
    for group in groups:
        for one, other in pairwise(group):
            # Machines of one kind are numbered alike, and two models are seldom listed without a word more.
            if one.shaped and other.shaped and _pattern(one.text) == _pattern(other.text):
                one.evidence.append(("series", 1.5))
                other.evidence.append(("series", 1.5))
        if any(item.known for item in group):
            for item in group:
                if not item.known:
                    item.evidence.append(("list", 2.0))


def _pattern(code: str) -> str:
    return re.sub(r"[A-Za-z]", "A", re.sub(r"\d", "9", code))


def _distance(starts: Sequence[int], hits: Sequence[PhraseHit], item: SerialCandidate) -> float:
    """How many words stand between the nearest of `hits` before `item` and `item`."""
    ends = [hit.end for hit in hits if hit.end <= item.start]
    return bisect_left(starts, item.start) - bisect_left(starts, max(ends)) if ends else inf


def _distance_after(starts: Sequence[int], hits: Sequence[PhraseHit], item: SerialCandidate) -> float:
    """The same for the nearest of `hits` after `item`."""
    begins = [hit.start for hit in hits if hit.start >= item.end]
    return bisect_left(starts, min(begins)) - bisect_left(starts, item.end) if begins else inf


def _fillers(text: str) -> list[tuple[int, int]]:
    """Where words stand that mean nothing beside a serial."""
    return spans_of(lexicon("serials", "filler").find(text))


@cache
def _label_lexicon() -> Lexicon:
    """The words beside which a code is a serial, or is none."""
    lists = word_lists("serials")
    return Lexicon({**{name: lists[name] for name in _SECTIONS}, "kind": word_lists("intents")["goods"]})


@cache
def _request_lexicon() -> Lexicon:
    """The words that ask for a warranty."""
    return Lexicon(
        {"warranty": word_lists("intents")["warranty"], "look up": word_lists("serials")["look up"]}
    )


@cache
def _question_spelling() -> Corrector:
    lists = word_lists("serials")
    return Corrector([*lists["of one"], *lists["of all"]])


# -- Ordinary codes: prices, telephone numbers, dates, measures and names of models.

_YEAR = re.compile(r"(?:19|20)\d\d")
_DATE = re.compile(
    r"\d{4}-\d{1,2}(?:-\d{1,2})?|(?:19|20)\d\d-(?:19|20)?\d\d|\d{1,2}-\d{1,2}-\d{2,4}|\d{1,2}-(?:19|20)\d\d|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])"
)
# Mobile, landline, the eleven-digit numbers of before 2018, and service numbers.
_PHONE = re.compile(r"(?:0|84)(?:[35789]\d{8}|2\d{9}|1[2689]\d{8})|1[89]00\d{4,6}")
_MEASURE = re.compile(r"(\d+)([^\W\d_]+)(\d?)")
_ROUND = re.compile(r"[1-9]\d{1,5}000")
_SIZE = re.compile(r"\d+x\d+(?:x\d+)?(?:gb|tb|g|mm|cm|w|hz)?|0x[0-9a-f]+")
# International parcels (UPU S10) and parcels of UPS.
_PARCEL = re.compile(r"[a-z]{2}\d{9}[a-z]{2}|1z[a-z0-9]{16}")
# A word with a small number, as vouchers have them: WELCOME10.
_VOUCHER = re.compile(r"[a-z]{5,}\d{1,3}|[a-z]{3,}20\d\d")
# Names of models are put together of short pieces, numbers of at most four digits: SM-S918B, UX3405MA-PP151W.
_PIECE = re.compile(r"[a-z]{0,4}\d{0,4}(?:[a-z]{1,4}\d?)?")
_MODEL_DIGITS = 7
# A piece of digits alone that is long or begins with 0 counts machines, as in BX-0091-22.
_COUNTED = re.compile(r"0\d+|\d{4,}")
# Laptops and monitors that begin with their size in inches: 16IRX9, 27GR95QE-B.
_SIZED = re.compile(r"(?:1[1-8]|2[1-9]|3[0-4]|4[0-9])[a-z]{1,4}\d{1,3}[a-z]{0,4}(?:-[a-z]{1,2})?")
_TIME = re.compile(r"\d{1,2}[hg]\d{0,2}|\d{1,2}(?:am|pm)|\d{1,2}h\d{2}-\d{1,2}h(?:\d{2})?|\d{1,2}h?-\d{1,2}h")
_QUARTER = re.compile(r"(?:q|quy)[1-4]-?(?:19|20)\d\d|t\d{1,2}-(?:19|20)?\d\d")
_PRICE = re.compile(r"\d{1,4}(?:tr|m|k|cu|ty|ti)\d{0,3}(?:k|tr|d)?")
# What makes a token part of a longer number: 1.000.000, 30/06/2025, 15,5.
_BEFORE = re.compile(r"(?:\d[.,:]|[$€₫+#])$")
_AFTER = re.compile(r"(?:[.,:]\d|\s?[%₫$€]|\s?(?:đồng|dong|vnđ|vnd|usd|đ)(?!\w))", re.IGNORECASE)
# A stroke parts whole codes (AA10020/AA10021), and is part of dates, addresses and fractions (12A/5).
_STROKE_BEFORE = re.compile(r"([A-Za-z0-9-]+)/$")
_STROKE_AFTER = re.compile(r"/([A-Za-z0-9-]+)")
_WHOLE = 5
_UNIT_AFTER = re.compile(r"\s([^\W\d_]+)")


def ordinary_reason(text: str, start: int, end: int) -> str:
    """Why `text[start:end]` is an ordinary code; "" if nothing says so.

    One of `price`, `phone`, `year`, `date`, `number`, `measure`, `parcel`, `model`, and `maybe_model` for what has only
    the shape of a model's name.
    """
    word = fold(text[start:end]).strip("-")
    if not word:
        return ""
    digits = word.replace("-", "")
    for name, expression, subject in (
        ("year", _YEAR, word),
        ("date", _DATE, word),
        ("date", _QUARTER, word),
        ("phone", _PHONE, digits),
        ("price", _PRICE, word),
        ("price", _ROUND, word),
        ("measure", _SIZE, word),
        ("measure", _TIME, word),
        ("parcel", _PARCEL, digits),
    ):
        if expression.fullmatch(subject):
            return name
    beside = _BEFORE.search(text[max(0, start - 2) : start]) or _AFTER.match(text, end)
    if beside or _is_struck(text, start, end):
        return "number"
    measured = _MEASURE.fullmatch(word)
    if measured and measured[2] in (_folded("parted unit") if measured[3] else _folded("unit")):
        return "measure"
    following = _UNIT_AFTER.match(text, end)
    if (
        word.isdigit()
        and following
        and fold(following[1]) in _folded("unit") - {"a", "d", "s", "in", "may", "x"}
    ):
        return "measure"
    return _model_reason(word)


def _model_reason(word: str) -> str:
    """Whether the shape is that of a model: listed, or put together of makers, families, measures and small numbers."""
    if any(model.fullmatch(word) for model in _models("model")):
        return "model"
    shaped = _has_shape(word) or any(model.fullmatch(word) for model in _models("maybe model"))
    return "maybe_model" if shaped else ""


def _has_shape(word: str) -> bool:
    """Whether `word` is built as names of models and vouchers are."""
    parts = word.split("-")
    mixed = any(char.isalpha() for char in word) and any(char.isdigit() for char in word)
    pieces = len(parts) > 1 and all(_PIECE.fullmatch(part) and not _COUNTED.fullmatch(part) for part in parts)
    few = sum(char.isdigit() for char in word) <= _MODEL_DIGITS
    return mixed and bool((pieces and few) or _SIZED.fullmatch(word) or _VOUCHER.fullmatch(word))


def _is_struck(text: str, start: int, end: int) -> bool:
    """Whether a stroke makes `text[start:end]` a part of something longer."""
    beside = [
        found[1]
        for found in (_STROKE_BEFORE.search(text[max(0, start - 33) : start]), _STROKE_AFTER.match(text, end))
        if found
    ]
    codes = [text[start:end], *beside]
    whole = all(len(code) >= _WHOLE and any(char.isdigit() for char in code) for code in codes)
    return bool(beside) and not (whole and any(char.isalpha() for char in "".join(codes)))


@cache
def _folded(section: str) -> frozenset[str]:
    return frozenset(fold(entry) for entry in word_lists("serials")[section])


@cache
def _models(name: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(_expression(fold(model))) for model in word_lists("serials")[name])


def _expression(model: str) -> str:
    """`rtx-9999@` as an expression: up to so many digits, a hyphen or none, letters or none."""
    parts = re.findall(r"9+|@|-|[^9@-]+", model)
    signs = {"@": "[a-z]*", "-": "-?"}
    return "".join(
        rf"\d{{1,{len(part)}}}" if part.startswith("9") else signs.get(part, re.escape(part))
        for part in parts
    )
