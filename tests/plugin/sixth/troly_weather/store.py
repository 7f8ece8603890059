"""The measurements in the state database: the table, the ingest, the samples and the command that lists them."""

from __future__ import annotations

from troly.errors import InputError
from troly.plugin.contract import CommandRequest, CommandResult, DataStatus, IngestOutcome, IngestRequest
from troly.plugin.events import Table
from troly.plugin.services import Services
from troly.stores.migrations import Migration
from troly.text.catalogue import Lang

from .strings import say

SAMPLES = {"Đà Lạt": 18.0, "Huế": 29.0}
MIGRATION = Migration(
    "weather/0001_measurements",
    ("CREATE TABLE weather (city TEXT PRIMARY KEY, celsius REAL NOT NULL, sample INTEGER NOT NULL)",),
)


def measurements(services: Services) -> dict[str, float]:
    """Degrees Celsius by city. Raises StoreError."""
    with services.state.read() as connection:
        return dict(connection.execute("SELECT city, celsius FROM weather ORDER BY city").fetchall())


def ingest(request: IngestRequest) -> IngestOutcome:
    """Load `city,degrees` lines. Raises InputError `weather.no_rows`, StoreError."""
    lines = request.file.read_text(encoding="utf-8").splitlines()
    pairs = [line.rsplit(",", 1) for line in lines if "," in line]
    rows = {city.strip(): float(degrees) for city, degrees in pairs if degrees.strip().isdecimal()}
    if not rows:
        raise InputError("weather.no_rows", path=request.file)
    if not request.dry_run:
        _save(request.services, rows, sample=False)
    return IngestOutcome({"cities": len(rows)}, published=not request.dry_run)


def cities(request: CommandRequest) -> CommandResult:
    """`app weather cities`."""
    rows = tuple((city, f"{degrees:g}") for city, degrees in measurements(request.services).items())
    return CommandResult(Table((say("answer.city", request.language), "°C"), rows, numeric=(1,)))


def load(services: Services, lang: Lang) -> tuple[str, ...]:
    """Load the samples."""
    _save(services, SAMPLES, sample=True)
    return (say("answer.samples", lang),)


def remove(services: Services, lang: Lang) -> tuple[str, ...]:
    """Remove the samples."""
    with services.state.write() as connection:
        connection.execute("DELETE FROM weather WHERE sample = 1")
    return (say("answer.removed", lang),)


def loaded(services: Services) -> bool:
    """Whether there are samples."""
    with services.state.read() as connection:
        return connection.execute("SELECT 1 FROM weather WHERE sample = 1").fetchone() is not None


def data_status(services: Services, lang: Lang) -> DataStatus:
    """How many cities there are."""
    count = len(measurements(services))
    return DataStatus(
        say("answer.status", lang, count=count), enough=count > 0, command="app ingest weather FILE"
    )


def _save(services: Services, rows: dict[str, float], *, sample: bool) -> None:
    with services.state.write() as connection:
        sql = "INSERT OR REPLACE INTO weather (city, celsius, sample) VALUES (?, ?, ?)"
        connection.executemany(sql, [(city, celsius, sample) for city, celsius in rows.items()])
