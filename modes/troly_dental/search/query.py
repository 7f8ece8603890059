"""The query that leaves the machine: short, without personal data and without an engine's own commands."""

from __future__ import annotations

import re

from troly.text.fold import nfc
from troly.text.sanitize import sanitize
from troly_dental import masking

MAX_CHARS = 200
_READ_CHARS = 4000
# A second net behind the masking: whatever still looks like an address or a number of a person.
_ADDRESS = re.compile(r"\S*@\S*|\b(?:https?://|www\.)\S*", re.IGNORECASE)
_LONG_NUMBER = re.compile(r"\+?\d(?:[ .\-()]{0,2}\d){6,}")
# `!bang` sends a query to another site; operators narrow it to one.
_BANG = re.compile(r"(?:^|(?<=\s))[!\\]+(?=\S)|[!\\]+(?=\s|$)")
_OPERATOR = re.compile(
    r"(?:^|(?<=[\s\-]))(?:site|filetype|inurl|intitle|intext|inbody|loc|location|region|ip|url|lang)\s*:",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"[\"“”„«»`|{}\[\]<>^~*=]+|(?:^|(?<=\s))[+\-]+(?=\S)")


def clean(text: str) -> str:
    """`text` as a query of at most `MAX_CHARS` characters; "" when nothing is left to look for.

    Names, phones, mail addresses, identity numbers and street addresses are taken out, not replaced; so are links and
    the search engine's operators.
    """
    plain = " ".join(nfc(sanitize(text[:_READ_CHARS])).split())
    plain = masking.strip(plain)
    plain = _LONG_NUMBER.sub(" ", _ADDRESS.sub(" ", plain))
    plain = _SIGNS.sub(" ", _OPERATOR.sub(" ", _BANG.sub(" ", plain)))
    # What is taken from the front may have hidden a command behind it: ":!bang".
    words = " ".join(plain.split()).strip(" ,;:.-").lstrip("!\\+-,;:. ")
    if not any(char.isalnum() for char in words):
        return ""
    if len(words) <= MAX_CHARS:
        return words
    head = words[:MAX_CHARS]
    return (head.rpartition(" ")[0] or head).strip(" ,;:.-")
