"""Keys of the screen, made from the one list of actions and from what the user changed: bindings, labels, help, hints.

The entries stand in `troly.config.actions`, where the settings can check `[keys]` against them: add yours there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from textual.binding import Binding, BindingsMap
from textual.dom import DOMNode

from troly.config.actions import ACTIONS, Action, Place
from troly.config.key_names import key_label
from troly.text.catalogue import Lang, core_catalogue, tr

# A key that no terminal sends: what is bound to it cannot be pressed.
NEVER = "f99"
HINT_GAP = "   "


class HelpEntry(NamedTuple):
    """One line of the help: keys as people read them, and what they do."""

    press: str
    does: str


class Keymap:
    """The keys in force; `changed` holds keys by action name as the settings have them ("" for none)."""

    def __init__(self, changed: Mapping[str, str] | None = None) -> None:
        self.changed = dict(changed or {})
        self._bindings: dict[type[DOMNode], BindingsMap] = {}

    def change(self, changed: Mapping[str, str]) -> None:
        self.changed = dict(changed)
        self._bindings.clear()

    def keys(self, name: str) -> tuple[str, ...]:
        """The keys of an action, in the framework's names."""
        action = _BY_NAME.get(name)
        if name in self.changed:
            return tuple(self.changed[name].replace(",", " ").split())
        return action.keys if action else ()

    def press(self, name: str) -> str:
        """The first key of an action as people read it; "" when it has none."""
        keys = self.keys(name)
        return key_label(keys[0]) if keys else ""

    def all(self) -> set[str]:
        return {key for action in ACTIONS for key in self.keys(action.name)}

    def held_in(self, place: Place) -> set[str]:
        """The keys that do something while `place` has the focus."""
        return {
            key for action in ACTIONS if action.place in ("chat", place) for key in self.keys(action.name)
        }

    def overrides(self) -> dict[str, str]:
        """The framework's keymap: keys by id of the binding."""
        found: dict[str, str] = {}
        for name in self.changed:
            keys = self.keys(name)
            action = _BY_NAME[name]
            if "{}" in action.run:
                for number in range(1, max(len(keys), len(action.keys)) + 1):
                    found[f"{name}.{number}"] = keys[number - 1] if number <= len(keys) else NEVER
            else:
                found[name] = ",".join(keys) or NEVER
        return found

    def bindings_of(self, kind: type[DOMNode]) -> BindingsMap:
        """The bindings of a class of widgets with these keys; those of a derived class come first."""
        found = self._bindings.get(kind)
        if found is None:
            found = BindingsMap(one for base in kind.__mro__ for one in base.__dict__.get("BINDINGS", ()))
            found.apply_keymap(self.overrides())
            self._bindings[kind] = found
        return found

    def hints(self, names: Iterable[str], lang: Lang, words: Mapping[str, str] = MappingProxyType({})) -> str:
        """Keys with a word on each (`ui.key.<name>`, or what `words` has for it), for a line at the edge of a part."""
        shown = ((self.press(name), tr(f"ui.key.{words.get(name, name)}", lang)) for name in names)
        return HINT_GAP.join(f"{press} {word}" for press, word in shown if press)

    def help(self, places: Iterable[Place], lang: Lang) -> list[tuple[str, list[HelpEntry]]]:
        """Groups of keys: first those of `places`, in that order, then the rest; each with its heading."""
        order = list(places)
        groups: dict[str, list[HelpEntry]] = {}
        for action in sorted(ACTIONS, key=lambda a: order.index(a.place) if a.place in order else len(order)):
            keys = self.keys(action.name)
            if keys:
                short = f"help.{action.name}"
                does = f"ui.{short}" if short in core_catalogue().keys("ui") else f"ui.command.{action.name}"
                groups.setdefault(action.group, []).append(HelpEntry(_pressed(action, keys), tr(does, lang)))
        return [(tr(f"ui.help.{group}", lang), entries) for group, entries in groups.items()]


def bindings(place: Place) -> list[Binding]:
    """The bindings of a part of the screen, for its BINDINGS; what runs in the app is named `app.…`."""
    return [
        Binding(key, run, show=False, id=name, priority=name == "quit")
        for action in ACTIONS
        if action.place == place and action.run
        for name, run, key in _numbered(action)
    ]


def binding_of(node: DOMNode, key: str) -> Binding | None:
    """What `key` is bound to in `node` itself, with the user's keys."""
    found = keymap_of(node).bindings_of(type(node)).key_to_bindings.get(key)
    return found[0] if found else None


def keymap_of(node: DOMNode) -> Keymap:
    """The keys in force in the app of `node`; the usual ones in another app."""
    found = getattr(node.app, "keymap", None)
    return found if isinstance(found, Keymap) else Keymap()


def language_of(node: DOMNode) -> Lang:
    """The language of the interface in the app of `node`."""
    found: Lang = getattr(getattr(node.app, "controller", None), "language", "vi")
    return found


def title(action: Action, lang: Lang) -> str:
    return tr(f"ui.command.{action.name}", lang)


def _numbered(action: Action) -> Iterable[tuple[str, str, str]]:
    if "{}" in action.run:
        for number, key in enumerate(action.keys, start=1):
            yield f"{action.name}.{number}", action.run.format(number), key
    else:
        yield action.name, action.run, ",".join(action.keys) or NEVER


def _pressed(action: Action, keys: tuple[str, ...]) -> str:
    """Two keys at most; numbered ones as the first and the last."""
    if "{}" in action.run and len(keys) > 2:
        return f"{key_label(keys[0])} … {key_label(keys[-1])}"
    return "  ".join(key_label(key) for key in keys[:2])


_BY_NAME: Mapping[str, Action] = {action.name: action for action in ACTIONS}
