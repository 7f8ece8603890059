"""Keys that plain terminals send and the framework reads as something else."""

from __future__ import annotations

from enum import StrEnum

from textual import _ansi_sequences as framework


class AltKey(StrEnum):
    """Alt with a digit or Enter, which xterm and tmux send as Escape and the key."""

    ONE = "alt+1"
    TWO = "alt+2"
    THREE = "alt+3"
    FOUR = "alt+4"
    FIVE = "alt+5"
    SIX = "alt+6"
    SEVEN = "alt+7"
    EIGHT = "alt+8"
    NINE = "alt+9"
    ENTER = "alt+enter"


def teach_alt_keys() -> None:
    """Let Alt+1 … Alt+9 and Alt+Enter be themselves.

    The framework takes Escape and a digit for a character of one macOS terminal ("¡", "™"), and Escape and Enter for
    two keys. With entries of their own they are also known at once, without waiting for the rest of a sequence.
    """
    table: dict[str, object] = framework.ANSI_SEQUENCES_KEYS  # type: ignore[assignment]
    for key in AltKey:
        last = key.value.rpartition("+")[2]
        for sent in ("\r", "\n") if last == "enter" else (last,):
            table[f"\x1b{sent}"] = (key,)


# What works everywhere on the chat. The input runs these itself, in the order they were typed: what is typed after
# Alt+2 in the same read belongs to the other pane.
CHORDS = (
    ("ctrl+n", "new"),
    ("ctrl+r", "again"),
    ("ctrl+p", "palette"),
    ("f1", "help"),
    ("f2", "list"),
    ("f3", "evidence"),
    ("f4", "step(1)"),
    ("f5", "grid"),
    ("ctrl+f", "search"),
    ("ctrl+end", "newest"),
    *((f"alt+{place}", f"place({place})") for place in range(1, 10)),
)
