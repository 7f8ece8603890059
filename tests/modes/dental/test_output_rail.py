"""The output rail: doses need a source, diagnoses are not made, everything else passes unchanged."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly_dental import safety
from troly_dental.memory.facts import find_facts
from troly_dental.memory.types import Fact
from troly_dental.output_rail import OutputRail, diagnosed, doses, unwarned, warns
from troly_dental.strings import say

NO_DIAGNOSIS = say("rail.diagnosis", "vi")
SOURCE = "Người lớn có thể uống paracetamol 500 mg mỗi 6 giờ, tối đa 4 viên một ngày."


def refused(rail: OutputRail) -> str:
    """The kind of the refusal, "" where all may be shown."""
    return rail.refused.kind if rail.refused else ""


def through(
    text: str, sources: tuple[str, ...] = (), own: str = "", facts: tuple[Fact, ...] = ()
) -> tuple[str, OutputRail]:
    rail = OutputRail(sources, own, "vi", facts)
    return rail.add(text) + rail.finish(), rail


@pytest.mark.parametrize(
    "sentence",
    [
        "Uống paracetamol 500mg mỗi 6 giờ.",
        "uong paracetamol 500 mg, ngay 3 lan",
        "UỐNG 2 VIÊN PANADOL MỖI 4 TIẾNG",
        "Bạn dùng hai viên ibuprofen mỗi lần.",
        "Amoxicillin 500mg x 3 lần/ngày trong 7 ngày.",
        "Take two tablets of amoxicillin every 8 hours.",
        "Ibuprofen 400–600 mg works well.",
        "Take ibuprofen twice daily.",
        "Nhỏ 5 giọt siro giảm đau cho bé.",
        "Give your child 5 ml of ibuprofen.",
        "**Uống** nửa viên Efferalgan.",
        "- Metronidazole: 250 mg",
    ],
)
def test_a_dose_without_a_source_is_refused(sentence: str) -> None:
    shown, rail = through(sentence)
    assert (shown, refused(rail)) == ("", "dose")
    assert rail.refused is not None
    assert rail.refused.sentence == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "Chải răng 2 lần mỗi ngày với kem fluor 1450 ppm.",
        "Pha 1/2 thìa muối với 240 ml nước ấm rồi súc miệng 30 giây.",
        "Khám răng 6 tháng một lần, cạo vôi 2 lần mỗi năm.",
        "Niềng răng mất 18 đến 24 tháng, giá 30.000.000 VND.",
        "Brush twice a day for 2 minutes and floss once.",
        "Chườm lạnh 10 phút, nghỉ 20 phút.",
        "Hỏi dược sĩ về thuốc giảm đau phù hợp.",
        "Implant dài 10 mm, răng số 36.",
        "Mang theo vỏ pin, chiếc đồng hồ hoặc một viên giống vậy để bác sĩ xem",
        "Có một viên sỏi trong tuyến nước bọt, uống nhiều nước.",
        "Bé đã nuốt 2 viên pin.",
        "Mỗi răng này có 2 ống tủy, trám trong 2 lần hẹn.",
        "Hỏi bác sĩ khi nào được dùng lại paracetamol sau lần quá liều này.",
        "Nếu bạn hút mỗi ngày một gói thuốc lá thì nguy cơ implant thất bại tăng lên.",
    ],
)
def test_numbers_that_are_no_doses_pass(sentence: str) -> None:
    assert doses(sentence) == frozenset()
    assert through(sentence)[0] == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "Đừng cho bé ăn uống gì và mang theo một viên thuốc giống vậy.",
        "Bạn đã uống 16 viên paracetamol 500 mg, tức 8 g: gọi 115 ngay.",
        "Bé vừa nuốt 3 viên thuốc 250 mg, hãy đến cấp cứu ngay.",
        "You swallowed 12 tablets of 500 mg, which is 6 g of acetaminophen: call 115 now.",
        "Uống một lúc 10 viên paracetamol là quá liều, có thể gây hại gan.",
        "Gọi 115 ngay và không uống thêm thuốc giảm đau nào.",
        "Nói với bác sĩ là ông đã uống 2 viên aspirin lúc sáng.",
    ],
)
def test_what_was_taken_or_does_harm_is_told_with_its_amount(sentence: str) -> None:
    assert through(sentence)[0] == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "Mang theo 2 viên paracetamol, đau thì uống.",
        "Uống thuốc giảm đau khi cần. Ngày 2 viên.",
        "Dùng hai viên.",
        "Mỗi lần 2 viên.",
        "Uống 2 viên tùy cân nặng.",
        "uong 2 vien tuy can nang",
        "Bạn đã uống 2 viên, giờ uống thêm 1 viên paracetamol nữa.",
        "Nếu đã uống 2 viên ibuprofen 400 mg thì 6 giờ sau uống tiếp.",
        "Once you have taken 2 tablets of ibuprofen, take 2 more in 4 hours.",
        "Uống paracetamol 500 mg để tránh gây hại dạ dày.",
        "Ibuprofen 400 mg can be taken.",
        "Bạn vừa uống thuốc, mỗi 6 giờ uống 1 viên.",
    ],
)
def test_a_dose_to_take_is_refused_beside_what_was_taken(sentence: str) -> None:
    assert refused(through(sentence)[1]) == "dose"


def test_a_dose_that_a_source_states_for_the_same_medicine_passes() -> None:
    sentence = "Uống paracetamol 500 mg mỗi 6 giờ."
    assert through(sentence, (SOURCE,))[0] == sentence


@pytest.mark.parametrize(
    "sentence",
    ["Uống paracetamol 1000 mg mỗi 6 giờ.", "Uống ibuprofen 500 mg.", "Uống paracetamol 500 mg mỗi 4 giờ."],
)
def test_another_dose_or_medicine_than_the_source_has_does_not(sentence: str) -> None:
    assert refused(through(sentence, (SOURCE,))[1]) == "dose"


@pytest.mark.parametrize(
    "sentence",
    [
        "Bạn bị viêm tủy răng.",
        "ban bi viem tuy rang roi",
        "Đây là ung thư miệng.",
        "Chẩn đoán: viêm nha chu.",
        "You have pulpitis.",
        "Your child has tooth decay.",
    ],
)
def test_after_a_diagnosis_it_is_said_that_it_is_none(sentence: str) -> None:
    shown, rail = through(sentence)
    assert shown == f"{sentence} {NO_DIAGNOSIS}"
    assert rail.diagnoses == 1


@pytest.mark.parametrize(
    "sentence",
    [
        "Bạn có thể bị viêm tủy, cần chụp phim.",
        "Nếu bạn bị viêm nướu, hãy chải răng kỹ hơn.",
        "Đây là dấu hiệu của sâu răng giai đoạn đầu.",
        "Sâu răng là bệnh phổ biến.",
        "You may have an infection.",
        "If you have gingivitis, floss daily.",
        "This is a common sign of gum disease.",
    ],
)
def test_possible_causes_pass(sentence: str) -> None:
    assert diagnosed(sentence) == frozenset()
    assert through(sentence)[0] == sentence


def test_what_the_person_brought_may_be_said_again() -> None:
    sentence = "Bạn bị viêm nướu nên hãy dùng bàn chải mềm."
    assert through(sentence, own="tôi bị viêm nướu hai tuần nay")[0] == sentence


def test_what_stands_before_a_refused_sentence_is_shown_and_nothing_after_it() -> None:
    shown, rail = through("Chườm lạnh bên ngoài má. Uống ibuprofen 400 mg. Rồi đi khám sớm.")
    assert shown == "Chườm lạnh bên ngoài má. "
    assert refused(rail) == "dose"


def test_how_often_belongs_to_the_dose_before_it() -> None:
    shown, rail = through("Uống paracetamol 500 mg mỗi 6 giờ. Ngày 9 lần. Ăn đồ mềm.", (SOURCE,))
    assert shown == "Uống paracetamol 500 mg mỗi 6 giờ. "
    assert refused(rail) == "dose"


PENICILLIN = Fact("allergy", "penicillin", "tôi dị ứng penicillin")
WARFARIN = Fact("medicine", "warfarin", "tôi đang uống warfarin")


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ((PENICILLIN,), "Bạn nên uống amoxicillin."),
        ((PENICILLIN,), "Take Augmentin for the infection."),
        ((WARFARIN,), "Uống ibuprofen cho đỡ đau."),
        ((Fact("pregnancy", "mang thai", "tôi đang mang thai"),), "Dùng naproxen."),
        ((Fact("disease", "hen suyễn", "tôi bị hen suyễn"),), "Uống aspirin."),
        ((Fact("age", "5 tuổi", "bé 5 tuổi"),), "Cho bé uống aspirin."),
    ],
)
def test_a_medicine_that_a_stated_fact_speaks_against_is_refused_with_the_warning(
    facts: tuple[Fact, ...], sentence: str
) -> None:
    shown, rail = through(sentence, facts=facts)
    assert (shown, refused(rail)) == ("", "conflict")
    assert rail.refused is not None
    assert rail.refused.reason.startswith("⚠")
    assert through(sentence)[0] == sentence


STENT, ASPIRIN = (
    Fact("disease", "đặt stent", "ông đặt stent"),
    Fact("medicine", "aspirin", "ông uống aspirin mỗi ngày"),
)


@pytest.mark.parametrize(
    ("facts", "sentence", "kind"),
    [
        ((STENT, ASPIRIN), "Vẫn uống aspirin như bác sĩ tim mạch đã kê.", ""),
        ((ASPIRIN,), "Keep taking aspirin as prescribed.", ""),
        ((STENT,), "Uống aspirin cho đỡ đau.", "conflict"),
        ((STENT, ASPIRIN), "Uống thêm ibuprofen cho đỡ đau.", "conflict"),
        (
            (STENT, ASPIRIN, Fact("disease", "máu khó đông", "ông bị máu khó đông")),
            "Vẫn uống aspirin.",
            "conflict",
        ),
        ((Fact("medicine", "ibuprofen", "tôi uống ibuprofen"), WARFARIN), "Vẫn uống ibuprofen.", "conflict"),
    ],
)
def test_what_is_taken_for_a_condition_is_not_refused_because_of_it(
    facts: tuple[Fact, ...], sentence: str, kind: str
) -> None:
    """Aspirin after a stent is a prescription; ibuprofen beside warfarin is a mistake, whoever takes it."""
    assert refused(through(sentence, facts=facts)[1]) == kind


def test_a_warning_of_the_models_own_stays() -> None:
    sentence = "Không uống amoxicillin vì bạn dị ứng penicillin."
    assert through(sentence, facts=(PENICILLIN,))[0] == sentence


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("Báo nha sĩ bố đã đặt stent và đang uống aspirin.", ""),
        ("Tell them that he is taking ibuprofen and warfarin.", ""),
        ("Tell your dentist, then take ibuprofen.", "conflict"),
        ("Uống ibuprofen rồi báo bác sĩ.", "conflict"),
    ],
)
def test_what_is_taken_already_may_be_told_to_a_doctor(sentence: str, kind: str) -> None:
    assert refused(through(sentence, facts=(WARFARIN,))[1]) == kind


def test_a_page_does_not_vouch_for_a_dose_of_a_prescription_medicine() -> None:
    page = "Amoxicillin 500 mg mỗi 8 giờ."
    assert refused(through("Uống amoxicillin 500 mg mỗi 8 giờ [1].", (page,))[1]) == "dose"


def test_a_source_that_is_not_there_is_refused() -> None:
    shown, rail = through("Chườm lạnh [1]. Súc miệng nước chanh [9].", (SOURCE,))
    assert (shown, refused(rail)) == ("Chườm lạnh [1]. ", "source")


CARE = ["Hãy đến khoa Cấp cứu ngay", "Gọi 115", "Bạn đang dùng warfarin nên phải đến bệnh viện ngay", "Go to the emergency department now", "See a dentist today"]  # fmt: skip
DRUGS = ["Bạn nên uống Augmentin 625 mg.", "Uống amoxicillin 500 mg rồi hỏi dược sĩ."]
RISKY = [
    " và uống 2 viên aspirin",
    ", uống amoxicillin 500 mg",
    ", then take Augmentin 625 mg",
    " [9]",
    " because you have pulpitis",
    " sau 6 tiếng chảy máu",
    "",
]
ALLERGIC = st.sampled_from([(), (PENICILLIN,), (WARFARIN, PENICILLIN)])


def in_pieces(text: str, size: int, facts: tuple[Fact, ...] = ()) -> str:
    """What the last draft shows of `text`, streamed in pieces of `size` characters."""
    rail = OutputRail((), "", "vi", facts, last=True)
    return "".join(rail.add(text[at : at + size]) for at in range(0, len(text), size)) + rail.finish()


@given(st.sampled_from(CARE), st.sampled_from(RISKY), ALLERGIC)
def test_advice_to_seek_care_is_shown_or_known_to_be_refused(
    care: str, risky: str, facts: tuple[Fact, ...]
) -> None:
    shown, rail = through(f"{care}{risky}. Nghỉ ngơi.", facts=facts)
    assert care in shown or (rail.refused is not None and rail.refused.cares)


@given(
    st.sampled_from(CARE),
    st.sampled_from(RISKY),
    st.lists(st.sampled_from([*DRUGS, "Chườm lạnh bên má.", "- Ăn đồ mềm\n"]), max_size=3),
    st.lists(st.sampled_from([*DRUGS, "Uống sau khi ăn no.", "Nghỉ ngơi.\n"]), max_size=3),
    ALLERGIC,
)
def test_the_last_draft_keeps_advice_to_seek_care_and_all_that_is_not_refused(
    care: str, risky: str, before: list[str], after: list[str], facts: tuple[Fact, ...]
) -> None:
    text = " ".join([*before, f"{care}{risky}.", *after])
    shown = in_pieces(text, len(text), facts)
    assert care.lower() in shown.lower()
    assert all(in_pieces(text, size, facts) == shown for size in (1, 7))
    for harmless in ("Chườm lạnh bên má.", "Ăn đồ mềm", "Nghỉ ngơi."):
        assert shown.count(harmless) == text.count(harmless)
    for medicine in ("Augmentin", "amoxicillin"):
        assert not any(
            medicine in one and not warns(one) for one in shown.splitlines() if PENICILLIN in facts
        )
    assert "625" not in shown
    assert "500 mg" not in shown


def test_a_reason_is_told_once_in_the_place_of_what_was_refused() -> None:
    text = "Bạn có thể dùng:\n1. Augmentin 625 mg.\n2. Augmentin 1 g.\nUống sau khi ăn no. Uống nhiều nước. Bạn nên đến nha sĩ trong hôm nay, và gọi 115 nếu sưng lan xuống cổ."
    assert in_pieces(text, 5, (PENICILLIN,)) == (
        "Bạn có thể dùng:\n1. ⚠ **Không tự dùng augmentin** khi dị ứng penicillin; hỏi bác sĩ hoặc dược sĩ về "
        "thuốc khác (nguồn: BNF).\nUống nhiều nước. Bạn nên đến nha sĩ trong hôm nay, và gọi 115 nếu sưng lan xuống cổ."
    )


@pytest.mark.parametrize(
    "heading", ["Nguồn tham khảo:\n", "## Nguồn tham khảo\n", "**References:**\n", "Sources:\n"]
)
def test_a_list_of_sources_of_the_models_own_is_left_out(heading: str) -> None:
    assert through(f"Chải răng nhẹ.\n\n{heading}1. http://bia.example\n")[0] == "Chải răng nhẹ.\n\n"


@given(st.integers(0, 10_000), st.lists(st.sampled_from([
    "Chải răng nhẹ nhàng. ", "Uống ibuprofen 400 mg mỗi 8 giờ.\n", "Bạn bị viêm tủy răng. ", "- Ăn đồ mềm\n", "Giá 2.500.000 VND? ", "e.g. 3.5 mm ",
]), max_size=8))  # fmt: skip
def test_how_the_text_is_cut_into_pieces_changes_nothing(seed: int, parts: list[str]) -> None:
    text = "".join(parts)
    cuts = random.Random(seed)
    rail, shown, at = OutputRail((), "", "vi"), "", 0
    while at < len(text):
        step = cuts.randint(1, 7)
        shown += rail.add(text[at : at + step])
        at += step
    shown += rail.finish()
    whole, _ = through(text)
    assert shown == whole
    assert "400 mg" not in shown


@given(st.text(max_size=400))
def test_any_text_goes_through(text: str) -> None:
    rail = OutputRail((SOURCE,), text, "vi")
    shown = rail.add(text) + rail.finish()
    assert len(shown) <= len(text) + len(NO_DIAGNOSIS) + 8


@pytest.mark.parametrize(
    ("sentence", "against"),
    [
        ("No aspirin or ibuprofen: with haemophilia they make the bleeding worse.", True),
        ("Neither aspirin nor ibuprofen is safe here.", True),
        ("Không tự uống aspirin hay ibuprofen.", True),
        ("There is no problem taking ibuprofen.", False),
        ("No, ibuprofen is fine.", False),
        ("Take ibuprofen after a meal.", False),
    ],
)
def test_a_warning_is_told_from_advice(sentence: str, against: bool) -> None:
    assert warns(sentence) is against


KIN = ["penicillin", "amoxicillin", "ampicillin", "augmentin"]
LISTS = st.tuples(
    st.lists(st.sampled_from(KIN), min_size=1, unique=True),
    st.sampled_from([", ", " hay ", " và ", " và các thuốc cùng nhóm như ", " or ", " and ", ", such as ", " hoặc {}"]),
    st.sampled_from(["", " vì cùng nhóm penicillin", ": ampicillin cùng nhóm với penicillin mà bạn dị ứng", " because they belong to the same group as penicillin"]),
)  # fmt: skip
AVOIDING = ["Không dùng ", "Không tự dùng ", "Bạn cần tránh ", "Do not take ", "Avoid "]
ADVISED = ["Bạn có thể dùng ", "Uống ", "Bạn nên uống ", "You can take ", "Take "]


@given(LISTS, st.sampled_from(AVOIDING), st.sampled_from(ADVISED))
def test_what_is_said_before_a_list_of_medicines_holds_for_all_of_it(
    parts: tuple[list[str], str, str], avoiding: str, advised: str
) -> None:
    named, joint, why = parts
    for before in (avoiding, advised):
        listed = joint.replace("{}", before.lower()).join(named)
        against = [one.medicine for one in unwarned(f"{before}{listed}{why}.", (PENICILLIN,))]
        assert not against if before == avoiding else set(named) <= set(against)
    both = unwarned(f"{avoiding}{' và '.join(named)}, {advised.lower()}amoxiclav.", (PENICILLIN,))
    assert [one.medicine for one in both] == ["amoxiclav"]


FRAMES = (Path(__file__).parent / "rail_frames.txt").read_text("utf-8").split("[warning]\n")
ADVISING, WARNING = ([line for line in part.splitlines() if line and line[0] not in "#["] for part in FRAMES)


@pytest.mark.parametrize(
    "fact",
    [
        PENICILLIN,
        WARFARIN,
        Fact("pregnancy", "mang thai", "tôi mang thai"),
        Fact("disease", "hen suyễn", "tôi bị hen suyễn"),
        Fact("disease", "kidney failure", "I have kidney failure"),
        Fact("disease", "xơ gan", "tôi bị xơ gan"),
        Fact("age", "7 tuổi", "con tôi 7 tuổi"),
    ],
    ids=lambda fact: fact.value,
)
def test_a_medicine_that_a_fact_speaks_against_is_never_advised_and_always_warned_of(fact: Fact) -> None:
    """What reassures, supposes, limits, or denies something else is no warning; what governs the medicine is one."""
    table = Path(safety.__file__).with_name("contraindications.toml").read_text("utf-8")
    groups = tomllib.loads(table)["groups"].values()
    forbidden = [group[0] for group in groups if safety.conflicts(group[0], (fact,))]
    assert forbidden
    for medicine in forbidden:
        for frame in ADVISING:
            assert refused(through(frame.replace("{}", medicine), facts=(fact,))[1]), frame
        for frame in WARNING:
            assert not refused(through(frame.replace("{}", medicine), facts=(fact,))[1]), frame


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("16 viên 500 mg là 8.000 mg paracetamol.", True),
        ("16 viên 500 mg là 9.000 mg paracetamol.", False),
        ("Bạn uống 1.000 mg paracetamol.", False),
    ],
)
def test_what_the_person_took_may_be_added_up(said: str, shown: bool) -> None:
    rail = OutputRail([], "tôi uống 16 viên 500 mg paracetamol", "vi")
    assert bool(rail.add(said) + rail.finish()) is shown


@pytest.mark.parametrize(
    ("sentence", "refused"),
    [
        ("Tên thuốc tê nếu nhớ (hoặc xin lại hồ sơ nơi đã tiêm), nổi mề đay sau bao lâu.", False),
        ("Vì trước đây bạn nổi mề đay sau tiêm tê, bạn cần báo nha sĩ trước buổi hẹn.", False),
        ("Trước khi bác sĩ tiêm hãy nói: từng nổi mề đay sau một lần tiêm tê.", False),
        ("Tell the dentist that you reacted to a local anaesthetic before.", False),
        ("Bạn vẫn tiêm tê được bình thường.", True),
        ("Bạn có thể tiêm tê.", True),
        ("Hãy bôi lidocaine lên nướu.", True),
        ("Lidocaine is safe for you.", True),
    ],
)
def test_what_only_a_clinic_gives_may_be_named_and_not_let_be_had(sentence: str, refused: bool) -> None:
    facts = find_facts("em dị ứng thuốc tê, hồi trước tiêm tê xong nổi mề đay")
    assert bool(unwarned(sentence, facts)) is refused


@pytest.mark.parametrize("condition", ["viêm tủy", "áp xe răng", "ung thư miệng"])
@pytest.mark.parametrize(
    "claim",
    [
        "Bạn chắc chắn bị {}.",
        "Chắc chắn là {}.",
        "Rõ ràng bạn bị {}.",
        "Đây 100% đúng, đây là {}.",
        "Ban chac chan bi {}.",
    ],
)
def test_a_diagnosis_that_claims_to_be_certain_is_not_shown(condition: str, claim: str) -> None:
    shown, _rail = through(f"Có thể do nhiều nguyên nhân. {claim.format(condition)} Hãy đi khám nha sĩ.")
    assert condition not in shown
    assert say("rail.certain", "vi") in shown
    assert shown.endswith("Hãy đi khám nha sĩ.")
    hedged = f"Có thể bạn bị {condition}, chưa chắc chắn."
    assert through(hedged)[0] == hedged
    named = f"Bạn chắc chắn bị {condition} như đã khám."
    assert through(named, own=f"bác sĩ nói tôi bị {condition}")[0] == named


SENTENCES = [
    "Bạn cắn chặt gạc 30 phút.",
    "Giữ đầu cao khi ngủ.",
    "Ăn đồ mềm và nguội [1].",
    "Hãy đi khám nha sĩ sớm.",
]


@given(
    st.lists(st.sampled_from(SENTENCES), min_size=1, unique=True),
    st.lists(st.sampled_from(SENTENCES), unique=True),
)
def test_what_was_read_of_a_draft_before_is_not_read_twice(before: list[str], again: list[str]) -> None:
    rail = OutputRail([SOURCE], "", "vi")
    rail.shown = " ".join(before)
    shown = rail.add(" ".join(again)) + rail.finish()
    assert [one for one in again if one in shown] == [one for one in again if one not in before]
    assert rail.cares == (SENTENCES[3] in again)


_CLEANED = (
    "Chải răng",
    "Đánh răng",
    "Súc miệng",
    "Súc nước muối",
    "Chườm lạnh",
    "Ngậm nước muối",
    "Uống nước ấm",
    "Brush",
    "Rinse",
    "Floss",
)
_OFTEN = ("ngày ba lần", "hai lần mỗi ngày", "mỗi 4 giờ")
_OFTEN_EN = ("twice a day", "three times a day", "every 4 hours")
_BESIDE = (
    "không cho bé ngậm bình sữa khi ngủ",
    "đừng uống nước ngọt",
    "ngậm rồi nhổ ra",
    "mỗi lần ngậm 30 giây",
)
_BESIDE_EN = ("do not take sugary drinks to bed", "take small sips of water")


def _often_said(act: str) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    return (_OFTEN_EN, _BESIDE_EN, " and ") if act.isascii() else (_OFTEN, _BESIDE, " và ")


@pytest.mark.parametrize("act", _CLEANED)
def test_how_often_a_mouth_is_cared_for_is_no_dose_whatever_is_drunk_beside_it(act: str) -> None:
    often, beside, also = _often_said(act)
    for one in (f"{act} {each}{mark}{other}." for each in often for other in beside for mark in (", ", also)):
        assert through(one)[0] == one


@pytest.mark.parametrize("act", _CLEANED)
def test_how_often_a_medicine_is_taken_beside_it_is_a_dose(act: str) -> None:
    often, _, also = _often_said(act)
    takes = (
        ("take ibuprofen", "take the pill", "take it")
        if act.isascii()
        else ("uống thuốc giảm đau", "dùng paracetamol", "uống", "ngậm một viên")
    )
    for one in (
        f"{act} {often[0]}{mark}{taken} {each}." for each in often for taken in takes for mark in (", ", also)
    ):
        assert refused(through(one)[1]) == "dose", one


@pytest.mark.parametrize("span", ["một tiếng", "hai giờ", "3 tiếng", "4 giờ"])
def test_where_accents_are_typed_only_the_word_for_every_makes_a_dose(span: str) -> None:
    since = f"Mới {span} mà môi còn tê thì thường chỉ là do thuốc tê."
    assert through(since)[0] == since
    for every in ("mỗi", "mổi", "cứ"):
        assert refused(through(f"Uống thuốc giảm đau {every} {span}.")[1]) == "dose"
    assert refused(through("uong thuoc giam dau moi 4 gio")[1]) == "dose"


_KEPT = (
    "Không tự ngừng thuốc",
    "Đừng ngưng thuốc loãng máu",
    "Chưa bỏ warfarin",
    "Do not stop your blood thinner",
    "Don't stop your medicine",
)
_BANS = ("không uống thêm {}", "đừng dùng {}", "không tự mua {} hay aspirin")
_BANS_EN = ("do not take {}", "never use {} or aspirin", "take no {}", "do not add {}")


@pytest.mark.parametrize("kept", _KEPT)
@pytest.mark.parametrize("drug", ["ibuprofen", "diclofenac", "naproxen"])
def test_a_ban_beside_another_ban_warns_and_a_ban_on_leaving_off_does_not(kept: str, drug: str) -> None:
    english = kept.isascii()
    bans = _BANS_EN if english else _BANS
    taken = ("take {}", "you may use {}") if english else ("uống {}", "cứ dùng {}", "đừng quên uống {}")
    for joined in (", ", " and " if english else " và "):
        for one in (*bans, *taken):
            assert warns(f"{kept}{joined}{one.format(drug)}.", [drug]) == (one in bans), one
    supposed = f"{'If you' if english else 'Nếu'} {kept.lower()}{joined}{bans[0].format(drug)}"
    assert not warns(supposed, [drug])


@pytest.mark.parametrize(
    "left",
    [
        "Không ngừng {}",
        "Đừng ngưng thuốc và {}",
        "Đừng tránh hay ngưng {}",
        "Do not stop {}",
        "Don't avoid {}",
    ],
)
def test_a_medicine_that_is_not_to_be_left_off_is_not_warned_of(left: str) -> None:
    assert not warns(f"{left.format('ibuprofen')}.", ["ibuprofen"])


@pytest.mark.parametrize("mark", ["; ", ". "])
def test_what_follows_a_sentence_that_was_taken_away_begins_as_what_stands_before_it_has_it(
    mark: str,
) -> None:
    dose = "uống amoxicillin 500 mg ngày ba lần"
    rail = OutputRail((), "", "vi", last=True)
    why = say("rail.dose", "vi")
    first = why[0].lower() if mark == "; " else why[0]
    assert (
        rail.add(f"Chườm lạnh{mark}{dose}; không hút thuốc lá.") + rail.finish()
        == f"Chườm lạnh{mark}{first}{why[1:]} Không hút thuốc lá."
    )
    draft = OutputRail((), "", "vi")
    shown = draft.add(f"Chườm lạnh{mark}{dose}; ") + draft.finish()
    again = OutputRail((), "", "vi", last=True)
    again.shown = shown
    assert (
        again.add("Không hút thuốc lá. Nghỉ ngơi.") + again.finish()
        == f"{'k' if mark == '; ' else 'K'}hông hút thuốc lá. Nghỉ ngơi."
    )


@pytest.mark.parametrize("done", ["Tập há miệng nhẹ", "Xoa bóp hàm", "Đắp khăn ấm"])
def test_beside_water_how_often_is_no_dose_unless_a_medicine_stands_before_it(done: str) -> None:
    told = f"{done} ngày ba lần, uống nước ấm."
    assert through(told)[0] == told
    assert refused(through("Uống paracetamol. Mỗi 6 giờ một lần, uống nước ấm.")[1]) == "dose"
    assert refused(through(f"{done}, uống thuốc với nước ấm, ngày ba lần.")[1]) == "dose"
    assert refused(through(f"{done}. Ngậm ngày bốn lần.")[1]) == "dose"


@pytest.mark.parametrize("act", ["chườm lạnh", "súc miệng", "chải răng nhẹ"])
@pytest.mark.parametrize("often", ["mỗi 6 giờ", "ngày ba lần"])
def test_how_often_after_a_medicine_and_a_care_may_be_of_either(act: str, often: str) -> None:
    assert refused(through(f"Đau thì uống paracetamol, {act}, {often}.")[1]) == "dose"
    assert refused(through(f"Đau thì uống thuốc giảm đau, {act} {often}.")[1]) == ""
    assert refused(through(f"Đau thì {act}, {often}, không uống thêm thuốc.")[1]) == ""
