"""Days as people name them, for the lines between the messages of two days."""

from __future__ import annotations

from datetime import date

from troly.text.catalogue import Lang, tr

WEEK = 7


def day_name(day: date, today: date, lang: Lang) -> str:
    """Today, yesterday, a day of the week for the last days, else the date (with its year when that is another)."""
    ago = (today - day).days
    if ago in (0, 1):
        return tr(f"ui.day.{'yesterday' if ago else 'today'}", lang)
    written = _written(day, lang, year=day.year != today.year)
    if 0 < ago < WEEK:
        return f"{tr(f'ui.day.weekday_{day.weekday()}', lang)}, {written}"
    return written


def _written(day: date, lang: Lang, *, year: bool) -> str:
    if lang == "vi":
        return f"{day.day}/{day.month}/{day.year}" if year else f"{day.day}/{day.month}"
    month = tr(f"ui.day.month_{day.month}", lang)
    return f"{day.day} {month} {day.year}" if year else f"{day.day} {month}"
