"""How much of a question a text speaks of: words by any name, what is not read is named, titles name documents."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.modes.rag_company import company_at
from troly.retrieval.search.glossary import named_elsewise
from troly.text.catalogue import Lang
from troly.text.fold import fold
from troly_rag.corpus.coverage import (
    figure_request,
    phrases_of,
    question_of,
    text_of,
    title_subject,
    whole_words,
)

LATE = (
    "Quy định đi muộn\nNhân viên đi muộn quá 3 lần trong một tháng bị trừ 200.000 VND cho mỗi lần tiếp theo."
)
WORDS = st.sampled_from(["đi muộn", "trễ giờ", "bị trừ", "bao nhiêu", "xyzzyx", "quầy bar", "6 lần", "không"])


@pytest.mark.parametrize(
    "question",
    [
        "đi muộn bị trừ bao nhiêu?",
        "di muon bi tru bao nhieu",
        "đi làm trễ 6 lần thì bị trừ mấy?",
        "ĐI MUỘN BỊ TRỪ",
    ],
)
def test_a_question_in_any_wording_is_read_whole(question: str) -> None:
    assert question_of(question).coverage(text_of(LATE)).share == 1
    assert question_of(question).coverage(text_of(LATE)).unread == ()


@given(st.lists(WORDS, min_size=1, max_size=6))
def test_a_word_that_is_not_read_is_named(words: list[str]) -> None:
    covered = question_of(" ".join(words)).coverage(text_of(LATE))
    for strange in ("xyzzyx", "quầy bar"):
        assert (strange in words) == all(part in covered.unread for part in strange.split())
    assert (covered.share < 1) == bool(covered.unread) or not question_of(" ".join(words)).words


def test_accents_that_were_typed_count() -> None:
    assert question_of("bán hàng").coverage(text_of("Bàn ghế hàng ngày")).unread == ("bán",)


@given(st.text(max_size=120), st.text(max_size=120))
def test_any_text_is_held_against_any_other(question: str, text: str) -> None:
    covered = question_of(question).coverage(text_of(text))
    assert 0 <= covered.share <= 1
    assert 0 <= covered.closeness <= 1
    assert set(covered.unread) <= set(question_of(question).words)
    assert 0 <= question_of(question).named_by(text) <= 1


@pytest.mark.parametrize(
    ("title", "subject"),
    [
        ("Quy định làm thêm giờ", "lam them gio"),
        ("Chính sách mật khẩu 2024", "mat khau"),
        ("Remote Work Policy", "remote work"),
        ("Nghỉ phép năm (sửa đổi 2026)", "nghi phep nam"),
        ("2024", ""),
        ("Policy", ""),
    ],
)
def test_the_subject_of_a_title(title: str, subject: str) -> None:
    assert title_subject(title) == subject


@pytest.mark.parametrize("asked", ["nộp đơn {} ở đâu", "{} tại đâu", "where is {}", "o nhung dau {}"])
@pytest.mark.parametrize("thing", ["sửa công", "wifi", "bảo trì"])
def test_where_is_told_by_a_clause_that_names_a_place(asked: str, thing: str) -> None:
    question = question_of(asked.format(thing) if "đ" in asked or "w" in asked else fold(asked.format(thing)))
    assert question.keeps_places(f"Đơn {thing} nộp tại quầy, trước ngày 2.")
    assert not question.keeps_places(f"Đơn {thing} nộp trước ngày 2. Phòng nhân sự ở tầng 3.")
    assert not question.keeps_places(f"Đơn {thing} nộp vào ngày 2.")
    assert question_of(f"{thing} khi nào").keeps_places(f"Đơn {thing} nộp trước ngày 2.")


@pytest.mark.parametrize("thing", ["bảo hiểm", "wifi", "suất ăn"])
def test_a_figure_stands_in_a_sentence_that_speaks_of_what_is_asked(thing: str) -> None:
    asked = question_of(f"{thing} bao nhiêu")
    assert asked.keeps_figures(f"Có {thing}, mỗi tháng 35.000 VND.")
    assert not asked.keeps_figures(f"Có {thing} cho mọi người. Gửi xe 150.000 VND.")
    assert not asked.keeps_figures(f"Có {thing} từ 7 giờ 30 đến 19 giờ, 24/7, qua số 1900.")


@pytest.mark.parametrize(
    ("asked", "bare"),
    [
        ("ai duyệt", True),
        ("sửa sao", True),
        ("nghỉ mấy ngày", True),
        ("nghỉ phép mấy ngày", False),
        ("wifi sao", False),
        ("who is the CEO", False),
    ],
)
def test_one_syllable_does_not_say_of_what(asked: str, bare: bool) -> None:
    assert question_of(asked).is_bare is bare


@pytest.mark.parametrize("asked", ["ai là trưởng kho", "trưởng kho là ai", "who is the head of IT"])
def test_who_somebody_is_is_told_by_a_name(asked: str) -> None:
    request = figure_request(asked)
    assert request.is_met("Trưởng kho là bà Lê Thị Hoa.")
    assert request.is_met("The head of IT is Hoa Le.")
    assert not request.is_met("Báo trưởng kho hoặc the head of IT trong 15 phút.")


WHOLE = sorted(
    {
        (phrase.line, *(word.text for word in phrase.words))
        for phrases in whole_words().values()
        for phrase in phrases
    }
)


@pytest.mark.parametrize(("place", "first", "second"), WHOLE)
def test_half_of_a_word_is_not_spoken_of_by_the_word(place: int, first: str, second: str) -> None:
    half = (first, second)[place]
    asked = question_of(f"xyzzyx {half}")
    if half not in asked.words or asked.names_something or named_elsewise(half)(f"{first} {second}"):
        pytest.skip("the half says nothing of its own, or the word is another name of it")
    assert half in asked.coverage(text_of(f"gần {first} {second} kia")).unread
    assert half not in asked.coverage(text_of(f"gần {half}, kia")).unread
    whole = question_of(f"xyzzyx {first} {second}")
    assert half not in whole.coverage(text_of(f"gần {first} {second} kia")).unread


@pytest.mark.parametrize("asked", ["gửi xe bao nhiêu", "gửi xe bao nhiêu một tháng", "how much is parking"])
@pytest.mark.parametrize(
    ("told", "met"),
    [
        ("Gửi xe ở hầm B2", False),
        ("Gửi xe ở hầm B2 với 30 chỗ", False),
        ("Gửi xe gần 12 cửa hàng", False),
        ("Gửi xe 150.000 VND", True),
        ("Gửi xe: 150.000", True),
        ("Gửi xe chiếm 10%", True),
        ("Gửi xe được 2 lần mỗi ngày", True),
    ],
)
def test_a_number_is_that_of_what_it_counts(asked: str, told: str, *, met: bool) -> None:
    assert figure_request(asked).is_met(told) is met


def test_a_number_of_what_the_question_names_is_its_own() -> None:
    assert figure_request("gửi ô tô có chỗ không, bao nhiêu").is_met("Gửi xe ở hầm B2 với 30 chỗ")


@pytest.mark.parametrize("asked", ["ai lập công ty", "who founded the company"])
@pytest.mark.parametrize(
    ("told", "met"),
    [
        ("Công ty lập năm 2009, có 420 nhân viên và 6 chi nhánh", False),
        ("The company was founded in 2009 and has 420 employees", False),
        ("Công ty do bà Trần Thu Hà lập", True),
        ("Gọi tổng đài 1900", True),
        ("Ask the head of IT", True),
    ],
)
def test_who_is_told_by_a_person_and_by_no_count(asked: str, told: str, *, met: bool) -> None:
    assert figure_request(asked).is_met(told) is met


@pytest.mark.parametrize("place", ["lễ tân", "kho", "căng tin"])
@pytest.mark.parametrize("by", ["ở", "tại", "ở quầy", "với"])
def test_the_time_of_what_happens_in_a_place_is_not_that_of_the_place(by: str, place: str) -> None:
    asked = question_of(f"{place} đến mấy giờ")
    assert not asked.keeps_figures(f"Bưu phẩm nhận {by} {place} trước 17 giờ.")
    assert not asked.keeps_figures(f"Số của {place} là 1900. Bưu phẩm nhận {by} {place} trước 17 giờ.")
    assert asked.keeps_figures(f"Bộ phận {place} mở trước 17 giờ.")
    assert question_of(f"ở {place} đến mấy giờ").keeps_figures(f"Nhận {by} {place} trước 17 giờ.")


async def test_a_document_is_found_by_its_title(tmp_path: Path) -> None:
    with company_at(tmp_path) as company:
        company.write("a.md", "Văn phòng mở cửa từ 8 giờ.", title="Giờ làm việc", scope="public")
        company.write(
            "b.md", "Năm 2009 công ty bắt đầu với 12 người lúc khó khăn.", title="Lịch sử", scope="public"
        )
        company.ingest()
        found = await company.find("giờ làm việc bắt đầu lúc mấy giờ?", company.person("public"))
        assert found.passages[0].title == "Giờ làm việc"


@pytest.mark.parametrize(
    ("name", "lang", "called"),
    [
        ("weekly days off", "vi", "ngày nghỉ hằng tuần"),
        ("public holidays", "vi", "ngày lễ"),
        ("weekly days off", "en", "weekly days off"),
        ("ngày lễ", "vi", "ngày lễ"),
        ("night shifts of guards", "vi", "night shifts of guards"),
    ],
)
def test_a_name_is_told_in_the_language_of_the_answer(name: str, lang: Lang, called: str) -> None:
    assert text_of(name).called(lang) == called


def test_words_of_another_wording_keep_their_marks() -> None:
    look = named_elsewise("ngày thành lập công ty")
    assert {"thanh", "lap"} <= look("Lịch sử công ty") & look("lich su cong ty")
    assert not look("mặc lịch sự")


@pytest.mark.parametrize(
    ("name", "longer"),
    [
        ("chứng từ", "nộp chứng từ"),
        ("giám đốc", "tổng giám đốc"),
        ("mật khẩu", "quên mật khẩu"),
        ("đăng ký", "hạn đăng ký"),
    ],
)
def test_a_name_at_the_end_of_a_longer_one_is_spoken_of(name: str, longer: str) -> None:
    assert question_of(name).coverage(text_of(f"Việc {longer} trong ngày")).share == 1
    assert question_of(longer).coverage(text_of(f"Việc {name} trong ngày")).share < 1


@pytest.mark.parametrize("name", ["nghỉ việc", "nghỉ phép"])
def test_a_name_at_the_beginning_of_a_longer_one_is_not_spoken_of(name: str) -> None:
    longer = {"nghỉ việc": "nghỉ việc riêng", "nghỉ phép": "nghỉ phép năm"}[name]
    assert not text_of(name).lines <= text_of(longer).lines


@pytest.mark.parametrize("count", ["số ngày", "mấy ngày", "bao nhiêu ngày"])
@pytest.mark.parametrize("name", ["làm việc từ xa", "làm việc tại nhà"])
def test_a_name_that_begins_inside_a_shorter_one_is_read_whole(count: str, name: str) -> None:
    # "Ngày làm việc" is a name too.
    assert question_of(f"{count} {name}").coverage(text_of("Làm việc từ xa 2 ngày mỗi tuần")).share == 1
    assert question_of(f"{count} {name}").coverage(text_of("Các ngày làm việc trong tuần")).share != 1


@pytest.mark.parametrize("one", ["laptop", "thẻ", "xe"])
@pytest.mark.parametrize("two", ["nhà", "tầng hầm", "sân"])
def test_words_that_are_asked_of_together_stand_in_one_clause(one: str, two: str) -> None:
    asked = question_of(f"{one} về {two} được không")
    assert asked.coverage(text_of(f"Quy định\nCất {one} ở {two} rồi báo")).closeness > 0
    assert not asked.coverage(text_of(f"Quy định\nKhóa {one} khi rời. Chớ in ở {two}")).closeness


@pytest.mark.parametrize("thing", ["wifi", "email", "máy in"])
def test_what_something_is_is_told_where_it_stands_as_it_was_asked(thing: str) -> None:
    told = text_of(f"Quy định\nDùng {thing} nơi có mật khẩu")
    assert not question_of(f"mật khẩu {thing} là gì").coverage(told).closeness
    assert question_of(f"mật khẩu {thing} thế nào").coverage(told).closeness
    assert (
        question_of(f"mật khẩu {thing} là gì").coverage(text_of(f"Quy định\nMật khẩu {thing}: 1")).closeness
    )


@pytest.mark.parametrize("thing", ["mật khẩu", "phụ cấp", "bảo hiểm"])
def test_a_thing_that_is_only_denied_has_no_figure(thing: str) -> None:
    for asked in (f"{thing} bao nhiêu", f"{thing} là gì"):
        assert question_of(asked).is_only_denied(f"Nơi không {thing} thì báo")
        assert not question_of(asked).is_only_denied(f"Nơi không {thing} thì báo. {thing} là 5")
    assert not question_of(f"có {thing} không").is_only_denied(f"Nơi không {thing} thì báo")


@pytest.mark.parametrize("asked", ["công ty có cấp {} không", "mình có được phát {} không", "do we get a {}"])
@pytest.mark.parametrize("thing", ["laptop", "ô tô", "thẻ nhân viên"])
def test_whether_something_is_given_is_told_where_it_is_given(asked: str, thing: str) -> None:
    question = question_of(asked.format(thing))
    for gives in ("được cấp", "được nhận", "có"):
        assert question.keeps_gifts(f"Nhân viên mới {gives} {thing}")
    assert not question.keeps_gifts(f"{thing} để ở tầng hầm. Phiếu nhận ở quầy")
    assert not question.keeps_gifts(f"Phụ cấp ăn trưa 730.000 VND, {thing} 150.000 VND")
    assert question_of(f"{thing} để ở đâu").keeps_gifts(f"{thing} để ở tầng hầm")


@pytest.mark.parametrize("word", ["giấy tờ", "thân nhân", "thu nhập"])
def test_a_listed_word_of_two_syllables_is_not_told_by_one_of_them_or_both_apart(word: str) -> None:
    one, two = word.split()
    asked = question_of(f"cho xem {word}")
    assert asked.coverage(text_of(f"Quy định về {word}")).share == 1
    assert asked.coverage(text_of(f"Nơi {one} thì báo {two}")).unread == (one, two)


@given(st.integers(2, 9))
def test_a_digit_of_an_amount_is_no_number_of_things(many: int) -> None:
    asked = question_of(f"thưởng {many} ứng viên")
    assert str(many) in asked.coverage(text_of(f"Thưởng ứng viên {many}.000.000 VND")).unread
    assert not asked.coverage(text_of(f"Thưởng {many} ứng viên 1.000.000 VND")).unread


@pytest.mark.parametrize("end", ["gái", "trai", "ruột"])
@pytest.mark.parametrize("word", ["con", "em", "cháu"])
def test_a_syllable_that_only_ends_words_is_named_with_the_one_before_it(word: str, end: str) -> None:
    assert phrases_of(f"{word} {end} tôi ốm", (end,)) == (f"{word} {end}",)
    assert phrases_of(f"{end}, {word} tôi", (end,)) == (end,)
    assert phrases_of(f"{word} {end} tôi ốm", ("ốm",)) == ("ốm",)


@pytest.mark.parametrize("name", ["hết hạn", "máy tính xách tay", "làm thêm giờ"])
def test_of_a_listed_name_no_part_is_named_alone(name: str) -> None:
    for part in name.split():
        assert phrases_of(f"khi nào {name} thì báo", (part,)) == (name,)
    assert phrases_of(f"khi nào {name} thì báo", ("báo",)) == ("báo",)


@pytest.mark.parametrize("thing", ["ngân hàng", "bệnh viện", "hãng xe", "trung tâm"])
def test_which_one_is_told_where_the_text_goes_on_behind_the_word(thing: str) -> None:
    asked = question_of(f"trả qua {thing} nào")
    assert asked.keeps_objects(f"Lương trả qua {thing} Tâm Anh, vào ngày 5.")
    assert not asked.keeps_objects(f"Lương trả vào ngày 5 qua {thing}. Phiếu xem trên cổng.")
    # Nor by a word with other marks in the place of its own.
    assert not asked.keeps_objects(f"Lương trả hằng tháng qua {thing}.")
    # What does not ask which one, and a text without the word, is left alone.
    assert question_of(f"có {thing} không").keeps_objects(f"Lương trả qua {thing}.")
    assert asked.keeps_objects("Lương trả vào ngày 5.")


@pytest.mark.parametrize(("bare", "marked"), [("thang", "tháng"), ("xe", "xé"), ("phim", "phím")])
def test_among_words_with_marks_a_word_that_is_one_without_is_no_other(bare: str, marked: str) -> None:
    told = f"Trang\nNhân viên được trả lương đúng hạn {marked} đó."
    unread = question_of(f"lương đúng hạn {bare}").coverage(text_of(told)).unread
    assert bare in unread
    # Where any other word lacks its marks, this one may too.
    assert bare not in question_of(f"lương dung han {bare}").coverage(text_of(told)).unread
    assert bare not in question_of(f"luong dung han {bare}").coverage(text_of(told)).unread


@pytest.mark.parametrize("code", ["db-02", "web-01", "PRN-7", "kho-12"])
def test_a_code_with_a_number_is_a_thing_by_itself(code: str) -> None:
    assert question_of(f"{code} là gì").is_topic
    assert not question_of(f"{code.partition('-')[0]} xyz là gì").is_topic


@pytest.mark.parametrize(
    ("asked", "named"), [("tổng giám đốc tên gì", "Hà"), ("phòng họp lớn tên là gì", "Hàn")]
)
def test_what_something_is_called_is_told_by_a_name(asked: str, named: str) -> None:
    assert figure_request(asked).is_met(f"Nơi đó là bà {named}.")
    assert not figure_request(asked).is_met("Tổng giám đốc duyệt trong 3 ngày.")


@pytest.mark.parametrize("end", ["gái", "trai", "tên"])
@pytest.mark.parametrize("word", ["công ty", "nhân viên", "kế toán"])
def test_a_listed_word_gives_no_half_to_the_next(word: str, end: str) -> None:
    assert phrases_of(f"{word} {end} Bông", [end]) == (end,)


@pytest.mark.parametrize(
    "asked", ["ngày mấy tháng {}", "hôm nào trong tháng {}", "cụ thể là ngày nào", "chính xác ngày mấy"]
)
@pytest.mark.parametrize("month", [1, 6, 12])
def test_a_day_that_is_asked_for_exactly_is_not_told_by_its_month(asked: str, month: int) -> None:
    request = figure_request(f"khám sức khỏe {asked.format(month)}")
    assert request.lacks_day(f"Khám sức khỏe tổ chức vào tháng {month} hằng năm.")
    assert not request.is_met(f"Khám sức khỏe tổ chức vào tháng {month} hằng năm.")
    for day in ("ngày 9", "thứ hai đầu", "mùng 5"):
        assert request.is_met(f"Khám sức khỏe tổ chức vào {day} tháng {month} hằng năm.")


@pytest.mark.parametrize("asked", ["khi nào", "tháng mấy", "ngày nào", "vào tháng 12 hả"])
def test_what_asks_no_more_exactly_is_told_by_a_month(asked: str) -> None:
    assert figure_request(f"khám sức khỏe {asked}").is_met("Khám sức khỏe tổ chức vào tháng 12 hằng năm.")


@pytest.mark.parametrize("later", ["kéo dài thời hạn", "hoãn", "trì hoãn việc", "lùi thời gian"])
@pytest.mark.parametrize("asked", ["bao lâu thì được tăng lương", "khi nào nâng lương"])
def test_what_is_put_off_is_not_told_by_that(later: str, asked: str) -> None:
    rule = f"Các hình thức gồm khiển trách, {later} nâng lương không quá 6 tháng."
    assert question_of(asked).is_only_denied(rule)
    assert not question_of(asked).is_only_denied(f"{rule} Nâng lương mỗi 12 tháng.")
    assert not question_of(f"{later} nâng lương bao lâu").is_only_denied(rule)


@pytest.mark.parametrize("many", [420, 35, 1200])
def test_a_figure_stands_beside_its_word_by_its_name_in_another_language(many: int) -> None:
    told = f"Công ty được thành lập tại Đà Nẵng. Công ty có {many} nhân viên."
    assert question_of("How many employees does the company have?").keeps_figures(told)
    assert not question_of("How many employees does the company have?").keeps_figures(
        f"Công ty có nhân viên tại Đà Nẵng. Hội trường chứa {many} người."
    )
