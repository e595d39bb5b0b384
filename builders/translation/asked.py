"""A translator that is a web service: one text a request, several requests at once."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from corefmill.builders.services.at_once import answered
from corefmill.builders.services.endpoint import key_of
from corefmill.builders.services.pace import RequestPace
from corefmill.builders.services.service import (
    NoUsableAnswer,
    RefusedText,
    Service,
    ServiceSettings,
)
from corefmill.builders.translation.protocol import translated
from corefmill.builders.translation.request import TranslatorRequest
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.printable import one_line, shown

AT_ONCE = 4
TIMEOUT = 60.0
_TRIES = 3
"""Times that a text is asked for whose answer is none that can be used."""
_STUBBORN = 5
"""Texts that may fail one after the other before the service is taken to be broken."""


class TranslationApi(Protocol):
    """How one kind of service is asked, and what it answers."""

    @property
    def name(self) -> str:
        """The translator's name, for cards and errors."""

    @property
    def url(self) -> str:
        """Where questions are sent."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """All that decides a translation besides the text, for the cache's key."""

    def headers(self, key: str) -> Mapping[str, str]:
        """The headers of a question, with the key if it has its place there ("" for none)."""

    def question(self, text: str, key: str, attempt: int) -> dict[str, Any]:
        """What is sent; another `attempt` may get another answer."""

    def answer(self, said: Any) -> str:
        """The translation in an answer; raises `NoUsableAnswer` where it has none."""

    def adapts(self, question: Mapping[str, Any], why: str) -> bool:
        """Whether it asks otherwise from now on, after a question that was refused."""


class ServiceTranslator:
    """Asks a service; see `AnsweringTranslator`.

    The key is that of the variable that the request names, else of `key_variable`. Raises
    `UsageError` for one that cannot be.
    """

    def __init__(
        self,
        api: TranslationApi,
        asked: TranslatorRequest,
        *,
        key_variable: str,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._api = api
        self._key = key_of(asked.key_variable or key_variable)
        pace = None
        if asked.requests_per_minute is not None:
            pace = RequestPace(asked.requests_per_minute, asked.cache)
        settings = ServiceSettings(
            url=api.url,
            headers={"Content-Type": "application/json", **api.headers(self._key)},
            key=self._key,
            timeout=asked.timeout or TIMEOUT,
            pace=pace,
            sleep=sleep,
        )
        self._service = Service(settings)
        self._at_once = asked.at_once or AT_ONCE
        self.source, self.target = asked.source, asked.target
        self.name = api.name
        decides = json.dumps([api.url, dict(api.settings)], sort_keys=True).encode()
        self.fingerprint = f"{api.name} {hashlib.blake2b(decides, digest_size=8).hexdigest()}"

    def translate(self, texts: Sequence[str]) -> list[str]:
        """As the protocol has it."""
        return translated(self, texts)

    def answers(self, texts: Sequence[str]) -> Iterator[tuple[str, str | DataError]]:
        """As the protocol has it; several threads ask, which end with the last text."""
        failed = 0
        for text, made in answered(texts, self._one, self._at_once):
            failed = failed + 1 if isinstance(made, DataError) else 0
            if isinstance(made, DataError) and failed == _STUBBORN:
                raise UsageError(
                    f"{self.name} fails on text after text: {made.message}",
                    remedy="see that it runs, and that it is asked for what it can do",
                ) from made
            yield text, made

    def _one(self, text: str) -> str:
        attempt, why = 0, ""
        while attempt < _TRIES:
            question = self._api.question(text, self._key, attempt)
            try:
                made = one_line(self._api.answer(self._service.post(question)))
                if made:
                    return made
                why = "its answer is empty"
            except RefusedText as refused:
                why = str(refused)
                if not self._api.adapts(question, why):
                    break
                continue
            except NoUsableAnswer as unusable:
                why = str(unusable)
            attempt += 1
        raise DataError(
            f"{self.name} gives no translation of {shown(text)}: {why}",
            remedy="leave the text out, or translate with another (--translator)",
        )
