"""The sentences of a note that are read out: by what means the same, by the kind of answer, and by the question before its topic."""

from __future__ import annotations

import pytest

from troly.text.catalogue import Lang
from troly.text.fold import fold
from troly_dental import notes
from troly_dental.lookup import PreviousTurn, option, with_subject
from troly_dental.memory.facts import find_facts
from troly_dental.safety import asks_of_clinic, wishes


@pytest.mark.parametrize(
    ("topic", "before", "question", "wanted"),
    [
        ("sealant", "Trám bít hố rãnh cho trẻ làm lúc mấy tuổi?", "làm cái đó có đau không", "không đau"),
        ("bridge", "cầu răng hay implant", "vệ sinh bên dưới bằng cái gì", "chỉ có đầu cứng"),
        ("retainer", "", "tháo niềng xong còn phải mang gì không", "Hàm duy trì giữ răng"),
        ("retainer", "", "phải đeo hàm duy trì như thế nào", "ban đêm"),
        ("retainer", "", "how should i wear my retainer", "at night"),
        ("flossing", "", "dùng chỉ nha khoa thế nào", "mỗi ngày một lần"),
        ("dry-mouth", "", "ngậm kẹo cho có nước miếng được không", "không đường"),
        ("braces", "người lớn niềng được không", "mất khoảng bao lâu vậy", "một năm rưỡi"),
        ("after-extraction", "vừa nhổ răng", "khi nào đánh răng lại được", "ngày thứ hai"),
        ("tmj", "", "hàm kêu lục cục mà không đau thì sao", "không cần điều trị"),
        ("gum-recession", "", "tại sao bị tụt vậy", "chải răng quá mạnh"),
        ("crown", "", "what is a crown", "a cap"),
        ("dentures", "my dentures are sore", "can I sleep in them", "night"),
        ("root-canal", "", "Lấy tủy răng có đau không?", "gây tê"),
        ("root-canal", "", "does a root canal hurt", "numbed"),
        ("scaling", "", "cạo vôi có ê lắm không", "hơi ê"),
        ("avulsed-tooth", "", "what should a knocked-out permanent tooth be kept in?", "milk"),
        ("avulsed-tooth", "", "răng vĩnh viễn bị văng thì ngâm vào gì", "sữa"),
        ("teething", "", "vòng hổ phách đeo cho bé được không", "hổ phách"),
    ],
)
def test_the_sentence_that_was_asked_for_is_read_out(
    topic: str, before: str, question: str, wanted: str
) -> None:
    lang: Lang = "en" if question.isascii() else "vi"
    text = notes.answer(notes.of_topics([topic], lang), question, f"{before} {question}", lang).text
    assert wanted in text


@pytest.mark.parametrize(
    ("question", "before", "topic"),
    [
        ("cho bé ngậm bình sữa lúc ngủ được không", (), "baby-teeth"),
        ("chồng em ngủ nghiến ken két, mua máng trên shopee được không", (), "bruxism"),
        ("hút thuốc có làm được không", ("implant",), "implant"),
        ("khi nào phải quay lại khám gấp", ("root-canal",), "root-canal"),
        ("thấy gì thì mới phải chạy đi viện", ("swallowed-object",), "swallowed-object"),
        ("con em nuốt luôn chiếc răng sữa đang lung lay", (), "swallowed-object"),
        ("nhổ xong bị đau nhói lan lên tai, hôi nữa", (), "dry-socket"),
        ("can I have a coke with my aligners in", (), "aligners"),
        ("nhiẹt miêng thì làm sao", (), "mouth-ulcer"),
    ],
)
def test_the_note_of_which_a_sentence_has_the_question_comes_first(
    question: str, before: tuple[str, ...], topic: str
) -> None:
    lang: Lang = "en" if question.isascii() else "vi"
    assert notes.ranked((), question, lang, before)[0].topic == topic


@pytest.mark.parametrize(
    "question",
    [
        "ngoài implant ra còn cách nào không",
        "mất khoảng bao lâu vậy",
        "thế còn cái kia",
        "giá vàng hôm nay",
        "trời mưa không",
    ],
)
def test_what_names_nothing_of_teeth_finds_no_note_by_chance(question: str) -> None:
    for asked in (question, fold(question)):
        assert notes.ranked((), asked, "vi") == ()
        assert not notes.is_answered(asked)


