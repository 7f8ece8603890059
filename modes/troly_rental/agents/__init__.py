"""The document's four agents as graph nodes, with the session before them and the knowledge store after them."""
