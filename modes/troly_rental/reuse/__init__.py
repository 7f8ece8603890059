"""Confirmed questions with their SQL, reused where the same is asked again (002-14 to 002-16, 002-29)."""
