"""Asks a language model behind an OpenAI-compatible endpoint one question about one item."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from corefmill.annotate.asking.ledger import CallLedger, CallSubject, KeptReply, TokenUsage
from corefmill.annotate.asking.prompt import RaterPrompt
from corefmill.builders.services.chat import KEY_VARIABLE, bearer, chat_url, message
from corefmill.builders.services.endpoint import checked_url, key_of
from corefmill.builders.services.pace import RequestPace
from corefmill.builders.services.service import (
    NoUsableAnswer,
    RefusedText,
    Service,
    ServiceSettings,
)
from corefmill.corpora.errors import UsageError

_METHOD = 1
"""How models are asked. With another number, what is kept is not used."""
_TEMPLATE = 64
"""Tokens that a server may set around two messages: roles, ends, a date."""
ASKED_AGAIN = ("time_out", "server_error", "refused")
"""What is no answer of the model, so that the next run asks again; other faults are kept."""

_FORMS = ("json_schema", "json_object", "")
"""How JSON is asked for, the strictest first; "" by the prompt alone."""
_FORM_WORDS = ("response_format", "json_schema", "json_object", "schema", "structured", "guided")
"""What a refusal names that is about the form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointSettings:
    """Which model is asked, and how; `answer_tokens` is the most that it may write."""

    url: str
    model: str
    key_variable: str | None = None
    answer_tokens: int = 200
    timeout: float = 60.0
    requests_per_minute: int | None = None


