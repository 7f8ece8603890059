"""The dental notes: complete in both languages, careful, found by what people ask, read out without a model."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.modes.dental import clinic_at
from tests.support.stores.services import services_at
from troly.plugin.services import Services
from troly.retrieval.documents.files import parse_document
from troly.text.catalogue import Lang
from troly.text.fold import fold
from troly.text.language import detect
from troly_dental import notes, samples
from troly_dental.lookup import listed
from troly_dental.memory.facts import find_facts
from troly_dental.memory.store import facts_of
from troly_dental.notes import NoteAnswer, is_answered, subjects
from troly_dental.output_rail import doses
from troly_dental.samples import COLLECTION, note_files
from troly_dental.sentences import asked_lexicon, sentences_of, subject_words, tells
from troly_dental.strings import say

HERE = Path(__file__).parent
STRENGTH = re.compile(
    r"\d\s*(?:mg|mcg|g|ml|iu|%|viên|giọt|gói|tablets?|pills?|capsules?|drops?)\b", re.IGNORECASE
)


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with clinic_at(tmp_path_factory.mktemp("notes")) as clinic:
        yield clinic.services


@pytest.fixture
def own_services(own_home: Path) -> Iterator[Services]:
    """Notes for the test alone, which it may change."""
    with clinic_at(own_home) as clinic:
        yield clinic.services


def questions(name: str) -> list[tuple[list[str], str]]:
    lines = [line for line in (HERE / name).read_text("utf-8").splitlines() if "|" in line and line[0] != "#"]
    return [
        (topics.strip().split("/"), question.strip())
        for topics, _, question in (line.partition("|") for line in lines)
    ]


async def share(services: Services, name: str, first: int = 1) -> float:
    """How many of the questions in a file find their note among the `first` ones, and nothing where nothing fits."""
    listed, right = questions(name), 0
    for topics, question in listed:
        got = [note.topic for note in await notes.find_in(services, question, 3, detect(question))]
        right += not got if topics == ["-"] else bool(set(got[:first]) & set(topics))
    return right / len(listed)


def test_there_are_forty_topics_each_in_both_languages() -> None:
    topics = {note.topic for note in note_files()}
    assert len(topics) >= 40
    for lang in ("vi", "en"):
        assert {note.topic for note in note_files() if note.lang == lang} == topics


@pytest.mark.parametrize("note", note_files(), ids=lambda note: note.path.name)
def test_a_note_is_short_dated_sourced_and_careful(note: samples.NoteFile) -> None:
    assert 120 <= len(note.text.split()) <= 250
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", note.date)
    assert note.sources
    assert note.also
    assert detect(note.text) == note.lang
    whole = note.path.read_text("utf-8")
    assert "http" not in whole
    assert "www." not in whole
    assert whole == unicodedata.normalize("NFC", whole)
    assert not STRENGTH.search(note.text)
    assert not [sentence for sentence in sentences_of(note.text) if doses(sentence)]
    last = sentences_of(note.text)[-1]
    assert re.match(r"Nên gặp (?:nha sĩ|bác sĩ)|See (?:a|the|your) (?:dentist|doctor|orthodontist)", last)
    assert len(parse_document(note.path, note.path.read_bytes()).blocks) >= 3


@pytest.mark.parametrize(
    ("name", "first", "least"),
    [
        ("notes_questions.txt", 1, 0.97),
        ("notes_everyday_questions.txt", 1, 0.9),
        ("notes_hurried_questions.txt", 1, 0.9),
        ("notes_rare_questions.txt", 1, 0.75),
        ("notes_rare_questions.txt", 3, 0.79),
    ],
)
async def test_what_people_ask_finds_its_note(
    services: Services, name: str, first: int, least: float
) -> None:
    assert await share(services, name, first) >= least


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("tôi không hút thuốc, sao hôi miệng", "bad-breath"),
        ("i don't smoke, why is my breath bad", "bad-breath"),
        ("mất một răng thì trồng bằng gì, trừ implant ra", "bridge"),
        ("rụng hết răng thì làm sao", "dentures"),
        ("chưa trám răng bao giờ mà sao răng có đốm đen", "caries"),
        ("tôi không bọc sứ sao răng vẫn đen", "caries"),
        ("I'm not a smoker, so why do my gums bleed", "gingivitis"),
        ("she's not smoking, why is her breath bad", "bad-breath"),
    ],
)
async def test_what_is_excluded_or_denied_is_no_topic(services: Services, question: str, topic: str) -> None:
    assert (await notes.find_in(services, question, 3, detect(question)))[0].topic == topic


async def test_what_is_said_of_the_person_comes_first(services: Services) -> None:
    for question, topic in (
        ("em đang bầu bị nhức răng", "pregnancy"),
        ("mẹ em có máy tạo nhịp đi lấy cao răng được không", "heart-and-blood-thinners"),
        ("my father is diabetic and wants his wisdom tooth out", "diabetes"),
    ):
        assert (await notes.find_in(services, question, 3, detect(question)))[0].topic == topic


@pytest.mark.parametrize("form", ["NFD", "capitals", "no marks"])
@pytest.mark.parametrize(
    ("question", "topic"),
    [("Răng khôn mọc lệch có nên nhổ không", "wisdom-tooth"), ("nướu bị chảy máu khi chải răng", "gingivitis"),
     ("tẩy trắng răng có hại không", "whitening"), ("bị tiểu đường có nhổ răng được không", "diabetes")],
)  # fmt: skip
async def test_every_way_of_typing_finds_the_same(
    services: Services, question: str, topic: str, form: str
) -> None:
    typed = {
        "NFD": unicodedata.normalize("NFD", question),
        "capitals": question.upper(),
        "no marks": fold(question),
    }[form]
    assert (await notes.find_in(services, typed, 3, "vi"))[0].topic == topic


async def test_the_language_of_the_turn_is_answered_in(services: Services) -> None:
    [vi, *_] = await notes.find_in(services, "is teeth whitening safe?", 1, "vi")
    [en, *_] = await notes.find_in(services, "tẩy trắng răng có hại không", 1, "en")
    assert (vi.topic, vi.lang, en.topic, en.lang) == ("whitening", "vi", "whitening", "en")
    assert vi.date == "2026-11-20"
    assert "ADA" in vi.source
    assert 0 < vi.score <= 1


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.text(max_size=200), st.integers(-1, 60))
async def test_any_text_is_a_question(services: Services, question: str, k: int) -> None:
    found = await notes.find_in(services, question, k, "vi")
    assert len(found) <= max(0, k)
    assert isinstance(notes.answer(found, question, question, "vi").text, str)
    assert [note.score for note in found] == sorted((note.score for note in found), reverse=True)


async def test_an_answer_has_the_sentence_that_was_asked_for(services: Services) -> None:
    question = "nhổ răng khôn xong bao lâu thì lành"
    text = notes.answer(await notes.find_in(services, question, 3, "vi"), question, question, "vi").text
    assert "một đến hai tuần" in text
    assert "Nên gặp nha sĩ" in text
    assert "20/11/2026" in text
    assert "Ghi chú dựa trên: NHS" in text
    asked = "what can I eat after a tooth extraction"
    eaten = notes.answer(await notes.find_in(services, asked, 3, "en"), asked, asked, "en").text
    assert "Eat soft, cool food" in eaten
    assert notes.answer((), question, question, "vi") == NoteAnswer()


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("tẩy trắng răng bằng baking soda được không", "baking"),
        ("niềng răng có chơi trombone được không", "trombone"),
        ("can I whiten my teeth with strawberries", "strawberries"),
    ],
)
async def test_a_word_that_no_note_has_is_named(services: Services, question: str, missing: str) -> None:
    lang = detect(question)
    told = notes.answer(await notes.find_in(services, question, 3, lang), question, question, lang)
    assert not told.whole
    assert f"“{missing}" in told.text.splitlines()[0]


@pytest.mark.parametrize(
    ("question", "lang", "missing"),
    [
        ("hôi miệng bao nhiêu tiền", "vi", "giá"),
        ("nghiến răng nên ăn gì", "vi", "ăn uống thế nào"),
        ("what can I eat with bad breath", "en", "what to eat or drink"),
    ],
)
async def test_a_kind_of_answer_that_no_note_has_is_named(
    services: Services, question: str, lang: Lang, missing: str
) -> None:
    found = await notes.find_in(services, question, 3, lang)
    told = notes.answer(found, question, question, lang)
    assert found
    assert told.whole or missing in told.text.splitlines()[0]


async def test_a_question_that_the_notes_cover_is_answered_whole(services: Services) -> None:
    for question in ("Chảy máu chân răng khi đánh răng có đáng lo không?", "nhổ răng khôn xong nên ăn gì"):
        assert notes.answer(await notes.find_in(services, question, 3, "vi"), question, question, "vi").whole


async def test_a_dose_is_never_read_out_and_own_documents_are_found(
    own_services: Services, tmp_path: Path
) -> None:
    page = tmp_path / "zirco.md"
    page.write_text(
        "# Zircoplasty\n\nZircoplasty là kỹ thuật của phòng khám. Uống paracetamol 500 mg mỗi 6 giờ sau zircoplasty. "
        "Zircoplasty cần tái khám. Nên gặp nha sĩ nếu đau.",
        "utf-8",
    )
    document = parse_document(page, page.read_bytes())
    own_services.knowledge.put(
        document, collection=COLLECTION, key="zirco.md", ingested_at="2026-05-02T08:00:00+07:00"
    )
    found = await notes.find_in(own_services, "zircoplasty là gì", 3, "vi")
    assert (found[0].title, found[0].date, found[0].topic) == ("Zircoplasty", "2026-05-02", "zirco.md")
    text = notes.answer(found, "zircoplasty uống thuốc gì", "zircoplasty uống thuốc gì", "vi").text
    assert "500" not in text
    assert "Zircoplasty là kỹ thuật" in text
    samples.remove(own_services, "vi")
    assert [note.topic for note in await notes.find_in(own_services, "zircoplasty là gì", 3, "vi")] == [
        "zirco.md"
    ]
    assert await notes.find_in(own_services, "răng khôn mọc lệch", 3, "vi") == ()


async def test_notes_become_evidence_and_entries_of_the_list(services: Services) -> None:
    found = await notes.find_in(services, "sâu răng là gì", 1, "vi")
    [shown] = notes.evidence(found, "vi")
    assert (shown.title, shown.where, shown.url) == ("Sâu răng", "ghi chú có sẵn", "")
    assert ("Soát lại", "20/11/2026") in shown.facts
    [entry] = notes.as_pages(found, "vi")
    assert (entry.title, entry.link) == ("Sâu răng (ghi chú có sẵn, 20/11/2026)", "")


async def test_vectors_find_what_words_do_not(own_services: Services) -> None:
    async def embed(texts: list[str]) -> list[list[float]]:
        # Directions that are spread out, so that the vector store's graph is connected.
        seen = ["zzz" if "Niềng răng dùng lực" in text else text for text in texts]
        return [[byte - 127.5 for byte in hashlib.sha256(text.encode()).digest()] for text in seen]

    await own_services.knowledge.embed_missing(COLLECTION, embed, "m")
    assert await notes.find_in(own_services, "zzz", 1, "vi") == ()
    [found] = await notes.find_in(own_services, "zzz", 1, "vi", embed=embed, embedder="m")
    assert found.topic == "braces"


def test_samples_load_once_keep_what_is_ones_own_and_go(own_home: Path) -> None:
    with services_at(own_home) as services:
        assert not samples.loaded(services)
        assert samples.load(services, "vi") == (f"Đã nạp {len(note_files())} ghi chú nha khoa.",)
        assert samples.loaded(services)
        assert "đã có" in samples.load(services, "vi")[0]
        assert "already" in samples.load(services, "en")[0]
        assert samples.remove(services, "vi") == (f"Đã bỏ {len(note_files())} ghi chú nha khoa.",)
        assert samples.remove(services, "vi") == ("Không có ghi chú nha khoa mẫu nào.",)
        assert not samples.loaded(services)


def test_subjects_are_named_by_phrases_and_by_words_apart() -> None:
    assert subjects("răng hàm của em bị sâu")["caries"] == 2
    assert "wisdom-tooth" in subjects("do all wisdom teeth need to come out")
    assert subjects("") == subjects("!!!") == {}
    assert subject_words("cho em hỏi răng khôn có nên nhổ không ạ") == "răng khôn nhổ"
    assert subject_words("sao vậy ạ") == "sao vậy ạ"


def test_what_is_told_beside_a_question_that_the_notes_answer_is_named_and_left_out() -> None:
    note = notes.of_topics(["retainer"], "vi")
    question = "Đồng nghiệp tôi mở tiệc tháo niềng linh đình. Hàm duy trì phải đeo bao lâu mỗi ngày?"
    told = notes.answer(note, question, question, "vi")
    assert told.whole
    assert "không tính đến" in told.text


def test_who_asks_what_to_do_hears_what_to_do() -> None:
    note = notes.of_topics(["bad-breath"], "vi")
    question = "Miệng có mùi thì phải làm sao?"
    assert "lưỡi" in notes.answer(note, question, question, "vi").text


@pytest.mark.parametrize("told", ["Tôi đang mang thai 5 tháng", "em đang bầu", "I'm 5 months pregnant"])
def test_what_a_note_says_of_who_is_as_the_person_is_read_out(told: str) -> None:
    lang = detect(told)
    found = notes.of_topics(["whitening"], lang)
    question = ("còn tẩy trắng thì sao", "and teeth whitening?")[lang == "en"]
    meant = ("mang thai", "pregnancy")[lang == "en"]
    assert meant in notes.answer(found, question, question, lang, facts_of(told)).text


def test_a_note_is_read_out_whole_where_a_word_of_the_question_is_not_in_what_was_chosen() -> None:
    found = notes.of_topics(["whitening"], "vi")
    asked = "tẩy trắng xong có bị vàng lại không?"
    assert all(one in notes.answer(found, asked, asked, "vi").text for one in sentences_of(found[0].text))


ASKED = {
    "how long": ("mấy hôm thì hết", "bao lâu mới khỏi", "chung nao moi lanh"),
    "why": ("tại sao bị vậy", "do dau ma bi"),
    "hurts": ("có đau không", "có nhức lắm không"),
    "strength": ("nồng độ mấy phần trăm",),
    "age": ("mấy tuổi thì được",),
    "choice": ("loại nào tốt hơn", "nên chọn cái nào"),
}


@pytest.mark.parametrize("kind", ASKED)
def test_a_note_is_the_answer_only_where_it_tells_the_kind_of_thing_that_is_asked(kind: str) -> None:
    for note in notes.of_topics(sorted({each.topic for each in note_files()}), "vi"):
        for asked in ASKED[kind]:
            question = f"{note.title.split('(')[0].strip()} {asked}?"
            told = notes.answer((note,), question, question, "vi")
            assert told.notes == (note,)
            if not any(tells(kind, sentence) for sentence in sentences_of(note.text)):
                assert not told.whole, question
                assert say(f"notes.no_{kind.replace(' ', '_')}", "vi") in told.text.splitlines()[0]


@pytest.mark.parametrize(
    ("topic", "question"),
    [
        ("mouthwash", "súc miệng nước muối bao lâu thì hết hôi miệng"),
        ("bruxism", "nghiến răng mấy năm thì mòn hết"),
        ("implant", "cai implant do xai duoc may nam"),
    ],
)
def test_a_time_of_something_else_is_not_how_long_this_takes(topic: str, question: str) -> None:
    lang = detect(question)
    told = notes.answer(notes.of_topics([topic], lang), question, question, lang)
    assert say("notes.no_how_long", lang) in told.text.splitlines()[0]


@pytest.mark.parametrize("told", ["mới {} hôm qua, giờ uống lạnh thấy ê", "hôm kia em {}, giờ cắn xuống đau"])
@pytest.mark.parametrize(
    ("treatment", "topic"),
    [("trám răng", "filling"), ("tẩy trắng răng", "whitening"), ("cạo vôi", "scaling"), ("bọc sứ", "crown")],
)
def test_what_is_felt_after_a_treatment_is_looked_for_in_its_note(
    told: str, treatment: str, topic: str
) -> None:
    question = f"{told.format(treatment)}, có bị sao không"
    assert topic in [note.topic for note in notes.ranked((), question, "vi")]
    assert notes.just_done(question) == {topic}
    assert not notes.just_done(f"{treatment} thì có đau không")


@pytest.mark.parametrize("ago", ["mấy hôm nay", "mấy bữa rày", "mấy tuần rồi", "mấy năm trước"])
def test_what_has_gone_on_asks_for_no_time(ago: str) -> None:
    assert "how long asked" not in asked_lexicon().labels_in(f"răng em đau {ago}")


@pytest.mark.parametrize(
    "question",
    [
        "em không niềng răng, sao răng lệch",
        "em không niềng răng mà sao răng lại lệch",
        "I never had braces, why are my teeth crooked",
    ],
)
async def test_a_treatment_that_was_not_done_is_no_answer_to_why(services: Services, question: str) -> None:
    found = await notes.find_in(services, question, 3, detect(question))
    assert not {"braces", "aligners"} & {one.topic for one in notes.ranked(found, question, detect(question))}


@pytest.mark.parametrize(
    ("question", "before", "topic"),
    [
        # What came of a treatment has more of the question than the treatment.
        ("nhổ răng hôm kia, chỗ nhổ trống hoác, đau lan lên tai", (), "dry-socket"),
        ("pulled my tooth 3 days ago and the pain is worse now, bad taste", (), "dry-socket"),
        (
            "Tôi nhổ răng khôn hôm thứ sáu, từ hôm qua đau nhói lan lên tai, miệng có mùi hôi",
            (),
            "dry-socket",
        ),
        # What one says of oneself, where no note has more of the question.
        ("Em đang mang thai tuần 20, nướu hay chảy máu khi đánh răng là do đâu", (), "pregnancy"),
        ("em bị tiểu đường, nướu hay chảy máu và lâu lành là do đâu", (), "diabetes"),
        ("em đang mang thai, răng khôn mọc lệch có phải nhổ không", (), "wisdom-tooth"),
        # What goes on from what was spoken of, and what does not.
        *(
            (f"{so}{asked}", (topic,), topic)
            for so in ("", "thế ")
            for topic in ("after-extraction", "dental-trauma", "whitening")
            for asked in (
                "hôm nay em súc miệng nước muối được chưa",
                "giờ đánh răng được chưa",
                "can i brush my teeth yet",
            )
        ),
        ("niềng răng được chưa", ("dental-trauma",), "braces"),
        ("thế niềng răng mất bao lâu", ("after-extraction",), "braces"),
        # What it does is told of what does it, where that note has as much.
        ("cạo vôi răng có làm mòn men răng không bạn", (), "scaling"),
        ("cao voi rang co lam mon men rang khong", (), "scaling"),
        ("does whitening damage enamel", (), "whitening"),
        ("trám răng có gây ê buốt không", (), "sensitivity"),
        # When something may be done depends on what was done.
        ("Chiều nay em vừa nhổ răng, khi nào được súc miệng nước muối?", (), "after-extraction"),
        # What one states of oneself in a follow-up is asked of what was spoken of.
        ("mình hút thuốc lá thì có khác ko", ("scaling",), "scaling"),
        ("tôi bị tiểu đường thì sao", ("implant",), "implant"),
    ],
)
async def test_the_note_of_what_is_asked_comes_first(
    services: Services, question: str, before: tuple[str, ...], topic: str
) -> None:
    lang = detect(question)
    found = await notes.find_in(services, question, 2, lang)
    assert notes.ranked(found, question, lang, before)[0].topic == topic


@pytest.mark.parametrize(
    ("said", "topic"),
    [
        ("em dị ứng lidocain", "anaesthetic-and-allergy"),
        ("I am allergic to articaine", "anaesthetic-and-allergy"),
        ("em bị dị ứng thuốc tê", "anaesthetic-and-allergy"),
        ("tôi bị tiểu đường", "diabetes"),
        ("Thai 32 tuần", "pregnancy"),
    ],
)
def test_what_one_stated_has_a_note(said: str, topic: str) -> None:
    assert topic in {note.topic for note in notes.about(find_facts(said), "vi")}


@pytest.mark.parametrize(
    "name",
    ["sâu kẽ", "lợi trùm", "dây cung", "than hoạt tính", "mảnh răng", "viêm nha chu", "răng khấp khểnh"],
)
@pytest.mark.parametrize("ask", ["{} là gì", "{} là sao", "{} có sao không"])
def test_a_name_of_a_note_with_nothing_beside_it_is_of_teeth(name: str, ask: str) -> None:
    assert is_answered(ask.format(name))
    assert not is_answered(f"{ask.format(name)} trong công ty chứng khoán")


def test_among_words_with_accents_one_without_is_no_other_word() -> None:
    assert "whitening" in subjects("tay trang rang")
    assert "whitening" not in subjects("tôi bị run tay, răng gãy")


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("con tôi răng cửa mọc lệch", "braces"),
        ("mảnh răng rơi ra có giữ được không", "dental-trauma"),
        ("đánh răng bằng than hoạt tính được không", "whitening"),
    ],
)
def test_what_a_note_covers_has_its_name(question: str, topic: str) -> None:
    assert topic in subjects(question)


SAID = "Ghi chú:\n- Một.\n- Hai.\n- Ba.\nNên gặp nha sĩ."


@pytest.mark.parametrize("thing", ["cái", "ý", "điều", "mục"])
@pytest.mark.parametrize(
    ("which", "place"),
    [("đầu tiên", 1), ("thứ nhất", 1), ("thứ hai", 2), ("thứ ba", 3), ("thứ tư", 4), ("cuối cùng", 3)],
)
def test_a_place_picks_a_line_of_the_list_that_was_shown(thing: str, which: str, place: int) -> None:
    lines = ["Một.", "Hai.", "Ba.", ""]
    assert listed(f"{thing} {which} bạn nói là gì", SAID) == (place, lines[place - 1])
    assert listed(f"{thing} {which} bạn nói là gì", "Không có danh sách.") is None
    for other in (
        "răng khôn có nên nhổ không",
        "cái đầu tôi nhức",
        "con đầu tiên của tôi thì sao",
        "cái còn lại",
    ):
        assert listed(other, SAID) is None


@pytest.mark.parametrize("drug", ["efferalgan", "panadol", "ibuprofen"])
@pytest.mark.parametrize(
    "measure",
    ["đúng như nhãn ghi", "đúng liều", "theo đúng toa", "không uống quá", "chưa quá liều", "as directed"],
)
def test_what_was_taken_in_measure_is_no_overdose(drug: str, measure: str) -> None:
    told = f"tôi uống 2 viên {drug} {measure}, mà răng vẫn nhức. Giờ sao?"
    for text in (told, fold(told)):
        assert "painkiller-overdose" not in [note.topic for note in notes.ranked((), text, "vi")]
    assert "painkiller-overdose" in [
        note.topic for note in notes.ranked((), f"uống quá liều {drug} thì sao, {measure}", "vi")
    ]


@pytest.mark.parametrize("must", ["phải", "cần", "nên"])
@pytest.mark.parametrize("takes", ["đưa đi khám", "đưa bé đi khám", "dẫn con đi nha sĩ", "cho cháu khám"])
def test_when_a_child_is_to_be_seen_is_asked_of_the_note_before(must: str, takes: str) -> None:
    asked = f"bé nhà em 14 tháng chưa có cái nào, đến bao giờ thì {must} {takes}?"
    found = notes.ranked((), asked, "vi", ["teething"])
    assert [note.topic for note in found] == ["teething"]
    assert "mười tám tháng" in notes.answer(found, asked, asked, "vi").text


@pytest.mark.parametrize(
    ("topic", "asked", "ruled"),
    [
        ("dry-socket", "nhét bông tẩm thuốc vào lỗ được không", "không tự nhét bông"),
        ("mouth-ulcer", "chấm phèn chua cho mau lành được không", "Không chấm phèn chua"),
        ("toothache", "can i put aspirin on the gum", "Never put a pain reliever"),
        ("dry-socket", "uống amoxicillin được không", ""),
        ("bad-breath", "có thuốc nào uống cho hết không", ""),
    ],
)
def test_a_note_that_forbids_the_very_thing_is_heard_beside_a_refusal(
    topic: str, asked: str, ruled: str
) -> None:
    lang = detect(asked)
    said = notes.ruling(notes.of_topics((topic,), lang), asked, lang)
    assert ruled in said.text
    assert bool(said.text) is bool(ruled)


@pytest.mark.parametrize("worry", ["có nguy hiểm không", "có bị sao không", "có nghiêm trọng không"])
@pytest.mark.parametrize(
    ("thing", "topic"),
    [("nhổ răng", "extraction"), ("trám răng", "filling"), ("cạo vôi", "scaling"), ("nuốt răng giả", "swallowed-object")],
)  # fmt: skip
async def test_what_only_asks_whether_it_is_dangerous_names_no_note(
    services: Services, worry: str, thing: str, topic: str
) -> None:
    asked = f"{thing} {worry}"
    found = await notes.find_in(services, asked, 2, "vi")
    assert topic in notes.ranked(found, asked, "vi")[0].topic


GLUES: dict[Lang, tuple[str, ...]] = {"en": ("super glue", "crazy glue", "superglue"), "vi": ("keo 502", "keo con voi", "keo dán sắt")}  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "forbids"),
    [
        ("can I use {} to fix my denture", "household glue"), ("is {} ok to repair a denture", "household glue"),
        ("dán lại răng giả bằng {} được không", "keo công nghiệp"), ("miếng trám rơi, dán lại bằng {} được không", "keo thông thường"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("nth", range(3))
async def test_any_glue_is_what_the_notes_say_of_glue(
    services: Services, asked: str, forbids: str, nth: int
) -> None:
    lang = detect(asked)
    question = asked.format(GLUES[lang][nth])
    found = notes.ranked(await notes.find_in(services, question, 2, lang), question, lang)
    told = notes.answer(found, question, question, lang)
    assert forbids in told.text
    assert told.whole


@pytest.mark.parametrize(
    ("question", "before", "topic"),
    [
        ("cách chăm sóc hàm giả", (), "dentures"),
        ("implant có bền không", (), "implant"),
        ("do i need to floss every day", (), "flossing"),
        ("how often should i get my teeth cleaned", (), "scaling"),
        # What was spoken of has all of it, or is pointed at.
        ("Rửa bằng kem đánh răng được không", ("dentures",), "dentures"),
        ("dùng kem đánh răng chải nó được không", ("dentures",), "dentures"),
    ],
)
def test_what_alone_is_named_is_what_it_is_about(question: str, before: tuple[str, ...], topic: str) -> None:
    found = notes.ranked(notes.of_topics(before, "vi"), question, detect(question), before)
    assert found[0].topic == topic


@pytest.mark.parametrize("done", ["trám răng", "nhổ răng khôn", "lấy tủy"])
@pytest.mark.parametrize("beside", ["môi còn tê", "cười hơi lệch", "ngồi xe ôm về"])
def test_what_the_asking_sentence_names_alone_comes_before_what_is_told(done: str, beside: str) -> None:
    question = f"Bà em vừa tiêm tê {done} xong, {beside}. Bao lâu mới hết tê ạ?"
    found = notes.ranked((), question, "vi")
    assert found[0].topic == "anaesthetic-and-allergy"
    told = notes.answer(found, question, question, "vi")
    assert told.whole
    assert "sau vài giờ" in told.text


@pytest.mark.parametrize("until", ["tới tết", "đến tuần sau", "qua tết", "tới đó", "sang tháng sau"])
@pytest.mark.parametrize("waits", ["để", "chờ", "đợi"])
def test_whether_it_can_wait_is_asked_of_the_note_before(waits: str, until: str) -> None:
    before, question = ("oral-cancer-signs",), f"ba em ngại đi, {waits} {until} có sao không"
    [first] = notes.ranked((), question, "vi", before)
    told = notes.answer([first], question, question, "vi")
    assert told.whole
    assert "trong vòng một hai tuần" in told.text
    # What names a subject of its own is asked of that.
    assert notes.ranked((), f"trám răng {waits} {until} có sao không", "vi", before)[0].topic == "filling"


@pytest.mark.parametrize("cheek", ["má cũng không sưng", "má vẫn không sưng", "má cũng k sưng"])
def test_what_is_said_not_to_be_so_names_no_note_beside_what_is_felt(cheek: str) -> None:
    question = f"đo lại 36,9 k sốt, {cheek}. tối nay làm gì cho bé đỡ đau"
    assert notes.ranked((), question, "vi", ("toothache",))[0].topic == "toothache"
    assert notes.ranked((), "má sưng to. tối nay làm gì cho bé đỡ đau", "vi")[0].topic == "facial-swelling"


@pytest.mark.parametrize("told", ["a chunk of my back tooth snapped off", "my front tooth broke, i have the piece"])  # fmt: skip
@pytest.mark.parametrize("of", ["What should I keep it in?", "How should i keep it?"])
def test_it_is_what_was_named_before_it(told: str, of: str) -> None:
    question = f"Hi, on holiday in Hoi An, {told}. {of}"
    found = notes.ranked((), question, "en")
    assert found[0].topic == "dental-trauma"
    answer = notes.answer(found[:1], question, question, "en")
    assert answer.whole
    assert "milk or saline" in answer.text
    assert "holiday" in answer.text, "what was not read is named"
