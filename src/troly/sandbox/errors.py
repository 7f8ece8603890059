"""The error of the sandbox: a query that was refused, or that did not end well."""

from __future__ import annotations

from troly.errors import TrolyError

_SHOWN = 80


class SandboxError(TrolyError):
    """A query was refused by the guard or ended by the sandbox; `params["part"]` names the offending part.

    Keys of the guard: `sandbox.empty|long|parse|several|not_select|depth|size|table|qualified|table_function|function|
    construct|recursive|type|column|joins|limit`. Keys of the run: `sandbox.timeout|memory|query|died|relations|closed`.
    """

    exit_code = 3

    def __init__(self, key: str, /, **params: object) -> None:
        if "part" in params:
            params["part"] = shown(str(params["part"]))
        super().__init__(key, **params)


def shown(part: str) -> str:
    """A piece of a query as one short line for a sentence."""
    line = " ".join(part.replace("`", "'").split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
