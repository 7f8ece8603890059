"""Puts the server's application together: routes, errors, signs of life, and the page that describes the interface."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from html import escape
from typing import TYPE_CHECKING, Any

import socketio
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse
from starlette.routing import Route

from troly.conversation.jobs import take_up
from troly.errors import ErrorText, StoreError, TrolyError
from troly.plugin.sample_loading import SampleLoader
from troly.server import documents, mcp, native, openai
from troly.server.access import Access
from troly.server.guard import SOCKET_PATH, STATIC_PATH, Guard
from troly.server.metrics import Metrics
from troly.server.problems import problem, retry_after, status_of, text_of
from troly.server.site import Site, as_json, caller_of, lang_of
from troly.server.streams import TurnHub
from troly.server.uploads import Uploads
from troly.text.catalogue import tr

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from troly.conversation.session import Session

log = logging.getLogger("troly.server")
TAKE_UP_SECONDS = 5.0
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_BY_STATUS = {404: "server.path", 405: "server.method", 408: "server.late", 413: "server.body"}


def create_app(session: Session, *, prepare: bool = True, web: bool = False) -> tuple[ASGIApp, Site]:
    """The server's ASGI application for the services of `session`, and what is behind it.

    `web` shows the screen in browsers (`troly[web]`). `prepare` loads the samples and graphs of all assistants in the background at the start. The lifespan must run: its end
    stops the answers and closes the model client, not the stores.
    """
    settings, metrics = session.services.settings.server, Metrics()
    access = Access(session, open_here=settings.open and settings.host in LOOPBACK)
    hub = TurnHub(session, SampleLoader(session.services, session.registry), metrics)
    site = Site(session, access, hub, Uploads(session), metrics)

    # Without sessions each request stands on its own key: nobody can go on with another's.
    tools = StreamableHTTPSessionManager(mcp.build_server(session, hub, caller_of), stateless=True)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        hub.begin()
        preparing = asyncio.create_task(
            hub.prepare([mode.id for mode in session.registry]) if prepare else asyncio.sleep(0)
        )
        stop, ended = threading.Event(), asyncio.Event()
        loads = asyncio.create_task(_take_up(session, stop, ended))
        async with tools.run():
            yield
        preparing.cancel()
        stop.set()
        ended.set()
        await asyncio.gather(preparing, loads, return_exceptions=True)
        if web:
            await app.state.screens.close()
        await site.uploads.close()
        await hub.close()
        await session.services.llm.aclose()

    app = FastAPI(title="Troly", version="1", lifespan=lifespan, docs_url=None, redoc_url=None)
    app.state.site = site
    app.add_exception_handler(TrolyError, _troly_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _unexpected)
    for router in (native.router, openai.router, documents.router):
        # As they are: included, each would be built anew with the first request, and looked for through one layer more.
        app.router.routes.extend(router.routes)
    app.add_api_route("/health", _health, include_in_schema=True)
    app.add_api_route("/ready", _ready)
    app.add_api_route("/metrics", _metrics)
    app.add_api_route("/docs", _docs, include_in_schema=False)
    app.router.routes.append(Route(mcp.PATH, StreamableHTTPASGIApp(tools), methods=["POST"]))
    app.mount(SOCKET_PATH, socketio.ASGIApp(documents.ChatSocket(site).server, socketio_path=""))
    if web:
        from starlette.staticfiles import StaticFiles

        from troly.server.web import STATIC, Screens, router

        app.state.screens = Screens()
        app.include_router(router)
        app.mount(STATIC_PATH, StaticFiles(directory=STATIC))
    return Guard(app, settings, access, metrics), site


async def _take_up(session: Session, stop: threading.Event, ended: asyncio.Event) -> None:
    """Until `ended`: loads whose process died, on this or another machine, are done again here where their files are."""
    while not stop.is_set():
        try:
            for name in await take_up(session, stop):
                log.info("load done again: %s", name)
        except Exception as error:
            log.warning("loads not taken up", exc_info=error)
        with suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), TAKE_UP_SECONDS)


async def _health() -> Response:
    """Alive."""
    return as_json({"status": "alive"})


async def _ready(request: Request) -> Response:
    """Whether questions are taken: the stores must answer; without a model assistants answer what needs none.

    While `preparing` assistants still load what their first answers need, and answers are slow.
    """
    site = Site.of(request)
    parts: dict[str, Any] = {"stores": "ready", "model": "ready", "draining": site.hub.draining,
                             "preparing": site.hub.preparing}  # fmt: skip
    try:
        await asyncio.to_thread(_look, site)
    except StoreError as error:
        parts["stores"] = error.key
    health = await site.session.services.llm.health()
    if not health.up:
        parts["model"] = health.error.key if health.error else "down"
    good = parts["stores"] == "ready" and not site.hub.draining
    return as_json({"status": "ready" if good else "not ready", **parts}, 200 if good else 503)


def _look(site: Site) -> None:
    with site.session.services.state.read() as connection:
        connection.execute("SELECT 1 FROM conversations LIMIT 1").fetchone()


async def _metrics(request: Request) -> Response:
    """The figures of this server for Prometheus."""
    site = Site.of(request)
    text = site.metrics.text(site.hub.readers, site.hub.running)
    return Response(text, media_type="text/plain; version=0.0.4")


async def _docs(request: Request) -> Response:
    """The interface as one page, without any script or foreign address."""
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
    return HTMLResponse(interface_page(request.app.openapi()), headers=headers)


def interface_page(schema: Mapping[str, Any]) -> str:
    rows = []
    for path, methods in schema["paths"].items():
        for method, about in methods.items():
            inputs = [one["name"] for one in about.get("parameters", ())]
            body = about.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            named = str(body).rpartition("/")[2].strip("'}]") if body else ""
            cells = (method.upper(), path, about.get("description", ""), ", ".join(inputs), named)
            rows.append("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>")
    bodies = []
    for name, about in schema.get("components", {}).get("schemas", {}).items():
        fields = ", ".join(about.get("properties", ()))
        if fields:
            bodies.append(
                f"<li><b>{escape(name)}</b>: {escape(fields)}. {escape(about.get('description', ''))}</li>"
            )
    style = "body{font:15px sans-serif;margin:2em;max-width:70em}td,th{padding:.3em .8em;text-align:left;vertical-align:top}"
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Troly</title><style>{style}</style>"
        "<h1>Troly</h1><p>Send the key as <code>X-API-Key</code> or <code>Authorization: Bearer</code>. "
        'The whole description is <a href="/openapi.json">openapi.json</a>.</p>'
        "<table><tr><th>Method<th>Path<th>What it does<th>Parameters<th>Body</tr>"
        + "".join(rows)
        + "</table><h2>Bodies</h2><ul>"
        + "".join(bodies)
        + "</ul></html>"
    )


def _answer(request: Request, status: int, error: TrolyError, text: ErrorText | None = None) -> Response:
    said = text or text_of(error, lang_of(request))
    Site.of(request).metrics.error(error.key)
    return as_json(problem(status, error.key, said, request.state.request), status, retry_after(error))


async def _troly_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, TrolyError)  # noqa: S101 (registered for it)
    status = status_of(error)
    if status >= 500:
        log.warning("request failed", exc_info=error)
    return _answer(request, status, error)


async def _invalid(request: Request, error: Exception) -> Response:
    """A request of the wrong form: which field, and what is wrong with it; never what was sent."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 (registered for it)
    found = error.errors()
    broken = any(one["type"] == "json_invalid" for one in found)
    status = 400 if broken or request.url.path.startswith("/v1/") else 422
    fields = "; ".join(
        f"{'.'.join(map(str, one['loc'][1:])) or one['loc'][0]}: {one['msg']}" for one in found[:5]
    )
    return _answer(
        request, status, TrolyError("server.json" if broken else "server.form", fields=fields[:500])
    )


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 (registered for it)
    key = _BY_STATUS.get(error.status_code, "server.refused")
    limit = Site.of(request).session.services.settings.server.body_kilobytes * 1024
    return _answer(request, error.status_code, TrolyError(key, limit=limit))


async def _unexpected(request: Request, error: Exception) -> Response:
    log.error("unexpected", exc_info=error)
    text = ErrorText(tr("cli.server.unexpected", lang_of(request)), "", "")
    return _answer(request, 500, TrolyError("server.unexpected"), text)
