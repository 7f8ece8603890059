"""Doctor's look at the sandbox: a worker starts and answers, and which limits this system holds for it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from troly.cli.findings import Finding
from troly.cli.invocation import Invocation


def check_sandbox(invocation: Invocation) -> Iterator[Finding]:
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
        yield Finding("ok", "sandbox", text)
        return
    yield Finding(
        "warning", "sandbox", invocation.say("doctor.sandbox.part"), invocation.say("doctor.sandbox.remedy")
    )
