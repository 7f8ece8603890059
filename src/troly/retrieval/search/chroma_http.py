"""Chroma's client of a server, with a limit on waiting.

Its own (`chromadb.api.fastapi.FastAPI._session`) is made with `timeout=None`, and no setting says otherwise.
`test_chroma_server.py` fails where the attribute is another.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import chromadb
import httpx
from chromadb.config import Settings

# Seconds that one request may take; a server that does not answer must not hold a turn.
WAIT = 10.0


def open_server(url: str, token: str) -> Any:
    """A client of the Chroma server at `url`; raises what httpx or Chroma raise when it does not answer in `WAIT` seconds."""
    at = urlsplit(url)
    tls = at.scheme == "https"
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    # The client asks the server while it is made, before it can be given a limit.
    httpx.get(f"{url}/api/v2/heartbeat", headers=headers, timeout=WAIT).raise_for_status()
    client: Any = chromadb.HttpClient(
        at.hostname or "",
        at.port or (443 if tls else 80),
        ssl=tls,
        headers=headers,
        # Nobody closes what the client keeps open.
        settings=Settings(anonymized_telemetry=False, chroma_http_max_keepalive_connections=0),
    )
    client._server._session.timeout = WAIT  # noqa: SLF001 (see above)
    return client
