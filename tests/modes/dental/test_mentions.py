"""Dental notes as names after @: in the person's language first, and a title in quotes leads to its note."""

from __future__ import annotations

from pathlib import Path

from tests.support.modes.dental import clinic_at
from tests.support.stores.services import profile
from troly_dental import MODE


async def test_notes_are_offered_and_the_quoted_title_finds_the_note(tmp_path: Path) -> None:
    with clinic_at(tmp_path, TROLY_LANGUAGE="vi") as clinic:
        offered = MODE.mentions(clinic.services, profile(), "rang", 8)
        assert offered
        assert all("ghi chú" in hint for _, hint in offered)
        title = next(name for name, _ in MODE.mentions(clinic.services, profile(), "nho rang", 8))
        told = await clinic.ask(f'Nói cho tôi về "{title}"', offline=True)
        assert title in str(told.events)
        assert len(MODE.mentions(clinic.services, profile(), "", 5)) == 5


async def test_nothing_without_notes(tmp_path: Path) -> None:
    with clinic_at(tmp_path, notes=False) as clinic:
        assert MODE.mentions(clinic.services, profile(), "", 8) == []
