"""The text classifier: what it counts, what it makes of weights, and that it is kept as it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.text.classifier import Classifier, counted, features, load, save

BUCKETS = 1 << 12


def classifier(*labels: str, seed: int = 1) -> Classifier:
    chance = np.random.default_rng(seed)
    weights = chance.normal(size=(len(labels), BUCKETS))
    return Classifier.learnt(labels, 1 + chance.random(BUCKETS), weights, chance.normal(size=len(labels)))


@given(st.text())
def test_the_labels_of_any_text_are_as_likely_as_one_of_them_together(text: str) -> None:
    likely = classifier("một", "hai", "ba").probabilities(text)
    assert sum(likely.values()) == pytest.approx(1)
    [one] = classifier("một").probabilities(text).values()
    assert 0 < one < 1


def test_a_text_has_the_label_of_the_words_that_weigh_for_it() -> None:
    weights = np.zeros((2, BUCKETS))
    for row, told in enumerate(("máu chảy không cầm", "niềng răng bao nhiêu tiền")):
        weights[row, list(counted(told, BUCKETS))] = 1
    found = Classifier.learnt(("bleeding", "price"), np.ones(BUCKETS), weights * 20, np.zeros(2))
    for text, label in (("mau chay hoai khong cam", "bleeding"), ("giá niềng răng", "price")):
        likely = found.probabilities(text)
        assert max(likely, key=lambda one: likely[one]) == label


@pytest.mark.parametrize("typed", ["Răng  ĐAU!", "răng, đau", "RĂNG ĐAU"])
def test_case_and_punctuation_change_nothing(typed: str) -> None:
    assert list(features(typed)) == list(features("răng đau"))


def test_what_is_saved_is_read_again(tmp_path: Path) -> None:
    kept = {"danger": classifier("danger"), "sign": classifier("swelling", "fever", seed=2)}
    save(tmp_path / "kept.npz", kept)
    read = load(tmp_path / "kept.npz")
    for name, one in kept.items():
        assert read[name].labels == one.labels
        for label, likely in one.probabilities("sưng má sốt 39 độ").items():
            assert read[name].probabilities("sưng má sốt 39 độ")[label] == pytest.approx(likely, abs=0.01)


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kept.npz").write_text("no archive")
    with pytest.raises((OSError, ValueError)):
        load(tmp_path / "kept.npz")
