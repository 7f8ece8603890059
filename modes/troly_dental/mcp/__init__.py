"""MCP as this assistant uses it: a call of a tool, servers inside the program, servers of other processes."""
