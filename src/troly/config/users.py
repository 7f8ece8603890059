"""Who the person at the keyboard is: the login of this machine, mapped to a profile in the users file or the shared database."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from troly.config.problems import ConfigProblem, Origin, SettingsError, nearest, shown
from troly.config.settings import Language, Settings
from troly.config.toml_file import TomlFile, read_toml
from troly.errors import AccessError, InputError
from troly.paths import Paths

DEFAULT_ROLE = "staff"
# Without a users file there is one person, a member of the staff: what is internal is for all of them.
STAFF_PERMISSIONS = frozenset({"internal"})
# Who sees and answers everybody's hand-overs: this role, or anybody with this permission.
LEAD, HANDOFFS = "lead", "handoffs"
UNKNOWN_LOGIN = "unknown"
LONGEST = 100
# The order in which Python and the system's tools look for a login name.
LOGIN_VARIABLES = ("LOGNAME", "USER", "LNAME", "USERNAME")
# What is said of each login, by the fields of a users file.
Entries: TypeAlias = Mapping[str, Mapping[str, Any]]
_EXAMPLES = {
    "name": 'name = "Nguyễn An"',
    "role": 'role = "staff"',
    "permissions": 'permissions = ["public"]',
    "department": 'department = "hr"',
    "language": 'language = "vi"',
}


@dataclass(frozen=True)
class Profile:
    """One person: login, shown name, role, permissions, department ("" when none) and preferred language.

    `role_told`: somebody said the role; of a login that nobody lists it is only the one whose rights it has.
    """

    login: str
    name: str
    role: str = DEFAULT_ROLE
    permissions: frozenset[str] = frozenset()
    department: str = ""
    language: Language = "auto"
    role_told: bool = field(default=True, compare=False)

    @property
    def known_role(self) -> str:
        """The role as a model is told it; "-" where nobody said it."""
        return self.role if self.role_told else "-"

    @property
    def answers_customers(self) -> bool:
        """Whether this person sees, takes and answers everybody's hand-overs."""
        return self.role == LEAD or HANDOFFS in self.permissions

    def with_claims(
        self, role: str | None = None, permissions: Iterable[str] | None = None, department: str | None = None
    ) -> Profile:
        """The profile with what a request says of itself; None keeps what the users file says.

        Call `require_impersonation` first: a claim is as much as acting for somebody else.
        """
        return replace(
            self,
            role=self.role if role is None else role,
            role_told=self.role_told or role is not None,
            permissions=self.permissions if permissions is None else frozenset(permissions),
            department=self.department if department is None else department,
        )


def load_profile(
    paths: Paths,
    settings: Settings,
    login: str | None = None,
    env: Mapping[str, str] | None = None,
    shared: Entries | None = None,
) -> Profile:
    """The profile of `login`, or of the person at the keyboard, from the users file or the entries of a `shared` database.

    A login that has no entry gets a plain profile without permissions; where nobody has one everybody has those of the staff.

    Raises AccessError when another login is asked for and impersonation is not allowed, SettingsError for a wrong
    users file, InputError for a login that is none.
    """
    own = current_login(paths, settings, env)
    if login is not None:
        login = _clean_login(login)
        if login != own:
            require_impersonation(paths, settings, login, env)
    wanted = login or own
    listed = bool(shared) if shared is not None else paths.users_file.exists()
    entry: Mapping[str, Any] = load_entries(paths, shared).get(wanted, {})
    return Profile(
        login=wanted,
        name=entry.get("name", wanted),
        role=entry.get("role", DEFAULT_ROLE),
        permissions=frozenset(entry.get("permissions", ())) if listed else STAFF_PERMISSIONS,
        department=entry.get("department", ""),
        language=entry.get("language", "auto"),
        role_told="role" in entry or wanted == own,
    )


def load_entries(paths: Paths, shared: Entries | None = None) -> Entries:
    """What the users file, or the `shared` database, says of each login. Raises SettingsError."""
    file = read_toml(paths.users_file) if shared is None else _shared(shared)
    problems = [*file.problems, *_problems(file)]
    if problems:
        raise SettingsError(problems)
    return {unicodedata.normalize("NFC", key): entry for key, entry in file.tables.get("users", {}).items()}


def _shared(entries: Entries) -> TomlFile:
    return TomlFile(Path("app users"), {"users": entries})


def check_users(paths: Paths) -> list[ConfigProblem]:
    """Everything that is wrong with the users file; none when there is no file."""
    file = read_toml(paths.users_file)
    return [*file.problems, *_problems(file)]


