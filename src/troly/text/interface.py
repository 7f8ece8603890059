"""Which language the interface speaks: the setting, else what the machine's locale says."""

from __future__ import annotations

from collections.abc import Mapping

from troly.text.catalogue import LANGS, Lang


def interface_language(setting: str, env: Mapping[str, str]) -> Lang:
    """The setting where it names a language, else Vietnamese where the locale begins with vi, else English."""
    for lang in LANGS:
        if setting == lang:
            return lang
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if env.get(name):
            return "vi" if env[name].lower().startswith("vi") else "en"
    import locale

    return "vi" if (locale.getlocale()[0] or "").lower().startswith("vi") else "en"
