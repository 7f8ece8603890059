"""A sheet as people name its parts: every alias of its columns, metrics and values, found in a message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Literal

from troly.text.catalogue import Lang
from troly.text.fold import WordToken, accents, accents_agree, fold, nfc, tokens
from troly.text.language import detect_score, is_syllable
from troly.text.wordlist import read_lists
from troly_analysis.planner.lexicon import (
    FOLDER,
    Concept,
    Phrases,
    alike_values,
    concept,
    concept_words,
    concepts,
    header_words,
    instead,
    is_short,
    key_of,
    marks,
    pieces,
    row_signs,
    row_words,
    spellings_of,
    unit_words,
    whole_costs,
    words,
)  # fmt: skip
from troly_analysis.planner.types import Measure, Ref, averaged
from troly_analysis.types import NUMERIC, TEMPORAL, Field, Kind, Metric, Sheet

# What people may call a column: its header and parts of it, and the words of what it is about.


_NOTE = re.compile(r"\([^)]*\)|\[[^\]]*\]")
_ALL_OF_IT = 0.95


def plain(name: str) -> str:
    """A header without notes in brackets, its camel case and underscores as words."""
    bare = _NOTE.sub(" ", name).replace("_", " ")
    pairs = zip(f" {bare}", bare, strict=False)
    humps = (f" {char}" if char.isupper() and before.islower() else char for before, char in pairs)
    return "".join(humps).strip() or name


def spelled(name: str) -> str:
    """A header with its short words written out and without a unit at its end ("T.gian chờ" is "thời gian chờ")."""
    typed = [token.text for token in tokens(plain(name))]
    folded = [token.folded for token in tokens(plain(name))]
    while not marks("generic").issuperset(folded[:-1]) and folded[-1] in marks("unit marks"):
        typed.pop(), folded.pop()
    parts: list[str] = []
    at = 0
    while at < len(folded):
        for length in (2, 1):
            if meant := header_words().get(tuple(folded[at : at + length])):
                parts.append(meant)
                at += length
                break
        else:
            parts.append(typed[at])
            at += 1
    return " ".join(parts)


def shown_name(found: Field, lang: Lang) -> str:
    """A header as an answer says it: in English answers a Vietnamese one by what it is about, where all of it says so."""
    about, share = concept_of(found)
    foreign = bool(accents(found.name)) or detect_score(found.name) > 0
    return about if lang == "en" and foreign and share >= _ALL_OF_IT else found.name


def concept_of(found: Field) -> tuple[str, float]:
    """The concept a header speaks of and how much of the header says so, ("", 0) for none."""
    names, share = concepts_of(found)
    return (names[0], share) if names else ("", 0.0)


def concepts_of(found: Field) -> tuple[tuple[str, ...], float]:
    """The concepts a header speaks of equally well ("HĐ" is a bill or a contract), the likeliest first."""
    return _concepts_of(found.name, found.kind)


@lru_cache(maxsize=4096)
def _concepts_of(name: str, kind: Kind) -> tuple[tuple[str, ...], float]:
    typed = tokens(spelled(name))
    header = tuple(token.folded for token in typed)
    there = frozenset(header)
    best: list[str] = []
    share = 0.0
    for known, meanings in _concept_phrases():
        if not _fits(known.nature, kind):
            continue
        for meant, said in meanings:
            if not there.issuperset(said):  # most phrases have another word
                continue
            at = next((at for at in range(len(header)) if header[at : at + len(said)] == said), None)
            pairs = zip(typed[at or 0 :], meant, strict=False)
            if at is None or not all(accents_agree(each.text, want.text) for each, want in pairs):
                continue
            if len(said) < len(header) and all(is_short(typed[at + n].text) for n in range(len(said))):
                continue  # "tiền dầu" is not all money
            rest = [word for word in header[:at] + header[at + len(said) :] if word not in marks("generic")]
            here = len(said) / (len(said) + len(rest)) + 0.01 * len(said) - (0.005 if rest else 0)
            if here > share:
                best, share = [known.name], here
            elif here == share and known.name not in best:
                best.append(known.name)
    # "Tái khám" is no visit: of a yes or no all of the header must say it.
    least = 0.9 if kind == "boolean" else 0.5
    return (tuple(best), min(share, 1.0)) if share >= least else ((), 0.0)


@cache
def _concept_phrases() -> tuple[tuple[Concept, tuple[tuple[list[WordToken], tuple[str, ...]], ...]], ...]:
    """The phrases of every concept, cut into words once."""
    found = []
    # "Số thùng", "number of boxes"
    counted = [f"{number} {piece}" for number in ("số", "sl", "number of") for piece in pieces()]
    for known in concepts():
        phrases = (*known.phrases, *(counted if known.name == "quantity" else ()))
        cut = [tokens(phrase) for phrase in phrases]
        found.append((known, tuple((each, tuple(token.folded for token in each)) for each in cut)))
    return tuple(found)


def _fits(nature: str, kind: str) -> bool:
    if kind in TEMPORAL:
        return nature == "date"
    if kind in NUMERIC:
        return nature == "number" or (nature == "category" and kind == "integer")
    return nature == "category"


def aliases(found: Field, concept: str, share: float) -> Iterable[tuple[str, float]]:
    """What people may call a column, with how surely they mean it."""
    name = plain(found.name)
    yield name, 1.0
    if spelled(found.name) != name:
        yield spelled(found.name), 0.96
    typed = tokens(name)
    header = [token.text for token in typed]
    for nth, part in enumerate(re.split(r"[/,|]", name)):
        if not nth or found.kind not in NUMERIC:  # "giá phòng/đêm" is no number of nights
            yield part, 0.95
    meaning = [token.text for token in typed if token.folded not in marks("generic")]
    coded = bool(typed) and typed[0].folded in marks("id marks")
    kind_of = len(typed) > 1 and typed[0].folded in marks("kind marks")
    if meaning and len(meaning) < len(header) and header[-len(meaning) :] == meaning:
        yield " ".join(meaning), 0.84 if coded else 0.6 if found.kind in TEMPORAL or kind_of else 0.93
    said = {fold(value) for value in found.examples}
    for name_of in (concept, *concepts_of(found)[0][1:]) if concept else ():
        known = next(each for each in concepts() if each.name == name_of)
        for nth, phrase in enumerate(known.phrases):
            if "sum" in words().listed(tuple(token.folded for token in tokens(phrase))):
                continue  # "total" is what is done, not what it is done to
            if any(fold(phrase).endswith(f" {value}") for value in said):
                continue  # "phiếu nhập" names a column and one of its values
            loss = 0.75 if kind_of and fold(phrase) != fold(name) else 1.0
            yield phrase, loss * (0.78 if coded else 0.9) * (1.0 if share >= 0.95 else 0.8) - 0.004 * nth
    ahead = len(tokens(name.split("/")[0])) if found.kind in NUMERIC else len(typed)
    yield from _parts(header[:ahead], [token.folded for token in typed[:ahead]])


def _parts(header: list[str], folded: list[str]) -> Iterable[tuple[str, float]]:
    """Runs of a header's words that say something on their own."""
    for length in range(len(header) - 1, 0, -1):
        for at in range(len(header) - length + 1):
            part_words = folded[at : at + length]
            said = zip(header[at : at + length], part_words, strict=True)
            if all(word in marks("generic") or is_short(typed) for typed, word in said):
                continue
            if length == 1 and (words().listed(tuple(part_words)) or len(part_words[0]) < 3):
                continue
            yield " ".join(header[at : at + length]), 0.5 + 0.03 * length


