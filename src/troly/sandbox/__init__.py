"""Runs queries that nobody vouches for: checked by their parse tree, then run in a process that can reach nothing else."""

from troly.sandbox.guard import CheckedQuery, check
from troly.sandbox.runner import Sandbox
from troly.sandbox.types import Limits, QueryRows, Relation, SandboxError, Scope

__all__ = ["CheckedQuery", "Limits", "QueryRows", "Relation", "Sandbox", "SandboxError", "Scope", "check"]
