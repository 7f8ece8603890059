"""The memory of the dental adviser: messages, the rolling summary, and facts that no summary may lose."""
