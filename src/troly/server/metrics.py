"""What Prometheus is told: turns, first words, tokens, model calls, errors, open streams, requests."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from troly.plugin.events import Event, ModelCalled, Say, Token, TurnCompleted, TurnFailed

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180)


class Metrics:
    """The figures of one server, in a registry of its own."""

    def __init__(self) -> None:
        made = self.registry = CollectorRegistry()
        counter = partial(Counter, registry=made)
        self._turns = counter(
            "troly_turns", "Turns by assistant, source and ending", ["mode", "source", "ending"]
        )
        self._first = Histogram(
            "troly_first_word_seconds",
            "From the question to the first word",
            ["mode"],
            buckets=_SECONDS,
            registry=made,
        )
        self._tokens = counter("troly_tokens", "Tokens of models", ["mode", "kind"])
        self._calls = counter("troly_model_calls", "Calls of models", ["mode", "kind"])
        self._errors = counter("troly_errors", "Errors by code", ["code"])
        self._requests = counter(
            "troly_requests", "Requests by route and status", ["method", "route", "status"]
        )
        self._streams = Gauge("troly_open_streams", "Streams that somebody reads", registry=made)
        self._running = Gauge("troly_running_turns", "Answers that are being written", registry=made)

    def watch(self, mode: str) -> Callable[[Event], None]:
        """What counts the events of one turn, from its beginning on."""
        began, spoken = time.perf_counter(), False

        def see(event: Event) -> None:
            nonlocal spoken
            word = isinstance(event, Token) or (isinstance(event, Say) and event.message_type != "greeting")
            if word and not spoken:
                spoken = True
                self._first.labels(mode).observe(time.perf_counter() - began)
            match event:
                case ModelCalled():
                    self._calls.labels(mode, event.kind).inc()
                    self._tokens.labels(mode, "prompt").inc(event.prompt_tokens or 0)
                    self._tokens.labels(mode, "completion").inc(event.completion_tokens or 0)
                case TurnCompleted():
                    self._turns.labels(mode, event.source, "completed").inc()
                case TurnFailed():
                    self._turns.labels(mode, "", "failed").inc()
                    self.error(event.code)

        return see

    def error(self, code: str) -> None:
        """Count an error by its code, which is one of the program's own."""
        self._errors.labels(code).inc()

    def request(self, method: str, route: str, status: int) -> None:
        """Count a request; `route` is the pattern of its path, never what a client sent."""
        self._requests.labels(method, route, str(status)).inc()

    def text(self, streams: int, running: int) -> bytes:
        self._streams.set(streams)
        self._running.set(running)
        return generate_latest(self.registry)
