"""The sentences and prompts of one assistant, from the files beside its code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from troly.text.catalogue import Catalogue, Lang, core_catalogue

if TYPE_CHECKING:
    from troly.llm.prompts import PromptFolder

# Sentences that the program looks for by key, whoever raised the error or has the setting.
SHARED_AREAS = ("errors", "setting")


class ModeTexts:
    """What the assistant in `folder` says; the files are read once, at the first sentence.

    `strings*.toml` are its own sentences, `prompts/` its prompts. `errors*.toml` and `setting*.toml` join the program's
    catalogue: their keys begin with a word of the assistant's own, and never replace a sentence of the program.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._catalogue = Catalogue(folder)
        self._prompts: PromptFolder | None = None
        core_catalogue().join(folder, SHARED_AREAS)

    def catalogue(self) -> Catalogue:
        """The assistant's own catalogue; it never changes while the program runs."""
        return self._catalogue

    def say(self, key: str, lang: Lang, /, **params: object) -> str:
        """The sentence `key` (as in strings.toml and strings_*.toml) in `lang`; raises KeyError."""
        return self._catalogue(f"strings.{key}", lang, **params)

    def both(self, key: str) -> Mapping[Lang, str]:
        """The sentence `key` in both languages; raises KeyError."""
        return cast("Mapping[Lang, str]", self._catalogue.entry(f"strings.{key}"))

    def prompts(self) -> PromptFolder:
        """The assistant's prompts; raises ConfigError when one of the files is wrong."""
        if self._prompts is None:
            from troly.llm.prompts import PromptFolder

            self._prompts = PromptFolder(self.folder / "prompts")
        return self._prompts
