"""Ask a language model behind OpenAI's chat completions: vLLM, llama.cpp, Ollama, a vendor's.

One text goes in a request, and several requests at once.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from corefmill.builders.services.answers import ask_in_threads
from corefmill.builders.services.service import (
    KEY_VARIABLE,
    NoUsableAnswer,
    RefusedText,
    Service,
    check_url,
    make_bearer_header,
    make_chat_url,
    parse_json_object,
    read_key,
    read_message,
)
from corefmill.builders.translate.engines.protocol import TranslatorRequest
from corefmill.corpora import languages
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.terminal import one_line, shorten

AT_ONCE = 4
TIMEOUT = 60.0
_TRIES = 3
"""Requests for a text whose answers cannot be used."""
_NOT_EVERYWHERE = ("response_format", "seed")
"""Settings that some servers refuse by name; they translate without them."""


class ChatTranslator:
    """Asks for one text by one message, at temperature 0 and with a seed; see `AnsweringEngine`.

    Raises `UsageError` where the URL or the variable of the key is wrong.
    """

    def __init__(
        self, asked: TranslatorRequest, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        base = check_url(asked.url or "")
        self._model = asked.model or ""
        self._left_out: frozenset[str] = frozenset()
        self.source, self.target = asked.source, asked.target
        system: str = disk.read_package_table(__file__, "chat")["system"]
        self._system = system.strip().format(
            source=languages.language_name(asked.source),
            target=languages.language_name(asked.target),
        )
        key, url = read_key(KEY_VARIABLE), make_chat_url(base)
        self._service = Service(
            url=url,
            headers=make_bearer_header(key),
            key=key,
            timeout=asked.timeout or TIMEOUT,
            sleep=sleep,
        )
        self.name = f"openai {self._model} at {urlsplit(base).netloc}"
        # All that a translation depends on besides the text.
        settings = {"system": self._system, "temperature": 0, "seed": 0}
        decides = json.dumps([url, settings], sort_keys=True).encode()
        self.fingerprint = f"{self.name} {hashlib.blake2b(decides, digest_size=8).hexdigest()}"

    def answers(self, texts: Sequence[str]) -> Iterator[tuple[str, str | DataError]]:
        """Yield answers as the protocol says, from threads that end with the last answer."""
        yield from ask_in_threads(texts, self._translate_one, AT_ONCE)

    def _translate_one(self, text: str) -> str:
        """Ask the service for one translation, again after an unreadable answer."""
        attempt, why = 0, ""
        while attempt < _TRIES:
            body = {
                "model": self._model,
                "messages": [
                    {"role": "system", "content": self._system},
                    {"role": "user", "content": text},
                ],
                "temperature": 0,
                "seed": attempt,  # the same seed would give the same answer
                "response_format": {"type": "json_object"},
            }
            question = {name: body[name] for name in body if name not in self._left_out}
            try:
                made = self._read_answer(self._service.post(question))
                if made:
                    return made
                why = "its answer is empty"
            except RefusedText as refused:
                # If the server names an unknown setting, ask again without the setting.
                named = {one for one in _NOT_EVERYWHERE if one in question and one in refused.body}
                self._left_out |= named
                why = str(refused)
                if not named:
                    break
                continue
            except NoUsableAnswer as unusable:
                why = str(unusable)
            attempt += 1
        raise DataError(
            f"{self.name} gives no translation of {shorten(text)}: {why}",
            remedy="leave the text out, or name another translator by --translator",
        )

    def _read_answer(self, reply: Any) -> str:
        """Read the translation in the JSON of the first choice's message."""
        made = parse_json_object(read_message(reply), "translation")["translation"]
        if not isinstance(made, str):
            raise NoUsableAnswer("its message has no text as translation")
        return one_line(made)
