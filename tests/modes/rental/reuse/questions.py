"""Generated rental questions with what they mean, and the same questions with one thing swapped."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace

PLACES = ("Quận 1", "Quận 3", "Quận 7", "Quận 10", "Quận 12", "Gò Vấp", "Bình Thạnh", "Tân Bình", "Tân Phú",
          "Phú Nhuận", "Cầu Giấy", "Đống Đa", "Hai Bà Trưng", "Thanh Xuân", "Hoàng Mai")  # fmt: skip
MILLIONS = (2, 3, 4, 5, 6, 8, 10)
AREAS = (15, 18, 20, 25, 30, 40)
DIRECTIONS = {"dưới": "trên", "trên": "dưới", "tối đa": "tối thiểu", "tối thiểu": "tối đa", "không quá": "ít nhất",
              "ít nhất": "không quá"}  # fmt: skip
EXTREMES = {"rẻ nhất": "đắt nhất", "đắt nhất": "rẻ nhất", "mới nhất": "cũ nhất", "cũ nhất": "mới nhất",
            "rộng nhất": "nhỏ nhất", "nhỏ nhất": "rộng nhất"}  # fmt: skip
EXTRAS = ("máy lạnh", "nội thất", "chỗ để xe", "ban công", "gác lửng", "thang máy")
_START = (
    "Tìm phòng",
    "Cho mình xem phòng",
    "Có bao nhiêu phòng",
    "Giá trung bình phòng",
    "Tin đăng cho thuê phòng",
)


@dataclass(frozen=True)
class Question:
    """One question as the values of its template."""

    start: str
    place: str
    direction: str
    millions: int
    area: int
    area_direction: str
    extra: str
    negated: bool
    extreme: str
    without_place: bool = False

    @property
    def text(self) -> str:
        """The question as it is typed."""
        where = f"không ở {self.place}" if self.without_place else f"ở {self.place}"
        has = f"{'không có' if self.negated else 'có'} {self.extra}"
        return (
            f"{self.start} {self.extreme} {where} giá {self.direction} {self.millions} triệu,"
            f" diện tích {self.area_direction} {self.area}m2, {has}"
        )

    def swaps(self, pick: random.Random) -> Iterator[tuple[str, Question]]:
        """The question with one number, place, negation or direction changed, by the name of the change."""
        yield "number", replace(self, millions=pick.choice([m for m in MILLIONS if m != self.millions]))
        yield "number", replace(self, area=pick.choice([a for a in AREAS if a != self.area]))
        yield "place", replace(self, place=pick.choice([p for p in PLACES if p != self.place]))
        yield "negation", replace(self, negated=not self.negated)
        yield "negation", replace(self, without_place=not self.without_place)
        yield "direction", replace(self, direction=DIRECTIONS[self.direction])
        yield "direction", replace(self, area_direction=DIRECTIONS[self.area_direction])
        if self.extreme:
            yield "direction", replace(self, extreme=EXTREMES[self.extreme])
        if self.direction != self.area_direction:
            yield "direction", replace(self, direction=self.area_direction, area_direction=self.direction)


def questions(count: int, seed: int = 5) -> list[Question]:
    """`count` different questions, the same for the same seed."""
    pick = random.Random(seed)
    found: dict[str, Question] = {}
    while len(found) < count:
        one = Question(
            pick.choice(_START), pick.choice(PLACES), pick.choice(list(DIRECTIONS)), pick.choice(MILLIONS),
            pick.choice(AREAS), pick.choice(list(DIRECTIONS)), pick.choice(EXTRAS), pick.random() < 0.5,
            pick.choice(["", *EXTREMES]),
        )  # fmt: skip
        found[one.text] = one
    return list(found.values())


def unmarked(text: str) -> str:
    """`text` as typed without diacritics."""
    plain = unicodedata.normalize("NFD", text.replace("đ", "d").replace("Đ", "D"))
    return "".join(char for char in plain if not unicodedata.combining(char))
