"""Places are found however people write them, and a name of several places stays several until something settles it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.text.fold import fold
from troly_rental.data.places import Place, places


def found(text: str) -> list[list[str]]:
    """The ids of each mention."""
    return [[place.id for place in mention.places] for mention in places().find(text)]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Tìm phòng trọ giá rẻ ở quận 1", ["hcm-quan-1"]),
        ("q1", ["hcm-quan-1"]),
        ("Q.1", ["hcm-quan-1"]),
        ("QUAN 01", ["hcm-quan-1"]),
        ("quận nhất", ["hcm-quan-1"]),
        ("district 1", ["hcm-quan-1"]),
        ("quận mười hai", ["hcm-quan-12"]),
        ("quan muoi", ["hcm-quan-10"]),
        ("quận tư", ["hcm-quan-4"]),
        ("go vap", ["hcm-go-vap"]),
        ("Q.Gò Vấp", ["hcm-go-vap"]),
        ("gv", ["hcm-go-vap"]),
        ("quận hai bà trưng", ["hanoi-hai-ba-trung"]),
        ("HBT", ["hanoi-hai-ba-trung"]),
        ("CG", ["hanoi-cau-giay"]),
        ("ba dinh", ["hanoi-ba-dinh"]),
        ("q ba đình", ["hanoi-ba-dinh"]),
        ("quận ba", ["hcm-quan-3"]),
        ("tp Thủ Đức", ["hcm-thu-duc"]),
        ("quận 9", ["hcm-quan-9"]),
        ("Sài Gòn", ["hcm"]),
        ("sg", ["hcm"]),
        ("TP.HCM", ["hcm"]),
        ("ho chi minh city", ["hcm"]),
        ("hn", ["hanoi"]),
        ("phường Sài Gòn", ["hcm-quan-1-sai-gon"]),
        ("thao dien", ["hcm-quan-2-an-khanh"]),
        ("ben thanh xuan thi sao", ["hanoi-thanh-xuan"]),
        ("gần Landmark 81", ["hcm-binh-thanh"]),
    ],
)
def test_one_place(text: str, ids: list[str]) -> None:
    assert found(text) == [ids]


@pytest.mark.parametrize(
    "text",
    [
        "giá bình thường",
        "phòng 2 người",
        "cho thuê nhà 3 tầng",
        "có 1 phòng ngủ",
        "tìm phòng trọ gần đây",
        "5 triệu",
        "",
    ],
)
def test_no_place(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("BT", {"hcm-binh-tan", "hcm-binh-thanh"}),
        ("Từ Liêm", {"hanoi-nam-tu-liem", "hanoi-bac-tu-liem"}),
        ("gần đại học Bách Khoa", {"hcm-quan-10", "hanoi-hai-ba-trung"}),
        ("an khánh", {"hcm-quan-2-an-khanh", "hanoi-hoai-duc-an-khanh"}),
        ("HM", {"hcm-hoc-mon", "hanoi-hoang-mai"}),
    ],
)
def test_several_places_stay_several(text: str, ids: set[str]) -> None:
    assert set(found(text)[0]) == ids


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("HM hà nội", ["hanoi-hoang-mai"]),
        ("Bách Khoa ở sài gòn", ["hcm-quan-10"]),
        ("an khanh ha noi", ["hanoi-hoai-duc-an-khanh"]),
        ("phường 1 gò vấp", ["hcm-go-vap-hanh-thong"]),
        ("p25, Bình Thạnh", ["hcm-binh-thanh-thanh-my-tay"]),
        ("TĐ, tphcm", ["hcm-thu-duc"]),
    ],
)
def test_what_stands_beside_settles_it(text: str, first: list[str]) -> None:
    assert found(text)[0] == first


@pytest.mark.parametrize("text", ["gò vắp", "hạn đóng", "hỏng kiểm", "binh thạng", "tần bình", "hà đống"])
def test_accents_that_were_typed_are_those_of_the_name(text: str) -> None:
    assert found(f"phòng ở {text} dưới 3tr") == []


def test_several_mentions_keep_their_order_and_span() -> None:
    text = "phòng ở quận 3 hoặc Gò Vấp, HN"
    mentions = places().find(text)
    assert [text[m.start : m.end] for m in mentions] == ["quận 3", "Gò Vấp", "HN"]
    assert [m.short for m in mentions] == [False, False, True]


def test_thu_duc_covers_what_was_merged_into_it() -> None:
    by_id = places().by_id
    assert by_id["hcm-thu-duc"].covers == ("hcm-thu-duc", "hcm-quan-2", "hcm-quan-9")
    assert by_id["hcm-quan-9"].covers == ("hcm-quan-9",)
    assert len(by_id["hcm"].covers) == 24
    assert by_id["hcm-quan-2"].part_of == "hcm-thu-duc"


@given(
    place=st.sampled_from(places().of("district")),
    before=st.sampled_from(["", "quận ", "Q.", "q ", "ở ", "phòng trọ "]),
    change=st.sampled_from(["", "fold", "upper", "nfd"]),
)
def test_every_district_is_found_in_every_spelling(place: Place, before: str, change: str) -> None:
    bare = (
        place.name.removeprefix("Quận ") if "uận" in place.name and before[:1].lower() == "q" else place.name
    )
    text = before + bare
    typed = {
        "": text,
        "fold": fold(text),
        "upper": text.upper(),
        "nfd": unicodedata.normalize("NFD", text),
    }[change]
    assert [place.id] in found(typed)


@given(st.text(max_size=60))
def test_any_text_gives_mentions_in_order_inside_it(text: str) -> None:
    ends = 0
    for mention in places().find(text):
        assert ends <= mention.start < mention.end <= len(text)
        assert mention.places
        ends = mention.end


def test_cells_of_lists_are_named() -> None:
    def named(text: str) -> list[str]:
        return [place.id for place in places().named(text, "district")]

    assert named("Quận 7") == ["hcm-quan-7"]
    assert named("7") == []
    assert named("Từ Liêm") == ["hanoi-nam-tu-liem", "hanoi-bac-tu-liem"]
    assert named("Landmark 81") == []
