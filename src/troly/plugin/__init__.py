"""The plugin door: what a mode declares, what its nodes may call, what they say."""
