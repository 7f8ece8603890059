"""Parses which goods a message asks for; every word of it is accounted for, or named as not understood."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from decimal import Decimal
from functools import cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple, Protocol

from troly.text.everyday import ROLES, without_everyday
from troly.text.fold import WordToken, accents, fold, folded_words, nfc, tokens
from troly.text.language import detect, is_syllable
from troly.text.match import Lexicon, PhraseHit, blank_out, spans_of, words_outside
from troly.text.numbers import Amount, counting_words, find_amounts
from troly.text.wordlist import LEXICONS, read_lists
from troly_shopping.products.store import HIGHEST, PARTS, Order
from troly_shopping.wordlists import lexicon, word_lists

Action = Literal["find", "compare", "build"]
Sign = Literal["=", ">=", "<=", ">", "<"]

MILLION, THOUSAND = 1_000_000, 1_000
# "tầm 500k" means this share more or less.
_LEEWAY = 0.2
_SMALLEST_PRICE = 10_000
# Money that the catalogue has no prices in; nothing here knows a rate of exchange.
_FOREIGN = ("USD", "EUR")
_NEAR = 14
_BETWEEN = re.compile(r"\s*(?:-|~|den|toi|to|and|va|—|–)\s*")
_LIMITS = ("at most", "at least", "about", "budget", "or less", "or more")
# "below 6m", "15m": millions, unless the catalogue measures such goods in metres.
_SHORT_MILLION = re.compile(r"(?<![\w.,])(\d{1,3}(?:[.,]\d{1,2})?)m(?!\w)", re.IGNORECASE)
# "loa JBL Go 4 bn" asks how much: nothing here costs billions.
_HOW_MANY = re.compile(r"(?<=\s)bn(?!\w)", re.IGNORECASE)
METRES = re.compile(r"\s?(?:met|mét|meters?|metres?)(?!\w)", re.IGNORECASE)
# A figure with its unit, as customers and catalogues write it.
FIGURE = re.compile(
    r"(?<![\w.,])(\d{1,9}(?:[.,]\d{1,9})?)\s*(gb|g|tb|t|inch(?:es)?|in|\"|hz|kg|mah|w|tháng|thang|năm|nam|months?|years?)(?![^\W_])",
    re.IGNORECASE,
)
UNITS = {
    **dict.fromkeys(("gb", "g"), ("gb", 1)), **dict.fromkeys(("tb", "t"), ("gb", 1024)),
    **dict.fromkeys(("inch", "inches", "in", '"'), ("inch", 1)), "hz": ("hz", 1), "kg": ("kg", 1), "mah": ("mah", 1), "w": ("w", 1),
    **dict.fromkeys(("tháng", "thang", "month", "months"), ("month", 1)), **dict.fromkeys(("năm", "nam", "year", "years"), ("month", 12)),
}  # fmt: skip
# The unit of each attribute that goods can be ranked by; "" for a bare number.
MEASURED = {
    "ram": "gb", "storage": "gb", "screen": "inch", "refresh": "hz", "battery": "mah", "weight": "kg", "warranty": "month", "power": "w", "dpi": "", "speed": "", "resolution": "",
}  # fmt: skip
_WEIGHS = re.compile(r"(?:gon )?nhe|gon|nang|light|heav|weighs")
_SIZED = re.compile(r"lon|to|bu|nho|be|big|larg|small")
# What a bare number after an attribute counts: "ram 32".
_BARE_UNITS = {
    "ram": ("gb", frozenset((4, 8, 12, 16, 24, 32, 48, 64, 96, 128))),
    "storage": ("gb", frozenset((120, 128, 240, 250, 256, 480, 500, 512))),
    "screen": ("inch", frozenset(range(11, 60))),
    "refresh": ("hz", frozenset((60, 75, 100, 120, 144, 165, 180, 240, 360))),
}
_BOTH_SIZES = re.compile(
    r"(?<![\w.,/])(8|16|18|24|32|36|48|64)\s?(?:gb?)?\s?/\s?([12](?=\s?t)|128|256|512|1024)\s?(gb?|tb?)?(?![\w/])",
    re.IGNORECASE,
)
# Between a figure and what it is of: "16GB of RAM".
_OF = re.compile(r"\s(?:of\s)?", re.IGNORECASE)
_PIECES = r"\s*(?:cái|cai|con|chiếc|chiec|bộ|bo|thanh|máy|may|món|mon|sợi|soi|cuộn|cuon|bản|ban|tấm|tam|hộp|hop|units?|pieces?|sets?|of)(?![^\W_]|\s+(?:nào|nao|gì|gi)(?!\w))"
_COUNT = re.compile(rf"(?<![\w.,])(\d{{1,3}})(?={_PIECES})", re.IGNORECASE)
# "2 ssd samsung": a number right before a name.
_BEFORE_NAME = re.compile(r"(?<![\w.,-])([1-9]\d?)\s+(?=\w)")
_AMONG = re.compile(r"(?:trong|giua|of the|among|between)(?: so| ca| the)?\s*$")
# Before a number of goods that are there, not wished.
_SHOWN = re.compile(r"(?<!\w)(?:the|these|those|both|between|which)\s*$")
_COUNTED = re.compile(_PIECES, re.IGNORECASE)
# Letters and digits, or three to five digits.
_CODE = re.compile(r"(?=[a-z0-9]*\d)(?=[a-z0-9]*[a-z])[a-z0-9]{3,16}|\d{3,5}")
# Any will do: "hãng nào cũng được".
_ANY = re.compile(
    r"(?<!\w)(\w+)\s+(?:nao|gi)\s+(?:thi\s+)?cung\s+(?:duoc|dc|ok|oke|okie|xong|tot|vay)(?!\w)"
    r"|(?<!\w)(?:any|whatever|whichever)\s+(\w+)\s+(?:will do|is fine|is ok|is okay|works)(?!\w)"
)
# "bao nhiêu W": the unit of what is asked.
_WHICH_FIGURE = re.compile(
    r"(?:nhieu|nhiu|may|how many)\s+(gb|tb|inch|hz|kg|mah|w|gram|gam|g|ky|ki|kilo|cm|mm|met|nit|nits|lumen|mp|ms|fps|trang|cong|khe|nhan|luong|pages|ports|cores|threads|slots)(?!\w)"
)
# "cách shop 15 km", "8 cây".
_DISTANCE = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)?\s*(?:km|cay so|cay|ki ?lo ?met\w*|kilometers?)(?!\w)")
_WAITED = re.compile(r"\d{1,3} (?:ngay|hom|bua|tuan|thang|days?|weeks?)(?: (?:roi|nay|ago|already))")
# "con nào từ 650W còn hàng": one that is there is sought.
_WHICH = re.compile(r"(?<!\w)(?:nao|any|which)(?!\w)")
# What parts have in common is no name: "DDR5", "LGA1700".
_STANDARD = re.compile(r"ddr\d|lga\d+|am\d|wifi\d|usb\d?|\d+k|i[3579]|\w+[<>]=")
# Of two models the one without such a word is meant where it is not said: "RTX 4060" is no "RTX 4060 Ti".
VARIANTS = {"ti", "super", "pro", "plus", "max", "mini", "x", "xt"}
# A step of a family of parts: "i7", "ryzen5", "rtx4060".
_TIER = re.compile(r"i[3579]|(?:ryzen|ultra)[3579]|(?:rtx|gtx|rx)\d{3,4}")
# Of what a catalogue says of goods, what is sold by itself too, and what may follow where it is only sought.
_ACCESSORIES = {"sạc", "cục sạc", "charger", "pin", "battery"}
_ONLY_SOUGHT = {
    "khong", "ko", "k", "hong", "a", "shop", "em", "nhe", "nha", "di", "voi", "ban", "con", "hang", "gia", "bao", "nhieu", "nhiu", "bn", "sao", "please", "cost", "price",
}  # fmt: skip
_CHOICE = re.compile(
    r"(?<!\w)(?:la|is(?: (?:it|this|that))?)\s+(?:loai |dong |con |an? )?(\w+(?: \w+)?) (?:hay|hoac|or)(?: la)? (?:an? )?(\w+(?: \w+)?)(?=(?: (?:vay|the|z|ta|nhi|a|shop|em|ha|e))*\W*$)"
)
_ANY_COMPUTER = re.compile(r"(?<!\w)(?:may tinh|may nao|computers?)(?!\w)")
_NEEDS = re.compile(r"(?<!\w)(?:can|needs?|require[ds]?)(?!\w)")
# "có ráp giùm không": whether the shop does it.
_WHETHER = re.compile(r"(?<!\w)(?:khong|ko|k|hong|hok)(?: (?:a|vay|shop|em|ban|nhi|ta))*\W*$")
# "how much for 3", "lấy 2 nhiêu tiền": pieces of what was shown.
_PIECES_ALONE = re.compile(
    r"(?<!\w)(?:for|take|buy|get|lay|mua|dat|du)\s+([1-9]\d?)(?=\s*(?:[?.!]*$|(?:bao nhieu|nhieu|nhiu|bn|het|khong|ko|k|hong)(?!\w)))"
)
# Said of a limit for several goods: it is one for their sum.
_SUMMED = r"tong(?: cong| tien| chi phi| ngan sach)?|gop(?: lai)?|cong(?: lai)?|(?:ca|tat ca) (?:hai|ba|bon|2|3|4|bo|thay|mon)|(?:hai|ba|2|3) mon|(?:in )?total|altogether|combined|(?:for )?both|in all|all together"
_SUM_BEFORE, _SUM_AFTER = (
    re.compile(rf"(?<!\w)(?:{_SUMMED})(?: (?:la|thi|chi|phai|tien|must be|of))?[\s:]*$"),
    re.compile(rf"[\s,]*(?:cho |la |thoi )?(?:{_SUMMED})(?!\w)"),
)
# The generation of a drive's bus, as customers and catalogues write it: "gen 4", "PCIe 4.0".
_BUS = re.compile(r"(?<!\w)(?:pcie? ?(?:gen ?)?|gen ?)([1-9])(?:[.,]0)?(?![\w.,]*\w)", re.IGNORECASE)
_JOINT = re.compile(r"\s*(?:,|&|/|\+|va|and|hoac|or|hay|voi|lan)\s*")
_JOINED = re.compile(r"\s(?:với|voi|vs|và|va|cùng|cung|and|plus)\s|[,;]", re.IGNORECASE)
_EITHER = re.compile(r"\s(?:hay|hoặc|hoac|or)\s", re.IGNORECASE)
# "mà" begins a clause, "mã" does not.
_CLAUSE = re.compile(r"[,.;?!\n]|(?<!\w)(?:nhưng|nhung|mà|ma|but)(?!\w)", re.IGNORECASE)
_GIVEN_BACK = {"topic return", "topic return policy", "topic refund"}
# "màn hình rẻ nhất": no part is bought by its price.
_CHEAPEST = re.compile(r"\s*(?:ddr\d (?:.* )?)?(?:gia )?(?:re|mac|dat) nh[au]t(?!\w)")
_VERSION = re.compile(r"\w+ (\d+\.\d+)(?![\w.])")
_CPU = re.compile(r"(?<!\w)(?:i[3579]|(?:ryzen|ultra) ?[3579])[ -]?(\d{4,5}k?)(?!\w)", re.IGNORECASE)
# As long as a price, with nothing around it that says what it is.
_LONG_NUMBER = re.compile(
    r"(?<![\w.,])\d{5,6}(?![\w.,]*\w)(?!\s*(?:đ|d|đồng|dong|vnd|vnđ|mah|dpi)(?!\w))", re.IGNORECASE
)
_ENOUGH_PIECES = re.compile(r"(?<!\w)(?:du|enough for) \d")
_PLAIN_DENIAL = re.compile(r"(?<!\w)(?:khong|ko|k|kg|hong|hok|hem|chua)\s+$")
_STICK = re.compile(r"(?<!\w)thanh (?:nao|ram|gi|re|dat)(?!\w)")
# Who speaks has what follows, and wants something else.
_HAS = re.compile(
    r"(?:(?<!shop )(?<!ben )(?<!\w)(?:minh|em|e|toi|tui|anh|chi|t|m) (?:da |dang )?co(?: san)?|(?<!\w)da co(?: san)?|dang (?:dung|xai|co)|\bi (?:already )?have(?: an?)?|i'?ve got(?: an?)?)(?: (?:con|cai|bo|cay|1|mot))?\s*$"
)
_TURNS = re.compile(r"[,;.]|(?<!\w)(?:roi|thi|can|muon|mua|tim|kiem|them|need|want|which|what)(?!\w)")
_ASKED_LIMIT = re.compile(r"\s*(?:la )?(?:may|bao nhieu|bao nhiu|bn|nhieu|nhiu)(?!\w)")
# What stands before it is what is asked of.
_ASKED_OF = re.compile(r"\s*(?:thi|co) (?:\w+ )?(?:nao|sao|gi|bao nhieu)(?!\w)")
# Topics of an order, whose number stands beside them, and what an order is called.
_OF_ORDERS = {"topic order status", "topic cancel order"}
_ORDERS = {"don", "ma", "so", "hang", "order", "number"}
# Right before a kind: other goods are wanted, no part of those spoken of.
WISHED = {"xem", "mua", "tim", "kiem", "lay", "can", "show", "buy", "want", "need", "see", "cheapest"}
# The warranty of certain goods is not asked where one of these is.
_OF_WARRANTY = {
    "box", "not covered", "warranty parts", "warranty place", "warranty terms", "warranty extension", "repair time", "repair cost",
}  # fmt: skip
_PART_OF = {"co", "kem", "tich hop", "co san", "with", "with a", "has", "has a", "with built-in"}
_COMPUTERS = ("laptop", "pc", "mainboard", "cpu", "vga")
# What goods of other kinds have in them.
_BUILT_IN = {"microphone", "speaker", "webcam"}
_ASKS_WHETHER = re.compile(r"\s*(?:khong|ko|k|hong|hok|hem|hk|\?)(?!\w)")
# What no single part has.
_INSIDE = {"graphics card", "storage"}
# A "no" without a verb: what follows the name after it takes its place.
_BARE_DENIALS = {"khong", "ko", "k", "hong", "khong phai", "khong phai la", "ko phai", "k phai", "not"}
# What is read so that nothing else is made of it, and is not answered.
_UNUSED = {
    "strongest", "not", "not after", "others", "cheaper others", "most", "least", "old", "traded", "at home",
}  # fmt: skip
USES = ("gaming", "graphics", "office", "study")
# Of each a product has one: what is said last takes the place of what was said before.
_ONE_OF = (
    USES,
    ("wired", "wireless", "bluetooth"),
    ("white", "black"),
    ("socket intel", "socket amd"),
    ("4k", "2k", "full hd"),
)
_ASKED = ("price asked", "fee asked", "stock asked", "specs asked", "link asked")


@dataclass(frozen=True, slots=True)
class FigureFact:
    """A figure that goods must have: "ram 16gb trở lên"; `attribute` is a section of attributes.txt or empty."""

    attribute: str
    sign: Sign
    value: float
    unit: str
    said: str = ""

    @property
    def narrows(self) -> bool:
        """Whether goods are chosen by it; months alone are those of an instalment."""
        return self.unit != "month" or self.attribute == "warranty"


@dataclass(frozen=True, slots=True)
class ProductQuery:
    """What is wanted. Prices in VND; `words` are folded words of names and models, `said` how they were typed.

    `compared` is an attribute and "most" or "least": of which goods it is so. `facts` are sections of facts.txt; everything that begins with `no_` must not be. `asks` are attributes to be told, `shows` what
    of price, fee, stock, specs, link is asked. `parts` are the sides of a comparison; `count` how many pieces. `apart` is a thing that belongs to such goods and is wanted itself, as typed, `wearers` those of the names that the goods are to be for. `fits`: whether goods go together; `doubtful`: a maker is named and something is not wanted, maybe that. `unread` are words that
    nothing here accounts for, as typed.
    """

    action: Action = "find"
    kinds: tuple[str, ...] = ()
    brands: tuple[str, ...] = ()
    no_brands: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    no_words: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    no_facts: tuple[str, ...] = ()
    figures: tuple[FigureFact, ...] = ()
    low: int | None = None
    high: int | None = None
    about: int | None = None
    order: Order = ""
    stocked: bool = False
    asks: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    moves: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    count: int = 0
    months: int = 0
    fits: bool = False
    sold_out: bool = False
    owned: tuple[str, ...] = ()
    apart: str = ""
    wearers: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    doubtful: bool = False
    said: Mapping[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()

    @property
    def priced(self) -> bool:
        """Whether there is a limit of price."""
        return self.low is not None or self.high is not None

    @property
    def names(self) -> bool:
        """Whether it names goods: a kind, a maker, a model."""
        return bool(self.kinds or self.brands or self.words)

    @property
    def narrows(self) -> bool:
        """Whether something narrows the catalogue down."""
        return self.names or self.details or self.order in {"cheapest", "dearest"}

    @property
    def details(self) -> bool:
        """Whether a property, a figure or a price narrows it down."""
        return bool(self.facts or self.priced or any(figure.narrows for figure in self.figures))

    @property
    def excludes(self) -> bool:
        """Whether something is not wanted."""
        return bool(self.no_brands or self.no_words or self.no_facts)

    @property
    def use(self) -> str:
        """What a computer is for."""
        return next((fact for fact in self.facts if fact in USES), "")

    def to_json(self) -> dict[str, Any]:
        """What a following message can change, for the focus."""
        return {name: value for name, value in asdict(self).items() if name in _KEPT and value}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> ProductQuery:
        """A saved query; fields that are unknown or malformed are left out."""
        found: dict[str, Any] = {}
        for name in _KEPT & saved.keys():
            value = saved[name]
            if name == "figures":
                known = {each.name for each in fields(FigureFact)}
                value = tuple(
                    FigureFact(**item) for item in value if isinstance(item, dict) and item.keys() == known
                )
            found[name] = tuple(value) if isinstance(value, list) else value
        return cls(**found)


_KEPT = {
    "kinds", "brands", "no_brands", "words", "no_words", "facts", "no_facts", "figures", "low", "high", "about", "order", "stocked", "said",
}  # fmt: skip


def refine(old: ProductQuery, new: ProductQuery) -> ProductQuery:
    """`old` changed by what `new` says: what it says again is replaced, the rest stays."""
    low, high, about = old.low, old.high, old.about
    if new.priced:
        low, high, about = new.low, new.high, new.about
        if low is not None and high is None and not old.about and low < (old.high or 0):
            high = old.high  # "trên 25 triệu" of those under 30
        elif old.high is None and high is not None and low is None and (old.low or high) < high:
            low = old.low
        if new.about and old.priced and not old.about:
            # "thôi 15tr": as the limit before was meant.
            low, high, about = (new.about, None, None) if old.high is None else (None, new.about, None)
    new = replace(new, figures=tuple(_of_the_same(figure, old.figures) for figure in new.figures))
    said = {(figure.attribute, figure.unit) for figure in new.figures}
    units = {figure.unit for figure in new.figures}
    kept = [one for one in old.figures if (one.attribute, one.unit) not in said]
    kept = [one for one in kept if one.attribute or one.unit not in units]
    brands = new.brands or tuple(brand for brand in old.brands if brand not in new.no_brands)
    replaced = {fact for group in _ONE_OF if set(group) & set(new.facts) for fact in group}
    facts = [fact for fact in old.facts if fact not in {*replaced, *new.no_facts}]
    return replace(
        new,
        kinds=new.kinds or old.kinds,
        brands=brands,
        no_brands=(*(one for one in old.no_brands if one not in new.brands), *new.no_brands),
        words=tuple(dict.fromkeys((*old.words, *new.words))),
        no_words=(*old.no_words, *new.no_words),
        facts=tuple(dict.fromkeys((*facts, *new.facts))),
        no_facts=tuple(dict.fromkeys((*(f for f in old.no_facts if f not in new.facts), *new.no_facts))),
        figures=(*kept, *new.figures),
        low=low,
        high=high,
        about=about,
        order=new.order or old.order,
        stocked=new.stocked or old.stocked,
        said={**old.said, **new.said},
    )


def _of_the_same(figure: FigureFact, before: Sequence[FigureFact]) -> FigureFact:
    """`figure`, where it is bare of what one `before` measured that it may be: "còn bản 16GB" after "bản RAM 32GB"."""
    for old in before:
        unit, usual = _BARE_UNITS.get(old.attribute, ("", frozenset()))
        if not figure.attribute and figure.unit == unit and figure.value in usual:
            return replace(figure, attribute=old.attribute)
    return figure


@dataclass(frozen=True, slots=True)
class PriceLimits:
    """Price limits in VND and where in the message they stand; `foreign` are amounts of other money, as written."""

    low: int | None
    high: int | None
    about: int | None
    places: tuple[tuple[int, int], ...]
    foreign: tuple[str, ...] = ()


class Vocabulary(Protocol):
    """What the catalogue's own words are."""

    def brands(self) -> list[str]:
        """The makers."""

    def spoken(self, words: Sequence[str]) -> frozenset[str]:
        """Those of these words, as typed, that stand in products."""

    def narrowing(self, kind: str, phrase: str) -> bool:
        """Whether some products of `kind`, not all, have `phrase` in their names or specifications."""

    def holds(self, kind: str, words: Sequence[str]) -> bool:
        """Whether the name of a product of `kind` has all of these words."""


