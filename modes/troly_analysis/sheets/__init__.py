"""The sheets of the users: their published tables, metrics, import, commands and exports."""
