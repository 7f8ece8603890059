"""Builds the screen of Troly for tests: a backend that says what the test wants, a clock that stands still."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from textual import events
from textual.drivers.headless_driver import HeadlessDriver
from textual.pilot import Pilot

from tests.support.process.waiting import until
from tests.support.screen.fake_backend import Asked, FakeBackend
from troly.plugin.events import (
    Event,
    Say,
    StepFinished,
    StepStarted,
    Table,
    Token,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
)
from troly.text.catalogue import Lang
from troly.tui.app import TrolyApp
from troly.tui.backend import Deliver

NOW = datetime.fromisoformat("2026-11-22T09:13:00+07:00")
MARKDOWN = """## Cách xử lý khi khách không đăng nhập được

Chào bạn, **phiếu số 1** lỗi ở bước `401 Unauthorized`. Làm theo thứ tự:

1. Yêu cầu khách *đăng xuất* trên mọi thiết bị.
2. Xóa bộ nhớ đệm.
   - Nếu liên kết hết hạn, gửi lại.

| Mã | Nguyên nhân | Ưu tiên |
|:---|:-----------|--------:|
| 401 | Phiên hết hạn | 1 |
| 429 | Gửi quá nhiều yêu cầu | 12 |

> Không bao giờ hỏi mật khẩu.

```python
def tim(ma):
    return ma
```

Xem [trang trạng thái](https://example.com/status).
"""


class Scene(TrolyApp):
    """The app on a fake backend that can be reached as `fake`."""

    fake: FakeBackend

    def __init__(
        self,
        lang: Lang = "vi",
        *,
        mode: str = "shopping",
        theme: str = "dark",
        keys: Mapping[str, str] | None = None,
        **backend: Any,
    ) -> None:
        def make(deliver: Deliver) -> FakeBackend:
            self.fake = FakeBackend(deliver, **backend)
            return self.fake

        super().__init__(make, mode=mode, language=lang, theme=theme, now=lambda: NOW, keys=keys)
        self.animation_level = "none"

    async def ask(self, pilot: Pilot[Any], text: str) -> Asked:
        """Put a question and wait until the backend was asked."""
        await until(lambda: self.chat.prompt.has_focus)
        before = len(self.fake.asked)
        self.chat.prompt.put(text)
        await pilot.press("enter")
        await until(lambda: len(self.fake.asked) > before)
        await settle(self, pilot)
        return self.fake.asked[-1]

    @property
    def shown(self) -> str:
        """The transcript as text, also what is out of view."""
        return text_of(self.chat.transcript)


def text_of(view: Any) -> str:
    """The lines of a view as text."""
    return "\n".join("".join(span.text for span in line).rstrip() for line in view.lines)


async def settle(app: TrolyApp, pilot: Pilot[Any]) -> None:
    """Wait until the session is open, or cannot be, and everything that changed is painted."""
    if isinstance(app, Scene) and app.fake.info is not None:
        await until(lambda: app.controller.opened or app.controller.trouble)
    await pilot.pause()
    # Textual lays a new size out a moment after it was told; the screen's own size is the new one before.
    driver = app._driver
    if isinstance(driver, HeadlessDriver):
        await until(lambda: app.screen._compositor.size == driver._get_terminal_size())
        await pilot.pause()
    await until(lambda: not app.chat.pending)
    await pilot.pause()


async def begin(app: Scene, pilot: Pilot[Any]) -> None:
    """Wait until the screen can be typed in."""
    await until(lambda: app.chat.prompt.has_focus)
    await settle(app, pilot)


def burst(app: Scene, text: str) -> None:
    """All keys of `text` at once, as one read of the terminal gives them."""
    from textual._xterm_parser import XTermParser

    for event in XTermParser().feed(text):
        if isinstance(event, events.Key):
            app.post_message(event)


def warranty(text: str = "Dạ em đã tra **hai serial** giúp quý khách:") -> list[Event]:
    """The events of an answer by rules with a greeting, a table and two steps."""
    rows = (
        ("ABC123", "Laptop Dell", "31/12/2027", "405 ngày"),
        ("XYZ789", "Mouse Logitech", "30/6/2025", "hết 509 ngày"),
    )
    return [
        TurnStarted("kiểm tra giúp ABC123, XYZ789", "vi"),
        Say("Chào quý khách! Em là nhân viên SSTC, rất vui được hỗ trợ quý khách.", "greeting"),
        StepStarted("classify"),
        StepFinished("classify", 2.0, "rules", "warranty 0,97"),
        StepStarted("warranty_stream"),
        Token(text),
        StepFinished("warranty_stream", 1.0, "rules", 'ABC123 gần từ "kiểm tra"'),
        Table(("Serial", "Sản phẩm", "Hết hạn", "Còn lại"), rows, numeric=(3,)),
        TurnCompleted(text, {}, "rules", 0, 9.0),
    ]


def cut_off(text: str) -> list[Event]:
    """An answer whose connection breaks after `text`."""
    trouble = TurnFailed(
        "Ollama ngắt giữa chừng",
        "Kết nối bị đóng.",
        "Chạy `ollama serve`, rồi hỏi lại.",
        "ollama.cut",
        text,
        1,
        2300.0,
    )
    return [
        TurnStarted("", "vi", turn="t9"),
        StepStarted("respond_stream"),
        Token(text),
        StepFinished("respond_stream", 2290.0, "model", "", failed=True),
        trouble,
    ]
