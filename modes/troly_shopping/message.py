"""Parses a message once for the whole turn: its act, its serials and their records, what it may have meant, its intent."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from troly.plugin.context import TurnContext
from troly.plugin.focus import Focus, FocusRow, find_reference
from troly.stores.published import Datasets
from troly.text.catalogue import Lang
from troly.text.dates import HCM
from troly.text.everyday import small_talk, without_everyday, without_pleasantries
from troly.text.fold import fold, folded_words, nfc, tokens
from troly.text.match import PhraseHit, blank_out, spans_of
from troly_shopping.dialogue import (
    FOCUS,
    DialogueAct,
    DialogueState,
    dialogue_phrases,
    dialogue_state,
    has_no_serial,
    is_correction,
    parse_act,
    parse_follow_up,
    parse_of_confirmed,
    record_rows,
    warranty_spans,
    without_taken_back,
)
from troly_shopping.intent import IntentDecision, MessagePhrases, RuleIntent, intent_by_rules
from troly_shopping.lookalikes import serials_written_apart
from troly_shopping.products.order import things
from troly_shopping.products.query import asks_which, idle_words
from troly_shopping.products.request import (
    PAGES,
    PRODUCTS,
    ShopRequest,
    goods_looked_up,
    is_of_order,
    parse_request,
    spoken_of,
)
from troly_shopping.products.store import ProductStore
from troly_shopping.serials import SerialParse, known_serials, parse_serials, serial_candidates
from troly_shopping.strings import say
from troly_shopping.warranty.store import WarrantyRecord, WarrantyStore
from troly_shopping.wordlists import lexicon, word_lists

# A message of so few words may be a serial with blanks inside and nothing else.
_FEW_WORDS = 4
Trouble = Literal["", "danger", "defect", "mishap", "grievance", "doubt"]
# "có bốc khói không": nothing has happened.
_ASKS_WHETHER = re.compile(
    r"[\s\W]*(?<!\w)(?:khong|ko|k|hong|hok|hem)(?: (?:a|vay|shop|em|ban|nhi|ta|z))*\W*$"
)
# What of the list of complaints is no matter for cheer by itself.
UPSET = ("danger", "mishap", "upset", "grievance")
# Topics of what is sent, which what was sent wrongly shows too.
_SENT = {"delivery", "delivery fee", "parcel check"}
# It broke some days after: "hư sau 2 ngày", "mua 10 ngày rồi", "after two weeks".
_SINCE = re.compile(
    r"(?<!\w)(?:(?:sau|moi|mua|xai|dung|duoc|chua|after|only|within) (?:\w+ ){0,2}?(?:\d+|a|one|two|three|vai|may|hai|ba) (?:ngay|hom|bua|tuan|thang|buoi|gio|days?|weeks?|months?|hours?)"
    r"|(?:roi|mat roi|luon roi)\W*$)(?!\w)"
)
# What is wanted or asked, of the lists of intents.
_WANTED = ("shopping", "leaning", "place", "terms", "topic")
# A thing of one's own: "laptop em", "my old screen", "con này" of nothing that was shown.
_OWN = re.compile(
    r"(?<!\w)(?:(?:my|our) \w|(?:cua|nha) (?:em|e|minh|toi|tui|anh|chi|con|chau|t)\b|(?:con|cai|cay|may|chiec) (?:\w+ ){0,2}?(?:nay|em|e|minh|toi|tui)\b)"
)
# Said of what was bought as of what is to be.
_BOUGHT = {"mua", "đặt", "đặt hàng", "buy", "order"}
_CLAUSES = re.compile(r"[.,;!?\n]")
_CERTAIN = RuleIntent("warranty", 0.97, "", sure=True)
# By the rules a warranty is asked for from this confidence on.
_CLAIM = 0.6
# Who thanks and thinks it over asks nothing: "để mình bàn lại với vợ đã, cảm ơn shop".
_THINKS = re.compile(
    r"(?<!\w)de (?:minh|em|e|toi|tui|anh|chi|con|chau|bac|co|chu|t)\b(?: \w+){0,3}? (?:suy nghi|nghi|hoi|ban|coi|xem|tinh|can nhac)(?!\w)"
    r"|(?<!\w)(?:let me|i'?ll|will) (?:think|ask|talk|check with|get back)"
)


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    """What a message says after the conversation so far.

    `records` has for each of `serials.serials` what the warranty table says of it; `near` are serials of the table
    that it may have meant, to be offered; `request` what it asks of goods and service; `rules` its intent by rules;
    `trouble` that something is dangerous, broken, wrong or late, or somebody complains, or that it is not known whether
    something is broken or wished for; `courtesy` that it is nothing but "thanks" or "bye".
    """

    serials: SerialParse
    state: DialogueState
    act: DialogueAct = field(default_factory=DialogueAct)
    records: Mapping[str, WarrantyRecord | None] = field(default_factory=dict)
    near: tuple[str, ...] = ()
    request: ShopRequest | None = None
    rules: RuleIntent = _CERTAIN
    trouble: Trouble = ""
    courtesy: Literal["", "thanks", "bye"] = ""

    @property
    def complaint(self) -> bool:
        """Whether something is no matter for cheer."""
        return bool(self.trouble)

    def certain_route(self, turn: TurnContext) -> str:
        """The node of a message that is certain and stands on its own; "" where the intent has to be found.

        Without a model an act or a wholly understood question is certain. With one, only what leans on nothing said
        before (an act that names or settles a serial, or a question about goods that opens the conversation), and what
        is asked of the one product shown.
        """
        led = turn.model.reason_unavailable is None
        if self.trouble == "danger":
            return "warranty_stream"
        if self.act.act == "person":
            return "handoff_stream"
        if self.courtesy:
            return "clarify_stream"
        if self.act.act in {"about", "no serial"} and led and not self.exact:
            return ""
        broken = self.trouble == "defect" and not led and not (self.request and self.request.asks)
        if self.act.act or self.near or broken:
            return "warranty_stream"
        certain = not self.serials.serials and self.request is not None and self.request.certain
        leans = led and any(message.sender == "user" for message in turn.history)
        return "retrieve" if certain and not (leans and not self.of_one_shown) else ""

    @property
    def of_one_shown(self) -> bool:
        """Whether it asks what the catalogue says of the one product that was shown, and nothing else."""
        request = self.request
        return (
            request is not None
            and request.scope == "rows"
            and len(request.rows) == len(request.shown) == 1
            and bool(request.query.asks or request.query.shows)
            and not (request.topics or request.query.moves or request.query.order)
        )

    @property
    def exact(self) -> bool:
        """Whether it asks of the one machine that was looked up last, and nothing else."""
        return self.act.act == "about" and len(self.act.serials) == 1 and self.act.serials == self.state.asked

    def certain_intent(self, lang: Lang) -> IntentDecision:
        """The intent of a message that has a certain route."""
        if self.courtesy:
            return IntentDecision("unknown", 0.97, "rules", say("step.understood", lang))
        if self.trouble not in {"danger", "defect"} and not (self.act.act or self.near):
            return IntentDecision("shopping", 0.97, "rules", say("step.understood", lang))
        reason = say("step.move", lang, act=self.act.act or "did you mean")
        if self.act.act in {"person", "cancel"}:
            return IntentDecision("unknown", 0.9, "rules", reason)
        return IntentDecision("warranty", 0.97, "rules", reason)


def parse_message(turn: TurnContext, question: str) -> ParsedMessage:
    """What `question` says after `turn.history`. Reads the warranty table: call it on a thread. Raises StoreError."""
    text = without_relay(without_pleasantries(nfc(question)))
    phrases = MessagePhrases(text)
    trouble = _trouble(text, phrases)
    parsed = _parse(turn, question, text, phrases, trouble)
    known = (
        parsed.act.act
        or parsed.serials.serials
        or parsed.courtesy
        or (parsed.request and parsed.request.certain)
    )
    if parsed.state.danger and (not known or lexicon("complaints", "what now").find(text)):
        # After a danger what is asked next is asked of it, until something else is understood.
        parsed, trouble = replace(parsed, request=None), "danger"
    return replace(parsed, trouble=trouble or parsed.trouble)


def without_relay(text: str) -> str:
    """`text` without who passes on what it says ("có chị kia hỏi", "khách báo là"); as it is where nothing else is left."""
    end, who = 0, False
    for hit in lexicon("relay").find(text):
        if tokens(text[end : hit.start]) or hit.label == "other" or (not who and hit.label != "who"):
            break
        who, end = True, hit.end
        if hit.label == "says":
            return text[end:].lstrip(" ,:") if tokens(text[end:]) else text
    return text


def _trouble(text: str, phrases: MessagePhrases) -> Trouble:
    """What is no matter for cheer: a danger first, then a fault, goods that came wrong or late, a complaint of the shop."""
    hits = lexicon("complaints", without="upset").find(text)
    denials = [hit.end for hit in hits if hit.label == "no danger"]
    danger = [hit for hit in hits if hit.label == "danger"]
    danger = [hit for hit in danger if not any(0 <= hit.start - end <= 1 for end in denials)]
    if any(
        not ("co" in folded_words(text[: hit.start])[-3:] and _ASKS_WHETHER.fullmatch(fold(text[hit.end :])))
        for hit in danger
    ):
        return "danger"
    labels = {hit.label for hit in hits}
    told = any(phrases.count[label] for label in ("owned", "goods", "device"))
    fault = phrases.count["symptom"] > 0 and (
        _SINCE.search(fold(text)) or (told and not _wishes(text, phrases))
    )
    if "supposed" not in labels and (phrases.count["repair"] > 0 or fault):
        return "defect"
    # "nhân viên nói chuyện khó chịu quá"
    served = [lexicon("service").find(clause) for clause in _CLAUSES.split(text)]
    sure = ({hit.label for hit in told if hit.exact or len(hit.phrase) > len("kém")} for told in served)
    grieves = "grievance" in labels or any(len(told) > 1 for told in sure)
    return "mishap" if "mishap" in labels else "grievance" if grieves else ""


def _wishes(text: str, phrases: MessagePhrases) -> bool:
    """Whether something is asked or wanted, and nothing is said of a thing of one's own."""
    wanted = (
        any(phrases.count[label] for label in _WANTED) or "?" in text or asks_which(text, word_lists("kinds"))
    )
    return bool(wanted or _ASKS_WHETHER.search(fold(text))) and not phrases.count["owned"]


