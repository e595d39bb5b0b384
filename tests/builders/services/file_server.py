"""A local server of files that breaks off, lies, ignores ranges or has nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass
class FileServer:
    """How the server shall behave, and what it was asked."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    break_after: int | None = None
    """Bytes of a body after which the connection is closed."""
    unbroken: set[str] = field(default_factory=set)
    """What it sends whole all the same."""
    ranges: bool = True
    failures: list[int] = field(default_factory=list)
    """Statuses of the next answers."""
    lengths: bool = True
    asked: list[tuple[str, str | None]] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[FileServer]:
    behaviour = FileServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            behaviour.asked.append((self.path, wanted))
            if behaviour.failures:
                self.send_error(behaviour.failures.pop(0))
                return
            content = behaviour.files.get(self.path)
            if content is None:
                self.send_error(404)
                return
            start = 0
            if wanted and behaviour.ranges:
                start = int(wanted.removeprefix("bytes=").rstrip("-"))
                if start >= len(content):
                    self.send_response(416)
                    self.send_header("Content-Range", f"bytes */{len(content)}")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                self.send_response(206)
                self.send_header(
                    "Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}"
                )
            else:
                self.send_response(200)
            body = content[start:]
            if behaviour.lengths:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            whole = self.path in behaviour.unbroken
            self.wfile.write(body if whole else body[: behaviour.break_after])

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listener:
        thread = threading.Thread(target=listener.serve_forever, args=(0.01,))
        thread.start()
        behaviour.url = f"http://127.0.0.1:{listener.server_address[1]}"
        yield behaviour
        listener.shutdown()
        thread.join()
