"""Whether a terminal can be trusted to take what is copied; what it may not take is written to a file as well."""

from __future__ import annotations

from collections.abc import Mapping

# Terminals and tmux drop longer ones; the limit is on the encoded text, four characters for three bytes.
LONGEST = 74_000


def may_be_refused(text: str, env: Mapping[str, str]) -> bool:
    """Whether the terminal that `env` tells of may not put `text` on the clipboard (OSC 52).

    Known: the console of Linux and Apple's Terminal never do, terminals on VTE and GNU screen do not, tmux does only
    when it was told to; long texts are dropped by most.
    """
    if len(text.encode("utf-8", "replace")) * 4 // 3 > LONGEST:
        return True
    term, program = env.get("TERM", ""), env.get("TERM_PROGRAM", "")
    known = program in ("Apple_Terminal", "tmux") or "TMUX" in env or "VTE_VERSION" in env
    return known or term in ("", "dumb", "linux") or term.startswith("screen")
