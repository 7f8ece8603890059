"""Reading files of every format, and saying in one sentence why one cannot be read."""

from __future__ import annotations

import zipfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.process.unprivileged import run_unprivileged
from tests.support.retrieval.knowledge import docx_bytes, pdf_bytes
from troly.errors import InputError
from troly.retrieval.documents.files import MAX_BYTES, Document, load_bytes, parse_document
from troly.text.catalogue import LANGS


def read(tmp_path: Path, name: str, data: bytes | str) -> Document:
    path = tmp_path / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return parse_document(path, load_bytes(path))


def refusal(tmp_path: Path, name: str, data: bytes | str) -> str:
    with pytest.raises(InputError) as caught:
        read(tmp_path, name, data)
    for lang in LANGS:
        text = caught.value.render(lang)
        assert text.title
        assert name in text.message
        assert text.remedy
    return caught.value.key


def test_markdown_keeps_headings_items_tables_and_code(tmp_path: Path) -> None:
    text = (
        "---\ntitle: Sổ tay\n---\n# Quy định\n\nĐoạn mở đầu\ntiếp theo.\n\n## Phép năm\n- mười hai ngày\n- báo trước\n\n"
        "| Bậc | Ngày |\n|---|---|\n| Một | 12 |\n\n```\n# không phải tiêu đề\n```\n<!-- ẩn -->\nCũ\n---\n"
    )
    document = read(tmp_path, "a.md", text)
    assert document.title == "Sổ tay"
    found = [(block.text, block.heading, block.unit) for block in document.blocks]
    assert found == [
        ("Đoạn mở đầu\ntiếp theo.", ("Quy định",), "prose"),
        ("- mười hai ngày", ("Quy định", "Phép năm"), "item"),
        ("- báo trước", ("Quy định", "Phép năm"), "item"),
        ("Bậc: Một; Ngày: 12", ("Quy định", "Phép năm"), "row"),
        ("# không phải tiêu đề", ("Quy định", "Phép năm"), "prose"),
        ("Cũ", ("Quy định",), "prose"),
    ]
    assert document.blocks[1].where == "line:10"


def test_text_knows_the_numbered_headings_of_vietnamese_rules(tmp_path: Path) -> None:
    text = (
        "CHƯƠNG II\nĐiều 5. Nghỉ phép năm\nNgười lao động được nghỉ.\nĐiều 6. Nghỉ ốm\nCần giấy của bác sĩ."
    )
    blocks = read(tmp_path, "quy-che.txt", text).blocks
    assert [(block.heading, block.text) for block in blocks] == [
        (("CHƯƠNG II", "Điều 5. Nghỉ phép năm"), "Người lao động được nghỉ."),
        (("CHƯƠNG II", "Điều 6. Nghỉ ốm"), "Cần giấy của bác sĩ."),
    ]


def test_html_shows_what_a_visitor_sees(tmp_path: Path) -> None:
    page = (
        "<?xml version='1.0'?><html><head><title>Trang chủ</title><style>p{}</style></head><body>"
        "<script>alert('x')</script><h1>Bảo hành</h1><p>Máy <b>mới</b> đổi trong 30&nbsp;ngày.<br>Giữ hộp.</p>"
        "<p hidden>bí mật</p><div style='display: none'>ẩn</div><p aria-hidden=true>ẩn</p><!-- lời nhắn -->"
        "<ul><li>Rơi vỡ</li></ul><table><tr><th>Máy</th><th>Hạn</th></tr><tr><td>Dell</td><td>36</td></tr></table>"
        "<h2>Liên hệ</h2></body></html>"
    )
    document = read(tmp_path, "a.html", page)
    assert document.title == "Trang chủ"
    assert [(block.text, block.heading) for block in document.blocks] == [
        ("Máy mới đổi trong 30 ngày.\nGiữ hộp.", ("Bảo hành",)),
        ("Rơi vỡ", ("Bảo hành",)),
        ("Máy: Dell; Hạn: 36", ("Bảo hành",)),
        ("Liên hệ", ("Bảo hành",)),
    ]


def test_html_survives_deep_nesting(tmp_path: Path) -> None:
    assert read(tmp_path, "deep.html", "<div>" * 20_000 + "sâu").blocks[0].text == "sâu"


def test_csv_rows_name_their_columns(tmp_path: Path) -> None:
    document = read(tmp_path, "gia.csv", '﻿Tên;Giá;Ghi chú\nChuột;450.000;\n\n"Tai; nghe";900.000;mới;thừa\n')
    assert [(block.text, block.where) for block in document.blocks] == [
        ("Tên: Chuột; Giá: 450.000", "row:2"),
        ("Tên: Tai; nghe; Giá: 900.000; Ghi chú: mới; thừa", "row:4"),
    ]
    assert document.encoding == "utf-8-sig"


def test_csv_with_an_unclosed_quote_loses_no_row(tmp_path: Path) -> None:
    rows = "".join(f"m{number},g{number}\n" for number in range(50))
    document = read(tmp_path, "loi.csv", f'ma,gia\nx,"hỏng\n{rows}')
    assert len(document.blocks) == 51


def test_pdf_pages_and_docx_parts(tmp_path: Path) -> None:
    document = read(
        tmp_path, "a.pdf", pdf_bytes(["Trang mot noi ve\nluong thuong", "Trang hai"], title="So tay")
    )
    assert document.title == "So tay"
    assert [(block.text, block.where) for block in document.blocks] == [
        ("Trang mot noi ve luong thuong", "page:1"),
        ("Trang hai", "page:2"),
    ]
    document = read(tmp_path, "a.docx", docx_bytes())
    assert document.title == "Sổ tay nhân viên"
    assert [(block.text, block.heading[1:], block.unit) for block in document.blocks] == [
        ("Mỗi năm có mười hai ngày phép.", ("Nghỉ phép",), "prose"),
        ("Báo trước ba ngày", ("Nghỉ phép",), "item"),
        ("Loại: Ăn trưa; Mức: 30.000đ", ("Phụ cấp",), "row"),
    ]


