"""What is sent and said, call by call; the rest is in tests/builders/translation/test_asked.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from corefmill.builders.services.service import NoUsableAnswer, Service, ServiceSettings
from corefmill.corpora.errors import UsageError
from tests.builders.services import stub
from tests.builders.services.stub import Answer, Stub


class Calls:
    """Notes what it is told, and allows a number of calls."""

    def __init__(self, most: int = 99) -> None:
        self.most = most
        self.noted: list[tuple[int | None, Any]] = []
        self.begun: list[int] = []

    def begins(self, size: int) -> None:
        if len(self.begun) == self.most:
            raise PermissionError("no more")
        self.begun.append(size)

    def ended(self, status: int | None, answer: Any) -> None:
        self.noted.append((status, answer))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    monkeypatch.setenv("no_proxy", "*")
    with stub.openai(lambda text: {"said": text}) as served:
        yield served


def service(server: Stub) -> Service:
    settings = ServiceSettings(
        url=server.url, headers={}, option="--endpoint", timeout=30, sleep=lambda seconds: None
    )
    return Service(settings)


QUESTION = {"messages": [{"content": "dog"}]}


def test_every_call_is_seen_with_what_came_of_it(server: Stub) -> None:
    server.faults["dog"] = [Answer(status=429), Answer(closed=True)]
    calls = Calls()
    assert service(server).post(QUESTION, calls) == {"said": "dog"}
    assert calls.noted == [(429, None), (None, None), (200, {"said": "dog"})]
    assert calls.begun == [34, 34, 34]
    server.faults["dog"] = [Answer(b"no json")]
    with pytest.raises(NoUsableAnswer) as caught:
        service(server).post(QUESTION, calls)
    assert (caught.value.kind, calls.noted[3:]) == ("no_json", [(200, None)])


def test_a_call_that_is_not_allowed_is_not_sent(server: Stub) -> None:
    server.faults["dog"] = [Answer(status=503)] * 5
    with pytest.raises(PermissionError):
        service(server).post(QUESTION, Calls(2))
    assert server.asked == {"dog": 2}


def test_remedies_name_the_option_that_was_given(server: Stub) -> None:
    server.faults["dog"] = [Answer(status=404)]
    with pytest.raises(UsageError, match="see that --endpoint is the service's base URL"):
        service(server).post(QUESTION)
