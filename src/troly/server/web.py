"""The real screen in a browser: a process for each visitor, shown by textual-serve's terminal, behind the same keys."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
import time
from contextlib import suppress
from html import escape
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

import psutil
from fastapi import APIRouter, Request, Response, WebSocket
from pydantic import BaseModel, Field
from starlette.responses import HTMLResponse, StreamingResponse
from starlette.websockets import WebSocketDisconnect
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from troly.conversation.session import KEY_VARIABLE
from troly.errors import AccessError
from troly.server.access import COOKIE, NoKeyError, token_of
from troly.server.site import Site, as_json, caller_of, lang_of
from troly.text.catalogue import Lang, tr

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    from troly.server.access import Caller

P = ParamSpec("P")
router = APIRouter()
STATIC = Path(str(distribution("textual-serve").locate_file("textual_serve/static")))
# Memory that stays free for everything else, and how long a process may take to end.
RESERVE, END_SECONDS = 256 * 1024 * 1024, 10.0
SMALLEST, LARGEST = 20, 500
FULL, IDLE = 1013, 1001


def free_memory() -> int:
    """Bytes that new processes may take."""
    return int(psutil.virtual_memory().available)


def _while_there(send: Callable[P, Awaitable[None]]) -> Callable[P, Awaitable[None]]:
    """`send` for a page that may have left meanwhile, which takes nothing."""

    async def sent(*args: P.args, **kwargs: P.kwargs) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            await send(*args, **kwargs)

    return sent


class VisitorScreen(AppService):
    """The process of one visitor; it is the person of the key `token`, or who is at this machine without one."""

    def __init__(self, websocket: WebSocket, downloads: DownloadManager, token: str, language: Lang) -> None:
        command = shlex.join([sys.executable, "-m", "troly", "--lang", language])
        super().__init__(
            command if sys.platform == "win32" else f"exec {command}",
            write_bytes=_while_there(websocket.send_bytes),
            write_str=_while_there(websocket.send_text),
            close=_while_there(websocket.close),
            download_manager=downloads,
        )
        self._token = token

    def _build_environment(self, width: int = 80, height: int = 24) -> dict[str, str]:
        kept = super()._build_environment(width, height) | {"TEXTUAL_FPS": "20"}
        kept.pop(KEY_VARIABLE, None)
        return kept | ({KEY_VARIABLE: self._token} if self._token else {})

    async def ended(self) -> None:
        """Return when the process has ended by itself."""
        if self._task is not None:
            await asyncio.shield(self._task)

    async def end(self) -> None:
        try:
            async with asyncio.timeout(END_SECONDS):
                await self.stop()
        except (TimeoutError, OSError):
            if self._process is not None:
                with suppress(ProcessLookupError):
                    self._process.kill()


class Screens:
    """The visitors of one server."""

    def __init__(self) -> None:
        self.downloads = DownloadManager()
        self.visitors: set[VisitorScreen] = set()
        # Processes that were begun a moment ago have not taken their memory yet.
        self._begun: list[float] = []

    def has_room(self, megabytes: int) -> bool:
        """Whether there is memory for one more visitor, who takes so much."""
        self._begun = [at for at in self._begun if time.monotonic() - at < END_SECONDS]
        return free_memory() > RESERVE + (len(self._begun) + 1) * megabytes * 1024 * 1024

    async def begin(self, screen: VisitorScreen, width: int, height: int) -> None:
        """Start a visitor's process."""
        self._begun.append(time.monotonic())
        self.visitors.add(screen)
        await screen.start(width, height)

    async def close(self) -> None:
        await asyncio.gather(*(screen.end() for screen in self.visitors), return_exceptions=True)


class GivenKey(BaseModel):
    """The key that a person typed into the page."""

    key: str = Field(max_length=200)


@router.get("/", include_in_schema=False)
async def page(request: Request) -> Response:
    """The screen; the question for a key where one is needed; a polite word where there is no room."""
    site, lang = Site.of(request), lang_of(request)
    screens: Screens = request.app.state.screens
    try:
        _allowed(await site.access.caller(dict(request.scope["headers"])))
    except (NoKeyError, AccessError):
        return _page(lang, "key", 401)
    if not screens.has_room(site.session.services.settings.server.visitor_megabytes):
        return _page(lang, "full", 503, {"Retry-After": "60"})
    return _page(lang, "screen")


