"""One run of the command line: who called, from where, in which language, and the session it opens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from troly.errors import InputError, TrolyError
from troly.paths import HOME_VARIABLE, Paths
from troly.text.catalogue import LANGS, Lang, interface_language, tr

if TYPE_CHECKING:
    from troly.config.settings import Settings
    from troly.config.users import Profile
    from troly.conversation.session import Session
    from troly.plugin.registry import Registry


class Invocation:
    """What every command is given: `lang` is the interface's language, `given` the one that `--lang` asked for."""

    def __init__(
        self,
        program: str,
        env: Mapping[str, str],
        screen: Callable[[Invocation, str | None], int] | None = None,
        server: Callable[..., None] | None = None,
    ) -> None:
        self.program = program
        self._screen = screen
        self._server = server
        self.env = env
        self.paths = Paths.resolve(env)
        self.given: Lang | None = None
        self._settings: Settings | TrolyError | None = None
        self._registry: Registry | None = None
        self.lang: Lang = interface_language(self._language_setting(), env)

    def speak(self, given: Lang | None) -> None:
        """Go on in the language that `--lang` named, if it did."""
        self.lang, self.given = given or self.lang, given

    def open_screen(self, mode: str | None) -> int:
        """Open the terminal screen with the assistant `mode`; returns the exit code. Raises UsageError without a terminal."""
        if self._screen is None:
            raise RuntimeError("this program has no screen")
        return self._screen(self, mode)

    def run_server(self, session: Session, **options: Any) -> None:
        """Serve `session` until the process is told to end; `options` are those of `troly.__main__.run_server`."""
        if self._server is None:
            raise RuntimeError("this program has no server")
        self._server(session, **options)

    @property
    def registry(self) -> Registry:
        from troly.plugin.registry import Registry

        if self._registry is None:
            self._registry = Registry()
        return self._registry

    @property
    def settings(self) -> Settings:
        """The settings; raises ConfigError when the file or the environment is wrong."""
        from troly.config.load import load_settings

        if self._settings is None:
            try:
                self._settings = load_settings(self.paths, self.env, sections=self.registry.sections())
            except TrolyError as error:
                self._settings = error
        if isinstance(self._settings, TrolyError):
            raise self._settings
        return self._settings

    @property
    def settings_are_wrong(self) -> bool:
        """Whether asking for the settings raises."""
        try:
            _ = self.settings
        except TrolyError:
            return True
        return False

    def say(self, key: str, **params: object) -> str:
        """The sentence `cli.<key>` in the interface's language; `{app}` is the name of the program."""
        return tr(f"cli.{key}", self.lang, app=self.program, **params)

    @contextmanager
    def open_session(self) -> Iterator[Session]:
        """The services for one command, closed at its end.

        Damaged files that were quarantined are named on stderr. Raises ConfigError, StoreError.
        """
        from troly.cli.output import note
        from troly.conversation.session import Session

        session = Session.open(self.paths, self.settings, self.registry, self.env)
        try:
            for damaged in session.services.set_aside:
                note(self.say("set_aside", file=damaged.original, kept=damaged.moved_to))
            yield session
        finally:
            session.services.close()

    def _language_setting(self) -> str:
        """What the settings say, read only where they can say something: help must not wait for them or the assistants.

        Wrong settings are no reason to be silent; they are reported by the command that needs them.
        """
        said = any(name.startswith("TROLY_") and name != HOME_VARIABLE for name in self.env)
        try:
            if not said and not self.paths.config_file.exists():
                return "auto"
            from troly.config.load import load_settings

            return load_settings(self.paths, self.env, sections=None).language
        except (TrolyError, OSError):
            return "auto"


def take_language(args: Sequence[str]) -> tuple[list[str], Lang | None]:
    """`args` without `--lang X`, wherever it stands before `--`, and the language; raises UsageError."""
    rest: list[str] = []
    given: Lang | None = None
    left = iter(args)
    for arg in left:
        if arg == "--":
            return [*rest, arg, *left], given
        if arg == "--lang":
            given = _language(next(left, ""))
        elif arg.startswith("--lang="):
            given = _language(arg.removeprefix("--lang="))
        else:
            rest.append(arg)
    return rest, given


def _language(value: str) -> Lang:
    for lang in LANGS:
        if value.lower() == lang:
            return lang
    from troly.cli.failures import UsageError

    raise UsageError("usage.language", value=value)


@dataclass(frozen=True, slots=True)
class IdentityClaim:
    """What a command line or a JSON line says about the person; None where it says nothing."""

    user: str | None = None
    role: str | None = None
    permissions: frozenset[str] | None = None
    department: str | None = None


def profile_for(invocation: Invocation, session: Session, claim: IdentityClaim) -> Profile:
    """The profile that `claim` asks for; the session's own where it asks for none.

    Naming oneself is always allowed; anything else only where impersonation is. Raises AccessError, InputError for
    a login that is none, ConfigError for a wrong users file.
    """
    from troly.config.users import load_profile, require_impersonation

    paths, settings, env = invocation.paths, invocation.settings, invocation.env
    base = session.profile
    if claim.user is not None:
        base = load_profile(paths, settings, login=claim.user, env=env, shared=session.services.people())
    if claim.role is None and claim.permissions is None and claim.department is None:
        return base
    require_impersonation(paths, settings, claim.role or base.login, env)
    return base.with_claims(claim.role, claim.permissions, claim.department)


def parse_moment(value: str) -> datetime:
    """The instant that `--now` or `now` names (Asia/Ho_Chi_Minh without an offset); raises InputError."""
    from troly.text.dates import parse_now

    try:
        return parse_now(value)
    except ValueError as error:
        raise InputError("cli.now", value=value) from error