class _Item(NamedTuple):
    """A word or phrase of the message that narrows the catalogue down: `kind` is brand, fact or word."""

    start: int
    end: int
    kind: str
    value: str


# Which of several does more: the catalogue measures it of few kinds.
STRENGTH = ("stronger", "weaker")
# Sections that are read where they are looked for, and do not compete.
_APART = {
    *_LIMITS, "beyond", "against", "goes on", "towards", "not money", "gift", "granted", "size of", "wanted instead", "meant instead", "narrower", "places", *STRENGTH, "better", "worse",
}  # fmt: skip


@cache
def grammar() -> Lexicon:
    """All that is listed of goods and services, with its file before its section; it competes for the words of a message."""
    sections: dict[str, tuple[str, ...]] = {}
    for name, listed in word_lists("catalogue").items():
        if name not in _APART:
            sections[f"fact {name}" if name in USES else name] = listed
    sections |= {f"kind {name}": entries for name, entries in word_lists("kinds").items()}
    sections |= {f"ask {name}": entries for name, entries in word_lists("attributes").items()}
    for file, ends in (("facts", (" shown", " denied")), ("topics", (" page",))):
        entries = {name: listed for name, listed in word_lists(file).items() if not name.endswith(ends)}
        sections |= {f"{file[:-1]} {name}": listed for name, listed in entries.items()}
    return Lexicon({name: (*entries, *_short_denials(entries)) for name, entries in sections.items()})


