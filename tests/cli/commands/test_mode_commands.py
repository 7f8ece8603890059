"""Commands that modes declare: looking up the serials of a file, and the conversations handed to a person."""

from __future__ import annotations

import csv
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.process.command_line import CommandLine, json_line, of_type
from troly.cli.commands.mode_commands import by_first_word
from troly.paths import Paths
from troly.plugin.contract import Command, CommandResult, Parameter
from troly.plugin.registry import contract_problems
from troly_shopping import MODE

WARRANTIES = (
    "serial,product_name,warranty_end_date\nABC123,Laptop Dell,2024-12-31\nXYZ789,=cmd()\x1b[31m,30/06/2030\n"
)
NOW = ("--now", "2026-11-22")


@pytest.fixture
def loaded(app: CommandLine, tmp_path: Path) -> CommandLine:
    """A house with a warranty list of its own."""
    file = tmp_path / "warranty.csv"
    file.write_text(WARRANTIES.replace("\x1b[31m", ""), encoding="utf-8")
    assert app.run("ingest", "warranty", str(file), "--replace").code == 0
    return app


def _file(folder: Path, content: str | bytes, name: str = "list.txt") -> str:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def test_a_list_of_serials_gives_one_table(loaded: CommandLine, tmp_path: Path) -> None:
    ran = loaded.run("warranty", "check", _file(tmp_path, "abc123\r\n\r\nXYZ789\nQQ9991\n"), *NOW)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].split() == ["Serial", "Product", "Warranty", "ends", "Days", "left", "State"]
    assert "31/12/2024" in lines[2]
    assert "expired" in lines[2]
    assert "30/6/2030" in lines[3]
    assert lines[4].split() == ["QQ9991", "not", "found"]
    assert "3 serials: 1 covered, 1 expired, 1 not found; 0 lines left out." in ran.err


def test_bad_lines_are_told_with_their_numbers(loaded: CommandLine, tmp_path: Path) -> None:
    ran = loaded.run(
        "warranty", "check", _file(tmp_path, "ABC123\nABC 123\nmáy1\nAB\nABCDEF\nabc123\n\x1b[31mA1B\n"), *NOW
    )
    assert ran.code == 0
    assert [line.split(":")[0] for line in ran.err.splitlines() if line.startswith("Line")] == [
        "Line 2", "Line 3", "Line 4", "Line 5", "Line 6", "Line 7",
    ]  # fmt: skip
    assert "it is on line 1 already" in ran.err
    assert "\x1b" not in ran.err + ran.out


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("product,serial\nLaptop,ABC123\nMouse,QQ9991\n", "a.csv"),
        ("Số seri;ghi chú\nABC123;x\nQQ9991;\n", "b.csv"),
        ("serial\nABC123\nQQ9991\n", "c.txt"),
        ('\ufeffserial\tnote\n"ABC123"\ta\nQQ9991\tb\n', "d.csv"),
        ("ABC123\nQQ9991", "e.txt"),
        ("ABC123\nQQ9991\n".encode("utf-16"), "f.txt"),
    ],
)
def test_text_and_csv_in_many_forms(
    loaded: CommandLine, tmp_path: Path, content: str | bytes, name: str
) -> None:
    ran = loaded.run("warranty", "check", _file(tmp_path, content, name), "--json", *NOW)
    assert [(row["serial"], row["state"], row["days"]) for row in ran.events] == [
        ("ABC123", "expired", -691), ("QQ9991", "not_found", None),
    ]  # fmt: skip


def test_the_table_as_a_csv_file(loaded: CommandLine, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    args = ("warranty", "check", _file(tmp_path, "ABC123\nXYZ789\nQQ9991\n"), "--csv", str(out), *NOW)
    ran = loaded.run(*args, "--lang", "vi")
    assert (ran.code, ran.out) == (0, "")
    rows = list(csv.reader(out.read_text("utf-8-sig").splitlines()))
    assert rows[0] == ["Serial", "Sản phẩm", "Hết bảo hành", "Còn lại (ngày)", "Tình trạng"]
    assert rows[1] == ["ABC123", "Laptop Dell", "31/12/2024", "-691", "đã hết hạn"]
    assert rows[2][1] == "'=cmd()"
    assert loaded.run(*args).code == 3
    assert loaded.run(*args, "--force").code == 0


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "Empty"),
        (b"PK\x03\x04zzz", "Excel"),
        (b"xx\nyy zz\n", "No usable serial"),
        (b"\0\1\2\3" * 100, ""),
    ],
)
def test_files_without_a_serial_are_refused(
    loaded: CommandLine, tmp_path: Path, content: bytes, words: str
) -> None:
    ran = loaded.run("warranty", "check", _file(tmp_path, content))
    assert (ran.code, ran.out) == (3, "")
    assert words in ran.err
    assert loaded.run("warranty", "check", str(tmp_path / "none.txt")).code == 3
    assert loaded.run("warranty", "check", str(tmp_path)).code == 3