def _state(text: str, request: ShopRequest, phrases: MessagePhrases) -> Trouble:
    """What is said of goods in words that are no property of the catalogue, where nothing is wanted or asked.

    It is a fault where the thing is one's own or the state lasts ("màn hình sọc tùm lum", "loa kêu è è"); else it is not known.
    """
    query, lasting = request.query, lexicon("complaints", "lasting").find(text)
    subject = [*lexicon("kinds").find(text), *lexicon("attributes").find(text)]
    subject = subject or [hit for hit in phrases.hits if hit.label == "device"]
    # "màn hình bị đen": what goods suffer is no property that they are to have.
    suffers = any(hit.phrase == "bị" and hit.start > one.start for hit in lasting for one in subject)
    asked = (query.priced, query.excludes, query.shows, query.order, query.moves, request.topics)
    told = any(asked) or (query.details and not suffers)
    if not subject or told or request.scope == "rows" or _wishes(text, phrases):
        return ""
    if suffers:
        return "defect"
    if not any(word.folded.isalpha() for words in query.unread for word in tokens(words)):
        return ""
    first = min(hit.start for hit in subject)
    behind = [words for words in query.unread if text.find(words, first) >= 0]
    if len(behind) < len(query.unread):
        return ""
    said = [word.folded for words in query.unread for word in tokens(words)]
    own = phrases.count["owned"] or _OWN.search(fold(text)) or _SINCE.search(fold(text))
    if own or lasting or any(one == other for one, other in pairwise(said)):
        return "defect"
    ends = [hit.end for hit in subject if text[hit.end :].lstrip().startswith(query.unread[0])]
    opens = ends and idle_words().issuperset(folded_words(text[:first])) and request.scope == "search"
    return "doubt" if opens and not (query.brands or query.words) else ""


