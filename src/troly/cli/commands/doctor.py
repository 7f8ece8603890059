"""`app doctor`: looks at everything that Troly stands on; each line is ok, a warning or a failure with its remedy."""

from __future__ import annotations

import asyncio
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from troly.cli.command import Json
from troly.cli.commands.config import problems_of
from troly.cli.commands.models import installed, model_details, model_health, wanted_models
from troly.cli.invocation import Invocation
from troly.cli.output import Look, data, data_json, note, paint
from troly.config.users import Entries, load_profile, may_impersonate
from troly.errors import ErrorText, StoreError, TrolyError
from troly.plugin.registry import Registry
from troly.plugin.services import Services, open_services
from troly.presentation.text import GAP, cells
from troly.text.sanitize import sanitize

if TYPE_CHECKING:
    from troly.llm.types import ModelDetails

LOOKS: dict[CheckLevel, Look] = {"ok": "good", "warning": "warn", "failure": "bad"}


def doctor(ctx: typer.Context, as_json: Json = False) -> None:
    _report(ctx.obj, all_checks(ctx.obj), as_json=as_json)


def deploy_check(ctx: typer.Context, as_json: Json = False) -> None:
    _report(ctx.obj, all_checks(ctx.obj, (check_settings, check_stores, check_models)), as_json=as_json)


def deploy_compose(ctx: typer.Context) -> None:  # noqa: ARG001 (as every command)
    from importlib.metadata import version

    text = Path(__file__).parents[1].joinpath("compose.yaml").read_text(encoding="utf-8")
    data(text.replace("CHROMA_VERSION", version("chromadb")).rstrip())


def _report(invocation: Invocation, findings: Iterator[CheckResult], *, as_json: bool) -> None:
    found: list[CheckResult] = []
    for finding in findings:
        found.append(finding)
        if not as_json:
            _show(invocation, finding)
    failed = any(finding.level == "failure" for finding in found)
    if as_json:
        checks = [{"level": f.level, "name": f.name, "message": f.message, "remedy": f.remedy} for f in found]
        data_json({"ok": not failed, "checks": checks})
    else:
        counts = {level: sum(finding.level == level for finding in found) for level in LOOKS}
        note(invocation.say("doctor.summary", **counts))
    raise typer.Exit(int(failed))


def _show(invocation: Invocation, finding: CheckResult) -> None:
    words = {level: invocation.say(f"doctor.level.{level}") for level in LOOKS}
    width = max(cells(word) for word in words.values())
    word = words[finding.level]
    mark = paint(word, LOOKS[finding.level]) + " " * (width - cells(word))
    message = sanitize(finding.message, keep_newlines=False)
    data(f"{mark}{GAP}{paint(finding.name, 'quiet')}: {message}", painted=True)
    if finding.remedy:
        data(f"{' ' * (width + len(GAP))}→ {sanitize(finding.remedy, keep_newlines=False)}")
    sys.stdout.flush()


