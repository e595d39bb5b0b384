from __future__ import annotations

import pytest

from corefmill.builders.services.chat import chat_url, json_object, message
from corefmill.builders.services.service import NoUsableAnswer
from tests.builders.services.stub import chat


def test_where_to_ask() -> None:
    assert chat_url("http://box/v1") == "http://box/v1/chat/completions"
    assert chat_url("http://box/v1/chat/completions") == "http://box/v1/chat/completions"


def test_fenced_or_not_it_is_one_object() -> None:
    for content in ('{"answer": "yes"}', '```json\n{"answer": "yes"}\n```'):
        assert json_object(message(chat(content)), "answer", strict=True) == {"answer": "yes"}


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
        json_object(message(said), "answer", strict=True)
    assert caught.value.kind == kind
