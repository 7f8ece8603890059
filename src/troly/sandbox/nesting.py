"""A scan of a query's characters before it is parsed: how long, how deep, whether it holds anything at all."""

from __future__ import annotations

import re

from troly.sandbox.allowed import MAX_CHARS, MAX_DEPTH
from troly.sandbox.errors import SandboxError

# Strings, quoted names and comments are stepped over whole; an unclosed one reaches to the end.
_PIECE = re.compile(
    r"""
    (?P<skip> '(?:[^']|'')*(?:'|\Z) | "(?:[^"]|"")*(?:"|\Z) | --[^\n]* | /\*.*?(?:\*/|\Z) | \$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z) )
    | (?P<open> [(\[{] ) | (?P<close> [)\]}] )
    | (?P<word> [^\W\d]\w* ) | (?P<sign> [-+~!] )
    """,
    re.VERBOSE | re.DOTALL,
)
_DEEPER, _BACK = {"case"}, {"end"}


def check_shape(sql: str) -> None:
    """Raise SandboxError `sandbox.empty`, `sandbox.long` or `sandbox.depth`; linear in the length of `sql`."""
    if not sql.strip():
        raise SandboxError("sandbox.empty")
    if len(sql) > MAX_CHARS:
        raise SandboxError("sandbox.long", size=len(sql), limit=MAX_CHARS)
    depth = chain = 0
    last = -1
    for piece in _PIECE.finditer(sql):
        kind, text = piece.lastgroup, piece.group().lower()
        if kind in ("skip", "tag"):
            continue
        chained = kind == "sign" or text == "not"
        chain = chain + 1 if chained and not sql[last : piece.start()].strip() else int(chained)
        last = piece.end()
        if kind == "open" or text in _DEEPER:
            depth += 1
        elif (kind == "close" or text in _BACK) and depth:
            depth -= 1
        if depth > MAX_DEPTH or chain > MAX_DEPTH:
            raise SandboxError(
                "sandbox.depth", part=sql[max(0, piece.start() - 20) : piece.end()], limit=MAX_DEPTH
            )
