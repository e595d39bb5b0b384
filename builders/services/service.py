"""A web service that is asked by POST with JSON: deadlines, retries, pace; the key is never shown.

Nothing but http and https is spoken and no redirect is followed, so that the key goes to the host
that the user named and to no other.
"""

from __future__ import annotations

import http.client
import json
import math
import re
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import (
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    Request,
    build_opener,
)

from corefmill.builders.services.pace import RequestPace
from corefmill.corpora.errors import UsageError
from corefmill.corpora.printable import one_line, shown

TRIES = 6
_WAIT = 1.0
"""Seconds before the second try, and twice as long before each of the next."""
_LONGEST_WAIT = 600.0
_LARGEST = 4 << 20
"""Bytes of an answer."""
_SAID = 200
_SHORTEST_SECRET = 8
"""Characters of a key that is worth looking for; a server on one's own machine is given any."""
_BUSY = (408, 425, 429, 502, 503, 504, 529)
_REMEDIES = {
    401: "see that the key is right, and that the variable of --key-variable holds it",
    402: "the account has no credit left",
    403: "see that the key is right, and that it may do this",
    404: "see that {option} is the service's base URL, and that it has the model",
    405: "see that {option} is the service's base URL",
    456: "the account's quota is used up",
}
_OF_THE_TEXT = (400, 413, 414, 422, 500)
_GOES_ON = "the same command goes on where this one stopped"


class NoUsableAnswer(Exception):
    """The service answers, but not with what it was asked for; another question may fare better.

    `kind` is a word for what is wrong, which answers are counted by.
    """

    def __init__(self, said: str, kind: str = "unusable") -> None:
        super().__init__(said)
        self.kind = kind


class RefusedText(NoUsableAnswer):
    """The service fails on what it was asked, and will again; the message is what it says."""


@dataclass(slots=True, kw_only=True)
class ServiceSettings:
    """Whom to ask and how: `timeout` is in seconds for a whole answer, `pace` for all processes.

    `option` is how the user gave the URL, for remedies.
    """

    url: str
    option: str = "--url"
    headers: Mapping[str, str] = field(repr=False)
    key: str = field(default="", repr=False)
    timeout: float = 60.0
    pace: RequestPace | None = None
    sleep: Callable[[float], None] = time.sleep


