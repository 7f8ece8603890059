"""The language of a message is known with accents or without, with typing mistakes, in capitals."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.support.vietnamese import anything, decomposed, plain, slip
from troly.text.language import detect, detect_score


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
wanna buy a phone | gimme the cheapest one | tell me more | go on | no | yes | not that one | the second one |
more | that | show me | can i pay by card | do you ship to Hà Nội | room near Bến Thành market | What is the
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
    "message", ["", "   ", "ABC123", "12345", "👍", "iPhone 15 Pro Max", "こんにちは", "?!"]
)
def test_vietnamese_when_unsure(message: str) -> None:
    assert detect(message) == "vi"


@pytest.mark.parametrize(("messages", "lang"), [(VIETNAMESE, "vi"), (ENGLISH, "en")])
def test_short_messages_as_people_send_them(messages: list[str], lang: str) -> None:
    assert share_right(messages, lang) >= 0.98
    assert share_right([message.capitalize() for message in messages], lang) >= 0.98
    assert share_right([decomposed(message) for message in messages], lang) >= 0.98


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
