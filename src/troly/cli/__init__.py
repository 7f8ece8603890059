"""The command line face: parses, prints, and decides nothing."""