class EndpointRater:
    """Sends prompts, and keeps what is answered; may be used by several threads at once.

    Raises `UsageError` for a URL or a key that cannot be.
    """

    def __init__(
        self,
        settings: EndpointSettings,
        ledger: CallLedger,
        folder: Path,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        base = checked_url(settings.url, "--endpoint")
        if not settings.model.strip() or not settings.model.isprintable():
            raise UsageError("--model is no name of a model")
        self._asked = settings
        self._ledger = ledger
        self.url = chat_url(base)
        self.name = f"model {settings.model} at {urlsplit(base).netloc}"
        key = key_of(settings.key_variable or KEY_VARIABLE)
        pace = None
        if settings.requests_per_minute is not None:
            pace = RequestPace(settings.requests_per_minute, folder)
        self._service = Service(
            ServiceSettings(
                url=self.url,
                option="--endpoint",
                headers={"Content-Type": "application/json", **bearer(key)},
                key=key,
                timeout=settings.timeout,
                pace=pace,
                sleep=sleep,
            )
        )
        self._lock = threading.Lock()
        self._form = 0
        self._left_out: frozenset[str] = frozenset()
        self._limit = "max_tokens"
        self._stated: dict[str, int] = {}
        """By a system message, the fewest tokens that a prompt with it was stated to have."""

    @property
    def left_out(self) -> list[str]:
        """What the endpoint refused by name, and is asked without."""
        forms = [f"response_format {form}" for form in _FORMS[: self._form]]
        return [*forms, *sorted(self._left_out)]

    def digest(self, prompt: RaterPrompt) -> str:
        """What a reply depends on, as far as it can be told: server, model, prompt, settings."""
        decides = [_METHOD, self.url, self._asked.model, self._asked.answer_tokens]
        text = json.dumps([*decides, prompt.system, prompt.user, prompt.schema])
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def reply(self, prompt: RaterPrompt, subject: CallSubject) -> KeptReply:
        """What the model answers, right or broken; kept, if it came, before this returns.

        Raises `LimitReached` where the call may cost more than is left, and `UsageError` as the
        service does.
        """
        begun = time.monotonic()
        answer = reason = broken = ""
        try:
            made = prompt.read(message(self._post(prompt, subject)))
            answer, reason = made.answer, made.reason
        except NoUsableAnswer as unusable:
            broken = unusable.kind
        seconds = round(time.monotonic() - begun, 3)
        when = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        kept = KeptReply(answer, reason, broken, when, seconds)
        if broken not in ASKED_AGAIN:
            self._ledger.keep(self.digest(prompt), kept)
        return kept

    def most(self, prompt: RaterPrompt) -> int:
        """The most tokens that a call may cost.

        Of text there are at most as many tokens as bytes. What the system message takes, with all
        that a server puts around it, is known once one prompt with it was counted: every prompt
        that begins with the same is at most longer by its own item.
        """
        own = len(prompt.user.encode("utf-8", "replace"))
        stated = self._stated.get(prompt.system)
        if stated is None:
            schema = json.dumps(prompt.schema)
            stated = len(prompt.system.encode()) + len(schema) + _TEMPLATE
        return stated + own + self._asked.answer_tokens

    def _post(self, prompt: RaterPrompt, subject: CallSubject) -> Any:
        while True:
            body = self._body(prompt)
            try:
                return self._service.post(body, _Watch(self, prompt, subject))
            except RefusedText as refused:
                if refused.kind != "refused" or not self._adapts(body, str(refused)):
                    raise

    def _body(self, prompt: RaterPrompt) -> dict[str, Any]:
        with self._lock:
            form, left_out, limit = _FORMS[self._form], self._left_out, self._limit
        body: dict[str, Any] = {
            "model": self._asked.model,
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.user},
            ],
            "temperature": 0,
            "seed": 0,
            limit: self._asked.answer_tokens,
        }
        if form == "json_schema":
            schema = {"name": "judgement", "strict": True, "schema": prompt.schema}
            body["response_format"] = {"type": form, "json_schema": schema}
        elif form:
            body["response_format"] = {"type": form}
        return {name: value for name, value in body.items() if name not in left_out}

    def _adapts(self, body: Mapping[str, Any], why: str) -> bool:
        """Whether it asks otherwise from now on, since a refusal names something that it sent.

        What another thread has changed meanwhile counts as well.
        """
        why = why.lower()
        with self._lock:
            if "max_tokens" in body and "max_completion_tokens" in why and "support" in why:
                self._limit = "max_completion_tokens"
                return True
            for name in ("seed", "temperature"):
                if name in body and name in why:
                    self._left_out |= {name}
                    return True
            sent = body.get("response_format", {}).get("type", "")
            if sent and any(word in why for word in _FORM_WORDS):
                self._form = max(self._form, _FORMS.index(sent) + 1)
                return True
        return False

    def counted(self, prompt: RaterPrompt, answer: Any) -> TokenUsage | None:
        """The tokens that an answer states, None where it does not, or not as whole numbers."""
        usage = answer.get("usage") if isinstance(answer, dict) else None
        stated = usage if isinstance(usage, dict) else {}
        found = [
            stated.get(name) for name in ("prompt_tokens", "completion_tokens", "total_tokens")
        ]
        read, written, total = (
            one if type(one) is int and 0 <= one < 1 << 40 else None for one in found
        )
        if read is None or written is None:
            return None
        with self._lock:
            self._stated[prompt.system] = min(self._stated.get(prompt.system, read), read)
        # Some count what a model thought in the total alone.
        return TokenUsage(read, max(written, (total or 0) - read))


class _Watch:
    """Notes each call of a question in the ledger."""

    def __init__(self, rater: EndpointRater, prompt: RaterPrompt, subject: CallSubject) -> None:
        self._rater, self._prompt, self._topic = rater, prompt, subject
        self._call, self._begun = "", 0.0

    def begins(self, size: int) -> None:
        self._call = self._rater._ledger.begin(self._topic, self._rater.most(self._prompt))
        self._begun = time.monotonic()

    def ended(self, status: int | None, answer: Any) -> None:
        usage = self._rater.counted(self._prompt, answer) if status == 200 else None
        seconds = time.monotonic() - self._begun
        self._rater._ledger.end(self._call, status, usage, seconds)
