"""Long pasted text as one short token in the input: what it is called, what stands behind it, and putting it back."""

from __future__ import annotations

import re
from bisect import bisect_right

from troly.text.catalogue import Lang, tr

MOST_LINES, MOST_CHARS = 8, 600
# What is put back into the input (an earlier question) is folded later than what is pasted: a person may have typed it.
MOST_PUT = 4000


def is_long(text: str, most: int = MOST_CHARS) -> bool:
    """Whether `text` is shown as a token."""
    return len(text) > most or text.count("\n") >= (MOST_LINES if most == MOST_CHARS else MOST_LINES * 8)


class Pasted:
    """The pasted texts of one input by token. A token is a piece of the input's text like "[dán 120 dòng, 8,3 kB]"."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None

    def token(self, text: str, lang: Lang) -> str:
        """A token for `text` that no other text has."""
        from troly.text.numbers import format_number

        size = len(text.encode("utf-8", "replace"))
        shown = f"{format_number(round(size / 1000, 1), lang)} kB" if size >= 1000 else f"{size} B"
        label = tr("ui.paste.token", lang, lines=format_number(text.count("\n") + 1, lang), size=shown)
        token, number = f"[{label}]", 1
        while self._texts.get(token, text) != text:
            number += 1
            token = f"[{label} #{number}]"
        self.keep(token, text)
        return token

    def keep(self, token: str, text: str) -> None:
        """Let `text` stand behind `token`."""
        self._texts[token] = text
        self._pattern = re.compile("|".join(re.escape(one) for one in self._texts))

    def text(self, token: str) -> str:
        """What stands behind a token; raises KeyError."""
        return self._texts[token]

    def within(self, shown: str) -> dict[str, str]:
        """The tokens in `shown` with their texts."""
        return {token: self._texts[token] for token in self._found(shown)}

    def whole(self, shown: str) -> str:
        """`shown` with every token replaced by its text."""
        if self._pattern is None:
            return shown
        return self._pattern.sub(lambda match: self._texts[match[0]], shown)

    def spans(self, shown: str) -> list[tuple[int, int]]:
        """Where tokens stand in a line."""
        return [match.span() for match in self._pattern.finditer(shown)] if self._pattern else []

    def around(self, line: str, column: int) -> tuple[int, int] | None:
        """The token that `column` is strictly inside of."""
        spans = self.spans(line)
        place = bisect_right([start for start, _ in spans], column) - 1
        return spans[place] if place >= 0 and spans[place][0] < column < spans[place][1] else None

    def _found(self, shown: str) -> list[str]:
        return list(dict.fromkeys(self._pattern.findall(shown))) if self._pattern else []
