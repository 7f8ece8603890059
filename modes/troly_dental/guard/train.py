"""Learns `danger.npz` from the labelled messages of `data/urgent`: `uv run --group train python -m troly_dental.guard.train`.

Names (danger, sign, level, follow_up) learn only those. `--check` learns without the messages of each writer in turn and tells how those are read: what is expected of strangers.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import typer
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression

from troly.text.classifier import Classifier, counted, load, save
from troly_dental.guard.danger import FILE, NAMES, marked

DATA = Path(__file__).resolve().parents[3] / "data" / "urgent"
EVALUATED = DATA.parent / "eval" / "conversations" / "dental.jsonl"
# A danger of which nobody said which one it is.
UNNAMED = "?"
_HELP = re.compile(r"\b(?:115|911|cấp cứu|bệnh viện|emergency|ambulance|hospital)\b", re.IGNORECASE)
_TURNS = 4
_BUCKETS = {"danger": 1 << 18, "sign": 1 << 15, "level": 1 << 16, "follow_up": 1 << 16}
# How closely the labels are followed: of two labels, and of many.
_CLOSELY, _CLOSELY_OF_MANY = 60.0, 30.0
# What was put together from word lists counts less than what somebody wrote.
_COMPOSED, _COMPOSED_WEIGHT = "composed", 0.4
_RECALLS = (0.95, 0.98, 0.99)


class Example(tuple[str, str, str]):
    """A text, its label, and who wrote it."""

    __slots__ = ()


def examples(name: str) -> list[Example]:
    """The labelled texts that the classifier `name` learns from."""
    messages, conversations = _read("messages"), _read("conversations")
    if name == "follow_up":
        return [Example((one["text"], one["label"], one["by"])) for one in _read("follow-ups")]
    told = [("\n".join(one["turns"]), one) for one in [*conversations, *_evaluated()]]
    told += [(one["text"], one) for one in messages]
    # What raised the emergencies that are followed up; some writers use one twice.
    told += {
        one["first"]: (one["first"], {**one, "level": None}) for one in _read("follow-ups") if one["first"]
    }.values()
    kinds: Mapping[str, Callable[[Mapping[str, Any]], str | None]] = {
        "danger": lambda one: "danger" if one.get("sign") else "none",
        "sign": lambda one: one["sign"] if one.get("sign") in NAMES else None,
        "level": lambda one: one.get("level"),
    }
    found = [Example((text, label, one["by"])) for text, one in told if (label := kinds[name](one))]
    if name == "danger":
        # What says that it is over tells of no danger, whatever it names, nor the last of messages that together tell of none.
        left = [(one["text"], one["by"]) for one in _read("follow-ups") if one["label"] != "goes_on"]
        calm = (one for one in [*conversations, *_evaluated()] if not one.get("sign"))
        left += [(one["turns"][-1], one["by"]) for one in calm]
        found += [Example((text, "none", by)) for text, by in left]
    return found


def learn(found: Sequence[Example], name: str) -> Classifier:
    """The classifier `name` of `found`."""
    counts = _counts([text for text, _, _ in found], _BUCKETS[name])
    transformer = TfidfTransformer(sublinear_tf=True).fit(counts)
    values = transformer.transform(counts)
    labels = np.array([label for _, label, _ in found])
    weight = np.array([_COMPOSED_WEIGHT if by == _COMPOSED else 1.0 for _, _, by in found])
    of_two = {"danger": "danger", "level": "now"}.get(name)
    model = LogisticRegression(
        C=_CLOSELY if of_two else _CLOSELY_OF_MANY,
        class_weight="balanced",
        max_iter=2000,
        solver="liblinear" if of_two else "lbfgs",
    )
    model.fit(values, labels == of_two if of_two else labels, sample_weight=weight)
    names = (of_two,) if of_two else tuple(map(str, model.classes_))
    return Classifier.learnt(names, transformer.idf_, model.coef_, model.intercept_)


def check(name: str) -> None:
    """Prints, by writer, how the classifier `name` reads who it did not learn from."""
    found = examples(name)
    writers = sorted({by for _, _, by in found if by.startswith(("w", "f", "c")) and by != _COMPOSED})
    everything: list[tuple[str, dict[str, float]]] = []
    for writer in writers:
        learnt = learn([one for one in found if one[2] != writer], name)
        read = [(label, learnt.probabilities(marked(text))) for text, label, by in found if by == writer]
        _report(f"{name} {writer}", read)
        everything += read
    _report(f"{name} all", everything)


def _report(title: str, read: Sequence[tuple[str, dict[str, float]]]) -> None:
    if len(read[0][1]) > 1:
        right = sum(label == max(likely, key=lambda one: likely[one]) for label, likely in read)
        typer.echo(f"{title}: {right / len(read):.3f} of {len(read)} right")
        return
    positive = next(iter(read[0][1]))
    is_so = sorted(likely[positive] for label, likely in read if label == positive)
    is_not = np.array([likely[positive] for label, likely in read if label != positive])
    told = []
    for recall in _RECALLS:
        bound = is_so[int((1 - recall) * len(is_so))]
        told.append(f"recall {recall:.2f} false {(is_not >= bound).mean():.3f} from {bound:.2f}")
    typer.echo(f"{title}: {'; '.join(told)} ({len(is_so)} + {len(is_not)})")


def _counts(texts: Sequence[str], buckets: int) -> Any:
    met = [counted(marked(text), buckets) for text in texts]
    ends = np.cumsum([0, *map(len, met)])
    at = np.fromiter((bucket for one in met for bucket in one), dtype=np.int64)
    times = np.fromiter((times for one in met for times in one.values()), dtype=float)
    return csr_matrix((times, at, ends), shape=(len(texts), buckets))


def _read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").split("\n") if line]


def _evaluated() -> Iterator[dict[str, Any]]:
    """The messages of the shipped conversations, each with those before it, up to the first that is urgent or sent for help."""
    for line in EVALUATED.read_text("utf-8").split("\n"):
        turns = json.loads(line)["turns"] if line else []
        for at, turn in enumerate(turns, 1):
            if not turn.get("urgent") and _HELP.search(json.dumps(turn["right"], ensure_ascii=False)):
                break  # nobody said whether it is urgent
            told = [one["say"] for one in turns[max(0, at - _TURNS) : at]]
            yield {"by": "evaluated", "turns": told, "sign": UNNAMED if turn.get("urgent") else None}
            if turn.get("urgent"):
                break


def main() -> None:
    """Learns and writes those that are named, or all four; or checks them."""
    names = [one for one in sys.argv[1:] if one in _BUCKETS] or list(_BUCKETS)
    if "--check" in sys.argv:
        for name in names:
            check(name)
        return
    kept = load(FILE) if len(names) < len(_BUCKETS) else {}
    save(FILE, {**kept, **{name: learn(examples(name), name) for name in names}})


if __name__ == "__main__":
    main()
