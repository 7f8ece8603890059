"""The memory of the dental adviser: messages, the rolling summary, and facts that no summary may lose."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from troly_dental.memory.client import memory_of_turn, open_memory
from troly_dental.memory.schema import MIGRATION
from troly_dental.memory.types import KINDS, MAX_MESSAGES, Fact, FactKind, MemoryClient, Message, OldMessages

if TYPE_CHECKING:
    from troly_dental.memory.facts import mentions, pin
    from troly_dental.memory.store import MemoryStore
    from troly_dental.memory.summary import fitted, joined, rule_summary, summarise

__all__ = [
    "KINDS",
    "MAX_MESSAGES",
    "MIGRATION",
    "Fact",
    "FactKind",
    "MemoryClient",
    "MemoryStore",
    "Message",
    "OldMessages",
    "fitted",
    "joined",
    "memory_of_turn",
    "mentions",
    "open_memory",
    "pin",
    "rule_summary",
    "summarise",
]

# The mode is declared at every start and needs the migration only: the rest is imported when it is first used.
_LATER = {
    **dict.fromkeys(("mentions", "pin"), "facts"),
    **dict.fromkeys(("fitted", "joined", "rule_summary", "summarise"), "summary"),
    "MemoryStore": "store",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
