"""log_tool: time ranges, levels and words over real files; large files are not read from their beginning."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.text.dates import HCM
from troly_rag.routing.questions import user_named
from troly_rag.tools.log_query import LogQuery, parse_log_query
from troly_rag.tools.logs import (
    KEPT,
    PIECE,
    LogTally,
    _named_files,
    log_files,
    read,
    render_tally,
)

NOW = datetime(2026, 11, 22, 9, tzinfo=HCM)
BEGIN = datetime(2026, 11, 1, tzinfo=HCM)
LEVELS = ("INFO", "ERROR", "WARN", "DEBUG")


def line(at: int, level: str = "INFO", text: str = "ok") -> bytes:
    return f"{BEGIN + timedelta(minutes=at):%Y-%m-%d %H:%M:%S},123 {level} app: {text}\n".encode()


def tallied(lines: Iterable[bytes], wanted: LogQuery) -> LogTally:
    tally = LogTally()
    read(io.BytesIO(b"".join(lines)), wanted, tally, [False])
    return tally


@given(
    st.lists(st.tuples(st.integers(0, 60_000), st.sampled_from(LEVELS)), min_size=1, max_size=400),
    st.integers(0, 60_000),
    st.integers(0, 30_000),
)
def test_a_range_finds_exactly_its_lines(entries: list[tuple[int, str]], first: int, length: int) -> None:
    entries = sorted(entries)
    start, end = BEGIN + timedelta(minutes=first), BEGIN + timedelta(minutes=first + length)
    padding = "x" * 500
    tally = tallied((line(at, level, padding) for at, level in entries), LogQuery(start, end))
    assert tally.matched == sum(first <= at < first + length for at, _ in entries)


def test_levels_and_words_narrow() -> None:
    lines = [
        line(1, "ERROR", "db-01 timeout 30s"),
        line(2, "ERROR", "db-02 timeout 5s"),
        line(3, "INFO", "db-01 ok"),
        line(4, "FATAL", "db-01 down"),
    ]
    wanted = parse_log_query("lỗi của db-01", NOW)
    assert wanted.levels == {"ERROR", "CRITICAL"}
    tally = tallied(lines, wanted)
    assert (tally.matched, tally.by("level")) == (2, {"ERROR": 1, "CRITICAL": 1})


def test_systems_are_counted_apart_and_keep_their_names() -> None:
    def of(system: str, at: int) -> bytes:
        return f"{BEGIN + timedelta(minutes=at):%Y-%m-%d %H:%M:%S} ERROR {system}: timeout after {at} ms\n".encode()

    tally = tallied([of("db-01", 1), of("db-02", 2), of("db-02", 3), of("vpn", 4)], LogQuery())
    assert tally.by("system") == {"db-01": 1, "db-02": 2, "vpn": 1}
    said = render_tally(tally, LogQuery(), "vi")
    assert "db-02 2, db-01 1, vpn 1" in said
    assert "db-02: timeout after # ms" in said
    assert tally.only(lambda kind: kind.system == "vpn").matched == 1


@pytest.mark.parametrize(
    ("question", "levels"),
    [
        ("bao nhiêu dòng ERROR", {"ERROR"}),
        ("bao nhiêu lỗi", {"ERROR", "CRITICAL"}),
        ("có CRITICAL không", {"CRITICAL"}),
    ],
)
def test_a_level_in_capitals_is_meant_to_the_letter(question: str, levels: set[str]) -> None:
    assert parse_log_query(question, NOW).levels == levels


def test_hours_of_a_day() -> None:
    wanted = parse_log_query("cảnh báo VPN từ 8h đến 10h ngày 20/11/2026", NOW)
    assert wanted.start is not None
    assert wanted.end is not None
    assert (wanted.start.hour, wanted.end.hour, wanted.start.day, wanted.end.day) == (8, 10, 20, 20)


def test_messages_that_differ_in_numbers_only_are_counted_together() -> None:
    tally = tallied([line(at, "ERROR", f"timeout after {at} ms") for at in range(5)], LogQuery())
    assert list(tally.by("message").values()) == [5]
    assert "5 lần" in render_tally(tally, LogQuery(), "vi")


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("lỗi hôm qua", (21, 11), (22, 11)),
        ("su co tuan truoc", (9, 11), (16, 11)),
        ("errors on 20/11/2026", (20, 11), (21, 11)),
    ],
)
def test_periods_of_a_question(question: str, start: tuple[int, int], end: tuple[int, int]) -> None:
    wanted = parse_log_query(question, NOW)
    assert wanted.start is not None
    assert wanted.end is not None
    assert (wanted.start.day, wanted.start.month) == start
    assert (wanted.end.day, wanted.end.month) == end


def test_a_stack_trace_belongs_to_its_line() -> None:
    lines = [
        line(1, "ERROR", "broken"),
        b"Traceback (most recent call last):\n",
        b'  File "a.py", line 3\n',
        line(5, "INFO"),
    ]
    wanted = LogQuery(BEGIN, BEGIN + timedelta(minutes=3))
    assert tallied(lines, wanted).matched == 3


def test_a_large_log_is_read_from_its_range(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    with path.open("wb") as file:
        for at in range(40_000):
            file.write(line(at, "INFO", "y" * 200))
    tally = LogTally()
    with path.open("rb") as file:
        read(file, LogQuery(BEGIN + timedelta(minutes=39_000), None), tally, [False])
    assert tally.matched == 1000
    assert tally.lines < 3000


@pytest.mark.parametrize("wanted", [LogQuery(), LogQuery(BEGIN + timedelta(minutes=90_000), None)])
def test_a_log_of_a_gigabyte_fills_no_memory(tmp_path: Path, wanted: LogQuery) -> None:
    path = tmp_path / "app.log"
    with path.open("wb") as file:
        file.write(b"".join(line(at) for at in range(100)))
        # A hole of the file system: a gigabyte to read, and nothing on the disk.
        file.truncate(1 << 30)
        file.seek(0, io.SEEK_END)
        file.write(b"\n" + b"".join(line(at, "ERROR", "hỏng") for at in range(90_000, 90_050)))
    tally = LogTally()
    tracemalloc.start()
    try:
        with path.open("rb", buffering=PIECE) as file:
            read(file, wanted, tally, [False])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert tally.by("level")["ERROR"] == 50
    assert tally.matched == (50 if wanted.start else 150)
    assert tally.lines < 1000
    assert peak < 8 * PIECE


@pytest.mark.parametrize(
    "content", [b"", b"\x00\xff\xfe" * 1000, b"x" * 200_000, b"no times here\n" * 50, "lỗi ".encode("utf-16")]
)
def test_odd_files_are_read_to_their_end(content: bytes) -> None:
    tally = tallied([content], LogQuery(BEGIN, NOW))
    assert tally.matched == 0
    assert "không có dòng" in render_tally(tally, LogQuery(BEGIN, NOW), "vi")


def test_escapes_in_a_line_are_not_shown() -> None:
    tally = tallied([line(1, "ERROR", "\x1b]0;x\x07\x1b[31mđỏ")], LogQuery())
    assert "\x1b" not in render_tally(tally, LogQuery(), "vi")


def test_stopping_ends_the_reading() -> None:
    tally = LogTally()
    read(io.BytesIO(b"".join(line(at) for at in range(30_000))), LogQuery(), tally, [True])
    assert tally.lines == 20_000
    endless = io.BytesIO(b"x" * 5_000_000)
    read(endless, LogQuery(), LogTally(), [True])
    assert endless.tell() < 5_000_000


def test_patterns_name_each_file_once(tmp_path: Path) -> None:
    for name in ("a.log", "b.log", "c.txt"):
        (tmp_path / name).write_text("x")
    found = log_files([str(tmp_path / "*.log"), str(tmp_path / "a.log")])
    assert [path.name for path in found] == ["a.log", "b.log"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("lỗi đầu tiên là khi nào", "2026-11-01 00:01:00"),
        ("when was the first one", "2026-11-01 00:01:00"),
        ("ngày nào nhiều nhất", "2/11/2026 (4 "),
        ("cái chậm nhất là bao nhiêu", "took 990 ms"),
    ],
)
def test_the_first_line_the_day_with_most_and_the_largest_are_told_where_asked(asked: str, said: str) -> None:
    lines = [
        line(1, "WARN", "took 990 ms"),
        line(1500, "WARN", "took 99 ms"),
        *(line(1600 + more, "WARN", "took 301 ms") for more in range(3)),
        line(3000, "WARN", "took 7 ms"),
    ]
    tally = tallied(lines, LogQuery())
    assert said in render_tally(tally, LogQuery(), "vi", asked=asked)
    assert said not in render_tally(tally, LogQuery(), "vi", asked="có bao nhiêu dòng")


@pytest.mark.parametrize(
    ("question", "levels"),
    [
        ("lỗi nghiêm trọng", {"CRITICAL"}),
        ("lỗi critical cuối cùng", {"CRITICAL"}),
        ("critical errors", {"CRITICAL"}),
        ("lỗi hôm qua", {"ERROR", "CRITICAL"}),
        ("lỗi và cảnh báo", {"ERROR", "CRITICAL", "WARNING"}),
    ],
)
def test_a_fault_that_is_serious_is_no_other_fault(question: str, levels: set[str]) -> None:
    assert parse_log_query(question, NOW).levels == levels


@pytest.mark.parametrize("question", ["còn 809?", "log: 809", "thế lỗi 809 thì sao", "what about 809"])
def test_a_bare_code_is_looked_for(question: str) -> None:
    assert parse_log_query(question, NOW).words == ("809",)


@pytest.mark.parametrize(
    ("question", "codes"),
    [
        ("log vpn tháng 11 có mấy lần 809", ("809",)),
        ("How many 691 errors in the VPN log this month", ("691",)),
        ("vpn.log năm 2026 lỗi 53", ("53",)),
        ("log vpn hôm 20/11/2026 có quá 100 dòng không", ()),
        ("log tháng 11 có dưới 200 lần lỗi", ()),
    ],
)
def test_a_number_that_counts_nothing_is_a_code(question: str, codes: tuple[str, ...]) -> None:
    assert parse_log_query(question, NOW).words == codes


@pytest.mark.parametrize(
    ("question", "words", "without"),
    [
        ("không tính db-02 thì còn bao nhiêu", (), ("db-02",)),
        ("có mấy lỗi trừ lỗi 691", (), ("691",)),
        ("errors on web-01 excluding vpn", ("web-01",), ("vpn",)),
        ("bỏ qua cảnh báo thì sao", (), ()),
        ("quay lại 691", ("691",), ()),
    ],
)
def test_what_is_left_out_is_a_code_or_a_system(
    question: str, words: tuple[str, ...], without: tuple[str, ...]
) -> None:
    wanted = parse_log_query(question, NOW, ("vpn", "db-02"))
    assert (wanted.words, wanted.without) == (words, without)


def test_a_code_left_out_is_no_line_and_who_is_counted() -> None:
    said = ["user u1 error 691", "user u2 error 809", "user u2 error 809"]
    tally = tallied((line(at, "ERROR", text) for at, text in enumerate(said)), LogQuery(without=("691",)))
    assert tally.of("actors") == {"u2": 2}
    told = render_tally(tally, LogQuery(without=("691",)), "vi", asked="ai bị nhiều nhất")
    assert "không tính 691" in told
    assert "u2 (2)" in told


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("tháng 11 a-01 hoặc a-02 có bao nhiêu ERROR", 2),
        ("a-01 có mấy lỗi, a-02 có mấy lỗi tháng 11", 2),
        ("errors of u344 and u52", 2),
        ("u344 tháng này bị lỗi gì", 1),
        ("không phải INFO", 3),
        ("how many lines are not INFO", 3),
        ("tháng 11 trừ ERROR", 2),
        ("mấy dòng trên 500 ms", 1),
        ("dòng từ 300 ms trở lên", 2),
        ("lines faster than 500 ms", 1),
    ],
)
def test_names_side_by_side_what_is_left_out_and_bounds(question: str, found: int) -> None:
    lines = [
        line(1, "ERROR", "a-01 u344 failed"),
        line(2, "ERROR", "a-02 u52 failed"),
        line(3, "INFO", "a-03 in 300 ms"),
        line(4, "WARN", "a-03 in 900 ms"),
    ]
    assert tallied(lines, parse_log_query(question, NOW)).matched == found


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("log 20/11", "2026-11-20 00:00", "2026-11-21 00:00"),
        ("log 24 giờ qua", "2026-11-21 09:00", "2026-11-22 09:00"),
        ("in the last 2 hours", "2026-11-22 07:00", "2026-11-22 09:00"),
        ("10 ngày đầu tháng 11", "2026-11-01 00:00", "2026-11-11 00:00"),
        ("từ thứ hai tuần trước", "2026-11-09 00:00", "2026-11-23 00:00"),
        ("ngày 18 và ngày 20 tháng 11 năm 2026", "2026-11-18 00:00", "2026-11-21 00:00"),
        ("so sánh tuần này với tuần trước", "2026-11-09 00:00", "2026-11-23 00:00"),
        ("20/11 sau 12h", "2026-11-20 12:00", "2026-11-21 00:00"),
        ("chiều 20/11", "2026-11-20 12:00", "2026-11-20 18:00"),
        ("8-10h 20/11", "2026-11-20 08:00", "2026-11-20 10:00"),
        ("before 9 am on 20/11", "2026-11-20 00:00", "2026-11-20 09:00"),
        ("trước ngày 5/11", "1970-01-01 00:00", "2026-11-05 00:00"),
        ("db-02 tháng 11", "2026-11-01 00:00", "2026-12-01 00:00"),
    ],
)
def test_days_and_hours_of_a_question(question: str, first: str, last: str) -> None:
    wanted = parse_log_query(question, NOW)
    assert [f"{one:%Y-%m-%d %H:%M}" for one in (wanted.start, wanted.end) if one] == [first, last]
    assert not wanted.unread


def test_of_several_periods_each_is_counted() -> None:
    wanted = parse_log_query("so sánh 1/11 với 3/11", NOW)
    tally = tallied([line(0), line(1), line(1500), line(3000)], wanted)
    assert "ngày 1/11/2026: 2; ngày 3/11/2026: 1." in render_tally(tally, wanted, "vi")


@pytest.mark.parametrize("first", ["3/11", "ngày 3/11", "hôm 3/11"])
@pytest.mark.parametrize(
    "form", ["giữa {} và 5/11 mấy lỗi", "mấy lỗi từ {} đến 5/11", "errors between {} and 5/11"]
)
def test_what_lies_between_two_days_is_one_period(form: str, first: str) -> None:
    wanted = parse_log_query(form.format(first), NOW)
    assert (wanted.start, wanted.end) == (BEGIN + timedelta(days=2), BEGIN + timedelta(days=5))
    assert (wanted.unread, wanted.periods) == ((), ())


def test_two_days_that_are_compared_are_two_periods() -> None:
    wanted = parse_log_query("so sánh lỗi giữa 3/11 và 5/11", NOW)
    assert len(wanted.periods) == 2
    assert not wanted.unread


@given(
    st.integers(1, 20),
    st.integers(0, 24 * 60 * 30 - 1),
    st.sampled_from(["đêm {}/11", "từ 22h đến 6h ngày {}/11"]),
)
def test_a_night_begins_on_its_day_and_ends_on_the_next(day: int, minute: int, form: str) -> None:
    wanted = parse_log_query(f"lỗi {form.format(day)}", NOW)
    opens = 24 * 60 * (day - 1) + 22 * 60
    assert wanted.in_period(BEGIN + timedelta(minutes=minute)) == (opens <= minute < opens + 8 * 60)


@given(st.integers(0, 24 * 60 - 1))
def test_nights_of_a_stretch_are_those_of_each_of_its_days(minute: int) -> None:
    wanted = parse_log_query("ban đêm tuần trước mấy lỗi", NOW)
    moment = BEGIN + timedelta(days=10, minutes=minute)
    assert wanted.in_period(moment) == (minute >= 22 * 60 or minute < 6 * 60)
    assert "22:00" in render_tally(tallied([line(10 * 24 * 60, "ERROR")], wanted), wanted, "vi")


@pytest.mark.parametrize(
    ("question", "unread"),
    [
        ("log nửa đêm qua mấy lỗi", "nửa đêm"),
        ("giữa tháng 11 mấy lỗi", "giữa tháng 11"),
        ("lỗi nào quá 2 lần", "quá 2 lần"),
        ("dòng không có lỗi là mấy", "không có lỗi"),
        ("web-01 never had errors", "never had errors"),
        ("lỗi thứ sáu", "thứ sáu"),
        ("5 dòng cuối có lỗi không", "5 dòng"),
        ("trên 90%", "trên 90%"),
    ],
)
def test_what_narrows_a_count_and_is_not_read_is_named(question: str, unread: str) -> None:
    assert unread in parse_log_query(question, NOW).unread


@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(
            st.sampled_from(["log", "20/11", "31/12/9999", "trước", "1/1/0001", "99h", "từ", "đến", "trên", "500", "ms"]),
            max_size=10,
        ).map(" ".join),
    )
)  # fmt: skip
def test_any_text_asks_something_of_a_log(text: str) -> None:
    wanted = parse_log_query(text, NOW, ["db-01"])
    assert wanted.in_period(NOW) in (True, False)


@pytest.mark.parametrize("name", ["he-thong", "system", "may-chu", "dich_vu", "nhat-ky", "log"])
@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("log hệ thống tuần trước mức ERROR", "all"),
        ("system logs last week", "all"),
        ("nhật ký hệ thống và log vpn hôm qua", "all"),
        ("{name}.log có mấy lỗi", "{name}"),
        ("log hệ thống {name}.log có mấy lỗi", "{name}"),
        ("log vpn hôm qua hệ thống nào lỗi", "vpn"),
        ("mấy lỗi hôm qua", ""),
    ],
)
def test_an_everyday_word_for_logs_names_no_single_file(name: str, question: str, read: str) -> None:
    files = [Path(f"{name}.log"), Path("vpn.log"), Path("kho-01.log")]
    found = [file.stem for file in _named_files(files, question.format(name=name))]
    expected = [file.stem for file in files] if read == "all" else [read.format(name=name)] if read else []
    assert found == expected


@given(st.lists(st.lists(st.integers(0, 60_000), max_size=6), min_size=2, max_size=4).filter(any))
def test_the_first_and_last_line_are_by_time_over_all_files(files: list[list[int]]) -> None:
    tally = LogTally()
    for number, minutes in enumerate(files):
        tally.file = f"{number}.log"
        read(io.BytesIO(b"".join(map(line, sorted(minutes)))), LogQuery(), tally, [False])
    every = [minute for minutes in files for minute in minutes]
    assert tally.last[-1] == line(max(every)).decode().strip()
    assert tally.first == line(min(every)).decode().strip()
    assert tally.by("file") == {f"{at}.log": len(minutes) for at, minutes in enumerate(files) if minutes}


@pytest.mark.parametrize("said", ["tuần này", "tuần trước", "hôm qua", "tháng này", "this week", "yesterday"])
@pytest.mark.parametrize(
    "form", ["{said} ({first} đến {last})", "{first} đến {last}, tức {said}", "{said} và {said}"]
)
def test_the_same_days_said_twice_are_one_period(said: str, form: str) -> None:
    alone = parse_log_query(f"lỗi {said}", NOW)
    assert alone.start is not None
    assert alone.end is not None
    first, last = (f"{day:%d/%m/%Y}" for day in (alone.start, alone.end - timedelta(days=1)))
    wanted = parse_log_query(f"lỗi {form.format(said=said, first=first, last=last)}", NOW)
    assert (wanted.start, wanted.end, wanted.periods) == (alone.start, alone.end, ())
    other = parse_log_query(f"lỗi {said} và ngày 1/10/2026", NOW)
    assert len(other.periods) == 2


@pytest.mark.parametrize("name", ["vpn", "kho-01", "mail"])
@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("log {name} và log hệ thống có mấy lỗi", True),
        ("log hệ thống và {name} có mấy lỗi", True),
        ("{name} and system logs: how many errors", True),
        ("log hệ thống có mấy lỗi của {name}", False),
        ("log {name} hôm qua hệ thống nào lỗi", False),
        ("log {name} có mấy lỗi", False),
    ],
)
def test_a_log_beside_all_logs_is_no_system_of_lines(name: str, question: str, *, named: bool) -> None:
    asked = question.format(name=name)
    wanted = parse_log_query(asked, NOW, [name, "web-02"])
    assert wanted.added == (name,) * named


def test_two_systems_are_each_counted() -> None:
    wanted = parse_log_query("lỗi của vpn và web-01", NOW, ["vpn", "web-01"])
    assert wanted.words == ()
    assert parse_log_query("lỗi của web-01", NOW, ["vpn", "web-01"]).words == ("web-01",)


@pytest.mark.parametrize("day", [1, 5, 20])
@pytest.mark.parametrize(
    ("said", "length"),
    [
        ("cả tháng", 30),
        ("trong cả tháng", 30),
        ("suốt tháng", 30),
        ("in the whole month", 30),
        ("cả tuần", 7),
    ],
)
def test_the_whole_of_a_unit_is_not_the_day_before_it(day: int, said: str, length: int) -> None:
    before = parse_log_query(f"ngày {day}/11/2026 mấy lỗi", NOW)
    wanted = parse_log_query(f"web-02 lỗi mấy lần {said}", NOW).after(before)
    assert wanted.start is not None
    assert wanted.end is not None
    assert before.start is not None
    assert wanted.end - wanted.start == timedelta(days=length)
    assert wanted.start <= before.start < wanted.end
    assert not wanted.unread


@pytest.mark.parametrize("count", range(1, 9))
def test_few_lines_are_all_told_and_of_more_the_last(count: int) -> None:
    lines = [line(at, "ERROR", f"took {at} ms") for at in range(1, count + 1)]
    told = render_tally(tallied(lines, LogQuery()), LogQuery(), "vi")
    assert [f"took {at} ms" in told for at in range(1, count)] == [count <= KEPT] * (count - 1)
    assert f"took {count} ms" in told


@pytest.mark.parametrize("name", ["vpn", "web-02", "db-01"])
@pytest.mark.parametrize(
    "said",
    ["tính cả {}", "kể cả {}", "gồm cả {} thì bao nhiêu", "cả {} nữa", "ca {} nua", "including {}", "{} too"],
)
def test_what_is_counted_too_narrows_nothing(name: str, said: str) -> None:
    wanted = parse_log_query(f"lỗi hôm qua {said.format(name)}", NOW, ["vpn", "web-02", "db-01"])
    assert (wanted.added, wanted.words, wanted.unread) == ((name,), (), ())
    assert "ERROR" in wanted.levels


@pytest.mark.parametrize("said", ["không bao gồm {}", "không kể cả {}", "not including {}", "trừ {}"])
@pytest.mark.parametrize("name", ["691", "809", "web-02"])
def test_what_is_left_out_is_not_counted_too(name: str, said: str) -> None:
    wanted = parse_log_query(f"hôm qua {said.format(name)} mấy lỗi", NOW, ["vpn", "web-02"])
    assert (wanted.without, wanted.added) == ((name,), ())
    # The levels that are asked for behind it are no part of it.
    assert "ERROR" in wanted.levels


@pytest.mark.parametrize(
    "text", ["vpn nửa đêm 18/11 mấy lỗi", "vpn nua dem 18/11 may loi", "lỗi bao gồm những gì"]
)
def test_what_names_nothing_too_adds_nothing(text: str) -> None:
    assert parse_log_query(text, NOW, ["vpn"]).added == ()


@pytest.mark.parametrize("week", ["tuần trước", "last week", "tuần này"])
@pytest.mark.parametrize(
    ("days", "whole"),
    [
        ("(thứ 2 đến chủ nhật)", True),
        ("(thu hai - cn)", True),
        ("(thứ 2 đến thứ 6)", False),
        ("(thứ 3 đến chủ nhật)", False),
    ],
)
def test_a_week_by_its_first_and_last_day_is_that_week(week: str, days: str, *, whole: bool) -> None:
    alone, wanted = (parse_log_query(f"vpn {text} mấy lỗi", NOW) for text in (week, f"{week} {days}"))
    assert (wanted.start, wanted.end) == (alone.start, alone.end)
    assert (not wanted.unread) == whole


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("ngày 21/11 vpn mấy lỗi và ngày 18/11 web-02 mấy lỗi", False),
        ("vpn ngày 21/11 và web-02 ngày 18/11 mấy lỗi", False),
        ("vpn ngày 21/11 và vpn ngày 18/11 mấy lỗi", True),
        ("so sánh lỗi vpn và web-02 ngày 21/11 với ngày 18/11", True),
        ("ngày 21/11 và 18/11 vpn mấy lỗi", True),
        ("trong số đó ai bị cả hai", False),
        ("cả hai máy vpn và web-02 ngày 21/11 mấy lỗi", True),
        ("cả hai log ngày 21/11 mấy lỗi", True),
    ],
)
def test_each_day_with_its_own_system_and_both_are_not_read(asked: str, *, read: bool) -> None:
    assert (not parse_log_query(asked, NOW, ["vpn", "web-02"]).unread) == read


@pytest.mark.parametrize("code", ["691", "777", "8091"])
@pytest.mark.parametrize("period", ["tuần trước", "tháng trước", "hôm qua", "tuần này", "3 ngày trước"])
def test_the_number_of_a_fault_counts_no_days(code: str, period: str) -> None:
    for form in (f"lỗi {code} {period}", f"mã {code} {period} của ai", f"{period} lỗi {code}"):
        found, alone = (parse_log_query(text, NOW) for text in (form, f"lỗi {period}"))
        assert code in found.words
        assert (found.start, found.end) == (alone.start, alone.end)
    assert parse_log_query("lỗi 2 tuần trước", NOW).words == ()


@pytest.mark.parametrize("asking", ["which", "what", "how many", "each", "mỗi", "những"])
@pytest.mark.parametrize("verb", ["had", "got", "hit", "gặp", "dính"])
def test_an_account_that_is_asked_for_is_not_named(asking: str, verb: str) -> None:
    assert user_named(f"{asking} user {verb} error 691 this month") == ""
    assert user_named("error 691 of user u52 this month") == "u52"
