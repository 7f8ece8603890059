"""One turn, headless: a message goes in, a stream of events comes out, and all of it is saved."""

from troly.conversation.opening import open_conversation
from troly.conversation.turn import Turn, TurnRequest, run_turn

__all__ = ["Turn", "TurnRequest", "open_conversation", "run_turn"]