def telling(phrase: str) -> bool:
    """Whether a part of a value says anything on its own."""
    said = [token.folded for token in tokens(phrase)]
    common = all(is_short(token.text) or token.folded in marks("generic") for token in tokens(phrase))
    if common or nfc(phrase).lower() in concept_words():
        return False  # "tiền" is no "Tiền mặt"
    if len(said) == 1:
        name = phrase[:1].isupper() or not words().listed((said[0],))
        return len(said[0]) >= 2 and name and not said[0].isdigit() and said[0] not in marks("generic")
    if all(word[:1].isupper() for word in phrase.split()):
        return True  # "Hà Nội"
    return not all(words().listed((word,)) or word in marks("generic") for word in said)


def in_number(phrase: str) -> tuple[str, ...]:
    """An English word or phrase in the other number: "companies" for "Company", "receipt" for "Receipts"."""
    last = phrase.rsplit(maxsplit=1)[-1] if phrase.split() else ""
    if not (last.isascii() and last.isalpha() and len(last) > 3) or is_syllable(last.lower()):
        return ()
    ahead, word = phrase[: len(phrase) - len(last)], last.lower()
    if word.endswith("ies"):
        return (f"{ahead}{last[:-3]}y",)
    if word.endswith("s") and not word.endswith("ss"):
        return (f"{ahead}{last[:-1]}",)
    if word.endswith("y") and word[-2] not in "aeiou":
        return (f"{ahead}{last[:-1]}ies",)
    return (f"{ahead}{last}es" if word.endswith(("s", "x", "z", "ch", "sh")) else f"{ahead}{last}s",)


