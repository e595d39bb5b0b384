"""ECB+: a folder of XML, its chains across documents, and the counts of the field."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import ecbplus, registry
from corefmill.corpora.formats.ecbplus import VALIDATED
from corefmill.corpora.records import EventMention, Source
from tests.corpora.formats.trials import DATA

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


def read(folder: Path) -> list[EventMention]:
    return [mention for _, mention in ecbplus.FORMAT.read(folder, "en")]


def rewrite(folder: Path, old: str, new: str, name: str = "12_3ecb.xml") -> Path:
    assert old in XML
    path = folder / "ECB+" / "12" / name
    path.write_text(XML.replace(old, new))
    if name != "12_3ecb.xml":
        topic, _, rest = path.stem.partition("_")
        with (folder / VALIDATED).open("a") as table:
            table.write(f"{topic},{rest},0\n{topic},{rest},1\n")
    return path


def test_a_mention_stands_in_its_document(folder: Path) -> None:
    apart, state = read(folder)
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
    assert len(read(folder / inner)) == 2


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('t_id="6"/>', 't_id="66"/>', 12, "t_id 66 is not a token"),
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
        read(folder)
    assert message in caught.value.message
    assert caught.value.path == str(path)
    assert caught.value.line in (line, line + 1)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (TABLE + "12,3ecb\n", 4),
        (TABLE + "12,3ecb,x\n", 4),
        pytest.param(TABLE + f"12,3ecb,{'1' * 200_000}\n", 4, id="field"),
    ],
)
def test_a_table_that_is_none_is_named(folder: Path, content: str, line: int | None) -> None:
    (folder / VALIDATED).write_text(content)
    with pytest.raises(DataError) as caught:
        read(folder)
    assert (caught.value.path, caught.value.line) == (str(folder / VALIDATED), line)


def test_xml_with_entities_is_not_read(folder: Path) -> None:
    """Neither a file of the reader's machine nor a flood of text comes in by them."""
    (folder / "secret").write_text("burned")
    kind = f'<!DOCTYPE Document [<!ENTITY x SYSTEM "file://{folder}/secret">]>\n<Document'
    path = rewrite(folder, "<Document", kind)
    path.write_text(path.read_text().replace(">burned<", ">&x;<"))
    with pytest.raises(DataError, match="declares a document type"):
        read(folder)


@pytest.mark.skipif(not DATA.is_dir(), reason=f"needs ECB+ in {DATA}")
def test_the_counts_of_the_field() -> None:
    mentions = read(DATA / "ecbplus")
    by_split = {
        split: [mention for mention in mentions if mention.meta["split"] == split]
        for split in ("dev", "train")
    }
    counts = {
        split: (
            len(some),
            len({mention.cluster for mention in some}),
            len({mention.meta["topic"] for mention in some}),
            sum(bool(mention.parts) for mention in some),
        )
        for split, some in by_split.items()
    }
    assert counts == {"dev": (1245, 409, 16, 6), "train": (3808, 1527, 50, 33)}
    sizes = Counter(Counter(mention.cluster for mention in by_split["dev"]).values())
    assert sizes[1] == 280
