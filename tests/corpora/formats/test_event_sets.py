"""Sets of event mentions, ECB+ and WEC, and the JSON arrays that WEC's and KnowRef's files are."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import ecbplus, json_records, registry, wec_json
from corefmill.corpora.formats.ecbplus import VALIDATED
from corefmill.corpora.records import EventMention, Source
from tests.corpora.formats.trials import DATA, read, refused, rewritten, write

XML = """<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<Document doc_name="12_3ecb.xml" doc_id="D1">
<token t_id="1" sentence="0" number="0">Zoë</token>
<token t_id="2" sentence="0" number="1">put</token>
<token t_id="3" sentence="0" number="2">it</token>
<token t_id="4" sentence="0" number="3">out</token>
<token t_id="5" sentence="1" number="0">It</token>
<token t_id="6" sentence="1" number="1">burned</token>
<Markables>
<!-- written by hand -->
<ACTION_STATE m_id="9" note="why">
  <token_anchor t_id="6"/>
</ACTION_STATE>
<NEG_ACTION_OCCURRENCE m_id="7"  >
  <token_anchor t_id="4"/>
  <token_anchor t_id="2"/>
</NEG_ACTION_OCCURRENCE>
<HUMAN_PART_PER m_id="8"  >
  <token_anchor t_id="1"/>
</HUMAN_PART_PER>
<ACTION_OCCURRENCE m_id="20" RELATED_TO="" TAG_DESCRIPTOR="the_fire" instance_id="ACT5" />
<UNKNOWN_INSTANCE_TAG m_id="21" RELATED_TO="" TAG_DESCRIPTOR="" />
</Markables>
<Relations>
<CROSS_DOC_COREF r_id="1" note="ACT5" >
  <source m_id="7" />
  <target m_id="20" />
</CROSS_DOC_COREF>
<INTRA_DOC_COREF r_id="2" >
  <source m_id="8" />
  <target m_id="21" />
</INTRA_DOC_COREF>
</Relations>
</Document>
"""
TABLE = "Topic,File,Sentence Number\n12,3ecb,0 \n12,3ecb,1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ECB+" / "12").mkdir(parents=True)
    (tmp_path / "ECB+" / "12" / "12_3ecb.xml").write_text(XML)
    (tmp_path / VALIDATED).write_text(TABLE)
    return tmp_path


def read_folder(folder: Path) -> list[EventMention]:
    return [mention for _, mention in ecbplus.FORMAT.read(folder, "en")]


def rewrite(folder: Path, old: str, new: str) -> Path:
    assert old in XML
    path = folder / "ECB+" / "12" / "12_3ecb.xml"
    path.write_text(XML.replace(old, new))
    return path


def test_a_mention_stands_in_its_document(folder: Path) -> None:
    apart, state = read_folder(folder)
    assert apart == EventMention(
        id="12_3ecb.xml_7",
        lang="en",
        text="Zoë put it out It burned",
        start=4,
        end=14,
        cluster="ACT5",
        cluster_title="the_fire",
        event_type="NEG_ACTION_OCCURRENCE",
        infobox="",
        source=Source("12_3ecb.xml", 0),
        parts=((4, 7), (11, 14)),
        meta={"topic": "12ecb", "split": "dev", "sentence": 0, "sentence_span": [0, 14]},
    )
    assert (state.cluster, state.parts) == ("Singleton_ACT_9_12_3ecb", ())
    assert state.meta["note"] == "why"
    assert [line for line, _ in ecbplus.FORMAT.read(folder, "en")] == [14, 11]


@pytest.mark.parametrize("inner", ["", "ECB+/12/12_3ecb.xml"])
def test_every_folder_of_the_corpus_is_told_and_finds_the_table(folder: Path, inner: str) -> None:
    assert registry.detect_format(folder / inner).name == "ecbplus"
    assert len(read_folder(folder / inner)) == 2


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('t_id="6"/>', 't_id="66"/>', 12, "no token has the t_id 66"),
        ('m_id="9" note', 'm_id="7" note', 14, "m_id 7 comes twice"),
        ('sentence="1" number="1"', 'sentence="x" number="1"', 8, "sentence is 'x'"),
        ('<source m_id="8"', '<source m_id="7"', 30, "m_id 7 is in two chains"),
        (' note="ACT5"', "", 25, "CROSS_DOC_COREF has no note"),
        (">burned<", "><", 11, "m_id 9 has empty tokens only"),
        ("</Markables>", "", 34, "not XML"),
    ],
)
def test_a_document_that_breaks_a_rule_is_named(
    folder: Path, old: str, new: str, line: int, message: str
) -> None:
    path = rewrite(folder, old, new)
    with pytest.raises(DataError) as caught:
        read_folder(folder)
    assert message in caught.value.message
    assert caught.value.path == str(path)
    assert caught.value.line in (line, line + 1)


@pytest.mark.parametrize("row", ["12,3ecb", "12,3ecb,x", f"12,3ecb,{'1' * 200_000}"])
def test_a_table_that_is_none_is_named(folder: Path, row: str) -> None:
    (folder / VALIDATED).write_text(f"{TABLE}{row}\n")
    with pytest.raises(DataError) as caught:
        read_folder(folder)
    assert (caught.value.path, caught.value.line) == (str(folder / VALIDATED), 4)


def test_xml_with_entities_is_not_read(folder: Path) -> None:
    """Neither a file of the reader's machine nor a flood of text comes in by them."""
    (folder / "secret").write_text("burned")
    kind = f'<!DOCTYPE Document [<!ENTITY x SYSTEM "file://{folder}/secret">]>\n<Document'
    path = rewrite(folder, "<Document", kind)
    path.write_text(path.read_text().replace(">burned<", ">&x;<"))
    with pytest.raises(DataError, match="declares a document type"):
        read_folder(folder)


