"""Typed commands of the chat in lines: all that the screen has and lines can tell."""

from __future__ import annotations

from pathlib import Path

from tests.support.process.command_line import CommandLine
from troly.conversation.commands import TYPED
from troly.text.catalogue import core_catalogue


def test_every_command_of_either_face_is_told_in_lines(app: CommandLine) -> None:
    known = core_catalogue().keys("cli")
    for one in TYPED:
        assert one.plain == "no" or f"plain.help.{one.name}" in known
    screen_only = ["/theme dark", "/split", "/grid", "/cancel-work"]
    told = app.run("--plain", "--lang", "en", stdin="\n".join(["/help", *screen_only, "/quit"]))
    for one in TYPED:
        if one.plain != "no":
            assert f"/{one.name}" in told.out
    assert told.out.count("is only on the full screen") == len(screen_only)


def test_asking_for_a_person_in_lines(app: CommandLine) -> None:
    told = app.run("--plain", "--lang", "vi", stdin="/handoff\n/mode dental\n/handoff\n")
    assert "Đã chuyển cho nhân viên" in told.out
    assert "không chuyển cho nhân viên được" in told.out
    assert "/mode shopping" in told.out


def test_data_is_loaded_exported_and_marked_in_lines(app: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "danh sach.csv"
    file.write_text("serial,product_name,warranty_end_date\nQQ9911,Loa,2027-01-31\nno,x,y\n", "utf-8")
    said = (
        f'/ingest warranty "{file}" --dry-run\n/ingest warranty\n/ingest warranty x.csv --bad\n/ingest sheet /no/file\n'
        f'/ingest warranty "{file}"\nQQ9911\n/pin\n/export json\n/wrong\n/wrong facts ngày sai\n/continue\n/pull x\n'
    )
    told = app.run("--plain", "--lang", "vi", stdin=said)
    for expected in (
        "Chạy thử: chưa có gì thay đổi.", "--replace: Thay toàn bộ", "không có `--bad`", "Không thấy `/no/file`",
        "Loa", "Đã ghim", ".json", "/wrong facts: ", "Đã đánh dấu", "đã đủ", "Xong.",
    ):  # fmt: skip
        assert expected in told.out, expected
    assert "Traceback" not in told.out + told.err
