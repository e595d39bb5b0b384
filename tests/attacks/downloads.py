"""Downloads: a server of our own that answers as servers should not, and what came of it."""

from __future__ import annotations

import bz2
import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.attacks.attack import After, Attack, Place, Result, Setup, line, nothing
from tests.attacks.seeds import PERSON
from tests.attacks.slots import W
from tests.builders.wiki.dump.dump_writer import dump, page

DUMP = bz2.compress(dump(page(f"Ann {n}", PERSON * 2, number=n) for n in range(1, 30)))

BEHAVIOURS = (
    *("right", "404", "403", "500", "html", "sums-empty", "sums-html", "sums-huge", "sums-escape"),
    *("sums-path", "sum-wrong", "loop", "redirect-file", "short", "long", "no-length"),
    *("negative-length", "huge-length", "word-length", "closed", "cut", "gzip", "nonsense"),
    *("headers", "range-wrong", "escape-status", "chunked", "two-lengths"),
)


NONE: Mapping[str, str] = {}


class Server(BaseHTTPRequestHandler):
    """Answers as the first part of the path says."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        """One answer."""
        how, _, rest = self.path.lstrip("/").partition("/")
        self.close_connection = True
        if how in ("404", "403", "500"):
            self._answer(b"no", int(how))
        elif how == "closed":
            self.connection.close()
        elif how == "nonsense":
            self.wfile.write(b"\x00\xff\x1b[31m" * 100)
        elif how == "escape-status":
            self.wfile.write(b"HTTP/1.1 418 \x1b]0;OWNED\x07\r\nContent-Length: 0\r\n\r\n")
        elif how == "headers":
            self.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 5000 + b"\r\n")
        elif how == "loop" or (how == "redirect-file" and "sums" not in rest):
            where = "file:///etc/hostname" if how == "redirect-file" else f"/loop/{rest}x"
            self._answer(b"", 302, headers={"Location": where})
        elif "sums" in rest:
            self._answer(self._sums(how))
        else:
            self._file(how)

    def _sums(self, how: str) -> bytes:
        digest = hashlib.sha1(DUMP).hexdigest() if how != "sum-wrong" else "0" * 40
        name = "enwiki-20240101-../../theirs/mine.txt" if how == "sums-path" else self._kind()
        own = {
            "html": b"<html>200 but nothing</html>",
            "sums-html": b"<html>" + b"a" * 100_000,
            "sums-empty": b"",
            "sums-huge": b"x" * 30_000_000,
            "sums-escape": f"{digest}  \x1b]0;OWNED\x07\n".encode(),
        }
        return own.get(how, f"{digest}  {name}\n".encode())

    def _kind(self) -> str:
        from corefmill.builders.wiki.dump import download

        return f"enwiki-20240101-{download._KIND}"

    def _file(self, how: str) -> None:
        lengths = {
            "negative-length": "-1",
            "huge-length": str(10**30),
            "word-length": "many\x7f",
            "short": str(len(DUMP) + 100),
            "long": str(len(DUMP) - 100),
        }
        if how == "html":
            self._answer(b"<html></html>")
        elif how in lengths:
            self._answer(DUMP, length=lengths[how])
        elif how == "slow":
            self._answer(DUMP[:100], length=str(len(DUMP)))
            time.sleep(5)
            self.wfile.write(DUMP[100:])
        elif how == "no-length":
            self._answer(DUMP, length="")
        elif how == "cut":
            self._answer(DUMP[: len(DUMP) // 2], length=str(len(DUMP)))
        elif how == "gzip":
            self._answer(DUMP, headers={"Content-Encoding": "gzip"})
        elif how == "chunked":
            self._answer(b"zz\r\n" + DUMP, length="", headers={"Transfer-Encoding": "chunked"})
        elif how == "two-lengths":
            self._answer(DUMP, headers={"content-length": "5"})
        elif how == "range-wrong":
            self._answer(DUMP, 206, headers={"Content-Range": "bytes 99-5/x"})
        else:
            self._answer(DUMP)

    def _answer(
        self,
        body: bytes,
        status: int = 200,
        length: str | None = None,
        headers: Mapping[str, str] = NONE,
    ) -> None:
        self.send_response(status)
        if length != "":
            self.send_header("Content-Length", length or str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def serve() -> tuple[int, int]:
    """Starts the server in a process of its own: its port and the process."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    child = os.fork()
    if not child:
        try:
            server.serve_forever()
        finally:
            os._exit(0)
    server.socket.close()
    return server.server_port, child


