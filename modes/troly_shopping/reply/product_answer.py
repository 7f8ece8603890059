"""Answers a shopping question from the catalogue and the shop's pages, by the model or word for word by rule."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from troly.errors import ModelError
from troly.llm.types import Message
from troly.plugin.context import Step, TurnContext
from troly.plugin.events import Evidence, Notice, Sources
from troly.plugin.focus import find_reference
from troly.text.catalogue import Lang
from troly.text.dates import HCM, format_date
from troly.text.fold import fold, folded_words
from troly.text.match import Lexicon, blank_out, spans_of
from troly.text.numbers import format_money
from troly_shopping.intent import without_boilerplate
from troly_shopping.products.offers import Offer, find_offer, is_excluded
from troly_shopping.products.order import things
from troly_shopping.products.query import ProductQuery, parse_product_query
from troly_shopping.products.rendering import (
    OfferText,
    differences,
    kind_name,
    product_passages,
    quoted,
    render_offer,
    what_is_wanted,
)
from troly_shopping.products.request import PAGES as PAGES_FOCUS
from troly_shopping.products.request import ShopRequest, answer_request, goods_shown, show_offer, spoken_of
from troly_shopping.products.store import Product, ProductStore, SearchCriteria
from troly_shopping.reply.claim_check import (
    ClaimCheck,
    SentenceReader,
    amounts_in,
    are_versions,
    called_so,
    short_names,
)
from troly_shopping.reply.clarification import warn_of_rules
from troly_shopping.reply.pages import FITTING, documents_loaded, passage_line, search_pages, topics_text
from troly_shopping.reply.recall import memory_block, shared_entries
from troly_shopping.strings import prompts, say

CONTEXT_CHARS = 1_400
MESSAGES, MESSAGE_CHARS = 12, 1_500
# Rows that a model is given where the message was not wholly understood: it chooses among them.
_CANDIDATES, _BESIDE_PAGES, _BESIDE_GOODS = 8, 2, 2
# Other goods that are asked for beside those called by their whole names.
_BESIDE = 4
# The share of what a question about named goods asks that a page must hold to stand beside them.
_NEAR_PAGE = 0.5
# Products of the kinds spoken of that a true claim may be about, whether or not the model was given them.
_CLAIMED = 300
# So many products are told of again though a word about them was not understood.
_FEW = 2
# Names that a short one is held against.
_NAMED = 5_000


async def retrieve_context(
    turn: TurnContext, request: ShopRequest, step: Step, *, needed: bool
) -> tuple[list[dict[str, Any]], Offer | None]:
    """What the catalogue has and the best passages (C9), products first, and the catalogue's offer.

    A model gets the rows shown last besides, with their numbers, and products that share words with the question: it
    chooses. Nothing is looked up that is not `needed`.
    """
    store, lang = ProductStore(turn.services.datasets), turn.language
    led, query = turn.model.reason_unavailable is None, request.query
    offer = await asyncio.to_thread(answer_request, store, request) if needed or not led else None
    products = [*offer.beside, *offer.products] if offer else []
    pointed = find_reference(request.typed, turn.focus, things=things()) if turn.focus else None
    if offer and offer.kind == "fit" and offer.note == "list" and pointed:
        products = [*offer.beside]  # "i5 12400F cắm vừa main này không": no other boards
    # Goods that were named are what is asked about: nothing like them, and no page that nothing asks for.
    named = query.words or request.pointed or (offer is not None and offer.kind == "compare")
    named = bool(named and products and not (offer and offer.unmet))
    shown: list[dict[str, Any]] = []
    question = request.typed
    if led:
        told = request.topics and not (query.kinds or query.brands or query.words)
        if needed and not (request.certain or named or told):
            most = _BESIDE_PAGES if request.topics else _CANDIDATES
            more = await asyncio.to_thread(store.alike, question, query.kinds, most)
            products += [one for one in more if one not in products and not is_excluded(one, query)]
        products += await asyncio.to_thread(_looked_at, turn, query, products, store)
        shown = await asyncio.to_thread(_shown_last, turn, store, query)
        # What is called by its whole name is meant, not what is called much like it, and no page that has its words.
        names = {one.name: short_names(one.name, [one.brand]) for one in products}
        # Of goods held against each other, or that are to go together, nothing more is asked.
        settled = offer is not None and not offer.missing and offer.kind in {"compare", "fit"}
        called = Lexicon(names).find(question) if names and not settled else []
        if called and not query.excludes:
            rest = blank_out(question, spans_of(called))
            if query.order not in {"cheapest", "dearest"}:
                products = [one for one in products if one.name in {hit.label for hit in called}]
                question, named = rest, True
            products += await asyncio.to_thread(_also_asked, rest, products, store)
        if named and not query.excludes:
            products += await asyncio.to_thread(_versions, question, products, store)
    passages: list[dict[str, Any]] = []
    if needed and (request.topics or offer is None or (led and not request.certain)):
        passages = await search_pages(turn, question, (*request.earlier, *request.topics), step)
    if named and not request.topics:
        # A model reads what it asks of goods by name in the rows: beside them only the nearest pages are of use.
        passages = [one for one in passages[:_BESIDE_GOODS] if not led or one["coverage"] >= _NEAR_PAGE]
    numbered = {entry["product"] for entry in shown}
    fresh = [one for one in products if one.name not in numbered]
    rows = [*shown, *product_passages(fresh, lang, links="link" in query.shows)]
    if rows:
        step.note(say("step.goods", lang, count=len(rows), detail=step.detail))
    return [*rows, *passages], offer


def _also_asked(rest: str, called: Sequence[Product], store: ProductStore) -> list[Product]:
    """The goods that what is left of a question names beside those `called` whole: another size, name or price. Blocking.

    "… hết thì bản 32 inch giá bao nhiêu", "… và thanh RAM 32GB", "tai nghe Sony nào rẻ hơn …".
    """
    query = parse_product_query(rest, store)
    sizes = any(one.narrows for one in query.figures)
    # "main này" is what the one that is called is, no wish for others.
    others = {*query.kinds} - {one.kind for one in called}
    if not (others or query.words or query.brands or query.priced or query.order or sizes):
        return []
    kinds = query.kinds or tuple({one.kind: None for one in called})
    dearest = max((one.price for one in called), default=None)
    if query.order == "cheapest":
        # Cheaper than those that are called, or than the price said.
        query = replace(query, low=None, high=query.about or query.high or dearest, about=None)
    wanted = replace(query, action="find", kinds=kinds, parts=(), moves=(), topics=(), fits=False, unread=())
    found = find_offer(store, wanted)
    near = found.products if found else ()
    return [one for one in near if one not in called][:_BESIDE]


def _looked_at(
    turn: TurnContext, query: ProductQuery, products: Sequence[Product], store: ProductStore
) -> list[Product]:
    """The goods looked at before those shown last, of the kinds that are spoken of: "con chip đó cắm vừa main này không". Blocking."""
    names = [str(name) for name in (turn.focus.query.get("beside", ()) if turn.focus else ())]
    kinds = {*query.kinds, *query.owned} - {one.kind for one in products}
    return [one for one in store.named(names) if one.kind in kinds] if query.fits else []


def _versions(question: str, products: Sequence[Product], store: ProductStore) -> list[Product]:
    """The versions of `products` that a question names by a word of their own ("… Đen và Trắng"), or of one that is sold out. Blocking."""
    asked = {*folded_words(question)}
    found: list[Product] = []
    for one in products[:_BESIDE]:
        for other in store.search(SearchCriteria(kinds=(one.kind,), count=_CLAIMED)):
            own = {*folded_words(other.name)} - {*folded_words(one.name)}
            wanted = one.stock == 0 or (own and own <= asked)
            if wanted and other not in (*products, *found) and are_versions(one.name, other.name):
                found.append(other)
    return found[:_BESIDE]


def _shown_last(turn: TurnContext, store: ProductStore, query: ProductQuery) -> list[dict[str, Any]]:
    """The rows that were shown last and are not ruled out, with their numbers and all that is known of them. Blocking."""
    rows = goods_shown(turn)
    lang, places = turn.language, {row.title: number for number, row in enumerate(rows, 1)}
    named = store.named(list(places))
    wanted = [one for one in named if not is_excluded(one, query)]
    found = product_passages(wanted, lang, links="link" in query.shows)
    if not named:
        labels = {"end": say("column.until", lang)}
        for row in rows:
            told = [f"{labels.get(name, name)} {value}" for name, value in row.values.items() if value]
            text, score = f"{row.title}: {', '.join(told)}", {"score": 1.0, "coverage": 1.0}
            found += [{"text": text, "where": "", "product": row.title, **score}] if told else []
    return [
        {**entry, "title": say("offer.shown", lang, number=places[str(entry["product"])])}
        for entry in found
        if entry["product"] in places
    ]


def _remember(
    turn: TurnContext,
    request: ShopRequest,
    offer: Offer | None,
    context: Sequence[Mapping[str, Any]],
    said: str = "",
) -> None:
    """What was shown is what a later "cái thứ hai" means: of what a model `said` the products it named, in its order. Blocking."""
    if said and not (request.certain and request.scope == "rows"):
        store = ProductStore(turn.services.datasets)
        given, makers = [str(item["product"]) for item in context if "product" in item], store.brands()
        catalogue = [one.name for one in store.search(SearchCriteria(count=_NAMED))] if given else []
        names = {name: called_so(name, makers, catalogue) for name in given}
        hits = Lexicon(names).find(said) if names else []
        products = store.named(list(dict.fromkeys(hit.label for hit in hits)))
        offer = Offer("list", request.query, tuple(products), len(products)) if products else None
    if offer is not None and not (said and not offer.products):
        show_offer(turn, offer, request)
    elif request.topics and any("product" not in item for item in context):
        told = {"topics": [*request.earlier, *request.topics]}
        before = spoken_of(turn) if request.shown else None
        if before:
            turn.show(before.kind, before.question, before.rows, {**before.query, **told})
        else:
            turn.show(PAGES_FOCUS, request.typed, [], {**told, "kinds": list(request.query.kinds)})


def show_sources(turn: TurnContext, context: Sequence[Mapping[str, Any]]) -> None:
    """Tell which passages the answer rests on."""
    passages = [item for item in shared_entries(context) if "product" not in item]
    if passages:
        turn.emit(Sources(tuple(_evidence(number, item) for number, item in enumerate(passages[:5], 1))))


def _evidence(number: int, item: Mapping[str, Any]) -> Evidence:
    return Evidence(number, item["title"], item["text"], item["where"], item["score"])


async def stream_answer(turn: TurnContext, state: Mapping[str, Any], step: Step) -> str:
    """Say the answer and the persona's follow-up (000-60); returns it whole.

    Raises ModelError when the model fails after it has begun to speak; before that the catalogue and the passages
    answer, with a notice.
    """
    context, request = state["retrieved_context"], state["message"].request
    answer = await asyncio.to_thread(rules_answer, turn, request, state.get("offer"), context)
    reason = turn.model.reason_unavailable
    plain = foreign_price(request, turn)
    offer, trouble = state.get("offer"), state["message"].trouble
    if reason and trouble == "doubt" and offer is not None:
        what, kind = quoted(request.query.unread), kind_name(request.query.kinds[0], turn.language)
        asked = say("answer.fault_or_wish", turn.language, what=what, kind=kind, count=offer.total)
        answer = OfferText(asked, answered=False)
    elif reason and trouble:
        sorry = say(
            f"answer.{'grievance' if trouble == 'grievance' else 'sorry'}",
            turn.language,
            hotline=turn.persona().hotline,
        )
        plain = f"{sorry}\n\n{plain}"
    turn.say(plain)
    said, whole = ("", False) if reason else await _by_model(turn, state, answer)
    if said and not whole:
        rest = say("figures.rest", turn.language, hotline=turn.persona().hotline)
        turn.say(f"\n\n{rest}")
        said = f"{said}\n\n{rest}"
        turn.answered = False
    if said:
        step.note(say("step.by_model", turn.language, count=len(context)), "model")
        await asyncio.to_thread(_remember, turn, request, state.get("offer"), context, said)
    else:
        said = answer.text
        if reason:
            # The pages whose words it gives, no others.
            show_sources(
                turn, [one for one in context if "heading" in one and passage_line(one, turn) in said]
            )
        turn.say(said)
        turn.answered = answer.answered and not request.query.foreign
        # What a page settled is no open word of the goods.
        open_ = tuple(words for words in request.query.unread if quoted((words,)) in said)
        request = replace(request, query=replace(request.query, unread=open_))
        await asyncio.to_thread(_remember, turn, request, state.get("offer"), context)
        step.note(say("step.by_rules", turn.language, count=len(context), reason=reason or "-"), "rules")
    if answer.table is not None:
        turn.emit(answer.table)
    tail = follow_up_line(turn)
    turn.say(tail)
    return plain + said + tail


def follow_up_line(turn: TurnContext) -> str:
    """The persona's follow-up (000-60), once a conversation."""
    line = turn.persona().follow_up
    said = any(line in message.text for message in turn.history if message.sender == "assistant")
    return "" if not line or said or turn.answered is False else f"\n\n{line}"