def test_a_long_line_and_many_serials(loaded: CommandLine, tmp_path: Path) -> None:
    content = "x1" * 400_000 + "\nABC123\n" + "".join(f"QQ{n:06}\n" for n in range(20_000))
    ran = loaded.run("warranty", "check", _file(tmp_path, content), "--json", *NOW)
    assert len(ran.events) == 20_001
    assert ran.events[0]["line"] == 2


def test_help_in_both_languages_and_usage_errors(app: CommandLine) -> None:
    english = app.run("warranty", "check", "--help").out
    assert "Usage: app warranty check" in english
    assert "app warranty check serials.txt" in english
    assert "--csv FILE" in english
    assert "Cách dùng: app warranty" in app.run("warranty", "--help", "--lang", "vi").out
    assert "see `app modes`" in app.run("--help").out
    listed = app.run("modes").out
    assert "app warranty check" in listed
    assert "app handoffs" in listed
    missing = app.run("warranty", "check")
    assert (missing.code, missing.out) == (2, "")
    assert "FILE" in missing.err
    wrong = app.run("warranty", "chek", "x")
    assert wrong.code == 2
    assert "check" in wrong.err
    assert app.run("handofs").code == 2


def test_handoffs_are_listed_to_their_owner_and_to_a_lead(app: CommandLine) -> None:
    asked = json_line(id=1, text="cho gặp nhân viên", user="binh") + json_line(
        id=2, text="talk to a human", user="chi"
    )
    ran = app.run("ask", "--mode", "shopping", "--jsonl", "-", "--offline", stdin=asked)
    assert [event["code"] for event in of_type(ran.events, "Handoff")] == ["asked", "asked"]
    own = app.run("handoffs", "--json", "--user", "binh").events
    assert [(entry["user"], entry["reason"]) for entry in own] == [("binh", "asked")]
    assert own[0]["transcript"][-1] == "Khách: cho gặp nhân viên"
    assert app.run("handoffs", "--json").out == ""
    assert "No conversation" in app.run("handoffs").err
    users = Paths.resolve(os.environ).users_file
    users.parent.mkdir(parents=True, exist_ok=True)
    users.write_text(
        '[users.an]\nrole = "lead"\n\n[users.chi]\npermissions = ["handoffs"]\n', encoding="utf-8"
    )
    assert [entry["user"] for entry in app.run("handoffs", "--json").events] == ["chi", "binh"]
    assert len(app.run("handoffs", "--json", "--user", "chi").events) == 2
    assert len(app.run("handoffs", "--json", "--user", "binh").events) == 1
    assert "khách muốn gặp nhân viên" in app.run("handoffs", "--lang", "vi").out


def test_a_deleted_conversation_hides_its_handoff(app: CommandLine) -> None:
    ran = app.run("ask", "--mode", "shopping", "--offline", "--json", "talk to a human")
    conversation = ran.events[-1]["conversation"]
    assert len(app.run("handoffs", "--json").events) == 1
    assert app.run("conversations", "delete", conversation, "--yes").code == 0
    assert app.run("handoffs", "--json").out == ""


def test_an_answer_that_hands_over_says_so_on_stderr(app: CommandLine) -> None:
    ran = app.run("ask", "--mode", "shopping", "--offline", "talk to a human")
    assert "hotline" in ran.out
    assert "Handed to a person: the customer asked for a person" in ran.err


def _command(*path: str) -> Command:
    words = {"vi": "Giúp.", "en": "Help."}
    return Command(path, words, "app x", lambda _request: CommandResult(), (Parameter("--all", words),))  # type: ignore[arg-type]


def test_names_that_are_taken_get_the_modes_name_before_them() -> None:
    one, two = (
        replace(MODE, commands=(_command("ask"), _command("list"))),
        replace(MODE, id="other", commands=(_command("list"),)),
    )
    assert list(by_first_word([one, two], ["ask"])) == ["shopping-ask", "list", "other-list"]


@pytest.mark.parametrize("path", [(), ("a", "b", "c"), ("Ăn",), ("--x",)])
def test_a_command_with_an_odd_name_breaks_its_mode(path: tuple[str, ...]) -> None:
    assert contract_problems("shopping", MODE) == []
    assert len(contract_problems("shopping", replace(MODE, commands=(_command(*path),)))) == 1
