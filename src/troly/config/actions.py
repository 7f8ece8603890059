"""The one list of what can be done on the screen: names, what runs, keys, and where each holds.

Bindings, palette, help, hints and the `[keys]` table are all made from it (`troly.tui.keymap`). An entry needs
`ui.command.<name>` (one line in both languages); `ui.help.<name>` and `ui.key.<name>` are shorter and may be left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias, get_args

# `chat` holds everywhere on the chat; `prompt`, `transcript`, `list` and `evidence` are parts of it with the focus, as is
# `find`, which takes its keys before all others; `grid`, `read` (a part of an answer, large), `search`, `paste`, `browse` (settings), `query`, `compare` and `dialog` (all others above
# the chat) are screens of their own.
Place: TypeAlias = Literal[
    "chat", "prompt", "transcript", "list", "evidence", "find", "grid", "read", "search", "paste",
    "browse", "query", "compare", "dialog",
]  # fmt: skip
PLACES: tuple[Place, ...] = get_args(Place)
INSIDE_CHAT = ("prompt", "transcript", "list", "evidence")


class Action(NamedTuple):
    """One thing to do.

    Attributes:
        name: its key in `[keys]` and in the catalogue.
        run: the framework's action; with `{}` each key stands for the next number from 1. "" is done by the part
            itself and only told of in the help.
        keys: as `key_name` gives them.
        place: where the keys hold.
        group: the heading in the help.
        palette: whether the palette offers it.
        fixed: the keys cannot be changed.
        needed: there must be a key for it.
    """

    name: str
    run: str
    keys: tuple[str, ...] = ()
    place: Place = "chat"
    group: str = "look"
    palette: bool = False
    fixed: bool = False
    needed: bool = False


NUMBERED = tuple(f"alt+{number}" for number in range(1, 10))

DIGITS = tuple(str(number) for number in range(1, 10))

ACTIONS: tuple[Action, ...] = (
    # Writing.
    Action("send", "send", ("enter",), "prompt", "write", needed=True),
    Action("newline", "newline", ("ctrl+j", "alt+enter", "shift+enter"), "prompt", "write"),
    Action("complete", "", ("tab",), "prompt", "write", fixed=True),
    Action("unfold", "app.unfold", ("alt+o",), "chat", "write", palette=True),
    Action("undo", "undo", ("ctrl+underscore", "alt+z"), "prompt", "write"),
    Action("history", "", ("up", "down"), "prompt", "write", fixed=True),
    # Conversation.
    Action("stop", "app.stop", ("escape",), "chat", "talk", palette=True),
    Action("again", "app.again", ("ctrl+r",), "chat", "talk", palette=True),
    Action("continue", "app.message('continue')", ("ctrl+t",), "chat", "talk", palette=True),
    Action("compare", "app.message('compare')", (), "chat", "talk", palette=True),
    Action("branch", "app.message('branch')", (), "chat", "talk", palette=True),
    Action("origin", "app.origin", ("alt+g",), "chat", "talk", palette=True),
    Action("edit", "app.edit", (), "chat", "talk", palette=True),
    Action("acknowledge", "app.acknowledge", ("alt+a",), "chat", "talk", palette=True),
    Action("handoff", "app.handoff", (), "chat", "talk", palette=True),
    Action("waiting", "app.waiting", ("alt+c",), "chat", "talk", palette=True),
    Action("new", "app.new", ("ctrl+n",), "chat", "talk", palette=True),
    Action("assistants", "app.place({})", NUMBERED, "chat", "talk"),
    Action("next_mode", "app.step(1)", ("f4",), "chat", "talk"),
    Action("rename", "app.rename", (), "chat", "talk", palette=True),
    Action("pin", "app.pin", (), "chat", "talk", palette=True),
    Action("export", "app.export_conversation('md')", (), "chat", "talk", palette=True),
    Action("delete", "app.delete", (), "chat", "talk", palette=True),
    Action("undelete", "app.undelete", (), "chat", "talk", palette=True),
    # Open conversations.
    Action("next_pane", "app.next_pane(1)", ("ctrl+pagedown", "alt+right"), "chat", "panes", palette=True),
    Action("previous_pane", "app.next_pane(-1)", ("ctrl+pageup", "alt+left"), "chat", "panes", palette=True),
    Action("panes", "app.panes", ("f8",), "chat", "panes", palette=True),
    Action("close", "app.close", ("alt+w",), "chat", "panes", palette=True),
    Action("reopen", "app.reopen", ("alt+t",), "chat", "panes", palette=True),
    Action("split", "app.split", ("f6",), "chat", "panes", palette=True),
    Action("turn", "app.turn", ("f7",), "chat", "panes", palette=True),
    # Looking.
    Action("scroll", "", ("pageup", "pagedown"), "chat", fixed=True),
    Action("end", "app.newest", ("ctrl+end",), "chat", palette=True),
    Action("list", "app.list", ("f2",), "chat", palette=True),
    Action("messages", "app.messages", ("f9", "ctrl+up"), "chat", palette=True),
    Action("find", "app.find", ("ctrl+g",), "chat", palette=True),
    Action("search", "app.search", ("ctrl+f",), "chat", palette=True),
    Action("evidence", "app.evidence", ("f3",), "chat", palette=True),
    Action("evidence_full", "app.evidence_full", ("alt+e",), "chat", palette=True),
    Action("grid", "app.grid", ("f5",), "chat", palette=True),
    Action("query", "app.query", ("alt+q",), "chat", palette=True),
    Action("copy", "app.copy_answer", (), "chat", palette=True),
    Action("wrong", "app.wrong", ("f12",), "chat", "talk", palette=True),
    Action("interrupt", "app.interrupt", ("ctrl+c",), "chat", fixed=True),
    # The app.
    Action("palette", "app.palette", ("ctrl+p",), "chat", "app"),
    Action("help", "app.help", ("f1",), "chat", "app", palette=True),
    Action("language_vi", "app.language('vi')", (), "chat", "app", palette=True),
    Action("language_en", "app.language('en')", (), "chat", "app", palette=True),
    Action("theme_dark", "app.theme('dark')", (), "chat", "app", palette=True),
    Action("theme_light", "app.theme('light')", (), "chat", "app", palette=True),
    Action("theme_contrast", "app.theme('contrast')", (), "chat", "app", palette=True),
    Action("settings", "app.settings", ("alt+m",), "chat", "app", palette=True),
    Action("pull", "app.pull", (), "chat", "app", palette=True),
    Action("ingest", "app.ingest", (), "chat", "app", palette=True),
    Action("cancel_work", "app.cancel_work", (), "chat", "app", palette=True),
    Action("suspend", "app.suspend", ("ctrl+z",), "chat", "app", palette=True),
    Action("quit", "app.quit", ("ctrl+q",), "chat", "app", palette=True),
    # The transcript with the focus.
    Action("transcript_older", "choose(-1)", ("up", "k"), "transcript", "in_transcript"),
    Action("transcript_newer", "choose(1)", ("down", "j"), "transcript", "in_transcript"),
    Action("transcript_open", "app.message('open')", ("enter",), "transcript", "in_transcript"),
    Action("transcript_fold", "app.message('fold')", ("z", "space"), "transcript", "in_transcript"),
    Action("transcript_values", "app.message('values')", ("t",), "transcript", "in_transcript"),
    Action("transcript_number", "app.number({})", DIGITS, "transcript", "in_transcript"),
    Action("transcript_menu", "app.message('menu')", ("m",), "transcript", "in_transcript"),
    Action("transcript_copy", "app.message('copy')", ("y",), "transcript", "in_transcript"),
    Action("transcript_code", "app.message('code')", ("b",), "transcript", "in_transcript"),
    Action("transcript_quote", "app.message('quote')", ("q",), "transcript", "in_transcript"),
    Action("transcript_continue", "app.message('continue')", ("c",), "transcript", "in_transcript"),
    Action("transcript_again", "app.message('again')", ("r",), "transcript", "in_transcript"),
    Action("transcript_edit", "app.message('edit')", ("e",), "transcript", "in_transcript"),
    Action("transcript_save", "app.message('save')", ("s",), "transcript", "in_transcript"),
    Action("transcript_compare", "app.message('compare')", ("v",), "transcript", "in_transcript"),
    Action("transcript_branch", "app.message('branch')", ("f",), "transcript", "in_transcript"),
    Action("transcript_query", "app.query", ("x",), "transcript", "in_transcript"),
    Action("transcript_wrong", "app.message('wrong')", ("w",), "transcript", "in_transcript"),
    Action("transcript_find", "app.find", ("slash",), "transcript", "in_transcript"),
    Action("transcript_help", "app.help", ("question_mark",), "transcript", "in_transcript"),
    # The list of conversations with the focus.
    Action("list_choose", "", ("up", "down"), "list", "in_list", fixed=True),
    Action("list_open", "open", ("enter",), "list", "in_list"),
    Action("list_search", "app.search", ("slash",), "list", "in_list"),
    Action("list_rename", "app.rename", ("alt+r",), "list", "in_list"),
    Action("list_pin", "app.pin", ("alt+p",), "list", "in_list"),
    Action("list_delete", "app.delete", ("delete",), "list", "in_list"),
    Action("list_undelete", "app.undelete", ("alt+u",), "list", "in_list"),
    Action("list_help", "app.help", ("question_mark",), "list", "in_list"),
    # The evidence with the focus.
    Action("evidence_open", "open", ("enter",), "evidence", "in_evidence"),
    Action("evidence_whole", "app.evidence_full", ("f",), "evidence", "in_evidence"),
    Action("evidence_copy", "copy", ("c",), "evidence", "in_evidence"),
    Action("evidence_wrong", "app.wrong", ("w",), "evidence", "in_evidence"),
    Action("evidence_help", "app.help", ("question_mark",), "evidence", "in_evidence"),
    # The line that finds words in a conversation.
    Action("find_older", "", ("up", "enter"), "find", "in_find", fixed=True),
    Action("find_newer", "", ("down", "shift+enter"), "find", "in_find", fixed=True),
    Action("find_close", "", ("escape",), "find", "in_find", fixed=True),
    # A table as a grid.
    Action("grid_sort", "sort", ("s",), "grid", "in_grid"),
    Action("grid_filter", "filter", ("f",), "grid", "in_grid"),
    Action("grid_export", "export", ("x",), "grid", "in_grid"),
    Action("grid_excel", "export('xlsx')", ("e",), "grid", "in_grid"),
    Action("grid_next", "other(1)", ("n",), "grid", "in_grid"),
    Action("grid_previous", "other(-1)", ("p",), "grid", "in_grid"),
    Action("grid_close", "app.pop_screen", ("escape", "q"), "grid", "in_grid", needed=True),
    Action("grid_help", "app.help", ("f1", "question_mark"), "grid", "in_grid"),
    # Any other part of an answer on the whole screen.
    Action("read_scroll", "", ("up", "down"), "read", "in_read", fixed=True),
    Action("read_copy", "copy", ("y",), "read", "in_read"),
    Action("read_save", "save", ("s",), "read", "in_read"),
    Action("read_next", "other(1)", ("n", "right"), "read", "in_read"),
    Action("read_previous", "other(-1)", ("p", "left"), "read", "in_read"),
    Action("read_close", "app.pop_screen", ("escape", "q", "enter", "f5"), "read", "in_read", needed=True),
    Action("read_help", "app.help", ("f1", "question_mark"), "read", "in_read"),
    # Pasted text, opened.
    Action("paste_help", "app.help", ("f1",), "paste", "in_paste"),
    Action("paste_close", "leave", ("escape",), "paste", "in_paste", needed=True),
    # The search in all messages.
    Action("search_choose", "", ("up", "down"), "search", "in_search", fixed=True),
    Action("search_open", "", ("enter",), "search", "in_search", fixed=True),
    Action("search_close", "leave", ("escape", "ctrl+f"), "search", "in_search", needed=True),
    Action("search_help", "app.help", ("f1",), "search", "in_search"),
    # Pages of entries: models, settings, what is remembered, who waits for a person.
    Action("browse_choose", "", ("up", "down"), "browse", "in_browse", fixed=True),
    Action("browse_take", "", ("enter",), "browse", "in_browse", fixed=True),
    Action("browse_remove", "", ("delete",), "browse", "in_browse", fixed=True),
    Action("browse_page", "", ("tab",), "browse", "in_browse", fixed=True),
    Action("browse_scroll", "", ("pageup", "pagedown"), "browse", "in_browse", fixed=True),
    Action("browse_copy", "copy", ("ctrl+y",), "browse", "in_browse"),
    Action("browse_close", "leave", ("escape",), "browse", "in_browse", needed=True),
    Action("browse_help", "app.help", ("f1",), "browse", "in_browse"),
    # The editor of queries.
    Action("query_run", "run", ("f5", "ctrl+r"), "query", "in_query", needed=True),
    Action("query_take", "", ("tab",), "query", "in_query", fixed=True),
    Action("query_next", "names(1)", ("ctrl+n",), "query", "in_query"),
    Action("query_previous", "names(-1)", ("ctrl+p",), "query", "in_query"),
    Action("query_save", "save", ("ctrl+s",), "query", "in_query"),
    Action("query_open", "open", ("ctrl+o",), "query", "in_query"),
    Action("query_close", "leave", ("escape",), "query", "in_query", needed=True),
    Action("query_help", "app.help", ("f1",), "query", "in_query"),
    # Two answers beside each other.
    Action("compare_scroll", "", ("up", "down"), "compare", "in_compare", fixed=True),
    Action("compare_keep", "keep", ("enter",), "compare", "in_compare", needed=True),
    Action("compare_close", "leave", ("escape",), "compare", "in_compare", needed=True),
    Action("compare_help", "app.help", ("f1",), "compare", "in_compare"),
    # Every other question above the chat: commands, messages, titles, files, what is wrong.
    Action("dialog_choose", "", ("up", "down"), "dialog", "in_dialog", fixed=True),
    Action("dialog_complete", "", ("tab",), "dialog", "in_dialog", fixed=True),
    Action("dialog_take", "", ("enter",), "dialog", "in_dialog", fixed=True),
    Action("dialog_close", "", ("escape",), "dialog", "in_dialog", fixed=True),
    Action("dialog_help", "app.help", ("f1",), "dialog", "in_dialog"),
)


def together(first: Place, second: Place) -> bool:
    """Whether one key press can be meant for both places."""
    return first == second or ("chat" in (first, second) and (first in INSIDE_CHAT or second in INSIDE_CHAT))


def clashes(changed: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Each changed action that shares a key with another where both hold: its name, the other's, the key.

    `changed` holds keys by action name, comma-separated. Of two changed ones the later is told.
    """
    seen: dict[str, list[Action]] = {}
    order = sorted(ACTIONS, key=lambda action: action.name in changed)
    for action in order:
        keys = changed[action.name].split(", ") if action.name in changed else action.keys
        for key in keys:
            if not key:
                continue
            if action.name in changed:
                other = next((one for one in seen.get(key, ()) if together(one.place, action.place)), None)
                if other is not None:
                    yield action.name, other.name, key
            seen.setdefault(key, []).append(action)
