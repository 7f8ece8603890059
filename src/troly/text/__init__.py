"""Ground: Vietnamese and English text, pure functions imported by every other floor."""
