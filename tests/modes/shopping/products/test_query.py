"""Parsing a question about goods: kind, maker, negation, figures, prices, and that nothing of it is lost unnamed."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.text.fold import fold, folded_words, tokens
from troly_shopping.products.query import ProductQuery, parse_price_limits, parse_product_query, refine

MAKERS = ["Dell", "HP", "ASUS", "Acer", "Logitech", "Samsung", "Cooler Master", "TP-Link"]
NAMES = {"vivobook", "nitro", "tuf", "inspiron", "rtx", "4060", "3530", "b760", "990", "pro", "iphone"} - {
    "iphone"
}
M = 1_000_000


class Catalogue:
    """A catalogue that knows a few makers and names."""

    def brands(self) -> list[str]:
        return MAKERS

    def spoken(self, words: Sequence[str]) -> frozenset[str]:
        return frozenset(word for word in words if fold(word) in NAMES)

    def narrowing(self, kind: str, phrase: str) -> bool:
        return False

    def holds(self, kind: str, words: Sequence[str]) -> bool:
        return False


def parse(text: str, whole: str = "") -> ProductQuery:
    return parse_product_query(text, Catalogue(), whole=whole)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("laptop dưới 20 triệu", None, 20 * M),
        ("laptop duoi 20tr", None, 20 * M),
        ("laptop giá không quá 18tr5 thôi", None, 18_500_000),
        ("laptop under 20 million", None, 20 * M),
        ("monitor below 6m", None, 6 * M),
        ("màn hình 5 triệu trở xuống", None, 5 * M),
        ("chuột tầm 500k", 400_000, 600_000),
        ("laptop 20 triệu", 16 * M, 24 * M),
        ("laptop from 10 to 15 million", 10 * M, 15 * M),
        ("laptop từ 10 đến 15 triệu", 10 * M, 15 * M),
        ("laptop 10-15tr", 10 * M, 15 * M),
        ("laptop trên 10 triệu dưới 15 triệu", 10 * M, 15 * M),
        ("laptop 30 triệu trở lên", 30 * M, None),
        ("laptop dưới 20", None, 20 * M),
        ("card RTX 4060 8GB", None, None),
        ("màn hình 27 inch 165Hz", None, None),
        ("mua 2 con chuột", None, None),
    ],
)
def test_price_limits(text: str, low: int | None, high: int | None) -> None:
    for form in (text, unicodedata.normalize("NFD", text), fold(text), text.upper()):
        limits = parse_price_limits(unicodedata.normalize("NFC", form))
        assert (limits.low, limits.high) == (low, high), form


def test_a_length_of_the_catalogue_is_no_price() -> None:
    assert parse_price_limits("cáp hdmi 2m", lambda word: word == "2m").places == ()


@pytest.mark.parametrize(
    ("text", "kinds", "brands"),
    [
        ("có chuột logitech nào không", ("mouse",), ("Logitech",)),
        ("laptop ram 16gb ssd 512gb", ("laptop",), ()),
        ("chuột và bàn phím cho laptop", ("mouse", "keyboard"), ()),
        ("o cung ssd samsung 1tb", ("ssd",), ("Samsung",)),
        ("bộ phát wifi tp-link", ("router",), ("TP-Link",)),
        ("graphics card from asus", ("vga",), ("ASUS",)),
        ("nguồn cooler master 650w", ("psu",), ("Cooler Master",)),
        ("chính sách đổi trả", (), ()),
        ("build pc 20tr, màn với chuột mình có sẵn rồi", (), ()),
    ],
)
def test_kinds_and_makers(text: str, kinds: tuple[str, ...], brands: tuple[str, ...]) -> None:
    query = parse(text)
    assert (query.kinds, query.brands) == (kinds, brands)


@pytest.mark.parametrize(
    ("text", "attribute", "sign", "value", "unit"),
    [
        ("laptop ram ít nhất 16gb", "ram", ">=", 16, "gb"),
        ("laptop ram 16gb trở lên", "ram", ">=", 16, "gb"),
        ("laptop ram 32", "ram", "=", 32, "gb"),
        ("laptop 16gb or more", "", ">=", 16, "gb"),
        ("ssd 1tb", "storage", "=", 1024, "gb"),
        ("màn hình từ 27 inch trở lên", "screen", ">=", 27, "inch"),
        ("màn hình tối đa 24 inch", "screen", "<=", 24, "inch"),
        ("laptop trên 16gb ram", "ram", ">", 16, "gb"),
        ("laptop with more than 16gb ram", "ram", ">", 16, "gb"),
        ("màn hình lớn hơn 24 inch trở lên", "screen", ">=", 24, "inch"),
        ("màn hình dưới 27 inch", "screen", "<", 27, "inch"),
        ("ssd không dưới 1tb", "storage", ">=", 1024, "gb"),
    ],
)
def test_a_comparison_sign_is_never_dropped(
    text: str, attribute: str, sign: str, value: float, unit: str
) -> None:
    for form in (text, fold(text), text.upper()):
        [figure] = parse(form).figures
        assert (figure.attribute, figure.sign, figure.value, figure.unit) == (attribute, sign, value, unit), (
            form
        )


@given(
    st.sampled_from(["không phải", "không lấy", "trừ", "không thích", "khong lay", "tru", "not", "except"]),
    st.lists(st.sampled_from(MAKERS), min_size=1, max_size=3, unique=True),
    st.sampled_from([" hay ", " với ", " hoặc "]),
    st.sampled_from(["laptop {}", "laptop dưới 20tr, {}", "{}, laptop ram 16gb", "tìm laptop {} ạ"]),
)
def test_a_negation_is_never_lost(denial: str, makers: list[str], join: str, form: str) -> None:
    query = parse(form.format(f"{denial} {join.join(makers)}"))
    assert set(query.no_brands) == set(makers)
    assert query.brands == ()


@pytest.mark.parametrize(
    "text",
    [
        "laptop không lấy {0}, lấy {1}", "không cần {0}, cần {1} thôi", "laptop không phải {0} mà {1}", "không phải {0}, {1} cơ",
        "ko {0}, {1}", "laptop đừng đưa {0} nhưng có {1}", "laptop {0} không lấy, lấy {1}", "k phải {0}, ý là {1}", "not {0}, i want {1}",
        "laptops, not {0} but {1}", "not {0}, {1} instead",
    ],
)  # fmt: skip
@pytest.mark.parametrize("makers", [("Dell", "HP"), ("Cooler Master", "ASUS")])
def test_a_denial_ends_where_something_is_wanted(text: str, makers: tuple[str, str]) -> None:
    for form in (text.format(*makers), fold(text.format(*makers))):
        query = parse(form)
        assert (query.brands, query.no_brands) == ((makers[1],), (makers[0],)), form


@pytest.mark.parametrize(
    ("text", "brands", "no_brands"),
    [
        ("laptop không lấy dell, hp, asus", (), ("Dell", "HP", "ASUS")),
        ("laptop trừ dell, hp", (), ("Dell", "HP")),
        ("không lấy dell hay hp mà lấy asus", ("ASUS",), ("Dell", "HP")),
        ("đừng lấy dell và đừng lấy hp", (), ("Dell", "HP")),
        ("có dell không", ("Dell",), ()),
        ("laptop dell không shop", ("Dell",), ()),
        ("laptop không asus", (), ("ASUS",)),
        ("laptop dell k lấy", (), ("Dell",)),
        ("laptop asus ko lấy dell", ("ASUS",), ("Dell",)),
        ("không lấy Dell nha, HP cũng không luôn", (), ("Dell", "HP")),
        ("không phải dell, laptop asus ấy", ("ASUS",), ("Dell",)),
    ],
)
def test_a_question_is_no_negation(text: str, brands: tuple[str, ...], no_brands: tuple[str, ...]) -> None:
    query = parse(text)
    assert (query.brands, query.no_brands) == (brands, no_brands)


def test_a_negation_ends_with_its_list() -> None:
    query = parse("tai nghe ko phải dell, dưới 3tr, bluetooth")
    assert (query.no_brands, query.facts, query.no_facts) == (("Dell",), ("bluetooth",), ())
    assert parse("laptops without zorgo").unread == ("without zorgo",)


def test_wired_is_not_wireless() -> None:
    assert parse("chuột gaming có dây").facts == ("gaming", "wired")
    assert parse("chuột ko dây").facts == ("wireless",)
    assert parse("chuột không dây").facts == ("wireless",)


@given(
    st.lists(
        st.sampled_from(["blorp", "quizzle", "xửng", "glimmer", "zorgo"]), min_size=1, max_size=3, unique=True
    )
)
def test_a_word_that_is_not_read_is_named_as_typed(strange: list[str]) -> None:
    query = parse(f"laptop dell {' '.join(strange)} dưới 20 triệu")
    assert query.unread == (" ".join(strange),)
    assert (query.kinds, query.brands, query.high) == (("laptop",), ("Dell",), 20 * M)


def test_what_looks_like_a_model_is_looked_for_though_it_is_not_sold() -> None:
    assert parse("có card rtx 5090 không").words == ("rtx", "5090")


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("so sánh dell inspiron với hp pavilion", "compare"),
        ("so sanh asus tuf va acer nitro", "compare"),
        ("compare dell xps and hp victus", "compare"),
        ("build pc 15 triệu chơi game", "build"),
        ("rap may 20tr choi game", "build"),
        ("build me a pc for 20 million", "build"),
        ("laptop chơi game", "find"),
        ("màn hình và chuột cho pc", "find"),
    ],
)
def test_what_is_to_be_done(text: str, action: str) -> None:
    assert parse(text).action == action


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("laptop rẻ nhất", "cheapest"),
        ("cheapest mouse", "cheapest"),
        ("re nhat", "cheapest"),
        ("chuột đắt nhất", "dearest"),
    ],
)
def test_the_order_asked_for(text: str, order: str) -> None:
    assert parse(text).order == order


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("phí ship bao nhiêu", ("delivery fee",)),
        ("trả góp 0% không", ("instalment",)),
        ("laptop có cod ko", ("cod",)),
        ("bảo hành laptop thường bao lâu", ("warranty period",)),
        ("laptop dell", ()),
    ],
)
def test_questions_about_service(text: str, topics: tuple[str, ...]) -> None:
    assert parse(text).topics == topics


def test_a_change_keeps_the_rest() -> None:
    first = ProductQuery.from_json(parse("laptop gaming dưới 25tr không lấy dell").to_json())
    query = refine(first, parse("thôi 27tr, ram 32gb", "laptop"))
    assert (query.kinds, query.facts, query.no_brands, query.high) == (
        ("laptop",),
        ("gaming",),
        ("Dell",),
        27 * M,
    )
    assert query.figures[0].value == 32
    assert refine(query, parse("không lấy asus")).no_brands == ("Dell", "ASUS")


@given(st.text(max_size=200))
def test_any_message_is_read(text: str) -> None:
    query = parse(text)
    assert query.low is None or query.high is None or query.low <= query.high
    typed = {word.folded for word in tokens(unicodedata.normalize("NFC", text))}
    assert all(set(folded_words(phrase)) <= typed for phrase in query.unread)


def test_a_letter_of_a_models_name_denies_nothing() -> None:
    whole = parse("Mainboard ASUS B760 K V2 giá bao nhiêu")
    assert (whole.no_words, whole.no_brands, whole.no_facts) == ((), (), ())
    assert "dell" in {fold(one) for one in parse("laptop k lấy dell").no_brands}