# What a sheet is to the planner: the columns, values and rows that words can mean.


@dataclass(frozen=True, slots=True)
class Target:
    """What an alias means: a column, a metric, or (both None) the rows of the sheet. `weight` says how surely."""

    weight: float
    ref: Ref | None = None
    metric: Metric | None = None
    concept: str = ""
    spelled: str = ""
    """For a short word its only spelling: "tô" is not "to"."""

    @property
    def key(self) -> str:
        """A name that is the same for the same thing."""
        if self.metric:
            return f"metric:{self.metric.name}"
        return f"{self.ref.sheet}:{self.ref.name}" if self.ref else "rows"


@dataclass(frozen=True, slots=True)
class Value:
    """Values of a column that a phrase means; `whole` when the phrase is the value and not a part of it."""

    ref: Ref
    values: tuple[str, ...]
    whole: bool
    weight: float


@dataclass(slots=True)
class Schema:
    """What a message can name in one sheet (and in the sheets joined to it)."""

    sheet: Sheet
    names: Phrases[Target] = field(default_factory=Phrases)
    values: Phrases[Value] = field(default_factory=Phrases)
    refs: dict[str, Ref] = field(default_factory=dict)
    fields: dict[str, Field] = field(default_factory=dict)
    by_concept: dict[str, list[Ref]] = field(default_factory=dict)
    row_concept: str = ""
    row_ref: Ref | None = None
    joins: dict[str, tuple[str, str]] = field(default_factory=dict)
    """For each joined sheet's name the column here and the column there."""
    bare: bool = False
    """Whether the sheet is written without accents, so that a word typed with them can mean one of its own."""

    @property
    def clock(self) -> Ref | None:
        """The column of times of day ("15:30"), where the sheet has one beside its date."""
        own = ((key, ref) for key, ref in self.refs.items() if not ref.sheet)
        return next((ref for key, ref in own if self.fields[key].is_clock), None)

    @property
    def timed(self) -> Ref | None:
        """The column that says at which hour: one of times of day, else a single date that has them."""
        own = [ref for ref in self.refs.values() if ref.kind in TEMPORAL and not ref.sheet]
        return self.clock or (own[0] if len(own) == 1 and own[0].kind == "datetime" else None)

    def stock_left(self) -> Ref | None:
        """What came in less what went out, row by row, where the sheet has both: two columns, or a column that says which."""
        into, out = (next(iter(_columns_of(self, words)), None) for words in (_IN, _OUT))
        if into and out:
            return made_of(into, "-", out, "left")
        amount = self.of("quantity", "output", "load")
        for key, ref in self.refs.items() if amount else ():
            sides = [
                tuple(value for value in self.fields[key].examples if set(key_of(value)) & words)
                for words in (_IN, _OUT)
            ]
            if amount and not ref.sheet and all(sides) and sum(map(len, sides)) == self.fields[key].distinct:
                name = f"{amount.name} ({' - '.join(', '.join(side) for side in sides)})"
                return replace(
                    amount, name=name, concept="left", parts=(amount, ref), sign="±", sides=tuple(sides)
                )
        return None

    @property
    def deals(self) -> bool:
        """Whether the sheet knows of anything that was sold or bought: money, pieces or orders."""
        held = any(self.of(name) for name in ("revenue", "quantity", "order", "fee", "output"))
        dated = any(ref.kind in TEMPORAL and not ref.sheet for ref in self.refs.values())
        main = self.main_measure()
        paid = (
            dated and main is not None and main.concept not in {"salary", "hours"}
        )  # what people earn or work
        return held or self.row_concept in {"order", "ticket", "visit"} or paid

    def own_numbers(self) -> list[Ref]:
        """The sheet's own columns of figures: no codes, nothing joined, nothing worked out."""
        own = [ref for ref in self.refs.values() if not (ref.sheet or ref.parts) and ref.kind in NUMERIC]
        return [ref for ref in own if not is_code(ref, self.key(ref), self.sheet)]

    def goods(self) -> list[Ref]:
        """The sheet's own columns that name goods."""
        return [ref for ref in self.by_concept.get("product", ()) if not (ref.sheet or code_name(ref))]

    def key(self, ref: Ref) -> Field:
        """The field behind a reference."""
        return self.fields[f"{ref.sheet}:{ref.name}"]

    def of(self, *wanted: str) -> Ref | None:
        """The first own column of one of these concepts."""
        for name in wanted:
            for ref in self.by_concept.get(name, ()):
                if not ref.sheet:
                    return ref
        return None

    def main_measure(self) -> Ref | None:
        """The column a sheet is mostly about: money made first, else its first number that adds up."""
        own = [ref for ref in self.refs.values() if not (ref.sheet or ref.parts) and ref.kind in NUMERIC]
        for wanted in ("revenue", "fee", "salary", "profit", "cost", "quantity", "output", "hours", "stock"):
            if found := next((ref for ref in own if ref.concept == wanted), None):
                return found
        own = [ref for ref in own if not is_code(ref, self.key(ref), self.sheet)]
        own = [ref for ref in own if ref.concept not in marks("side figures")]
        added = [ref for ref in own if not averaged(ref)] or own
        return next((ref for ref in added if ref.kind == "money"), added[0] if added else None)


