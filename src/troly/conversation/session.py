"""The opened services, the assistants and the person who asks: what every face works with."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from troly.errors import AccessError, StoreError

if TYPE_CHECKING:
    from troly.config.problems import SettingsError
    from troly.config.settings import Settings
    from troly.config.users import Profile
    from troly.paths import Paths
    from troly.plugin.registry import Registry
    from troly.plugin.services import Services

# A deleted conversation can be restored for this long.
UNDO_TIME = timedelta(days=30)
KEY_VARIABLE = "X_API_KEY"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Session:
    """One person's use of the program. Calls of the stores block; the model client belongs to the loop that uses it.

    `problem` is what is wrong with the users file where the session was opened with the least rights all the same.
    """

    services: Services
    registry: Registry
    profile: Profile
    problem: SettingsError | None = None

    @classmethod
    def open(
        cls,
        paths: Paths,
        settings: Settings,
        registry: Registry,
        env: Mapping[str, str],
        *,
        least_rights: bool = False,
    ) -> Session:
        """Open the stores for the person of `env`, which is that of the key in `X_API_KEY` where one is given, and remove for good what was deleted longer ago than `UNDO_TIME`.

        A wrong users file raises SettingsError, or with `least_rights` gives a person with none of its rights. Blocking,
        and imports what is heavy. Raises ConfigError, StoreError, AccessError; `session.services.close()` ends it.
        """
        from troly.config.problems import SettingsError
        from troly.config.users import Profile, current_login, load_profile
        from troly.plugin.services import open_services

        problem: SettingsError | None = None
        services = open_services(paths, settings, registry)
        try:
            try:
                profile = load_profile(paths, settings, env=env, shared=services.people())
            except SettingsError as error:
                if not least_rights:
                    raise
                login, problem = current_login(paths, settings, env), error
                profile = Profile(login, login)
            try:
                services.conversations.purge_deleted(services.clock() - UNDO_TIME)
            except StoreError as error:
                # Another process may be writing: the next start does it.
                log.warning("deleted conversations not purged", exc_info=error)
            if token := env.get(KEY_VARIABLE):
                profile = _of_key(services, token)
        except BaseException:
            services.close()
            raise
        return cls(services, registry, profile, problem)

    @property
    def zone(self) -> ZoneInfo:
        """The time zone in which times are told to people."""
        return ZoneInfo(self.services.settings.timezone)

    def change_setting(self, key: str, text: str | None) -> None:
        """Write what a person typed for the setting `key` into the settings file (None: its default), and go on with it.

        What the command line said of other tables stays in force. Raises as `troly.config.load.write_setting`.
        """
        from troly.config.load import write_setting

        sections, services = self.registry.sections(), self.services
        fresh, table = write_setting(services.paths, key, text, sections), key.partition(".")[0]
        if table in sections:
            mine = {table: fresh.sections[table]} if table in fresh.sections else {}
            others = {name: one for name, one in services.settings.sections.items() if name != table}
            services.settings = replace(services.settings, sections=others | mine)
        else:
            services.settings = replace(services.settings, **{table: getattr(fresh, table)})
        services.llm.configure(services.settings.ollama)


def _of_key(services: Services, token: str) -> Profile:
    from troly.config.users import Profile
    from troly.stores.api_keys import ApiKeys

    key = ApiKeys(services.state, services.clock).find(token)
    if key is None:
        raise AccessError("server.key")
    return Profile(key.user, key.user, key.role, key.permissions, key.department)
