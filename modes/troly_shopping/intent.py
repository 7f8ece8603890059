"""Finds what a message wants: by rules alone where they are sure, else by the model with the rules as its fallback."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import dropwhile
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from troly.plugin.context import TurnContext
from troly.plugin.events import Source
from troly.plugin.focus import FocusRow
from troly.text.catalogue import LANGS, Lang
from troly.text.dates import HCM
from troly.text.fold import tokens
from troly.text.language import detect
from troly.text.match import Lexicon, PhraseHit, spans_of, words_outside
from troly.text.shorten import one_line
from troly.text.spelling import Corrector
from troly.text.wordlist import LEXICONS as COMMON_LEXICONS
from troly.text.wordlist import read_lists
from troly_shopping.products.query import parse_price_limits
from troly_shopping.products.request import PRODUCTS, goods_shown
from troly_shopping.serials import SerialParse
from troly_shopping.strings import prompts, say
from troly_shopping.wordlists import lexicon, word_lists

if TYPE_CHECKING:
    from troly_shopping.message import ParsedMessage

Intent = Literal["shopping", "warranty", "unknown"]
_PICTURES, _EMOJI_STYLE = frozenset({"So", "Sk"}), "\ufe0f"
# What is wanted shows well before the end of a longer message.
ENOUGH = 4000
# Said around other remarks: another kind found beside one of these is what was meant.
WRAPPING = ("hello", "thanks", "bye", "ack")

# What the lists weigh, by section: the first phrase found, and every further one.
_FIRST: Mapping[str, tuple[Intent, float]] = {
    "warranty": ("warranty", 3.0), "repair": ("warranty", 2.5), "symptom": ("warranty", 1.3), "shopping": ("shopping", 2.4),
    "terms": ("shopping", 3.5), "topic": ("shopping", 1.8), "place": ("shopping", 1.8), "leaning": ("shopping", 1.0),
    "goods": ("shopping", 1.3), "brand": ("shopping", 1.2), "social": ("unknown", 2.2), "wrapping": ("unknown", 0.8),
    "off": ("unknown", 2.8),
}  # fmt: skip
_FURTHER = 0.3
# Topics of service that owners ask about as often as buyers: they tell nothing.
_OWNERS = {
    "not covered", "warranty parts", "warranty period", "warranty terms", "warranty place", "repair time", "repair cost", "exchange",
}  # fmt: skip
_OWNED = 1.0
_DEVICE = 0.6
# Goods with a price beside them ("laptop dưới 20 triệu") are to be bought.
_PRICED = 2.0
# A price alone ("dưới 10 triệu thôi") leans there.
_LIMITED = 0.5
# What is always doubted.
_DOUBT = 0.52
# How much of the other working intent counts against the better one: both are business, and one must be served.
_RIVAL = 0.35
# Who it speaks for is enough to sort a message by (000-19); the voice comes with the answer.
_PERSONA_CHARS = 200
# What the model is shown of the conversation, and types of messages that tell it nothing.
GREETINGS = frozenset({"greeting", "cute_greeting"})
_SHOWN, _SHOWN_CHARS = 6, 400
# How sure the rules are of a question about goods of which a part was read.
_READ = 0.7


@dataclass(frozen=True, slots=True)
class RuleIntent:
    """What the rules make of a message: the intent, its confidence 0 to 1, the words that told.

    `sure` when no model needs to be asked.
    """

    intent: Intent
    confidence: float
    reason: str
    sure: bool = False


@dataclass(frozen=True, slots=True)
class IntentDecision:
    """The intent, its confidence 0 to 1, who decided and why."""

    intent: Intent
    confidence: float
    source: Source
    reason: str
    need_retrieval: bool = True
    clarify_needed: bool = False
    clarify_questions: tuple[str, ...] = ()
    query: str = ""

    def note(self, lang: Lang) -> str:
        """One line for the evidence view."""
        return say(
            "step.intent", lang, intent=self.intent, confidence=f"{self.confidence:.2f}", reason=self.reason
        )


class Classification(BaseModel):
    """What a message wants as the model returns it, with the documents' names of the fields (000-20).

    `query` is the message made whole: what it leans on stands in it.
    """

    intent: Intent
    confidence: float = Field(ge=0.0, le=1.0)
    need_retrieval: bool = True
    clarify_needed: bool = False
    clarify_questions: list[str] = Field(default_factory=list, max_length=5)
    query: str = Field(default="", max_length=1000)
    rationale: str = Field(default="", max_length=1000)


class MessagePhrases:
    """The listed phrases of a message: those typed, and those that show only in its plain spelling.

    `count` says how many there are of each section of the lists.
    """

    def __init__(self, message: str) -> None:
        self.text = _without_pictures(message[:ENOUGH])
        typed = _not_by_chance(self.text, _intent_lexicon().find(self.text))
        labels = {hit.label for hit in typed}
        plain = _spelling().correct(self.text).text
        more = _not_by_chance(plain, _intent_lexicon().find(plain))
        self.hits = [*typed, *(hit for hit in more if hit.label not in labels)]
        self.count = Counter(hit.label for hit in self.hits)

    @property
    def about_warranty(self) -> bool:
        """Whether a word for warranty or repair stands in the message."""
        return bool(self.count["warranty"] or self.count["repair"])


def intent_by_rules(
    phrases: MessagePhrases, serials: SerialParse, *, awaiting: bool, shown: bool = False
) -> RuleIntent:
    """The intent by rules (000-21, 000-22): a serial by its evidence first, then keywords.

    `awaiting` says that a serial was asked for, `shown` that goods were shown last: what may tell of a fault ("suốt") tells
    nothing then where nobody speaks of a machine of their own.
    """
    if shown and not any(phrases.count[label] for label in ("warranty", "repair", "owned", "device")):
        del phrases.count["symptom"]
    named = phrases.count["warranty"] > 0
    if serials.serials and (serials.sure or named or awaiting):
        return RuleIntent("warranty", 0.97, "", sure=True)
    if awaiting and serials.attempted:
        return RuleIntent("warranty", 0.9, "", sure=True)
    scored = score_intents(phrases)
    if serials.serials and serials.bare:
        return RuleIntent("warranty", 0.97, scored.reason)
    return scored


def score_intents(phrases: MessagePhrases) -> RuleIntent:
    """The intent by words alone (000-21, 000-22); "unknown" when nothing tells."""
    text, count = phrases.text, phrases.count
    points: dict[Intent, float] = {"shopping": 0.0, "warranty": 0.0, "unknown": 0.0}
    for label, number in count.items():
        if label in _FIRST:
            intent, weight = _FIRST[label]
            points[intent] += weight * (1 + _FURTHER * (number - 1))
    if count["owned"]:
        points["warranty"] += _OWNED if count["repair"] or count["symptom"] or count["warranty"] else 0.0
    if count["repair"] or count["symptom"]:
        # What is sold breaks too.
        points["warranty"] += sum(_FIRST[label][1] for label in ("goods", "brand") if count[label])
    if parse_price_limits(text).places:
        named = any(count[label] for label in ("goods", "brand", "device"))
        points["shopping"] += _PRICED if named else _LIMITED
    if count["device"]:
        points["warranty"] += _DEVICE
        points["shopping"] += _DEVICE
    words = ", ".join(dict.fromkeys(hit.phrase for hit in phrases.hits)) or "-"
    return _decided(points, words)


def _decided(points: Mapping[Intent, float], reason: str) -> RuleIntent:
    warranty, shopping = points["warranty"], points["shopping"]
    intent: Intent = "warranty" if warranty > shopping else "shopping"
    most, rival = max(warranty, shopping), min(warranty, shopping)
    confidence = most / (most + _RIVAL * rival + points["unknown"] + _DOUBT)
    if points["unknown"] >= most or confidence < 0.5:
        return RuleIntent("unknown", min(confidence, 0.4), reason)
    return RuleIntent(intent, confidence, reason)


def _without_pictures(text: str) -> str:
    """`text` with blanks for emoji: one in the middle of a phrase does not part it."""
    if text.isascii():
        return text
    return "".join(
        " " if unicodedata.category(char) in _PICTURES or char == _EMOJI_STYLE else char for char in text
    )


def _not_by_chance(text: str, hits: list[PhraseHit]) -> list[PhraseHit]:
    """`hits` without Vietnamese syllables that an English message only seems to hold: the "re" of "you're"."""
    if detect(text) == "vi":
        return hits
    return [hit for hit in hits if hit.exact or " " in hit.phrase]


@cache
def _intent_lexicon() -> Lexicon:
    """The lists of intents; social remarks are among them so that "co ban trai" is not taken for "có bán"."""
    return Lexicon(_intent_lists())


@cache
def _intent_lists() -> dict[str, tuple[str, ...]]:
    social = word_lists("social")
    remarks = [phrase for kind, phrases in social.items() if kind not in WRAPPING for phrase in phrases]
    topics = [
        phrase
        for topic, phrases in word_lists("topics").items()
        if not topic.endswith(" page") and topic not in _OWNERS
        for phrase in phrases
    ]
    wrapping = [phrase for kind in WRAPPING for phrase in social[kind]]
    lists = word_lists("intents")
    return {**lists, "topic": tuple(topics), "social": tuple(remarks), "wrapping": tuple(wrapping)}


@cache
def _spelling() -> Corrector:
    phrases = [phrase for listed in _intent_lists().values() for phrase in listed]
    known = [
        entry
        for name in ("catalogue", "topics", "dialogue", "kinds", "facts", "attributes")
        for listed in word_lists(name).values()
        for entry in listed
    ]
    for name in ("vietnamese", "english", "neutral"):
        known += [
            entry for listed in read_lists(COMMON_LEXICONS / f"{name}.txt").values() for entry in listed
        ]
    return Corrector(phrases, known)


def social_kind(text: str) -> str:
    """The kind of a social remark, as in `lexicons/social.txt`; "" for none."""
    hits = lexicon("social").find(text[:ENOUGH])
    if not hits:
        return ""
    # What is asked comes before how one is, thanks and a goodbye; an "ok" alone is only that.
    order = {
        "off": -1,
        **dict.fromkeys(("praise", "mood", "sorry"), 1),
        **dict.fromkeys(WRAPPING, 2),
        "ack": 3,
    }
    found = min(hits, key=lambda hit: (order.get(hit.label, 0), hit.start - hit.end, hit.start)).label
    only = not words_outside(tokens(text), spans_of(hits))
    return found if found != "ack" or only else ""


async def decide_intent(turn: TurnContext, question: str, message: ParsedMessage) -> IntentDecision:
    """The intent of `question` (000-19 to 000-24): the rules' where they are sure, else the model's whole decision."""
    lang, rules = turn.language, message.rules
    if rules.sure:
        reason = say("step.serial_sure", lang, reason=message.serials.reason(lang))
        return IntentDecision(rules.intent, rules.confidence, "rules", reason)
    fallback = _by_rules(message)
    messages = prompts().messages(
        "classify",
        lang,
        persona=turn.persona().prompt(min(_PERSONA_CHARS, turn.services.settings.persona.max_chars)),
        today=f"{turn.now.astimezone(HCM):%A %d/%m/%Y}",
        role=turn.profile.known_role,
        facts="; ".join(_facts(turn, message)) or "-",
        history=_history(turn) or "-",
        message=question,
    )
    decision = await turn.model.decide("classify", Classification, messages, lambda: fallback)
    value: Classification = decision.value
    by_model = decision.source == "model"
    reason = value.rationale if by_model else f"{rules.reason} ({decision.reason})"
    return IntentDecision(
        value.intent,
        value.confidence,
        decision.source,
        reason,
        value.need_retrieval if by_model and value.intent == "shopping" else value.intent == "shopping",
        by_model and value.clarify_needed and value.intent != "warranty",
        tuple(value.clarify_questions),
        " ".join(value.query.split()) if by_model else "",
    )


def _by_rules(message: ParsedMessage) -> Classification:
    """The decision without a model: what was read of goods and service counts where the words alone do not tell."""
    rules, request = message.rules, message.request
    intent, confidence = rules.intent, rules.confidence
    # A limit of price is one of goods, whatever is broken; an amount alone may be what was paid.
    limited = request is not None and request.query.priced and not request.query.about
    if request is not None and (
        request.topics or ((intent != "warranty" or request.scope == "rows" or limited) and request.asks)
    ):
        intent, confidence = "shopping", max(confidence, _READ)
    return Classification(
        intent=intent,
        confidence=confidence,
        need_retrieval=intent == "shopping",
        clarify_needed=intent == "unknown",
        rationale=rules.reason[:1000],
    )


def _facts(turn: TurnContext, message: ParsedMessage) -> Iterator[str]:
    """What is certain beside the message: no guess is among it."""
    known = [serial for serial, record in message.records.items() if record]
    if known:
        yield f"serial in the warranty table: {', '.join(known)}"
    if message.state.awaiting:
        yield "the assistant has just asked for a serial number"
    if shown := goods_shown(turn):
        rows = "; ".join(f"{number}. {_row_text(row)}" for number, row in enumerate(shown[:8], 1))
        yield f"shown last ({turn.focus.kind if turn.focus and turn.focus.rows else PRODUCTS}): {rows}"
    titles = {row.title for row in shown}
    before = [str(name) for name in (turn.focus.query.get("beside", ()) if turn.focus else ())]
    if before := [name for name in dict.fromkeys(before) if name not in titles][:8]:
        # "tổng 5 món" may mean what was looked at one by one.
        yield f"looked at before, the latest first: {'; '.join(before)}"


def _row_text(row: FocusRow) -> str:
    """A row shown, with what is known of it."""
    told = [f"{name} {value}" for name, value in row.values.items() if value not in (None, "")]
    return f"{row.title} ({', '.join(told)})" if told else row.title


def _history(turn: TurnContext) -> str:
    """The last messages of both sides, from one of the customer's on."""
    said = [m for m in turn.history if m.sender in {"user", "assistant"} and m.type not in GREETINGS]
    last = [*dropwhile(lambda m: m.sender != "user", said[-_SHOWN:])]
    return "\n".join(f"{m.sender}: {one_line(without_boilerplate(turn, m.text), _SHOWN_CHARS)}" for m in last)


def without_boilerplate(turn: TurnContext, text: str) -> str:
    """`text` in one line, without what the program adds to every conversation: no model is to write by it."""
    voice = turn.persona()
    canned = [
        voice.greeting,
        voice.follow_up,
        *(say(key, lang) for key in ("greeting.cute", "clarify.redirect") for lang in LANGS),
    ]
    for one in filter(None, canned):
        text = text.replace(one, " ")
    return " ".join(text.split())


def warm() -> None:
    """Read the lists and load the database once: a quarter of a second that the first answer does not wait for."""
    import duckdb  # noqa: F401 (what the lists are read with)

    from troly_shopping.dialogue import dialogue_phrases

    score_intents(MessagePhrases("shop có bán laptop không"))
    dialogue_phrases("")
