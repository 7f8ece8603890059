"""Names the data of a moment in a few figures, so that a replay can say that it has changed since."""

from __future__ import annotations

from troly.errors import StoreError
from troly.plugin.services import Services

_DATASETS = "SELECT name, max(version) FROM datasets WHERE withdrawn_at IS NULL GROUP BY name ORDER BY name"
_DOCUMENTS = "SELECT count(*), coalesce(max(ingested_at), '') FROM documents"


def data_of(services: Services) -> dict[str, object]:
    """The newest version of every dataset, how many documents there are and the newest one's time. Blocking.

    {} where the database does not answer: this is a remark, not worth a turn.
    """
    try:
        with services.state.read() as connection:
            sets = dict(connection.execute(_DATASETS).fetchall())
            count, newest = connection.execute(_DOCUMENTS).fetchone()
    except StoreError:
        return {}
    return {"datasets": sets, "documents": [count, newest]}