def foreign_price(request: ShopRequest, turn: TurnContext) -> str:
    """That a limit in other money was not used."""
    if not request.query.foreign:
        return ""
    amounts = say("compare.join", turn.language).join(request.query.foreign)
    return say("foreign.price", turn.language, amount=amounts) + "\n\n"


def rules_answer(  # noqa: C901 (one case a kind of answer)
    turn: TurnContext, request: ShopRequest, offer: Offer | None, context: Sequence[Mapping[str, Any]]
) -> OfferText:
    """Each part of the message answered from the catalogue and the pages, or named as not answered. Blocking."""
    lang, hotline, query = turn.language, turn.persona().hotline, request.query
    store = ProductStore(turn.services.datasets)
    passages = [dict(item) for item in shared_entries(context) if "product" not in item]
    pages = topics_text(request.topics, query, passages, turn, request.earlier)
    query = replace(query, unread=pages.unread)
    if offer is not None:
        offer = replace(offer, query=replace(offer.query, unread=pages.unread))
    told = _offer_text(offer, replace(request, query=query), lang, hotline) if offer else None
    parts = [part.text for part in (told, pages) if part is not None and part.text]
    answered = all(part.answered for part in (told, pages) if part is not None and part.text)
    if "instalment" in request.topics and query.months and offer and offer.products:
        one = len(offer.products) == 1
        parts.append(
            _monthly(offer.products[0].price, query.months, turn, offer.products[0].name)
            if one
            else say("follow.no_monthly", lang)
        )
        answered = answered and one
    if "instalment" in request.topics and query.months and query.about and not answered:
        # "máy 12 triệu": an amount beside months is the price, no budget.
        parts, answered = [pages.text, _monthly(query.about, query.months, turn)], pages.answered
    shares = _shares(request, pages.passages, turn, offer)
    if shares:
        # An amount beside a page's share is what was paid, no budget.
        parts, answered = [*([pages.text] if pages.text else []), *shares], pages.answered
    listed = offer is not None and query.details and not request.pointed  # of goods so, each with its maker
    if "brands asked" in query.moves and not (query.brands or query.words or listed):
        makers = (
            [say("follow.maker", lang, name=one.name, brand=one.brand) for one in offer.products if one.brand]
            if offer and request.pointed
            else []
        )
        others = sorted(brand for brand in store.brands(query.kinds) if brand not in query.no_brands)
        parts = ["\n".join(makers) or say("offer.brands", lang, brands=", ".join(others))]
        answered = not query.unread
    kinds = ", ".join(kind_name(kind, lang) for kind in store.kinds())
    if "kinds asked" in query.moves and kinds and not parts:
        parts, answered = [say("offer.kinds", lang, kinds=kinds)], not query.unread
    if not parts and query.excludes and not query.names:
        without = [
            *query.no_brands,
            *(query.said.get(one, one) for one in (*query.no_words, *query.no_facts)),
        ]
        return OfferText(say("offer.which", lang, what=", ".join(without)), answered=False)
    lost = bool(parts) and offer is None and request.scope == "search" and store.loaded() is not None
    summed = query.count > 1 or {"tong", "cong", "gop"} & set(folded_words(query.said.get("total", "")))
    unsummed = bool(parts) and offer is None and not lost and "total" in query.moves and bool(summed)
    parts += [say("answer.goods_open", lang)] * lost + [say("follow.no_sum", lang)] * unsummed
    answered = answered and not (lost or unsummed)
    loaded = store.loaded() is not None or documents_loaded(turn)
    if parts and (loaded or offer is not None):
        return OfferText("\n\n".join(parts), told.table if told else None, answered)
    fitting = [item for item in passages if item["coverage"] >= FITTING][:2]
    if fitting:
        lines = [passage_line(item, turn) for item in fitting]
        return OfferText("\n".join([say("answer.near", lang), *lines]), answered=False)
    if query.unread and request.shown:
        return OfferText(say("follow.unread", lang, what=quoted(query.unread)), answered=False)
    if query.unread and kinds:
        return OfferText(say("offer.not_sold", lang, what=quoted(query.unread), kinds=kinds), answered=False)
    return OfferText(
        say("answer.nothing" if loaded else "answer.no_catalogue", lang, hotline=hotline), answered=False
    )


