"""A commented settings file to start from, written from the same data that checks it."""

from __future__ import annotations

from pathlib import Path

from troly.config.schema import NO_SECTIONS, Sections, specs
from troly.errors import ConfigError
from troly.paths import PRIVATE, Paths
from troly.text.catalogue import Lang, tr


def write_default(paths: Paths, lang: Lang = "en", sections: Sections = NO_SECTIONS) -> Path:
    """Write `config.toml` with every setting as a comment unless it exists; returns its path. Raises ConfigError."""
    path = paths.config_file
    try:
        path.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(template(lang, sections))
    except FileExistsError:
        if not path.is_file():
            raise ConfigError("config.unwritable", path=path) from None
    except OSError as cause:
        raise ConfigError("config.unwritable", path=path) from cause
    return path


def template(lang: Lang, sections: Sections = NO_SECTIONS) -> str:
    """The text of a settings file in which every line is still a comment, tables excepted."""
    lines = [*_comment(tr("setting.template.head", lang)), ""]
    table = ""
    for spec in specs(sections).values():
        name = spec.key.rpartition(".")[0]
        if name != table:
            lines += [f"[{name}]"]
            table = name
        value = spec.about.example if spec.default is None else literal(spec.default)
        lines += [*_comment(spec.describe(lang)), f"# {spec.key.rpartition('.')[2]} = {value}", ""]
    lines += [
        *_comment(tr("setting.template.modes", lang)),
        "# [models.my-assistant]",
        '# chat = "gpt-oss:20b"',
        "",
    ]
    return "\n".join(lines)


def literal(value: object) -> str:
    """A setting's value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(literal, value))}]"
    text = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def _comment(text: str) -> list[str]:
    return [f"## {line}".rstrip() for line in text.splitlines()]
