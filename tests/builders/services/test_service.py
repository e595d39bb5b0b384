"""What is sent and said, call by call; the rest is in tests/builders/translation/test_asked.py."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from corefmill.builders.services.service import NoUsableAnswer, Service, ServiceSettings
from corefmill.corpora.errors import UsageError
from tests.builders.services import stub
from tests.builders.services.stub import Answer, Stub


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


def test_busy_and_cut_answers_are_asked_for_again(server: Stub) -> None:
    server.faults["dog"] = [Answer(status=429), Answer(closed=True)]
    assert service(server).post(QUESTION) == {"said": "dog"}
    assert server.asked == {"dog": 3}
    server.faults["dog"] = [Answer(b"no json")]
    with pytest.raises(NoUsableAnswer) as caught:
        service(server).post(QUESTION)
    assert caught.value.kind == "no_json"


def test_remedies_name_the_option_that_was_given(server: Stub) -> None:
    server.faults["dog"] = [Answer(status=404)]
    with pytest.raises(UsageError, match="see that --endpoint is the service's base URL"):
        service(server).post(QUESTION)
