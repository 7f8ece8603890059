"""The SQL of a parsed question: built as a syntax tree, read back into conditions, compared, and explained in words."""
