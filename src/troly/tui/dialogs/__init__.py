"""The screens: the chat, and what opens above it."""
