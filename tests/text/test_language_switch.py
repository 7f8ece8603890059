"""Asking to go on in another language is noticed; merely naming one is not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given

from tests.support.vietnamese import anything, decomposed, plain
from troly.text.fold import fold
from troly.text.language import SwitchRequest, switch_request

# (message, language asked for, what is left to answer)
REQUESTS = [
    ("speak english", "en", ""),
    ("tiếng anh được không", "en", ""),
    ("can we speak english", "en", ""),
    ("Can we speak English?", "en", ""),
    ("English please", "en", ""),
    ("English, please!", "en", ""),
    ("english", "en", ""),
    ("tiếng Việt", "vi", ""),
    ("in English please", "en", ""),
    ("can you answer in english", "en", ""),
    ("please reply in English from now on", "en", ""),
    ("do you speak english?", "en", ""),
    ("nói tiếng việt đi", "vi", ""),
    ("switch to vietnamese", "vi", ""),
    ("trả lời bằng tiếng anh", "en", ""),
    ("chuyển sang tiếng anh", "en", ""),
    ("đổi qua tiếng việt giúp em", "vi", ""),
    ("em ơi nói tiếng anh được không", "en", ""),
    ("bạn có nói được tiếng anh không?", "en", ""),
    ("mình nói chuyện bằng tiếng anh nhé", "en", ""),
    ("I don't understand Vietnamese", "en", ""),
    ("I can't speak Vietnamese, can we speak English?", "en", ""),
    ("tôi không hiểu tiếng việt", "en", ""),
    ("tôi không biết tiếng anh", "vi", ""),
    ("đừng nói tiếng anh nữa", "vi", ""),
    ("don't speak english", "vi", ""),
    ("Don't speak English, speak Vietnamese", "vi", ""),
    ("can we speak english? what laptops do you have?", "en", "what laptops do you have?"),
    ("speak english please, I want to check my warranty ABC123", "en", "I want to check my warranty ABC123"),
    ("Em ơi tiếng anh được không, laptop Dell giá bao nhiêu?", "en", "laptop Dell giá bao nhiêu?"),
    ("nói tiếng việt đi em, bảo hành ABC123 còn không", "vi", "bảo hành ABC123 còn không"),
    ("what is the price of this laptop? in english please", "en", "what is the price of this laptop?"),
    ("hello, can we speak english", "en", ""),
    ("let's speak English", "en", ""),
    ("could you please switch to English", "en", ""),
    ("i want to speak vietnamese", "vi", ""),
    ("I prefer English", "en", ""),
    ("why don't you speak english", "en", ""),
    ("hãy dùng tiếng việt", "vi", ""),
    ("xài tiếng việt đi", "vi", ""),
    ("có ai nói tiếng anh không", "en", ""),
    ("is there anyone who speaks English here?", "en", ""),
    ("answer in english: what is the price", "en", "what is the price"),
    ("explain the warranty policy in English", "en", "explain the warranty policy"),
    ("giải thích chính sách bảo hành bằng tiếng anh", "en", "giải thích chính sách bảo hành"),
    ("speak eng pls", "en", ""),
    ("vietnamese pls", "vi", ""),
    ("Tiếng Việt nhé", "vi", ""),
    ("tiếng anh đi", "en", ""),
    ("có hỗ trợ tiếng anh không", "en", ""),
    ("bạn biết tiếng anh không", "en", ""),
    ("can i speak english with you", "en", ""),
    ("could we continue in vietnamese", "vi", ""),
    ("go back to vietnamese", "vi", ""),
    ("quay lại tiếng việt", "vi", ""),
    ("cho mình nói tiếng việt", "vi", ""),
    ("from now on use English", "en", ""),
    ("chat tiếng anh với mình", "en", ""),
    ("sorry my vietnamese is bad, english please", "en", "sorry my vietnamese is bad"),
    ("may I speak English", "en", ""),
    ("can you speak english and tell me the price of iphone 15", "en", "tell me the price of iphone 15"),
    ("change language to english", "en", ""),
    ("đổi ngôn ngữ sang tiếng việt", "vi", ""),
    ("I only speak English", "en", ""),
    ("please speak english i dont understand", "en", "i dont understand"),
    ("do you guys speak english", "en", ""),
    ("any chance we can talk in english", "en", ""),
    ("would you mind switching to English?", "en", ""),
    ("bạn trả lời tiếng anh giúp mình", "en", ""),
    ("chuyển qua tiếng việt cho dễ hiểu", "vi", ""),
    ("thôi nói tiếng việt cho nhanh", "vi", ""),
    ("respond only in English", "en", ""),
    ("from now on answer in Vietnamese. what's my leave balance?", "vi", "what's my leave balance?"),
    ("Let us continue in English. Top 5 products?", "en", "Top 5 products?"),
    ("tiếng anh nhé, tôi cần mua chuột", "en", "tôi cần mua chuột"),
    ("no english please", "vi", ""),
]

NO_REQUESTS = [
    "do you sell English keyboards",
    "bàn phím tiếng anh",
    "bàn phím tiếng anh được không",
    "tôi muốn học nói tiếng anh",
    "sách tiếng anh",
    "my wife speaks English",
    "how do I switch the keyboard to Vietnamese",
    "laptop này có bàn phím tiếng anh không",
    "dịch sang tiếng anh giúp",
    "I want to learn English",
    "hướng dẫn sử dụng bằng tiếng anh",
    "what is this in english",
    "khóa học tiếng anh giao tiếp giá bao nhiêu",
    "do you have the English version",
    "xin chào",
    "what laptops do you have",
    "phần mềm có tiếng việt không",
    "English books",
    "how do I change the language to English on my laptop",
    "tiếng anh là gì",
    "Vietnamese coffee please",
    "do you sell Vietnamese coffee",
    "nhân viên cần biết tiếng anh trình độ nào",
    "is the manual in English",
    "máy này có cài tiếng việt không",
    "điện thoại có tiếng việt không",
    "bảo hành",
    "yêu cầu tiếng anh IELTS bao nhiêu",
    "lương cho người biết tiếng anh",
    "do employees need to speak English?",
    "tuyển nhân viên giỏi tiếng anh",
    "does the landlord speak english",
    "bác sĩ có nói tiếng anh không",
    "my English teacher has a toothache",
    "UK English",
    "how do you say this in english",
]


@pytest.mark.parametrize(("message", "target", "rest"), REQUESTS)
def test_requests_and_what_is_left_of_the_message(message: str, target: str, rest: str) -> None:
    request = switch_request(message)
    assert request is not None
    assert (request.target, request.rest) == (target, rest)


@pytest.mark.parametrize(("message", "target", "rest"), REQUESTS)
def test_requests_typed_plainly_in_capitals_or_decomposed(message: str, target: str, rest: str) -> None:
    for typed in (plain(message), message.upper(), decomposed(message), f"  {message}  "):
        request = switch_request(typed)
        assert request is not None
        assert request.target == target
        assert fold(request.rest) == fold(rest)


@pytest.mark.parametrize("message", NO_REQUESTS)
def test_naming_a_language_is_no_request(message: str) -> None:
    assert switch_request(message) is None
    assert switch_request(plain(message)) is None


def test_of_two_languages_the_one_that_is_wanted() -> None:
    request = switch_request("Don't speak English, speak Vietnamese. Còn iPhone không?")
    assert request == SwitchRequest("vi", "Còn iPhone không?")


@given(anything)
def test_what_is_left_comes_from_the_message(s: str) -> None:
    for message in (s, f"{s}, speak english", f"tiếng anh được không? {s}"):
        request = switch_request(message)
        assert request is None or set(request.rest) <= set(message) | {" "}


@given(anything)
def test_a_request_as_a_sentence_of_its_own_is_always_found(s: str) -> None:
    request = switch_request(f"Can we speak English?\n{s}")
    assert request is not None


def test_a_pasted_text_full_of_language_names_takes_no_time() -> None:
    start = time.perf_counter()
    switch_request("english " * 20_000)
    assert time.perf_counter() - start < 5
