"""Keys that plain terminals send and the framework reads as something else."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from textual import _ansi_sequences as framework

ALT = "alt+"


def teach_alt_keys(keys: Iterable[str]) -> None:
    """Let those of `keys` that are Alt with a letter, a digit or Enter be themselves.

    Terminals send them as Escape and the key. The framework takes Escape and a digit for a character of one macOS
    terminal ("¡", "™"), Escape and b for Ctrl+left, and Escape and Enter for two keys. With entries of their own they
    are also known at once, without waiting for the rest of a sequence.
    """
    wanted = {key for key in keys if key.startswith(ALT)}
    alone = {key for key in wanted if len(key) == len(ALT) + 1 or key == "alt+enter"}
    if not alone:
        return
    named = StrEnum("AltKey", {key.replace("+", "_"): key for key in sorted(alone)})  # type: ignore[misc]
    table: dict[str, object] = framework.ANSI_SEQUENCES_KEYS  # type: ignore[assignment]
    for key in named:
        last = key.value.removeprefix(ALT)
        for sent in ("\r", "\n") if last == "enter" else (last,):
            table[f"\x1b{sent}"] = (key,)
