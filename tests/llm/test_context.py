"""The context window: an estimate on the safe side, and what is left out when a conversation is too long."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.errors import ModelError
from troly.llm.context import Fitted, count, estimate, fit
from troly.llm.types import Message

ROLES = st.sampled_from(["system", "user", "assistant", "tool"])
MESSAGES = st.lists(
    st.builds(lambda role, text: {"role": role, "content": text}, ROLES, st.text(max_size=60))
)

# What the o200k vocabulary of gpt-oss makes of these texts.
MEASURED = {
    "Quý khách vui lòng cho biết số sê-ri của sản phẩm để kiểm tra thời hạn bảo hành.": 21,
    "Quy khach vui long cho biet so se-ri cua san pham de kiem tra thoi han bao hanh.": 27,
    "Please tell me the serial number so that I can check the warranty of your product.": 17,
    "SN00012345,Máy lọc nước RO,31/12/2027,1.250.000 VND": 26,
}


@pytest.mark.parametrize(("text", "tokens"), MEASURED.items())
def test_estimate_is_on_the_safe_side_and_not_wild(text: str, tokens: int) -> None:
    assert tokens <= estimate(text) <= 2.5 * tokens


def test_decomposed_text_is_not_estimated_lower() -> None:
    text = "Bảo hành được mười hai tháng"
    assert estimate(unicodedata.normalize("NFD", text)) >= estimate(text)


@given(st.text(), st.text())
def test_estimate_grows_with_the_text(one: str, two: str) -> None:
    assert estimate("") == 0
    assert max(estimate(one), estimate(two)) <= estimate(one + two) <= estimate(one) + estimate(two)


def fitting(messages: list[Message], limit: int, reserve: int) -> Fitted | None:
    """None when even the messages that must stay are too long."""
    try:
        return fit(messages, limit, reserve)
    except ModelError:
        return None


@given(MESSAGES, st.integers(0, 400), st.integers(0, 100))
def test_what_is_kept_fits_and_only_old_history_goes(
    messages: list[Message], limit: int, reserve: int
) -> None:
    fitted = fitting(messages, limit, reserve)
    if fitted is None:
        return
    assert fitted.tokens == count(fitted.messages) <= limit - reserve
    assert fitted.dropped == len(messages) - len(fitted.messages)
    systems = [m for m in messages if m["role"] == "system"]
    assert [m for m in fitted.messages if m["role"] == "system"] == systems
    others = [m for m in messages if m["role"] != "system"]
    kept = [m for m in fitted.messages if m["role"] != "system"]
    assert kept == others[len(others) - len(kept) :]
    assert [m for m in kept if m["role"] == "user"][-1:] == [m for m in others if m["role"] == "user"][-1:]


def test_a_last_message_that_alone_is_too_long_is_said() -> None:
    with pytest.raises(ModelError) as caught:
        fit([{"role": "user", "content": "bảo hành " * 5000}], 4096, 1024)
    assert caught.value.params["limit"] == 3072
    assert "3072" in caught.value.render("vi").message


def test_tools_calls_and_images_are_counted() -> None:
    plain: Message = {"role": "user", "content": "a"}
    called = {**plain, "tool_calls": [{"function": {"name": "look_up", "arguments": {"serial": "SN1"}}}]}
    assert count([plain]) < count([called]) < count([{**plain, "images": ["…"]}])
    assert count([plain], [{"type": "function"}]) > count([plain])