@pytest.mark.skipif(not DATA.is_dir(), reason=f"needs ECB+ in {DATA}")
def test_the_counts_of_the_field() -> None:
    mentions = read_folder(DATA / "ecbplus")
    counts = {}
    for split in ("dev", "train"):
        some = [mention for mention in mentions if mention.meta["split"] == split]
        clusters = Counter(mention.cluster for mention in some)
        topics = {mention.meta["topic"] for mention in some}
        apart = sum(bool(mention.parts) for mention in some)
        counts[split] = (len(some), len(clusters), len(topics), apart)
        ones = Counter(clusters.values())[1]
        assert split == "train" or ones == 280
    assert counts == {"dev": (1245, 409, 16, 6), "train": (3808, 1527, 50, 33)}


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
    key: RECORD[key]
    for key in ("coref_chain", "coref_link", "doc_id", "mention_head", "mention_head_lemma")
} | {
    "tokens_str": "flood,",
    "mention_type": "DISASTER_EVENT",
    "mention_id": 7,
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


# Other blanks are no contradiction. A string that stands in the context once is right, and the
# numbers are kept; twice, never or within tokens only, the numbers are right.
@pytest.mark.parametrize(
    ("numbers", "found", "expected", "wrong"),
    [
        ([3, 4, 5], "Rome's flood", "Rome 's flood", False),
        ([0, 1], "Rome's fire", "Rome 's fire", True),
        ([0, 1], "Rome 's", "In 1999", False),
        ([0, 1], "Milan", "In 1999", False),
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
        ({"tokens_number": [70], "tokens_str": "Milan"}, "is not within mention_context of 10"),
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


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
objects = st.lists(
    st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=3), values, max_size=4),
    max_size=5,
)


@settings(max_examples=25, deadline=None)
@given(
    found=objects,
    indent=st.sampled_from([None, 0, 2]),
    ascii_only=st.booleans(),
    chunk=st.sampled_from([1, 2, 7, 1000]),
)
def test_an_array_is_read_through_any_window(
    path: Path, found: list[dict[str, Any]], indent: int | None, ascii_only: bool, chunk: int
) -> None:
    content = json.dumps(found, indent=indent, ensure_ascii=ascii_only)
    path.write_bytes(f"\ufeff\n {content}\r\n".encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_records, "_CHUNK", chunk)
        got = list(json_records.read_array(path))
    assert [made for _, made in got] == found
    if indent == 0 and ascii_only:
        lines = content.split("\n")
        assert all(lines[line - 2].startswith("{") for line, _ in got)


@settings(max_examples=15, deadline=None)
@given(found=objects)
def test_an_array_is_written_as_the_standard_library_does(
    path: Path, found: list[dict[str, Any]]
) -> None:
    assert json_records.write_array(path, found) == len(found)
    assert path.read_text() == json.dumps(found, indent=0)


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("\n{}", 1, "an array was expected, here stands '{'"),
        ("[\n{},\n7]", 3, "record 2 is not an object"),
        ("[\n{}", 2, "after record 1 a comma"),
        ('[{}, {"a":\n"b}]', 2, "not JSON in record 2: Unterminated string"),
        ('[{"a":\n\nx}]', 3, "not JSON in record 1: Expecting value"),
        ('[{"a": NaN}]', 1, "NaN is not JSON"),
        ('[{}, {"a": 1, "a": 1}]', 1, "the key 'a' comes twice"),
        ('[{"a": "\\ud800"}]', 1, "half a surrogate pair"),
        ('[{"a": ' + "[" * 100_000 + "}]", 1, "not JSON in record 1: maximum recursion"),
        ('[{"a": ' + "1" * 5000 + "}]", 1, "not JSON in record 1: Exceeds the limit"),
    ],
)
def test_what_is_no_array_of_objects_is_named(
    path: Path, content: str, line: int, message: str
) -> None:
    path.write_text(content)
    with pytest.raises(DataError) as caught:
        list(json_records.read_array(path))
    assert (caught.value.path, caught.value.line) == (str(path), line)
    assert message in caught.value.message


def test_a_record_without_end_is_not_taken_into_memory(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(b'[{"a": "' + b"x" * (5 << 20) + b'"}]')
    assert len(list(json_records.read_array(path))) == 1
    monkeypatch.setattr(disk, "LONGEST_LINE", 1 << 20)
    with pytest.raises(DataError, match="record 1 is over 1 Mi characters long"):
        list(json_records.read_array(path))
