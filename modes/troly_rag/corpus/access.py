"""Who may see what: scopes and departments, decided before any search (004-03, 004-33, ruling C4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from troly.config.users import Profile
from troly_rag.config import SCOPES, AccessRules, RagConfig

# Before the name of a department that a document is only for.
_ONLY = "!"


@dataclass(frozen=True, slots=True)
class UserContext:
    """The person who asks (004-03). `permissions` are scopes; `accessible_departments` is explicit, deny by default.

    `user_context` builds it and applies that private implies internal (C4); `stated` are the scopes without that,
    `internal_only` the departments whose internal documents are for those alone who reach them.
    """

    user_id: str
    tenant_id: str
    permissions: frozenset[str]
    department: str
    accessible_departments: frozenset[str]
    stated: frozenset[str] = frozenset()
    internal_only: frozenset[str] = frozenset()

    def as_dict(self) -> dict[str, Any]:
        """`user_context` as documented (004-03)."""
        return {
            "user_id": self.user_id,
            "tenant_id": self.tenant_id,
            "permissions": list(self.user_access),
            "department": self.department,
        }

    @property
    def scopes(self) -> tuple[str, ...]:
        """All scopes that may be read, in the order public, internal, private."""
        return tuple(scope for scope in SCOPES if scope in self.permissions)

    def may_know_of(self, closed: int) -> int:
        """How many of so many `closed` documents are told to be there: none to one who is no member of the staff."""
        return 0 if is_guest(self.permissions) else closed

    @property
    def user_access(self) -> tuple[str, ...]:
        """The scopes as they were granted, without the implied ones (004-13)."""
        return tuple(scope for scope in SCOPES if scope in self.stated)


def is_guest(scopes: Iterable[str]) -> bool:
    """Whether who may read `scopes` is no member of the staff."""
    return set(scopes) <= {"public"}


def user_context(profile: Profile, config: RagConfig) -> UserContext:
    """What `profile` may see. Words among its permissions that are no scope grant nothing."""
    department = config.access.department(profile.department)
    named = {word.strip().casefold() for word in profile.permissions}
    stated = frozenset(named & set(SCOPES)) if named else config.access.default_permissions
    return UserContext(
        user_id=profile.login,
        tenant_id=config.access.tenant_id,
        permissions=effective_scopes(stated),
        department=department,
        accessible_departments=reachable_departments(department, config.access),
        stated=stated,
        internal_only=config.access.internal_only,
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

    A department says who wrote a document. It bars what is private, and what is internal only where its name is marked
    as the one audience (`only`), or stands in `internal_only` of agents.toml (C4).
    """
    named = frozenset(departments)
    barring = frozenset(
        one for one in named if scope == "private" or one.startswith(_ONLY) or one in user.internal_only
    )
    reached = not barring or any(one.removeprefix(_ONLY) in user.accessible_departments for one in barring)
    return scope in user.permissions and (scope == "public" or reached)


def only(departments: Iterable[str]) -> tuple[str, ...]:
    """The departments marked as the one audience of a document, whatever its scope."""
    return tuple(f"{_ONLY}{one.removeprefix(_ONLY)}" for one in departments)


def label(scope: str, departments: Iterable[str]) -> str:
    """Scope and departments as the one word that is stored with each chunk and filtered inside the search."""
    return f"{scope}:{'+'.join(sorted(departments))}"


def unlabel(text: str) -> tuple[str, tuple[str, ...]]:
    """Scope and departments of a label; a label that is none gives a scope that nobody has."""
    scope, _, departments = text.partition(":")
    return scope, tuple(department for department in departments.split("+") if department)
