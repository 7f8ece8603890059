"""Draws a chart of an answer as an SVG file: bars, a line, or shares, with every exact value beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from troly.text.catalogue import Lang
from troly.text.numbers import format_number
from troly.text.sanitize import sanitize

WIDTH, LEFT, BAR, GAP, TOP = 800, 220, 22, 10, 60
PLOT, HEIGHT = 400, 300
_COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#9d755d", "#eeca3b")
_NAME = 28


def svg(chart: Mapping[str, Any], lang: Lang) -> str:
    """The chart event (as JSON) as a whole SVG document; no script, no link, all text escaped."""
    labels = [str(label) for label in chart["labels"]]
    values = [float(value) for value in chart["series"][0]["values"]]
    unit = str(chart.get("unit") or "")
    title = str(chart.get("title") or "")
    draw = _line if chart["kind"] == "line" else _bars
    shares = chart["kind"] == "share"
    body, height = draw(labels, values, [_value(v, unit, values if shares else [], lang) for v in values])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="sans-serif" font-size="13">\n<rect width="100%" height="100%" fill="#ffffff"/>\n'
        f'<text x="20" y="32" font-size="18" font-weight="bold">{_safe(title, 90)}</text>\n{body}</svg>\n'
    )


def _bars(labels: Sequence[str], values: Sequence[float], shown: Sequence[str]) -> tuple[str, int]:
    most = max((abs(value) for value in values), default=0.0) or 1.0
    parts = []
    for at, (label, value, text) in enumerate(zip(labels, values, shown, strict=True)):
        y = TOP + at * (BAR + GAP)
        length = abs(value) / most * PLOT
        colour = _COLOURS[3] if value < 0 else _COLOURS[at % 3 if len(values) <= 3 else 0]
        parts.append(f'<text x="{LEFT - 8}" y="{y + 16}" text-anchor="end">{_safe(label, _NAME)}</text>')
        parts.append(f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" fill="{colour}"/>')
        parts.append(f'<text x="{LEFT + length + 6:.1f}" y="{y + 16}">{_safe(text, 40)}</text>')
    return "\n".join(parts) + "\n", TOP + len(values) * (BAR + GAP) + 20


def _line(labels: Sequence[str], values: Sequence[float], shown: Sequence[str]) -> tuple[str, int]:
    low, high = min(0.0, *values), max(values)
    step = (WIDTH - 120) / max(1, len(values) - 1)
    scale = HEIGHT / ((high - low) or 1.0)
    points = [(80 + at * step, TOP + (high - value) * scale) for at, value in enumerate(values)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts = [f'<polyline points="{path}" fill="none" stroke="{_COLOURS[0]}" stroke-width="2"/>']
    every = max(1, len(values) // 12)
    for at, ((x, y), label, text) in enumerate(zip(points, labels, shown, strict=True)):
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{_COLOURS[0]}"><title>{_safe(f"{label}: {text}", 80)}</title></circle>'
        )
        if at % every == 0:
            parts.append(
                f'<text x="{x:.1f}" y="{TOP + HEIGHT + 20}" text-anchor="middle" font-size="11">{_safe(label, 12)}</text>'
            )
    for value, text in (
        (high, max(zip(values, shown, strict=True))[1]),
        (min(values), min(zip(values, shown, strict=True))[1]),
    ):
        parts.append(
            f'<text x="74" y="{TOP + (high - value) * scale + 4:.1f}" text-anchor="end" font-size="11">{_safe(text, 20)}</text>'
        )
    return "\n".join(parts) + "\n", TOP + HEIGHT + 40


def _value(value: float, unit: str, whole: Sequence[float], lang: Lang) -> str:
    text = (
        f"{format_number(value, lang)} {unit}".strip() if unit != "%" else f"{format_number(value, lang, 1)}%"
    )
    total = sum(whole)
    return f"{text} ({format_number(value / total * 100, lang, 1)}%)" if total else text


def _safe(text: str, limit: int) -> str:
    line = sanitize(text, keep_newlines=False)
    kept = line if len(line) <= limit else f"{line[: limit - 1]}…"
    return escape("".join(char for char in kept if char.isprintable()))
