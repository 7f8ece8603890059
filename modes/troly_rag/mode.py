"""Declares the rag assistant."""

from troly.plugin.absent import absent_mode

MODE = absent_mode(
    "rag",
    names={"vi": "Nội bộ", "en": "Company"},
    summaries={
        "vi": "Hỏi chính sách công ty, câu trả lời có căn cứ.",
        "en": "Company policies, answered with evidence.",
    },
    accent="#bb9af7",
)
