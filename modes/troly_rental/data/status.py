"""`app rental status`: what rental data there is and which role the data gives the person asking; the mode's data status."""

from __future__ import annotations

from troly.plugin.contract import Command, CommandRequest, CommandResult, DataStatus
from troly.plugin.events import Table
from troly.plugin.services import Services
from troly.text.catalogue import LANGS, Lang
from troly.text.dates import HCM, format_date
from troly.text.numbers import format_number
from troly_rental.data.schema import schema_version, tables
from troly_rental.data.store import DataInfo, RentalStore
from troly_rental.strings import say

INGEST_COMMAND = "app ingest rental PATH"


def data_status(services: Services, lang: Lang) -> DataStatus:
    """What data there is, in one line for the empty pane. Raises StoreError."""
    stock = RentalStore(services).stock()
    if stock is None:
        return DataStatus(say("holdings.none", lang), enough=False, command=INGEST_COMMAND)
    rooms, posts = (format_number(stock.rows.get(name, 0), lang) for name in ("rooms", "posts"))
    line = say("holdings.loaded", lang, rooms=rooms, posts=posts, date=_day(stock))
    line = say("holdings.samples", lang, line=line) if stock.samples else line
    return DataStatus(line, enough=True, command=INGEST_COMMAND)


def status(request: CommandRequest) -> CommandResult:
    """Rows by table, version, schema, and who is asking. Raises StoreError."""
    lang, store = request.language, RentalStore(request.services)
    stock = store.stock()
    if stock is None:
        return CommandResult(text=f"{say('holdings.none', lang)}: {INGEST_COMMAND}", records=())
    columns = tuple(say(f"status.{name}", lang) for name in ("table", "meaning", "rows"))
    counted = [(table, stock.rows.get(name, 0)) for name, table in tables().items()]
    rows = tuple((table.name, table.caption(lang), format_number(count, lang)) for table, count in counted)
    person = store.role_of(request.profile.login)
    told = [
        say(
            "status.summary",
            lang,
            version=stock.version,
            date=_day(stock),
            schema=stock.schema,
            login=person.login,
            role=person.role,
        )
    ]
    told += [say("status.samples", lang)] if stock.samples else []
    told += [say("status.old_schema", lang, found=stock.schema)] if stock.schema != schema_version() else []
    return CommandResult(
        table=Table(columns, rows, title=say("status.title", lang), numeric=(2,)),
        records=tuple(
            {"table": table.name, "rows": count, "version": stock.version} for table, count in counted
        ),
        summary=" ".join(told),
    )


def _day(stock: DataInfo) -> str:
    return format_date(stock.at.astimezone(HCM).date())


COMMANDS = (
    Command(
        path=("rental", "status"),
        help={lang: say("status.help", lang) for lang in LANGS},
        example="app rental status\napp rental status --json",
        run=status,
        takes=("user",),
    ),
)