def _short_denials(entries: Iterable[str]) -> list[str]:
    """The same with a "không" as chats write it: "k lấy", "ko dây", "đổi được hông"."""
    shorts = ("k", "ko", "kg", "hông", "hong", "hok", "khum", "hem", "hổng")
    first = [f"{short} {entry[6:]}" for entry in entries if entry.startswith("không ") for short in shorts]
    last = [f"{entry[:-6]} {short}" for entry in entries if entry.endswith(" không") for short in shorts]
    return [*first, *last]


# A time of day; 16:10 is a screen.
_CLOCK = re.compile(r"(?<![\w:.])(?!16:10)(?:[01]?\d|2[0-3]):[0-5]\d(?![\w:])")


def parse_product_query(message: str, shop: Vocabulary, *, whole: str = "") -> ProductQuery:
    """What `message` asks for, in both languages, with or without accents.

    `whole` is the kind of goods that is spoken of: "ram" is then a part of it.
    """
    timeless = _CLOCK.sub(lambda time: " " * len(time[0]), nfc(message))
    return _Parser(_figures_in_digits(timeless), shop, whole).query()


def _is_limit(text: str, at: int) -> bool:
    """Whether a word of price stands right before a place."""
    return any(
        0 <= at - hit.end <= 1 for hit in lexicon("catalogue", *_LIMITS[:4], "price asked").find(text[:at])
    )


def _figures_in_digits(text: str) -> str:
    """`text` with numbers in words before a unit in digits, each place as it was: "sixteen gb" is "     16 gb"."""
    for one in counting_words(text):
        digits = f"{int(one.value)}"
        figure = FIGURE.match(f"{digits}{text[one.end :]}")
        if figure and len(figure[2]) > 1:
            text = f"{text[: one.start]}{digits.rjust(one.end - one.start)}{text[one.end :]}"
    return text


def _free_choices(text: str) -> list[tuple[int, int]]:
    """Where it is said that any will do ("hãng nào cũng được"): nothing is asked there; goods that stand in it are wanted."""
    found = []
    for match in _ANY.finditer(fold(text)):
        goods = any(hit.label.startswith("kind ") for hit in grammar().find(match[1] or match[2]))
        found.append((match.end(match.lastindex or 0) if goods else match.start(), match.end()))
    return found


