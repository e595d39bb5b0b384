"""WEC's JSON of the release and of its extractor: spans, contradictions, and every byte again."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from corefmill.corpora.formats import wec_json
from corefmill.corpora.records import EventMention, Source
from tests.corpora.formats.trials import DATA, read, refused, rewritten, write

RELEASED = wec_json.RELEASED
RECORD: dict[str, Any] = {
    "coref_chain": 12,
    "coref_link": "1999 Rome flood",
    "doc_id": "Rome",
    "mention_context": ["In", "1999", ",", "Rome", "'s", "flood", "and", "Rome", "'s", "fire"],
    "mention_head": "flood",
    "mention_head_lemma": "flood",
    "mention_head_pos": "NOUN",
    "mention_id": "7",
    "mention_index": 3,
    "mention_ner": "UNK",
    "mention_type": 8,
    "predicted_coref_chain": "UNK",
    "sent_id": 2,
    "tokens_number": [3, 4, 5],
    "tokens_str": "Rome 's flood",
    "topic_id": -1,
}
EXTRACT: dict[str, Any] = {
    "coref_chain": 12,
    "coref_link": "1999 Rome flood",
    "doc_id": "Rome",
    "tokens_str": "flood,",
    "mention_type": "DISASTER_EVENT",
    "mention_id": 7,
    "mention_head": "flood",
    "mention_head_lemma": "flood",
    "mention_head_pos": "NN",
    "mention_ner": "O",
    "tokens_number": [2],
    "mention_context": ["The", "", "flood,", "then"],
}


def one(path: Path, **change: Any) -> EventMention:
    mention: EventMention
    (mention,) = read(RELEASED, path, json.dumps([{**RECORD, **change}]))
    return mention


def string(mention: EventMention) -> str:
    return mention.text[mention.start : mention.end]


def test_tokens_become_a_text_with_offsets(path: Path) -> None:
    assert one(path) == EventMention(
        id="7",
        lang="en",
        text="In 1999 , Rome 's flood and Rome 's fire",
        start=10,
        end=23,
        cluster="12",
        cluster_title="1999 Rome flood",
        event_type="8",
        infobox="",
        source=Source("Rome", 0),
        head=(18, 23),
        lemma="flood",
        pos="NOUN",
        ner=None,
        meta={"sentence": 2, "wec": {"mention_index": 3}},
    )


def test_the_extractors_shape(path: Path) -> None:
    (mention,) = read(RELEASED, path, json.dumps([EXTRACT], indent=0))
    # An empty token makes two spaces; the head "flood" is not a token of its own.
    assert (mention.text, string(mention)) == ("The  flood, then", "flood,")
    assert (mention.head, mention.event_type, mention.ner) == (None, "DISASTER_EVENT", None)
    assert write(RELEASED, path, mention) == json.dumps([EXTRACT], indent=0)


@pytest.mark.parametrize(
    ("numbers", "found", "expected", "wrong"),
    [
        # Blanks are no contradiction.
        ([3, 4, 5], "Rome's flood", "Rome 's flood", False),
        # The string stands in the context once: it is right, the numbers are kept.
        ([0, 1], "Rome's fire", "Rome 's fire", True),
        # Twice or never: the numbers are right.
        ([0, 1], "Rome 's", "In 1999", False),
        ([0, 1], "Milan", "In 1999", False),
        # Within tokens only is not in the context.
        ([0, 1], "ire", "In 1999", False),
    ],
)
def test_numbers_and_string_that_contradict_each_other(
    path: Path, numbers: list[int], found: str, expected: str, wrong: bool
) -> None:
    content = json.dumps([{**RECORD, "tokens_number": numbers, "tokens_str": found}], indent=0)
    (mention,) = read(RELEASED, path, content)
    assert string(mention) == expected
    assert (mention.meta["wec"].get("tokens_number") == numbers) is wrong
    assert write(RELEASED, path, mention) == content


@pytest.mark.parametrize(
    "change",
    [
        {"mention_head": "Bonn"},
        {"mention_head": None, "mention_head_lemma": None, "mention_head_pos": None},
        {"mention_ner": ["EVENT"]},
        {"coref_chain": "ACT12", "mention_id": 7, "topic_id": "36ecb", "mention_type": "ACT"},
        {"coref_chain": "012", "topic_id": None, "sent_id": None},
        {"is_singleton": True, "more": {"deep": [[]]}},
        {"mention_context": ["", "a b", "c", "Rome 's", "flood", ""], "tokens_number": [3, 4]},
        {"tokens_number": [5, 4, 3, 3]},
    ],
)
def test_whatever_stands_in_a_record_is_written_again(path: Path, change: dict[str, Any]) -> None:
    for record in ({**RECORD, **change}, dict(reversed({**RECORD, **change}.items()))):
        content = json.dumps([record, RECORD], indent=0)
        assert write(RELEASED, path, *read(RELEASED, path, content)) == content


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tokens_number": [70], "tokens_str": "Milan"}, "is not within the context of 10"),
        ({"tokens_number": ["3"]}, "an index in tokens_number is not a whole number"),
        ({"mention_context": ["a", 1]}, "a token of mention_context is not a string"),
        ({"mention_context": ["a", ""], "tokens_number": [1]}, "an empty token"),
        ({"coref_chain": None}, "coref_chain is 'None', not a name or a number"),
        ({"tokens_str": None}, "no tokens_str"),
    ],
)
def test_a_record_that_breaks_a_rule_is_named(
    path: Path, change: dict[str, Any], message: str
) -> None:
    wrong = {**RECORD, **change}
    if message.startswith("no "):
        del wrong[message.removeprefix("no ")]
    error = refused(RELEASED, path, json.dumps([RECORD, wrong], indent=0))
    assert error.line == len(json.dumps(RECORD, indent=0).split("\n")) + 2
    assert error.message.startswith("record 2: ")
    assert message in error.message


@pytest.mark.skipif(not DATA.is_dir(), reason=f"needs WEC-Eng in {DATA}")
def test_half_of_the_released_development_set(path: Path) -> None:
    source = DATA / "wec-eng" / "WEC-Eng_dev_half.json"
    mentions = rewritten(RELEASED, source, path)
    assert (len(mentions), len({mention.cluster for mention in mentions})) == (595, 117)
    assert all(mention.head for mention in mentions)
    kept = Counter(key for mention in mentions for key in mention.meta["wec"])
    # 36 strings differ from their tokens, all by a blank (Women's, 8,): no span is wrong.
    assert kept == {"mention_index": 595, "tokens_str": 36}
    for mention, record in zip(mentions, json.loads(source.read_text()), strict=True):
        assert string(mention).replace(" ", "") == record["tokens_str"].replace(" ", "")
