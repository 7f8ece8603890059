"""What `app doctor` looks at: the program, the folders, the settings, the stores, the models, the modes, the terminal."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from troly.cli.check_models import check_models
from troly.cli.check_sandbox import check_sandbox
from troly.cli.check_stores import check_stores
from troly.cli.config import problems_of
from troly.cli.findings import Finding, from_error
from troly.cli.invocation import Invocation
from troly.config import load_profile, may_impersonate
from troly.errors import TrolyError
from troly.plugin.registry import Registry

OLDEST_PYTHON = (3, 11)
GIGABYTE = 1_000_000_000
ENOUGH_DISK, LITTLE_DISK = 2.0, 0.2
SMALLEST_SCREEN = (60, 20)
Check = Callable[[Invocation], Iterator[Finding]]


def all_checks(invocation: Invocation) -> Iterator[Finding]:
    """Every finding, in the order to show; none of the checks raises for what it looks at."""
    checks: tuple[Check, ...] = (
        check_python,
        check_folders,
        check_settings,
        check_identity,
        check_stores,
        check_models,
        check_modes,
        check_sandbox,
        check_terminal,
    )
    for check in checks:
        try:
            yield from check(invocation)
        except TrolyError as error:
            yield from_error("failure", check.__name__.removeprefix("check_"), error.render(invocation.lang))


def check_python(invocation: Invocation) -> Iterator[Finding]:
    """Python and Troly themselves."""
    from importlib.metadata import version

    right = sys.version_info[:2] >= OLDEST_PYTHON
    yield Finding(
        "ok" if right else "failure",
        "python",
        f"Python {platform.python_version()}, Troly {version('troly')}, {platform.system()} {platform.machine()}",
        "" if right else invocation.say("doctor.python.old"),
    )


def check_folders(invocation: Invocation) -> Iterator[Finding]:
    """The folders exist or can be made, and the disk has room."""
    say, paths = invocation.say, invocation.paths
    try:
        paths.ensure()
    except TrolyError as error:
        yield from_error("failure", "folders", error.render(invocation.lang))
    for name, folder in (("data", paths.data), ("config", paths.config), ("cache", paths.cache)):
        if folder.is_dir():
            yield Finding("ok", name, str(folder))
    free = shutil.disk_usage(_nearest(paths.data)).free / GIGABYTE
    level = "ok" if free >= ENOUGH_DISK else "warning" if free >= LITTLE_DISK else "failure"
    yield Finding(
        level,  # type: ignore[arg-type]  # one of three literals
        "disk",
        say("doctor.disk.free", free=f"{free:.1f}"),
        "" if level == "ok" else say("doctor.disk.remedy"),
    )


def check_settings(invocation: Invocation) -> Iterator[Finding]:
    """The settings file and the users file."""
    problems = problems_of(invocation)
    for problem in problems:
        yield from_error("failure", "settings", problem)
    if not problems:
        file = invocation.paths.config_file
        yield Finding(
            "ok",
            "settings",
            str(file) if file.exists() else invocation.say("doctor.settings.default", file=file),
        )


def check_identity(invocation: Invocation) -> Iterator[Finding]:
    """Who you are here, and whether you may speak for others."""
    if invocation.settings_are_wrong:
        return
    profile = load_profile(invocation.paths, invocation.settings, env=invocation.env)
    key = (
        "doctor.identity.free"
        if may_impersonate(invocation.paths, invocation.settings)
        else "doctor.identity.bound"
    )
    yield Finding("ok", "identity", invocation.say(key, login=profile.login, role=profile.role))


def check_modes(invocation: Invocation) -> Iterator[Finding]:
    """Every registered mode loads; a third party's broken one is its own trouble."""
    registry, say = Registry(), invocation.say
    broken = registry.broken()
    usable = {mode.id: mode for mode in registry}
    for name in registry.names:
        if name in broken:
            level: str = "failure" if registry.ships(name) else "warning"
            yield Finding(level, f"mode {name}", broken[name], say("doctor.mode.remedy"))  # type: ignore[arg-type]
        else:
            mode = usable[name]
            yield Finding("ok", f"mode {name}", mode.names[invocation.lang])
    if not usable:
        yield Finding("failure", "modes", say("doctor.mode.missing"), say("doctor.mode.remedy"))


def check_terminal(invocation: Invocation) -> Iterator[Finding]:
    """Size, colours and characters of the terminal; not being one is fine for `ask`."""
    say, env = invocation.say, invocation.env
    if not sys.stdout.isatty():
        yield Finding("ok", "terminal", say("doctor.terminal.none"))
        return
    size = shutil.get_terminal_size()
    colours = _colours(env.get("TERM", ""), env.get("COLORTERM", ""), bool(env.get("NO_COLOR")))
    utf8 = _speaks_utf8(env.get("LC_ALL") or env.get("LC_CTYPE") or env.get("LANG") or "")
    text = say(
        "doctor.terminal.is",
        columns=size.columns,
        rows=size.lines,
        colours=colours,
        name=env.get("TERM", "?"),
    )
    small = size.columns < SMALLEST_SCREEN[0] or size.lines < SMALLEST_SCREEN[1]
    remedies = (
        [say("doctor.terminal.small", columns=SMALLEST_SCREEN[0], rows=SMALLEST_SCREEN[1])] if small else []
    )
    remedies += [] if utf8 else [say("doctor.terminal.utf8")]
    yield Finding("warning" if remedies else "ok", "terminal", text, " ".join(remedies))


def _colours(term: str, colorterm: str, refused: bool) -> str:
    if refused or term in ("", "dumb"):
        return "0"
    return "16M" if colorterm in ("truecolor", "24bit") else "256" if "256" in term else "16"


def _speaks_utf8(locale_name: str) -> bool:
    """Whether the locale promises UTF-8; on Windows the terminal always does."""
    return sys.platform == "win32" or "utf" in locale_name.lower()


def _nearest(folder: Path) -> Path:
    """`folder`, or the nearest folder above it that exists."""
    return next(place for place in (folder, *folder.parents) if place.exists())
