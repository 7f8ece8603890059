"""summary_tool: sums up what the agent's searches found, by the model under the grounding check, or by its best sentences."""

from __future__ import annotations

from contextlib import aclosing

from troly.errors import ModelError
from troly_rag.extracting import extract
from troly_rag.grounding import ground
from troly_rag.strings import prompts, say
from troly_rag.tools.search import evidence_of
from troly_rag.tools.types import ToolInputs, ToolOutput

SENTENCES = 4
PASSAGE_CHARS = 1500


async def run(given: ToolInputs) -> ToolOutput:
    """A summary in which every claim stands in a passage; "" where no passage was found."""
    passages = given.passages
    if not passages:
        return ToolOutput("")
    texts = [one.text for one in passages]
    written = await _written(given, texts)
    checked = ground(written, texts)
    claims = checked.claims or extract(
        given.query, texts, [one.section or one.title for one in passages], most=SENTENCES
    )
    used = list(dict.fromkeys(claim.passage for claim in claims))
    return ToolOutput(
        answer=checked.text or " ".join(claim.text for claim in claims),
        context=say("tool.summed", given.turn.language, count=len(used)),
        evidence=tuple(evidence_of(passages[place], given.agent.name) for place in used),
        passages=passages,
    )


async def _written(given: ToolInputs, texts: list[str]) -> str:
    """What the model makes of the passages; "" when no model can be asked or it fails."""
    turn = given.turn
    if turn.model.reason_unavailable is not None:
        return ""
    shown = "\n\n".join(f"[{number}] {text[:PASSAGE_CHARS]}" for number, text in enumerate(texts, 1))
    messages = prompts().messages("summary", turn.language, question=given.query, passages=shown)
    try:
        async with aclosing(turn.model.stream("summary_tool", messages)) as stream:
            return "".join([piece async for piece in stream])
    except ModelError:
        return ""
