"""A local server of objects, as S3 has them, and of files on the web; it fails as it is told to."""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape, unescape

import pytest

from corefmill.corpora.files import remote

BUCKET = "bucket"
CLIENT = {**remote.CLIENT, "connect_timeout": "2s", "timeout": "2s"}
RETRIES = {"max_retries": 3, "retry_timeout": timedelta(seconds=3)}


@dataclass
class ObjectServer:
    """What it holds, how it shall behave, and what it was asked."""

    url: str = ""
    objects: dict[str, bytes] = field(default_factory=dict)
    """By the path of a URL, /bucket/key."""
    failures: int = 0
    """So many of the next answers are 500."""
    limit: int | None = None
    """All answers after so many are 500."""
    held: str = "\0"
    """What is put to a path that has this in it is never answered."""
    pause: float = 0.0
    """Seconds before each answer."""
    ranges: bool = True
    keys: bool = False
    """Whether what is not signed is refused."""
    refused: str = "\0"
    """What is put to a path that has this in it is refused."""
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Methods and paths, in order."""
    sent: int = 0
    """Bytes of all answers."""

    @property
    def stored(self) -> dict[str, bytes]:
        """The objects of the bucket, by their keys."""
        before = f"/{BUCKET}/"
        now = list(self.objects.items())
        return {name.removeprefix(before): content for name, content in now}


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectServer]:
    """The server, as where s3:// leads to, with a key and little patience."""
    server = ObjectServer()
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(server)) as listener:
        listener.daemon_threads = True
        listener.block_on_close = False  # connections are kept open by whoever asked
        thread = threading.Thread(target=listener.serve_forever, args=(0.01,))
        thread.start()
        server.url = f"http://127.0.0.1:{listener.server_address[1]}"
        monkeypatch.setattr(remote, "CLIENT", CLIENT)
        monkeypatch.setattr(remote, "RETRIES", RETRIES)
        remote.object_store.cache_clear()
        for name, value in {
            "AWS_ENDPOINT_URL": server.url,
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "NO_PROXY": "127.0.0.1",
        }.items():
            monkeypatch.setenv(name, value)
        yield server
        remote.object_store.cache_clear()
        listener.shutdown()
        thread.join()


def _handler(server: ObjectServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # a body is sent after its head, not 40 ms later

        def do_GET(self) -> None:
            if self._may_go_on():
                query = parse_qs(urlsplit(self.path).query)
                if "list-type" in query:
                    self._answer(200, _listing(server, query.get("prefix", [""])[0]))
                else:
                    self._give()

        do_HEAD = do_GET

        def do_PUT(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self._may_go_on():
                path = unquote(urlsplit(self.path).path)
                if server.held in path:
                    self.close_connection = True
                elif server.refused in path:
                    self._answer(403)
                else:
                    server.objects[path] = body
                    self._answer(200, ETag=_tag(body))

        def do_POST(self) -> None:
            """Removes several objects, which is all that is asked so here."""
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            if self._may_go_on():
                keys = re.findall("<Key>(.*?)</Key>", body)
                for key in keys:
                    server.objects.pop(f"/{BUCKET}/{unescape(key)}", None)
                gone = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
                self._answer(200, f"<DeleteResult>{gone}</DeleteResult>".encode())

        def _may_go_on(self) -> bool:
            server.asked.append((self.command, unquote(urlsplit(self.path).path)))
            time.sleep(server.pause)
            if server.failures or (server.limit is not None and len(server.asked) > server.limit):
                server.failures = max(0, server.failures - 1)
                self._answer(500)
            elif server.keys and "Authorization" not in self.headers:
                self._answer(403)
            else:
                return True
            return False

        def _give(self) -> None:
            content = server.objects.get(unquote(urlsplit(self.path).path))
            wanted = self.headers.get("Range")
            if content is None:
                self._answer(404)
            elif wanted and server.ranges:
                first, last = map(int, wanted.removeprefix("bytes=").split("-"))
                part = content[first : last + 1]
                shown = f"bytes {first}-{first + len(part) - 1}/{len(content)}"
                self._answer(206, part, ETag=_tag(content), Content_Range=shown)
            else:
                self._answer(200, content, ETag=_tag(content))

        def _answer(self, status: int, body: bytes = b"", **headers: str) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                server.sent += len(body)
                self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


def _tag(content: bytes) -> str:
    return f'"{hashlib.md5(content, usedforsecurity=False).hexdigest()}"'


def _listing(server: ObjectServer, prefix: str) -> bytes:
    """What lies directly in a folder."""
    keys = [key for key in sorted(server.stored) if key.startswith(prefix)]
    files = "".join(
        f"<Contents><Key>{escape(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
        f"<ETag>{escape(_tag(server.stored[key]))}</ETag><Size>{len(server.stored[key])}</Size>"
        "</Contents>"
        for key in keys
        if "/" not in key.removeprefix(prefix)
    )
    inner = (key.removeprefix(prefix).partition("/") for key in keys)
    folders = "".join(
        f"<CommonPrefixes><Prefix>{escape(prefix + name)}/</Prefix></CommonPrefixes>"
        for name in sorted({name for name, slash, _ in inner if slash})
    )
    found = f"<IsTruncated>false</IsTruncated>{files}{folders}"
    return f"<ListBucketResult>{found}</ListBucketResult>".encode()
