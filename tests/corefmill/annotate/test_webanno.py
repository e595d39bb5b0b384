"""INCEpTION's WebAnno TSV: as INCEpTION's own files have it, there and back, damaged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corefmill.annotate import documents, webanno
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import Document, Mention, Sentence, Token
from tests.corefmill.annotate.trials import SMALL, back, nasty, sent
from tests.corpora.generated import damaged

pytestmark = pytest.mark.usefixtures("without_fsync")

TSV = (
    "#FORMAT=WebAnno TSV 3.3\n"
    "#T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"
    "|referenceRelation|referenceType\n"
    "\n"
    "\n"
    "#Text=𝒜da put it out.\n"
    "1-1\t0-4\t𝒜da\t*->1-1|*->3-1\t*[1]|*[3]\t\n"
    "1-2\t5-8\tput\t*->2-1|*->3-1\tparts 2-2 4-4[2]|*[3]\t\n"
    "1-3\t9-11\tit\t*->2-1|*->3-1|*->3-2\tparts 2-2 4-4[2]|*[3]|*[3]\t\n"
    "1-4\t12-15\tout\t*->2-1|*->3-1\tparts 2-2 4-4[2]|*[3]\t\n"
    "1-5\t15-16\t.\t*->3-1\t*[3]\t\n"
    "\n"
    "#Text=She ∅ left\n"
    "2-1\t17-20\tShe\t*->1-2\t*[1]\t\n"
    "2-2\t21-22\t∅\t*->1-3\t*[1]\t\n"
    "2-3\t23-27\tleft\t_\t_\t\n"
)
# As INCEpTION writes it: other layers, the columns the other way round, an id, a part of a token.
THEIRS = (
    "#FORMAT=WebAnno TSV 3.3\n"
    "#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value\n"
    "#T_SP=webanno.custom.Plain|\n"
    "#T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"
    "|referenceType|referenceRelation\n"
    "#T_RL=webanno.custom.Rel|kind|BT_webanno.custom.Plain\n"
    "\n\n"
    "#Sentence.id=s1\n"
    "#Text=He shot himself\n"
    "1-1\t0-2\tHe\t*\tPER\t_\tpr[4]\tcoref->4-1\t_\t_\t\n"
    "1-2\t3-7\tshot\t_\t_\t*\t_\t_\t_\t_\t\n"
    "1-3\t8-15\thimself\t_\t_\t_\tpr[4]\t*->4-2\t_\t_\t\n"
    "1-3.1\t8-11\thim\t_\t_\t_\t_\t_\tx\t1-2\t\n"
)
HIM = Document("h", 0, "en", (Sentence(tuple(map(Token, ("He", "shot", "himself")))),), ())


def test_what_is_written(tmp_path: Path) -> None:
    plain = sent(SMALL, tmp_path)
    assert (tmp_path / "0001.tsv").read_text("utf-8") == TSV
    assert back(plain, tmp_path / "0001.tsv") == SMALL


def test_what_inception_writes(tmp_path: Path) -> None:
    (tmp_path / "0001.tsv").mkdir()
    path = tmp_path / "0001.tsv" / "ann.tsv"
    path.write_text(THEIRS)
    read = webanno.read_chains(path)
    assert read is not None
    assert (read.number, read.rater) == (1, "ann")
    assert read.left_out == {
        "labels of links": 1,
        "layer de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity": 1,
        "layer webanno.custom.Plain": 1,
        "layer webanno.custom.Rel": 1,
    }
    found = documents.apply_chains(documents.make_plain(1, "all", HIM), read, path)
    assert found.clusters == ((Mention(0, 0, 1), Mention(0, 2, 3)),)
    assert webanno.read_chains(path.with_name("INITIAL_CAS.tsv")) is None


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=nasty(more=("a\nb", "\n", "\r\n", "\f", "\x01")))
def test_there_and_back(document: Document, tmp_path: Path) -> None:
    plain = sent(document, tmp_path)
    for row in (tmp_path / "0001.tsv").read_bytes().decode().split("\n")[4:]:
        assert row.startswith("#Text=") or row.count("\t") in (0, 5)
    assert back(plain, tmp_path / "0001.tsv") == document


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("TSV 3.3", "TSV 2", r"0001\.tsv:1: the file is no WebAnno TSV 3"),
        (
            "|referenceType",
            "|type",
            r"0001\.tsv:2: the coreference layer lacks referenceRelation or",
        ),
        ("1-3\t9-11", "1-3\t9-x", r"0001\.tsv:8: the line is neither a token nor"),
        (
            "17-20",
            "12-20",
            r"0001\.tsv:13: the sentence begins at 12, but the one before ends at 16",
        ),
        (
            "*->1-2\t*[1]",
            "*->1-2\t*[2]",
            r"0001\.tsv:13: the link .* and the mention .* are of different chains",
        ),
        ("*->1-2\t*[1]", "*->1-2\t*[1]|*[1]", r"0001\.tsv:13: the row has 1 links for 2 mentions"),
        ("*->1-2\t*[1]\t", "*->1-2", r"0001\.tsv:13: the row has only 4 cells"),
        ("1-1\t0-4\t𝒜da", "1-1\t0-1\t𝒜da", r"0001\.tsv:6: 0-1 is no span of characters"),
        (
            "2-3\t23-27\tleft\t_\t_",
            "2-3\t23-25\tle\t*->9-1\t*[9]",
            r"0001\.tsv:15: .* the mention cuts",
        ),
    ],
)
def test_one_fault_a_line(old: str, new: str, message: str, tmp_path: Path) -> None:
    plain = sent(SMALL, tmp_path)
    assert old in TSV
    (tmp_path / "0001.tsv").write_text(TSV.replace(old, new), "utf-8")
    with pytest.raises(DataError, match=message):
        back(plain, tmp_path / "0001.tsv")


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_is_a_data_error(data: st.DataObject, tmp_path: Path) -> None:
    plain = sent(replace(SMALL, clusters=SMALL.clusters[:1]), tmp_path)
    path = tmp_path / "0001.tsv"
    path.write_bytes(data.draw(damaged(path.read_bytes())))
    try:
        back(plain, path)
    except DataError as error:
        assert error.path == str(path)
