"""How each operator of the allow-list is compiled, one module for each family of operators."""

from collections.abc import Mapping

from troly_analysis.pipeline.compiler import Operator
from troly_analysis.pipeline.operators import comparison, conversion, dates, lists, numbers, text

OPERATORS: Mapping[str, Operator] = {
    name: build
    for family in (comparison, numbers, text, dates, lists, conversion)
    for name, build in family.OPERATORS.items()
}

__all__ = ["OPERATORS"]
