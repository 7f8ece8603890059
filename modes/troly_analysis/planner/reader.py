"""Reads a message over one sheet: what each of its words says, and which of them say nothing that was understood.

`Reader.read` goes over the message in a fixed order and gives every mention one role; what has none in the end and is no
word of courtesy is `Parts.unread`, and no figure is shown beside it. What is read first cannot be taken for something
else: days before numbers ("5/10" is no amount), numbers before values ("trên 5" is no product "5"), values before
groups and figures.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Any, Literal

from troly.text.fold import accents, accents_agree, fold, folded_words, nfc, tokens, words
from troly.text.language import is_syllable
from troly_analysis.planner.lexicon import (
    alike_values,
    bare_figures,
    concept,
    concepts,
    kinds,
    measures,
    says,
    spellings_of,
    turn_words,
    unit_words,
)
from troly_analysis.planner.mentions import (
    Mention,
    find_mentions,
    leftovers,
    long_values,
    read_wording,
    words_of_values,
)
from troly_analysis.planner.periods import When, read_hours, read_periods, read_weekdays
from troly_analysis.planner.schema import (
    Schema,
    Target,
    Value,
    code_name,
    holds_kinds_of,
    is_amount,
    is_code,
    lost_values,
    metric_measure,
    side_before,
    side_of,
)
from troly_analysis.planner.types import (
    FOCUS_ROWS,
    Chart,
    Condition,
    Group,
    Lookup,
    Measure,
    Note,
    Op,
    Ref,
    averaged,
    values_of,
)
from troly_analysis.types import NUMERIC, TEMPORAL, Operation

GOODS = frozenset({"product", "crop", "book", "category", "brand", "size", "color"})
PERSONS = (
    "employee", "driver", "doctor", "teacher", "trainer", "student", "customer", "patient", "reader", "pet owner", "author",
    "resident", "donor", "player",
)  # fmt: skip
"""The concepts of columns that hold persons."""
STAFF = frozenset({"employee", "driver", "doctor", "teacher", "trainer"})
STATES = frozenset({"status", "reason", "gender", "priority"})
PLACES = frozenset({"province", "region", "district", "country"})
_WAYS, _SITES = frozenset({"platform", "payment", "carrier"}), frozenset({"branch", "warehouse"})
_NAMED_KINDS = PLACES | _WAYS | _SITES
_LONGEST_NAME, _MOST_LACKING = 4, 3
_LINKS = frozenset({"filler", "verb"})
_SIGNS: tuple[Op, ...] = ("gte", "lte", "gt", "lt", "eq")
_DENIED: dict[Op, Op] = {"gt": "lte", "lte": "gt", "lt": "gte", "gte": "lt", "eq": "ne"}
_OPS: tuple[Operation, ...] = ("sum", "avg", "max", "min")
_NAMED, _CLOSE, _MOST, _COLUMN = 0.95, 0.035, 1000, 0.6
_NAME = frozenset({"ten", "tên", "name", "names"})
_PIECES = frozenset({"con", "cai", "mon", "mau", "thu", "loai", "which"})
_GROUP = frozenset({"nhom", "group"})
_PERSON, _KIND = Ref("", concept="person"), Ref("", concept="kind")
"""What "người", "nhóm" name, which are no columns."""
_ANY_GROUP = frozenset({"nhom", "group", "tui", "dam"})
_MONEY = frozenset({"", "VND", "USD", "EUR"})
"""The units of an amount of money; a bare number may be one."""
_LEFT = frozenset(
    {"con", "chi con", "con lai", "con co", "chi con co", "con ton", "con hang", "dang con", "left"}
)
_WARES = frozenset({"mon", "mat hang", "mau"})
_MANY = frozenset({"nhieu", "it", "most", "fewest", "dong", "more", "fewer", "least"})
# "trống" typed without accents is "trong" before what it names: "còn trong kho".
_INSIDE = frozenset({"trong", "con trong"})
_STATE_OF_GOODS = ("running out", "sold out", "in stock", "seller", "slow seller")
_WHOLE = frozenset({"ca", "tron", "nguyen", "the whole"})
_LISTING = frozenset({"liet ke", "ke", "ke ra", "danh sach", "list"})
_FULL = frozenset({"du", "day du"})
_REST = frozenset({"con lai", "kia", "remaining"})
_OF = frozenset({"cua", "of the", "for the"})
_ASKING_UNIT = ("which", "number", "that", "pointer", "earliest", "latest", "max", "min")
_WHATEVER = frozenset({"mọi", "bất kể", "bất kỳ", "bất kì", "whatever", "regardless of"})
_YES_NO = frozenset({"co", "khong", "yes", "no", "true", "false", "roi", "chua"})
_MONEY_WORDS = frozenset({"tien", "so tien", "khoan tien", "muc", "khoan", "tong so tien"})
_COUNTED_IN = frozenset({"tinh", "gom", "cong", "ke"})
_ASKED_OF = (
    "which", "by", "per", "max", "min", "list", "top", "share", "each", "compare", "latest", "earliest",
)  # fmt: skip
_ENDS = ("which", "which one", "max", "min", "superlative", "top", "bottom", "seller", "slow seller")
_AHEAD = frozenset({"that", "this", "the same", "same", "those", "these"})
_OF_WHOLE = frozenset({"trăm", "tram", "percent", "of", "percentage"})
_TAKES = frozenset({"chiem", "gop", "contribute", "account"})
_FRAMES = frozenset({"o", "tai", "trong", "cua", "voi", "tren", "ben", "in", "at", "from", "of", "among"})
_CENTRE = frozenset({"ni", "rứa", "rua", "chừ", "mô", "nớ", "ri", "răng", "tê", "hè", "hỉ", "bây", "nỏ"})
"""Words of who speaks as in the centre of the country."""
_TIMES = (("ngay ", "day"), ("tuan ", "week"), ("thang ", "month"), ("quy ", "quarter"), ("nam ", "year"))
_TITLES = frozenset({
    "cua", "anh", "chi", "em", "ong", "ba", "co", "chu", "bac", "thay", "by", "of", "mr", "ms", "khach", "ban",
    "nhan", "vien",
})  # fmt: skip
_CALLED = frozenset({"anh", "chi", "em", "ong", "ba", "co", "chu", "bac", "thay", "mr", "ms"})
_NOTHING = Mention(0, 0, "")
FIGURES = frozenset({*NUMERIC, "metric"})
NAMES = frozenset({"text", "boolean", "list"})


_SENTENCE_END = re.compile(r"[!?…\n]|(?:\d|(?=[^\W\d_]*[aeiouyà-ỹ])[^\W\d_]+)\.(?=\s)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pointer:
    """Something shown that a message points at: the only thing (`place` 0), the one at a place from the top ("cái thứ
    hai"), or so many of them (`count`, 0 for all); with the column that its noun names, and the end it is said to be
    ("tỉnh ít nhất đó": min).
    """

    place: int = 0
    count: int = 1
    ref: Ref | None = None
    end: Literal["max", "min", ""] = ""
    there: bool = False
    """Whether a place is meant, which no day and no figure is."""
    out: bool = False
    """Whether it is to be left out: "bỏ kênh đó ra"."""

    @property
    def both(self) -> bool:
        """Whether two things are meant."""
        return self.count == 2


@dataclass(slots=True)
class Parts:
    """What the words of a message say, each for itself; the builder makes a query of them.

    `measures` are the figures that were named, `op` an operation said of no figure in particular, `extremes` the ends
    asked for ("cao nhất": max) and `adjectives` what such a word is about by itself ("đắt nhất": price).
    """

    when: When = field(default_factory=When)
    conditions: list[Condition] = field(default_factory=list)
    numbers: list[tuple[Condition, bool]] = field(default_factory=list)
    """Conditions on figures, and whether the rows themselves were named right before ("đơn trên 1 triệu")."""
    groups: list[Group] = field(default_factory=list)
    loose: list[Group] = field(default_factory=list)
    """Columns that are only named, as dimensions ("sản phẩm bán chạy nhất")."""
    outer: list[Group] = field(default_factory=list)
    """The groups of which each is spoken of ("mỗi kênh", "theo kênh") and none is asked for ("kênh nào")."""
    per: list[Group] = field(default_factory=list)
    per_row: bool = False
    measures: list[Measure] = field(default_factory=list)
    op: Operation | None = None
    extremes: list[Literal["max", "min"]] = field(default_factory=list)
    adjectives: list[str] = field(default_factory=list)
    limit: int = 0
    rank: int = 0
    order: Literal["asc", "desc", ""] = ""
    rows: str = ""
    """What a row was called ("đơn"), "" where none was."""
    chart: Chart | Literal["any", ""] = ""
    spoken: dict[str, str] = field(default_factory=dict)
    """The words that were read with each label, as typed."""
    labels: frozenset[str] = frozenset()
    """The labels of all words that were read, for what has no place of its own ("share", "growth", "seller")."""
    unread: tuple[str, ...] = ()
    understood: tuple[str, ...] = ()
    weight: float = 0.0
    notes: list[Note] = field(default_factory=list)
    question: Note | None = None
    options: tuple[str, ...] = ()
    pending: str = ""
    words: int = 0
    joined: bool = False
    """Whether figures that are named stand side by side ("doanh thu và số lượng")."""
    ratio: bool = False
    """Whether one figure is asked for on each of another ("cost per lead")."""
    asks: int = 0
    """How many times "bao nhiêu", "how much" is asked."""
    picks: Literal["row", "thing", ""] = ""
    """For an end that is said of a thing itself and of no figure ("cái rẻ nhất"): whether its noun means a row."""
    many: bool = False
    """Whether an end is of how many ("nhiều nhất") and not of how high."""
    repeated: bool = False
    """Whether a figure is named again ("doanh thu Shopee và doanh thu Lazada"), so that each is asked for."""
    share_of: str = ""
    """The words of the value whose share is asked for, where several are named: "COD" of "ở Cần Thơ, bao nhiêu % … COD"."""
    of_whole: bool = False
    """Whether the values that are named bound the whole of a share: "chiếm mấy phần trăm tổng đơn của Hà Nội"."""
    sized: bool = False
    """Whether an end is said of the size of the rows ("đơn lớn nhất của khách nào"), so that one of them is asked for."""
    whole_first: bool = False
    """Whether the figure that others are a part of is named first ("what percentage of revenue is shipping")."""
    rows_first: bool = False
    """Whether the rows are named before the figure ("sản phẩm có giá vốn cao nhất"), so that they are asked for."""
    counted_state: bool = False
    """Whether the rows in a state are what is counted ("mấy đơn hủy")."""
    each: bool = False
    """Whether a figure is asked for of each of what no noun names: "how many of each", "mỗi cái"."""
    corrects: bool = False
    """Whether it says that something else was meant ("chứ không phải số đơn")."""
    kept: list[str] = field(default_factory=list)
    """The units of time of the question before that it points at ("tháng đó", "3 month" for three, "any" for "thời gian
    đó"), "" for its rows ("trong đó").
    """
    several: bool = False
    """Whether more than one row is pointed at: "mấy đơn đó"."""
    pointer: Pointer | None = None
    added: list[Condition] = field(default_factory=list)
    """The values that are to be counted in as well ("cộng thêm Website", "tính cả đơn hủy")."""
    adds_days: bool = False
    """Whether its days are to be counted in with those asked about before ("thêm cả tháng 9")."""
    denied: list[tuple[Ref, str]] = field(default_factory=list)
    """The values that are left out, each with its column."""
    owner: Ref | None = None
    """The column of whose value something is left out ("trừ đơn huỷ của Lazada")."""
    row_key: Condition | None = None
    """The code of the one row that is spoken of: what else is named are its columns."""
    counted_unit: bool = False
    """Whether the days, months … that pass a bound are what is counted."""
    counted_value: bool = False
    """Whether a value of the sheet is what is counted ("bao nhiêu panadol", "bao nhiêu cuộn")."""
    every: list[Group] = field(default_factory=list)
    """Columns of which any value is meant ("mọi hạng"), days with a unit of time."""
    evidence: float = 0.0
    """How much the message speaks of data: the sheet's own names, then words of figures."""
    facts: list[str] = field(default_factory=list)
    """Words that are a period, or a whole value of a column, for a model: facts, never guesses."""
    stands_in: list[tuple[str, str, str]] = field(default_factory=list)
    """The values of those facts, each with its column and the sheet that has it."""
    figures_unread: list[str] = field(default_factory=list)
    """What was not read that stands in a list of figures as one of them."""
    absent: dict[str, tuple[str, tuple[Ref, ...]]] = field(default_factory=dict)
    """What was not read that is a name by its place in the sentence, and the columns that do not hold it: "ở Cà Mau"."""
    message: str = ""
    respelt: tuple[tuple[str, str], ...] = ()
    """What of the message was read in another way, as (typed, read as)."""

    def own_words(self, text: str) -> str:
        """A part of the message as it was read, in the words that were typed."""
        text = " ".join(text.split())
        for typed, meant in reversed(self.respelt):
            if typed and meant and fold(text) not in self.message:
                pattern = rf"(?<!\w){re.escape(meant)}(?!\w)"
                text = re.sub(pattern, typed.replace("\\", r"\\"), text)
        return text

    def has(self, *labels: str) -> bool:
        """Whether any word that was read means one of `labels`."""
        return not self.labels.isdisjoint(labels)


def read_question(
    message: str,
    schema: Schema,
    today: date,
    choices: Mapping[str, str],
    lookup: Lookup | None = None,
    *,
    about: Ref | None = None,
) -> Parts:
    """Read `message` as a question over the schema's sheet; `choices` are what was picked where words left a choice, `about` the
    column whose values were spoken of last, which "bên nào", "cái nào" mean.
    """
    reader = Reader(message, schema, today, choices, lookup)
    reader.about = about
    return reader.read()


class Reader:
    """One message over one sheet while it is read."""

    def __init__(
        self,
        message: str,
        schema: Schema,
        today: date,
        choices: Mapping[str, str],
        lookup: Lookup | None = None,
    ) -> None:
        self.schema, self.today, self.choices = schema, today, choices
        self.told: set[str] = set()
        self.asked_both = False
        self.items: list[tuple[int, Measure]] = []
        """The figures in the order of the question, each time that one is named, and where."""
        self.held: list[tuple[int, Condition, bool]] = []
        """The conditions by values, each where it stands and whether it is denied; before they are put together."""
        self.bounds: list[tuple[int, Condition]] = []
        """The conditions by amounts and stock, each where it stands."""
        self.about: Ref | None = None
        self.named = False
        """Whether a name was asked for and found ("tên khách")."""
        self.centre = not _CENTRE.isdisjoint(token.text for token in tokens(nfc(message).lower()))
        self.wording = read_wording(message, schema.names, schema.values)
        if kept := words_of_values(message, self.wording, schema, lookup):
            self.wording = read_wording(message, schema.names, schema.values, kept=kept)
        self.mentions = find_mentions(self.wording, schema, today)
        if extra := long_values(self.wording, schema, self.mentions, lookup):
            self.mentions = find_mentions(self.wording, schema, today, extra)
        self._names_go_on()
        said, words = " ".join(fold(message).split()), len(self.wording.words)
        self.parts = Parts(words=words, message=said, respelt=self.wording.respelt)
        for typed, meant in self.wording.repairs:
            self.note("read_as", typed=typed, meant=meant)

    def _names_go_on(self) -> None:
        """Two words with capitals side by side of which one says nothing of the sheet are one name: "Van" of "Ninja Van" is no
        "vẫn", "Mai" of "Sao Mai" nobody; a title opens no name.
        """
        typed, text = self.wording.words, self.wording.text
        held = {at: nth for nth, each in enumerate(self.mentions) for at in range(each.start, each.end)}
        capital = [text[word.start].isupper() for word in typed]

        def vague(at: int, *, empty: bool) -> bool:
            each = self.mentions[held[at]] if at in held else None
            if each is None or (typed[at].folded in _TITLES and empty):
                return each is None
            meant = each.targets or each.values or each.labels - _LINKS
            return not (self.sure(held[at]) or any(v.whole for v in each.values) or (empty and meant))

        for at in range(1, len(typed) - 1 if 2 * sum(capital) <= len(typed) else 0):
            apart = text[typed[at].end : typed[at + 1].start].strip() or not (capital[at] and capital[at + 1])
            pair = [self.mentions[held[nth]] for nth in (at, at + 1) if nth in held]
            refs = [{value.ref for value in each.values} for each in pair]
            shared = len(refs) == 2 and bool(refs[0] & refs[1])
            other = any(refs) and not shared and not any(each.targets for each in pair)
            other = other or vague(at, empty=True) or vague(at + 1, empty=True)
            if not apart and other and vague(at, empty=False) and vague(at + 1, empty=False):
                for each in pair:
                    each.labels, each.targets, each.values = frozenset(), (), ()

    def _which_contact(self) -> None:
        """ "Số điện thoại mấy": what nothing is counted in, a telephone or a code, is asked for itself."""
        for at in range(1, len(self.mentions)):
            target = self.dimension(at - 1)
            ref = target.ref if target and self.has(at, "count") else None
            alone = self.at(at + 1).start != self.mentions[at].end or self._comma(at)
            if ref and alone and self.schema.key(ref).is_contact:
                self.mentions[at].labels = frozenset({"which"})

    def _names_asked(self) -> None:
        """ "Tên khách", "NV012 tên gì": the column of the names of what a noun beside or a code says, here or in a joined sheet."""
        held = {at for each in self.mentions if each.means for at in range(each.start, each.end)}
        for at, word in enumerate(self.wording.words):
            if at in held or word.folded not in _NAME:
                continue
            beside = [nth for nth, each in enumerate(self.mentions) if at + 1 == each.start or at == each.end]
            nouns = [
                nth for nth in beside if self.mentions[nth].role in {"", "loose"} and self.dimension(nth)
            ]
            codes = [each.ref for each in self.parts.conditions if each.op == "eq" and code_name(each.ref)]
            about = [target.concept for nth in nouns if (target := self.dimension(nth))]
            who = (
                each.concept for one in self.mentions for each in one.targets[:1] if each.concept in PERSONS
            )
            about = about or [*who, *(ref.concept for ref in codes)]
            named = [ref for name in about[:1] for ref in self.schema.by_concept.get(name, ())]
            named = [ref for ref in named if ref.kind == "text" and ref.concept and not code_name(ref)]
            if codes and named:
                self.parts.groups.append(Group(min(named, key=lambda ref: bool(ref.sheet))))
                self.named = True
                self.take("head", *nouns)

    def read(self) -> Parts:
        """Give every mention its role, in the order that the module's text explains."""
        self._charts()
        self._tied()
        self._which_contact()
        self._usual()
        self._pointers()
        self._superlatives()
        self._hurried()
        self._ranks()
        self._plurals()
        self.parts.when = read_periods(self)
        dated = [at for at, each in enumerate(self.mentions) if each.period and each.role == "period"]
        said = ((self.mentions[at].text, self.mentions[at].period) for at in dated)
        _, last = self.schema.sheet.span or (None, self.today)
        for text, days in said:
            if days:
                short = f" (data until {last})" if last < min(days.end, self.today) else ""
                self.parts.facts.append(f"“{text}” = {days.start} .. {days.end}{short}")
        adds = [self._counted_in(at) for at in dated]
        self.parts.adds_days = bool(adds) and min(adds) >= 0
        self.take("frame", *(at for at in adds if at >= 0))
        self.parts.conditions += [*read_weekdays(self), *read_hours(self)]
        self._blanks()
        self._every()
        for at, mention in enumerate(self.mentions):
            if mention.amount is not None and not mention.role:
                self._number(at)
        self._sold_out()
        self._values()
        self._net()
        self._names_asked()
        self._groups()
        self._measures()
        self._persons()
        self._loose()
        self._rest()
        ends = self.any("latest", "earliest", "oldest") and not (self.parts.measures or self.parts.extremes)
        if ends and self.parts.rows and self.any("which"):  # "đơn mới nhất là đơn nào, đặt hôm nào"
            self.parts.groups = [each for each in self.parts.groups if each.unit != "day"]
        return self.parts

    # --- words and their neighbours

    def note(self, key: str, **params: Any) -> None:
        """Add an assumption to be shown, once."""
        found = Note(key, params)
        if found not in self.parts.notes:
            self.parts.notes.append(found)

    def ask(self, key: str, pending: str, options: tuple[str, ...], **params: Any) -> None:
        """Put a question to the person, unless one is put already."""
        if self.parts.question is None:
            self.parts.question = Note(key, {**params, "options": options})
            self.parts.options, self.parts.pending = options, fold(pending)

    def take(self, role: str, *places: int) -> None:
        """Say what the mentions at `places` were read as; the first role stays."""
        for at in places:
            self.mentions[at].role = self.mentions[at].role or role

    @property
    def places(self) -> range:
        """The places of all mentions."""
        return range(len(self.mentions))

    def at(self, place: int) -> Mention:
        """The mention at `place`; beyond the ends one that means nothing."""
        return self.mentions[place] if 0 <= place < len(self.mentions) else _NOTHING

    def has(self, at: int, *labels: str) -> bool:
        """Whether the mention at `at` means one of `labels`: what names a column or value surely means only that."""
        return self.at(at).has(*labels) and not self.sure(at)

    def any(self, *labels: str) -> bool:
        """Whether any word of the message means one of `labels`."""
        return any(self.has(at, *labels) for at in self.places)

    def sure(self, at: int) -> bool:
        """Whether the mention surely names a column, a value, a period or an amount, whatever its words mean else."""
        mention = self.at(at)
        if mention.period or mention.amount or mention.hours:
            return True
        value = mention.values[0] if mention.values else None
        if value and value.whole and value.weight >= _NAMED and mention.role != "frame":
            spelled = any(nfc(each).lower() == nfc(mention.text).lower() for each in value.values)
            return not mention.labels or (spelled and mention.said not in _YES_NO)
        return mention.weight >= _NAMED

    def is_link(self, at: int) -> bool:
        """Whether the mention only ties others together."""
        mention = self.at(at)
        return not mention.means and bool(mention.labels & _LINKS) and not mention.has("count")

    def around(self, at: int, step: Literal[-1, 1], reach: int = 3) -> Iterator[int]:
        """The places before or after `at`, nearest first, links left out; it stops at words nothing was found for."""
        nth, seen, edge = at + step, 0, self.mentions[at]
        while 0 <= nth < len(self.mentions) and seen < reach:
            mention = self.mentions[nth]
            if (mention.start != edge.end) if step == 1 else (mention.end != edge.start):
                return
            edge = mention
            if not self.is_link(nth):
                seen += 1
                yield nth
            nth += step

    def beside(self, at: int, step: Literal[-1, 1]) -> int:
        """The place next to `at`, links left out; -1 for none."""
        return next(self.around(at, step, 1), -1)

    def sides(self, at: int) -> list[int]:
        """The places next to `at`, links left out: behind it, then before it."""
        return [place for place in (self.beside(at, 1), self.beside(at, -1)) if place >= 0]

    def free(self, *labels: str) -> Iterator[int]:
        """The places that have no role yet, with labels of what means one of them."""
        places = (at for at in self.places if not self.mentions[at].role)
        return (at for at in places if not labels or self.has(at, *labels))

    # --- what a mention can name

    def chosen(self, at: int, kinds: frozenset[str]) -> Target | None:
        """The column or metric of these kinds that a mention means best; asks when several fit equally. None for none."""
        mention = self.at(at)
        fitting = [each for each in mention.targets if _kind(each) in kinds]
        if not fitting or mention.targets[0].weight - fitting[0].weight >= 0.2:
            return None
        best = [each for each in fitting if fitting[0].weight - each.weight < _CLOSE]
        best = [each for each in best if not (each.ref and each.ref.kind == "boolean")] or best
        picked = self.choices.get(mention.said)
        if picked:
            best = [each for each in fitting if each.ref and each.ref.name == picked] or best
        names = tuple(dict.fromkeys(each.ref.name for each in best if each.ref))
        alike = {each.concept if each.concept and _kind(each) not in NUMERIC else each.key for each in best}
        if len(names) > 1 and len(best) == len(names) and len(alike) > 1:
            self.ask("which_field", mention.text, names[:4], said=mention.text)
        return best[0]

    def figure(self, at: int) -> Target | None:
        """The number column or metric that a mention means; None when its best reading is none."""
        best = self.at(at).best
        if any(_kind(each) in FIGURES and not self._coded(each.ref) for each in best):
            found = self.chosen(at, FIGURES)
            return None if found is None or self._coded(found.ref) else found
        return None

    def noun(self, at: int) -> str:
        """What a mention names, as the lists write it: "don" is "đơn" in an answer."""
        text = self.at(at).text
        for target in self.at(at).targets[:1]:
            known = concept(target.concept)
            return next((each for each in (known.phrases if known else ()) if fold(each) == fold(text)), text)
        return text

    def is_rows(self, at: int) -> bool:
        """Whether the mention names what a row of the sheet is."""
        mention = self.at(at)
        rows = next((each for each in mention.targets if each.key == "rows"), None)
        if rows is None:
            return not mention.targets and not mention.values and mention.has("rows")
        return rows.weight >= mention.targets[0].weight - 0.08

    def dimension(self, at: int) -> Target | None:
        """The column of names that a mention means: text, yes or no, or a number with few values that names things."""
        best = self.at(at).best
        names = [each for each in best if each.ref and each.ref.kind in NAMES]
        if not names:
            return None
        picked = self.chosen(at, NAMES)
        return picked if picked and picked.ref else names[0]

    def group(self, at: int) -> Group | None:
        """The dimension that a mention names: a column of names, or a unit of time of the date column in use."""
        mention, when = self.at(at), self.parts.when
        target = self.dimension(at) if mention.targets else None
        clock = self.schema.clock
        if clock and (mention.unit == "hour" or (target and target.ref == clock)):
            return Group(clock, "hour")
        if target and target.ref and not (mention.unit and target.weight < _NAMED):
            best = [each.ref for each in mention.targets if each.ref and mention.weight - each.weight < 0.2]
            named = [ref for ref in best if ref.kind == "text" and not (code_name(ref) or ref.sheet)]
            if not named and code_name(target.ref) and not code_name(Ref(mention.text)):
                # "top 5 SP" beside "Mã SP", "Sản phẩm"
                alike = self.schema.by_concept.get(target.ref.concept, ())
                named = [ref for ref in alike if not ref.sheet and ref.kind == "text" and not code_name(ref)]
            return Group(target.ref if target.ref in named or not named else named[0])
        if mention.unit and when.date_ref:
            if mention.unit == "hour" and when.date_ref.kind != "datetime":
                return None
            return Group(when.date_ref, mention.unit)  # type: ignore[arg-type]
        dated = self.chosen(at, TEMPORAL) if mention.targets else None
        if dated and dated.ref and dated.weight >= 0.9:
            return Group(dated.ref, "day")
        return None

    def _coded(self, ref: Ref | None) -> bool:
        return ref is not None and not ref.parts and is_code(ref, self.schema.key(ref), self.schema.sheet)

    # --- 1. charts, ends of rankings

    def _usual(self) -> None:
        """ "Khách thường mua gì": before a verb of what is asked for, "thường" is most often, and no tier; "hay" so behind who acts."""
        asked = any(each.has("which", "which one", "place") for each in self.mentions)
        for at, mention in enumerate(self.mentions[:-1]):
            behind = self.mentions[at + 1]
            acts = behind.has("verb", "bought", "sold") or fold(behind.text) == "bi"
            alone = mention.has("and") and not self._behind_person(at)
            if not (asked and mention.has("usual") and acts) or alone:
                continue
            ends = self.any("max", "min", "superlative", "seller", "slow seller")
            mention.labels = frozenset({"filler"} if ends else {"filler", "max", "frequent"})
            mention.targets, mention.values = (), ()

    def _charts(self) -> None:
        for at in self.places:
            if not self.has(at, "chart", "chart share", "chart bar", "chart line"):
                continue
            if self.mentions[at].text.lower() == "ve" and not all(map(self.is_link, range(at))):
                self.mentions[at].labels = frozenset({"filler"})
                continue  # "giao ve Da Nang" draws nothing
            kinds_said = (each[6:] for each in self.mentions[at].labels if each.startswith("chart "))
            kind = next(kinds_said, "any")
            if self.parts.chart in {"", "any"}:
                self.parts.chart = kind  # type: ignore[assignment]
            self.take("chart", at)

    def _tied(self) -> None:
        """Let "vs" be "and" between what is left out: "trừ đơn hủy vs đơn hoàn"."""
        for at, mention in enumerate(self.mentions):
            first, ahead = self.at(at - 1), self.at(at + 2 if self.is_rows(at + 1) else at + 1)
            same = first.values and ahead.values and first.values[0].ref == ahead.values[0].ref
            if mention.said == "vs" and same and self.has(self.beside(at - 1, -1), "minus", "not"):
                mention.labels = frozenset({"and", "filler"})

    def _pointers(self) -> None:
        """What points at the question before and its answer: "tháng đó", "trong số đó", "kênh đó", "cái thứ hai", "cả hai"."""
        self._picks()
        self._ends_of_shown()
        for at, mention in enumerate(self.mentions):
            if mention.role:
                continue
            if self._points_nowhere(at):
                self.take("head", at)
            elif self.has(at, "among", "then") and not self._several(at + 1):
                self.parts.kept.append("" if self.has(at, "among") else "any")
                self.take("pointer", at)
            elif several := self._points_at_several(at):
                self._point(Pointer(count=several[0], ref=several[1]), *several[2])
            elif mention.period and self.has(at + 1, "pointer"):
                self._period_pointed(at)
            elif mention.said == "one" and self.has(at - 1, "max", "min") and not self.parts.picks:
                self._point(Pointer(end="max" if self.has(at - 1, "max") else "min"), at - 1, at)
            elif self._nth(at) and not self._asks_for_it(at - 1):
                first, last = (at, at + 1) if self._ends_in_one(at) else (at - 1, at)
                ref = None if first == at else self._noun_ref(first)
                self._point(Pointer(self._nth(at), ref=ref), first, last)
            elif self.has(at, "pointer") and not self._pointed_ahead(at):
                self._pointed(at)
            else:
                self._whole_unit(at)
        self._last_two()

    def _points_nowhere(self, at: int) -> bool:
        """Whether a pointer is of what was worked out before ("tỉ lệ đó"), only rounds off a bound ("dưới 10 cái ấy") or asks which
        those are ("đó là những mẫu nào").
        """
        if not self.has(at, "pointer"):
            return False
        worked = self.has(at - 1, "share", "growth") and not self.at(at + 1).unit
        bounds = self.at(at - 1).amount and self.has(at - 2, "gt", "lt") and " " in self.mentions[at].said
        if bounds:
            self.mentions[at].labels = frozenset({"filler", "thing"})
        return bool(worked or (not at and self.at(1).said in {"la", "are"} and self.any("which", "list")))

    def _picks(self) -> None:
        """ "Cái rẻ nhất còn mấy cái": the end is of the thing, whatever else is asked of it."""
        for at, mention in enumerate(self.mentions):
            told = mention.has("max", "min") and any(each.startswith("of ") for each in mention.labels)
            for noun in (at - 1 - self.has(at - 1, "which"), at + 1) if told else ():
                rows = self.is_rows(noun) and bool(self.at(noun).targets)
                thing = self.has(noun, "thing") and not rows
                self.parts.picks = "thing" if thing else "row" if rows else ""
                self.take("head", *([noun] if thing else []))
                if self.parts.picks or self.figure(noun) is not None:
                    return  # "phí ship rẻ nhất"

    def _whole_unit(self, at: int) -> None:
        """ "Cả năm thì sao": all of the year that the days of the question before are in; "của tháng": that month."""
        mention, before = self.mentions[at], self.at(at - 1).said
        of = before in _OF and not self.has(at + 1, *_ASKING_UNIT)
        if mention.unit and not (mention.targets or mention.period) and (before in _WHOLE or of):
            self.parts.kept.append(mention.unit if of else f"whole {mention.unit}")
            self.take("pointer", at - 1, at)

    def _period_pointed(self, at: int) -> None:
        """ "tuần trước đó nữa (9 đến 15/11)": the dates say which; "tháng trước đó" is the one before; "tháng 8 đó" is itself."""
        mention, said = self.mentions[at], self.mentions[at].said
        if self._restated(at + 2):
            mention.period = None
            self.take("period", at, at + 1)
        elif said.endswith(" truoc"):
            own = any(each.period for each in self.mentions[:at])  # "tuần trước so với tuần trước đó"
            mention.period, mention.labels = None, frozenset({"preceding"})
            self.parts.kept += [unit for name, unit in _TIMES if said.startswith(name) and not own]
            self.take("frame" if own else "pointer", *([] if own else [at]), at + 1)
        elif not self.has(at + 1, "one"):
            self.take("frame", at + 1)

    def _restated(self, at: int) -> bool:
        """Whether a period in brackets stands next, with no more than a filler before it."""
        nth = at + (self.has(at, "filler") and not self.mentions[at].period)
        return self.at(nth).period is not None and "(" in self._between(nth - 1, nth)

    def _points_at_several(self, at: int) -> tuple[int, Ref | None, range] | None:
        """How many, the column and the places of "those 3", "hai nơi đó", "cả hai kênh", "trong ba con"; None for others."""
        points, held = self.has(at, "pointer"), self._held_apart(at)
        if points and (count := self._several(at + 1)):
            noun = self._is_noun(at + 2)
            return count, self._noun_ref(at + 2) if noun else None, range(at, at + 2 + noun)
        if points and at and (count := self._several(at - 1)) and " " in self.mentions[at].text:
            return count, None, range(at - 1, at + 1)  # "2 chỗ đó"
        if held or (self._several(at) and self._is_noun(at + 1) and self._inside(at)):
            end = at + 2 + self.has(at + 2, "pointer")
            return self._several(at), self._noun_ref(at + 1), range(at, end)
        if not self.has(at, "both"):
            they = _PERSON if self.has(at, "person") else None
            return (0, they, range(at, at + 1)) if self.has(at, "several") and not self._heads(at) else None
        noun = bool(self.at(at + 1).unit) or self._is_noun(at + 1)
        return 2, self._noun_ref(at + 1) if noun else None, range(at, at + 1 + noun)

    def _heads(self, at: int) -> bool:
        """Whether a noun stands right behind, which is then what is pointed at: "those orders"."""
        return self.mentions[at].said in _AHEAD and self._is_noun(at + 1)

    def _inside(self, at: int) -> bool:
        """Whether "trong", "of" stands right before."""
        start = self.mentions[at].start
        return start > 0 and self.wording.words[start - 1].folded in {"trong", "of", "among"}

    def _asks_for_it(self, at: int) -> bool:
        """Whether the thing named at `at` is what is asked for ("kênh đứng đầu là kênh nào"), and not pointed at."""
        asked = [place - 1 for place in self.places[1:] if self.has(place, "which")]
        same = any(place != at and self._noun_ref(place) == self._noun_ref(at) for place in asked)
        return same or self.any("which one", "who") or self.has(at + 2, "which")

    def _ends_of_shown(self) -> None:
        """ "Cái cao nhất" is an end of what was listed last; "tỉnh thấp nhất", of which another figure is asked for ("… được mấy
        đơn"), the province that was shown at that end.
        """
        for at in self.places[:-1] if self.about is not None else ():
            asked = any(self.figure(each) or self.is_rows(each) for each in self.places if each != at)
            if not self.has(at + 1, "max", "min") or self.has(at + 2, "pointer"):
                continue
            told = any(each.startswith("of ") for each in self.mentions[at + 1].labels)
            told = (
                told
                or self.has(at - 1, "by", "plural", "top")
                or self.any("which", "which one", "who", "list")
            )
            if self.has(at, "thing") and not asked:
                self.take("head", at)
            elif asked and not told and self._is_noun(at) and self._noun_ref(at) == self.about:
                end = "max" if self.has(at + 1, "max") else "min"
                self._point(Pointer(ref=self.about, end=end), at, at + 1)  # type: ignore[arg-type]

    def _several(self, at: int) -> int:
        """How many things the plain number at `at` counts, 0 for no number or one thing."""
        amount = self.at(at).amount
        count = amount.value if amount is not None and not amount.unit else 0
        return int(count) if 2 <= count <= FOCUS_ROWS and count % 1 == 0 else 0

    def _held_apart(self, at: int) -> bool:
        """Whether "hai nơi", "2 loại" are the two that were asked about last: they are added or held against each other."""
        noun = at + 1
        if self._several(at) != 2 or not (self.at(noun).unit or self._is_noun(noun)):
            return False
        others = (each for each in self.mentions if each is not self.mentions[noun])
        named = any(each.values and each.values[0].whole for each in others)
        held = self.any("gap", "gt", "lt", "sum", "compare") and not self.any("superlative", "max", "min")
        return held and not named and not any(each.period for each in self.mentions)

    def _last_two(self) -> None:
        """ "Kênh nào cao hơn?", "what's the difference?": of no more than these words, the two that were asked about last."""
        parts = self.parts
        held = [at for at in self.places if self.has(at, "gt", "lt", "gap") and not self.has(at, "filler")]
        named = any(each.values or each.period or each.amount for each in self.mentions if not each.role)
        figures = any(self.figure(at) and not self.has(at, "gt", "lt", "gap") for at in self.places)
        nouns = [at for at in self.places if self.mentions[at].targets and at not in held]
        asked = [at for at in self.places if self.has(at, "which one") or self.has(at + 1, "which")]
        if (
            len({self.has(at, "gap") for at in held}) != len(held)
            or not held
            or named
            or (figures and not asked)
            or parts.kept
            or len(nouns) > 2
        ):
            return
        nouns = [at for at in nouns if at in asked] if asked else nouns
        refs = {ref for at in nouns if (ref := self._noun_ref(at))}
        counts = any(map(self.is_rows, nouns)) and not self.has(held[0], "gap")
        if parts.pointer is None and len(refs) <= 1 and not counts:
            parts.pointer = Pointer(count=2, ref=next(iter(refs), None))
        if parts.pointer is not None and parts.pointer.both:
            self.take("pointer", *(at for at in nouns if not self.mentions[at].role))
            self.take("shape", *held)
            self.take("frame", *(at for at in range(held[0]) if self.has(at, "which", "which one")))

    def _point(self, pointer: Pointer, *places: int) -> None:
        """One pointer a message: where a second one stands, neither is understood."""
        if self.parts.pointer is None:
            before = self.beside(min(places), -1) if places else -1
            out = self.has(before, "not") and not self.has(before, "not this", "blank")
            self.parts.pointer = replace(pointer, out=out)
            self.take("pointer", *places)
            self.take("negation", *([before] if out else []))

    def _pointed_ahead(self, at: int) -> bool:
        """Whether a pointer stands before what it points at, as in English: "that customer", "in that month"."""
        if self.mentions[at].said not in _AHEAD:
            return False
        if unit := self.at(at + 1).unit:
            self.parts.kept.append(unit)
            self.take("pointer", at, at + 1)
        elif self._is_noun(at + 1):
            several = self.has(at, "several")
            if several and self.is_rows(at + 1):
                self.parts.kept.append("")
                self.take("pointer", at)
            else:
                self._point(Pointer(count=not several, ref=self._noun_ref(at + 1)), at, at + 1)
        return bool(self.mentions[at].role)

    def _pointed(self, at: int) -> None:
        """What "đó", "this", "nó" at `at` points at, with the noun before it."""
        noun = at - 1
        end = next((each for each in ("max", "min") if noun > 0 and self.has(noun, each)), "")
        noun -= bool(end)
        told = noun > 0 and (self.is_link(noun) or self.has(noun, *_STATE_OF_GOODS))
        noun -= told and self._is_noun(noun - 1)  # "mấy món sắp hết đó"
        here, two = self.at(noun), noun - 1
        if self.has(at, "one"):
            ref = _PERSON if self.has(at, "person") else None
            self._point(Pointer(there=self.has(at, "there"), ref=ref), at)
            return
        if noun < 0:
            return
        amount = self.at(two).amount
        several = self.has(two, "plural", "all") or self.at(two).said == "may"
        if here.unit and not here.targets and not here.period:
            if amount is None and several:
                whole = self.mentions[two].said in _WHOLE
                self.parts.kept.append(f"whole {here.unit}" if whole else "any")
                self.take("pointer", two)
            elif amount is None or amount.value == 1:
                self.parts.kept.append(here.unit)
            elif amount.value == 2:
                self._point(Pointer(count=2), two, noun, at)
                return
            else:
                self.parts.kept.append(f"{amount.value} {here.unit}")
            self.take("pointer", *([two] if amount else []), noun, at)
        elif ((several or amount) and self.is_rows(noun)) or self.has(noun, "number"):
            self.parts.kept.append("")
            self.parts.several = several or (amount is not None and amount.value > 1)
            self.take("pointer", *range(noun, at + 1), *([two] if several or amount else []))
        elif here.values and not here.targets:
            self._value_pointed(noun, at)
        elif self._is_noun(noun) or here.said in _PIECES:
            count = self._several(two) or int(not several)
            pointer = Pointer(count=count, ref=self._noun_ref(noun), end=end)  # type: ignore[arg-type]
            self._point(pointer, *([two] if count != 1 else []), noun, *range(noun + 1, at + 1))

    def _value_pointed(self, noun: int, at: int) -> None:
        """ "Mấy đơn thẻ đó" are the rows that were asked about, "áo đó" is the one thing whose name has that word."""
        value = self.mentions[noun].values[0]
        if value.whole:
            self.parts.kept.append("")
            self.take("pointer", at)
        elif value.ref.concept in GOODS:
            self._point(Pointer(ref=value.ref), noun, at)

    def _nth(self, at: int) -> int:
        """The place in a list of "con thứ hai", "kênh top 1", "the second one"; 0 for none."""
        mention = self.mentions[at]
        if self._ends_in_one(at):
            return next((int(label[5:]) for label in sorted(mention.labels) if label.startswith("rank ")), 0)
        if not at or not self._is_noun(at - 1) or mention.end == mention.start:
            return 0
        noun = self._noun_ref(at - 1)
        if noun is not None and any(each.ref == noun for each in mention.values):
            return 0  # "khoa Nhi" is a department, and no second one
        if any(self.mentions[place].amount or self.figure(place) for place in range(at - 1)):
            return 0
        counted = self.at(at + 1).amount or any(each.startswith("rank ") for each in self.at(at + 1).labels)
        if mention.has("top") and counted:
            return 0  # "cái top 5", "which province ranks second"
        first = mention.said in {"dau tien", "thu nhat", "first"} or mention.has("top")
        named = (int(label[5:]) for label in sorted(mention.labels) if label.startswith("rank "))
        named_first = mention.has("top") or mention.said == "thu nhat"
        return next(named, 1 if first and (named_first or self.has(at - 1, "thing", "people")) else 0)

    def _ends_in_one(self, at: int) -> bool:
        """Whether "one" stands right behind: "the second one"."""
        return self.at(at + 1).said == "one"

    def _is_noun(self, at: int) -> bool:
        """Whether a thing is named in general: "món", "con", "kênh", "one"; no value and no figure."""
        mention = self.at(at)
        if mention.period or mention.amount or mention.role:
            return False
        return self.has(at, "thing") or (bool(mention.targets) and self.figure(at) is None)

    def _noun_ref(self, at: int) -> Ref | None:
        """The column that a noun names; None for "cái", "con"."""
        text = self.mentions[at].said
        if self.has(at, "people") or text in _GROUP:
            return _PERSON if text not in _GROUP else _KIND
        named = self.mentions[at].targets and text not in _ANY_GROUP
        target = self.dimension(at) if named else None
        return target.ref if target is not None and target.weight >= _COLUMN else None

    def _superlatives(self) -> None:
        """ "nhiều đơn nhất": the two halves of a superlative mean what they mean together."""
        for at in self.places:
            more = self.has(at + 1, "gt", "lt") and self.mentions[at + 1].said.split()[0] in _MANY
            more = more and any(each.ref.concept in GOODS for one in self.mentions for each in one.values[:1])
            if at and self.mentions[at].said == "con" and (more or self.has(at + 1, "max", "min")):
                left = frozenset({"left"})  # "cái nào còn nhiều nhất" asks for what is left
                self.mentions[at].labels = self.mentions[at].labels if self.mentions[at].role else left
            if not self.has(at, "superlative"):
                continue
            for back in range(at - 1, max(at - 5, -1), -1):
                high, low = self.has(back, "high", "crowd"), self.has(back, "low")
                if (high or low) and not self.mentions[back].targets:
                    kept = self.mentions[back].labels - {"high", "low"}
                    self.mentions[back].labels = kept | {"max" if high else "min"}
                    self.take("superlative", at)
                    break
            else:
                # "tốn tiền nhất", "bán được nhất": what stands before is what there is most of.
                self.mentions[at].labels = frozenset({"max"})

    def _ranks(self) -> None:
        """The one place of a ranking that is asked for; "thứ hai" stays a Monday where nothing is ranked."""
        ends = ("max", "min", "high", "low", "seller", "slow seller", "top", "bottom")
        for at, mention in enumerate(self.mentions):
            rank = next((int(label[5:]) for label in mention.labels if label.startswith("rank ")), 0)
            if not rank or mention.targets or mention.role:
                continue
            if mention.said.split()[0] in {"dung", "xep", "hang"}:
                mention.labels |= {"max"}
            whole = mention.has("max", "min", "seller", "slow seller")
            noun = self.about is not None and self._is_noun(at - 1)
            if noun and not whole and self._asks_for_it(at - 1):
                self.parts.rank = rank  # "người thứ hai là ai" of those that were listed
                self.take("rank", at - 1, at, *self.free("who", "which"))
                return
            around = (place for place in range(max(0, at - 4), at + 2) if place != at)
            near = [place for place in around if self.has(place, *ends)]
            others = (each for each in self.mentions if each is not mention)
            alone = self.about is not None and not any(each.means or each.unit for each in others)
            if not whole and alone and not any(label.startswith("day ") for label in mention.labels):
                self.parts.rank = rank  # "and who comes second?" of what was ranked
                self.take("rank", at, *self.free("who", "which", "place"))
                return
            if not whole and not near:
                mention.labels = frozenset(each for each in mention.labels if not each.startswith("rank "))
                continue
            self.parts.rank = rank
            if not whole:
                turned = self.has(near[0], "low", "min", "bottom")
                mention.labels = frozenset({"min" if turned else "max"})
            for place in near:
                if self.has(place, "high", "low"):
                    self.take("rank", place)
            return

    def _hurried(self) -> None:
        """ "Đơn gấp" are orders that are urgent, where nobody says that the answer is: "cần số đơn gấp"."""
        for at, mention in enumerate(self.mentions):
            behind = at > 0 and self.is_rows(at - 1) and not self._between(at - 1, at).strip()
            wanted = any(each.said in turn_words("wish") for each in self.mentions[:at])
            if behind and mention.said in turn_words("hurry") and not wanted:
                mention.labels = frozenset()
            if mention.said.endswith("bao nhieu") and mention.has("how much") and self.is_rows(at + 1):
                mention.labels = frozenset({"count"})  # "hoàn hết bao nhiêu đơn"

    def _plurals(self) -> None:
        """ "Tổng tiền của mấy đơn hủy", "chỉ lấy những đơn": rows that something else is asked of, neither counted nor listed."""
        for at, mention in enumerate(self.mentions[:-1]):
            few = mention.said == "may" and mention.has("count")
            behind = self.mentions[at + 1]
            named = not behind.role and (self.is_rows(at + 1) or behind.values)
            noun = (named or self._is_noun(at + 1)) and not self._between(at, at + 1).strip()
            if mention.role or not noun or not (few or mention.has("plural")):
                continue
            if (few and self._of_another(at)) or self._is_bounded(at):
                mention.labels = frozenset({"filler", "these"})

    def _is_bounded(self, at: int) -> bool:
        """Whether a word that takes rows in or leaves them out, or says whose a figure is, stands right before: "của", "chỉ lấy", "bỏ"."""
        ahead = at - 1
        if ahead < 0 or self._between(ahead, at).strip() or self.is_rows(ahead):
            return False
        word = self.mentions[ahead].said.split()[-1]
        opens = word in turn_words("with") and all(map(self.is_link, range(ahead)))
        money = self.figure(ahead) is not None or self.has(ahead, "how much")
        of_state = money and any(each.values for each in self.mentions[at + 1 :])
        led = self.has(ahead, "only", "not", "minus", "including", "not this") or word in turn_words("whose")
        return (led or opens or of_state) and not self.has(ahead, "number", "count")

    def _of_another(self, at: int) -> bool:
        """Whether money or a figure is asked for in the same clause, beside a state of these rows: "mấy đơn hủy hết bao nhiêu tiền"."""
        clause = [at]
        for step in (-1, 1):
            place = at + step
            while 0 <= place < len(self.mentions) and not self.has(place, "and", "either", "filled"):
                if self.mentions[place].role or "," in self._between(*sorted((place, place - step))):
                    break
                clause.append(place)
                place += step
        others = (place for place in clause if place != at and not self.is_rows(place))
        asked = any(self.has(place, "how much") or self.figure(place) for place in others)
        return asked and any(self.mentions[place].values and place > at for place in clause)

    # --- 2. cells that are empty or not

    def _blanks(self) -> None:
        """ "chưa có HLV", "bỏ trống ghi chú", "orders with a note": conditions on cells that are empty or filled."""
        for at, mention in enumerate(self.mentions):
            if mention.role or not self.has(at, "blank", "empty", "filled", "deny"):
                continue
            if mention.has("empty") and self.at(at + 1).period:
                continue  # "trong quý 3"
            ahead = next((self.mentions[each] for each in self.around(at, 1, 1)), None)
            named = ahead is not None and (ahead.targets or ahead.values or ahead.amount)
            if named and mention.has("empty") and mention.text.lower() in _INSIDE:
                continue
            places = [*self.around(at, 1, 1), *(self.around(at, -1, 1) if mention.has("empty") else ())]
            for place in places:
                if found := self._cells(at, place):
                    self.parts.conditions.append(found)
                    self.take("condition", at, place, *range(min(at, place), max(at, place)))
                    empty = "zero_cells" if found.value == 0 else "no_cells"
                    key = "filled_cells" if found.op in {"ne", "gt"} else empty
                    self.note(key, field=found.ref.name, said=found.said)
                    break

    def _cells(self, at: int, place: int) -> Condition | None:
        """The condition that the word at `at` puts on the cells of the column named at `place`."""
        word, mention = self.mentions[at], self.mentions[place]
        valued = bool(mention.values) and mention.values[0].whole
        if mention.role or valued or not mention.targets or self.is_rows(place):
            return None
        ref = mention.targets[0].ref
        if ref is None or ref.sheet or ref.parts or ref.kind == "boolean" or mention.targets[0].weight < 0.5:
            return None
        if not _COUNTED_IN.isdisjoint(fold(self._between(*sorted((at, place)))).split()):
            return None  # "chưa tính phí ship" leaves a figure out of another
        after = self.beside(place, 1)
        denied = word.has("deny") and word.end == mention.start
        asks = () if denied else ("which", "much", "count")
        if self.at(after).amount or self.has(after, *_OPS, *_SIGNS, "superlative", *asks):
            return None  # "có viện phí cao nhất" says something of its figures
        typed = self.wording.words[min(word.start, mention.start) : max(word.end, mention.end)]
        said = self.wording.text[typed[0].start : typed[-1].end]
        rows = any(self.is_rows(before) for before in self.around(at, -1, 2))
        return self._cells_of(word, ref, said, rows=rows)

    def _cells_of(self, word: Mention, ref: Ref, said: str, *, rows: bool) -> Condition | None:
        """Empty, filled, or none of: figures that begin at 0 are none where they are 0."""
        held = self.schema.key(ref)
        zero = ref.kind in NUMERIC and held.least in {"0", "0.0"}
        found: Condition | None = None
        if word.has("blank", "empty"):
            both = zero and held.blanks and not word.has("empty")
            value = None if held.blanks or not zero else 0
            found = Condition(ref, "in", [0, None], said) if both else Condition(ref, "eq", value, said)
        elif word.has("filled"):
            if zero and rows:
                found = Condition(ref, "gt", 0, said)
            elif held.blanks and ref.kind not in NUMERIC:
                found = Condition(ref, "ne", None, said)
        elif bool(held.blanks) != zero:
            found = Condition(ref, "eq", 0 if zero else None, said)
        return found

    def _sold_out(self) -> None:
        """ "Hết hàng", "out of stock": nothing is left of what the sheet counts as stock."""
        stock = self.schema.of("stock")
        if stock is None:
            return
        for at in list(self.free()):
            held = {condition.ref for condition, _ in self.parts.numbers}
            if stock in held and self.has(at, "in stock"):
                self.take("condition", at)
                self.parts.conditions.append(Condition(stock, "gt", 0, "0"))
            elif self.has(at, "sold out") and self._of_one_thing():
                self.mentions[at].labels = frozenset({"left"})  # "áo khoác jean hết hàng chưa"
            elif self.has(at, "sold out") and not self.mentions[at].values:
                self.take("condition", at)
                if not any(each.ref == stock for each, _ in self.parts.numbers):
                    self.parts.conditions.append(Condition(stock, "lte", 0, "0"))
                    self.bounds.append((at, self.parts.conditions[-1]))
                    self.note("zero_cells", field=stock.name, said=self.mentions[at].text)

    def _of_one_thing(self) -> bool:
        """Whether one thing of the sheet is named whole, and none is asked for."""
        values = (value for each in self.mentions for value in each.values[:1])
        named = [value for value in values if value.ref in self.schema.goods()]
        one = len(named) == 1 and named[0].whole
        return one and not self.any("which", "which one", "list", "count", "number", "plural", "gt", "lt")

    # --- 3. numbers

    def _number(self, at: int) -> None:
        """A comparison with an amount, a range, the length of a list; else the amount stays unread."""
        sign, places = self._sign(at)
        second = self._second(at)
        left = self._left_words(at, second if second is not None and sign == "between" else at)
        if left and self.schema.of("stock") is None:
            return  # how many are left is another sheet's
        open_ = sign in {"between", "gte"}
        ranged = second is not None and (open_ or (sign == "" and self._joined(at, second)))
        last = second if ranged and second is not None else at
        if not sign and left:
            sign = "eq"
        if not sign and not ranged and self._is_limit(at):
            self.parts.limit = int(self.mentions[at].number)
            ahead = next((place for place in (at + 1, at + 2) if self.has(place, "foremost")), at)
            pieces = [at + 1] if ahead == at + 2 and self.figure(at + 1) is not None else []
            self.take("limit", at, ahead, *pieces)  # "3 cái đầu"
            return
        ref, carrier = self._compared_column(at, last, compared=bool(sign) or ranged)
        apart = carrier is None or not self._adjacent(at, carrier)
        if ref is None or (apart and not (left or sign or ranged)):
            return
        bare = ref.concept == "quantity" and not (sign or ranged or any(map(self.is_rows, self.places)))
        if bare and self.any("how much"):
            return  # "lấy 3 cái thì hết bao nhiêu tiền" is the price of three, of which no sheet knows
        places = [*places, *self._left_words(at, last)] if ref.concept == "stock" else places
        first = _number(self.mentions[at].number)
        if ranged:
            ends = sorted([first, _number(self.mentions[last].number)])
            found = Condition(ref, "between", ends, f"{self.mentions[at].text} - {self.mentions[last].text}")
        else:
            op: Op = "gte" if sign == "between" else sign or "eq"  # type: ignore[assignment]
            found = Condition(ref, op, first, self.mentions[at].text)
        rows = ref.kind == "rows" or any(map(self.is_rows, self.around(min([at, *places]), -1, 2)))
        if carrier is not None and self.is_rows(carrier):
            rows = False
        self.parts.numbers.append((found, rows))
        self.bounds.append((at, found))
        self.take("number", *range(at, last + 1), *places, *([carrier] if carrier is not None else []))

    def _left_words(self, at: int, last: int) -> list[int]:
        """The places of the words that make an amount what is left of a thing: "còn dưới 10 cái", "fewer than 10 left"."""
        amount, after = self.mentions[last].amount, last + 1
        if amount is None or amount.unit or not self.any("which", "which one", "list", "plural", "count"):
            return []
        pieces = self.has(after, "thing", "left", "filler") and not self.is_rows(after)
        ends = pieces or after == len(self.mentions) or self._is_pieces(after)
        ranked = self.has(after + 1, "earliest", "latest", "top", "max", "min", "high", "low")
        if ranked or not ends:
            return []
        told = [each for each in range(at) if self.has(each, "sold out") or self.has(each, "in stock")]
        if told and (pieces or self._is_pieces(after)):
            return [after]  # "chưa hết nhưng dưới 10 cái"
        for place in range(at - 1, max(at - 5, -1), -1):
            if self.mentions[place].said in _LEFT or self.has(place, "running out"):
                return [place, *([after] if pieces else [])]
            goods = any(each.concept in GOODS for each in self.mentions[place].targets[:1])
            goods = goods or self.has(place, "only", "deny", "not", "which", "thing")
            if not (goods or self.is_link(place) or _comparison(self.mentions[place])):
                break
        behind = next((place for place in (after, after + 1) if self.has(place, "left")), -1)
        return [behind] if behind >= 0 else []

    def _is_pieces(self, at: int) -> bool:
        """Whether goods are counted by a word: "cái", "đôi", "hộp"."""
        return any(each.concept == "quantity" for each in self.at(at).targets)

    def _sign(self, at: int) -> tuple[str, list[int]]:
        """The comparison that is said of the amount at `at`, and where; a negation before it turns it round."""
        for place in self.around(at, 1, 2):
            if self.has(place, "upward", "downward"):
                before = self.beside(at, -1)
                more = [before] if self.has(before, "gte") else []
                return "gte" if self.has(place, "upward") else "lte", [place, *more]
        for place in range(at - 1, max(at - 4, -1), -1):
            mention = self.mentions[place]
            if mention.amount or mention.period or mention.role:
                break
            if found := _comparison(mention):
                denied = place > 0 and self.mentions[place - 1].has("deny", "not")
                if denied and found in _DENIED and not self.mentions[place - 1].targets:
                    return _DENIED[found], [place - 1, place]
                return found, [place]
            if not self.is_link(place):
                break
        return "", []

    def _second(self, at: int) -> int | None:
        """The other end of a range: the next amount, with nothing but "to" or "and" between."""
        for place in range(at + 1, min(at + 3, len(self.mentions))):
            if self.mentions[place].amount and not self.mentions[place].role:
                return place
            if not self.mentions[place].has("to", "and"):
                return None
        return None

    def _joined(self, at: int, second: int) -> bool:
        if second == at + 1:
            return self._between(at, second).strip() in {"-", "–", "~"}
        return all(self.mentions[place].has("to") for place in range(at + 1, second))

    def _is_limit(self, at: int) -> bool:
        """Whether a plain number is how many are listed: "top 5", "5 đơn lớn nhất", "chỉ 3 cái đầu"."""
        mention = self.mentions[at]
        plain = mention.amount is not None and not mention.amount.unit and 0 < mention.number <= _MOST
        if not plain or mention.number % 1:
            return False
        before, after = self.beside(at, -1), at + 1
        ranks = ("top", "bottom", "latest", "earliest", "max", "min", "seller", "slow seller", "list")
        ends = self.has(after + 1, *ranks) and self.figure(after) is None
        if before == at - 1 >= 0 and self.figure(before) is not None and not (self.is_rows(before) or ends):
            return False  # "tồn kho 200 cái"; "doanh thu 3 kênh cao nhất" lists
        if self.has(after + 1, "foremost") and (self.has(after, "thing") or self.mentions[after].targets):
            return True  # "3 kênh đầu"
        if self.has(before, *ranks, "only"):
            return not (self.has(before, "only") and self.figure(after) is not None)
        ranked = self.any(*ranks, "superlative")
        behind = self.at(after)
        counted = bool(behind.targets or behind.unit) or self.has(after, *ranks) or self.is_link(after)
        pieces = self.has(after, "thing") and self.has(after + 1, *ranks)  # "5 cái cao nhất"
        return counted and ranked and (self.figure(after) is None or self.is_rows(after) or pieces)

    def _compared_column(self, at: int, last: int, *, compared: bool) -> tuple[Ref | None, int | None]:
        """The column that the amounts from `at` to `last` speak of, and the mention that names it (None: worked out)."""
        after = self.beside(last, 1)
        amount = self.mentions[last].amount
        if self._left_words(at, last):
            return self.schema.of("stock"), None
        main, ahead = self.schema.main_measure(), self.around(at, -1, 2)
        sized = compared and amount is not None and (amount.unit == "VND" or amount.value >= 1000)
        if sized and main and main.kind == "money" and any(map(self.is_rows, ahead)):
            after = -1  # "đơn trên 1 triệu phí ship bao nhiêu": the figure behind is the one asked for
        if after >= 0 and not self.mentions[after].role and amount is not None and not amount.unit:
            if self.is_rows(after) and compared and last + 1 == after:
                return Ref("", "rows"), after
            target = self.figure(after)
            fits = target and target.ref and self._holds(target.ref, last) and not self.is_rows(after)
            if target and fits and (compared or last + 1 == after):
                return target.ref, after
            goods = any(each.concept == "product" for each in self.mentions[after].targets[:1])
            pieces = self.has(after, "thing") and self.any("sold", "bought")  # "bán được hơn 100 cái"
            if compared and (goods or pieces):
                return self.schema.of("quantity"), after
        found = self._column_ahead(at, last, compared=compared)
        return found or (self._by_size(at, last) if compared else None, None)

    def _column_ahead(self, at: int, last: int, *, compared: bool) -> tuple[Ref, int] | None:
        """The figure named before an amount that can be of it, and where; none beyond the rows that money is said of."""
        amount = self.mentions[last].amount
        sized = compared and amount is not None and (amount.unit == "VND" or amount.value >= 1000)
        for place in self.around(at, -1, 4):
            mention, target = self.mentions[place], self.figure(place)
            if mention.amount or mention.period or (sized and self.is_rows(place)):
                return None  # "phí ship của đơn trên 1 triệu": what the order is worth
            odd = amount is not None and amount.unit not in _MONEY
            if target and target.ref and self._measured_otherwise(target.ref, last):
                return None
            if (sized or odd) and target and target.ref and not self._holds(target.ref, last):
                continue
            if target and not self.is_rows(place) and not (mention.values and mention.role):
                return target.ref or Ref(target.metric.name if target.metric else "", "metric"), place
        return None

    def _measured_otherwise(self, ref: Ref, at: int) -> bool:
        """Whether an amount is in another unit than the one a column's header says: "chờ hơn 1 giờ" of minutes."""
        amount, own = self.mentions[at].amount, unit_words(ref.name)
        said = (amount.unit if amount else "") or self.at(at + 1).said
        return bool(own) and said in measures() and said not in map(fold, own)

    def _holds(self, ref: Ref, at: int) -> bool:
        """Whether an amount can be of a column: money of money, per cent of rates, a bare number of what reaches so high."""
        amount = self.mentions[at].amount
        if amount is None:
            return True
        if amount.unit == "%":
            return ref.kind == "percent" or "%" in ref.name
        if self._measured_otherwise(ref, at):
            return False
        if ref.kind == "money":
            return amount.unit in _MONEY  # "15h" is no price
        most = "" if ref.parts else self.schema.key(ref).most
        beyond = most.replace(".", "").isdecimal() and amount.value > Decimal(most)
        return amount.unit != "VND" and not beyond

    def _by_size(self, at: int, last: int) -> Ref | None:
        """An amount of money, or a large one, is of the column the sheet is about; so is any in a sheet of one figure."""
        amount = self.mentions[last].amount
        priced = self.schema.row_concept == "product" or self._only_goods()
        goods = self.schema.of("price") if priced else None
        main = goods or self.schema.main_measure()
        own = self.schema.own_numbers()
        large = amount is not None and (amount.unit == "VND" or amount.value >= 1000 or len(own) == 1)
        if main is None or not large or not self._holds(main, last):
            return None
        self.note("condition_field", field=main.name, said=self.mentions[at].text)
        return main

    def _only_goods(self) -> bool:
        """Whether goods are spoken of and nothing that was done with them, no row and no day: "áo nào dưới 200k" asks for prices."""
        named = any(each.ref.concept in GOODS for mention in self.mentions for each in mention.values[:1])
        done = self.any("sold", "bought", "seller", "slow seller")
        rows = any(each.period or self.is_rows(at) for at, each in enumerate(self.mentions))
        return named and not (done or rows)

    def _adjacent(self, at: int, carrier: int) -> bool:
        """Whether a bare number stands against the column's name ("số lượng 2", "5 sao")."""
        low, high = sorted((at, carrier))
        return all(self.is_link(place) for place in range(low + 1, high))

    # --- 4. values of the sheet

    def _values(self) -> None:
        found = self.held
        for at, mention in enumerate(self.mentions):
            if mention.role or not mention.values or not self._is_value(at):
                continue
            value = self._pick(at)
            if value is None:
                continue
            denied = self._denied(at)
            self.take("value", at)
            self._accents_told(at, value)
            self._rows_inside(at)
            if denied:
                self.parts.denied += [(value.ref, each) for each in value.values]
            if (beside := self._column_beside(at, value.ref)) >= 0:
                self.take("value", beside)
            goods = self.schema.goods()
            kind = value.ref.concept in {"category", "brand"}
            if ((kind and goods) or not value.whole) and (asked := self._which_beside(at)) >= 0:
                self.parts.groups.append(Group(goods[0] if kind else value.ref))  # "áo nào bán chạy nhất"
                self.take("group", asked)
            self._state_fact(at, value)
            several = value.ref.kind != "boolean" and len(value.values) > 1
            said = list(value.values) if several else value.values[0]
            made = Condition(value.ref, "in" if several else "eq", said, mention.text)
            self._adds(at, made, denied=denied)
            if made in self.parts.added:
                sides = {out for _, each, out in found if each.ref == value.ref}
                bare = self.any("keeps these") and not sides  # "giữ lại Shopee": that alone
                if self.any("including", "takes in", "keeps") and False not in sides and not bare:
                    continue  # "tính cả đơn hủy" leaves nothing out, "trừ đơn hủy, vẫn tính đơn hoàn" that alone
                denied = False
            found.append((at, made, denied))
        found += self._yes_or_no()
        self.parts.conditions += _merged(found)
        out = (each for each in self.parts.conditions if each.op in {"ne", "nin"})
        ends = tuple(f"” is the value {one} ({each.ref.name})" for each in out for one in values_of(each))
        told = ((fact, ", left out too" if fact.endswith(ends) else "") for fact in self.parts.facts)
        self.parts.facts = [f"{fact}{more}" for fact, more in told]
        self.parts.owner = self.parts.owner if self.parts.denied else None
        self.parts.row_key = next(filter(self._is_row_key, self.parts.conditions), None)

    def _counted_in(self, at: int) -> int:
        """The place of what says that a value or days are counted in too ("gộp thêm Website", "tính cả đơn hủy"); -1 for none."""
        for nth in range(at - 1, -1, -1):
            mention = self.mentions[nth]
            if self.has(nth, "add", "including", "takes in", "keeps"):
                only = self.has(nth, "keeps these") and self.has(nth - 1, "only")
                days = mention.has("all") and self.mentions[at].period  # "cả tháng 10"
                return -1 if only or days else nth
            named = self.is_rows(nth) or (mention.targets and self.figure(nth) is None)
            named = named or mention.role in {"value", "period"}
            if not (named or self.is_link(nth) or self.has(nth, "and")):
                break
        after = [each.said for each in self.mentions[at + 1 :]]
        alone = all(self.is_link(nth) or self.has(nth, "and") for nth in range(at))
        # "ở Đà Nẵng nữa": no more than that
        more = len(after) == 1 and after[0] in turn_words("too") and not self.mentions[at].period
        return at + 1 if alone and more else -1

    def _yes_or_no(self) -> Iterator[tuple[int, Condition, bool]]:
        """Columns of yes or no that are named: "đã thanh toán", "chưa có bảo hiểm"."""
        for at in list(self.free()):
            target = self.dimension(at) if self.mentions[at].targets else None
            ref = target.ref if target and target.weight >= 0.6 else None
            if ref and ref.kind == "boolean" and not self._asked_for(at):
                denied = self._denied(at)
                self.take("value", at)
                yield at, Condition(ref, "eq", not denied, self.mentions[at].text), False

    def _adds(self, at: int, made: Condition, *, denied: bool) -> None:
        """Keep a value that is said to be counted in too."""
        adds = -1 if denied and not self.has(at - 1, "including", "takes in") else self._counted_in(at)
        if adds >= 0 and not self.has(adds - 1, "not", "deny"):
            self.take("frame", adds)
            self.parts.added.append(made)

    def _net(self) -> None:
        """ "Doanh thu thực tế": what was sold without the orders that came to nothing, where a status says so; else it is not read."""
        column, lost = lost_values(self.schema.sheet)
        concepts = {each.concept for mention in self.mentions for each in mention.targets[:1]}
        sold = "revenue" in concepts or self.any("sold", "bought", "how much", "rows")
        sold = sold or any(map(self.is_rows, self.places))
        for at, mention in enumerate(self.mentions):
            if mention.role or not lost or not sold or not self.has(at, "net"):
                continue
            if not any(each.ref.name == column for each in self.parts.conditions):
                ref = self.schema.refs[f":{column}"]
                self.parts.conditions.append(Condition(ref, "nin", list(lost), ", ".join(lost)))
                self.note("net_of", said=mention.text, values=lost)
            beside = self.figure(at - 1) is not None  # "doanh thu thực nhận"
            self.take("condition" if beside or not mention.targets else "", at)

    def _accents_told(self, at: int, value: Value) -> None:
        """Say what a value was read for where its own accents are others than those that were typed."""
        text = self.mentions[at].text
        same = [each for each in value.values if fold(each) == fold(text)]
        agree = any(all(map(accents_agree, words(text), words(each))) for each in same)
        if same and not (agree or self.schema.bare):
            self.note("read_as", typed=text, meant=same[0])

    def _which_beside(self, at: int) -> int:
        """The place of a "nào" right behind, or a "which" right before; -1 for none."""
        if self.has(at + 1, "which") and not self._between(at, at + 1).strip():
            return at + 1
        return at - 1 if self.at(at - 1).said in {"which", "what"} else -1

    def _is_row_key(self, condition: Condition) -> bool:
        """Whether a condition leaves one row: one code of a column in which each row has its own."""
        ref = condition.ref
        unique = not ref.sheet and self.schema.key(ref).distinct == self.schema.sheet.rows
        one = unique and condition.op == "eq" and condition.value is not None
        return one and (ref == self.schema.row_ref or code_name(ref))

    def _rows_inside(self, at: int) -> None:
        """ "Đơn hủy" is a state that names the rows too."""
        first = self.wording.words[self.mentions[at].start]
        if self._opens_with_rows(at):
            self.parts.rows = self.parts.rows or self.wording.text[first.start : first.end]

    def _opens_with_rows(self, at: int) -> bool:
        """Whether the first of several words of a value is what a row is called: "đơn hủy"."""
        mention, first = self.mentions[at], self.wording.words[self.mentions[at].start]
        named = self.schema.names.listed((first.folded,)) if mention.end - mention.start > 1 else ()
        return any(target.key == "rows" for target in named)

    def _state_fact(self, at: int, value: Value) -> None:
        """That words are a whole value of a column, with the negation right before them."""
        if not value.whole or value.ref.kind != "text":
            return
        said, before = self.mentions[at].text, self.beside(at, -1)
        place = value.ref.name, value.ref.sheet or self.schema.sheet.name
        self.parts.stands_in.append((", ".join(value.values), *place))
        held = "{} ({})".format(*self.parts.stands_in[-1][:2])
        apart = before >= 0 and set(self._between(before, at)) & set(",;:!?\n")
        if self.has(before, "not", "deny", "not this", "minus") and not (
            apart or self._ends_between(before, at)
        ):
            self.parts.facts.append(f"“{self.mentions[before].text} {said}” leaves out {held}")
        else:
            self.parts.facts.append(f"“{said}” is the value {held}")

    def _is_value(self, at: int) -> bool:
        """Whether words that could be a value mean it: words of questions and names of columns come first."""
        mention = self.mentions[at]
        if self._heads_code(at) or self._only_counts(at) or self._is_of_person(at) or self._is_other(at):
            return False
        best, beside = mention.values[0], self._column_beside(at, mention.values[0].ref) >= 0
        column = mention.targets[0].weight - best.weight if mention.targets else -1.0
        rank = best.whole and best.ref.concept in {"segment", "gender"}
        beside = beside or (rank and self._behind_person(at))  # "khach hang vang" is no "vâng"
        if mention.said in _YES_NO:
            return beside and best.whole
        if beside:
            bare = not accents(mention.text) and any(accents(each) for each in best.values)
            said = {"avg", "sum", "max", "min", "count", "not", "deny"}
            return best.whole or not (mention.labels and (bare or mention.labels & said))
        if column > 0.02 or (column >= -0.3 and self._asked_for(at)):
            return False
        if mention.labels - _LINKS and not best.whole:
            return False  # "trung bình" is an average whatever the data holds
        return len(mention.text.split()) > 1 or self._is_word_value(at, best)

    def _heads_code(self, at: int) -> bool:
        """Whether a noun is of the code right behind it, and no value: "nhân viên NV012" where "Nhân viên" is a position."""
        codes = [each.ref.concept for each in self.at(at + 1).values if each.whole and code_name(each.ref)]
        return any(each.concept in codes for each in self.mentions[at].targets)

    def _is_other(self, at: int) -> bool:
        """Whether a word that stands in names of goods says a place ("ở Hoa"), or is a syllable that none is called by ("ly" of
        "Chân váy xếp ly"); whether goods are told by a part of what is none: "hàng điện tử" is no "Ví điện tử".
        """
        best, said = self.mentions[at].values[0], self.mentions[at].said
        if not best.whole and best.ref.concept in _WAYS | STATES:
            return any(each.concept in GOODS for each in self.at(at - 1).targets[:1])
        if best.whole or best.ref.concept not in GOODS or " " in said:
            return False
        links = itertools.takewhile(self.is_link, range(at - 1, -1, -1))
        if not set(turn_words("at")).isdisjoint(self.mentions[each].text.lower() for each in links):
            return True
        first = any(fold(value).startswith(f"{said} ") for value in best.values)
        beside = (self.mentions[each] for each in self.sides(at))
        named = [each.ref for mention in beside for each in mention.values]
        return is_syllable(said) and not first and not any(ref.concept in GOODS for ref in named)

    def _is_of_person(self, at: int) -> bool:
        """Whether a word after a noun of persons stands in names of other things only: "khách hàng nữ" is no "Áo polo nữ"."""
        best = self.mentions[at].values[0]
        called = self._is_called(at) and best.ref.concept not in PERSONS
        return not best.whole and (called or (self._behind_person(at) and best.ref.concept in GOODS))

    def _is_called(self, at: int) -> bool:
        """Whether a word with a capital behind a title is somebody's name, whatever else it means: "chị Chi", "anh Dũng"."""
        mention, ahead = self.mentions[at], self.at(at - 1).said
        values = (value for each in mention.values for value in each.values)
        listed = {fold(name) for value in values for name in spellings_of(value)}
        named = mention.text[:1].isupper() and not self.wording.text.isupper() and mention.said not in listed
        return named and ahead.rpartition(" ")[2] in _CALLED

    def _behind_person(self, at: int) -> bool:
        """Whether a noun of persons stands right before."""
        return any(each.concept in PERSONS for each in self.at(at - 1).targets[:1])

    def _only_counts(self, at: int) -> bool:
        """Whether a word after "bao nhiêu" is what values are counted in ("Tất (5 đôi)"), or what the value right behind it is ("bao
        nhiêu đôi giày lười"), and no part that names them.
        """
        mention, best = self.mentions[at], self.mentions[at].values[0]
        ahead = [] if self._between(at, at + 1).strip() else self.at(at + 1).values[:1]
        next_ = any(each.whole and each.ref == best.ref for each in ahead)
        counter = re.compile(rf"[0-9]\s*{re.escape(mention.said)}\b")
        held = self.parts.pointer is not None or all(counter.search(fold(each)) for each in best.values)
        alone = held and " " not in mention.text and not self._between(at - 1, at).strip()
        near = self.has(self.beside(at, -1), "count") if next_ else alone and self.has(at - 1, "count")
        if near and not best.whole:
            self.take("head", at)
        return near and not best.whole

    def _is_word_value(self, at: int, best: Value) -> bool:
        """Whether a single word means a value: everyday words and bits of names do not ("tra" is no "Trà")."""
        mention = self.mentions[at]
        bare = not accents(mention.text) and any(accents(each) for each in best.values)
        inside = mention.start > 0 and mention.text[:1].isupper() and not self.wording.text.isupper()
        labelled = bool(mention.labels or mention.targets)
        if mention.labels and not (best.whole or inside):
            return False  # "mấy đồng" is no "Đồng Nai"
        unmarked = bare or (mention.labels - _LINKS and not accents(mention.text))
        if mention.labels and not inside and unmarked:
            return False
        if best.ref.concept in PERSONS and (not best.whole or (mention.text.islower() and labelled)):
            return inside or not _TITLES.isdisjoint(self.at(at - 1).said.split())
        listed = {fold(each) for value in best.values for each in spellings_of(value)}
        if best.whole or inside or (mention.said in listed and not labelled):  # "hue"
            return True
        few = best.ref.concept in {"product", "province"} or (len(best.values) <= 3 and not labelled)
        return few and not (bare and len(mention.text) < 5)

    def _asked_for(self, at: int) -> bool:
        """Whether the words around ask for a dimension ("theo kênh", "bao nhiêu nhân viên") and not for one value of it."""
        before, after = self.beside(at, -1), self.beside(at, 1)
        labels = ("by", "per", "count", "number", "top", "bottom", "plural", "distinct", "list")
        counted = self.has(before, *labels) or self.at(before).role == "limit"
        return counted or self.has(after, "which", "distinct")

    def _pick(self, at: int) -> Value | None:
        """The one column whose value is meant: the one named beside it, else the surest; asks between equals."""
        mention = self.mentions[at]
        top = mention.values[0]
        likely = [each for each in mention.values if each.whole >= top.whole]
        if beside := [each for each in likely if self._column_beside(at, each.ref) >= 0]:
            return beside[0]
        alike = (each for each in mention.values if each.whole == top.whole)
        best = [each for each in alike if top.weight - each.weight < 0.03]
        if picked := self.choices.get(mention.said):
            best = [each for each in mention.values if each.ref.name == picked] or best
        if len(best) > 1 and (side := side_before(self.wording.words[: mention.start])):
            sided = [each for each in best if side_of(each.ref.name) == side]
            best = sided if len(sided) == 1 else best
        if not top.whole and {each.ref.concept for each in best} <= GOODS:  # a kind, and names with its word
            best = [each for each in best if each.ref.concept == "product"][:1] or best
        if len(best) > 1:
            names = tuple(each.ref.name for each in best[:4])
            self.ask("which_value", mention.text, names, said=mention.text)
        if not top.whole:
            shown = (*best[0].values[:4], *(["…"] if len(best[0].values) > 4 else []))
            self.note("values_meant", said=mention.text, values=shown, field=best[0].ref.name)
        return best[0]

    def _column_beside(self, at: int, ref: Ref) -> int:
        """The place next to a value that names its column ("nền tảng Shopee", "Shopee platform"); -1 for none."""
        for step in (-1, 1):
            place = self.beside(at, step)
            if place < 0 or self.mentions[place].role or not self.mentions[place].targets:
                continue
            mention = self.mentions[place]
            if step == 1 and (mention.values or self._asked_for(place)):
                continue
            sure = (each.ref for each in mention.targets if each.weight > mention.weight - 0.1)
            same = any(each and each.name == ref.name for each in sure)
            if same and not self.is_rows(place) and not self._asked_for(place):
                return place
        return -1

    def _denied(self, at: int) -> bool:  # noqa: PLR0911 (one case a kind of word)
        """Whether a word of leaving out stands before the value, with only names, values and links between. What "không phải" says
        ends at a value of another column, what "trừ" leaves out goes on past it over "và".
        """
        crossed = False
        for place in range(at - 1, max(at - 7, -1), -1):
            mention = self.mentions[place]
            kept = mention.has("keeps") and not self.has(place - 1, "not", "deny")  # "bỏ A, vẫn giữ B"
            if kept or self._ends_between(place, at):
                return False  # "… cũng không ra. Áo khoác gió còn bao nhiêu"
            if mention.said == "ngoai" and place == at - 1:
                return self._leaves_out(place)
            if mention.has("minus") and self._subtracts(place):
                return False
            away = mention.said in {"khong den", "khong toi"}  # "không đến từ Shopee"
            denies = away or mention.has("not", "deny", "blank", "minus", "not this")
            if denies and mention.weight < 0.9:
                ahead = next((nth for nth in range(place + 1, at) if not self.is_link(nth)), at)
                if "," in self._between(place, ahead) or (crossed and mention.has("is not")):
                    return False  # "Không có à, hạng Vàng cơ" refuses what was said before, "không COD mà bị hủy" no state
                self.take("negation", place)
                # "không phải A, B mới đúng" refuses the first alone.
                return not (mention.has("not this") and "," in self._between(place, at))
            if mention.role == "negation":
                return True
            if mention.role == "condition" or self._owns(at, place):
                return False
            crossed = crossed or self._is_apart(at, place)
            listed = mention.has("and", "either", "to", "all", "only", "plural") or mention.said == "may"
            named = mention.role in {"pointer", "value"} or mention.values or mention.targets
            if not (self.is_link(place) or listed or named):
                return False
        return False

    def _leaves_out(self, at: int) -> bool:
        """Whether "ngoài Huế" is all but Huế: so it is beside a noun of places or "ra"; the centre means in Huế, others are asked."""
        self.take("negation", at)
        there, ref = self.mentions[at + 1].text, self.mentions[at + 1].values[0].ref
        others = bool({word.folded for word in self.wording.words} & {"ra", "khac"})
        nouns = (nth for nth, each in enumerate(self.mentions) if each.targets and nth != at + 1)
        if others or ref.concept not in PLACES or any(self._noun_ref(nth) == ref for nth in nouns):
            return True
        options = (f"ở {there}", f"trừ {there}")
        if not self.centre and "ngoai" not in self.choices:
            self.ask("which_side", "ngoài", options, said=f"{self.mentions[at].text} {there}")
        return self.choices.get("ngoai") == options[1]

    def _is_apart(self, at: int, place: int) -> bool:
        """Whether the word at `place` is a value of another column than the one at `at`."""
        mine, left = ({each.ref.name for each in self.mentions[where].values} for where in (at, place))
        return self.mentions[place].role == "value" and bool(left) and mine.isdisjoint(left)

    def _owns(self, at: int, place: int) -> bool:
        """Whether a value is of what the value before it says, which alone is denied: "trừ đơn huỷ của Lazada"."""
        joined = any(self.has(each, "and", "either", "not") for each in range(place + 1, at))
        if joined or not self._is_apart(at, place) or self.listed(place, at):
            return False
        self.parts.owner = self.mentions[at].values[0].ref
        return True

    def _subtracts(self, at: int) -> bool:
        """Whether "trừ" takes one figure from another ("giá bán trừ giá vốn") and leaves nothing out."""
        before, after = self.beside(at, -1), self.beside(at, 1)
        figures = [self.figure(each) is not None for each in (before, after)]
        return all(figures) and not self.mentions[after].values

    # --- 5. dimensions

    def _every(self) -> None:
        """ "mọi hạng", "bất kỳ năm nào", "all channels together": whatever the column holds, so no condition on it."""
        for at in range(len(self.mentions) - 1):
            noun = at + 1 + self.has(at + 1, "plural")
            together = self.has(at, "all", "sum") and self.has(noun + 1, "together")
            if (
                (number := self._several(at + 1))
                and (self.has(at, "all") or self.mentions[at].said in _FULL)
                and (every := self._all_of(at + 2, number))
            ):
                joined = [at - 1] if self.has(at - 1, "together") else []
                self.parts.every.append(every)
                self.take("frame", *joined, at, at + 1, *([] if self.parts.chart else [at + 2]))
                continue
            if not together and self.mentions[at].text.lower() not in _WHATEVER:
                continue
            if self.at(noun).role:
                continue
            if (found := self.group(noun)) is not None:
                self.parts.every.append(found)
                self.take("frame", *range(at, noun + 1 + together))

    def _all_of(self, at: int, number: int) -> Group | None:
        """The column of a noun that has just so many values: "cả bốn kênh", "đủ 4 kênh"."""
        found = self.group(at) if self._is_noun(at) else None
        return found if found and not found.unit and self.schema.key(found.ref).distinct == number else None

    def _groups(self) -> None:
        """ "theo tỉnh", "tháng nào", "mỗi nhân viên", "top 5 sản phẩm": what the answer is broken down by."""
        self._who_delivers()
        for at in self.places:
            mention = self.mentions[at]
            if not mention.role and (self._asks_which_thing(at) or self._each_row(at)):
                continue
            if mention.role or not (mention.targets or mention.unit) or mention.period:
                continue
            trigger, place = self._trigger(at)
            row_each = trigger == "per" and self.any("avg", "aov") and self._kinds_alone(at)
            self.parts.per_row = self.parts.per_row or row_each
            if row_each or (trigger == "which" and self._is_of_two(at)):
                self.take("per" if row_each else "frame", at, *place)
                continue
            if not trigger or (self.figure(at) is not None and not (self.is_rows(at) and trigger == "per")):
                continue
            each = self._row_names() if trigger in {"by", "per"} and self.is_rows(at) else None
            found = self.group(at) or (Group(each) if each else None)
            found = self._of_values(at) or found if trigger in {"by", "per"} else found
            on_each = any(self.mentions[each].said.startswith(("tren ", "tinh tren")) for each in place)
            mean = on_each or self.any("avg", "aov")
            rows = trigger == "per" and self.is_rows(at)
            own = found is None or found.ref.concept == self.schema.row_concept
            if rows and own and (found is None or mean or code_name(found.ref)):
                self.parts.per_row, self.parts.rows = True, self.noun(at)
                self.take("per", at, *place)
                continue
            if found is None:
                continue
            if trigger == "per" and self._single(found, mean=mean):
                self.parts.per.append(found)
                self.take("per", at, *place)
            else:
                self._group_by(found, trigger, at, *place)

    def _who_delivers(self) -> None:
        """ "Bên nào giao", "hang nao giao" (hàng, hạng or hãng): who delivers is the carrier, and so is who was spoken of as one."""
        ref, known = self.schema.of("carrier"), concept("carrier")
        delivers = says("delivers").search(self.parts.message)
        held = any(each.op == "in" or each.ref == ref for each in self.parts.conditions)
        if ref is None or known is None or held or not (delivers or self.about == ref):
            return
        for at in self.places:
            alone = delivers and self.has(at, "which one") and self.mentions[at].said.startswith("ben")
            named = self.has(at + 1, "which") and self.mentions[at].said in map(fold, known.phrases)
            if not self.mentions[at].role and (alone or (named and not accents(self.mentions[at].text))):
                self.mentions[at].labels |= {"which"}
                self._group_by(Group(ref), "which", at, *([at + 1] if named else []))
                break

    def _group_by(self, found: Group, trigger: str, *places: int) -> None:
        """Break the answer down by what a trigger names; "kênh nào" asks for one even where each is spoken of too."""
        if found not in self.parts.groups:
            self.parts.groups.append(found)
            self.parts.outer += [found] if trigger in {"by", "per"} else []
            self.take("group", *places)
        elif trigger == "which":
            self.parts.outer = [each for each in self.parts.outer if each != found]

    def _of_values(self, at: int) -> Group | None:
        """The column of several values that are named, where a noun of any thing stands for them: "COD và thẻ mỗi loại mấy đơn"."""
        named = [each.ref for each in self.parts.conditions if each.op == "in" and "," in each.said]
        ref = target.ref if (target := self.dimension(at)) else None
        vague = ref is None or ref.sheet or self.mentions[at].has("thing", "people", "filler")
        other = len(named) == 1 and ref not in named and vague and not self.mentions[at].unit
        return Group(named[0]) if other else None

    def _row_names(self) -> Ref | None:
        """The column that names the rows, where each is a thing: the products of a sheet of goods."""
        refs = self.schema.by_concept.get(self.schema.row_concept, ())
        own = (each for each in refs if each.kind == "text" and not each.sheet)
        return next((each for each in own if not code_name(each)), None)

    def _each_row(self, at: int) -> bool:
        """ "Tồn kho mỗi cái", "stock per item": by the name of the rows, where none is named and no mean is asked for; "bình quân
        mỗi người": over the persons whom the rows are of.
        """
        persons = self._persons_of_sheet()
        if (
            persons
            and self.has(at, "each")
            and self.any("avg")
            and self.mentions[at].said in turn_words("each person")
        ):
            once = (
                self.schema.key(persons).distinct >= self.schema.sheet.rows
            )  # the mean of rows is that of persons
            self.parts.per += [] if once else [Group(persons)]
            self.take("per", at)
        named = self._row_names() if self.has(at, "each") and not self.mentions[at].targets else None
        figures = [figure.ref for each in self.places if (figure := self.figure(each))]
        added = any(ref is not None and not averaged(ref) for ref in figures)
        spoken = named in {self.about, *(each.ref for each in self.parts.conditions)}
        if named and added and not (spoken or self.any("avg", "aov", *_ENDS)):
            self.parts.groups.append(Group(named))
            self.take("group", at)
        return bool(self.mentions[at].role)

    def _asks_which_thing(self, at: int) -> bool:
        """ "Bên nào nhiều đơn nhất", "con nào hết hàng": of what was spoken of last, else the goods of the sheet."""
        said = [each.said for each in self.mentions[at : at + 2]]  # "bán gì chạy nhất", "what do people buy"
        english = said[0] == "what" and said[-1] in {"do", "did"} and self.any("bought")
        verb = at - 1 - self.has(at - 1, "plural")
        bare = english or (self.has(verb, "sold", "bought") and said[0] == "gi")
        whole = self.has(at, "which one") or bare
        if not whole and not (self.has(at, "thing") and self.has(at + 1, "which")):
            return False
        nouns = (place for place in self.places if not (self.mentions[place].values or self.is_rows(place)))
        nouns = (place for place in nouns if self.figure(place) is None and not self.has(place, "thing"))
        named = any(map(self.dimension, nouns))
        named = named and not (bare or (whole and self.about is not None and self.any("max", "min")))
        ends = self.any("max", "min", "seller", "slow seller", "sold out", "running out", "top")
        if bare and self.any("latest", "earliest") and any(map(self.is_rows, self.places)):
            self.take("frame", at)  # "đơn gần nhất mua gì": all of that row
            return True
        if named or not (ends or (bare and self.parts.row_key is None)):
            return False
        conditioned = {each.ref for each in self.parts.conditions if each.op == "eq"}
        goods = self.schema.goods()
        piece = bare or self.mentions[at].said.split()[0] in _PIECES
        product = any(each.concept == "product" for each in self.mentions[at].targets)
        ware = product or self.mentions[at].said in _WARES
        kinds = piece and self.about is not None and self.about.concept in {"category", "brand"}
        ware = ware or bare
        asked = self.about if self.about not in conditioned and not (kinds or (ware and goods)) else None
        stocked = self.schema.row_concept == "product" and self.any("sold", "bought", "seller", "slow seller")
        if asked is None and (not goods or stocked or not piece):
            return False
        if self.any("sold out", "running out") or self.schema.row_concept == "product":
            self.mentions[at].labels |= {"which"}
        if self.schema.row_concept == "product" and asked in {None, *goods}:
            self.parts.rows = "sản phẩm"
            self.take("rows", at, *([] if whole else [at + 1]))
            return True
        self.parts.groups.append(Group(asked or goods[0]))
        self.take("group", at, *([] if whole else [at + 1]))
        return True

    def _is_of_two(self, at: int) -> bool:
        """Whether "tháng nào", "kênh nào" asks which of the two that are pointed at."""
        pointer = self.parts.pointer
        held = pointer is not None and pointer.both and self.any("gt", "lt", "gap")
        own = pointer is None or pointer.ref in {None, self._noun_ref(at)}
        return held and (bool(self.mentions[at].unit) or own)

    def _single(self, group: Group, *, mean: bool) -> bool:
        """Whether "mỗi X" asks for one mean over all X: with a word of average, for days, persons and what is many."""
        refs = [each.targets[0].ref for each in self.mentions if each.targets and each.targets[0].ref]
        if not mean or any(ref.kind in NUMERIC and averaged(ref) for ref in refs):
            return False
        few = not group.unit and self.schema.key(group.ref).distinct <= 30 and not self.any("count")
        return not (few and group.ref.concept not in {*PERSONS, "order", "product", "vehicle"})

    def _trigger(self, at: int) -> tuple[str, list[int]]:
        """Which word makes the mention at `at` a dimension, and where it stands: by, per, which, top; "" for none."""
        text = self.mentions[at].said
        if self.mentions[at].unit and text.startswith("moi "):
            return "per", []
        by = text.startswith(("hang ", "tung ", "theo ")) or text.endswith(("ly", " by day", " by month"))
        if self.mentions[at].unit and by:
            return "by", []
        after, before = self.beside(at, 1), self.beside(at, -1)
        last = at
        while after == last + 1 and self.mentions[after].role == "value":
            last, after = after, self.beside(after, 1)  # "khách hàng Kim cương nào"
        asked = after == last + 1 and self.has(after, "which")
        asked = asked and self.mentions[after].start == self.mentions[last].end
        if asked and not self.has(before, "by"):
            return "which", [after]
        return self._trigger_before(at, before) if before >= 0 else ("", [])

    def _trigger_before(self, at: int, before: int) -> tuple[str, list[int]]:
        mention = self.mentions[before]
        top, chain = self.has(before, "top", "bottom"), self.beside(before, -1)
        chained = self.at(chain).role in {"group", "per"}
        signs: tuple[tuple[str, bool, list[int]], ...] = (
            ("by", mention.has("by") and not self.sure(before), [before]),
            ("per", self.has(before, "per") and mention.role in {"", "per"}, [before]),
            ("which", self.has(before, "which") and mention.said in {"which", "what"}, [before]),
            ("top", top or mention.role == "limit", [before] if top else []),
            ("by", self.has(before, "and") and chained, [before]),
            ("by", mention.role == "group" and "," in self._between(before, at), []),
        )
        return next(((sign, places) for sign, holds, places in signs if holds), ("", []))

    def _between(self, left: int, right: int) -> str:
        """What stands between two mentions, "" where there are not two."""
        if left < 0 or right not in self.places:
            return ""
        words, ends = self.wording.words, (self.mentions[left].end - 1, self.mentions[right].start)
        return self.wording.text[words[ends[0]].end : words[ends[1]].start]

    def _ends_between(self, left: int, right: int) -> bool:
        """Whether a sentence ends between two mentions: at a sign, a dot only behind a word with a vowel, as "TP." ends none."""
        words, ends = self.wording.words, (self.mentions[left].end - 1, self.mentions[right].start)
        return bool(_SENTENCE_END.search(self.wording.text[words[ends[0]].start : words[ends[1]].start]))

    def _comma(self, at: int) -> bool:
        """Whether a comma stands right behind a mention, and another mention then."""
        return "," in self._between(at, at + 1)

    def listed(self, left: int, right: int) -> bool:
        """Whether a comma or a dash stands somewhere between two mentions."""
        return any(set(self._between(at, at + 1)) & set(",-–;") for at in range(left, right))

    def bracketed(self, left: int, right: int, *, days: bool) -> bool:
        """Whether the second of two neighbours stands in brackets, or is one day with the first: "thứ bảy 21/11"."""
        between = self._between(left, right).strip()
        return between in {"(", "["} or (days and between in {"", ","})

    def _persons(self) -> None:
        """ "Ai", "who": the column of persons."""
        for at in self.free():
            places = ("province", "region", "district")
            refs = (ref for name in places for ref in self.schema.by_concept.get(name, ()))
            own = [ref for ref in refs if not ref.sheet and ref.kind == "text"]
            if (
                self.has(at, "place") and own and Group(own[0]) not in self.parts.groups
            ):  # "where is that customer from"
                self.parts.groups.append(Group(own[0]))
                self.mentions[at].labels |= {"which"}
                self.take("group", at)
        asked = next((at for at in self.free() if self.has(at, "who")), None)
        if asked is None:
            return
        if self.parts.groups and self.parts.row_key is None:
            self.take("who", asked)
            return
        seller = {"employee"} if self.any("sold", "seller") else set()
        hint = {"customer", "patient"} if self.any("bought") else seller
        named = {ref.concept for ref in self.schema.refs.values() if ref.kind == "text"}
        known = [name for name in PERSONS if name in named]
        likely = [name for name in known if name in hint] or known
        first = [name for name in ("reader", self.schema.row_concept) if name in likely and not hint]
        likely = first[-1:] or likely
        alike = (self.schema.by_concept[name] for name in likely)
        row = self.parts.row_key is not None  # of one row the name is found in another sheet
        columns = [max(refs, key=lambda ref: (row or not ref.sheet, not code_name(ref))) for refs in alike]
        picked = self.choices.get(self.mentions[asked].said)
        columns = [ref for ref in columns if ref.name == picked] or columns
        if len(columns) > 1:
            said, names = self.mentions[asked].text, tuple(ref.name for ref in columns[:4])
            self.ask("which_field", said, names, said=said)
        if columns:
            self.parts.groups.append(Group(columns[0]))
            self.take("group", asked)

    def _loose(self) -> None:
        """Dimensions that are only named: "sản phẩm bán chạy nhất", "doanh thu các tỉnh"."""
        for at in list(self.free()):
            mention = self.mentions[at]
            if mention.period or mention.amount or self.figure(at) is not None or self.is_rows(at):
                continue
            vague = mention.has("filler", "verb", "to", "and") or mention.weight < 0.6
            if mention.targets and mention.weight < 0.9 and vague:
                continue
            found = self.group(at) if (mention.targets or mention.unit) else None
            if found is not None and (self._heads_value(at) or self._acts(at, found)):
                self.take("head", at)
                continue
            contact = found is not None and not found.unit and self.schema.key(found.ref).is_contact
            if contact and self.parts.conditions and found:
                self._group_by(found, "which", at)  # "số điện thoại của Trần Thu Chi"
            elif found is not None and not mention.has("sold", "bought"):
                self.parts.loose.append(found)
                mention.role = "loose"

    def _acts(self, at: int, found: Group) -> bool:
        """Whether customers are only who bought, or whom something was for: "khách mua bao nhiêu đơn", "giảm giá cho khách"."""
        start = self.mentions[at].start
        ahead = self.wording.words[start - 1].folded if start else ""
        if found.ref.concept != "customer":
            return False
        given = ahead in {"cho", "to", "for"} and not self._asked_for(at)
        after = self.beside(at, 1)
        traded = self.parts.measures or self.schema.of("quantity")
        if traded and self.at(after).role == "group" and self.has(after + 1, "which"):
            return True  # "khách hạng nào", "khách ở tỉnh nào"
        chosen = bool(self.parts.numbers)  # "khách mua trên 5 triệu" asks which
        acts = (self.has(self.beside(at, 1), "bought") and not chosen) or ahead in {"cua", "tu", "from"}
        return given or (acts and (bool(self.parts.groups) or not self.any(*_ASKED_OF)))

    def _heads_value(self, at: int) -> bool:
        """Whether a thing is only named as what a value behind it is of: "những khách hạng Vàng"."""
        after = self.beside(at, 1)
        valued = self.at(after).role == "value"
        return valued and any(each.ref.sheet for each in self.parts.conditions)

    # --- 6. figures

    def _measures(self) -> None:
        """The figures asked for, in the order of the question."""
        for at in list(self.free()):
            mention = self.mentions[at]
            if mention.role or self._refused(at) or self._numbers_noun(at):
                continue
            if self._classifies(at):
                self.take("head", at)
                continue
            if self._per_piece(at):
                self.take("head", at, *(each for each in [self.beside(at, -1)] if self.has(each, "per")))
            elif counted := self._counted(at):
                self._add(counted, at)
            elif target := self.figure(at):
                if mention.has("sold", "bought", "verb") and mention.labels and target.weight < 0.7:
                    continue
                if mention.has("left") and target.weight < 0.9:
                    continue
                if self._opens_name(at):
                    self.take("head", at)
                    continue
                self.take("figure", at)
                self._add(self._measured(at, target), at)
        self._list_of_figures()
        self._operations()
        self._noun_heads()

    def _classifies(self, at: int) -> bool:
        """Whether "cái" only stands before the noun that it is of: "cái tháng cao nhất", "cái kênh đó"."""
        behind, counted = at + 1, self.beside(at, -1)
        if not self.has(at, "thing") or self._between(at, behind).strip():
            return False
        noun = self.at(behind).unit or self._is_noun(behind)
        return bool(noun) and not (self.has(counted, "count", "number", "by") or self._several(counted))

    def _list_of_figures(self) -> None:
        """In a list of figures a filter is of the figure it stands in: a state or a bound beside a count or a rate, what a figure
        named again is told apart by, and values of one column in several places of the list.
        """
        items = sorted([*self.items, *self._rates(), *self._counted_states()], key=lambda each: each[0])
        ends = [at for at, _ in items]
        starts = [0, *(self._joint(one, two) for one, two in itertools.pairwise(ends))]
        periods = sum(each.role == "period" for each in self.mentions) + bool(self.parts.when.versus)
        rate = len(items) == 1 and bool(items[0][1].part)
        if not all(starts[1:]) or (len(items) < 2 or periods > 1) != (rate and periods > 1):
            return
        places = [*(at for at, *_ in self.held), *(at for at, _ in self.bounds)]
        nth = {at: max(n for n, start in enumerate(starts) if start <= at) for at in places}
        beside = {at for at, n in nth.items() if self._stands_beside(at, ends[n])}
        items_of: dict[Ref, set[int]] = {}  # the items of the list that hold values of a column
        for at, each, _ in self.held:
            items_of.setdefault(each.ref, set()).add(nth[at])
        apart = {ref for ref, held in items_of.items() if len(held) > 1}
        heads = [replace(measure, noun=measure.noun.lower()) for _, measure in items]
        alone = [n for n in range(len(items)) if n not in nth.values()]
        same = len(heads) > 1 and all(each == heads[0] for each in heads)
        mixed = same and not any(set(nth.values()) == items_of[ref] for ref in apart)
        bare = [(other, heads[other]) for other in alone]
        again = {n for n, head in enumerate(heads) if mixed or any(o != n and h == head for o, h in bare)}
        if same and not mixed and not alone and not heads[0].part:
            self.parts.repeated = True  # "doanh thu Shopee và doanh thu Lazada": by that column
            return
        again -= {nth[at] for at in beside}
        own = {at for at, each, _ in self.held if (each.ref in apart or nth[at] in again) and at > ends[0]}
        own |= beside | {at for at, _ in self.bounds if nth[at] in again}
        if not own:
            return
        kept, bounds = _merged(self.held), [each for at, each in self.bounds if at in own]
        rest = [each for each in self.parts.conditions if each not in kept and each not in bounds]
        self.parts.conditions = [*rest, *_merged([each for each in self.held if each[0] not in own])]
        self.parts.numbers = [each for each in self.parts.numbers if each[0] not in bounds]
        self.parts.measures, self.asked_both = [], True
        for n, head in enumerate(heads):
            mine = _merged([each for each in self.held if each[0] in own and nth[each[0]] == n])
            mine += [each for at, each in self.bounds if at in own and nth[at] == n]
            if head.part:
                self.mentions[ends[n]].labels = frozenset()
                self.take("count", ends[n])
            self._add(replace(head, part=tuple(mine)) if head.part else replace(head, only=tuple(mine)))

    def _rates(self) -> Iterator[tuple[int, Measure]]:
        """The rates of a state that a message of several figures names: "doanh thu và tỷ lệ hủy", "cancellation rate"."""
        for at in self.places:
            states = (place for place, each, _ in self.held if each.ref.concept in STATES)
            near = [place for place in states if self._stands_beside(place, at)]
            if self.has(at, "share") and near:
                part = tuple(each for place, each, _ in self.held if place == near[-1])
                yield at, Measure("count", part=part)

    def _counted_states(self) -> Iterator[tuple[int, Measure]]:
        """The rows in a state that are counted in a list of figures: "số đơn hủy", "… và đơn hoàn trả", "… and cancelled orders"."""
        counts = {at for at, each in self.items if each.op == "count"}
        refs = {at: each.ref for at, each, _ in self.held}
        for at, condition, denied in self.held:
            near = [at + step for step in (-1, 1) if at + step in self.places]
            near = [each for each in near if not self.listed(*sorted((at, each)))]
            first = min([at, *(each for each in near if self.is_rows(each))])
            named = self.parts.rows in self.mentions[at].text.split() or any(map(self.is_rows, near))
            led = self.has(first - 1, "and", "count", "number") or self._comma(first - 1)
            # "doanh thu của đơn hủy và đơn hoàn trả"
            ahead = max((each for each in refs if each < first), default=-1)
            other = first - ahead <= 2 and refs.get(ahead) == condition.ref
            other = other and counts.isdisjoint({ahead, ahead - 1})
            counted = any(place in {first, *near} for place, _ in self.items)
            if condition.ref.concept in STATES and named and led and not (denied or counted or other):
                counts.add(at)
                yield at, Measure("count", noun=self.parts.rows)

    def _joint(self, one: int, two: int) -> int:
        """Where the second of two figures of a list begins: behind the last "và" or comma between them, 0 for none."""
        places = range(two, one, -1)
        return next((at for at in places if self.has(at - 1, "and") or self._comma(at - 1)), 0)

    def _stands_beside(self, at: int, head: int) -> bool:
        """Whether a state or a bound stands against a figure, with no more than its rows between: "số đơn hủy", "cancelled orders"."""
        state = any(each.ref.concept in STATES for place, each, _ in self.held if place == at)
        between = range(min(at, head) + 1, max(at, head))
        links = {each for each in between if self.is_link(each) and not self.has(each, "and")}
        near = all(each in links or self.is_rows(each) for each in between)
        of = any(self.mentions[each].said in _OF for each in between)
        return (state or at not in {place for place, *_ in self.held}) and near and not of

    def _numbers_noun(self, at: int) -> bool:
        """Whether "số lượng" is the number of the rows or persons named right behind: "số lượng đơn hàng", no pieces."""
        mention, behind = self.mentions[at], at + 1
        if not mention.has("number") or behind >= len(self.mentions):
            return False
        behind += self.mentions[behind].has("plural", "these") and behind + 1 in self.places
        if self.mentions[behind].role:  # "số lượng đơn hủy", "số lượng các đơn đó"
            if counted := self._opens_with_rows(behind) or self.is_rows(behind):
                self.take("count", at)
                self.parts.rows = self.parts.rows or self.noun(behind)
            return counted
        named = self.mentions[behind].targets[0].concept if self.mentions[behind].targets else ""
        noun = self.is_rows(behind) or named in PERSONS
        return noun and named not in GOODS and not self._between(behind - 1, behind).strip()

    def _per_piece(self, at: int) -> bool:
        """Whether a price is said to be that of one ("giá bao nhiêu một cái"), which every price is, or "cái" counts a chart."""
        if self.at(at + 1).role == "chart" and self.has(at, "thing"):
            return True
        target, before = self.figure(at), self.beside(at, -1)
        pieces = target is not None and target.ref is not None and target.ref.concept == "quantity"
        priced = any(each.ref and each.ref.concept == "price" for each in self.parts.measures)
        return bool(pieces and priced and self.has(before, "per"))

    def _refused(self, at: int) -> bool:
        """Whether a figure is named only to say that it is not the one asked for: "chứ không phải số đơn"."""
        before = list(self.around(at, -1, 2))
        if before and self.has(before[0], "number", "sum"):
            before = before[1:]
        asked = self.figure(at) is not None or self.is_rows(at)
        if not (asked and before and self.has(before[0], "not this")):
            return False
        self.take("negation", at, *self.around(at, -1, 2))
        self.parts.corrects = True
        return True

    def _opens_name(self, at: int) -> bool:
        """Whether a general word for money only opens the name of the column behind it ("tiền đã cọc")."""
        after = self.beside(at, 1)
        if self.mentions[at].said not in _MONEY_WORDS:
            return False
        before = at - 1  # "giảm giá nhiều tiền nhất": the money is that figure
        figures = any(each.role == "figure" for each in self.mentions[: max(before, 0)])
        if self.has(before, "max", "min") and figures:
            return True
        if after < 0:
            return False
        return not self.mentions[after].values and self.figure(after) is not None

    def _noun_heads(self) -> None:
        """Nouns that only say what kind of thing a value or a condition beside them is of: "khách Hàn Quốc", "món tráng miệng"."""
        for at in list(self.free()):
            mention = self.mentions[at]
            named = mention.targets and not mention.unit and self.figure(at) is None
            if not named or self._asked_for(at) or self.is_rows(at):
                continue
            near = [
                place
                for place in self.sides(at)
                if not (self._is_of(at, place) or self._is_code_of(at, place))
            ]
            if any(self.mentions[place].role in {"value", "condition", "number"} for place in near):
                self.take("head", at)

    def _is_code_of(self, at: int, place: int) -> bool:
        """Whether the value beside a noun is the code of something else: "đơn DH13348 số điện thoại khách"."""
        coded = (each.ref for each in self.mentions[place].values[:1] if each.whole and code_name(each.ref))
        return any(ref.concept not in {each.concept for each in self.mentions[at].targets} for ref in coded)

    def _is_of(self, at: int, place: int) -> bool:
        """Whether a column is asked of a thing that is named by another: "hạng của Trần Thu Chi"."""
        mine, named = self.mentions[at].targets[0], self.mentions[place].values[:1]
        told = place > at and not _OF.isdisjoint(self.mentions[each].said for each in range(at, place))
        other = bool(named) and mine.concept not in {named[0].ref.concept, *GOODS, *PERSONS, "order"}
        return told and other and mine.ref is not None

    def _add(self, measure: Measure, at: int = -1) -> None:
        self.items += [(at, measure)] if at >= 0 else []
        if replace(measure, noun="") not in [replace(each, noun="") for each in self.parts.measures]:
            self.parts.measures.append(measure)
        else:
            self.parts.repeated = True

    def _measured(self, at: int, target: Target) -> Measure:
        """A figure with the operation that is said right before or after it."""
        if target.metric:
            return metric_measure(self.schema, target.metric)
        ref = target.ref
        op: Operation | None = None
        for place in (*self.around(at, 1, 1), *self.around(at, -1, 2)):
            said = next((each for each in ("sum", "avg") if self.has(place, each)), None)
            if said == "avg" and place > at and self._stands_apart(at, place):
                continue
            if said is not None and self.mentions[place].role in {"", "operation"}:
                op = said  # type: ignore[assignment]
                self.take("operation", place)
                self.told.add(ref.name if ref else "")
                break
            if self.mentions[place].targets and self.mentions[place].role == "figure":
                break
        if op is None:
            op = "avg" if ref and averaged(ref) else "sum"
            if op == "avg" and not self.any("max", "min", "top", "bottom", "avg"):
                self.note("averaged", field=ref.name if ref else "")
        return Measure(op, ref, noun=self.mentions[at].text)

    def _stands_apart(self, at: int, place: int) -> bool:
        """Whether "trung bình" behind a figure is a wish of its own: after a comma or "và", with no figure of its own behind."""
        between = range(at + 1, place)
        joined = self.listed(at, place) or any(self.has(each, "and") for each in between)
        behind = next((each for each in self.around(place, 1, 2) if not self.has(each, "per", "filler")), -1)
        own = self.figure(behind) is not None and not self.is_rows(behind)
        return joined and not own

    def _adds_mean(self, at: int) -> bool:
        """Whether "trung bình" at `at` is a wish beside the sum before it, which is then added: "doanh thu, với trung bình một đơn"."""
        figures = [place for place in range(at) if self.mentions[place].role == "figure"]
        sums = [each for each in self.parts.measures if each.ref and each.op == "sum"]
        if not (figures and sums and self._stands_apart(figures[-1], at)):
            return False
        self._add(replace(sums[0], op="avg"))
        self.asked_both = True
        return True

    def _operations(self) -> None:
        """An operation that was said of no figure in particular holds for all of them."""
        for at in list(self.free()):
            for op in ("avg", "sum"):
                if not self.has(at, op):
                    continue
                self.take("operation", at)
                if op == "avg" and self._adds_mean(at):
                    continue
                self.parts.op = self.parts.op or op
                for nth, each in enumerate(list(self.parts.measures)):
                    if each.ref is None or each.metric or each.distinct:
                        continue
                    if each.op == op:
                        self.told.add(each.ref.name)
                    elif each.ref.name in self.told:  # "tổng bao nhiêu, trung bình bao nhiêu"
                        self._add(replace(each, op=op))
                        self.asked_both = True
                    elif op == "avg" and each.op == "sum":
                        self.parts.measures[nth] = replace(each, op="avg")

    def _counted(self, at: int) -> Measure | None:
        """What is counted when the words before say so: rows, the different values of a column, or pieces."""
        mention = self.mentions[at]
        if mention.has("rows") and mention.has("count") and not mention.targets:
            self.take("count", at)  # "bao nhiêu lần"
            return Measure("count")
        before = self.beside(at, -1)
        before -= before > 0 and self.mentions[before].has("plural", "these")
        counting = self.has(before, "count", "number") or (before >= 0 and self._numbers_noun(before))
        behind = self.at(at + 1).said
        if not counting and self.is_rows(at) and behind == "count":
            before, counting = at + 1, True  # "order count"
        day = self.parts.when.date_ref
        if counting and mention.unit and not mention.targets and self.parts.numbers and day:
            self.parts.groups.append(Group(day, mention.unit))  # type: ignore[arg-type]
            self.parts.counted_unit = True  # "bao nhiêu ngày doanh thu vượt 20 triệu"
            self.take("group", at, before)
        beside = not counting and self._beside_figure(at)
        total = self.has(at - 1, "sum") and self.is_rows(at) and not is_amount(mention.text)
        if total and not counting:
            before, counting = at - 1, True  # "total orders"
        said = [before] if counting and self.mentions[before].role in {"", "count"} else []
        distinct = [place for place in (at - 1, at + 1) if self.has(place, "distinct")]
        halves = self.at(before).said.partition(" ")[0] in _MANY
        halves = halves and self.has(before, "max", "min", "high", "low")
        people = mention.has("people") and not mention.targets
        if people and (said or halves or len(mention.text.split()) > 1):
            return self._count_persons(at, said)
        if not (said or distinct or halves or beside) or not (mention.targets or mention.has("rows")):
            return None
        few, spoken = self.mentions[before].said, {each.said for each in self.mentions}
        listed = few.endswith("may") and not _LISTING.isdisjoint(spoken)
        listed = listed or (few == "may" and self.is_rows(at) and self.any("running out", "sold out"))
        # "mấy tỉnh còn lại", "mấy món nào", "mấy món …, liệt kê giúp em"
        if said and (behind in _REST or self.has(at + 1, "which") or listed):
            self.mentions[before].labels = frozenset({"plural"})
            self.take("frame", before)
            self.take("head" if behind in _REST else "", at)
            return None
        if self.figure(at) is not None and not distinct and not self.is_rows(at):
            self.take("count", *said)
            return self._rows_in_pieces(at, said)
        return self._count_things(at, said, distinct, halves=halves and not said)

    def _rows_in_pieces(self, at: int, said: list[int]) -> Measure | None:
        """The number of rows in a state or place that are spoken of, which "cái" counts too: "đơn đang giao có mấy cái"; None where
        pieces are counted, of goods or of one row.
        """
        named = (self.noun(each) for each in range(at) if self.is_rows(each) and self.mentions[each].targets)
        rows = self.parts.rows or next(named, "")
        other = ("sold", "bought", "per", "each", "pointer", "avg", "sum", "max", "min", "latest", "earliest")
        held = {each.ref.concept for each in self.parts.conditions if not self._is_row_key(each)}
        state = held & (STATES | _NAMED_KINDS) and held.isdisjoint(GOODS) and self.has(at, "thing")
        if not (said and rows and state) or self.any(*other):
            return None
        self.parts.rows = rows
        self.take("count", at)
        return Measure("count", noun=rows)

    def _beside_figure(self, at: int) -> bool:
        """Whether rows stand beside a figure and are counted with it: "revenue and orders", no "doanh thu và đơn lớn nhất"."""
        far = [at + 2 * step for step in (-1, 1) if self.has(at + step, "and")]
        far += [at - 1] if at and "," in self._between(at - 1, at) else []
        figures = [self.figure(each) for each in far if not self.is_rows(each)]
        return self.is_rows(at) and any(figures) and not self.any("max", "min", "which")

    def _count_things(self, at: int, said: list[int], distinct: list[int], *, halves: bool) -> Measure | None:
        target = self.dimension(at)
        each = not distinct and self._kinds_alone(at)
        if (self.is_rows(at) and not distinct) or each:
            self.parts.rows = self.noun(at)
            self.take("count", at, *said)
            if each:
                self.note("counted_each", thing=self.parts.rows)
            return Measure("count", noun=self.parts.rows)
        if target is None or target.ref is None:
            return None
        self.take("count", at, *distinct, *said)
        if distinct:
            return Measure("count", self._counting(target.ref), distinct=True, noun=self.noun(at))
        return self._count_of(target.ref, target.concept, self.noun(at), halves=halves)

    def _kinds_alone(self, at: int) -> bool:
        """Whether nothing but a column of its kinds has to do with the thing named, of which each row is then one."""
        refs = [each.ref for each in self.mentions[at].targets if each.ref and each.ref.kind in NAMES]
        own = self.schema.row_ref
        of_rows = own is None or own.concept in {"", *(ref.concept for ref in refs)}
        return of_rows and bool(refs) and all(holds_kinds_of(ref, self.mentions[at].text) for ref in refs)

    def _count_of(self, ref: Ref, concept: str, noun: str, *, halves: bool) -> Measure:
        """How many of a column's things: pieces of goods, how often they were taken, or its different values."""
        sold, pieces = self.any("sold", "bought", "seller"), self.schema.of("quantity")
        if concept == "product" and (sold or halves) and pieces and not self.parts.numbers:
            self.note("pieces", field=pieces.name)
            return Measure("sum", pieces)
        if halves and concept in {"product", "book", "crop", "service"}:
            self.note("counted_rows")
            return Measure("count", noun=noun)  # "mượn nhiều sách nhất": how often
        if ref.kind == "boolean":
            return Measure("count", noun=noun)
        return Measure("count", self._counting(ref), distinct=True, noun=noun)

    def _count_persons(self, at: int, places: list[int]) -> Measure | None:
        """ "Bao nhiêu người": the different persons of the sheet where a row is not one."""
        rows, ref = self.schema.row_concept in PERSONS, self._persons_of_sheet()
        if not (rows or ref):
            return None
        self.take("count", at, *places)
        noun = self.mentions[at].text
        return Measure("count", noun=noun) if rows else Measure("count", ref, distinct=True, noun=noun)

    def _persons_of_sheet(self) -> Ref | None:
        """The column of the persons whom the rows are of."""
        served = self.schema.deals and not self.any("sold", "seller")  # who bought is none of those who sell
        for name in PERSONS:
            refs = [ref for ref in self.schema.by_concept.get(name, ()) if not ref.sheet]
            if refs and not (served and name in STAFF):
                return self._counting(refs[0])
        return None

    def _counting(self, ref: Ref) -> Ref:
        """The column whose different values are counted: the codes of a thing rather than its names."""
        alike = (each for each in self.schema.by_concept.get(ref.concept, ()) if code_name(each))
        return next((each for each in alike if each.sheet == ref.sheet), ref)

    # --- 7. what is left

    def _rest(self) -> None:
        """Words that only shape the answer are read as what they are; whatever then has no role was not understood."""
        joined = self.parts.when.date_ref is not None and self.parts.when.date_ref.concept == "register date"
        for at in list(self.free()):
            beside = (self.mentions[each] for each in self.sides(at))
            persons = any(each.concept in PERSONS for one in beside for each in one.targets)
            # "khách mới" of a sheet that says when each joined
            new = joined and persons and self.has(at, "new") and len(self.items) < 2
            self.take("frame" if new else self._role_left(at), at)
        self._gather()
        parts = self.parts
        parts.evidence, parts.joined = self._evidence(), self._side_by_side() or self.asked_both
        if self.mentions and self.has(0, "and") and self.mentions[0].role == "link":
            parts.labels |= {"follow"}
        ends = [each for each in self.mentions if each.role not in {"", "pointer"} and each.has("max", "min")]
        parts.many = any(each.said.split()[0] in _MANY for each in ends)
        parts.asks = sum(self.has(at, "count", "much", "how much") for at in self.places)
        counts = [self.beside(at, 1) for at in self.places if self.has(at, "count")]
        parts.counted_value = any(self.at(at).role == "value" for at in counts)
        figures = [at for at, each in enumerate(self.mentions) if each.role == "figure"]
        first = self.at(figures[0] - 1 if figures else -1)
        parts.whole_first = first.has("share") and first.text.split()[-1] in _OF_WHOLE
        parts.share_of = self._share_of()
        sizes = [at for at, each in enumerate(self.mentions) if each.has("size end")]
        ahead = [at - 1 - self.has(at - 1, "which") for at in sizes]  # "đơn nào to nhất"
        near = [*ahead, *(place for at in sizes for place in (self.beside(at, -1), at + 1))]
        parts.sized = any(self.at(at).role == "rows" for at in near)
        parts.rows_first = bool(figures) and any(each.role == "rows" for each in self.mentions[: figures[0]])
        if parts.has("ascending") != parts.has("descending"):
            parts.order = "asc" if parts.has("ascending") else "desc"
        counted = [self.at(at).values[:1] for at in self.places if self._is_counted(at)]
        parts.repeated = parts.repeated or len(counted) > 1
        parts.counted_state = any(each.ref.concept in STATES for values in counted for each in values)
        parts.each = any(map(self._of_each, self.places))
        parts.unread, parts.understood = self._unread(), self._understood()

    def _is_counted(self, at: int) -> bool:
        """Whether a value's own number is asked for: "số đơn hủy", "bao nhiêu đơn hủy"."""
        noun = at - 1 - self.is_rows(at - 1)
        asked = self.mentions[at].role == "value" and self.has(noun, "count", "number")
        return asked and self.mentions[noun].end == self.mentions[noun + 1].start

    def _of_each(self, at: int) -> bool:
        """Whether "of each", "mỗi cái", "từng món" says of which without a column: of what was shown."""
        mention = self.mentions[at]
        said = mention.said.split()
        one = bool(said) and (said[-1] if mention.has("by", "per") else said[0]) in turn_words("each")
        return one and mention.role in {"shape", "link", "filler"} and mention.has("each", "by", "per")

    def _role_left(self, at: int) -> str:
        """The role of a mention that no reader used, "" where it was not understood."""
        mention, parts = self.mentions[at], self.parts
        behind = self.at(self.beside(at, 1))
        by_what = behind.role == "value" or behind.has("which")
        ahead = self.at(at - 1)
        state = mention.said.endswith("ed") and self.is_rows(at + 1) and not self._between(at, at + 1).strip()
        state = state and not (
            ahead.targets or ahead.values or ahead.has("who", "people", "which one", "pointer")
        )
        if mention.has("verb") and (state or (mention.said in _BY_MEANS and not by_what)):
            return ""  # "trả bằng" of a means that was not understood, "delivered orders"
        several = {each.ref for each in (*parts.conditions, *(each for each, _ in parts.numbers))}
        apart = len(several) > 1 or len(parts.numbers) > 1
        beside = [self.mentions[place] for place in self.sides(at)]
        sides = [{each.ref for each in one.values} for one in beside if one.role == "value"]
        apart = apart and not (len(sides) == 2 and sides[0] & sides[1])  # "ở Hà Nội hạng Bạc hoặc Vàng"
        if mention.period or mention.amount or mention.hours or (mention.has("either") and apart):
            return ""  # "nam hoặc trên 40 tuổi", "dưới 100k hoặc trên 2 triệu"
        whole = bool(mention.values) and mention.values[0].whole
        bare = mention.has("rows") and not mention.targets and not mention.values
        if bare or (self.is_rows(at) and mention.targets and not whole):
            parts.rows = parts.rows or self.noun(at)
            return "rows"
        if self._compares(at):
            return "shape"
        unheard = (self.sure, self._names_more, self._points, self._hides_figure, self._is_called)
        if any(sign(at) for sign in unheard):
            return ""
        role = next((_ROLES[label] for label in sorted(mention.labels) if label in _ROLES), "")
        named = parts.groups or parts.loose or parts.row_key or self._two_values()
        back = mention.has("repeat") and all(map(self.is_link, range(at))) and at + 1 < len(self.mentions)
        near = [each.role for each in beside]
        people = mention.has("people") and self.has(at + 1, "verb", "bought")  # "do people use the most"
        role = role or ("head" if people or (mention.has("people", "thing") and "value" in near) else "")
        role = role or ("frame" if back or (mention.has("which one") and named) else "")  # "quay lại …"
        known = bool(mention.targets) and mention.targets[0].weight >= 0.75
        # "đơn nào chưa giao"
        acts = self.at(at + 1).said == "giao" or self.has(at + 1, "verb", "sold", "bought")
        tag = at > 0 and self._comma(at)  # "… không, liệt kê giúp"
        only = (self._asks_only(at) or tag) and not acts
        asks = mention.has("deny", "blank") or mention.said in turn_words(
            "asks whether"
        )  # "khác" asks nothing
        denies = (asks and only) or (mention.has("deny", "not", "blank") and self._corrects(at))
        return role or "filler" if role or (mention.has("filler", "verb") and not known) or denies else ""

    def _hides_figure(self, at: int) -> bool:
        """Whether a word typed without accents is a figure by its place that the sheet has no column for: "mon nao lai nhieu nhat"."""
        mention, behind = self.mentions[at], self.beside(at, 1)
        named = self.parts.measures or mention.targets
        asked = self.has(behind, "max", "min", "count", "much") and not named
        return asked and not accents(mention.text) and mention.said in bare_figures()

    def _share_of(self) -> str:
        """The value that makes the part: what "chiếm" is said of, else what is said last of a per cent, first of a rate; a place or a
        topic ("ở Cần Thơ", "với Shopee thì …") bounds the whole. "%" where it is of an end of a ranking that is named before.
        """
        share = next((at for at in self.places if self.has(at, "share")), -1)
        roles = [each.role if each.values or each.amount else "" for each in self.mentions]
        named = [at for at, role in enumerate(roles) if role in {"value", "number"}]
        if not named or share < 0:
            return ""
        said = set(self.mentions[share].said.split())
        self.parts.of_whole = all(self._of_whole(at, share) for at in named)
        takes = [at for at in named if at < share] if said & _TAKES else []
        ends = [at for at in range(share) if self.has(at, "max", "min") and self._comma(at)]
        if ends and said & _TAKES:
            return "%"
        free = [at for at in takes or named if not self._bounds(at, share)] or takes or named
        after = [at for at in free if at > share and said & _OF_WHOLE and not takes]
        firsts = ((at, each.ref.concept) for at in free for each in self.mentions[at].values[:1])
        states = [at for at, about in firsts if about in STATES]
        return self.mentions[(after[-1:] or states or free)[0]].text

    def _of_whole(self, at: int, share: int) -> bool:
        """Whether a value is one of the whole: named behind "phần trăm", with no "là", "bị" before it, or what it is held against."""
        if at < share:
            return any(self.has(nth, "compare") for nth in range(at))
        if at == share + 1 and any(each.ref.concept in STATES for each in self.mentions[at].values[:1]):
            return False  # "tỉ lệ hoàn của bên đó"
        words = self.wording.words[self.mentions[share].end : self.mentions[at].start]
        between = {word.folded for word in words}
        return between.isdisjoint(turn_words("being"))

    def _bounds(self, at: int, share: int) -> bool:
        """Whether a value is a place or a topic: a preposition stands before it, or a comma or "thì" closes it before the share."""
        start = self.mentions[at].start
        ahead = {word.folded for word in self.wording.words[max(0, start - 2) : start]}
        closed = at < share and bool(re.search(r",|thì|\bthi\b", self._between(at, at + 1)))
        return closed or bool(ahead & _FRAMES and not ahead & {"la", "is", "are"})

    def _compares(self, at: int) -> bool:
        """Whether words only hold two things or figures against each other that are known: "which … more", "hơn"."""
        mention, parts = self.mentions[at], self.parts
        both = parts.pointer is not None and parts.pointer.both
        if both and mention.has("gt", "lt", "high", "low", "which", "which one") and not mention.targets:
            return True
        two = self._two_values() or parts.when.versus is not None or both
        bare = not any(each.targets or each.values for each in self.mentions if each.role != "pointer")
        between = mention.has("gt", "lt", "gap", "high", "low") and two and not mention.targets
        made = mention.has("minus", "gap", "times") and len(parts.measures) in {2, 3}
        return between or made or (mention.has("gap") and bare)

    def _points(self, at: int) -> bool:
        """Whether words point at one thing that was shown ("món đó", "it"); at the end "đó" only rounds off."""
        mention, before = self.mentions[at], self.at(at - 1)
        named = any(each.targets or each.values for each in self.mentions)
        if not at or before.period or (self.any("share", "growth", "gap") and not named):
            return False  # "Ấy, nhầm …", "tháng 8 đó", "what is that in percent"
        noun = bool(before.targets or before.values or before.unit)
        return mention.has("pointer") and (noun or mention.has("one") or not self._asks_only(at))

    def _names_more(self, at: int) -> bool:
        """Words that ask for or bound something which was not found: "nào" of nothing, "first week of October"."""
        ends = self.mentions[at].has("latest", "earliest")
        pause = self._comma(at)
        closing = (self._asks_only(at) or pause) and self.is_link(at - 1)  # "… là gì?"
        asks = self.has(at, "which") and self.mentions[at].said != "what" and not closing
        asks = asks and self.parts.row_key is None and not self._asks_rows(at)
        return (ends and bool(self.at(at + 1).unit)) or asks

    def _gather(self) -> None:
        """What the words that were read mean by themselves: labels, ends of rankings, how surely the sheet was named."""
        parts = self.parts
        for at, mention in enumerate(self.mentions):
            for label in mention.labels:
                parts.spoken.setdefault(label, mention.text)
            if not mention.role:
                continue
            if mention.role == "pointer":
                parts.labels |= mention.labels & _POINTING
            elif not self.sure(at):
                own = _TOLD if mention.targets or mention.values else frozenset()  # a column of reasons
                parts.labels |= mention.labels - own - (_MORE if mention.role == "filler" else frozenset())
                named = mention.role in {"number", "value", "pointer"}
                ends = [end for end in ("max", "min") if mention.has(end) and not named]
                parts.extremes += ends  # type: ignore[arg-type]
                about = ends or mention.has("gt", "lt")
                told = sorted(mention.labels) if about else []
                parts.adjectives += [label[3:] for label in told if label.startswith("of ")]
            for target in mention.targets:
                if target.ref is not None:
                    parts.spoken.setdefault(target.ref.name, mention.text)
            if mention.targets:
                parts.weight += mention.targets[0].weight
            elif mention.values and mention.role == "value":
                # A whole value of several words says more than one that is named in part.
                count = mention.end - mention.start if mention.values[0].whole else 1
                parts.weight += mention.values[0].weight * count

    def _asks_rows(self, at: int) -> bool:
        """Whether "nào", "gì" asks for rows or for a dimension that was read."""
        roles = {"rows", "group", "loose", "count", "limit"}
        return any(self.is_rows(place) or self.at(place).role in roles for place in (at - 1, at + 1))

    def _asks_only(self, at: int) -> bool:
        """ "…không?" at the end only asks."""
        return not any(True for _ in self.around(at, 1))

    def _corrects(self, at: int) -> bool:
        """ "Không, ý tôi là …": the first word refuses the answer before and leaves nothing out."""
        comma = self._comma(at)
        return all(map(self.is_link, range(at))) and (comma or self.has(at + 1, "correction"))

    def _side_by_side(self) -> bool:
        """Whether "và" or a comma stands between two figures."""
        figures = (at for at in self.places if self.at(at).role in {"figure", "count"})
        shapes = (at for at in self.places if self.at(at).role in {"shape", "frame"})
        places = {at for at in figures if not self.has(at, "count", "number")}
        places |= {at for at in shapes if self.has(at, "left", "aov")}
        for first, second in itertools.pairwise(sorted(places)):
            between = range(first + 1, second)
            if second - 1 in between and self.has(second - 1, "per"):
                self.parts.ratio = True
                return True
            if any(self.has(at, "and", "compare", "either", "gap", "minus", "times") for at in between):
                return True
            if "," in self._between(first, second):
                return True
        return False

    def _two_values(self) -> bool:
        """Whether two values of a column stand beside each other, one of them pointed at, to be held against one another."""
        pointed = self.parts.pointer.ref if self.parts.pointer is not None else None
        held = self.parts.conditions
        two = any(each.op == "in" and len(each.value) == 2 and "," in each.said for each in held)
        return two or any(each.op == "eq" and each.ref == pointed for each in held)

    def _evidence(self) -> float:
        named, asked = 0.0, 0.0
        for at, mention in enumerate(self.mentions):
            weights = [each.weight for each in mention.targets[:1]]
            if mention.values and not mention.has("filler", "verb", "not", "deny", "follow"):
                weights.append(mention.values[0].weight)
            if mention.has("about"):
                weights.append(0.8)
            if weights and max(weights) >= 0.55:
                named += max(weights)
            elif mention.period:
                asked += 0.8
            elif mention.amount or (self.has(at, *_WEAK) and not mention.targets):
                asked += 0.4
            elif self.has(at, *_STRONG) and not mention.targets:
                asked += 1.0
        return asked + 1.2 * min(named, 3.0)

    def _unread(self) -> tuple[str, ...]:
        """The words that have no role, neighbours as one."""
        runs = leftovers(self.mentions, self.wording)
        spans = [(start, end) for start, end, text in runs if any(map(str.isalnum, text))]
        spans += [(self.mentions[at].start, self.mentions[at].end) for at in self.free()]
        states = self._states()
        done = {span for at in self.places if self.is_rows(at) and (span := self._state_behind(at, states))}
        spans += done
        joined: list[list[int]] = []
        for start, end in sorted(spans):
            if joined and start <= joined[-1][1]:
                joined[-1][1] = max(end, joined[-1][1])
            else:
                joined.append([start, end])
        for each in joined:  # "tháng 13"
            numbered = any(word.folded.isdecimal() for word in self.wording.words[slice(*each)])
            for mention in self.mentions if numbered else ():
                if mention.role == "loose" and each[0] <= mention.end and mention.start <= each[1]:
                    each[:] = min(each[0], mention.start), max(each[1], mention.end)
        words, text = self.wording.words, self.wording.text
        heads, unread = self._header_words(), list[str]()
        for start, end in joined:
            run = words[start:end]
            if {word.text for word in run} <= heads and not (
                self._names_other(end) or self._is_split(start, end)
            ):
                continue
            unread.append(text[run[0].start : run[-1].end])
            if self._is_listed_figure(start, end):
                self.parts.figures_unread.append(unread[-1])
            if (
                found := (unread[-1], states)
                if (start, end) in done and states
                else self._lacking(start, end)
            ):
                self.parts.absent[unread[-1]] = found
        return tuple(unread)

    def _states(self) -> tuple[Ref, ...]:
        own = (ref for ref in self.schema.refs.values() if ref.concept in STATES and not ref.sheet)
        return tuple(ref for ref in own if ref.kind == "text")[:_MOST_LACKING]

    def _state_behind(self, at: int, states: tuple[Ref, ...]) -> tuple[int, int] | None:
        """The words behind rows that say a state which no value of the sheet does: "đơn đã giao" beside "Đang giao", "đơn giao
        xong"; None where they say none.
        """
        told = [set(folded_words(value)) for ref in states for value in self.schema.key(ref).examples]
        start = end = self.mentions[at].end
        for mention in self.mentions[at + 1 :]:
            if mention.start != end or mention.role not in {"", "filler", "link"} or mention.period:
                return None
            end = mention.end
            said = [word.folded for word in self.wording.words[start:end]]
            verb = set(said[mention.start - start :])
            part = mention.start > start and any(verb <= each for each in told)
            if part or (len(said) > 1 and " ".join(said) in alike_values()):
                return start, end
        return None

    def _names_other(self, at: int) -> bool:
        """Whether the word behind a kind of place is a value of a column that holds none: "quận hoàn kiếm" is no "Hoàn trả"."""
        value = next((each for each in self.mentions if each.start == at and each.role == "value"), None)
        refs = {each.ref for each in self.parts.conditions}
        named = [each.ref for each in value.values if each.ref in refs] if value is not None else []
        return (
            bool(named)
            and not any(each.concept in PLACES for each in named)
            and bool(PLACES & {each.concept for each in refs})
        )

    def _is_split(self, start: int, end: int) -> bool:
        """Whether a figure is to be split by a kind that no column holds: "doanh thu Hà Nội theo quận", "mỗi quận"."""
        ahead = next((each for each in self.mentions if each.end == start), None)
        behind = next((each.role for each in self.mentions if each.start == end), "")
        return (
            ahead is not None and ahead.has("by", "each") and behind not in {"group", "loose", "value", "per"}
        )

    def _is_listed_figure(self, start: int, end: int) -> bool:
        """Whether words that were not read are all that an item of a list of figures says, behind one that was read, or before
        one: "doanh thu, độ hài lòng và số đơn".
        """
        words, text, ties = self.wording.words, self.wording.text, "|".join(turn_words("joint after comma"))
        said = text[words[start].start : words[end - 1].end]
        tied = re.search(rf"(?:[,;:]|\b(?:{ties}))\s*$", text[: words[start].start], re.IGNORECASE)
        closed = re.match(rf"\s*(?:[,;.?!]|$|(?:{ties})\b)", text[words[end - 1].end :], re.IGNORECASE)
        items = [each for each in self.mentions if not each.has("and")]
        ahead = next((each.role for each in reversed(items) if each.end <= start), "")
        behind = next((each.role for each in items if each.start >= end), "")
        figures = {"figure", "count", "operation", "per", "rows"} & {ahead, behind if closed else ""}
        ends = closed or behind in {"period", "filler"}
        return bool(tied and ends and figures) and not any(each.isupper() or each.isdigit() for each in said)

    def _lacking(self, start: int, end: int) -> tuple[str, tuple[Ref, ...]] | None:
        """A name that was not read, by the noun, the preposition or the value that it stands behind, and the columns that would
        hold it.
        """
        typed, text, schema = self.wording.words, self.wording.text, self.schema
        lengths = range(_LONGEST_NAME, 0, -1)
        heads = {n: " ".join(word.folded for word in typed[start : start + n]) for n in lengths}
        named = (n for n, head in heads.items() if kinds().get(head) in _NAMED_KINDS)
        length = next((n for n in named if n < end - start), 0)
        length = length or int(end - start > 1 and typed[start].text in turn_words("of"))
        name = typed[start + length : end]
        if len(name) > _LONGEST_NAME or any(word.folded.isdecimal() for word in name):
            return None
        kind, led = kinds().get(heads.get(length, ""), ""), typed[start - 1].text if start else ""
        capital = text[name[0].start].isupper()
        at = next((at for at, each in enumerate(self.mentions) if each.end == start and not length), 0)
        noun = self.dimension(at) if self.mentions and self.mentions[at].role in {"loose", "head"} else None
        joint = at > 0 and self.has(at, "and", "either", "compare", "gt", "lt")
        beside = self.mentions[at - 1].values[:1] if joint and self.mentions[at - 1].role == "value" else ()
        signs: tuple[tuple[object, frozenset[str]], ...] = (
            (self.has(at, "count") and not length and self.any("sold", "bought"), frozenset({"product"})),
            (schema.of(kind), frozenset({kind})),
            (kind, next((family for family in (PLACES, _WAYS, _SITES) if kind in family), frozenset())),
            (noun, frozenset({noun.concept}) if noun else frozenset()),
            (beside, frozenset(each.ref.concept for each in beside)),
            (led in turn_words("at") and not length, PLACES | _SITES),
            (capital and led in turn_words("through") and not length, _WAYS),
            (length or (capital and led in turn_words("of")), frozenset(PERSONS)),
        )
        meant = next((meant for sign, meant in signs if sign), frozenset())
        own = [ref for ref in schema.refs.values() if ref.concept in meant and ref.kind == "text"]
        own = [ref for ref in own if ref.concept and not (ref.sheet or code_name(ref))][:_MOST_LACKING]
        return (text[name[0].start : name[-1].end], tuple(own)) if own else None

    def _header_words(self) -> set[str]:
        """Words of the names of columns that are asked for or that values were read in, which add nothing: "hình thức Ví điện
        tử", "là những mã nào"; of one row all columns are shown.
        """
        parts, schema = self.parts, self.schema
        refs = {each.ref for each in (*parts.groups, *parts.loose)} | {each.ref for each in parts.conditions}
        names = [ref.name for ref in refs]
        about = {ref.concept for ref in refs if ref.concept}
        about |= PLACES if about & PLACES else set()  # "khu vực Huế"
        phrases = (phrase for each in concepts() if each.name in about for phrase in each.phrases)
        names += [phrase for phrase in phrases if " " in phrase]
        if parts.row_key is not None:
            names += [field.name for field in schema.sheet.fields] + ["gì"]
        said = {form for name in names for word in tokens(name) for form in (word.text, word.folded)}
        said = said | _NAME if self.named else said if parts.row_key else said - _NAME
        return said | ({"nao", "nào", "gi", "gì", "which", "what"} if said else set())

    def _understood(self) -> tuple[str, ...]:
        """The words that were read as something of the sheet, for a person who is asked back."""
        return tuple(each.text for each in self.mentions if each.role in _TELLING and each.means)


_BY_MEANS = frozenset({"tra bang", "thanh toan bang", "paid by", "paid with", "pay by", "pay with"})
_STRONG = (
    "sum", "avg", "count", "max", "min", "top", "bottom", "seller", "slow seller", "share", "trend", "compare",
    "growth", "aov", "columns", "superlative", "chart", "chart share", "chart bar", "chart line", "forecast", "left",
)  # fmt: skip
_WEAK = (
    "by", "which", "list", "much", "number", "distinct", "latest", "earliest", "between", "plural", "cause",
)  # fmt: skip
_TELLING = frozenset(
    {"period", "value", "number", "condition", "group", "per", "figure", "count", "loose", "rows"}
)
_TOLD = frozenset({"forecast", "cause"})
_MORE = frozenset({"gt", "lt"})
"""What "trên", "dưới" before no amount do not say: "trên web" is on it."""
_POINTING = frozenset({"pointer", "one", "among", "both", "then", "preceding", "following"})
_SHAPING: dict[str, tuple[str, ...]] = {
    "shape": (
        "max", "min", "latest", "earliest", "fast", "slow", "oldest", "top", "bottom", "seller", "slow seller", "frequent", "share",
        "trend", "compare", "growth", "ascending", "descending", "sorted", "left", "running out", "crowd",
        "median", "aov", "each", "when", "how much", "columns", "forecast", "cause", "distinct", "preceding", "following", "gap",
    ),
    "frame": ("much", "count", "list", "which", "plural", "follow", "correction", "only", "all", "sold", "bought", "again", "who", "greeting", "now", "whole", "report"),
    "link": ("and", "to", "by", "per", "number"),
}  # fmt: skip


_ROLES = {label: role for role, labels in _SHAPING.items() for label in labels}


def _comparison(mention: Mention) -> str:
    """The comparison that a word says of the amount behind it, "" for none ("ít nhất 5" is no minimum)."""
    if mention.has("between"):
        return "between"
    if found := next((sign for sign in _SIGNS if mention.has(sign)), ""):
        return found
    text = mention.said
    if mention.has("min") and text.startswith(("it", "least", "thap")):
        return "gte"
    return "lte" if mention.has("max") and text.startswith(("nhieu", "most", "cao")) else ""


def _kind(target: Target) -> str:
    if target.metric:
        return "metric"
    return target.ref.kind if target.ref else "rows"


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _merged(found: list[tuple[int, Condition, bool]]) -> list[Condition]:
    """One condition a column and sense: values said apart are alternatives, one inside the other both hold."""
    joined: dict[tuple[str, str, bool], list[Condition]] = {}
    for _, condition, denied in found:
        joined.setdefault((condition.ref.sheet, condition.ref.name, denied), []).append(condition)
    merged = []
    for sheet, name, denied in list(joined):
        if denied and (sheet, name, False) in joined:
            del joined[sheet, name, True]  # "Hải Phòng chứ không phải Đà Nẵng"
    for (_, _, denied), conditions in joined.items():
        each = (value for one in conditions for value in values_of(one))
        values = list(dict.fromkeys(each))
        said, one = ", ".join(dict.fromkeys(condition.said for condition in conditions)), len(values) == 1
        op: Any = ("ne" if one else "nin") if denied else ("eq" if one else "in")
        merged.append(Condition(conditions[0].ref, op, values[0] if one else values, said))
    return merged
