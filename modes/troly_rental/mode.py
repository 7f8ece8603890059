"""Declares the rental assistant."""

from troly.plugin.absent import absent_mode

MODE = absent_mode(
    "rental",
    names={"vi": "Phòng trọ", "en": "Rentals"},
    summaries={
        "vi": "Tìm phòng trọ và xem thị trường cho thuê.",
        "en": "Find rooms and read the rental market.",
    },
    accent="#e0af68",
)
