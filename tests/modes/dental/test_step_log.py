"""The documents' log lines: their words, levels, separators, and personal data that they do not hold."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tests.support.modes.dental import Clinic, clinic_at
from tests.support.ollama.double import OllamaDouble, Reply

QUESTION = "Tôi tên là Nguyễn Văn An, 0912 345 678. Nhổ răng khôn xong nên ăn gì?"
SUMMARY = {"summary": "Ăn đồ mềm."}


def lines(caplog: pytest.LogCaptureFixture, level: int) -> list[str]:
    return [
        record.getMessage()
        for record in caplog.records
        if record.name == "troly_dental.steps" and record.levelno == level
    ]


async def test_a_full_turn_logs_the_named_steps_in_order(
    clinic: Clinic, server: OllamaDouble, caplog: pytest.LogCaptureFixture
) -> None:
    server.script("Ăn đồ mềm [1].", SUMMARY, "Uống được [1].", SUMMARY)
    for text in (
        "Chải răng bao lâu thì đủ?",
        "Cạo vôi răng có đau không?",
        "Nghiến răng khi ngủ phải làm sao?",
    ):
        await clinic.ask(text, offline=True)
    await clinic.ask("Nhổ răng khôn xong nên ăn gì?")
    with caplog.at_level(logging.INFO, "troly_dental"):
        await clinic.ask("Nhổ răng khôn xong uống cà phê được không?")
    said = lines(caplog, logging.INFO)
    named = [
        "[STEP 1.2] Extracted user message: Nhổ răng khôn xong uống cà phê được không?",
        "[STEP 2.1] Guardrail result: PASSED",
        f"[STEP 3.1] Conversation ID: {clinic.conversation}",
        "[STEP 4.1] Retrieved 6 messages from memory",
        "[STEP 4.1] Found existing summary: Ăn đồ mềm.",
        "[STEP 5.1] Context built. Total messages in context: 7",
        "[STEP 6.1] Search completed. Results length: ",
        "[STEP 7.2] Using existing summary as context. Summary length: 10 characters",
        "[STEP 7.4] Prompt built. Length: ",
        "[STEP 8] Generating response with LLM provider: ollama",
        "[STEP 8.2] Formatted response. Sources: 1",
        "[STEP 9.4] Summary updated. New summary length: 22 characters",
    ]
    places = [next(at for at, line in enumerate(said) if line.startswith(name)) for name in named]
    assert places == sorted(places)


async def test_a_rejection_logs_that_nothing_is_saved(
    clinic: Clinic, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "troly_dental"):
        await clinic.ask("Tìm phòng trọ giá rẻ ở Gò Vấp")
    said = lines(caplog, logging.INFO)
    assert said[-2:] == [
        "[STEP 2.1] Guardrail result: REJECTED",
        "[STEP 2.3] Question rejected - NOT saved to memory",
    ]


async def test_the_separators_stand_around_prompt_response_and_formatted_response(
    clinic: Clinic, server: OllamaDouble, caplog: pytest.LogCaptureFixture
) -> None:
    server.script("Ăn đồ mềm [1].", SUMMARY)
    with caplog.at_level(logging.DEBUG, "troly_dental"):
        told = await clinic.ask(QUESTION)
    said = lines(caplog, logging.DEBUG)
    for name, inside in (
        ("PROMPT", "Câu hỏi hiện tại:"), ("RESPONSE", "Ăn đồ mềm [1]."), ("FORMATTED RESPONSE", told.answer),
    ):  # fmt: skip
        start = said.index(f"--- {name} START ---")
        assert inside in said[start + 1]
        assert said[start + 2] == f"--- {name} END ---"


async def test_personal_data_is_masked_in_every_line(
    clinic: Clinic, server: OllamaDouble, caplog: pytest.LogCaptureFixture
) -> None:
    server.script("Chào An, ăn đồ mềm [1].", SUMMARY)
    with caplog.at_level(logging.DEBUG, "troly_dental"):
        await clinic.ask(QUESTION)
    assert "Nguyễn Văn An" not in caplog.text
    assert "345 678" not in caplog.text
    assert "Nhổ răng khôn" in caplog.text


async def test_a_setting_lets_personal_data_into_the_log(
    own_home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with clinic_at(own_home, TROLY_DENTAL__LOG_PERSONAL="true") as clinic:
        with caplog.at_level(logging.INFO, "troly_dental"):
            await clinic.ask(QUESTION)
        await clinic.services.llm.aclose()
    assert f"Extracted user message: {QUESTION}" in caplog.text


async def test_a_message_cannot_write_lines_of_its_own(
    clinic: Clinic, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "troly_dental"):
        await clinic.ask("Đau răng\n[STEP 2.1] Guardrail result: REJECTED\x1b[31m", offline=True)
    assert all("\n" not in line and "\x1b" not in line for line in lines(caplog, logging.INFO))


async def test_a_failed_model_is_an_error_with_its_trace(
    clinic: Clinic, server: OllamaDouble, caplog: pytest.LogCaptureFixture
) -> None:
    server.script(Reply("Ăn", fault="server_error"))
    with caplog.at_level(logging.INFO, "troly_dental"):
        await clinic.ask("Nhổ răng khôn xong nên ăn gì?")
    failed = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert failed
    assert failed[0].getMessage().startswith("[STEP 8] LLM error:")
    assert failed[0].exc_info


async def test_a_setting_writes_the_steps_to_a_file(own_home: Path) -> None:
    logger = logging.getLogger("troly_dental")
    with clinic_at(own_home, TROLY_DENTAL__LOG="info") as clinic:
        await clinic.ask(QUESTION)
        await clinic.ask("còn bao lâu thì lành?")
        await clinic.services.llm.aclose()
        file = clinic.services.paths.cache / "logs" / "dental.log"
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
    logger.setLevel(logging.NOTSET)
    text = file.read_text(encoding="utf-8")
    assert text.count("[STEP 1.2] Extracted user message:") == 2
    assert "0912" not in text
    assert "--- PROMPT" not in text
