"""Writes the answer out of what the agents found: by a model over the passages, else in the documents' own sentences.

Without a model only what a passage speaks of wholly is told as an answer; the rest is shown as what comes nearest, with
the words that nothing was found for (004-17, 004-26).
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from troly.plugin.context import TurnContext
from troly.plugin.events import Source
from troly.text.catalogue import Lang
from troly.text.fold import fold
from troly.text.language import is_other
from troly_rag.answer.evidence import SourceEvidence, dated
from troly_rag.answer.grounding import claims_of
from troly_rag.answer.output import NEAREST, PERHAPS, AnswerContent, follow_ups
from troly_rag.answer.written import Draft, write
from troly_rag.config import RagConfig
from troly_rag.conflicts.contradictions import ConflictReport, key_of
from troly_rag.corpus.access import is_guest
from troly_rag.corpus.coverage import YEAR, figure_request, phrases_of, question_of, text_of
from troly_rag.execution.engine import AgentOutput, QueryAnswer
from troly_rag.routing.lexicons import tool_words
from troly_rag.routing.plan import LOG, MATH, RAG, Routing
from troly_rag.routing.questions import adds_up, asks, is_side
from troly_rag.strings import say
from troly_rag.tools import deadlines, limits
from troly_rag.tools.logs import is_for_log

_MOST_SOURCES = 4
# What comes nearest is shown from this share of the question's words on.
_NEAREST, _NEAREST_CLOSE = 0.5, 0.25
# From this share on however they stand, but together where title and heading speak of nothing that is asked.
_MOSTLY, _TOGETHER = 0.65, 0.5
_STRAY, _FEWEST = 0.3, 2
_WHETHER = re.compile(r"\b(?:co|can|phai) .*\b(?:khong|ko|k|gi)\W*$|\b(?:do|must|should) (?:i|we)\b")


@dataclass(frozen=True, slots=True)
class ComposedAnswer:
    """The answer with its sources, who wrote it, a note for the evidence view, whether it answers everything, and
    whether something was worked out for it."""

    content: AnswerContent
    source: Source
    note: str
    answered: bool = True
    computed: bool = False


async def compose(
    turn: TurnContext,
    routing: Routing,
    outputs: Sequence[AgentOutput],
    conflicts: ConflictReport,
    config: RagConfig,
    *,
    earlier: Sequence[SourceEvidence] = (),
    last_shown: Callable[[], Awaitable[Sequence[SourceEvidence]]],
) -> ComposedAnswer:
    """The model's answer over the passages where one is asked, else what the documents themselves say.

    `earlier` are passages of the turn before, which a model may need for a follow-up; `last_shown` looks up the page
    that was told last, which a question that no page answers may go on with.
    """
    lang = turn.language
    found = Findings(outputs, conflicts, lang)
    closing = [*_failures(outputs, lang)]
    if outputs and all(output.status == "failed" for output in outputs):
        text = say("answer.all_failed", lang)
        return ComposedAnswer(AnswerContent("\n\n".join([text, *closing])), "rules", "", answered=False)
    found.leave(routing.left)
    if not (routing.certain and found.is_whole):
        draft = await write(turn, routing, [*found.material, *earlier], found.figures, conflicts)
        if draft.text:
            return _by_model(draft, found, outputs, routing, config, lang=lang)
        note = draft.note
    else:
        note = ""
    shown = await last_shown() if routing.points_back or not found.is_whole else ()
    if not found.is_whole:
        found.go_on_with([*shown, *found.beside_sum])
    text = found.text(routing)
    own = bool(tool_words("own_balance").find(turn.text)) and not found.figures
    if own:
        text = f"{say('answer.own_balance', lang)}\n\n{text}"
    quoted = any(is_other(line, lang) for line in found.lines)
    if quoted:
        text = f"{say('answer.other_language', lang)}\n\n{text}"
    # What goes on with a sum and cannot be worked out anew is a rule to look at, no answer.
    asks = figure_request(turn.text).figure or not question_of(turn.text).subjects
    uncounted = routing.goes_on_with_sum and found.is_whole and not found.figures and asks
    if uncounted:
        text = f"{say('answer.uncounted', lang)}\n\n{text}"
    # What the page shown does not tell of itself another page tells of something else.
    told, named = {one.document for one in found.used}, question_of(turn.text)
    here = any(one.document in told for one in shown)
    heads = (head for one in found.used for head in (one.title, one.section))
    here = here or any(named.named_by(head) >= _NEAREST for head in heads)
    elsewhere = routing.points_back and found.is_whole and bool(shown) and not (here or found.computed)
    if elsewhere:
        text = f"{say('answer.elsewhere', lang, title=shown[0].title)}\n\n{text}"
    parts = [
        text,
        *_aged(found.used, turn),
        *_ties(conflicts, lang),
        *_sources(found, turn),
        *closing,
        *(() if found.is_whole else _closed(outputs, routing, lang)),
    ]
    suggested = _suggested(outputs, found.used, routing, config, lang, computed=found.computed)
    if not found.is_whole and turn.model.reason_unavailable is not None:
        parts.append(say("answer.no_model", lang))
    # A figure that is asked for without a word of what it is of is no page's to tell.
    asked = question_of(turn.text)
    logs = any(tool == LOG for output in outputs for tool, _ in output.extras)
    anew = found.computed and not routing.goes_on_with_sum
    vague = not (asked.tokens or asked.own_figures or logs or anew) and figure_request(turn.text).figure
    summed = adds_up(turn.text) and not found.computed
    # A sum over again, though the message asks of something that the sum does not speak of.
    changed = asked.coverage(text_of("\n".join([*(one.title for one in found.used), text]))).share
    goes_on = found.computed and routing.goes_on_with_sum and not logs
    stray = goes_on and asked.tokens and not asked.own_figures and changed < _STRAY
    # What failed is named, and is a part that is not answered.
    whole = found.is_whole and not (
        quoted or uncounted or elsewhere or own or vague or summed or stray or closing
    )
    coverage = found.coverage if whole else _of_page_shown(found.coverage, failed=bool(closing))
    text = "\n\n".join(filter(None, parts))
    answer = AnswerContent(text, found.used, suggested, coverage, computed=whole and found.computed)
    return ComposedAnswer(answer, "rules", note or say("answer.extracted", lang), whole, found.computed)


def _of_page_shown(coverage: float, *, failed: bool) -> float:
    """What a page is worth that is no answer, as such pages were measured: one that holds every word, and others."""
    return PERHAPS if coverage >= 1 and not failed else NEAREST


def _by_model(
    draft: Draft,
    found: Findings,
    outputs: Sequence[AgentOutput],
    routing: Routing,
    config: RagConfig,
    *,
    lang: Lang,
) -> ComposedAnswer:
    """What a model wrote, with what failed; where it only says that nothing is said, it rests on no page and leads to none."""
    used = () if draft.refuses else draft.used or found.used
    near = () if draft.refuses else _suggested(outputs, used, routing, config, lang)
    closed = _closed(outputs, routing, lang) if draft.refuses else ()
    left = [*found.left, *_failures(outputs, lang, MATH)]
    coverage = found.coverage * draft.grounded
    answer = AnswerContent(
        "\n\n".join([draft.text, *left, *closed]),
        used,
        near,
        coverage / 2 if left else coverage,
    )
    return ComposedAnswer(answer, "model", draft.note, not (draft.refuses or left))


class Findings:
    """What all agents found, part by part of the question: answered, or what comes nearest.

    `lines` are the sentences told as answers, `used` the sources they and what comes nearest rest on, `of_sum` those of what
    was worked out, `beside_sum` the same where a part of the message asks something else.
    """

    def __init__(self, outputs: Sequence[AgentOutput], conflicts: ConflictReport, lang: Lang) -> None:
        self._lang, self._conflicts = lang, conflicts
        self.lines: list[str] = []
        self.figures: list[str] = []
        self.computed = self._partial = False
        self.used: tuple[SourceEvidence, ...] = ()
        self._nearest: list[str] = []
        self.left: tuple[str, ...] = ()
        extras = [one for output in outputs for tool, one in output.extras if tool == MATH and one.covered]
        self.of_sum = tuple(source for one in extras for source in one.evidence)
        self._sums = "\n".join(one.answer for one in extras)
        self._summed = {(source.url, source.section) for source in self.of_sum}
        self._several = any(len(output.queries) > 1 for output in outputs)
        self.beside_sum: tuple[SourceEvidence, ...] = ()
        self._held: list[float] = []
        used: list[SourceEvidence] = []
        material: list[SourceEvidence] = []
        for output in outputs:
            if output.status == "failed":
                continue
            shown = [one for tool, one in output.extras if tool in (MATH, LOG)]
            self.computed = self.computed or any(one.covered for one in shown)
            self._partial = self._partial or any(one.unread for one in shown)
            for extra in shown:
                self.figures.append(extra.answer)
                used += extra.evidence
            counted = any(tool == LOG for tool, _ in output.extras)
            of_log = any(is_for_log(query.query) for query in output.queries)
            computed = any(one.covered for tool, one in output.extras if tool == MATH) or any(
                run.tool in (MATH, LOG) for run in output.failed
            )
            for query in output.queries:
                material += query.found.material
                if not query.looked_up:
                    continue
                # What a log could not be asked is said by its tool.
                logged = counted and (is_for_log(query.query) or not of_log)
                used += self._tell(query, computed=computed, logged=logged)
        self.used, self.material = _unique(used), _unique([*used, *material])

    @property
    def is_whole(self) -> bool:
        """Whether every part of the question is answered."""
        return not (self._nearest or self._partial or self.left) and bool(self.lines or self.figures)

    @property
    def coverage(self) -> float:
        """The share of the question's words that the best sources hold, over its parts; what was computed holds all."""
        return sum(self._held) / len(self._held) if self._held else float(self.is_whole)

    def text(self, routing: Routing) -> str:
        """The sentences that answer, what was computed first; then what was found nearest to the other parts."""
        told = " ".join(self.lines)
        parts = [*self.figures, told, *self._nearest, *self.left]
        return "\n\n".join(filter(None, parts)) or _nothing(routing.refined_query, self._lang)

    def _tell(self, query: QueryAnswer, *, computed: bool, logged: bool) -> list[SourceEvidence]:
        """Add what answers `query`, or what comes nearest to it; the sources of that."""
        stands = [one for one in query.found.evidence if key_of(one) not in self._conflicts.losers]
        stands = [one for one in stands if not one.superseded] or stands
        side = is_side(query.query, self._lang)
        if logged and self.computed:
            # Lines were counted for it.
            return []
        if query.found.covered:
            self._held.append(query.found.passages[0].share if query.found.passages else 1.0)
            told = self._untold(query.found.answer)
            self.lines += [told] if told else []
            return stands
        asked = question_of(query.query)
        asking = (
            limits.asking_words(query.query) | deadlines.asking_words(query.query)
            if self._sums
            else frozenset[str]()
        )
        # What another agent worked out speaks of all that is asked but for how it is asked.
        left = asked.coverage(text_of(self._sums)).unread if asking else ()
        summed = bool(asking) and all(fold(word) in asking for word in left)
        other = computed and self._asks_other(query.query)
        if other:
            computed, self.beside_sum = False, self.of_sum
        again = not (side or computed) and (summed or self._is_told(query.query))
        if again:
            self._held.append(1.0)
        if side or computed or again:
            return []
        self._held.append(query.found.passages[0].share if query.found.passages else 0.0)
        near = self._untold(query.found.answer)
        # One word alone comes near to no page but one that has it in its title, where no closed page speaks of it.
        titled = bool(stands) and asked.coverage(text_of(stands[0].title)).share >= 1
        telling = asked.subjects >= _FEWEST or (titled and not query.found.denied)
        telling = telling and asked.keeps_gifts(near)
        if near and stands and telling and _is_near(query):
            unread = tuple(word for word in query.found.unread if fold(word) not in asking)
            request = figure_request(query.query)
            unread += (request.day,) * request.lacks_day(near)
            words = ", ".join(f"“{words}”" for words in phrases_of(query.query, unread))
            if (stands[0].url, stands[0].section) in self._summed and not other:
                # What was worked out by a rule of that page is not told again, but for the words that it left out.
                self._nearest += [say("answer.unread", self._lang, words=words)] if words else []
                return []
            key = "answer.nearest" if words else "answer.perhaps"
            text = say(key, self._lang, words=words, title=stands[0].title, text=near)
            self._nearest.append(text)
            return stands[:1]
        self._nearest.append("" if logged else _nothing(query.query, self._lang))
        return []

    def leave(self, queries: Sequence[str]) -> None:
        """Name the queries that no agent was asked."""
        asked = "; ".join(f"“{one.rstrip(' ?.')}”" for one in queries if not is_side(one, self._lang))
        self.left = (say("answer.left", self._lang, parts=asked),) if asked else ()

    def go_on_with(self, shown: Sequence[SourceEvidence]) -> None:
        """Add what the pages shown last say: a question that no page answers may be one more about them."""
        for one in shown:
            told = fold(" ".join([*self.figures, *self.lines, *self._nearest]))
            text = " ".join(one.text.split())
            if any(fold(claim).strip(" .") not in told for claim in claims_of(text)):
                self._nearest.append(say("answer.shown", self._lang, title=one.title, text=text))
                self.used = _unique([*self.used, one])

    def _asks_other(self, query: str) -> bool:
        """Whether one of several parts of the message asks something that the sum for another one does not tell."""
        asked, request, told = question_of(query), figure_request(query), self._sums
        kind = request.figure or request.reason or request.address
        # With figures of its own it asks something else where it only asks whether or what must be.
        if not (self._several and asks(query)) or (
            asked.own_figures and (kind or not _WHETHER.search(fold(query)))
        ):
            return False
        return not request.is_met(told) if kind else bool(asked.coverage(text_of(told)).unread)

    def _is_told(self, query: str) -> bool:
        """Whether what was told for another part of the question says all that this one asks, or shares with it."""
        told, asked = " ".join(self.lines), question_of(query)
        return (
            bool(told and asked.subjects)
            and not asked.own_figures
            and asked.coverage(text_of(told)).share >= 1
            and figure_request(query).is_met(told)
            and asked.keeps_figures(told)
            and asked.keeps_places(told)
            and asked.keeps_denials(told)
        )

    def _untold(self, answer: str) -> str:
        """The sentences of `answer` that were not told for another part of the question."""
        known = fold(" ".join([*self.figures, *self.lines]))
        new = [line.strip() for line in claims_of(answer) if fold(line).strip(" .") not in known]
        return ("\n" if "\n" in answer else " ").join(new)


