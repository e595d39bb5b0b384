"""A language model on the loopback that rates by a rule, and the small corpora it is asked of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from corefmill.annotate.ask import ItemQuestion, RaterOutcome, ask_endpoint, choose_questions
from corefmill.annotate.options import EndpointOptions, QuestionOptions
from corefmill.annotate.questions import read_items
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import EventMention, Record, Source
from tests.builders.services import stub
from tests.builders.services.stub import KEY, Stub, chat

VARIABLE = "A_TESTS_KEY"
READ, WRITTEN = 900, 10
"""Tokens that the model states for every call."""


def stated(said: Any) -> Any:
    """An answer with its tokens."""
    usage = {"prompt_tokens": READ, "completion_tokens": WRITTEN, "total_tokens": READ + WRITTEN}
    return {**chat(said if isinstance(said, str) else json.dumps(said)), "usage": usage}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """A model that says yes, with its key set; `asked` of the stub counts by what it is shown."""
    monkeypatch.setenv(VARIABLE, KEY)
    monkeypatch.setenv("no_proxy", "*")
    with stub.openai(lambda text: stated({"answer": "yes", "reason": ""})) as made:
        yield made


def event(number: int, text: str = "In {} a flood hit the town.") -> EventMention:
    text = text.replace("{}", str(1900 + number))
    start = text.index("flood")
    return EventMention(
        *(f"e{number}", "en", text, start, start + 5, "c", "Flood of the town"),
        *("Flood", "infoboxflood", Source("Town", 1)),
    )


def corpus(folder: Path, records: Iterable[Record]) -> Path:
    path = folder / "train.jsonl"
    jsonl.write(path, records)
    return path


def asked(path: Path, **more: Any) -> list[ItemQuestion]:
    return choose_questions(read_items(path), QuestionOptions(**more))


def ask(server: Stub, path: Path, *, workers: int = 2, **settings: Any) -> RaterOutcome:
    """Asks all about a corpus, with a cache beside it."""
    sleep = settings.pop("sleep", lambda seconds: None)
    told = {"key_variable": VARIABLE, "timeout": 30.0, "workers": workers, **settings}
    endpoint = EndpointOptions(endpoint=f"{server.url}/v1", model="small", **told)
    return ask_endpoint(asked(path), endpoint, path.parent / "cache", sleep=sleep)
