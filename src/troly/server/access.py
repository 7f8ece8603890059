"""Who asks: the key of a request becomes a person with rights, or the request is refused."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from starlette.requests import cookie_parser

from troly.config.users import Profile
from troly.errors import AccessError
from troly.stores.api_keys import ApiKeys, digest
from troly.text.sanitize import sanitize

if TYPE_CHECKING:
    from troly.conversation.session import Session

# A key is looked up again after so many seconds: a revoked one stops working within them.
REMEMBERED = 2.0
_MOST = 10_000
# Rights of keys: who may act for others, and load files.
ACT_AS, INGEST = "act-as", "ingest"
KEY_RATE = 600
COOKIE = "troly_key"


class NoKeyError(AccessError):
    """The key is missing, unknown, expired or revoked: the same answer for all."""


class RateError(AccessError):
    """The key asked too often; `params["seconds"]` is how long to wait."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The person of one request. `modes` () are all assistants; `key` is "" for who sits at this machine."""

    profile: Profile
    key: str = ""
    modes: tuple[str, ...] = ()

    def may_use(self, mode: str) -> bool:
        """Whether the key is for this assistant."""
        return not self.modes or mode in self.modes

    def require(self, mode: str) -> None:
        """Raise AccessError `server.mode` unless the key is for this assistant."""
        if not self.may_use(mode):
            raise AccessError("server.mode", mode=sanitize(mode)[:60])

    @property
    def staff(self) -> bool:
        """Whether everybody's hand-overs may be seen and taken."""
        return not self.key or self.profile.answers_customers

    @property
    def may_ingest(self) -> bool:
        """Whether files may be loaded."""
        return not self.key or INGEST in self.profile.permissions


class TokenBucket:
    """`rate` requests a minute, all of them at once if they were saved up."""

    def __init__(self, rate: int) -> None:
        self._rate = rate / 60
        self._most = float(rate)
        self._left = float(rate)
        self._at = time.monotonic()

    def take(self) -> float:
        """0.0 where a request may go on, else the seconds until one may."""
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left >= 1:
            self._left -= 1
            return 0.0
        return (1 - self._left) / self._rate


class Access:
    """Knows the keys. `open_here` lets a request without any key be the person of the session."""

    def __init__(self, session: Session, *, open_here: bool) -> None:
        self._keys = ApiKeys(session.services.state, session.services.clock)
        self._open = session.profile if open_here else None
        self._fixed = fixed_keys(session.services.settings.server.api_keys)
        self._remembered: dict[bytes, tuple[float, Caller, int]] = {}
        self._buckets: dict[str, TokenBucket] = {}

    async def caller(self, headers: Mapping[bytes, bytes]) -> Caller:
        """Who sends these headers. Raises NoKeyError, RateError, AccessError `server.act_as`."""
        token = token_of(headers)
        if not token:
            if self._open is None:
                raise NoKeyError("server.key")
            return Caller(self._open)
        caller, rate = await self._known(token)
        bucket = self._buckets.get(caller.key)
        if bucket is None:
            bucket = self._buckets[caller.key] = TokenBucket(rate)
        wait = bucket.take()
        if wait:
            raise RateError("server.rate", seconds=max(1, round(wait + 0.5)))
        wanted = headers.get(b"x-act-as", b"").decode("utf-8", "replace").strip()
        if not wanted:
            return caller
        if ACT_AS not in caller.profile.permissions or len(wanted) > 100 or not wanted.isprintable():
            raise AccessError("server.act_as")
        # As somebody else one has no rights but to be that person.
        return replace(caller, profile=Profile(wanted, wanted))

    async def _known(self, token: str) -> tuple[Caller, int]:
        name, now = digest(token), time.monotonic()
        found = self._remembered.get(name)
        if found is None or found[0] < now:
            key = await asyncio.to_thread(self._keys.find, token)
            caller = None
            if key is not None:
                profile = Profile(key.user, key.user, key.role, key.permissions, key.department)
                caller = Caller(profile, key.id, key.modes)
            # Of the keys in the settings all are compared, in the same time.
            for one, person in self._fixed.items() if key is None else ():
                caller = person if secrets.compare_digest(one, name) else caller
            if caller is None:
                raise NoKeyError("server.key")
            if len(self._remembered) >= _MOST:
                self._remembered.clear()
            rate = key.rate if key is not None else KEY_RATE
            found = self._remembered[name] = (now + REMEMBERED, caller, rate)
        return found[1], found[2]


def fixed_keys(setting: str | None) -> dict[bytes, Caller]:
    """The keys of `X_API_KEYS` (000-64) by their hash: `login:key` with commas; one without a login is a person of its own."""
    found = {}
    for entry in (setting or "").split(","):
        login, colon, secret = entry.strip().rpartition(":")
        if secret:
            name = hashlib.sha256(secret.encode()).hexdigest()[:12]
            user = login.strip() if colon and login.strip() else f"api-{name}"
            found[digest(secret)] = Caller(Profile(user, user), f"env-{name}")
    return found


def token_of(headers: Mapping[bytes, bytes]) -> str:
    """The key in `X-API-Key`, `Authorization: Bearer`, or the cookie of the page; "" where there is none."""
    given = headers.get(b"x-api-key")
    if given is None:
        kind, _, given = headers.get(b"authorization", b"").partition(b" ")
        if kind.lower() != b"bearer":
            return cookie_parser(headers.get(b"cookie", b"").decode("latin-1")).get(COOKIE, "")
    return given.decode("latin-1").strip()