def _is_near(query: QueryAnswer) -> bool:
    """Whether the best passage holds enough of the question's words, in its title or side by side."""
    best, asked = next(iter(query.found.passages), None), question_of(query.query)
    if best is None:
        return False
    headed = asked.named_by(best.title) or asked.coverage(text_of(f"{best.title}\n{best.section}")).share
    # A title in another language says little in the words of this one.
    if headed or asked.language != text_of(best.text).language:
        return best.share >= _MOSTLY or (best.share >= _NEAREST and best.closeness >= _NEAREST_CLOSE)
    return best.share >= _MOSTLY and best.closeness >= _TOGETHER


def _nothing(query: str, lang: Lang) -> str:
    return say("answer.nothing", lang, query=query.rstrip(" ?."))


def _ties(conflicts: ConflictReport, lang: Lang) -> Iterator[str]:
    """Both sides of what contradicts itself and could not be decided."""
    for conflict in conflicts.conflicts:
        if conflict.tie:
            sides = "\n".join(
                f"- {one.candidate.title or one.candidate.agent}: {one.candidate.text}"
                for one in conflict.winners
            )
            yield say("answer.tie", lang, sides=sides)


def _sources(found: Findings, turn: TurnContext) -> Iterator[str]:
    """The titles of what was told, with their dates; of what only comes near as that."""
    used, key = found.used, "sources" if found.lines or found.figures else "nearest_pages"
    lang = turn.language
    dates = dict.fromkeys(f"{one.title} ({dated(one, turn.now, lang)})" for one in used if one.created_at)
    if dates:
        yield say(f"answer.{key}", lang, sources="; ".join(list(dates)[:_MOST_SOURCES]))


