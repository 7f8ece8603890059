"""The voices of the assistants: Markdown files with `Greeting:`, `FollowUp:` and `Hotline:` lines, checked on load."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from troly.errors import ConfigError
from troly.text.catalogue import LANGS, Lang

if TYPE_CHECKING:
    from troly.config.settings import Settings
    from troly.paths import Paths

_SENTENCE_END, _WORD_END = re.compile(r"[.!?](?=\s)|\S(?=\s*\n)"), re.compile(r"\S(?=\s)")
# A heading whose text was cut off.
_HEADING_LEFT = re.compile(r"\n+#[^\n]*\Z")
LABELS = ("Greeting", "FollowUp", "Hotline")
LARGEST = 64 * 1024
_STEM = r"[a-z0-9][a-z0-9_-]*"
_LABELLED = r"\s*(Greeting|FollowUp|Hotline)[ \t]*:(.*)"
_COMMENT = r"<!--.*?-->"


@dataclass(frozen=True)
class Persona:
    """One voice in one language.

    `text` describes it for the model, without the three lines. `greeting` opens a conversation (000-07), `follow_up`
    closes an answer (000-60), `hotline` is where a person can be reached (000-44).
    """

    stem: str
    lang: Lang
    text: str
    greeting: str
    follow_up: str
    hotline: str

    def prompt(self, max_chars: int) -> str:
        """`text` cut to at most `max_chars` characters (000-10): after a line or a sentence where there is one, else between
        two words where there are two.
        """
        if len(self.text) <= max_chars:
            return self.text
        cut = self.text[: max(max_chars, 0)]
        for end in (_SENTENCE_END, _WORD_END):
            if found := [at.end() for at in end.finditer(self.text, 0, len(cut) + 1)]:
                return _HEADING_LEFT.sub("", cut[: found[-1]]).rstrip()
        return cut.rstrip()


class Personas:
    """Finds and checks personas: the file of PERSONA_PATH, this installation's folder, then the ones that ship.

    The file of PERSONA_PATH is the voice of `first`, the first assistant (000-09). `folders` are those of the assistants.
    """

    def __init__(
        self, paths: Paths, settings: Settings, first: str = "", folders: Sequence[Path] = ()
    ) -> None:
        self._own, self._first = settings.persona.path, first
        self._folder = paths.user_personas
        package = Path(__file__).resolve().parent
        # A checkout keeps them beside src/ and has no copies inside the package; an installed package has no src/.
        checkout = (package.parents[1] / "personas",) if package.parent.name == "src" else ()
        self._shipped = (package / "personas", *checkout, *folders)

    def load(self, stem: str, lang: Lang) -> Persona:
        """The persona `<stem>_<lang>.md`, read anew each time so that an edit shows at once.

        Raises ConfigError naming the file, the line and what to do.
        """
        if self._own and stem == self._first and lang == _language(self._own):
            return self._own_file(self._own, lang)
        return self._standard(stem, lang)

    def _own_file(self, path: Path, lang: Lang) -> Persona:
        """The file of PERSONA_PATH; the documents give it two lines, so the hotline may be the standard one."""
        raw = _read(path)
        if raw is None:
            raise ConfigError("persona.path", path=path)
        persona = _parse(self._first, lang, path, raw, optional=("Hotline",))
        return (
            persona
            if persona.hotline
            else replace(persona, hotline=self._standard(self._first, lang).hotline)
        )

    def shipped(self, stem: str, lang: Lang) -> Persona:
        """The persona that ships, whatever this installation has of its own; raises ConfigError."""
        return _first(stem, lang, self._shipped)

    def _standard(self, stem: str, lang: Lang) -> Persona:
        return _first(stem, lang, (self._folder, *self._shipped))


def _first(stem: str, lang: Lang, folders: Sequence[Path]) -> Persona:
    """The persona of the first folder that has one."""
    name = f"{stem}_{lang}.md"
    if re.fullmatch(_STEM, stem):
        for folder in folders:
            raw = _read(folder / name)
            if raw is not None:
                return _parse(stem, lang, folder / name, raw)
    raise ConfigError("persona.missing", file=name, folders=", ".join(str(folder) for folder in folders))


def _language(path: Path) -> Lang:
    """The language that a file's name ends with; Vietnamese when it names none."""
    suffix = path.stem.rpartition("_")[2]
    return next((lang for lang in LANGS if lang == suffix), "vi")


def _parse(stem: str, lang: Lang, place: Path, raw: str, optional: tuple[str, ...] = ()) -> Persona:
    """The persona in the text `raw` of the file; `optional` labels may be left out and are then "". Raises ConfigError."""
    lines = raw.split("\n")
    said: dict[str, str] = {}
    free: list[str] = []
    for number, line in enumerate(lines, 1):
        found = re.fullmatch(_LABELLED, line)
        if not found:
            free.append(line.rstrip())
            continue
        label, value = found[1], found[2].strip()
        if label in said:
            raise ConfigError("persona.twice", path=place, line=number, label=label)
        if not value:
            raise ConfigError("persona.blank", path=place, line=number, label=label)
        said[label] = value
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(free)).strip()
    if not text:
        raise ConfigError("persona.empty", path=place)
    for label in LABELS:
        if label not in said and label not in optional:
            raise ConfigError("persona.line", path=place, line=len(lines), label=label)
    return Persona(stem, lang, text, said["Greeting"], said["FollowUp"], said.get("Hotline", ""))


def _read(place: Path) -> str | None:
    """The file's clean text in NFC, comments blanked so that line numbers stay; None when there is no file."""
    from troly.text.sanitize import sanitize

    try:
        with place.open("rb") as file:
            data = file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as cause:
        raise ConfigError("persona.unreadable", path=place) from cause
    if len(data) > LARGEST:
        raise ConfigError("persona.large", path=place, limit=LARGEST // 1024)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as cause:
        line = data.count(b"\n", 0, cause.start) + 1
        raise ConfigError("persona.encoding", path=place, line=line) from cause
    text = unicodedata.normalize("NFC", sanitize(text.replace("\r\n", "\n").replace("\r", "\n")))
    return re.sub(_COMMENT, lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)
