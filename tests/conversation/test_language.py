"""One policy for all assistants: a request for a language is granted and obeyed, else the question's own language counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.modes.replays import person_at
from tests.support.stores.services import profile
from tests.support.vietnamese import anything
from tests.text.test_language import VIETNAMESE
from troly.config.settings import Settings
from troly.conversation.language import REQUESTED, decide, requested
from troly.plugin.events import Say, TurnCompleted, TurnStarted
from troly.plugin.registry import Registry
from troly.text.catalogue import LANGS, Lang
from troly.text.fold import accents

ACKNOWLEDGED = {
    "en": "sure, you can speak english with me",
    "vi": "dạ được ạ, từ giờ xin trả lời bằng tiếng Việt nhé",
}
REQUESTS: dict[Lang, tuple[str, ...]] = {
    "en": ("speak english", "tiếng anh được không", "can we speak english", "Speak English please"),
    "vi": ("nói tiếng Việt đi", "noi tieng viet di em", "Vietnamese please", "can we speak Vietnamese"),
}
BORROWED = ("wifi", "router", "setup", "keyboard", "cooler", "benchmark", "smartwatch")
ENGLISH = "What should I do when the warranty has expired?"
VIETNAMESE_QUESTION = "Khi hết hạn bảo hành thì tôi phải làm gì?"


def language(text: str, **more: object) -> Lang:
    return decide(text, profile(), Settings(), **more).language  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "asdf", "router wifi 6", "iPhone 15", "👍", "", "/sql SELECT 1", '[{"$match": {}}]', "laptop ryzen 7", "ssd nvme",
        "serial abcdef", "ram ddr5 32gb kingston fury", "Gaming Laptop RTX 4060 144Hz", "crosshair 16", "sn: qwzxhd",
    ],
)  # fmt: skip
def test_unsure_is_vietnamese_unless_english_is_spoken(text: str) -> None:
    assert language(text) == language(text, spoken="vi") == "vi"
    assert language(text, spoken="en") == language(text, metadata={REQUESTED: "en"}) == "en"


def test_borrowed_words_are_not_english() -> None:
    assert language("build pc 15tr chơi lol") == language("setup pc chơi game") == "vi"
    assert language("serial la abcdef") == language("sn la hdjkse") == "vi"


def test_the_question_decides_until_a_language_is_asked_for() -> None:
    assert language(ENGLISH, spoken="vi") == "en"
    assert language(VIETNAMESE_QUESTION, spoken="en") == "vi"
    assert language(VIETNAMESE_QUESTION, metadata={REQUESTED: "en"}) == "en"
    assert language(ENGLISH, metadata={REQUESTED: "vi"}) == "vi"
    # As two assistants of the first edition kept it.
    assert requested({"rag_language": "en"}) == requested({"analysis_language": "en", "x": 1}) == "en"


def test_the_person_and_the_settings_may_fix_it() -> None:
    english = replace(profile(), language="en")
    assert decide(VIETNAMESE_QUESTION, english, Settings()).language == "en"
    assert decide(ENGLISH, profile(), Settings(language="vi")).language == "vi"
    assert decide(ENGLISH, english, Settings(language="vi")).language == "en"
    assert decide(VIETNAMESE_QUESTION, english, Settings(), chosen="vi").language == "vi"
    assert decide("nói tiếng Việt đi", english, Settings(language="en"), chosen="en").language == "vi"


@pytest.mark.parametrize(("lang", "text"), [(lang, text) for lang in LANGS for text in REQUESTS[lang]])
@pytest.mark.parametrize("rest", ["", "ABC123 còn bảo hành không?", "is ABC123 under warranty?"])
def test_a_request_is_granted_and_the_rest_stays(lang: Lang, text: str, rest: str) -> None:
    decision = decide(f"{text}. {rest}", profile(), Settings(), spoken="en" if lang == "vi" else "vi")
    assert (decision.language, decision.acknowledgement) == (lang, ACKNOWLEDGED[lang])
    assert decision.rest == rest


@pytest.mark.parametrize("text", ["the ban 2tb", "the con so 3", "the ban 16gb co khong"])
def test_vietnamese_without_accents_that_looks_english_changes_nothing(text: str) -> None:
    assert language(text, spoken="vi") == "vi"


@pytest.mark.parametrize("text", ["what about the 2tb", "is it still covered", "the cheapest one please"])
def test_an_english_follow_up_is_answered_in_english(text: str) -> None:
    assert language(text, spoken="vi") == "en"


@given(anything, st.sampled_from([None, *LANGS]))
def test_it_is_always_one_of_the_two_and_nothing_is_lost(text: str, spoken: Lang | None) -> None:
    decision = decide(text, profile(), Settings(), spoken=spoken)
    assert decision.language in LANGS
    if decision.acknowledgement is None:
        assert decision.rest == text
    else:
        assert len(decision.rest) <= len(text)


@given(
    st.sampled_from([text for text in VIETNAMESE if accents(text)]),
    st.lists(st.sampled_from(BORROWED), max_size=1),
)
def test_vietnamese_with_accents_is_never_english(text: str, borrowed: list[str]) -> None:
    assert language(" ".join([*borrowed, text.lower()])) == "vi"


@pytest.mark.parametrize("mode", Registry().names)
async def test_all_assistants_grant_and_follow(own_home: Path, mode: str) -> None:
    with person_at(own_home, mode, loaded=False) as person:

        async def ask(text: str) -> tuple[list[str], TurnCompleted, str]:
            events = (await person.ask(text)).events
            said = [one.text for one in events if isinstance(one, Say) and one.message_type == "language_ack"]
            end, [begin] = events[-1], [one for one in events if isinstance(one, TurnStarted)]
            assert isinstance(end, TurnCompleted), end
            return said, end, begin.language

        first = await ask(VIETNAMESE_QUESTION)
        english = await ask(ENGLISH)
        back = await ask(VIETNAMESE_QUESTION)
        assert [one[0] for one in (first, english, back)] == [[], [], []]
        assert [one[2] for one in (first, english, back)] == ["vi", "en", "vi"]
        for lang, question in (("en", VIETNAMESE_QUESTION), ("vi", ENGLISH)):
            said, end, _ = await ask("speak English please" if lang == "en" else "nói tiếng Việt đi")
            assert said == [end.text] == [ACKNOWLEDGED[lang]]
            assert (end.message_type, end.calls) == ("language_ack", 0)
            assert set(end.state) == set(person.registry.get(mode).state_fields)
            said, _, begun = await ask(question)
            assert (said, begun) == ([], lang)
            [conversation] = person.services.conversations.list(person.profile.login)
            assert conversation.language == lang
