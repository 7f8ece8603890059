"""Makes the sample rental database in `data/rental/` from a seed: `python -m tests.support.rental.generator` writes it anew."""

from __future__ import annotations

import csv
import random
import tempfile
import tomllib
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.rental.generator_contracts import contracts_and_bills, viewings
from tests.support.rental.generator_people import people, seekers
from tests.support.rental.generator_rooms import Homes, posts
from troly.text.catalogue import LANGS, Lang
from troly_rental.data.places import places
from troly_rental.data.schema import tables

FOLDER = Path(__file__).parents[3] / "data" / "rental"
SEED = 2026
TODAY = datetime.fromisoformat("2026-11-20T20:00")
ROOMS = 6_600
Rows = dict[str, list[dict[str, Any]]]


@cache
def market() -> dict[str, Any]:
    """The description of the market."""
    path = Path(__file__).with_name("market.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def generate(rooms: int = ROOMS) -> Rows:
    """All tables; the same rows on every machine."""
    pick = random.Random(SEED)
    told = market()
    rows: Rows = {name: [] for name in tables()}
    _places(rows)
    rows["amenities"] = [
        {"id": key, "name": vi, "name_en": en} for key, (vi, en, _, _) in told["amenities"].items()
    ]
    rows["users"] = people(pick, told["people"], TODAY)
    homes = Homes(pick, told, rows["users"], TODAY)
    homes.fill(rooms)
    rows["buildings"], rows["rooms"], rows["room_amenities"] = homes.buildings, homes.rooms, homes.amenities
    rows["posts"] = posts(pick, told, homes.rooms, TODAY)
    rows["room_seeking_posts"] = seekers(pick, told, rows["users"], TODAY)
    rows["contracts"], rows["invoices"] = contracts_and_bills(pick, rows["users"], homes.rooms, TODAY)
    rows["viewings"] = viewings(pick, told, rows["users"], homes.rooms, TODAY)
    return rows


def _places(rows: Rows) -> None:
    known = places()
    rows["cities"] = [{"id": p.id, "name": p.name, "name_en": p.other} for p in known.of("city")]
    rows["districts"] = [
        {"id": p.id, "city_id": p.city_id, "name": p.name, "kind": p.unit, "parent_id": p.part_of or None}
        for p in known.of("district")
    ]
    rows["wards"] = [{"id": p.id, "district_id": p.district_id, "name": p.name} for p in known.of("ward")]


def write_csv(folder: Path, rows: Rows) -> None:
    """One CSV a table; an empty field is NULL."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables().items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(table.columns), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows[name])


def write_parquet(folder: Path, rows: Rows) -> None:
    """One Parquet file a table, small; a table is sorted by its key."""
    import duckdb

    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as between, duckdb.connect(config={"threads": "1"}) as con:
        write_csv(Path(between), rows)
        for name, table in tables().items():
            columns = ", ".join(f"'{c.name}': '{c.type}'" for c in table.columns.values())
            con.execute(
                f"copy (select * from read_csv('{between}/{name}.csv', header = true, auto_detect = false, "
                f"delim = ',', quote = '\"', escape = '\"', columns = {{{columns}}}) order by {', '.join(table.key)}) "
                f"to '{folder}/{name}.parquet' (format parquet, compression zstd, compression_level 19)"
            )


def schema_page(lang: Lang) -> str:
    """The schema as a page: a heading a table, a line a column."""
    title = {"vi": "Cấu trúc dữ liệu cho thuê", "en": "Schema of the rental data"}[lang]
    parts = [f"# {title}"]
    for table in tables().values():
        lines = []
        for column in table.columns.values():
            enum = "; ".join(f"`{label.value}` = {label.caption(lang)}" for label in column.values.values())
            ref = f", `{column.ref}`" if column.ref else ""
            lines.append(
                f"- `{column.name}` ({column.type}{ref}): {column.caption(lang)}{f' ({enum})' if enum else ''}"
            )
        parts += [f"## {table.caption(lang)}: `{table.name}`", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def write_pages(folder: Path) -> None:
    """The schema pages in both languages."""
    for lang, name in zip(LANGS, ("cau-truc.md", "schema-en.md"), strict=True):
        (folder / name).write_text(schema_page(lang), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write_parquet(FOLDER, generate())
    write_pages(FOLDER / "knowledge")
