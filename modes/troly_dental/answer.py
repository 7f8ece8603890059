"""Says the answer: streamed from the model through the output rail, or quoted word for word from what was found."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from troly.errors import ModelError
from troly.llm.types import Message
from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Notice
from troly.text.catalogue import Lang
from troly.text.dates import HCM, format_date
from troly.text.everyday import without_everyday
from troly.text.fold import fold
from troly_dental import notes as bundled
from troly_dental.emergency import (
    KEPT,
    Emergency,
    EmergencyReply,
    decided,
    split_first_line,
    without_contrary,
)
from troly_dental.guard import advice, without_thoughts
from troly_dental.guard.danger import NAMES
from troly_dental.lookup import Findings, SpokenAnswer, listed, option
from troly_dental.memory.connection import MemoryContext
from troly_dental.memory.facts import Revision, about_the_same, is_habit, short, without
from troly_dental.memory.store import facts_of, revision_of
from troly_dental.memory.types import Fact
from troly_dental.output_rail import CITED, OutputRail, doses, unwarned
from troly_dental.safety import (
    asks_of_allergies,
    bearing_on_treatment,
    conflicts,
    for_helpers,
    names_treatment,
    none_known,
    stated,
    supposed_conflicts,
    taken_back,
    told,
    what_they_mean,
    wishes,
    without_price,
)
from troly_dental.sentences import asked_lexicon
from troly_dental.step_log import PROMPT, RESPONSE, StepLog
from troly_dental.strings import prompts, say

# -- The prompt: the documents' parts (003-23), with everything from elsewhere kept as data.

RESULT_CHARS, NOTE_CHARS, MESSAGE_CHARS = 1_200, 2_000, 2_000
_OTHER_KINDS = frozenset({"name", "tooth", "date", "number"})
_CITATION, _NUMBER = re.compile(rf"\s*{CITED.pattern}"), re.compile(r"^\d+\. ", re.MULTILINE)
# What marks the ends of the data must not stand in the data.
_NO_MARKS = str.maketrans("<>", "‹›")


def _emergency_block(present: Emergency, lang: Lang) -> str:
    gone = say("prompt.not_gone" if present.until_seen else "prompt.gone", lang)
    return say("prompt.emergency", lang, card=advice(present.name, lang), name=present.name, gone=gone)


def build(turn: TurnContext, state: Mapping[str, Any]) -> list[Message]:
    """System role, summary and pinned facts; the last messages (C3); question, results and form (003-20 to 003-23)."""
    recalled: MemoryContext = state["recalled"]
    present = Emergency.of(turn.conversation_metadata, turn.now)
    system, asked = prompts().messages(
        "answer",
        turn.language,
        persona=turn.persona().prompt(turn.services.settings.persona.max_chars),
        today=format_date(turn.now.astimezone(HCM).date()),
        role=turn.profile.known_role,
        summary=summary_block(recalled.summary, turn.language),
        facts=facts_block(known_facts(state), state["question"], turn.language),
        emergency=_emergency_block(present, turn.language) if present else "",
        signs="; ".join(f"{name} ({say(f'guard.sign.{name}', turn.language)})" for name in NAMES),
        question=state["question"],
        results=results(state["found"]) or say("prompt.no_results", turn.language),
    )
    recent = [
        {"role": one["role"], "content": _unnumbered(one["content"], turn.language)[:MESSAGE_CHARS]}
        for one in recalled.messages
        if one["content"].strip()
    ]
    return [system, *recent, asked]


def _unnumbered(message: str, lang: Lang) -> str:
    """A message of before without the disclaimer that the program adds, and the numbers of its sources: those of now have them."""
    text, heading, listed = message.partition(say("sources.heading", lang))
    text = text.replace(say("answer.disclaimer", lang), "").rstrip()
    return f"{_CITATION.sub('', text)}{heading}{_NUMBER.sub('- ', listed)}"


def summary_block(summary: str, lang: Lang) -> str:
    """The block of 003-21 to the letter; "" without a summary."""
    return say("prompt.summary", lang, summary=summary) if summary.strip() else ""


def facts_block(facts: Sequence[Fact], question: str, lang: Lang) -> str:
    """The pinned facts, one line each, and what they mean by the table of contraindications, also for what `question`
    names; "" without any. Facts without content ("dị ứng", of nothing) are left out.
    """
    health = stated(facts)
    lines = set()
    for fact in facts:
        if fact in health or fact.kind in _OTHER_KINDS:
            value = _plain(short(fact))
            kind = "habit" if is_habit(fact.value) else fact.kind
            line = f"- {say(f'memory.kind_{kind}', lang)}: {value}"
            lines.add(say("safety.earlier", lang, fact=line) if fact.earlier else line)
    lines |= {f"- {_plain(told([fact], lang))}" for fact in none_known(facts)}
    against = [f"- {one.told(lang)}" for one in conflicts(question, about_the_same(facts, question))]
    told_all = "\n".join([*sorted(lines), *what_they_mean(facts, lang), *against])
    return say("prompt.facts", lang, facts=told_all) if lines else ""


def known_facts(state: Mapping[str, Any]) -> tuple[Fact, ...]:
    """What is pinned, and what this message states."""
    return _revision(state).of(state["recalled"].facts)


def _revision(state: Mapping[str, Any]) -> Revision:
    """What this message states and corrects."""
    recalled: MemoryContext = state["recalled"]
    said = [one["content"] for one in recalled.messages if one["role"] == "user"]
    known = [fact for fact in recalled.facts if not fact.earlier]
    return revision_of(state["question"], known, said[-1] if said else "")


def results(found: Findings) -> str:
    """Numbered Title, Content and Link of what was found; a note tells its date and what it rests on in place of a link."""
    blocks = [f"Title: {page.title}\nContent: {page.content}\nLink: {page.link}" for page in found.pages]
    blocks = [_plain(block)[:RESULT_CHARS] for block in blocks]
    # A note is read whole: it ends with when to be seen.
    blocks += [
        _plain(f"Title: {note.title}\nDate: {note.date}\nSource: {note.source}\nContent: {note.text}")[
            :NOTE_CHARS
        ]
        for note in found.notes
    ]
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(blocks, 1))


def whole(messages: list[Message]) -> str:
    """The prompt as one text, for the log."""
    return "\n\n".join(f"{one['role']}: {one['content']}" for one in messages)


def _plain(text: str) -> str:
    return text.translate(_NO_MARKS)


State = Mapping[str, Any]
_QUOTED, _QUOTE_CHARS = 3, 320


async def speak(state: State, turn: TurnContext, step: Step) -> SpokenAnswer:
    """Say the answer: the card's facts in an emergency, else the model's answer, else the notes and pages themselves (C8).

    What was said at once, that an emergency goes on, stands before it.
    """
    rules: EmergencyReply | None = state.get("urgent")
    before: str = state["said"]
    if rules and before:
        more = _helpers_hear(rules, state, turn) + _of_medicines(state, turn)
        step.note(say("step.flag", turn.language, name=state["red_flag"] or "-"), "rules")
        return SpokenAnswer(before + more, before)
    reason, draft = turn.model.reason_unavailable, _Draft(state, turn)
    if reason is None:
        reason = await _by_model(draft, step)
        if not reason:
            found: Findings = state["found"]
            text = _joined(before, draft.urgent, draft.said)
            # Where nothing is cited the pages' links are listed, as the documents say (003-25, 003-26), but no note.
            cited = frozenset(map(int, CITED.findall(draft.said))) or frozenset(
                range(1, len(found.pages) + 1)
            )
            return SpokenAnswer(text, draft.said, found.pages, found.notes, draft.red_flag, cited)
    if draft.sign is None and rules:
        # The model failed before it said anything: the rules' word stands.
        draft.tell(rules)
    if draft.red_flag:
        text = _joined(before, draft.urgent, draft.said)
        return SpokenAnswer(text, text, red_flag=draft.red_flag)
    if not (draft.said or before) and (line := _picked(turn)):
        turn.say(line)
        step.note(say("step.by_rules", turn.language, count=0, reason=reason), "rules")
        return SpokenAnswer(line, line)
    answered = await _by_rules(state, turn, step, reason, draft.said)
    return replace(answered, text=_joined(before, draft.urgent, answered.text))


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _helpers_hear(urgent: EmergencyReply, state: State, turn: TurnContext) -> str:
    """The facts that helpers must hear, after the card."""
    if urgent.emergency is None:
        return ""
    facts = for_helpers(known_facts(state), urgent.emergency.patient)
    if not facts:
        return ""
    more = f"\n\n{say('safety.tell', turn.language, facts=told(facts, turn.language))}"
    turn.say(more)
    return more


def _of_medicines(state: State, turn: TurnContext) -> str:
    """What is said of a medicine that is asked for beside an emergency, after the card."""
    lang, question = turn.language, state["question"]
    if not {"medicine", "dose", "prescription"} & set(wishes(question)):
        return ""
    against = [one.told(lang) for one in conflicts(question, about_the_same(known_facts(state), question))]
    more = "\n\n" + "\n\n".join([*against, say("answer.medicine", lang)])
    turn.say(more)
    return more


class _Draft:
    """What a model has said of an answer: `sign` from its first line (None before it is read), `urgent` what was shown for
    it, `said` the text that the checks let through."""

    def __init__(self, state: State, turn: TurnContext) -> None:
        self.sign: str | None = None
        self.urgent = self.said = ""
        self.red_flag: str | None = None
        self.state, self.turn = state, turn

    def hear(self, sign: str) -> None:
        """Raise, keep or drop the emergency by the first line of the answer."""
        if self.sign is not None:
            return
        self.sign = sign
        turn, rules = self.turn, self.state.get("urgent")
        present = Emergency.of(turn.conversation_metadata, turn.now)
        asked = [*(one.text for one in turn.history if one.sender == "user"), turn.text]
        urgent = decided(sign, rules, present, asked, (turn.now, turn.language))
        if urgent is None:
            turn.conversation_metadata[KEPT] = None
        else:
            self.tell(urgent)

    def tell(self, urgent: EmergencyReply) -> None:
        """Show `urgent` before the answer, and keep its emergency."""
        turn = self.turn
        self.red_flag = urgent.emergency.name if urgent.emergency else None
        turn.conversation_metadata[KEPT] = urgent.emergency.kept() if urgent.emergency else None
        StepLog(turn).flow("1.6", f"Red flag: {self.red_flag}")
        turn.say(urgent.text)
        self.urgent = urgent.text
        if urgent.first:
            self.urgent += _helpers_hear(urgent, self.state, turn)
        turn.say("\n\n")

    def show(self, piece: str) -> None:
        """Show the next piece of the answer, in an emergency without what speaks against its card."""
        if self.red_flag:
            piece = without_contrary(piece, self.red_flag, self.turn.language)
        piece = piece if self.said else piece.lstrip()
        self.turn.say(piece)
        self.said += piece


async def _by_model(draft: _Draft, step: Step) -> str:
    """Let the model answer; returns why that is no whole answer, "" where it is one (003-38).

    A refused sentence goes back once, with what was shown and the reason; of the last draft all else is told. Where the guard
    asked a model too there is one draft only.
    """
    state, turn = draft.state, draft.turn
    log, lang = StepLog(turn), turn.language
    messages = build(turn, state)
    recalled: MemoryContext = state["recalled"]
    if recalled.summary:
        log.flow(
            "7.2", f"Using existing summary as context. Summary length: {len(recalled.summary)} characters"
        )
    prompt = whole(messages)
    log.flow("7.4", f"Prompt built. Length: {len(prompt)} characters")
    log.flow("8", "Generating response with LLM provider: ollama")
    log.block(PROMPT, prompt)
    found: Findings = state["found"]
    detail = say("step.by_model", lang, count=len(found.pages) + len(found.notes))
    refused, cares, whole_draft = None, False, False
    tasks = ("answer", "answer_again")[: max(1, turn.model.calls_left)]
    for task in tasks:
        rail = _rail(state, turn, last=task == tasks[-1])
        rail.shown = draft.said
        try:
            await _stream(task, messages, rail, draft)
        except ModelError as error:
            log.failure("8", f"LLM error: {error}", error)
            draft.show(rail.finish())
            if refused is not None and rail.refused is None:
                draft.show(f"{refused.reason} {'' if cares or rail.cares else say('rail.care', lang)}")
            card = error.render(lang)
            remedy = f"{card.remedy} {say('notice.model_fallback', lang)}".strip()
            turn.emit(Notice("error", card.title, card.message, remedy))
            step.note(detail, "model")
            return error.key
        cares = cares or rail.cares
        whole_draft = rail.refused is None
        if rail.refused is None:
            break
        refused = rail.refused
        log.trouble("8.1", f"Refused ({refused.kind}): {refused.sentence}")
        detail = say("step.refused", lang, detail=detail, reason=refused.reason)
        key = "rail.go_on" if draft.said.strip() else "rail.again"
        again = say(key, lang, sentence=refused.sentence, reason=refused.reason)
        shown = {"role": "assistant", "content": f"{draft.said}{refused.sentence}"}
        messages = [*messages, shown, {"role": "user", "content": again}]
    step.note(detail, "model")
    if refused is not None and not cares and (refused.cares or not whole_draft or refused.kind != "source"):
        # Whoever was to take a medicine that was refused still has to be seen.
        draft.show(f"{'' if draft.said.endswith(chr(10)) else ' '}{say('rail.care', lang)}")
    draft.said = draft.said.rstrip()
    return "" if draft.said else "ollama.empty"


async def _stream(task: str, messages: list[Message], rail: OutputRail, draft: _Draft) -> None:
    """Show one draft up to the sentence that ended it (`rail`); its first line says whether it is urgent. Raises ModelError."""
    raw, spoken, begun = "", "", False
    try:
        async with aclosing(draft.turn.model.stream(task, messages)) as pieces:
            async for piece in pieces:
                raw, before = raw + piece, len(spoken)
                spoken = without_thoughts(raw)
                if begun:
                    draft.show(rail.add(spoken[before:]))
                elif first := split_first_line(spoken, whole=False):
                    begun = True
                    draft.hear(first[0])
                    draft.show(rail.add(first[1]))
                if rail.over:
                    break
        if not begun and (first := split_first_line(spoken, whole=True)):
            draft.hear(first[0])
            draft.show(rail.add(first[1]))
        draft.show(rail.finish())
    finally:
        StepLog(draft.turn).block(RESPONSE, raw)


def _rail(state: State, turn: TurnContext, *, last: bool) -> OutputRail:
    found: Findings = state["found"]
    recalled: MemoryContext = state["recalled"]
    texts = [*(f"{page.title}. {page.content}" for page in found.pages), *(note.text for note in found.notes)]
    own = [one["content"] for one in recalled.messages if one["role"] == "user"]
    facts = known_facts(state)
    said = "\n".join([*own, *(fact.text for fact in facts), state["question"]])
    return OutputRail(texts, said, turn.language, about_the_same(facts, state["question"]), last=last)


async def _by_rules(state: State, turn: TurnContext, step: Step, reason: str, said: str) -> SpokenAnswer:
    """Without a model: what was stated is noted, a wish that no note grants is told so with its reason, then the notes'
    sentences where they are about what was asked, else the pages' first ones, else that there is no source."""
    found: Findings = state["found"]
    lang, question, asked = turn.language, state["question"], state["asked"]
    facts = about_the_same(known_facts(state), question)
    wished = wishes(question)
    hotline = turn.persona().hotline
    own = _revision(state).facts
    noted = _noted(own, lang)
    # What one says one is allergic to is not about to be taken.
    named = without(question, (one for one in stated(facts_of(question)) if one.kind == "allergy"))
    found_against = (*conflicts(named, facts), *supposed_conflicts(named))
    against = [one.told(lang) for one in found_against]
    replies = [*noted, *against, *(say(f"answer.{wish}", lang, hotline=_clinic(hotline)) for wish in wished)]
    unsaid = _unsaid(state, lang)
    replies = [*unsaid, *(one for one in replies if one not in "".join(unsaid))]
    recall = set(wished) & {"recall", "declare"}
    if recall and (held := told((*stated(facts), *none_known(facts)), lang)):
        # What the person has told is what they want to hear, or to tell in their turn.
        replies = [say("answer.told", lang, facts=held), *what_they_mean(facts, lang)]
    if not replies and asks_of_allergies(question):
        replies += what_they_mean([fact for fact in facts if fact.kind == "allergy"], lang)
    if set(wished) & {"dose", "prescription", "medicine"} and not noted and not against:
        replies += what_they_mean(facts, lang)
    about = [fact.value for fact in stated(facts) if fact.kind in {"pregnancy", "disease"}]
    query = " ".join([(asked == question and found.subject) or question, *about])
    answer = await asyncio.to_thread(bundled.answer, found.spare, asked, query, lang, facts)
    if not answer.whole and found.before and without_everyday(asked):
        again = await asyncio.to_thread(bundled.answer, found.before, asked, query, lang, facts)
        answer = again if again.whole or not answer.about else answer
    if rest := _beside_price(question) if wished == ("price",) else "":
        spare = [note for note in bundled.ranked(found.spare, rest, lang) if note.topic != bundled.PRICE]
        answer = await asyncio.to_thread(bundled.answer, spare, rest, rest, lang, facts)
        replies += [] if answer.about else [say("answer.not_told", lang, words=rest)]
    if (
        {"recall", "forget"} & set(wished)
        or (noted and not _says_more(question) and not (answer.whole and bundled.subjects(question)))
        or (unsaid and not bundled.asks(without(question, facts_of(question))))
        or (
            replies
            and not (answer.whole if not rest and set(wished) - {"diagnosis", "declare"} else answer.about)
        )
    ):
        # What was said is the answer; a note about something near is none.
        # "Nhét bông tẩm thuốc vào lỗ được không": no medicine is picked, but a note may forbid just that.
        asked = (*found.before, *found.spare) if "medicine" in wished and not against else ()
        answer = bundled.ruling(asked, question, lang)
    said_so = bool(replies) or bundled.asks_leave(question)
    if answer.text and (bundled.asks_leave(question) or names_treatment(question)):
        # Whether and how something is done depends on what the person has.
        now = [fact for fact in bearing_on_treatment(facts) if not fact.earlier]
        replies += [line for line in what_they_mean(now, lang) if line not in "\n".join(replies)]
    quoted = _quoted(found, lang)
    if not answer.whole:
        # That a fact was noted answers no question that was asked beside it.
        told_more = (
            (replies and said_so)
            and (unsaid or not set(wished) - {"recall", "declare", "forget"})
            and not (noted and bundled.asks(question))
        )
        turn.answered = bool(quoted or told_more) or (False if not told_more or wished else None)
    # What the notes are said not to speak of is named by nobody but the person.
    against = [one.told(lang) for one in unwarned(re.sub("“[^”]*”", "", answer.text), facts)]
    texts = [one for one in (*replies, answer.text, *against, quoted) if one]
    text = "\n\n".join(texts) or f"{say('answer.nothing', lang, hotline=hotline)} {say('answer.would', lang)}"
    gap = f"\n\n{say('answer.interrupted', lang)}\n\n" if said else ""
    turn.say(f"{gap}{text}")
    count = len(found.pages) + len(answer.notes)
    step.note(say("step.by_rules", lang, count=count, reason=reason), "mixed" if said else "rules")
    StepLog(turn).flow("8", f"Quoting sources without a model: {reason}")
    return SpokenAnswer(f"{said}{gap}{text}", said or _gist(text), found.pages, answer.notes)


