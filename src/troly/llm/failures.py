"""Everything that Ollama, httpx and the network can raise, as one ModelError with a remedy."""

from __future__ import annotations

import json
import re
from urllib.parse import urlsplit

from troly.errors import ModelError
from troly.text.sanitize import sanitize

SAID_LIMIT = 200
# What servers say when they refuse, by error key; the more special ones stand first.
_REFUSALS = {
    "ollama.out_of_memory": r"more system memory|out of memory|insufficient memory|cudaMalloc failed",
    "ollama.refused_length": r"exceeds? (?:the |maximum )?(?:available )?context|exceed_context_size|input length|prompt is too long",
    "ollama.refused_schema": r"\bgrammar\b|json schema|(?:invalid|unsupported) format|required for format",
    "ollama.refused_truncate": r"\btruncate\b",
    "ollama.refused_thinking": r"does not support thinking|\bthink(?:ing)? (?:value|level)",
    "ollama.unsupported": r"does not support \w+",
}
_NO_MODEL = re.compile(r"model .*not found|try pulling it|file does not exist", re.IGNORECASE)


def shown_url(url: str) -> str:
    """The address without a password that may stand in it."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return server_text(url.rpartition("@")[2])
    return server_text(parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl())


def server_text(words: object) -> str:
    """The server's own words, safe to show: one line, no control characters, no HTML page, at most 200 characters."""
    text = " ".join(sanitize(str(words or ""), keep_newlines=False).split())
    if text.startswith("<"):
        return ""
    return text if len(text) <= SAID_LIMIT else f"{text[: SAID_LIMIT - 1]}…"


def model_error(error: Exception, *, url: str, model: str = "", begun: bool = False) -> ModelError:
    """The ModelError for what a library raised; an exception that none of them raises is raised again.

    `begun` says that the answer had begun.
    """
    if isinstance(error, ModelError):
        return error
    key, detail = _key(error, begun)
    params: dict[str, object] = {"url": shown_url(url), "model": model, "detail": server_text(detail)}
    if key == "ollama.refused_length":
        said = inner_error(getattr(error, "error", ""))
        params |= {name: said[field] for name, field in _COUNTS.items() if isinstance(said.get(field), int)}
    return ModelError(key, **params)


# What a refusal says of lengths, by the names of our error.
_COUNTS = {"tokens": "n_prompt_tokens", "limit": "n_ctx"}


def inner_error(said: object) -> dict[str, object]:
    """The error object in what a server said, which may be JSON within JSON; plain words are its `message`."""
    for _ in range(4):
        if isinstance(said, str) and "{" in said:
            try:
                said = json.JSONDecoder().raw_decode(said, said.index("{"))[0]
            except (ValueError, RecursionError):
                break
        if not isinstance(said, dict):
            break
        if "error" not in said:
            return {**said, "message": said["message"] if isinstance(said.get("message"), str) else ""}
        said = said["error"]
    return {"message": said if isinstance(said, str) else ""}


def _key(error: Exception, begun: bool) -> tuple[str, object]:
    import httpx
    import ollama

    if isinstance(error, ollama.ResponseError):
        # The library takes the error out of its JSON, which may leave an object.
        said: object = error.error
        words = said if isinstance(said, str) else json.dumps(said)
        return from_answer(error.status_code, words), inner_error(words)["message"]
    if isinstance(error, httpx.HTTPStatusError):
        return from_answer(error.response.status_code, ""), ""
    # The order matters: the more special kinds stand first.
    kinds: tuple[tuple[tuple[type[Exception], ...], str], ...] = (
        ((httpx.ProxyError,), "ollama.proxy"),
        ((httpx.ConnectError, httpx.ConnectTimeout, ConnectionError), "ollama.down"),
        ((httpx.UnsupportedProtocol, httpx.InvalidURL), "ollama.bad_url"),
        ((httpx.TimeoutException, TimeoutError), "ollama.timeout_stall" if begun else "ollama.timeout_first"),
        ((httpx.HTTPError, httpx.StreamError), "ollama.cut"),
        # json, pydantic and the library's own field access: the line was no line of Ollama's.
        ((ValueError, AttributeError, TypeError, KeyError), "ollama.junk"),
    )
    for types, key in kinds:
        if isinstance(error, types):
            return key, "" if key == "ollama.junk" else error
    raise error


def from_answer(status: int, words: str) -> str:
    """The error key for an answer that is an error: HTTP status (-1: a line in the stream) and words."""
    for key, pattern in _REFUSALS.items():
        if re.search(pattern, words, re.IGNORECASE):
            return key
    if status == -1:
        return "ollama.stream_error"
    if status == 404:
        return "ollama.model_missing" if _NO_MODEL.search(words) else "ollama.not_ollama"
    return {401: "ollama.forbidden", 403: "ollama.forbidden"}.get(status, "ollama.server_error")
