"""The data agent: a model that calls the five tools, what it is told, and the running of the tools."""
