"""The five tools of the data agent as the documents name them, with the schemas a model is given (001-10 to 001-15)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_TEXT: Mapping[str, Any] = {"type": "string"}
_CONNECTION = {**_TEXT, "description": "Name of the data connection (sheet), as get_data_schema lists it."}
_OPERATION = {
    **_TEXT,
    "enum": ["sum", "count", "avg", "min", "max"],
    "description": "What to work out; count needs no field.",
}
_FIELD = {**_TEXT, "description": "Field (or named metric) to work on, as in the schema."}
_GROUP_BY = {
    **_TEXT,
    "description": (
        "Field to group by. A date may be cut: 'Date:month' (day, week, month, quarter, year, weekday, hour). "
        "Several fields are parted by commas."
    ),
}
_FILTERS = {
    "type": "object",
    "description": (
        "Conditions that all must hold: {field: value}, {field: [values]} or {field: {operator: value}} with eq, ne, "
        "gt, gte, lt, lte, in, nin, contains, between ([low, high]), exists (true or false). Dates as 2024-01-31."
    ),
}
_DATE_FIELD = {**_TEXT, "description": "Date field; the sheet's own date field when left out."}


def _day(which: str) -> dict[str, Any]:
    return {**_TEXT, "description": f"{which}, included, as 2024-01-31."}


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its parameters in the documents' order, which of them must be given, and the others' defaults.

    `extras` are taken from the rule planner as well but never shown to a model.
    """

    name: str
    description: str
    parameters: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...]
    defaults: Mapping[str, Any] = field(default_factory=dict)
    extras: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        """The tool as Ollama's `tools` takes it."""
        properties = {
            name: {**spec, "default": self.defaults[name]}
            if self.defaults.get(name) is not None
            else dict(spec)
            for name, spec in self.parameters.items()
        }
        parameters = {"type": "object", "properties": properties, "required": list(self.required)}
        function = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": function}


TOOLS: tuple[Tool, ...] = (
    Tool(
        "get_data_schema",
        "Get schema of user's data connections.",
        {"connection_name": {**_CONNECTION, "description": "One connection; all of them when left out."}},
        (),
        {"connection_name": None},
    ),
    Tool(
        "aggregate_data",
        "Perform aggregation on data.",
        {
            "connection_name": _CONNECTION,
            "operation": _OPERATION,
            "field": _FIELD,
            "group_by": _GROUP_BY,
            "filters": _FILTERS,
            "date_field": _DATE_FIELD,
            "date_from": _day("First day"),
            "date_to": _day("Last day"),
        },
        ("connection_name", "operation"),
        dict.fromkeys(("field", "group_by", "filters", "date_field", "date_from", "date_to")),
    ),
    Tool(
        "get_top_items",
        "Get top N items by field.",
        {
            "connection_name": _CONNECTION,
            "sort_field": {
                **_TEXT,
                "description": "Field to rank by; 'count' ranks groups by their number of rows.",
            },
            "sort_order": {**_TEXT, "enum": ["desc", "asc"], "description": "desc: the greatest first."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "How many."},
            "group_by": _GROUP_BY,
            "aggregate_field": {
                **_TEXT,
                "description": "With group_by: the field that is summed for each group.",
            },
            "filters": _FILTERS,
        },
        ("connection_name", "sort_field"),
        {"sort_order": "desc", "limit": 10, **dict.fromkeys(("group_by", "aggregate_field", "filters"))},
    ),
    Tool(
        "compare_periods",
        "Compare metrics between two time periods.",
        {
            "connection_name": _CONNECTION,
            "operation": _OPERATION,
            "field": _FIELD,
            "date_field": _DATE_FIELD,
            "period1_from": _day("First day of the earlier period"),
            "period1_to": _day("Last day of the earlier period"),
            "period2_from": _day("First day of the later period"),
            "period2_to": _day("Last day of the later period"),
            "group_by": _GROUP_BY,
        },
        (
            "connection_name",
            "operation",
            "date_field",
            "period1_from",
            "period1_to",
            "period2_from",
            "period2_to",
        ),
        {"field": None, "group_by": None},
        ("filters",),
    ),
    Tool(
        "execute_aggregation",
        (
            "Execute custom MongoDB aggregation pipeline. Stages: $match, $group, $sort, $limit, $project, $lookup "
            '(from another connection of the user), $unwind, $count. Dates as {"$date": "2024-01-31"} or as text.'
        ),
        {
            "connection_name": _CONNECTION,
            "pipeline": {"type": "array", "items": {"type": "object"}, "description": "The list of stages."},
            "description": {**_TEXT, "description": "What the pipeline finds, in one sentence."},
        },
        ("connection_name", "pipeline", "description"),
    ),
)


def tool_schemas() -> list[dict[str, Any]]:
    """All five tools for Ollama."""
    return [tool.schema() for tool in TOOLS]
