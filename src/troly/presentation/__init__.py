"""What the faces show of an answer: typed content as blocks, and blocks as text."""