def test_encodings_of_vietnamese_files(tmp_path: Path) -> None:
    text = "Đường Nguyễn Huệ\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        document = read(tmp_path, "a.txt", text.encode(encoding))
        assert document.blocks[0].text == text.strip()
        assert not document.guessed
    # windows-1258 writes tone marks after the letter: as a Vietnamese keyboard of its time did.
    old = "Đươ\u0300ng Nguyê\u0303n Huê\u0323".encode("windows-1258")
    document = read(tmp_path, "cu.txt", old)
    assert document.blocks[0].text == text.strip()
    assert (document.encoding, document.guessed) == ("windows-1258", True)


def test_control_characters_never_leave_a_document(tmp_path: Path) -> None:
    document = read(
        tmp_path, "a.md", "# Tiêu\x1b[31m đề\n\nChữ \x1b]0;x\x07đỏ \u202eđảo\n" + "và chữ thường " * 50
    )
    assert not set("\x1b\x07\u202e") & set(document.blocks[0].text + "".join(document.blocks[0].heading))


@pytest.mark.parametrize(
    ("name", "data", "key"),
    [
        ("a.txt", b"", "empty"),
        ("a.md", b" \n\t\n", "empty"),
        ("a.txt", b"\x7fELF\x00\x01\x02" * 30, "binary"),
        ("a.csv", bytes(range(1, 32)) * 20, "binary"),
        ("a.txt", b"caf\xff\x8d" * 9, "encoding"),
        ("a.pdf", b"%PDF-1.4 junk", "damaged"),
        ("a.pdf", b"no pdf at all", "damaged"),
        ("a.pdf", pdf_bytes([""]), "no_text"),
        ("a.docx", b"PK\x03\x04junk", "damaged"),
        ("a.docx", bytes.fromhex("d0cf11e0a1b11ae1") + b"x" * 600, "encrypted"),
        ("a.exe", b"MZ", "kind"),
        ("khong-duoi", b"abc", "kind"),
        ("a.html", b"<script>x</script>", "empty"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, name: str, data: bytes, key: str) -> None:
    assert refusal(tmp_path, name, data) == f"knowledge.{key}"


def test_a_locked_pdf_is_said_to_be_locked(tmp_path: Path) -> None:
    secret = "<" + "41" * 32 + ">"
    lock = f"/Encrypt << /Filter /Standard /V 1 /R 2 /O {secret} /U {secret} /P -4 >> /ID [<41> <41>]"
    assert refusal(tmp_path, "khoa.pdf", pdf_bytes(["chu"], trailer=lock)) == "knowledge.encrypted"


def test_a_word_file_without_its_document_is_damaged(tmp_path: Path) -> None:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("x.txt", "x")
    assert refusal(tmp_path, "a.docx", out.getvalue()) == "knowledge.damaged"


def test_folders_missing_and_huge_files(tmp_path: Path) -> None:
    huge = tmp_path / "lon.txt"
    with huge.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    for path, key in ((tmp_path, "folder"), (tmp_path / "khong.txt", "missing"), (huge, "large")):
        with pytest.raises(InputError) as caught:
            load_bytes(path)
        assert caught.value.key == f"knowledge.{key}"
        assert (key == "large") == ("50 MB" in caught.value.render("vi").message)


def test_no_permission(tmp_path: Path) -> None:
    secret = tmp_path / "mat.txt"
    secret.write_text("x", encoding="utf-8")
    secret.chmod(0)
    prepare = "from troly.errors import InputError\nfrom troly.retrieval.documents.files import load_bytes"
    body = "try:\n    load_bytes(folder / 'mat.txt')\nexcept InputError as error:\n    print(error.key)"
    assert run_unprivileged(prepare, body, tmp_path).strip() == "knowledge.denied"


def parsed(name: str, data: bytes) -> Document | None:
    """The document, or None when it was refused with an error that says something."""
    with suppress(InputError):
        return parse_document(Path(name), data)
    return None


@given(st.binary(max_size=400), st.sampled_from([".md", ".txt", ".html", ".csv", ".pdf", ".docx"]))
def test_any_bytes_are_read_or_refused(data: bytes, suffix: str) -> None:
    document = parsed(f"a{suffix}", data)
    assert document is None or all(block.text.strip() for block in document.blocks)


@given(st.text(max_size=400), st.sampled_from([".md", ".txt", ".html", ".csv"]))
def test_any_text_is_read_or_refused(text: str, suffix: str) -> None:
    document = parsed(f"a{suffix}", text.encode("utf-8", "replace"))
    assert document is None or document.title


@pytest.mark.parametrize(
    "declared", ['<?xml version="1.0" encoding="utf-8"?>', "<?xml", " <?XML ?><!-- x --><?xml ?>"]
)
def test_a_page_of_xhtml_is_a_page(tmp_path: Path, declared: str) -> None:
    page = tmp_path / "trang.html"
    page.write_text(f"{declared}\n<html><body><p>Giao hàng trong ngày</p></body></html>", encoding="utf-8")
    assert "Giao hàng trong ngày" in " ".join(
        block.text for block in parse_document(page, load_bytes(page)).blocks
    )
