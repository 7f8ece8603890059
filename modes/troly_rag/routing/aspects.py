"""What one question asks an agent to look up: its own words, and the sides of it that it needs besides (004-12, 004-44)."""

from __future__ import annotations

from troly.text.catalogue import Lang
from troly.text.fold import fold
from troly.text.numbers import find_amounts
from troly_rag.routing.topics import content, normal, sentence, subject
from troly_rag.routing.words import label, tool_words
from troly_rag.strings import say


def queries_for(question: str, others: tuple[str, ...], lang: Lang) -> tuple[str, ...]:
    """The queries of `question` in full sentences; `others` are the questions before it in the same message."""
    text = normal(question, lang)
    topic = subject(text, lang)
    if is_computed_against_rules(text) and topic:
        return _computed_with(text, topic, lang) if find_amounts(text) else _computed(topic, lang)
    effect = bool(label("effect").find(text))
    if effect and topic and _refers_back(text, topic, others):
        first = say("refine.effect", lang, topic=_capital(topic))
        return (first, say("refine.consequence", lang, topic=topic))
    own = sentence(question if text == question.strip() else text + _mark(question), lang)
    if effect and topic and not label("consequence").find(text):
        return (own, say("refine.consequence", lang, topic=topic))
    return (own,)


def is_computed_against_rules(text: str) -> bool:
    """Whether something is to be computed and held against the company's rules."""
    return bool(
        tool_words("sum").find(text) and tool_words("compare").find(text) and tool_words("rules").find(text)
    )


def is_side(query: str, lang: Lang) -> bool:
    """Whether a query was added to look at another side of the question before it."""
    opening = say("refine.consequence", lang, topic="\n").partition("\n")[0]
    return query.startswith(opening)


def _computed(topic: str, lang: Lang) -> tuple[str, ...]:
    about = _about(topic)
    base = say("refine.base_leave" if tool_words("leave").find(topic) else "refine.base", lang)
    return (
        say("refine.rules_of", lang, topic=about),
        say("refine.computed", lang, topic=topic, base=base),
    )


def _computed_with(text: str, topic: str, lang: Lang) -> tuple[str, ...]:
    """As `_computed` where the figures are given: the sum is asked in the words that hold them."""
    request = next(iter(label("request").find(text)), None)
    asked = subject(text[request.start :], lang) if request is not None else ""
    return (_computed(asked or topic, lang)[0], sentence(text, lang))


def _about(topic: str) -> str:
    """The topic without "chi phí": what there are rules about."""
    hits = [hit for hit in tool_words("math").find(topic) if hit.start == 0]
    rest = topic[hits[0].end :].strip() if hits else topic
    return rest if content(rest) else topic


def _refers_back(text: str, topic: str, others: tuple[str, ...]) -> bool:
    """Whether what is affected was named by another question of the message."""
    rest = {token.folded for token in content(text)} - {fold(word) for word in topic.split()}
    return any(rest & {token.folded for token in content(other)} for other in others)


def _mark(question: str) -> str:
    return "?" if question.rstrip().endswith("?") else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
