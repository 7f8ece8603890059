"""The settings of Troly as one typed, frozen model; every field carries its default, kind and example as data.

Assistants bring tables of their own, made of the same parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar

from troly.config import kinds
from troly.config.address import DEFAULT_HOST, DEFAULT_PORT
from troly.config.kinds import SettingKind

Language = Literal["auto", "vi", "en"]
Section = TypeVar("Section")
ROLES = ("chat", "small", "guard", "embed")
# The embedder is one for all: vectors of two embedders cannot be compared.
MODE_ROLES = ("chat", "small", "guard")


class About(NamedTuple):
    """What a field says of itself.

    `example` is a TOML value; `env` holds names that other programs and the documents use beside `TROLY_…`.
    `strictness` lists values from the most open to the strictest: the environment may only make it stricter.
    """

    kind: SettingKind
    example: str
    env: tuple[str, ...] = ()
    strictness: tuple[str, ...] = ()


def about(kind: SettingKind, example: str, *env: str, strictness: tuple[str, ...] = ()) -> dict[str, About]:
    """A field's metadata; its description is `setting.about.<key>` in the catalogue."""
    return {"about": About(kind, example, env, strictness)}


@dataclass(frozen=True)
class OllamaSettings:
    """The Ollama server: where it is and how long to wait for it, in seconds."""

    url: str = field(
        default=f"http://{DEFAULT_HOST}:{DEFAULT_PORT}",
        metadata=about(
            kinds.url(), '"http://192.168.1.20:11434"', "OLLAMA_BASE_URL", "OLLAMA_HOST", "OLLAMA_PORT"
        ),
    )
    urls: tuple[str, ...] = field(default=(), metadata=about(kinds.urls(), '["http://192.168.1.21:11434"]'))
    parallel: int = field(default=0, metadata=about(kinds.whole(0, 1_000), "4"))
    connect_timeout: float = field(default=5.0, metadata=about(kinds.number(0.1, 600), "5.0"))
    first_token_timeout: float = field(default=180.0, metadata=about(kinds.number(0.1, 3600), "180.0"))
    read_timeout: float = field(default=60.0, metadata=about(kinds.number(0.1, 3600), "60.0"))
    keep_alive: str = field(default="15m", metadata=about(kinds.duration(), '"1h"'))
    context_tokens: int = field(default=8192, metadata=about(kinds.whole(512, 1_048_576), "16384"))
    fallback_model: bool = field(default=True, metadata=about(kinds.flag(), "false"))
    endpoint: Literal["chat", "generate"] = field(
        default="chat", metadata=about(kinds.choice("chat", "generate"), '"generate"')
    )


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True)
class ModelSettings:
    """Which model does what; `modes` holds the choices of single modes: mode, role, name."""

    chat: str = field(default="gpt-oss", metadata=about(kinds.words(), '"gpt-oss:20b"'))
    small: str = field(default="qwen2.5:7b-instruct", metadata=about(kinds.words(), '"qwen2.5:7b-instruct"'))
    guard: str = field(default="qwen2.5:3b-instruct", metadata=about(kinds.words(), '"qwen2.5:3b-instruct"'))
    embed: str = field(default="bge-m3", metadata=about(kinds.words(), '"bge-m3"'))
    modes: Mapping[str, Mapping[str, str]] = field(default_factory=_nothing)

    def for_mode(self, mode_id: str, role: str) -> str:
        """The model that `mode_id` uses as `role` (chat, small, guard, embed); raises KeyError for another role."""
        if role not in ROLES:
            raise KeyError(role)
        chosen: str = self.modes.get(mode_id, {}).get(role) or getattr(self, role)
        return chosen


@dataclass(frozen=True)
class BudgetSettings:
    """What one turn may cost."""

    calls: int = field(default=8, metadata=about(kinds.whole(1, 100), "4"))
    seconds: float = field(default=180.0, metadata=about(kinds.number(1, 3600), "60.0"))


@dataclass(frozen=True)
class ChromaSettings:
    """The vector store (000-55)."""

    collection: str = field(
        default="conversations_dev",
        metadata=about(kinds.collection(), '"conversations"', "CHROMA_COLLECTION"),
    )
    url: str | None = field(default=None, metadata=about(kinds.url(), '"http://192.168.1.30:8000"'))
    token: str | None = field(default=None, metadata=about(kinds.secret(), '"…"'))
    sync: bool = field(default=False, metadata=about(kinds.flag(), "true"))


@dataclass(frozen=True)
class DatabaseSettings:
    """The database of the stores; none is SQLite in the data folder."""

    url: str | None = field(
        default=None, metadata=about(kinds.secret(), '"postgresql+psycopg://troly:…@127.0.0.1/troly"')
    )


