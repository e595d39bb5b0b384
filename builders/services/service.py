"""Send POST requests with JSON to a web service: URL and key, deadline, retries, answers.

Only http and https are allowed and no redirect is followed, so that the key goes to no other host
than the one named by the user.
"""

from __future__ import annotations

import html
import json
import math
import os
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote, urlsplit

from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.files.terminal import one_line, shorten

if TYPE_CHECKING:
    import ssl

    import httpx
    import tenacity

TRIES = 6
KEY_VARIABLE = "OPENAI_API_KEY"
_CHAT = "/chat/completions"
_WAIT = 1.0
"""Seconds before the second try, doubled before each further one."""
_LONGEST_WAIT = 600.0
_LARGEST = 64 << 20
"""Most bytes of an answer."""
_LARGEST_REFUSAL = 1600
_LONGEST_HOST = 253
_SAID = 200
_SHORTEST_SECRET = 8
"""Shortest key to look for in answers; a local server is given any short key."""
_PIECE_OF_KEY = 6
"""Number of the key's letters and digits in a row that no error message may show."""
BUSY = (408, 425, 429, 500, 502, 503, 504, 529)
_REMEDIES = {
    401: "check the key in the variable named by --key-variable",
    402: "the account has no credit left",
    403: "check the key, and its rights",
    404: "check that {option} is the service's base URL, and that the service has the model",
    405: "check that {option} is the service's base URL",
    456: "the account's quota is used up",
}
_OF_THE_TEXT = (400, 413, 414, 422)
_GOES_ON = "the same command goes on where this one stopped"
_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_HTML = re.compile(r"\s*<[!a-zA-Z]")
_HOST = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?|[0-9a-f:.]*:[0-9a-f:.]*")
"""A host in ASCII, or the number of one (IPv6), in small letters."""
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)

C = TypeVar("C", "httpx.Client", "httpx.AsyncClient")


class NoUsableAnswer(Exception):
    """The service's answer to one question is unusable; other questions may go well.

    `kind` is a word for the fault, such as no_json; answers are counted by kind.
    """

    def __init__(self, said: str, kind: str = "unusable") -> None:
        super().__init__(said)
        self.kind = kind


class RefusedText(NoUsableAnswer):
    """The service refuses a question, and would again; the message is the service's own.

    `body` is the beginning of the answer. The key may be in it, so it is never shown.
    """

    def __init__(self, said: str, kind: str, body: str = "") -> None:
        super().__init__(said, kind)
        self.body = body


class Busy(Exception):
    """A try failed for a temporary reason; `wait` is the pause asked for by the server."""

    def __init__(self, said: str, *, wait: float = 0.0, kind: str = "") -> None:
        super().__init__(said)
        self.wait, self.kind = wait, kind


def make_retrier(
    tries: int, first_wait: float, sleep: Callable[[float], None] = time.sleep
) -> tenacity.Retrying:
    """Make a caller that repeats a call after `Busy`, with doubled waits, and raises the last."""
    import tenacity

    backoff = tenacity.wait_exponential(multiplier=first_wait)

    def wait(state: tenacity.RetryCallState) -> float:
        busy = state.outcome.exception() if state.outcome else None
        return max(backoff(state), busy.wait if isinstance(busy, Busy) else 0.0)

    return tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(Busy),
        stop=tenacity.stop_after_attempt(tries),
        wait=wait,
        sleep=sleep,
        reraise=True,
    )


def open_client(kind: type[C], **options: Any) -> C:
    """Open an HTTP client of httpx: no compression, certificates of the system and of certifi."""
    import httpx

    headers = {"Accept-Encoding": "identity", **options.pop("headers", {})}
    try:
        return kind(headers=headers, verify=_load_certificates(), **options)
    except (ValueError, ImportError, httpx.InvalidURL):  # the message may hold a password
        raise UsageError(
            "the proxy named by the environment cannot be used",
            remedy="check the variables http_proxy, https_proxy and all_proxy",
        ) from None


@cache
def _load_certificates() -> ssl.SSLContext:
    """Load the certificates of the system and of certifi once, for all clients."""
    import ssl

    import certifi

    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context


def read_retry_after(url: str, headers: Mapping[str, str]) -> float:
    """Read the pause in seconds in a server's header Retry-After; 0 for none.

    Raises `UsageError` for a pause of more than ten minutes.
    """
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
            f"{url} asks to wait {seconds:,.0f} seconds before the next request",
            remedy=f"run the command again later; {_GOES_ON}",
        )
    return seconds if math.isfinite(seconds) else 0.0


