"""The rental assistant's sample data: a market of two cities and pages about the trade, never mixed with one's own."""

from __future__ import annotations

from pathlib import Path

from troly.plugin.samples import shipped
from troly.plugin.services import Services
from troly.text.catalogue import Lang
from troly_rental.data.schema import schema_version, tables
from troly_rental.data.store import DATASET, is_sample
from troly_rental.data.store import SAMPLES as SAMPLE_MARK
from troly_rental.strings import say

FOLDER = "rental"
COLLECTION = "rental"
_PREFIX = "sample:"


def load(services: Services, lang: Lang) -> tuple[str, ...]:
    """Load what there is none of one's own of; returns a sentence for each kind. Raises InputError, StoreError."""
    current = services.datasets.current(DATASET)
    if current is None:
        _load_tables(services)
    key = "loaded" if current is None else "already" if is_sample(current) else "kept"
    return (say(f"samples.{key}", lang, what=say("samples.data", lang)), _load_pages(services, lang))


def remove(services: Services, lang: Lang) -> tuple[str, ...]:
    """Remove what is sample data; returns a sentence for each kind. Raises StoreError."""
    gone = []
    current = services.datasets.current(DATASET)
    if current is not None and is_sample(current):
        services.datasets.remove(current)
        gone.append("data")
    pages = _pages(services)
    for key in pages:
        services.knowledge.remove_document(COLLECTION, key)
    if pages:
        gone.append("pages")
    return tuple(say("samples.removed", lang, what=say(f"samples.{name}", lang)) for name in gone) or (
        say("samples.none", lang),
    )


def loaded(services: Services) -> bool:
    """Whether any sample data is there."""
    return is_sample(services.datasets.current(DATASET)) or bool(_pages(services))


def page_files() -> list[Path]:
    """The pages that ship: glossary, rules of the trade and schema, in both languages."""
    return sorted((shipped(FOLDER) / "knowledge").glob("*.md"))


def _load_tables(services: Services) -> None:
    """Straight from the files that ship: a test has put them through every check, a first start should not wait."""
    import duckdb

    folder, rows = shipped(FOLDER), {}
    with services.datasets.build(DATASET) as build:
        with duckdb.connect(str(build.path), config={"threads": "1"}) as con:
            for name, table in tables().items():
                file = str(folder / f"{name}.parquet").replace("'", "''")
                con.execute(table.create())
                copy = f"insert into {name} select {', '.join(table.columns)} from read_parquet('{file}')"  # noqa: S608
                rows[name] = int(con.execute(copy).fetchall()[0][0])
        loaded_at = services.clock().isoformat()
        build.publish({"rows": rows, "loaded_at": loaded_at, "schema": schema_version(), SAMPLE_MARK: True})


def _load_pages(services: Services, lang: Lang) -> str:
    from troly.retrieval.documents.files import load_bytes, parse_document

    what = say("samples.pages", lang)
    there = {document.path for document in services.knowledge.list_documents(COLLECTION)}
    # A load that was cut off left some of them.
    missing = [path for path in page_files() if f"{_PREFIX}{path.name}" not in there]
    if any(not key.startswith(_PREFIX) for key in there):
        return say("samples.kept", lang, what=what)
    if not missing:
        return say("samples.already", lang, what=what)
    for path in missing:
        data = load_bytes(path)
        services.knowledge.put(
            parse_document(path, data),
            collection=COLLECTION,
            key=f"{_PREFIX}{path.name}",
            ingested_at=services.clock().isoformat(),
            data=data,
        )
    return say("samples.loaded", lang, what=what)


def _pages(services: Services) -> list[str]:
    documents = services.knowledge.list_documents(COLLECTION)
    return [document.path for document in documents if document.path.startswith(_PREFIX)]
