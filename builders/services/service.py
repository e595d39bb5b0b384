"""A web service for POST requests with JSON: URL and key, deadline, retries, answers.

Nothing but http and https is spoken and no redirect is followed, so that the key goes to the host
that the user named and to no other.
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
"""Seconds before the second try, and twice as long before each of the next."""
_LONGEST_WAIT = 600.0
_LARGEST = 64 << 20
"""Bytes of an answer."""
_LARGEST_REFUSAL = 1600
_SAID = 200
_SHORTEST_SECRET = 8
"""Characters of a key that is worth looking for; a server on one's own machine is given any."""
_PIECE_OF_KEY = 6
"""Letters and digits of a key that no error may quote in a row."""
BUSY = (408, 425, 429, 500, 502, 503, 504, 529)
_REMEDIES = {
    401: "see that the key is right, and that the variable of --key-variable holds it",
    402: "the account has no credit left",
    403: "see that the key is right, and that it may do this",
    404: "see that {option} is the service's base URL, and that it has the model",
    405: "see that {option} is the service's base URL",
    456: "the account's quota is used up",
}
_OF_THE_TEXT = (400, 413, 414, 422)
_GOES_ON = "the same command goes on where this one stopped"
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)

C = TypeVar("C", "httpx.Client", "httpx.AsyncClient")


class NoUsableAnswer(Exception):
    """An unusable answer of the service; another question may fare better.

    `kind` is a word for what is wrong, which answers are counted by.
    """

    def __init__(self, said: str, kind: str = "unusable") -> None:
        super().__init__(said)
        self.kind = kind


class RefusedText(NoUsableAnswer):
    """A refused question, which would be refused again; the message is the service's own.

    `body` is the beginning of what it says, in which the key may stand: it is never shown.
    """

    def __init__(self, said: str, kind: str, body: str = "") -> None:
        super().__init__(said, kind)
        self.body = body


class Busy(Exception):
    """A try failed and the next may not, after `wait` seconds if the server asked for them."""

    def __init__(self, said: str, *, wait: float = 0.0, kind: str = "") -> None:
        super().__init__(said)
        self.wait, self.kind = wait, kind


def retrying(
    tries: int, first_wait: float, sleep: Callable[[float], None] = time.sleep
) -> tenacity.Retrying:
    """Repeat calls after `Busy`, with doubled waits; the last `Busy` is raised."""
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
    """Open a client of httpx: no compression, certificates of the system and of certifi."""
    import httpx

    headers = {"Accept-Encoding": "identity", **options.pop("headers", {})}
    try:
        return kind(headers=headers, verify=_certificates(), **options)
    except (ValueError, ImportError, httpx.InvalidURL):  # its message may hold a password
        raise UsageError(
            "the proxy that the environment names cannot be used",
            remedy="see the variables http_proxy, https_proxy and all_proxy",
        ) from None


@cache
def _certificates() -> ssl.SSLContext:
    import ssl

    import certifi

    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context


def asked_to_wait(url: str, headers: Mapping[str, str]) -> float:
    """Read the seconds of Retry-After; 0 where there are none.

    Raises `UsageError` for a wait that nobody would sit through.
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
            f"{url} asks to be left alone for {seconds:,.0f} seconds",
            remedy=f"come back later; {_GOES_ON}",
        )
    return seconds if math.isfinite(seconds) else 0.0


@dataclass(slots=True, kw_only=True)
class Service:
    """A service for questions; may be used by several threads at once.

    `timeout` is the seconds of a whole answer; `option` is how the user gave the URL, for remedies.
    """

    url: str
    option: str = "--url"
    headers: Mapping[str, str] = field(repr=False)
    key: str = field(default="", repr=False)
    timeout: float = 60.0
    sleep: Callable[[float], None] = time.sleep

    def post(self, body: Mapping[str, Any]) -> Any:
        """Ask the service; return its answer, read as JSON.

        Raises `NoUsableAnswer` where that is none, or too long; `RefusedText` where the service
        does not take what it was asked, or fails or hangs on it each time; `UsageError` where it
        cannot be reached, is busy however often it is tried, or wants another key or URL.
        """
        try:
            return retrying(TRIES, _WAIT, self.sleep)(self._try, json.dumps(body))
        except Busy as last:
            if last.kind:
                raise RefusedText(f"it failed {TRIES} times: {last}", last.kind) from None
            raise UsageError(
                f"{self.url} failed {TRIES} times, the last time: {last}",
                remedy=f"see that it runs; {_GOES_ON}",
            ) from None

    def _try(self, question: str) -> Any:
        import asyncio

        import httpx

        try:
            status, headers, said = asyncio.run(self._send(question))
        except TimeoutError:
            why = f"no answer for {self.timeout:g} seconds"
            raise Busy(why, kind="time_out") from None
        except httpx.InvalidURL:
            raise UsageError(f"{self.option} is no URL of a service") from None
        except (OSError, httpx.HTTPError) as error:
            raise Busy(self._clean(_reason(error))) from None
        if status == 200:
            return self._read(said)
        text = said.decode("utf-8", "replace")
        # What stands in a refusal of the key is most likely the key.
        why = f"{status}" if status in (401, 403) else f"{status} {self._clean(text)}"
        if status in BUSY:
            kind = "server_error" if status == 500 else ""
            raise Busy(why, wait=asked_to_wait(self.url, headers), kind=kind)
        if status in _OF_THE_TEXT:
            raise RefusedText(why, "refused", text[:_SAID])
        if 300 <= status < 400:
            where = self._clean(headers.get("Location") or "nowhere")
            raise UsageError(
                f"{self.url} redirects to {where}, and redirects are not followed",
                remedy=f"give that service's own URL by {self.option}, if you trust it",
            )
        remedy = _REMEDIES.get(status, "see what it says").format(option=self.option)
        raise UsageError(f"{self.url} refuses: {why}", remedy=f"{remedy}; {_GOES_ON}")

    async def _send(self, question: str) -> tuple[int, Mapping[str, str], bytes]:
        """Ask once. Asynchronous, since only so the deadline is one of the whole answer, headers
        included, however slowly they drip in."""
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

    def _read(self, said: bytes) -> Any:
        key = self.key
        if len(said) > _LARGEST:
            raise NoUsableAnswer(f"its answer is longer than {_LARGEST >> 20} MiB", "too_long")
        text = said.decode("utf-8", "replace")
        if len(key) >= _SHORTEST_SECRET and _bare(key) in _bare(text):
            raise NoUsableAnswer("its answer holds the key that it was given", "shows_key")
        try:
            return json.loads(said)
        except (ValueError, RecursionError) as error:
            text = self._clean(text[:_LARGEST_REFUSAL])
            raise NoUsableAnswer(f"its answer is no JSON: {text}", "no_json") from error

    def _clean(self, said: str) -> str:
        """Shorten the service's message to one line without any piece of the key."""
        if self.key:
            key, text = _bare(self.key), _bare(said)
            for start in range(max(1, len(key) - _PIECE_OF_KEY + 1)):
                if key[start : start + _PIECE_OF_KEY] in text:
                    return "[not shown, since it holds the key]"
        return shorten(one_line(said), _SAID)


