"""The parts of the screen; they show what the controller holds and report what was pressed."""
