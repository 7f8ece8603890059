"""How well serials are told from other codes in messages of every form: precision and recall on a written set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from troly_shopping.intent import MessagePhrases
from troly_shopping.serials import parse_serials

MESSAGES = Path(__file__).parent / "serial_messages.txt"


@dataclass(frozen=True)
class Message:
    form: str
    wanted: frozenset[str]
    awaiting: bool
    text: str


def messages() -> list[Message]:
    found = []
    for line in MESSAGES.read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            form, wanted, text = (part.strip() for part in line.split("|", 2))
            names = wanted.removeprefix("+").strip()
            serials = frozenset() if names == "-" else frozenset(n.strip().upper() for n in names.split(","))
            found.append(Message(form, serials, wanted.startswith("+"), text.replace("\\n", "\n")))
    return found


def _read(message: Message) -> frozenset[str]:
    reading = parse_serials(
        message.text,
        known=lambda _serial: False,
        context=MessagePhrases(message.text).about_warranty,
        awaiting=message.awaiting,
    )
    return frozenset(serial.upper() for serial in reading.serials)


@pytest.mark.parametrize("form", ["", "vi", "un", "en", "ty"])
def test_serials_are_told_from_other_codes(form: str) -> None:
    right = wrong = missed = 0
    for message in messages():
        if form in {"", message.form}:
            read = _read(message)
            right += len(read & message.wanted)
            wrong += len(read - message.wanted)
            missed += len(message.wanted - read)
    assert right / (right + wrong) >= 0.99
    assert right / (right + missed) >= (0.95 if form else 0.97)


CODES = [
    "15tr9",
    "2tr5",
    "500k",
    "1k5",
    "3m2",
    "1900000",
    "15000000d",
    "0912-345-678",
    "028-3812-3456",
    "19001234",
    "30-06-2025",
    "2025/06/30",
    "20240630",
    "Q3-2024",
    "2023-2024",
    "RTX-4060",
    "RTX4060Ti",
    "GTX1650",
    "RX6600XT",
    "RX-7800-XT",
    "i7-12700H",
    "R7-5800H",
    "Ryzen7-5800H",
    "Ultra7-155H",
    "M3Pro",
    "iPhone15",
    "GF63",
    "G14",
    "X515EA",
    "FX506HC",
    "B450M",
    "Z790",
    "H610M-E",
    "DDR5-6000",
    "16GB-512GB",
    "2x16GB",
    "144Hz",
    "27inch",
    "1920x1080",
    "USB3",
    "WiFi6E",
    "CL16",
    "650W",
    "RM750x",
    "NH-D15",
    "AK620",
    "K70",
    "G304",
    "WH-1000XM5",
    "5600X",
    "7800X3D",
    "13600KF",
    "4070Ti",
    "Win11",
    "22H2",
    "8h30",
    "9am",
    "24/7",
    "P2419H",
    "U2723QE",
    "27GP850",
    "OLED-27",
    "TUF-F15",
    "ROG-G15",
    "A515-58P",
    "AN515-57",
    "UX3402ZA",
    "5400mAh",
    "1TB-SSD",
    "M2-NVMe",
    "Gen4",
    "T480s",
    "PS5",
    "0x80070005",
]
FRAMES = (
    "bảo hành {} bao lâu",
    "con {} này bảo hành mấy tháng ạ",
    "bao hanh {} the nao shop",
    "how long is the warranty on the {}",
)


@pytest.mark.parametrize("frame", FRAMES)
def test_prices_numbers_dates_and_models_are_no_serials(frame: str) -> None:
    taken = []
    for code in CODES:
        text = frame.format(code)
        if parse_serials(text, known=lambda _serial: False, context=True).serials:
            taken.append(code)
    assert taken == []


@pytest.mark.parametrize("code", ["RTX4060", "i5-12400", "2024", "16GB"])
def test_the_table_decides_over_every_shape(code: str) -> None:
    reading = parse_serials(f"bảo hành {code} bao lâu", known=lambda serial: serial == code, context=True)
    assert reading.serials == (code,)
    assert reading.sure
