"""The settings, typed and checked, and the profile of the person who uses Troly."""
