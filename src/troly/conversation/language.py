"""The language of an answer, decided once for all assistants before any of them is asked (000-12 to 000-15)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from troly.config.settings import Settings
from troly.config.users import Profile
from troly.text.catalogue import LANGS, Lang, tr
from troly.text.fold import fold, words
from troly.text.language import detect, detect_score, is_syllable, switch_request

# The conversation's metadata: the language that the person asked for. Earlier versions kept it as `<mode>_language`.
REQUESTED = "language"
ACKNOWLEDGED = "language_ack"
# How many words and how clear a message must be to change the language of a conversation by itself.
ENOUGH_WORDS, CLEAR = 3, 0.6


@dataclass(frozen=True, slots=True)
class LanguageDecision:
    """The language to answer in.

    `rest` is the message without a request for another language ("" when nothing else was said), `acknowledgement`
    the sentence that grants such a request (000-13), None where there is none.
    """

    language: Lang
    rest: str
    acknowledgement: str | None = None


def decide(
    text: str,
    profile: Profile,
    settings: Settings,
    *,
    chosen: Lang | None = None,
    spoken: Lang | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> LanguageDecision:
    """The language in which `text` is answered.

    What counts, in this order: a request in the message itself; `chosen`, said with this one message; a request made
    earlier in the conversation (000-14), kept in its `metadata`; the profile; the settings; a message that is clearly
    in one language; `spoken`, the language of a conversation that has begun; Vietnamese (000-15).
    """
    if request := switch_request(text):
        acknowledgement = tr("turn.language.acknowledged", request.target)
        return LanguageDecision(request.target, request.rest.strip(), acknowledgement)
    fixed = (chosen, requested(metadata or {}), profile.language, settings.language)
    language = next((lang for lang in fixed if lang and lang != "auto"), None)
    return LanguageDecision(language or _written(text, spoken), text)


def requested(metadata: Mapping[str, Any]) -> Lang | None:
    """The language that was asked for earlier in the conversation with this metadata."""
    said = [metadata.get(REQUESTED), *(v for name, v in metadata.items() if name.endswith("_language"))]
    return next((lang for value in said for lang in LANGS if lang == value), None)


def _written(text: str, spoken: Lang | None) -> Lang:
    """The language that `text` is written in; names, single words, commands and code change nothing."""
    if text.lstrip()[:1] in ("/", "[", "{"):
        return spoken or "vi"
    if spoken is None:
        return detect(text)
    score, typed = detect_score(text), words(text)
    if abs(score) < CLEAR or len(typed) < ENOUGH_WORDS:
        return spoken
    # "the ban 2tb" is English by its first word and Vietnamese without accents by each of them.
    foreign = " ".join(word for word in typed if not is_syllable(fold(word)))
    if spoken == "vi" and detect_score(foreign) >= 0:
        return spoken
    return "vi" if score > 0 else "en"
