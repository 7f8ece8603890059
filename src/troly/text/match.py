"""Understanding a message without a model: listed phrases, and a classifier taught by examples in plain files."""

from __future__ import annotations

from troly.text.classifier import UNKNOWN, ExampleClassifier, Explanation, Scored
from troly.text.lexicon import Hit, Lexicon

__all__ = ["UNKNOWN", "ExampleClassifier", "Explanation", "Hit", "Lexicon", "Scored"]
