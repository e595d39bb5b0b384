"""A server on the loopback for whatever asks a service, with faults that are planted in it."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "planted-key-3141592653"


@dataclass
class Answer:
    """What a stub says to one question: `body` is sent as JSON if it is no bytes."""

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    after: float = 0.0
    drip: float = 0.0
    closed: bool = False


@dataclass
class Stub:
    """A server: `answer` makes of a text what is said, unless `faults` has something for it first.

    `asked` counts the texts, `seen` holds the whole questions with their headers.
    """

    url: str
    answer: Callable[[str], Any]
    text_of: Callable[[Any], str]
    faults: dict[str, list[Answer]] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    seen: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)

    def next(self, text: str) -> Answer:
        self.asked[text] += 1
        planted = self.faults.get(text)
        return planted.pop(0) if planted else Answer(self.answer(text))


def chat(content: Any, reason: str = "stop") -> Any:
    """An answer of OpenAI's form with one message."""
    return {"choices": [{"message": {"content": content}, "finish_reason": reason}]}


@contextmanager
def openai(answer: Callable[[str], Any]) -> Iterator[Stub]:
    """A server with OpenAI's chat completions, which answers the last message of a question."""
    with served(answer, lambda body: str(body["messages"][-1]["content"])) as stub:
        yield stub


@contextmanager
def served(answer: Callable[[str], Any], text_of: Callable[[Any], str]) -> Iterator[Stub]:
    """A server that says what `answer` makes of the text that `text_of` finds in a question."""
    stub = Stub("", answer, text_of)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            stub.seen.append((self.path, dict(self.headers), body))
            answer = stub.next(stub.text_of(body))
            time.sleep(answer.after)
            if answer.closed:
                return
            data = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body)
            data = data if isinstance(data, bytes) else data.encode()
            try:
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                for start in range(len(data)) if answer.drip else ():
                    self.wfile.write(data[start : start + 1])
                    time.sleep(answer.drip)
                if not answer.drip:
                    self.wfile.write(data)
            except OSError:  # whoever asked has gone
                pass

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    stub.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield stub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