def _parse(
    turn: TurnContext, question: str, text: str, phrases: MessagePhrases, trouble: Trouble
) -> ParsedMessage:
    state = dialogue_state(turn.history)
    datasets = turn.services.datasets
    store, hits = WarrantyStore(datasets), dialogue_phrases(text)
    act = parse_act(text, state, hits)
    if not act.act and is_correction(hits) and len(state.asked) == 1:
        act = _of_tail(text, state.asked[0], store)
    if act.act:
        return _of_act(act, state, store)
    thanked = lexicon("social", "thanks", "bye").find(question) and "?" not in question
    leaves = bool(thanked and _THINKS.search(fold(question)))
    if (kind := "thanks" if leaves else small_talk(text).kind) in ("thanks", "bye"):
        return ParsedMessage(SerialParse(), state, courtesy=kind)
    candidates = serial_candidates(text)
    found = store.find_all(dict.fromkeys(item.text.upper() for item in candidates))
    if found and all(found.values()):
        # What stands in the table is a serial whatever else the message says: nothing has to be weighed.
        serials = without_taken_back(text, known_serials(text, candidates), hits)
        if serials.serials:
            told = _with_records(serials, state, found)
            rest = _rest(text, serials, datasets, told.records)
            # Whose machine is broken wants no goods.
            rest = replace(rest, scope="none") if rest and trouble and rest.topics else rest
            return replace(told, request=None if trouble and not (rest and rest.topics) else rest)
    act = parse_follow_up(text, turn.focus, turn.now.astimezone(HCM).date(), _looked_up(state, store))
    if act.act and not candidates:
        return _of_act(act, state, store)
    modelled = ProductStore(datasets).codes(tuple(found))
    serials = _parse_serials(text, state, hits, found, modelled=modelled, context=phrases.about_warranty)
    focus = spoken_of(turn)
    serials = SerialParse() if is_of_order(focus) else serials
    shown = focus is not None and focus.kind == PRODUCTS
    rules = intent_by_rules(phrases, serials, awaiting=state.awaiting, shown=shown)
    if serials.serials and rules.sure:
        told = _with_records(serials, state, found)
        return replace(told, request=_rest(text, serials, datasets, told.records), rules=rules)
    parsed = replace(_with_records(serials, state, found), rules=rules, trouble=trouble)
    about_warranty = phrases.about_warranty or trouble in {"danger", "defect"}
    return _read_on(turn, text, parsed, phrases, about_warranty=about_warranty)


