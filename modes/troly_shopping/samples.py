"""The shop's sample data: a catalogue, a warranty list and pages about the shop, never mixed with the shop's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from troly.plugin.contract import DataStatus, IngestOutcome, IngestRequest
from troly.plugin.samples import shipped
from troly.plugin.services import Services
from troly.retrieval.documents.ingest import SAMPLES
from troly.text.catalogue import Lang
from troly.text.dates import format_date
from troly.text.numbers import format_number
from troly_shopping.datasets import is_sample
from troly_shopping.products.load import ingest_products
from troly_shopping.products.store import DATASET as PRODUCTS
from troly_shopping.strings import say
from troly_shopping.warranty.load import ingest_warranty
from troly_shopping.warranty.store import DATASET as WARRANTY

PAGES = "knowledge"
_LISTS: dict[str, Callable[..., IngestOutcome]] = {WARRANTY: ingest_warranty, PRODUCTS: ingest_products}
INGEST_COMMAND = "app ingest warranty FILE"


def load_samples(services: Services, lang: Lang) -> tuple[str, ...]:
    """Load what the shop has none of its own of; returns a sentence for each kind. Raises InputError, StoreError."""
    told = []
    for name, run in _LISTS.items():
        current = services.datasets.current(name)
        if current is None:
            request = IngestRequest(services, shipped(f"{name}.csv"), services.clock(), lang)
            run(request, samples=True)
        key = "loaded" if current is None else "already" if is_sample(current) else "kept"
        told.append(say(f"samples.{key}", lang, what=say(f"samples.{name}", lang)))
    told.append(_load_pages(services, lang))
    return tuple(told)


def remove_samples(services: Services, lang: Lang) -> tuple[str, ...]:
    """Remove what is sample data; returns a sentence for each kind. Raises StoreError."""
    gone = []
    for name in _LISTS:
        current = services.datasets.current(name)
        if current is not None and is_sample(current):
            services.datasets.remove(current)
            gone.append(name)
    pages = _pages(services)
    for key in pages:
        services.knowledge.remove_document(_collection(services), key)
    if pages:
        gone.append(PAGES)
    return tuple(say("samples.removed", lang, what=say(f"samples.{name}", lang)) for name in gone) or (
        say("samples.none", lang),
    )


def samples_loaded(services: Services) -> bool:
    """Whether any sample data is there."""
    return bool(_pages(services)) or any(is_sample(services.datasets.current(name)) for name in _LISTS)


def _load_pages(services: Services, lang: Lang) -> str:
    from troly.retrieval.documents.files import load_bytes, parse_document

    what = say(f"samples.{PAGES}", lang)
    there = {document.path for document in services.knowledge.list_documents(_collection(services))}
    # A load that was cut off left some of them.
    missing = [path for path in _files() if f"{SAMPLES}{path.name}" not in there]
    if any(not key.startswith(SAMPLES) for key in there):
        return say("samples.kept", lang, what=what)
    if not missing:
        return say("samples.already", lang, what=what)
    for path in missing:
        data = load_bytes(path)
        services.knowledge.put(
            parse_document(path, data),
            collection=_collection(services),
            key=f"{SAMPLES}{path.name}",
            ingested_at=services.clock().isoformat(),
            data=data,
        )
    return say("samples.loaded", lang, what=what)


def _files() -> list[Path]:
    return sorted(shipped(PAGES).glob("*.md"))


def _pages(services: Services) -> list[str]:
    """The sample pages that are loaded, by their keys."""
    documents = services.knowledge.list_documents(_collection(services))
    return [document.path for document in documents if document.path.startswith(SAMPLES)]


def _collection(services: Services) -> str:
    return services.settings.chroma.collection


def data_status(services: Services, lang: Lang) -> DataStatus:
    """What was loaded of warranties and products, and when."""
    from troly_shopping.products.store import ProductStore
    from troly_shopping.warranty.store import WarrantyStore

    loaded = WarrantyStore(services.datasets).loaded()
    goods = ProductStore(services.datasets).loaded()
    if loaded is None:
        return DataStatus(say("holdings.none", lang), enough=False, command=INGEST_COMMAND)
    day = format_date(loaded.at.date())
    line = say("holdings.loaded", lang, rows=format_number(loaded.rows, lang), date=day)
    parts = [say("holdings.samples", lang, line=line) if loaded.samples else line]
    if goods is not None:
        line = say("holdings.products", lang, rows=format_number(goods.rows, lang))
        parts.append(say("holdings.samples", lang, line=line) if goods.samples else line)
    return DataStatus("; ".join(parts), enough=True, command=INGEST_COMMAND)
