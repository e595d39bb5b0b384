"""XML that anyone may have written."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.corpora import xml_files
from corefmill.corpora.errors import DataError


def test_the_root_is_the_one_that_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text('<x:a xmlns:x="u"/>')
    assert xml_files.parsed(path, "{u}a").tag == "{u}a"
    with pytest.raises(DataError, match=r"a\.xml:1: the root is {u}a, not a"):
        xml_files.parsed(path, "a")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<!DOCTYPE a><a/>", "declares a document type"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "declares a document type"),
        ("<a>\n<b></a>", r":2: not XML"),
        ("", "not XML"),
        ("<a>" * 300 + "</a>" * 300, "not XML"),
    ],
)
def test_what_is_refused(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(content)
    with pytest.raises(DataError, match=message):
        xml_files.parsed(path, "a")
