"""The chat: its screen, what happens on it, and its parts."""
