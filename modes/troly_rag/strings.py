"""The sentences and the prompts of this assistant, in both languages, from the files beside the code."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from troly.text.catalogue import Catalogue, Lang

if TYPE_CHECKING:
    from troly.llm.prompts import PromptFolder

FOLDER = Path(__file__).parent


@cache
def catalogue() -> Catalogue:
    """The assistant's own catalogue (`strings.toml` and `strings_*.toml`); it never changes while the program runs."""
    return Catalogue(FOLDER)


def say(key: str, lang: Lang, /, **params: object) -> str:
    """The sentence `key` in `lang`; raises KeyError."""
    return catalogue()(f"strings.{key}", lang, **params)


@cache
def prompts() -> PromptFolder:
    """The assistant's prompts; raises ConfigError when one of the files is wrong."""
    from troly.llm.prompts import PromptFolder

    return PromptFolder(FOLDER / "prompts")
