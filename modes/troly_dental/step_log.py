"""The documents' log lines `[STEP X.Y] text` and their separators, personal data masked unless a setting allows it."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

from troly.plugin.context import TurnContext
from troly.text.sanitize import sanitize
from troly_dental.settings import DentalSettings

FILE, BYTES = "dental.log", 1_000_000
log = logging.getLogger("troly_dental.steps")
PROMPT, RESPONSE, FORMATTED = "PROMPT", "RESPONSE", "FORMATTED RESPONSE"


class StepLog:
    """The log of one turn (003-40 to 003-42).

    Flow steps are INFO, texts between separators and details DEBUG, trouble that the turn survives WARNING, a failed
    model ERROR with its trace. Names, phones and numbers of papers are masked unless `dental.log_personal` is set.
    """

    def __init__(self, turn: TurnContext) -> None:
        settings = turn.services.settings.of(DentalSettings)
        self._personal = settings.log_personal
        if settings.log != "off" and not turn.services.temporary:
            keep_in_file(turn.services.paths.cache / "logs", settings.log.upper())

    def flow(self, step: str, text: str) -> None:
        """`[STEP 2.1] Guardrail result: PASSED`."""
        self._line(logging.INFO, step, text)

    def id(self, step: str, text: str) -> None:
        """A line of our own making with an id in it, which would look like somebody's number."""
        log.info("[STEP %s] %s", step, text)

    def detail(self, step: str, text: str) -> None:
        """Context in detail."""
        self._line(logging.DEBUG, step, text)

    def trouble(self, step: str, text: str) -> None:
        """Something that failed and is done without."""
        self._line(logging.WARNING, step, text)

    def failure(self, step: str, text: str, error: BaseException) -> None:
        """A failed model, with its trace."""
        if log.isEnabledFor(logging.ERROR):
            log.error("[STEP %s] %s", step, self._line_of(text), exc_info=error)

    def block(self, name: str, text: str) -> None:
        """A whole text between `--- PROMPT START ---` and `--- PROMPT END ---` (003-41)."""
        if log.isEnabledFor(logging.DEBUG):
            log.debug("--- %s START ---", name)
            log.debug("%s", self._safe(text))
            log.debug("--- %s END ---", name)

    def _line(self, level: int, step: str, text: str) -> None:
        if log.isEnabledFor(level):
            log.log(level, "[STEP %s] %s", step, self._line_of(text))

    def _line_of(self, text: str) -> str:
        """One line: what a person or a page wrote cannot look like a line of its own."""
        return " ".join(self._safe(text).split())

    def _safe(self, text: str) -> str:
        text = sanitize(text)
        if self._personal:
            return text
        from troly_dental.redaction import mask

        return mask(text)


def keep_in_file(folder: Path, level: str) -> None:
    """Write the lines of this assistant from `level` on to `dental.log` in `folder`, which is made for its owner only.

    Done once a process and folder. A file that cannot be made costs the log, not the turn.
    """
    logger = logging.getLogger("troly_dental")
    path = (folder / FILE).resolve()
    if any(
        isinstance(one, RotatingFileHandler) and Path(one.baseFilename) == path for one in logger.handlers
    ):
        return
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = RotatingFileHandler(path, maxBytes=BYTES, backupCount=1, encoding="utf-8")
    except OSError:
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(level)
