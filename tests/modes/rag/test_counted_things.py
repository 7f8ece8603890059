"""Sums for persons and things that are counted by their name: so much for each, each kind at its own rate, or not counted at all."""

from __future__ import annotations

import pytest

from troly_rag.tools.calculator import work_out
from troly_rag.tools.counted_things import things_in

KINDS = (("ứng viên", "vị trí quản lý"), ("khách hàng", "khách nước ngoài"), ("bạn đọc", "bạn đọc nữ"))
RULE = "Người giới thiệu {one} được thưởng 3.000.000 VND, {other} 8.000.000 VND."


def money(value: int) -> str:
    return f"{value:,} VND".replace(",", ".")


@pytest.mark.parametrize("many", [2, 3, 7, 12])
@pytest.mark.parametrize(("one", "other"), KINDS)
def test_what_is_paid_for_one_is_paid_for_each(one: str, other: str, many: int) -> None:
    text = work_out(
        f"giới thiệu {many} {one} được thưởng bao nhiêu", "", RULE.format(one=one, other=other), "vi"
    )
    assert f"× 3.000.000 VND = {money(many * 3_000_000)}" in text


@pytest.mark.parametrize(("first", "second"), [(2, 1), (1, 4), (3, 3)])
def test_each_kind_has_its_own_rate(first: int, second: int) -> None:
    rule = RULE.format(one="ứng viên", other="vị trí quản lý")
    for kind in ("nhân viên", "bạn nhân viên", "người"):
        text = work_out(f"giới thiệu {first} {kind} và {second} quản lý thì thưởng bao nhiêu", "", rule, "vi")
        assert money(first * 3_000_000 + second * 8_000_000) in text


@pytest.mark.parametrize("all_pass", ["đậu hết", "đều qua", "trúng tuyển cả"])
@pytest.mark.parametrize("kind", ["nhân viên thường", "nhân viên bình thường", "bạn nhân viên"])
def test_the_common_kind_and_that_all_pass_change_no_sum(kind: str, all_pass: str) -> None:
    rule = "Người giới thiệu ứng viên trúng tuyển được thưởng 3.000.000 VND, vị trí quản lý 8.000.000 VND."
    asked = f"giới thiệu 2 {kind} với 1 quản lý, {all_pass} thì tổng là mấy"
    assert money(14_000_000) in work_out(asked, "", rule, "vi")
    # Another kind is not passed over, nor that they do not pass.
    for other in (asked.replace(kind, "nhân viên thời vụ"), asked.replace(all_pass, f"không {all_pass}")):
        assert not work_out(other, "", rule, "vi")


@pytest.mark.parametrize(
    "question",
    [
        "giới thiệu 3 ứng viên, 2 ứng viên được thưởng bao nhiêu",
        "giới thiệu 3 xe tải được thưởng bao nhiêu",
        "giới thiệu 3 ứng viên và 2 xe tải được thưởng bao nhiêu",
        "giới thiệu 3 ứng viên không đạt được thưởng bao nhiêu",
        "khóa học của 3 ứng viên được thưởng bao nhiêu",
    ],
)
def test_what_is_not_paid_for_each_is_not_counted(question: str) -> None:
    """Two counts of one kind, a thing that the rule does not name, and what it does not speak of."""
    assert not work_out(question, "", RULE.format(one="ứng viên", other="vị trí quản lý"), "vi")


@pytest.mark.parametrize("paid", ["chi tối đa", "có sổ tiết kiệm từ", "được vay đến"])
def test_a_bound_or_a_mere_sum_is_for_nobody_in_particular(paid: str) -> None:
    assert not work_out(
        "nuôi 3 con mèo tốn bao nhiêu tiền", "", f"Người nuôi con mèo {paid} 3.000.000 VND.", "vi"
    )


@pytest.mark.parametrize("people", ["2 nhân viên", "5 người", "3 bạn"])
def test_a_sum_for_one_person_is_that_often_for_several(people: str) -> None:
    rule = "Nhân viên đi muộn quá 3 lần trong một tháng bị trừ 200.000 VND cho mỗi lần tiếp theo."
    text = work_out(f"{people} đi muộn 7 lần bị trừ bao nhiêu", "", rule, "vi")
    assert f" × 800.000 VND = {money(int(people[0]) * 800_000)}" in text
    assert text.count("×") == 1 + work_out("đi muộn 7 lần bị trừ bao nhiêu", "", rule, "vi").count("×")
    for_each = "Công ty chi 10.000.000 VND mỗi người cho khóa học."
    assert work_out(f"{people[0]} người học thì chi bao nhiêu tiền", "", for_each, "vi").count("×") == 1


@pytest.mark.parametrize(("kind", "sum_of"), [("ăn trưa", "730.000"), ("gửi xe", ""), ("điện thoại", "")])
@pytest.mark.parametrize("months", [2, 5])
def test_what_is_told_for_each_month_is_that_of_its_own_kind(kind: str, sum_of: str, months: int) -> None:
    rule = "Phụ cấp ăn trưa 730.000 VND mỗi tháng, gửi xe 150.000 VND, điện thoại 300.000 VND."
    for asked in (f"phụ cấp {kind} {months} tháng bao nhiêu", f"{kind} {months} tháng phụ cấp bao nhiêu"):
        told = work_out(asked, "", rule, "vi")
        assert bool(told) is bool(sum_of)
        assert not told or f"{months} × {sum_of} VND" in told


@pytest.mark.parametrize(
    "word", ["tạm ứng", "sau ứng viên", "bay ứng viên", "năm ứng viên", "nam nhân viên", "chin ứng viên"]
)
def test_a_word_that_is_only_like_a_number_counts_nothing(word: str) -> None:
    assert things_in(f"xin {word} thì được bao nhiêu") == []
    assert [one.value for one in things_in("giới thiệu tám ứng viên và hai quản lý")] == [8, 2]
