"""Queries over one user's sheets: what a tool call names, its filters, the aggregates, and their SQL."""
