"""Reading what a server says of its models, and choosing one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from troly.errors import ModelError
from troly.llm.types import Health, ModelDetails, ModelInfo, Need, PullProgress
from troly.text.sanitize import sanitize

# Only for servers that do not tell capabilities: architectures and names of models that make vectors, no answers.
_EMBEDDERS = ("bert", "bge", "embed", "minilm", "e5-", "gte-")


def health_from(tags: Mapping[str, Any], version: Mapping[str, Any]) -> Health:
    """Health from the answers of /api/tags and /api/version; raises KeyError or TypeError when they are not Ollama's."""
    models = tuple(_info(model) for model in tags["models"] or ())
    return Health(up=True, version=_line(version["version"]), models=models)


def _info(model: Mapping[str, Any]) -> ModelInfo:
    details = model.get("details") or {}
    able = model.get("capabilities")
    return ModelInfo(
        name=_line(model.get("name") or model["model"]),
        size=int(model.get("size") or 0),
        family=_line(details.get("family")),
        parameters=_line(details.get("parameter_size")),
        capabilities=frozenset(able) if able else None,
    )


def _line(text: object) -> str:
    return sanitize(str(text or ""), keep_newlines=False)


def details_from(name: str, shown: Any) -> ModelDetails:
    info: Mapping[str, Any] = shown.modelinfo or {}
    lengths = [int(value) for key, value in info.items() if key.endswith(".context_length") and value]
    return ModelDetails(
        name,
        frozenset(shown.capabilities) if shown.capabilities else None,
        lengths[0] if lengths else None,
        _line(info.get("general.architecture")),
    )


def find(name: str, models: Iterable[ModelInfo]) -> str | None:
    """The installed name that `name` stands for: itself, without a tag also `name:latest`, else the first tag listed."""
    names = [model.name for model in models]
    tagged = [] if ":" in name else [found for found in names if found.startswith(f"{name}:")]
    return next((found for found in (name, f"{name}:latest", *tagged) if found in names), None)


def nearest_first(name: str, models: Sequence[ModelInfo]) -> list[ModelInfo]:
    """The models in the order in which they may stand in for `name`: same name, same family, then as listed."""
    base, family = _base(name), _family(name)
    return sorted(models, key=lambda m: (_base(m.name) != base, _family(m.name) != family))


def _base(name: str) -> str:
    return name.partition(":")[0].lower()


def _family(name: str) -> str:
    return _base(name).rpartition("/")[2].partition("-")[0].rstrip("0123456789.")


def can(info: ModelInfo, need: Need, capabilities: frozenset[str] | None) -> bool:
    """Whether a model does what is needed; where the server does not tell, its name and family decide."""
    if capabilities is not None:
        return {"completion", need} <= capabilities
    described = f"{info.name} {info.family}".lower()
    return not any(word in described for word in _EMBEDDERS)


# Progress of a model download, added up over its layers.


_UNKNOWN_MODEL = ("file does not exist", "not found", "invalid model name")


class Layers:
    """Bytes of each layer seen so far; `finished` once the server said success."""

    def __init__(self) -> None:
        self.finished = False
        self._layers: dict[str, tuple[int, int]] = {}

    def add(self, line: Mapping[str, Any]) -> PullProgress:
        """Take one progress line of the server; raises what a line of another shape raises."""
        if layer := line.get("digest"):
            done, total = self._layers.get(layer, (0, 0))
            self._layers[layer] = (
                max(done, int(line.get("completed") or 0)),
                max(total, int(line.get("total") or 0)),
            )
        status = sanitize(str(line.get("status") or ""), keep_newlines=False)
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
