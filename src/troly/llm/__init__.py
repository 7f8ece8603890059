"""Models on one Ollama server: the client, one session a turn, decisions with rules behind them, prompts in files."""