class _Parser:
    """One message; `spans` are the places that are accounted for."""

    def __init__(self, text: str, shop: Vocabulary, whole: str) -> None:
        self._text, self._shop, self._whole = text, shop, whole
        kinds = {hit.label for hit in lexicon("kinds").find(text)}
        self._limits = parse_price_limits(
            text,
            lambda word: (
                any(shop.narrowing(kind, fold(word)) for kind in kinds)
                if kinds and not word.isdigit()
                else bool(shop.spoken([word]))
            ),
        )
        free = _free_choices(text)
        self._rest = blank_out(text, [*self._limits.places, *free])
        self._choice, asked = self._choices()
        self._rest = blank_out(self._rest, asked)
        self._brands = _brands(tokens(self._rest), shop.brands())
        masked = blank_out(self._rest, [(item.start, item.end) for item in self._brands])
        found = grammar().find(masked)
        self._found = {hit.label for hit in found}
        self._allowed = lexicon("catalogue", "granted").find(self._rest)
        asks_nothing = [hit for hit in found if self._courteous(hit) or self._granted(hit)]
        called = [hit for hit in found if hit.label.startswith("kind ") and self._is_called(hit, found)]
        plain = [hit for hit in found if hit in called or (hit.start, hit.end) not in spans_of(called)]
        # "at least" is no "least".
        asks_nothing += [hit for hit in found if hit.phrase == "least" and masked[: hit.start][-3:] == "at "]
        asks_nothing += [hit for hit in plain if self._is_particle(hit)]
        self._hits = [hit for hit in _without_guesses(plain, called) if hit not in asks_nothing]
        self._guessed = [hit for hit in found if hit.label == "not" and hit not in self._hits]
        # "Da Nang" is no "nặng", "nha trang" no "trắng".
        to_a_place = any(hit.label in TO_A_PLACE for hit in self._hits)
        places, told = place_words(masked, towards=to_a_place), ("ask ", "fact ")
        self._hits = [hit for hit in self._hits if not hit.label.startswith(told) or hit.start not in places]
        self._places = places
        self._spans: list[tuple[int, int]] = [*self._limits.places, *free, *asked]
        self._spans += spans_of([*asks_nothing, *self._allowed])
        self._said: dict[str, str] = {}
        self._parts: list[PhraseHit] = []
        self._wanted: list[PhraseHit] = []
        self._narrower: list[_Item] = []
        # "cu" is also "củ", a million.
        doubted = {"old", "traded"} if accents(text) else set()
        self._labels = {hit.label for hit in self._hits if hit.exact or hit.label not in doubted}
        for match in _DISTANCE.finditer(fold(self._rest)):
            self._spans.append(match.span())
            self._labels.add("distance")

    def _choices(self) -> tuple[list[str], list[tuple[int, int]]]:
        """What is asked of goods that were shown where two answers are named, and where: "là ssd hay hdd", "nvme hay sata"."""
        said = _CHOICE.search(fold(self._rest)) if self._whole else None
        if said is None:
            return [], []
        places = [said.span(1), said.span(2)]
        sides = [self._rest[start:end] for start, end in places]
        kinds = [{hit.label for hit in lexicon("kinds").find(side)} for side in sides]
        if any(self._whole in one for one in kinds) and all(kinds):
            return ["kind"], places
        words = all(len(tokens(side)) == 1 for side in sides) and not all(kinds)
        facts = [hit for hit in grammar().find(" ".join(sides)) if hit.label[:5] == "fact "]
        return ([f"word {'/'.join(sides)}"], places) if words and not facts else ([], [])

    def _is_called(self, hit: PhraseHit, found: Sequence[PhraseHit]) -> bool:
        """Whether a kind typed without its accents is one though it may be idle: of "ghe van phong" what follows tells, of "mua ghe" what stands before."""
        told = [one.start for one in found if one.label[:4] == "fact"] + [one.start for one in self._brands]
        before = folded_words(self._rest[: hit.start])[-1:]
        wished = bool(before) and (before[0] in WISHED or before[0] in {"co", "ban", "cai", "chiec"})
        return not hit.exact and (wished or any(0 <= at - hit.end <= 1 for at in told))

    def _courteous(self, hit: PhraseHit) -> bool:
        """Whether "vs" is a "với" that only asks kindly ("giúp em vs") or joins what is summed, or a "no" is "nó"."""
        if hit.label == "not" and hit.phrase == "no" and detect(self._text) == "vi":
            return not any(0 <= item.start - hit.end <= 1 for item in self._brands)
        joins = "total" in self._found or not re.match(r"\s*\w", self._rest[hit.end :])
        return hit.label == "compare" and hit.phrase == "vs" and joins

    def _is_particle(self, hit: PhraseHit) -> bool:
        """Whether a word of a topic that is typed without its accents ends a clause as an idle word does: "roi" is "rồi", not "rơi"."""
        after = folded_words(_CLAUSE.split(self._rest[hit.end :])[0])
        guessed = hit.label[:6] == "topic " and not hit.exact and " " not in hit.phrase
        return guessed and fold(hit.phrase) in idle_words() and idle_words().issuperset(after)

    def _granted(self, hit: PhraseHit) -> bool:
        """Whether a comparison is only allowed: "mắc hơn xíu cũng được" ranks nothing."""
        after = [one for one in self._allowed if 0 <= one.start - hit.end <= _NEAR]
        gap = self._rest[hit.end : after[0].start] if after else ","
        return hit.label in {"cheapest", "dearest", "most", "least"} and not _CLAUSE.search(gap)

    def query(self) -> ProductQuery:
        kinds, asks, owned = self._kinds()
        figures = self._figures()
        asks = [name for name in asks if not any(figure.attribute == name for figure in figures)]
        for match in _WHICH_FIGURE.finditer(fold(self._rest)):
            self._spans.append(match.span(1))
            asks = asks or [f"unit {match[1]}"]
            if kinds == ["psu"] and (self._whole in {"vga", "pc"} or self._names_no_psu()):
                kinds, asks = [], ["unit w"]  # "cần nguồn bao nhiêu W" of the card shown
        items = self._platforms(kinds, self._items())
        wanted, denied = self._signs(items)
        # "không ưng Dell Vostro, tìm Dell khác": the maker itself is wanted.
        makers = {item.value for item in wanted if item.kind == "brand"}
        excluded = [item for item in self._whole_names(denied) if item.value not in makers]
        labels = self._labels
        for hit in self._hits:
            if hit.label.startswith(("topic ", "kind ")) or hit.label == "total":
                self._said[hit.label] = self._text[hit.start : hit.end]
        topics = self._topics()
        compared = self._compared(asks, kinds)
        asks += [name for name in compared[:1] if name not in asks]
        if _OF_WARRANTY & set(topics):
            asks = [name for name in asks if name not in {"warranty", "battery", "charger"}]
        if "students" in topics:
            items = [item for item in items if item.value != "study"]
            wanted = [item for item in wanted if item.value != "study"]
        calls = any(item.kind in {"word", "brand"} for item in wanted)
        if {"wired", "wireless"} <= {item.value for item in wanted}:
            # "có dây hay không dây" asks which of the two.
            asks.append("connection")
            wanted = [item for item in wanted if item.value not in {"wired", "wireless"}]
        if "how long" in labels and "warranty" in asks and not calls:
            topics.append("warranty period")
            asks = asks if kinds else [name for name in asks if name != "warranty"]
        # "cấu hình PC G1" of one that stands ready asks what is in it.
        composed = any(hit.label == "build" and fold(hit.phrase).startswith("cau hinh") for hit in self._hits)
        told = {*labels, *["specs asked"] * (composed and self._names_whole(items))}
        shows = tuple(name.split()[0] for name in _ASKED if name in told)
        sides = (
            _sides(self._rest)
            if compared or labels & {"compare", "difference", "most", "least"} or is_comparative(self._hits)
            else ()
        )
        named = [side for side in sides if any(char.isdigit() for char in side)]
        compares = len(sides) > 1 and ("compare" in labels or len(named) > 1)
        parts = sides if compares or "compare" in labels else self._wants(kinds, wanted)
        action: Action = "compare" if compares else "find"
        limits = self._limits
        if (
            "build" in labels
            and not labels & {"ready made", "total"}
            and (limits.low or limits.high or not asks_which(self._rest, PARTS))
            and "installation" not in topics
            and _builds(kinds)
            and not self._names_whole(items)
        ):
            action, parts, kinds = "build", tuple(kind for kind in kinds if kind in PARTS), []
        kinds = kinds or self._computers()
        cheap = "cheapest" in labels or ("cheap" in labels and not limits.about)
        chips = bool(kinds) and set(kinds) <= {"cpu", "vga"}  # whose price tells what they do
        self._spans += spans_of(hit for hit in self._hits if hit.label == "strongest" and chips)
        dear = "dearest" in labels or ("strongest" in labels and chips)
        order: Order = "dearest" if dear else "cheapest" if cheap else ""
        order = order or ("nearest" if limits.about or limits.high else "")
        asks_goods = bool(kinds or items or asks or order or shows)
        moves = self._moves(kinds, asks_goods=asks_goods, serves=bool(topics))
        count = self._count(items)
        return ProductQuery(
            action=action,
            kinds=tuple(dict.fromkeys(kinds)),
            brands=tuple(item.value for item in wanted if item.kind == "brand"),
            no_brands=tuple(item.value for item in excluded if item.kind == "brand"),
            words=tuple(dict.fromkeys(item.value for item in wanted if item.kind == "word")),
            no_words=tuple(dict.fromkeys(item.value for item in excluded if item.kind == "word")),
            facts=tuple(dict.fromkeys(item.value for item in wanted if item.kind == "fact")),
            no_facts=tuple(dict.fromkeys(item.value for item in excluded if item.kind == "fact")),
            figures=tuple(figures),
            low=limits.low,
            high=limits.high,
            about=limits.about,
            order=order,
            stocked="in stock" in labels
            or ("stock asked" in labels and bool(_WHICH.search(fold(self._text)))),
            asks=tuple(dict.fromkeys(asks)),
            compared=compared,
            shows=shows,
            moves=tuple(moves),
            topics=tuple(dict.fromkeys(topics)),
            parts=parts,
            count=count,
            months=next((int(f.value) for f in figures if f.unit == "month"), 0),
            fits="fits" in labels
            and not {"installation", "upgrade"} & set(topics)
            and not self._is_supply(kinds, count, items),
            sold_out="sold out" in labels,
            owned=tuple(owned),
            apart=self._accessory(kinds),
            wearers=self._wearers(wanted),
            foreign=limits.foreign,
            doubtful=(self._denies_nothing() and any(item.kind == "brand" for item in wanted))
            or any(self._may_deny(hit, wanted) for hit in self._guessed),
            said=self._said,
            unread=self._unread(items),
        )

    def _moves(self, kinds: Sequence[str], *, asks_goods: bool, serves: bool) -> list[str]:
        """What is asked of goods that were shown, of the shop's kinds of goods, or of the page told last."""
        labels = self._labels
        told = ("brands asked", "total", "each", "compare", "difference", "distance")
        moves = [name for name in told if name in labels]
        if "compare" in labels:
            moves += [hit.label for hit in lexicon("catalogue", *STRENGTH).find(self._rest)]
        moves += ["within"] * (len(set(kinds)) > 1 and self._limits.high is not None and self._is_of_sum())
        moves += ["kinds asked"] * ("kinds asked" in labels and not asks_goods)
        return [*moves, *["place"] * (labels >= {"bring", "where"} and not serves)]

    def _is_of_sum(self) -> bool:
        """Whether the limit of price is one for all that is wanted together: "tổng dưới 2 triệu", "2 triệu cho cả hai"."""
        first, last = min(self._limits.places)[0], max(end for _, end in self._limits.places)
        before, after = fold(self._text[:first]), fold(self._text[last:])
        return bool(_SUM_BEFORE.search(before) or _SUM_AFTER.match(after))

    def _compared(self, asks: Sequence[str], kinds: Sequence[str]) -> tuple[str, ...]:
        """The attribute by which goods are ranked, and whether most or least of it is wanted; () for none.

        What is named is meant, else what the word itself tells: of "nhẹ hơn" the weight, of "lớn nhất" the size.
        """
        taken = [*self._spans, *self._limits.places]
        for hit in self._hits:
            if hit.label not in {"most", "least"} or any(
                hit.start < end and hit.end > start for start, end in taken
            ):
                continue
            told = {"weight": _WEIGHS}
            for size, sized in (("storage", {"ssd", "hdd", "usb", "ram"}), ("screen", {"monitor", "laptop"})):
                told |= {size: _SIZED} if sized & set(kinds or (self._whole,)) else {}
            implied = [name for name, words in told.items() if words.match(fold(hit.phrase))]
            named = [name for name in (*asks, *implied) if name in MEASURED]
            if named:
                self._spans.append((hit.start, hit.end))
                # "tần số quét thấp nhất" is no price.
                self._labels -= (
                    {"cheapest"}
                    if (hit.start, hit.end) in spans_of(h for h in self._hits if h.label == "cheapest")
                    else set()
                )
                return (named[0], hit.label)
        return ()

    def _is_supply(self, kinds: Sequence[str], count: int, items: Sequence[_Item]) -> bool:
        """Whether "đủ" asks for so many in stock, or "gắn" says what a computer has: nothing has to fit anything."""
        enough = any(
            "đủ" in hit.phrase or "enough" in hit.phrase for hit in self._hits if hit.label == "fits"
        )
        stock = enough and "stock asked" in self._labels
        stock = stock or (count > 1 and _ENOUGH_PIECES.search(fold(self._text)) is not None)
        told = {hit.phrase for hit in self._hits if hit.label == "fits"}
        if told == {"vừa"} and not any(item.kind != "fact" for item in items):
            return True  # "vừa vào đại học"
        return self._only_has(kinds) or (
            stock and (count > 1 or not any(item.kind != "fact" for item in items))
        )

    def _only_has(self, kinds: Sequence[str]) -> bool:
        """Whether "gắn" says what a computer has, not what it takes: "laptop nào gắn card RTX 4060"."""
        hits = [hit for hit in self._hits if hit.label == "fits"]
        before = [hit.label for hit in self._hits if hits and hit.end <= hits[0].start]
        return (
            bool(kinds) and {fold(hit.phrase) for hit in hits} <= {"gan", "lap"} and "kind laptop" in before
        )

    def _count(self, items: Sequence[_Item]) -> int:
        """How many pieces are spoken of, in digits or in words; 0 where it is not said."""
        named = [(item.start, item.end) for item in items if item.kind == "word"]  # "Modern 14 bản 8GB"
        rest = blank_out(self._rest, named)
        numbers = [(int(match[1]), match.span(1)) for match in _COUNT.finditer(rest)]
        numbers += [
            (int(one.value), (one.start, one.end))
            for one in counting_words(self._rest)
            if _COUNTED.match(self._rest, one.end)
        ]
        # "rẻ hơn trong hai cái": so many were shown.
        wished = [number for number in numbers if not _AMONG.search(fold(self._rest[: number[1][0]]))]
        names = [hit.start for hit in self._hits if hit.label.startswith("kind ")]
        names += [item.start for item in items if item.end and item.kind in {"brand", "word"}]
        before = [
            (int(match[1]), match.span(1))
            for match in _BEFORE_NAME.finditer(self._rest)
            if match.end() in names and not any(item.start <= match.start(1) < item.end for item in items)
        ]
        if detect(self._text) == "en":  # "ten" and "ba" are other words in Vietnamese
            before += [
                (int(one.value), (one.start, one.end))
                for one in counting_words(self._rest)
                if one.end + 1 in names and not _SHOWN.search(fold(self._rest[: one.start]))
            ]
        if self._whole and not numbers and (alone := _PIECES_ALONE.search(fold(rest))):
            before.append((int(alone[1]), alone.span(1)))
        self._spans += [span for _, span in (*numbers, *before)]
        wished = sorted([*wished, *before], key=lambda found: found[1])
        # "bao nhiêu 1 cái, mua 10 cái"
        return next((number for number, _ in wished if number > 1), wished[0][0]) if wished else 0

    def _names_no_psu(self) -> bool:
        """Whether a model that is no power supply needs one, or what was spoken of: "rtx 4070 cần nguồn bao nhiêu w"."""
        if _NEEDS.search(fold(self._rest)):
            return True
        codes = [word.folded for word in tokens(self._rest) if is_code(word.folded)]
        return bool(self._shop.spoken(codes)) and not any(self._shop.holds("psu", [code]) for code in codes)

    def _names_whole(self, items: Sequence[_Item]) -> bool:
        """Whether a computer is named that stands ready-made in the catalogue."""
        named = [item.value for item in items if item.kind in {"word", "brand"}]
        return bool(named) and self._shop.holds("pc", named)

    def _kinds(self) -> tuple[list[str], list[str], list[str]]:
        """The kinds asked for, the attributes asked about, and the kinds that are there already."""
        kinds: list[str] = []
        asks = [*self._choice]
        owned: list[str] = []
        before: PhraseHit | None = None
        called = {
            fold(entry): name for name, entries in word_lists("attributes").items() for entry in entries
        }
        spots = {(hit.start, hit.end) for hit in self._hits if hit.label.startswith("kind ")}
        for hit in self._hits:
            if hit.label.startswith("ask ") and (hit.start, hit.end) not in spots:
                asks.append(hit.label[4:])
            if not hit.label.startswith("kind "):
                continue
            if self._is_refused(hit):
                continue
            kind, attribute = hit.label[5:], called.get(fold(hit.phrase), "")
            joined = (
                before is not None and _JOINT.fullmatch(fold(self._rest[before.end : hit.start])) is not None
            )
            figure = (
                bool(FIGURE.match(self._rest[hit.end :].lstrip(" :")))
                or _bare_number(self._rest, hit.end) is not None
            )
            made = [one for one in self._brands if 0 <= one.start - hit.end <= 1]
            between = self._rest[before.end : hit.start] if before is not None else ""
            apart = bool(made and _JOINED.search(f" {between.split(' ')[-2] if ' ' in between else ''} "))
            # "màn hình còn hàng không" asks for monitors, whatever was spoken of.
            stick = kind == "ram" and bool(_STICK.search(fold(self._rest)))  # a board has slots
            stick |= bool(_CHEAPEST.match(fold(self._rest[hit.end :])))
            stick |= any(0 <= item.start - hit.end <= 1 for item in self._brands)  # "ram Kingston" is sold
            # "ssd 1tb trở lên": a drive that opens the message with its size.
            stick |= kind == "ssd" and figure and not tokens(self._rest[: hit.start])
            wished = stick or bool(set(folded_words(self._rest[: hit.start])[-1:]) & WISHED)
            spoken_of = "" if kinds or wished or self._labels & {"stock asked", "in stock"} else self._whole
            whole = next((known for known in kinds if known in _COMPUTERS), spoken_of)
            gap = self._rest[before.end : hit.start] if before is not None else "?"
            if (
                attribute
                and whole
                and not apart
                and (whole in _COMPUTERS[:2] or attribute not in _INSIDE)
                and whole != kind
                and (not joined or figure)
                and not (whole == "pc" and attribute == "screen")
            ):
                asks.append(attribute)
            elif (kinds and self._is_of_whole(hit, fold(gap).strip())) or (
                spoken_of not in {"", kind} and self._is_part(hit)
            ):
                # "tai nghe có mic": a part of the goods, which the catalogue may not tell.
                self._parts.append(hit)
            elif spoken_of not in {"", kind} and self._is_built_in(hit):
                asks.append(f"word {hit.phrase}")
            elif (kinds and kind not in kinds and not gap.strip()) or self._is_owned(hit, kinds):
                owned.append(kind)
            else:
                if gap.strip() or kind not in kinds:
                    kinds.append(kind)
                    self._wanted.append(hit)
                self._narrow(hit, kind)
            before = hit
        return kinds, asks, owned

    def _wearers(self, wanted: Sequence[_Item]) -> tuple[str, ...]:
        """The names after a "cho" behind a kind: "tản nhiệt cho ryzen 7 7800x3d"."""
        kinds = [hit.end for hit in self._hits if hit.label[:5] == "kind "]
        since = [
            hit.end for hit in self._hits if hit.label == "goes with" and kinds and hit.start >= kinds[0]
        ]
        names = [
            item for item in wanted if since and item.kind in {"word", "brand"} and item.start >= since[0]
        ]
        return tuple(item.value for item in names if not _CLAUSE.search(self._rest[since[0] : item.start]))

    def _accessory(self, kinds: Sequence[str]) -> str:
        """A thing that belongs to goods, as typed, where it alone is wanted: "sạc laptop dell" is no laptop; "" for none.

        "pin laptop dell bao lâu" asks what one has.
        """
        goods = [hit for hit in self._hits if hit.label[:5] == "kind "]
        things = [hit for hit in self._hits if hit.label[:4] == "ask " and hit.phrase in _ACCESSORIES]
        if self._whole in kinds or len(goods) != 1 or len(things) != 1 or self._limits.places:
            return ""
        first, last = sorted((*things, *goods), key=lambda hit: hit.start)
        gap = fold(self._rest[first.end : last.start]).strip()
        if gap not in ({"", "cho"} if first is things[0] else {""}):
            return ""
        places = [*spans_of([*goods, *things]), *((item.start, item.end) for item in self._brands)]
        begin, end = min(places)[0], max(last for _, last in places)
        before, after = folded_words(self._rest[:begin]), folded_words(self._rest[end:])
        if not (idle_words() | WISHED | {"co"}).issuperset(before) or not _ONLY_SOUGHT.issuperset(after):
            return ""
        sold = any(self._shop.holds(one, [things[0].phrase, goods[0].phrase]) for one in word_lists("kinds"))
        return "" if sold else self._text[begin:end]

    def _topics(self) -> list[str]:
        """The topics of service, those that show in what is asked of others too."""
        topics = [hit.label[6:] for hit in self._hits if hit.label.startswith("topic ")]
        rules = word_lists("topic_rules")
        ways = [
            (name[8:], one.split(" + ")) for name in rules if name[:8] == "implied " for one in rules[name]
        ]
        implied = [(topic, told) for topic, told in ways if self._labels.issuperset(told)]
        topics += [topic for topic, _ in implied]
        if "build" in self._labels and self._is_service():
            topics.append("installation")
        said = {label for _, told in implied for label in told}
        self._spans += spans_of(hit for hit in self._hits if hit.label in said)
        return [topic for topic in topics if not {*rules.get(f"closer {topic}", ())} & {*topics}]

    def _computers(self) -> list[str]:
        """The kinds of a computer that is not named more closely: "máy ráp sẵn nào có card rời", "máy tính chơi game"."""
        if "ready made" in self._labels:
            return ["pc"]
        named = None if self._whole else _ANY_COMPUTER.search(fold(self._rest))
        self._spans += [named.span()] if named else []
        return [*_COMPUTERS[:2]] if named else []

    def _is_service(self) -> bool:
        """Whether it is asked if the shop puts computers together, and none is wished: no budget, part or use is told."""
        told = {hit.label for hit in self._hits if hit.label[:5] in {"kind ", "fact "}} - {"kind pc"}
        limits = self._limits.low or self._limits.high
        return bool(_WHETHER.search(fold(self._rest))) and not (told or limits or self._brands)

    def _wants(self, kinds: Sequence[str], items: Sequence[_Item]) -> tuple[str, ...]:
        """The goods asked for, as written, where one message names several of different kinds, each by its own name.

        What is the cheapest or dearest of its kind has a name too.
        """
        if self._labels & {"not", "not after", "fits", "compare", "difference"}:
            return ()
        sides = [side for side in _JOINED.split(self._rest) if side.strip()]
        codes = [item.value for item in items if item.kind == "word" and is_code(item.value)]
        for cut in (sides, _EITHER.split(self._rest)):  # "G304 hay M331 êm hơn"
            coded = [side for side in cut if any(code in folded_words(side) for code in codes)]
            if len(coded) == len(cut) > 1:
                return tuple(side.strip() for side in cut)
        if not kinds:
            return ()
        ends = lexicon("catalogue", "cheapest", "dearest")
        extremes = [side for side in sides if ends.find(side) and lexicon("kinds").find(side)]
        apart = len(extremes) == len(set(kinds)) > 1
        each = tuple(side.strip() for side in extremes) if apart else self._each_kind(items)
        if each or len(self._brands) < 2 or set(kinds) & set(_COMPUTERS[:2]):
            return each
        makers = {fold(item.value) for item in self._brands}
        named = [side for side in sides if any(maker in fold(side) for maker in makers)]
        # A maker alone is a choice ("asus hay acer"), with a name of its own it is a thing.
        whole = [
            side for side in named if set(folded_words(side)) - idle_words() - set(" ".join(makers).split())
        ]
        several = len(named) == len(self._brands) > 1 and len(whole) == len(named)
        return tuple(side.strip() for side in named) if several else ()

    def _each_kind(self, items: Sequence[_Item]) -> tuple[str, ...]:
        """The parts of a message that each name a kind of goods, where the first has a condition of its own.

        What is said after the last alone ("chuột và bàn phím Logitech") may be meant of all.
        """
        starts: list[int] = []
        for before, hit in pairwise(self._wanted):
            joints = list(_JOINED.finditer(self._rest, before.end - 1, hit.start + 1))
            if not joints:
                return ()
            starts.append(joints[-1].end())
        if not starts or len({hit.label for hit in self._wanted}) != len(self._wanted):
            return ()
        told = [item.start for item in items if item.end]
        told += [start for start, _ in self._limits.places]
        told += [at.start() for at in FIGURE.finditer(self._text)]
        sides = list(zip([0, *starts], [*starts, len(self._text)], strict=True))
        served = [hit.start for hit in self._hits if hit.label.startswith("topic ")]
        own = [any(begin <= at < end for at in told) for begin, end in sides]
        asked = [any(begin <= at < end for at in served) for begin, end in sides]
        if not own[0] or any(ask and not its for ask, its in zip(asked, own, strict=True)):
            return ()  # "ssd 1tb, lắp ở shop mất công không" asks for no second thing
        return tuple(_JOINED.sub(" ", f"{self._text[begin:end]} ").strip(" ,;") for begin, end in sides)

    def _is_refused(self, hit: PhraseHit) -> bool:
        """Whether a kind is not wanted but another: "không phải laptop, pc cơ"."""
        denials = [one for one in self._hits if one.label == "not" and 0 <= hit.start - one.end <= 1]
        kinds = {one.label for one in self._hits if one.label.startswith("kind ")}
        refused = bool(denials) and len(kinds) > 1 and self._ends_clause(hit)
        self._spans += spans_of(denials) if refused else []
        return refused

    def _is_owned(self, hit: PhraseHit, kinds: Sequence[str]) -> bool:
        """Whether such goods are there already, or the others are for them."""
        have = [other.start for other in self._hits if other.label == "owned"]
        said = any(0 <= at - hit.end <= 24 and not _CLAUSE.search(self._rest[hit.end : at]) for at in have)
        beside = any(
            other.label in {"goes with", "fits"} and 0 <= hit.start - other.end <= 1 for other in self._hits
        )
        # "mình có CPU X rồi, cần main": another kind is wanted behind it.
        behind = [other for other in self._hits if other.label[:5] == "kind " and other.start > hit.end]
        others = any(
            other.label != hit.label and _TURNS.search(fold(self._rest[hit.end : other.start]))
            for other in behind
        )
        return said or (beside and bool(kinds)) or bool(others and _HAS.search(fold(self._rest[: hit.start])))

    def _is_of_whole(self, hit: PhraseHit, gap: str) -> bool:
        """Whether what stands before a kind makes it a part of the goods named: "laptop có đèn phím", "24B20JH2 có loa không"."""
        words = gap.split()
        if gap in _PART_OF or (words[:1] in (["co"], ["with"], ["has"]) and len(words) == 2):
            return True
        named = (
            _has_digit(gap) and {"co", "with", "has", "have"} & set(words[-2:]) and not _CLAUSE.search(gap)
        )
        return bool(named) and not re.match(r"\s*(?:nao|gi|\S*\d)", fold(self._rest[hit.end :]))

    def _is_part(self, hit: PhraseHit) -> bool:
        """Whether a kind is asked for as a part of goods that were shown: "cái nào có loa"."""
        before = folded_words(self._rest[: hit.start])
        return before[-1:] in (["co"], ["with"], ["has"], ["have"]) and bool(
            {"nao", "which"} & set(before[-3:])
        )

    def _is_built_in(self, hit: PhraseHit) -> bool:
        """Whether it is asked if goods that were shown have it in them: "có mic không"; "shop có mic không" asks for microphones."""
        before, after = folded_words(self._rest[: hit.start]), fold(self._rest[hit.end :])
        asked = before[-1:] == ["co"] and "shop" not in before and _ASKS_WHETHER.match(after)
        return hit.label[5:] in _BUILT_IN and bool(asked)

    def _narrow(self, hit: PhraseHit, kind: str) -> None:
        """A name of some goods of a kind only ("thẻ nhớ", "macbook", "nvme") is a word to look for as well.

        Of one that no goods are called the words that some have are looked for ("dây hdmi"), else the whole of it.
        """
        words, phrase = folded_words(hit.phrase), fold(hit.phrase)
        whole = word_lists("kinds")[kind][0] != hit.phrase and self._shop.narrowing(kind, phrase)
        if (not whole or kind == "pc") and hit.phrase not in word_lists("catalogue")["narrower"]:
            return
        had = words if whole else [word for word in words if self._shop.narrowing(kind, word)]
        lost = not had or not all(word in had or is_syllable(word) for word in words)  # of "wifi mesh" "mesh"
        for word in [*had, phrase] if lost else had:
            self._said[f"kind word {word}"] = word
            self._said[word] = self._text[hit.start : hit.end]
            self._narrower.append(_Item(hit.start, hit.end, "word", word))

    def _figures(self) -> list[FigureFact]:
        """Figures with their units, the attribute beside them and the words of comparison around them."""
        signs = lexicon("catalogue", *_LIMITS).find(self._rest)
        named = [hit for hit in self._hits if hit.label.startswith(("ask ", "kind ")) and _attribute_of(hit)]
        found: list[FigureFact] = []
        places = [
            (m.start(), m.end(), float(m[1].replace(",", ".")), m[2].lower())
            for m in FIGURE.finditer(self._rest)
        ]
        for hit in named:
            bare = _bare_number(self._rest, hit.end)
            unit, usual = _BARE_UNITS.get(_attribute_of(hit), ("", frozenset()))
            if bare and int(bare[1]) in usual and not any(bare.start(1) == start for start, *_ in places):
                places.append((*bare.span(1), float(bare[1]), unit))
        pairs: dict[int, str] = {}
        for both in _BOTH_SIZES.finditer(self._rest):
            # Memory and storage: "16/512".
            sizes = [(1, "ram", "gb"), (2, "storage", (both[3] or "gb").lower())]
            places = [place for place in places if not both.start() <= place[0] < both.end()]
            places += [(*both.span(at), float(both[at]), unit) for at, _, unit in sizes]
            pairs |= {both.start(at): name for at, name, _ in sizes}
            self._spans.append(both.span())
        for start, end, value, unit in sorted(places):
            measure, factor = UNITS[unit]
            before = [h for h in signs if h.end <= start <= h.end + 3 and h.label in {"at most", "at least"}]
            # "16GB of RAM or more": the attribute may stand between.
            behind = max((h.end for h in named if _OF.fullmatch(self._rest[end : h.start])), default=end)
            after = [
                h
                for h in signs
                if any(at <= h.start <= at + 3 for at in (end, behind)) and h.label in {"or less", "or more"}
            ]
            reach = before[0].start if before else start
            near = [h for h in named if 0 <= reach - h.end <= 3] or [
                h for h in named if _OF.fullmatch(self._rest[end : h.start])
            ]
            attribute = pairs.get(start) or next((name for h in near if (name := _attribute_of(h))), "")
            label = (after or before)[0].label if after or before else ""
            sign: Sign = ">=" if label in {"at least", "or more"} else "<=" if label else "="
            if before and not after and before[0].phrase in word_lists("catalogue")["beyond"]:
                sign = ">" if sign == ">=" else "<"
            self._spans += [(start, end), *spans_of(before), *spans_of(after)]
            first, last = before[0].start if before else start, after[-1].end if after else end
            said = " ".join(self._text[first:last].split())
            found.append(FigureFact(attribute, sign, value * factor, measure, said))
            # "165Hz or more" compares nothing.
            self._rest = blank_out(self._rest, spans_of(after))
        self._hits = [hit for hit in self._hits if self._rest[hit.start : hit.end].strip()]
        self._labels &= {"distance", *(hit.label for hit in self._hits)}
        return found

    def _items(self) -> list[_Item]:
        """Makers, properties and words of names, in order."""
        items = [
            _Item(hit.start, hit.end, "fact", hit.label[5:])
            for hit in self._hits
            if hit.label.startswith("fact ")
        ]
        taken = [
            *self._spans,
            *spans_of(h for h in self._hits if h.label not in {"idle", "goes with", "not"}),
        ]
        taken += [(item.start, item.end) for item in self._brands]
        left = words_outside(tokens(self._rest), taken)
        items += self._brands
        idle = spans_of(hit for hit in self._hits if hit.label in {"idle", "goes with", "not", "not after"})
        said = {word.start for word in without_everyday(self._rest, taken)}
        rest = [
            word
            for word in words_outside(left, idle)
            if (word.start in said and word.start not in self._places)
            or word.folded in VARIANTS
            or _is_number(word.text)
        ]
        buses = list(self._buses(rest))
        items += [*buses, *self._words(words_outside(rest, [one[:2] for one in buses]), tokens(self._rest))]
        items += self._narrower
        for item in items:
            if item.end:
                self._said[item.value] = self._text[item.start : item.end]
        for one in _VERSION.finditer(self._text):  # told whole: "bluetooth 5.3"
            told = (item for item in items if item.kind == "word" and one.start(1) <= item.start < one.end())
            self._said |= {item.value: one[0] for item in told}
        return sorted(items)

    def _buses(self, rest: Sequence[WordToken]) -> Iterator[_Item]:
        """Of a drive "gen 4" is its bus, where no name stands beside it that it may be of: "ssd của ThinkPad E14 Gen 5"."""
        kinds = [hit for hit in self._hits if hit.label[:5] == "kind "]
        drives = [(hit.start, hit.end) for hit in kinds if hit.label == "kind ssd"]
        drives += [(0, 0)] if self._whole == "ssd" and not kinds else []
        for one in _BUS.finditer(self._rest):
            gaps = [range(end, one.start()) if end <= one.start() else range(begin) for begin, end in drives]
            between = {word.start for word in rest if not one.start() <= word.start < one.end()}
            if any(between.isdisjoint(gap) for gap in gaps):
                yield _Item(*one.span(), "word", f"pcie{one[1]}")

    def _words(  # noqa: C901 (one case a kind of word)
        self, rest: Sequence[WordToken], everything: Sequence[WordToken]
    ) -> list[_Item]:
        """Words that the catalogue's names hold; a short number goes with the word before it ("nitro 5")."""
        places = {word.start: at for at, word in enumerate(everything)}
        known = self._shop.spoken([word.text for word in rest])
        models = any(is_code(word.folded) for word in rest)
        found: list[_Item] = []
        for word in rest:
            at = places[word.start]
            before = everything[at - 1] if at else None
            if self._rest[word.end :].lstrip()[:1] == "%" and not (self._brands or self._wanted):
                continue  # "hàng mới 100%"
            if METRES.fullmatch(word.folded) and before and self._shop.spoken([f"{before.folded}m"]):
                found.append(_Item(before.start, word.end, "word", f"{before.folded}m"))  # "dây 2 mét"
                continue
            if word.folded.isdigit() and len(word.folded) <= 2:
                joined = f"{before.folded}{word.folded}" if before and before.end + 1 >= word.start else ""
                # "wifi 7" beside "WiFi 6".
                named = joined and before and not is_syllable(before.folded)
                others = [f"{before.folded}{number}" for number in range(1, 20)] if named and before else []
                if joined and self._shop.spoken([joined, *others]):
                    found.append(_Item(word.start, word.end, "word", self._tier(word, joined, None)))
            elif word.folded in VARIANTS and before and self._is_variant(before, word):
                found.append(_Item(word.start, word.end, "word", word.folded))
            elif (
                (word.text in known or _TIER.fullmatch(word.folded))
                and (not is_syllable(word.folded) or not self._of_topic(word))
                and (len(word.text) > 2 or _is_number(word.folded) or self._is_short_name(everything, at))
                and not self._is_verb(word, known, everything[max(at - 1, 0) : at + 2])
                and (models or not self._is_elsewhere(word, known, everything[max(at - 1, 0) : at + 2]))
            ):
                value = self._tier(word, "".join(folded_words(word.text)), before)
                found.append(_Item(word.start, word.end, "word", value))
            elif (
                len(word.folded) == 1
                and before
                and self._text[before.end : word.start] == "-"
                and _has_digit(before.text)
            ):
                # The last piece of a code: "24MR400-B".
                self._spans.append((word.start, word.end))
            elif len(word.folded) == 1 and self._in_name(everything[max(at - 1, 0) : at + 2]):
                self._spans.append((word.start, word.end))  # "Logitech G Pro X TKL"
            elif _CODE.fullmatch(word.folded) and self._labels & _OF_ORDERS:
                # An order's number, with the word for it: "đơn DH998".
                called = before is not None and before.folded in _ORDERS
                self._spans.append((before.start if before and called else word.start, word.end))
            elif _CODE.fullmatch(word.folded) and not self._of_topic(word):
                # What looks like a model's name is one, sold here or not: "RTX 5090".
                found.append(_Item(word.start, word.end, "word", word.folded))
        return found

    def _is_elsewhere(self, word: WordToken, known: Collection[str], beside: Sequence[WordToken]) -> bool:
        """Whether a lone syllable stands in names of other kinds only: the "học" of "laptop học đồ họa", of "công thái học"."""
        kinds = [hit.label[5:] for hit in self._hits if hit.label.startswith("kind ")]
        alone = is_syllable(word.folded) and sum(one.text in known for one in beside) == 1
        return bool(kinds) and alone and not any(self._shop.holds(kind, [word.folded]) for kind in kinds)

    def _is_verb(self, word: WordToken, known: Collection[str], beside: Sequence[WordToken]) -> bool:
        """Whether a lone syllable is what somebody does not do, no name: the "nhớ" of "mua lúc nào k nhớ", of "thẻ nhớ"."""
        alone = is_syllable(word.folded) and sum(one.text in known for one in beside) == 1
        return alone and _PLAIN_DENIAL.search(fold(self._rest[: word.start])) is not None

    def _is_short_name(self, words: Sequence[WordToken], at: int) -> bool:
        """Whether two letters stand beside what they do in the catalogue, or in a name of the kind spoken of: "JBL Go", "Cloud II"; "bt e ơi" is chat."""
        word = words[at].folded
        kinds = {self._whole, *(hit.label[5:] for hit in self._hits if hit.label.startswith("kind "))}
        beside = [f"{one.folded}{other.folded}" for one, other in pairwise(words[max(at - 1, 0) : at + 2])]
        return bool(self._shop.spoken(beside)) or any(
            kind and self._shop.holds(kind, [word]) for kind in kinds
        )

    def _is_variant(self, before: WordToken, word: WordToken) -> bool:
        """Whether a word stands behind a model's number as it does in the catalogue: "4060 Ti"; "the Ti one" of cards."""
        called = self._rest[: word.start].lower().split()[-1:]
        kinds = {hit.label[5:] for hit in self._hits if hit.label[:5] == "kind "} | {self._whole}
        if kinds == {self._whole} and set(called) & set(word_lists("catalogue")["size of"]):
            return self._shop.holds(self._whole, [word.folded])
        joined = f"{before.folded}{word.folded}"
        return (
            _has_digit(before.folded) and word.start - before.end <= 1 and bool(self._shop.spoken([joined]))
        )

    def _tier(self, word: WordToken, value: str, before: WordToken | None) -> str:
        """The step of a family ("i7", "ryzen7", "4060") with the sign of what is said around it: "i7 trở lên" is "i7>="."""
        signs = lexicon("catalogue", *_LIMITS[:2], *_LIMITS[4:]).find(self._rest)
        after = [hit for hit in signs if hit.label[:3] == "or " and 0 <= hit.start - word.end <= 1]
        near = [hit for hit in signs if re.fullmatch(r"\s\w*\s?", self._rest[hit.end : word.start])]
        beside = [*after, *(hit for hit in near if hit.label[:3] == "at ")]
        step = f"{before.folded}{value}" if before and value.isdigit() else value
        if not beside or not _TIER.fullmatch(step):
            return value
        self._spans += spans_of(beside)
        return f"{step}{'>=' if beside[0].label in {'at least', 'or more'} else '<='}"

    def _in_name(self, words: Sequence[WordToken]) -> bool:
        """Whether these words stand one after the other in the name of goods of a kind that is spoken of."""
        kinds = {self._whole, *(hit.label[5:] for hit in self._hits if hit.label.startswith("kind "))}
        pairs = [f"{one.folded} {other.folded}" for one, other in pairwise(words)]
        return any(kind and self._shop.narrowing(kind, pair) for kind in kinds for pair in pairs)

    def _signs(self, items: Sequence[_Item]) -> tuple[list[_Item], list[_Item]]:
        """What is wanted, and what is not: a negation reaches the names listed after it, or right before it."""
        denials = [hit for hit in self._hits if hit.label == "not"]
        denials += self._plain_denials(items)
        # "dell không lấy" takes back what stands before; "asus không lấy vivobook", "dell không thích bản 8GB" what comes after.
        after = [
            hit
            for hit in self._hits
            if hit.label == "not after"
            and self._ends_clause(hit)
            and not any(self._denies(hit, item, items) for item in items)
        ]
        excluded: set[_Item] = set()
        for item in items:
            if not item.end:
                continue
            before = [h for h in denials if self._denies(h, item, items)]
            behind = [at for at in after if 0 <= at.start - item.end <= 2]
            self._spans += spans_of([*before, *behind])
            if before or behind:
                excluded.add(item)
        if excluded:
            # "Razer thôi luôn, không thích": said once more at the end.
            last = max(item.end for item in items)
            self._spans += spans_of(hit for hit in (*denials, *after) if hit.start >= last)
        return [item for item in items if item not in excluded], [item for item in items if item in excluded]

    def _ends_clause(self, hit: PhraseHit) -> bool:
        """Whether nothing that could be denied follows in the clause, or what is wanted instead."""
        rest = _CLAUSE.split(self._rest[hit.end :])[0]
        instead = lexicon("catalogue", "wanted instead").find(rest)
        begins = bool(instead) and not tokens(rest[: instead[0].start])
        return begins or idle_words().issuperset(folded_words(rest))

    def _denies(self, hit: PhraseHit, item: _Item, items: Sequence[_Item]) -> bool:
        """Whether a negation reaches a name: not past what says that another is wanted ("không lấy HP, lấy Lenovo").

        So does a word of contrast after the last ("không phải ASUS, Samsung cơ"), or two names alone ("ko Dell, HP").
        """
        if hit.end > item.start or not self._reaches(hit.end, item, items):
            return False
        between = [one for one in items if hit.end <= one.start < item.start]
        if between and item.kind == "fact" and folded_words(self._text[item.start :])[0] in {"co", "with"}:
            return False  # "không phải Logitech, có dây": that is wanted
        held = any(0 <= hit.start - one.end <= 2 for one in items)  # "Dell không lấy lấy HP"
        since = hit.end if held or not between else between[0].end
        turns = lexicon("catalogue", "wanted instead").find(self._rest[since : item.start])
        if turns and (held or between):
            return False
        if not between or "," not in self._rest[since : item.start]:
            return True
        behind = self._rest[max(one.end for one in items) :]
        alone = not tokens(self._rest[: hit.start]) and len(tokens(self._rest[since : item.start])) == 0
        bare = fold(hit.phrase) in _BARE_DENIALS and len(items) == 2
        meant = lexicon("catalogue", "meant instead").find(behind)
        if _ASKED_OF.match(fold(behind)):
            return False  # "không thích Brother, Canon thì con nào rẻ nhất"
        return not ((bare and alone) or (meant and not tokens(behind[: meant[0].start])))

    def _whole_names(self, excluded: Sequence[_Item]) -> list[_Item]:
        """Makers and words that stand side by side as one name: of "ngoài Acer Nitro V" other Acer are wanted."""
        found: list[_Item] = []
        for item in excluded:
            last = found[-1] if found else None
            if last and item.kind == "word" and last.kind != "fact" and item.start - last.end in {0, 1}:
                said = self._text[last.start : item.end]
                found[-1] = _Item(last.start, item.end, "word", f"{fold(last.value)} {item.value}")
                self._said[found[-1].value] = said
            else:
                found.append(item)
        return found

    def _plain_denials(self, items: Sequence[_Item]) -> list[PhraseHit]:
        """A plain "không" right before a name denies it, where nothing before makes it the end of a question."""
        found = []
        for word in tokens(self._rest):
            if word.folded not in {"khong", "ko", "hong", "k", "tru"} or not any(
                0 <= item.start - word.end <= 2 for item in items
            ):
                continue
            if self._rest[word.start : word.end] == "K" and any(item.end == word.start - 1 for item in items):
                continue  # a letter of the name before it: "A520M K V2"
            clause = fold(_CLAUSE.split(self._rest[: word.start])[-1]).split()
            if not set(clause) & {"co", "con", "duoc", "ban"}:
                found.append(PhraseHit("not", word.folded, word.start, word.end, exact=True))
        return found

    def _denies_nothing(self) -> bool:
        """Whether something is not wanted, and it is not clear what."""
        denials = (hit for hit in self._hits if hit.label in {"not", "not after"})
        return any((hit.start, hit.end) not in self._spans for hit in denials)

    def _platforms(self, kinds: Sequence[str], items: Sequence[_Item]) -> list[_Item]:
        """Of boards "AMD" and "Intel" are the platform, which their socket tells, no makers."""
        found = list(items)
        for at, one in enumerate(items):
            if (
                set(kinds or (self._whole,)) == {"mainboard"}
                and one.kind == "brand"
                and fold(one.value) in {"intel", "amd"}
            ):
                found[at] = _Item(one.start, one.end, "fact", f"socket {fold(one.value)}")
                self._said[found[at].value] = self._text[one.start : one.end]
        return found

    def _may_deny(self, hit: PhraseHit, wanted: Sequence[_Item]) -> bool:
        """Whether a word typed without its accents may deny a name: "laptop dưới 20tr, dung dell" is "đừng" or "dùng"."""
        before = folded_words(_CLAUSE.split(self._rest[: hit.start])[-1])[-1:]
        opens = not before or before[0] in {"tr", "trieu", "nha", "nhe", "ma", "thi"} or _has_digit(before[0])
        names = [item for item in wanted if item.end and item.kind != "fact" and item.start >= hit.end]
        return opens and any(self._reaches(hit.end, item, wanted) for item in names)

    def _reaches(self, since: int, item: _Item, items: Sequence[_Item]) -> bool:
        """Whether nothing but idle words and other names joined to it stand between."""
        between = [other for other in items if since <= other.start < item.start]
        first = min(other.start for other in (*between, item))
        # "ngoài laptop Acer": the kind is said before the name.
        kinds = [
            (hit.start, hit.end)
            for hit in self._hits
            if hit.label.startswith("kind ") and since <= hit.start and hit.end <= first
        ]
        known = [*((other.start, other.end) for other in between), *kinds]
        gap = blank_out(self._rest[: item.start], known)[since:]
        if between and all(other.kind == item.kind for other in between):
            gap = re.sub(r"(?<!\w)(?:va|voi|hay|hoac|lan|and|or)(?!\w)|[,/&]", " ", fold(gap))
        words = [word for word in folded_words(gap) if word not in idle_words()]
        return not words and not (set(",.;?!\n") & set(gap))

    def _unread(self, items: Sequence[_Item]) -> tuple[str, ...]:
        """The words that are not accounted for, neighbours together, as typed."""
        parts = set(spans_of(self._parts))
        # A negation that takes nothing away was not understood.
        excluding = any(
            (hit.start, hit.end) in self._spans for hit in self._hits if hit.label in {"not", "not after"}
        )
        unused = _UNUSED - ({"others"} if excluding else set())  # "không lấy HyperX, cái khác đi"
        if any(hit.label in _GIVEN_BACK for hit in self._hits):
            unused -= {"not", "not after"}  # "không thích nữa thì trả lại được không"
        hits = [hit for hit in self._hits if hit.label not in unused]
        spans = [*self._spans, *(span for span in spans_of(hits) if span not in parts)]
        spans += [*((item.start, item.end) for item in items if item.end)]
        # "tối đa mấy tháng" asks for the limit.
        limits = lexicon("catalogue", "at most", "at least").find(self._rest)
        spans += [(hit.start, hit.end) for hit in limits if _ASKED_LIMIT.match(fold(self._rest[hit.end :]))]
        left = without_everyday(self._rest, spans)
        # "học đồ họa", "học online": the verb of a use.
        uses = {item.start for item in items if item.value in USES}
        left = [word for word in left if word.folded != "hoc" or word.end + 1 not in uses]
        amounts = {start - 1 for start, _ in self._spans}
        # A word of comparison right before a figure that was not read with it changes the question.
        left = [word for word in left if word.folded not in _PARTICLES or word.end in amounts]
        if any(hit.label in TO_A_PLACE for hit in self._hits):
            places = place_words(self._rest)
            left = [word for word in left if word.start not in places]
        if "topic order status" in self._labels:
            # "5 ngày rồi chưa thấy": for so long it has been waited.
            left = words_outside(left, [match.span() for match in _WAITED.finditer(fold(self._rest))])
        groups: list[tuple[int, int]] = []
        for word in left:
            if groups and not self._text[groups[-1][1] : word.start].strip(" -"):
                groups[-1] = (groups[-1][0], word.end)
            else:
                groups.append((self._beginning(word, items), word.end))
        return tuple(dict.fromkeys(self._text[start:end] for start, end in groups))

    def _of_topic(self, word: WordToken) -> bool:
        """Whether a question about the shop's service stands in the same clause: the word is of that, not of goods."""
        ends = [match.start() for match in _CLAUSE.finditer(self._rest) if match.start() >= word.end]
        begins = [match.end() for match in _CLAUSE.finditer(self._rest) if match.end() <= word.start]
        first, last = max(begins, default=0), min(ends, default=len(self._rest))
        return any(hit.label.startswith("topic ") and first <= hit.start < last for hit in self._hits)

    def _beginning(self, word: WordToken, items: Sequence[_Item]) -> int:
        """Where what was not read begins: a short number is told with the name before it, "nitro 5"."""
        words = tokens(self._rest[: word.start])
        denied = [hit for hit in self._hits if hit.label == "not" and 0 <= word.start - hit.end <= 2]
        if denied:
            return denied[-1].start
        if [one.folded for one in words[-2:]] == ["may", "tinh"]:
            return words[-2].start  # "máy tính bảng" is no computer
        if word.folded.isdigit():
            return next(
                (item.start for item in items if item.kind == "word" and 0 <= word.start - item.end <= 1),
                word.start,
            )
        return word.start


