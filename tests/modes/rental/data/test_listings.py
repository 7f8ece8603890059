"""A public listing dump becomes rooms and posts, with a mapping file or by the titles of its columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.rental.services import load, rental_at, stored
from troly.errors import InputError
from troly.plugin.services import Services

DUMP = """Tiêu đề;Giá;Diện tích;Khu vực;PN;Ngày;Loại tin
Phòng có gác;3,5 triệu/tháng;25 m2;Gò Vấp;1;20/11/2026;Phòng cho thuê
Studio đẹp;6tr5;30m²;Quận Cầu Giấy, Hà Nội;1PN;2026-11-19;Căn
Nhà ba tầng;15.000.000 đ;80,5;123 Huỳnh Tấn Phát, Q.7, TP.HCM;3 phòng ngủ;18-11-2026 08:30;Nhà
Chỗ lạ;3tr;20;Quận 99;1;18/11/2026;Nhà
Giá lạ;Thỏa thuận;20;q1;1;18/11/2026;Nhà
"""
MAPPING = """
[[listing]]
file = "tin.csv"
[listing.columns]
title = "Tiêu đề"
price = "giá"
area = "Diện tích"
district = "Khu vực"
bedrooms = "PN"
created_at = "Ngày"
room_type = "Loại tin"
[listing.values.room_type]
"Phòng cho thuê" = "room"
"Căn" = "mini_apartment"
[listing.fixed]
furnished = "cơ bản"
"""
WANTED = [
    ("Phòng có gác", "room", 3_500_000, 25.0, "hcm-go-vap", 1, "2026-11-20 00:00:00", "basic"),
    ("Studio đẹp", "mini_apartment", 6_500_000, 30.0, "hanoi-cau-giay", 1, "2026-11-19 00:00:00", "basic"),
    ("Nhà ba tầng", "house", 15_000_000, 80.5, "hcm-quan-7", 3, "2026-11-18 08:30:00", "basic"),
]
_READ = """select title, room_type, price, area, district_id, bedrooms, created_at::varchar, furnished
    from rooms order by id"""


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with rental_at(tmp_path / "home") as opened:
        yield opened


def written(folder: Path, dump: str = DUMP, mapping: str = MAPPING, name: str = "mapping.toml") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "tin.csv").write_text(dump, encoding="utf-8")
    if mapping:
        (folder / name).write_text(mapping, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("name", "path"), [("mapping.toml", ""), ("tin.toml", "tin.csv"), ("m.toml", "m.toml")]
)
def test_a_mapped_dump_becomes_rooms_and_posts(
    services: Services, tmp_path: Path, name: str, path: str
) -> None:
    outcome = load(services, written(tmp_path / "in", name=name) / path)
    assert stored(services, _READ) == WANTED
    assert (outcome.counts["rooms"], outcome.counts["posts"], outcome.counts["rejected"]) == (3, 3, 2)
    assert "line 5, column Khu vực" in outcome.problems[0]
    assert "line 6, column giá" in outcome.problems[1]
    posts = stored(
        services, "select p.title, p.status from posts p join rooms r on r.id = p.room_id order by p.id"
    )
    assert posts == [(row[0], "active") for row in WANTED]


def test_a_dump_loaded_twice_is_there_once(services: Services, tmp_path: Path) -> None:
    folder = written(tmp_path / "in")
    load(services, folder)
    more = DUMP.replace("Studio đẹp", "Phòng mới")
    load(services, written(tmp_path / "in", more))
    assert [row[0] for row in stored(services, _READ)] == [
        "Phòng có gác",
        "Studio đẹp",
        "Nhà ba tầng",
        "Phòng mới",
    ]
    assert stored(services, "select count(*), count(distinct room_id) from posts") == [(4, 4)]


def test_titles_are_understood_without_a_mapping_and_said(services: Services, tmp_path: Path) -> None:
    dump = (
        "Tin,Mức giá (triệu/tháng),Diện tích (m2),Quận/Huyện,Thành phố\n"
        "a,3.5,20,1,Hồ Chí Minh\nb,12,60 m2,Cầu Giấy,Hà Nội\nc,2,18,Bình Thạnh,\n"
    )
    outcome = load(services, written(tmp_path / "in", dump, "") / "tin.csv")
    assert [row[2:5] for row in stored(services, _READ)] == [
        (3_500_000, 20.0, "hcm-quan-1"),
        (12_000_000, 60.0, "hanoi-cau-giay"),
        (2_000_000, 18.0, "hcm-binh-thanh"),
    ]
    assert stored(services, "select title from rooms where id = 1") == [("Phòng trọ 20 m2 Quận 1",)]
    assert "Mức giá (triệu/tháng) → price" in outcome.summary


def test_a_bare_number_in_an_unknown_unit_is_refused(services: Services, tmp_path: Path) -> None:
    outcome = load(
        services, written(tmp_path / "in", "giá,diện tích,quận\n3.5,20,q1\n3500000,20,q1\n", "") / "tin.csv"
    )
    assert "line 2, column giá" in outcome.problems[0]
    assert "unit" in outcome.problems[0]
    assert outcome.counts["rooms"] == 1


def test_unknown_titles_give_a_mapping_to_begin_with(services: Services, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load(services, written(tmp_path / "in", "a,giá,b\n1,2,3\n", "") / "tin.csv")
    assert caught.value.key == "rental.dump"
    for part in ("area, district", '[[listing]]\nfile = "tin.csv"', 'price = "giá"', 'area = "?"'):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[[listing]]", "[listing]", "[[listing]]"),
        ("[[listing]]", "[[listing]", "line 2"),
        ('file = "tin.csv"', "", "file ="),
        ("[listing.fixed]", "[listing.fixd]", "`fixd` → `fixed`"),
        ('price = "giá"', 'prise = "giá"', "`prise` → `price`"),
        ('price = "giá"', "", "price"),
        ('district = "Khu vực"', "", "district"),
        ('price = "giá"', 'price = "Gia tien"', "price = `Gia tien`"),
        ("[listing.fixed]", '[listing.unit]\nprice = "usd"\n[listing.fixed]', "unit"),
        ('file = "tin.csv"', 'file = "../../../etc/passwd"', "passwd"),
    ],
)
def test_a_wrong_mapping_is_named(services: Services, tmp_path: Path, old: str, new: str, told: str) -> None:
    folder = written(tmp_path / "in", mapping=MAPPING.replace(old, new))
    with pytest.raises(InputError) as caught:
        load(services, folder)
    assert told in str(caught.value)
    assert "/etc/passwd" not in str(caught.value)
