"""The product catalogue: loading it, questions about it, and what it has to offer."""
