"""Dangers: none missed on the messages written for them and on ones put together here; none where it is denied or a figure."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from itertools import cycle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.modes.dental.guard.written_messages import WrittenMessage, flag_of, written
from troly.text.catalogue import LANGS, Lang
from troly.text.fold import fold
from troly.text.language import detect
from troly_dental.emergency import (
    _FIRST_AID,
    Emergency,
    asks_beside,
    plays_down,
    reply,
    still,
    without_contrary,
)
from troly_dental.guard import advice, danger, follow_up
from troly_dental.guard.danger import NAMES
from troly_dental.notes import of_topics
from troly_dental.sentences import sentences_of

MESSAGES = written("danger_messages")


def is_over(text: str, *, until_seen: bool = False, choked: bool = False) -> bool:
    return follow_up(text) == "seen" or (follow_up(text) == "eased" and not until_seen)


def is_called_off(text: str, earlier: object = None) -> bool:
    return follow_up(text) == "nobody"


def is_helped(text: str) -> bool:
    return follow_up(text) == "helped"


def test_no_red_flag_is_missed() -> None:
    flags = [one for one in MESSAGES if one.wanted != "-"]
    assert len(flags) >= 280
    assert [one.text for one in flags if flag_of(one) is None] == []
    assert sum(flag_of(one) == one.wanted for one in flags) / len(flags) >= 0.95


def test_few_alarms_are_false() -> None:
    quiet = [one for one in MESSAGES if one.wanted == "-"]
    assert len(quiet) >= 90
    assert sum(flag_of(one) is not None for one in quiet) <= 1


@pytest.mark.parametrize(
    ("before", "text", "name"),
    [
        (["đau răng ba hôm nay"], "giờ khó thở nữa", "breathing"),
        (["dau rang", "uong thuoc giam dau roi"], "gio kho tho nua", "breathing"),
        (["my molar hurts"], "now I can't swallow", "breathing"),
        (["mới nhổ răng khôn"], "máu chảy hoài không cầm", "bleeding"),
        ([], "giờ khó thở nữa", "breathing"),
        (["tiêm tê hôm qua"], "tim đập nhanh, người nổi mề đay", "allergy"),
        (["bài hát nào hay"], "khó thở là của ca sĩ nào", None),
    ],
)
def test_earlier_messages_say_what_it_is_about(before: list[str], text: str, name: str | None) -> None:
    found = danger(text, before)
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("text", "flagged"),
    [
        ("đau răng nhưng không bị sốt", False),
        ("đau răng, uống thuốc rồi mà vẫn chưa hết sốt", True),
        ("sưng mặt do răng nay đã xẹp", False),
        ("uống kháng sinh mà mặt không đỡ sưng, răng vẫn đau", True),
        ("nếu sau nhổ răng bị sốt thì sao", False),
        ("nếu bị sốt thì sao, vì giờ em đang sốt và đau răng", True),
        ("năm ngoái em bị sưng mặt do răng khôn", False),
        ("năm ngoái em trám răng, giờ mặt sưng to", True),
        ("con mèo nhà tôi gãy răng, chảy máu không cầm", False),
        ("tôi bị chó cắn vào mặt, máu chảy không ngừng, gãy răng", True),
        ("thở bằng bụng khi tập yoga", False),
        ("máu chảy về tim theo tĩnh mạch", False),
        ("not sure if it is infected but my face is swollen, tooth hurts", True),
        ("I have no fever or swelling, only a chipped tooth", False),
        ("hồi nhỏ chích tê bị đau nên giờ nghe tiếng khoan là tim đập thình thịch", False),
        ("I had a shot once, now my heart races at the sound of the drill", False),
        ("vừa chích tê xong tim đập thình thịch, chóng mặt", True),
        ("My niece choked on a grape and turned blue when she was two. She is nine now.", False),
        ("My niece choked on a grape and turned blue, she is two", True),
        ("con em đang hóc thạch, làm sao", True),
        ("nếu bé hóc kẹo thì làm sao", False),
        ("con bị hóc mà nó khạc ra rồi, giờ chơi bình thường", False),
        ("nãy hàm trái nhói, tê xuống cánh tay, mồ hôi vã ra lạnh ngắt", True),
        ("răng bị văng ra, ngâm gì vậy", True),
        ("Con trai tôi đá bóng bị văng chiếc răng cửa ra ngoài. Phải giữ răng đó thế nào?", True),
    ],
)
def test_denied_supposed_and_past_signs_are_no_flags(text: str, flagged: bool) -> None:
    assert (danger(text) is not None) is flagged


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lang", LANGS)
def test_every_flag_has_advice_that_says_where_to_go(name: str, lang: Lang) -> None:
    said = advice(name, lang)
    assert "115" in said
    assert ("cấp cứu" in said.lower()) if lang == "vi" else ("emergency" in said)
    assert " mg" not in said


def test_the_advice_for_a_knocked_out_tooth_names_crown_milk_and_time() -> None:
    assert all(word in advice("knocked_out", "vi") for word in ("thân răng", "sữa", "nước bọt", "30-60 phút"))
    assert all(word in advice("knocked_out", "en") for word in ("crown", "milk", "saliva", "30-60 minutes"))


@pytest.mark.parametrize(
    ("lang", "words"),
    [("vi", ("vỗ", "ấn", "Dưới 1 tuổi", "115")), ("en", ("back blows", "thrusts", "Under 1 year", "115"))],
)
def test_a_small_child_that_cannot_cry_gets_the_steps_for_choking_by_age(
    lang: Lang, words: tuple[str, ...]
) -> None:
    for said in ("bé 18 tháng mặt tím, không khóc được", "my toddler went blue and cannot cry"):
        told = reply(said, [], None, datetime(2026, 11, 23, tzinfo=UTC), lang)
        assert told is not None
        assert all(word in told.text for word in words)


@pytest.mark.parametrize("text", ["can't get it back in, too sore", "gắn lại không được, đau quá rồi"])
def test_who_tells_how_it_goes_hears_the_next_step_whichever_it_is(text: str) -> None:
    present = Emergency("knocked_out", datetime(2026, 11, 23, tzinfo=UTC))
    lang = detect(text)
    card = [line for line in advice("knocked_out", lang).splitlines() if line.startswith("- ")]
    assert set(card) <= set(still(text, present, lang).splitlines())


# Put together from words that are chosen here, not taken from the lists: who, when, what, how it is said.
WHO = ("tôi", "mẹ em", "thằng cu nhà mình", "ông ngoại", "bạn cùng phòng")
BEGINS = ("", "bác sĩ ơi ", "cho hỏi ", "mọi người ơi cứu với ", "hic, ")
WHEN = ("", "nãy giờ ", "sáng nay ", "từ hôm qua ", "mới đây ")
ENDS = ("", ", lo quá", ", giờ sao đây", ", có sao không ạ", " help me")
DANGERS: dict[str, tuple[str, ...]] = {
    "poisoning": ("{who} lỡ uống 16 viên panadol vì răng đau", "{who} vừa uống nhầm chai nước tẩy", "{who} nuốt hết lọ thuốc giảm đau rồi", "{who} uống nước súc miệng rồi đi loạng choạng", "{who} tu nước súc miệng xong nôn hoài", "{who} uống 20 viên paracetamol cách đây 2 tiếng", "{who} uống lộn viên tiểu đường tưởng thuốc đau răng"),
    "allergy": ("{who} chích thuốc tê xong nổi mẩn ngứa khắp người", "{who} vừa uống kháng sinh, giờ nổi mề đay đầy tay", "{who} chích tê xong nổi mề đay rồi thở không nổi", "{who} uống kháng sinh xong nổi mẩn khắp người, bất tỉnh luôn"),
    "choking": ("{who} ăn nho bị hóc, mặt tím ngắt", "{who} mắc nghẹn miếng thịt không nói được", "{who} đang ăn kẹo thì không thở được, tím tái", "{who} bị cục bánh dẻo chẹn họng, người tím lại", "{who} đang nhai thì ôm cổ, mặt xanh lè, không nói được"),
    "chest": ("{who} đau hàm kèm nặng ngực", "{who} đau hàm trái lan xuống cánh tay, toát mồ hôi lạnh"),
    "object": ("{who} nuốt phải cái mão răng", "{who} hít luôn cái mắc cài vào phổi", "mảnh răng tuột vào họng {who} rồi", "khúc xương nhỏ chặn ngang cổ {who}, nuốt nước bọt cũng không xong"),
    "self_harm": ("{who} đau răng riết chỉ muốn tự tử", "{who} bảo không muốn sống nữa vì cái răng", "{who} viết thư để lại cho cả nhà rồi", "{who} gom đủ thuốc ngủ để kết thúc", "{who} chỉ muốn ngủ luôn không bao giờ dậy nữa", "chắc tối nay {who} uống hết lọ thuốc ngủ để khỏi thức dậy nữa"),
    "nerve": ("{who} nhổ răng 3 ngày rồi mà môi vẫn tê", "{who} chữa răng xong mắt không nhắm được mắt", "{who} hàm tê rồi tay trái tê luôn, cười thấy lệch một bên"),
    "bleeding": ("{who} nhổ răng từ trưa mà máu không ngừng", "chỗ nhổ của {who} máu chảy ướt đẫm gối"),
    "fever": ("{who} nhổ răng khôn hôm kia, nay sốt 39", "lợi {who} có mủ, người ớn lạnh"),
    "swelling": ("răng sâu, {who} sưng vù cả mặt", "{who} sưng hàm lan xuống cổ"),
    "breathing": ("{who} sưng hàm, thở không nổi", "răng khôn hành, {who} nuốt nước bọt không được", "{who} thở không ra hơi"),
    "knocked_out": ("{who} té xe văng mất cái răng cửa", "{who} bị đánh, răng bay ra ngoài"),
    "trauma": ("{who} bị đấm gãy hàm", "{who} ngã cầu thang, răng lung lay chảy máu", "{who} bị đấm xong cắn không khớp"),
}  # fmt: skip
HARMLESS = (
    "{who} ngã giá niềng răng mãi mà họ không bớt", "{who} nghe báo giá implant xong muốn xỉu", "{who} không sốt, không sưng, chỉ ê răng",
    "hồi nhỏ {who} từng té gãy răng, giờ muốn bọc sứ", "{who} cười muốn ngất vì ông nha sĩ kể chuyện", "{who} sợ muốn chết mỗi lần nghe tiếng khoan răng",
    "nếu {who} nhổ răng mà bị sốt thì sao", "{who} uống 2 viên paracetamol được không", "mão răng của {who} bị rớt khi nhai kẹo",
    "{who} dị ứng penicillin, hồi trước uống là nổi mẩn", "bác sĩ kê {who} 14 viên kháng sinh uống 7 ngày", "{who} nằm mơ thấy rụng hết răng",
    "{who} đau răng muốn ngất luôn", "{who} muốn nâng ngực có ảnh hưởng niềng răng không", "{who} muon nang nguc co anh huong nieng rang khong", "má {who} chỉ hơi sưng, không sốt", "{who} sợ gây mê rồi không tỉnh lại",
    "{who} dùng chlorhexidine lâu có bị ố răng không", "răng giả của {who} rớt xuống bồn bể rồi, làm lại bao lâu", "hôm bữa {who} té mẻ răng, mảnh vỡ còn giữ, gắn lại được không", "{who} uống aspirin, có nên ngừng thuốc sau nhổ răng cho chóng cầm máu không",
    "{who} thèm chết mấy món chua mà đang niềng", "bị gãy răng cách đây 10 năm, giờ {who} trồng implant được không", "chích tê xong môi {who} tê vều ra bao lâu hết", "{who} đau răng khóc ngất, giờ trám rồi khỏe", "bọc sứ rồi bên trong có bị sâu nữa không {who}",
)  # fmt: skip
# The same signs asked of in general, of money, or said of cloth.
SIGNS = (
    "sốt cao", "sưng mặt", "chảy máu", "ngất xỉu", "co giật", "khó thở", "nổi mề đay", "méo miệng", "sưng má", "tê môi",
)  # fmt: skip
FRAMES = (
    "bé mọc răng mà {sign} là thật hay đồn vậy", "có đúng là nhổ răng thì hay bị {sign}", "dấu hiệu {sign} do răng là như thế nào",
    "nguyên nhân {sign} khi mọc răng khôn", "cách phòng {sign} sau nhổ răng", "nếu bị {sign} sau nhổ răng thì làm gì",
    "mấy tuổi nhổ răng thì hết sợ {sign}", "sơ cứu {sign} do răng thế nào", "bảo hiểm có trả tiền {sign} do răng không",
    "năm ngoái em bị {sign} do răng khôn", "sau nhổ răng không bị {sign}", "em mơ thấy mình {sign} trong phòng nha",
    "con mèo nhà em bị {sign} do răng", "nghe nói nhổ răng khôn bị {sign}", "thuốc tê có gây {sign} không",
    "hôm qua {sign} sau nhổ răng, nay hết rồi", "hôm bữa em {sign} sau khi nhổ răng, hết từ tuần trước rồi",
    "nhổ răng xong có {sign} nhưng giờ hết hẳn rồi", "sau nhổ răng em có {sign}, giờ ổn rồi ạ", "em hết {sign} rồi, giờ ăn gì được sau nhổ răng",
    "đã hết {sign} từ tối qua, nhổ răng hôm kia", "mấy hôm trước nhổ răng bị {sign}, đi khám bác sĩ rồi, giờ bình thường",
    "nhổ răng xong không còn {sign} nữa", "nhổ răng chưa thấy {sign} gì", "hồi đó nhổ răng em cũng {sign}, lần này nhổ có cần lo không",
    "lỡ nhổ răng xong bị {sign} thì sao", "nhổ răng sợ nhất là {sign}", "tại sao nhổ răng lại {sign}", "vì sao người ta {sign} sau khi nhổ răng",
    "bạn em nhổ răng năm ngoái bị {sign}", "bạn em kể nhổ răng bị {sign} cả tuần", "nhổ răng có hay {sign} không bác sĩ",
    "em đang viết bài về {sign} sau nhổ răng", "tôi ôn thi, hỏi cho biết thôi: nhổ răng bị {sign} thì sao", "trẻ nhổ răng {sign} thì có nguy hiểm không", "nhổ răng {sign} là bình thường phải không",
    "em hay {sign}, nhổ răng được không", "em bị {sign} sau nhổ răng, rạch mủ xong, đã khỏi rồi", "khi nào {sign} sau nhổ răng mới cần đi viện",
    "trước khi nhổ răng làm gì để không {sign}", "năm ngoái em bị {sign} do nhổ răng khôn, giờ muốn bọc sứ",
)  # fmt: skip
FRAMES_EN = (
    "is it true that wisdom teeth cause {sign}", "what are the signs of {sign} after an extraction", "how to prevent {sign} after an extraction",
    "what if I get {sign} after the extraction", "no {sign} after my extraction", "last year I had {sign} from a tooth",
    "does insurance pay for {sign} from a tooth", "I had {sign} after the extraction yesterday but it's gone now",
    "the {sign} after my extraction stopped last night", "no more {sign} since the extraction", "why do people get {sign} after an extraction",
    "{sign} after my extraction went away two days ago, can I eat spicy food", "should I expect {sign} after an extraction",
    "my friend had {sign} after an extraction last year", "I don't have {sign}, just an extraction yesterday",
    "when is {sign} after an extraction an emergency?",
)  # fmt: skip
SIGNS_EN = (
    "fever", "facial swelling", "bleeding", "heavy bleeding", "hives", "fainting", "seizures", "trouble breathing", "trouble swallowing",
)  # fmt: skip
# The same signs of somebody now, whatever is said beside them.
THERE = (
    "nhổ răng xong {sign}", "nhổ răng mấy hôm, tự nhiên {sign}", "nhổ răng tối qua, sáng nay {sign}", "{sign} sau nhổ răng 2 ngày vẫn chưa hết",
    "nhổ răng hôm qua có {sign}, uống thuốc đỡ, giờ {sign} lại", "bác sĩ khám rồi mà {sign} vẫn không hết, nhổ răng hôm kia",
    "vừa nhổ răng, đang {sign} giúp em với", "nhổ răng xong {sign} có sao không", "mẹ em nhổ răng xong {sign}, phải làm sao",
    "tại sao em nhổ răng xong lại {sign}", "lỡ nhổ răng rồi giờ {sign} thì làm sao",
)  # fmt: skip


@given(
    st.sampled_from([(name, one) for name, listed in DANGERS.items() for one in listed]),
    st.sampled_from(WHO),
    st.tuples(st.sampled_from(BEGINS), st.sampled_from(WHEN)).map("".join),
    st.sampled_from(ENDS),
    st.booleans(),
)
@settings(max_examples=100, deadline=None)
def test_a_danger_is_one_whoever_has_it_whenever_and_however_it_is_typed(
    told: tuple[str, str], who: str, begins: str, ends: str, bare: bool
) -> None:
    text = begins + told[1].format(who=who) + ends
    assert danger(fold(text) if bare else text) is not None, text


@given(st.sampled_from(HARMLESS), st.sampled_from(WHO), st.sampled_from(BEGINS))
@settings(max_examples=100, deadline=None)
def test_figures_bargaining_and_what_is_over_raise_nothing(told: str, who: str, begins: str) -> None:
    assert danger(begins + told.format(who=who)) is None


def test_a_sign_asked_of_in_general_denied_over_or_past_is_no_event() -> None:
    told = [
        begins + frame.format(sign=sign)
        for begins, frame in zip(cycle(("", "bác sĩ ơi ", "cho em hỏi ")), FRAMES, strict=False)
        for sign in SIGNS
    ]
    told += [frame.format(sign=sign) for frame in FRAMES_EN for sign in SIGNS_EN]
    assert [text for text in (*told, *map(fold, told)) if danger(text) is not None] == []


def test_a_sign_that_is_there_is_one_however_it_is_told() -> None:
    told = [there.format(sign=sign) for there in THERE for sign in SIGNS if sign != "tê môi"]
    assert [text for text in (*told, *map(fold, told)) if danger(text) is None] == []


@pytest.mark.parametrize("drug", ["paracetamol", "panadol", "efferalgan", "ibuprofen"])
@pytest.mark.parametrize("there", ["{n}v {drug}", "{n} viên {drug} 500", "{drug} 500 {n} viên"])
def test_many_pills_with_what_they_do_are_an_overdose(drug: str, there: str) -> None:
    taken = there.format(n=6, drug=drug)
    for text in (f"uống {taken} mà vẫn nhức, giờ mắc ói", f"uống {taken} với rượu, giờ ói liên tục"):
        assert danger(text) is not None
        assert danger(fold(text)) is not None
    assert danger(f"uống {there.format(n=10, drug=drug)} trong 1 tiếng có sao không") is not None
    assert danger(f"uống {there.format(n=2, drug=drug)} có sao không") is None


@pytest.mark.parametrize("what", ["cái mắc cài", "8 viên panadol của bà", "chai nước tẩy", "cái mão răng"])
@pytest.mark.parametrize("well", ["giờ bình thường", "vẫn chơi bình thường", "giờ ổn rồi", "không sao"])
def test_what_was_swallowed_is_not_over_because_one_feels_well(what: str, well: str) -> None:
    assert danger(f"bé nuốt nhầm {what}, {well}") is not None
    assert danger(f"bé nuốt nhầm {what}, {well}, bác sĩ khám rồi nói ổn rồi") is None


@pytest.mark.parametrize("what", ["viên pin cúc áo", "cục pin tròn", "viên nam châm"])
@pytest.mark.parametrize("child", ["bé nhà mình", "thằng cu 2 tuổi", "con em"])
def test_a_battery_or_magnet_that_a_child_had_and_is_missing_may_be_inside(child: str, what: str) -> None:
    for text in (
        f"{child} chơi remote, đếm lại thiếu một {what}",
        f"{child} ngồi chơi, không thấy {what} đâu",
    ):
        assert danger(text) is not None
        assert danger(fold(text)) is not None


@pytest.mark.parametrize("amount", ["một chút xíu", "chút ít", "một tí"])
def test_a_little_toothpaste_swallowed_is_no_poisoning_where_one_is_well(amount: str) -> None:
    assert (
        danger(f"bé 4 tuổi đánh răng lỡ nuốt {amount} kem đánh răng, bé vẫn bình thường, có sao không")
        is None
    )
    assert danger("bé 4 tuổi lỡ uống cả bình nước tẩy, bé vẫn bình thường") is not None


@pytest.mark.parametrize("what", ["gì đâu", "phải cái mắc cài", "cái mão răng"])
def test_what_was_not_swallowed_is_no_danger(what: str) -> None:
    assert danger(f"bé không nuốt {what}, chỉ ngậm bàn chải thôi") is None


@pytest.mark.parametrize("span", ["nửa tiếng", "một tiếng", "30 phút"])
@pytest.mark.parametrize("skin", ["nổi mẩn đỏ đầy tay chân", "ngứa khắp người", "nổi mề đay"])
def test_a_reaction_soon_after_a_medicine_is_one_wherever_it_shows(span: str, skin: str) -> None:
    assert danger(f"uống amoxicillin được {span} thì {skin}") is not None
    assert danger(f"uống amoxicillin được {span} thì {skin}, khó thở nữa") is not None


@given(
    st.sampled_from(SIGNS[:6]),
    st.sampled_from(("cách nào cho hết", "có đúng là nguy hiểm không", "bảo hiểm có trả không")),
)
@settings(max_examples=20, deadline=None)
def test_a_sign_that_is_there_now_counts_beside_a_general_question(sign: str, asked: str) -> None:
    assert danger(f"em nhổ răng khôn, giờ đang {sign} dữ dội, {asked}") is not None


@given(
    st.integers(9, 60),
    st.sampled_from(["viên", "pills", "tablets"]),
    st.sampled_from(["paracetamol", "ibuprofen", "panadol"]),
)
@settings(max_examples=40, deadline=None)
def test_more_pills_than_a_label_allows_are_an_overdose(count: int, unit: str, medicine: str) -> None:
    text = f"tôi uống {count} {unit} {medicine}" if unit == "viên" else f"I took {count} {unit} of {medicine}"
    found = danger(f"{text}, đau răng quá" if unit == "viên" else f"{text}, my tooth hurts")
    assert found is not None
    assert found.name == "poisoning"


@pytest.mark.parametrize(
    ("told", "taken_back", "off"),
    [
        (
            "má em sưng vù, sốt 39, sưng xuống cả cổ, khó thở",
            "à nhầm, không phải khó thở mà là khó nuốt, mai đi được chứ",
            False,
        ),
        (
            "mẹ tôi khó thở sau khi tiêm tê, nổi mề đay khắp người",
            "nói nhầm, không khó thở, chỉ nổi mề đay thôi",
            False,
        ),
        (
            "em chảy máu không cầm sau nhổ răng, chóng mặt",
            "à không, không chóng mặt, chỉ chảy máu thôi",
            False,
        ),
        (
            "my cheek is swollen down to the neck, fever 39, i can't breathe",
            "sorry, not breathless, i meant it hurts",
            False,
        ),
        ("con em nuốt viên pin cúc áo", "à nhầm, bé không nuốt, nó để trong túi áo", True),
        ("mẹ em khó thở", "à nhầm, mẹ không khó thở", True),
    ],
)
def test_a_sign_taken_back_leaves_the_others_that_were_told(told: str, taken_back: str, *, off: bool) -> None:
    for first, then in ((told, taken_back), (fold(told), fold(taken_back))):
        assert is_called_off(then, [first]) is off, then


@pytest.mark.parametrize(
    ("before", "then", "bleeds"),
    [
        ("dạo này cứ đánh răng là ra máu", "chải v mà mấy tuần ko hết thì đi khám", False),
        ("every time i brush my gums bleed", "it still does not stop", False),
        ("sau nhổ răng máu chảy từ sáng", "cắn gạc rồi mà không cầm", True),
        ("nhổ răng xong chảy máu", "vẫn không cầm", True),
        ("đánh răng là ra máu", "máu chảy ướt cả gối không cầm được", True),
    ],
)
def test_gums_that_bleed_when_brushed_are_no_bleeding_that_has_to_stop(
    before: str, then: str, *, bleeds: bool
) -> None:
    for first, text in ((before, then), (fold(before), fold(then))):
        assert bool(danger(first) or danger(text, [first])) is bleeds, text


@pytest.mark.parametrize("doctor", ["bs", "bác sĩ", "nha sĩ"])
@pytest.mark.parametrize("slip", ["lỡ", "nhỡ"])
def test_in_case_a_doctor_prescribes_is_no_slip(doctor: str, slip: str) -> None:
    for text in (f"nhổ xong {slip} {doctor} kê amoxicillin thì mình uống luôn được không",):
        assert danger(text) is None
        assert danger(fold(text)) is None


@pytest.mark.parametrize("whole", ["cả", "hết cả", "nguyên", "trọn", "hết sạch", "hết nguyên"])
@pytest.mark.parametrize("container", ["vỉ", "lọ", "hộp", "gói", "bịch", "chai"])
def test_a_whole_container_of_medicine_is_an_overdose_of_cigarettes_a_habit(
    whole: str, container: str
) -> None:
    for typed in (
        f"tôi uống {whole} {container} thuốc giảm đau rồi",
        f"mẹ em uống {whole} {container} panadol",
    ):
        for text in (typed, fold(typed)):
            assert danger(text), text
    habit = f"tôi hút thuốc mỗi ngày {whole} {container}, có phải cạo vôi dày hơn không"
    for text in (habit, fold(habit)):
        assert danger(text) is None, text


@pytest.mark.parametrize("between", [1, 4, 8])
def test_an_extraction_is_remembered_over_the_whole_conversation(between: int) -> None:
    earlier = ["I had a wisdom tooth out yesterday", *["what can I eat"] * between]
    found = danger("I have a fever of 38.5", earlier)
    assert found is not None
    assert found.name == "fever"


@pytest.mark.parametrize(("text", "over"), [("máu cầm rồi", True), ("bác sĩ khám rồi ạ", True), ("it has stopped", True), ("máu chưa cầm", False), ("đang trên đường đi", False), ("giờ phải làm sao", False), ("nha sĩ cắm lại răng cho bé xong rồi", True), ("bv khám rồi nắn lại r", True), ("chưa gặp bác sĩ", False), ("the dentist already put it back", True), ("waiting for the doctor", False)])  # fmt: skip
def test_what_is_over_is_said_so(text: str, over: bool) -> None:
    assert is_over(text) is over


@pytest.mark.parametrize(("text", "over"), [("hết ho rồi, đỡ rồi", False), ("she is fine now", False), ("bác sĩ khám rồi ạ", True), ("they kept me overnight and sent me home", True)])  # fmt: skip
def test_what_went_down_the_throat_is_looked_for_though_the_cough_has_eased(text: str, over: bool) -> None:
    assert is_over(text, until_seen=True) is over


@pytest.mark.parametrize("price", ["cái giá này", "mức giá đó", "báo giá niềng"])
def test_a_price_that_cannot_be_swallowed_is_a_saying(price: str) -> None:
    assert danger(f"nuốt không trôi {price} luôn á, răng này làm cách khác được không") is None
    assert danger("răng hàm sưng, nuốt không trôi nước luôn") is not None


@given(st.text(max_size=300), st.lists(st.text(max_size=60), max_size=3))
@settings(max_examples=60, deadline=None)
def test_any_text_is_read(text: str, before: list[str]) -> None:
    found = danger(text, before)
    assert found is None or found.name in NAMES


@given(st.sampled_from(MESSAGES))
@settings(max_examples=80, deadline=None)
def test_normal_form_does_not_change_a_flag(one: object) -> None:
    text: str = one.text  # type: ignore[attr-defined]
    before: list[str] = [one.before] if one.before else []  # type: ignore[attr-defined]
    assert danger(unicodedata.normalize("NFD", text), before) == danger(text, before)


def test_a_flag_in_a_long_story_is_found() -> None:
    story = "Em kể thêm cho rõ. " * 2600
    assert danger(f"Mặt em sưng to do răng. {story}") is not None
    assert danger(f"{story} Giờ mặt em sưng to do răng.") is not None


def test_without_accents_few_flags_are_missed_and_few_are_false() -> None:
    flags = [one for one in MESSAGES if one.wanted != "-"]
    missed = [one.text for one in flags if flag_of(bare(one)) is None]
    assert len(missed) / len(flags) <= 0.012
    quiet = [one for one in (*MESSAGES, *written("guard_messages")) if one.wanted in {"-", "none", "dental"}]
    false = [one.text for one in quiet if flag_of(bare(one)) is not None and flag_of(one) is None]
    assert len(quiet) >= 900
    assert len(false) / len(quiet) <= 0.01


def bare(one: WrittenMessage) -> WrittenMessage:
    """The message as one writes who types no accents."""
    return WrittenMessage(one.wanted, fold(one.before) if one.before else None, fold(one.text))


HELPERS = ("bác sĩ", "nha sĩ", "phòng khám", "bệnh viện")
NOTHING = (
    "không ai bị gì",
    "chưa ai bị",
    "em chỉ hỏi thôi",
    "bạn hiểu lầm rồi",
    "nobody is ill",
    "just asking",
)


@pytest.mark.parametrize("said", NOTHING)
def test_an_emergency_is_called_off_in_so_many_words_and_by_no_doubt(said: str) -> None:
    assert is_called_off(said)
    assert is_called_off(f"{fold(said)}, cạo vôi bao lâu một lần?")
    assert not is_called_off(f"{said}?")
    assert not is_called_off(f"chắc {said}")
    assert not any(is_called_off(one) for one in ("chắc không sao đâu", "em ổn", "kệ em", "never mind"))


TAKEN_BACK = (
    "em nói nhầm", "tôi nói giỡn thôi", "chuyện hồi trước rồi", "à không, ý tôi là kiểu ví von", "không có nuốt, nó nằm trong hộp",
    "no wait, he didn't swallow it", "sorry, I was only asking about it", "that was last year",
)  # fmt: skip
STILL = (
    "không, ý tôi là đau lắm", "không, mẹ vẫn khó thở", "không phải em, chồng em bị", "không, bé không ho nữa",
    "không, bé không nuốt được nước", "không, năm ngoái cũng bị một lần", "I mean it is bleeding a lot", "không, em không uống rượu",
    "không, hồi trước không bị vậy bao giờ", "không phải kẹo, là hạt đậu", "à không, 18 viên",
)  # fmt: skip


@pytest.mark.parametrize(
    "told",
    [
        "bé nuốt viên bi",
        "my son swallowed a coin",
        "mẹ sưng mặt, khó thở",
        "em uống 20 viên panadol",
        "nhổ răng máu chảy hoài không cầm",
    ],
)
def test_what_was_written_is_taken_back_and_what_is_there_stays(told: str) -> None:
    swallowed = "nuốt" in told or "swallow" in told
    for said in TAKEN_BACK:
        if swallowed or ("swallow" not in said and "nuốt" not in said):
            assert is_called_off(said, [told]), said
            assert is_called_off(f"{fold(said)}. tram rang mat bao lau", [told]), said
    for said in STILL:
        assert not is_called_off(said, [told]), said


@pytest.mark.parametrize("asked", ["Trám răng mất bao lâu?", "nieng rang co dau khong"])
def test_a_question_after_a_false_alarm_is_answered_with_when_to_call(asked: str) -> None:
    now, told = datetime(2026, 11, 22, tzinfo=UTC), "tôi khó thở, má sưng to"
    first = reply(told, [], None, now, "vi")
    assert first is not None
    for said, over in (("em nói nhầm", True), ("hết rồi", False)):
        later = reply(f"{said}. {asked}", [told], first.emergency, now, "vi")
        assert later is not None
        assert (later.emergency is None) is over
        assert later.aside is not over
        assert "115" in later.text
    gentle = reply("em muốn chết cho rồi", [], None, now, "vi")
    assert gentle is not None
    for said, over in (("em nói giỡn thôi", False), ("không ai bị gì", True)):
        after = reply(f"{said}. {asked}", ["em muốn chết cho rồi"], gentle.emergency, now, "vi")
        assert after is not None
        assert (after.emergency is None) is over
    stays = reply(f"vẫn khó thở lắm. {asked}", [told], first.emergency, now, "vi")
    assert stays is not None
    assert stays.emergency is not None
    assert not stays.aside


AWAY = ("tắt máy rồi", "đóng cửa rồi", "về rồi", "nghỉ lễ rồi", "đông quá rồi", "hết giờ rồi", "xa lắm rồi")
CARE = (
    "khám rồi",
    "khâu lại rồi",
    "cắm lại cho bé rồi",
    "xử lý xong rồi",
    "đã cầm máu xong",
    "cho thuốc rồi",
)


@given(st.sampled_from(HELPERS), st.sampled_from(AWAY), st.booleans())
def test_an_emergency_is_not_over_because_nobody_is_there(helper: str, away: str, plain: bool) -> None:
    text = f"mà {helper} {away}, làm sao giờ"
    assert not is_over(fold(text) if plain else text)


@given(st.sampled_from(HELPERS), st.sampled_from(CARE))
def test_an_emergency_is_over_once_it_was_seen_to(helper: str, care: str) -> None:
    assert is_over(f"{helper} {care}", until_seen=True)


@given(
    st.sampled_from(["paracetamol", "efferalgan", "panadol"]),
    st.integers(1, 12),
    st.integers(1, 3),
    st.booleans(),
)
def test_doses_that_come_too_often_are_an_overdose(drug: str, hours: int, pills: int, plain: bool) -> None:
    text = f"từ hôm qua cứ {hours} tiếng tôi uống {pills} viên {drug} 500"
    found = danger(fold(text) if plain else text)
    assert (found is not None and found.name == "poisoning") == (pills * 24 / hours > 8)


SIGN_AFTER = ("chảy máu hoài không cầm", "sưng to cả mặt", "sốt cao 39 độ", "tê môi mãi không hết")


@given(
    st.sampled_from(["tuần sau", "ngày mai", "tháng tới"]),
    st.sampled_from(SIGN_AFTER),
    st.sampled_from(["thì sao", "thì phải làm sao"]),
    st.booleans(),
)
@settings(max_examples=24, deadline=None)
def test_what_may_follow_a_treatment_to_come_is_none_unless_it_is_there_now(
    when: str, sign: str, asked: str, plain: bool
) -> None:
    feared = f"{when} em mới nhổ răng, lỡ {sign} {asked}"
    there = f"{when} em mới nhổ răng mà giờ đang {sign} {asked}"
    assert danger(fold(feared) if plain else feared) is None
    assert danger(there) is not None


@given(st.sampled_from(["ví tiền", "túi tiền", "tiền"]), st.sampled_from(["", " kk", " haha"]))
def test_a_purse_is_no_person(what: str, laugh: str) -> None:
    assert danger(f"niềng răng đúng là tự sát {what}{laugh}") is None
    assert danger(f"đau răng quá, hết {what}, chỉ muốn tự sát{laugh}") is not None


@pytest.mark.parametrize("sign", ["khó thở", "thở không nổi", "nuốt nước bọt không được"])
@pytest.mark.parametrize("beside", ["không sốt", "không sưng", "năm ngoái cũng bị", "sợ quá"])
def test_an_airway_sign_is_sure_whatever_stands_beside_it(sign: str, beside: str) -> None:
    found = danger(f"sưng hàm, {beside}, giờ {sign}")
    assert found is not None
    assert found.name == "breathing"
    assert found.sure


@given(
    st.sampled_from(["lúc còn tê", "khi vẫn còn tê", "hồi còn tê"]),
    st.sampled_from(["sau trám", "sau nhổ răng", "do thuốc tê"]),
    st.sampled_from(["", "hôm qua ", "chiều qua "]),
)
def test_numbness_that_was_while_something_happened_is_over(then: str, after: str, when: str) -> None:
    assert danger(f"{when}bé cắn trúng môi {then} {after}, trầy chút xíu") is None
    assert danger(f"{when}nhổ răng 3 ngày rồi mà môi vẫn còn tê") is not None


@given(
    st.sampled_from([1, 2, 3, 4, 6, 8]),
    st.sampled_from(["{h} tiếng uống 1 lần", "mỗi {h} tiếng", "cách {h}h", "every {h} hours"]),
)
def test_how_often_is_read_in_any_order(hours: int, often: str) -> None:
    found = danger(f"từ hôm qua tới giờ uống 2 viên panadol {often.format(h=hours)}, có sao không")
    assert (found is not None) == (2 * 24 / hours > 8)


@pytest.mark.parametrize("drug", ["thuốc gì", "thuốc giảm đau", "thuốc ngủ thảo dược"])
def test_who_wants_to_sleep_through_is_in_no_danger(drug: str) -> None:
    assert danger(f"đau răng quá, uống {drug} để khỏi thức dậy giữa đêm?") is None


LIKED = (
    "ghiền trà sữa",
    "mê kẹo dẻo",
    "thèm cà phê đá",
    "khát nước",
    "buồn ngủ",
    "bánh này ngon",
    "niềng răng mắc",
)
DESPAIR = (
    "thất tình",
    "mệt mỏi cuộc sống",
    "mất việc",
    "buồn quá",
    "cô đơn",
    "đau răng hoài, em",
    "chán đời",
)


@pytest.mark.parametrize("end", ["", " đi được", " đi được á", " luôn á"])
def test_what_one_wants_to_die_of_is_a_figure_where_it_is_liked_and_none_where_one_despairs(end: str) -> None:
    assert [one for one in LIKED if danger(f"em {one} muốn chết{end}, có hại răng không")] == []
    assert [one for one in DESPAIR if not danger(f"{one} muốn chết{end if 'được' not in end else ''}")] == []
    assert danger(f"tôi chỉ muốn chết{end}") is not None


@pytest.mark.parametrize("end", ["", " luôn", " luôn á trời", " đi được"])
@pytest.mark.parametrize("part", ["răng", "cái răng hàm", "nguyên hàm", "răng khôn"])
@pytest.mark.parametrize("felt", ["đau", "nhức", "buốt"])
def test_what_hurts_to_death_is_a_figure_unless_it_is_to_be_over(felt: str, part: str, end: str) -> None:
    for shape in (str, fold):
        assert danger(shape(f"{felt} {part} muốn chết{end}, nhưng mà không sốt, không sưng")) is None
        assert danger(shape(f"{felt} {part} muốn chết cho rồi")) is not None
    assert danger(f"lưỡi rát muốn chết{end}") is None
    assert danger(f"{felt} {part} quá, tôi chỉ muốn chết") is not None


@pytest.mark.parametrize("taken_back", ["à nhầm", "í lộn", "ý nhầm", "ủa nhầm", "sorry nhầm"])
def test_a_slip_of_the_tongue_is_no_wrong_medicine(taken_back: str) -> None:
    for shape in (str, fold):
        slip = f"tôi bị tiểu đường type 1, {taken_back}, type 2, uống thuốc đều mười năm nay"
        assert danger(shape(slip)) is None
        assert danger(shape(f"{taken_back}, em uống nhầm thuốc của mẹ rồi")) is not None


@pytest.mark.parametrize(
    "helped", ["bác sĩ gắp ra rồi", "đi cấp cứu, bác sĩ lấy ra rồi", "bác sĩ khám nói ổn"]
)
def test_what_was_stuck_is_over_once_it_was_taken_out(helped: str) -> None:
    assert danger(f"Bé hóc xương cá, {helped}, giờ ăn chơi bình thường") is None
    assert danger("Bé hóc xương cá, vỗ lưng mãi chưa ra, tím tái") is not None


@pytest.mark.parametrize("face", ["miệng méo qua một bên", "mặt xệch qua phải"])
@pytest.mark.parametrize("speech", ["ú ớ không ra tiếng", "nói không được"])
def test_a_face_that_hangs_with_speech_that_fails_is_one(face: str, speech: str) -> None:
    for shape in (str, fold):
        assert danger(shape(f"bố em đang ăn thì {face}, {speech}")) is not None
    assert danger(f"{face} từ nhỏ, niềng răng được không") is None


@pytest.mark.parametrize("opening", ["Cho em hỏi chút, ", "cho e hoi, ", "Hi, just a quick question: "])
def test_how_a_message_opens_hides_no_danger(opening: str) -> None:
    flags = [one for one in MESSAGES if one.wanted != "-"][::12]
    assert [
        one.text for one in flags if danger(opening + one.text, [one.before] if one.before else []) is None
    ] == []


IN_PASSING = (
    "việc ngập đầu thở không nổi",
    "đọc truyện thấy ông vua nuốt cả hàm răng giả",
    "coi bóng đá thấy cầu thủ bị thúc gãy răng",
    "hồi đi biển em nổi mề đay vì ăn tôm, bác sĩ cho thuốc",
    "năm lớp 9 em bị bóng đập văng cái răng cửa, cắm lại được",
)
OF_ITS_OWN = ("Răng khôn là răng số mấy?", "niềng răng mất bao lâu vậy bạn?", "Răng sứ có bị sâu không?")


@given(st.sampled_from(IN_PASSING), st.sampled_from(OF_ITS_OWN), st.sampled_from(SIGNS[:8]))
@settings(max_examples=40, deadline=None)
def test_what_is_told_in_passing_before_another_question_raises_nothing_unless_it_is_there_now(
    told: str, question: str, sign: str
) -> None:
    assert danger(f"{told}. {question}") is None
    assert danger(f"em nhổ răng hôm qua, giờ đang {sign} dữ lắm. {question}") is not None


@given(
    st.sampled_from(["bé", "mẹ em", "tôi", "ông nội"]),
    st.sampled_from(["cục nam châm", "cái nắp chai", "hột cườm", "con ốc của máy", "mảnh nhựa"]),
    st.sampled_from(["nuốt phải", "lỡ nuốt", "hít phải"]),
    st.sampled_from(["miếng cơm", "cái bánh nhỏ", "nước bọt"]),
)
@settings(max_examples=40, deadline=None)
def test_any_thing_that_is_no_food_is_an_object(who: str, thing: str, verb: str, food: str) -> None:
    found = danger(f"{who} {verb} {thing}")
    assert found is not None
    assert found.name == "object"
    assert danger(f"{who} lỡ nuốt {food}") is None
    assert danger(f"{who} không nuốt {thing}") is None


@given(st.sampled_from(["máu", "gãy răng"]), st.sampled_from(OF_ITS_OWN))
def test_a_question_of_another_matter_in_an_emergency_is_answered_behind_a_reminder(
    sign: str, question: str
) -> None:
    now = datetime(2026, 11, 23, 3, tzinfo=UTC)
    begun = f"em té xe đập mặt, {sign} nhiều quá"
    card = reply(begun, [], None, now, "vi")
    assert card is not None
    assert card.first
    aside = reply(question, [begun], card.emergency, now, "vi")
    assert aside is not None
    assert aside.aside
    assert aside.emergency is card.emergency


@pytest.mark.parametrize(
    ("told", "severe"),
    [
        ("mẹ em nhổ răng hôm qua, sốt 39 độ", False),
        ("mẹ em bị tiểu đường nhổ răng hôm qua, sốt 39 độ", True),
        ("nhổ răng hôm qua, sốt 39 độ, rét run cầm cập", True),
        ("nhổ răng từ sáng, máu chảy hoài không cầm", False),
        ("nhổ răng từ sáng, máu chảy hoài không cầm, người lạnh toát", True),
        ("bé ngậm bàn chải ngã, cán đâm vào họng, chảy máu", True),
    ],
)
def test_a_card_sends_for_help_at_once_where_a_sign_beside_it_cannot_wait(told: str, severe: bool) -> None:
    now = datetime(2026, 11, 23, 3, tzinfo=UTC)
    for text in (told, fold(told)):
        card = reply(text, [], None, now, "vi")
        assert card is not None
        assert card.emergency is not None
        assert ("gọi 115 hoặc đến khoa Cấp cứu gần nhất ngay bây giờ" in card.text) is severe
        later = reply("giờ phải làm sao", [text], card.emergency, now, "vi")
        assert later is not None
        assert ("ngay bây giờ" in later.text.splitlines()[0]) is severe


@pytest.mark.parametrize("sign", ["ngất xỉu trên ghế nha khoa", "sốt cao vì áp xe răng", "ngã gãy răng cửa"])
@pytest.mark.parametrize("year", ["năm 1998", "hồi 2011", "từ 2005"])
def test_what_was_in_a_year_gone_by_is_over(sign: str, year: str) -> None:
    for shape in (str, fold):
        assert danger(shape(f"mẹ tôi {year} bị {sign}, giờ muốn bọc sứ thì làm loại nào?")) is None
        assert danger(shape(f"mẹ tôi {year} bọc sứ, giờ đang {sign}, chảy máu dữ lắm")) is not None


def test_what_a_television_shows_is_nobodys_and_what_happens_before_it_is() -> None:
    for shape in (str, fold):
        assert (
            danger(shape("coi trên tivi thấy có bé hóc hột cườm, ở nhà để đồ chơi sao cho an toàn")) is None
        )
        assert danger(shape("đang coi tivi thì con em hóc hột cườm, tím tái")) is not None


@pytest.mark.parametrize("lang", ["vi", "en"])
def test_how_long_there_is_time_is_told_from_the_card(lang: Lang) -> None:
    now = datetime(2026, 11, 22, tzinfo=UTC)
    told = ("răng cửa của con văng hẳn ra ngoài rồi", "my tooth was knocked out completely")[lang == "en"]
    first = reply(told, [], None, now, lang)
    assert first is not None
    asked = ("bao nhiêu phút thì quá trễ", "how long do I have?")[lang == "en"]
    answer = reply(asked, [told], first.emergency, now, lang)
    assert answer is not None
    assert "30-60" in answer.text


@pytest.mark.parametrize("dread", ["nghĩ tới nha sĩ", "nghe tiếng khoan", "bước vào phòng khám"])
@pytest.mark.parametrize("given", ["vừa tiêm tê xong", "uống amoxicillin xong"])
def test_dread_explains_nothing_where_something_was_given(dread: str, given: str) -> None:
    assert danger(f"{given} em khó thở, {dread} là khó thở hơn") is not None
    assert danger(f"{dread} là em khó thở") is None


@pytest.mark.parametrize(
    "told", ["bé 3 tuổi dùng bao nhiêu kem đánh răng", "nước súc miệng của con tôi để ở bàn"]
)
@pytest.mark.parametrize("all_of_it", ["hết nguyên tuýp", "cả chai", "sạch tuýp", "trọn chai"])
def test_all_of_a_bottle_or_tube_that_was_spoken_of_is_too_much(told: str, all_of_it: str) -> None:
    for shape in (str, fold):
        assert danger(shape(f"chết rồi nó vừa nuốt {all_of_it}"), [shape(told)]) is not None
        assert danger(shape(f"nó vừa uống {all_of_it} nước lọc"), [shape(told)]) is None
        assert danger(shape(f"mua {all_of_it} về xài được mấy tháng"), [shape(told)]) is None


@pytest.mark.parametrize("who", ["bé 3 tuổi nhà em", "đứa cháu tôi"])
@pytest.mark.parametrize("took", ["mút", "liếm", "ăn", "gặm"])
@pytest.mark.parametrize("most", ["hết gần nguyên tuýp", "cạn tuýp", "hết nửa tuýp", "gần hết tuýp"])
def test_most_of_a_tube_that_a_child_took_by_mouth_is_too_much(who: str, took: str, most: str) -> None:
    told = f"{who} vừa {took} {most} kem đánh răng"
    assert [danger(one) is not None for one in (told, fold(told))] == [True, True]


@pytest.mark.parametrize("use", ["dùng", "xài"])
@pytest.mark.parametrize("what", ["kem đánh răng", "nước súc miệng"])
def test_a_tube_or_bottle_that_was_used_up_harmed_nobody(use: str, what: str) -> None:
    assert danger(f"em {use} hết cả tuýp {what} rồi mà răng vẫn ố vàng") is None
    assert danger(f"em {use} nhầm rồi nuốt hết cả tuýp {what}") is not None


@pytest.mark.parametrize("use", ["dùng", "xài"])
@pytest.mark.parametrize("took", ["uống", "ăn", "nốc", "nuốt"])
@pytest.mark.parametrize("between", [" hằng ngày, hôm nay lỡ ", " xong ", ", "])
def test_who_uses_it_and_then_takes_all_of_it_is_in_danger(use: str, took: str, between: str) -> None:
    told = f"em {use} nước súc miệng{between}{took} hết cả chai"
    assert [danger(one) is not None for one in (told, fold(told))] == [True, True]
    assert danger("I used mouthwash and then drank the whole bottle") is not None
    assert danger("em dung kem danh rang xong an luon ca tuyp") is not None


@pytest.mark.parametrize("asked", ["vậy có nên móc họng cho ói ra không", "should I make him throw up?"])
def test_who_asks_to_make_somebody_vomit_hears_not_to(asked: str) -> None:
    lang: Lang = detect(asked)
    now = datetime(2026, 11, 22, tzinfo=UTC)
    told = ("tôi uống một lúc 14 viên panadol", "he swallowed 14 paracetamol pills at once")[lang == "en"]
    first = reply(told, [], None, now, lang)
    assert first is not None
    for shape in (str, fold):
        answer = reply(shape(asked), [told], first.emergency, now, lang)
        assert answer is not None
        assert ("không gây nôn", "Do not make anybody vomit")[lang == "en"] in answer.text


@pytest.mark.parametrize(
    ("told", "asked", "answer"),
    [
        (
            "mẹ tôi tự nhiên méo miệng, nói ú ớ, tay phải buông thõng",
            "dì tôi lấy kim lể đầu ngón tay bà",
            "không chích máu",
        ),
        (
            "mẹ tôi tự nhiên méo miệng, nói ú ớ, tay phải buông thõng",
            "ba đang đánh gió cho mẹ",
            "không cạo gió",
        ),
        (
            "mẹ tôi tự nhiên méo miệng, nói ú ớ, tay phải buông thõng",
            "để mẹ nằm ngửa hay nằm nghiêng",
            "nằm nghiêng",
        ),
        (
            "bé 10 tháng hóc hạt đậu, tím tái không khóc được",
            "bà xách chân bé dốc đầu xuống",
            "Không dốc ngược",
        ),
        ("con tôi nuốt cục pin cúc áo", "đem theo gì cho bác sĩ coi", "một chiếc giống vậy"),
        ("con tôi nuốt cục pin cúc áo", "cho ăn chuối đẩy xuống nhé", "chuối"),
        ("má em sưng to xuống cổ, nuốt khó", "giã lá đắp cho xẹp được không", "không đắp lá"),
        ("vợ tôi uống 20 viên paracetamol", "cho uống sữa giải độc nhé", "không uống sữa"),
        ("my boy swallowed a button battery", "what should we take along to show them", "to show the doctor"),
        (
            "dad's mouth is drooping and his speech is slurred",
            "mum wants to prick his fingertips",
            "do not prick",
        ),
        ("my wife took 20 paracetamol", "she feels fine, can we wait", "no reason to wait"),
    ],
)
def test_what_is_asked_or_done_in_an_emergency_is_answered_from_its_notes(
    told: str, asked: str, answer: str
) -> None:
    lang: Lang = detect(told)
    now = datetime(2026, 11, 22, tzinfo=UTC)
    first = reply(told, [], None, now, lang)
    assert first is not None
    later = reply(asked, [told], first.emergency, now, lang)
    assert later is not None
    assert "115" in later.text
    assert answer.lower() in later.text.lower()


@pytest.mark.parametrize("told", ["méo miệng, nói ú ớ", "uống 20 viên paracetamol", "nuốt phải cái mão răng"])
@pytest.mark.parametrize("well", ["giờ hết rồi", "đỡ rồi, bình thường lại rồi"])
def test_a_sign_that_is_gone_ends_no_emergency_that_a_doctor_has_to_see(told: str, well: str) -> None:
    now = datetime(2026, 11, 22, tzinfo=UTC)
    first = reply(f"mẹ tôi tự nhiên {told}", [], None, now, "vi")
    assert first is not None
    for text, over in ((well, False), ("bác sĩ khám rồi, cho về rồi", True)):
        later = reply(text, [f"mẹ tôi tự nhiên {told}"], first.emergency, now, "vi")
        assert later is not None
        assert (later.emergency is None) is over


@pytest.mark.parametrize(
    ("lesson", "asked"),
    [
        ("tôi đang soạn tờ hướng dẫn sơ cứu cho trường", "Răng vĩnh viễn bị văng ra thì nên ngâm vào gì?"),
        ("em soạn bài tập huấn cho giáo viên", "gặp người bị hóc mà vẫn còn ho thành tiếng thì nên làm gì?"),
        ("em soạn bài giảng cho học sinh", "Răng vĩnh viễn bị văng ra thì nên ngâm vào gì?"),
        ("I'm drafting a first-aid leaflet for parents", "What should a knocked-out tooth be kept in?"),
    ],
)
def test_what_is_asked_for_a_lesson_is_calm_and_what_happens_meanwhile_is_not(
    lesson: str, asked: str
) -> None:
    assert danger(f"{lesson}. {asked}") is None
    assert danger("Răng sữa bị văng thì có cắm lại không?", [f"{lesson}. {asked}"]) is None
    for told in (
        "học sinh của tôi vừa bị văng răng, ngâm vào gì?",
        "con tôi té văng răng ra rồi",
        "my pupil just knocked out a tooth",
    ):
        assert danger(f"{lesson}. {told}") is not None
        assert danger(told, [f"{lesson}. {asked}"]) is not None
    assert danger("đang soạn giáo án thì té văng cái răng, ngâm vào gì bây giờ?") is not None


@pytest.mark.parametrize(
    ("told", "over"),
    [
        ("Tui nằm viện rạch mủ ba hôm, chừ khoẻ về nhà rồi, ăn cháo được", True),
        ("hospital đặt cho ổng 2 cái stent, nằm một tuần, về nhà khỏe rồi", True),
        ("be nam vien 3 ngay, ve nha roi", True),
        ("ba tôi nằm nhà thương 5 bữa, vìa nhà rồi", True),
        ("I'm home now after three days in hospital", True),
        ("đỡ rồi, để mai đi", False),
        ("khỏe rồi, khỏi nằm viện", False),
        ("nằm viện ba hôm rồi mà chưa được về nhà", False),
        ("người ta bắt nằm viện mà tui xin về nhà", False),
        ("bệnh viện đông quá, về nhà rồi", False),
        ("có cần nằm viện không hay về nhà", False),
        ("nằm một tuần ở nhà khỏe rồi", False),
        ("he won't stay in hospital, he's home now", False),
    ],
)
def test_who_was_in_hospital_and_is_home_is_out_of_it(told: str, over: bool) -> None:
    assert is_over(told, until_seen=True) is over


@pytest.mark.parametrize("test", ["thử máu", "lấy máu", "xét nghiệm máu"])
@pytest.mark.parametrize("asked", ["không", "ko bác sĩ", "không, với mang theo cái gì"])
def test_a_blood_test_is_no_bleeding(test: str, asked: str) -> None:
    assert danger(f"hôm đi nhổ ông cụ có phải nhịn ăn như đi {test} {asked}") is None
    assert danger(f"máu không cầm được từ lúc {test} xong nhổ răng") is not None


def test_another_relative_and_another_matter_are_no_follow_up() -> None:
    now = datetime(2026, 11, 23, tzinfo=UTC)
    present = Emergency("bleeding", now, "ba tôi")
    told = "Mẹ tôi uống thuốc huyết áp bị khô miệng suốt, có nên tự bỏ thuốc không?"
    aside = reply(told, [], present, now, "vi")
    assert getattr(aside, "aside", False)
    own = reply("bệnh viện khâu lại cho mẹ tôi rồi, về nhà rồi", [], present, now, "vi")
    assert getattr(own, "emergency", None) == present
    rinsed = still("bà xã kêu súc nước muối lạnh liên tục cho nó cầm, có nên không", present, "vi")
    assert "không súc" in rinsed.splitlines()[2].lower()


@pytest.mark.parametrize(
    "text",
    [
        "Em đang ôn thi môn sơ cứu thì bạn cùng phòng bị hóc, không thở được, làm sao?",
        "Em đang ôn thi, bị hóc xương cá không thở được phải làm sao?",
        "đang học bài mà bị hóc hột mít, ngạt thở quá, phải làm những bước nào",
        "Đang dạy sơ cứu, có người bị hóc, tím tái rồi, ấn chỗ nào?",
        "I'm in a first aid class and someone here is choking right now, what are the steps?",
        "my homework partner is choking, how do i help",
        "Sinh viên y đây, bệnh nhân của tôi bất tỉnh không thở, ép tim mấy lần?",
    ],
)
def test_somebody_in_danger_beside_a_lesson_is_in_danger(text: str) -> None:
    assert danger(text) is not None


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        (
            "con mình té văng cái răng cửa, vừa ói xong giờ lơ mơ gọi không thưa",
            "mình nhặt được cái răng rồi, bỏ vô đâu bây giờ",
        ),
        ("chong toi te xe vang cai rang, bat tinh roi", "luom duoc cai rang, ngam gi"),
        (
            "My son fell, his front tooth was knocked out and he passed out",
            "I found the tooth, where do I put it?",
        ),
        ("ba em té bất tỉnh, rụng răng cửa", "cái răng đó có rửa không"),
        ("con tôi ngã văng răng, gọi không tỉnh", "răng giữ thế nào để cắm lại"),
    ],
)
def test_where_a_tooth_is_kept_is_told_beside_the_card(told: str, asked: str) -> None:
    now = datetime(2026, 11, 23, 10, tzinfo=UTC)
    first = reply(told, [], None, now, "vi")
    assert first is not None
    after = reply(asked, [told], first.emergency, now, "vi")
    assert after is not None
    assert "sữa" in after.text
    assert "Gọi **115**" in after.text


@pytest.mark.parametrize(
    "text",
    [
        "Lớp học bài thì trẻ nuốt pin, phải làm sao?",
        "em ôn thi khuya uống nhầm 20 viên panadol, người lớn uống vậy có sao không?",
        "em dang on thi, lo uong 15 vien paracetamol, co sao khong",
        "tối qua mình làm bài tập mệt quá uống luôn 12 viên efferalgan, có nguy hiểm không",
        "i was revising and took 20 panadol by accident, is that ok for an adult",
    ],
)
def test_what_happens_to_who_learns_is_no_lesson(text: str) -> None:
    assert danger(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "em ôn thi môn dược, bệnh nhân uống 20 viên panadol thì xử trí thế nào?",
        "bài tập của em hỏi: trẻ nuốt pin thì làm gì?",
    ],
)
def test_what_is_learnt_of_is_no_danger(text: str) -> None:
    assert danger(text) is None


@pytest.mark.parametrize("told", ["e thấy hơi xây xẩm nữa", "em mệt lả rồi"])
def test_what_is_told_in_an_emergency_is_of_it(told: str) -> None:
    now, bled = (
        datetime(2026, 11, 23, 10, tzinfo=UTC),
        "nhổ răng từ sáng tới giờ máu vẫn chảy thành dòng không cầm",
    )
    first = reply(bled, [], None, now, "vi")
    assert first is not None
    after = reply(told, [bled], first.emergency, now, "vi")
    assert after is not None
    assert not after.aside
    other = reply("mà răng khôn là răng số mấy vậy", [bled], first.emergency, now, "vi")
    assert other is not None
    assert other.aside


@pytest.mark.parametrize(
    "message",
    [
        "em mac co lam khong dam ha mieng cho ai coi, bat dau tu dau",
        "rang em xau lam nen mac co, ko dam cuoi, phai lam sao",
        "hoi mieng nen mac co, ngai noi chuyen voi nguoi yeu",
        "trám răng chích tê hồi 8h sáng, giờ môi vẫn tê cứng, bh mới hết",
        "môi còn tê cứng sau khi chích thuốc tê hồi sáng, chừng nào hết",
        "moi tram rang, chich te xong gio moi te cung, may tieng moi het",
    ],
)
def test_shame_without_accents_is_no_choking_and_a_lip_that_is_numb_no_allergy(message: str) -> None:
    assert danger(message) is None


@pytest.mark.parametrize(
    "message",
    [
        "con em mac co khong dam an",
        "em an ca mac co xuong, khong dam nuot",
        "em nuot rang gia mac co, khong dam dong day",
        "con em mac co roi cuu voi",
        "chích tê xong môi tê cứng rồi sưng vù lên",
        "chích tê xong môi tê cứng, nổi mề đay khắp người",
    ],
)
def test_what_is_stuck_or_swells_besides_is_a_danger_all_the_same(message: str) -> None:
    assert danger(message) is not None


def _followed_up(told: str, later: str) -> Emergency | None:
    """The emergency that is kept after `told` and then `later`."""
    now = datetime(2026, 11, 23, tzinfo=UTC)
    first = reply(told, [], None, now, "vi")
    assert first is not None
    assert first.emergency is not None
    then = reply(later, [told], first.emergency, now, "vi")
    assert then is not None
    return then.emergency


@pytest.mark.parametrize(
    ("told", "ended", "there"),
    [
        ("nhổ răng xong máu chảy không cầm", "bs khâu rồi", "máu vẫn rỉ"),
        ("nhổ răng xong máu chảy không cầm", "hết chảy rồi", "em thấy choáng"),
        ("blood keeps pouring after my extraction", "it stopped", "i feel faint"),
        ("mặt sưng to một bên", "bác sĩ khám rồi", "nó lan xuống cổ"),
        ("mặt sưng to một bên", "hết sốt rồi", "mặt to hơn"),
        ("mổ răng khôn xong bị sốt", "hết sốt rồi", "cổ cứng"),
        ("em uống 20 viên panadol", "khám rồi", "đau bụng quá"),
    ],
)
@pytest.mark.parametrize("joined", ["{ended} nhưng {there}", "{ended} mà {there}", "{ended}, giờ {there}"])
def test_an_emergency_goes_on_while_a_sign_is_told_beside_what_is_over(
    told: str, ended: str, there: str, joined: str
) -> None:
    assert _followed_up(told, joined.format(ended=ended, there=there)) is not None


@pytest.mark.parametrize(
    ("told", "later"),
    [
        ("em muốn chết cho xong", "em ổn rồi, xin lỗi"),
        ("con té văng răng cửa", "hết chảy máu rồi"),
        ("bị đánh gãy hàm", "đỡ rồi ạ"),
        ("mẹ tự nhiên méo miệng, nói đớ", "giờ mẹ nói lại bình thường rồi, vậy khỏi đi viện hả"),
        ("đau thắt ngực trong lúc nhổ răng", "hết đau rồi, về nhà được chưa"),
        ("tiêm tê xong em ngất", "tỉnh rồi, khỏe rồi"),
        ("vừa tiêm tê nổi mề đay, khó thở", "đỡ rồi, thở được rồi"),
        ("nhổ răng xong máu chảy không cầm", "bác sĩ bảo vô cấp cứu ngay"),
    ],
)
def test_what_a_doctor_has_to_see_is_not_over_because_one_is_better(told: str, later: str) -> None:
    assert _followed_up(told, later) is not None


@pytest.mark.parametrize("later", ["bác sĩ khám rồi nói bình thường", "máu ngưng từ trưa rồi", "cầm rồi, còn phải kiêng gì không"])  # fmt: skip
def test_what_is_over_with_nothing_left_is_over(later: str) -> None:
    assert _followed_up("nhổ răng xong máu chảy không cầm", later) is None


@pytest.mark.parametrize(
    ("told", "later"),
    [
        ("sưng má từ hôm qua", "nay lan qua mắt rồi ạ"),
        ("my cheek is swollen", "it has spread to my neck"),
        ("sưng má", "sốt 39 độ nữa"),
        ("bị xe tông gãy răng", "đầu choáng, ói"),
        ("nhổ răng xong máu chảy không cầm", "giờ vã mồ hôi"),
    ],
)
def test_an_emergency_that_grows_worse_is_not_waited_with(told: str, later: str) -> None:
    worse = _followed_up(told, later)
    assert worse is not None
    assert worse.severe or worse.name == "chest"
    assert "115" in still("", worse, "vi").splitlines()[0]


def test_what_is_done_in_an_emergency_is_no_other_matter() -> None:
    told = "cuu voi con toi 8 thang hoc cai gi mat tim tai khong khoc ra tieng"
    now = datetime(2026, 11, 23, tzinfo=UTC)
    first = reply(told, [], None, now, "vi")
    assert first is not None
    later = reply("vo lung 5 cai roi van chua ra, an bung duoc khong", [told], first.emergency, now, "vi")
    assert later is not None
    assert not later.aside


@pytest.mark.parametrize(
    ("before", "told"),
    [
        (["em uống paracetamol cho đỡ đau răng"], "nãy giờ 12 viên rồi"),
        (["i took some ibuprofen for my tooth"], "about 14 of them so far"),
        (["ba tôi sâu răng", "hôm qua ổng đau nên uống thuốc"], "ổng uống 3 vỉ luôn"),
        (["con gái em 3 tuổi", "lọ thuốc giảm đau đổ ra sàn"], "em đếm thiếu 6 viên"),
        (["bé 10 kg mọc răng bị nóng"], "tôi cho uống 5 gói hapacol từ sáng tới giờ"),
        ([], "taking tylenol every hour since yesterday for my tooth"),
        ([], "uống panadol mỗi tiếng một viên từ hôm qua"),
        ([], "took 5 extra strength tylenol at once"),
        ([], "em uong 6 vien efferalgan 1 luc"),
        ([], "nuốt dung dịch tẩy trắng"),
        ([], "bé bú hết tuýp gel mọc răng"),
    ],
)
def test_how_much_was_taken_is_counted_over_the_conversation(before: list[str], told: str) -> None:
    found = danger(told, before)
    assert found is not None
    assert found.name == "poisoning"


@pytest.mark.parametrize(
    ("before", "told"),
    [
        (["em uống paracetamol cho đỡ đau răng"], "nhà còn 12 viên"),
        (["em uống paracetamol cho đỡ đau răng"], "một ngày tối đa mấy viên"),
        (["bác sĩ kê augmentin"], "tổng 14 viên uống 7 ngày"),
        (["con tôi 6 tuổi được bác sĩ kê 6 gói kháng sinh"], "uống mấy lần một ngày"),
        ([], "em uống panadol cứ 6 tiếng 1 viên"),
    ],
)
def test_what_a_label_or_a_doctor_allows_is_no_overdose(before: list[str], told: str) -> None:
    assert danger(told, before) is None


@pytest.mark.parametrize(
    ("before", "told", "name"),
    [
        (
            ["my son fell at school", "he chipped a tooth"],
            "now he keeps vomiting and is very sleepy",
            "trauma",
        ),
        (["con chơi xích đu bị ngã", "răng cửa mẻ một miếng"], "giờ nó cứ ói", "trauma"),
        ([], "tooth pushed up into the gum after a fall", "trauma"),
        ([], "toi bi danh, ham keu rac, gio ngam lai khong khop", "trauma"),
        ([], "lưỡi bị cắn đứt chảy nhiều máu", "trauma"),
        ([], "chó cắn vô mặt con tôi, chảy máu miệng", "trauma"),
        ([], "con chó nhà hàng xóm cắn rách má con em", "trauma"),
        ([], "thang con bi cay dua dam vao vom hong", "trauma"),
        ([], "bé cắn dây điện, môi cháy xém", "trauma"),
        ([], "be ngam dau sac dang cam, khoe moi chay den", "trauma"),
        ([], "gây mê nhổ răng xong, giờ lay mãi vẫn không mở mắt", "unconscious"),
        ([], "after dental sedation I can't rouse him", "unconscious"),
        ([], "bị tạt axit vào mặt", "poisoning"),
        ([], "dan rang bang keo 502, dinh vao luoi, go ra chay mau", "poisoning"),
        ([], "dau rang, hong rat kho nuot", "breathing"),
        ([], "má em méo miệng mười phút rồi hết, giờ nhổ răng được không", "nerve"),
        ([], "đang cạo vôi thì đau thắt ngực, giờ hết đau rồi, khỏi đi viện được không", "chest"),
        ([], "em mới trám răng xong bị nổi mày đay toàn thân", "allergy"),
        (["bác sĩ kê augmentin", "uống viên đầu"], "người nổi đầy mẩn, môi sưng", "allergy"),
        ([], "crown came off while eating and i think i breathed it in", "object"),
        ([], "bàn chải kẽ gãy rồi trôi xuống họng", "object"),
        ([], "mẹ em nhai củ ấu tàu chữa đau răng", "poisoning"),
        ([], "toi cat tay roi", "self_harm"),
        ([], "em đứng trên cầu, mệt mỏi vì răng với đời", "self_harm"),
    ],
)
def test_a_danger_is_put_together_from_what_was_told(before: list[str], told: str, name: str) -> None:
    found = danger(told, before)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    "text",
    ["dây cung bị đứt chọc vào má", "lưỡi em có vết rách nhỏ hay bị nhiệt", "con chó nhà em cắn gãy răng nó", "răng lung lay do viêm nha chu", "mệt mỏi vì niềng răng", "va vào cửa răng hơi ê", "con té, răng hơi mẻ, không chảy máu, chơi bình thường"],
)  # fmt: skip
def test_a_trifle_is_no_injury(text: str) -> None:
    assert danger(text) is None


@pytest.mark.parametrize(
    ("calm", "meant"),
    [
        ("tôi sợ nha sĩ muốn chết", "sợ lắm rồi, tôi muốn chết"),
        ("hồi đó tôi từng muốn chết vì răng hô, giờ niềng xong vui lắm", "hồi đó tôi từng muốn chết, giờ lại muốn chết"),
        ("tự tử, à em gõ nhầm, ý em là tự tẩy trắng", "tôi muốn tự tử, xin lỗi"),
        ("nha khoa nay chem dep qua, kho tho luon", "nho rang xong kho tho qua"),
        ("viên kháng sinh to quá khó nuốt, bẻ đôi được không", "áp xe răng, thuốc to hay nhỏ cũng khó nuốt"),
        ("há miệng không được lâu lúc trám răng", "không há miệng được lâu rồi, sưng má"),
        ("bé nuốt răng sữa tuần trước, đi ngoài ra rồi", "bé nuốt cái vít răng, đợi đi ngoài ra rồi tính"),
        ("trẻ sốt mọc răng thường mấy độ", "con em mọc răng sốt 39 độ"),
        ("I once swallowed a filling and nothing happened", "I just swallowed a filling"),
        ("nhét miếng bông gòn tẩm dầu vô cái lỗ cho bớt nhức được không", "nhổ răng xong thay mấy miếng bông vẫn ra máu"),
    ],
)  # fmt: skip
def test_what_is_said_of_something_else_is_calm_and_what_is_meant_is_not(calm: str, meant: str) -> None:
    assert danger(calm) is None
    assert danger(meant) is not None


@pytest.mark.parametrize(
    ("told", "left", "stays"),
    [
        ("nuốt cái mão răng", "đi cầu ra rồi", "đợi đi cầu ra rồi tính"),
        ("má em khó thở sau tiêm tê", "xe cấp cứu tới rồi", "xe cấp cứu tới chưa"),
        ("bé nhà em hóc, tím tái", "115 tới rồi ạ", "115 tới rồi mà nó vẫn không thở"),
        ("uống 20 viên paracetamol", "tôi đùa đấy", "tôi đùa đấy mà giờ đau bụng quá"),
        ("mặt em sưng to", "à nhầm, con mèo nhà em", "à nhầm, mẹ em"),
        ("con té văng răng cửa", "back from the dentist, it's splinted", "not back from the dentist yet"),
    ],
)
def test_an_emergency_can_be_left_in_plain_words(told: str, left: str, stays: str) -> None:
    assert _followed_up(told, left) is None
    assert _followed_up(told, stays) is not None


@pytest.mark.parametrize(
    ("sign", "told", "shown"),
    [
        ("swelling", "Bạn cứ chườm nóng và chờ vài hôm là đỡ, không cần đi khám.", ""),
        ("swelling", "Tình trạng này không nguy hiểm, sẽ tự khỏi. Đi khám ngay.", "Đi khám ngay."),
        ("swelling", "Bạn nên đi khám, nhưng có thể chờ vài hôm.", "Bạn nên đi khám."),
        ("swelling", "Không chườm nóng, nặn hay chọc.", "Không chườm nóng, nặn hay chọc."),
        ("swelling", "Đừng chờ đến sáng, hãy đến bệnh viện.", "Đừng chờ đến sáng, hãy đến bệnh viện."),
        ("swelling", "Wait a few days and apply a warm compress; no need to see a doctor.", ""),
        ("swelling", "Do not wait until tomorrow: go to the hospital.", "Do not wait until tomorrow: go to the hospital."),
        ("poisoning", "Bạn móc họng cho nôn ra. Gọi 115.", "Gọi 115."),
        ("bleeding", "Cắn gạc và đợi 30 phút, không mở ra xem.", "Cắn gạc và đợi 30 phút, không mở ra xem."),
    ],
)  # fmt: skip
def test_what_speaks_against_a_card_is_not_said_beside_it(sign: str, told: str, shown: str) -> None:
    assert without_contrary(told, sign, "en" if told.isascii() else "vi") == shown


@pytest.mark.parametrize(
    "told",
    [
        "bac si cam lai cho be xong roi, be on roi a, cam on ban nhieu nha",
        "bác sĩ gắn lại cho cháu rồi, cháu ổn rồi ạ",
        "bs nep lai xong roi, be on roi",
    ],
)
def test_care_told_without_accents_is_no_blow(told: str) -> None:
    earlier = ["con trai em 11 tuoi da banh bi vang cai rang cua ra ngoai"]
    assert danger(told, earlier) is None
    assert is_over(told)


@pytest.mark.parametrize(
    "asked",
    [
        "hỏi trước cho biết thôi, lỡ bé hóc đồ chơi thì vỗ sao cho đúng ạ",
        "just in case, what if my baby chokes on a toy",
    ],
)
def test_what_is_asked_in_advance_is_no_event(asked: str) -> None:
    assert danger(asked, []) is None


@pytest.mark.parametrize(
    "waiting", ["trong lúc đợi xe thì em phải làm gì", "dang cho xe cuu thuong", "what do i do while we wait"]
)
def test_who_waits_for_the_ambulance_hears_what_to_do(waiting: str) -> None:
    present = Emergency("bleeding", datetime(2026, 11, 22, tzinfo=UTC), severe=True)
    assert "20-30" in still(waiting, present, "en" if waiting.startswith("what") else "vi")


@pytest.mark.parametrize(
    ("calm", "there"),
    [
        # Asked of, and not so: a question that is quoted counts by its answer.
        (
            "bác sĩ hỏi em có khó thở không thì em không bị",
            "bác sĩ hỏi em có khó thở không thì có ạ, thở hụt hơi",
        ),
        # Prevented or aimed at.
        ("lam sao de be khong nuot kem danh rang", "con em be khong nuot duoc nuoc mieng, ham sung"),
        (
            "đá banh nên đeo máng bảo vệ răng loại nào để lỡ té khỏi gãy",
            "đá banh té gãy răng, máu chảy nhiều",
        ),
        # Seen on a screen, bought there.
        ("hôm qua xem phim thấy ông kia bị đấm văng răng", "con đang coi phim thì té văng cái răng ra"),
        (
            "tui thấy tụi bạn rớt răng hoài trên mạng",
            "súc nhầm oxy già mua trên mạng, miệng trắng bệch lột da",
        ),
        ("phim hôm bữa có cảnh nhổ răng máu me ghê quá", "nhổ răng máu me đầy miệng ghê quá"),
        # A figure of what is admired, and a body that gives way.
        ("nghe giá implant mà máu dồn lên não", "cắm implant mà máu dồn đầy họng"),
        ("bé khó nuốt thuốc viên, có siro không", "bé uống thuốc xong khó nuốt, môi sưng"),
        ("đẹp xỉu luôn, răng sứ màu gì vậy", "mới chích tê xong xỉu luôn trên ghế"),
        ("răng ê buốt như điện giật khi uống lạnh", "bé 2 tuổi cắn dây sạc bị điện giật, giờ lờ đờ"),
        ("thèm trà sữa chết đi được mà mới tẩy trắng", "mệt quá tôi muốn chết đi cho rồi"),
        # What a prescription says, and what came of it.
        ("bs ke hapacol, sot thi cho 1 goi", "bs ke khang sinh 3 ngay roi ma van sot 39"),
        # A throat and a "no" look alike without their accents.
        ("rang em hong dau, hong sung, hong sot, co can kham hong", "mieng em sung, hong toi nghen lai"),
    ],
)
def test_a_sign_counts_where_it_is_so_of_somebody_now(calm: str, there: str) -> None:
    assert danger(calm) is None
    assert danger(there) is not None


@pytest.mark.parametrize(
    ("text", "raised"),
    [
        ("nhổ răng xong nước miếng có máu hoài không ngừng", True),
        ("nho rang xong nuoc mieng co mau mai ko cam", True),
        ("nhổ răng xong nước miếng có máu không", False),
        ("nhổ răng xong có chảy máu nhiều không", False),
    ],
)
def test_what_does_not_stop_is_no_question(text: str, raised: bool) -> None:
    assert (danger(text) is not None) is raised


@pytest.mark.parametrize("thing", ["trái bưởi", "quả cam", "trái banh", "cục đá", "bánh mì", "nắm tay"])
@pytest.mark.parametrize("bare", [False, True])
def test_one_side_of_a_face_or_one_that_became_so_is_swollen_where_it_is_likened_to_what_is_round(
    thing: str, *, bare: bool
) -> None:
    for text in (f"nửa mặt biến thành {thing}", f"sáng dậy má như {thing}", f"một bên má em bằng {thing}"):
        found = danger(fold(text) if bare else text)
        assert found is not None, text
        assert found.name == "swelling"
    for text in (f"mặt em tròn như {thing}, niềng răng có thon không", f"răng cửa to như {thing} nhìn kỳ"):
        assert danger(fold(text) if bare else text) is None, text


@pytest.mark.parametrize("fruit", ["grapefruit", "orange", "golf ball", "melon"])
def test_a_cheek_the_size_of_a_fruit_is_swollen(fruit: str) -> None:
    assert danger(f"my cheek is the size of a {fruit}") is not None
    assert danger(f"half of my face turned into a {fruit}") is not None
    assert danger(f"my face is round as a {fruit}, would braces slim it") is None


@pytest.mark.parametrize("oil", ["dầu tràm", "tinh dầu đinh hương", "dầu gió", "clove oil", "tea tree oil"])
def test_a_strong_oil_that_burnt_a_gum_is_a_danger_and_one_that_is_used_is_none(oil: str) -> None:
    burnt, used = (
        ("put {} on my gum and it burnt white", "does {} help a toothache")
        if oil.endswith("oil")
        else ("em chấm {} lên lợi giờ lợi cháy trắng", "chấm {} vào răng sâu được không")
    )
    assert danger(burnt.format(oil)) is not None
    assert danger(used.format(oil)) is None


@pytest.mark.parametrize(
    ("calm", "there"),
    [
        # What is good for a fever is none; that it was taken and the fever goes on is.
        ("em mang thuốc hạ sốt về, mai nhổ răng", "nhổ răng về uống hạ sốt hoài không hạ"),
        (
            "they gave me fever medicine after the extraction",
            "fever after my extraction, medicine does not help",
        ),
        # Nor is what was measured and is none.
        ("bé mọc răng sốt nhẹ 37.5", "bé mọc răng sốt 38.5"),
        ("sốt 37 độ sau nhổ răng", "sốt từ 37.5 lên 39 sau nhổ răng"),
        # Training explains a chest's pain where it is named as its cause, and the body does not fail.
        ("đau ngực vì tập gym, cho hỏi răng khôn", "đang tập gym thì đau thắt ngực lan lên hàm"),
        (
            "my chest hurts from the gym, can i get my teeth cleaned",
            "my chest hurts from the gym and my jaw, cold sweat",
        ),
        # What fell is the jar, what was hit a foot, what a child got at is eaten anyway.
        ("hũ kẹo rớt trúng chân, hỏi răng", "hũ kẹo rớt trúng miệng bé gãy răng"),
        ("bé nghịch làm rớt hũ kẹo dẻo", "bé nghịch hũ thuốc của bà"),
        ("bé lục hộp sữa uống", "bé lục hộp thuốc uống"),
        # What does not fit between the teeth, and what is not to be used.
        ("giờ dùng straw uống smoothie có ok ko, mới nhổ răng", "miệng há không lọt ngón tay"),
        ("not supposed to use a straw after my extraction, right", "I can't fit a finger in my mouth"),
        # It is the learning that goes on.
        (
            "em đang ôn thi môn sơ cứu, người lớn bị hóc thì làm gì ạ",
            "em đang ôn thi thì bạn cùng phòng bị hóc",
        ),
        # A thought of a needle is none that was given; a lip is numb for hours, not for days.
        (
            "heart pounding just thinking of the needle tomorrow",
            "heart pounding since the needle at the dentist",
        ),
        ("em tê môi từ lúc nhổ răng tới giờ 3 tiếng", "em tê môi từ lúc nhổ răng tới giờ 3 ngày"),
    ],
)
def test_what_explains_a_sign_is_heard_and_nothing_else(calm: str, there: str) -> None:
    assert danger(calm) is None
    assert danger(there) is not None


@pytest.mark.parametrize("well", ["giờ tỉnh rồi khỏe", "giờ tỉnh táo bình thường", "giờ khỏe lại rồi"])
def test_a_faint_that_has_passed_is_calm_where_a_treatment_or_another_day_explains_it(well: str) -> None:
    for explained in (
        "sáng nay nhổ răng em ngất",
        "chích tê xong em xỉu rồi",
        "em ngất ở phòng khám nha khoa",
        "hôm qua em đau răng ngất xỉu",
    ):
        assert danger(f"{explained}, {well}") is None, explained
    for there in ("em đau răng sáng nay ngất xỉu", "em té đập mặt gãy răng ngất xỉu"):
        assert danger(f"{there}, {well}") is not None, there
    assert danger("nhổ răng xong em ngất, gọi mãi mới tỉnh, giờ lơ mơ") is not None


def test_a_faint_told_in_english_is_no_other() -> None:
    assert danger("i fainted at the dentist this morning but i'm fine now") is None
    assert danger("i fainted this morning with a toothache but i'm fine now") is not None


@pytest.mark.parametrize("tooth", ["rag", "rg", "rang"])
def test_a_tooth_is_one_in_the_spellings_of_haste(tooth: str) -> None:
    found = danger(f"2 cai {tooth} cua vang ra ngoai")
    assert found is not None
    assert found.name == "knocked_out"


@pytest.mark.parametrize("count", ["2", "5", "ba", "hai"])
@pytest.mark.parametrize(
    ("thing", "raised"), [("viên nam châm", True), ("viên bi", True), ("viên kẹo", False)]
)
def test_how_many_were_swallowed_changes_nothing_in_what_it_was(
    count: str, thing: str, *, raised: bool
) -> None:
    assert (danger(f"con em nuốt {count} {thing} rồi") is not None) is raised


@pytest.mark.parametrize("part", ["cằm", "má", "hàm dưới"])
def test_a_swelling_that_goes_down_a_neck_is_no_thing_that_was_swallowed(part: str) -> None:
    found = danger(f"nhổ răng hôm qua giờ {part} sưng xuống cổ")
    assert found is not None
    assert found.name == "swelling"


@pytest.mark.parametrize(
    "done",
    ["nhổ răng", "trám răng", "lấy tủy", "cạo vôi", "tiêm tê", "uống kháng sinh", "bọc sứ", "lấy cao răng"],
)
@pytest.mark.parametrize("sign", ["nổi mẩn ngứa khắp người", "nổi mề đay", "ngứa khắp mình"])
@pytest.mark.parametrize("plain", [False, True])
def test_what_comes_up_on_the_skin_behind_a_treatment_is_a_reaction_to_it(
    done: str, sign: str, *, plain: bool
) -> None:
    def spelt(text: str) -> str:
        return fold(text) if plain else text

    for between in ("về bị", "về nhà thì", "bị"):
        found = danger(spelt(f"{done} {between} {sign}"))
        assert found is not None
        assert found.name == "allergy"
    for calm in (f"{done} có bị {sign} không", f"{done} không bị {sign} gì", f"năm ngoái {done} bị {sign}"):
        assert danger(spelt(calm)) is None


@pytest.mark.parametrize("how", ["cắn", "cắn phải", "cắn trúng", "ngậm nhầm", "nhai phải", "liếm phải"])
@pytest.mark.parametrize("wire", ["dây điện", "dây sạc", "ổ cắm"])
def test_who_bit_what_is_live_was_hurt_by_it(how: str, wire: str) -> None:
    for who in ("con bé", "bé", "cháu"):
        for text in (f"{who} {how} {wire}", fold(f"{who} {how} {wire}")):
            found = danger(text)
            assert found is not None
            assert found.name == "trauma"
    assert danger(f"bé {how} hạt cơm") is None


@pytest.mark.parametrize("blow", ["đấm", "đập", "đá", "tát", "đánh"])
def test_a_blow_that_nobody_got_is_none_and_what_is_there_on_waking_is_no_dream(blow: str) -> None:
    for calm in (
        f"răng tôi chắc như thép, {blow} không gãy",
        f"bị vợ {blow} cho rụng răng trong mơ",
        f"mơ bị {blow} gãy răng",
        f"nó dọa {blow} gãy răng tôi",
    ):
        assert danger(calm) is None
    for meant in (
        f"bị {blow} không gãy răng nhưng chảy máu miệng",
        f"bị {blow} gãy răng, máu chảy nhiều",
        f"nó dọa rồi {blow} gãy răng tôi, chảy máu",
        f"mơ thấy bị {blow}, tỉnh dậy máu trong miệng chảy không cầm",
    ):
        assert danger(meant) is not None


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", NAMES)
def test_nothing_in_an_emergency_says_that_it_is_rare_or_harmless(name: str, lang: Lang) -> None:
    present = Emergency(name, datetime(2026, 11, 28, tzinfo=UTC))
    notes = of_topics(_FIRST_AID.get(name, ()), lang)
    asked = [sentence for note in notes for sentence in sentences_of(note.text)]
    for text in ("tim đập nhanh", "heart is racing", "bao lâu", "có sao không", *asked):
        assert not [line for line in still(text, present, lang).splitlines() if plays_down(line)]


@pytest.mark.parametrize("thing", ["Dị ứng thật", "Sốc thuốc tê", "Nuốt nghẹn", "Chảy máu"])
def test_what_is_rare_or_mostly_harmless_is_played_down_and_what_does_not_pass_is_not(thing: str) -> None:
    assert all(
        plays_down(f"{thing} {how}.")
        for how in ("rất hiếm", "hiếm gặp", "thường do lo lắng", "tự khỏi", "không đáng lo")
    )
    assert not any(
        plays_down(f"{thing} {how}.") for how in ("không tự khỏi", "cần gọi 115 ngay", "có thể nặng lên")
    )


RELIEF = ("cắm lại được", "hết chảy máu", "hết sưng rồi", "bác sĩ khâu lại xong", "xe cấp cứu tới rồi", "được xuất viện", "bs gắn lại được", "nằm viện xong về nhà")  # fmt: skip
ASKS_OF_RELIEF = ("bao lâu thì {}", "nếu {} thì có cần đi nữa không", "chờ đến khi {} à", "bao giờ thì {}", "khi nào mới {}?", "mấy tiếng thì còn {}", "làm sao để {}", "{} không bác sĩ", "{} trong bao lâu")  # fmt: skip


@given(st.sampled_from(RELIEF), st.sampled_from(ASKS_OF_RELIEF), st.booleans())
def test_a_question_is_no_report_of_relief(relief: str, asked: str, plain: bool) -> None:
    if "rồi" in relief or "xong" in relief:
        asked = asked if asked[0] != "{" else ASKS_OF_RELIEF[0]
    text = asked.format(relief)
    text = fold(text) if plain else text
    assert not any((is_over(text), is_over(text, until_seen=True), is_helped(text)))


@given(
    st.sampled_from(["it has stopped", "it is fine now", "the dentist put it back", "they treated him", "the ambulance is here"]),
    st.sampled_from(["how long until {}", "when will we know {}", "can we wait till {}", "is it true {}?", "will it be that {}"]),
)  # fmt: skip
def test_an_english_question_is_no_report_of_relief(relief: str, asked: str) -> None:
    assert is_over(relief) or is_helped(relief)
    assert not any((is_over(asked.format(relief)), is_helped(asked.format(relief))))


@given(
    st.sampled_from(["máu cầm rồi", "bác sĩ khâu xong rồi", "nha sĩ cắm lại rồi", "bác sĩ khám rồi, không sao"]),
    st.sampled_from(["", ", bao lâu thì ăn được", " bao lâu thì lành", ". Giờ nên làm gì?", " giờ ăn gì được", ", mai đi làm được không"]),
)  # fmt: skip
def test_relief_told_before_a_question_is_heard(relief: str, asked: str) -> None:
    assert is_over(relief + asked) or is_helped(relief + asked)


@given(
    st.sampled_from(["my roommate", "he", "my sister", "a girl in my class"]),
    st.sampled_from(["cut her wrists", "slit his wrists", "tried to hang himself", "wants to die", "says she is going to kill herself", "took his own life tonight"]),
)  # fmt: skip
def test_self_harm_of_somebody_else_is_one(who: str, does: str) -> None:
    found = danger(f"{who} {does}, since losing front teeth")
    assert found is not None
    assert found.name == "self_harm"
    assert danger(f"{who} cut her lip a little while eating") is None


@given(
    st.sampled_from(["ngậm gạc", "cắn bông gòn", "cắn gạc đúng như dặn"]),
    st.sampled_from(["thay mấy lần vẫn đỏ lòm", "đổi ba lần rồi mà vẫn đỏ tươi", "mở ra coi vẫn đỏ lòm"]),
    st.sampled_from(["năm tiếng rồi", "giờ thấy hoa mắt", "chóng mặt quá", "tay lạnh ngắt"]),
)
def test_a_gauze_red_for_hours_or_in_who_grows_faint_is_bleeding(gauze: str, red: str, beside: str) -> None:
    found = danger(f"em {gauze} mà {red}, {beside}")
    assert found is not None
    assert found.name == "bleeding"
    assert danger(f"em {gauze}, gạc chỉ hơi hồng hồng, ăn cháo được chưa") is None


@given(
    st.sampled_from(["bé ngã xe", "hai đứa chạy va vào nhau", "học sinh đùa đụng nhau", "té cầu thang"]),
    st.sampled_from(["treo lủng lẳng", "tụt ra gần hết", "lòi ra một nửa", "trồi ra", "toòng teng"]),
    st.booleans(),
)
def test_a_tooth_that_hangs_after_a_blow_is_urgent_and_a_loose_one_without_is_not(
    blow: str, hangs: str, plain: bool
) -> None:
    told = f"{blow}, răng cửa {hangs}"
    assert danger(fold(told) if plain else told) is not None
    assert danger(f"răng sữa của bé lung lay {hangs}, có nên nhổ không") is None


@given(
    st.sampled_from(["Bài tập sinh học hỏi", "làm bài nhóm, có câu hỏi", "bài tập về nhà hỏi"]),
    st.sampled_from(["nhiễm trùng răng có thể lan xuống cổ", "áp xe răng có thể gây khó thở", "nhổ răng có thể chảy máu nhiều"]),
    st.booleans(),
)  # fmt: skip
def test_what_homework_asks_is_no_danger_and_what_happens_meanwhile_is(
    lesson: str, sign: str, plain: bool
) -> None:
    told = f"{lesson} vì sao {sign}, bác sĩ giải thích giúp em"
    assert danger(fold(told) if plain else told) is None
    assert danger("đang làm bài nhóm thì bạn em té văng cái răng cửa") is not None
    assert danger("nhiễm trùng răng lan xuống cổ rồi bác sĩ ơi") is not None


@given(
    st.sampled_from(["Xem phim thấy", "coi phim thấy", "đọc truyện thấy"]),
    st.sampled_from(["điệp viên", "gián điệp", "người ta"]),
    st.sampled_from(
        ["cắn viên thuốc độc giấu trong răng", "tự sát bằng thuốc giấu trong răng", "giấu thuốc rồi cắn"]
    ),
)
def test_what_a_film_shows_is_no_danger(seen: str, who: str, does: str) -> None:
    assert danger(f"{seen} {who} {does}, ngoài đời có thật không bác sĩ?") is None
    assert danger("em giấu thuốc ngủ rồi, muốn kết thúc hết") is not None


@given(
    st.sampled_from(["hôi", "thúi", "smell", "ghê"]),
    st.sampled_from(["quá", "quá trời", "dễ sợ", ""]),
    st.sampled_from(["muốn die luôn haha", "muốn chết luôn", "muốn chết"]),
)
def test_dying_of_a_smell_is_a_figure_of_speech(smell: str, much: str, dying: str) -> None:
    assert danger(f"hàm giả {smell} {much} {dying}, rửa bằng gì") is None
    assert danger(f"miệng em {smell} {much}, em muốn chết") is not None


@pytest.mark.parametrize(
    ("calm", "there"),
    [
        # A "no" before an English word is the English one; before a Vietnamese one, or a measured fever, it may be "nó".
        ("hôm qua em trám răng, hơi ê, no swelling no fever", "hôm qua em trám răng, hơi ê, no fever 39 độ"),
        ("con e moi nho rang, no bleeding, an gi dc", "con em no nuot cai rang roi"),
        # A child is one of the house; how such a thing spreads is asked as such.
        ("be nha em cam so mui, tram rang sua dc ko", "bé nhà em té bể cằm, máu nhiều"),
        ("School project: how an abscess spreads to the neck?", "my abscess spread to my neck, how do i stop it?"),
        # Nobody dies of a price; of what one owes, or where a comma parts the two, it is meant.
        ("niềng giá sốc quá em muốn chết luôn", "nợ nhiều, niềng đắt quá em muốn chết"),
        ("implant đắt quá tui muốn die", "implant đắt quá, tui muốn chết"),
        # Strong pills are counted by how strong they are; who lost count of what was taken since took too much.
        ("can I take 2 extra strength Tylenol", "Tylenol all night, took maybe 14 extra strength"),
        ("I've lost count of the painkillers I was offered", "I've lost count of how much Advil I took since noon"),
        # What is laid out for a week is none.
        ("pills lined up for the week as prescribed, I want it to be over", "pills lined up here, I want it to be over"),
        ("em đổ ra 2 viên thuốc uống mà không chịu nổi đau nữa", "thuốc bày sẵn trên bàn rồi, em muốn kết thúc"),
        # What caused it, or what to do with the tooth, is asked of what was told.
        ("cười tắt thở luôn. Răng khôn là răng số mấy?", "cười lệch một bên, chân yếu đi từ sáng. Có phải do răng khôn không?"),
        ("răng sữa tự rụng, bỏ răng vào đâu làm kỷ niệm?", "bị cùi chỏ trúng, răng cửa rớt ra ngoài, bỏ răng vào đâu?"),
        ("té ghế thì răng cửa hay văng ra, rửa răng bằng gì?", "té ghế, răng cửa văng ra, cách đây 20 phút, rửa răng bằng gì?"),
        # A breath that whistles and a face that is blue, with a word between.
        ("trời lạnh tím cả mặt, răng ê", "bé hít vào cái răng sữa, ho tím cả mặt, thở cứ rít"),
    ],
)  # fmt: skip
def test_a_concept_is_met_in_mixed_words_and_not_beyond_its_bounds(calm: str, there: str) -> None:
    assert danger(calm) is None
    assert danger(there) is not None


@pytest.mark.parametrize(
    "meal", ["đang ngồi ăn cơm", "đang ăn tối", "was having dinner", "vừa cắn miếng bánh"]
)
@pytest.mark.parametrize("face", ["méo miệng", "méo một bên mặt", "face drooped on one side"])
@pytest.mark.parametrize("speech", ["nói không ra tiếng", "tay trái yếu", "can't speak"])
def test_a_stroke_at_table_is_no_choking(meal: str, face: str, speech: str) -> None:
    told = danger(f"{meal}, {face}, {speech}")
    assert told is not None
    assert (told.name, told.severe) == ("nerve", True)


@pytest.mark.parametrize("stuck", ["hóc xương", "nghẹn miếng thịt"])
def test_what_is_choked_on_is_choking_whatever_the_face(stuck: str) -> None:
    told = danger(f"đang ăn bị {stuck}, mặt méo xệch, nói không ra tiếng, không thở được")
    assert told is not None
    assert told.name == "choking"


# What a message is about that tells of nobody: a program, a paper, a character, a fear of what never came, a laugh; then what
# somebody has, told beside the same words.
OF_NOBODY = (
    "Your booking app keeps choking on the payment page", "this clinic website is choking again",
    "thi rớt môn giải phẫu răng, em muốn chết quá haha", "rớt môn rồi muốn chết quá hihi, nha khoa có tuyển ctv không",
    "em đang tập sự nha khoa, cho em hỏi phác đồ xử trí chảy máu sau nhổ răng gồm mấy bước",
    "cười đau cả hàm luôn haha, à mà phòng khám có làm chủ nhật không",
    "em đang làm tiểu luận về sốc phản vệ trong nha khoa, cho em xin nguồn", "em đang chuẩn bị bài thuyết trình về choking, cho em vài ý",
    "A character gets a black eye and a broken jaw. Could he talk with his jaw wired?",
    "I'm scared that I might bleed a lot if I ever have a tooth out", "con em đang thay răng, răng sữa rơi ra lúc ngủ",
)  # fmt: skip
OF_SOMEBODY = (
    "I was on your booking app and now my son is choking on a crown", "I'm in my car choking on a crown",
    "thi rớt, em muốn chết, haha, em mệt mỏi quá rồi", "thi rớt, em muốn chết", "thi rớt em muốn chết quá haha, em gom 30 viên thuốc ngủ rồi",
    "em đang tập sự nha khoa, sáng nay nhổ răng xong giờ chảy máu không cầm được",
    "em đang làm tiểu luận thì con em nuốt cái mão răng, ho sặc sụa", "cười đau cả hàm, giờ má sưng phồng, sốt 39 độ sau nhổ răng",
    "I'm scared, I had a tooth out and it won't stop bleeding", "con em té, răng cửa văng ra khỏi ổ",
    "I'm scared I might choke. I swallowed my crown and I can't breathe", "con em 6 tuổi răng sữa rơi ra sau khi té, chảy máu nhiều",
    "con em đang thay răng, bị bạn xô té văng răng sữa, chảy máu nhiều", "baby tooth knocked out, what do I do", "máu đầy cả miệng sau nhổ răng",
    "ba tôi đang ăn xôi thì nghẹn, ông không nói được câu nào", "con em 8 tháng chạm vô ổ điện bằng miệng, môi cháy đen",
)  # fmt: skip


@pytest.mark.parametrize("told", OF_NOBODY)
def test_what_a_message_is_about_that_tells_of_nobody_is_no_danger(told: str) -> None:
    assert [text for text in (told, fold(told)) if danger(text) is not None] == []


@pytest.mark.parametrize("told", OF_SOMEBODY)
def test_what_somebody_has_beside_such_words_is_a_danger(told: str) -> None:
    assert [text for text in (told, fold(told)) if danger(text) is None] == []


@pytest.mark.parametrize("sign", ["má sưng to lan xuống cổ", "nhổ răng máu chảy hoài không cầm", "tiêm tê xong nổi mề đay khắp người"])  # fmt: skip
@pytest.mark.parametrize("said", ["giờ hơi ấm ấm thôi", "hơi choáng thôi", "chi hoi met thoi", "just a bit tired", "bé nhà tôi dị ứng cua", "để sáng mai ghé phòng khám răng được không", "đi xe tới bệnh viện răng hàm mặt 20 phút kịp không", "cho uống tạm mấy viên kháng sinh cũ rồi tối hãy đi nghe", "đang trên taxi, để nằm ngửa hay ngồi"])  # fmt: skip
def test_who_plays_it_down_or_asks_of_the_way_is_still_in_it(sign: str, said: str) -> None:
    now = datetime(2026, 11, 23, 3, tzinfo=UTC)
    for text in (said, fold(said)):
        card = reply(sign, [], None, now, "vi")
        assert card is not None
        later = reply(text, [sign], card.emergency, now, "vi")
        assert later is not None
        assert later.emergency is not None
        assert not later.aside


@pytest.mark.parametrize("done", ["bác sĩ khâu xong rồi", "bác sĩ ở viện rút mủ xong rồi, hết sưng", "nha sĩ cắm lại răng xong rồi ạ"])  # fmt: skip
@pytest.mark.parametrize("asked", ["giờ về ăn gì", "bao lâu thì lành?", "răng sữa có cần chữa không"])
def test_what_is_asked_once_it_is_over_is_heard(done: str, asked: str) -> None:
    assert asks_beside(f"{done}, {asked}")
    assert not asks_beside(done)


@pytest.mark.parametrize("lang", ["vi", "en"])
@pytest.mark.parametrize("fall", ["té xe", "bị đập vào bàn", "ngã cầu thang"])
@pytest.mark.parametrize("plain", [False, True])
def test_a_tooth_that_broke_is_no_tooth_that_came_out(fall: str, lang: str, *, plain: bool) -> None:
    broke, out = f"{fall} gãy răng cửa", f"{fall} răng cửa văng ra ngoài"
    if lang == "en":
        broke, out = "fell off my bike and my front tooth snapped in half", "fell off my bike and my front tooth fell out on the road"  # fmt: skip
    name_of = [danger(fold(text) if plain else text) for text in (broke, out)]
    assert [found.name if found else None for found in name_of] == ["trauma", "knocked_out"]


@pytest.mark.parametrize("cool", ["đo lại 36,9 k sốt", "đo lại 37 độ rồi", "cặp lại 36.8 độ, hết sốt"])
@pytest.mark.parametrize("asked", ["", ", má cũng k sưng. z tối nay làm j cho bé đỡ đau"])
def test_a_fever_that_was_measured_again_is_over_by_itself_alone(cool: str, asked: str) -> None:
    assert _followed_up("nhổ răng xong sốt 39 độ, lạnh run", f"{cool}{asked}") is None
    # What is worse beside it, and what another danger is, stay.
    for worse in ("nhưng khó thở quá", "mà máu vẫn chảy ướt đẫm gối", ". nuốt không được, chảy dãi"):
        assert _followed_up("nhổ răng xong sốt 39 độ, lạnh run", f"{cool} {worse}") is not None
    for other in ("má sưng to không há được miệng, sốt 38,5", "uống 20 viên panadol", "con té văng răng cửa"):
        assert _followed_up(other, f"{cool}{asked}") is not None


@pytest.mark.parametrize(
    "hot", ["đo lại 38,5", "lúc nãy 37 giờ 39,2 độ", "đo lại 38 độ", "lúc nãy 39 độ, giờ 37,2"]
)
def test_a_fever_that_is_still_measured_goes_on(hot: str) -> None:
    assert _followed_up("nhổ răng xong sốt 39 độ, lạnh run", hot) is not None


def _raised(text: str) -> bool:
    return reply(text, [], None, datetime(2026, 11, 23, tzinfo=UTC), "vi") is not None


@pytest.mark.parametrize("medicine", ["hapacol", "efferalgan", "paracetamol", "panadol"])
@pytest.mark.parametrize(
    "asked", ["bn mg v mn, mấy tiếng 1 lần?", "bao nhiêu mg vậy mọi người, mấy tiếng một lần?"]
)
def test_who_only_asks_how_much_is_given_has_given_none_too_much(medicine: str, asked: str) -> None:
    assert not _raised(f"bé 3t 14kg hâm hấp vs đau răng, m cho uống {medicine} {asked}")
    # What was taken, by amount or by mistake, is a danger whatever is asked beside it.
    for taken in ("bé uống 10 viên {} rồi, {}", "bé uống nhầm {} của người lớn, {}"):
        assert _raised(taken.format(medicine, asked))


@pytest.mark.parametrize("tool", ["xà phòng", "bàn chải với xà phòng", "bàn chải"])
@pytest.mark.parametrize("tooth", ["răng dính đất", "cái răng bẩn quá", "răng rơi xuống cát"])
def test_what_a_card_forbids_by_its_name_is_no_other_matter(tool: str, tooth: str) -> None:
    told = "con trai 10 tuổi ngã xe đạp, răng cửa vĩnh viễn văng ra"
    now = datetime(2026, 11, 23, tzinfo=UTC)
    first = reply(told, [], None, now, "vi")
    assert first is not None
    later = reply(f"{tooth}, lấy {tool} cọ cho sạch được không", [told], first.emergency, now, "vi")
    assert later is not None
    assert not later.aside
    assert "không dùng xà phòng" in later.text


@pytest.mark.parametrize("piece", ["mảnh", "mẩu"])
@pytest.mark.parametrize("kept", ["nhặt được", "giữ lại", "gói lại"])
def test_a_piece_that_is_kept_is_no_tooth_that_came_out(piece: str, kept: str) -> None:
    found = danger(f"con em té gãy một {piece} răng cửa, {kept}, ngâm vào đâu")
    assert found is not None
    assert found.name == "trauma"
    out = danger(f"con em té văng cả cái răng cửa, gãy thêm một {piece} răng bên, {kept}, ngâm vào đâu")
    assert out is not None
    assert out.name == "knocked_out"


@pytest.mark.parametrize("out", ["rớt", "rụng", "văng ra", "rơi ra"])
@pytest.mark.parametrize("no", ["không", "ko", "chưa", "không bị", "chưa bị"])
def test_a_tooth_that_did_not_come_out_is_loose_and_one_that_did_is_knocked_out(no: str, out: str) -> None:
    told = {
        f"em bị bóng đập vô mồm, răng cửa {no} {out} nhưng lung lay, lệch vô trong": "trauma",
        f"té xe {out} cái răng cửa, không tìm thấy": "knocked_out",
    }
    assert {text: found.name for text in told if (found := danger(text))} == told
    bleeds = danger(f"té xe, răng cửa {out} rồi, máu không cầm")
    assert bleeds is not None
    assert bleeds.name != "trauma"


@pytest.mark.parametrize(
    "no", ["didn't fall out", "did not come out", "hasn't come out", "has not been knocked out"]
)
def test_an_english_tooth_that_did_not_come_out_is_loose(no: str) -> None:
    found = danger(f"a ball hit me and my front tooth {no} but it is loose")
    assert found is not None
    assert found.name == "trauma"


@pytest.mark.parametrize(
    "sent", ["Đưa bé đi nha sĩ hôm nay", "Đến bệnh viện ngay", "Gọi nha sĩ, mang theo chiếc răng"]
)
@pytest.mark.parametrize(
    "looked",
    ["răng đã ra trọn chưa", "xương ổ có bị gì không", "chân răng có gãy sót không", "răng đã ra hết chưa"],
)
def test_to_look_is_not_to_wait_where_somebody_who_helps_does(sent: str, looked: str) -> None:
    told = f"{sent}, để xem {looked}."
    assert without_contrary(told, "knocked_out", "vi") == told
    assert without_contrary(f"Cứ để xem {looked}.", "knocked_out", "vi") == ""
    for waits in (
        "có đỡ không",
        "sao",
        "vài hôm",
        "thế nào đã",
        "có tự chắc lại không",
        "mai có bớt sưng không",
    ):
        assert without_contrary(f"{sent}, để xem {waits}.", "knocked_out", "vi") == f"{sent}."