def _aged(used: Sequence[SourceEvidence], turn: TurnContext) -> Iterator[str]:
    """Which of the documents told are replaced, or of a year gone by where that year was not asked for."""
    compared = bool(tool_words("compare").find(turn.text))
    for title in dict.fromkeys(one.title for one in used if one.superseded and not compared):
        yield say("answer.superseded", turn.language, title=title)
    for title in dict.fromkeys(one.title for one in used if not one.superseded):
        years = [int(year) for year in YEAR.findall(title)]
        if years and max(years) < turn.now.year and str(max(years)) not in turn.text:
            yield say("answer.aged", turn.language, title=title, year=max(years))


def _failures(outputs: Sequence[AgentOutput], lang: Lang, but: str = "") -> Iterator[str]:
    """What is missing because an agent or a tool failed, with why (004-35); a tool that the answer did without is not."""
    for output in outputs:
        if but and all(run.tool == but for run in output.failed):
            continue
        if output.status == "failed":
            why = next((run.error or run.error_type for run in output.failed), "")
            yield say("answer.missing", lang, agent=output.agent.upper(), why=why.rstrip("."))
        else:
            yield from _lost_queries(output, lang)
            for run in output.failed:
                if run.status == "failed" and run.tool in (MATH, LOG):
                    yield say("answer.tool_failed", lang, why=(run.error or run.error_type).rstrip("."))


