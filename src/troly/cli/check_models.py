"""Doctor's look at Ollama: does it answer, and is each wanted model there; without it Troly still works by rules."""

from __future__ import annotations

from collections.abc import Iterator

from troly.cli.findings import Finding, finding_of
from troly.cli.invocation import Invocation


def check_models(invocation: Invocation) -> Iterator[Finding]:
    """One finding for Ollama, and one for every model that the settings name."""
    import asyncio

    from troly.cli.models import installed, model_health, wanted_models

    if invocation.settings_are_wrong:
        return
    settings, say = invocation.settings, invocation.say
    health = asyncio.run(model_health(settings))
    if health.error is not None:
        found = finding_of("warning", "ollama", health.error.render(invocation.lang))
        yield Finding("warning", "ollama", f"{found.message} {say('doctor.ollama.without')}", found.remedy)
        return
    yield Finding("ok", "ollama", say("doctor.ollama.up", version=health.version, count=len(health.models)))
    for name, roles in wanted_models(settings).items():
        there = installed(name, health)
        if there is not None:
            yield Finding("ok", f"model {name}", ", ".join(roles))
        else:
            text = say("doctor.model.missing", roles=", ".join(roles))
            yield Finding("warning", f"model {name}", text, say("doctor.model.remedy", name=name))
