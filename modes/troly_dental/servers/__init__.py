"""The MCP servers of the dental adviser, `memory-server` and `tool-server`: real MCP by the official SDK (C7)."""
