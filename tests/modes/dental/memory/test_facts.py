"""Pinned facts: what is stated is found in every spelling, what is only asked is not; eight facts outlive forty turns."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.modes.dental_memory import dental_house, store_of
from tests.support.stores.services import profile
from troly.text.catalogue import Lang
from troly.text.fold import fold
from troly_dental.emergency import reply
from troly_dental.memory.connection import open_memory
from troly_dental.memory.facts import (
    about_the_same,
    denies_all,
    facts_for_prompt,
    find_facts,
    is_denied,
    mentions,
    only_states,
    person_of,
    revise,
    same_person,
    short,
)
from troly_dental.memory.summary import fitted, joined, rule_summary
from troly_dental.memory.types import Fact
from troly_dental.safety import none_known, what_they_mean, wishes


def found(text: str) -> set[tuple[str, str]]:
    return {(fact.kind, fact.value) for fact in find_facts(text)}


STATED = [
    ("Tôi dị ứng penicillin, đang uống warfarin mỗi ngày", {("allergy", "penicillin"), ("medicine", "warfarin")}),
    ("I'm allergic to latex and take warfarin", {("allergy", "latex"), ("medicine", "warfarin")}),
    ("tôi dị ứng latex và uống warfarin", {("allergy", "latex"), ("medicine", "warfarin")}),
    ("em bị tiểu đường và cao huyết áp", {("disease", "tiểu đường"), ("disease", "cao huyết áp")}),
    ("đang mang thai 5 tháng có nhổ răng được không", {("pregnancy", "mang thai 5 tháng")}),
    ("có thai 3 tháng đau răng thì uống gì", {("pregnancy", "có thai 3 tháng")}),
    ("Bầu 7 tháng rồi ạ", {("pregnancy", "Bầu 7 tháng")}),
    ("bé nhà em năm tuổi", {("age", "năm tuổi")}),
    ("my son is five years old", {("age", "five years old")}),
    ("mẹ tôi bảy mươi lăm tuổi", {("age", "bảy mươi lăm tuổi")}),
    ("em bầu tuần thứ 12", {("pregnancy", "em bầu tuần thứ 12")}),
    ("I am twenty weeks pregnant", {("pregnancy", "twenty weeks pregnant")}),
    ("bị tiểu đường có trồng răng được không", {("disease", "tiểu đường")}),
    ("bị loãng xương tiêm prolia 6 tháng 1 lần", {("disease", "loãng xương"), ("medicine", "prolia")}),
    ("em đang cho con bú", {("pregnancy", "cho con bú")}),
    ("răng số 6 hàm dưới bên trái đau", {("tooth", "răng số 6 hàm dưới bên trái")}),
    ("răng 16 26 36 bị sâu", {("tooth", "răng 16 26 36")}),
    ("R36 đau", {("tooth", "R36")}),
    ("hẹn ngày 12/05/2024", {("date", "ngày 12/05/2024")}),
    ("đau 3 ngày rồi", {("number", "3 ngày")}),
    ("dị ứng hải sản, tôm, phấn hoa", {("allergy", "hải sản, tôm, phấn hoa")}),
    ("bé 3t bị đau răng", {("age", "3t")}),
    ("tôi không dị ứng thuốc gì", {("allergy", "dị ứng")}),
    ("người bị tiểu đường như tôi có cấy implant được không", {("disease", "tiểu đường")}),
    ("tên tôi là Nguyễn Văn An", {("name", "Nguyễn Văn An")}),
    ("I'm allergic to latex and I take metformin", {("allergy", "latex"), ("medicine", "metformin")}),
    ("I am 20 weeks pregnant", {("pregnancy", "20 weeks pregnant")}),
    ("My name is John Smith. Tooth 14 hurts since May 5", {("name", "John Smith"), ("tooth", "Tooth 14"), ("date", "May 5")}),
    ("I have asthma", {("disease", "asthma")}),
    ("I'm allergic to dental anaesthetic and it is severe", {("allergy", "dental anaesthetic")}),
    ("my allergy to bee stings is common", {("allergy", "bee stings")}),
    ("is amoxicillin ok? I'm allergic to penicillin", {("allergy", "penicillin")}),
]  # fmt: skip
ASKED = [
    "bà bầu có nhổ răng được không?",
    "có nên uống amoxicillin không",
    "Can I take ibuprofen while pregnant?",
    "phụ nữ mang thai chụp X quang răng được không",
    "người bị tiểu đường có cấy implant được không",
    "Is it safe for pregnant women to whiten teeth?",
    "dị ứng thuốc tê biểu hiện thế nào?",
    "tiểu đường thì có nhổ răng được không",
    "có phải dị ứng thuốc tê không bác sĩ",
    "is allergy to a dental anaesthetic common?",
    "are many people allergic to penicillin?",
    "cho em hỏi dị ứng thuốc tê có hay gặp không ạ?",
    "chị ơi dị ứng hải sản thì tiêm tê được không?",
    "em nghe nói dị ứng thuốc tê nguy hiểm lắm",
    "nếu tôi dị ứng thuốc tê thì sao?",
    "giả sử tôi đang mang thai thì có chụp phim được không?",
    "if I were allergic to latex, what gloves would you use?",
    "dị ứng latex là sao",
    "cảm ơn bác sĩ",
    "",
]


@pytest.mark.parametrize(("text", "wanted"), STATED)
def test_what_is_stated_is_pinned_in_every_spelling(text: str, wanted: set[tuple[str, str]]) -> None:
    assert found(text) == wanted
    assert {(kind, fold(value)) for kind, value in wanted} <= {
        (kind, fold(value)) for kind, value in found(unicodedata.normalize("NFD", text))
    }
    assert {(kind, fold(value)) for kind, value in found(text.upper())} == {
        (kind, fold(value)) for kind, value in wanted
    }


@pytest.mark.parametrize("text", [text for text, _ in STATED if not text.isascii() and "tên" not in text])
def test_without_diacritics_the_same_is_found(text: str) -> None:
    bare = {(kind, fold(value)) for kind, value in found(fold(text))}
    assert bare == {(kind, fold(value)) for kind, value in found(text)}


@pytest.mark.parametrize("who", ["ba tôi", "mẹ em", "con trai", "vợ mình", "my dad", "my son"])
@pytest.mark.parametrize(
    "said", ["{who} dị ứng penicillin", "{who} 60 tuổi, đang uống warfarin", "{who} has asthma"]
)
def test_a_fact_knows_whom_it_is_about(who: str, said: str) -> None:
    facts = [fact for fact in find_facts(said.format(who=who)) if fact.kind != "number"]
    assert facts
    assert {person_of(fact.text) for fact in facts} == {who}


@pytest.mark.parametrize(
    "said",
    [
        "tôi dị ứng penicillin",
        "tôi lây viêm gan b từ vợ tôi",
        "mẹ em khỏe, em thì bị hen suyễn",
        "I have asthma",
    ],
)
def test_what_one_says_of_oneself_is_about_nobody_else(said: str) -> None:
    assert [person_of(fact.text) for fact in find_facts(said)] == [""]


@pytest.mark.parametrize("tooth", ["răng khôn", "răng số 6", "răng hàm", "wisdom teeth"])
@pytest.mark.parametrize(
    "asked", ["{} thường mọc ở độ tuổi nào?", "{} có mấy chân?", "how many roots do {} have?"]
)
def test_a_tooth_of_a_general_question_is_nobodys(tooth: str, asked: str) -> None:
    assert not [fact for fact in find_facts(asked.format(tooth)) if fact.kind == "tooth"]


@pytest.mark.parametrize("text", ASKED)
def test_what_is_only_asked_is_no_fact(text: str) -> None:
    assert not {fact.kind for fact in find_facts(text)} & {
        "allergy",
        "medicine",
        "pregnancy",
        "disease",
        "name",
    }


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for fact in find_facts(text):
        assert fact.value
        assert fact.text
        assert "\n" not in fact.text


@given(st.lists(st.sampled_from(STATED), min_size=1, max_size=6))
def test_sentences_put_together_lose_nothing(parts: list[tuple[str, set[tuple[str, str]]]]) -> None:
    together = found(". ".join(text for text, _ in parts))
    assert set().union(*(wanted for _, wanted in parts)) <= together


def test_mentions_needs_whole_words() -> None:
    assert mentions("Dị ứng PENICILLIN nặng", "penicillin")
    assert mentions("di ung hai san", "hải sản")
    assert not mentions("răng 160", "răng 16")
    assert not mentions("gì cũng được", "")


def test_what_can_do_harm_is_told_first_and_always() -> None:
    many = [Fact("number", f"{n} cái", f"{n} cái răng " * 10, id=n) for n in range(1, 60)]
    harm = [
        Fact("allergy", "latex", "dị ứng latex", id=60),
        Fact("medicine", "warfarin", "uống warfarin", id=61),
    ]
    told = facts_for_prompt([*harm, *many], tokens=200)
    assert set(harm) <= set(told)
    numbers = [fact.id for fact in told if fact.kind == "number"]
    assert numbers
    assert numbers == list(range(min(numbers), 60))
    assert facts_for_prompt(harm, tokens=0) == tuple(harm)


FACTS: dict[Lang, list[tuple[str, str]]] = {
    "vi": [
        ("Tên tôi là Trần Thị Mai", "Mai"),
        ("Tôi bị dị ứng penicillin", "penicillin"),
        ("Tôi đang uống warfarin hằng ngày", "warfarin"),
        ("Tôi đang mang thai 20 tuần", "20 tuần"),
        ("Tôi bị hở van tim", "hở van tim"),
        ("Răng số 46 của tôi bị sâu", "46"),
        ("Lịch hẹn của tôi là ngày 05/12/2026", "05/12/2026"),
        ("Tôi đã trám 3 cái răng", "3 cái"),
    ],
    "en": [
        ("My name is John Smith", "John Smith"),
        ("I'm allergic to latex", "latex"),
        ("I take metformin every morning", "metformin"),
        ("I am 20 weeks pregnant", "20 weeks"),
        ("I have asthma", "asthma"),
        ("Tooth 14 was drilled", "14"),
        ("My appointment is on 05/12/2026", "05/12/2026"),
        ("I had 3 fillings last year", "3 fillings"),
    ],
}


@pytest.mark.parametrize("lang", ["vi", "en"])
@pytest.mark.parametrize("bare", [False, True])
async def test_eight_facts_stated_forty_turns_later_all_eight_are_in_the_context(
    own_home: Path, lang: Lang, bare: bool
) -> None:
    """The loss test: facts, summary and last messages as a prompt gets them; the figure is 8 of 8."""
    filler = "Đánh răng thế nào cho đúng cách?" if lang == "vi" else "How should teeth be brushed?"
    answer = (
        "Chải nhẹ nhàng theo vòng tròn trong 2 phút. "
        if lang == "vi"
        else "Brush gently in circles for 2 minutes. "
    ) * 8
    with dental_house(own_home) as services:
        async with open_memory(services, profile("an")) as memory:
            said = [*(fold(text) if bare else text for text, _ in FACTS[lang]), *[filler] * 40]
            for question in said:
                old = await memory.get_old_messages("c")
                summary = joined(await memory.get_summary("c"), rule_summary(question, answer, lang))
                await memory.add_message("c", "user", question)
                await memory.add_message("c", "assistant", answer)
                await memory.set_summary("c", fitted(summary, 900), old.total_count + 2 >= 10)
            facts = await memory.get_facts("c")
            context = await memory.get_context("c")
            summary = await memory.get_summary("c")
            assert memory.problem == ""
        assert len(context) == 6
        told = "\n".join([*(fact.text for fact in facts), summary, *(one["content"] for one in context)])
        kept = [value for _, value in FACTS[lang] if mentions(told, value)]
        assert len(kept) == 8, {value for _, value in FACTS[lang]} - set(kept)
        assert len(store_of(services).get_all_messages("c")) == 96


@pytest.mark.parametrize(
    "text",
    [
        "cháu học lớp 6",
        "đau 2 tieng rồi",
        "bác sĩ tim mạch của tôi đi vắng",
        "khoa ung thư ở đâu",
        "mỗi ngày chải 1 lần thôi",
        "a heart failure clinic",
    ],
)
def test_what_says_nothing_of_ones_health_or_is_over_tomorrow_is_kept_nowhere(text: str) -> None:
    assert not {kind for kind, _ in found(text)} & {"number", "disease"}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("con trai", "bé nhà em", True),
        ("chồng tôi", "ông xã", True),
        ("my son", "my kid", True),
        ("", "", True),
        ("", "bé", False),
        ("vợ tôi", "chồng tôi", False),
        ("ba tôi", "mẹ tôi", False),
    ],
)
def test_names_of_one_person_are_told_from_those_of_two(one: str, other: str, same: bool) -> None:
    assert same_person(one, other) is same


THINGS = ("miếng gạc", "cái răng", "lần", "tuần", "ngày", "viên", "răng sâu", "ghế")
DAYS = ("thứ hai", "thứ ba", "thứ tư", "thứ năm", "thứ sáu", "thứ bảy")


@given(st.sampled_from(THINGS), st.sampled_from(DAYS), st.booleans())
def test_a_place_in_a_row_is_no_weekday(thing: str, place: str, bare: bool) -> None:
    said, day = f"tới {thing} {place} rồi mà máu vẫn chảy", f"hẹn khám sáng {place}"
    assert "date" not in {kind for kind, _ in found(fold(said) if bare else said)}
    assert ("date", fold(place) if bare else place) in found(fold(day) if bare else day)


@given(
    st.integers(1, 99),
    st.sampled_from(("môi", "cái", "bữa", "giấc", "người", "con", "bậc thang", "triệu", "lips")),
)
def test_what_is_counted_is_kept_only_where_it_measures_or_counts_teeth(count: int, thing: str) -> None:
    assert "number" not in {kind for kind, _ in found(f"hôm qua {count} {thing} thôi")}
    for said in (f"đau {count} ngày rồi", f"nhổ {count} cái răng", f"I had {count} fillings"):
        assert "number" in {kind for kind, _ in found(said)}, said


MEDICINES = ("kháng sinh", "ibuprofen", "aspirin", "amoxicillin", "giảm đau")
TAKEN = ("tôi đang uống {}", "em uống {} mỗi ngày", "bé mới uống {} lúc nãy", "hay là do em đang uống {}", "em hay quên uống {}", "đang uống {}, định nhổ răng", "uống {} nhổ răng sao giờ?", "bác sĩ chỉ định dùng {}", "viêm mãn tính dùng {}")  # fmt: skip
NOT_TAKEN = ("uống {} được không", "hay mình uống tạm mấy viên {}", "hay là uống {} nhỉ?", "uống {} hả bác?", "em định uống {}", "tôi tính mua {}", "{} bao lâu hết", "uống {} bao lâu thì khỏi", "can I take {}?", "I am thinking of taking {}")  # fmt: skip


@given(st.sampled_from(MEDICINES), st.sampled_from(TAKEN), st.sampled_from(NOT_TAKEN), st.booleans())
def test_a_medicine_is_kept_where_it_is_taken_not_where_it_is_asked_about_or_thought_of(
    medicine: str, taken: str, other: str, bare: bool
) -> None:
    spelled = fold if bare else str
    assert ("medicine", spelled(medicine)) in found(spelled(taken.format(medicine)))
    assert "medicine" not in {kind for kind, _ in found(spelled(other.format(medicine)))}


# Names that no list has, of the shape that no Vietnamese word has.
UNLISTED = st.tuples(
    st.sampled_from(("zem", "xyr", "lofra", "kerv", "dreb")),
    st.sampled_from(("iplan", "azol", "udrine", "ostrel")),
).map("".join)
TAKES_IT = ("my mum takes {} for her bones", "My dad is on {}, can he have a tooth out?", "she takes {} and needs a molar out", "I take {} and need a molar out, should I stop it first?", "mẹ em uống {}, nhổ răng có phải ngưng không", "bà ngoại đang dùng thuốc {} thì nhổ răng được không", "tôi dùng {} có nhổ răng được không", "my mum is on aspirin and takes {}")  # fmt: skip
ASKS_OF_IT = ("can I take {} after a filling?", "should my mum take {}?", "mẹ em uống {} có được không", "tôi uống {} trước khi nhổ răng được không", "em định uống {}", "what if someone takes {}", "em uống {} để trám răng được không")  # fmt: skip


@given(UNLISTED, st.sampled_from(TAKES_IT), st.sampled_from(ASKS_OF_IT), st.booleans())
def test_what_stands_behind_taking_is_a_medicine_by_its_own_name(
    name: str, taken: str, other: str, bare: bool
) -> None:
    spelled = fold if bare else str
    assert ("medicine", name) in found(spelled(taken.format(name)))
    assert ("medicine", name) not in found(spelled(other.format(name)))


@pytest.mark.parametrize(
    "thing", ["care of her teeth", "ages to brush", "the bus", "photos", "hours", "pill"]
)
def test_what_is_no_name_of_a_medicine_is_not_taken(thing: str) -> None:
    assert "medicine" not in {kind for kind, _ in found(f"my mum takes {thing}")}
    assert "medicine" not in {kind for kind, _ in found("my mum is on holiday, can she wait")}
    assert found("my dog takes rimadyl") == set()
    assert {person_of(fact.text) for fact in find_facts("he told me to take tramadol daily")} <= {""}


@pytest.mark.parametrize(
    ("asked", "whose"),
    [
        ("remind me, what medicine did I say she was on?", {"my mum", "me"}), ("what did I tell you my mum takes", {"my mum"}),
        ("thuốc em nói lúc nãy là gì", {"my mum", "me"}), ("what did I say I take?", {"me"}), ("em nói em uống thuốc gì", {"me"}),
        ("nhắc lại giúp em mẹ em uống thuốc gì", {"my mum"}), ("is it safe to pull a tooth", {"my mum", "me"}),
    ],
)  # fmt: skip
def test_who_says_something_need_not_be_whom_it_is_said_of(asked: str, whose: set[str]) -> None:
    facts = find_facts("My mum takes alendronate. I take aspirin.")
    kept = {person_of(fact.text).lower() or "me" for fact in about_the_same(facts, asked)}
    assert whose <= kept
    assert "my mum" in whose or "my mum" not in kept


@given(
    st.sampled_from(("mẹ tôi", "ba em", "chồng mình")),
    st.sampled_from((*MEDICINES, "thuốc tê")),
    st.booleans(),
)
def test_what_a_body_reacted_to_is_an_allergy_of_that_one_alone(who: str, medicine: str, bare: bool) -> None:
    spelled = fold if bare else str
    reaction = f"từng bị sốc {medicine}"
    assert found(spelled(f"em {reaction}")) == {("allergy", spelled(medicine))}
    [hers] = find_facts(spelled(f"{who} {reaction}, {who} sắp nhổ răng"))
    assert (hers.kind, person_of(hers.text)) == ("allergy", spelled(who))
    assert who in "".join(what_they_mean(find_facts(f"{who} {reaction}"), "vi"))
    # The question is about oneself: hers is kept nowhere.
    assert find_facts(spelled(f"{who} {reaction}, vậy tôi có phải kể không")) == ()


REACTIONS = ("nổi mẩn", "nổi mề đay khắp người", "ngứa khắp người", "sưng môi")
REACTED = ("uống {drug} bị {did}", "em uống {drug} là {did}", "uống {drug} xong thì {did}", "em {did} khi uống {drug}", "uống {drug} xong, {did}")  # fmt: skip
NOT_REACTED = ("em uống {drug} mà không {did}", "đang uống {drug} để trị {did}", "em {did}, đang uống {drug}", "uống {drug} vì {did}")  # fmt: skip


@given(
    st.sampled_from(("amoxicillin", "ibuprofen", "aspirin", "lidocaine")),
    st.sampled_from(REACTIONS),
    st.sampled_from(REACTED),
    st.sampled_from(NOT_REACTED),
    st.booleans(),
)
def test_a_medicine_that_the_body_reacted_to_is_an_allergy(
    drug: str, did: str, reacted: str, other: str, bare: bool
) -> None:
    spelled = fold if bare else str
    assert found(spelled(reacted.format(drug=drug, did=did))) == {("allergy", drug)}
    assert "allergy" not in {kind for kind, _ in found(spelled(other.format(drug=drug, did=did)))}


CORRECTED = [
    (["tôi dị ứng penicillin", "à nhầm, không phải penicillin mà là ibuprofen"], {("allergy", "ibuprofen", "")}),
    (["tôi dị ứng penicillin", "ibuprofen chứ không phải penicillin"], {("allergy", "ibuprofen", "")}),
    (["I'm allergic to penicillin", "sorry, not penicillin, I meant ibuprofen"], {("allergy", "ibuprofen", "")}),
    (["bé 5 tuổi bị đau răng", "nhầm, 3 tuổi"], {("age", "3 tuổi", "bé")}),
    (["bé 5 tuổi à nhầm 3 tuổi bị đau răng"], {("age", "3 tuổi", "bé")}),
    (["em bầu 5 tháng, í lộn, gần 6 tháng rồi"], {("pregnancy", "em bầu 5 tháng", "")}),
    (["tôi dị ứng penicillin", "í lộn, con mình chứ không phải mình"], {("allergy", "penicillin", "con mình")}),
    (["tôi uống warfarin", "sorry, it's my mom who takes it, not me"], {("medicine", "warfarin", "my mom")}),
    (["mẹ tôi bị tiểu đường", "à lộn, tôi chứ không phải mẹ tôi"], {("disease", "tiểu đường", "")}),
    (["mẹ tôi dị ứng penicillin", "tôi cũng dị ứng penicillin"], {("allergy", "penicillin", "mẹ tôi"), ("allergy", "penicillin", "")}),
    (["con em dị ứng aspirin, em thì bị hen suyễn"], {("allergy", "aspirin", "con em"), ("disease", "hen suyễn", "")}),
    (["cho em hỏi mẹ em đang uống warfarin"], {("medicine", "warfarin", "mẹ em")}),
    (["tôi uống nhầm 2 viên panadol"], {("medicine", "panadol", "")}),
]  # fmt: skip


@pytest.mark.parametrize(("said", "wanted"), CORRECTED)
@pytest.mark.parametrize("bare", [False, True])
def test_a_correction_replaces_what_was_said_and_persons_keep_their_own(
    own_home: Path, said: list[str], wanted: set[tuple[str, str, str]], bare: bool
) -> None:
    with dental_house(own_home) as services:
        store = store_of(services)
        for message in said:
            store.add_message("c", "user", fold(message) if bare else message)
            store.add_message("c", "assistant", "Vâng.")
        facts = [fact for fact in store.facts("c") if fact.kind not in {"number", "tooth"}]
        kept = {(fact.kind, fold(fact.value), fold(person_of(fact.text))) for fact in facts}
        assert kept == {(kind, fold(value), fold(person)) for kind, value, person in wanted}
        if "tháng" in said[-1]:
            assert not store.facts("c")[0].text.count("5")


def test_what_is_asked_for_one_is_not_weighed_by_the_facts_of_another() -> None:
    facts = find_facts("mẹ tôi dị ứng penicillin, tôi bị hen suyễn. dị ứng hải sản")
    assert {fact.value for fact in about_the_same(facts, "mẹ tôi uống gì được")} == {
        "penicillin",
        "hải sản",
    }
    assert {fact.value for fact in about_the_same(facts, "ông cụ uống gì được")} == {"penicillin", "hải sản"}
    assert about_the_same(facts, "tôi cho mẹ uống aspirin được không") == facts
    assert about_the_same(facts, "uống aspirin được không") == facts


CHILD = ("con tôi", "bé nhà em", "my son")


@pytest.mark.parametrize("whose", CHILD)
@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("răng tôi đau, uống amoxicillin được không", False),
        ("em bị sưng lợi, uống amoxicillin được không?", False),
        ("my tooth hurts, can I take amoxicillin?", False),
        ("chồng tôi đau răng, uống amoxicillin được không", False),
        ("con tôi khỏe rồi, giờ răng tôi đau, uống amoxicillin được không", False),
        ("uống amoxicillin được không", True),
        ("cho em hỏi uống amoxicillin được không", True),
        ("răng tôi ổn, bé uống amoxicillin được không", True),
        ("tôi cho bé uống amoxicillin được không", True),
        ("tôi mua amoxicillin cho uống được không", True),
        ("should I give him amoxicillin?", True),
        ("tôi đưa con tôi đi khám, bác sĩ kê amoxicillin, uống được không", True),
    ],
)
def test_the_fact_of_a_child_stays_the_childs(whose: str, asked: str, kept: bool) -> None:
    verb = "is allergic to" if whose == "my son" else "dị ứng"
    facts = find_facts(f"{whose} {verb} amoxicillin")
    assert facts
    assert (about_the_same(facts, asked) == facts) is kept
    own = find_facts("tôi dị ứng amoxicillin")
    assert about_the_same(own, "răng tôi đau, uống amoxicillin được không") == own


@pytest.mark.parametrize("one", ["mẹ", "ba", "vợ", "bà nội", "con dâu"])
@pytest.mark.parametrize("what", ["bị tiểu đường", "dị ứng penicillin", "đang uống warfarin"])
def test_a_relative_is_the_same_however_her_own_is_written(one: str, what: str) -> None:
    (short,), (full,) = find_facts(f"{one} e {what}"), find_facts(f"{one} em {what}")
    assert same_person(person_of(short.text), person_of(full.text))
    assert person_of(short.text)
    # "Có ê", "còn ê" are nobody.
    assert person_of("uong lanh co e khong") == person_of("rang con e khi uong lanh") == ""
    assert person_of("chị e ơi cho hỏi") == ""


@pytest.mark.parametrize(
    "who", ["bố chồng em", "sếp mình", "bạn cùng phòng em", "chú ấy", "cô giáo em", "nhỏ bạn thân"]
)
@pytest.mark.parametrize("what", ["bị tiểu đường", "dị ứng penicillin", "đang uống warfarin"])
def test_what_somebody_else_has_is_theirs_and_what_a_story_tells_is_nobodys(who: str, what: str) -> None:
    assert all(person_of(fact.text) for fact in find_facts(f"{who} {what}"))
    assert find_facts(f"{who} {what}") != ()
    assert find_facts(f"em đang viết truyện, nhân vật {what}") == ()
    assert find_facts(f"xem phim thấy ông kia {what}") == ()
    assert [person_of(fact.text) for fact in find_facts(f"xem phim thấy sợ, em {what}")] == [""]


@pytest.mark.parametrize("sign", ["my lips are swelling", "swollen tongue", "my throat is closing"])
def test_a_reaction_that_goes_on_is_kept_as_an_allergy(sign: str) -> None:
    assert found(f"{sign} after amoxicillin") == {("allergy", "amoxicillin")}


ASKED_OF = ["cháu bé", "con tôi", "bé nhà em", "mẹ tôi", "chồng mình", "tôi"]


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("whose", ASKED_OF)
def test_what_is_asked_is_no_fact_and_what_is_told_is_one(whose: str, plain: bool) -> None:
    asked = (
        f"dị ứng của {whose} là gì", f"thuốc dị ứng của {whose} là thuốc gì", f"{whose} dị ứng với gì vậy",
        f"{whose} uống paracetamol mấy viên 1 ngày", f"{whose} uống ibuprofen bao nhiêu mg", "liều panadol là bao nhiêu",
        "how many paracetamol a day", "what is my son allergic to",
    )  # fmt: skip
    for text in asked:
        kinds = {fact.kind for fact in find_facts(fold(text) if plain else text)}
        assert not kinds & {"allergy", "medicine", "disease"}, text
    told = [
        (f"{whose} dị ứng cua", "allergy"), (f"{whose} bị dị ứng cua, tôm", "allergy"),
        (f"{whose} đang uống warfarin 2 viên một ngày", "medicine"), (f"{whose} uống paracetamol mấy viên rồi", "medicine"),
    ]  # fmt: skip
    for text, kind in told:
        facts = find_facts(fold(text) if plain else text)
        assert {fact.kind for fact in facts} >= {kind}, text
        assert not any(is_denied(fact) for fact in facts), text


@pytest.mark.parametrize(
    ("told", "back", "left"),
    [
        ("bé nhà tôi dị ứng cua", "bé không dị ứng cua", ""),
        ("tôi đang uống paracetamol", "tôi không uống paracetamol, xóa giúp", ""),
        ("tôi dị ứng penicillin, hải sản", "tôi không dị ứng hải sản", "penicillin"),
        ("I am allergic to latex", "I'm not allergic to latex, delete it", ""),
        ("tôi đang uống warfarin", "tôi không ngưng warfarin", "warfarin"),
        ("mẹ tôi đang uống warfarin", "mẹ tôi nói nó đang uống warfarin", "warfarin"),
        ("mẹ tôi dị ứng penicillin", "tôi không dị ứng penicillin", "penicillin"),
        ("tôi dị ứng penicillin", "tôi không dị ứng hải sản", "penicillin"),
    ],
)
def test_what_is_taken_back_is_dropped_and_nothing_else(told: str, back: str, left: str) -> None:
    for one, other in ((told, back), (fold(told), fold(back))):
        known = find_facts(one)
        held = [fact.value for fact in revise(other, known).of(known) if not is_denied(fact)]
        assert held == ([left] if left else []), other


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("tôi chưa uống warfarin hôm nay", False),
        ("hom nay toi khong uong warfarin", False),
        ("tối qua tôi không uống warfarin", False),
        ("I have not taken my warfarin yet", False),
        ("I did not take warfarin this morning", False),
        ("tôi không uống warfarin", True),
        ("i don't take warfarin", True),
    ],
)
def test_a_medicine_left_out_once_is_taken_all_the_same(text: str, *, denied: bool) -> None:
    assert is_denied(Fact("medicine", "warfarin", text)) is denied


@settings(max_examples=60)
@given(
    st.integers(1, 30),
    st.sampled_from(["tháng", "tuổi", "t"]),
    st.sampled_from(["bé nhà em", "con gái", "cháu", "bé", "con em"]),
    st.sampled_from([" ", ": ", " được ", " mới "]),
    st.booleans(),
)
def test_how_old_a_child_is_stands_right_after_it(
    count: int, unit: str, child: str, between: str, bare: bool
) -> None:
    def facts(text: str) -> set[str]:
        return {fact.kind for fact in find_facts(fold(text) if bare else text)}

    assert "age" in facts(f"{child}{between}{count} {unit}")
    # What lasts so long, and a figure, are nobody's age.
    assert "age" not in facts(f"{child} niềng{between}{count} tháng")
    assert facts(f"con số {count} {unit}") | facts(f"con số: {count} {unit}") == set()


@pytest.mark.parametrize("count", [8, 20, 32])
@pytest.mark.parametrize(
    "said", ["Thai {} tuần", "em thai được {} tuần", "thai {}w", "thai tuan thu {}", "thai nhi {} tuần"]
)
def test_weeks_make_a_pregnancy(said: str, count: int) -> None:
    [fact] = [one for one in find_facts(said.format(count)) if one.kind == "pregnancy"]
    assert str(count) in fact.value
    assert not [one for one in find_facts(f"ở Thái {count} tuần") if one.kind == "pregnancy"]


@pytest.mark.parametrize("medicine", ["aspirin", "ibuprofen", "naproxen", "penicillin"])
@pytest.mark.parametrize("illness", ["bị hen", "hen suyễn", "loét dạ dày"])
def test_what_an_illness_comes_of_is_not_borne_and_not_taken(medicine: str, illness: str) -> None:
    for text in (
        f"tôi {illness} do {medicine}",
        f"tôi {illness} vì uống {medicine}",
        f"my asthma is triggered by {medicine}",
        f"I have {medicine}-induced asthma",
    ):
        kinds = {fact.value: fact.kind for fact in find_facts(text)}
        assert kinds[medicine] == "allergy", text
    # What is taken for it, or brings what one lives with, is taken all the same.
    for text in (
        f"tôi uống {medicine} bị tiểu đường",
        f"tôi đang uống {medicine} vì {illness}",
        f"tôi khô miệng do {medicine}",
    ):
        assert ("medicine", medicine) in found(text), text


@pytest.mark.parametrize("who", ["tôi", "em", "mình"])
@pytest.mark.parametrize("end", ["gì", "gì cả", "gì hết", "nào"])
@pytest.mark.parametrize("plain", [False, True])
def test_that_there_is_none_is_a_fact_of_its_own(who: str, end: str, *, plain: bool) -> None:
    for kind, said in (
        ("allergy", "dị ứng"),
        ("medicine", "uống thuốc"),
        ("medicine", "dùng thuốc"),
        ("disease", "có bệnh"),
    ):
        text = f"{who} không {said} {end}".strip()
        [fact] = find_facts(fold(text) if plain else text)
        assert (fact.kind, denies_all(fact), is_denied(fact)) == (kind, True, True), text
        assert [one.kind for one in none_known([fact])] == [kind]
    # What is asked, or left out of something, is none.
    for text in (
        f"{who} có {said} gì không",
        f"đau răng mà {who} không uống thuốc {end}",
        f"{who} bị dị ứng",
    ):
        assert not none_known(find_facts(text)), text
    denied = find_facts("tôi không dị ứng gì")
    assert not none_known([*denied, *find_facts("tôi dị ứng penicillin")])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("con tôi 7 tuổi", "con tôi: 7 tuổi"),
        ("mình bị loét dạ dày nặng mấy năm nay rồi", "loét dạ dày"),
        ("mình đang mang thai 3 tháng", "mang thai 3 tháng"),
        ("mẹ tôi dị ứng penicillin từ nhỏ", "mẹ tôi: penicillin"),
        ("vậy giờ răng hàm nhức thế này", "răng hàm"),
    ],
)
def test_a_fact_is_told_in_few_words(text: str, said: str) -> None:
    assert [short(fact) for fact in find_facts(text)] == [said]


@pytest.mark.parametrize("known", ["em có thai 3 tháng", "em đang mang thai 20 tuần", "em bị suy tim độ 2"])
@pytest.mark.parametrize("end", ["", " rồi nhỉ", " có nhổ răng được không"])
def test_less_of_what_is_known_is_no_second_fact(known: str, end: str) -> None:
    facts = find_facts(known)
    held = next(fact for fact in facts if fact.kind in {"pregnancy", "disease"})
    less = (
        "em có thai mấy tháng" if held.kind == "pregnancy" and "có thai" in known else known.rsplit(" ", 2)[0]
    )
    assert not [
        fact
        for fact in revise(f"{less}{end}", facts).facts
        if fact.kind == held.kind and fact.value != held.value
    ]
    assert revise(f"mẹ {known}", facts).facts


TAKERS = [
    "em đang uống {}",
    "em đang dùng {} mà răng buốt",
    "tôi uống {} mỗi ngày",
    "i take {} every day",
    "i'm using {}",
]


@pytest.mark.parametrize("taken", TAKERS)
@pytest.mark.parametrize(
    "thing",
    ["nước", "trà", "cà phê", "sữa", "bàn chải lông mềm", "kem đánh răng", "máy tăm nước", "floss", "an electric toothbrush", "a retainer"],
)  # fmt: skip
def test_what_is_taken_is_a_medicine_only_by_its_name_or_its_kind(taken: str, thing: str) -> None:
    assert not [fact for fact in find_facts(taken.format(thing)) if fact.kind == "medicine"]


@pytest.mark.parametrize("taken", TAKERS)
@pytest.mark.parametrize("medicine", ["warfarin", "metformin", "aspirin", "augmentin", "lisinopril"])
def test_a_medicine_is_taken_by_whatever_word(taken: str, medicine: str) -> None:
    assert ("medicine", medicine) in found(taken.format(medicine))


@pytest.mark.parametrize("kind", ["thuốc bổ máu", "viên sắt", "siro ho", "blood pressure tablets", "beta blockers"])  # fmt: skip
def test_a_medicine_without_a_name_is_one_by_its_kind(kind: str) -> None:
    told = "i take {}" if kind.isascii() and " " in kind and kind[-1] == "s" else "em đang uống {}"
    assert [fact.kind for fact in find_facts(told.format(kind))] == ["medicine"]


@pytest.mark.parametrize("long", ["3 năm rồi", "lâu năm", "lâu nay", "mấy tháng nay"])
@pytest.mark.parametrize("medicine", ["warfarin", "aspirin", "thuốc chống đông"])
def test_to_take_a_medicine_is_no_end_of_it_with_and_without_accents(medicine: str, long: str) -> None:
    for text in (f"em đang dùng {medicine} {long}", f"em dùng {medicine} {long}"):
        for typed in (text, fold(text)):
            assert [is_denied(fact) for fact in find_facts(typed) if fact.kind == "medicine"] == [False], (
                typed
            )
    assert [is_denied(fact) for fact in find_facts("em dừng warfarin 3 năm rồi")] == [True]


@pytest.mark.parametrize("animal", ["my dog", "our old cat", "con chó nhà em", "con mèo", "bé cún nhà mình"])
@pytest.mark.parametrize(
    "fact", ["takes aspirin", "is diabetic", "uống aspirin", "bị tiểu đường", "dị ứng penicillin"]
)
def test_an_animal_has_no_facts_and_lends_none(animal: str, fact: str) -> None:
    assert find_facts(f"{animal} {fact}") == ()
    assert ("medicine", "warfarin") in found(f"{animal} {fact}, em đang uống warfarin")
    assert ("medicine", "warfarin") in found(f"em bị chó cắn, đang uống warfarin, {animal} {fact}")


@pytest.mark.parametrize("medicine", ["aspirin", "ibuprofen", "penicillin", "amoxicillin", "codeine"])
@pytest.mark.parametrize(
    "told",
    [
        "i have asthma and {} sets it off", "{} triggers my asthma", "{} gives me hives", "{} làm tôi nổi mẩn", "em bị hen, {} làm nặng thêm",
        "i can't take {}, it gives me a rash", "em không uống được {} vì nổi mề đay", "{} makes me throw up", "{} làm em buồn nôn",
    ],
)  # fmt: skip
def test_a_medicine_that_sets_off_a_reaction_is_not_borne(told: str, medicine: str) -> None:
    facts = find_facts(told.format(medicine))
    assert [(fact.value, is_denied(fact)) for fact in facts if fact.kind == "allergy"] == [(medicine, False)]


@pytest.mark.parametrize(
    "told",
    ["i take {} for my stomach ache", "em bị hen đang uống {}", "chóng mặt nên em uống {}", "em uống {} vì nổi mề đay"],
)  # fmt: skip
def test_what_a_medicine_is_taken_for_does_not_come_of_it(told: str) -> None:
    kinds = {fact.kind for fact in find_facts(told.format("omeprazole"))}
    assert "medicine" in kinds
    assert "allergy" not in kinds


@pytest.mark.parametrize("who", ["ba em", "em", "bà ngoại", "my dad", "i"])
@pytest.mark.parametrize("medicine", ["aspirin", "plavix", "warfarin", "metformin"])
def test_who_only_says_what_is_taken_tells_nothing_else(who: str, medicine: str) -> None:
    takes = "takes" if who == "my dad" else "take" if who == "i" else "uống"
    assert only_states(f"{who} {takes} {medicine}")
    assert reply(f"{who} {takes} {medicine}", (), None, datetime(2026, 11, 29, tzinfo=UTC), "vi") is None
    more = ("20 viên", "quá liều", "xong khó thở", "hết lọ", "của ông") if takes == "uống" else ("20 pills", "overdose", "and can't breathe", "all of it")  # fmt: skip
    for one in more:
        assert not only_states(f"{who} {takes} {medicine} {one}"), one
    assert not only_states(f"con em uống {medicine}"), "a child takes it by no habit"
    assert not only_states(f"{who} uống nhầm {medicine}")


@pytest.mark.parametrize("poison", ["thuốc trừ sâu", "thuốc diệt chuột", "thuốc ngủ", "thuốc tẩy"])
def test_what_is_no_medicine_of_a_list_is_left_to_the_signs(poison: str) -> None:
    assert not only_states(f"em uống {poison}")


@pytest.mark.parametrize("jab", ["tiêm tê", "chích tê", "tiem te", "tiêm thuốc tê", "chích lidocaine"])
@pytest.mark.parametrize(
    "told", ["em vừa {} trám răng xong", "bà em mới {} nhổ răng", "ba em được {} lúc sáng"]
)
def test_what_a_clinic_injected_is_no_medicine_that_is_taken(jab: str, told: str) -> None:
    assert not {one.kind for one in find_facts(told.format(jab))} & {"medicine", "allergy"}
    assert "medicine" not in wishes(f"{told.format(jab)} được một tiếng. Bao lâu mới hết tê ạ?")
    # What a body did of it is held, and what one takes or asks for beside it.
    assert "allergy" in {one.kind for one in find_facts(f"{jab} xong em nổi mề đay")}
    assert ("medicine", "warfarin") in found(f"{told.format(jab)}, em đang uống warfarin")
    assert "medicine" in wishes(f"{told.format(jab)}, uống ibuprofen được không")
    assert ("medicine", "insulin") in found("em đang tiêm insulin")