def lost_values(sheet: Sheet) -> tuple[str, tuple[str, ...]]:
    """The status column of a sheet and its values of orders that came to nothing: cancelled, returned; ("", ()) for none."""
    ref = schema_of(sheet).of("status")
    held = schema_of(sheet).key(ref).examples if ref else ()
    found = tuple(value for value in held if is_any_of(value, "huy", "hoan tra"))
    return (ref.name, found) if ref and found else ("", ())


def is_any_of(value: str, *states: str) -> bool:
    """Whether a value is one of these states as `values.txt` spells them: "Đã huỷ" is "huy"."""
    groups = [group for name in states for group in alike_values().get(name, ())]
    return " ".join(key_of(value)) in {" ".join(key_of(spelled)) for group in groups for spelled in group}


_IN = frozenset({"nhap", "vao", "in", "received", "incoming"})
_OUT = frozenset({"xuat", "ra", "out", "issued", "outgoing", "ban"})


def _columns_of(schema: Schema, said: frozenset[str]) -> list[Ref]:
    """The columns of figures whose header says the one or the other side ("Nhập", "SL xuất")."""
    plain_numbers = (ref for ref in schema.own_numbers() if ref.kind != "money" and not averaged(ref))
    return [ref for ref in plain_numbers if {token.folded for token in tokens(plain(ref.name))} & said]


def metric_measure(schema: Schema, metric: Metric) -> Measure:
    """A named metric of the sheet as the figure that it is."""
    ref = next((ref for ref in schema.refs.values() if ref.name == metric.field and not ref.sheet), None)
    return Measure(metric.operation, ref, metric=metric.name, where=metric.where, noun=metric.name)


def code_name(ref: Ref) -> bool:
    """Whether a column holds codes by its name: "Mã KH", "order_id"."""
    head = fold(ref.name).replace("_", " ").split()
    return bool(head) and (head[0] in {"ma", "id", "code"} or head[-1] in {"id", "code", "ma"})


def is_amount(phrase: str) -> bool:
    """Whether a word means a figure and no thing that is counted, whatever sheets are called so: "công nợ", "lương"."""
    said = {known.nature for known in concepts() if any(fold(each) == fold(phrase) for each in known.phrases)}
    return said == {"number"}


def holds_kinds_of(ref: Ref, thing: str) -> bool:
    """Whether a column names the kinds or states of `thing` ("Loại phiếu" of "phiếu") and not each of them."""
    header, said = (" ".join(token.folded for token in tokens(plain(name))) for name in (ref.name, thing))
    kinds = [each for each in marks("kinds") if header.startswith(f"{each} ") or header.endswith(f" {each}")]
    return bool(kinds) and not set(said.split()) & set(" ".join(kinds).split())


def is_code(ref: Ref, found: Field, sheet: Sheet) -> bool:
    """Whether a column of numbers only names things (an id, a telephone number)."""
    head = [token.folded for token in tokens(plain(ref.name))]
    marked = bool(head) and (head[0] in marks("id marks") - {"so", "number"} or head[-1] in {"id", "code"})
    return marked or (ref.concept == "order" and ref.kind in NUMERIC and found.distinct >= sheet.rows > 1)


# What the rows of a sheet are called, and what its columns are called beyond their headers: units, stand-ins.


_SHORT = 4
_AMOUNTS = frozenset({"quantity", "output", "load", "weight", "hours", "duration", "distance", "area"})


