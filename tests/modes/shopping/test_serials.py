"""Which tokens of a message are serials: worked examples in all forms, and rules that hold for any text."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly_shopping.intent import MessagePhrases
from troly_shopping.serials import SerialParse, ordinary_reason, parse_serials

TABLE = {"ABC123", "XYZ789", "RTX4060", "2024"}
DOCUMENTED = re.compile(
    r"(?<![A-Za-z0-9-])(?=[A-Za-z0-9-]*\d[A-Za-z0-9-]*)([A-Za-z0-9-]{3,32})(?![A-Za-z0-9-])"
)


def read(text: str, *, awaiting: bool = False, table: set[str] = TABLE) -> SerialParse:
    return parse_serials(
        text,
        known=lambda serial: serial.upper() in table,
        context=MessagePhrases(text).about_warranty,
        awaiting=awaiting,
    )


@pytest.mark.parametrize(
    ("text", "serials"),
    [
        ("bảo hành ABC123", ["ABC123"]),
        ("kiem tra bao hanh serial abc123", ["abc123"]),
        ("KIỂM TRA BẢO HÀNH SERIAL QKT556", ["QKT556"]),
        ("check warranty XYZ789 please", ["XYZ789"]),
        ("S/N: SN-2024-001", ["SN-2024-001"]),
        ("số máy 7HX2K93 còn bảo hành không", ["7HX2K93"]),
        ("máy dell xps 9310 của em serial 7HX2K93", ["7HX2K93"]),
        ("serials: ABC123, XYZ789 và QQQ000 nhé", ["ABC123", "XYZ789", "QQQ000"]),
        ("kiểm tra bảo hành ABC123 và DEF456", ["ABC123", "DEF456"]),
        ("QQ9991, ABC123", ["QQ9991", "ABC123"]),
        ("bảo hành ABC123 và MACBOOK-XX", ["ABC123", "MACBOOK-XX"]),
        ("bao hanh THINK-PAD, ABC123", ["THINK-PAD", "ABC123"]),
        ("bảo hành ABC123 của con MACBOOK-PRO", ["ABC123"]),
        ("seri no 123456789", ["123456789"]),
        ("imei 356938035643809 con bao hanh k", ["356938035643809"]),
        ("my serial number is 5CD1234XYZ", ["5CD1234XYZ"]),
        ("ABC999 là số serial của tôi", ["ABC999"]),
        ("bảo hành màn hình 24 inch 144hz serial MN-00099", ["MN-00099"]),
        ("hàng mua 2023, serial: QW-2023-0099", ["QW-2023-0099"]),
        ("warranty for my iphone15 F2LXK1234567", ["F2LXK1234567"]),
        ("serial abc123 và ABC123", ["abc123"]),
        (unicodedata.normalize("NFD", "số sê-ri của máy là T12345"), ["T12345"]),
    ],
)
def test_serials_are_found(text: str, serials: list[str]) -> None:
    assert list(read(text).serials) == serials


@pytest.mark.parametrize(
    "text",
    [
        "laptop dell 5530 còn bảo hành không",
        "máy i5-12400 16GB 512GB bảo hành bao lâu",
        "RTX 4060 còn bảo hành không",
        "sđt em 0901234567, bảo hành giúp em",
        "mua ngày 30/06/2025 còn bảo hành không",
        "mua 2024-12-31 bảo hành được không",
        "mua năm 2023 còn bảo hành không",
        "giá 15tr bảo hành mấy năm",
        "máy 1.000.000 đồng có bảo hành không",
        "bảo hành 12 tháng hay 120 ngày",
        "đơn hàng 123456 bảo hành ở đâu",
        "warranty for order #12345",
        "email abc123@gmail.com kiểm tra bảo hành",
        "tai nghe WH-1000XM5 bảo hành mấy tháng",
        "serial của tôi ở đâu",
        "win11 có được bảo hành không",
    ],
)
def test_other_codes_are_no_serials(text: str) -> None:
    reading = read(text, table=set())
    assert reading.serials == ()
    assert not reading.attempted


@pytest.mark.parametrize("text", ["máy RTX4060 bảo hành", "bảo hành 2024"])
def test_what_the_table_knows_is_a_serial_whatever_it_looks_like(text: str) -> None:
    assert read(text).serials


@pytest.mark.parametrize(
    "text",
    [
        "serial là máy123",
        "serial ABC 123",
        "serial ABC_123",
        "serial ABCDEF",
        "số serial: A1",
        "serial 0901234567",
    ],
)
def test_an_offer_that_cannot_be_a_serial_is_told_apart_from_none(text: str) -> None:
    reading = read(text)
    assert reading.serials == ()
    assert reading.attempted


@pytest.mark.parametrize(("text", "serials"), [("QKT556", ["QKT556"]), ("dạ đây ạ: 12345678", ["12345678"])])
def test_a_bare_token_is_the_serial_that_was_asked_for(text: str, serials: list[str]) -> None:
    assert list(read(text, awaiting=True).serials) == serials


def test_the_reason_names_the_evidence() -> None:
    reading = read("serial QKT556, máy 16GB")
    assert "QKT556 ✓" in reading.reason("vi")
    assert "16GB ✗" in reading.reason("en")
    assert "a measure" in reading.reason("en")


@given(st.text(max_size=200), st.booleans())
def test_every_serial_obeys_the_documents_expression(text: str, awaiting: bool) -> None:
    reading = read(text, awaiting=awaiting)
    for serial in reading.serials:
        assert 3 <= len(serial) <= 32
        assert DOCUMENTED.fullmatch(serial)
        assert serial in unicodedata.normalize("NFC", text)
    assert len({serial.upper() for serial in reading.serials}) == len(reading.serials)


SERIALS = st.from_regex(r"[A-Z]{2,4}[0-9]{4,8}[A-Z]?", fullmatch=True).filter(
    lambda serial: not ordinary_reason(serial, 0, len(serial))
)
FRAMES = st.sampled_from(
    [
        "kiểm tra bảo hành serial {}", "kiem tra bao hanh serial {}", "serial: {}", "S/N {}", "bảo hành {} còn không",
        "check the warranty of {}", "my serial is {}", "số máy {} nhé em", "so seri {} con bao hanh ko", "{} là số serial",
    ]
)  # fmt: skip


@given(SERIALS, FRAMES, st.sampled_from(["NFC", "NFD"]), st.booleans())
def test_a_plain_serial_is_found_in_every_form(serial: str, frame: str, form: str, lower: bool) -> None:
    serial = serial.lower() if lower else serial
    text = unicodedata.normalize(form, frame.format(serial))  # type: ignore[arg-type]
    assert list(read(text, table=set()).serials) == [serial]


@given(st.sampled_from("áàảãạăâđêôơưứừữựốồổỗộ"), SERIALS)
def test_no_serial_touches_a_vietnamese_letter(letter: str, serial: str) -> None:
    assert read(f"serial {letter}{serial}", table=set()).serials == ()
    assert read(f"serial {serial}{letter}", table=set()).serials == ()


@pytest.mark.parametrize("verb", ["tra", "check", "ktra giúp", "kiểm tra", "look up", "tra cứu"])
@pytest.mark.parametrize("code", ["QQ11111", "zx-90817", "7Y66T"])
def test_a_code_that_is_only_to_be_looked_up_is_bare(verb: str, code: str) -> None:
    found = parse_serials(f"{verb} {code}", known=lambda _: False)
    assert found.serials == (code,)
    assert found.bare
    model = parse_serials(f"{verb} {code}", known=lambda _: False, modelled=lambda _: True)
    assert not model.serials
    assert not parse_serials(f"{verb} giá {code}", known=lambda _: False).bare