class Service:
    """Sends questions and reads answers; may be used by several threads at once."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._settings = settings

    def post(self, body: Mapping[str, Any]) -> Any:
        """What the service answers, read as JSON.

        Raises `NoUsableAnswer` where that is none, or too long; `RefusedText` where the service
        does not take what it was asked, or fails or hangs on it each time; `UsageError` where it
        cannot be reached, is busy however often it is tried, or wants another key or URL.
        """
        data = json.dumps(body).encode()
        why, wait, late, failed = "", 0.0, False, False
        for attempt in range(TRIES):
            if attempt:
                self._settings.sleep(wait)
            if self._settings.pace is not None:
                self._settings.pace.wait()
            wait = _WAIT * 2**attempt
            late = failed = False
            try:
                status, headers, said = self._send(data)
                if status == 200:
                    return self._read(said)
            except TimeoutError:
                why, late = f"no answer for {self._settings.timeout:g} seconds", True
                continue
            except (OSError, http.client.HTTPException) as error:
                why = self._clean(_reason(error))
                continue
            why = f"{status} {self._clean(said.decode('utf-8', 'replace'))}".strip()
            if status not in _BUSY and status != 500:
                raise self._refusal(status, why, headers)
            failed = status == 500
            wait = max(wait, self._asked_to_wait(headers))
        if late or failed:
            kind = "time_out" if late else "server_error"
            raise RefusedText(f"it failed {TRIES} times: {why}", kind)
        raise UsageError(
            f"{self._settings.url} failed {TRIES} times, the last time: {why}",
            remedy=f"see that it runs; {_GOES_ON}",
        )

    def _send(self, data: bytes) -> tuple[int, Message, bytes]:
        request = Request(self._settings.url, data, dict(self._settings.headers), method="POST")
        with _Watch(self._settings.timeout) as watch:
            try:
                with watch.opener().open(request, timeout=self._settings.timeout) as answer:
                    return answer.status, answer.headers, answer.read(_LARGEST + 1)
            except HTTPError as error:
                with error:
                    return error.code, error.headers, error.read(_SAID * 8)
            except URLError as error:
                # A cause that is an error itself says what it is by its class.
                raise error.reason if isinstance(error.reason, OSError) else error from None

    def _read(self, said: bytes) -> Any:
        key = self._settings.key
        if len(said) > _LARGEST:
            raise NoUsableAnswer(f"its answer is longer than {_LARGEST >> 20} MiB", "too_long")
        if len(key) >= _SHORTEST_SECRET and key.encode() in said:
            raise NoUsableAnswer("its answer holds the key that it was given", "shows_key")
        try:
            return json.loads(said)
        except (ValueError, RecursionError) as error:
            text = self._clean(said.decode("utf-8", "replace"))
            raise NoUsableAnswer(f"its answer is no JSON: {text}", "no_json") from error

    def _refusal(self, status: int, why: str, headers: Message) -> Exception:
        if status in _OF_THE_TEXT:
            return RefusedText(why, "refused")
        if 300 <= status < 400:
            where = self._clean(headers.get("Location") or "nowhere")
            return UsageError(
                f"{self._settings.url} redirects to {where}, and redirects are not followed",
                remedy=f"give that service's own URL by {self._settings.option}, if you trust it",
            )
        remedy = _REMEDIES.get(status, "see what it says").format(option=self._settings.option)
        return UsageError(f"{self._settings.url} refuses: {why}", remedy=f"{remedy}; {_GOES_ON}")

    def _asked_to_wait(self, headers: Message) -> float:
        """Seconds, as the answer's Retry-After has it; 0 where it has none that can be read."""
        value = headers.get("Retry-After") or ""
        seconds = 0.0
        with suppress(ValueError, TypeError, OverflowError):
            seconds = (
                float(value)
                if re.fullmatch(r"[0-9.]{1,20}", value)
                else parsedate_to_datetime(value).timestamp() - time.time()
            )
        if seconds > _LONGEST_WAIT:
            raise UsageError(
                f"{self._settings.url} asks to be left alone for {seconds:,.0f} seconds",
                remedy=f"come back later; {_GOES_ON}",
            )
        return seconds if math.isfinite(seconds) else 0.0

    def _clean(self, said: str) -> str:
        """What is shown of something that the service said: one line without the key."""
        key = self._settings.key
        return shown(one_line(said.replace(key, "[key]") if key else said), _SAID)


def _reason(error: Exception) -> str:
    named = getattr(error, "strerror", None) or str(error)
    return named or type(error).__name__


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class _Watch:
    """Ends a request after so many seconds, however slowly its answer drips in."""

    def __init__(self, seconds: float) -> None:
        self._sockets: list[socket.socket] = []
        self._ended = False
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> _Watch:
        self._timer.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._timer.cancel()
        if self._ended:
            raise TimeoutError from error

    def opener(self) -> OpenerDirector:
        """What opens URLs, by connections that are watched."""
        watch = self

        class Plain(http.client.HTTPConnection):
            def connect(self) -> None:
                super().connect()
                watch.take(self.sock)

        class Secure(http.client.HTTPSConnection):
            def connect(self) -> None:
                super().connect()
                watch.take(self.sock)

        class PlainHandler(HTTPHandler):
            def http_open(self, req: Request) -> http.client.HTTPResponse:
                return self.do_open(Plain, req)

        class SecureHandler(HTTPSHandler):
            def https_open(self, req: Request) -> http.client.HTTPResponse:
                return self.do_open(Secure, req)

        return build_opener(_NoRedirect, PlainHandler, SecureHandler)

    def take(self, connection: socket.socket) -> None:
        self._sockets.append(connection)
        if self._ended:
            self._end()

    def _end(self) -> None:
        self._ended = True
        for connection in self._sockets:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
