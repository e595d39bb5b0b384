"""Servers on the loopback that translate."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from typing import Any

from tests.builders.services import stub
from tests.builders.services.stub import Stub, chat


def upper(text: str) -> str:
    """The translation that stubs make."""
    return text.upper()


def said(text: str) -> Any:
    """An answer of OpenAI's form that is right."""
    return chat(json.dumps({"translation": upper(text)}))


def openai() -> AbstractContextManager[Stub]:
    """A server with OpenAI's chat completions."""
    return stub.openai(said)
