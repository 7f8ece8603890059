"""An Ollama double in a process of its own for benchmarks: long Markdown answers at a given rate.

A question with `n=2000 tps=50 id=7` in it is answered with that many tokens and then the word ZZEND7ZZ; `tps=0` is as
fast as it goes. Other questions get a page at a hundred tokens a second. A line `down` or `up` on the standard input lets
the server go and come back. Prints its address, then one JSON line for every answer that is out: its id and when the last token
went (`last`), or when the client left before that (`gone`).
"""

from __future__ import annotations

import json
import re
import sys
import threading
from itertools import cycle, islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.support.ollama.double import OllamaDouble
from tests.support.ollama.replies import Reply, Request, default_reply, pieces
from tests.support.screen.screens import MARKDOWN

ASKED = re.compile(r"n=(\d+) tps=(\d+) id=(\d+)")


def reply(request: Request) -> Reply:
    """As many tokens as the question asks for."""
    asked = ASKED.search(request.last_user)
    if asked is None:
        return default_reply(request) if request.body.get("format") else Reply(MARKDOWN, gap=0.01)
    number, rate, ident = (int(group) for group in asked.groups())
    text = "".join(islice(cycle(pieces(MARKDOWN + "\n")), max(0, number - 1)))
    return Reply(f"{text}\n\nZZEND{ident}ZZ", gap=1 / rate if rate else 0.0)


def _obey(server: OllamaDouble, gone: threading.Event) -> None:
    for line in sys.stdin:
        (server.down if line.strip() == "down" else server.up)()
    gone.set()


def main() -> None:
    """Serve until the standard input closes."""
    with OllamaDouble() as server:
        server.default = reply
        print(json.dumps({"url": server.url}), flush=True)
        gone = threading.Event()
        threading.Thread(target=_obey, args=(server, gone), daemon=True).start()
        told = 0
        while not gone.wait(0.05):
            done = [request for request in server.chats if request.finished or request.disconnected]
            for request in done[told:]:
                asked = ASKED.search(request.last_user)
                ident = int(asked.group(3)) if asked else 0
                end = {"last": request.finished} if request.finished else {"gone": request.disconnected}
                print(json.dumps({"id": ident, **end}), flush=True)
            told = len(done)


if __name__ == "__main__":
    main()
