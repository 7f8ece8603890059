"""`app jobs`: the loads of files, of all machines that share a database; one whose process died is done again."""

from __future__ import annotations

import threading

import typer

from troly.cli.command import Json
from troly.cli.commands.ingest import announce_stop
from troly.cli.invocation import Invocation
from troly.cli.output import data, data_json, data_table, note
from troly.cli.turns import model_loop, on_interrupt
from troly.conversation.export import local_minute
from troly.conversation.jobs import take_up

COLUMNS = ("id", "name", "login", "host", "started", "progress", "status")


def list_(ctx: typer.Context, as_json: Json = False) -> None:
    invocation: Invocation = ctx.obj
    with invocation.open_session() as session:
        found, zone = session.services.jobs.list(), session.zone
    if as_json:
        for job in found:
            data_json({"id": job.id, "name": job.name, "login": job.login, "host": job.host, "status": job.status,
                       "done": job.done, "total": job.total, "unit": job.unit, "said": job.said,
                       "started_at": job.started_at.isoformat(), "changed_at": job.changed_at.isoformat()})  # fmt: skip
    elif found:
        rows = [
            (job.id, job.name, job.login, job.host, local_minute(job.started_at, zone),
            f"{job.done}/{job.total or '?'} {job.unit}" if job.unit else "",
            f"{invocation.say(f'jobs.status.{job.status}')} {job.said}".strip())
            for job in found
        ]  # fmt: skip
        data_table(invocation.say, "jobs.column", COLUMNS, rows)
    else:
        note(invocation.say("jobs.none"))


def resume(ctx: typer.Context) -> None:
    invocation: Invocation = ctx.obj
    stop = threading.Event()
    with (
        invocation.open_session() as session,
        on_interrupt(lambda: announce_stop(invocation, stop)),
        model_loop(session) as runner,
    ):
        found = runner.run(take_up(session, stop))
    for name in found:
        data(name)
    note(invocation.say("jobs.resumed", count=len(found)))
