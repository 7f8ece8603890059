"""The sentences and the prompts of this assistant, in both languages, from the files beside the code."""

from __future__ import annotations

from pathlib import Path

from troly.plugin.texts import ModeTexts

_WORDS = ModeTexts(Path(__file__).parent)
catalogue, say, prompts = _WORDS.catalogue, _WORDS.say, _WORDS.prompts
