"""What is done with the open conversation in plain lines: title, pin, delete and back, export, marks of wrong answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly.cli.plain_printer import say_line
from troly.text.catalogue import tr

if TYPE_CHECKING:
    from troly.cli.plain import PlainChat


def rename(chat: PlainChat, value: str) -> None:
    """Give it another title."""
    if chat.conversation is None:
        say_line(chat.say("nothing_open"))
    else:
        chat.session.services.conversations.update(chat.login, chat.conversation, title=value)
        say_line(chat.say("renamed", title=value))


def pin(chat: PlainChat, _value: str) -> None:
    """Keep it at the top of the list, or no longer."""
    if chat.conversation is None:
        say_line(chat.say("nothing_open"))
        return
    store = chat.session.services.conversations
    pinned = not store.get(chat.login, chat.conversation).pinned
    store.update(chat.login, chat.conversation, pinned=pinned)
    say_line(chat.say("pinned" if pinned else "unpinned"))


def delete(chat: PlainChat, _value: str) -> None:
    """Take it from the list."""
    if chat.conversation is None:
        say_line(chat.say("nothing_open"))
        return
    chat.session.services.conversations.delete(chat.login, chat.conversation)
    chat.deleted, chat.conversation = chat.conversation, None
    say_line(chat.say("deleted"))


def undelete(chat: PlainChat, _value: str) -> None:
    """Bring back what was deleted."""
    if chat.deleted is None:
        say_line(tr("ui.list.nothing_deleted", chat.lang))
        return
    chat.session.services.conversations.restore(chat.login, chat.deleted)
    chat.conversation, chat.deleted = chat.deleted, None
    say_line(chat.say("restored"))


def export(chat: PlainChat, form: str) -> None:
    """Write it to a file."""
    from troly.conversation.export import render_conversation, write_new_file

    if chat.conversation is None:
        say_line(chat.say("nothing_open"))
        return
    services, form = chat.session.services, form or "md"
    whole = services.conversations.export(chat.login, chat.conversation)
    text = render_conversation(whole, form, chat.lang, chat.session.zone)
    file = write_new_file(services.paths.exports, services.clock(), whole.conversation.title, form, text)
    say_line(tr("ui.export.saved", chat.lang, file=file))


def wrong(chat: PlainChat, value: str) -> None:
    """Mark the last answer as wrong: a reason, then words of one's own."""
    from troly.conversation.wrong import REASONS, mark_wrong

    reason, _, note = value.partition(" ")
    if not chat.turn:
        say_line(chat.say("no_evidence"))
    elif reason not in REASONS:
        for one in REASONS:
            say_line(chat.say("reason", name=one, help=tr(f"cli.wrong.reasons.{one}", chat.lang)))
    else:
        session = chat.session
        marked = mark_wrong(
            session.services, session.registry, chat.login, chat.turn, reason, note=note.strip()
        )
        say_line(tr("ui.wrong.done", chat.lang, file=marked.file))
