"""The chat line by line: for screen readers, pipes and dumb terminals."""
