"""Understanding a rental question without a model: from a message to a `ParsedQuestion`."""