def units(schema: Schema) -> None:
    """Columns are asked for by their units too: "bao nhiêu ly" of a quantity, "bao nhiêu kg" of "Khối lượng (kg)"."""
    quantity = schema.of("quantity")
    for phrase in pieces() if quantity else ():
        schema.names.add(phrase, Target(0.8, quantity, concept="quantity", spelled=_spelled(phrase)))
    taken: set[str] = set()
    numbers = [ref for ref in schema.refs.values() if ref.kind in NUMERIC and not (ref.parts or ref.sheet)]
    for ref in sorted(numbers, key=lambda each: each.concept not in _AMOUNTS):
        for phrase in unit_words(ref.name) or unit_words(f"({ref.unit})"):
            schema.names.add(
                phrase,
                Target(0.6 if phrase in taken else 0.7, ref, concept=ref.concept, spelled=_spelled(phrase)),
            )
            taken.add(phrase)


def _spelled(phrase: str) -> str:
    """A short word with accents, which without them would be another ("cân", "can")."""
    return phrase if len(phrase) <= _SHORT and accents(phrase) else ""


def find_rows(schema: Schema) -> None:
    """What a row of the sheet is: what its column of different codes names, or what the sheet is called."""
    sheet = schema.sheet
    called = " ".join(token.folded for token in tokens(plain(sheet.name)))
    for key, ref in schema.refs.items():
        found = schema.fields[key]
        unique = sheet.rows > 1 and found.distinct >= sheet.rows - found.blanks and not found.blanks
        coded = tokens(plain(ref.name))[:1]
        marked = bool(coded) and (coded[0].folded in marks("id marks") or is_code(ref, found, sheet))
        known = (ref.concept or marked) and ref.concept != "quantity"  # "Số thùng" names no row
        if unique and known and (marked or ref.kind == "text") and ref.kind not in TEMPORAL | {"money"}:
            schema.row_concept, schema.row_ref = ref.concept, ref
            if schema.row_concept:
                return
            break
    for about in concepts():
        if about.nature != "category":
            continue
        said = (" ".join(token.folded for token in tokens(phrase)) for phrase in about.phrases)
        taken = [ref for ref in schema.by_concept.get(about.name, ()) if not ref.sheet]
        if not taken and any(f" {phrase} " in f" {called} " for phrase in said if len(phrase) > 2):
            schema.row_concept = about.name
            return
    own = {name for name, refs in schema.by_concept.items() if any(not ref.sheet for ref in refs)}
    told = next((row for row, signs in row_signs() if signs <= own and row not in own), "")
    if told:
        schema.row_concept = told
    elif "order" not in own and "revenue" in own:
        schema.row_concept = "order"


def stand_ins(schema: Schema) -> None:
    """What a sheet has no column for may be asked by its column for something near ("doanh thu" of a clinic: fees)."""
    for wanted, nearest in instead().items():
        if schema.of(wanted) or schema.row_concept == wanted:
            continue
        ref = schema.of(*nearest)
        known = next((each for each in concepts() if each.name == wanted), None)
        for phrase in known.phrases if ref and known else ():
            if "sum" in words().listed(tuple(token.folded for token in tokens(phrase))):
                continue
            schema.names.add(phrase, Target(0.56, ref, concept=ref.concept if ref else ""))


def name_events(schema: Schema) -> None:
    """ "Đơn", "giao dịch": any row that happened on a day may be called so where the sheet has no other thing of it."""
    happened = any(
        ref.kind in TEMPORAL and ref.concept not in marks("of things") for ref in schema.refs.values()
    )
    lasting = {*marks("lasting"), "order"}
    if happened and schema.row_concept not in lasting and not schema.by_concept.get("order"):
        for phrase in row_words():
            schema.names.add(phrase, Target(0.56, concept=schema.row_concept))


def _counted_nouns(schema: Schema) -> set[str]:
    """Nouns that a column counts row by row ("Số vé"): "bao nhiêu vé" adds that up and does not count rows."""
    found: set[str] = set()
    for ref in schema.refs.values():
        noun = fold(plain(ref.name)).removeprefix("so ").removeprefix("number of ").strip()
        rows = [each for each in concepts() if each.name == schema.row_concept and noun]
        own = {fold(phrase): phrase for each in rows for phrase in each.phrases}
        if ref.kind in NUMERIC and noun != fold(plain(ref.name)).strip() and noun in own and not ref.sheet:
            found |= set(own)
            for phrase in own.values():
                schema.names.add(phrase, Target(0.97, ref, concept=ref.concept))
    return found


