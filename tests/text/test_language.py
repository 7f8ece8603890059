"""The language of a message is known with accents or without, with typing mistakes, in capitals."""

from __future__ import annotations

import re
import time
from itertools import chain, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.vietnamese import anything, decomposed, plain, slip
from troly.text.catalogue import Lang
from troly.text.fold import accents, fold
from troly.text.language import SwitchRequest, detect, detect_score, is_foreign, is_syllable, switch_request
from troly.text.wordlist import LEXICONS, read_lists


def listed(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text.split("|")]


VIETNAMESE = listed("""
anh | em | không | dạ | ạ | alo | chào shop | xin chao | cho hoi bao hanh | bao hanh | kiem tra bao hanh |
laptop gaming tam 20tr | laptop nao choi game tot | tu van giup minh laptop | shop con iphone 15 ko | sp nay con
k | gia bn | bn tien | ib gia | check bh giup e | ABC123 | serial ABC123 con bao hanh ko | tong doanh thu thang
nay | top 5 san pham ban chay nhat | so sanh doanh thu tuan nay voi tuan truoc | doanh thu shopee thang 1 | don
hang lazada | phong tro gan dai hoc bach khoa duoi 3tr | can ho 2pn quan 7 | thue nha nguyen can | dau rang qua
lam sao | rang khon moc lech | nieng rang mat bao lau | implant gia bao nhieu | lay cao rang co dau khong |
chinh sach nghi phep | toi con may ngay phep | luong thang 13 tinh sao | quy dinh lam viec tu xa | the a | uhm |
vang | ok shop | ok em | cam on nhieu | hello shop oi | hi em | hi shop cho minh hoi | em ten gi | ten gi | lam
gi day | co ban trai chua | di choi khong | khoe khong | may tinh ban van phong | ban phim co | chuot khong day
| man hinh 27 inch | tai nghe bluetooth loai nao tot | mua o dau | mua hang | dat hang | gia | khuyen mai | co
giam gia khong | freeship khong | giao hang mat may ngay | doi tra the nao | hoan tien | may bi loi | may khong
len nguon | pin yeu | man hinh bi soc | sua may tinh | Cho tôi xem | Cái đó | Hơn | bạn là ai | Bạn có thể làm
gì? | check don hang giup minh voi | update gia moi nhat | review iphone 15 pro max di | so voi macbook thi sao
| con giá thì sao? | tiep di | nua di | thoi | duoc roi | dung roi | sai roi | khong phai | bao cao doanh so |
loi nhuan quy 1 | khach hang mua nhieu nhat | ti le hoan don | nhan vien kinh doanh tot nhat | phong trong thang
5 | gan cho ben thanh | co cho de xe | co cho nuoi meo khong | coc bao nhieu | o ghep | viem loi | chay mau chan
rang | rang bi lung lay | tay trang co hai khong | be 5 tuoi sau rang | quy trinh tuyen dung | bao hiem xa hoi |
gio lam viec | tang ca tinh luong the nao | wifi cong ty | reset mat khau email | xin nghi om | em muon mua
laptop duoi 15tr de hoc | lap nao ngon | may nao chay photoshop muot | ad oi | tu van | hoi ti | em hoi ti | gap
nhan vien | dia chi shop | mo cua may gio | ma loi 0x80070005 la gi
""")

ENGLISH = listed("""
hello | hi | please | how | what | hey there | good morning | warranty | check warranty | check my warranty
please | is ABC123 still under warranty? | laptop under 20 million | recommend a laptop for school | do you have
iphone 15 | price? | how much | any discount | can i get a discount | buy laptop | order status | where is my
order | total revenue this month | top 5 products | top 5 best selling products | compare this week with last
week | revenue by platform | show me sales in january | orders from shopee | room for rent near district 1 | 2
bedroom apartment | cheap room | tooth pain | my gums bleed | how long do braces take | teeth whitening cost |
leave policy | how many days off do i have | salary | remote work policy | thanks | thank you | ok thanks | bye
| who are you | what's your name | can you hangout with me | do you have a boyfriend | are you a bot | talk to a
human | hotline | i need help | help | help me | refund | return policy | my laptop won't turn on | screen is
broken | battery drains fast | where are you | opening hours | mechanical keyboard | wireless mouse | 27 inch
monitor | best bluetooth headphones | waranty chek | pls chek my warrnty | hw much is it | wat time u open | i
wanna buy a phone | gimme the cheapest one | tell me more | go on | yes | not that one | the second one |
more | show me | can i pay by card | do you ship to Hà Nội | room near Bến Thành market | What is the
phone number of Nguyễn Văn An? | list tenants in Quận 7 | laptop for my son to do homework | it is too hot | can
you do that to me | let me see | is it ok | on sale? | to be honest no | so can i | how about that | any room
under 5tr | dental implant price | does scaling hurt | wisdom tooth | annual leave | overtime pay | reset email
password | company wifi | hire process | profit q1 | best customer | return rate | show dashboard | sick leave |
am i late | do it | me too | as soon as possible | did you get it | i am in Hanoi | hi shop | hello can you help
| can you help me check bảo hành | what is bảo hành
""")


def share_right(messages: list[str], lang: str) -> float:
    wrong = [message for message in messages if detect(message) != lang]
    return 1 - len(wrong) / len(messages)


@pytest.mark.parametrize(
    ("message", "lang"),
    [
        ("Cho em hỏi máy này còn bảo hành không ạ?", "vi"),
        ("bao hanh", "vi"),
        ("khong", "vi"),
        ("dạ", "vi"),
        ("sp nay con bh ko shop", "vi"),
        ("hello", "en"),
        ("hi", "en"),
        ("please", "en"),
        ("how", "en"),
        ("what", "en"),
        ("Where is the Hồ Chí Minh City office?", "en"),
        ("what is bảo hành", "en"),
        ("check warranty giúp em với", "vi"),
    ],
)
def test_markers_of_the_documents_and_mixed_messages(message: str, lang: str) -> None:
    assert detect(message) == lang


