"""Searching the web for dental pages: one query out, up to five pages of untrusted text back (003-18, 003-19)."""