def _offer_text(offer: Offer, request: ShopRequest, lang: Lang, hotline: str) -> OfferText:
    """The offer; of goods shown before not the whole list again where a word about them was not understood."""
    unread = request.query.unread
    few = (request.pointed or offer.note in {"cheapest", "dearest"}) and len(offer.products) <= _FEW
    if request.scope == "rows" and unread and not few:
        return OfferText(say("follow.unread", lang, what=quoted(unread)), answered=False)
    return render_offer(offer, lang, hotline)


# "5%" of a page.
_SHARE = re.compile(r"(?<![\d.,])([1-9]\d?(?:[.,]\d+)?) ?%")
# Topics whose pages name a share of the price.
_SHARED = {"return", "return policy", "deposit", "refund"}


def _shares(
    request: ShopRequest, passages: Sequence[Mapping[str, Any]], turn: TurnContext, offer: Offer | None
) -> list[str]:
    """The shares of the price that the pages name (the fee of a return, a deposit): of the amount in the message, or of
    the one product that is spoken of."""
    query = request.query
    amount = query.about or query.high or query.low
    one = offer.products if offer else ()
    if amount is None and {"fee", "price"} & set(query.shows) and len(one) == 1:
        amount = one[0].price
    paid_first = "truoc" in fold(query.said.get("topic instalment", ""))  # "trả trước bao nhiêu"
    if amount is None or not (paid_first or _SHARED & set(request.topics)):
        return []
    found = dict.fromkeys(share for passage in passages for share in _SHARE.findall(passage["text"]))
    lang = turn.language
    return [
        say(
            "follow.share",
            lang,
            share=share,
            amount=format_money(amount, lang),
            result=format_money(round(amount * Decimal(share.replace(",", ".")) / 100), lang),
        )
        for share in found
    ]