def apply_decision(turn: TurnContext, message: ParsedMessage, decision: IntentDecision) -> ParsedMessage:
    """`message` as the model understood it: goods and pages by the whole question, warranties of the serials it means.

    A serial counts only where the table has it and the conversation or the message names it. Blocking; raises StoreError.
    """
    query, datasets = decision.query or turn.text, turn.services.datasets
    if decision.intent == "shopping":
        # A query that was left as typed goes on with the page shown.
        shown = turn.focus if turn.focus is not None and turn.focus.kind == PAGES else None
        request = parse_request(query, shown if query == turn.text else None, ProductStore(datasets))
        # What is rejected of goods shown is no maker that the customer did not name.
        said = " ".join([turn.text, *(one.text for one in turn.history if one.sender == "user")])
        makers = tuple(one for one in request.query.no_brands if fold(one) in fold(said))
        request = replace(request, query=replace(request.query, no_brands=makers))
        return replace(message, act=DialogueAct(), near=(), request=request)
    if decision.intent != "warranty" or message.serials.serials or message.act.act:
        return message
    focus, store = turn.focus, WarrantyStore(datasets)
    looked = focus.rows if focus and focus.kind == FOCUS else ()
    named = {*message.state.mentioned, *(row.id for row in looked)}
    spoken = {serial.upper(): serial for serial in named}
    meant = [spoken[item.text.upper()] for item in serial_candidates(query) if item.text.upper() in spoken]
    act = DialogueAct("about", tuple(dict.fromkeys(meant)))
    if not meant:
        rows, today = _looked_up(message.state, store), turn.now.astimezone(HCM).date()
        act = parse_follow_up(turn.text, focus, today, rows, strict=False)
    return _of_act(act, message.state, store) if act.serials else message


