"""What every face does with an assistant, headless: turns, history, commands, jobs, export, replay, evaluation."""
