"""The private memory of conversations."""