def _monthly(price: int, months: int, turn: TurnContext, name: str = "") -> str:
    each, whole = (format_money(one, turn.language) for one in (round(price / months), price))
    told = f"{name}: {whole}" if name else whole
    return say("follow.monthly", turn.language, price=told, count=months, each=each)


async def _by_model(turn: TurnContext, state: Mapping[str, Any], answer: OfferText) -> tuple[str, bool]:
    """What the model says, and whether that is all of it; ("", False) where the rules must answer.

    A sentence with a claim that nothing holds is not shown: the draft goes back once with the reason, and goes on from what
    was shown, where the turn has a call left. Refused again, the rows of the goods that it spoke of stand in its place.
    """
    check = await asyncio.to_thread(_claim_check, turn, state, answer.text)
    catalogue = await asyncio.to_thread(ProductStore(turn.services.datasets).loaded)
    messages = build_messages(turn, state, answer, catalogue.at if catalogue else None)
    said = draft = ""
    for again in (False, True):
        refused: list[str] = []
        draft = ""
        try:
            async with aclosing(_sentences(turn, messages)) as sentences:
                async for draft in sentences:
                    refused = [] if again and _is_shown(draft, said) else check.refused(draft, said)
                    if refused:
                        break
                    said = _show(turn, said, draft, again=again)
        except ModelError as error:
            if said:
                raise
            warn_of_rules(turn, error)
            return "", False
        if not refused:
            return said.rstrip(), True
        if again or not turn.model.has_call_left:
            break
        key = "retry" if said.strip() else "retry_whole"
        reason = say(f"figures.{key}", turn.language, said=said.strip(), claims="; ".join(refused))
        messages = [
            *messages,
            {"role": "assistant", "content": said + draft},
            {"role": "user", "content": reason},
        ]
    warn_of_claims(turn)
    if said.strip():
        for row in check.rows_meant(draft, said)[:_FEW]:
            said = _show(
                turn, said.rstrip(), "\n\n" + say("figures.row", turn.language, row=row), again=False
            )
    return said.rstrip(), False


