"""The document's four agents as graph nodes, with the session before them and the knowledge store after them."""

from troly_rental.agents.orchestrator import orchestrator
from troly_rental.agents.persistence import persist
from troly_rental.agents.response import content, control, response_generator
from troly_rental.agents.session import session
from troly_rental.agents.sql_generation import sql_generation
from troly_rental.agents.validator import result_validator

__all__ = [
    "content",
    "control",
    "orchestrator",
    "persist",
    "response_generator",
    "result_validator",
    "session",
    "sql_generation",
]
