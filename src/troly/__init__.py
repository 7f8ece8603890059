"""Troly: terminal chat for support staff, with five assistants on one local Ollama."""
