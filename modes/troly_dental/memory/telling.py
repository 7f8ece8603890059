"""Which pinned facts a prompt is told when there are more than it can take."""

from __future__ import annotations

from collections.abc import Sequence

from troly_dental.memory.types import KINDS, Fact

FACT_TOKENS = 1200
_NEVER_LEFT_OUT = frozenset(KINDS[:4])


def worth_telling(facts: Sequence[Fact], tokens: int = FACT_TOKENS) -> tuple[Fact, ...]:
    """Facts of at most `tokens` tokens, in their order.

    Allergies, medicines, pregnancy and diseases are never left out; of names, teeth, dates and numbers the newest
    stay. A clause that several facts were found in counts once.
    """
    from troly.llm.prompts import estimate

    kept = {fact for fact in facts if fact.kind in _NEVER_LEFT_OUT}
    texts = {fact.text for fact in kept}
    room = tokens - sum(map(estimate, texts))
    for fact in sorted((fact for fact in facts if fact not in kept), key=lambda fact: -fact.id):
        if fact.text not in texts:
            room -= estimate(fact.text)
            if room < 0:
                break
            texts.add(fact.text)
        kept.add(fact)
    return tuple(fact for fact in facts if fact in kept)
