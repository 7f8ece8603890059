"""The event that tells what one call of a model cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelCalled:
    """A call of a model ended, well or not (`error` is its key, else "").

    `kind` is `stream`, `decide`, `tools` or `embed`; `node` the step that asked. Tokens are None where the server did
    not say; `window` is the context window in tokens, 0 where there is none; `ttft_ms` is until the first token.
    """

    task: str
    kind: str
    model: str
    node: str
    ms: float
    ttft_ms: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    window: int = 0
    error: str = ""
