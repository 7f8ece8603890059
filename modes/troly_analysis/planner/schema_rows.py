"""What the rows of a sheet are called, and what its columns are called beyond their headers: units, stand-ins."""

from __future__ import annotations

from troly.text.fold import accents, fold, tokens
from troly_analysis.planner.aliases import in_number, plain
from troly_analysis.planner.lexicon import (
    concepts,
    instead,
    marks,
    pieces,
    row_signs,
    row_words,
    unit_words,
    words,
)  # fmt: skip
from troly_analysis.planner.schema_parts import Schema, Target, is_code
from troly_analysis.types import NUMERIC, TEMPORAL

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
        known = ref.concept or marked
        if unique and known and (marked or ref.kind == "text") and ref.kind not in TEMPORAL:
            schema.row_concept, schema.row_ref = ref.concept or _named_once(schema), ref
            if schema.row_concept:
                return
            break
    for concept in concepts():
        if concept.nature != "category":
            continue
        said = (" ".join(token.folded for token in tokens(phrase)) for phrase in concept.phrases)
        taken = [ref for ref in schema.by_concept.get(concept.name, ()) if not ref.sheet]
        if not taken and any(f" {phrase} " in f" {called} " for phrase in said if len(phrase) > 2):
            schema.row_concept = concept.name
            return
    own = {name for name, refs in schema.by_concept.items() if any(not ref.sheet for ref in refs)}
    told = next((row for row, signs in row_signs() if signs <= own and row not in own), "")
    if told:
        schema.row_concept = told
    elif "order" not in own and "revenue" in own:
        schema.row_concept = "order"


def _named_once(schema: Schema) -> str:
    """What the rows are where their codes do not say: what a column of names, nearly all different, is about."""
    rows = schema.sheet.rows
    for key, ref in schema.refs.items():
        if (
            ref.kind == "text"
            and ref.concept
            and not ref.sheet
            and schema.fields[key].distinct >= 0.95 * rows
        ):
            return ref.concept
    return ""


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