def _is_number(word: str) -> bool:
    """Whether a word has a digit or is a Roman number: "Cloud III"."""
    return _has_digit(word) or word in {"ii", "iii", "iv"}


def is_code(word: str) -> bool:
    """Whether a word is a model's number: "WH-CH520", no "i7" or "DDR5"."""
    return _has_digit(word) and not _STANDARD.fullmatch(word)


def _has_digit(word: str) -> bool:
    return any(char.isdigit() for char in word)


# Words of comparison that say nothing where no figure stands beside them.
_PARTICLES = {"tu", "den", "tren", "duoi", "hon", "khoang", "from", "under", "over", "than", "around"}
# Topics of service that are asked for a place: "giao về Cần Thơ".
TO_A_PLACE = {"topic delivery", "topic delivery fee", "topic express", "topic cod", "topic installation"}
_PLACE_WORDS = 3


def place_words(text: str, *, towards: bool = True) -> set[int]:
    """Where the words of places begin: of names that are listed, and up to three `towards` one, after "ở", "về", "to"."""
    before_one = set(map(fold, word_lists("catalogue")["towards"])) if towards else set()
    named = lexicon("catalogue", "places").find(text)
    places = {word.start for word in tokens(text) if any(hit.start <= word.start < hit.end for hit in named)}
    reach = 0
    for before, word in pairwise(tokens(text)):
        joined = not text[before.end : word.start].strip()
        reach = 0 if not joined else _PLACE_WORDS if before.folded in before_one else reach - 1
        if reach > 0:
            places.add(word.start)
    return places


