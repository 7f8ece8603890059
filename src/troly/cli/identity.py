"""Who asks: the login's own profile, or another one where the settings allow to speak for others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from troly.cli.invocation import Invocation
    from troly.config import Profile


@dataclass(frozen=True, slots=True)
class Claim:
    """What a command line or a JSON line says about the person; None where it says nothing."""

    user: str | None = None
    role: str | None = None
    permissions: frozenset[str] | None = None
    department: str | None = None


def profile_for(invocation: Invocation, own: Profile, claim: Claim) -> Profile:
    """The profile that `claim` asks for.

    Naming oneself is always allowed; anything else only where impersonation is. Raises AccessError, InputError for
    a login that is none, ConfigError for a wrong users file.
    """
    from troly.config import load_profile, require_impersonation

    paths, settings, env = invocation.paths, invocation.settings, invocation.env
    base = own if claim.user is None else load_profile(paths, settings, login=claim.user, env=env)
    if claim.role is None and claim.permissions is None and claim.department is None:
        return base
    require_impersonation(paths, settings, claim.role or base.login, env)
    return base.with_claims(claim.role, claim.permissions, claim.department)
