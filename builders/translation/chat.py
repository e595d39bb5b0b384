"""Language models behind an OpenAI-compatible endpoint: vLLM, llama.cpp, Ollama, a vendor's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from corefmill.builders.services.chat import bearer, chat_url, json_object, message
from corefmill.builders.services.endpoint import checked_url
from corefmill.builders.services.service import NoUsableAnswer
from corefmill.builders.translation.request import TranslatorRequest
from corefmill.corpora import beside, languages

_NOT_EVERYWHERE = ("response_format", "seed")
"""What some servers do not know and refuse by name; without it they translate as well."""


class ChatApi:
    """Asks for one text by one message, at temperature 0 and with a seed; see `TranslationApi`."""

    def __init__(self, asked: TranslatorRequest) -> None:
        base = checked_url(asked.url or "")
        self._model = asked.model or ""
        self.url = chat_url(base)
        self.name = f"openai {self._model} at {urlsplit(base).netloc}"
        system: str = beside.table(__file__, "chat")["system"]
        self._system = system.strip().format(
            source=languages.name(asked.source), target=languages.name(asked.target)
        )
        self._left_out: frozenset[str] = frozenset()

    @property
    def settings(self) -> Mapping[str, Any]:
        """The whole of a question but for its text."""
        return {"system": self._system, "temperature": 0, "seed": 0}

    def headers(self, key: str) -> Mapping[str, str]:
        """The key as OAuth's bearer token."""
        return bearer(key)

    def question(self, text: str, key: str, attempt: int) -> dict[str, Any]:
        """A chat of two messages; the seed is the attempt, since the same would answer the same."""
        del key
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

    def answer(self, said: Any) -> str:
        """The translation in the JSON of the first choice's message."""
        made = json_object(message(said), "translation")["translation"]
        if not isinstance(made, str):
            raise NoUsableAnswer("its message has no text as translation")
        return made

    def adapts(self, question: Mapping[str, Any], why: str) -> bool:
        """Leaves out what the refusal names, where that may be left out."""
        named = {name for name in _NOT_EVERYWHERE if name in question and name in why}
        self._left_out |= named
        return bool(named)
