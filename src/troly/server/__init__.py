"""The assistants over HTTP: a native API, the forms of the documents, and what OpenAI clients speak."""