def _without_guesses(hits: Sequence[PhraseHit], called: Sequence[PhraseHit]) -> list[PhraseHit]:
    """`hits` without a property that only an accent not typed tells from an idle word: "em" is no "êm", "den" also "đến"."""
    idle = {(hit.start, hit.end) for hit in hits if hit.label == "idle"}
    return [
        hit
        for hit in hits
        if hit.exact
        or hit in called
        or hit.label == "idle"
        or " " in hit.phrase
        or (
            (hit.start, hit.end) not in idle
            and not (hit.label[:4] == "fact" and fold(hit.phrase) in idle_words())
        )
    ]


def _attribute_of(hit: PhraseHit) -> str:
    if hit.label.startswith("ask "):
        return hit.label[4:]
    called = fold(hit.phrase)
    lists = word_lists("attributes")
    return next((name for name, entries in lists.items() if called in map(fold, entries)), "")


def _bare_number(text: str, at: int) -> re.Match[str] | None:
    """A number alone right after a place: the 32 of "ram 32"."""
    return re.compile(
        r"\s{0,2}(\d{1,3})(?![\w.,-]*[^\W_])(?!\s*(?:%|(?:tr|triệu|trieu|k|củ|cu|năm|nam|tháng|thang)(?!\w)))"
    ).match(text, at)


