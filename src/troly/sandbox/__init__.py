"""Runs queries that nobody vouches for: checked by their parse tree, then run in a process that can reach nothing else."""

from troly.sandbox.errors import SandboxError
from troly.sandbox.guard import Checked, check
from troly.sandbox.runner import Sandbox
from troly.sandbox.types import Limits, Relation, Rows, Scope

__all__ = ["Checked", "Limits", "Relation", "Rows", "Sandbox", "SandboxError", "Scope", "check"]