def name_rows(schema: Schema) -> None:
    singular = in_number(schema.sheet.name) if schema.sheet.name.endswith("s") else ()
    for name in (schema.sheet.name, *singular):
        schema.names.add(name, Target(0.7, concept=schema.row_concept))
    if schema.row_ref and not _counted_nouns(schema):
        header = [
            token.text for token in tokens(plain(schema.row_ref.name)) if token.folded not in marks("generic")
        ]
        schema.names.add(" ".join(header), Target(0.95, concept=schema.row_concept))
        name = plain(schema.row_ref.name)
        if fold(name).startswith("so "):  # "số phiếu" is how many of them
            schema.names.add(name, Target(1.05, concept=schema.row_concept))
    known = next((each for each in concepts() if each.name == schema.row_concept), None)
    counted = _counted_nouns(schema)
    for phrase in known.phrases if known else ():
        if fold(phrase) in counted:
            continue
        said = tuple(token.folded for token in tokens(phrase))
        if any(schema.values.listed(said[at:]) for at in range(1, len(said))):
            continue  # "phiếu nhập" is a row and one of its values
        schema.names.add(phrase, Target(0.95, concept=schema.row_concept))


# Figures that no column of a sheet holds but that two of its columns make: quantity times price, due less paid.


_DERIVED_WEIGHT = 0.86
_SHOWN = {"*": "×", "-": "-"}
Sign = Literal["*", "-"]


@cache
def _rules() -> tuple[tuple[str, str, Sign, str], ...]:
    """The lines of `derived.txt`: the concept made, and the two it is made of."""
    found: list[tuple[str, str, Sign, str]] = []
    for raw in (FOLDER / "derived.txt").read_text(encoding="utf-8").splitlines():
        made, _, formula = raw.partition(":")
        for sign in ("*", "-"):
            left, between, right = formula.partition(f" {sign} ")
            if between and not raw.startswith("#"):
                found.append((made.strip(), left.strip(), sign, right.strip()))
    return tuple(found)


def derive(schema: Schema) -> None:
    """Add to `schema` every figure of `derived.txt` that it has the two columns for and no column of its own."""
    for made, first, sign, second in _rules():
        left, right = schema.of(first), schema.of(second)
        if schema.of(made) or left is None or right is None or left == right or not _whole(schema, right):
            continue
        _add_made(schema, made_of(left, sign, right, made))
    takings, pieces = schema.of("revenue"), schema.of("quantity")
    costs = [ref for ref in schema.refs.values() if ref.sheet and ref.concept == "cost" and _named_unit(ref)]
    if takings and pieces and len(costs) == 1 and not (schema.of("cost") or schema.of("profit")):
        cost = made_of(pieces, "*", costs[0], "goods cost")  # of a piece, in the sheet of the goods
        _add_made(schema, cost)
        _add_made(schema, made_of(takings, "-", cost, "profit"))


def _add_made(schema: Schema, ref: Ref) -> None:
    """Let the words of its concept name a figure that is worked out."""
    key, known = f":{ref.name}", concept(ref.concept)
    schema.refs[key] = ref
    schema.fields[key] = Field(ref.name, _kind(*ref.parts), ref.unit, distinct=schema.sheet.rows)
    schema.by_concept.setdefault(ref.concept, []).append(ref)
    for nth, phrase in enumerate(known.phrases if known else ()):
        if "sum" not in words().listed(key_of(phrase)) and fold(phrase) not in marks("verbs"):
            schema.names.add(phrase, Target(_DERIVED_WEIGHT - 0.002 * nth, ref, concept=ref.concept))


def _whole(schema: Schema, cost: Ref) -> bool:
    """Whether a column of costs holds all of them: "tiền dầu" is a part, "giá vốn" beside a quantity is of one piece."""
    if cost.concept != "cost":
        return True
    if _named_unit(cost):
        return schema.of("quantity") is None
    return any(key_of(phrase) in _runs(cost.name) for phrase in whole_costs())


def _named_unit(cost: Ref) -> bool:
    return fold(cost.name).startswith(("gia ", "unit "))


def each_once(ref: Ref, schema: Schema) -> bool:
    """Whether nearly each row has a value of its own, so that what is said of one is said of its row."""
    return schema.key(ref).distinct >= 0.95 * schema.sheet.rows


def of_piece(ref: Ref, schema: Schema) -> bool:
    """Whether a column is the price, cost or margin of one piece beside how many there are: its sum over rows is no figure."""
    if ref.sign == "-":
        return ref.parts[0].concept == "price" and all(each.kind == "money" for each in ref.parts)
    pieces = schema.of("quantity", "stock")
    cost = ref.concept == "cost" and _named_unit(ref) and (pieces or schema.of("price"))
    return not ref.parts and bool(cost or (ref.concept == "price" and pieces))


def _runs(name: str) -> set[tuple[str, ...]]:
    said = key_of(name.replace("_", " "))
    return {said[at:end] for at in range(len(said)) for end in range(at + 1, len(said) + 1)}


