"""Declares the analysis assistant."""

from troly.plugin.absent import absent_mode

MODE = absent_mode(
    "analysis",
    names={"vi": "Số liệu", "en": "Data"},
    summaries={
        "vi": "Hỏi số liệu kinh doanh bằng tiếng Việt.",
        "en": "Ask your business figures in plain words.",
    },
    accent="#7aa2f7",
)
