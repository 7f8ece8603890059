"""What is wished for and stated, however it is put; nothing here asks a model."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from troly.text.fold import fold
from troly_dental import safety
from troly_dental.guard import danger
from troly_dental.guard.verdict import about_health
from troly_dental.memory.facts import find_facts, revise
from troly_dental.safety import stated, supposed_conflicts, wishes


@pytest.mark.parametrize(
    ("asked", "wished"),
    [
        ("đau răng uống thuốc gì", ("medicine",)),
        ("rang dau qua uong thuoc gi bay gio", ("medicine",)),
        ("đau răng uống gì cho đỡ", ("medicine",)),
        ("em đang uống thuốc huyết áp, bữa đi nhổ có phải ngưng không", ()),
        ("răng em xám do uống kháng sinh, cạo vôi có sạch không", ()),
        ("nghe báo giá niềng xong muốn xỉu, niềng mất bao lâu", ()),
        ("mới nhổ răng mà thèm thuốc lào, rít một hơi được không", ()),
        ("nhắc lại giùm, nãy tôi kể tôi dị ứng thuốc gì ấy nhỉ", ("recall",)),
        ("luc nay em noi em bi benh gi, con nho khong", ("recall",)),
        ("remind me, what medicine did I say I take", ("recall",)),
        ("mai đi nhổ phải khai gì với nha sĩ", ("declare",)),
        ("what should I tell the dentist about my pills", ("declare",)),
    ],
)
def test_what_is_wished_for_is_asked_and_not_told(asked: str, wished: tuple[str, ...]) -> None:
    assert wishes(asked) == wished


@pytest.mark.parametrize("asked", ["dị ứng thuốc gì", "uống thuốc gì", "bị bệnh gì"])
@pytest.mark.parametrize(
    "told", ["{who} vừa kể là {asked}", "{who} {asked} nhỉ, {who} mới nói đó", "{who} mới kể {asked} ấy"]
)
@pytest.mark.parametrize("who", ["tôi", "em", "mình", "tui", "bác sĩ"])
def test_what_one_said_oneself_is_told_again_and_what_others_said_is_not(
    who: str, told: str, asked: str
) -> None:
    wished = wishes(told.format(who=who, asked=asked))
    assert ("recall" in wished) == (who != "bác sĩ")


@pytest.mark.parametrize(
    "text",
    [
        "uống thuốc nha sĩ cho rồi mà vẫn đau",
        "kê cho tôi đơn amoxicillin",
        "còn kháng sinh trước khi nhổ thì sao",
        "nghe giá mà dị ứng luôn",
        "can't i just take an allergy pill",
        "I'm on a pack a day",
        "tôi dị ứng thuốc gì ấy nhỉ",
        "em dị ứng cái gì ta, quên rồi",
    ],
)
def test_what_is_asked_for_or_said_in_jest_is_no_fact(text: str) -> None:
    assert stated(find_facts(text)) == ()


@pytest.mark.parametrize(
    ("text", "before", "name"),
    [
        (
            "the swelling has gone down into my neck overnight",
            "I had a wisdom tooth out on Monday",
            "swelling",
        ),
        ("the swelling has gone down a lot", "I had a wisdom tooth out on Monday", None),
        ("nghe giá implant mà sốc phản vệ luôn", "", None),
        ("con em mọc răng hay sốt nhẹ đúng không", "", None),
        ("sốt có nên đi cạo vôi không", "", None),
        ("nhổ răng xong sốt cao có nên uống panadol không", "", "fever"),
    ],
)
def test_a_danger_is_told_from_a_saying_and_a_question(text: str, before: str, name: str | None) -> None:
    found = danger(text, [before] if before else [])
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("asked", "against"),
    [
        ("nếu tôi dị ứng penicillin thì uống amoxicillin được không", ["amoxicillin"]),
        ("người đang uống warfarin thì có dùng ibuprofen được không", ["ibuprofen"]),
        ("if i'm allergic to penicillin can i take amoxicillin?", ["amoxicillin"]),
        ("nếu tôi không dị ứng penicillin thì uống amoxicillin được không", []),
        ("nếu dị ứng penicillin thì bác sĩ kê gì", []),
    ],
)
def test_a_case_that_is_only_supposed_speaks_against_medicines_and_is_no_fact(
    asked: str, against: list[str]
) -> None:
    assert [one.medicine for one in supposed_conflicts(asked)] == against
    assert stated(find_facts(asked)) == ()


TABLE = tomllib.loads(Path(safety.__file__).with_name("contraindications.toml").read_text("utf-8"))


@pytest.mark.parametrize("bare", [False, True], ids=["accents", "no-accents"])
@pytest.mark.parametrize("row", TABLE["condition"], ids=lambda row: row["name"])
def test_what_the_table_of_contraindications_knows_is_found_wherever_it_is_told(
    row: dict[str, Any], bare: bool
) -> None:
    frames = [
        ("tôi bị {}", row["words"]),
        ("my mother has {}", row["words"]),
        ("em đang uống {}", row.get("taken", [])),
    ]
    for frame, words in frames:
        for word in words:
            said = frame.format(word)
            said = fold(said) if bare else said
            held = [one.name for one in safety.conditions_of(find_facts(said))]
            assert row["name"] in held, said
            assert about_health(said), said


@pytest.mark.parametrize("group", TABLE["groups"])
def test_an_allergy_to_any_name_of_a_group_speaks_against_the_whole_group(group: str) -> None:
    names = TABLE["groups"][group]
    for name in names:
        facts = find_facts(f"em dị ứng {name}")
        against = {one.medicine for one in safety.conflicts(f"uống {names[0]} được không", facts)}
        assert against == {names[0]}, name


@pytest.mark.parametrize(
    "question",
    ["{} ok k", "is {} ok", "what about {}", "{} dùng được hông", "vậy còn {}", "{}?", "cần uống {} không"],
)
@pytest.mark.parametrize("medicine", ["advil", "augmentin", "klamentin", "keflex", "hapacol"])
def test_a_medicine_that_is_asked_about_is_health_and_not_taken(question: str, medicine: str) -> None:
    asked = question.format(medicine)
    assert about_health(asked)
    assert not stated(find_facts(asked))


@pytest.mark.parametrize("bare", [False, True], ids=["accents", "no-accents"])
@pytest.mark.parametrize(
    ("told", "then", "held"),
    [
        ("tôi dị ứng penicillin", "à nhầm tôi không dị ứng gì hết", set()),
        ("i'm allergic to penicillin", "sorry, i'm not allergic to anything", set()),
        ("mẹ em dị ứng penicillin", "em không dị ứng gì", {"penicillin"}),
        ("tôi dị ứng penicillin", "tôi không dị ứng hải sản", {"penicillin"}),
        ("em đang uống warfarin", "em bỏ thuốc warfarin rồi, không uống nữa", set()),
        ("tôi uống aspirin", "ngừng aspirin 1 năm nay", set()),
        ("i take warfarin", "i stopped taking warfarin last year", set()),
        # Who left it off for some days, or asks about that, is on it all the same.
        ("tôi uống warfarin", "tôi ngưng warfarin 3 ngày rồi", {"warfarin"}),
        ("tôi uống warfarin", "có nên ngưng warfarin trước khi nhổ không", {"warfarin"}),
        ("em có bầu 2 tháng", "em sinh rồi, đang cho bú", {"đang cho bú"}),
        ("em mang thai 3 tháng", "em sảy thai rồi", set()),
        ("tôi đang mang thai", "em không có thai nữa", set()),
        ("em đang mang thai", "sinh xong bao lâu thì niềng được", {"mang thai"}),
    ],
)
def test_what_is_over_or_was_never_so_is_held_no_more(
    told: str, then: str, held: set[str], bare: bool
) -> None:
    first, second = (fold(told), fold(then)) if bare else (told, then)
    known = revise(first).of(())
    left = stated(revise(second, known, first).of(known))
    assert {fold(fact.value) for fact in left} == {fold(one) for one in held}


@pytest.mark.parametrize(
    ("told", "asked", "bears"),
    [
        ("em từng bị sốc phản vệ với thuốc tê", "giờ trám răng thì sao", True),
        ("con tôi bị tim bẩm sinh", "nhổ răng sữa cho bé cần gì", True),
        ("i'm allergic to lidocaine", "how is a tooth pulled", True),
        ("dị ứng latex", "toi muon cay implant", True),
        ("tôi uống fosamax 5 năm", "răng khôn nhổ thế nào", True),
        ("tôi dị ứng hải sản", "nhổ răng xong ăn gì", False),
        ("tôi bị tiểu đường", "hôi miệng là sao", False),
        ("bé 5 tuổi", "nhổ răng sữa cho bé", False),
    ],
)
def test_what_was_told_bears_on_what_is_done_in_a_mouth(told: str, asked: str, bears: bool) -> None:
    found = safety.bearing_on_treatment(find_facts(told))
    assert (safety.names_treatment(asked) and bool(found)) is bears


@pytest.mark.parametrize("asked", ["đau răng uống gì", "nhuc rang uong gi", "my tooth hurts what can i take"])
def test_what_to_take_for_a_pain_is_a_medicine_that_is_wished_for(asked: str) -> None:
    assert "medicine" in wishes(asked)
    assert "diagnosis" not in wishes("cạo vôi răng thì chuẩn bị gì")


@pytest.mark.parametrize("declined", ["không cần thuốc đâu", "khỏi mua thuốc", "k uống thuốc", "no pills", "no meds please", "no more medicine"])  # fmt: skip
@pytest.mark.parametrize("asked", ["có cách nào khác đỡ đau không", "how can i ease the pain at night"])
def test_what_is_declined_is_not_wished_for(declined: str, asked: str) -> None:
    assert "medicine" not in wishes(f"răng đau quá, {declined}. {asked}")
    # Another that is asked for beside it is.
    assert "medicine" in wishes(f"răng đau quá, {declined}, ibuprofen uống được không")
