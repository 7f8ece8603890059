"""Progress of a model download, added up over its layers."""

from __future__ import annotations

from typing import Any

from troly.errors import ModelError
from troly.llm.types import PullProgress
from troly.text.sanitize import sanitize

_UNKNOWN_MODEL = ("file does not exist", "not found", "invalid model name")


class Layers:
    """Bytes of each layer seen so far; `finished` once the server said success."""

    def __init__(self) -> None:
        self.finished = False
        self._layers: dict[str, tuple[int, int]] = {}

    def add(self, part: Any) -> PullProgress:
        """Take one progress line of the server."""
        if part.digest:
            done, total = self._layers.get(part.digest, (0, 0))
            self._layers[part.digest] = (max(done, part.completed or 0), max(total, part.total or 0))
        status = sanitize(part.status or "", keep_newlines=False)
        self.finished = self.finished or status == "success"
        done = sum(done for done, _ in self._layers.values())
        return PullProgress(status, done, sum(total for _, total in self._layers.values()))


def explained(error: ModelError) -> ModelError:
    """An error of a download in the words of downloads: an unknown name, or a failure."""
    if error.key not in ("ollama.stream_error", "ollama.cut", "ollama.junk", "ollama.server_error"):
        return error
    detail = str(error.params.get("detail", ""))
    unknown = any(words in detail for words in _UNKNOWN_MODEL)
    return ModelError("ollama.pull_unknown" if unknown else "ollama.pull_failed", **error.params)