def _bare(said: str) -> str:
    """Undo encodings of an echoed key, down to its letters and digits."""
    for _ in range(2):
        said = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), said)
        said = html.unescape(unquote(said))
    return re.sub(r"[\W_]", "", said).casefold()


def _reason(error: BaseException) -> str:
    """Return the message of the first cause, hidden behind httpx's failure to connect."""
    for cause in (error.__cause__, *error.args[:1], *getattr(error, "exceptions", ())):
        if isinstance(cause, BaseException):
            return _reason(cause)
    if isinstance(error, ConnectionError) and error.errno:
        return os.strerror(error.errno)
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def check_url(url: str, option: str = "--url") -> str:
    """Check a service's base URL, given by `option`; return it without its last slash.

    Raises `UsageError` for one that is not http or https, has no host, or holds what may be
    secret, and does not show that.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
        host and host.encode("idna")
    except ValueError:
        raise UsageError(f"{option} is no URL", remedy="such as http://localhost:8000/v1") from None
    odd = re.search(r"[\s\x00-\x1f]", url) or not parts.path.isascii()
    if parts.scheme not in ("http", "https") or not host or odd:
        raise UsageError(
            f"{option} is no URL of a service", remedy="http://HOST or https://HOST, and its path"
        )
    if parts.username is not None or parts.query or parts.fragment:
        raise UsageError(
            f"{option} may hold no name, password or query, which would be written to the card",
            remedy="put the key into the environment (--key-variable)",
        )
    return url.rstrip("/")


def key_of(variable: str) -> str:
    """Read the key from a variable of the environment, "" where there is none."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable):
        # It is not shown: somebody may have given the key itself.
        raise UsageError(
            "--key-variable is no name of a variable", remedy="put the key into the environment"
        )
    key = os.environ.get(variable, "").strip()
    if not key.isascii() or not key.isprintable():
        raise UsageError(f"the variable {variable} holds what cannot be a key")
    return key


def chat_url(base: str) -> str:
    """Where questions go, of a base URL such as http://localhost:8000/v1, or of the whole."""
    return base if base.endswith(_CHAT) else base + _CHAT


def bearer(key: str) -> Mapping[str, str]:
    """The header with the key as OAuth's bearer token; none for the key ""."""
    return {"Authorization": f"Bearer {key}"} if key else {}


def message(said: Any) -> str:
    """The first choice's message; raises `NoUsableAnswer` where there is none, or only a part."""
    try:
        choice = said["choices"][0]
        content = choice["message"]["content"]
    except (LookupError, TypeError) as error:
        raise NoUsableAnswer("its answer has no message", "no_message") from error
    if choice.get("finish_reason") == "length":
        raise NoUsableAnswer("its answer was cut off", "cut_off")
    if not isinstance(content, str):
        raise NoUsableAnswer("its answer has no message", "no_message")
    return content


def json_object(content: str, key: str) -> dict[str, Any]:
    """Read a message as a JSON object with a key, fenced or not.

    Raises `NoUsableAnswer` for anything else, and where a key stands twice.
    """

    def take_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a key twice")
        return dict(pairs)

    fenced = _FENCED.fullmatch(content)
    try:
        made = json.loads(fenced[1] if fenced else content, object_pairs_hook=take_once)
        made[key]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise NoUsableAnswer(
            f'its message is not the JSON {{"{key}": ...}}', "not_the_json"
        ) from error
    assert isinstance(made, dict)
    return made
