"""Declares the dental assistant."""

from troly.plugin.absent import absent_mode

MODE = absent_mode(
    "dental",
    names={"vi": "Nha khoa", "en": "Dental"},
    summaries={
        "vi": "Hỏi đáp nha khoa, có nguồn và có giới hạn an toàn.",
        "en": "Dental questions, with sources and safe limits.",
    },
    accent="#7dcfff",
)
