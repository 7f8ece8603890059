"""The sentences and the prompts of this assistant, in both languages, from the files beside the code."""

from __future__ import annotations

from pathlib import Path

from troly.plugin.texts import ModeTexts

TEXTS = ModeTexts(Path(__file__).parent)
catalogue, say, prompts = TEXTS.catalogue, TEXTS.say, TEXTS.prompts
