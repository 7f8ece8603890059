"""Decides what is asked, of which agents, with which tools, and in which order (004-07, 004-08, 004-11 to 004-18)."""
