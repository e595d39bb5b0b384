"""Services call by call: where to ask, what is sent and said; the rest is in
tests/builders/translate/engines/test_services.py."""

from __future__ import annotations

import html
import json
import socket
import threading
import time
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

import pytest

from corefmill.builders.services.service import (
    NoUsableAnswer,
    RefusedText,
    Service,
    check_url,
    parse_json_object,
    read_key,
    read_message,
)
from corefmill.corpora.files.errors import UsageError
from tests.builders.services import stub
from tests.builders.services.stub import Answer, Stub, chat


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    monkeypatch.setenv("no_proxy", "*")
    with stub.openai(lambda text: {"said": text}) as served:
        yield served


def service(server: Stub, key: str = "", timeout: float = 30) -> Service:
    skip = {"sleep": lambda seconds: None, "timeout": timeout}
    return Service(url=server.url, headers={}, key=key, option="--endpoint", **skip)


QUESTION = {"messages": [{"content": "dog"}]}


def test_busy_and_cut_answers_are_asked_for_again(server: Stub) -> None:
    server.faults["dog"] = [Answer(status=429), Answer(closed=True)]
    assert service(server).post(QUESTION) == {"said": "dog"}
    assert server.asked == {"dog": 3}
    server.faults["dog"] = [Answer(b"no json")]
    with pytest.raises(NoUsableAnswer) as caught:
        service(server).post(QUESTION)
    assert caught.value.kind == "no_json"


KEY = 'sk/"caf-30+3=141592653'
FORMS = {
    "as it is": KEY,
    "percent": quote(KEY, safe=""),
    "percent, twice": quote(quote(KEY, safe=""), safe=""),
    "form": quote_plus(KEY.replace("+", " ")),
    "json": json.dumps(KEY).strip('"').replace("/", "\\/"),
    "json, in numbers": "".join(f"\\u{ord(one):04X}" for one in KEY),
    "html": html.escape(KEY),
    "its start": KEY[:12],
    "its end": KEY[-8:],
    "capitals": KEY.upper(),
    "over two lines": f"{KEY[:10]}\n{KEY[10:]}",
}


@pytest.mark.parametrize("status", [200, 302, 400, 401, 403, 404, 429, 500])
def test_a_key_is_not_shown_in_whatever_form_it_comes(server: Stub, status: int) -> None:
    for form, echo in FORMS.items():
        headers = {"Location": f"http://box/{quote(echo)}"} if status == 302 else {}
        server.faults["dog"] = [Answer(f"no: {echo}.".encode(), status, headers)] * 6
        with pytest.raises((NoUsableAnswer, UsageError)) as caught:
            service(server, KEY).post(QUESTION)
        told = str(caught.value)
        assert "no:" not in told, told
        assert "caf" not in told.lower() and "141592" not in told, (form, told)
        assert "\\u00" not in told and "\n" not in told, (form, told)


@pytest.mark.parametrize(
    ("host", "why"), [("localhost:9", "Connection refused"), ("nowhere.invalid", "Name or service")]
)
def test_a_service_that_is_not_there(monkeypatch: pytest.MonkeyPatch, host: str, why: str) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with pytest.raises(UsageError, match=f"failed 6 times, the last time: '{why}"):
        service(Stub(f"http://{host}", str, str)).post(QUESTION)


def test_an_answer_has_a_largest_size(server: Stub) -> None:
    server.faults["dog"] = [Answer(b" " * (65 << 20)), Answer(b" " * (8 << 20) + b'"made"')]
    with pytest.raises(NoUsableAnswer) as caught:
        service(server).post(QUESTION)
    assert caught.value.kind == "too_long"
    assert service(server).post(QUESTION) == "made"


def test_headers_that_drip_in_end_with_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def drip() -> None:
            while True:
                try:
                    with listener.accept()[0] as one:
                        while one.send(b"H"):
                            time.sleep(0.02)
                except OSError:
                    if listener.fileno() < 0:
                        return

        threading.Thread(target=drip, daemon=True).start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(RefusedText, match=r"failed 6 times: no answer for 0\.2 seconds"):
            service(Stub(url, str, str), timeout=0.2).post(QUESTION)


@pytest.mark.parametrize(
    "url",
    [
        *("ftp://box", "file:///etc/passwd", "box:5000", "http://", "http://[", "http://box:x/"),
        *("", f"http://{'a' * 70}.it/", "http://b ox/", "http://box/caffè"),
        *("http://box/?key=secret", "http://me:secret@box/"),
        *(
            "http://evil。example",
            "http://evil．example/v1",
            "http://evil｡example",
            "http://münchen.de",
        ),
        *(
            "http://a..b",
            "http://.a.b",
            "http://.",
            "http://a.b../v1",
            "http://ａ.b",
            "http://a%2eb",
        ),
        *(f"http://{'a.' * 130}it", "http://a,b", "http://a\u200b.it", "http://a_b.it:99999/"),
    ],
)
def test_no_such_url(url: str) -> None:
    with pytest.raises(UsageError, match="--url") as caught:
        check_url(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "host",
    [
        *("box", "box.", "a-b.example", "a_b.example", "10.0.0.1", "localhost:8000"),
        *("[::1]:8000", "[fe80::1]", "xn--mnchen-3ya.de", "API.Example.COM"),
    ],
)
def test_a_host_by_name_or_number(host: str) -> None:
    assert check_url(f"http://{host}/v1/") == f"http://{host}/v1"


def test_no_such_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="--key-variable is not the name of a variable") as caught:
        read_key("sk-secret")
    assert "secret" not in str(caught.value)
    monkeypatch.setenv("A_TESTS_KEY", "secret\r\nX: y")
    with pytest.raises(UsageError, match="cannot be a key") as caught:
        read_key("A_TESTS_KEY")
    assert "secret" not in str(caught.value)
    assert read_key("NOT_SET_AT_ALL") == ""


def test_fenced_or_not_it_is_one_object() -> None:
    for content in ('{"answer": "yes"}', '```json\n{"answer": "yes"}\n```'):
        assert parse_json_object(read_message(chat(content)), "answer") == {"answer": "yes"}


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ({"choices": []}, "no_message"),
        (chat(None), "no_message"),
        (chat('{"answer": "yes"}', "length"), "cut_off"),
        (chat("yes"), "not_the_json"),
        (chat('"answer"'), "not_the_json"),
        (chat('["answer"]'), "not_the_json"),
        (chat('{"Answer": "yes"}'), "not_the_json"),
        (chat('{"answer": "no", "answer": "yes"}'), "not_the_json"),
        (chat("[" * 100_000), "not_the_json"),
    ],
)
def test_anything_else_is_counted_by_its_kind(said: object, kind: str) -> None:
    with pytest.raises(NoUsableAnswer) as caught:
        parse_json_object(read_message(said), "answer")
    assert caught.value.kind == kind
