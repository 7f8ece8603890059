"""What opens above the chat."""
