"""Finding passages: documents are read, cut into chunks, indexed by words and by vectors, and searched by both."""
