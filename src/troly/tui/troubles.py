"""Any failure as what a person is told on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly.errors import TrolyError
from troly.text.catalogue import Lang, tr

if TYPE_CHECKING:
    from troly.tui.view import Trouble


def trouble_of(error: Exception, language: Lang) -> Trouble:
    """Any exception as what a person is told."""
    from troly.tui.view import Trouble

    if isinstance(error, TrolyError):
        text = error.render(language)
        return Trouble(text.title, text.message, text.remedy)
    if isinstance(error, PermissionError):
        return Trouble(tr("ui.trouble.permission", language), str(error), "")
    return Trouble(
        tr("ui.trouble.unexpected", language),
        f"{type(error).__name__}: {error}"[:300],
        tr("ui.trouble.doctor", language),
    )
