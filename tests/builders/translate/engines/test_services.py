"""Services that answer over HTTP, each fault planted once; no test waits for a second."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from corefmill.builders.translate.engines import answers
from corefmill.builders.translate.engines.answers import Cached
from corefmill.builders.translate.engines.protocol import TranslatorRequest
from corefmill.builders.translate.engines.resolve import resolve
from corefmill.builders.translate.engines.services import ChatTranslator
from corefmill.corpora.files.errors import DataError, UsageError
from tests.builders.services import stub
from tests.builders.services.stub import KEY, Answer, Stub, chat
from tests.builders.translate.engines.test_purity import MADE, check

VARIABLE = "OPENAI_API_KEY"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def server() -> Iterator[Stub]:
    with stub.openai(lambda text: chat(json.dumps({"translation": text.upper()}))) as served:
        yield served


def request(server: Stub, **more: Any) -> TranslatorRequest:
    told = {"name": "openai", "timeout": 30.0, "model": "small", **more}
    return TranslatorRequest(url=f"{server.url}/v1", **told)


def translator(
    server: Stub, sleep: Callable[[float], None] = lambda seconds: None, **more: Any
) -> ChatTranslator:
    return ChatTranslator(request(server, **more), sleep=sleep)


def ask(made: ChatTranslator, *texts: str) -> list[str]:
    """Ask for texts, and raise the first error among the answers."""
    found = dict(made.answers(texts))
    for answer in found.values():
        if isinstance(answer, DataError):
            raise answer
    return [str(found[text]) for text in texts]


def test_a_text_a_request_and_each_by_itself(server: Stub, tmp_path: Path) -> None:
    made = Cached(translator(server), tmp_path)
    assert made.translate(["a b", " c\n", "", "a b"]) == ["A B", "C", "", "A B"]
    assert server.asked == {"a b": 1, "c": 1}
    check(made, MADE)
    path, headers, body = server.seen[0]
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert (body["model"], body["temperature"], body["seed"]) == ("small", 0, 0)
    assert "from English to Italian" in body["messages"][0]["content"]


@pytest.mark.parametrize(
    ("fault", "waited"),
    [
        (Answer(status=429, headers={"Retry-After": "7"}), [7.0]),
        (Answer(status=500), [1.0]),
        (Answer(closed=True), [1.0]),
        (Answer(b'{"choices": [{"mess'), []),
        (Answer(chat(None)), []),
        (Answer(chat('{"translation": ["CANE", "CANE"]}')), []),
        (Answer(chat('{"translation": " "}')), []),
        (Answer(chat('{"translation": "CA"}', "length")), []),
    ],
)
def test_after_a_fault_it_is_asked_again(server: Stub, fault: Answer, waited: list[float]) -> None:
    server.faults["dog"] = [fault]
    slept: list[float] = []
    assert ask(translator(server, slept.append), "dog", "cat") == ["DOG", "CAT"]
    assert slept == waited
    assert server.asked == {"dog": 2, "cat": 1}


def test_what_a_server_does_not_know_is_left_out(server: Stub) -> None:
    server.faults["dog"] = [Answer(b"unknown field: response_format", 400), Answer(b"seed?", 422)]
    made = translator(server)
    assert ask(made, "dog") == ["DOG"]
    assert ask(made, "cat") == ["CAT"]
    assert not {"seed", "response_format"} & set(server.seen[-1][2])
    server.faults["cow"] = [Answer(chat('```json\n{"translation": "MUCCA"}\n```'))]
    assert ask(made, "cow") == ["MUCCA"]


@pytest.mark.parametrize(
    ("fault", "kind", "message"),
    [
        (Answer(b"too long", 400), DataError, "no translation of 'dog': 400 Bad Request"),
        (Answer(b"oops", 500), DataError, "failed 6 times: 500 Internal Server Error"),
        (Answer(chat("hm")), DataError, "the message is not the JSON"),
        (Answer(b"no such key", 401), UsageError, r"refuses: 401 Unauthorized \(check the key"),
        (Answer(closed=True), UsageError, "failed 6 times.*disconnected without.*goes on where"),
        (Answer(status=307, headers={"Location": "http://127.0.0.1:9/"}), UsageError,
         "redirects to 'http://127.0.0.1:9/', and redirects are not followed"),
    ],
)  # fmt: skip
def test_what_stays_wrong_is_one_line_without_the_key(
    server: Stub, fault: Answer, kind: type[DataError], message: str
) -> None:
    server.faults["dog"] = [fault] * 6
    made = translator(server)
    with pytest.raises(kind, match=message) as caught:
        ask(made, "dog")
    assert KEY not in str(caught.value)
    assert KEY not in repr(made) + repr(vars(made)["_service"])
    server.faults.clear()
    assert ask(made, "dog") == ["DOG"]


def test_a_service_that_fails_on_text_after_text_is_given_up(server: Stub, tmp_path: Path) -> None:
    texts = [*map(str, range(50))]
    server.faults = {text: [Answer(b"no such model", 400)] for text in texts}
    with pytest.raises(UsageError, match=r"failed on several texts in a row.*400 Bad Request"):
        Cached(translator(server), tmp_path).translate(texts)
    assert len(server.asked) < 20


def test_what_was_answered_is_kept_and_what_failed_not_asked_twice(
    server: Stub, tmp_path: Path
) -> None:
    server.faults["bad"] = [Answer(b"no", 400)] * 2
    made = Cached(translator(server), tmp_path)
    for _ in range(2):
        a, bad, b = made.translate(["a", "bad", "b"])
        assert (a, b) == ("A", "B")
        assert "no translation of 'bad'" in str(bad)
    assert made.translate(["b", "", "a"]) == ["B", "", "A"]
    assert Cached(translator(server), tmp_path).translate(["a", "b"]) == ["A", "B"]
    assert server.asked == {"a": 1, "b": 1, "bad": 1}
    again = Cached(translator(server, model="large"), tmp_path)
    assert again.translate(["a"]) == ["A"]
    assert server.asked["a"] == 2


_KILLED = """
import os, signal, sys
from pathlib import Path
from corefmill.builders.translate.engines import services
from corefmill.builders.translate.engines.protocol import TranslatorRequest
from corefmill.builders.translate.engines.resolve import resolve
services.AT_ONCE = 1
url, folder = sys.argv[1:]
asked = TranslatorRequest(name="openai", url=url, model="small", cache=Path(folder))
resolve(asked).translate([*map(str, range(40))])
"""


@pytest.mark.thorough
def test_a_kill_costs_nothing_twice(server: Stub, tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", _KILLED, f"{server.url}/v1", str(tmp_path)])
    right = server.answer

    def deadly(text: str) -> Any:
        if text == "20":
            os.kill(process.pid, signal.SIGKILL)
        return right(text)

    server.answer = deadly
    assert process.wait(60) == -signal.SIGKILL
    server.answer = right
    texts = [*map(str, range(40))]
    assert resolve(request(server, cache=tmp_path)).translate(texts) == texts
    # The answer that was on its way when it died is lost, and no other.
    assert {text for text, times in server.asked.items() if times > 1} == {"20"}
    assert sum(server.asked.values()) == 41
    for path in tmp_path.rglob("*"):
        assert KEY.encode() not in path.read_bytes()


def test_the_card_has_the_day_of_the_first_question(
    server: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as then:
        then.setattr(answers, "date", SimpleNamespace(today=lambda: "2031-02-03"))
        made = Cached(translator(server), tmp_path)
        assert made.describe().endswith(", asked from 2031-02-03 on")
        assert list(tmp_path.iterdir()) == []
        made.translate(["a"])
    made = Cached(translator(server), tmp_path)
    made.translate(["b"])
    assert made.describe() == f"openai small at {server.url[7:]}, asked from 2031-02-03 on"


def test_what_a_service_needs_and_others_do_not_take() -> None:
    with pytest.raises(UsageError, match="openai needs --url"):
        resolve(TranslatorRequest(name="openai", model="m"))
    with pytest.raises(UsageError, match=r"apertium takes no --url.*is for openai"):
        resolve(TranslatorRequest(name="apertium", url="http://localhost"))
