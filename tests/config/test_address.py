"""Ollama's address: every way people write it ends in one form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.config.address import normalise

HOSTS = st.from_regex(r"[a-z][a-z0-9-]{0,12}(\.[a-z]{2,5}){0,2}", fullmatch=True)
PORTS = st.integers(1, 65535)


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("localhost", "http://localhost:11434"),
        ("localhost:8080", "http://localhost:8080"),
        (":8080", "http://127.0.0.1:8080"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:9", "http://127.0.0.1:9"),
        ("http://0.0.0.0:11434/", "http://127.0.0.1:11434"),
        ("http://localhost:11434/", "http://localhost:11434"),
        ("HTTP://LocalHost:11434", "http://localhost:11434"),
        (" 'http://a.b:1' ", "http://a.b:1"),
        ("http://example.com", "http://example.com"),
        ("https://example.com/ollama/", "https://example.com/ollama"),
        ("https://me:pass@example.com", "https://me:pass@example.com"),
        ("::1", "http://[::1]:11434"),
        ("[::1]:5", "http://[::1]:5"),
        ("[::]:5", "http://[::1]:5"),
        ("http://:5", "http://127.0.0.1:5"),
    ],
)
def test_forms(written: str, url: str) -> None:
    assert normalise(written) == url


@pytest.mark.parametrize(
    "written",
    [
        "",
        "  ",
        "http://",
        "ftp://a",
        "file:///etc/passwd",
        "a b",
        "a:0",
        "a:65536",
        "a:99999",
        "a:b",
        "a:",
        "http://a?x=1",
        "[zz]",
        "[:::]",
        "1:2:3",
        "a\nb",
        "máy",
    ],
)
def test_what_is_no_address(written: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        normalise(written)


@given(
    HOSTS, PORTS, st.sampled_from(["", "http://", "https://"]), st.sampled_from(["", "/", "/api", "/api/"])
)
def test_parts_are_kept(host: str, port: int, scheme: str, path: str) -> None:
    wanted = f"{scheme or 'http://'}{host}:{port}{path.rstrip('/')}"
    assert normalise(f"{scheme}{host}:{port}{path}") == wanted


@given(HOSTS, PORTS)
def test_a_written_port_wins_over_the_other(host: str, port: int) -> None:
    assert normalise(f"{host}:{port}", 1) == f"http://{host}:{port}"
    assert normalise(host, port) == f"http://{host}:{port}"
    assert normalise(f"http://{host}", port) == f"http://{host}:{port}"


@given(st.text(max_size=40) | st.from_regex(r"(https?://)?[\w.\[\]:@/-]{0,30}", fullmatch=True))
def test_twice_is_as_once(text: str) -> None:
    try:
        once = normalise(text)
    except ValueError:
        return
    assert normalise(once) == once
    assert once.startswith(("http://", "https://"))
    assert "0.0.0.0:" not in once
