"""Searching documents by words and by vectors."""