async def _sentences(turn: TurnContext, messages: Sequence[Message]) -> AsyncGenerator[str, None]:
    """The sentences of the model's answer as they become whole."""
    reader = SentenceReader()
    async with aclosing(turn.model.stream("respond", messages)) as pieces:
        async for piece in pieces:
            for sentence in reader.add(piece):
                yield sentence
    if rest := reader.finish():
        yield rest


def _is_shown(sentence: str, said: str) -> bool:
    """Whether a draft that is written again begins with what was shown: that was checked."""
    return bool(sentence.strip()) and sentence.strip() in said


def _show(turn: TurnContext, said: str, sentence: str, *, again: bool) -> str:
    """Show the next sentence of an answer, what a draft written `again` repeats only once; returns all that is said."""
    sentence = sentence if said else sentence.lstrip()
    gap = " " if said and not (said[-1].isspace() or sentence[:1].isspace()) else ""
    if again and _is_shown(sentence, said):
        return said
    turn.say(gap + sentence)
    return said + gap + sentence


def warn_of_claims(turn: TurnContext) -> None:
    """Tell that something which the model said could not be confirmed."""
    title, message = (say(f"figures.{name}", turn.language) for name in ("title", "message"))
    remedy = say("figures.remedy", turn.language, hotline=turn.persona().hotline)
    turn.emit(Notice("warning", title, message, remedy))