@dataclass(frozen=True)
class FileSettings:
    """Where published data files are kept for several machines, and how much of them this one keeps."""

    url: str | None = field(default=None, metadata=about(kinds.words(), '"s3://troly/files"'))
    endpoint: str | None = field(default=None, metadata=about(kinds.url(), '"http://192.168.1.30:7070"'))
    cache_megabytes: int = field(default=20_000, metadata=about(kinds.whole(1, 100_000_000), "50000"))


@dataclass(frozen=True)
class PersonaSettings:
    """The voice of the first assistant (000-09), and how much of a voice a prompt takes (000-10)."""

    path: Path | None = field(
        default=None, metadata=about(kinds.file(), '"personas/shop_vi.md"', "PERSONA_PATH")
    )
    max_chars: int = field(default=4000, metadata=about(kinds.whole(1, 100_000), "2000", "PERSONA_MAX_CHARS"))


@dataclass(frozen=True)
class IdentitySettings:
    """Whether one login may act as another."""

    impersonation: Literal["auto", "yes", "no"] = field(
        default="auto",
        metadata=about(kinds.choice("auto", "yes", "no"), '"no"', strictness=("yes", "auto", "no")),
    )


@dataclass(frozen=True)
class FocusSettings:
    """How long people may point at what was shown: "cái thứ hai" (002-05)."""

    minutes: float = field(default=30.0, metadata=about(kinds.number(1, 10_080), "60.0"))
    messages: int = field(default=20, metadata=about(kinds.whole(1, 1000), "10"))


@dataclass(frozen=True)
class ServerSettings:
    """`app serve`: who may reach it and how much one may ask of it.

    `hosts` and `origins` are lists with commas. `api_keys` are the documents' keys, `login:key` with commas (000-64).
    """

    host: str = field(default="127.0.0.1", metadata=about(kinds.words(), '"0.0.0.0"'))
    port: int = field(default=8000, metadata=about(kinds.whole(0, 65_535), "8000"))
    open: bool = field(default=False, metadata=about(kinds.flag(), "true"))
    hosts: str | None = field(default=None, metadata=about(kinds.words(), '"troly.example.com"'))
    origins: str | None = field(default=None, metadata=about(kinds.words(), '"https://chat.example.com"'))
    api_keys: str | None = field(default=None, metadata=about(kinds.secret(), '"an:abc"', "X_API_KEYS"))
    body_kilobytes: int = field(default=1024, metadata=about(kinds.whole(1, 1_048_576), "256"))
    upload_megabytes: int = field(default=64, metadata=about(kinds.whole(1, 10_240), "200"))
    head_seconds: float = field(default=10.0, metadata=about(kinds.number(0.1, 600), "5.0"))
    body_seconds: float = field(default=60.0, metadata=about(kinds.number(0.1, 3600), "30.0"))
    turns: int = field(default=400, metadata=about(kinds.whole(1, 100_000), "100"))
    queue: int = field(default=2000, metadata=about(kinds.whole(1, 1_000_000), "500"))
    drain_seconds: float = field(default=20.0, metadata=about(kinds.number(0, 3600), "60.0"))
    prepare: bool = field(default=True, metadata=about(kinds.flag(), "false"))
    visitor_megabytes: int = field(default=150, metadata=about(kinds.whole(1, 100_000), "130"))
    idle_minutes: float = field(default=30.0, metadata=about(kinds.number(0.01, 100_000), "10.0"))


@dataclass(frozen=True)
class Settings:
    """All settings.

    `keys` holds the changed keys of the screen by action name, comma-separated, "" for none; `sections` the tables of
    the assistants by name (`troly.plugin.contract.Mode.settings`). `mode` None is the first assistant there is.
    """

    language: Language = field(default="auto", metadata=about(kinds.choice("auto", "vi", "en"), '"vi"'))
    theme: str = field(default="dark", metadata=about(kinds.name(), '"light"'))
    mode: str | None = field(default=None, metadata=about(kinds.name(), '"my-assistant"'))
    timezone: str = field(default=kinds.DEFAULT_ZONE, metadata=about(kinds.zone(), '"Asia/Ho_Chi_Minh"'))
    ollama: OllamaSettings = field(default_factory=OllamaSettings)
    models: ModelSettings = field(default_factory=ModelSettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    database: DatabaseSettings = field(default_factory=DatabaseSettings)
    files: FileSettings = field(default_factory=FileSettings)
    chroma: ChromaSettings = field(default_factory=ChromaSettings)
    persona: PersonaSettings = field(default_factory=PersonaSettings)
    identity: IdentitySettings = field(default_factory=IdentitySettings)
    focus: FocusSettings = field(default_factory=FocusSettings)
    server: ServerSettings = field(default_factory=ServerSettings)
    keys: Mapping[str, str] = field(default_factory=_nothing)
    sections: Mapping[str, object] = field(default_factory=_nothing)

    def of(self, section: type[Section]) -> Section:
        """The settings of an assistant, by their class; its defaults where nobody said anything."""
        found = next((one for one in self.sections.values() if isinstance(one, section)), None)
        return section() if found is None else found
