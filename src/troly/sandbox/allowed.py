"""The one readable list of what a query may be made of: everything that is not named here is refused."""

from __future__ import annotations

MAX_CHARS = 20_000
MAX_DEPTH = 24
MAX_NODES = 2_500
MAX_JOINS = 8
MAX_CROSS_JOINS = 2
MAX_SELECTS = 24


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Functions as DuckDB spells them. Not here on purpose: what reads files, catalogues or settings; what makes many
# rows or long values out of nothing (range, generate_series, unnest, repeat, lpad, rpad, format, printf, bar, list);
# what waits (sleep_ms); lambdas.
FUNCTIONS = _listed(
    """
    count count_if countif count_star sum avg mean min max median mode any_value first last arg_max arg_min max_by min_by
    quantile_cont quantile_disc quantile percentile_cont percentile_disc stddev stddev_pop stddev_samp
    variance var_pop var_samp corr covar_pop covar_samp regr_slope bool_and bool_or string_agg group_concat listagg
    approx_count_distinct approx_quantile product skewness kurtosis entropy grouping

    row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value

    abs ceil ceiling floor round trunc sign sqrt cbrt ln log log2 log10 exp pow power mod fdiv greatest least
    coalesce ifnull nullif isnan isfinite isinf pi random

    lower lcase upper ucase length len strlen char_length character_length trim ltrim rtrim
    left right substring substr concat concat_ws replace reverse
    split_part strpos position instr contains starts_with ends_with prefix suffix strip_accents nfc_normalize
    regexp_matches regexp_full_match regexp_replace regexp_extract levenshtein damerau_levenshtein jaccard
    jaro_similarity jaro_winkler_similarity translate ascii initcap like_escape ilike_escape array_contains list_contains
    list_has array_has array_length

    current_date today now current_timestamp date_trunc datetrunc date_part datepart extract date_diff datediff
    date_sub datesub date_add age last_day make_date strftime strptime try_strptime year month day dayofmonth
    quarter week weekofyear dayofweek weekday isodow dayofyear hour minute second epoch dayname monthname yearweek isoyear
    to_days to_weeks to_months to_years to_hours to_minutes to_seconds date timestamp
    """
)

# The same functions where the parser has a node with a name of its own.
FUNCTION_NODES = _listed(
    "TimestampTrunc TimeToUnix StrPosition JarowinklerSimilarity DateFromParts RegexpLike TimeToStr StrToTime"
)

# The grammar: select, from, join, where, group, order, set operations, windows, operators, casts.
NODES = _listed(
    """
    Select Subquery Union Intersect Except With CTE From Join Table TableAlias Lateral Where Group Having Qualify
    Order Ordered Limit Offset Distinct Window WindowSpec Filter WithinGroup IgnoreNulls RespectNulls
    Cube Rollup GroupingSets Alias Column Identifier Star Literal Null Boolean Var Paren Tuple Collate
    And Or Xor Not EQ NEQ GT GTE LT LTE NullSafeEQ NullSafeNEQ Between In Is Like ILike SimilarTo Escape Exists Any
    All Add Sub Mul Div IntDiv Mod Neg DPipe Case If Cast TryCast DataType DataTypeParam Interval
    """
)

# What a value may be cast to.
TYPES = _listed(
    """
    BOOLEAN TINYINT SMALLINT INT BIGINT INT128 UTINYINT USMALLINT UINT UBIGINT FLOAT DOUBLE DECIMAL
    CHAR VARCHAR TEXT DATE TIME TIMESTAMP DATETIME INTERVAL
    """
)

# sqlglot keeps these parts of a node as plain words, not as nodes: only the listed words are let through.
JOIN_WORDS = {
    "method": frozenset({"", "NATURAL"}),
    "side": frozenset({"", "LEFT", "RIGHT", "FULL"}),
    "kind": frozenset({"", "INNER", "OUTER", "CROSS", "SEMI", "ANTI"}),
}
SELECT_PARTS = _listed(
    "with_ with expressions from_ from joins laterals where group having qualify windows order limit offset distinct"
)
TABLE_PARTS = frozenset({"this", "alias", "joins", "db", "catalog"})
