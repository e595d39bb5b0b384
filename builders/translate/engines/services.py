"""Ask web services for one text a request, several requests at once.

`openai` is a language model behind an OpenAI-compatible endpoint: vLLM, llama.cpp, Ollama, a
vendor's. `http` is LibreTranslate's API.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from corefmill.builders.services.answers import answered
from corefmill.builders.services.service import (
    KEY_VARIABLE,
    NoUsableAnswer,
    RefusedText,
    Service,
    bearer,
    chat_url,
    check_url,
    json_object,
    key_of,
    message,
)
from corefmill.builders.translate.engines.protocol import TranslatorRequest, translate_each
from corefmill.corpora import languages
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.terminal import one_line, shorten

AT_ONCE = 4
TIMEOUT = 60.0
_TRIES = 3
"""Times that a text is asked for whose answer is none that can be used."""
_STUBBORN = 5
"""Texts that may fail one after the other before the service is taken to be broken."""
_NOT_EVERYWHERE = ("response_format", "seed")
"""What some servers of chats do not know and refuse by name; without it they translate as well."""


class ServiceTranslator:
    """Asks a service; see `AnsweringTranslator`.

    Args:
        asked: the request.
        key_variable: the environment's variable with the service's key.
        url: where questions are sent.
        name: for cards and errors.
        settings: all that decides a translation besides the text, for the cache's key.
        headers: those with the key, if it has its place there.

    Raises:
        UsageError: the request cannot be.
    """

    def __init__(
        self,
        asked: TranslatorRequest,
        *,
        url: str,
        name: str,
        settings: Mapping[str, Any],
        key_variable: str,
        headers: Callable[[str], Mapping[str, str]] = lambda key: {},
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._key = key_of(key_variable)
        self._service = Service(
            url=url,
            headers=headers(self._key),
            key=self._key,
            timeout=asked.timeout or TIMEOUT,
            sleep=sleep,
        )
        self.source, self.target = asked.source, asked.target
        self.name = name
        decides = json.dumps([url, dict(settings)], sort_keys=True).encode()
        self.fingerprint = f"{name} {hashlib.blake2b(decides, digest_size=8).hexdigest()}"

    def translate(self, texts: Sequence[str]) -> list[str]:
        """As the protocol has it."""
        return translate_each(self, texts)

    def answers(self, texts: Sequence[str]) -> Iterator[tuple[str, str | DataError]]:
        """As the protocol has it; several threads ask, which end with the last text."""
        failed = 0
        for text, made in answered(texts, self._one, AT_ONCE):
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
            question = self._question(text, attempt)
            try:
                made = one_line(self._answer(self._service.post(question)))
                if made:
                    return made
                why = "its answer is empty"
            except RefusedText as refused:
                why = str(refused)
                if not self._adapts(question, refused.body):
                    break
                continue
            except NoUsableAnswer as unusable:
                why = str(unusable)
            attempt += 1
        raise DataError(
            f"{self.name} gives no translation of {shorten(text)}: {why}",
            remedy="leave the text out, or translate with another (--translator)",
        )

    def _question(self, text: str, attempt: int) -> dict[str, Any]:
        """Build the request; another `attempt` may get another answer."""
        raise NotImplementedError

    def _answer(self, said: Any) -> str:
        """The translation in an answer; raises `NoUsableAnswer` where it has none."""
        raise NotImplementedError

    def _adapts(self, question: Mapping[str, Any], refusal: str) -> bool:
        """Whether it asks otherwise from now on, after a question that was refused."""
        return False


class ChatTranslator(ServiceTranslator):
    """Asks for one text by one message, at temperature 0 and with a seed."""

    def __init__(
        self, asked: TranslatorRequest, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        base = check_url(asked.url or "")
        self._model = asked.model or ""
        system: str = disk.read_package_table(__file__, "chat")["system"]
        self._system = system.strip().format(
            source=languages.language_name(asked.source),
            target=languages.language_name(asked.target),
        )
        self._left_out: frozenset[str] = frozenset()
        super().__init__(
            asked,
            url=chat_url(base),
            name=f"openai {self._model} at {urlsplit(base).netloc}",
            settings={"system": self._system, "temperature": 0, "seed": 0},
            key_variable=KEY_VARIABLE,
            headers=bearer,
            sleep=sleep,
        )

    def _question(self, text: str, attempt: int) -> dict[str, Any]:
        """A chat of two messages; the seed is the attempt, since the same would answer the same."""
        body = {
            "model": self._model,
            "messages": [
                {"role": "system", "content": self._system},
                {"role": "user", "content": text},
            ],
            "temperature": 0,
            "seed": attempt,
            "response_format": {"type": "json_object"},
        }
        return {name: value for name, value in body.items() if name not in self._left_out}

    def _answer(self, said: Any) -> str:
        """The translation in the JSON of the first choice's message."""
        made = json_object(message(said), "translation")["translation"]
        if not isinstance(made, str):
            raise NoUsableAnswer("its message has no text as translation")
        return made

    def _adapts(self, question: Mapping[str, Any], refusal: str) -> bool:
        """Leaves out what the refusal names, where that may be left out."""
        named = {name for name in _NOT_EVERYWHERE if name in question and name in refusal}
        self._left_out |= named
        return bool(named)


class LibreTranslator(ServiceTranslator):
    """Asks LibreTranslate's POST /translate, with the key in the body."""

    def __init__(
        self, asked: TranslatorRequest, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        base = check_url(asked.url or "")
        super().__init__(
            asked,
            url=base if base.endswith("/translate") else f"{base}/translate",
            name=f"libretranslate at {urlsplit(base).netloc}",
            settings={"source": asked.source, "target": asked.target},
            key_variable="LIBRETRANSLATE_API_KEY",
            sleep=sleep,
        )

    def _question(self, text: str, attempt: int) -> dict[str, Any]:
        """One text as it is, without markup."""
        body = {"q": text, "source": self.source, "target": self.target, "format": "text"}
        return {**body, "api_key": self._key} if self._key else body

    def _answer(self, said: Any) -> str:
        """The one translation."""
        made = said.get("translatedText") if isinstance(said, dict) else None
        if not isinstance(made, str):
            raise NoUsableAnswer("its answer has no translatedText that is one text")
        return made
