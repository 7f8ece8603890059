"""The memory of the dental adviser: messages, the rolling summary, and facts that no summary may lose."""

from troly_dental.memory.facts import mentions, pin
from troly_dental.memory.opening import open_memory
from troly_dental.memory.schema import MIGRATION
from troly_dental.memory.store import MemoryStore
from troly_dental.memory.summary import fitted, joined, rule_summary, summarise
from troly_dental.memory.types import KINDS, MAX_MESSAGES, Fact, FactKind, MemoryClient, Message, OldMessages

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
    "mentions",
    "open_memory",
    "pin",
    "rule_summary",
    "summarise",
]