def _builds(named: Sequence[str]) -> bool:
    """A computer is built from parts: "ráp máy in" or a laptop is not."""
    return not named or named[0] in {"pc", "case", "mainboard", "cpu", "vga"}


def _brands(free: Sequence[WordToken], makers: Iterable[str]) -> list[_Item]:
    """The makers named."""
    by_words = {tuple(folded_words(maker)): maker for maker in makers if folded_words(maker)}
    found: list[_Item] = []
    at = 0
    while at < len(free):
        for length in (3, 2, 1):
            span = free[at : at + length]
            maker = by_words.get(tuple(word.folded for word in span))
            if maker and len(span) == length and not any(accents(word.text) for word in span):
                found.append(_Item(span[0].start, span[-1].end, "brand", maker))
                at += length
                break
        else:
            at += 1
    return found


def _sides(text: str) -> tuple[str, ...]:
    """The things to compare, as they were written."""
    asked = ("compare", "difference", "most", "least", "cheapest", "dearest", "price asked")
    hits = lexicon("catalogue", *asked).find(text)
    cut = blank_out(text, spans_of(hits))
    places = {(hit.start, hit.end) for hit in lexicon("catalogue", "against").find(text)}
    # "bản 16GB đắt hơn bản 8GB bao nhiêu"
    places |= {(hit.start, hit.end) for hit in hits if is_comparative([hit])}
    sides, begin = [], 0
    for start, end in sorted(places):
        sides.append(cut[begin:start])
        begin = end
    sides.append(cut[begin:])
    sides = [piece for side in sides for piece in re.split(r"[,;?!]|\s/\s", side)]
    return tuple(side.strip() for side in sides if set(folded_words(side)) - idle_words() - {"vs", "versus"})


