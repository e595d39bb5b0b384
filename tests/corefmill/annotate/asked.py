"""A language model on the loopback that rates by a rule, and the small corpora it is asked of."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corefmill.annotate.ask import ItemQuestion, RaterOutcome, ask_endpoint, choose_questions
from corefmill.annotate.options import EndpointOptions, QuestionOptions
from corefmill.annotate.questions import read_items
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import EventMention, Record, Source
from tests.builders.services import stub
from tests.builders.services.stub import Stub, chat

VARIABLE = "A_TESTS_KEY"
READ, WRITTEN = 900, 10
"""Tokens that the model states for every call."""

Rule = Callable[[dict[str, Any]], Any]
"""What the model says to an item as it is shown: an object for JSON, or a message as it is."""


def yes(shown: dict[str, Any]) -> Any:
    return {"answer": "yes", "reason": ""}


def stated(said: Any) -> Any:
    """An answer with its tokens."""
    usage = {"prompt_tokens": READ, "completion_tokens": WRITTEN, "total_tokens": READ + WRITTEN}
    return {**chat(said if isinstance(said, str) else json.dumps(said)), "usage": usage}


@contextmanager
def served(rule: Rule = yes) -> Iterator[Stub]:
    """A model that answers by a rule; `asked` of the stub counts by what it is shown."""
    with stub.openai(lambda text: stated(rule(json.loads(text)))) as server:
        yield server


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
