"""Writes the answer: evidence, sentences out of passages, grounding, and the documented output."""
