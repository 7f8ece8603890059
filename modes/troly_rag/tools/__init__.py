"""The four tools of the agents (004-05, 004-06): search, summary, arithmetic, logs."""
