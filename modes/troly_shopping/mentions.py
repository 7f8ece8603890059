"""The products of the catalogue, as names to put into a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly.plugin.mentioning import hint_language, ranked
from troly.text.numbers import format_number

if TYPE_CHECKING:
    from troly.config.users import Profile
    from troly.plugin.services import Services

# So many rows are ranked; a longer prefix finds the rest.
RANKED = 200


def mentions(services: Services, profile: Profile, prefix: str, limit: int) -> list[tuple[str, str]]:
    """Products whose name holds the words of `prefix`, with their price. Raises StoreError."""
    from troly_shopping.products.store import ProductStore, key_of

    lang = hint_language(services, profile)
    found = ProductStore(services.datasets).holding(key_of(prefix).split(), RANKED)
    return ranked([(name, f"{format_number(price, lang)} VND") for name, price in found], prefix, limit)
