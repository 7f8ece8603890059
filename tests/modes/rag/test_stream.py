"""What programs read of a turn on its way: the records of the document's stream, as it has them (004-45 to 004-49)."""

from __future__ import annotations

from pathlib import Path

from tests.support.modes.rag import rag_desk
from tests.support.server import all_frames, serving
from troly.plugin.events import Progress, to_json

LEAVE = "Tính toán chi phí nghỉ phép và so sánh với chính sách công ty"
STEPS = ["plan_ready", *["executing_task", "task_completed"] * 3, "ready_for_resolution"]


async def test_the_servers_stream_has_the_documents_records_between_opening_and_answer(
    own_home: Path,
) -> None:
    async with rag_desk(own_home) as desk, serving(desk.services, desk.registry) as served:
        served.client.headers.update(served.key("an", "public", "internal", "private"))
        made = await served.client.post("/conversations", json={"mode": "rag"})
        path = f"/conversations/{made.json()['conversation_id']}/stream"
        asked = {"text": LEAVE, "offline": True}
        frames = [frame.data for frame in await all_frames(served.client, "POST", path, json=asked)]
    records = [one for one in frames if "node" in one]
    assert [list(one) for one in records] == [["node", "output"]] * len(STEPS)
    assert {one["node"] for one in records} == {"execute_planning"}
    assert [one["output"]["processing_status"] for one in records] == STEPS
    for one in records:
        assert {"processing_status", "progress_percentage", "progress_message"} <= one["output"].keys()
    first_word = next(at for at, one in enumerate(frames) if "chunk" in one)
    assert frames[0] == {"debug": "stream-open"}
    assert frames.index(records[-1]) < first_word
    assert frames[-1]["done"] is True


async def test_the_lines_of_ask_json_have_them_too(own_home: Path) -> None:
    async with rag_desk(own_home) as desk:
        told = await desk.ask(LEAVE, offline=True)
    lines = [line for event in told.all(Progress) if (line := to_json(event))["node"]]
    assert [line["output"]["processing_status"] for line in lines] == STEPS
    assert lines[0]["output"]["plan_summary"]["total_tasks"] == 3
