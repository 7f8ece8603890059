"""Words that mouths share with other trades: whose they are is told by what stands beside them, from lists."""

from __future__ import annotations

import pytest

from troly.text.fold import fold
from troly.text.wordlist import read_lists
from troly_dental.guard import danger, judge
from troly_dental.guard.spelling import LEXICONS

TOPICS = read_lists(LEXICONS / "topics.txt")
TRADES = read_lists(LEXICONS / "trades.txt")
SHARED = read_lists(LEXICONS / "shared.txt")


def test_every_shared_word_is_one_of_the_mouth_and_every_trade_is_listed() -> None:
    phrases = {one.lower() for label in ("dental", "bare", "weak") for one in TOPICS[label]}
    words = {word for label in ("bare", "weak") for one in TOPICS[label] for word in one.lower().split()}
    plural = {f"{one}s" for one in phrases | words}
    assert {word for word in SHARED if word not in phrases | words | plural} == set()
    assert {trade for trades in SHARED.values() for trade in trades} <= set(TRADES)


def test_no_trade_claims_a_word_of_the_mouth_outright() -> None:
    mouths = {one.lower() for label in ("dental", "bare", "field") for one in TOPICS[label]}
    claimed = {one for listed in TRADES.values() for one in listed if one.lower() in mouths}
    assert claimed == set()


@pytest.mark.parametrize(
    ("mouth", "elsewhere"),
    [
        ("Niềng có đau không?", "Niềng xe Vario giá bao nhiêu?"),
        ("Do braces hurt?", "Do braces go on their own line in this stylesheet?"),
        ("Răng bị mòn thì làm sao?", "Răng nhông xích bị mòn thì làm sao?"),
        ("How long do aligners take?", "How long do aligners take on a human genome?"),
        ("My crown is loose", "The crown of the oak tree is loose"),
        ("Bọc sứ bao nhiêu tiền?", "Chậu sứ trồng hoa lan bao nhiêu tiền?"),
        ("Viêm tủy có nguy hiểm không?", "Viêm tủy sống có nguy hiểm không?"),
        ("Implant có đau không?", "Implant nâng ngực có đau không?"),
        ("gãy răng thì làm sao", "máy bừa gãy răng thì làm sao"),
    ],
)
def test_what_stands_beside_a_word_tells_whose_it_is(mouth: str, elsewhere: str) -> None:
    assert judge(mouth).score >= 0.5
    assert judge(elsewhere).score < 0.5
    assert judge(fold(elsewhere)).score < 0.5


@pytest.mark.parametrize(
    "text",
    [
        "ăn bánh mì xong răng bị ê buốt",
        "đi xe đạp bị ê răng",
        "niềng răng có chơi kèn saxophone được không",
        "răng bé mọc hai hàng như cá mập",
        "my teeth hurt when I eat cake",
        "tôi sợ tiếng máy khoan răng",
        "lưỡi bản đồ có lây không",
    ],
)
def test_another_trade_beside_a_mouth_takes_nothing_away(text: str) -> None:
    assert judge(text).score >= 0.5


def test_a_question_about_a_matter_that_was_refused_is_refused_too() -> None:
    assert judge("thế có đau không", "Xăm hình ở lưng bao lâu thì lành?").score < 0.5
    assert judge("thế có đau không", "Nhổ răng khôn bao lâu thì lành?").score >= 0.5


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("chơi boxing nên đeo máng bảo vệ răng loại nào", None),
        ("chơi boxing bị gãy răng chảy máu", "trauma"),
        ("my filling fell out last night", None),
        ("my tooth fell out when I fell down the stairs", "knocked_out"),
        ("rang o vang co tay trang duoc khong", None),
        ("đau răng lan lên thái dương", None),
        ("răng sâu, sưng lan lên thái dương", "swelling"),
        ("rang sua bi sau co can tram khong ha bac si", None),
        ("hôm trước sưng má do răng, nay hết rồi, giờ nhổ được chưa", None),
        ("sưng má do răng, nay hết đau mà vẫn sưng", "swelling"),
    ],
)
def test_a_sign_counts_by_what_is_said_with_it(text: str, name: str | None) -> None:
    found = danger(text)
    assert (found.name if found else None) == name
