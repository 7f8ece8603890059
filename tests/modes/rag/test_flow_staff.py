"""What staff of different departments get from the sample company: useful answers to everybody, closed ones to nobody else."""

from __future__ import annotations

import pytest

from tests.support.modes.rag import RagDesk
from troly_rag.corpus.cards import Cards

STAFF = {
    "Nghỉ phép năm được bao nhiêu ngày?": "14",
    "Mật khẩu phải dài bao nhiêu ký tự?": "14 ký tự",
    "Làm thêm giờ cuối tuần được trả bao nhiêu phần trăm?": "200%",
    "Thử việc mấy tháng?": "60 ngày",
    "Máy tính được đổi sau mấy năm?": "4 năm",
    "Hợp đồng đầu có thời hạn bao lâu?": "12 tháng",
}
OF_DEPARTMENTS = (
    "Lương được trả ngày nào hằng tháng?",
    "Dữ liệu máy chủ được sao lưu mấy ngày một lần?",
)


@pytest.mark.parametrize("question", STAFF)
async def test_staff_of_any_department_get_what_is_for_all(desk: RagDesk, question: str) -> None:
    desk.become("internal", department="sales")
    told = await desk.ask(question)
    assert STAFF[question] in told.state["answer"]
    desk.become("public", department="sales")
    outside = await desk.ask(question)
    assert all(one["scope"] == "public" for one in outside.state["evidence"])


@pytest.mark.parametrize("question", OF_DEPARTMENTS)
async def test_what_a_department_keeps_stays_there(desk: RagDesk, question: str) -> None:
    """004-33: the department bars what is private; a person who is in none reaches none of it."""
    kept = {
        card.url for card in Cards(desk.services.state).all() if card.departments and card.scope == "private"
    }
    inside = await desk.ask(question)
    closed = [one["url"] for one in inside.state["evidence"] if one["url"] in kept]
    assert closed
    for permission in ("private", "internal"):
        for department in ("sales", ""):
            desk.become(permission, department=department)
            outside = await desk.ask(question)
            assert not [url for url in closed if url in str(outside.events)]