def _claim_check(turn: TurnContext, state: Mapping[str, Any], facts: str) -> ClaimCheck:
    """A check that knows what was retrieved, what both sides have said, and the customer's own limits. Blocking."""
    query: ProductQuery = state["message"].request.query
    entries = shared_entries(state["retrieved_context"])
    store = ProductStore(turn.services.datasets)
    offer: Offer | None = state.get("offer")
    kinds = {*query.kinds, *(product.kind for product in (offer.products if offer else ()))}
    claimed = store.search(SearchCriteria(kinds=tuple(kinds), count=_CLAIMED)) if kinds else []
    rows = [*product_passages(claimed, turn.language), *(item for item in entries if "product" in item)]
    texts = [
        f"{item['title']}\n{item.get('heading', '')}\n{'' if 'product' in item else item['text']}"
        for item in entries
    ]
    told = [message.text for message in turn.history if message.sender == "assistant"]
    asked = [message.text for message in turn.history if message.sender == "user"]
    hotline = turn.persona().hotline
    # A sum that the shop told is its own, wherever a query repeats it.
    known = amounts_in(told)
    limits = [
        f"{one} VND" for one in (query.low, query.high, query.about) if one and Decimal(one) not in known
    ]
    return ClaimCheck(
        [*texts, hotline],
        store.brands(),
        [turn.text, *asked, *limits],
        {str(item["product"]): str(item["text"]) for item in rows},
        said=[facts, *told],
        compared=[Decimal(item["price"]) for item in entries if "price" in item],
        shown=[str(item["product"]) for item in entries if "product" in item],
    )