def made_of(left: Ref, sign: Sign, right: Ref, concept_made: str = "") -> Ref:
    """The figure that two columns make: its name says how."""
    name = f"{left.name} {_SHOWN[sign]} {right.name}"
    unit = left.unit or right.unit
    return Ref(name, _kind(left, right), concept_made, "", unit, (left, right), sign)


def _kind(left: Ref, right: Ref) -> Kind:
    kinds = {left.kind, right.kind} & NUMERIC
    return "money" if "money" in kinds else "number" if "number" in kinds else "integer"


# Tells a column of where things come from and one of where they go to apart: "from_warehouse", "Kho đến".


Side = Literal["source", "target"]
SIDES: tuple[Side, ...] = ("source", "target")
_LONGEST, _SIDE_WEIGHT = 3, 0.88


@cache
def _lists(side: Side, what: str) -> tuple[tuple[WordToken, ...], ...]:
    return tuple(tuple(tokens(entry)) for entry in read_lists(FOLDER / "directions.txt")[f"{side} {what}"])


def side_of(header: str) -> Side | None:
    """Which side a column is of, None where its header does not say."""
    said = tokens(plain(header))
    for side in SIDES:
        if any(_same([token], word) for token in said for word in _lists(side, "headers")):
            return side
    return None


def side_before(before: Sequence[WordToken]) -> Side | None:
    """Which side a value is of, by the words before it."""
    for length in range(min(_LONGEST, len(before)), 0, -1):
        for side in SIDES:
            if any(_same(before[-length:], word) for word in _lists(side, "words")):
                return side
    return None


def _same(said: Sequence[WordToken], listed: Sequence[WordToken]) -> bool:
    pairs = zip(said, listed, strict=False)
    same = (got.folded == want.folded and accents_agree(got.text, want.text) for got, want in pairs)
    return len(said) == len(listed) and all(same)


def name_sides(schema: Schema) -> None:
    """Name the columns of a sheet that has both sides of something by their side: "destination warehouse"."""
    sides: dict[Side, list[Field]] = {side: [] for side in SIDES}
    for each in schema.sheet.fields:
        side = side_of(each.name)
        if side and each.kind == "text":
            sides[side].append(each)
    for side, fields in sides.items():
        other = sides["target" if side == "source" else "source"]
        for each in fields:
            rest = _rest(each.name)
            if rest and any(_rest(one.name) == rest for one in other):
                _name(schema, side, each, " ".join(rest))


def _rest(header: str) -> tuple[str, ...]:
    """The words of a header without those of its side."""
    marked = {word[0].folded for side in SIDES for word in _lists(side, "headers") if len(word) == 1}
    return tuple(token.text for token in tokens(plain(header)) if token.folded not in marked)


def _name(schema: Schema, side: Side, field: Field, rest: str) -> None:
    ref = schema.refs[f":{field.name}"]
    for listed in _lists(side, "names"):
        name = " ".join(token.text for token in listed)
        for phrase in (name, f"{name} {rest}", f"{rest} {name}"):
            schema.names.add(phrase, Target(_SIDE_WEIGHT, ref, concept=ref.concept))


_OWN_NAME = 0.93
_FULL_NAMES = frozenset({"ho ten", "ho va ten", "ten", "full name", "name"})
_PAID = frozenset(
    {"revenue", "fee", "quantity", "output", "stock", "salary", "shipping fee", "cost", "donation", "labour"}
)
"""Concepts beside which a price is one of many figures, and not what was paid for the row."""

__all__ = ["Schema", "Target", "Value", "is_code", "schema_of"]


def schema_of(sheet: Sheet, others: Sequence[Sheet] = ()) -> Schema:
    """The schema of `sheet`, with the columns of `others` that it can be joined to; made once for each version."""
    return _schema(_Held(sheet), tuple(_Held(each) for each in others if each.id != sheet.id))