def _read_on(
    turn: TurnContext, text: str, parsed: ParsedMessage, phrases: MessagePhrases, *, about_warranty: bool
) -> ParsedMessage:
    """What a message without a certain serial asks: of the shop, of what was looked up before, or for a serial."""
    state, serials, rules = parsed.state, parsed.serials, parsed.rules
    store, asked = WarrantyStore(turn.services.datasets), state.awaiting or about_warranty
    if has_no_serial(text, serials, asked=asked):
        return replace(parsed, act=DialogueAct("no serial"))
    goods = ProductStore(turn.services.datasets)
    request = parse_request(text, spoken_of(turn), goods)
    rows = _looked_up(state, store)
    last = tuple(row for row in rows if row.id in state.asked)
    request = _of_machine(text, turn.focus, last, goods) or request
    if serials.serials and not (request.query.kinds or request.query.brands):
        # What stands around a serial: the serial itself names no goods.
        rest = _rest(text, serials, turn.services.datasets)
        request = rest or replace(request, scope="none", topics=(), query=replace(request.query, unread=()))
        if rest is None and rules.intent == "unknown":
            rules = RuleIntent("warranty", _CLAIM, rules.reason)
            parsed = replace(parsed, rules=rules)
    if not parsed.trouble and (trouble := _state(text, request, phrases)):
        parsed = replace(parsed, trouble=trouble)
    request = _settled(text, request, parsed.trouble)
    claim = about_warranty and rules.intent == "warranty" and (rules.sure or rules.confidence >= _CLAIM)
    led = turn.model.reason_unavailable is None
    if claim and not (led or request.query.topics or serials.serials or parsed.complaint or state.awaiting):
        # Of what was just looked up, before a new serial is asked for; a model says itself what is meant.
        focus = turn.focus
        elsewhere = focus is None or focus.kind != FOCUS
        if elsewhere and state.asked and not (request.pointed and request.certain):
            focus = Focus(FOCUS, "", last)
        act = parse_follow_up(text, focus, turn.now.astimezone(HCM).date(), rows)
        if act.act:
            return _of_act(act, state, store)
    query = request.query
    # "AOC 24B20JH2 bảo hành được bao lâu" asks what the catalogue says of that model.
    months = any(figure.attribute == "warranty" for figure in query.figures)
    listed = ("warranty" in query.asks or months) and request.scope == "search" and not query.unread
    known = goods.frequencies(query.words) if listed and query.words else {}
    listed = (bool(known) and all(word in known for word in query.words)) or (
        listed and (months or bool(query.compared) or (bool(query.kinds) and _of_all(text)))
    )
    of_goods = (
        request.pointed
        or (query.priced and not query.about)
        or ((request.scope == "rows" or listed) and not phrases.count["owned"])
    )
    if claim and not request.topics and not of_goods:
        # An owner's question about one machine is no question about goods, whatever it names.
        request = replace(request, scope="none")
    short = len(tokens(text)) <= _FEW_WORDS and rules.intent == "unknown"
    near: tuple[str, ...] = ()
    # After one that was looked up, what the table has stands before a price or a model's number.
    sought = not request.certain and (asked or serials.attempted or short)
    if not serials.serials and (sought or state.warranty):
        near = serials_written_apart(text[:2_000], store.known)
    return replace(parsed, near=near, request=request)


def _of_all(text: str) -> bool:
    """Whether it is asked of every machine of a kind how its warranty is, not of one."""
    one = lexicon("serials", "of one", "look up").find(text)
    return bool(lexicon("serials", "of all").find(text)) and not one


def _settled(text: str, request: ShopRequest, trouble: Trouble) -> ShopRequest:
    """What came broken or late is no wish for such goods, "giao sai" no question about the delivery.

    "máy tôi bảo hành được bao lâu nữa" asks of one machine, not for the page; "hư màn hình thì đổi mới không" for the
    rules, not for monitors.
    """
    broken = trouble not in {"", "doubt"} or (request.topics and lexicon("catalogue", "broken").find(text))
    if broken and request.scope == "search" and not _wants_goods(text, request):
        request = replace(request, scope="none", query=replace(request.query, asks=()))
    said = set(folded_words(" ".join(hit.phrase for hit in lexicon("complaints").find(text))))
    said |= {word for since in _SINCE.finditer(fold(text)) if trouble for word in since[0].split()}
    unread = tuple(words for words in request.query.unread if not said.issuperset(folded_words(words)))
    if trouble == "defect":
        request = replace(request, query=replace(request.query, unread=unread))
    if trouble not in {"mishap", "grievance"}:
        one = lexicon("serials", "of one").find(text) and not _of_all(text)
        return replace(request, topics=()) if one and request.topics == ("warranty period",) else request
    if {*request.topics} <= _SENT and not request.query.shows:
        query = replace(request.query, unread=())
        return replace(request, scope="none", topics=("exchange", "parcel check"), query=query)
    return replace(request, query=replace(request.query, unread=unread))