def build_messages(
    turn: TurnContext, state: Mapping[str, Any], answer: OfferText, loaded: datetime | None = None
) -> list[Message]:
    """The prompt in the documents' order (000-57): persona, context, intent (000-58), instruction, conversation.

    Pages and rows tell the day of their version: rows that on which the catalogue was `loaded`.
    """
    found = state["retrieved_context"]
    passages = []
    for item in shared_entries(found):
        since = loaded if "product" in item else _moment(item.get("loaded"))
        # Of a day that is still to come ("now" may be set) none is told.
        known = since is not None and since.astimezone(HCM).date() <= turn.now.astimezone(HCM).date()
        day = format_date(since.astimezone(HCM).date()) if since and known else ""
        version = say("answer.version", turn.language, date=day) if day else ""
        heading = " › ".join(dict.fromkeys(filter(None, (item["title"], item.get("heading"), version))))
        passages.append(f"[{heading}] {item['text'][:CONTEXT_CHARS]}")
    offer: Offer | None = state.get("offer")
    asked = state["message"].request
    kinds = asked is not None and "kinds asked" in asked.query.moves
    if answer.answered and (kinds if offer is None else offer.kind in {"build", "order"}):
        # Parts that fit each other and sums were worked out; of a list the model sees the rows.
        passages.insert(0, f"[{say('answer.checked', turn.language)}] {answer.text}")
    elif offer is not None and offer.kind == "compare" and len(offer.products) > 1:
        told = " ".join(differences(offer.products, turn.language))
        passages.insert(0, f"[{say('answer.checked', turn.language)}] {told}")
    elif offer is not None and answer.answered and offer.total > len(offer.products):
        more = say("offer.more", turn.language, count=offer.total - len(offer.products))
        passages.append(f"[{what_is_wanted(offer.query, turn.language)}] {more}")
    if not passages and state["need_retrieval_hint"]:
        passages.append(f"[{say('answer.checked', turn.language)}] {say('answer.searched', turn.language)}")
    context = "Retrieved context:\n" + "\n---\n".join(passages) + "\n\n" if passages else ""
    context += memory_block(found)
    intent = f"Detected intent: {state['intent']}\n\n" if state["intent"] != "unknown" else ""
    lines = []
    for item in state["chat_history"][-MESSAGES:]:
        text = without_boilerplate(turn, item["content"])
        lines += [f"{item['role'].capitalize()}: {text[:MESSAGE_CHARS]}"] if text else []
    return prompts().messages(
        "respond",
        turn.language,
        persona=turn.persona().prompt(turn.services.settings.persona.max_chars),
        context=context,
        intent=intent,
        rules=prompts().render("grounding", turn.language, hotline=turn.persona().hotline),
        instruction=say(f"instruction.{turn.language}", turn.language),
        conversation="\n".join(lines),
        today=format_date(turn.now.astimezone(HCM).date()),
        role=turn.profile.known_role,
    )


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