def _picked(turn: TurnContext) -> str:
    """The line of the last answer that is asked of by its place, as it was read; "" where none is."""
    answers = (one.text for one in reversed(turn.history) if one.sender == "assistant")
    told_last = next((text for text in answers if "\n- " in text), "")
    if option(turn.text, [one.text for one in turn.history if one.sender == "user"]):
        return ""
    picked = listed(turn.text, told_last)
    key = "line" if picked and picked[1] else "no_line"
    return say(f"answer.{key}", turn.language, place=picked[0], text=picked[1]) if picked else ""


def _clinic(hotline: str) -> str:
    """The clinic's part of the hotline, without the hours of the telephone: whoever asks for a price needs no ambulance, and
    no clinic opens with it."""
    clinic = "; ".join(part.strip() for part in hotline.split(";") if "115" not in part) or hotline
    return re.sub(r"\s*\([^()]*\d:\d\d[^()]*\)", "", clinic)


def _noted(own: Sequence[Fact], lang: Lang) -> list[str]:
    """That what a message states (`own`) of the person's health is remembered, and what it means."""
    facts = (*stated(own), *none_known(own))
    if not facts:
        return []
    means = what_they_mean(facts, lang)
    lines = [say("safety.noted", lang, facts=told(facts, lang))]
    return ["\n".join([*lines, *([say("safety.means", lang), *means] if means else [])])]


