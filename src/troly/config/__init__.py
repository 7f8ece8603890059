"""The settings, typed and checked, and the profile of the person who uses Troly.

A name is imported when it is asked for: the first frame of the screen needs the list of actions only.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from troly.config.load import SettingValue, check_settings, explain, load_settings
    from troly.config.problems import ConfigProblem, Origin, SettingsError
    from troly.config.schema import SettingInfo, describe
    from troly.config.settings import (
        BudgetSettings,
        ChromaSettings,
        IdentitySettings,
        ModelSettings,
        OllamaSettings,
        PersonaSettings,
        Settings,
    )
    from troly.config.template import write_default
    from troly.config.users import (
        Profile,
        check_users,
        current_login,
        load_profile,
        may_impersonate,
        require_impersonation,
    )

__all__ = [
    "BudgetSettings",
    "ChromaSettings",
    "ConfigProblem",
    "IdentitySettings",
    "ModelSettings",
    "OllamaSettings",
    "Origin",
    "PersonaSettings",
    "Profile",
    "SettingInfo",
    "SettingValue",
    "Settings",
    "SettingsError",
    "check_settings",
    "check_users",
    "current_login",
    "describe",
    "explain",
    "load_profile",
    "load_settings",
    "may_impersonate",
    "require_impersonation",
    "write_default",
]

_HOMES = {
    name: module
    for module, names in {
        "load": "SettingValue check_settings explain load_settings",
        "problems": "ConfigProblem Origin SettingsError",
        "schema": "SettingInfo describe",
        "settings": "BudgetSettings ChromaSettings IdentitySettings ModelSettings OllamaSettings PersonaSettings Settings",
        "template": "write_default",
        "users": "Profile check_users current_login load_profile may_impersonate require_impersonation",
    }.items()
    for name in names.split()
}


def __getattr__(name: str) -> object:
    module = _HOMES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
