"""The settings, typed and checked, and the profile of the person who uses Troly."""

from troly.config.load import SettingValue, check_settings, explain, load_settings
from troly.config.problems import ConfigProblem, Origin, SettingsError
from troly.config.schema import SettingInfo, describe
from troly.config.settings import (
    BudgetSettings,
    ChromaSettings,
    DentalSettings,
    GreetingSettings,
    IdentitySettings,
    IntentSettings,
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
    "DentalSettings",
    "GreetingSettings",
    "IdentitySettings",
    "IntentSettings",
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
