"""Short figures and names of the chrome: days, durations, counts, steps, in the language of the interface."""

from __future__ import annotations

from datetime import date

from troly.text.catalogue import Lang, core_catalogue, tr


def number(value: float, lang: Lang, places: int | None = None) -> str:
    """`value` with the separators of `lang` and no superfluous decimals."""
    if places is None:
        text = f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}".rstrip("0")
    else:
        text = f"{value:,.{places}f}"
    return text.translate(str.maketrans(",.", ".,")) if lang == "vi" else text


def duration(ms: float, lang: Lang) -> str:
    """`ms` milliseconds as people say it: `9 ms`, `3,2 s`, `2 min 5 s`."""
    if ms < 1000:
        return f"{ms:.0f} ms"
    if ms < 60_000:
        return f"{number(ms / 1000, lang, 1)} s"
    return f"{int(ms // 60_000)} min {int(ms % 60_000 // 1000)} s"


def counted(key: str, count: int, lang: Lang) -> str:
    """The sentence `key` for `count` things; `<key>_one` is the one for a single thing."""
    return tr(f"{key}_one" if count == 1 else key, lang, count=count)


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


def step_title(node: str, agent: str, tool: str, lang: Lang) -> tuple[str, str]:
    """A step in plain words, and what it is called in the records; only that where there are no words for it."""
    name = " · ".join(part for part in (agent, tool, node) if part)
    known = core_catalogue().keys("ui")
    found = next((word for word in (tool, node) if f"step.{word}" in known), "")
    if not found:
        return name, ""
    # A team does the same step as others do; the node of its own name says nothing in plain words.
    who = f"{agent}: " if agent and f"step.{node}" not in known else ""
    return f"{who}{tr(f'ui.step.{found}', lang)}", name
