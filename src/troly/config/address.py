"""Ollama's address as people write it, brought to one form: `http://host:port`."""

from __future__ import annotations

import re

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 11434
HIGHEST_PORT = 65535
# "Every address of this machine" is where a server listens; a client must call one of them.
LISTEN_ALL = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]", "[::0]": "[::1]"}  # noqa: S104 (not bound, replaced)
# Text until an address is read: compiling it would be paid at every start.
_ADDRESS = r"""(?xai)
        (?:(?P<scheme>https?)://)?
        (?:(?P<account>[^\s/@]+)@)?
        (?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]*)
        (?::(?P<port>[0-9]{1,5}))?
        (?P<path>/[^\s?#]*)?"""
_BARE_IPV6 = r"[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*"


def normalise(text: str, port: int | None = None) -> str:
    """`text` as a URL without a trailing slash; applied twice it changes nothing more.

    Takes `host`, `host:port`, `:port`, `http://host…`, an IPv6 address, and the address a server listens on
    (0.0.0.0 becomes 127.0.0.1). Where no port is written `port` is used, else 11434; a full URL without a port keeps
    its scheme's own port, as Ollama reads it. Raises ValueError when it is no http address.
    """
    text = text.strip().strip("\"'").strip()
    if re.fullmatch(_BARE_IPV6, text):
        text = f"[{text}]"
    found = re.fullmatch(_ADDRESS, text)
    if not text or not found:
        raise ValueError(text)
    host = (found["host"] or DEFAULT_HOST).lower()
    if host.startswith("["):
        from ipaddress import IPv6Address

        IPv6Address(host[1:-1])
    if found["scheme"] and not found["host"] and not found["port"]:
        raise ValueError(text)
    written = int(found["port"]) if found["port"] else port
    if written is None and not found["scheme"]:
        written = DEFAULT_PORT
    if written is not None and not 1 <= written <= HIGHEST_PORT:
        raise ValueError(text)
    account = f"{found['account']}@" if found["account"] else ""
    tail = f":{written}" if written is not None else ""
    scheme = (found["scheme"] or "http").lower()
    return f"{scheme}://{account}{LISTEN_ALL.get(host, host)}{tail}{(found['path'] or '').rstrip('/')}"