def _wants_goods(text: str, request: ShopRequest) -> bool:
    """Whether something is asked of goods, or advice on them, beside what has happened to one."""
    query = request.query
    asked = {*query.asks} - {"warranty"} or query.shows or query.priced or query.order or query.compared
    advice = [hit for hit in lexicon("intents", "shopping").find(text) if hit.phrase not in _BOUGHT]
    told = {hit.phrase for topic in request.topics for hit in lexicon("topics", topic).find(text)}
    return bool(
        asked or query.excludes or asks_which(text, query.kinds) or {hit.phrase for hit in advice} - told
    )


def _looked_up(state: DialogueState, store: WarrantyStore) -> list[FocusRow]:
    """All serials that were looked up, with what the table calls them."""
    return record_rows(store.find_all(state.mentioned)) if state.mentioned else []


def _of_machine(
    text: str, focus: Focus | None, last: Sequence[FocusRow], goods: ProductStore
) -> ShopRequest | None:
    """What is asked of the goods that the machine looked up is one of: "máy đó bản 32GB giờ giá bao nhiêu".

    After something else it is the one looked up `last` where the very same is wanted: "cái mới y chang giá bao nhiêu".
    """
    same = lexicon("dialogue", "same model").find(text)
    text = blank_out(text, spans_of(same))
    rows = focus.rows if focus is not None and focus.kind == FOCUS else ()
    if same and (focus is None or focus.kind == PAGES):
        rows = tuple(last)
    if len(rows) > 1:
        text, rows = _machine_pointed_at(text, rows, goods)
    names = [_product_of(row) for row in rows]
    shown = goods_looked_up(names, goods)
    request = parse_request(text, shown, goods) if shown else None
    if request is None or request.scope != "rows" or request.topics or request.query.unread:
        return None
    return request if request.query.shows else None


def _machine_pointed_at(
    text: str, rows: Sequence[FocusRow], goods: ProductStore
) -> tuple[str, tuple[FocusRow, ...]]:
    """Of several machines the one that is pointed at by its number or its kind ("con laptop trong đó"), and the rest of `text`."""
    pointed = find_reference(text, Focus(FOCUS, "", tuple(rows)), things=things())
    if pointed is None:
        return text, tuple(rows)
    kinds = {hit.label for hit in lexicon("kinds").find(text)}
    of_kind = []
    for row in pointed.rows:
        shown = goods_looked_up([_product_of(row)], goods)
        of_kind += [row] if shown and kinds & {one.values.get("kind") for one in shown.rows} else []
    meant = tuple(of_kind if kinds else pointed.rows)
    # A number is settled here; "trong đó" points at the goods that the machine is one of, too.
    return (text if pointed.kind in {"this", "these"} else blank_out(text, pointed.spans)), meant


def _product_of(row: FocusRow) -> str:
    """What the warranty table calls the product of a serial that was looked up."""
    return row.title.removesuffix(row.id).strip()


def _of_tail(text: str, asked: str, store: WarrantyStore) -> DialogueAct:
    """The serial `asked` with another end ("nhầm, 08812 mới đúng"), where the table has it."""
    ends = [
        end
        for end in re.findall(r"(?<!\w)\w{3,}(?!\w)", text)
        if re.search(r"\d", end) and len(end) < len(asked)
    ]
    found = store.find_all([(asked[: -len(end)] + end).upper() for end in ends])
    known = [serial for serial, record in found.items() if record and serial != asked.upper()]
    return DialogueAct("confirm", tuple(known)) if len(known) == 1 else DialogueAct()


