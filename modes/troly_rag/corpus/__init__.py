"""The company's documents: who may see them, how they are read and stored, and how they are searched."""
