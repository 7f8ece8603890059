"""The shipped evaluation cases of the dental assistant are read without a problem and answered by the rules."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from troly.conversation.evaluation import read_case_file
from troly_dental.guard import danger, judge

FILE = Path(__file__).parents[4] / "data" / "eval" / "dental.jsonl"


def test_the_cases_are_many_in_every_form_and_answered_by_rules() -> None:
    found = read_case_file(FILE)
    assert found.problems == []
    assert len(found.cases) >= 150
    forms = Counter(case.form for case in found.cases)
    assert min(forms[form] for form in ("accented", "unaccented", "typo", "english")) >= 25
    wrong = []
    for case in found.cases:
        flag = danger(case.text, case.turns[:-1])
        if (flag.name if flag else None) != case.expect["red_flag"]:
            wrong.append(case.id)
        before = case.turns[-2] if len(case.turns) > 1 else None
        about_teeth = before is not None and judge(before).score >= 0.5
        score = judge(case.text, before, about_teeth).score
        if case.expect.get("guardrail.dental", score >= 0.5) is not (score >= 0.5):
            wrong.append(case.id)
    assert wrong == []
