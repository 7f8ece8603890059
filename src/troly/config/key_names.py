"""Names of keys: how people write them, which of them a terminal sends, and how they are shown."""

from __future__ import annotations

import re

# As the framework names what is no letter or digit.
MARKS = {
    " ": "space", "?": "question_mark", "/": "slash", ".": "full_stop", ",": "comma", ";": "semicolon",
    ":": "colon", "!": "exclamation_mark", "+": "plus", "-": "minus", "*": "asterisk", "=": "equals_sign",
    "<": "less_than_sign", ">": "greater_than_sign", "[": "left_square_bracket", "]": "right_square_bracket",
    "(": "left_parenthesis", ")": "right_parenthesis", "@": "at", "#": "number_sign", "\\": "backslash",
    "_": "underscore", "^": "circumflex_accent", "|": "vertical_line", "'": "apostrophe", '"': "quotation_mark",
}  # fmt: skip
OTHER_NAMES = {
    "esc": "escape", "return": "enter", "del": "delete", "ins": "insert", "pgup": "pageup", "pgdn": "pagedown",
    "pgdown": "pagedown", "page_up": "pageup", "page_down": "pagedown", "control": "ctrl", "option": "alt",
    "question": "question_mark", "dot": "full_stop", "period": "full_stop", "spacebar": "space",
}  # fmt: skip
ARROWS = {"up": "↑", "down": "↓", "left": "←", "right": "→"}
SHOWN = {"pageup": "PageUp", "pagedown": "PageDown", "escape": "Esc"}
MODIFIERS = ("alt", "ctrl", "shift")
# Ctrl with these is the Tab, Enter or Backspace key: a terminal sends the same byte.
SAME_BYTE = "him"
PLAIN = ("enter", "tab", "escape", "backspace", "shift+tab", "shift+enter", "ctrl+enter", "alt+enter")
CURSOR = r"(?:up|down|left|right|home|end|pageup|pagedown|insert|delete)"
SENDABLE = re.compile(
    rf"ctrl\+[a-z]|ctrl\+(?:backslash|right_square_bracket|underscore|circumflex_accent)|alt\+[a-z0-9]"
    rf"|(?:(?:alt|ctrl|shift)\+)?f(?:[1-9]|1[0-2])|(?:alt\+)?(?:ctrl\+)?(?:shift\+)?{CURSOR}"
)


def key_name(written: str) -> str:
    """A key as the framework names it ("Ctrl+F" is `ctrl+f`, "?" is `question_mark`); "" for what no terminal sends."""
    *before, last = _parts(written.strip())
    modifiers = sorted({OTHER_NAMES.get(part.lower(), part.lower()) for part in before})
    if len(last) == 1 and not modifiers:
        return MARKS.get(last, last if last.isascii() and last.isalnum() else "")
    name = MARKS.get(last) or OTHER_NAMES.get(last.lower(), last.lower())
    if any(modifier not in MODIFIERS for modifier in modifiers):
        return ""
    key = "+".join([*modifiers, name])
    if not modifiers and name in MARKS.values():
        return key
    if key in PLAIN or (SENDABLE.fullmatch(key) and key not in {f"ctrl+{letter}" for letter in SAME_BYTE}):
        return key
    return ""


def types_text(key: str) -> bool:
    """Whether the key (named as by `key_name`) writes a character into an input."""
    return len(key) == 1 or key in MARKS.values()


def key_label(key: str) -> str:
    """A key as people read it: `ctrl+f` is "Ctrl+F", `up` is "↑", `question_mark` is "?"."""
    *modifiers, last = key.split("+")
    sign = next((sign for sign, name in MARKS.items() if name == last and sign != " "), "")
    shown = sign or ARROWS.get(last) or SHOWN.get(last)
    if not shown:
        shown = (
            last.upper() if modifiers and len(last) == 1 else last if len(last) == 1 else last.capitalize()
        )
    return "+".join([*(modifier.capitalize() for modifier in modifiers), shown])


def _parts(written: str) -> list[str]:
    if written in ("+", ""):
        return [written or "none"]
    head, plus, last = written.rpartition("+")
    if plus and not last:  # "ctrl++"
        head, last = head.rstrip("+"), "+"
    return [*(part.strip() for part in head.split("+") if part.strip()), last.strip()]
