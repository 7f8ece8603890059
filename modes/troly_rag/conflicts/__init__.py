"""Sources that contradict each other: found, weighed by domain, scope, recency and relevance, and shown (004-21 to 004-25)."""
