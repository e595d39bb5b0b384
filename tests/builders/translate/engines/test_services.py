"""Services that answer over HTTP, each fault planted once; no test waits for a second."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.translate.engines import cache
from corefmill.builders.translate.engines.cache import Cached, for_card
from corefmill.builders.translate.engines.protocol import TranslatorRequest
from corefmill.builders.translate.engines.resolve import resolve
from corefmill.builders.translate.engines.services import ChatTranslator
from corefmill.builders.translate.gamma.placeholders import (
    Placeholders,
    Translated,
    try_translate,
)
from corefmill.corpora.files.errors import DataError, UsageError
from tests.builders.services.stub import KEY, Answer, Stub, chat
from tests.builders.translate.engines import stub
from tests.builders.translate.engines.test_purity import MADE, check
from tests.builders.translate.gamma.test_placeholders import HE, SMALL, english

VARIABLE = "OPENAI_API_KEY"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def server() -> Iterator[Stub]:
    with stub.openai() as served:
        yield served


def request(server: Stub, **more: Any) -> TranslatorRequest:
    told = {"timeout": 30.0, "model": "small", **more}
    return TranslatorRequest(name="openai", url=f"{server.url}/v1", **told)


def translator(
    server: Stub, sleep: Callable[[float], None] = lambda seconds: None, **more: Any
) -> ChatTranslator:
    return ChatTranslator(request(server, **more), sleep=sleep)


def test_a_text_a_request_and_each_by_itself(server: Stub) -> None:
    made = translator(server)
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
        (Answer(status=503, headers={"Retry-After": "Thu, 01 Jan 1970 00:00:09 GMT"}), [1.0]),
        (Answer(status=429, headers={"Retry-After": "soon"}), [1.0]),
        (Answer(status=500), [1.0]),
        (Answer(closed=True), [1.0]),
        (Answer(b'{"choices": [{"mess'), []),
        (Answer(b"[" * 100_000), []),
        (Answer({"choices": []}), []),
        (Answer(chat(None)), []),
        (Answer(chat("CANE")), []),
        (Answer(chat('{"translation": ["CANE", "CANE"]}')), []),
        (Answer(chat('{"translation": " "}')), []),
        (Answer(chat('{"translation": "CA"}', "length")), []),
        (Answer(b" " * (65 << 20)), []),
        (Answer({"choices": [], "echo": KEY}), []),
    ],
)
def test_after_a_fault_it_is_asked_again(server: Stub, fault: Answer, waited: list[float]) -> None:
    server.faults["dog"] = [fault]
    slept: list[float] = []
    assert translator(server, slept.append).translate(["dog", "cat"]) == ["DOG", "CAT"]
    assert slept == waited
    assert server.asked == {"dog": 2, "cat": 1}


@pytest.mark.parametrize(
    "fault", [Answer(after=0.5), Answer(stub.said("dog"), drip=0.05)], ids=["late", "dripping"]
)
def test_an_answer_has_a_deadline_as_a_whole(server: Stub, fault: Answer) -> None:
    server.faults["dog"] = [fault] * 6
    slept: list[float] = []
    with pytest.raises(DataError, match=r"it failed 6 times: no answer for 0\.2 seconds"):
        translator(server, slept.append, timeout=0.2).translate(["dog"])
    assert slept == [1.0, 2.0, 4.0, 8.0, 16.0]


def test_what_a_server_does_not_know_is_left_out(server: Stub) -> None:
    server.faults["dog"] = [Answer(b"unknown field: response_format", 400), Answer(b"seed?", 422)]
    made = translator(server)
    assert made.translate(["dog"]) == ["DOG"]
    assert made.translate(["cat"]) == ["CAT"]
    assert not {"seed", "response_format"} & set(server.seen[-1][2])
    server.faults["cow"] = [Answer(chat('```json\n{"translation": "MUCCA"}\n```'))]
    assert made.translate(["cow"]) == ["MUCCA"]


@pytest.mark.parametrize(
    ("fault", "kind", "message"),
    [
        (Answer(b"too long", 400), DataError, "no translation of 'dog': 400 'too long'"),
        (Answer(b"oops", 500), DataError, "failed 6 times: 500 'oops'"),
        (Answer(chat("hm")), DataError, "its message is not the JSON"),
        (Answer(b"no such key", 401), UsageError, r"refuses: 401 \(see that the key"),
        (Answer(b"", 404), UsageError, r"404 '' \(see that --url is"),
        (Answer(closed=True), UsageError, "failed 6 times.*disconnected without.*goes on where"),
        (Answer(status=429), UsageError, "failed 6 times, the last time: 429"),
        (Answer(status=429, headers={"Retry-After": "9999"}), UsageError, "alone for 9,999 sec"),
        (
            Answer(status=307, headers={"Location": "http://127.0.0.1:9/"}),
            UsageError,
            "redirects to 'http://127.0.0.1:9/', and redirects are not followed",
        ),
    ],
)
def test_what_stays_wrong_is_one_line_without_the_key(
    server: Stub, fault: Answer, kind: type[DataError], message: str
) -> None:
    server.faults["dog"] = [fault] * 6
    made = translator(server)
    with pytest.raises(kind, match=message) as caught:
        made.translate(["dog"])
    assert KEY not in str(caught.value)
    assert KEY not in repr(made) + repr(vars(made)["_service"]._settings)
    server.faults.clear()
    assert made.translate(["dog"]) == ["DOG"]


def test_a_service_that_fails_on_text_after_text_is_given_up(server: Stub) -> None:
    texts = [f"text {number}" for number in range(50)]
    server.faults = {text: [Answer(b"no such model", 400)] for text in texts}
    with pytest.raises(UsageError, match=r"fails on text after text.*no such model"):
        translator(server).translate(texts)
    assert len(server.asked) < 20


def test_what_was_answered_is_kept_and_what_failed_not_asked_twice(
    server: Stub, tmp_path: Path
) -> None:
    server.faults["bad"] = [Answer(b"no", 400)] * 2
    made = Cached(translator(server), tmp_path)
    for _ in range(2):
        with pytest.raises(DataError, match="no translation of 'bad'"):
            made.translate(["a", "bad", "b"])
    assert made.translate(["b", "", "a"]) == ["B", "", "A"]
    assert Cached(translator(server), tmp_path).translate(["a", "b"]) == ["A", "B"]
    assert server.asked == {"a": 1, "b": 1, "bad": 1}
    again = Cached(translator(server, model="large"), tmp_path)
    assert again.translate(["a"]) == ["A"]
    assert server.asked["a"] == 2


def test_placeholders_dropped_or_doubled_are_drawn_again(server: Stub) -> None:
    """A model may do anything to a text: what the chain makes of it, see `try_translate`."""
    utterance = english(["He", "came", "."], [(0, 1, HE)])
    turns: list[str] = []

    def spoilt(text: str) -> Any:
        name = text.split()[0]
        turns.append(name)
        made = ["venne.", f"{name} venne, {name}.", f"{name} venne."][len(turns) - 1]
        return chat(json.dumps({"translation": made}))

    server.answer = spoilt
    (made,) = try_translate([utterance], translator(server), Placeholders(SMALL))
    assert isinstance(made, Translated)
    assert (made.draws, made.text) == (3, f"{turns[2]} venne.")
    assert len(set(turns)) == 3


_KILLED = """
import os, signal, sys
from pathlib import Path
from corefmill.builders.translate.engines import services
from corefmill.builders.translate.engines.protocol import TranslatorRequest
from corefmill.builders.translate.engines.resolve import resolve
services.AT_ONCE = 1
url, folder = sys.argv[1:]
asked = TranslatorRequest(name="openai", url=url, model="small",
                          cache=Path(folder))