def _part(content: bytes) -> Setup:
    """A partial file of somebody's, or of a run before."""

    def setup(place: Place) -> None:
        place.put(f"data/{_name()}.part", content)

    return setup


def _name() -> str:
    from corefmill.builders.wiki.dump import download

    return f"enwiki-20240101-{download._KIND}"


def _right_or_none(place: Place, result: Result) -> str:
    """A file has its name only when it is the one that was published."""
    path = place.at / "data" / _name()
    if path.exists() and path.read_bytes() != DUMP:
        return "a wrong file has the dump's name"
    return ""


def _two_at_once(port: int) -> tuple[tuple[str, ...], Setup, After]:
    """A download, and one of the same dump that began before it and has to come to its end."""
    argv = line(
        f"build wikicrem --dump latest --set mirror=http://127.0.0.1:{port}/slow --limit 1"
        f" --data-dir data {W}"
    )
    first: list[subprocess.Popen[bytes]] = []

    def setup(place: Place) -> None:
        script = str(Path(sys.executable).with_name(argv[0]))
        command = [script, *argv[1:], "--out", "out-1"]
        with (place.base / "tmp" / "said").open("wb") as said:
            first.append(subprocess.Popen(command, cwd=place.at, stdout=said, stderr=said))
        until = time.monotonic() + 60
        while not any(place.at.glob("data/*.part")) and time.monotonic() < until:
            time.sleep(0.05)

    def after(place: Place, result: Result) -> str:
        code = first.pop().wait(120)
        if b"No such file" in result.err:
            return "the file of the other download is missed"
        said = (place.base / "tmp" / "said").read_bytes()
        return f"the first of two ends with {code}: {said[-200:]!a}" if code else ""

    return (*argv, "--out", "out"), setup, after


def attacks(port: int) -> Iterator[Attack]:
    """Every behaviour alone, and after a partial file."""
    parts: dict[str, Setup] = {
        "": nothing,
        "-part": _part(DUMP[:100]),
        "-part-foreign": _part(b"x" * 300),
        "-part-long": _part(DUMP + b"more"),
    }
    argv, setup, after = _two_at_once(port)
    yield Attack(
        group="download",
        name="two-at-once",
        argv=argv,
        setup=setup,
        after=after,
        writes=("out*", "data*"),
    )
    check: After = _right_or_none
    for how in BEHAVIOURS:
        for name, setup in parts.items():
            if name and how not in ("right", "short", "range-wrong", "sum-wrong", "no-length"):
                continue
            yield Attack(
                group="download",
                name=f"{how}{name}",
                argv=line(
                    f"build wikicrem --dump latest --set mirror=http://127.0.0.1:{port}/{how}"
                    f" --limit 1 --data-dir data --out out {W}"
                ),
                setup=setup,
                after=check,
                writes=("out*", "data*"),
            )
    for number, mirror in enumerate(
        ("", "nothing", "ftp://127.0.0.1", "http://", "http://[::1", "file:///etc", "http://\x1b",
         f"http://127.0.0.1:{port}/../..", "http://127.0.0.1:99999", "http://127.0.0.1:1")
    ):  # fmt: skip
        yield Attack(
            group="download",
            name=f"mirror-{number}",
            argv=(*line(f"build wikicrem --dump latest --out out {W} --set"), f"mirror={mirror}"),
            writes=("out*", "data*"),
        )
    for number, date in enumerate(("", "20241399", "latest", "../..", "x", "٢٠٢٤٠١٠١", "-1")):
        yield Attack(
            group="download",
            name=f"date-{number}",
            argv=(
                *line(f"build wikicrem --out out {W} --limit 1 --set"),
                f"mirror=http://127.0.0.1:{port}/right",
                f"--dump={date}",
            ),
            writes=("out*", "data*"),
        )