@dataclass(slots=True, kw_only=True)
class Service:
    """A web service that answers questions; several threads may use it at once.

    `timeout` is the longest time for a whole answer, in seconds; `option` is the option by which
    the user gave the URL, for error messages.
    """

    url: str
    option: str = "--url"
    headers: Mapping[str, str] = field(repr=False)
    key: str = field(default="", repr=False)
    timeout: float = 60.0
    sleep: Callable[[float], None] = time.sleep

    def post(self, body: Mapping[str, Any]) -> Any:
        """Send a question to the service, with retries; return the answer, parsed as JSON.

        Raises `NoUsableAnswer` for an answer that is not JSON or too long; `RefusedText` if the
        service refuses the question, or fails or hangs on it each time; `UsageError` if the service
        cannot be reached, stays busy, or refuses the key or the URL.
        """
        try:
            return make_retrier(TRIES, _WAIT, self.sleep)(self._try, json.dumps(body))
        except Busy as last:
            if last.kind:
                raise RefusedText(f"the service failed {TRIES} times: {last}", last.kind) from None
            raise UsageError(
                f"{self.url} failed {TRIES} times, the last time: {last}",
                remedy=f"check that the service runs; {_GOES_ON}",
            ) from None

    def _try(self, question: str) -> Any:
        """Send a question once; raise `Busy` for a temporary error."""
        import asyncio

        import httpx

        try:
            status, headers, said = asyncio.run(self._send(question))
        except TimeoutError:
            why = f"no answer for {self.timeout:g} seconds"
            raise Busy(why, kind="time_out") from None
        except httpx.InvalidURL:
            raise UsageError(
                f"{self.option} is not a URL", remedy="give http://HOST or https://HOST"
            ) from None
        except (OSError, httpx.HTTPError) as error:
            raise Busy(self._clean(_find_cause(error))) from None
        if status == 200:
            return self._parse(said)
        # The body of a refusal is never quoted: the server may have echoed the key, or a piece of
        # it, in an unforeseen form.
        why = f"{status} {_PHRASES.get(status, '')}".strip()
        if status in BUSY:
            kind = "server_error" if status == 500 else ""
            raise Busy(why, wait=read_retry_after(self.url, headers), kind=kind)
        if status in _OF_THE_TEXT:
            raise RefusedText(why, "refused", said.decode("utf-8", "replace")[:_SAID])
        if 300 <= status < 400:
            where = self._clean(headers.get("Location") or "nowhere")
            raise UsageError(
                f"{self.url} redirects to {where}, and redirects are not followed",
                remedy=f"give that service's own URL by {self.option}, if you trust it",
            )
        remedy = _REMEDIES.get(status, "see the service's log").format(option=self.option)
        raise UsageError(f"{self.url} refuses: {why}", remedy=f"{remedy}; {_GOES_ON}")

    async def _send(self, question: str) -> tuple[int, Mapping[str, str], bytes]:
        """Send a question; return status, headers and body of the answer.

        Asynchronous, so that the deadline holds for the whole answer, its headers included.
        """
        import asyncio

        import httpx

        headers = {"Content-Type": "application/json", **self.headers}
        said = bytearray()
        async with (
            asyncio.timeout(self.timeout),
            open_client(httpx.AsyncClient, headers=headers, timeout=None) as client,
            client.stream("POST", self.url, content=question) as answer,
        ):
            limit = _LARGEST if answer.status_code == 200 else _LARGEST_REFUSAL
            async for piece in answer.aiter_raw():
                said += piece
                if len(said) > limit:
                    break
            return answer.status_code, answer.headers, bytes(said[: limit + 1])

    def _parse(self, body: bytes) -> Any:
        """Parse an answer as JSON; raise `NoUsableAnswer` for other text and for the key in it."""
        key = self.key
        if len(body) > _LARGEST:
            raise NoUsableAnswer(f"the answer is longer than {_LARGEST >> 20} MiB", "too_long")
        text = body.decode("utf-8", "replace")
        if len(key) >= _SHORTEST_SECRET and _strip_encodings(key) in _strip_encodings(text):
            raise NoUsableAnswer("the answer has the key in it", "shows_key")
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            found = f"{len(body):,} bytes" + (", HTML" if _HTML.match(text) else "")
            raise NoUsableAnswer(f"the answer is not JSON but {found}", "no_json") from error

    def _clean(self, message: str) -> str:
        """Shorten a service's message to one line; hide a message with a piece of the key."""
        if self.key:
            key, text = _strip_encodings(self.key), _strip_encodings(message)
            for start in range(max(1, len(key) - _PIECE_OF_KEY + 1)):
                if key[start : start + _PIECE_OF_KEY] in text:
                    return "[not shown, since the key is in it]"
        return shorten(one_line(message), _SAID)


