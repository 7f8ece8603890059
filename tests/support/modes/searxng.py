"""A search server on the loopback that speaks real HTTP and answers what a test planned, as SearXNG does."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit


def results(*rows: tuple[str, str, str]) -> bytes:
    """A body with `rows` of title, content and link."""
    listed = [
        {"title": title, "content": content, "url": link, "engine": "duckduckgo"}
        for title, content, link in rows
    ]
    return json.dumps({"query": "q", "results": listed, "unresponsive_engines": []}).encode()


@dataclass(slots=True)
class SearxngDouble:
    """Serves `body` with `status`; `asked` holds the parameters of each request, `waits` makes it answer too late."""

    body: bytes = field(default_factory=results)
    status: int = 200
    location: str = ""
    waits: bool = False
    asked: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    _released: threading.Event = field(default_factory=threading.Event)
    _server: ThreadingHTTPServer | None = None

    def __enter__(self) -> Self:
        double = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                double.answer(self)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name of the standard library)
                """Nothing is written to the terminal."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._released.set()
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """The address to put in the settings."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.server_port}"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Answer one request as planned."""
        parts = urlsplit(request.path)
        self.paths.append(parts.path)
        self.asked.append({name: values[0] for name, values in parse_qs(parts.query).items()})
        if self.waits:
            self._released.wait(60)
        try:
            request.send_response(self.status)
            if self.location:
                request.send_header("Location", self.location)
            request.send_header("Content-Type", "application/json")
            request.send_header("Content-Length", str(len(self.body)))
            request.end_headers()
            request.wfile.write(self.body)
        except ConnectionError:
            return
