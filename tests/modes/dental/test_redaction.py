"""Personal data never survives masking; what a dentist needs does."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly_dental.redaction import find, mask, strip

MEDICAL = (
    "răng số 6 sưng đau",
    "nhổ răng khôn hàm dưới",
    "dị ứng penicillin",
    "uống amoxicillin 500 mg 3 lần một ngày",
    "trám răng 16 26 36 46",
    "huyết áp 130/80",
    "viêm tủy, đang mang thai 20 tuần",
    "gum bleeding for 3 days",
    "implant giá 15.000.000 đồng",
    "tái khám ngày 05/06/2024",
    "đau từ 2024-05-06",
    "thang đau 0 1 2 3 4 5 6 7 8 9 10",
    "răng 11 12 13 14 15 21 22 23 24 25",
    "uống 0,5 - 0,75 - 1,25 - 0,5 mg",
    "trả góp 500.000.000",
    "đo được 120 đường huyết cao",
    "I'm allergic to latex",
    "Em là sinh viên bị đau răng khôn",
    "tôi là người hay ê buốt",
    "Bác sĩ Răng Hàm Mặt ở TP Hồ Chí Minh",
    "tên thuốc là gì",
    "hotline 1900 1234",
    "có 3 12 24 răng, số 6 16 26",
    "Implant Straumann BLX 4.0 x 10 mm",
    "thuốc Augmentin 875/125 mg uống 7 ngày",
    "Tooth 36 root canal cost $850, 2 visits in 2023-2024",
    "pain at night. not sure why",
    "bảo hiểm y tế chi trả 80% từ năm 2015 đến 2020",
)
BLANK = st.sampled_from(["", " ", ".", "-", " - ", "\u00a0", "·", "  ", ". "])


@st.composite
def phones(draw: st.DrawFn) -> str:
    """A Vietnamese telephone number in one of its spellings."""
    mobile = draw(st.booleans())
    first = draw(st.sampled_from("35789")) if mobile else "2"
    rest = first + draw(st.text("0123456789", min_size=8 if mobile else 9, max_size=8 if mobile else 9))
    prefix = draw(st.sampled_from(["0", "+84", "84", "+84 ", "(+84)", "0084", "+84 (0)", "+84-", "(0)"]))
    cuts = sorted(draw(st.sets(st.sampled_from([2, 3, 4, 5, 6, 7]), max_size=3)))
    gap = draw(BLANK)
    groups = [rest[a:b] for a, b in zip([0, *cuts], [*cuts, len(rest)], strict=True)]
    number = prefix + gap.join(groups)
    return number.translate({ord(str(n)): 0xFF10 + n for n in range(10)}) if draw(st.booleans()) else number


def digits(text: str) -> str:
    return re.sub(r"\D", "", unicodedata.normalize("NFKC", text))


@pytest.mark.parametrize(
    ("private", "mark", "said"),
    [(phones(), "[phone]", "gọi {} nhé, "), (st.emails(), "[email]", "mail {} nhé ")],
    ids=["phone", "email"],
)
@given(data=st.data())
def test_no_telephone_number_and_no_email_survives(
    data: st.DataObject, private: st.SearchStrategy[str], mark: str, said: str
) -> None:
    written = data.draw(private)
    before, after = data.draw(st.tuples(st.sampled_from(MEDICAL), st.sampled_from(MEDICAL)))
    text = f"{before}, {said.format(written)}{after}"
    local, at, domain = written.rpartition("@")
    for result in (mask(text), strip(text)):
        if at:
            assert "@" not in result
            assert f"{local}@" not in result
            assert domain not in result or domain in before + after
        else:
            assert digits(result) == digits(before) + digits(after)
    assert mark in mask(text)


@given(st.sampled_from(MEDICAL))
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_medical_words_stay(form: str, text: str) -> None:
    text = unicodedata.normalize(form, text)  # type: ignore[arg-type]
    assert mask(text) == text
    assert strip(text) == text


@given(st.text(max_size=200))
def test_any_text_is_read_and_pieces_never_overlap(text: str) -> None:
    found = find(text)
    assert all(0 <= f.cue <= f.start < f.end <= len(text) for f in found)
    assert all(a.end <= b.start for a, b in pairwise(found))
    mask(text)
    strip(text)


@pytest.mark.parametrize(
    ("text", "masked", "searched"),
    [
        (
            "Tên tôi là Nguyễn Văn An, răng số 6 đau",
            "Tên tôi là [name], răng số 6 đau",
            "răng số 6 đau",
        ),
        (
            "ten em la lan nam nay 30 tuoi bi di ung penicillin",
            "ten em la [name] nam nay 30 tuoi bi di ung penicillin",
            "nam nay 30 tuoi bi di ung penicillin",
        ),
        ("em là Lan, muốn niềng răng", "em là [name], muốn niềng răng", "muốn niềng răng"),
        (
            "My name is John Smith and my tooth hurts",
            "My name is [name] and my tooth hurts",
            "and my tooth hurts",
        ),
        ("TÊN TÔI LÀ NGUYỄN VĂN AN RĂNG BỊ ĐAU", "TÊN TÔI LÀ [name] RĂNG BỊ ĐAU", "RĂNG BỊ ĐAU"),
        ("tran thi mai huong bi dau rang", "[name] bi dau rang", "bi dau rang"),
        (
            "bác sĩ Hùng nói chị Lan bị viêm tủy",
            "bác sĩ [name] nói chị [name] bị viêm tủy",
            "nói bị viêm tủy",
        ),
        ("không chín một hai ba bốn năm sáu bảy tám là số em", "[phone] là số em", "là số em"),
        ("lan dot nguyen at gmail dot com", "[email]", ""),
        ("lan a còng gmail chấm com", "[email]", ""),
        ("CCCD 079099012345 răng khôn", "CCCD [id] răng khôn", "CCCD răng khôn"),
        ("hộ chiếu B1234567", "hộ chiếu [id]", "hộ chiếu"),
        ("sinh ngày 12/05/1990, đau răng", "sinh ngày [birthday], đau răng", "đau răng"),
        (
            "địa chỉ: 12/5 đường Lê Lợi, phường 3, quận 5, em bị sưng nướu",
            "địa chỉ: [address], em bị sưng nướu",
            "em bị sưng nướu",
        ),
        ("Nhà em ở 45 Nguyễn Trãi, Hà Nội. Răng đau", "Nhà em ở [address]. Răng đau", "Răng đau"),
        (
            "I live at 12 Main Street, Springfield. My gum bleeds",
            "I live at [address]. My gum bleeds",
            "My gum bleeds",
        ),
        ("Dr. Smith said it cracked", "Dr. [name] said it cracked", "said it cracked"),
        ("BHYT DN 4 79 7912345678", "BHYT [id]", "BHYT"),
        ("Số đt của e là 036 2345 678 ạ", "Số đt của e là [phone] ạ", "Số đt của e là ạ"),
        ("con tôi là bé Bống 5 tuổi", "con tôi là bé [name] 5 tuổi", "con tôi là 5 tuổi"),
        ("răng 16 0912345678 5 tuổi", "răng 16 [phone] 5 tuổi", "răng 16 5 tuổi"),
    ],
)
def test_names_numbers_and_addresses(text: str, masked: str, searched: str) -> None:
    for form in ("NFC", "NFD"):
        assert unicodedata.normalize("NFC", mask(unicodedata.normalize(form, text))) == masked
    assert strip(text) == searched
    assert mask(masked) == masked
