"""The private memory: what is found, by whom, with and without an embedder."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.retrieval.knowledge import HashingEmbedder
from tests.support.retrieval.memory import Desk, desk_at

LAPTOP, MOUSE = "laptop pin trâu để đi học khoảng 15 triệu", "chuột không dây màu trắng"
WORDS = ("laptop", "pin", "chuột", "màn hình", "giá", "bàn phím", "đi học")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_at(tmp_path) as opened:
        yield opened


async def test_a_message_is_found_by_meaning_and_by_words(desk: Desk) -> None:
    talk = desk.say("an", LAPTOP, MOUSE)
    assert await desk.memory.embed_waiting() == 2
    recall = await desk.memory.search(
        "an", talk, "laptop di hoc", embed=desk.embedders["hash"], embedder="hash"
    )
    assert recall.used_vectors
    assert recall.messages[0].text == LAPTOP
    assert (recall.messages[0].similarity or 0) > 0.3
    assert recall.messages[0].coverage == 1.0
    assert await desk.memory.embed_waiting() == 0


async def test_vectors_carry_the_documents_metadata(desk: Desk) -> None:
    talk = desk.say("an", LAPTOP)
    await desk.memory.embed_waiting()
    (message,) = desk.conversations.messages("an", talk)
    desk.memory.close()
    (note,) = desk.stored().items()
    assert note[0] == message.id
    assert note[1].pop("created_at") == "2026-11-22T02:00:00.000000Z"
    assert note[1] == {"conversation_id": talk, "user_id": "an", "message_id": message.id}


async def test_without_an_embedder_words_answer_and_nothing_is_imported(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys; from pathlib import Path; from tests.support.retrieval.memory import desk_at\n"
        "with desk_at(Path(sys.argv[1])) as desk:\n"
        "    talk = desk.say('an', 'laptop pin trâu', 'chuột')\n"
        "    print(asyncio.run(desk.found('an', talk, 'LAPTOP pin', vectors=False)) == ['laptop pin trâu'])\n"
        "    print('chromadb' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "corpus")],
        check=False,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout.split() == ["True", "False"], done.stderr


async def test_a_vector_search_reads_nothing_while_nothing_was_embedded(desk: Desk) -> None:
    talk = desk.say("an", LAPTOP)
    assert await desk.found("an", talk, "laptop") == [LAPTOP]
    assert desk.embedders["hash"].calls == 0
    assert not (desk.home / "chroma-memory").exists()


async def test_an_embedder_that_goes_away_leaves_words(desk: Desk) -> None:
    talk = desk.say("an", LAPTOP)
    await desk.memory.embed_waiting()
    gone = HashingEmbedder(fail_after=0)
    recall = await desk.memory.search("an", talk, "laptop", embed=gone, embedder="hash")
    assert [one.text for one in recall.messages] == [LAPTOP]
    assert not recall.used_vectors
    assert recall.reason is not None
    assert recall.reason.key == "ollama.down"


async def test_messages_that_are_shown_anyway_are_left_out(desk: Desk) -> None:
    talk = desk.say("an", LAPTOP, "laptop chơi game")
    await desk.memory.embed_waiting()
    recent = desk.conversations.messages("an", talk)[-1]
    recall = await desk.memory.search(
        "an", talk, "laptop", embed=desk.embedders["hash"], embedder="hash", skip=[recent.id]
    )
    assert [one.text for one in recall.messages] == [LAPTOP]


async def test_a_deleted_conversation_loses_its_vectors_and_a_restored_one_gets_them_back(desk: Desk) -> None:
    kept, gone = desk.say("an", MOUSE), desk.say("an", LAPTOP, "laptop cũ")
    await desk.memory.embed_waiting()
    desk.conversations.delete("an", gone)
    assert await desk.found("an", gone, "laptop") == []
    assert await desk.memory.embed_waiting() == 0
    assert desk.rows() == 1
    desk.conversations.restore("an", gone)
    assert await desk.memory.embed_waiting() == 2
    assert (await desk.found("an", gone, "laptop cũ"))[0] == "laptop cũ"
    desk.conversations.delete("an", gone)
    desk.memory.close()
    await desk.memory.embed_waiting()
    desk.memory.close()
    assert [note["conversation_id"] for note in desk.stored().values()] == [kept]


@pytest.mark.parametrize("same_name", [True, False])
async def test_another_embedder_embeds_anew(desk: Desk, same_name: bool) -> None:
    talk = desk.say("an", LAPTOP, MOUSE)
    await desk.memory.embed_waiting()
    desk.embedder = "hash" if same_name else "wide"
    desk.embedders[desk.embedder] = HashingEmbedder(dim=32)
    desk.say("an", "tai nghe", conversation=talk)
    assert await desk.memory.embed_waiting() == 3
    recall = await desk.memory.search(
        "an", talk, "laptop đi học", embed=desk.embedders[desk.embedder], embedder=desk.embedder
    )
    assert recall.used_vectors
    assert recall.reason is None
    assert recall.messages[0].text == LAPTOP


async def test_a_message_too_long_for_the_model_does_not_hold_up_the_others(desk: Desk) -> None:
    talk = desk.say("an", LAPTOP, "rất dài " * 100, MOUSE, "\x1b\x00")
    desk.too_long = 200
    assert await desk.memory.embed_waiting() == 3
    assert "…" in desk.asked
    assert (await desk.found("an", talk, "chuột trắng"))[0] == MOUSE


async def test_a_lost_folder_is_filled_again(tmp_path: Path) -> None:
    with desk_at(tmp_path) as desk:
        talk = desk.say("an", LAPTOP)
        await desk.memory.embed_waiting()
    (tmp_path / "chroma-memory").rename(tmp_path / "elsewhere")
    with desk_at(tmp_path) as desk:
        desk.say("an", MOUSE)
        assert await desk.memory.embed_waiting() == 2
        assert await desk.found("an", talk, "laptop") == [LAPTOP]


@settings(max_examples=40)
@given(
    query=st.text(max_size=40) | st.sampled_from(['"', "a* OR b", "NEAR(", "\ud800", "🙂"]),
    k=st.integers(-1, 3),
)
def test_any_question_is_valid(tmp_path: Path, query: str, k: int) -> None:
    with desk_at(tmp_path) as desk:
        talk = desk.say("an", LAPTOP, "🙂 OK")
        assert len(asyncio.run(desk.found("an", talk, query, vectors=False, k=k))) <= max(0, k)


Said = st.lists(
    st.tuples(
        st.sampled_from(["an", "bình"]),
        st.integers(0, 1),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join),
    ),
    min_size=1,
    max_size=10,
)


@settings(max_examples=12)
@given(said=Said, query=st.sampled_from(WORDS))
def test_nobody_ever_sees_another_persons_or_conversations_words(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, int, str]], query: str
) -> None:
    with desk_at(tmp_path_factory.mktemp("memory")) as desk:
        talks = {
            (who, at): desk.conversations.create(who, "shopping").id
            for who in ("an", "bình")
            for at in (0, 1)
        }
        for who, at, text in said:
            desk.say(who, text, conversation=talks[who, at])
        asyncio.run(desk.memory.embed_waiting())
        for (who, at), talk in talks.items():
            mine = [text for owner, place, text in said if (owner, place) == (who, at)]
            for vectors in (True, False):
                found = asyncio.run(desk.found(who, talk, query, vectors=vectors, k=50))
                assert set(found) <= set(mine)
                # By vectors every message of the conversation is a neighbour, so none may be missing either.
                assert not vectors or sorted(found) == sorted(mine)
                other = "bình" if who == "an" else "an"
                assert asyncio.run(desk.found(other, talk, query, vectors=vectors, k=50)) == []
