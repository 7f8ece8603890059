"""The documents' log lines `[STEP X.Y] text` and their separators, personal data masked unless a setting allows it."""

from __future__ import annotations

import logging

from troly.plugin.context import TurnContext

log = logging.getLogger("troly_dental.steps")
PROMPT, RESPONSE, FORMATTED = "PROMPT", "RESPONSE", "FORMATTED RESPONSE"


class StepLog:
    """The log of one turn (003-40 to 003-42).

    Flow steps are INFO, texts between separators and details DEBUG, trouble that the turn survives WARNING, a failed
    model ERROR with its trace. Names, phones and numbers of papers are masked unless `dental.log_personal` is set.
    """

    def __init__(self, turn: TurnContext) -> None:
        self._personal = turn.services.settings.dental.log_personal

    def flow(self, step: str, text: str) -> None:
        """`[STEP 2.1] Guardrail result: PASSED`."""
        self._line(logging.INFO, step, text)

    def detail(self, step: str, text: str) -> None:
        """Context in detail."""
        self._line(logging.DEBUG, step, text)

    def trouble(self, step: str, text: str) -> None:
        """Something that failed and is done without."""
        self._line(logging.WARNING, step, text)

    def failure(self, step: str, text: str, error: BaseException) -> None:
        """A failed model, with its trace."""
        if log.isEnabledFor(logging.ERROR):
            log.error("[STEP %s] %s", step, self._safe(text), exc_info=error)

    def block(self, name: str, text: str) -> None:
        """A whole text between `--- PROMPT START ---` and `--- PROMPT END ---` (003-41)."""
        if log.isEnabledFor(logging.DEBUG):
            log.debug("--- %s START ---", name)
            log.debug("%s", self._safe(text))
            log.debug("--- %s END ---", name)

    def _line(self, level: int, step: str, text: str) -> None:
        if log.isEnabledFor(level):
            log.log(level, "[STEP %s] %s", step, self._safe(text))

    def _safe(self, text: str) -> str:
        if self._personal:
            return text
        from troly_dental.masking import mask

        return mask(text)
