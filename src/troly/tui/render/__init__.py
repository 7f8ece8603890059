"""Turns text and typed content into styled lines; knows nothing of widgets."""
