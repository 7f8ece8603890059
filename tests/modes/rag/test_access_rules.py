"""Who may see what: scopes, departments, and what nobody was given."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.stores.services import profile
from troly.paths import Paths
from troly_rag.config import SCOPES, RagConfig, load
from troly_rag.corpus.access import label, may_see, only, unlabel, user_context

CONFIG: RagConfig = load(Paths.resolve({"TROLY_HOME": "/nowhere/troly"}))
DEPARTMENTS = ("hr", "it", "general", "sales")


def person(*permissions: str, department: str = "") -> tuple[frozenset[str], frozenset[str]]:
    member = replace(profile(), permissions=frozenset(permissions), department=department)
    user = user_context(member, CONFIG)
    return user.permissions, user.accessible_departments


def test_private_implies_internal_and_public_is_for_everybody() -> None:
    assert person("private")[0] == {"private", "internal", "public"}
    assert person("public", "private")[0] == set(SCOPES)
    assert person("internal")[0] == {"internal", "public"}
    assert person("public")[0] == {"public"}


@pytest.mark.parametrize("permissions", [(), ("admin",), ("private ", "x")])
def test_words_that_are_no_scope_open_nothing(permissions: tuple[str, ...]) -> None:
    wanted = set(SCOPES) if "private " in permissions else {"public"}
    assert person(*permissions)[0] == wanted


def test_what_was_granted_is_shown_as_it_was_granted() -> None:
    member = replace(profile(), permissions=frozenset({"private", "public"}), department="Nhân sự")
    user = user_context(member, CONFIG)
    assert user.user_access == ("public", "private")
    assert user.scopes == SCOPES
    assert (user.user_id, user.department) == ("an", "hr")


def test_departments_are_explicit() -> None:
    assert person(department="hr")[1] == {"hr", "it", "general"}
    assert person(department="IT")[1] == {"it", "general"}
    assert person(department="sales")[1] == {"sales", "general"}
    assert person()[1] == {"general"}


@given(
    permissions=st.sets(st.sampled_from([*SCOPES, "root", ""])),
    department=st.sampled_from(["", *DEPARTMENTS]),
    scope=st.sampled_from([*SCOPES, "", "secret"]),
    departments=st.sets(st.sampled_from(DEPARTMENTS)),
)
def test_a_department_bars_what_is_private_and_what_is_for_it_alone(
    permissions: set[str], department: str, scope: str, departments: set[str]
) -> None:
    user = user_context(replace(profile(), permissions=frozenset(permissions), department=department), CONFIG)
    assert unlabel(label(scope, departments)) == (scope, tuple(sorted(departments)))
    granted = permissions & set(SCOPES) | {"public"} | ({"internal"} if "private" in permissions else set())
    near = not departments or bool(departments & user.accessible_departments)
    assert may_see(user, scope, departments) == (scope in granted and (scope != "private" or near))
    closed = scope in granted and (scope == "public" or near)
    assert may_see(user, scope, only(departments)) == closed
    assert may_see(replace(user, internal_only=frozenset(departments)), scope, departments) == closed