CheckLevel = Literal["ok", "warning", "failure"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What was looked at, how it is, and what to do about it (empty when it is well)."""

    level: CheckLevel
    name: str
    message: str
    remedy: str = ""


def check_result(level: CheckLevel, name: str, text: ErrorText) -> CheckResult:
    """An error of the house as a finding."""
    return CheckResult(level, name, f"{text.title}: {text.message}", text.remedy)


def check_stores(invocation: Invocation) -> Iterator[CheckResult]:
    """Open the stores as every command does; a store that cannot be opened is a failure."""
    if invocation.settings_are_wrong:
        return
    registry = Registry()
    try:
        services = open_services(invocation.paths, invocation.settings, registry)
    except TrolyError as error:
        yield check_result("failure", "state.db", error.render(invocation.lang))
        return
    try:
        yield from _state(invocation, services)
        if (people := services.people()) is not None:
            yield _identity(invocation, people)
        yield from _vectors(invocation)
        yield from _data_status(invocation, services, registry)
        yield from _damaged(invocation, services)
    finally:
        services.close()


def _state(invocation: Invocation, services: Services) -> Iterator[CheckResult]:
    say = invocation.say
    path = invocation.paths.state_db
    size = path.stat().st_size / 1e6 if path.exists() else 0.0
    yield CheckResult("ok", "state.db", say("doctor.stores.state", path=path, size=f"{size:.1f}"))
    if services.state is not services.index:
        version, ms = services.state.probe()
        said = say("doctor.stores.server", path=services.state.path, version=version, ms=f"{ms:.0f}")
        yield CheckResult("ok", "database", said)
    if services.datasets.files is not None:
        ms = services.datasets.files.probe()
        said = say("doctor.stores.files", path=services.datasets.files.place, ms=f"{ms:.0f}")
        yield CheckResult("ok", "files", said)
    if services.interrupted:
        yield CheckResult("ok", "state.db", say("doctor.stores.interrupted", count=len(services.interrupted)))


def _damaged(invocation: Invocation, services: Services) -> Iterator[CheckResult]:
    """What was found damaged, now that everything was looked at, and where it was put."""
    for store in (services.knowledge, services.memory):
        # That the vectors are damaged is told below, by where they were put.
        with suppress(StoreError, ImportError):
            store.check()
    for damaged in (
        *services.set_aside,
        *services.datasets.damaged,
        *services.knowledge.set_aside,
        *services.memory.set_aside,
    ):
        said = {"file": damaged.original, "kept": damaged.moved_to, "reason": damaged.reason}
        text = invocation.say("doctor.stores.aside", **said)
        yield CheckResult(
            "warning", damaged.original.name, text, invocation.say("doctor.stores.aside_remedy")
        )


def _vectors(invocation: Invocation) -> Iterator[CheckResult]:
    """Whether Chroma loads, and where its vectors are; search by words works without it."""
    try:
        from chromadb import __version__ as version
    except Exception as error:  # noqa: BLE001 (a broken binary wheel raises anything)
        reason = f"{type(error).__name__}: {error}"[:200]
        text = invocation.say("doctor.stores.no_chroma", reason=reason)
        yield CheckResult("warning", "chroma", text, invocation.say("doctor.stores.no_chroma_remedy"))
        return
    path = invocation.paths.chroma
    key = "doctor.stores.vectors" if path.exists() else "doctor.stores.no_vectors"
    yield CheckResult("ok", "chroma", invocation.say(key, path=path, version=version))


def _data_status(invocation: Invocation, services: Services, registry: Registry) -> Iterator[CheckResult]:
    for mode in registry:
        try:
            holdings = mode.data_status(services, invocation.lang)
        except TrolyError as error:
            yield check_result("failure", f"data {mode.id}", error.render(invocation.lang))
            continue
        if mode.samples is not None and mode.samples.loaded(services):
            text = invocation.say("doctor.stores.samples", mode=mode.names[invocation.lang])
            yield CheckResult("ok", f"data {mode.id}", text)
        if holdings is not None:
            yield CheckResult(
                "ok" if holdings.enough else "warning",
                f"data {mode.id}",
                holdings.line,
                "" if holdings.enough else holdings.command,
            )


def check_models(invocation: Invocation) -> Iterator[CheckResult]:
    """One finding for Ollama, and one for every model that the settings name."""
    import asyncio

    if invocation.settings_are_wrong:
        return
    settings, say = invocation.settings, invocation.say
    health = asyncio.run(model_health(settings))
    if health.error is not None:
        found = check_result("warning", "ollama", health.error.render(invocation.lang))
        yield CheckResult(
            "warning", "ollama", f"{found.message} {say('doctor.ollama.without')}", found.remedy
        )
        return
    yield CheckResult(
        "ok", "ollama", say("doctor.ollama.up", version=health.version, count=len(health.models))
    )
    wanted = wanted_models(settings)
    there = {name: full for name in wanted if (full := installed(name, health)) is not None}
    details = asyncio.run(model_details(settings, there.values()))
    for name, roles in wanted.items():
        if name not in there:
            text = say("doctor.model.missing", roles=", ".join(roles))
            yield CheckResult("warning", f"model {name}", text, say("doctor.model.remedy", name=name))
        else:
            yield _model(invocation, name, roles, details[there[name]])


# What a model must be able to do for the last part of a role's name; what else it can do is not asked for.
_NEEDED = {"embed": {"embedding"}, "chat": {"completion", "tools"}}


def _model(invocation: Invocation, name: str, roles: list[str], details: ModelDetails) -> CheckResult:
    """A model that is installed: whether it can do what its roles need, and how much it reads at once."""
    say, usual = invocation.say, invocation.settings.ollama.context_tokens
    window = details.context_length
    needed = set().union(*(_NEEDED.get(role.rpartition(".")[2], {"completion"}) for role in roles))
    lacking = sorted(needed - details.capabilities) if details.capabilities is not None else []
    facts = [", ".join(roles), ", ".join(sorted(details.capabilities or ()))]
    facts += [say("doctor.model.window", tokens=window)] if window else []
    facts += [say("doctor.model.short", tokens=usual)] if window and window < usual else []
    message = " · ".join(filter(None, facts))
    if lacking:
        remedy = say("doctor.model.other", lacking=", ".join(lacking))
        return CheckResult("warning", f"model {name}", message, remedy)
    return CheckResult("ok", f"model {name}", message)


def check_sandbox(invocation: Invocation) -> Iterator[CheckResult]:
    """Start a worker, run one query in it, end it. Raises SandboxError."""
    from troly.sandbox import Sandbox, Scope, check

    sandbox = Sandbox()
    try:
        asyncio.run(sandbox.run(Scope("doctor", None, ()), check("SELECT 1", {}, max_rows=1), max_rows=1))
        limits = sandbox.limits
    finally:
        sandbox.close()
    if limits is not None and limits.address_space and limits.cpu and limits.files:
        text = invocation.say("doctor.sandbox.whole", memory=limits.address_space // 2**20)
        yield CheckResult("ok", "sandbox", text)
        return
    yield CheckResult(
        "warning", "sandbox", invocation.say("doctor.sandbox.part"), invocation.say("doctor.sandbox.remedy")
    )


OLDEST_PYTHON = (3, 11)
GIGABYTE = 1_000_000_000
ENOUGH_DISK, LITTLE_DISK = 2.0, 0.2
SMALLEST_SCREEN = (60, 20)
Check = Callable[[Invocation], Iterator[CheckResult]]


def all_checks(invocation: Invocation, checks: tuple[Check, ...] = ()) -> Iterator[CheckResult]:
    """Every finding of `checks` (all where none is named), in the order to show; none raises for what it looks at."""
    checks = checks or (
        check_python, check_folders, check_settings, check_identity, check_stores, check_models, check_modes,
        check_sandbox, check_terminal,
    )  # fmt: skip
    for check in checks:
        try:
            yield from check(invocation)
        except TrolyError as error:
            yield check_result(
                "failure", check.__name__.removeprefix("check_"), error.render(invocation.lang)
            )


def check_python(invocation: Invocation) -> Iterator[CheckResult]:
    from importlib.metadata import version

    right = sys.version_info[:2] >= OLDEST_PYTHON
    yield CheckResult(
        "ok" if right else "failure",
        "python",
        f"Python {platform.python_version()}, Troly {version('troly')}, {platform.system()} {platform.machine()}",
        "" if right else invocation.say("doctor.python.old"),
    )


def check_folders(invocation: Invocation) -> Iterator[CheckResult]:
    """The folders exist or can be made, and the disk has room."""
    say, paths = invocation.say, invocation.paths
    try:
        paths.ensure()
    except TrolyError as error:
        yield check_result("failure", "folders", error.render(invocation.lang))
    for name, folder in (("data", paths.data), ("config", paths.config), ("cache", paths.cache)):
        if folder.is_dir():
            yield CheckResult("ok", name, str(folder))
    existing = next(place for place in (paths.data, *paths.data.parents) if place.exists())
    free = shutil.disk_usage(existing).free / GIGABYTE
    level = "ok" if free >= ENOUGH_DISK else "warning" if free >= LITTLE_DISK else "failure"
    yield CheckResult(
        level,  # type: ignore[arg-type]  # one of three literals
        "disk",
        say("doctor.disk.free", free=f"{free:.1f}"),
        "" if level == "ok" else say("doctor.disk.remedy"),
    )


def check_settings(invocation: Invocation) -> Iterator[CheckResult]:
    problems = problems_of(invocation)
    for problem in problems:
        yield check_result("failure", "settings", problem)
    if not problems:
        file = invocation.paths.config_file
        yield CheckResult(
            "ok",
            "settings",
            str(file) if file.exists() else invocation.say("doctor.settings.default", file=file),
        )


def check_identity(invocation: Invocation) -> Iterator[CheckResult]:
    """Who you are here, and whether you may speak for others; where a shared database says it, `check_stores` does."""
    if not invocation.settings_are_wrong and not invocation.settings.database.url:
        yield _identity(invocation, None)


def _identity(invocation: Invocation, people: Entries | None) -> CheckResult:
    profile = load_profile(invocation.paths, invocation.settings, env=invocation.env, shared=people)
    key = (
        "doctor.identity.free"
        if may_impersonate(invocation.paths, invocation.settings)
        else "doctor.identity.bound"
    )
    return CheckResult("ok", "identity", invocation.say(key, login=profile.login, role=profile.role))


def check_modes(invocation: Invocation) -> Iterator[CheckResult]:
    """Every registered mode loads; a third party's broken one is its own trouble."""
    registry, say = Registry(), invocation.say
    broken = registry.broken()
    usable = {mode.id: mode for mode in registry}
    for name in registry.names:
        if name in broken:
            level: str = "failure" if registry.ships(name) else "warning"
            yield CheckResult(level, f"mode {name}", broken[name], say("doctor.mode.remedy"))  # type: ignore[arg-type]
        else:
            mode = usable[name]
            yield CheckResult("ok", f"mode {name}", mode.names[invocation.lang])
    if not usable:
        yield CheckResult("failure", "modes", say("doctor.mode.missing"), say("doctor.mode.remedy"))


def check_terminal(invocation: Invocation) -> Iterator[CheckResult]:
    """Size, colours and characters of the terminal; not being one is fine for `ask`."""
    say, env = invocation.say, invocation.env
    if not sys.stdout.isatty():
        yield CheckResult("ok", "terminal", say("doctor.terminal.none"))
        return
    size = shutil.get_terminal_size()
    colours = _colours(env.get("TERM", ""), env.get("COLORTERM", ""), bool(env.get("NO_COLOR")))
    # The locale promises UTF-8; on Windows the terminal always does.
    locale_name = env.get("LC_ALL") or env.get("LC_CTYPE") or env.get("LANG") or ""
    utf8 = sys.platform == "win32" or "utf" in locale_name.lower()
    text = say(
        "doctor.terminal.is",
        columns=size.columns,
        rows=size.lines,
        colours=colours,
        name=env.get("TERM", "?"),
    )
    small = size.columns < SMALLEST_SCREEN[0] or size.lines < SMALLEST_SCREEN[1]
    remedies = []
    if small:
        remedies.append(say("doctor.terminal.small", columns=SMALLEST_SCREEN[0], rows=SMALLEST_SCREEN[1]))
    remedies += [] if utf8 else [say("doctor.terminal.utf8")]
    yield CheckResult("warning" if remedies else "ok", "terminal", text, " ".join(remedies))


def _colours(term: str, colorterm: str, refused: bool) -> str:
    if refused or term in ("", "dumb"):
        return "0"
    return "16M" if colorterm in ("truecolor", "24bit") else "256" if "256" in term else "16"
