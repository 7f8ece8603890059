"""What is kept with a published sheet: its columns and figures, as JSON in the dataset's own record."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from datetime import date, datetime
from typing import Any

from troly.stores.published import DatasetVersion
from troly.text.fold import fold, folded_words
from troly_analysis.types import Field, Metric, Sheet

_LONGEST_KEY = 60


def key_of(name: str) -> str:
    """What tells sheet names apart, and the name of the sheet's table: words without case and accents, joined by `_`."""
    return "_".join(folded_words(name))[:_LONGEST_KEY].strip("_") or _hash(fold(name))[:12]


def prefix_of(owner: str) -> str:
    """How the names of an owner's datasets begin."""
    return f"sheet-{_hash(owner)[:24]}-"


def dataset_of(owner: str, name: str) -> str:
    """The dataset of a sheet; the same for every import under one name, so that an import replaces the one before."""
    return prefix_of(owner) + id_of(owner, name)


def id_of(owner: str, name: str) -> str:
    """The sheet's id: twelve hex digits that do not change when it is imported anew."""
    return _hash(f"{owner}\0{key_of(name)}")[:12]


def info_of(sheet: Sheet) -> dict[str, Any]:
    """The sheet as the JSON that is published with its file."""
    return {
        **{name: getattr(sheet, name) for name in ("owner", "name", "table", "rows", "source")},
        "imported_at": sheet.imported_at.isoformat(),
        "date_field": sheet.date_field,
        "span": [day.isoformat() for day in sheet.span] if sheet.span else None,
        "samples": sheet.samples,
        "fields": [{**asdict(field), "examples": list(field.examples)} for field in sheet.fields],
    }


def sheet_of(version: DatasetVersion, metrics: tuple[Metric, ...] = ()) -> Sheet:
    """The sheet that a published version holds."""
    info: Mapping[str, Any] = version.info
    span = info["span"]
    same = ("owner", "name", "table", "rows", "source", "date_field", "samples")
    return Sheet(
        id=version.name.rpartition("-")[2],
        fields=tuple(map(_field, info["fields"])),
        imported_at=datetime.fromisoformat(info["imported_at"]),
        span=(date.fromisoformat(span[0]), date.fromisoformat(span[1])) if span else None,
        metrics=metrics,
        **{name: info[name] for name in same},
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _field(kept: Mapping[str, Any]) -> Field:
    merged = tuple((was, spelled) for was, spelled in kept.get("merged", ()))
    return Field(**{**kept, "examples": tuple(kept["examples"]), "merged": merged})
