"""The standard streams as every command needs them; imported before the first frame."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def prepare_streams() -> None:
    """Make stdout and stderr UTF-8 whatever the locale; a character that cannot be written is escaped, never fatal.

    A stream that the caller closed (`<&-`, `>&-`) becomes the null device: else the next file opened would be it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 (for as long as we run)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