@router.post("/screen/key", include_in_schema=False)
async def give_key(request: Request, given: GivenKey) -> Response:
    """Keep a good key in a cookie that only this server sees. Raises NoKeyError, AccessError."""
    _allowed(await Site.of(request).access.caller({b"x-api-key": given.key.strip().encode()}))
    answer = as_json({"status": "ok"})
    secure = request.url.scheme == "https"
    answer.set_cookie(COOKIE, given.key.strip(), httponly=True, samesite="strict", secure=secure)
    return answer


@router.get("/download/{key}", include_in_schema=False)
async def download(request: Request, key: str) -> Response:
    """A file that a screen hands to its visitor, under the key that only it knows."""
    downloads = request.app.state.screens.downloads
    try:
        about = await downloads.get_download_metadata(key)
    except KeyError:
        raise AccessError("store.not_yours") from None
    name = "".join(letter if letter.isascii() and letter not in '"\\' and letter.isprintable() else "_" for letter in about.file_name)  # fmt: skip

    async def pieces() -> AsyncIterator[bytes]:
        async for piece in downloads.download(key):
            yield piece

    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(pieces(), 200, headers, about.mime_type)


@router.websocket("/screen")
async def screen(websocket: WebSocket) -> None:
    """What a visitor types and sees; ends with the process, with the page, or after `[server] idle_minutes` without a key."""
    site, screens = Site.of(websocket), websocket.app.state.screens
    _allowed(caller_of(websocket))
    settings, query = site.session.services.settings.server, websocket.query_params
    await websocket.accept()
    if site.hub.draining or not screens.has_room(settings.visitor_megabytes):
        await websocket.close(FULL)
        return
    headers = dict(websocket.scope["headers"])
    lang: Lang = "en" if headers.get(b"accept-language", b"").lower().startswith(b"en") else "vi"
    visitor = VisitorScreen(websocket, screens.downloads, token_of(headers), lang)
    try:
        await screens.begin(visitor, _size(query.get("width"), 80), _size(query.get("height"), 24))
        typing = asyncio.create_task(_typed(websocket, visitor, site))
        await asyncio.wait((typing, asyncio.create_task(visitor.ended())), return_when="FIRST_COMPLETED")
        typing.cancel()
        await asyncio.gather(typing, return_exceptions=True)
    finally:
        await visitor.end()
        screens.visitors.discard(visitor)
        with suppress(RuntimeError, WebSocketDisconnect):
            await websocket.close(IDLE)


async def _typed(websocket: WebSocket, visitor: VisitorScreen, site: Site) -> None:
    """Pass on what comes from the page, until it leaves or nothing is typed for as long as the settings say now."""
    last = time.monotonic()
    with suppress(WebSocketDisconnect, TimeoutError, RuntimeError, KeyError):
        while True:
            idle = site.session.services.settings.server.idle_minutes * 60
            async with asyncio.timeout(last + idle - time.monotonic()):
                kind, data = _envelope(await websocket.receive_text())
            if kind == "stdin" and isinstance(data, str):
                last = time.monotonic()
                await visitor.send_bytes(data.encode("utf-8", "replace"))
            elif kind == "resize" and isinstance(data, dict):
                await visitor.set_terminal_size(_size(data.get("width"), 80), _size(data.get("height"), 24))
            elif kind == "ping":
                await websocket.send_text(json.dumps(["pong", data]))
            elif kind in ("blur", "focus"):
                await (visitor.blur() if kind == "blur" else visitor.focus())


