"""The sentences of the weather assistant."""

from __future__ import annotations

from pathlib import Path

from troly.plugin.texts import ModeTexts

TEXTS = ModeTexts(Path(__file__).parent)
say = TEXTS.say
