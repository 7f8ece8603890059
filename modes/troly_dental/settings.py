"""The settings of the dental adviser, the table `[dental]`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from troly.config import kinds
from troly.config.settings import about


@dataclass(frozen=True)
class DentalSettings:
    """The dental adviser: web search, what its log may show, memory (003-31), MCP server (003-43)."""

    search: Literal["on", "off"] = field(default="on", metadata=about(kinds.choice("on", "off"), '"off"'))
    searxng: str | None = field(
        default=None, metadata=about(kinds.url(), '"http://127.0.0.1:8080"', "SEARXNG_URL")
    )
    search_seconds: float = field(default=8.0, metadata=about(kinds.number(0.1, 120), "5.0"))
    log: Literal["off", "info", "debug"] = field(
        default="off", metadata=about(kinds.choice("off", "info", "debug"), '"info"')
    )
    log_personal: bool = field(default=False, metadata=about(kinds.flag(), "true"))
    keep_recent_messages: int = field(
        default=6, metadata=about(kinds.whole(1, 100), "8", "KEEP_RECENT_MESSAGES")
    )
    summarize_threshold: int = field(
        default=10, metadata=about(kinds.whole(2, 1000), "20", "SUMMARIZE_THRESHOLD")
    )
    compress_after_summary: bool = field(
        default=True, metadata=about(kinds.flag(), "false", "COMPRESS_AFTER_SUMMARY")
    )
    summary_tokens: int = field(default=900, metadata=about(kinds.whole(100, 32_768), "1200"))
    mcp_server_url: str | None = field(
        default=None, metadata=about(kinds.url(), '"http://127.0.0.1:8001"', "MCP_SERVER_URL")
    )
    mcp_server_token: str | None = field(
        default=None, metadata=about(kinds.secret(), '"a-long-random-text"', "MCP_SERVER_TOKEN")
    )
    mcp_seconds: float = field(default=5.0, metadata=about(kinds.number(0.1, 600), "10.0"))
