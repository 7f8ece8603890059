"""Runs a plan: groups in order, tasks side by side, with timeouts, retries and a cache (004-15, 004-39, 004-40)."""