resolve(asked).translate([str(number) for number in range(40)])
"""


def test_a_kill_costs_nothing_twice(server: Stub, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _KILLED, f"{server.url}/v1", str(tmp_path)]
    process = subprocess.Popen(command)
    right = server.answer

    def deadly(text: str) -> Any:
        if text == "20":
            os.kill(process.pid, signal.SIGKILL)
        return right(text)

    server.answer = deadly
    assert process.wait(60) == -signal.SIGKILL
    server.answer = right
    asked = request(server, cache=tmp_path)
    texts = [str(number) for number in range(40)]
    assert resolve(asked).translate(texts) == texts
    # The answer that was on its way when it died is lost, and no other.
    assert {text for text, times in server.asked.items() if times > 1} == {"20"}
    assert sum(server.asked.values()) == 41
    for path in tmp_path.rglob("*"):
        assert KEY.encode() not in path.read_bytes()


def test_the_card_has_the_day_of_the_first_question(
    server: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Day:
        @staticmethod
        def today() -> str:
            return "2031-02-03"

    with monkeypatch.context() as then:
        then.setattr(cache, "date", Day)
        made = Cached(translator(server), tmp_path)
        assert for_card(made).endswith(", asked from 2031-02-03 on")
        assert list(tmp_path.iterdir()) == []
        made.translate(["a"])
    made = Cached(translator(server), tmp_path)
    made.translate(["b"])
    assert for_card(made) == f"openai small at {server.url[7:]}, asked from 2031-02-03 on"
    assert for_card(translator(server)) == made.name


def test_libretranslate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIBRETRANSLATE_API_KEY", KEY)
    with stub.libretranslate() as server:
        made = resolve(TranslatorRequest(name="http", url=server.url, target="es"))
        check(made, MADE[:4])
        assert made.translate(["la casa"]) == ["LA CASA"]
        where, _, body = server.seen[-1]
        assert (where, body["api_key"], body["target"]) == ("/translate", KEY, "es")
        wrong: list[Any] = [{"translatedText": ["X", "Y"]}, {"translatedText": None}, ["X"]]
        server.faults["two"] = [Answer(one) for one in wrong]
        with pytest.raises(DataError, match="no translation of 'two': its answer has no"):
            made.translate(["two"])
        assert server.asked["two"] == 3
        whole = TranslatorRequest(name="http", url=f"{server.url}/translate", target="es")
        assert resolve(whole).translate(["la casa"]) == ["LA CASA"]


def test_what_a_service_needs_and_others_do_not_take() -> None:
    with pytest.raises(UsageError, match="openai needs --url"):
        resolve(TranslatorRequest(name="openai", model="m"))
    with pytest.raises(UsageError, match=r"apertium takes no --url.*openai, http"):
        resolve(TranslatorRequest(name="apertium", url="http://localhost"))