class _Held:
    """A sheet that can be a key: sheets hold mappings, so their identity is their version."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        names = tuple((metric.name, metric.text, metric.field) for metric in sheet.metrics)
        self._key = (sheet.id, sheet.owner, sheet.name, sheet.imported_at, sheet.fields, sheet.rows, names)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and other._key == self._key


@lru_cache(maxsize=64)
def _schema(held: _Held, others: tuple[_Held, ...]) -> Schema:
    sheet = held.sheet
    schema = Schema(sheet)
    written = (text for each in sheet.fields for text in (each.name, *each.examples))
    schema.bare = not any(accents(text) for text in written)
    meanings = _meanings(sheet)
    for each in sheet.fields:
        _add_field(schema, each, "", meanings.get(_about(each), ""))
    find_rows(schema)
    for metric in sheet.metrics:
        schema.names.add(metric.name, Target(1.2, metric=metric))
    for other in others:
        _join(schema, other.sheet)
    derive(schema)
    name_sides(schema)
    units(schema)
    stand_ins(schema)
    name_rows(schema)
    name_events(schema)
    return schema


def _about(found: Field) -> str:
    return "full name" if fold(plain(found.name)) in _FULL_NAMES else concept_of(found)[0]


def _meanings(sheet: Sheet) -> dict[str, str]:
    """What concepts turn into beside the sheet's other columns: they add up where things are moved, or each row is paid."""
    own = {concept_of(each)[0] for each in sheet.fields}
    found = {"weight": "load"} if own & {"quantity", "output", "stock", "shipping fee"} else {}
    if sheet.date_field and own.isdisjoint(_PAID):
        found["price"] = "fee"
    persons = own & {"customer", "patient", "student", "resident", "donor"}
    if len(persons) == 1 and "employee" in own:
        found["full name"] = persons.pop()  # "Họ tên" beside "Mã KH" is the customer's
    return found


def _add_field(schema: Schema, found: Field, joined: str, meaning: str = "") -> None:
    concept, share = concept_of(found)
    concept = meaning or concept
    ref = Ref(found.name, found.kind, concept, joined, found.unit)
    key = f"{joined}:{found.name}"
    schema.refs[key], schema.fields[key] = ref, found
    if concept:
        schema.by_concept.setdefault(concept, []).append(ref)
    loss = 0.12 if joined else 0.0
    # Figures of another sheet are no figures of this one's rows: only by their own names may they choose rows.
    least = _OWN_NAME if joined and found.kind in NUMERIC else 0.0
    for phrase, weight in aliases(found, concept, share):
        if weight < least:
            continue
        schema.names.add(phrase, Target(weight - loss, ref, concept=concept))
        for other in in_number(phrase):
            schema.names.add(other, Target(weight - loss - 0.02, ref, concept=concept))
    _add_values(schema, ref, found, loss)


def _add_values(schema: Schema, ref: Ref, found: Field, loss: float) -> None:
    if found.kind not in {"text", "list", "boolean"}:
        return
    parts: dict[str, list[str]] = {}
    for value in found.examples:
        schema.values.add(value, Value(ref, (value,), whole=True, weight=1.0 - loss))
        for other in in_number(value):
            schema.values.add(other, Value(ref, (value,), whole=True, weight=0.96 - loss))
        for other in spellings_of(value):
            schema.values.add(other, Value(ref, (value,), whole=True, weight=0.9 - loss))
        typed = [value[token.start : token.end] for token in tokens(value)]
        if 1 < len(typed) <= 8 and ref.concept != "status":
            for length in range(1, len(typed)):
                for at in range(len(typed) - length + 1):
                    parts.setdefault(" ".join(typed[at : at + length]), []).append(value)
    for phrase, holding in parts.items():
        for each in (phrase, *in_number(phrase)) if telling(phrase) else ():
            schema.values.add(each, Value(ref, tuple(dict.fromkeys(holding)), whole=False, weight=0.6 - loss))


def _join(schema: Schema, other: Sheet) -> None:
    """Add the columns of `other`, when one of its columns names its rows and is a column here too."""
    for there in other.fields:
        if there.kind in TEMPORAL or other.rows < 1 or there.distinct < other.rows - there.blanks:
            continue
        here = next((mine for mine in schema.sheet.fields if _same_key(mine, there)), None)
        if here is None:
            continue
        schema.joins[other.name] = (here.name, there.name)
        own, meanings = {fold(each.name) for each in schema.sheet.fields}, _meanings(other)
        for each in other.fields:
            if fold(each.name) not in own:
                _add_field(schema, each, other.name, meanings.get(_about(each), ""))
        return


def _same_key(mine: Field, theirs: Field) -> bool:
    numbers = mine.kind in NUMERIC, theirs.kind in NUMERIC
    if mine.kind in TEMPORAL or numbers[0] != numbers[1]:
        return False
    if fold(plain(mine.name)) == fold(plain(theirs.name)):
        return True
    first, second = concept_of(mine), concept_of(theirs)
    said = ((tokens(plain(each.name)), fold(each.name)) for each in (mine, theirs))
    coded = [typed[0].folded in marks("id marks") or name.endswith("id") for typed, name in said if typed]
    return first[0] == second[0] != "" and min(first[1], second[1]) >= 0.9 and all(coded)