def _lost_queries(output: AgentOutput, lang: Lang) -> Iterator[str]:
    """The queries of an agent whose search alone failed."""
    lost = {run.query_index: run for run in output.failed if run.status == "failed" and run.tool == RAG}
    for query in output.queries:
        if run := lost.get(query.index):
            asked, why = query.query.rstrip(" ?."), (run.error or run.error_type).rstrip(".")
            yield say("answer.lost", lang, query=asked, why=why)


def _closed(outputs: Sequence[AgentOutput], routing: Routing, lang: Lang) -> Iterator[str]:
    """How many documents that answer are closed to the asker; to a guest the same whether there are any or not."""
    if is_guest(routing.access):
        yield say("answer.guest", lang)
    elif denied := sum(output.denied for output in outputs):
        yield say("answer.denied", lang, count=denied)


def _suggested(
    outputs: Sequence[AgentOutput],
    used: Sequence[SourceEvidence],
    routing: Routing,
    config: RagConfig,
    lang: Lang,
    *,
    computed: bool = False,
) -> tuple[str, ...]:
    # A sum of figures alone leads to no page, and a page in the person's language to none in another.
    native = any(not is_other(one.text, lang) for one in used)
    looked = [query.found for output in outputs for query in output.queries]
    named = question_of(routing.refined_query).named_by
    titles = [
        one.title
        for found in looked
        for one in found.passages or found.beside
        if max(one.share, one.relevance, named(one.title)) > _NEAREST
        and not one.superseded
        and not (native and is_other(one.text, lang))
        and (used or not computed)
    ]
    # Those first whose titles say what is asked.
    titles.sort(key=named, reverse=True)
    return follow_ups(titles, [one.title for one in used], routing.refined_query, config, lang)


def _unique(evidence: Iterable[SourceEvidence]) -> tuple[SourceEvidence, ...]:
    """Each passage once, whichever agent found it."""
    found: dict[tuple[str, str, str], SourceEvidence] = {}
    for one in evidence:
        found.setdefault((one.url, one.section, one.text), one)
    return tuple(found.values())