@pytest.mark.parametrize(
    "message", ["", "   ", "no", "that", "ABC123", "12345", "👍", "iPhone 15 Pro Max", "こんにちは", "?!"]
)
def test_vietnamese_when_unsure(message: str) -> None:
    assert detect(message) == "vi"


@pytest.mark.parametrize(("messages", "lang"), [(VIETNAMESE, "vi"), (ENGLISH, "en")])
def test_short_messages_as_people_send_them(messages: list[str], lang: str) -> None:
    assert share_right(messages, lang) >= 0.98
    assert share_right([message.capitalize() for message in messages], lang) >= 0.98
    assert share_right([decomposed(message) for message in messages], lang) >= 0.98


_PAGES = Path(__file__).parents[2] / "data"
_MARKUP = re.compile(r"^---.*?^---", re.DOTALL | re.MULTILINE)


def phrases(lang: str, length: int) -> list[str]:
    """All runs of so many words of the sentences of our pages in one language, without accents."""
    found: set[str] = set()
    for page in chain(_PAGES.glob("dental/*.md"), _PAGES.glob("rag/*/*.md"), _PAGES.glob("knowledge/*.md")):
        if bool(re.search(r"(?:^|[-.])en(?:$|-)", page.stem)) != (lang == "en"):
            continue
        for sentence in re.split(r"[^\w\s]+|\n", _MARKUP.sub("", page.read_text("utf-8"))):
            typed = sentence.split()
            if lang == "en" and any(map(accents, typed)):
                continue
            found |= {fold(" ".join(typed[at : at + length])) for at in range(len(typed) - length + 1)}
    return sorted(found)


@pytest.mark.parametrize(
    ("lang", "length", "least"),
    [
        ("vi", 2, 0.98),
        ("vi", 3, 0.995),
        ("vi", 4, 0.997),
        ("vi", 5, 0.998),
        ("en", 2, 0.96),
        ("en", 3, 0.985),
        ("en", 4, 0.993),
        ("en", 5, 0.997),
    ],
)
def test_some_words_of_a_page_show_its_language(lang: str, length: int, least: float) -> None:
    several = phrases(lang, length)
    assert len(several) > 700
    assert share_right(several, lang) >= least


_SHARED = [word for word in read_lists(LEXICONS / "english.txt")["shared"] if " " not in word]
_PAIRS = {tuple(pair.split()) for pair in read_lists(LEXICONS / "english.txt")["shared"] if " " in pair}
_plain_words = st.lists(
    st.sampled_from([*_SHARED, "day", "mau", "dien", "lap", "giay"]), min_size=1, max_size=6
)


@given(_plain_words)
def test_words_that_both_languages_have_are_vietnamese_but_for_pairs_that_only_english_has(
    several: list[str],
) -> None:
    if not _PAIRS & set(pairwise(several)):
        assert detect(" ".join(several)) == "vi"


@given(_plain_words, st.sampled_from(["please", "which", "should", "without", "warranty"]))
def test_one_word_that_only_english_has_decides_between_words_of_both(several: list[str], word: str) -> None:
    shared = [one for one in several if one in _SHARED][:1]
    assert detect(" ".join([*shared, word])) == "en"


def test_weak_words_are_spelt_like_syllables() -> None:
    assert [word for word in _SHARED if not is_syllable(word)] == []


def test_vietnamese_without_accents_or_in_capitals() -> None:
    assert share_right([plain(message) for message in VIETNAMESE], "vi") >= 0.98
    assert share_right([plain(message).upper() for message in VIETNAMESE], "vi") >= 0.98


@pytest.mark.parametrize(("messages", "lang"), [(VIETNAMESE, "vi"), (ENGLISH, "en")])
def test_two_letters_swapped_anywhere_seldom_change_the_language(messages: list[str], lang: str) -> None:
    sentences = [message for message in messages if len(message.split()) >= 4]
    slipped = [
        slip(message, at)
        for message in sentences
        for at in range(len(message) - 1)
        if message[at : at + 2].isalpha()
    ]
    assert share_right(slipped, lang) >= 0.96


@given(anything)
def test_score_is_bounded_and_agrees_with_the_language(s: str) -> None:
    score = detect_score(s)
    assert -1 <= score <= 1
    assert detect(s) == ("en" if score < 0 else "vi")
    assert detect(decomposed(s)) == detect(s)


# Asking to go on in another language is noticed; merely naming one is not.


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
    start = time.thread_time()
    switch_request("english " * 20_000)
    assert time.thread_time() - start < 5


@pytest.mark.parametrize(
    ("text", "lang", "foreign"),
    [
        ("我很高兴为您服务", "vi", True),
        ("Xin chào! 我很高兴为您服务", "vi", True),
        ("Я рад помочь", "en", True),
        ("The weather is lovely today.", "vi", True),
        ("Hôm nay trời rất đẹp.", "en", True),
        ("Hôm nay trời rất đẹp.", "vi", False),
        ("1. Apple Watch Series Nine - 5", "vi", False),
        ("苹果 - 5 đơn", "vi", False),
        ("COD", "vi", False),
        ("", "vi", False),
    ],
)
def test_a_text_in_another_language_or_script_is_told_from_names_that_are_known(
    text: str, lang: Lang, foreign: bool
) -> None:
    assert is_foreign(text, lang, ["Sản phẩm: Apple Watch Series Nine | 苹果"]) is foreign