def _of_act(act: DialogueAct, state: DialogueState, store: WarrantyStore) -> ParsedMessage:
    records = store.find_all(act.serials) if act.act != "choose" else {}
    return ParsedMessage(parse_of_confirmed(act.serials), state, act, records)


def _rest(
    text: str,
    serials: SerialParse,
    datasets: Datasets,
    records: Mapping[str, WarrantyRecord | None] | None = None,
) -> ShopRequest | None:
    """What the message asks for beside its serials, of the machines `records` where it names no goods; None for nothing."""
    beside = lexicon("dialogue", "besides").find(text)
    costs = spans_of(lexicon("catalogue", "price asked").find(text))  # the "tien" of "bao nhieu tien"
    beside = [hit for hit in beside if not any(start < hit.end <= end for start, end in costs)]
    spans = [
        *((item.start, item.end) for item in serials.candidates if item.chosen),
        *warranty_spans(text),
        *spans_of(beside),
    ]
    if not (costs or without_everyday(text, spans)):
        return None
    store = ProductStore(datasets)
    rest = parse_request(blank_out(text, spans), None, store)
    if rest.scope == "none" and not rest.topics and {"price", "stock", "specs"} & {*rest.query.shows}:
        # "<serial> con đó bao nhiêu tiền": of the goods that the machine is one of, or it is said not to be answered.
        shown = goods_looked_up([one.product_name for one in (records or {}).values() if one], store)
        return parse_request(blank_out(text, spans), shown, store) if shown else rest
    # A kind beside a serial says what the machine is: more is wanted only where something is asked.
    query = rest.query
    offered = bool(lexicon("intents", "shopping", "leaning").find(blank_out(text, spans)))
    wanted = rest.topics or (
        rest.scope == "search" and (query.shows or query.asks or query.priced or query.order or offered)
    )
    if wanted and query.unread and not beside:
        # "<serial> còn hạn không, gợi ý con khác dưới 1tr": a want in a clause of its own.
        chosen = [item.start for item in serials.candidates if item.chosen]
        ends = [0, *(match.end() for match in _CLAUSES.finditer(text)), len(text)]
        of_serial = [pair for pair in pairwise(ends) if any(pair[0] <= at < pair[1] for at in chosen)]
        rest = parse_request(blank_out(text, [*spans, *of_serial]), None, store)
        wanted = rest.scope == "search" and rest.query.priced
    if not (wanted or (beside and query.unread)):
        return None
    if rest.scope == "search" and rest.query.priced and not rest.query.names:
        # "con mới dưới 1tr" is one like the machine that is looked up.
        names = [one.product_name for one in (records or {}).values() if one]
        kinds = tuple({hit.label: None for name in names for hit in lexicon("kinds").find(name)})
        over = {word for one in word_lists("warranty")["expired"] for word in folded_words(one)}
        unread = tuple(words for words in rest.query.unread if not over.issuperset(folded_words(words)))
        rest = replace(rest, query=replace(rest.query, kinds=kinds, unread=unread))
    return rest


def _with_records(
    serials: SerialParse, state: DialogueState, found: Mapping[str, WarrantyRecord | None]
) -> ParsedMessage:
    return ParsedMessage(serials, state, records={code: found.get(code.upper()) for code in serials.serials})


def _parse_serials(
    text: str,
    state: DialogueState,
    hits: Sequence[PhraseHit],
    found: Mapping[str, WarrantyRecord | None],
    *,
    modelled: Collection[str],
    context: bool,
) -> SerialParse:
    """The serials by their evidence; `found` is what the table has of the candidates, by their upper case."""
    correcting = is_correction(hits) and (state.warranty or state.earlier)

    def parse(*, awaiting: bool) -> SerialParse:
        return parse_serials(
            text,
            known=lambda code: found.get(code.upper()) is not None,
            modelled=lambda code: code.upper() in modelled,
            context=context,
            awaiting=awaiting,
        )

    serials = parse(awaiting=state.awaiting or correcting)
    if state.earlier and not serials.serials:
        # Asked for before a digression: a message that is nothing but a code returns to it.
        again = parse(awaiting=True)
        serials = again if again.bare else serials
    if serials.serials and (correcting or (state.earlier and serials.bare)):
        serials = replace(serials, sure=True)
    return without_taken_back(text, serials, hits)