def asks_which(text: str, kinds: Iterable[str]) -> bool:
    """Whether it is asked which of such goods: "main nào", "which board"; "tự ráp với 5600 thì main nào được" asks for no build."""
    return any(
        {"nao", "gi"} & set(folded_words(text[hit.end :])[:1])
        or {"which", "what", "any"} & set(folded_words(text[: hit.start])[-1:])
        for hit in lexicon("kinds", *kinds).find(text)
    )


def is_comparative(hits: Iterable[PhraseHit]) -> bool:
    """Whether it is asked which of two costs less or more: "rẻ hơn", "cheaper"."""
    return any(
        hit.label in {"cheapest", "dearest"}
        and (hit.phrase.endswith(("hơn", "hon", "er")) or hit.phrase.startswith("more "))
        for hit in hits
    )


def opens_on(text: str) -> bool:
    """Whether a message opens with "còn", "what about"."""
    return any(not tokens(text[: hit.start]) for hit in lexicon("catalogue", "goes on").find(text))


@cache
def idle_words() -> frozenset[str]:
    """Folded words that say nothing of the goods."""
    everyday = read_lists(LEXICONS / "everyday.txt")
    entries = [*word_lists("catalogue")["idle"], *(entry for role in ROLES for entry in everyday[role])]
    return frozenset(word for entry in entries for word in folded_words(entry))


def parse_price_limits(text: str, measured: Callable[[str], bool] = lambda _word: False) -> PriceLimits:
    """The price limits in `text`: "dưới 20 triệu", "from 10 to 15 million", "tầm 500k".

    `measured` says that the catalogue measures or calls goods so: "2m" is then a length, "12400" a processor.
    """
    text = _HOW_MANY.sub("--", text)
    amounts = _prices(text, measured)
    hits = _limits_of(text, amounts)
    places, written = _foreign(text, hits)
    low = high = about = None
    for nth, amount in enumerate(amounts):
        begin = amounts[nth - 1].end if nth else 0
        before = [
            h for h in hits if begin <= h.start and h.end <= amount.start and amount.start - h.end <= _NEAR
        ]
        # A sign before another figure is that one's: "trên 100hz dưới 6 triệu"; "có dây dưới 1tr" is no budget.
        before = [h for h in before if not any(char.isdigit() for char in text[h.end : amount.start])]
        before = [h for h in before if h.label in {"at most", "at least", "about", "budget"}]
        if any(h.label == "budget" for h in before):
            facts = [one for one in grammar().find(text) if one.label.startswith("fact ")]
            before = [h for h in before if not any(one.start <= h.start < one.end for one in facts)]
        after = [
            h for h in hits if amount.end <= h.start <= amount.end + 3 and h.label in {"or less", "or more"}
        ]
        joined = nth > 0 and _BETWEEN.fullmatch(fold(text[amounts[nth - 1].end : amount.start]))
        said = after[0].label if after else before[-1].label if before else ""
        if len(before) > 1 and before[-1].label == "about":
            said = before[-2].label if before[-2].label != "budget" else "about"
        value = int(amount.value)
        if joined:
            low, high, about = about or low or high, value, None
        elif said in {"at most", "or less"}:
            high = value
        elif said in {"at least", "or more"}:
            low = value
        else:
            about = value
        places += [(amount.start, amount.end), *((h.start, h.end) for h in (*before, *after))]
    if about is not None and low is None and high is None:
        low, high = int(about * (1 - _LEEWAY)), int(about * (1 + _LEEWAY))
    else:
        about = None
    if low is not None and high is not None and low > high:
        low, high = high, low
    return PriceLimits(low, high, about, tuple(places), written)


def _limits_of(text: str, amounts: Sequence[Amount]) -> list[PhraseHit]:
    """The words of limit; right beside an amount also those whose accents were left out or slipped: "duới 5 triệu"."""
    hits = lexicon("catalogue", *_LIMITS).find(text)
    plain = fold(text)
    slipped = lexicon("catalogue", *_LIMITS).find(plain) if len(plain) == len(text) and plain != text else []
    beside = [
        hit
        for hit in slipped
        if any(0 <= one.start - hit.end <= 1 or 0 <= hit.start - one.end <= 1 for one in amounts)
        and not any(hit.start < other.end and hit.end > other.start for other in hits)
    ]
    return sorted([*hits, *beside], key=lambda hit: hit.start)


def _foreign(text: str, hits: Sequence[PhraseHit]) -> tuple[list[tuple[int, int]], tuple[str, ...]]:
    """Where amounts of other money stand, with the words of limit beside them, and how they are written."""
    amounts = [amount for amount in find_amounts(text) if amount.unit in _FOREIGN]
    places = [(amount.start, amount.end) for amount in amounts]
    places += [
        (hit.start, hit.end)
        for amount in amounts
        for hit in hits
        if 0 <= amount.start - hit.end <= 2 or 0 <= hit.start - amount.end <= 2
    ]
    return places, tuple(text[amount.start : amount.end] for amount in amounts)


def _prices(text: str, measured: Callable[[str], bool]) -> list[Amount]:
    """The amounts that are prices in VND; "dưới 20", "6m" and "10 to 15 million" mean millions."""
    short = [
        Amount(Decimal(match[1].replace(",", ".")) * MILLION, *match.span(), "VND")
        for match in _SHORT_MILLION.finditer(text)
        if not measured(match[0])
    ]
    codes = {match.start(1) for match in _CPU.finditer(text)}  # "i9 14900k" is a processor
    found = [one for one in find_amounts(text) if one.start not in codes]
    found = [one for one in found if not any(m.start <= one.start < m.end for m in short)]
    found = sorted([*found, *short], key=lambda amount: amount.start)
    limits = lexicon("catalogue", *_LIMITS[:4]).find(text)
    prices: list[Amount] = []
    for nth, amount in enumerate(found):
        value = amount.value
        following = found[nth + 1] if nth + 1 < len(found) else None
        between = text[amount.end : following.start] if following else ""
        if following and value < THOUSAND <= following.value and not amount.unit and len(between) <= 12:
            scale = MILLION if following.value >= MILLION else THOUSAND
            if value * scale <= following.value and (
                _BETWEEN.fullmatch(fold(between)) or lexicon("catalogue", *_LIMITS).find(between)
            ):
                value *= scale
        bare = (
            amount.unit == "" and 1 <= value < THOUSAND and not re.match(r"\s*[^\W\d_]", text[amount.end :])
        )
        if bare and any(0 <= amount.start - h.end <= 2 and h.label != "budget" for h in limits):
            value *= MILLION if value <= 200 else THOUSAND
        figure = FIGURE.match(text, amount.start)
        if figure and len(figure[2]) > 1:
            continue  # "16 gb dưới 20 triệu"
        called = _LONG_NUMBER.match(text, amount.start)
        if called and measured(called[0]) and not _is_limit(text, amount.start):
            continue  # "12400 bao nhiêu", "sạc dự phòng 20000": goods are called so
        counted = lexicon("catalogue", "not money").find(text[amount.end : amount.end + 20])
        if counted and not text[amount.end : amount.end + counted[0].start].strip():
            continue
        if amount.unit in {"", "VND"} and value >= _SMALLEST_PRICE:
            prices.append(Amount(min(value, Decimal(HIGHEST)), amount.start, amount.end, "VND"))
    return prices
