"""OpenAI's chat completions, as many servers speak them: where to ask, and what an answer holds."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from corefmill.builders.services.service import NoUsableAnswer

KEY_VARIABLE = "OPENAI_API_KEY"
_PATH = "/chat/completions"
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)


def chat_url(base: str) -> str:
    """Where questions go, of a base URL such as http://localhost:8000/v1, or of the whole."""
    return base if base.endswith(_PATH) else base + _PATH


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


def json_object(content: str, key: str, *, strict: bool = False) -> dict[str, Any]:
    """The JSON object with a key that a message is, fenced or not.

    Raises `NoUsableAnswer` for anything else, with `strict` also where a key stands twice.
    """
    fenced = _FENCED.fullmatch(content)
    try:
        made = json.loads(
            fenced[1] if fenced else content, object_pairs_hook=_each_once if strict else None
        )
        made[key]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise NoUsableAnswer(
            f'its message is not the JSON {{"{key}": ...}}', "not_the_json"
        ) from error
    assert isinstance(made, dict)
    return made


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key twice")
    return made
