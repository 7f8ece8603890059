"""`app ingest policies`: formats, front matter and its faults, only what changed, versions kept, samples apart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.modes.rag_company import Company, company_at
from tests.support.retrieval.knowledge import HashingEmbedder, docx_bytes, pdf_bytes
from troly.errors import InputError
from troly_rag.config import own_file
from troly_rag.corpus.cards import Card, Cards
from troly_rag.corpus.front_matter import read_day, read_front, split


@pytest.fixture
def company(tmp_path: Path) -> Iterator[Company]:
    with company_at(tmp_path) as opened:
        yield opened


def cards(company: Company) -> dict[str, Card]:
    return {card.path.rpartition("/")[2]: card for card in Cards(company.services.state).all()}


def counts(company: Company, **values: Any) -> dict[str, int]:
    return {name: count for name, count in company.ingest(**values).counts.items() if count}


async def test_every_format_is_found(company: Company) -> None:
    company.write("a.md", "Gửi xe ở hầm B1.", scope="public")
    company.write("b.txt", "Giữ đồ thất lạc ở lễ tân.", scope="public", title="Đồ thất lạc")
    (company.docs / "c.docx").write_bytes(docx_bytes())
    (company.docs / "d.pdf").write_bytes(pdf_bytes(["The canteen opens at noon"]))
    (company.docs / "e.html").write_text(
        "<html><head><title>Wifi</title><meta name='scope' content='public'>"
        "<meta name='date' content='2025-02-03'></head><body><h1>Wifi khách</h1><p>Mạng Guest.</p></body></html>",
        encoding="utf-8",
    )
    (company.docs / "bang.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    outcome = company.ingest()
    assert (outcome.counts["added"], outcome.counts["failed"]) == (5, 1)
    assert "bang.csv" in outcome.problems[0]
    staff = company.person("internal")
    for query, name in [
        ("gửi xe", "a.md"),
        ("đồ thất lạc", "b.txt"),
        ("phụ cấp ăn trưa", "c.docx"),
        ("canteen opens", "d.pdf"),
        ("wifi khách", "e.html"),
    ]:
        found = await company.find(query, staff)
        assert found.passages[0].document.endswith(name), query
    assert cards(company)["e.html"].scope == "public"
    assert cards(company)["e.html"].created_at == "2025-02-03T00:00:00+00:00"
    assert cards(company)["c.docx"].scope == "internal"
    text = (await company.find("đồ thất lạc", staff)).passages[0].text
    assert "scope" not in text


def test_a_pdf_of_pictures_is_said_to_be_one(company: Company) -> None:
    (company.docs / "anh.pdf").write_bytes(pdf_bytes([""]))
    outcome = company.ingest()
    assert outcome.counts["failed"] == 1
    assert "pictures only" in outcome.problems[0]
    assert "anh.pdf" in outcome.problems[0]


def test_only_what_changed_is_read_again_and_what_is_gone_leaves(company: Company) -> None:
    first = company.write("a.md", "Một.", scope="public")
    company.write("con/b.md", "Hai.", scope="public")
    assert counts(company) == {"added": 2, "chunks": 2}
    assert counts(company) == {"unchanged": 2}
    first.write_text("Một, đã sửa.", encoding="utf-8")
    assert counts(company) == {"updated": 1, "unchanged": 1, "chunks": 1}
    first.unlink()
    assert counts(company) == {"unchanged": 1, "removed": 1}
    assert set(cards(company)) == {"b.md"}


def test_options_are_part_of_what_changed(company: Company) -> None:
    company.write("a.md", "Một.")
    assert counts(company, scope="private") == {"added": 1, "chunks": 1}
    assert counts(company, scope="private") == {"unchanged": 1}
    assert counts(company, scope="public", agent="it")["updated"] == 1
    assert (cards(company)["a.md"].scope, cards(company)["a.md"].collection) == ("public", "rag_it")


async def test_another_version_in_the_same_file_keeps_the_old_one(company: Company) -> None:
    company.write("phep.md", "Nghỉ phép mười hai ngày.", version="1.0", date="2024-01-01", scope="public")
    company.ingest()
    company.write("phep.md", "Nghỉ phép mười bốn ngày.", version="2.0", date="2025-01-01", scope="public")
    assert counts(company)["versions"] == 1
    found = await company.find("nghỉ phép mấy ngày", company.person())
    assert [(p.version, p.status) for p in found.passages] == [("2.0", "current"), ("1.0", "superseded")]
    company.write("phep.md", "Nghỉ phép mười lăm ngày.", version="3.0", date="2026-01-01", scope="private")
    company.ingest()
    guest = await company.find("nghỉ phép mấy ngày", company.person())
    kept = await company.find("nghỉ phép mấy ngày", company.person("private"))
    assert [p.version for p in guest.passages] == ["1.0"]
    assert {p.version: (p.scope, p.superseded) for p in kept.passages} == {
        "1.0": ("public", True),
        "2.0": ("private", True),
        "3.0": ("private", False),
    }
    (company.docs / "phep.md").unlink()
    assert counts(company) == {"removed": 3}


async def test_an_older_version_that_was_narrowed_is_embedded_again(company: Company) -> None:
    knowledge, embedder = company.services.knowledge, HashingEmbedder()
    company.write("phep.md", "Nghỉ phép mười hai ngày.", version="1.0", scope="public")
    company.ingest()
    assert (await knowledge.embed_missing("rag_general", embedder, "hashing")).done == 1
    company.write("phep.md", "Nghỉ phép mười bốn ngày.", version="2.0", scope="private")
    company.ingest()
    guest = await company.find("nghỉ phép", company.person(), embed=embedder)
    assert (guest.passages, guest.denied) == ((), 2)
    assert (await knowledge.embed_missing("rag_general", embedder, "hashing")).done == 2
    guest = await company.find("nghỉ phép", company.person(), embed=embedder)
    assert (guest.passages, guest.denied, guest.used_vectors) == ((), 2, False)
    found = await company.find("nghỉ phép", company.person("private"), embed=embedder)
    assert {p.version for p in found.passages} == {"1.0", "2.0"}
    assert found.used_vectors


@pytest.mark.parametrize(
    ("lines", "line", "words", "loaded"),
    [
        (["title: A", "scope: privat"], 3, ["privat", "private"], False),
        (["title: A", "", "scope: public", "scope: private"], 5, ["scope"], False),
        (["title: A", "date: 31/02/2025"], 3, ["31/02/2025"], True),
        (["titel: A"], 2, ["titel", "title"], True),
        (["màu: đỏ"], 2, ["màu"], True),
        (["title: A", "chỉ là chữ"], 3, ["chỉ là chữ"], True),
        (["agent: kho"], 0, ["kho", "general"], False),
    ],
)
def test_bad_front_matter_is_told_by_file_and_line(
    company: Company, lines: list[str], line: int, words: list[str], loaded: bool
) -> None:
    company.write("tot.md", "Tốt.", scope="public")
    text = "\n".join(["---", *lines, "---", "Nội dung."])
    (company.docs / "xau.md").write_text(text, encoding="utf-8")
    outcome = company.ingest()
    assert len(outcome.problems) == 1
    place = f"xau.md:{line}:" if line else "xau.md:"
    assert all(word in outcome.problems[0] for word in [place, *words])
    assert set(cards(company)) == ({"tot.md", "xau.md"} if loaded else {"tot.md"})


def test_front_matter_that_never_ends_is_refused(company: Company) -> None:
    (company.docs / "mo.md").write_text("---\nscope: private\nNội dung mật.\n", encoding="utf-8")
    outcome = company.ingest()
    assert "mo.md:1" in outcome.problems[0]
    assert not cards(company)


def test_a_file_that_turned_bad_keeps_what_was_stored(company: Company) -> None:
    company.write("a.md", "Một.", scope="private")
    company.ingest()
    company.write("a.md", "Hai.", scope="pub lic")
    assert counts(company) == {"failed": 1}
    assert cards(company)["a.md"].scope == "private"


def test_of_two_scopes_the_narrower_one_counts(company: Company) -> None:
    company.write("rieng.md", "Một.", scope="private")
    company.write("chung.md", "Hai.", scope="Công khai")
    company.ingest(scope="internal", department="Nhân sự, it")
    found = cards(company)
    assert (found["rieng.md"].scope, found["chung.md"].scope) == ("private", "internal")
    assert found["chung.md"].departments == "hr+it"


def test_the_agent_comes_from_the_document_the_option_or_the_folder(company: Company) -> None:
    company.write("nhân sự/a.md", "Một.")
    company.write("it/b.md", "Hai.", agent="hr_agent")
    company.write("c.md", "Ba.")
    company.ingest()
    assert {name: card.collection for name, card in cards(company).items()} == {
        "a.md": "rag_hr",
        "b.md": "rag_hr",
        "c.md": "rag_general",
    }


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"agent": "kho"}, "rag_option.agent"),
        ({"scope": "secret"}, "rag_option.scope"),
        ({"effective": "31/02/2026"}, "rag_option.date"),
    ],
)
def test_wrong_options_load_nothing(company: Company, values: dict[str, Any], key: str) -> None:
    company.write("a.md", "Một.")
    with pytest.raises(InputError) as caught:
        company.ingest(**values)
    assert caught.value.key == key
    assert caught.value.render("vi").message
    assert not cards(company)


def test_a_folder_without_documents_is_said_so(company: Company) -> None:
    with pytest.raises(InputError) as caught:
        company.ingest()
    assert caught.value.key == "rag_ingest.nothing"
    assert company.ingest(company.docs / "khong-co.md").problems


async def test_an_agent_of_ones_own_has_a_corpus_of_its_own(company: Company) -> None:
    own_file(company.services.paths).write_text(
        "[agents.kho]\ndesc = 'kho hàng'\ncorpus = 'rag_kho'\ntools = ['rag_tool']\n", encoding="utf-8"
    )
    company.write("kho/kiem-ke.md", "Kiểm kê kho vào ngày cuối tháng.", scope="public")
    company.ingest()
    found = await company.find("kiểm kê kho khi nào", company.person(), "kho")
    assert [p.document.rpartition("/")[2] for p in found.passages] == ["kiem-ke.md"]
    assert not (await company.find("kiểm kê kho khi nào", company.person())).passages


def test_problems_go_to_a_file_where_asked(company: Company, tmp_path: Path) -> None:
    company.write("xau.md", "Một.", scope="=cmd()")
    company.ingest(errors=tmp_path / "loi.csv")
    assert "xau.md:2" in (tmp_path / "loi.csv").read_text("utf-8")
    with pytest.raises(InputError):
        company.ingest(errors=tmp_path)


def test_a_dry_run_writes_nothing(company: Company) -> None:
    company.write("a.md", "Một.")
    outcome = company.ingest(dry_run=True)
    assert (outcome.counts["added"], outcome.published) == (1, False)
    assert not cards(company)


@given(text=st.text(alphabet=st.sampled_from("-: \n#[],'\"scopedat01/éđ"), max_size=80))
def test_any_head_is_read_or_explained(text: str) -> None:
    whole = f"---\n{text}\n---\nbody"
    front = read_front(whole)
    assert front.scope in ("", "public", "internal", "private")
    assert split(whole)[1].count("\n") == whole.count("\n")
    assert all(1 <= fault.line <= whole.count("\n") + 1 for fault in front.faults)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2025-06-10", "2025-06-10T00:00:00+00:00"),
        ("10/06/2025", "2025-06-10T00:00:00+00:00"),
        ("2025-06-10T08:00:00Z", "2025-06-10T08:00:00+00:00"),
        ("2025-06-10T08:00:00+07:00", "2025-06-10T01:00:00+00:00"),
        ("31/02/2025", None),
        ("mới nhất", None),
    ],
)
def test_dates_keep_their_day(text: str, wanted: str | None) -> None:
    assert read_day(text) == wanted
