"""Conversations of any length for tests of the transcript: questions and answers of several sizes over several days."""

from __future__ import annotations

from datetime import datetime, timedelta

from tests.support.screen.screens import NOW
from troly.tui.chat.view import MessageView, message

ANSWERS = (
    "Dạ **còn bảo hành** đến 31/12/2027 ạ.",
    "Anh làm giúp em **ba bước**:\n\n1. Tắt máy.\n2. Giữ nút nguồn 10 giây.\n3. Bật lại và thử.\n\nNếu vẫn lỗi, em chuyển kỹ thuật.",
    "Máy này có hai cấu hình. " * 12,
    "```python\nfor i in range(3):\n    print(i)\n```\n\nChạy đoạn trên để kiểm tra.",
)


def long_talk(count: int, end: datetime = NOW) -> list[MessageView]:
    """`count` messages that end a minute before `end`, a question and an answer by turns, 40 a day."""
    views = []
    for number in range(count):
        when = end - timedelta(minutes=36 * (count - number) - 35)
        if number % 2 == 0:
            views.append(message("user", when, f"Câu hỏi số {number}: kiểm tra giúp ABC{number:05}"))
        else:
            answer = message(
                "assistant", when, f"Trả lời số {number}.\n\n{ANSWERS[number // 2 % len(ANSWERS)]}"
            )
            answer.source, answer.ms = "rules", 3.0
            views.append(answer)
    return views
