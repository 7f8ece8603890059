"""Where Troly keeps its data, its settings and its cache on this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from troly.errors import ConfigError, StoreError, TrolyError

HOME_VARIABLE = "TROLY_HOME"
# The documents' names for the folder of document vectors and for the database (000-64).
CHROMA_VARIABLE, DATABASE_VARIABLE = "CHROMA_PATH", "DATABASE_URL"
PRIVATE = 0o700


@dataclass(frozen=True)
class Paths:
    """The three folders of one Troly, and the files with a fixed place in them.

    `vectors` and `database` stand elsewhere where the environment says so; `refused` is the kind of a database that it asks
    for and that there is no driver for.
    """

    data: Path
    config: Path
    cache: Path
    vectors: Path | None = None
    database: Path | None = None
    refused: str = ""

    @classmethod
    def resolve(cls, env: Mapping[str, str] | None = None) -> Paths:
        """The folders that `env` (the process's own by default) asks for; nothing is created.

        `TROLY_HOME` puts all three under one folder; without it they are the platform's folders for this login.
        `CHROMA_PATH` is the folder of document vectors, `DATABASE_URL` the database as `sqlite:///FILE` (000-64).
        """
        said = {name: value.strip() for name, value in (os.environ if env is None else env).items()}
        vectors = _absolute(folder) if (folder := said.get(CHROMA_VARIABLE)) else None
        scheme, _, file = said.get(DATABASE_VARIABLE, "").partition(":///")
        database = _absolute(file) if scheme == "sqlite" and file.strip("/") else None
        refused = "" if database else scheme.partition(":")[0]
        if home := said.get(HOME_VARIABLE):
            base = _absolute(home)
            return cls(base / "data", base / "config", base / "cache", vectors, database, refused)
        from platformdirs import PlatformDirs

        dirs = PlatformDirs("troly", appauthor=False)
        data, config, cache = map(Path, (dirs.user_data_dir, dirs.user_config_dir, dirs.user_cache_dir))
        return cls(data, config, cache, vectors, database, refused)

    @property
    def state_db(self) -> Path:
        """The SQLite database of conversations, turns and chunks."""
        return self.database or self.data / "state.db"

    @property
    def datasets(self) -> Path:
        return self.data / "datasets"

    @property
    def chroma(self) -> Path:
        return self.vectors or self.data / "chroma"

    @property
    def memory(self) -> Path:
        """Folder of the vectors of conversations; nothing of the documents is in it."""
        return self.data / "chroma-memory"

    @property
    def set_aside(self) -> Path:
        """Folder for damaged files, which are moved there and never deleted."""
        return self.data / "set-aside"

    @property
    def exports(self) -> Path:
        """Folder for tables that a person saved from the screen."""
        return self.data / "exports"

    @property
    def cases(self) -> Path:
        """Folder of the eval cases made of answers that were marked as wrong, one file a mode."""
        return self.data / "eval"

    @property
    def history(self) -> Path:
        """The messages typed earlier, for recalling them."""
        return self.data / "history"

    @property
    def config_file(self) -> Path:
        return self.config / "config.toml"

    @property
    def users_file(self) -> Path:
        """Who the logins of this machine are: names, roles, permissions."""
        return self.config / "users.toml"

    @property
    def user_personas(self) -> Path:
        """Folder of this installation's own personas; they win over the ones that ship."""
        return self.config / "personas"

    def ensure(self) -> None:
        """Create the folders that are missing, open to their owner only; folders that exist keep their rights.

        Raises StoreError when data cannot be kept, ConfigError when the settings folder cannot be made. A settings
        folder that may only be read is fine: a shared installation has one.
        """
        if self.refused:
            raise ConfigError("paths.database_url", kind=self.refused, variable=DATABASE_VARIABLE)
        _make(self.data, StoreError)
        if not os.access(self.data, os.W_OK | os.X_OK):
            raise StoreError("paths.read_only", path=self.data, variable=HOME_VARIABLE)
        for elsewhere in (self.vectors, self.database.parent if self.database else None):
            if elsewhere is not None:
                _make(elsewhere, StoreError)
        _make(self.cache, StoreError)
        _make(self.config, ConfigError)


def write_whole(path: Path, text: str) -> None:
    """Write a file of its owner's alone so that it is there whole or not at all; its folder is made. Raises OSError."""
    path.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(text.encode("utf-8", "replace"))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise


def _absolute(folder: str) -> Path:
    path = Path(folder)
    try:
        path = path.expanduser()
    except RuntimeError:  # an account without a home folder: the text is taken as it stands
        path = Path(folder)
    return Path(os.path.abspath(path))  # noqa: PTH100 (resolve() would follow a link that the person chose to keep)


def _make(folder: Path, error: type[TrolyError]) -> None:
    """Create `folder` (0700) with its parents; an existing folder is left alone."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=PRIVATE, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as cause:
        raise error("paths.not_folder", path=folder, variable=HOME_VARIABLE) from cause
    except (OSError, ValueError) as cause:
        raise error("paths.create", path=folder, variable=HOME_VARIABLE) from cause
