"""Documents: files read into blocks, cut into chunks, stored, kept in line with their folders."""