def _envelope(text: str) -> tuple[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return "", None
    given = found if isinstance(found, list) and found and isinstance(found[0], str) else [""]
    return given[0], given[1] if len(given) > 1 else None


def _size(given: object, usual: int) -> int:
    """Cells of a side: what the page says, within reason."""
    text = str(given)
    return (
        min(LARGEST, max(SMALLEST if usual == 80 else 8, int(text)))
        if text.isdecimal() and len(text) < 6
        else usual
    )


def _allowed(caller: Caller) -> None:
    """Raise AccessError `server.screen` for a key that is for some assistants only, or only in the environment."""
    if caller.modes or caller.key.startswith("env-"):
        raise AccessError("server.screen")


def _page(lang: Lang, kind: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    def say(key: str) -> str:
        return escape(tr(f"cli.web.{key}", lang))

    body = {
        "screen": _SCREEN.format(ended=say("ended"), again=say("again"), upload=say("upload"), sending=say("sending")),
        "key": _KEY.format(ask=say("key"), enter=say("enter"), wrong=say("wrong")),
        "full": f"<div class=box><p>{say('full')}</p><a href='/'>{say('again')}</a></div>",
    }[kind]  # fmt: skip
    policy = (
        "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
        "font-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"
    )
    text = f"<!doctype html><html lang={lang}>{_HEAD}<body>{body}</body></html>"
    return HTMLResponse(text, status, {**(headers or {}), "Content-Security-Policy": policy})


_HEAD = """<meta charset=utf-8><meta name=viewport content="width=device-width, initial-scale=1"><title>Troly</title><link rel=icon href="data:,">
<link rel=stylesheet href=/static/css/xterm.css><style>
@font-face{font-family:"Roboto Mono";src:url(/static/fonts/RobotoMono-VariableFont_wght.ttf);font-weight:100 700}
@font-face{font-family:"Roboto Mono";src:url(/static/fonts/RobotoMono-Italic-VariableFont_wght.ttf);font-weight:100 700;font-style:italic}
html,body{margin:0;height:100%;background:#0c181f;color:#e8e8e8;font:16px "Roboto Mono",monospace;overflow:hidden}
.textual-terminal{position:fixed;inset:0}
.box{position:fixed;inset:0;display:flex;flex-direction:column;gap:1em;align-items:center;justify-content:center;padding:1em;text-align:center;background:#0c181f}
.box a,button{color:#0c181f;background:#8fd0c0;border:0;border-radius:4px;padding:.6em 1.2em;font:inherit;text-decoration:none;cursor:pointer}
input,select{font:inherit;padding:.5em;max-width:80vw}
#ended{display:none}.-closed #ended{display:flex}
#files{position:fixed;right:.5em;top:2.2em;opacity:.85;font-size:12px}#files summary{list-style:none;cursor:pointer;text-align:right}
@media(max-width:640px){#files summary span{display:none}#files{top:1.4em;font-size:14px}}
#files div{background:#12232d;padding:.6em;display:flex;flex-direction:column;gap:.5em}
</style>"""
_KEY = """<form class=box onsubmit="send(event)"><label for=key>{ask}</label><input id=key type=password autofocus autocomplete=off>
<button>{enter}</button><p id=wrong hidden>{wrong}</p></form><script>
async function send(event) {{
  event.preventDefault();
  const answer = await fetch("/screen/key", {{method: "POST", headers: {{"Content-Type": "application/json"}},
    body: JSON.stringify({{key: document.getElementById("key").value}})}});
  if (answer.ok) location.reload(); else document.getElementById("wrong").hidden = false;
}}</script>"""
# The terminal measures its font when it begins, so the font is waited for.
_SCREEN = """<div id=terminal class=textual-terminal></div>
<div id=ended class=box><p>{ended}</p><a href="/">{again}</a></div>
<details id=files><summary>⇪<span> {upload}</span></summary><div><select id=kind></select><input type=file id=file><output id=said></output></div></details>
<script>
const terminal = document.getElementById("terminal"), said = document.getElementById("said");
terminal.dataset.sessionWebsocketUrl = location.origin.replace(/^http/, "ws") + "/screen";
terminal.dataset.fontSize = new URLSearchParams(location.search).get("fontsize") || (innerWidth < 600 ? 11 : 15);
</script><script src=/static/js/textual.js></script><script>
const begin = window.onload;
window.onload = event => Promise.all(["", "bold ", "italic "].map(style => document.fonts.load(style + "16px 'Roboto Mono'", "ạẵ┃")))
  .finally(() => {{
    begin(event);
    const shown = setInterval(() => {{
      if (!document.body.classList.contains("-first-byte")) return;
      clearInterval(shown);
      document.querySelector(".xterm-helper-textarea").focus();
    }}, 50);
  }});
document.getElementById("files").addEventListener("toggle", async () => {{
  const kind = document.getElementById("kind");
  if (kind.length) return;
  kind.add(new Option("knowledge/documents"));
  const {{modes}} = await (await fetch("/api/v1/modes")).json();
  for (const mode of modes) for (const name of mode.ingests) kind.add(new Option(mode.id + "/" + name));
}});
document.getElementById("file").addEventListener("change", async event => {{
  const form = new FormData();
  form.append("file", event.target.files[0]);
  said.textContent = "{sending}";
  let answer = await fetch("/api/v1/ingest/" + document.getElementById("kind").value, {{method: "POST", body: form}});
  let state = await answer.json();
  while (state.status === "running") {{
    await new Promise(done => setTimeout(done, 500));
    state = await (await fetch("/api/v1/uploads/" + state.id)).json();
  }}
  said.textContent = state.summary || state.message || state.status || (state.error && state.error.message);
}});
</script>"""
