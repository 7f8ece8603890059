"""The sentences and prompts of one assistant, from the `strings*.toml` and `prompts/` beside its code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from troly.text.catalogue import Catalogue, Lang

if TYPE_CHECKING:
    from troly.llm.prompts import PromptFolder


class ModeTexts:
    """What the assistant in `folder` says; the files are read once, at the first sentence."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

        self._catalogue = Catalogue(folder)
        self._prompts: PromptFolder | None = None

    def catalogue(self) -> Catalogue:
        """The assistant's own catalogue; it never changes while the program runs."""
        return self._catalogue

    def say(self, key: str, lang: Lang, /, **params: object) -> str:
        """The sentence `key` (as in strings.toml and strings_*.toml) in `lang`; raises KeyError."""
        return self._catalogue(f"strings.{key}", lang, **params)

    def prompts(self) -> PromptFolder:
        """The assistant's prompts; raises ConfigError when one of the files is wrong."""
        if self._prompts is None:
            from troly.llm.prompts import PromptFolder

            self._prompts = PromptFolder(self.folder / "prompts")
        return self._prompts
