"""What the guard says: what to do now for a red flag, and why a question is not answered, with who can help."""

from __future__ import annotations

from troly.text.catalogue import Lang
from troly_dental.strings import say

_MODES = frozenset({"shopping", "analysis", "rental", "rag"})


def advice(flag_name: str, lang: Lang) -> str:
    """What to do now for the red flag `flag_name`; raises KeyError for an unknown one."""
    return say(f"guard.red_flag.{flag_name}", lang)


def rejection(mode: str | None, lang: Lang, *, social: bool = False) -> str:
    """A friendly no (003-11): what this assistant can do, and the assistant that can help when `mode` names one."""
    if social:
        return say("guard.social", lang)
    return say(f"guard.rejected.{mode if mode in _MODES else 'other'}", lang)
