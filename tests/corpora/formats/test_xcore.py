"""xCoRe's predictions: words and clusters of one text and of several, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corefmill.corpora.errors import DataError
from corefmill.corpora.formats.registry import FORMATS, of_file
from corefmill.corpora.formats.xcore import read
from corefmill.corpora.records import Document, Mention
from tests.corpora.formats.test_every_format import XCORE

TEXTS = [["Mia", "met", "Bo"], ["She", "left"]]
CROSS: dict[str, Any] = {
    "tokens": [[text] for text in TEXTS],
    "clusters_token_offsets": [[[0, 0, 0], [1, 0, 0]]],
    "clusters_token_text": [["Mia", "She"]],
}


def one(tmp_path: Path, line: dict[str, Any]) -> Document:
    path = tmp_path / "said.jsonl"
    path.write_text(json.dumps(line) + "\n")
    ((_, document),) = read(path, "en")
    return document


def test_one_text_is_a_sentence(tmp_path: Path) -> None:
    document = one(tmp_path, {**XCORE, "clusters_char_offsets": None})
    assert document.doc_id == "said-1"
    assert [token.form for token in document.sentences[0].tokens] == XCORE["tokens"]
    assert document.clusters == ((Mention(0, 0, 2), Mention(0, 4, 5)),)
    assert document.meta == {"xcore": {"other": {"clusters_char_offsets": None}}}


@pytest.mark.parametrize("tokens", [CROSS["tokens"], TEXTS], ids=["its code", "its page"])
def test_several_texts_are_a_sentence_each(tmp_path: Path, tokens: list[Any]) -> None:
    document = one(tmp_path, {**CROSS, "tokens": tokens})
    assert [[token.form for token in each.tokens] for each in document.sentences] == TEXTS
    assert document.clusters == ((Mention(0, 0, 1), Mention(1, 0, 1)),)


def test_what_it_trains_on_is_read_with_its_texts(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    line = {"doc_key": "36", "sentences": TEXTS, "sentence2doc": {"0": "a", "1": "b"}}
    path.write_text(json.dumps({**line, "clusters": [[[0, 0], [3, 3]]]}) + "\n")
    assert of_file(path).name == "maverick"
    ((_, document),) = FORMATS["maverick"].read(path, "en")
    assert document.meta["maverick"]["other"] == {"sentence2doc": {"0": "a", "1": "b"}}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({**XCORE, "clusters_token_offsets": [[[0, 5]]]}, r"mention \[0, 5\] is not within"),
        ({**XCORE, "clusters_token_offsets": [[[2, 1]]]}, r"mention \[2, 1\] is not within"),
        ({**XCORE, "clusters_token_offsets": [[[0, 0, 1]]]}, r"are not \[first, last\]"),
        ({**XCORE, "clusters_token_text": [["Mia", "She"]]}, "strings are not the words"),
        ({**XCORE, "clusters_text_mentions": []}, "strings are not the words"),
        ({**CROSS, "clusters_token_offsets": [[[2, 0, 0]]]}, r"\[2, 0, 0\] is not within"),
        ({**CROSS, "clusters_token_offsets": [[[0, 0]]]}, r"are not \[text, first, last\]"),
        ({**CROSS, "tokens": [["Mia"], "met"]}, "text 1 is not a list of words"),
        ({**CROSS, "tokens": [[["Mia"], ["met"]]]}, "text 0 is not a list of words"),
        ({"tokens": ["Mia"]}, "clusters_token_offsets"),
    ],
)
def test_what_is_refused(tmp_path: Path, line: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        one(tmp_path, line)
    assert (caught.value.path, caught.value.line) == (str(tmp_path / "said.jsonl"), 1)
