"""The warranty list: loading it, looking serials up in it, and what is said of it."""
