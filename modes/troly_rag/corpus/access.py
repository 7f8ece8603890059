"""Who may see what: scopes and departments, decided before any search (004-03, 004-33, ruling C4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from troly.config import Profile
from troly_rag.config import SCOPES, AccessRules, RagConfig

TENANT = "local"
"""The one tenant of an installation: its data folder."""


@dataclass(frozen=True, slots=True)
class UserContext:
    """The person who asks (004-03). `permissions` are scopes; `accessible_departments` is explicit, deny by default.

    `user_context` builds it and applies that private implies internal (C4); `stated` are the scopes without that.
    """

    user_id: str
    tenant_id: str
    permissions: frozenset[str]
    department: str
    accessible_departments: frozenset[str]
    stated: frozenset[str] = frozenset()

    @property
    def scopes(self) -> tuple[str, ...]:
        """All scopes that may be read, in the order public, internal, private."""
        return tuple(scope for scope in SCOPES if scope in self.permissions)

    @property
    def user_access(self) -> tuple[str, ...]:
        """The scopes as they were granted, without the implied ones (004-13)."""
        return tuple(scope for scope in SCOPES if scope in self.stated)


def user_context(profile: Profile, config: RagConfig) -> UserContext:
    """What `profile` may see. Words among its permissions that are no scope grant nothing."""
    department = config.access.department(profile.department)
    named = {word.strip().casefold() for word in profile.permissions}
    stated = frozenset(named & set(SCOPES)) if named else config.access.default_permissions
    return UserContext(
        user_id=profile.login,
        tenant_id=TENANT,
        permissions=effective_scopes(stated),
        department=department,
        accessible_departments=reachable_departments(department, config.access),
        stated=stated,
    )


def effective_scopes(stated: Iterable[str]) -> frozenset[str]:
    """The scopes that `stated` ones open: private implies internal (C4), and what is public is for everybody."""
    found = set(stated) | {"public"}
    return frozenset(found | {"internal"} if "private" in found else found)


def reachable_departments(department: str, rules: AccessRules) -> frozenset[str]:
    """The departments whose documents a member of `department` reaches: its own, the listed and the common ones."""
    own = {department} if department else set()
    return frozenset(own | rules.departments.get(department, frozenset()) | rules.common_departments)


def may_see(user: UserContext, scope: str, departments: Iterable[str]) -> bool:
    """Whether a document of `scope` and `departments` (none: all of the company) is for `user`; else it is denied.

    What is public is for everybody, whichever department wrote it; internal and private need the department too.
    """
    named = frozenset(departments)
    near = scope == "public" or not named or bool(named & user.accessible_departments)
    return scope in user.permissions and near


def label(scope: str, departments: Iterable[str]) -> str:
    """Scope and departments as the one word that is stored with each chunk and filtered inside the search."""
    return f"{scope}:{'+'.join(sorted(departments))}"


def unlabel(text: str) -> tuple[str, tuple[str, ...]]:
    """Scope and departments of a label; a label that is none gives a scope that nobody has."""
    scope, _, departments = text.partition(":")
    return scope, tuple(department for department in departments.split("+") if department)
