"""math_tool: works out what a rule of a document comes to for the asker: so much a day, per cent of pay.

The rule's figures come from the documents' sentences, the others from the asker's words; the sum is shown, and nothing
is guessed: where a figure is missing there is no result. Plain arithmetic of a question is left to `arithmetic`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

from troly.text.catalogue import Lang
from troly.text.dates import HCM
from troly.text.fold import fold
from troly.text.numbers import find_amounts, format_number
from troly_rag.answer.grounding import claims_of
from troly_rag.corpus.coverage import figure_request, question_of, text_of
from troly_rag.routing.lexicons import tool_words
from troly_rag.strings import say
from troly_rag.tools.arithmetic import DAILY_HOURS, WORKING_DAYS, CalculationError, answer
from troly_rag.tools.documents import evidence_of
from troly_rag.tools.interface import ToolError, ToolInputs, ToolResult

# Rules are looked for in so many of the passages found.
_PAGES = 3
# What is counted, by the words for it in a question and in a rule, folded.
_UNITS: Mapping[str, str] = {
    "day": "ngay|days?", "night": "dem|nights?", "time": "lan|times?", "month": "thang|months?", "year": "nam|years?",
    "hour": "gio|tieng|hours?", "week": "tuan|weeks?", "person": "nguoi|people|person", "child": "be|con|dua|child|children",
}  # fmt: skip
_NUMBERS = (
    *["mot", "hai", "ba", "bon", "nam", "sau", "bay", "tam", "chin", "muoi"],
    *["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
)
_SPELT = re.compile(rf"\b({'|'.join(_NUMBERS)})\s+({'|'.join(_UNITS.values())})\b")
_EVERY = r"(?:cho\s+)?(?:moi|tung|per|an?|each|every|for every|for each)"
_PAY = re.compile(r"\b(?:luong|pay|salary|wage)\b")
_HOURLY = re.compile(r"\b(?:luong gio|luong mot gio|moi gio|mot gio|hourly|an hour|per hour)\b")
_OVER = re.compile(r"\b(?:qua|tren|hon|more than|over)\s+(\d+)\s+(\w+)")
_DIVIDED = re.compile(
    r"\b(?:luong|salary|pay)[\w ]{0,20}?(?:chia|divided by|over)\s+(\d+)\s+(?:ngay|days|working)"
)
_LEAST_PAY = 10_000
_YEAR = re.compile(r"(?<![0-9/])(?:19|20)[0-9]{2}(?![0-9])")
# A share of pay is that of the question when this much of its clause stands in it.
_SPOKEN_OF = 0.6


@dataclass(frozen=True, slots=True)
class Figures:
    """What the asker said: how many of each unit, money, an hourly wage, a percentage."""

    counted: Mapping[str, Decimal] = field(default_factory=dict)
    money: Decimal | None = None
    hourly: Decimal | None = None
    percent: Decimal | None = None

    def over(self, older: Figures) -> Figures:
        """These, and from `older` what was not said again."""
        return Figures(
            {**older.counted, **self.counted},
            self.money if self.money is not None else older.money,
            self.hourly if self.hourly is not None else older.hourly,
            self.percent,
        )


def figures_of(text: str) -> Figures:
    """The figures that `text` states."""
    counted: dict[str, Decimal] = {}
    money = hourly = percent = None
    for amount in find_amounts(text):
        rest = fold(text[amount.end : amount.end + 16])
        unit = next((name for name, words in _UNITS.items() if re.match(rf"\s*(?:{words})\b", rest)), "")
        if amount.unit == "%":
            percent = amount.value
        elif unit and not amount.unit:
            counted.setdefault(unit, amount.value)
        elif amount.unit in ("", "VND") and amount.value >= _LEAST_PAY:
            before = fold(text[max(0, amount.start - 24) : amount.start])
            if _HOURLY.search(before) or _HOURLY.match(rest.strip(" /")):
                hourly = amount.value
            elif money is None:
                money = amount.value
    for said in _SPELT.finditer(fold(text)):
        unit = next(name for name, words in _UNITS.items() if re.fullmatch(words, said[2]))
        counted.setdefault(unit, Decimal(_NUMBERS.index(said[1]) % 10 + 1))
    return Figures(counted, money, hourly, percent)


def work_out(question: str, before: str, texts: Sequence[str], lang: Lang) -> str:
    """What the rules in `texts` (best first) come to with the figures of `question`, else of `before`; "" for nothing."""
    said = figures_of(question).over(figures_of(before))
    own = figures_of(question)
    fresh = bool(own.counted or own.money or own.hourly or own.percent) or figure_request(question).figure
    # A question that goes on without a figure of its own asks for a sum only where it names another case of the rule.
    asked = f"{question}\n{before}" if fresh else question
    ways: Sequence[Callable[[str], str]] = (
        lambda one: _by_hour(one, (question, asked), said, lang, fresh=fresh),
        lambda one: _by_unit(one, said, question, lang),
        lambda one: _by_divided_pay(one, said, own, lang),
        lambda one: _by_share(one, question, said, lang),
    )
    for text in texts:
        sentences = [one.strip() for one in claims_of(text)]
        for way in ways if fresh else ways[:1]:
            found = [result for one in sentences if (result := way(one))]
            if found:
                return found[0]
    return ""


def _by_hour(sentence: str, named_in: tuple[str, str], said: Figures, lang: Lang, *, fresh: bool) -> str:
    """Hours at a percentage of the hourly pay, by kind of day; each kind where none was named in this message or before."""
    hours = said.counted.get("hour")
    cases = [(clause, share) for clause in _clauses(sentence) for share in _shares(clause)]
    if hours is None or not cases or not re.search(r"luong gio|overtime|hourly|lam them", fold(sentence)):
        return ""
    wage = said.hourly
    if wage is not None:
        shown = f"{_money(wage, lang)}"
    elif said.money is not None:
        wage = said.money / WORKING_DAYS / DAILY_HOURS
        shown = f"{_money(said.money, lang)} / {WORKING_DAYS} / {DAILY_HOURS}"
    else:
        return ""
    if said.percent is not None:
        chosen = [("", said.percent)]
    else:
        chosen = _meant(named_in[0], cases) or _meant(named_in[1], cases) or (cases if fresh else [])
    lines = [
        f"{_case(clause)}{_plain(hours, lang)} × {shown} × {_plain(share, lang)}% = {_money(hours * wage * share / 100, lang)}"
        for clause, share in chosen
    ]
    note = say("math.assumed", lang, days=WORKING_DAYS, hours=DAILY_HOURS) if said.hourly is None else ""
    return _told(lines, sentence, lang, note)


def _by_unit(sentence: str, said: Figures, question: str, lang: Lang) -> str:
    """So much for each day, night, time, child or for every so many years."""
    text = fold(sentence)
    lines: list[str] = []
    total = Decimal(0)
    for unit, words in _UNITS.items():
        count = said.counted.get(unit)
        if count is None:
            continue
        for amount in find_amounts(sentence):
            rest = fold(sentence[amount.end : amount.end + 40])
            match = re.match(
                rf"\s*(vnd|dong|ngay|days?|more day)?\s*{_EVERY}\s+(?:(\d+)\s+)?(?:{words})\b", rest
            )
            if match is None:
                continue
            days = (match[1] or "").startswith(("ngay", "day", "more"))
            if not days and amount.value < _LEAST_PAY:
                continue
            step = Decimal(match[2] or 1)
            free = next(
                (Decimal(n) for n, word in _OVER.findall(text) if re.fullmatch(words, word)), Decimal(0)
            )
            beyond = max(Decimal(0), count - free)
            times = Decimal(int(beyond / step))
            if count == 1 and not free:
                # "a week", "một năm": how the question or the rule counts, no figure of the asker's.
                continue
            value = times * amount.value
            base = _base(sentence, amount.start) if days else Decimal(0)
            opening = f"{_plain(base, lang)} + " if base else ""
            many = (
                f"({_plain(count, lang)} − {_plain(free, lang)})" if free and beyond else _plain(times, lang)
            )
            if step > 1:
                many = f"({_plain(count, lang)} / {_plain(step, lang)} → {_plain(times, lang)})"
            shown = say("math.days", lang, count=_plain(base + value, lang)) if days else _money(value, lang)
            each = _plain(amount.value, lang) if days else _money(amount.value, lang)
            lines.append(f"{opening}{many} × {each} = {shown}")
            total += Decimal(0) if days else value
    if len(lines) > 1 and total:
        lines.append(say("math.total", lang, total=_money(total, lang)))
    asks = figure_request(question)
    return _told(lines, sentence, lang) if lines and (asks.figure or total or "?" not in question) else ""


def _by_divided_pay(sentence: str, said: Figures, own: Figures, lang: Lang) -> str:
    """Days at the monthly pay over so many working days; days of an earlier message may be others."""
    found = _DIVIDED.search(fold(sentence))
    days = own.counted.get("day")
    if found is None or days is None or said.money is None:
        return ""
    value = said.money / Decimal(found[1]) * days
    line = f"{_money(said.money, lang)} / {found[1]} × {_plain(days, lang)} = {_money(value, lang)}"
    return _told([line], sentence, lang)


def _by_share(sentence: str, question: str, said: Figures, lang: Lang) -> str:
    """A percentage of the pay that was said."""
    cases = [
        (clause, share)
        for clause in _clauses(sentence)
        for share in _shares(clause)
        if _PAY.search(fold(clause))
    ]
    money = said.money
    asked = text_of(question)
    cases = [case for case in cases if question_of(case[0]).coverage(asked).share >= _SPOKEN_OF]
    if not cases or money is None or "hour" in said.counted:
        return ""
    chosen = _meant(question, cases) or cases
    lines = [
        f"{_plain(share, lang)}% × {_money(money, lang)} = {_money(money * share / 100, lang)}"
        for _, share in chosen
    ]
    return _told(lines, "; ".join(clause for clause, _ in chosen), lang)


def _meant(question: str, cases: Sequence[tuple[str, Decimal]]) -> list[tuple[str, Decimal]]:
    """The cases that the question names more of than of any other; [] where it names none of them more.

    A case is named by what stands before its figure ("ngày lễ 300%"), or by words side by side in both.
    """
    pairs = text_of(question).pairs
    names = [_name(clause) for clause, _ in cases]
    if all(question_of(name).words for name in names):
        named = [float(question_of(name).coverage(text_of(question)).share >= 1) for name in names]
    else:
        named = [float(len(pairs & text_of(clause).pairs)) for clause, _ in cases]
    best = max(named)
    chosen = [case for case, share in zip(cases, named, strict=True) if share == best]
    return chosen if best > 0 and (len(chosen) < len(cases) or len(cases) == 1) else []


def _name(clause: str) -> str:
    """What a case is called: the words before its figure, without the verb."""
    return re.sub(r"(?:\s+(?:được trả|được|is paid at|at|bằng))*\s*\d.*", "", clause).strip()


def _clauses(sentence: str) -> Iterator[str]:
    """The parts of a sentence between commas that part no figures."""
    yield from (part.strip(" .;") for part in re.split(r",(?!\d)|;|\band\b", sentence) if part.strip(" .;"))


def _shares(clause: str) -> list[Decimal]:
    return [amount.value for amount in find_amounts(clause) if amount.unit == "%"][:1]


def _base(sentence: str, end: int) -> Decimal:
    """The days that a sentence grants before it adds to them."""
    for amount in find_amounts(sentence[:end]):
        if re.match(r"\s*(?:ngay|days?)\b", fold(sentence[amount.end : amount.end + 8])):
            return amount.value
    return Decimal(0)


def _case(clause: str) -> str:
    name = _name(clause)
    return f"{name}: " if name else ""


def _told(lines: Sequence[str], rule: str, lang: Lang, note: str = "") -> str:
    if not lines:
        return ""
    return say("math.by_rule", lang, sums="; ".join(lines), rule=rule.strip(" ."), note=note).strip()


def _plain(value: Decimal, lang: Lang) -> str:
    return format_number(value, lang, 4)


def _money(value: Decimal, lang: Lang) -> str:
    return f"{format_number(value.quantize(Decimal(1), ROUND_HALF_UP), lang, 0)} VND"


# --- The tool: what a rule comes to, else the arithmetic of the question


async def run_calculation(given: ToolInputs) -> ToolResult:
    """The result with how it came about, "" where nothing is to be worked out; the rule's own page is its evidence.

    The version in force counts, but where a past year is asked for that year's. Raises ToolError `arithmetic` for a
    division by zero, a huge power and the like; signs that make no sum are no sum.
    """
    lang, today = given.turn.language, given.turn.now.astimezone(HCM)
    years = set(_YEAR.findall(given.query)) - {str(today.year)}
    rules = [one for one in given.passages if (one.years & years if years else not one.superseded)]
    for passage in rules[:_PAGES]:
        text = work_out(given.query, given.before, [passage.text], lang)
        # A word that neither the rule nor the sum holds may change what it comes to: a model works it out itself.
        held = text_of(f"{passage.title}\n{passage.section}\n{text}")
        if given.turn.model.reason_unavailable is None and question_of(given.query).coverage(held).unread:
            continue
        if text:
            return ToolResult(
                text, say("math.context", lang), (evidence_of(passage, given.agent.name),), covered=True
            )
    try:
        text = answer(given.query, lang)
    except CalculationError as fault:
        if fault.kind == "syntax":
            return ToolResult()
        raise ToolError("arithmetic", say(f"math.{fault.kind}", lang, part=fault.part)) from fault
    missing = missing_for(given.query, lang) if not text else ""
    return ToolResult(text or missing, say("math.context", lang), covered=bool(text))


def missing_for(query: str, lang: Lang) -> str:
    """Which figures are needed where money is to be worked out and none was said (004-44)."""
    said = figures_of(query)
    if said.money is not None or said.hourly is not None or not tool_words("cost").find(query):
        return ""
    return say("math.missing", lang)
