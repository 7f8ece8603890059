"""The dental adviser on a data directory of its own: services, the mode alone in a registry, its notes, a search engine on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.support.modes.desk import Desk
from tests.support.modes.made import registry_of
from tests.support.stores.prepared import prepared_services
from tests.support.stores.services import services_at
from troly.plugin import samples
from troly_dental import MODE

# One for all tests: its graph is built once a run.
_REGISTRY = registry_of(dental=MODE)

PAGE = {
    "title": "Nhổ răng khôn: những điều cần biết",
    "content": "Sau khi nhổ răng khôn nên ăn đồ mềm, nguội trong hai ngày đầu.",
    "url": "https://www.nhakhoa.example/nho-rang-khon",
}


class WebDouble:
    """A SearXNG server on loopback: `rows` are what it finds, `status` what it answers, `gate` what it waits for."""

    def __init__(self, rows: Sequence[Mapping[str, Any]] = (PAGE,)) -> None:
        self.rows = list(rows)
        self.status = 200
        self.gate: threading.Event | None = None
        self.queries: list[str] = []
        self.languages: list[str] = []
        self.asked = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        # Closing waits for every answer that is still being written: no socket outlives its test.
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        """Stop listening; a search that waits for the gate is let go."""
        if self.gate is not None:
            self.gate.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        double = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked = parse_qs(urlsplit(self.path).query)
                double.queries.append(asked.get("q", [""])[0])
                double.languages.append(asked.get("language", [""])[0])
                double.asked.set()
                if double.gate is not None:
                    double.gate.wait(20)
                body = json.dumps({"results": double.rows}).encode()
                with suppress(ConnectionError):  # the client may have left
                    self.send_response(double.status)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Nothing on stderr."""

        return Handler


class Clinic(Desk):
    """One person with the adviser."""

    mode = MODE


@contextmanager
def clinic_at(home: Path, *, notes: bool = True, **env: str) -> Iterator[Clinic]:
    """An adviser under `home` with its notes, unless not `notes`; without a web search unless `env` names one."""
    if "SEARXNG_URL" not in env:
        env = {"TROLY_DENTAL__SEARCH": "off", **env}
    opened = (
        prepared_services(
            home, _REGISTRY, ("dental-notes",), lambda services: samples.load(services, MODE, "vi"), **env
        )
        if notes
        else services_at(home, _REGISTRY, **env)
    )
    with opened as services:
        yield Clinic(services, _REGISTRY)