def _strip_encodings(text: str) -> str:
    """Decode a text (JSON, percent, HTML) down to letters and digits, to find an echoed key."""
    for _ in range(2):
        text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
        text = html.unescape(unquote(text))
    return re.sub(r"[\W_]", "", text).casefold()


def _find_cause(error: BaseException) -> str:
    """Find the message of the first cause of an error, such as httpx's failure to connect."""
    for cause in (error.__cause__, *error.args[:1], *getattr(error, "exceptions", ())):
        if isinstance(cause, BaseException):
            return _find_cause(cause)
    if isinstance(error, ConnectionError) and error.errno:
        return os.strerror(error.errno)
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def check_url(url: str, option: str = "--url") -> str:
    """Check a service's base URL, given by `option`; return the URL without its last slash.

    Raises `UsageError` for a URL that is not http or https, has no host, or has a name, password or
    query in it; the message does not show these.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise UsageError(f"{option} is not a URL such as http://localhost:8000/v1") from None
    odd = re.search(r"[\s\x00-\x1f]", url) or not parts.path.isascii()
    if parts.scheme not in ("http", "https") or not host or odd:
        raise UsageError(f"{option} is not the URL of a service", remedy="give http(s)://HOST/PATH")
    if not _HOST.fullmatch(host) or len(host) > _LONGEST_HOST:
        raise UsageError(
            f"{option} is not a URL: the host is not a name in ASCII",
            remedy="write a host such as bücher.example as xn--bcher-kva.example",
        )
    if parts.username is not None or parts.query or parts.fragment:
        raise UsageError(
            f"{option} has a name, password or query in it, which would be written to the card",
            remedy="put the key into a variable of the environment (--key-variable)",
        )
    return url.rstrip("/")


def read_key(variable: str) -> str:
    """Read the service's key from a variable of the environment; "" for an unset variable."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable):
        # The value is not shown, since it may be the key itself.
        raise UsageError(
            "--key-variable is not the name of a variable",
            remedy="name the environment variable that holds the key",
        )
    key = os.environ.get(variable, "").strip()
    if not key.isascii() or not key.isprintable():
        raise UsageError(f"the value of {variable} cannot be a key: it is not printable ASCII")
    return key


def make_chat_url(base: str) -> str:
    """Make the URL for chat questions from a base URL such as http://localhost:8000/v1."""
    return base if base.endswith(_CHAT) else base + _CHAT


def make_bearer_header(key: str) -> Mapping[str, str]:
    """Make the header with the key as bearer token; none for the key ""."""
    return {"Authorization": f"Bearer {key}"} if key else {}


def read_message(reply: Any) -> str:
    """Read the message in a chat answer; raise `NoUsableAnswer` if it is missing or cut off."""
    try:
        choice = reply["choices"][0]
        content = choice["message"]["content"]
    except (LookupError, TypeError) as error:
        raise NoUsableAnswer("the answer has no message", "no_message") from error
    if choice.get("finish_reason") == "length":
        raise NoUsableAnswer("the answer was cut off", "cut_off")
    if not isinstance(content, str):
        raise NoUsableAnswer("the answer has no message", "no_message")
    return content


def parse_json_object(content: str, key: str) -> dict[str, Any]:
    """Parse a message as a JSON object with the given key, in a fenced code block or not.

    Raises `NoUsableAnswer` for any other message, and for an object with one key twice.
    """

    def take_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a key comes twice")
        return dict(pairs)

    fenced = _FENCED.fullmatch(content)
    try:
        made = json.loads(fenced[1] if fenced else content, object_pairs_hook=take_once)
        made[key]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise NoUsableAnswer(
            f'the message is not the JSON {{"{key}": ...}}', "not_the_json"
        ) from error
    assert isinstance(made, dict)
    return made
