"""An answer says only what its passages say: figures, names, list items and negations are held against them."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly_rag.answer.grounding import claims_of, ground, refuses
from troly_rag.tools.documents import extract

PAGES = Path(__file__).parents[3] / "data" / "rag"
VALUES = "Giá trị cốt lõi\nCông ty có 4 giá trị cốt lõi: Khách hàng trước tiên, Chính trực, Hợp tác, Kỷ luật."
LATE = (
    "Nội quy đi muộn\nĐi muộn quá 3 lần trong tháng bị trừ 200.000 VND mỗi lần. "
    "Đi muộn ảnh hưởng đến giá trị Kỷ luật. Nhân viên không được chấm công thay người khác."
)
PASSAGES = (VALUES, LATE)


@pytest.mark.parametrize(
    "claim",
    [
        "Công ty có 4 giá trị cốt lõi.",
        "Đi muộn quá 3 lần trong tháng bị trừ 200.000 VND mỗi lần.",
        "Đi muộn quá ba lần trong tháng bị trừ 200 nghìn mỗi lần.",
        "Bốn giá trị cốt lõi là Khách hàng trước tiên, Chính trực, Hợp tác, Kỷ luật.",
        "Nhân viên không được chấm công thay người khác.",
    ],
)
def test_what_a_passage_says_stands(claim: str) -> None:
    assert ground(claim, PASSAGES).text == claim


@pytest.mark.parametrize(
    "claim",
    [
        # 004 C5: the sample answer's fifth value.
        "Việc đi muộn ảnh hưởng đến giá trị Kỷ luật và Trách Nhiệm.",
        "Công ty có 5 giá trị cốt lõi.",
        "Đi muộn quá 3 lần trong tháng bị trừ 500.000 VND mỗi lần.",
        "Nhân viên được chấm công thay người khác.",
        "Công ty thưởng xe hơi cho nhân viên xuất sắc nhất năm.",
        "Theo Ông Nguyễn Văn Bình, đi muộn quá 3 lần trong tháng bị trừ 200.000 VND.",
    ],
)
def test_what_no_passage_says_is_not_said(claim: str) -> None:
    found = ground(claim, PASSAGES)
    assert found.text == ""
    assert found.dropped[0][0] == claim


OFFICE = "Thứ hai cả công ty làm tại văn phòng."
AWAY = "Làm ở ngoài phải bật VPN, không dùng wifi công cộng, khóa màn hình khi rời máy."


@pytest.mark.parametrize("no", ["Không", "Không được", "Dạ không ạ", "Chưa được", "No"])
@pytest.mark.parametrize("mark", [": ", ", ", ". ", " – "])
def test_a_no_to_the_question_turns_no_sentence_round(no: str, mark: str) -> None:
    claim = f"{no}{mark}{OFFICE[0].lower()}{OFFICE[1:]}"
    assert ground(claim, (OFFICE,)).dropped == ()


@pytest.mark.parametrize(
    "claim", ["Bạn phải bật VPN và khóa màn hình.", "Phải bật VPN, không dùng wifi công cộng."]
)
def test_a_list_may_be_told_in_part(claim: str) -> None:
    assert ground(claim, (AWAY,)).text == claim


@pytest.mark.parametrize("claim", ["Làm ở ngoài dùng wifi công cộng.", "Làm ở ngoài không phải bật VPN."])
def test_a_part_of_a_list_is_not_turned_round(claim: str) -> None:
    assert ground(claim, (AWAY,)).text == ""


def test_only_the_wrong_sentence_goes() -> None:
    found = ground("Công ty có 4 giá trị cốt lõi. Trong đó có Sáng Tạo Không Ngừng.", PASSAGES)
    assert found.text == "Công ty có 4 giá trị cốt lõi."
    assert [claim.passage for claim in found.claims] == [0]


def test_list_items_are_held_against_the_passages_one_by_one() -> None:
    answer = "Các giá trị:\n- Chính trực\n- Hợp tác\n- Trách Nhiệm Xã Hội\n- Kỷ luật"
    kept = ground(answer, PASSAGES).text
    assert "Chính trực" in kept
    assert "Kỷ luật" in kept
    assert "Trách Nhiệm" not in kept


def test_each_claim_is_tied_to_its_own_passage() -> None:
    found = ground("Công ty có 4 giá trị cốt lõi. Đi muộn ảnh hưởng đến giá trị Kỷ luật.", PASSAGES)
    assert [claim.passage for claim in found.claims] == [0, 1]


def test_without_a_passage_nothing_is_said() -> None:
    assert ground("Công ty có 4 giá trị cốt lõi.", ()).text == ""


def test_extraction_takes_the_sentence_that_answers() -> None:
    claims = extract("đi muộn bị trừ bao nhiêu tiền", PASSAGES, most=1)
    assert claims[0].text == "Đi muộn quá 3 lần trong tháng bị trừ 200.000 VND mỗi lần."
    assert claims[0].passage == 1


def test_what_is_extracted_is_always_grounded() -> None:
    for question in ("giá trị cốt lõi là gì", "đi muộn có sao không", "chấm công hộ"):
        for claim in extract(question, PASSAGES):
            assert ground(claim.text, PASSAGES).text == claim.text


@given(st.text(max_size=300), st.lists(st.text(max_size=200), max_size=3))
def test_any_text_is_judged_and_nothing_is_added(answer: str, passages: list[str]) -> None:
    found = ground(answer, passages)
    for claim in found.claims:
        assert claim.text in answer
        assert 0 <= claim.passage < len(passages)


@pytest.mark.parametrize(
    "claim",
    [
        "Bạn đi muộn 6 lần nên bị trừ 3 × 200.000 = 600.000 VND.",
        "Bạn bị trừ 600.000 VND vì vượt mức 3 lần.",
        "Bạn không bị trừ vì mới đi muộn đúng 3 lần.",
        "Tài liệu không nói gì về việc bù giờ.",
        "Tôi rất tiếc về chuyện này.",
        "Tổng là 6 × 200.000 / 4 = 300.000 VND.",
    ],
)
def test_a_right_sum_and_what_is_said_not_to_be_there_stand(claim: str) -> None:
    assert (
        ground(claim, PASSAGES, ("đi muộn 6 lần thì bị trừ bao nhiêu, có được bù giờ không",)).text == claim
    )


def test_a_wrong_sum_does_not_stand() -> None:
    asked = ("đi muộn 6 lần thì bị trừ bao nhiêu",)
    assert ground("Bạn bị trừ 3 × 200.000 = 750.000 VND.", PASSAGES, asked).text == ""


@given(
    st.lists(
        st.sampled_from(["Công ty có 4 giá trị cốt lõi.", "Công ty có 9 giá trị.", "Các giá trị:", "## 1."])
    )
)
def test_what_remains_reads_as_an_answer(sentences: list[str]) -> None:
    kept = ground("\n".join(sentences), PASSAGES)
    assert "9" not in kept.text
    assert "#" not in kept.text
    if kept.dropped:
        assert not kept.text.endswith(":")
    assert kept.text.count("cốt lõi.") == sentences.count("Công ty có 4 giá trị cốt lõi.")


def test_a_heading_claims_nothing() -> None:
    assert list(claims_of("## 1.\n**Kết luận**\n")) == []


def test_the_figure_that_is_asked_for_comes_first() -> None:
    page = "Mạng khách không dùng cho máy in. Mã có hiệu lực 2 giờ. Mỗi thiết bị tối đa 10 Mbps."
    told = extract("Mã wifi cho khách dùng được mấy tiếng?", [page], ["Mạng không dây cho khách"], most=1)
    assert [claim.text for claim in told] == ["Mã có hiệu lực 2 giờ."]


def test_a_clause_after_a_semicolon_and_the_items_of_a_list_are_told_with_it() -> None:
    page = "Kho có chìa khóa màu cam; làm mất phải đền 350.000 đồng.\nHồ sơ xin nghỉ gồm:\n- Đơn\n- Giấy khám\n\nHết."
    assert "350.000" in extract("làm mất chìa khóa màu cam phải đền bn", [page], most=1)[0].text
    told = [claim.text for claim in extract("hồ sơ xin nghỉ gồm những gì", [page], most=1)]
    assert told == ["Hồ sơ xin nghỉ gồm:", "- Đơn", "- Giấy khám"]


def test_a_sentence_in_the_language_of_the_question_is_enough() -> None:
    pages = ["Công ty có 4 giá trị cốt lõi.", "The company has 4 core values: integrity first."]
    assert [claim.passage for claim in extract("giá trị cốt lõi của công ty là gì", pages)] == [0]
    assert [claim.passage for claim in extract("giá trị cốt lõi của công ty là gì", pages[1:])] == [0]


def test_an_address_with_dots_is_one_word() -> None:
    page = "Tự đặt lại mật khẩu ở trang taikhoan.canhbuom.vn bằng mã hai lớp. Hết hạn thì gọi IT."
    assert extract("đặt lại mật khẩu ở trang nào", [page], most=1)[0].text.endswith("bằng mã hai lớp.")


KPI = (
    "Điểm chuyên cần chiếm 10%, kết quả công việc 70%, tinh thần hợp tác 20%. Xếp loại A từ 90 điểm, B từ 75."
)
SCORES = "Em được chuyên cần 80, công việc 85, hợp tác 90 thì tổng là mấy điểm?"


@pytest.mark.parametrize(
    "draft",
    [
        "Tổng là 80 × 10% + 85 × 70% + 90 × 20% = 85,5 điểm.",
        "80 × 10% + 85 × 70% + 90 × 20% = 8 + 59,5 + 18 = 85,5.",
        "Tổng là 80 × 10% + 85 × 70% + 90 × 20% = 85,5 điểm. Còn thiếu 90 − 85,5 = 4,5 điểm.",
    ],
)
def test_a_sum_that_is_written_out_of_known_figures_stands(draft: str) -> None:
    assert ground(draft, [KPI], [SCORES]).dropped == ()


def test_a_figure_is_not_known_because_a_sum_is_made_of_it() -> None:
    found = ground("Bạn được 85,5 điểm vì 90 − 85,5 = 4,5.", [KPI], ["còn thiếu mấy điểm?"])
    assert found.claims == ()
    assert found.lost_conclusion


def test_the_language_of_a_document_is_no_part_of_its_name() -> None:
    rule = "Công tác phí: phụ cấp 250.000 VND mỗi ngày."
    draft = "The allowance is 250,000 VND a day in the Vietnamese Công tác phí."
    assert ground(draft, [rule], []).dropped == ()


def test_titles_counted_words_and_names_before_small_words_are_no_strangers() -> None:
    passages = [
        "Tổng giám đốc là bà Trần Thu Hà.",
        "Thưởng 3.000.000 VND một nhân viên; không tự cài lại Windows.",
    ]
    asked = "hai nhân viên và một trưởng phòng"
    for claim in (
        "The CEO is Ms. Trần Thu Hà.",
        "Không được tự cài lại Windows khi máy chậm.",
        "2 × 3.000.000 = 6.000.000 VND cho hai nhân viên.",
    ):
        assert ground(claim, passages, [asked]).text == claim
    assert ground("The CEO is Ms. Lê Thị Bưởi.", passages, [asked]).text == ""


@pytest.mark.parametrize(
    "claim",
    [
        "Hiện nay là 2 ngày mỗi tuần, trừ thứ Hai vì cả công ty làm tại văn phòng.",
        "Bạn báo cáo trước ngày 2, tức chậm nhất thứ Ba tuần tới.",
        "At most 2 days a week, and not on Monday because all work in the office.",
        "You may work from home 2 days a week, from Tuesday, December 1 on.",
    ],
)
def test_days_of_the_week_and_months_are_no_names(claim: str) -> None:
    rule = (
        "Làm việc từ xa tối đa 2 ngày mỗi tuần. Thứ hai cả công ty làm tại văn phòng. Báo cáo trước ngày 2."
    )
    assert ground(claim, [rule], ["từ 1/12 thì sao"]).text == claim


def test_the_year_of_a_passages_date_is_known() -> None:
    head = "Khiếu nại và góp ý · hr · 7/7/2025"
    claim = "Theo văn bản năm 2025, khiếu nại được trả lời trong 3 ngày."
    assert ground(claim, ("Khiếu nại được trả lời trong 3 ngày.",), (head,)).text == claim
    assert (
        ground(claim.replace("2025", "2024"), ("Khiếu nại được trả lời trong 3 ngày.",), (head,)).text == ""
    )


def test_a_no_reaches_no_further_than_its_clause() -> None:
    source = [
        "Email lạ: không bấm liên kết, không mở tệp, bấm nút Báo cáo hoặc chuyển tiếp tới an@saomai.example."
    ]
    assert ground("Bạn chuyển tiếp tới an@saomai.example, hoặc bấm nút Báo cáo.", source).dropped == ()
    for turned in ("Bấm liên kết, mở tệp.", "Không bấm nút Báo cáo."):
        assert ground(turned, source).dropped == ((turned, "negation"),)


def test_a_forbidden_act_may_be_told_with_its_penalty_and_not_be_allowed() -> None:
    source = ["Không được chấm công thay người khác: vi phạm lần đầu bị khiển trách."]
    assert ground("Chấm công thay người khác vi phạm lần đầu bị khiển trách.", source).dropped == ()
    turned = "Được chấm công thay người khác."
    assert ground(turned, source).dropped == ((turned, "negation"),)


def test_a_title_after_a_colon_is_a_name_of_its_own() -> None:
    source = ["Máy in ở mỗi tầng tên theo tầng, ví dụ PRN-T3."]
    assert ground("Máy in tên theo tầng (Nguồn: Máy in).", source).dropped == ()
    assert ground("Máy in do Trần Bá quản lý.", source).dropped


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("Nộp trước 17 giờ, tức trước 5 giờ chiều ngày 25.", True),
        ("Submit it before 5 p.m. on the 25th.", True),
        ("Nộp trước 6 giờ chiều ngày 25.", False),
        ("Bạn quẹt thẻ lúc 8 giờ 50, tức 8:50, là sau giờ vào làm.", True),
        ("Bạn quẹt thẻ lúc 8:55, là sau giờ vào làm.", False),
        ("Máy in của tầng 4 tên là PRN-T4, như tầng 3 là PRN-T3.", True),
        ("Máy in của tầng 4 tên là PRN-T9.", False),
        ("Offices in central Vietnam (miền Trung) order by the 25th.", True),
    ],
)
def test_the_same_hour_a_code_numbered_alike_and_the_country_stand(said: str, stands: bool) -> None:
    passages = [
        "Nộp trước 17 giờ ngày 25. Văn phòng miền Trung đặt riêng. Giờ vào làm do trưởng phòng định, quẹt thẻ sau giờ vào làm là trễ.",
        "Máy in đặt tên theo tầng, ví dụ tầng 3 là PRN-T3.",
    ]
    asked = ["máy in ở tầng 4", "mình quẹt thẻ lúc 8h50"]
    assert (ground(said, passages, asked).dropped == ()) is stands


OVERTIME = "Làm thêm ngày thường được trả 150% lương giờ, ngày nghỉ hằng tuần 200%, ngày lễ 300%."


@given(
    st.integers(1, 60),
    st.integers(40, 900).map(lambda wage: wage * 100_000),
    st.sampled_from([150, 200, 300]),
    st.sampled_from([0, 7, -1000]),
    st.sampled_from(
        [
            "{hours} × {wage} / 26 / 8 × {share}% = {pay} VND",
            "Lương giờ là {wage} / 26 / 8 = {hourly} VND, nên được {hours} × {hourly} × {share}% = {pay} VND.",
            "Lương giờ: {wage} / 26 / 8 = {hourly} VND.\nTiền tăng ca: {hourly} × {hours} × {share}% = {pay} VND.",
            "{wage} / (26 × 8) × {hours} × {share}% = {pay} VND, tính theo 26 ngày công, mỗi ngày 8 giờ.",
        ]
    ),
)
def test_a_sum_of_pay_stands_where_it_is_right(
    hours: int, wage: int, share: int, off: int, form: str
) -> None:
    def dotted(value: Decimal | int) -> str:
        return f"{value:,.0f}".replace(",", ".")

    exact = Decimal(hours * wage * share) / (26 * 8 * 100)
    pay = exact.quantize(Decimal(1), ROUND_HALF_UP)
    hourly = (Decimal(wage) / 208).quantize(Decimal(1), ROUND_HALF_UP)
    if pay + off <= 0:
        return
    told = form.format(
        hours=hours, wage=dotted(wage), share=share, pay=dotted(pay + off), hourly=dotted(hourly)
    )
    asked = f"tính tiền tăng ca {hours} giờ, lương {dotted(wage)} VND"
    assert (ground(told, [OVERTIME], [asked]).dropped == ()) is (off == 0)


@pytest.mark.parametrize(
    "claim", ["Bạn được nghỉ 8 ngày.", "Bạn được trả 26 / 8 lần.", "15.000.000 / 22 / 8 = 85.227 VND"]
)
def test_working_days_and_hours_are_known_in_a_sum_of_pay_only(claim: str) -> None:
    late = "Đi muộn quá 3 lần trong tháng bị trừ 200.000 VND mỗi lần."
    source, asked = (late, "đi muộn thì sao") if "lần" in claim else (OVERTIME, "lương 15.000.000 VND")
    assert ground(claim, [source], [asked]).dropped


CARRIED = "Phép chưa dùng được chuyển tối đa 5 ngày sang năm sau, phải dùng trước ngày 31 tháng 3."
DATED = "Mỗi năm có 14 ngày phép. Phép chưa dùng hết được chuyển tối đa 5 ngày sang năm sau và phải dùng trước ngày 31/3; phần còn lại không được quy đổi."
KEPT = "Thiết bị không trả lại bị trừ 2.000.000 VND vào lương."
SMOKE = "Người không hút thuốc và chưa nghỉ ốm ngày nào được thưởng 500.000 VND mỗi quý."
BADGE = "Visitors without a badge must wait at the desk for 10 minutes and may not enter the lab."


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        *(
            (source, claim)
            for source in (CARRIED, DATED)
            for claim in (
                "Bạn được chuyển tối đa 5 ngày sang năm sau, phải dùng trước ngày 31 tháng 3.",
                "Được chuyển tối đa 5 ngày phép sang năm sau.",
                "Phép được chuyển sang năm sau tối đa 5 ngày.",
                "Bạn có thể chuyển tối đa 5 ngày sang năm sau và dùng trước ngày 31 tháng 3.",
                "Tối đa 5 ngày phép được chuyển sang năm sau.",
                "Ngày phép được chuyển phải dùng trước ngày 31 tháng 3.",
            )
        ),
        (KEPT, "Bạn bị trừ 2.000.000 VND vào lương."),
        (KEPT, "Không trả lại thiết bị thì bị trừ 2.000.000 VND vào lương."),
        (SMOKE, "Bạn được thưởng 500.000 VND mỗi quý."),
        (SMOKE, "Không hút thuốc, chưa nghỉ ốm ngày nào thì được thưởng 500.000 VND mỗi quý."),
        (BADGE, "Visitors must wait at the desk for 10 minutes."),
        (BADGE, "Visitors may not enter the lab."),
    ],
)
def test_a_no_denies_what_follows_it_and_no_other_clause(source: str, claim: str) -> None:
    assert ground(claim, [source], []).dropped == ()


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (CARRIED, "Bạn không được chuyển tối đa 5 ngày sang năm sau."),
        (CARRIED, "Phép chưa dùng không được chuyển sang năm sau."),
        (CARRIED, "Phép đã dùng được chuyển tối đa 5 ngày sang năm sau."),
        (DATED, "Phần còn lại được quy đổi."),
        (KEPT, "Thiết bị trả lại bị trừ 2.000.000 VND vào lương."),
        (KEPT, "Thiết bị không trả lại không bị trừ 2.000.000 VND vào lương."),
        (SMOKE, "Người hút thuốc được thưởng 500.000 VND mỗi quý."),
        (BADGE, "Visitors may enter the lab."),
    ],
)
def test_what_a_no_denies_is_not_said_without_it(source: str, claim: str) -> None:
    assert ground(claim, [source], []).dropped == ((claim, "negation"),)


@pytest.mark.parametrize("page", sorted(PAGES.rglob("*.md")), ids=lambda page: page.name)
def test_each_sentence_of_a_page_and_each_of_its_clauses_may_be_told(page: Path) -> None:
    for section in page.read_text("utf-8").split("\n#"):
        for sentence in claims_of(section):
            clauses = [part for part in re.split("[,;:] ", sentence) if len(part.split()) > 3]
            for told in (sentence, *clauses):
                why = [reason for _, reason in ground(told, [section]).dropped]
                assert "negation" not in why, told


INFECTED = "Máy nhiễm mã độc\nMáy có dấu hiệu nhiễm virus thì rút dây mạng, tắt wifi, để máy bật và gọi 1900."


@pytest.mark.parametrize(
    "claim",
    [
        "Không, bạn đừng tắt máy: rút dây mạng, tắt wifi, để máy bật và gọi 1900.",
        "Đừng tắt máy.",
        "Đừng tắt máy, chỉ tắt wifi.",
    ],
)
def test_the_same_word_of_another_thing_turns_no_sentence_round(claim: str) -> None:
    assert ground(claim, (INFECTED,)).text == claim


@pytest.mark.parametrize(
    ("claim", "stands"),
    [
        ("Từ hôm nay 23/11 đến 19/12/2026 còn 26 ngày.", True),
        ("Tính cả hai ngày, từ 23/11/2026 đến 19/12/2026 là 27 ngày.", True),
        ("Tiệc vào 19/12/2026, còn 26 ngày nữa.", True),
        ("Từ hôm nay 23/11 đến 19/12/2026 còn 31 ngày.", False),
    ],
)
def test_days_between_two_days_are_counted(claim: str, stands: bool) -> None:
    party = "Tiệc cuối năm\nTiệc cuối năm tổ chức ngày 19/12/2026."
    assert bool(ground(claim, (party,), ("Today: 2026-11-23 (Monday)",)).text) is stands


@pytest.mark.parametrize("times", [3, 5, 12])
def test_the_first_beyond_a_bound_is_known_and_no_other(times: int) -> None:
    passage = f"Đi muộn quá {times} lần trong một tháng thì bị trừ 100.000 VND mỗi lần tiếp theo."
    assert ground(f"Bị trừ từ lần thứ {times + 1} trong tháng.", [passage]).text
    assert not ground(f"Bị trừ từ lần thứ {times + 2} trong tháng.", [passage]).text


@pytest.mark.parametrize("hour", [8, 13, 14, 20])
@pytest.mark.parametrize("span", [1, 2, 3])
def test_a_time_of_day_so_many_hours_after_one_that_was_named_is_known(hour: int, span: int) -> None:
    rule = [f"Mất laptop phải báo IT trong {span} giờ."]
    asked = [f"mất laptop lúc {hour}h, trễ nhất mấy giờ phải báo"]
    assert ground(f"Trễ nhất {hour + span} giờ.", rule, asked).claims
    assert not ground(f"Trễ nhất {hour + span + 4} giờ.", rule, asked).claims
    assert not ground(f"Trễ nhất {hour + span} giờ.", rule, ["mất laptop thì sao"]).claims


@pytest.mark.parametrize("thing", ["cấp xe cho nhân viên", "chỗ gửi xe ô tô", "thưởng Tết"])
def test_that_the_documents_do_not_say_it_claims_nothing_whatever_it_names(thing: str) -> None:
    source = ["Nhân viên gửi xe ô tô ở hầm B2, được thưởng Tết. Thẻ xe cấp ở phòng nhân sự."]
    for said in (
        f"Tài liệu không nói công ty có {thing} hay không.",
        f"Tài liệu không đề cập đến {thing}. Bạn có thể hỏi phòng nhân sự.",
    ):
        assert refuses(ground(said, source).claims, source)
    told = f"Tài liệu không nói đến {thing}. Nhân viên gửi xe ô tô ở hầm B2."
    assert not refuses(ground(told, source).claims, source)


def test_a_claim_rests_on_the_passage_that_holds_its_figures() -> None:
    passages = ["Phụ cấp đi công tác mỗi ngày 250.000 VND.", "Phụ cấp ăn trưa 730.000 VND."]
    claims = ground("Phụ cấp mỗi ngày thế là 730.000 VND.", passages).claims
    assert [claim.passage for claim in claims] == [1]
