"""Who you are: the login, its profile, and when one may act as somebody else."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.config.problems import SettingsError
from troly.config.settings import IdentitySettings, Settings
from troly.config.users import (
    Profile,
    check_users,
    current_login,
    load_profile,
    may_impersonate,
    require_impersonation,
)
from troly.errors import AccessError, InputError
from troly.paths import Paths
from troly.text.catalogue import LANGS

AN = {"USER": "an"}
USERS = """
[users.an]
name = "Nguyễn An"
role = "TENANT"
permissions = ["public", "private"]
department = "hr"
language = "vi"

[users."bình"]
role = "admin"
"""


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    found = Paths.resolve({"TROLY_HOME": str(tmp_path)})
    found.ensure()
    return found


def asking(impersonation: str) -> Settings:
    return Settings(identity=IdentitySettings(impersonation))  # type: ignore[arg-type]


def test_the_login_has_its_profile(paths: Paths) -> None:
    paths.users_file.write_text(USERS, encoding="utf-8")
    assert load_profile(paths, Settings(), env=AN) == Profile(
        "an", "Nguyễn An", "TENANT", frozenset({"public", "private"}), "hr", "vi"
    )
    assert load_profile(paths, Settings(), login="bình", env=AN).role == "admin"
    decomposed = load_profile(paths, Settings(), login="bi\u0300nh", env=AN)
    assert (decomposed.login, decomposed.role) == ("bình", "admin")


def test_a_login_without_an_entry_is_plain_staff(paths: Paths) -> None:
    plain = Profile("cúc", "cúc", "staff", frozenset(), "", "auto")
    paths.users_file.write_text(USERS, encoding="utf-8")
    assert load_profile(paths, Settings(), login="cúc", env=AN) == plain


def test_without_a_users_file_one_is_staff_and_reads_what_is_internal(paths: Paths) -> None:
    found = load_profile(paths, Settings(), env={"LOGNAME": "cúc", "USER": "an"})
    assert found == Profile("cúc", "cúc", "staff", frozenset({"internal"}), "", "auto")


@pytest.mark.parametrize(
    "written", ['permissions = ["internal"]', 'department = "hr"', '[an]\nrole = "TENANT"']
)
def test_an_entry_without_its_section_is_shown_the_right_form(paths: Paths, written: str) -> None:
    paths.users_file.write_text(written + "\n", encoding="utf-8")
    assert [problem.example for problem in check_users(paths)] == ["[users.an]"]


def test_a_process_without_any_name_still_has_one(paths: Paths) -> None:
    assert current_login(paths, Settings(), {})
    assert current_login(paths, Settings(), {"USER": "a\x1b[0m"})
    assert "\x1b" not in current_login(paths, Settings(), {"USER": "a\x1b[0m"})


def test_a_private_folder_lets_act_as_others_and_a_shared_one_does_not(paths: Paths) -> None:
    assert may_impersonate(paths, Settings())
    for shared in (0o750, 0o701, 0o770, 0o777):
        paths.data.chmod(shared)
        assert not may_impersonate(paths, Settings())
    assert may_impersonate(paths, asking("yes"))
    paths.data.chmod(0o700)
    assert not may_impersonate(paths, asking("no"))


def test_a_folder_that_is_not_there_yet_will_be_private(tmp_path: Path) -> None:
    assert may_impersonate(Paths.resolve({"TROLY_HOME": str(tmp_path / "new")}), Settings())


def test_refusal_names_the_setting(paths: Paths) -> None:
    with pytest.raises(AccessError) as caught:
        load_profile(paths, asking("no"), login="bình")
    assert caught.value.exit_code == 7
    for lang in LANGS:
        text = caught.value.render(lang)
        assert "bình" in text.message
        assert "impersonation" in text.remedy
        assert str(paths.config_file) in text.remedy
    with pytest.raises(AccessError):
        require_impersonation(paths, asking("no"), "role=admin")


def test_a_variable_cannot_stand_for_a_login_where_impersonation_is_off(paths: Paths) -> None:
    true_login = current_login(paths, asking("no"), {})
    assert current_login(paths, asking("no"), {"USER": "boss", "LOGNAME": "boss"}) == true_login
    assert load_profile(paths, asking("no"), login=true_login, env={"USER": "boss"}).login == true_login
    with pytest.raises(AccessError):
        load_profile(paths, asking("no"), login="boss", env={"USER": "boss"})


@pytest.mark.parametrize("login", ["", "  ", "a\nb", "x" * 101, "a\u202eb"])
def test_what_is_no_login(paths: Paths, login: str) -> None:
    with pytest.raises(InputError):
        load_profile(paths, Settings(), login=login, env=AN)


def test_claims_replace_only_what_they_name() -> None:
    base = Profile("an", "An", "staff", frozenset({"public"}), "hr", "vi")
    assert base.with_claims() == base
    claimed = base.with_claims(role="admin", permissions=["private", "private"], department="")
    assert claimed == Profile("an", "An", "admin", frozenset({"private"}), "", "vi")


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ('[user.an]\nrole = "x"', "user", "users"),
        ("zzz = 1", "zzz", "zzz"),
        ("users = 1", "users", "[users.an]"),
        ("[users]\nan = 1", "users.an", "[users.an]"),
        ('[users.an]\nrol = "x"', "users.an.rol", "role"),
        ("[users.an]\nrole = 1", "users.an.role", "role ="),
        ('[users.an]\nname = ""', "users.an.name", "name ="),
        ('[users.an]\npermissions = "public"', "users.an.permissions", '["public"]'),
        ("[users.an]\npermissions = [1]", "users.an.permissions", '["public"]'),
        ('[users.an]\nlanguage = "fr"', "users.an.language", "auto, vi, en"),
        ('[users.an]\ndepartment = "a\\nb"', "users.an.department", "department ="),
        ("[users.an", "", "line 1"),
    ],
)
def test_a_wrong_users_file(paths: Paths, text: str, key: str, words: str) -> None:
    paths.users_file.write_text(text, encoding="utf-8")
    (problem,) = check_users(paths)
    assert problem.key == key
    with pytest.raises(SettingsError) as caught:
        load_profile(paths, Settings(), env=AN)
    line = caught.value.render("en").line()
    assert str(paths.users_file) in line
    assert words in line
    assert caught.value.render("vi").line() != line


@given(st.text(max_size=20), st.text(max_size=20))
def test_any_environment_gives_a_printable_login(logname: str, user: str) -> None:
    nowhere = Path("/nowhere/troly")
    login = current_login(Paths(nowhere, nowhere, nowhere), Settings(), {"LOGNAME": logname, "USER": user})
    assert login
    assert login.isprintable()
    assert login == login.strip()
