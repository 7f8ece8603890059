"""The answer of a query: its sentences, its typed content, and the documented payload and response text."""