def check_entry(login: str, entry: Mapping[str, Any]) -> str:
    """The login as it is kept. Raises SettingsError for a wrong entry, InputError for a login that is none."""
    login = _clean_login(login)
    problems = [
        problem._replace(origin=Origin("option", f"--{problem.key.rpartition('.')[2].removesuffix('s')}"))
        for problem in _problems(_shared({login: entry}))
    ]
    if problems:
        raise SettingsError(problems)
    return login


def may_impersonate(paths: Paths, settings: Settings) -> bool:
    """Whether one may act as another login.

    "auto" allows it where the data folder is the current user's own and closed to everybody else (a folder that is
    not there yet will be made so): who owns the files can read them anyway. A shared folder forbids it.
    """
    asked = settings.identity.impersonation
    if asked != "auto":
        return asked == "yes"
    if os.name == "nt":
        return True
    try:
        found = paths.data.stat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)


def require_impersonation(
    paths: Paths, settings: Settings, wanted: str, env: Mapping[str, str] | None = None
) -> None:
    """Raise AccessError unless the settings let this person act as `wanted` (a login or a claimed role)."""
    if not may_impersonate(paths, settings):
        own = current_login(paths, settings, env)
        raise AccessError("access.impersonation", wanted=shown(wanted), own=own, file=paths.config_file)


def current_login(paths: Paths, settings: Settings, env: Mapping[str, str] | None = None) -> str:
    """The login name of this process; never fails.

    Where impersonation is allowed the environment may name it, as other programs do. Where it is not, the account
    that the system knows counts: anybody can set a variable.
    """
    account = _account()
    env = os.environ if env is None else env
    if account and not may_impersonate(paths, settings):
        return account
    named = next((env[name].strip() for name in LOGIN_VARIABLES if env.get(name, "").strip()), "")
    try:
        return _clean_login(named or account or UNKNOWN_LOGIN)
    except InputError:
        return account or UNKNOWN_LOGIN


def _account() -> str:
    """The system's name for the user of this process; "" where there is no account database or no entry."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return ""


def _clean_login(login: str) -> str:
    login = unicodedata.normalize("NFC", login.strip())
    if not login or len(login) > LONGEST or not login.isprintable():
        raise InputError("identity.login", login=shown(login), longest=LONGEST)
    return login


def _problems(file: TomlFile) -> Iterator[ConfigProblem]:
    for name, node in file.tables.items():
        if name != "users" and isinstance(node, Mapping) and node and set(node) <= set(_EXAMPLES):
            # An entry without its section: the right form is named.
            yield _wrong(file, name, "table", node, f"[users.{shown(name)}]")
        elif name in _EXAMPLES:  # a key of an entry, above any section
            yield _wrong(file, name, "table", node, "[users.an]")
        elif name != "users":
            close = nearest(name, ["users"])
            yield _problem(file, "misspelt" if close else "unknown", name, nearest=close)
        elif not isinstance(node, Mapping):
            yield _wrong(file, "users", "table", node, "[users.an]")
        else:
            for login, entry in node.items():
                yield from _entry_problems(file, f"users.{login}", entry)


def _entry_problems(file: TomlFile, key: str, entry: object) -> Iterator[ConfigProblem]:
    if not isinstance(entry, Mapping):
        yield _wrong(file, key, "table", entry, f"[{shown(key)}]")
        return
    for name, value in entry.items():
        inner = f"{key}.{name}"
        if name not in _EXAMPLES:
            close = nearest(name, list(_EXAMPLES))
            yield _problem(file, "misspelt" if close else "unknown", inner, nearest=close)
        elif name == "permissions":
            if not isinstance(value, list) or not all(_is_line(item) for item in value):
                yield _wrong(file, inner, "list", value, _EXAMPLES[name])
        elif name == "language":
            if value not in ("auto", "vi", "en"):
                yield _wrong(file, inner, "choice", value, _EXAMPLES[name], options="auto, vi, en")
        elif not _is_line(value):
            yield _wrong(file, inner, "words", value, _EXAMPLES[name], longest=LONGEST)


def _is_line(value: object) -> bool:
    return isinstance(value, str) and len(value.strip()) > 0 and len(value) <= LONGEST and value.isprintable()


def _problem(file: TomlFile, code: str, key: str, **details: Any) -> ConfigProblem:
    return ConfigProblem(code, file.origin, shown(key), line=file.line_of(key), **details)


def _wrong(
    file: TomlFile, key: str, expects: str, found: object, example: str, **limits: object
) -> ConfigProblem:
    return _problem(file, "value", key, expects=expects, limits=limits, found=shown(found), example=example)