# What may be asked beside a price, each a thing of its own.
_BESIDE_PRICE = frozenset({"how long asked", "hurts asked", "age asked", "food asked"})


def _beside_price(question: str) -> str:
    """What `question` asks beside a price; "" where that is all."""
    rest = without_price(question)
    return rest if _BESIDE_PRICE & set(asked_lexicon().labels_in(rest)) else ""


def _says_more(question: str) -> bool:
    """Whether `question` has more than facts of one's health."""
    own = facts_of(question)
    rest = without_everyday(without(question, (*stated(own), *none_known(own))))
    return bool({word.folded for word in rest} - {"khong", "no", "da", "vang"})


def _unsaid(state: Mapping[str, Any], lang: Lang) -> list[str]:
    """That what the message takes back is noted no more, and how all of it is deleted."""
    known, before, own = known_facts(state), state["recalled"].facts, _revision(state).facts
    held = {(fact.kind, fold(fact.value)) for fact in stated(known)}
    gone = [
        fact for fact in stated(before) if fact not in known and (fact.kind, fold(fact.value)) not in held
    ]
    denied = taken_back(own)
    if not gone and (not denied or bundled.asks(without(state["question"], own))):
        return []
    left = [fact for fact in stated(known) if gone and fact not in before and fact not in own]
    lines = [say(f"safety.{'dropped' if gone else 'not_noted'}", lang, facts=told(gone or denied, lang))]
    lines += [say("safety.noted", lang, facts=told(left, lang))] if left else []
    return ["\n".join([*lines, say("answer.forget", lang)])]


def _gist(text: str) -> str:
    """The quoted sentences themselves, without titles and sources; all of a text that quotes nothing."""
    lines = [line.removeprefix("- ") for line in text.splitlines() if line.startswith("- ")]
    return "\n".join(lines) or text


def _quoted(found: Findings, lang: Lang) -> str:
    """What the first pages say, by their numbers in the list of sources; "" without pages."""
    quotes = [
        say("answer.page_quote", lang, text=quote, number=number)
        for number, page in enumerate(found.pages, 1)
        if (quote := _quote(page.content))
    ]
    return "\n".join([say("answer.from_pages", lang), *quotes[:_QUOTED]]) if quotes else ""


def _quote(text: str) -> str:
    """The beginning of a page's text without sentences that state a dose: the page alone vouches for nothing."""
    sentences = [one for one in text.replace("! ", ". ").split(". ") if not doses(one)]
    text = ". ".join(sentences).strip()
    return text if len(text) <= _QUOTE_CHARS else f"{text[:_QUOTE_CHARS].rsplit(' ', 1)[0]}…"
