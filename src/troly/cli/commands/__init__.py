"""The bodies of the commands, one module a command or group."""
