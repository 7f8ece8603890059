"""The rental data: its schema and places, how it is loaded and checked, and reading what was published."""
