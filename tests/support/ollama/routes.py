"""What each address of the Ollama double answers."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tests.support.ollama.http_wire import GoneError, Wire, compact
from tests.support.ollama.replies import MID_STREAM, Fault, Reply, Request, hashed_vector, pieces, tokens

if TYPE_CHECKING:
    from tests.support.ollama.double import OllamaDouble

STAMP = "2026-01-02T03:04:05.678901Z"
REFUSED: Mapping[str, tuple[int, str]] = {
    "not_found": (404, "model '{model}' not found"),
    "server_error": (500, "llama runner process has terminated: signal: killed"),
    "refuse_load": (500, "model requires more system memory (9.1 GiB) than is available (3.2 GiB)"),
}


class Routes:
    """The addresses of one double; its settings are read at each request."""

    def __init__(self, double: OllamaDouble) -> None:
        self._double = double

    async def answer(self, request: Request, wire: Wire) -> None:
        """Write the whole answer to one request; raises GoneError when the client leaves."""
        if await self._broken(self._double.faults.get(request.path), request, wire):
            return
        match request.path:
            case "/":
                await wire.send(200, "Ollama is running", "text/plain; charset=utf-8")
            case "/api/version":
                await wire.send(200, {"version": self._double.version})
            case "/api/tags":
                await wire.send(200, {"models": [self._tag(name) for name in self._double.models]})
            case "/api/ps":
                await wire.send(200, {"models": [self._tag(name) for name in sorted(self._double.loaded)]})
            case "/api/show":
                await self._show(request, wire)
            case "/api/embed":
                await self._embed(request, wire)
            case "/api/chat" | "/api/generate":
                await self._chat(request, wire)
            case "/api/pull":
                await self._pull(request, wire)
            case _:
                await wire.send(404, "404 page not found", "text/plain")

    async def _broken(self, fault: Fault | None, request: Request, wire: Wire, said: str = "") -> bool:
        """Play a fault that comes before any answer; says whether it did."""
        if fault is not None and fault in REFUSED:
            status, text = REFUSED[fault]
            await wire.send(status, {"error": said or text.format(model=request.model)})
        elif fault == "html":
            await wire.send(502, "<html><body><h1>502 Bad Gateway</h1></body></html>", "text/html")
        elif fault == "hang":
            await wire.pause(None)
        elif fault == "junk" and request.path != "/api/chat":
            await wire.send(200, "not Ollama at all", "text/plain")
        elif fault == "cut" and request.path != "/api/chat":
            self._cut(wire)
        else:
            return False
        return True

    @staticmethod
    def _cut(wire: Wire) -> None:
        wire.abort()
        raise GoneError

    async def _installed(self, request: Request, wire: Wire) -> list[str] | None:
        """The capabilities of the model asked for; None when the 404 was sent."""
        name = request.model
        able = self._double.models.get(name if ":" in name else f"{name}:latest")
        if able is None:
            await wire.send(404, {"error": f"model '{name}' not found"})
        return able

    def _details(self, name: str) -> dict[str, Any]:
        family = name.partition(":")[0].rstrip("0123456789.-") or name
        return {"format": "gguf", "family": family, "families": [family], "parameter_size": "7B"}

    def _tag(self, name: str) -> dict[str, Any]:
        tag = {
            "name": name,
            "model": name,
            "modified_at": STAMP,
            "size": 2_019_393_189,
            "digest": hashlib.sha256(name.encode()).hexdigest(),
            "details": self._details(name),
        }
        if self._double.tags_have_capabilities:
            tag["capabilities"] = self._double.models[name]
        return tag

    async def _show(self, request: Request, wire: Wire) -> None:
        able = await self._installed(request, wire)
        if able is None:
            return
        details = self._details(request.model)
        family = details["family"]
        info = {
            "general.architecture": family,
            f"{family}.context_length": self._double.context,
            f"{family}.embedding_length": self._double.dims,
        }
        shown = {"modelfile": "", "parameters": "", "template": "", "modified_at": STAMP, "details": details}
        await wire.send(200, {**shown, "model_info": info, "capabilities": able})

    async def _embed(self, request: Request, wire: Wire) -> None:
        able = await self._installed(request, wire)
        if able is None or await self._broken(self._double.fault, request, wire):
            return
        asked = request.body.get("input") or []
        texts = [asked] if isinstance(asked, str) else list(asked)
        window = self._double.window
        if window is not None and any(tokens(text) > window for text in texts):
            await wire.send(400, {"error": "the input length exceeds the context length"})
            return
        vectors = [hashed_vector(text, self._double.dims) for text in texts]
        count = sum(map(tokens, texts))
        await wire.send(200, {"model": request.model, "embeddings": vectors, "prompt_eval_count": count})

    async def _pull(self, request: Request, wire: Wire) -> None:
        await wire.start_lines()
        await wire.line({"status": "pulling manifest"})
        if self._double.pull_error:
            await wire.line({"error": self._double.pull_error})
            await wire.end_lines()
            return
        for number, total in enumerate(self._double.pull_layers):
            digest = f"sha256:{number:064d}"
            for done in (0, total // 2, total):
                await wire.line(
                    {"status": f"pulling {digest[7:19]}", "digest": digest, "total": total, "completed": done}
                )
        await wire.line({"status": "verifying sha256 digest"})
        if self._double.fault != "no_done":
            name = request.model
            self._double.models[name if ":" in name else f"{name}:latest"] = ["completion"]
            await wire.line({"status": "success"})
        await wire.end_lines()

    async def _chat(self, request: Request, wire: Wire) -> None:
        if await self._installed(request, wire) is None:
            return
        reply = self._double.next_reply(request)
        fault = reply.fault or self._double.fault
        if await self._broken(fault, request, wire, reply.error):
            return
        started = time.monotonic()
        said = sum(tokens(str(m.get("content") or "")) for m in request.messages)
        count = said + (tokens(json.dumps(tools)) if (tools := request.body.get("tools")) else 0)
        window = self._double.window
        if (refusal := self._refusal(request, fault)) is not None:
            await wire.send(*refusal)
            return
        if window is not None and count > window and not self._double.cuts_silently:
            assert request.body["truncate"] is False
            long = _too_long(count, window)
            await wire.send(400, long if self._double.plain_refusals else {"error": json.dumps(long)})
            return
        await self._load(request.model, wire)
        if reply.first_delay:
            await wire.pause(reply.first_delay)
        limit = (request.body.get("options") or {}).get("num_predict")
        parts = _parts(reply, fault)
        if fault in ("endless", "deaf"):
            parts = parts * (1 + (limit or 10_000) // len(parts)) * (2 if fault == "deaf" else 1)
        done_reason = reply.done_reason
        if limit is not None and len(parts) > limit and fault != "deaf":
            parts, done_reason = parts[:limit], "length"
        end = {
            "done": True,
            "done_reason": done_reason,
            "total_duration": int((time.monotonic() - started) * 1e9),
            "prompt_eval_count": count if window is None else min(count, window),
            "eval_count": len(parts),
        }
        head = {"model": request.model, "created_at": STAMP}
        if request.body.get("stream", True):
            await self._stream(parts, {**head, **_line(request, _said("")), **end}, reply, request, wire)
        else:
            whole = _said("" if fault == "empty" else reply.text)
            await wire.send(200, {**head, **_line(request, whole), **end})

    def _refusal(self, request: Request, fault: Fault | None) -> tuple[int, dict[str, str]] | None:
        """The status and error of a server that lacks something which the request asks for."""
        schema = request.body.get("format")
        if self._grammar_too_large(schema) or (schema and fault == "no_schema"):
            return 500, {"error": "failed to load model vocabulary required for format"}
        if "truncate" in request.body and fault == "no_truncate":
            return 400, {"error": 'json: unknown field "truncate"'}
        if request.body.get("think") is not None and fault == "no_thinking":
            return 400, {"error": f"{request.model!r} does not support thinking"}
        return None

    async def _load(self, name: str, wire: Wire) -> None:
        name = name if ":" in name else f"{name}:latest"
        if name not in self._double.loaded and (done := self._double.loading_done) is not None:
            while not done.is_set():
                await wire.pause(0.01)
        self._double.loaded.add(name)

    def _grammar_too_large(self, schema: Any) -> bool:
        """Whether the grammar of a schema repeats anything 2,000 times or more, which real servers do not survive."""
        if isinstance(schema, list):
            return any(map(self._grammar_too_large, schema))
        if not isinstance(schema, dict):
            return False
        limits = ("maxLength", "minLength", "maxItems", "minItems")
        if any(isinstance(schema.get(name), int) and schema[name] > 1_999 for name in limits):
            return True
        return any(map(self._grammar_too_large, schema.values()))

    async def _stream(
        self, parts: list[dict[str, Any]], end: dict[str, Any], reply: Reply, request: Request, wire: Wire
    ) -> None:
        fault = reply.fault or self._double.fault
        head = {"model": request.model, "created_at": STAMP}
        await wire.start_lines()
        for number, message in enumerate(parts):
            if number == reply.after and await self._middle(reply, fault, wire):
                return
            if reply.gap and number:
                await wire.pause(reply.gap)
            line = (compact({**head, **_line(request, message), "done": False}) + "\n").encode()
            cut = _inside_character(line) if fault == "half_chars" else 0
            for data in (line[:cut], line[cut:]):
                if data:
                    await wire.chunk(data)
            request.sent += 1
        if len(parts) <= reply.after and await self._middle(reply, fault, wire):
            return
        if fault != "no_done":
            await wire.line(end)
        await wire.end_lines()

    async def _middle(self, reply: Reply, fault: Fault | None, wire: Wire) -> bool:
        """Play what happens in the middle of a stream; says whether the stream is over."""
        while reply.gate is not None and not reply.gate.is_set():
            await wire.pause(0.002)
        if fault not in MID_STREAM:
            return False
        if fault == "hang_mid":
            await wire.pause(None)
        if fault == "cut":
            self._cut(wire)
        if fault == "junk":
            await wire.chunk(b'{"model": this is no JSON\n')
            return False
        said = reply.error or "an error was encountered while running the model: unexpected EOF"
        await wire.line({"error": said})
        await wire.end_lines()
        return True


def _too_long(count: int, window: int) -> dict[str, Any]:
    """The refusal of a runner, which a server passes on as JSON within JSON, or as it is."""
    inner = {
        "code": 400,
        "message": "the request exceeds the available context size, try increasing it",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": count,
        "n_ctx": window,
    }
    return {"error": inner}


def _said(text: str, **more: object) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **more}


def _line(request: Request, message: dict[str, Any]) -> dict[str, Any]:
    """What a line says, in the shape of the address that was asked."""
    if request.path == "/api/chat":
        return {"message": message}
    thinking = {"thinking": message["thinking"]} if "thinking" in message else {}
    return {"response": message["content"], **thinking}


def _parts(reply: Reply, fault: Fault | None) -> list[dict[str, Any]]:
    if fault == "empty":
        return []
    parts = [_said("", thinking=piece) for piece in pieces(reply.thinking)]
    parts += [_said(piece) for piece in ([reply.text] if fault == "big_line" else pieces(reply.text))]
    return [*parts, _said("", tool_calls=reply.tool_calls)] if reply.tool_calls else parts


def _inside_character(line: bytes) -> int:
    """A place inside the line's first character of several bytes, else its middle."""
    return next((place for place, byte in enumerate(line) if 0x80 <= byte < 0xC0), len(line) // 2)
