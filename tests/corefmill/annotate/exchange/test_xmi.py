"""UIMA CAS: written and read by dkpro-cassis, its text and its offsets, damaged, hostile."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corefmill.annotate.exchange import chains, xmi
from corefmill.corpora.errors import DataError
from corefmill.corpora.records import Document, Sentence, Token
from tests.corefmill.annotate.exchange.trials import SMALL, TEXT, back, nasty, sent
from tests.corpora.generated import damaged

cassis = pytest.importorskip("cassis", reason="dkpro-cassis is of the extra [annotate]")


def test_another_reader_finds_text_and_mentions(tmp_path: Path) -> None:
    plain = sent("xmi", SMALL, tmp_path)
    with (tmp_path / xmi.TYPES).open("rb") as file:
        types = cassis.load_typesystem(file)
    with (tmp_path / "0001.xmi").open("rb") as file:
        cas = cassis.load_cas_from_xmi(file, typesystem=types)
    assert cas.sofa_string == TEXT
    assert [link.get_covered_text() for link in cas.select(xmi.LINK)] == [
        *("𝒜da", "𝒜da put it out.", "put it out", "it", "She", "∅"),
    ]
    assert len(cas.select(xmi.SENTENCE)) == 2
    # In the file they are code units of UTF-16: the first word has four.
    assert 'begin="5" end="8"' in (tmp_path / "0001.xmi").read_text("utf-8")
    assert back("xmi", plain, tmp_path / "0001.xmi") == SMALL


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=nasty(more=("\n", "\r\n")))
def test_there_and_back(document: Document, tmp_path: Path) -> None:
    plain = chains.plain(1, "all", document)
    if re.search("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", plain.text):
        return  # a document of its own is refused, see below
    plain = sent("xmi", document, tmp_path)
    assert back("xmi", plain, tmp_path / "0001.xmi") == document


def test_a_text_with_control_codes_is_refused(tmp_path: Path) -> None:
    hostile = Document("h", 0, "en", (Sentence((Token("\x1b[31m"),)),), ())
    with pytest.raises(DataError, match=r"0001\.xmi: XML cannot hold this text"):
        xmi.write(tmp_path, [chains.plain(1, "all", hostile)])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<xmi:XMI", '<!DOCTYPE x [<!ENTITY e "e">]>\n<xmi:XMI', "declares a document type"),
        ("xmi:XMI", "xmi:XML", "the root is"),
        ("</xmi:XMI>", "", "not XML"),
        ('next="', 'next="99', "no CAS: KeyError"),
        ('sofaString="', 'sofaString="x', "its text is not that of document 1"),
    ],
)
def test_what_is_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    plain = sent("xmi", SMALL, tmp_path)
    path = tmp_path / "0001.xmi"
    whole = path.read_text("utf-8")
    assert old in whole
    path.write_text(whole.replace(old, new), "utf-8")
    with pytest.raises(DataError, match=message):
        back("xmi", plain, path)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_is_a_data_error(data: st.DataObject, tmp_path: Path) -> None:
    plain = sent("xmi", SMALL, tmp_path)
    path = tmp_path / "0001.xmi"
    path.write_bytes(data.draw(damaged(path.read_bytes())))
    try:
        back("xmi", plain, path)
    except DataError as error:
        assert error.path == str(path)
