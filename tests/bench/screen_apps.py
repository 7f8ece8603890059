"""The programs that the screen benchmark compares: ours on a mode that only streams, and two floors of Textual."""

from __future__ import annotations

# The least app that can echo a key.
FLOOR = """
from textual.app import App
from textual.widgets import Input
class Floor(App):
    def compose(self):
        yield Input(placeholder="Ask something")
Floor().run()
"""
# The least chat: one Static that is updated ten times a second with the whole text, nothing rendered.
STATIC = """
import asyncio, json, os
import httpx
from textual.app import App
from textual.containers import VerticalScroll
from textual.widgets import Input, Static
class Plain(App):
    CSS = "VerticalScroll { height: 1fr; } Input { dock: bottom; }"
    def compose(self):
        yield VerticalScroll()
        yield Input(placeholder="Ask something")
    def on_mount(self):
        self.query_one(Input).focus()
    async def on_input_submitted(self, event):
        event.input.value = ""
        self.run_worker(self.reply(event.value))
    async def pull(self, question, pieces, done):
        body = {"model": "gpt-oss:latest", "messages": [{"role": "user", "content": question}]}
        async with httpx.AsyncClient(timeout=None) as client:
            async with client.stream("POST", os.environ["OLLAMA_HOST"] + "/api/chat", json=body) as answer:
                async for line in answer.aiter_lines():
                    pieces.append(json.loads(line)["message"]["content"])
        done.set()
    async def reply(self, question):
        view = self.query_one(VerticalScroll)
        shown, pieces, done = Static("", markup=False), [], asyncio.Event()
        await view.mount(shown)
        view.anchor()
        pulling = asyncio.create_task(self.pull(question, pieces, done))
        seen = 0
        while not (done.is_set() and seen == len(pieces)):
            await asyncio.sleep(0.1)
            seen = len(pieces)
            shown.update("".join(pieces))
        await pulling
Plain().run()
"""
SPEAK = """
from contextlib import aclosing
from troly.plugin.context import TurnContext, traced
from troly.plugin.contract import Mode, Outcome

async def node(state, turn, step):
    said = ""
    async with aclosing(turn.model.stream("speak", [{"role": "user", "content": turn.text}], tokens=20_000)) as pieces:
        async for piece in pieces:
            said += piece
            turn.say(piece)
    step.note("spoke", "model")
    return {"said": said}

def graph():
    from typing import TypedDict
    from langgraph.graph import END, START, StateGraph
    builder = StateGraph(TypedDict("Said", {"said": str}, total=False), context_schema=TurnContext)
    builder.add_node("node", traced("node", node))
    builder.add_edge(START, "node")
    builder.add_edge("node", END)
    return builder.compile()

MODE = Mode(
    id="speak", names={"vi": "Speak", "en": "Speak"}, summaries={"vi": "Speak", "en": "Speak"}, persona="speak",
    accent="#336699", first_questions={"vi": ("a", "b", "c"), "en": ("a", "b", "c")}, graph=graph,
    start=lambda turn: {"said": turn.text}, finish=lambda state: Outcome({"said": state["said"]}),
    state_fields=("said",),
    opening=lambda _services, _lang: None,
)
"""
OURS = ["-m", "troly", "--lang", "en", "--mode", "speak"]
APPS = {"ours": OURS, "floor": ["-c", FLOOR], "static": ["-c", STATIC]}
