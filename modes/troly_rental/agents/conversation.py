"""What a model is told: instructions and tables, alike in every turn of a person; then who asks, what was said and shown."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from troly.plugin.context import TurnContext
from troly.text.catalogue import Lang
from troly.text.dates import DateRange
from troly.text.shorten import one_line
from troly_rental.agents.state import QueryExecution, RentalQuestion
from troly_rental.answer.values import amenity_label
from troly_rental.data.places import Place, Places
from troly_rental.data.schema import describe, tables
from troly_rental.data.store import RentalStore
from troly_rental.question.dates import day_too, is_vague, named_days
from troly_rental.question.spelling import correct_spelling
from troly_rental.question.vocabulary import amenity_codes
from troly_rental.sessions import within
from troly_rental.settings import RentalSettings
from troly_rental.strings import prompts, say

if TYPE_CHECKING:
    from troly.llm.types import Message

MAX_ROWS, SQL_CHARS = 200, 1_999
"""Most rows of a query, and its length: grammars of real servers refuse longer strings in a schema."""
PROMPT_CHARS, HISTORY_CHARS = 7_000, 1_400
"""A prompt, about 2,000 tokens, and what was said before in it: as much as the rest leaves, at most so much."""
MESSAGE_CHARS = {"user": 160, "assistant": 80}
"""Of one message of a side; what was shown last is told besides."""
FEW_ROWS, SHORT_LIST = 3, 5
SHOWN_CHARS, CELL_CHARS = 380, 32
NAMES = {"title": 20, "of": 20}
"""What a row is called is cut after what it holds."""
CELL_WIDTHS = (96, 64, 48, 40, 32, 24, 20, 16, 12, 8)
"""Of the cells of a short list, as many characters as have room."""
# Of a row these say nothing to somebody who writes a query or a sentence.
UNTOLD = frozenset({"path", "entity", "city", "posted_at", "description"})
_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_ROLES = {"GUEST": "GUEST (not logged in)", "TENANT": "TENANT (rents a room)", "LANDLORD": "LANDLORD (lets rooms)"}  # fmt: skip


def task_messages(
    task: str, question: RentalQuestion, turn: TurnContext, given: Mapping[str, str]
) -> list[Message]:
    """The prompt of a task ("SORT", "SQL", "TELL") with what is given for it by name (002-05, 002-11, 002-13).

    Servers keep the beginning of a prompt evaluated, so all tasks share it and what changes comes last; what holds nothing is
    left out.
    """
    texts, lang = prompts(), turn.language
    scope = question.scope.columns() if question.scope is not None else {}
    kinds = tables()["rooms"].columns["room_type"].values.values()
    check = texts.render("result_validator", lang)
    rules = {
        "orchestrator": texts.render("orchestrator", lang),
        "sql_agent": texts.render("sql_agent", lang, limit=MAX_ROWS),
        "response_generator": texts.render("response_generator", lang, result_validator=check),
    }
    told = {
        "Today": f"{turn.now.date().isoformat()} ({turn.now:%A})",
        "Asker": _ROLES[question.who.role],
        "Language": lang,
        "Facts": facts_of(question, turn, RentalStore(turn.services).places()),
        "Shown last": _shown(turn, telling=task == "TELL"),
        "Conversation": "(here)",  # what the rest leaves room for
        "Message": question.text,
        **given,
        "Task": task,
    }
    messages = texts.messages(
        "assistant",
        lang,
        persona=question.session.prompt,
        schema=describe(scope),
        kinds=", ".join(f"{one.value} {one.vi}" for one in kinds),
        amenities=", ".join(f"{code} {amenity_label(code, 'vi')}" for code in amenity_codes()),
        context="\n".join(f"{name}: {text}" for name, text in told.items() if text),
        **rules,
    )
    place = "Conversation: (here)\n"
    room = PROMPT_CHARS + len(place) - sum(len(one["content"]) + 1 for one in messages)
    said = _history(question, turn, min(HISTORY_CHARS, room))
    said = f"Conversation: {said}\n" if said else ""
    return [{**one, "content": one["content"].replace(place, said, 1)} for one in messages]


def unused_text(why: str, lang: Lang) -> str:
    """One sentence on why a reply of the model was not used: `why` is an error's key, or a reason of the catalogue's [unused]."""
    reasons = {"ollama.bad_json": "shape", "ollama.length": "rambles", "ollama.refused_length": "long"}
    reason = reasons.get(why, why)
    known = reason in {"shape", "rambles", "language", "figures", "long"}
    return say("unused.text", lang, why=say(f"unused.{reason if known else 'failed'}", lang))


def _history(question: RentalQuestion, turn: TurnContext, room: int) -> str:
    """The last messages of the session that have room, oldest first: the last of each side, then what was wanted, then the other
    answers (002-05).
    """
    most = turn.services.settings.of(RentalSettings).history_messages
    said = [one for one in within(turn.history, question.session, most) if one.type != "greeting"]
    lines: dict[int, str] = {}
    room -= len("Conversation: \n")
    newest = {one.sender: at for at, one in enumerate(said)}.values()
    for at, one in sorted(
        enumerate(said), key=lambda each: (each[0] not in newest, each[1].sender != "user", -each[0])
    ):
        line = f"\n{one.sender}: {one_line(one.text, MESSAGE_CHARS.get(one.sender, 0))}"
        if one.sender in MESSAGE_CHARS and len(line) <= room:
            lines[at] = line
            room -= len(line)
    return "".join(lines[at] for at in sorted(lines))


def _shown(turn: TurnContext, *, telling: bool) -> str:
    """The rows of the last answer with what is known of each, numbered as they were shown, and the query that found them; who is
    `telling` new rows needs of many only the first, and a figure alone stands in the conversation.
    """
    focus = turn.focus
    if focus is None:
        return ""
    things = any(row.id.isdigit() for row in focus.rows)
    records = [
        {**({"id": row.id, "title": row.title} if things else {"of": row.title}), **row.values}
        for row in focus.rows
    ]
    few = len(records) <= FEW_ROWS
    sql = "" if telling else str(focus.query.get("sql", ""))
    if len(records) == 1 and not things and len(focus.rows[0].values) <= 1:
        return f"one figure, found by: {sql}" if sql else ""
    # "hai căn đó": of few rows each is told.
    rows, seen = rows_text(records, SHOWN_CHARS * 2 if few else SHOWN_CHARS // (4 if telling else 1))
    total = focus.query.get("total", len(focus.rows))
    return f"{focus.kind}, the first {seen} of {total} rows{rows}" + (f"\nfound by: {sql}" if sql else "")


def rows_text(records: list[dict[str, Any]], room: int, asked: Collection[str] = ()) -> tuple[str, int]:
    """Rows under the names of their columns, numbered, as many as have room, and how many those are.

    The first row is told whole, and every column that was `asked` for. A column that repeats another one is told as such; of several rows what is alike in all is told once, before them. A short list
    is told whole: its cells are cut instead, no more than the room asks for.
    """
    told, seen = "", 0
    records = [{k: v for k, v in one.items() if k in asked or k not in UNTOLD} for one in records]
    for width in CELL_WIDTHS if len(records) <= SHORT_LIST else (CELL_CHARS,):
        told, seen = _rows_of_width(records, room, width)
        if seen == len(records):
            break
    return told, seen


def _rows_of_width(records: list[dict[str, Any]], room: int, width: int) -> tuple[str, int]:
    """As `rows_text`, with cells of at most `width` characters."""
    columns: dict[str, tuple[str, ...]] = {}
    same: list[str] = []
    for name in dict.fromkeys(name for record in records for name in record):
        cells = tuple(_cell(record.get(name), MAX_ROWS) for record in records)
        says_yes_or_no = any(isinstance(record.get(name), bool) for record in records)
        other = next((known for known, told in columns.items() if told == cells), None)
        if any(cells) and other and not says_yes_or_no:
            same.append(f"{name} = {other}")
        elif any(cells):
            columns[name] = cells
    several = len(records) > FEW_ROWS
    alike = [
        f"{name}: {one_line(cells[0], width)}"
        for name, cells in columns.items()
        if several and len(set(cells)) == 1
    ]
    told = {name: cells for name, cells in columns.items() if not several or len(set(cells)) > 1}
    names, lines = [*told], list[str]()
    for number in range(1, len(records) + 1):
        most = width if number > 1 else CELL_WIDTHS[0]  # the first of an order is named
        cut = ((each[number - 1], max(most, NAMES.get(name, 0))) for name, each in told.items())
        line = f"{number}. {' | '.join(one_line(*cell) for cell in cut)}"
        room -= len(line)
        if room < 0 and lines:
            break
        lines.append(line)
    head = [f"all: {', '.join(alike)}"] if alike else []
    head += [f"alike: {', '.join(same)}"] if same else []
    if len(records) <= FEW_ROWS and (empty := _empty_columns(records)):
        head.append(f"not stated: {', '.join(empty)}")
    return "".join(f"\n{line}" for line in [*head, " | ".join(names), *lines]) if lines else "", len(lines)


def _empty_columns(records: list[dict[str, Any]]) -> list[str]:
    """The columns that no row has a value of."""
    names = dict.fromkeys(name for record in records for name in record)
    return [name for name in names if not any(record.get(name) not in (None, "") for record in records)]


def _cell(value: object, width: int) -> str:
    if value is None:
        return ""
    return f"{value:.12g}" if isinstance(value, float) else one_line(str(value), width)


def conditions_sql(execution: QueryExecution) -> str:
    """The query with every condition, figure and order: of a list the first column with "…" for the others but those that are
    worked out or called otherwise, joins without the keys that they compare.
    """
    tree = execution.checked.tree.copy()
    if isinstance(tree, exp.Select) and not tree.args.get("group") and len(tree.expressions) > 3:
        kept = [one for one in tree.expressions[1:] if _is_renamed(one)]
        tree.set("expressions", [tree.expressions[0], exp.var("…"), *kept])
    for join in tree.find_all(exp.Join):
        keys = join.args.get("on")
        if (
            isinstance(keys, exp.EQ)
            and isinstance(keys.left, exp.Column)
            and isinstance(keys.right, exp.Column)
        ):
            join.set("on", exp.var("…"))
    return tree.sql(dialect="duckdb")


def _is_renamed(node: exp.Expr) -> bool:
    """Whether a column of a query is not the stored one of its name: "max_budget AS price"."""
    of = node.unalias()
    if isinstance(of, exp.Column):
        return of.name not in {node.alias_or_name, "name", "title"}
    return not isinstance(of, exp.Literal | exp.Subquery)


def facts_of(question: RentalQuestion, turn: TurnContext, places: Places) -> str:
    """What can be looked up of the words: names of places as the data has them, also misspelt, a ward that a landmark is named
    after too, the nearest names of what is no place, days, the cities that there are.
    """
    text = correct_spelling(question.text, turn.language)
    found = places.find(text)
    landmarks = [one.typed.partition(" ")[2] for one in found if one.near]
    told = [
        f"«{one.typed}» = {' or '.join(_meaning(p, places) for p in one.places[:3])}{' (landmark near there)' if one.near else ''}"
        for one in (*found, *(named for rest in landmarks for named in places.find(rest)))
        if not one.short and (len(one.places) == 1 or one.places[0].kind != "ward")
    ]
    unknown = (dict(one.params) for one in question.read.missing)
    told += [
        f"no place is called «{one['name']}»; nearest: {one['near']}" for one in unknown if one.get("near")
    ]
    told += [
        f"«{text[slice(*one.span)]}» = {one.start} to {one.end}" for one in days_of(question, text, turn)
    ]
    told.append(f"the data holds only: {', '.join(place.name for place in places.of('city'))}")
    return "; ".join(told)


def days_of(question: RentalQuestion, text: str, turn: TurnContext) -> list[DateRange]:
    """The days that `text` names, as the rules' query has them; a vague period is none."""
    read, today = question.read, turn.now.date()
    ahead = any(one.field == "end_date" for one in read.filters)
    found = [one for one in named_days(text, read.entity, today, ahead=ahead) if not is_vague(text, one)]
    shown = turn.focus if turn.focus is not None and turn.focus.kind == "viewing" else None
    asked = {*_DAY.findall(str(shown.query.get("sql", "")))} if shown is not None else set()
    other = day_too(text, date.fromisoformat(*asked)) if len(asked) == 1 else None
    return [*found, *([other] if other is not None and not found else [])]


def _meaning(place: Place, places: Places) -> str:
    """A place as the tables have it: its kind and name, and all districts that a district's name stands for."""
    names = places.covered(place.name) if place.kind == "district" else (place.name,)
    return f"{place.kind}{'s' if len(names) > 1 else ''} {', '.join(names)}"