@pytest.mark.parametrize(
    ("said", "title"), [("cách đầu", "Cầu răng"), ("cái thứ hai", "implant"), ("cái cuối", "implant")]
)
def test_a_place_in_a_choice_is_what_stood_there(said: str, title: str) -> None:
    choice = "Mất răng hàm thì làm cầu răng hay cấy implant tốt hơn?"
    later = PreviousTurn("hút thuốc có sao không", dental=True, topic="hút thuốc có sao không")
    subject = with_subject(f"làm {said} thì vệ sinh ra sao", later, [choice, "hút thuốc có sao không"])
    assert title.lower() in subject.lower().split("làm ")[0]


@pytest.mark.parametrize(
    ("choice", "said", "title"),
    [
        ("implant, cầu răng, hàm giả cái nào bền", "cái thứ ba có đau không", "hàm giả"),
        ("cái nào rẻ hơn, cầu răng hay implant", "cái thứ hai bao lâu xong", "implant"),
        ("braces vs aligners vs veneers", "the third one", "veneer"),
        ("implant or bridge, which is better", "the third one", ""),
        ("implant hay cầu răng bền hơn, có đau không", "cái thứ hai", "cầu răng"),
    ],
)
def test_a_place_counts_what_was_named_and_nothing_else(choice: str, said: str, title: str) -> None:
    picked = option(said, [choice, "hút thuốc có sao không"])
    assert title in picked.lower()
    assert bool(picked) is bool(title)


@pytest.mark.parametrize("thing", ["niềng mắc cài", "trám răng", "bọc sứ"])
@pytest.mark.parametrize(
    ("which", "asked"), [("nhất", "mất bao lâu"), ("hai", "có đau ko"), ("ba", "kiêng ăn gì")]
)
def test_a_place_among_things_that_were_asked_at_once_is_of_these(thing: str, which: str, asked: str) -> None:
    said = f"Cho mình hỏi 3 cái: {thing} mất bao lâu, có đau ko, kiêng ăn gì?"
    picked = option(f"cái thứ {which} ấy, làm sao cho đỡ", ["hút thuốc có sao không", said])
    assert asked in picked
    # Only the last message; a place that nothing has; what was one question.
    assert option(f"cái thứ {which} ấy", [said, "cảm ơn nha"]) == ""
    assert option("cái thứ tư ấy", [said]) == ""
    assert option("cái thứ hai ấy", [f"{thing} mất bao lâu"]) == ""


@pytest.mark.parametrize(
    "question", ["does it hurt", "how long does it take", "are you sure", "do they stain"]
)
@pytest.mark.parametrize("before", [("root-canal", "extraction"), ("veneers", "tetracycline")])
def test_what_names_nothing_by_itself_goes_on_about_what_was_spoken_of(
    question: str, before: tuple[str, ...]
) -> None:
    others = notes.of_topics(["extraction", "tetracycline", "pulpitis"], "en")
    assert notes.ranked(others, question, "en", before)[0].topic == before[0]


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("can i still go to work", "work"),
        ("đang có kinh thì sao", "kinh"),
        ("lưỡi bản đồ là gì", "lưỡi bản đồ"),
    ],
)
def test_what_may_be_done_is_named_where_the_note_does_not_have_it(question: str, word: str) -> None:
    lang: Lang = "en" if question.isascii() else "vi"
    answer = notes.answer(notes.of_topics(["root-canal"], lang), question, question, lang)
    assert not answer.whole
    assert f"“{word}”" in answer.text


@pytest.mark.parametrize(
    ("asked", "here"),
    [
        ("book me an appointment tomorrow", True),
        ("phòng khám nào uy tín ở Cần Thơ", True),
        ("dat lich kham sang mai", True),
        ("đặt lịch 9h sáng mai", True),
        ("mai 3h chiều còn lịch không", True),
        ("cho em hẹn thứ 7 lúc 8h", True),
        ("đặt bàn 9h tối mai", False),
        ("book a flight to hanoi", False),
        ("đặt lịch họp phòng 3", False),
        ("khách sạn nào uy tín gần đây", False),
    ],
)
def test_a_visit_that_is_wished_for_is_no_other_matter(asked: str, here: bool) -> None:
    assert asks_of_clinic(asked) is here


@pytest.mark.parametrize(
    "asked", ["phòng khám mấy giờ mở cửa", "chủ nhật có làm không", "what time do you open"]
)
def test_opening_hours_are_a_wish_of_their_own(asked: str) -> None:
    assert "hours" in wishes(asked)
    assert wishes("mỗi tháng nên tự soi những chỗ nào") == ()


@pytest.mark.parametrize(
    "said",
    ["I take my trays out for dinner", "dấu hiệu ung thư miệng là gì", "what are the signs of diabetes"],
)
def test_what_is_taken_out_or_only_asked_of_is_no_fact(said: str) -> None:
    assert not [fact for fact in find_facts(said) if fact.kind in {"medicine", "disease"}]
