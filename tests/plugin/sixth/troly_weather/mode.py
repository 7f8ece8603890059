"""Declares the weather assistant; nothing heavy is imported here."""

from __future__ import annotations

from troly.plugin.contract import Command, Ingest, Lazy, Mode, Outcome, Purpose, Samples
from troly.text.catalogue import LANGS

from .settings import WeatherSettings
from .store import MIGRATION
from .strings import TEXTS, say

MODE = Mode(
    id="weather",
    texts=TEXTS,
    names=TEXTS.both("mode.name"),
    summaries=TEXTS.both("mode.summary"),
    persona="weather",
    accent="#7aa2f7",
    icon="°",
    first_questions={lang: (say("mode.question_1", lang), say("mode.question_2", lang)) for lang in LANGS},
    graph=Lazy("troly_weather.graph:build"),
    start=lambda _turn: {"cities": []},
    finish=lambda state: Outcome({"cities": state["cities"]}),
    state_fields=("cities",),
    data_status=Lazy("troly_weather.store:data_status"),
    about=Purpose(TEXTS.both("mode.purpose"), {lang: (say("mode.question_1", lang),) for lang in LANGS}),
    settings={"weather": WeatherSettings},
    migrations=(MIGRATION,),
    ingests=(
        Ingest(
            name="weather",
            help=TEXTS.both("mode.ingest"),
            example="app ingest weather nhiet-do.csv",
            run=Lazy("troly_weather.store:ingest"),
        ),
    ),
    commands=(
        Command(
            path=("weather", "cities"),
            help=TEXTS.both("mode.cities"),
            example="app weather cities",
            run=Lazy("troly_weather.store:cities"),
            takes=("csv",),
        ),
    ),
    samples=Samples(
        load=Lazy("troly_weather.store:load"),
        remove=Lazy("troly_weather.store:remove"),
        loaded=Lazy("troly_weather.store:loaded"),
    ),
)
