"""uCDCR, CoreSearch and SciCo: which words a mention is, its cluster, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corefmill.corpora import convert
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats.registry import FORMATS, of_file
from corefmill.corpora.records import EventMention
from tests.corpora.formats.test_every_format import CORESEARCH, SCICO, UCDCR, WEC, lay


def read(tmp_path: Path, name: str, *items: dict[str, Any]) -> list[EventMention]:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(items[0] if name == "scico" else items))
    return [mention for _, mention in FORMATS[name].read(path, "en")]


def test_a_mention_of_ucdcr_is_where_its_context_says(tmp_path: Path) -> None:
    (mention,) = read(tmp_path, "ucdcr", UCDCR)
    assert mention.text[mention.start : mention.end] == "the flood"
    assert mention.start == len("It rained . After ")
    assert (mention.cluster, mention.cluster_title, mention.lemma) == ("ACT7", "The flood", "flood")
    assert mention.source.title == "36/36a/1"
    assert {key: mention.meta[key] for key in ("topic", "subtopic", "sentence")} == {
        "topic": "36",
        "subtopic": "36a",
        "sentence": 1,
    }
    assert mention.meta["ucdcr"]["is_singleton"] is False


def test_the_table_has_what_the_array_has(tmp_path: Path) -> None:
    table = lay(tmp_path, "parquet-ucdcr")
    assert of_file(table).name == "parquet-ucdcr"
    (row,) = (mention for _, mention in FORMATS["parquet-ucdcr"].read(table, "en"))
    (item,) = read(tmp_path, "ucdcr", UCDCR)
    for field in ("id", "text", "start", "end", "cluster", "lemma", "source"):
        assert getattr(row, field) == getattr(item, field)


def test_a_negative_of_coresearch_is_no_mention(tmp_path: Path) -> None:
    found = read(tmp_path, "coresearch", {"context": ["no", "flood"]}, CORESEARCH)
    assert [(mention.id, mention.cluster) for mention in found] == [("3", "7")]
    assert found[0].meta["coresearch"] == {"positive_examples": ["4"]}


def test_wec_becomes_passages_for_retrieval(tmp_path: Path) -> None:
    (tmp_path / "wec.json").write_text(json.dumps([WEC]))
    target = tmp_path / "passages.coresearch.json"
    convert.run(convert.plan(tmp_path / "wec.json", target))
    assert json.loads(target.read_text()) == [
        {key: CORESEARCH[key] for key in CORESEARCH if key != "positive_examples"}
    ]


def test_wec_in_chinese(tmp_path: Path) -> None:
    words = ["2008\u5e74", "\u6c76\u5ddd", "\u5730\u9707", "\u53d1\u751f"]
    item = {
        **WEC,
        "mention_context": words,
        "tokens_number": [1, 2],
        "tokens_str": "\u6c76\u5ddd\u5730\u9707",
    }
    (tmp_path / "zh.json").write_text(json.dumps([item]))
    ((_, mention),) = FORMATS["wec-json"].read(tmp_path / "zh.json", "zh")
    assert mention.text[mention.start : mention.end] == "\u6c76\u5ddd \u5730\u9707"


def test_a_concept_of_scico_knows_its_parents(tmp_path: Path) -> None:
    first, second = read(tmp_path, "scico", SCICO)
    assert (first.text, first.cluster, first.source.title) == ("parsing is fun", "5_1", "11")
    assert second.text[second.start : second.end] == "tree parsing"
    assert second.meta["scico"] == {"parents": ["5_1"], "source": "pwc"}
    assert second.meta["topic"] == "5"


@pytest.mark.parametrize(
    ("name", "item", "message"),
    [
        ("ucdcr", {**UCDCR, "tokens_number_context": [4, 99]}, ""),
        ("ucdcr", {**UCDCR, "mention_context": "['a'"}, "mention_context is"),
        ("ucdcr", {"tokens_number_context": [1]}, "no mention_context"),
        ("coresearch", {**CORESEARCH, "endIndex": 4}, "tokens 1 to 4 are not within"),
        ("coresearch", {**CORESEARCH, "mention": "flood"}, "mention is not a list"),
        ("scico", {**SCICO, "mentions": [[2, 0, 0, 1]]}, "mention 0 is not within its paragraph"),
        ("scico", {**SCICO, "mentions": [[0, 0, True, 1]]}, "not lists of 4 whole numbers"),
        ("scico", {**SCICO, "relations": [[1]]}, "not lists of 2 whole numbers"),
    ],
)
def test_what_is_refused(tmp_path: Path, name: str, item: dict[str, Any], message: str) -> None:
    if not message:  # the words stand once in the context, and that is the place
        assert read(tmp_path, name, item)[0].start == len("It rained . After ")
        return
    with pytest.raises(DataError, match=message) as caught:
        read(tmp_path, name, item)
    assert caught.value.line == 1
