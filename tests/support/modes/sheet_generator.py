"""Makes the sample sheets in `data/sheets/` from a seed: `python -m tests.support.modes.sheet_generator` writes them anew."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parents[3] / "data" / "sheets"
SEED = 2026
FIRST, LAST = date(2024, 12, 1), date(2026, 11, 22)
ORDERS = 20_400
CUSTOMERS = 3_000
# Share of the orders, how much of it comes over the months, commission is none of the sheet's business.
CHANNELS = {"Shopee": 46, "TikTok Shop": 24, "Lazada": 17, "Website": 13}
CITIES = {
    "TP. Hồ Chí Minh": 30, "Hà Nội": 26, "Đà Nẵng": 9, "Cần Thơ": 7, "Hải Phòng": 7, "Bình Dương": 6, "Đồng Nai": 5,
    "Nghệ An": 4, "Khánh Hòa": 3, "Thừa Thiên Huế": 3,
}  # fmt: skip
PAYMENTS = {"COD": 52, "Ví điện tử": 24, "Chuyển khoản": 14, "Thẻ": 10}
SHIPPERS = {"GHN": 32, "GHTK": 28, "SPX Express": 26, "Viettel Post": 14}
# Sales of a month against an average one: quiet after Tết, sales days of the platforms late in the year.
MONTHS = (1.25, 0.7, 0.85, 0.9, 0.95, 1.0, 0.95, 0.95, 1.05, 1.1, 1.25, 1.35)
FAMILY = [
    "Nguyễn",
    "Trần",
    "Lê",
    "Phạm",
    "Hoàng",
    "Phan",
    "Vũ",
    "Đặng",
    "Bùi",
    "Đỗ",
    "Hồ",
    "Ngô",
    "Dương",
    "Lý",
]
MIDDLE = ["Văn", "Thị", "Minh", "Ngọc", "Thanh", "Hữu", "Quang", "Thu", "Đức", "Gia"]
GIVEN = [
    "An",
    "Bình",
    "Chi",
    "Dũng",
    "Giang",
    "Hà",
    "Hạnh",
    "Hiếu",
    "Hoa",
    "Hùng",
    "Khánh",
    "Lan",
    "Linh",
    "Long",
    "Mai",
    "Nam",
    "Nga",
    "Phúc",
    "Quân",
    "Sơn",
    "Thảo",
    "Trang",
    "Tuấn",
    "Vy",
    "Yến",
]


class Good(NamedTuple):
    """One product: name, group, price and cost in VND, how often it is bought."""

    code: str
    name: str
    group: str
    price: int
    cost: int
    weight: int


_GOODS = """
Áo thun: Áo thun cổ tròn 159 11, Áo thun cổ tim 169 7, Áo polo nam 249 9, Áo polo nữ 239 6, Áo thun oversize 189 10
Áo khoác: Áo khoác gió 359 5, Áo hoodie 329 7, Áo len cổ lọ 289 3, Áo khoác jean 459 3
Quần: Quần jean nam 399 7, Quần jean nữ 389 7, Quần kaki 329 5, Quần short 199 6, Quần jogger 259 5
Váy: Váy hoa nhí 279 4, Váy công sở 349 3, Chân váy xếp ly 229 4, Đầm dự tiệc 599 1
Giày dép: Giày sneaker trắng 549 6, Giày chạy bộ 699 3, Giày lười 429 2, Dép quai ngang 129 6, Sandal nữ 219 4
Túi: Balo laptop 389 4, Túi tote vải 99 7, Túi đeo chéo 259 4, Ví da nam 299 2
Phụ kiện: Mũ lưỡi trai 119 5, Thắt lưng da 189 3, Tất cổ ngắn (5 đôi) 79 8, Khăn choàng 149 2, Kính mát 199 2
"""


def goods() -> list[Good]:
    """Every product, in the order of its code."""
    found: list[Good] = []
    for line in _GOODS.strip().splitlines():
        group, _, items = line.partition(": ")
        for item in items.split(", "):
            name, price, weight = item.rsplit(" ", 2)
            value = int(price) * 1_000
            cost = round(value * (0.45 + 0.02 * (len(found) % 7)) / 1_000) * 1_000
            found.append(Good(f"SP{len(found) + 1:03d}", name, group, value, cost, int(weight)))
    return found


def products_csv() -> str:
    """Code, name, group, price, cost, stock."""
    pick = random.Random(SEED)
    rows = [
        (
            good.code,
            good.name,
            good.group,
            good.price,
            good.cost,
            pick.choice((0, 4, 12, 25, 40, 60, 120, 200)),
        )
        for good in goods()
    ]
    return _csv(("Mã SP", "Tên sản phẩm", "Nhóm hàng", "Giá bán", "Giá vốn", "Tồn kho"), rows)


def customers_csv() -> str:
    """Code, name, city, rank, first day; some without a telephone number."""
    pick = random.Random(SEED + 1)
    rows = []
    for number in range(1, CUSTOMERS + 1):
        name = f"{pick.choice(FAMILY)} {pick.choice(MIDDLE)} {pick.choice(GIVEN)}"
        phone = "" if pick.random() < 0.06 else f"09{pick.randrange(10**8):08d}"
        joined = FIRST - timedelta(days=1 + pick.randrange(700))
        rank = pick.choices(("Thường", "Bạc", "Vàng", "Kim cương"), (70, 18, 9, 3))[0]
        rows.append((f"KH{number:04d}", name, phone, _one(pick, CITIES), rank, f"{joined:%d/%m/%Y}"))
    return _csv(("Mã KH", "Họ tên", "Số điện thoại", "Tỉnh thành", "Hạng", "Ngày tham gia"), rows)


def orders_csv() -> str:
    """One line an order: what was bought, where, for how much, and what became of it."""
    pick = random.Random(SEED + 2)
    header = (
        "Mã đơn", "Ngày đặt", "Kênh", "Trạng thái", "Mã SP", "Sản phẩm", "Số lượng", "Đơn giá", "Giảm giá", "Doanh thu",
        "Phí vận chuyển", "Mã KH", "Tỉnh thành", "Thanh toán", "Đơn vị giao hàng",
    )  # fmt: skip
    rows = [_order(pick, number, day) for number, day in enumerate(_days(pick), 1)]
    return _csv(header, rows)


def _days(pick: random.Random) -> Iterator[date]:
    """The day of each order, in order: more of them late in the year, at weekends, on double days, and as time goes."""
    weights = []
    days = [FIRST + timedelta(days=at) for at in range((LAST - FIRST).days + 1)]
    for at, day in enumerate(days):
        weight = MONTHS[day.month - 1] * (1 + 0.6 * at / len(days)) * (1.2 if day.weekday() >= 5 else 1.0)
        if day.day == day.month and day.month >= 9:
            weight *= 3.2
        weights.append(weight)
    yield from sorted(pick.choices(days, weights, k=ORDERS))


def _order(pick: random.Random, number: int, day: date) -> tuple[object, ...]:
    everything = goods()
    warm = 4 <= day.month <= 9
    seasonal = [
        good.weight
        * (0.3 if warm and good.group == "Áo khoác" else 1.6 if warm and good.group == "Áo thun" else 1)
        for good in everything
    ]
    good = pick.choices(everything, seasonal)[0]
    channel = _one(pick, {**CHANNELS, "TikTok Shop": 14 + 20 * (day - FIRST).days // 720})
    count = pick.choices((1, 2, 3, 4, 5, 10), (62, 22, 8, 4, 3, 1))[0]
    price = good.price if day < date(2026, 1, 1) else round(good.price * 1.05 / 1_000) * 1_000
    share = pick.choices((0, 5, 10, 15, 30), (50, 18, 18, 10, 4))[0] if day.day != day.month else 20
    discount = price * count * share // 100
    ended = (LAST - day).days > 5
    fates = (86, 7, 5, 0, 2) if ended else (20, 5, 1, 50, 24)
    states = ("Hoàn thành", "Đã hủy", "Hoàn trả", "Đang giao", "Chờ xử lý")
    state = pick.choices(states, fates)[0]
    shipping = pick.choice((0, 15_000, 22_000, 30_000, 35_000))
    # A few buy often, most now and then.
    customer = f"KH{1 + int(CUSTOMERS * pick.random() ** 2):04d}"
    return (
        f"DH{number:05d}", day.isoformat(), channel, state, good.code, good.name, count, price, discount,
        price * count - discount, shipping, customer, _one(pick, CITIES), _one(pick, PAYMENTS), _one(pick, SHIPPERS),
    )  # fmt: skip


def _one(pick: random.Random, weighted: dict[str, int]) -> str:
    return pick.choices(list(weighted), list(weighted.values()))[0]


def _csv(header: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


FILES = {"don-hang.csv": orders_csv, "san-pham.csv": products_csv, "khach-hang.csv": customers_csv}


def main() -> None:
    """Write the sheets."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, make in FILES.items():
        (FOLDER / name).write_text(make(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
